/* Validation of services. */
#include "kinds/ip_rules.h"
#include "kinds/service_allocation.h"

#include "base/util.h"

static bool is_type(const struct json_node *spec, const char *type) {
        return slice_is(node_get_text(spec, "type"), type);
}

/* ---- ports ---- */

static const char *const protocols[] = { "SCTP", "TCP", "UDP", NULL };
static const struct rule port_rules[] = {
        { "port", rule_port, .flags = RULE_ALWAYS },
        { "protocol", rule_choice, .data = protocols, .flags = RULE_REQUIRED },
        { "targetPort", rule_port_or_name, .flags = RULE_ALWAYS },
        { "appProtocol", rule_form, .low = FORM_QUALIFIED, .flags = RULE_PRESENT },
        RULES_END,
};

OWN_RULE(rule_ports) {
        CLEANUP(text_set_release) struct text_set names = { 0 };
        bool needs_name = node_count(value) > 1;

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                const struct json_node *port = node_at(value, i);
                struct slice name = node_get_text(port, "name");
                struct at place = at_index(at, i), name_place = at_member(&place, "name");

                if (name.len)
                        check_form(checker, &name_place, name, FORM_LABEL);
                else if (needs_name)
                        report(checker, FIELD_REQUIRED, &name_place, NULL, NULL, NULL);
                if (name.len && !text_set_add(&names, name))
                        report(checker, FIELD_DUPLICATE, &name_place, NULL, quoted(checker, name),
                               NULL);
                check_rules(checker, &place, port, port_rules);
        }
}

/* ---- what depends on the type ---- */

OWN_RULE(rule_headless_type) {
        static const char *const types[] = { "LoadBalancer", "NodePort" };
        struct at list = at_member(at, "clusterIPs"), place = at_index(&list, 0);

        (void)rule;
        for (size_t i = 0; is_headless_service(value) && i < ARRAY_LEN(types); i++)
                if (is_type(value, types[i]))
                        report_text(checker, &place, NULL, SLICE_LITERAL("None"),
                                    message_of(checker, "may not be set to 'None' for %s services",
                                               types[i]));
}

OWN_RULE(rule_external_name) {
        static const char *const members[] = { "clusterIPs", "ipFamilies", "ipFamilyPolicy" };
        struct slice name = node_get_text(value, "externalName");
        struct at place = at_member(at, "externalName");

        (void)rule;
        if (!is_type(value, "ExternalName"))
                return;
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                if (node_get(value, members[i]))
                        report(checker, FIELD_FORBIDDEN, at, members[i], NULL,
                               "may not be set for ExternalName services");
        if (name.len && name.ptr[name.len - 1] == '.')
                name.len--;
        if (name.len)
                check_form(checker, &place, name, FORM_SUBDOMAIN);
        else
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
}

OWN_RULE(rule_some_port) {
        (void)rule;
        if (node_count(node_get(value, "ports")) == 0 && !is_headless_service(value) &&
            !is_type(value, "ExternalName"))
                report(checker, FIELD_REQUIRED, at, "ports", NULL, NULL);
}

#define AFFINITY_SECONDS_MAX 86400

OWN_RULE(rule_affinity) {
        const struct json_node *config = node_get(value, "sessionAffinityConfig");
        const struct json_node *client = node_get(config, "clientIP");
        const struct json_node *timeout = node_get(client, "timeoutSeconds");
        const struct rule range = { .low = 1,
                                    .high = AFFINITY_SECONDS_MAX,
                                    .text = "must be greater than 0 and less than 86400" };
        struct at inner = at_member(at, "sessionAffinityConfig");
        struct at place = at_member(&inner, "clientIP");
        struct at seconds = at_member(&place, "timeoutSeconds");
        struct slice affinity = node_get_text(value, "sessionAffinity");

        (void)rule;
        if (slice_is(affinity, "None")) {
                if (config)
                        report(checker, FIELD_FORBIDDEN, &inner, NULL, NULL,
                               "must not be set when session affinity is None");
        } else if (slice_is(affinity, "ClientIP")) {
                if (!config)
                        report(checker, FIELD_REQUIRED, &inner, NULL, NULL,
                               "when session affinity type is ClientIP");
                else if (!timeout)
                        report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                               "when session affinity type is ClientIP");
                else
                        rule_range(checker, &seconds, timeout, &range);
        }
}

/* What the stored service had may stay. */
static bool is_known(const struct json *list, struct slice text) {
        struct json_iter iter = json_iter(list);
        const struct json *value;

        while (json_next(&iter, NULL, &value))
                if (slice_eq(slice_trim(json_text(value)), text))
                        return true;
        return false;
}

static void check_external_addresses(struct checker *checker, const struct at *at,
                                     const struct json_node *list, const struct json *known) {
        for (size_t i = 0; i < node_count(list); i++) {
                struct slice text = node_get_slice(node_at(list, i));
                struct at place = at_index(at, i);

                if (is_known(known, text) || check_ip_strict(checker, &place, text, NULL))
                        check_endpoint_ip(checker, &place, text);
        }
}

OWN_RULE(rule_no_node_port) {
        const struct json_node *ports = node_get(value, "ports");
        struct at list = at_member(at, "ports");

        (void)rule;
        for (size_t i = 0; is_type(value, "ClusterIP") && i < node_count(ports); i++) {
                struct at place = at_index(&list, i);

                if (node_get_i64(node_at(ports, i), "nodePort", 0))
                        report(checker, FIELD_FORBIDDEN, &place, "nodePort", NULL,
                               "may not be used when `type` is 'ClusterIP'");
        }
}

static struct slice port_key(struct checker *checker, const struct json_node *port,
                             const char *member) {
        return slice_of(message_of(checker, SLICE_FMT "/%lld",
                                   SLICE_ARG(node_get_text(port, "protocol")),
                                   (long long)node_get_i64(port, member, 0)));
}

OWN_RULE(rule_different_ports) {
        const struct json_node *ports = node_get(value, "ports");
        CLEANUP(text_set_release) struct text_set node_ports = { 0 };
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct at list = at_member(at, "ports");

        (void)rule;
        for (size_t i = 0; i < node_count(ports); i++) {
                const struct json_node *port = node_at(ports, i);
                int64_t number = node_get_i64(port, "nodePort", 0);
                struct at place = at_index(&list, i);

                if (number && !text_set_add(&node_ports, port_key(checker, port, "nodePort")))
                        report(checker, FIELD_DUPLICATE, &place, "nodePort",
                               message_of(checker, "%lld", (long long)number), NULL);
        }
        for (size_t i = 0; i < node_count(ports); i++) {
                const struct json_node *port = node_at(ports, i);
                struct at place = at_index(&list, i);

                if (!text_set_add(&seen, port_key(checker, port, "port")))
                        report(checker, FIELD_DUPLICATE, &place, NULL,
                               message_of(checker, "{\"protocol\":%s,\"port\":%lld}",
                                          quoted(checker, node_get_text(port, "protocol")),
                                          (long long)node_get_i64(port, "port", 0)),
                               NULL);
        }
}

/* ---- load balancers ---- */

#define BALANCER_ONLY "may only be used when `type` is 'LoadBalancer'"
#define RANGES_ANNOTATION "service.beta.kubernetes.io/load-balancer-source-ranges"

static void check_source_ranges(struct checker *checker, const struct at *at,
                                const struct json_node *spec, const struct json *known) {
        const struct json_node *list = node_get(spec, "loadBalancerSourceRanges");
        struct at place = at_member(at, "LoadBalancerSourceRanges");
        struct ip_network network;

        if (!is_type(spec, "LoadBalancer"))
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL, BALANCER_ONLY);
        for (size_t i = 0; i < node_count(list); i++) {
                struct slice text = slice_trim(node_get_slice(node_at(list, i)));
                struct at element = at_index(&place, i);

                if (!is_known(known, text))
                        check_cidr_strict(checker, &element, text, &network);
        }
}

static void check_annotated_ranges(struct checker *checker, const struct json_node *spec,
                                   struct slice text, bool is_changed) {
        struct at metadata = at_root("metadata"), list = at_member(&metadata, "annotations");
        struct at at = at_key(&list, SLICE_LITERAL(RANGES_ANNOTATION));
        struct ip_network network;
        size_t start = 0;

        if (!is_type(spec, "LoadBalancer"))
                report(checker, FIELD_FORBIDDEN, &at, NULL, NULL, BALANCER_ONLY);
        text = is_changed ? slice_trim(text) : SLICE_EMPTY;
        for (size_t i = 0; text.len && i <= text.len; i++) {
                if (i < text.len && text.ptr[i] != ',')
                        continue;
                check_cidr_strict(checker, &at, slice_trim(slice_make(text.ptr + start, i - start)),
                                  &network);
                start = i + 1;
        }
}

static void check_ranges(struct checker *checker, const struct at *at,
                         const struct json_node *object, const struct json *old) {
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *annotation =
                node_get(node_get(node_get(object, "metadata"), "annotations"), RANGES_ANNOTATION);
        const struct json *before =
                json_get(json_get(json_get(old, "metadata"), "annotations"), RANGES_ANNOTATION);

        if (node_count(node_get(spec, "loadBalancerSourceRanges")) > 0)
                check_source_ranges(checker, at, spec,
                                    json_get(json_get(old, "spec"), "loadBalancerSourceRanges"));
        else if (annotation)
                check_annotated_ranges(
                        checker, spec, node_get_slice(annotation),
                        !before || !slice_eq(json_text(before), node_get_slice(annotation)));
}

static void check_balancer(struct checker *checker, const struct at *at,
                           const struct json_node *spec) {
        const struct json_node *name = node_get(spec, "loadBalancerClass");
        struct at place = at_member(at, "loadBalancerClass");
        struct at root = at_root("allocateLoadBalancerNodePorts");
        bool is_balancer = is_type(spec, "LoadBalancer");
        bool is_allocating = node_get(spec, "allocateLoadBalancerNodePorts");

        if (is_allocating && !is_balancer)
                report(checker, FIELD_FORBIDDEN, at, "allocateLoadBalancerNodePorts", NULL,
                       BALANCER_ONLY);
        if (!is_allocating && is_balancer)
                report(checker, FIELD_REQUIRED, &root, NULL, NULL, NULL);
        if (name && is_balancer)
                check_form(checker, &place, node_get_slice(name), FORM_QUALIFIED);
        else if (name)
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL, BALANCER_ONLY);
}

/* ---- traffic ---- */

static bool is_reachable(const struct json_node *spec) {
        return is_type(spec, "LoadBalancer") || is_type(spec, "NodePort") ||
               (is_type(spec, "ClusterIP") && node_count(node_get(spec, "externalIPs")) > 0);
}

static bool needs_health_port(const struct json_node *spec) {
        return is_type(spec, "LoadBalancer") &&
               slice_is(node_get_text(spec, "externalTrafficPolicy"), "Local");
}

static const char *const external_policies[] = { "Cluster", "Local", NULL };
static const struct rule external_rules[] = {
        { "externalTrafficPolicy", rule_choice, .data = external_policies, .flags = RULE_REQUIRED },
        RULES_END,
};
static const struct rule health_rules[] = {
        { "healthCheckNodePort", rule_port, .flags = RULE_REQUIRED },
        RULES_END,
};
static const char *const distributions[] = { "PreferClose", "PreferSameZone", "PreferSameNode",
                                             NULL };
static const struct rule distribution_rules[] = {
        { "internalTrafficPolicy", rule_choice, .data = external_policies, .flags = RULE_PRESENT },
        { "trafficDistribution", rule_choice, .data = distributions, .flags = RULE_PRESENT },
        RULES_END,
};

static void check_traffic(struct checker *checker, const struct at *at,
                          const struct json_node *spec) {
        struct slice policy = node_get_text(spec, "externalTrafficPolicy");
        int64_t port = node_get_i64(spec, "healthCheckNodePort", 0);

        if (is_reachable(spec))
                check_rules(checker, at, spec, external_rules);
        else if (policy.len)
                report_text(checker, at, "externalTrafficPolicy", policy,
                            "may only be set for externally-accessible services");
        if (needs_health_port(spec) && port == 0)
                report(checker, FIELD_REQUIRED, at, "healthCheckNodePort", NULL, NULL);
        else if (needs_health_port(spec))
                check_rules(checker, at, spec, health_rules);
        else if (port)
                report_number(checker, at, "healthCheckNodePort", port,
                              "may only be set when `type` is 'LoadBalancer' and "
                              "`externalTrafficPolicy` is 'Local'");
        check_rules(checker, at, spec, distribution_rules);
}

/* ---- updates ---- */

/* Lists of one or two elements, of which the first stays. */
static void check_stacks_update(struct checker *checker, const char *member,
                                const struct json_node *spec, const struct json *old,
                                const char *unset, const char *released) {
        const struct json_node *list = node_get(spec, member);
        const struct json *before = json_get(old, member);
        size_t count = node_count(list), had = json_count(before);
        struct at at = at_root("spec"), place = at_member(&at, member);
        bool is_family = strcmp(member, "ipFamilies") == 0;

        for (size_t i = 0; i < had && i < count; i++) {
                struct at element = at_index(&place, is_family ? 0 : i);

                if ((i == 0 || had == count) &&
                    !slice_eq(node_get_slice(node_at(list, i)), json_text(json_at(before, i))))
                        report(checker, FIELD_INVALID, &element, NULL, node_json(checker, list),
                               "may not change once set");
        }
        if (had > count && count == 0) {
                struct at first = at_index(&place, 0);

                report(checker, FIELD_INVALID, &first, NULL, "null", unset);
        }
        if (had > count && count == 1 &&
            !slice_is(node_get_text(spec, "ipFamilyPolicy"), "SingleStack"))
                report(checker, FIELD_INVALID, &at, "ipFamilyPolicy",
                       node_json(checker, node_get(spec, "ipFamilyPolicy")), released);
}

static void check_class_update(struct checker *checker, const struct at *at,
                               const struct json_node *spec, const struct json *old) {
        const struct json_node *name = node_get(spec, "loadBalancerClass");
        bool was_balancer = slice_is(json_get_text(old, "type"), "LoadBalancer");
        bool is_balancer = is_type(spec, "LoadBalancer");
        struct at place = at_member(at, "loadBalancerClass");

        if (was_balancer && is_balancer && !is_same_member(spec, old, "loadBalancerClass"))
                report(checker, FIELD_INVALID, &place, NULL, node_json(checker, name),
                       "may not change once set");
        if (name && is_balancer)
                check_form(checker, &place, node_get_slice(name), FORM_QUALIFIED);
        else if (name)
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL, BALANCER_ONLY);
}

static void check_service_update(struct checker *checker, const struct json_node *spec,
                                 const struct json *old) {
        bool was_headless = is_headless_stored(old), is_headless = is_headless_service(spec);
        bool is_named = is_type(spec, "ExternalName") ||
                        slice_is(json_get_text(old, "type"), "ExternalName");
        struct at at = at_root("spec");
        bool was_balancer = slice_is(json_get_text(old, "type"), "LoadBalancer");
        bool had_port =
                was_balancer && slice_is(json_get_text(old, "externalTrafficPolicy"), "Local");

        if (!is_named && !(was_headless && is_headless))
                check_stacks_update(checker, "clusterIPs", spec, old,
                                    "primary clusterIP can not be unset",
                                    "must be set to 'SingleStack' when releasing the secondary "
                                    "clusterIP");
        if (!is_named && !was_headless && !is_headless)
                check_stacks_update(checker, "ipFamilies", spec, old,
                                    "primary ipFamily can not be unset",
                                    "must be set to 'SingleStack' when releasing the secondary "
                                    "ipFamily");
        check_class_update(checker, &at, spec, old);
        if (had_port && needs_health_port(spec) &&
            !is_same_member(spec, old, "healthCheckNodePort"))
                report(checker, FIELD_FORBIDDEN, &at, "healthCheckNodePort", NULL,
                       "field is immutable");
}

/* ---- status ---- */

OWN_RULE(rule_point_mode) {
        static const char *const modes[] = { "Proxy", "VIP", NULL };
        const struct json_node *mode = node_get(value, "ipMode");
        bool has_address = node_get_text(value, "ip").len > 0;

        (void)rule;
        if (!mode && has_address)
                report(checker, FIELD_REQUIRED, at, "ipMode", NULL,
                       "must be specified when `ip` is set");
        else if (mode && !has_address)
                report(checker, FIELD_FORBIDDEN, at, "ipMode", NULL,
                       "may not be specified when `ip` is not set");
        else if (mode && !slice_is(node_get_slice(mode), "Proxy") &&
                 !slice_is(node_get_slice(mode), "VIP"))
                report_choice(checker, at, "ipMode", quoted_json(checker, node_get_slice(mode)),
                              modes);
}

OWN_RULE(rule_point_address) {
        (void)rule;
        check_ip_strict(checker, at, node_get_slice(value), NULL);
}

OWN_RULE(rule_point_host) {
        struct ip_address address;

        (void)rule;
        check_form(checker, at, node_get_slice(value), FORM_SUBDOMAIN);
        if (ip_parse(node_get_slice(value), &address))
                report_text(checker, at, NULL, node_get_slice(value),
                            "must be a DNS name, not an IP address");
}

static const struct rule point_rules[] = {
        { "ip", rule_point_address },
        { NULL, rule_point_mode },
        { "hostname", rule_point_host },
        RULES_END,
};
static const struct rule balancer_rules[] = {
        { "ingress", rule_object, .data = point_rules, .flags = RULE_EACH },
        RULES_END,
};

static void check_service_status(struct checker *checker, const struct json_node *object) {
        const struct json_node *balancer = node_get(node_get(object, "status"), "loadBalancer");
        struct at status = at_root("status"), at = at_member(&status, "loadBalancer");

        if (!is_type(node_get(object, "spec"), "LoadBalancer") &&
            node_count(node_get(balancer, "ingress")) > 0)
                report(checker, FIELD_FORBIDDEN, &at, "ingress", NULL,
                       "may only be used when `spec.type` is 'LoadBalancer'");
        else
                check_rules(checker, &at, balancer, balancer_rules);
}

/* ---- the service ---- */

static const char *const affinities[] = { "ClientIP", "None", NULL };
static const struct rule first_rules[] = {
        { NULL, rule_some_port },
        { NULL, rule_headless_type },
        { NULL, rule_external_name },
        { "ports", rule_ports },
        { "selector", rule_labels },
        { "sessionAffinity", rule_choice, .data = affinities, .flags = RULE_REQUIRED },
        { NULL, rule_affinity },
        RULES_END,
};
static const char *const types[] = { "ClusterIP", "ExternalName", "LoadBalancer", "NodePort",
                                     NULL };
static const struct rule type_rules[] = {
        { "type", rule_choice, .data = types, .flags = RULE_REQUIRED },
        { NULL, rule_no_node_port },
        { NULL, rule_different_ports },
        RULES_END,
};

#define HINTS_ANNOTATION "service.kubernetes.io/topology-aware-hints"
#define MODE_ANNOTATION "service.kubernetes.io/topology-mode"

static void check_topology(struct checker *checker, const struct json_node *object) {
        const struct json_node *annotations = node_get(node_get(object, "metadata"), "annotations");
        const struct json_node *hints = node_get(annotations, HINTS_ANNOTATION);
        const struct json_node *mode = node_get(annotations, MODE_ANNOTATION);
        struct at metadata = at_root("metadata"), list = at_member(&metadata, "annotations");
        struct at place = at_key(&list, SLICE_LITERAL(MODE_ANNOTATION));

        if (hints && mode && !slice_eq(node_get_slice(hints), node_get_slice(mode)))
                report_text(checker, &place, NULL, node_get_slice(mode),
                            "must match annotations[" HINTS_ANNOTATION "] when both are specified");
}

VALIDATE_HOOK(service_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json *old_spec = json_get(old, "spec");
        struct at at = at_root("spec"), external = at_member(&at, "externalIPs");
        struct field_errors first = { .arena = errors->arena, .emptied = errors->emptied };
        struct checker allocation = { .errors = &first, .context = context };

        if (operation == KIND_UPDATE_STATUS) {
                check_service_status(&checker, object);
                return;
        }
        if (!context->subresource.len && !check_service_allocation(&allocation, object, old)) {
                *errors = first; /* upstream allocates before it looks at anything, metadata too */
                return;
        }
        if (old)
                check_service_update(&checker, spec, old_spec);
        check_topology(&checker, object);
        check_rules(&checker, &at, spec, first_rules);
        check_service_addresses(&checker, spec, old_spec);
        check_external_addresses(&checker, &external, node_get(spec, "externalIPs"),
                                 json_get(old_spec, "externalIPs"));
        check_rules(&checker, &at, spec, type_rules);
        check_ranges(&checker, &at, object, old);
        check_balancer(&checker, &at, spec);
        check_traffic(&checker, &at, spec);
}
