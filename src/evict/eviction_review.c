/* Reads an AdmissionReview about an eviction, and writes the answer. */
#include "evict/eviction_review.h"

#include <string.h>

static int eviction_review_refuse(struct err *err, const char *path, const char *text) {
        err_set(err, BERTH_ERR_INVALID, "%s", text);
        err_path_prepend(err, path);
        return BERTH_ERR_INVALID;
}

static bool is_text(const struct json *object, const char *key, size_t max) {
        const struct json *value = json_get(object, key);

        return !value || (json_type(value) == JSON_STRING && json_text(value).len <= max);
}

/* Written to pods/eviction of the core group. */
static bool is_eviction(const struct json *request) {
        const struct json *resource = json_get(request, "resource");

        return json_get_text(resource, "group").len == 0 &&
               slice_is(json_get_text(resource, "resource"), "pods") &&
               slice_is(json_get_text(request, "subResource"), "eviction") &&
               slice_is(json_get_text(request, "operation"), "CREATE");
}

/* Said by the request, or by the Eviction itself. */
static bool is_dry_run(const struct json *request, const struct json *options) {
        return json_get_bool(request, "dryRun", false) ||
               json_count(json_get(options, "dryRun")) > 0;
}

static int read_eviction(const struct json *request, struct client_eviction *ret_call,
                         struct err *err) {
        const struct json *object = json_get(request, "object");
        const struct json *meta = json_get(object, "metadata");
        const struct json *options = json_get(object, "deleteOptions");
        const struct json *user = json_get(request, "userInfo");

        if (!is_text(request, "namespace", EVICTION_REVIEW_NAME_MAX) ||
            json_get_text(request, "namespace").len == 0)
                return eviction_review_refuse(err, "request.namespace", "expected a namespace");
        if (!is_text(request, "name", EVICTION_REVIEW_NAME_MAX) ||
            !is_text(meta, "name", EVICTION_REVIEW_NAME_MAX))
                return eviction_review_refuse(err, "request.name", "expected the name of a pod");
        if (!is_text(user, "username", EVICTION_REVIEW_USER_MAX))
                return eviction_review_refuse(err, "request.userInfo.username",
                                              "expected a user of at most 1024 bytes");
        *ret_call = (struct client_eviction){
                .ns = json_get_text(request, "namespace"),
                .name = json_get_text(request, "name"),
                .uid = json_get_text(json_get(options, "preconditions"), "uid"),
                .user = json_get_text(user, "username"),
                .is_dry_run = is_dry_run(request, options),
        };
        if (ret_call->name.len == 0)
                ret_call->name = json_get_text(meta, "name");
        if (ret_call->name.len == 0)
                return eviction_review_refuse(err, "request.name", "expected the name of a pod");
        return 0;
}

static int read_review(const struct json *root, struct eviction_review *review, struct err *err) {
        const struct json *request = json_get(root, "request");

        if (!slice_is(json_get_text(root, "kind"), "AdmissionReview"))
                return eviction_review_refuse(err, "kind", "expected AdmissionReview");
        if (!slice_is(json_get_text(root, "apiVersion"), "admission.k8s.io/v1"))
                return eviction_review_refuse(err, "apiVersion", "expected admission.k8s.io/v1");
        if (json_type(request) != JSON_OBJECT)
                return eviction_review_refuse(err, "request", "expected an object");
        review->uid = json_get_text(request, "uid");
        if (review->uid.len == 0 || review->uid.len > EVICTION_REVIEW_UID_MAX)
                return eviction_review_refuse(err, "request.uid", "expected a uid");
        review->is_eviction = is_eviction(request);
        return review->is_eviction ? read_eviction(request, &review->call, err) : 0;
}

int eviction_review_parse(struct slice body, struct eviction_review *ret_review, struct err *err) {
        struct eviction_review review = { 0 };
        int code = json_parse(body, &review.doc, err);

        if (code < 0)
                return code;
        code = read_review(json_doc_root(review.doc), &review, err);
        if (code < 0)
                eviction_review_release(&review);
        else
                *ret_review = review;
        return code;
}

void eviction_review_release(struct eviction_review *review) {
        json_doc_free(review->doc);
        *review = (struct eviction_review){ 0 };
}

void eviction_review_answer(const struct eviction_review *review, const char *text,
                            struct buf *out) {
        buf_text(out, "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
                      "\"response\":{\"uid\":");
        buf_json_string(out, review->uid);
        if (!text) {
                buf_text(out, ",\"allowed\":true}}");
                return;
        }
        buf_text(out, ",\"allowed\":false,\"status\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                      "\"metadata\":{},\"status\":\"Failure\",\"code\":429,"
                      "\"reason\":\"TooManyRequests\",\"message\":");
        buf_json_string(out, slice_of(text));
        buf_text(out, ",\"details\":{\"kind\":\"pods\",\"name\":");
        buf_json_string(out, review->call.name);
        buf_printf(out, ",\"retryAfterSeconds\":%d}}}}", CLIENT_EVICTION_RETRY_S);
}
