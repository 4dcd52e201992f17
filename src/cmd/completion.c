/* Shell completion from the command tables. */
#include "cmd/command.h"

#include <string.h>

static void word_list(struct buf *out, const char *const *words) {
        for (size_t i = 0; words && words[i]; i++)
                buf_printf(out, "%s%s", i ? " " : "", words[i]);
}

static void command_words(const struct command *const *commands, struct buf *out) {
        for (size_t i = 0; commands[i]; i++)
                buf_printf(out, "%s%s", i ? " " : "", commands[i]->name);
}

static void option_words(struct buf *out, const struct command *command) {
        CLEANUP(arena_release) struct arena arena;

        arena_init(&arena, 0);
        for (const struct option *o = options_expand(command->options, &arena); o->name; o++)
                buf_printf(out, "--%s ", o->name);
        buf_text(out, "--help");
}

/* One case per option that takes a value: choices, files, or nothing to offer. */
static void bash_values(struct buf *out, const struct command *command) {
        CLEANUP(arena_release) struct arena arena;

        arena_init(&arena, 0);
        for (const struct option *o = options_expand(command->options, &arena); o->name; o++) {
                if (o->type == OPTION_FLAG)
                        continue;
                buf_printf(out, "    %s/--%s) ", command->name, o->name);
                if (o->choices) {
                        buf_text(out, "COMPREPLY=($(compgen -W '");
                        word_list(out, o->choices);
                        buf_text(out, "' -- \"$cur\"))");
                } else if (o->is_file) {
                        buf_text(out, "COMPREPLY=($(compgen -f -- \"$cur\"))");
                }
                buf_text(out, "; return;;\n");
        }
}

static void bash_script(const struct command *const *commands, struct buf *out) {
        buf_text(out, "_berth() {\n  local cur=\"${COMP_WORDS[COMP_CWORD]}\" "
                      "prev=\"${COMP_WORDS[COMP_CWORD-1]}\" cmd=\"${COMP_WORDS[1]}\"\n"
                      "  COMPREPLY=()\n"
                      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W '");
        command_words(commands, out);
        buf_text(out, "' -- \"$cur\")); return; fi\n  case \"$cmd/$prev\" in\n");
        for (size_t i = 0; commands[i]; i++)
                bash_values(out, commands[i]);
        buf_text(out, "  esac\n  case \"$cmd\" in\n");
        for (size_t i = 0; commands[i]; i++) {
                buf_printf(out, "    %s) COMPREPLY=($(compgen -W '", commands[i]->name);
                option_words(out, commands[i]);
                buf_char(out, ' ');
                word_list(out, commands[i]->argument_choices);
                buf_text(out, "' -- \"$cur\"");
                buf_text(out,
                         commands[i]->takes_files ? ") $(compgen -f -- \"$cur\"));;\n" : "));;\n");
        }
        buf_text(out, "  esac\n}\ncomplete -F _berth berth\n");
}

static void zsh_script(const struct command *const *commands, struct buf *out) {
        buf_text(out, "#compdef berth\nautoload -U +X bashcompinit && bashcompinit\n");
        bash_script(commands, out);
}

static void fish_option(struct buf *out, const struct command *command, const struct option *o) {
        buf_printf(out, "complete -c berth -n '__fish_seen_subcommand_from %s' -l %s",
                   command->name, o->name);
        if (o->letter)
                buf_printf(out, " -s %c", o->letter);
        if (o->type != OPTION_FLAG)
                buf_text(out, o->is_file ? " -rF" : " -x");
        if (o->choices) {
                buf_text(out, " -a '");
                word_list(out, o->choices);
                buf_char(out, '\'');
        }
        buf_char(out, '\n');
}

static void fish_script(const struct command *const *commands, struct buf *out) {
        CLEANUP(arena_release) struct arena arena;

        arena_init(&arena, 0);
        buf_text(out, "complete -c berth -f\n");
        for (size_t i = 0; commands[i]; i++) {
                buf_printf(out, "complete -c berth -n __fish_use_subcommand -a %s -d '%s'\n",
                           commands[i]->name, commands[i]->summary);
                for (const struct option *o = options_expand(commands[i]->options, &arena); o->name;
                     o++)
                        fish_option(out, commands[i], o);
        }
}

bool completion_script(const struct command *const *commands, const char *shell, struct buf *out) {
        static const struct {
                const char *name;
                void (*write)(const struct command *const *commands, struct buf *out);
        } shells[] = { { "bash", bash_script }, { "zsh", zsh_script }, { "fish", fish_script } };

        for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
                if (strcmp(shells[i].name, shell) == 0) {
                        shells[i].write(commands, out);
                        return true;
                }
        }
        return false;
}
