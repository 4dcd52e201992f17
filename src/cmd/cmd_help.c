/* berth help and completion: what the program says about itself. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/completion.h"

#include <stdio.h>

struct help_options {
        bool is_manual;
        const char *as;
};

/* The command that --as or the argument names; NULL without either. */
static int help_find(const struct command_call *call, const struct command **ret_command) {
        const struct help_options *options = call->options;

        *ret_command = NULL;
        if (options->as) {
                *ret_command = command_standing_in(call->tables, options->as);
                if (*ret_command && call->arguments.count == 0)
                        return EXIT_DONE;
                return command_failed("help", &(struct err){ .code = BERTH_ERR_USAGE,
                                                             .text = "option --as: expected "
                                                                     "kube-scheduler, descheduler "
                                                                     "or kured, and no command" });
        }
        if (call->arguments.count == 0)
                return EXIT_DONE;
        *ret_command = command_find(call->tables->commands, call->arguments.items[0]);
        if (*ret_command)
                return EXIT_DONE;
        command_unknown(call->tables->commands, "berth help", call->arguments.items[0]);
        return EXIT_USAGE;
}

static int help_run(const struct command_call *call) {
        const struct help_options *options = call->options;
        const struct command *command;
        struct buf text = { 0 };
        int code = help_find(call, &command);

        if (code != EXIT_DONE)
                return code;
        if (command && options->is_manual)
                command_manual(command, options->as, &text);
        else if (command)
                command_help(command, options->as, &text);
        else if (options->is_manual)
                program_manual(call->tables->commands, &text);
        else
                program_help(call->tables->commands, &text);
        return command_print("help", &text);
}

const struct command command_help_entry = {
        .name = "help",
        .summary = "show the options of a command",
        .synopsis = "[COMMAND]",
        .description = "",
        .options =
                (const struct option[]){
                        { .name = "manual",
                          .type = OPTION_FLAG,
                          .offset = offsetof(struct help_options, is_manual),
                          .help = "print the manual page, as source for man(7)" },
                        { .name = "as",
                          .type = OPTION_TEXT,
                          .offset = offsetof(struct help_options, as),
                          .value_name = "PROGRAM",
                          .help = "of the command line that berth has when it is started as "
                                  "kube-scheduler, descheduler or kured" },
                        { 0 },
                },
        .options_size = sizeof(struct help_options),
        .arguments_max = 1,
        .takes_commands = true,
        .run = help_run,
};

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

/* What the scripts ask for: words -- PROGRAM WORD... */
static int print_words(const struct command_call *call) {
        const struct arguments *arguments = &call->arguments;
        struct arguments words = { arguments->count - 2, arguments->items + 2 };
        struct buf text = { 0 };

        completion_words(call->tables, arguments->items[1], &words, &text);
        return command_print("completion", &text);
}

static int completion_run(const struct command_call *call) {
        const struct arguments *arguments = &call->arguments;
        struct buf text = { 0 };

        if (strcmp(arguments->items[0], "words") == 0 && arguments->count > 1)
                return print_words(call);
        for (size_t i = 0; shells[i] && arguments->count == 1; i++) {
                if (strcmp(shells[i], arguments->items[0]) != 0)
                        continue;
                buf_append(&text, completion_scripts[i].text, completion_scripts[i].size);
                return command_print("completion", &text);
        }
        return command_unknown_word("berth completion", shells,
                                    arguments->items[arguments->count - 1]);
}

const struct command command_completion = {
        .name = "completion",
        .summary = "write a completion script for a shell",
        .synopsis = "bash|zsh|fish",
        .description = "Load it with: source <(berth completion bash), source <(berth "
                       "completion zsh), berth completion fish | source. It completes commands, "
                       "options, values, files, and the names of nodes, pods and namespaces of "
                       "the cluster that the kubeconfig names.\n\n"
                       "The scripts ask \"berth completion words -- PROGRAM WORD...\" what may "
                       "stand in place of the last word.",
        .argument_choices = shells,
        .arguments_min = 1,
        .arguments_max = ARGUMENTS_MAX,
        .run = completion_run,
};
