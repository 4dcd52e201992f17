/* Status objects, written and read. */
#include "api/status.h"
#include "api_test.h"

static void test_write(void **state) {
        struct err err = { 0 };
        struct buf out = { 0 };
        (void)state;
        err_set(&err, BERTH_ERR_NOT_FOUND, "pods \"x\" not found");
        assert_true(status_write(&err, NULL, &out));
        assert_string_equal(out.data,
                            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                            "\"status\":\"Failure\",\"message\":\"pods \\\"x\\\" not found\","
                            "\"reason\":\"NotFound\",\"code\":404}");
        buf_clear(&out);
        const struct status_cause causes[] = {
                { SLICE_LITERAL("FieldValueRequired"), SLICE_LITERAL("Required value"),
                  SLICE_LITERAL("spec.x") },
                { .message = SLICE_LITERAL("only a message") },
        };
        const struct status_details details = { .name = SLICE_LITERAL("x"),
                                                .group = SLICE_LITERAL("apps"),
                                                .kind = SLICE_LITERAL("Deployment"),
                                                .uid = SLICE_LITERAL("u"),
                                                .causes = causes,
                                                .cause_count = 2,
                                                .retry_after_s = 10 };
        err_set(&err, BERTH_ERR_INVALID, "no");
        assert_true(status_write(&err, &details, &out));
        assert_string_equal(
                out.data,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                "\"message\":\"no\",\"reason\":\"Invalid\",\"details\":{\"name\":\"x\",\"group\":"
                "\"apps\",\"kind\":\"Deployment\",\"uid\":\"u\",\"causes\":[{\"reason\":"
                "\"FieldValueRequired\",\"message\":\"Required value\",\"field\":\"spec.x\"},"
                "{\"message\":\"only a message\"}],\"retryAfterSeconds\":10},\"code\":422}");
        buf_release(&out);
}

static void test_overrides_and_success(void **state) {
        struct err err = { 0 };
        struct buf out = { 0 };
        const struct status_details plain = { .reason = "" };
        const struct status_details gone = { .reason = "Gone", .code = 410 };
        (void)state;
        err_set(&err, BERTH_ERR_INTERNAL, "m");
        assert_true(status_write(&err, &plain, &out));
        assert_null(strstr(out.data, "reason"));
        assert_non_null(strstr(out.data, "\"details\":{}"));
        buf_clear(&out);
        assert_true(status_write(&err, &gone, &out));
        assert_non_null(strstr(out.data, "\"reason\":\"Gone\""));
        assert_non_null(strstr(out.data, "\"code\":410"));
        buf_clear(&out);
        const struct status_details deleted = { .name = SLICE_LITERAL("p"),
                                                .kind = SLICE_LITERAL("pods") };
        assert_true(status_write_success(&deleted, &out));
        assert_string_equal(out.data, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                      "\"status\":\"Success\",\"details\":{\"name\":\"p\","
                                      "\"kind\":\"pods\"}}");
        buf_release(&out);
        buf_init(&out, 20);
        assert_false(status_write(&err, NULL, &out));
        buf_release(&out);
}

/* Every error survives the way through a Status. */
static void test_round_trip(void **state) {
        (void)state;
        for (int code = -1; code >= -BERTH_ERR_COUNT; code--) {
                struct err sent = { 0 }, received = { 0 };
                struct status_info info;
                struct buf out = { 0 };
                err_set(&sent, code, "text of %d", code);
                assert_true(
                        status_write(&sent, &(struct status_details){ .retry_after_s = 3 }, &out));
                struct json_doc *doc = must_parse(out.data);
                assert_int_equal(status_decode(json_doc_root(doc), &info, NULL), 0);
                assert_false(info.is_success);
                assert_int_equal(info.retry_after_s, 3);
                assert_int_equal(info.code, err_http_status(code));
                int back = status_to_err(&info, &received);
                assert_string_equal(err_reason(back), err_reason(code));
                assert_string_equal(received.text, sent.text);
                json_doc_free(doc);
                buf_release(&out);
        }
}

static void test_decode(void **state) {
        static const struct {
                const char *text;
                int code;
        } cases[] = {
                { "{\"kind\":\"Status\",\"code\":429,\"reason\":\"TooManyRequests\"}",
                  BERTH_ERR_TOO_MANY },
                { "{\"kind\":\"Status\",\"code\":409}", BERTH_ERR_CONFLICT },
                { "{\"kind\":\"Status\",\"code\":409,\"reason\":\"AlreadyExists\"}",
                  BERTH_ERR_EXISTS },
                { "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Gone\"}", BERTH_ERR_EXPIRED },
                { "{\"kind\":\"Status\",\"code\":418,\"reason\":\"Teapot\"}",
                  BERTH_ERR_BAD_REQUEST },
                { "{\"kind\":\"Status\",\"code\":599}", BERTH_ERR_INTERNAL },
                { "{\"kind\":\"Status\",\"code\":-7}", BERTH_ERR_INTERNAL },
                { "{\"kind\":\"Status\",\"code\":99999999999999,\"reason\":[]}",
                  BERTH_ERR_INTERNAL },
        };
        struct status_info info;
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = must_parse(cases[i].text);
                struct err err = { 0 };
                assert_int_equal(status_decode(json_doc_root(doc), &info, NULL), 0);
                assert_int_equal(status_to_err(&info, &err), cases[i].code);
                assert_true(err.text[0] != '\0');
                json_doc_free(doc);
        }
        struct json_doc *doc =
                must_parse("{\"kind\":\"Status\",\"status\":\"Success\",\"details\":{\"name\":"
                           "\"n\",\"causes\":"
                           "[{\"reason\":\"r\",\"message\":\"m\",\"field\":\"f\"},{}],"
                           "\"retryAfterSeconds\":-4}}");
        assert_int_equal(status_decode(json_doc_root(doc), &info, NULL), 0);
        assert_true(info.is_success);
        assert_int_equal(info.cause_count, 2);
        assert_slice_is(info.cause.reason, "r");
        assert_slice_is(info.cause.field, "f");
        assert_slice_is(info.name, "n");
        assert_int_equal(info.retry_after_s, 0);
        json_doc_free(doc);
        static const char *const bad[] = { "{}", "[]", "{\"kind\":\"Pod\"}", "null" };
        for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
                doc = must_parse(bad[i]);
                assert_int_equal(status_decode(json_doc_root(doc), &info, NULL),
                                 BERTH_ERR_BAD_REQUEST);
                json_doc_free(doc);
        }
        assert_int_equal(status_code_to_err(408), BERTH_ERR_TIMEOUT);
        assert_int_equal(status_code_to_err(404), BERTH_ERR_NOT_FOUND);
        assert_int_equal(status_code_to_err(503), BERTH_ERR_UNAVAILABLE);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_write),
                cmocka_unit_test(test_overrides_and_success),
                cmocka_unit_test(test_round_trip),
                cmocka_unit_test(test_decode),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
