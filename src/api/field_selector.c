/* Field selectors: key=value, key==value and key!=value joined by commas; a backslash protects a
 * comma, an equals sign or a backslash inside a value. */
#include "api/selector.h"
#include <stdlib.h>

/* The text up to the next unprotected comma; moves *rest behind it. */
static struct slice take_part(struct slice *rest) {
        bool is_escaped = false;
        size_t i = 0;
        for (; i < rest->len; i++) {
                if (is_escaped)
                        is_escaped = false;
                else if (rest->ptr[i] == '\\')
                        is_escaped = true;
                else if (rest->ptr[i] == ',')
                        break;
        }
        struct slice part = slice_make(rest->ptr, i);
        size_t used = i < rest->len ? i + 1 : i;
        *rest = slice_make(rest->ptr + used, rest->len - used);
        return part;
}

/* The value without its backslashes. */
static int field_selector_unescape(struct slice text, struct arena *arena, struct slice *ret_value,
                                   struct err *err) {
        char *plain = arena_alloc(arena, text.len + 1);
        size_t n = 0;
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];
                if (c == ',' || c == '=')
                        return err_set(err, BERTH_ERR_BAD_REQUEST,
                                       "invalid field selector: unescaped character in value: %d",
                                       c);
                if (c != '\\') {
                        plain[n++] = c;
                        continue;
                }
                c = ++i < text.len ? text.ptr[i] : '\0';
                if (c != '\\' && c != ',' && c != '=')
                        return err_set(err, BERTH_ERR_BAD_REQUEST,
                                       "invalid field selector: invalid escape sequence: \\%.*s",
                                       c != '\0', &c);
                plain[n++] = c;
        }
        *ret_value = slice_make(plain, n);
        return 0;
}

static int parse_term(struct slice whole, struct slice part, struct arena *arena,
                      struct field_term *term, struct err *err) {
        for (size_t i = 0; i < part.len; i++) {
                char c = part.ptr[i], next = i + 1 < part.len ? part.ptr[i + 1] : '\0';
                if (c != '=' && !(c == '!' && next == '='))
                        continue;
                size_t length = next == '=' ? 2 : 1;
                term->key = slice_make(part.ptr, i);
                term->is_not_equal = c == '!';
                return field_selector_unescape(
                        slice_make(part.ptr + i + length, part.len - i - length), arena,
                        &term->value, err);
        }
        return err_set(err, BERTH_ERR_BAD_REQUEST,
                       "invalid selector: '" SLICE_FMT "'; can't understand '" SLICE_FMT "'",
                       SLICE_ARG(whole), SLICE_ARG(part));
}

int field_selector_parse(struct slice text, struct arena *arena,
                         struct field_selector *ret_selector, struct err *err) {
        struct field_selector selector = { 0 };
        size_t cap = 1;
        for (size_t i = 0; i < text.len; i++)
                cap += text.ptr[i] == ',';
        selector.terms = ARENA_ARRAY(arena, struct field_term, cap);
        struct slice rest = text, wrong = SLICE_EMPTY;
        while (rest.len > 0) {
                struct slice part = take_part(&rest);
                if (part.len == 0)
                        continue;
                if (parse_term(text, part, arena, &selector.terms[selector.count], err) < 0) {
                        if (wrong.len == 0 || slice_compare(part, wrong) < 0)
                                wrong = part;
                        continue;
                }
                /* One without a name and a value selects everything upstream. */
                const struct field_term *term = &selector.terms[selector.count];
                selector.count += term->key.len || term->value.len;
        }
        if (wrong.len) /* upstream sorts them: the first of those that are wrong */
                return parse_term(text, wrong, arena, &selector.terms[0], err);
        *ret_selector = selector;
        return 0;
}
