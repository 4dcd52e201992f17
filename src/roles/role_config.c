/* Reads the roles' configuration and builds what they need from it. */
#include "roles/role_config.h"

#include "base/buf.h"
#include "config/descheduler_policy.h"
#include "config/document.h"
#include "config/scheduler_configuration.h"
#include "desched/descheduler.h"
#include "loop/file_text.h"
#include "model/cluster.h"
#include "plugins/desched/registry.h"
#include "plugins/sched/registry.h"
#include "roles/extender_files.h"
#include <stdlib.h>

/* Builds profiles without a cluster, only to find what is wrong with their arguments. */
static void check_policy(const struct role_config *config, struct config_problems *problems) {
        struct descheduler *trial = NULL;

        descheduler_new(&(struct descheduler_config){ .policy = config->policy,
                                                      .document = config->policy->document,
                                                      .registry = desched_registry,
                                                      .is_parity = config->is_parity },
                        problems, &trial, NULL);
        descheduler_free(trial);
}

/* Of the file, or of what was found among objects. */
static int read_source(const char *path, const struct document *found,
                       struct document **ret_document, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };

        if (path)
                return file_text_read(path, &text, err) < 0
                               ? err->code
                               : document_read(buf_view(&text), path, ret_document, err);
        *ret_document = document_part(found, document_root(found));
        return 0;
}

void role_config_check_policy(struct role_config *config, struct document *document,
                              struct config_problems *problems) {
        config->policy = descheduler_policy_take(document, config->is_parity, problems);
        if (config->policy)
                check_policy(config, problems);
}

static int load_policy(struct role_config *config, const struct role_config_sources *sources,
                       struct err *err) {
        struct document *document;

        if (read_source(sources->policy_path, sources->policy, &document, err) < 0)
                return err->code;
        struct config_problems *problems = config_problems_new();
        role_config_check_policy(config, document, problems);
        int code = config_problems_to_err(problems, err);
        config_problems_free(problems);
        return code;
}

static struct profile_env profile_env_of(const struct role_config *config,
                                         const struct cluster *cluster,
                                         const struct object_cache *object_cache) {
        return (struct profile_env){ .registry = sched_registry,
                                     .cluster = cluster,
                                     .is_parity = config->is_parity,
                                     .gates = config->gates,
                                     .object_cache = object_cache };
}

/* Builds profiles over an empty cluster, only to find what is wrong with them. */
static void check_profiles(const struct role_config *config, struct config_problems *problems) {
        struct sched_profile_list profiles = { 0 };
        struct cluster *trial = cluster_new(&(struct cluster_config){ 0 });
        const struct profile_env env = profile_env_of(config, trial, NULL);

        if (sched_profile_list_build(&profiles, config->configuration, &env, problems))
                sched_profile_list_release(&profiles);
        cluster_free(trial);
}

void role_config_check_scheduler(struct role_config *config, struct document *document,
                                 struct config_problems *problems) {
        config->configuration = scheduler_configuration_take(document, problems);
        if (config->configuration)
                check_profiles(config, problems);
}

static int load_configuration(struct role_config *config, const struct role_config_sources *sources,
                              struct err *err) {
        struct document *document;

        if (read_source(sources->config_path, sources->config, &document, err) < 0)
                return err->code;
        struct config_problems *problems = config_problems_new();
        role_config_check_scheduler(config, document, problems);
        int code = config_problems_to_err(problems, err);
        config_problems_free(problems);
        if (code == 0)
                code = extender_files_check(config->configuration, err);
        if (code < 0)
                return code;
        config->backoff_initial_ns = config->configuration->pod_initial_backoff_s * NS_PER_S;
        config->backoff_max_ns = config->configuration->pod_max_backoff_s * NS_PER_S;
        return 0;
}

int role_config_load(const struct role_config_sources *sources, struct role_config *ret_config,
                     struct err *err) {
        arena_init(&ret_config->arena, 0);
        ret_config->is_parity = sources->is_parity;
        ret_config->gates = sources->gates;
        ret_config->is_given = sources->config_path || sources->config;
        if ((sources->policy_path || sources->policy) && load_policy(ret_config, sources, err) < 0)
                return err->code;
        if (sources->config_path || sources->config)
                return load_configuration(ret_config, sources, err);
        ret_config->configuration = scheduler_configuration_new_default();
        return 0;
}

int role_config_build(struct role_config *config, const struct cluster *cluster,
                      const struct object_cache *object_cache, struct err *err) {
        const struct profile_env env = profile_env_of(config, cluster, object_cache);

        config->cluster = cluster;
        config->object_cache = object_cache;
        if (sched_profile_list_init(&config->profiles, config->configuration, &env, err) < 0)
                return err->code;
        if (config->is_given)
                config->settled_profiles = UINT64_MAX >> (64 - config->profiles.count);
        return 0;
}

static int take_found(void *context, struct slice text, const char *source, struct err *err) {
        return role_config_take_found(context, text, source, err);
}

struct descheduler_role *role_config_add_descheduler(struct role_config *config,
                                                     struct runtime *runtime,
                                                     const struct descheduler_role_config *role) {
        struct descheduler_role_config whole = *role;

        whole.policy = config->policy;
        whole.document = config->policy->document;
        whole.registry = desched_registry;
        whole.is_parity = config->is_parity;
        whole.profiles = config->profiles.count > 0 ? &config->profiles : NULL;
        if (role->finds_scheduler && whole.profiles && !config->is_parity) {
                whole.found_scheduler = take_found;
                whole.found_context = config;
        }
        return descheduler_role_add(runtime, &whole);
}

void role_config_release(struct role_config *config) {
        sched_profile_list_release(&config->profiles);
        for (size_t i = 0; i < config->found_count; i++)
                scheduler_configuration_free(config->found[i]);
        scheduler_configuration_free(config->configuration);
        descheduler_policy_free(config->policy);
        arena_release(&config->arena);
}
