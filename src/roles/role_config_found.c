/* Configurations of schedulers that were found in the cluster, beside the one that was given. */
#include "roles/role_config.h"

#include "base/util.h"
#include "config/field_table.h"
#include "config/scheduler_configuration.h"
#include "plugins/sched/registry.h"
#include <stdlib.h>

static size_t profile_position(const struct sched_profile_list *list, struct slice name) {
        size_t at = 0;

        while (at < list->count && !slice_eq(list->items[at]->scheduler_name, name))
                at++;
        return at;
}

/* Takes the profile into the list or frees it: one that was given, or found before, stays. */
static void take_profile(struct role_config *config, struct sched_profile *profile, bool is_found) {
        struct sched_profile_list *list = &config->profiles;
        size_t at = profile_position(list, profile->scheduler_name);
        bool is_there = at < list->count;

        if (at >= ROLE_PROFILES_MAX ||
            (is_there && (!is_found || (config->settled_profiles >> at & 1) != 0))) {
                sched_profile_free(profile);
                return;
        }
        if (is_there) {
                sched_profile_free(list->items[at]);
        } else {
                list->items = xreallocarray(list->items, at + 1, sizeof(*list->items));
                list->count++;
        }
        list->items[at] = profile;
        if (is_found)
                config->settled_profiles |= (uint64_t)1 << at;
}

/* The configuration belongs to config from now on. */
static int take_configuration(struct role_config *config,
                              struct scheduler_configuration *configuration, bool is_found,
                              struct err *err) {
        const struct profile_env env = { .registry = sched_registry,
                                         .cluster = config->cluster,
                                         .is_parity = config->is_parity,
                                         .gates = config->gates,
                                         .object_cache = config->object_cache };
        struct sched_profile_list list = { 0 };

        config->found[config->found_count++] = configuration;
        if (sched_profile_list_init(&list, configuration, &env, err) < 0)
                return err->code;
        for (size_t i = 0; i < list.count; i++)
                take_profile(config, list.items[i], is_found);
        free(list.items);
        return 0;
}

int role_config_take_found(struct role_config *config, struct slice text, const char *source,
                           struct err *err) {
        if (config->found_count == ROLE_FOUND_MAX)
                return err_set(err, BERTH_ERR_TOO_MANY, "more than %d schedulers", ROLE_FOUND_MAX);
        struct config_problems *problems = config_problems_new();
        struct scheduler_configuration *configuration =
                scheduler_configuration_read(text, source, problems);
        int code = config_problems_to_err(problems, err);

        config_problems_free(problems);
        if (code < 0)
                scheduler_configuration_free(configuration);
        return code < 0 ? code : take_configuration(config, configuration, true, err);
}

int role_config_take_default(struct role_config *config, struct err *err) {
        return take_configuration(config, scheduler_configuration_new_default(), false, err);
}
