/* A walk through the schema of a definition. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/buf.h"
#include "schema/field_error.h"

#define PRESERVE "x-kubernetes-preserve-unknown-fields"
#define EMBEDDED "x-kubernetes-embedded-resource"
#define INT_OR_STRING "x-kubernetes-int-or-string"
#define LIST_TYPE "x-kubernetes-list-type"
#define LIST_KEYS "x-kubernetes-list-map-keys"
#define MAP_TYPE "x-kubernetes-map-type"
#define RULES "x-kubernetes-validations"

struct structure_walk {
        struct buf path;
        struct field_errors *errors;
};
/* Both return the length to go back to. */
size_t schema_walk_in(struct structure_walk *walk, const char *member);
size_t schema_walk_key(struct structure_walk *walk, const char *member, struct slice key);
size_t schema_walk_index(struct structure_walk *walk, const char *member, size_t index);
void schema_walk_out(struct structure_walk *walk, size_t length);
/* A complaint about a member; NULL = the place itself. */
void schema_complain(struct structure_walk *walk, enum field_error_kind kind, const char *member,
                     const struct json *value, const char *detail);
/* A member that is there and true, not empty, not zero. */
bool schema_says(const struct json *schema, const char *member);
/* A member that is an object; true and false are none. */
const struct json *schema_below(const struct json *schema, const char *member);
