/* Pods: containers, tolerations, volumes and the rest of the spec. */
#include "api/decode_priv.h"
#include "base/map.h"

/* ---- containers ---- */

static int decode_port(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct container_port, "hostIP", host_ip, decode_text),
                FIELD(struct container_port, "protocol", protocol, decode_text),
                FIELD(struct container_port, "containerPort", container_port, decode_int32),
                FIELD(struct container_port, "hostPort", host_port, decode_int32),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_container_claim(const struct json *value, void *target, struct decode *d) {
        (void)d;
        *(struct slice *)target = json_get_text(value, "name");
        return 0;
}

static int decode_container_resources(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct container, "requests", requests, decode_requests),
                FIELD(struct container, "limits", limits, decode_requests),
                LIST_FIELD(struct container, "claims", claims, claim_count, decode_container_claim),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_always(const struct json *value, void *target, struct decode *d) {
        struct slice policy;
        int r = decode_text(value, &policy, d);
        if (r == 0)
                *(bool *)target = slice_is(policy, "Always");
        return r;
}

static int decode_restart_rules(const struct json *value, void *target, struct decode *d) {
        struct json_iter iter = json_iter(value);
        const struct json *rule;
        if (json_type(value) != JSON_ARRAY)
                return decode_type_error(value, "array", d);
        while (json_next(&iter, NULL, &rule)) {
                if (slice_is(json_get_text(rule, "action"), "RestartAllContainers"))
                        *(bool *)target = true;
        }
        return 0;
}

#define CONTAINER_FIELDS                                                                           \
        FIELD(struct container, "name", name, decode_text),                                        \
                FIELD(struct container, "image", image, decode_text),                              \
                PART_FIELD("resources", decode_container_resources),                               \
                LIST_FIELD(struct container, "ports", ports, port_count, decode_port),             \
                FIELD(struct container, "restartPolicyRules", restarts_all, decode_restart_rules)

static int decode_container(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { CONTAINER_FIELDS };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_init_container(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                CONTAINER_FIELDS,
                FIELD(struct container, "restartPolicy", is_sidecar, decode_always),
        };
        return DECODE_FIELDS(value, fields, target, d);
}

/* ---- tolerations ---- */

/* 0 and the operator, or false when this version does not know it. */
static bool toleration_op_from(struct slice name, enum toleration_op *ret_op) {
        static const char *const names[] = { [TOLERATION_EQUAL] = "Equal",
                                             [TOLERATION_EXISTS] = "Exists",
                                             [TOLERATION_LT] = "Lt",
                                             [TOLERATION_GT] = "Gt" };
        if (name.len == 0) {
                *ret_op = TOLERATION_EQUAL;
                return true;
        }
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (slice_is(name, names[i])) {
                        *ret_op = (enum toleration_op)i;
                        return true;
                }
        }
        return false;
}

static int decode_seconds(const struct json *value, void *target, struct decode *d) {
        struct toleration *toleration = target;
        toleration->has_seconds = true;
        return decode_int64(value, &toleration->seconds, d);
}

/* A toleration this version does not understand tolerates nothing. */
static int decode_toleration(const struct json *value, void *target, struct decode *d) {
        struct written {
                struct toleration toleration;
                struct slice op, effect;
        } written = { 0 };
        static const struct decode_field fields[] = {
                FIELD(struct written, "key", toleration.key, decode_text),
                FIELD(struct written, "value", toleration.value, decode_text),
                FIELD(struct written, "operator", op, decode_text),
                FIELD(struct written, "effect", effect, decode_text),
                FIELD(struct written, "tolerationSeconds", toleration, decode_seconds),
        };
        int r = DECODE_FIELDS(value, fields, &written, d);
        if (r < 0)
                return r;
        written.toleration.effect = taint_effect_from(written.effect);
        if (!toleration_op_from(written.op, &written.toleration.op) ||
            (written.effect.len > 0 && written.toleration.effect == TAINT_EFFECT_NONE))
                return DECODE_SKIP;
        *(struct toleration *)target = written.toleration;
        return 0;
}

/* ---- volumes ---- */

static int decode_claim_name(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { FIELD(struct volume, "claimName", claim_name,
                                                            decode_text) };
        ((struct volume *)target)->kind = VOLUME_CLAIM;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_empty_dir(const struct json *value, void *target, struct decode *d) {
        (void)value, (void)d;
        ((struct volume *)target)->kind = VOLUME_EMPTY_DIR;
        return 0;
}

static int decode_host_path(const struct json *value, void *target, struct decode *d) {
        (void)value, (void)d;
        ((struct volume *)target)->kind = VOLUME_HOST_PATH;
        return 0;
}

static int decode_ephemeral(const struct json *value, void *target, struct decode *d) {
        (void)value, (void)d;
        ((struct volume *)target)->kind = VOLUME_EPHEMERAL;
        return 0;
}

int decode_volume(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct volume, "name", name, decode_text),
                PART_FIELD("persistentVolumeClaim", decode_claim_name),
                PART_FIELD("emptyDir", decode_empty_dir),
                PART_FIELD("hostPath", decode_host_path),
                PART_FIELD("ephemeral", decode_ephemeral),
        };
        ((struct volume *)target)->source = value;
        return DECODE_FIELDS(value, fields, target, d);
}

/* ---- spec ---- */

static int decode_gate(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { PART_FIELD("name", decode_text) };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_priority(const struct json *value, void *target, struct decode *d) {
        struct pod_spec *spec = target;
        spec->has_priority = true;
        return decode_int32(value, &spec->priority, d);
}

static int decode_preemption_policy(const struct json *value, void *target, struct decode *d) {
        struct slice policy;
        int r = decode_text(value, &policy, d);
        if (r == 0)
                *(bool *)target = slice_is(policy, "Never");
        return r;
}

static int decode_restart_policy(const struct json *value, void *target, struct decode *d) {
        struct slice policy;
        int r = decode_text(value, &policy, d);
        if (r == 0)
                *(enum restart_policy *)target = slice_is(policy, "Never") ? RESTART_NEVER
                                                 : slice_is(policy, "OnFailure")
                                                         ? RESTART_ON_FAILURE
                                                         : RESTART_ALWAYS;
        return r;
}

static int decode_pod_resources(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct pod_spec, "requests", pod_requests, decode_requests),
                FIELD(struct pod_spec, "limits", pod_limits, decode_requests),
        };
        ((struct pod_spec *)target)->has_pod_resources = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_host_users(const struct json *value, void *target, struct decode *d) {
        bool shares_host;
        int r = decode_bool(value, &shares_host, d);
        if (r == 0)
                ((struct pod_spec *)target)->has_own_users = !shares_host;
        return r;
}

static int decode_scheduling_group(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = { PART_FIELD("podGroupName", decode_text) };
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_eviction_responders(const struct json *value, void *target, struct decode *d) {
        struct json_iter iter = json_iter(value);
        CLEANUP(buf_release) struct buf text = { 0 };
        const struct json *item;
        if (json_type(value) != JSON_ARRAY)
                return decode_type_error(value, "array", d);
        while (json_next(&iter, NULL, &item))
                buf_printf(&text, "%s" SLICE_FMT "=%lld", text.len ? "," : "",
                           SLICE_ARG(json_get_text(item, "name")),
                           (long long)json_get_i64(item, "priority", 0));
        *(struct slice *)target = arena_slice(d->arena, buf_view(&text));
        return 0;
}

static const struct decode_field spec_fields[] = {
        FIELD(struct pod_spec, "nodeName", node_name, decode_text),
        FIELD(struct pod_spec, "schedulerName", scheduler_name, decode_text),
        FIELD(struct pod_spec, "priorityClassName", priority_class_name, decode_text),
        FIELD(struct pod_spec, "serviceAccountName", service_account, decode_text),
        PART_FIELD("priority", decode_priority),
        FIELD(struct pod_spec, "preemptionPolicy", never_preempts, decode_preemption_policy),
        FIELD(struct pod_spec, "hostNetwork", uses_host_network, decode_bool),
        PART_FIELD("hostUsers", decode_host_users),
        FIELD(struct pod_spec, "restartPolicy", restart_policy, decode_restart_policy),
        FIELD(struct pod_spec, "terminationGracePeriodSeconds", termination_grace_s, decode_int64),
        FIELD(struct pod_spec, "activeDeadlineSeconds", active_deadline_s, decode_int64),
        FIELD(struct pod_spec, "nodeSelector", node_selector, decode_labels),
        FIELD(struct pod_spec, "affinity", affinity, decode_affinity),
        FIELD(struct pod_spec, "overhead", overhead, decode_requests),
        PART_FIELD("resources", decode_pod_resources),
        FIELD(struct pod_spec, "schedulingGroup", scheduling_group, decode_scheduling_group),
        FIELD(struct pod_spec, "evictionResponders", eviction_responders,
              decode_eviction_responders),
        LIST_FIELD(struct pod_spec, "resourceClaims", claims, claim_count, decode_pod_claim),
        LIST_FIELD(struct pod_spec, "tolerations", tolerations, toleration_count,
                   decode_toleration),
        LIST_FIELD(struct pod_spec, "topologySpreadConstraints", spread, spread_count,
                   decode_spread),
        LIST_FIELD(struct pod_spec, "containers", containers, container_count, decode_container),
        LIST_FIELD(struct pod_spec, "initContainers", init, init_count, decode_init_container),
        LIST_FIELD(struct pod_spec, "ephemeralContainers", ephemeral, ephemeral_count,
                   decode_container),
        LIST_FIELD(struct pod_spec, "volumes", volumes, volume_count, decode_volume),
        LIST_FIELD(struct pod_spec, "schedulingGates", gates, gate_count, decode_gate),
};

static int decode_spec(const struct json *value, void *target, struct decode *d) {
        return DECODE_FIELDS(value, spec_fields, target, d);
}

static void spec_set_defaults(struct pod_spec *spec) {
        *spec = (struct pod_spec){
                .scheduler_name = SLICE_LITERAL("default-scheduler"),
                .termination_grace_s = 30,
                .active_deadline_s = -1,
        };
}

/* An empty schedulerName means the default one, as when it is absent. */
static void spec_finish(struct pod_spec *spec) {
        if (spec->scheduler_name.len == 0)
                spec->scheduler_name = SLICE_LITERAL("default-scheduler");
}

int pod_spec_decode(const struct json *spec, struct arena *arena, struct pod_spec *ret_spec,
                    struct err *err) {
        struct decode d = { arena, err };
        struct pod_spec result;
        spec_set_defaults(&result);
        int r = decode_spec(spec, &result, &d);
        if (r < 0)
                return r;
        spec_finish(&result);
        *ret_spec = result;
        return 0;
}

/* ---- pods ---- */

static void container_take_actual(struct container *container,
                                  const struct container_status *status) {
        container->has_actual = status->has_resources;
        container->actual = status->requests;
        container->allocated = status->allocated;
}

#define WALKED_STATUSES 16 /* more are found by a map of their names */

/* Of several statuses of one name the last counts. */
static void take_actual(struct container *containers, size_t count,
                        const struct container_status *statuses, size_t status_count) {
        struct map *by_name = status_count > WALKED_STATUSES ? map_new() : NULL;
        for (size_t j = 0; by_name && j < status_count; j++)
                map_put(by_name, statuses[j].name, (void *)&statuses[j]);
        for (size_t i = 0; i < count; i++) {
                const struct container_status *status =
                        by_name ? map_get(by_name, containers[i].name) : NULL;
                for (size_t j = 0; !by_name && j < status_count; j++) {
                        if (slice_eq(containers[i].name, statuses[j].name))
                                status = &statuses[j];
                }
                if (status)
                        container_take_actual(&containers[i], status);
        }
        map_free(by_name);
}

/* In-place resize: what the kubelet has granted lives in the status, what it costs is computed
 * with the spec. */
void pod_take_resize_state(struct pod *pod) {
        const struct pod_status *status = &pod->status;
        struct pod_spec *spec = &pod->spec;
        const struct condition *pending =
                condition_find(status->conditions, status->condition_count, "PodResizePending");
        spec->is_resize_infeasible = pending && slice_is(pending->reason, "Infeasible");
        spec->has_pod_actual = status->has_resources;
        spec->pod_actual = status->requests;
        spec->pod_allocated = status->allocated;
        take_actual(spec->containers, spec->container_count, status->containers,
                    status->container_count);
        take_actual(spec->init, spec->init_count, status->init, status->init_count);
}

/* What the pod's devices take of its node. */
static void take_device_requests(struct pod *pod, struct arena *arena) {
        const struct pod_status *status = &pod->status;
        struct resource_list *list = &pod->spec.device_requests;
        size_t count = 0;
        for (size_t i = 0; i < status->node_claim_count; i++)
                count += status->node_claims[i].resources.count;
        if (count == 0)
                return;
        list->items = ARENA_ARRAY(arena, struct resource_amount, count);
        for (size_t i = 0; i < status->node_claim_count; i++)
                for (size_t j = 0; j < status->node_claims[i].resources.count; j++)
                        list->items[list->count++] = status->node_claims[i].resources.items[j];
}

void pod_set_defaults(struct pod *pod) {
        *pod = (struct pod){ .status.started = WALL_TIME_UNSET };
        meta_set_defaults(&pod->meta);
        spec_set_defaults(&pod->spec);
}

int pod_decode(const struct json *object, struct arena *arena, struct pod *ret_pod,
               struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct pod, "metadata", meta, decode_meta),
                FIELD(struct pod, "spec", spec, decode_spec),
                FIELD(struct pod, "status", status, decode_pod_status),
        };
        struct decode d = { arena, err };
        struct pod pod;
        if (json_type(object) != JSON_OBJECT)
                return decode_type_error(object, "object", &d);
        pod_set_defaults(&pod);
        int r = DECODE_FIELDS(object, fields, &pod, &d);
        if (r < 0)
                return r;
        spec_finish(&pod.spec);
        pod_take_resize_state(&pod);
        take_device_requests(&pod, arena);
        *ret_pod = pod;
        return 0;
}
