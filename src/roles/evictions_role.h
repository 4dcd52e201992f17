/* The EvictionRequest API's controller and imperative responder as a role of a process: finds out
 * which form of the API there is, follows its objects, and carries out what the reconciler decides.
 * The runtime's model has to follow pods, finished ones too, and budgets: EVICTIONS_KINDS, with
 * keeps_finished and keeps_evictions. */
#pragma once

#include "evict/eviction_reconciler.h"
#include "loop/runtime.h"

struct metrics;

enum evictions_mode {
        EVICTIONS_AUTO, /* native where served, own controller unless another one reconciles */
        EVICTIONS_CRD,  /* our own kinds */
        EVICTIONS_NATIVE_OWN,     /* served, reconciled by us */
        EVICTIONS_NATIVE_FOREIGN, /* served, reconciled by another controller */
};

/* The kinds a model for this role alone follows, and those it can do without. */
#define EVICTIONS_KINDS (1u << OBJECT_POD | 1u << OBJECT_BUDGET)
#define EVICTIONS_SPARE_KINDS (1u << OBJECT_BUDGET)

#define EVICTIONS_TAKE_OVER_NS (30 * NS_PER_S)

struct evictions_role_config {
        enum evictions_mode mode;
        bool has_no_evictor;           /* leaves the imperative responder to another program */
        bool keeps_definitions;        /* does not create missing CustomResourceDefinitions */
        bool has_slots, slots_for_all; /* evictions wait for slots: slow ones, or all */
        struct eviction_slot_limits slots;
        bool may_delete;            /* pods at a request's deadline, where their policy says so */
        const char *hook_directory; /* programs of exec hooks; NULL = none is run */
        struct audit_chain chain;   /* where the audit log continues */
        bool verifies_users;        /* finds out whether admission keeps who writes requests */
        bool anchors_audit;         /* keeps the chain's head in a ConfigMap, too */
        /* Gets every audit line with its newline, before the effect it announces. May be NULL. */
        void (*audit)(void *context, struct slice line);
        /* Whether all lines are where they stay. While they are not, effects wait, for
         * evictions_role_recorded. NULL = always. */
        bool (*is_recorded)(void *context);
        /* In place of calls over the network; answers come through evictions_role_answer. NULL =
         * real ones. */
        void (*start_hook)(void *context, const struct eviction_effect *effect);
        void (*stop_hook)(void *context, uint64_t id);
        bool watches_always;     /* also while it may not act, for its webhook */
        struct metrics *metrics; /* where it counts; NULL = not counted */
        /* Whether effects may be carried out: false as soon as another process may hold the Lease.
         * NULL = always. */
        bool (*may_act)(void *context);
        void *context;
};

struct evictions_role_stats {
        struct eviction_reconciler_stats reconciler;
        const char *group; /* NULL until it is known */
        bool is_reconciling, has_stepped_down;
        uint64_t skipped; /* objects that could not be read */
};

struct evictions_role;
struct evictions_role *evictions_role_add(struct runtime *runtime,
                                          const struct evictions_role_config *config);
void evictions_role_answer(struct evictions_role *role,
                           const struct eviction_effect_result *result);
/* All audit lines are recorded now. */
void evictions_role_recorded(struct evictions_role *role);
void evictions_role_stats(const struct evictions_role *role,
                          struct evictions_role_stats *ret_stats);
