/* Parked pods by what they are and by who refused them.  Alike pods that the same plugins refused
 * are woken by a change together: whether it may help is asked once for all of them, and not at all
 * where none of these plugins listens to such changes. */
#pragma once

#include "base/map.h"
#include "model/ids.h"
#include <stdbool.h>
#include <stdint.h>

struct queued_pod;

/* All that the plugins' queueing hints may depend on; the pod's own row apart, when it changes
 * itself. */
struct alike_key {
        struct class_id class;
        struct label_set_id labels;
        struct str_id ns;
        int32_t priority;
        uint32_t alone; /* 0, or the row of a pod that is alike to no other, plus one */
};

struct parked_group {
        struct alike_key key;
        struct parked_reason *reason;
        struct queued_pod *first; /* list through next_alike */
        struct parked_group *next, *prev;
        struct parked_group *next_of_hash;
        uint64_t hash;
};
/* Refused by the same plugins of one profile. */
struct parked_reason {
        uint64_t rejectors;
        uint32_t wakes_on;
        uint8_t profile;
        bool wakes_on_any;
        struct parked_group *first;
        struct parked_reason *next, *prev;
};
struct parked_pods {
        struct parked_reason *reasons; /* none is empty */
        struct map_u64 *groups;        /* hash -> first of the groups with it */
};

void parked_pods_init(struct parked_pods *parked);
void parked_pods_release(struct parked_pods *parked);
/* Files the entry by its alike_key, profile, rejectors, wakes_on and wakes_on_any. */
void parked_pods_add(struct parked_pods *parked, struct queued_pod *entry);
void parked_pods_remove(struct parked_pods *parked, struct queued_pod *entry);
