/* berth simulate: seeded runs in virtual time, with faults. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/log_writer.h"

#include "base/time.h"
#include "run/file_text.h"
#include "sim/sim_world.h"
#include <stdio.h>

struct simulate_options {
        int64_t seed, runs, faults, pods, verbosity;
        const char *objects;
};

static void add(struct sim_report *sum, const struct sim_report *report) {
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
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                sum->faults[i] += report->faults[i];
}

static void print_sum(const struct sim_report *sum, int64_t runs, int64_t violations) {
        printf("runs         %lld, %lld violations, %lld h of virtual time\n", (long long)runs,
               (long long)violations, (long long)(sum->virtual_ns / NS_PER_S / 3600));
        printf("processes    %llu started\n", (unsigned long long)sum->starts);
        printf("calls        %llu\n", (unsigned long long)sum->calls);
        printf("requests     %zu at the end\n", sum->requests);
        printf("evictions    %zu evicted, %zu cancelled, %zu failed, %zu turns interrupted, %llu "
               "changes checked\n",
               sum->evicted, sum->canceled, sum->failed, sum->interrupted,
               (unsigned long long)sum->changes);
        printf("hooks        %llu stages run\n", (unsigned long long)sum->hook_runs);
        for (size_t i = 0; i < SIM_FAULT_COUNT; i++)
                printf("fault        %-13s %llu\n", sim_fault_name((enum sim_fault)i),
                       (unsigned long long)sum->faults[i]);
}

static int run(const struct command_call *call) {
        const struct simulate_options *options = call->options;
        struct sim_report sum = { 0 }, report;
        struct buf objects = { 0 };
        struct err err = { 0 };
        int64_t violations = 0;

        log_writer_set_level((int)options->verbosity);
        if (options->objects && file_text_read(options->objects, &objects, &err) < 0)
                return command_failed("simulate", &err);
        if (options->objects)
                buf_char(&objects, '\0');
        for (int64_t i = 0; i < options->runs; i++) {
                struct sim_world_config config = {
                        .seed = (uint64_t)(options->seed + i),
                        .fault_percent = (unsigned)options->faults,
                        .pod_count = (unsigned)options->pods,
                        .objects = options->objects ? buf_view(&objects).ptr : NULL,
                };

                if (sim_world_run(&config, &report, &err) < 0) {
                        printf("violation    %s\n", err.text);
                        violations++;
                }
                add(&sum, &report);
        }
        print_sum(&sum, options->runs, violations);
        buf_release(&objects);
        return violations ? EXIT_FAILED : EXIT_DONE;
}

static const struct option simulate_table[] = {
        { .name = "seed",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, seed),
          .value_name = "SEED",
          .fallback = "1",
          .max = INT64_MAX,
          .help = "of the first run; the others follow" },
        { .name = "runs",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, runs),
          .value_name = "COUNT",
          .fallback = "1",
          .min = 1,
          .max = 1000000,
          .help = "how many seeds" },
        { .name = "faults",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, faults),
          .value_name = "PERCENT",
          .fallback = "100",
          .max = 1000,
          .help = "how often things fail; 0 = never" },
        { .name = "pods",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, pods),
          .value_name = "COUNT",
          .fallback = "0",
          .max = 1000,
          .help = "pods that somebody wants evicted; 0 = a few" },
        { .name = "objects",
          .type = OPTION_TEXT,
          .offset = offsetof(struct simulate_options, objects),
          .value_name = "FILE",
          .is_file = true,
          .help = "pods and disruption budgets to begin with, one JSON object per line" },
        { .name = "v",
          .type = OPTION_I64,
          .offset = offsetof(struct simulate_options, verbosity),
          .letter = 'v',
          .value_name = "LEVEL",
          .fallback = "0",
          .max = 3,
          .help = "log level: 0 errors, 1 warnings, 2 information, 3 everything" },
        OPTION_END,
};

const struct command command_simulate = {
        .name = "simulate",
        .summary = "try evictions in virtual time, with faults",
        .synopsis = "",
        .description =
                "Runs the eviction controller against a cluster in the same process, under virtual "
                "time, while calls are lost, watches break, processes die and clocks are set. "
                "Checks every change, and the end. A run that fails prints its seed; the same "
                "seed replays it.",
        .options = simulate_table,
        .options_size = sizeof(struct simulate_options),
        .run = run,
};
