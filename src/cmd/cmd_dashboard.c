/* berth dashboard: the live page of a cluster, or of one that was saved. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/dashboard_explainer.h"
#include "cmd/dashboard_objects.h"
#include "cmd/dashboard_part.h"
#include "cmd/dashboard_planner.h"
#include "cmd/log_writer.h"
#include "cmd/progress.h"
#include "cmd/shown_options.h"

#include "ask/snapshot_input.h"
#include "dashboard/dashboard.h"
#include "loop/event_loop.h"
#include "loop/process_signals.h"
#include "model/cluster.h"
#include "roles/role_config.h"
#include <string.h>

#define PROGRESS_TICK_NS (200 * NS_PER_MS)

struct dashboard_command_options {
        struct shown_options shown;
        const char *config; /* of the scheduler */
};

/* ---- a live cluster ---- */

struct dashboard_run {
        const struct dashboard_command_options *options;
        struct runtime *runtime;
        struct loop_timer tick;
        struct progress progress; /* until the first lists are in */
};

static void on_tick(void *context) {
        struct dashboard_run *run = context;
        const struct cluster *cluster = runtime_cluster(run->runtime);

        if (runtime_is_synced(run->runtime)) {
                progress_end(&run->progress);
                return;
        }
        progress_set(&run->progress, cluster_pod_count(cluster) + cluster_node_count(cluster), 0);
        loop_timer_arm(runtime_loop(run->runtime), &run->tick, PROGRESS_TICK_NS);
}

static void leave_page(void *context) {
        struct dashboard_run *run = context;

        progress_end(&run->progress);
        if (run->runtime)
                loop_timer_disarm(runtime_loop(run->runtime), &run->tick);
}

static int add_page(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        struct dashboard_run *run = context;
        const struct dashboard_command_options *options = run->options;
        const char *name = options->shown.daemon.context      ? options->shown.daemon.context
                           : options->shown.daemon.kubeconfig ? options->shown.daemon.kubeconfig
                                                              : "current context";

        (void)daemon;
        run->runtime = runtime;
        run->tick = (struct loop_timer){ .fired = on_tick, .context = run };
        progress_begin(&run->progress, SLICE_LITERAL("berth dashboard: reading the cluster"),
                       "object");
        loop_timer_arm(runtime_loop(runtime), &run->tick, PROGRESS_TICK_NS);
        return dashboard_part_add(
                &(struct dashboard_part_config){ .options = &options->shown.daemon.page,
                                                 .source = name,
                                                 .config_path = options->config },
                runtime, err);
}

static int follow_cluster(struct dashboard_command_options *options, struct err *err) {
        struct dashboard_run run = { .options = options };

        options->shown.daemon.user_agent = "berth-dashboard";
        options->shown.daemon.requests = EVICT_REQUESTS_NEVER;
        options->shown.daemon.page.is_on = true;
        dashboard_part_need(&options->shown.daemon.page, &options->shown.daemon);
        options->shown.daemon.spare_kinds = dashboard_part_spare_kinds();
        options->shown.daemon.without_classes = true;
        return daemon_run(
                &options->shown.daemon,
                &(struct daemon_role){ .context = &run, .add = add_page, .leave = leave_page }, 1,
                err);
}

/* ---- files ---- */

static void on_signal(void *context, int number) {
        (void)number;
        loop_stop(context);
}

/* A dump with what the page needs to show it. */
struct shown_files {
        const struct dashboard_command_options *options;
        struct event_loop *events;
        struct snapshot snapshot;
        struct role_config config;
        struct dashboard_objects *objects;
        struct dashboard_explainer *explainer;
        struct dashboard_planner *planner;
        struct dashboard *dashboard;
};

static struct snapshot *snapshot_of(void *context) {
        return context;
}

static int make_page(struct shown_files *files, struct loop *loop, struct err *err) {
        const struct dashboard_command_options *options = files->options;
        struct snapshot *snapshot = &files->snapshot;
        const struct role_config_sources sources = { .policy = snapshot->policy,
                                                     .config_path = options->config,
                                                     .config = snapshot->config,
                                                     .gates = ROLE_CONFIG_ASKED };

        if (role_config_load(&sources, &files->config, err) < 0 ||
            role_config_build(&files->config, snapshot->cluster, snapshot->object_cache, err) < 0)
                return err->code;
        files->explainer = dashboard_explainer_new(snapshot->cluster, loop, &files->config);
        files->planner = dashboard_planner_new(
                &(struct dashboard_planner_config){ .loop = loop,
                                                    .look = snapshot_of,
                                                    .context = snapshot,
                                                    .own = &files->config,
                                                    .source = options->shown.inputs.items[0] });
        return dashboard_new(
                &(struct dashboard_config){ .listen = options->shown.daemon.page.listen,
                                            .hosts = options->shown.daemon.page.hosts,
                                            .source = options->shown.inputs.items[0],
                                            .cluster = snapshot->cluster,
                                            .explain = dashboard_explainer_explain,
                                            .explain_context = files->explainer,
                                            .plan = dashboard_planner_answer,
                                            .plan_context = files->planner,
                                            .documents = dashboard_objects_documents,
                                            .documents_context = files->objects },
                loop, &files->dashboard, err);
}

static int serve_files(struct shown_files *files, struct err *err) {
        struct loop *loop = event_loop_as_loop(files->events);
        struct process_signals *signals = NULL;
        int code = process_signals_new(loop, on_signal, loop, &signals, err);

        if (code == 0)
                code = make_page(files, loop, err);
        if (code == 0) {
                dashboard_part_say(files->dashboard);
                code = event_loop_run(files->events, err);
        }
        dashboard_free(files->dashboard);
        process_signals_free(signals);
        event_loop_run_once(files->events, 0, NULL);
        return code;
}

static int show_files(const struct dashboard_command_options *options, struct err *err) {
        struct shown_files files = { .options = options };
        struct snapshot *snapshot = &files.snapshot;

        snapshot_init(snapshot);
        int code = event_loop_new(&files.events, err);
        if (code == 0) {
                files.objects =
                        dashboard_objects_new(snapshot->cluster, event_loop_as_loop(files.events));
                snapshot->seen = dashboard_objects_see;
                snapshot->seen_context = files.objects;
                code = snapshot_read_paths(snapshot, options->shown.inputs.items,
                                           options->shown.inputs.count, err);
        }
        if (code == 0)
                code = snapshot_complete(snapshot, err);
        if (code == 0)
                code = serve_files(&files, err);
        dashboard_planner_free(files.planner);
        dashboard_explainer_free(files.explainer);
        dashboard_objects_free(files.objects);
        role_config_release(&files.config);
        event_loop_free(files.events);
        snapshot_release(snapshot);
        return code;
}

static int cmd_dashboard_run(const struct command_call *call) {
        struct dashboard_command_options options =
                *(const struct dashboard_command_options *)call->options;
        struct err err = { 0 };

        log_writer_set_level((int)options.shown.daemon.verbosity);
        int code = shown_options_check(&options.shown, &err);
        if (code == 0)
                code = options.shown.inputs.count ? show_files(&options, &err)
                                                  : follow_cluster(&options, &err);
        return code < 0 ? command_failed("dashboard", &err) : EXIT_DONE;
}

#define OFFSET(member) offsetof(struct dashboard_command_options, member)
static const struct option dashboard_table[] = {
        { .group = shown_option_table, .offset = OFFSET(shown) },
        { .name = "config",
          .type = OPTION_TEXT,
          .offset = OFFSET(config),
          .value_name = "FILE",
          .is_file = true,
          .help = "KubeSchedulerConfiguration by which pods are explained; without it the one "
                  "among the files, or the default profile" },
        { .name = "listen",
          .heading = "Page",
          .type = OPTION_TEXT,
          .offset = OFFSET(shown.daemon.page.listen),
          .value_name = "ADDR:PORT",
          .fallback = "127.0.0.1:8088",
          .help = "address of the page, TLS where it is not this machine alone; port 0 takes any "
                  "free port" },
        { .name = "hosts",
          .type = OPTION_TEXT,
          .offset = OFFSET(shown.daemon.page.hosts),
          .value_name = "NAME,...",
          .help = "names under which the page may be visited, besides localhost and addresses in "
                  "numbers" },
        { .group = verbosity_option_table,
          .offset = OFFSET(shown.daemon.verbosity),
          .defaults = (const struct option_default[]){ { "v", "1" }, { 0 } } },
        { 0 },
};

const struct command command_dashboard = {
        .name = "dashboard",
        .summary = "show a cluster on a live page in the browser",
        .synopsis = "",
        .description = "Serves one page that shows nodes and pods, and how full the cluster is, "
                       "and prints its address. It watches and writes nothing. The address holds "
                       "a token; the browser gets a cookie for it. Ends at SIGTERM or SIGINT.\n\n"
                       "berth up and berth sandbox show their own cluster with --dashboard.",
        .options = dashboard_table,
        .options_size = sizeof(struct dashboard_command_options),
        .run = cmd_dashboard_run,
};
