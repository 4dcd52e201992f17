/* What types and fields of the API are for, as kubectl explain prints it. The table is made of
 * descriptions.txt when the program is built. */
#pragma once

#include <stddef.h>

struct schema_description {
        const char *type;  /* "core.v1.Pod"; "*Condition" for all types that end so */
        const char *field; /* "" = the type itself */
        const char *text;
};
extern const struct schema_description schema_descriptions[]; /* by type, then field */
extern const size_t schema_description_count;

#define SCHEMA_ROOT_TYPE "root" /* holds what is said of apiVersion and kind */

/* The text for a type ("" as the field) or one of its fields; the row whose type fits most exactly
 * counts. NULL when there is none. */
const char *schema_description_find(const char *type, const char *field);
