/* What the server makes of a custom resource before it looks at it: fields that its schema does not
 * know go, defaults come. */
#include "schema/custom_schema.h"

#include "base/util.h"
#include "schema/custom_schema_priv.h"
#include "schema/structure_priv.h"
#include <stdio.h>

/* ---- members and paths ---- */

void custom_path_member(char *to, const char *path, struct slice name) {
        snprintf(to, CUSTOM_PATH_BYTES, "%s%s" SLICE_FMT, path, *path ? "." : "", SLICE_ARG(name));
}

void custom_path_other(char *to, const char *path, struct slice name) {
        snprintf(to, CUSTOM_PATH_BYTES, "%s." SLICE_FMT, path, SLICE_ARG(name));
}

void custom_path_element(char *to, const char *path, size_t index) {
        snprintf(to, CUSTOM_PATH_BYTES, "%s[%zu]", path, index);
}

const struct json *custom_member(struct schema_cache *cache, const struct json *schema,
                                 struct slice name) {
        const struct json *own = schema_cache_property(cache, schema, name);
        const struct json *others = json_get(schema, "additionalProperties");

        if (own)
                return own;
        return json_type(others) == JSON_OBJECT ? others : NULL;
}

bool is_custom_identity(struct slice name) {
        return slice_is(name, "apiVersion") || slice_is(name, "kind") || slice_is(name, "metadata");
}

/* ---- pruning ---- */

struct pruning {
        struct schema_cache *cache;
        void (*unknown)(void *context, const char *path);
        void *context;
};

static void prune_value(struct pruning *pruning, const struct json *schema, struct json_node *value,
                        const char *path, bool is_resource);

static bool is_known_member(struct pruning *pruning, const struct json *schema, struct slice name,
                            bool is_resource) {
        return (is_resource && is_custom_identity(name)) ||
               custom_member(pruning->cache, schema, name) ||
               json_is_true(json_get(schema, PRESERVE)) ||
               json_is_true(json_get(schema, "additionalProperties"));
}

static void prune_unknown(struct pruning *pruning, const struct json *schema,
                          struct json_node *object, const char *path, bool is_resource) {
        struct node_iter iter = node_iter(object);
        struct slice name;
        char here[CUSTOM_PATH_BYTES];

        while (node_next(&iter, &name, NULL)) {
                if (is_known_member(pruning, schema, name, is_resource))
                        continue;
                custom_path_member(here, path, name);
                if (pruning->unknown)
                        pruning->unknown(pruning->context, here);
                node_drop(&iter);
        }
}

static void prune_object(struct pruning *pruning, const struct json *schema,
                         struct json_node *object, const char *path, bool is_resource) {
        struct json_node *value;
        struct slice name;
        char here[CUSTOM_PATH_BYTES];

        prune_unknown(pruning, schema, object, path, is_resource);
        struct node_iter iter = node_iter(object);
        while (node_next(&iter, &name, &value)) {
                const struct json *inner = custom_member(pruning->cache, schema, name);

                if (!inner || (is_resource && is_custom_identity(name)))
                        continue;
                custom_path_member(here, path, name);
                prune_value(pruning, inner, value, here, false);
        }
}

static void prune_value(struct pruning *pruning, const struct json *schema, struct json_node *value,
                        const char *path, bool is_resource) {
        struct node_iter iter = node_iter(value);
        struct json_node *element;
        char here[CUSTOM_PATH_BYTES];

        is_resource |= json_is_true(json_get(schema, EMBEDDED));
        if (node_type(value) == JSON_OBJECT)
                prune_object(pruning, schema, value, path, is_resource);
        for (size_t i = 0; node_type(value) == JSON_ARRAY && node_next(&iter, NULL, &element);
             i++) {
                custom_path_element(here, path, i);
                prune_value(pruning, json_get(schema, "items"), element, here, false);
        }
}

void custom_prune(const struct json *schema, struct json_node *value, bool is_resource,
                  void (*unknown)(void *context, const char *path), void *context) {
        struct pruning pruning = { schema_cache_new(), unknown, context };

        prune_value(&pruning, schema, value, "", is_resource);
        schema_cache_free(pruning.cache);
}

/* ---- defaults ---- */

static void fill_defaults(struct schema_cache *cache, const struct json *schema,
                          struct json_tree *tree, struct json_node *object) {
        size_t count;
        const struct json_member *defaults = schema_cache_defaults(cache, schema, &count);

        for (size_t i = 0; i < count; i++) {
                const struct json *property = defaults[i].value;
                const struct json_node *child = node_find(object, defaults[i].key);

                if (!child || (node_type(child) == JSON_NULL &&
                               !json_is_true(json_get(property, "nullable"))))
                        node_set(tree, object, defaults[i].key,
                                 node_import(tree, json_get(property, "default")));
        }
}

static void default_value(struct schema_cache *cache, const struct json *schema,
                          struct json_tree *tree, struct json_node *value) {
        struct json_node *child;
        struct slice name;

        if (node_type(value) == JSON_OBJECT)
                fill_defaults(cache, schema, tree, value);
        struct node_iter iter = node_iter(value);
        while (node_next(&iter, &name, &child)) {
                bool is_element = node_type(value) == JSON_ARRAY;
                const struct json *inner =
                        is_element ? json_get(schema, "items") : custom_member(cache, schema, name);

                if (inner && !is_element && node_type(child) == JSON_NULL &&
                    !json_is_true(json_get(inner, "nullable")))
                        node_drop(&iter);
                else if (inner)
                        default_value(cache, inner, tree, child);
        }
}

void custom_default(const struct json *schema, struct json_tree *tree, struct json_node *value) {
        struct schema_cache *cache = schema_cache_new();

        default_value(cache, schema, tree, value);
        schema_cache_free(cache);
}
