/* berth config: configuration files of every role. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/config_check.h"
#include "cmd/config_default.h"
#include "cmd/config_migrate.h"
#include "cmd/output.h"
#include "loop/file_text.h"

#include <stdio.h>
#include <string.h>

struct config_options {
        int format;
        bool is_parity;
};

/* ---- check ---- */

static void print_summary(const struct config_check *check, struct buf *out) {
        size_t warnings = check->findings.count - check->findings.mistake_count;

        buf_printf(out, "%zu object%s checked, %zu error%s, %zu warning%s", check->checked_count,
                   check->checked_count == 1 ? "" : "s", check->findings.mistake_count,
                   check->findings.mistake_count == 1 ? "" : "s", warnings,
                   warnings == 1 ? "" : "s");
        if (check->skipped_count)
                buf_printf(out, "; %zu of other kinds", check->skipped_count);
        buf_char(out, '\n');
}

static void write_check(const struct config_check *check, enum output_format format,
                        struct buf *out) {
        if (format == OUTPUT_TEXT) {
                config_findings_print(&check->findings, out);
                print_summary(check, out);
                return;
        }
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_object(tree);
        node_put_i64(tree, root, "checked", (int64_t)check->checked_count);
        node_put_i64(tree, root, "skipped", (int64_t)check->skipped_count);
        node_put(tree, root, "findings", config_findings_value(&check->findings, tree));
        output_value(root, format, out);
        json_tree_free(tree);
}

static int config_check(const struct command_call *call) {
        const struct config_options *options = call->options;
        struct config_check check;
        struct buf out = { 0 };

        config_check_init(&check, call->tables, options->is_parity);
        for (size_t i = 1; i < call->arguments.count; i++)
                config_check_path(&check, call->arguments.items[i]);
        write_check(&check, (enum output_format)options->format, &out);
        int code = command_print("config", &out);
        if (code == EXIT_DONE && check.failed_count)
                code = EXIT_FAILED;
        else if (code == EXIT_DONE && check.findings.mistake_count)
                code = EXIT_JUDGED_NO;
        config_check_release(&check);
        return code;
}

/* ---- default ---- */

static int config_default(const struct command_call *call) {
        const char *kind = call->arguments.items[1];
        struct buf out = { 0 };

        if (call->arguments.count > 2)
                return command_failed("config", &(struct err){ .code = BERTH_ERR_USAGE,
                                                               .text = "expected one KIND" });
        if (!config_default_write(kind, &out))
                return command_unknown_word("berth config default", config_default_kinds, kind);
        return command_print("config", &out);
}

/* ---- migrate ---- */

/* The new file on standard output, what changed on standard error. */
static int print_migration(const struct config_migration *migration, enum output_format format) {
        bool is_refused = migration->refusals.count;
        struct buf notes = { 0 }, out = { 0 };

        config_findings_print(is_refused ? &migration->refusals : &migration->changes, &notes);
        if (notes.len)
                fputs(notes.data, stderr);
        buf_release(&notes);
        if (is_refused)
                return EXIT_JUDGED_NO;
        output_value(json_tree_root(migration->tree),
                     format == OUTPUT_JSON ? OUTPUT_JSON : OUTPUT_YAML, &out);
        return command_print("config", &out);
}

static int config_migrate(const struct command_call *call) {
        const struct config_options *options = call->options;
        const char *path = call->arguments.items[1];
        CLEANUP(buf_release) struct buf text = { 0 };
        struct config_migration migration;
        struct err err = { 0 };

        if (call->arguments.count > 2)
                err_set(&err, BERTH_ERR_USAGE, "expected one FILE");
        else
                file_text_read(path, &text, &err);
        if (err.code)
                return command_failed("config", &err);
        config_migrate_text(&migration, call->tables, buf_view(&text),
                            strcmp(path, "-") == 0 ? "standard input" : path);
        int code = print_migration(&migration, (enum output_format)options->format);
        config_migration_release(&migration);
        return code;
}

/* ---- the command ---- */

static const char *const verbs[] = { "check", "default", "migrate", NULL };
static const struct {
        int (*run)(const struct command_call *call);
        const char *argument; /* what it needs */
} runs[] = {
        { config_check, "expected a FILE, a folder, or - after it" },
        { config_default, "expected a KIND after it, such as DeschedulerPolicy" },
        { config_migrate, "expected a FILE, or - after it" },
};

static int cmd_config_run(const struct command_call *call) {
        const char *verb = call->arguments.items[0];
        struct err err = { 0 };

        for (size_t i = 0; verbs[i]; i++) {
                if (strcmp(verbs[i], verb) != 0)
                        continue;
                if (call->arguments.count > 1)
                        return runs[i].run(call);
                err_set(&err, BERTH_ERR_USAGE, "%s", runs[i].argument);
                return command_failed("config", &err);
        }
        return command_unknown_word("berth config", verbs, verb);
}

static const struct option config_table[] = {
        { .name = "parity",
          .type = OPTION_FLAG,
          .offset = offsetof(struct config_options, is_parity),
          .help = "check as with --parity: take what upstream takes" },
        { .group = output_option_table, .offset = offsetof(struct config_options, format) },
        { 0 },
};

const struct command command_config = {
        .name = "config",
        .summary = "check and migrate configuration files, print defaults",
        .synopsis = "check FILE... | default KIND | migrate FILE",
        .description =
                "check reads files as the roles do and reports all that they would refuse: "
                "KubeSchedulerConfiguration, DeschedulerPolicy, EvictionPolicy, EvictionRequest, "
                "scenarios of berth up, those of them that are in ConfigMaps, and the command "
                "lines "
                "of containers that run berth, kube-scheduler, descheduler or kured. A "
                "Kustomization is followed to its resources and patches. A file may hold several "
                "documents; a folder stands for its files, - for standard input. Objects of other "
                "kinds are passed over.\n\n"
                "Ends with code 3 when something is wrong, with 1 when a file cannot be read. "
                "Nothing is asked of a cluster.\n\n"
                "default prints a file to begin with: all settings of a kind with what they are "
                "for, those that have a default set to it, the others as comments. Kinds: "
                "KubeSchedulerConfiguration, DeschedulerPolicy, EvictionPolicy, EvictionRequest, "
                "Eviction, Scenario.\n\n"
                "migrate prints a file of an older API version as the newest one, as YAML or with "
                "-o json as JSON: a DeschedulerPolicy v1alpha1, a KubeSchedulerConfiguration "
                "v1beta1 to v1beta3. What changes goes to standard error, one line each. Where "
                "something cannot be carried over nothing is printed, and the code is 3.",
        .options = config_table,
        .options_size = sizeof(struct config_options),
        .arguments_min = 1,
        .arguments_max = ARGUMENTS_MAX,
        .argument_choices = verbs,
        .takes_files = true,
        .run = cmd_config_run,
};
