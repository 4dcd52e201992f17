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

bool schema_is_root(const struct schema_object *type) {
        for (size_t i = 0; i < schema_root_count; i++)
                if (&schema_objects[schema_roots[i].object] == type)
                        return true;
        return false;
}

const struct schema_object *schema_named(const char *name) {
        for (size_t i = 0; i < schema_object_count; i++) {
                if (strcmp(schema_objects[i].name, name) == 0)
                        return &schema_objects[i];
        }
        return NULL;
}

static int schema_name_order(const char *name, struct slice wanted) {
        return slice_compare(slice_of(name), wanted);
}

static const struct schema_field *schema_find_sorted(const struct schema_object *object,
                                                     struct slice name) {
        size_t low = 0, high = object->count;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                int order = schema_name_order(object->fields[middle].name, name);

                if (order == 0)
                        return &object->fields[middle];
                if (order < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return NULL;
}

static bool has_name(const struct schema_field *field, struct slice name) {
        return name.len && field->name[0] == name.ptr[0] &&
               strncmp(field->name, name.ptr, name.len) == 0 && field->name[name.len] == '\0';
}

const struct schema_field *schema_field_near(const struct schema_object *object, struct slice name,
                                             size_t *place) {
        if (object->is_sorted)
                return schema_find_sorted(object, name);
        for (size_t i = 0, at = *place; i < object->count; i++, at++) {
                if (at >= object->count)
                        at = 0;
                if (!has_name(&object->fields[at], name))
                        continue;
                *place = at + 1;
                return &object->fields[at];
        }
        return NULL;
}

const struct schema_field *schema_field_find(const struct schema_object *object,
                                             struct slice name) {
        size_t place = 0;

        return schema_field_near(object, name, &place);
}
