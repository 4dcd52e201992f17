/* What the files behind field_table.h share. */
#pragma once

#include "config/field_table.h"

/* The reader's path with one more segment, until field_path_leave takes it off again. */
size_t field_path_enter(struct field_reader *reader, const char *name);
size_t field_path_enter_index(struct field_reader *reader, size_t index);
size_t field_path_enter_key(struct field_reader *reader, struct slice key);
void field_path_leave(struct field_reader *reader, size_t length);

/* A problem at the key of a member of object. */
void field_unknown(struct field_reader *reader, const struct field *fields,
                   const struct json *object, struct slice key);
/* "integer from 1 to 9" */
void field_write_type(const struct field *field, struct buf *out);
/* Lists and maps of plain values have one row without a name. */
static inline bool fields_are_plain(const struct field *fields) {
        return fields && fields[0].name && fields[0].name[0] == '\0';
}
