/* What the files of the step machine share. */
#pragma once

#include "base/map.h"
#include "plugin/pod_group.h"
#include "sched/group_index.h"
#include "sched/pod_deadlines.h"
#include "sched/refusal_cache.h"
#include "sched/scheduler.h"
#include "sched/scheduling_queue.h"

/* An action whose outcome matters. */
struct open_action {
        enum action_kind kind;
        struct pod_id pod;
        uint64_t uid_hash;
        uint8_t profile;
        char *node;                 /* binds: name of the node; owned */
        struct extender_action ask; /* ACTION_ASK_EXTENDER, without the nodes */
};

struct scheduler {
        struct scheduler_config config;
        struct scheduling_queue queue;
        struct rng rng;
        struct class_engine *engine;
        struct refusal_cache *failures; /* refusals that alike pods share */
        struct group_index *groups;     /* NULL: groups mean nothing */
        struct arena scratch;           /* of one decision */
        uint64_t seen;                  /* generation of the cluster the queue has caught up with */
        bool has_seen;                  /* false: starts from the cluster's rows */
        bool has_decided;               /* since the last rest; scheduler_rest() */
        int64_t decided_ns;             /* the last decision */
        size_t next_node;               /* parity sampling */
        struct map_u64 *actions;        /* id -> struct open_action */
        size_t open_binds, open_checks; /* of them, ACTION_BIND and ACTION_CHECK_BIND */
        bool has_open_binds_max;        /* config.max_binds was reached, half of it not yet */
        struct pod_deadlines
                unconfirmed;           /* binds that the API does not show; scheduler_confirm.c */
        struct pod_deadlines removals; /* of victims, answered; scheduler_removal.c */
        struct scheduler_stats stats;
        struct decision_trace *traces; /* ring */
        struct pre_bind *pre_binds;    /* pods whose claims are written; scheduler_pre_bind.c */
        /* Their writes by id of the action: struct taken_object, and struct pre_bind for the pod's
         * own. */
        struct map_u64 *pre_bind_actions, *pre_bind_pods;
        int64_t pre_bind_checked_ns;
        struct extension *extensions; /* pods that extenders are asked about; scheduler_extend.c */
        size_t extension_count;
        size_t trace_count, trace_first;
        uint64_t trace_number;
};

/* One step's surroundings. */
struct step {
        struct scheduler *scheduler;
        struct mono_time mono;
        struct wall_time wall;
        struct action_list *out;
};

/* ---- actions under way (open_actions.c) ---- */
uint64_t scheduler_uid_hash(const struct pod_row *row);
struct object_ref scheduler_pod_ref(const struct cluster *cluster, struct pod_id pod);
/* The name under which the pod's profile reports events. */
struct slice scheduler_controller(const struct scheduler *scheduler,
                                  const struct queued_pod *entry);
/* The action's result concerns this entry; node: of binds, else empty. */
void scheduler_await_result(struct scheduler *scheduler, const struct action *action, uint64_t id,
                            const struct queued_pod *entry, struct slice node);
void open_action_free(struct open_action *open);
/* Takes the action out of those under way; NULL when it is none of them. */
struct open_action *open_action_take(struct scheduler *scheduler, uint64_t id);
/* The entry an outcome belongs to; NULL when the pod has gone or been replaced. */
struct queued_pod *open_action_entry(struct scheduler *scheduler, const struct open_action *open);

/* ---- failing (scheduler_fail.c) ---- */
/* A cycle or a bind failed: writes condition, nomination and event, and puts the pod back. */
struct failure {
        bool is_error;                /* SchedulerError rather than Unschedulable */
        bool is_reason_unschedulable; /* an error that is reported as Unschedulable */
        struct slice message;
        bool sets_nomination;
        struct slice nomination;
};
void scheduler_fail(struct step *step, struct queued_pod *entry, const struct failure *failure);
/* Writes the conditions that had to wait (late_conditions.h) and may be written now. */
void scheduler_write_late(struct step *step);
/* Takes back an assumed pod whose placement came to nothing, for this reason. */
void scheduler_unbind(struct step *step, struct queued_pod *entry, struct slice message);

/* ---- preemption (scheduler_preempt.c) ---- */
void scheduler_preempt(struct step *step, struct queued_pod *entry,
                       const struct preemption *preemption);
/* The same for a group; entry, of one of its members, waits for the deletions. */
void scheduler_preempt_for_group(struct step *step, struct queued_pod *entry,
                                 const struct group_view *group, const struct pod_id *victims,
                                 size_t count);

/* ---- victims whose deletion is under way (scheduler_removal.c) ---- */
/* Outcome of a victim's deletion. */
void scheduler_removal_answered(struct step *step, const struct action_result *result,
                                const struct open_action *open);
/* Victims that were not seen to go in time stay. */
void scheduler_removals_expire(struct step *step);
bool scheduler_removals_due(const struct scheduler *scheduler, int64_t *ret_due_ns);

/* ---- groups of pods (group_members.c) ---- */
/* Has to wait for its group, or for more of its kind. */
bool group_holds_back(struct scheduler *scheduler, const struct queued_pod *entry);
/* A pod came, changed or went. */
void group_members_note(struct scheduler *scheduler, struct pod_id pod);

/* ---- entering the queue (scheduler_admit.c) ---- */
/* Lets an entry in, or parks it behind its gate. */
void scheduler_admit(struct scheduler *scheduler, struct queued_pod *entry, int64_t now_ns);
/* A pod that is to be tried again waits behind the gate when what let it in is no longer so, as
 * upstream asks PreEnqueue each time.  True: it does. */
bool scheduler_hold_again(struct scheduler *scheduler, struct queued_pod *entry);
/* A pod came, waiting or on a node: members of its group that waited for it enter the queue. */
void scheduler_admit_group_of(struct scheduler *scheduler, struct pod_id pod, int64_t now_ns);

/* ---- waking (scheduler_wake.c) ---- */
/* For the queue; context is the scheduler.  Plugins without hints may judge alike pods differently:
 * a pod that one of them refused is alike to no other. */
struct alike_key scheduler_identify(const void *context, const struct queued_pod *entry);
/* Catches up with the cluster's change log. */
void scheduler_catch_up(struct scheduler *scheduler, int64_t now_ns);

/* ---- which extenders a pod concerns (extender_interest.c) ---- */
bool scheduler_asks_extenders(const struct scheduler *scheduler, const struct queued_pod *entry);
/* The extender that binds this pod; SIZE_MAX: none does. */
size_t scheduler_binder_of(const struct scheduler *scheduler, const struct queued_pod *entry);

/* ---- binds that were answered (scheduler_confirm.c) ---- */
/* Whether the row still is this pod, and only our assumption says where it runs. */
bool scheduler_is_assumed(const struct scheduler *scheduler, struct pod_id pod, uint64_t uid_hash);
/* The bind was answered well: the pod is asked for unless the API shows it on its node in time. */
void scheduler_confirm_later(struct step *step, const struct open_action *open);
/* Asks for the pods whose time is over. */
void scheduler_confirm(struct step *step);
/* What one of them says: bound, not bound (BERTH_ERR_CONFLICT), gone (BERTH_ERR_NOT_FOUND), or no
 * answer (any other code). */
void scheduler_confirm_checked(struct step *step, const struct action_result *result,
                               const struct open_action *open);
bool scheduler_confirm_due(const struct scheduler *scheduler, int64_t *ret_due_ns);

/* ---- binding (scheduler_bind.c, scheduler_pre_bind.c) ---- */
/* Emits the bind of a pod that is assumed on node. */
void scheduler_emit_bind(struct step *step, struct queued_pod *entry, struct node_id node);
void scheduler_finish_bind(struct step *step, const struct action_result *result,
                           const struct open_action *open);
/* Assumes the pod on node.  The bind is emitted at once, or follows by itself when what the pod
 * reserves there has to be written and waited for first. */
void scheduler_bind(struct step *step, struct queued_pod *entry, struct node_id node);
/* Looks whether what pods wait for has come. */
/* Whether the pod takes more than room of its node: volumes, claims of devices. */
bool scheduler_pod_takes_objects(const struct scheduler *scheduler, struct pod_id pod);
void scheduler_pre_bind_check(struct step *step);
/* Outcome of one of the writes; false: it is none of them. */
bool scheduler_pre_bind_answered(struct step *step, const struct action_result *result);
bool scheduler_pre_bind_due(const struct scheduler *scheduler, int64_t *ret_due_ns);
void scheduler_pre_bind_free(struct scheduler *scheduler);
/* Gives up the allocation of a ResourceClaim, if nobody changed it meanwhile; or deletes it. */
void scheduler_free_claim(struct step *step, const struct freed_claim *freed);

/* ---- asking extenders (scheduler_extend.c, scheduler_extend_victims.c, extension.c) ---- */
/* All answers are there: the pod is to be decided again with them.  What it points to is in the
 * scheduler's scratch memory. */
struct extended_decision {
        struct queued_pod *entry; /* still QUEUE_BINDING */
        bool has_nodes, has_limit;
        struct decision_extension nodes; /* with has_nodes */
        struct preemption_limit limit;   /* with has_limit */
        bool has_moved;                  /* the cluster changed since the first question */
};
/* Asks about the feasible nodes of a decision.  True: there is nothing to ask, and ret_extended is
 * to be decided at once. */
bool scheduler_ask_extenders(struct step *step, struct queued_pod *entry,
                             const struct decision *decision,
                             struct extended_decision *ret_extended);
/* Asks about the victims of a decision that wants some.  False: no extender wants to be asked. */
bool scheduler_ask_victims(struct step *step, struct queued_pod *entry,
                           const struct decision *decision,
                           const struct decision_extension *extension);
/* Takes an answer in and asks the next question.  True: there is none, and ret_extended is to be
 * decided. */
bool scheduler_extender_answered(struct step *step, const struct open_action *open,
                                 const struct action_result *result,
                                 struct extended_decision *ret_extended);
bool scheduler_extensions_are_full(const struct scheduler *scheduler);
void scheduler_extensions_free(struct scheduler *scheduler);

/* ---- groups that are decided together (scheduler_gang.c) ---- */
/* Decides all of the pod's group; false: it is in none. */
bool scheduler_decide_group(struct step *step, struct queued_pod *entry);

/* ---- resting (scheduler_rest.c) ---- */
void scheduler_rest(struct step *step);
bool scheduler_rest_due(const struct scheduler *scheduler, int64_t *ret_due_ns);

/* ---- traces (scheduler_trace.c) ---- */
void scheduler_record(struct step *step, const struct queued_pod *entry,
                      const struct decision *decision);
void scheduler_traces_free(struct scheduler *scheduler);
