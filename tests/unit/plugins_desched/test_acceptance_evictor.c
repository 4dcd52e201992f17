/* Acceptance cases 17 to 36: what DefaultEvictor lets go.  Names begin with their labels. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define TAINTS "RemovePodsViolatingNodeTaints"
#define FAILED "RemoveFailedPods"
#define N1                                                                                         \
        { .name = "n1", .spec = "'taints':[{'key':'t','effect':'NoSchedule'}]" }
#define NODES .nodes = { N1, { .name = "n2" } }
#define OFF(name) .evictor = "{'podProtections':{'defaultDisabled':['" name "']}}"
#define ANNOTATION(key, value) "'descheduler.alpha.kubernetes.io/" key "':'" value "'"
#define ANNOTATED(key, value) .meta = "'annotations':{" ANNOTATION(key, value) "}"
#define ENDING "'deletionTimestamp':'2026-01-09T23:59:00Z'"
#define CLAIMS(names) .spec = "'volumes':[" names "]"
#define CLAIM(name) "{'name':'v-" name "','persistentVolumeClaim':{'claimName':'" name "'}}"
#define CLAIM_OBJECT(name, class)                                                                  \
        "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'" name          \
        "'},'spec':{'storageClassName':'" class "'}}"
#define PROTECT(name) .evictor = "{'podProtections':{'extraEnabled':['" name "']}}"
#define PROTECT_GOLD                                                                               \
        .evictor = "{'podProtections':{'extraEnabled':['PodsWithPVC'],'config':{'PodsWithPVC':{"   \
                   "'protectedStorageClasses':[{'name':'gold'}]}}}}"
#define BUDGET                                                                                     \
        "{'kind':'PodDisruptionBudget','metadata':{'namespace':'default','name':'b'},'spec':{"     \
        "'selector':{'matchLabels':{'app':'a'}}}}"
#define APP_A .meta = "'labels':{'app':'a'}"
#define FIT .evictor = "{'nodeFit':true}"

static const struct scene_case taints[] = {
        { "desched-017 of a ReplicaSet", NODES, .pods = { { "p" } }, .expect = "#1" },
        { "desched-018 without owner", NODES, .pods = { { "p", .owner = "" } }, .expect = "#0" },
        { "desched-020 mirror", NODES,
          .pods = { { "p", .meta = "'annotations':{'kubernetes.io/config.mirror':''}" } },
          .expect = "#0" },
        { "desched-020 from a file", NODES,
          .pods = { { "p", .meta = "'annotations':{'kubernetes.io/config.source':'file'}" } },
          .expect = "#0" },
        { "desched-021 terminating", NODES, .pods = { { "p", .meta = ENDING } }, .expect = "#0" },
        { "desched-021 terminating, annotated", NODES,
          .pods = { { "p", .meta = "'annotations':{" ANNOTATION("evict", "false") "}," ENDING } },
          .expect = "#0", .parity = "#1" },
        { "desched-022 of a DaemonSet", NODES, .pods = { { "p", .owner = "DaemonSet/d" } },
          .expect = "#0" },
        { "desched-022 protection off", NODES, OFF("DaemonSetPods"),
          .pods = { { "p", .owner = "DaemonSet/d" } }, .expect = "#1" },
        { "desched-023 emptyDir", NODES,
          .pods = { { "p", .spec = "'volumes':[{'name':'v','emptyDir':{}}]" } }, .expect = "#0" },
        { "desched-023 protection off", NODES, OFF("PodsWithLocalStorage"),
          .pods = { { "p", .spec = "'volumes':[{'name':'v','emptyDir':{}}]" } }, .expect = "#1" },
        { "desched-024 claim", NODES, .pods = { { "p", CLAIMS(CLAIM("a")) } }, .expect = "#1" },
        { "desched-024 protected", NODES, PROTECT("PodsWithPVC"),
          .pods = { { "p", CLAIMS(CLAIM("a")) } }, .objects = { CLAIM_OBJECT("a", "tin") },
          .expect = "#0" },
        { "desched-024 other class", NODES, PROTECT_GOLD, .pods = { { "p", CLAIMS(CLAIM("a")) } },
          .objects = { CLAIM_OBJECT("a", "tin") }, .expect = "#1" },
        { "desched-024 claim missing", NODES, PROTECT_GOLD, .pods = { { "p", CLAIMS(CLAIM("a")) } },
          .expect = "#0" },
        { "desched-024 mixed classes", NODES, PROTECT_GOLD,
          .pods = { { "p", CLAIMS(CLAIM("a") "," CLAIM("b")) } },
          .objects = { CLAIM_OBJECT("a", "tin"), CLAIM_OBJECT("b", "gold") }, .expect = "#0" },
        { "desched-025 critical", NODES, .pods = { { "p", .spec = "'priority':2000000000" } },
          .expect = "#0" },
        { "desched-025 protection off, threshold 100", NODES,
          .evictor = "{'podProtections':{'defaultDisabled':['SystemCriticalPods']},"
                     "'priorityThreshold':{'value':100}}",
          .pods = { { "p", .spec = "'priority':2000000000" } }, .expect = "#1" },
        { "desched-026 threshold 100", NODES, .evictor = "{'priorityThreshold':{'value':100}}",
          .pods = { { "at", .spec = "'priority':100" },
                    { "below", .spec = "'priority':99" },
                    { "none" } },
          .expect = "below none" },
        { "desched-027 labels", NODES, .evictor = "{'labelSelector':{'matchLabels':{'app':'b'}}}",
          .pods = { { "p", APP_A } }, .expect = "#0" },
        { "desched-028 two pods", NODES, .evictor = "{'minReplicas':2}",
          .pods = { { "p" }, { "q", .node = "n2" } }, .expect = "p" },
        { "desched-028 one pod", NODES, .evictor = "{'minReplicas':2}", .pods = { { "p" } },
          .expect = "#0" },
        { "desched-028 two owners", NODES, .evictor = "{'minReplicas':2}",
          .pods = { { "p", .owner = "",
                      .meta = "'ownerReferences':[{'kind':'X','name':'x','uid':'x'},{'kind':'Y',"
                              "'name':'y','uid':'y'}]" } },
          .expect = "#1" },
        { "desched-028 the other succeeded", NODES, .evictor = "{'minReplicas':2}",
          .pods = { { "p" }, { "q", .node = "n2", .phase = "Succeeded" } }, .expect = "p" },
        { "desched-029 50 minutes", NODES, .evictor = "{'minPodAge':'50m'}",
          .pods = { { "ten", .status = "'startTime':'2026-01-09T23:50:00Z'" },
                    { "sixty", .status = "'startTime':'2026-01-09T23:00:00Z'" },
                    { "unstarted" } },
          .expect = "sixty" },
        { "desched-030 preferred", NODES, .evictor = "{'noEvictionPolicy':'Preferred'}",
          .pods = { { "p", ANNOTATED("prefer-no-eviction", "") } }, .expect = "#1" },
        { "desched-030 mandatory", NODES, .evictor = "{'noEvictionPolicy':'Mandatory'}",
          .pods = { { "p", ANNOTATED("prefer-no-eviction", "") } }, .expect = "#0" },
        { "desched-030 mandatory and evict", NODES, .evictor = "{'noEvictionPolicy':'Mandatory'}",
          .pods = { { "p", .meta = "'annotations':{" ANNOTATION(
                                   "prefer-no-eviction", "") "," ANNOTATION("evict", "") "}" } },
          .expect = "#1" },
        { "desched-031 covered", NODES, PROTECT("PodsWithoutPDB"), .pods = { { "p", APP_A } },
          .objects = { BUDGET }, .expect = "#1", .parity = "#0" },
        { "desched-031 covered, dry run", NODES, PROTECT("PodsWithoutPDB"), .is_dry_run = true,
          .pods = { { "p", APP_A } }, .objects = { BUDGET }, .expect = "#1" },
        { "desched-031 not covered", NODES, PROTECT("PodsWithoutPDB"), .pods = { { "p" } },
          .objects = { BUDGET }, .expect = "#0" },
        { "desched-032 resource claims", NODES, PROTECT("PodsWithResourceClaims"),
          .pods = { { "p", .spec = "'resourceClaims':[{'name':'r'}]" } }, .expect = "#0" },
        { "desched-033 namespace labels", NODES,
          .evictor = "{'namespaceLabelSelector':{'matchLabels':{'team':'x'}}}",
          .pods = { { "p", ANNOTATED("evict", "") } },
          .objects = { "{'kind':'Namespace','metadata':{'name':'default'}}" }, .expect = "#0" },
        { "desched-034 cordoned", FIT,
          .nodes = { N1, { .name = "n2", .spec = "'unschedulable':true" } }, .pods = { { "p" } },
          .expect = "#0" },
        { "desched-034 selector", FIT, NODES,
          .pods = { { "p", .spec = "'nodeSelector':{'disk':'ssd'}" } }, .expect = "#0" },
        { "desched-034 taint", FIT,
          .nodes = { N1, { .name = "n2", .spec = "'taints':[{'key':'x','effect':'NoExecute'}]" } },
          .pods = { { "p" } }, .expect = "#0" },
        { "desched-034 100m free", FIT, NODES,
          .pods = { { "p" },
                    { "q", .node = "n2",
                      .container = "'resources':{'requests':{'cpu':'3900m'}}" } },
          .expect = "#0" },
        { "desched-034 slots full", FIT, NODES,
          .pods = { { "p" }, { "q", .node = "n2", .container = "'image':'i'", .count = 10 } },
          .expect = "#0" },
        { "desched-034 anti-affinity", FIT, NODES,
          .pods = { { "p", .spec = "'affinity':{'podAntiAffinity':{"
                                   "'requiredDuringSchedulingIgnoredDuringExecution':[{"
                                   "'labelSelector':{'matchLabels':{'app':'a'}},'topologyKey':"
                                   "'kubernetes.io/hostname'}]}}" },
                    { "q", .node = "n2", APP_A } },
          .expect = "#0" },
        { "desched-034 n3 fits", FIT,
          .nodes = { N1, { .name = "n2", .spec = "'unschedulable':true" }, { .name = "n3" } },
          .pods = { { "p" } }, .expect = "#1" },
        { "desched-035 the evictor's node selector",
          .evictor = "{'nodeFit':true,'nodeSelector':'pool=a'}", NODES, .pods = { { "p" } },
          .expect = "#0" },
};

static const struct scene_case failed[] = {
        { "desched-019 failed, protection off", OFF("FailedBarePods"),
          .pods = { { "p", .owner = "", .phase = "Failed" } }, .expect = "#1" },
        { "desched-019 running, protection off", OFF("FailedBarePods"),
          .pods = { { "p", .owner = "" } }, .expect = "#0" },
};

static const struct scene_refusal refusals[] = {
        { "desched-036 both ways",
          "{'evictDaemonSetPods':true,'podProtections':{'extraEnabled':['PodsWithPVC']}}",
          "together with", NULL },
        { "desched-036 twice", "{'podProtections':{'extraEnabled':['PodsWithPVC','PodsWithPVC']}}",
          "twice", NULL },
        { "desched-036 unknown", "{'podProtections':{'extraEnabled':['PodsOnMonday']}}",
          "no protection", NULL },
};

static void test_taints(void **state) {
        (void)state;
        scene_run(TAINTS, taints, ARRAY_LEN(taints));
}
static void test_failed(void **state) {
        (void)state;
        scene_run(FAILED, failed, ARRAY_LEN(failed));
}
static void test_refusals(void **state) {
        (void)state;
        scene_refuse("DefaultEvictor", refusals, ARRAY_LEN(refusals));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_taints),
                cmocka_unit_test(test_failed),
                cmocka_unit_test(test_refusals),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
