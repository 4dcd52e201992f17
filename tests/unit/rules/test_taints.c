/* Tolerations against taints. */
#include "base/util.h"
#include "rules/taints.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define S(text) SLICE_INIT(text)

static const struct taint blocking = { S("k"), S("v"), TAINT_NO_SCHEDULE };
static const struct taint evicting = { S("k"), S("v"), TAINT_NO_EXECUTE };
static const struct taint repelling = { S("soft"), S(""), TAINT_PREFER_NO_SCHEDULE };
static const struct taint numbered = { S("n"), S("10"), TAINT_NO_SCHEDULE };

static const struct {
        const char *name;
        struct toleration toleration;
        const struct taint *taint;
        bool allows_order, covers;
} cases[] = {
        { "equal value", { S("k"), S("v"), TOLERATION_EQUAL, TAINT_NO_SCHEDULE }, &blocking, 0, 1 },
        { "other value", { S("k"), S("w"), TOLERATION_EQUAL, TAINT_NO_SCHEDULE }, &blocking, 0, 0 },
        { "exists ignores value",
          { S("k"), S(""), TOLERATION_EXISTS, TAINT_NO_SCHEDULE },
          &blocking,
          0,
          1 },
        { "any effect", { S("k"), S(""), TOLERATION_EXISTS, TAINT_EFFECT_NONE }, &evicting, 0, 1 },
        { "other effect", { S("k"), S(""), TOLERATION_EXISTS, TAINT_NO_EXECUTE }, &blocking, 0, 0 },
        { "any key", { S(""), S(""), TOLERATION_EXISTS, TAINT_EFFECT_NONE }, &blocking, 0, 1 },
        { "other key", { S("z"), S(""), TOLERATION_EXISTS, TAINT_EFFECT_NONE }, &blocking, 0, 0 },
        { "below", { S("n"), S("11"), TOLERATION_LT, TAINT_EFFECT_NONE }, &numbered, 1, 1 },
        { "not below itself",
          { S("n"), S("10"), TOLERATION_LT, TAINT_EFFECT_NONE },
          &numbered,
          1,
          0 },
        { "above", { S("n"), S("9"), TOLERATION_GT, TAINT_EFFECT_NONE }, &numbered, 1, 1 },
        { "order is off", { S("n"), S("9"), TOLERATION_GT, TAINT_EFFECT_NONE }, &numbered, 0, 0 },
        { "leading zero", { S("n"), S("09"), TOLERATION_GT, TAINT_EFFECT_NONE }, &numbered, 1, 0 },
        { "no number", { S("n"), S("x"), TOLERATION_GT, TAINT_EFFECT_NONE }, &numbered, 1, 0 },
        { "plus sign", { S("n"), S("+9"), TOLERATION_GT, TAINT_EFFECT_NONE }, &numbered, 1, 0 },
        { "taint without a number",
          { S("k"), S("9"), TOLERATION_GT, TAINT_EFFECT_NONE },
          &blocking,
          1,
          0 },
};

static void test_covers(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                if (toleration_covers(&cases[i].toleration, cases[i].taint,
                                      cases[i].allows_order) != cases[i].covers)
                        fail_msg("%s", cases[i].name);
}

static void test_finds_first_untolerated(void **state) {
        (void)state;
        const struct taint taints[] = { repelling, evicting, blocking };
        const struct toleration tolerates = { .key = SLICE_LITERAL("k"),
                                              .op = TOLERATION_EXISTS,
                                              .effect = TAINT_NO_EXECUTE };
        assert_ptr_equal(
                taints_find_untolerated(taints, 3, &tolerates, 1, TAINTS_THAT_BLOCK, false),
                &taints[2]);
        assert_ptr_equal(
                taints_find_untolerated(taints, 3, &tolerates, 1, TAINTS_THAT_REPEL, false),
                &taints[0]);
        assert_null(taints_find_untolerated(taints, 2, &tolerates, 1, TAINTS_THAT_BLOCK, false));
        assert_int_equal(taints_count_repelling(taints, 3, &tolerates, 1, false), 1);
}

static void test_unschedulable(void **state) {
        (void)state;
        struct toleration tolerates = { .key = SLICE_LITERAL("node.kubernetes.io/unschedulable"),
                                        .op = TOLERATION_EXISTS,
                                        .effect = TAINT_NO_SCHEDULE };
        struct pod_spec spec = { .toleration_count = 1, .tolerations = &tolerates };
        assert_true(tolerates_unschedulable(&spec, false));
        tolerates.effect = TAINT_NO_EXECUTE;
        assert_false(tolerates_unschedulable(&spec, false));
        spec.toleration_count = 0;
        assert_false(tolerates_unschedulable(&spec, false));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_covers),
                cmocka_unit_test(test_finds_first_untolerated),
                cmocka_unit_test(test_unschedulable),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
