/* One call at a time, and none while nothing was learned. */
#include "roles/history_store.h"

#include "base/log.h"
#include "base/util.h"
#include <stdlib.h>

#define COLLECTION "/api/v1/namespaces/" HISTORY_STORE_NAMESPACE "/configmaps"
#define OBJECT COLLECTION "/" HISTORY_STORE_NAME

struct history_store {
        struct transport *transport;
        struct loop *loop;
        struct eviction_history *history;
        struct loop_timer timer;
        struct api_request *call;
        bool is_read, is_absent;
        uint64_t stored, sent; /* versions of the history */
};

static void history_store_later(struct history_store *store) {
        loop_timer_arm(store->loop, &store->timer, HISTORY_STORE_NS);
}

static void read_text(struct history_store *store, const struct api_reply *reply) {
        struct json_doc *doc = NULL, *data = NULL;

        if (json_parse(reply->body, &doc, NULL) == 0 &&
            json_parse(json_get_text(json_get(json_doc_root(doc), "data"), HISTORY_STORE_KEY),
                       &data, NULL) == 0)
                eviction_history_read(store->history, json_doc_root(data));
        json_doc_free(data);
        json_doc_free(doc);
        store->stored = eviction_history_version(store->history);
}

static void on_read(void *context, const struct api_reply *reply) {
        struct history_store *store = context;

        store->call = NULL;
        store->is_absent = reply->status == 404;
        store->is_read = reply->status == 200 || store->is_absent;
        if (reply->status == 200)
                read_text(store, reply);
        else if (!store->is_absent)
                LOG(LOG_DEBUG, "HistoryNotRead", log_text("error", reply->error.text));
        history_store_later(store);
}

static void on_written(void *context, const struct api_reply *reply) {
        struct history_store *store = context;

        store->call = NULL;
        store->is_absent = reply->status == 404;
        if (reply->status == 200 || reply->status == 201)
                store->stored = store->sent;
        else
                LOG(LOG_DEBUG, "HistoryNotWritten", log_text("error", reply->error.text));
        history_store_later(store);
}

static void write_out(struct history_store *store) {
        struct buf text = { 0 }, body = { 0 };

        store->sent = eviction_history_version(store->history);
        eviction_history_write(store->history, &text);
        buf_text(&body, "{\"metadata\":{\"name\":\"" HISTORY_STORE_NAME
                        "\"},\"data\":{\"" HISTORY_STORE_KEY "\":");
        buf_json_string(&body, buf_view(&text));
        buf_text(&body, "}}");
        store->call = transport_call(
                store->transport,
                &(struct api_call){ .method = store->is_absent ? API_POST : API_PATCH,
                                    .path = store->is_absent ? SLICE_LITERAL(COLLECTION)
                                                             : SLICE_LITERAL(OBJECT),
                                    .content_type =
                                            store->is_absent
                                                    ? SLICE_LITERAL("application/json")
                                                    : SLICE_LITERAL("application/merge-patch+json"),
                                    .body = buf_view(&body) },
                on_written, store);
        buf_release(&text);
        buf_release(&body);
}

static void history_store_look(void *context) {
        struct history_store *store = context;

        if (!store->is_read)
                store->call = transport_call(store->transport,
                                             &(struct api_call){ .path = SLICE_LITERAL(OBJECT) },
                                             on_read, store);
        else if (eviction_history_version(store->history) != store->stored)
                write_out(store);
        else
                history_store_later(store);
}

struct history_store *history_store_new(struct transport *transport, struct loop *loop,
                                        struct eviction_history *history) {
        struct history_store *store = xcalloc(1, sizeof(*store));

        store->transport = transport;
        store->loop = loop;
        store->history = history;
        store->timer = (struct loop_timer){ .fired = history_store_look, .context = store };
        loop_timer_arm(loop, &store->timer, 0);
        return store;
}

void history_store_free(struct history_store *store) {
        if (!store)
                return;
        loop_timer_disarm(store->loop, &store->timer);
        if (store->call)
                transport_cancel(store->transport, store->call);
        free(store);
}
