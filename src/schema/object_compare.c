/* Whether an edited object says the same as a stored one. */
#include "schema/object_compare.h"

static bool is_ignored(struct slice key) {
        return slice_is(key, "managedFields") || slice_is(key, "resourceVersion");
}

static size_t compared_count(const struct json_node *metadata) {
        return node_count(metadata) - !!node_get(metadata, "managedFields") -
               !!node_get(metadata, "resourceVersion");
}

/* What every write changes does not count. Mostly members stand in the same order; trees find them
 * in few steps however many there are, and stored objects have each member once. */
static bool is_same_metadata(const struct json_node *node, const struct json *json) {
        struct node_iter nodes = node_iter(node);
        struct json_iter iter = json_iter(json);
        const struct json *value;
        struct json_node *now;
        struct slice key, name;
        size_t seen = 0;

        while (json_next(&iter, &key, &value)) {
                if (!node_next(&nodes, &name, &now) || !slice_eq(name, key))
                        now = node_find(node, key);
                if (is_ignored(key))
                        continue;
                if (!node_equal_json(now, value))
                        return false;
                seen++;
        }
        return seen == compared_count(node);
}

bool is_same_object(const struct json_node *object, const struct json *old) {
        size_t count =
                node_count(object) - !!node_get(object, "apiVersion") - !!node_get(object, "kind");
        struct json_iter iter = json_iter(old);
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value)) {
                const struct json_node *now = node_find(object, key);

                if (!now || !(slice_is(key, "metadata") ? is_same_metadata(now, value)
                                                        : node_equal_json(now, value)))
                        return false;
        }
        return count == json_count(old);
}

bool has_same_member(const struct json_node *object, const struct json *old, const char *member) {
        const struct json_node *value = node_get(object, member);
        const struct json *before = json_get(old, member);

        return node_equal_json(value, before);
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
                if (!node_equal_json(node_find(object, key), value))
                        return false;
                seen++;
        }
        return seen == count;
}
