/* berth top: nodes, waiting pods and events of a cluster on a terminal. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/dashboard_events.h"
#include "cmd/log_writer.h"
#include "cmd/progress.h"
#include "cmd/shown_options.h"
#include "cmd/terminal.h"
#include "cmd/top_reasons.h"
#include "cmd/top_viewer.h"

#include "ask/snapshot_input.h"
#include "base/log.h"
#include "base/util.h"
#include "client/cluster_access.h"
#include "loop/access_search.h"
#include "loop/event_loop.h"
#include "loop/process_signals.h"
#include "model/cluster.h"
#include "roles/role_config.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ONCE_PATIENCE_NS (60 * NS_PER_S)
#define ONCE_CHECK_NS (50 * NS_PER_MS)

struct top_options {
        struct shown_options shown;
        const char *config, *resources, *sort, *filter;
        bool is_once;
        int format;
};

/* What follows a live cluster. */
struct top {
        const struct top_options *options;
        struct daemon *daemon;
        struct runtime *runtime;
        struct dashboard_events *events;
        struct top_viewer *view;
        struct loop_timer check;
        struct progress progress; /* until it is printed */
        struct mono_time started;
        char source[300], trouble[600], resource[200];
        bool is_drawn, is_printed;
        struct err failure;
};

static bool top_is_drawn(const struct top_options *options) {
        return !options->is_once && options->format == OUTPUT_TEXT &&
               terminal_is_usable(STDIN_FILENO, STDOUT_FILENO);
}

/* ---- trouble, which must not be written into the screen ---- */

static struct slice field_text(const struct log_field *fields, size_t count, const char *key) {
        for (size_t i = 0; i < count; i++)
                if (strcmp(fields[i].key, key) == 0 && fields[i].kind == LOG_FIELD_TEXT)
                        return fields[i].text;
        return SLICE_EMPTY;
}

static void on_log(void *context, enum log_level level, const char *event,
                   const struct log_field *fields, size_t count) {
        struct top *top = context;
        struct slice resource = field_text(fields, count, "resource");

        (void)level;
        if (strcmp(event, "WatchFailed") == 0) {
                snprintf(top->resource, sizeof(top->resource), SLICE_FMT, SLICE_ARG(resource));
                snprintf(top->trouble, sizeof(top->trouble),
                         "not up to date: " SLICE_FMT ": " SLICE_FMT, SLICE_ARG(resource),
                         SLICE_ARG(field_text(fields, count, "error")));
        } else if (strcmp(event, "WatchWorks") == 0 && slice_is(resource, top->resource)) {
                top->trouble[0] = '\0';
        }
}

static void tell_trouble(void *context, struct buf *out) {
        const struct top *top = context;

        buf_text(out, top->trouble);
}

/* ---- a live cluster ---- */

static void on_changed(void *self) {
        struct top *top = self;

        if (!top->view)
                return;
        if (runtime_is_synced(top->runtime))
                top_viewer_set_ready(top->view);
        top_viewer_changed(top->view);
}

static void on_result(void *self, const struct action_result *result) {
        (void)self;
        (void)result;
}

static bool is_idle(const void *self) {
        (void)self;
        return true;
}

static void free_nothing(void *self) {
        (void)self;
}

static void on_ended(void *context) {
        struct top *top = context;

        daemon_finish(top->daemon);
}

/* Prints once everything is there; a cluster that cannot be read is an error then. */
static void on_check(void *context) {
        struct top *top = context;
        bool is_late =
                loop_mono(runtime_loop(top->runtime)).ns - top->started.ns > ONCE_PATIENCE_NS;
        struct err trouble = { 0 };
        bool has_trouble = runtime_trouble(top->runtime, &trouble);
        const struct cluster *cluster = runtime_cluster(top->runtime);

        progress_set(&top->progress, cluster_pod_count(cluster) + cluster_node_count(cluster), 0);

        if (runtime_is_synced(top->runtime) &&
            (is_late || dashboard_events_are_ready(top->events))) {
                progress_end(&top->progress);
                top_viewer_set_ready(top->view);
                top->is_printed = top_viewer_print(top->view);
                if (!top->is_printed)
                        err_set(&top->failure, BERTH_ERR_IO, "cannot write to standard output");
                daemon_finish(top->daemon);
                return;
        }
        if (has_trouble && (is_late || trouble.code == BERTH_ERR_FORBIDDEN ||
                            trouble.code == BERTH_ERR_UNAUTHORIZED))
                top->failure = trouble;
        else if (is_late)
                err_set(&top->failure, BERTH_ERR_TIMEOUT, "the cluster was not listed in time");
        if (top->failure.code) {
                progress_end(&top->progress);
                daemon_finish(top->daemon);
        } else
                loop_timer_arm(runtime_loop(top->runtime), &top->check, ONCE_CHECK_NS);
}

static void name_source(struct top *top) {
        struct cluster_access access = { 0 };
        struct err err = { 0 };

        if (access_search(top->options->shown.daemon.kubeconfig, top->options->shown.daemon.context,
                          &access, &err) < 0)
                return;
        snprintf(top->source, sizeof(top->source), "%s",
                 access.context_name ? access.context_name
                 : access.server     ? access.server
                                     : "cluster");
        cluster_access_release(&access);
}

static int add_view(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        struct top *top = context;
        const struct top_options *options = top->options;

        top->daemon = daemon;
        top->runtime = runtime;
        top->started = loop_mono(runtime_loop(runtime));
        top->events = dashboard_events_new(runtime, on_changed, top);
        name_source(top);
        if (top_viewer_new(
                    &(struct top_viewer_config){
                            .sources = { .cluster = runtime_cluster(runtime),
                                         .events = dashboard_events_ring(top->events),
                                         .resources = slice_of(options->resources) },
                            .source = slice_of(top->source),
                            .sort = options->sort,
                            .filter = options->filter,
                            .loop = runtime_loop(runtime),
                            .is_drawn = top->is_drawn,
                            .format = (enum output_format)options->format,
                            .trouble = tell_trouble,
                            .ended = on_ended,
                            .context = top },
                    &top->view, err) < 0)
                return err->code;
        if (top->is_drawn)
                log_install(&(struct log_sink){
                        .write = on_log, .context = top, .max_level = LOG_WARN });
        top->check = (struct loop_timer){ .fired = on_check, .context = top };
        progress_begin(&top->progress, SLICE_LITERAL("berth top: reading the cluster"), "object");
        if (!top->is_drawn)
                loop_timer_arm(runtime_loop(runtime), &top->check, 0);
        runtime_add_role(runtime, &(struct role){ .name = "top",
                                                  .self = top,
                                                  .changed = on_changed,
                                                  .result = on_result,
                                                  .is_idle = is_idle,
                                                  .free = free_nothing });
        return 0;
}

static void leave_view(void *context) {
        struct top *top = context;

        if (top->runtime)
                loop_timer_disarm(runtime_loop(top->runtime), &top->check);
        progress_end(&top->progress);
        top_viewer_free(top->view);
        top->view = NULL;
        dashboard_events_free(top->events);
        top->events = NULL;
        log_writer_set_level((int)top->options->shown.daemon.verbosity);
}

static int follow_cluster(struct top_options *options, struct err *err) {
        struct top top = { .options = options, .is_drawn = top_is_drawn(options) };

        options->shown.daemon.user_agent = "berth-top";
        options->shown.daemon.requests = EVICT_REQUESTS_NEVER;
        options->shown.daemon.keeps_finished = true;
        options->shown.daemon.kinds = 1U << OBJECT_NODE | 1U << OBJECT_POD;
        options->shown.daemon.without_classes = true;
        if (top.is_drawn)
                terminal_block_signals();
        int code = daemon_run(
                &options->shown.daemon,
                &(struct daemon_role){ .context = &top, .add = add_view, .leave = leave_view }, 1,
                err);
        if (code == 0 && top.failure.code) {
                *err = top.failure;
                code = err->code;
        }
        return code;
}

/* ---- files ---- */

static void stop_loop(void *loop) {
        loop_stop(loop);
}

static void on_signal(void *loop, int number) {
        (void)number;
        loop_stop(loop);
}

static int show_snapshot(const struct top_options *options, const struct snapshot *snapshot,
                         struct event_loop *events, struct err *err) {
        struct loop *loop = event_loop_as_loop(events);
        struct process_signals *signals = NULL;
        struct top_reasons *reasons = NULL;
        struct top_viewer *view = NULL;
        bool is_drawn = top_is_drawn(options);

        if (is_drawn)
                terminal_block_signals();
        int code = process_signals_new(loop, on_signal, loop, &signals, err);
        if (code == 0)
                code = top_reasons_new(snapshot, loop, options->config, &reasons, err);
        if (code == 0)
                code = top_viewer_new(
                        &(struct top_viewer_config){
                                .sources = { .cluster = snapshot->cluster,
                                             .resources = slice_of(options->resources),
                                             .reason = top_reasons_of,
                                             .context = reasons },
                                .source = slice_of(options->shown.inputs.items[0]),
                                .sort = options->sort,
                                .filter = options->filter,
                                .loop = loop,
                                .is_drawn = is_drawn,
                                .format = (enum output_format)options->format,
                                .ended = stop_loop,
                                .context = loop },
                        &view, err);
        if (code == 0) {
                top_viewer_set_ready(view);
                if (is_drawn)
                        code = event_loop_run(events, err);
                else if (!top_viewer_print(view))
                        code = err_set(err, BERTH_ERR_IO, "cannot write to standard output");
        }
        top_viewer_free(view);
        top_reasons_free(reasons);
        process_signals_free(signals);
        event_loop_run_once(events, 0, NULL);
        return code;
}

static int show_files(const struct top_options *options, struct err *err) {
        struct event_loop *events = NULL;
        struct snapshot snapshot;

        snapshot_init(&snapshot);
        int code = snapshot_read_paths(&snapshot, options->shown.inputs.items,
                                       options->shown.inputs.count, err);
        if (code == 0)
                code = snapshot_complete(&snapshot, err);
        if (code == 0)
                code = event_loop_new(&events, err);
        if (code == 0)
                code = show_snapshot(options, &snapshot, events, err);
        event_loop_free(events);
        snapshot_release(&snapshot);
        return code;
}

static int cmd_top_run(const struct command_call *call) {
        struct top_options options = *(const struct top_options *)call->options;
        struct err err = { 0 };

        log_writer_set_level((int)options.shown.daemon.verbosity);
        int code = shown_options_check(&options.shown, &err);
        if (code == 0)
                code = options.shown.inputs.count ? show_files(&options, &err)
                                                  : follow_cluster(&options, &err);
        return code < 0 ? command_failed("top", &err) : EXIT_DONE;
}

#define OFFSET(member) offsetof(struct top_options, member)
static const struct option top_table[] = {
        { .group = shown_option_table, .offset = OFFSET(shown) },
        { .name = "resources",
          .heading = "View",
          .type = OPTION_TEXT,
          .offset = OFFSET(resources),
          .value_name = "NAME,...",
          .help = "columns: cpu, memory, pods, nvidia.com/gpu ...; without it cpu, memory, pods "
                  "and "
                  "the extended resources that nodes have" },
        { .name = "sort",
          .type = OPTION_TEXT,
          .offset = OFFSET(sort),
          .value_name = "NAME",
          .fallback = "cpu",
          .help = "order of nodes: a resource, the fullest first, or name" },
        { .name = "filter",
          .type = OPTION_TEXT,
          .offset = OFFSET(filter),
          .value_name = "WORDS",
          .help = "show what has all of these: web (part of a name), pool=gpu (a label), is:over, "
                  "is:cordoned, is:notready, is:tainted, is:empty" },
        { .name = "config",
          .type = OPTION_TEXT,
          .offset = OFFSET(config),
          .value_name = "FILE",
          .is_file = true,
          .help = "with --input: KubeSchedulerConfiguration by which reasons are found; without it "
                  "the one among the files, or the default profile" },
        { .name = "once",
          .type = OPTION_FLAG,
          .offset = OFFSET(is_once),
          .help = "print a table once, also on a terminal" },
        { .group = output_option_table, .offset = OFFSET(format) },
        { .group = verbosity_option_table,
          .offset = OFFSET(shown.daemon.verbosity),
          .defaults = (const struct option_default[]){ { "v", "1" }, { 0 } } },
        { 0 },
};

const struct command command_top = {
        .name = "top",
        .summary = "show nodes, waiting pods and events on a terminal",
        .synopsis = "",
        .description = "Draws what pods request of each node as bars, which pods wait and why, and "
                       "the latest events, and follows the cluster. It writes nothing to it. Keys "
                       "stand at the bottom, all of them behind ?. Where standard output is no "
                       "terminal, or with --once or -o, it prints a table once and ends.\n\n"
                       "Colours are left out where NO_COLOR is set.",
        .options = top_table,
        .options_size = sizeof(struct top_options),
        .run = cmd_top_run,
};
