/* Pod status: phase, conditions, container states. */
#include "api/decode_priv.h"

static const char *const phase_names[] = {
        [POD_PENDING] = "Pending", [POD_RUNNING] = "Running", [POD_SUCCEEDED] = "Succeeded",
        [POD_FAILED] = "Failed",   [POD_UNKNOWN] = "Unknown",
};
static const char *const qos_names[] = { [QOS_BEST_EFFORT] = "BestEffort",
                                         [QOS_BURSTABLE] = "Burstable",
                                         [QOS_GUARANTEED] = "Guaranteed" };

const char *pod_phase_name(enum pod_phase phase) {
        return phase_names[phase];
}

const char *qos_class_name(enum qos_class qos) {
        return qos_names[qos];
}

enum pod_phase pod_phase_from(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(phase_names); i++) {
                if (slice_is(name, phase_names[i]))
                        return (enum pod_phase)i;
        }
        return name.len > 0 ? POD_UNKNOWN : POD_PENDING;
}

bool qos_class_from(struct slice name, enum qos_class *ret_qos) {
        for (size_t i = 0; i < ARRAY_LEN(qos_names); i++) {
                if (slice_is(name, qos_names[i])) {
                        *ret_qos = (enum qos_class)i;
                        return true;
                }
        }
        return false;
}

static int decode_phase(const struct json *value, void *target, struct decode *d) {
        struct slice name;
        int r = decode_text(value, &name, d);
        if (r == 0)
                *(enum pod_phase *)target = pod_phase_from(name);
        return r;
}

static int decode_qos(const struct json *value, void *target, struct decode *d) {
        struct pod_status *status = target;
        struct slice name;
        int r = decode_text(value, &name, d);
        if (r == 0 && qos_class_from(name, &status->qos))
                status->has_qos = true;
        return r;
}

/* ---- container statuses ---- */

static int decode_waiting(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { FIELD(struct container_status, "reason",
                                                            waiting_reason, decode_text) };
        ((struct container_status *)target)->is_waiting = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_running(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { FIELD(struct container_status, "startedAt",
                                                            started, decode_time) };
        ((struct container_status *)target)->is_running = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_terminated(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct container_status, "reason", terminated_reason, decode_text),
                FIELD(struct container_status, "exitCode", exit_code, decode_int32),
                FIELD(struct container_status, "signal", signal, decode_int32),
                FIELD(struct container_status, "startedAt", started, decode_time),
                FIELD(struct container_status, "finishedAt", finished, decode_time),
        };
        ((struct container_status *)target)->is_terminated = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_last_terminated(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct container_status, "reason", last_terminated_reason, decode_text),
                FIELD(struct container_status, "exitCode", last_exit_code, decode_int32),
                FIELD(struct container_status, "finishedAt", last_finished, decode_time),
        };
        ((struct container_status *)target)->has_last = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_state(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("waiting", decode_waiting),
                PART_FIELD("running", decode_running),
                PART_FIELD("terminated", decode_terminated),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_last_state(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { PART_FIELD("terminated",
                                                                 decode_last_terminated) };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_container_resources(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { FIELD(struct container_status, "requests",
                                                            requests, decode_requests) };
        ((struct container_status *)target)->has_resources = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_container_status(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct container_status, "name", name, decode_text),
                FIELD(struct container_status, "ready", is_ready, decode_bool),
                FIELD(struct container_status, "started", is_started, decode_bool),
                FIELD(struct container_status, "restartCount", restarts, decode_int32),
                PART_FIELD("state", decode_state),
                PART_FIELD("lastState", decode_last_state),
                PART_FIELD("resources", decode_container_resources),
                FIELD(struct container_status, "allocatedResources", allocated, decode_requests),
        };
        struct container_status *status = target;
        status->started = status->finished = status->last_finished = WALL_TIME_UNSET;
        return DECODE_FIELDS(value, fields, target, d);
}

/* ---- pod status ---- */

static int decode_pod_resources(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { FIELD(struct pod_status, "requests", requests,
                                                            decode_requests) };
        ((struct pod_status *)target)->has_resources = true;
        return DECODE_FIELDS(value, fields, target, d);
}

/* Of a spec, and of a status, which says what was made from a template. */
int decode_pod_claim(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct pod_resource_claim, "name", name, decode_text),
                FIELD(struct pod_resource_claim, "resourceClaimName", claim_name, decode_text),
                FIELD(struct pod_resource_claim, "resourceClaimTemplateName", template_name,
                      decode_text),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_node_claim(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct pod_node_claim, "resourceClaimName", claim_name, decode_text),
                FIELD(struct pod_node_claim, "resources", resources, decode_requests),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

int decode_pod_status(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct pod_status, "phase", phase, decode_phase),
                FIELD(struct pod_status, "reason", reason, decode_text),
                FIELD(struct pod_status, "message", message, decode_text),
                FIELD(struct pod_status, "nominatedNodeName", nominated_node, decode_text),
                FIELD(struct pod_status, "podIP", pod_ip, decode_text),
                PART_FIELD("qosClass", decode_qos),
                FIELD(struct pod_status, "startTime", started, decode_time),
                LIST_FIELD(struct pod_status, "conditions", conditions, condition_count,
                           decode_condition),
                LIST_FIELD(struct pod_status, "containerStatuses", containers, container_count,
                           decode_container_status),
                LIST_FIELD(struct pod_status, "initContainerStatuses", init, init_count,
                           decode_container_status),
                LIST_FIELD(struct pod_status, "ephemeralContainerStatuses", ephemeral,
                           ephemeral_count, decode_container_status),
                PART_FIELD("resources", decode_pod_resources),
                FIELD(struct pod_status, "allocatedResources", allocated, decode_requests),
                LIST_FIELD(struct pod_status, "resourceClaimStatuses", claims, claim_count,
                           decode_pod_claim),
                LIST_FIELD(struct pod_status, "nodeAllocatableResourceClaimStatuses", node_claims,
                           node_claim_count, decode_node_claim),
        };
        return DECODE_FIELDS(value, fields, target, d);
}
