/* Validation of Endpoints and EndpointSlices. */
#include "kinds/ip_rules.h"

#include "base/util.h"

static const char *const protocols[] = { "SCTP", "TCP", "UDP", NULL };

OWN_RULE(rule_node_name) {
        (void)rule;
        check_form(checker, at, node_get_slice(value), FORM_SUBDOMAIN);
}

/* ---- Endpoints ---- */

OWN_RULE(rule_legacy_address) {
        struct slice text = node_get_slice(value);

        (void)rule;
        check_ip_strict(checker, at, text, NULL);
}

OWN_RULE(rule_endpoint_address) {
        (void)rule;
        check_endpoint_ip(checker, at, node_get_slice(value));
}

static const struct rule address_rules[] = {
        { "ip", rule_legacy_address, .flags = RULE_ALWAYS },
        { "hostname", rule_form, .low = FORM_LABEL },
        { "nodeName", rule_node_name, .flags = RULE_PRESENT },
        { "ip", rule_endpoint_address, .flags = RULE_ALWAYS },
        RULES_END,
};

#define PORT_RULES                                                                                 \
        { "port", rule_port, .flags = RULE_ALWAYS },                                               \
                { "protocol", rule_choice, .data = protocols, .flags = RULE_REQUIRED },            \
                { "appProtocol", rule_form, .low = FORM_QUALIFIED, .flags = RULE_PRESENT },        \
                RULES_END
static const struct rule one_port_rules[] = { { "name", rule_form, .low = FORM_LABEL },
                                              PORT_RULES };
static const struct rule many_ports_rules[] = {
        { "name", rule_form, .low = FORM_LABEL, .flags = RULE_REQUIRED },
        PORT_RULES,
};

/* Only a port that is alone may have no name. */
OWN_RULE(rule_endpoint_ports) {
        bool is_one = node_count(value) <= 1;

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                struct at place = at_index(at, i);

                check_rules(checker, &place, node_at(value, i),
                            is_one ? one_port_rules : many_ports_rules);
        }
}

OWN_RULE(rule_some_address) {
        (void)rule;
        if (node_count(node_get(value, "addresses")) == 0 &&
            node_count(node_get(value, "notReadyAddresses")) == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "must specify `addresses` or `notReadyAddresses`");
}

static const struct rule subset_rules[] = {
        { NULL, rule_some_address },
        { "addresses", rule_object, .data = address_rules, .flags = RULE_EACH },
        { "notReadyAddresses", rule_object, .data = address_rules, .flags = RULE_EACH },
        { "ports", rule_endpoint_ports },
        RULES_END,
};
static const struct rule endpoints_rules[] = {
        { "subsets", rule_object, .data = subset_rules, .flags = RULE_EACH },
        RULES_END,
};

VALIDATE_HOOK(endpoints_validate) {
        (void)operation;
        if (!old || !is_same_member(object, old, "subsets"))
                check_object(context, object, errors, endpoints_rules);
}

/* ---- EndpointSlices ---- */

#define ENDPOINTS_MAX 1000
#define ADDRESSES_MAX 100
#define PORTS_MAX 20000
#define HINTS_MAX 8
#define TOPOLOGY_MAX 16

/* A domain of two labels or more, with or without a dot at its end. */
static void check_full_domain(struct checker *checker, const struct at *at, struct slice name) {
        struct slice rest = name;

        if (name.len == 0) {
                report(checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
                return;
        }
        if (rest.ptr[rest.len - 1] == '.')
                rest.len--;
        struct text_problems problems = text_problems(checker->errors->arena, FORM_SUBDOMAIN, rest);
        if (problems.count == 1)
                report_text(checker, at, NULL, rest, problems.items[0]);
        else if (problems.count > 1)
                report_text(checker, at, NULL, rest,
                            message_of(checker, "%s,%s", problems.items[0], problems.items[1]));
        else if (!memchr(rest.ptr, '.', rest.len))
                report_text(checker, at, NULL, rest,
                            "should be a domain with at least two segments separated by dots");
}

/* In a slice of addresses of a type. */
static void check_slice_address(struct checker *checker, const struct at *list, size_t index,
                                struct slice text, struct slice type) {
        struct at at = at_index(list, index);
        bool is_six = slice_is(type, "IPv6");
        struct ip_address address;

        if (slice_is(type, "FQDN"))
                check_full_domain(checker, &at, text);
        if (!is_six && !slice_is(type, "IPv4"))
                return;
        if (is_six ? !check_ip_canonical(checker, &at, text)
                   : !check_ip_strict(checker, &at, text, &address))
                return;
        if (!ip_parse(text, &address) || address.is_six != is_six)
                report_text(checker, list, NULL, text,
                            is_six ? "must be an IPv6 address" : "must be an IPv4 address");
        check_endpoint_ip(checker, &at, text);
}

/* checker->subject: the slice. */
OWN_RULE(rule_addresses) {
        struct slice type = node_get_text(checker->subject, "addressType");
        size_t count = node_count(value);

        (void)rule;
        if (count == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, "must contain at least 1 address");
        else if (count > ADDRESSES_MAX)
                report(checker, FIELD_TOO_MANY, at, NULL, message_of(checker, "%zu", count),
                       "must have at most 100 items");
        for (size_t i = 0; i < count; i++)
                check_slice_address(checker, at, i, node_get_slice(node_at(value, i)), type);
}

static const struct rule zone_rules[] = {
        { "name", rule_form, .low = FORM_VALUE },
        RULES_END,
};
static const struct rule hinted_node_rules[] = {
        { "name", rule_node_name, .flags = RULE_ALWAYS },
        RULES_END,
};
static const struct rule hint_rules[] = {
        { "forZones", rule_object, .data = zone_rules, .flags = RULE_EACH | RULE_UNIQUE_MEMBER,
          .unique = "name", .max = HINTS_MAX },
        { "forNodes", rule_object, .data = hinted_node_rules,
          .flags = RULE_EACH | RULE_UNIQUE_MEMBER, .unique = "name", .max = HINTS_MAX },
        RULES_END,
};
static const struct rule endpoint_rules[] = {
        { "addresses", rule_addresses, .flags = RULE_ALWAYS },
        { "nodeName", rule_node_name, .flags = RULE_PRESENT },
        { "deprecatedTopology", rule_labels, .max = TOPOLOGY_MAX },
        { "hostname", rule_form, .low = FORM_LABEL, .flags = RULE_PRESENT },
        { "hints", rule_object, .data = hint_rules },
        RULES_END,
};
static const struct rule slice_port_rules[] = {
        { "protocol", rule_choice, .data = protocols, .flags = RULE_REQUIRED | RULE_PRESENT },
        { "appProtocol", rule_form, .low = FORM_QUALIFIED, .flags = RULE_PRESENT },
        RULES_END,
};

OWN_RULE(rule_slice_ports) {
        CLEANUP(text_set_release) struct text_set names = { 0 };

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                const struct json_node *port = node_at(value, i);
                struct slice name = node_get_text(port, "name");
                struct at place = at_index(at, i), name_place = at_member(&place, "name");

                if (name.len)
                        check_form(checker, &name_place, name, FORM_LABEL);
                if (!text_set_add(&names, name))
                        report(checker, FIELD_DUPLICATE, &name_place, NULL, quoted(checker, name),
                               NULL);
                check_rules(checker, &place, port, slice_port_rules);
        }
}

static const char *const address_types[] = { "FQDN", "IPv4", "IPv6", NULL };
static const struct rule slice_rules[] = {
        { "addressType", rule_choice, .data = address_types, .flags = RULE_REQUIRED },
        { "ports", rule_slice_ports, .max = PORTS_MAX },
        RULES_END,
};
static const struct rule slice_endpoint_rules[] = {
        { "endpoints", rule_object, .data = endpoint_rules, .flags = RULE_EACH,
          .max = ENDPOINTS_MAX },
        RULES_END,
};

VALIDATE_HOOK(endpoint_slice_validate) {
        static const struct frozen frozen[] = { { "addressType", FIELD_INVALID, NULL, NULL } };
        struct checker checker = { .errors = errors, .context = context, .subject = object };

        check_rules(&checker, NULL, object, slice_rules);
        if (!old || !is_same_member(object, old, "endpoints"))
                check_rules(&checker, NULL, object, slice_endpoint_rules);
        if (operation != KIND_CREATE)
                check_frozen_members(&checker, NULL, object, old, frozen, ARRAY_LEN(frozen));
}
