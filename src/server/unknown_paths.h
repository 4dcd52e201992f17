/* Paths of unknown fields, to be reported later, and in order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct unknown_paths {
        char **paths; /* from malloc, as they are */
        size_t count, cap;
};

/* context: a struct unknown_paths. */
void unknown_paths_note(void *context, const char *path);
/* Empties it; report may be NULL. Sorted, or as they were found. */
void unknown_paths_report(struct unknown_paths *unknown, bool is_sorted,
                          void (*report)(void *context, const char *path), void *context);
