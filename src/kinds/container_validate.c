/* Validation of containers: names, images, ports, environment, mounts, resources, probes. */
#include "kinds/check.h"

#include "api/quantity.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"

#define INIT_ONLY_TEXT "may not be set for init containers without restartPolicy=Always"

/* ---- ports ---- */

static void check_ports(struct checker *checker, const struct at *at,
                        const struct json_node *ports) {
        static const char *const protocols[] = { "SCTP", "TCP", "UDP", NULL };
        CLEANUP(text_set_release) struct text_set names = { 0 };

        for (size_t i = 0; i < node_count(ports); i++) {
                const struct json_node *port = node_at(ports, i);
                struct at place = at_index(at, i);
                struct slice name = node_get_text(port, "name");

                if (name.len && check_port(checker, &place, port, "name") &&
                    !text_set_add(&names, name))
                        report(checker, FIELD_DUPLICATE, &place, "name", quoted(checker, name),
                               NULL);
                if (node_get_i64(port, "containerPort", 0) == 0)
                        report(checker, FIELD_REQUIRED, &place, "containerPort", NULL, NULL);
                else
                        check_port(checker, &place, port, "containerPort");
                if (node_get_i64(port, "hostPort", 0) != 0)
                        check_port(checker, &place, port, "hostPort");
                check_choice(checker, &place, port, "protocol", protocols);
        }
}

/* "TCP/10.0.0.1/80", as complaints show it. */
static const char *host_port_text(struct checker *checker, const struct json_node *port) {
        return message_of(checker, "\"" SLICE_FMT "/" SLICE_FMT "/%lld\"",
                          SLICE_ARG(node_get_text(port, "protocol")),
                          SLICE_ARG(node_get_text(port, "hostIP")),
                          (long long)node_get_i64(port, "hostPort", 0));
}

static void check_host_ports(struct checker *checker, const struct at *at,
                             const struct json_node *containers) {
        CLEANUP(text_set_release) struct text_set taken = { 0 };

        for (size_t i = 0; i < node_count(containers); i++) {
                const struct json_node *ports = node_get(node_at(containers, i), "ports");
                struct at container = at_index(at, i), list = at_member(&container, "ports");

                for (size_t j = 0; j < node_count(ports); j++) {
                        const struct json_node *port = node_at(ports, j);
                        struct at place = at_index(&list, j);

                        if (node_get_i64(port, "hostPort", 0) == 0)
                                continue;
                        const char *text = host_port_text(checker, port);
                        if (!text_set_add(&taken, slice_of(text)))
                                report(checker, FIELD_DUPLICATE, &place, "hostPort", text, NULL);
                }
        }
}

/* ---- environment ---- */

#define ENV_SOURCES_TEXT                                                                           \
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` "  \
        "or `fileKeyRef`"

/* Fields of the pod that variables may show. */
static bool is_env_field(struct slice path) {
        static const char *const fields[] = {
                "metadata.name",           "metadata.namespace", "metadata.uid",   "spec.nodeName",
                "spec.serviceAccountName", "status.hostIP",      "status.hostIPs", "status.podIP",
                "status.podIPs",
        };
        static const char *const maps[] = { "metadata.annotations['", "metadata.labels['" };

        for (size_t i = 0; i < ARRAY_LEN(fields); i++)
                if (slice_is(path, fields[i]))
                        return true;
        for (size_t i = 0; i < ARRAY_LEN(maps); i++)
                if (slice_has_prefix(path, slice_of(maps[i])) &&
                    slice_has_suffix(path, SLICE_LITERAL("']")))
                        return true;
        return false;
}

static void check_env_reference(struct checker *checker, const struct at *at,
                                const struct json_node *source) {
        static const char *const keyed[] = { "configMapKeyRef", "secretKeyRef" };
        struct at field = at_member(at, "fieldRef"), resource = at_member(at, "resourceFieldRef");
        struct slice path = node_get_text(node_get(source, "fieldRef"), "fieldPath");

        if (node_get(source, "fieldRef") &&
            check_required(checker, &field, node_get(source, "fieldRef"), "fieldPath") &&
            !is_env_field(path))
                report_text(
                        checker, &field, "fieldPath", path,
                        message_of(
                                checker,
                                "error converting fieldPath: field label not supported: " SLICE_FMT,
                                SLICE_ARG(path)));
        if (node_get(source, "resourceFieldRef"))
                check_required(checker, &resource, node_get(source, "resourceFieldRef"),
                               "resource");
        for (size_t i = 0; i < ARRAY_LEN(keyed); i++) {
                struct at place = at_member(at, keyed[i]);

                if (node_get(source, keyed[i]))
                        check_required(checker, &place, node_get(source, keyed[i]), "key");
        }
}

static void check_env_source(struct checker *checker, const struct at *at,
                             const struct json_node *variable) {
        const struct json_node *source = node_get(variable, "valueFrom");
        struct at place = at_member(at, "valueFrom");

        if (!source)
                return;
        check_env_reference(checker, &place, source);
        if (node_count(source) == 0)
                report_text(checker, &place, NULL, SLICE_EMPTY, ENV_SOURCES_TEXT);
        else if (node_get_text(variable, "value").len)
                report_text(checker, &place, NULL, SLICE_EMPTY,
                            "may not be specified when `value` is not empty");
        else if (node_count(source) > 1)
                report_text(checker, &place, NULL, SLICE_EMPTY,
                            "may not have more than one field specified at a time");
}

static bool is_env_name(struct slice name) {
        for (size_t i = 0; i < name.len; i++)
                if (name.ptr[i] < 0x20 || name.ptr[i] > 0x7e || name.ptr[i] == '=')
                        return false;
        return true;
}

static void check_env(struct checker *checker, const struct at *at,
                      const struct json_node *variables) {
        for (size_t i = 0; i < node_count(variables); i++) {
                const struct json_node *variable = node_at(variables, i);
                struct at place = at_index(at, i);
                struct slice name = node_get_text(variable, "name");

                if (check_required(checker, &place, variable, "name") && !is_env_name(name))
                        report_text(checker, &place, "name", name,
                                    "a valid environment variable name must consist only of "
                                    "printable ASCII characters other than '='");
                check_env_source(checker, &place, variable);
        }
}

/* ---- mounts ---- */

/* Volumes that are wrong themselves do not count as there. */
static bool is_usable_volume(const struct json_node *volume) {
        return node_count(volume) == 2;
}

static void check_mounts(struct checker *checker, const struct at *at,
                         const struct json_node *mounts, const struct map *volumes) {
        CLEANUP(text_set_release) struct text_set paths = { 0 };

        for (size_t i = 0; i < node_count(mounts); i++) {
                const struct json_node *mount = node_at(mounts, i);
                struct at place = at_index(at, i);
                struct slice name = node_get_text(mount, "name");
                struct slice path = node_get_text(mount, "mountPath");

                check_required(checker, &place, mount, "name");
                if (!is_usable_volume(map_get(volumes, name)))
                        report(checker, FIELD_NOT_FOUND, &place, "name", quoted(checker, name),
                               NULL);
                check_required(checker, &place, mount, "mountPath");
                if (!text_set_add(&paths, path))
                        report_text(checker, &place, "mountPath", path, "must be unique");
        }
}

static void check_devices(struct checker *checker, const struct at *at,
                          const struct json_node *devices, const struct map *volumes) {
        for (size_t i = 0; i < node_count(devices); i++) {
                const struct json_node *device = node_at(devices, i);
                struct at place = at_index(at, i);
                struct slice name = node_get_text(device, "name");

                if (check_required(checker, &place, device, "name") && !map_get(volumes, name))
                        report(checker, FIELD_NOT_FOUND, &place, "name", quoted(checker, name),
                               NULL);
                check_required(checker, &place, device, "devicePath");
        }
}

/* ---- resources ---- */

static bool is_huge_page(struct slice name) {
        return slice_has_prefix(name, SLICE_LITERAL("hugepages-"));
}

static bool is_qualified(struct slice name) {
        return name.len && memchr(name.ptr, '/', name.len);
}

static bool is_native(struct slice name) {
        return !is_qualified(name) || slice_contains(name, SLICE_LITERAL("kubernetes.io/"));
}

/* Native resources but huge pages may be promised more often than they exist. */
static bool is_overcommittable(struct slice name) {
        return is_native(name) && !is_huge_page(name);
}

static bool is_container_resource(struct slice name) {
        return slice_is(name, "cpu") || slice_is(name, "memory") ||
               slice_is(name, "ephemeral-storage") || is_huge_page(name);
}

static bool is_standard_resource(struct slice name) {
        static const char *const more[] = {
                "pods",
                "services",
                "replicationcontrollers",
                "resourcequotas",
                "secrets",
                "configmaps",
                "persistentvolumeclaims",
                "storage",
                "requests.cpu",
                "requests.memory",
                "requests.ephemeral-storage",
                "requests.storage",
                "limits.cpu",
                "limits.memory",
                "limits.ephemeral-storage",
                "services.nodeports",
                "services.loadbalancers",
        };

        for (size_t i = 0; i < ARRAY_LEN(more); i++)
                if (slice_is(name, more[i]))
                        return true;
        return is_container_resource(name);
}

static void check_resource_name(struct checker *checker, const struct at *at, struct slice name) {
        if (!check_label_key(checker, at, NULL, name) || is_qualified(name))
                return;
        if (!is_standard_resource(name))
                report_text(checker, at, NULL, name,
                            "must be a standard resource type or fully qualified");
        if (!is_container_resource(name))
                report_text(checker, at, NULL, name, "must be a standard resource for containers");
}

static void check_amount(struct checker *checker, const struct at *at, struct slice name,
                         struct slice amount) {
        bool is_whole = !is_native(name) || is_huge_page(name);
        int64_t milli = 0;

        check_resource_name(checker, at, name);
        check_quantity_not_negative(checker, at, amount);
        if (is_whole && quantity_milli(amount, &milli, NULL) == 0 && milli % 1000 != 0)
                report_text(checker, at, NULL, amount, "must be an integer");
}

static void check_request(struct checker *checker, const struct at *at, struct slice name,
                          struct slice amount, const struct json_node *limits) {
        const struct json_node *limit = node_find(limits, name);
        int order = 0;

        if (!limit) {
                if (!is_overcommittable(name))
                        report(checker, FIELD_REQUIRED, at, "limits", NULL,
                               "Limit must be set for non overcommitable resources");
                return;
        }
        quantity_compare(amount, node_get_slice(limit), &order, NULL);
        if (order != 0 && !is_overcommittable(name))
                report_text(checker, at, "requests", amount,
                            message_of(checker,
                                       "must be equal to " SLICE_FMT " limit of " SLICE_FMT,
                                       SLICE_ARG(name), SLICE_ARG(node_get_slice(limit))));
        else if (order > 0)
                report_text(checker, at, "requests", amount,
                            message_of(checker,
                                       "must be less than or equal to " SLICE_FMT
                                       " limit of " SLICE_FMT,
                                       SLICE_ARG(name), SLICE_ARG(node_get_slice(limit))));
}

static bool is_compute(struct slice name) {
        return slice_is(name, "cpu") || slice_is(name, "memory");
}

static void check_resources(struct checker *checker, const struct at *at,
                            const struct json_node *resources) {
        const struct json_node *limits = node_get(resources, "limits");
        struct at limit_list = at_member(at, "limits"), request_list = at_member(at, "requests");
        struct node_iter iter = node_iter(limits);
        bool has_huge_pages = false, has_compute = false;
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(&limit_list, name);

                check_amount(checker, &place, name, node_get_slice(amount));
                has_huge_pages |= is_huge_page(name);
                has_compute |= is_compute(name);
        }
        iter = node_iter(node_get(resources, "requests"));
        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(&request_list, name);

                check_amount(checker, &place, name, node_get_slice(amount));
                check_request(checker, at, name, node_get_slice(amount), limits);
                has_huge_pages |= is_huge_page(name);
                has_compute |= is_compute(name);
        }
        if (has_huge_pages && !has_compute)
                report(checker, FIELD_FORBIDDEN, at, NULL, NULL, "HugePages require cpu or memory");
}

/* ---- probes and handlers ---- */

static void check_http(struct checker *checker, const struct at *at,
                       const struct json_node *action) {
        static const char *const schemes[] = { "HTTP", "HTTPS", NULL };

        check_required(checker, at, action, "path");
        check_port(checker, at, action, "port");
        check_choice(checker, at, action, "scheme", schemes);
}

static void check_handler(struct checker *checker, const struct at *at,
                          const struct json_node *handler) {
        static const char *const kinds[] = { "exec", "httpGet", "tcpSocket", "grpc", "sleep" };
        size_t count = 0;

        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                const struct json_node *action = node_get(handler, kinds[i]);
                struct at place = at_member(at, kinds[i]);

                if (!action)
                        continue;
                if (count++) {
                        report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                               "may not specify more than 1 handler type");
                        continue;
                }
                if (slice_is(slice_of(kinds[i]), "exec")) {
                        if (node_count(node_get(action, "command")) == 0)
                                report(checker, FIELD_REQUIRED, &place, "command", NULL, NULL);
                } else if (slice_is(slice_of(kinds[i]), "httpGet")) {
                        check_http(checker, &place, action);
                } else if (!slice_is(slice_of(kinds[i]), "sleep")) {
                        check_port(checker, &place, action, "port");
                }
        }
        if (count == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, "must specify a handler type");
}

static void check_probe(struct checker *checker, const struct at *at,
                        const struct json_node *container, const char *member) {
        static const char *const counts[] = { "initialDelaySeconds", "timeoutSeconds",
                                              "periodSeconds", "successThreshold",
                                              "failureThreshold" };
        const struct json_node *probe = node_get(container, member);
        struct at place = at_member(at, member);
        bool is_readiness = slice_is(slice_of(member), "readinessProbe");
        int64_t successes = node_get_i64(probe, "successThreshold", 0);

        if (!probe)
                return;
        check_handler(checker, &place, probe);
        for (size_t i = 0; i < ARRAY_LEN(counts); i++)
                check_not_negative(checker, &place, probe, counts[i]);
        if (!is_readiness && successes != 1)
                report_number(checker, &place, "successThreshold", successes, "must be 1");
        if (node_get(probe, "terminationGracePeriodSeconds")) {
                int64_t grace = node_get_i64(probe, "terminationGracePeriodSeconds", 0);

                if (is_readiness)
                        report_number(checker, &place, "terminationGracePeriodSeconds", grace,
                                      "must not be set for readinessProbes");
                else if (grace <= 0)
                        report_number(checker, &place, "terminationGracePeriodSeconds", grace,
                                      "must be greater than 0");
        }
}

static void check_probes(struct checker *checker, const struct at *at,
                         const struct json_node *container) {
        const struct json_node *lifecycle = node_get(container, "lifecycle");
        struct at hooks = at_member(at, "lifecycle");
        struct at after = at_member(&hooks, "postStart"), before = at_member(&hooks, "preStop");

        if (node_get(lifecycle, "postStart"))
                check_handler(checker, &after, node_get(lifecycle, "postStart"));
        if (node_get(lifecycle, "preStop"))
                check_handler(checker, &before, node_get(lifecycle, "preStop"));
        check_probe(checker, at, container, "livenessProbe");
        check_probe(checker, at, container, "readinessProbe");
        check_probe(checker, at, container, "startupProbe");
}

/* ---- containers ---- */

static void check_container(struct checker *checker, const struct at *at,
                            const struct json_node *container, const struct map *volumes) {
        static const char *const policies[] = { "Always", "IfNotPresent", "Never", NULL };
        static const char *const messages[] = { "File", "FallbackToLogsOnError", NULL };
        struct at ports = at_member(at, "ports"), env = at_member(at, "env");
        struct at mounts = at_member(at, "volumeMounts"), devices = at_member(at, "volumeDevices");
        struct at resources = at_member(at, "resources");

        if (check_required(checker, at, container, "name"))
                check_name(checker, at, container, "name", NAME_LABEL);
        check_required(checker, at, container, "image");
        check_choice(checker, at, container, "terminationMessagePolicy", messages);
        check_ports(checker, &ports, node_get(container, "ports"));
        check_env(checker, &env, node_get(container, "env"));
        check_mounts(checker, &mounts, node_get(container, "volumeMounts"), volumes);
        check_devices(checker, &devices, node_get(container, "volumeDevices"), volumes);
        check_choice(checker, at, container, "imagePullPolicy", policies);
        check_resources(checker, &resources, node_get(container, "resources"));
}

/* What the containers of a pod are checked against. */
struct container_check {
        struct map *volumes;                      /* the first of each name */
        struct text_set regular, init, ephemeral; /* names so far */
};

static void container_check_begin(struct container_check *check, const struct json_node *spec) {
        struct node_iter iter = node_iter(node_get(spec, "volumes"));
        struct json_node *volume;

        *check = (struct container_check){ .volumes = map_new() };
        while (node_next(&iter, NULL, &volume)) {
                struct slice name = node_get_text(volume, "name");

                if (!map_get(check->volumes, name))
                        map_put(check->volumes, name, volume);
        }
}

static void container_check_end(struct container_check *check) {
        map_free(check->volumes);
        text_set_release(&check->regular);
        text_set_release(&check->init);
        text_set_release(&check->ephemeral);
}

static void report_taken(struct checker *checker, const struct at *at, struct slice name) {
        report(checker, FIELD_DUPLICATE, at, "name", quoted(checker, name), NULL);
}

static void check_regular(struct checker *checker, const struct at *at,
                          const struct json_node *spec, struct container_check *check) {
        const struct json_node *list = node_get(spec, "containers");
        struct at place = at_member(at, "containers");

        if (node_count(list) == 0) {
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                return;
        }
        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *container = node_at(list, i);
                struct at element = at_index(&place, i);
                struct slice name = node_get_text(container, "name");

                check_container(checker, &element, container, check->volumes);
                if (!text_set_add(&check->regular, name))
                        report_taken(checker, &element, name);
                check_probes(checker, &element, container);
        }
        check_host_ports(checker, &place, list);
}

static void check_init(struct checker *checker, const struct at *at, const struct json_node *spec,
                       struct container_check *check) {
        static const char *const forbidden[] = { "lifecycle", "livenessProbe", "readinessProbe",
                                                 "startupProbe" };
        static const char *const restarts[] = { "Always", "OnFailure", "Never", NULL };
        const struct json_node *list = node_get(spec, "initContainers");
        struct at place = at_member(at, "initContainers");

        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *container = node_at(list, i);
                struct at element = at_index(&place, i);
                struct slice name = node_get_text(container, "name");
                bool is_sidecar = slice_is(node_get_text(container, "restartPolicy"), "Always");

                check_container(checker, &element, container, check->volumes);
                check_choice(checker, &element, container, "restartPolicy", restarts);
                bool is_new = text_set_add(&check->init, name);
                if (name.len && (!is_new || text_set_has(&check->regular, name)))
                        report_taken(checker, &element, name);
                if (is_sidecar)
                        check_probes(checker, &element, container);
                for (size_t j = 0; !is_sidecar && j < ARRAY_LEN(forbidden); j++)
                        if (node_get(container, forbidden[j]))
                                report(checker, FIELD_FORBIDDEN, &element, forbidden[j], NULL,
                                       INIT_ONLY_TEXT);
        }
}

static void check_ephemeral(struct checker *checker, const struct at *at,
                            const struct json_node *spec, struct container_check *check) {
        const struct json_node *list = node_get(spec, "ephemeralContainers");
        struct at place = at_member(at, "ephemeralContainers");

        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *container = node_at(list, i);
                struct at element = at_index(&place, i);
                struct slice name = node_get_text(container, "name");

                check_container(checker, &element, container, check->volumes);
                if (!text_set_add(&check->ephemeral, name) || text_set_has(&check->regular, name) ||
                    text_set_has(&check->init, name))
                        report_taken(checker, &element, name);
        }
}

void check_containers(struct checker *checker, const struct at *at, const struct json_node *spec) {
        struct container_check check;

        container_check_begin(&check, spec);
        check_regular(checker, at, spec, &check);
        check_init(checker, at, spec, &check);
        check_ephemeral(checker, at, spec, &check);
        container_check_end(&check);
}
