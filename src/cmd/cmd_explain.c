/* berth explain: why a pod is where it is, or pending, or spared. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/explain_print.h"
#include "cmd/output.h"
#include "cmd/snapshot_options.h"

#include "ask/eviction_plan.h"
#include "ask/explanation.h"
#include "base/util.h"
#include <stdio.h>
#include <unistd.h>

#define ROWS_SHOWN 40
#define DEFAULT_NAMESPACE "default"

struct explain_options {
        struct snapshot_options input;
        struct option_texts pods;
        const char *node, *expect;
        int format;
        bool shows_all;
};

struct explain {
        const struct explain_options *options;
        struct snapshot_inputs inputs;
        struct arguments files; /* of what the command line names */
        struct arguments pods;  /* NAME or NAMESPACE/NAME, options first */
        struct eviction_plan plan;
        struct json_tree *tree;
        struct json_node *list;
        struct buf text;
        struct arena *arena;
        bool is_judged_no;
};

/* Leaves one node of an explanation. */
static int keep_node(struct explain *explain, struct json_node *explanation, struct err *err) {
        struct json_node *nodes = node_get(explanation, "nodes");
        bool is_found = !nodes;

        for (size_t i = node_count(nodes); i > 0; i--) {
                if (slice_is(node_get_text(node_at(nodes, i - 1), "node"), explain->options->node))
                        is_found = true;
                else
                        node_remove_at(nodes, i - 1);
        }
        return is_found ? 0
                        : err_set(err, BERTH_ERR_NOT_FOUND, "no node \"%s\"",
                                  explain->options->node);
}

static int explain_pod(struct explain *explain, struct pod_id pod, struct err *err) {
        const struct explain_options *options = explain->options;
        struct snapshot_inputs *inputs = &explain->inputs;
        struct json_node *value = explanation_make(
                &(struct explanation_request){ .cluster = inputs->snapshot.cluster,
                                               .profiles = &inputs->config.profiles,
                                               .pod = pod,
                                               .now = inputs->now,
                                               .is_parity = options->input.is_parity,
                                               .plan = explain->plan.report ? &explain->plan
                                                                            : NULL },
                explain->tree);

        if (options->expect && !explanation_meets(value, slice_of(options->expect)))
                explain->is_judged_no = true;
        if (options->node && keep_node(explain, value, err) < 0)
                return err->code;
        if (options->format == OUTPUT_TEXT) {
                buf_text(&explain->text, explain->text.len ? "\n" : "");
                explain_print(
                        value,
                        &(struct explain_view){ .node = options->node,
                                                .rows_max = options->shows_all ? 0 : ROWS_SHOWN },
                        explain->arena, &explain->text);
        } else {
                node_append(explain->list, value);
        }
        return 0;
}

/* A pod of that name in any namespace, else one of a workload of that name: "web-" and more. */
static const struct pod_row *find_meant(const struct cluster *cluster, struct slice name) {
        const struct pod_row *meant = NULL;

        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });
                struct slice other = slice_make(row->name, row->is_live ? row->name_length : 0);

                if (other.len > 0 && slice_eq(other, name))
                        return row;
                if (other.len > name.len && slice_has_prefix(other, name) &&
                    other.ptr[name.len] == '-')
                        meant = row;
        }
        return meant;
}

/* kubectl's default namespace is not everybody's, and names of workloads are better known than
 * those of their pods: says which pod may have been meant. */
static int fail_no_pod(const struct explain *explain, struct slice ns, struct slice name,
                       struct err *err) {
        const struct cluster *cluster = explain->inputs.snapshot.cluster;
        const struct pod_row *meant = find_meant(cluster, name);

        if (!meant)
                return err_set(err, BERTH_ERR_NOT_FOUND,
                               "no pod " SLICE_FMT "/" SLICE_FMT
                               ": expected NAME or NAMESPACE/NAME of pods",
                               SLICE_ARG(ns), SLICE_ARG(name));
        return err_set(err, BERTH_ERR_NOT_FOUND,
                       "no pod " SLICE_FMT "/" SLICE_FMT "; did you mean " SLICE_FMT "/%s?",
                       SLICE_ARG(ns), SLICE_ARG(name), SLICE_ARG(cluster_text(cluster, meant->ns)),
                       meant->name);
}

static int explain_named(struct explain *explain, struct slice ns, struct slice name,
                         struct err *err) {
        struct pod_id pod = cluster_find_pod(explain->inputs.snapshot.cluster, ns, name);

        if (pod_id_is_none(pod))
                return fail_no_pod(explain, ns, name, err);
        return explain_pod(explain, pod, err);
}

/* A word that is no file names a pod, unless it looks like a file. */
static bool is_file(const char *word) {
        static const char *const suffixes[] = { ".yaml", ".yml", ".json" };
        struct slice text = slice_of(word);

        for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
                if (slice_has_suffix(text, slice_of(suffixes[i])))
                        return true;
        return slice_is(text, "-") || access(word, F_OK) == 0;
}

static void sort_words(struct explain *explain, const struct command_call *call) {
        const struct option_texts *pods = &explain->options->pods;
        const struct arguments *words = &call->arguments;
        size_t cap = pods->count + words->count + 1;

        explain->files.items = arena_alloc(call->arena, cap * sizeof(*explain->files.items));
        explain->pods.items = arena_alloc(call->arena, cap * sizeof(*explain->pods.items));
        for (size_t i = 0; i < pods->count; i++)
                explain->pods.items[explain->pods.count++] = pods->items[i];
        for (size_t i = 0; i < words->count; i++) {
                struct arguments *to = is_file(words->items[i]) ? &explain->files : &explain->pods;

                to->items[to->count++] = words->items[i];
        }
}

static int explain_word(struct explain *explain, const char *word, struct err *err) {
        struct slice name = slice_of(word), ns = SLICE_LITERAL(DEFAULT_NAMESPACE);
        const char *slash = strchr(word, '/');

        if (slash) {
                ns = slice_make(word, (size_t)(slash - word));
                name = slice_of(slash + 1);
        }
        return explain_named(explain, ns, name, err);
}

static int explain_pending(struct explain *explain, struct err *err) {
        const struct cluster *cluster = explain->inputs.snapshot.cluster;

        for (uint32_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ i });

                if (row->is_live && node_id_is_none(row->node) && !pod_row_is_finished(row) &&
                    explain_pod(explain, (struct pod_id){ i }, err) < 0)
                        return err->code;
        }
        return 0;
}

static int explain_all(struct explain *explain, struct err *err) {
        const struct snapshot_pods *wanted = &explain->inputs.snapshot.wanted;
        const struct arguments *pods = &explain->pods;

        for (size_t i = 0; i < wanted->count; i++)
                if (explain_named(explain, wanted->items[i].ns, wanted->items[i].name, err) < 0)
                        return err->code;
        for (size_t i = 0; i < pods->count; i++)
                if (explain_word(explain, pods->items[i], err) < 0)
                        return err->code;
        return wanted->count + pods->count ? 0 : explain_pending(explain, err);
}

static int explain_cluster(struct explain *explain, struct err *err) {
        struct snapshot_inputs *inputs = &explain->inputs;
        struct plan_request request = { .config = &inputs->config };

        if (snapshot_inputs_read(inputs, &explain->options->input, &explain->files, err) < 0)
                return err->code;
        request.now = inputs->now;
        if (inputs->config.policy &&
            eviction_plan_make(&explain->plan, &inputs->snapshot, &request, err) < 0)
                return err->code;
        if (explain_all(explain, err) < 0)
                return err->code;
        if (explain->options->format != OUTPUT_TEXT) {
                struct json_node *root = node_object(explain->tree);

                node_put(explain->tree, root, "pods", explain->list);
                output_value(root, (enum output_format)explain->options->format, &explain->text);
        } else if (explain->text.len == 0) {
                buf_text(&explain->text, "No pod is pending.\n");
        }
        return output_print(&explain->text)
                       ? 0
                       : err_set(err, BERTH_ERR_IO, "cannot write to standard output");
}

static int cmd_explain_run(const struct command_call *call) {
        struct explain explain = { .options = call->options, .arena = call->arena };
        struct err err = { 0 };

        explain.tree = json_tree_new();
        explain.list = node_array(explain.tree);
        sort_words(&explain, call);
        int code = explain_cluster(&explain, &err);
        eviction_plan_release(&explain.plan);
        snapshot_inputs_release(&explain.inputs);
        json_tree_free(explain.tree);
        buf_release(&explain.text);
        if (code < 0)
                return command_failed("explain", &err);
        return explain.is_judged_no ? EXIT_JUDGED_NO : EXIT_DONE;
}

static const struct option explain_table[] = {
        { .group = snapshot_option_table, .offset = offsetof(struct explain_options, input) },
        { .name = "pod",
          .type = OPTION_TEXTS,
          .offset = offsetof(struct explain_options, pods),
          .names = NAMES_PODS,
          .letter = 'p',
          .value_name = "NAMESPACE/NAME",
          .help = "pod of the cluster, also when a file has that name" },
        { .name = "node",
          .type = OPTION_TEXT,
          .offset = offsetof(struct explain_options, node),
          .names = NAMES_NODES,
          .value_name = "NAME",
          .help = "show this node only" },
        { .name = "all",
          .type = OPTION_FLAG,
          .offset = offsetof(struct explain_options, shows_all),
          .help = "show every node; without it at most 40" },
        { .name = "expect",
          .type = OPTION_TEXT,
          .offset = offsetof(struct explain_options, expect),
          .names = NAMES_NODES,
          .value_name = "NODE|pending",
          .help = "end with code 3 when a pod would go elsewhere" },
        { .group = output_option_table, .offset = offsetof(struct explain_options, format) },
        { 0 },
};

const struct command command_explain = {
        .name = "explain",
        .summary = "show why a pod is on its node, pending, or not evicted",
        .synopsis = "[POD|FILE...]",
        .description = "Runs the scheduler's decision for a pod and prints all of it: the "
                       "verdict of every plugin on every node, scores, why the chosen node "
                       "won, which pods preemption would evict, and for a pending pod the "
                       "smallest change that makes it fit.\n\n"
                       "Pods are named (NAME in the namespace default, or NAMESPACE/NAME) "
                       "or read from files (a Pod, or a workload with a pod template). "
                       "Without either, all pending pods are explained. A running pod is "
                       "judged as if it were scheduled again. With a policy it also prints "
                       "whether the descheduler would evict the pod, and why.",
        .options = explain_table,
        .options_size = sizeof(struct explain_options),
        .arguments_max = ARGUMENTS_MAX,
        .takes_files = true,
        .argument_names = NAMES_PODS,
        .run = cmd_explain_run,
};
