/* Drives passes of the descheduler and the eviction service from the loop. */
#include "roles/descheduler_role_priv.h"

#include "api/json.h"
#include "base/log.h"
#include "base/saturate.h"
#include "base/util.h"
#include "config/field_table.h"
#include "evict/evict_service.h"
#include "model/cluster.h"
#include "pages/role_metrics.h"
#include "roles/eviction_forecast.h"
#include "roles/job_watch.h"
#include "roles/placement_simulator.h"
#include "roles/scheduler_search.h"
#include "roles/tracer.h"
#include "roles/usage_feed.h"
#include <stdlib.h>

/* Changes within this time are answered together, and reactions are at least so far apart. */
#define REACT_PAUSE_NS (200 * NS_PER_MS)

static void on_evicted(void *self) {
        struct descheduler_role *role = self;
        struct loop *loop = runtime_loop(role->runtime);

        descheduler_log_evictions(role);
        if (role->is_late && evict_requester_open(role->requester) == 0) {
                loop_timer_disarm(loop, &role->pass_timer);
                loop_timer_arm(loop, &role->pass_timer, 0);
        }
        descheduler_once_check(role);
}

/* Passes judge pods by what is known of evictions under way. */
static void observe_evictions(struct descheduler_role *role) {
        struct loop *loop = runtime_loop(role->runtime);

        evict_service_observe(runtime_evictions(role->runtime), loop_mono(loop),
                              runtime_server_time(role->runtime));
}

/* The requester remembers only so many; what a large pass asks for is logged on the way. */
static enum evict_outcome ask_and_log(void *context, const struct evict_intent *intent) {
        struct descheduler_role *role = context;
        struct evict_sink sink = evict_requester_sink(role->requester);
        enum evict_outcome outcome = sink.ask(sink.context, intent);

        if (++role->unlogged >= EVICT_RECORDS_DEFAULT / 2)
                descheduler_log_evictions(role);
        return outcome;
}

static void descheduler_role_begin_pass(void *context, const struct evict_pass *pass) {
        struct evict_sink sink =
                evict_requester_sink(((struct descheduler_role *)context)->requester);

        sink.begin_pass(sink.context, pass);
}

/* ---- between passes ---- */

static void arm_reaction(struct descheduler_role *role, int64_t delay_ns) {
        struct loop *loop = runtime_loop(role->runtime);

        if (!loop_timer_is_armed(&role->react_timer))
                loop_timer_arm(loop, &role->react_timer, delay_ns);
}

/* The next rule to fall due, unless a change comes first. */
static void await_due(struct descheduler_role *role) {
        struct loop *loop = runtime_loop(role->runtime);
        struct wall_time due;

        if (!role->config.watches || role->changes != 0 ||
            !descheduler_next_due(role->descheduler, &due))
                return;
        int64_t delay_ns = difference_saturated(due.ns, runtime_server_time(role->runtime).ns);
        loop_timer_disarm(loop, &role->react_timer);
        loop_timer_arm(loop, &role->react_timer,
                       delay_ns > REACT_PAUSE_NS ? delay_ns : REACT_PAUSE_NS);
}

/* What of interest changed since the last look; all of it when the log does not reach back. */
static uint32_t gather_changes(struct descheduler_role *role) {
        const struct cluster *cluster = runtime_cluster(role->runtime);
        struct change_range range;
        uint32_t mask = 0;

        if (!cluster_changes_since(cluster, role->seen, &range)) {
                mask = UINT32_MAX;
        } else {
                for (size_t i = 0; i < range.first_count; i++)
                        mask |= range.first[i].mask;
                for (size_t i = 0; i < range.second_count; i++)
                        mask |= range.second[i].mask;
        }
        role->seen = cluster_generation(cluster);
        return mask & descheduler_wakes_on(role->descheduler);
}

static void descheduler_role_react(void *self) {
        struct descheduler_role *role = self;
        struct wall_time now = runtime_server_time(role->runtime);

        observe_evictions(role);
        tracer_begin_pass(role->tracer);
        const struct desched_report *report =
                descheduler_react(role->descheduler, now, role->changes);
        tracer_end_pass(role->tracer, report->evicted);
        role->changes = 0;
        role->reactions++;
        if (report->evicted > 0)
                descheduler_log_pass(report, now);
        runtime_serve_evictions(role->runtime);
        await_due(role);
}

/* Changes that come together are taken together. */
static void watch_changes(struct descheduler_role *role) {
        struct loop *loop = runtime_loop(role->runtime);
        bool had_changes = role->changes != 0;

        role->changes |= gather_changes(role);
        if (role->changes == 0 || had_changes)
                return;
        loop_timer_disarm(loop, &role->react_timer);
        arm_reaction(role, REACT_PAUSE_NS);
}

/* Upstream's cycle ends in an error where no plugin can be blamed; a single one then starts over at
 * once, without end. */
static bool fails_as_a_whole(struct descheduler_role *role) {
        const char *failure = role->feed ? usage_feed_failure(role->feed) : NULL;

        if (!failure)
                return false;
        LOG(LOG_ERROR, "CycleFailed", log_text("error", failure));
        if (role->config.interval_ns == 0)
                loop_timer_arm(runtime_loop(role->runtime), &role->pass_timer, 0);
        return true;
}

static void descheduler_role_pass(void *self) {
        struct descheduler_role *role = self;
        struct wall_time now = runtime_server_time(role->runtime);
        int64_t start_ns = stopwatch_ns();

        if (fails_as_a_whole(role))
                return;
        observe_evictions(role);
        tracer_begin_pass(role->tracer);
        const struct desched_report *report = descheduler_pass(role->descheduler, now);
        tracer_end_pass(role->tracer, report->evicted);
        descheduler_report_rules(role, report);
        descheduler_log_pass(report, now);
        descheduler_metrics_passed(role->metrics, stopwatch_ns() - start_ns);
        role->passes++;
        role->changes = 0;
        role->seen = cluster_generation(runtime_cluster(role->runtime));
        runtime_serve_evictions(role->runtime);
        await_due(role);
}

static void descheduler_role_measure(void *self) {
        struct descheduler_role *role = self;

        if (!role->feed)
                descheduler_role_pass(role);
        else
                usage_feed_fetch(role->feed, descheduler_role_pass, role);
}

/* At a fixed rate: a pass that starts late does not delay the next.  What is measured comes first;
 * a provider slower than the interval makes that pass fall out. */
static void on_pass_due(void *self) {
        struct descheduler_role *role = self;

        if (role->config.interval_ns > 0)
                loop_timer_arm(runtime_loop(role->runtime), &role->pass_timer,
                               role->config.interval_ns);
        /* Upstream evicts within its pass. */
        role->is_late = role->config.is_parity && evict_requester_open(role->requester) > 0;
        if (role->is_late)
                return;
        if (!role->forecast)
                descheduler_role_measure(role);
        else
                eviction_forecast_fetch(role->forecast, descheduler_role_measure, role);
}

static void on_rule_began(void *self, const struct desched_rule_report *rule) {
        struct descheduler_role *role = self;

        (void)rule;
        role->rule_start_ns = stopwatch_ns();
        tracer_begin_rule(role->tracer);
}

static void on_rule_ended(void *self, const struct desched_rule_report *rule) {
        struct descheduler_role *role = self;

        descheduler_metrics_ran(role->metrics, rule->plugin, rule->profile, rule->code == BERTH_OK,
                                stopwatch_ns() - role->rule_start_ns);
        descheduler_metrics_judged(
                role->metrics, &(const struct descheduler_verdicts){ .plugin = rule->plugin,
                                                                     .profile = rule->profile,
                                                                     .evicted = rule->evicted,
                                                                     .limited = rule->limited,
                                                                     .refused = rule->refused,
                                                                     .spared = rule->spared,
                                                                     .young = rule->young_count });
        tracer_end_rule(
                role->tracer,
                &(struct traced_rule){ .profile = rule->profile,
                                       .plugin = rule->plugin,
                                       .is_balance = rule->is_balance,
                                       .failure = rule->code != BERTH_OK ? rule->text : NULL });
}

static void on_traces_sent(void *self) {
        descheduler_once_check(self);
}

static void start_tracer(struct descheduler_role *role) {
        struct tracer_config config;
        struct err err = { 0 };

        if (!role->config.tracing)
                return;
        config = *role->config.tracing;
        config.loop = runtime_loop(role->runtime);
        config.sent = on_traces_sent;
        config.context = role;
        if (tracer_new(&config, &role->tracer, &err) < 0)
                LOG(LOG_ERROR, "NoTraces", log_text("error", err.text));
}

static int descheduler_role_build(struct descheduler_role *role, struct err *err) {
        const struct descheduler_role_config *config = &role->config;
        struct config_problems *problems = config_problems_new();
        struct placement_predictor predictor = { 0 };
        struct device_judge judge = { 0 };

        if (config->profiles) {
                role->simulator =
                        placement_simulator_new(runtime_cluster(role->runtime), config->profiles,
                                                runtime_object_cache(role->runtime));
                predictor = placement_simulator_oracle(role->simulator);
                judge = placement_simulator_judge(role->simulator);
        }
        role->feed = usage_feed_new(runtime_transport(role->runtime), runtime_loop(role->runtime),
                                    config->policy, config->is_parity);
        int code = descheduler_new(
                &(struct descheduler_config){
                        .cluster = runtime_cluster(role->runtime),
                        .policy = config->policy,
                        .document = config->document,
                        .registry = config->registry,
                        .sink = { role, descheduler_role_begin_pass, ask_and_log },
                        .usage = role->feed ? usage_feed_source(role->feed) : NULL,
                        .jobs = role->jobs ? &role->known_jobs : NULL,
                        .predictor = role->simulator ? &predictor : NULL,
                        .device_judge = role->simulator ? &judge : NULL,
                        .expected_times =
                                role->forecast ? eviction_forecast_times(role->forecast) : NULL,
                        .is_parity = config->is_parity,
                        .is_dry_run = config->is_dry_run,
                        .hides_budgets = config->is_parity && !config->is_dry_run },
                problems, &role->descheduler, err);

        config_problems_free(problems);
        if (code == 0)
                descheduler_observe(role->descheduler,
                                    &(const struct desched_observer){ .context = role,
                                                                      .began = on_rule_began,
                                                                      .ended = on_rule_ended });
        return code;
}

static bool has_eviction(const struct json *resources) {
        struct json_iter iter = json_iter(json_get(resources, "resources"));
        const struct json *resource;

        while (json_next(&iter, NULL, &resource))
                if (slice_is(json_get_text(resource, "name"), "pods/eviction") &&
                    slice_is(json_get_text(resource, "kind"), "Eviction"))
                        return true;
        return false;
}

/* An answer that cannot be read is no reason to stay idle: evictions show it themselves. */
static bool lacks_eviction(const struct api_reply *reply) {
        struct json_doc *doc = NULL;

        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0)
                return false;
        bool is_lacking = !has_eviction(json_doc_root(doc));
        json_doc_free(doc);
        return is_lacking;
}

static bool has_ttl(void *self, struct slice job_uid) {
        return job_watch_has_ttl(((const struct descheduler_role *)self)->jobs, job_uid);
}

static void descheduler_role_start(void *self) {
        struct descheduler_role *role = self;

        if (!role->is_finished)
                loop_timer_arm(runtime_loop(role->runtime), &role->pass_timer,
                               role->config.first_delay_ns);
}

static void descheduler_role_prepare(struct descheduler_role *role) {
        struct err err = { 0 };

        role->known_jobs = (struct desched_jobs){ role, has_ttl };
        role->jobs =
                job_watch_new(role->runtime, role->config.policy, descheduler_role_start, role);
        if (descheduler_role_build(role, &err) < 0)
                descheduler_once_finish(role, &err);
        else if (!role->jobs)
                descheduler_role_start(role);
}

/* ---- how pods are scheduled here ---- */

static void on_scheduler_failed(void *self, const char *source, const char *error) {
        (void)self;
        LOG(LOG_WARN, "SchedulerConfigurationNotRead", log_text("source", source),
            log_text("error", error),
            log_text("effect", "its profiles are taken to be the default; see --scheduler-config"));
}

static void on_scheduler_found(void *self, const char *source, struct slice text) {
        struct descheduler_role *role = self;
        struct err err = { 0 };

        if (role->config.found_scheduler(role->config.found_context, text, source, &err) < 0) {
                on_scheduler_failed(role, source, err.text);
                return;
        }
        role->found_count++;
        LOG(LOG_INFO, "SchedulerConfiguration", log_text("source", source));
}

static void on_scheduler_searched(void *self) {
        struct descheduler_role *role = self;

        role->search = NULL;
        if (role->found_count == 0)
                LOG(LOG_INFO, "SchedulerConfiguration",
                    log_text("source", role->config.scheduler_source
                                               ? role->config.scheduler_source
                                               : "default: no scheduler with another was found"));
        descheduler_role_prepare(role);
}

static const struct scheduler_search_events search_events = { .found = on_scheduler_found,
                                                              .failed = on_scheduler_failed,
                                                              .done = on_scheduler_searched };

static void on_probed(void *self, const struct api_reply *reply) {
        struct descheduler_role *role = self;
        struct err err = { 0 };

        role->probe = NULL;
        if (lacks_eviction(reply)) {
                err_set(&err, BERTH_ERR_UNAVAILABLE,
                        "the API server does not serve pods/eviction: nothing can be evicted");
                descheduler_once_finish(role, role->config.is_parity ? NULL : &err);
                return;
        }
        if (role->config.found_scheduler)
                role->search =
                        scheduler_search_new(runtime_transport(role->runtime),
                                             runtime_loop(role->runtime), &search_events, role);
        else
                descheduler_role_prepare(role);
}

static void on_changed(void *self) {
        struct descheduler_role *role = self;

        if (role->is_started && role->config.watches && role->passes > 0)
                watch_changes(role);
        if (role->is_started || role->is_finished || !runtime_is_synced(role->runtime))
                return;
        role->is_started = true;
        role->probe = transport_call(
                runtime_transport(role->runtime),
                &(struct api_call){ .method = API_GET, .path = SLICE_LITERAL("/api/v1") },
                on_probed, role);
}

static void on_result(void *self, const struct action_result *result) {
        (void)self; /* evictions have results of their own: see on_evicted */
        (void)result;
}

static bool is_idle(const void *self) {
        const struct descheduler_role *role = self;

        return role->passes > 0 && role->changes == 0 && evict_requester_open(role->requester) == 0;
}

static void free_role(void *self) {
        struct descheduler_role *role = self;
        struct loop *loop = runtime_loop(role->runtime);

        loop_timer_disarm(loop, &role->pass_timer);
        loop_timer_disarm(loop, &role->react_timer);
        descheduler_once_release(role);
        if (role->probe)
                transport_cancel(runtime_transport(role->runtime), role->probe);
        scheduler_search_free(role->search);
        descheduler_metrics_free(role->metrics);
        descheduler_free(role->descheduler);
        eviction_forecast_free(role->forecast);
        usage_feed_free(role->feed);
        job_watch_free(role->jobs);
        tracer_free(role->tracer);
        placement_simulator_free(role->simulator);
        free(role);
}

struct descheduler_role *descheduler_role_add(struct runtime *runtime,
                                              const struct descheduler_role_config *config) {
        struct descheduler_role *role = xcalloc(1, sizeof(*role));

        role->runtime = runtime;
        role->config = *config;
        role->pass_timer = (struct loop_timer){ .fired = on_pass_due, .context = role };
        role->react_timer = (struct loop_timer){ .fired = descheduler_role_react, .context = role };
        role->requester =
                evict_service_join(runtime_evictions(runtime),
                                   &(struct evict_requester_config){
                                           .name = "descheduler",
                                           .requests_as = "descheduler.berth.dev/evict",
                                           .request_deadline_ns = config->deadline_ns,
                                           .is_parity = config->is_parity,
                                           .follows_background = config->follows_background });
        if (config->weighs_cost && !config->is_parity)
                role->forecast = eviction_forecast_new(
                        &(struct eviction_forecast_config){ .transport = runtime_transport(runtime),
                                                            .loop = runtime_loop(runtime),
                                                            .cluster = runtime_cluster(runtime) });
        if (config->metrics)
                role->metrics = descheduler_metrics_new(config->metrics, role->requester,
                                                        config->is_parity);
        start_tracer(role);
        descheduler_once_start(role);
        runtime_add_role(runtime, &(struct role){ .name = "descheduler",
                                                  .self = role,
                                                  .changed = on_changed,
                                                  .result = on_result,
                                                  .evicted = on_evicted,
                                                  .is_idle = is_idle,
                                                  .free = free_role });
        return role;
}

void descheduler_role_stats(const struct descheduler_role *role,
                            struct descheduler_role_stats *ret_stats) {
        *ret_stats = (struct descheduler_role_stats){ .passes = role->passes,
                                                      .reactions = role->reactions,
                                                      .requester = role->requester,
                                                      .descheduler = role->descheduler };
}
