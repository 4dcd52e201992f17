/* Watches: a position in the store's history that is read piece by piece. */
#include "base/go_number.h"
#include "base/go_quote.h"
#include "base/map.h"
#include "base/metric_text.h"
#include "kinds/release.h"
#include "server/api_accept.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_list.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_query.h"
#include "server/api_state.h"
#include "server/api_verbs.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BOOKMARK_INTERVAL_NS (60 * NS_PER_S)
#define BOOKMARK_BEFORE_END_S 2
#define TIMEOUT_DEFAULT_S 1800 /* plus as much again, by chance */
#define TIMEOUT_MAX_S (366 * 24 * 60 * 60)

struct watch {
        struct http_stream stream;
        struct api_server *server; /* NULL once the server is gone */
        struct watch *next, *previous;
        const struct api_resource *resource;
        struct arena arena; /* selection and names */
        struct slice ns, only_name;
        struct slice client; /* its User-Agent */
        struct selection selection;
        enum api_form form;
        struct table_form table;
        uint64_t revision;               /* all events up to it were written */
        bool is_initial, has_last_key;   /* still writing the objects that were there at revision */
        struct slice last_ns, last_name; /* malloc'ed */
        bool wants_initial_end, allows_bookmarks;
        bool is_bookmark_due, has_columns_written, is_timed_out, is_ended;
        bool is_unwritable; /* events have no form that the client takes: the first ends it */
        struct loop_timer timeout, bookmark;
        struct store_subscription *subscription;
};

/* ---- what wakes the reader ---- */

static void api_watch_changed(void *context, int resource, const struct store_event *event) {
        struct watch *watch = context;

        (void)resource;
        if (watch->ns.len == 0 || slice_eq(store_object_ns(event->object), watch->ns))
                http_stream_wake(&watch->stream);
}

static void timed_out(void *context) {
        struct watch *watch = context;

        watch->is_timed_out = true;
        http_stream_wake(&watch->stream);
}

static void bookmark_due(void *context) {
        struct watch *watch = context;

        watch->is_bookmark_due = true;
        loop_timer_arm(watch->server->engine.loop, &watch->bookmark, BOOKMARK_INTERVAL_NS);
        http_stream_wake(&watch->stream);
}

/* ---- writing events ---- */

static void object_text(struct watch *watch, struct slice body, struct buf *out) {
        const struct api_resource *resource = watch->resource;
        struct slice prefix = slice_make(resource->prefix, resource->prefix_size);
        struct api_context context = { .server = watch->server,
                                       .engine = &watch->server->engine,
                                       .arena = &watch->server->engine.scratch };
        struct slice view = object_view(context.arena, resource, body);
        struct json_doc *doc = NULL;

        if (watch->form == FORM_OBJECT) {
                object_write(prefix, view, out);
                return;
        }
        if (json_parse(watch->form == FORM_PARTIAL ? view : body, &doc, NULL) < 0)
                return;
        if (watch->form == FORM_PARTIAL) {
                partial_write(resource->kind, json_doc_root(doc), meta_version(watch->table), out);
        } else {
                hooks_prepare(&context, resource);
                buf_printf(out,
                           "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/%s\","
                           "\"metadata\":{\"resourceVersion\":",
                           meta_version(watch->table));
                buf_json_string(out, json_get_text(json_get(json_doc_root(doc), "metadata"),
                                                   "resourceVersion"));
                buf_text(out, "},");
                if (watch->has_columns_written)
                        buf_text(out, "\"columnDefinitions\":null");
                else
                        table_columns_write(resource, out);
                watch->has_columns_written = true;
                buf_text(out, ",\"rows\":[");
                table_row_write(&context.hooks, resource, watch->table, view, json_doc_root(doc),
                                out);
                buf_text(out, "]}");
                request_json_release(&context);
        }
        json_doc_free(doc);
}

static void event_write(struct watch *watch, enum store_event_type type, struct slice body,
                        struct buf *out) {
        static const char *const names[] = { "ADDED", "MODIFIED", "DELETED" };

        if (watch->is_unwritable) {
                watch->is_ended = true;
                return;
        }
        buf_printf(out, "{\"type\":\"%s\",\"object\":", names[type]);
        object_text(watch, body, out);
        buf_text(out, "}\n");
}

/* An object that has nothing but a version, as Go prints one: with the zero values of its type. */
static void bookmark_body(const struct watch *watch, bool is_initial_end, struct buf *out) {
        const struct kind_info *kind = watch->resource->kind, *stored = kind->stored_as;
        const struct schema_object *schema =
                kind->from_stored && stored
                        ? schema_find(slice_of(stored->group), slice_of(stored->version),
                                      slice_of(stored->kind))
                        : watch->resource->schema;
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *object = node_object(tree);
        struct json_node *metadata = node_need_object(tree, object, "metadata");
        char version[24];

        snprintf(version, sizeof(version), "%" PRIu64, watch->revision);
        node_put_string(tree, metadata, "resourceVersion", version);
        if (is_initial_end)
                node_put_string(tree, node_need_object(tree, metadata, "annotations"),
                                "k8s.io/initial-events-end", "true");
        if (schema)
                schema_normalise(schema, tree, object, NULL, NULL);
        object_add_own_zeroes(kind, tree, object);
        node_write(object, out);
}

static void bookmark_write(struct watch *watch, bool is_initial_end, struct buf *out) {
        CLEANUP(buf_release) struct buf body = { 0 };

        watch->is_bookmark_due = false;
        if (watch->is_unwritable) {
                watch->is_ended = true;
                return;
        }
        bookmark_body(watch, is_initial_end, &body);
        buf_text(out, "{\"type\":\"BOOKMARK\",\"object\":");
        object_text(watch, buf_view(&body), out);
        buf_text(out, "}\n");
}

static enum http_stream_state end_with(struct watch *watch, const struct api_failure *failure,
                                       struct buf *out) {
        buf_text(out, "{\"type\":\"ERROR\",\"object\":");
        failure_write(failure, out);
        buf_text(out, "}\n");
        watch->is_ended = true;
        return HTTP_STREAM_ENDED;
}

static enum http_stream_state end_expired(struct watch *watch, struct buf *out) {
        char message[128];
        struct api_failure failure = { .code = 410, .reason = "Expired", .message = message };

        snprintf(message, sizeof(message), "too old resource version: %" PRIu64 " (%" PRIu64 ")",
                 watch->revision,
                 store_compacted(watch->server->engine.store, watch->resource->store_resource));
        return end_with(watch, &failure, out);
}

static bool is_selected(struct watch *watch, const struct store_object *object) {
        if (watch->only_name.len && !slice_eq(store_object_name(object), watch->only_name))
                return false;
        return selection_matches(&watch->server->engine, watch->resource, &watch->selection, object,
                                 &watch->server->engine.scratch);
}

/* ---- the two phases ---- */

static void remember_key(struct watch *watch, const struct store_object *object) {
        free((char *)watch->last_ns.ptr);
        free((char *)watch->last_name.ptr);
        watch->last_ns = slice_of(slice_dup(store_object_ns(object)));
        watch->last_name = slice_of(slice_dup(store_object_name(object)));
        watch->has_last_key = true;
}

/* Objects as of the start of the watch; the cursor is opened again for every piece. */
static enum http_stream_state read_initial(struct watch *watch, struct buf *out,
                                           size_t soft_limit) {
        struct store_range range = {
                .resource = watch->resource->store_resource,
                .revision = watch->revision,
                .ns = watch->ns,
                .has_after = watch->has_last_key,
                .after_ns = watch->last_ns,
                .after_name = watch->last_name,
        };
        struct store_cursor *cursor = NULL;
        const struct store_object *object, *last = NULL;

        if (store_cursor_open(watch->server->engine.store, &range, &cursor, NULL) < 0)
                return end_expired(watch, out);
        while (out->len < soft_limit && !watch->is_ended && (object = store_cursor_next(cursor))) {
                if (is_selected(watch, object))
                        event_write(watch, STORE_ADDED, store_object_body(object), out);
                last = object;
        }
        if (out->len >= soft_limit && last) {
                remember_key(watch, last);
        } else {
                watch->is_initial = false;
                if (watch->wants_initial_end && watch->allows_bookmarks)
                        bookmark_write(watch, true, out);
        }
        store_cursor_close(cursor);
        return watch->is_ended ? HTTP_STREAM_ENDED : HTTP_STREAM_MORE;
}

/* The last state that matched, with the revision of the change that made it leave. */
static void leaving_write(struct watch *watch, const struct store_event *event, struct buf *out) {
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
        event_write(watch, STORE_DELETED, buf_view(&body), out);
        buf_release(&body);
        json_tree_free(tree);
}

static void change_write(struct watch *watch, const struct store_event *event, struct buf *out) {
        bool was = event->previous && is_selected(watch, event->previous);
        bool is = event->type != STORE_DELETED && is_selected(watch, event->object);

        if (watch->ns.len && !slice_eq(store_object_ns(event->object), watch->ns))
                return;
        if (event->type == STORE_DELETED && was)
                event_write(watch, STORE_DELETED, store_object_body(event->object), out);
        else if (is)
                event_write(watch, was ? STORE_MODIFIED : STORE_ADDED,
                            store_object_body(event->object), out);
        else if (was)
                leaving_write(watch, event, out);
}

static enum http_stream_state read_live(struct watch *watch, struct buf *out, size_t soft_limit) {
        const struct store *store = watch->server->engine.store;
        int resource = watch->resource->store_resource;
        const struct store_event *event;

        if (watch->revision < store_compacted(store, resource))
                return end_expired(watch, out);
        while (out->len < soft_limit && !watch->is_ended &&
               (event = store_event_after(store, resource, watch->revision))) {
                change_write(watch, event, out);
                watch->revision = event->revision;
        }
        if (out->len >= soft_limit)
                return HTTP_STREAM_MORE;
        if (watch->revision < store_revision(store))
                watch->revision = store_revision(store);
        if (watch->is_bookmark_due)
                bookmark_write(watch, false, out);
        watch->is_ended |= watch->is_timed_out;
        return watch->is_ended ? HTTP_STREAM_ENDED : HTTP_STREAM_IDLE;
}

/* A watch of a living server is subscribed, in the server's list, and knows where it goes on. */
static void watch_check(const struct watch *watch) {
        assert(watch->subscription);
        assert(watch->previous ? watch->previous->next == watch : watch->server->watches == watch);
        assert(!watch->next || watch->next->previous == watch);
        assert(!watch->has_last_key || watch->last_name.len > 0);
}

static enum http_stream_state watch_read(struct http_stream *stream, struct buf *out,
                                         size_t soft_limit) {
        struct watch *watch = CONTAINER_OF(stream, struct watch, stream);
        enum http_stream_state state = HTTP_STREAM_MORE;

        if (!watch->server || watch->is_ended)
                return HTTP_STREAM_ENDED;
        watch_check(watch);
        if (watch->is_initial)
                state = read_initial(watch, out, soft_limit);
        if (!watch->is_initial && !watch->is_ended && out->len < soft_limit)
                state = read_live(watch, out, soft_limit);
        arena_clear(&watch->server->engine.scratch);
        return state;
}

/* ---- life ---- */

static void api_watch_detach(struct watch *watch) {
        struct api_server *server = watch->server;

        if (!server)
                return;
        loop_timer_disarm(server->engine.loop, &watch->timeout);
        loop_timer_disarm(server->engine.loop, &watch->bookmark);
        store_unsubscribe(server->engine.store, watch->subscription);
        if (watch->previous)
                watch->previous->next = watch->next;
        else
                server->watches = watch->next;
        if (watch->next)
                watch->next->previous = watch->previous;
        watch->server = NULL;
}

static void watch_free(struct http_stream *stream) {
        struct watch *watch = CONTAINER_OF(stream, struct watch, stream);

        api_watch_detach(watch);
        free((char *)watch->last_ns.ptr);
        free((char *)watch->last_name.ptr);
        arena_release(&watch->arena);
        free(watch);
}

void watches_end(struct api_server *server) {
        while (server->watches) {
                struct watch *watch = server->watches;

                api_watch_detach(watch);
                http_stream_wake(&watch->stream);
        }
}

static const struct http_stream_ops watch_ops = { .read = watch_read, .free = watch_free };

static struct watch *watch_new(struct api_context *context) {
        struct api_server *server = context->server;
        struct watch *watch = xcalloc(1, sizeof(*watch));

        watch->stream.ops = &watch_ops;
        arena_init(&watch->arena, 512);
        watch->server = server;
        watch->resource = context->resource;
        watch->ns = arena_slice(&watch->arena, context->route.ns);
        watch->only_name = arena_slice(&watch->arena, context->route.name);
        watch->client = arena_slice(&watch->arena, context->request->user_agent);
        watch->form = context->form;
        watch->table = context->table;
        watch->next = server->watches;
        if (watch->next)
                watch->next->previous = watch;
        server->watches = watch;
        return watch;
}

/* ---- metrics ---- */

#define OPEN_WATCHES "berth_open_watches"

void watches_write(const struct api_server *server, struct buf *out) {
        CLEANUP(buf_release) struct buf key = { 0 };
        struct map *counts = map_new(); /* client and resource, each ended by a NUL */
        struct slice text, client;
        void *value;
        size_t at = 0;

        for (const struct watch *watch = server->watches; watch; watch = watch->next) {
                buf_clear(&key);
                buf_slice(&key, watch->client);
                buf_char(&key, '\0');
                buf_text(&key, watch->resource->qualified);
                map_put(counts, buf_view(&key),
                        (void *)((uintptr_t)map_get(counts, buf_view(&key)) + 1));
        }
        metric_text_family(out, OPEN_WATCHES, METRIC_GAUGE,
                           "Watches that are open, by User-Agent and resource.");
        while (map_next(counts, &at, &text, &value)) {
                slice_split(&text, '\0', &client);
                metric_text_sample(
                        out, OPEN_WATCHES,
                        (struct metric_labels){ (struct metric_label[]){ { "client", client },
                                                                         { "resource", text } },
                                                2 },
                        (double)(uintptr_t)value);
        }
        map_free(counts);
}

/* ---- options ---- */

static void watch_match_errors(struct api_context *context, bool has_initial, struct slice match,
                               struct field_errors *errors) {
        static const char field[] = "resourceVersionMatch";
        struct buf quoted = { 0 };

        if (!has_initial)
                field_error_add(errors, FIELD_FORBIDDEN, field, NULL,
                                "resourceVersionMatch is forbidden for watch unless "
                                "sendInitialEvents is provided");
        if (!slice_is(match, "NotOlderThan")) {
                buf_json_string(&quoted, match);
                field_error_add(errors, FIELD_NOT_SUPPORTED, field, quoted.data,
                                "supported values: \"NotOlderThan\"");
                buf_release(&quoted);
        }
        if (query_text(&context->query, "continue").len)
                field_error_add(errors, FIELD_FORBIDDEN, field, NULL,
                                "resourceVersionMatch is forbidden when continue is provided");
}

static int check_watch_match(struct api_context *context, bool has_initial, struct slice match) {
        struct field_errors errors = { .arena = context->arena };
        bool is_served = release_has(context->engine->resources.minor, RELEASE_WATCH_LIST);

        if (has_initial && !slice_is(match, "NotOlderThan"))
                field_error_add(&errors, FIELD_FORBIDDEN, "resourceVersionMatch", NULL,
                                "sendInitialEvents requires setting resourceVersionMatch to "
                                "NotOlderThan");
        if (has_initial && !is_served)
                field_error_add(&errors, FIELD_FORBIDDEN, "sendInitialEvents", NULL,
                                "sendInitialEvents is forbidden for watch unless the WatchList "
                                "feature gate is enabled");
        if (match.len)
                watch_match_errors(context, has_initial, match, &errors);
        return errors.count
                       ? fail_invalid(context, "ListOptions", "meta.k8s.io", SLICE_EMPTY, &errors)
                       : 0;
}

/* A watch from no version in particular asks for the initial events, whether it says so or not. */
static bool asks_for_initial(const struct api_context *context) {
        struct slice version = query_text(&context->query, "resourceVersion"), text;

        return release_has(context->engine->resources.minor, RELEASE_WATCH_LIST) &&
               !query_get(&context->query, "sendInitialEvents", &text) &&
               query_text(&context->query, "resourceVersionMatch").len == 0 &&
               (version.len == 0 || slice_is(version, "0"));
}

static int start_option(struct api_context *context, struct watch *watch) {
        struct slice version = query_text(&context->query, "resourceVersion"), text;
        bool has_initial = query_get(&context->query, "sendInitialEvents", &text);
        bool is_initial = query_is_true(&context->query, "sendInitialEvents");
        uint64_t now = store_revision(context->engine->store), wanted = 0;

        if (version.len && !slice_to_u64(version, &wanted))
                return fail_plain(context, 500, NULL, "resourceVersion: Invalid value: %s: %s",
                                  go_quoted(context->arena, version),
                                  go_number_problem(context->arena, "ParseUint", version));
        watch->is_initial = is_initial || (!has_initial && wanted == 0);
        watch->wants_initial_end = is_initial || asks_for_initial(context);
        watch->revision = watch->is_initial || wanted == 0 ? now : wanted;
        return 0;
}

static int64_t timeout_choose(struct api_context *context, int64_t seconds) {
        if (seconds <= 0)
                seconds = TIMEOUT_DEFAULT_S +
                          (int64_t)rng_below(&context->engine->rng, TIMEOUT_DEFAULT_S);
        return seconds < TIMEOUT_MAX_S ? seconds : TIMEOUT_MAX_S;
}

/* Objects that come one by one are no list. */
static int form_option(struct api_context *context, struct watch *watch) {
        watch->is_unwritable = watch->form == FORM_PARTIAL && context->has_partial_list_form;
        if (accept_check(context, ANSWER_STATUS) < 0)
                return API_FAILED;
        watch->table = context->table;
        return 0;
}

static int watch_options(struct api_context *context, struct watch *watch, int64_t *ret_seconds) {
        bool asks = asks_for_initial(context);
        struct slice text, match = query_text(&context->query, "resourceVersionMatch");
        struct list_numbers numbers;

        if (list_options_parse(context, &numbers) < 0 ||
            check_watch_match(context,
                              asks || query_get(&context->query, "sendInitialEvents", &text),
                              asks ? SLICE_LITERAL("NotOlderThan") : match) < 0 ||
            selection_parse(context, context->resource,
                            query_text(&context->query, "labelSelector"),
                            query_text(&context->query, "fieldSelector"), &watch->arena,
                            &watch->selection) < 0 ||
            start_option(context, watch) < 0)
                return API_FAILED;
        *ret_seconds = timeout_choose(context, numbers.timeout_s);
        return form_option(context, watch);
}

static void timers_start(struct watch *watch, int64_t seconds) {
        int64_t last_bookmark_ns = (seconds - BOOKMARK_BEFORE_END_S) * NS_PER_S;

        watch->timeout = (struct loop_timer){ .fired = timed_out, .context = watch };
        watch->bookmark = (struct loop_timer){ .fired = bookmark_due, .context = watch };
        loop_timer_arm(watch->server->engine.loop, &watch->timeout, seconds * NS_PER_S);
        if (watch->allows_bookmarks && last_bookmark_ns > 0)
                loop_timer_arm(watch->server->engine.loop, &watch->bookmark,
                               last_bookmark_ns < BOOKMARK_INTERVAL_NS ? last_bookmark_ns
                                                                       : BOOKMARK_INTERVAL_NS);
}

int serve_watch(struct api_context *context) {
        struct watch *watch = watch_new(context);
        int64_t seconds = 0;

        if (watch_options(context, watch, &seconds) < 0) {
                watch_free(&watch->stream);
                return API_FAILED;
        }
        watch->allows_bookmarks = query_is_true(&context->query, "allowWatchBookmarks");
        watch->subscription =
                store_subscribe(context->engine->store, context->resource->store_resource,
                                api_watch_changed, watch);
        timers_start(watch, seconds);
        context->response->status = 200;
        context->response->content_type = "application/json";
        context->response->stream = &watch->stream;
        return 0;
}
