/* Validation of containers: names, images, ports, restarts, and all that the other files check. */
#include "kinds/workload_check.h"

#include "base/utf8.h"
#include "base/util.h"

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

        if (utf8_trim(image).len != image.len)
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

/* Lists and maps that are empty count, and an object that holds one; one without members does not.
 */
static bool is_set(struct checker *checker, const struct at *at, const struct json_node *container,
                   const char *member) {
        static const char *const inner[] = { "limits", "requests", "claims" };
        const struct json_node *value = node_get(container, member);
        struct at place = at_member(at, member);

        if (strcmp(member, "resources") != 0)
                return value || is_emptied(checker, &place);
        for (size_t i = 0; i < ARRAY_LEN(inner); i++) {
                struct at below = at_member(&place, inner[i]);

                if (is_emptied(checker, &below))
                        return true;
        }
        return node_count(value) > 0;
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
                if (is_set(checker, at, container, forbidden[i]))
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
