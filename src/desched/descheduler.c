/* The descheduler: built from a policy, then asked for passes (desched_pass.c). */
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler_priv.h"
#include <stdio.h>
#include <stdlib.h>

static struct desched_profile_spec spec_of(struct descheduler *descheduler,
                                           const struct descheduler_profile *entry) {
        struct desched_profile_spec spec = { .name = entry->name,
                                             .plugin_count = entry->plugin_configs.count };
        struct desched_plugin_spec *plugins =
                ARENA_ARRAY(&descheduler->arena, struct desched_plugin_spec, spec.plugin_count);
        const struct descheduler_plugin_config *configs = entry->plugin_configs.items;
        for (size_t i = 0; i < spec.plugin_count; i++)
                plugins[i] = (struct desched_plugin_spec){ configs[i].name, configs[i].args };
        spec.plugins = plugins;
        spec.enabled[DESCHED_DESCHEDULE] = entry->plugins.deschedule.enabled;
        spec.enabled[DESCHED_BALANCE] = entry->plugins.balance.enabled;
        spec.enabled[DESCHED_FILTER] = entry->plugins.filter.enabled;
        spec.enabled[DESCHED_PRE_EVICTION_FILTER] = entry->plugins.pre_eviction_filter.enabled;
        return spec;
}

static void build_profiles(struct descheduler *descheduler, struct config_problems *problems) {
        const struct descheduler_config *config = &descheduler->config;
        const struct descheduler_policy *policy = config->policy;
        const struct descheduler_profile *entries = policy->profiles.items;
        const struct json *written =
                policy->document ? json_get(document_root(policy->document), "profiles") : NULL;
        size_t rule_count = 0;
        descheduler->profiles = xcalloc(policy->profiles.count, sizeof(*descheduler->profiles));
        for (size_t i = 0; i < policy->profiles.count; i++) {
                struct desched_profile_spec spec = spec_of(descheduler, &entries[i]);
                const struct desched_profile_env env = {
                        .registry = config->registry,
                        .plugin = { .cluster = config->cluster, .is_parity = config->is_parity },
                        .document = config->document ? config->document : policy->document,
                        .problems = problems,
                        .path = arena_printf(&descheduler->arena, "profiles[%zu]", i),
                        .value = json_at(written, i),
                };
                struct desched_profile *profile = desched_profile_new(&spec, &env);
                if (!profile)
                        continue;
                descheduler->profiles[descheduler->profile_count++] = profile;
                rule_count += profile->points[DESCHED_DESCHEDULE].count +
                              profile->points[DESCHED_BALANCE].count;
        }
        descheduler->rules =
                ARENA_ARRAY(&descheduler->arena, struct desched_rule_report, rule_count);
}

static uint32_t cap_of(int64_t limit) {
        return limit > UINT32_MAX ? UINT32_MAX : (uint32_t)limit;
}

static void take_limits(struct descheduler *descheduler, const struct descheduler_policy *policy) {
        descheduler->limits = (struct evict_limits){
                .has_total = policy->has_max_total,
                .has_node = policy->has_max_per_node,
                .has_namespace = policy->has_max_per_namespace,
                .total = cap_of(policy->max_total),
                .node = cap_of(policy->max_per_node),
                .ns = cap_of(policy->max_per_namespace),
        };
        descheduler->has_grace = policy->has_grace_period;
        descheduler->grace_s = policy->grace_period_s;
        descheduler->notes_failures = policy->notifies_eviction_failures;
}

int descheduler_new(const struct descheduler_config *config, struct config_problems *problems,
                    struct descheduler **ret_descheduler, struct err *err) {
        struct descheduler *descheduler = xcalloc(1, sizeof(*descheduler));
        descheduler->config = *config;
        arena_init(&descheduler->arena, 4096);
        arena_init(&descheduler->pass, 0);
        arena_init(&descheduler->scratch, 0);
        arena_init(&descheduler->report_texts, 0);
        take_limits(descheduler, config->policy);
        if (config->predictor && !config->is_parity && config->policy->moves_only_if_better) {
                descheduler->predictor = *config->predictor;
                descheduler->returns = return_memory_new();
                descheduler->move_budget = move_budget_new();
        }
        if (config->device_judge && !config->is_parity)
                descheduler->device_judge = *config->device_judge;
        build_profiles(descheduler, problems);
        int code = config_problems_to_err(problems, err);
        if (code < 0)
                descheduler_free(descheduler);
        else
                *ret_descheduler = descheduler;
        return code;
}

void descheduler_free(struct descheduler *descheduler) {
        if (!descheduler)
                return;
        for (size_t i = 0; i < descheduler->profile_count; i++)
                desched_profile_free(descheduler->profiles[i]);
        free(descheduler->profiles);
        return_memory_free(descheduler->returns);
        move_budget_free(descheduler->move_budget);
        arena_release(&descheduler->arena);
        arena_release(&descheduler->pass);
        arena_release(&descheduler->scratch);
        arena_release(&descheduler->report_texts);
        free(descheduler);
}

void descheduler_observe(struct descheduler *descheduler, const struct desched_observer *observer) {
        descheduler->observer = *observer;
}
