/* A loop and a transport of its own for as long as names are read; pages of metadata alone. */
#include "ask/name_reader.h"

#include "api/json.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "client/url_query.h"
#include "loop/access_search.h"
#include "loop/event_loop.h"
#include <stdlib.h>

#define NAME_PAGE 500

struct name_reader {
        struct event_loop *events;
        struct http_transport *http;
        struct transport transport;
        struct json_doc *page;
        struct err failure; /* of the call that has ended */
        bool is_done;
};

int name_reader_new(const struct snapshot_source *source, struct name_reader **ret_reader,
                    struct err *err) {
        struct http_transport_config config = { .user_agent = "berth-completion",
                                                .timeout_ns = NAME_READER_TIMEOUT_NS };
        struct name_reader *reader = xcalloc(1, sizeof(*reader));
        int code = access_search(source->kubeconfig, source->context, &config.access, err);

        if (code == 0) {
                code = event_loop_new(&reader->events, err);
                if (code < 0)
                        cluster_access_release(&config.access);
        }
        if (code == 0)
                code = http_transport_new(&config, event_loop_as_loop(reader->events),
                                          &reader->http, err);
        if (code < 0) {
                name_reader_free(reader);
                return code;
        }
        reader->transport = http_transport(reader->http);
        *ret_reader = reader;
        return 0;
}

void name_reader_free(struct name_reader *reader) {
        if (!reader)
                return;
        json_doc_free(reader->page);
        http_transport_free(reader->http);
        event_loop_free(reader->events);
        free(reader);
}

static void on_page(void *context, const struct api_reply *reply) {
        struct name_reader *reader = context;

        reader->is_done = true;
        if (reply->status == 200)
                json_parse(reply->body, &reader->page, &reader->failure);
        else
                reader->failure = reply->error;
}

/* Waits for one answer; what is left of the call is cut with the transport. */
static int read_page(struct name_reader *reader, struct slice path, struct mono_time until,
                     struct err *err) {
        struct loop *loop = event_loop_as_loop(reader->events);

        json_doc_free(reader->page);
        reader->page = NULL;
        reader->is_done = false;
        reader->failure = (struct err){ 0 };
        struct api_request *request = transport_call(
                &reader->transport,
                &(struct api_call){
                        .method = API_GET,
                        .path = path,
                        .accept = SLICE_LITERAL("application/json;as=PartialObjectMetadataList;"
                                                "v=v1;g=meta.k8s.io,application/json") },
                on_page, reader);
        while (!reader->is_done) {
                int64_t left_ns = until.ns - loop_mono(loop).ns;

                if (left_ns <= 0) {
                        transport_cancel(&reader->transport, request);
                        return err_set(err, BERTH_ERR_TIMEOUT, "the cluster does not answer");
                }
                if (event_loop_run_once(reader->events, left_ns, err) < 0)
                        return err->code;
        }
        if (reader->page)
                return 0;
        *err = reader->failure;
        return err->code;
}

int name_reader_read(struct name_reader *reader, const char *path,
                     void (*found)(void *context, struct slice ns, struct slice name),
                     void *context, struct err *err) {
        struct loop *loop = event_loop_as_loop(reader->events);
        struct mono_time until = { loop_mono(loop).ns + NAME_READER_TIMEOUT_NS };
        CLEANUP(buf_release) struct buf url = { 0 };

        buf_text(&url, path);
        url_query_u64(&url, "limit", NAME_PAGE);
        for (size_t count = 0; count < NAME_READER_MAX;) {
                const struct json *item;

                if (read_page(reader, buf_view(&url), until, err) < 0)
                        return err->code;
                struct json_iter iter = json_iter(json_get(json_doc_root(reader->page), "items"));
                while (json_next(&iter, NULL, &item)) {
                        const struct json *meta = json_get(item, "metadata");

                        found(context, json_get_text(meta, "namespace"),
                              json_get_text(meta, "name"));
                        count++;
                }
                struct slice next = json_get_text(json_get(json_doc_root(reader->page), "metadata"),
                                                  "continue");
                if (!next.len)
                        break;
                buf_clear(&url);
                buf_text(&url, path);
                url_query_u64(&url, "limit", NAME_PAGE);
                url_query_text(&url, "continue", next);
        }
        return 0;
}
