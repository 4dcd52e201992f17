/* Base64 of RFC 4648. */
#include "base/base64.h"

static const char digits_standard[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char digits_url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool base64_encode(struct slice data, enum base64_alphabet alphabet, struct buf *out) {
        const char *digits = alphabet == BASE64_URL ? digits_url : digits_standard;
        const unsigned char *bytes = (const unsigned char *)data.ptr;
        if (data.len > SIZE_MAX / 2 || !buf_reserve(out, (data.len + 2) / 3 * 4))
                return false;
        for (size_t i = 0; i < data.len; i += 3) {
                size_t left = data.len - i < 3 ? data.len - i : 3;
                uint32_t group = (uint32_t)bytes[i] << 16;
                if (left > 1)
                        group |= (uint32_t)bytes[i + 1] << 8;
                if (left > 2)
                        group |= bytes[i + 2];
                char text[4] = { digits[group >> 18], digits[group >> 12 & 63],
                                 left > 1 ? digits[group >> 6 & 63] : '=',
                                 left > 2 ? digits[group & 63] : '=' };
                buf_append(out, text, alphabet == BASE64_URL ? left + 1 : 4);
        }
        return true;
}

/* Value of one digit, -1 when it is none. */
static int digit_value(char c, enum base64_alphabet alphabet) {
        if (c >= 'A' && c <= 'Z')
                return c - 'A';
        if (c >= 'a' && c <= 'z')
                return c - 'a' + 26;
        if (c >= '0' && c <= '9')
                return c - '0' + 52;
        if (c == (alphabet == BASE64_URL ? '-' : '+'))
                return 62;
        return c == (alphabet == BASE64_URL ? '_' : '/') ? 63 : -1;
}

static bool is_line_break(char c) {
        return c == '\n' || c == '\r';
}

/* Takes up to four digits off the text; returns how many, with the bits left-aligned in 24. */
static int take_group(struct slice *text, enum base64_alphabet alphabet, uint32_t *ret_group) {
        int count = 0;
        uint32_t group = 0;
        while (text->len && count < 4) {
                char c = text->ptr[0];
                int value = digit_value(c, alphabet);
                if (value < 0 && !is_line_break(c))
                        break;
                text->ptr++;
                text->len--;
                if (value < 0)
                        continue;
                group |= (uint32_t)value << (18 - 6 * count);
                count++;
        }
        *ret_group = group;
        return count;
}

/* The rest after `count` digits of the last group: nothing, or the exact number of '='. */
static bool is_padding(struct slice text, int count) {
        int expected = 4 - count;
        int found = 0;
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] == '=')
                        found++;
                else if (!is_line_break(text.ptr[i]))
                        return false;
        }
        return found == 0 || (found == expected && expected < 3);
}

static bool base64_decode_text(struct slice text, enum base64_alphabet alphabet, struct buf *out) {
        int count = 4;
        while (count == 4) {
                uint32_t group;
                count = take_group(&text, alphabet, &group);
                char bytes[3] = { (char)(group >> 16), (char)(group >> 8), (char)group };
                if (count == 1 || (count && !buf_append(out, bytes, (size_t)count - 1)))
                        return false;
        }
        return is_padding(text, count);
}

bool base64_decode(struct slice text, enum base64_alphabet alphabet, struct buf *out) {
        size_t len_before = out->len;
        if (base64_decode_text(text, alphabet, out))
                return true;
        if (out->data) {
                out->len = len_before;
                out->data[len_before] = '\0';
        }
        return false;
}

static size_t skip_line_breaks(struct slice text, size_t at) {
        while (at < text.len && is_line_break(text.ptr[at]))
                at++;
        return at;
}

/* at: behind the first '=', which stands after so many digits of its group. */
static size_t bad_padding(struct slice text, size_t at, int digits) {
        if (digits < 2)
                return at - 1;
        if (digits == 2) {
                at = skip_line_breaks(text, at);
                if (at == text.len)
                        return text.len;
                if (text.ptr[at] != '=')
                        return at - 1;
                at++;
        }
        return skip_line_breaks(text, at);
}

size_t base64_bad_byte(struct slice text, enum base64_alphabet alphabet) {
        int digits = 0;
        size_t at = 0;

        for (; at < text.len; at++) {
                if (is_line_break(text.ptr[at]))
                        continue;
                if (digit_value(text.ptr[at], alphabet) >= 0)
                        digits = (digits + 1) % 4;
                else if (text.ptr[at] == '=' && alphabet == BASE64_STANDARD)
                        return bad_padding(text, at + 1, digits);
                else
                        return at;
        }
        return at - (size_t)digits;
}
