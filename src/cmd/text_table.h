/* Columns for people. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

#define TEXT_TABLE_COLUMNS_MAX 12

struct text_table {
        struct arena *arena;
        size_t column_count, row_count, row_cap;
        const char **cells;
};

/* heads: NULL-ended, the first row. */
void text_table_init(struct text_table *table, struct arena *arena, const char *const *heads);
void text_table_set(struct text_table *table, size_t column,
                    const char *text); /* of the last row */
void text_table_add_row(struct text_table *table);
/* Every line starts with the prefix; the last column is not padded. */
void text_table_write(const struct text_table *table, const char *prefix, struct buf *out);
