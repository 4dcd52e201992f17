/* Inside the eviction reconciler: the responder that leads a pod through the stages of its policy.
 *
 * Its state is stored in the object: in the message of its own entry while it is Active, in an
 * annotation afterwards.  It is written before the call that follows from it, so that a new process
 * polls a hook and never runs it again. */
#pragma once

#include "evict/eviction_history.h"
#include "evict/eviction_reconciler_priv.h"

#define STAGES_NOTE_KEY "lifecycle.berth.dev/stages"
#define STAGES_FINALIZER "lifecycle.berth.dev/stages"
#define STAGES_POLL_NS (5 * NS_PER_S)
#define STAGES_CHECK_NS (2 * NS_PER_S) /* of what a wait stage waits for */
#define STAGES_CALL_NS (30 * NS_PER_S) /* patience with one call over HTTP */
#define STAGES_BEAT_NS (60 * NS_PER_S)
#define STAGES_FIRST_NEWS_NS (5 * NS_PER_S)
#define STAGES_NEWS_NS (20 * NS_PER_S) /* between reports that only bring text */
#define STAGES_UNDO_ATTEMPTS 4

/* ---- eviction_stages_state.c: the stored state ---- */
bool stages_state_parse(struct slice text, struct stages_state *ret_state);
void stages_state_write(const struct stages_state *state, const struct eviction_policy *policy,
                        const char *text, struct buf *out);
/* Whether both stand at the same place: times and texts do not count. */
bool stages_state_eq(const struct stages_state *a, const struct stages_state *b);

/* ---- eviction_hook.c: what is said to hooks ---- */
struct hook_order {
        const char *op; /* run, poll, cancel, rollback */
        const struct eviction_stage *stage;
        const struct eviction_hook *hook;
        const struct stages_state *state;
        struct wall_time deadline; /* of the stage */
};
void eviction_hook_body(const struct eviction_sync *sync, const struct eviction *eviction,
                        const struct hook_order *order, struct buf *out);
enum hook_verdict {
        HOOK_NONE,
        HOOK_DONE,
        HOOK_IN_PROGRESS,
        HOOK_DECLINES,
        HOOK_FAILED,
        HOOK_RETRY,   /* could not take it now */
        HOOK_SILENT,  /* no answer: it may have taken it */
        HOOK_UNKNOWN, /* of a poll: the hook does not know the run */
};
struct hook_answer {
        enum hook_verdict verdict;
        int64_t retry_after_s, eta_s; /* 0 = not said */
        struct slice text;
};
struct hook_answer eviction_hook_answer(const struct eviction_effect_result *result, bool is_poll);

/* ---- eviction_cache.c ---- */
/* Best policy for the pod; NULL when there is none. */
const struct eviction_policy *eviction_policy_for(const struct eviction_reconciler *reconciler,
                                                  const struct eviction_pod *pod);

/* ---- eviction_stages.c ---- */
void eviction_stages_act(struct eviction_sync *sync, struct eviction_entry *entry);
/* Takes note of an answer; the next look acts on it. */
void eviction_stages_result(struct eviction_entry *entry,
                            const struct eviction_effect_result *result);
/* The policy of that name in the target's namespace. */
const struct eviction_policy *eviction_policy_named(const struct eviction_sync *sync,
                                                    const char *name);

/* ---- eviction_stages_calls.c ---- */
/* One call, or one look, of the present stage. */
void eviction_stages_perform(struct eviction_sync *sync, struct eviction_entry *entry,
                             const struct eviction_stage *stage);

/* ---- eviction_stages_answers.c ---- */
void eviction_stages_enter(struct eviction_sync *sync, struct stages_run *run,
                           const struct eviction_policy *policy, size_t index);
/* To the next stage, or past the last. */
void eviction_stages_go_on(struct eviction_sync *sync, struct stages_run *run,
                           const struct eviction_policy *policy);
void eviction_stages_fail(struct eviction_sync *sync, struct eviction_entry *entry,
                          enum stage_failure how);
void eviction_stages_take_answer(struct eviction_sync *sync, struct eviction_entry *entry,
                                 const struct eviction_policy *policy);

/* ---- eviction_stages_expect.c ---- */
/* Sets the end of all stages: this one's median, once that passed its 95th percentile, then
 * nothing is said; and the medians of those to come. */
void eviction_stages_expect(const struct eviction_sync *sync, struct stages_run *run,
                            const struct eviction_policy *policy);
/* What this stage is expected to take; its timeout when too little is known. */
struct history_estimate eviction_stages_estimate(const struct eviction_sync *sync,
                                                 const struct eviction_policy *policy,
                                                 size_t index);
/* Notes how long the stage that was just finished took. */
void eviction_stages_learn(const struct eviction_sync *sync, const struct stages_run *run,
                           const struct eviction_policy *policy);

/* ---- eviction_stages_undo.c ---- */
/* Undoes one thing at a time; true when nothing is left to undo. */
bool eviction_stages_undo(struct eviction_sync *sync, struct eviction_entry *entry,
                          const struct eviction_policy *policy);
/* After the end of the Eviction, or when it is being deleted. */
void eviction_stages_end(struct eviction_sync *sync, struct eviction_entry *entry);

/* ---- shared between them ---- */
/* Writes where it stands; is_done completes the responder. */
void eviction_stages_store(struct eviction_sync *sync, struct eviction_entry *entry, bool is_done);
/* Sends an order to a hook; its answer comes as a result. */
void eviction_stages_call(struct eviction_sync *sync, struct eviction_entry *entry,
                          const struct hook_order *order);
void eviction_stages_stop_call(struct eviction_sync *sync, struct eviction_entry *entry);
void eviction_stages_audit(struct eviction_sync *sync, const struct eviction_entry *entry,
                           const char *op, const char *reason);
