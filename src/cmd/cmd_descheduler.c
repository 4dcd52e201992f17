/* berth descheduler: evicts pods that a policy says should go. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon.h"

#include "base/time.h"
#include "run/role_config.h"
#include <sys/random.h>

struct descheduler_options {
        struct daemon_options daemon;
        const char *policy, *lease_name;
        int64_t interval_ns;
        bool elects, is_dry_run, is_parity;
};

struct descheduler_daemon {
        const struct descheduler_options *options;
        struct role_config config;
        struct daemon *daemon;
        struct err failure;
};

static void on_finished(void *context, const struct err *err) {
        struct descheduler_daemon *self = context;

        if (err)
                self->failure = *err;
        daemon_finish(self->daemon);
}

static int add_role(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        struct descheduler_daemon *self = context;

        (void)err;
        self->daemon = daemon;
        role_config_add_descheduler(
                &self->config, runtime,
                &(struct descheduler_role_config){ .interval_ns = self->options->interval_ns,
                                                   .is_dry_run = self->options->is_dry_run,
                                                   .finished = on_finished,
                                                   .context = self });
        return 0;
}

static int check_options(const struct descheduler_options *options, struct err *err) {
        if (!options->policy)
                return err_set(err, BERTH_ERR_USAGE, "expected --policy-config-file FILE");
        if (options->elects && options->interval_ns == 0)
                return err_set(err, BERTH_ERR_USAGE,
                               "option --leader-elect: expected a --descheduling-interval above 0 "
                               "with it");
        return 0;
}

static int run(const struct command_call *call) {
        const struct descheduler_options *options = call->options;
        struct descheduler_daemon self = { .options = options };
        struct daemon_options daemon = options->daemon;
        struct err err = { 0 };
        int code = check_options(options, &err);

        if (code < 0)
                return command_failed("descheduler", &err);
        if (getrandom(&daemon.seed, sizeof(daemon.seed), 0) < 0)
                daemon.seed = 1;
        daemon.user_agent = "berth-descheduler";
        daemon.keeps_finished = daemon.keeps_detail = true;
        daemon.lease_name = options->elects && !options->is_dry_run ? options->lease_name : NULL;
        code = role_config_load(&(struct role_config_sources){ .policy_path = options->policy,
                                                               .is_parity = options->is_parity },
                                &self.config, &err);
        if (code == 0)
                code = daemon_run(&daemon,
                                  &(struct daemon_role){ .context = &self, .add = add_role }, &err);
        if (code == 0 && self.failure.code) {
                err = self.failure;
                code = err.code;
        }
        role_config_release(&self.config);
        return code < 0 ? command_failed("descheduler", &err) : EXIT_DONE;
}

static const struct option descheduler_table[] = {
        { .name = "policy-config-file",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, policy),
          .value_name = "FILE",
          .is_file = true,
          .help = "DeschedulerPolicy v1alpha2, YAML or JSON" },
        { .name = "descheduling-interval",
          .type = OPTION_DURATION,
          .offset = offsetof(struct descheduler_options, interval_ns),
          .value_name = "DURATION",
          .fallback = "0",
          .min = 0,
          .max = 365 * 24 * 3600 * NS_PER_S,
          .help = "between passes; 0 makes one pass and ends" },
        { .name = "dry-run",
          .type = OPTION_FLAG,
          .offset = offsetof(struct descheduler_options, is_dry_run),
          .help = "report evictions without performing them" },
        { .name = "kubeconfig",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, daemon.kubeconfig),
          .value_name = "FILE",
          .is_file = true,
          .help = "the cluster to work on; by default $KUBECONFIG, ~/.kube/config, or the pod's "
                  "service account" },
        { .name = "context",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, daemon.context),
          .value_name = "NAME",
          .help = "context of the kubeconfig" },
        { .name = "leader-elect",
          .type = OPTION_FLAG,
          .offset = offsetof(struct descheduler_options, elects),
          .fallback = "false",
          .help = "work only while holding a Lease" },
        { .name = "leader-elect-resource-name",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, lease_name),
          .value_name = "NAME",
          .fallback = "descheduler",
          .help = "name of the Lease" },
        { .name = "leader-elect-resource-namespace",
          .type = OPTION_TEXT,
          .offset = offsetof(struct descheduler_options, daemon.lease_namespace),
          .value_name = "NAME",
          .fallback = "kube-system",
          .help = "namespace of the Lease" },
        { .name = "leader-elect-lease-duration",
          .type = OPTION_DURATION,
          .offset = offsetof(struct descheduler_options, daemon.lease_duration_ns),
          .value_name = "DURATION",
          .fallback = "2m17s",
          .help = "how long others wait before they take over" },
        { .name = "leader-elect-renew-deadline",
          .type = OPTION_DURATION,
          .offset = offsetof(struct descheduler_options, daemon.lease_renew_deadline_ns),
          .value_name = "DURATION",
          .fallback = "1m47s",
          .help = "give up leading when it could not be renewed for so long" },
        { .name = "leader-elect-retry-period",
          .type = OPTION_DURATION,
          .offset = offsetof(struct descheduler_options, daemon.lease_retry_period_ns),
          .value_name = "DURATION",
          .fallback = "26s",
          .help = "between attempts" },
        { .name = "parity",
          .type = OPTION_FLAG,
          .offset = offsetof(struct descheduler_options, is_parity),
          .help = "keep upstream's defects (docs/parity.md)" },
        { .name = "v",
          .type = OPTION_I64,
          .offset = offsetof(struct descheduler_options, daemon.verbosity),
          .letter = 'v',
          .value_name = "LEVEL",
          .fallback = "2",
          .max = 3,
          .help = "log level: 0 errors, 1 warnings, 2 information, 3 everything" },
        OPTION_END,
};

const struct command command_descheduler = {
        .name = "descheduler",
        .summary = "evict the pods that a policy says should go",
        .synopsis = "",
        .description =
                "Stands in for the Descheduler: reads a DeschedulerPolicy, looks at the cluster "
                "once or at an interval, and evicts through the eviction API, within limits and "
                "budgets, never another pod than the one it judged.",
        .options = descheduler_table,
        .options_size = sizeof(struct descheduler_options),
        .run = run,
};
