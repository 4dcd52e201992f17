/* Building profiles: defaults, what is asked for, and the order that comes of both. */
#include "plugin/sched_profile.h"
#include "plugin/sched_points.h"
#include "plugin/sched_profile_priv.h"
#include <stdlib.h>

const struct sched_default sched_defaults[] = {
        { SLICE_INIT("SchedulingGates"), 0 },
        { SLICE_INIT("PrioritySort"), 0 },
        { SLICE_INIT("NodeUnschedulable"), 0 },
        { SLICE_INIT("NodeName"), 0 },
        { SLICE_INIT("TaintToleration"), 3 },
        { SLICE_INIT("NodeAffinity"), 2 },
        { SLICE_INIT("NodePorts"), 0 },
        { SLICE_INIT("NodeResourcesFit"), 1 },
        { SLICE_INIT("VolumeRestrictions"), 0 },
        { SLICE_INIT("NodeVolumeLimits"), 0 },
        { SLICE_INIT("VolumeBinding"), 0 },
        { SLICE_INIT("VolumeZone"), 0 },
        { SLICE_INIT("PodTopologySpread"), 2 },
        { SLICE_INIT("InterPodAffinity"), 2 },
        { SLICE_INIT("DynamicResources"), 2 },
        { SLICE_INIT("DefaultPreemption"), 0 },
        { SLICE_INIT("NodeResourcesBalancedAllocation"), 1 },
        { SLICE_INIT("ImageLocality"), 1 },
        { SLICE_INIT("DefaultBinder"), 0 },
        { SLICE_INIT("NodeDeclaredFeatures"), 0 },
        { SLICE_INIT("GangScheduling"), 0, FEATURE_GANGS },
        { SLICE_INIT("TopologyPlacementGenerator"), 0, FEATURE_PLACEMENTS },
        { SLICE_INIT("PodGroupPodsCount"), 1, FEATURE_PLACEMENTS },
        { .name = { 0 } },
};

/* ---- lists of choices ---- */

struct choice_list {
        size_t count, cap;
        struct plugin_choice *items;
};

static void choice_add(struct arena *arena, struct choice_list *list, struct plugin_choice choice) {
        if (list->count == list->cap) {
                size_t cap = list->cap == 0 ? 32 : 2 * list->cap;
                struct plugin_choice *items = ARENA_ARRAY(arena, struct plugin_choice, cap);
                if (list->count > 0)
                        memcpy(items, list->items, list->count * sizeof(*items));
                list->items = items;
                list->cap = cap;
        }
        list->items[list->count++] = choice;
}

static size_t choice_index(const struct plugin_choice *items, size_t count, struct slice name) {
        for (size_t i = 0; i < count; i++)
                if (slice_eq(items[i].name, name))
                        return i;
        return SIZE_MAX;
}

static bool list_has(const struct choice_list *list, struct slice name) {
        return choice_index(list->items, list->count, name) != SIZE_MAX;
}

static bool set_disables(const struct plugin_set *set, struct slice name) {
        for (size_t i = 0; i < set->disabled_count; i++)
                if (slice_eq(set->disabled[i], name))
                        return true;
        return false;
}

static size_t last_index(const struct plugin_set *set, struct slice name) {
        for (size_t i = set->enabled_count; i > 0; i--)
                if (slice_eq(set->enabled[i - 1].name, name))
                        return i - 1;
        return SIZE_MAX;
}

/* Defaults that are not disabled, those asked for again in their place; the rest behind. */
static struct choice_list merge_defaults(struct arena *arena, const struct plugin_set *asked,
                                         uint32_t gates) {
        struct choice_list merged = { 0 };
        bool *is_used = ARENA_ARRAY(arena, bool, asked->enabled_count + 1);
        bool drops_all = set_disables(asked, SLICE_LITERAL("*"));
        for (size_t i = 0; sched_defaults[i].name.len && !drops_all; i++) {
                const struct sched_default *given = &sched_defaults[i];
                struct plugin_choice choice = { given->name, given->weight };
                if (set_disables(asked, choice.name) || (given->gate & ~gates) != 0)
                        continue;
                size_t index = last_index(asked, choice.name);
                if (index != SIZE_MAX) {
                        choice = asked->enabled[index];
                        is_used[index] = true;
                }
                choice_add(arena, &merged, choice);
        }
        for (size_t i = 0; i < asked->enabled_count; i++)
                if (!is_used[i])
                        choice_add(arena, &merged, asked->enabled[i]);
        return merged;
}

/* ---- which points a plugin implements ---- */

static bool sched_profile_implements(const struct plugin *plugin, enum sched_point point) {
        const struct sched_points *sched = plugin->sched;
        if (!sched)
                return false;
        if ((sched->declared_points & (1u << point)) != 0)
                return true;
        switch (point) {
        case POINT_PRE_ENQUEUE:
                return sched->pre_enqueue;
        case POINT_QUEUE_SORT:
                return sched->is_before;
        case POINT_PRE_FILTER:
                return sched->pre_filter;
        case POINT_FILTER:
                return sched->explain;
        case POINT_POST_FILTER:
                return sched->post_filter;
        case POINT_PRE_SCORE:
                return sched->pre_score;
        case POINT_SCORE:
                return sched->score;
        case POINT_RESERVE:
                return sched->reserve;
        case POINT_PRE_BIND:
                return sched->pre_bind;
        case POINT_PLACEMENT_GENERATE:
                return sched->groups && sched->groups->generate_placements;
        case POINT_PLACEMENT_SCORE:
                return sched->groups && sched->groups->score_placement;
        default:
                return false;
        }
}

/* ---- building ---- */

static size_t instance_of(const struct sched_profile *profile, struct slice name) {
        for (size_t i = 0; i < profile->plugin_count; i++)
                if (slice_is(name, profile->plugins[i].plugin->name))
                        return i;
        return SIZE_MAX;
}

/* Whether it may refuse pods, or find a way for them. */
static bool judges_pods(const struct plugin *plugin) {
        const struct sched_points *sched = plugin->sched;
        return sched && (sched->pre_filter || sched->explain || sched->post_filter || sched->wakes);
}

/* False when its arguments, or what it makes of them, are not good. */
static bool make_instance(struct sched_profile_build *build, const struct plugin *plugin,
                          struct profile_plugin *instance) {
        struct plugin_env env = { .cluster = build->env->cluster,
                                  .is_parity = build->env->is_parity,
                                  .gates = build->env->gates,
                                  .extenders = build->env->extenders };
        struct err err = { 0 };

        *instance = (struct profile_plugin){ .plugin = plugin };
        if (plugin->args)
                instance->args = sched_profile_args(build, plugin);
        if (plugin->args && !instance->args)
                return false;
        instance->state = instance->args;
        if (!plugin->init || plugin->init(&env, instance->args, &instance->state, &err) == 0)
                return true;
        sched_profile_refuse_args(build, plugin, err.text);
        return false;
}

/* One that is not good takes its place, too, so that it is not missed besides; nothing is made of
 * it, as the profile is refused. */
static void add_instance(struct sched_profile_build *build, struct slice name) {
        const struct plugin *plugin = plugin_find(build->env->registry, name);
        struct sched_profile *profile = build->profile;
        struct profile_plugin instance;

        if (!plugin || instance_of(profile, name) != SIZE_MAX)
                return; /* unknown ones are reported where they are enabled */
        if (profile->plugin_count == PROFILE_PLUGINS_MAX) {
                sched_profile_refuse(build,
                                     (struct profile_place){ SCHED_PROFILE_ITSELF, SIZE_MAX },
                                     "more than %d plugins in a profile", PROFILE_PLUGINS_MAX);
                return;
        }
        instance.is_broken = !make_instance(build, plugin, &instance);
        if (plugin->sched && plugin->sched->hints) {
                instance.filter_scope = plugin->sched->hints->filter;
                instance.score_scope = plugin->sched->hints->score;
        } else if (judges_pods(plugin)) {
                profile->unhinted |= (uint64_t)1 << profile->plugin_count;
        }
        profile->plugins[profile->plugin_count++] = instance;
        profile->wakes_on |= plugin->wakes_on;
}

static void add_instances(struct sched_profile_build *build) {
        for (size_t i = 0; i < build->multi_count; i++)
                add_instance(build, build->multi[i].name);
        for (int point = 0; point < POINT_COUNT; point++) {
                const struct plugin_set *set = &build->spec->sets[point];
                for (size_t i = 0; i < set->enabled_count; i++)
                        add_instance(build, set->enabled[i].name);
        }
}

/* Arguments of plugins that are not enabled are checked, too. */
static void check_idle_args(struct sched_profile_build *build) {
        for (size_t i = 0; i < build->spec->args_count; i++) {
                struct slice name = build->spec->args[i].name;
                const struct plugin *plugin = plugin_find(build->env->registry, name);

                if (!plugin)
                        sched_profile_warn_unknown(build, i);
                if (plugin && plugin->args && instance_of(build->profile, name) == SIZE_MAX &&
                    sched_profile_args_index(build->spec, name) == i)
                        sched_profile_args(build, plugin);
        }
}

static void sched_profile_missing(struct sched_profile_build *build, enum sched_point point,
                                  struct profile_place place, struct slice name) {
        sched_profile_refuse(build, place, "%s \"" SLICE_FMT "\" does not exist%s",
                             sched_point_interface(point), SLICE_ARG(name),
                             sched_profile_meant(build, name));
}

static void sched_profile_repeated(struct sched_profile_build *build, enum sched_point point,
                                   struct profile_place place, struct slice name) {
        sched_profile_refuse(build, place, "plugin \"" SLICE_FMT "\" already registered as \"%s\"",
                             SLICE_ARG(name), sched_point_interface(point));
}

/* Plugins enabled at the point itself must exist, extend it and be named once. */
static void take_specific(struct sched_profile_build *build, enum sched_point point,
                          struct choice_list *list) {
        const struct plugin_set *set = &build->spec->sets[point];
        for (size_t i = 0; i < set->enabled_count; i++) {
                struct profile_place place = { point, i };
                struct slice name = set->enabled[i].name;
                size_t index = instance_of(build->profile, name);
                if (index == SIZE_MAX)
                        sched_profile_missing(build, point, place, name);
                else if (!sched_profile_implements(build->profile->plugins[index].plugin, point))
                        sched_profile_refuse(build, place,
                                             "plugin \"" SLICE_FMT "\" does not extend %s plugin",
                                             SLICE_ARG(name), sched_point_interface(point));
                else if (list_has(list, name))
                        sched_profile_repeated(build, point, place, name);
                else
                        choice_add(&build->profile->arena, list, set->enabled[i]);
        }
}

/* Where the plugin stands at multiPoint; defaults stand nowhere. */
static struct profile_place place_in_multi(const struct sched_profile_build *build,
                                           struct slice name) {
        return (struct profile_place){ POINT_MULTI,
                                       last_index(&build->spec->sets[POINT_MULTI], name) };
}

/* Says so once for all points. */
static void miss_multi(struct sched_profile_build *build, enum sched_point point, size_t at) {
        struct slice name = build->multi[at].name;

        if (!build->is_missing[at])
                sched_profile_missing(build, point, place_in_multi(build, name), name);
        build->is_missing[at] = true;
}

/* Splits the multiPoint plugins that extend the point into overridden and added ones. */
static void expand_multi(struct sched_profile_build *build, enum sched_point point,
                         const struct choice_list *specific, struct choice_list *overridden,
                         struct choice_list *added) {
        for (size_t i = 0; i < build->multi_count; i++) {
                struct slice name = build->multi[i].name;
                size_t index = instance_of(build->profile, name);
                if (index == SIZE_MAX) {
                        miss_multi(build, point, i);
                        continue;
                }
                if (!sched_profile_implements(build->profile->plugins[index].plugin, point) ||
                    set_disables(&build->spec->sets[point], name))
                        continue;
                if (!list_has(specific, name) && list_has(added, name)) {
                        if (!build->is_missing[i])
                                sched_profile_repeated(build, point, place_in_multi(build, name),
                                                       name);
                        build->is_missing[i] = true;
                        continue;
                }
                choice_add(&build->profile->arena, list_has(specific, name) ? overridden : added,
                           build->multi[i]);
        }
}

static void set_point(struct sched_profile_build *build, enum sched_point point,
                      const struct choice_list *list) {
        uint8_t *plugins = ARENA_ARRAY(&build->profile->arena, uint8_t, list->count);
        for (size_t i = 0; i < list->count; i++)
                plugins[i] = (uint8_t)instance_of(build->profile, list->items[i].name);
        build->profile->points[point] = (struct profile_point){ list->count, plugins };
}

static void build_point(struct sched_profile_build *build, enum sched_point point) {
        struct arena *arena = &build->profile->arena;
        struct choice_list specific = { 0 }, overridden = { 0 }, added = { 0 }, all = { 0 };
        take_specific(build, point, &specific);
        if (set_disables(&build->spec->sets[point], SLICE_LITERAL("*"))) {
                set_point(build, point, &specific);
                return;
        }
        expand_multi(build, point, &specific, &overridden, &added);
        for (size_t i = 0; i < specific.count; i++)
                if (list_has(&overridden, specific.items[i].name))
                        choice_add(arena, &all, specific.items[i]);
        for (size_t i = 0; i < added.count; i++)
                choice_add(arena, &all, added.items[i]);
        for (size_t i = 0; i < specific.count; i++)
                if (!list_has(&overridden, specific.items[i].name))
                        choice_add(arena, &all, specific.items[i]);
        set_point(build, point, &all);
}

static int64_t weight_of(const struct sched_profile_build *build, enum sched_point point,
                         struct slice name) {
        const struct plugin_set *score = &build->spec->sets[point];
        size_t index = choice_index(score->enabled, score->enabled_count, name);
        int64_t weight = 0;
        if (index != SIZE_MAX)
                weight = score->enabled[index].weight;
        else if ((index = choice_index(build->multi, build->multi_count, name)) != SIZE_MAX)
                weight = build->multi[index].weight;
        return weight == 0 ? 1 : weight;
}

static void set_weights(struct sched_profile_build *build, enum sched_point at) {
        const struct profile_point *point = &build->profile->points[at];
        int64_t total = 0;
        for (size_t i = 0; i < point->count; i++) {
                struct profile_plugin *plugin = &build->profile->plugins[point->plugins[i]];
                int64_t weight = weight_of(build, at, slice_of(plugin->plugin->name));
                if (weight < 0 || weight > (INT64_MAX - total) / NODE_SCORE_MAX) {
                        sched_profile_refuse(build, (struct profile_place){ at, SIZE_MAX },
                                             "total score of Score plugins could overflow");
                        return;
                }
                total += weight * NODE_SCORE_MAX;
                *(at == POINT_SCORE ? &plugin->weight : &plugin->placement_weight) = weight;
        }
}

static void check_counts(struct sched_profile_build *build) {
        const struct sched_profile *profile = build->profile;
        if (profile->points[POINT_PLACEMENT_GENERATE].count > 1)
                sched_profile_refuse(
                        build, (struct profile_place){ POINT_PLACEMENT_GENERATE, SIZE_MAX },
                        "at most one placement generate plugin is allowed for profile with "
                        "scheduler name \"" SLICE_FMT "\"",
                        SLICE_ARG(profile->scheduler_name));
        size_t sorts = profile->points[POINT_QUEUE_SORT].count;
        if (sorts != 1)
                sched_profile_refuse(
                        build, (struct profile_place){ POINT_QUEUE_SORT, SIZE_MAX },
                        "only one queue sort plugin required for profile with scheduler name "
                        "\"" SLICE_FMT "\", but got %zu",
                        SLICE_ARG(profile->scheduler_name), sorts);
        if (profile->points[POINT_BIND].count == 0)
                sched_profile_refuse(build, (struct profile_place){ POINT_BIND, SIZE_MAX },
                                     "at least one bind plugin is needed for profile with "
                                     "scheduler name \"" SLICE_FMT "\"",
                                     SLICE_ARG(profile->scheduler_name));
}

/* What follows from a problem is not said besides. */
static void build_all(struct sched_profile_build *build) {
        size_t before = build->problems->count;
        add_instances(build);
        check_idle_args(build);
        for (int point = 0; point < POINT_COUNT; point++)
                build_point(build, (enum sched_point)point);
        if (build->problems->count > before)
                return;
        check_counts(build);
        set_weights(build, POINT_SCORE);
        set_weights(build, POINT_PLACEMENT_SCORE);
}

static struct sched_profile *profile_start(const struct sched_profile_spec *spec,
                                           const struct profile_env *env) {
        struct sched_profile *profile = xcalloc(1, sizeof(*profile));
        arena_init(&profile->arena, 4096);
        profile->scheduler_name = spec->scheduler_name.len > 0
                                          ? arena_slice(&profile->arena, spec->scheduler_name)
                                          : SLICE_LITERAL("default-scheduler");
        profile->percentage_of_nodes = spec->has_percentage ? spec->percentage_of_nodes : -1;
        profile->is_parity = env->is_parity;
        profile->object_cache = env->object_cache;
        profile->plugins = ARENA_ARRAY(&profile->arena, struct profile_plugin, PROFILE_PLUGINS_MAX);
        return profile;
}

struct sched_profile *sched_profile_build(const struct sched_profile_spec *spec,
                                          const struct profile_env *env,
                                          struct config_problems *problems) {
        struct sched_profile *profile = profile_start(spec, env);
        struct sched_profile_build build = {
                .spec = spec, .env = env, .profile = profile, .problems = problems
        };
        struct choice_list multi =
                merge_defaults(&profile->arena, &spec->sets[POINT_MULTI], env->gates);
        size_t before = problems->count;
        build.multi_count = multi.count;
        build.multi = multi.items;
        build.is_missing = ARENA_ARRAY(&profile->arena, bool, multi.count + 1);
        build_all(&build);
        sched_profile_warn_disabled(&build);
        if (problems->count == before)
                return profile;
        sched_profile_free(profile);
        return NULL;
}

int sched_profile_new(const struct sched_profile_spec *spec, const struct profile_env *env,
                      struct sched_profile **ret_profile, struct err *err) {
        struct config_problems *problems = config_problems_new();
        struct sched_profile *profile = sched_profile_build(spec, env, problems);
        int code = config_problems_to_err(problems, err);
        config_problems_free(problems);
        if (code < 0)
                return err_wrap(err, "creating profile for scheduler name " SLICE_FMT,
                                SLICE_ARG(spec->scheduler_name.len > 0
                                                  ? spec->scheduler_name
                                                  : SLICE_LITERAL("default-scheduler")));
        *ret_profile = profile;
        return 0;
}

int sched_profile_new_default(const struct profile_env *env, struct sched_profile **ret_profile,
                              struct err *err) {
        struct sched_profile_spec spec = { 0 };
        return sched_profile_new(&spec, env, ret_profile, err);
}

void sched_profile_free(struct sched_profile *profile) {
        if (!profile)
                return;
        for (size_t i = 0; i < profile->plugin_count; i++)
                if (profile->plugins[i].plugin->fini && !profile->plugins[i].is_broken)
                        profile->plugins[i].plugin->fini(profile->plugins[i].state);
        arena_release(&profile->arena);
        free(profile);
}

const struct profile_plugin *sched_profile_find(const struct sched_profile *profile,
                                                struct slice name) {
        size_t index = instance_of(profile, name);
        return index == SIZE_MAX ? NULL : &profile->plugins[index];
}
