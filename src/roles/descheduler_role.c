/* Drives passes of the descheduler and the eviction service from the loop. */
#include "roles/descheduler_role.h"

#include "api/json.h"
#include "base/log.h"
#include "base/saturate.h"
#include "base/util.h"
#include "config/field_table.h"
#include "desched/descheduler.h"
#include "evict/evict_service.h"
#include "model/cluster.h"
#include "pages/role_metrics.h"
#include "plugin/desched_run.h"
#include "roles/eviction_forecast.h"
#include "roles/job_watch.h"
#include "roles/placement_simulator.h"
#include "roles/scheduler_search.h"
#include "roles/tracer.h"
#include "roles/usage_feed.h"
#include <stdio.h>
#include <stdlib.h>

/* Changes within this time are answered together, and reactions are at least so far apart. */
#define REACT_PAUSE_NS (200 * NS_PER_MS)
#define SCHEDULER_HINT                                                                             \
        "If pods are scheduled by another configuration, give it with --scheduler-config."

struct descheduler_role {
        struct runtime *runtime;
        struct descheduler_role_config config;
        struct descheduler *descheduler;
        struct evict_requester *requester;
        struct descheduler_metrics *metrics;   /* NULL = not counted */
        struct placement_simulator *simulator; /* NULL = not asked where pods would go */
        struct eviction_forecast *forecast;    /* NULL = evictions cost nothing */
        struct usage_feed *feed;               /* NULL = nothing is measured */
        struct job_watch *jobs;                /* NULL = Jobs do not matter */
        struct desched_jobs known_jobs;
        struct tracer *tracer; /* NULL = no traces */
        int64_t rule_start_ns;
        struct loop_timer pass_timer, react_timer;
        struct scheduler_search *search; /* NULL = not under way */
        size_t found_count;              /* configurations of schedulers */
        struct api_request *probe; /* whether pods can be evicted here; NULL = not under way */
        uint64_t seen;             /* generation up to which changes were looked at */
        uint32_t changes;          /* CLUSTER_*, of interest and not reacted to yet */
        uint64_t reactions;
        uint64_t passes, logged;               /* logged: the last record that was */
        unsigned unlogged;                     /* evictions asked for since records were logged */
        bool is_started, is_finished, is_late; /* late: a pass waits for the evictions of one */
};

static void check_finished(struct descheduler_role *role) {
        if (role->is_finished || role->config.interval_ns > 0 || role->passes == 0 ||
            evict_requester_open(role->requester) > 0)
                return;
        tracer_flush(role->tracer);
        if (tracer_is_open(role->tracer))
                return; /* it calls again when it no longer is */
        role->is_finished = true;
        if (role->config.finished)
                role->config.finished(role->config.context, NULL);
}

static const char *record_event(enum evict_result result) {
        switch (result) {
        case EVICT_RESULT_SUCCESS:
                return "Evicted";
        case EVICT_RESULT_DRY_RUN:
                return "WouldEvict";
        case EVICT_RESULT_BACKGROUND:
                return "EvictionBegan";
        default:
                return "NotEvicted";
        }
}

/* One line per eviction that ended, in dry run as well. */
static void log_records(struct descheduler_role *role) {
        const struct evict_record *record;
        uint64_t after = role->logged;
        size_t at = 0;

        role->unlogged = 0;
        while ((record = evict_requester_next_record(role->requester, after, &at))) {
                LOG(LOG_INFO, record_event(record->result), log_slice("namespace", record->pod.ns),
                    log_slice("pod", record->pod.name), log_slice("node", record->node),
                    log_slice("profile", record->profile), log_slice("strategy", record->plugin),
                    log_slice("reason", record->reason),
                    log_text("result", evict_result_name(record->result)),
                    log_slice("error", record->text));
                tracer_note_eviction(role->tracer, record);
                role->logged = record->number;
        }
}

static void on_evicted(void *self) {
        struct descheduler_role *role = self;
        struct loop *loop = runtime_loop(role->runtime);

        log_records(role);
        if (role->is_late && evict_requester_open(role->requester) == 0) {
                loop_timer_disarm(loop, &role->pass_timer);
                loop_timer_arm(loop, &role->pass_timer, 0);
        }
        check_finished(role);
}

/* Passes judge pods by what is known of evictions under way. */
static void observe_evictions(struct descheduler_role *role) {
        struct loop *loop = runtime_loop(role->runtime);

        evict_service_observe(runtime_evictions(role->runtime), loop_mono(loop), loop_wall(loop));
}

/* Every pod the rule wanted to move stays where it is, for the scheduler would not place it better:
 * mostly because it is asked with another configuration than the one pods are scheduled by. */
static bool moves_nothing(const struct desched_rule_report *rule) {
        return rule->not_better > 0 && rule->evicted + rule->limited + rule->refused == 0;
}

static void record_not_moved(struct descheduler_role *role,
                             const struct desched_rule_report *rule) {
        const struct cluster *cluster = runtime_cluster(role->runtime);
        const struct pod_row *pod = cluster_pod(cluster, rule->not_better_pod);
        struct action event = { .kind = ACTION_RECORD_EVENT,
                                .target = { .kind = SLICE_LITERAL("Pod"),
                                            .ns = cluster_text(cluster, pod->ns),
                                            .name = slice_of(pod->name),
                                            .uid = slice_of(pod->uid) } };
        struct action_list actions;
        char note[512];

        snprintf(note, sizeof(note),
                 SLICE_FMT
                 ": none of %u pods moves, for the scheduler would put them back or place "
                 "them no better. " SCHEDULER_HINT,
                 SLICE_ARG(rule->plugin), rule->not_better);
        event.event =
                (struct event_action){ .is_warning = true,
                                       .reason = SLICE_LITERAL("NothingMoved"),
                                       .action = SLICE_LITERAL("Descheduling"),
                                       .note = slice_of(note),
                                       .controller = SLICE_LITERAL("sigs.k8s.io/descheduler") };
        action_list_init(&actions);
        action_list_add(&actions, &event);
        runtime_submit(role->runtime, role, &actions);
        action_list_release(&actions);
}

static void report_moves(struct descheduler_role *role, const struct desched_rule_report *rule) {
        bool is_all = moves_nothing(rule);

        descheduler_metrics_not_better(role->metrics, rule->plugin, rule->profile, rule->not_better,
                                       is_all);
        if (!is_all)
                return;
        LOG(LOG_WARN, "NothingMoved", log_slice("profile", rule->profile),
            log_slice("strategy", rule->plugin), log_i64("pods", rule->not_better),
            log_text("reason", "the scheduler would put them back or place them no better"),
            log_text("hint", SCHEDULER_HINT));
        if (!role->config.is_dry_run)
                record_not_moved(role, rule);
}

/* What keeps whole rules from moving anything. */
static void report_rules(struct descheduler_role *role, const struct desched_report *report) {
        for (size_t i = 0; i < report->rule_count; i++)
                if (!report->rules[i].was_passed_over)
                        report_moves(role, &report->rules[i]);
}

/* "PodLifeTime of a: 12: too young, the first is due in 59m | RemoveDuplicates of a: no pod
 * matches"
 */
static void explain_nothing(const struct desched_report *report, struct wall_time now,
                            struct buf *out) {
        if (report->is_skipped)
                buf_text(out, "too few nodes are ready and match the policy's nodeSelector");
        for (size_t i = 0; i < report->rule_count; i++) {
                const struct desched_rule_report *rule = &report->rules[i];
                CLEANUP(buf_release) struct buf why = { 0 };

                desched_rule_explain(rule, now, &why);
                if (why.len)
                        buf_printf(out, "%s" SLICE_FMT " of " SLICE_FMT ": " SLICE_FMT,
                                   out->len ? " | " : "", SLICE_ARG(rule->plugin),
                                   SLICE_ARG(rule->profile), SLICE_ARG(buf_view(&why)));
        }
}

static void log_report(const struct desched_report *report, struct wall_time now) {
        CLEANUP(buf_release) struct buf why = { 0 };
        int64_t limited = 0, refused = 0, spared = 0, young = 0;

        for (size_t i = 0; i < report->rule_count; i++) {
                const struct desched_rule_report *rule = &report->rules[i];

                if (rule->code != BERTH_OK)
                        LOG(LOG_WARN, "PluginFailed", log_slice("profile", rule->profile),
                            log_slice("plugin", rule->plugin), log_text("error", rule->text));
                limited += rule->limited;
                refused += rule->refused;
                spared += rule->spared;
                young += rule->young_count;
        }
        if (report->evicted == 0)
                explain_nothing(report, now, &why);
        LOG(LOG_INFO, "DeschedulingPass", log_i64("nodes", (int64_t)report->node_count),
            log_i64("evictions", report->evicted), log_i64("limited", limited),
            log_i64("refused", refused), log_i64("spared", spared), log_i64("tooYoung", young),
            log_slice("why", buf_view(&why)));
}

/* The requester remembers only so many; what a large pass asks for is told on the way. */
static enum evict_outcome ask_and_log(void *context, const struct evict_intent *intent) {
        struct descheduler_role *role = context;
        struct evict_sink sink = evict_requester_sink(role->requester);
        enum evict_outcome outcome = sink.ask(sink.context, intent);

        if (++role->unlogged >= EVICT_RECORDS_DEFAULT / 2)
                log_records(role);
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
        int64_t delay_ns = difference_saturated(due.ns, loop_wall(loop).ns);
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
        struct loop *loop = runtime_loop(role->runtime);

        observe_evictions(role);
        tracer_begin_pass(role->tracer);
        const struct desched_report *report =
                descheduler_react(role->descheduler, loop_wall(loop), role->changes);
        tracer_end_pass(role->tracer, report->evicted);
        role->changes = 0;
        role->reactions++;
        if (report->evicted > 0)
                log_report(report, loop_wall(loop));
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
        struct loop *loop = runtime_loop(role->runtime);
        int64_t start_ns = stopwatch_ns();

        if (fails_as_a_whole(role))
                return;
        observe_evictions(role);
        tracer_begin_pass(role->tracer);
        const struct desched_report *report = descheduler_pass(role->descheduler, loop_wall(loop));
        tracer_end_pass(role->tracer, report->evicted);
        report_rules(role, report);
        log_report(report, loop_wall(loop));
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

        descheduler_metrics_ran(role->metrics, rule->plugin, rule->profile,
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
        check_finished(self);
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

        if (config->profiles) {
                role->simulator =
                        placement_simulator_new(runtime_cluster(role->runtime), config->profiles);
                predictor = placement_simulator_oracle(role->simulator);
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

static void descheduler_role_finish(struct descheduler_role *role, const struct err *err) {
        role->is_finished = true;
        if (err)
                LOG(LOG_ERROR, "NotDescheduling", log_text("error", err->text));
        if (err && role->config.is_parity && role->config.is_elected)
                return; /* upstream's zombie: it leads, and does nothing */
        if (role->config.finished)
                role->config.finished(role->config.context, err);
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
                descheduler_role_finish(role, &err);
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
                descheduler_role_finish(role, role->config.is_parity ? NULL : &err);
                return;
        }
        if (role->config.found_scheduler)
                role->search = scheduler_search_new(runtime_transport(role->runtime),
                                                    &search_events, role);
        else
                descheduler_role_prepare(role);
}

static void on_changed(void *self) {
        struct descheduler_role *role = self;

        if (role->is_started && role->config.watches && role->passes > 0)
                watch_changes(role);
        if (role->is_started || !runtime_is_synced(role->runtime))
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
