/* Ownership of fields: sets from values, algebra, order, differences, merging, pruning, checks. */
#include "base/go_quote.h"
#include "base/util.h"
#include "schema/field_check.h"
#include "schema/field_merge.h"
#include "schema/field_step.h"
#include "schema/field_walk.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define POD(spec) "{\"spec\":" spec "}"

static struct field_shape shape(const char *kind) {
        return field_shape_of(schema_find(SLICE_EMPTY, SLICE_LITERAL("v1"), slice_of(kind)));
}

static struct json_node *parse(struct json_tree *tree, const char *text) {
        struct json_tree *parsed;
        struct err err = { 0 };

        if (json_tree_parse(slice_of(text), &parsed, &err) < 0)
                fail_msg("%s: %s", text, err.text);
        struct json_node *node = node_clone(tree, json_tree_root(parsed));
        json_tree_free(parsed);
        return node;
}

static void expect_node(const struct json_node *node, const char *expected) {
        struct buf text = { 0 };

        node_write(node, &text);
        assert_string_equal(text.data, expected);
        buf_release(&text);
}

static void test_of(void **state) {
        static const struct {
                const char *kind, *object, *set;
        } cases[] = {
                { "ConfigMap", "{\"data\":{\"a\":\"1\"}}", "{\"f:data\":{\"f:a\":{}}}" },
                { "ConfigMap", "{\"data\":{}}", "{\"f:data\":{}}" },
                { "ConfigMap", "{\"data\":null}", "{\"f:data\":{}}" },
                { "Pod", POD("{\"containers\":[]}"), "{}" },
                { "Pod", POD("{\"tolerations\":[{\"key\":\"a\"}]}"),
                  "{\"f:spec\":{\"f:tolerations\":{}}}" },
                { "Pod", POD("{\"containers\":[{\"name\":\"b\",\"resources\":{}}]}"),
                  "{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"b\\\"}\":{\".\":{},"
                  "\"f:name\":{},\"f:resources\":{}}}}}" },
                /* Elements that are owned as a whole, sets, namesakes. */
                { "Pod", POD("{\"imagePullSecrets\":[{\"name\":\"r\"}]}"),
                  "{\"f:spec\":{\"f:imagePullSecrets\":{\"k:{\\\"name\\\":\\\"r\\\"}\":{}}}}" },
                { "Pod", "{\"metadata\":{\"finalizers\":[\"b\",\"a\"]}}",
                  "{\"f:metadata\":{\"f:finalizers\":{\"v:\\\"a\\\"\":{},\"v:\\\"b\\\"\":{}}}}" },
                { "Pod",
                  POD("{\"containers\":[{\"name\":\"b\",\"env\":[{\"name\":\"x\"},{\"name\":\"x\","
                      "\"value\":\"1\"}]}]}"),
                  "{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"b\\\"}\":{\".\":{},"
                  "\"f:env\":{\"k:{\\\"name\\\":\\\"x\\\"}\":{}},\"f:name\":{}}}}}" },
                /* Escaped texts in order of what they stand for. */
                { "Node", "{\"spec\":{\"podCIDRs\":[\"A\",\"<\"]}}",
                  "{\"f:spec\":{\"f:podCIDRs\":{\"v:\\\"\\\\u003c\\\"\":{},\"v:\\\"A\\\"\":{}}}}" },
                { "Node", "{\"spec\":{\"podCIDRs\":[\"a!\",\"a b\",\"a\"]}}",
                  "{\"f:spec\":{\"f:podCIDRs\":{\"v:\\\"a\\\"\":{},\"v:\\\"a "
                  "b\\\"\":{},\"v:\\\"a!\\\"\":{}}}}" },
                { "Node", "{\"spec\":{\"podCIDRs\":[\"é\",\"\\n\",\"\\\\\",\"\\t\",\"~\"]}}",
                  "{\"f:spec\":{\"f:podCIDRs\":{\"v:\\\"\\\\t\\\"\":{},\"v:\\\"\\\\n\\\"\":{},"
                  "\"v:\\\"\\\\\\\\\\\"\":{},\"v:\\\"~\\\"\":{},\"v:\\\"é\\\"\":{}}}}" },
                { "Pod", POD("{\"containers\":[{\"name\":\"A\"},{\"name\":\"<\"}]}"),
                  "{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"\\\\u003c\\\"}\":{\".\":{},"
                  "\"f:name\":{}},\"k:{\\\"name\\\":\\\"A\\\"}\":{\".\":{},\"f:name\":{}}}}}" },
                /* Numbers in order of value; an absent protocol is TCP. */
                { "Pod",
                  POD("{\"containers\":[{\"ports\":[{\"containerPort\":443},{\"containerPort\":80}]"
                      "}]}"),
                  "{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"\\\"}\":{\".\":{},"
                  "\"f:ports\":{\"k:{\\\"containerPort\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{"
                  "\".\":{},\"f:containerPort\":{}},\"k:{\\\"containerPort\\\":443,\\\"protocol\\\""
                  ":\\\"TCP\\\"}\":{\".\":{},\"f:containerPort\":{}}}}}}}" },
        };
        struct json_tree *tree = json_tree_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_node *set =
                        field_set_of(tree, shape(cases[i].kind), parse(tree, cases[i].object));

                field_set_sort(set);
                expect_node(set, cases[i].set);
        }
        json_tree_free(tree);
}

static void test_algebra(void **state) {
        static const struct {
                const char *a, *b, *sum, *difference, *common;
        } cases[] = {
                { "{\"f:a\":{}}", "{\"f:a\":{\"f:b\":{}}}", "{\"f:a\":{\".\":{},\"f:b\":{}}}",
                  "{\"f:a\":{}}", "{}" },
                { "{\"f:a\":{\"f:b\":{}}}", "{\"f:a\":{}}", "{\"f:a\":{\".\":{},\"f:b\":{}}}",
                  "{\"f:a\":{\"f:b\":{}}}", "{}" },
                { "{\"f:a\":{\".\":{},\"f:b\":{}}}", "{\"f:a\":{}}",
                  "{\"f:a\":{\".\":{},\"f:b\":{}}}", "{\"f:a\":{\"f:b\":{}}}", "{\"f:a\":{}}" },
                { "{\"f:a\":{\".\":{},\"f:b\":{}}}", "{\"f:a\":{\"f:b\":{}}}",
                  "{\"f:a\":{\".\":{},\"f:b\":{}}}", "{\"f:a\":{}}", "{\"f:a\":{\"f:b\":{}}}" },
                { "{\"f:a\":{\"f:b\":{}}}", "{\"f:a\":{\"f:b\":{}}}", "{\"f:a\":{\"f:b\":{}}}",
                  "{}", "{\"f:a\":{\"f:b\":{}}}" },
                { "{\"f:a\":{\"f:x\":{}}}", "{\"f:a\":{\"f:x\":{},\"f:y\":{}},\"f:b\":{}}",
                  "{\"f:a\":{\"f:x\":{},\"f:y\":{}},\"f:b\":{}}", "{}", "{\"f:a\":{\"f:x\":{}}}" },
                { "{\"f:a\":{\".\":{},\"f:x\":{}},\"f:b\":{}}",
                  "{\"f:a\":{\"f:x\":{},\"f:y\":{},\"f:z\":{}},\"f:c\":{},\"f:d\":{}}",
                  "{\"f:a\":{\".\":{},\"f:x\":{},\"f:y\":{},\"f:z\":{}},\"f:b\":{},\"f:c\":{},\"f:"
                  "d\":{}}",
                  "{\"f:a\":{},\"f:b\":{}}", "{\"f:a\":{\"f:x\":{}}}" },
        };
        struct json_tree *tree = json_tree_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_node *sum = parse(tree, cases[i].a), *rest = parse(tree, cases[i].a);
                struct json_node *b = parse(tree, cases[i].b);

                field_set_add(tree, sum, b);
                field_set_sort(sum);
                expect_node(sum, cases[i].sum);
                field_set_subtract(rest, b);
                field_set_sort(rest);
                expect_node(rest, cases[i].difference);
                expect_node(field_set_common(tree, parse(tree, cases[i].a), b), cases[i].common);
        }
        json_tree_free(tree);
}

static void add_path(void *context, const char *path) {
        buf_printf(context, "%s ", path);
}

static void test_paths(void **state) {
        struct json_tree *tree = json_tree_new();
        struct buf text = { 0 };

        (void)state;
        field_set_each(parse(tree, "{\"f:b\":{\".\":{},\"k:{\\\"n\\\":\\\"x:y\\\",\\\"p\\\":80}\":{"
                                   "\"f:z\":{}}},\"f:c\":{\"v:\\\"q\\\"\":{}},\"f:d\":{}}"),
                       add_path, &text);
        assert_string_equal(text.data, ".b .d .b[n=\"x:y\",p=80].z .c[=\"q\"] ");
        buf_release(&text);
        json_tree_free(tree);
}

/* As a kube-apiserver answers them. */
static void test_sent_sets(void **state) {
        static const struct {
                const char *sent, *read; /* NULL: it is none; "" = as sent */
        } cases[] = {
                { "{\"f:a\":{\".\":{}}}", "" },
                { "{\"f:a\":{\"k:{\\\"name\\\":\\\"c\\\"}\":{\"f:b\":{}}},\"f:\":{}}", "" },
                { "{\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{},\"v:1\":{},\"v:null\":{"
                  "}}",
                  "" },
                { "{\".\":{}}", "{}" },
                { "{\"a\":{}}", NULL },
                { "{\"\":{}}", NULL },
                { "{\"f:a\":1}", NULL },
                { "{\"f:a\":{\"f\":{}}}", NULL },
                { "{\"v:bad\":{}}", NULL },
                { "{\"v:\":{}}", NULL },
                { "{\"k:[]\":{}}", NULL },
                { "{\"k:{bad\":{}}", NULL },
                { "{\"i:x\":{}}", NULL },
                { "{\"i:01\":{},\"i:-1\":{}}", "{\"i:1\":{},\"i:-1\":{}}" },
                { "{\"x:y\":1,\"f:z\":{}}", "{\"f:z\":{}}" },
                { "{\"v: \\\"a\\\" \":{}}", "{\"v:\\\"a\\\"\":{}}" },
                { "{\"v:1 2\":{}}", "{\"v:1\":{}}" },
                { "{\"v:1.50\":{}}", "{\"v:1.5\":{}}" },
                { "{\"v:\\\"\\\\u00e9\\\"\":{}}", "{\"v:\\\"\xc3\xa9\\\"\":{}}" },
                { "{\"k:{\\\"name\\\":\\\"\\u0000\\\"}\":{}}", NULL },
                { "{\"v:\\\"<&>\\\"\":{}}", "{\"v:\\\"\\\\u003c\\\\u0026\\\\u003e\\\"\":{}}" },
                { "{\"v:\\\"\xe2\x80\xa8\\\"\":{}}", "{\"v:\\\"\\\\u2028\\\"\":{}}" },
                { "{\"k:null\":{}}", "{\"k:{}\":{}}" },
                { "{\"k:{\\\"a\\\":1}x\":{}}", "{\"k:{\\\"a\\\":1}\":{}}" },
                { "{\"f:l\":{\"k:{\\\"b\\\":1,\\\"a\\\":2}\":{\"f:x\":{}},\"k:{\\\"a\\\":2,"
                  "\\\"b\\\":1}\":{"
                  "\"f:y\":{}}}}",
                  "{\"f:l\":{\"k:{\\\"a\\\":2,\\\"b\\\":1}\":{\"f:x\":{},\"f:y\":{}}}}" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_tree *tree = json_tree_new();
                struct json_node *sent = parse(tree, cases[i].sent);
                struct json_node *read = field_set_read(tree, sent);
                struct buf text = { 0 };

                if (!cases[i].read) {
                        if (read)
                                fail_msg("%s is taken", cases[i].sent);
                } else {
                        assert_true(read && (cases[i].read[0] || read == sent));
                        node_write(read, &text);
                        assert_string_equal(text.data,
                                            cases[i].read[0] ? cases[i].read : cases[i].sent);
                }
                buf_release(&text);
                json_tree_free(tree);
        }
}

static void test_quoted(void **state) {
        static const char sent[] = "a\"\\\n\x01\x7f<\xc3\xa9\xff\xe2\x80\xa8\xf3\xb0\x80\x80";
        struct buf text = { 0 };

        (void)state;
        go_quote_write(slice_of(sent), &text);
        assert_string_equal(text.data,
                            "\"a\\\"\\\\\\n\\x01\\x7f<\xc3\xa9\\xff\\u2028\\U000f0000\"");
        buf_clear(&text);
        field_step_print(SLICE_LITERAL("k:{\"a\":\"\\u003c\",\"b\":1}"), &text);
        field_step_print(SLICE_LITERAL("v:\"\\n\""), &text);
        field_step_print(SLICE_LITERAL("i:3"), &text);
        assert_string_equal(text.data, "[a=\"<\",b=1][=\"\\n\"][3]");
        buf_release(&text);
}

static void test_changes(void **state) {
        static const struct {
                const char *kind, *before, *after, *sets[CHANGES];
        } cases[] = {
                { "ConfigMap",
                  "{\"data\":{\"a\":\"1\",\"b\":\"1\"}}",
                  "{\"data\":{\"a\":\"2\",\"c\":\"1\"}}",
                  { "{\"f:data\":{\"f:c\":{}}}", "{\"f:data\":{\"f:b\":{}}}",
                    "{\"f:data\":{\"f:a\":{}}}" } },
                { "ConfigMap",
                  "{}",
                  "{\"data\":{\"a\":\"1\"}}",
                  { "{\"f:data\":{\".\":{},\"f:a\":{}}}", "{}", "{}" } },
                { "Pod",
                  POD("{\"containers\":[{\"name\":\"a\"}]}"),
                  POD("{\"containers\":[{\"name\":\"b\"}]}"),
                  { "{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"b\\\"}\":{\".\":{},"
                    "\"f:name\":{}}}}}",
                    "{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"a\\\"}\":{\".\":{},"
                    "\"f:name\":{}}}}}",
                    "{}" } },
                { "Pod",
                  POD("{\"containers\":null}"),
                  POD("{\"containers\":[{\"name\":\"b\"}]}"),
                  { "{\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"b\\\"}\":{\".\":{},"
                    "\"f:name\":{}}}}}",
                    "{}", "{}" } },
                /* The order of members is no difference. */
                { "ConfigMap",
                  "{\"data\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"},\"metadata\":{\"name\":\"m\"}}",
                  "{\"metadata\":{\"name\":\"m\"},\"immutable\":true,\"data\":{\"c\":\"3\",\"a\":"
                  "\"1\","
                  "\"b\":\"2\"}}",
                  { "{\"f:immutable\":{}}", "{}", "{}" } },
                { "Pod",
                  POD("{\"nodeName\":\"n\"}"),
                  POD("{\"imagePullSecrets\":[{\"name\":\"a\"},{\"name\":\"b\"}]}"),
                  { "{\"f:spec\":{\"f:imagePullSecrets\":{\".\":{},\"k:{\\\"name\\\":\\\"a\\\"}\":{"
                    "},"
                    "\"k:{\\\"name\\\":\\\"b\\\"}\":{}}}}",
                    "{\"f:spec\":{\"f:nodeName\":{}}}", "{}" } },
        };
        struct json_tree *tree = json_tree_new();
        struct json_doc *doc;
        struct err err = { 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_node *after = parse(tree, cases[i].after);

                assert_int_equal(json_parse(slice_of(cases[i].before), &doc, &err), 0);
                struct field_changes changes[] = {
                        field_set_compare(tree, shape(cases[i].kind), parse(tree, cases[i].before),
                                          after),
                        field_set_since(tree, shape(cases[i].kind), json_doc_root(doc), after)
                };
                for (size_t k = 0; k < 2 * CHANGES; k++) {
                        struct json_node *set = changes[k / CHANGES].sets[k % CHANGES];

                        field_set_sort(set);
                        expect_node(set, cases[i].sets[k % CHANGES]);
                }
                json_doc_free(doc);
        }
        json_tree_free(tree);
}

#define LIST(names) POD("{\"imagePullSecrets\":[" names "]}")
#define N(name) "{\"name\":\"" name "\"}"

static void test_merge(void **state) {
        static const struct {
                const char *kind, *live, *applied, *merged;
        } cases[] = {
                { "ConfigMap", "{\"data\":{\"a\":\"1\"}}", "{\"data\":{\"b\":\"2\"}}",
                  "{\"data\":{\"a\":\"1\",\"b\":\"2\"}}" },
                { "ConfigMap", "{\"data\":{\"a\":\"1\"}}", "{\"data\":null}",
                  "{\"data\":{\"a\":\"1\"}}" },
                /* The configuration's order; what it does not name stays where it is. */
                { "Pod", LIST(N("a") "," N("b") "," N("c")), LIST(N("c") "," N("a")),
                  LIST(N("b") "," N("c") "," N("a")) },
                { "Pod", LIST(N("a") "," N("b")), LIST(N("c")),
                  LIST(N("a") "," N("b") "," N("c")) },
                { "Pod", LIST(N("a") "," N("a")), LIST(N("a")), LIST(N("a")) },
                { "Pod", POD("{\"tolerations\":[{\"key\":\"a\"}]}"),
                  POD("{\"tolerations\":[{\"key\":\"b\"}]}"),
                  POD("{\"tolerations\":[{\"key\":\"b\"}]}") },
        };
        struct json_tree *tree = json_tree_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                expect_node(field_merge(tree, shape(cases[i].kind), parse(tree, cases[i].live),
                                        parse(tree, cases[i].applied)),
                            cases[i].merged);
        json_tree_free(tree);
}

static void test_prune(void **state) {
        static const struct {
                const char *merged, *last, *owned, *result;
        } cases[] = {
                { "{\"data\":{\"a\":\"1\",\"b\":\"1\"}}", "{\"f:data\":{\"f:a\":{}}}",
                  "{\"f:data\":{\"f:b\":{}}}", "{\"data\":{\"b\":\"1\"}}" },
                { "{\"data\":{\"a\":\"1\"}}", "{\"f:data\":{\"f:a\":{}}}",
                  "{\"f:data\":{\"f:a\":{}}}", "{\"data\":{\"a\":\"1\"}}" },
                /* A struct's field counts as owned with what is below it, and goes with it. */
                { "{\"data\":{\"a\":\"1\"}}", "{\"f:data\":{\"f:a\":{}}}", "{}", "{}" },
                { "{\"data\":{\"a\":\"1\"}}", "{}", "{}", "{\"data\":{\"a\":\"1\"}}" },
        };
        struct json_tree *tree = json_tree_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_node *merged = parse(tree, cases[i].merged);

                field_prune(tree, shape("ConfigMap"), merged, parse(tree, cases[i].last),
                            parse(tree, cases[i].owned));
                expect_node(merged, cases[i].result);
        }
        json_tree_free(tree);
}

static void test_check(void **state) {
        static const struct {
                const char *applied, *complaint;
        } cases[] = {
                { POD("{\"containers\":[{\"name\":\"a\"}]}"), "" },
                { "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"labels\":null}}", "" },
                { POD("{\"foo\":1}"), ".spec.foo: field not declared in schema" },
                { POD("{\"hostNetwork\":\"x\"}"), ".spec.hostNetwork: expected boolean, got &{x}" },
                { POD("{\"priority\":\"x\"}"),
                  ".spec.priority: expected numeric (int or float), got string" },
                { POD("{\"nodeName\":true}"),
                  ".spec.nodeName: expected string, got &value.valueUnstructured{Value:true}" },
                { POD("{\"containers\":{\"foo\":\"1\"}}"),
                  ".spec.containers: expected list, got &{map[foo:1]}" },
                { POD("{\"containers\":{\"b\":[1,null],\"a\":\"x\"}}"),
                  ".spec.containers: expected list, got &{map[a:x b:[1 <nil>]]}" },
                { POD("{\"nodeName\":{\"b\":[1,null],\"a\":\"x\"}}"),
                  ".spec.nodeName: expected string, got &value.valueUnstructured{Value:"
                  "map[string]interface {}{\"a\":\"x\", \"b\":[]interface {}{1, "
                  "interface {}(nil)}}}" },
                { POD("{\"containers\":[{\"name\":\"a\"},{\"name\":\"a\"}]}"),
                  ".spec.containers: duplicate entries for key [name=\"a\"]" },
                { POD("{\"containers\":[null]}"),
                  ".spec.containers: element 0: associative list with keys may not have a null "
                  "element" },
                { POD("{\"containers\":[{\"name\":\"a\",\"tty\":1}]}"),
                  ".spec.containers[name=\"a\"].tty: expected boolean, got &{1}" },
                { POD("{\"priority\":\"x\",\"nodeName\":{}}"),
                  "errors:\n  .spec.priority: expected numeric (int or float), got string\n  "
                  ".spec.nodeName: expected string, got &value.valueUnstructured{Value:"
                  "map[string]interface {}{}}" },
        };
        struct json_tree *tree = json_tree_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct buf text = { 0 };

                field_check(shape("Pod").object, parse(tree, cases[i].applied), &text);
                assert_string_equal(text.data ? text.data : "", cases[i].complaint);
                buf_release(&text);
        }
        json_tree_free(tree);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_of),     cmocka_unit_test(test_algebra),
                cmocka_unit_test(test_paths),  cmocka_unit_test(test_sent_sets),
                cmocka_unit_test(test_quoted), cmocka_unit_test(test_changes),
                cmocka_unit_test(test_merge),  cmocka_unit_test(test_prune),
                cmocka_unit_test(test_check),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
