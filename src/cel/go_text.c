/* What Go's strconv says. */
#include "cel/go_text.h"

#include "base/go_quote.h"

const char *go_quoted(struct arena *arena, struct slice text) {
        CLEANUP(buf_release) struct buf out = { 0 };

        go_quote_write(text, &out);
        return arena_slice(arena, buf_view(&out)).ptr;
}

/* Whether what is no digit comes before the value is too large even without a sign: Go reads no
 * further than to the first problem. */
static bool is_syntax_wrong(struct slice digits) {
        uint64_t value = 0;

        for (size_t i = 0; i < digits.len; i++) {
                char c = digits.ptr[i];

                if (c < '0' || c > '9')
                        return true;
                if (__builtin_mul_overflow(value, 10U, &value) ||
                    __builtin_add_overflow(value, (uint64_t)(c - '0'), &value))
                        return false;
        }
        return digits.len == 0;
}

const char *go_number_problem(struct arena *arena, const char *function, struct slice text) {
        struct slice digits = text;

        if (text.len && (*text.ptr == '+' || *text.ptr == '-'))
                digits = slice_make(text.ptr + 1, text.len - 1);
        return arena_printf(arena, "strconv.%s: parsing %s: %s", function, go_quoted(arena, text),
                            is_syntax_wrong(digits) ? "invalid syntax" : "value out of range");
}
