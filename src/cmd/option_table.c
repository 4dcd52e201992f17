/* Parsing and describing of option tables. */
#include "cmd/option_table.h"

#include "base/name_hint.h"
#include "base/slice.h"
#include "base/time.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_PART_MIN 4 /* characters of a name that tell something */

struct parse {
        const struct option *options;
        struct arena *arena;
        void *into;
        union { /* where options without effect put their values */
                bool flag;
                int choice;
                int64_t number;
                double real;
                const char *text;
        } unused;
        struct err *err;
        bool wants_help;
        struct option_texts warnings, part_words;
        const struct option_part *parts;
};

static bool name_matches(const char *name, struct slice word) {
        size_t i;

        for (i = 0; i < word.len; i++) {
                char c = word.ptr[i] == '_' ? '-' : word.ptr[i];

                if (name[i] == '\0' || name[i] != c)
                        return false;
        }
        return name[i] == '\0';
}

static const struct option *option_find(const struct option *options, struct slice word) {
        for (; options->name; options++)
                if (name_matches(options->name, word))
                        return options;
        return NULL;
}

static const struct option *option_of_letter(const struct option *options, char letter) {
        for (; options->name; options++)
                if (options->letter == letter)
                        return options;
        return NULL;
}

static int bad_value(struct parse *parse, const struct option *option, const char *expected,
                     const char *text) {
        return err_set(parse->err, BERTH_ERR_USAGE, "option --%s: expected %s, found \"%s\"",
                       option->name, expected, text);
}

static void *option_table_member(struct parse *parse, const struct option *option) {
        if (option->has_no_effect)
                return &parse->unused;
        return (char *)parse->into + option->offset;
}

/* As Go reads booleans on command lines. */
static int set_flag(struct parse *parse, const struct option *option, const char *text) {
        static const struct {
                const char *text;
                bool value;
        } words[] = {
                { "true", true },   { "True", true }, { "TRUE", true },   { "t", true },
                { "T", true },      { "1", true },    { "false", false }, { "False", false },
                { "FALSE", false }, { "f", false },   { "F", false },     { "0", false },
        };

        for (size_t i = 0; i < ARRAY_LEN(words); i++)
                if (!text || strcmp(text, words[i].text) == 0) {
                        *(bool *)option_table_member(parse, option) = words[i].value;
                        return 0;
                }
        return bad_value(parse, option, "true or false", text);
}

static int check_range(struct parse *parse, const struct option *option, int64_t value,
                       const char *text) {
        char expected[128];
        char low[DURATION_TEXT_MAX], high[DURATION_TEXT_MAX];

        if ((option->min == 0 && option->max == 0) ||
            (value >= option->min && value <= option->max))
                return 0;
        if (option->type == OPTION_DURATION) {
                duration_format(option->min, low);
                duration_format(option->max, high);
                snprintf(expected, sizeof(expected), "a duration from %s to %s", low, high);
        } else {
                snprintf(expected, sizeof(expected), "a number from %lld to %lld",
                         (long long)option->min, (long long)option->max);
        }
        return bad_value(parse, option, expected, text);
}

static int set_number(struct parse *parse, const struct option *option, const char *text) {
        int64_t value;

        if (!slice_to_i64(slice_of(text), &value))
                return bad_value(parse, option, "a whole number", text);
        if (check_range(parse, option, value, text) < 0)
                return BERTH_ERR_USAGE;
        *(int64_t *)option_table_member(parse, option) = value;
        return 0;
}

static int set_real(struct parse *parse, const struct option *option, const char *text) {
        char *end = NULL;
        double value = strtod(text, &end);

        if (end == text || *end != '\0' || !(value >= -1e300 && value <= 1e300))
                return bad_value(parse, option, "a number", text);
        *(double *)option_table_member(parse, option) = value;
        return 0;
}

static int set_duration(struct parse *parse, const struct option *option, const char *text) {
        int64_t value;

        if (!duration_parse(slice_of(text), &value))
                return bad_value(parse, option, "a duration such as 90s or 5m", text);
        if (check_range(parse, option, value, text) < 0)
                return BERTH_ERR_USAGE;
        *(int64_t *)option_table_member(parse, option) = value;
        return 0;
}

static int set_choice(struct parse *parse, const struct option *option, const char *text) {
        struct name_hint hint = name_hint_start(slice_of(text));
        struct buf expected = { 0 };

        for (int i = 0; option->choices[i]; i++) {
                if (strcmp(option->choices[i], text) == 0) {
                        *(int *)option_table_member(parse, option) = i;
                        buf_release(&expected);
                        return 0;
                }
                buf_printf(&expected, "%s%s", i ? ", " : "one of ", option->choices[i]);
                name_hint_try(&hint, option->choices[i]);
        }
        int code =
                err_set(parse->err, BERTH_ERR_USAGE, "option --%s: expected %s, found \"%s\"%s%s%s",
                        option->name, expected.data, text, hint.best ? "; did you mean \"" : "",
                        hint.best ? hint.best : "", hint.best ? "\"?" : "");
        buf_release(&expected);
        return code;
}

static void option_table_append(struct parse *parse, struct option_texts *texts, const char *text) {
        const char **items = ARENA_ARRAY(parse->arena, const char *, texts->count + 1);

        if (texts->count)
                memcpy(items, texts->items, texts->count * sizeof(*items));
        items[texts->count++] = text;
        texts->items = items;
}

static int set_value(struct parse *parse, const struct option *option, const char *text) {
        switch (option->type) {
        case OPTION_FLAG:
                return set_flag(parse, option, text);
        case OPTION_TEXT:
                *(const char **)option_table_member(parse, option) = text;
                return 0;
        case OPTION_I64:
                return set_number(parse, option, text);
        case OPTION_F64:
                return set_real(parse, option, text);
        case OPTION_DURATION:
                return set_duration(parse, option, text);
        case OPTION_CHOICE:
                return set_choice(parse, option, text);
        case OPTION_TEXTS:
                if (!option->has_no_effect)
                        option_table_append(parse, option_table_member(parse, option), text);
                return 0;
        }
        return 0;
}

/* Notes that the option stands on the command line. */
static void note_given(struct parse *parse, const struct option *option) {
        if (option->presence)
                *(bool *)((char *)parse->into + option->presence) = true;
        if (option->warning)
                option_table_append(parse, &parse->warnings,
                                    arena_printf(parse->arena, "option --%s: %s", option->name,
                                                 option->warning));
}

static bool is_choice(const struct option *option, const char *word) {
        for (size_t i = 0; option->choices[i]; i++)
                if (strcmp(option->choices[i], word) == 0)
                        return true;
        return false;
}

/* Whether the option stands there without a value. */
static bool is_bare(const struct option *option, const char *const *words, size_t count,
                    size_t at) {
        return option->bare && (at + 1 >= count || !is_choice(option, words[at + 1]));
}

/* Takes the value of an option: after "=", or the next word.  Flags take only the former. */
static int take_value(struct parse *parse, const struct option *option, const char *attached,
                      const char *const *words, size_t count, size_t *at) {
        note_given(parse, option);
        if (option->type == OPTION_FLAG || attached)
                return set_value(parse, option, attached);
        if (is_bare(option, words, count, *at))
                return set_value(parse, option, option->bare);
        if (*at + 1 >= count)
                return err_set(parse->err, BERTH_ERR_USAGE, "option --%s: expected %s after it",
                               option->name, option->value_name);
        return set_value(parse, option, words[++*at]);
}

/* ---- options of parts ---- */

/* The option the word (without dashes) names for this part; NULL = none. */
static const struct option *option_of_part(const struct option_part *part, struct slice word,
                                           struct arena *arena) {
        size_t size = strlen(part->name);

        if (slice_has_prefix(word, slice_of(part->name)) && word.len > size &&
            word.ptr[size] == '.')
                word = slice_make(word.ptr + size + 1, word.len - size - 1);
        return option_find(options_expand(part->options, arena), word);
}

/* Keeps an option that some part knows, with its value; false when none does. */
static bool parse_for_part(struct parse *parse, const char *const *words, size_t count,
                           size_t *at) {
        const char *word = words[*at] + 2, *equals = strchr(word, '=');
        struct slice name = equals ? slice_make(word, (size_t)(equals - word)) : slice_of(word);
        const struct option *option = NULL;

        for (const struct option_part *part = parse->parts; part && part->name && !option; part++)
                option = option_of_part(part, name, parse->arena);
        if (!option)
                return false;
        if (!equals && option->type != OPTION_FLAG && *at + 1 < count &&
            !is_bare(option, words, count, *at))
                word = arena_printf(parse->arena, "%s=%s", word, words[++*at]);
        option_table_append(parse, &parse->part_words, arena_printf(parse->arena, "--%s", word));
        return true;
}

struct option_texts options_of_part(const struct option_texts *part_words,
                                    const struct option_part *part, struct arena *arena) {
        struct option_texts words = { 0, ARENA_ARRAY(arena, const char *, part_words->count + 1) };

        for (size_t i = 0; i < part_words->count; i++) {
                const char *word = part_words->items[i] + 2;
                struct slice name = slice_make(word, strcspn(word, "="));
                size_t size = strlen(part->name);

                if (!option_of_part(part, name, arena))
                        continue;
                if (strncmp(word, part->name, size) == 0 && word[size] == '.')
                        word += size + 1;
                words.items[words.count++] = arena_printf(arena, "--%s", word);
        }
        return words;
}

/* The option that was meant: a letter or two away, or a longer name with this one in it. */
static const char *meant_option(const struct parse *parse, struct slice name) {
        struct name_hint hint = name_hint_start(name);
        const char *longer = NULL;

        for (const struct option *option = parse->options; option->name; option++) {
                name_hint_try(&hint, option->name);
                if (!longer && name.len >= NAME_PART_MIN && !option->has_no_effect &&
                    slice_contains(slice_of(option->name), name))
                        longer = option->name;
        }
        return hint.best ? hint.best : longer;
}

static int fail_unknown_option(const struct parse *parse, struct slice name) {
        const char *meant = meant_option(parse, name);

        return err_set(parse->err, BERTH_ERR_USAGE, "unknown option --" SLICE_FMT "%s%s%s",
                       SLICE_ARG(name), meant ? "; did you mean --" : "", meant ? meant : "",
                       meant ? "?" : "");
}

static int parse_long(struct parse *parse, const char *const *words, size_t count, size_t *at) {
        const char *word = words[*at] + 2;
        const char *equals = strchr(word, '=');
        struct slice name = equals ? slice_make(word, (size_t)(equals - word)) : slice_of(word);
        const struct option *option = option_find(parse->options, name);

        if (!option && slice_is(name, "help")) {
                parse->wants_help = true;
                return 0;
        }
        if (!option && parse_for_part(parse, words, count, at))
                return 0;
        if (!option)
                return fail_unknown_option(parse, name);
        return take_value(parse, option, equals ? equals + 1 : NULL, words, count, at);
}

static int parse_short(struct parse *parse, const char *const *words, size_t count, size_t *at) {
        const char *word = words[*at];
        const struct option *option = option_of_letter(parse->options, word[1]);

        if (!option && word[1] == 'h') {
                parse->wants_help = true;
                return 0;
        }
        if (!option)
                return err_set(parse->err, BERTH_ERR_USAGE, "unknown option %s", word);
        if (option->type == OPTION_FLAG && word[2] != '\0' && word[2] != '=')
                return err_set(parse->err, BERTH_ERR_USAGE, "unknown option %s", word);
        const char *attached = word[2] == '=' ? word + 3 : word[2] ? word + 2 : NULL;
        return take_value(parse, option, attached, words, count, at);
}

static int set_defaults(struct parse *parse) {
        for (const struct option *o = parse->options; o->name; o++)
                if (o->fallback && set_value(parse, o, o->fallback) < 0)
                        return BERTH_ERR_USAGE;
        return 0;
}

int options_parse(const struct option *options, struct option_texts words, struct arena *arena,
                  struct command_line *line, struct err *err) {
        struct parse parse = { .options = options_expand(options, arena),
                               .arena = arena,
                               .into = line->options,
                               .err = err,
                               .parts = line->parts };
        struct arguments arguments = { 0, ARENA_ARRAY(arena, const char *, words.count + 1) };
        bool options_ended = false;
        int code = set_defaults(&parse);

        if (words.count > ARGUMENTS_MAX)
                return err_set(err, BERTH_ERR_USAGE, "more than %d words", ARGUMENTS_MAX);
        for (size_t i = 0; code == 0 && i < words.count; i++) {
                const char *word = words.items[i];

                line->stopped_at = i;
                if (options_ended || word[0] != '-' || word[1] == '\0')
                        arguments.items[arguments.count++] = word;
                else if (strcmp(word, "--") == 0)
                        options_ended = true;
                else if (word[1] == '-')
                        code = parse_long(&parse, words.items, words.count, &i);
                else
                        code = parse_short(&parse, words.items, words.count, &i);
        }
        if (code < 0)
                return code;
        line->arguments = arguments;
        line->wants_help = parse.wants_help;
        line->warnings = parse.warnings;
        line->part_words = parse.part_words;
        return 0;
}

/* Appends text word by word from HELP_COLUMN on; a word that would pass HELP_WIDTH starts a line.
 * The default at its end stays in one piece where a line holds it. */
static void describe_wrapped(struct buf *out, size_t line_start, const char *text) {
        while (*text) {
                bool is_default = strncmp(text, "(default ", strlen("(default ")) == 0 &&
                                  strlen(text) <= HELP_WIDTH - HELP_COLUMN;
                size_t len = is_default ? strlen(text) : strcspn(text, " ");

                if (out->len - line_start > HELP_COLUMN) {
                        if (out->len - line_start + 1 + len > HELP_WIDTH) {
                                buf_char(out, '\n');
                                line_start = out->len;
                                buf_printf(out, "%*s", HELP_COLUMN, "");
                        } else {
                                buf_char(out, ' ');
                        }
                }
                buf_append(out, text, len);
                text += len;
                text += strspn(text, " ");
        }
}

static void describe_option(const struct option *option, struct buf *out) {
        CLEANUP(buf_release) struct buf text = { 0 };

        if (option->heading)
                buf_printf(out, "\n%s:\n", option->heading);
        size_t start = out->len;
        buf_text(out, "  ");
        if (option->letter)
                buf_printf(out, "-%c, ", option->letter);
        buf_printf(out, "--%s", option->name);
        if (option->value_name)
                buf_printf(out, " %s", option->value_name);
        if (out->len - start > HELP_COLUMN - 2) {
                buf_char(out, '\n');
                start = out->len;
        }
        while (out->len - start < HELP_COLUMN)
                buf_char(out, ' ');
        buf_text(&text, option->help);
        if (option->choices) {
                buf_text(&text, ": ");
                for (int i = 0; option->choices[i]; i++)
                        buf_printf(&text, "%s%s", i ? ", " : "", option->choices[i]);
        }
        if (option->type == OPTION_TEXTS)
                buf_text(&text, " (may be repeated)");
        if (option->fallback && *option->fallback && strcmp(option->fallback, "false") != 0)
                buf_printf(&text, " (default %s)", option->fallback);
        describe_wrapped(out, start, text.data);
        buf_char(out, '\n');
}

void options_describe(const struct option *options, struct buf *out) {
        static const struct option help = { .name = "help",
                                            .letter = 'h',
                                            .help = "show this help" };

        CLEANUP(arena_release) struct arena arena;

        arena_init(&arena, 0);
        for (const struct option *o = options_expand(options, &arena); o->name; o++)
                describe_option(o, out);
        describe_option(&help, out);
}
