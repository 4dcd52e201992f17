/* berth descheduler: evicts pods that a policy says should go. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/descheduler_command.h"

#include "base/time.h"

static int cmd_descheduler_check(const void *options, struct arena *arena, struct err *err) {
        uint32_t gates;

        (void)arena;
        return descheduler_options_check(options, &gates, err);
}

static int cmd_descheduler_run(const struct command_call *call) {
        struct descheduler_options options = *(const struct descheduler_options *)call->options;

        /* Upstream's pages need no authentication. */
        options.daemon.guard.is_on = options.daemon.guard.uses_own = !options.is_parity;
        return descheduler_command_run(&options);
}

const struct option descheduler_options_table[] = {
        { .name = "policy-config-file",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, policy),
          .value_name = "FILE",
          .is_file = true,
          .help = "DeschedulerPolicy v1alpha2, YAML or JSON" },
        { .name = "scheduler-config",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, scheduler_config),
          .value_name = "FILE",
          .is_file = true,
          .help = "KubeSchedulerConfiguration by which pods are scheduled here; without it that of "
                  "the scheduler's pods in kube-system" },
        { .name = "descheduling-interval",
          .type = OPTION_DURATION,
          .offset = offsetof(struct descheduler_options, interval_ns),
          .value_name = "DURATION",
          .fallback = "0",
          .min = 0,
          .max = 365 * 24 * 3600 * NS_PER_S,
          .help = "time between passes; 0 makes one pass and ends" },
        { .name = "deadline",
          .type = OPTION_DURATION,
          .offset = offsetof(struct descheduler_options, deadline_ns),
          .presence = offsetof(struct descheduler_options, gives_deadline),
          .value_name = "DURATION",
          .fallback = "1h",
          .min = 0,
          .max = 365 * 24 * 3600 * NS_PER_S,
          .help = "a single pass ends after this time, and says what stayed; evictions that are "
                  "not over by then are withdrawn; 0 = no limit" },
        { .name = "watch",
          .type = OPTION_FLAG,
          .offset = offsetof(struct descheduler_options, watches),
          .help = "also act between passes, within a second of a change" },
        { .group = request_option_table, .offset = offsetof(struct descheduler_options, daemon) },
        { .name = "feature-gates",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, gates),
          .value_name = "NAME=BOOL,...",
          .help = "EvictionsInBackground=true: follow evictions that another "
                  "program carries out after a 429" },
        { .name = "dry-run",
          .type = OPTION_FLAG,
          .offset = offsetof(struct descheduler_options, is_dry_run),
          .help = "report evictions, evict nothing" },
        { .name = "disable-metrics",
          .type = OPTION_FLAG,
          .offset = offsetof(struct descheduler_options, daemon.has_no_metrics),
          .help = "serve no metrics, only health" },
        { .name = "otel-collector-endpoint",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, trace_endpoint),
          .value_name = "ADDRESS",
          .help = "send traces there by OTLP/HTTP: http://HOST:4318 or "
                  "HOST:PORT" },
        { .name = "otel-transport-ca-cert",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, trace_ca),
          .value_name = "FILE",
          .is_file = true,
          .help = "authority of the certificate of that collector, PEM" },
        { .name = "otel-service-name",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, trace_service),
          .value_name = "NAME",
          .fallback = "descheduler",
          .help = "service.name of traces" },
        { .name = "otel-trace-namespace",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, trace_namespace),
          .value_name = "NAME",
          .help = "service.namespace of traces" },
        { .name = "otel-sample-rate",
          .type = OPTION_F64,
          .offset = offsetof(struct descheduler_options, trace_rate),
          .value_name = "SHARE",
          .fallback = "1",
          .help = "share of passes to trace, 0 to 1" },
        { .group = parity_option_table, .offset = offsetof(struct descheduler_options, is_parity) },
        { .group = slot_option_table,
          .offset = offsetof(struct descheduler_options, daemon.slots) },
        { .group = cluster_option_table, .offset = offsetof(struct descheduler_options, daemon) },
        { .group = election_option_table,
          .offset = offsetof(struct descheduler_options, daemon),
          .defaults =
                  (const struct option_default[]){ { "leader-elect", "false" },
                                                   { "leader-elect-resource-name", "descheduler" },
                                                   { "leader-elect-lease-duration", "2m17s" },
                                                   { "leader-elect-renew-deadline", "1m47s" },
                                                   { "leader-elect-retry-period", "26s" },
                                                   { 0 } } },
        { .group = serving_option_table, .offset = offsetof(struct descheduler_options, daemon) },
        { .group = guard_option_table,
          .offset = offsetof(struct descheduler_options, daemon.guard) },
        { .group = dashboard_option_table,
          .offset = offsetof(struct descheduler_options, daemon.page) },
        { .group = verbosity_option_table,
          .offset = offsetof(struct descheduler_options, daemon.verbosity),
          .defaults = (const struct option_default[]){ { "v", "2" }, { 0 } } },
        { 0 },
};

const struct command command_descheduler = {
        .name = "descheduler",
        .summary = "evict pods by policy, as the Descheduler does",
        .synopsis = "",
        .description = "Stands in for Descheduler v0.36: reads a DeschedulerPolicy, runs "
                       "one pass or one per interval, and evicts through the eviction API. "
                       "Budgets and limits hold; the UID of the pod is a precondition of "
                       "each eviction. \"berth plan\" shows beforehand what a policy evicts; "
                       "\"berth help evictions\" explains EvictionRequests.",
        .options = descheduler_options_table,
        .options_size = sizeof(struct descheduler_options),
        .check = cmd_descheduler_check,
        .run = cmd_descheduler_run,
};
