/* Files or a live cluster. */
#include "cmd/shown_options.h"

const struct option shown_option_table[] = {
        { .name = "input",
          .type = OPTION_TEXTS,
          .offset = offsetof(struct shown_options, inputs),
          .letter = 'f',
          .value_name = "FILE|DIR",
          .is_file = true,
          .help = "show a cluster as files: YAML or JSON as kubectl get -o writes it, or a folder; "
                  "without it a live cluster is watched" },
        { .group = cluster_option_table, .offset = offsetof(struct shown_options, daemon) },
        { 0 },
};

int shown_options_check(const struct shown_options *options, struct err *err) {
        if (options->inputs.count && (options->daemon.kubeconfig || options->daemon.context))
                return err_set(err, BERTH_ERR_USAGE,
                               "expected either --input or a cluster, found both");
        return 0;
}
