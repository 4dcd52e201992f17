/* Descheduler's command line (v0.36): what has a meaning here has it, the rest is taken and does
 * nothing (reference descheduler.md 1.1 to 1.3). */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/descheduler_command.h"
#include "cmd/stand_in.h"

#include "base/time.h"
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct sigs_descheduler_options, member)
#define NO_EFFECT(flag, kind, value)                                                               \
        {                                                                                          \
                .name = flag, .type = kind, .offset = AT(unused.kind##_value),                     \
                .value_name = value, .help = "taken for compatibility, without effect"             \
        }

struct sigs_descheduler_options {
        struct descheduler_options descheduler;
        struct unused_values unused;
        int64_t verbosity;
};

static int print_version(void) {
        printf("Descheduler version {Major:0 Minor:36.0 GitVersion:v0.36.0 (berth " BERTH_VERSION
               ") GitBranch: GitSha1: BuildDate: GoVersion: Compiler:C Platform:linux}\n");
        return EXIT_DONE;
}

static int run(const struct command_call *call) {
        const struct sigs_descheduler_options *options = call->options;
        struct descheduler_options descheduler = options->descheduler;
        const char *word = call->arguments.count ? call->arguments.items[0] : NULL;

        if (word && strcmp(word, "version") == 0)
                return print_version();
        if (word) {
                fprintf(stderr, "descheduler: unknown command \"%s\"\n", word);
                return EXIT_FAILED;
        }
        descheduler.daemon.verbosity = stand_in_verbosity(options->verbosity);
        descheduler.ends_well_without_lead = true;
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
          .help = "between passes; 0 makes one pass and ends" },
        { .name = "dry-run",
          .type = OPTION_FLAG,
          .offset = AT(descheduler.is_dry_run),
          .help = "report evictions without performing them" },
        { .name = "kubeconfig",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.daemon.kubeconfig),
          .value_name = "FILE",
          .is_file = true,
          .warning = "deprecated, use --client-connection-kubeconfig",
          .help = "the cluster to work on" },
        { .name = "client-connection-kubeconfig",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.daemon.kubeconfig),
          .value_name = "FILE",
          .is_file = true,
          .help = "the cluster to work on" },
        NO_EFFECT("client-connection-qps", OPTION_F64, "N"),
        NO_EFFECT("client-connection-burst", OPTION_I64, "N"),
        { .name = "disable-metrics",
          .type = OPTION_FLAG,
          .offset = AT(descheduler.daemon.has_no_metrics),
          .help = "serve no metrics; health stays" },
        { .name = "leader-elect-lease-duration",
          .type = OPTION_DURATION,
          .offset = AT(descheduler.daemon.lease_duration_ns),
          .value_name = "DURATION",
          .fallback = "2m17s",
          .help = "how long others wait before they take over" },
        { .name = "leader-elect-renew-deadline",
          .type = OPTION_DURATION,
          .offset = AT(descheduler.daemon.lease_renew_deadline_ns),
          .value_name = "DURATION",
          .fallback = "1m47s",
          .help = "give up leading when it could not be renewed for so long" },
        { .name = "leader-elect-retry-period",
          .type = OPTION_DURATION,
          .offset = AT(descheduler.daemon.lease_retry_period_ns),
          .value_name = "DURATION",
          .fallback = "26s",
          .help = "between attempts" },
        { .name = "leader-elect",
          .type = OPTION_FLAG,
          .offset = AT(descheduler.daemon.elects),
          .help = "work only while holding a Lease" },
        { .name = "leader-elect-resource-lock",
          .type = OPTION_CHOICE,
          .offset = AT(unused.OPTION_CHOICE_value),
          .value_name = "KIND",
          .choices = stand_in_locks,
          .fallback = "leases",
          .help = "kind of the lock" },
        { .name = "leader-elect-resource-name",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.daemon.lease_name),
          .value_name = "NAME",
          .fallback = "descheduler",
          .help = "name of the Lease" },
        { .name = "leader-elect-resource-namespace",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.daemon.lease_namespace),
          .value_name = "NAME",
          .fallback = "kube-system",
          .help = "namespace of the Lease" },
        { .name = "otel-collector-endpoint",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.trace_endpoint),
          .value_name = "ADDRESS",
          .help = "send traces there through OTLP/HTTP: http://HOST:4318 or HOST:PORT" },
        { .name = "otel-transport-ca-cert",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.trace_ca),
          .value_name = "FILE",
          .is_file = true,
          .help = "authority of that collector, PEM" },
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
          .help = "share of passes that are traced, 0 to 1" },
        NO_EFFECT("otel-fallback-no-op-on-error", OPTION_FLAG, NULL),
        NO_EFFECT("enable-http2", OPTION_FLAG, NULL),
        { .name = "feature-gates",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.gates),
          .value_name = "NAME=BOOL,...",
          .help = "features to turn on or off" },
        { .name = "bind-address",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.daemon.bind_address),
          .value_name = "ADDRESS",
          .fallback = "0.0.0.0",
          .help = "where metrics and health are served" },
        { .name = "secure-port",
          .type = OPTION_I64,
          .offset = AT(descheduler.daemon.secure_port),
          .value_name = "PORT",
          .fallback = "10258",
          .max = 65535,
          .help = "of those pages, over TLS; 0 serves none" },
        { .name = "tls-cert-file",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.daemon.certificate_path),
          .value_name = "FILE",
          .is_file = true,
          .help = "certificate of those pages, PEM" },
        { .name = "tls-private-key-file",
          .type = OPTION_TEXT,
          .offset = AT(descheduler.daemon.key_path),
          .value_name = "FILE",
          .is_file = true,
          .help = "key of that certificate" },
        NO_EFFECT("tls-cipher-suites", OPTION_TEXT, "LIST"),
        NO_EFFECT("tls-curve-preferences", OPTION_TEXT, "LIST"),
        NO_EFFECT("tls-min-version", OPTION_TEXT, "VERSION"),
        NO_EFFECT("tls-sni-cert-key", OPTION_TEXTS, "PAIR"),
        NO_EFFECT("http2-max-streams-per-connection", OPTION_I64, "N"),
        NO_EFFECT("permit-address-sharing", OPTION_FLAG, NULL),
        NO_EFFECT("permit-port-sharing", OPTION_FLAG, NULL),
        NO_EFFECT("cert-dir", OPTION_TEXT, "DIR"),
        NO_EFFECT("disable-http2-serving", OPTION_FLAG, NULL),
        STAND_IN_LOG_OPTIONS(sigs_descheduler_options),
        OPTION_END,
};

const struct command stand_in_descheduler = {
        .name = "descheduler",
        .summary = "evict the pods that a policy says should go",
        .synopsis = "[version]",
        .description = "berth's descheduler under Descheduler's command line.",
        .options = sigs_descheduler_table,
        .options_size = sizeof(struct sigs_descheduler_options),
        .arguments_max = 1,
        .run = run,
};
