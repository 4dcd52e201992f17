/* Letting time pass in a workload. */
#include "base/util.h"
#include "sim/perf_run_priv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STALL_NS (60 * NS_PER_S) /* without any of the awaited pods getting further */
#define TICK_NS 1000000          /* when what is due has nothing to do */

bool perf_pod_is_in(const struct perf_pod *pod, const struct perf_scope *scope) {
        struct json_iter iter = json_iter(scope->namespaces);
        const struct json *item;
        struct slice key;
        bool is_listed = scope->ns ? slice_is(slice_of(pod->ns), scope->ns)
                                   : json_count(scope->namespaces) == 0;
        while (json_next(&iter, NULL, &item))
                is_listed = is_listed || slice_is(json_text(item), pod->ns);
        iter = json_iter(scope->selector);
        while (is_listed && json_next(&iter, &key, &item)) {
                char pair[256];
                snprintf(pair, sizeof(pair), "\n" SLICE_FMT "=" SLICE_FMT "\n", SLICE_ARG(key),
                         SLICE_ARG(json_text(item)));
                is_listed = strstr(pod->labels, pair);
        }
        return is_listed;
}

int64_t perf_count_placed(const struct perf_run *run, const struct perf_scope *scope) {
        int64_t count = 0;
        for (size_t i = 0; i < run->world.count; i++) {
                const struct perf_pod *pod = run->world.all[i];
                count += pod->is_counted && pod->node && perf_pod_is_in(pod, scope);
        }
        return count;
}

static bool is_done(const struct perf_pod *pod, enum perf_stage stage) {
        if (pod->node || pod->is_gone)
                return true;
        return stage == PERF_ATTEMPTED && (pod->reason || pod->is_gated);
}

/* Pods that are not that far yet. */
struct open_pods {
        struct perf_pod **items;
        size_t count;
        enum perf_stage stage;
};

static struct open_pods find_open(const struct perf_run *run, const struct perf_scope *scope,
                                  enum perf_stage stage) {
        struct open_pods open = { .items = xcalloc(run->world.count + 1, sizeof(*open.items)),
                                  .stage = stage };
        for (size_t i = 0; i < run->world.count; i++) {
                struct perf_pod *pod = run->world.all[i];
                if (pod->is_counted && !is_done(pod, stage) && perf_pod_is_in(pod, scope))
                        open.items[open.count++] = pod;
        }
        return open;
}

/* Whether any is left; looks no further than to the last one that is. */
static bool is_any_open(struct open_pods *open) {
        while (open->count > 0 && is_done(open->items[open->count - 1], open->stage))
                open->count--;
        return open->count > 0;
}

/* ---- time ---- */

static bool is_over(const struct perf_activity *activity) {
        return activity->count >= 0 && activity->done >= activity->count;
}

/* Whatever is due by now. */
static int perf_wait_act(struct perf_run *run, struct err *err) {
        for (size_t i = 0; i < run->activity_count; i++) {
                struct perf_activity *activity = run->activities[i];
                while (!is_over(activity) && activity->next_ns <= run->world.now_ns) {
                        int code = activity->act(run, activity, err);
                        if (code < 0)
                                return code;
                        activity->done++;
                        activity->next_ns += activity->interval_ns;
                }
        }
        return 0;
}

/* When something happens next; INT64_MAX: never. */
static int64_t next_event(const struct perf_run *run) {
        struct mono_time due;
        int64_t next = INT64_MAX;
        if (scheduler_next_due(run->world.scheduler, &due))
                next = due.ns;
        for (size_t i = 0; i < run->activity_count; i++)
                if (!is_over(run->activities[i]) && run->activities[i]->next_ns < next)
                        next = run->activities[i]->next_ns;
        return next;
}

int perf_wait_round(struct perf_run *run, int64_t until, bool *ret_goes_on, struct err *err) {
        bool worked = false;
        *ret_goes_on = true;
        int code = perf_wait_act(run, err);
        if (code == 0)
                code = perf_world_step(&run->world, &worked, err);
        if (code < 0 || worked)
                return code;
        int64_t next = next_event(run);
        if (next == INT64_MAX)
                *ret_goes_on = false;
        if (next > until)
                next = until;
        run->world.now_ns = next > run->world.now_ns ? next : run->world.now_ns + TICK_NS;
        return 0;
}

static int perf_wait_stalled(const struct perf_run *run, const struct open_pods *open,
                             struct err *err) {
        size_t count = 0;
        for (size_t i = 0; i < open->count; i++)
                count += !is_done(open->items[i], open->stage);
        return err_set(err, BERTH_ERR_TIMEOUT, "operation %zu: %zu pods are still not %s",
                       run->operation, count,
                       open->stage == PERF_SCHEDULED ? "scheduled" : "attempted");
}

int perf_wait_pods(struct perf_run *run, const struct perf_scope *scope, enum perf_stage stage,
                   struct err *err) {
        struct open_pods open = find_open(run, scope, stage);
        int64_t until = run->world.now_ns + STALL_NS;
        int code = 0;
        while (code == 0 && is_any_open(&open)) {
                bool goes_on;
                uint64_t before = run->world.progress;
                code = perf_wait_round(run, until, &goes_on, err);
                if (run->world.progress > before)
                        until = run->world.now_ns + STALL_NS;
                if (run->env->progress)
                        run->env->progress(run->env->progress_context, run->world.progress, 0);
                if (code == 0 && (!goes_on || run->world.now_ns >= until) && is_any_open(&open))
                        code = perf_wait_stalled(run, &open, err);
        }
        free(open.items);
        return code;
}

int perf_wait_activity(struct perf_run *run, const struct perf_activity *activity,
                       struct err *err) {
        while (!is_over(activity)) {
                bool goes_on;
                int code = perf_wait_round(run, activity->next_ns, &goes_on, err);
                if (code < 0)
                        return code;
        }
        return 0;
}

int perf_pass(struct perf_run *run, int64_t duration_ns, struct err *err) {
        int64_t until = run->world.now_ns + duration_ns;
        while (run->world.now_ns < until) {
                bool goes_on;
                int code = perf_wait_round(run, until, &goes_on, err);
                if (code < 0)
                        return code;
        }
        return 0;
}
