/* DeschedulerPolicy descheduler/v1alpha2: the file behind --policy-config-file (reference
 * descheduler.md section 2). Plugin arguments stay raw; the plugins' own tables decode them.
 *
 * Two ways to read it. By default unknown, misspelt and repeated keys are errors, and apiVersion
 * must be there. Parity does as Descheduler 0.36 does: unknown keys outside args are ignored (so
 * the documented preEvictionFilter is; the effective key is preevictionfilter), of repeated YAML
 * keys the last counts, unknown metrics sources pass, and a file without apiVersion, or an empty
 * one, is an empty policy. */
#pragma once

#include "api/selector.h"
#include "config/field_table.h"
#include <stdbool.h>
#include <stdint.h>

struct descheduler_plugin_config { /* pluginConfig[] */
        struct slice name;
        const struct json *args; /* NULL = none */
};
struct descheduler_plugin_set {
        struct text_list enabled;
        struct text_list disabled; /* read, never used, as upstream */
};
struct descheduler_plugins {
        struct descheduler_plugin_set presort, sort; /* read, never used, as upstream */
        struct descheduler_plugin_set deschedule, balance, filter, pre_eviction_filter;
};
struct descheduler_profile {
        struct slice name;               /* may be empty or repeated */
        struct item_list plugin_configs; /* struct descheduler_plugin_config */
        struct descheduler_plugins plugins;
};

struct secret_reference {
        struct slice ns, name;
};
struct prometheus_token {
        struct secret_reference *secret;
};
struct prometheus_config {
        struct slice url;
        struct prometheus_token *token; /* NULL = none */
};
struct metrics_provider {
        struct slice source; /* KubernetesMetrics, Prometheus */
        struct prometheus_config *prometheus;
};
#define METRICS_SOURCE_KUBERNETES "KubernetesMetrics"
#define METRICS_SOURCE_PROMETHEUS "Prometheus"

struct descheduler_policy {
        struct slice api_version, kind;
        struct item_list profiles; /* struct descheduler_profile */
        bool has_node_selector, has_max_per_node, has_max_per_namespace, has_max_total,
                has_grace_period;
        struct slice node_selector_text;
        struct selector node_selector; /* of node_selector_text; everything when not given */
        int64_t max_per_node, max_per_namespace, max_total; /* evictions of one pass; 0 forbids */
        int64_t grace_period_s;
        bool notifies_eviction_failures;
        bool moves_only_if_better; /* berth's own; not looked at under parity */
        int64_t min_score_gain;    /* berth's own: total score that counts as better */
        bool collects_metrics;     /* metricsCollector.enabled: as source KubernetesMetrics */
        struct item_list metrics_providers; /* struct metrics_provider */
        const struct document *document;    /* owned; for positions of args */
        struct arena arena;
};

/* For --explain and the manual. */
extern const struct field descheduler_policy_fields[];

/* What is wrong is added to problems, all of it. NULL only when the text is malformed or no policy
 * at all; otherwise whatever could be read is returned, so that the problems of plugin arguments
 * can be reported together with those found here. Use it only when problems has stayed empty. */
struct descheduler_policy *descheduler_policy_read(struct slice text, const char *file,
                                                   bool is_parity,
                                                   struct config_problems *problems);
/* The same of a document that was read already; it is taken, also when this fails. */
struct descheduler_policy *descheduler_policy_take(struct document *document, bool is_parity,
                                                   struct config_problems *problems);
void descheduler_policy_free(struct descheduler_policy *policy); /* accepts NULL */

static inline const struct descheduler_profile *descheduler_policy_profile(
        const struct descheduler_policy *policy, size_t index) {
        return (const struct descheduler_profile *)policy->profiles.items + index;
}
static inline const struct descheduler_plugin_config *descheduler_profile_config(
        const struct descheduler_profile *profile, size_t index) {
        return (const struct descheduler_plugin_config *)profile->plugin_configs.items + index;
}
