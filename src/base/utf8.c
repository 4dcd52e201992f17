/* Checks for well-formed UTF-8 by the ranges of leading and second bytes. */
#include "base/utf8.h"

#include "base/util.h"
#include <string.h>

/* Leading bytes from..to start a sequence of `len` bytes whose second byte is low..high. */
static const struct sequence {
        unsigned char from, to, len, low, high;
} sequences[] = {
        { 0x00, 0x7f, 1, 0x00, 0x00 }, { 0xc2, 0xdf, 2, 0x80, 0xbf }, { 0xe0, 0xe0, 3, 0xa0, 0xbf },
        { 0xe1, 0xec, 3, 0x80, 0xbf }, { 0xed, 0xed, 3, 0x80, 0x9f }, { 0xee, 0xef, 3, 0x80, 0xbf },
        { 0xf0, 0xf0, 4, 0x90, 0xbf }, { 0xf1, 0xf3, 4, 0x80, 0xbf }, { 0xf4, 0xf4, 4, 0x80, 0x8f },
};

size_t utf8_sequence_len(struct slice text) {
        const unsigned char *bytes = (const unsigned char *)text.ptr;
        const struct sequence *found = NULL;

        for (size_t i = 0; text.len > 0 && i < ARRAY_LEN(sequences) && !found; i++) {
                if (bytes[0] >= sequences[i].from && bytes[0] <= sequences[i].to)
                        found = &sequences[i];
        }
        if (!found || text.len < found->len)
                return 0;
        for (size_t i = 1; i < found->len; i++) {
                unsigned char low = i == 1 ? found->low : 0x80;
                unsigned char high = i == 1 ? found->high : 0xbf;

                if (bytes[i] < low || bytes[i] > high)
                        return 0;
        }
        return found->len;
}

size_t utf8_decode(struct slice text, uint32_t *ret_code) {
        static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
        size_t len = utf8_sequence_len(text);

        if (len == 0)
                return 0;
        uint32_t code = (unsigned char)text.ptr[0] & first_bits[len];
        for (size_t i = 1; i < len; i++)
                code = code << 6 | ((unsigned char)text.ptr[i] & 0x3f);
        *ret_code = code;
        return len;
}

size_t utf8_encode(uint32_t code, char buffer[UTF8_BYTES_MAX]) {
        static const struct {
                uint32_t below;
                unsigned char lead;
        } forms[UTF8_BYTES_MAX] = {
                { 0x80, 0 }, { 0x800, 0xc0 }, { 0x10000, 0xe0 }, { 0x200000, 0xf0 }
        };
        size_t more = 0; /* bytes after the first */

        while (more + 1 < UTF8_BYTES_MAX && code >= forms[more].below)
                more++;
        buffer[0] = (char)(forms[more].lead | code >> (6 * more));
        for (size_t i = 1; i <= more; i++)
                buffer[i] = (char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
        return more + 1;
}

/* Bytes of ASCII at the begin, which most texts are: eight at a time. */
static size_t ascii_len(struct slice text) {
        size_t len = 0;
        uint64_t bytes;

        for (; len + sizeof(bytes) <= text.len; len += sizeof(bytes)) {
                memcpy(&bytes, text.ptr + len, sizeof(bytes));
                if (bytes & UINT64_C(0x8080808080808080))
                        break;
        }
        while (len < text.len && (unsigned char)text.ptr[len] < 0x80)
                len++;
        return len;
}

bool utf8_is_valid(struct slice text) {
        while (text.len > 0) {
                size_t len = ascii_len(text);

                text = slice_make(text.ptr + len, text.len - len);
                if (text.len == 0)
                        break;
                len = utf8_sequence_len(text);
                if (len == 0)
                        return false;
                text = slice_make(text.ptr + len, text.len - len);
        }
        return true;
}

size_t utf8_space_len(struct slice text) {
        static const uint32_t spaces[] = { 0x85,   0xa0,   0x1680, 0x2028,
                                           0x2029, 0x202f, 0x205f, 0x3000 };
        uint32_t code = 0;
        size_t length = utf8_decode(text, &code);

        if ((code >= '\t' && code <= '\r') || code == ' ' || (code >= 0x2000 && code <= 0x200a))
                return length;
        for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
                if (spaces[i] == code)
                        return length;
        }
        return 0;
}

struct slice utf8_trim(struct slice text) {
        size_t length;

        while ((length = utf8_space_len(text)))
                text = slice_make(text.ptr + length, text.len - length);
        for (size_t end = text.len; end > 0;) {
                size_t start = end - 1;

                while (start > 0 && ((unsigned char)text.ptr[start] & 0xc0) == 0x80)
                        start--;
                length = utf8_space_len(slice_make(text.ptr + start, end - start));
                if (length != end - start)
                        break;
                text.len = end = start;
        }
        return text;
}
