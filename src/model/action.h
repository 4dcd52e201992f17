/* What the core wants done.  Actions carry target, uid and everything an edge needs to perform
 * them; each is safe to repeat, and its outcome comes back as an action_result.  Slices live in the
 * list's arena until action_list_clear. */
#pragma once

#include "api/object.h"
#include "base/arena.h"
#include <stdint.h>

enum action_kind {
        ACTION_BIND,             /* POST pods/binding */
        ACTION_CHECK_BIND,       /* GET pods: is it on the node? no: CONFLICT, gone: NOT_FOUND */
        ACTION_POD_STATUS,       /* one PATCH of pods/status: conditions and nomination */
        ACTION_EVICT,            /* POST pods/eviction */
        ACTION_DELETE_POD,       /* DELETE pods */
        ACTION_CREATE_REQUEST,   /* POST evictionrequests: a responder is to evict the pod */
        ACTION_WITHDRAW_REQUEST, /* DELETE evictionrequests: it has served, or is not wanted */
        ACTION_PREEMPT_POD,   /* asks the eviction service to delete the pod at once, for a pod of
                                 higher priority */
        ACTION_RECORD_EVENT,  /* events.k8s.io/v1 */
        ACTION_PATCH_NODE,    /* one merge PATCH of nodes */
        ACTION_PATCH_OBJECT,  /* PUT of a whole object with one part changed, or as patch.verb says
                               */
        ACTION_DELETE_OBJECT, /* DELETE of a ResourceClaim */
        ACTION_REBOOT,        /* of the machine this process runs on; target is its node */
        ACTION_NOTIFY,        /* a message to people; no outcome is reported */
        ACTION_ASK_EXTENDER,  /* POST to a scheduler's extender; its answer is the result's body */
        ACTION_KIND_COUNT
};
const char *action_kind_name(enum action_kind kind); /* "bind" */

struct object_ref {
        struct slice kind /* Pod, Node */, ns, name, uid;
};

struct bind_action {
        struct slice node;
};
struct pod_status_action {
        bool sets_condition; /* PodScheduled False */
        struct slice reason, message;
        int64_t observed_generation;
        struct wall_time changed; /* lastTransitionTime to write */
        bool sets_nomination;     /* nominatedNodeName := nomination ("" clears it) */
        struct slice nomination;
        /* DisruptionTarget True with this message, for reason PreemptionByScheduler; "" leaves the
         * condition alone. */
        struct slice disruption;
};
struct evict_action {
        struct slice node, plugin, profile, reason; /* reason: free text, "" = none */
        struct slice requested_by;                  /* annotation requested-by */
        bool has_grace;
        int64_t grace_s;
        bool is_dry_run;
        bool is_finished; /* nothing is left to be moved: the object is to go */
        bool is_once;     /* as in delete_action */
};
struct request_action {            /* of an EvictionRequest, the target */
        const char *group;         /* which serves the kind; a text that stays */
        struct object_ref pod;     /* that is to go */
        struct slice requester;    /* descheduler.berth.dev/evict */
        struct slice label;        /* berth.dev/requested-by */
        struct wall_time deadline; /* unset = none */
};
struct preempt_action {
        struct slice node; /* whose capacity is freed */
        struct slice by;   /* the scheduler's name */
};
struct delete_action {
        bool has_grace;
        int64_t grace_s;
        bool is_once; /* not repeated when it fails: the role decides again */
};
enum patch_verb {
        PATCH_STANDARD, /* what is usual for the kind */
        PATCH_CREATE,   /* POST of a new object */
        PATCH_OBJECT,   /* strategic merge patch of the object */
        PATCH_STATUS,   /* strategic merge patch of its status */
};
struct patch_action {
        struct slice body; /* JSON; metadata.resourceVersion in it makes the write conditional */
        enum patch_verb verb;
};
enum extender_verb { EXTENDER_FILTER, EXTENDER_PRIORITIZE, EXTENDER_BIND, EXTENDER_PREEMPT };
struct extender_victims { /* who would go from one node */
        size_t pod_count;
        const struct object_ref *pods;
        uint32_t budget_violations;
};
struct extender_action {
        uint32_t extender; /* its place in the configuration */
        enum extender_verb verb;
        size_t node_count; /* to choose from; the one to bind to */
        const struct slice *nodes;
        const struct extender_victims *victims; /* EXTENDER_PREEMPT: one per node */
};
struct notify_action {
        struct slice message;
};
struct event_action {
        bool is_warning;
        struct slice reason, action, note; /* Scheduled, Binding, text */
        struct slice controller;           /* reportingController */
        struct slice api_version;          /* of the target; empty = v1 */
        struct slice resource_version;     /* of the target; empty = not known */
        bool is_passing; /* may be over in a moment, which an event that settles it says */
        bool settles;
};

struct action {
        enum action_kind kind;
        uint64_t id; /* given by action_list_add; names the outcome */
        struct object_ref target;
        union {
                struct bind_action bind; /* ACTION_BIND, ACTION_CHECK_BIND */
                struct pod_status_action status;
                struct evict_action evict;
                struct delete_action remove;
                struct preempt_action preempt;
                struct request_action request; /* ACTION_CREATE_REQUEST, ACTION_WITHDRAW_REQUEST */
                struct event_action event;
                struct patch_action patch; /* ACTION_PATCH_NODE, ACTION_PATCH_OBJECT */
                struct notify_action notify;
                struct extender_action ask;
        };
};

struct action_list {
        struct arena arena;
        struct action *items;
        size_t count, cap;
        uint64_t next_id; /* runs on across clears */
};
void action_list_init(struct action_list *list);
void action_list_release(struct action_list *list);
void action_list_clear(struct action_list *list);
/* Copies the action and every slice in it; returns its id. */
uint64_t action_list_add(struct action_list *list, const struct action *action);

struct action_result {
        uint64_t id;
        enum action_kind kind;
        struct object_ref target;
        int code;          /* BERTH_OK or BERTH_ERR_* */
        int retry_after_s; /* -1 = none */
        int64_t took_ns;   /* from being asked for to its outcome */
        struct slice text; /* error text; "" when ok */
        struct slice body; /* ACTION_ASK_EXTENDER, ACTION_PATCH_OBJECT: the answer, JSON */
        int http;          /* status of the answer, 0 = none */
};
