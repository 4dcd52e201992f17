/* The controller of the EvictionRequest API and its imperative responder, as a step function:
 * objects and outcomes of effects go in, effects come out.
 *
 * What it must not forget is in the objects themselves; a new reconciler that is fed the same
 * objects goes on where the old one stopped.  Every effect names the version it was decided on or
 * an object that can exist once only, so that a late or repeated one changes nothing.  Times that
 * decide (silence, back-off) are monotonic from when a change was seen. */
#pragma once

#include "base/arena.h"
#include "evict/audit_chain.h"
#include "evict/eviction_request.h"
#include "evict/eviction_slots.h"
#include "model/cluster.h"

#define EVICTION_GROUP_OWN "lifecycle.berth.dev"
#define EVICTION_GROUP_NATIVE "lifecycle.k8s.io"
#define EVICTION_VERSION "v1alpha1"
#define EVICTION_RESPONDERS_KEY POD_RESPONDERS_KEY
#define EVICTION_MANAGER "berth-evictions"
/* Of the descheduler's interim protocol: set while the eviction goes on in the background. */
#define EVICTION_MOVING_KEY "descheduler.alpha.kubernetes.io/eviction-in-progress"
#define EVICTION_STARTS_KEY "descheduler.alpha.kubernetes.io/request-evict-only"
#define EVICTION_MOVING_TEXT "Eviction triggered evacuation" /* in a 429: it has begun */
/* KubeVirt's launcher pods get a responder of their own, which has the VM migrated. */
#define EVICTION_VM_MOVER "kubevirt.lifecycle.berth.dev/live-migrate"
#define EVICTION_PRIORITY_VM_MOVER 10000
/* Requesters of our own are names in this domain; only their requests are withdrawn for them. */
#define EVICTION_DOMAIN_OWN "berth.dev"
#define EVICTION_REQUESTER_LABEL "berth.dev/requested-by"    /* label of requests of berth's */
#define EVICTION_DEADLINE_KEY "lifecycle.berth.dev/deadline" /* annotation of a request */

#define EVICTION_GONE_WAIT_NS (5 * NS_PER_S) /* for the last report, after the pod went */
#define EVICTION_BEAT_NS (150 * NS_PER_S)    /* of the evictor; at least every three minutes */
#define EVICTION_TRY_FIRST_NS (5 * NS_PER_S)
#define EVICTION_TRY_MAX_NS (600 * NS_PER_S)
#define EVICTION_AGAIN_FIRST_NS (30 * NS_PER_S) /* next Eviction after NoFurtherResponder */
#define EVICTION_AGAIN_MAX_NS (1800 * NS_PER_S)

/* What is looked at of a pod. */
struct eviction_pod {
        struct pod_id id; /* in the model */
        struct slice ns, name, uid, node;
        bool is_finished, is_terminating, is_pending;
        bool is_daemon, is_mirror; /* are not evicted through the subresource */
        bool has_group;            /* of gang scheduling: not supported by the API */
        struct wall_time deleted;  /* deletionTimestamp */
        struct slice responders;   /* "name=priority,...", of the spec or the annotation */
        struct slice owner;        /* Kind/name of its controller; empty = none */
        struct label_list labels;
        bool is_ready;
        bool is_background; /* an eviction call only starts its eviction: EVICTION_STARTS_KEY */
        bool is_moving;     /* another program evicts it in the background: EVICTION_MOVING_KEY */
        bool is_evicted;    /* being deleted: the eviction subresource accepted it */
};
/* Slices point into the model and arena. */
void eviction_pod_read(const struct cluster *cluster, struct pod_id id, struct arena *arena,
                       struct eviction_pod *ret_pod);
/* Slices point into object and arena.  INVALID when it has no name or uid. */
int eviction_pod_decode(const struct json *object, struct arena *arena,
                        struct eviction_pod *ret_pod, struct err *err);

enum eviction_effect_kind {
        EVICTION_CREATE,        /* POST an Eviction */
        EVICTION_PATCH_META,    /* merge patch of an Eviction: labels and owners */
        EVICTION_PATCH_STATUS,  /* merge patch of an Eviction's status */
        EVICTION_PATCH_REQUEST, /* merge patch of an EvictionRequest's status */
        EVICTION_WITHDRAW,      /* merge patch of an EvictionRequest's intent */
        EVICTION_TIDY,          /* DELETE an EvictionRequest that its requester left behind */
        EVICTION_EVICT_POD,     /* POST pods/eviction */
        EVICTION_READ_POD,      /* GET the pod: give the reply to put_pod, or report it absent */
        EVICTION_DELETE_POD,    /* DELETE the pod, with the uid as precondition */
        EVICTION_CANCEL_MOVE,   /* of a KubeVirt VM (name): PUT evacuate/cancel; body: JSON patch */
        EVICTION_HOOK,          /* a call of a hook, see call */
        EVICTION_STOP_HOOK,     /* cuts the call of that id short; has no outcome of its own */
        EVICTION_AUDIT,         /* a line for the audit log; has no outcome */
        EVICTION_EFFECT_COUNT
};
const char *eviction_effect_name(enum eviction_effect_kind kind); /* "create" */

struct eviction_call {
        bool is_exec, is_get;
        struct slice url, secret; /* secret: name of a Secret in ns; empty = none */
        struct slice command;     /* a file of the hook directory */
        int64_t timeout_ns;
};

struct eviction_effect {
        enum eviction_effect_kind kind;
        uint64_t id;
        struct slice ns, name, uid, body; /* uid: with calls that end the pod, the pod's */
        struct slice requester;           /* of those calls */
        struct audit_record audit;        /* EVICTION_AUDIT */
        struct eviction_call call;        /* EVICTION_HOOK, with body */
};
struct eviction_effects { /* everything lives in the arena until cleared */
        struct arena arena;
        struct eviction_effect *items;
        size_t count, cap;
};
void eviction_effects_init(struct eviction_effects *effects);
void eviction_effects_release(struct eviction_effects *effects);
void eviction_effects_clear(struct eviction_effects *effects);

struct eviction_effect_result {
        uint64_t id;
        int code;          /* BERTH_OK or BERTH_ERR_* */
        int retry_after_s; /* -1 = none */
        struct slice text; /* of the error */
        /* The object as it is now: Eviction, EvictionRequest or, for EVICTION_READ_POD, the pod;
         * NULL when there is none. */
        const struct json *object;
        /* Of EVICTION_HOOK: status (0 = no answer) and the answer as object, or the exit code with
         * the last line of output as text. */
        int http, exit_code;
        bool is_exec;
};

struct eviction_history;

struct eviction_reconciler_config {
        /* Pods and budgets, borrowed; keeps_evictions and keeps_finished. */
        const struct cluster *cluster;
        struct eviction_history *history; /* of stages, borrowed; NULL = nothing is expected */
        const char *group;                /* of the kinds; NULL = EVICTION_GROUP_OWN */
        bool is_controller;               /* writes conditions, creates Evictions */
        bool is_evictor;                  /* is the imperative responder */
        bool leads_stages;                /* is the responder that carries out EvictionPolicies */
        bool has_slots;                   /* evictions wait for slots */
        bool slots_for_all;               /* those that are only a call of the subresource, too */
        struct eviction_slot_limits slots;
        /* Beside a reconciler of another group, after an upgrade: finishes takes on only requests
         * that were looked at before; a pod that is_taken is left to the other one. */
        bool finishes;
        bool (*is_taken)(void *context, struct slice uid); /* may be NULL */
        void *context;
        uint64_t first_id; /* of effects */
        bool may_delete;   /* deletes pods at a request's deadline where the policy says so */
};

struct eviction_now {
        struct wall_time wall;
        struct mono_time mono;
};

struct eviction_reconciler;
struct eviction_reconciler *eviction_reconciler_new(
        const struct eviction_reconciler_config *config);
void eviction_reconciler_free(struct eviction_reconciler *reconciler); /* accepts NULL */

/* Takes over from another controller, or leaves the field to one. */
void eviction_reconciler_set_controller(struct eviction_reconciler *reconciler, bool is_controller);

/* Whether the annotation EVICTION_USER_KEY is what the API server says: only then the audit log has
 * it. */
void eviction_reconciler_trust_users(struct eviction_reconciler *reconciler, bool trusts_users);

/* Events of watches. Objects are copied; an older version of a known object is ignored. */
int eviction_reconciler_put_request(struct eviction_reconciler *reconciler,
                                    const struct json *object, struct err *err);
int eviction_reconciler_put_eviction(struct eviction_reconciler *reconciler,
                                     const struct json *object, struct err *err);
/* Takes one that cannot be read too: it holds the pods that it selects. */
int eviction_reconciler_put_policy(struct eviction_reconciler *reconciler,
                                   const struct json *object, struct err *err);
struct eviction_policy;
/* Of all policies, those that cannot be read too; *at begins with 0, NULL = there are no more. */
const struct eviction_policy *eviction_reconciler_next_policy(
        const struct eviction_reconciler *reconciler, size_t *at);
/* Whether a policy was put, or news are expected, since this was asked last. */
void eviction_reconciler_expect_policy_news(struct eviction_reconciler *reconciler);
bool eviction_reconciler_take_policy_news(struct eviction_reconciler *reconciler);
/* A VirtualMachineInstanceMigration of KubeVirt: reported as progress of its VM's pod; it takes a
 * slot while it runs. */
void eviction_reconciler_put_migration(struct eviction_reconciler *reconciler,
                                       const struct json *object);
void eviction_reconciler_remove_migration(struct eviction_reconciler *reconciler, struct slice ns,
                                          struct slice name);
void eviction_reconciler_remove_policy(struct eviction_reconciler *reconciler, struct slice ns,
                                       struct slice name, struct slice uid);
/* uid empty = whatever has the name. */
void eviction_reconciler_remove_request(struct eviction_reconciler *reconciler, struct slice ns,
                                        struct slice name, struct slice uid);
void eviction_reconciler_remove_eviction(struct eviction_reconciler *reconciler, struct slice ns,
                                         struct slice name, struct slice uid);

/* What the model has taken.  gone_uid: of the pod that was removed; empty = it was put. */
void eviction_reconciler_pod_changed(struct eviction_reconciler *reconciler, struct slice ns,
                                     struct slice name, struct slice gone_uid);
/* What a PodDisruptionBudget refused is tried again when it opens, before its pause is over; and
 * when it is about to leave the model. */
void eviction_reconciler_budget_changed(struct eviction_reconciler *reconciler, struct slice ns,
                                        struct slice name);
void eviction_reconciler_budget_leaves(struct eviction_reconciler *reconciler, struct slice ns,
                                       struct slice name);

/* Appends what is to be done now. */
void eviction_reconciler_step(struct eviction_reconciler *reconciler, struct eviction_now now,
                              struct eviction_effects *out);
/* Follow with a step. */
void eviction_reconciler_result(struct eviction_reconciler *reconciler,
                                const struct eviction_effect_result *result,
                                struct eviction_now now);
/* When a step has something to do by time alone; false: never. */
bool eviction_reconciler_next_due(const struct eviction_reconciler *reconciler,
                                  struct mono_time *ret_due);

/* Whether an Eviction of this pod is under way here, or a request for one is alive. */
bool eviction_reconciler_is_open(const struct eviction_reconciler *reconciler, struct slice uid);
bool eviction_reconciler_wants(const struct eviction_reconciler *reconciler, struct slice uid);

struct eviction_reconciler_stats {
        size_t targets, requests, evictions, pods, open; /* open: effects without outcome */
        uint64_t effects[EVICTION_EFFECT_COUNT], failures[EVICTION_EFFECT_COUNT];
        uint64_t outcomes[EVICTION_OUTCOME_COUNT]; /* written to Evictions */
        uint64_t interrupts, orphans;
        size_t waiting;                       /* for a slot */
        size_t states[RESPONDER_STATE_COUNT]; /* of responders of Evictions that are not over */
};
void eviction_reconciler_stats(const struct eviction_reconciler *reconciler,
                               struct eviction_reconciler_stats *ret_stats);
