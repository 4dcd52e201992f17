/* Inside the eviction reconciler: the state per target and per Eviction. */
#pragma once

#include "base/map.h"
#include "evict/eviction_policy.h"
#include "evict/eviction_reconciler.h"

/* How long a responder has been silent, by our own monotonic clock. */
struct eviction_pulse {
        struct wall_time beat; /* the stored value that was seen */
        struct mono_time at;   /* since when */
        bool is_set;
};

/* Where the stages of an Eviction stand; what of it must not be lost is in the object. */
enum stages_mode {
        STAGES_NONE,
        STAGES_RUN,
        STAGES_SKIP, /* a stage that failed is cancelled, the others stay */
        STAGES_UNDO,
        STAGES_OVER,     /* every stage was led through */
        STAGES_DECLINED, /* given up */
        STAGES_HELD,     /* given up, and no other responder may evict the pod (onFailure: Hold) */
        STAGES_MODE_COUNT
};
struct stages_state {
        enum stages_mode mode;
        size_t index;     /* of the stage, or of the one being undone */
        unsigned done;    /* bits of the stages that were finished */
        bool is_open;     /* the stage at index may be under way at its hook */
        uint32_t holder;  /* number of the stage whose failure holds the pod, from 1; 0 = none */
        uint32_t attempt; /* from 1 */
        struct wall_time since;
        char policy[254];
};
enum stages_called { STAGES_CALLED_HOOK, STAGES_CALLED_URL, STAGES_CALLED_POD };
struct stages_run {
        struct stages_state state;
        bool is_known; /* state was begun here or read from the object */
        bool is_ended; /* state holds what is left to undo after the end */
        bool has_sent; /* the hook may have started this run: it is polled */
        bool is_calling, is_stopping, is_poll;
        enum stages_called called;
        uint64_t call_id;
        uint32_t bad_in_row; /* calls without a useful answer */
        struct mono_time started, stage_started, next_call, last_beat;
        bool has_news;
        char text[400];
        struct wall_time expected;
        bool has_answer; /* that was not acted upon yet */
        char owner[254]; /* of the pod, for when it is gone; "" = none, or not known */
        bool is_frozen;  /* its policy cannot be read: time stands still */
        int verdict;     /* enum hook_verdict */
        int64_t retry_after_s, eta_s;
};

struct eviction_entry {
        struct eviction *eviction;
        struct eviction_pulse pulse;
        int pulse_of;               /* index of the responder it is about */
        struct mono_time failed_at; /* when its final failure was first seen */
        bool has_failed_at;
        /* The evictor's. */
        int asker; /* 1 + index of the responder this is about */
        bool is_asking, has_try, has_news, has_beat;
        bool is_leaving; /* news says that the pod is being deleted, if that takes long */
        bool is_held;    /* its first try waits for a budget that others pass one by one */
        struct mono_time held_since;
        bool is_background; /* the last call only set it off */
        bool is_cancelling;
        uint32_t cancels; /* of a VM's migration, after the end */
        struct mono_time next_cancel;
        uint32_t attempts;
        struct mono_time next_try, next_beat;
        char news[512]; /* message to report, when has_news */
        struct stages_run stages;
        struct mono_time begun; /* when its first responder became Active */
        bool has_begun, is_orphan;
        char reservation_reported[254]; /* node of the reservation, as in the audit log; "" = none
                                         */
        bool is_refusal_reported;       /* likewise, that there is none (any more) */
        struct mono_time next_label;    /* labels and owners are not written again before */
        uint32_t labellings;
};

struct eviction_target {
        char *uid;
        struct slice ns, name; /* of the pod; owned */
        struct eviction_request **requests;
        size_t request_count, request_cap;
        struct eviction_entry **entries;
        size_t entry_count, entry_cap;
        size_t open;   /* effects under way */
        size_t writes; /* those that must be answered before the next decision */
        bool is_dirty; /* something changed since the last look */
        bool is_read;  /* the pod was found absent by a read or a deletion we saw */
        bool is_reading;
        bool has_due;
        struct mono_time due; /* next look by time alone */
        bool has_gone;
        struct mono_time gone_at; /* since when the pod is gone or finished */
        bool has_seen;
        struct mono_time seen;        /* when its requests were first looked at */
        struct mono_time hold;        /* no writes before: the last one failed */
        uint32_t failures;            /* rounds of writes in a row of which one failed */
        bool has_failed;              /* a write of the present round */
        struct mono_time next_create; /* an Eviction that vanishes is not made again at once */
        uint32_t creates;             /* since one was seen with a status */
        struct mono_time next_delete; /* at a deadline; not again before */
        uint32_t deletes;
        struct mono_time next_tidy; /* what requesters left is not deleted before */
        char *pod_name;
        struct eviction_target *next_of_pod; /* another uid of the same name */
        /* Slots. */
        bool is_waiting, is_admitted;       /* for a entry; holds one before it is seen at work */
        enum eviction_slot_refusal refusal; /* what it waits for; FREE = not judged yet */
        unsigned rank;
        struct wall_time since; /* its oldest request of that rank */
        struct mono_time waits_since;
        uint64_t serial; /* order in which they were first seen */
};

struct open_effect {
        enum eviction_effect_kind kind;
        struct eviction_target *target;
        char eviction_uid[64];
        char version[64];  /* of the object, before the write */
        bool is_of_stages; /* not the evictor's */
};

struct eviction_reconciler {
        struct eviction_reconciler_config config;
        struct map *targets;     /* pod uid -> eviction_target */
        struct map *requests;    /* ns/name -> eviction_target */
        struct map *evictions;   /* ns/name -> eviction_target */
        struct arena pods;       /* those looked at since the last step began */
        struct map *pod_targets; /* ns/name of a pod -> its first eviction_target */
        struct map *policies;    /* ns/name -> eviction_policy */
        struct map *gates;       /* ns/name of a budget -> what was asked of it */
        struct map *moves;       /* ns/VM -> struct vm_move */
        struct map *moving;      /* ns/name of pods that are evicted by any client */
        uint64_t last_serial;
        bool trusts_users;    /* admission keeps who writes requests */
        bool has_policy_news; /* one was put since that was taken */
        bool has_waiting;     /* some target may wait for a slot */
        struct map_u64 *open; /* id -> open_effect */
        uint64_t last_id;
        struct wall_time first_wall; /* pair of clocks at the first step */
        struct mono_time first_mono;
        bool has_first;
        struct eviction_reconciler_stats stats;
};

/* What one look at a target works with. */
struct eviction_sync {
        struct eviction_reconciler *reconciler;
        struct eviction_target *target;
        const struct eviction_pod *pod; /* of the name, whatever its uid; NULL = absent */
        bool is_alive;                  /* the pod of this uid exists */
        bool is_gone, is_finished;      /* for sure */
        bool is_wanted;                 /* some live request asks for it */
        struct eviction_now now;
        struct eviction_effects *out;
};

/* ---- eviction_pod.c ---- */
#define EVICTION_KEY_MAX 600
/* "namespace/name" in a buffer of EVICTION_KEY_MAX. */
struct slice eviction_key(struct slice ns, struct slice name, char *buffer);

/* ---- eviction_targets.c: what is known ---- */
/* Index of the request or Eviction of that name; -1 = none. */
int eviction_find_request(const struct eviction_target *target, struct slice ns, struct slice name);
int eviction_find_entry(const struct eviction_target *target, struct slice ns, struct slice name);
bool eviction_entry_is_over(const struct eviction_entry *entry);
/* Older by creation, then by name: the same order for all. */
bool eviction_entry_is_before(const struct eviction_entry *a, const struct eviction_entry *b);
/* Oldest that is not over; NULL when there is none. */
struct eviction_entry *eviction_active_entry(const struct eviction_target *target);
/* Forgets a target that nothing is left of. */
void eviction_target_release(struct eviction_reconciler *reconciler,
                             struct eviction_target *target);
/* Lets the target be looked at again no later than at due. */
void eviction_target_wake(struct eviction_target *target, struct mono_time due);

/* ---- eviction_cache.c: pods of the model ---- */
/* Of the target's name, whatever its uid; POD_NONE or NULL = absent.  Rows stay put until the model
 * changes; an eviction_pod until the next step. */
struct pod_id eviction_target_id(const struct eviction_reconciler *reconciler,
                                 const struct eviction_target *target);
const struct pod_row *eviction_target_row(const struct eviction_reconciler *reconciler,
                                          const struct eviction_target *target);
const struct eviction_pod *eviction_target_pod(struct eviction_reconciler *reconciler,
                                               const struct eviction_target *target);
const struct eviction_pod *eviction_pod_at(struct eviction_reconciler *reconciler,
                                           struct pod_id id);
/* Fills the list of pods that are evicted from a model that is there already. */
void eviction_pods_list_moving(struct eviction_reconciler *reconciler);

/* ---- eviction_hold.c ---- */
/* Why nothing may begin for the pod: what is to prepare it cannot be read.  Empty = it may.  The
 * text is in a buffer of EVICTION_HOLD_TEXT_MAX. */
struct slice eviction_hold_reason(const struct eviction_sync *sync, char *text);
/* The same of a policy; empty when it can be read. */
struct slice eviction_policy_hold_reason(const struct eviction_policy *policy, char *text);

/* ---- eviction_effects.c ---- */
/* Those whose outcome the next decision about the target has to wait for. */
bool eviction_effect_is_write(enum eviction_effect_kind kind);
/* Adds an effect of the target and waits for its outcome; kinds that have one. */
struct eviction_effect *eviction_effect_add(struct eviction_sync *sync,
                                            enum eviction_effect_kind kind,
                                            const struct eviction_object *object,
                                            struct slice body);
/* The one effect that ends the pod; requester stays: who is named as asking for it. */
struct eviction_effect *eviction_effect_end_pod(struct eviction_sync *sync,
                                                const struct eviction_object *object,
                                                const char *requester, bool deletes);
/* Cuts the call of that id short. */
void eviction_effect_stop(struct eviction_effects *out, uint64_t id);
/* The effect is one of the stages: its outcome is theirs. */
void eviction_effect_is_of_stages(struct eviction_sync *sync, const struct eviction_effect *effect);
/* One line for the audit log; record is completed with the target. */
void eviction_audit(struct eviction_sync *sync, struct audit_record record);
/* now, as it can be stored (microseconds). */
struct wall_time eviction_stamp(struct wall_time now);
/* {"metadata":{"resourceVersion":...},"status": */
void eviction_patch_open(const struct eviction_object *object, struct buf *out);
struct slice eviction_text_keep(struct eviction_effects *out, struct buf *text);

/* ---- eviction_report.c ---- */
struct eviction_news {
        const char *message; /* NULL = as before */
        bool is_done;
        struct wall_time expected; /* unset = as before */
};
/* The Active responder's own entry, written with the whole list at the version it was read. */
void eviction_report(struct eviction_sync *sync, const struct eviction *eviction, int index,
                     const struct eviction_news *news);
/* Deletes a request of berth's own whose requester has not. */
void eviction_tidy(struct eviction_sync *sync, const struct eviction_request *request);
/* Withdraws a request of berth's own; reason for the audit log. */
void eviction_withdraw(struct eviction_sync *sync, const struct eviction_request *request,
                       const char *reason);
/* Deletes the pod, whatever budgets say: its policy wants that at this request's deadline. */
void eviction_delete_pod(struct eviction_sync *sync, const struct eviction_request *request);
/* The user behind a request, where admission vouches for it; else empty. */
struct slice eviction_user_of(const struct eviction_sync *sync,
                              const struct eviction_request *request);
bool eviction_request_is_ours(const struct eviction_request *request);
bool eviction_has_finalizer(const struct eviction *eviction, const char *name);
/* Appends ,"finalizers":[...] with all but this one. */
void eviction_finalizers_without(const struct eviction *eviction, const char *name,
                                 struct buf *out);
/* Whether every live request is of a requester of berth's own. */
bool eviction_is_ours_alone(const struct eviction_target *target);

/* ---- eviction_progress.c: the controller's part ---- */
/* Everything the controller does about a target now; at most one write per object. */
void eviction_progress(struct eviction_sync *sync);

/* ---- eviction_evictor.c: the imperative responder ---- */
/* The body of a POST to pods/eviction, with the uid as precondition. */
void eviction_evictor_act(struct eviction_sync *sync, struct eviction_entry *entry);
/* Has a migration cancelled that a cancelled Eviction set off. */
void eviction_evictor_end(struct eviction_sync *sync, struct eviction_entry *entry);
void eviction_evictor_result(struct eviction_entry *entry,
                             const struct eviction_effect_result *result, struct eviction_now now);

/* ---- eviction_gates.c ---- */
/* Whether the first try of an eviction is better made later: its budget allows none now, and other
 * pods are being evicted under it. The try is made when the budget allows one, or after a
 * minute. */
bool eviction_gates_hold(struct eviction_sync *sync, struct eviction_entry *entry);
/* One is asked for: what its budget allows counts as used. */
void eviction_gates_pass(struct eviction_sync *sync);
/* It did not get there, for another reason than its budget: the next may go. */
void eviction_gates_return(struct eviction_reconciler *reconciler, struct eviction_target *target);
void eviction_gates_free(struct map *gates);

/* ---- eviction_vm.c: KubeVirt ---- */
#define EVICTION_MOVE_FINALIZER "lifecycle.berth.dev/move"
bool eviction_pod_is_vm(const struct eviction_pod *pod);
/* Name of the VirtualMachineInstance; empty when it is not known. */
struct slice eviction_vm_of(const struct eviction_pod *pod);
/* "migration NAME: PHASE" of the newest evacuation; NULL when none is known. */
const char *eviction_vm_progress(const struct eviction_reconciler *reconciler,
                                 const struct eviction_pod *pod);
void eviction_vm_moves_free(struct map *moves);
/* "namespace/VM" in a buffer of EVICTION_KEY_MAX; empty when it is no VM's pod. */
struct slice eviction_vm_key(const struct eviction_pod *pod, char *buffer);
/* Counts migrations under way of VMs that were not counted yet. */
void eviction_vm_hold(const struct eviction_reconciler *reconciler, const struct map *counted,
                      struct eviction_slots *slots);
/* JSON patch that takes the mark of an evacuation from this node off a VM. */
void eviction_vm_unmark(struct slice node, struct buf *out);
