/* Inside of the store room: the ordered index and the history of one resource. */
#pragma once

#include "store/store.h"
#include "store/store_form.h"

/* Buffers with the bodies of packed objects put together last; there as long as a base is. */
struct store_text {
        const struct store_object *object; /* NULL = none */
        char *text;
        size_t cap;
};
struct store_texts {
        size_t refs, next;
        struct store_text items[STORE_TEXTS];
};
void store_texts_unref(struct store_texts *texts);
void store_texts_forget(struct store_texts *texts, const struct store_object *object);

/* A body that others are stored as differences to (store_pack.c). */
struct store_base {
        struct store_texts *texts;
        uint32_t refs, size;
        struct store_form form;
        char text[];
};
void store_base_unref(struct store_base *base); /* accepts NULL */

#define STORE_PACK_SLOTS 256
struct store_slot {
        struct store_base *base; /* NULL = none yet */
        uint16_t *table;         /* finds text in the base */
        uint8_t misses;          /* bodies in a row that did not resemble the base */
        bool is_seen;
};
/* The bases that objects of one resource are packed with now. */
struct store_packer {
        struct store_texts *texts;
        struct store_slot slots[STORE_PACK_SLOTS], *latest;
        char *out;
};
struct store_packer *store_packer_new(struct store_texts *texts);
void store_packer_free(struct store_packer *packer); /* accepts NULL */
struct store_packed {
        struct store_base *base; /* borrowed */
        struct slice difference; /* valid until the next call */
};
/* False when the body is better stored whole. */
bool store_pack(struct store_packer *packer, const struct store_record *record,
                struct store_packed *ret_packed);

/* A new object with the next or a loaded revision, packed if it resembles others. */
struct store_object *store_object_new(struct store *store, int resource, uint64_t revision,
                                      struct slice ns, struct slice name, struct slice body);
size_t store_object_bytes(const struct store_object *object); /* of memory, without its base */

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
/* First object whose key is not below (ns, name); ret_is_equal: whether it is that key. */
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
/* Number of stored events with a revision up to `revision`: the position to continue from. */
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
        struct store_packer *packer;
        size_t bytes;
};

struct store {
        struct store_config config;
        struct store_resource **resources; /* each stays where it is */
        size_t resource_count;
        uint64_t revision;
        struct store_texts *texts;
        struct store_subscriptions subscriptions; /* to all resources */
        unsigned dispatching;
        bool has_dead;
};
