/* Numbers as Go reads them. */
#include "schema/go_number.h"

#include "schema/go_quote.h"
#include <ctype.h>

bool go_int_parse(struct slice text, int64_t *ret_value, struct buf *complaint) {
        size_t digits = 0;

        if (slice_to_i64(text, ret_value))
                return true;
        for (size_t i = 0; i < text.len; i++)
                digits += isdigit((unsigned char)text.ptr[i]) ||
                          (i == 0 && text.len > 1 && (*text.ptr == '-' || *text.ptr == '+'));
        buf_text(complaint, "strconv.ParseInt: parsing ");
        go_quote_write(text, complaint);
        buf_printf(complaint, ": %s",
                   text.len && digits == text.len ? "value out of range" : "invalid syntax");
        return false;
}
