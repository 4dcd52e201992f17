/* The table row of a pod: its state in one word, as kubectl has always shown it. */
#include "kinds/row.h"

#include "base/map.h"
#include <stdio.h>
#include <stdlib.h>

#define REASON_MAX 256

struct pod_state {
        struct kind_context *context;
        const struct json *pod, *spec, *status;
        char reason[REASON_MAX];
        int64_t restarts, ready, total;
        struct map *init_by_name;  /* init containers; NULL = none */
        struct slice last_restart; /* RFC 3339 of the latest end; these texts compare as times */
};

static void set_reason(struct pod_state *state, const char *prefix, struct slice reason) {
        snprintf(state->reason, sizeof(state->reason), "%s" SLICE_FMT, prefix, SLICE_ARG(reason));
}

static const struct json *container_state(const struct json *status, const char *which) {
        return json_get(json_get(status, "state"), which);
}

static void count_restarts(struct pod_state *state, const struct json *status) {
        struct slice ended =
                json_get_text(json_get(json_get(status, "lastState"), "terminated"), "finishedAt");

        state->restarts += json_get_i64(status, "restartCount", 0);
        if (slice_compare(ended, state->last_restart) > 0)
                state->last_restart = ended;
}

static void end_reason(struct pod_state *state, const char *prefix, const struct json *end) {
        struct slice reason = json_get_text(end, "reason");
        int64_t signal = json_get_i64(end, "signal", 0);

        if (reason.len)
                set_reason(state, prefix, reason);
        else if (signal)
                snprintf(state->reason, sizeof(state->reason), "%sSignal:%lld", prefix,
                         (long long)signal);
        else
                snprintf(state->reason, sizeof(state->reason), "%sExitCode:%lld", prefix,
                         (long long)json_get_i64(end, "exitCode", 0));
}

/* Elements by a member's text; of several the first. */
static struct map *elements_by(const struct json *list, const char *member) {
        struct json_iter iter = json_iter(list);
        const struct json *element;
        struct map *map = map_new();

        while (json_next(&iter, NULL, &element)) {
                struct slice key = json_get_text(element, member);

                if (!map_get(map, key))
                        map_put(map, key, (void *)element);
        }
        return map;
}

static const struct json *condition_of(const struct pod_state *state, const char *type) {
        struct json_iter iter = json_iter(json_get(state->status, "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), type))
                        return condition;
        return NULL;
}

static bool has_true_condition(const struct pod_state *state, const char *type) {
        return slice_is(json_get_text(condition_of(state, type), "status"), "True");
}

/* ---- init containers ---- */

static bool is_sidecar(const struct pod_state *state, struct slice name) {
        return state->init_by_name &&
               slice_is(json_get_text(map_get(state->init_by_name, name), "restartPolicy"),
                        "Always");
}

/* False when the pod is still held up by this container. */
static bool is_past(struct pod_state *state, const struct json *status, size_t index) {
        const struct json *end = container_state(status, "terminated");
        struct slice waiting = json_get_text(container_state(status, "waiting"), "reason");

        if (end && json_get_i64(end, "exitCode", 0) == 0)
                return true;
        if (is_sidecar(state, json_get_text(status, "name")) &&
            json_get_bool(status, "started", false)) {
                state->ready += json_get_bool(status, "ready", false);
                return true;
        }
        if (end)
                end_reason(state, "Init:", end);
        else if (waiting.len && !slice_is(waiting, "PodInitializing"))
                set_reason(state, "Init:", waiting);
        else
                snprintf(state->reason, sizeof(state->reason), "Init:%zu/%zu", index,
                         json_count(json_get(state->spec, "initContainers")));
        return false;
}

/* True while init containers decide the pod's state. */
static bool walk_init(struct pod_state *state) {
        struct json_iter iter = json_iter(json_get(state->status, "initContainerStatuses"));
        const struct json *status;

        for (size_t i = 0; json_next(&iter, NULL, &status); i++) {
                count_restarts(state, status);
                if (!is_past(state, status, i))
                        return true;
        }
        return false;
}

/* Once initialised, only sidecars' restarts count. */
static void recount_sidecars(struct pod_state *state) {
        struct json_iter iter = json_iter(json_get(state->status, "initContainerStatuses"));
        const struct json *status;

        state->restarts = 0;
        state->last_restart = SLICE_EMPTY;
        while (json_next(&iter, NULL, &status))
                if (is_sidecar(state, json_get_text(status, "name")))
                        count_restarts(state, status);
}

/* ---- containers ---- */

static void walk_containers(struct pod_state *state) {
        const struct json *statuses = json_get(state->status, "containerStatuses");
        char failed[REASON_MAX] = "";
        bool is_running = false;

        size_t count;
        const struct json **elements = json_elements(statuses, &count);

        for (size_t i = count; i > 0; i--) {
                const struct json *status = elements[i - 1];
                const struct json *end = container_state(status, "terminated");
                struct slice waiting = json_get_text(container_state(status, "waiting"), "reason");

                count_restarts(state, status);
                if (waiting.len) {
                        set_reason(state, "", waiting);
                } else if (end) {
                        end_reason(state, "", end);
                        if (json_get_i64(end, "exitCode", 0) != 0)
                                memcpy(failed, state->reason, sizeof(failed));
                } else if (json_get_bool(status, "ready", false) &&
                           container_state(status, "running")) {
                        is_running = true;
                        state->ready++;
                }
        }
        free(elements);
        if (!slice_is(slice_of(state->reason), "Completed"))
                return;
        if (is_running && has_true_condition(state, "Ready"))
                set_reason(state, "", SLICE_LITERAL("Running"));
        else if (failed[0])
                memcpy(state->reason, failed, sizeof(failed));
        else if (is_running)
                set_reason(state, "", SLICE_LITERAL("NotReady"));
}

static void count_containers(struct pod_state *state) {
        struct json_iter iter = json_iter(json_get(state->spec, "initContainers"));
        const struct json *container;

        state->total = (int64_t)json_count(json_get(state->spec, "containers"));
        while (json_next(&iter, NULL, &container))
                state->total += slice_is(json_get_text(container, "restartPolicy"), "Always");
}

static bool is_over(struct slice phase) {
        return slice_is(phase, "Succeeded") || slice_is(phase, "Failed");
}

static void pod_row_judge(struct pod_state *state) {
        struct slice phase = json_get_text(state->status, "phase");
        struct slice reason = json_get_text(state->status, "reason");
        bool is_deleted = json_get(json_get(state->pod, "metadata"), "deletionTimestamp");

        set_reason(state, "", reason.len ? reason : phase);
        if (slice_is(json_get_text(condition_of(state, "PodScheduled"), "reason"),
                     "SchedulingGated"))
                set_reason(state, "", SLICE_LITERAL("SchedulingGated"));
        count_containers(state);
        if (json_count(json_get(state->spec, "initContainers")))
                state->init_by_name = elements_by(json_get(state->spec, "initContainers"), "name");
        if (!walk_init(state) || has_true_condition(state, "Initialized")) {
                recount_sidecars(state);
                walk_containers(state);
        }
        map_free(state->init_by_name);
        state->init_by_name = NULL;
        if (is_deleted && slice_is(reason, "NodeLost"))
                set_reason(state, "", SLICE_LITERAL("Unknown"));
        else if (is_deleted && !is_over(phase))
                set_reason(state, "", SLICE_LITERAL("Terminating"));
}

/* ---- the row ---- */

static void cell_restarts(struct row *row, const struct pod_state *state) {
        char age[40];

        if (state->restarts && state->last_restart.len)
                cell_format(row, "%lld (%s ago)", (long long)state->restarts,
                            since_text(row->context, state->last_restart, age));
        else
                cell_format(row, "%lld", (long long)state->restarts);
}

static void cell_gates(struct row *row, const struct pod_state *state) {
        const struct json *gates = json_get(state->spec, "readinessGates"), *gate;
        struct json_iter iter = json_iter(gates);
        size_t passed = 0;

        if (json_count(gates) == 0) {
                cell_string(row, "<none>");
                return;
        }
        struct map *conditions = elements_by(json_get(state->status, "conditions"), "type");
        while (json_next(&iter, NULL, &gate))
                passed += slice_is(
                        json_get_text(map_get(conditions, json_get_text(gate, "conditionType")),
                                      "status"),
                        "True");
        map_free(conditions);
        cell_format(row, "%zu/%zu", passed, json_count(gates));
}

static void completed_condition(struct buf *out, struct slice phase) {
        buf_printf(out,
                   "[{\"type\":\"Completed\",\"status\":\"True\",\"reason\":\"" SLICE_FMT
                   "\",\"message\":\"The pod %s.\"}]",
                   SLICE_ARG(phase),
                   slice_is(phase, "Succeeded") ? "has completed successfully" : "failed");
}

ROW_HOOK(pod_row) {
        struct pod_state state = {
                .context = context,
                .pod = object,
                .spec = json_get(object, "spec"),
                .status = json_get(object, "status"),
        };
        const struct json *first = json_at(json_get(state.status, "podIPs"), 0);
        struct slice phase = json_get_text(state.status, "phase");
        struct row row = row_begin(context, cells);

        pod_row_judge(&state);
        cell_name(&row, object);
        cell_format(&row, "%lld/%lld", (long long)state.ready, (long long)state.total);
        cell_string(&row, state.reason);
        cell_restarts(&row, &state);
        cell_age(&row, object);
        cell_or(&row, json_get_text(first, "ip"), "<none>");
        cell_or(&row, json_get_text(state.spec, "nodeName"), "<none>");
        cell_or(&row, json_get_text(state.status, "nominatedNodeName"), "<none>");
        cell_gates(&row, &state);
        row_end(&row);
        if (is_over(phase))
                completed_condition(conditions, phase);
}
