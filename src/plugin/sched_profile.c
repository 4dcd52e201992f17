/* Building profiles: defaults, what is asked for, and the order that comes of both. */
#include "plugin/sched_profile.h"
#include "plugin/sched_points.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct point_info {
        const char *name, *interface; /* interface: upstream's Go type, named in its errors */
};
static const struct point_info point_infos[POINT_COUNT] = {
        [POINT_PRE_ENQUEUE] = { "preEnqueue", "PreEnqueuePlugin" },
        [POINT_QUEUE_SORT] = { "queueSort", "QueueSortPlugin" },
        [POINT_PRE_FILTER] = { "preFilter", "PreFilterPlugin" },
        [POINT_FILTER] = { "filter", "FilterPlugin" },
        [POINT_POST_FILTER] = { "postFilter", "PostFilterPlugin" },
        [POINT_PRE_SCORE] = { "preScore", "PreScorePlugin" },
        [POINT_SCORE] = { "score", "ScorePlugin" },
        [POINT_RESERVE] = { "reserve", "ReservePlugin" },
        [POINT_PERMIT] = { "permit", "PermitPlugin" },
        [POINT_PRE_BIND] = { "preBind", "PreBindPlugin" },
        [POINT_BIND] = { "bind", "BindPlugin" },
        [POINT_POST_BIND] = { "postBind", "PostBindPlugin" },
        [POINT_PLACEMENT_GENERATE] = { "placementGenerate", "PlacementGeneratePlugin" },
        [POINT_PLACEMENT_SCORE] = { "placementScore", "PlacementScorePlugin" },
};

const char *sched_point_name(enum sched_point point) {
        return point == POINT_MULTI ? "multiPoint" : point_infos[point].name;
}

/* In the order of upstream's defaults, all enabled at multiPoint, some behind a feature gate. */
static const struct default_choice {
        struct slice name;
        int32_t weight;
        uint32_t gate;
} default_choices[] = {
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
        for (size_t i = 0; i < ARRAY_LEN(default_choices) && !drops_all; i++) {
                const struct default_choice *given = &default_choices[i];
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

struct sched_profile_build {
        const struct sched_profile_spec *spec;
        const struct profile_env *env;
        struct sched_profile *profile;
        struct choice_list multi;
        struct err *err;
};

static size_t instance_of(const struct sched_profile *profile, struct slice name) {
        for (size_t i = 0; i < profile->plugin_count; i++)
                if (slice_is(name, profile->plugins[i].plugin->name))
                        return i;
        return SIZE_MAX;
}

static const struct json *args_for(const struct sched_profile_spec *spec, struct slice name) {
        for (size_t i = 0; i < spec->args_count; i++)
                if (slice_eq(spec->args[i].name, name))
                        return spec->args[i].args;
        return NULL;
}

/* Arguments name their own kind; a wrong one is an error of decoding. */
static bool check_head(struct field_reader *reader, const struct json *json,
                       const struct plugin *plugin, const struct args_head *head) {
        char wanted[128];
        int length = snprintf(wanted, sizeof(wanted), "%sArgs", plugin->name);
        assert(length > 0 && (size_t)length < sizeof(wanted));
        if (head->kind.len > 0 && !slice_is(head->kind, wanted)) {
                field_problem(reader, json_get(json, "kind"), "kind",
                              "args for plugin %s were not of type %s", plugin->name, wanted);
                return false;
        }
        if (head->api_version.len > 0 &&
            !slice_is(head->api_version, "kubescheduler.config.k8s.io/v1")) {
                field_problem(reader, json_get(json, "apiVersion"), "apiVersion",
                              "expected kubescheduler.config.k8s.io/v1");
                return false;
        }
        return true;
}

static int decode_args(struct sched_profile_build *build, const struct plugin *plugin,
                       const struct json *json, void **ret_args) {
        struct config_problems *problems = config_problems_new();
        struct field_reader reader = {
                .document = build->env->document,
                .arena = &build->profile->arena,
                .problems = problems,
                .unknown = UNKNOWN_IS_ERROR,
        };
        void *args = arena_alloc(&build->profile->arena, plugin->args_size);
        if (fields_decode(&reader, plugin->args, json, args) &&
            check_head(&reader, json, plugin, args) && plugin->check)
                plugin->check(&reader, json, args);
        int r = config_problems_to_err(problems, build->err);
        config_problems_free(problems);
        if (r < 0)
                return err_wrap(build->err, "args for plugin %s", plugin->name);
        *ret_args = args;
        return 0;
}

/* Whether it may refuse pods, or find a way for them. */
static bool judges_pods(const struct plugin *plugin) {
        const struct sched_points *sched = plugin->sched;
        return sched && (sched->pre_filter || sched->explain || sched->post_filter || sched->wakes);
}

static int add_instance(struct sched_profile_build *build, struct slice name) {
        const struct plugin *plugin = plugin_find(build->env->registry, name);
        struct sched_profile *profile = build->profile;
        if (!plugin || instance_of(profile, name) != SIZE_MAX)
                return 0; /* unknown ones are reported where they are enabled */
        if (profile->plugin_count == PROFILE_PLUGINS_MAX)
                return err_set(build->err, BERTH_ERR_INVALID, "more than %d plugins in a profile",
                               PROFILE_PLUGINS_MAX);
        struct profile_plugin instance = { .plugin = plugin };
        if (plugin->args) {
                int r = decode_args(build, plugin, args_for(build->spec, name), &instance.args);
                if (r < 0)
                        return r;
        }
        instance.state = instance.args;
        if (plugin->init) {
                struct plugin_env env = { .cluster = build->env->cluster,
                                          .is_parity = build->env->is_parity,
                                          .gates = build->env->gates,
                                          .extenders = build->env->extenders };
                int r = plugin->init(&env, instance.args, &instance.state, build->err);
                if (r < 0)
                        return err_wrap(build->err, "initializing plugin \"%s\"", plugin->name);
        }
        if (plugin->sched && plugin->sched->hints) {
                instance.filter_scope = plugin->sched->hints->filter;
                instance.score_scope = plugin->sched->hints->score;
        } else if (judges_pods(plugin)) {
                profile->unhinted |= (uint64_t)1 << profile->plugin_count;
        }
        profile->plugins[profile->plugin_count++] = instance;
        profile->wakes_on |= plugin->wakes_on;
        return 0;
}

static int add_instances(struct sched_profile_build *build) {
        for (size_t i = 0; i < build->multi.count; i++) {
                int r = add_instance(build, build->multi.items[i].name);
                if (r < 0)
                        return r;
        }
        for (int point = 0; point < POINT_COUNT; point++) {
                const struct plugin_set *set = &build->spec->sets[point];
                for (size_t i = 0; i < set->enabled_count; i++) {
                        int r = add_instance(build, set->enabled[i].name);
                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

/* Arguments of plugins that are not enabled are checked, too. */
static int check_idle_args(struct sched_profile_build *build) {
        for (size_t i = 0; i < build->spec->args_count; i++) {
                const struct plugin_args *given = &build->spec->args[i];
                const struct plugin *plugin = plugin_find(build->env->registry, given->name);
                void *ignored;
                if (!plugin || !plugin->args ||
                    instance_of(build->profile, given->name) != SIZE_MAX)
                        continue;
                int r = decode_args(build, plugin, given->args, &ignored);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int sched_profile_missing(struct sched_profile_build *build, enum sched_point point,
                                 struct slice name) {
        return err_set(build->err, BERTH_ERR_INVALID, "%s \"" SLICE_FMT "\" does not exist",
                       point_infos[point].interface, SLICE_ARG(name));
}

static int sched_profile_repeated(struct sched_profile_build *build, enum sched_point point,
                                  struct slice name) {
        return err_set(build->err, BERTH_ERR_INVALID,
                       "plugin \"" SLICE_FMT "\" already registered as \"%s\"", SLICE_ARG(name),
                       point_infos[point].interface);
}

/* Plugins enabled at the point itself must exist, extend it and be named once. */
static int take_specific(struct sched_profile_build *build, enum sched_point point,
                         struct choice_list *list) {
        const struct plugin_set *set = &build->spec->sets[point];
        for (size_t i = 0; i < set->enabled_count; i++) {
                struct slice name = set->enabled[i].name;
                size_t index = instance_of(build->profile, name);
                if (index == SIZE_MAX)
                        return sched_profile_missing(build, point, name);
                if (!sched_profile_implements(build->profile->plugins[index].plugin, point))
                        return err_set(build->err, BERTH_ERR_INVALID,
                                       "plugin \"" SLICE_FMT "\" does not extend %s plugin",
                                       SLICE_ARG(name), point_infos[point].interface);
                if (list_has(list, name))
                        return sched_profile_repeated(build, point, name);
                choice_add(&build->profile->arena, list, set->enabled[i]);
        }
        return 0;
}

/* Splits the multiPoint plugins that extend the point into overridden and added ones. */
static int expand_multi(struct sched_profile_build *build, enum sched_point point,
                        const struct choice_list *specific, struct choice_list *overridden,
                        struct choice_list *added) {
        for (size_t i = 0; i < build->multi.count; i++) {
                struct slice name = build->multi.items[i].name;
                size_t index = instance_of(build->profile, name);
                if (index == SIZE_MAX)
                        return sched_profile_missing(build, point, name);
                if (!sched_profile_implements(build->profile->plugins[index].plugin, point) ||
                    set_disables(&build->spec->sets[point], name))
                        continue;
                if (!list_has(specific, name) && list_has(added, name))
                        return sched_profile_repeated(build, point, name);
                choice_add(&build->profile->arena, list_has(specific, name) ? overridden : added,
                           build->multi.items[i]);
        }
        return 0;
}

static void set_point(struct sched_profile_build *build, enum sched_point point,
                      const struct choice_list *list) {
        uint8_t *plugins = ARENA_ARRAY(&build->profile->arena, uint8_t, list->count);
        for (size_t i = 0; i < list->count; i++)
                plugins[i] = (uint8_t)instance_of(build->profile, list->items[i].name);
        build->profile->points[point] = (struct profile_point){ list->count, plugins };
}

static int build_point(struct sched_profile_build *build, enum sched_point point) {
        struct arena *arena = &build->profile->arena;
        struct choice_list specific = { 0 }, overridden = { 0 }, added = { 0 }, all = { 0 };
        int r = take_specific(build, point, &specific);
        if (r < 0)
                return r;
        if (set_disables(&build->spec->sets[point], SLICE_LITERAL("*"))) {
                set_point(build, point, &specific);
                return 0;
        }
        r = expand_multi(build, point, &specific, &overridden, &added);
        if (r < 0)
                return r;
        for (size_t i = 0; i < specific.count; i++)
                if (list_has(&overridden, specific.items[i].name))
                        choice_add(arena, &all, specific.items[i]);
        for (size_t i = 0; i < added.count; i++)
                choice_add(arena, &all, added.items[i]);
        for (size_t i = 0; i < specific.count; i++)
                if (!list_has(&overridden, specific.items[i].name))
                        choice_add(arena, &all, specific.items[i]);
        set_point(build, point, &all);
        return 0;
}

static int64_t weight_of(const struct sched_profile_build *build, enum sched_point point,
                         struct slice name) {
        const struct plugin_set *score = &build->spec->sets[point];
        size_t index = choice_index(score->enabled, score->enabled_count, name);
        int64_t weight = 0;
        if (index != SIZE_MAX)
                weight = score->enabled[index].weight;
        else if ((index = choice_index(build->multi.items, build->multi.count, name)) != SIZE_MAX)
                weight = build->multi.items[index].weight;
        return weight == 0 ? 1 : weight;
}

static int set_weights(struct sched_profile_build *build, enum sched_point at) {
        const struct profile_point *point = &build->profile->points[at];
        int64_t total = 0;
        for (size_t i = 0; i < point->count; i++) {
                struct profile_plugin *plugin = &build->profile->plugins[point->plugins[i]];
                int64_t weight = weight_of(build, at, slice_of(plugin->plugin->name));
                if (weight < 0 || weight > (INT64_MAX - total) / NODE_SCORE_MAX)
                        return err_set(build->err, BERTH_ERR_INVALID,
                                       "total score of Score plugins could overflow");
                total += weight * NODE_SCORE_MAX;
                *(at == POINT_SCORE ? &plugin->weight : &plugin->placement_weight) = weight;
        }
        return 0;
}

static int check_counts(struct sched_profile_build *build) {
        const struct sched_profile *profile = build->profile;
        if (profile->points[POINT_PLACEMENT_GENERATE].count > 1)
                return err_set(build->err, BERTH_ERR_INVALID,
                               "at most one placement generate plugin is allowed for profile with "
                               "scheduler name \"" SLICE_FMT "\"",
                               SLICE_ARG(profile->scheduler_name));
        size_t sorts = profile->points[POINT_QUEUE_SORT].count;
        if (sorts != 1)
                return err_set(build->err, BERTH_ERR_INVALID,
                               "only one queue sort plugin required for profile with scheduler "
                               "name \"" SLICE_FMT "\", but got %zu",
                               SLICE_ARG(profile->scheduler_name), sorts);
        if (profile->points[POINT_BIND].count == 0)
                return err_set(build->err, BERTH_ERR_INVALID,
                               "at least one bind plugin is needed for profile with scheduler "
                               "name \"" SLICE_FMT "\"",
                               SLICE_ARG(profile->scheduler_name));
        return 0;
}

static int build_all(struct sched_profile_build *build) {
        int r = add_instances(build);
        if (r == 0)
                r = check_idle_args(build);
        for (int point = 0; point < POINT_COUNT && r == 0; point++)
                r = build_point(build, (enum sched_point)point);
        if (r == 0)
                r = check_counts(build);
        if (r == 0)
                r = set_weights(build, POINT_SCORE);
        return r == 0 ? set_weights(build, POINT_PLACEMENT_SCORE) : r;
}

int sched_profile_new(const struct sched_profile_spec *spec, const struct profile_env *env,
                      struct sched_profile **ret_profile, struct err *err) {
        struct sched_profile *profile = xcalloc(1, sizeof(*profile));
        arena_init(&profile->arena, 4096);
        profile->scheduler_name = spec->scheduler_name.len > 0
                                          ? arena_slice(&profile->arena, spec->scheduler_name)
                                          : SLICE_LITERAL("default-scheduler");
        profile->percentage_of_nodes = spec->has_percentage ? spec->percentage_of_nodes : -1;
        profile->is_parity = env->is_parity;
        profile->object_cache = env->object_cache;
        profile->plugins = ARENA_ARRAY(&profile->arena, struct profile_plugin, PROFILE_PLUGINS_MAX);
        struct sched_profile_build build = {
                .spec = spec, .env = env, .profile = profile, .err = err
        };
        build.multi = merge_defaults(&profile->arena, &spec->sets[POINT_MULTI], env->gates);
        int r = build_all(&build);
        if (r < 0) {
                r = err_wrap(err, "creating profile for scheduler name " SLICE_FMT,
                             SLICE_ARG(profile->scheduler_name));
                sched_profile_free(profile);
                return r;
        }
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
                if (profile->plugins[i].plugin->fini)
                        profile->plugins[i].plugin->fini(profile->plugins[i].state);
        arena_release(&profile->arena);
        free(profile);
}

const struct profile_plugin *sched_profile_find(const struct sched_profile *profile,
                                                struct slice name) {
        size_t index = instance_of(profile, name);
        return index == SIZE_MAX ? NULL : &profile->plugins[index];
}
