/* Jobs: counting pods that are over, judging success and failure, the status. */
#include "base/util.h"
#include "control/index_set.h"
#include "control/job_priv.h"

int64_t job_pod_index(const struct job_sync *sync, const struct object_entry *pod) {
        int64_t index;

        if (!slice_to_i64(
                    pod_entry_label(sync->run->control->index, pod, SLICE_LITERAL(JOB_INDEX_KEY)),
                    &index) ||
            index < 0 || index >= sync->completions)
                return -1;
        return index;
}

/* ---- failure policy ---- */

static bool contains_code(const struct json *values, int64_t code) {
        struct json_iter iter = json_iter(values);
        const struct json *value;
        int64_t number;

        while (json_next(&iter, NULL, &value)) {
                if (json_as_i64(value, &number) && number == code)
                        return true;
        }
        return false;
}

/* The first container whose exit code a rule names. */
static const struct json *container_hit(const struct json *rule, const struct json *pod,
                                        int64_t *ret_code) {
        static const char *const lists[] = { "containerStatuses", "initContainerStatuses" };
        const struct json *codes = json_get(rule, "onExitCodes"), *container;
        struct slice wanted = json_get_text(codes, "containerName");
        bool is_in = slice_is(json_get_text(codes, "operator"), "In");

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_iter iter = json_iter(json_get(json_get(pod, "status"), lists[i]));

                while (json_next(&iter, NULL, &container)) {
                        const struct json *end =
                                json_get(json_get(container, "state"), "terminated");
                        int64_t code = json_get_i64(end, "exitCode", 0);

                        if (!end || code == 0 ||
                            (wanted.len && !slice_eq(wanted, json_get_text(container, "name"))))
                                continue;
                        *ret_code = code;
                        if (contains_code(json_get(codes, "values"), code) == is_in)
                                return container;
                }
        }
        return NULL;
}

static bool has_condition(const struct json *rule, const struct json *pod) {
        struct json_iter iter = json_iter(json_get(rule, "onPodConditions"));
        const struct json *pattern;

        while (json_next(&iter, NULL, &pattern)) {
                struct slice wanted = json_get_text(pattern, "status");
                struct json_iter found = json_iter(json_get(json_get(pod, "status"), "conditions"));
                const struct json *condition;

                if (wanted.len == 0)
                        wanted = SLICE_LITERAL("True");
                while (json_next(&found, NULL, &condition)) {
                        if (slice_eq(json_get_text(condition, "type"),
                                     json_get_text(pattern, "type")) &&
                            slice_eq(json_get_text(condition, "status"), wanted))
                                return true;
                }
        }
        return false;
}

static void fail_by_rule(struct job_sync *sync, const struct json *pod,
                         const struct json *container, int64_t code, size_t rule) {
        sync->failure_reason = "PodFailurePolicy";
        if (container)
                sync->failure_message = arena_printf(
                        sync->arena,
                        "Container " SLICE_FMT " for pod " SLICE_FMT "/" SLICE_FMT
                        " failed with exit code %lld matching FailJob rule at index %zu",
                        SLICE_ARG(json_get_text(container, "name")),
                        SLICE_ARG(object_namespace(pod)), SLICE_ARG(object_name(pod)),
                        (long long)code, rule);
        else
                sync->failure_message = arena_printf(
                        sync->arena,
                        "Pod " SLICE_FMT "/" SLICE_FMT
                        " has condition DisruptionTarget matching FailJob rule at index %zu",
                        SLICE_ARG(object_namespace(pod)), SLICE_ARG(object_name(pod)), rule);
}

/* Whether a failed pod counts against the limit; the first rule that matches decides. */
static bool is_counted_failure(struct job_sync *sync, const struct json *pod) {
        struct json_iter iter =
                json_iter(json_get(json_get(sync->spec, "podFailurePolicy"), "rules"));
        const struct json *rule;

        for (size_t i = 0; json_next(&iter, NULL, &rule); i++) {
                struct slice action = json_get_text(rule, "action");
                int64_t code = 0;
                const struct json *container =
                        json_get(rule, "onExitCodes") ? container_hit(rule, pod, &code) : NULL;

                if (!container && !has_condition(rule, pod))
                        continue;
                if (slice_is(action, "FailJob"))
                        fail_by_rule(sync, pod, container, code, i);
                return !slice_is(action, "Ignore");
        }
        return true;
}

/* ---- counting ---- */

static int64_t restarts_of(const struct json *pod) {
        static const char *const lists[] = { "containerStatuses", "initContainerStatuses" };
        const struct json *container;
        int64_t restarts = 0;

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_iter iter = json_iter(json_get(json_get(pod, "status"), lists[i]));

                while (json_next(&iter, NULL, &container))
                        restarts += json_get_i64(container, "restartCount", 0);
        }
        return restarts;
}

static void count_active(struct job_sync *sync, struct object_entry *entry) {
        int64_t index = job_pod_index(sync, entry);

        sync->active++;
        sync->ready += entry->pod->is_ready;
        if (sync->is_indexed && index >= 0)
                bitset_add(&sync->busy, (size_t)index);
        if (entry->pod->phase == PHASE_RUNNING &&
            slice_is(json_get_text(json_get(json_get(sync->spec, "template"), "spec"),
                                   "restartPolicy"),
                     "OnFailure")) {
                struct json_doc *doc = NULL;

                sync->restarts += restarts_of(entry_read(entry, &doc));
                json_doc_free(doc);
        }
}

static void count_over(struct job_sync *sync, struct object_entry *entry) {
        bool has_succeeded = entry->pod->phase == PHASE_SUCCEEDED;
        int64_t index = job_pod_index(sync, entry);
        struct json_doc *doc = NULL;

        sync->counted.items[sync->counted.count++] = entry;
        if (has_succeeded && sync->is_indexed) {
                if (index >= 0)
                        bitset_add(&sync->done, (size_t)index);
                return;
        }
        if (has_succeeded) {
                sync->succeeded++;
                return;
        }
        const struct json *pod = entry_read(entry, &doc);
        if (is_counted_failure(sync, pod)) {
                sync->failed++;
                sync->fresh_failed++;
        }
        json_doc_free(doc);
}

/* A pod that is being deleted counts as failed at once, unless a policy has to see its end first.
 */
static bool is_over(const struct job_sync *sync, const struct object_entry *entry) {
        bool waits = json_get(sync->spec, "podFailurePolicy") ||
                     slice_is(json_get_text(sync->spec, "podReplacementPolicy"), "Failed");

        return entry->pod->phase == PHASE_SUCCEEDED || entry->pod->phase == PHASE_FAILED ||
               (entry->pod->is_deleted && !waits);
}

void job_count_pods(struct job_sync *sync) {
        sync->counted.items = ARENA_ARRAY(sync->arena, struct object_entry *, sync->pods.count + 1);
        for (size_t i = 0; i < sync->pods.count; i++) {
                struct object_entry *entry = sync->pods.items[i];
                bool is_terminal =
                        entry->pod->phase == PHASE_SUCCEEDED || entry->pod->phase == PHASE_FAILED;

                if (entry->pod->is_deleted && !is_terminal)
                        sync->terminating++;
                if (!entry->pod->is_deleted && !is_terminal)
                        count_active(sync, entry);
                else if (is_over(sync, entry) &&
                         object_mentions(entry->object, "\"" JOB_FINALIZER "\""))
                        count_over(sync, entry);
        }
        if (sync->is_indexed)
                sync->succeeded = (int64_t)bitset_count(&sync->done);
}

/* ---- judging ---- */

static void judge_deadline(struct job_sync *sync) {
        struct wall_time started = object_time(json_get(sync->job, "status"), "startTime");
        int64_t deadline_s = json_get_i64(sync->spec, "activeDeadlineSeconds", -1);
        struct wall_time due;

        if (deadline_s < 0 || !wall_time_is_set(started) || sync->is_suspended)
                return;
        due.ns = started.ns + deadline_s * NS_PER_S;
        if (sync->now.ns < due.ns) {
                run_add_at(sync->run, object_namespace(sync->job), object_name(sync->job), due);
                return;
        }
        sync->failure_reason = "DeadlineExceeded";
        sync->failure_message = "Job was active longer than specified deadline";
}

void job_judge(struct job_sync *sync) {
        bool is_restarted_often = sync->backoff_limit == 0 ? sync->restarts > 0
                                                           : sync->restarts >= sync->backoff_limit;

        if (sync->failure_reason)
                return;
        if (sync->failed > sync->backoff_limit || (sync->restarts && is_restarted_often)) {
                sync->failure_reason = "BackoffLimitExceeded";
                sync->failure_message = "Job has reached the specified backoff limit";
                return;
        }
        judge_deadline(sync);
        if (sync->failure_reason)
                return;
        sync->is_success = sync->has_completions ? sync->succeeded >= sync->completions
                                                 : sync->succeeded > 0 && sync->active == 0 &&
                                                           sync->terminating == 0;
        if (sync->has_completions && sync->completions == 0)
                sync->is_success = sync->active == 0;
}

/* ---- status ---- */

static void put_condition(struct job_sync *sync, struct json_tree *tree, struct json_node *status,
                          const char *type, const char *const *texts) {
        status_condition_put(tree, status,
                             &(struct status_condition){ .type = type,
                                                         .is_true = true,
                                                         .reason = texts[0],
                                                         .message = texts[1],
                                                         .has_probe_time = true },
                             sync->now);
}

/* The end is announced first and said to have come once no pod is left. */
static void put_end(struct job_sync *sync, struct json_tree *tree, struct json_node *status,
                    bool is_over) {
        const char *const failure[] = { sync->failure_reason, sync->failure_message };
        const char *const success[] = { "CompletionsReached",
                                        "Reached expected number of succeeded pods" };

        if (sync->failure_reason) {
                put_condition(sync, tree, status, "FailureTarget", failure);
                if (is_over)
                        put_condition(sync, tree, status, "Failed", failure);
        } else if (sync->is_success) {
                put_condition(sync, tree, status, "SuccessCriteriaMet", success);
                if (is_over)
                        put_condition(sync, tree, status, "Complete", success);
                if (is_over)
                        status_time(tree, status, "completionTime", sync->now);
        }
}

static void put_suspension(struct job_sync *sync, struct json_tree *tree,
                           struct json_node *status) {
        bool was_suspended = object_condition_is(sync->job, "Suspended", "True");

        if (sync->is_suspended == was_suspended)
                return;
        status_condition_put(
                tree, status,
                &(struct status_condition){
                        .type = "Suspended",
                        .is_true = sync->is_suspended,
                        .reason = sync->is_suspended ? "JobSuspended" : "JobResumed",
                        .message = sync->is_suspended ? "Job suspended" : "Job resumed",
                        .has_probe_time = true },
                sync->now);
        object_event(sync->run, sync->run->control->resource.jobs, sync->job,
                     sync->is_suspended ? "Suspended" : "Resumed", "%s",
                     sync->is_suspended ? "Job suspended" : "Job resumed");
}

static void put_start(struct job_sync *sync, struct json_tree *tree, struct json_node *status) {
        if (sync->is_suspended)
                node_put(tree, status, "startTime", node_null(tree));
        else if (!node_get(status, "startTime") ||
                 node_type(node_get(status, "startTime")) == JSON_NULL)
                status_time(tree, status, "startTime", sync->now);
}

int job_write_status(struct job_sync *sync, bool is_over, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, sync->job);
        struct buf indexes = { 0 };

        if (!sync->is_suspended || node_get(status, "startTime"))
                put_start(sync, tree, status);
        status_count(tree, status, "active", sync->active);
        node_put_i64(tree, status, "ready", sync->ready);
        node_put_i64(tree, status, "terminating", sync->terminating);
        status_count(tree, status, "succeeded", sync->succeeded);
        status_count(tree, status, "failed", sync->failed);
        node_need_object(tree, status, "uncountedTerminatedPods");
        if (sync->is_indexed) {
                index_set_write(&sync->done, (size_t)sync->completions, &indexes);
                if (indexes.len || node_get(status, "completedIndexes"))
                        node_put_text(tree, status, "completedIndexes", buf_view(&indexes));
        }
        put_suspension(sync, tree, status);
        put_end(sync, tree, status, is_over);
        int r = status_write_back(sync->run, sync->run->control->resource.jobs, sync->job, tree,
                                  status, err);
        buf_release(&indexes);
        json_tree_free(tree);
        return r;
}
