/* CronJobs: a job at every time of the schedule, and a limit on finished ones. */
#include "api/cron_schedule.h"
#include "base/util.h"
#include "control/pod_owner.h"
#include <stdlib.h>

#define MISSED_MAX 100 /* times passed over in silence; more of them are worth a warning */
#define SCHEDULED_KEY "batch.kubernetes.io/cronjob-scheduled-timestamp"

static void cron_job_changed(struct controller_run *run, struct change *change) {
        const struct resource_numbers *number = &run->control->resource;

        if (change->resource == number->cron_jobs)
                work_queue_add(run->queue, store_object_ns(change->event->object),
                               store_object_name(change->event->object));
        else if (change->resource == number->jobs)
                owner_observe(run, change, "CronJob");
}

struct cron_job_item {
        const struct json *job;
        struct json_doc *doc;
        struct wall_time created;
        bool is_finished, has_failed;
};

struct cron_sync {
        struct controller_run *run;
        const struct json *cron, *spec;
        struct arena *arena;
        struct wall_time now;
        size_t count, active;
        struct cron_job_item *jobs; /* oldest first */
        struct wall_time scheduled; /* of the latest job; unset = none yet */
        struct wall_time succeeded;
};

static int compare_jobs(const void *left, const void *right) {
        const struct cron_job_item *a = left, *b = right;

        return a->created.ns < b->created.ns ? -1 : a->created.ns > b->created.ns;
}

static void find_jobs(struct cron_sync *sync) {
        const struct control *control = sync->run->control;
        const struct entry_list *owned =
                object_index_dependents(control->index, object_uid(sync->cron));

        sync->jobs = ARENA_ARRAY(sync->arena, struct cron_job_item, (owned ? owned->count : 0) + 1);
        for (struct entry_link *link = owned ? owned->first : NULL; link; link = link->after) {
                struct cron_job_item *item = &sync->jobs[sync->count];

                if (link->entry->object->resource != control->resource.jobs)
                        continue;
                item->job = entry_read(link->entry, &item->doc);
                item->created = object_created(item->job);
                item->has_failed = object_condition_is(item->job, "Failed", "True");
                item->is_finished =
                        item->has_failed || object_condition_is(item->job, "Complete", "True");
                struct wall_time done =
                        object_time(json_get(item->job, "status"), "completionTime");
                if (wall_time_is_set(done) &&
                    (!wall_time_is_set(sync->succeeded) || done.ns > sync->succeeded.ns))
                        sync->succeeded = done;
                sync->active += !item->is_finished;
                sync->count++;
        }
        qsort(sync->jobs, sync->count, sizeof(sync->jobs[0]), compare_jobs);
}

/* ---- history ---- */

static int delete_job(struct cron_sync *sync, const struct cron_job_item *item, struct err *err) {
        struct object_target target = { .resource = sync->run->control->resource.jobs,
                                        .ns = object_namespace(sync->cron),
                                        .name = object_name(item->job) };
        int r = object_delete(sync->run, &target,
                              &(struct object_deletion){ .propagation = "Background" }, err);

        if (r == 0)
                object_event(sync->run, sync->run->control->resource.cron_jobs, sync->cron,
                             "SuccessfulDelete", "Deleted job " SLICE_FMT, SLICE_ARG(target.name));
        return r;
}

static int cron_job_forget(struct cron_sync *sync, bool has_failed, int64_t limit,
                           struct err *err) {
        int64_t excess = -limit;
        int r = 0;

        for (size_t i = 0; i < sync->count; i++)
                excess += sync->jobs[i].is_finished && sync->jobs[i].has_failed == has_failed;
        for (size_t i = 0; i < sync->count && excess > 0 && r == 0; i++) {
                if (!sync->jobs[i].is_finished || sync->jobs[i].has_failed != has_failed)
                        continue;
                r = delete_job(sync, &sync->jobs[i], err);
                excess--;
        }
        return r;
}

/* ---- starting ---- */

static int create_job(struct cron_sync *sync, struct wall_time when, struct err *err) {
        const struct json *template = json_get(sync->spec, "jobTemplate");
        struct json_tree *tree = json_tree_new();
        struct json_node *job = node_object(tree);
        struct json_node *metadata = node_need_object(tree, job, "metadata");
        int resource = sync->run->control->resource.cron_jobs, r;
        static const char *const copied[] = { "labels", "annotations" };
        char *name =
                arena_printf(sync->arena, SLICE_FMT "-%lld", SLICE_ARG(object_name(sync->cron)),
                             (long long)(when.ns / NS_PER_S / 60));

        node_put_string(tree, metadata, "name", name);
        for (size_t i = 0; i < ARRAY_LEN(copied); i++) {
                const struct json *value = json_get(json_get(template, "metadata"), copied[i]);

                if (value)
                        node_put(tree, metadata, copied[i], node_import(tree, value));
        }
        status_time(tree, node_need_object(tree, metadata, "annotations"), SCHEDULED_KEY, when);
        put_controller(sync->run, tree, metadata, resource, sync->cron);
        node_put(tree, job, "spec", node_import(tree, json_get(template, "spec")));
        r = object_create(sync->run, sync->run->control->resource.jobs,
                          object_namespace(sync->cron), job, err);
        json_tree_free(tree);
        if (r == BERTH_ERR_EXISTS)
                r = 0;
        else if (r == 0)
                object_event(sync->run, resource, sync->cron, "SuccessfulCreate", "Created job %s",
                             name);
        if (r == 0)
                sync->scheduled = when;
        return r;
}

static int stop_active(struct cron_sync *sync, struct err *err) {
        for (size_t i = 0; i < sync->count; i++) {
                int r = sync->jobs[i].is_finished ? 0 : delete_job(sync, &sync->jobs[i], err);

                if (r < 0)
                        return r;
        }
        return 0;
}

static int start_job(struct cron_sync *sync, struct wall_time when, struct err *err) {
        struct slice policy = json_get_text(sync->spec, "concurrencyPolicy");
        int64_t deadline_s = json_get_i64(sync->spec, "startingDeadlineSeconds", -1);
        int resource = sync->run->control->resource.cron_jobs, r = 0;

        if (deadline_s >= 0 && when.ns + deadline_s * NS_PER_S < sync->now.ns) {
                object_warning(sync->run, resource, sync->cron, "MissSchedule",
                               "Missed scheduled time to start a job");
                return 0;
        }
        if (slice_is(policy, "Forbid") && sync->active) {
                object_event(sync->run, resource, sync->cron, "JobAlreadyActive",
                             "Not starting job because prior execution is running and concurrency "
                             "policy is Forbid");
                return 0;
        }
        if (slice_is(policy, "Replace"))
                r = stop_active(sync, err);
        return r < 0 ? r : create_job(sync, when, err);
}

/* The last time that is due and was not served; unset when there is none. */
static struct wall_time last_missed(struct cron_sync *sync, const struct cron_schedule *schedule) {
        struct wall_time last = WALL_TIME_UNSET;
        struct wall_time at =
                wall_time_is_set(sync->scheduled) ? sync->scheduled : object_created(sync->cron);
        size_t missed = 0;

        for (;;) {
                at = cron_schedule_next(schedule, at);
                if (!wall_time_is_set(at) || at.ns > sync->now.ns)
                        break;
                last = at;
                if (++missed == MISSED_MAX) {
                        object_warning(sync->run, sync->run->control->resource.cron_jobs,
                                       sync->cron, "TooManyMissedTimes",
                                       "too many missed start times. Set or decrease "
                                       ".spec.startingDeadlineSeconds or check clock skew");
                        at = (struct wall_time){ sync->now.ns - 60 * NS_PER_S };
                }
        }
        return last;
}

static int keep_time(struct cron_sync *sync, struct err *err) {
        struct slice text = json_get_text(sync->spec, "schedule");
        struct cron_schedule schedule;
        struct err problem = { 0 };
        int r = 0;

        if (json_get_bool(sync->spec, "suspend", false) || object_is_deleted(sync->cron))
                return 0;
        if (cron_schedule_parse(text, &schedule, &problem) < 0) {
                object_warning(sync->run, sync->run->control->resource.cron_jobs, sync->cron,
                               "UnparseableSchedule", "unparseable schedule \"" SLICE_FMT "\": %s",
                               SLICE_ARG(text), problem.text);
                return 0;
        }
        struct wall_time due = last_missed(sync, &schedule);
        if (wall_time_is_set(due))
                r = start_job(sync, due, err);
        due = cron_schedule_next(&schedule, sync->now);
        if (wall_time_is_set(due))
                run_add_at(sync->run, object_namespace(sync->cron), object_name(sync->cron), due);
        return r;
}

/* ---- status ---- */

static void put_active(struct cron_sync *sync, struct json_tree *tree, struct json_node *status) {
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < sync->count; i++) {
                if (sync->jobs[i].is_finished)
                        continue;
                struct json_node *reference = node_object(tree);
                node_put_string(tree, reference, "kind", "Job");
                node_put_text(tree, reference, "namespace", object_namespace(sync->cron));
                node_put_text(tree, reference, "name", object_name(sync->jobs[i].job));
                node_put_text(tree, reference, "uid", object_uid(sync->jobs[i].job));
                node_put_string(tree, reference, "apiVersion", "batch/v1");
                node_append(list, reference);
        }
        if (node_count(list) || node_get(status, "active"))
                node_put(tree, status, "active", list);
}

static int write_status(struct cron_sync *sync, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = status_begin(tree, sync->cron);

        put_active(sync, tree, status);
        if (wall_time_is_set(sync->scheduled))
                status_time(tree, status, "lastScheduleTime", sync->scheduled);
        if (wall_time_is_set(sync->succeeded))
                status_time(tree, status, "lastSuccessfulTime", sync->succeeded);
        int r = status_write_back(sync->run, sync->run->control->resource.cron_jobs, sync->cron,
                                  tree, status, err);
        json_tree_free(tree);
        return r;
}

static int look_at(struct cron_sync *sync, struct err *err) {
        int64_t keep_good = json_get_i64(sync->spec, "successfulJobsHistoryLimit", 3);
        int64_t keep_bad = json_get_i64(sync->spec, "failedJobsHistoryLimit", 1);

        find_jobs(sync);
        int r = keep_time(sync, err);
        if (r == 0)
                r = write_status(sync, err);
        if (r == 0)
                r = cron_job_forget(sync, false, keep_good, err);
        if (r == 0)
                r = cron_job_forget(sync, true, keep_bad, err);
        for (size_t i = 0; i < sync->count; i++)
                json_doc_free(sync->jobs[i].doc);
        return r;
}

static int cron_job_reconcile(struct controller_run *run, struct slice ns, struct slice name,
                              struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *cron =
                control_read(run->control, run->control->resource.cron_jobs, ns, name, &doc);
        struct arena arena;
        struct cron_sync sync = { .run = run,
                                  .cron = cron,
                                  .spec = json_get(cron, "spec"),
                                  .arena = &arena,
                                  .now = control_now(run->control) };
        int r = 0;

        if (!cron)
                return 0;
        arena_init(&arena, 4096);
        sync.scheduled = object_time(json_get(cron, "status"), "lastScheduleTime");
        sync.succeeded = object_time(json_get(cron, "status"), "lastSuccessfulTime");
        r = look_at(&sync, err);
        arena_release(&arena);
        json_doc_free(doc);
        return r;
}

const struct controller controller_cron_job = {
        .name = "cronjob-controller",
        .alias = "cronjob",
        .component = "cronjob-controller",
        .changed = cron_job_changed,
        .reconcile = cron_job_reconcile,
};
