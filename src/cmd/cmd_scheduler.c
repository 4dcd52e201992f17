/* berth scheduler: places pods on the nodes of a cluster. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon.h"

#include "base/time.h"
#include "run/role_config.h"
#include "run/scheduler_role.h"
#include <sys/random.h>

struct scheduler_options {
        struct daemon_options daemon;
        const char *config, *lease_name;
        int64_t seed;
        bool elects, is_parity;
};

struct scheduler_daemon {
        const struct scheduler_options *options;
        struct role_config config;
        uint64_t seed;
};

static int add_role(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        struct scheduler_daemon *self = context;

        (void)daemon;
        if (role_config_build(&self->config, runtime_cluster(runtime), err) < 0)
                return err->code;
        scheduler_role_add(runtime, &(struct scheduler_role_config){
                                            .profile_count = self->config.profiles.count,
                                            .profiles = self->config.profiles.items,
                                            .seed = self->seed,
                                            .backoff_initial_ns = self->config.backoff_initial_ns,
                                            .backoff_max_ns = self->config.backoff_max_ns,
                                            .is_parity = self->options->is_parity });
        return 0;
}

static int run(const struct command_call *call) {
        const struct scheduler_options *options = call->options;
        struct scheduler_daemon self = { .options = options, .seed = (uint64_t)options->seed };
        struct daemon_options daemon = options->daemon;
        struct err err = { 0 };
        int code;

        if (self.seed == 0 && getrandom(&self.seed, sizeof(self.seed), 0) < 0)
                self.seed = 1;
        daemon.user_agent = "berth-scheduler";
        daemon.seed = self.seed;
        daemon.lease_name = options->elects ? options->lease_name : NULL;
        code = role_config_load(&(struct role_config_sources){ .config_path = options->config,
                                                               .is_parity = options->is_parity },
                                &self.config, &err);
        if (code == 0)
                code = daemon_run(&daemon,
                                  &(struct daemon_role){ .context = &self, .add = add_role }, &err);
        role_config_release(&self.config);
        return code < 0 ? command_failed("scheduler", &err) : EXIT_DONE;
}

static const struct option scheduler_table[] = {
        { .name = "config",
          .type = OPTION_TEXT,
          .offset = offsetof(struct scheduler_options, config),
          .value_name = "FILE",
          .is_file = true,
          .help = "KubeSchedulerConfiguration; defaults without one" },
        { .name = "kubeconfig",
          .type = OPTION_TEXT,
          .offset = offsetof(struct scheduler_options, daemon.kubeconfig),
          .value_name = "FILE",
          .is_file = true,
          .help = "the cluster to work on; by default $KUBECONFIG, ~/.kube/config, or the pod's "
                  "service account" },
        { .name = "context",
          .type = OPTION_TEXT,
          .offset = offsetof(struct scheduler_options, daemon.context),
          .value_name = "NAME",
          .help = "context of the kubeconfig" },
        { .name = "leader-elect",
          .type = OPTION_FLAG,
          .offset = offsetof(struct scheduler_options, elects),
          .fallback = "true",
          .help = "work only while holding a Lease" },
        { .name = "leader-elect-resource-name",
          .type = OPTION_TEXT,
          .offset = offsetof(struct scheduler_options, lease_name),
          .value_name = "NAME",
          .fallback = "kube-scheduler",
          .help = "name of the Lease" },
        { .name = "leader-elect-resource-namespace",
          .type = OPTION_TEXT,
          .offset = offsetof(struct scheduler_options, daemon.lease_namespace),
          .value_name = "NAME",
          .fallback = "kube-system",
          .help = "namespace of the Lease" },
        { .name = "leader-elect-lease-duration",
          .type = OPTION_DURATION,
          .offset = offsetof(struct scheduler_options, daemon.lease_duration_ns),
          .value_name = "DURATION",
          .fallback = "15s",
          .help = "how long others wait before they take over" },
        { .name = "leader-elect-renew-deadline",
          .type = OPTION_DURATION,
          .offset = offsetof(struct scheduler_options, daemon.lease_renew_deadline_ns),
          .value_name = "DURATION",
          .fallback = "10s",
          .help = "give up leading when it could not be renewed for so long" },
        { .name = "leader-elect-retry-period",
          .type = OPTION_DURATION,
          .offset = offsetof(struct scheduler_options, daemon.lease_retry_period_ns),
          .value_name = "DURATION",
          .fallback = "2s",
          .help = "between attempts" },
        { .name = "parity",
          .type = OPTION_FLAG,
          .offset = offsetof(struct scheduler_options, is_parity),
          .help = "keep upstream's defects (docs/parity.md)" },
        { .name = "seed",
          .type = OPTION_I64,
          .offset = offsetof(struct scheduler_options, seed),
          .value_name = "N",
          .help = "of ties between nodes; 0 takes a random one" },
        { .name = "v",
          .type = OPTION_I64,
          .offset = offsetof(struct scheduler_options, daemon.verbosity),
          .letter = 'v',
          .value_name = "LEVEL",
          .fallback = "2",
          .max = 3,
          .help = "log level: 0 errors, 1 warnings, 2 information, 3 everything" },
        OPTION_END,
};

const struct command command_scheduler = {
        .name = "scheduler",
        .summary = "place the pods of a cluster on its nodes",
        .synopsis = "",
        .description =
                "Stands in for kube-scheduler: watches pods and nodes, filters and scores with the "
                "same plugins, and binds. Reads KubeSchedulerConfiguration v1.",
        .options = scheduler_table,
        .options_size = sizeof(struct scheduler_options),
        .run = run,
};
