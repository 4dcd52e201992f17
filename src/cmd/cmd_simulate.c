/* berth simulate: seeded runs in virtual time, with faults; and what the early taint changes. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/log_writer.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/report_file.h"
#include "cmd/simulate_page.h"

#include "base/time.h"
#include "base/util.h"
#include "loop/file_text.h"
#include "sim/reboot_study.h"
#include "sim/sim_fleet.h"
#include "sim/sim_world.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

struct simulate_options {
        int64_t seed, runs, faults, pods, verbosity;
        bool has_faults;
        const char *objects;
        /* of reboot */
        int64_t seeds, nodes, concurrency, period_ns, lifetime_ns, window_ns, stagger_ns;
        double rho, fraction, utilisation, tolerating;
        int vary, spread, law, output;
        const char *report;
};

static const struct slice doing = SLICE_INIT("berth simulate");

static void say_violation(const char *text, struct progress *progress,
                          struct simulate_outcome *outcome) {
        progress_hide(progress);
        printf("violation    %s\n", text);
        simulate_outcome_violated(outcome, text);
}

/* The facts that all reports of this command have. */
static void begin_facts(struct report_facts *facts, struct arena *arena, const char *command) {
        struct timespec now;

        clock_gettime(CLOCK_REALTIME, &now);
        report_facts_init(facts, arena, (struct wall_time){ now.tv_sec * NS_PER_S + now.tv_nsec });
        report_facts_add(facts, "Cluster", SLICE_LITERAL("simulated"));
        report_facts_add(facts, "Command", slice_of(command));
}

static int write_runs(const struct simulate_options *options, const char *what,
                      const struct simulate_outcome *outcome, struct err *err) {
        CLEANUP(arena_release) struct arena arena;
        CLEANUP(buf_release) struct buf page = { 0 };
        struct report_facts facts;

        arena_init(&arena, 0);
        if (!options->report)
                return 0;
        begin_facts(&facts, &arena,
                    arena_printf(&arena, "berth simulate %s --seed %lld --runs %lld --faults %lld",
                                 what, (long long)options->seed, (long long)options->runs,
                                 (long long)options->faults));
        simulate_page_write(outcome, &facts, &page);
        return report_file_write(options->report, &page, err);
}

/* Writes the report, and says how the command ends. */
static int end_runs(const struct simulate_options *options, const char *what,
                    struct simulate_outcome *outcome) {
        struct err err = { 0 };
        int code = write_runs(options, what, outcome, &err);

        buf_release(&outcome->texts);
        if (code < 0)
                return command_failed("simulate", &err);
        return outcome->violations ? EXIT_FAILED : EXIT_DONE;
}

/* ---- evictions ---- */

static void cmd_simulate_add(struct sim_report *sum, const struct sim_report *report) {
        sum->calls += report->calls;
        sum->changes += report->changes;
        sum->starts += report->starts;
        sum->requests += report->requests;
        sum->evicted += report->evicted;
        sum->canceled += report->canceled;
        sum->failed += report->failed;
        sum->interrupted += report->interrupted;
        sum->hook_runs += report->hook_runs;
        sum->virtual_ns += report->virtual_ns;
        sim_reservation_counts_add(&sum->reservations, &report->reservations);
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                sum->faults[i] += report->faults[i];
}

static void print_runs(int64_t runs, int64_t violations, int64_t virtual_ns) {
        printf("runs         %lld, %lld violations, %lld h of virtual time\n", (long long)runs,
               (long long)violations, (long long)(virtual_ns / NS_PER_S / 3600));
}

static void print_fault(const char *name, uint64_t count) {
        printf("fault        %-13s %llu\n", name, (unsigned long long)count);
}

static void print_reservations(const struct sim_reservation_counts *reservations) {
        printf("schedulers   %llu started\n", (unsigned long long)reservations->starts);
        printf("reservations %llu made, %llu released, of these %llu taken and %llu expired, "
               "%llu lost with a scheduler; no capacity %llu times\n",
               (unsigned long long)reservations->held, (unsigned long long)reservations->released,
               (unsigned long long)reservations->taken, (unsigned long long)reservations->expired,
               (unsigned long long)(reservations->held - reservations->released),
               (unsigned long long)reservations->refused);
        printf("             %llu requests waited for capacity, %llu continued without\n",
               (unsigned long long)reservations->waited, (unsigned long long)reservations->without);
}

static void print_sum(const struct sim_report *sum, int64_t runs, int64_t violations) {
        print_runs(runs, violations, sum->virtual_ns);
        printf("processes    %llu started\n", (unsigned long long)sum->starts);
        printf("calls        %llu\n", (unsigned long long)sum->calls);
        printf("requests     %zu at the end\n", sum->requests);
        printf("evictions    %zu evicted, %zu cancelled, %zu failed, %zu responders interrupted, "
               "%llu "
               "changes checked\n",
               sum->evicted, sum->canceled, sum->failed, sum->interrupted,
               (unsigned long long)sum->changes);
        if (sum->reservations.starts)
                print_reservations(&sum->reservations);
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                print_fault(sim_fault_name((enum sim_fault)i), sum->faults[i]);
}

static int end_evictions(const struct simulate_options *options, const struct sim_report *sum,
                         struct simulate_outcome *outcome) {
        const struct simulate_row counts[] = {
                { "Processes started", sum->starts },
                { "API calls", sum->calls },
                { "Changes checked", sum->changes },
                { "Requests at the end", sum->requests },
                { "Evicted", sum->evicted },
                { "Cancelled", sum->canceled },
                { "Failed", sum->failed },
                { "Responders interrupted", sum->interrupted },
                { "Schedulers started", sum->reservations.starts },
                { "Reservations made", sum->reservations.held },
                { "Reservations released", sum->reservations.released },
        };
        struct simulate_row faults[SIM_FAULT_COUNT];

        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                faults[i] =
                        (struct simulate_row){ sim_fault_name((enum sim_fault)i), sum->faults[i] };
        print_sum(sum, outcome->runs, outcome->violations);
        outcome->virtual_ns = sum->virtual_ns;
        outcome->counts = counts;
        outcome->count_count = ARRAY_LEN(counts);
        outcome->faults = faults;
        outcome->fault_count = SIM_FAULT_COUNT;
        return end_runs(options, "evictions", outcome);
}

static int run_evictions(const struct simulate_options *options) {
        struct sim_report sum = { 0 }, report;
        struct buf objects = { 0 };
        struct err err = { 0 };
        struct simulate_outcome outcome = { .runs = options->runs };
        struct progress progress;

        if (options->objects && file_text_read(options->objects, &objects, &err) < 0)
                return command_failed("simulate", &err);
        if (options->objects)
                buf_char(&objects, '\0');
        progress_begin(&progress, doing, "run");
        for (int64_t i = 0; i < options->runs; i++) {
                struct sim_world_config config = {
                        .seed = (uint64_t)(options->seed + i),
                        .fault_percent = (unsigned)options->faults,
                        .pod_count = (unsigned)options->pods,
                        .objects = options->objects ? buf_view(&objects).ptr : NULL,
                };

                if (sim_world_run(&config, &report, &err) < 0)
                        say_violation(err.text, &progress, &outcome);
                cmd_simulate_add(&sum, &report);
                progress_set(&progress, (uint64_t)i + 1, (uint64_t)options->runs);
        }
        progress_end(&progress);
        buf_release(&objects);
        return end_evictions(options, &sum, &outcome);
}

/* ---- reboots under faults ---- */

static void print_fleets(const struct sim_fleet_report *sum) {
        printf("nodes        %llu, %llu of them under kured\n", (unsigned long long)sum->nodes,
               (unsigned long long)sum->kured_nodes);
        printf("processes    %llu started\n", (unsigned long long)sum->starts);
        printf("calls        %llu, %llu changes checked\n", (unsigned long long)sum->calls,
               (unsigned long long)sum->changes);
        printf("reboots      %llu cordons, %llu orders, %llu boots, %llu given back\n",
               (unsigned long long)sum->cordons, (unsigned long long)sum->orders,
               (unsigned long long)sum->boots, (unsigned long long)sum->rollbacks);
        printf("locks        %llu lost by cordoned nodes, %llu taken from nodes that are gone\n",
               (unsigned long long)sum->lost_locks, (unsigned long long)sum->steals);
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                if (sum->faults[i])
                        print_fault(sim_fault_name((enum sim_fault)i), sum->faults[i]);
        for (size_t i = 0; i < FLEET_TROUBLE_COUNT; i++)
                printf("trouble      %-13s %llu\n", fleet_trouble_name((enum fleet_trouble)i),
                       (unsigned long long)sum->troubles[i]);
}

static int end_fleets(const struct simulate_options *options, const struct sim_fleet_report *sum,
                      struct simulate_outcome *outcome) {
        const struct simulate_row counts[] = {
                { "Nodes", sum->nodes },
                { "Nodes under kured", sum->kured_nodes },
                { "Processes started", sum->starts },
                { "API calls", sum->calls },
                { "Changes checked", sum->changes },
                { "Cordons", sum->cordons },
                { "Orders to reboot", sum->orders },
                { "Boots", sum->boots },
                { "Nodes given back", sum->rollbacks },
                { "Locks lost by cordoned nodes", sum->lost_locks },
                { "Locks taken from nodes that are gone", sum->steals },
        };
        struct simulate_row faults[SIM_FAULT_COUNT], troubles[FLEET_TROUBLE_COUNT];

        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                faults[i] =
                        (struct simulate_row){ sim_fault_name((enum sim_fault)i), sum->faults[i] };
        for (size_t i = 0; i < FLEET_TROUBLE_COUNT; i++)
                troubles[i] = (struct simulate_row){ fleet_trouble_name((enum fleet_trouble)i),
                                                     sum->troubles[i] };
        print_runs(outcome->runs, outcome->violations, sum->virtual_ns);
        print_fleets(sum);
        outcome->virtual_ns = sum->virtual_ns;
        outcome->counts = counts;
        outcome->count_count = ARRAY_LEN(counts);
        outcome->faults = faults;
        outcome->fault_count = ARRAY_LEN(faults);
        outcome->troubles = troubles;
        outcome->trouble_count = ARRAY_LEN(troubles);
        return end_runs(options, "reboot", outcome);
}

static int run_fleets(const struct simulate_options *options) {
        struct sim_fleet_report sum = { 0 }, report;
        struct simulate_outcome outcome = { .runs = options->runs };
        struct progress progress;

        progress_begin(&progress, doing, "run");
        for (int64_t i = 0; i < options->runs; i++) {
                struct sim_fleet_config config = { .seed = (uint64_t)(options->seed + i),
                                                   .fault_percent = (unsigned)options->faults };
                struct err err = { 0 };

                if (sim_fleet_run(&config, &report, &err) < 0)
                        say_violation(err.text, &progress, &outcome);
                sim_fleet_report_add(&sum, &report);
                progress_set(&progress, (uint64_t)i + 1, (uint64_t)options->runs);
        }
        progress_end(&progress);
        return end_fleets(options, &sum, &outcome);
}

/* ---- what the early taint changes ---- */

static const char *const varied[] = { "all",         "none",   "rho",         "fraction",
                                      "utilisation", "period", "concurrency", "tolerating",
                                      "spread",      "window", "stagger",     "nodes",
                                      "lifetime",    "law",    NULL };

static int write_report(const struct reboot_study *study, const char *path, struct err *err) {
        CLEANUP(arena_release) struct arena arena;
        CLEANUP(buf_release) struct buf page = { 0 };
        struct report_facts facts;
        struct timespec now;

        arena_init(&arena, 0);
        clock_gettime(CLOCK_REALTIME, &now);
        report_facts_init(&facts, &arena,
                          (struct wall_time){ now.tv_sec * NS_PER_S + now.tv_nsec });
        report_facts_add(&facts, "Cluster", SLICE_LITERAL("simulated"));
        report_facts_add(&facts, "Command",
                         slice_of(arena_printf(
                                 &arena, "berth simulate reboot --seeds %u --seed %llu --vary %s",
                                 study->config.seeds, (unsigned long long)study->config.first_seed,
                                 study->config.vary)));
        reboot_study_write_page(
                study, &(struct report_head){ .facts = facts.items, .fact_count = facts.count },
                &page);
        return report_file_write(path, &page, err);
}

static bool print_study(const struct reboot_study *study, enum output_format format) {
        CLEANUP(buf_release) struct buf out = { 0 };
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();

        if (format == OUTPUT_TEXT)
                reboot_study_write_text(study, &out);
        else
                output_value(reboot_study_json(study, tree), format, &out);
        return output_print(&out);
}

static struct trial_setting setting_of(const struct simulate_options *options) {
        struct trial_setting setting = trial_setting_default;

        setting.nodes = (uint32_t)options->nodes;
        setting.concurrency = (uint32_t)options->concurrency;
        setting.rho = options->rho;
        setting.fraction = options->fraction;
        setting.utilisation = options->utilisation;
        setting.tolerating = options->tolerating;
        setting.period_ns = options->period_ns;
        setting.lifetime_ns = options->lifetime_ns;
        setting.window_ns = options->window_ns;
        setting.stagger_ns = options->stagger_ns;
        setting.spread = (enum trial_spread)options->spread;
        setting.law = (enum trial_law)options->law;
        return setting;
}

static int check_setting(const struct trial_setting *setting, struct err *err) {
        if (setting->rho <= 0 || setting->rho > 20)
                return err_set(err, BERTH_ERR_USAGE, "--rho: expected more than 0, at most 20");
        if (setting->fraction <= 0 || setting->fraction > 1)
                return err_set(err, BERTH_ERR_USAGE, "--fraction: expected more than 0, at most 1");
        if (setting->utilisation < 0 || setting->utilisation > 1)
                return err_set(err, BERTH_ERR_USAGE, "--utilisation: expected 0 to 1");
        if (setting->tolerating < 0 || setting->tolerating > 1)
                return err_set(err, BERTH_ERR_USAGE, "--tolerating: expected 0 to 1");
        return 0;
}

static int run_study(const struct simulate_options *options) {
        struct reboot_study_config config = { .base = setting_of(options),
                                              .seeds = (uint32_t)options->seeds,
                                              .first_seed = (uint64_t)options->seed,
                                              .vary = varied[options->vary] };
        struct reboot_study *study = NULL;
        struct progress progress;
        struct err err = { 0 };
        int code = check_setting(&config.base, &err);

        progress_begin(&progress, doing, "rollout");
        config.progress = progress_step;
        config.context = &progress;
        if (code == 0)
                code = reboot_study_run(&config, &study, &err);
        progress_end(&progress);
        if (code == 0 && options->report)
                code = write_report(study, options->report, &err);
        bool is_printed = code == 0 && print_study(study, (enum output_format)options->output);
        reboot_study_free(study);
        if (code < 0)
                return command_failed("simulate", &err);
        return is_printed ? EXIT_DONE : EXIT_FAILED;
}

static const char *const subjects[] = { "evictions", "reboot", NULL };

static int cmd_simulate_run(const struct command_call *call) {
        const struct simulate_options *options = call->options;
        const char *what = call->arguments.count ? call->arguments.items[0] : "evictions";

        log_writer_set_level((int)options->verbosity);
        if (strcmp(what, "evictions") == 0)
                return run_evictions(options);
        if (strcmp(what, "reboot") == 0)
                return options->has_faults ? run_fleets(options) : run_study(options);
        return command_unknown_word("berth simulate", subjects, what);
}

/* ---- options ---- */

static const char *const spreads[] = { "none", "soft", "hard", NULL };
static const char *const laws[] = { "exponential", "lognormal", NULL };

static const struct option simulate_table[] = {
        { .name = "seed",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, seed),
          .value_name = "SEED",
          .fallback = "1",
          .max = INT64_MAX,
          .help = "seed of the first run; the next runs take the next seeds" },
        { .name = "runs",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, runs),
          .value_name = "COUNT",
          .fallback = "1",
          .min = 1,
          .max = 1000000,
          .help = "number of runs with faults" },
        { .name = "faults",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, faults),
          .presence = offsetof(struct simulate_options, has_faults),
          .value_name = "PERCENT",
          .fallback = "100",
          .max = 1000,
          .help = "how often calls and processes fail; 0 = never; reboot: test "
                  "fleets in place of comparing taints" },
        { .name = "pods",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, pods),
          .value_name = "COUNT",
          .fallback = "0",
          .max = 1000,
          .help = "evictions: pods to evict; 0 = a few" },
        { .name = "objects",
          .type = OPTION_TEXT,
          .offset = offsetof(struct simulate_options, objects),
          .value_name = "FILE",
          .is_file = true,
          .help = "evictions: pods to evict and their budgets, as kubectl get "
                  "-o writes them" },
        { .name = "seeds",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, seeds),
          .value_name = "COUNT",
          .fallback = "30",
          .min = 2,
          .max = STUDY_SEEDS_MAX,
          .help = "reboot: rollouts of each variant at each setting" },
        { .name = "vary",
          .type = OPTION_CHOICE,
          .offset = offsetof(struct simulate_options, vary),
          .value_name = "FACTOR",
          .fallback = "all",
          .choices = varied,
          .help = "reboot: which setting to vary, one at a time" },
        { .name = "nodes",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, nodes),
          .value_name = "COUNT",
          .fallback = "20",
          .min = 2,
          .max = 5000,
          .help = "reboot: nodes of the cluster" },
        { .name = "concurrency",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, concurrency),
          .value_name = "COUNT",
          .fallback = "1",
          .min = 1,
          .max = 1000,
          .help = "reboot: nodes that may reboot at the same time" },
        { .name = "rho",
          .type = OPTION_F64,
          .offset = offsetof(struct simulate_options, rho),
          .value_name = "JOBS",
          .fallback = "1",
          .help = "reboot: jobs that block reboots, per node, on average" },
        { .name = "fraction",
          .type = OPTION_F64,
          .offset = offsetof(struct simulate_options, fraction),
          .value_name = "SHARE",
          .fallback = "0.5",
          .help = "reboot: share of the nodes that require a reboot" },
        { .name = "utilisation",
          .type = OPTION_F64,
          .offset = offsetof(struct simulate_options, utilisation),
          .value_name = "SHARE",
          .fallback = "0.6",
          .help = "reboot: share of the CPU that is requested" },
        { .name = "tolerating",
          .type = OPTION_F64,
          .offset = offsetof(struct simulate_options, tolerating),
          .value_name = "SHARE",
          .fallback = "0",
          .help = "reboot: share of the jobs that tolerate the taint" },
        { .name = "period",
          .type = OPTION_DURATION,
          .offset = offsetof(struct simulate_options, period_ns),
          .value_name = "DURATION",
          .fallback = "5m",
          .min = NS_PER_S,
          .max = 24 * 3600 * NS_PER_S,
          .help = "reboot: time between passes of an agent" },
        { .name = "lifetime",
          .type = OPTION_DURATION,
          .offset = offsetof(struct simulate_options, lifetime_ns),
          .value_name = "DURATION",
          .fallback = "20m",
          .min = NS_PER_S,
          .max = 24 * 3600 * NS_PER_S,
          .help = "reboot: how long a job runs, on average" },
        { .name = "window",
          .type = OPTION_DURATION,
          .offset = offsetof(struct simulate_options, window_ns),
          .value_name = "DURATION",
          .fallback = "0s",
          .max = 16 * 3600 * NS_PER_S,
          .help = "reboot: how long reboots are allowed each day; 0s = always" },
        { .name = "stagger",
          .type = OPTION_DURATION,
          .offset = offsetof(struct simulate_options, stagger_ns),
          .value_name = "DURATION",
          .fallback = "0s",
          .max = 24 * 3600 * NS_PER_S,
          .help = "reboot: time within which the sentinels appear" },
        { .name = "spread",
          .type = OPTION_CHOICE,
          .offset = offsetof(struct simulate_options, spread),
          .value_name = "STRENGTH",
          .fallback = "none",
          .choices = spreads,
          .help = "reboot: how replicas and jobs are spread over nodes" },
        { .name = "law",
          .type = OPTION_CHOICE,
          .offset = offsetof(struct simulate_options, law),
          .value_name = "LAW",
          .fallback = "exponential",
          .choices = laws,
          .help = "reboot: distribution of lifetimes" },
        { .name = "report",
          .type = OPTION_TEXT,
          .offset = offsetof(struct simulate_options, report),
          .value_name = "FILE",
          .is_file = true,
          .help = "also write the report to this file, as a page without "
                  "scripts or links" },
        { .group = output_option_table, .offset = offsetof(struct simulate_options, output) },
        { .group = verbosity_option_table,
          .offset = offsetof(struct simulate_options, verbosity),
          .defaults = (const struct option_default[]){ { "v", "0" }, { 0 } } },
        { 0 },
};

const struct command command_simulate = {
        .name = "simulate",
        .summary = "test evictions and reboots in virtual time, with faults",
        .synopsis = "[evictions | reboot]",
        .description =
                "evictions (the default) runs the eviction controller on a cluster in this "
                "process, "
                "in virtual time, while calls are lost, watches break, processes die and clocks "
                "jump. Checks the rules of evictions at every change and at the end.\n\n"
                "reboot --faults does the same to fleets of reboot agents, some of them kured. A "
                "run that fails prints its seed; the same seed repeats it.\n\n"
                "reboot without --faults compares taints: the same rollouts without a taint, with "
                "kured's, and with berth's early one (docs/early-taint.md).",
        .arguments_max = 1,
        .argument_choices = subjects,
        .options = simulate_table,
        .options_size = sizeof(struct simulate_options),
        .run = cmd_simulate_run,
};
