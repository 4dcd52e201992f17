/* RemovePodsViolatingInterPodAntiAffinity. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "RemovePodsViolatingInterPodAntiAffinity"
#define AVOIDS(label, key)                                                                         \
        "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{"       \
        "'labelSelector':{'matchLabels':{'app':'" label "'}},'topologyKey':'" key "'}]}}"
#define HOST "kubernetes.io/hostname"
#define A .meta = "'labels':{'app':'a'}"
#define B .meta = "'labels':{'app':'b'}"

static const struct scene_case cases[] = {
        { "rule owners go",
          .pods = { { "p", .spec = AVOIDS("a", HOST) },
                    { "q", .spec = AVOIDS("a", HOST) },
                    { "r", .spec = AVOIDS("a", HOST) },
                    { "s", A } },
          .expect = "p q r" },
        { "a mutual conflict costs one",
          .pods = { { "p", A, .spec = AVOIDS("a", HOST) }, { "q", A, .spec = AVOIDS("a", HOST) } },
          .expect = "p" },
        { "lowest priority first",
          .pods = { { "p", A, .spec = AVOIDS("b", HOST) ",'priority':100" },
                    { "q", B, .spec = AVOIDS("a", HOST) ",'priority':0" } },
          .expect = "q" },
        { "against a critical pod",
          .pods = { { "p", A, .spec = AVOIDS("b", HOST) ",'priority':2000000000" },
                    { "q", B, .spec = AVOIDS("a", HOST) ",'priority':5" } },
          .expect = "q" },
        { "another node", .pods = { { "p", .spec = AVOIDS("a", HOST) }, { "q", A, .node = "n2" } },
          .expect = "" },
        { "another node of the region",
          .nodes = { { .name = "n1", .labels = "'region':'r'" },
                     { .name = "n2", .labels = "'region':'r'" } },
          .pods = { { "p", .spec = AVOIDS("a", "region") }, { "q", A, .node = "n2" } },
          .expect = "p" },
        { "another region",
          .nodes = { { .name = "n1", .labels = "'region':'r'" },
                     { .name = "n2", .labels = "'region':'s'" } },
          .pods = { { "p", .spec = AVOIDS("a", "region") }, { "q", A, .node = "n2" } },
          .expect = "" },
        { "another namespace",
          .pods = { { "p", .spec = AVOIDS("a", HOST) }, { "q", A, .ns = "x" } }, .expect = "" },
        { "finished pods do not count",
          .pods = { { "p", .spec = AVOIDS("a", HOST) }, { "q", A, .phase = "Succeeded" } },
          .expect = "" },
        { "out of scope", .args = "{'labelSelector':{'matchLabels':{'app':'b'}}}",
          .pods = { { "p", B, .spec = AVOIDS("a", HOST) }, { "q", A } }, .expect = "" },
        { "node limit", .policy = "'maxNoOfPodsToEvictPerNode':1",
          .pods = { { "p", .spec = AVOIDS("a", HOST) },
                    { "q", .spec = AVOIDS("a", HOST) },
                    { "r", A } },
          .expect = "p" },
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
