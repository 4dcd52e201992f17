/* What slots need of a pod, read from an object or from the model. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "evict/slot_ledger.h"
#include "model/cluster.h"

#define SLOT_OWNER_MAX 600

struct slot_pod {
        struct slice ns, name, uid, node, owner; /* owner: Kind/name */
        bool is_slow; /* an eviction call only starts its eviction, or it is a virtual machine */
        bool has_responders; /* of its own; not known of pods of the model */
        bool is_moving;      /* another program evicts it in the background */
        bool is_evicted;     /* being deleted: the subresource accepted it */
        bool is_leaving;     /* being deleted, for any reason */
        bool is_finished;    /* nothing runs any more */
};
/* Texts live as long as object and arena.  INVALID when it has no name or uid. */
int slot_pod_decode(const struct json *object, struct arena *arena, struct slot_pod *ret_pod,
                    struct err *err);
/* Texts live as long as the row and the buffer of SLOT_OWNER_MAX. */
void slot_pod_of_row(const struct cluster *cluster, struct pod_id pod, char *owner,
                     struct slot_pod *ret_pod);
/* Whether its eviction was asked for and is under way, and takes a slot. */
bool slot_pod_holds(const struct slot_pod *pod, bool for_all);
struct eviction_slot_holder slot_pod_holder(const struct slot_pod *pod);

/* Shows the ledger what the model has of evictions under way, in place of what it showed before. */
void slot_pods_see_model(struct slot_ledger *ledger, const struct cluster *cluster, bool for_all);
