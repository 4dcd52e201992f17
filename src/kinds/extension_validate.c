/* Validation of flow control and of aggregated API servers. */
#include "kinds/rules.h"

#include "base/arena.h"
#include "base/go_quote.h"
#include "base/util.h"

/* ---- lists of words, with "*" for all ---- */

static bool has_word(const struct json_node *list, const char *word) {
        for (size_t i = 0; i < node_count(list); i++)
                if (slice_is(node_get_slice(node_at(list, i)), word))
                        return true;
        return false;
}

/* data: what the words are, for the message. */
OWN_RULE(rule_all_alone) {
        if (node_count(value) > 1 && has_word(value, "*"))
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, value),
                       message_of(checker, "if '*' is present, must not specify other %s",
                                  (const char *)rule->data));
}

static const char *const verbs[] = { "create", "delete", "deletecollection", "get",   "list",
                                     "patch",  "proxy",  "update",           "watch", NULL };

OWN_RULE(rule_verbs) {
        const struct rule alone = { .data = "verbs" };
        bool is_known = true;

        (void)rule;
        if (has_word(value, "*")) {
                rule_all_alone(checker, at, value, &alone);
                return;
        }
        for (size_t i = 0; i < node_count(value); i++) {
                bool is_one = false;

                for (size_t j = 0; verbs[j]; j++)
                        is_one |= slice_is(node_get_slice(node_at(value, i)), verbs[j]);
                is_known &= is_one;
        }
        if (!is_known)
                report_choice(checker, at, NULL, node_json(checker, value), verbs);
}

/* ---- rules of flow schemas ---- */

static const char *url_problem(struct slice path) {
        size_t stars = 0;

        if (path.len == 0)
                return "must not be empty";
        if (path.ptr[0] != '/')
                return "must start with slash";
        if (memchr(path.ptr, ' ', path.len))
                return "must not contain white-space";
        if (slice_contains(path, SLICE_LITERAL("//")))
                return "must not contain double slash";
        for (size_t i = 0; i < path.len; i++)
                stars += path.ptr[i] == '*';
        if (stars > 1 || (stars == 1 && !(path.len > 1 && path.ptr[path.len - 1] == '*' &&
                                          path.ptr[path.len - 2] == '/')))
                return "wildcard can only do suffix matching";
        return NULL;
}

OWN_RULE(rule_urls) {
        const struct rule alone = { .data = "non-resource URLs" };

        (void)rule;
        if (has_word(value, "*")) {
                rule_all_alone(checker, at, value, &alone);
                return;
        }
        for (size_t i = 0; i < node_count(value); i++) {
                struct slice path = node_get_slice(node_at(value, i));
                struct at place = at_index(at, i);

                if (url_problem(path))
                        report_text(checker, &place, NULL, path, url_problem(path));
        }
}

OWN_RULE(rule_namespaces) {
        const struct json_node *list = node_get(value, "namespaces");
        const struct rule alone = { .data = "namespaces" };
        struct at at_list = at_member(at, "namespaces");

        (void)rule;
        if (node_count(list) == 0 && !node_is_true(node_get(value, "clusterScope")))
                report(checker, FIELD_REQUIRED, &at_list, NULL, NULL,
                       "resource rules that are not cluster scoped must supply at least one "
                       "namespace");
        if (has_word(list, "*")) {
                rule_all_alone(checker, &at_list, list, &alone);
                return;
        }
        for (size_t i = 0; i < node_count(list); i++) {
                struct slice ns = node_get_slice(node_at(list, i));
                struct text_problems problems =
                        text_problems(checker->errors->arena, FORM_LABEL, ns);
                struct at place = at_index(&at_list, i);

                for (size_t j = 0; j < problems.count; j++)
                        report(checker, FIELD_INVALID, &place, NULL, quoted(checker, ns),
                               message_of(checker,
                                          "each member of this list must be '*' or a DNS-1123 "
                                          "label; %s",
                                          problems.items[j]));
        }
}

#define VERBS                                                                                      \
        {                                                                                          \
                "verbs", rule_verbs, .flags = RULE_REQUIRED,                                       \
                                     .text = "verbs must contain at least one value"               \
        }
static const struct rule resource_rule_rules[] = {
        VERBS,
        { "apiGroups", rule_all_alone, .data = "api groups", .flags = RULE_REQUIRED,
          .text = "resource rules must supply at least one api group" },
        { "resources", rule_all_alone, .data = "resources", .flags = RULE_REQUIRED,
          .text = "resource rules must supply at least one resource" },
        { NULL, rule_namespaces },
        RULES_END,
};
static const struct rule url_rule_rules[] = {
        VERBS,
        { "nonResourceURLs", rule_urls, .flags = RULE_REQUIRED,
          .text = "nonResourceURLs must contain at least one value" },
        RULES_END,
};

/* ---- subjects ---- */

OWN_RULE(rule_account_name) {
        (void)rule;
        if (!slice_is(node_get_slice(value), "*"))
                check_form(checker, at, node_get_slice(value), FORM_SUBDOMAIN);
}

static const struct rule account_rules[] = {
        { "name", rule_account_name, .flags = RULE_REQUIRED },
        { "namespace", rule_form, .low = FORM_LABEL, .flags = RULE_REQUIRED,
          .text = "must specify namespace for service account" },
        RULES_END,
};
static const struct rule named_rules[] = {
        { "name", rule_present, .flags = RULE_REQUIRED },
        RULES_END,
};
static const char *const subject_kinds[] = { "Group", "ServiceAccount", "User", NULL };
/* A subject has the member of its kind and none of the others. */
static const struct {
        const char *kind, *member;
        const struct rule *rules;
} subjects[] = {
        { "ServiceAccount", "serviceAccount", account_rules },
        { "User", "user", named_rules },
        { "Group", "group", named_rules },
};

static void check_subject_members(struct checker *checker, const struct at *at,
                                  const struct json_node *subject, size_t own) {
        const struct json_node *value = node_get(subject, subjects[own].member);
        struct at place = at_member(at, subjects[own].member);

        if (value)
                check_rules(checker, &place, value, subjects[own].rules);
        else
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       message_of(checker, "%s is required when subject kind is '%s'",
                                  subjects[own].member, subjects[own].kind));
        for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
                if (i != own && node_get(subject, subjects[i].member))
                        report(checker, FIELD_FORBIDDEN, at, subjects[i].member, NULL,
                               message_of(checker, "%s is forbidden when subject kind is not '%s'",
                                          subjects[i].member, subjects[i].kind));
}

OWN_RULE(rule_subject) {
        struct slice kind = node_get_text(value, "kind");

        (void)rule;
        for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
                if (slice_is(kind, subjects[i].kind)) {
                        check_subject_members(checker, at, value, i);
                        return;
                }
        report_choice(checker, at, "kind", quoted_json(checker, kind), subject_kinds);
}

OWN_RULE(rule_some_rule) {
        (void)rule;
        if (node_count(node_get(value, "resourceRules")) == 0 &&
            node_count(node_get(value, "nonResourceRules")) == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "at least one of resourceRules and nonResourceRules has to be non-empty");
}

static const struct rule flow_rule_rules[] = {
        { "subjects", rule_subject, .flags = RULE_REQUIRED | RULE_EACH,
          .text = "subjects must contain at least one value" },
        { NULL, rule_some_rule },
        { "resourceRules", rule_object, .data = resource_rule_rules, .flags = RULE_EACH },
        { "nonResourceRules", rule_object, .data = url_rule_rules, .flags = RULE_EACH },
        RULES_END,
};

/* ---- flow schemas ---- */

#define PRECEDENCE_MAX 10000

OWN_RULE(rule_precedence) {
        int64_t number = 0;

        (void)rule;
        node_as_i64(value, &number);
        if (number <= 0)
                report_number(checker, at, NULL, number, "must be a positive value");
        if (number > PRECEDENCE_MAX)
                report_number(checker, at, NULL, number, "must not be greater than 10000");
        if (number == 1 && !slice_is(node_get_text(checker->subject, "name"), "exempt"))
                report_number(checker, at, NULL, number,
                              "only the schema named 'exempt' may have matchingPrecedence 1");
}

OWN_RULE(rule_distinguisher) {
        static const char *const types[] = { "ByNamespace", "ByUser", NULL };
        struct slice type = node_get_text(value, "type");

        (void)rule;
        if (!slice_is(type, types[0]) && !slice_is(type, types[1]))
                report_choice(checker, at, "type",
                              message_of(checker, "{\"Type\":%s}", quoted_json(checker, type)),
                              types);
}

static const struct rule level_name_rules[] = {
        { "name", rule_form, .low = FORM_SUBDOMAIN, .flags = RULE_REQUIRED,
          .text = "must reference a priority level" },
        RULES_END,
};
static const struct rule flow_spec_rules[] = {
        { "matchingPrecedence", rule_precedence, .flags = RULE_ALWAYS },
        { "distinguisherMethod", rule_distinguisher },
        { "priorityLevelConfiguration", rule_object, .data = level_name_rules,
          .flags = RULE_ALWAYS },
        { "rules", rule_object, .data = flow_rule_rules, .flags = RULE_EACH },
        RULES_END,
};
static const struct rule condition_type_rules[] = {
        { "type", rule_present, .flags = RULE_REQUIRED },
        RULES_END,
};
static const struct rule flow_status_rules[] = {
        { "conditions", rule_object, .data = condition_type_rules,
          .flags = RULE_EACH | RULE_UNIQUE_MEMBER, .unique = "type" },
        RULES_END,
};
static const struct rule flow_schema_rules[] = {
        { "spec", rule_object, .data = flow_spec_rules, .flags = RULE_ALWAYS },
        { "status", rule_object, .data = flow_status_rules },
        RULES_END,
};
static const struct rule status_rules[] = {
        { "status", rule_object, .data = flow_status_rules },
        RULES_END,
};

VALIDATE_HOOK(flow_schema_validate) {
        struct checker checker = { .errors = errors,
                                   .context = context,
                                   .subject = node_get(object, "metadata") };

        (void)old;
        check_rules(&checker, NULL, object,
                    operation == KIND_UPDATE_STATUS ? status_rules : flow_schema_rules);
}

/* ---- priority levels ---- */

#define QUEUES_MAX 10000000
#define HASH_BITS 60

/* Bits that dealing a hand takes from a hash. */
static unsigned entropy_bits(int64_t queues, int64_t hand) {
        double cards = 1;

        for (int64_t i = 0; i < hand && cards < 1e30; i++)
                cards *= (double)(queues - i);
        unsigned bits = 0;
        for (double rest = cards; rest > 1; rest /= 2)
                bits++;
        return bits;
}

OWN_RULE(rule_queuing) {
        int64_t queues = node_get_i64(value, "queues", 0),
                hand = node_get_i64(value, "handSize", 0);
        int64_t length = node_get_i64(value, "queueLengthLimit", 0);

        (void)rule;
        if (length <= 0)
                report_number(checker, at, "queueLengthLimit", length, "must be positive");
        if (queues <= 0)
                report_number(checker, at, "queues", queues, "must be positive");
        else if (queues > QUEUES_MAX)
                report_number(checker, at, "queues", queues, "must not be greater than 10000000");
        if (hand <= 0)
                report_number(checker, at, "handSize", hand, "must be positive");
        else if (hand > queues)
                report_number(checker, at, "handSize", hand,
                              message_of(checker, "should not be greater than queues (%lld)",
                                         (long long)queues));
        else if (entropy_bits(queues, hand) > HASH_BITS)
                report_number(checker, at, "handSize", hand,
                              message_of(checker,
                                         "required entropy bits of deckSize %lld and handSize %lld "
                                         "should not be greater than 60",
                                         (long long)queues, (long long)hand));
}

OWN_RULE(rule_limit_response) {
        static const char *const types[] = { "Queue", "Reject", NULL };
        const struct json_node *queuing = node_get(value, "queuing");
        struct slice type = node_get_text(value, "type");
        struct at place = at_member(at, "queuing");

        if (slice_is(type, "Reject")) {
                if (queuing)
                        report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                               "must be nil if limited.limitResponse.type is not Limited");
        } else if (!slice_is(type, "Queue")) {
                report_choice(checker, at, "type", quoted_json(checker, type), types);
        } else if (!queuing) {
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       "must not be empty if limited.limitResponse.type is Limited");
        } else {
                rule_queuing(checker, &place, queuing, rule);
        }
}

#define SHARES(name, words)                                                                        \
        { name, rule_range, .low = 0, .high = INT64_MAX, .text = words }
static const struct rule limited_rules[] = {
        SHARES("nominalConcurrencyShares", "must be a non-negative integer"),
        { "limitResponse", rule_limit_response, .flags = RULE_ALWAYS },
        { "lendablePercent", rule_range, .low = 0, .high = 100,
          .text = "must be between 0 and 100, inclusive" },
        SHARES("borrowingLimitPercent", "if specified, must be a non-negative integer"),
        RULES_END,
};
static const struct rule exempt_rules[] = {
        SHARES("nominalConcurrencyShares", "must be a non-negative integer"),
        { "lendablePercent", rule_range, .low = 0, .high = 100,
          .text = "must be between 0 and 100, inclusive" },
        RULES_END,
};

static void check_limited(struct checker *checker, const struct at *at,
                          const struct json_node *spec) {
        const struct json_node *limited = node_get(spec, "limited");
        struct at place = at_member(at, "limited");

        if (node_get(spec, "exempt"))
                report(checker, FIELD_FORBIDDEN, at, "exempt", NULL,
                       "must be nil if the type is Limited");
        if (limited)
                check_rules(checker, &place, limited, limited_rules);
        else
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       "must not be empty when type is Limited");
}

VALIDATE_HOOK(priority_level_configuration_validate) {
        static const char *const types[] = { "Exempt", "Limited", NULL };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        struct slice name = node_get_text(node_get(object, "metadata"), "name");
        struct slice type = node_get_text(spec, "type");
        struct at at = at_root("spec"), exempt = at_member(&at, "exempt");

        (void)old;
        if (operation == KIND_UPDATE_STATUS) {
                check_rules(&checker, NULL, object, status_rules);
                return;
        }
        if (slice_is(name, "exempt") != slice_is(type, "Exempt"))
                report_text(&checker, &at, "type", type,
                            "must be 'Exempt' if and only if `name` is 'exempt'");
        if (slice_is(type, "Limited")) {
                check_limited(&checker, &at, spec);
        } else if (!slice_is(type, "Exempt")) {
                report_choice(&checker, &at, "type", quoted_json(&checker, type), types);
        } else {
                if (node_get(spec, "limited"))
                        report(&checker, FIELD_FORBIDDEN, &at, "limited", NULL,
                               "must be nil if the type is not Limited");
                if (node_get(spec, "exempt"))
                        check_rules(&checker, &exempt, node_get(spec, "exempt"), exempt_rules);
        }
        check_rules(&checker, NULL, object, status_rules);
}

/* ---- API services ---- */

OWN_RULE(rule_service_port) {
        int64_t port = 0;

        (void)rule;
        node_as_i64(value, &port);
        if (port < 1 || port > 65535)
                report_number(checker, at, NULL, port,
                              "port is not valid: must be between 1 and 65535, inclusive");
}

static const struct rule service_rules[] = {
        { "namespace", rule_present, .flags = RULE_REQUIRED },
        { "name", rule_present, .flags = RULE_REQUIRED },
        { "port", rule_service_port },
        RULES_END,
};

OWN_RULE(rule_service_trust) {
        const struct json_node *service = node_get(value, "service");
        struct slice bundle = node_get_text(value, "caBundle");
        bool is_careless = node_is_true(node_get(value, "insecureSkipTLSVerify"));
        struct at place = at_member(at, "service");

        (void)rule;
        if (service)
                check_rules(checker, &place, service, service_rules);
        if (!service && bundle.len)
                report_text(checker, at, "caBundle",
                            slice_of(message_of(checker, "%zu bytes", bundle.len / 4 * 3)),
                            "local APIServices may not have a caBundle");
        if (is_careless && (!service || bundle.len))
                report(checker, FIELD_INVALID, at, "insecureSkipTLSVerify", "true",
                       service ? "may not be true if caBundle is present"
                               : "local APIServices may not have insecureSkipTLSVerify");
}

OWN_RULE(rule_service_group) {
        struct slice group = node_get_text(value, "group");
        struct at place = at_member(at, "group");

        (void)rule;
        if (group.len)
                check_form(checker, &place, group, FORM_SUBDOMAIN);
        else if (!slice_is(node_get_text(value, "version"), "v1"))
                report(checker, FIELD_REQUIRED, &place, NULL, NULL,
                       "only v1 may have an empty group and it better be legacy kube");
}

static const struct rule api_service_rules[] = {
        { NULL, rule_service_group },
        { "version", rule_form, .low = FORM_LABEL_1035, .flags = RULE_ALWAYS },
        { "groupPriorityMinimum", rule_range, .low = 1, .high = 20000, .flags = RULE_ALWAYS,
          .text = "must be positive and less than 20000" },
        { "versionPriority", rule_range, .low = 1, .high = 1000, .flags = RULE_ALWAYS,
          .text = "must be positive and less than 1000" },
        { NULL, rule_service_trust },
        RULES_END,
};

static const char *const condition_states[] = { "True", "False", "Unknown", NULL };
static const struct rule state_rules[] = {
        { "status", rule_choice, .data = condition_states, .flags = RULE_ALWAYS },
        RULES_END,
};
static const struct rule api_service_status_rules[] = {
        { "conditions", rule_object, .data = state_rules, .flags = RULE_EACH },
        RULES_END,
};

const char *api_service_name(struct arena *arena, const struct json_node *object,
                             struct slice name) {
        const struct json_node *spec = node_get(object, "spec");

        if (segment_problem(name, false))
                return segment_problem(name, false);
        const char *wanted = arena_printf(arena, SLICE_FMT "." SLICE_FMT,
                                          SLICE_ARG(node_get_text(spec, "version")),
                                          SLICE_ARG(node_get_text(spec, "group")));

        CLEANUP(buf_release) struct buf shown = { 0 };

        if (slice_is(name, wanted))
                return NULL;
        go_quote_write(slice_of(wanted), &shown);
        return arena_printf(arena, "must be `spec.version+\".\"+spec.group`: %s", shown.data);
}

VALIDATE_HOOK(api_service_validate) {
        struct checker checker = { .errors = errors, .context = context };
        struct at at = at_root("spec"), status = at_root("status");

        (void)old;
        if (operation == KIND_UPDATE_STATUS) {
                check_rules(&checker, &status, node_get(object, "status"),
                            api_service_status_rules);
                return;
        }
        check_rules(&checker, &at, node_get(object, "spec"), api_service_rules);
}
