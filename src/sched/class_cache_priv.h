/* Inside of a class's cache: one update, and what its files offer each other. */
#pragma once

#include "sched/class_cache.h"

/* More nodes than this share of all are cheaper taken in one pass. */
#define BULK_SHARE 16

static inline const struct profile_plugin *plugin_at(const struct cache_call *call, size_t index) {
        return &call->attempt->profile->plugins[index];
}

static inline void *filter_state(const struct cache_call *call, size_t index) {
        return call->attempt->plugins[index].filter_state;
}

static inline void *score_state(const struct cache_call *call, size_t index) {
        return attempt_score_state(call->attempt, index);
}

/* Local plugins whose answers change with the pods of the node. */
static inline bool filter_reads_pods(const struct cache_call *call, size_t index) {
        return plugin_at(call, index)->filter_scope == CACHE_SCOPE_NODE_PODS;
}

static inline bool score_reads_pods(const struct cache_call *call, size_t index) {
        return plugin_at(call, index)->score_scope == CACHE_SCOPE_NODE_PODS;
}

static inline void put_bit(struct bitset *set, size_t at, bool value) {
        if (value)
                bitset_add(set, at);
        else
                bitset_remove(set, at);
}

struct update {
        const struct cache_call *call;
        struct class_cache *cache;
        bool is_bulk;        /* users and totals are recomputed, nodes need not be marked */
        bool has_new_values; /* raw values came into use or went out of it */
};

/* Changes that leave the node itself as it was. */
#define POD_CHANGES (CLUSTER_POD_ADDED | CLUSTER_POD_REMOVED)

/* What the local plugins say of a node after changes (CLUSTER_* bits); false: too many raw values.
 */
bool cache_refresh_node(struct update *update, struct node_id node, uint32_t mask);
/* One filter's word on one node. */
bool cache_plugin_admits(const struct cache_call *call, size_t index, struct node_id node);
/* A node is about to change: it gives its raw values back. */
void cache_mark(struct update *update, size_t node);
/* Asks a filter that counts pods about the nodes its word may have changed on. */
void cache_follow_filter(const struct cache_call *call, struct counted_filter *filter);
/* Who fits, from what the plugins say. */
void cache_refit(struct update *update);
/* Raw scores of a plugin that counts pods.  False: too many values. */
bool cache_follow_score(struct update *update, struct normalized_score *score);
/* Normalised scores and totals of what changed. */
void cache_settle(struct update *update);
