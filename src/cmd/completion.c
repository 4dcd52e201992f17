/* What may stand in place of a word on berth's command line, from the command tables and, for names
 * of objects, from the cluster. */
#include "cmd/completion.h"

#include "ask/name_reader.h"
#include "base/util.h"
#include "client/url_query.h"
#include <stdlib.h>
#include <string.h>

struct completion {
        const struct program *program;
        const struct command *command; /* NULL = not typed yet */
        struct slice word;             /* the one to complete, or the value in it */
        struct slice option_prefix;    /* of --name=value: what stands before the value */
        const struct option *pending;  /* whose value the word is */
        const char *kubeconfig, *context, *ns;
        bool has_ended;   /* -- was there */
        bool takes_files; /* files may stand there, too */
        struct arena *arena;
        struct buf *out;
};

static void completion_offer(struct completion *completion, struct slice text, const char *help) {
        if (!slice_has_prefix(text, completion->word))
                return;
        buf_printf(completion->out, SLICE_FMT SLICE_FMT "\t%.*s\n",
                   SLICE_ARG(completion->option_prefix), SLICE_ARG(text), (int)strcspn(help, "\n"),
                   help);
}

/* ---- names of the cluster ---- */

struct name_offer {
        struct completion *completion;
        const char *only_ns, *but_ns;
        bool has_ns_prefix;
};

static void offer_name(void *context, struct slice ns, struct slice name) {
        struct name_offer *offer = context;
        struct completion *completion = offer->completion;

        if (offer->but_ns && slice_is(ns, offer->but_ns))
                return;
        if (offer->has_ns_prefix)
                name = slice_of(arena_printf(completion->arena, SLICE_FMT "/" SLICE_FMT,
                                             SLICE_ARG(ns), SLICE_ARG(name)));
        completion_offer(completion, name, "");
}

/* Pods are NAME in their namespace, and NAMESPACE/NAME in all. */
static void offer_pods(struct completion *completion, struct name_reader *reader) {
        const char *slash = memchr(completion->word.ptr, '/', completion->word.len);
        struct name_offer offer = { .completion = completion, .has_ns_prefix = true };
        CLEANUP(buf_release) struct buf path = { 0 };
        struct slice ns =
                slash ? slice_make(completion->word.ptr, (size_t)(slash - completion->word.ptr))
                      : slice_of(completion->ns);
        struct err err = { 0 };

        buf_text(&path, "/api/v1/namespaces/");
        url_escape(&path, ns);
        buf_text(&path, "/pods");
        offer.has_ns_prefix = slash;
        if (name_reader_read(reader, path.data, offer_name, &offer, &err) < 0 || slash)
                return;
        offer.has_ns_prefix = true;
        offer.but_ns = completion->ns;
        name_reader_read(reader, "/api/v1/pods", offer_name, &offer, &err);
}

/* A cluster that does not answer has no names; a word is completed without them. */
static void offer_names(struct completion *completion, enum option_names names) {
        struct snapshot_source source = { .kubeconfig = completion->kubeconfig,
                                          .context = completion->context };
        struct name_offer offer = { .completion = completion };
        struct name_reader *reader;
        struct err err = { 0 };

        if (names == NAMES_NONE || name_reader_new(&source, &reader, &err) < 0)
                return;
        if (names == NAMES_PODS)
                offer_pods(completion, reader);
        else
                name_reader_read(reader,
                                 names == NAMES_NODES ? "/api/v1/nodes" : "/api/v1/namespaces",
                                 offer_name, &offer, &err);
        name_reader_free(reader);
}

/* ---- words of the tables ---- */

static void offer_commands(struct completion *completion) {
        for (size_t i = 0; completion->program->commands[i]; i++)
                completion_offer(completion, slice_of(completion->program->commands[i]->name),
                                 completion->program->commands[i]->summary);
        completion_offer(completion, SLICE_LITERAL("--help"), "show help");
        completion_offer(completion, SLICE_LITERAL("--version"), "print the version");
}

static void offer_table(struct completion *completion, const struct option *options) {
        for (const struct option *o = options_expand(options, completion->arena); o->name; o++)
                completion_offer(completion,
                                 slice_of(arena_printf(completion->arena, "--%s", o->name)),
                                 o->help);
}

static void offer_options(struct completion *completion) {
        const struct option_part *part = completion->command->parts;

        offer_table(completion, completion->command->options);
        for (; part && part->name; part++)
                offer_table(completion, part->options);
        completion_offer(completion, SLICE_LITERAL("--help"), "show help");
}

static void offer_values(struct completion *completion, const struct option *option) {
        for (size_t i = 0; option->choices && option->choices[i]; i++)
                completion_offer(completion, slice_of(option->choices[i]), "");
        if (option->type == OPTION_FLAG) {
                completion_offer(completion, SLICE_LITERAL("true"), "");
                completion_offer(completion, SLICE_LITERAL("false"), "");
        }
        completion->takes_files = option->is_file;
        offer_names(completion, option->names);
}

static void offer_arguments(struct completion *completion) {
        const struct command *command = completion->command;
        const struct command *const *commands = completion->program->commands;

        for (size_t i = 0; command->argument_choices && command->argument_choices[i]; i++)
                completion_offer(completion, slice_of(command->argument_choices[i]), "");
        for (size_t i = 0; command->takes_commands && commands[i]; i++)
                completion_offer(completion, slice_of(commands[i]->name), commands[i]->summary);
        completion->takes_files = command->takes_files;
        offer_names(completion, command->argument_names);
}

/* ---- the words before it ---- */

static const struct option *find_in(const struct option *options, struct slice name,
                                    struct arena *arena) {
        for (const struct option *o = options_expand(options, arena); o->name; o++)
                if (name.len == 1 ? o->letter == *name.ptr : slice_is(name, o->name))
                        return o;
        return NULL;
}

/* The option that a word names, -n or --namespace; NULL = none. */
static const struct option *find_option(const struct completion *completion, struct slice word) {
        const struct command *command = completion->command;
        size_t dashes = word.len > 1 && word.ptr[1] == '-' ? 2 : 1;
        struct slice name = slice_make(word.ptr + dashes, word.len - dashes);
        const struct option *found = NULL;

        if (!name.len || (dashes == 1) != (name.len == 1))
                return NULL;
        found = find_in(command->options, name, completion->arena);
        for (const struct option_part *part = command->parts; !found && part && part->name; part++)
                found = find_in(part->options, name, completion->arena);
        return found;
}

/* The shells leave ~ as it is. */
static const char *expand_home(const char *path, struct arena *arena) {
        const char *home = getenv("HOME");

        return path[0] == '~' && path[1] == '/' && home
                       ? arena_printf(arena, "%s%s", home, path + 1)
                       : path;
}

static void note_value(struct completion *completion, const struct option *option,
                       const char *value) {
        if (strcmp(option->name, "kubeconfig") == 0)
                completion->kubeconfig = expand_home(value, completion->arena);
        else if (strcmp(option->name, "context") == 0)
                completion->context = value;
        else if (strcmp(option->name, "namespace") == 0)
                completion->ns = value;
}

static void read_word(struct completion *completion, const char *word) {
        size_t len = strcspn(word, "=");

        if (completion->pending) {
                note_value(completion, completion->pending, word);
                completion->pending = NULL;
                return;
        }
        if (completion->has_ended || word[0] != '-' || word[1] == '\0')
                return;
        if (strcmp(word, "--") == 0) {
                completion->has_ended = true;
                return;
        }
        const struct option *option = find_option(completion, slice_make(word, len));
        if (option && word[len] == '=')
                note_value(completion, option, word + len + 1);
        else if (option && option->type != OPTION_FLAG && !option->bare)
                completion->pending = option;
}

static void complete_word(struct completion *completion, const char *word) {
        size_t len = strcspn(word, "=");
        const struct option *option = NULL;

        completion->word = slice_of(word);
        if (!completion->command) {
                offer_commands(completion);
        } else if (completion->pending) {
                offer_values(completion, completion->pending);
        } else if (completion->has_ended || word[0] != '-') {
                offer_arguments(completion);
        } else if (word[len] == '=') {
                option = find_option(completion, slice_make(word, len));
                completion->option_prefix = slice_make(word, len + 1);
                completion->word = slice_of(word + len + 1);
                if (option)
                        offer_values(completion, option);
        } else {
                offer_options(completion);
        }
}

void completion_words(const struct program *program, const char *name,
                      const struct arguments *words, struct buf *out) {
        CLEANUP(arena_release) struct arena arena;
        struct completion completion = { .program = program,
                                         .command = command_standing_in(program, name),
                                         .ns = "default",
                                         .arena = &arena,
                                         .out = out };
        size_t at = 0;

        arena_init(&arena, 0);
        if (!completion.command && words->count > 1) {
                completion.command = command_find(program->commands, words->items[at++]);
                if (!completion.command)
                        return;
        }
        for (; at + 1 < words->count; at++)
                read_word(&completion, words->items[at]);
        complete_word(&completion, words->count ? words->items[words->count - 1] : "");
        buf_text(out, completion.takes_files ? ":0\n" : ":4\n");
}
