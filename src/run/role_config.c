/* Reads the roles' configuration and builds what they need from it. */
#include "run/role_config.h"

#include "plugin/sched_profile.h"
#include "plugins/sched/registry.h"
#include <stdlib.h>

int role_config_load(const struct role_config_sources *sources, struct role_config *ret_config,
                     struct err *err) {
        (void)err;
        arena_init(&ret_config->arena, 0);
        ret_config->is_parity = sources->is_parity;
        return 0;
}

int role_config_build(struct role_config *config, const struct cluster *cluster, struct err *err) {
        config->profiles = ARENA_ARRAY(&config->arena, struct sched_profile *, 1);
        if (sched_profile_new_default(&(struct profile_env){ .registry = sched_registry,
                                                             .cluster = cluster,
                                                             .is_parity = config->is_parity },
                                      &config->profiles[0], err) < 0)
                return err->code;
        config->profile_count = 1;
        return 0;
}

int role_config_add_descheduler(struct role_config *config, struct runtime *runtime,
                                const struct descheduler_role_config *role,
                                struct descheduler_role **ret_role, struct err *err) {
        (void)config;
        (void)runtime;
        (void)role;
        (void)ret_role;
        return err_set(err, BERTH_ERR_INVALID, "no policy");
}

void role_config_release(struct role_config *config) {
        for (size_t i = 0; i < config->profile_count; i++)
                sched_profile_free(config->profiles[i]);
        arena_release(&config->arena);
}
