/* Which answers are told, and how often. */
#include "client/refusal_log.h"

#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static char lines[2048];

static void write_line(void *context, enum log_level level, const char *event,
                       const struct log_field *fields, size_t count) {
        size_t used = strlen(lines);

        (void)context;
        assert_int_equal(level, LOG_WARN);
        assert_string_equal(event, "WriteRefused");
        assert_int_equal(count, 5);
        snprintf(lines + used, sizeof(lines) - used,
                 SLICE_FMT " " SLICE_FMT " %lld " SLICE_FMT " +%lld\n", SLICE_ARG(fields[0].text),
                 SLICE_ARG(fields[1].text), (long long)fields[2].i64, SLICE_ARG(fields[3].text),
                 (long long)fields[4].i64);
}

static void note(struct refusal_log *log, int64_t second, enum api_method method, const char *path,
                 int status) {
        struct api_reply reply = { .status = status };

        snprintf(reply.error.text, sizeof(reply.error.text), "no %d", status);
        refusal_log_note(log, (struct mono_time){ second * NS_PER_S }, method, path, &reply);
}

#define POD_A "/api/v1/namespaces/x/pods/a"
#define POD_B "/api/v1/namespaces/y/pods/b"

static void test_refusals(void **state) {
        static const int untold[] = { 0, 200, 201, 202, 404, 409, 410, 429, 500, 503, 504 };
        struct refusal_log *log = refusal_log_new();

        (void)state;
        log_install(&(struct log_sink){ .write = write_line, .max_level = LOG_WARN });
        for (size_t i = 0; i < sizeof(untold) / sizeof(untold[0]); i++)
                note(log, 0, API_DELETE, POD_A, untold[i]);
        assert_string_equal(lines, "");
        note(log, 0, API_DELETE, POD_A, 403);
        note(log, 1, API_DELETE, POD_B, 403);       /* the same for another pod */
        note(log, 59, API_DELETE, POD_A, 403);      /* still the same minute */
        note(log, 59, API_DELETE, POD_A, 422);      /* another status */
        note(log, 59, API_PATCH, POD_A, 403);       /* another method */
        note(log, 59, API_DELETE, POD_A "/x", 403); /* another resource */
        note(log, 60, API_DELETE, POD_B, 403);      /* the next minute */
        note(log, 120, API_DELETE, POD_A, 403);
        assert_string_equal(lines, "DELETE " POD_A " 403 no 403 +0\n"
                                   "DELETE " POD_A " 422 no 422 +0\n"
                                   "PATCH " POD_A " 403 no 403 +0\n"
                                   "DELETE " POD_A "/x 403 no 403 +0\n"
                                   "DELETE " POD_B " 403 no 403 +2\n"
                                   "DELETE " POD_A " 403 no 403 +0\n");
        log_install(NULL);
        refusal_log_free(log);
        refusal_log_free(NULL);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_refusals) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
