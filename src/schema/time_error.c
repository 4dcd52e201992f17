/* Reads a text as time.Parse does, element by element, until one does not fit. */
#include "schema/time_error.h"

#include "base/util.h"

/* An element of the layout; those with digits have a range, and a name for what is out of it. */
struct time_element {
        const char *layout;
        const char *name;
        int digits, low, high;
        bool may_be_short; /* one digit is enough */
};

static const struct time_element elements[] = {
        { "2006", NULL, 4, 0, 9999, false }, { "-", NULL, 0, 0, 0, false },
        { "01", "month", 2, 1, 12, false },  { "-", NULL, 0, 0, 0, false },
        { "02", NULL, 2, 0, 99, false },     { "T", NULL, 0, 0, 0, false },
        { "15", "hour", 2, 0, 23, true },    { ":", NULL, 0, 0, 0, false },
        { "04", "minute", 2, 0, 59, false }, { ":", NULL, 0, 0, 0, false },
        { "05", "second", 2, 0, 59, false },
};

static bool is_digit(struct slice text, size_t at) {
        return at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9';
}

static void time_text_write(struct slice text, struct buf *out) {
        buf_char(out, '"');
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                if (c < 0x20 || c >= 0x80)
                        buf_printf(out, "\\x%02x", c);
                else if (c == '"' || c == '\\')
                        buf_printf(out, "\\%c", c);
                else
                        buf_char(out, (char)c);
        }
        buf_char(out, '"');
}

/* Takes the element off the rest; false when it is not there. *ret_number is what digits say. */
static bool take_element(const struct time_element *element, struct slice *rest, int *ret_number) {
        int count = 0;

        *ret_number = 0;
        if (!element->digits) {
                if (rest->len == 0 || rest->ptr[0] != element->layout[0])
                        return false;
                *rest = slice_make(rest->ptr + 1, rest->len - 1);
                return true;
        }
        for (; count < element->digits && is_digit(*rest, (size_t)count); count++)
                *ret_number = *ret_number * 10 + (rest->ptr[count] - '0');
        if (count == 0 || (count < element->digits && !element->may_be_short))
                return false;
        *rest = slice_make(rest->ptr + count, rest->len - (size_t)count);
        return true;
}

/* A fraction that the layout does not ask for is passed over. */
static void pass_fraction(struct slice *rest) {
        size_t at = 1;

        if (rest->len < 2 || (rest->ptr[0] != '.' && rest->ptr[0] != ',') || !is_digit(*rest, 1))
                return;
        while (is_digit(*rest, at))
                at++;
        *rest = slice_make(rest->ptr + at, rest->len - at);
}

static bool take_micro(struct slice *rest) {
        if (rest->len < 7 || (rest->ptr[0] != '.' && rest->ptr[0] != ','))
                return false;
        for (size_t i = 1; i < 7; i++)
                if (!is_digit(*rest, i))
                        return false;
        *rest = slice_make(rest->ptr + 7, rest->len - 7);
        return true;
}

static bool take_zone(struct slice *rest) {
        struct slice text = *rest;
        size_t length = 6;

        if (text.len && text.ptr[0] == 'Z')
                length = 1;
        else if (text.len < 6 || (text.ptr[0] != '+' && text.ptr[0] != '-') || text.ptr[3] != ':' ||
                 !is_digit(text, 1) || !is_digit(text, 2) || !is_digit(text, 4) ||
                 !is_digit(text, 5))
                return false;
        *rest = slice_make(text.ptr + length, text.len - length);
        return true;
}

/* The layout's element that does not fit, from which of the rest; NULL when all fit. */
static const char *misfit_of(bool has_micro, struct slice *rest, const char **ret_out_of_range) {
        for (size_t i = 0; i < ARRAY_LEN(elements); i++) {
                int number;

                if (!take_element(&elements[i], rest, &number))
                        return elements[i].layout;
                if (number < elements[i].low || number > elements[i].high) {
                        *ret_out_of_range = elements[i].name;
                        return elements[i].layout;
                }
        }
        if (has_micro && !take_micro(rest))
                return ".000000";
        pass_fraction(rest);
        return take_zone(rest) ? NULL : "Z07:00";
}

void time_error_write(struct slice text, bool has_micro, struct buf *out) {
        struct slice rest = text;
        const char *range = NULL, *element = misfit_of(has_micro, &rest, &range);

        buf_text(out, "parsing time ");
        time_text_write(text, out);
        if (range || (!element && rest.len == 0)) {
                buf_printf(out, ": %s out of range", range ? range : "day");
        } else if (!element) {
                buf_text(out, ": extra text: ");
                time_text_write(rest, out);
        } else {
                buf_printf(out, " as \"2006-01-02T15:04:05%sZ07:00\": cannot parse ",
                           has_micro ? ".000000" : "");
                time_text_write(rest, out);
                buf_printf(out, " as \"%s\"", element);
        }
}
