/* berth bench: Kubernetes' scheduler_perf workloads on berth's scheduler. */
#include "base/time.h"
#include "client/text_file.h"
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/text_table.h"
#include "sim/perf_run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FILE_NAME "performance-config.yaml"
#define FOLDER_DEPTH_MAX 8
#define NOTE_MAX 1024

struct bench_options {
        struct option_texts inputs;
        const char *workload, *label;
        int format;
};

struct cmd_bench_row { /* of one workload */
        char *test_case, *workload;
        bool has_threshold, has_failed;
        double threshold;
        struct perf_result result;
        char note[NOTE_MAX];
};

struct bench {
        const struct bench_options *options;
        struct arena *arena;
        struct perf_env env;
        struct cmd_bench_row *rows;
        size_t count, cap;
        bool has_failed;
};

/* ---- running ---- */

static int read_file(void *context, const char *path, struct buf *ret_text, struct err *err) {
        char *text;
        size_t length;

        (void)context;
        if (text_file_read(path, &text, &length, err) < 0)
                return err->code;
        buf_append(ret_text, text, length);
        free(text);
        return 0;
}

/* Time on a processor, so that what else runs on the machine counts as little as possible. */
static int64_t processor_time(void *context) {
        struct timespec now;

        (void)context;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static bool is_wanted(const struct bench *bench, const struct perf_workload *workload) {
        const struct bench_options *options = bench->options;
        char name[512];

        snprintf(name, sizeof(name), SLICE_FMT "/" SLICE_FMT, SLICE_ARG(workload->case_name),
                 SLICE_ARG(workload->name));
        return (!options->workload || strstr(name, options->workload)) &&
               (!options->label || perf_workload_has_label(workload, options->label));
}

static struct cmd_bench_row *add_row(struct bench *bench) {
        if (bench->count == bench->cap) {
                size_t cap = bench->cap ? 2 * bench->cap : 64;
                struct cmd_bench_row *rows = ARENA_ARRAY(bench->arena, struct cmd_bench_row, cap);

                if (bench->count > 0)
                        memcpy(rows, bench->rows, bench->count * sizeof(*rows));
                bench->rows = rows;
                bench->cap = cap;
        }
        return &bench->rows[bench->count++];
}

static void run_workload(struct bench *bench, const struct perf_suite *suite,
                         const struct perf_workload *workload) {
        struct cmd_bench_row *row = add_row(bench);
        struct progress progress;
        struct err err = { 0 };

        row->test_case = arena_string(bench->arena, workload->case_name);
        row->workload = arena_string(bench->arena, workload->name);
        row->has_threshold = workload->has_threshold;
        row->threshold = workload->threshold;
        progress_begin(&progress,
                       slice_of(arena_printf(bench->arena, "berth bench: %s/%s", row->test_case,
                                             row->workload)),
                       "pod");
        bench->env.progress = progress_step;
        bench->env.progress_context = &progress;
        int code = perf_run(suite, workload, &bench->env, &row->result, &err);
        progress_end(&progress);
        if (code < 0) {
                snprintf(row->note, sizeof(row->note), "failed: %s%s%.300s", err.path,
                         err.path[0] ? ": " : "", err.text);
                row->has_failed = bench->has_failed = true;
        } else if (row->result.unsupported.len > 0) {
                snprintf(row->note, sizeof(row->note), "not supported: %.400s",
                         row->result.unsupported.data);
        }
}

static int run_file(struct bench *bench, const char *path, struct err *err) {
        struct perf_suite *suite;

        if (perf_suite_read(&bench->env.files, path, &suite, err) < 0)
                return err->code;
        for (size_t i = 0; i < perf_suite_count(suite); i++)
                if (is_wanted(bench, perf_suite_at(suite, i)))
                        run_workload(bench, suite, perf_suite_at(suite, i));
        perf_suite_free(suite);
        return 0;
}

/* ---- finding files ---- */

static int compare_names(const struct dirent **a, const struct dirent **b) {
        return strcmp((*a)->d_name, (*b)->d_name);
}

static int run_path(struct bench *bench, const char *path, int depth, struct err *err);

static int run_entry(struct bench *bench, const char *folder, const char *name, int depth,
                     struct err *err) {
        char *path = arena_printf(bench->arena, "%s/%s", folder, name);
        struct stat status;

        if (name[0] == '.' || stat(path, &status) < 0)
                return 0;
        if (!S_ISDIR(status.st_mode) && strcmp(name, FILE_NAME) != 0)
                return 0;
        return run_path(bench, path, depth + 1, err);
}

/* A file, or every performance-config.yaml below a folder. */
static int run_path(struct bench *bench, const char *path, int depth, struct err *err) {
        struct stat status;
        struct dirent **entries;
        int code = 0;

        if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
                return run_file(bench, path, err);
        if (depth > FOLDER_DEPTH_MAX)
                return 0;
        int count = scandir(path, &entries, NULL, compare_names);
        for (int i = 0; i < count; i++) {
                if (code == 0)
                        code = run_entry(bench, path, entries[i]->d_name, depth, err);
                free(entries[i]);
        }
        if (count >= 0)
                free(entries);
        return code;
}

/* ---- showing ---- */

static const char *cmd_bench_number(struct bench *bench, double value) {
        return arena_printf(bench->arena, value < 100 ? "%.1f" : "%.0f", value);
}

static void write_text(struct bench *bench, struct buf *out) {
        static const char *const heads[] = { "WORKLOAD",  "NODES", "PODS", "PODS/S",
                                             "THRESHOLD", "TIMES", "NOTE", NULL };
        struct text_table table;

        text_table_init(&table, bench->arena, heads);
        for (size_t i = 0; i < bench->count; i++) {
                const struct cmd_bench_row *row = &bench->rows[i];
                double rate = perf_result_rate(&row->result);

                text_table_add_row(&table);
                text_table_set(&table, 0,
                               arena_printf(bench->arena, "%s/%s", row->test_case, row->workload));
                text_table_set(&table, 4,
                               row->has_threshold ? cmd_bench_number(bench, row->threshold) : "");
                text_table_set(&table, 6, row->note);
                if (row->note[0])
                        continue;
                text_table_set(&table, 1, arena_printf(bench->arena, "%zu", row->result.nodes));
                text_table_set(&table, 2,
                               arena_printf(bench->arena, "%lld", (long long)row->result.measured));
                text_table_set(&table, 3, cmd_bench_number(bench, rate));
                if (row->has_threshold && row->threshold > 0)
                        text_table_set(&table, 5, cmd_bench_number(bench, rate / row->threshold));
        }
        text_table_write(&table, "", out);
}

static struct json_node *row_value(const struct cmd_bench_row *row, struct json_tree *tree) {
        struct json_node *entry = node_object(tree);

        node_put_string(tree, entry, "testCase", row->test_case);
        node_put_string(tree, entry, "workload", row->workload);
        if (row->has_threshold)
                node_put(tree, entry, "threshold", node_f64(tree, row->threshold));
        if (row->has_failed)
                node_put_string(tree, entry, "failed", row->note + strlen("failed: "));
        else if (row->result.unsupported.len > 0)
                node_put_string(tree, entry, "unsupported", row->result.unsupported.data);
        if (row->note[0])
                return entry;
        node_put_i64(tree, entry, "nodes", (int64_t)row->result.nodes);
        node_put_i64(tree, entry, "pods", row->result.measured);
        node_put_i64(tree, entry, "decisions", (int64_t)row->result.decisions);
        node_put(tree, entry, "seconds", node_f64(tree, (double)row->result.busy_ns / 1e9));
        node_put(tree, entry, "podsPerSecond", node_f64(tree, perf_result_rate(&row->result)));
        return entry;
}

static void write_value(struct bench *bench, struct buf *out) {
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_object(tree), *list = node_array(tree);

        for (size_t i = 0; i < bench->count; i++)
                node_append(list, row_value(&bench->rows[i], tree));
        node_put(tree, root, "workloads", list);
        output_value(root, (enum output_format)bench->options->format, out);
        json_tree_free(tree);
}

static int cmd_bench_print(struct bench *bench) {
        CLEANUP(buf_release) struct buf out = { 0 };

        if (bench->options->format == OUTPUT_TEXT)
                write_text(bench, &out);
        else
                write_value(bench, &out);
        return output_print(&out) && !bench->has_failed ? EXIT_DONE : EXIT_FAILED;
}

static int cmd_bench_run(const struct command_call *call) {
        const struct bench_options *options = call->options;
        struct bench bench = { .options = options,
                               .arena = call->arena,
                               .env = { .files = { .read = read_file }, .clock = processor_time } };
        struct err err = { 0 };
        int code = 0;

        if (options->inputs.count == 0) {
                err_set(&err, BERTH_ERR_USAGE, "expected --objects FILE|DIR");
                return command_failed("bench", &err);
        }
        for (size_t i = 0; code == 0 && i < options->inputs.count; i++)
                code = run_path(&bench, options->inputs.items[i], 0, &err);
        code = code < 0 ? command_failed("bench", &err) : cmd_bench_print(&bench);
        for (size_t i = 0; i < bench.count; i++)
                perf_result_release(&bench.rows[i].result);
        return code;
}

static const struct option bench_table[] = {
        { .name = "objects",
          .type = OPTION_TEXTS,
          .offset = offsetof(struct bench_options, inputs),
          .letter = 'f',
          .value_name = "FILE|DIR",
          .is_file = true,
          .help = "a performance-config.yaml, or a folder that contains some" },
        { .name = "workload",
          .type = OPTION_TEXT,
          .offset = offsetof(struct bench_options, workload),
          .value_name = "TEXT",
          .help = "only workloads whose TESTCASE/WORKLOAD contains this text" },
        { .name = "label",
          .type = OPTION_TEXT,
          .offset = offsetof(struct bench_options, label),
          .value_name = "LABEL",
          .help = "only workloads with this label, such as performance or short" },
        { .group = output_option_table, .offset = offsetof(struct bench_options, format) },
        { 0 },
};

const struct command command_bench = {
        .name = "bench",
        .summary = "run Kubernetes' scheduler_perf workloads on the scheduler",
        .synopsis = "",
        .description = "Reads the workloads of Kubernetes' test/integration/scheduler_perf "
                       "and runs them on berth's scheduler in this process, with an API "
                       "that answers at once. Prints pods per second of processor time, "
                       "and the threshold upstream sets. Waiting costs no time.\n\n"
                       "Feature gates in the files have no effect. A workload with an "
                       "operation that is not supported is named and does not run. Ends "
                       "with 1 when pods that a workload waits for find no node.",
        .options = bench_table,
        .options_size = sizeof(struct bench_options),
        .run = cmd_bench_run,
};
