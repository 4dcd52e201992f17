/* KubeSchedulerConfiguration kubescheduler.config.k8s.io/v1: the file behind --config (reference
 * scheduler.md 1.2, 1.3, 1.6). Merging plugin sets with the defaults, the existence of plugins and
 * their arguments are the plugin room's. Decoding is strict, as upstream's: unknown and repeated
 * keys are errors. */
#pragma once

#include "config/field_table.h"
#include <stdbool.h>
#include <stdint.h>

struct scheduler_plugin {
        struct slice name;
        int32_t weight; /* 0 = not given */
};
struct scheduler_plugin_set {
        struct item_list enabled;  /* struct scheduler_plugin */
        struct item_list disabled; /* struct scheduler_plugin; name "*" = all */
};
struct scheduler_plugins {
        struct scheduler_plugin_set pre_enqueue, queue_sort, pre_filter, filter, post_filter,
                pre_score, score, reserve, permit, pre_bind, bind, post_bind, placement_generate,
                placement_score, multi_point;
};
struct scheduler_plugin_config {
        struct slice name;
        const struct json *args; /* NULL = none */
};
struct scheduler_profile {
        struct slice scheduler_name;
        bool has_percentage;
        int32_t percentage_of_nodes; /* when has_percentage, else the global value */
        struct scheduler_plugins plugins;
        struct item_list plugin_configs; /* struct scheduler_plugin_config */
};

struct extender_tls {
        bool is_insecure;
        struct slice server_name, cert_file, key_file, ca_file;
        struct slice cert_data, key_data, ca_data; /* decoded from base64; may be binary */
};
struct extender_resource {
        struct slice name;
        bool is_ignored_by_scheduler;
};
struct scheduler_extender {
        struct slice url_prefix, filter_verb, preempt_verb, prioritize_verb, bind_verb;
        int64_t weight;
        bool uses_https, is_node_cache_capable, is_ignorable;
        struct extender_tls *tls;           /* NULL = none */
        int64_t timeout_ns;                 /* 5 s when 0 or not given */
        struct item_list managed_resources; /* struct extender_resource */
};

struct leader_election_configuration {
        bool leader_elect;
        int64_t lease_duration_ns, renew_deadline_ns, retry_period_ns;
        struct slice resource_lock, resource_namespace, resource_name;
};
struct client_connection_configuration {
        struct slice kubeconfig, accept_content_types, content_type;
        double qps;
        int32_t burst;
        bool has_limit; /* one of the two was given: berth has no limit otherwise */
};

struct scheduler_configuration {
        struct slice api_version, kind;
        int32_t parallelism;
        struct leader_election_configuration leader_election;
        struct client_connection_configuration client_connection;
        bool enables_profiling, enables_contention_profiling;
        int32_t percentage_of_nodes; /* 0 = adaptive */
        int64_t pod_initial_backoff_s, pod_max_backoff_s;
        struct item_list profiles;  /* struct scheduler_profile; at least one */
        struct item_list extenders; /* struct scheduler_extender */
        bool delays_cache_until_active;
        const struct document *document; /* owned; for positions of args; NULL for the default */
        struct arena arena;
};

/* For --explain, the manual and --write-config-to. */
extern const struct field scheduler_configuration_fields[];

#define SCHEDULER_NAME_DEFAULT "default-scheduler"

/* What is wrong is added to problems, all of it. NULL only when the text is malformed or no
 * configuration at all; otherwise whatever could be read is returned, so that the problems of
 * plugin arguments can be reported together with those found here. Use it only when problems has
 * stayed empty. */
struct scheduler_configuration *scheduler_configuration_read(struct slice text, const char *file,
                                                             struct config_problems *problems);
/* The same of a document that was read already; it is taken, also when this fails. */
struct scheduler_configuration *scheduler_configuration_take(struct document *document,
                                                             struct config_problems *problems);
/* The rules between fields once more, for values changed by flags; no positions. */
void scheduler_configuration_check(const struct scheduler_configuration *configuration,
                                   struct config_problems *problems);
/* All defaults: one profile with the default plugins. */
struct scheduler_configuration *scheduler_configuration_new_default(void);
void scheduler_configuration_free(struct scheduler_configuration *configuration);

static inline const struct scheduler_profile *scheduler_configuration_profile(
        const struct scheduler_configuration *configuration, size_t index) {
        return (const struct scheduler_profile *)configuration->profiles.items + index;
}
