/* Lists of one collection.
 *
 * A page is decoded only after the request for the next one is on its way, so that the server and
 * the network work meanwhile. */
#include "client/collection_list.h"

#include "base/util.h"
#include "client/list_reader.h"
#include "client/url_query.h"
#include "schema/pod_reader.h"
#include <assert.h>
#include <stdlib.h>

#define ITERATIONS_UNTIL_SENT 3 /* in which the transport gets a request onto the wire */

struct collection_list {
        struct collection_list_config config;
        struct api_request *request;
        struct loop_timer decode; /* armed while a page waits to be decoded */
        struct list_reader *reader;
        struct buf page; /* the answer that waits */
        struct buf version;
        enum collection_list_way way;
        int iterations_left;
        bool has_page, is_last_page;
        bool is_busy; /* objects are being taken */
        uint64_t pages;
};

/* ---- the end ---- */

static void list_done(struct collection_list *list) {
        struct collection_list_end end = { .retry_after_s = -1 };

        list_reader_free(list->reader);
        list->reader = NULL;
        if (list->config.collection->pods)
                pod_reader_clear(list->config.collection->pods);
        buf_release(&list->page);
        end.version = buf_view(&list->version);
        list->config.ended(list->config.context, &end);
}

static void list_failed(struct collection_list *list, const struct err *err, int retry_after_s) {
        struct collection_list_end end = { .err = err, .retry_after_s = retry_after_s };

        list->config.ended(list->config.context, &end);
}

/* The answer came, and says nothing that can be used. */
static void list_is_broken(struct collection_list *list, struct err *err) {
        struct collection *collection = list->config.collection;

        if (list->request)
                transport_cancel(list->config.transport, list->request);
        list->request = NULL;
        collection->takes_json = true; /* the form that every server and kind has */
        err_wrap(err, "answer to %s", collection->path);
        list_failed(list, err, -1);
}

static void keep_version(struct collection_list *list) {
        buf_clear(&list->version);
        buf_slice(&list->version, list_reader_version(list->reader));
        list->pages++;
}

/* ---- requests ---- */

static void begin_call(const struct collection_list *list, struct buf *url, struct api_call *call) {
        *call = (struct api_call){ .method = API_GET };
        collection_url(list->config.collection, url);
        call->accept = collection_accept(list->config.collection);
        call->is_large = list->config.is_large;
}

static void on_page(void *context, const struct api_reply *reply);

static void ask_page(struct collection_list *list, struct slice continue_token) {
        CLEANUP(buf_release) struct buf url = { 0 };
        struct api_call call;

        begin_call(list, &url, &call);
        url_query_u64(&url, "limit", list->config.page_size);
        if (continue_token.len)
                url_query_text(&url, "continue", continue_token);
        call.path = buf_view(&url);
        list->request = transport_call(list->config.transport, &call, on_page, list);
}

/* ---- pages ---- */

static void clear_page(struct collection_list *list) {
        list->has_page = false;
        buf_clear(&list->page);
        loop_timer_disarm(list->config.loop, &list->decode);
}

static bool decode_page(struct collection_list *list) {
        struct err err = { 0 };

        list->is_busy = true;
        int r = list_reader_read(list->reader, buf_view(&list->page), &err);
        list->is_busy = false;
        clear_page(list);
        if (r < 0)
                list_is_broken(list, &err);
        return r == 0;
}

static void on_decode(void *context) {
        struct collection_list *list = context;

        if (--list->iterations_left > 0) {
                loop_timer_arm(list->config.loop, &list->decode, 0);
                return;
        }
        if (decode_page(list) && list->is_last_page)
                list_done(list);
}

static void on_page(void *context, const struct api_reply *reply) {
        struct collection_list *list = context;
        struct err err = { 0 };

        list->request = NULL;
        if (list->has_page && !decode_page(list)) /* this came before that one was decoded */
                return;
        if (reply->status != 200) {
                list_failed(list, &reply->error, reply->retry_after_s);
                return;
        }
        if (list_reader_peek(list->reader, reply->body, &err) < 0) {
                list_is_broken(list, &err);
                return;
        }
        keep_version(list);
        struct slice next = list_reader_continue(list->reader);
        list->is_last_page = next.len == 0;
        list->iterations_left = next.len ? ITERATIONS_UNTIL_SENT : 1;
        if (next.len)
                ask_page(list, next);
        buf_slice(&list->page, reply->body);
        list->has_page = true;
        loop_timer_arm(list->config.loop, &list->decode, 0);
}

/* ---- a list in one piece ---- */

static void on_whole_data(void *context, struct slice chunk) {
        struct collection_list *list = context;
        struct err err = { 0 };

        list->is_busy = true;
        int r = list_reader_feed(list->reader, chunk, &err);
        list->is_busy = false;
        if (r < 0)
                list_is_broken(list, &err);
}

static void on_whole_ended(void *context, const struct api_reply *reply) {
        struct collection_list *list = context;
        struct err err = reply->error;

        list->request = NULL;
        if (reply->status != 200 || err.code) {
                list_failed(list, &err, reply->retry_after_s);
                return;
        }
        if (list_reader_end(list->reader, &err) < 0) {
                list_is_broken(list, &err);
                return;
        }
        keep_version(list);
        list_done(list);
}

static void ask_whole(struct collection_list *list) {
        static const struct api_stream_events events = { .data = on_whole_data,
                                                         .ended = on_whole_ended };
        CLEANUP(buf_release) struct buf url = { 0 };
        struct api_call call;

        begin_call(list, &url, &call);
        if (list->way == COLLECTION_CACHED)
                url_query_u64(&url, "resourceVersion", 0);
        call.path = buf_view(&url);
        list->request = transport_stream(list->config.transport, &call, &events, list);
}

/* ---- life ---- */

static void on_item(void *context, const struct json *item) {
        const struct collection_list *list = context;

        object_reports_take(list->config.reports, &(struct arrival){ .value = item });
}

static void on_pod(void *context, const struct pod *pod) {
        const struct collection_list *list = context;
        struct arrival arrival = collection_pod(list->config.collection, pod);

        object_reports_take(list->config.reports, &arrival);
}

void collection_list_begin(struct collection_list *list, enum collection_list_way way) {
        const struct collection *collection = list->config.collection;

        assert(!list->request && !list->is_busy);
        list->way = way;
        if (!list->reader)
                list->reader = list_reader_new(on_item, list);
        list_reader_leave_unread(list->reader, collection->leaves_unread);
        if (collection->pods) /* their bytes go to the consumer by a shorter way */
                list_reader_read_pods(list->reader, collection->pods, on_pod);
        list_reader_begin(list->reader);
        if (way == COLLECTION_PAGES)
                ask_page(list, SLICE_EMPTY);
        else
                ask_whole(list);
}

void collection_list_cancel(struct collection_list *list) {
        assert(!list->is_busy);
        if (list->request)
                transport_cancel(list->config.transport, list->request);
        list->request = NULL;
        clear_page(list);
}

void collection_list_read_all(struct collection_list *list) {
        if (list->reader)
                list_reader_leave_unread(list->reader, list->config.collection->leaves_unread);
}

uint64_t collection_list_pages(const struct collection_list *list) {
        return list->pages;
}

struct collection_list *collection_list_new(const struct collection_list_config *config) {
        struct collection_list *list = xcalloc(1, sizeof(*list));

        list->config = *config;
        list->decode = (struct loop_timer){ .fired = on_decode, .context = list };
        return list;
}

void collection_list_free(struct collection_list *list) {
        if (!list)
                return;
        collection_list_cancel(list);
        list_reader_free(list->reader);
        buf_release(&list->page);
        buf_release(&list->version);
        free(list);
}
