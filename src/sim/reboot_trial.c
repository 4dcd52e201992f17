/* Puts a trial together and runs it to the last return. */
#include "sim/reboot_trial_priv.h"

#include "base/util.h"
#include "config/descheduler_policy.h"
#include "config/field_table.h"
#include "desched/descheduler.h"
#include "plugins/desched/registry.h"
#include "roles/placement_simulator.h"
#include "sched/scheduler.h"
#include <stdlib.h>

#define DESCHEDULE_NS (300 * NS_PER_S)
#define SAMPLE_NS (300 * NS_PER_S)
#define ALERT_OFF_S (4 * 3600.0)
#define ALERT_ON_S 600.0
#define STEPS_MAX 20000000
#define ALERT_SEED 0xa1e7

const struct trial_setting trial_setting_default = {
        .nodes = 20,
        .concurrency = 1,
        .rho = 1,
        .fraction = 0.5,
        .utilisation = 0.6,
        .period_ns = 300 * NS_PER_S,
        .lifetime_ns = 1200 * NS_PER_S,
};

const char *trial_arm_name(enum trial_arm arm) {
        static const char *const names[TRIAL_ARM_COUNT] = { "none",  "late",       "early",
                                                            "ahead", "deschedule", "hard" };

        return names[arm];
}

/* ---- the descheduler ---- */

static const char policy_text[] =
        "{\"apiVersion\":\"descheduler/v1alpha2\",\"kind\":\"DeschedulerPolicy\",\"profiles\":[{"
        "\"name\":\"reboots\",\"pluginConfig\":[{\"name\":\"RemovePodsViolatingNodeTaints\","
        "\"args\":{\"includePreferNoSchedule\":true,\"labelSelector\":{\"matchLabels\":{\"tier\":"
        "\"web\"}}}}],\"plugins\":{\"deschedule\":{\"enabled\":["
        "\"RemovePodsViolatingNodeTaints\"]}}}]}";

static void begin_pass(void *context, const struct evict_pass *pass) {
        (void)pass;
        ((struct trial *)context)->evicting_count = 0;
}

/* The model must not change during a pass. */
static enum evict_outcome ask_later(void *context, const struct evict_intent *intent) {
        struct trial *trial = context;
        struct trial_pod *pod = trial_pod_find(trial, intent->pod.name);

        if (!pod)
                return EVICT_FAILED;
        if (trial->evicting_count == trial->evicting_cap) {
                trial->evicting_cap = trial->evicting_cap ? trial->evicting_cap * 2 : 64;
                trial->evicting = xreallocarray(trial->evicting, trial->evicting_cap,
                                                sizeof(*trial->evicting));
        }
        trial->evicting[trial->evicting_count++] = pod->serial;
        return EVICT_DONE;
}

static void reboot_trial_deschedule(void *context) {
        struct trial *trial = context;

        descheduler_pass(trial->descheduler, loop_wall(trial->loop));
        for (uint32_t i = 0; i < trial->evicting_count; i++)
                trial_evict(trial, trial->pods[trial->evicting[i]]);
        loop_timer_arm(trial->loop, &trial->descheduling, DESCHEDULE_NS);
}

static int start_descheduler(struct trial *trial, struct err *err) {
        trial->problems = config_problems_new();
        trial->policy =
                descheduler_policy_read(slice_of(policy_text), "policy", false, trial->problems);
        trial->simulator = placement_simulator_new(trial->cluster, &trial->roles.profiles, NULL);
        struct placement_predictor predictor = placement_simulator_oracle(trial->simulator);
        trial->descheduling =
                (struct loop_timer){ .fired = reboot_trial_deschedule, .context = trial };
        loop_timer_arm(trial->loop, &trial->descheduling, DESCHEDULE_NS);
        return descheduler_new(
                &(struct descheduler_config){ .cluster = trial->cluster,
                                              .policy = trial->policy,
                                              .registry = desched_registry,
                                              .sink = { trial, begin_pass, ask_later },
                                              .predictor = &predictor },
                trial->problems, &trial->descheduler, err);
}

/* ---- alerts and samples ---- */

static void toggle_alert(void *context) {
        struct trial *trial = context;

        if (loop_mono(trial->loop).ns > 0)
                trial->alert_is_on = !trial->alert_is_on;
        double mean = trial->alert_is_on ? ALERT_ON_S : ALERT_OFF_S;
        loop_timer_arm(trial->loop, &trial->alert,
                       (int64_t)(trial_exponential(&trial->alert_rng, mean) * 1e9) + 1);
}

static void reboot_trial_sample(void *context) {
        struct trial *trial = context;

        trial_sample(trial);
        loop_timer_arm(trial->loop, &trial->sampling, SAMPLE_NS);
}

/* ---- the trial ---- */

static int reboot_trial_start(struct trial *trial, struct err *err) {
        bool deschedules = trial->arm == TRIAL_DESCHEDULE;

        trial->time = virtual_loop_new();
        trial->loop = virtual_loop_get(trial->time);
        trial->cluster = cluster_new(&(struct cluster_config){ .keeps_finished = deschedules,
                                                               .keeps_detail = deschedules });
        action_list_init(&trial->binds);
        if (role_config_load(&(struct role_config_sources){ 0 }, &trial->roles, err) < 0 ||
            role_config_build(&trial->roles, trial->cluster, NULL, err) < 0)
                return err->code;
        trial->scheduler = scheduler_new(
                &(struct scheduler_config){ .cluster = trial->cluster,
                                            .profile_count = trial->roles.profiles.count,
                                            .profiles = trial->roles.profiles.items,
                                            .seed = trial->seed,
                                            .trace_capacity = 1 });
        rng_init(&trial->alert_rng, trial->seed ^ ALERT_SEED);
        trial->alert = (struct loop_timer){ .fired = toggle_alert, .context = trial };
        trial->sampling = (struct loop_timer){ .fired = reboot_trial_sample, .context = trial };
        trial_nodes_start(trial);
        trial_load_start(trial);
        toggle_alert(trial);
        reboot_trial_sample(trial);
        return deschedules ? start_descheduler(trial, err) : 0;
}

static void reboot_trial_stop(struct trial *trial) {
        trial_load_stop(trial);
        trial_nodes_stop(trial);
        loop_timer_disarm(trial->loop, &trial->alert);
        loop_timer_disarm(trial->loop, &trial->sampling);
        loop_timer_disarm(trial->loop, &trial->descheduling);
        descheduler_free(trial->descheduler);
        placement_simulator_free(trial->simulator);
        descheduler_policy_free(trial->policy);
        config_problems_free(trial->problems);
        scheduler_free(trial->scheduler);
        role_config_release(&trial->roles);
        action_list_release(&trial->binds);
        cluster_free(trial->cluster);
        virtual_loop_free(trial->time);
        buf_release(&trial->text);
        free(trial->evicting);
}

int reboot_trial_run(const struct trial_setting *setting, enum trial_arm arm, uint64_t seed,
                     struct trial_result *ret_result, struct err *err) {
        struct trial trial = { .setting = *setting, .arm = arm, .seed = seed };
        const struct mono_time end = { TRIAL_HORIZON_NS };
        uint64_t steps = 0;
        int code = reboot_trial_start(&trial, err);

        while (code == 0 && trial.failure[0] == '\0' && trial.returned_count < trial.wanted_count &&
               virtual_loop_step(trial.time, end))
                if (++steps > STEPS_MAX)
                        trial_failed(&trial, "time stands still");
        if (code == 0 && trial.failure[0])
                code = err_set(err, BERTH_ERR_INTERNAL, "arm %s, seed %llu: %s",
                               trial_arm_name(arm), (unsigned long long)seed, trial.failure);
        if (code == 0)
                trial_sum_up(&trial, ret_result);
        reboot_trial_stop(&trial);
        return code;
}
