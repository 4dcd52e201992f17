/* One pod of a simulated kubelet: a step of its run, reported when it changed something. */
#include "base/util.h"
#include "control/kubelet_priv.h"
#include "control/object_write.h"
#include "control/pod_run.h"
#include <stdio.h>
#include <stdlib.h>

#define CLAIM_RETRY_NS NS_PER_S      /* until a pod without its devices is tried again */
#define CLOCK_STEP_NS (NS_PER_S / 2) /* less is no step but two clocks that drift apart */

struct kubelet_pod_step {
        struct kubelet *kubelet;
        struct kubelet_node *node;
        struct object_entry *entry;
        const struct json *pod;
        struct pod_plan plan;
        struct pod_run *run;
        struct pod_run *before; /* copy of the run as it was */
        struct wall_time now;
};

/* ---- events ---- */

static void report_started(const struct kubelet_pod_step *step, size_t i) {
        struct controller_run *run = step->kubelet->run;
        const struct container_plan *container = &step->plan.containers[i];
        int pods = run->control->resource.pods;

        object_event(run, pods, step->pod, "Pulled",
                     "Container image \"" SLICE_FMT "\" already present on machine",
                     SLICE_ARG(container->image));
        object_event(run, pods, step->pod, "Created", "Created container: " SLICE_FMT,
                     SLICE_ARG(container->name));
        object_event(run, pods, step->pod, "Started", "Started container " SLICE_FMT,
                     SLICE_ARG(container->name));
}

static void report_backing_off(const struct kubelet_pod_step *step, size_t i) {
        object_warning(step->kubelet->run, step->kubelet->run->control->resource.pods, step->pod,
                       "BackOff",
                       "Back-off restarting failed container " SLICE_FMT " in pod " SLICE_FMT
                       "_" SLICE_FMT "(" SLICE_FMT ")",
                       SLICE_ARG(step->plan.containers[i].name), SLICE_ARG(step->plan.name),
                       SLICE_ARG(step->plan.ns), SLICE_ARG(step->plan.uid));
}

static void kubelet_pod_report(const struct kubelet_pod_step *step) {
        bool is_quiet = step->kubelet->run->control->config.is_quiet;
        int pods = step->kubelet->run->control->resource.pods;

        for (size_t i = 0; i < step->run->count; i++) {
                const struct container_run *now = &step->run->containers[i];
                const struct container_run *before = &step->before->containers[i];

                if (now->is_backing_off && !before->is_backing_off)
                        report_backing_off(step, i);
                if (is_quiet)
                        continue;
                if (now->has_begun && (!before->has_begun || now->restarts != before->restarts))
                        report_started(step, i);
                if (step->run->is_stopping && !step->before->is_stopping &&
                    before->state == STATE_RUNNING)
                        object_event(step->kubelet->run, pods, step->pod, "Killing",
                                     "Stopping container " SLICE_FMT,
                                     SLICE_ARG(step->plan.containers[i].name));
        }
}

/* ---- writing ---- */

static int write_status(const struct kubelet_pod_step *step, struct err *err) {
        struct kubelet_node *node = step->node;
        struct slice known = json_get_text(json_get(step->pod, "status"), "podIP");
        struct object_target target = { .resource = step->kubelet->run->control->resource.pods,
                                        .ns = step->plan.ns,
                                        .name = step->plan.name };
        struct json_tree *tree = json_tree_new();
        char pod_ip[48] = "";

        if (known.len)
                snprintf(pod_ip, sizeof(pod_ip), SLICE_FMT, SLICE_ARG(known));
        else if (step->plan.uses_host_network)
                snprintf(pod_ip, sizeof(pod_ip), "%s", node->host_ip);
        else if (step->run->is_up)
                snprintf(pod_ip, sizeof(pod_ip), "10.%u.%u.%u", node->number >> 8 & 255,
                         node->number & 255, 1 + node->next_ip++ % 254);
        step->kubelet->is_writing = true;
        int r = object_merge_status(step->kubelet->run, &target, tree,
                                    pod_run_status(step->run, &step->plan,
                                                   &(struct pod_addresses){ pod_ip, node->host_ip },
                                                   step->now, tree),
                                    err);
        json_tree_free(tree);
        return r;
}

/* The last word about a pod that was to be deleted: now it is. */
static int confirm_deletion(const struct kubelet_pod_step *step, struct err *err) {
        struct object_target target = { .resource = step->kubelet->run->control->resource.pods,
                                        .ns = step->plan.ns,
                                        .name = step->plan.name };

        return object_delete(step->kubelet->run, &target,
                             &(struct object_deletion){ .uid = step->plan.uid, .is_forced = true },
                             err);
}

/* ---- the step ---- */

static struct pod_run *copy_of(const struct pod_run *run) {
        size_t size = sizeof(*run) + run->count * sizeof(run->containers[0]);
        struct pod_run *copy = xmalloc(size);

        memcpy(copy, run, size);
        return copy;
}

static void kubelet_pod_complain(const struct kubelet_pod_step *step, const struct err *complaint) {
        object_warning(step->kubelet->run, step->kubelet->run->control->resource.pods, step->pod,
                       "InvalidLifecycle", "%s", complaint->text);
}

/* Times of the run are of the wall clock, as the status has them, and move with it. */
static void follow_clock(struct pod_run *run, int64_t offset_ns) {
        int64_t step_ns = offset_ns - run->offset_ns;

        if (step_ns > -CLOCK_STEP_NS && step_ns < CLOCK_STEP_NS)
                return;
        pod_run_shift(run, step_ns);
        run->offset_ns = offset_ns;
}

static void kubelet_pod_begin(struct kubelet_pod_step *step) {
        struct kubelet *kubelet = step->kubelet;
        int64_t offset_ns = step->now.ns - loop_mono(kubelet->run->control->loop).ns;
        struct err complaint = { 0 };
        size_t complaints =
                pod_plan_decode(step->pod, kubelet_node_annotations(step->node), &kubelet->defaults,
                                &kubelet->scratch, &step->plan, &complaint);

        step->run = map_get(kubelet->pod_runs, step->plan.uid);
        if (step->run && step->run->count != step->plan.count) {
                pod_run_free(map_remove(kubelet->pod_runs, step->plan.uid));
                step->run = NULL;
        }
        if (!step->run) {
                step->run = pod_run_new(&step->plan, step->now);
                step->run->offset_ns = offset_ns;
                map_put(kubelet->pod_runs, step->plan.uid, step->run);
                if (complaints)
                        kubelet_pod_complain(step, &complaint);
        }
        follow_clock(step->run, offset_ns);
        step->before = copy_of(step->run);
}

/* Pods that do nothing by themselves any more need no run: their status says it all. */
static void kubelet_pod_settle(struct kubelet_pod_step *step, struct slice ns, struct slice name) {
        struct kubelet *kubelet = step->kubelet;
        struct wall_time due = pod_run_due(step->run, &step->plan);

        step->entry->pod->is_at_rest = !wall_time_is_set(due);
        work_queue_cancel(kubelet->run->queue, ns, name); /* what was planned before */
        if (wall_time_is_set(due))
                run_add_at(kubelet->run, ns, name, due);
        else
                pod_run_free(map_remove(kubelet->pod_runs, step->plan.uid));
}

/* The specification changed, or another client set a readiness gate or marked the pod as lost. */
static bool is_stale(const struct kubelet_pod_step *step) {
        const struct json *status = json_get(step->pod, "status");

        return step->entry->pod->is_ready != pod_run_is_ready(step->run, &step->plan) ||
               (step->plan.generation > 0 &&
                json_get_i64(status, "observedGeneration", 0) != step->plan.generation);
}

/* A pod whose devices are not there yet begins later. */
static void wait_for_claims(struct kubelet_pod_step *step) {
        struct pod_run *run = step->run;

        if (run->is_up || run->is_stopping || run->begin.ns > step->now.ns ||
            wall_time_is_set(step->plan.deleted))
                return;
        const char *problem = kubelet_claims_problem(step->kubelet, step->pod);
        if (!problem)
                return;
        run->begin.ns = step->now.ns + CLAIM_RETRY_NS;
        object_warning(step->kubelet->run, step->kubelet->run->control->resource.pods, step->pod,
                       "FailedPrepareDynamicResources",
                       "Failed to prepare dynamic resources: prepare dynamic resources: %s",
                       problem);
}

/* Moves the run on; true when the status changed. */
static bool kubelet_pod_advance(struct kubelet_pod_step *step) {
        bool is_lost = step->entry->pod->is_lost && !pod_run_is_over(step->run);

        step->entry->pod->is_lost = false;
        if (is_lost)
                pod_run_lose(step->run, &step->plan, step->now);
        wait_for_claims(step);
        return pod_run_step(step->run, &step->plan, step->now) || is_lost;
}

static bool needs_report(const struct kubelet_pod_step *step, bool is_changed) {
        if (is_changed)
                return true;
        if (json_get(json_get(step->pod, "status"), "startTime"))
                return is_stale(step);
        /* Of large traces, one write has acceptance and start together. */
        return !step->kubelet->run->control->config.is_quiet;
}

static int take_step(struct kubelet_pod_step *step, struct slice ns, struct slice name,
                     struct err *err) {
        const struct control *control = step->kubelet->run->control;
        int r = 0;

        kubelet_pod_begin(step);
        bool is_changed = kubelet_pod_advance(step) || step->run->is_unreported;
        step->run->is_unreported = false;
        if (needs_report(step, is_changed))
                r = write_status(step, err);
        step->run = map_get(step->kubelet->pod_runs, step->plan.uid);
        if (!step->run) /* the pod was only waiting for a write to go */
                return r;
        if (r == 0 && is_changed)
                kubelet_pod_report(step);
        if (r == 0 && pod_run_is_over(step->run) && wall_time_is_set(step->plan.deleted))
                r = confirm_deletion(step, err);
        step->entry = object_index_find(control->index, control->resource.pods, ns, name);
        step->run = map_get(step->kubelet->pod_runs, step->plan.uid);
        if (step->run)
                step->run->is_unreported = r < 0;
        if (r == 0 && step->entry && step->run)
                kubelet_pod_settle(step, ns, name);
        return r;
}

int kubelet_pod_reconcile(struct kubelet *kubelet, struct slice ns, struct slice name,
                          struct err *err) {
        struct control *control = kubelet->run->control;
        struct kubelet_pod_step step = { .kubelet = kubelet, .now = control_now(control) };
        struct json_doc *doc = NULL;
        int r = 0;

        step.entry = object_index_find(control->index, control->resource.pods, ns, name);
        step.pod = control_read(control, control->resource.pods, ns, name, &doc);
        if (step.entry && step.pod)
                step.node = map_get(kubelet->nodes,
                                    json_get_text(json_get(step.pod, "spec"), "nodeName"));
        if (step.node && !step.node->is_failed)
                r = take_step(&step, ns, name, err);
        free(step.before);
        json_doc_free(doc);
        return r;
}
