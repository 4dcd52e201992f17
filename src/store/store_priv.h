/* Inside of the store room: the ordered index and the history of one resource. */
#pragma once

#include "store/store.h"

struct store_object *store_object_new(int resource, uint64_t revision, struct slice ns,
                                      struct slice name, struct slice body);
int store_key_compare(const struct store_object *object, struct slice ns, struct slice name);

/* Sorted array cut into blocks: a search is two binary searches, an insertion moves at most one
 * block. Appending in key order fills blocks completely. */
#define STORE_BLOCK_OBJECTS 512
struct store_block {
        size_t count, cap;
        const struct store_object *items[];
};
struct store_index {
        struct store_block **blocks;
        size_t block_count, block_cap, count;
};
struct store_position { /* blocks[block]->items[at]; block == block_count at the end */
        size_t block, at;
};
void store_index_release(struct store_index *index); /* drops the references it holds */
/* First object whose key is not below (ns, name); ret_is_equal tells whether it is that key. */
struct store_position store_index_find(const struct store_index *index, struct slice ns,
                                       struct slice name, bool *ret_is_equal);
const struct store_object *store_index_at(const struct store_index *index,
                                          struct store_position position);
void store_index_advance(const struct store_index *index, struct store_position *position);
size_t store_index_rank(const struct store_index *index, struct store_position position);
/* The index takes over one reference; remove and replace hand one back. */
void store_index_insert(struct store_index *index, struct store_position position,
                        const struct store_object *object);
const struct store_object *store_index_replace(struct store_index *index,
                                               struct store_position position,
                                               const struct store_object *object);
const struct store_object *store_index_remove(struct store_index *index,
                                              struct store_position position);

/* Ring of the latest events; holds references to their objects. */
struct store_history {
        struct store_event *events;
        size_t cap /* power of two */, limit, first, count;
        size_t bytes, bytes_limit; /* of the new states that events hold */
        uint64_t compacted;
};
void store_history_release(struct store_history *history);
void store_history_add(struct store_history *history, const struct store_event *event);
void store_history_compact(struct store_history *history, uint64_t revision);
/* Number of kept events with a revision up to `revision`: where to go on from. */
size_t store_history_after(const struct store_history *history, uint64_t revision);
const struct store_event *store_history_at(const struct store_history *history, size_t at);

struct store_subscription {
        int resource;
        bool is_dead;
        void (*changed)(void *context, int resource, const struct store_event *event);
        void *context;
};
struct store_subscriptions {
        struct store_subscription **items;
        size_t count, cap;
};

struct store_resource {
        char *name;
        struct store_index index;
        struct store_history history;
        struct store_subscriptions subscriptions;
        size_t bytes;
};

struct store {
        struct store_config config;
        struct store_resource *resources;
        size_t resource_count;
        uint64_t revision;
        struct store_subscriptions subscriptions; /* to all resources */
        unsigned dispatching;
        bool has_dead;
};
