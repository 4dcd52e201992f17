/* RemovePodsViolatingNodeAffinity. */
#include "base/util.h"
#include "desched_scene.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RULE "RemovePodsViolatingNodeAffinity"
#define REQUIRED_TYPE "{'nodeAffinityType':['requiredDuringSchedulingIgnoredDuringExecution']}"
#define PREFERRED_TYPE "{'nodeAffinityType':['preferredDuringSchedulingIgnoredDuringExecution']}"
#define TERM "{'matchExpressions':[{'key':'disk','operator':'In','values':['ssd']}]}"
#define REQUIRES                                                                                   \
        .spec = "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"   \
                "'nodeSelectorTerms':[" TERM "]}}}"
#define PREFERS                                                                                    \
        .spec = "'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{" \
                "'weight':10,'preference':" TERM "}]}}"
#define SSD .labels = "'disk':'ssd'"

static const struct scene_case required[] = {
        { "another node fits", .args = REQUIRED_TYPE,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD } },
          .pods = { { "p", REQUIRES }, { "q" } }, .expect = "p" },
        { "placed right", .args = REQUIRED_TYPE,
          .nodes = { { .name = "n1", SSD }, { .name = "n2", SSD } }, .pods = { { "p", REQUIRES } },
          .expect = "" },
        { "no other node", .args = REQUIRED_TYPE, .nodes = { { .name = "n1" }, { .name = "n2" } },
          .pods = { { "p", REQUIRES } }, .expect = "" },
        { "the other node is cordoned", .args = REQUIRED_TYPE,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD, .spec = "'unschedulable':true" } },
          .pods = { { "p", REQUIRES } }, .expect = "" },
        { "node selector alone", .args = REQUIRED_TYPE,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD } },
          .pods = { { "p", .spec = "'nodeSelector':{'disk':'ssd'}" } }, .expect = "" },
};

static const struct scene_case preferred[] = {
        { "a better node", .args = PREFERRED_TYPE,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD } }, .pods = { { "p", PREFERS } },
          .expect = "p" },
        { "an equal node", .args = PREFERRED_TYPE,
          .nodes = { { .name = "n1", SSD }, { .name = "n2", SSD } }, .pods = { { "p", PREFERS } },
          .expect = "" },
        { "D11 a better node that takes nothing", .args = PREFERRED_TYPE,
          .nodes = { { .name = "n1" }, { .name = "n2", SSD, .spec = "'unschedulable':true" } },
          .pods = { { "p", PREFERS } }, .expect = "", .parity = "p" },
};

static const struct scene_refusal refusals[] = {
        { "no type", "{}", "needs to be set", NULL },
        { "empty", "{'nodeAffinityType':[]}", "needs to be set", NULL },
        { "both",
          "{'nodeAffinityType':['requiredDuringSchedulingIgnoredDuringExecution',"
          "'preferredDuringSchedulingIgnoredDuringExecution']}",
          NULL, NULL },
        { "unknown", "{'nodeAffinityType':['x']}", "found \"x\"", "" },
};

static void test_required(void **state) {
        (void)state;
        scene_run(RULE, required, ARRAY_LEN(required));
}
static void test_preferred(void **state) {
        (void)state;
        scene_run(RULE, preferred, ARRAY_LEN(preferred));
}
static void test_refusals(void **state) {
        (void)state;
        scene_refuse(RULE, refusals, ARRAY_LEN(refusals));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_required),
                cmocka_unit_test(test_preferred),
                cmocka_unit_test(test_refusals),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
