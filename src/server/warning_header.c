/* Warnings as one header. */
#include "server/warning_header.h"

#include "base/map.h"
#include "base/utf8.h"
#include "base/util.h"
#include <stdlib.h>

struct warning_header {
        struct buf *out;
        size_t start; /* of the header in out */
        size_t runes; /* written */
        bool is_cutting, is_full;
};

static size_t count_runes(struct slice text) {
        size_t runes = 0;

        for (size_t i = 0; i < text.len; i++)
                runes += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
        return runes;
}

static struct slice cut_runes(struct slice text, size_t most) {
        size_t at = 0;

        for (size_t runes = 0; at < text.len; at++) {
                runes += ((unsigned char)text.ptr[at] & 0xc0) != 0x80;
                if (runes > most)
                        break;
        }
        return slice_make(text.ptr, at);
}

/* C0 and C1, and bytes that are no UTF-8: such texts are not sent. */
static bool is_unsendable(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                unsigned char byte = (unsigned char)text.ptr[i];
                unsigned char next = i + 1 < text.len ? (unsigned char)text.ptr[i + 1] : 0;

                if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next < 0xa0))
                        return true;
        }
        return !utf8_is_valid(text);
}

static void write_text(struct warning_header *header, struct slice text) {
        struct buf *out = header->out;
        size_t before = out->len;

        if (header->is_full || is_unsendable(text))
                return;
        buf_text(out, before > header->start ? ", 299 - \"" : "299 - \"");
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] == '"' || text.ptr[i] == '\\')
                        buf_char(out, '\\');
                buf_char(out, text.ptr[i]);
        }
        buf_char(out, '"');
        header->runes += count_runes(text);
        if (out->len - header->start > WARNING_BYTES_MAX) {
                header->is_full = true;
                out->len = before;
        }
}

static void write_cut(struct warning_header *header, struct slice text) {
        if (header->runes < WARNING_RUNES_MAX)
                write_text(header, cut_runes(text, WARNING_ITEM_RUNES_MAX));
}

/* What was written whole is written again, cut; then the text that was too much. */
static void start_cutting(struct warning_header *header, const struct slice *texts, size_t count) {
        header->is_cutting = true;
        header->runes = 0;
        header->out->len = header->start;
        for (size_t i = 0; i < count; i++)
                write_text(header, cut_runes(texts[i], WARNING_ITEM_RUNES_MAX));
}

void warning_header_write(const struct slice *texts, size_t count, struct buf *out) {
        struct warning_header header = { .out = out, .start = out->len };
        struct map *seen = map_new();
        struct slice *distinct = count ? xcalloc(count, sizeof(*distinct)) : NULL;
        size_t distinct_count = 0;

        for (size_t i = 0; i < count && !header.is_full; i++) {
                if (texts[i].len == 0 || map_put(seen, texts[i], out))
                        continue;
                distinct[distinct_count++] = texts[i];
                if (header.is_cutting)
                        write_cut(&header, texts[i]);
                else if (is_unsendable(texts[i]))
                        continue;
                else if (header.runes + count_runes(texts[i]) <= WARNING_RUNES_MAX)
                        write_text(&header, texts[i]);
                else
                        start_cutting(&header, distinct, distinct_count);
        }
        free(distinct);
        map_free(seen);
}
