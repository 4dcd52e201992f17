/* Configurations of admission webhooks: defaults and validation. */
#include "base/util.h"
#include "kinds/check.h"

#define TIMEOUT_DEFAULT_S 10
#define TIMEOUT_MAX_S 30
#define PORT_DEFAULT 443
#define NAME_SEGMENTS_MIN 3

static void rules_defaults(struct json_tree *tree, struct json_node *rules) {
        struct node_iter iter = node_iter(rules);
        struct json_node *rule;

        while (node_next(&iter, NULL, &rule))
                default_absent_text(tree, rule, "scope", "*");
}

static void webhooks_defaults(struct json_tree *tree, struct json_node *object, bool is_mutating) {
        struct node_iter iter = node_iter(node_get(object, "webhooks"));
        struct json_node *webhook, *service;

        while (node_next(&iter, NULL, &webhook)) {
                default_absent_text(tree, webhook, "failurePolicy", "Fail");
                default_absent_text(tree, webhook, "matchPolicy", "Equivalent");
                default_absent(tree, webhook, "namespaceSelector", node_object(tree));
                default_absent(tree, webhook, "objectSelector", node_object(tree));
                default_absent_i64(tree, webhook, "timeoutSeconds", TIMEOUT_DEFAULT_S);
                if (is_mutating)
                        default_absent_text(tree, webhook, "reinvocationPolicy", "Never");
                service = object_at(object_at(webhook, "clientConfig"), "service");
                if (service)
                        default_absent_i64(tree, service, "port", PORT_DEFAULT);
                rules_defaults(tree, node_get(webhook, "rules"));
        }
}

void mutating_webhook_configuration_defaults(struct json_tree *tree, struct json_node *object) {
        webhooks_defaults(tree, object, true);
}

void validating_webhook_configuration_defaults(struct json_tree *tree, struct json_node *object) {
        webhooks_defaults(tree, object, false);
}

/* ---- validation ---- */

static void check_client(struct checker *checker, const struct at *webhook,
                         const struct json_node *config) {
        struct at at = at_member(webhook, "clientConfig");
        struct slice url = node_get_text(config, "url");
        const struct json_node *service = node_get(config, "service");

        if ((url.len > 0) == !!service) {
                report(checker, FIELD_REQUIRED, &at, NULL, NULL,
                       "exactly one of url or service is required");
                return;
        }
        if (url.len && !slice_has_prefix(url, SLICE_LITERAL("https://")))
                report_text(checker, &at, "url", url, "'https' is the only allowed URL scheme");
        if (service) {
                struct at place = at_member(&at, "service");

                check_required(checker, &place, service, "name");
                check_required(checker, &place, service, "namespace");
        }
}

static void check_webhook_name(struct checker *checker, const struct at *at, struct slice name) {
        struct slice rest = name, segment;
        size_t segments = 0;

        while (slice_split(&rest, '.', &segment))
                segments++;
        if (name.len == 0)
                report(checker, FIELD_REQUIRED, at, "name", NULL, NULL);
        else if (segments < NAME_SEGMENTS_MIN)
                report_text(checker, at, "name", name,
                            "should be a domain with at least three segments separated by dots");
        else if (name_problem(NAME_SUBDOMAIN, name, false))
                report_text(checker, at, "name", name, name_problem(NAME_SUBDOMAIN, name, false));
}

static void check_versions(struct checker *checker, const struct at *at,
                           const struct json_node *versions) {
        bool is_known = false;

        for (size_t i = 0; i < node_count(versions); i++)
                is_known |= slice_is(node_get_slice(node_at(versions, i)), "v1") ||
                            slice_is(node_get_slice(node_at(versions, i)), "v1beta1");
        if (node_count(versions) == 0)
                report(checker, FIELD_REQUIRED, at, "admissionReviewVersions", NULL,
                       "must specify one of v1, v1beta1");
        else if (!is_known)
                report(checker, FIELD_INVALID, at, "admissionReviewVersions",
                       node_json(checker, versions), "must include at least one of v1, v1beta1");
}

static void check_webhook(struct checker *checker, const struct at *at,
                          const struct json_node *webhook) {
        static const char *const effects[] = { "None", "NoneOnDryRun", NULL };
        static const char *const policies[] = { "Fail", "Ignore", NULL };
        int64_t timeout = node_get_i64(webhook, "timeoutSeconds", TIMEOUT_DEFAULT_S);

        check_webhook_name(checker, at, node_get_text(webhook, "name"));
        check_client(checker, at, node_get(webhook, "clientConfig"));
        if (node_get_text(webhook, "sideEffects").len == 0)
                report(checker, FIELD_REQUIRED, at, "sideEffects", NULL,
                       "must specify one of None, NoneOnDryRun");
        check_choice(checker, at, webhook, "sideEffects", effects);
        check_choice(checker, at, webhook, "failurePolicy", policies);
        if (timeout < 1 || timeout > TIMEOUT_MAX_S)
                report_number(checker, at, "timeoutSeconds", timeout,
                              "the timeout value must be between 1 and 30 seconds");
        check_versions(checker, at, node_get(webhook, "admissionReviewVersions"));
        for (size_t i = 0; i < node_count(node_get(webhook, "rules")); i++) {
                struct at rules = at_member(at, "rules"), rule = at_index(&rules, i);
                const struct json_node *item = node_at(node_get(webhook, "rules"), i);

                check_required(checker, &rule, item, "operations");
                check_required(checker, &rule, item, "apiGroups");
                check_required(checker, &rule, item, "apiVersions");
                check_required(checker, &rule, item, "resources");
        }
}

VALIDATE_HOOK(webhook_configuration_validate) {
        struct checker checker = { errors, context };
        struct at root = at_root("webhooks");
        const struct json_node *webhooks = node_get(object, "webhooks");

        (void)operation;
        (void)old;
        for (size_t i = 0; i < node_count(webhooks); i++) {
                struct at at = at_index(&root, i);

                check_webhook(&checker, &at, node_at(webhooks, i));
        }
}
