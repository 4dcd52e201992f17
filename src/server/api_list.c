/* GET of one object and of collections: paging, versions, selectors. */
#include "server/api_list.h"

#include "base/base64.h"
#include "base/go_number.h"
#include "base/go_quote.h"
#include "kinds/kinds.h"
#include "server/api_accept.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_pending.h"
#include "server/api_query.h"
#include "server/api_verbs.h"
#include "server/continue_token.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define STREAM_FROM_BYTES (1U << 20)

/* Events are read from etcd, all else from a cache, which may have it a second later. */
static int fail_future(struct api_context *context, uint64_t wanted) {
        bool is_cached = strcmp(context->resource->kind->plural, "events") != 0;

        if (context->pending && pending_await(context->pending, wanted)) {
                context->is_waiting = true;
                return API_FAILED;
        }
        struct failure_cause *cause = ARENA_NEW(context->arena, struct failure_cause);
        fail_plain(context, 504, "Timeout",
                   "Timeout: Too large resource version: %" PRIu64 ", current: %" PRIu64, wanted,
                   store_revision(context->engine->store));
        *cause = (struct failure_cause){ .reason = "ResourceVersionTooLarge",
                                         .message = "Too large resource version" };
        context->failure.has_details = true;
        context->failure.causes = cause;
        context->failure.cause_count = 1;
        context->failure.retry_after_s = is_cached ? 1 : 0;
        return API_FAILED;
}

static int fail_version(struct api_context *context, int code, const char *reason,
                        const char *heading, struct slice text) {
        return fail_plain(context, code, reason, "%sresourceVersion: Invalid value: %s: %s",
                          heading, go_quoted(context->arena, text),
                          go_number_problem(context->arena, "ParseUint", text));
}

/* Upstream answers a GET of events from etcd, which complains as lists do; of all else from a
 * cache. */
static int fail_get_version(struct api_context *context, struct slice version) {
        if (strcmp(context->resource->kind->plural, "events") == 0)
                return fail_version(context, 400, "BadRequest",
                                    "invalid resource version: ", version);
        return fail_version(context, 500, NULL, "", version);
}

int read_object(struct api_context *context, const struct store_object **ret_object) {
        const struct api_route *route = &context->route;
        struct slice version = query_text(&context->query, "resourceVersion");
        uint64_t wanted = 0;

        if (version.len && !slice_to_u64(version, &wanted))
                return fail_get_version(context, version);
        if (wanted > store_revision(context->engine->store))
                return fail_future(context, wanted);
        *ret_object = object_find(context, context->resource, route->ns, route->name);
        return *ret_object ? 0 : fail_not_found(context, context->resource, route->name);
}

int serve_get(struct api_context *context) {
        const struct store_object *object;

        if (query_is_true(&context->query, "export"))
                return fail_bad_request(context, "the export parameter, deprecated since v1.14, is "
                                                 "no longer supported");
        if (read_object(context, &object) < 0)
                return API_FAILED;
        return respond_object(context, 200, store_object_body(object));
}

/* ---- list options ---- */

static void match_errors(struct api_context *context, struct slice version, struct slice match,
                         struct field_errors *errors) {
        static const char field[] = "resourceVersionMatch";
        bool is_exact = slice_is(match, "Exact");
        struct buf quoted = { 0 };

        if (version.len == 0)
                field_error_add(errors, FIELD_FORBIDDEN, field, NULL,
                                "resourceVersionMatch is forbidden unless resourceVersion is "
                                "provided");
        if (query_text(&context->query, "continue").len)
                field_error_add(errors, FIELD_FORBIDDEN, field, NULL,
                                "resourceVersionMatch is forbidden when continue is provided");
        if (!is_exact && !slice_is(match, "NotOlderThan")) {
                buf_json_string(&quoted, match);
                field_error_add(errors, FIELD_NOT_SUPPORTED, field, quoted.data,
                                "supported values: \"Exact\", \"NotOlderThan\", \"\"");
                buf_release(&quoted);
        }
        if (is_exact && slice_is(version, "0"))
                field_error_add(errors, FIELD_FORBIDDEN, field, NULL,
                                "resourceVersionMatch \"exact\" is forbidden for "
                                "resourceVersion \"0\"");
}

int list_options_parse(struct api_context *context, struct list_numbers *ret_numbers) {
        struct list_numbers numbers = { 0 };
        bool is_given;
        struct slice labels = query_text(&context->query, "labelSelector");
        struct slice fields = query_text(&context->query, "fieldSelector");
        struct selector selector;
        struct field_selector field_selector;
        struct err err = { 0 };

        if (query_number(context, "timeoutSeconds", &numbers.timeout_s, &is_given) < 0 ||
            query_number(context, "limit", &numbers.limit, &is_given) < 0)
                return API_FAILED;
        if ((labels.len && selector_parse(labels, context->arena, &selector, &err) < 0) ||
            (fields.len && field_selector_parse(fields, context->arena, &field_selector, &err) < 0))
                return fail_bad_request(context, "%s", err.text);
        *ret_numbers = numbers;
        return 0;
}

/* All that is wrong with the options, in upstream's order. */
static int check_match(struct api_context *context, struct slice version, struct slice match) {
        struct field_errors errors = { .arena = context->arena };
        struct slice ignored;

        if (match.len)
                match_errors(context, version, match, &errors);
        if (query_get(&context->query, "sendInitialEvents", &ignored))
                field_error_add(&errors, FIELD_FORBIDDEN, "sendInitialEvents", NULL,
                                "sendInitialEvents is forbidden for list");
        return errors.count
                       ? fail_invalid(context, "ListOptions", "meta.k8s.io", SLICE_EMPTY, &errors)
                       : 0;
}

/* Lists of all namespaces have those in their keys. */
static bool is_of_all(const struct api_context *context) {
        return (context->resource->kind->flags & KIND_NAMESPACED) && context->route.ns.len == 0;
}

static char *token_behind(struct api_context *context, int64_t revision, struct slice ns,
                          struct slice name) {
        return continue_token_make(context->arena,
                                   &(struct continue_token){ .revision = revision,
                                                             .ns = ns,
                                                             .name = name,
                                                             .is_behind = true,
                                                             .is_of_all = is_of_all(context) });
}

static int token_parse(struct api_context *context, struct slice text, struct page *page) {
        struct continue_token token = { .ns = context->route.ns, .is_of_all = is_of_all(context) };
        const struct json *json = NULL;
        struct buf decoded = { 0 };
        bool is_base64 = base64_decode(text, BASE64_URL, &decoded);

        if (is_base64)
                json = request_json(context, buf_view(&decoded));
        buf_release(&decoded);
        if (!is_base64)
                return fail_bad_request(context,
                                        "invalid continue token: continue key is not valid: "
                                        "illegal base64 data at input byte %zu",
                                        base64_bad_byte(text, BASE64_URL));
        const char *problem = continue_token_read(context->arena, json, &token);
        if (problem)
                return fail_bad_request(context, "invalid continue token: %s", problem);
        page->range.revision = token.revision < 0 ? 0 : (uint64_t)token.revision;
        page->range.has_after = true;
        page->range.includes_after = !token.is_behind;
        page->range.after_ns = token.ns;
        page->range.after_name = token.name;
        return 0;
}

static int version_option(struct api_context *context, struct page *page) {
        struct slice version = query_text(&context->query, "resourceVersion");
        struct slice match = query_text(&context->query, "resourceVersionMatch");
        struct slice token = query_text(&context->query, "continue");
        uint64_t wanted = 0;

        if (token.len && token_parse(context, token, page) < 0)
                return API_FAILED;
        if (token.len && version.len && !slice_is(version, "0"))
                return fail_bad_request(context, "specifying resource version is not allowed when "
                                                 "using continue");
        /* A page of a version is of exactly this one, unless something else is said. */
        bool is_paged = page->limit && !page->selection.only_name.len;
        if (slice_is(version, "0"))
                page->limit = 0; /* cache reads return everything */
        if (token.len)
                return 0;
        if (version.len && !slice_to_u64(version, &wanted))
                return fail_version(context, 400, "BadRequest",
                                    "invalid resource version: ", version);
        if (wanted > store_revision(context->engine->store))
                return fail_future(context, wanted);
        if (slice_is(match, "Exact") || (match.len == 0 && is_paged))
                page->range.revision = wanted;
        return 0;
}

int page_options(struct api_context *context, struct page *page) {
        struct list_numbers numbers;

        if (list_options_parse(context, &numbers) < 0)
                return API_FAILED;
        page->limit = numbers.limit > 0 ? (size_t)numbers.limit : 0;
        page->range.resource = context->resource->store_resource;
        page->range.ns = context->route.ns;
        if (check_match(context, query_text(&context->query, "resourceVersion"),
                        query_text(&context->query, "resourceVersionMatch")) < 0)
                return API_FAILED;
        if (selection_parse(context, context->resource,
                            query_text(&context->query, "labelSelector"),
                            query_text(&context->query, "fieldSelector"), context->arena,
                            &page->selection) < 0)
                return API_FAILED;
        return 0;
}

/* ---- collecting ---- */

static void page_add(struct page *page, const struct store_object *object) {
        if (page->count == page->cap) {
                page->cap = page->cap ? page->cap * 2 : 64;
                page->objects = xreallocarray(page->objects, page->cap, sizeof(page->objects[0]));
        }
        page->objects[page->count++] = object;
        page->bytes += object->body_size + 1U;
}

static void page_collect(struct api_context *context, struct page *page,
                         struct store_cursor *cursor) {
        const struct store_object *object;

        while ((object = store_cursor_next(cursor))) {
                if (!selection_matches(context->engine, context->resource, &page->selection, object,
                                       context->arena))
                        continue;
                if (page->limit && page->count == page->limit) {
                        page->has_more = true;
                        page->remaining = store_cursor_remaining(cursor) + 1;
                        break;
                }
                page_add(page, object);
        }
        if (page->has_more)
                page->token = token_behind(context, (int64_t)page->shown_revision,
                                           store_object_ns(page->objects[page->count - 1]),
                                           store_object_name(page->objects[page->count - 1]));
}

static int fail_expired(struct api_context *context, const struct page *page) {
        if (!page->range.has_after)
                return fail_plain(context, 410, "Expired",
                                  "The resourceVersion for the provided list is too old.");
        fail_plain(context, 410, "Expired",
                   "The provided continue parameter is too old to display a consistent list "
                   "result. You can start a new list without the continue parameter, or use the "
                   "continue token in this response to retrieve the remainder of the results. "
                   "Continuing with the provided token results in an inconsistent list - objects "
                   "that were created, modified, or deleted between the time the first chunk was "
                   "returned and now may show up in the list.");
        context->failure.continue_token = token_behind(
                context, CONTINUE_LATEST, page->range.after_ns, page->range.after_name);
        return API_FAILED;
}

/* ---- writing ---- */

/* Lists of metadata alone are null without objects, and so are tables of kinds that have no columns
 * of their own. */
static bool is_null_list(const struct api_context *context, const struct page *page) {
        const struct table_column *columns = context->resource->kind->columns;
        bool is_plain = !columns || columns == created_columns;

        return page->count == 0 &&
               (context->form == FORM_PARTIAL || (context->form == FORM_TABLE && is_plain));
}

static void head_write(struct api_context *context, const struct page *page, struct buf *out) {
        const struct kind_info *kind = context->resource->kind;

        if (context->form == FORM_TABLE)
                buf_printf(out, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/%s\"",
                           meta_version(context->table));
        else if (context->form == FORM_PARTIAL)
                buf_printf(out,
                           "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":"
                           "\"meta.k8s.io/%s\"",
                           meta_version(context->table));
        else
                buf_printf(out, "{\"kind\":\"%sList\",\"apiVersion\":\"%s\"", kind->kind,
                           context->resource->api_version);
        buf_printf(out, ",\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"", page->shown_revision);
        if (page->has_more)
                buf_printf(out, ",\"continue\":\"%s\"", page->token);
        else if (kind->prune && context->form != FORM_TABLE && context->form != FORM_PARTIAL)
                buf_text(out, ",\"continue\":\"\""); /* lists of custom resources always have one */
        if (page->has_more && page->selection.is_all)
                buf_printf(out, ",\"remainingItemCount\":%zu", page->remaining);
        buf_text(out, "},");
        if (context->form == FORM_TABLE) {
                table_columns_write(context->resource, out);
                buf_text(out, is_null_list(context, page) ? ",\"rows\":null" : ",\"rows\":[");
        } else {
                buf_text(out, is_null_list(context, page) ? "\"items\":null" : "\"items\":[");
        }
}

static void item_write(struct api_context *context, const struct store_object *object,
                       struct buf *out) {
        const struct api_resource *resource = context->resource;
        bool is_view = resource->kind->from_stored;

        if (context->form == FORM_TABLE)
                table_row_write(&context->hooks, resource, context->table,
                                object_view(context->arena, resource, store_object_body(object)),
                                json_cache_get(&context->engine->cache, object), out);
        else if (context->form == FORM_PARTIAL)
                partial_write(
                        resource->kind,
                        is_view ? request_json(context, object_view(context->arena, resource,
                                                                    store_object_body(object)))
                                : json_cache_get(&context->engine->cache, object),
                        meta_version(context->table), out);
        else if (is_view)
                buf_slice(out, object_view(context->arena, resource, store_object_body(object)));
        else if (is_custom(resource)) /* each says what it is */
                object_write(slice_make(resource->prefix, resource->prefix_size),
                             store_object_body(object), out);
        else
                store_object_append(object, out);
}

int page_write(struct api_context *context, const struct page *page) {
        struct buf *out = &context->response->body;

        if (accept_check(context, ANSWER_LIST) < 0)
                return API_FAILED;
        context->response->status = 200;
        context->response->content_type = "application/json";
        if (context->form == FORM_OBJECT)
                buf_reserve(out, page->bytes + 512);
        head_write(context, page, out);
        for (size_t i = 0; i < page->count; i++) {
                if (i)
                        buf_char(out, ',');
                item_write(context, page->objects[i], out);
        }
        buf_text(out, is_null_list(context, page) ? "}" : "]}");
        return 0;
}

int page_open(struct api_context *context, struct page *page) {
        struct store_cursor *cursor = NULL;

        if (version_option(context, page) < 0)
                return API_FAILED;
        page->shown_revision = page->range.revision ? page->range.revision
                                                    : store_revision(context->engine->store);
        if (store_cursor_open(context->engine->store, &page->range, &cursor, NULL) < 0)
                return fail_expired(context, page);
        page_collect(context, page, cursor);
        store_cursor_close(cursor);
        return 0;
}

/* Long plain lists are written piece by piece, so that they never exist as one text. */
static bool is_streamed(const struct api_context *context, const struct page *page) {
        return context->request->takes_streams && context->form == FORM_OBJECT &&
               page->bytes > STREAM_FROM_BYTES;
}

int serve_list(struct api_context *context) {
        struct page page = { 0 };
        struct buf head = { 0 };
        int r = page_options(context, &page);

        if (r == 0)
                r = page_open(context, &page);
        if (r == 0 && is_streamed(context, &page)) {
                context->response->status = 200;
                context->response->content_type = "application/json";
                head_write(context, &page, &head);
                context->response->stream = list_stream_new(context->resource, &page, &head);
        } else if (r == 0) {
                r = page_write(context, &page);
        }
        free(page.objects);
        return r;
}
