/* What plugins remember from one decision to the next: counts over the cluster that are brought up
 * to date from the change log instead of being made anew.
 *
 * An entry is found by a hash over everything the counts depend on apart from nodes and pods.  It
 * stays put while a decision runs; between decisions any may go. */
#pragma once

#include "base/arena.h"
#include "model/cluster.h"

struct cycle_memory;

/* max_bytes: all entries go when they hold more. */
struct cycle_memory *cycle_memory_new(size_t max_bytes);
void cycle_memory_free(struct cycle_memory *memory); /* accepts NULL */
/* Before a decision. */
void cycle_memory_trim(struct cycle_memory *memory);

struct memory_entry {
        struct arena arena;  /* of value */
        void *value;         /* NULL: to be made from the cluster as it is */
        size_t node_count;   /* node rows when it was made */
        uint64_t generation; /* of the cluster it agrees with */
};
/* What changed since the entry was in use; runs are empty for a new one. */
struct memory_news {
        struct memory_entry *entry;
        struct change_range range;
};
/* The entry, and the changes its owner has to apply node by node; from then on it counts as up to
 * date.  Its value is NULL when it is new, when one of the changes is among breaking (CLUSTER_*
 * bits), or when there are too many.  False: nothing may be remembered, as in what-ifs (memory may
 * be NULL). */
bool cycle_memory_recall(struct cycle_memory *memory, const struct cluster *cluster, uint64_t key,
                         uint32_t breaking, struct memory_news *ret_news);
/* The nodes of the changes, one call each; some more than once. */
void memory_news_each(const struct memory_news *news, const struct cluster *cluster,
                      void (*each)(void *context, struct node_id node), void *context);
