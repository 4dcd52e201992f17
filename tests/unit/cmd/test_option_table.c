/* Option tables: every type, valid and invalid, with the messages users see. */
#include "cmd/option_table.h"

#include "base/time.h"
#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct sample {
        bool is_loud;
        const char *name;
        int64_t count, wait_ns;
        double share;
        int shape, when;
        struct option_texts files;
};

static const char *const shapes[] = { "round", "square", NULL };
static const char *const whens[] = { "never", "sometimes", "always", NULL };
static const struct option sample_options[] = {
        { .name = "loud-mode",
          .letter = 'l',
          .type = OPTION_FLAG,
          .offset = offsetof(struct sample, is_loud),
          .help = "be loud" },
        { .name = "name",
          .type = OPTION_TEXT,
          .offset = offsetof(struct sample, name),
          .value_name = "TEXT",
          .fallback = "nobody",
          .help = "who" },
        { .name = "count",
          .letter = 'c',
          .type = OPTION_I64,
          .offset = offsetof(struct sample, count),
          .value_name = "N",
          .fallback = "3",
          .min = 1,
          .max = 9,
          .help = "how many" },
        { .name = "wait",
          .type = OPTION_DURATION,
          .offset = offsetof(struct sample, wait_ns),
          .value_name = "DURATION",
          .min = 0,
          .max = 60 * NS_PER_S,
          .help = "how long" },
        { .name = "share",
          .type = OPTION_F64,
          .offset = offsetof(struct sample, share),
          .value_name = "X",
          .help = "how much" },
        { .name = "shape",
          .type = OPTION_CHOICE,
          .offset = offsetof(struct sample, shape),
          .value_name = "SHAPE",
          .choices = shapes,
          .fallback = "square",
          .help = "which" },
        { .name = "when",
          .type = OPTION_CHOICE,
          .offset = offsetof(struct sample, when),
          .value_name = "WHEN",
          .choices = whens,
          .bare = "always",
          .help = "how often" },
        { .name = "file",
          .letter = 'f',
          .type = OPTION_TEXTS,
          .offset = offsetof(struct sample, files),
          .value_name = "FILE",
          .help = "what" },
        { 0 },
};

struct parsed {
        struct arena arena;
        struct sample sample;
        struct command_line line;
        struct err err;
        int code;
};

/* line: words separated by single blanks */
static struct parsed *parse(const char *line) {
        struct parsed *parsed = xcalloc(1, sizeof(*parsed));
        const char *words[32];
        size_t count = 0;
        char *rest, *word;

        arena_init(&parsed->arena, 0);
        rest = arena_string(&parsed->arena, slice_of(line));
        while ((word = strsep(&rest, " ")) && count < ARRAY_LEN(words))
                if (*word)
                        words[count++] = word;
        parsed->line.options = &parsed->sample;
        parsed->code = options_parse(sample_options, (struct option_texts){ count, words },
                                     &parsed->arena, &parsed->line, &parsed->err);
        return parsed;
}

static void drop(struct parsed *parsed) {
        arena_release(&parsed->arena);
        free(parsed);
}

/* A choice that once was a flag may stand without a value; the next word is its value only when it
 * is one. */
static void takes_bare_choices(void **state) {
        static const struct {
                const char *line;
                int when; /* -1 = refused */
                size_t arguments;
        } cases[] = {
                { "", 0, 0 },
                { "--when", 2, 0 },
                { "--when --loud-mode", 2, 0 },
                { "--when=sometimes", 1, 0 },
                { "--when sometimes", 1, 0 },
                { "--when pod", 2, 1 },
                { "--when never pod", 0, 1 },
                { "--when=true", -1, 0 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct parsed *p = parse(cases[i].line);

                if ((p->code < 0) != (cases[i].when < 0) ||
                    (p->code == 0 && (p->sample.when != cases[i].when ||
                                      p->line.arguments.count != cases[i].arguments)))
                        fail_msg("%s: %d, %zu arguments", cases[i].line, p->sample.when,
                                 p->line.arguments.count);
                drop(p);
        }
}

static void takes_defaults(void **state) {
        struct parsed *p = parse("");

        (void)state;
        assert_int_equal(p->code, 0);
        assert_false(p->sample.is_loud);
        assert_string_equal(p->sample.name, "nobody");
        assert_int_equal(p->sample.count, 3);
        assert_int_equal(p->sample.shape, 1);
        assert_int_equal(p->sample.files.count, 0);
        drop(p);
}

static void takes_every_form(void **state) {
        struct parsed *p =
                parse("--loud_mode one --name=x -c 7 --wait 1m --share 0.5 --shape round "
                      "-fa --file b two -- --three");

        (void)state;
        assert_int_equal(p->code, 0);
        assert_true(p->sample.is_loud);
        assert_string_equal(p->sample.name, "x");
        assert_int_equal(p->sample.count, 7);
        assert_int_equal(p->sample.wait_ns, 60 * NS_PER_S);
        assert_true(p->sample.share > 0.49 && p->sample.share < 0.51);
        assert_int_equal(p->sample.shape, 0);
        assert_int_equal(p->sample.files.count, 2);
        assert_string_equal(p->sample.files.items[1], "b");
        assert_int_equal(p->line.arguments.count, 3);
        assert_string_equal(p->line.arguments.items[2], "--three");
        drop(p);
}

static void refuses(void **state) {
        static const struct {
                const char *line, *text;
        } cases[] = {
                { "--nope", "unknown option --nope" },
                { "-x", "unknown option -x" },
                { "--name", "option --name: expected TEXT after it" },
                { "--count ten", "option --count: expected a whole number, found \"ten\"" },
                { "--count 10", "option --count: expected a number from 1 to 9, found \"10\"" },
                { "--count=0", "option --count: expected a number from 1 to 9, found \"0\"" },
                { "--wait 5", "option --wait: expected a duration such as 90s or 5m, found \"5\"" },
                { "--wait 61s",
                  "option --wait: expected a duration from 0s to 1m0s, found \"61s\"" },
                { "--share x", "option --share: expected a number, found \"x\"" },
                { "--shape flat", "option --shape: expected one of round, square, found \"flat\"" },
                { "--loud-mode=perhaps",
                  "option --loud-mode: expected true or false, found \"perhaps\"" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct parsed *p = parse(cases[i].line);

                assert_int_equal(p->code, BERTH_ERR_USAGE);
                assert_string_equal(p->err.text, cases[i].text);
                drop(p);
        }
}

static void asks_for_help(void **state) {
        struct parsed *p = parse("--help");

        (void)state;
        assert_int_equal(p->code, 0);
        assert_true(p->line.wants_help);
        drop(p);
        p = parse("-h");
        assert_true(p->line.wants_help);
        drop(p);
}

static void describes(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };

        (void)state;
        options_describe(sample_options, &out);
        assert_non_null(strstr(out.data, "  -c, --count N             how many (default 3)\n"));
        assert_non_null(strstr(out.data, "which: round, square (default square)\n"));
        assert_non_null(strstr(out.data, "what (may be repeated)\n"));
}

/* A group within a group: offsets add up, the outer default goes before the inner one. */
struct sample_outer {
        int64_t other;
        struct sample_inner {
                int64_t size;
                const char *colour;
        } inner, second;
};

static const struct option leaf_table[] = {
        { .name = "size",
          .type = OPTION_I64,
          .offset = offsetof(struct sample_inner, size),
          .value_name = "N",
          .fallback = "1",
          .help = "how large" },
        { .name = "colour",
          .type = OPTION_TEXT,
          .offset = offsetof(struct sample_inner, colour),
          .value_name = "NAME",
          .fallback = "blue",
          .help = "which" },
        { 0 },
};
static const struct option middle_table[] = {
        { .group = leaf_table,
          .offset = offsetof(struct sample_outer, second) - offsetof(struct sample_outer, inner),
          .defaults = (const struct option_default[]){ { "size", "2" }, { 0 } } },
        { .name = "ignored",
          .type = OPTION_I64,
          .value_name = "N",
          .max = 9,
          .has_no_effect = true,
          .warning = "no effect",
          .help = "nothing" },
        { 0 },
};
static const struct option outer_table[] = {
        { .name = "other",
          .type = OPTION_I64,
          .offset = offsetof(struct sample_outer, other),
          .value_name = "N",
          .fallback = "7",
          .help = "another" },
        { .group = middle_table,
          .offset = offsetof(struct sample_outer, inner),
          .defaults = (const struct option_default[]){ { "colour", "red" }, { 0 } } },
        { 0 },
};

static void groups_stand_in_their_places(void **state) {
        static const char *const names[] = { "other", "size", "colour", "ignored" };
        CLEANUP(arena_release) struct arena arena;
        const struct option *all;

        (void)state;
        arena_init(&arena, 0);
        all = options_expand(outer_table, &arena);
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                assert_string_equal(all[i].name, names[i]);
        assert_null(all[ARRAY_LEN(names)].name);
        assert_int_equal(all[1].offset, offsetof(struct sample_outer, second.size));
        assert_string_equal(all[1].fallback, "2");
        assert_string_equal(all[2].fallback, "red");
        assert_null(options_expand(NULL, &arena)->name);
}

static void groups_fill_their_member(void **state) {
        struct sample_outer outer = { 0 };
        struct command_line line = { .options = &outer };
        CLEANUP(arena_release) struct arena arena;
        const char *words[] = { "--size", "5", "--ignored=3" };
        struct err err = { 0 };

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(
                options_parse(outer_table, (struct option_texts){ 3, words }, &arena, &line, &err),
                0);
        assert_int_equal(outer.second.size, 5);
        assert_string_equal(outer.second.colour, "red");
        assert_int_equal(outer.inner.size, 0);
        assert_int_equal(outer.other, 7);
        assert_int_equal(line.warnings.count, 1);
}

static void values_without_effect_are_checked(void **state) {
        struct sample_outer outer = { 0 };
        struct command_line line = { .options = &outer };
        CLEANUP(arena_release) struct arena arena;
        const char *words[] = { "--ignored=10" };
        struct err err = { 0 };

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(
                options_parse(outer_table, (struct option_texts){ 1, words }, &arena, &line, &err),
                BERTH_ERR_USAGE);
        assert_non_null(strstr(err.text, "from 0 to 9, found \"10\""));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(takes_defaults),
                cmocka_unit_test(takes_bare_choices),
                cmocka_unit_test(takes_every_form),
                cmocka_unit_test(refuses),
                cmocka_unit_test(asks_for_help),
                cmocka_unit_test(describes),
                cmocka_unit_test(groups_stand_in_their_places),
                cmocka_unit_test(groups_fill_their_member),
                cmocka_unit_test(values_without_effect_are_checked),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
