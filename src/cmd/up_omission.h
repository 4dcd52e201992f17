/* Objects of an input that were not loaded, counted by cause and kind. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

enum up_omission_cause {
        OMITTED_UNSERVED, /* the embedded cluster knows no such kind */
        OMITTED_EXISTING, /* it has one of its own */
        OMITTED_WEBHOOK,  /* would call the cluster that the input was taken from */
        OMITTED_REFUSED,  /* its API server says no */
        OMITTED_CAUSE_COUNT
};

struct up_omissions {
        struct arena arena;
        size_t count, cap;
        struct up_omission *items;
};

void up_omissions_init(struct up_omissions *omissions);
void up_omissions_release(struct up_omissions *omissions);
/* text tells about this one; the first of each cause and kind is kept. */
void up_omissions_add(struct up_omissions *omissions, enum up_omission_cause cause,
                      struct slice api_version, struct slice kind, const char *text);
/* Whether some of this cause and kind were added. */
bool up_omissions_has(const struct up_omissions *omissions, enum up_omission_cause cause,
                      struct slice api_version, struct slice kind);
/* A line for each cause. */
void up_omissions_print(const struct up_omissions *omissions, struct buf *out);
