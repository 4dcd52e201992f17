/* The way back of protobuf.c: each value by its type, messages inside messages with their length
 * before them. */
#include "schema/protobuf_write.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/time.h"
#include "schema/protobuf_wire.h"
#include <string.h>

static int wrong_type(const struct schema_field *field, struct err *err) {
        return err_set(err, BERTH_ERR_BAD_REQUEST, "%s: cannot be written as protobuf",
                       field->name);
}

/* ---- values without their tags ---- */

static bool write_time(struct buf *out, struct slice text, bool is_micro) {
        struct wall_time time;

        if (!wall_time_parse(text, &time))
                return false;
        int64_t seconds = time.ns / NS_PER_S, nanos = time.ns % NS_PER_S;
        if (nanos < 0) {
                nanos += NS_PER_S;
                seconds--;
        }
        wire_put_number(out, 1, (uint64_t)seconds);
        if (is_micro)
                wire_put_number(out, 2, (uint64_t)nanos);
        return true;
}

static bool write_quantity(struct buf *out, const struct json *value) {
        CLEANUP(buf_release) struct buf number = { 0 };

        if (json_type(value) == JSON_STRING) {
                wire_put_bytes(out, 1, json_text(value));
                return true;
        }
        if (!json_write(value, &number))
                return false;
        wire_put_bytes(out, 1, buf_view(&number));
        return json_type(value) == JSON_INT || json_type(value) == JSON_REAL;
}

static bool write_int_or_string(struct buf *out, const struct json *value) {
        bool is_text = json_type(value) == JSON_STRING;
        int64_t number = 0;

        if (!is_text && !json_as_i64(value, &number))
                return false;
        wire_put_number(out, 1, is_text);
        wire_put_number(out, 2, (uint64_t)number);
        wire_put_bytes(out, 3, is_text ? json_text(value) : SLICE_EMPTY);
        return true;
}

static bool write_raw(struct buf *out, const struct json *value) {
        CLEANUP(buf_release) struct buf text = { 0 };

        if (!json_write(value, &text))
                return false;
        wire_put_bytes(out, 1, buf_view(&text));
        return true;
}

static bool write_duration(struct buf *out, struct slice text) {
        int64_t ns;

        if (!duration_parse(text, &ns))
                return false;
        wire_put_number(out, 1, (uint64_t)ns);
        return true;
}

/* What stands in the bytes of a value that is no number. */
static int write_bytes_of(struct buf *out, const struct schema_field *field,
                          const struct json *value, struct err *err) {
        bool is_text = json_type(value) == JSON_STRING, is_written = false;
        struct slice text = json_text(value);

        switch ((enum schema_type)field->type) {
        case SCHEMA_OBJECT:
                if (json_type(value) != JSON_OBJECT)
                        break;
                return protobuf_write_message(out, schema_field_object(field), value, err);
        case SCHEMA_QUANTITY:
                is_written = write_quantity(out, value);
                break;
        case SCHEMA_INT_OR_STRING:
                is_written = write_int_or_string(out, value);
                break;
        case SCHEMA_RAW:
                is_written = write_raw(out, value);
                break;
        case SCHEMA_BYTES:
                is_written = is_text && base64_decode(text, BASE64_STANDARD, out);
                break;
        case SCHEMA_TIME:
        case SCHEMA_MICRO_TIME:
                is_written = is_text && write_time(out, text, field->type == SCHEMA_MICRO_TIME);
                break;
        case SCHEMA_DURATION:
                is_written = is_text && write_duration(out, text);
                break;
        default:
                is_written = is_text && buf_slice(out, text);
        }
        return is_written ? 0 : wrong_type(field, err);
}

/* ---- values with their tags ---- */

static bool write_number(struct buf *out, uint64_t number, const struct schema_field *field,
                         const struct json *value) {
        int64_t whole;
        double real;

        if (field->type == SCHEMA_FLOAT) {
                if (!json_as_f64(value, &real))
                        return false;
                wire_put_double(out, number, real);
                return true;
        }
        if (field->type == SCHEMA_BOOL) {
                if (json_type(value) != JSON_BOOL)
                        return false;
                whole = json_is_true(value);
        } else if (!json_as_i64(value, &whole)) {
                return false;
        }
        wire_put_number(out, number, (uint64_t)whole);
        return true;
}

static bool is_number(const struct schema_field *field) {
        return field->type == SCHEMA_BOOL || field->type == SCHEMA_INT32 ||
               field->type == SCHEMA_INT64 || field->type == SCHEMA_FLOAT;
}

static int write_value(struct buf *out, uint64_t number, const struct schema_field *field,
                       const struct json *value, struct err *err) {
        CLEANUP(buf_release) struct buf bytes = { 0 };

        if (is_number(field))
                return write_number(out, number, field, value) ? 0 : wrong_type(field, err);
        int r = write_bytes_of(&bytes, field, value, err);
        if (r == 0)
                wire_put_bytes(out, number, buf_view(&bytes));
        return r;
}

static int write_list(struct buf *out, uint64_t number, const struct schema_field *field,
                      const struct json *list, struct err *err) {
        struct json_iter iter = json_iter(list);
        const struct json *item;
        int r = json_type(list) == JSON_ARRAY ? 0 : wrong_type(field, err);

        while (r == 0 && json_next(&iter, NULL, &item))
                r = write_value(out, number, field, item, err);
        return r;
}

/* A list inside a map is a message of its own whose field 1 repeats. */
static int write_inner_list(struct buf *out, const struct schema_field *field,
                            const struct json *list, struct err *err) {
        CLEANUP(buf_release) struct buf inner = { 0 };
        int r = write_list(&inner, 1, field, list, err);

        if (r == 0)
                wire_put_bytes(out, 2, buf_view(&inner));
        return r;
}

static int write_map(struct buf *out, const struct schema_field *field, const struct json *map,
                     struct err *err) {
        struct json_iter iter = json_iter(map);
        const struct json *value;
        struct slice key;
        int r = json_type(map) == JSON_OBJECT ? 0 : wrong_type(field, err);

        while (r == 0 && json_next(&iter, &key, &value)) {
                CLEANUP(buf_release) struct buf entry = { 0 };

                wire_put_bytes(&entry, 1, key);
                r = field->shape == SHAPE_MAP_OF_LIST ? write_inner_list(&entry, field, value, err)
                                                      : write_value(&entry, 2, field, value, err);
                if (r == 0)
                        wire_put_bytes(out, field->number, buf_view(&entry));
        }
        return r;
}

int protobuf_write_field(struct buf *out, const struct schema_field *field,
                         const struct json *value, struct err *err) {
        if (field->number == 0 || json_type(value) == JSON_NULL)
                return 0;
        switch ((enum schema_shape)field->shape) {
        case SHAPE_LIST:
                return write_list(out, field->number, field, value, err);
        case SHAPE_MAP:
        case SHAPE_MAP_OF_LIST:
                return write_map(out, field, value, err);
        case SHAPE_ONE:
                break;
        }
        return write_value(out, field->number, field, value, err);
}

int protobuf_write_element(struct buf *out, const struct schema_field *field,
                           const struct json *value, struct err *err) {
        return write_value(out, field->number, field, value, err);
}

/* ---- messages ---- */

/* The members of the object that an inlined message holds; of the object itself for 0. */
static int write_members(struct buf *out, const struct schema_object *schema, uint8_t via,
                         const struct json *object, struct err *err) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < schema->count; i++) {
                const struct schema_field *field = &schema->fields[i];
                const struct json *value = field->via == via ? json_get(object, field->name) : NULL;

                if (value)
                        r = protobuf_write_field(out, field, value, err);
        }
        return r;
}

int protobuf_write_message(struct buf *out, const struct schema_object *schema,
                           const struct json *object, struct err *err) {
        uint8_t last = 0; /* members of an inlined message are neighbours in the table */
        int r = write_members(out, schema, 0, object, err);

        for (size_t i = 0; r == 0 && i < schema->count; i++) {
                CLEANUP(buf_release) struct buf inlined = { 0 };
                uint8_t via = schema->fields[i].via;

                if (via == last || via == 0)
                        continue;
                last = via;
                r = write_members(&inlined, schema, via, object, err);
                if (r == 0 && inlined.len)
                        wire_put_bytes(out, via, buf_view(&inlined));
        }
        return r;
}

void protobuf_write_envelope(const struct protobuf_envelope *envelope, struct slice message,
                             struct buf *out) {
        CLEANUP(buf_release) struct buf type = { 0 };

        wire_put_bytes(&type, 1, envelope->api_version);
        wire_put_bytes(&type, 2, envelope->kind);
        buf_append(out, PROTOBUF_MAGIC, PROTOBUF_MAGIC_SIZE);
        wire_put_bytes(out, 1, buf_view(&type));
        wire_put_bytes(out, 2, message);
}
