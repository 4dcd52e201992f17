/* Objects that the live page caches as JSON text, by kind. */
#pragma once

#include "api/json.h"
#include "base/map.h"

enum cache_kind {
        CACHE_REQUESTS,  /* EvictionRequests, of berth's group and of Kubernetes' */
        CACHE_EVICTIONS, /* likewise */
        CACHE_POLICIES,  /* EvictionPolicies */
        CACHE_HISTORY,   /* how long stages took */
        CACHE_NODES,     /* those that have a mark of a reboot, and of them what is about it */
        CACHE_LOCKS,     /* objects that hold the lock of reboots */
        CACHE_JOBS,      /* those that clean up by themselves: their uid */
        CACHE_KIND_COUNT
};

struct dashboard_cache {
        struct map *texts[CACHE_KIND_COUNT]; /* "group namespace/name" -> text from malloc */
};

/* The texts of a kind, comma-separated, in place of what out holds. */
void dashboard_cache_join(const struct dashboard_cache *cache, enum cache_kind kind,
                          struct buf *out);
/* The values of a kind as one JSON array; NULL = it could not be read. Free it after use. */
struct json_doc *dashboard_cache_list(const struct dashboard_cache *cache, enum cache_kind kind);
