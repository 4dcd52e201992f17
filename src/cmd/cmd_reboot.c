/* berth reboot: the agent that reboots one node, in kured's place, and the state of all of them. */
#include "base/log.h"
#include "base/util.h"
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_part.h"
#include "cmd/log_writer.h"
#include "cmd/reboot_options.h"
#include "cmd/reboot_setup.h"
#include "cmd/reboot_status.h"
#include "host/metrics_listener.h"
#include "pages/metrics.h"
#include "pages/role_metrics.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct reboot_daemon {
        const struct reboot_options *options;
        struct reboot_setup setup;
        struct reboot_role *role;
        struct metrics_listener *listener;
        struct metrics *metrics; /* of the listener; NULL = those of the process, or none */
        struct runtime_metrics *counts;
};

static void write_metrics(void *context, struct buf *out) {
        struct reboot_daemon *self = context;

        reboot_role_write_metrics(self->role, out);
}

static void write_page(void *context, struct buf *out) {
        struct reboot_daemon *self = context;

        metrics_write(self->metrics, out);
}

/* The agent's own port, as kured has it; what every process counts is there, too. */
static int reboot_listen(struct reboot_daemon *self, struct runtime *runtime, struct err *err) {
        const struct metrics_address address = { self->options->metrics_host,
                                                 (uint16_t)self->options->metrics_port };

        self->metrics = metrics_new();
        self->counts = runtime_metrics_new(self->metrics, runtime);
        metrics_on_page(self->metrics, write_metrics, self);
        return metrics_listener_new(runtime_loop(runtime), &address, write_page, self,
                                    &self->listener, err);
}

static int add_role(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        struct reboot_daemon *self = context;

        self->role = reboot_role_add(runtime, &self->setup.role, err);
        if (!self->role)
                return err->code;
        if (daemon_metrics(daemon)) { /* on the page of the process */
                metrics_on_page(daemon_metrics(daemon), write_metrics, self);
                return 0;
        }
        return self->options->metrics_port ? reboot_listen(self, runtime, err) : 0;
}

static void cmd_reboot_leave(void *context) {
        struct reboot_daemon *self = context;

        metrics_listener_free(self->listener);
        runtime_metrics_free(self->counts);
        metrics_free(self->metrics);
}

static void reboot_part_free(void *context) {
        struct reboot_daemon *self = context;

        reboot_setup_release(&self->setup);
        free(self);
}

int reboot_part_make(const struct reboot_options *options, struct arena *arena,
                     struct daemon_part *ret_part, struct err *err) {
        struct reboot_daemon *self = xcalloc(1, sizeof(*self));
        struct daemon_options daemon = options->daemon;

        self->options = options;
        if (getrandom(&daemon.seed, sizeof(daemon.seed), 0) < 0)
                daemon.seed = 1;
        daemon.user_agent = "berth-reboot";
        daemon.takes_slots = daemon.minds_requests = !options->is_parity;
        if (options->is_parity)
                daemon.requests = EVICT_REQUESTS_NEVER;
        daemon.has_no_model = true;
        /* Beside roles with a model: a drain is about finished pods, too, and about Ready. */
        daemon.keeps_finished = daemon.keeps_evictions = true;
        *ret_part = (struct daemon_part){ .daemon = daemon,
                                          .role = { .context = self,
                                                    .has_no_model = true,
                                                    .add = add_role,
                                                    .leave = cmd_reboot_leave },
                                          .free = reboot_part_free };
        int code = reboot_setup_make(options, arena, &self->setup, err);
        if (code == 0 && self->setup.notify_problem.code)
                LOG(LOG_WARN, "NotificationsAreOnlyLogged",
                    log_text("error", self->setup.notify_problem.text));
        return code;
}

static bool is_kured(const char *program) {
        const char *slash = strrchr(program, '/');

        return strcmp(slash ? slash + 1 : program, "kured") == 0;
}

static int run_agent(const struct command_call *call) {
        struct reboot_options given = *(const struct reboot_options *)call->options;
        const struct reboot_options *options = &given;
        struct daemon_part part;
        struct err err = { 0 };

        given.is_kured = is_kured(call->program);
        log_writer_set_json(strcmp(options->log_format, "json") == 0);
        log_writer_set_level((int)options->daemon.verbosity);
        int code = reboot_part_make(options, call->arena, &part, &err);
        if (code == 0)
                code = daemon_part_run(&part, &err);
        daemon_part_release(&part);
        return code < 0 ? command_failed("reboot", &err) : EXIT_DONE;
}

/* What the options say; files they name may be on another machine. */
static int cmd_reboot_check(const void *options, struct arena *arena, struct err *err) {
        struct reboot_options given = *(const struct reboot_options *)options;
        struct reboot_setup setup;
        struct err found = { 0 };

        given.uses_nsenter = false; /* nothing is to be entered */
        int code = reboot_setup_make(&given, arena, &setup, &found);
        reboot_setup_release(&setup);
        if (code == 0 && setup.notify_problem.code) {
                found = setup.notify_problem;
                code = found.code;
        }
        if (code == 0 || found.code == BERTH_ERR_IO || found.code == BERTH_ERR_NOT_FOUND)
                return 0;
        if (err)
                *err = found;
        return code;
}

static const char *const words[] = { "status", NULL };

static int cmd_reboot_run(const struct command_call *call) {
        if (call->arguments.count == 0)
                return run_agent(call);
        if (strcmp(call->arguments.items[0], "status") == 0)
                return reboot_status_print(call->options);
        return command_unknown_word("berth reboot", words, call->arguments.items[0]);
}

const struct command command_reboot = {
        .name = "reboot",
        .summary = "reboot this node when it requires it, as kured does",
        .synopsis = "[status]",
        .description = "Stands in for kured 1.23. Looks for a sentinel, taints the node "
                       "(" REBOOT_TAINT_DEFAULT ":PreferNoSchedule) as soon as a reboot is "
                       "required, waits for its window, for blockers "
                       "and for the lock, drains, reboots, and uncordons. Its state is an "
                       "annotation of the node: a crash leaves no cordon and no lock.\n\n"
                       "It drains by evictions, within budgets: a pod whose budget allows none at "
                       "present is asked for again, and the node waits (--drain-timeout, "
                       "--force-reboot and --drain-escalation end that); a budget that can never "
                       "let its pod go is found before the cordon. With --eviction-requests auto, "
                       "the default, evictions are EvictionRequests where the cluster serves them "
                       "and a controller answers (\"berth help evictions\"): pods with an "
                       "EvictionPolicy are prepared first. Else, and with never, it calls "
                       "pods/eviction as kured does. Pods of DaemonSets and static pods stay.\n\n"
                       "Each option may also come from the environment as KURED_ and its "
                       "name in capitals (KURED_NODE_ID); the environment wins. \"berth "
                       "reboot status\" prints the state of all nodes.",
        .options = reboot_options_table,
        .options_size = sizeof(struct reboot_options),
        .arguments_max = 1,
        .argument_choices = words,
        .stands_in_for = "kured",
        .environment_prefix = "KURED_",
        .check = cmd_reboot_check,
        .run = cmd_reboot_run,
};
