/* Editable JSON trees, with a random comparison against a plain model of objects and arrays. */
#include "api_test.h"

#include "base/rng.h"

static void test_parse_drops_repeated_members(void **state) {
        static const struct {
                const char *in, *out;
        } cases[] = {
                { "{}", "{}" },
                { "[{},[],{\"a\":{}}]", "[{},[],{\"a\":{}}]" },
                { "{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}" },
                { "{\"a\":1,\"a\":2,\"a\":3}", "{\"a\":3}" },
                { "[{\"x\":{\"y\":1,\"y\":2}}]", "[{\"x\":{\"y\":2}}]" },
                { "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,"
                  "\"j\":1,\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,\"a\":2}",
                  "{\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,"
                  "\"j\":1,\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,\"a\":2}" },
        };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_tree *tree = must_parse_tree(cases[i].in);
                assert_tree_is(tree, cases[i].out);
                json_tree_free(tree);
        }
}

/* Others of the container stay as they were. */
static void test_become_number(void **state) {
        static const int64_t numbers[] = { 0, 7, -7, INT64_MAX, INT64_MIN };
        struct json_tree *tree = must_parse_tree("{\"a\":1.5,\"b\":[1.0,\"x\"],\"c\":2}");
        struct json_node *root = json_tree_root(tree);

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
                int64_t number;

                node_become_i64(node_get(root, "a"), numbers[i]);
                assert_true(node_as_i64(node_get(root, "a"), &number));
                assert_int_equal(number, numbers[i]);
        }
        node_become_i64(node_get(root, "a"), 3);
        node_become_i64(node_at(node_get(root, "b"), 0), -1);
        assert_tree_is(tree, "{\"a\":3,\"b\":[-1,\"x\"],\"c\":2}");
        json_tree_free(tree);
}

/* A copy outlives the tree. */
static void test_document_of_a_tree(void **state) {
        struct json_tree *tree = must_parse_tree("{\"a\":[1,null,{\"b\":\"\\n\"}]}");
        struct json_doc *doc = json_doc_of(json_tree_root(tree));

        (void)state;
        assert_true(node_equal_json(json_tree_root(tree), json_doc_root(doc)));
        json_tree_free(tree);
        assert_int_equal(json_count(json_get(json_doc_root(doc), "a")), 3);
        json_doc_free(doc);
}

static void test_build(void **state) {
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_object(tree), *list;
        (void)state;
        assert_null(json_tree_root(tree));
        json_tree_set_root(tree, root);
        node_put_string(tree, root, "s", "q\"");
        node_put_text(tree, root, "e", SLICE_EMPTY);
        node_put_i64(tree, root, "i", -3);
        node_put_i64(tree, root, "j", INT64_MAX);
        node_put_bool(tree, root, "b", true);
        node_put(tree, root, "f", node_f64(tree, 0.25));
        node_put(tree, root, "n", node_null(tree));
        list = node_need_array(tree, root, "n");
        node_append(list, node_i64(tree, 1));
        node_insert(list, 0, node_string(tree, "first"));
        node_insert(list, 2, node_bool(tree, false));
        assert_ptr_equal(node_need_array(tree, root, "n"), list);
        assert_null(node_need_object(tree, root, "n"));
        assert_null(node_need_object(tree, list, "x"));
        node_put_i64(tree, node_need_object(tree, root, "o"), "k", 1);
        assert_tree_is(tree, "{\"s\":\"q\\\"\",\"e\":\"\",\"i\":-3,\"j\":9223372036854775807,"
                             "\"b\":true,\"f\":0.25,\"n\":[\"first\",1,false],\"o\":{\"k\":1}}");
        node_put_i64(tree, root, "i", 4);
        assert_true(node_remove(root, "s"));
        assert_false(node_remove(root, "s"));
        node_replace_at(list, 1, node_null(tree));
        node_remove_at(list, 0);
        assert_int_equal(node_count(list), 2);
        node_array_clear(node_get(root, "n"));
        assert_tree_is(tree, "{\"e\":\"\",\"i\":4,\"j\":9223372036854775807,\"b\":true,"
                             "\"f\":0.25,\"n\":[],\"o\":{\"k\":1}}");
        json_tree_free(tree);
}

static void test_getters(void **state) {
        struct json_tree *tree = must_parse_tree("{\"s\":\"x\",\"i\":7,\"t\":true,\"a\":[1.5]}");
        const struct json_node *root = json_tree_root(tree);
        double f;
        int64_t i;
        (void)state;
        assert_slice_is(node_get_text(root, "s"), "x");
        assert_slice_is(node_get_text(root, "i"), "");
        assert_int_equal(node_get_i64(root, "i", 1), 7);
        assert_int_equal(node_get_i64(root, "s", 1), 1);
        assert_true(node_is_true(node_get(root, "t")));
        assert_true(node_as_f64(node_at(node_get(root, "a"), 0), &f) && f == 1.5);
        assert_null(node_at(node_get(root, "a"), 1));
        assert_null(node_get(root, "gone"));
        assert_int_equal(node_type(NULL), JSON_NONE);
        assert_null(node_get(NULL, "a"));
        assert_false(node_as_i64(NULL, &i));
        assert_int_equal(node_count(NULL), 0);
        json_tree_free(tree);
        json_tree_free(NULL);
}

static void test_replacing_while_iterating(void **state) {
        struct json_tree *tree = must_parse_tree("{\"a\":1,\"b\":2,\"c\":3}");
        struct node_iter iter = node_iter(json_tree_root(tree));
        struct json_node *value;
        struct slice key;
        (void)state;
        while (node_next(&iter, &key, &value))
                node_set(tree, json_tree_root(tree), key, node_null(tree));
        assert_tree_is(tree, "{\"a\":null,\"b\":null,\"c\":null}");
        node_remove_nulls(json_tree_root(tree));
        assert_tree_is(tree, "{}");
        json_tree_free(tree);
}

/* Drops the members or items whose bit is set; wanted is what is left. */
static void drop_some(struct json_node *node, unsigned gone, struct buf *wanted) {
        bool is_object = node_type(node) == JSON_OBJECT;
        struct node_iter iter = node_iter(node);

        buf_char(wanted, is_object ? '{' : '[');
        for (unsigned i = 0; i < 4; i++) {
                assert_true(node_next(&iter, NULL, NULL));
                if (gone & 1u << i) {
                        node_drop(&iter);
                        continue;
                }
                buf_text(wanted, wanted->len > 1 ? "," : "");
                if (is_object)
                        buf_printf(wanted, "\"%c\":", 'a' + (int)i);
                buf_printf(wanted, "%u", i + 1);
        }
        assert_false(node_next(&iter, NULL, NULL));
        buf_char(wanted, is_object ? '}' : ']');
}

static void test_dropping_while_iterating(void **state) {
        static const char *const texts[] = { "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}", "[1,2,3,4]" };

        (void)state;
        for (unsigned i = 0; i < 2 * 16; i++) {
                struct json_tree *tree = must_parse_tree(texts[i / 16]);
                struct buf wanted = { 0 };

                drop_some(json_tree_root(tree), i % 16, &wanted);
                assert_tree_is(tree, wanted.data);
                buf_release(&wanted);
                json_tree_free(tree);
        }
}

static void test_clone_between_trees(void **state) {
        struct json_tree *from = must_parse_tree("{\"a\":[{\"b\":\"text\"},18446744073709551615]}");
        struct json_tree *to = json_tree_new();
        (void)state;
        json_tree_set_root(to, node_clone(to, json_tree_root(from)));
        assert_true(node_equal(json_tree_root(from), json_tree_root(to)));
        node_remove(node_at(node_get(json_tree_root(from), "a"), 0), "b");
        assert_false(node_equal(json_tree_root(from), json_tree_root(to)));
        json_tree_free(from);
        assert_tree_is(to, "{\"a\":[{\"b\":\"text\"},18446744073709551615]}");
        json_tree_free(to);
}

static void test_made_and_parsed_numbers_are_equal(void **state) {
        struct json_tree *tree = must_parse_tree("[5,-5,0]");
        static const int64_t numbers[] = { 5, -5, 0 };
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
                assert_true(
                        node_equal(node_at(json_tree_root(tree), i), node_i64(tree, numbers[i])));
        json_tree_free(tree);
}

/* An object with keys k0..k15 edited at random against an ordered list of pairs. */
struct model {
        size_t count;
        int keys[16];
        int64_t values[16];
};

static void model_set(struct model *model, int key, int64_t value) {
        size_t i = 0;
        while (i < model->count && model->keys[i] != key)
                i++;
        model->keys[i] = key;
        model->values[i] = value;
        model->count += i == model->count;
}

static bool model_remove(struct model *model, int key) {
        for (size_t i = 0; i < model->count; i++) {
                if (model->keys[i] != key)
                        continue;
                model->count--;
                memmove(model->keys + i, model->keys + i + 1,
                        (model->count - i) * sizeof(*model->keys));
                memmove(model->values + i, model->values + i + 1,
                        (model->count - i) * sizeof(*model->values));
                return true;
        }
        return false;
}

static void assert_like_model(const struct json_node *object, const struct model *model) {
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct slice key;
        char name[8];
        assert_int_equal(iter.count, model->count);
        for (size_t i = 0; node_next(&iter, &key, &value); i++) {
                int64_t number = -1;
                snprintf(name, sizeof(name), "k%d", model->keys[i]);
                assert_slice_is(key, name);
                assert_true(node_as_i64(value, &number));
                assert_int_equal(number, model->values[i]);
        }
}

static void test_random_edits(void **state) {
        struct rng rng;
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_object(tree);
        struct model model = { 0 };
        char name[8];
        (void)state;
        rng_init(&rng, 7);
        for (int64_t step = 0; step < 3000; step++) {
                int key = (int)rng_below(&rng, 16);
                snprintf(name, sizeof(name), "k%d", key);
                if (rng_below(&rng, 3) > 0) {
                        node_put_i64(tree, object, name, step);
                        model_set(&model, key, step);
                } else {
                        assert_int_equal(node_remove(object, name), model_remove(&model, key));
                }
                assert_like_model(object, &model);
        }
        json_tree_free(tree);
}

static void test_malformed(void **state) {
        struct json_tree *tree = NULL;
        struct err err = { 0 };
        (void)state;
        assert_int_equal(json_tree_parse(slice_of("{\"a\":}"), &tree, &err), BERTH_ERR_BAD_REQUEST);
        assert_null(tree);
        assert_int_equal(err.column, 6);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_parse_drops_repeated_members),
                cmocka_unit_test(test_become_number),
                cmocka_unit_test(test_document_of_a_tree),
                cmocka_unit_test(test_build),
                cmocka_unit_test(test_getters),
                cmocka_unit_test(test_replacing_while_iterating),
                cmocka_unit_test(test_dropping_while_iterating),
                cmocka_unit_test(test_clone_between_trees),
                cmocka_unit_test(test_made_and_parsed_numbers_are_equal),
                cmocka_unit_test(test_random_edits),
                cmocka_unit_test(test_malformed),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
