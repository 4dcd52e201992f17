/* AdmissionReview about pods/eviction: what is read, what is refused, what is answered. */
#include "base/base64.h"
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

/* ---- EvictionRequests ---- */

#define REQUEST_REVIEW(operation, user, groups, object, old)                                       \
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{"       \
        "\"uid\":\"7\",\"operation\":\"" operation "\",\"resource\":{\"group\":"                   \
        "\"lifecycle.berth.dev\",\"version\":\"v1alpha1\",\"resource\":\"evictionrequests\"},"     \
        "\"userInfo\":{\"username\":\"" user "\",\"groups\":[" groups "]},\"object\":" object      \
        ",\"oldObject\":" old "}}"
#define CLAIM(user, requester, intent)                                                             \
        "{\"metadata\":{\"annotations\":{\"lifecycle.berth.dev/user\":\"" user "\"}},\"spec\":{"   \
        "\"requester\":\"" requester "\",\"intent\":\"" intent "\"}}"

static const struct eviction_requester_user reserved[] = {
        { SLICE_INIT("robot.example.com/x"), SLICE_INIT("robot") },
        { SLICE_INIT("robot.example.com/x"), SLICE_INIT("spare") },
};

/* The patch of the answer as text; "" = none.  refused: 403. */
static void check_request(const char *name, const char *text, const char *patch, bool is_refused) {
        struct eviction_review review;
        struct buf out = { 0 }, found = { 0 };
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        assert_int_equal(eviction_review_parse(slice_of(text), &review, &err), 0);
        assert_true(review.is_request);
        assert_false(review.is_eviction);
        review.claim.is_privileged = review.is_of_masters;
        int code = eviction_claim_check(&review.claim, reserved, 2, &err);
        eviction_review_answer_request(&review, code < 0 ? &err : NULL, &out);
        assert_int_equal(json_parse(buf_view(&out), &doc, NULL), 0);
        const struct json *response = json_get(json_doc_root(doc), "response");
        base64_decode(json_get_text(response, "patch"), BASE64_STANDARD, &found);
        if (json_get_bool(response, "allowed", is_refused) == is_refused ||
            !slice_is(buf_view(&found), patch))
                fail_msg("%s: " SLICE_FMT " " SLICE_FMT, name, SLICE_ARG(buf_view(&out)),
                         SLICE_ARG(buf_view(&found)));
        if (is_refused)
                assert_int_equal(json_get_i64(json_get(response, "status"), "code", 0), 403);
        json_doc_free(doc);
        buf_release(&out);
        buf_release(&found);
        eviction_review_release(&review);
}

#define SETS(user)                                                                                 \
        "[{\"op\":\"add\",\"path\":\"/metadata/annotations/"                                       \
        "lifecycle.berth.dev~1user\",\"value\":\"" user "\"}]"

static void test_requests(void **state) {
        (void)state;
        check_request(
                "created, with a lie",
                REQUEST_REVIEW("CREATE", "anna", "", CLAIM("root", "a.io/x", "Eviction"), "null"),
                SETS("anna"), false);
        check_request(
                "created, without annotations",
                REQUEST_REVIEW("CREATE", "anna", "",
                               "{\"spec\":{\"requester\":\"a.io/x\",\"intent\":\"Eviction\"}}",
                               "null"),
                "[{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{}},"
                "{\"op\":\"add\",\"path\":\"/metadata/annotations/lifecycle.berth.dev~1user\","
                "\"value\":\"anna\"}]",
                false);
        check_request("a change of something else",
                      REQUEST_REVIEW("UPDATE", "anna", "", CLAIM("root", "a.io/x", "Eviction"),
                                     CLAIM("bert", "a.io/x", "Eviction")),
                      SETS("bert"), false);
        check_request("asked again by another",
                      REQUEST_REVIEW("UPDATE", "anna", "", CLAIM("bert", "a.io/x", "Eviction"),
                                     CLAIM("bert", "a.io/x", "Withdrawn")),
                      SETS("anna"), false);
        check_request(
                "a lie where there was none",
                REQUEST_REVIEW("UPDATE", "anna", "", CLAIM("root", "a.io/x", "Eviction"),
                               "{\"spec\":{\"intent\":\"Eviction\"}}"),
                "[{\"op\":\"add\",\"path\":\"/metadata/annotations/lifecycle.berth.dev~1user\","
                "\"value\":\"\"},{\"op\":\"remove\",\"path\":"
                "\"/metadata/annotations/lifecycle.berth.dev~1user\"}]",
                false);
        check_request("another's name",
                      REQUEST_REVIEW("CREATE", "anna", "",
                                     CLAIM("", "robot.example.com/x", "Eviction"), "null"),
                      "", true);
        check_request("one's own", /* one of two */
                      REQUEST_REVIEW("CREATE", "spare", "",
                                     CLAIM("", "robot.example.com/x", "Eviction"), "null"),
                      SETS("spare"), false);
        check_request("an administrator",
                      REQUEST_REVIEW("CREATE", "anna", "\"system:masters\"",
                                     CLAIM("", "robot.example.com/x", "Eviction"), "null"),
                      SETS("anna"), false);
        check_request("another's name, asked again",
                      REQUEST_REVIEW("UPDATE", "anna", "",
                                     CLAIM("robot", "robot.example.com/x", "Eviction"),
                                     CLAIM("robot", "robot.example.com/x", "Withdrawn")),
                      "", true);
        check_request("another's name, withdrawn: a right of whoever may write it",
                      REQUEST_REVIEW("UPDATE", "anna", "",
                                     CLAIM("robot", "robot.example.com/x", "Withdrawn"),
                                     CLAIM("robot", "robot.example.com/x", "Eviction")),
                      SETS("anna"), false);
        check_request("a client's name",
                      REQUEST_REVIEW("CREATE", "anna", "",
                                     CLAIM("", "clients.berth.dev/bert", "Eviction"), "null"),
                      "", true);
        check_request("the client's own",
                      REQUEST_REVIEW("CREATE", "bert", "",
                                     CLAIM("", "clients.berth.dev/bert", "Eviction"), "null"),
                      SETS("bert"), false);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_reads),          cmocka_unit_test(test_dry_runs),
                cmocka_unit_test(test_name_of_object), cmocka_unit_test(test_other_things),
                cmocka_unit_test(test_refuses),        cmocka_unit_test(test_large),
                cmocka_unit_test(test_answers),        cmocka_unit_test(test_requests),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
