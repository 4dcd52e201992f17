/* Whether an edited object says the same as a stored one. */
#include "schema/object_compare.h"

static bool node_is_json(const struct json_node *node, const struct json *json);

static bool is_ignored(struct slice key) {
        return slice_is(key, "managedFields") || slice_is(key, "resourceVersion");
}

static size_t compared_count(const struct json_node *object, bool is_metadata) {
        size_t count = node_count(object);

        if (!is_metadata)
                return count;
        return count - !!node_get(object, "managedFields") - !!node_get(object, "resourceVersion");
}

/* Members in any order; in metadata, what every write changes does not count. Mostly they stand in
 * the same order; trees find members in few steps however many there are, and stored objects have
 * each member once. */
static bool members_equal(const struct json_node *node, const struct json *json, bool is_metadata) {
        struct node_iter nodes = node_iter(node);
        struct json_iter iter = json_iter(json);
        const struct json *value;
        struct json_node *now;
        struct slice key, name;
        size_t seen = 0;

        while (json_next(&iter, &key, &value)) {
                if (!node_next(&nodes, &name, &now) || !slice_eq(name, key))
                        now = node_find(node, key);
                if (is_metadata && is_ignored(key))
                        continue;
                if (!node_is_json(now, value))
                        return false;
                seen++;
        }
        return seen == compared_count(node, is_metadata);
}

static bool elements_equal(const struct json_node *node, const struct json *json) {
        struct node_iter nodes = node_iter(node);
        struct json_iter values = json_iter(json);
        struct json_node *left;
        const struct json *right;

        if (node_count(node) != json_count(json))
                return false;
        while (node_next(&nodes, NULL, &left) && json_next(&values, NULL, &right)) {
                if (!node_is_json(left, right))
                        return false;
        }
        return true;
}

static bool node_is_json(const struct json_node *node, const struct json *json) {
        int64_t a, b;
        double x, y;

        if (node_type(node) != json_type(json))
                return false;
        switch (node_type(node)) {
        case JSON_OBJECT:
                return members_equal(node, json, false);
        case JSON_ARRAY:
                return elements_equal(node, json);
        case JSON_STRING:
                return slice_eq(node_get_slice(node), json_text(json));
        case JSON_BOOL:
                return node_is_true(node) == json_is_true(json);
        case JSON_INT:
                return node_as_i64(node, &a) && json_as_i64(json, &b) && a == b;
        case JSON_REAL:
                return node_as_f64(node, &x) && json_as_f64(json, &y) && !(x < y) && !(x > y);
        case JSON_NULL:
        case JSON_NONE:
                break;
        }
        return true;
}

bool is_same_value(const struct json_node *value, const struct json *old) {
        return node_is_json(value, old);
}

bool is_same_object(const struct json_node *object, const struct json *old) {
        size_t count =
                node_count(object) - !!node_get(object, "apiVersion") - !!node_get(object, "kind");
        struct json_iter iter = json_iter(old);
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value)) {
                const struct json_node *now = node_find(object, key);

                if (!now || !(slice_is(key, "metadata") ? members_equal(now, value, true)
                                                        : node_is_json(now, value)))
                        return false;
        }
        return count == json_count(old);
}

bool has_same_member(const struct json_node *object, const struct json *old, const char *member) {
        const struct json_node *value = node_get(object, member);
        const struct json *before = json_get(old, member);

        return value && before ? node_is_json(value, before) : !value && !before;
}

/* Everything but metadata and status counts as specification. */
static bool is_spec(struct slice key) {
        return !slice_is(key, "metadata") && !slice_is(key, "status") && !slice_is(key, "kind") &&
               !slice_is(key, "apiVersion");
}

bool has_same_spec(const struct json_node *object, const struct json *old) {
        struct node_iter nodes = node_iter(object);
        struct json_iter iter = json_iter(old);
        const struct json *value;
        struct slice key;
        size_t count = 0, seen = 0;

        while (node_next(&nodes, &key, NULL))
                count += is_spec(key);
        while (json_next(&iter, &key, &value)) {
                if (!is_spec(key))
                        continue;
                if (!node_is_json(node_find(object, key), value))
                        return false;
                seen++;
        }
        return seen == count;
}
