/* Paths of fields behind gates that are off, by kind.  A field is dropped when the object is made,
 * and from an update unless the stored object has it somewhere. */
#include "kinds/gated_fields.h"

#include "base/util.h"
#include <string.h>

/* What keeps a field whose gate is off upstream. */
enum keeper { NOTHING, POD_GROUPS, EVICTION_RESPONDERS, TOPOLOGY, CLAIMS, PRIORITY };

struct gated_field {
        const char *path; /* names joined by dots; * = each element or value */
        enum keeper keeper;
        bool with_owner; /* an object that held nothing else goes with it */
};

static const struct gated_field pod_fields[] = {
        { "schedulingGroup", POD_GROUPS, false },
        { "evictionResponders", EVICTION_RESPONDERS, false },
        { "containers.*.lifecycle.stopSignal", NOTHING, true },
        { "initContainers.*.lifecycle.stopSignal", NOTHING, true },
        { "ephemeralContainers.*.lifecycle.stopSignal", NOTHING, true },
        { "volumes.*.projected.sources.*.clusterTrustBundle", NOTHING, false },
        { "volumes.*.projected.sources.*.podCertificate", NOTHING, false },
        { .path = NULL },
};
static const struct gated_field pod_status_fields[] = {
        { "containerStatuses.*.volumeMounts.*.volumeStatus", NOTHING, false },
        { "initContainerStatuses.*.volumeMounts.*.volumeStatus", NOTHING, false },
        { "ephemeralContainerStatuses.*.volumeMounts.*.volumeStatus", NOTHING, false },
        { .path = NULL },
};
static const struct gated_field node_fields[] = {
        { "spec.configSource", NOTHING, false },
        { "status.config", NOTHING, false },
        { .path = NULL },
};
static const struct gated_field stateful_set_fields[] = {
        { "spec.updateStrategy.rollingUpdate.maxUnavailable", NOTHING, false },
        { .path = NULL },
};
static const struct gated_field lease_fields[] = {
        { "spec.strategy", NOTHING, false },
        { "spec.preferredHolder", NOTHING, false },
        { .path = NULL },
};
static const struct gated_field driver_fields[] = {
        { "spec.preventPodSchedulingIfMissing", NOTHING, false },
        { .path = NULL },
};
static const struct gated_field endpoint_slice_fields[] = {
        { "endpoints.*.deprecatedTopology", NOTHING, false },
        { .path = NULL },
};
static const struct gated_field resource_slice_fields[] = {
        { "spec.devices.*.attributes.*.bools", NOTHING, false },
        { "spec.devices.*.attributes.*.ints", NOTHING, false },
        { "spec.devices.*.attributes.*.strings", NOTHING, false },
        { "spec.devices.*.attributes.*.versions", NOTHING, false },
        { "spec.devices.*.nodeAllocatableResourceMappings", NOTHING, false },
        { .path = NULL },
};

static const struct gated_field pod_group_fields[] = {
        { "spec.schedulingConstraints", TOPOLOGY, false },
        { "spec.resourceClaims", CLAIMS, false },
        { "spec.disruptionMode", PRIORITY, false },
        { "spec.priorityClassName", PRIORITY, false },
        { "spec.priority", PRIORITY, false },
        { .path = NULL },
};
static const struct gated_field workload_fields[] = {
        { "spec.podGroupTemplates.*.schedulingConstraints", TOPOLOGY, false },
        { "spec.podGroupTemplates.*.resourceClaims", CLAIMS, false },
        { "spec.podGroupTemplates.*.disruptionMode", PRIORITY, false },
        { "spec.podGroupTemplates.*.priorityClassName", PRIORITY, false },
        { "spec.podGroupTemplates.*.priority", PRIORITY, false },
        { .path = NULL },
};

static const struct {
        const char *group, *plural;
        const char *pod_spec; /* where it is; NULL = there is none */
        const struct gated_field *fields;
} rows[] = {
        { "", "pods", "spec", NULL },
        { "", "podtemplates", "template.spec", NULL },
        { "", "replicationcontrollers", "spec.template.spec", NULL },
        { "", "nodes", NULL, node_fields },
        { "apps", "deployments", "spec.template.spec", NULL },
        { "apps", "daemonsets", "spec.template.spec", NULL },
        { "apps", "replicasets", "spec.template.spec", NULL },
        { "apps", "statefulsets", "spec.template.spec", stateful_set_fields },
        { "batch", "jobs", "spec.template.spec", NULL },
        { "batch", "cronjobs", "spec.jobTemplate.spec.template.spec", NULL },
        { "coordination.k8s.io", "leases", NULL, lease_fields },
        { "storage.k8s.io", "csidrivers", NULL, driver_fields },
        { "discovery.k8s.io", "endpointslices", NULL, endpoint_slice_fields },
        { "resource.k8s.io", "resourceslices", NULL, resource_slice_fields },
        { "scheduling.k8s.io", "podgroups", NULL, pod_group_fields },
        { "scheduling.k8s.io", "workloads", NULL, workload_fields },
};

static bool stored_has(const struct json *value, struct slice path) {
        struct slice name;

        while (value && slice_split(&path, '.', &name)) {
                struct json_iter iter = json_iter(value);
                const struct json *inner;

                if (!slice_is(name, "*")) {
                        value = json_get_slice(value, name);
                        continue;
                }
                while (json_next(&iter, NULL, &inner))
                        if (stored_has(inner, path))
                                return true;
                return false;
        }
        return value && json_type(value) != JSON_NULL;
}

static bool must_stay(struct kind_context *context, const struct gated_field *field,
                      const struct json *old) {
        static const unsigned gates[] = {
                [POD_GROUPS] = GATE_GROUPS,
                [TOPOLOGY] = GATE_GROUP_TOPOLOGY,
                [CLAIMS] = GATE_GROUP_CLAIMS,
                [PRIORITY] = GATE_GROUP_PRIORITY,
        };

        if (field->keeper == EVICTION_RESPONDERS && context->has_eviction_responders)
                return true;
        if (gates[field->keeper] & context->gates)
                return true;
        if (field->keeper == POD_GROUPS &&
            context->lookup(context->engine, "apiextensions.k8s.io", "customresourcedefinitions",
                            SLICE_EMPTY, slice_of("podgroups.scheduling.k8s.io")))
                return true;
        return old && stored_has(old, slice_of(field->path));
}

/* True when it found the field, which it drops if is_dropping says so. */
static bool walk_field(struct json_node *node, struct slice path, bool is_dropping,
                       const struct gated_field *field) {
        struct slice name, rest = path;
        struct node_iter iter = node_iter(node);
        struct json_node *inner;
        bool is_found = false;

        if (!slice_split(&rest, '.', &name))
                return false;
        if (slice_is(name, "*")) {
                while (node_next(&iter, NULL, &inner))
                        is_found = walk_field(inner, rest, is_dropping, field) || is_found;
                return is_found;
        }
        inner = node_find(node, name);
        if (!inner || rest.len == 0) {
                if (inner && is_dropping)
                        node_remove_slice(node, name);
                return inner;
        }
        is_found = walk_field(inner, rest, is_dropping, field);
        if (is_found && is_dropping && field->with_owner && !memchr(rest.ptr, '.', rest.len) &&
            node_count(inner) == 0)
                node_remove_slice(node, name);
        return is_found;
}

static bool drop_fields(struct kind_context *context, struct json_node *object,
                        const struct json *old, const struct gated_field *fields) {
        bool is_dropped = false;

        for (; object && fields && fields->path; fields++) {
                struct slice path = slice_of(fields->path);

                if (walk_field(object, path, false, fields) && !must_stay(context, fields, old))
                        is_dropped |= walk_field(object, path, true, fields);
        }
        return is_dropped;
}

bool gated_fields_drop(struct kind_context *context, struct json_node *object,
                       const struct json *old) {
        if (context->kind->prune) /* of a definition, which says itself what stays */
                return false;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
                struct slice name;
                struct json_node *spec = object;
                const struct json *old_spec = old;

                if (strcmp(rows[i].plural, context->kind->plural) != 0 ||
                    strcmp(rows[i].group, context->kind->group) != 0)
                        continue;
                bool is_dropped = drop_fields(context, object, old, rows[i].fields);
                if (!rows[i].pod_spec)
                        return is_dropped;
                struct slice path = slice_of(rows[i].pod_spec);
                while (slice_split(&path, '.', &name)) {
                        spec = node_find(spec, name);
                        old_spec = json_get_slice(old_spec, name);
                }
                return drop_fields(context, spec, old_spec, pod_fields) || is_dropped;
        }
        return false;
}

void gated_pod_status_drop(struct kind_context *context, struct json_node *status,
                           const struct json *old) {
        drop_fields(context, status, old, pod_status_fields);
}
