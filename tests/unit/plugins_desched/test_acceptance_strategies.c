/* Acceptance cases 37 to 83, and those about limits: what each strategy wants.  Names begin with
 * their labels. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define ON2 .node = "n2"
#define ON3 .node = "n3"
#define BARE .owner = ""
#define LABELS(text) .meta = "'labels':{" text "}"

/* States of containers: 'containerStatuses' or 'initContainerStatuses'. */
#define STATE(list, name, state) "'" list "':[{'name':'" name "','state':{" state "}}]"
#define WAITING(list, reason) STATE(list, "c", "'waiting':{'reason':'" reason "'}")
#define ENDED(list, code) STATE(list, "c", "'terminated':{'exitCode':" code "}")
#define RESTARTS(list, count) "'" list "':[{'name':'c','restartCount':" count "}]"

static const struct scene_case life_time[] = {
        { "desched-037 older than 600 s", .args = "{'maxPodLifeTimeSeconds':600}",
          .pods = { { "a", .age_s = 605 }, { "b", .age_s = 600 }, { "c", .age_s = 595 } },
          .expect = "a" },
        { "desched-038 succeeded, of a Job", .args = "{'states':['Succeeded']}",
          .pods = { { "a", .owner = "Job/j", .phase = "Succeeded" },
                    { "b", BARE, .phase = "Succeeded" } },
          .expect = "a" },
        { "desched-039 init container, not asked for", .args = "{'states':['CrashLoopBackOff']}",
          .pods = { { "a", .status = WAITING("initContainerStatuses", "CrashLoopBackOff") } },
          .expect = "#0" },
        { "desched-039 init container, asked for",
          .args = "{'states':['CrashLoopBackOff'],'includingInitContainers':true}",
          .pods = { { "a", .status = WAITING("initContainerStatuses", "CrashLoopBackOff") } },
          .expect = "#1" },
        { "desched-040 another state", .args = "{'states':['ContainerCreating']}",
          .pods = { { "a", .status = WAITING("containerStatuses", "ImagePullBackOff") } },
          .expect = "#0" },
        { "desched-041 completed for four hours",
          .args = "{'states':['Succeeded'],'conditions':[{'reason':'PodCompleted','status':'True',"
                  "'minTimeSinceLastTransitionSeconds':14400}]}",
          .pods = { { "a", .owner = "Job/j", .phase = "Succeeded",
                      .status = "'conditions':[{'type':'Initialized','status':'True','reason':"
                                "'PodCompleted','lastTransitionTime':'2026-01-09T20:00:00Z'}]" },
                    { "b", .owner = "Job/j", .phase = "Succeeded",
                      .status = "'conditions':[{'type':'Initialized','status':'True','reason':"
                                "'PodCompleted','lastTransitionTime':'2026-01-09T23:00:00Z'}]" },
                    { "c", .owner = "Job/j", .phase = "Succeeded",
                      .status = "'conditions':[{'type':'Initialized','status':'True','reason':"
                                "'PodCompleted'}]" } },
          .expect = "a" },
        { "desched-042 owner kinds",
          .args = "{'maxPodLifeTimeSeconds':600,'ownerKinds':{'exclude':['Job']}}",
          .pods = { { "a", .owner = "Job/j" }, { "b" } }, .expect = "b" },
        { "desched-043 exit code 1", .args = "{'exitCodes':[1]}",
          .pods = { { "a", .status = ENDED("containerStatuses", "1") },
                    { "b", .status = ENDED("containerStatuses", "137") },
                    { "c", .status = "'containerStatuses':[{'name':'c','state':{'running':{}},"
                                     "'lastState':{'terminated':{'exitCode':1}}}]" } },
          .expect = "a" },
        { "desched-045 the oldest of a node", .args = "{'maxPodLifeTimeSeconds':600}",
          .policy = "'maxNoOfPodsToEvictPerNode':1",
          .pods = { { "a", .age_s = 700 }, { "b", .age_s = 900 }, { "c", .age_s = 800 } },
          .expect = "b" },
};

static const struct scene_case failed[] = {
        { "desched-046 an hour",
          .pods = { { "a", .phase = "Failed", .age_s = 1800 },
                    { "b", .phase = "Failed", .age_s = 3600 } },
          .expect = "b" },
        { "desched-047 another code", .args = "{'exitCodes':[2]}",
          .pods = { { "a", .phase = "Failed", .status = ENDED("containerStatuses", "1") } },
          .expect = "#0" },
        { "desched-048 reason and code of different containers",
          .args = "{'reasons':['OOMKilled'],'exitCodes':[2]}",
          .pods = { { "a", .phase = "Failed",
                      .status = "'containerStatuses':[{'name':'c','state':{'terminated':{"
                                "'exitCode':137,'reason':'OOMKilled'}}},{'name':'d','state':{"
                                "'terminated':{'exitCode':2,'reason':'Error'}}}]" } },
          .expect = "#0", .parity = "#1" },
        { "desched-049 init code, asked for",
          .args = "{'exitCodes':[42],'includingInitContainers':true}",
          .pods = { { "a", .phase = "Failed", .status = ENDED("initContainerStatuses", "42") } },
          .expect = "#1" },
        { "desched-049 init code, not asked for", .args = "{'exitCodes':[42]}",
          .pods = { { "a", .phase = "Failed", .status = ENDED("initContainerStatuses", "42") } },
          .expect = "#0" },
        { "desched-050 reason of the pod", .args = "{'reasons':['Evicted']}",
          .pods = { { "a", .phase = "Failed", .status = "'reason':'Evicted'" } }, .expect = "#1" },
        { "desched-051 excluded owner", .args = "{'excludeOwnerKinds':['ReplicaSet']}",
          .pods = { { "a", .phase = "Failed" } }, .expect = "#0" },
        { "desched-052 running", .pods = { { "a" } }, .expect = "#0" },
};

static const struct scene_case restarts[] = {
        { "desched-053 100 and 99", .args = "{'podRestartThreshold':100}",
          .pods = { { "a", .status = RESTARTS("containerStatuses", "100") },
                    { "b", .status = RESTARTS("containerStatuses", "99") } },
          .expect = "a" },
        { "desched-054 init containers, not asked for", .args = "{'podRestartThreshold':100}",
          .pods = { { "a", .status = RESTARTS("containerStatuses",
                                              "60") "," RESTARTS("initContainerStatuses", "40") } },
          .expect = "#0" },
        { "desched-054 init containers, asked for",
          .args = "{'podRestartThreshold':100,'includingInitContainers':true}",
          .pods = { { "a", .status = RESTARTS("containerStatuses",
                                              "60") "," RESTARTS("initContainerStatuses", "40") } },
          .expect = "#1" },
        { "desched-055 state", .args = "{'podRestartThreshold':100,'states':['CrashLoopBackOff']}",
          .pods = { { "a", .status = RESTARTS("containerStatuses", "100") } }, .expect = "#0" },
        { "desched-056 the most first", .args = "{'podRestartThreshold':100}",
          .policy = "'maxNoOfPodsToEvictPerNode':1",
          .pods = { { "a", .status = RESTARTS("containerStatuses", "150") },
                    { "b", .status = RESTARTS("containerStatuses", "200") } },
          .expect = "b" },
};

#define TAINT(members)                                                                             \
        { .name = "n1", .spec = "'taints':[{" members "}]" }
static const struct scene_case taints[] = {
        { "desched-058 NoExecute",
          .nodes = { TAINT("'key':'t','effect':'NoExecute'"), { .name = "n2" } },
          .pods = { { "a" } }, .expect = "#0" },
        { "desched-059 PreferNoSchedule off",
          .nodes = { TAINT("'key':'t','effect':'PreferNoSchedule'"), { .name = "n2" } },
          .pods = { { "a" } }, .expect = "#0" },
        { "desched-059 PreferNoSchedule on", .args = "{'includePreferNoSchedule':true}",
          .nodes = { TAINT("'key':'t','effect':'PreferNoSchedule'"), { .name = "n2" } },
          .pods = { { "a" } }, .expect = "#1" },
        { "desched-060 excluded value", .args = "{'excludedTaints':['k=v']}",
          .nodes = { TAINT("'key':'k','value':'v','effect':'NoSchedule'"), { .name = "n2" } },
          .pods = { { "a" } }, .expect = "#0" },
        { "desched-060 another value", .args = "{'excludedTaints':['k=v']}",
          .nodes = { TAINT("'key':'k','value':'w','effect':'NoSchedule'"), { .name = "n2" } },
          .pods = { { "a" } }, .expect = "#1" },
        { "desched-061 includedTaints []", .args = "{'includedTaints':[]}",
          .nodes = { TAINT("'key':'t','effect':'NoSchedule'"), { .name = "n2" } },
          .pods = { { "a" } }, .expect = "#1", .parity = "#0" },
        { "desched-062 satisfied Gt",
          .nodes = { TAINT("'key':'level','value':'10','effect':'NoSchedule'"), { .name = "n2" } },
          .pods = { { "a", .spec = "'tolerations':[{'key':'level','operator':'Gt','value':'5',"
                                   "'effect':'NoSchedule'}]" } },
          .expect = "#0" },
};

#define REQUIRED "{'nodeAffinityType':['requiredDuringSchedulingIgnoredDuringExecution']}"
#define PREFERRED "{'nodeAffinityType':['preferredDuringSchedulingIgnoredDuringExecution']}"
#define IN_SSD "{'matchExpressions':[{'key':'disk','operator':'In','values':['ssd']}]}"
#define NEEDS_SSD                                                                                  \
        .spec = "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"   \
                "'nodeSelectorTerms':[" IN_SSD "]}}}"
#define LIKES_SSD                                                                                  \
        .spec = "'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':["  \
                "{'weight':10,'preference':" IN_SSD "}]}}"
#define SSD .labels = "'disk':'ssd'"
static const struct scene_case affinity[] = {
        { "desched-063 n2 fits", .args = REQUIRED,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD } }, .pods = { { "a", NEEDS_SSD } },
          .expect = "#1" },
        { "desched-063 n2 cordoned", .args = REQUIRED,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD, .spec = "'unschedulable':true" } },
          .pods = { { "a", NEEDS_SSD } }, .expect = "#0" },
        { "desched-064 node selector only", .args = REQUIRED,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD } },
          .pods = { { "a", .spec = "'nodeSelector':{'disk':'ssd'}" } }, .expect = "#0" },
        { "desched-065 10 on n2", .args = PREFERRED,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD } }, .pods = { { "a", LIKES_SSD } },
          .expect = "#1" },
        { "desched-065 equal", .args = PREFERRED,
          .nodes = { { .name = "n1", SSD }, { .name = "n2", SSD } }, .pods = { { "a", LIKES_SSD } },
          .expect = "#0" },
        { "desched-065 n2 cordoned", .args = PREFERRED,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD, .spec = "'unschedulable':true" } },
          .pods = { { "a", LIKES_SSD } }, .expect = "#0", .parity = "#1" },
};

#define APART_OVER(key, app)                                                                       \
        "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{"       \
        "'labelSelector':{'matchLabels':{'app':'" app "'}},'topologyKey':'" key "'}]}}"
#define APART(app) APART_OVER("kubernetes.io/hostname", app)
#define APP(name) LABELS("'app':'" name "'")
static const struct scene_case anti_affinity[] = {
        { "desched-067 three rule owners and one with the label",
          .pods = { { "a", .spec = APART("x") },
                    { "b", .spec = APART("x") },
                    { "c", .spec = APART("x") },
                    { "x", APP("x") } },
          .expect = "#3" },
        { "desched-068 the lowest of three",
          .pods = { { "a", APP("a"), .spec = "'priority':100," APART("c") },
                    { "b", APP("b"), .spec = "'priority':50," APART("c") },
                    { "c", APP("c"), .spec = "'priority':0," APART("a") } },
          .expect = "c" },
        { "desched-069 against a critical pod",
          .pods = { { "a", APP("x"), .spec = APART("x") },
                    { "b", APP("x"), .spec = "'priority':2000000000," APART("x") } },
          .expect = "a" },
        { "desched-070 one region on two nodes",
          .nodes = { { .name = "n1", .labels = "'region':'r'" },
                     { .name = "n2", .labels = "'region':'r'" } },
          .pods = { { "a", .spec = APART_OVER("region", "x") }, { "x", ON2, APP("x") } },
          .expect = "a" },
        { "desched-070 two regions",
          .nodes = { { .name = "n1", .labels = "'region':'r'" },
                     { .name = "n2", .labels = "'region':'s'" } },
          .pods = { { "a", .spec = APART_OVER("region", "x") }, { "x", ON2, APP("x") } },
          .expect = "#0" },
};

#define THREE .nodes = { { .name = "n1" }, { .name = "n2" }, { .name = "n3" } }
#define CLOSED(n)                                                                                  \
        { .name = n, .spec = "'taints':[{'key':'t','effect':'NoSchedule'}]" }
static const struct scene_case duplicates[] = {
        { "desched-071 (5,3,1)", THREE,
          .pods = { { "a", .count = 5 }, { "b", ON2, .count = 3 }, { "c", ON3 } }, .expect = "#2" },
        { "desched-072 (2,0,0)", THREE, .pods = { { "a", .count = 2 } }, .expect = "#1" },
        { "desched-073 different images", THREE,
          .pods = { { "a", .container = "'image':'x'" }, { "b", .container = "'image':'y'" } },
          .expect = "#0" },
        { "desched-074 excluded kind", .args = "{'excludeOwnerKinds':['ReplicaSet']}", THREE,
          .pods = { { "a", .count = 2 } }, .expect = "#0" },
        { "desched-075 three nodes more, tainted",
          .nodes = { { .name = "n1" },
                     { .name = "n2" },
                     { .name = "n3" },
                     CLOSED("n4"),
                     CLOSED("n5"),
                     CLOSED("n6") },
          .pods = { { "a", .count = 5 }, { "b", ON2, .count = 3 }, { "c", ON3 } }, .expect = "#2" },
        { "desched-076 one target", .nodes = { { .name = "n1" }, CLOSED("n2") },
          .pods = { { "a", .count = 5 } }, .expect = "#0" },
};

#define SPREAD_OVER(action, more)                                                                  \
        .meta = "'labels':{'app':'a'}",                                                            \
        .spec = "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone',"                  \
                "'whenUnsatisfiable':'" action                                                     \
                "','labelSelector':{'matchLabels':{'app':'a'}}" more "}]"
#define SPREAD SPREAD_OVER("DoNotSchedule", "")
#define SOFT SPREAD_OVER("ScheduleAnyway", "")
#define ZONE(n, z)                                                                                 \
        { .name = n, .labels = "'zone':'" z "'" }
#define ZONES .nodes = { ZONE("n1", "a"), ZONE("n2", "b"), ZONE("n3", "c"), ZONE("n4", "d") }
#define ZONES_2 .nodes = { ZONE("n1", "a"), ZONE("n2", "b") }
#define SMALL .container = "'resources':{'requests':{'cpu':'100m'}}"
#define HASH(value)                                                                                \
        .meta = "'labels':{'app':'a','hash':'" value "'}",                                         \
        .spec = "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone',"                  \
                "'whenUnsatisfiable':'DoNotSchedule','labelSelector':{'matchLabels':{'app':'a'}}," \
                "'matchLabelKeys':['hash']}]"
#define RANKED(priority)                                                                           \
        .meta = "'labels':{'app':'a'}",                                                            \
        .spec = "'priority':" priority ",'topologySpreadConstraints':[{'maxSkew':1,"               \
                "'topologyKey':'zone','whenUnsatisfiable':'DoNotSchedule','labelSelector':{"       \
                "'matchLabels':{'app':'a'}}}]"
static const struct scene_case spread[] = {
        { "desched-077 [3,1]", ZONES_2,
          .pods = { { "a", SPREAD, .count = 3 }, { "b", ON2, SPREAD } }, .expect = "#1" },
        { "desched-077 [2,1]", ZONES_2,
          .pods = { { "a", SPREAD, .count = 2 }, { "b", ON2, SPREAD } }, .expect = "#0" },
        { "desched-077 [4,0]", ZONES_2, .pods = { { "a", SPREAD, .count = 4 } }, .expect = "#2" },
        { "desched-077 [8,7,0]", .nodes = { ZONE("n1", "a"), ZONE("n2", "b"), ZONE("n3", "c") },
          .pods = { { "a", SPREAD, SMALL, .count = 8 }, { "b", ON2, SPREAD, SMALL, .count = 7 } },
          .expect = "#5" },
        { "desched-077 [0,1,3,5]", ZONES,
          .pods = { { "b", ON2, SPREAD, SMALL },
                    { "c", ON3, SPREAD, SMALL, .count = 3 },
                    { "d", .node = "n4", SPREAD, SMALL, .count = 5 } },
          .expect = "#3" },
        { "desched-078 soft, by default", ZONES_2, .pods = { { "a", SOFT, .count = 4 } },
          .expect = "#0" },
        { "desched-078 soft, listed", .args = "{'constraints':['DoNotSchedule','ScheduleAnyway']}",
          ZONES_2, .pods = { { "a", SOFT, .count = 4 } }, .expect = "#2" },
        { "desched-079 no room",
          .nodes = { ZONE("n1", "a"),
                     { .name = "n2",
                       .labels = "'zone':'b'",
                       .status = "'allocatable':{'cpu':'100m','memory':'3000','pods':'10'}" } },
          .pods = { { "a", SPREAD, .count = 3 }, { "b", ON2, SPREAD, SMALL } }, .expect = "#0" },
        { "desched-079 not tolerated",
          .nodes = { ZONE("n1", "a"),
                     { .name = "n2",
                       .labels = "'zone':'b'",
                       .spec = "'taints':[{'key':'t','effect':'NoSchedule'}]" } },
          .pods = { { "a", SPREAD, .count = 3 }, { "b", ON2, SPREAD } }, .expect = "#0" },
        { "desched-079 no room, not asked", .args = "{'topologyBalanceNodeFit':false}",
          .nodes = { ZONE("n1", "a"),
                     { .name = "n2",
                       .labels = "'zone':'b'",
                       .status = "'allocatable':{'cpu':'100m','memory':'3000','pods':'10'}" } },
          .pods = { { "a", SPREAD, .count = 3 }, { "b", ON2, SPREAD, SMALL } }, .expect = "#1" },
        { "desched-080 two hashes", ZONES_2, .pods = { { "a", HASH("x") }, { "b", HASH("y") } },
          .expect = "#0" },
        { "desched-080 one hash", ZONES_2, .pods = { { "a", HASH("x"), .count = 2 } },
          .expect = "#1" },
        { "desched-081 two of four end", ZONES_2,
          .pods = { { "a", SPREAD, .count = 2 },
                    { "t", .count = 2,
                      .spec = "'topologySpreadConstraints':[{'maxSkew':1,"
                              "'topologyKey':'zone','whenUnsatisfiable':"
                              "'DoNotSchedule','labelSelector':{'matchLabels':{"
                              "'app':'a'}}}]",
                      .meta = "'labels':{'app':'a'},'deletionTimestamp':'2026-01-09T23:59:00Z'" },
                    { "b", ON2, SPREAD, .count = 2 } },
          .expect = "#0" },
        { "desched-082 pods nobody may evict count", ZONES_2,
          .pods = { { "a", SPREAD, .count = 3 }, { "b", ON2, BARE, SPREAD, .count = 3 } },
          .expect = "#0", .parity = "#1" },
        { "desched-083 who goes", ZONES_2,
          .pods = { { "low", RANKED("1") },
                    { "mid", RANKED("50") },
                    { "high", RANKED("100") },
                    { "b", ON2, RANKED("1") } },
          .expect = "low", .parity = "high" },
};

static const struct scene_refusal life_time_refusals[] = {
        { "desched-044 no criterion", "{}", "at least one of", NULL },
        { "desched-044 state", "{'states':['Sleeping']}", "Sleeping", NULL },
        { "desched-044 empty condition", "{'conditions':[{}]}", "at least one field", NULL },
};
static const struct scene_refusal restarts_refusals[] = {
        { "desched-057 threshold 0", "{'podRestartThreshold':0}", "podRestartThreshold", NULL },
};
static const struct scene_refusal affinity_refusals[] = {
        { "desched-066 no types", "{}", "nodeAffinityType", NULL },
};

#define TEST(noun, rule)                                                                           \
        static void test_##noun(void **state) {                                                    \
                (void)state;                                                                       \
                scene_run(rule, noun, ARRAY_LEN(noun));                                            \
        }
TEST(life_time, "PodLifeTime")
TEST(failed, "RemoveFailedPods")
TEST(restarts, "RemovePodsHavingTooManyRestarts")
TEST(taints, "RemovePodsViolatingNodeTaints")
TEST(affinity, "RemovePodsViolatingNodeAffinity")
TEST(anti_affinity, "RemovePodsViolatingInterPodAntiAffinity")
TEST(duplicates, "RemoveDuplicates")
TEST(spread, "RemovePodsViolatingTopologySpreadConstraint")

/* Limits of the policy, and dry run: the same for every strategy. */
#define OLD .args = "{'maxPodLifeTimeSeconds':600}"
static const struct scene_case limits[] = {
        { "desched-102 total 0", OLD, .policy = "'maxNoOfPodsToEvictTotal':0",
          .pods = { { "a" }, { "b", ON2 } }, .expect = "#0" },
        { "desched-103 one for each node", OLD, .policy = "'maxNoOfPodsToEvictPerNode':1",
          .pods = { { "a", .count = 3 }, { "b", ON2 } }, .expect = "a-1 b" },
        { "desched-104 one for each namespace", OLD, .policy = "'maxNoOfPodsToEvictPerNamespace':1",
          .pods = { { "a", .ns = "x", .count = 2 }, { "b", .ns = "y", .count = 2 } },
          .expect = "a-1 b-1" },
        { "desched-107 dry run", OLD, .is_dry_run = true, .pods = { { "a" }, { "b", ON2 } },
          .expect = "a b" },
};

static void test_limits(void **state) {
        (void)state;
        scene_run("PodLifeTime", limits, ARRAY_LEN(limits));
}
static void test_refusals(void **state) {
        (void)state;
        scene_refuse("PodLifeTime", life_time_refusals, ARRAY_LEN(life_time_refusals));
        scene_refuse("RemovePodsHavingTooManyRestarts", restarts_refusals,
                     ARRAY_LEN(restarts_refusals));
        scene_refuse("RemovePodsViolatingNodeAffinity", affinity_refusals,
                     ARRAY_LEN(affinity_refusals));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_life_time),  cmocka_unit_test(test_failed),
                cmocka_unit_test(test_restarts),   cmocka_unit_test(test_taints),
                cmocka_unit_test(test_affinity),   cmocka_unit_test(test_anti_affinity),
                cmocka_unit_test(test_duplicates), cmocka_unit_test(test_spread),
                cmocka_unit_test(test_limits),     cmocka_unit_test(test_refusals),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
