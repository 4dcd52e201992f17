/* Validation of group networking.k8s.io. */
#include "kinds/ip_rules.h"

#include "base/util.h"

/* A host: no address, and a wildcard when it has a star. */
static void check_host(struct checker *checker, const struct at *at, struct slice host) {
        bool has_star = host.len && memchr(host.ptr, '*', host.len);

        check_form(checker, at, host, has_star ? FORM_WILDCARD : FORM_SUBDOMAIN);
}

static void check_no_address(struct checker *checker, const struct at *at, struct slice host) {
        struct ip_address address;

        if (ip_parse(host, &address))
                report_text(checker, at, NULL, host, "must be a DNS name, not an IP address");
}

/* ---- references ---- */

#define REFERENCE_RULES                                                                            \
        { "kind", rule_form, .low = FORM_SEGMENT, .flags = RULE_REQUIRED }, {                      \
                "name", rule_form, .low = FORM_SEGMENT, .flags = RULE_REQUIRED                     \
        }

static const struct rule resource_rules[] = {
        { "apiGroup", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_PRESENT },
        REFERENCE_RULES,
        RULES_END,
};

/* ---- backends of ingresses ---- */

static const struct rule service_name_rules[] = {
        { "name", rule_form, .low = FORM_LABEL, .flags = RULE_REQUIRED },
        RULES_END,
};
static const struct rule port_name_rules[] = {
        { "name", rule_form, .low = FORM_PORT_NAME },
        RULES_END,
};
static const struct rule port_number_rules[] = {
        { "number", rule_port },
        RULES_END,
};

static void check_service_backend(struct checker *checker, const struct at *at,
                                  const struct json_node *service) {
        const struct json_node *port = node_get(service, "port");
        struct at inner = at_member(at, "service"), place = at_member(&inner, "port");
        bool has_name = node_get_text(port, "name").len > 0;
        bool has_number = node_get_i64(port, "number", 0) != 0;

        check_rules(checker, &inner, service, service_name_rules);
        if (has_name && has_number)
                report_text(checker, at, NULL, SLICE_EMPTY,
                            "cannot set both port name & port number");
        else if (has_name || has_number)
                check_rules(checker, &place, port, has_name ? port_name_rules : port_number_rules);
        else
                report(checker, FIELD_REQUIRED, at, NULL, NULL, "port name or number is required");
}

OWN_RULE(rule_backend) {
        const struct json_node *service = node_get(value, "service");
        const struct json_node *resource = node_get(value, "resource");
        struct at place = at_member(at, "resource");

        (void)rule;
        if (service && resource)
                report_text(checker, at, NULL, SLICE_EMPTY,
                            "cannot set both resource and service backends");
        else if (resource)
                check_rules(checker, &place, resource, resource_rules);
        else if (service)
                check_service_backend(checker, at, service);
        else
                report_text(checker, at, NULL, SLICE_EMPTY,
                            "resource or service backend is required");
}

/* ---- paths of ingresses ---- */

static void check_absolute(struct checker *checker, const struct at *at, struct slice path) {
        if (!slice_has_prefix(path, SLICE_LITERAL("/")))
                report_text(checker, at, "path", path, "must be an absolute path");
}

static bool has_suffix(struct slice text, const char *suffix) {
        size_t length = strlen(suffix);

        return text.len >= length && memcmp(text.ptr + text.len - length, suffix, length) == 0;
}

static void check_matched_path(struct checker *checker, const struct at *at, struct slice path) {
        static const char *const parts[] = { "//", "/./", "/../", "%2f", "%2F" };
        static const char *const ends[] = { "/..", "/." };

        check_absolute(checker, at, path);
        for (size_t i = 0; i < ARRAY_LEN(parts); i++)
                if (slice_contains(path, slice_of(parts[i])))
                        report_text(checker, at, "path", path,
                                    message_of(checker, "must not contain '%s'", parts[i]));
        for (size_t i = 0; i < ARRAY_LEN(ends); i++)
                if (has_suffix(path, ends[i]))
                        report_text(checker, at, "path", path,
                                    message_of(checker, "cannot end with '%s'", ends[i]));
}

OWN_RULE(rule_path) {
        static const char *const types[] = { "Exact", "ImplementationSpecific", "Prefix", NULL };
        const struct json_node *type = node_get(value, "pathType");
        struct slice path = node_get_text(value, "path");
        struct at backend = at_member(at, "backend");

        if (node_type(type) != JSON_STRING) {
                report(checker, FIELD_REQUIRED, at, "pathType", NULL, "pathType must be specified");
                return;
        }
        if (slice_is(node_get_slice(type), "Exact") || slice_is(node_get_slice(type), "Prefix"))
                check_matched_path(checker, at, path);
        else if (!slice_is(node_get_slice(type), "ImplementationSpecific"))
                report_choice(checker, at, "pathType", quoted_json(checker, node_get_slice(type)),
                              types);
        else if (path.len)
                check_absolute(checker, at, path);
        rule_backend(checker, &backend, node_get(value, "backend"), rule);
}

OWN_RULE(rule_ingress_host) {
        (void)rule;
        check_no_address(checker, at, node_get_slice(value));
        check_host(checker, at, node_get_slice(value));
}

static const struct rule http_rules[] = {
        { "paths", rule_path, .flags = RULE_REQUIRED | RULE_EACH },
        RULES_END,
};
static const struct rule ingress_rule_rules[] = {
        { "host", rule_ingress_host },
        { "http", rule_object, .data = http_rules, .flags = RULE_PRESENT },
        RULES_END,
};

/* ---- ingresses ---- */

OWN_RULE(rule_tls_host) {
        (void)rule;
        check_host(checker, at, node_get_slice(value));
}

OWN_RULE(rule_some_backend) {
        (void)rule;
        struct at rules = at_member(at, "rules");

        if (!node_get(value, "defaultBackend") && node_count(node_get(value, "rules")) == 0)
                report_as_is(checker, FIELD_INVALID, at,
                             is_emptied(checker, &rules) ? "[]" : "null",
                             "either `defaultBackend` or `rules` must be specified");
}

static const struct rule tls_rules[] = {
        { "hosts", rule_tls_host, .flags = RULE_EACH },
        { "secretName", rule_form, .low = FORM_SUBDOMAIN },
        RULES_END,
};
static const struct rule ingress_spec_rules[] = {
        { NULL, rule_some_backend },
        { "defaultBackend", rule_backend, .flags = RULE_PRESENT },
        { "rules", rule_object, .data = ingress_rule_rules, .flags = RULE_EACH },
        { "tls", rule_object, .data = tls_rules, .flags = RULE_EACH },
        { "ingressClassName", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_PRESENT },
        RULES_END,
};

OWN_RULE(rule_ingress_point) {
        struct slice address = node_get_text(value, "ip"), name = node_get_text(value, "hostname");
        struct at place = at_member(at, "ip"), host = at_member(at, "hostname");

        (void)rule;
        if (address.len)
                check_ip_strict(checker, &place, address, NULL);
        if (name.len == 0)
                return;
        check_form(checker, &host, name, FORM_SUBDOMAIN);
        check_no_address(checker, &host, name);
}

static const struct rule balancer_rules[] = {
        { "ingress", rule_ingress_point, .flags = RULE_EACH },
        RULES_END,
};
static const struct rule ingress_status_rules[] = {
        { "loadBalancer", rule_object, .data = balancer_rules },
        RULES_END,
};

#define CLASS_ANNOTATION "kubernetes.io/ingress.class"

VALIDATE_HOOK(ingress_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *annotations = node_get(node_get(object, "metadata"), "annotations");
        struct slice name = node_get_text(spec, "ingressClassName");
        struct slice annotation = node_get_text(annotations, CLASS_ANNOTATION);
        struct at at = at_root("spec"), status = at_root("status"), list = at_root("annotations");

        (void)old;
        if (operation == KIND_UPDATE_STATUS) {
                check_rules(&checker, &status, node_get(object, "status"), ingress_status_rules);
                return;
        }
        check_rules(&checker, &at, spec, ingress_spec_rules);
        if (operation == KIND_CREATE && node_get(annotations, CLASS_ANNOTATION) &&
            node_get(spec, "ingressClassName") && !slice_eq(name, annotation))
                report_text(&checker, &list, CLASS_ANNOTATION, annotation,
                            "must match `ingressClassName` when both are specified");
}

/* ---- ingress classes ---- */

/* A domain and a path of URLs. */
static bool is_path_char(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               (c && strchr("/-._~%!$&'()*+,;=:", c));
}

OWN_RULE(rule_controller) {
        struct slice text = node_get_slice(value), host = text, path = SLICE_EMPTY;
        const char *slash = text.len ? memchr(text.ptr, '/', text.len) : NULL;
        bool is_good = true;

        rule_length(checker, at, value, rule);
        if (slash) {
                host.len = (size_t)(slash - text.ptr);
                path = slice_make(slash + 1, text.len - host.len - 1);
        }
        if (host.len == 0 || path.len == 0) {
                report_text(checker, at, NULL, text,
                            "must be a domain-prefixed path (such as \"acme.io/foo\")");
                return;
        }
        check_form(checker, at, host, FORM_SUBDOMAIN);
        for (size_t i = 0; i < path.len; i++)
                is_good &= is_path_char(path.ptr[i]);
        if (!is_good)
                report_text(checker, at, NULL, path,
                            "Invalid path (regex used for validation is "
                            "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
}

OWN_RULE(rule_scope_namespace) {
        static const char *const scopes[] = { "Cluster", "Namespace", NULL };
        const struct json_node *scope = node_get(value, "scope"),
                               *ns = node_get(value, "namespace");
        struct at place = at_member(at, "namespace");

        (void)rule;
        if (!scope) {
                report(checker, FIELD_REQUIRED, at, "scope", NULL, NULL);
        } else if (slice_is(node_get_slice(scope), "Namespace")) {
                if (!ns)
                        report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                               "`parameters.scope` is set to 'Namespace'");
                else
                        check_form(checker, &place, node_get_slice(ns), FORM_LABEL);
        } else if (!slice_is(node_get_slice(scope), "Cluster")) {
                report_choice(checker, at, "scope", quoted_json(checker, node_get_slice(scope)),
                              scopes);
        } else if (ns) {
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                       "`parameters.scope` is set to 'Cluster'");
        }
}

static const struct rule parameter_rules[] = {
        { "apiGroup", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_PRESENT },
        REFERENCE_RULES,
        { NULL, rule_scope_namespace },
        RULES_END,
};
#define CONTROLLER_MAX 250
static const struct rule class_spec_rules[] = {
        { "controller", rule_controller, .high = CONTROLLER_MAX, .flags = RULE_REQUIRED },
        { "parameters", rule_object, .data = parameter_rules, .flags = RULE_PRESENT },
        RULES_END,
};
static const struct rule ingress_class_rules[] = {
        { "spec", rule_object, .data = class_spec_rules, .flags = RULE_ALWAYS },
        RULES_END,
};

VALIDATE_HOOK(ingress_class_validate) {
        static const struct frozen frozen[] = { { "controller", FIELD_INVALID, NULL, NULL,
                                                  "\"\"" } };
        struct checker checker = { .errors = errors, .context = context };
        struct at at = at_root("spec");

        if (operation != KIND_CREATE)
                check_frozen_members(&checker, &at, node_get(object, "spec"), json_get(old, "spec"),
                                     frozen, ARRAY_LEN(frozen));
        check_rules(&checker, NULL, object, ingress_class_rules);
}

/* ---- network policies ---- */

OWN_RULE(rule_policy_port) {
        const struct json_node *port = node_get(value, "port"), *end = node_get(value, "endPort");
        int64_t first = node_get_i64(value, "port", 0), last = node_get_i64(value, "endPort", 0);
        struct at place = at_member(at, "endPort"), port_place = at_member(at, "port");
        bool is_named = node_type(port) == JSON_STRING;

        if (!port || is_named) {
                if (end)
                        report_number(checker, &place, NULL, last,
                                      is_named ? "may not be specified when `port` is non-numeric"
                                               : "may not be specified when `port` is not "
                                                 "specified");
                if (port)
                        rule_port_or_name(checker, &port_place, port, rule);
                return;
        }
        rule_port(checker, &port_place, port, rule);
        if (end && last < first)
                report_number(checker, &place, NULL, first,
                              "must be greater than or equal to `port`");
        if (end)
                rule_port(checker, &place, end, rule);
}

static const char *const policy_protocols[] = { "TCP", "UDP", "SCTP", NULL };
static const struct rule policy_port_rules[] = {
        { "protocol", rule_choice, .data = policy_protocols, .flags = RULE_PRESENT },
        { NULL, rule_policy_port },
        RULES_END,
};

/* Strictly inside the block. */
static bool is_part_of(const struct ip_network *block, const struct ip_network *part) {
        struct ip_address first = ip_network_first(part);

        return ip_network_has(block, &first) && block->bits < part->bits;
}

OWN_RULE(rule_ip_block) {
        struct slice cidr = node_get_text(value, "cidr");
        const struct json_node *except = node_get(value, "except");
        struct at place = at_member(at, "cidr"), list = at_member(at, "except");
        struct ip_network block, part;

        (void)rule;
        if (cidr.len == 0) {
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                return;
        }
        check_cidr_strict(checker, &place, cidr, &block);
        if (!ip_network_parse(cidr, &block))
                return;
        for (size_t i = 0; i < node_count(except); i++) {
                struct slice text = node_get_slice(node_at(except, i));
                struct at element = at_index(&list, i);

                check_cidr_strict(checker, &element, text, &part);
                if (ip_network_parse(text, &part) && !is_part_of(&block, &part))
                        report_text(checker, &element, NULL, text,
                                    "must be a strict subset of `cidr`");
        }
}

OWN_RULE(rule_peer_count) {
        bool has_block = node_get(value, "ipBlock");
        size_t count = (size_t)has_block + !!node_get(value, "podSelector") +
                       !!node_get(value, "namespaceSelector");

        (void)rule;
        if (count == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, "must specify a peer");
        else if (count > 1 && has_block)
                report(checker, FIELD_FORBIDDEN, at, NULL, NULL,
                       "may not specify both ipBlock and another peer");
}

static const struct rule peer_rules[] = {
        { "podSelector", rule_label_selector },
        { "namespaceSelector", rule_label_selector },
        { "ipBlock", rule_ip_block, .flags = RULE_PRESENT },
        { NULL, rule_peer_count },
        RULES_END,
};
static const struct rule policy_ingress_rules[] = {
        { "ports", rule_object, .data = policy_port_rules, .flags = RULE_EACH },
        { "from", rule_object, .data = peer_rules, .flags = RULE_EACH },
        RULES_END,
};
static const struct rule policy_egress_rules[] = {
        { "ports", rule_object, .data = policy_port_rules, .flags = RULE_EACH },
        { "to", rule_object, .data = peer_rules, .flags = RULE_EACH },
        RULES_END,
};
static const char *const policy_types[] = { "Ingress", "Egress", NULL };
static const struct rule policy_type_rule = { NULL, rule_choice, .data = policy_types };

OWN_RULE(rule_policy_types) {
        (void)rule;
        if (node_count(value) > 2) {
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, value),
                       "may not specify more than two policyTypes");
                return;
        }
        for (size_t i = 0; i < node_count(value); i++) {
                struct at place = at_index(at, i);

                rule_choice(checker, &place, node_at(value, i), &policy_type_rule);
        }
}

static const struct rule policy_spec_rules[] = {
        { "podSelector", rule_label_selector },
        { "ingress", rule_object, .data = policy_ingress_rules, .flags = RULE_EACH },
        { "egress", rule_object, .data = policy_egress_rules, .flags = RULE_EACH },
        { "policyTypes", rule_policy_types },
        RULES_END,
};
static const struct rule network_policy_rules[] = {
        { "spec", rule_object, .data = policy_spec_rules },
        RULES_END,
};

VALIDATE_HOOK(network_policy_validate) {
        (void)operation, (void)old;
        check_object(context, object, errors, network_policy_rules);
}

/* ---- addresses and ranges of services ---- */

static const struct rule parent_rules[] = {
        { "group", rule_form, .low = FORM_SUBDOMAIN },
        { "resource", rule_form, .low = FORM_SEGMENT, .flags = RULE_REQUIRED },
        { "name", rule_form, .low = FORM_SEGMENT, .flags = RULE_REQUIRED },
        { "namespace", rule_form, .low = FORM_SEGMENT },
        RULES_END,
};

VALIDATE_HOOK(ip_address_validate) {
        static const struct frozen frozen[] = { { "parentRef", FIELD_INVALID, NULL, NULL } };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json_node *parent = node_get(spec, "parentRef");
        struct at at = at_root("spec"), place = at_member(&at, "parentRef");

        if (operation != KIND_CREATE)
                check_frozen_members(&checker, &at, spec, json_get(old, "spec"), frozen,
                                     ARRAY_LEN(frozen));
        else if (!parent)
                report(&checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        else
                check_rules(&checker, &place, parent, parent_rules);
}

static void check_service_ranges(struct checker *checker, const struct at *at,
                                 const struct json_node *cidrs) {
        struct ip_network networks[2] = { 0 };
        size_t count = node_count(cidrs), good = 0;

        if (count == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, "at least one CIDR required");
        if (count > 2)
                report(checker, FIELD_INVALID, at, NULL,
                       message_of(checker, "{\"CIDRs\":%s}", node_json(checker, cidrs)),
                       "may only hold up to 2 values");
        for (size_t i = 0; count <= 2 && i < count; i++) {
                struct at place = at_index(at, i);

                check_cidr_canonical(checker, &place, node_get_slice(node_at(cidrs, i)),
                                     &networks[i]);
                good += ip_network_parse(node_get_slice(node_at(cidrs, i)), &networks[i]);
        }
        if (count == 2 && good == 2 && networks[0].address.is_six == networks[1].address.is_six)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, cidrs),
                       "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 "
                       "and 2001:db8::/64");
}

static bool is_same_text(const struct json_node *list, const struct json *old, size_t index) {
        return slice_eq(node_get_slice(node_at(list, index)), json_text(json_at(old, index)));
}

VALIDATE_HOOK(service_cidr_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *cidrs = node_get(node_get(object, "spec"), "cidrs");
        const struct json *before = json_get(json_get(old, "spec"), "cidrs");
        size_t count = node_count(cidrs);
        struct at spec = at_root("spec"), at = at_member(&spec, "cidrs");

        if (operation == KIND_UPDATE_STATUS)
                return;
        if (operation == KIND_CREATE) {
                check_service_ranges(&checker, &at, cidrs);
                return;
        }
        bool has_more = json_count(before) == 1 && count == 2;
        if (count != json_count(before) && !has_more) {
                report(&checker, FIELD_INVALID, &at, NULL, node_json(&checker, cidrs),
                       "field is immutable");
                return;
        }
        for (size_t i = 0; i < json_count(before); i++) {
                struct at place = at_index(&at, i);

                if (!is_same_text(cidrs, before, i))
                        report_text(&checker, &place, NULL, node_get_slice(node_at(cidrs, i)),
                                    "field is immutable");
        }
        if (has_more)
                check_service_ranges(&checker, &at, cidrs);
}
