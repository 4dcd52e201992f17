/* The rules of KubeSchedulerConfiguration that span fields. */
#include "api/selector.h"
#include "base/map.h"
#include "base/time.h"
#include "base/util.h"
#include "config/scheduler_configuration.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct configuration_check {
        const struct scheduler_configuration *configuration;
        struct field_reader reader;
        const struct json *root; /* NULL without a document */
};

static void __attribute__((format(printf, 3, 4)))
problem_at(struct configuration_check *check, const char *path, const char *format, ...) {
        char text[ERR_TEXT_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        snprintf(check->reader.path, sizeof(check->reader.path), "%s", path);
        field_problem(&check->reader, check->root ? document_find_path(check->root, path) : NULL,
                      NULL, "%s", text);
        check->reader.path[0] = '\0';
}

/* ---- the process ---- */

static void check_duration(struct configuration_check *check, const char *path, int64_t duration) {
        char text[DURATION_TEXT_MAX];
        duration_format(duration, text);
        if (duration <= 0)
                problem_at(check, path, "must be greater than 0s, is %s", text);
}

static void check_leader_election(struct configuration_check *check) {
        const struct leader_election_configuration *leader = &check->configuration->leader_election;
        char lease[DURATION_TEXT_MAX], renew[DURATION_TEXT_MAX];
        if (!leader->leader_elect)
                return;
        check_duration(check, "leaderElection.leaseDuration", leader->lease_duration_ns);
        check_duration(check, "leaderElection.renewDeadline", leader->renew_deadline_ns);
        check_duration(check, "leaderElection.retryPeriod", leader->retry_period_ns);
        duration_format(leader->lease_duration_ns, lease);
        duration_format(leader->renew_deadline_ns, renew);
        if (leader->lease_duration_ns <= leader->renew_deadline_ns)
                problem_at(check, "leaderElection.leaseDuration",
                           "must be greater than renewDeadline %s, is %s", renew, lease);
        if (!slice_is(leader->resource_lock, "leases"))
                problem_at(check, "leaderElection.resourceLock",
                           "expected \"leases\", found \"" SLICE_FMT "\"",
                           SLICE_ARG(leader->resource_lock));
        if (leader->resource_namespace.len == 0)
                problem_at(check, "leaderElection.resourceNamespace", "must not be empty");
        if (leader->resource_name.len == 0)
                problem_at(check, "leaderElection.resourceName", "must not be empty");
}

static void check_backoff(struct configuration_check *check) {
        int64_t initial = check->configuration->pod_initial_backoff_s;
        int64_t longest = check->configuration->pod_max_backoff_s;
        if (longest < initial)
                problem_at(check, "podMaxBackoffSeconds",
                           "must be at least podInitialBackoffSeconds %" PRId64 ", is %" PRId64,
                           initial, longest);
}

/* ---- profiles ---- */

/* Taken out of Kubernetes; multiPoint does not look at this list, as upstream. */
static const char *const removed_plugins[] = { "AzureDiskLimits", "CinderLimits", "EBSLimits",
                                               "GCEPDLimits" };

static bool is_removed(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(removed_plugins); i++) {
                if (slice_is(name, removed_plugins[i]))
                        return true;
        }
        return false;
}

static void check_set(struct configuration_check *check, size_t profile, const char *point,
                      const struct scheduler_plugin_set *set) {
        const struct scheduler_plugin *enabled = set->enabled.items;
        char path[ERR_PATH_MAX];
        for (size_t i = 0; i < set->enabled.count; i++) {
                if (!is_removed(enabled[i].name))
                        continue;
                snprintf(path, sizeof(path), "profiles[%zu].plugins.%s.enabled[%zu].name", profile,
                         point, i);
                problem_at(check, path, "plugin \"" SLICE_FMT "\" was removed",
                           SLICE_ARG(enabled[i].name));
        }
}

static void check_sets(struct configuration_check *check, size_t profile,
                       const struct scheduler_plugins *plugins) {
        const struct {
                const char *point;
                const struct scheduler_plugin_set *set;
        } sets[] = {
                { "preEnqueue", &plugins->pre_enqueue },
                { "queueSort", &plugins->queue_sort },
                { "preFilter", &plugins->pre_filter },
                { "filter", &plugins->filter },
                { "postFilter", &plugins->post_filter },
                { "preScore", &plugins->pre_score },
                { "score", &plugins->score },
                { "reserve", &plugins->reserve },
                { "permit", &plugins->permit },
                { "preBind", &plugins->pre_bind },
                { "bind", &plugins->bind },
                { "postBind", &plugins->post_bind },
        };
        for (size_t i = 0; i < ARRAY_LEN(sets); i++)
                check_set(check, profile, sets[i].point, sets[i].set);
}

static void check_plugin_configs(struct configuration_check *check, size_t index,
                                 const struct scheduler_profile *profile) {
        const struct scheduler_plugin_config *configs = profile->plugin_configs.items;
        struct map *seen = map_new();
        char path[ERR_PATH_MAX];
        for (size_t i = 0; i < profile->plugin_configs.count; i++) {
                snprintf(path, sizeof(path), "profiles[%zu].pluginConfig[%zu].name", index, i);
                if (map_put(seen, configs[i].name, (void *)&configs[i]))
                        problem_at(check, path, "\"" SLICE_FMT "\" has an entry already",
                                   SLICE_ARG(configs[i].name));
                if (is_removed(configs[i].name))
                        problem_at(check, path, "plugin \"" SLICE_FMT "\" was removed",
                                   SLICE_ARG(configs[i].name));
        }
        map_free(seen);
}

static void check_profile_names(struct configuration_check *check) {
        struct map *seen = map_new();
        char path[ERR_PATH_MAX];
        for (size_t i = 0; i < check->configuration->profiles.count; i++) {
                const struct scheduler_profile *profile =
                        scheduler_configuration_profile(check->configuration, i);
                snprintf(path, sizeof(path), "profiles[%zu].schedulerName", i);
                if (profile->scheduler_name.len == 0)
                        problem_at(check, path, "must not be empty where there are %zu profiles",
                                   check->configuration->profiles.count);
                else if (map_put(seen, profile->scheduler_name, (void *)profile))
                        problem_at(check, path, "\"" SLICE_FMT "\" is another profile's name",
                                   SLICE_ARG(profile->scheduler_name));
        }
        map_free(seen);
}

/* ---- queueSort: one queue serves all profiles ---- */

static bool is_same_list(const struct item_list *a, const struct item_list *b) {
        const struct scheduler_plugin *left = a->items, *right = b->items;
        if (a->count != b->count)
                return false;
        for (size_t i = 0; i < a->count; i++) {
                if (!slice_eq(left[i].name, right[i].name) || left[i].weight != right[i].weight)
                        return false;
        }
        return true;
}

/* Arguments of the plugin by that name; the last entry counts, as upstream. */
static const struct json *args_of(const struct scheduler_profile *profile, struct slice name,
                                  bool *ret_found) {
        const struct scheduler_plugin_config *configs = profile->plugin_configs.items;
        const struct json *args = NULL;
        *ret_found = false;
        for (size_t i = 0; i < profile->plugin_configs.count; i++) {
                if (!slice_eq(configs[i].name, name))
                        continue;
                args = configs[i].args;
                *ret_found = true;
        }
        return args;
}

static void compare_queue_sort(struct configuration_check *check, size_t index) {
        const struct scheduler_profile *first =
                scheduler_configuration_profile(check->configuration, 0);
        const struct scheduler_profile *profile =
                scheduler_configuration_profile(check->configuration, index);
        const struct scheduler_plugin_set *wanted = &first->plugins.queue_sort;
        const struct scheduler_plugin_set *given = &profile->plugins.queue_sort;
        const struct scheduler_plugin *plugin = wanted->enabled.items;
        bool has_args, first_has_args;
        char path[ERR_PATH_MAX];
        if (!is_same_list(&wanted->enabled, &given->enabled) ||
            !is_same_list(&wanted->disabled, &given->disabled)) {
                snprintf(path, sizeof(path), "profiles[%zu].plugins.queueSort", index);
                problem_at(check, path, "must be the same in all profiles");
        }
        if (wanted->enabled.count == 0)
                return;
        const struct json *args = args_of(profile, plugin->name, &has_args);
        if (has_args && !json_equal(args_of(first, plugin->name, &first_has_args), args)) {
                snprintf(path, sizeof(path), "profiles[%zu].pluginConfig", index);
                problem_at(check, path,
                           "arguments of \"" SLICE_FMT "\" must be the same in all profiles",
                           SLICE_ARG(plugin->name));
        }
}

static void check_queue_sort(struct configuration_check *check) {
        const struct scheduler_profile *first =
                scheduler_configuration_profile(check->configuration, 0);
        size_t count = first->plugins.queue_sort.enabled.count;
        if (count > 1)
                problem_at(check, "profiles[0].plugins.queueSort.enabled",
                           "only one queue sort plugin can be enabled, found %zu", count);
        for (size_t i = 1; i < check->configuration->profiles.count; i++)
                compare_queue_sort(check, i);
}

static void check_profiles(struct configuration_check *check) {
        for (size_t i = 0; i < check->configuration->profiles.count; i++) {
                const struct scheduler_profile *profile =
                        scheduler_configuration_profile(check->configuration, i);
                check_sets(check, i, &profile->plugins);
                check_plugin_configs(check, i, profile);
        }
        check_profile_names(check);
        check_queue_sort(check);
}

/* ---- extenders ---- */

#define REQUESTS_PREFIX "requests."

/* NULL when name is one of an extended resource. */
static const char *resource_problem(struct slice name) {
        char quota[ERR_PATH_MAX];
        const char *problem = label_key_problem(name);
        if (problem)
                return problem;
        snprintf(quota, sizeof(quota), REQUESTS_PREFIX SLICE_FMT, SLICE_ARG(name));
        if (!slice_contains(name, SLICE_LITERAL("/")) ||
            slice_contains(name, SLICE_LITERAL("kubernetes.io/")) ||
            slice_has_prefix(name, SLICE_LITERAL(REQUESTS_PREFIX)) ||
            label_key_problem(slice_of(quota)))
                return "is no extended resource";
        return NULL;
}

static void check_resources(struct configuration_check *check, size_t index,
                            const struct scheduler_extender *extender, struct map *seen) {
        const struct extender_resource *resources = extender->managed_resources.items;
        char path[ERR_PATH_MAX];
        for (size_t i = 0; i < extender->managed_resources.count; i++) {
                const char *problem = resource_problem(resources[i].name);
                snprintf(path, sizeof(path), "extenders[%zu].managedResources[%zu].name", index, i);
                if (problem)
                        problem_at(check, path, "\"" SLICE_FMT "\": %s",
                                   SLICE_ARG(resources[i].name), problem);
                if (map_put(seen, resources[i].name, (void *)&resources[i]))
                        problem_at(check, path, "\"" SLICE_FMT "\" is managed already",
                                   SLICE_ARG(resources[i].name));
        }
}

static void check_extenders(struct configuration_check *check) {
        const struct scheduler_extender *extenders = check->configuration->extenders.items;
        struct map *seen = map_new();
        size_t binders = 0;
        char path[ERR_PATH_MAX];
        for (size_t i = 0; i < check->configuration->extenders.count; i++) {
                snprintf(path, sizeof(path), "extenders[%zu].weight", i);
                if (extenders[i].prioritize_verb.len > 0 && extenders[i].weight <= 0)
                        problem_at(check, path,
                                   "must be at least 1 where prioritizeVerb is set, is %" PRId64,
                                   extenders[i].weight);
                binders += extenders[i].bind_verb.len > 0;
                check_resources(check, i, &extenders[i], seen);
        }
        if (binders > 1)
                problem_at(check, "extenders", "only one extender can bind, found %zu", binders);
        map_free(seen);
}

void scheduler_configuration_check(const struct scheduler_configuration *configuration,
                                   struct config_problems *problems) {
        struct configuration_check check = { .configuration = configuration,
                                             .reader = { .document = configuration->document,
                                                         .problems = problems } };
        if (configuration->document)
                check.root = document_root(configuration->document);
        check_leader_election(&check);
        check_backoff(&check);
        check_profiles(&check);
        check_extenders(&check);
}
