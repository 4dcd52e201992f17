/* Indexes for controllers: objects by owner, pods by namespace and by node. Updated with every
 * change of the store, before any controller gets it.
 *
 * Every pod has an entry, and so has every other object with owner references. An entry always
 * holds the present state of its object; it outlives it until the next sweep. */
#pragma once

#include "api/selector.h"
#include "base/interner.h"
#include "base/slice.h"
#include "base/time.h"
#include "store/store.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct change;
struct object_entry;
struct object_index;
struct control_resources;

enum entry_phase { PHASE_PENDING, PHASE_RUNNING, PHASE_SUCCEEDED, PHASE_FAILED, PHASE_UNKNOWN };

/* Doubly linked list of entries, in the order they came. */
struct entry_list {
        struct entry_link *first, *last;
        size_t count;
};
struct entry_link {
        struct object_entry *entry;
        struct entry_list *list;
        struct entry_link *before, *after;
};

/* Objects that name one owner. */
struct owner {
        struct entry_list dependents;
        bool is_alive; /* an object with this uid exists, or its kind is unknown */
        char uid[];
};

/* Facts of a pod that are asked for all the time. */
struct pod_facts {
        struct entry_link ns_link, node_link; /* list NULL when in none */
        struct wall_time ready_since;         /* unset while not ready */
        size_t label_count;
        struct str_id *labels; /* pairs: key, value */
        uint8_t phase;         /* enum entry_phase */
        bool is_ready, is_deleted /* deletionTimestamp is set */, is_bound;
        bool is_at_rest; /* the kubelet plans nothing for it */
        bool is_lost;    /* its node was rebooted under it */
};

struct object_entry {
        const struct store_object *object; /* referenced */
        struct owner *controller;          /* NULL = none */
        uint32_t link_count;
        struct entry_link *links; /* one per owner */
        struct pod_facts *pod;    /* NULL when it is no pod */
};

struct object_index *object_index_new(struct store *store, const struct control_resources *table,
                                      int pods);
void object_index_free(struct object_index *index); /* accepts NULL */
void object_index_change(struct object_index *index, struct change *change);
/* Frees the entries of deleted objects; until then they say is_deleted and are in no list. */
void object_index_sweep(struct object_index *index);

/* NULL when the object is absent or has no entry. */
struct object_entry *object_index_find(const struct object_index *index, int resource,
                                       struct slice ns, struct slice name);
/* Objects that name this uid as an owner; NULL when none ever did. */
const struct entry_list *object_index_dependents(const struct object_index *index,
                                                 struct slice uid);
struct owner *object_index_owner(const struct object_index *index, struct slice uid);
/* Pods of a namespace with (or without) a controller; pods bound to a node. NULL = none. */
const struct entry_list *object_index_pods(const struct object_index *index, struct slice ns,
                                           bool has_controller);
const struct entry_list *object_index_pods_on(const struct object_index *index, struct slice node);
bool pod_entry_matches(const struct object_index *index, const struct object_entry *entry,
                       const struct selector *selector);
/* Value of a label; empty when absent. */
struct slice pod_entry_label(const struct object_index *index, const struct object_entry *entry,
                             struct slice key);
