/* kube-scheduler's command line (1.36): what has a meaning here has it, the rest is taken and does
 * nothing (reference scheduler.md 1.1). */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/feature_gates.h"
#include "cmd/scheduler_command.h"
#include "cmd/stand_in.h"

#include "base/time.h"
#include <stdio.h>

#define AT(member) offsetof(struct kube_scheduler_options, member)

struct kube_scheduler_options {
        int64_t verbosity;
        struct scheduler_options scheduler;
        const char *write_config_to, *kubeconfig;
        bool shows_version;
};

static int stand_in_scheduler_check(const void *options, struct arena *arena, struct err *err) {
        const struct kube_scheduler_options *given = options;
        uint32_t gates;

        (void)arena;
        return feature_gates_read(given->scheduler.gates, scheduler_feature_gates, &gates, err);
}

static int stand_in_scheduler_run(const struct command_call *call) {
        const struct kube_scheduler_options *options = call->options;
        struct scheduler_options scheduler = options->scheduler;

        if (options->shows_version) {
                printf("Kubernetes " KUBERNETES_VERSION " (berth " BERTH_VERSION ")\n");
                return EXIT_DONE;
        }
        /* With a file this deprecated option does not count. */
        if (!scheduler.config)
                scheduler.daemon.kubeconfig = options->kubeconfig;
        scheduler.daemon.guard.is_on = true;
        scheduler.daemon.verbosity = stand_in_verbosity(options->verbosity);
        if (options->write_config_to && *options->write_config_to)
                return scheduler_command_write_config("kube-scheduler", &scheduler,
                                                      options->write_config_to);
        return scheduler_command_run("kube-scheduler", &scheduler);
}

static const struct option kube_scheduler_table[] = {
        { .name = "config",
          .type = OPTION_TEXT,
          .offset = AT(scheduler.config),
          .value_name = "FILE",
          .is_file = true,
          .help = "KubeSchedulerConfiguration" },
        { .name = "master",
          .type = OPTION_TEXT,
          .offset = AT(scheduler.daemon.master),
          .value_name = "URL",
          .help = "address of the API server, in place of that of the "
                  "kubeconfig" },
        { .name = "write-config-to",
          .type = OPTION_TEXT,
          .offset = AT(write_config_to),
          .value_name = "FILE",
          .is_file = true,
          .help = "write the configuration with its defaults to this file, and "
                  "end" },
        /* Serving. */
        { .group = stand_in_serving_option_table,
          .offset = AT(scheduler.daemon),
          .defaults = (const struct option_default[]){ { "secure-port", "10259" }, { 0 } } },
        /* Who may read the pages. */
        { .group = guard_option_table,
          .offset = offsetof(struct kube_scheduler_options, scheduler.daemon.guard) },
        /* Leader election. */
        { .group = election_option_table,
          .offset = offsetof(struct kube_scheduler_options, scheduler.daemon),
          .defaults = (const struct option_default[]){ { "leader-elect", "true" },
                                                       { "leader-elect-resource-name",
                                                         "kube-scheduler" },
                                                       { "leader-elect-lease-duration", "15s" },
                                                       { "leader-elect-renew-deadline", "10s" },
                                                       { "leader-elect-retry-period", "2s" },
                                                       { 0 } } },
        { .group = stand_in_lock_option_table },
        /* Deprecated upstream. */
        { .name = "kubeconfig",
          .heading = "Deprecated",
          .type = OPTION_TEXT,
          .offset = AT(kubeconfig),
          .value_name = "FILE",
          .is_file = true,
          .warning = "deprecated; it does not count when --config is given",
          .help = "kubeconfig of the cluster" },
        { .name = "profiling",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .warning = "deprecated, without effect",
          .help = DEPRECATED_HELP },
        { .name = "contention-profiling",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .warning = "deprecated, without effect",
          .help = DEPRECATED_HELP },
        { .name = "kube-api-content-type",
          .type = OPTION_TEXT,
          .value_name = "TYPE",
          .has_no_effect = true,
          .warning = "deprecated, without effect",
          .help = DEPRECATED_HELP },
        { .name = "kube-api-qps",
          .type = OPTION_F64,
          .offset = AT(scheduler.daemon.writes_per_second),
          .value_name = "N",
          .warning = "deprecated; it does not count when --config is given",
          .help = "writes per second at most" },
        { .name = "kube-api-burst",
          .type = OPTION_I64,
          .offset = AT(scheduler.daemon.writes_burst),
          .value_name = "N",
          .warning = "deprecated; it does not count when --config is given",
          .help = "writes that may be sent at once" },
        { .name = "pod-max-in-unschedulable-pods-duration",
          .type = OPTION_DURATION,
          .offset = AT(scheduler.unschedulable_timeout_ns),
          .value_name = "DURATION",
          .fallback = "5m",
          .warning = "deprecated",
          .help = "try a pod that does not fit again after this time at the "
                  "latest" },
        /* Features and versions. */
        { .name = "feature-gates",
          .heading = "Features and metrics",
          .type = OPTION_TEXT,
          .offset = AT(scheduler.gates),
          .value_name = "NAME=BOOL,...",
          .help = "features to turn on or off" },
        { .name = "emulated-version",
          .type = OPTION_TEXTS,
          .value_name = "VERSION",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "emulation-forward-compatible",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "min-compatibility-version",
          .type = OPTION_TEXTS,
          .value_name = "VERSION",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        /* Metrics and logs. */
        { .name = "show-hidden-metrics-for-version",
          .type = OPTION_TEXT,
          .value_name = "VERSION",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "disabled-metrics",
          .type = OPTION_TEXT,
          .value_name = "LIST",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "allow-metric-labels",
          .type = OPTION_TEXT,
          .value_name = "MAP",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "allow-metric-labels-manifest",
          .type = OPTION_TEXT,
          .value_name = "FILE",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .group = stand_in_log_option_table, .offset = AT(verbosity) },
        { .name = "version",
          .type = OPTION_FLAG,
          .offset = AT(shows_version),
          .help = "print the version and end" },
        { 0 },
};

const struct command stand_in_kube_scheduler = {
        .name = "kube-scheduler",
        .summary = "place pods on nodes, as kube-scheduler does",
        .synopsis = "",
        .description = "berth scheduler with the options of kube-scheduler 1.36.",
        .options = kube_scheduler_table,
        .options_size = sizeof(struct kube_scheduler_options),
        .check = stand_in_scheduler_check,
        .run = stand_in_scheduler_run,
};
