/* AdmissionReview about pods/eviction: what is read, what is refused, what is answered. */
#include "base/util.h"
#include "evict/eviction_review.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REVIEW(request)                                                                            \
        "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"request\":"        \
        "{\"uid\":\"u-1\"," request "}}"
#define PODS                                                                                       \
        "\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},\"subResource\":"  \
        "\"eviction\",\"operation\":\"CREATE\""
#define FULL(more)                                                                                 \
        REVIEW(PODS ",\"namespace\":\"d\",\"name\":\"a\",\"userInfo\":{\"username\":\"jo\","       \
                    "\"groups\":[\"x\"]}" more)

static int parse(const char *text, struct eviction_review *review, struct err *err) {
        return eviction_review_parse(slice_of(text), review, err);
}

static void test_reads(void **state) {
        struct eviction_review review;
        struct err err = { 0 };

        (void)state;
        assert_int_equal(parse(FULL(""), &review, &err), 0);
        assert_true(review.is_eviction);
        assert_true(slice_is(review.uid, "u-1"));
        assert_true(slice_is(review.call.ns, "d"));
        assert_true(slice_is(review.call.name, "a"));
        assert_true(slice_is(review.call.user, "jo"));
        assert_int_equal(review.call.uid.len, 0);
        assert_false(review.call.is_dry_run);
        eviction_review_release(&review);
        assert_int_equal(parse(FULL(",\"dryRun\":false,\"object\":{\"metadata\":{\"name\":\"a\"},"
                                    "\"deleteOptions\":{\"preconditions\":{\"uid\":\"p\"}}}"),
                               &review, &err),
                         0);
        assert_true(slice_is(review.call.uid, "p"));
        assert_false(review.call.is_dry_run);
        eviction_review_release(&review);
}

/* By the query or by the Eviction. */
static void test_dry_runs(void **state) {
        static const char *const texts[] = {
                FULL(",\"dryRun\":true"),
                FULL(",\"dryRun\":false,\"object\":{\"deleteOptions\":{\"dryRun\":[\"All\"]}}"),
        };
        struct eviction_review review;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                assert_int_equal(parse(texts[i], &review, NULL), 0);
                assert_true(review.call.is_dry_run);
                eviction_review_release(&review);
        }
}

/* The name may stand in the object only. */
static void test_name_of_object(void **state) {
        struct eviction_review review;

        (void)state;
        assert_int_equal(parse(REVIEW(PODS ",\"namespace\":\"d\",\"object\":{\"metadata\":{"
                                           "\"name\":\"b\"}}"),
                               &review, NULL),
                         0);
        assert_true(slice_is(review.call.name, "b"));
        eviction_review_release(&review);
}

/* A rule that asks about more than it should: allowed. */
static void test_other_things(void **state) {
        static const char *const texts[] = {
                REVIEW("\"resource\":{\"group\":\"\",\"resource\":\"pods\"},\"operation\":"
                       "\"CREATE\""),
                REVIEW("\"resource\":{\"group\":\"\",\"resource\":\"pods\"},\"subResource\":"
                       "\"binding\",\"operation\":\"CREATE\""),
                REVIEW("\"resource\":{\"group\":\"x.io\",\"resource\":\"pods\"},\"subResource\":"
                       "\"eviction\",\"operation\":\"CREATE\""),
                REVIEW("\"resource\":{\"group\":\"\",\"resource\":\"pods\"},\"subResource\":"
                       "\"eviction\",\"operation\":\"UPDATE\""),
                REVIEW("\"x\":1"),
        };
        struct eviction_review review;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                if (parse(texts[i], &review, NULL) < 0 || review.is_eviction)
                        fail_msg("%s", texts[i]);
                eviction_review_release(&review);
        }
}

static void test_refuses(void **state) {
        static const struct {
                const char *text, *path; /* "" = not JSON at all */
        } cases[] = {
                { "", "" },
                { "{", "" },
                { "[]", "kind" },
                { "\"AdmissionReview\"", "kind" },
                { "{\"kind\":\"Pod\"}", "kind" },
                { "{\"kind\":[\"AdmissionReview\"]}", "kind" },
                { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1beta1\"}",
                  "apiVersion" },
                { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}",
                  "request" },
                { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
                  "\"request\":[]}",
                  "request" },
                { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
                  "\"request\":{}}",
                  "request.uid" },
                { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
                  "\"request\":{\"uid\":7}}",
                  "request.uid" },
                { REVIEW(PODS), "request.namespace" },
                { REVIEW(PODS ",\"namespace\":{}"), "request.namespace" },
                { REVIEW(PODS ",\"namespace\":\"d\""), "request.name" },
                { REVIEW(PODS ",\"namespace\":\"d\",\"name\":3"), "request.name" },
                { REVIEW(PODS ",\"namespace\":\"d\",\"name\":\"a\",\"object\":{\"metadata\":{"
                              "\"name\":[]}}"),
                  "request.name" },
                { REVIEW(PODS ",\"namespace\":\"d\",\"name\":\"a\",\"userInfo\":{\"username\":{}}"),
                  "request.userInfo.username" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct eviction_review review = { 0 };
                struct err err = { 0 };

                if (parse(cases[i].text, &review, &err) == 0 || !err.text[0] || review.doc)
                        fail_msg("accepted: %s", cases[i].text);
                if (strcmp(err.path, cases[i].path) != 0)
                        fail_msg("%s: %s", cases[i].text, err.path);
        }
}

/* Texts of any length and depth are refused, or read, and never more than they are. */
static void test_large(void **state) {
        static const struct {
                size_t uid, name, user;
                int code;
        } cases[] = {
                { EVICTION_REVIEW_UID_MAX, EVICTION_REVIEW_NAME_MAX, EVICTION_REVIEW_USER_MAX, 0 },
                { EVICTION_REVIEW_UID_MAX + 1, 1, 1, BERTH_ERR_INVALID },
                { 1, EVICTION_REVIEW_NAME_MAX + 1, 1, BERTH_ERR_INVALID },
                { 1, 1, EVICTION_REVIEW_USER_MAX + 1, BERTH_ERR_INVALID },
                { 1, 1, 2 << 20, BERTH_ERR_INVALID },
        };
        struct buf text = { 0 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct eviction_review review = { 0 };
                struct err err = { 0 };

                buf_clear(&text);
                buf_text(&text, "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":"
                                "\"AdmissionReview\",\"request\":{" PODS
                                ",\"namespace\":\"d\",\"uid\":\"");
                for (size_t at = 0; at < cases[i].uid; at++)
                        buf_char(&text, 'u');
                buf_text(&text, "\",\"name\":\"");
                for (size_t at = 0; at < cases[i].name; at++)
                        buf_char(&text, 'n');
                buf_text(&text, "\",\"userInfo\":{\"username\":\"");
                for (size_t at = 0; at < cases[i].user; at++)
                        buf_char(&text, 'x');
                buf_text(&text, "\"}}}");
                assert_int_equal(eviction_review_parse(buf_view(&text), &review, &err),
                                 cases[i].code);
                eviction_review_release(&review);
        }
        buf_clear(&text);
        for (size_t i = 0; i < 200000; i++)
                buf_text(&text, "{\"request\":");
        assert_true(parse(text.data, &(struct eviction_review){ 0 }, &(struct err){ 0 }) < 0);
        buf_release(&text);
}

static void test_answers(void **state) {
        struct eviction_review review;
        struct json_doc *doc = NULL;
        const struct json *response, *status;
        struct buf out = { 0 };

        (void)state;
        assert_int_equal(parse(FULL(""), &review, NULL), 0);
        eviction_review_answer(&review, NULL, &out);
        assert_true(
                slice_is(buf_view(&out),
                         "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":"
                         "\"AdmissionReview\",\"response\":{\"uid\":\"u-1\",\"allowed\":true}}"));
        buf_clear(&out);
        eviction_review_answer(&review, "say \"no\"\n", &out);
        assert_int_equal(json_parse(buf_view(&out), &doc, NULL), 0);
        response = json_get(json_doc_root(doc), "response");
        status = json_get(response, "status");
        assert_true(slice_is(json_get_text(response, "uid"), "u-1"));
        assert_false(json_get_bool(response, "allowed", true));
        assert_int_equal(json_get_i64(status, "code", 0), 429);
        assert_true(slice_is(json_get_text(status, "reason"), "TooManyRequests"));
        assert_true(slice_is(json_get_text(status, "message"), "say \"no\"\n"));
        assert_int_equal(json_get_i64(json_get(status, "details"), "retryAfterSeconds", 0),
                         CLIENT_EVICTION_RETRY_S);
        json_doc_free(doc);
        buf_release(&out);
        eviction_review_release(&review);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reads),          cmocka_unit_test(test_dry_runs),
                cmocka_unit_test(test_name_of_object), cmocka_unit_test(test_other_things),
                cmocka_unit_test(test_refuses),        cmocka_unit_test(test_large),
                cmocka_unit_test(test_answers),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
