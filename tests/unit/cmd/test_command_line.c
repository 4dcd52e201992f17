/* Command lines as users type them, run in a child: every command's usage errors, the pages they
 * print, and printing that fails. */
#include "printed.h"

#include "base/util.h"
#include "cmd/command.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Wrong usage: code 2, nothing on standard output, and these texts on standard error. */
static void refuses(const char *const *words, const char *first, const char *second) {
        struct printed printed;
        CLEANUP(buf_release) struct buf line = { 0 };

        for (size_t i = 0; words[i]; i++)
                buf_printf(&line, " %s", words[i]);
        printed_run(NULL, words, NULL, &printed);
        if (printed.code != EXIT_USAGE || printed.out.len > 0 ||
            !printed_has(&printed.err, first) || !printed_has(&printed.err, second))
                fail_msg("berth%s: code %d: %s (expected \"%s\", \"%s\")", line.data, printed.code,
                         printed.err.data, first, second);
        printed_release(&printed);
}

/* A value no option of this type takes; NULL = it takes all. */
static const char *bad_value_of(const struct option *option) {
        switch (option->type) {
        case OPTION_FLAG:
                return "maybe";
        case OPTION_I64:
                return "1x";
        case OPTION_F64:
                return "1.5.2";
        case OPTION_DURATION:
                return "soon";
        case OPTION_CHOICE:
                return "nonesuch";
        case OPTION_TEXT:
        case OPTION_TEXTS:
                return NULL;
        }
        return NULL;
}

/* What is wrong with an option is said with its name and with what was expected. */
static void every_option_says_what_it_expects(void **state) {
        (void)state;
        for (size_t i = 0; program_berth.commands[i]; i++) {
                const struct command *command = program_berth.commands[i];

                for (const struct option *o = command->options; o && o->name; o++) {
                        const char *value = bad_value_of(o);
                        char name[64], word[96];

                        snprintf(name, sizeof(name), "option --%s: expected ", o->name);
                        snprintf(word, sizeof(word), "--%s=%s", o->name, value ? value : "");
                        if (value)
                                refuses((const char *const[]){ command->name, word, NULL }, name,
                                        value);
                        snprintf(word, sizeof(word), "--%s", o->name);
                        if (o->type != OPTION_FLAG)
                                refuses((const char *const[]){ command->name, word, NULL }, name,
                                        o->value_name);
                }
        }
}

static void parse_fails(const struct command *command, const char *word, const char *name) {
        CLEANUP(arena_release) struct arena arena;
        struct command_line line = { 0 };
        struct err err = { 0 };

        arena_init(&arena, 0);
        line.options = arena_alloc(&arena, command->options_size);
        if (options_parse(command->options, (struct option_texts){ 1, &word }, &arena, &line,
                          &err) != BERTH_ERR_USAGE)
                fail_msg("berth %s %s is accepted", command->name, word);
        assert_non_null(strstr(err.text, name));
        assert_non_null(strstr(err.text, " from "));
}

/* Numbers and durations just outside of their ranges. */
static void ranges_hold(void **state) {
        size_t count = 0;

        (void)state;
        for (size_t i = 0; program_berth.commands[i]; i++)
                for (const struct option *o = program_berth.commands[i]->options; o && o->name;
                     o++) {
                        const char *unit = o->type == OPTION_DURATION ? "ns" : "";
                        char word[96];

                        if ((o->type != OPTION_I64 && o->type != OPTION_DURATION) ||
                            (o->min == 0 && o->max == 0))
                                continue;
                        count++;
                        if (o->min > INT64_MIN) {
                                snprintf(word, sizeof(word), "--%s=%lld%s", o->name,
                                         (long long)o->min - 1, unit);
                                parse_fails(program_berth.commands[i], word, o->name);
                        }
                        if (o->max < INT64_MAX) {
                                snprintf(word, sizeof(word), "--%s=%lld%s", o->name,
                                         (long long)o->max + 1, unit);
                                parse_fails(program_berth.commands[i], word, o->name);
                        }
                }
        assert_true(count > 10);
}

static void every_command_refuses_unknown_words(void **state) {
        (void)state;
        for (size_t i = 0; program_berth.commands[i]; i++) {
                const struct command *command = program_berth.commands[i];
                const char *words[12] = { command->name };
                char hint[64];

                snprintf(hint, sizeof(hint), "Try: berth help %s", command->name);
                refuses((const char *const[]){ command->name, "--nonesuch", NULL },
                        "unknown option --nonesuch", hint);
                refuses((const char *const[]){ command->name, "-~", NULL }, "-~", hint);
                if (command->arguments_min > 0)
                        refuses((const char *const[]){ command->name, NULL }, command->synopsis,
                                hint);
                if (command->arguments_max > 8)
                        continue;
                for (size_t n = 0; n <= command->arguments_max; n++)
                        words[n + 1] = "word";
                refuses(words, "unexpected argument \"word\"", hint);
        }
}

/* What only the command itself can tell. */
static void commands_refuse(void **state) {
        static const struct {
                const char *words[6];
                const char *first, *second;
        } cases[] = {
                { { "nonesuch" }, "unknown command \"nonesuch\"", "Try: berth help" },
                { { "desceduler" }, "unknown command", "did you mean \"descheduler\"?" },
                { { "drain" }, "unknown command", "berth evict --node NAME empties a node" },
                { { "get" }, "unknown command", "kubectl does that" },
                { { "help", "nonesuch" }, "unknown command", "\"nonesuch\"" },
                { { "completion", "csh" }, "expected one of bash, zsh, fish", "\"csh\"" },
                { { "audit", "check", "x" }, "expected verify", "\"check\"" },
                { { "config", "chek", "x" }, "expected one of check", "did you mean \"check\"?" },
                { { "config", "check" }, "expected a FILE", "" },
                { { "plan", "-o", "yml" }, "expected one of", "did you mean \"yaml\"?" },
                { { "scheduler", "--feature-gates", "GangSchedulin=true" },
                  "unrecognized feature gate",
                  "did you mean \"GangScheduling\"?" },
                { { "scheduler", "--feature-gates", "WinDRS=true" },
                  "unrecognized feature gate",
                  "did you mean \"WinDSR\"?" },
                { { "replay", "nonesuch" }, "expected one of", "\"nonesuch\"" },
                { { "simulate", "nonesuch" }, "expected one of evictions, reboot", "\"nonesuch\"" },
                { { "simulate", "rebot" }, "", "did you mean \"reboot\"?" },
                { { "simulate", "reboot", "--rho", "0" }, "--rho", "expected more than 0" },
                { { "simulate", "reboot", "--fraction", "1.5" }, "--fraction", "at most 1" },
                { { "simulate", "reboot", "--utilisation", "-1" }, "--utilisation", "0 to 1" },
                { { "simulate", "reboot", "--tolerating", "2" }, "--tolerating", "0 to 1" },
                { { "bench" }, "expected --objects", "" },
                { { "evict" }, "expected names of pods", "--node" },
                { { "evict", "p", "--node", "n" }, "not both", "--node" },
                { { "evict", "p", "--cancel", "--deadline", "1m" }, "--deadline", "--cancel" },
                { { "plan", "--objects", "/nonexistent", "--fail-on", "0" },
                  "option --fail-on: expected any, a number above 0",
                  "\"0\"" },
                { { "plan", "--objects", "x", "--kubeconfig", "y" }, "--objects", "--kubeconfig" },
                { { "plan", "--objects", "/nonexistent", "--now", "today" },
                  "option --now: expected a time",
                  "\"today\"" },
                { { "explain", "--objects", "x", "--kubeconfig", "y" },
                  "--objects",
                  "--kubeconfig" },
                { { "explain", "--objects", "/nonexistent", "--now", "today" },
                  "option --now: expected a time",
                  "\"today\"" },
                { { "descheduler" }, "expected --policy-config-file", "" },
                { { "descheduler", "--policy-config-file", "x", "--watch" },
                  "option --watch: expected",
                  "--descheduling-interval" },
                { { "reboot", "nonesuch" }, "expected status", "" },
                { { "up", "--trace", "nonesuch" }, "option --trace: expected", "\"nonesuch\"" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                refuses(cases[i].words, cases[i].first, cases[i].second);
}

/* Under the names of the programs it stands in for: kured's usage errors end with 2 as its own do,
 * those of the others with 1. */
static void stand_ins_end_as_the_programs_do(void **state) {
        static const struct {
                const char *program;
                int code;
        } programs[] = { { "kube-scheduler", 1 }, { "/bin/descheduler", 1 }, { "kured", 2 } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
                struct printed printed;

                printed_run(programs[i].program, (const char *const[]){ "--nonesuch", NULL }, NULL,
                            &printed);
                if (printed.code != programs[i].code || !printed_has(&printed.err, "--nonesuch"))
                        fail_msg("%s: code %d: %s", programs[i].program, printed.code,
                                 printed.err.data);
                printed_release(&printed);
        }
}

/* ---- pages ---- */

static void prints(const char *const *words, const char *text) {
        struct printed printed;

        printed_run(NULL, words, NULL, &printed);
        if (printed.code != EXIT_DONE || printed.err.len > 0 || !printed_has(&printed.out, text))
                fail_msg("berth %s: code %d, no \"%s\" in: %.300s%s", words[0], printed.code, text,
                         printed.out.data, printed.err.data);
        printed_release(&printed);
}

static void pages_are_printed(void **state) {
        (void)state;
        prints((const char *const[]){ "version", NULL }, "berth " BERTH_VERSION "\n");
        prints((const char *const[]){ "version", "-o", "json", NULL },
               "\"gitVersion\": \"v" BERTH_VERSION "\"");
        prints((const char *const[]){ "version", "-o", "yaml", NULL },
               "\nlibraryVersions:\n  curl: \"");
        prints((const char *const[]){ "--version", NULL }, "berth " BERTH_VERSION "\n");
        prints((const char *const[]){ "help", NULL }, "Usage: berth COMMAND");
        prints((const char *const[]){ "--help", NULL }, "Usage: berth COMMAND");
        prints((const char *const[]){ "-h", NULL }, "Usage: berth COMMAND");
        prints((const char *const[]){ NULL }, "Usage: berth COMMAND");
        prints((const char *const[]){ "help", "--manual", NULL }, ".TH");
        for (size_t i = 0; program_berth.commands[i]; i++) {
                const struct command *command = program_berth.commands[i];
                CLEANUP(buf_release) struct buf usage = { 0 };

                buf_printf(&usage, "berth %s: %s\n\nUsage: berth %s", command->name,
                           command->summary, command->name);
                prints((const char *const[]){ "help", command->name, NULL }, usage.data);
                prints((const char *const[]){ command->name, "--help", NULL }, usage.data);
                prints((const char *const[]){ "help", "--manual", command->name, NULL }, ".TH");
        }
        prints((const char *const[]){ "help", "--as", "kured", NULL }, "Usage: kured ");
        prints((const char *const[]){ "help", "--as", "kube-scheduler", NULL },
               "--write-config-to");
        prints((const char *const[]){ "help", "--as", "descheduler", "--manual", NULL },
               ".TH DESCHEDULER");
        prints((const char *const[]){ "completion", "bash", NULL }, "complete ");
        prints((const char *const[]){ "completion", "zsh", NULL }, "#compdef berth");
        prints((const char *const[]){ "completion", "fish", NULL }, "complete -c $program");
}

static void help_knows_no_other_program(void **state) {
        static const char *const lines[][4] = { { "--as", "kubelet" },
                                                { "--as", "kured", "plan" } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
                const char *words[] = { "help", lines[i][0], lines[i][1], lines[i][2], NULL };
                struct printed printed;

                printed_run(NULL, words, NULL, &printed);
                assert_int_equal(printed.code, EXIT_USAGE);
                assert_true(printed_has(&printed.err, "--as: expected kube-scheduler"));
                printed_release(&printed);
        }
}

/* A full disk behind ">" does not look like success. */
static void printing_may_fail(void **state) {
        static const char *const lines[][3] = {
                { "help" }, { "version" }, { "completion", "bash" }, { "help", "up" }
        };

        (void)state;
        if (access("/dev/full", W_OK) != 0)
                skip();
        for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
                const char *words[] = { lines[i][0], lines[i][1], NULL };
                struct printed printed;

                printed_run_to("/dev/full", words, &printed);
                if (printed.code != EXIT_FAILED || printed.err.len == 0)
                        fail_msg("berth %s: code %d", words[0], printed.code);
                printed_release(&printed);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_option_says_what_it_expects),
                cmocka_unit_test(ranges_hold),
                cmocka_unit_test(every_command_refuses_unknown_words),
                cmocka_unit_test(commands_refuse),
                cmocka_unit_test(stand_ins_end_as_the_programs_do),
                cmocka_unit_test(pages_are_printed),
                cmocka_unit_test(help_knows_no_other_program),
                cmocka_unit_test(printing_may_fail),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
