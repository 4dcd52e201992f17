/* KubeSchedulerConfiguration: its tables, defaults that need more than one field, and reading. */
#include "config/scheduler_configuration.h"

#include "base/base64.h"
#include "base/time.h"
#include "base/util.h"
#include "config/scheduler_configuration_priv.h"
#include "config/type_meta.h"
#include <stdlib.h>

#define API_VERSION "kubescheduler.config.k8s.io/v1"
#define KIND "KubeSchedulerConfiguration"
#define EXTENDER_TIMEOUT_NS (5 * NS_PER_S)
#define BACKOFF_MAX_S (INT64_MAX / NS_PER_S) /* so that it can be counted in nanoseconds */

/* ---- plugins and profiles ---- */

#define AT(member) .offset = offsetof(struct scheduler_plugin, member)
static const struct field enabled_fields[] = {
        { .name = "name", .type = FIELD_TEXT, AT(name), .help = "A plugin's name." },
        { .name = "weight",
          .type = FIELD_I32,
          AT(weight),
          .help = "Weight of its score; 0 or unset is the default weight." },
        FIELD_END,
};
static const struct field disabled_fields[] = {
        { .name = "name", .type = FIELD_TEXT, AT(name), .help = "A plugin's name, or * for all." },
        { .name = "weight", .type = FIELD_I32, AT(weight), .help = "Without effect." },
        FIELD_END,
};
#undef AT

#define AT(member) .offset = offsetof(struct scheduler_plugin_set, member)
static const struct field plugin_set_fields[] = {
        { .name = "enabled",
          .type = FIELD_LIST,
          AT(enabled),
          .fields = enabled_fields,
          .item_size = sizeof(struct scheduler_plugin),
          .help = "Plugins added, in order." },
        { .name = "disabled",
          .type = FIELD_LIST,
          AT(disabled),
          .fields = disabled_fields,
          .item_size = sizeof(struct scheduler_plugin),
          .help = "Default plugins taken out." },
        FIELD_END,
};
#undef AT

#define SET_ROW(row_name, member, text)                                                            \
        {                                                                                          \
                .name = (row_name), .type = FIELD_STRUCT,                                          \
                .offset = offsetof(struct scheduler_plugins, member), .fields = plugin_set_fields, \
                .help = (text)                                                                     \
        }
static const struct field plugins_fields[] = {
        SET_ROW("preEnqueue", pre_enqueue, "Asked before a pod is queued."),
        SET_ROW("queueSort", queue_sort, "Orders the queue; exactly one."),
        SET_ROW("preFilter", pre_filter, "Asked once per pod before nodes are looked at."),
        SET_ROW("filter", filter, "Rules nodes out."),
        SET_ROW("postFilter", post_filter, "Asked when no node is left."),
        SET_ROW("preScore", pre_score, "Prepares scoring."),
        SET_ROW("score", score, "Ranks nodes."),
        SET_ROW("reserve", reserve, "Told when a node was chosen."),
        SET_ROW("permit", permit, "May hold a pod back before binding."),
        SET_ROW("preBind", pre_bind, "Works before binding."),
        SET_ROW("bind", bind, "Binds the pod; at least one."),
        SET_ROW("postBind", post_bind, "Told after binding."),
        SET_ROW("placementGenerate", placement_generate, "Proposes placements of pod groups."),
        SET_ROW("placementScore", placement_score, "Ranks placements of pod groups."),
        SET_ROW("multiPoint", multi_point, "For every point the plugin takes part in."),
        FIELD_END,
};

#define AT(member) .offset = offsetof(struct scheduler_plugin_config, member)
static const struct field plugin_config_fields[] = {
        { .name = "name", .type = FIELD_TEXT, AT(name), .help = "A plugin's name." },
        { .name = "args",
          .type = FIELD_JSON,
          AT(args),
          .help = "The plugin's arguments; see its own section." },
        FIELD_END,
};
#undef AT

#define AT(member) .offset = offsetof(struct scheduler_profile, member)
static const struct field profile_fields[] = {
        { .name = "schedulerName",
          .type = FIELD_TEXT,
          AT(scheduler_name),
          .help = "Pods with this spec.schedulerName; a single profile defaults to "
                  "default-scheduler." },
        { .name = "percentageOfNodesToScore",
          .type = FIELD_I32,
          AT(percentage_of_nodes),
          .presence = offsetof(struct scheduler_profile, has_percentage),
          .is_bounded = true,
          .min = 0,
          .max = 100,
          .help = "Overrides the global value." },
        { .name = "plugins",
          .type = FIELD_STRUCT,
          AT(plugins),
          .fields = plugins_fields,
          .help = "Changes to the default plugins." },
        { .name = "pluginConfig",
          .type = FIELD_LIST,
          AT(plugin_configs),
          .fields = plugin_config_fields,
          .item_size = sizeof(struct scheduler_plugin_config),
          .help = "Arguments, each plugin at most once." },
        FIELD_END,
};
#undef AT

/* ---- extenders ---- */

/* []byte in Go: base64 in the file, bytes in memory. */
static void decode_bytes(struct field_reader *reader, const struct json *value, void *member) {
        struct buf data = { 0 };
        if (json_type(value) != JSON_STRING ||
            !base64_decode(json_text(value), BASE64_STANDARD, &data))
                field_problem(reader, value, NULL, "expected base64");
        else
                *(struct slice *)member = arena_slice(reader->arena, buf_view(&data));
        buf_release(&data);
}

static void encode_bytes(struct json_tree *tree, struct json_node *object, const char *name,
                         const void *member) {
        struct buf text = { 0 };
        base64_encode(*(const struct slice *)member, BASE64_STANDARD, &text);
        node_put_text(tree, object, name, buf_view(&text));
        buf_release(&text);
}

#define AT(member) .offset = offsetof(struct extender_tls, member)
#define BYTES(row_name, member, text)                                                              \
        {                                                                                          \
                .name = (row_name), .type = FIELD_CUSTOM, AT(member), .fallback = "\"\"",          \
                .decode = decode_bytes, .encode = encode_bytes, .help = (text)                     \
        }
static const struct field tls_fields[] = {
        { .name = "insecure",
          .type = FIELD_BOOL,
          AT(is_insecure),
          .help = "Do not verify the server's certificate." },
        { .name = "serverName",
          .type = FIELD_TEXT,
          AT(server_name),
          .help = "Name expected in the certificate." },
        { .name = "certFile", .type = FIELD_TEXT, AT(cert_file), .help = "Client certificate." },
        { .name = "keyFile", .type = FIELD_TEXT, AT(key_file), .help = "Client key." },
        { .name = "caFile", .type = FIELD_TEXT, AT(ca_file), .help = "Trusted certificates." },
        BYTES("certData", cert_data, "Client certificate, PEM in base64."),
        BYTES("keyData", key_data, "Client key, PEM in base64."),
        BYTES("caData", ca_data, "Trusted certificates, PEM in base64."),
        FIELD_END,
};
#undef AT
#undef BYTES

#define AT(member) .offset = offsetof(struct extender_resource, member)
static const struct field resource_fields[] = {
        { .name = "name",
          .type = FIELD_TEXT,
          AT(name),
          .help = "Extended resource; pods that use it are sent to the extender." },
        { .name = "ignoredByScheduler",
          .type = FIELD_BOOL,
          AT(is_ignored_by_scheduler),
          .help = "Do not check it against what nodes offer." },
        FIELD_END,
};
#undef AT

#define AT(member) .offset = offsetof(struct scheduler_extender, member)
static const struct field extender_fields[] = {
        { .name = "urlPrefix", .type = FIELD_TEXT, AT(url_prefix), .help = "Where it answers." },
        { .name = "filterVerb", .type = FIELD_TEXT, AT(filter_verb), .help = "Path to filter." },
        { .name = "preemptVerb", .type = FIELD_TEXT, AT(preempt_verb), .help = "Path to preempt." },
        { .name = "prioritizeVerb",
          .type = FIELD_TEXT,
          AT(prioritize_verb),
          .help = "Path to prioritise; needs a weight." },
        { .name = "weight", .type = FIELD_I64, AT(weight), .help = "Weight of its scores." },
        { .name = "bindVerb",
          .type = FIELD_TEXT,
          AT(bind_verb),
          .help = "Path to bind; at most one extender has it." },
        { .name = "enableHTTPS", .type = FIELD_BOOL, AT(uses_https), .help = "Use TLS." },
        { .name = "tlsConfig",
          .type = FIELD_POINTER,
          AT(tls),
          .fields = tls_fields,
          .item_size = sizeof(struct extender_tls),
          .help = "How to use TLS." },
        { .name = "httpTimeout",
          .type = FIELD_DURATION,
          AT(timeout_ns),
          .fallback = "\"5s\"",
          .help = "Time limit of a call." },
        { .name = "nodeCacheCapable",
          .type = FIELD_BOOL,
          AT(is_node_cache_capable),
          .help = "Send node names instead of nodes." },
        { .name = "managedResources",
          .type = FIELD_LIST,
          AT(managed_resources),
          .fields = resource_fields,
          .item_size = sizeof(struct extender_resource),
          .help = "Only pods that use one of these are sent; empty sends all." },
        { .name = "ignorable",
          .type = FIELD_BOOL,
          AT(is_ignorable),
          .help = "Go on without it when it does not answer." },
        FIELD_END,
};
#undef AT

/* ---- the process ---- */

#define AT(member) .offset = offsetof(struct leader_election_configuration, member)
static const struct field leader_fields[] = {
        { .name = "leaderElect",
          .type = FIELD_BOOL,
          AT(leader_elect),
          .fallback = "true",
          .help = "Work only while holding the lease." },
        { .name = "leaseDuration",
          .type = FIELD_DURATION,
          AT(lease_duration_ns),
          .fallback = LEASE_DURATION_DEFAULT,
          .help = "How long others wait before they take over." },
        { .name = "renewDeadline",
          .type = FIELD_DURATION,
          AT(renew_deadline_ns),
          .fallback = RENEW_DEADLINE_DEFAULT,
          .help = "How long the holder tries to renew." },
        { .name = "retryPeriod",
          .type = FIELD_DURATION,
          AT(retry_period_ns),
          .fallback = RETRY_PERIOD_DEFAULT,
          .help = "Time between attempts." },
        { .name = "resourceLock",
          .type = FIELD_TEXT,
          AT(resource_lock),
          .fallback = "\"leases\"",
          .help = "Only leases." },
        { .name = "resourceNamespace",
          .type = FIELD_TEXT,
          AT(resource_namespace),
          .fallback = "\"kube-system\"",
          .help = "Namespace of the lease." },
        { .name = "resourceName",
          .type = FIELD_TEXT,
          AT(resource_name),
          .fallback = "\"kube-scheduler\"",
          .help = "Name of the lease." },
        FIELD_END,
};
#undef AT

#define AT(member) .offset = offsetof(struct client_connection_configuration, member)
static const struct field client_fields[] = {
        { .name = "kubeconfig", .type = FIELD_TEXT, AT(kubeconfig), .help = "File to use." },
        { .name = "acceptContentTypes",
          .type = FIELD_TEXT,
          AT(accept_content_types),
          .help = "Accepted without effect: JSON is asked for." },
        { .name = "contentType",
          .type = FIELD_TEXT,
          AT(content_type),
          .fallback = "\"application/vnd.kubernetes.protobuf\"",
          .help = "Accepted without effect: JSON is sent." },
        { .name = "qps",
          .type = FIELD_F64,
          AT(qps),
          .help = "Writes per second, on average; no limit unless one of the two is given." },
        { .name = "burst",
          .type = FIELD_I32,
          AT(burst),
          .is_bounded = true,
          .min = 0,
          .max = INT64_MAX,
          .help = "Writes that may be sent at once." },
        FIELD_END,
};
#undef AT

#define AT(member) .offset = offsetof(struct scheduler_configuration, member)
const struct field scheduler_configuration_fields[] = {
        { .name = "apiVersion", .type = FIELD_TEXT, AT(api_version), .help = API_VERSION },
        { .name = "kind", .type = FIELD_TEXT, AT(kind), .help = KIND },
        { .name = "parallelism",
          .type = FIELD_I32,
          AT(parallelism),
          .is_bounded = true,
          .min = 1,
          .max = INT64_MAX,
          .fallback = "16",
          .help = "Shapes the chunks in which nodes are examined." },
        { .name = "leaderElection",
          .type = FIELD_STRUCT,
          AT(leader_election),
          .fields = leader_fields,
          .help = "One of several schedulers works." },
        { .name = "clientConnection",
          .type = FIELD_STRUCT,
          AT(client_connection),
          .fields = client_fields,
          .help = "How to reach the API server." },
        { .name = "enableProfiling",
          .type = FIELD_BOOL,
          AT(enables_profiling),
          .fallback = "true",
          .help = "Accepted without effect." },
        { .name = "enableContentionProfiling",
          .type = FIELD_BOOL,
          AT(enables_contention_profiling),
          .fallback = "true",
          .help = "Accepted without effect." },
        { .name = "percentageOfNodesToScore",
          .type = FIELD_I32,
          AT(percentage_of_nodes),
          .is_bounded = true,
          .min = 0,
          .max = 100,
          .fallback = "0",
          .help = "When enough nodes fit, stop looking; 0 depends on the size of the cluster." },
        { .name = "podInitialBackoffSeconds",
          .type = FIELD_I64,
          AT(pod_initial_backoff_s),
          .is_bounded = true,
          .min = 1,
          .max = BACKOFF_MAX_S,
          .fallback = "1",
          .help = "Wait before the second attempt." },
        { .name = "podMaxBackoffSeconds",
          .type = FIELD_I64,
          AT(pod_max_backoff_s),
          .is_bounded = true,
          .min = INT64_MIN,
          .max = BACKOFF_MAX_S,
          .fallback = "10",
          .help = "Longest wait between attempts." },
        { .name = "profiles",
          .type = FIELD_LIST,
          AT(profiles),
          .fields = profile_fields,
          .item_size = sizeof(struct scheduler_profile),
          .help = "One scheduler name each." },
        { .name = "extenders",
          .type = FIELD_LIST,
          AT(extenders),
          .fields = extender_fields,
          .item_size = sizeof(struct scheduler_extender),
          .help = "HTTP services asked in addition to the plugins." },
        { .name = "delayCacheUntilActive",
          .type = FIELD_BOOL,
          AT(delays_cache_until_active),
          .help = "Watch objects only after becoming leader." },
        FIELD_END,
};
#undef AT

/* ---- defaults that need more than one field ---- */

static void default_duration(int64_t *duration, const char *quoted) {
        struct slice text = slice_make(quoted + 1, strlen(quoted) - 2);
        if (*duration == 0)
                duration_parse(text, duration);
}

static void default_text(struct slice *text, const char *fallback) {
        if (text->len == 0)
                *text = slice_of(fallback);
}

/* Zero and empty count as unset, as upstream has it. */
static void default_process(struct scheduler_configuration *configuration) {
        struct leader_election_configuration *leader = &configuration->leader_election;
        struct client_connection_configuration *client = &configuration->client_connection;
        default_duration(&leader->lease_duration_ns, LEASE_DURATION_DEFAULT);
        default_duration(&leader->renew_deadline_ns, RENEW_DEADLINE_DEFAULT);
        default_duration(&leader->retry_period_ns, RETRY_PERIOD_DEFAULT);
        default_text(&leader->resource_lock, "leases");
        default_text(&leader->resource_namespace, "kube-system");
        default_text(&leader->resource_name, "kube-scheduler");
        default_text(&client->content_type, "application/vnd.kubernetes.protobuf");
        client->has_limit = client->qps > 0 || (!(client->qps < 0) && client->burst > 0);
        if (!(client->qps < 0) && !(client->qps > 0))
                client->qps = 50;
        if (client->burst == 0)
                client->burst = 100;
}

/* A name written as "" is not unset: it is an error later. */
static void default_profiles(struct scheduler_configuration *configuration) {
        struct item_list *profiles = &configuration->profiles;
        const struct json *name = NULL;
        if (profiles->count == 0) {
                *profiles = (struct item_list){ 1, arena_alloc(&configuration->arena,
                                                               sizeof(struct scheduler_profile)) };
                fields_default(&configuration->arena, profile_fields, profiles->items);
        }
        struct scheduler_profile *first = profiles->items;
        if (configuration->document)
                name = json_get(
                        json_at(json_get(document_root(configuration->document), "profiles"), 0),
                        "schedulerName");
        if (profiles->count == 1 && json_type(name) <= JSON_NULL)
                first->scheduler_name = SLICE_LITERAL(SCHEDULER_NAME_DEFAULT);
}

static void default_extenders(struct scheduler_configuration *configuration) {
        struct scheduler_extender *extenders = configuration->extenders.items;
        for (size_t i = 0; i < configuration->extenders.count; i++) {
                if (extenders[i].timeout_ns == 0)
                        extenders[i].timeout_ns = EXTENDER_TIMEOUT_NS;
        }
}

static void apply_defaults(struct scheduler_configuration *configuration) {
        const struct json *contention = NULL;
        default_text(&configuration->api_version, API_VERSION);
        default_text(&configuration->kind, KIND);
        default_process(configuration);
        default_profiles(configuration);
        default_extenders(configuration);
        if (configuration->document)
                contention = json_get(document_root(configuration->document),
                                      "enableContentionProfiling");
        if (json_type(contention) <= JSON_NULL)
                configuration->enables_contention_profiling = configuration->enables_profiling;
}

/* ---- reading ---- */

static void scheduler_configuration_decode(struct scheduler_configuration *configuration,
                                           struct config_problems *problems) {
        const struct json *root = document_root(configuration->document);
        struct field_reader reader = { .document = configuration->document,
                                       .arena = &configuration->arena,
                                       .problems = problems,
                                       .unknown = UNKNOWN_IS_ERROR };
        fields_decode(&reader, scheduler_configuration_fields, root, configuration);
        config_problems_add_duplicates(problems, configuration->document);
        if (document_has_more(configuration->document))
                field_warning(&reader, NULL, NULL, "only the first document is read");
        apply_defaults(configuration);
        scheduler_configuration_check(configuration, problems);
}

static struct scheduler_configuration *configuration_new(const struct document *document) {
        struct scheduler_configuration *configuration = xcalloc(1, sizeof(*configuration));
        arena_init(&configuration->arena, 0);
        configuration->document = document;
        return configuration;
}

struct scheduler_configuration *scheduler_configuration_read(struct slice text, const char *file,
                                                             struct config_problems *problems) {
        struct document *document = NULL;
        struct err err = { 0 };
        if (document_read(text, file, &document, &err) < 0) {
                config_problems_add(problems, &err);
                return NULL;
        }
        return scheduler_configuration_take(document, problems);
}

struct scheduler_configuration *scheduler_configuration_take(struct document *document,
                                                             struct config_problems *problems) {
        static const struct type_meta_rule rule = { .api_version = API_VERSION, .kind = KIND };
        if (!type_meta_check(document, document_root(document), &rule, problems)) {
                document_free(document);
                return NULL;
        }
        struct scheduler_configuration *configuration = configuration_new(document);
        scheduler_configuration_decode(configuration, problems);
        return configuration;
}

struct scheduler_configuration *scheduler_configuration_new_default(void) {
        struct scheduler_configuration *configuration = configuration_new(NULL);
        fields_default(&configuration->arena, scheduler_configuration_fields, configuration);
        apply_defaults(configuration);
        return configuration;
}

void scheduler_configuration_free(struct scheduler_configuration *configuration) {
        if (!configuration)
                return;
        document_free((struct document *)configuration->document);
        arena_release(&configuration->arena);
        free(configuration);
}
