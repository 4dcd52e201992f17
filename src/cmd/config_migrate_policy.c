/* DeschedulerPolicy v1alpha1, a map of strategies, as v1alpha2: one profile for each strategy that
 * is enabled, as the Descheduler itself read such files up to 0.29. */
#include "cmd/config_migrate_kinds.h"

#include "base/name_hint.h"
#include "base/util.h"
#include "plugin/desched_points.h"
#include "plugin/plugin.h"
#include "plugins/desched/registry.h"
#include <string.h>

#define API_VERSION "descheduler/v1alpha2"
#define SOFT "includeSoftConstraints"
#define PHASES "podLifeTime.podStatusPhases"
#define STATES "podLifeTime.states"

/* A member of params, and the argument that it is now. */
struct param {
        const char *from, *to;
};
#define P(old_name, new_name)                                                                      \
        { old_name, new_name }
#define SCOPE P("namespaces", "namespaces"), P("labelSelector", "labelSelector")
#define PARAMS(...)                                                                                \
        (const struct param[]) {                                                                   \
                __VA_ARGS__, {                                                                     \
                        NULL, NULL                                                                 \
                }                                                                                  \
        }
#define USAGE "nodeResourceUtilizationThresholds."

static const struct strategy {
        const char *name;
        const struct param *params;
} strategies[] = {
        { "RemoveDuplicates",
          PARAMS(P("namespaces", "namespaces"),
                 P("removeDuplicates.excludeOwnerKinds", "excludeOwnerKinds")) },
        { "LowNodeUtilization",
          PARAMS(P("namespaces", "evictableNamespaces"), P(USAGE "thresholds", "thresholds"),
                 P(USAGE "targetThresholds", "targetThresholds"),
                 P(USAGE "useDeviationThresholds", "useDeviationThresholds"),
                 P(USAGE "numberOfNodes", "numberOfNodes")) },
        { "HighNodeUtilization",
          PARAMS(P("namespaces", "evictableNamespaces"), P(USAGE "thresholds", "thresholds"),
                 P(USAGE "numberOfNodes", "numberOfNodes")) },
        { "RemovePodsViolatingInterPodAntiAffinity", PARAMS(SCOPE) },
        { "RemovePodsViolatingNodeAffinity",
          PARAMS(SCOPE, P("nodeAffinityType", "nodeAffinityType")) },
        { "RemovePodsViolatingNodeTaints",
          PARAMS(SCOPE, P("includePreferNoSchedule", "includePreferNoSchedule"),
                 P("excludedTaints", "excludedTaints")) },
        { "RemovePodsViolatingTopologySpreadConstraint", PARAMS(SCOPE, P(SOFT, "constraints")) },
        { "RemovePodsHavingTooManyRestarts",
          PARAMS(SCOPE, P("podsHavingTooManyRestarts.podRestartThreshold", "podRestartThreshold"),
                 P("podsHavingTooManyRestarts.includingInitContainers",
                   "includingInitContainers")) },
        { "PodLifeTime",
          PARAMS(SCOPE, P("podLifeTime.maxPodLifeTimeSeconds", "maxPodLifeTimeSeconds"),
                 P(STATES, "states"), P(PHASES, "states")) },
        { "RemoveFailedPods",
          PARAMS(SCOPE, P("failedPods.excludeOwnerKinds", "excludeOwnerKinds"),
                 P("failedPods.minPodLifetimeSeconds", "minPodLifetimeSeconds"),
                 P("failedPods.reasons", "reasons"),
                 P("failedPods.includingInitContainers", "includingInitContainers")) },
};

/* Members of params that are DefaultEvictor's now. */
static const struct param evictor_params[] = {
        { "nodeFit", "nodeFit" },
        { "thresholdPriority", "priorityThreshold.value" },
        { "thresholdPriorityClassName", "priorityThreshold.name" },
        { NULL, NULL },
};

/* Members of the policy; those of DefaultEvictor are in every profile now. */
static const struct {
        const char *name;
        bool is_of_evictor;
} members[] = {
        { "apiVersion", false },
        { "kind", false },
        { "strategies", false },
        { "nodeSelector", false },
        { "maxNoOfPodsToEvictPerNode", false },
        { "maxNoOfPodsToEvictPerNamespace", false },
        { "evictFailedBarePods", true },
        { "evictLocalStoragePods", true },
        { "evictSystemCriticalPods", true },
        { "ignorePvcPods", true },
};

struct policy_walk {
        struct config_migration *migration;
        const struct strategy *strategy;
        const char *path;        /* of the strategy's params in the old file */
        const char *config_path; /* of the profile's pluginConfig in the new one */
        struct json_node *evictor, *args;
};

/* ---- names ---- */

static const struct param *find_param(const struct param *params, const char *from) {
        for (; params->from; params++)
                if (strcmp(params->from, from) == 0)
                        return params;
        return NULL;
}

/* Whether some strategy has it, or has members below it. */
static bool is_known_param(const char *from, bool *ret_has_members) {
        size_t length = strlen(from);
        bool is_known = false;

        *ret_has_members = false;
        for (size_t i = 0; i < ARRAY_LEN(strategies); i++)
                for (const struct param *p = strategies[i].params; p->from; p++) {
                        bool begins = strncmp(p->from, from, length) == 0;

                        is_known |= begins && p->from[length] == '\0';
                        *ret_has_members |= begins && p->from[length] == '.';
                }
        return is_known || *ret_has_members;
}

/* The last segment of each known name may be meant. */
static void hint_param(struct name_hint *hint, const struct param *params) {
        for (; params->from; params++) {
                const char *dot = strchr(params->from, '.');

                name_hint_try(hint, dot ? dot + 1 : params->from);
        }
}

static void refuse_unknown(struct config_migration *migration, const char *path,
                           const struct name_hint *hint) {
        config_migration_refuse(migration, path, "unknown field%s%s%s",
                                hint->best ? "; did you mean \"" : "", hint->best ? hint->best : "",
                                hint->best ? "\"?" : "");
}

/* ---- parameters ---- */

/* States come from two members; those that were called phases go first. */
static void add_states(struct policy_walk *walk, const struct json *value, bool are_first) {
        struct json_tree *tree = walk->migration->tree;
        struct json_node *states = node_need_array(tree, walk->args, "states");
        struct json_iter iter = json_iter(value);
        const struct json *state;

        while (json_next(&iter, NULL, &state)) {
                if (are_first)
                        node_insert(states, iter.index - 1, node_import(tree, state));
                else
                        node_append(states, node_import(tree, state));
        }
}

static void add_soft(struct policy_walk *walk, const struct json *value) {
        struct json_tree *tree = walk->migration->tree;
        struct json_node *list = node_need_array(tree, walk->args, "constraints");

        node_append(list, node_string(tree, "DoNotSchedule"));
        if (json_is_true(value))
                node_append(list, node_string(tree, "ScheduleAnyway"));
}

static void set_argument(struct policy_walk *walk, const char *from, const char *to,
                         const struct json *value, const char *path) {
        struct json_tree *tree = walk->migration->tree;

        if (strcmp(from, SOFT) == 0)
                add_soft(walk, value);
        else if (json_type(value) == JSON_ARRAY &&
                 (strcmp(from, STATES) == 0 || strcmp(from, PHASES) == 0))
                add_states(walk, value, strcmp(from, PHASES) == 0);
        else
                node_put(tree, walk->args, to, node_import(tree, value));
        config_migration_note(walk->migration, path, "now %s[1].args.%s", walk->config_path, to);
}

static void set_evictor(struct policy_walk *walk, const struct param *param,
                        const struct json *value, const char *path) {
        struct json_tree *tree = walk->migration->tree;
        const char *dot = strchr(param->to, '.');
        struct json_node *into = walk->evictor;

        if (strcmp(param->from, "nodeFit") == 0 &&
            strcmp(walk->strategy->name, "PodLifeTime") == 0) {
                config_migration_note(walk->migration, path,
                                      "had no effect for PodLifeTime: left out");
                return;
        }
        if (dot)
                into = node_need_object(tree, into, "priorityThreshold");
        node_put(tree, into, dot ? dot + 1 : param->to, node_import(tree, value));
        config_migration_note(walk->migration, path, "now %s[0].args.%s", walk->config_path,
                              param->to);
}

static void migrate_params(struct policy_walk *walk, const struct json *params, const char *prefix);

static void migrate_param(struct policy_walk *walk, const char *from, const struct json *value) {
        const char *path = arena_printf(&walk->migration->arena, "%s.%s", walk->path, from);
        const struct param *own = find_param(walk->strategy->params, from);
        const struct param *evictor = find_param(evictor_params, from);
        struct name_hint hint =
                name_hint_start(slice_of(strrchr(from, '.') ? strrchr(from, '.') + 1 : from));
        bool has_members;

        if (own)
                set_argument(walk, own->from, own->to, value, path);
        else if (evictor)
                set_evictor(walk, evictor, value, path);
        else if (is_known_param(from, &has_members) && has_members &&
                 json_type(value) == JSON_OBJECT)
                migrate_params(walk, value, from);
        else if (is_known_param(from, &has_members))
                config_migration_note(walk->migration, path, "%s does not use it: left out",
                                      walk->strategy->name);
        else {
                hint_param(&hint, walk->strategy->params);
                hint_param(&hint, evictor_params);
                refuse_unknown(walk->migration, path, &hint);
        }
}

static void migrate_params(struct policy_walk *walk, const struct json *params,
                           const char *prefix) {
        struct json_iter iter = json_iter(params);
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value))
                if (json_type(value) != JSON_NULL)
                        migrate_param(walk,
                                      arena_printf(&walk->migration->arena, "%s%s" SLICE_FMT,
                                                   prefix, *prefix ? "." : "", SLICE_ARG(key)),
                                      value);
}

/* ---- strategies ---- */

static const struct strategy *find_strategy(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(strategies); i++)
                if (slice_is(name, strategies[i].name))
                        return &strategies[i];
        return NULL;
}

static void refuse_strategy(struct config_migration *migration, struct slice name,
                            const char *path) {
        struct name_hint hint = name_hint_start(name);

        for (size_t i = 0; i < ARRAY_LEN(strategies); i++)
                name_hint_try(&hint, strategies[i].name);
        config_migration_refuse(migration, path, "unknown strategy%s%s%s",
                                hint.best ? "; did you mean \"" : "", hint.best ? hint.best : "",
                                hint.best ? "\"?" : "");
}

static struct json_node *add_config(struct config_migration *migration, struct json_node *list,
                                    const char *name, struct json_node *args) {
        struct json_node *config = node_object(migration->tree);

        node_put_string(migration->tree, config, "name", name);
        if (node_count(args))
                node_put(migration->tree, config, "args", args);
        node_append(list, config);
        return config;
}

static const char *point_of(const struct strategy *strategy) {
        const struct plugin *plugin = plugin_find(desched_registry, slice_of(strategy->name));

        return plugin->desched->balance ? "balance" : "deschedule";
}

static void add_profile(struct policy_walk *walk, struct json_node *profiles) {
        struct config_migration *migration = walk->migration;
        struct json_tree *tree = migration->tree;
        struct json_node *profile = node_object(tree);
        const char *name = walk->strategy->name;

        node_put_string(tree, profile, "name",
                        arena_printf(&migration->arena, "strategy-%s-profile", name));
        struct json_node *configs = node_need_array(tree, profile, "pluginConfig");
        add_config(migration, configs, "DefaultEvictor", walk->evictor);
        add_config(migration, configs, name, walk->args);
        struct json_node *point = node_need_object(tree, node_need_object(tree, profile, "plugins"),
                                                   point_of(walk->strategy));
        node_append(node_need_array(tree, point, "enabled"), node_string(tree, name));
        node_append(profiles, profile);
}

/* enabled, weight and params are all that a strategy has. */
static void check_members(struct config_migration *migration, const struct json *strategy,
                          const char *path) {
        struct json_iter iter = json_iter(strategy);
        const struct json *value;
        struct slice key;

        while (json_next(&iter, &key, &value)) {
                const char *where =
                        arena_printf(&migration->arena, "%s." SLICE_FMT, path, SLICE_ARG(key));
                struct name_hint hint = name_hint_start(key);

                name_hint_try(&hint, "enabled");
                name_hint_try(&hint, "params");
                if (slice_is(key, "weight"))
                        config_migration_note(migration, where, "had no effect: left out");
                else if (!slice_is(key, "enabled") && !slice_is(key, "params"))
                        refuse_unknown(migration, where, &hint);
        }
}

static void migrate_strategy(struct policy_walk *walk, const struct json *value, const char *path,
                             struct json_node *profiles) {
        struct config_migration *migration = walk->migration;
        const struct json *params = json_get(value, "params");

        check_members(migration, value, path);
        if (!json_is_true(json_get(value, "enabled"))) {
                config_migration_note(migration, path, "not enabled: left out");
                return;
        }
        if (json_type(json_get(params, "thresholdPriority")) > JSON_NULL &&
            json_get_text(params, "thresholdPriorityClassName").len)
                config_migration_refuse(migration, path,
                                        "only one of thresholdPriority and "
                                        "thresholdPriorityClassName can be set");
        walk->path = arena_printf(&migration->arena, "%s.params", path);
        walk->config_path =
                arena_printf(&migration->arena, "profiles[%zu].pluginConfig", node_count(profiles));
        walk->args = node_object(migration->tree);
        config_migration_note(migration, path, "now profiles[%zu], at plugins.%s",
                              node_count(profiles), point_of(walk->strategy));
        migrate_params(walk, params, "");
        add_profile(walk, profiles);
}

static void migrate_strategies(struct config_migration *migration, struct json_node *profiles,
                               const struct json_node *evictor) {
        struct json_iter iter = json_iter(json_get(migration->old, "strategies"));
        const struct json *value;
        struct slice name;

        while (json_next(&iter, &name, &value)) {
                const char *path =
                        arena_printf(&migration->arena, "strategies." SLICE_FMT, SLICE_ARG(name));
                struct policy_walk walk = { .migration = migration,
                                            .strategy = find_strategy(name) };

                if (!walk.strategy) {
                        refuse_strategy(migration, name, path);
                        continue;
                }
                walk.evictor = node_clone(migration->tree, evictor);
                migrate_strategy(&walk, value, path, profiles);
        }
}

/* ---- the policy ---- */

static void refuse_member(struct config_migration *migration, struct slice key) {
        struct name_hint hint = name_hint_start(key);

        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                name_hint_try(&hint, members[i].name);
        refuse_unknown(migration, arena_string(&migration->arena, key), &hint);
}

static void migrate_member(struct config_migration *migration, struct slice key,
                           const struct json *value, struct json_node *root,
                           struct json_node *evictor) {
        size_t row = 0;

        while (row < ARRAY_LEN(members) && !slice_is(key, members[row].name))
                row++;
        if (row == ARRAY_LEN(members)) {
                refuse_member(migration, key);
        } else if (members[row].is_of_evictor) {
                node_set(migration->tree, evictor, key, node_import(migration->tree, value));
                config_migration_note(migration, members[row].name,
                                      "now profiles[*].pluginConfig[0].args.%s", members[row].name);
        } else if (!node_find(root, key) && !slice_is(key, "strategies")) {
                node_set(migration->tree, root, key, node_import(migration->tree, value));
        }
}

void config_migrate_policy(struct config_migration *migration, const char *version) {
        struct json_tree *tree = migration->tree;
        struct json_node *root = node_object(tree), *evictor = node_object(tree);
        struct json_iter iter = json_iter(migration->old);
        const struct json *value;
        struct slice key;

        node_put_string(tree, root, "apiVersion", API_VERSION);
        node_put_string(tree, root, "kind", "DeschedulerPolicy");
        config_migration_note(migration, "apiVersion", "descheduler/%s: now " API_VERSION, version);
        while (json_next(&iter, &key, &value))
                if (json_type(value) != JSON_NULL)
                        migrate_member(migration, key, value, root, evictor);
        struct json_node *profiles = node_need_array(tree, root, "profiles");
        migrate_strategies(migration, profiles, evictor);
        json_tree_set_root(tree, root);
}
