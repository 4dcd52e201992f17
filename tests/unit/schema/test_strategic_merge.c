/* Strategic merge patches: directives, merge keys and the order of elements. */
#include "base/err.h"
#include "base/util.h"
#include "schema/strategic_merge.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct merge_case {
        const char *kind, *target, *patch, *expect; /* expect NULL = refused */
};

#define CONTAINERS(list) "{\"spec\":{\"template\":{\"spec\":{\"containers\":" list "}}}}"
#define FINALIZERS(list) "{\"metadata\":{\"finalizers\":" list "}}"

static const struct merge_case cases[] = {
        /* A key that is null is one. */
        { "Deployment", CONTAINERS("[]"), CONTAINERS("[{\"name\":null,\"image\":\"x\"}]"),
          CONTAINERS("[{\"name\":null,\"image\":\"x\"}]") },
        { "Deployment", CONTAINERS("[{\"name\":\"c\"}]"), CONTAINERS("[{\"name\":null}]"),
          CONTAINERS("[{\"name\":null},{\"name\":\"c\"}]") },
        /* What is new in a list comes as it is, too. */
        { "Deployment", CONTAINERS("[]"),
          CONTAINERS("[{\"name\":\"c\",\"resources\":{\"$patch\":\"delete\"}}]"),
          CONTAINERS("[{\"name\":\"c\",\"resources\":{\"$patch\":\"delete\"}}]") },
        /* What replaces a map comes as it is. */
        { "Deployment", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
          "{\"metadata\":{\"labels\":{\"b\":null,\"$patch\":\"replace\"}}}",
          "{\"metadata\":{\"labels\":{\"b\":null}}}" },
        { "Deployment", "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":null,\"d\":3}}",
          "{\"a\":{\"c\":2,\"d\":3}}" },
        { "Deployment", "{\"a\":[1,2]}", "{\"a\":[3]}", "{\"a\":[3]}" },
        { "Deployment", "{}", "{\"a\":{\"b\":null,\"$patch\":\"replace\"}}", "{}" },
        { "Deployment", CONTAINERS("[{\"name\":\"a\",\"image\":\"1\"},{\"name\":\"b\"}]"),
          CONTAINERS("[{\"name\":\"a\",\"image\":\"2\"}]"),
          CONTAINERS("[{\"name\":\"a\",\"image\":\"2\"},{\"name\":\"b\"}]") },
        { "Deployment", CONTAINERS("[{\"name\":\"a\"},{\"name\":\"b\"}]"),
          CONTAINERS("[{\"name\":\"c\"}]"),
          CONTAINERS("[{\"name\":\"c\"},{\"name\":\"a\"},{\"name\":\"b\"}]") },
        { "Deployment", CONTAINERS("[{\"name\":\"x\"},{\"name\":\"y\"},{\"name\":\"z\"}]"),
          CONTAINERS("[{\"name\":\"y\",\"image\":\"9\"},{\"name\":\"w\"}]"),
          CONTAINERS("[{\"name\":\"x\"},{\"name\":\"y\",\"image\":\"9\"},{\"name\":\"w\"},"
                     "{\"name\":\"z\"}]") },
        /* Those of one key come together, though the patch names none of them. */
        { "Deployment",
          CONTAINERS("[{\"name\":\"x\"},{\"name\":\"y\"},{\"name\":\"x\",\"image\":\"2\"}]"),
          CONTAINERS("[]"),
          CONTAINERS("[{\"name\":\"x\"},{\"name\":\"x\",\"image\":\"2\"},{\"name\":\"y\"}]") },
        { "Deployment",
          CONTAINERS("[{\"name\":\"x\"},{\"name\":\"y\"},{\"name\":\"x\",\"image\":\"2\"}]"),
          CONTAINERS("[{\"name\":\"w\"},{\"name\":\"w\"},{\"name\":\"x\",\"image\":\"3\"}]"),
          CONTAINERS("[{\"name\":\"w\"},{\"name\":\"x\",\"image\":\"3\"},"
                     "{\"name\":\"x\",\"image\":\"2\"},{\"name\":\"y\"}]") },
        { "Deployment", CONTAINERS("[{\"name\":\"a\"},{\"name\":\"b\"}]"),
          CONTAINERS("[{\"$patch\":\"delete\",\"name\":\"a\"}]"),
          CONTAINERS("[{\"name\":\"b\"}]") },
        { "Deployment", CONTAINERS("[{\"name\":\"b\"}]"),
          CONTAINERS("[{\"$patch\":\"delete\",\"name\":\"a\"}]"),
          CONTAINERS("[{\"name\":\"b\"}]") },
        { "Deployment", CONTAINERS("[{\"name\":\"a\"},{\"name\":\"b\"}]"),
          CONTAINERS("[{\"$patch\":\"replace\"},{\"name\":\"c\"}]"),
          CONTAINERS("[{\"name\":\"c\"}]") },
        { "Deployment", CONTAINERS("[{\"name\":\"a\"}]"), CONTAINERS("[{\"image\":\"q\"}]"), NULL },
        { "Deployment", CONTAINERS("[{\"name\":\"a\"}]"),
          CONTAINERS("[{\"name\":\"a\",\"$patch\":\"frob\"}]"), NULL },
        { "Deployment", CONTAINERS("[{\"name\":\"a\"},{\"name\":\"b\"}]"),
          "{\"spec\":{\"template\":{\"spec\":{\"$setElementOrder/"
          "containers\":[{\"name\":\"b\"},{\"name\":\"a\"}]}}}}",
          CONTAINERS("[{\"name\":\"b\"},{\"name\":\"a\"}]") },
        { "Deployment", CONTAINERS("[{\"name\":\"a\"}]"),
          "{\"spec\":{\"template\":{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"a\"}],"
          "\"containers\":[{\"name\":\"zz\"}]}}}}",
          NULL },
        { "Deployment", CONTAINERS("[{\"name\":\"z\"},{\"name\":\"x\"},{\"name\":\"y\"}]"),
          "{\"spec\":{\"template\":{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"n\"},"
          "{\"name\":\"z\"}],\"containers\":[{\"name\":\"n\"},{\"name\":\"x\",\"$patch\":"
          "\"delete\"}]}}}}",
          CONTAINERS("[{\"name\":\"y\"},{\"name\":\"n\"},{\"name\":\"z\"}]") },
        { "Deployment", "{}", CONTAINERS("[{\"image\":\"q\"}]"),
          CONTAINERS("[{\"image\":\"q\"}]") },
        { "ConfigMap", FINALIZERS("[\"a\",\"b\"]"), FINALIZERS("[\"b\",\"c\"]"),
          FINALIZERS("[\"a\",\"b\",\"c\"]") },
        { "ConfigMap", FINALIZERS("[\"a\",\"b\"]"),
          "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"a\"]}}",
          FINALIZERS("[\"b\"]") },
        { "ConfigMap", FINALIZERS("[\"a\",\"a\"]"), FINALIZERS("[\"b\"]"),
          FINALIZERS("[\"b\",\"a\"]") },
        /* A list of deletions that is none means what it means without these words. */
        { "ConfigMap", FINALIZERS("[\"a\"]"),
          "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":null}}", "{\"metadata\":{}}" },
        { "ConfigMap", "{\"metadata\":{\"name\":\"a\",\"labels\":{\"a\":\"b\"}}}",
          "{\"metadata\":{\"$deleteFromPrimitiveList/name\":\"c\",\"$deleteFromPrimitiveList/"
          "labels\":{\"d\":\"e\"}}}",
          "{\"metadata\":{\"name\":\"c\",\"labels\":{\"a\":\"b\",\"d\":\"e\"}}}" },
        { "ConfigMap", FINALIZERS("[\"a\"]"),
          "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":{\"a\":1}}}",
          FINALIZERS("[\"a\"]") },
        { "ConfigMap", FINALIZERS("[\"a\"]"), FINALIZERS("[\"a\",\"b\",\"b\"]"),
          FINALIZERS("[\"a\",\"b\"]") },
        { "ConfigMap", "{\"data\":{\"a\":\"1\",\"b\":\"2\"}}",
          "{\"data\":{\"$patch\":\"replace\",\"c\":\"3\"}}", "{\"data\":{\"c\":\"3\"}}" },
        { "ConfigMap", "{\"data\":{\"a\":\"1\"}}", "{\"data\":{\"$patch\":\"delete\"}}",
          "{\"data\":{}}" },
        { "ConfigMap", "{\"data\":{\"a\":\"1\"}}", "{\"data\":{\"$patch\":\"frob\"}}", NULL },
        { "Deployment",
          "{\"spec\":{\"strategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{}}}}",
          "{\"spec\":{\"strategy\":{\"$retainKeys\":[\"type\"],\"type\":\"Recreate\"}}}",
          "{\"spec\":{\"strategy\":{\"type\":\"Recreate\"}}}" },
        { "Deployment", "{\"spec\":{\"strategy\":{\"type\":\"RollingUpdate\"}}}",
          "{\"spec\":{\"strategy\":{\"$retainKeys\":[\"x\"],\"type\":\"Recreate\"}}}", NULL },
        { "PodDisruptionBudget", "{\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"1\"}}}}",
          "{\"spec\":{\"selector\":{\"matchLabels\":{\"b\":\"2\"}}}}",
          "{\"spec\":{\"selector\":{\"matchLabels\":{\"b\":\"2\"}}}}" },
};

/* Refusals with their words; what is the client's mistake is told so. */
static const struct {
        const char *kind, *target, *patch, *complaint;
        int code;
} complaints[] = {
        { "Deployment", "{}", "{\"spec\":{\"$setElementOrder/containers\":[]}}", NULL, 0 },
        { "Pod", "{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}",
          "{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"d\"},\"c\"]}}",
          "value for key 1 is not a map", BERTH_ERR_INTERNAL },
        { "Pod", "{}", "{\"$patch\":\"x\",\"a\":9223372036854775808,\"b\":1.5,\"c\":1000000.0}",
          "unknown patch type: x in map: map[$patch:x a:9.223372036854776e+18 b:1.5 c:1e+06]",
          BERTH_ERR_INTERNAL },
        { "Deployment", CONTAINERS("[{\"image\":\"x\"}]"), CONTAINERS("[{\"name\":\"c\"}]"),
          "map: map[image:x] does not contain declared merge key: name", BERTH_ERR_INTERNAL },
        { "Pod", "{\"spec\":{\"containers\":[]}}",
          "{\"spec\":{\"containers\":[{\"image\":\"x\"}],\"$setElementOrder/"
          "containers\":[{\"name\":\"c\"}]}}",
          "map: map[image:x] does not contain declared merge key: name", BERTH_ERR_INTERNAL },
        { "Deployment", "{\"spec\":{}}", "{\"spec\":{\"$setElementOrder/containers\":[]}}",
          "unable to find api field in struct DeploymentSpec for the json field \"containers\"",
          BERTH_ERR_INTERNAL },
        { "Deployment", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
          "{\"metadata\":{\"labels\":{\"$setElementOrder/x\":[]}}}",
          "merging an object in json but data type is not struct, instead is: map",
          BERTH_ERR_INTERNAL },
        { "Pod", "{\"spec\":{}}", "{\"spec\":{\"$setElementOrder/containers\":\"x\"}}",
          "expected a []interface {}, but received a string", BERTH_ERR_INTERNAL },
        { "Pod", "{\"spec\":{}}", "{\"spec\":{\"$patch\":\"merge\"}}",
          "unknown patch type: merge in map: map[$patch:merge]", BERTH_ERR_INTERNAL },
        { "Pod", "{\"spec\":{}}", "{\"spec\":{\"$patch\":[1,null,{\"a\":\"b\"}]}}",
          "unknown patch type: [%!s(int64=1) <nil> map[a:b]] in map: map[$patch:[1 <nil> "
          "map[a:b]]]",
          BERTH_ERR_INTERNAL },
        { "Pod", FINALIZERS("[\"a\"]"),
          "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[1]}}",
          "list element types are not identical: [[a] [1]]", BERTH_ERR_INTERNAL },
        { "Pod", "{\"spec\":{\"tolerations\":[{\"key\":\"k\"}]}}",
          "{\"spec\":{\"$deleteFromPrimitiveList/tolerations\":[{\"key\":\"k\"}]}}",
          "cannot merge lists without merge key for struct", BERTH_ERR_INTERNAL },
        { "Pod", "{\"metadata\":{\"name\":\"a\"}}", "{\"metadata\":{\"$setElementOrder/name\":[]}}",
          "expected a []interface {}, but received a string", BERTH_ERR_INTERNAL },
        { "Pod", "{\"metadata\":{}}", "{\"metadata\":{\"$setElementOrder/labels\":[]}}",
          "expected slice or array type, but got: struct", BERTH_ERR_INTERNAL },
        { "Pod", "{\"spec\":{}}", "{\"spec\":{\"$patch\":1}}",
          "unknown patch type: %!s(int64=1) in map: map[$patch:1]", BERTH_ERR_INTERNAL },
        { "Pod", "{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}",
          "{\"spec\":{\"containers\":[{\"image\":\"x\"}]}}",
          "map: map[image:x] does not contain declared merge key: name", BERTH_ERR_INTERNAL },
        { "Pod", "{\"spec\":{}}", "{\"spec\":{\"$retainKeys\":\"x\"}}",
          "invalid patch format of retainKeys", BERTH_ERR_BAD_REQUEST },
        /* An order has nothing to order. */
        { "Pod", "{\"metadata\":{}}",
          "{\"metadata\":{\"finalizers\":[],\"$setElementOrder/finalizers\":[1]}}",
          "no elements in any of the given slices", BERTH_ERR_INTERNAL },
        { "Pod", "{\"metadata\":{\"finalizers\":[]}}",
          "{\"metadata\":{\"$setElementOrder/finalizers\":[]}}",
          "no elements in any of the given slices", BERTH_ERR_INTERNAL },
        { "Pod", "{\"metadata\":{\"finalizers\":[]}}", "{\"metadata\":{\"finalizers\":[]}}", NULL,
          0 },
        { "Node", "{\"metadata\":{}}",
          "{\"metadata\":{\"finalizers\":null,\"$setElementOrder/finalizers\":[1]}}",
          "expected a []interface {}, but received a %!s(<nil>)", BERTH_ERR_INTERNAL },
        /* where nothing was, a list enters as it is, and directives but $patch mean nothing */
        { "Pod", "{\"spec\":{}}", "{\"spec\":{\"containers\":[{\"image\":\"x\"}]}}", NULL, 0 },
        { "Pod", "{\"spec\":{}}", "{\"spec\":{\"nodeSelector\":{\"$retainKeys\":[]}}}", NULL, 0 },
};

static const struct schema_object *schema_of(const char *kind) {
        for (size_t i = 0; i < schema_root_count; i++) {
                if (strcmp(schema_roots[i].kind, kind) == 0)
                        return &schema_objects[schema_roots[i].object];
        }
        return NULL;
}

static void test_cases(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_tree *tree = NULL, *expect = NULL;
                struct json_doc *patch = NULL;
                struct buf complaint = { 0 };
                int r;

                assert_int_equal(json_tree_parse(slice_of(cases[i].target), &tree, NULL), 0);
                assert_int_equal(json_parse(slice_of(cases[i].patch), &patch, NULL), 0);
                r = strategic_merge(tree, json_tree_root(tree), schema_of(cases[i].kind),
                                    json_doc_root(patch), &complaint);
                if (!cases[i].expect) {
                        if (r == 0)
                                fail_msg("case %zu is accepted: %s", i, cases[i].patch);
                } else {
                        struct buf text = { 0 };

                        json_tree_parse(slice_of(cases[i].expect), &expect, NULL);
                        node_write(json_tree_root(tree), &text);
                        if (r < 0 || !node_equal(json_tree_root(tree), json_tree_root(expect)))
                                fail_msg("case %zu: %s gives %s (%s)", i, cases[i].patch, text.data,
                                         complaint.data ? complaint.data : "");
                        buf_release(&text);
                }
                json_tree_free(tree);
                json_tree_free(expect);
                json_doc_free(patch);
                buf_release(&complaint);
        }
}

/* What is said of patches that cannot be carried out. */
static void test_refusals(void **state) {
        static const struct {
                const char *kind, *target, *patch, *text;
        } refusals[] = {
                { "ConfigMap", "{}", "{\"data\":{\"$patch\":\"frob\",\"z\":1}}", NULL },
                { "ConfigMap", "{\"data\":{}}", "{\"data\":{\"$patch\":\"frob\",\"z\":1}}",
                  "unknown patch type: frob in map: map[$patch:frob z:1]" },
                { "Deployment", CONTAINERS("[{\"name\":\"a\"}]"),
                  CONTAINERS("[{\"name\":\"a\",\"$patch\":\"frob\"}]"),
                  "unknown patch type: frob in map: map[$patch:frob name:a]" },
                { "Deployment", CONTAINERS("[{\"name\":\"a\"}]"), CONTAINERS("[{\"image\":\"q\"}]"),
                  "map: map[image:q] does not contain declared merge key: name" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[{\"name\":\"u\"}],\"$setElementOrder/secrets\":[{\"name\":\"b\"},{"
                  "\"name\":\"t\"}]}",
                  "The order in patch list:\n[map[name:u]]\n doesn't match $setElementOrder "
                  "list:\n[map[name:b] map[name:t]]\n" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[{\"$patch\":1}]}",
                  "unknown patch type: %!s(int64=1) in map: map[$patch:1]" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[{\"$patch\":null}]}",
                  "unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[{\"$patch\":\"merge\"}]}",
                  "merging lists cannot yet be specified in the patch" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[{\"$patch\":\"replace\"},{\"kind\":\"x\"}]}",
                  "map: map[kind:x] does not contain declared merge key: name" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[],\"$setElementOrder/secrets\":[\"c\"]}",
                  "value for key 0 is not a map" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"$setElementOrder/secrets\":[{\"name\":\"t\"},\"x\"]}",
                  "expected a map[string]interface {}, but received a string" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[\"c\"],\"$setElementOrder/secrets\":[{\"name\":\"t\"}]}",
                  "expected a map[string]interface {}, but received a string" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[{\"name\":\"u\"}],\"$setElementOrder/secrets\":\"u\"}",
                  "expected a []interface {}, but received a string" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[{\"name\":\"u\"}],\"$setElementOrder/"
                  "secrets\":[{\"name\":\"u\"},7]}",
                  "value for key 1 is not a map" },
                { "ServiceAccount", "{\"secrets\":[{\"name\":\"t\"}]}",
                  "{\"secrets\":[{\"name\":\"u\"}],\"$setElementOrder/"
                  "secrets\":[{\"name\":\"u\"},{}]}",
                  "map: map[] does not contain declared merge key: name" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
                struct json_tree *tree = NULL;
                struct json_doc *patch = NULL;
                struct buf complaint = { 0 };

                assert_int_equal(json_tree_parse(slice_of(refusals[i].target), &tree, NULL), 0);
                assert_int_equal(json_parse(slice_of(refusals[i].patch), &patch, NULL), 0);
                int r = strategic_merge(tree, json_tree_root(tree), schema_of(refusals[i].kind),
                                        json_doc_root(patch), &complaint);
                if (refusals[i].text && r == 0)
                        fail_msg("case %zu is accepted: %s", i, refusals[i].patch);
                if (refusals[i].text)
                        assert_string_equal(complaint.data, refusals[i].text);
                json_tree_free(tree);
                json_doc_free(patch);
                buf_release(&complaint);
        }
}

static void test_complaints(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(complaints); i++) {
                struct json_tree *tree = NULL;
                struct json_doc *patch = NULL;
                struct buf complaint = { 0 };

                assert_int_equal(json_tree_parse(slice_of(complaints[i].target), &tree, NULL), 0);
                assert_int_equal(json_parse(slice_of(complaints[i].patch), &patch, NULL), 0);
                int r = strategic_merge(tree, json_tree_root(tree), schema_of(complaints[i].kind),
                                        json_doc_root(patch), &complaint);
                const char *expect = complaints[i].complaint ? complaints[i].complaint : "";
                if (r != complaints[i].code || !slice_eq(buf_view(&complaint), slice_of(expect)))
                        fail_msg("complaint %zu: %s: %d \"" SLICE_FMT "\"", i, complaints[i].patch,
                                 r, SLICE_ARG(buf_view(&complaint)));
                json_tree_free(tree);
                json_doc_free(patch);
                buf_release(&complaint);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases),
                                            cmocka_unit_test(test_complaints),
                                            cmocka_unit_test(test_refusals) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
