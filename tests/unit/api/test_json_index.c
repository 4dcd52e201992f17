/* Large objects and arrays of trees, which have an index: random edits against plain arrays. */
#include "api_test.h"

#include "base/rng.h"

#define KEYS 600
#define ELEMENTS_MAX 4000

/* ---- objects ---- */

/* Keys in the order of the object, with their values. */
struct members {
        size_t count;
        int keys[KEYS];
        int64_t values[KEYS];
};

static size_t members_find(const struct members *members, int key) {
        size_t i = 0;

        while (i < members->count && members->keys[i] != key)
                i++;
        return i;
}

static void members_set(struct members *members, int key, int64_t value) {
        size_t i = members_find(members, key);

        members->keys[i] = key;
        members->values[i] = value;
        members->count += i == members->count;
}

static bool members_remove(struct members *members, int key) {
        size_t i = members_find(members, key);

        if (i == members->count)
                return false;
        members->count--;
        memmove(members->keys + i, members->keys + i + 1,
                (members->count - i) * sizeof(members->keys[0]));
        memmove(members->values + i, members->values + i + 1,
                (members->count - i) * sizeof(members->values[0]));
        return true;
}

static void assert_members(const struct json_node *object, const struct members *members) {
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct slice key;
        char name[16];

        assert_int_equal(iter.count, members->count);
        for (size_t i = 0; node_next(&iter, &key, &value); i++) {
                int64_t number = -1;

                snprintf(name, sizeof(name), "k%d", members->keys[i]);
                assert_slice_is(key, name);
                assert_true(node_as_i64(value, &number));
                assert_int_equal(number, members->values[i]);
        }
}

/* Drops every third member that the iteration comes past. */
static void drop_thirds(struct json_node *object, struct members *members) {
        struct node_iter iter = node_iter(object);
        struct slice key;
        char name[16];

        for (size_t i = 0; node_next(&iter, &key, NULL); i++) {
                int number;

                if (i % 3)
                        continue;
                snprintf(name, sizeof(name), SLICE_FMT, SLICE_ARG(key));
                number = (int)strtol(name + 1, NULL, 10);
                node_drop(&iter);
                assert_true(members_remove(members, number));
        }
}

static void test_objects(void **state) {
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_object(tree);
        static struct members members;
        struct rng rng;
        char name[16];

        (void)state;
        rng_init(&rng, 3);
        for (int64_t step = 0; step < 30000; step++) {
                int key = (int)rng_below(&rng, KEYS);
                int64_t number;

                snprintf(name, sizeof(name), "k%d", key);
                if (rng_below(&rng, 5) > 1) {
                        node_put_i64(tree, object, name, step);
                        members_set(&members, key, step);
                } else {
                        assert_int_equal(node_remove(object, name), members_remove(&members, key));
                }
                key = (int)rng_below(&rng, KEYS);
                snprintf(name, sizeof(name), "k%d", key);
                size_t at = members_find(&members, key);
                assert_int_equal(node_as_i64(node_get(object, name), &number), at < members.count);
                if (at < members.count)
                        assert_int_equal(number, members.values[at]);
                if (step % 3000 == 2999)
                        drop_thirds(object, &members);
                if (step % 100 == 0)
                        assert_members(object, &members);
        }
        json_tree_free(tree);
}

/* ---- arrays ---- */

struct elements {
        size_t count;
        int64_t values[ELEMENTS_MAX];
};

static void elements_insert(struct elements *elements, size_t at, int64_t value) {
        memmove(elements->values + at + 1, elements->values + at,
                (elements->count - at) * sizeof(elements->values[0]));
        elements->values[at] = value;
        elements->count++;
}

static void elements_remove(struct elements *elements, size_t at) {
        elements->count--;
        memmove(elements->values + at, elements->values + at + 1,
                (elements->count - at) * sizeof(elements->values[0]));
}

static void assert_element(const struct json_node *array, const struct elements *elements,
                           size_t at) {
        int64_t number = -1;

        if (at >= elements->count) {
                assert_null(node_at(array, at));
                return;
        }
        assert_true(node_as_i64(node_at(array, at), &number));
        assert_int_equal(number, elements->values[at]);
}

static void assert_elements(const struct json_node *array, const struct elements *elements) {
        struct node_iter iter = node_iter(array);
        struct json_node *value;

        assert_int_equal(iter.count, elements->count);
        for (size_t i = 0; node_next(&iter, NULL, &value); i++) {
                int64_t number = -1;

                assert_true(node_as_i64(value, &number));
                assert_int_equal(number, elements->values[i]);
                assert_element(array, elements, i);
        }
}

static size_t some_place(struct rng *rng, size_t count) {
        switch (rng_below(rng, 4)) {
        case 0:
                return 0;
        case 1:
                return count;
        default:
                return (size_t)rng_below(rng, (uint32_t)count + 1);
        }
}

static void edit_array(struct json_tree *tree, struct json_node *array, struct elements *elements,
                       struct rng *rng, int64_t value) {
        size_t at = some_place(rng, elements->count);
        /* Grows and shrinks in turns, so that blocks are split and emptied. */
        bool is_growing = value / 5000 % 2 == 0;
        uint64_t choice = rng_below(rng, 10);

        if (choice < (is_growing ? 6u : 2u) && elements->count < ELEMENTS_MAX) {
                node_insert(array, at, node_i64(tree, value));
                elements_insert(elements, at, value);
        } else if (choice < 8) {
                node_remove_at(array, at);
                if (at < elements->count)
                        elements_remove(elements, at);
        } else {
                node_replace_at(array, at, node_i64(tree, value));
                if (at < elements->count)
                        elements->values[at] = value;
        }
        assert_element(array, elements, some_place(rng, elements->count));
        assert_element(array, elements, at);
}

static void test_arrays(void **state) {
        struct json_tree *tree = json_tree_new();
        struct json_node *array = node_array(tree);
        static struct elements elements;
        struct rng rng;

        (void)state;
        rng_init(&rng, 5);
        for (int64_t step = 0; step < 30000; step++) {
                edit_array(tree, array, &elements, &rng, step);
                if (step % 500 == 0)
                        assert_elements(array, &elements);
        }
        node_array_clear(array);
        assert_null(node_at(array, 0));
        node_append(array, node_i64(tree, 1));
        elements = (struct elements){ .count = 1, .values = { 1 } };
        assert_elements(array, &elements);
        json_tree_free(tree);
}

static void test_dropped_elements(void **state) {
        struct json_tree *tree = json_tree_new();
        struct json_node *array = node_array(tree);
        static struct elements elements;

        (void)state;
        elements.count = 0;
        for (int64_t i = 0; i < 1000; i++)
                node_append(array, node_i64(tree, i));
        assert_non_null(node_at(array, 500));
        struct node_iter iter = node_iter(array);
        for (int64_t i = 0; node_next(&iter, NULL, NULL); i++) {
                if (i % 4)
                        node_drop(&iter);
                else
                        elements_insert(&elements, elements.count, i);
        }
        assert_elements(array, &elements);
        json_tree_free(tree);
}

/* ---- equality ---- */

static void test_equal_in_any_order(void **state) {
        struct json_tree *tree = json_tree_new();
        struct json_node *up = node_object(tree), *down = node_object(tree);
        char name[16];

        (void)state;
        for (int i = 0; i < 1000; i++) {
                snprintf(name, sizeof(name), "k%d", i);
                node_put_i64(tree, up, name, i);
                snprintf(name, sizeof(name), "k%d", 999 - i);
                node_put_i64(tree, down, name, 999 - i);
        }
        assert_true(node_equal(up, down));
        assert_true(node_equal(node_clone(tree, up), down));
        node_put_i64(tree, down, "k500", 1);
        assert_false(node_equal(up, down));
        node_remove(down, "k500");
        assert_false(node_equal(up, down));
        node_put_i64(tree, down, "other", 500);
        assert_false(node_equal(up, down));
        json_tree_free(tree);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_objects),
                cmocka_unit_test(test_arrays),
                cmocka_unit_test(test_dropped_elements),
                cmocka_unit_test(test_equal_in_any_order),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
