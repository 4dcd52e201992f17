/* Help for people and the manual's source, both from the command tables. */
#include "cmd/command.h"

#include "base/slice.h"
#include <ctype.h>
#include <string.h>

/* Wraps words at HELP_WIDTH; a blank line stays a paragraph break. */
static void help_wrap(struct buf *out, const char *text) {
        size_t column = 0;

        for (const char *at = text; *at;) {
                size_t len = strcspn(at, " \n");

                if (column && column + 1 + len > HELP_WIDTH) {
                        buf_char(out, '\n');
                        column = 0;
                }
                if (column) {
                        buf_char(out, ' ');
                        column++;
                }
                buf_append(out, at, len);
                column += len;
                at += len;
                if (strncmp(at, "\n\n", 2) == 0) {
                        buf_text(out, "\n\n");
                        column = 0;
                }
                at += strspn(at, " \n");
        }
        buf_char(out, '\n');
}

static bool has_options(const struct command *command) {
        return command->options && (command->options->name || command->options->group);
}

void command_help(const struct command *command, const char *program, struct buf *out) {
        buf_printf(out, "berth %s: %s\n\nUsage: %s%s%s%s%s\n", command->name, command->summary,
                   program ? "" : "berth ", program ? program : command->name,
                   has_options(command) ? " [OPTION...]" : "", *command->synopsis ? " " : "",
                   command->synopsis);
        if (*command->description) {
                buf_char(out, '\n');
                help_wrap(out, command->description);
        }
        buf_text(out, "\nOptions:\n");
        options_describe(command->options, out);
}

void program_help(const struct command *const *commands, struct buf *out) {
        buf_text(out, "berth places pods, evicts them and reboots nodes, on a Kubernetes cluster\n"
                      "or on one of its own.\n\nUsage: berth COMMAND [OPTION...]\n\nCommands:\n");
        for (size_t i = 0; commands[i]; i++)
                buf_printf(out, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
        buf_text(out,
                 "\n\"berth help COMMAND\" shows the options of one.\n\n"
                 "To begin: \"berth up --input examples/demo\" runs a cluster; plan, explain and\n"
                 "simulate change nothing.\n"
                 "Evictions: descheduler, reboot and evict use EvictionRequests where \"berth\n"
                 "evictions\" runs, else the eviction subresource as kubectl drain does: see\n"
                 "\"berth help evictions\".\n"
                 "Guides are in docs/, manifests with the rights of each command in deploy/.\n");
}

/* Text in man(7): dashes stay dashes, and no line starts with a control character. */
static void manual_text(struct buf *out, const char *text) {
        for (const char *at = text; *at; at++) {
                bool starts_line = at == text || at[-1] == '\n';

                if (*at == '-')
                        buf_text(out, "\\-");
                else if (*at == '\\')
                        buf_text(out, "\\e");
                else if (starts_line && (*at == '.' || *at == '\''))
                        buf_printf(out, "\\&%c", *at);
                else if (strncmp(at, "\n\n", 2) == 0) {
                        buf_text(out, "\n.PP\n");
                        at++;
                } else {
                        buf_char(out, *at);
                }
        }
}

static void manual_option(struct buf *out, const struct option *option) {
        if (option->heading)
                buf_printf(out, ".SS %s\n", option->heading);
        buf_text(out, ".TP\n.B ");
        if (option->letter)
                buf_printf(out, "\\-%c, ", option->letter);
        buf_text(out, "\\-\\-");
        manual_text(out, option->name);
        if (option->value_name) {
                buf_text(out, " \\fI");
                manual_text(out, option->value_name);
                buf_text(out, "\\fR");
        }
        buf_char(out, '\n');
        manual_text(out, option->help);
        for (int i = 0; option->choices && option->choices[i]; i++) {
                buf_text(out, i ? ", " : ": ");
                manual_text(out, option->choices[i]);
        }
        if (option->fallback && *option->fallback && strcmp(option->fallback, "false") != 0) {
                buf_text(out, ". Default: ");
                manual_text(out, option->fallback);
        }
        buf_text(out, option->type == OPTION_TEXTS ? ". May be repeated.\n" : ".\n");
}

static void manual_title(struct buf *out, const char *name) {
        buf_printf(out, ".TH %s 1 \"\" \"berth " BERTH_VERSION "\" \"berth manual\"\n", name);
}

void command_manual(const struct command *command, const char *program, struct buf *out) {
        CLEANUP(arena_release) struct arena arena;
        CLEANUP(buf_release) struct buf title = { 0 };

        arena_init(&arena, 0);
        buf_printf(&title, "%s%s", program ? "" : "berth-", program ? program : command->name);
        for (size_t i = 0; i < title.len; i++)
                title.data[i] = (char)toupper((unsigned char)title.data[i]);
        manual_title(out, title.data);
        buf_printf(out, ".SH NAME\n%s%s \\- ", program ? "" : "berth\\-",
                   program ? program : command->name);
        manual_text(out, command->summary);
        buf_printf(out, "\n.SH SYNOPSIS\n.B %s%s\n", program ? "" : "berth ",
                   program ? program : command->name);
        if (has_options(command))
                buf_text(out, "[\\fIOPTION\\fR...]\n");
        manual_text(out, command->synopsis);
        buf_text(out, *command->synopsis ? "\n.SH DESCRIPTION\n" : ".SH DESCRIPTION\n");
        manual_text(out, *command->description ? command->description : command->summary);
        buf_text(out, "\n.SH OPTIONS\n");
        for (const struct option *o = options_expand(command->options, &arena); o->name; o++)
                manual_option(out, o);
        buf_text(out,
                 ".TP\n.B \\-h, \\-\\-help\nshow help.\n.SH EXIT STATUS\n"
                 "0 done, 1 failed, 2 wrong usage, 3 judged no.\n.SH SEE ALSO\n.BR berth (1)\n");
}

void program_manual(const struct command *const *commands, struct buf *out) {
        manual_title(out, "BERTH");
        buf_text(out, ".SH NAME\nberth \\- place pods, evict them and reboot nodes\n"
                      ".SH SYNOPSIS\n.B berth\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n"
                      ".SH COMMANDS\n");
        for (size_t i = 0; commands[i]; i++) {
                buf_printf(out, ".TP\n.BR berth\\-%s (1)\n", commands[i]->name);
                manual_text(out, commands[i]->summary);
                buf_text(out, ".\n");
        }
        buf_text(out, ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 judged no.\n");
}
