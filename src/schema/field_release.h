/* Since which minor version of Kubernetes a kube-apiserver takes a field: before it, the field is
 * unknown, or known and dropped because its feature gate is off. Fields that 1.28 takes are not
 * listed, nor are those of types that are as old as they. The table is generated
 * (scripts/gen_field_releases.py). A gate that 1.36 has off by default counts as on. */
#pragma once

#include "schema/schema.h"

struct field_release {
        const char *object, *field;
        uint8_t known, served; /* 1.N; known 0 = always */
};
/* Sorted by object and field. */
extern const struct field_release field_releases[];
extern const size_t field_release_count;
#define FIELD_RELEASE_NEWEST 36 /* the last one that brought fields */

enum field_standing { FIELD_SERVED, FIELD_DROPPED, FIELD_UNKNOWN };
enum field_standing field_standing_in(const struct schema_object *object,
                                      const struct schema_field *field, unsigned minor);
/* minor: 1.N; 0 = a server that takes every field. */
static inline enum field_standing field_standing(const struct schema_object *object,
                                                 const struct schema_field *field, unsigned minor) {
        return minor == 0 || minor >= FIELD_RELEASE_NEWEST
                       ? FIELD_SERVED
                       : field_standing_in(object, field, minor);
}
