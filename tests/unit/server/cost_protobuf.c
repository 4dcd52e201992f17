/* JSON to protobuf by the field tables: the reverse of schema/protobuf.c, as far as the measured
 * objects need it. */
#include "cost_protobuf.h"

#include "api/json.h"
#include "base/base64.h"
#include "base/time.h"
#include "schema/protobuf.h"
#include <assert.h>

#define WIRE_VARINT 0U
#define WIRE_BYTES 2U

static void varint_write(uint64_t value, struct buf *out) {
        for (; value >= 0x80; value >>= 7)
                buf_char(out, (char)(0x80 | (value & 0x7f)));
        buf_char(out, (char)value);
}

static void bytes_write(unsigned number, struct slice bytes, struct buf *out) {
        varint_write(number << 3 | WIRE_BYTES, out);
        varint_write(bytes.len, out);
        buf_slice(out, bytes);
}

static void number_write(unsigned number, uint64_t value, struct buf *out) {
        varint_write(number << 3 | WIRE_VARINT, out);
        varint_write(value, out);
}

static void message_write(unsigned number, struct buf *message, struct buf *out) {
        bytes_write(number, buf_view(message), out);
        buf_release(message);
}

static void members_write(const struct schema_object *schema, const struct json *object,
                          struct buf *out);

static uint64_t whole(const struct json *value) {
        int64_t number = 0;

        json_as_i64(value, &number);
        return (uint64_t)number;
}

static void text_or_bytes_write(const struct schema_field *field, unsigned number,
                                const struct json *value, struct buf *out) {
        struct buf bytes = { 0 };

        if (field->type == SCHEMA_BYTES)
                base64_decode(json_text(value), BASE64_STANDARD, &bytes);
        else
                buf_slice(&bytes, json_text(value));
        message_write(number, &bytes, out);
}

/* Types that sit in a message of their own. */
static void structured_write(const struct schema_field *field, unsigned number,
                             const struct json *value, struct buf *out) {
        struct buf message = { 0 }, text = { 0 };
        struct wall_time time;

        if (field->type == SCHEMA_OBJECT) {
                members_write(schema_field_object(field), value, &message);
        } else if (field->type == SCHEMA_INT_OR_STRING) {
                number_write(1, json_type(value) == JSON_STRING, &message);
                number_write(2, whole(value), &message);
                bytes_write(3, json_text(value), &message);
        } else if (field->type == SCHEMA_QUANTITY) {
                bytes_write(1, json_text(value), &message);
        } else if (field->type == SCHEMA_RAW) {
                json_write(value, &text);
                message_write(1, &text, &message);
        } else if (field->type == SCHEMA_TIME && wall_time_parse(json_text(value), &time)) {
                number_write(1, (uint64_t)(time.ns / NS_PER_S), &message);
        } /* other times and durations are left unset */
        message_write(number, &message, out);
}

static void value_write(const struct schema_field *field, unsigned number, const struct json *value,
                        struct buf *out) {
        switch ((enum schema_type)field->type) {
        case SCHEMA_BOOL:
                number_write(number, json_is_true(value), out);
                return;
        case SCHEMA_INT32:
        case SCHEMA_INT64:
                number_write(number, whole(value), out);
                return;
        case SCHEMA_STRING:
        case SCHEMA_BYTES:
                text_or_bytes_write(field, number, value, out);
                return;
        default:
                structured_write(field, number, value, out);
        }
}

static void field_write(const struct schema_field *field, const struct json *value,
                        struct buf *out) {
        struct json_iter iter = json_iter(value);
        const struct json *element;
        struct slice key;

        if (field->shape == SHAPE_ONE)
                value_write(field, field->number, value, out);
        while (field->shape == SHAPE_LIST && json_next(&iter, NULL, &element))
                value_write(field, field->number, element, out);
        while (field->shape == SHAPE_MAP && json_next(&iter, &key, &element)) {
                struct buf entry = { 0 };

                bytes_write(1, key, &entry);
                value_write(field, 2, element, &entry);
                message_write(field->number, &entry, out);
        }
}

static void members_write(const struct schema_object *schema, const struct json *object,
                          struct buf *out) {
        struct json_iter iter = json_iter(object);
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value)) {
                const struct schema_field *field = schema_field_find(schema, key);

                if (!field || field->number == 0)
                        continue;
                struct buf inner = { 0 };
                field_write(field, value, &inner);
                if (field->via)
                        message_write(field->via, &inner, out);
                else
                        buf_slice(out, buf_view(&inner));
                buf_release(&inner);
        }
}

/* Metadata and items; without them when the items' kind is none that is built in. */
static void list_write(struct slice api_version, struct slice kind, const struct json *list,
                       struct buf *out) {
        const struct schema_object *schema =
                protobuf_schema(api_version, slice_make(kind.ptr, kind.len - strlen("List")));
        struct json_iter items = json_iter(json_get(list, "items"));
        struct buf message = { 0 };
        const struct json *item;

        if (!schema)
                return;
        members_write(schema_named("meta.v1.ListMeta"), json_get(list, "metadata"), &message);
        message_write(1, &message, out);
        while (json_next(&items, NULL, &item)) {
                message = (struct buf){ 0 };
                members_write(schema, item, &message);
                message_write(2, &message, out);
        }
}

void cost_protobuf_write(struct slice json, struct buf *out) {
        struct json_doc *doc = NULL;
        struct buf type = { 0 }, object = { 0 };

        if (json_parse(json, &doc, NULL) < 0)
                assert(!"the JSON of a shape is broken");
        const struct json *root = json_doc_root(doc);
        struct slice api_version = json_get_text(root, "apiVersion"),
                     kind = json_get_text(root, "kind");
        const struct schema_object *schema = protobuf_schema(api_version, kind);
        if (schema)
                members_write(schema, root, &object);
        else if (slice_has_suffix(kind, SLICE_LITERAL("List")))
                list_write(api_version, kind, root, &object);
        bytes_write(1, api_version, &type);
        bytes_write(2, kind, &type);
        buf_append(out, "k8s", 4);
        message_write(1, &type, out);
        message_write(2, &object, out);
        json_doc_free(doc);
}
