/* Look-ups in the generated field tables. */
#include "schema/schema.h"

const struct schema_object *schema_find(struct slice group, struct slice version,
                                        struct slice kind) {
        for (size_t i = 0; i < schema_root_count; i++) {
                const struct schema_root *root = &schema_roots[i];

                if (slice_is(kind, root->kind) && slice_is(group, root->group) &&
                    slice_is(version, root->version))
                        return &schema_objects[root->object];
        }
        return NULL;
}

const struct schema_object *schema_named(const char *name) {
        for (size_t i = 0; i < schema_object_count; i++) {
                if (strcmp(schema_objects[i].name, name) == 0)
                        return &schema_objects[i];
        }
        return NULL;
}

const struct schema_field *schema_field_find(const struct schema_object *object,
                                             struct slice name) {
        for (size_t i = 0; i < object->count; i++) {
                const char *candidate = object->fields[i].name;

                if (strncmp(candidate, name.ptr, name.len) == 0 && candidate[name.len] == '\0')
                        return &object->fields[i];
        }
        return NULL;
}
