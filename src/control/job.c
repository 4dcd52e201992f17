/* Jobs: pods that run to their end, as often and as many at once as asked for.
 *
 * Every pod of a job carries a finalizer until its end is counted, so that no count is lost when
 * another client deletes finished pods. */
#include "base/map.h"
#include "base/util.h"
#include "control/index_set.h"
#include "control/job_priv.h"
#include <stdlib.h>

#define COMPLETIONS_MAX 100000 /* indexes tracked */
#define BURST_MAX 500
#define FAILURES_MAX 6 /* doublings of the pause after a failed pod */

/* Failures in a row, by uid of the job: they slow down replacements. */
struct job_backoff {
        unsigned failures;
        struct wall_time until;
};

static void job_start(struct controller_run *run) {
        run->state = map_new();
}

static void job_stop(struct controller_run *run) {
        map_free_values(run->state);
}

/* A pause ends with a new pod. */
static bool is_busy(const struct controller_run *run) {
        int64_t now = control_now(run->control).ns;
        size_t at = 0;
        void *value;

        while (map_next(run->state, &at, NULL, &value)) {
                if (((struct job_backoff *)value)->until.ns > now)
                        return true;
        }
        return false;
}

static void job_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;

        if (change->resource == number->pods) {
                pod_owner_observe(run, change, number->jobs, "Job");
                return;
        }
        if (change->resource != number->jobs)
                return;
        if (change->event->type == STORE_DELETED)
                free(map_remove(run->state, object_uid(change_object(change))));
        work_queue_add(run->queue, store_object_ns(change->event->object),
                       store_object_name(change->event->object));
}

/* ---- finalizers ---- */

static int release_pod(struct controller_run *run, const struct object_entry *entry,
                       struct err *err) {
        const struct store_object *ref = store_object_ref(entry->object);
        struct object_target target = { .resource = run->control->resource.pods,
                                        .ns = store_object_ns(ref),
                                        .name = store_object_name(ref) };
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree), *list = node_array(tree);
        struct json_doc *doc = NULL;
        const struct json *pod = entry_read(entry, &doc), *name;
        struct json_iter iter = json_iter(json_get(json_get(pod, "metadata"), "finalizers"));

        while (json_next(&iter, NULL, &name)) {
                if (!slice_is(json_text(name), JOB_FINALIZER))
                        node_append(list, node_import(tree, name));
        }
        node_put(tree, node_need_object(tree, patch, "metadata"), "finalizers", list);
        int r = object_merge(run, &target, patch, err);
        json_doc_free(doc);
        json_tree_free(tree);
        store_object_unref(ref);
        return r == BERTH_ERR_NOT_FOUND ? 0 : r;
}

static bool is_stray(const struct object_entry *entry) {
        return (!entry->controller || !entry->controller->is_alive) &&
               object_mentions(entry->object, "\"" JOB_FINALIZER "\"");
}

/* Pods whose job is gone are not counted. */
static int release_strays(struct controller_run *run, struct slice ns, struct err *err) {
        for (int has_controller = 0; has_controller < 2; has_controller++) {
                const struct entry_list *pods =
                        object_index_pods(run->control->index, ns, has_controller);
                const struct entry_link *link = pods ? pods->first : NULL, *after;
                int r = 0;

                for (; link && r == 0; link = after) {
                        after = link->after;
                        if (is_stray(link->entry))
                                r = release_pod(run, link->entry, err);
                }
                if (r < 0)
                        return r;
        }
        return 0;
}

/* ---- creating ---- */

static void put_index_env(struct json_tree *tree, struct json_node *pod) {
        static const char *const lists[] = { "initContainers", "containers" };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct node_iter iter = node_iter(node_get(node_get(pod, "spec"), lists[i]));
                struct json_node *container;

                while (node_next(&iter, NULL, &container)) {
                        struct json_node *variable = node_object(tree), *source;

                        node_put_string(tree, variable, "name", "JOB_COMPLETION_INDEX");
                        source = node_need_object(tree, variable, "valueFrom");
                        source = node_need_object(tree, source, "fieldRef");
                        node_put_string(tree, source, "fieldPath",
                                        "metadata.labels['" JOB_INDEX_KEY "']");
                        node_append(node_need_array(tree, container, "env"), variable);
                }
        }
}

static void put_index(struct job_sync *sync, struct json_tree *tree, struct json_node *pod,
                      int64_t index) {
        struct json_node *metadata = node_get(pod, "metadata");
        struct slice name = object_name(sync->job);
        char *text = arena_printf(sync->arena, "%lld", (long long)index);

        node_put_string(tree, node_need_object(tree, metadata, "labels"), JOB_INDEX_KEY, text);
        node_put_string(tree, node_need_object(tree, metadata, "annotations"), JOB_INDEX_KEY, text);
        node_put_string(tree, metadata, "generateName",
                        arena_printf(sync->arena, SLICE_FMT "-%s-", SLICE_ARG(name), text));
        if (name.len + strlen(text) + 1 <= 63)
                node_put_string(tree, node_get(pod, "spec"), "hostname",
                                arena_printf(sync->arena, SLICE_FMT "-%s", SLICE_ARG(name), text));
        put_index_env(tree, pod);
}

static int create_pod(struct job_sync *sync, int64_t index, struct err *err) {
        int resource = sync->run->control->resource.jobs;
        struct json_tree *tree = json_tree_new();
        struct json_node *pod = pod_from_template(sync->run, tree, resource, sync->job,
                                                  json_get(sync->spec, "template"));

        node_append(node_need_array(tree, node_get(pod, "metadata"), "finalizers"),
                    node_string(tree, JOB_FINALIZER));
        if (index >= 0)
                put_index(sync, tree, pod, index);
        int r = pod_owner_create(sync->run, resource, sync->job, pod, err);
        json_tree_free(tree);
        return r;
}

static int64_t next_index(const struct job_sync *sync, int64_t from) {
        while (from < sync->completions &&
               (bitset_has(&sync->done, (size_t)from) || bitset_has(&sync->busy, (size_t)from)))
                from++;
        return from < sync->completions ? from : -1;
}

static int create_pods(struct job_sync *sync, int64_t count, struct err *err) {
        int64_t index = -1;

        for (int64_t i = 0; i < count && i < BURST_MAX; i++) {
                if (sync->is_indexed) {
                        index = next_index(sync, index + 1);
                        if (index < 0)
                                return 0;
                }
                int r = create_pod(sync, index, err);
                if (r < 0)
                        return r;
        }
        if (count > BURST_MAX)
                work_queue_add(sync->run->queue, object_namespace(sync->job),
                               object_name(sync->job));
        return 0;
}

static int delete_active(struct job_sync *sync, int64_t count, struct err *err) {
        for (size_t i = sync->pods.count; i > 0 && count > 0; i--) {
                struct object_entry *entry = sync->pods.items[i - 1];

                if (!pod_entry_is_active(entry))
                        continue;
                int r = pod_owner_delete(sync->run, sync->run->control->resource.jobs, sync->job,
                                         entry, err);
                if (r < 0)
                        return r;
                count--;
        }
        return 0;
}

/* ---- pauses ---- */

static bool is_paused(struct job_sync *sync) {
        struct slice uid = object_uid(sync->job);
        struct job_backoff *backoff = map_get(sync->run->state, uid);
        int64_t pause_ns;

        if (sync->fresh_failed) {
                if (!backoff) {
                        backoff = xcalloc(1, sizeof(*backoff));
                        map_put(sync->run->state, uid, backoff);
                }
                pause_ns = sync->run->control->config.backoff_first_ns << backoff->failures;
                if (backoff->failures < FAILURES_MAX)
                        backoff->failures++;
                backoff->until.ns = sync->now.ns + pause_ns;
        } else if (backoff && sync->counted.count) {
                backoff->failures = 0;
                backoff->until.ns = sync->now.ns;
        }
        if (!backoff || backoff->until.ns <= sync->now.ns)
                return false;
        run_add_at(sync->run, object_namespace(sync->job), object_name(sync->job), backoff->until);
        return true;
}

/* ---- one look ---- */

static int64_t wanted_pods(const struct job_sync *sync) {
        if (sync->is_suspended || sync->is_success || sync->failure_reason)
                return 0;
        if (!sync->has_completions)
                return sync->succeeded > 0 ? sync->active : sync->parallelism;
        int64_t left = sync->completions - sync->succeeded;
        return left < sync->parallelism ? left : sync->parallelism;
}

/* Others are replaced only when gone, if the job says so. */
static int64_t present_pods(const struct job_sync *sync) {
        bool waits = json_get(sync->spec, "podFailurePolicy") ||
                     slice_is(json_get_text(sync->spec, "podReplacementPolicy"), "Failed");

        return sync->active + (waits ? sync->terminating : 0);
}

static int job_manage(struct job_sync *sync, struct err *err) {
        int64_t excess = present_pods(sync) - wanted_pods(sync);
        bool is_waiting = is_paused(sync);

        if (object_is_deleted(sync->job))
                return 0;
        if (excess > 0)
                return delete_active(sync, excess, err);
        if (excess < 0 && !is_waiting)
                return create_pods(sync, -excess, err);
        return 0;
}

static bool is_finished(const struct json *job) {
        return object_condition_is(job, "Complete", "True") ||
               object_condition_is(job, "Failed", "True");
}

static void report_end(struct job_sync *sync, bool is_over) {
        int resource = sync->run->control->resource.jobs;

        if (sync->failure_reason && !object_condition(sync->job, "FailureTarget"))
                object_warning(sync->run, resource, sync->job, sync->failure_reason, "%s",
                               sync->failure_message);
        else if (sync->is_success && is_over)
                object_event(sync->run, resource, sync->job, "Completed", "Job completed");
}

static int release_counted(struct job_sync *sync, struct err *err) {
        for (size_t i = 0; i < sync->counted.count; i++) {
                int r = release_pod(sync->run, sync->counted.items[i], err);

                if (r < 0)
                        return r;
        }
        return 0;
}

static void job_begin(struct job_sync *sync, const struct json *job) {
        const struct json *status = json_get(job, "status");

        sync->job = job;
        sync->spec = json_get(job, "spec");
        sync->now = control_now(sync->run->control);
        sync->has_completions = json_get(sync->spec, "completions");
        sync->completions = json_get_i64(sync->spec, "completions", 0);
        sync->parallelism = json_get_i64(sync->spec, "parallelism", 1);
        sync->backoff_limit = json_get_i64(sync->spec, "backoffLimit", 6);
        sync->is_suspended = json_get_bool(sync->spec, "suspend", false);
        sync->is_indexed = slice_is(json_get_text(sync->spec, "completionMode"), "Indexed") &&
                           sync->completions <= COMPLETIONS_MAX;
        sync->succeeded = json_get_i64(status, "succeeded", 0);
        sync->failed = json_get_i64(status, "failed", 0);
        size_t indexes = sync->is_indexed ? (size_t)sync->completions : 0;
        sync->done = bitset_in_arena(sync->arena, indexes + 1);
        sync->busy = bitset_in_arena(sync->arena, indexes + 1);
        index_set_parse(json_get_text(status, "completedIndexes"), indexes, &sync->done);
}

/* An announced end stays what it is. */
static void recall_end(struct job_sync *sync) {
        const struct json *failure = object_condition(sync->job, "FailureTarget");

        if (!failure)
                return;
        sync->failure_reason = arena_string(sync->arena, json_get_text(failure, "reason"));
        sync->failure_message = arena_string(sync->arena, json_get_text(failure, "message"));
}

static int look_at(struct job_sync *sync, const struct json *job, struct err *err) {

        job_begin(sync, job);
        int r = pod_owner_claim(sync->run, sync->run->control->resource.jobs, job, sync->arena,
                                &sync->pods, err);
        if (r < 0)
                return r;
        recall_end(sync);
        job_count_pods(sync);
        if (is_finished(job)) {
                free(map_remove(sync->run->state, object_uid(job)));
                return release_counted(sync, err);
        }
        job_judge(sync);
        bool is_over = (sync->failure_reason || sync->is_success) && sync->active == 0 &&
                       sync->terminating == 0;
        report_end(sync, is_over);
        r = job_write_status(sync, is_over, err);
        if (r == 0)
                r = job_manage(sync, err);
        /* Last, as pods may go with their finalizer. */
        return r == 0 ? release_counted(sync, err) : r;
}

static int job_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                         struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *job =
                control_read(run->control, run->control->resource.jobs, ns, name, &doc);
        struct arena arena;
        struct job_sync sync = { .run = run, .arena = &arena };

        arena_init(&arena, 4096);
        int r = job ? look_at(&sync, job, err) : release_strays(run, ns, err);
        arena_release(&arena);
        json_doc_free(doc);
        return r;
}

const struct controller controller_job = {
        .name = "job-controller",
        .alias = "job",
        .component = "job-controller",
        .start = job_start,
        .stop = job_stop,
        .is_busy = is_busy,
        .changed = job_changed,
        .reconcile = job_reconcile,
};
