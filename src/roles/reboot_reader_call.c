/* Calls of the reader, one at a time. */
#include "roles/reboot_reader_priv.h"

#include "base/log.h"
#include "client/url_query.h"

void reader_finish(struct reboot_reader *reader) {
        reader->answered(reader->context);
}

void reader_call(struct reboot_reader *reader, struct transport *carrier,
                 const struct reader_call *what) {
        reader->carrier = carrier;
        reader->request = transport_call(
                carrier,
                &(struct api_call){
                        .method = what->method,
                        .path = what->path,
                        .content_type = what->body.len
                                                ? SLICE_LITERAL("application/x-www-form-urlencoded")
                                                : SLICE_EMPTY,
                        .body = what->body,
                        .timeout_ns = what->timeout_ns ? what->timeout_ns : READ_TIMEOUT_NS },
                what->done, reader);
}

void reader_get(struct reboot_reader *reader, const char *path,
                void (*done)(void *context, const struct api_reply *reply)) {
        reader_call(reader, runtime_transport(reader->runtime),
                    &(struct reader_call){ API_GET, slice_of(path), SLICE_EMPTY, done, 0 });
}

int reader_reply_code(const struct api_reply *reply) {
        if (reply->status >= 200 && reply->status < 300)
                return BERTH_OK;
        return reply->error.code ? reply->error.code : BERTH_ERR_UNAVAILABLE;
}

/* A missing right lasts: the line that names it comes at the start, and with every try. */
int reader_reply_document(const struct api_reply *reply, struct json_doc **ret_doc) {
        int code = reader_reply_code(reply);

        if (code == BERTH_ERR_FORBIDDEN)
                LOG(LOG_WARN, "ReadRefused", log_text("error", reply->error.text));

        return code == BERTH_OK ? json_parse(reply->body, ret_doc, NULL) : code;
}

void reader_print_failure(const struct api_reply *reply, const char *unreadable, struct buf *out) {
        if (reply->error.text[0])
                buf_text(out, reply->error.text);
        else if (reply->status < 200 || reply->status >= 300)
                buf_printf(out, "HTTP status %d", reply->status);
        else
                buf_text(out, unreadable[0] ? unreadable : "the answer is no JSON");
}

void reader_list_own_pods(struct reboot_reader *reader,
                          void (*done)(void *context, const struct api_reply *reply)) {
        struct buf path = { 0 }, fields = { 0 };

        buf_printf(&fields, "spec.nodeName=" SLICE_FMT, SLICE_ARG(reader->config->agent->node));
        buf_text(&path, "/api/v1/pods");
        url_query_text(&path, "fieldSelector", buf_view(&fields));
        reader_get(reader, path.data, done);
        buf_release(&path);
        buf_release(&fields);
}
