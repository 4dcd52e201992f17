/* Columns for people. */
#include "cmd/text_table.h"

#include <assert.h>
#include <string.h>

void text_table_add_row(struct text_table *table) {
        if (table->row_count == table->row_cap) {
                size_t cap = table->row_cap ? table->row_cap * 2 : 16;
                const char **cells =
                        ARENA_ARRAY(table->arena, const char *, cap * table->column_count);

                if (table->row_count)
                        memcpy(cells, table->cells,
                               table->row_count * table->column_count * sizeof(*cells));
                table->cells = cells;
                table->row_cap = cap;
        }
        table->row_count++;
        for (size_t i = 0; i < table->column_count; i++)
                text_table_set(table, i, "");
}

void text_table_init(struct text_table *table, struct arena *arena, const char *const *heads) {
        *table = (struct text_table){ .arena = arena };
        while (heads[table->column_count])
                table->column_count++;
        assert(table->column_count <= TEXT_TABLE_COLUMNS_MAX);
        text_table_add_row(table);
        for (size_t i = 0; i < table->column_count; i++)
                text_table_set(table, i, heads[i]);
}

void text_table_set(struct text_table *table, size_t column, const char *text) {
        table->cells[(table->row_count - 1) * table->column_count + column] = text;
}

void text_table_write(const struct text_table *table, const char *prefix, struct buf *out) {
        size_t widths[TEXT_TABLE_COLUMNS_MAX] = { 0 };
        size_t columns = table->column_count;

        for (size_t i = 0; i < table->row_count * columns; i++) {
                size_t width = strlen(table->cells[i]);

                if (width > widths[i % columns])
                        widths[i % columns] = width;
        }
        for (size_t i = 0; i < table->row_count; i++) {
                buf_text(out, prefix);
                for (size_t j = 0; j < columns; j++)
                        buf_printf(out, "%-*s%s", j + 1 < columns ? (int)widths[j] : 0,
                                   table->cells[i * columns + j], j + 1 < columns ? "  " : "");
                buf_char(out, '\n');
        }
}
