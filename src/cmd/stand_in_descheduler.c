/* Descheduler's command line (v0.36): what has a meaning here has it, the rest is taken and does
 * nothing (reference descheduler.md 1.1 to 1.3). */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/descheduler_command.h"
#include "cmd/stand_in.h"

#include "base/time.h"
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct sigs_descheduler_options, member)

struct sigs_descheduler_options {
        int64_t verbosity;
        struct descheduler_options descheduler;
};

static int print_version(void) {
        printf("Descheduler version {Major:0 Minor:36.0 GitVersion:" DESCHEDULER_VERSION
               " (berth " BERTH_VERSION
               ") GitBranch: GitSha1: BuildDate: GoVersion: Compiler:C Platform:linux}\n");
        return EXIT_DONE;
}

static const char *const commands[] = { "version", NULL };

static int stand_in_descheduler_check(const void *options, struct arena *arena, struct err *err) {
        const struct sigs_descheduler_options *given = options;
        uint32_t gates;

        (void)arena;
        return descheduler_options_check(&given->descheduler, &gates, err);
}

static int stand_in_descheduler_run(const struct command_call *call) {
        const struct sigs_descheduler_options *options = call->options;
        struct descheduler_options descheduler = options->descheduler;
        const char *word = call->arguments.count ? call->arguments.items[0] : NULL;

        if (word && strcmp(word, "version") == 0)
                return print_version();
        if (word) {
                command_unknown_word("descheduler", commands, word);
                return EXIT_FAILED;
        }
        descheduler.daemon.verbosity = stand_in_verbosity(options->verbosity);
        descheduler.ends_well_without_lead = true;
        descheduler.daemon.slots = slot_options_default;
        descheduler.deadline_ns = DESCHEDULER_DEADLINE_NS;
        return descheduler_command_run(&descheduler);
}

static const struct option sigs_descheduler_table[] = {
        { .name = "policy-config-file",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.policy),
          .value_name = "FILE",
          .is_file = true,
          .help = "DeschedulerPolicy v1alpha2" },
        { .name = "descheduling-interval",
          .type = OPTION_DURATION,
          .offset = AT(descheduler.interval_ns),
          .value_name = "DURATION",
          .fallback = "0",
          .max = 365 * 24 * 3600 * NS_PER_S,
          .help = "time between passes; 0 makes one pass and ends" },
        { .name = "dry-run",
          .type = OPTION_FLAG,
          .offset = AT(descheduler.is_dry_run),
          .help = "report evictions, evict nothing" },
        { .name = "kubeconfig",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.daemon.kubeconfig),
          .value_name = "FILE",
          .is_file = true,
          .warning = "deprecated, use --client-connection-kubeconfig",
          .help = "kubeconfig of the cluster" },
        { .name = "client-connection-kubeconfig",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.daemon.kubeconfig),
          .value_name = "FILE",
          .is_file = true,
          .help = "kubeconfig of the cluster" },
        { .name = "client-connection-qps",
          .type = OPTION_F64,
          .offset = AT(descheduler.daemon.writes_per_second),
          .value_name = "N",
          .help = "writes per second at most" },
        { .name = "client-connection-burst",
          .type = OPTION_I64,
          .offset = AT(descheduler.daemon.writes_burst),
          .value_name = "N",
          .help = "writes that may be sent at once" },
        { .name = "disable-metrics",
          .type = OPTION_FLAG,
          .offset = AT(descheduler.daemon.has_no_metrics),
          .help = "serve no metrics, only health" },
        { .group = election_option_table,
          .offset = offsetof(struct sigs_descheduler_options, descheduler.daemon),
          .defaults =
                  (const struct option_default[]){ { "leader-elect", "false" },
                                                   { "leader-elect-resource-name", "descheduler" },
                                                   { "leader-elect-lease-duration", "2m17s" },
                                                   { "leader-elect-renew-deadline", "1m47s" },
                                                   { "leader-elect-retry-period", "26s" },
                                                   { 0 } } },
        { .group = stand_in_lock_option_table },
        { .name = "otel-collector-endpoint",
          .heading = "Traces",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.trace_endpoint),
          .value_name = "ADDRESS",
          .help = "send traces there by OTLP/HTTP: http://HOST:4318 or "
                  "HOST:PORT" },
        { .name = "otel-transport-ca-cert",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.trace_ca),
          .value_name = "FILE",
          .is_file = true,
          .help = "authority of the certificate of that collector, PEM" },
        { .name = "otel-service-name",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.trace_service),
          .value_name = "NAME",
          .fallback = "descheduler",
          .help = "service.name of traces" },
        { .name = "otel-trace-namespace",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.trace_namespace),
          .value_name = "NAME",
          .help = "service.namespace of traces" },
        { .name = "otel-sample-rate",
          .type = OPTION_F64,
          .offset = AT(descheduler.trace_rate),
          .value_name = "SHARE",
          .fallback = "1",
          .help = "share of passes to trace, 0 to 1" },
        { .name = "otel-fallback-no-op-on-error",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "enable-http2",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "feature-gates",
          .heading = "Features",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.gates),
          .value_name = "NAME=BOOL,...",
          .help = "features to turn on or off" },
        { .group = stand_in_serving_option_table,
          .offset = AT(descheduler.daemon),
          .defaults = (const struct option_default[]){ { "secure-port", "10258" }, { 0 } } },
        { .group = stand_in_log_option_table, .offset = AT(verbosity) },
        { 0 },
};

const struct command stand_in_descheduler = {
        .name = "descheduler",
        .summary = "evict pods by policy, as the Descheduler does",
        .synopsis = "[version]",
        .description = "berth descheduler with the options of Descheduler v0.36.",
        .options = sigs_descheduler_table,
        .options_size = sizeof(struct sigs_descheduler_options),
        .arguments_max = 1,
        .argument_choices = commands,
        .check = stand_in_descheduler_check,
        .run = stand_in_descheduler_run,
};
