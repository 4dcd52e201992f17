/* Single values: types, and the form in which Go prints them. */
#include "schema/normalise_priv.h"

#include "api/quantity.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/go_number.h"
#include "base/time.h"
#include "base/util.h"
#include "schema/time_error.h"
#include <math.h>
#include <string.h>

static int quantity_value_check(struct schema_normalise_walk *walk, struct json_node *value,
                                struct json_node **ret_value) {
        struct buf text = { 0 }, canonical = { 0 };
        struct slice written = node_get_slice(value);

        if (node_type(value) == JSON_INT || node_type(value) == JSON_REAL) {
                node_write(value, &text);
                written = buf_view(&text);
        } else if (node_type(value) != JSON_STRING) {
                return err_set(walk->err, BERTH_ERR_BAD_REQUEST,
                               "quantities must match the regular expression "
                               "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        }
        int r = quantity_canonical(slice_trim(written), &canonical, walk->err);
        if (r == 0 && (text.len > 0 || !slice_eq(buf_view(&canonical), written)))
                *ret_value = node_text(walk->tree, buf_view(&canonical));
        buf_release(&text);
        buf_release(&canonical);
        return r < 0 ? BERTH_ERR_BAD_REQUEST : 0;
}

static int time_error(struct schema_normalise_walk *walk, struct slice text, bool has_micro) {
        struct buf complaint = { 0 };

        time_error_write(text, has_micro, &complaint);
        err_set(walk->err, BERTH_ERR_BAD_REQUEST, "%s", complaint.data);
        buf_release(&complaint);
        return BERTH_ERR_BAD_REQUEST;
}

static int time_check(struct schema_normalise_walk *walk, struct json_node *value,
                      struct json_node **ret_value) {
        struct slice text = node_get_slice(value);
        char canonical[WALL_TIME_TEXT_MAX];
        struct wall_time time;

        if (!wall_time_parse(text, &time))
                return time_error(walk, text, false);
        wall_time_format(time, canonical);
        if (!wall_time_is_set(time))
                *ret_value = node_null(walk->tree); /* Go's time that is not set */
        else if (!slice_is(text, canonical))
                *ret_value = node_string(walk->tree, canonical);
        return 0;
}

static bool has_six_fraction_digits(struct slice text) {
        const char *dot = text.len ? memchr(text.ptr, '.', text.len) : NULL;
        size_t digits = 0;

        if (!dot)
                return false;
        for (const char *at = dot + 1; at < text.ptr + text.len && *at >= '0' && *at <= '9'; at++)
                digits++;
        return digits == 6;
}

static int micro_time_check(struct schema_normalise_walk *walk, struct json_node *value,
                            struct json_node **ret_value) {
        struct slice text = node_get_slice(value);
        char canonical[WALL_TIME_TEXT_MAX];
        struct wall_time time;

        if (!wall_time_parse(text, &time) || !has_six_fraction_digits(text))
                return time_error(walk, text, true);
        wall_time_format_micro(time, canonical);
        if (!wall_time_is_set(time))
                *ret_value = node_null(walk->tree);
        else if (!slice_is(text, canonical))
                *ret_value = node_string(walk->tree, canonical);
        return 0;
}

static int duration_check(struct schema_normalise_walk *walk, struct json_node *value,
                          struct json_node **ret_value) {
        CLEANUP(buf_release) struct buf complaint = { 0 };
        char canonical[40];
        int64_t ns;

        if (!go_duration_parse(node_get_slice(value), &ns, &complaint))
                return err_set(walk->err, BERTH_ERR_BAD_REQUEST, "%s", complaint.data);
        duration_format(ns, canonical);
        *ret_value = node_string(walk->tree, canonical);
        return 0;
}

/* Go passes over ends of lines, and prints the bytes anew. */
static bool is_base64(struct schema_normalise_walk *walk, struct slice text,
                      struct json_node **ret_value) {
        struct buf bare = { 0 }, decoded = { 0 }, again = { 0 };

        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] != '\n' && text.ptr[i] != '\r')
                        buf_char(&bare, text.ptr[i]);
        bool is_valid = bare.len % 4 == 0 &&
                        base64_decode(buf_view(&bare), BASE64_STANDARD, &decoded) &&
                        base64_encode(buf_view(&decoded), BASE64_STANDARD, &again);

        if (is_valid && !slice_eq(buf_view(&again), text))
                *ret_value = node_text(walk->tree, buf_view(&again));
        buf_release(&bare);
        buf_release(&decoded);
        buf_release(&again);
        return is_valid;
}

static int bytes_check(struct schema_normalise_walk *walk, struct json_node *value,
                       struct json_node **ret_value) {
        CLEANUP(buf_release) struct buf complaint = { 0 };
        struct slice text = node_get_slice(value);

        if (is_base64(walk, text, ret_value))
                return 0;
        buf_printf(&complaint, "%sillegal base64 data at input byte %zu",
                   walk->is_value ? "error decoding from json: " : "",
                   base64_bad_byte(text, BASE64_STANDARD));
        return normalise_text_error(walk, buf_view(&complaint));
}

static bool is_int(const struct json_node *value, int64_t low, int64_t high) {
        int64_t number;

        return node_type(value) == JSON_INT && node_as_i64(value, &number) && number >= low &&
               number <= high;
}

/* A number becomes a whole one of so many bits: too many are cut off, fractions are refused. */
static bool convert_number(struct schema_normalise_walk *walk, const struct json_node *value,
                           int bits, struct json_node **ret_value) {
        int64_t whole;
        double number;

        if (node_type(value) != JSON_INT && node_type(value) != JSON_REAL)
                return false;
        if (node_type(value) != JSON_INT || !node_as_i64(value, &whole)) {
                if (!node_as_f64(value, &number) || islessgreater(number, trunc(number)))
                        return false;
                whole = number >= -0x1p63 && number < 0x1p63 ? (int64_t)number : INT64_MIN;
        }
        if (bits == 8)
                whole = (uint8_t)(uint64_t)whole;
        *ret_value = node_i64(walk->tree, bits == 32 ? (int32_t)(uint32_t)(uint64_t)whole : whole);
        return true;
}

/* Go's bytes may be a list of numbers too; the text is what it prints of them. */
static int bytes_from_list(struct schema_normalise_walk *walk, const struct schema_object *owner,
                           const struct schema_normalise_place *place, struct json_node *list,
                           struct json_node **ret_value) {
        CLEANUP(buf_release) struct buf bytes = { 0 }, text = { 0 };
        struct node_iter iter = node_iter(list);
        struct json_node *element;
        int r = 0;

        while (r == 0 && node_next(&iter, NULL, &element)) {
                struct json_node *whole = element;
                int64_t byte = 0;

                if (node_type(element) != JSON_NULL && !is_int(element, 0, UINT8_MAX) &&
                    !(walk->is_value && convert_number(walk, element, 8, &whole)))
                        r = normalise_named_error(walk, owner, place, element, "uint8");
                node_as_i64(whole, &byte);
                buf_char(&bytes, (char)(uint8_t)byte);
        }
        if (base64_encode(buf_view(&bytes), BASE64_STANDARD, &text))
                *ret_value = node_text(walk->tree, buf_view(&text));
        return r;
}

static bool has_right_type(enum schema_type wanted, const struct json_node *value) {
        enum json_type type = node_type(value);

        switch (wanted) {
        case SCHEMA_BOOL:
                return type == JSON_BOOL;
        case SCHEMA_OBJECT:
                return type == JSON_OBJECT;
        case SCHEMA_INT32:
                return is_int(value, INT32_MIN, INT32_MAX);
        case SCHEMA_INT64:
                return is_int(value, INT64_MIN, INT64_MAX);
        case SCHEMA_FLOAT:
                return type == JSON_INT || type == JSON_REAL;
        case SCHEMA_INT_OR_STRING:
                return type == JSON_STRING || is_int(value, INT32_MIN, INT32_MAX);
        case SCHEMA_QUANTITY: /* has a word of its own */
        case SCHEMA_RAW:
                return true;
        default:
                return type == JSON_STRING;
        }
}

static int wrong_value(struct schema_normalise_walk *walk, const struct schema_object *owner,
                       const struct schema_field *field, const struct schema_normalise_place *place,
                       struct json_node *value, struct json_node **ret_value) {
        switch ((enum schema_type)field->type) {
        case SCHEMA_BYTES:
                if (node_type(value) == JSON_ARRAY)
                        return bytes_from_list(walk, owner, place, value, ret_value);
                break;
        case SCHEMA_TIME:
        case SCHEMA_MICRO_TIME:
        case SCHEMA_DURATION:
                return normalise_own_error(walk, owner, place, value, "string");
        case SCHEMA_INT_OR_STRING:
                return normalise_own_error(walk, owner, place, value, "int32");
        case SCHEMA_INT32:
        case SCHEMA_INT64:
                if (walk->is_value &&
                    convert_number(walk, value, field->type == SCHEMA_INT32 ? 32 : 64, ret_value))
                        return 0;
                break;
        default:
                break;
        }
        return normalise_type_error(walk, owner, place, value, field, SHAPE_ONE);
}

int normalise_scalar(struct schema_normalise_walk *walk, const struct schema_object *owner,
                     const struct schema_field *field, const struct schema_normalise_place *place,
                     struct json_node *value, struct json_node **ret_value) {
        if (!has_right_type((enum schema_type)field->type, value))
                return wrong_value(walk, owner, field, place, value, ret_value);
        switch ((enum schema_type)field->type) {
        case SCHEMA_BYTES:
                return bytes_check(walk, value, ret_value);
        case SCHEMA_TIME:
                return time_check(walk, value, ret_value);
        case SCHEMA_MICRO_TIME:
                return micro_time_check(walk, value, ret_value);
        case SCHEMA_DURATION:
                return duration_check(walk, value, ret_value);
        case SCHEMA_QUANTITY:
                return quantity_value_check(walk, value, ret_value);
        default:
                return 0;
        }
}
