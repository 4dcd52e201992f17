/* Values that upstream's types read themselves, from bytes. */
#include "schema/raw_path.h"

/* The next member of the path, without indices behind it. */
static struct slice next_member(struct slice *rest) {
        struct slice part = SLICE_EMPTY;
        size_t length = 0;

        slice_split(rest, '.', &part);
        while (length < part.len && part.ptr[length] != '[')
                length++;
        return slice_make(part.ptr, length);
}

bool schema_is_inside_raw(const struct schema_object *type, struct slice path) {
        struct slice rest = path;

        while (type && rest.len) {
                const struct schema_field *field = schema_field_find(type, next_member(&rest));

                if (!field || rest.len == 0)
                        return false;
                if (field->shape != SHAPE_ONE && field->shape != SHAPE_LIST)
                        next_member(&rest);
                if (field->type == SCHEMA_RAW && rest.len)
                        return true;
                type = schema_field_object(field);
        }
        return false;
}
