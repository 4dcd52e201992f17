/* The command tables: each entry is complete, its help names every option, and the manual pages are
 * made from the same tables. */
#include "base/log.h"
#include "base/util.h"
#include "cmd/command.h"
#include "cmd/log_writer.h"
#include "cmd/needed_rights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void entries_are_complete(void **state) {
        (void)state;
        for (size_t i = 0; program_berth.commands[i]; i++) {
                CLEANUP(arena_release) struct arena arena;
                const struct command *command = program_berth.commands[i];

                arena_init(&arena, 0);
                assert_non_null(command->summary);
                assert_non_null(command->synopsis);
                assert_non_null(command->description);
                assert_non_null(command->run);
                assert_ptr_equal(command_find(program_berth.commands, command->name), command);
                for (const struct option *o = options_expand(command->options, &arena); o->name;
                     o++) {
                        assert_non_null(o->help);
                        assert_true((o->type == OPTION_FLAG) == (!o->value_name));
                        assert_true((o->type == OPTION_CHOICE) == !!o->choices);
                        assert_true(o->help[strlen(o->help) - 1] != '.');
                }
        }
        assert_null(command_find(program_berth.commands, "nothing"));
}

/* Defaults are parsed like words from the user, so a bad one would break the command. */
static void defaults_parse(void **state) {
        (void)state;
        for (size_t i = 0; program_berth.commands[i]; i++) {
                CLEANUP(arena_release) struct arena arena;
                struct command_line line = { 0 };
                struct err err = { 0 };

                arena_init(&arena, 0);
                line.options = arena_alloc(&arena, program_berth.commands[i]->options_size);
                assert_int_equal(options_parse(program_berth.commands[i]->options,
                                               (struct option_texts){ 0 }, &arena, &line, &err),
                                 0);
        }
}

static void help_and_manual_name_every_option(void **state) {
        (void)state;
        for (size_t i = 0; program_berth.commands[i]; i++) {
                CLEANUP(buf_release) struct buf help = { 0 };
                CLEANUP(buf_release) struct buf manual = { 0 };
                CLEANUP(arena_release) struct arena arena;

                arena_init(&arena, 0);
                command_help(program_berth.commands[i], NULL, &help);
                command_manual(program_berth.commands[i], NULL, &manual);
                for (const struct option *o =
                             options_expand(program_berth.commands[i]->options, &arena);
                     o->name; o++) {
                        char text[128];

                        snprintf(text, sizeof(text), "--%s", o->name);
                        assert_non_null(strstr(help.data, text));
                }
                assert_non_null(strstr(manual.data, ".SH OPTIONS"));
                assert_non_null(strstr(manual.data, ".SH EXIT STATUS"));
        }
}

/* Help is read on terminals of 80 columns. */
static void assert_columns(const char *name, const char *text) {
        for (const char *line = text; *line;) {
                size_t len = strcspn(line, "\n");

                if (len > HELP_WIDTH)
                        fail_msg("%s: %zu columns: %.*s", name, len, (int)len, line);
                line += len + (line[len] == '\n');
        }
}

static void help_fits_a_terminal(void **state) {
        CLEANUP(buf_release) struct buf program = { 0 };

        (void)state;
        program_help(program_berth.commands, &program);
        assert_columns("berth help", program.data);
        for (size_t i = 0; program_berth.commands[i]; i++) {
                CLEANUP(buf_release) struct buf help = { 0 };

                command_help(program_berth.commands[i], NULL, &help);
                assert_columns(program_berth.commands[i]->name, help.data);
        }
}

/* Whoever is refused is sent to a manifest. */
static void names_rights(void **state) {
        static const struct {
                const char *command, *manifest;
        } cases[] = {
                { "evict", "deploy/evictions/rbac.yaml" },
                { "berth-scheduler", "deploy/scheduler/second-scheduler.yaml" },
                { "berth-run", "deploy/run/rbac.yaml" },
                { "reboot", "deploy/kured-compatible/rbac.yaml" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                assert_ptr_equal(strstr(needed_rights_of(cases[i].command), cases[i].manifest),
                                 needed_rights_of(cases[i].command));
        assert_null(needed_rights_of("simulate"));
        assert_null(needed_rights_of(NULL));
        assert_true(
                needed_rights_miss(SLICE_LITERAL("pods \"a\" is forbidden: User \"u\" cannot")));
        assert_false(needed_rights_miss(SLICE_LITERAL("pods \"a\" is forbidden: quota")));
}

/* Each line about a missing right says where the rights are, as text and as JSON; others do not. */
static void lines_name_rights(void **state) {
        static const struct {
                bool is_json;
                const char *error, *expected;
        } cases[] = {
                { false, "pods is forbidden: User \"u\" cannot list",
                  " rights=\"deploy/x.yaml\"\n" },
                { true, "pods is forbidden: User \"u\" cannot list",
                  ",\"rights\":\"deploy/x.yaml\"}\n" },
                { false, "no route", "error=\"no route\"\n" },
                { true, "no route", "\"error\":\"no route\"}\n" },
        };

        (void)state;
        log_writer_set_rights("deploy/x.yaml");
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char line[400] = "";
                FILE *stream = fmemopen(line, sizeof(line), "w");

                assert_non_null(stream);
                log_writer_install(stream);
                log_writer_set_json(cases[i].is_json);
                LOG(LOG_WARN, "WatchFailed", log_text("error", cases[i].error));
                fclose(stream);
                assert_true(slice_has_suffix(slice_of(line), slice_of(cases[i].expected)));
        }
        log_writer_set_json(false);
        log_writer_set_rights(NULL);
        log_writer_install(stderr);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(lines_name_rights),
                cmocka_unit_test(names_rights),
                cmocka_unit_test(entries_are_complete),
                cmocka_unit_test(defaults_parse),
                cmocka_unit_test(help_and_manual_name_every_option),
                cmocka_unit_test(help_fits_a_terminal),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
