/* Pod runs: starting, ending, restarting and stopping containers in their order. */
#include "control/pod_run.h"

#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

#define STEPS_MAX 10000 /* events in one go, against plans that never get anywhere */
#define EXIT_KILLED 137
#define EXIT_LOST 255 /* of containers that a reboot ended */

static struct wall_time pod_run_later(struct wall_time time, int64_t ns) {
        if (ns >= LIFECYCLE_FOR_EVER - time.ns)
                return WALL_TIME_UNSET;
        return (struct wall_time){ time.ns + ns };
}

static bool is_due(struct wall_time time, struct wall_time now) {
        return wall_time_is_set(time) && time.ns <= now.ns;
}

static bool is_restarting_policy(const struct pod_plan *plan, enum planned_container_role role,
                                 int32_t exit_code) {
        if (role == CONTAINER_SIDECAR)
                return true;
        if (role == CONTAINER_INIT)
                return exit_code != 0 && plan->restart_policy != RESTART_NEVER;
        return plan->restart_policy == RESTART_ALWAYS ||
               (plan->restart_policy == RESTART_ON_FAILURE && exit_code != 0);
}

/* ---- one container ---- */

static void see_readiness(struct container_run *run, const struct container_plan *plan,
                          struct wall_time now) {
        int64_t elapsed_ns = now.ns - run->started.ns - plan->ready_delay_ns, next_ns;

        run->ready_change = WALL_TIME_UNSET;
        if (elapsed_ns < 0) {
                run->is_ready = false;
                run->ready_change = pod_run_later(run->started, plan->ready_delay_ns);
                return;
        }
        run->is_ready = lifecycle_is_ready_at(&plan->readiness, elapsed_ns, &next_ns);
        if (next_ns != LIFECYCLE_FOR_EVER)
                run->ready_change = pod_run_later(run->started, plan->ready_delay_ns + next_ns);
}

static const struct lifecycle_step *step_of(const struct container_run *run,
                                            const struct container_plan *plan) {
        return lifecycle_script_at(&plan->script, run->restarts);
}

static void plan_end(struct container_run *run, const struct container_plan *container,
                     const struct pod_plan *plan) {
        const struct lifecycle_step *step = step_of(run, container);
        uint64_t salt = slice_hash(container->name) + (uint64_t)run->restarts;

        run->end = WALL_TIME_UNSET;
        if (step && step->length.least_ns != LIFECYCLE_FOR_EVER)
                run->end = pod_run_later(run->started, pod_plan_draw(plan, step->length, salt));
}

static void pod_run_start(struct container_run *run, const struct container_plan *container,
                          const struct pod_plan *plan, struct wall_time at) {
        if (run->has_begun)
                run->restarts++;
        if (run->now.is_set)
                run->last = run->now;
        run->now = (struct container_end){ 0 };
        run->has_begun = true;
        run->is_backing_off = false;
        run->state = STATE_RUNNING;
        run->started = at;
        run->next = WALL_TIME_UNSET;
        plan_end(run, container, plan);
        if (container->role != CONTAINER_INIT)
                see_readiness(run, container, at);
}

static void pod_run_terminate(struct container_run *run, int32_t exit_code, struct slice reason,
                              struct wall_time at) {
        if (reason.len == 0)
                reason = exit_code ? SLICE_LITERAL("Error") : SLICE_LITERAL("Completed");
        run->now = (struct container_end){
                .is_set = true, .started = run->started, .finished = at, .exit_code = exit_code
        };
        snprintf(run->now.reason, sizeof(run->now.reason), SLICE_FMT, SLICE_ARG(reason));
        run->state = STATE_TERMINATED;
        run->is_ready = false;
        run->is_backing_off = false;
        run->end = run->ready_change = run->next = WALL_TIME_UNSET;
}

/* The first restart comes at once; then pauses double. A long quiet run makes them short again. */
static void restart_later(struct container_run *run, const struct pod_plan *plan,
                          struct wall_time at) {
        int64_t pause_ns = 0;

        if (run->now.finished.ns - run->now.started.ns > 2 * plan->backoff_max_ns)
                run->backoff = 0;
        if (run->backoff > 0) {
                unsigned doublings = run->backoff - 1 > 20 ? 20 : run->backoff - 1;

                pause_ns = plan->backoff_first_ns << doublings;
                if (pause_ns > plan->backoff_max_ns)
                        pause_ns = plan->backoff_max_ns;
        }
        run->backoff++;
        run->next = pod_run_later(at, pause_ns);
        if (pause_ns == 0)
                return;
        run->state = STATE_WAITING;
        run->is_backing_off = true;
        run->last = run->now;
        run->now = (struct container_end){ 0 };
}

/* ---- order ---- */

/* Starts a container for the first time, unless it has to wait. */
static void pod_run_begin(struct pod_run *run, const struct pod_plan *plan, size_t i,
                          struct wall_time at) {
        struct container_run *container = &run->containers[i];
        const struct lifecycle_waiting *waiting = &plan->containers[i].waiting;

        if (container->has_begun || container->state != STATE_WAITING ||
            wall_time_is_set(container->next))
                return;
        container->next = at;
        if (waiting->reason.len)
                container->next = pod_run_later(at, waiting->length_ns);
}

static bool is_done(const struct pod_run *run, const struct pod_plan *plan, size_t i) {
        const struct container_run *container = &run->containers[i];

        if (plan->containers[i].role == CONTAINER_SIDECAR)
                return container->has_begun;
        return container->state == STATE_TERMINATED && container->now.exit_code == 0;
}

static void pod_run_finish(struct pod_run *run, const struct pod_plan *plan, enum run_end end,
                           struct wall_time at) {
        for (size_t i = 0; i < run->count; i++) {
                struct container_run *container = &run->containers[i];
                bool is_failed = end == RUN_FAILED && plan->containers[i].role == CONTAINER_MAIN;

                if (container->state == STATE_RUNNING)
                        pod_run_terminate(container, is_failed ? EXIT_KILLED : 0, SLICE_EMPTY, at);
                container->next = WALL_TIME_UNSET;
        }
        run->end = end;
}

static bool is_init_failed(const struct pod_run *run, const struct pod_plan *plan, size_t i) {
        return plan->containers[i].role == CONTAINER_INIT &&
               run->containers[i].state == STATE_TERMINATED &&
               run->containers[i].now.exit_code != 0 && plan->restart_policy == RESTART_NEVER;
}

/* Starts what may start now: init containers one after the other, then all others. */
static void go_on(struct pod_run *run, const struct pod_plan *plan, struct wall_time at) {
        bool is_main_over = true;
        enum run_end end = RUN_SUCCEEDED;

        for (size_t i = 0; i < run->count && plan->containers[i].role != CONTAINER_MAIN; i++) {
                if (run->is_initialized || is_done(run, plan, i))
                        continue;
                if (is_init_failed(run, plan, i))
                        pod_run_finish(run, plan, RUN_FAILED, at);
                else
                        pod_run_begin(run, plan, i, at);
                return;
        }
        run->is_initialized = true;
        for (size_t i = 0; i < run->count; i++) {
                const struct container_run *container = &run->containers[i];

                if (plan->containers[i].role != CONTAINER_MAIN)
                        continue;
                pod_run_begin(run, plan, i, at);
                is_main_over &=
                        container->state == STATE_TERMINATED && !wall_time_is_set(container->next);
                if (container->now.exit_code)
                        end = RUN_FAILED;
        }
        if (is_main_over)
                pod_run_finish(run, plan, end, at);
}

/* ---- time ---- */

static void advance_container(struct pod_run *run, const struct pod_plan *plan, size_t i,
                              struct wall_time at) {
        struct container_run *container = &run->containers[i];
        const struct container_plan *planned = &plan->containers[i];

        if (container->state == STATE_RUNNING && is_due(container->end, at)) {
                const struct lifecycle_step *step = step_of(container, planned);

                pod_run_terminate(container, step ? step->exit_code : 0,
                                  step ? step->reason : SLICE_EMPTY, at);
                if (is_restarting_policy(plan, planned->role, container->now.exit_code))
                        restart_later(container, plan, at);
        }
        if (container->state != STATE_RUNNING && is_due(container->next, at)) {
                pod_run_start(container, planned, plan, at);
                if (planned->role == CONTAINER_MAIN && !wall_time_is_set(run->running_since))
                        run->running_since = at;
        }
        if (container->state == STATE_RUNNING && is_due(container->ready_change, at))
                see_readiness(container, planned, at);
}

static void fail_pod(struct pod_run *run, const struct pod_plan *plan, struct slice reason,
                     struct slice message, struct wall_time at) {
        pod_run_finish(run, plan, RUN_FAILED, at);
        snprintf(run->reason, sizeof(run->reason), SLICE_FMT, SLICE_ARG(reason));
        snprintf(run->message, sizeof(run->message), SLICE_FMT, SLICE_ARG(message));
}

static struct wall_time deadline_of(const struct pod_run *run, const struct pod_plan *plan) {
        if (plan->active_deadline_s < 0 || run->is_stopping)
                return WALL_TIME_UNSET;
        return pod_run_later(run->accepted, plan->active_deadline_s * NS_PER_S);
}

static struct wall_time failure_of(const struct pod_run *run, const struct pod_plan *plan) {
        if (!plan->failure.is_planned || run->is_stopping || !wall_time_is_set(run->running_since))
                return WALL_TIME_UNSET;
        return pod_run_later(run->running_since, plan->failure.after_ns);
}

static void take_earlier(struct wall_time *time, struct wall_time other) {
        if (wall_time_is_set(other) && (!wall_time_is_set(*time) || other.ns < time->ns))
                *time = other;
}

struct wall_time pod_run_due(const struct pod_run *run, const struct pod_plan *plan) {
        struct wall_time due = WALL_TIME_UNSET;

        if (pod_run_is_over(run))
                return due;
        if (!run->is_up && !run->is_stopping)
                take_earlier(&due, run->begin);
        take_earlier(&due, deadline_of(run, plan));
        take_earlier(&due, failure_of(run, plan));
        for (size_t i = 0; i < run->count; i++) {
                take_earlier(&due, run->containers[i].end);
                take_earlier(&due, run->containers[i].ready_change);
                if (!run->is_stopping)
                        take_earlier(&due, run->containers[i].next);
        }
        return due;
}

void pod_run_resume(struct pod_run *run, const struct pod_plan *plan, struct wall_time now) {
        for (size_t i = 0; i < run->count; i++) {
                struct container_run *container = &run->containers[i];
                const struct container_plan *planned = &plan->containers[i];

                if (container->state == STATE_RUNNING) {
                        plan_end(container, planned, plan);
                        if (planned->role != CONTAINER_INIT)
                                see_readiness(container, planned, now);
                } else if (container->state == STATE_TERMINATED &&
                           is_restarting_policy(plan, planned->role, container->now.exit_code)) {
                        restart_later(container, plan, container->now.finished);
                } else if (container->is_backing_off) {
                        container->now = container->last;
                        restart_later(container, plan, container->last.finished);
                }
        }
}

static void shift_time(struct wall_time *time, int64_t ns) {
        if (wall_time_is_set(*time))
                time->ns += ns;
}

void pod_run_shift(struct pod_run *run, int64_t ns) {
        shift_time(&run->accepted, ns);
        shift_time(&run->begin, ns);
        shift_time(&run->running_since, ns);
        for (size_t i = 0; i < run->count; i++) {
                struct container_run *container = &run->containers[i];
                struct wall_time *times[] = {
                        &container->started,      &container->end,
                        &container->next,         &container->ready_change,
                        &container->now.started,  &container->now.finished,
                        &container->last.started, &container->last.finished,
                };

                for (size_t j = 0; j < ARRAY_LEN(times); j++)
                        shift_time(times[j], ns);
        }
}

/* ---- stopping ---- */

/* When grace ends: deletionTimestamp, unless the clock has been set back since. */
static struct wall_time grace_end(const struct pod_plan *plan, struct wall_time at) {
        struct wall_time end = { at.ns + plan->grace_ns };

        take_earlier(&end, plan->deleted);
        return at.ns > end.ns ? at : end;
}

static void stop_containers(struct pod_run *run, const struct pod_plan *plan, struct wall_time at) {
        struct wall_time last = grace_end(plan, at);

        for (size_t i = 0; i < run->count; i++) {
                struct container_run *container = &run->containers[i];
                const struct lifecycle_shutdown *shutdown = &plan->containers[i].shutdown;
                int64_t length_ns = pod_plan_draw(plan, shutdown->length, 1);
                struct wall_time end = pod_run_later(at, length_ns);

                container->next = container->ready_change = WALL_TIME_UNSET;
                if (container->state != STATE_RUNNING)
                        continue;
                if (run->is_stopping && container->end.ns <= last.ns)
                        continue;
                container->is_killed = !wall_time_is_set(end) || end.ns > last.ns;
                container->end = container->is_killed ? last : end;
        }
        run->is_stopping = true;
}

static void stop_one(struct pod_run *run, const struct pod_plan *plan, size_t i,
                     struct wall_time at) {
        struct container_run *container = &run->containers[i];
        int32_t exit_code = plan->containers[i].shutdown.exit_code;

        if (container->state == STATE_RUNNING && is_due(container->end, at)) {
                pod_run_terminate(container, container->is_killed ? EXIT_KILLED : exit_code,
                                  SLICE_EMPTY, at);
        }
        if (container->state == STATE_WAITING) {
                container->started = WALL_TIME_UNSET;
                pod_run_terminate(container, EXIT_KILLED, SLICE_LITERAL("ContainerStatusUnknown"),
                                  at);
        }
}

static void advance_stop(struct pod_run *run, const struct pod_plan *plan, struct wall_time at) {
        enum run_end end = RUN_SUCCEEDED;

        for (size_t i = 0; i < run->count; i++) {
                const struct container_run *container = &run->containers[i];

                stop_one(run, plan, i, at);
                if (container->state != STATE_TERMINATED)
                        return;
                if (container->now.exit_code && plan->containers[i].role == CONTAINER_MAIN)
                        end = RUN_FAILED;
        }
        run->end = end;
}

static void pod_run_advance(struct pod_run *run, const struct pod_plan *plan, struct wall_time at) {
        static const char deadline[] =
                "Pod was active on the node longer than the specified deadline";

        if (run->is_stopping) {
                advance_stop(run, plan, at);
                return;
        }
        if (!run->is_up && is_due(run->begin, at))
                run->is_up = true;
        for (size_t i = 0; i < run->count; i++)
                advance_container(run, plan, i, at);
        if (run->is_up)
                go_on(run, plan, at);
        if (is_due(deadline_of(run, plan), at) && !pod_run_is_over(run))
                fail_pod(run, plan, SLICE_LITERAL("DeadlineExceeded"), slice_of(deadline), at);
        if (is_due(failure_of(run, plan), at) && !pod_run_is_over(run))
                fail_pod(run, plan, plan->failure.reason, plan->failure.message, at);
}

bool pod_run_step(struct pod_run *run, const struct pod_plan *plan, struct wall_time now) {
        bool is_changed = false;

        if (pod_run_is_over(run))
                return false;
        for (size_t i = 0; i < STEPS_MAX; i++) {
                struct wall_time due = pod_run_due(run, plan);

                if (!is_due(due, now) || pod_run_is_over(run))
                        break;
                pod_run_advance(run, plan, due);
                is_changed = true;
        }
        if (!wall_time_is_set(plan->deleted) || pod_run_is_over(run))
                return is_changed;
        if (!run->is_stopping)
                is_changed = true; /* waiting containers end with the signal */
        stop_containers(run, plan, now);
        advance_stop(run, plan, now);
        return is_changed || pod_run_is_over(run);
}

void pod_run_lose(struct pod_run *run, const struct pod_plan *plan, struct wall_time at) {
        if (pod_run_is_over(run))
                return;
        for (size_t i = 0; i < run->count; i++) {
                struct container_run *container = &run->containers[i];

                if (container->state != STATE_RUNNING)
                        continue;
                pod_run_terminate(container, EXIT_LOST, SLICE_LITERAL("Unknown"), at);
                if (is_restarting_policy(plan, plan->containers[i].role, EXIT_LOST))
                        container->next = at;
        }
        if (run->is_up && !run->is_stopping)
                go_on(run, plan, at);
}

void pod_run_free(struct pod_run *run) {
        free(run);
}
