/* PodLifeTime. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "PodLifeTime"
#define AGE(more) "{'maxPodLifeTimeSeconds':600" more "}"
#define WAITS(list, why) "'" list "':[{'name':'c','state':{'waiting':{'reason':'" why "'}}}]"
#define ENDED(list, code)                                                                          \
        "'" list "':[{'name':'c','state':{'terminated':{'reason':'Error','exitCode':" code "}}}]"
#define CONDITION(members) "'conditions':[{'type':'Ready','status':'False'}" members "]"

static const struct scene_case ages[] = {
        { "older than the maximum", .args = AGE(""),
          .pods = { { "above", .age_s = 605 }, { "at", .age_s = 600 }, { "below", .age_s = 595 } },
          .expect = "above" },
        { "created later", .args = AGE(""), .pods = { { "p", .age_s = -700 } }, .expect = "" },
        { "oldest first over all nodes", .args = AGE(""), .policy = "'maxNoOfPodsToEvictTotal':2",
          .pods = { { "a", .age_s = 700 },
                    { "b", .node = "n2", .age_s = 900 },
                    { "c", .age_s = 800 } },
          .expect = "b c" },
        { "node limit leaves the oldest", .args = AGE(""),
          .policy = "'maxNoOfPodsToEvictPerNode':1",
          .pods = { { "a", .age_s = 700 },
                    { "b", .node = "n2", .age_s = 900 },
                    { "c", .age_s = 800 } },
          .expect = "b c" },
        { "D9 equal ages by namespace and name", .args = AGE(""),
          .pods = { { "b" }, { "c", .ns = "a" }, { "a" } }, .expect = "c a b" },
        { "age alone and finished pods", .args = AGE(""),
          .pods = { { "p", .phase = "Succeeded" }, { "q", .phase = "Failed" } }, .expect = "",
          .parity = "p q" },
        { "finished pods, opted in", .args = AGE(",'allowTerminal':true"),
          .pods = { { "p", .phase = "Succeeded" }, { "q", .phase = "Failed" } }, .expect = "p q" },
        { "finished pods, ruled out though a code is named",
          .args = "{'exitCodes':[3],'allowTerminal':false}",
          .pods = { { "p", .phase = "Failed", .status = ENDED("containerStatuses", "3") },
                    { "q", .status = ENDED("containerStatuses", "3") } },
          .expect = "q" },
        { "another container's 0 is no failure",
          .args = "{'exitCodes':['!42'],'includingInitContainers':true}",
          .pods = { { "p", .phase = "Failed",
                      .status = ENDED("containerStatuses", "42") "," ENDED("initContainerStatuses",
                                                                           "0") },
                    { "q", .phase = "Failed", .status = ENDED("containerStatuses", "1") } },
          .expect = "q", .parity = SCENE_NO_PARITY },
};

static const struct scene_case states[] = {
        { "phase", .args = "{'states':['Succeeded']}",
          .pods = { { "p", .phase = "Succeeded" }, { "q" } }, .expect = "p" },
        { "bare succeeded pods stay", .args = "{'states':['Succeeded']}",
          .pods = { { "p", .phase = "Succeeded", .owner = "" },
                    { "q", .phase = "Succeeded", .owner = "Job/j" } },
          .expect = "q" },
        { "reason of the pod", .args = "{'states':['Shutdown']}",
          .pods = { { "p", .phase = "Failed", .status = "'reason':'Shutdown'" } }, .expect = "p" },
        { "waiting", .args = "{'states':['ImagePullBackOff']}",
          .pods = { { "p", .status = WAITS("containerStatuses", "ImagePullBackOff") },
                    { "q", .status = WAITS("containerStatuses", "ContainerCreating") } },
          .expect = "p" },
        { "init, not asked", .args = "{'states':['CrashLoopBackOff']}",
          .pods = { { "p", .status = WAITS("initContainerStatuses", "CrashLoopBackOff") } },
          .expect = "" },
        { "init", .args = "{'states':['CrashLoopBackOff'],'includingInitContainers':true}",
          .pods = { { "p", .status = WAITS("initContainerStatuses", "CrashLoopBackOff") } },
          .expect = "p" },
        { "ephemeral, not asked",
          .args = "{'states':['CrashLoopBackOff'],'includingInitContainers':true}",
          .pods = { { "p", .status = WAITS("ephemeralContainerStatuses", "CrashLoopBackOff") } },
          .expect = "" },
        { "ephemeral",
          .args = "{'states':['CrashLoopBackOff'],'includingEphemeralContainers':true}",
          .pods = { { "p", .status = WAITS("ephemeralContainerStatuses", "CrashLoopBackOff") } },
          .expect = "p" },
        { "states are alternatives", .args = "{'states':['Failed','OOMKilled']}",
          .pods = { { "p", .phase = "Failed" } }, .expect = "p" },
        { "categories are not", .args = AGE(",'states':['Pending']"),
          .pods = { { "p", .phase = "Pending", .age_s = 500 },
                    { "q", .phase = "Running" },
                    { "r", .phase = "Pending" } },
          .expect = "r" },
};

static const struct scene_case conditions[] = {
        { "type and status", .args = "{'conditions':[{'type':'Ready','status':'False'}]}",
          .pods = { { "p", .status = CONDITION("") },
                    { "q", .status = "'conditions':[{'type':'Ready','status':'True'}]" },
                    { "r" } },
          .expect = "p" },
        { "one condition must agree on all",
          .args = "{'conditions':[{'type':'Ready','reason':'X'}]}",
          .pods = { { "p",
                      .status = CONDITION(",{'type':'Other','status':'True','reason':'X'}") } },
          .expect = "" },
        { "time since the transition",
          .args = "{'conditions':[{'reason':'PodCompleted',"
                  "'minTimeSinceLastTransitionSeconds':14400}]}",
          .pods = { { "at", .phase = "Succeeded",
                      .status = "'conditions':[{'type':'Ready','status':'False','reason':"
                                "'PodCompleted','lastTransitionTime':'2026-01-09T20:00:00Z'}]" },
                    { "recent", .phase = "Succeeded",
                      .status = "'conditions':[{'type':'Ready','status':'False','reason':"
                                "'PodCompleted','lastTransitionTime':'2026-01-09T23:00:00Z'}]" },
                    { "without", .phase = "Succeeded",
                      .status = "'conditions':[{'type':'Ready','status':'False','reason':"
                                "'PodCompleted'}]" } },
          .expect = "at" },
        { "owner kinds excluded", .args = AGE(",'ownerKinds':{'exclude':['Job']}"),
          .pods = { { "p", .owner = "Job/j" }, { "q" } }, .expect = "q" },
        { "owner kinds included", .args = AGE(",'ownerKinds':{'include':['Job']}"),
          .pods = { { "p", .owner = "Job/j" }, { "q" } }, .expect = "p" },
        { "exit code", .args = "{'exitCodes':[1]}",
          .pods = { { "p", .phase = "Failed", .status = ENDED("containerStatuses", "1") },
                    { "q", .phase = "Failed", .status = ENDED("containerStatuses", "137") },
                    { "r", .phase = "Failed", .status = ENDED("initContainerStatuses", "1") } },
          .expect = "p" },
        { "exit code, never of ephemeral containers",
          .args = "{'exitCodes':[1],'includingEphemeralContainers':true}",
          .pods = { { "p", .status = ENDED("ephemeralContainerStatuses", "1") } }, .expect = "" },
        { "exit code of init containers",
          .args = "{'exitCodes':[1],'includingInitContainers':true}",
          .pods = { { "p", .status = ENDED("initContainerStatuses", "1") } }, .expect = "p" },
};

static const struct scene_refusal refusals[] = {
        { "nothing", "{}", "at least one of", NULL },
        { "age 0", "{'maxPodLifeTimeSeconds':0}", NULL, NULL },
        { "negative", "{'maxPodLifeTimeSeconds':-1}", "maxPodLifeTimeSeconds", NULL },
        { "state", "{'states':['Sleeping']}", "Sleeping", NULL },
        { "condition", "{'conditions':[{}]}", "condition 0", NULL },
        { "condition with time only", "{'conditions':[{'minTimeSinceLastTransitionSeconds':5}]}",
          NULL, NULL },
        { "owner kinds", AGE(",'ownerKinds':{'include':['a'],'exclude':['b']}"), "ownerKinds",
          NULL },
        { "nested", AGE(",'ownerKinds':{'includes':['a']}"), "includes", NULL },
        { "range", "{'exitCodes':['2-5']}", NULL, "exitCodes[0]" },
};

static void test_ages(void **state) {
        (void)state;
        scene_run(RULE, ages, ARRAY_LEN(ages));
}
static void test_states(void **state) {
        (void)state;
        scene_run(RULE, states, ARRAY_LEN(states));
}
static void test_conditions(void **state) {
        (void)state;
        scene_run(RULE, conditions, ARRAY_LEN(conditions));
}
static void test_refusals(void **state) {
        (void)state;
        scene_refuse(RULE, refusals, ARRAY_LEN(refusals));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_ages),
                cmocka_unit_test(test_states),
                cmocka_unit_test(test_conditions),
                cmocka_unit_test(test_refusals),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
