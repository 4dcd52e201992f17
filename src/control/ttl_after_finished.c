/* Deletes finished Jobs after their ttlSecondsAfterFinished. */
#include "base/util.h"
#include "control/pod_owner.h"

static void ttl_after_finished_changed(struct controller_run *run, struct change *change) {
        if (change->resource == run->control->resource.jobs &&
            change->event->type != STORE_DELETED &&
            object_mentions(change->event->object, "\"ttlSecondsAfterFinished\""))
                work_queue_add(run->queue, store_object_ns(change->event->object),
                               store_object_name(change->event->object));
}

static struct wall_time finished_at(const struct json *job) {
        static const char *const types[] = { "Complete", "Failed" };

        for (size_t i = 0; i < ARRAY_LEN(types); i++) {
                if (object_condition_is(job, types[i], "True"))
                        return object_time(object_condition(job, types[i]), "lastTransitionTime");
        }
        return WALL_TIME_UNSET;
}

static int look_at(struct controller_run *run, const struct json *job, struct err *err) {
        int64_t ttl_s = json_get_i64(json_get(job, "spec"), "ttlSecondsAfterFinished", -1);
        struct wall_time due = finished_at(job);
        struct object_target target = { .resource = run->control->resource.jobs,
                                        .ns = object_namespace(job),
                                        .name = object_name(job) };

        if (ttl_s < 0 || !wall_time_is_set(due) || object_is_deleted(job))
                return 0;
        due.ns += ttl_s * NS_PER_S;
        if (due.ns > control_now(run->control).ns) {
                run_add_at(run, target.ns, target.name, due);
                return 0;
        }
        return object_delete(
                run, &target,
                &(struct object_deletion){ .uid = object_uid(job), .propagation = "Foreground" },
                err);
}

static int ttl_after_finished_reconcile(struct controller_run *run, struct slice ns,
                                        struct slice name, struct err *err) {
        struct json_doc *doc = NULL;
        const struct json *job =
                control_read(run->control, run->control->resource.jobs, ns, name, &doc);
        int r = job ? look_at(run, job, err) : 0;

        json_doc_free(doc);
        return r;
}

const struct controller controller_ttl_after_finished = {
        .name = "ttl-after-finished-controller",
        .alias = "ttl-after-finished",
        .component = "ttl-after-finished-controller",
        .changed = ttl_after_finished_changed,
        .reconcile = ttl_after_finished_reconcile,
};
