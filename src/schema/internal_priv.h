/* The table behind schema/internal_form.h, which scripts/gen_internal.py writes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum internal_zero { /* how a member is printed that is absent */
                     INTERNAL_NULL,
                     INTERNAL_TEXT,
                     INTERNAL_NUMBER,
                     INTERNAL_FALSE,
                     INTERNAL_QUANTITY,
                     INTERNAL_DURATION,
                     INTERNAL_OBJECT, /* with the absent members of its type */
                     INTERNAL_INLINE, /* its members stand among those of the type */
};
struct internal_member {
        const char *name; /* of Go */
        int16_t field;    /* place among the fields of the versioned type; -1 = never set */
        uint8_t zero;     /* enum internal_zero */
        bool is_parents;  /* the versioned field is one of the object above */
};
struct internal_type {
        uint16_t object;       /* index in schema_objects; sorted by it */
        uint16_t first, count; /* in internal_members */
};
extern const struct internal_member internal_members[];
extern const struct internal_type internal_types[];
extern const size_t internal_type_count;
