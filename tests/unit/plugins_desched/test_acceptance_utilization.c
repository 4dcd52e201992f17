/* Acceptance cases 84 to 101: LowNodeUtilization and HighNodeUtilization.  Names begin with the
 * numbers. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define ON2 .node = "n2"
#define ON3 .node = "n3"
#define ALLOCATABLE(cpu, memory, pods, more)                                                       \
        .status = "'allocatable':{'cpu':'" cpu "','memory':'" memory "','pods':'" pods "'" more    \
                  "},'conditions':[{'type':'Ready','status':'True'}]"
#define N1                                                                                         \
        { .name = "n1", ALLOCATABLE("4", "3000", "9", "") }
#define BOTH .nodes = { N1, { .name = "n2" } }
#define CORDONED(n)                                                                                \
        { .name = n, .spec = "'unschedulable':true" }
#define CPU_PODS(low, high, more)                                                                  \
        .args = "{'thresholds':{'cpu':" low ",'pods':" low "},'targetThresholds':{'cpu':" high     \
                ",'pods':" high "}" more "}"
#define EIGHT                                                                                      \
        { "a", .count = 8 }
#define REQUEST(amounts) .container = "'resources':{'requests':{" amounts "}}"

#define BY_QUERY(more)                                                                             \
        .args = "{'thresholds':{'MetricResource':30},'targetThresholds':{'MetricResource':50},"    \
                "'metricsUtilization':{'source':'Prometheus','prometheus':{'query':'x'}}" more "}"
#define PROVIDER                                                                                   \
        .policy = "'metricsProviders':[{'source':'Prometheus','prometheus':{'url':"                \
                  "'http://prometheus:9090'}}]"
#define SAMPLE(node, value) "{'instance':'" node "','value':" value "}"
#define SAMPLES(list) .usage = "[{'kind':'PrometheusSamples','samples':[" list "]}]"
#define THREE .nodes = { { .name = "n1" }, { .name = "n2" }, { .name = "n3" } }
#define SPREAD_OUT                                                                                 \
        .pods = { { "a", .count = 4 }, { "b", ON2, .count = 4 }, { "c", ON3, .count = 2 } }

static const struct scene_case low[] = {
        { "desched-084 eight of nine slots", CPU_PODS("30", "50", ""), BOTH,
          .pods = { EIGHT, { "z", ON2 } }, .expect = "#4" },
        { "desched-085 exactly at the target",
          .args = "{'thresholds':{'cpu':30},'targetThresholds':{'cpu':80}}", BOTH,
          .pods = { EIGHT, { "z", ON2 } }, .expect = "#0" },
        { "desched-086 one node under of more than one", CPU_PODS("30", "50", ",'numberOfNodes':1"),
          BOTH, .pods = { EIGHT, { "z", ON2 } }, .expect = "#0" },
        { "desched-087 cordoned", CPU_PODS("30", "50", ""), .nodes = { N1, CORDONED("n2") },
          .pods = { EIGHT, { "z", ON2 } }, .expect = "#0" },
        { "desched-088 deviation", CPU_PODS("5", "5", ",'useDeviationThresholds':true"),
          .nodes = { N1, { .name = "n2" }, CORDONED("n3") }, .pods = { EIGHT, { "z", ON2 } },
          .expect = "#2" },
        { "desched-089 resource the other node lacks",
          .args = "{'thresholds':{'x.io/y':30},'targetThresholds':{'x.io/y':50}}",
          .nodes = { { .name = "n1", ALLOCATABLE("4", "3000", "9", ",'x.io/y':'4'") },
                     { .name = "n2" } },
          .pods = { { "a", REQUEST("'x.io/y':'1'"), .count = 4 } }, .expect = "#0" },
        { "desched-090 memory full, not configured", CPU_PODS("30", "50", ""), BOTH,
          .pods = { EIGHT, { "z", ON2, REQUEST("'memory':'3000'") } }, .expect = "#0" },
        { "desched-091 limit of the strategy", CPU_PODS("30", "50", ",'evictionLimits':{'node':2}"),
          BOTH, .pods = { EIGHT, { "z", ON2 } }, .expect = "#2" },
        { "desched-092 excluded namespace",
          CPU_PODS("30", "50", ",'evictableNamespaces':{'exclude':['x']}"), BOTH,
          .pods = { { "x", .ns = "x", .count = 6 }, { "a", .count = 2 }, { "z", ON2 } },
          .expect = "a-1 a-2" },
        { "desched-093 low priority first, BestEffort before Burstable", CPU_PODS("30", "50", ""),
          BOTH,
          .pods = { { "high", .spec = "'priority':10", .count = 4 },
                    { "burst", .spec = "'priority':5" },
                    { "best", .spec = "'priority':5", .container = "'image':'i'" },
                    { "mid", .spec = "'priority':7", .count = 2 },
                    { "z", ON2 } },
          .expect = "best burst mid-1 mid-2" },
        { "desched-094 one toleration of all for two taints", CPU_PODS("30", "50", ""),
          .nodes = { N1,
                     { .name = "n2",
                       .spec = "'taints':[{'key':'a','effect':'NoSchedule'},{'key':'b','effect':"
                               "'NoSchedule'}]" } },
          .pods = { { "a", .spec = "'tolerations':[{'operator':'Exists'}]", .count = 8 } },
          .expect = "#4", .parity = "#0" },
        { "desched-095 measured by a query", BY_QUERY(""), PROVIDER, THREE, SPREAD_OUT,
          SAMPLES(SAMPLE("n1", "0.57") "," SAMPLE("n2", "0.42") "," SAMPLE("n3", "0.20")),
          .expect = "#1" },
        { "D12 a whole percentage",
          .args = "{'thresholds':{'MetricResource':10},'targetThresholds':{'MetricResource':28},"
                  "'metricsUtilization':{'source':'Prometheus','prometheus':{'query':'q'}}}",
          PROVIDER, THREE, SPREAD_OUT,
          SAMPLES(SAMPLE("n1", "0.29") "," SAMPLE("n2", "0.28") "," SAMPLE("n3", "0.07")),
          .expect = "#1", .parity = "#0" },
        { "desched-095 limit 3", BY_QUERY(",'evictionLimits':{'node':3}"), PROVIDER, THREE,
          SPREAD_OUT,
          SAMPLES(SAMPLE("n1", "0.57") "," SAMPLE("n2", "0.42") "," SAMPLE("n3", "0.20")),
          .expect = "#3" },
        { "desched-095 above 1", BY_QUERY(""), PROVIDER, THREE, SPREAD_OUT,
          SAMPLES(SAMPLE("n1", "1.2") "," SAMPLE("n2", "0.42") "," SAMPLE("n3", "0.20")),
          .expect = SCENE_FAILS },
        { "desched-095 a node is missing", BY_QUERY(""), PROVIDER, THREE, SPREAD_OUT,
          SAMPLES(SAMPLE("n1", "0.57") "," SAMPLE("n2", "0.42")), .expect = SCENE_FAILS },
        { "desched-096 no provider", BY_QUERY(""), THREE, SPREAD_OUT,
          SAMPLES(SAMPLE("n1", "0.57") "," SAMPLE("n2", "0.42") "," SAMPLE("n3", "0.20")),
          .expect = SCENE_FAILS },
};

#define CPU_30 .args = "{'thresholds':{'cpu':30}}"
static const struct scene_case high[] = {
        { "desched-097 drains a cordoned node, too", CPU_30,
          .nodes = { { .name = "n1" }, { .name = "n2" }, CORDONED("n3") },
          .pods = { { "a" }, { "b", ON2, .count = 4 }, { "c", ON3 } }, .expect = "#2" },
        { "desched-098 cpu gone after one", CPU_30,
          .pods = { { "a", .count = 2 }, { "b", ON2, .count = 9 } }, .expect = "#1" },
        { "desched-099 asks for nothing of it",
          .args = "{'thresholds':{'cpu':30},'evictionModes':['OnlyThresholdingResources']}",
          .pods = { { "a", .container = "'image':'i'" }, { "b", ON2, .count = 4 } },
          .expect = "#0" },
        { "desched-100 all under", CPU_30, .pods = { { "a" }, { "b", ON2 } }, .expect = "#0" },
};

static const struct scene_refusal refusals[] = {
        { "desched-101 keys", "{'thresholds':{'cpu':20},'targetThresholds':{'memory':50}}",
          "targetThresholds", NULL },
        { "desched-101 percentage", "{'thresholds':{'cpu':20},'targetThresholds':{'cpu':101}}",
          "targetThresholds", NULL },
        { "desched-101 included namespaces",
          "{'thresholds':{'cpu':20},'targetThresholds':{'cpu':50},'evictableNamespaces':{"
          "'include':['x']}}",
          "evictableNamespaces", NULL },
};

static void test_low(void **state) {
        (void)state;
        scene_run("LowNodeUtilization", low, ARRAY_LEN(low));
}
static void test_high(void **state) {
        (void)state;
        scene_run("HighNodeUtilization", high, ARRAY_LEN(high));
}
static void test_refusals(void **state) {
        (void)state;
        scene_refuse("LowNodeUtilization", refusals, ARRAY_LEN(refusals));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_low),
                cmocka_unit_test(test_high),
                cmocka_unit_test(test_refusals),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
