/* Validation of ingresses, network policies and endpoint slices. */
#include "kinds/check.h"

#include "base/util.h"

/* ---- ingresses ---- */

static void check_backend_port(struct checker *checker, const struct at *at,
                               const struct json_node *service) {
        const struct json_node *port = node_get(service, "port");
        struct at inner = at_member(at, "service"), place = at_member(&inner, "port");
        bool has_name = node_get_text(port, "name").len > 0;
        bool has_number = node_get_i64(port, "number", 0) != 0;

        if (has_name && has_number)
                report_text(checker, at, NULL, SLICE_EMPTY,
                            "cannot set both port name & port number");
        else if (has_name || has_number)
                check_port(checker, &place, port, has_name ? "name" : "number");
        else
                report(checker, FIELD_REQUIRED, at, NULL, NULL, "port name or number is required");
}

static void check_backend(struct checker *checker, const struct at *at,
                          const struct json_node *backend) {
        const struct json_node *service = node_get(backend, "service");
        const struct json_node *resource = node_get(backend, "resource");
        struct at place = at_member(at, "service");

        if (service && resource) {
                report_text(checker, at, NULL, SLICE_EMPTY,
                            "cannot set both resource and service backends");
        } else if (service) {
                if (check_required(checker, &place, service, "name"))
                        check_name(checker, &place, service, "name", NAME_LABEL);
                check_backend_port(checker, at, service);
        } else if (!resource) {
                report_text(checker, at, NULL, SLICE_EMPTY,
                            "resource or service backend is required");
        }
}

static void check_path(struct checker *checker, const struct at *at, const struct json_node *path) {
        static const char *const types[] = { "Exact", "ImplementationSpecific", "Prefix", NULL };
        struct slice text = node_get_text(path, "path"), type = node_get_text(path, "pathType");
        bool may_be_empty = slice_is(type, "ImplementationSpecific");
        struct at backend = at_member(at, "backend");

        if (type.len == 0) {
                report(checker, FIELD_REQUIRED, at, "pathType", NULL, "pathType must be specified");
                return;
        }
        if (check_choice(checker, at, path, "pathType", types) &&
            !slice_has_prefix(text, SLICE_LITERAL("/")) && !(may_be_empty && text.len == 0))
                report_text(checker, at, "path", text, "must be an absolute path");
        check_backend(checker, &backend, node_get(path, "backend"));
}

static void check_ingress_rule(struct checker *checker, const struct at *at,
                               const struct json_node *rule) {
        const struct json_node *http = node_get(rule, "http"), *paths = node_get(http, "paths");
        struct slice host = node_get_text(rule, "host");
        struct at place = at_member(at, "http"), list = at_member(&place, "paths");

        if (host.len && !memchr(host.ptr, '*', host.len))
                check_name(checker, at, rule, "host", NAME_SUBDOMAIN);
        if (http && node_count(paths) == 0)
                report(checker, FIELD_REQUIRED, &list, NULL, NULL, NULL);
        for (size_t i = 0; i < node_count(paths); i++) {
                struct at element = at_index(&list, i);

                check_path(checker, &element, node_at(paths, i));
        }
}

VALIDATE_HOOK(ingress_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec"), *rules = node_get(spec, "rules");
        const struct json_node *fallback = node_get(spec, "defaultBackend");
        struct at at = at_root("spec"), list = at_member(&at, "rules");
        struct at backend = at_member(&at, "defaultBackend");

        (void)old;
        if (operation == KIND_UPDATE_STATUS)
                return;
        if (!fallback && node_count(rules) == 0)
                report(&checker, FIELD_INVALID, &at, NULL, "null",
                       "either `defaultBackend` or `rules` must be specified");
        if (fallback)
                check_backend(&checker, &backend, fallback);
        for (size_t i = 0; i < node_count(rules); i++) {
                struct at place = at_index(&list, i);

                check_ingress_rule(&checker, &place, node_at(rules, i));
        }
        check_name(&checker, &at, spec, "ingressClassName", NAME_SUBDOMAIN);
}

VALIDATE_HOOK(ingress_class_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec");

        (void)operation;
        if (old && !is_same_member(spec, json_get(old, "spec"), "controller"))
                report_text(&checker, &at, "controller", node_get_text(spec, "controller"),
                            "field is immutable");
}

/* ---- network policies ---- */

static void check_policy_ports(struct checker *checker, const struct at *at,
                               const struct json_node *rules) {
        static const char *const protocols[] = { "SCTP", "TCP", "UDP", NULL };

        for (size_t i = 0; i < node_count(rules); i++) {
                const struct json_node *ports = node_get(node_at(rules, i), "ports");
                struct at rule = at_index(at, i), list = at_member(&rule, "ports");

                for (size_t j = 0; j < node_count(ports); j++) {
                        struct at place = at_index(&list, j);

                        check_choice(checker, &place, node_at(ports, j), "protocol", protocols);
                        if (node_get(node_at(ports, j), "port"))
                                check_port(checker, &place, node_at(ports, j), "port");
                }
        }
}

VALIDATE_HOOK(network_policy_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct at at = at_root("spec"), selector = at_member(&at, "podSelector");
        struct at ingress = at_member(&at, "ingress"), egress = at_member(&at, "egress");

        (void)operation, (void)old;
        check_label_selector(&checker, &selector, node_get(spec, "podSelector"));
        check_policy_ports(&checker, &ingress, node_get(spec, "ingress"));
        check_policy_ports(&checker, &egress, node_get(spec, "egress"));
}

/* ---- endpoint slices ---- */

VALIDATE_HOOK(endpoint_slice_validate) {
        static const char *const types[] = { "FQDN", "IPv4", "IPv6", NULL };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *endpoints = node_get(object, "endpoints");
        struct at type = at_root("addressType"), list = at_root("endpoints");

        (void)operation;
        if (check_required(&checker, NULL, object, "addressType"))
                check_choice(&checker, NULL, object, "addressType", types);
        for (size_t i = 0; i < node_count(endpoints); i++) {
                struct at place = at_index(&list, i);

                if (node_count(node_get(node_at(endpoints, i), "addresses")) == 0)
                        report(&checker, FIELD_REQUIRED, &place, "addresses", NULL,
                               "must contain at least 1 address");
        }
        if (old && !is_same_member(object, old, "addressType"))
                report_text(&checker, &type, NULL, node_get_text(object, "addressType"),
                            "field is immutable");
}
