/* RemoveDuplicates. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "RemoveDuplicates"
#define ON2 .node = "n2"
#define ON3 .node = "n3"
#define THREE .nodes = { { .name = "n1" }, { .name = "n2" }, { .name = "n3" } }
#define IN_POOL(name) .spec = "'nodeSelector':{'pool':'" name "'}"
#define IMAGE(name) .container = "'image':'" name "'"

static const struct scene_case cases[] = {
        { "5, 3, 1", THREE,
          .pods = { { "a" },
                    { "b" },
                    { "c" },
                    { "d" },
                    { "e" },
                    { "f", ON2 },
                    { "g", ON2 },
                    { "h", ON2 },
                    { "i", ON3 } },
          .expect = "d e" },
        { "2, 0, 0", THREE, .pods = { { "a" }, { "b" } }, .expect = "b" },
        { "1, 1, 0", THREE, .pods = { { "a" }, { "b", ON2 } }, .expect = "" },
        { "different images", THREE, .pods = { { "a", IMAGE("x") }, { "b", IMAGE("y") } },
          .expect = "" },
        { "different owners", THREE, .pods = { { "a" }, { "b", .owner = "ReplicaSet/other" } },
          .expect = "" },
        { "no owner", THREE, .pods = { { "a", .owner = "" }, { "b", .owner = "" } }, .expect = "" },
        { "excluded kind", .args = "{'excludeOwnerKinds':['ReplicaSet']}", THREE,
          .pods = { { "a" }, { "b" } }, .expect = "" },
        { "excluded namespace", .args = "{'namespaces':{'exclude':['x']}}", THREE,
          .pods = { { "a", .ns = "x" }, { "b", .ns = "x" }, { "c" }, { "d" } }, .expect = "d" },
        { "tainted nodes are no targets",
          .nodes = { { .name = "n1" },
                     { .name = "n2", .spec = "'taints':[{'key':'t','effect':'NoSchedule'}]" } },
          .pods = { { "a" }, { "b" } }, .expect = "" },
        { "two owners are tried twice upstream", THREE,
          .pods = { { "a", .owner = "",
                      .meta = "'ownerReferences':[{'kind':'X','name':'x','uid':'x'},{'kind':'Y',"
                              "'name':'y','uid':'y'}]" },
                    { "b", .owner = "",
                      .meta = "'ownerReferences':[{'kind':'X','name':'x','uid':'x'},{'kind':'Y',"
                              "'name':'y','uid':'y'}]" } },
          .expect = "b", .parity = "b b" },
        { "the only node of a pod is no target of its owner's",
          .nodes = { { .name = "n1", .labels = "'pool':'a'" },
                     { .name = "n2", .labels = "'pool':'a'" },
                     { .name = "n3", .labels = "'pool':'b'" } },
          .pods = { { "a", IN_POOL("a") },
                    { "b", IN_POOL("a") },
                    { "c", IN_POOL("a") },
                    { "d", IN_POOL("a") },
                    { "e", ON3, IN_POOL("b") },
                    { "f", ON3, IN_POOL("b") } },
          .expect = "d" }, /* six on two nodes; on three it would be two each */
        { "node limit", .policy = "'maxNoOfPodsToEvictPerNode':1", THREE,
          .pods = { { "a" }, { "b" }, { "c" } }, .expect = "b" },
};

static void test_cases(void **state) {
        (void)state;
        scene_run(RULE, cases, ARRAY_LEN(cases));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_cases),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
