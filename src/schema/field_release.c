/* Looks fields up by the version that brought them. */
#include "schema/field_release.h"

#include <stdlib.h>
#include <string.h>

struct wanted_field {
        const char *object, *field;
};

static int compare_fields(const void *key, const void *row) {
        const struct wanted_field *wanted = key;
        const struct field_release *release = row;
        int order = strcmp(wanted->object, release->object);

        return order ? order : strcmp(wanted->field, release->field);
}

enum field_standing field_standing_in(const struct schema_object *object,
                                      const struct schema_field *field, unsigned minor) {
        struct wanted_field wanted = { object->name, field->name };

        if (!object->name)
                return FIELD_SERVED;
        const struct field_release *release = bsearch(&wanted, field_releases, field_release_count,
                                                      sizeof(field_releases[0]), compare_fields);
        if (!release || minor >= release->served)
                return FIELD_SERVED;
        return minor < release->known ? FIELD_UNKNOWN : FIELD_DROPPED;
}
