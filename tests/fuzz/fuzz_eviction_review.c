/* AdmissionReview about pods/eviction: what is refused has an error, what is read is within its
 * limits, and every answer, and the request written for the client, is JSON with the same uid. */
#include "evict/eviction_review.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct wall_time now = { 1767225600LL * NS_PER_S };

static void check_answer(const struct eviction_review *review, const char *text) {
        struct json_doc *doc = NULL;
        const struct json *response;
        struct buf out = { 0 };

        eviction_review_answer(review, text, &out);
        if (json_parse(buf_view(&out), &doc, NULL) < 0)
                __builtin_trap();
        response = json_get(json_doc_root(doc), "response");
        assert(slice_eq(json_get_text(response, "uid"), review->uid));
        assert(json_get_bool(response, "allowed", !text) == !text);
        json_doc_free(doc);
        buf_release(&out);
}

static void check_request(const struct client_eviction *call) {
        struct slice uid = SLICE_LITERAL("6f0cfa30-0000-4000-8000-000000000001");
        struct eviction_request *request = NULL;
        struct json_doc *doc = NULL;
        struct buf out = { 0 };

        client_eviction_write(call, uid, EVICTION_GROUP_OWN, now, &out);
        if (json_parse(buf_view(&out), &doc, NULL) < 0 ||
            eviction_request_decode(json_doc_root(doc), &request, NULL) < 0)
                __builtin_trap();
        assert(!eviction_requester_problem(request->requester));
        assert(client_eviction_is_requester(request->requester));
        eviction_request_free(request);
        json_doc_free(doc);
        buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = slice_make((const char *)data, size);
        struct eviction_review review = { 0 };
        struct err err = { 0 };

        if (eviction_review_parse(text, &review, &err) < 0) {
                assert(err.text[0] && !review.doc);
                return 0;
        }
        assert(review.uid.len > 0 && review.uid.len <= EVICTION_REVIEW_UID_MAX);
        check_answer(&review, NULL);
        check_answer(&review, "stage 1 of 2 (\"one\")");
        if (review.is_eviction) {
                assert(review.call.ns.len > 0 && review.call.name.len > 0);
                assert(review.call.name.len <= EVICTION_REVIEW_NAME_MAX);
                assert(review.call.user.len <= EVICTION_REVIEW_USER_MAX);
                check_request(&review.call);
        }
        eviction_review_release(&review);
        return 0;
}
