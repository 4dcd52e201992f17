/* Shared immutable arrays of plain rows: equal arrays are one.  Rows must be zeroed before they are
 * filled, so that their padding is equal too. */
#pragma once

#include "model/id_index.h"

struct shared_rows {
        uint32_t refs, hash;
        size_t size;  /* bytes */
        char bytes[]; /* aligned as the header is */
};
struct shared_table {
        struct shared_rows **items; /* NULL where free */
        uint32_t cap;
        struct id_pool ids;
        struct id_index index;
        size_t bytes;
};
void shared_table_release(struct shared_table *table);
/* The one array with this content, counted; *ret_is_new says whether it was made by this call. */
const void *shared_rows_take(struct shared_table *table, const void *rows, size_t size,
                             bool *ret_is_new);
/* Gives one count back; true when that was the last: shared_rows_free must follow. */
bool shared_rows_drop(const void *rows);
void shared_rows_free(struct shared_table *table, const void *rows);
struct shared_rows *shared_rows_of(const void *rows);
uint32_t shared_rows_number(const struct shared_table *table, const void *rows);
