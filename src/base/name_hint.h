/* The name that somebody may have meant who typed another one. */
#pragma once

#include "base/slice.h"
#include <stddef.h>

struct name_hint {
        struct slice typed;
        const char *best; /* NULL = none is close */
        size_t steps;     /* insertions, deletions and replacements to it */
};

struct name_hint name_hint_start(struct slice typed);
/* One of the names that would have been right; the closest stays, of equals the first. */
void name_hint_try(struct name_hint *hint, const char *name);
