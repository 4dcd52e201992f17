/* Evictions under way, and those that are over, for the live page: by pod, who asked and what
 * became of it. */
#pragma once

#include "base/buf.h"
#include "base/time.h"

struct cluster;
struct dashboard_cache;
struct eviction_costs;

#define EVICTIONS_SHOWN 200 /* of a document, unless the query says otherwise */

struct eviction_document {
        const struct dashboard_cache *cache;
        const struct cluster *cluster;
        const struct eviction_costs *costs;
        struct wall_time now;
};

/* The members "found", "open" and "pods": those under way first, then the latest ones. Parameters
 * of the query: namespace and name of a pod, which is there whatever is known of it; find (part of
 * "namespace/name" or of a requester); count. */
void eviction_document_write(const struct eviction_document *document, struct slice query,
                             struct buf *out);
