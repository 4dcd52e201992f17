/* Puts the parts of berth up together, follows them, and ends them. */
#include "cmd/up.h"

#include "base/log.h"
#include "base/util.h"
#include "cmd/daemon.h"
#include "cmd/feature_gates.h"
#include "cmd/private_folder.h"
#include "cmd/release_option.h"
#include "cmd/report_file.h"
#include "cmd/rest.h"
#include "cmd/top_gather.h"
#include "cmd/up_input.h"
#include "cmd/up_page.h"
#include "cmd/up_report.h"
#include "cmd/up_view.h"
#include "control/control.h"
#include "loop/event_loop.h"
#include "loop/process_signals.h"
#include "model/cluster.h"
#include "plugin/plugin.h"
#include "roles/descheduler_role.h"
#include "roles/role_config.h"
#include "roles/scheduler_role.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_import.h"
#include "server/api_server.h"
#include <stdlib.h>
#include <string.h>

#define VIEW_INTERVAL_NS (500 * NS_PER_MS)
#define SETTLE_INTERVAL_NS (100 * NS_PER_MS)
#define SETTLE_QUIET_NS (600 * NS_PER_MS) /* nothing may change for so long */
#define FILL_INTERVAL_NS (20 * NS_PER_MS)
#define FILL_PATIENCE_NS (5 * NS_PER_S)      /* without a change */
#define FILL_PATIENCE_MAX_NS (60 * NS_PER_S) /* with changes that do not end */
#define SETTLE_PASSES 2                      /* of the descheduler, without a change */
#define DEFAULT_NODES 10                     /* when nothing is given at all */

struct up {
        const struct up_options *options;
        struct event_loop *events;
        struct loop *loop;
        struct process_signals *signals;
        struct sandbox *sandbox;
        struct sandbox_import *import;
        struct transport transport; /* of the roles */
        struct runtime *runtime;
        struct role_config config; /* scheduler profiles and descheduler policy */
        uint32_t gates;            /* bits of up_feature_gates */
        struct scheduler *scheduler;
        struct descheduler_role *descheduler;
        struct up_input input;
        struct scenario_run *scenario;
        struct up_view view;
        struct loop_timer view_timer, settle_timer, end_timer, fill_timer;
        struct rest rest;
        struct mono_time started, quiet_since, fill_since;
        uint64_t quiet_generation, quiet_passes, fill_generation;
        char kubeconfig[512];
        bool is_filled, is_settled, has_timed_out;
        struct err failure; /* of the input or the scenario */
};

static double elapsed_s(const struct up *up) {
        return (double)(loop_mono(up->loop).ns - up->started.ns) / 1e9;
}

static struct evict_requester *requester_of(const struct up *up) {
        struct descheduler_role_stats stats = { 0 };

        if (up->descheduler)
                descheduler_role_stats(up->descheduler, &stats);
        return stats.requester;
}

static uint64_t passes_of(const struct up *up) {
        struct descheduler_role_stats stats = { 0 };

        if (up->descheduler)
                descheduler_role_stats(up->descheduler, &stats);
        return stats.passes;
}

static void up_draw(struct up *up) {
        up_view_update(&up->view,
                       &(struct up_view_sources){ .cluster = runtime_cluster(up->runtime),
                                                  .scheduler = up->scheduler,
                                                  .requester = requester_of(up),
                                                  .at_s = elapsed_s(up),
                                                  .now = loop_wall(up->loop),
                                                  .url = sandbox_url(up->sandbox) });
}

static void on_view(void *context) {
        struct up *up = context;

        up_draw(up);
        loop_timer_arm(up->loop, &up->view_timer, VIEW_INTERVAL_NS);
}

/* ---- settling ---- */

/* Whether nothing happens: no work in any part, and the model as it was a while ago.  The
 * descheduler must have looked again since the last change and found nothing to do. */
static bool is_quiet(struct up *up) {
        uint64_t generation = cluster_generation(runtime_cluster(up->runtime));
        uint64_t passes = passes_of(up);
        struct control *control = sandbox_control(up->sandbox);

        if (!runtime_is_idle(up->runtime) || (control && !control_is_settled(control)) ||
            generation != up->quiet_generation) {
                up->quiet_generation = generation;
                up->quiet_passes = passes;
                up->quiet_since = loop_mono(up->loop);
                return false;
        }
        if (up->descheduler && passes < up->quiet_passes + SETTLE_PASSES)
                return false;
        return loop_mono(up->loop).ns - up->quiet_since.ns >= SETTLE_QUIET_NS;
}

static void on_settle_check(void *context) {
        struct up *up = context;
        bool has_story_left =
                !up->is_filled || (up->scenario && !scenario_run_is_over(up->scenario));

        if (is_quiet(up) && !has_story_left && up->options->settles) {
                up->is_settled = true;
                loop_stop(up->loop);
                return;
        }
        loop_timer_arm(up->loop, &up->settle_timer, SETTLE_INTERVAL_NS);
}

static void on_end(void *context) {
        struct up *up = context;

        up->has_timed_out = up->options->settles;
        loop_stop(up->loop);
}

static void on_signal(void *context, int number) {
        (void)number;
        loop_stop(((struct up *)context)->loop);
}

/* ---- scenario ---- */

static bool scenario_settled(void *context) {
        struct up *up = context;

        return is_quiet(up);
}

static void scenario_said(void *context, struct slice text) {
        struct up *up = context;

        up_draw(up);
        up_view_say(&up->view, elapsed_s(up), text);
        up->quiet_generation = 0; /* what it does now has to settle again */
}

static int scenario_count(void *context, const struct scenario_count *count, size_t *ret_count,
                          struct err *err) {
        struct up *up = context;
        const struct cluster *cluster = runtime_cluster(up->runtime);
        struct node_id node = cluster_find_node(cluster, count->node);
        CLEANUP(arena_release) struct arena arena;
        struct selector selector;
        size_t found = 0;

        arena_init(&arena, 0);
        if (selector_parse(count->labels, &arena, &selector, err) < 0)
                return err->code;
        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });

                found += row->is_live && (!count->node.len || row->node.index == node.index) &&
                         cluster_labels_match(cluster, &selector, row->labels);
        }
        *ret_count = found;
        return 0;
}

static void scenario_failed(void *context, const struct err *err) {
        struct up *up = context;

        up->failure = *err;
        loop_stop(up->loop);
}

/* ---- starting ---- */

static int read_inputs(struct up *up, struct err *err) {
        const struct up_options *options = up->options;

        if (feature_gates_read(options->gates, up_feature_gates, &up->gates, err) < 0)
                return err->code;
        if (up_input_add_paths(&up->input, options->inputs.items, options->inputs.count, err) < 0)
                return err->code;
        if (options->trace && up_input_add_trace(&up->input, options->trace, err) < 0)
                return err->code;
        if (options->report && up_report_check_path(options->report, err) < 0)
                return err->code;
        return role_config_load(&(struct role_config_sources){ .policy_path = options->policy,
                                                               .config_path = options->config,
                                                               .policy = up->input.policy,
                                                               .config = up->input.config,
                                                               .gates = up->gates,
                                                               .is_parity = options->is_parity },
                                &up->config, err);
}

/* Garbage collection would take away what belongs to an owner, or stands on a node, that the input
 * does not have. */
static const char *choose_controllers(struct up *up) {
        const char *controllers = up->options->controllers ? up->options->controllers : "*";
        struct arena *arena = &up->input.arena;

        for (int64_t i = 0; i < up->options->nodes; i++)
                up_missing_have_node(&up->input.missing,
                                     arena_printf(arena, "node-%lld", (long long)i));
        if (slice_is(slice_trim(slice_of(controllers)), "none"))
                return controllers;
        if (up_missing_lacks(&up->input.missing, REFERENT_OWNER))
                controllers = arena_printf(arena, "%s,-" CONTROLLER_GARBAGE_COLLECTOR, controllers);
        if (up_missing_lacks(&up->input.missing, REFERENT_NODE))
                controllers = arena_printf(arena, "%s,-" CONTROLLER_POD_COLLECTOR, controllers);
        return controllers;
}

static int start_sandbox(struct up *up, struct err *err) {
        const struct up_options *options = up->options;
        const char *controllers = choose_controllers(up);
        uint64_t seed = (uint64_t)options->seed;

        if (sandbox_start(&(struct sandbox_config){ .listen = options->listen,
                                                    .kubeconfig_out = up->kubeconfig,
                                                    .data_dir = options->data_dir,
                                                    .controllers = controllers,
                                                    .seed = seed,
                                                    .has_eviction_requests =
                                                            up->gates & FEATURE_EVICTION_REQUESTS,
                                                    .groups = feature_gates_groups(up->gates),
                                                    .minor = release_option_minor(options->release),
                                                    .is_quiet = options->trace },
                          up->loop, &up->sandbox, err) < 0)
                return err->code;
        up->import = sandbox_import_new(up->sandbox);
        return 0;
}

/* Passes do not end here, so this is a policy that the cluster cannot satisfy. */
static void descheduler_finished(void *context, const struct err *err) {
        struct up *up = context;

        if (!err)
                return;
        up->failure = *err;
        loop_stop(up->loop);
}

static void start_descheduler(struct up *up) {
        const struct up_options *options = up->options;

        up->descheduler = role_config_add_descheduler(
                &up->config, up->runtime,
                &(struct descheduler_role_config){ .interval_ns = options->interval_ns,
                                                   .first_delay_ns = options->interval_ns,
                                                   .is_dry_run = options->is_dry_run,
                                                   .watches = options->watches,
                                                   .finished = descheduler_finished,
                                                   .context = up });
}

static int start_roles(struct up *up, struct err *err) {
        const struct up_options *options = up->options;

        up->transport = sandbox_transport(up->sandbox, &api_user_scheduler, "berth");
        up->runtime = runtime_new(&(struct runtime_config){
                .loop = up->loop,
                .transport = up->transport,
                .evictions = { .requests = options->is_parity
                                                   ? EVICT_REQUESTS_NEVER
                                                   : (enum evict_request_mode)options->requests,
                               .minds_requests = !options->is_parity,
                               .has_slots = !options->is_parity,
                               .slots = slot_options_limits(&slot_options_default) },
                .instance = "berth-up",
                .seed = (uint64_t)options->seed,
                .keeps_finished = true,
                .keeps_detail = true,
                .keeps_object_cache = true,
                .keeps_groups = (up->gates & FEATURE_GROUPS) != 0,
                .counts_devices = (up->gates & FEATURE_NODE_DEVICES) != 0,
                .keeps_taint_rules = (up->gates & FEATURE_DEVICE_TAINT_RULES) != 0,
                .freezes_notes = options->is_parity });
        if (role_config_build(&up->config, runtime_cluster(up->runtime),
                              runtime_object_cache(up->runtime), err) < 0)
                return err->code;
        up->scheduler =
                scheduler_role_add(up->runtime,
                                   &(struct scheduler_role_config){
                                           .profile_count = up->config.profiles.count,
                                           .profiles = up->config.profiles.items,
                                           .seed = (uint64_t)options->seed,
                                           .backoff_initial_ns = up->config.backoff_initial_ns,
                                           .backoff_max_ns = up->config.backoff_max_ns,
                                           .gates = up->gates,
                                           .is_parity = options->is_parity,
                                           .configuration = up->config.configuration },
                                   err);
        if (!up->scheduler)
                return err->code;
        if (up->config.policy)
                start_descheduler(up);
        return 0;
}

static int create_nodes(struct up *up, struct err *err) {
        const struct up_options *options = up->options;
        bool has_nothing = up->input.thing_count == 0 && options->nodes == 0 &&
                           sandbox_node_count(up->sandbox) == 0;
        unsigned nodes = has_nothing ? DEFAULT_NODES : (unsigned)options->nodes;

        if (nodes && sandbox_control(up->sandbox) &&
            control_add_nodes(sandbox_control(up->sandbox), nodes, NULL, err) < 0)
                return err->code;
        return up_input_create_nodes(&up->input, up->import, err);
}

static void start_scenario(struct up *up) {
        if (up->input.scenario_document)
                up->scenario =
                        scenario_run_new(&up->input.scenario, up->loop, up->import,
                                         &(struct scenario_events){ .context = up,
                                                                    .is_settled = scenario_settled,
                                                                    .said = scenario_said,
                                                                    .count = scenario_count,
                                                                    .failed = scenario_failed });
}

static void say_notes(struct up *up) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct slice line;

        up_input_print_notes(&up->input, &text);
        struct slice rest = buf_view(&text);
        while (slice_split(&rest, '\n', &line))
                if (line.len)
                        up_view_say(&up->view, elapsed_s(up), line);
}

/* Whether the nodes are still getting ready, or the roles have not read that they are.  A slow
 * machine has the time it takes, as pods that come before their nodes are placed otherwise. */
static bool is_preparing(struct up *up) {
        const struct control *control = sandbox_control(up->sandbox);
        uint64_t generation = cluster_generation(runtime_cluster(up->runtime));
        int64_t now = loop_mono(up->loop).ns;

        if (!control)
                return false;
        if (generation != up->fill_generation) {
                up->fill_generation = generation;
                up->fill_since.ns = now;
        } else if (control_is_settled(control) && runtime_is_idle(up->runtime)) {
                return false;
        }
        return now - up->fill_since.ns <= FILL_PATIENCE_NS &&
               now - up->started.ns <= FILL_PATIENCE_MAX_NS;
}

/* Pods come when the nodes are ready for them, or after a while in any case. */
static void on_fill(void *context) {
        struct up *up = context;

        if (is_preparing(up)) {
                loop_timer_arm(up->loop, &up->fill_timer, FILL_INTERVAL_NS);
                return;
        }
        up->is_filled = true;
        if (up_input_create_rest(&up->input, up->import, &up->failure) < 0) {
                loop_stop(up->loop);
                return;
        }
        say_notes(up);
        start_scenario(up);
}

/* Simulated nodes are never quite at rest. */
#define REST_CPU_SHARE 10

static bool may_rest(void *context) {
        const struct up *up = context;

        return up->is_filled && runtime_is_idle(up->runtime);
}

static void start_timers(struct up *up) {
        const struct up_options *options = up->options;
        int64_t end_ns = options->settles ? options->timeout_ns : options->for_ns;

        up->view_timer = (struct loop_timer){ .fired = on_view, .context = up };
        up->settle_timer = (struct loop_timer){ .fired = on_settle_check, .context = up };
        up->end_timer = (struct loop_timer){ .fired = on_end, .context = up };
        up->fill_timer = (struct loop_timer){ .fired = on_fill, .context = up };
        up->fill_since = up->started;
        loop_timer_arm(up->loop, &up->fill_timer, 0);
        loop_timer_arm(up->loop, &up->view_timer, VIEW_INTERVAL_NS);
        loop_timer_arm(up->loop, &up->settle_timer, SETTLE_INTERVAL_NS);
        if (end_ns > 0)
                loop_timer_arm(up->loop, &up->end_timer, end_ns);
        up->rest = (struct rest){
                .loop = up->loop, .is_idle = may_rest, .context = up, .cpu_share = REST_CPU_SHARE
        };
        rest_begin(&up->rest);
}

static int up_start(struct up *up, struct err *err) {
        if (event_loop_new(&up->events, err) < 0)
                return err->code;
        up->loop = event_loop_as_loop(up->events);
        if (process_signals_new(up->loop, on_signal, up, &up->signals, err) < 0 ||
            read_inputs(up, err) < 0 ||
            private_file(up->options->kubeconfig_out, "kubeconfig", up->kubeconfig,
                         sizeof(up->kubeconfig), err) < 0 ||
            start_sandbox(up, err) < 0 || start_roles(up, err) < 0)
                return err->code;
        if (up->options->page.is_on &&
            dashboard_part_add(&(struct dashboard_part_config){ .options = &up->options->page,
                                                                .source = "berth up",
                                                                .config = &up->config },
                               up->runtime, err) < 0)
                return err->code;
        up->started = loop_mono(up->loop);
        printf("cluster %s\nkubeconfig %s\n", sandbox_url(up->sandbox), up->kubeconfig);
        fflush(stdout);
        runtime_start(up->runtime);
        if (create_nodes(up, err) < 0)
                return err->code;
        start_timers(up);
        return 0;
}

/* ---- ending ---- */

static int write_page(struct up *up, const struct up_report *report, struct err *err) {
        const struct top_state by_cpu = { .sort = 1 + RESOURCE_CPU };
        const struct wall_time now = loop_wall(up->loop);
        CLEANUP(buf_release) struct buf text = { 0 };
        struct report_facts facts;
        struct top_data data;

        top_gather(&(struct top_sources){ .cluster = runtime_cluster(up->runtime), .now = now },
                   &by_cpu, &up->input.arena, &data);
        report_facts_init(&facts, &up->input.arena, now);
        report_facts_add(&facts, "Cluster", SLICE_LITERAL("of berth up"));
        for (size_t i = 0; i < up->options->inputs.count && i < 3; i++)
                report_facts_add(&facts, "Input", slice_of(up->options->inputs.items[i]));
        report_facts_add(&facts, "Policy", slice_of(up->options->policy));
        report_facts_add(&facts, "Scheduler", slice_of(up->options->config));
        up_page_write(report, &data, &facts, &text);
        return report_file_write(up->options->report, &text, err);
}

static int write_report(struct up *up, const struct up_report *report, struct err *err) {
        if (report_file_is_page(up->options->report))
                return write_page(up, report, err);
        return up_report_write(report, up->options->report, err);
}

static int up_finish(struct up *up, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct up_report report;

        up_draw(up);
        up_view_end(&up->view);
        up_report_gather(&(struct up_sources){ .cluster = runtime_cluster(up->runtime),
                                               .scheduler = up->scheduler,
                                               .requester = requester_of(up),
                                               .runtime = up->runtime,
                                               .elapsed_s = elapsed_s(up),
                                               .is_settled = up->is_settled },
                         &up->input.arena, &report);
        up_report_print(&report, &text);
        printf("\n" SLICE_FMT, SLICE_ARG(buf_view(&text)));
        fflush(stdout);
        if (up->options->report && write_report(up, &report, err) < 0)
                return err->code;
        if (up->failure.code) {
                *err = up->failure;
                return err->code;
        }
        if (up->has_timed_out)
                return err_set(err, BERTH_ERR_TIMEOUT, "did not settle in time");
        return 0;
}

static void stop_timers(struct up *up) {
        struct loop_timer *timers[] = { &up->view_timer, &up->settle_timer, &up->end_timer,
                                        &up->fill_timer };

        for (size_t i = 0; up->loop && i < ARRAY_LEN(timers); i++)
                loop_timer_disarm(up->loop, timers[i]);
}

static void up_stop(struct up *up) {
        rest_end(&up->rest);
        stop_timers(up);
        scenario_run_free(up->scenario);
        runtime_free(up->runtime);
        role_config_release(&up->config);
        sandbox_import_free(up->import);
        sandbox_stop(up->sandbox);
        process_signals_free(up->signals);
        if (up->events)
                event_loop_run_once(up->events, 0, NULL);
        event_loop_free(up->events);
        up_input_release(&up->input);
        private_file_forget(up->options->kubeconfig_out, up->kubeconfig);
}

int up_run(const struct up_options *options, struct err *err) {
        struct up *up = xcalloc(1, sizeof(*up));

        up->options = options;
        up_view_init(&up->view, stdout);
        up_input_init(&up->input);
        int code = up_start(up, err);
        if (code == 0)
                code = event_loop_run(up->events, err);
        if (code == 0)
                code = up_finish(up, err);
        up_stop(up);
        up_view_release(&up->view);
        free(up);
        return code;
}
