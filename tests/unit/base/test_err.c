/* Error texts, paths, positions and the code table. */
#include "base/err.h"
#include "base/util.h"
#include <errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_set(void **state) {
        (void)state;
        struct err err = { 0 };
        err_position(&err, "old.yaml", 3, 4);
        err_path_prepend(&err, "spec");
        assert_int_equal(err_set(&err, BERTH_ERR_INVALID, "bad %s %d", "value", 7),
                         BERTH_ERR_INVALID);
        assert_int_equal(err.code, BERTH_ERR_INVALID);
        assert_string_equal(err.text, "bad value 7");
        assert_string_equal(err.path, "");
        assert_string_equal(err.file, "");
        assert_int_equal(err.line, 0);
        err_set(&err, BERTH_ERR_IO, "again: %s", err.text);
        assert_string_equal(err.text, "again: bad value 7");
}

static void test_null_is_accepted(void **state) {
        (void)state;
        assert_int_equal(err_set(NULL, BERTH_ERR_IO, "x"), BERTH_ERR_IO);
        assert_int_equal(err_set_errno(NULL, BERTH_ERR_IO, ENOENT, "x"), BERTH_ERR_IO);
        assert_int_equal(err_wrap(NULL, "x"), BERTH_ERR_INTERNAL);
        err_path_prepend(NULL, "x");
        err_position(NULL, "x", 1, 1);
}

static void test_set_errno(void **state) {
        (void)state;
        struct err err;
        assert_int_equal(err_set_errno(&err, BERTH_ERR_IO, ENOENT, "open %s", "a.yaml"),
                         BERTH_ERR_IO);
        assert_string_equal(err.text, "open a.yaml: No such file or directory");
}

static void test_wrap(void **state) {
        (void)state;
        struct err err;
        err_set(&err, BERTH_ERR_NOT_FOUND, "no such node");
        err_path_prepend(&err, "spec");
        assert_int_equal(err_wrap(&err, "pod %s", "a/b"), BERTH_ERR_NOT_FOUND);
        assert_string_equal(err.text, "pod a/b: no such node");
        assert_string_equal(err.path, "spec");
}

static void test_long_texts_are_cut(void **state) {
        (void)state;
        char text[ERR_TEXT_MAX * 2];
        memset(text, 'x', sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        struct err err;
        err_set(&err, BERTH_ERR_INVALID, "%s", text);
        assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
        err_wrap(&err, "context");
        assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
        assert_memory_equal(err.text, "context: x", 10);
        err_set_errno(&err, BERTH_ERR_IO, EIO, "%s", text);
        assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
        err_path_prepend(&err, text);
        assert_int_equal(strlen(err.path), ERR_PATH_MAX - 1);
        err_path_prepend(&err, "spec");
        assert_int_equal(strlen(err.path), ERR_PATH_MAX - 1);
        assert_memory_equal(err.path, "spec.x", 6);
        err_position(&err, text, 1, 1);
        assert_int_equal(strlen(err.file), ERR_PATH_MAX - 1);
}

struct path_case {
        const char *segments[5]; /* innermost first */
        const char *expected;
};

static void test_paths(void **state) {
        (void)state;
        static const struct path_case cases[] = {
                { { "image" }, "image" },
                { { "image", "spec" }, "spec.image" },
                { { "image", "[0]", "containers", "spec" }, "spec.containers[0].image" },
                { { "[2]", "[1]", "matrix" }, "matrix[1][2]" },
                { { "x", "[3]" }, "[3].x" },
                { { "", "spec" }, "spec" },
                { { "spec", "" }, "spec" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct err err;
                err_set(&err, BERTH_ERR_INVALID, "x");
                for (size_t j = 0; cases[i].segments[j]; j++)
                        err_path_prepend(&err, cases[i].segments[j]);
                assert_string_equal(err.path, cases[i].expected);
        }
}

struct format_case {
        const char *file;
        unsigned line, column;
        const char *path;
        const char *expected;
};

static void test_format(void **state) {
        (void)state;
        static const struct format_case cases[] = {
                { "", 0, 0, "", "wrong" },
                { "a.yaml", 0, 0, "", "a.yaml: wrong" },
                { "a.yaml", 4, 0, "", "a.yaml:4: wrong" },
                { "a.yaml", 4, 2, "", "a.yaml:4:2: wrong" },
                { "a.yaml", 4, 2, "spec.x", "a.yaml:4:2: spec.x: wrong" },
                { "", 4, 2, "spec.x", "4:2: spec.x: wrong" },
                { "", 0, 0, "spec.x", "spec.x: wrong" },
                { NULL, 0, 7, "", "wrong" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct err err;
                char text[200];
                err_set(&err, BERTH_ERR_INVALID, "wrong");
                err_path_prepend(&err, cases[i].path);
                err_position(&err, cases[i].file, cases[i].line, cases[i].column);
                int len = err_format(&err, text, sizeof(text));
                assert_string_equal(text, cases[i].expected);
                assert_int_equal(len, strlen(cases[i].expected));
                char small[4];
                assert_int_equal(err_format(&err, small, sizeof(small)), len);
                assert_int_equal(strlen(small), 3);
        }
}

static void test_code_table(void **state) {
        (void)state;
        static const struct {
                int code;
                int status;
                const char *name, *reason;
        } cases[] = {
                { BERTH_OK, 200, "OK", "" },
                { BERTH_ERR_INVALID, 422, "INVALID", "Invalid" },
                { BERTH_ERR_NOT_FOUND, 404, "NOT_FOUND", "NotFound" },
                { BERTH_ERR_EXISTS, 409, "EXISTS", "AlreadyExists" },
                { BERTH_ERR_CONFLICT, 409, "CONFLICT", "Conflict" },
                { BERTH_ERR_EXPIRED, 410, "EXPIRED", "Expired" },
                { BERTH_ERR_TOO_MANY, 429, "TOO_MANY", "TooManyRequests" },
                { BERTH_ERR_USAGE, 400, "USAGE", "BadRequest" },
                { -1000, 500, "INTERNAL", "InternalError" },
                { 5, 500, "INTERNAL", "InternalError" },
        };
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                assert_int_equal(err_http_status(cases[i].code), cases[i].status);
                assert_string_equal(err_code_name(cases[i].code), cases[i].name);
                assert_string_equal(err_reason(cases[i].code), cases[i].reason);
        }
        for (int code = -1; code >= -BERTH_ERR_COUNT; code--)
                assert_true(err_http_status(code) >= 400 && err_http_status(code) < 600);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_set),
                cmocka_unit_test(test_null_is_accepted),
                cmocka_unit_test(test_set_errno),
                cmocka_unit_test(test_wrap),
                cmocka_unit_test(test_long_texts_are_cut),
                cmocka_unit_test(test_paths),
                cmocka_unit_test(test_format),
                cmocka_unit_test(test_code_table),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
