/* JSON Merge Patch. */
#include "api/merge_patch.h"
#include "api_test.h"

static void test_apply(void **state) {
        static const struct {
                const char *document, *patch, *result;
        } cases[] = {
                { "{\"a\":1}", "{}", "{\"a\":1}" },
                { "{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}" },
                { "{\"a\":1,\"b\":2}", "{\"a\":null}", "{\"b\":2}" },
                { "{\"a\":1}", "{\"gone\":null}", "{\"a\":1}" },
                { "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":null,\"d\":3}}",
                  "{\"a\":{\"c\":2,\"d\":3}}" },
                { "{\"a\":[1,2]}", "{\"a\":[3]}", "{\"a\":[3]}" },
                { "{\"a\":1}", "{\"a\":{\"b\":null,\"c\":{\"d\":null,\"e\":1}}}",
                  "{\"a\":{\"c\":{\"e\":1}}}" },
                { "{}", "{\"a\":{\"b\":null}}", "{\"a\":{}}" },
                { "{\"a\":null}", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}" },
                { "{\"a\":{\"b\":1}}", "{\"a\":\"x\"}", "{\"a\":\"x\"}" },
                { "{\"a\":1}", "{\"a\":[{\"x\":null,\"y\":1},null]}", "{\"a\":[{\"y\":1},null]}" },
                { "{\"a\":{}}", "{\"a\":[{\"x\":null}]}", "{\"a\":[{\"x\":null}]}" },
                { "{\"a\":18446744073709551615}", "{\"b\":-1.5}",
                  "{\"a\":18446744073709551615,\"b\":-1.5}" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_tree *tree = must_parse_tree(cases[i].document);
                struct json_tree *patch = must_parse_tree(cases[i].patch);
                assert_int_equal(merge_patch_apply(tree, json_tree_root(patch), NULL), 0);
                json_tree_free(patch); /* nothing of it may be left in the result */
                assert_tree_is(tree, cases[i].result);
                json_tree_free(tree);
        }
}

/* What is opened is sorted: the objects along the patch, what comes new, and what was no object. */
static void test_sorted(void **state) {
        struct json_tree *tree = must_parse_tree("{\"z\":{\"y\":{\"b\":1,\"a\":2},\"x\":1},\"w\":{"
                                                 "\"d\":1,\"c\":2},\"v\":{},\"u\":[]}");
        struct json_tree *patch =
                must_parse_tree("{\"z\":{\"k\":[{\"f\":1,\"e\":2}]},\"v\":[{\"h\":1,\"g\":null}],"
                                "\"u\":[{\"j\":1,\"i\":2}]}");

        (void)state;
        assert_int_equal(merge_patch_apply_sorted(tree, json_tree_root(patch), NULL), 0);
        json_tree_free(patch);
        assert_tree_is(
                tree,
                "{\"u\":[{\"i\":2,\"j\":1}],\"v\":[{\"h\":1,\"g\":null}],\"w\":{\"d\":1,\"c\":2},"
                "\"z\":{\"k\":[{\"e\":2,\"f\":1}],\"x\":1,\"y\":{\"b\":1,\"a\":2}}}");
        json_tree_free(tree);
}

static void test_refused(void **state) {
        static const struct {
                const char *document, *patch;
        } cases[] = { { "{}", "[]" }, { "{}", "null" }, { "{}", "\"x\"" }, { "[]", "{}" } };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_tree *tree = must_parse_tree(cases[i].document);
                struct json_tree *patch = must_parse_tree(cases[i].patch);
                struct err err = { 0 };
                assert_int_equal(merge_patch_apply(tree, json_tree_root(patch), &err),
                                 BERTH_ERR_BAD_REQUEST);
                assert_tree_is(tree, cases[i].document);
                json_tree_free(patch);
                json_tree_free(tree);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_apply),
                cmocka_unit_test(test_sorted),
                cmocka_unit_test(test_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
