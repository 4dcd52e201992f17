/* JSON text out of both flavours. Strings keep their bytes, integers their digits, and reals come
 * out as Go's encoding/json prints a float64, because clients compare what they sent with what they
 * get back. */
#include "api/json_priv.h"
#include "base/arena.h"
#include "base/pace.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Shortest decimal digits that read back as the same double: one digit, point, fraction, exponent.
 */
static void shortest_digits(double value, char *buffer, size_t size) {
        for (int precision = 0; precision <= 16; precision++) {
                snprintf(buffer, size, "%.*e", precision, value);
                if (strtod(buffer, NULL) == value)
                        return;
        }
}

/* Digits without the point, then zeros up to the units place. */
static bool write_whole(const char *digits, int zeros, struct buf *out) {
        for (; *digits; digits++) {
                if (*digits != '.' && !buf_char(out, *digits))
                        return false;
        }
        for (; zeros > 0; zeros--) {
                if (!buf_char(out, '0'))
                        return false;
        }
        return true;
}

/* Plain notation between 1e-6 and 1e21, otherwise an exponent without leading zeros. */
static bool real_write(double value, struct buf *out) {
        char digits[40];
        double size = fabs(value);
        if (!isfinite(value)) /* the parser makes none; a program error must not give bad JSON */
                return buf_text(out, "null");
        if (value == 0) /* without a sign, as it would read as an integer and lose it then */
                return buf_char(out, '0');
        shortest_digits(value, digits, sizeof(digits));
        char *mark = strchr(digits, 'e');
        int exponent = (int)strtol(mark + 1, NULL, 10);
        *mark = '\0';
        if (size < 1e-6 || size >= 1e21)
                return buf_printf(out, "%se%c%d", digits, exponent < 0 ? '-' : '+', abs(exponent));
        const char *point = strchr(digits, '.');
        int fraction = (point ? (int)strlen(point + 1) : 0) - exponent;
        if (fraction <= 0)
                return write_whole(digits, -fraction, out);
        return buf_printf(out, "%.*f", fraction, value);
}

static bool string_write(void *value, struct buf *out) {
        struct slice text = key_slice(value);
        if (unsafe_yyjson_get_subtype(value) != YYJSON_SUBTYPE_NOESC)
                return buf_json_string(out, text);
        return buf_json_plain(out, text);
}

static bool number_write(void *value, struct buf *out) {
        if (unsafe_yyjson_is_real(value))
                return real_write(unsafe_yyjson_get_real(value), out);
        if (unsafe_yyjson_is_uint(value))
                return buf_u64(out, unsafe_yyjson_get_uint(value));
        return buf_printf(out, "%lld", (long long)unsafe_yyjson_get_sint(value));
}

bool scalar_write(void *value, struct buf *out) {
        switch (value_type(value)) {
        case JSON_BOOL:
                return buf_text(out, unsafe_yyjson_is_true(value) ? "true" : "false");
        case JSON_INT:
        case JSON_REAL:
                return number_write(value, out);
        case JSON_STRING:
                return string_write(value, out);
        default:
                return buf_text(out, "null");
        }
}

/* Recursion is bounded: parsing refuses deep documents and patches refuse to build them. */
bool json_write(const struct json *value, struct buf *out) {
        enum json_type type = json_type(value);
        if (type != JSON_ARRAY && type != JSON_OBJECT)
                return scalar_write(val_of(value), out);
        struct json_iter iter = json_iter(value);
        const struct json *child;
        bool ok = buf_char(out, type == JSON_ARRAY ? '[' : '{');
        while (ok && json_next(&iter, NULL, &child)) {
                if (iter.index > 1)
                        ok = buf_char(out, ',');
                if (ok && type == JSON_OBJECT)
                        ok = string_write(val_of(child) - 1, out) && buf_char(out, ':');
                ok = ok && json_write(child, out);
        }
        return ok && buf_char(out, type == JSON_ARRAY ? ']' : '}');
}

static bool line_break(struct buf *out, size_t blanks) {
        return buf_printf(out, "\n%*s", (int)blanks, "");
}

static bool json_write_pretty_at(const struct json *value, size_t blanks, unsigned indent,
                                 struct buf *out) {
        enum json_type type = json_type(value);
        if (json_count(value) == 0)
                return json_write(value, out);
        struct json_iter iter = json_iter(value);
        const struct json *child;
        bool ok = buf_char(out, type == JSON_ARRAY ? '[' : '{');
        while (ok && json_next(&iter, NULL, &child)) {
                ok = (iter.index == 1 || buf_char(out, ',')) && line_break(out, blanks + indent);
                if (ok && type == JSON_OBJECT)
                        ok = string_write(val_of(child) - 1, out) && buf_text(out, ": ");
                ok = ok && json_write_pretty_at(child, blanks + indent, indent, out);
        }
        return ok && line_break(out, blanks) && buf_char(out, type == JSON_ARRAY ? ']' : '}');
}

bool json_write_pretty(const struct json *value, unsigned indent, struct buf *out) {
        return json_write_pretty_at(value, 0, indent, out);
}

static bool container_write(yyjson_mut_val *container, struct buf *out) {
        bool is_object = unsafe_yyjson_is_obj(container);
        size_t count = unsafe_yyjson_get_len(container);
        yyjson_mut_val *at = count ? container->uni.ptr : NULL;
        bool ok = buf_char(out, is_object ? '{' : '[');
        for (size_t i = 0; ok && i < count; i++) {
                pace_step();
                at = at->next;
                if (is_object) {
                        at = at->next;
                        ok = buf_json_member(out, key_slice(at), i == 0);
                } else {
                        ok = i == 0 || buf_char(out, ',');
                }
                ok = ok && node_write(node_of(is_object ? at->next : at), out);
        }
        return ok && buf_char(out, is_object ? '}' : ']');
}

bool node_write(const struct json_node *node, struct buf *out) {
        yyjson_mut_val *value = mut_of(node);
        if (value && unsafe_yyjson_is_str(value))
                return string_write(value, out);
        return value && unsafe_yyjson_is_ctn(value) ? container_write(value, out)
                                                    : scalar_write(value, out);
}

/* U+2028 and U+2029, which JavaScript takes for ends of lines. */
static bool is_line_end(struct slice text) {
        return slice_has_prefix(text, SLICE_LITERAL("\xe2\x80")) && text.len > 2 &&
               (text.ptr[2] == '\xa8' || text.ptr[2] == '\xa9');
}

void json_escape_for_html(struct slice json, struct buf *out) {
        for (size_t i = 0; i < json.len; i++) {
                char c = json.ptr[i];

                if (c == '<' || c == '>' || c == '&') {
                        buf_printf(out, "\\u%04x", (unsigned)c);
                } else if (is_line_end(slice_make(json.ptr + i, json.len - i))) {
                        buf_text(out, json.ptr[i + 2] == '\xa8' ? "\\u2028" : "\\u2029");
                        i += 2;
                } else {
                        buf_char(out, c);
                }
        }
}

void node_write_for_html(const struct json_node *node, struct buf *out) {
        CLEANUP(buf_release) struct buf text = { 0 };

        node_write(node, &text);
        json_escape_for_html(buf_view(&text), out);
}
