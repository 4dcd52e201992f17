/* Writing structs back as JSON through their field tables. */
#include "api/quantity.h"
#include "base/time.h"
#include "base/util.h"
#include "config/field_priv.h"

static struct json_node *encode_value(struct json_tree *tree, const struct field *field,
                                      const void *member);

static struct json_node *encode_amount(struct json_tree *tree, const struct field *field,
                                       int64_t amount) {
        char text[QUANTITY_TEXT_MAX];
        if (field->type == FIELD_DURATION)
                duration_format(amount, text);
        else if (field->type == FIELD_MILLI)
                quantity_format_milli(amount, text);
        else
                quantity_format_units(amount, QUANTITY_DECIMAL_SI, text);
        return node_string(tree, text);
}

static struct json_node *encode_texts(struct json_tree *tree, const struct text_list *list) {
        struct json_node *array = node_array(tree);
        for (size_t i = 0; i < list->count; i++)
                node_append(array, node_text(tree, list->items[i]));
        return array;
}

/* An element or member value: a mapping, or a plain value where the table has one nameless row. */
static struct json_node *encode_item(struct json_tree *tree, const struct field *fields,
                                     const char *item) {
        if (fields_are_plain(fields))
                return encode_value(tree, fields, item + fields->offset);
        struct json_node *object = node_object(tree);
        fields_encode(tree, object, fields, item);
        return object;
}

static struct json_node *encode_list(struct json_tree *tree, const struct field *field,
                                     const struct item_list *list) {
        struct json_node *array = node_array(tree);
        for (size_t i = 0; i < list->count; i++)
                node_append(array, encode_item(tree, field->fields,
                                               (char *)list->items + i * field->item_size));
        return array;
}

static struct json_node *encode_map(struct json_tree *tree, const struct field *field,
                                    const struct item_list *list) {
        struct json_node *object = node_object(tree);
        for (size_t i = 0; i < list->count; i++) {
                const char *item = (char *)list->items + i * field->item_size;
                struct slice key = *(const struct slice *)(const void *)item;
                node_set(tree, object, key, encode_item(tree, field->fields, item));
        }
        return object;
}

/* NULL for what is absent. */
static struct json_node *encode_value(struct json_tree *tree, const struct field *field,
                                      const void *member) {
        const struct json *json;
        switch (field->type) {
        case FIELD_BOOL:
                return node_bool(tree, *(const bool *)member);
        case FIELD_I32:
                return node_i64(tree, *(const int32_t *)member);
        case FIELD_I64:
                return node_i64(tree, *(const int64_t *)member);
        case FIELD_U32:
                return node_i64(tree, *(const uint32_t *)member);
        case FIELD_F64:
                return node_f64(tree, *(const double *)member);
        case FIELD_TEXT:
                return node_text(tree, *(const struct slice *)member);
        case FIELD_DURATION:
        case FIELD_QUANTITY:
        case FIELD_MILLI:
                return encode_amount(tree, field, *(const int64_t *)member);
        case FIELD_CHOICE:
                return node_string(tree, field->choices[*(const int *)member]);
        case FIELD_TEXTS:
                return encode_texts(tree, member);
        case FIELD_STRUCT:
                return encode_item(tree, field->fields, member);
        case FIELD_POINTER:
                member = *(const void *const *)member;
                return member ? encode_item(tree, field->fields, member) : NULL;
        case FIELD_LIST:
                return encode_list(tree, field, member);
        case FIELD_MAP:
                return encode_map(tree, field, member);
        case FIELD_JSON:
                json = *(const struct json *const *)member;
                return json ? node_import(tree, json) : NULL;
        case FIELD_CUSTOM:
                return NULL;
        }
        return NULL;
}

static bool is_absent(const struct field *field, const void *structure) {
        if (field->presence == 0 || field->presence == FIELD_NO_PRESENCE || field->fallback)
                return false;
        return !*(const bool *)((const char *)structure + field->presence);
}

void fields_encode(struct json_tree *tree, struct json_node *object, const struct field *fields,
                   const void *structure) {
        for (const struct field *field = fields; field->name; field++) {
                const void *member = (const char *)structure + field->offset;
                if (is_absent(field, structure))
                        continue;
                if (field->type == FIELD_CUSTOM && field->encode)
                        field->encode(tree, object, field->name, member);
                struct json_node *value = encode_value(tree, field, member);
                if (value)
                        node_put(tree, object, field->name, value);
        }
}
