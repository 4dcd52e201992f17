/* One walk through a value and its schema, for both: what is done to each embedded object differs.
 */
#include "kinds/embedded_resource.h"

#include "api/dns_name.h"
#include "base/arena.h"
#include "base/buf.h"
#include "kinds/metadata_check.h"
#include "schema/schema.h"
#include <string.h>

#define EMBEDDED_MARK "x-kubernetes-embedded-resource"

struct embedded_walk {
        /* False ends the walk. */
        bool (*visit)(struct embedded_walk *walk, struct json_node *object);
        struct buf path;
        struct json_tree *tree;
        void (*unknown)(void *context, const char *path);
        void *context;
        struct field_errors *errors;
};

/* ---- the walk ---- */

static const struct json *schema_of_others(const struct json *schema) {
        const struct json *others = json_get(schema, "additionalProperties");

        return json_type(others) == JSON_OBJECT ? others : NULL;
}

bool embedded_below(const struct json *schema) {
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        const struct json *property;

        if (!schema)
                return false;
        if (json_get_bool(schema, EMBEDDED_MARK, false))
                return true;
        while (json_next(&iter, NULL, &property))
                if (embedded_below(property))
                        return true;
        return embedded_below(json_get(schema, "items")) ||
               embedded_below(schema_of_others(schema));
}

static void path_cut(struct embedded_walk *walk, size_t length) {
        walk->path.len = length;
        if (walk->path.data)
                walk->path.data[length] = '\0';
}

static const char *path_member(struct embedded_walk *walk, const char *name) {
        return arena_printf(walk->errors->arena, SLICE_FMT "%s%s", SLICE_ARG(buf_view(&walk->path)),
                            walk->path.len ? "." : "", name);
}

static bool embedded_walk_value(struct embedded_walk *walk, const struct json *schema,
                                struct json_node *value, bool is_resource);

static bool walk_member(struct embedded_walk *walk, const struct json *schema, struct slice name,
                        struct json_node *child) {
        const struct json *inner = json_get_slice(json_get(schema, "properties"), name);
        const struct json *others = schema_of_others(schema);

        if (inner)
                buf_printf(&walk->path, "%s" SLICE_FMT, walk->path.len ? "." : "", SLICE_ARG(name));
        else
                buf_printf(&walk->path, "[" SLICE_FMT "]", SLICE_ARG(name));
        return embedded_walk_value(walk, inner ? inner : others, child, false);
}

static bool embedded_walk_value(struct embedded_walk *walk, const struct json *schema,
                                struct json_node *value, bool is_resource) {
        bool is_object = node_type(value) == JSON_OBJECT;
        struct node_iter iter = node_iter(value);
        size_t length = walk->path.len;
        struct json_node *child;
        struct slice name;
        bool goes_on = true;

        if (!schema || (!is_object && node_type(value) != JSON_ARRAY))
                return true;
        if (is_object && (is_resource || json_get_bool(schema, EMBEDDED_MARK, false)) &&
            !walk->visit(walk, value))
                return false;
        for (size_t i = 0; goes_on && node_next(&iter, &name, &child); i++) {
                if (is_object) {
                        goes_on = walk_member(walk, schema, name, child);
                } else {
                        buf_printf(&walk->path, "[%zu]", i);
                        goes_on =
                                embedded_walk_value(walk, json_get(schema, "items"), child, false);
                }
                path_cut(walk, length);
        }
        return goes_on;
}

static bool embedded_walk_all(struct embedded_walk *walk, const struct embedded_value *value,
                              struct json_node *node) {
        buf_text(&walk->path, value->path);
        bool goes_on = embedded_walk_value(walk, value->schema, node, value->is_resource);
        buf_release(&walk->path);
        return goes_on;
}

/* ---- types ---- */

static const char *embedded_text(struct arena *arena, const struct json_node *value) {
        struct buf text = { 0 };

        node_write(value, &text);
        const char *copy = arena_string(arena, buf_view(&text));
        buf_release(&text);
        return copy;
}

static void embedded_complain(struct embedded_walk *walk, const char *name,
                              const struct json_node *value, const char *detail) {
        field_error_add(walk->errors, FIELD_INVALID, path_member(walk, name),
                        embedded_text(walk->errors->arena, value), detail);
}

/* Of a member of the metadata that is being read. */
static void note_unknown(void *context, const char *path) {
        struct embedded_walk *walk = context;

        if (walk->unknown)
                walk->unknown(walk->context, path_member(walk, arena_printf(walk->errors->arena,
                                                                            "metadata.%s", path)));
}

/* What Go's decoder says of something that is no object. */
static const char *not_metadata(const struct json_node *value) {
        switch (node_type(value)) {
        case JSON_BOOL:
                return "json: cannot unmarshal bool into Go value of type v1.ObjectMeta";
        case JSON_STRING:
                return "json: cannot unmarshal string into Go value of type v1.ObjectMeta";
        case JSON_ARRAY:
                return "json: cannot unmarshal array into Go value of type v1.ObjectMeta";
        default:
                return "json: cannot unmarshal number into Go value of type v1.ObjectMeta";
        }
}

static bool coerce_metadata(struct embedded_walk *walk, struct json_node *object,
                            struct json_node *given) {
        struct schema_report report = { .unknown = note_unknown, .context = walk };
        struct err err = { 0 };

        if (node_type(given) == JSON_NULL) {
                node_put(walk->tree, object, "metadata", node_object(walk->tree));
                return true;
        }
        if (node_type(given) != JSON_OBJECT) {
                embedded_complain(walk, "metadata", given, not_metadata(given));
                return false;
        }
        const char *before = embedded_text(walk->errors->arena, given);
        if (schema_normalise(schema_named("meta.v1.ObjectMeta"), walk->tree, given, &report,
                             &err) == 0)
                return true;
        field_error_add(walk->errors, FIELD_INVALID, path_member(walk, "metadata"), before,
                        err.text);
        return false;
}

static bool coerce_object(struct embedded_walk *walk, struct json_node *object) {
        static const char *const names[] = { "apiVersion", "kind" };
        struct json_node *metadata = node_get(object, "metadata");

        for (size_t i = 0; i < 2; i++) {
                const struct json_node *value = node_get(object, names[i]);

                if (!value || node_type(value) == JSON_STRING)
                        continue;
                embedded_complain(walk, names[i], value, "must be a string");
                return false;
        }
        return !metadata || coerce_metadata(walk, object, metadata);
}

bool embedded_coerce(const struct embedded_value *value, struct json_tree *tree,
                     struct json_node *node, void (*unknown)(void *context, const char *path),
                     void *context, struct field_errors *errors) {
        struct embedded_walk walk = { .visit = coerce_object,
                                      .tree = tree,
                                      .unknown = unknown,
                                      .context = context,
                                      .errors = errors };

        return embedded_walk_all(&walk, value, node);
}

/* ---- validation ---- */

/* A version has at most one slash. */
static const char *version_problem(struct arena *arena, struct slice version) {
        const char *slash = memchr(version.ptr, '/', version.len);
        size_t rest = slash ? (size_t)(version.ptr + version.len - slash) - 1 : 0;

        if (version.len == 0)
                return "must not be empty";
        if (!rest || !memchr(slash + 1, '/', rest))
                return NULL;
        return arena_printf(arena, "unexpected GroupVersion string: " SLICE_FMT,
                            SLICE_ARG(version));
}

static const char *kind_problem(struct arena *arena, struct slice kind) {
        char *lower = arena_string(arena, kind);

        if (kind.len == 0)
                return "must not be empty";
        for (char *c = lower; *c; c++)
                if (*c >= 'A' && *c <= 'Z')
                        *c = (char)(*c - 'A' + 'a');
        const char *problems = dns_1035_label_problems(slice_make(lower, kind.len));
        return problems ? arena_printf(arena, "may have mixed case, but should otherwise match: %s",
                                       problems)
                        : NULL;
}

static void check_identity(struct embedded_walk *walk, const char *name,
                           const struct json_node *value,
                           const char *(*problem_of)(struct arena *arena, struct slice text)) {
        const char *problem = node_type(value) == JSON_STRING
                                      ? problem_of(walk->errors->arena, node_get_slice(value))
                                      : "must be a string";

        if (problem)
                embedded_complain(walk, name, value, problem);
}

/* As of an object of its own, at its place. */
static void check_metadata(struct embedded_walk *walk, const struct json_node *object) {
        struct field_errors found = { .arena = walk->errors->arena };

        metadata_check(object, NULL, true, &found);
        for (size_t i = 0; i < found.count; i++) {
                found.items[i].path = path_member(walk, found.items[i].path);
                field_error_take(walk->errors, &found.items[i]);
        }
}

static bool check_object_in(struct embedded_walk *walk, struct json_node *object) {
        static const char *const names[] = { "apiVersion", "kind" };
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct slice name;

        for (size_t i = 0; i < 2; i++)
                if (!node_get(object, names[i]))
                        field_error_add(walk->errors, FIELD_REQUIRED, path_member(walk, names[i]),
                                        NULL, NULL);
        while (node_next(&iter, &name, &value)) {
                if (slice_is(name, "apiVersion"))
                        check_identity(walk, "apiVersion", value, version_problem);
                else if (slice_is(name, "kind"))
                        check_identity(walk, "kind", value, kind_problem);
                else if (slice_is(name, "metadata"))
                        check_metadata(walk, object);
        }
        return true;
}

void embedded_check(const struct embedded_value *value, const struct json_node *node,
                    struct field_errors *errors) {
        struct embedded_walk walk = { .visit = check_object_in, .errors = errors };

        embedded_walk_all(&walk, value, (struct json_node *)(uintptr_t)node);
}
