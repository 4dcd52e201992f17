/* DeschedulerPolicy: its tables, the rules that span fields, and the two ways to read it. */
#include "config/descheduler_policy.h"

#include "base/util.h"
#include "config/http_url.h"
#include "config/type_meta.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION "descheduler/v1alpha2"
#define KIND "DeschedulerPolicy"

/* ---- tables ---- */

#define AT(member) .offset = offsetof(struct descheduler_plugin_config, member)
static const struct field plugin_config_fields[] = {
        { .name = "name", .type = FIELD_TEXT, AT(name), .help = "A plugin's name." },
        { .name = "args",
          .type = FIELD_JSON,
          AT(args),
          .help = "The plugin's arguments; see its own section." },
        FIELD_END,
};
#undef AT

#define AT(member) .offset = offsetof(struct descheduler_plugin_set, member)
static const struct field plugin_set_fields[] = {
        { .name = "enabled",
          .type = FIELD_TEXTS,
          AT(enabled),
          .help = "Plugins in the order in which they run." },
        { .name = "disabled",
          .type = FIELD_TEXTS,
          AT(disabled),
          .help = "Accepted without effect, as in Descheduler." },
        FIELD_END,
};
#undef AT

#define SET_ROW(row_name, member, text)                                                            \
        {                                                                                          \
                .name = (row_name), .type = FIELD_STRUCT,                                          \
                .offset = offsetof(struct descheduler_plugins, member),                            \
                .fields = plugin_set_fields, .help = (text)                                        \
        }
static const struct field plugins_fields[] = {
        SET_ROW("presort", presort, "Accepted without effect, as in Descheduler."),
        SET_ROW("sort", sort, "Accepted without effect, as in Descheduler."),
        SET_ROW("deschedule", deschedule, "Plugins that look at one pod at a time."),
        SET_ROW("balance", balance, "Plugins that look at many pods at once."),
        SET_ROW("filter", filter,
                "Plugins that keep pods from eviction; DefaultEvictor is always among them."),
        SET_ROW("preevictionfilter", pre_eviction_filter,
                "Plugins asked right before an eviction; DefaultEvictor is always among them."),
        FIELD_END,
};

#define AT(member) .offset = offsetof(struct descheduler_profile, member)
static const struct field profile_fields[] = {
        { .name = "name", .type = FIELD_TEXT, AT(name), .help = "Free text for reports." },
        { .name = "pluginConfig",
          .type = FIELD_LIST,
          AT(plugin_configs),
          .fields = plugin_config_fields,
          .item_size = sizeof(struct descheduler_plugin_config),
          .help = "Arguments; every enabled plugin needs an entry." },
        { .name = "plugins",
          .type = FIELD_STRUCT,
          AT(plugins),
          .fields = plugins_fields,
          .help = "Which plugins take part where." },
        FIELD_END,
};
#undef AT

#define AT(member) .offset = offsetof(struct secret_reference, member)
static const struct field secret_fields[] = {
        { .name = "namespace", .type = FIELD_TEXT, AT(ns), .help = "Namespace of the Secret." },
        { .name = "name", .type = FIELD_TEXT, AT(name), .help = "Name of the Secret." },
        FIELD_END,
};
#undef AT

static const struct field token_fields[] = {
        { .name = "secretReference",
          .type = FIELD_POINTER,
          .offset = offsetof(struct prometheus_token, secret),
          .fields = secret_fields,
          .item_size = sizeof(struct secret_reference),
          .help = "The Secret that holds the token." },
        FIELD_END,
};

#define AT(member) .offset = offsetof(struct prometheus_config, member)
static const struct field prometheus_fields[] = {
        { .name = "url", .type = FIELD_TEXT, AT(url), .help = "Where Prometheus answers." },
        { .name = "authToken",
          .type = FIELD_POINTER,
          AT(token),
          .fields = token_fields,
          .item_size = sizeof(struct prometheus_token),
          .help = "Bearer token; without it the token of the service account is used." },
        FIELD_END,
};
#undef AT

#define AT(member) .offset = offsetof(struct metrics_provider, member)
static const struct field provider_fields[] = {
        { .name = "source",
          .type = FIELD_TEXT,
          AT(source),
          .help = "KubernetesMetrics or Prometheus, each at most once." },
        { .name = "prometheus",
          .type = FIELD_POINTER,
          AT(prometheus),
          .fields = prometheus_fields,
          .item_size = sizeof(struct prometheus_config),
          .help = "How to reach Prometheus." },
        FIELD_END,
};
#undef AT

static const struct field collector_fields[] = {
        { .name = "enabled",
          .type = FIELD_BOOL,
          .offset = offsetof(struct descheduler_policy, collects_metrics),
          .flags = FIELD_DEPRECATED,
          .help = "Use metricsProviders with source KubernetesMetrics." },
        FIELD_END,
};

#define AT(member) .offset = offsetof(struct descheduler_policy, member)
#define GIVEN(member) .presence = offsetof(struct descheduler_policy, member)
#define LIMIT .type = FIELD_I64, .is_bounded = true, .min = 0, .max = INT64_MAX
const struct field descheduler_policy_fields[] = {
        { .name = "apiVersion", .type = FIELD_TEXT, AT(api_version), .help = API_VERSION },
        { .name = "kind", .type = FIELD_TEXT, AT(kind), .help = KIND },
        { .name = "profiles",
          .type = FIELD_LIST,
          AT(profiles),
          .fields = profile_fields,
          .item_size = sizeof(struct descheduler_profile),
          .help = "Run one after the other, first all deschedule plugins, then all balance ones." },
        { .name = "nodeSelector",
          .type = FIELD_TEXT,
          AT(node_selector_text),
          GIVEN(has_node_selector),
          .help = "Only nodes with these labels are looked at." },
        { .name = "maxNoOfPodsToEvictPerNode",
          LIMIT,
          AT(max_per_node),
          GIVEN(has_max_per_node),
          .help = "Limit per pass and node; 0 forbids all, unset is unlimited." },
        { .name = "maxNoOfPodsToEvictPerNamespace",
          LIMIT,
          AT(max_per_namespace),
          GIVEN(has_max_per_namespace),
          .help = "Limit per pass and namespace; 0 forbids all, unset is unlimited." },
        { .name = "maxNoOfPodsToEvictTotal",
          LIMIT,
          AT(max_total),
          GIVEN(has_max_total),
          .help = "Limit per pass; 0 forbids all, unset is unlimited." },
        { .name = "evictionFailureEventNotification",
          .type = FIELD_BOOL,
          AT(notifies_eviction_failures),
          .help = "Write a Warning event for every failed eviction." },
        { .name = "gracePeriodSeconds",
          .type = FIELD_I64,
          AT(grace_period_s),
          GIVEN(has_grace_period),
          .help = "Grace period asked for with every eviction; unset leaves it to the pod." },
        { .name = "moveOnlyIfBetter",
          .type = FIELD_BOOL,
          AT(moves_only_if_better),
          .fallback = "true",
          .help = "Let balancing and violation strategies evict only what the scheduler would "
                  "place "
                  "on another, better node." },
        { .name = "minScoreGain",
          .type = FIELD_I64,
          AT(min_score_gain),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .fallback = "1",
          .help = "By how much the total score must be higher there." },
        { .name = "metricsCollector",
          .type = FIELD_STRUCT,
          .offset = 0, /* its one row fills a member of the policy */
          .fields = collector_fields,
          .help = "Deprecated form of metricsProviders." },
        { .name = "metricsProviders",
          .type = FIELD_LIST,
          AT(metrics_providers),
          .fields = provider_fields,
          .item_size = sizeof(struct metrics_provider),
          .help = "Where actual utilisation comes from." },
        FIELD_END,
};
#undef AT
#undef GIVEN

/* ---- rules that span fields ---- */

struct policy_check {
        struct field_reader *reader;
        struct descheduler_policy *policy;
        const struct json *root;
        bool is_parity;
};

static void check_selector(const struct policy_check *check) {
        struct descheduler_policy *policy = check->policy;
        struct err err = { 0 };
        if (selector_parse(policy->node_selector_text, &policy->arena, &policy->node_selector,
                           &err) < 0)
                field_problem(check->reader, json_get(check->root, "nodeSelector"), "nodeSelector",
                              "%s", err.text);
}

/* Not given, or given as nothing; a member of a wrong type was complained about already. */
static bool is_missing(const struct json *object, const char *name) {
        const struct json *value = json_get(object, name);
        enum json_type type = json_type(value);
        return type == JSON_NONE || type == JSON_NULL ||
               (type == JSON_STRING && json_text(value).len == 0);
}

static void check_token(const struct policy_check *check, const struct json *value,
                        const struct prometheus_token *token) {
        static const char path[] = "prometheus.authToken.secretReference";
        const struct json *where = json_get(value, "authToken");
        const struct json *secret = json_get(where, "secretReference");
        if (!token->secret && is_missing(where, "secretReference"))
                field_problem(check->reader, where, path, "required, but missing");
        if (token->secret && (is_missing(secret, "namespace") || is_missing(secret, "name")))
                field_problem(check->reader, secret, path, "must give both namespace and name");
}

static void check_prometheus(const struct policy_check *check, const struct json *value,
                             const struct prometheus_config *prometheus) {
        if (!prometheus) {
                if (is_missing(value, "prometheus"))
                        field_problem(check->reader, value, "prometheus", "required, but missing");
                return;
        }
        value = json_get(value, "prometheus");
        if (prometheus->url.len == 0) {
                if (is_missing(value, "url"))
                        field_problem(check->reader, value, "prometheus.url",
                                      "required, but missing");
                return;
        }
        const char *problem = http_url_problem(prometheus->url);
        if (problem)
                field_problem(check->reader, json_get(value, "url"), "prometheus.url",
                              "no valid URL: %s", problem);
        else if (prometheus->token)
                check_token(check, value, prometheus->token);
}

static bool is_repeated(const struct metrics_provider *providers, size_t index) {
        for (size_t i = 0; i < index; i++) {
                if (slice_eq(providers[i].source, providers[index].source))
                        return true;
        }
        return false;
}

static void check_provider(const struct policy_check *check, const struct json *value,
                           const struct metrics_provider *providers, size_t index) {
        const struct metrics_provider *provider = &providers[index];
        const struct json *source = json_get(value, "source");
        bool is_kubernetes = slice_is(provider->source, METRICS_SOURCE_KUBERNETES);
        if (is_repeated(providers, index))
                field_problem(check->reader, source ? source : value, "source",
                              "each source can be configured only once");
        if (is_kubernetes && check->policy->collects_metrics)
                field_problem(check->reader, source, "source",
                              "cannot be combined with metricsCollector");
        if (slice_is(provider->source, METRICS_SOURCE_PROMETHEUS))
                check_prometheus(check, value, provider->prometheus);
        else if (!is_kubernetes && !check->is_parity)
                field_problem(check->reader, source ? source : value, "source",
                              "expected one of \"KubernetesMetrics\", \"Prometheus\"");
}

static void check_providers(const struct policy_check *check) {
        const struct item_list *list = &check->policy->metrics_providers;
        const struct json *values = json_get(check->root, "metricsProviders");
        for (size_t i = 0; i < list->count; i++) {
                snprintf(check->reader->path, sizeof(check->reader->path), "metricsProviders[%zu]",
                         i);
                check_provider(check, json_at(values, i), list->items, i);
        }
        check->reader->path[0] = '\0';
}

/* ---- repeated keys ---- */

static bool is_in_args(const char *path) {
        const char *config = strstr(path, "].pluginConfig[");
        return config && strstr(config, "].args.");
}

/* Upstream decodes args strictly, but from JSON made of the YAML, in which repetitions are gone. */
static void add_duplicate_in_args(void *context, const struct err *where) {
        struct err err = *where;
        err.code = BERTH_ERR_INVALID;
        if (is_in_args(where->path))
                config_problems_add(context, &err);
}

static void check_duplicates(const struct document *document, bool is_parity,
                             struct config_problems *problems) {
        if (!is_parity)
                config_problems_add_duplicates(problems, document);
        else if (document_is_json(document))
                document_duplicates(document, add_duplicate_in_args, problems);
}

/* ---- reading ---- */

/* Upstream takes a file that does not say what it is for an empty policy. */
static bool is_unnamed(const struct json *root) {
        return json_type(root) == JSON_NULL ||
               (json_type(root) == JSON_OBJECT && is_missing(root, "apiVersion"));
}

static void descheduler_policy_decode(struct descheduler_policy *policy, bool is_parity,
                                      struct config_problems *problems) {
        const struct json *root = document_root(policy->document);
        struct field_reader reader = { .document = policy->document,
                                       .arena = &policy->arena,
                                       .problems = problems,
                                       .unknown =
                                               is_parity ? UNKNOWN_IS_IGNORED : UNKNOWN_IS_ERROR };
        struct policy_check check = {
                .reader = &reader, .policy = policy, .root = root, .is_parity = is_parity
        };
        fields_decode(&reader, descheduler_policy_fields, root, policy);
        check_duplicates(policy->document, is_parity, problems);
        check_selector(&check);
        check_providers(&check);
        if (!is_parity && document_has_more(policy->document))
                field_warning(&reader, NULL, NULL, "only the first document is read");
}

/* Whether root's kind is a policy; else the problem is reported. */
static bool is_policy(const struct document *document, bool is_parity,
                      struct config_problems *problems) {
        static const struct type_meta_rule rule = { .api_version = API_VERSION,
                                                    .kind = KIND,
                                                    .kind_is_optional = true };
        const struct json *root = document_root(document);
        if (is_parity && is_unnamed(root))
                return true;
        return type_meta_check(document, root, &rule, problems);
}

struct descheduler_policy *descheduler_policy_read(struct slice text, const char *file,
                                                   bool is_parity,
                                                   struct config_problems *problems) {
        struct document *document = NULL;
        struct err err = { 0 };
        if (document_read(text, file, &document, &err) < 0) {
                config_problems_add(problems, &err);
                return NULL;
        }
        return descheduler_policy_take(document, is_parity, problems);
}

struct descheduler_policy *descheduler_policy_take(struct document *document, bool is_parity,
                                                   struct config_problems *problems) {
        if (!is_policy(document, is_parity, problems)) {
                document_free(document);
                return NULL;
        }
        struct descheduler_policy *policy = xcalloc(1, sizeof(*policy));
        arena_init(&policy->arena, 0);
        policy->document = document;
        if (is_unnamed(document_root(document)))
                fields_default(&policy->arena, descheduler_policy_fields, policy);
        else
                descheduler_policy_decode(policy, is_parity, problems);
        return policy;
}

void descheduler_policy_free(struct descheduler_policy *policy) {
        if (!policy)
                return;
        document_free((struct document *)policy->document);
        arena_release(&policy->arena);
        free(policy);
}
