/* DefaultEvictor, rule by rule, both sides; asked through RemovePodsViolatingNodeTaints on a node
 * with a taint nobody tolerates. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "RemovePodsViolatingNodeTaints"
#define TAINTED                                                                                    \
        { .name = "n1", .spec = "'taints':[{'key':'t','effect':'NoSchedule'}]" }
#define NODES .nodes = { TAINTED, { .name = "n2" } }
#define FAILED .phase = "Failed"
/* Finished pods are not running: seen through another rule. */
#define CLAIM "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'data'}}]"
#define CLAIM_OF(class)                                                                            \
        "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'data'},"        \
        "'spec':{" class "}}"
#define PROTECT_PVC "{'podProtections':{'extraEnabled':['PodsWithPVC']}}"
#define PROTECT_GOLD                                                                               \
        "{'podProtections':{'extraEnabled':['PodsWithPVC'],'config':{'PodsWithPVC':{"              \
        "'protectedStorageClasses':[{'name':'gold'}]}}}}"
#define OFF(name) "{'podProtections':{'defaultDisabled':['" name "']}}"
#define ANNOTATED(key, value)                                                                      \
        "'annotations':{'descheduler.alpha.kubernetes.io/" key "':'" value "'}"

static const struct scene_case kinds[] = {
        { "replica", NODES, .pods = { { "p" } }, .expect = "p" },
        { "no owner", NODES, .pods = { { "p", .owner = "" } }, .expect = "" },
        { "mirror", NODES,
          .pods = { { "p", .meta = "'annotations':{'kubernetes.io/config.mirror':'x'}" } },
          .expect = "" },
        { "static from a file", NODES,
          .pods = { { "p", .meta = "'annotations':{'kubernetes.io/config.source':'file'}" } },
          .expect = "" },
        { "from the API", NODES,
          .pods = { { "p", .meta = "'annotations':{'kubernetes.io/config.source':'api'}" } },
          .expect = "p" },
        { "terminating", NODES,
          .pods = { { "p", .meta = "'deletionTimestamp':'2026-01-09T23:59:00Z'" } }, .expect = "" },
        { "of a DaemonSet", NODES, .pods = { { "p", .owner = "DaemonSet/d" } }, .expect = "" },
        { "of a DaemonSet, allowed", .evictor = OFF("DaemonSetPods"), NODES,
          .pods = { { "p", .owner = "DaemonSet/d" } }, .expect = "p" },
        { "of a DaemonSet, allowed as of old", .evictor = "{'evictDaemonSetPods':true}", NODES,
          .pods = { { "p", .owner = "DaemonSet/d" } }, .expect = "p" },
        { "emptyDir", NODES, .pods = { { "p", .spec = "'volumes':[{'name':'v','emptyDir':{}}]" } },
          .expect = "" },
        { "hostPath", NODES,
          .pods = { { "p", .spec = "'volumes':[{'name':'v','hostPath':{'path':'/x'}}]" } },
          .expect = "" },
        { "config map", NODES,
          .pods = { { "p", .spec = "'volumes':[{'name':'v','configMap':{'name':'x'}}]" } },
          .expect = "p" },
        { "emptyDir, allowed", .evictor = OFF("PodsWithLocalStorage"), NODES,
          .pods = { { "p", .spec = "'volumes':[{'name':'v','emptyDir':{}}]" } }, .expect = "p" },
        { "emptyDir, allowed as of old", .evictor = "{'evictLocalStoragePods':true}", NODES,
          .pods = { { "p", .spec = "'volumes':[{'name':'v','emptyDir':{}}]" },
                    { "q", .owner = "DaemonSet/d" } },
          .expect = "p" },
        { "resource claim", NODES, .pods = { { "p", .spec = "'resourceClaims':[{'name':'r'}]" } },
          .expect = "p" },
        { "resource claim, protected",
          .evictor = "{'podProtections':{'extraEnabled':['PodsWithResourceClaims']}}", NODES,
          .pods = { { "p", .spec = "'resourceClaims':[{'name':'r'}]" } }, .expect = "" },
};

static const struct scene_case claims[] = {
        { "claim", NODES, .pods = { { "p", .spec = CLAIM } }, .expect = "p" },
        { "claim, protected", .evictor = PROTECT_PVC, NODES, .pods = { { "p", .spec = CLAIM } },
          .objects = { CLAIM_OF("'storageClassName':'tin'") }, .expect = "" },
        { "other class", .evictor = PROTECT_GOLD, NODES, .pods = { { "p", .spec = CLAIM } },
          .objects = { CLAIM_OF("'storageClassName':'tin'") }, .expect = "p" },
        { "protected class", .evictor = PROTECT_GOLD, NODES, .pods = { { "p", .spec = CLAIM } },
          .objects = { CLAIM_OF("'storageClassName':'gold'") }, .expect = "" },
        { "claim without class", .evictor = PROTECT_GOLD, NODES, .pods = { { "p", .spec = CLAIM } },
          .objects = { CLAIM_OF("") }, .expect = "" },
        { "claim missing", .evictor = PROTECT_GOLD, NODES, .pods = { { "p", .spec = CLAIM } },
          .expect = "" },
        { "no claim", .evictor = PROTECT_GOLD, NODES, .pods = { { "p" } }, .expect = "p" },
};

static const struct scene_case priorities[] = {
        { "critical", NODES, .pods = { { "p", .spec = "'priority':2000000000" } }, .expect = "" },
        { "nearly critical", NODES, .pods = { { "p", .spec = "'priority':1999999999" } },
          .expect = "p" },
        { "critical, allowed, above the threshold",
          .evictor = "{'podProtections':{'defaultDisabled':['SystemCriticalPods']},"
                     "'priorityThreshold':{'value':100}}",
          NODES, .pods = { { "p", .spec = "'priority':2000000000" } }, .expect = "p" },
        { "at, below and without the threshold", .evictor = "{'priorityThreshold':{'value':100}}",
          NODES,
          .pods = { { "at", .spec = "'priority':100" },
                    { "below", .spec = "'priority':99" },
                    { "none" } },
          .expect = "below none" },
        { "threshold by name", .evictor = "{'priorityThreshold':{'name':'high'}}", NODES,
          .pods = { { "at", .spec = "'priority':50" }, { "below", .spec = "'priority':49" } },
          .objects = { "{'kind':'PriorityClass','metadata':{'name':'high'},'value':50}" },
          .expect = "below" },
};

static const struct scene_case selectors[] = {
        { "labels", .evictor = "{'labelSelector':{'matchLabels':{'app':'a'}}}", NODES,
          .pods = { { "a", .meta = "'labels':{'app':'a'}" },
                    { "b", .meta = "'labels':{'app':'b'}" } },
          .expect = "a" },
        { "namespace labels, not bypassed by the annotation",
          .evictor = "{'namespaceLabelSelector':{'matchLabels':{'team':'x'}}}", NODES,
          .pods = { { "a", .ns = "x" },
                    { "b", .ns = "y" },
                    { "c", .ns = "y", .meta = ANNOTATED("evict", "true") } },
          .objects = { "{'kind':'Namespace','metadata':{'name':'x','labels':{'team':'x'}}}",
                       "{'kind':'Namespace','metadata':{'name':'y'}}" },
          .expect = "a" },
        { "two replicas of two", .evictor = "{'minReplicas':2}", NODES,
          .pods = { { "a" }, { "b", .node = "n2" } }, .expect = "a" },
        { "one replica of two", .evictor = "{'minReplicas':2}", NODES, .pods = { { "a" } },
          .expect = "" },
        { "a finished replica counts", .evictor = "{'minReplicas':2}", NODES,
          .pods = { { "a" }, { "b", .node = "n2", .phase = "Succeeded" } }, .expect = "a" },
        { "two owners", .evictor = "{'minReplicas':2}", NODES,
          .pods = { { "a", .owner = "",
                      .meta = "'ownerReferences':[{'kind':'X','name':'x','uid':'x'},{'kind':'Y',"
                              "'name':'y','uid':'y'}]" } },
          .expect = "a" },
        { "age since start", .evictor = "{'minPodAge':'50m'}", NODES,
          .pods = { { "young", .status = "'startTime':'2026-01-09T23:50:00Z'" },
                    { "old", .status = "'startTime':'2026-01-09T23:00:00Z'" },
                    { "unstarted" } },
          .expect = "old" },
};

static const struct scene_case annotations[] = {
        { "evict bypasses", NODES,
          .pods = { { "p", .owner = "", .meta = ANNOTATED("evict", "true") } }, .expect = "p" },
        { "D7 evict is false", NODES,
          .pods = { { "p", .owner = "", .meta = ANNOTATED("evict", "false") } }, .expect = "",
          .parity = "p" },
        { "D7 evict, terminating", NODES,
          .pods = { { "p",
                      .meta = ANNOTATED("evict",
                                        "true") ",'deletionTimestamp':'2026-01-09T23:59:00Z'" } },
          .expect = "", .parity = "p" },
        { "prefers to stay", NODES,
          .pods = { { "p", .meta = ANNOTATED("prefer-no-eviction", "") } }, .expect = "p" },
        { "must stay", .evictor = "{'noEvictionPolicy':'Mandatory'}", NODES,
          .pods = { { "p", .meta = ANNOTATED("prefer-no-eviction", "") }, { "q" } },
          .expect = "q" },
        { "must stay, but evict", .evictor = "{'noEvictionPolicy':'Mandatory'}", NODES,
          .pods = { { "p", .meta = "'annotations':{'descheduler.alpha.kubernetes.io/"
                                   "prefer-no-eviction':'','descheduler.alpha.kubernetes.io/evict':"
                                   "''}" } },
          .expect = "p" },
};

#define BUDGET(selector)                                                                           \
        "{'kind':'PodDisruptionBudget','metadata':{'namespace':'default','name':'b'},'spec':"      \
        "{" selector "}}"
static const struct scene_case budgets[] = {
        { "D1 covered", .evictor = "{'ignorePodsWithoutPDB':true}", NODES,
          .pods = { { "p", .meta = "'labels':{'app':'a'}" } },
          .objects = { BUDGET("'selector':{'matchLabels':{'app':'a'}}") }, .expect = "p",
          .parity = "" },
        { "D1 covered, dry run", .evictor = "{'ignorePodsWithoutPDB':true}", NODES,
          .is_dry_run = true, .pods = { { "p", .meta = "'labels':{'app':'a'}" } },
          .objects = { BUDGET("'selector':{'matchLabels':{'app':'a'}}") }, .expect = "p" },
        { "uncovered", .evictor = "{'ignorePodsWithoutPDB':true}", NODES,
          .pods = { { "p", .meta = "'labels':{'app':'b'}" } },
          .objects = { BUDGET("'selector':{'matchLabels':{'app':'a'}}") }, .expect = "" },
        { "empty selector covers all", .evictor = "{'ignorePodsWithoutPDB':true}", NODES,
          .pods = { { "p" } }, .objects = { BUDGET("'selector':{}") }, .expect = "p",
          .parity = "" },
        { "no selector covers none", .evictor = "{'ignorePodsWithoutPDB':true}", NODES,
          .pods = { { "p" } }, .objects = { BUDGET("'minAvailable':1") }, .expect = "" },
};

#define FIT .evictor = "{'nodeFit':true}"
static const struct scene_case fits[] = {
        { "fits", FIT, NODES, .pods = { { "p" } }, .expect = "p" },
        { "cordoned", FIT, .nodes = { TAINTED, { .name = "n2", .spec = "'unschedulable':true" } },
          .pods = { { "p" } }, .expect = "" },
        { "node selector", FIT, NODES, .pods = { { "p", .spec = "'nodeSelector':{'disk':'ssd'}" } },
          .expect = "" },
        { "taint", FIT,
          .nodes = { TAINTED,
                     { .name = "n2", .spec = "'taints':[{'key':'x','effect':'NoExecute'}]" } },
          .pods = { { "p" } }, .expect = "" },
        { "too little free", FIT, NODES,
          .pods = { { "p" },
                    { "q", .node = "n2",
                      .container = "'resources':{'requests':{'cpu':'3700m'}}" } },
          .expect = "" },
        { "finished pods take nothing", FIT, NODES,
          .pods = { { "p" },
                    { "q", .node = "n2", .phase = "Failed",
                      .container = "'resources':{'requests':{'cpu':'3700m'}}" } },
          .expect = "p" },
        { "no slot", FIT,
          .nodes = { TAINTED,
                     { .name = "n2",
                       .status = "'allocatable':{'cpu':'4','memory':'3000','pods':'0'}" } },
          .pods = { { "p" } }, .expect = "" },
        { "unknown resource", FIT, NODES,
          .pods = { { "p", .container = "'resources':{'requests':{'x.io/gpu':'1'}}" } },
          .expect = "" },
        { "anti-affinity", FIT, NODES,
          .pods = { { "p", .spec = "'affinity':{'podAntiAffinity':{"
                                   "'requiredDuringSchedulingIgnoredDuringExecution':[{"
                                   "'labelSelector':{'matchLabels':{'app':'q'}},'topologyKey':"
                                   "'kubernetes.io/hostname'}]}}" },
                    { "q", .node = "n2", .meta = "'labels':{'app':'q'}" } },
          .expect = "" },
        { "a third node", FIT,
          .nodes = { TAINTED, { .name = "n2", .spec = "'unschedulable':true" }, { .name = "n3" } },
          .pods = { { "p" } }, .expect = "p" },
        { "D21 room for one of two", FIT, NODES,
          .pods = { { "a" },
                    { "b" },
                    { "q", .node = "n2",
                      .container = "'resources':{'requests':{'cpu':'3300m'}}" } },
          .expect = "a", .parity = "a b" },
        { "D21 room for one each", FIT, .nodes = { TAINTED, { .name = "n2" }, { .name = "n3" } },
          .pods = { { "a" },
                    { "b" },
                    { "c" },
                    { "q", .node = "n2", .container = "'resources':{'requests':{'cpu':'3500m'}}" },
                    { "r", .node = "n3",
                      .container = "'resources':{'requests':{'cpu':'3500m'}}" } },
          .expect = "a b", .parity = "a b c" },
        { "evictor's node selector", .evictor = "{'nodeFit':true,'nodeSelector':'pool=a'}",
          .nodes = { TAINTED, { .name = "n2" } }, .pods = { { "p" } }, .expect = "" },
        { "evictor's node selector matches", .evictor = "{'nodeFit':true,'nodeSelector':'pool=a'}",
          .nodes = { TAINTED, { .name = "n2", .labels = "'pool':'a'" } }, .pods = { { "p" } },
          .expect = "p" },
};

static const struct scene_case failed[] = {
        { "failed, no owner", .pods = { { "p", .owner = "", FAILED } }, .expect = "" },
        { "failed, no owner, allowed", .evictor = OFF("FailedBarePods"),
          .pods = { { "p", .owner = "", FAILED }, { "q", .owner = "" } }, .expect = "p" },
        { "failed, no owner, allowed as of old", .evictor = "{'evictFailedBarePods':true}",
          .pods = { { "p", .owner = "", FAILED } }, .expect = "p" },
};

static const struct scene_refusal refusals[] = {
        { "nothing", "{}", NULL, NULL },
        { "threshold twice", "{'priorityThreshold':{'value':1,'name':'x'}}", "only one of", NULL },
        { "threshold too high", "{'priorityThreshold':{'value':2000000001}}", "above", NULL },
        { "threshold at the limit", "{'priorityThreshold':{'value':2000000000}}", NULL, NULL },
        { "policy", "{'noEvictionPolicy':'Never'}", "Preferred or Mandatory", NULL },
        { "both ways",
          "{'evictDaemonSetPods':true,'podProtections':{'extraEnabled':['PodsWithPVC']}}",
          "together with", NULL },
        { "deprecated false",
          "{'evictDaemonSetPods':false,'podProtections':{'extraEnabled':["
          "'PodsWithPVC']}}",
          NULL, NULL },
        { "unknown default", "{'podProtections':{'defaultDisabled':['PodsWithPVC']}}",
          "no protection", NULL },
        { "unknown extra", "{'podProtections':{'extraEnabled':['DaemonSetPods']}}", "no protection",
          NULL },
        { "repeated", "{'podProtections':{'extraEnabled':['PodsWithPVC','PodsWithPVC']}}", "twice",
          NULL },
        { "unnamed class",
          "{'podProtections':{'extraEnabled':['PodsWithPVC'],'config':{'PodsWithPVC':{"
          "'protectedStorageClasses':[{'name':''}]}}}}",
          "needs a name", NULL },
        { "unnamed class, unprotected",
          "{'podProtections':{'config':{'PodsWithPVC':{'protectedStorageClasses':[{'name':''}]}}}}",
          NULL, NULL },
        { "label selector", "{'labelSelector':{'matchExpressions':[{'key':'a','operator':'in'}]}}",
          "operator", NULL },
        { "label selector member", "{'labelSelector':{'matchLabel':{}}}", "unknown field", NULL },
        { "node selector", "{'nodeSelector':'a=(b'}", "nodeSelector", "" },
        { "unknown field", "{'nodefit':true}", "nodefit", NULL },
        { "type", "{'nodeFit':'yes'}", "nodeFit", NULL },
        { "negative", "{'minReplicas':-1}", "minReplicas", NULL },
        { "duration", "{'minPodAge':300}", "minPodAge", NULL },
};

static void test_kinds(void **state) {
        (void)state;
        scene_run(RULE, kinds, ARRAY_LEN(kinds));
}
static void test_claims(void **state) {
        (void)state;
        scene_run(RULE, claims, ARRAY_LEN(claims));
}
static void test_priorities(void **state) {
        (void)state;
        scene_run(RULE, priorities, ARRAY_LEN(priorities));
}
static void test_selectors(void **state) {
        (void)state;
        scene_run(RULE, selectors, ARRAY_LEN(selectors));
}
static void test_annotations(void **state) {
        (void)state;
        scene_run(RULE, annotations, ARRAY_LEN(annotations));
}
static void test_budgets(void **state) {
        (void)state;
        scene_run(RULE, budgets, ARRAY_LEN(budgets));
}
static void test_node_fit(void **state) {
        (void)state;
        scene_run(RULE, fits, ARRAY_LEN(fits));
}
static void test_failed(void **state) {
        (void)state;
        scene_run("RemoveFailedPods", failed, ARRAY_LEN(failed));
}
static void test_refusals(void **state) {
        (void)state;
        scene_refuse("DefaultEvictor", refusals, ARRAY_LEN(refusals));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_kinds),       cmocka_unit_test(test_claims),
                cmocka_unit_test(test_priorities),  cmocka_unit_test(test_selectors),
                cmocka_unit_test(test_annotations), cmocka_unit_test(test_budgets),
                cmocka_unit_test(test_node_fit),    cmocka_unit_test(test_failed),
                cmocka_unit_test(test_refusals),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
