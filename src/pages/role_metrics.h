/* What roles and their process count, under upstream's names where upstream has one (reference
 * scheduler.md 8.1, descheduler.md 6), else under berth_. */
#pragma once

#include "api/arrival.h"
#include "base/buf.h"
#include "loop/runtime.h"
#include "model/event.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decision_watch;
struct evict_requester;
struct json;
struct metrics;
struct scheduler;

/* The process, its writes and its model. */
struct runtime_metrics *runtime_metrics_new(struct metrics *metrics, struct runtime *runtime);
void runtime_metrics_free(struct runtime_metrics *own); /* accepts NULL */

/* Made before the scheduler, which is set next. */
struct scheduler_metrics *scheduler_metrics_new(struct metrics *metrics, struct runtime *runtime);
void scheduler_metrics_follow(struct scheduler_metrics *own, const struct scheduler *scheduler);
/* For the scheduler's configuration. */
const struct decision_watch *scheduler_metrics_watch(const struct scheduler_metrics *own);
void scheduler_metrics_placed(void *own, uint32_t attempts, int64_t since_first_ns,
                              bool was_flushed);
void scheduler_metrics_free(struct scheduler_metrics *own); /* accepts NULL */
/* After a step that took so long; reads the decisions it made from the scheduler's trace.  Both
 * accept NULL. */
void scheduler_metrics_stepped(struct scheduler_metrics *own, int64_t elapsed_ns);
void scheduler_metrics_bound(struct scheduler_metrics *own, const struct action_result *result);

/* What a watch brought is about to be taken in, and has been; both accept NULL. */
void scheduler_metrics_arriving(struct scheduler_metrics *own);
void scheduler_metrics_arrived(struct scheduler_metrics *own, enum object_kind kind,
                               enum change_kind change, struct arrival *arrival);

/* is_parity: descheduler_build_info is 0, as upstream has it. */
struct descheduler_metrics *descheduler_metrics_new(struct metrics *metrics,
                                                    const struct evict_requester *requester,
                                                    bool is_parity);
void descheduler_metrics_free(struct descheduler_metrics *own); /* accepts NULL */
/* After a pass, or a rule of it, that took so long; both accept NULL. */
void descheduler_metrics_passed(struct descheduler_metrics *own, int64_t elapsed_ns);
void descheduler_metrics_ran(struct descheduler_metrics *own, struct slice plugin,
                             struct slice profile, bool is_well, int64_t elapsed_ns);
/* So many pods of a rule stay, for the scheduler would not place them better; is_all: none of its
 * pods moves.  Accepts NULL. */
void descheduler_metrics_not_better(struct descheduler_metrics *own, struct slice plugin,
                                    struct slice profile, uint32_t count, bool is_all);

struct descheduler_verdicts { /* of a rule in one pass, in pods */
        struct slice plugin, profile;
        uint32_t evicted, limited, refused, spared, young;
};
void descheduler_metrics_judged(struct descheduler_metrics *own,
                                const struct descheduler_verdicts *verdicts); /* accepts NULL */

/* Monotonic nanoseconds, read now: what the loop calls now stands still during an iteration. */
int64_t stopwatch_ns(void);
/* The remembered decisions, newest last, as a JSON array. */
void decisions_write(const struct scheduler *scheduler, struct buf *out);
