/* The log front end hands lines to the installed sink, by level. */
#include "base/log.h"
#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct record {
        int lines;
        enum log_level level;
        char event[32];
        struct log_field fields[4];
        size_t count;
};

static void record_line(void *context, enum log_level level, const char *event,
                        const struct log_field *fields, size_t count) {
        struct record *record = context;
        record->lines++;
        record->level = level;
        snprintf(record->event, sizeof(record->event), "%s", event);
        record->count = count;
        for (size_t i = 0; i < count; i++)
                record->fields[i] = fields[i];
}

static int forget_sink(void **state) {
        (void)state;
        log_install(NULL);
        return 0;
}

static void test_lines_are_dropped_without_sink(void **state) {
        (void)state;
        assert_false(log_is_on(LOG_ERROR));
        LOG(LOG_ERROR, "Nobody", log_i64("x", 1));
        log_event(LOG_ERROR, "Nobody", NULL, 0);
}

static void test_levels(void **state) {
        (void)state;
        static const enum log_level levels[] = { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
        for (size_t max = 0; max < ARRAY_LEN(levels); max++) {
                struct record record = { 0 };
                log_install(&(struct log_sink){ record_line, &record, levels[max] });
                for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
                        int before = record.lines;
                        assert_int_equal(log_is_on(levels[i]), i <= max);
                        log_event(levels[i], "E", NULL, 0);
                        LOG(levels[i], "E", log_i64("n", 1));
                        assert_int_equal(record.lines, before + (i <= max ? 2 : 0));
                }
        }
}

static void test_fields_arrive(void **state) {
        (void)state;
        struct record record = { 0 };
        log_install(&(struct log_sink){ record_line, &record, LOG_DEBUG });
        LOG(LOG_WARN, "PodBound", log_text("pod", "a/b"), log_slice("node", slice_make("n12", 2)),
            log_i64("ms", -3), log_f64("score", 0.5));
        assert_int_equal(record.lines, 1);
        assert_int_equal(record.level, LOG_WARN);
        assert_string_equal(record.event, "PodBound");
        assert_int_equal(record.count, 4);
        assert_string_equal(record.fields[0].key, "pod");
        assert_true(slice_is(record.fields[0].text, "a/b"));
        assert_int_equal(record.fields[0].kind, LOG_FIELD_TEXT);
        assert_true(slice_is(record.fields[1].text, "n1"));
        assert_int_equal(record.fields[2].kind, LOG_FIELD_I64);
        assert_true(record.fields[2].i64 == -3);
        assert_int_equal(record.fields[3].kind, LOG_FIELD_F64);
        assert_true(record.fields[3].f64 == 0.5);
}

static int evaluations;

static int64_t count_evaluation(void) {
        return ++evaluations;
}

static void test_arguments_of_dropped_lines_are_not_evaluated(void **state) {
        (void)state;
        struct record record = { 0 };
        log_install(&(struct log_sink){ record_line, &record, LOG_INFO });
        LOG(LOG_DEBUG, "E", log_i64("n", count_evaluation()));
        assert_int_equal(evaluations, 0);
        LOG(LOG_INFO, "E", log_i64("n", count_evaluation()));
        assert_int_equal(evaluations, 1);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_teardown(test_lines_are_dropped_without_sink, forget_sink),
                cmocka_unit_test_teardown(test_levels, forget_sink),
                cmocka_unit_test_teardown(test_fields_arrive, forget_sink),
                cmocka_unit_test_teardown(test_arguments_of_dropped_lines_are_not_evaluated,
                                          forget_sink),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
