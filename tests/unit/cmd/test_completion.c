/* What completion offers for a command line; names of a cluster's objects are in the tests with
 * shells. */
#include "cmd/completion.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS_MAX 8

static void complete(const char *name, const char *const *words, struct buf *out) {
        struct arguments arguments = { 0, (const char **)words };

        while (words[arguments.count])
                arguments.count++;
        completion_words(&program_berth, name, &arguments, out);
}

/* The candidates without their help, separated by blanks. */
static void candidates(const char *text, struct buf *out) {
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
                buf_printf(out, "%s%.*s", line == text ? "" : " ", (int)strcspn(line, "\t\n"),
                           line);
}

static void words_are_offered(void **state) {
        static const struct {
                const char *name, *words[WORDS_MAX], *expected;
        } cases[] = {
                { "berth", { "exp" }, "explain :4" },
                { "kubectl-berth", { "exp" }, "explain :4" },
                { "berth", { "nonesuch", "" }, "" },
                { "berth", { "completion", "" }, "bash zsh fish :4" },
                { "berth", { "help", "comp" }, "completion :4" },
                { "berth", { "help", "--m" }, "--manual :4" },
                { "berth", { "explain", "--po" }, "--policy --pod :4" },
                { "berth", { "explain", "-o", "" }, "text json yaml :4" },
                { "berth", { "explain", "--output=j" }, "--output=json :4" },
                { "berth", { "explain", "--nonesuch=" }, ":4" },
                { "berth", { "explain", "" }, ":0" },
                { "berth", { "explain", "--policy", "" }, ":0" },
                { "berth", { "explain", "--policy", "x", "--he" }, "--help :4" },
                { "berth", { "explain", "--now", "--p", "--pari" }, "--parity :4" },
                { "berth", { "explain", "--", "--p" }, ":0" },
                { "berth", { "evict", "--wait=f" }, "--wait=false :4" },
                { "berth", { "evict", "--wait", "--no-c" }, "--no-cordon :4" },
                { "berth", { "reboot", "st" }, "status :4" },
                { "berth", { "run", "--reboot-sentinel-c" }, "--reboot-sentinel-command :4" },
                { "kured", { "--lock-t" }, "--lock-ttl :4" },
                { "kured", { "st" }, "status :4" },
                { "kube-scheduler", { "--write-config-to", "" }, ":0" },
                { "descheduler", { "--descheduling-interval-" }, ":4" },
        };

        (void)state;
        setenv("KUBECONFIG", "/nonexistent", 1);
        setenv("HOME", "/nonexistent", 1);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                CLEANUP(buf_release) struct buf text = { 0 };
                CLEANUP(buf_release) struct buf found = { 0 };

                complete(cases[i].name, cases[i].words, &text);
                candidates(text.data ? text.data : "", &found);
                if (!slice_is(buf_view(&found), cases[i].expected))
                        fail_msg("case %zu: expected \"%s\", found \"%s\"", i, cases[i].expected,
                                 found.data);
        }
}

/* Every command and every option that is in a table can be completed. */
static void tables_are_offered(void **state) {
        (void)state;
        for (size_t i = 0; program_berth.commands[i]; i++) {
                const struct command *command = program_berth.commands[i];
                CLEANUP(arena_release) struct arena arena;
                CLEANUP(buf_release) struct buf commands = { 0 };
                CLEANUP(buf_release) struct buf options = { 0 };
                CLEANUP(buf_release) struct buf line = { 0 };

                arena_init(&arena, 0);
                complete("berth", (const char *const[]){ "", NULL }, &commands);
                buf_printf(&line, "%s\t%s\n", command->name, command->summary);
                assert_non_null(strstr(commands.data, line.data));
                complete("berth", (const char *const[]){ command->name, "--", NULL }, &options);
                for (const struct option *o = options_expand(command->options, &arena); o->name;
                     o++) {
                        buf_clear(&line);
                        buf_printf(&line, "--%s\t%s\n", o->name, o->help);
                        if (!strstr(options.data, line.data))
                                fail_msg("berth %s: no %s", command->name, line.data);
                }
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(words_are_offered),
                cmocka_unit_test(tables_are_offered),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
