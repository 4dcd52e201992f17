/* berth run: several roles in one process, with one model and one set of watches. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/daemon_part.h"
#include "cmd/descheduler_command.h"
#include "cmd/evictions_command.h"
#include "cmd/log_writer.h"
#include "cmd/reboot_options.h"
#include "cmd/scheduler_command.h"

#include "base/name_hint.h"
#include "base/time.h"
#include "base/util.h"
#include <stdlib.h>
#include <string.h>

enum run_leases { LEASES_PER_ROLE, LEASES_ONE };

struct run_options {
        struct daemon_options daemon;
        const char *roles;
        int leases;
};

/* In the order in which they are added to the process. */
enum run_role { RUN_SCHEDULER, RUN_DESCHEDULER, RUN_EVICTIONS, RUN_REBOOT, RUN_ROLE_COUNT };

static const struct option_part run_parts[RUN_ROLE_COUNT + 1] = {
        [RUN_SCHEDULER] = { "scheduler", scheduler_options_table },
        [RUN_DESCHEDULER] = { "descheduler", descheduler_options_table },
        [RUN_EVICTIONS] = { "evictions", evictions_options_table },
        [RUN_REBOOT] = { "reboot", reboot_options_table },
};

/* What the words of one role say. */
struct run_role_options {
        struct scheduler_options scheduler;
        struct descheduler_options descheduler;
        struct evictions_options evictions;
        struct reboot_options reboot;
};

struct run_call {
        const struct run_options *options;
        const struct command_call *call;
        bool is_chosen[RUN_ROLE_COUNT];
        struct run_role_options roles;
        struct daemon_options daemon;
        struct daemon_part parts[RUN_ROLE_COUNT];
        size_t part_count;
        struct err *err;
};

/* ---- which roles, and whose options ---- */

static size_t role_find(struct slice name) {
        size_t role = 0;

        while (role < RUN_ROLE_COUNT && !slice_is(name, run_parts[role].name))
                role++;
        return role;
}

/* The role one of --roles names, which may be named once. */
static int refuse_role(struct slice name, struct err *err) {
        struct name_hint hint = name_hint_start(name);

        for (size_t role = 0; role < RUN_ROLE_COUNT; role++)
                name_hint_try(&hint, run_parts[role].name);
        bool is_meant = hint.best && hint.steps > 0;
        return err_set(err, BERTH_ERR_USAGE,
                       "option --roles: expected each of scheduler, descheduler, evictions, reboot "
                       "once at most, found \"" SLICE_FMT "\"%s%s%s",
                       SLICE_ARG(name), is_meant ? "; did you mean \"" : "",
                       is_meant ? hint.best : "", is_meant ? "\"?" : "");
}

static int run_choose(const struct run_options *options, bool is_chosen[static RUN_ROLE_COUNT],
                      struct err *err) {
        struct slice rest = slice_of(options->roles), name;

        while (rest.ptr && slice_split(&rest, ',', &name)) {
                size_t role = role_find(slice_trim(name));

                if (role == RUN_ROLE_COUNT || is_chosen[role])
                        return refuse_role(slice_trim(name), err);
                is_chosen[role] = true;
        }
        if (!options->roles)
                return err_set(err, BERTH_ERR_USAGE,
                               "expected --roles NAME,... of scheduler, descheduler, evictions, "
                               "reboot");
        return 0;
}

static int cmd_run_check(const void *options, struct arena *arena, struct err *err) {
        bool is_chosen[RUN_ROLE_COUNT] = { false };

        (void)arena;
        return run_choose(options, is_chosen, err);
}

/* An option that no role of this process takes is a mistake. */
static int check_words(struct run_call *run) {
        const struct option_texts *all = &run->call->part_words;

        for (size_t i = 0; i < all->count; i++) {
                const struct option_texts one = { 1, &all->items[i] };
                bool is_taken = false;

                for (size_t role = 0; role < RUN_ROLE_COUNT; role++)
                        is_taken |= run->is_chosen[role] &&
                                    options_of_part(&one, &run_parts[role], run->call->arena).count;
                if (!is_taken)
                        return err_set(run->err, BERTH_ERR_USAGE,
                                       "option %.*s: belongs to a role that --roles does not name",
                                       (int)strcspn(all->items[i], "="), all->items[i]);
        }
        return 0;
}

/* ---- roles ---- */

/* What is one for the process goes before what a role's own command would say. */
static void take_shared(const struct run_options *options, struct daemon_options *role) {
        role->elects = options->daemon.elects;
        role->given.elects = true;
        role->slots = options->daemon.slots;
        role->verbosity = options->daemon.verbosity;
}

static int read_role(struct run_call *run, enum run_role role) {
        void *const into[RUN_ROLE_COUNT] = { &run->roles.scheduler, &run->roles.descheduler,
                                             &run->roles.evictions, &run->roles.reboot };
        struct arena *arena = run->call->arena;
        struct command_line line = { .options = into[role] };
        struct option_texts words =
                options_of_part(&run->call->part_words, &run_parts[role], arena);

        if (options_parse(run_parts[role].options, words, arena, &line, run->err) < 0)
                return run->err->code;
        return line.wants_help ? err_set(run->err, BERTH_ERR_USAGE, "see berth help %s",
                                         run_parts[role].name)
                               : 0;
}

static int make_part(struct run_call *run, enum run_role role, struct daemon_part *part) {
        struct run_role_options *roles = &run->roles;
        const struct run_options *options = run->options;

        switch (role) {
        case RUN_SCHEDULER:
                take_shared(options, &roles->scheduler.daemon);
                return scheduler_part_make(&roles->scheduler, part, run->err);
        case RUN_DESCHEDULER:
                take_shared(options, &roles->descheduler.daemon);
                if (run->is_chosen[RUN_SCHEDULER])
                        roles->descheduler.scheduler_gates =
                                roles->scheduler.gates ? roles->scheduler.gates : "";
                if (run->is_chosen[RUN_SCHEDULER] && !roles->descheduler.scheduler_config) {
                        roles->descheduler.scheduler_config = roles->scheduler.config;
                        roles->descheduler.runs_scheduler = true;
                }
                if (roles->descheduler.interval_ns == 0)
                        return err_set(run->err, BERTH_ERR_USAGE,
                                       "expected --descheduling-interval above 0");
                return descheduler_part_make(&roles->descheduler, part, run->err);
        case RUN_EVICTIONS:
                take_shared(options, &roles->evictions.daemon);
                return evictions_part_make(&roles->evictions, part, run->err);
        case RUN_REBOOT:
                take_shared(options, &roles->reboot.daemon);
                log_writer_set_json(strcmp(roles->reboot.log_format, "json") == 0);
                return reboot_part_make(&roles->reboot, run->call->arena, part, run->err);
        case RUN_ROLE_COUNT:
                break;
        }
        return 0;
}

/* The Lease of a role has the name its own command uses, so that both exclude each other. */
static void set_lease(const struct daemon_options *shared, struct daemon_lease_options *lease) {
        lease->ns = shared->lease_namespace;
        lease->duration_ns = shared->lease_duration_ns;
        lease->renew_deadline_ns = shared->lease_renew_deadline_ns;
        lease->retry_period_ns = shared->lease_retry_period_ns;
}

static int add_part(struct run_call *run, enum run_role role) {
        struct daemon_part *part = &run->parts[run->part_count++];

        if (read_role(run, role) < 0 || make_part(run, role, part) < 0)
                return err_wrap(run->err, "role %s", run_parts[role].name);
        set_lease(&run->daemon, &part->role.lease);
        daemon_part_join(&run->daemon, part, run->part_count == 1);
        return 0;
}

static int run_roles(struct run_call *run) {
        if (run_choose(run->options, run->is_chosen, run->err) < 0 || check_words(run) < 0)
                return run->err->code;
        for (size_t role = 0; role < RUN_ROLE_COUNT; role++)
                if (run->is_chosen[role] && add_part(run, (enum run_role)role) < 0)
                        return run->err->code;
        return daemon_parts_run(&run->daemon, run->parts, run->part_count, run->err);
}

static int cmd_run_run(const struct command_call *call) {
        const struct run_options *options = call->options;
        struct err err = { 0 };
        struct run_call *run = xcalloc(1, sizeof(*run));

        *run = (struct run_call){
                .options = options, .call = call, .daemon = options->daemon, .err = &err
        };
        run->daemon.user_agent = "berth-run";
        run->daemon.health_name = "Run";
        run->daemon.guard.is_on = run->daemon.guard.uses_own = true;
        run->daemon.has_lease_each = options->leases == LEASES_PER_ROLE;
        int code = run_roles(run);
        for (size_t i = 0; i < run->part_count; i++)
                daemon_part_release(&run->parts[i]);
        free(run);
        return code < 0 ? command_failed("run", &err) : EXIT_DONE;
}

static const char *const lease_choices[] = { "per-role", "one", NULL };

static const struct option run_options_table[] = {
        { .name = "roles",
          .type = OPTION_TEXT,
          .offset = offsetof(struct run_options, roles),
          .value_name = "NAME,...",
          .help = "roles to run: scheduler, descheduler, evictions, reboot" },
        { .name = "leases",
          .type = OPTION_CHOICE,
          .offset = offsetof(struct run_options, leases),
          .value_name = "HOW",
          .fallback = "per-role",
          .choices = lease_choices,
          .help = "one Lease for each role, under its usual name, so that replicas may share the "
                  "roles; or one for all" },
        { .group = slot_option_table, .offset = offsetof(struct run_options, daemon.slots) },
        { .group = cluster_option_table, .offset = offsetof(struct run_options, daemon) },
        { .group = election_option_table,
          .offset = offsetof(struct run_options, daemon),
          .defaults =
                  (const struct option_default[]){ { "leader-elect", "true" },
                                                   { "leader-elect-resource-name", "berth-run" },
                                                   { "leader-elect-lease-duration", "15s" },
                                                   { "leader-elect-renew-deadline", "10s" },
                                                   { "leader-elect-retry-period", "2s" },
                                                   { 0 } } },
        { .group = serving_option_table, .offset = offsetof(struct run_options, daemon) },
        { .group = guard_option_table, .offset = offsetof(struct run_options, daemon.guard) },
        { .group = dashboard_option_table, .offset = offsetof(struct run_options, daemon.page) },
        { .group = verbosity_option_table,
          .offset = offsetof(struct run_options, daemon.verbosity),
          .defaults = (const struct option_default[]){ { "v", "2" }, { 0 } } },
        { 0 },
};

const struct command command_run = {
        .name = "run",
        .summary = "run several roles in one process",
        .synopsis = "",
        .description =
                "Runs scheduler, descheduler, evictions and reboot agent, or some of them, as one "
                "process: one copy of the cluster in memory, one watch for each kind, one port "
                "with the metrics of all.\n\n"
                "Takes the options of the roles, too: see \"berth help scheduler\" and so on. An "
                "option that several roles have is for all of them; with the role's name before "
                "it (--descheduler.feature-gates) it is for that role. The options below are "
                "those of the process.\n\n"
                "The reboot agent needs no Lease, as it has a lock of its own: it works in every "
                "replica, for the node of --node-id.",
        .options = run_options_table,
        .options_size = sizeof(struct run_options),
        .parts = run_parts,
        .check = cmd_run_check,
        .run = cmd_run_run,
};
