/* JSON Patch. */
#include "api/json_patch.h"
#include "api_test.h"

static int apply(const char *document, const char *ops, struct json_tree **ret_tree,
                 struct err *err) {
        struct json_tree *tree = must_parse_tree(document), *patch = must_parse_tree(ops);
        int r = json_patch_apply(tree, json_tree_root(patch), err);
        json_tree_free(patch); /* nothing of it may be left in the result */
        *ret_tree = tree;
        return r;
}

#define OP(op, path) "{\"op\":\"" op "\",\"path\":\"" path "\"}"
#define OP_VALUE(op, path, value) "{\"op\":\"" op "\",\"path\":\"" path "\",\"value\":" value "}"
#define OP_FROM(op, from, path) "{\"op\":\"" op "\",\"from\":\"" from "\",\"path\":\"" path "\"}"

static void test_apply(void **state) {
        static const struct {
                const char *document, *ops, *result;
        } cases[] = {
                { "{\"a\":1}", "[]", "{\"a\":1}" },
                { "{\"a\":1}", "[" OP_VALUE("add", "/b", "{\"c\":2}") "]",
                  "{\"a\":1,\"b\":{\"c\":2}}" },
                { "{\"a\":1}", "[" OP_VALUE("add", "/a", "[2]") "]", "{\"a\":[2]}" },
                { "{\"a\":[1,2]}", "[" OP_VALUE("add", "/a/1", "9") "]", "{\"a\":[1,9,2]}" },
                { "{\"a\":[1,2]}", "[" OP_VALUE("add", "/a/2", "9") "]", "{\"a\":[1,2,9]}" },
                { "{\"a\":[1,2]}", "[" OP_VALUE("add", "/a/-", "9") "]", "{\"a\":[1,2,9]}" },
                { "{\"a\":[1,2]}", "[" OP_VALUE("add", "/a/-1", "9") "]", "{\"a\":[1,2,9]}" },
                { "{\"a\":[]}", "[" OP_VALUE("add", "/a/0", "null") "]", "{\"a\":[null]}" },
                { "{\"a\":1}", "[" OP("add", "/b") "]", "{\"a\":1,\"b\":null}" },
                { "{}", "[" OP("add", "/b") "," OP("test", "/b") "]", "{\"b\":null}" },
                { "{\"b\":null}", "[" OP("test", "/b") "]", "{\"b\":null}" },
                { "{}", "[" OP_VALUE("add", "/b", "null") "," OP_VALUE("test", "/b", "null") "]",
                  "{\"b\":null}" },
                { "{\"a\":1,\"b\":2}", "[" OP("remove", "/a") "]", "{\"b\":2}" },
                { "{\"a\":[1,2,3]}", "[" OP("remove", "/a/1") "]", "{\"a\":[1,3]}" },
                { "{\"a\":[1,2,3]}", "[" OP("remove", "/a/-1") "]", "{\"a\":[1,2]}" },
                { "{\"a\":1}", "[" OP_VALUE("replace", "/a", "2") "]", "{\"a\":2}" },
                { "{\"a\":1}", "[" OP_VALUE("replace", "/new", "2") "]", "{\"a\":1,\"new\":2}" },
                { "{\"a\":[1,2,3]}", "[" OP_VALUE("replace", "/a/0", "{}") "]",
                  "{\"a\":[{},2,3]}" },
                { "{\"a\":[1,2,3]}", "[" OP_VALUE("replace", "/a/2", "7") "]", "{\"a\":[1,2,7]}" },
                { "{\"a\":1}", "[" OP_VALUE("replace", "", "[1]") "]", "[1]" },
                { "{\"a\":{\"b\":1},\"c\":{}}", "[" OP_FROM("move", "/a/b", "/c/d") "]",
                  "{\"a\":{},\"c\":{\"d\":1}}" },
                { "{\"a\":[1,2,3]}", "[" OP_FROM("move", "/a/0", "/a/2") "]", "{\"a\":[2,3,1]}" },
                { "{\"a\":{\"b\":1}}", "[" OP_FROM("copy", "/a", "/a/c") "]",
                  "{\"a\":{\"b\":1,\"c\":{\"b\":1}}}" },
                { "{\"a\":1}", "[" OP_FROM("copy", "/gone", "/b") "]", "{\"a\":1,\"b\":null}" },
                { "{\"a/b\":{\"~c\":1}}", "[" OP("remove", "/a~1b/~0c") "]", "{\"a/b\":{}}" },
                { "{\"~1\":1,\"/\":2}", "[" OP("remove", "/~01") "]", "{\"/\":2}" },
                { "{\"\":{\"\":1}}", "[" OP_VALUE("add", "//x", "2") "]",
                  "{\"\":{\"\":1,\"x\":2}}" },
                { "{\"a\":{\"x\":1,\"y\":[2]}}",
                  "[" OP_VALUE("test", "/a", "{\"y\":[2],\"x\":1}") "," OP("remove", "/a") "]",
                  "{}" },
                { "{\"a\":null}",
                  "[" OP_VALUE("test", "/a", "null") "," OP_VALUE("test", "/b",
                                                                  "null") "," OP("test", "/b") "]",
                  "{\"a\":null}" },
                { "{\"a\":1}", "[" OP_VALUE("test", "", "{\"a\":1}") "]", "{\"a\":1}" },
                { "[1,[2]]", "[" OP_VALUE("add", "/1/0", "3") "]", "[1,[3,2]]" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_tree *tree;
                struct err err = { 0 };
                if (apply(cases[i].document, cases[i].ops, &tree, &err) < 0)
                        fail_msg("%s: %s", cases[i].ops, err.text);
                assert_tree_is(tree, cases[i].result);
                json_tree_free(tree);
        }
}

static void test_refused(void **state) {
        static const struct {
                const char *document, *ops;
                int code;
        } cases[] = {
                { "{}", "{}", BERTH_ERR_BAD_REQUEST },
                { "{}", "null", BERTH_ERR_BAD_REQUEST },
                { "{}", "[1]", BERTH_ERR_BAD_REQUEST },
                { "{}", "[{}]", BERTH_ERR_INVALID },
                { "{}", "[" OP("bless", "/a") "]", BERTH_ERR_INVALID },
                { "{}", "[{\"op\":\"add\",\"value\":1}]", BERTH_ERR_INVALID },
                { "{}", "[{\"op\":\"add\",\"path\":1,\"value\":1}]", BERTH_ERR_INVALID },
                { "{}", "[" OP_VALUE("add", "", "1") "]", BERTH_ERR_INVALID },
                { "{}", "[" OP_VALUE("add", "a", "1") "]", BERTH_ERR_INVALID },
                { "{}", "[" OP_VALUE("add", "/a/b", "1") "]", BERTH_ERR_INVALID },
                { "{\"a\":1}", "[" OP_VALUE("add", "/a/b", "1") "]", BERTH_ERR_INVALID },
                { "{\"a\":\"x\"}", "[" OP_VALUE("replace", "/a/0", "1") "]", BERTH_ERR_INVALID },
                { "{\"a\":[]}", "[" OP_VALUE("add", "/a/1", "1") "]", BERTH_ERR_INVALID },
                { "{\"a\":[]}", "[" OP_VALUE("add", "/a/x", "1") "]", BERTH_ERR_INVALID },
                { "{\"a\":[]}", "[" OP_VALUE("add", "/a/-2", "1") "]", BERTH_ERR_INVALID },
                { "{\"a\":[]}", "[" OP_VALUE("add", "/a/99999999999999999999", "1") "]",
                  BERTH_ERR_INVALID },
                { "{\"a\":[1]}", "[" OP_VALUE("replace", "/a/1", "1") "]", BERTH_ERR_INVALID },
                { "{\"a\":[1]}", "[" OP_VALUE("replace", "/a/-", "1") "]", BERTH_ERR_INVALID },
                { "{\"a\":[1]}", "[" OP("remove", "/a/1") "]", BERTH_ERR_INVALID },
                { "{\"a\":[1]}", "[" OP("remove", "/a/-") "]", BERTH_ERR_INVALID },
                { "{}", "[" OP("remove", "/a") "]", BERTH_ERR_INVALID },
                { "{}", "[" OP("remove", "") "]", BERTH_ERR_INVALID },
                { "{}", "[" OP_VALUE("replace", "", "1") "]", BERTH_ERR_INVALID },
                { "{\"a\":1}", "[" OP_FROM("move", "/b", "/c") "]", BERTH_ERR_INVALID },
                { "{\"a\":{\"b\":1}}", "[" OP_FROM("move", "/a", "/a/b") "]", BERTH_ERR_INVALID },
                { "{\"a\":1}", "[" OP("move", "/c") "]", BERTH_ERR_INVALID },
                { "{\"a\":[]}", "[" OP_FROM("copy", "/a/0", "/c") "]", BERTH_ERR_INVALID },
                { "{\"a\":1}", "[" OP_FROM("copy", "", "/c") "]", BERTH_ERR_INVALID },
                { "{\"a\":1}", "[" OP_VALUE("test", "/a", "2") "]", JSON_PATCH_UNEQUAL },
                { "{\"a\":1}", "[" OP_VALUE("test", "/a", "1.0") "]", JSON_PATCH_UNEQUAL },
                { "{\"a\":1}", "[" OP_VALUE("test", "/a", "null") "]", JSON_PATCH_UNEQUAL },
                { "{\"a\":1}", "[" OP_VALUE("test", "/b", "1") "]", JSON_PATCH_UNEQUAL },
                { "{\"a\":[]}", "[" OP_VALUE("test", "/a/0", "null") "]", BERTH_ERR_INVALID },
                { "{\"a\":1}", "[" OP_VALUE("test", "", "{}") "]", JSON_PATCH_UNEQUAL },
                /* A null that was given is no absent value, and its copy equals nothing. */
                { "{}", "[" OP_VALUE("add", "/a", "null") "," OP("test", "/a") "]",
                  JSON_PATCH_UNEQUAL },
                { "{}",
                  "[" OP_VALUE("add", "/a", "null") "," OP_FROM("copy", "/a", "/b") "," OP_VALUE(
                          "test", "/b", "null") "]",
                  JSON_PATCH_UNEQUAL },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_tree *tree;
                struct err err = { 0 };
                int r = apply(cases[i].document, cases[i].ops, &tree, &err);
                if (r != cases[i].code)
                        fail_msg("%s: %d", cases[i].ops, r);
                assert_true(err.text[0] != '\0');
                json_tree_free(tree);
        }
}

static struct json_node *copy_op(struct json_tree *tree, const char *from, const char *path) {
        struct json_node *op = node_object(tree);
        node_put_string(tree, op, "op", "copy");
        node_put_string(tree, op, "from", from);
        node_put_string(tree, op, "path", path);
        return op;
}

/* Doubling the document over and over must stop at a limit, of size or of depth. */
static void test_copy_bombs(void **state) {
        static const struct {
                const char *document, *from, *path;
        } cases[] = {
                { "{\"a\":[\"0123456789\"]}", "/a", "/a/-" },
                { "{\"a\":{\"b\":[1]}}", "/a", "/a/x" },
                { "{\"a\":[[]]}", "/a", "/a/0/0" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_tree *tree = must_parse_tree(cases[i].document);
                struct json_tree *patch = json_tree_new();
                struct json_node *ops = node_array(patch);
                for (int n = 0; n < 5000; n++)
                        node_append(ops, copy_op(patch, cases[i].from, cases[i].path));
                assert_int_equal(json_patch_apply(tree, ops, NULL), BERTH_ERR_INVALID);
                json_tree_free(tree);
                json_tree_free(patch);
        }
}

static void test_too_many_operations(void **state) {
        struct json_tree *tree = must_parse_tree("{\"a\":1}"), *patch = json_tree_new();
        struct json_node *ops = node_array(patch);
        struct err err = { 0 };
        (void)state;
        for (int i = 0; i <= JSON_PATCH_OPS_MAX; i++)
                node_append(ops, copy_op(patch, "/a", "/a"));
        assert_int_equal(json_patch_apply(tree, ops, &err), BERTH_ERR_TOO_LARGE);
        assert_string_equal(err.text, "The allowed maximum operations in a JSON patch is 10000, "
                                      "got 10001");
        node_remove_at(ops, 0);
        assert_int_equal(json_patch_apply(tree, ops, &err), 0);
        json_tree_free(tree);
        json_tree_free(patch);
}

/* Members of what was looked into are sorted, and copies are as their source was by then. */
static void test_order(void **state) {
        static const struct {
                const char *ops, *result;
        } cases[] = {
                { "[]", "{\"b\":{\"d\":1,\"c\":2},\"e\":{\"h\":{\"z\":1,\"y\":2},\"g\":1}}" },
                { "[" OP_VALUE("add", "/b/x", "{\"q\":1,\"p\":1}") "]",
                  "{\"b\":{\"c\":2,\"d\":1,\"x\":{\"q\":1,\"p\":1}},\"e\":{\"h\":{\"z\":1,\"y\":2},"
                  "\"g\":1}}" },
                { "[" OP_FROM("copy", "/e", "/a") "]",
                  "{\"a\":{\"h\":{\"z\":1,\"y\":2},\"g\":1},\"b\":{\"d\":1,\"c\":2},\"e\":{\"h\":{"
                  "\"z\":1,\"y\":2},\"g\":1}}" },
                { "[" OP_VALUE("add", "/e/h/x", "1") "," OP_FROM("copy", "/e", "/b") "]",
                  "{\"b\":{\"g\":1,\"h\":{\"x\":1,\"y\":2,\"z\":1}},\"e\":{\"g\":1,\"h\":{\"x\":1,"
                  "\"y\":2,\"z\":1}}}" },
                { "[" OP_VALUE("test", "/b", "{\"c\":2,\"d\":1}") "]",
                  "{\"b\":{\"c\":2,\"d\":1},\"e\":{\"h\":{\"z\":1,\"y\":2},\"g\":1}}" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_tree *tree = must_parse_tree(
                        "{\"e\":{\"h\":{\"z\":1,\"y\":2},\"g\":1},\"b\":{\"d\":1,\"c\":2}}");
                struct json_tree *ops = must_parse_tree(cases[i].ops);
                struct buf text = { 0 };

                assert_int_equal(json_patch_apply_in_order(tree, json_tree_root(ops), NULL), 0);
                node_write(json_tree_root(tree), &text);
                assert_string_equal(text.data, cases[i].result);
                buf_release(&text);
                json_tree_free(ops);
                json_tree_free(tree);
        }
}

/* As many as are allowed into one object: what was looked into is sorted once, not at each of them,
 * which would take hours. */
static void test_many_copies_in_order(void **state) {
        struct json_tree *tree = must_parse_tree("{\"z\":1,\"data\":{\"b\":{\"d\":1,\"c\":2}}}");
        struct buf text = { 0 };
        size_t count = 9000;

        (void)state;
        buf_char(&text, '[');
        for (size_t i = count; i > 0; i--)
                buf_printf(&text,
                           "{\"op\":\"copy\",\"from\":\"/data/b\",\"path\":\"/data/x%05zu\"},", i);
        buf_text(&text, "{\"op\":\"test\",\"path\":\"/z\",\"value\":1}]");
        buf_char(&text, 0);
        struct json_tree *ops = must_parse_tree(text.data);
        assert_int_equal(json_patch_apply_in_order(tree, json_tree_root(ops), NULL), 0);
        buf_clear(&text);
        node_write(json_tree_root(tree), &text);
        assert_int_equal(node_count(node_get(json_tree_root(tree), "data")), count + 1);
        static const char start[] =
                "{\"data\":{\"b\":{\"d\":1,\"c\":2},\"x00001\":{\"d\":1,\"c\":2},\"x00002";
        assert_memory_equal(text.data, start, sizeof(start) - 1);
        buf_release(&text);
        json_tree_free(ops);
        json_tree_free(tree);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_apply),
                cmocka_unit_test(test_order),
                cmocka_unit_test(test_many_copies_in_order),
                cmocka_unit_test(test_refused),
                cmocka_unit_test(test_copy_bombs),
                cmocka_unit_test(test_too_many_operations),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
