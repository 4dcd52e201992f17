/* berth up: the embedded cluster, the roles and what is fed into them, in one process. */
#pragma once

#include "base/err.h"
#include "cmd/dashboard_part.h"
#include "cmd/option_table.h"
#include <stdbool.h>
#include <stdint.h>

struct up_options {
        const char *listen, *kubeconfig_out, *data_dir, *controllers, *policy, *config, *report,
                *gates;
        const char *trace;
        struct option_texts inputs;
        int64_t nodes, seed, verbosity, interval_ns, for_ns, timeout_ns;
        int requests; /* enum evict_request_mode */
        int release;  /* of release_option_table */
        bool settles, is_dry_run, is_parity, watches;
        struct dashboard_options page;
};

/* Runs until it has settled, its time is over or a signal comes; prints progress and the report on
 * standard output. */
int up_run(const struct up_options *options, struct err *err);
