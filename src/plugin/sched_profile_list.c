/* The profiles of a KubeSchedulerConfiguration. */
#include "plugin/sched_profile_list.h"
#include "base/util.h"
#include <stdlib.h>

static struct plugin_set convert_set(const struct scheduler_plugin_set *from, struct arena *arena) {
        const struct scheduler_plugin *enabled = from->enabled.items;
        const struct scheduler_plugin *disabled = from->disabled.items;
        struct plugin_choice *choices =
                ARENA_ARRAY(arena, struct plugin_choice, from->enabled.count);
        struct slice *names = ARENA_ARRAY(arena, struct slice, from->disabled.count);
        for (size_t i = 0; i < from->enabled.count; i++)
                choices[i] = (struct plugin_choice){ enabled[i].name, enabled[i].weight };
        for (size_t i = 0; i < from->disabled.count; i++)
                names[i] = disabled[i].name;
        return (struct plugin_set){ from->enabled.count, from->disabled.count, choices, names };
}

static void convert_sets(const struct scheduler_plugins *plugins, struct arena *arena,
                         struct plugin_set *ret_sets) {
        const struct scheduler_plugin_set *sets[POINT_COUNT + 1] = {
                [POINT_PRE_ENQUEUE] = &plugins->pre_enqueue,
                [POINT_QUEUE_SORT] = &plugins->queue_sort,
                [POINT_PRE_FILTER] = &plugins->pre_filter,
                [POINT_FILTER] = &plugins->filter,
                [POINT_POST_FILTER] = &plugins->post_filter,
                [POINT_PRE_SCORE] = &plugins->pre_score,
                [POINT_SCORE] = &plugins->score,
                [POINT_RESERVE] = &plugins->reserve,
                [POINT_PERMIT] = &plugins->permit,
                [POINT_PRE_BIND] = &plugins->pre_bind,
                [POINT_BIND] = &plugins->bind,
                [POINT_POST_BIND] = &plugins->post_bind,
                [POINT_PLACEMENT_GENERATE] = &plugins->placement_generate,
                [POINT_PLACEMENT_SCORE] = &plugins->placement_score,
                [POINT_MULTI] = &plugins->multi_point,
        };
        for (int point = 0; point <= POINT_MULTI; point++)
                ret_sets[point] = convert_set(sets[point], arena);
}

static void sched_profile_list_convert(const struct scheduler_profile *profile, struct arena *arena,
                                       struct sched_profile_spec *ret_spec) {
        const struct scheduler_plugin_config *given = profile->plugin_configs.items;
        struct plugin_args *args =
                ARENA_ARRAY(arena, struct plugin_args, profile->plugin_configs.count);
        *ret_spec = (struct sched_profile_spec){
                .scheduler_name = profile->scheduler_name,
                .has_percentage = profile->has_percentage,
                .percentage_of_nodes = profile->percentage_of_nodes,
                .args_count = profile->plugin_configs.count,
                .args = args,
        };
        for (size_t i = 0; i < profile->plugin_configs.count; i++)
                args[i] = (struct plugin_args){ given[i].name, given[i].args };
        convert_sets(&profile->plugins, arena, ret_spec->sets);
}

bool sched_profile_list_build(struct sched_profile_list *list,
                              const struct scheduler_configuration *configuration,
                              const struct profile_env *env, struct config_problems *problems) {
        size_t count = configuration->profiles.count;
        struct profile_env own_env = *env;
        struct arena scratch;
        own_env.document = configuration->document;
        own_env.extenders = &configuration->extenders;
        *list = (struct sched_profile_list){ 0, xcalloc(count + 1, sizeof(*list->items)) };
        arena_init(&scratch, 4096);
        for (size_t i = 0; i < count; i++) {
                struct sched_profile_spec spec;
                sched_profile_list_convert(scheduler_configuration_profile(configuration, i),
                                           &scratch, &spec);
                spec.path = arena_printf(&scratch, "profiles[%zu]", i);
                list->items[list->count] = sched_profile_build(&spec, &own_env, problems);
                list->count += list->items[list->count] ? 1 : 0;
        }
        arena_release(&scratch);
        if (list->count == count)
                return true;
        sched_profile_list_release(list);
        return false;
}

int sched_profile_list_init(struct sched_profile_list *list,
                            const struct scheduler_configuration *configuration,
                            const struct profile_env *env, struct err *err) {
        struct config_problems *problems = config_problems_new();
        sched_profile_list_build(list, configuration, env, problems);
        int code = config_problems_to_err(problems, err);
        config_problems_free(problems);
        return code;
}

void sched_profile_list_release(struct sched_profile_list *list) {
        for (size_t i = 0; i < list->count; i++)
                sched_profile_free(list->items[i]);
        free(list->items);
        *list = (struct sched_profile_list){ 0 };
}

const struct sched_profile *sched_profile_list_find(const struct sched_profile_list *list,
                                                    struct slice scheduler_name) {
        for (size_t i = 0; i < list->count; i++)
                if (slice_eq(list->items[i]->scheduler_name, scheduler_name))
                        return list->items[i];
        return NULL;
}
