/* Where the data of persistent volumes are: a row for each kind of source. */
#pragma once

#include "kinds/rules.h"

#define VOLUME_PARTITION_TEXT "must be between 1 and 255, inclusive"

struct volume_source {
        const char *member;
        const char *shown_as; /* in paths; NULL = as the member */
        const struct rule *rules;
};
/* In the order in which they are looked at. */
extern const struct volume_source volume_sources[];
extern const size_t volume_source_count;
