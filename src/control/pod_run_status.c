/* Pod runs as a pod's status: written for the API, and read back from it. */
#include "control/pod_run.h"

#include "base/buf.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- reading ---- */

static struct wall_time time_of(const struct json *object, const char *key) {
        struct wall_time time;

        return wall_time_parse(json_get_text(object, key), &time) ? time : WALL_TIME_UNSET;
}

static void read_end(const struct json *terminated, struct container_end *end) {
        if (!terminated)
                return;
        end->is_set = true;
        end->started = time_of(terminated, "startedAt");
        end->finished = time_of(terminated, "finishedAt");
        end->exit_code = (int32_t)json_get_i64(terminated, "exitCode", 0);
        snprintf(end->reason, sizeof(end->reason), SLICE_FMT,
                 SLICE_ARG(json_get_text(terminated, "reason")));
}

static void read_container(const struct json *status, struct container_run *run) {
        const struct json *state = json_get(status, "state");
        const struct json *running = json_get(state, "running");
        const struct json *terminated = json_get(state, "terminated");

        run->restarts = (int32_t)json_get_i64(status, "restartCount", 0);
        run->backoff = (unsigned)run->restarts;
        read_end(json_get(json_get(status, "lastState"), "terminated"), &run->last);
        read_end(terminated, &run->now);
        run->is_ready = json_get_bool(status, "ready", false);
        run->has_begun = running || terminated || run->last.is_set;
        if (running) {
                run->state = STATE_RUNNING;
                run->started = time_of(running, "startedAt");
        } else if (terminated) {
                run->state = STATE_TERMINATED;
        } else {
                run->is_backing_off = run->last.is_set;
        }
}

static const struct json *status_of(const struct json *pod, struct slice name) {
        static const char *const lists[] = { "initContainerStatuses", "containerStatuses" };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_iter iter = json_iter(json_get(json_get(pod, "status"), lists[i]));
                const struct json *status;

                while (json_next(&iter, NULL, &status)) {
                        if (slice_eq(json_get_text(status, "name"), name))
                                return status;
                }
        }
        return NULL;
}

static bool has_condition(const struct json *pod, const char *type) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition)) {
                if (slice_is(json_get_text(condition, "type"), type))
                        return slice_is(json_get_text(condition, "status"), "True");
        }
        return false;
}

static void not_after(struct wall_time *time, struct wall_time now) {
        if (wall_time_is_set(*time) && time->ns > now.ns)
                *time = now;
}

static void read_run(struct pod_run *run, const struct pod_plan *plan, struct wall_time now) {
        const struct json *status = json_get(plan->pod, "status");
        struct slice phase = json_get_text(status, "phase");

        run->is_initialized = has_condition(plan->pod, "Initialized");
        run->is_up = has_condition(plan->pod, "PodReadyToStartContainers");
        for (size_t i = 0; i < run->count; i++) {
                const struct container_plan *container = &plan->containers[i];

                read_container(status_of(plan->pod, container->name), &run->containers[i]);
                not_after(&run->containers[i].started, now);
                not_after(&run->containers[i].now.finished, now);
                not_after(&run->containers[i].last.finished, now);
                run->is_up |= run->containers[i].has_begun;
                if (container->role == CONTAINER_MAIN && run->containers[i].state == STATE_RUNNING)
                        run->running_since = run->containers[i].started;
        }
        if (slice_is(phase, "Succeeded"))
                run->end = RUN_SUCCEEDED;
        else if (slice_is(phase, "Failed"))
                run->end = RUN_FAILED;
        snprintf(run->reason, sizeof(run->reason), SLICE_FMT,
                 SLICE_ARG(json_get_text(status, "reason")));
        snprintf(run->message, sizeof(run->message), SLICE_FMT,
                 SLICE_ARG(json_get_text(status, "message")));
}

struct pod_run *pod_run_new(const struct pod_plan *plan, struct wall_time now) {
        struct pod_run *run = xcalloc(1, sizeof(*run) + plan->count * sizeof(run->containers[0]));
        const struct json *status = json_get(plan->pod, "status");

        run->count = plan->count;
        run->running_since = WALL_TIME_UNSET;
        for (size_t i = 0; i < run->count; i++) {
                struct container_run *container = &run->containers[i];

                container->started = container->end = WALL_TIME_UNSET;
                container->next = container->ready_change = WALL_TIME_UNSET;
        }
        run->accepted = time_of(status, "startTime");
        not_after(&run->accepted, now);
        if (wall_time_is_set(run->accepted)) {
                run->begin.ns = run->accepted.ns + pod_plan_draw(plan, plan->start_delay, 0);
                read_run(run, plan, now);
                if (!pod_run_is_over(run))
                        pod_run_resume(run, plan, now);
                return run;
        }
        run->accepted = now;
        run->begin.ns = now.ns + pod_plan_draw(plan, plan->start_delay, 0);
        return run;
}

/* ---- containers ---- */

static void put_time(struct json_tree *tree, struct json_node *object, const char *key,
                     struct wall_time time) {
        char text[WALL_TIME_TEXT_MAX];

        if (!wall_time_is_set(time))
                return;
        wall_time_format(time, text);
        node_put_string(tree, object, key, text);
}

/* Made up, but the same for the same run of the same container. */
static void container_id(const struct pod_plan *plan, const struct container_plan *container,
                         int32_t restarts, char *buffer, size_t size) {
        uint64_t a = slice_hash(plan->uid) ^ slice_hash(container->name) * 31;
        uint64_t b = hash_bytes(&restarts, sizeof(restarts), a);

        snprintf(buffer, size, "containerd://%016llx%016llx%016llx%016llx", (unsigned long long)a,
                 (unsigned long long)b, (unsigned long long)(a * 0x9e3779b97f4a7c15u),
                 (unsigned long long)(b * 0x9e3779b97f4a7c15u));
}

static struct json_node *end_node(struct json_tree *tree, const struct container_end *end,
                                  const char *id) {
        struct json_node *state = node_object(tree);
        struct json_node *terminated = node_need_object(tree, state, "terminated");

        node_put_i64(tree, terminated, "exitCode", end->exit_code);
        node_put_string(tree, terminated, "reason", end->reason);
        put_time(tree, terminated, "startedAt", end->started);
        put_time(tree, terminated, "finishedAt", end->finished);
        if (wall_time_is_set(end->started))
                node_put_string(tree, terminated, "containerID", id);
        return state;
}

static int64_t pause_s(const struct container_run *container) {
        return (container->next.ns - container->last.finished.ns) / NS_PER_S;
}

static struct json_node *waiting_node(const struct pod_run *run, const struct pod_plan *plan,
                                      size_t i, struct json_tree *tree) {
        const struct container_run *container = &run->containers[i];
        const struct container_plan *planned = &plan->containers[i];
        struct json_node *state = node_object(tree);
        struct json_node *waiting = node_need_object(tree, state, "waiting");
        bool is_planned_waiting = run->is_up && planned->waiting.reason.len &&
                                  (run->is_initialized || planned->role != CONTAINER_MAIN);
        struct buf message = { 0 };

        if (container->is_backing_off) {
                char pause[DURATION_TEXT_MAX];

                duration_format(pause_s(container) * NS_PER_S, pause);
                buf_printf(&message,
                           "back-off %s restarting failed container=" SLICE_FMT " pod=" SLICE_FMT
                           "_" SLICE_FMT "(" SLICE_FMT ")",
                           pause, SLICE_ARG(planned->name), SLICE_ARG(plan->name),
                           SLICE_ARG(plan->ns), SLICE_ARG(plan->uid));
                node_put_string(tree, waiting, "reason", "CrashLoopBackOff");
                node_put_text(tree, waiting, "message", buf_view(&message));
        } else if (is_planned_waiting) {
                node_put_text(tree, waiting, "reason", planned->waiting.reason);
        } else {
                bool waits_for_init = !run->is_initialized && run->count > 0 &&
                                      plan->containers[0].role != CONTAINER_MAIN;

                node_put_string(tree, waiting, "reason",
                                waits_for_init ? "PodInitializing" : "ContainerCreating");
        }
        buf_release(&message);
        return state;
}

/* What a running container has: a change of the specification is in force at once. Without it the
 * API server takes the node for one that cannot resize pods. */
static void put_resources(struct json_tree *tree, struct json_node *node,
                          const struct json *resources) {
        const struct json *requests = json_get(resources, "requests");

        if (json_count(requests))
                node_put(tree, node, "allocatedResources", node_import(tree, requests));
        node_put(tree, node, "resources",
                 resources ? node_import(tree, resources) : node_object(tree));
}

static struct json_node *container_node(const struct pod_run *run, const struct pod_plan *plan,
                                        size_t i, struct json_tree *tree) {
        const struct container_run *container = &run->containers[i];
        const struct container_plan *planned = &plan->containers[i];
        struct json_node *node = node_object(tree), *state = NULL;
        bool is_running = container->state == STATE_RUNNING;
        bool is_init_over = planned->role == CONTAINER_INIT && container->now.is_set &&
                            container->now.exit_code == 0;
        char id[96], last_id[96];

        container_id(plan, planned, container->restarts, id, sizeof(id));
        container_id(plan, planned,
                     container->is_backing_off ? container->restarts : container->restarts - 1,
                     last_id, sizeof(last_id));
        node_put_text(tree, node, "name", planned->name);
        if (is_running) {
                state = node_object(tree);
                put_time(tree, node_need_object(tree, state, "running"), "startedAt",
                         container->started);
        } else if (container->state == STATE_TERMINATED) {
                state = end_node(tree, &container->now, id);
        } else {
                state = waiting_node(run, plan, i, tree);
        }
        node_put(tree, node, "state", state);
        node_put(tree, node, "lastState",
                 container->last.is_set ? end_node(tree, &container->last, last_id)
                                        : node_object(tree));
        node_put_bool(tree, node, "ready", is_running ? container->is_ready : is_init_over);
        node_put_i64(tree, node, "restartCount", container->restarts);
        node_put_text(tree, node, "image", planned->image);
        node_put_text(tree, node, "imageID", container->has_begun ? planned->image : SLICE_EMPTY);
        if (container->has_begun)
                node_put_string(tree, node, "containerID",
                                container->is_backing_off ? last_id : id);
        if (is_running)
                put_resources(tree, node, planned->resources);
        node_put_bool(tree, node, "started",
                      is_running && (planned->role != CONTAINER_INIT || container->has_begun));
        return node;
}

/* ---- conditions ---- */

struct condition_fact {
        const char *type;
        bool is_true;
        const char *reason;
        struct slice message;
};

static const struct json *condition_of(const struct json *pod, struct slice type) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition)) {
                if (slice_eq(json_get_text(condition, "type"), type))
                        return condition;
        }
        return NULL;
}

static void append_condition(struct json_tree *tree, struct json_node *conditions,
                             const struct pod_plan *plan, const struct condition_fact *fact,
                             struct wall_time now) {
        const struct json *old = condition_of(plan->pod, slice_of(fact->type));
        struct json_node *condition = node_object(tree);
        const char *status = fact->is_true ? "True" : "False";

        node_put_string(tree, condition, "type", fact->type);
        if (plan->generation > 0)
                node_put_i64(tree, condition, "observedGeneration", plan->generation);
        node_put_string(tree, condition, "status", status);
        node_put(tree, condition, "lastProbeTime", node_null(tree));
        struct slice since = json_get_text(old, "lastTransitionTime");
        if (slice_is(json_get_text(old, "status"), status) && since.len)
                node_put_text(tree, condition, "lastTransitionTime", since);
        else
                put_time(tree, condition, "lastTransitionTime", now);
        if (fact->reason)
                node_put_string(tree, condition, "reason", fact->reason);
        if (fact->message.len)
                node_put_text(tree, condition, "message", fact->message);
        node_append(conditions, condition);
}

/* "containers with unready status: [a b]" */
static bool list_unready(const struct pod_run *run, const struct pod_plan *plan,
                         enum planned_container_role role, struct buf *out) {
        size_t count = 0;

        buf_printf(out, "containers with %s status: [",
                   role == CONTAINER_MAIN ? "unready" : "incomplete");
        for (size_t i = 0; i < run->count; i++) {
                const struct container_run *container = &run->containers[i];
                bool is_main = plan->containers[i].role == CONTAINER_MAIN;
                bool is_fine = container->state == STATE_RUNNING && container->is_ready;

                if (role == CONTAINER_INIT)
                        is_fine = plan->containers[i].role == CONTAINER_SIDECAR
                                          ? container->has_begun
                                          : container->now.is_set && !container->now.exit_code;
                if (is_fine || (role == CONTAINER_INIT && is_main) ||
                    (role == CONTAINER_MAIN && plan->containers[i].role == CONTAINER_INIT))
                        continue;
                buf_printf(out, "%s" SLICE_FMT, count++ ? " " : "",
                           SLICE_ARG(plan->containers[i].name));
        }
        buf_char(out, ']');
        return count > 0;
}

static bool are_gates_open(const struct pod_plan *plan) {
        struct json_iter iter = json_iter(plan->readiness_gates);
        const struct json *gate;

        while (json_next(&iter, NULL, &gate)) {
                const struct json *condition =
                        condition_of(plan->pod, json_get_text(gate, "conditionType"));

                if (!slice_is(json_get_text(condition, "status"), "True"))
                        return false;
        }
        return true;
}

static void readiness_facts(const struct pod_run *run, const struct pod_plan *plan,
                            struct condition_fact *containers, struct condition_fact *pod,
                            struct buf *text) {
        bool is_unready = list_unready(run, plan, CONTAINER_MAIN, text);

        containers->type = "ContainersReady";
        if (pod_run_is_over(run)) {
                containers->reason = run->end == RUN_SUCCEEDED ? "PodCompleted" : "PodFailed";
        } else if (is_unready) {
                containers->reason = "ContainersNotReady";
                containers->message = buf_view(text);
        } else {
                containers->is_true = true;
        }
        *pod = *containers;
        pod->type = "Ready";
        if (pod->is_true && !are_gates_open(plan)) {
                pod->is_true = false;
                pod->reason = "ReadinessGatesNotReady";
        }
}

bool pod_run_is_ready(const struct pod_run *run, const struct pod_plan *plan) {
        struct condition_fact containers = { 0 }, pod;
        struct buf text = { 0 };

        readiness_facts(run, plan, &containers, &pod, &text);
        buf_release(&text);
        return pod.is_true;
}

static bool is_ours(struct slice type) {
        static const char *const types[] = { "PodReadyToStartContainers", "Initialized", "Ready",
                                             "ContainersReady", "PodScheduled" };

        for (size_t i = 0; i < ARRAY_LEN(types); i++) {
                if (slice_is(type, types[i]))
                        return true;
        }
        return false;
}

static struct json_node *conditions_node(const struct pod_run *run, const struct pod_plan *plan,
                                         struct wall_time now, struct json_tree *tree) {
        struct json_iter iter = json_iter(json_get(json_get(plan->pod, "status"), "conditions"));
        struct buf incomplete = { 0 }, unready = { 0 };
        struct condition_fact facts[5] = {
                { .type = "PodReadyToStartContainers",
                  .is_true = run->is_up && !pod_run_is_over(run) },
                { .type = "Initialized", .is_true = run->is_initialized },
                [4] = { .type = "PodScheduled", .is_true = true },
        };
        struct json_node *conditions = node_array(tree);
        const struct json *other;

        if (run->end == RUN_SUCCEEDED) {
                facts[1].is_true = true;
                facts[1].reason = "PodCompleted";
        } else if (!run->is_initialized && list_unready(run, plan, CONTAINER_INIT, &incomplete)) {
                facts[1].reason = "ContainersNotInitialized";
                facts[1].message = buf_view(&incomplete);
        } else {
                facts[1].is_true = true;
        }
        readiness_facts(run, plan, &facts[3], &facts[2], &unready);
        while (json_next(&iter, NULL, &other)) {
                if (!is_ours(json_get_text(other, "type")))
                        node_append(conditions, node_import(tree, other));
        }
        for (size_t i = 0; i < ARRAY_LEN(facts); i++)
                append_condition(tree, conditions, plan, &facts[i], now);
        /* What a kubelet evicts itself was disrupted, as by an eviction from outside. */
        if (slice_is(slice_of(run->reason), "Evicted") &&
            !condition_of(plan->pod, SLICE_LITERAL("DisruptionTarget")))
                append_condition(tree, conditions, plan,
                                 &(struct condition_fact){ .type = "DisruptionTarget",
                                                           .is_true = true,
                                                           .reason = "TerminationByKubelet",
                                                           .message = slice_of(run->message) },
                                 now);
        buf_release(&incomplete);
        buf_release(&unready);
        return conditions;
}

/* ---- the whole ---- */

static const char *phase_of(const struct pod_run *run, const struct pod_plan *plan) {
        if (run->end == RUN_SUCCEEDED)
                return "Succeeded";
        if (run->end == RUN_FAILED)
                return "Failed";
        for (size_t i = 0; i < run->count; i++) {
                if (plan->containers[i].role == CONTAINER_MAIN && run->containers[i].has_begun)
                        return "Running";
        }
        return "Pending";
}

static void put_addresses(struct json_tree *tree, struct json_node *status, const char *plural,
                          const char *singular, const char *ip) {
        struct json_node *list = node_need_array(tree, status, plural);
        struct json_node *element = node_object(tree);

        node_put_string(tree, status, singular, ip);
        node_put_string(tree, element, "ip", ip);
        node_append(list, element);
}

struct json_node *pod_run_status(const struct pod_run *run, const struct pod_plan *plan,
                                 const struct pod_addresses *addresses, struct wall_time now,
                                 struct json_tree *tree) {
        struct json_node *status = node_object(tree);
        struct json_node *init = node_array(tree), *main = node_array(tree);

        if (plan->generation > 0)
                node_put_i64(tree, status, "observedGeneration", plan->generation);
        node_put_string(tree, status, "phase", phase_of(run, plan));
        node_put(tree, status, "conditions", conditions_node(run, plan, now, tree));
        put_addresses(tree, status, "hostIPs", "hostIP", addresses->host_ip);
        if (run->is_up || plan->uses_host_network)
                put_addresses(tree, status, "podIPs", "podIP", addresses->pod_ip);
        put_time(tree, status, "startTime", run->accepted);
        if (run->reason[0])
                node_put_string(tree, status, "reason", run->reason);
        if (run->message[0])
                node_put_string(tree, status, "message", run->message);
        for (size_t i = 0; i < run->count; i++)
                node_append(plan->containers[i].role == CONTAINER_MAIN ? main : init,
                            container_node(run, plan, i, tree));
        if (node_count(init))
                node_put(tree, status, "initContainerStatuses", init);
        node_put(tree, status, "containerStatuses", main);
        return status;
}
