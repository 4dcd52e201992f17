/* Turns messages into JSON values by the field tables: containers are built in the order of the
 * bytes, each with one pass over its message. */
#include "schema/protobuf.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/pace.h"
#include "base/time.h"
#include "base/utf8.h"
#include "schema/protobuf_wire.h"
#include <assert.h>

struct decoder {
        struct json_builder *builder;
        struct err *err;
        bool skips_field_sets;
        unsigned without; /* fields with this flag are left out */
        bool is_mixed;    /* a list or map was met whose elements are no neighbours */
};

static int protobuf_broken(struct decoder *decoder, const char *what) {
        return err_set(decoder->err, BERTH_ERR_BAD_REQUEST, "proto: %s", what);
}

static int protobuf_open(struct decoder *decoder, enum json_type type) {
        return json_build_open(decoder->builder, type)
                       ? 0
                       : protobuf_broken(decoder, "nested too deeply");
}

/* ---- values; each writes one, or none when the bytes say "unset" and sets *ret_unset ---- */

#define ZERO_TIME_S (-62135596800LL) /* Go's zero time */

static int decode_time(struct decoder *decoder, struct slice message, bool is_micro,
                       bool *ret_unset) {
        struct wire_field seconds = { 0 }, nanos = { 0 };
        char text[WALL_TIME_TEXT_MAX];
        struct wall_time time;

        if (!wire_find_field(message, 1, &seconds) || !wire_find_field(message, 2, &nanos))
                return protobuf_broken(decoder, "broken time");
        int64_t whole = (int64_t)seconds.scalar;
        *ret_unset = message.len == 0 || whole == ZERO_TIME_S;
        if (*ret_unset)
                return 0;
        if (whole > INT64_MAX / NS_PER_S - 1 || whole < INT64_MIN / NS_PER_S + 1)
                return protobuf_broken(decoder, "time out of range");
        time.ns = whole * NS_PER_S + (int32_t)nanos.scalar;
        if (is_micro)
                wall_time_format_micro(time, text);
        else
                wall_time_format(time, text);
        json_build_copy(decoder->builder, slice_of(text));
        return 0;
}

static int decode_text(struct decoder *decoder, struct slice text) {
        if (!utf8_is_valid(text))
                return protobuf_broken(decoder, "string is not UTF-8");
        json_build_text(decoder->builder, text);
        return 0;
}

static int decode_int_or_string(struct decoder *decoder, struct slice message) {
        struct wire_field type = { 0 }, number = { 0 }, text = { 0 };

        if (!wire_find_field(message, 1, &type) || !wire_find_field(message, 2, &number) ||
            !wire_find_field(message, 3, &text))
                return protobuf_broken(decoder, "broken int-or-string");
        if (type.scalar == 1)
                return decode_text(decoder, text.bytes);
        json_build_i64(decoder->builder, (int32_t)number.scalar);
        return 0;
}

/* Raw extensions carry JSON. */
static int decode_raw(struct decoder *decoder, struct slice message, bool *ret_unset) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct wire_field raw = { 0 };

        if (!wire_find_field(message, 1, &raw))
                return protobuf_broken(decoder, "broken raw extension");
        *ret_unset = raw.bytes.len == 0;
        if (*ret_unset)
                return 0;
        if (json_parse(raw.bytes, &doc, decoder->err) < 0)
                return protobuf_broken(decoder, "raw extension is not JSON");
        if (!json_build_value(decoder->builder, json_doc_root(doc)))
                return protobuf_broken(decoder, "nested too deeply");
        return 0;
}

static int decode_duration(struct decoder *decoder, struct slice message) {
        struct wire_field inner = { 0 };
        char text[40];

        if (!wire_find_field(message, 1, &inner))
                return protobuf_broken(decoder, "broken duration");
        duration_format((int64_t)inner.scalar, text);
        json_build_copy(decoder->builder, slice_of(text));
        return 0;
}

static int decode_quantity(struct decoder *decoder, struct slice message) {
        struct wire_field inner = { 0 };

        if (!wire_find_field(message, 1, &inner))
                return protobuf_broken(decoder, "broken quantity");
        return decode_text(decoder, inner.bytes.len ? inner.bytes : SLICE_LITERAL("0"));
}

static void decode_bytes(struct decoder *decoder, struct slice bytes) {
        CLEANUP(buf_release) struct buf text = { 0 };

        base64_encode(bytes, BASE64_STANDARD, &text);
        json_build_copy(decoder->builder, buf_view(&text));
}

static int decode_message(struct decoder *decoder, const struct schema_object *schema,
                          struct slice message);

static int decode_object(struct decoder *decoder, const struct schema_object *schema,
                         struct slice message) {
        int r = protobuf_open(decoder, JSON_OBJECT);

        if (r == 0)
                r = decode_message(decoder, schema, message);
        if (r == 0)
                json_build_close(decoder->builder);
        return r;
}

static int decode_structured(struct decoder *decoder, const struct schema_field *field,
                             struct slice bytes, bool *ret_unset) {
        switch ((enum schema_type)field->type) {
        case SCHEMA_OBJECT:
                return decode_object(decoder, schema_field_object(field), bytes);
        case SCHEMA_BYTES:
                decode_bytes(decoder, bytes);
                return 0;
        case SCHEMA_TIME:
        case SCHEMA_MICRO_TIME:
                return decode_time(decoder, bytes, field->type == SCHEMA_MICRO_TIME, ret_unset);
        case SCHEMA_DURATION:
                return decode_duration(decoder, bytes);
        case SCHEMA_QUANTITY:
                return decode_quantity(decoder, bytes);
        case SCHEMA_INT_OR_STRING:
                return decode_int_or_string(decoder, bytes);
        case SCHEMA_RAW:
                return decode_raw(decoder, bytes, ret_unset);
        default:
                return decode_text(decoder, bytes);
        }
}

static bool is_number(const struct schema_field *field) {
        return field->type == SCHEMA_BOOL || field->type == SCHEMA_INT32 ||
               field->type == SCHEMA_INT64 || field->type == SCHEMA_FLOAT;
}

static void decode_number(struct decoder *decoder, const struct schema_field *field,
                          uint64_t value) {
        double real;

        switch ((enum schema_type)field->type) {
        case SCHEMA_BOOL:
                json_build_bool(decoder->builder, value != 0);
                return;
        case SCHEMA_INT32:
                json_build_i64(decoder->builder, (int32_t)value);
                return;
        case SCHEMA_FLOAT:
                memcpy(&real, &value, sizeof(real));
                json_build_f64(decoder->builder, real);
                return;
        default:
                json_build_i64(decoder->builder, (int64_t)value);
        }
}

static int decode_value(struct decoder *decoder, const struct schema_field *field,
                        const struct wire_field *wire, bool *ret_unset) {
        if (is_number(field) != (wire->type != WIRE_BYTES))
                return protobuf_broken(decoder, "wrong wire type");
        if (!is_number(field))
                return decode_structured(decoder, field, wire->bytes, ret_unset);
        decode_number(decoder, field, wire->scalar);
        return 0;
}

/* ---- members ---- */

/* Numbers may come packed, one after the other without tags. */
static int decode_packed(struct decoder *decoder, const struct schema_field *field,
                         struct slice bytes) {
        while (bytes.len > 0) {
                uint64_t value;
                bool is_whole = field->type == SCHEMA_FLOAT ? wire_take_fixed(&bytes, 8, &value)
                                                            : wire_take_varint(&bytes, &value);

                pace_step();
                if (!is_whole)
                        return protobuf_broken(decoder, "broken packed numbers");
                decode_number(decoder, field, value);
        }
        return 0;
}

static int decode_element(struct decoder *decoder, const struct schema_field *field,
                          const struct wire_field *wire) {
        bool is_unset = false;

        if (is_number(field) && wire->type == WIRE_BYTES)
                return decode_packed(decoder, field, wire->bytes);
        return decode_value(decoder, field, wire, &is_unset);
}

/* A list inside a map is a message of its own whose field 1 repeats. */
static int decode_inner_list(struct decoder *decoder, const struct schema_field *field,
                             struct slice message) {
        int r = protobuf_open(decoder, JSON_ARRAY);

        while (r == 0 && message.len > 0) {
                struct wire_field wire;

                if (!wire_take_field(&message, &wire))
                        return protobuf_broken(decoder, "broken list");
                r = wire.number == 1 ? decode_element(decoder, field, &wire) : 0;
        }
        if (r == 0)
                json_build_close(decoder->builder);
        return r;
}

static int decode_entry(struct decoder *decoder, const struct schema_field *field,
                        const struct wire_field *entry) {
        struct wire_field key = { 0 }, wire = { .type = WIRE_BYTES };
        bool is_unset = false;
        int r;

        if (entry->type != WIRE_BYTES)
                return protobuf_broken(decoder, "wrong wire type");
        if (is_number(field))
                wire.type = WIRE_VARINT; /* an absent value is zero */
        if (!wire_find_field(entry->bytes, 1, &key) || !wire_find_field(entry->bytes, 2, &wire) ||
            !utf8_is_valid(key.bytes))
                return protobuf_broken(decoder, "broken map entry");
        json_build_key(decoder->builder, key.bytes);
        if (field->shape == SHAPE_MAP_OF_LIST)
                r = decode_inner_list(decoder, field, wire.bytes);
        else
                r = decode_value(decoder, field, &wire, &is_unset);
        if (r == 0 && is_unset)
                json_build_drop_key(decoder->builder);
        return r;
}

static int decode_occurrence(struct decoder *decoder, const struct schema_field *field,
                             const struct wire_field *wire) {
        return field->shape == SHAPE_LIST ? decode_element(decoder, field, wire)
                                          : decode_entry(decoder, field, wire);
}

/* A list or a map: every occurrence of the field from here on. Where they are neighbours, rest is
 * moved behind the last one; else they may be anywhere. */
static int decode_repeated(struct decoder *decoder, const struct schema_field *field,
                           struct wire_field wire, struct slice *rest, bool is_grouped) {
        struct slice ahead = *rest;
        uint64_t number = wire.number;

        json_build_key(decoder->builder, slice_of(field->name));
        int r = protobuf_open(decoder, field->shape == SHAPE_LIST ? JSON_ARRAY : JSON_OBJECT);
        for (;;) {
                pace_step();
                if (r == 0 && wire.number == number)
                        r = decode_occurrence(decoder, field, &wire);
                if (r < 0)
                        return r;
                if (is_grouped && wire.number == number)
                        *rest = ahead;
                if (ahead.len == 0 || (is_grouped && wire.number != number))
                        break;
                if (!wire_take_field(&ahead, &wire))
                        return protobuf_broken(decoder, "unexpected end of message");
        }
        json_build_close(decoder->builder);
        return 0;
}

/* Go writes zero values that its JSON omits. */
static bool is_omitted(const struct schema_field *field, const struct wire_field *wire) {
        if (!(field->flags & FIELD_OMIT_EMPTY) || field->flags & FIELD_POINTER)
                return false;
        if (is_number(field))
                return wire->type != WIRE_BYTES && wire->scalar == 0;
        return (field->type == SCHEMA_STRING || field->type == SCHEMA_BYTES) &&
               wire->type == WIRE_BYTES && wire->bytes.len == 0;
}

static int decode_single(struct decoder *decoder, const struct schema_field *field,
                         const struct wire_field *wire) {
        bool is_unset = false;

        if (is_omitted(field, wire))
                return 0;
        if (decoder->skips_field_sets && field->type == SCHEMA_RAW &&
            strcmp(field->name, "fieldsV1") == 0)
                return 0;
        json_build_key(decoder->builder, slice_of(field->name));
        int r = decode_value(decoder, field, wire, &is_unset);
        if (r == 0 && is_unset)
                json_build_drop_key(decoder->builder);
        return r;
}

/* ---- messages ---- */

/* Fields come in the order of their numbers, which is mostly that of the table, so the search goes
 * on where the last one ended. */
static size_t protobuf_field_index(const struct schema_object *schema, uint64_t number, uint8_t via,
                                   size_t start) {
        for (size_t i = 0; i < schema->count; i++) {
                size_t at = start + i < schema->count ? start + i : start + i - schema->count;

                if (schema->fields[at].number == number && schema->fields[at].via == via)
                        return at;
        }
        return schema->count;
}

/* Members that JSON shows in place sit in messages of their own here. */
static bool is_inlined(const struct schema_object *schema, uint64_t number) {
        for (size_t i = 0; i < schema->count; i++)
                if (schema->fields[i].via == number)
                        return true;
        return false;
}

static bool is_sorted_message(struct slice message) {
        struct wire_field wire;
        uint64_t last = 0;

        while (message.len > 0) {
                pace_step();
                if (!wire_take_field(&message, &wire) || wire.number < last)
                        return false;
                last = wire.number;
        }
        return true;
}

static int decode_unknown(struct decoder *decoder, const struct schema_object *schema,
                          const struct wire_field *wire, uint8_t via);

/* The fields of one message, of those that the inlined message via holds. is_grouped: elements of
 * a list or map are neighbours; *ret_mixed when they are not, and what was built is good for
 * nothing. */
static int decode_grouped(struct decoder *decoder, const struct schema_object *schema,
                          struct slice message, uint8_t via, bool is_grouped, bool *ret_mixed) {
        uint64_t done[4] = { 0 }; /* a bit for each list and map */
        size_t at = 0;
        int r = 0;

        *ret_mixed = false;
        while (r == 0 && message.len > 0 && !*ret_mixed) {
                struct wire_field wire;

                if (!wire_take_field(&message, &wire))
                        return protobuf_broken(decoder, "unexpected end of message");
                size_t index = protobuf_field_index(schema, wire.number, via, at);
                if (index == schema->count) {
                        r = decode_unknown(decoder, schema, &wire, via);
                        continue;
                }
                at = index + 1;
                const struct schema_field *field = &schema->fields[index];
                if (field->flags & decoder->without)
                        continue;
                uint64_t bit = (uint64_t)1 << index % 64;
                if (field->shape == SHAPE_ONE) {
                        r = decode_single(decoder, field, &wire);
                } else if (!(done[index / 64 % 4] & bit)) {
                        done[index / 64 % 4] |= bit;
                        r = decode_repeated(decoder, field, wire, &message, is_grouped);
                } else {
                        *ret_mixed = is_grouped;
                }
        }
        return r;
}

/* Go writes fields in the order of their numbers, so that is tried first. Once a message was mixed
 * each is looked through before it is decoded: none is then decoded again inside another that is.
 */
static int decode_fields(struct decoder *decoder, const struct schema_object *schema,
                         struct slice message, uint8_t via) {
        struct json_build_mark mark = json_build_mark(decoder->builder);
        bool is_grouped = !decoder->is_mixed || is_sorted_message(message), is_mixed;
        int r = decode_grouped(decoder, schema, message, via, is_grouped, &is_mixed);

        if (r < 0 || !is_mixed)
                return r;
        decoder->is_mixed = true;
        json_build_rewind(decoder->builder, mark);
        return decode_grouped(decoder, schema, message, via, false, &is_mixed);
}

static int decode_unknown(struct decoder *decoder, const struct schema_object *schema,
                          const struct wire_field *wire, uint8_t via) {
        if (via != 0 || wire->type != WIRE_BYTES || wire->number > UINT8_MAX ||
            !is_inlined(schema, wire->number))
                return 0;
        return decode_fields(decoder, schema, wire->bytes, (uint8_t)wire->number);
}

static int decode_message(struct decoder *decoder, const struct schema_object *schema,
                          struct slice message) {
        assert(schema->count <= 256);
        return decode_fields(decoder, schema, message, 0);
}

/* ---- envelope ---- */

bool protobuf_is_envelope(struct slice body) {
        return slice_has_prefix(body, slice_make(PROTOBUF_MAGIC, PROTOBUF_MAGIC_SIZE));
}

const struct schema_object *protobuf_schema(struct slice api_version, struct slice kind) {
        struct slice rest = api_version, group = SLICE_EMPTY, version = api_version;

        /* Options and statuses belong to every group. */
        if (slice_is(kind, "DeleteOptions") || slice_is(kind, "Status"))
                return schema_find(SLICE_LITERAL("meta.k8s.io"), SLICE_LITERAL("v1"), kind);
        if (api_version.len && memchr(api_version.ptr, '/', api_version.len)) {
                slice_split(&rest, '/', &group);
                version = rest;
        }
        return schema_find(group, version, kind);
}

int protobuf_type(struct slice type, struct protobuf_envelope *ret_envelope) {
        struct wire_field api_version = { 0 }, kind = { 0 };

        if (!wire_find_field(type, 1, &api_version) || !wire_find_field(type, 2, &kind) ||
            !utf8_is_valid(api_version.bytes) || !utf8_is_valid(kind.bytes))
                return -1;
        ret_envelope->api_version = api_version.bytes;
        ret_envelope->kind = kind.bytes;
        return 0;
}

int protobuf_split(struct slice body, struct protobuf_envelope *ret_envelope) {
        struct slice fields =
                slice_make(body.ptr + PROTOBUF_MAGIC_SIZE, body.len - PROTOBUF_MAGIC_SIZE);
        struct wire_field type = { 0 }, raw = { 0 };

        if (!wire_find_field(fields, 1, &type) || !wire_find_field(fields, 2, &raw))
                return -1;
        ret_envelope->message = raw.bytes;
        return protobuf_type(type.bytes, ret_envelope);
}

int protobuf_build(struct json_builder *builder, const struct schema_object *schema,
                   struct slice message, unsigned without, struct err *err) {
        struct decoder decoder = {
                .builder = builder, .err = err, .skips_field_sets = true, .without = without
        };

        return decode_object(&decoder, schema, message);
}

static int build_envelope(struct decoder *decoder, struct slice body) {
        struct json_builder *builder = decoder->builder;
        struct protobuf_envelope envelope;

        if (!protobuf_is_envelope(body))
                return protobuf_broken(decoder, "not a Kubernetes envelope");
        if (protobuf_split(body, &envelope) < 0)
                return protobuf_broken(decoder, "broken envelope");
        const struct schema_object *schema = protobuf_schema(envelope.api_version, envelope.kind);
        if (!schema)
                return err_set(decoder->err, BERTH_ERR_BAD_REQUEST,
                               "no kind \"" SLICE_FMT "\" is registered for version \"" SLICE_FMT
                               "\"",
                               SLICE_ARG(envelope.kind), SLICE_ARG(envelope.api_version));
        int r = protobuf_open(decoder, JSON_OBJECT);
        json_build_key(builder, SLICE_LITERAL("kind"));
        json_build_text(builder, envelope.kind);
        json_build_key(builder, SLICE_LITERAL("apiVersion"));
        json_build_text(builder, envelope.api_version);
        if (r == 0)
                r = decode_message(decoder, schema, envelope.message);
        if (r == 0)
                json_build_close(builder);
        return r;
}

int protobuf_build_envelope(struct json_builder *builder, struct slice body, struct err *err) {
        struct decoder decoder = { .builder = builder, .err = err, .skips_field_sets = true };

        return build_envelope(&decoder, body);
}

int protobuf_decode(struct slice body, struct json_tree **ret_tree, struct err *err) {
        struct json_builder *builder = json_builder_new();
        struct decoder decoder = { .builder = builder, .err = err };

        int r = build_envelope(&decoder, body);
        if (r == 0) {
                *ret_tree = json_tree_new();
                json_tree_set_root(*ret_tree, node_import(*ret_tree, json_builder_root(builder)));
        }
        json_builder_free(builder);
        return r;
}
