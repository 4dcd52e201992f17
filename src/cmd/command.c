/* Finding, parsing and running subcommands. */
#include "cmd/command.h"

#include "base/name_hint.h"
#include "base/util.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command *command_find(const struct command *const *commands, const char *name) {
        for (size_t i = 0; commands[i]; i++)
                if (strcmp(commands[i]->name, name) == 0)
                        return commands[i];
        return NULL;
}

/* What people may have meant who know kubectl. */
static const char *meant_command(const char *name) {
        static const char *const verbs[] = { "get",      "apply", "create", "delete",
                                             "describe", "logs",  "exec",   "edit",
                                             "patch",    "label", "taint",  "run-pod" };

        if (strcmp(name, "drain") == 0)
                return "berth evict --node NAME empties a node";
        for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
                if (strcmp(name, verbs[i]) == 0)
                        return "kubectl does that, also for the clusters of berth up and berth "
                               "sandbox (their kubeconfig: --kubeconfig-out FILE)";
        return NULL;
}

void command_unknown_text(const struct command *const *commands, const char *name,
                          struct buf *out) {
        struct name_hint hint = name_hint_start(slice_of(name));
        const char *meant = meant_command(name);

        for (size_t i = 0; commands[i]; i++)
                name_hint_try(&hint, commands[i]->name);
        buf_printf(out, "unknown command \"%s\"", name);
        if (meant)
                buf_printf(out, "; %s", meant);
        else if (hint.best)
                buf_printf(out, "; did you mean \"%s\"?", hint.best);
}

void command_unknown(const struct command *const *commands, const char *who, const char *name) {
        CLEANUP(buf_release) struct buf text = { 0 };

        command_unknown_text(commands, name, &text);
        fprintf(stderr, "%s: %s\nTry: berth help\n", who, text.data);
}

int command_unknown_word(const char *who, const char *const *words, const char *found) {
        struct name_hint hint = name_hint_start(slice_of(found));

        fprintf(stderr, "%s: expected %s", who, words[1] ? "one of " : "");
        for (size_t i = 0; words[i]; i++) {
                name_hint_try(&hint, words[i]);
                fprintf(stderr, "%s%s", i > 0 ? ", " : "", words[i]);
        }
        fprintf(stderr, ", found \"%s\"", found);
        if (hint.best)
                fprintf(stderr, "; did you mean \"%s\"?", hint.best);
        fputc('\n', stderr);
        return EXIT_USAGE;
}

static int usage_failed(const struct program *program, const struct command *command,
                        struct err *err) {
        int code = command_failed(command->name, err);

        if (command_find(program->commands, command->name) == command)
                fprintf(stderr, "Try: berth help %s\n", command->name);
        else
                fprintf(stderr, "Try: %s --help\n", command->name);
        return code;
}

static int check_arguments(const struct command *command, const struct arguments *arguments,
                           struct err *err) {
        if (arguments->count < command->arguments_min)
                return err_set(err, BERTH_ERR_USAGE, "expected %s", command->synopsis);
        if (arguments->count > command->arguments_max)
                return err_set(err, BERTH_ERR_USAGE, "unexpected argument \"%s\"",
                               arguments->items[command->arguments_max]);
        return 0;
}

struct option_texts command_with_environment(const struct command *command,
                                             struct option_texts words, struct arena *arena) {
        struct option_texts all = words;
        const struct option *options = options_expand(command->options, arena);
        size_t count = 0;

        for (const struct option *o = options; o->name; o++)
                count++;
        all.items = ARENA_ARRAY(arena, const char *, words.count + count);
        memcpy(all.items, words.items, words.count * sizeof(*words.items));
        for (const struct option *o = options; o->name; o++) {
                char *name = arena_printf(arena, "%s%s", command->environment_prefix, o->name);

                for (char *c = name; *c; c++)
                        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
                const char *value = getenv(name);
                if (value && o->is_not_in_environment)
                        fprintf(stderr, "%s is ignored: use --%s\n", name, o->name);
                else if (value)
                        all.items[all.count++] = arena_printf(arena, "--%s=%s", o->name, value);
        }
        return all;
}

/* What the environment says wrong is not the command line's fault. */
static int parse_words(const struct program *program, const struct command *command,
                       struct option_texts words, struct arena *arena, struct command_line *line,
                       int *ret_exit) {
        struct err err = { 0 };

        *ret_exit = EXIT_USAGE;
        if (options_parse(command->options, words, arena, line, &err) < 0) {
                usage_failed(program, command, &err);
                return BERTH_ERR_USAGE;
        }
        if (!command->environment_prefix || line->wants_help)
                return 0;
        memset(line->options, 0, command->options_size);
        words = command_with_environment(command, words, arena);
        *ret_exit = EXIT_FAILED;
        if (options_parse(command->options, words, arena, line, &err) == 0)
                return 0;
        command_failed(command->name, &err);
        return BERTH_ERR_INVALID;
}

static const char *base_name(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

static int run_command(const struct program *program, const struct command *command,
                       const char *name, struct option_texts words) {
        CLEANUP(arena_release) struct arena arena;
        struct command_line line = { 0 };
        struct err err = { 0 };
        int exit_code;

        arena_init(&arena, 0);
        line.options = arena_alloc(&arena, command->options_size);
        line.parts = command->parts;
        if (parse_words(program, command, words, &arena, &line, &exit_code) < 0)
                return exit_code;
        for (size_t i = 0; i < line.warnings.count; i++)
                fprintf(stderr, "berth %s: %s\n", command->name, line.warnings.items[i]);
        if (line.wants_help) {
                struct buf text = { 0 };

                command_help(command,
                             command_standing_in(program, name) == command ? base_name(name) : NULL,
                             &text);
                return command_print(command->name, &text);
        }
        if (check_arguments(command, &line.arguments, &err) < 0)
                return usage_failed(program, command, &err);
        return command->run(&(struct command_call){ .options = line.options,
                                                    .arguments = line.arguments,
                                                    .part_words = line.part_words,
                                                    .arena = &arena,
                                                    .program = name,
                                                    .tables = program });
}

const struct command *command_standing_in(const struct program *program, const char *path) {
        const struct command *const *commands = program->commands;
        const char *name = base_name(path);

        for (size_t i = 0; program->stand_ins[i]; i++)
                if (strcmp(program->stand_ins[i]->name, name) == 0)
                        return program->stand_ins[i];
        for (size_t i = 0; commands[i]; i++)
                if (commands[i]->stands_in_for && strcmp(commands[i]->stands_in_for, name) == 0)
                        return commands[i];
        return NULL;
}

/* Programs of Kubernetes know no exit code of their own for wrong usage. */
static int stand_in(const struct program *program, const struct command *command, int argc,
                    char **argv) {
        int code = run_command(program, command, argv[0],
                               (struct option_texts){ (size_t)argc - 1, (const char **)argv + 1 });

        return code == EXIT_USAGE && !command->stands_in_for ? EXIT_FAILED : code;
}

/* kubectl asks a program of this name how "kubectl berth WORD..." is completed. */
static int complete_for_kubectl(const struct program *program, int argc, char **argv) {
        CLEANUP(arena_release) struct arena arena;

        arena_init(&arena, 0);
        const char **words = ARENA_ARRAY(&arena, const char *, (size_t)argc + 2);
        words[0] = "words";
        words[1] = "--";
        words[2] = "berth";
        for (int i = 1; i < argc; i++)
                words[2 + i] = argv[i];
        return run_command(program, command_find(program->commands, "completion"), "berth",
                           (struct option_texts){ (size_t)argc + 2, words });
}

int command_main(const struct program *program, int argc, char **argv) {
        const struct command *command = argc > 0 ? command_standing_in(program, argv[0]) : NULL;

        if (argc > 0 && strcmp(base_name(argv[0]), "kubectl_complete-berth") == 0)
                return complete_for_kubectl(program, argc, argv);
        if (command)
                return stand_in(program, command, argc, argv);
        if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
                struct buf text = { 0 };

                program_help(program->commands, &text);
                return command_print("help", &text);
        }
        command = command_find(program->commands,
                               strcmp(argv[1], "--version") == 0 ? "version" : argv[1]);
        if (!command) {
                command_unknown(program->commands, "berth", argv[1]);
                return EXIT_USAGE;
        }
        return run_command(program, command, argv[0],
                           (struct option_texts){ (size_t)argc - 2, (const char **)argv + 2 });
}
