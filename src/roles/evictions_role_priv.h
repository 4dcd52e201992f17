/* Inside the role of evictions: its state, and what its parts ask of each other. */
#pragma once

#include "api/arrival.h"
#include "loop/watch_set.h"
#include "roles/audit_anchor.h"
#include "roles/evictions_role.h"
#include "roles/history_store.h"
#include "roles/hook_caller.h"

#define EVICTIONS_PATH_MAX 1024
#define EVICTIONS_HOLD_NS (5 * NS_PER_S)        /* effects that waited longer are decided again */
#define EVICTIONS_OLDER_IDS (UINT64_C(1) << 62) /* ids of effects of the older part */

enum followed { FOLLOWED_REQUESTS, FOLLOWED_EVICTIONS, FOLLOWED_POLICIES, FOLLOWED_COUNT };

struct open_call {
        struct evictions_role *role;
        struct api_request *request;
        uint64_t id;
        enum eviction_effect_kind kind;
        struct open_call *next, *prev;
};

struct feed_line {
        struct evictions_role *role;
        enum followed followed;
        struct watch_row *row;
};

struct evictions_role {
        struct runtime *runtime;
        /* Makes the part that finishes what was begun before an upgrade. */
        struct evictions_role *(*make_older)(struct runtime *runtime,
                                             const struct evictions_role_config *config);
        struct evict_requester *requester;
        struct loop *loop;
        struct transport *transport;
        struct evictions_role_config config;
        struct eviction_reconciler *reconciler;
        struct eviction_effects effects;
        size_t carried_out;          /* of them; the others wait for the audit log */
        struct mono_time held_since; /* when they began to wait; 0 = they do not */
        struct audit_chain chain;    /* of the lines made */
        struct audit_chain recorded; /* of those that stay: what is anchored */
        const char *group;           /* NULL until discovery is over */
        bool is_started, is_controller, has_stepped_down, is_native_served, has_policies,
                has_older; /* our own kinds are served beside native ones */
        size_t definition; /* next one to create */
        struct feed_line lines[FOLLOWED_COUNT];
        struct watch_row *migrations; /* of KubeVirt; NULL = there are none */
        struct open_call *calls;
        struct hook_caller *hooks;
        struct eviction_history *history;
        struct history_store *store;
        struct audit_anchor *anchor;       /* NULL = none */
        struct evictions_metrics *metrics; /* NULL = not counted */
        struct api_request *discovery;
        /* After an upgrade: finishes what was begun with our own kinds.  NULL = nothing to finish.
         */
        struct evictions_role *older;
        struct evictions_role *newer;  /* of the older one: whose part it is */
        struct loop_timer older_timer; /* fires when the older part is done */
        struct loop_timer step_timer, discovery_timer, take_over_timer, policy_timer;
        struct policy_write *policy_writes; /* under way */
        bool has_logged_foreign;
        bool has_probed, trusts_users; /* see evictions_users.c */
        struct api_request *probe;
        struct loop_timer users_timer, kubevirt_timer;
        struct action_list events;
        uint64_t skipped;
};

/* ---- evictions_state.c ---- */
bool evictions_is_native(const struct evictions_role *role);
const char *evictions_mode_name(const struct evictions_role *role);
/* Statuses carry the server's time, as it judges them by that. */
struct eviction_now evictions_now(const struct evictions_role *role);
/* All audit lines are where they stay. */
bool evictions_is_recorded(const struct evictions_role *role);
void evictions_write_audit(struct evictions_role *role, const struct audit_record *record);
void evictions_step_soon(struct evictions_role *role);
#define EVICTION_EVENT_NOTE_MAX 1025
/* An Event about the object; controller and notes past the limit of Kubernetes are seen to. */
void evictions_record_event(struct evictions_role *role, const struct object_ref *about,
                            const struct event_action *event);

/* ---- evictions_role.c ---- */
void evictions_role_free(struct evictions_role *role); /* accepts NULL */

/* ---- evictions_metrics.c ---- */
/* The registry reads the role at each writing, and must be done with that before the role goes. */
struct evictions_metrics *evictions_metrics_new(struct metrics *registry,
                                                const struct evictions_role *role);

/* ---- evictions_effects.c ---- */
void evictions_carry_out(struct evictions_role *role, const struct eviction_effect *effect);
/* The pod was called away, or was not: a result of the eviction service. */
void evictions_effects_ended(struct evictions_role *role, const struct action_result *result);
/* Those that waited for the audit log for too long are answered as failed. Returns whether all were
 * carried out. */
bool evictions_carry_out_all(struct evictions_role *role);
void evictions_drop_calls(struct evictions_role *role);
/* Of a hook_caller: a hook answered. */
void evictions_on_answered(void *context, const struct eviction_effect_result *result);

/* ---- evictions_watch.c ---- */
/* Of a timer: no controller has reconciled a native request for a while. */
void evictions_take_over(void *context);
/* Follows requests, Evictions and policies; pods and budgets are the model's. */
void evictions_follow(struct evictions_role *role);
/* An object is about to enter the model, or has. */
void evictions_on_arriving(struct evictions_role *role, enum object_kind kind,
                           enum change_kind change, struct arrival *arrival);
void evictions_on_arrived(struct evictions_role *role, enum object_kind kind,
                          enum change_kind change, struct arrival *arrival);
/* Asks for /apis/kubevirt.io/v1: where it is installed its migrations are reported as progress. */
void evictions_look_for_kubevirt(void *context);

/* ---- evictions_policies.c ---- */
/* Writes what changed of policies into their status. */
void evictions_report_policies(struct evictions_role *role);
/* Of a timer: the same, of what could not be written. */
void evictions_report_policies_again(void *context);
void evictions_drop_policy_writes(struct evictions_role *role);

/* ---- evictions_events.c ---- */
/* What users of kubectl describe get to see of it. */
void evictions_tell_event(struct evictions_role *role, const struct audit_record *record);

/* ---- evictions_users.c ---- */
/* Of a timer: whether the users that requests name are those of the API server. */
void evictions_probe_users(void *context);

/* ---- evictions_discovery.c ---- */
/* Finds out which form of the API there is, defines ours where none is, and starts. */
void evictions_discover(void *context);
