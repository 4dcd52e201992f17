/* Answers of admission webhooks about the creation of a pod. An input that begins with a bracket is
 * the patch of a webhook that allows it, one that begins with a brace is the answer whole, any
 * other the response's members behind the uid. Whatever it is, the write is answered, in JSON; a
 * pod that was let in is one the server takes again. */
#include "base/base64.h"
#include "fuzz_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PODS "/api/v1/namespaces/default/pods"
#define HOOK                                                                                       \
        "{\"metadata\":{\"name\":\"w\"},\"webhooks\":[{\"name\":\"w.example.com\","                \
        "\"clientConfig\":{\"url\":\"https://127.0.0.1:1/w\"},\"sideEffects\":\"None\","           \
        "\"admissionReviewVersions\":[\"v1\"],\"rules\":[{\"operations\":[\"CREATE\"],"            \
        "\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":[\"pods\"]}]}]}"

static struct webhook_request {
        char uid[64];
        void (*done)(void *context, const struct api_reply *reply);
        void *context;
} asked;

static struct webhook_request *take_call(void *self, const struct webhook_call *call,
                                         void (*done)(void *context, const struct api_reply *reply),
                                         void *context) {
        struct json_doc *doc = NULL;
        struct slice uid;
        int code = json_parse(call->body, &doc, NULL);

        (void)self;
        assert(code == 0);
        uid = json_get_text(json_get(json_doc_root(doc), "request"), "uid");
        assert(uid.len < sizeof(asked.uid));
        memcpy(asked.uid, uid.ptr, uid.len);
        asked.uid[uid.len] = '\0';
        asked.done = done;
        asked.context = context;
        json_doc_free(doc);
        return &asked;
}

static void cancel_call(void *self, struct webhook_request *request) {
        (void)self;
        request->done = NULL;
}

static void on_ready(void *context) {
        (void)context;
}

static void write_answer(struct slice input, struct buf *out) {
        if (input.len && input.ptr[0] == '{') {
                buf_slice(out, input);
                return;
        }
        buf_printf(out, "{\"response\":{\"uid\":\"%s\",", asked.uid);
        if (input.len && input.ptr[0] == '[') {
                buf_text(out, "\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"");
                base64_encode(input, BASE64_STANDARD, out);
                buf_text(out, "\"}}");
        } else {
                buf_slice(out, input);
        }
}

static void check(const struct http_response *response) {
        struct json_doc *doc = NULL;
        int code = json_parse(buf_view(&response->body), &doc, NULL);

        assert(code == 0);
        assert(response->status >= 200 && response->status < 600);
        json_doc_free(doc);
}

static void create(struct api_server *server, struct slice answer) {
        struct http_response response;
        struct api_pending *pending = api_server_begin(
                server,
                &(struct api_server_request){
                        .method = SLICE_LITERAL("POST"),
                        .target = SLICE_LITERAL(PODS),
                        .body = SLICE_LITERAL("{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":"
                                              "\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
                                              "\"image\":\"i\"}]}}"),
                        .user = &api_user_admin,
                },
                &response, on_ready, NULL);
        struct api_reply reply = { .status = 200, .retry_after_s = -1 };
        struct buf body = { 0 };

        /* Twice when the patch changed the object under the mutating webhook's own eyes. */
        while (pending) {
                assert(asked.done);
                buf_clear(&body);
                write_answer(answer, &body);
                reply.body = buf_view(&body);
                asked.done(asked.context, &reply);
                fuzz_run_deferred();
                pending = api_pending_resume(pending, &response);
        }
        check(&response);
        http_response_release(&response);
        buf_release(&body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct api_server *server;
        struct slice answer = slice_make((const char *)data, size);

        if (!server) {
                static const struct webhook_caller caller = { take_call, cancel_call, NULL };

                server = fuzz_server_with(&caller);
                fuzz_ask("POST",
                         SLICE_LITERAL("/apis/admissionregistration.k8s.io/v1/"
                                       "mutatingwebhookconfigurations"),
                         "application/json", SLICE_LITERAL(HOOK));
                fuzz_ask("POST",
                         SLICE_LITERAL("/apis/admissionregistration.k8s.io/v1/"
                                       "validatingwebhookconfigurations"),
                         "application/json", SLICE_LITERAL(HOOK));
        }
        create(server, answer);
        fuzz_ask("DELETE", SLICE_LITERAL(PODS "/p?gracePeriodSeconds=0"), "application/json",
                 SLICE_EMPTY);
        return 0;
}
