/* Pieces of JSON that the documents of the page are made of. */
#pragma once

#include "base/buf.h"
#include <stddef.h>
#include <stdint.h>

struct json_count {
        const char *name;
        int64_t value;
};
/* A number in decimal. */
void json_number(struct buf *out, int64_t value);
/* The same in a list: a comma before all but the first, which has index 0. */
void json_item(struct buf *out, size_t index, int64_t value);
/* "a":1,"b":2 */
void json_counts(struct buf *out, const struct json_count *counts, size_t count);
