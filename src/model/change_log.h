/* Bounded log of changes: the newest `capacity` entries in a ring.  Generations run without gaps,
 * one per entry, so an entry's place follows from its generation. */
#pragma once

#include "model/cluster.h"

struct change_log {
        struct cluster_change *ring;
        uint32_t cap, capacity, count; /* allocated, at most, in use */
        uint32_t next;                 /* where the next entry goes */
        uint64_t generation;           /* of the newest entry; 0 = none yet */
};
void change_log_init(struct change_log *log, uint32_t capacity);
void change_log_release(struct change_log *log);
/* Returns the generation of the entry. */
uint64_t change_log_add(struct change_log *log, uint32_t mask, struct node_id node,
                        struct pod_id pod);
bool change_log_since(const struct change_log *log, uint64_t generation,
                      struct change_range *ret_range);
