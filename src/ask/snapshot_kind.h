/* The kinds of objects that decisions read, and where each is stored. */
#pragma once

#include "base/slice.h"
#include "model/event.h"
#include "model/object_cache.h"
#include <stdbool.h>

struct err;
struct json;
struct snapshot;

struct snapshot_kind {
        const char *kind, *group; /* group "" = core; any version */
        const char *path;         /* of the collection; NULL = not listed */
        bool is_namespaced;
        bool is_optional;              /* a live cluster may not have it or not show it */
        bool is_usage;                 /* measurements */
        enum object_kind model;        /* OBJECT_KIND_COUNT = not in the model */
        enum cached_kind object_cache; /* CACHED_KIND_COUNT = not in the object cache */
        bool is_extra;    /* only for the costs of evictions: not reported when missing */
        const char *name; /* the only object of interest; NULL = all */
};
#define SNAPSHOT_KINDS_MAX 40

extern const struct snapshot_kind snapshot_kinds[]; /* ended by a NULL kind */
const struct snapshot_kind *snapshot_kind_find(struct slice api_version, struct slice kind);
/* Keeps one complete object. */
int snapshot_put(struct snapshot *snapshot, const struct snapshot_kind *kind,
                 const struct json *object, struct err *err);
