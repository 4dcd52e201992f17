/* Composed patches do what both would do one after the other: checked against the real application.
 */
#include "client/patch_compose.h"

#include "api/merge_patch.h"
#include "base/rng.h"
#include "base/util.h"
#include "client/resource_path.h"
#include "client/url_query.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_composing(void **state) {
        static const struct {
                enum patch_style style;
                const char *older, *newer, *expected; /* NULL = not one patch */
        } cases[] = {
                { PATCH_MERGE, "{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}" },
                { PATCH_MERGE, "{\"a\":{\"x\":1,\"y\":1}}", "{\"a\":{\"y\":null}}",
                  "{\"a\":{\"x\":1,\"y\":null}}" },
                { PATCH_MERGE, "{\"a\":{\"x\":1}}", "{\"a\":null}", "{\"a\":null}" },
                { PATCH_MERGE, "{\"a\":[1]}", "{\"a\":[2]}", "{\"a\":[2]}" },
                { PATCH_MERGE, "{\"a\":null}", "{\"a\":{\"x\":1}}", NULL },
                { PATCH_MERGE, "{\"a\":1}", "{\"a\":{\"x\":1}}", NULL },
                { PATCH_MERGE, "[]", "{}", NULL },
                { PATCH_MERGE, "{}", "{", NULL },
                { PATCH_STRATEGIC,
                  "{\"status\":{\"conditions\":[{\"type\":\"A\",\"status\":\"False\",\"r\":1}]}}",
                  "{\"status\":{\"conditions\":[{\"type\":\"B\"},{\"type\":\"A\",\"status\":"
                  "\"True\"}],\"nominatedNodeName\":\"n\"}}",
                  "{\"status\":{\"conditions\":[{\"type\":\"A\",\"status\":\"True\",\"r\":1},"
                  "{\"type\":\"B\"}],\"nominatedNodeName\":\"n\"}}" },
                { PATCH_STRATEGIC, "{\"l\":[1]}", "{\"l\":[2]}", NULL },
                { PATCH_STRATEGIC, "{\"l\":{}}", "{\"l\":[{\"type\":\"A\"}]}", NULL },
                { PATCH_STRATEGIC, "{\"$patch\":\"replace\"}", "{}", NULL },
                { PATCH_STRATEGIC, "{}", "{\"a\":{\"$retainKeys\":[]}}", NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf out = { 0 };
                bool is_one = patch_compose(cases[i].style, slice_of(cases[i].older),
                                            slice_of(cases[i].newer), &out);

                assert_int_equal(is_one, !!cases[i].expected);
                if (is_one)
                        assert_string_equal(out.data, cases[i].expected);
                buf_release(&out);
        }
}

static void random_value(struct rng *rng, int depth, struct buf *out) {
        static const char *const leaves[] = { "1", "2", "null", "[1]", "\"s\"" };
        bool has_any = false;

        if (depth == 0 || rng_below(rng, 3) == 0) {
                buf_text(out, leaves[rng_below(rng, ARRAY_LEN(leaves))]);
                return;
        }
        buf_char(out, '{');
        for (char key = 'a'; key < 'd'; key++) {
                if (rng_below(rng, 2))
                        continue;
                buf_printf(out, "%s\"%c\":", has_any ? "," : "", key);
                random_value(rng, depth - 1, out);
                has_any = true;
        }
        buf_char(out, '}');
}

static void apply(struct json_tree *target, struct slice patch) {
        struct json_tree *tree = NULL;

        assert_int_equal(json_tree_parse(patch, &tree, NULL), 0);
        merge_patch_apply(target, json_tree_root(tree), NULL);
        json_tree_free(tree);
}

static void test_against_application(void **state) {
        struct rng rng;
        int composed = 0;

        (void)state;
        rng_init(&rng, 11);
        for (int i = 0; i < 5000; i++) {
                struct buf texts[3] = { 0 }, out = { 0 };
                struct json_tree *in_order = NULL, *at_once = NULL;

                for (int j = 0; j < 3; j++) {
                        buf_text(&texts[j], "{\"a\":");
                        random_value(&rng, 2, &texts[j]);
                        buf_char(&texts[j], '}');
                }
                if (patch_compose(PATCH_MERGE, buf_view(&texts[1]), buf_view(&texts[2]), &out)) {
                        composed++;
                        json_tree_parse(buf_view(&texts[0]), &in_order, NULL);
                        json_tree_parse(buf_view(&texts[0]), &at_once, NULL);
                        apply(in_order, buf_view(&texts[1]));
                        apply(in_order, buf_view(&texts[2]));
                        apply(at_once, buf_view(&out));
                        if (!node_equal(json_tree_root(in_order), json_tree_root(at_once)))
                                fail_msg("%s + %s + %s", texts[0].data, texts[1].data,
                                         texts[2].data);
                }
                json_tree_free(in_order);
                json_tree_free(at_once);
                for (int j = 0; j < 3; j++)
                        buf_release(&texts[j]);
                buf_release(&out);
        }
        assert_true(composed > 1000);
}

static void test_resource_names(void **state) {
        static const struct {
                const char *path, *name;
        } cases[] = {
                { "/api/v1/namespaces/n/pods/p/binding", "pods/binding" },
                { "/api/v1/namespaces/n/pods/p", "pods" },
                { "/api/v1/namespaces/n/pods?x=a/b", "pods" },
                { "/api/v1/nodes/n1/status", "nodes/status" },
                { "/api/v1/namespaces", "namespaces" },
                { "/api/v1/namespaces/n", "namespaces" },
                { "/api/v1/namespaces/n/status", "namespaces/status" },
                { "/apis/coordination.k8s.io/v1/namespaces/n/leases/l", "leases" },
                { "/version", "/version" },
                { "/apis/apps/v1", "/apis/apps/v1" },
                { "/", "/" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf out = { 0 };

                resource_path_name(slice_of(cases[i].path), &out);
                assert_string_equal(out.data, cases[i].name);
                buf_release(&out);
        }
}

static void test_queries(void **state) {
        struct buf url = { 0 };

        (void)state;
        buf_text(&url, "/p");
        url_query_u64(&url, "limit", 5);
        url_query_text(&url, "s", SLICE_LITERAL("a=b, c/~\xc3\xa9"));
        assert_string_equal(url.data, "/p?limit=5&s=a%3Db%2C%20c%2F~%C3%A9");
        buf_release(&url);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_composing),
                cmocka_unit_test(test_against_application),
                cmocka_unit_test(test_resource_names),
                cmocka_unit_test(test_queries),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
