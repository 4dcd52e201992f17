/* Pod plans: specification and annotations, read together. */
#include "control/pod_plan.h"

#include "base/rng.h"
#include "base/util.h"

struct reader {
        struct pod_plan *plan;
        const struct json *pod_annotations, *node_annotations;
        struct arena *arena;
        const struct pod_plan_defaults *defaults;
        size_t complaints;
        struct err *complaint;
};

static void pod_plan_complain(struct reader *reader, const char *key, const struct err *err) {
        if (reader->complaints++)
                return;
        err_set(reader->complaint, BERTH_ERR_INVALID, LIFECYCLE_PREFIX "%s: %s", key, err->text);
}

static struct slice pod_plan_find(struct reader *reader, const char *key, struct slice container) {
        return lifecycle_annotation(reader->pod_annotations, reader->node_annotations, key,
                                    container);
}

static void read_span(struct reader *reader, const char *key, struct slice container,
                      struct lifecycle_span *span) {
        struct slice text = pod_plan_find(reader, key, container);
        struct err err = { 0 };

        if (text.len && lifecycle_parse_span(text, span, &err) < 0)
                pod_plan_complain(reader, key, &err);
}

static void read_shutdown(struct reader *reader, struct container_plan *container) {
        struct slice text = pod_plan_find(reader, "shutdown", container->name);
        int64_t delay_ns = reader->defaults->stop_delay_ns;
        struct err err = { 0 };

        container->shutdown =
                (struct lifecycle_shutdown){ .length = { delay_ns, delay_ns }, .exit_code = -1 };
        if (text.len && lifecycle_parse_shutdown(text, &container->shutdown, &err) < 0)
                pod_plan_complain(reader, "shutdown", &err);
        if (container->shutdown.exit_code < 0)
                container->shutdown.exit_code =
                        reader->plan->restart_policy == RESTART_ALWAYS ? 0 : 143;
}

static bool belongs_to_job(const struct json *pod) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "metadata"), "ownerReferences"));
        const struct json *owner;

        while (json_next(&iter, NULL, &owner)) {
                if (slice_is(json_get_text(owner, "kind"), "Job"))
                        return true;
        }
        return false;
}

/* Without a description: pods of jobs do a little work, init containers end at once, everything
 * else runs until it is stopped. */
static void default_script(struct reader *reader, struct container_plan *container) {
        struct lifecycle_step *step = ARENA_NEW(reader->arena, struct lifecycle_step);

        step->times = 1;
        step->length = (struct lifecycle_span){ LIFECYCLE_FOR_EVER, LIFECYCLE_FOR_EVER };
        if (container->role == CONTAINER_INIT)
                step->length = (struct lifecycle_span){ 0, 0 };
        else if (container->role == CONTAINER_MAIN && belongs_to_job(reader->plan->pod))
                step->length = (struct lifecycle_span){ NS_PER_S, 3 * NS_PER_S };
        container->script = (struct lifecycle_script){ 1, step };
}

/* What is said of all containers is meant for the main ones. */
static struct slice find_script(struct reader *reader, const struct container_plan *container,
                                const char *key) {
        struct buf name = { 0 };
        struct slice text = SLICE_EMPTY;

        if (container->role == CONTAINER_MAIN)
                return pod_plan_find(reader, key, container->name);
        buf_printf(&name, "%s." SLICE_FMT, key, SLICE_ARG(container->name));
        text = pod_plan_find(reader, name.data, SLICE_EMPTY);
        buf_release(&name);
        return text;
}

static void read_behaviour(struct reader *reader, struct container_plan *container) {
        struct slice text = find_script(reader, container, "run");
        struct err err = { 0 };

        default_script(reader, container);
        if (text.len && lifecycle_parse_script(text, reader->arena, &container->script, &err) < 0)
                pod_plan_complain(reader, "run", &err);
        text = find_script(reader, container, "ready");
        if (text.len &&
            lifecycle_parse_readiness(text, reader->arena, &container->readiness, &err) < 0)
                pod_plan_complain(reader, "ready", &err);
        text = find_script(reader, container, "waiting");
        if (text.len && lifecycle_parse_waiting(text, &container->waiting, &err) < 0)
                pod_plan_complain(reader, "waiting", &err);
        read_shutdown(reader, container);
}

static void read_ready_delay(struct reader *reader, const struct json *object,
                             struct container_plan *container) {
        const struct json *probe = json_get(object, "readinessProbe");
        int64_t delay_ns = json_get_i64(probe, "initialDelaySeconds", 0) * NS_PER_S;
        struct lifecycle_span span = { delay_ns, delay_ns };

        read_span(reader, "ready-delay", container->name, &span);
        container->ready_delay_ns = pod_plan_draw(reader->plan, span, slice_hash(container->name));
}

static void read_container(struct reader *reader, const struct json *object, bool is_init) {
        struct container_plan *container = &reader->plan->containers[reader->plan->count++];

        container->name = json_get_text(object, "name");
        container->image = json_get_text(object, "image");
        container->resources = json_get(object, "resources");
        if (is_init)
                container->role = slice_is(json_get_text(object, "restartPolicy"), "Always")
                                          ? CONTAINER_SIDECAR
                                          : CONTAINER_INIT;
        read_behaviour(reader, container);
        if (container->role != CONTAINER_INIT)
                read_ready_delay(reader, object, container);
}

static void read_containers(struct reader *reader, const struct json *spec) {
        const struct json *init = json_get(spec, "initContainers");
        const struct json *containers = json_get(spec, "containers"), *object;
        struct json_iter iter = json_iter(init);

        reader->plan->containers = ARENA_ARRAY(reader->arena, struct container_plan,
                                               json_count(init) + json_count(containers));
        while (json_next(&iter, NULL, &object))
                read_container(reader, object, true);
        iter = json_iter(containers);
        while (json_next(&iter, NULL, &object))
                read_container(reader, object, false);
}

static enum restart_policy policy_of(struct slice text) {
        if (slice_is(text, "Never"))
                return RESTART_NEVER;
        return slice_is(text, "OnFailure") ? RESTART_ON_FAILURE : RESTART_ALWAYS;
}

static void read_spec(struct pod_plan *plan, const struct json *pod) {
        const struct json *metadata = json_get(pod, "metadata"), *spec = json_get(pod, "spec");

        plan->pod = pod;
        plan->ns = json_get_text(metadata, "namespace");
        plan->name = json_get_text(metadata, "name");
        plan->uid = json_get_text(metadata, "uid");
        plan->generation = json_get_i64(metadata, "generation", 0);
        if (!wall_time_parse(json_get_text(metadata, "deletionTimestamp"), &plan->deleted))
                plan->deleted = WALL_TIME_UNSET;
        plan->grace_ns = json_get_i64(metadata, "deletionGracePeriodSeconds", 0) * NS_PER_S;
        plan->restart_policy = policy_of(json_get_text(spec, "restartPolicy"));
        plan->uses_host_network = json_get_bool(spec, "hostNetwork", false);
        plan->active_deadline_s = json_get_i64(spec, "activeDeadlineSeconds", -1);
        plan->readiness_gates = json_get(spec, "readinessGates");
}

size_t pod_plan_decode(const struct json *pod, const struct json *node_annotations,
                       const struct pod_plan_defaults *defaults, struct arena *arena,
                       struct pod_plan *ret_plan, struct err *ret_complaint) {
        struct reader reader = {
                .plan = ret_plan,
                .pod_annotations = json_get(json_get(pod, "metadata"), "annotations"),
                .node_annotations = node_annotations,
                .arena = arena,
                .defaults = defaults,
                .complaint = ret_complaint,
        };
        struct slice unknown = lifecycle_unknown_key(reader.pod_annotations), text;
        struct err err = { 0 };

        *ret_plan = (struct pod_plan){
                .start_delay = { defaults->start_delay_ns, defaults->start_delay_ns },
                .backoff_first_ns = defaults->backoff_first_ns,
                .backoff_max_ns = defaults->backoff_max_ns,
        };
        read_spec(ret_plan, pod);
        ret_plan->seed = slice_hash(ret_plan->uid) ^ defaults->seed;
        read_span(&reader, "start-delay", SLICE_EMPTY, &ret_plan->start_delay);
        text = pod_plan_find(&reader, "fail", SLICE_EMPTY);
        if (text.len && lifecycle_parse_failure(text, &ret_plan->failure, &err) < 0)
                pod_plan_complain(&reader, "fail", &err);
        read_containers(&reader, json_get(pod, "spec"));
        if (unknown.len && reader.complaints++ == 0)
                err_set(ret_complaint, BERTH_ERR_INVALID,
                        SLICE_FMT ": no such annotation; known are start-delay, run, ready, "
                                  "ready-delay, waiting, shutdown and fail",
                        SLICE_ARG(unknown));
        return reader.complaints;
}

int64_t pod_plan_draw(const struct pod_plan *plan, struct lifecycle_span span, uint64_t salt) {
        struct rng rng;

        if (span.most_ns <= span.least_ns)
                return span.least_ns;
        rng_init(&rng, plan->seed ^ (salt * 0x9e3779b97f4a7c15u));
        return span.least_ns +
               (int64_t)rng_below(&rng, (uint64_t)(span.most_ns - span.least_ns) + 1);
}
