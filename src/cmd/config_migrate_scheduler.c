/* KubeSchedulerConfiguration v1beta1 to v1beta3 as v1: the new file is a copy of the old one, in
 * which plugins that there are no longer, weights and a few fields are replaced. */
#include "cmd/config_migrate_kinds.h"

#include "base/util.h"
#include <string.h>

#define GROUP "kubescheduler.config.k8s.io/"
#define FIT "NodeResourcesFit"

/* ---- plugins of old ---- */

static const struct old_plugin {
        const char *name;
        const char *strategy; /* it is NodeResourcesFit with this scoringStrategy now */
        const char *advice;
        bool has_no_successor; /* a profile that enables it cannot be carried over */
} old_plugins[] = {
        { "NodeResourcesLeastAllocated", "LeastAllocated", NULL, false },
        { "NodeResourcesMostAllocated", "MostAllocated", NULL, false },
        { "RequestedToCapacityRatio", "RequestedToCapacityRatio", NULL, false },
        { "EBSLimits", NULL, "NodeVolumeLimits counts these volumes", false },
        { "GCEPDLimits", NULL, "NodeVolumeLimits counts these volumes", false },
        { "AzureDiskLimits", NULL, "NodeVolumeLimits counts these volumes", false },
        { "CinderLimits", NULL, "NodeVolumeLimits counts these volumes", false },
        { "SelectorSpread", NULL, "PodTopologySpread spreads the pods of a workload by default",
          false },
        { "NodePreferAvoidPods", NULL, "its annotation is not read any more", false },
        { "NodeLabel", NULL, "use addedAffinity of NodeAffinity", true },
        { "ServiceAffinity", NULL, "use pod affinity", true },
};

/* Weights of the defaults that v1beta3 changed. */
static const struct {
        const char *name;
        int before, now;
} old_weights[] = {
        { "TaintToleration", 1, 3 },
        { "NodeAffinity", 1, 2 },
        { "InterPodAffinity", 1, 2 },
};

static const struct old_plugin *find_old_plugin(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(old_plugins); i++)
                if (slice_is(name, old_plugins[i].name))
                        return &old_plugins[i];
        return NULL;
}

struct scheduler_walk {
        struct config_migration *migration;
        const char *version;
        struct json_node *profile;
        const char *path;                  /* of the profile */
        const struct old_plugin *strategy; /* that scores by resources, if it is enabled */
        unsigned strategy_count;
};

static const char *path_in(struct scheduler_walk *walk, const char *point, const char *list,
                           size_t index) {
        return arena_printf(&walk->migration->arena, "%s.plugins.%s.%s[%zu].name", walk->path,
                            point, list, index);
}

/* ---- lists of plugins ---- */

static struct json_node *list_of(const struct json_node *profile, const char *point,
                                 const char *list) {
        return node_get(node_get(node_get(profile, "plugins"), point), list);
}

static bool list_names(const struct json_node *list, const char *name) {
        struct node_iter iter = node_iter(list);
        struct json_node *entry;

        while (list && node_next(&iter, NULL, &entry))
                if (slice_is(node_get_text(entry, "name"), name))
                        return true;
        return false;
}

/* Of the plugins that score by resources; the default of v1beta1 is one of them. */
static void count_strategies(struct scheduler_walk *walk) {
        static const char *const points[] = { "score", "multiPoint" };
        bool has_default = strcmp(walk->version, "v1beta1") == 0;

        for (size_t i = 0; i < ARRAY_LEN(old_plugins) && old_plugins[i].strategy; i++) {
                bool is_enabled = i == 0 && has_default;

                for (size_t p = 0; p < ARRAY_LEN(points); p++) {
                        const struct json_node *out = list_of(walk->profile, points[p], "disabled");

                        if (list_names(out, old_plugins[i].name) || list_names(out, "*"))
                                is_enabled = false;
                        is_enabled |= list_names(list_of(walk->profile, points[p], "enabled"),
                                                 old_plugins[i].name);
                }
                walk->strategy = is_enabled ? &old_plugins[i] : walk->strategy;
                walk->strategy_count += is_enabled ? 1 : 0;
        }
        if (walk->strategy_count > 1)
                config_migration_refuse(
                        walk->migration, walk->path,
                        "scores by more than one of NodeResourcesLeastAllocated, "
                        "NodeResourcesMostAllocated and RequestedToCapacityRatio: " FIT
                        " has one scoringStrategy");
}

/* What becomes of an entry that names a plugin of old: true when it leaves the list. */
static bool replace_entry(struct scheduler_walk *walk, struct json_node *entry,
                          const struct old_plugin *old, bool is_enabled, const char *path) {
        struct config_migration *migration = walk->migration;

        if (old->has_no_successor && is_enabled) {
                config_migration_refuse(migration, path, "%s has no successor: %s", old->name,
                                        old->advice);
                return false;
        }
        /* Another strategy in its place takes it out already. */
        if (!old->strategy || (!is_enabled && walk->strategy)) {
                config_migration_note(migration, path, "%s is no more: left out%s%s", old->name,
                                      old->advice ? "; " : "", old->advice ? old->advice : "");
                return true;
        }
        node_put_string(migration->tree, entry, "name", FIT);
        config_migration_note(migration, path, "%s: now " FIT, old->name);
        return false;
}

static void replace_plugins(struct scheduler_walk *walk, struct json_node *list, const char *point,
                            const char *list_name) {
        bool is_enabled = strcmp(list_name, "enabled") == 0;
        struct node_iter iter = node_iter(list);
        struct json_node *entry;

        for (size_t index = 0; list && node_next(&iter, NULL, &entry); index++) {
                const struct old_plugin *old = find_old_plugin(node_get_text(entry, "name"));

                if (old && replace_entry(walk, entry, old, is_enabled,
                                         path_in(walk, point, list_name, index)))
                        node_drop(&iter);
        }
}

static void replace_in_points(struct scheduler_walk *walk) {
        struct node_iter iter = node_iter(node_get(walk->profile, "plugins"));
        struct json_node *set;
        struct slice point;

        while (node_get(walk->profile, "plugins") && node_next(&iter, &point, &set)) {
                const char *name = arena_string(&walk->migration->arena, point);

                replace_plugins(walk, node_get(set, "enabled"), name, "enabled");
                replace_plugins(walk, node_get(set, "disabled"), name, "disabled");
        }
}

/* ---- weights ---- */

static bool is_out(const struct json_node *profile, const char *point, const char *plugin) {
        const struct json_node *list = list_of(profile, point, "disabled");

        return list_names(list, plugin) || list_names(list, "*");
}

/* A default that the profile has as it is. */
static bool has_default_weight(const struct json_node *profile, const char *plugin) {
        return !is_out(profile, "score", plugin) && !is_out(profile, "multiPoint", plugin) &&
               !list_names(list_of(profile, "score", "enabled"), plugin) &&
               !list_names(list_of(profile, "multiPoint", "enabled"), plugin);
}

static void keep_weights(struct scheduler_walk *walk) {
        struct json_tree *tree = walk->migration->tree;

        for (size_t i = 0; i < ARRAY_LEN(old_weights); i++) {
                if (!has_default_weight(walk->profile, old_weights[i].name))
                        continue;
                struct json_node *score = node_need_object(
                        tree, node_need_object(tree, walk->profile, "plugins"), "score");
                struct json_node *entry = node_object(tree);

                node_put_string(tree, entry, "name", old_weights[i].name);
                node_put_i64(tree, entry, "weight", old_weights[i].before);
                node_append(node_need_array(tree, score, "enabled"), entry);
                config_migration_note(walk->migration,
                                      arena_printf(&walk->migration->arena,
                                                   "%s.plugins.score.enabled", walk->path),
                                      "%s stays at weight %d, the default of %s; that of v1 is %d",
                                      old_weights[i].name, old_weights[i].before, walk->version,
                                      old_weights[i].now);
        }
}

/* ---- arguments ---- */

static void lift_args_version(struct scheduler_walk *walk, struct json_node *args,
                              const char *path) {
        struct slice version = node_get_text(args, "apiVersion");

        if (!slice_has_prefix(version, SLICE_LITERAL(GROUP)) || slice_is(version, GROUP "v1"))
                return;
        config_migration_note(walk->migration,
                              arena_printf(&walk->migration->arena, "%s.args.apiVersion", path),
                              SLICE_FMT ": now " GROUP "v1", SLICE_ARG(version));
        node_put_string(walk->migration->tree, args, "apiVersion", GROUP "v1");
}

/* The entry of NodeResourcesFit, which is made where there is none. */
static struct json_node *fit_args(struct scheduler_walk *walk) {
        struct json_tree *tree = walk->migration->tree;
        struct json_node *configs = node_need_array(tree, walk->profile, "pluginConfig"), *entry;
        struct node_iter iter = node_iter(configs);

        while (node_next(&iter, NULL, &entry))
                if (slice_is(node_get_text(entry, "name"), FIT))
                        return node_need_object(tree, entry, "args");
        entry = node_object(tree);
        node_put_string(tree, entry, "name", FIT);
        node_append(configs, entry);
        return node_need_object(tree, entry, "args");
}

/* Arguments of the strategy's plugin, NULL = none, as a scoringStrategy. */
static void add_strategy(struct scheduler_walk *walk, const struct json_node *args) {
        struct json_tree *tree = walk->migration->tree;
        struct json_node *into = fit_args(walk);
        const struct json_node *resources = node_get(args, "resources");
        const struct json_node *shape = node_get(args, "shape");

        if (node_get(into, "scoringStrategy")) {
                config_migration_refuse(walk->migration, walk->path,
                                        "%s is enabled, and " FIT " has a scoringStrategy already",
                                        walk->strategy->name);
                return;
        }
        struct json_node *strategy = node_need_object(tree, into, "scoringStrategy");
        node_put_string(tree, strategy, "type", walk->strategy->strategy);
        if (resources)
                node_put(tree, strategy, "resources", node_clone(tree, resources));
        if (shape)
                node_put(tree, node_need_object(tree, strategy, "requestedToCapacityRatio"),
                         "shape", node_clone(tree, shape));
        config_migration_note(walk->migration, walk->path,
                              "scores by %s: now scoringStrategy %s of " FIT, walk->strategy->name,
                              walk->strategy->strategy);
}

/* Arguments of a plugin of old leave the list; true when they do. */
static bool replace_config(struct scheduler_walk *walk, struct json_node *args,
                           const struct old_plugin *old, const char *path,
                           const struct json_node **ret_strategy_args) {
        if (old->has_no_successor) {
                config_migration_refuse(walk->migration, path, "%s has no successor: %s", old->name,
                                        old->advice);
                return false;
        }
        if (old == walk->strategy)
                *ret_strategy_args = args;
        else
                config_migration_note(walk->migration, path, "%s is not in use: left out",
                                      old->name);
        return true;
}

static void replace_configs(struct scheduler_walk *walk) {
        struct json_tree *tree = walk->migration->tree;
        struct node_iter iter = node_iter(node_get(walk->profile, "pluginConfig"));
        const struct json_node *strategy_args = NULL;
        struct json_node *entry;

        for (size_t i = 0;
             node_get(walk->profile, "pluginConfig") && node_next(&iter, NULL, &entry); i++) {
                const char *path = arena_printf(&walk->migration->arena, "%s.pluginConfig[%zu]",
                                                walk->path, i);
                const struct old_plugin *old = find_old_plugin(node_get_text(entry, "name"));
                struct json_node *args = node_get(entry, "args");

                if (node_type(args) == JSON_OBJECT)
                        lift_args_version(walk, args, path);
                if (old && replace_config(walk, args ? node_clone(tree, args) : NULL, old, path,
                                          &strategy_args))
                        node_drop(&iter);
        }
        /* LeastAllocated over cpu and memory is the default. */
        if (walk->strategy_count == 1 && (walk->strategy != &old_plugins[0] || strategy_args))
                add_strategy(walk, strategy_args);
}

/* ---- the file ---- */

static void migrate_profile(struct scheduler_walk *walk) {
        count_strategies(walk);
        replace_configs(walk);
        replace_in_points(walk);
        if (strcmp(walk->version, "v1beta3") != 0)
                keep_weights(walk);
}

static void migrate_profiles(struct config_migration *migration, struct json_node *root,
                             const char *version) {
        struct json_node *profiles = node_need_array(migration->tree, root, "profiles");
        struct json_node *profile;

        if (node_count(profiles) == 0 && strcmp(version, "v1beta3") != 0)
                node_append(profiles, node_object(migration->tree));
        struct node_iter iter = node_iter(profiles);
        for (size_t i = 0; node_next(&iter, NULL, &profile); i++) {
                struct scheduler_walk walk = { .migration = migration,
                                               .version = version,
                                               .profile = profile };

                if (node_type(profile) != JSON_OBJECT)
                        continue;
                walk.path = arena_printf(&migration->arena, "profiles[%zu]", i);
                migrate_profile(&walk);
        }
        if (node_count(profiles) == 0)
                node_remove(root, "profiles");
}

/* Fields of the process that v1 does not have. */
static void migrate_process(struct config_migration *migration, struct json_node *root) {
        static const char *const gone[] = { "healthzBindAddress", "metricsBindAddress" };
        struct json_node *election = node_get(root, "leaderElection");
        struct slice lock = node_get_text(election, "resourceLock");

        for (size_t i = 0; i < ARRAY_LEN(gone); i++)
                if (node_remove(root, gone[i]))
                        config_migration_note(migration, gone[i],
                                              "is no more: left out; --secure-port serves it");
        if (!lock.len || slice_is(lock, "leases"))
                return;
        config_migration_note(migration, "leaderElection.resourceLock",
                              SLICE_FMT ": now leases, the only one; stop the old scheduler first",
                              SLICE_ARG(lock));
        node_put_string(migration->tree, election, "resourceLock", "leases");
}

void config_migrate_scheduler(struct config_migration *migration, const char *version) {
        struct json_node *root = node_import(migration->tree, migration->old);

        json_tree_set_root(migration->tree, root);
        node_put_string(migration->tree, root, "apiVersion", GROUP "v1");
        config_migration_note(migration, "apiVersion", GROUP "%s: now " GROUP "v1", version);
        migrate_process(migration, root);
        migrate_profiles(migration, root, version);
}
