/* Numbers and lists of numbers as JSON. */
#include "dashboard/json_list.h"

void json_number(struct buf *out, int64_t value) {
        if (value < 0)
                buf_char(out, '-');
        buf_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void json_item(struct buf *out, size_t index, int64_t value) {
        if (index)
                buf_char(out, ',');
        json_number(out, value);
}

void json_counts(struct buf *out, const struct json_count *counts, size_t count) {
        for (size_t i = 0; i < count; i++) {
                buf_printf(out, "%s\"%s\":", i ? "," : "", counts[i].name);
                json_number(out, counts[i].value);
        }
}
