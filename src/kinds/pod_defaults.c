/* Defaults of pods and of the pod templates in workloads. */
#include "kinds/defaults.h"

#include "base/util.h"
#include "kinds/image_reference.h"

static void pull_policy_defaults(struct json_tree *tree, struct json_node *object,
                                 const char *policy, const char *reference) {
        bool pulls_always = slice_is(image_tag(node_get_text(object, reference)), "latest");

        default_text(tree, object, policy, pulls_always ? "Always" : "IfNotPresent");
}

/* ---- containers ---- */

static void handler_defaults(struct json_tree *tree, struct json_node *handler) {
        struct json_node *http = object_at(handler, "httpGet"), *grpc = object_at(handler, "grpc");

        if (http) {
                default_text(tree, http, "path", "/");
                default_text(tree, http, "scheme", "HTTP");
        }
        if (grpc)
                default_absent_text(tree, grpc, "service", "");
}

static void probe_defaults(struct json_tree *tree, struct json_node *probe) {
        if (!probe)
                return;
        default_i64(tree, probe, "timeoutSeconds", 1);
        default_i64(tree, probe, "periodSeconds", 10);
        default_i64(tree, probe, "successThreshold", 1);
        default_i64(tree, probe, "failureThreshold", 3);
        handler_defaults(tree, probe);
}

static void env_defaults(struct json_tree *tree, struct json_node *variables) {
        struct node_iter iter = node_iter(variables);
        struct json_node *variable;

        while (node_next(&iter, NULL, &variable)) {
                struct json_node *source = object_at(variable, "valueFrom");
                struct json_node *field = object_at(source, "fieldRef");
                struct json_node *file = object_at(source, "fileKeyRef");

                if (field)
                        default_text(tree, field, "apiVersion", "v1");
                if (file)
                        default_absent_bool(tree, file, "optional", false);
        }
}

static void port_defaults(struct json_tree *tree, struct json_node *ports) {
        struct node_iter iter = node_iter(ports);
        struct json_node *port;

        while (node_next(&iter, NULL, &port))
                default_text(tree, port, "protocol", "TCP");
}

static void container_defaults(struct json_tree *tree, struct json_node *container) {
        struct json_node *resources = object_at(container, "resources");
        struct json_node *lifecycle = object_at(container, "lifecycle");

        default_text(tree, container, "terminationMessagePath", "/dev/termination-log");
        default_text(tree, container, "terminationMessagePolicy", "File");
        pull_policy_defaults(tree, container, "imagePullPolicy", "image");
        resource_list_defaults(tree, node_get(resources, "limits"));
        resource_list_defaults(tree, node_get(resources, "requests"));
        port_defaults(tree, node_get(container, "ports"));
        env_defaults(tree, node_get(container, "env"));
        probe_defaults(tree, object_at(container, "livenessProbe"));
        probe_defaults(tree, object_at(container, "readinessProbe"));
        probe_defaults(tree, object_at(container, "startupProbe"));
        handler_defaults(tree, object_at(lifecycle, "postStart"));
        handler_defaults(tree, object_at(lifecycle, "preStop"));
}

static void container_list_defaults(struct json_tree *tree, struct json_node *spec,
                                    const char *list) {
        struct node_iter iter = node_iter(node_get(spec, list));
        struct json_node *container;

        while (node_next(&iter, NULL, &container))
                container_defaults(tree, container);
}

/* ---- volumes ---- */

#define FILE_MODE 0644

static void field_item_defaults(struct json_tree *tree, struct json_node *items) {
        struct node_iter iter = node_iter(items);
        struct json_node *item;

        while (node_next(&iter, NULL, &item)) {
                struct json_node *field = object_at(item, "fieldRef");

                if (field)
                        default_text(tree, field, "apiVersion", "v1");
        }
}

/* Sources whose feature gates are off by default. They leave an empty source behind. */
static void drop_gated_sources(struct json_node *projected) {
        static const char *const gated[] = { "clusterTrustBundle", "podCertificate" };
        struct node_iter iter = node_iter(node_get(projected, "sources"));
        struct json_node *source;

        while (node_next(&iter, NULL, &source))
                for (size_t i = 0; i < ARRAY_LEN(gated); i++)
                        node_remove(source, gated[i]);
}

static void projected_defaults(struct json_tree *tree, struct json_node *projected) {
        struct node_iter iter = node_iter(node_get(projected, "sources"));
        struct json_node *source;

        default_absent_i64(tree, projected, "defaultMode", FILE_MODE);
        while (node_next(&iter, NULL, &source)) {
                struct json_node *token = object_at(source, "serviceAccountToken");

                field_item_defaults(tree, node_get(object_at(source, "downwardAPI"), "items"));
                if (token)
                        default_absent_i64(tree, token, "expirationSeconds", 3600);
        }
}

/* Sources whose defaults are plain values. is_pointer: an empty value counts as set. */
struct source_default {
        const char *source, *field, *text;
        bool is_pointer;
};
static const struct source_default source_defaults[] = {
        { "hostPath", "type", "", true },
        { "iscsi", "iscsiInterface", "default", false },
        { "rbd", "pool", "rbd", false },
        { "rbd", "user", "admin", false },
        { "rbd", "keyring", "/etc/ceph/keyring", false },
        { "azureDisk", "cachingMode", "ReadWrite", true },
        { "azureDisk", "fsType", "ext4", true },
        { "azureDisk", "kind", "Shared", true },
        { "scaleIO", "storageMode", "ThinProvisioned", false },
        { "scaleIO", "fsType", "xfs", false },
};

/* Sources that volumes and persistent volumes share. */
static void source_defaults_apply(struct json_tree *tree, struct json_node *owner) {
        for (size_t i = 0; i < ARRAY_LEN(source_defaults); i++) {
                const struct source_default *row = &source_defaults[i];
                struct json_node *source = object_at(owner, row->source);

                if (source && row->is_pointer)
                        default_absent_text(tree, source, row->field, row->text);
                else if (source)
                        default_text(tree, source, row->field, row->text);
        }
        if (object_at(owner, "azureDisk"))
                default_absent_bool(tree, object_at(owner, "azureDisk"), "readOnly", false);
}

static void volume_defaults(struct json_tree *tree, struct json_node *volume) {
        static const char *const with_mode[] = { "configMap", "secret", "downwardAPI" };
        struct json_node *ephemeral = object_at(volume, "ephemeral");
        struct json_node *claim = object_at(ephemeral, "volumeClaimTemplate");

        if (node_count(volume) == 1 && node_get(volume, "name"))
                node_put(tree, volume, "emptyDir", node_object(tree));
        for (size_t i = 0; i < ARRAY_LEN(with_mode); i++)
                if (object_at(volume, with_mode[i]))
                        default_absent_i64(tree, object_at(volume, with_mode[i]), "defaultMode",
                                           FILE_MODE);
        field_item_defaults(tree, node_get(object_at(volume, "downwardAPI"), "items"));
        if (object_at(volume, "projected")) {
                drop_gated_sources(object_at(volume, "projected"));
                projected_defaults(tree, object_at(volume, "projected"));
        }
        if (object_at(volume, "image"))
                pull_policy_defaults(tree, object_at(volume, "image"), "pullPolicy", "reference");
        if (object_at(claim, "spec"))
                claim_spec_defaults(tree, object_at(claim, "spec"));
        source_defaults_apply(tree, volume);
}

void claim_spec_defaults(struct json_tree *tree, struct json_node *spec) {
        struct json_node *resources = object_at(spec, "resources");

        default_absent_text(tree, spec, "volumeMode", "Filesystem");
        resource_list_defaults(tree, node_get(resources, "requests"));
        resource_list_defaults(tree, node_get(resources, "limits"));
}

void persistent_volume_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *status = node_need_object(tree, object, "status");

        default_text(tree, status, "phase", "Pending");
        default_text(tree, spec, "persistentVolumeReclaimPolicy", "Retain");
        default_absent_text(tree, spec, "volumeMode", "Filesystem");
        resource_list_defaults(tree, node_get(spec, "capacity"));
        source_defaults_apply(tree, spec);
}

/* Of a volume inside of it, as of any other, but neither its mode nor what becomes of it. */
void volume_attachment_defaults(struct json_tree *tree, struct json_node *object) {
        struct json_node *source = object_at(object_at(object, "spec"), "source");
        struct json_node *volume = object_at(source, "inlineVolumeSpec");

        if (!volume)
                return;
        resource_list_defaults(tree, node_get(volume, "capacity"));
        source_defaults_apply(tree, volume);
}

/* ---- pods ---- */

/* Both names of the service account say the same. */
static void service_account_alias(struct json_tree *tree, struct json_node *spec) {
        struct slice name = node_get_text(spec, "serviceAccountName");
        struct slice alias = node_get_text(spec, "serviceAccount");

        if (name.len)
                node_put_text(tree, spec, "serviceAccount", name);
        else if (alias.len)
                node_put_text(tree, spec, "serviceAccountName", alias);
}

void pod_spec_defaults(struct json_tree *tree, struct json_node *spec) {
        struct node_iter iter = node_iter(node_get(spec, "volumes"));
        struct json_node *volume, *resources = node_get(spec, "resources");

        default_text(tree, spec, "restartPolicy", "Always");
        default_absent_i64(tree, spec, "terminationGracePeriodSeconds", 30);
        default_text(tree, spec, "dnsPolicy", "ClusterFirst");
        default_absent(tree, spec, "securityContext", node_object(tree));
        default_text(tree, spec, "schedulerName", "default-scheduler");
        service_account_alias(tree, spec);
        container_list_defaults(tree, spec, "containers");
        container_list_defaults(tree, spec, "initContainers");
        container_list_defaults(tree, spec, "ephemeralContainers");
        resource_list_defaults(tree, node_get(spec, "overhead"));
        if (resources) {
                resource_list_defaults(tree, node_get(resources, "requests"));
                resource_list_defaults(tree, node_get(resources, "limits"));
        }
        while (node_next(&iter, NULL, &volume))
                volume_defaults(tree, volume);
}

/* A limit without a request asks for as much as it limits. */
static void request_defaults(struct json_tree *tree, struct json_node *container) {
        struct json_node *resources = object_at(container, "resources"), *requests, *amount;
        struct node_iter iter = node_iter(node_get(resources, "limits"));
        struct slice name;

        if (node_count(node_get(resources, "limits")) == 0)
                return;
        requests = node_need_object(tree, resources, "requests");
        while (node_next(&iter, &name, &amount))
                if (!node_find(requests, name))
                        node_set(tree, requests, name, node_clone(tree, amount));
}

static void host_port_defaults(struct json_tree *tree, struct json_node *container) {
        struct node_iter iter = node_iter(node_get(container, "ports"));
        struct json_node *port;

        while (node_next(&iter, NULL, &port))
                default_i64(tree, port, "hostPort", node_get_i64(port, "containerPort", 0));
}

/* The single address and the first of the list say the same; where they differ the single one
 * counts. */
static void address_alias(struct json_tree *tree, struct json_node *status) {
        struct slice single = node_get_text(status, "podIP");
        struct json_node *list = node_get(status, "podIPs"), *entry;
        struct slice first = node_get_text(node_at(list, 0), "ip");

        if (single.len == 0 && first.len)
                node_put_text(tree, status, "podIP", first);
        if (single.len == 0 || slice_eq(single, first))
                return;
        list = node_array(tree);
        entry = node_object(tree);
        node_put_text(tree, entry, "ip", single);
        node_append(list, entry);
        node_put(tree, status, "podIPs", list);
}

/* What a pod or a container has been given. */
static void allocation_defaults(struct json_tree *tree, struct json_node *status) {
        struct json_node *resources = object_at(status, "resources");

        resource_list_defaults(tree, node_get(status, "allocatedResources"));
        resource_list_defaults(tree, node_get(resources, "limits"));
        resource_list_defaults(tree, node_get(resources, "requests"));
}

static void pod_status_defaults(struct json_tree *tree, struct json_node *status) {
        static const char *const lists[] = { "initContainerStatuses", "containerStatuses",
                                             "ephemeralContainerStatuses" };
        struct json_node *container;

        address_alias(tree, status);
        allocation_defaults(tree, status);
        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct node_iter iter = node_iter(node_get(status, lists[i]));

                while (node_next(&iter, NULL, &container))
                        allocation_defaults(tree, container);
        }
}

void pod_defaults(struct json_tree *tree, struct json_node *pod) {
        static const char *const lists[] = { "containers", "initContainers" };
        struct json_node *spec = node_need_object(tree, pod, "spec"), *container;
        bool uses_host = node_is_true(node_get(spec, "hostNetwork"));

        pod_spec_defaults(tree, spec);
        if (node_get_i64(spec, "terminationGracePeriodSeconds", 0) < 0) /* templates keep it */
                node_put_i64(tree, spec, "terminationGracePeriodSeconds", 1);
        if (object_at(pod, "status"))
                pod_status_defaults(tree, object_at(pod, "status"));
        default_absent_bool(tree, spec, "enableServiceLinks", true);
        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct node_iter iter = node_iter(node_get(spec, lists[i]));

                while (node_next(&iter, NULL, &container)) {
                        request_defaults(tree, container);
                        if (uses_host)
                                host_port_defaults(tree, container);
                }
        }
        pod_level_defaults(tree, spec);
}

void pod_template_defaults(struct json_tree *tree, struct json_node *owner) {
        struct json_node *template = node_need_object(tree, owner, "template");

        pod_spec_defaults(tree, node_need_object(tree, template, "spec"));
}
