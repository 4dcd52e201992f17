/* Reads the protobuf wire format by the field tables. */
#include "schema/protobuf.h"

#include "base/base64.h"
#include "base/time.h"
#include "base/utf8.h"
#include "schema/schema.h"

#define DEPTH_MAX 100

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* One field as it stands in a message. */
struct wire_field {
        uint64_t number;
        enum wire_type type;
        uint64_t scalar;    /* varint, fixed */
        struct slice bytes; /* WIRE_BYTES */
};

struct decoder {
        struct json_tree *tree;
        struct err *err;
        int depth;
};

static int protobuf_broken(struct decoder *decoder, const char *what) {
        return err_set(decoder->err, BERTH_ERR_BAD_REQUEST, "proto: %s", what);
}

/* ---- wire format ---- */

static bool take_varint(struct slice *rest, uint64_t *ret_value) {
        uint64_t value = 0;

        for (unsigned shift = 0; shift < 64 && rest->len > 0; shift += 7) {
                uint8_t byte = (uint8_t)*rest->ptr;

                rest->ptr++;
                rest->len--;
                value |= (uint64_t)(byte & 0x7f) << shift;
                if (!(byte & 0x80)) {
                        *ret_value = value;
                        return true;
                }
        }
        return false;
}

static bool take_fixed(struct slice *rest, size_t size, uint64_t *ret_value) {
        uint64_t value = 0;

        if (rest->len < size)
                return false;
        for (size_t i = 0; i < size; i++)
                value |= (uint64_t)(uint8_t)rest->ptr[i] << (8 * i);
        rest->ptr += size;
        rest->len -= size;
        *ret_value = value;
        return true;
}

/* Moves rest behind the next field; false when the bytes are broken. */
static bool take_field(struct slice *rest, struct wire_field *ret_field) {
        struct wire_field field = { 0 };
        uint64_t key, size;

        if (!take_varint(rest, &key) || key >> 3 == 0)
                return false;
        field.number = key >> 3;
        field.type = (enum wire_type)(key & 7);
        switch (field.type) {
        case WIRE_VARINT:
                if (!take_varint(rest, &field.scalar))
                        return false;
                break;
        case WIRE_FIXED64:
        case WIRE_FIXED32:
                if (!take_fixed(rest, field.type == WIRE_FIXED64 ? 8 : 4, &field.scalar))
                        return false;
                break;
        case WIRE_BYTES:
                if (!take_varint(rest, &size) || size > rest->len)
                        return false;
                field.bytes = slice_make(rest->ptr, (size_t)size);
                rest->ptr += size;
                rest->len -= (size_t)size;
                break;
        default:
                return false;
        }
        *ret_field = field;
        return true;
}

/* Last occurrence of a field; an absent one leaves *ret_field alone. */
static bool find_field(struct slice message, uint64_t number, struct wire_field *ret_field) {
        struct wire_field field;

        while (message.len > 0) {
                if (!take_field(&message, &field))
                        return false;
                if (field.number == number)
                        *ret_field = field;
        }
        return true;
}

/* ---- single values ---- */

#define ZERO_TIME_S (-62135596800LL) /* Go's zero time */

static int decode_time(struct decoder *decoder, struct slice message, bool is_micro,
                       struct json_node **ret_node) {
        struct wire_field seconds = { 0 }, nanos = { 0 };
        char text[WALL_TIME_TEXT_MAX];
        struct wall_time time;

        if (!find_field(message, 1, &seconds) || !find_field(message, 2, &nanos))
                return protobuf_broken(decoder, "broken time");
        int64_t whole = (int64_t)seconds.scalar;
        if (message.len == 0 || whole == ZERO_TIME_S)
                return 0;
        if (whole > INT64_MAX / NS_PER_S - 1 || whole < INT64_MIN / NS_PER_S + 1)
                return protobuf_broken(decoder, "time out of range");
        time.ns = whole * NS_PER_S + (int32_t)nanos.scalar;
        if (is_micro)
                wall_time_format_micro(time, text);
        else
                wall_time_format(time, text);
        *ret_node = node_string(decoder->tree, text);
        return 0;
}

static int decode_int_or_string(struct decoder *decoder, struct slice message,
                                struct json_node **ret_node) {
        struct wire_field type = { 0 }, number = { 0 }, text = { 0 };

        if (!find_field(message, 1, &type) || !find_field(message, 2, &number) ||
            !find_field(message, 3, &text))
                return protobuf_broken(decoder, "broken int-or-string");
        if (!utf8_is_valid(text.bytes))
                return protobuf_broken(decoder, "string is not UTF-8");
        *ret_node = type.scalar == 1 ? node_text(decoder->tree, text.bytes)
                                     : node_i64(decoder->tree, (int32_t)number.scalar);
        return 0;
}

/* Raw extensions carry JSON. */
static int decode_raw(struct decoder *decoder, struct slice message, struct json_node **ret_node) {
        struct wire_field raw = { 0 };
        struct json_doc *doc = NULL;

        if (!find_field(message, 1, &raw))
                return protobuf_broken(decoder, "broken raw extension");
        if (raw.bytes.len == 0)
                return 0;
        if (json_parse(raw.bytes, &doc, decoder->err) < 0)
                return protobuf_broken(decoder, "raw extension is not JSON");
        *ret_node = node_import(decoder->tree, json_doc_root(doc));
        json_doc_free(doc);
        return 0;
}

static struct json_node *decode_bytes(struct decoder *decoder, struct slice bytes) {
        struct buf text = { 0 };

        base64_encode(bytes, BASE64_STANDARD, &text);
        struct json_node *node = node_text(decoder->tree, buf_view(&text));
        buf_release(&text);
        return node;
}

static struct json_node *decode_double(struct decoder *decoder, uint64_t bits) {
        double value;

        memcpy(&value, &bits, sizeof(value));
        return node_f64(decoder->tree, value);
}

static int decode_message(struct decoder *decoder, const struct schema_object *schema,
                          struct slice message, uint8_t via, struct json_node *object);

/* Leaves *ret_node alone when the value says "unset". */
static int decode_structured(struct decoder *decoder, const struct schema_field *field,
                             struct slice bytes, struct json_node **ret_node) {
        struct wire_field inner = { 0 };
        char text[40];

        switch ((enum schema_type)field->type) {
        case SCHEMA_OBJECT:
                *ret_node = node_object(decoder->tree);
                return decode_message(decoder, schema_field_object(field), bytes, 0, *ret_node);
        case SCHEMA_BYTES:
                *ret_node = decode_bytes(decoder, bytes);
                return 0;
        case SCHEMA_TIME:
        case SCHEMA_MICRO_TIME:
                return decode_time(decoder, bytes, field->type == SCHEMA_MICRO_TIME, ret_node);
        case SCHEMA_DURATION:
                if (!find_field(bytes, 1, &inner))
                        return protobuf_broken(decoder, "broken duration");
                duration_format((int64_t)inner.scalar, text);
                *ret_node = node_string(decoder->tree, text);
                return 0;
        case SCHEMA_QUANTITY:
                if (!find_field(bytes, 1, &inner) || !utf8_is_valid(inner.bytes))
                        return protobuf_broken(decoder, "broken quantity");
                *ret_node = inner.bytes.len ? node_text(decoder->tree, inner.bytes)
                                            : node_string(decoder->tree, "0");
                return 0;
        case SCHEMA_INT_OR_STRING:
                return decode_int_or_string(decoder, bytes, ret_node);
        case SCHEMA_RAW:
                return decode_raw(decoder, bytes, ret_node);
        default:
                if (!utf8_is_valid(bytes))
                        return protobuf_broken(decoder, "string is not UTF-8");
                *ret_node = node_text(decoder->tree, bytes);
                return 0;
        }
}

static bool is_number(const struct schema_field *field) {
        return field->type == SCHEMA_BOOL || field->type == SCHEMA_INT32 ||
               field->type == SCHEMA_INT64 || field->type == SCHEMA_FLOAT;
}

static struct json_node *decode_number(struct decoder *decoder, const struct schema_field *field,
                                       uint64_t value) {
        switch ((enum schema_type)field->type) {
        case SCHEMA_BOOL:
                return node_bool(decoder->tree, value != 0);
        case SCHEMA_INT32:
                return node_i64(decoder->tree, (int32_t)value);
        case SCHEMA_FLOAT:
                return decode_double(decoder, value);
        default:
                return node_i64(decoder->tree, (int64_t)value);
        }
}

static int decode_value(struct decoder *decoder, const struct schema_field *field,
                        const struct wire_field *wire, struct json_node **ret_node) {
        if (is_number(field) != (wire->type != WIRE_BYTES))
                return protobuf_broken(decoder, "wrong wire type");
        if (is_number(field)) {
                *ret_node = decode_number(decoder, field, wire->scalar);
                return 0;
        }
        return decode_structured(decoder, field, wire->bytes, ret_node);
}

/* ---- containers ---- */

/* Numbers may come packed, one after the other without tags. */
static int decode_packed(struct decoder *decoder, const struct schema_field *field,
                         struct slice bytes, struct json_node *list) {
        while (bytes.len > 0) {
                uint64_t value;
                bool is_whole = field->type == SCHEMA_FLOAT ? take_fixed(&bytes, 8, &value)
                                                            : take_varint(&bytes, &value);

                if (!is_whole)
                        return protobuf_broken(decoder, "broken packed numbers");
                node_append(list, decode_number(decoder, field, value));
        }
        return 0;
}

static int decode_element(struct decoder *decoder, const struct schema_field *field,
                          const struct wire_field *wire, struct json_node *list) {
        struct json_node *value = NULL;

        if (is_number(field) && wire->type == WIRE_BYTES)
                return decode_packed(decoder, field, wire->bytes, list);
        int r = decode_value(decoder, field, wire, &value);
        if (r == 0 && value)
                node_append(list, value);
        return r;
}

/* A list inside a map is a message of its own whose field 1 repeats. */
static int decode_inner_list(struct decoder *decoder, const struct schema_field *field,
                             struct slice message, struct json_node *list) {
        while (message.len > 0) {
                struct wire_field wire;

                if (!take_field(&message, &wire))
                        return protobuf_broken(decoder, "broken list");
                int r = wire.number == 1 ? decode_element(decoder, field, &wire, list) : 0;
                if (r < 0)
                        return r;
        }
        return 0;
}

static int decode_entry(struct decoder *decoder, const struct schema_field *field,
                        struct slice entry, struct json_node *map) {
        struct wire_field key = { 0 }, wire = { .type = WIRE_BYTES };
        struct json_node *value = NULL;
        int r;

        if (is_number(field))
                wire.type = WIRE_VARINT; /* an absent value is zero */
        if (!find_field(entry, 1, &key) || !find_field(entry, 2, &wire) ||
            !utf8_is_valid(key.bytes))
                return protobuf_broken(decoder, "broken map entry");
        if (field->shape == SHAPE_MAP_OF_LIST) {
                value = node_array(decoder->tree);
                r = decode_inner_list(decoder, field, wire.bytes, value);
        } else {
                r = decode_value(decoder, field, &wire, &value);
        }
        if (r == 0 && value)
                node_set(decoder->tree, map, key.bytes, value);
        return r;
}

static int decode_field(struct decoder *decoder, const struct schema_field *field,
                        const struct wire_field *wire, struct json_node *object) {
        struct json_node *value = NULL;

        if (field->shape == SHAPE_LIST)
                return decode_element(decoder, field, wire,
                                      node_need_array(decoder->tree, object, field->name));
        if (field->shape != SHAPE_ONE && wire->type != WIRE_BYTES)
                return protobuf_broken(decoder, "wrong wire type");
        if (field->shape != SHAPE_ONE)
                return decode_entry(decoder, field, wire->bytes,
                                    node_need_object(decoder->tree, object, field->name));
        int r = decode_value(decoder, field, wire, &value);
        if (r == 0 && value)
                node_put(decoder->tree, object, field->name, value);
        return r;
}

/* ---- messages ---- */

static const struct schema_field *field_of(const struct schema_object *schema, uint64_t number,
                                           uint8_t via) {
        for (size_t i = 0; i < schema->count; i++)
                if (schema->fields[i].number == number && schema->fields[i].via == via)
                        return &schema->fields[i];
        return NULL;
}

/* Members that JSON shows in place sit in messages of their own here. */
static bool is_inlined(const struct schema_object *schema, uint64_t number) {
        for (size_t i = 0; i < schema->count; i++)
                if (schema->fields[i].via == number)
                        return true;
        return false;
}

static int decode_one(struct decoder *decoder, const struct schema_object *schema,
                      const struct wire_field *wire, uint8_t via, struct json_node *object) {
        const struct schema_field *field = field_of(schema, wire->number, via);

        if (field)
                return decode_field(decoder, field, wire, object);
        if (via == 0 && wire->type == WIRE_BYTES && wire->number <= UINT8_MAX &&
            is_inlined(schema, wire->number))
                return decode_message(decoder, schema, wire->bytes, (uint8_t)wire->number, object);
        return 0;
}

static int decode_message(struct decoder *decoder, const struct schema_object *schema,
                          struct slice message, uint8_t via, struct json_node *object) {
        int r = 0;

        if (++decoder->depth > DEPTH_MAX)
                return protobuf_broken(decoder, "nested too deeply");
        while (r == 0 && message.len > 0) {
                struct wire_field wire;

                if (!take_field(&message, &wire))
                        return protobuf_broken(decoder, "unexpected end of message");
                r = decode_one(decoder, schema, &wire, via, object);
        }
        decoder->depth--;
        return r;
}

/* ---- envelope ---- */

static const char magic[4] = { 'k', '8', 's', '\0' };

bool protobuf_is_envelope(struct slice body) {
        return slice_has_prefix(body, slice_make(magic, sizeof(magic)));
}

static const struct schema_object *schema_of(struct slice api_version, struct slice kind) {
        struct slice rest = api_version, group = SLICE_EMPTY, version = api_version;

        /* Options belong to every group. */
        if (slice_is(kind, "DeleteOptions"))
                return schema_find(SLICE_LITERAL("meta.k8s.io"), SLICE_LITERAL("v1"), kind);
        if (api_version.len && memchr(api_version.ptr, '/', api_version.len)) {
                slice_split(&rest, '/', &group);
                version = rest;
        }
        return schema_find(group, version, kind);
}

static int decode_envelope(struct decoder *decoder, struct slice envelope) {
        struct wire_field type = { 0 }, raw = { 0 }, api_version = { 0 }, kind = { 0 };

        if (!find_field(envelope, 1, &type) || !find_field(envelope, 2, &raw) ||
            !find_field(type.bytes, 1, &api_version) || !find_field(type.bytes, 2, &kind) ||
            !utf8_is_valid(api_version.bytes) || !utf8_is_valid(kind.bytes))
                return protobuf_broken(decoder, "broken envelope");
        const struct schema_object *schema = schema_of(api_version.bytes, kind.bytes);
        if (!schema)
                return err_set(decoder->err, BERTH_ERR_BAD_REQUEST,
                               "no kind \"" SLICE_FMT "\" is registered for version \"" SLICE_FMT
                               "\"",
                               SLICE_ARG(kind.bytes), SLICE_ARG(api_version.bytes));
        struct json_node *object = node_object(decoder->tree);
        node_put_text(decoder->tree, object, "kind", kind.bytes);
        node_put_text(decoder->tree, object, "apiVersion", api_version.bytes);
        json_tree_set_root(decoder->tree, object);
        return decode_message(decoder, schema, raw.bytes, 0, object);
}

int protobuf_decode(struct slice body, struct json_tree **ret_tree, struct err *err) {
        struct decoder decoder = { .err = err };

        if (!protobuf_is_envelope(body))
                return protobuf_broken(&decoder, "not a Kubernetes envelope");
        decoder.tree = json_tree_new();
        int r = decode_envelope(&decoder,
                                slice_make(body.ptr + sizeof(magic), body.len - sizeof(magic)));
        if (r < 0) {
                json_tree_free(decoder.tree);
                return r;
        }
        *ret_tree = decoder.tree;
        return 0;
}
