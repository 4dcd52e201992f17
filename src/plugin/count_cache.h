/* Counts over the cluster that plugins cache from one decision to the next: they are updated from
 * the change log instead of being counted again.
 *
 * An entry is found by a hash over everything the counts depend on apart from nodes and pods.  It
 * stays put while a decision runs; between decisions any may go. */
#pragma once

#include "base/arena.h"
#include "model/cluster.h"
#include "rules/domain_sums.h"

struct count_cache;

struct node_list { /* owned */
        struct node_id *items;
        size_t count, cap;
};
/* Makes it the nodes a what-if touched; empty outside of what-ifs. */
void node_list_set_touched(struct node_list *list, const struct cluster *cluster);
void node_list_release(struct node_list *list);

/* max_bytes: entries go when they hold more. */
struct count_cache *count_cache_new(size_t max_bytes);
void count_cache_limit(struct count_cache *cache, size_t max_bytes);
void count_cache_free(struct count_cache *cache); /* accepts NULL */
/* Between decisions: all counts go. */
void count_cache_clear(struct count_cache *cache);
/* Before a decision: frees memory and drops what no longer holds. */
void count_cache_begin(struct count_cache *cache, const struct cluster *cluster);
/* Topologies of the cluster as it is. */
struct topologies *count_cache_topologies(struct count_cache *cache);

struct count_entry {
        struct arena arena; /* of value */
        void *value;        /* NULL: to be made from the cluster as it is */
        size_t node_count;  /* node rows when it was made */
        uint64_t key;
        uint64_t epoch;             /* of value: another number for another one, never 0 */
        uint64_t generation;        /* of the cluster it agrees with ... */
        struct node_list as_if;     /* ... but for nodes that are as a what-if had them */
        struct node_list was_as_if; /* those at the use before */
        struct domain_news news;    /* what changed lately; its version is the value's */
};
/* What changed since the entry was in use; runs are empty for a new one. */
struct count_updates {
        struct count_entry *entry;
        struct change_range range;
};
/* The entry, and the changes its owner has to apply node by node; from then on it counts as up to
 * date.  Its value is NULL when it is new, when one of the changes is among breaking (CLUSTER_*
 * bits), or when there are too many.  Inside a what-if the value becomes as the what-if has it; the
 * next call, inside or outside of one, brings these nodes up to date again.  A value in use since
 * the cluster last changed stays.  False: nothing is remembered (cache is NULL). */
bool count_cache_recall(struct count_cache *cache, const struct cluster *cluster, uint64_t key,
                        uint32_t breaking, struct count_updates *ret_news);
/* The nodes of the changes, one call each; those of what-ifs perhaps more
 * than once. */
void count_updates_each(const struct count_updates *news, const struct cluster *cluster,
                        void (*each)(void *context, struct node_id node), void *context);
size_t count_cache_bytes(const struct count_cache *cache);
