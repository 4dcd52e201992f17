/* Query parameters: percent-decoding, look-up, and the options common to all writes. */
#include "server/api_query.h"

#include "base/go_number.h"
#include "base/go_quote.h"
#include "kinds/metadata_check.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include <ctype.h>
#include <stdlib.h>

#define QUERY_ITEMS_MAX 128

struct slice percent_decode(struct arena *arena, struct slice text, bool has_plus) {
        char *out = arena_alloc(arena, text.len + 1);
        size_t used = 0;

        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (c == '+' && has_plus)
                        c = ' ';
                if (c == '%' && i + 2 < text.len && hex_value(text.ptr[i + 1]) >= 0 &&
                    hex_value(text.ptr[i + 2]) >= 0) {
                        c = (char)(hex_value(text.ptr[i + 1]) * 16 + hex_value(text.ptr[i + 2]));
                        i += 2;
                }
                out[used++] = c;
        }
        return slice_make(out, used);
}

/* Upstream passes over a pair with a broken escape or a semicolon. */
static bool is_readable(struct slice item) {
        for (size_t i = 0; i < item.len; i++) {
                if (item.ptr[i] == ';')
                        return false;
                if (item.ptr[i] == '%' && (i + 2 >= item.len || hex_value(item.ptr[i + 1]) < 0 ||
                                           hex_value(item.ptr[i + 2]) < 0))
                        return false;
        }
        return true;
}

int query_parse(struct api_context *context, struct slice text) {
        struct api_query *query = &context->query;
        struct slice item;

        if (text.len == 0)
                return 0;
        query->items = ARENA_ARRAY(context->arena, struct query_item, QUERY_ITEMS_MAX);
        while (slice_split(&text, '&', &item)) {
                struct slice key = item, value = item;

                if (item.len == 0 || !is_readable(item))
                        continue;
                if (query->count == QUERY_ITEMS_MAX)
                        return fail_plain(context, 414, NULL,
                                          "too many query parameters, %d are allowed",
                                          QUERY_ITEMS_MAX);
                slice_split(&value, '=', &key);
                query->items[query->count++] =
                        (struct query_item){ percent_decode(context->arena, key, true),
                                             percent_decode(context->arena, value, true) };
        }
        return 0;
}

bool query_get(const struct api_query *query, const char *key, struct slice *ret_value) {
        for (size_t i = 0; i < query->count; i++) {
                if (slice_is(query->items[i].key, key)) {
                        *ret_value = query->items[i].value;
                        return true;
                }
        }
        return false;
}

struct slice query_text(const struct api_query *query, const char *key) {
        struct slice value = SLICE_EMPTY;

        query_get(query, key, &value);
        return value;
}

/* An option that is there must be a number, even if it is empty. */
int query_number(struct api_context *context, const char *name, int64_t *ret_value,
                 bool *ret_is_given) {
        struct slice text;
        CLEANUP(buf_release) struct buf complaint = { 0 };

        *ret_is_given = query_get(&context->query, name, &text);
        if (!*ret_is_given || go_int_parse(text, ret_value, &complaint))
                return 0;
        return fail_bad_request(context, "%s", complaint.data);
}

static bool is_word(struct slice text, const char *word) {
        size_t i;

        for (i = 0; i < text.len && word[i]; i++) {
                if (tolower((unsigned char)text.ptr[i]) != word[i])
                        return false;
        }
        return i == text.len && !word[i];
}

bool query_is_true(const struct api_query *query, const char *key) {
        struct slice value;

        return query_get(query, key, &value) && !is_word(value, "0") && !is_word(value, "false");
}

/* Everything before the first slash: kubectl/v1.36 (linux) ... -> kubectl */
struct slice default_manager(struct slice user_agent) {
        struct slice head = SLICE_EMPTY;

        slice_split(&user_agent, '/', &head);
        return head.len ? head : SLICE_LITERAL("unknown");
}

const char *query_values(struct api_context *context, const char *key, const char *word,
                         bool *ret_is_known) {
        const struct api_query *query = &context->query;
        const char *copy = NULL;
        struct buf text = { 0 };

        *ret_is_known = true;
        for (size_t i = 0; i < query->count; i++) {
                if (!slice_is(query->items[i].key, key))
                        continue;
                *ret_is_known &= slice_is(query->items[i].value, word);
                buf_char(&text, text.len ? ',' : '[');
                buf_json_string(&text, query->items[i].value);
        }
        if (text.len) {
                buf_char(&text, ']');
                copy = arena_string(context->arena, buf_view(&text));
        }
        buf_release(&text);
        return copy;
}

static char *api_query_quoted(struct arena *arena, struct slice one) {
        struct buf text = { 0 };

        go_quote_write(one, &text);
        char *copy = arena_string(arena, buf_view(&text));
        buf_release(&text);
        return copy;
}

static void manager_option(struct api_context *context, struct field_errors *errors) {
        struct slice manager = query_text(&context->query, "fieldManager");

        context->manager = manager.len ? manager : default_manager(context->request->user_agent);
        metadata_check_manager("fieldManager", manager, errors);
}

int write_options(struct api_context *context, const char *options, struct field_errors *errors) {
        struct slice validation = query_text(&context->query, "fieldValidation");
        bool is_known;
        const char *dry_run = query_values(context, "dryRun", "All", &is_known);

        manager_option(context, errors);
        if (!is_known)
                field_error_add(errors, FIELD_NOT_SUPPORTED, "dryRun", dry_run,
                                "supported values: \"All\"");
        context->is_dry_run |= !!dry_run;
        context->is_forced = query_is_true(&context->query, "force");
        if (slice_is(validation, "Strict"))
                context->validation = VALIDATE_STRICT;
        else if (slice_is(validation, "Ignore"))
                context->validation = VALIDATE_IGNORE;
        else if (validation.len && !slice_is(validation, "Warn"))
                field_error_add(errors, FIELD_NOT_SUPPORTED, "fieldValidation",
                                api_query_quoted(context->arena, validation),
                                "supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"");
        return errors->count ? fail_invalid(context, options, "meta.k8s.io", SLICE_EMPTY, errors)
                             : 0;
}
