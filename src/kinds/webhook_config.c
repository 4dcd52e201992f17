/* Configurations of admission webhooks: defaults and validation. */
#include "base/arena.h"
#include "base/url.h"
#include "base/util.h"
#include "kinds/admission_rules.h"

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

/* ---- clients ---- */

#define URL_FORM "; desired format: https://host[/path]"

/* A problem whose words hold a semicolon is one. */
static void report_whole(struct checker *checker, const struct at *at, struct slice value,
                         const char *text) {
        report(checker, FIELD_INVALID, at, NULL, quoted(checker, value), text);
}

/* Of a host, what is wrong in it is written. */
static const char *host_complaint(struct checker *checker, struct slice host, const char *problem) {
        size_t at = host.len;

        if (strcmp(problem, "invalid port after host") == 0) {
                while (at > 0 && host.ptr[at - 1] != ':' && host.ptr[at - 1] != ']')
                        at--;
                at -= at > 0 && host.ptr[at - 1] == ':';
                return message_of(checker, "invalid port %s after host",
                                  quoted(checker, slice_make(host.ptr + at, host.len - at)));
        }
        if (strcmp(problem, "invalid character in host name") != 0)
                return problem;
        for (at = 0; at < host.len && !strchr(" \\^`{|}/?#@", host.ptr[at]); at++)
                continue;
        return message_of(checker, "invalid character %s in host name",
                          quoted(checker, slice_make(host.ptr + at, at < host.len)));
}

/* What Go says of a text that is no URL; some of it names the place. */
static const char *url_complaint(struct checker *checker, struct slice text, const struct url *url,
                                 const char *problem) {
        static const struct {
                const char *problem, *words;
        } plain[] = {
                { "invalid control character in URL", "net/url: invalid control character in URL" },
                { "invalid userinfo", "net/url: invalid userinfo" },
                { "first path segment contains a colon",
                  "first path segment in URL cannot contain colon" },
        };

        for (size_t i = 0; i < ARRAY_LEN(plain); i++)
                if (strcmp(problem, plain[i].problem) == 0)
                        return plain[i].words;
        for (size_t i = 0; strcmp(problem, "invalid URL escape") == 0 && i < text.len; i++) {
                size_t left = text.len - i;
                struct slice escape = slice_make(text.ptr + i, left < 3 ? left : 3);
                CLEANUP(buf_release) struct buf byte = { 0 };

                if (text.ptr[i] == '%' && (!url_unescape(escape, false, &byte) ||
                                           text.ptr + i < url->host.ptr + url->host.len))
                        return message_of(checker, "%s %s", problem, quoted(checker, escape));
        }
        return host_complaint(checker, url->host, problem);
}

static void check_url_parts(struct checker *checker, const struct at *at, const struct url *url) {
        struct slice scheme = lower_text(checker, url->scheme);
        struct buf fragment = { 0 };

        if (!slice_is(scheme, "https"))
                report_whole(checker, at, scheme,
                             "'https' is the only allowed URL scheme" URL_FORM);
        if (url->host.len == 0)
                report_whole(checker, at, SLICE_EMPTY, "host must be specified" URL_FORM);
        if (url->user.ptr)
                report_text(checker, at, NULL, url->user,
                            "user information is not permitted in the URL");
        if (url->fragment.len && url_unescape(url->fragment, false, &fragment))
                report_text(checker, at, NULL, buf_view(&fragment),
                            "fragments are not permitted in the URL");
        if (url->query.len)
                report_text(checker, at, NULL, url->query,
                            "query parameters are not permitted in the URL");
        buf_release(&fragment);
}

OWN_RULE(rule_url) {
        struct slice text = node_get_slice(value);
        struct url url;
        const char *problem = url_parse(text, URL_ANY, &url);

        (void)rule;
        if (problem)
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       message_of(checker, "url must be a valid URL: parse %s: %s" URL_FORM,
                                  quoted(checker, text),
                                  url_complaint(checker, text, &url, problem)));
        else
                check_url_parts(checker, at, &url);
}

OWN_RULE(rule_service_port) {
        int64_t port = 0;

        (void)rule;
        node_as_i64(value, &port);
        if (port < 1 || port > 65535)
                report_number(checker, at, NULL, port,
                              "port is not valid: must be between 1 and 65535, inclusive");
}

static void check_step(struct checker *checker, const struct at *at, struct slice path,
                       size_t index, struct slice step) {
        struct text_problems problems = text_problems(checker->errors->arena, FORM_SUBDOMAIN, step);

        if (step.len == 0)
                report_text(checker, at, NULL, path,
                            message_of(checker, "segment[%zu] may not be empty", index));
        for (size_t i = 0; step.len && i < problems.count; i++)
                report_text(checker, at, NULL, path,
                            message_of(checker, "segment[%zu]: %s", index, problems.items[i]));
}

OWN_RULE(rule_service_path) {
        struct slice path = node_get_slice(value), rest, step;
        size_t index = 0;

        (void)rule;
        if (path.len == 0 || slice_is(path, "/"))
                return;
        if (slice_is(path, "//")) {
                report_text(checker, at, NULL, path, "segment[0] may not be empty");
                return;
        }
        if (path.ptr[0] != '/')
                report_text(checker, at, NULL, path, "must start with a '/'");
        rest = slice_make(path.ptr + 1, path.len - 1);
        if (rest.len && rest.ptr[rest.len - 1] == '/')
                rest.len--;
        for (size_t start = 0, i = 0; i <= rest.len; i++) {
                if (i < rest.len && rest.ptr[i] != '/')
                        continue;
                step = slice_make(rest.ptr + start, i - start);
                check_step(checker, at, path, index++, step);
                start = i + 1;
        }
}

/* Upstream takes the name for the namespace and the other way round. */
OWN_RULE(rule_service_names) {
        (void)rule;
        if (node_get_text(value, "namespace").len == 0)
                report(checker, FIELD_REQUIRED, at, "name", NULL, NULL);
        if (node_get_text(value, "name").len == 0)
                report(checker, FIELD_REQUIRED, at, "namespace", NULL, NULL);
}

static const struct rule service_rules[] = {
        { NULL, rule_service_names },
        { "port", rule_service_port },
        { "path", rule_service_path },
        RULES_END,
};
static const struct rule url_rules[] = {
        { "url", rule_url, .flags = RULE_PRESENT },
        RULES_END,
};

void check_webhook_client(struct checker *checker, const struct at *at,
                          const struct json_node *config) {
        const struct json_node *service = node_get(config, "service");
        struct at inner = at_member(at, "service");

        if (!node_get(config, "url") == !service)
                report(checker, FIELD_REQUIRED, at, NULL, NULL,
                       "exactly one of url or service is required");
        else if (service)
                check_rules(checker, &inner, service, service_rules);
        else
                check_rules(checker, at, config, url_rules);
}

OWN_RULE(rule_client) {
        struct at place = at_member(at, "clientConfig");

        (void)rule;
        check_webhook_client(checker, &place, node_get(value, "clientConfig"));
}

/* ---- webhooks ---- */

OWN_RULE(rule_webhook_name) {
        struct slice name = node_get_slice(value), rest = name, segment;
        struct text_problems problems = text_problems(checker->errors->arena, FORM_SUBDOMAIN, name);
        size_t segments = 0;

        (void)rule;
        while (slice_split(&rest, '.', &segment))
                segments++;
        if (problems.count == 1)
                report_text(checker, at, NULL, name, problems.items[0]);
        else if (problems.count > 1)
                report_text(checker, at, NULL, name,
                            message_of(checker, "%s,%s", problems.items[0], problems.items[1]));
        else if (segments < NAME_SEGMENTS_MIN)
                report_text(checker, at, NULL, name,
                            "should be a domain with at least three segments separated by dots");
}

OWN_RULE(rule_review_versions) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        bool is_known = false;

        (void)rule;
        for (size_t i = 0; i < node_count(value); i++) {
                struct slice version = node_get_slice(node_at(value, i));
                struct at place = at_index(at, i);

                is_known |= slice_is(version, "v1") || slice_is(version, "v1beta1");
                if (!text_set_add(&seen, version))
                        report_text(checker, &place, NULL, version, "duplicate version");
                else
                        check_form(checker, &place, version, FORM_LABEL_1035);
        }
        if (!is_known)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, value),
                       "must include at least one of v1, v1beta1");
}

OWN_RULE(rule_conditions_of_webhook) {
        (void)rule;
        check_match_conditions(checker, at, value, false);
}

static const char *const effects[] = { "None", "NoneOnDryRun", NULL };
static const char *const reinvocations[] = { "IfNeeded", "Never", NULL };
static const struct rule webhook_rules[] = {
        { "name", rule_webhook_name, .flags = RULE_REQUIRED },
        { "rules", rule_admission_rule, .flags = RULE_EACH },
        { "failurePolicy", rule_choice, .data = admission_failure_policies, .flags = RULE_PRESENT },
        { "matchPolicy", rule_choice, .data = admission_match_policies, .flags = RULE_PRESENT },
        { "sideEffects", rule_choice, .data = effects, .flags = RULE_REQUIRED | RULE_PRESENT,
          .text = "must specify one of None, NoneOnDryRun" },
        { "timeoutSeconds", rule_range, .low = 1, .high = TIMEOUT_MAX_S,
          .text = "the timeout value must be between 1 and 30 seconds" },
        { "namespaceSelector", rule_label_selector },
        { "objectSelector", rule_label_selector },
        { "reinvocationPolicy", rule_choice, .data = reinvocations, .flags = RULE_PRESENT },
        { NULL, rule_client },
        { "matchConditions", rule_conditions_of_webhook },
        { "admissionReviewVersions", rule_review_versions, .flags = RULE_REQUIRED,
          .text = "must specify one of v1, v1beta1" },
        RULES_END,
};

VALIDATE_HOOK(webhook_configuration_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *webhooks = node_get(object, "webhooks");
        CLEANUP(text_set_release) struct text_set names = { 0 };
        struct at root = at_root("webhooks");

        (void)operation, (void)old;
        for (size_t i = 0; i < node_count(webhooks); i++) {
                struct slice name = node_get_text(node_at(webhooks, i), "name");
                struct at at = at_index(&root, i);

                check_rules(&checker, &at, node_at(webhooks, i), webhook_rules);
                if (name.len && !text_set_add(&names, name))
                        report(&checker, FIELD_DUPLICATE, &at, "name", quoted(&checker, name),
                               NULL);
        }
}
