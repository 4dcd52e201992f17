/* Whether an edited object says the same as a stored one. */
#include "schema/object_compare.h"

static bool node_is_json(const struct json_node *node, const struct json *json);

static bool is_ignored(struct slice key) {
        return slice_is(key, "managedFields") || slice_is(key, "resourceVersion");
}

static size_t compared_count(const struct json *object, bool is_metadata) {
        size_t count = json_count(object);

        if (!is_metadata)
                return count;
        return count - !!json_get(object, "managedFields") - !!json_get(object, "resourceVersion");
}

/* Members in any order; in metadata, what every write changes does not count. */
static bool members_equal(const struct json_node *node, const struct json *json, bool is_metadata) {
        struct node_iter iter = node_iter(node);
        struct json_node *value;
        struct slice key;
        size_t seen = 0;

        while (node_next(&iter, &key, &value)) {
                if (is_metadata && is_ignored(key))
                        continue;
                if (!node_is_json(value, json_get_slice(json, key)))
                        return false;
                seen++;
        }
        return seen == compared_count(json, is_metadata);
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

bool is_same_object(const struct json_node *object, const struct json *old) {
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct slice key;
        size_t seen = 0;

        while (node_next(&iter, &key, &value)) {
                if (slice_is(key, "apiVersion") || slice_is(key, "kind"))
                        continue;
                if (!(slice_is(key, "metadata")
                              ? members_equal(value, json_get(old, "metadata"), true)
                              : node_is_json(value, json_get_slice(old, key))))
                        return false;
                seen++;
        }
        return seen == json_count(old);
}

bool has_same_member(const struct json_node *object, const struct json *old, const char *member) {
        const struct json_node *value = node_get(object, member);
        const struct json *before = json_get(old, member);

        return value && before ? node_is_json(value, before) : !value && !before;
}

/* Everything but metadata and status counts as specification. */
bool has_same_spec(const struct json_node *object, const struct json *old) {
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct slice key;
        size_t seen = 0, before = json_count(old);

        before -= !!json_get(old, "metadata");
        before -= !!json_get(old, "status");
        while (node_next(&iter, &key, &value)) {
                if (slice_is(key, "metadata") || slice_is(key, "status") || slice_is(key, "kind") ||
                    slice_is(key, "apiVersion"))
                        continue;
                if (!node_is_json(value, json_get_slice(old, key)))
                        return false;
                seen++;
        }
        return seen == before;
}
