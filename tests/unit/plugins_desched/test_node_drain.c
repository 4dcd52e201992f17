/* LowNodeUtilization and HighNodeUtilization by requests. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define LOW "LowNodeUtilization"
#define HIGH "HighNodeUtilization"
#define NINE                                                                                       \
        .status = "'allocatable':{'cpu':'4','memory':'3000','pods':'9'},'conditions':[{'type':"    \
                  "'Ready','status':'True'}]"
#define CPU_PODS(more)                                                                             \
        "{'thresholds':{'cpu':30,'pods':30},'targetThresholds':{'cpu':50,'pods':50}" more "}"
#define EIGHT                                                                                      \
        { "a" }, { "b" }, { "c" }, { "d" }, { "e" }, { "f" }, { "g" }, {                           \
                "h"                                                                                \
        }
#define ON2 .node = "n2"
#define HEAVY "'resources':{'requests':{'cpu':'600m','memory':'500'}}"

static const struct scene_case low[] = {
        { "to the target", .args = CPU_PODS(""),
          .nodes = { { .name = "n1", NINE }, { .name = "n2" } }, .pods = { EIGHT, { "z", ON2 } },
          .expect = "a b c d" },
        { "exactly at the target",
          .args = "{'thresholds':{'cpu':30},'targetThresholds':{'cpu':80}}",
          .nodes = { { .name = "n1", NINE }, { .name = "n2" } }, .pods = { EIGHT, { "z", ON2 } },
          .expect = "" },
        { "too few underutilised", .args = CPU_PODS(",'numberOfNodes':1"),
          .nodes = { { .name = "n1", NINE }, { .name = "n2" } }, .pods = { EIGHT, { "z", ON2 } },
          .expect = "" },
        { "cordoned", .args = CPU_PODS(""),
          .nodes = { { .name = "n1", NINE }, { .name = "n2", .spec = "'unschedulable':true" } },
          .pods = { EIGHT, { "z", ON2 } }, .expect = "" },
        { "all under", .args = CPU_PODS(""), .pods = { { "a" }, { "b", ON2 } }, .expect = "" },
        { "limit of the strategy", .args = CPU_PODS(",'evictionLimits':{'node':2}"),
          .nodes = { { .name = "n1", NINE }, { .name = "n2" } }, .pods = { EIGHT, { "z", ON2 } },
          .expect = "a b" },
        { "excluded namespace stays and counts",
          .args = CPU_PODS(",'evictableNamespaces':{'exclude':['x']}"),
          .nodes = { { .name = "n1", NINE }, { .name = "n2" } },
          .pods = { { "a", .ns = "x" },
                    { "b" },
                    { "c" },
                    { "d" },
                    { "e" },
                    { "f" },
                    { "g" },
                    { "h" },
                    { "z", ON2 } },
          .expect = "b c d e" },
        { "quick ones first", .args = CPU_PODS(",'evictionLimits':{'node':3}"),
          .nodes = { { .name = "n1", NINE }, { .name = "n2" } },
          .pods = { { "slow-a", .age_s = 9000 },
                    { "b" },
                    { "c", .spec = "'priority':5" },
                    { "d" },
                    { "slow-e" },
                    { "f", .spec = "'priority':5" },
                    { "g", .spec = "'priority':5" },
                    { "h", .spec = "'priority':5" },
                    { "z", ON2 } },
          .expect = "b d slow-a", .parity = "slow-a b d" },
        { "low priority, then BestEffort first", .args = CPU_PODS(",'evictionLimits':{'node':2}"),
          .nodes = { { .name = "n1", NINE }, { .name = "n2" } },
          .pods = { { "a", .spec = "'priority':10" },
                    { "b", .spec = "'priority':5" },
                    { "c", .spec = "'priority':5", .container = "'image':'x'" },
                    { "d", .spec = "'priority':10" },
                    { "e", .spec = "'priority':10" },
                    { "f", .spec = "'priority':10" },
                    { "g", .spec = "'priority':10" },
                    { "h", .spec = "'priority':10" },
                    { "z", ON2 } },
          .expect = "c b" },
        { "resource the destination lacks",
          .args = "{'thresholds':{'x.io/y':30},'targetThresholds':{'x.io/y':50}}",
          .nodes = { { .name = "n1",
                       .status = "'allocatable':{'cpu':'4','memory':'3000','pods':'9','x.io/y':"
                                 "'4'}" },
                     { .name = "n2" } },
          .pods = { { "a", .container = "'resources':{'requests':{'x.io/y':'4'}}" } },
          .expect = "" },
        { "D12 one toleration of all for two taints", .args = CPU_PODS(""),
          .nodes = { { .name = "n1", NINE },
                     { .name = "n2",
                       .spec = "'taints':[{'key':'a','effect':'NoSchedule'},{'key':'b','effect':"
                               "'NoSchedule'}]" } },
          .pods = { { "a", .spec = "'tolerations':[{'operator':'Exists'}]" },
                    { "b" },
                    { "c" },
                    { "d" },
                    { "e" },
                    { "f" },
                    { "g" },
                    { "h" } },
          .expect = "a", .parity = "" },
        { "node limit", .args = CPU_PODS(""), .policy = "'maxNoOfPodsToEvictPerNode':1",
          .nodes = { { .name = "n1", NINE }, { .name = "n2" } }, .pods = { EIGHT, { "z", ON2 } },
          .expect = "a" },
        { "D12 the fullest node first",
          .args = "{'thresholds':{'cpu':30},'targetThresholds':{'cpu':50}}",
          .policy = "'maxNoOfPodsToEvictTotal':1",
          .nodes = { { .name = "n1" }, { .name = "n2" }, { .name = "n3" } },
          .pods = { EIGHT,
                    { "v", ON2, .container = HEAVY },
                    { "w", ON2, .container = HEAVY },
                    { "x", ON2, .container = HEAVY },
                    { "y", ON2, .container = HEAVY } },
          .expect = "a", .parity = "v" },
        { "D12 a quota that is a whole number",
          .args = "{'thresholds':{'memory':10},'targetThresholds':{'memory':58}}",
          .nodes = { { .name = "n1" }, { .name = "n2" } },
          .pods = { { "a", .count = 7, .container = "'resources':{'requests':{'memory':'290'}}" } },
          .expect = "#1", .parity = "#2" },
        { "metrics without a provider",
          .args = CPU_PODS(",'metricsUtilization':{'source':'KubernetesMetrics'}"),
          .nodes = { { .name = "n1", NINE }, { .name = "n2" } }, .pods = { EIGHT, { "z", ON2 } },
          .expect = SCENE_FAILS },
};

static const struct scene_case high[] = {
        { "empties what is nearly empty", .args = "{'thresholds':{'cpu':30}}",
          .pods = { { "a" }, { "b", ON2 }, { "c", ON2 }, { "d", ON2 }, { "e", ON2 } },
          .expect = "a" },
        { "cordoned nodes are emptied, too", .args = "{'thresholds':{'cpu':30}}",
          .nodes = { { .name = "n1" },
                     { .name = "n2" },
                     { .name = "n3", .spec = "'unschedulable':true" } },
          .pods = { { "a" },
                    { "b", ON2 },
                    { "c", ON2 },
                    { "d", ON2 },
                    { "e", ON2 },
                    { "f", .node = "n3" } },
          .expect = "a f" },
        { "none left to take them", .args = "{'thresholds':{'cpu':30}}",
          .pods = { { "a" }, { "b", ON2 } }, .expect = "" },
        { "until the room is used up", .args = "{'thresholds':{'cpu':30}}",
          .pods = { { "a" },
                    { "b" },
                    { "c", ON2, .container = "'resources':{'requests':{'cpu':'3700m'}}" } },
          .expect = "a" },
        { "only pods that request it",
          .args = "{'thresholds':{'cpu':30},'evictionModes':['OnlyThresholdingResources']}",
          .pods = { { "a", .container = "'image':'x'" },
                    { "b", .container = "'resources':{'requests':{'cpu':'0'}}" },
                    { "c", ON2 },
                    { "d", ON2 },
                    { "e", ON2 },
                    { "f", ON2 } },
          .expect = "b" },
        { "too few", .args = "{'thresholds':{'cpu':30},'numberOfNodes':1}",
          .pods = { { "a" }, { "b", ON2 }, { "c", ON2 }, { "d", ON2 }, { "e", ON2 } },
          .expect = "" },
};

static const struct scene_refusal low_refusals[] = {
        { "nothing", "{}", "no resource threshold", NULL },
        { "101", "{'thresholds':{'cpu':101},'targetThresholds':{'cpu':50}}", "between 0 and 100",
          NULL },
        { "no target", "{'thresholds':{'cpu':10}}", "targetThresholds", NULL },
        { "other keys", "{'thresholds':{'cpu':10},'targetThresholds':{'memory':50}}", "is missing",
          NULL },
        { "above its target", "{'thresholds':{'cpu':60},'targetThresholds':{'cpu':50}}",
          "must not be above", NULL },
        { "above its target, by deviation",
          "{'thresholds':{'cpu':60},'targetThresholds':{'cpu':50},'useDeviationThresholds':true}",
          NULL, NULL },
        { "floats", "{'thresholds':{'cpu':33.3},'targetThresholds':{'cpu':66.6}}", NULL, NULL },
        { "text", "{'thresholds':{'cpu':'33'},'targetThresholds':{'cpu':66}}", "cpu", NULL },
        { "included namespaces", CPU_PODS(",'evictableNamespaces':{'include':['a']}"),
          "only exclude", NULL },
        { "Prometheus without query", CPU_PODS(",'metricsUtilization':{'source':'Prometheus'}"),
          "query", NULL },
        { "Prometheus with cpu",
          CPU_PODS(",'metricsUtilization':{'source':'Prometheus','prometheus':{'query':'q'}}"),
          "MetricResource", NULL },
        { "both forms",
          CPU_PODS(",'metricsUtilization':{'source':'KubernetesMetrics','metricsServer':true}"),
          "metricsServer", NULL },
};

static const struct scene_refusal high_refusals[] = {
        { "nothing", "{}", "no resource threshold", NULL },
        { "mode", "{'thresholds':{'cpu':10},'evictionModes':['x']}", "evictionModes", NULL },
        { "deviation", "{'thresholds':{'cpu':10},'useDeviationThresholds':true}",
          "useDeviationThresholds", NULL },
};

static void test_low(void **state) {
        (void)state;
        scene_run(LOW, low, ARRAY_LEN(low));
}
static void test_high(void **state) {
        (void)state;
        scene_run(HIGH, high, ARRAY_LEN(high));
}
static void test_refusals(void **state) {
        (void)state;
        scene_refuse(LOW, low_refusals, ARRAY_LEN(low_refusals));
        scene_refuse(HIGH, high_refusals, ARRAY_LEN(high_refusals));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_low),
                cmocka_unit_test(test_high),
                cmocka_unit_test(test_refusals),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
