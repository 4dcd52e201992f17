/* kube-scheduler's command line (1.36): what has a meaning here has it, the rest is taken and does
 * nothing (reference scheduler.md 1.1). */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/scheduler_command.h"
#include "cmd/stand_in.h"

#include "base/time.h"
#include <stdio.h>

#define STANDS_FOR "v1.36.0"
#define AT(member) offsetof(struct kube_scheduler_options, member)

struct kube_scheduler_options {
        struct stand_in_values values;
        struct scheduler_options scheduler;
        const char *write_config_to, *kubeconfig;
        bool shows_version;
};

static int stand_in_scheduler_run(const struct command_call *call) {
        const struct kube_scheduler_options *options = call->options;
        struct scheduler_options scheduler = options->scheduler;

        if (options->shows_version) {
                printf("Kubernetes " STANDS_FOR " (berth " BERTH_VERSION ")\n");
                return EXIT_DONE;
        }
        /* With a file this deprecated option does not count. */
        if (!scheduler.config)
                scheduler.daemon.kubeconfig = options->kubeconfig;
        scheduler.daemon.guard.is_on = true;
        scheduler.daemon.verbosity = stand_in_verbosity(options->values.verbosity);
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
        STAND_IN_SERVING_OPTIONS(struct kube_scheduler_options, scheduler.daemon, "10259"),
        /* Who may read the pages. */
        GUARD_OPTIONS(struct kube_scheduler_options, scheduler.daemon.guard),
        /* Leader election. */
        ELECTION_OPTIONS(struct kube_scheduler_options, scheduler.daemon, "true", "kube-scheduler",
                         "15s", "10s", "2s"),
        STAND_IN_LOCK_OPTION,
        /* Deprecated upstream. */
        { .name = "kubeconfig",
          .heading = "Deprecated",
          .type = OPTION_TEXT,
          .offset = AT(kubeconfig),
          .value_name = "FILE",
          .is_file = true,
          .warning = "deprecated; it does not count when --config is given",
          .help = "kubeconfig of the cluster" },
        DEPRECATED("profiling", OPTION_FLAG, NULL),
        DEPRECATED("contention-profiling", OPTION_FLAG, NULL),
        DEPRECATED("kube-api-content-type", OPTION_TEXT, "TYPE"),
        DEPRECATED("kube-api-qps", OPTION_F64, "N"),
        DEPRECATED("kube-api-burst", OPTION_I64, "N"),
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
        NO_EFFECT("emulated-version", OPTION_TEXTS, "VERSION"),
        NO_EFFECT("emulation-forward-compatible", OPTION_FLAG, NULL),
        NO_EFFECT("min-compatibility-version", OPTION_TEXTS, "VERSION"),
        /* Metrics and logs. */
        NO_EFFECT("show-hidden-metrics-for-version", OPTION_TEXT, "VERSION"),
        NO_EFFECT("disabled-metrics", OPTION_TEXT, "LIST"),
        NO_EFFECT("allow-metric-labels", OPTION_TEXT, "MAP"),
        NO_EFFECT("allow-metric-labels-manifest", OPTION_TEXT, "FILE"),
        STAND_IN_LOG_OPTIONS,
        { .name = "version",
          .type = OPTION_FLAG,
          .offset = AT(shows_version),
          .help = "print the version and end" },
        OPTION_END,
};

const struct command stand_in_kube_scheduler = {
        .name = "kube-scheduler",
        .summary = "place pods on nodes, as kube-scheduler does",
        .synopsis = "",
        .description = "berth scheduler with the options of kube-scheduler 1.36.",
        .options = kube_scheduler_table,
        .options_size = sizeof(struct kube_scheduler_options),
        .run = stand_in_scheduler_run,
};
