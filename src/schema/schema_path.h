/* Paths from a schema to one below it, .a.b['c'], as rules and selectable fields have them
 * (ValidFieldPath). */
#pragma once

#include "api/json.h"
#include "base/buf.h"

struct arena;

/* The schema that the path leads to, and the path as upstream prints it: a.b[c], where keys of maps
 * stand in brackets. NULL with *ret_problem, in the arena, when it leads nowhere. has_brackets:
 * ['c'] may be written. */
const struct json *schema_path_find(const struct json *schema, struct slice path, bool has_brackets,
                                    struct arena *arena, struct buf *ret_text,
                                    const char **ret_problem);
