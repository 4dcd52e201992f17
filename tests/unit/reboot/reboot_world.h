/* A small cluster for agents: nodes, one lock object, pods; faults on demand; invariants checked at
 * every write. */
#pragma once

#include "base/rng.h"
#include "reboot/reboot_agent.h"
#include <stdbool.h>

#define WORLD_NODES_MAX 50
#define WORLD_STEPS_MAX 4096

/* What one write or order does; a patch of the node may do several things at once. */
enum world_event {
        WORLD_TAINT,
        WORLD_UNTAINT,
        WORLD_CORDON,
        WORLD_UNCORDON,
        WORLD_LOCK,   /* written with the node among its holders */
        WORLD_UNLOCK, /* ... or without */
        WORLD_EVICT,
        WORLD_REBOOT, /* ordered */
        WORLD_PHASES, /* the record enters a phase: this and the phase */
        WORLD_IDLE = WORLD_PHASES + REBOOT_IDLE,
        WORLD_WANTED = WORLD_PHASES + REBOOT_WANTED,
        WORLD_BLOCKED = WORLD_PHASES + REBOOT_BLOCKED,
        WORLD_QUEUED = WORLD_PHASES + REBOOT_QUEUED,
        WORLD_CLAIMED = WORLD_PHASES + REBOOT_CLAIMED,
        WORLD_DRAINING = WORLD_PHASES + REBOOT_DRAINING,
        WORLD_READY = WORLD_PHASES + REBOOT_READY,
        WORLD_REBOOTING = WORLD_PHASES + REBOOT_REBOOTING,
        WORLD_RELEASING = WORLD_PHASES + REBOOT_RELEASING,
        WORLD_ROLLBACK = WORLD_PHASES + REBOOT_ROLLBACK,
        WORLD_EVENT_COUNT,
        WORLD_ANYTHING = WORLD_EVENT_COUNT, /* to wait for */
        WORLD_NOTHING
};

struct world_pod {
        struct slice ns, name;
        char uid[16];
        bool is_there;
        int refusals; /* evictions still to be refused */
        int dying_s;  /* seconds it takes to go */
        struct wall_time deleted;
};

struct world_node {
        char name[24];
        struct json_tree *object;      /* NULL = deleted */
        bool is_required, clears_need; /* a reboot satisfies the sentinel */
        bool was_cordoned;             /* by an administrator, before everything */
        struct slice blocker;
        struct slice illness, aftermath; /* what health checks say before and after the uncordon */
        int boot, boots_ordered_since_ready;
        bool reboot_fails, host_hangs;
        int64_t boots_at; /* monotonic; 0 = up */
        struct world_pod pods[4];
        unsigned withdrawals; /* of what a drain asked for */
        bool copy_is_behind;  /* pods come from a copy, which shows none */
        struct slice impossible;
        struct reboot_agent *agent; /* NULL = not running */
        bool saw_sentinel;          /* this process did */
        struct reboot_config config;
        struct world *world;
        struct action_list actions;
};

struct world {
        struct world_node nodes[WORLD_NODES_MAX];
        size_t node_count;
        struct json_tree *lock_object; /* NULL = deleted */
        int64_t version;
        struct reboot_now now;
        uint32_t limit;
        bool api_is_down;
        /* In thousandths: writes that conflict, writes done whose answer is lost, reads that fail,
         * agents killed after an action. */
        unsigned conflicts, losses, read_failures, kills;
        struct rng rng;
        uint32_t steps[WORLD_STEPS_MAX]; /* bits of enum world_event, one or more a step */
        size_t step_count;               /* later ones are not noted */
        struct buf story;                /* of world_story */
        char problem[256];               /* first violation; "" = none */
        struct buf notices;
        char events[512]; /* reasons of events, the first ones */
};

void world_init(struct world *world, size_t node_count, uint32_t limit);
void world_release(struct world *world);
void world_start(struct world *world, size_t index); /* the agent's process */
void world_kill(struct world *world, size_t index);
/* Runs all agents for so long. */
void world_run(struct world *world, int64_t seconds);
/* Until it happens, at most so long; then true at once, before anything else happens. */
bool world_run_until(struct world *world, enum world_event event, int64_t seconds);
unsigned world_count(const struct world *world, enum world_event event);
/* All steps so far, a line each: "cordon, Draining"; the same again and again is one line, "evict,
 * 12 times".  Valid until asked again. */
const char *world_story(struct world *world);
struct slice world_annotation(const struct world *world, size_t index, const char *key);
struct slice world_lock(const struct world *world); /* "" = none */
void world_set_lock(struct world *world, const char *text);
bool world_is_cordoned(const struct world *world, size_t index);
bool world_has_taint(const struct world *world, size_t index);
/* Nothing cordoned by us, no taint, no record, no lock. */
bool world_is_clean(const struct world *world);
