/* Numbers for people. */
#include "show/amount.h"

#include "base/arena.h"
#include "base/util.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum amount_unit amount_unit_of(struct slice resource) {
        if (slice_is(resource, "cpu"))
                return AMOUNT_MILLICORES;
        return slice_is(resource, "memory") || slice_is(resource, "ephemeral-storage") ||
                               slice_has_prefix(resource, SLICE_LITERAL("hugepages-"))
                       ? AMOUNT_BYTES
                       : AMOUNT_COUNT;
}

/* Digits of a whole number in groups of three. */
static void put_grouped(struct buf *out, const char *digits) {
        size_t length = strlen(digits);

        for (size_t i = 0; i < length; i++) {
                if (i > 0 && (length - i) % 3 == 0)
                        buf_char(out, ',');
                buf_char(out, digits[i]);
        }
}

void amount_count(struct buf *out, int64_t value) {
        char digits[24];

        snprintf(digits, sizeof(digits), "%llu",
                 value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value);
        if (value < 0)
                buf_char(out, '-');
        put_grouped(out, digits);
}

/* With so many decimals at most: those that are zero at the end are left out. */
static void put_decimals(struct buf *out, double value, int decimals) {
        char text[400];

        snprintf(text, sizeof(text), "%.*f", decimals, fabs(value));
        char *point = strchr(text, '.');
        if (point) {
                size_t end = strlen(text);

                while (text[end - 1] == '0')
                        end--;
                text[text + end - 1 == point ? end - 1 : end] = '\0';
                point = strchr(text, '.');
        }
        if (value < 0 && strspn(text, "0.") < strlen(text))
                buf_char(out, '-');
        if (point)
                *point = '\0';
        put_grouped(out, text);
        if (point)
                buf_printf(out, ".%s", point + 1);
}

void amount_measure(struct buf *out, double value) {
        double size = fabs(value);

        if (!isfinite(value)) {
                buf_text(out, "unknown");
                return;
        }
        put_decimals(out, value,
                     size >= 99.95 || size < 0.00005 ? 0
                     : size >= 9.995                 ? 1
                     : size >= 0.9995                ? 2
                     : size >= 0.09995               ? 3
                                                     : 4);
}

static void put_bytes(struct buf *out, double value) {
        static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
        size_t at = 0;

        for (; fabs(value) >= 1024 && at + 1 < ARRAY_LEN(units); at++)
                value /= 1024;
        put_decimals(out, value, at == 0 || fabs(value) >= 100 ? 0 : 1);
        buf_printf(out, " %s", units[at]);
}

void amount_write(struct buf *out, enum amount_unit unit, int64_t value) {
        if (unit == AMOUNT_BYTES) {
                put_bytes(out, (double)value);
        } else if (unit == AMOUNT_COUNT) {
                amount_count(out, value);
        } else if (value != 0 && value > -1000 && value < 1000) {
                buf_printf(out, "%lld m", (long long)value);
        } else {
                put_decimals(out, (double)value / 1000, 1);
                buf_text(out, value == 1000 ? " core" : " cores");
        }
}

static struct slice unit_text(struct slice amount) {
        for (size_t i = amount.len; i > 0; i--)
                if (amount.ptr[i - 1] == ' ')
                        return slice_make(amount.ptr + i - 1, amount.len - i + 1);
        return SLICE_EMPTY;
}

void amount_of(struct buf *out, enum amount_unit unit, int64_t part, int64_t all) {
        CLEANUP(buf_release) struct buf first = { 0 };
        CLEANUP(buf_release) struct buf second = { 0 };

        amount_write(&first, unit, part);
        amount_write(&second, unit, all);
        struct slice text = buf_view(&first);
        if (slice_eq(unit_text(text), unit_text(buf_view(&second))))
                text.len -= unit_text(text).len;
        buf_slice(out, text);
        buf_text(out, " of ");
        buf_slice(out, buf_view(&second));
}

void amount_percent(struct buf *out, double part, double all) {
        double share = all > 0 ? 100 * part / all : 0;

        if (all <= 0 && part > 0)
                buf_text(out, "none");
        else if (share > 0 && share < 1)
                buf_text(out, "<1 %");
        else {
                put_decimals(out, share, 0);
                buf_text(out, " %");
        }
}

void amount_many(struct buf *out, int64_t count, const char *noun) {
        amount_count(out, count);
        buf_printf(out, " %s%s", noun, count == 1 ? "" : "s");
}

void amount_span(struct buf *out, int64_t seconds) {
        static const struct {
                int64_t length;
                const char *name;
        } units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
        int64_t left = seconds > 0 ? seconds : 0;
        size_t at = 0;

        while (at + 1 < ARRAY_LEN(units) && left < units[at].length)
                at++;
        amount_count(out, left / units[at].length);
        buf_printf(out, " %s", units[at].name);
        left %= units[at].length;
        if (at + 1 < ARRAY_LEN(units) && left >= units[at + 1].length)
                buf_printf(out, " %lld %s", (long long)(left / units[at + 1].length),
                           units[at + 1].name);
}
