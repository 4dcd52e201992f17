/* Subcommands: one table entry and one file each. */
#pragma once

#include "cmd/option_table.h"

struct program;

enum exit_code { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_JUDGED_NO = 3 };

struct command_call {
        const void *options;            /* struct filled by the option table */
        struct arguments arguments;     /* words that are not options */
        struct option_texts part_words; /* options of the command's parts */
        struct arena *arena;            /* lives as long as the command */
        const char *program;            /* argv[0] */
        const struct program *tables;   /* all of the program, for its help */
};

struct command {
        const char *name;
        const char *summary;             /* one line without a full stop */
        const char *synopsis;            /* arguments after the options; "" = none */
        const char *description;         /* paragraphs for help and manual, separated by \n\n */
        const struct option *options;    /* NULL = none */
        size_t options_size;             /* of the struct they fill */
        const struct option_part *parts; /* whose options it takes, too; NULL = none */
        size_t arguments_min, arguments_max;
        const char *const *argument_choices; /* completion; NULL-ended, NULL = none */
        bool takes_files, takes_commands;    /* completion of arguments */
        enum option_names argument_names;
        /* Name of the program it replaces: started under it, the program is this command. */
        const char *stands_in_for;
        /* Options are also taken from the environment, prefix and name in capitals, and go before
         * the command line; NULL = they are not. */
        const char *environment_prefix;
        /* What run would refuse about its options, whatever machine it runs on; NULL = what the
         * table says is all. */
        int (*check)(const void *options, struct arena *arena, struct err *err);
        /* Returns an exit code; failures are already reported on standard error. */
        int (*run)(const struct command_call *call);
};

/* Both NULL-ended. */
struct program {
        const struct command *const *commands;  /* in the order of help */
        const struct command *const *stand_ins; /* for programs, by the name it is started under */
};
extern const struct program program_berth; /* commands.c */

const struct command *command_find(const struct command *const *commands, const char *name);
/* The command that a program started as path is: its own command line, or the command that takes
 * its place as it is; NULL for berth itself. */
const struct command *command_standing_in(const struct program *program, const char *path);
/* "unknown command "X"; did you mean "Y"?" */
void command_unknown_text(const struct command *const *commands, const char *name, struct buf *out);
/* The same on standard error, for an unknown WORD of a list of words: "WHO: expected one of A, B,
 * C, found "X"; did you mean "B"?". NULL-ended. Returns EXIT_USAGE. */
int command_unknown_word(const char *who, const char *const *words, const char *found);
/* Tells standard error that there is no such command, and which one may have been meant. */
void command_unknown(const struct command *const *commands, const char *who, const char *name);
/* Parses and runs argv; returns the exit code. */
int command_main(const struct program *program, int argc, char **argv);

/* The words with options from the environment behind them, which therefore win; a list given in
 * both is joined.  Says so on standard error where the environment may not set an option. */
struct option_texts command_with_environment(const struct command *command,
                                             struct option_texts words, struct arena *arena);

/* "berth up: file:line: path: text" on standard error; returns the exit code for the error:
 * EXIT_USAGE for BERTH_ERR_USAGE, else EXIT_FAILED. */
int command_failed(const char *command, const struct err *err);
/* Prints the text on standard output and releases it; returns the exit code. Printing that fails (a
 * full disk behind >) does not look like success. */
int command_print(const char *command, struct buf *text);

/* program: whose command line it is when berth stands in for it; NULL = berth's own. */
void command_help(const struct command *command, const char *program, struct buf *out);
void program_help(const struct command *const *commands, struct buf *out);
/* Source for man(7). */
void command_manual(const struct command *command, const char *program, struct buf *out);
void program_manual(const struct command *const *commands, struct buf *out);
