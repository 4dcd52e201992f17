/* Reads an AdmissionReview about an eviction, and writes the answer. */
#include "evict/eviction_review.h"

#include "base/base64.h"
#include "evict/eviction_reconciler.h"
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

/* An EvictionRequest of either group, not its status. */
static bool is_request(const struct json *request) {
        const struct json *resource = json_get(request, "resource");
        struct slice group = json_get_text(resource, "group");
        struct slice operation = json_get_text(request, "operation");

        return (slice_is(group, EVICTION_GROUP_OWN) || slice_is(group, EVICTION_GROUP_NATIVE)) &&
               slice_is(json_get_text(resource, "resource"), "evictionrequests") &&
               json_get_text(request, "subResource").len == 0 &&
               (slice_is(operation, "CREATE") || slice_is(operation, "UPDATE"));
}

static bool is_of_masters(const struct json *user) {
        struct json_iter iter = json_iter(json_get(user, "groups"));
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                if (slice_is(json_text(item), "system:masters"))
                        return true;
        return false;
}

static int read_claim(const struct json *request, struct eviction_review *review, struct err *err) {
        const struct json *user = json_get(request, "userInfo");
        const struct json *object = json_get(request, "object"),
                          *old = json_get(request, "oldObject");
        const struct json *annotations = json_get(json_get(object, "metadata"), "annotations");

        if (!is_text(user, "username", EVICTION_REVIEW_USER_MAX) ||
            json_get_text(user, "username").len == 0)
                return eviction_review_refuse(err, "request.userInfo.username",
                                              "expected a user of at most 1024 bytes");
        review->has_annotations = json_type(annotations) == JSON_OBJECT;
        review->is_of_masters = is_of_masters(user);
        review->claim = (struct eviction_claim){
                .user = json_get_text(user, "username"),
                .is_new = slice_is(json_get_text(request, "operation"), "CREATE"),
                .requester = json_get_text(json_get(object, "spec"), "requester"),
                .intent = json_get_text(json_get(object, "spec"), "intent"),
                .old_intent = json_get_text(json_get(old, "spec"), "intent"),
                .old_user = json_get_text(json_get(json_get(old, "metadata"), "annotations"),
                                          EVICTION_USER_KEY),
        };
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
        review->is_request = is_request(request);
        if (review->is_request)
                return read_claim(request, review, err);
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

static void write_head(const struct eviction_review *review, struct buf *out) {
        buf_text(out, "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
                      "\"response\":{\"uid\":");
        buf_json_string(out, review->uid);
}

/* Sets the user, or takes away what the client wrote in its place. */
static void write_user_patch(const struct eviction_review *review, struct buf *out) {
        struct slice user = eviction_claim_user(&review->claim);

        if (user.len == 0) {
                buf_text(
                        out,
                        "[{\"op\":\"add\",\"path\":\"" EVICTION_USER_PATCH_PATH
                        "\",\"value\":\"\"},{\"op\":\"remove\",\"path\":\"" EVICTION_USER_PATCH_PATH
                        "\"}]");
                return;
        }
        buf_text(out,
                 review->has_annotations
                         ? "["
                         : "[{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{}},");
        buf_text(out, "{\"op\":\"add\",\"path\":\"" EVICTION_USER_PATCH_PATH "\",\"value\":");
        buf_json_string(out, user);
        buf_text(out, "}]");
}

void eviction_review_answer_request(const struct eviction_review *review, const struct err *refusal,
                                    struct buf *out) {
        struct buf patch = { 0 };

        write_head(review, out);
        if (refusal) {
                buf_text(out,
                         ",\"allowed\":false,\"status\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                         "\"metadata\":{},\"status\":\"Failure\",\"code\":403,"
                         "\"reason\":\"Forbidden\",\"message\":");
                buf_json_string(out, slice_of(refusal->text));
                buf_text(out, "}}}");
                return;
        }
        if (eviction_claim_user(&review->claim).len || review->has_annotations)
                write_user_patch(review, &patch);
        buf_text(out, ",\"allowed\":true");
        if (patch.len) {
                buf_text(out, ",\"patchType\":\"JSONPatch\",\"patch\":\"");
                base64_encode(buf_view(&patch), BASE64_STANDARD, out);
                buf_char(out, '"');
        }
        buf_text(out, "}}");
        buf_release(&patch);
}

void eviction_review_answer(const struct eviction_review *review, const char *text,
                            struct buf *out) {
        write_head(review, out);
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
