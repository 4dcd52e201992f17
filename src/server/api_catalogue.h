/* Kinds by group and version, in the order in which they appear: what discovery documents are
 * written from. Names and kinds are borrowed from the registry. */
#pragma once

#include "base/arena.h"
#include "base/map.h"

struct kind_info;

struct catalogue_kind {
        const struct kind_info *kind;
        struct catalogue_kind *next;
};
struct catalogue_version {
        const char *name;
        struct catalogue_kind *first, *last;
        struct catalogue_version *next;
};
struct catalogue_group {
        const char *name;                       /* "" is the core group */
        struct catalogue_version *first, *last; /* the preferred one first */
        struct catalogue_group *next;
};
struct api_catalogue {
        struct arena arena;
        struct map *by_name; /* groups by name, versions by GROUP/VERSION */
        struct catalogue_group *first, *last;
};

/* Of all kinds there are now (kinds/kind.h). */
void catalogue_init(struct api_catalogue *catalogue);
void catalogue_release(struct api_catalogue *catalogue);
/* NULL = not known. */
const struct catalogue_group *catalogue_group(const struct api_catalogue *catalogue,
                                              struct slice group);
const struct catalogue_version *catalogue_version(const struct api_catalogue *catalogue,
                                                  struct slice group, struct slice version);
