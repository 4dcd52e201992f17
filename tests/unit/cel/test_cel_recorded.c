/* Rules of custom resources, and what a real API server made of them: recorded_rules.json, written
 * by tests/peers/record_rules.py. */
#include "api/json.h"
#include "base/arena.h"
#include "base/util.h"
#include "cel/cel.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *recorded_path;

static const char *outcome_of(struct arena *arena, const struct cel_program *program,
                              struct slice value) {
        CLEANUP(buf_release) struct buf quoted = { 0 };
        int64_t steps = CEL_STEPS_PER_CALL;
        struct json_tree *self;
        const char *text;

        buf_json_string(&quoted, value);
        assert_int_equal(json_tree_parse(buf_view(&quoted), &self, NULL), 0);
        struct cel_input input = { json_tree_root(self), NULL, arena, &steps };
        enum cel_outcome outcome = cel_evaluate(program, &input, &text);
        json_tree_free(self);
        return outcome == CEL_TRUE    ? "true"
               : outcome == CEL_FALSE ? "false"
                                      : arena_printf(arena, "!%s", text);
}

/* What became of a rule, in the words of the record. */
static const char *result_of(struct arena *arena, const struct cel_type *type, struct slice rule,
                             struct slice value) {
        struct cel_options options = { .self = type };
        struct cel_program *program;
        struct err err = { 0 };

        if (cel_compile(arena, rule, &options, &program, &err) < 0)
                return arena_printf(arena, "?%s", err.text);
        const char *result = outcome_of(arena, program, value);
        cel_program_release(program);
        return result;
}

static bool is_as_recorded(const struct json *row, const struct cel_type *type) {
        struct slice rule = json_text(json_at(row, 0)), value = json_text(json_at(row, 1)),
                     expected = json_text(json_at(row, 2));
        CLEANUP(arena_release) struct arena arena;

        arena_init(&arena, 0);
        const char *result = result_of(&arena, type, rule, value);
        if (slice_is(expected, result))
                return true;
        print_error(SLICE_FMT " of \"" SLICE_FMT "\": %s, not " SLICE_FMT "\n", SLICE_ARG(rule),
                    SLICE_ARG(value), result, SLICE_ARG(expected));
        return false;
}

static struct json_doc *recorded(void) {
        FILE *file = fopen(recorded_path, "r");
        struct buf text = { 0 };
        struct json_doc *doc;
        int c;

        assert_non_null(file);
        while ((c = fgetc(file)) != EOF)
                buf_char(&text, (char)c);
        fclose(file);
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        buf_release(&text);
        return doc;
}

static void test_as_recorded(void **state) {
        struct json_doc *rows = recorded(), *schema;
        struct json_iter iter = json_iter(json_doc_root(rows));
        CLEANUP(arena_release) struct arena arena;
        const struct json *row;
        size_t bad = 0;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(
                json_parse(SLICE_LITERAL("{\"type\":\"string\",\"maxLength\":64}"), &schema, NULL),
                0);
        const struct cel_type *type = cel_type_of_schema(&arena, json_doc_root(schema), false);
        assert_true(json_count(json_doc_root(rows)) > 1000);
        while (json_next(&iter, NULL, &row))
                bad += !is_as_recorded(row, type);
        json_doc_free(schema);
        json_doc_free(rows);
        assert_int_equal(bad, 0);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_as_recorded),
        };

        if (argc != 2)
                return 2;
        recorded_path = argv[1];
        return cmocka_run_group_tests(tests, NULL, NULL);
}
