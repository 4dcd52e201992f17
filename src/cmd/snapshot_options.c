/* Reads cluster, policy and configuration for the commands that ask "what if". */
#include "cmd/snapshot_options.h"

#include "cmd/progress.h"
#include <stdio.h>
#include <time.h>

const struct option snapshot_option_table[] = {
        { .name = "objects",
          .type = OPTION_TEXTS,
          .offset = offsetof(struct snapshot_options, objects),
          .letter = 'f',
          .value_name = "FILE|DIR",
          .is_file = true,
          .help = "the cluster as files: YAML or JSON as kubectl get -o writes "
                  "it, a folder, or - for standard input; without it a live "
                  "cluster is read" },
        { .name = "kubeconfig",
          .type = OPTION_TEXT,
          .offset = offsetof(struct snapshot_options, kubeconfig),
          .value_name = "FILE",
          .is_file = true,
          .help = "kubeconfig of the live cluster; without it $KUBECONFIG, "
                  "~/.kube/config, or the pod's service account" },
        { .name = "context",
          .type = OPTION_TEXT,
          .offset = offsetof(struct snapshot_options, context),
          .value_name = "NAME",
          .help = "context of the kubeconfig" },
        { .name = "config",
          .type = OPTION_TEXT,
          .offset = offsetof(struct snapshot_options, config),
          .value_name = "FILE",
          .is_file = true,
          .help = "KubeSchedulerConfiguration; without it the default profile" },
        { .name = "policy",
          .type = OPTION_TEXT,
          .offset = offsetof(struct snapshot_options, policy),
          .value_name = "FILE",
          .is_file = true,
          .help = "DeschedulerPolicy" },
        { .name = "now",
          .type = OPTION_TEXT,
          .offset = offsetof(struct snapshot_options, now),
          .value_name = "TIME",
          .help = "time at which ages are computed, such as "
                  "2026-01-31T12:00:00Z; without it the present" },
        { .name = "parity",
          .type = OPTION_FLAG,
          .offset = offsetof(struct snapshot_options, is_parity),
          .help = "do as upstream does, defects included (docs/parity.md)" },
        { 0 },
};

static int read_now(const char *text, struct wall_time *ret_now, struct err *err) {
        struct timespec now;

        if (text) {
                if (!wall_time_parse(slice_of(text), ret_now))
                        return err_set(err, BERTH_ERR_USAGE,
                                       "option --now: expected a time such as "
                                       "2026-01-31T12:00:00Z, found \"%s\"",
                                       text);
                return 0;
        }
        clock_gettime(CLOCK_REALTIME, &now);
        ret_now->ns = now.tv_sec * NS_PER_S + now.tv_nsec;
        return 0;
}

static int read_objects(struct snapshot_inputs *inputs, const struct snapshot_options *options,
                        struct err *err) {
        struct snapshot *snapshot = &inputs->snapshot;

        if (options->objects.count && options->kubeconfig)
                return err_set(err, BERTH_ERR_USAGE,
                               "expected either --objects or --kubeconfig, found both");
        if (options->objects.count)
                return snapshot_read_paths(snapshot, options->objects.items, options->objects.count,
                                           err);
        struct progress progress;

        progress_begin(&progress, SLICE_LITERAL("berth: reading the cluster"), "object");
        int code =
                snapshot_read_cluster(snapshot,
                                      &(struct snapshot_source){ .kubeconfig = options->kubeconfig,
                                                                 .context = options->context,
                                                                 .progress = progress_step,
                                                                 .progress_context = &progress },
                                      err);
        progress_end(&progress);
        if (code < 0 && !options->kubeconfig && !options->context)
                return err_wrap(err, "no --objects FILE is given, so the live cluster is read");
        if (code == 0 && snapshot->note.len)
                fprintf(stderr, "berth: not shown by the cluster, taken as absent: %s\n",
                        snapshot->note.data);
        return code;
}

/* What no option names is looked for among the objects. */
static int find_sources(const struct snapshot *snapshot, struct role_config_sources *sources,
                        struct err *err) {
        const struct err *second = NULL;

        sources->policy = snapshot->policy;
        sources->config = snapshot->config;
        if (!sources->policy_path && snapshot->second_policy.code)
                second = &snapshot->second_policy;
        else if (!sources->config_path && snapshot->second_config.code)
                second = &snapshot->second_config;
        if (!second)
                return 0;
        *err = *second;
        return err->code;
}

int snapshot_inputs_read(struct snapshot_inputs *inputs, const struct snapshot_options *options,
                         const struct arguments *wanted, struct err *err) {
        struct snapshot *snapshot = &inputs->snapshot;
        struct role_config_sources sources = { .policy_path = options->policy,
                                               .config_path = options->config,
                                               .gates = ROLE_CONFIG_ASKED,
                                               .is_parity = options->is_parity };

        *inputs = (struct snapshot_inputs){ 0 };
        snapshot_init(snapshot);
        if (read_now(options->now, &inputs->now, err) < 0 || read_objects(inputs, options, err) < 0)
                return err->code;
        for (size_t i = 0; wanted && i < wanted->count; i++)
                if (snapshot_read_wanted(snapshot, wanted->items[i], err) < 0)
                        return err->code;
        if (snapshot_complete(snapshot, err) < 0)
                return err->code;
        if (find_sources(snapshot, &sources, err) < 0 ||
            role_config_load(&sources, &inputs->config, err) < 0)
                return err->code;
        return role_config_build(&inputs->config, snapshot->cluster, snapshot->object_cache, err);
}

void snapshot_inputs_release(struct snapshot_inputs *inputs) {
        role_config_release(&inputs->config);
        snapshot_release(&inputs->snapshot);
}
