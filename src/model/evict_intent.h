/* What a role hands to the eviction service: one pod that should go, and who wants it, why.  The
 * deciders do not know each other, so the service reaches them as this small table of functions. */
#pragma once

#include "model/action.h"
#include <stdbool.h>
#include <stdint.h>

enum evict_outcome {
        EVICT_DONE,            /* asked for (or would be, in dry run) */
        EVICT_NODE_LIMIT,      /* maxNoOfPodsToEvictPerNode reached */
        EVICT_NAMESPACE_LIMIT, /* maxNoOfPodsToEvictPerNamespace reached */
        EVICT_TOTAL_LIMIT,     /* maxNoOfPodsToEvictTotal reached */
        EVICT_BUDGET,          /* a disruption budget has nothing left for this pod */
        EVICT_REPEATED,        /* already asked for and not yet gone */
        EVICT_FAILED,          /* refused before sending (no uid) */
        EVICT_HELD,            /* asked for, and not evicted: what is to prepare the pod holds it */
        EVICT_NOT_BETTER,      /* not asked for: the pod would come straight back, or wait */
};

/* What is wanted of the service. */
enum evict_way {
        EVICT_WAY_EVICT,  /* through the eviction API, within budgets */
        EVICT_WAY_DELETE, /* a finished pod: delete the object */
        EVICT_WAY_REPORT, /* only leave a record; counts against no limit */
        /* Write an EvictionRequest: done once it is written, what follows is the asker's. */
        EVICT_WAY_REQUEST,
        /* Preempted by a pod of higher priority: deleted at once, whatever budgets, limits and
         * slots say. Not through a sink: see evict_requester_call. */
        EVICT_WAY_PREEMPT,
};

/* Caps of one requester during one pass; those without has_ are unlimited, 0 forbids all. */
struct evict_limits {
        bool has_total, has_node, has_namespace;
        uint32_t total, node, ns;
};

/* Slices are read during the call only. */
struct evict_intent {
        struct object_ref pod;        /* kind is ignored */
        struct slice node;            /* "" = unassigned: no node limit */
        struct slice plugin, profile; /* the rule */
        struct slice reason;          /* free text, "" = the rule's name says enough */
        struct slice requested_by;    /* such as sigs.k8s.io/descheduler */
        bool has_grace;
        int64_t grace_s;
        bool is_dry_run;  /* count and record, send nothing */
        bool is_finished; /* the pod is known to have finished */
        enum evict_way way;
};

struct evict_pass {
        struct evict_limits limits;
        struct wall_time now;
        bool notes_failures; /* Warning events for evictions refused or failed */
        /* Goes on with the limits of the pass before, what waits for another try included: a pass
         * between two regular ones, started by an event. */
        bool continues;
        bool keeps_budgets; /* what was taken of them in the pass before is gone for this one, too
                             */
        /* Nothing is wanted any more: EvictionRequests that are open are withdrawn, too. */
        bool withdraws;
};

struct evict_sink {
        void *context;
        /* Starts a pass of a requester: its counts begin at zero again, and what it asked for
         * earlier and waits for another try is withdrawn (it asks again if the reason holds). */
        void (*begin_pass)(void *context, const struct evict_pass *pass);
        enum evict_outcome (*ask)(void *context, const struct evict_intent *intent);
};
