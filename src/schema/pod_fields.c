/* Tables only: each field of a message that is read has a row; the few whose value stands for
 * something else have a taker here. */
#include "schema/pod_fields.h"

#include "base/util.h"

enum {
        META,
        OWNER,
        STATUS,
        CONDITION,
        CONTAINER,
        STATE,
        LAST_STATE,
        WAITING,
        RUNNING,
        TERMINATED,
        LAST_TERMINATED,
        RESOURCES,
};

#define ROW(type, json_name, taker, member)                                                        \
        { .name = json_name, .take = taker, .offset = offsetof(type, member) }
#define CHECKED(json_name, taker)                                                                  \
        { .name = json_name, .take = taker }
#define PART(json_name, parts)                                                                     \
        { .name = json_name, .take = typed_take_part, .message = &(parts) }
#define MARKED(type, json_name, mark, parts)                                                       \
        {                                                                                          \
                .name = json_name, .take = typed_take_marked_part, .message = &(parts),            \
                .count_offset = offsetof(type, mark)                                               \
        }
#define LIST(type, json_name, member, count_member, elements)                                      \
        {                                                                                          \
                .name = json_name, .take = typed_take_list, .offset = offsetof(type, member),      \
                .message = elements, .count_offset = offsetof(type, count_member),                 \
                .element_size = sizeof(*((type *)0)->member)                                       \
        }
#define MESSAGE(schema_name, number, rows, beginning)                                              \
        {                                                                                          \
                .schema = schema_name, .index = number, .fields = rows, .count = ARRAY_LEN(rows),  \
                .begin = beginning                                                                 \
        }

/* ---- metadata ---- */

static const struct typed_field owner_rows[] = {
        ROW(struct owner_ref, "kind", typed_take_text, kind),
        ROW(struct owner_ref, "name", typed_take_text, name),
        ROW(struct owner_ref, "uid", typed_take_text, uid),
        ROW(struct owner_ref, "apiVersion", typed_take_text, api_version),
        ROW(struct owner_ref, "controller", typed_take_bool, is_controller),
        ROW(struct owner_ref, "blockOwnerDeletion", typed_take_bool, blocks_deletion),
};
static const struct typed_message owner_message =
        MESSAGE("meta.v1.OwnerReference", OWNER, owner_rows, NULL);

static const struct typed_field meta_rows[] = {
        ROW(struct object_meta, "name", typed_take_text, name),
        ROW(struct object_meta, "generateName", typed_take_text, generate_name),
        ROW(struct object_meta, "namespace", typed_take_text, ns),
        CHECKED("selfLink", typed_take_check),
        ROW(struct object_meta, "uid", typed_take_text, uid),
        ROW(struct object_meta, "resourceVersion", typed_take_text, resource_version),
        ROW(struct object_meta, "generation", typed_take_int64, generation),
        ROW(struct object_meta, "creationTimestamp", typed_take_time, created),
        ROW(struct object_meta, "deletionTimestamp", typed_take_time, deleted),
        ROW(struct object_meta, "deletionGracePeriodSeconds", typed_take_int64, deletion_grace_s),
        ROW(struct object_meta, "labels", typed_take_labels, labels),
        ROW(struct object_meta, "annotations", typed_take_labels, annotations),
        LIST(struct object_meta, "ownerReferences", owners, owner_count, &owner_message),
        LIST(struct object_meta, "finalizers", finalizers, finalizer_count, NULL),
};
const struct typed_message pod_meta_message = MESSAGE("meta.v1.ObjectMeta", META, meta_rows, NULL);

/* ---- states of containers ---- */

static const struct typed_field waiting_rows[] = {
        ROW(struct container_status, "reason", typed_take_text, waiting_reason),
        CHECKED("message", typed_take_check),
};
static const struct typed_message waiting_message =
        MESSAGE("core.v1.ContainerStateWaiting", WAITING, waiting_rows, NULL);

static const struct typed_field running_rows[] = {
        ROW(struct container_status, "startedAt", typed_take_time, started),
};
static const struct typed_message running_message =
        MESSAGE("core.v1.ContainerStateRunning", RUNNING, running_rows, NULL);

static const struct typed_field terminated_rows[] = {
        ROW(struct container_status, "exitCode", typed_take_int32, exit_code),
        ROW(struct container_status, "signal", typed_take_int32, signal),
        ROW(struct container_status, "reason", typed_take_text, terminated_reason),
        CHECKED("message", typed_take_check),
        ROW(struct container_status, "startedAt", typed_take_time, started),
        ROW(struct container_status, "finishedAt", typed_take_time, finished),
        CHECKED("containerID", typed_take_check),
};
static const struct typed_message terminated_message =
        MESSAGE("core.v1.ContainerStateTerminated", TERMINATED, terminated_rows, NULL);

static const struct typed_field last_terminated_rows[] = {
        ROW(struct container_status, "exitCode", typed_take_int32, last_exit_code),
        CHECKED("signal", typed_take_check_number),
        ROW(struct container_status, "reason", typed_take_text, last_terminated_reason),
        CHECKED("message", typed_take_check),
        CHECKED("startedAt", typed_take_check_time),
        ROW(struct container_status, "finishedAt", typed_take_time, last_finished),
        CHECKED("containerID", typed_take_check),
};
static const struct typed_message last_terminated_message =
        MESSAGE("core.v1.ContainerStateTerminated", LAST_TERMINATED, last_terminated_rows, NULL);

static const struct typed_field state_rows[] = {
        MARKED(struct container_status, "waiting", is_waiting, waiting_message),
        MARKED(struct container_status, "running", is_running, running_message),
        MARKED(struct container_status, "terminated", is_terminated, terminated_message),
};
static const struct typed_message state_message =
        MESSAGE("core.v1.ContainerState", STATE, state_rows, NULL);

static const struct typed_field last_state_rows[] = {
        MARKED(struct container_status, "terminated", has_last, last_terminated_message),
};
static const struct typed_message last_state_message =
        MESSAGE("core.v1.ContainerState", LAST_STATE, last_state_rows, NULL);

static const struct typed_field resources_rows[] = {
        CHECKED("limits", typed_take_check_amounts),
        ROW(struct container_status, "requests", typed_take_amounts, requests),
};
static const struct typed_message resources_message =
        MESSAGE("core.v1.ResourceRequirements", RESOURCES, resources_rows, NULL);

static void begin_container(void *target) {
        struct container_status *status = target;

        status->started = status->finished = status->last_finished = WALL_TIME_UNSET;
}

static const struct typed_field container_rows[] = {
        ROW(struct container_status, "name", typed_take_text, name),
        PART("state", state_message),
        PART("lastState", last_state_message),
        ROW(struct container_status, "ready", typed_take_bool, is_ready),
        ROW(struct container_status, "restartCount", typed_take_int32, restarts),
        ROW(struct container_status, "started", typed_take_bool, is_started),
        ROW(struct container_status, "allocatedResources", typed_take_amounts, allocated),
        MARKED(struct container_status, "resources", has_resources, resources_message),
        CHECKED("stopSignal", typed_take_check),
};
static const struct typed_message container_message =
        MESSAGE("core.v1.ContainerStatus", CONTAINER, container_rows, begin_container);

/* ---- status ---- */

static bool take_condition_status(const struct typed_reader *reader,
                                  const struct typed_field *field, const struct wire_field *wire,
                                  struct slice *rest, char *target) {
        (void)reader, (void)field, (void)rest;
        *(enum condition_status *)(void *)target = condition_status_from(wire->bytes);
        return wire->type == WIRE_BYTES && typed_text(wire->bytes);
}

static void begin_condition(void *target) {
        ((struct condition *)target)->changed = WALL_TIME_UNSET;
}

static const struct typed_field condition_rows[] = {
        ROW(struct condition, "type", typed_take_text, type),
        ROW(struct condition, "status", take_condition_status, status),
        CHECKED("lastProbeTime", typed_take_check_time),
        ROW(struct condition, "lastTransitionTime", typed_take_time, changed),
        ROW(struct condition, "reason", typed_take_text, reason),
        ROW(struct condition, "message", typed_take_text, message),
        CHECKED("observedGeneration", typed_take_check_number),
};
static const struct typed_message condition_message =
        MESSAGE("core.v1.PodCondition", CONDITION, condition_rows, begin_condition);

static bool take_phase(const struct typed_reader *reader, const struct typed_field *field,
                       const struct wire_field *wire, struct slice *rest, char *target) {
        (void)reader, (void)field, (void)rest;
        *(enum pod_phase *)(void *)target = pod_phase_from(wire->bytes);
        return wire->type == WIRE_BYTES && typed_text(wire->bytes);
}

static bool take_qos(const struct typed_reader *reader, const struct typed_field *field,
                     const struct wire_field *wire, struct slice *rest, char *target) {
        struct pod_status *status = (struct pod_status *)(void *)target;

        (void)reader, (void)field, (void)rest;
        status->has_qos = qos_class_from(wire->bytes, &status->qos);
        return wire->type == WIRE_BYTES && typed_text(wire->bytes);
}

static const struct typed_field status_rows[] = {
        ROW(struct pod_status, "phase", take_phase, phase),
        LIST(struct pod_status, "conditions", conditions, condition_count, &condition_message),
        ROW(struct pod_status, "message", typed_take_text, message),
        ROW(struct pod_status, "reason", typed_take_text, reason),
        ROW(struct pod_status, "podIP", typed_take_text, pod_ip),
        ROW(struct pod_status, "startTime", typed_take_time, started),
        LIST(struct pod_status, "containerStatuses", containers, container_count,
             &container_message),
        CHECKED("qosClass", take_qos),
        LIST(struct pod_status, "initContainerStatuses", init, init_count, &container_message),
        ROW(struct pod_status, "nominatedNodeName", typed_take_text, nominated_node),
        LIST(struct pod_status, "ephemeralContainerStatuses", ephemeral, ephemeral_count,
             &container_message),
        CHECKED("resize", typed_take_check),
        CHECKED("observedGeneration", typed_take_check_number),
};
const struct typed_message pod_status_message =
        MESSAGE("core.v1.PodStatus", STATUS, status_rows, NULL);

const struct typed_message *const pod_messages[] = {
        [META] = &pod_meta_message,
        [OWNER] = &owner_message,
        [STATUS] = &pod_status_message,
        [CONDITION] = &condition_message,
        [CONTAINER] = &container_message,
        [STATE] = &state_message,
        [LAST_STATE] = &last_state_message,
        [WAITING] = &waiting_message,
        [RUNNING] = &running_message,
        [TERMINATED] = &terminated_message,
        [LAST_TERMINATED] = &last_terminated_message,
        [RESOURCES] = &resources_message,
};
const size_t pod_message_count = ARRAY_LEN(pod_messages);
