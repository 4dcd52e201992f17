/* Typed values in annotations. */
#include "kinds/annotation_json.h"

#include "base/arena.h"
#include "schema/go_json.h"
#include "schema/schema_order.h"
#include <strings.h>

/* ---- reading ---- */

static const struct schema_field *find_folded(const struct schema_object *type, struct slice name) {
        for (size_t i = 0; i < type->count; i++)
                if (strlen(type->fields[i].name) == name.len &&
                    strncasecmp(type->fields[i].name, name.ptr, name.len) == 0)
                        return &type->fields[i];
        return NULL;
}

/* Go takes members whatever the case of their names. */
static struct json_node *fold_names(const struct schema_object *type, struct json_tree *tree,
                                    const struct json_node *value) {
        struct node_iter iter = node_iter(value);
        struct json_node *member, *folded;
        struct slice name;

        if (node_type(value) == JSON_ARRAY) {
                folded = node_array(tree);
                while (node_next(&iter, NULL, &member))
                        node_append(folded, fold_names(type, tree, member));
                return folded;
        }
        if (node_type(value) != JSON_OBJECT)
                return node_clone(tree, value);
        folded = node_object(tree);
        while (node_next(&iter, &name, &member)) {
                const struct schema_field *field = schema_field_find(type, name);

                if (!field)
                        field = find_folded(type, name);
                if (!field)
                        continue;
                const struct schema_object *inner =
                        field->shape == SHAPE_ONE || field->shape == SHAPE_LIST
                                ? schema_field_object(field)
                                : NULL;
                node_put(tree, folded, field->name,
                         inner ? fold_names(inner, tree, member) : node_clone(tree, member));
        }
        return folded;
}

/* An object that has nothing but a value of the type. */
static struct schema_field holder_field(const struct schema_object *type, enum schema_shape shape) {
        return (struct schema_field){
                .name = "value", .type = SCHEMA_OBJECT, .shape = (uint8_t)shape, .own = type
        };
}

/* Canonical, or NULL; the value belongs to the holder. */
static struct json_node *make_canonical(struct json_tree *tree, const struct schema_object *type,
                                        enum schema_shape shape, struct json_node *value) {
        const struct schema_field field = holder_field(type, shape);
        const struct schema_object schema = { .name = "", .fields = &field, .count = 1 };
        struct json_node *holder = node_object(tree);
        struct err err = { 0 };

        node_put(tree, holder, field.name, value);
        if (schema_normalise(&schema, tree, holder, NULL, &err) < 0)
                return NULL;
        schema_order(&schema, tree, holder);
        return node_get(holder, field.name);
}

static struct json_node *read_value(struct json_tree *tree, const struct schema_object *type,
                                    enum schema_shape shape, struct slice text) {
        CLEANUP(cleanup_json_tree) struct json_tree *given = NULL;

        if (json_tree_parse(text, &given, NULL) < 0)
                return NULL;
        struct json_node *value =
                make_canonical(tree, type, shape, fold_names(type, tree, json_tree_root(given)));
        return value ? node_clone(tree, value) : NULL;
}

struct json_node *annotation_read_list(struct json_tree *tree, const struct schema_object *type,
                                       struct slice text) {
        return slice_is(slice_trim(text), "null") ? node_array(tree)
                                                  : read_value(tree, type, SHAPE_LIST, text);
}

struct json_node *annotation_read_object(struct json_tree *tree, const struct schema_object *type,
                                         struct slice text) {
        return read_value(tree, type, SHAPE_ONE, text);
}

/* What is wrong with the rest goes unsaid once there is a complaint. */
static bool fail_type(const struct json_node *value, const char *prefix,
                      const struct schema_object *type, struct err *err) {
        if (!err->text[0])
                err_set(err, BERTH_ERR_INVALID,
                        "json: cannot unmarshal %s into Go value of type %s%s",
                        json_go_name(node_type(value)), prefix, strchr(type->name, '.') + 1);
        return false;
}

/* False: it is of another JSON type, or has members that are. */
static bool decode_object(struct json_tree *tree, const struct schema_object *type,
                          const struct json_node *value, struct json_node **ret_object,
                          struct err *err) {
        struct err inner = { 0 };

        *ret_object = node_object(tree);
        if (node_type(value) == JSON_NULL) /* Go leaves what is there */
                return true;
        if (node_type(value) != JSON_OBJECT)
                return fail_type(value, "", type, err);
        *ret_object = fold_names(type, tree, value);
        if (schema_normalise(type, tree, *ret_object, NULL, &inner) == 0)
                return true;
        if (!err->text[0])
                *err = inner;
        return false;
}

static struct json_node *decode_list(struct json_tree *tree, const struct schema_object *type,
                                     const struct json_node *given, struct err *err) {
        bool is_right = node_type(given) == JSON_ARRAY || node_type(given) == JSON_NULL ||
                        fail_type(given, "[]", type, err);
        struct json_node *list = node_array(tree), *object;

        for (size_t i = 0; i < node_count(given) && node_type(given) == JSON_ARRAY; i++) {
                is_right &= decode_object(tree, type, node_at(given, i), &object, err);
                node_append(list, object);
        }
        return is_right ? list : NULL;
}

struct json_node *annotation_decode(struct json_tree *tree, const struct schema_object *type,
                                    enum schema_shape shape, struct slice text, struct err *err) {
        struct json_node *given, *object = NULL;
        struct json_doc *doc = NULL;

        if (go_json_parse(text, &doc, err) < 0)
                return NULL;
        given = node_import(tree, json_doc_root(doc));
        json_doc_free(doc);
        err->text[0] = '\0';
        if (shape == SHAPE_LIST)
                return decode_list(tree, type, given, err);
        return decode_object(tree, type, given, &object, err) ? object : NULL;
}

struct json_node *annotation_rename(struct json_tree *tree, const struct schema_object *type,
                                    const struct json_node *value) {
        return fold_names(type, tree, value);
}

/* ---- writing ---- */

void annotation_write_list(struct json_tree *tree, const struct schema_object *type,
                           struct json_node *list, struct buf *out) {
        node_write_for_html(make_canonical(tree, type, SHAPE_LIST, list), out);
}
