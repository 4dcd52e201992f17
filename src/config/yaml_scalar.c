/* What a YAML scalar means: the rules of go-yaml 2, which sigs.k8s.io/yaml and so Kubernetes use,
 * followed by the way Go writes the result as JSON. */
#include "base/base64.h"
#include "base/util.h"
#include "config/document_priv.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_TEXT_MAX 512 /* longer plain scalars are strings */

enum scalar_type { SCALAR_TEXT, SCALAR_NULL, SCALAR_BOOL, SCALAR_INT, SCALAR_FLOAT };

struct scalar {
        enum scalar_type type;
        bool truth, is_negative;
        uint64_t magnitude; /* SCALAR_INT: at most 2^63 when negative */
        double number;
};

static const char *const type_names[] = { "!!str", "!!null", "!!bool", "!!int", "!!float" };

/* ---- recognition ---- */

struct word {
        const char *text;
        struct scalar meaning;
};

#define TRUE_WORD                                                                                  \
        { .type = SCALAR_BOOL, .truth = true }
#define FALSE_WORD                                                                                 \
        { .type = SCALAR_BOOL }
#define NULL_WORD                                                                                  \
        { .type = SCALAR_NULL }
#define FLOAT_WORD(value)                                                                          \
        { .type = SCALAR_FLOAT, .number = (double)(value) }

static const struct word words[] = {
        { "", NULL_WORD },
        { "~", NULL_WORD },
        { "null", NULL_WORD },
        { "Null", NULL_WORD },
        { "NULL", NULL_WORD },
        { "y", TRUE_WORD },
        { "Y", TRUE_WORD },
        { "yes", TRUE_WORD },
        { "Yes", TRUE_WORD },
        { "YES", TRUE_WORD },
        { "true", TRUE_WORD },
        { "True", TRUE_WORD },
        { "TRUE", TRUE_WORD },
        { "on", TRUE_WORD },
        { "On", TRUE_WORD },
        { "ON", TRUE_WORD },
        { "n", FALSE_WORD },
        { "N", FALSE_WORD },
        { "no", FALSE_WORD },
        { "No", FALSE_WORD },
        { "NO", FALSE_WORD },
        { "false", FALSE_WORD },
        { "False", FALSE_WORD },
        { "FALSE", FALSE_WORD },
        { "off", FALSE_WORD },
        { "Off", FALSE_WORD },
        { "OFF", FALSE_WORD },
        { ".nan", FLOAT_WORD(NAN) },
        { ".NaN", FLOAT_WORD(NAN) },
        { ".NAN", FLOAT_WORD(NAN) },
        { ".inf", FLOAT_WORD(INFINITY) },
        { ".Inf", FLOAT_WORD(INFINITY) },
        { ".INF", FLOAT_WORD(INFINITY) },
        { "+.inf", FLOAT_WORD(INFINITY) },
        { "+.Inf", FLOAT_WORD(INFINITY) },
        { "+.INF", FLOAT_WORD(INFINITY) },
        { "-.inf", FLOAT_WORD(-INFINITY) },
        { "-.Inf", FLOAT_WORD(-INFINITY) },
        { "-.INF", FLOAT_WORD(-INFINITY) },
};

#define WORD_LENGTH_MAX 5

static const struct scalar *find_word(struct slice text) {
        if (text.len > WORD_LENGTH_MAX)
                return NULL;
        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
                if (slice_is(text, words[i].text))
                        return &words[i].meaning;
        }
        return NULL;
}

static int digit_value(char c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        c = (char)(c | 0x20);
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static bool read_digits(const char *digits, unsigned base, uint64_t *ret_value) {
        uint64_t value = 0;
        if (!*digits)
                return false;
        for (; *digits; digits++) {
                unsigned digit = (unsigned)digit_value(*digits);
                if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
                    __builtin_add_overflow(value, (uint64_t)digit, &value))
                        return false;
        }
        *ret_value = value;
        return true;
}

/* Base by prefix as in Go source: 0x, 0o, 0b, and a plain leading zero is octal. */
static bool read_int(const char *text, struct scalar *ret_scalar) {
        bool has_sign = *text == '+' || *text == '-', is_negative = *text == '-';
        uint64_t magnitude;
        unsigned base = 10;
        text += has_sign;
        if (text[0] == '0' && text[1]) {
                char mark = (char)(text[1] | 0x20);
                base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
                text += mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1;
        }
        if (!read_digits(text, base, &magnitude))
                return false;
        if (magnitude > (uint64_t)INT64_MAX + is_negative && has_sign)
                return false;
        *ret_scalar = (struct scalar){ .type = SCALAR_INT,
                                       .is_negative = is_negative,
                                       .magnitude = magnitude };
        return true;
}

static const char *skip_digits(const char *at) {
        while (*at >= '0' && *at <= '9')
                at++;
        return at;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool looks_like_float(const char *text) {
        const char *at = text + (*text == '+' || *text == '-');
        const char *end = skip_digits(at);
        bool has_whole = end > at;
        if (*end == '.') {
                at = ++end;
                end = skip_digits(at);
                if (!has_whole && end == at)
                        return false;
        } else if (!has_whole) {
                return false;
        }
        if (*end == 'e' || *end == 'E') {
                end++;
                at = end += *end == '+' || *end == '-';
                end = skip_digits(at);
                if (end == at)
                        return false;
        }
        return *end == '\0';
}

static bool read_float(const char *text, struct scalar *ret_scalar) {
        if (!looks_like_float(text))
                return false;
        double number = strtod(text, NULL);
        if (!isfinite(number))
                return false; /* out of range: Go leaves it a string */
        *ret_scalar = (struct scalar){ .type = SCALAR_FLOAT, .number = number };
        return true;
}

/* Digits, signs and a leading dot announce a number. */
static bool read_number(struct slice text, struct scalar *ret_scalar) {
        char plain[NUMBER_TEXT_MAX];
        size_t length = 0;
        char first = text.ptr[0];
        bool is_dotted = first == '.';
        if (!is_dotted && first != '+' && first != '-' && (first < '0' || first > '9'))
                return false;
        if (text.len >= sizeof(plain))
                return false;
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] == '\0')
                        return false;
                if (text.ptr[i] != '_' || is_dotted)
                        plain[length++] = text.ptr[i];
        }
        plain[length] = '\0';
        return (!is_dotted && read_int(plain, ret_scalar)) || read_float(plain, ret_scalar);
}

static struct scalar yaml_scalar_recognise(struct slice text) {
        const struct scalar *word = find_word(text);
        struct scalar number;
        if (word)
                return *word;
        return read_number(text, &number) ? number : (struct scalar){ .type = SCALAR_TEXT };
}

/* ---- tags ---- */

static int yaml_scalar_fail(const struct yaml_node *node, struct err *err, const char *wanted) {
        err_set(err, BERTH_ERR_BAD_REQUEST, "\"" SLICE_FMT "\" %s", SLICE_ARG(node->text), wanted);
        err_position(err, "", node->line, node->column);
        return BERTH_ERR_BAD_REQUEST;
}

static int yaml_scalar_resolve(const struct yaml_node *node, struct scalar *ret_scalar,
                               struct err *err) {
        static const char prefix[] = "tag:yaml.org,2002:";
        struct slice tag = node->tag;
        *ret_scalar = (struct scalar){ .type = SCALAR_TEXT };
        if (tag.len == 0) {
                if (node->is_plain)
                        *ret_scalar = yaml_scalar_recognise(node->text);
                return 0;
        }
        if (!slice_has_prefix(tag, SLICE_LITERAL(prefix)))
                return 0; /* local tags mean nothing here */
        tag = slice_make(tag.ptr + sizeof(prefix) - 1, tag.len - (sizeof(prefix) - 1));
        for (size_t i = SCALAR_NULL; i < ARRAY_LEN(type_names); i++) {
                struct scalar found = yaml_scalar_recognise(node->text);
                if (!slice_is(tag, type_names[i] + 2))
                        continue;
                if (i == SCALAR_FLOAT && found.type == SCALAR_INT) {
                        double size = (double)found.magnitude;
                        found.number = found.is_negative ? -size : size;
                        found.type = SCALAR_FLOAT;
                }
                if (found.type != i)
                        return yaml_scalar_fail(node, err, "does not fit its tag");
                *ret_scalar = found;
        }
        return 0;
}

static bool is_binary(const struct yaml_node *node) {
        return slice_is(node->tag, "tag:yaml.org,2002:binary");
}

/* ---- JSON ---- */

/* As Go writes a float64: the shortest digits that read back the same, without an exponent below
 * 1e21, so that 1e3 and 2.0 are integers afterwards. */
static void emit_float(double number, struct buf *out) {
        char text[400];
        int digits = 1;
        if (number == trunc(number) && fabs(number) < 1e21) {
                buf_printf(out, "%.0f", number);
                return;
        }
        do {
                snprintf(text, sizeof(text), "%.*g", digits, number);
        } while (strtod(text, NULL) != number && ++digits <= 17);
        buf_text(out, text);
}

static int emit_binary(const struct yaml_node *node, struct buf *out, struct err *err) {
        struct buf data = { 0 };
        bool ok = base64_decode(node->text, BASE64_STANDARD, &data);
        if (ok)
                buf_json_string(out, buf_view(&data));
        buf_release(&data);
        return ok ? 0 : yaml_scalar_fail(node, err, "is no base64");
}

int yaml_scalar_emit(const struct yaml_node *node, struct buf *out, struct err *err) {
        struct scalar scalar;
        if (is_binary(node))
                return emit_binary(node, out, err);
        int r = yaml_scalar_resolve(node, &scalar, err);
        if (r < 0)
                return r;
        switch (scalar.type) {
        case SCALAR_NULL:
                buf_text(out, "null");
                break;
        case SCALAR_BOOL:
                buf_text(out, scalar.truth ? "true" : "false");
                break;
        case SCALAR_INT:
                if (scalar.is_negative && scalar.magnitude)
                        buf_char(out, '-');
                buf_u64(out, scalar.magnitude);
                break;
        case SCALAR_FLOAT:
                if (!isfinite(scalar.number))
                        return yaml_scalar_fail(node, err, "is a number JSON cannot hold");
                emit_float(scalar.number, out);
                break;
        case SCALAR_TEXT:
                buf_json_string(out, node->text);
                break;
        }
        return 0;
}

int yaml_key_emit(const struct yaml_node *node, struct buf *out, struct err *err) {
        struct scalar scalar;
        int r = yaml_scalar_resolve(node, &scalar, err);
        if (r < 0)
                return r;
        if (scalar.type == SCALAR_NULL)
                return yaml_scalar_fail(node, err, "cannot be a key");
        if (scalar.type == SCALAR_TEXT ||
            (scalar.type == SCALAR_FLOAT && !isfinite(scalar.number))) {
                buf_json_string(out, node->text);
                return 0;
        }
        buf_char(out, '"');
        r = yaml_scalar_emit(node, out, err);
        buf_char(out, '"');
        return r;
}
