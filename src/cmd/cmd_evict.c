/* berth evict: asks for evictions, and shows how they go. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/needed_rights.h"
#include "cmd/terminal.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/time.h"
#include "base/util.h"
#include "loop/runtime.h"
#include "roles/eviction_order.h"
#include "show/amount.h"
#include "show/cells.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define BAR_CELLS 30
#define SLOT_WAIT_NS (2 * NS_PER_S) /* then the reason of the wait is printed */
#define LINES_SHOWN 20              /* pods under way, on a terminal */

struct evict_options {
        struct daemon_options daemon;
        const char *ns, *node, *selector;
        bool all_namespaces, cancels, waits, has_no_cordon, has_deadline;
        int64_t deadline_ns, max_open;
};

struct evict_run {
        const struct evict_options *options;
        const struct command_call *call;
        struct runtime *runtime;
        struct daemon *daemon;
        struct eviction_order *order;
        struct err err;
        bool is_terminal, has_failed, is_over;
        char **reported; /* what was last printed of each pod; owned */
        size_t reported_count, drawn;
        struct mono_time started; /* of the first picture */
};

/* ---- output ---- */

static size_t count_state(const struct evict_run *run, enum order_state state) {
        size_t count = 0;

        for (size_t i = 0; i < eviction_order_count(run->order); i++)
                count += eviction_order_line(run->order, i).state == state;
        return count;
}

static void cmd_evict_describe(const struct evict_run *run, const struct order_line *line,
                               struct buf *out) {
        char eta[DURATION_TEXT_MAX];
        int64_t left_ns = 0;

        if (line->state == ORDER_OPEN && wall_time_is_set(line->expected))
                left_ns = line->expected.ns - runtime_server_time(run->runtime).ns;

        buf_printf(out, "%s/%s %s", line->ns, line->name, order_state_name(line->state));
        if (line->responder[0])
                buf_printf(out, " by %s", line->responder);
        if (line->message[0])
                buf_printf(out, ": %s", line->message);
        if (line->budget.len && line->state != ORDER_EVICTED)
                buf_printf(out, " (budget " SLICE_FMT " can never let it go)",
                           SLICE_ARG(line->budget));
        if (left_ns > 0) {
                duration_format_human(left_ns, eta);
                buf_printf(out, " (about %s left)", eta);
        }
}

/* Messages come from the cluster: a terminal gets them as text, and no more than fits a line. */
static void describe_safely(const struct evict_run *run, const struct order_line *line,
                            size_t columns, struct buf *out) {
        CLEANUP(buf_release) struct buf text = { 0 };

        cmd_evict_describe(run, line, &text);
        cells_put(out, buf_view(&text), columns, false);
}

/* One line for every pod whose line changed. */
static void print_changes(struct evict_run *run) {
        size_t count = eviction_order_count(run->order);

        if (run->reported_count < count) {
                run->reported = xreallocarray(run->reported, count, sizeof(run->reported[0]));
                while (run->reported_count < count)
                        run->reported[run->reported_count++] = NULL;
        }
        for (size_t i = 0; i < count; i++) {
                struct order_line line = eviction_order_line(run->order, i);
                struct buf text = { 0 };

                if (line.state <= ORDER_ASKING)
                        continue;
                line.expected = WALL_TIME_UNSET; /* runs down by itself */
                describe_safely(run, &line, SIZE_MAX, &text);
                if (!run->reported[i] || strcmp(run->reported[i], text.data) != 0) {
                        printf("%s\n", text.data);
                        free(run->reported[i]);
                        run->reported[i] = buf_take(&text, NULL);
                }
                buf_release(&text);
        }
        fflush(stdout);
}

static size_t count_over(const struct evict_run *run) {
        size_t over = 0;

        for (size_t state = ORDER_EVICTED; state < ORDER_STATE_COUNT; state++)
                over += count_state(run, (enum order_state)state);
        return over;
}

static void draw_bar(const struct evict_run *run, struct buf *out) {
        size_t count = eviction_order_count(run->order), over = count_over(run);

        buf_char(out, '[');
        for (size_t i = 0; i < BAR_CELLS; i++)
                buf_char(out, i * count < over * BAR_CELLS ? '#' : '.');
        buf_printf(out, "] %zu of %zu: %zu evicted, %zu open, %zu withdrawn, %zu failed", over,
                   count, count_state(run, ORDER_EVICTED), count_state(run, ORDER_OPEN),
                   count_state(run, ORDER_WITHDRAWN), count_state(run, ORDER_FAILED));
}

/* By the mean so far. */
static void draw_time_left(struct evict_run *run, struct buf *out) {
        size_t count = eviction_order_count(run->order), over = count_over(run);
        struct mono_time now = loop_mono(runtime_loop(run->runtime));

        if (run->started.ns == 0)
                run->started = now;
        if (over == 0 || over == count || now.ns == run->started.ns)
                return;
        double elapsed_s = (double)(now.ns - run->started.ns) / 1e9;

        buf_text(out, ", ");
        amount_span(out, (int64_t)(elapsed_s * (double)(count - over) / (double)over + 0.5));
        buf_text(out, " left, ");
        amount_measure(out, (double)over / elapsed_s);
        buf_text(out, " a second");
}

/* The whole picture again, over the last one. */
static void cmd_evict_draw(struct evict_run *run) {
        size_t columns = terminal_size(STDOUT_FILENO).columns;
        struct buf text = { 0 }, bar = { 0 };
        size_t lines = 1;

        if (run->drawn)
                buf_printf(&text, "\033[%zuA", run->drawn);
        buf_text(&text, "\r\033[J");
        for (size_t i = 0; i < eviction_order_count(run->order) && lines < LINES_SHOWN; i++) {
                struct order_line line = eviction_order_line(run->order, i);

                if (line.state != ORDER_OPEN && line.state != ORDER_FAILED)
                        continue;
                describe_safely(run, &line, columns, &text);
                buf_char(&text, '\n');
                lines++;
        }
        draw_bar(run, &bar);
        draw_time_left(run, &bar);
        cells_put(&text, buf_view(&bar), columns, false);
        buf_release(&bar);
        buf_char(&text, '\n');
        fwrite(text.data, 1, text.len, stdout);
        fflush(stdout);
        run->drawn = lines;
        buf_release(&text);
}

static void on_changed(void *context) {
        struct evict_run *run = context;

        if (run->is_over || !run->order || eviction_order_count(run->order) == 0)
                return; /* the last line is the sum */
        if (run->is_terminal)
                cmd_evict_draw(run);
        else
                print_changes(run);
}

/* ---- the end ---- */

static bool is_as_wanted(const struct evict_run *run, const struct order_line *line) {
        if (!run->options->waits && line->state == ORDER_OPEN)
                return true;
        return line->state == (run->options->cancels ? ORDER_WITHDRAWN : ORDER_EVICTED);
}

/* Once for each budget, at its first pod. */
static bool is_first_of_budget(const struct evict_run *run, size_t index) {
        struct order_line line = eviction_order_line(run->order, index);

        for (size_t i = 0; i < index; i++) {
                struct order_line other = eviction_order_line(run->order, i);

                if (!is_as_wanted(run, &other) && slice_eq(other.budget, line.budget))
                        return false;
        }
        return line.budget.len;
}

/* What stayed, why, and which budgets have to be changed first. */
static void print_rest(struct evict_run *run) {
        size_t count = eviction_order_count(run->order);
        struct buf text = { 0 };
        bool lacks_right = false;

        for (size_t i = 0; i < count; i++) {
                struct order_line line = eviction_order_line(run->order, i);

                if (is_as_wanted(run, &line))
                        continue;
                lacks_right |= needed_rights_miss(slice_of(line.message));
                if (text.len == 0)
                        buf_text(&text,
                                 run->options->cancels ? "not withdrawn:\n" : "not evicted:\n");
                buf_text(&text, "  ");
                describe_safely(run, &line, SIZE_MAX, &text);
                buf_char(&text, '\n');
        }
        run->has_failed |= text.len > 0;
        for (size_t i = 0; i < count; i++) {
                struct order_line line = eviction_order_line(run->order, i);

                if (!is_as_wanted(run, &line) && is_first_of_budget(run, i))
                        buf_printf(&text,
                                   "budget " SLICE_FMT " asks for all the pods it covers: lower "
                                   "its minAvailable, raise its maxUnavailable, or run more "
                                   "replicas\n",
                                   SLICE_ARG(line.budget));
        }
        if (lacks_right)
                buf_printf(&text, "the rights it needs are in %s\n", needed_rights_of("evict"));
        if (text.len)
                fputs(text.data, stdout);
        buf_release(&text);
}

static void print_end(struct evict_run *run) {
        struct buf bar = { 0 };

        run->is_over = true;
        if (eviction_order_count(run->order) == 0)
                puts(run->options->node             ? "the node has no pods to evict"
                     : run->options->all_namespaces ? "no pods have these labels"
                                                    : "no pods have these labels in this namespace "
                                                      "(-n and -A name others)");
        print_rest(run);
        draw_bar(run, &bar);
        if (!run->is_terminal)
                printf("%s\n", bar.data);
        buf_release(&bar);
        fflush(stdout);
}

static void on_finished(void *context, const struct err *err) {
        struct evict_run *run = context;

        if (err)
                run->err = *err;
        else
                print_end(run);
        daemon_finish(run->daemon);
}

/* Ended by a signal: the requests stay. */
static void on_leave(void *context) {
        struct evict_run *run = context;

        if (run->is_over || run->err.code || !run->order)
                return;
        run->has_failed = true;
        if (eviction_order_count(run->order) == 0)
                return;
        puts(eviction_order_uses_requests(run->order) && !run->options->cancels
                     ? "interrupted; the requests stay until their deadline: the same command "
                       "follows them, --cancel withdraws them"
                     : "interrupted");
        print_end(run);
}

/* ---- the role ---- */

static void on_model(void *self) {
        struct evict_run *run = self;
        const struct evict_options *options = run->options;

        if (run->order)
                return;
        run->order = eviction_order_new(&(struct eviction_order_config){
                .runtime = run->runtime,
                .ns = options->all_namespaces ? "" : options->ns,
                .node = options->node,
                .selector = options->selector,
                .pods = (const char *const *)run->call->arguments.items,
                .pod_count = run->call->arguments.count,
                .requests = (enum evict_request_mode)options->daemon.requests,
                .cordons = !options->has_no_cordon,
                .cancels = options->cancels,
                .waits = options->waits,
                .max_open = (uint32_t)options->max_open,
                .deadline_ns = options->deadline_ns,
                .changed = on_changed,
                .finished = on_finished,
                .context = run });
}

static void on_result(void *self, const struct action_result *result) {
        (void)self; /* the role submits no actions */
        (void)result;
}

static void on_served(void *self) {
        struct evict_run *run = self;

        if (run->order)
                eviction_order_served(run->order);
}

static bool is_idle(const void *self) {
        (void)self;
        return false;
}

static void free_role(void *self) {
        struct evict_run *run = self;

        eviction_order_free(run->order);
        run->order = NULL;
}

static int add_role(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        struct evict_run *run = context;

        (void)err;
        run->daemon = daemon;
        run->runtime = runtime;
        runtime_add_role(runtime, &(struct role){ .name = "evict",
                                                  .self = run,
                                                  .changed = on_model,
                                                  .result = on_result,
                                                  .evicted = on_served,
                                                  .is_idle = is_idle,
                                                  .free = free_role });
        return 0;
}

/* ---- the command ---- */

static int cmd_evict_check(const struct command_call *call, struct err *err) {
        const struct evict_options *options = call->options;
        bool has_pods = call->arguments.count > 0;

        if (has_pods && (options->node || options->selector))
                return err_set(err, BERTH_ERR_USAGE,
                               "expected names of pods, or --node and --selector, not both");
        if (!has_pods && !options->node && !options->selector)
                return err_set(err, BERTH_ERR_USAGE,
                               "expected names of pods, --node or --selector");
        if (options->cancels && options->daemon.requests == EVICT_REQUESTS_NEVER)
                return err_set(err, BERTH_ERR_USAGE,
                               "--cancel has no meaning with --eviction-requests never");
        if (options->cancels && options->has_deadline)
                return err_set(err, BERTH_ERR_USAGE, "--deadline has no meaning with --cancel");
        return 0;
}

static int cmd_evict_run(const struct command_call *call) {
        const struct evict_options *options = call->options;
        struct evict_run run = { .options = options, .call = call };
        struct daemon_options daemon = options->daemon;
        struct err err = { 0 };
        int code = cmd_evict_check(call, &err);

        if (getrandom(&daemon.seed, sizeof(daemon.seed), 0) < 0)
                daemon.seed = 1;
        daemon.user_agent = "berth-evict";
        daemon.takes_slots = daemon.minds_requests = true;
        daemon.requests = EVICT_REQUESTS_NEVER; /* the order writes its own */
        daemon.slot_patience_ns = SLOT_WAIT_NS;
        daemon.has_no_model = true;
        run.is_terminal = isatty(STDOUT_FILENO);
        if (code == 0)
                code = daemon_run(&daemon,
                                  &(struct daemon_role){
                                          .context = &run, .add = add_role, .leave = on_leave },
                                  1, &err);
        if (code == 0 && run.err.code) {
                err = run.err;
                code = err.code;
        }
        for (size_t i = 0; i < run.reported_count; i++)
                free(run.reported[i]);
        free(run.reported);
        if (code < 0)
                return command_failed("evict", &err);
        return run.has_failed ? EXIT_FAILED : EXIT_DONE;
}

static const struct option evict_table[] = {
        { .name = "node",
          .type = OPTION_TEXT,
          .offset = offsetof(struct evict_options, node),
          .names = NAMES_NODES,
          .value_name = "NAME",
          .help = "evict every pod of this node, after cordoning it; pods of "
                  "DaemonSets and static pods stay" },
        { .name = "selector",
          .type = OPTION_TEXT,
          .offset = offsetof(struct evict_options, selector),
          .letter = 'l',
          .value_name = "SELECTOR",
          .help = "evict every pod with these labels" },
        { .name = "namespace",
          .type = OPTION_TEXT,
          .offset = offsetof(struct evict_options, ns),
          .names = NAMES_NAMESPACES,
          .letter = 'n',
          .value_name = "NAME",
          .fallback = "default",
          .help = "namespace of the pods; with --node all namespaces without it" },
        { .name = "all-namespaces",
          .type = OPTION_FLAG,
          .offset = offsetof(struct evict_options, all_namespaces),
          .letter = 'A',
          .help = "with --selector: in all namespaces" },
        { .name = "cancel",
          .type = OPTION_FLAG,
          .offset = offsetof(struct evict_options, cancels),
          .help = "withdraw the requests of an earlier call" },
        { .name = "deadline",
          .type = OPTION_DURATION,
          .offset = offsetof(struct evict_options, deadline_ns),
          .presence = offsetof(struct evict_options, has_deadline),
          .value_name = "DURATION",
          .fallback = "1h",
          .help = "end after this time, and say what stayed; requests that are not done by "
                  "then are withdrawn, also when this command has ended; 0 = no limit" },
        { .name = "wait",
          .type = OPTION_FLAG,
          .offset = offsetof(struct evict_options, waits),
          .fallback = "true",
          .help = "wait until every pod is gone; --wait=false ends once all "
                  "requests are made" },
        { .group = request_option_table, .offset = offsetof(struct evict_options, daemon) },
        { .name = "max-open",
          .type = OPTION_I64,
          .offset = offsetof(struct evict_options, max_open),
          .value_name = "COUNT",
          .fallback = "50",
          .min = 1,
          .max = 10000,
          .help = "evictions to ask for at the same time" },
        { .name = "no-cordon",
          .type = OPTION_FLAG,
          .offset = offsetof(struct evict_options, has_no_cordon),
          .help = "with --node: do not cordon the node" },
        { .group = slot_option_table, .offset = offsetof(struct evict_options, daemon.slots) },
        { .group = cluster_option_table, .offset = offsetof(struct evict_options, daemon) },
        { .group = verbosity_option_table,
          .offset = offsetof(struct evict_options, daemon.verbosity),
          .defaults = (const struct option_default[]){ { "v", "1" }, { 0 } } },
        { 0 },
};

const struct command command_evict = {
        .name = "evict",
        .summary = "evict pods, follow evictions, withdraw them",
        .synopsis = "[POD | NAMESPACE/POD]...",
        .description = "Creates an EvictionRequest for each pod where the cluster serves "
                       "them (berth evictions adds them to any cluster), and prints the "
                       "progress. Without them it uses the eviction subresource, and "
                       "repeats what a budget refuses. \"berth help evictions\" explains "
                       "requests and stages.\n\n"
                       "--cancel withdraws the requests. Interrupted, the command leaves "
                       "them; started again, it follows them. Ends with 1 when a pod was "
                       "not evicted, and then says which stayed and why: the last answer, "
                       "and budgets that can never let a pod go.",
        .options = evict_table,
        .options_size = sizeof(struct evict_options),
        .arguments_max = ARGUMENTS_MAX,
        .argument_names = NAMES_PODS,
        .run = cmd_evict_run,
};
