/* The descheduler's daemon, as `berth descheduler` and as descheduler start it. */
#pragma once

#include "cmd/daemon.h"
#include "cmd/option_table.h"

struct descheduler_options {
        struct daemon_options daemon;
        const char *policy, *gates;
        const char *scheduler_config; /* NULL = looked for in the cluster */
        bool runs_scheduler;          /* in this process, by that configuration */
        const char *scheduler_gates;  /* that are on there; NULL = not known */
        int64_t interval_ns;
        int64_t deadline_ns; /* of a single pass; 0 = none */
        bool gives_deadline; /* that stands on the command line */
        bool is_dry_run, is_parity, watches;
        const char *trace_endpoint, *trace_ca, *trace_service, *trace_namespace;
        double trace_rate;
        bool ends_well_without_lead; /* losing the lead is no failure, as upstream has it */
};

/* Of a single pass, unless the command line says otherwise. */
#define DESCHEDULER_DEADLINE_NS (3600 * NS_PER_S)

/* What does not go together, and the feature gates. */
int descheduler_options_check(const struct descheduler_options *options, uint32_t *ret_gates,
                              struct err *err);
/* Runs until the end; returns an exit code. */
int descheduler_command_run(const struct descheduler_options *options);

extern const struct option descheduler_options_table[]; /* of struct descheduler_options */
