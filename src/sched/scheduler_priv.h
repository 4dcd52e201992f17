/* What the files of the step machine share. */
#pragma once

#include "base/map.h"
#include "plugin/pod_group.h"
#include "sched/failure_memo.h"
#include "sched/group_index.h"
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
        struct failure_memo *failures; /* what alike pods were told */
        struct group_index *groups;    /* NULL: groups mean nothing */
        struct arena scratch;          /* of one decision */
        uint64_t seen;                 /* generation of the cluster the queue has caught up with */
        bool has_seen;                 /* false: starts from the cluster's rows */
        size_t next_node;              /* parity sampling */
        struct map_u64 *actions;       /* id -> struct open_action */
        struct scheduler_stats stats;
        struct decision_trace *traces; /* ring */
        struct pre_bind *pre_binds; /* pods whose volumes are being bound; scheduler_pre_bind.c */
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

/* ---- waking (scheduler_wake.c) ---- */
/* For the queue; context is the cluster. */
struct alike_key scheduler_identify(const void *context, const struct queued_pod *entry);
/* Catches up with the cluster's change log. */
void scheduler_catch_up(struct scheduler *scheduler, int64_t now_ns);
/* Tries a pod again whose refusal any change may turn, after its back-off. */
void scheduler_retry(struct scheduler *scheduler, struct queued_pod *entry, int64_t now_ns);
/* Lets an entry in, or parks it behind its gate. */
void scheduler_admit(struct scheduler *scheduler, struct queued_pod *entry, int64_t now_ns);

/* ---- outcomes (scheduler_outcome.c) ---- */
void scheduler_remember(struct scheduler *scheduler, const struct action *action, uint64_t id,
                        const struct queued_pod *entry, struct slice node);
uint64_t scheduler_uid_hash(const struct pod_row *row);
void scheduler_bind(struct step *step, struct queued_pod *entry, const struct decision *decision);
/* A cycle or a bind failed: writes condition, nomination and event, and puts the pod back. */
struct failure {
        bool is_error;                /* SchedulerError rather than Unschedulable */
        bool is_reason_unschedulable; /* an error that is reported as Unschedulable */
        struct slice message;
        bool sets_nomination;
        struct slice nomination;
};
void scheduler_fail(struct step *step, struct queued_pod *entry, const struct failure *failure);
void scheduler_preempt(struct step *step, struct queued_pod *entry,
                       const struct preemption *preemption);
/* The same for a group; entry, of one of its members, waits for the deletions. */
void scheduler_preempt_for_group(struct step *step, struct queued_pod *entry,
                                 const struct group_view *group, const struct pod_id *victims,
                                 size_t count);

/* ---- deciding (scheduler.c) ---- */
/* Decides and acts on it; with an extension or a limit, after extenders were asked about nodes or
 * about victims. */
void scheduler_decide_entry(struct step *step, struct queued_pod *entry,
                            const struct decision_extension *extension,
                            const struct preemption_limit *limit);
void scheduler_finish_bind(struct step *step, const struct action_result *result,
                           const struct open_action *open);

/* ---- gangs (scheduler_gang.c) ---- */
/* Has to wait for its group, or for more of its kind. */
bool scheduler_gang_holds(struct scheduler *scheduler, const struct queued_pod *entry);
/* A pod came, changed or went. */
void scheduler_gang_note(struct scheduler *scheduler, struct pod_id pod);
/* A pod came, waiting or on a node: those that waited for it are let in. */
void scheduler_gang_grew(struct scheduler *scheduler, struct pod_id pod, int64_t now_ns);
/* Decides all of the pod's group; false: it is in none. */
bool scheduler_decide_group(struct step *step, struct queued_pod *entry);

/* ---- extenders (scheduler_extend.c) ---- */
bool scheduler_asks_extenders(const struct scheduler *scheduler, const struct queued_pod *entry);
/* Asks about the feasible nodes of a decision; the final one follows by itself. */
void scheduler_ask_extenders(struct step *step, struct queued_pod *entry,
                             const struct decision *decision);
/* Asks about the victims of a decision that wants some, where an extender wants to be asked; the
 * final decision follows by itself.  False: nobody does. */
bool scheduler_ask_victims(struct step *step, struct queued_pod *entry,
                           const struct decision *decision,
                           const struct decision_extension *extension);
void scheduler_extender_answered(struct step *step, const struct open_action *open,
                                 const struct action_result *result);
bool scheduler_extensions_are_full(const struct scheduler *scheduler);
void scheduler_extensions_free(struct scheduler *scheduler);
/* The extender that binds this pod; SIZE_MAX: none does. */
size_t scheduler_binder_of(const struct scheduler *scheduler, const struct queued_pod *entry);

/* ---- what comes before a bind (scheduler_pre_bind.c) ---- */
/* Reserves what the pod takes on the chosen node.  True: something has to be written or waited for
 * first, and the bind follows by itself. */
bool scheduler_pre_bind(struct step *step, struct queued_pod *entry, struct node_id node);
/* Looks whether what pods wait for has come. */
void scheduler_pre_bind_check(struct step *step);
/* Outcome of one of the writes. */
void scheduler_pre_bind_written(struct step *step, const struct open_action *open,
                                const struct action_result *result);
bool scheduler_pre_bind_due(const struct scheduler *scheduler, int64_t *ret_due_ns);
void scheduler_pre_bind_free(struct scheduler *scheduler);
/* Emits the bind of a pod that is assumed on node. */
void scheduler_emit_bind(struct step *step, struct queued_pod *entry, struct node_id node);
/* Takes back an assumed pod whose placement came to nothing, for this reason. */
void scheduler_unbind(struct step *step, struct queued_pod *entry, struct slice message);

/* ---- traces (scheduler_trace.c) ---- */
void scheduler_record(struct step *step, const struct queued_pod *entry,
                      const struct decision *decision);
void scheduler_traces_free(struct scheduler *scheduler);
