/* What the files of the agent share. */
#pragma once

#include "reboot/node_facts.h"
#include "reboot/reboot_agent.h"
#include "reboot/reboot_lock.h"

#define AGENT_POLL_NS (1 * NS_PER_S)         /* pods while draining, the node while settling */
#define AGENT_TROUBLE_ERRORS 3               /* in a row: then the record says so */
#define AGENT_REFRESH_NS (30 * NS_PER_S)     /* node, lock and sentinel meanwhile */
#define AGENT_SLOW_DRAIN_NS (120 * NS_PER_S) /* then the record says what is left */
#define AGENT_EVICT_NS (5 * NS_PER_S)        /* between tries, as kubectl drain's */
#define AGENT_ERROR_MIN_NS (1 * NS_PER_S)
#define AGENT_ERROR_MAX_NS (60 * NS_PER_S)
#define AGENT_HOLDER_GONE_NS (600 * NS_PER_S) /* a holder missing for so long is gone */
#define AGENT_CHECK_VALID_NS (60 * NS_PER_S)  /* of the last check before a reboot */
#define AGENT_RECHECK_NS (3600 * NS_PER_S)    /* of a lock of ours without a record */
#define AGENT_COURTESY_PERIODS 10
#define AGENT_NAME_MAX 254

enum agent_scope { SCOPE_ALL, SCOPE_PODS, SCOPE_NODE };

struct reboot_agent {
        const struct reboot_config *config;
        const struct evict_sink *sink;
        char *boot_id;

        /* Readings; each holds until forgotten. */
        bool knows_sentinel, knows_node, knows_lock, knows_blockers, knows_pods, knows_holder,
                knows_peers, knows_health;
        bool is_required, was_required; /* the latter: seen by this process (I5) */
        bool node_is_newer;             /* than the lock, as read */
        bool node_is_gone, lock_is_missing, lock_is_broken, holder_is_gone;
        struct node_facts node;
        struct arena node_arena, lock_arena, blocker_arena, pods_arena, peers_arena, health_arena;
        struct arena text_arena; /* of the step */
        struct arena refusal_arena, wait_arena;
        struct json_doc *lock_doc;
        struct reboot_lock lock;
        struct slice lock_error;        /* of a broken one */
        struct object_ref blocking_pod; /* of the blocker; name "" = none */
        struct drain_deadlock deadlock; /* of impossible */
        struct slice blocker, impossible, cap_reason, ill;
        struct fleet_answer fleet;
        struct drain_pods pods;
        bool lacks_eviction;
        struct drain_refusal refusal;
        bool pods_are_copy;   /* no list of the API server */
        bool wants_last_look; /* at the pods, before the reboot */

        /* Progress that may be lost: delays and repetitions. */
        enum reboot_read reading;
        uint64_t pending; /* action whose result is awaited; 0 = none */
        enum action_kind pending_kind;
        char written_version[64]; /* of the node or the lock, before the last write */
        bool awaits_effect;       /* of a write answered as done: the next reading shows it */
        bool pending_taint, is_taint_skipped;
        enum reboot_phase pending_phase;
        bool is_order_pending;            /* the patch after which the reboot may be ordered */
        struct mono_time courteous_since; /* .ns 0 = not */
        const struct slice *notice;       /* to be sent once the pending patch succeeded */
        bool is_notice_due, is_lead_due;
        bool is_waiting;
        struct object_ref waits[REBOOT_WAITS_MAX]; /* what may end it early */
        size_t wait_count;
        struct mono_time wake;
        enum agent_scope wake_scope;
        uint32_t waiting_before;
        unsigned errors;   /* in a row */
        char trouble[96];  /* what failed last, while such things fail; "" = nothing */
        bool must_pause;   /* before the next try, since something failed */
        bool lock_checked; /* this process saw that we hold no lock */
        struct mono_time lock_checked_at;
        enum reboot_phase phase;
        struct mono_time phase_since, refreshed, next_evict, ready_since, reported;
        bool is_final_check, may_reboot, reboot_failed, was_ready;
        char reboot_error[128]; /* of one that failed; "" = none is known */
        struct mono_time checked;
        char holder[AGENT_NAME_MAX + 1]; /* whose absence is being watched; "" = none */
        struct mono_time holder_gone_since;
        bool holder_was_gone;
        struct reboot_agent_stats stats;
};

/* One call of reboot_agent_step. */
struct agent_step {
        struct reboot_agent *agent;
        const struct reboot_config *config;
        const struct reboot_now *now;
        struct action_list *out;
        struct reboot_next *next;
};

/* A change of this object is worth a look before the wait is over; copied. */
void agent_await(struct agent_step *step, struct object_ref ref);
bool agent_lock_admits(const struct reboot_agent *agent, const struct reboot_now *now,
                       const struct reboot_lock *lock, struct arena *arena);
/* A reading of what was written last came in this version; the same as before the write: that was
 * answered as done and has changed nothing, which counts as a failure. */
void agent_confirms(struct reboot_agent *agent, struct slice version);
/* Each ends the step: by a reading, an action or a wait. */
void agent_act(struct agent_step *step, const struct action *action);
void agent_wait(struct agent_step *step, int64_t delay_ns, enum agent_scope scope);
void agent_patch_node(struct agent_step *step, struct node_change *change,
                      const struct reboot_record *record);
void agent_put_lock(struct agent_step *step, const struct reboot_lock *lock);
/* True when the reading is there; else it was asked for, and the step ends. */
bool agent_needs(struct agent_step *step, enum reboot_read read);
void agent_forget(struct reboot_agent *agent, enum agent_scope scope);
/* "the lock cannot be read: Forbidden" */
void agent_note_trouble(struct reboot_agent *agent, const char *what, int code);

bool agent_holds_lock(const struct agent_step *step);   /* a live entry */
bool agent_lock_is_free(const struct agent_step *step); /* for us to take, no holder being gone */
/* "lock held by n2, n3", or what is wrong with it; text of the step */
struct slice agent_lock_state(const struct agent_step *step);
struct slice agent_lock_loss(const struct agent_step *step); /* "the lock was lost: ..." */
void agent_take_lock(struct agent_step *step, struct slice gone, bool *ret_is_free);
bool agent_renews_lock(struct agent_step *step); /* true: it ended the step */
void agent_rollback(struct agent_step *step, struct slice reason, bool is_failure);
/* A warning about our node. */
void agent_record_event(struct agent_step *step, const char *reason, struct slice note);
void agent_notify(struct agent_step *step, struct slice message);
bool agent_is_required(const struct agent_step *step);             /* by sentinel or annotation */
bool agent_is_due(const struct agent_step *step, int64_t lead_ns); /* required and window open */
bool agent_has_passed(const struct agent_step *step, struct mono_time since, int64_t delay_ns,
                      int64_t *ret_left_ns);
struct wall_time agent_backoff_end(const struct agent_step *step, uint32_t attempt);

/* Phases before the cordon, from it to the reboot, and after. */
void agent_idle(struct agent_step *step);
void agent_wanted(struct agent_step *step);
void agent_claimed(struct agent_step *step);
void agent_draining(struct agent_step *step);
void agent_ready(struct agent_step *step);
void agent_rebooting(struct agent_step *step);
void agent_settling(struct agent_step *step);
void agent_releasing(struct agent_step *step);
