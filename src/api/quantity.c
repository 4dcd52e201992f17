/* Kubernetes quantities: syntax, canonical text and integer views, with upstream's caps: BinarySI
 * stops at 2^63-1, and nothing is finer than a nano-unit (rounded away from zero). */
#include "api/quantity_priv.h"

#include "base/util.h"
#include <assert.h>
#include <stdio.h>

#define NANO (-9)
#define INT64_DIGITS 18 /* decimal digits that surely fit an int64 */

#define FORMAT_MESSAGE                                                                             \
        "quantities must match the regular expression "                                            \
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

static const struct {
        const char *text;
        unsigned base;
        int exponent;
} suffixes[] = {
        { "", 10, 0 },   { "n", 10, -9 }, { "u", 10, -6 }, { "m", 10, -3 },
        { "k", 10, 3 },  { "M", 10, 6 },  { "G", 10, 9 },  { "T", 10, 12 },
        { "P", 10, 15 }, { "E", 10, 18 }, { "Ki", 2, 10 }, { "Mi", 2, 20 },
        { "Gi", 2, 30 }, { "Ti", 2, 40 }, { "Pi", 2, 50 }, { "Ei", 2, 60 },
};
#define SUFFIX_COUNT (sizeof(suffixes) / sizeof(suffixes[0]))

/* The pieces of a written quantity. */
struct quantity_parts {
        int sign;
        bool has_digit;               /* any, leading zeros included */
        struct slice whole, fraction; /* without leading zeros; whole may be empty */
        struct slice suffix;
        unsigned base;
        int64_t exponent;
};

/* ---- syntax ---- */

static struct slice take_digits(struct slice *rest) {
        size_t n = 0;
        while (n < rest->len && rest->ptr[n] >= '0' && rest->ptr[n] <= '9')
                n++;
        struct slice digits = { rest->ptr, n };
        *rest = slice_make(rest->ptr + n, rest->len - n);
        return digits;
}

static bool take_char(struct slice *rest, const char *set) {
        if (rest->len == 0 || rest->ptr[0] == '\0' || !strchr(set, rest->ptr[0]))
                return false;
        *rest = slice_make(rest->ptr + 1, rest->len - 1);
        return true;
}

/* false when the text has not the outer shape of a quantity. */
static bool quantity_split(struct slice text, struct quantity_parts *parts) {
        struct slice rest = text;
        parts->sign = text.ptr[0] == '-' ? -1 : 1;
        take_char(&rest, "+-");
        parts->whole = take_digits(&rest);
        parts->has_digit = parts->whole.len > 0;
        while (parts->whole.len > 0 && parts->whole.ptr[0] == '0')
                parts->whole = slice_make(parts->whole.ptr + 1, parts->whole.len - 1);
        parts->fraction = SLICE_EMPTY;
        if (take_char(&rest, "."))
                parts->fraction = take_digits(&rest);
        parts->has_digit |= parts->fraction.len > 0;
        parts->suffix = rest;
        while (take_char(&rest, "eEinumkKMGTP"))
                continue;
        take_char(&rest, "+-");
        take_digits(&rest);
        return rest.len == 0;
}

static bool interpret_suffix(struct quantity_parts *parts, enum quantity_format *ret_format) {
        struct slice suffix = parts->suffix;
        for (size_t i = 0; i < SUFFIX_COUNT; i++) {
                if (!slice_is(suffix, suffixes[i].text))
                        continue;
                parts->base = suffixes[i].base;
                parts->exponent = suffixes[i].exponent;
                *ret_format = parts->base == 2 ? QUANTITY_BINARY_SI : QUANTITY_DECIMAL_SI;
                return true;
        }
        int64_t exponent;
        if (suffix.len < 2 || (suffix.ptr[0] != 'e' && suffix.ptr[0] != 'E') ||
            !slice_to_i64(slice_make(suffix.ptr + 1, suffix.len - 1), &exponent))
                return false;
        parts->base = 10;
        parts->exponent = (int32_t)exponent; /* upstream keeps the low 32 bits */
        *ret_format = QUANTITY_DECIMAL_EXPONENT;
        return true;
}

/* Upstream first tries an int64 with a decimal scale; only numbers that fit are echoed as
 * written, and only when they look canonical at first glance. */
static bool is_small(const struct quantity_parts *parts, enum quantity_format format) {
        size_t whole = parts->whole.len > 0 ? parts->whole.len : 1;
        if (format != QUANTITY_BINARY_SI)
                return whole + parts->fraction.len <= INT64_DIGITS &&
                       parts->exponent - (int64_t)parts->fraction.len >= NANO;
        return parts->fraction.len == 0 && (int64_t)whole + parts->exponent * 3 / 10 <= 14;
}

static bool ends_in_thousands(const struct quantity_parts *parts) {
        size_t zeros = 0, whole = parts->whole.len, fraction = parts->fraction.len;
        while (zeros < fraction && parts->fraction.ptr[fraction - 1 - zeros] == '0')
                zeros++;
        for (size_t i = 0; zeros == fraction + i && i < whole; i++)
                zeros += parts->whole.ptr[whole - 1 - i] == '0';
        return zeros >= 3;
}

static bool is_echoed(const struct quantity_parts *parts, enum quantity_format format) {
        if (!is_small(parts, format))
                return false;
        if (format != QUANTITY_BINARY_SI)
                return (parts->exponent - (int64_t)parts->fraction.len) % 3 == 0 &&
                       parts->whole.len > 0 && !ends_in_thousands(parts);
        unsigned low = 0; /* the written number modulo 8 */
        for (size_t i = 0; i < parts->whole.len; i++)
                low = (low * 10 + (unsigned)(parts->whole.ptr[i] - '0')) & 7;
        return low != 0;
}

static void load_digits(const struct quantity_parts *parts, struct quantity *q) {
        q->count = 0;
        for (size_t i = 0; i < parts->whole.len; i++)
                q->digits[q->count++] = (uint8_t)(parts->whole.ptr[i] - '0');
        for (size_t i = 0; i < parts->fraction.len; i++)
                q->digits[q->count++] = (uint8_t)(parts->fraction.ptr[i] - '0');
        q->sign = parts->sign;
        q->exponent = -(int64_t)parts->fraction.len;
        if (parts->base == 10)
                q->exponent += parts->exponent;
        quantity_normalize(q);
        if (parts->base == 2 && q->sign != 0)
                quantity_shift_left(q, (unsigned)parts->exponent);
}

static void quantity_cap(struct quantity *q) {
        quantity_round_up(q, NANO);
        if (q->format != QUANTITY_BINARY_SI || q->sign == 0)
                return;
        if (quantity_order_u64(q, INT64_MAX) > 0)
                quantity_from_u64(q, q->sign, INT64_MAX, 0);
        else if (quantity_order_u64(q, 1) < 0)
                q->format = QUANTITY_DECIMAL_SI;
}

static int quantity_parse(struct slice text, struct quantity *q, struct err *err) {
        struct quantity_parts parts;
        if (text.len == 0)
                return err_set(err, BERTH_ERR_BAD_REQUEST, FORMAT_MESSAGE);
        if (!quantity_split(text, &parts))
                return err_set(err, BERTH_ERR_BAD_REQUEST, FORMAT_MESSAGE);
        if (!interpret_suffix(&parts, &q->format))
                return err_set(err, BERTH_ERR_BAD_REQUEST, "unable to parse quantity's suffix");
        if (text.len > QUANTITY_INPUT_MAX)
                return err_set(err, BERTH_ERR_BAD_REQUEST, "quantity longer than %d bytes",
                               QUANTITY_INPUT_MAX);
        if (!parts.has_digit && !is_small(&parts, q->format))
                return err_set(err, BERTH_ERR_BAD_REQUEST,
                               "unable to parse numeric part of quantity");
        q->is_small = is_small(&parts, q->format);
        q->is_echoed = slice_is(text, "0") || is_echoed(&parts, q->format);
        load_digits(&parts, q);
        quantity_cap(q);
        return 0;
}

/* ---- canonical text ---- */

static bool write_digits(const struct quantity *q, struct buf *out) {
        char text[QUANTITY_DIGITS_MAX + 1];
        size_t n = 0;
        if (q->sign < 0)
                text[n++] = '-';
        for (size_t i = 0; i < q->count; i++)
                text[n++] = (char)('0' + q->digits[i]);
        return buf_append(out, text, n);
}

static bool write_suffix(unsigned base, int64_t exponent, struct buf *out) {
        for (size_t i = 0; i < SUFFIX_COUNT; i++) {
                if (suffixes[i].base == base && suffixes[i].exponent == exponent)
                        return buf_text(out, suffixes[i].text);
        }
        return buf_printf(out, "e%lld", (long long)exponent);
}

/* An integer divided by 1024 while that leaves no remainder. */
static bool write_binary(const struct quantity *q, struct buf *out) {
        struct quantity number = *q;
        int exponent = 0;
        if (!quantity_lower_exponent(&number, 0))
                return false;
        while (exponent < 60 && quantity_divide_1024(&number))
                exponent += 10;
        return write_digits(&number, out) && (exponent == 0 || write_suffix(2, exponent, out));
}

/* Exponents are multiples of three; SI has no suffix above E, so there the digits grow. */
static bool write_decimal(const struct quantity *q, bool is_si, struct buf *out) {
        struct quantity number = *q;
        int64_t exponent = number.exponent - ((number.exponent % 3) + 3) % 3;
        if (is_si && exponent > 18)
                exponent = 18;
        if (!quantity_lower_exponent(&number, exponent) || !write_digits(&number, out))
                return false;
        if (is_si)
                return write_suffix(10, exponent, out);
        return exponent == 0 || buf_printf(out, "e%lld", (long long)exponent);
}

static bool write_canonical(const struct quantity *q, struct buf *out) {
        if (q->sign == 0)
                return buf_char(out, '0');
        if (q->format == QUANTITY_BINARY_SI && quantity_order_u64(q, 1024) >= 0 &&
            quantity_is_multiple(q, 0))
                return write_binary(q, out);
        return write_decimal(q, q->format != QUANTITY_DECIMAL_EXPONENT, out);
}

/* Canonical text into a fixed buffer of QUANTITY_TEXT_MAX bytes. */
static int quantity_format_canonical(const struct quantity *q, char *buffer) {
        struct buf out;
        buf_init(&out, QUANTITY_TEXT_MAX);
        bool ok = write_canonical(q, &out);
        assert(ok && out.len < QUANTITY_TEXT_MAX);
        int length = (int)out.len;
        memcpy(buffer, out.data, out.len);
        buffer[length] = '\0';
        buf_release(&out);
        return length;
}

/* ---- ordinary quantities ---- */

/* What a suffix stands for, in thousandths; 0 = none of the ordinary ones. */
static int64_t ordinary_milli(struct slice suffix) {
        static const struct {
                char text[3];
                int64_t milli;
        } ordinary[] = {
                { "", 1000 },
                { "m", 1 },
                { "Mi", INT64_C(1000) << 20 },
                { "Gi", INT64_C(1000) << 30 },
                { "Ki", INT64_C(1000) << 10 },
                { "k", INT64_C(1000000) },
                { "M", INT64_C(1000000000) },
                { "G", INT64_C(1000000000000) },
        };
        for (size_t i = 0; i < ARRAY_LEN(ordinary); i++) {
                if (slice_is(suffix, ordinary[i].text))
                        return ordinary[i].milli;
        }
        return 0;
}

bool quantity_ordinary(struct slice text, int64_t *ret_milli) {
        int64_t number = 0;
        size_t digits = 0;
        while (digits < text.len && digits < 9 && text.ptr[digits] >= '0' &&
               text.ptr[digits] <= '9')
                number = number * 10 + (text.ptr[digits++] - '0');
        if (digits == 0)
                return false;
        int64_t milli = ordinary_milli(slice_make(text.ptr + digits, text.len - digits));
        return milli > 0 && !__builtin_mul_overflow(number, milli, ret_milli);
}

/* ---- interface ---- */

int quantity_value(struct slice text, int64_t *ret_units, struct err *err) {
        struct quantity q;
        int64_t milli;
        if (quantity_ordinary(text, &milli)) {
                *ret_units = milli / 1000 + (milli % 1000 > 0);
                return 0;
        }
        int r = quantity_parse(text, &q, err);
        if (r == 0)
                *ret_units = quantity_to_i64(&q, 0);
        return r;
}

int quantity_milli(struct slice text, int64_t *ret_milli, struct err *err) {
        struct quantity q;
        if (quantity_ordinary(text, ret_milli))
                return 0;
        int r = quantity_parse(text, &q, err);
        if (r == 0)
                *ret_milli = quantity_to_i64(&q, -3);
        return r;
}

int quantity_describe(struct slice text, struct quantity_info *ret_info, struct err *err) {
        struct quantity q;
        int r = quantity_parse(text, &q, err);
        if (r < 0)
                return r;
        ret_info->format = q.format;
        ret_info->sign = q.sign;
        ret_info->is_small = q.is_small;
        ret_info->value = quantity_to_i64(&q, 0);
        ret_info->milli = quantity_to_i64(&q, -3);
        quantity_format_canonical(&q, ret_info->canonical);
        snprintf(ret_info->string, sizeof(ret_info->string), SLICE_FMT,
                 SLICE_ARG(q.is_echoed ? text : slice_of(ret_info->canonical)));
        return 0;
}

/* Most are a few digits with a suffix that cannot be shorter. */
static bool is_plainly_canonical(struct slice text) {
        struct slice rest = text;
        struct slice digits = take_digits(&rest);
        uint64_t value = 0;

        if (digits.len == 0 || digits.len > 9 || digits.ptr[0] == '0' ||
            !slice_to_u64(digits, &value))
                return false;
        if (rest.len == 0 || slice_is(rest, "m"))
                return value % 1000 != 0;
        return rest.len == 2 && rest.ptr[1] == 'i' && strchr("KMG", rest.ptr[0]) &&
               value % 1024 != 0;
}

int quantity_canonical(struct slice text, struct buf *out, struct err *err) {
        struct quantity q;
        if (is_plainly_canonical(text) && buf_slice(out, text))
                return 0;
        int r = quantity_parse(text, &q, err);
        if (r < 0)
                return r;
        if (!(q.is_echoed ? buf_slice(out, text) : write_canonical(&q, out)))
                return err_set(err, BERTH_ERR_TOO_LARGE, "no room for a quantity");
        return 0;
}

int quantity_compare(struct slice a, struct slice b, int *ret_order, struct err *err) {
        struct quantity left, right;
        int64_t left_milli, right_milli;
        if (quantity_ordinary(a, &left_milli) && quantity_ordinary(b, &right_milli)) {
                *ret_order = (left_milli > right_milli) - (left_milli < right_milli);
                return 0;
        }
        int r = quantity_parse(a, &left, err);
        if (r == 0)
                r = quantity_parse(b, &right, err);
        if (r == 0)
                *ret_order = quantity_order(&left, &right);
        return r;
}

int quantity_sum(struct slice a, struct slice b, bool is_subtract, struct buf *out,
                 struct err *err) {
        struct quantity left, right;
        int r = quantity_parse(a, &left, err);
        if (r == 0)
                r = quantity_parse(b, &right, err);
        if (r < 0)
                return r;
        struct quantity sum = { .format = left.sign == 0 ? right.format : left.format };
        if (is_subtract)
                right.sign = -right.sign;
        if (!quantity_add(&left, &right, &sum) || !write_canonical(&sum, out))
                return err_set(err, BERTH_ERR_INVALID, "sum of quantities is out of range");
        return 0;
}

static int format_i64(int64_t amount, int64_t exponent, enum quantity_format kind, char *buffer) {
        struct quantity q = { .format = kind };
        uint64_t size = amount < 0 ? 0 - (uint64_t)amount : (uint64_t)amount;
        quantity_from_u64(&q, amount < 0 ? -1 : 1, size, exponent);
        return quantity_format_canonical(&q, buffer);
}

int quantity_format_milli(int64_t milli, char *buffer) {
        return format_i64(milli, -3, QUANTITY_DECIMAL_SI, buffer);
}

int quantity_format_units(int64_t units, enum quantity_format kind, char *buffer) {
        return format_i64(units, 0, kind, buffer);
}
