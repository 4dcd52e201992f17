/* Jobs: pods that run to their end, as often and as many at once as asked for.
 *
 * Every pod of a job carries a finalizer until its end is counted, so that no count is lost when
 * somebody deletes pods that are over. */
#include "base/map.h"
#include "base/util.h"
#include "control/index_set.h"
#include "control/job_priv.h"
#include <stdlib.h>

#define COMPLETIONS_MAX 100000 /* indexes kept track of */
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
                pod_owner_hear(run, change, number->jobs, "Job");
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
        const struct store_object *kept = store_object_ref(entry->object);
        struct object_target target = { .resource = run->control->resource.pods,
                                        .ns = store_object_ns(kept),
                                        .name = store_object_name(kept) };
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
        store_object_unref(kept);
        return r == BERTH_ERR_NOT_FOUND ? 0 : r;
}

static bool is_stray(const struct object_entry *entry) {
        return (!entry->controller || !entry->controller->is_alive) &&
               object_mentions(entry->object, "\"" JOB_FINALIZER "\"");
}

/* Pods whose job is gone have nobody to be counted by. */
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

static void put_index(struct job_look *look, struct json_tree *tree, struct json_node *pod,
                      int64_t index) {
        struct json_node *metadata = node_get(pod, "metadata");
        struct slice name = object_name(look->job);
        char *text = arena_printf(look->arena, "%lld", (long long)index);

        node_put_string(tree, node_need_object(tree, metadata, "labels"), JOB_INDEX_KEY, text);
        node_put_string(tree, node_need_object(tree, metadata, "annotations"), JOB_INDEX_KEY, text);
        node_put_string(tree, metadata, "generateName",
                        arena_printf(look->arena, SLICE_FMT "-%s-", SLICE_ARG(name), text));
        if (name.len + strlen(text) + 1 <= 63)
                node_put_string(tree, node_get(pod, "spec"), "hostname",
                                arena_printf(look->arena, SLICE_FMT "-%s", SLICE_ARG(name), text));
        put_index_env(tree, pod);
}

static int create_pod(struct job_look *look, int64_t index, struct err *err) {
        int resource = look->run->control->resource.jobs;
        struct json_tree *tree = json_tree_new();
        struct json_node *pod = pod_from_template(look->run, tree, resource, look->job,
                                                  json_get(look->spec, "template"));

        node_append(node_need_array(tree, node_get(pod, "metadata"), "finalizers"),
                    node_string(tree, JOB_FINALIZER));
        if (index >= 0)
                put_index(look, tree, pod, index);
        int r = pod_owner_create(look->run, resource, look->job, pod, err);
        json_tree_free(tree);
        return r;
}

static int64_t next_index(const struct job_look *look, int64_t from) {
        while (from < look->completions &&
               (bitset_has(&look->done, (size_t)from) || bitset_has(&look->busy, (size_t)from)))
                from++;
        return from < look->completions ? from : -1;
}

static int create_pods(struct job_look *look, int64_t count, struct err *err) {
        int64_t index = -1;

        for (int64_t i = 0; i < count && i < BURST_MAX; i++) {
                if (look->is_indexed) {
                        index = next_index(look, index + 1);
                        if (index < 0)
                                return 0;
                }
                int r = create_pod(look, index, err);
                if (r < 0)
                        return r;
        }
        if (count > BURST_MAX)
                work_queue_add(look->run->queue, object_namespace(look->job),
                               object_name(look->job));
        return 0;
}

static int delete_active(struct job_look *look, int64_t count, struct err *err) {
        for (size_t i = look->pods.count; i > 0 && count > 0; i--) {
                struct object_entry *entry = look->pods.items[i - 1];

                if (!pod_entry_is_active(entry))
                        continue;
                int r = pod_owner_delete(look->run, look->run->control->resource.jobs, look->job,
                                         entry, err);
                if (r < 0)
                        return r;
                count--;
        }
        return 0;
}

/* ---- pauses ---- */

static bool is_paused(struct job_look *look) {
        struct slice uid = object_uid(look->job);
        struct job_backoff *backoff = map_get(look->run->state, uid);
        int64_t pause_ns;

        if (look->fresh_failed) {
                if (!backoff) {
                        backoff = xcalloc(1, sizeof(*backoff));
                        map_put(look->run->state, uid, backoff);
                }
                pause_ns = look->run->control->config.backoff_first_ns << backoff->failures;
                if (backoff->failures < FAILURES_MAX)
                        backoff->failures++;
                backoff->until.ns = look->now.ns + pause_ns;
        } else if (backoff && look->counted.count) {
                backoff->failures = 0;
                backoff->until.ns = look->now.ns;
        }
        if (!backoff || backoff->until.ns <= look->now.ns)
                return false;
        run_add_at(look->run, object_namespace(look->job), object_name(look->job), backoff->until);
        return true;
}

/* ---- one look ---- */

static int64_t wanted_pods(const struct job_look *look) {
        if (look->is_suspended || look->is_success || look->failure_reason)
                return 0;
        if (!look->has_completions)
                return look->succeeded > 0 ? look->active : look->parallelism;
        int64_t left = look->completions - look->succeeded;
        return left < look->parallelism ? left : look->parallelism;
}

/* Others are replaced only when gone, if the job says so. */
static int64_t present_pods(const struct job_look *look) {
        bool waits = json_get(look->spec, "podFailurePolicy") ||
                     slice_is(json_get_text(look->spec, "podReplacementPolicy"), "Failed");

        return look->active + (waits ? look->terminating : 0);
}

static int job_manage(struct job_look *look, struct err *err) {
        int64_t excess = present_pods(look) - wanted_pods(look);
        bool is_waiting = is_paused(look);

        if (object_is_deleted(look->job))
                return 0;
        if (excess > 0)
                return delete_active(look, excess, err);
        if (excess < 0 && !is_waiting)
                return create_pods(look, -excess, err);
        return 0;
}

static bool is_finished(const struct json *job) {
        return object_condition_is(job, "Complete", "True") ||
               object_condition_is(job, "Failed", "True");
}

static void tell_end(struct job_look *look, bool is_over) {
        int resource = look->run->control->resource.jobs;

        if (look->failure_reason && !object_condition(look->job, "FailureTarget"))
                object_warning(look->run, resource, look->job, look->failure_reason, "%s",
                               look->failure_message);
        else if (look->is_success && is_over)
                object_event(look->run, resource, look->job, "Completed", "Job completed");
}

static int release_counted(struct job_look *look, struct err *err) {
        for (size_t i = 0; i < look->counted.count; i++) {
                int r = release_pod(look->run, look->counted.items[i], err);

                if (r < 0)
                        return r;
        }
        return 0;
}

static void job_begin(struct job_look *look, const struct json *job) {
        const struct json *status = json_get(job, "status");

        look->job = job;
        look->spec = json_get(job, "spec");
        look->now = control_now(look->run->control);
        look->has_completions = json_get(look->spec, "completions");
        look->completions = json_get_i64(look->spec, "completions", 0);
        look->parallelism = json_get_i64(look->spec, "parallelism", 1);
        look->backoff_limit = json_get_i64(look->spec, "backoffLimit", 6);
        look->is_suspended = json_get_bool(look->spec, "suspend", false);
        look->is_indexed = slice_is(json_get_text(look->spec, "completionMode"), "Indexed") &&
                           look->completions <= COMPLETIONS_MAX;
        look->succeeded = json_get_i64(status, "succeeded", 0);
        look->failed = json_get_i64(status, "failed", 0);
        size_t indexes = look->is_indexed ? (size_t)look->completions : 0;
        look->done = bitset_in_arena(look->arena, indexes + 1);
        look->busy = bitset_in_arena(look->arena, indexes + 1);
        index_set_parse(json_get_text(status, "completedIndexes"), indexes, &look->done);
}

/* An announced end stays what it is. */
static void recall_end(struct job_look *look) {
        const struct json *failure = object_condition(look->job, "FailureTarget");

        if (!failure)
                return;
        look->failure_reason = arena_string(look->arena, json_get_text(failure, "reason"));
        look->failure_message = arena_string(look->arena, json_get_text(failure, "message"));
}

static int look_at(struct job_look *look, const struct json *job, struct err *err) {

        job_begin(look, job);
        int r = pod_owner_claim(look->run, look->run->control->resource.jobs, job, look->arena,
                                &look->pods, err);
        if (r < 0)
                return r;
        recall_end(look);
        job_count_pods(look);
        if (is_finished(job)) {
                free(map_remove(look->run->state, object_uid(job)));
                return release_counted(look, err);
        }
        job_judge(look);
        bool is_over = (look->failure_reason || look->is_success) && look->active == 0 &&
                       look->terminating == 0;
        tell_end(look, is_over);
        r = job_write_status(look, is_over, err);
        if (r == 0)
                r = job_manage(look, err);
        /* Last, as pods may go with their finalizer. */
        return r == 0 ? release_counted(look, err) : r;
}

static int job_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                         struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *job =
                control_read(run->control, run->control->resource.jobs, ns, name, &doc);
        struct arena arena;
        struct job_look look = { .run = run, .arena = &arena };

        arena_init(&arena, 4096);
        int r = job ? look_at(&look, job, err) : release_strays(run, ns, err);
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
