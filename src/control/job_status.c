/* Jobs: counting pods that are over, judging success and failure, the status. */
#include "base/util.h"
#include "control/index_set.h"
#include "control/job_priv.h"

int64_t job_pod_index(const struct job_look *look, const struct object_entry *pod) {
        int64_t index;

        if (!slice_to_i64(
                    pod_entry_label(look->run->control->index, pod, SLICE_LITERAL(JOB_INDEX_KEY)),
                    &index) ||
            index < 0 || index >= look->completions)
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

static void fail_by_rule(struct job_look *look, const struct json *pod,
                         const struct json *container, int64_t code, size_t rule) {
        look->failure_reason = "PodFailurePolicy";
        if (container)
                look->failure_message = arena_printf(
                        look->arena,
                        "Container " SLICE_FMT " for pod " SLICE_FMT "/" SLICE_FMT
                        " failed with exit code %lld matching FailJob rule at index %zu",
                        SLICE_ARG(json_get_text(container, "name")),
                        SLICE_ARG(object_namespace(pod)), SLICE_ARG(object_name(pod)),
                        (long long)code, rule);
        else
                look->failure_message = arena_printf(
                        look->arena,
                        "Pod " SLICE_FMT "/" SLICE_FMT
                        " has condition DisruptionTarget matching FailJob rule at index %zu",
                        SLICE_ARG(object_namespace(pod)), SLICE_ARG(object_name(pod)), rule);
}

/* Whether a failed pod counts against the limit; the first rule that matches decides. */
static bool is_counted_failure(struct job_look *look, const struct json *pod) {
        struct json_iter iter =
                json_iter(json_get(json_get(look->spec, "podFailurePolicy"), "rules"));
        const struct json *rule;

        for (size_t i = 0; json_next(&iter, NULL, &rule); i++) {
                struct slice action = json_get_text(rule, "action");
                int64_t code = 0;
                const struct json *container =
                        json_get(rule, "onExitCodes") ? container_hit(rule, pod, &code) : NULL;

                if (!container && !has_condition(rule, pod))
                        continue;
                if (slice_is(action, "FailJob"))
                        fail_by_rule(look, pod, container, code, i);
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

static void count_active(struct job_look *look, struct object_entry *entry) {
        int64_t index = job_pod_index(look, entry);

        look->active++;
        look->ready += entry->pod->is_ready;
        if (look->is_indexed && index >= 0)
                bitset_add(&look->busy, (size_t)index);
        if (entry->pod->phase == PHASE_RUNNING &&
            slice_is(json_get_text(json_get(json_get(look->spec, "template"), "spec"),
                                   "restartPolicy"),
                     "OnFailure")) {
                struct json_doc *doc = NULL;

                look->restarts += restarts_of(entry_read(entry, &doc));
                json_doc_free(doc);
        }
}

static void count_over(struct job_look *look, struct object_entry *entry) {
        bool has_succeeded = entry->pod->phase == PHASE_SUCCEEDED;
        int64_t index = job_pod_index(look, entry);
        struct json_doc *doc = NULL;

        look->counted.items[look->counted.count++] = entry;
        if (has_succeeded && look->is_indexed) {
                if (index >= 0)
                        bitset_add(&look->done, (size_t)index);
                return;
        }
        if (has_succeeded) {
                look->succeeded++;
                return;
        }
        const struct json *pod = entry_read(entry, &doc);
        if (is_counted_failure(look, pod)) {
                look->failed++;
                look->fresh_failed++;
        }
        json_doc_free(doc);
}

/* A pod that is being deleted counts as failed at once, unless a policy has to see its end first.
 */
static bool is_over(const struct job_look *look, const struct object_entry *entry) {
        bool waits = json_get(look->spec, "podFailurePolicy") ||
                     slice_is(json_get_text(look->spec, "podReplacementPolicy"), "Failed");

        return entry->pod->phase == PHASE_SUCCEEDED || entry->pod->phase == PHASE_FAILED ||
               (entry->pod->is_deleted && !waits);
}

void job_count_pods(struct job_look *look) {
        look->counted.items = ARENA_ARRAY(look->arena, struct object_entry *, look->pods.count + 1);
        for (size_t i = 0; i < look->pods.count; i++) {
                struct object_entry *entry = look->pods.items[i];
                bool is_terminal =
                        entry->pod->phase == PHASE_SUCCEEDED || entry->pod->phase == PHASE_FAILED;

                if (entry->pod->is_deleted && !is_terminal)
                        look->terminating++;
                if (!entry->pod->is_deleted && !is_terminal)
                        count_active(look, entry);
                else if (is_over(look, entry) &&
                         object_mentions(entry->object, "\"" JOB_FINALIZER "\""))
                        count_over(look, entry);
        }
        if (look->is_indexed)
                look->succeeded = (int64_t)bitset_count(&look->done);
}

/* ---- judging ---- */

static void judge_deadline(struct job_look *look) {
        struct wall_time started = object_time(json_get(look->job, "status"), "startTime");
        int64_t deadline_s = json_get_i64(look->spec, "activeDeadlineSeconds", -1);
        struct wall_time due;

        if (deadline_s < 0 || !wall_time_is_set(started) || look->is_suspended)
                return;
        due.ns = started.ns + deadline_s * NS_PER_S;
        if (look->now.ns < due.ns) {
                run_add_at(look->run, object_namespace(look->job), object_name(look->job), due);
                return;
        }
        look->failure_reason = "DeadlineExceeded";
        look->failure_message = "Job was active longer than specified deadline";
}

void job_judge(struct job_look *look) {
        bool is_restarted_often = look->backoff_limit == 0 ? look->restarts > 0
                                                           : look->restarts >= look->backoff_limit;

        if (look->failure_reason)
                return;
        if (look->failed > look->backoff_limit || (look->restarts && is_restarted_often)) {
                look->failure_reason = "BackoffLimitExceeded";
                look->failure_message = "Job has reached the specified backoff limit";
                return;
        }
        judge_deadline(look);
        if (look->failure_reason)
                return;
        look->is_success = look->has_completions ? look->succeeded >= look->completions
                                                 : look->succeeded > 0 && look->active == 0 &&
                                                           look->terminating == 0;
        if (look->has_completions && look->completions == 0)
                look->is_success = look->active == 0;
}

/* ---- status ---- */

static void put_condition(struct job_look *look, struct json_tree *tree, struct json_node *status,
                          const char *type, const char *const *texts) {
        status_condition_put(tree, status,
                             &(struct status_condition){ .type = type,
                                                         .is_true = true,
                                                         .reason = texts[0],
                                                         .message = texts[1],
                                                         .has_probe_time = true },
                             look->now);
}

/* The end is announced first and said to have come once no pod is left. */
static void put_end(struct job_look *look, struct json_tree *tree, struct json_node *status,
                    bool is_over) {
        const char *const failure[] = { look->failure_reason, look->failure_message };
        const char *const success[] = { "CompletionsReached",
                                        "Reached expected number of succeeded pods" };

        if (look->failure_reason) {
                put_condition(look, tree, status, "FailureTarget", failure);
                if (is_over)
                        put_condition(look, tree, status, "Failed", failure);
        } else if (look->is_success) {
                put_condition(look, tree, status, "SuccessCriteriaMet", success);
                if (is_over)
                        put_condition(look, tree, status, "Complete", success);
                if (is_over)
                        status_time(tree, status, "completionTime", look->now);
        }
}

static void put_suspension(struct job_look *look, struct json_tree *tree,
                           struct json_node *status) {
        bool was_suspended = object_condition_is(look->job, "Suspended", "True");

        if (look->is_suspended == was_suspended)
                return;
        status_condition_put(
                tree, status,
                &(struct status_condition){
                        .type = "Suspended",
                        .is_true = look->is_suspended,
                        .reason = look->is_suspended ? "JobSuspended" : "JobResumed",
                        .message = look->is_suspended ? "Job suspended" : "Job resumed",
                        .has_probe_time = true },
                look->now);
        object_event(look->run, look->run->control->resource.jobs, look->job,
                     look->is_suspended ? "Suspended" : "Resumed", "%s",
                     look->is_suspended ? "Job suspended" : "Job resumed");
}

static void put_start(struct job_look *look, struct json_tree *tree, struct json_node *status) {
        if (look->is_suspended)
                node_put(tree, status, "startTime", node_null(tree));
        else if (!node_get(status, "startTime") ||
                 node_type(node_get(status, "startTime")) == JSON_NULL)
                status_time(tree, status, "startTime", look->now);
}

int job_write_status(struct job_look *look, bool is_over, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, look->job);
        struct buf indexes = { 0 };

        if (!look->is_suspended || node_get(status, "startTime"))
                put_start(look, tree, status);
        status_count(tree, status, "active", look->active);
        node_put_i64(tree, status, "ready", look->ready);
        node_put_i64(tree, status, "terminating", look->terminating);
        status_count(tree, status, "succeeded", look->succeeded);
        status_count(tree, status, "failed", look->failed);
        node_need_object(tree, status, "uncountedTerminatedPods");
        if (look->is_indexed) {
                index_set_write(&look->done, (size_t)look->completions, &indexes);
                if (indexes.len || node_get(status, "completedIndexes"))
                        node_put_text(tree, status, "completedIndexes", buf_view(&indexes));
        }
        put_suspension(look, tree, status);
        put_end(look, tree, status, is_over);
        int r = status_write_back(look->run, look->run->control->resource.jobs, look->job, tree,
                                  status, err);
        buf_release(&indexes);
        json_tree_free(tree);
        return r;
}
