/* Inside the gate: what it knows of pods, and evictions that are under way. */
#pragma once

#include "base/map.h"
#include "evict/slot_ledger.h"
#include "evict/slot_pod.h"
#include "roles/slot_gate.h"

struct slot_watch;

struct slot_gate {
        struct slot_gate_config config;
        const struct cluster *cluster; /* NULL = no model */
        struct slot_ledger *ledger;
        struct slot_watch *watch; /* NULL = nobody needed it lately */
        struct map *pods;         /* uid -> struct known_pod, of those that take slots */
        struct map *held;         /* uid -> struct held_eviction */
        struct gate_request *open;
        struct loop_timer turn, look, rest;
};

/* Lets in who may begin, soon. */
void slot_gate_turn_soon(struct slot_gate *gate);

/* ---- slot_gate_pods.c: which pods take slots ---- */
/* Whether a reply to this call may tell of pods. */
bool slot_gate_may_learn(const struct slot_gate *gate, const struct api_call *call);
void slot_gate_learn(struct slot_gate *gate, struct slice body);
void slot_gate_forget_pods(struct slot_gate *gate);
/* True, and who asks but for the rank, when evicting this pod takes a slot; owner: a buffer of
 * SLOT_OWNER_MAX. */
struct slot_target { /* slices of the call */
        struct slice ns, name, uid;
        bool is_request; /* by an EvictionRequest: the pod's own responders count */
};
bool slot_gate_finds(const struct slot_gate *gate, const struct slot_target *target, char *owner,
                     struct slot_asker *ret_asker);

/* ---- slot_gate_held.c: until the pod is gone ---- */
/* is_begun: a 429 said that somebody else finishes it. */
void slot_gate_hold(struct slot_gate *gate, const struct slot_target *target, bool is_begun);
/* The timer: looks at all that are held. */
void slot_gate_look(void *context);
void slot_gate_drop_held(struct slot_gate *gate);
