/* Validation of containers: names, images, ports, environment, mounts, resources, probes. */
#include "kinds/resource_rules.h"
#include "kinds/workload_check.h"

#include "api/quantity.h"
#include "base/arena.h"
#include "base/util.h"
#include <stdlib.h>

#define INIT_ONLY_TEXT "may not be set for init containers without restartPolicy=Always"

/* ---- ports ---- */

static void check_ports(struct checker *checker, const struct at *at,
                        const struct json_node *ports) {
        static const char *const protocols[] = { "SCTP", "TCP", "UDP", NULL };
        static const struct rule protocol_rules[] = {
                { "protocol", rule_choice, RULE_REQUIRED, .data = protocols },
                RULES_END,
        };
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
                check_rules(checker, &place, port, protocol_rules);
        }
}

/* "TCP/10.0.0.1/80", as complaints show it. */
static const char *host_port_text(struct checker *checker, const struct json_node *port) {
        return message_of(checker, "\"" SLICE_FMT "/" SLICE_FMT "/%lld\"",
                          SLICE_ARG(node_get_text(port, "protocol")),
                          SLICE_ARG(node_get_text(port, "hostIP")),
                          (long long)node_get_i64(port, "hostPort", 0));
}

/* only: the one container looked at, as if it were the first; SIZE_MAX = all */
static void check_host_ports(struct checker *checker, const struct at *at,
                             const struct json_node *containers, size_t only) {
        CLEANUP(text_set_release) struct text_set taken = { 0 };
        size_t first = only == SIZE_MAX ? 0 : only;
        size_t end = only == SIZE_MAX ? node_count(containers) : only + 1;

        for (size_t i = first; i < end; i++) {
                const struct json_node *ports = node_get(node_at(containers, i), "ports");
                struct at container = at_index(at, i - first);
                struct at list = at_member(&container, "ports");

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

/* ---- mounts ---- */

/* Names and paths of a list of mounts or devices, for the other list to keep away from. */
struct taken_places {
        struct text_set names, paths;
};

static void taken_places_collect(struct taken_places *places, const struct json_node *list,
                                 const char *path_member) {
        for (size_t i = 0; i < node_count(list); i++) {
                text_set_add(&places->names, node_get_text(node_at(list, i), "name"));
                text_set_add(&places->paths, node_get_text(node_at(list, i), path_member));
        }
}

static void taken_places_release(struct taken_places *places) {
        text_set_release(&places->names);
        text_set_release(&places->paths);
}

/* Places of these are of the list: upstream leaves out which element it is. */
static void check_mount_paths(struct checker *checker, const struct at *at, const struct at *place,
                              const struct json_node *mount) {
        static const struct rule below[] = { { "subPath", rule_path_below }, RULES_END };
        static const struct rule below_expression[] = { { "subPathExpr", rule_path_below },
                                                        RULES_END };

        check_rules(checker, at, mount, below);
        if (node_get_text(mount, "subPathExpr").len && node_get_text(mount, "subPath").len)
                report_text(checker, place, "subPathExpr", node_get_text(mount, "subPathExpr"),
                            "subPathExpr and subPath are mutually exclusive");
        check_rules(checker, at, mount, below_expression);
}

static void check_propagation(struct checker *checker, const struct at *at,
                              const struct json_node *mount, const struct json_node *container) {
        static const char *const modes[] = { "Bidirectional", "HostToContainer", "None", NULL };
        static const char *const recursions[] = { "Disabled", "Enabled", "IfPossible", NULL };
        static const struct rule rules[] = {
                { "mountPropagation", rule_choice, RULE_PRESENT, .data = modes },
                RULES_END,
        };
        static const struct rule recursion_rules[] = {
                { "recursiveReadOnly", rule_choice, RULE_PRESENT, .data = recursions },
                RULES_END,
        };
        struct slice mode = node_get_text(mount, "mountPropagation");
        struct slice recursion = node_get_text(mount, "recursiveReadOnly");
        const struct json_node *security = node_get(container, "securityContext");

        check_rules(checker, at, mount, rules);
        if (slice_is(mode, "Bidirectional") && !node_is_true(node_get(security, "privileged")))
                report(checker, FIELD_FORBIDDEN, at, "mountPropagation", NULL,
                       "Bidirectional mount propagation is available only to privileged "
                       "containers");
        check_rules(checker, at, mount, recursion_rules);
        if (!slice_is(recursion, "Enabled") && !slice_is(recursion, "IfPossible"))
                return;
        if (!node_is_true(node_get(mount, "readOnly")))
                report(checker, FIELD_FORBIDDEN, at, "recursiveReadOnly", NULL,
                       "may only be specified when readOnly is true");
        if (node_get(mount, "mountPropagation") && !slice_is(mode, "None"))
                report(checker, FIELD_FORBIDDEN, at, "recursiveReadOnly", NULL,
                       "may only be specified when mountPropagation is None or not specified");
}

static void check_mounts(struct container_check *check, const struct at *at,
                         const struct json_node *container) {
        const struct json_node *mounts = node_get(container, "volumeMounts");
        CLEANUP(text_set_release) struct text_set paths = { 0 };
        struct checker *checker = check->checker;
        struct taken_places devices = { 0 };

        taken_places_collect(&devices, node_get(container, "volumeDevices"), "devicePath");
        for (size_t i = 0; i < node_count(mounts); i++) {
                const struct json_node *mount = node_at(mounts, i);
                struct at place = at_index(at, i);
                struct slice name = node_get_text(mount, "name");
                struct slice path = node_get_text(mount, "mountPath");

                check_required(checker, &place, mount, "name");
                if (!map_get(check->volumes, name))
                        report(checker, FIELD_NOT_FOUND, &place, "name", quoted(checker, name),
                               NULL);
                check_required(checker, &place, mount, "mountPath");
                if (!text_set_add(&paths, path))
                        report_text(checker, &place, "mountPath", path, "must be unique");
                if (text_set_has(&devices.names, name))
                        report_text(checker, &place, "name", name,
                                    "must not already exist in volumeDevices");
                if (text_set_has(&devices.paths, path))
                        report_text(checker, &place, "mountPath", path,
                                    "must not already exist as a path in volumeDevices");
                check_mount_paths(checker, at, &place, mount);
                check_propagation(checker, at, mount, container);
        }
        taken_places_release(&devices);
}

static bool has_backsteps(struct slice path) {
        struct slice part;

        while (slice_split(&path, '/', &part))
                if (slice_is(part, ".."))
                        return true;
        return false;
}

/* Names and paths of the devices so far, and of the mounts. */
struct device_check {
        struct container_check *check;
        struct taken_places seen, mounts;
};

static void check_device_name(struct device_check *devices, const struct at *place,
                              const struct json_node *device) {
        struct checker *checker = devices->check->checker;
        struct slice name = node_get_text(device, "name");
        const struct json_node *volume = map_get(devices->check->volumes, name);

        check_required(checker, place, device, "name");
        if (text_set_has(&devices->seen.names, name))
                report_text(checker, place, "name", name, "must be unique");
        if (volume && !node_get(volume, "persistentVolumeClaim") && !node_get(volume, "ephemeral"))
                report_text(checker, place, "name", name,
                            "can only use volume source type of PersistentVolumeClaim or Ephemeral "
                            "for block mode");
        if (!volume)
                report(checker, FIELD_NOT_FOUND, place, "name", quoted(checker, name), NULL);
}

static void check_device_path(struct device_check *devices, const struct at *place,
                              const struct json_node *device) {
        struct checker *checker = devices->check->checker;
        struct slice path = node_get_text(device, "devicePath");

        check_required(checker, place, device, "devicePath");
        if (text_set_has(&devices->seen.paths, path))
                report_text(checker, place, "devicePath", path, "must be unique");
        if (has_backsteps(path))
                report_text(checker, place, "devicePath", path, "can not contain backsteps ('..')");
        else
                text_set_add(&devices->seen.paths, path);
}

static void check_devices(struct container_check *check, const struct at *at,
                          const struct json_node *container) {
        const struct json_node *list = node_get(container, "volumeDevices");
        struct device_check devices = { .check = check };

        taken_places_collect(&devices.mounts, node_get(container, "volumeMounts"), "mountPath");
        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *device = node_at(list, i);
                struct slice name = node_get_text(device, "name");
                struct slice path = node_get_text(device, "devicePath");
                struct at place = at_index(at, i);

                check_device_name(&devices, &place, device);
                check_device_path(&devices, &place, device);
                if (text_set_has(&devices.mounts.names, name))
                        report_text(check->checker, &place, "name", name,
                                    "must not already exist in volumeMounts");
                if (text_set_has(&devices.mounts.paths, path))
                        report_text(check->checker, &place, "devicePath", path,
                                    "must not already exist as a path in volumeMounts");
                if (name.len)
                        text_set_add(&devices.seen.names, name);
        }
        taken_places_release(&devices.seen);
        taken_places_release(&devices.mounts);
}

/* ---- resources ---- */

/* Huge pages come in whole pages of the size in their name. */
static void check_huge_pages(struct checker *checker, const struct at *at, struct slice name,
                             struct slice amount) {
        size_t prefix = sizeof("hugepages-") - 1;
        int64_t size = 0, bytes = 0;

        if (!is_huge_page(name))
                return;
        if (quantity_value(slice_make(name.ptr + prefix, name.len - prefix), &size, NULL) == 0 &&
            size > 0 && quantity_value(amount, &bytes, NULL) == 0 && bytes % size == 0)
                return;
        report_text(checker, at, NULL, amount,
                    message_of(checker, SLICE_FMT " is not positive integer multiple of " SLICE_FMT,
                               SLICE_ARG(amount), SLICE_ARG(name)));
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

static int compare_names(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static void report_unknown_claim(struct checker *checker, const struct at *at, struct slice name,
                                 const struct pod_claims *known) {
        size_t count = node_count(known->list), used = 0;
        struct slice *names = ARENA_ARRAY(checker->errors->arena, struct slice, count + 1);
        struct buf text = { 0 };

        for (size_t i = 0; i < count; i++)
                if (node_get_text(node_at(known->list, i), "name").len)
                        names[used++] = node_get_text(node_at(known->list, i), "name");
        if (used)
                qsort(names, used, sizeof(names[0]), compare_names);
        buf_text(&text, "must be one of the names in pod.spec.resourceClaims");
        buf_text(&text, used ? ": " : " which is empty");
        for (size_t i = 0; i < used; i++)
                if (i == 0 || !slice_eq(names[i], names[i - 1]))
                        buf_printf(&text, "%s" SLICE_FMT, i ? ", " : "", SLICE_ARG(names[i]));
        report(checker, FIELD_NOT_FOUND, at, NULL, quoted(checker, name),
               message_of(checker, "%s", text.data));
        buf_release(&text);
}

/* A claim is used whole or by requests, not both, and each once. */
static void check_claims(struct checker *checker, const struct at *at,
                         const struct json_node *claims, const struct pod_claims *known) {
        CLEANUP(text_set_release) struct text_set whole = { 0 }, parts = { 0 }, parted = { 0 };

        for (size_t i = 0; i < node_count(claims); i++) {
                const struct json_node *claim = node_at(claims, i);
                struct slice name = node_get_text(claim, "name");
                struct slice request = node_get_text(claim, "request");
                struct at place = at_index(at, i), part = at_member(&place, "request");
                struct slice key = pair_text(checker, name, request);

                if (name.len == 0) {
                        report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                        continue;
                }
                if (text_set_has(&whole, name)) {
                        report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, name), NULL);
                } else if (request.len) {
                        check_form(checker, &part, request, FORM_LABEL);
                        if (!text_set_add(&parts, key))
                                report(checker, FIELD_DUPLICATE, &place, NULL,
                                       message_of(checker, "\"" SLICE_FMT "/" SLICE_FMT "\"",
                                                  SLICE_ARG(name), SLICE_ARG(request)),
                                       NULL);
                        text_set_add(&parted, name);
                } else {
                        if (text_set_has(&parted, name))
                                report(checker, FIELD_DUPLICATE, &place, NULL,
                                       quoted(checker, name), NULL);
                        text_set_add(&whole, name);
                }
                if (!text_set_has(&known->names, name))
                        report_unknown_claim(checker, &place, name, known);
        }
}

struct resource_check {
        struct checker *checker;
        enum resource_use use;
        bool has_huge_pages, has_compute;
};

static void check_amount(struct resource_check *check, const struct at *at, struct slice name,
                         struct slice amount) {
        check_resource_name(check->checker, at, name, check->use);
        check_resource_amount(check->checker, at, name, amount);
        check->has_huge_pages |= is_huge_page(name);
        check->has_compute |= is_compute(name);
}

void check_resources(struct checker *checker, const struct at *at,
                     const struct json_node *resources, const struct pod_claims *claims,
                     bool is_pod) {
        struct resource_check check = { checker, is_pod ? RESOURCE_OF_POD : RESOURCE_OF_CONTAINER,
                                        false, false };
        const struct json_node *limits = node_get(resources, "limits");
        struct at limit_list = at_member(at, "limits"), request_list = at_member(at, "requests");
        struct at claim_list = at_member(at, "claims");
        struct node_iter iter = node_iter(limits);
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(&limit_list, name);

                check_amount(&check, &place, name, node_get_slice(amount));
                check_huge_pages(checker, &place, name, node_get_slice(amount));
        }
        iter = node_iter(node_get(resources, "requests"));
        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(&request_list, name);

                check_amount(&check, &place, name, node_get_slice(amount));
                check_request(checker, at, name, node_get_slice(amount), limits);
                check_huge_pages(checker, &place, name, node_get_slice(amount));
        }
        if (check.has_huge_pages && !check.has_compute)
                report(checker, FIELD_FORBIDDEN, at, NULL, NULL, "HugePages require cpu or memory");
        if (claims)
                check_claims(checker, &claim_list, node_get(resources, "claims"), claims);
}

/* ---- probes and handlers ---- */

static bool is_header_name(struct slice name) {
        for (size_t i = 0; i < name.len; i++) {
                char c = name.ptr[i];

                if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-'))
                        return false;
        }
        return name.len > 0;
}

static void check_headers(struct checker *checker, const struct at *at,
                          const struct json_node *headers) {
        for (size_t i = 0; i < node_count(headers); i++) {
                struct slice name = node_get_text(node_at(headers, i), "name");

                if (!is_header_name(name))
                        report_text(checker, at, NULL, name,
                                    "a valid HTTP header must consist of alphanumeric characters "
                                    "or '-' (e.g. 'X-Header-Name', regex used for validation is "
                                    "'[-A-Za-z0-9]+')");
        }
}

static const char *const schemes[] = { "HTTP", "HTTPS", NULL };

OWN_RULE(rule_http) {
        static const struct rule rules[] = {
                { "path", rule_present, RULE_REQUIRED },
                { "port", rule_port_or_name, RULE_ALWAYS },
                { "scheme", rule_choice, RULE_ALWAYS, .data = schemes },
                RULES_END,
        };
        struct at headers = at_member(at, "httpHeaders");

        (void)rule;
        check_rules(checker, at, value, rules);
        check_headers(checker, &headers, node_get(value, "httpHeaders"));
}

OWN_RULE(rule_exec) {
        static const struct rule rules[] = {
                { "command", rule_present, RULE_REQUIRED },
                RULES_END,
        };

        (void)rule;
        check_rules(checker, at, value, rules);
}

OWN_RULE(rule_socket) {
        static const struct rule rules[] = {
                { "port", rule_port_or_name, RULE_ALWAYS },
                RULES_END,
        };

        (void)rule;
        check_rules(checker, at, value, rules);
}

/* low: the grace period of the pod */
OWN_RULE(rule_sleep) {
        int64_t seconds = node_get_i64(value, "seconds", 0);

        if (seconds < 0 || seconds > rule->low)
                report_number(checker, at, NULL, seconds,
                              message_of(checker,
                                         "must be non-negative and less than "
                                         "terminationGracePeriodSeconds (%lld)",
                                         (long long)rule->low));
}

static void check_handler(struct container_check *check, const struct at *at,
                          const struct json_node *handler) {
        const struct rule kinds[] = {
                { "exec", rule_exec },
                { "httpGet", rule_http },
                { "tcpSocket", rule_socket },
                { "grpc", rule_socket },
                { "sleep", rule_sleep,
                  .low = node_get_i64(check->spec, "terminationGracePeriodSeconds", 0) },
        };
        size_t count = 0;

        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                const struct json_node *action = node_get(handler, kinds[i].member);
                struct at place = at_member(at, kinds[i].member);

                if (!action)
                        continue;
                if (count++)
                        report(check->checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                               "may not specify more than 1 handler type");
                else
                        kinds[i].check(check->checker, &place, action, &kinds[i]);
        }
        if (count == 0)
                report(check->checker, FIELD_REQUIRED, at, NULL, NULL,
                       "must specify a handler type");
}

static void check_probe(struct container_check *check, const struct at *at,
                        const struct json_node *container, const char *member) {
        static const struct rule rules[] = {
                { "initialDelaySeconds", rule_not_negative },
                { "timeoutSeconds", rule_not_negative },
                { "periodSeconds", rule_not_negative },
                { "successThreshold", rule_not_negative },
                { "failureThreshold", rule_not_negative },
                { "terminationGracePeriodSeconds", rule_range, .low = 1, .high = INT64_MAX,
                  .text = "must be greater than 0" },
                RULES_END,
        };
        const struct json_node *probe = node_get(container, member);
        bool is_readiness = slice_is(slice_of(member), "readinessProbe");
        int64_t successes = node_get_i64(probe, "successThreshold", 0);
        struct at place = at_member(at, member);

        if (!probe)
                return;
        check_handler(check, &place, probe);
        check_rules(check->checker, &place, probe, rules);
        if (!is_readiness && successes != 1)
                report_number(check->checker, &place, "successThreshold", successes, "must be 1");
        if (is_readiness && node_get(probe, "terminationGracePeriodSeconds"))
                report_number(check->checker, &place, "terminationGracePeriodSeconds",
                              node_get_i64(probe, "terminationGracePeriodSeconds", 0),
                              "must not be set for readinessProbes");
}

static void check_probes(struct container_check *check, const struct at *at,
                         const struct json_node *container) {
        const struct json_node *lifecycle = node_get(container, "lifecycle");
        struct at hooks = at_member(at, "lifecycle");
        struct at after = at_member(&hooks, "postStart"), before = at_member(&hooks, "preStop");

        if (node_get(lifecycle, "postStart"))
                check_handler(check, &after, node_get(lifecycle, "postStart"));
        if (node_get(lifecycle, "preStop"))
                check_handler(check, &before, node_get(lifecycle, "preStop"));
        check_probe(check, at, container, "livenessProbe");
        check_probe(check, at, container, "readinessProbe");
        check_probe(check, at, container, "startupProbe");
}

/* ---- restarts ---- */

static const char *const restart_policies[] = { "Always", "Never", "OnFailure", NULL };
static const char *const restart_actions[] = { "Restart", "RestartAllContainers", NULL };
static const char *const exit_operators[] = { "In", "NotIn", NULL };

#define RESTART_RULES_MAX 20
#define EXIT_CODES_MAX 255

OWN_RULE(rule_exit_codes) {
        static const struct rule rules[] = {
                { "operator", rule_choice, RULE_ALWAYS, .data = exit_operators },
                RULES_END,
        };

        struct at values = at_member(at, "values");

        (void)rule;
        check_rules(checker, at, value, rules);
        check_at_most(checker, &values, node_count(node_get(value, "values")), EXIT_CODES_MAX);
}

static void check_restarts(struct checker *checker, const struct at *at,
                           const struct json_node *container, bool is_init) {
        static const struct rule policy_rules[] = {
                { "restartPolicy", rule_choice, RULE_PRESENT, .data = restart_policies },
                RULES_END,
        };
        static const struct rule rules[] = {
                { "action", rule_choice, RULE_ALWAYS, .data = restart_actions },
                { "exitCodes", rule_exit_codes, RULE_REQUIRED | RULE_PRESENT,
                  .text = "must be specified" },
                RULES_END,
        };
        const struct json_node *list = node_get(container, "restartPolicyRules");
        struct at place = at_member(at, "restartPolicyRules");

        if (!node_get(container, "restartPolicy") && node_count(list)) {
                report(checker, FIELD_REQUIRED, at, "restartPolicy", NULL,
                       "must specify restartPolicy when restart rules are used");
                if (is_init)
                        return;
        }
        check_rules(checker, at, container, policy_rules);
        check_at_most(checker, &place, node_count(list), RESTART_RULES_MAX);
        for (size_t i = 0; i < node_count(list); i++) {
                struct at element = at_index(&place, i);

                check_rules(checker, &element, node_at(list, i), rules);
        }
}

/* What happens to a container whose resources change. Places are of the list. */
static void check_resize_policies(struct container_check *check, const struct at *at,
                                  const struct json_node *policies) {
        static const char *const resources[] = { "cpu", "memory", NULL };
        static const char *const restarts[] = { "NotRequired", "RestartContainer", NULL };
        bool is_never = slice_is(node_get_text(check->spec, "restartPolicy"), "Never");
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        const struct rule resource_rule = { NULL, rule_choice, .data = resources };
        const struct rule restart_rule = { NULL, rule_choice, .data = restarts };

        for (size_t i = 0; i < node_count(policies); i++) {
                const struct json_node *name = node_get(node_at(policies, i), "resourceName");
                const struct json_node *restart = node_get(node_at(policies, i), "restartPolicy");
                struct at place = at_index(at, i);

                if (!text_set_add(&seen, node_get_slice(name)))
                        report(check->checker, FIELD_DUPLICATE, &place, NULL,
                               quoted(check->checker, node_get_slice(name)), NULL);
                if (node_get_slice(name).len == 0)
                        report(check->checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
                else
                        rule_choice(check->checker, at, name, &resource_rule);
                if (node_get_slice(restart).len == 0)
                        report(check->checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
                else
                        rule_choice(check->checker, at, restart, &restart_rule);
                if (is_never && !slice_is(node_get_slice(restart), "NotRequired"))
                        report_text(check->checker, at, NULL, node_get_slice(restart),
                                    "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
        }
}

/* ---- containers ---- */

void check_image_space(struct checker *checker, const struct at *at,
                       const struct json_node *container) {
        struct slice image = node_get_text(container, "image");

        if (slice_trim(image).len != image.len)
                report_text(checker, at, "image", image,
                            "must not have leading or trailing whitespace");
}

static void check_container(struct container_check *check, const struct at *at,
                            const struct json_node *container) {
        static const char *const policies[] = { "Always", "IfNotPresent", "Never", NULL };
        static const char *const messages[] = { "File", "FallbackToLogsOnError", NULL };
        static const struct rule rules[] = {
                { "name", rule_form, RULE_REQUIRED, .low = FORM_LABEL },
                { "image", rule_present, RULE_REQUIRED },
                { "terminationMessagePolicy", rule_choice, RULE_REQUIRED, .data = messages },
                RULES_END,
        };
        static const struct rule pull_rules[] = {
                { "imagePullPolicy", rule_choice, RULE_REQUIRED, .data = policies },
                RULES_END,
        };
        struct at ports = at_member(at, "ports"), env = at_member(at, "env");
        struct at env_from = at_member(at, "envFrom"), mounts = at_member(at, "volumeMounts");
        struct at devices = at_member(at, "volumeDevices"), resources = at_member(at, "resources");
        struct at resizes = at_member(at, "resizePolicy");
        struct at security = at_member(at, "securityContext");

        check_rules(check->checker, at, container, rules);
        check_ports(check->checker, &ports, node_get(container, "ports"));
        check_env(check->checker, &env, node_get(container, "env"));
        check_env_from(check->checker, &env_from, node_get(container, "envFrom"));
        check_mounts(check, &mounts, container);
        check_devices(check, &devices, container);
        check_rules(check->checker, at, container, pull_rules);
        check_resources(check->checker, &resources, node_get(container, "resources"), check->claims,
                        false);
        check_resize_policies(check, &resizes, node_get(container, "resizePolicy"));
        check_container_security(check->checker, &security, node_get(container, "securityContext"),
                                 check->has_host_users);
}

static void report_taken(struct checker *checker, const struct at *at, struct slice name) {
        report(checker, FIELD_DUPLICATE, at, "name", quoted(checker, name), NULL);
}

static void check_regular(struct container_check *check, const struct at *at) {
        const struct json_node *list = node_get(check->spec, "containers");
        struct at place = at_member(at, "containers");

        if (node_count(list) == 0) {
                report(check->checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                return;
        }
        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *container = node_at(list, i);
                struct at element = at_index(&place, i);
                struct slice name = node_get_text(container, "name");

                check_container(check, &element, container);
                if (!text_set_add(&check->regular, name))
                        report_taken(check->checker, &element, name);
                check_probes(check, &element, container);
                check_restarts(check->checker, &element, container, false);
        }
        check_host_ports(check->checker, &place, list, SIZE_MAX);
}

/* What only containers that restart always may have, and how the others may be resized. */
static void check_plain_init(struct checker *checker, const struct at *at,
                             const struct json_node *container) {
        static const char *const forbidden[] = { "lifecycle", "livenessProbe", "readinessProbe",
                                                 "startupProbe" };
        const struct json_node *policies = node_get(container, "resizePolicy");
        struct at list = at_member(at, "resizePolicy");

        for (size_t i = 0; i < ARRAY_LEN(forbidden); i++)
                if (node_get(container, forbidden[i]))
                        report(checker, FIELD_FORBIDDEN, at, forbidden[i], NULL, INIT_ONLY_TEXT);
        for (size_t i = 0; i < node_count(policies); i++) {
                struct at place = at_index(&list, i);

                if (slice_is(node_get_text(node_at(policies, i), "restartPolicy"),
                             "RestartContainer"))
                        report_text(checker, &place, "restartPolicy",
                                    SLICE_LITERAL("RestartContainer"),
                                    "must not be set to 'RestartContainer' for non-sidecar "
                                    "initContainers");
        }
}

static void check_init(struct container_check *check, const struct at *at) {
        const struct json_node *list = node_get(check->spec, "initContainers");
        struct at place = at_member(at, "initContainers");

        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *container = node_at(list, i);
                struct at element = at_index(&place, i);
                struct slice name = node_get_text(container, "name");

                check_container(check, &element, container);
                check_restarts(check->checker, &element, container, true);
                if (text_set_has(&check->regular, name) || text_set_has(&check->init, name))
                        report_taken(check->checker, &element, name);
                else if (name.len)
                        text_set_add(&check->init, name);
                check_host_ports(check->checker, &place, list, i);
                if (slice_is(node_get_text(container, "restartPolicy"), "Always"))
                        check_probes(check, &element, container);
                else
                        check_plain_init(check->checker, &element, container);
        }
}

static void check_ephemeral_members(struct checker *checker, const struct at *at,
                                    const struct json_node *container) {
        /* In the order of their type, without those that may be set. */
        static const char *const forbidden[] = {
                "ports",          "resources",          "resizePolicy",
                "restartPolicy",  "restartPolicyRules", "livenessProbe",
                "readinessProbe", "startupProbe",       "lifecycle",
        };
        static const char *const paths[] = { "subPath", "subPathExpr" };
        const struct json_node *mounts = node_get(container, "volumeMounts");
        struct at list = at_member(at, "volumeMounts");

        for (size_t i = 0; i < ARRAY_LEN(forbidden); i++)
                if (node_get(container, forbidden[i]) &&
                    (strcmp(forbidden[i], "resources") != 0 ||
                     node_count(node_get(container, forbidden[i]))))
                        report(checker, FIELD_FORBIDDEN, at, forbidden[i], NULL,
                               "cannot be set for an Ephemeral Container");
        for (size_t i = 0; i < node_count(mounts); i++)
                for (size_t j = 0; j < ARRAY_LEN(paths); j++) {
                        struct at place = at_index(&list, i);

                        if (node_get_text(node_at(mounts, i), paths[j]).len)
                                report(checker, FIELD_FORBIDDEN, &place, paths[j], NULL,
                                       "cannot be set for an Ephemeral Container");
                }
}

static void check_ephemeral(struct container_check *check, const struct at *at) {
        const struct json_node *list = node_get(check->spec, "ephemeralContainers");
        struct at place = at_member(at, "ephemeralContainers");

        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *container = node_at(list, i);
                struct at element = at_index(&place, i);
                struct slice name = node_get_text(container, "name");
                struct slice target = node_get_text(container, "targetContainerName");

                check_container(check, &element, container);
                check_image_space(check->checker, &element, container);
                if (text_set_has(&check->regular, name) || text_set_has(&check->init, name) ||
                    !text_set_add(&check->ephemeral, name))
                        report_taken(check->checker, &element, name);
                if (target.len && !text_set_has(&check->regular, target) &&
                    !text_set_has(&check->init, target))
                        report(check->checker, FIELD_NOT_FOUND, &element, "targetContainerName",
                               quoted(check->checker, target), NULL);
                check_ephemeral_members(check->checker, &element, container);
        }
}

void check_containers(struct container_check *check, const struct at *at) {
        check_regular(check, at);
        check_init(check, at);
        check_ephemeral(check, at);
        text_set_release(&check->regular);
        text_set_release(&check->init);
        text_set_release(&check->ephemeral);
}
