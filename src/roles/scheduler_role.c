/* Drives the scheduler's step machine from the loop. */
#include "roles/scheduler_role.h"

#include "base/time.h"
#include "base/util.h"
#include "config/scheduler_configuration.h"
#include "pages/role_metrics.h"
#include "plugin/plugin.h"
#include "roles/eviction_forecast.h"
#include "roles/extender_caller.h"
#include "roles/reservation_controller.h"
#include "sched/scheduler.h"
#include <stdlib.h>

/* Decisions made before other work of the loop runs: some take long, and a lease has to be
 * renewed in time. */
#define DECISIONS_PER_ITERATION 256
#define DECISIONS_PER_LOOK 16 /* at the clock */
#define ITERATION_NS (20 * NS_PER_MS)
/* Binds that wait for their answers: many times what is written at once, so that writes never wait
 * for decisions; each costs about 1 KiB. */
#define OPEN_BINDS_MAX 2048
#define SCHEDULER_RECORDS 64        /* of preemptions that ended */
#define FORECAST_NS (60 * NS_PER_S) /* between reads of what evictions take */

struct scheduler_role {
        struct runtime *runtime;
        struct scheduler *scheduler;
        struct action_list actions;
        struct loop_timer timer;
        struct scheduler_metrics *metrics;           /* NULL = not counted */
        struct extender_caller *extenders;           /* NULL = none */
        struct reservation_controller *reservations; /* NULL = none */
        struct eviction_forecast *forecast;          /* NULL = evictions cost nothing */
};

static void ask_extenders(struct scheduler_role *role) {
        for (size_t i = 0; i < role->actions.count; i++)
                if (role->actions.items[i].kind == ACTION_ASK_EXTENDER)
                        extender_caller_ask(role->extenders, &role->actions.items[i]);
}

/* Hands in what was decided and sets the timer for what comes next. */
static void scheduler_role_deliver(struct scheduler_role *role, bool has_more) {
        struct loop *loop = runtime_loop(role->runtime);
        struct mono_time due;

        if (role->actions.count) {
                ask_extenders(role);
                runtime_submit(role->runtime, role, &role->actions);
                action_list_clear(&role->actions);
        }
        if (has_more)
                loop_timer_arm(loop, &role->timer, 0);
        else if (scheduler_next_due(role->scheduler, &due))
                loop_timer_arm(loop, &role->timer, due.ns - loop_mono(loop).ns);
        else
                loop_timer_disarm(loop, &role->timer);
}

static void scheduler_role_step(void *self) {
        struct scheduler_role *role = self;
        struct loop *loop = runtime_loop(role->runtime);
        struct scheduler_progress progress;
        int64_t start_ns = stopwatch_ns();
        size_t decisions = 0;

        if (!runtime_is_synced(role->runtime))
                return;
        do {
                progress = scheduler_step(role->scheduler, loop_mono(loop), loop_wall(loop),
                                          DECISIONS_PER_LOOK, &role->actions);
                decisions += progress.decisions;
        } while (progress.has_more && decisions < DECISIONS_PER_ITERATION &&
                 stopwatch_ns() - start_ns < ITERATION_NS);
        scheduler_metrics_stepped(role->metrics, stopwatch_ns() - start_ns);
        scheduler_role_deliver(role, progress.has_more);
}

static void on_noticed(void *self, uint32_t mask) {
        struct scheduler_role *role = self;

        scheduler_notice(role->scheduler, mask, loop_mono(runtime_loop(role->runtime)));
}

static void on_result(void *self, const struct action_result *result) {
        struct scheduler_role *role = self;
        struct loop *loop = runtime_loop(role->runtime);
        struct mono_time due;

        scheduler_metrics_bound(role->metrics, result);
        scheduler_result(role->scheduler, result, loop_mono(loop), loop_wall(loop), &role->actions);
        if (role->actions.count || scheduler_has_more(role->scheduler))
                loop_timer_arm(loop, &role->timer, 0);
        else if (scheduler_next_due(role->scheduler, &due) &&
                 (!loop_timer_is_armed(&role->timer) || due.ns < role->timer.due.ns))
                loop_timer_arm(loop, &role->timer, due.ns - loop_mono(loop).ns);
}

static bool is_idle(const void *self) {
        const struct scheduler_role *role = self;
        struct scheduler_stats stats;

        scheduler_stats(role->scheduler, &stats);
        return stats.active == 0 && stats.backoff == 0 && stats.binding == 0;
}

static void on_answered(void *context, const struct action_result *result) {
        struct scheduler_role *role = context;
        struct loop *loop = runtime_loop(role->runtime);

        scheduler_result(role->scheduler, result, loop_mono(loop), loop_wall(loop), &role->actions);
        loop_timer_arm(loop, &role->timer, 0);
}

static void on_arriving(void *self, enum object_kind kind, enum change_kind change,
                        struct arrival *arrival) {
        struct scheduler_role *role = self;

        scheduler_metrics_arriving(role->metrics);
        if (role->extenders)
                extender_caller_arriving(role->extenders, kind, change, arrival);
}

static void on_arrived(void *self, enum object_kind kind, enum change_kind change,
                       struct arrival *arrival) {
        struct scheduler_role *role = self;

        scheduler_metrics_arrived(role->metrics, kind, change, arrival);
        if (role->reservations)
                reservation_controller_arrived(role->reservations, kind, change, arrival);
}

/* A reservation was made or ended: pods that wait for capacity are tried again. */
static void on_reservation(void *context) {
        struct scheduler_role *role = context;

        loop_timer_arm(runtime_loop(role->runtime), &role->timer, 0);
}

static void keep_reservations(struct scheduler_role *role,
                              const struct scheduler_role_config *config) {
        role->reservations = reservation_controller_new(&(struct reservation_controller_config){
                .loop = runtime_loop(role->runtime),
                .transport = runtime_transport(role->runtime),
                .watches = runtime_watches(role->runtime),
                .cluster = runtime_cluster(role->runtime),
                .profile_count = config->profile_count,
                .profiles = config->profiles,
                .changed = on_reservation,
                .context = role });
        if (config->ret_reservations)
                *config->ret_reservations = role->reservations;
}

static void free_role(void *self) {
        struct scheduler_role *role = self;

        loop_timer_disarm(runtime_loop(role->runtime), &role->timer);
        reservation_controller_free(role->reservations);
        extender_caller_free(role->extenders);
        scheduler_metrics_free(role->metrics);
        scheduler_free(role->scheduler);
        eviction_forecast_free(role->forecast);
        action_list_release(&role->actions);
        free(role);
}

/* Preemption ends pods as everyone does, through the service. */
static struct evict_requester *join_evictions(struct scheduler_role *role) {
        return evict_service_join(
                runtime_evictions(role->runtime),
                &(struct evict_requester_config){ .name = "scheduler",
                                                  .owner = role,
                                                  .max_records = SCHEDULER_RECORDS,
                                                  .has_no_events = true });
}

struct scheduler *scheduler_role_add(struct runtime *runtime,
                                     const struct scheduler_role_config *config, struct err *err) {
        struct scheduler_role *role = xcalloc(1, sizeof(*role));
        size_t extender_count = config->configuration ? config->configuration->extenders.count : 0;

        role->runtime = runtime;
        role->timer = (struct loop_timer){ .fired = scheduler_role_step, .context = role };
        if (extender_count &&
            extender_caller_new(
                    &(struct extender_caller_config){ .configuration = config->configuration,
                                                      .loop = runtime_loop(runtime),
                                                      .answered = on_answered,
                                                      .context = role },
                    &role->extenders, err) < 0) {
                free(role);
                return NULL;
        }
        action_list_init(&role->actions);
        if (config->metrics)
                role->metrics = scheduler_metrics_new(config->metrics, runtime);
        if (config->weighs_cost && !config->is_parity)
                role->forecast = eviction_forecast_new(
                        &(struct eviction_forecast_config){ .transport = runtime_transport(runtime),
                                                            .loop = runtime_loop(runtime),
                                                            .cluster = runtime_cluster(runtime),
                                                            .interval_ns = FORECAST_NS });
        role->scheduler = scheduler_new(&(struct scheduler_config){
                .cluster = runtime_cluster(runtime),
                .object_cache = runtime_object_cache(runtime),
                .profile_count = config->profile_count,
                .profiles = config->profiles,
                .extender_count = extender_count,
                .extenders = role->extenders ? extender_caller_list(role->extenders) : NULL,
                .seed = config->seed,
                .is_parity = config->is_parity,
                .has_groups = (config->gates & FEATURE_GROUPS) != 0,
                .has_gangs = (config->gates & FEATURE_GANGS) != 0,
                .has_placements = (config->gates & FEATURE_PLACEMENTS) != 0,
                .has_group_preemption = (config->gates & FEATURE_GROUP_PREEMPTION) != 0,
                .backoff_initial_ns = config->backoff_initial_ns,
                .backoff_max_ns = config->backoff_max_ns,
                .unschedulable_timeout_ns = config->unschedulable_timeout_ns,
                .max_binds = OPEN_BINDS_MAX,
                .expected_times = role->forecast ? eviction_forecast_times(role->forecast) : NULL,
                .watch = role->metrics ? scheduler_metrics_watch(role->metrics) : NULL,
                .bound = role->metrics ? scheduler_metrics_placed : NULL,
        });
        if (role->metrics)
                scheduler_metrics_follow(role->metrics, role->scheduler);
        if (config->reserves)
                keep_reservations(role, config);
        runtime_add_role(runtime, &(struct role){ .name = "scheduler",
                                                  .self = role,
                                                  .changed = scheduler_role_step,
                                                  .arriving = on_arriving,
                                                  .arrived = on_arrived,
                                                  .noticed = on_noticed,
                                                  .result = on_result,
                                                  .preempts = join_evictions(role),
                                                  .is_idle = is_idle,
                                                  .free = free_role });
        return role->scheduler;
}
