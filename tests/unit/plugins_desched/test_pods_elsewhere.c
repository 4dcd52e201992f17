/* Pods that no usable node holds: on nodes that are not ready or gone, or on none.  Upstream never
 * sees them. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NODES                                                                                      \
        .nodes = { { .name = "n1" },                                                               \
                   { .name = "n2" },                                                               \
                   { .name = "down",                                                               \
                     .status = "'conditions':[{'type':'Ready','status':'False'}]" } }
#define FAILED .phase = "Failed"

static const struct scene_case failed[] = {
        { "D13 wherever they are", NODES,
          .pods = { { "here", FAILED },
                    { "down", .node = "down", FAILED },
                    { "gone", .node = "gone", FAILED },
                    { "nowhere", .node = "", FAILED } },
          .expect = "here down gone nowhere", .parity = "here" },
        { "running ones stay", NODES,
          .pods = { { "down", .node = "down" }, { "gone", .node = "gone" } }, .expect = "" },
        { "nodes the policy leaves out keep theirs", .policy = "'nodeSelector':'pool=a'",
          .nodes = { { .name = "n1", .labels = "'pool':'a'" },
                     { .name = "n2", .labels = "'pool':'a'" },
                     { .name = "down",
                       .status = "'conditions':[{'type':'Ready','status':'False'}]" } },
          .pods = { { "here", FAILED }, { "down", .node = "down", FAILED } }, .expect = "here" },
        { "each limited by its own node", .policy = "'maxNoOfPodsToEvictPerNode':1", NODES,
          .pods = { { "a", FAILED },
                    { "b", FAILED },
                    { "c", .node = "down", FAILED },
                    { "d", .node = "down", FAILED },
                    { "e", .node = "gone", FAILED } },
          .expect = "a c e", .parity = "a" },
};

static const struct scene_case aged[] = {
        { "D13 lost with their node", .args = "{'states':['NodeLost']}", NODES,
          .pods = { { "a", .node = "down", .status = "'reason':'NodeLost'" },
                    { "b", .node = "gone", .status = "'reason':'NodeLost'" },
                    { "c", .node = "down" } },
          .expect = "a b", .parity = "" },
        { "unknown", .args = "{'states':['Unknown']}", NODES,
          .pods = { { "a", .node = "down", .phase = "Unknown" } }, .expect = "a", .parity = "" },
        { "succeeded", .args = "{'states':['Succeeded']}", NODES,
          .pods = { { "a", .node = "gone", .phase = "Succeeded", .age_s = 9000 },
                    { "b", .phase = "Succeeded" } },
          .expect = "a b", .parity = "b" },
};

static const struct scene_case cleaned[] = {
        { "deleted wherever they are",
          .args = "{'rules':[{'name':'r','action':'Delete','allowTerminal':true}]}", NODES,
          .pods = { { "here", .phase = "Succeeded" },
                    { "down", .node = "down", FAILED },
                    { "gone", .node = "gone", FAILED },
                    { "runs", .node = "down" } },
          .expect = "delete:down delete:gone delete:here", .parity = SCENE_NO_PARITY },
};

static void test_failed(void **state) {
        (void)state;
        scene_run("RemoveFailedPods", failed, ARRAY_LEN(failed));
}
static void test_aged(void **state) {
        (void)state;
        scene_run("PodLifeTime", aged, ARRAY_LEN(aged));
}
static void test_cleaned(void **state) {
        (void)state;
        scene_run("PodLifecycle", cleaned, ARRAY_LEN(cleaned));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_failed),
                cmocka_unit_test(test_aged),
                cmocka_unit_test(test_cleaned),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
