/* Watches: a position in the store's history that is read piece by piece. */
#include "server/api_priv.h"

#include <inttypes.h>
#include <stdlib.h>

#define BOOKMARK_INTERVAL_NS (60 * NS_PER_S)
#define BOOKMARK_BEFORE_END_S 2
#define TIMEOUT_DEFAULT_S 1800 /* plus as much again, by chance */

struct api_stream {
        struct api_server *server; /* NULL once the server is gone */
        struct api_stream *next, *previous;
        const struct api_resource *resource;
        struct arena arena; /* selection and names */
        struct slice ns, only_name;
        struct selection selection;
        enum api_form form;
        enum table_include include;
        uint64_t revision;               /* all events up to it were written */
        bool is_initial, has_last_key;   /* still writing the objects that were there at revision */
        struct slice last_ns, last_name; /* malloc'ed */
        bool wants_initial_end, allows_bookmarks;
        bool is_bookmark_due, has_columns_written, is_timed_out, is_ended, is_woken;
        struct api_failure *failure; /* written as the last event */
        struct loop_timer timeout, bookmark;
        struct store_subscription *subscription;
        void (*ready)(void *context);
        void *ready_context;
};

/* ---- waking the reader ---- */

static void wake(struct api_stream *stream) {
        if (stream->is_woken || !stream->ready)
                return;
        stream->is_woken = true;
        stream->ready(stream->ready_context);
}

static void changed(void *context, int resource, const struct store_event *event) {
        struct api_stream *stream = context;

        (void)resource;
        if (stream->ns.len == 0 || slice_eq(store_object_ns(event->object), stream->ns))
                wake(stream);
}

static void timed_out(void *context) {
        struct api_stream *stream = context;

        stream->is_timed_out = true;
        wake(stream);
}

static void bookmark_due(void *context) {
        struct api_stream *stream = context;

        stream->is_bookmark_due = true;
        loop_timer_arm(stream->server->loop, &stream->bookmark, BOOKMARK_INTERVAL_NS);
        wake(stream);
}

void api_stream_on_ready(struct api_stream *stream, void (*ready)(void *context), void *context) {
        stream->ready = ready;
        stream->ready_context = context;
        stream->is_woken = false;
}

/* ---- writing events ---- */

static void object_text(struct api_stream *stream, struct slice body, struct buf *out) {
        const struct api_resource *resource = stream->resource;
        struct slice prefix = slice_make(resource->prefix, resource->prefix_size);
        struct api_context context = { .server = stream->server,
                                       .arena = &stream->server->scratch };
        struct json_doc *doc = NULL;

        if (stream->form == FORM_OBJECT) {
                object_write(prefix, object_view(context.arena, resource, body), out);
                return;
        }
        if (json_parse(body, &doc, NULL) < 0)
                return;
        if (stream->form == FORM_PARTIAL) {
                partial_write(json_doc_root(doc), true, out);
        } else {
                hooks_prepare(&context, resource);
                buf_text(out, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\","
                              "\"metadata\":{\"resourceVersion\":");
                buf_json_string(out, json_get_text(json_get(json_doc_root(doc), "metadata"),
                                                   "resourceVersion"));
                buf_text(out, "},");
                if (stream->has_columns_written)
                        buf_text(out, "\"columnDefinitions\":null");
                else
                        table_columns_write(resource, out);
                stream->has_columns_written = true;
                buf_text(out, ",\"rows\":[");
                table_row_write(&context.hooks, resource, stream->include,
                                object_view(context.arena, resource, body), json_doc_root(doc),
                                out);
                buf_text(out, "]}");
                for (size_t i = 0; i < context.doc_count; i++)
                        json_doc_free(context.docs[i]);
                free(context.docs);
        }
        json_doc_free(doc);
}

static void event_write(struct api_stream *stream, enum store_event_type type, struct slice body,
                        struct buf *out) {
        static const char *const names[] = { "ADDED", "MODIFIED", "DELETED" };

        buf_printf(out, "{\"type\":\"%s\",\"object\":", names[type]);
        object_text(stream, body, out);
        buf_text(out, "}\n");
}

static void bookmark_write(struct api_stream *stream, bool is_initial_end, struct buf *out) {
        const struct api_resource *resource = stream->resource;

        buf_text(out, "{\"type\":\"BOOKMARK\",\"object\":");
        if (stream->form == FORM_TABLE)
                buf_text(out, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",");
        else if (stream->form == FORM_PARTIAL)
                buf_text(out, "{\"kind\":\"PartialObjectMetadata\","
                              "\"apiVersion\":\"meta.k8s.io/v1\",");
        else
                buf_append(out, resource->prefix, resource->prefix_size);
        buf_printf(out, "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"", stream->revision);
        if (stream->form == FORM_TABLE) {
                /* The bookmark is a table whose only row carries the version and annotation. */
                buf_text(out, "},\"columnDefinitions\":null,\"rows\":[{\"cells\":[],\"object\":");
                buf_printf(out,
                           "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","
                           "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"",
                           stream->revision);
        }
        if (is_initial_end)
                buf_text(out, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}");
        buf_text(out, stream->form == FORM_TABLE ? "}}}]}}\n" : "}}}\n");
        stream->is_bookmark_due = false;
}

static enum api_stream_state end_with(struct api_stream *stream, const struct api_failure *failure,
                                      struct buf *out) {
        buf_text(out, "{\"type\":\"ERROR\",\"object\":");
        failure_write(failure, out);
        buf_text(out, "}\n");
        stream->is_ended = true;
        return API_STREAM_ENDED;
}

static enum api_stream_state end_expired(struct api_stream *stream, struct buf *out) {
        char message[128];
        struct api_failure failure = { .code = 410, .reason = "Expired", .message = message };

        snprintf(message, sizeof(message), "too old resource version: %" PRIu64 " (%" PRIu64 ")",
                 stream->revision,
                 store_compacted(stream->server->store, stream->resource->store_resource));
        return end_with(stream, &failure, out);
}

static bool is_selected(struct api_stream *stream, const struct store_object *object) {
        if (stream->only_name.len && !slice_eq(store_object_name(object), stream->only_name))
                return false;
        return selection_matches(stream->server, stream->resource, &stream->selection, object,
                                 &stream->server->scratch);
}

/* ---- the two phases ---- */

static void remember_key(struct api_stream *stream, const struct store_object *object) {
        free((char *)stream->last_ns.ptr);
        free((char *)stream->last_name.ptr);
        stream->last_ns = slice_of(slice_dup(store_object_ns(object)));
        stream->last_name = slice_of(slice_dup(store_object_name(object)));
        stream->has_last_key = true;
}

/* Objects as of the start of the watch; the cursor is opened anew for every piece. */
static enum api_stream_state read_initial(struct api_stream *stream, struct buf *out,
                                          size_t soft_limit) {
        struct store_range range = {
                .resource = stream->resource->store_resource,
                .revision = stream->revision,
                .ns = stream->ns,
                .has_after = stream->has_last_key,
                .after_ns = stream->last_ns,
                .after_name = stream->last_name,
        };
        struct store_cursor *cursor = NULL;
        const struct store_object *object, *last = NULL;

        if (store_cursor_open(stream->server->store, &range, &cursor, NULL) < 0)
                return end_expired(stream, out);
        while (out->len < soft_limit && (object = store_cursor_next(cursor))) {
                if (is_selected(stream, object))
                        event_write(stream, STORE_ADDED, store_object_body(object), out);
                last = object;
        }
        if (out->len >= soft_limit && last) {
                remember_key(stream, last);
        } else {
                stream->is_initial = false;
                if (stream->wants_initial_end && stream->allows_bookmarks)
                        bookmark_write(stream, true, out);
        }
        store_cursor_close(cursor);
        return API_STREAM_MORE;
}

/* The last state that matched, with the revision of the change that made it leave. */
static void leaving_write(struct api_stream *stream, const struct store_event *event,
                          struct buf *out) {
        struct json_tree *tree = NULL;
        struct json_node *object = tree_of_object(event->previous, &tree);
        struct buf body = { 0 };
        char revision[24];

        if (!object)
                return;
        snprintf(revision, sizeof(revision), "%" PRIu64, event->revision);
        node_put_string(tree, node_need_object(tree, object, "metadata"), "resourceVersion",
                        revision);
        node_write(object, &body);
        event_write(stream, STORE_DELETED, buf_view(&body), out);
        buf_release(&body);
        json_tree_free(tree);
}

static void change_write(struct api_stream *stream, const struct store_event *event,
                         struct buf *out) {
        bool was = event->previous && is_selected(stream, event->previous);
        bool is = event->type != STORE_DELETED && is_selected(stream, event->object);

        if (stream->ns.len && !slice_eq(store_object_ns(event->object), stream->ns))
                return;
        if (event->type == STORE_DELETED && was)
                event_write(stream, STORE_DELETED, store_object_body(event->object), out);
        else if (is)
                event_write(stream, was ? STORE_MODIFIED : STORE_ADDED,
                            store_object_body(event->object), out);
        else if (was)
                leaving_write(stream, event, out);
}

static enum api_stream_state read_live(struct api_stream *stream, struct buf *out,
                                       size_t soft_limit) {
        const struct store *store = stream->server->store;
        int resource = stream->resource->store_resource;
        const struct store_event *event;

        if (stream->revision < store_compacted(store, resource))
                return end_expired(stream, out);
        while (out->len < soft_limit &&
               (event = store_event_after(store, resource, stream->revision))) {
                change_write(stream, event, out);
                stream->revision = event->revision;
        }
        if (out->len >= soft_limit)
                return API_STREAM_MORE;
        if (stream->revision < store_revision(store))
                stream->revision = store_revision(store);
        if (stream->is_bookmark_due)
                bookmark_write(stream, false, out);
        if (stream->is_timed_out) {
                stream->is_ended = true;
                return API_STREAM_ENDED;
        }
        return API_STREAM_IDLE;
}

enum api_stream_state api_stream_read(struct api_stream *stream, struct buf *out,
                                      size_t soft_limit) {
        enum api_stream_state state = API_STREAM_MORE;

        stream->is_woken = false;
        if (!stream->server || stream->is_ended)
                return API_STREAM_ENDED;
        if (stream->failure)
                return end_with(stream, stream->failure, out);
        if (stream->is_initial)
                state = read_initial(stream, out, soft_limit);
        if (!stream->is_initial && !stream->is_ended && out->len < soft_limit)
                state = read_live(stream, out, soft_limit);
        arena_clear(&stream->server->scratch);
        return state;
}

/* ---- life ---- */

static void detach(struct api_stream *stream) {
        struct api_server *server = stream->server;

        if (!server)
                return;
        loop_timer_disarm(server->loop, &stream->timeout);
        loop_timer_disarm(server->loop, &stream->bookmark);
        store_unsubscribe(server->store, stream->subscription);
        if (stream->previous)
                stream->previous->next = stream->next;
        else
                server->streams = stream->next;
        if (stream->next)
                stream->next->previous = stream->previous;
        stream->server = NULL;
}

void api_stream_close(struct api_stream *stream) {
        if (!stream)
                return;
        detach(stream);
        free((char *)stream->last_ns.ptr);
        free((char *)stream->last_name.ptr);
        arena_release(&stream->arena);
        free(stream);
}

void streams_close_all(struct api_server *server) {
        while (server->streams) {
                struct api_stream *stream = server->streams;

                detach(stream);
                wake(stream);
        }
}

static struct api_stream *stream_new(struct api_context *context) {
        struct api_server *server = context->server;
        struct api_stream *stream = xcalloc(1, sizeof(*stream));

        arena_init(&stream->arena, 512);
        stream->server = server;
        stream->resource = context->resource;
        stream->ns = arena_slice(&stream->arena, context->route.ns);
        stream->only_name = arena_slice(&stream->arena, context->route.name);
        stream->form = context->form;
        stream->include = context->include;
        stream->next = server->streams;
        if (stream->next)
                stream->next->previous = stream;
        server->streams = stream;
        return stream;
}

/* ---- options ---- */

static int check_watch_match(struct api_context *context, bool has_initial, struct slice match) {
        struct field_errors errors = { .arena = context->arena };
        struct buf quoted = { 0 };

        if (!has_initial && match.len)
                return fail_option(context, "ListOptions", FIELD_FORBIDDEN, "resourceVersionMatch",
                                   NULL,
                                   "resourceVersionMatch is forbidden for watch unless "
                                   "sendInitialEvents is provided");
        if (!has_initial || slice_is(match, "NotOlderThan"))
                return 0;
        field_error_add(&errors, FIELD_FORBIDDEN, "resourceVersionMatch", NULL,
                        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        if (match.len) {
                buf_json_string(&quoted, match);
                field_error_add(&errors, FIELD_NOT_SUPPORTED, "resourceVersionMatch", quoted.data,
                                "supported values: \"NotOlderThan\"");
                buf_release(&quoted);
        }
        return fail_invalid(context, "ListOptions", "meta.k8s.io", SLICE_EMPTY, &errors);
}

static int start_option(struct api_context *context, struct api_stream *stream) {
        struct slice version = query_text(&context->query, "resourceVersion"), text;
        bool has_initial = query_get(&context->query, "sendInitialEvents", &text);
        bool is_initial = query_is_true(&context->query, "sendInitialEvents");
        uint64_t now = store_revision(context->server->store), wanted = 0;

        if (check_watch_match(context, has_initial,
                              query_text(&context->query, "resourceVersionMatch")) < 0)
                return API_FAILED;
        if (version.len && !slice_to_u64(version, &wanted))
                return fail_plain(context, 500, NULL,
                                  "resourceVersion: Invalid value: \"" SLICE_FMT
                                  "\": strconv.ParseUint: parsing \"" SLICE_FMT
                                  "\": invalid syntax",
                                  SLICE_ARG(version), SLICE_ARG(version));
        stream->is_initial = is_initial || (!has_initial && wanted == 0);
        stream->wants_initial_end = is_initial;
        stream->revision = stream->is_initial || wanted == 0 ? now : wanted;
        return 0;
}

static int timeout_option(struct api_context *context, int64_t *ret_seconds) {
        struct slice text = query_text(&context->query, "timeoutSeconds");
        int64_t seconds = 0;

        if (text.len && !slice_to_i64(text, &seconds))
                return fail_bad_request(
                        context, "strconv.ParseInt: parsing \"" SLICE_FMT "\": invalid syntax",
                        SLICE_ARG(text));
        if (seconds <= 0)
                seconds = TIMEOUT_DEFAULT_S +
                          (int64_t)rng_below(&context->server->rng, TIMEOUT_DEFAULT_S);
        *ret_seconds = seconds;
        return 0;
}

static void timers_start(struct api_stream *stream, int64_t seconds) {
        int64_t last_bookmark_ns = (seconds - BOOKMARK_BEFORE_END_S) * NS_PER_S;

        stream->timeout = (struct loop_timer){ .fired = timed_out, .context = stream };
        stream->bookmark = (struct loop_timer){ .fired = bookmark_due, .context = stream };
        loop_timer_arm(stream->server->loop, &stream->timeout, seconds * NS_PER_S);
        if (stream->allows_bookmarks && last_bookmark_ns > 0)
                loop_timer_arm(stream->server->loop, &stream->bookmark,
                               last_bookmark_ns < BOOKMARK_INTERVAL_NS ? last_bookmark_ns
                                                                       : BOOKMARK_INTERVAL_NS);
}

int serve_watch(struct api_context *context) {
        struct api_stream *stream = stream_new(context);
        int64_t seconds = 0;

        if (selection_parse(context, context->resource,
                            query_text(&context->query, "labelSelector"),
                            query_text(&context->query, "fieldSelector"), &stream->arena,
                            &stream->selection) < 0 ||
            timeout_option(context, &seconds) < 0 || start_option(context, stream) < 0) {
                api_stream_close(stream);
                return API_FAILED;
        }
        stream->allows_bookmarks = query_is_true(&context->query, "allowWatchBookmarks");
        stream->subscription = store_subscribe(context->server->store,
                                               context->resource->store_resource, changed, stream);
        timers_start(stream, seconds);
        context->response->status = 200;
        context->response->content_type = "application/json";
        context->response->stream = stream;
        return 0;
}
