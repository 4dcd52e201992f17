/* Functions of strings. Positions count characters (code points), as upstream's do. */
#include "base/regex.h"
#include "cel/cel_function.h"

#include "base/buf.h"
#include "base/util.h"
#include <math.h>
#include <stdio.h>

#define TEXT(i) args[i].as.text

static bool is_start(char c) {
        return ((unsigned char)c & 0xc0) != 0x80;
}

static int64_t cel_strings_length(struct slice text) {
        int64_t count = 0;

        for (size_t i = 0; i < text.len; i++)
                count += is_start(text.ptr[i]);
        return count;
}

/* Byte at which a character begins; the length for the one behind the last. */
static size_t byte_of(struct slice text, int64_t position) {
        size_t at = 0;

        for (; at < text.len; at++) {
                if (is_start(text.ptr[at]) && position-- == 0)
                        break;
        }
        return at;
}

static struct slice cel_strings_tail(struct slice text, size_t at) {
        return at == 0 ? text : slice_make(text.ptr + at, text.len - at);
}

static struct cel_value cel_strings_made(struct cel_run *run, struct buf *out) {
        struct cel_value value = cel_text(CEL_STRING, arena_slice(run->arena, buf_view(out)));

        buf_release(out);
        return value;
}

static struct cel_value out_of_range(struct cel_run *run, int64_t index) {
        return cel_error(run, "index out of range: %lld", (long long)index);
}

/* ---- looking ---- */

FUNCTION(contains) {
        (void)run;
        return cel_bool(slice_contains(TEXT(0), TEXT(1)));
}

FUNCTION(starts_with) {
        (void)run;
        return cel_bool(slice_has_prefix(TEXT(0), TEXT(1)));
}

FUNCTION(ends_with) {
        (void)run;
        return cel_bool(slice_has_suffix(TEXT(0), TEXT(1)));
}

FUNCTION(matches) {
        struct regex *regex = regex_new(TEXT(1), NULL);

        if (!regex)
                return cel_regex_error(run, TEXT(1), "");
        cel_spend(run, 10 + TEXT(1).len);
        bool is_match = regex_matches(regex, TEXT(0));
        regex_free(regex);
        return cel_bool(is_match);
}

FUNCTION(char_at) {
        int64_t at = args[1].as.integer, count = cel_strings_length(TEXT(0));

        if (at < 0 || at > count)
                return out_of_range(run, at);
        size_t from = byte_of(TEXT(0), at);
        size_t to = byte_of(TEXT(0), at + 1);
        return cel_text(CEL_STRING, slice_make(TEXT(0).ptr + from, to - from));
}

/* First (or last) place at or behind (or before) a position; -1 when there is none. */
static int64_t cel_strings_search(struct slice text, struct slice wanted, int64_t from,
                                  bool is_last) {
        int64_t position = 0, found = -1;

        for (size_t at = 0; at <= text.len; at++) {
                if (at < text.len && !is_start(text.ptr[at]))
                        continue;
                if ((is_last ? position <= from : position >= from) &&
                    slice_has_prefix(cel_strings_tail(text, at), wanted))
                        found = position;
                if (found >= 0 && !is_last)
                        break;
                position++;
        }
        return found;
}

FUNCTION(index_of) {
        return cel_spend(run, TEXT(0).len) ? cel_int(cel_strings_search(TEXT(0), TEXT(1), 0, false))
                                           : cel_int(-1);
}

/* From a position, which may lie behind the end. */
static struct cel_value search_from(struct cel_run *run, const struct cel_value *args,
                                    bool is_last) {
        int64_t from = args[2].as.integer;

        if (TEXT(1).len == 0)
                return cel_int(from);
        if (from < 0)
                return out_of_range(run, from);
        if (from >= cel_strings_length(TEXT(0)) || !cel_spend(run, TEXT(0).len))
                return cel_int(-1);
        return cel_int(cel_strings_search(TEXT(0), TEXT(1), from, is_last));
}

FUNCTION(index_of_from) {
        return search_from(run, args, false);
}

FUNCTION(last_index_of) {
        return cel_spend(run, TEXT(0).len)
                       ? cel_int(cel_strings_search(TEXT(0), TEXT(1), INT64_MAX, true))
                       : cel_int(-1);
}

FUNCTION(last_index_of_from) {
        return search_from(run, args, true);
}

/* ---- changing ---- */

static struct cel_value with_case(struct cel_run *run, struct slice text, char first, char last) {
        struct buf out = { 0 };

        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                buf_char(&out, c >= first && c <= last ? (char)(c ^ 0x20) : c);
        }
        return cel_strings_made(run, &out);
}

FUNCTION(lower) {
        return with_case(run, TEXT(0), 'A', 'Z');
}

FUNCTION(upper) {
        return with_case(run, TEXT(0), 'a', 'z');
}

FUNCTION(trimmed) {
        (void)run;
        return cel_text(CEL_STRING, slice_trim(TEXT(0)));
}

/* A name as a part of a JSON pointer. */
FUNCTION(escaped_key) {
        struct slice text = TEXT(0);
        struct buf out = { 0 };

        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] == '~' || text.ptr[i] == '/')
                        buf_text(&out, text.ptr[i] == '~' ? "~0" : "~1");
                else
                        buf_char(&out, text.ptr[i]);
        struct slice escaped = arena_slice(run->arena, buf_view(&out));
        buf_release(&out);
        return cel_text(CEL_STRING, escaped);
}

static struct cel_value cel_strings_replace(struct cel_run *run, const struct cel_value *args,
                                            int64_t limit) {
        struct slice text = TEXT(0), from = TEXT(1);
        struct buf out = { 0 };
        size_t at = 0;

        while (at <= text.len && cel_spend(run, 1)) {
                bool is_here = limit != 0 && slice_has_prefix(cel_strings_tail(text, at), from) &&
                               (at == text.len || is_start(text.ptr[at]));

                if (is_here) {
                        buf_slice(&out, TEXT(2));
                        at += from.len;
                        limit--;
                        if (!cel_spend(run, TEXT(2).len / 10))
                                break;
                }
                if ((!is_here || from.len == 0) && at < text.len)
                        buf_char(&out, text.ptr[at]);
                at += !is_here || from.len == 0;
        }
        return cel_strings_made(run, &out);
}

FUNCTION(replaced) {
        return cel_strings_replace(run, args, -1);
}

FUNCTION(replaced_some) {
        return cel_strings_replace(run, args, args[3].as.integer);
}

FUNCTION(substring) {
        int64_t from = args[1].as.integer;

        if (from < 0 || from > cel_strings_length(TEXT(0)))
                return out_of_range(run, from);
        size_t at = byte_of(TEXT(0), from);
        return cel_text(CEL_STRING, cel_strings_tail(TEXT(0), at));
}

FUNCTION(substring_to) {
        int64_t from = args[1].as.integer, to = args[2].as.integer;

        if (from < 0 || from > cel_strings_length(TEXT(0)))
                return out_of_range(run, from);
        if (to < 0 || to > cel_strings_length(TEXT(0)))
                return out_of_range(run, to);
        if (from > to)
                return cel_error(run, "invalid substring range. start: %lld, end: %lld",
                                 (long long)from, (long long)to);
        size_t at = byte_of(TEXT(0), from);
        return cel_text(CEL_STRING, slice_make(TEXT(0).ptr + at, byte_of(TEXT(0), to) - at));
}

/* At most `limit` parts (< 0: all); without a separator, characters. */
static struct cel_value cel_strings_split(struct cel_run *run, const struct cel_value *args,
                                          int64_t limit) {
        struct slice text = TEXT(0), separator = TEXT(1);
        struct cel_builder parts = { 0 };
        struct cel_value part;
        size_t start = 0;

        if (limit == 0)
                return cel_list(NULL, 0);
        for (size_t at = 0; at < text.len && limit != 1 && cel_spend(run, 1);) {
                bool is_here = separator.len == 0
                                       ? at > start && is_start(text.ptr[at])
                                       : slice_has_prefix(cel_strings_tail(text, at), separator);

                if (!is_here) {
                        at++;
                        continue;
                }
                part = cel_text(CEL_STRING, slice_make(text.ptr + start, at - start));
                cel_push(run, &parts, &part);
                at += separator.len;
                start = at;
                limit--;
        }
        part = cel_text(CEL_STRING, cel_strings_tail(text, start));
        if (separator.len || part.as.text.len)
                cel_push(run, &parts, &part);
        return cel_list(parts.items, parts.count);
}

FUNCTION(split_all) {
        return cel_strings_split(run, args, -1);
}

FUNCTION(split_some) {
        return cel_strings_split(run, args, args[2].as.integer);
}

/* As a literal of CEL is written. */
FUNCTION(quoted) {
        static const char marks[] = "\a\b\f\n\r\t\v\\\"", names[] = "abfnrtv\\\"";
        struct buf out = { 0 };

        buf_char(&out, '"');
        for (size_t i = 0; i < TEXT(0).len; i++) {
                char c = TEXT(0).ptr[i];
                const char *mark = c ? strchr(marks, c) : NULL;

                if (mark)
                        buf_char(&out, '\\');
                buf_char(&out, mark ? names[mark - marks] : c);
        }
        buf_char(&out, '"');
        return cel_strings_made(run, &out);
}

static const struct cel_function rows[] = {
        { "strings.quote", false, CEL_STRING, quoted, 1, { CEL_STRING } },
        { "contains", true, CEL_BOOL, contains, 2, { CEL_STRING, CEL_STRING } },
        { "startsWith", true, CEL_BOOL, starts_with, 2, { CEL_STRING, CEL_STRING } },
        { "endsWith", true, CEL_BOOL, ends_with, 2, { CEL_STRING, CEL_STRING } },
        { "matches", true, CEL_BOOL, matches, 2, { CEL_STRING, CEL_STRING } },
        { "matches", false, CEL_BOOL, matches, 2, { CEL_STRING, CEL_STRING } },
        { "charAt", true, CEL_STRING, char_at, 2, { CEL_STRING, CEL_INT } },
        { "indexOf", true, CEL_INT, index_of, 2, { CEL_STRING, CEL_STRING } },
        { "indexOf", true, CEL_INT, index_of_from, 3, { CEL_STRING, CEL_STRING, CEL_INT } },
        { "lastIndexOf", true, CEL_INT, last_index_of, 2, { CEL_STRING, CEL_STRING } },
        { "lastIndexOf",
          true,
          CEL_INT,
          last_index_of_from,
          3,
          { CEL_STRING, CEL_STRING, CEL_INT } },
        { "lowerAscii", true, CEL_STRING, lower, 1, { CEL_STRING } },
        { "upperAscii", true, CEL_STRING, upper, 1, { CEL_STRING } },
        { "trim", true, CEL_STRING, trimmed, 1, { CEL_STRING } },
        { "replace", true, CEL_STRING, replaced, 3, { CEL_STRING, CEL_STRING, CEL_STRING } },
        { "replace",
          true,
          CEL_STRING,
          replaced_some,
          4,
          { CEL_STRING, CEL_STRING, CEL_STRING, CEL_INT } },
        { "substring", true, CEL_STRING, substring, 2, { CEL_STRING, CEL_INT } },
        { "substring", true, CEL_STRING, substring_to, 3, { CEL_STRING, CEL_INT, CEL_INT } },
        { "split", true, CEL_STRINGS, split_all, 2, { CEL_STRING, CEL_STRING } },
        { "split", true, CEL_STRINGS, split_some, 3, { CEL_STRING, CEL_STRING, CEL_INT } },
        { "jsonpatch.escapeKey", false, CEL_STRING, escaped_key, 1, { CEL_STRING } },
};
const struct cel_function_set cel_string_functions = { rows, ARRAY_LEN(rows) };
