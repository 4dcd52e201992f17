/* Objects that expressions of policies make, and how they leave as JSON: an Object as it is, a
 * JSONPatch as an operation whose value is what JSON can say. */
#include "cel/cel_function.h"
#include "cel/cel_node.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/util.h"
#include <math.h>

#define SAFE_MAX ((int64_t)9007199254740991) /* beyond it, integers of a patch are texts */

/* ---- values ---- */

/* An Object has any field; a JSONPatch has four. */
static bool is_patch(const struct cel_type *type) {
        return type->field_count > 0;
}

/* Empty texts of a patch are as good as absent. */
struct cel_value cel_object_made(struct cel_run *run, const struct cel_type *type,
                                 const struct cel_value *map) {
        struct cel_builder fields = { 0 };
        struct cel_value object = *map;

        object.kind = CEL_OBJECT;
        object.type = type;
        if (!is_patch(type))
                return object;
        for (size_t i = 0; i < map->count; i++) {
                const struct cel_value *pair = &map->as.items[2 * i];

                if (!slice_is(pair->as.text, "value") && pair[1].kind != CEL_STRING)
                        return cel_error(run,
                                         "unexpected type for JSONPatchType '" SLICE_FMT "' field",
                                         SLICE_ARG(pair->as.text));
                if (!slice_is(pair->as.text, "value") && pair[1].as.text.len == 0)
                        continue;
                cel_push(run, &fields, pair);
                cel_push(run, &fields, pair + 1);
        }
        object.as.items = fields.items;
        object.count = fields.count / 2;
        return object;
}

struct cel_value cel_object_absent(const struct cel_value *object, struct slice name) {
        return is_patch(object->type) && !slice_is(name, "value")
                       ? cel_text(CEL_STRING, SLICE_EMPTY)
                       : (struct cel_value){ .kind = CEL_NULL };
}

/* ---- names of types ---- */

/* What is made for a field has the type that is called after the way to it; lists and maps on that
 * way have no name. */
static void check_type_names(const struct cel_value *value, struct buf *path, struct buf *out) {
        bool is_list = value->kind == CEL_LIST, is_object = cel_is_made_object(value);
        size_t length = path->len;

        if (!value->is_made || !(is_list || is_object || value->kind == CEL_MAP))
                return;
        if (is_object && !slice_is(buf_view(path), value->type->name))
                buf_printf(out,
                           "%sunexpected type name \"%s\", expected \"" SLICE_FMT
                           "\", which matches field name path from root Object type",
                           out->len ? "\n" : "", value->type->name, SLICE_ARG(buf_view(path)));
        for (size_t i = 0; i < value->count; i++) {
                const struct cel_value *item = &value->as.items[is_list ? i : 2 * i + 1];

                if (is_object)
                        buf_printf(path, "." SLICE_FMT, SLICE_ARG(value->as.items[2 * i].as.text));
                check_type_names(item, path, out);
                path->len = length;
        }
}

/* NULL: they are right. */
static const char *type_name_problem(struct cel_run *run, const struct cel_value *object) {
        CLEANUP(buf_release) struct buf path = { 0 }, out = { 0 };

        buf_text(&path, object->type->name);
        check_type_names(object, &path, &out);
        return out.len ? arena_printf(run->arena, "type mismatch: " SLICE_FMT,
                                      SLICE_ARG(buf_view(&out)))
                       : NULL;
}

/* ---- JSON ---- */

struct json_maker {
        struct cel_run *run;
        struct json_tree *tree;
        const char *problem; /* the first */
        bool is_patch;
};

static struct json_node *maker_node(struct json_maker *maker, const struct cel_value *value);

static struct json_node *maker_fail(struct json_maker *maker, const char *problem) {
        if (!maker->problem)
                maker->problem = problem;
        return node_null(maker->tree);
}

static struct json_node *real_node(struct json_maker *maker, double real) {
        if (isnan(real) || isinf(real))
                return maker_fail(maker, "unsupported number");
        if (fabs(real) <= (double)SAFE_MAX && fpclassify(real - trunc(real)) == FP_ZERO)
                return node_i64(maker->tree, (int64_t)real);
        return node_f64(maker->tree, real);
}

static struct json_node *whole_node(struct json_maker *maker, const struct cel_value *value) {
        bool is_signed = value->kind == CEL_INT;
        int64_t integer = value->as.integer;
        bool is_safe = is_signed ? integer >= -SAFE_MAX && integer <= SAFE_MAX
                                 : value->as.natural <= (uint64_t)SAFE_MAX;

        if (is_safe || (is_signed && !maker->is_patch))
                return node_i64(maker->tree, integer);
        return node_string(maker->tree,
                           is_signed ? arena_printf(maker->run->arena, "%lld", (long long)integer)
                                     : arena_printf(maker->run->arena, "%llu",
                                                    (unsigned long long)value->as.natural));
}

static struct json_node *bytes_node(struct json_maker *maker, struct slice bytes) {
        CLEANUP(buf_release) struct buf text = { 0 };

        base64_encode(bytes, BASE64_STANDARD, &text);
        return node_text(maker->tree, buf_view(&text));
}

/* Times and durations, as string() says them. */
static struct json_node *string_node(struct json_maker *maker, const struct cel_value *value) {
        const struct cel_function *function;
        size_t at = 0;

        while ((function = maker->run->function_next(SLICE_LITERAL("string"), false, &at)))
                if (function->params[0] == value->kind)
                        return node_text(maker->tree, function->call(maker->run, value).as.text);
        return maker_fail(maker, "unsupported type");
}

static struct json_node *list_node(struct json_maker *maker, const struct cel_value *list) {
        struct json_node *array = node_array(maker->tree);

        for (size_t i = 0; i < list->count; i++)
                node_append(array, maker_node(maker, &list->as.items[i]));
        return array;
}

static struct json_node *map_node(struct json_maker *maker, const struct cel_value *map) {
        struct json_node *object = node_object(maker->tree);

        for (size_t i = 0; i < map->count; i++) {
                const struct cel_value *pair = &map->as.items[2 * i];

                if (pair->kind != CEL_STRING)
                        return maker_fail(
                                maker,
                                arena_printf(maker->run->arena,
                                             "unsupported type conversion from '%s' to string",
                                             cel_kind_name(pair->kind)));
                node_set(maker->tree, object, pair->as.text, maker_node(maker, pair + 1));
        }
        return object;
}

static struct json_node *maker_node(struct json_maker *maker, const struct cel_value *value) {
        switch (value->kind) {
        case CEL_NULL: /* whose Go value is a number */
                return maker->is_patch ? node_null(maker->tree) : node_i64(maker->tree, 0);
        case CEL_BOOL:
                return node_bool(maker->tree, value->as.boolean);
        case CEL_INT:
        case CEL_UINT:
                return whole_node(maker, value);
        case CEL_DOUBLE:
                return real_node(maker, value->as.real);
        case CEL_STRING:
                return node_text(maker->tree, value->as.text);
        case CEL_BYTES:
                return bytes_node(maker, value->as.text);
        case CEL_LIST:
                return value->is_made ? list_node(maker, value)
                                      : node_clone(maker->tree, value->as.node);
        case CEL_MAP:
        case CEL_OBJECT:
                return value->is_made ? map_node(maker, value)
                                      : node_clone(maker->tree, value->as.node);
        case CEL_OPTIONAL:
                return value->as.items ? maker_node(maker, value->as.items)
                                       : node_null(maker->tree);
        case CEL_TYPE:
                return maker_fail(maker, "type conversion not supported for 'type'");
        default:
                return string_node(maker, value);
        }
}

struct json_node *cel_object_node(struct cel_run *run, struct json_tree *tree,
                                  const struct cel_value *object, const char **ret_text) {
        struct json_maker maker = { .run = run, .tree = tree };

        if (!cel_is_made_object(object)) {
                *ret_text = "unsupported return type from ApplyConfiguration expression";
                return NULL;
        }
        *ret_text = type_name_problem(run, object);
        if (*ret_text)
                return NULL;
        struct json_node *node = maker_node(&maker, object);
        *ret_text = maker.problem;
        return maker.problem ? NULL : node;
}

static struct json_node *patch_node(struct json_maker *maker, const struct cel_value *patch) {
        static const char *const texts[] = { "op", "path" };
        struct json_node *node = map_node(maker, patch);

        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                if (!node_get(node, texts[i]))
                        node_put_string(maker->tree, node, texts[i], "");
        if (maker->problem)
                maker->problem = arena_printf(maker->run->arena,
                                              "JSONPath valueExpression evaluated to a type that "
                                              "could not marshal to JSON: %s",
                                              maker->problem);
        return node;
}

/* The first object among the values that has a type of another place. */
static const char *patch_problem(struct cel_run *run, const struct cel_value *patch) {
        for (size_t i = 0; i < patch->count; i++) {
                const struct cel_value *pair = &patch->as.items[2 * i];

                if (slice_is(pair->as.text, "value") && cel_is_made_object(pair + 1))
                        return type_name_problem(run, pair + 1);
        }
        return NULL;
}

struct json_node *cel_patches_node(struct cel_run *run, struct json_tree *tree,
                                   const struct cel_value *list, const char **ret_text) {
        struct json_maker maker = { .run = run, .tree = tree, .is_patch = true };
        struct json_node *array = node_array(tree);

        for (size_t i = 0; i < list->count && !maker.problem; i++) {
                const struct cel_value *patch = &list->as.items[i];

                if (!list->is_made || !cel_is_made_object(patch)) {
                        maker.problem =
                                "type mismatch: JSONPatchType.expression should evaluate to "
                                "array of JSONPatch";
                        break;
                }
                maker.problem = patch_problem(run, patch);
                if (!maker.problem)
                        node_append(array, patch_node(&maker, patch));
        }
        *ret_text = maker.problem;
        return maker.problem ? NULL : array;
}
