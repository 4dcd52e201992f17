/* Validation of containers: probes and lifecycle handlers. */
#include "kinds/workload_check.h"

#include "base/util.h"

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

void check_probes(struct container_check *check, const struct at *at,
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
