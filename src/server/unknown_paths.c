/* Paths of unknown fields. */
#include "server/unknown_paths.h"

#include "base/slice.h"
#include "base/util.h"
#include <stdlib.h>
#include <string.h>

void unknown_paths_note(void *context, const char *path) {
        struct unknown_paths *unknown = context;

        if (unknown->count == unknown->cap) {
                unknown->cap = unknown->cap ? 2 * unknown->cap : 8;
                unknown->paths =
                        xreallocarray(unknown->paths, unknown->cap, sizeof(*unknown->paths));
        }
        unknown->paths[unknown->count++] = slice_dup(slice_of(path));
}

static int compare_paths(const void *a, const void *b) {
        return strcmp(*(char *const *)a, *(char *const *)b);
}

void unknown_paths_report(struct unknown_paths *unknown, bool is_sorted,
                          void (*report)(void *context, const char *path), void *context) {
        if (is_sorted && unknown->count > 1)
                qsort(unknown->paths, unknown->count, sizeof(*unknown->paths), compare_paths);
        for (size_t i = 0; i < unknown->count; i++) {
                if (report)
                        report(context, unknown->paths[i]);
                free(unknown->paths[i]);
        }
        free(unknown->paths);
        *unknown = (struct unknown_paths){ 0 };
}
