/* Profiles from a KubeSchedulerConfiguration. */
#include "sched/scheduler_configuration.h"

static struct plugin_set read_set(const struct json *value, struct arena *arena) {
        const struct json *enabled = json_get(value, "enabled");
        const struct json *disabled = json_get(value, "disabled");
        struct plugin_choice *choices =
                ARENA_ARRAY(arena, struct plugin_choice, json_count(enabled));
        struct slice *names = ARENA_ARRAY(arena, struct slice, json_count(disabled));
        struct plugin_set set = { .enabled = choices, .disabled = names };
        const struct json *item;
        struct json_iter iter = json_iter(enabled);
        while (json_next(&iter, NULL, &item))
                choices[set.enabled_count++] =
                        (struct plugin_choice){ json_get_text(item, "name"),
                                                (int32_t)json_get_i64(item, "weight", 0) };
        iter = json_iter(disabled);
        while (json_next(&iter, NULL, &item))
                names[set.disabled_count++] = json_get_text(item, "name");
        return set;
}

static void read_args(const struct json *list, struct arena *arena,
                      struct sched_profile_spec *spec) {
        struct plugin_args *args = ARENA_ARRAY(arena, struct plugin_args, json_count(list));
        struct json_iter iter = json_iter(list);
        const struct json *item;
        while (json_next(&iter, NULL, &item))
                args[spec->args_count++] =
                        (struct plugin_args){ json_get_text(item, "name"), json_get(item, "args") };
        spec->args = args;
}

static void read_profile(const struct json *profile, struct arena *arena,
                         struct sched_profile_spec *ret_spec) {
        const struct json *plugins = json_get(profile, "plugins");
        int64_t percentage;
        *ret_spec = (struct sched_profile_spec){ .scheduler_name =
                                                         json_get_text(profile, "schedulerName") };
        ret_spec->has_percentage =
                json_as_i64(json_get(profile, "percentageOfNodesToScore"), &percentage);
        if (ret_spec->has_percentage)
                ret_spec->percentage_of_nodes = (int32_t)percentage;
        for (int point = 0; point <= POINT_MULTI; point++)
                ret_spec->sets[point] = read_set(
                        json_get(plugins, sched_point_name((enum sched_point)point)), arena);
        read_args(json_get(profile, "pluginConfig"), arena, ret_spec);
}

int sched_profiles_from_json(const struct json *config, const struct profile_env *env,
                             struct arena *arena, struct sched_profile ***ret_profiles,
                             size_t *ret_count, struct err *err) {
        const struct json *list = json_get(config, "profiles");
        size_t count = json_count(list);
        struct sched_profile **profiles =
                ARENA_ARRAY(arena, struct sched_profile *, count == 0 ? 1 : count);
        struct json_iter iter = json_iter(list);
        const struct json *profile;
        size_t built = 0;
        int r = count == 0 ? sched_profile_new_default(env, &profiles[built++], err) : 0;
        while (r == 0 && json_next(&iter, NULL, &profile)) {
                struct sched_profile_spec spec;
                read_profile(profile, arena, &spec);
                r = sched_profile_new(&spec, env, &profiles[built], err);
                if (r == 0)
                        built++;
        }
        if (r < 0) {
                for (size_t i = 0; i < built; i++)
                        sched_profile_free(profiles[i]);
                return r;
        }
        *ret_profiles = profiles;
        *ret_count = built;
        return 0;
}
