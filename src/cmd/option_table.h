/* Command lines through tables: one static table per command yields parsing, defaults, help, shell
 * completion and the manual page. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
        OPTION_FLAG,     /* bool; --name, --name=true|false */
        OPTION_TEXT,     /* const char *; NULL when not given and without default */
        OPTION_I64,      /* int64_t */
        OPTION_F64,      /* double */
        OPTION_DURATION, /* int64_t nanoseconds, Go syntax */
        OPTION_CHOICE,   /* int: index in choices */
        OPTION_TEXTS,    /* struct option_texts; may be given again and again */
};

/* Of which objects of the cluster completion offers the names. */
enum option_names { NAMES_NONE, NAMES_NODES, NAMES_PODS, NAMES_NAMESPACES };

struct option_texts {
        size_t count;
        const char **items; /* in the arena */
};

/* A default of a group's option in place of the one in its table. */
struct option_default {
        const char *name, *fallback;
};

/* One option, or a group of them: another table, all of whose offsets count from offset. A table
 * ends with an entry that is neither. */
struct option {
        const struct option *group;            /* NULL = an option */
        const struct option_default *defaults; /* of the group; ended by a NULL name; NULL = none */
        const char *name; /* long name without dashes; underscores are accepted for hyphens */
        char letter;      /* short name; 0 = none */
        enum option_type type;
        size_t offset;
        const char *value_name; /* FILE, ADDR:PORT; NULL for flags */
        const char *fallback;   /* default as it would be written; NULL = zero */
        int64_t min, max;       /* I64 and DURATION, both 0 = any */
        const char *const *choices;
        const char *bare;    /* value of a CHOICE without one: --name; NULL = it needs one */
        const char *heading; /* above it in help texts: begins a group; NULL = none */
        const char *help;    /* one sentence without a full stop */
        bool is_file;        /* completion offers files */
        enum option_names names;
        size_t presence;     /* offset of a bool set when it is given; 0 = none */
        const char *warning; /* logged when the option is given: "has no effect"; NULL = none */
        bool has_no_effect;  /* the value is checked and forgotten; offset means nothing */
        bool is_not_in_environment; /* where a command reads its options from there */
};
#define HELP_WIDTH 79      /* columns of help texts */
#define HELP_COLUMN 28     /* where the texts of options begin */
#define ARGUMENTS_MAX 4096 /* words on one command line */

struct arguments { /* what is not an option, in order */
        size_t count;
        const char **items;
};

/* Options of a part of the program, which parses them itself: --name where the command has no
 * option of that name, and --part.name. */
struct option_part {
        const char *name; /* NULL ends a list */
        const struct option *options;
};

struct command_line {
        void *options;                   /* the struct to fill; zeroed by the caller */
        const struct option_part *parts; /* NULL = none */
        struct option_texts part_words;  /* options of parts, each with its value: --name=value */
        struct arguments arguments;
        bool wants_help;              /* -h or --help was there */
        struct option_texts warnings; /* of options that were given */
        size_t stopped_at;            /* after a failure: the word that was wrong */
};

/* The table with its groups in place; ended by a NULL name. options may be NULL. */
const struct option *options_expand(const struct option *options, struct arena *arena);

/* Fills line (defaults first) from words.  Options may stand anywhere; "--" ends them.
 * BERTH_ERR_USAGE names the option and what was expected. */
int options_parse(const struct option *options, struct option_texts words, struct arena *arena,
                  struct command_line *line, struct err *err);

/* The words of part_words that are for this part, as --name=value. */
struct option_texts options_of_part(const struct option_texts *part_words,
                                    const struct option_part *part, struct arena *arena);

/* Appends the name and the help of each option and of --help, in lines of at most HELP_WIDTH. */
void options_describe(const struct option *options, struct buf *out);
