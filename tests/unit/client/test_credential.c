/* The Authorization header over time. */
#include "client/credential.h"

#include "base/util.h"
#include "client/text_file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct mono_time at_s(int64_t seconds) {
        return (struct mono_time){ seconds * NS_PER_S };
}

static void write_file(const char *path, const char *text) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

static void test_fixed_headers(void **state) {
        static const struct {
                struct cluster_access access;
                const char *header;
        } cases[] = {
                { { .token = (char *)"t" }, "Bearer t" },
                { { .username = (char *)"me", .password = (char *)"pw" }, "Basic bWU6cHc=" },
                { { .username = (char *)"me" }, "Basic bWU6" },
                { { .token = (char *)"t", .username = (char *)"me" }, "Bearer t" },
                { { 0 }, NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct credential *credential;
                const char *header;

                assert_int_equal(credential_new(&cases[i].access, at_s(0), &credential, NULL), 0);
                header = credential_header(credential, at_s(1000));
                if (cases[i].header)
                        assert_string_equal(header, cases[i].header);
                else
                        assert_null(header);
                assert_false(credential_refresh(credential, at_s(1000)));
                credential_free(credential);
        }
        credential_free(NULL);
}

static void test_token_file(void **state) {
        char path[] = "/tmp/berth-credential-XXXXXX";
        struct cluster_access access = { .token_file = path, .token = (char *)"other" };
        struct credential *credential = NULL;
        struct err err = { 0 };

        (void)state;
        close(mkstemp(path));
        assert_int_equal(credential_new(&access, at_s(0), &credential, &err), BERTH_ERR_INVALID);
        assert_null(credential); /* an empty file */
        write_file(path, " one\n");
        assert_int_equal(credential_new(&access, at_s(0), &credential, NULL), 0);
        write_file(path, "two");
        assert_string_equal(credential_header(credential, at_s(59)), "Bearer one");
        assert_string_equal(credential_header(credential, at_s(60)), "Bearer two");
        assert_false(credential_refresh(credential, at_s(61))); /* nothing new */
        write_file(path, "three");
        assert_true(credential_refresh(credential, at_s(62)));
        assert_string_equal(credential_header(credential, at_s(62)), "Bearer three");
        unlink(path); /* the last one stays */
        assert_string_equal(credential_header(credential, at_s(500)), "Bearer three");
        credential_free(credential);
        assert_int_equal(credential_new(&access, at_s(0), &credential, &err), BERTH_ERR_NOT_FOUND);
}

static void test_text_files(void **state) {
        char path[] = "/tmp/berth-credential-XXXXXX";
        struct err err = { 0 };
        char *text = NULL;
        size_t size;
        int fd = mkstemp(path);

        (void)state;
        assert_int_equal(text_file_read(path, &text, &size, &err), 0);
        assert_int_equal(size, 0);
        assert_string_equal(text, "");
        free(text);
        assert_int_equal(ftruncate(fd, TEXT_FILE_MAX), 0);
        assert_int_equal(text_file_read(path, &text, &size, &err), 0);
        assert_int_equal(size, TEXT_FILE_MAX);
        free(text);
        assert_int_equal(ftruncate(fd, TEXT_FILE_MAX + 1), 0);
        assert_int_equal(text_file_read(path, &text, &size, &err), BERTH_ERR_TOO_LARGE);
        assert_int_equal(text_file_read("/tmp", &text, &size, &err), BERTH_ERR_IO);
        close(fd);
        unlink(path);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_fixed_headers),
                cmocka_unit_test(test_token_file),
                cmocka_unit_test(test_text_files),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
