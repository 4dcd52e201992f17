/* Records come out whole wherever the chunks were cut. */
#include "client/record_splitter.h"

#include "base/util.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct seen {
        char text[256];
        int count, stop_after;
};

static bool on_record(void *context, struct slice record) {
        struct seen *seen = context;

        seen->count++;
        snprintf(seen->text + strlen(seen->text), sizeof(seen->text) - strlen(seen->text),
                 "[" SLICE_FMT "]", SLICE_ARG(record));
        return seen->count != seen->stop_after;
}

/* Feeds the stream in three chunks, cut at every pair of places. */
static void expect_at_every_cut(struct slice stream, const char *records) {
        for (size_t first = 0; first <= stream.len; first++) {
                for (size_t second = first; second <= stream.len; second++) {
                        struct record_splitter splitter = { 0 };
                        struct seen seen = { 0 };
                        struct slice cuts[] = {
                                slice_make(stream.ptr, first),
                                slice_make(stream.ptr + first, second - first),
                                slice_make(stream.ptr + second, stream.len - second),
                        };

                        for (size_t i = 0; i < ARRAY_LEN(cuts); i++)
                                assert_int_equal(record_splitter_feed(&splitter, cuts[i], on_record,
                                                                      &seen, NULL),
                                                 0);
                        assert_string_equal(seen.text, records);
                        record_splitter_release(&splitter);
                }
        }
}

static void test_every_cut(void **state) {
        (void)state;
        expect_at_every_cut(SLICE_LITERAL("{\"a\":1}\n\n{\"bb\":22}\r\n{}\n{\"open\":"),
                            "[{\"a\":1}][{\"bb\":22}][{}]");
}

/* Frames of protobuf may hold newlines; an empty one says nothing. */
static void test_frames_at_every_cut(void **state) {
        (void)state;
        expect_at_every_cut(SLICE_LITERAL("\0\0\0\3a\nb\0\0\0\0\0\0\0\1c\0\0\0\5open"),
                            "[a\nb][c]");
}

static void test_large_frame(void **state) {
        struct record_splitter splitter = { .record_max = 4 };
        struct seen seen = { 0 };

        (void)state;
        assert_int_equal(record_splitter_feed(&splitter, slice_make("\0\0\0\4abcd\0\0", 10),
                                              on_record, &seen, NULL),
                         0);
        assert_int_equal(
                record_splitter_feed(&splitter, slice_make("\0\5", 2), on_record, &seen, NULL),
                BERTH_ERR_TOO_LARGE);
        assert_string_equal(seen.text, "[abcd]");
        record_splitter_release(&splitter);
}

static void test_stopping(void **state) {
        struct record_splitter splitter = { 0 };
        struct seen seen = { .stop_after = 2 };

        (void)state;
        record_splitter_feed(&splitter, SLICE_LITERAL("a"), on_record, &seen, NULL);
        record_splitter_feed(&splitter, SLICE_LITERAL("a\nb\nc\nd"), on_record, &seen, NULL);
        assert_string_equal(seen.text, "[aa][b]");
        record_splitter_clear(&splitter);
        record_splitter_feed(&splitter, SLICE_LITERAL("e\n"), on_record, &seen, NULL);
        assert_string_equal(seen.text, "[aa][b][e]");
        record_splitter_release(&splitter);
}

static void test_limit(void **state) {
        static const struct {
                const char *first, *second;
                int result;
        } cases[] = {
                { "12345678\n", "12345678\n", 0 },
                { "123456789\n", "", BERTH_ERR_TOO_LARGE },
                { "12345", "6789", BERTH_ERR_TOO_LARGE },
                { "12345", "678\n1", 0 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct record_splitter splitter = { .record_max = 8 };
                struct seen seen = { 0 };
                struct err err = { 0 };
                int result = record_splitter_feed(&splitter, slice_of(cases[i].first), on_record,
                                                  &seen, &err);

                if (result == 0)
                        result = record_splitter_feed(&splitter, slice_of(cases[i].second),
                                                      on_record, &seen, &err);
                assert_int_equal(result, cases[i].result);
                assert_int_equal(err.code, cases[i].result);
                record_splitter_release(&splitter);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_every_cut),   cmocka_unit_test(test_frames_at_every_cut),
                cmocka_unit_test(test_large_frame), cmocka_unit_test(test_stopping),
                cmocka_unit_test(test_limit),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
