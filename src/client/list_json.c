/* Cuts a list in JSON into its members and items. Only quotes and brackets are looked at here; each
 * value is parsed once it is complete. */
#include "base/arena.h"
#include "client/list_reader_priv.h"

#include <stddef.h>
#include <string.h>

static int list_json_broken(struct err *err, const char *expected, char got) {
        return err_set(err, BERTH_ERR_BAD_REQUEST, "broken list: expected %s, got byte %u",
                       expected, (unsigned)(uint8_t)got);
}

static bool is_space(char byte) {
        return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* What a byte may mean outside of text. */
static bool is_delimiter(char byte) {
        return byte == ',' || byte == '}' || byte == ']' || is_space(byte);
}

/* Bytes of a value that neither open nor close anything, which most are. */
static const char *skip_plain(const char *at, const char *end) {
        static const bool is_mark[256] = {
                ['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true
        };

        while (at < end && !is_mark[(unsigned char)*at])
                at++;
        return at;
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Not 0 when a byte of the eight is that one. */
static uint64_t has_byte(uint64_t bytes, char wanted) {
        uint64_t rest = bytes ^ (EACH_BYTE * (unsigned char)wanted);

        return (rest - EACH_BYTE) & ~rest & (EACH_BYTE << 7);
}

/* Bytes of a text up to a quote or backslash, as far as eight at a time go. */
static const char *skip_text(const char *at, const char *end) {
        uint64_t bytes;

        for (; end - at >= (ptrdiff_t)sizeof(bytes); at += sizeof(bytes)) {
                memcpy(&bytes, at, sizeof(bytes));
                if (has_byte(bytes, '"') | has_byte(bytes, '\\'))
                        break;
        }
        return at;
}

/* Behind the closing quote of a text, or at the end of the chunk. */
static const char *scan_text(struct list_reader *reader, const char *at, const char *end) {
        if (!reader->escaped)
                at = skip_text(at, end);
        for (; at < end; at++) {
                if (reader->escaped) {
                        reader->escaped = false;
                } else if (*at == '\\') {
                        reader->escaped = true;
                } else if (*at == '"') {
                        reader->in_text = false;
                        return at + 1;
                }
        }
        return at;
}

/* Behind the value that begins, or goes on, at at; the end of the chunk when it does not end there.
 * A number ends at the byte behind it. */
static const char *scan_value(struct list_reader *reader, const char *at, const char *end,
                              bool *ret_whole) {
        *ret_whole = false;
        while (at < end) {
                if (reader->in_text) {
                        at = scan_text(reader, at, end);
                        *ret_whole = !reader->in_text && reader->depth == 0;
                } else if (*at == '"') {
                        reader->in_text = true;
                        at++;
                } else if (*at == '{' || *at == '[') {
                        reader->depth++;
                        at++;
                } else if (reader->depth > 0) {
                        if (*at == '}' || *at == ']')
                                *ret_whole = --reader->depth == 0;
                        at++;
                        if (!*ret_whole)
                                at = skip_plain(at, end);
                } else if (is_delimiter(*at)) {
                        *ret_whole = true;
                } else {
                        at++;
                }
                if (*ret_whole)
                        return at;
        }
        return at;
}

/* A complete key, member or item. */
static int take_value(struct list_reader *reader, struct slice text, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        if (reader->only_metadata && reader->place == LIST_ITEM) {
                reader->place = LIST_AFTER_ITEM;
                return 0;
        }
        int r = json_parse(text, &doc, err);
        if (r < 0)
                return r;
        const struct json *value = json_doc_root(doc);
        switch (reader->place) {
        case LIST_KEY: {
                struct slice key = json_text(value);
                size_t size = key.len < sizeof(reader->key) - 1 ? key.len : 0;

                if (size > 0)
                        memcpy(reader->key, key.ptr, size);
                reader->key[size] = '\0';
                reader->place = LIST_COLON;
                break;
        }
        case LIST_ITEM:
                list_reader_report(reader, value);
                reader->place = LIST_AFTER_ITEM;
                break;
        default:
                if (strcmp(reader->key, "metadata") == 0)
                        list_reader_take_metadata(reader, value);
                if (strcmp(reader->key, "items") == 0 && json_type(value) == JSON_NULL)
                        reader->has_items = true; /* Go's empty list */
                reader->place = LIST_AFTER_VALUE;
        }
        return 0;
}

/* Moves *at through a value; what has not ended with the chunk waits in partial. */
static int list_json_value(struct list_reader *reader, const char **at, const char *end,
                           struct err *err) {
        const char *begin = *at;
        bool is_whole;

        *at = scan_value(reader, begin, end, &is_whole);
        struct slice piece = slice_make(begin, (size_t)(*at - begin));
        if (reader->partial.len + piece.len > LIST_ITEM_MAX)
                return err_set(err, BERTH_ERR_TOO_LARGE, "an item of the list exceeds %zu bytes",
                               LIST_ITEM_MAX);
        if (is_whole && reader->partial.len == 0)
                return take_value(reader, piece, err);
        buf_slice(&reader->partial, piece);
        if (!is_whole)
                return 0;
        int r = take_value(reader, buf_view(&reader->partial), err);
        buf_clear(&reader->partial);
        return r;
}

/* One byte between values. */
static int list_json_mark(struct list_reader *reader, char byte, struct err *err) {
        switch (reader->place) {
        case LIST_BEGIN:
                reader->place = LIST_KEY;
                return byte == '{' ? 0 : list_json_broken(err, "{", byte);
        case LIST_COLON:
                reader->place = LIST_VALUE;
                return byte == ':' ? 0 : list_json_broken(err, ":", byte);
        case LIST_AFTER_VALUE:
                reader->place = byte == ',' ? LIST_KEY : LIST_DONE;
                return byte == ',' || byte == '}' ? 0 : list_json_broken(err, ", or }", byte);
        case LIST_AFTER_ITEM:
                reader->place = byte == ',' ? LIST_ITEM : LIST_AFTER_VALUE;
                return byte == ',' || byte == ']' ? 0 : list_json_broken(err, ", or ]", byte);
        default:
                return list_json_broken(err, "the end", byte);
        }
}

static bool is_under_way(const struct list_reader *reader) {
        return reader->in_text || reader->depth > 0 || reader->partial.len > 0;
}

/* The byte ends an empty object or list, or opens the items. */
static bool is_special(struct list_reader *reader, char byte) {
        if (reader->place == LIST_VALUE && byte == '[' && strcmp(reader->key, "items") == 0) {
                reader->place = LIST_ITEM;
                reader->has_items = true;
                return true;
        }
        if (reader->place == LIST_ITEM && byte == ']') {
                reader->place = LIST_AFTER_VALUE;
                return true;
        }
        if (reader->place == LIST_KEY && byte == '}') {
                reader->place = LIST_DONE;
                return true;
        }
        return false;
}

int list_json_feed(struct list_reader *reader, struct slice chunk, struct err *err) {
        const char *at = chunk.ptr, *end = chunk.ptr + chunk.len;
        int r = 0;

        while (r == 0 && at < end && !list_reader_is_satisfied(reader)) {
                bool is_between = !is_under_way(reader);
                bool takes_value = reader->place == LIST_KEY || reader->place == LIST_VALUE ||
                                   reader->place == LIST_ITEM;

                if (is_between && is_space(*at))
                        at++;
                else if (is_between && is_special(reader, *at))
                        at++;
                else if (takes_value)
                        r = list_json_value(reader, &at, end, err);
                else
                        r = list_json_mark(reader, *at++, err);
        }
        return r;
}
