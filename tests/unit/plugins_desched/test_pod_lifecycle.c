/* PodLifecycle: rules, conditions, retention, and what is left alone. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "PodLifecycle"
#define ONE(members) "{'rules':[{'name':'r'," members "}]}"
#define WHEN(condition) ONE("'action':'Evict','allowTerminal':true,'when':" condition)
#define PICK(select) ONE("'action':'Evict','select':" select)
#define DELETE(members) ONE("'action':'Delete','allowTerminal':true" members)
#define OWN .parity = SCENE_NO_PARITY
#define FAILED .phase = "Failed"
#define DONE .phase = "Succeeded"
#define ENDED(code, at)                                                                            \
        "'containerStatuses':[{'name':'c','state':{'terminated':{'exitCode':" code                 \
        ",'reason':'Error','finishedAt':'2026-01-09T" at "Z'}}}]"
#define RESTARTED(count) "'containerStatuses':[{'name':'c','restartCount':" count "}]"
#define READY(status, at)                                                                          \
        "'conditions':[{'type':'Ready','status':'" status                                          \
        "','reason':'Because','lastTransitionTime':'2026-01-09T" at "Z'}]"

/* Now is midnight; pods are two hours old. */
static const struct scene_case selections[] = {
        { "all that run", .args = ONE("'action':'Evict'"),
          .pods = { { "p" }, { "q", FAILED }, { "r", DONE } }, .expect = "p", OWN },
        { "finished, too", .args = ONE("'action':'Evict','allowTerminal':true"),
          .pods = { { "p" }, { "q", FAILED }, { "r", DONE } }, .expect = "p q r", OWN },
        { "namespaces", .args = PICK("{'namespaces':{'include':['x']}}"),
          .pods = { { "p", .ns = "x" }, { "q", .ns = "y" } }, .expect = "p", OWN },
        { "other namespaces", .args = PICK("{'namespaces':{'exclude':['x']}}"),
          .pods = { { "p", .ns = "x" }, { "q", .ns = "y" } }, .expect = "q", OWN },
        { "labels", .args = PICK("{'labelSelector':{'matchLabels':{'a':'b'}}}"),
          .pods = { { "p", .meta = "'labels':{'a':'b'}" }, { "q" } }, .expect = "p", OWN },
        { "owners", .args = PICK("{'ownerKinds':{'include':['Job']}}"),
          .pods = { { "p", .owner = "Job/j" }, { "q" } }, .expect = "p", OWN },
        { "other owners", .args = PICK("{'ownerKinds':{'exclude':['Job']}}"),
          .pods = { { "p", .owner = "Job/j" }, { "q" } }, .expect = "q", OWN },
        { "priority", .args = PICK("{'priority':{'min':1,'max':10}}"),
          .pods = { { "p", .spec = "'priority':0" },
                    { "q", .spec = "'priority':1" },
                    { "r", .spec = "'priority':10" },
                    { "s", .spec = "'priority':11" },
                    { "t" } },
          .expect = "q r", OWN },
        { "node", .args = PICK("{'nodeSelector':{'matchLabels':{'pool':'a'}}}"),
          .nodes = { { .name = "n1", .labels = "'pool':'a'" }, { .name = "n2" } },
          .pods = { { "p" }, { "q", .node = "n2" } }, .expect = "p", OWN },
        { "protected by the evictor", .args = ONE("'action':'Evict'"),
          .pods = { { "p", .owner = "" }, { "q", .owner = "DaemonSet/d" }, { "r" } }, .expect = "r",
          OWN },
        { "first rule decides",
          .args = "{'rules':[{'name':'a','action':'Keep','select':{'labelSelector':{'matchLabels':{"
                  "'keep':'yes'}}}},{'name':'b','action':'Evict','when':{'minRestarts':1}},"
                  "{'name':'c','action':'Report'}]}",
          .pods = { { "p", .meta = "'labels':{'keep':'yes'}" },
                    { "q", .status = RESTARTED("3") },
                    { "r" } },
          .expect = "q report:r", OWN },
        { "cap of the rule", .args = ONE("'action':'Evict','maxPerPass':1"),
          .pods = { { "p", .age_s = 100 }, { "q", .age_s = 200 } }, .expect = "q", OWN },
        { "limits of the policy", .policy = "'maxNoOfPodsToEvictPerNode':1",
          .args = ONE("'action':'Evict'"), .pods = { { "p" }, { "q" }, { "r", .node = "n2" } },
          .expect = "p r", OWN },
        { "reports count against no limit", .policy = "'maxNoOfPodsToEvictTotal':0",
          .args = ONE("'action':'Report'"), .pods = { { "p" } }, .expect = "report:p", OWN },
};

static const struct scene_case conditions[] = {
        { "phase", .args = WHEN("{'phases':['Failed','Pending']}"),
          .pods = { { "p" }, { "q", FAILED }, { "r", .phase = "Pending" } }, .expect = "q r", OWN },
        { "exit code", .args = WHEN("{'exitCodes':['40-49']}"),
          .pods = { { "p", FAILED, .status = ENDED("42", "23:00:00") },
                    { "q", FAILED, .status = ENDED("1", "23:00:00") } },
          .expect = "p", OWN },
        { "reason of the pod", .args = WHEN("{'reasons':['Evicted']}"),
          .pods = { { "p", FAILED, .status = "'reason':'Evicted'" }, { "q", FAILED } },
          .expect = "p", OWN },
        { "condition", .args = WHEN("{'condition':{'type':'Ready','status':'False','for':'1h'}}"),
          .pods = { { "p", .status = READY("False", "22:30:00") },
                    { "q", .status = READY("False", "23:30:00") },
                    { "r", .status = READY("True", "22:30:00") } },
          .expect = "p", OWN },
        { "reason of a condition", .args = WHEN("{'condition':{'type':'Ready','reason':'No'}}"),
          .pods = { { "p", .status = READY("False", "22:30:00") } }, .expect = "", OWN },
        { "restarts", .args = WHEN("{'minRestarts':5}"),
          .pods = { { "p", .status = RESTARTED("5") }, { "q", .status = RESTARTED("4") } },
          .expect = "p", OWN },
        { "age", .args = WHEN("{'olderThan':'1h'}"),
          .pods = { { "p", .age_s = 3600 }, { "q", .age_s = 3599 } }, .expect = "p", OWN },
        { "age since the start", .args = WHEN("{'olderThan':'1h','since':'Start'}"),
          .pods = { { "p", .status = "'startTime':'2026-01-09T22:30:00Z'" },
                    { "q", .status = "'startTime':'2026-01-09T23:30:00Z'" },
                    { "r" } },
          .expect = "p", OWN },
        { "age since the end", .args = WHEN("{'olderThan':'1h','since':'Finish'}"),
          .pods = { { "p", FAILED, .status = ENDED("1", "22:30:00") },
                    { "q", FAILED, .status = ENDED("1", "23:30:00") },
                    { "r" } },
          .expect = "p", OWN },
        { "age since a transition", .args = WHEN("{'olderThan':'1h','since':'Transition'}"),
          .pods = { { "p", .status = READY("False", "22:30:00") },
                    { "q", .status = READY("False", "23:30:00") } },
          .expect = "p", OWN },
        { "all", .args = WHEN("{'all':[{'phases':['Failed']},{'olderThan':'1h'}]}"),
          .pods = { { "p", FAILED }, { "q" }, { "r", FAILED, .age_s = 60 } }, .expect = "p", OWN },
        { "any", .args = WHEN("{'any':[{'phases':['Failed']},{'minRestarts':3}]}"),
          .pods = { { "p", FAILED }, { "q", .status = RESTARTED("3") }, { "r" } }, .expect = "p q",
          OWN },
        { "not", .args = WHEN("{'not':{'phases':['Failed']}}"),
          .pods = { { "p", FAILED }, { "q" } }, .expect = "q", OWN },
        { "nested",
          .args = WHEN("{'all':[{'any':[{'exitCodes':[1]},{'exitCodes':[2]}]},"
                       "{'not':{'all':[{'exitCodes':[2]},{'phases':['Failed']}]}}]}"),
          .pods = { { "p", FAILED, .status = ENDED("1", "22:00:00") },
                    { "q", FAILED, .status = ENDED("2", "22:00:00") } },
          .expect = "p", OWN },
};

#define AGED(hour) .status = ENDED("0", hour ":00:00")

static const struct scene_case retentions[] = {
        { "only finished ones are deleted", .args = DELETE(""),
          .pods = { { "p" }, { "q", FAILED }, { "r", DONE } }, .expect = "delete:q delete:r", OWN },
        { "whatever protects what runs does not matter", .args = DELETE(""),
          .objects = { "{'kind':'Namespace','metadata':{'name':'default'}}" },
          .pods = { { "a", DONE, .owner = "" },
                    { "b", DONE, .spec = "'volumes':[{'name':'v','emptyDir':{}}]" },
                    { "c", DONE, .spec = "'priority':2000000000" } },
          .expect = "delete:a delete:b delete:c", OWN },
        { "left to others", .args = DELETE(""),
          .pods = { { "a", DONE, .meta = "'deletionTimestamp':'2026-01-09T23:00:00Z'" },
                    { "b", DONE, .meta = "'finalizers':['batch.kubernetes.io/job-tracking']" },
                    { "c", DONE, .meta = "'annotations':{'kubernetes.io/config.mirror':'x'}" },
                    { "d", DONE } },
          .expect = "delete:d", OWN },
        { "an evict mark does not override finalizers", .args = DELETE(""),
          .pods = { { "a", DONE,
                      .meta = "'finalizers':['x'],'annotations':{"
                              "'descheduler.alpha.kubernetes.io/evict':''}" } },
          .expect = "", OWN },
        { "labels of the evictor", .args = DELETE(""),
          .evictor = "{'labelSelector':{'matchLabels':{'a':'b'}}}",
          .pods = { { "p", DONE, .meta = "'labels':{'a':'b'}" }, { "q", DONE } },
          .expect = "delete:p", OWN },
        { "nodes that are not ready, gone, or none", .args = DELETE(""),
          .nodes = { { .name = "n1" },
                     { .name = "n2",
                       .status = "'conditions':[{'type':'Ready','status':'Unknown'}]" } },
          .pods = { { "a", DONE, .node = "n2" },
                    { "b", DONE, .node = "gone" },
                    { "c", .node = "n2" },
                    { "d", FAILED, .node = "" } },
          .expect = "delete:a delete:b delete:d", OWN },
        { "nodes that are left out", .policy = "'nodeSelector':'pool=a'", .args = DELETE(""),
          .nodes = { { .name = "n1", .labels = "'pool':'a'" }, { .name = "n2" } },
          .pods = { { "a", DONE }, { "b", DONE, .node = "n2" } }, .expect = "delete:a", OWN },
        { "ttl since the end", .args = DELETE(",'retention':{'ttl':'1h'}"),
          .pods = { { "a", DONE, AGED("22") },
                    { "b", DONE, AGED("23") },
                    { "c", DONE, .status = ENDED("0", "23:00:01") } },
          .expect = "delete:a delete:b", OWN },
        { "ttl without an end counts from creation", .args = DELETE(",'retention':{'ttl':'1h'}"),
          .pods = { { "a", DONE }, { "b", DONE, .age_s = 60 } }, .expect = "delete:a", OWN },
        { "newest of all", .args = DELETE(",'retention':{'keepNewest':2}"),
          .pods = { { "a", DONE, AGED("20") },
                    { "b", DONE, AGED("22") },
                    { "c", DONE, AGED("21") },
                    { "d", DONE, AGED("19") } },
          .expect = "delete:d delete:a", OWN },
        { "ttl except the newest", .args = DELETE(",'retention':{'ttl':'2h','keepNewest':2}"),
          .pods = { { "a", DONE, AGED("20") },
                    { "b", DONE, AGED("21") },
                    { "c", DONE, AGED("22") },
                    { "d", DONE, AGED("23") } },
          .expect = "delete:a delete:b", OWN },
        { "newest of each namespace",
          .args = DELETE(",'retention':{'keepNewest':1,'per':'Namespace'}"),
          .pods = { { "a", DONE, AGED("20"), .ns = "x" },
                    { "b", DONE, AGED("21"), .ns = "x" },
                    { "c", DONE, AGED("19"), .ns = "y" } },
          .expect = "delete:a", OWN },
        { "newest of each owner", .args = DELETE(",'retention':{'keepNewest':1,'per':'Owner'}"),
          .pods = { { "a", DONE, AGED("20"), .owner = "Job/x" },
                    { "b", DONE, AGED("21"), .owner = "Job/x" },
                    { "c", DONE, AGED("19"), .owner = "Job/y" } },
          .expect = "delete:a", OWN },
        { "newest of each label value",
          .args = DELETE(",'retention':{'keepNewest':1,'per':'Label','label':'run'}"),
          .pods = { { "a", DONE, AGED("20"), .meta = "'labels':{'run':'x'}" },
                    { "b", DONE, AGED("21"), .meta = "'labels':{'run':'x'}" },
                    { "c", DONE, AGED("19"), .meta = "'labels':{'run':'y'}" },
                    { "d", DONE, AGED("18"), .meta = "'labels':{'run':'y'}", .ns = "z" } },
          .expect = "delete:a", OWN },
        { "limits count deletions", .policy = "'maxNoOfPodsToEvictPerNamespace':1",
          .args = DELETE(""), .pods = { { "a", DONE }, { "b", DONE }, { "c", DONE, .ns = "x" } },
          .expect = "delete:a delete:c", OWN },
};

#define ABOVE(threshold)                                                                           \
        .args = "{'podGCThreshold':" threshold                                                     \
                ",'rules':[{'name':'r','action':'Delete','allowTerminal':true}]}"
#define FINISHED                                                                                   \
        .pods = { { "a", DONE, .age_s = 900 },                                                     \
                  { "b", FAILED, .age_s = 800 },                                                   \
                  { "c", DONE, .age_s = 700, .node = "n2" },                                       \
                  { "d", FAILED, .age_s = 600, .status = "'reason':'Evicted'" },                   \
                  { "e" } }

static const struct scene_case collections[] = {
        { "PodGC has nothing to take", ABOVE("4"), FINISHED,
          .expect = "delete:a delete:b delete:c delete:d", OWN },
        { "PodGC takes first what a kubelet evicted", ABOVE("3"), FINISHED,
          .expect = "delete:a delete:b delete:c", OWN },
        { "PodGC takes the oldest then", ABOVE("2"), FINISHED, .expect = "delete:b delete:c", OWN },
        { "PodGC is off", ABOVE("0"), FINISHED, .expect = "delete:a delete:b delete:c delete:d",
          OWN },
        { "PodGC as it is by default", DELETE(""), FINISHED,
          .expect = "delete:a delete:b delete:c delete:d", OWN },
        { "PodGC does not take what runs",
          .args = "{'podGCThreshold':1,'rules':[{'name':'r','action':'Evict'}]}", FINISHED,
          .expect = "e", OWN },
        { "reports are made all the same",
          .args = "{'podGCThreshold':3,'rules':[{'name':'r','action':'Report','allowTerminal':true,"
                  "'when':{'phases':['Failed']}}]}",
          FINISHED, .expect = "report:b report:d", OWN },
};

static const struct scene_refusal refusals[] = {
        { "nothing", "{}", "rules", NULL },
        { "no rules", "{'rules':[]}", "must not be empty", NULL },
        { "no name", "{'rules':[{'action':'Evict'}]}", "rules[0].name", NULL },
        { "no action", "{'rules':[{'name':'r'}]}", "rules[0].action", NULL },
        { "action", ONE("'action':'Kill'"), "rules[0].action", NULL },
        { "deleting without the opt-in", ONE("'action':'Delete'"), "allowTerminal", NULL },
        { "phase", WHEN("{'phases':['Done']}"), "rules[0].when.phases", NULL },
        { "every phase", WHEN("{'phases':['Pending','Running','Succeeded','Failed','Unknown']}"),
          NULL, "Descheduler has no PodLifecycle" },
        { "exit code", WHEN("{'any':[{'exitCodes':['x']}]}"), "when.any[0].exitCodes[0]", NULL },
        { "unknown field", WHEN("{'not':{'age':'1h'}}"), "when.not.age", NULL },
        { "empty list", WHEN("{'any':[]}"), "when.any", NULL },
        { "condition without type", WHEN("{'condition':{'status':'True'}}"), "type", NULL },
        { "retention of nothing", DELETE(",'retention':{}"), "expected ttl", NULL },
        { "label missing", DELETE(",'retention':{'keepNewest':1,'per':'Label'}"), "go together",
          NULL },
        { "group without number", DELETE(",'retention':{'ttl':'1h','per':'Owner'}"), "keepNewest",
          NULL },
        { "keeping some", ONE("'action':'Keep','retention':{'ttl':'1h'}"), "Keep", NULL },
        { "priorities", PICK("{'priority':{'min':2,'max':1}}"), "priority.min", NULL },
        { "finished pods it does not see", ONE("'action':'Evict','when':{'phases':['Failed']}"),
          "no pod matches: it is about finished pods", NULL },
        { "since the end, of pods that have none",
          ONE("'action':'Evict','when':{'olderThan':'1h','since':'Finish'}"), "allowTerminal",
          NULL },
        { "deleting what runs", DELETE(",'when':{'phases':['Running']}"),
          "action Delete is for finished pods", NULL },
        { "two phases at once",
          WHEN("{'phases':['Running','Pending'],'all':[{'phases':['Failed']}]}"),
          "different phases", NULL },
        { "neither of two phases",
          WHEN("{'phases':['Running'],'any':[{'phases':['Failed']},{'phases':['Unknown']}]}"),
          "different phases", NULL },
        { "a phase and not that phase", WHEN("{'phases':['Failed'],'not':{'phases':['Failed']}}"),
          "different phases", NULL },
        { "a phase and not that phase in some state",
          WHEN("{'phases':['Failed'],'not':{'phases':"
               "['Failed'],'reasons':['Evicted']}}"),
          NULL, "Descheduler has no PodLifecycle" },
        { "no code left", WHEN("{'exitCodes':['3-4','!2-9']}"), "no exit code is left",
          "expected an integer" },
        { "a code left", WHEN("{'exitCodes':['3-10','!2-9']}"), NULL, "expected an integer" },
        { "behind a rule for all",
          "{'rules':[{'name':'a','action':'Keep'},{'name':'b','action':'Evict'}]}",
          "rules[1]: no pod gets here: rules[0]", NULL },
        { "beside a rule for all that run",
          "{'rules':[{'name':'a','action':'Keep'},{'name':'b','action':'Evict','allowTerminal':"
          "true}]}",
          NULL, "Descheduler has no PodLifecycle" },
        { "behind one for a few",
          "{'rules':[{'name':'a','action':'Keep','maxPerPass':1},{'name':'b','action':'Evict'}]}",
          NULL, "Descheduler has no PodLifecycle" },
        { "good", DELETE(",'retention':{'ttl':'1h','keepNewest':0,'per':'Owner'}"), NULL,
          "Descheduler has no PodLifecycle" },
};

/* Upstream's strategies are rules: what they take, a rule that says the same takes. */
#define OF_EACH_KIND                                                                               \
        .pods = { { "young", .age_s = 60, FAILED, .status = ENDED("3", "23:59:00") },              \
                  { "failed", FAILED, .status = ENDED("3", "23:00:00") },                          \
                  { "other", FAILED, .status = ENDED("4", "23:00:00") },                           \
                  { "done", DONE },                                                                \
                  { "restarts", .status = RESTARTED("7") },                                        \
                  { "worse", .status = RESTARTED("9") },                                           \
                  { "waits",                                                                       \
                    .status = "'containerStatuses':[{'name':'c','restartCount':8,'state':{"        \
                              "'waiting':{'reason':'CrashLoopBackOff'}}}]",                        \
                    .phase = "Pending" },                                                          \
                  { "old", .age_s = 90000 },                                                       \
                  { "job", .owner = "Job/j", .age_s = 90001 } }

struct strategy_as_rule {
        const char *strategy;
        struct scene_case as_strategy, as_rule;
};
static const struct strategy_as_rule strategies[] = {
        { "PodLifeTime",
          { "age", .args = "{'maxPodLifeTimeSeconds':86400}", OF_EACH_KIND, .expect = "job old" },
          { "age as a rule", .args = WHEN("{'olderThan':'24h0m1s'}"), OF_EACH_KIND,
            .expect = "job old", OWN } },
        { "PodLifeTime",
          { "owner, states", OF_EACH_KIND, .expect = "failed other waits young",
            .args = "{'ownerKinds':{'exclude':['Job']},'states':['Failed','CrashLoopBackOff']}" },
          { "owner, states as a rule", OF_EACH_KIND, .expect = "failed other waits young", OWN,
            .args = ONE("'action':'Evict','allowTerminal':true,'select':{'ownerKinds':{'exclude':["
                        "'Job']}},'when':{'any':[{'phases':['Failed']},{'reasons':["
                        "'CrashLoopBackOff']}]}") } },
        { "RemoveFailedPods",
          { "code", .args = "{'exitCodes':[3]}", OF_EACH_KIND, .expect = "failed" },
          { "code as a rule", OF_EACH_KIND, .expect = "failed", OWN,
            .args = WHEN("{'phases':['Failed'],'exitCodes':[3],'olderThan':'1h'}") } },
        { "RemovePodsHavingTooManyRestarts",
          { "restarts", .args = "{'podRestartThreshold':7}", OF_EACH_KIND,
            .expect = "worse waits restarts" },
          { "restarts as a rule", .args = WHEN("{'minRestarts':7}"), OF_EACH_KIND,
            .expect = "restarts waits worse", OWN } },
        { "RemovePodsHavingTooManyRestarts",
          { "waiting", OF_EACH_KIND, .expect = "waits",
            .args = "{'podRestartThreshold':7,'states':['CrashLoopBackOff']}" },
          { "waiting as a rule", OF_EACH_KIND, .expect = "waits", OWN,
            .args = WHEN("{'minRestarts':7,'waitingReasons':['CrashLoopBackOff']}") } },
};

static void test_strategies(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(strategies); i++) {
                scene_run(strategies[i].strategy, &strategies[i].as_strategy, 1);
                scene_run(RULE, &strategies[i].as_rule, 1);
        }
}

static void test_selections(void **state) {
        (void)state;
        scene_run(RULE, selections, ARRAY_LEN(selections));
}
static void test_conditions(void **state) {
        (void)state;
        scene_run(RULE, conditions, ARRAY_LEN(conditions));
}
static void test_retentions(void **state) {
        (void)state;
        scene_run(RULE, retentions, ARRAY_LEN(retentions));
}
static void test_collections(void **state) {
        (void)state;
        scene_run(RULE, collections, ARRAY_LEN(collections));
}
static void test_refusals(void **state) {
        (void)state;
        scene_refuse(RULE, refusals, ARRAY_LEN(refusals));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_selections),  cmocka_unit_test(test_strategies),
                cmocka_unit_test(test_conditions),  cmocka_unit_test(test_retentions),
                cmocka_unit_test(test_collections), cmocka_unit_test(test_refusals),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
