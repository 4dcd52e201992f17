/* Failures of requests, and how they look as Status objects. */
#include "server/api_failure.h"

#include "base/go_number.h"
#include "base/go_quote.h"
#include "base/map.h"
#include "base/pace.h"
#include "base/text_set.h"
#include "base/util.h"
#include "server/api_context.h"
#include "server/api_list.h"
#include "server/api_output.h"
#include <stdio.h>
#include <stdlib.h>

static int fail_text(struct api_context *context, int code, const char *reason, char *message) {
        context->failure =
                (struct api_failure){ .code = code, .reason = reason, .message = message };
        return API_FAILED;
}

static char *arena_vprintf(struct arena *arena, const char *format, va_list args)
        __attribute__((format(printf, 2, 0)));
static char *arena_vprintf(struct arena *arena, const char *format, va_list args) {
        struct buf text = { 0 };

        buf_vprintf(&text, format, args);
        char *copy = arena_string(arena, buf_view(&text));
        buf_release(&text);
        return copy;
}

int fail_plain(struct api_context *context, int code, const char *reason, const char *format, ...) {
        va_list args;

        va_start(args, format);
        fail_text(context, code, reason, arena_vprintf(context->arena, format, args));
        va_end(args);
        return API_FAILED;
}

int fail_bad_request(struct api_context *context, const char *format, ...) {
        va_list args;

        va_start(args, format);
        fail_text(context, 400, "BadRequest", arena_vprintf(context->arena, format, args));
        va_end(args);
        return API_FAILED;
}

int fail_given_namespace(struct api_context *context) {
        return fail_bad_request(context, "the namespace of the provided object does not match the "
                                         "namespace sent on the request");
}

/* As Go's %q prints it. */
static const char *quoted_name(struct api_context *context, struct slice name) {
        CLEANUP(buf_release) struct buf text = { 0 };

        go_quote_write(name, &text);
        return arena_string(context->arena, buf_view(&text));
}

static void fail_details(struct api_context *context, const char *kind, const char *group,
                         struct slice name) {
        context->failure.has_details = true;
        context->failure.kind = kind;
        context->failure.group = group;
        context->failure.name = arena_string(context->arena, name);
}

int fail_not_found(struct api_context *context, const struct api_resource *resource,
                   struct slice name) {
        bool is_virtual = strcmp(resource->kind->plural, "componentstatuses") == 0;

        fail_plain(context, 404, "NotFound", "%s %s not found",
                   is_virtual ? resource->kind->singular : resource->qualified,
                   quoted_name(context, name));
        fail_details(context, is_virtual ? resource->kind->singular : resource->kind->plural,
                     resource->kind->group, name);
        return API_FAILED;
}

int fail_forbidden(struct api_context *context, struct slice group, struct slice plural,
                   struct slice name, const char *why) {
        const char *dot = group.len ? "." : "";

        if (plural.len == 0)
                fail_plain(context, 403, "Forbidden", "forbidden: %s", why);
        else if (name.len == 0)
                fail_plain(context, 403, "Forbidden", SLICE_FMT "%s" SLICE_FMT " is forbidden: %s",
                           SLICE_ARG(plural), dot, SLICE_ARG(group), why);
        else
                fail_plain(context, 403, "Forbidden",
                           SLICE_FMT "%s" SLICE_FMT " %s is forbidden: %s", SLICE_ARG(plural), dot,
                           SLICE_ARG(group), quoted_name(context, name), why);
        fail_details(context, arena_string(context->arena, plural),
                     arena_string(context->arena, group), name);
        return API_FAILED;
}

int fail_exists(struct api_context *context, const struct api_resource *resource,
                struct slice name) {
        fail_plain(context, 409, "AlreadyExists", "%s %s already exists", resource->qualified,
                   quoted_name(context, name));
        fail_details(context, resource->kind->plural, resource->kind->group, name);
        return API_FAILED;
}

int fail_conflict(struct api_context *context, const char *kind, const char *group,
                  struct slice name, const char *format, ...) {
        va_list args;

        va_start(args, format);
        char *why = arena_vprintf(context->arena, format, args);
        va_end(args);
        fail_plain(context, 409, "Conflict", "Operation cannot be fulfilled on %s%s%s %s: %s", kind,
                   *group ? "." : "", group, quoted_name(context, name), why);
        fail_details(context, kind, group, name);
        return API_FAILED;
}

int fail_bad_version(struct api_context *context, struct slice text) {
        return fail_plain(context, 500, NULL, "%s",
                          go_number_problem(context->arena, "ParseUint", text));
}

int fail_modified(struct api_context *context, const struct api_resource *resource,
                  struct slice name) {
        return fail_conflict(context, resource->kind->plural, resource->kind->group, name,
                             "the object has been modified; please apply your changes to the "
                             "latest version and try again");
}

static const char *cause_reason(enum field_error_kind kind) {
        static const char *const reasons[] = {
                [FIELD_REQUIRED] = "FieldValueRequired",
                [FIELD_INVALID] = "FieldValueInvalid",
                [FIELD_NOT_SUPPORTED] = "FieldValueNotSupported",
                [FIELD_FORBIDDEN] = "FieldValueForbidden",
                [FIELD_DUPLICATE] = "FieldValueDuplicate",
                [FIELD_NOT_FOUND] = "FieldValueNotFound",
                [FIELD_TOO_LONG] = "FieldValueTooLong",
                [FIELD_TOO_MANY] = "FieldValueTooMany",
                [FIELD_TYPE_INVALID] = "FieldValueTypeInvalid",
                [FIELD_INTERNAL] = "InternalError",
        };

        return reasons[kind];
}

/* Which errors are the first of their path and message; *ret_count says how many. */
static bool *distinct_errors(const struct field_errors *errors, size_t *ret_count) {
        bool *is_first = xcalloc(errors->count + 1, sizeof(*is_first));
        struct map *seen = map_new();
        struct buf text = { 0 };

        for (size_t i = 0; i < errors->count; i++) {
                pace_step();
                buf_clear(&text);
                text_part_add(&text, slice_of(errors->items[i].path));
                buf_text(&text, errors->items[i].message);
                is_first[i] = !map_put(seen, buf_view(&text), seen);
        }
        *ret_count = map_count(seen);
        buf_release(&text);
        map_free(seen);
        return is_first;
}

/* "a: x" or "[a: x, b: y]"; a repeated complaint shows once. */
static void errors_write(const struct field_errors *errors, struct buf *out) {
        size_t shown = 0, distinct;
        bool *is_first = distinct_errors(errors, &distinct);

        if (distinct > 1)
                buf_char(out, '[');
        for (size_t i = 0; i < errors->count; i++) {
                pace_step();
                if (!is_first[i])
                        continue;
                if (shown++)
                        buf_text(out, ", ");
                buf_text(out, errors->items[i].path);
                buf_text(out, ": ");
                buf_text(out, errors->items[i].message);
        }
        if (errors->more)
                buf_printf(out, ", and %zu more errors", errors->more);
        if (distinct > 1)
                buf_char(out, ']');
        free(is_first);
}

int fail_invalid(struct api_context *context, const char *kind, const char *group,
                 struct slice name, const struct field_errors *errors) {
        struct buf text = { 0 };
        struct failure_cause *causes =
                ARENA_ARRAY(context->arena, struct failure_cause, errors->count + 1);

        buf_printf(&text, "%s%s%s ", kind, *group ? "." : "", group);
        go_quote_write(name, &text);
        buf_text(&text, " is invalid: ");
        errors_write(errors, &text);
        fail_text(context, 422, "Invalid", arena_string(context->arena, buf_view(&text)));
        buf_release(&text);
        fail_details(context, kind, group, name);
        for (size_t i = 0; i < errors->count; i++)
                causes[i] =
                        (struct failure_cause){ cause_reason(errors->items[i].kind),
                                                errors->items[i].message, errors->items[i].path };
        context->failure.causes = causes;
        context->failure.cause_count = errors->count;
        return API_FAILED;
}

int fail_option(struct api_context *context, const char *options, enum field_error_kind kind,
                const char *path, const char *value, const char *detail) {
        struct field_errors errors = { .arena = context->arena };

        field_error_add(&errors, kind, path, value, detail);
        return fail_invalid(context, options, "meta.k8s.io", SLICE_EMPTY, &errors);
}

int fail_hook(struct api_context *context, struct slice name, const struct err *err) {
        const struct kind_info *kind = context->resource->kind;

        /* What upstream does not expect has no reason. */
        fail_plain(context, err_http_status(err->code),
                   err->code == BERTH_ERR_INTERNAL ? NULL : err_reason(err->code), "%s", err->text);
        if (err_http_status(err->code) == 403 || err_http_status(err->code) == 404)
                fail_details(context, kind->plural, kind->group, name);
        return API_FAILED;
}

int fail_internal(struct api_context *context, const char *why) {
        struct failure_cause *cause = ARENA_NEW(context->arena, struct failure_cause);

        *cause = (struct failure_cause){ .message = why };
        fail_plain(context, 500, "InternalError", "Internal error occurred: %s", why);
        context->failure.has_details = true;
        context->failure.causes = cause;
        context->failure.cause_count = 1;
        return API_FAILED;
}

int fail_method(struct api_context *context) {
        fail_plain(context, 405, "MethodNotAllowed",
                   "the server does not allow this method on the requested resource");
        context->failure.has_details = true;
        return API_FAILED;
}

int fail_unknown(struct api_context *context) {
        if (!context->route.group_is_known) {
                respond_text(context, 404, "text/plain; charset=utf-8",
                             SLICE_LITERAL("404 page not found\n"));
                return 0;
        }
        fail_plain(context, 404, "NotFound", "the server could not find the requested resource");
        context->failure.has_details = true;
        return API_FAILED;
}

static void api_failure_member(struct buf *out, const char *name, const char *value,
                               bool *has_members) {
        if (!value || !*value)
                return;
        buf_printf(out, "%s\"%s\":", *has_members ? "," : "", name);
        buf_json_string(out, slice_of(value));
        *has_members = true;
}

static void causes_write(const struct api_failure *failure, struct buf *out, bool *has_members) {
        if (failure->cause_count == 0)
                return;
        buf_printf(out, "%s\"causes\":[", *has_members ? "," : "");
        *has_members = true;
        for (size_t i = 0; i < failure->cause_count; i++) {
                bool has_own = false;

                pace_step();
                buf_text(out, i ? ",{" : "{");
                api_failure_member(out, "reason", failure->causes[i].reason, &has_own);
                api_failure_member(out, "message", failure->causes[i].message, &has_own);
                api_failure_member(out, "field", failure->causes[i].field, &has_own);
                buf_char(out, '}');
        }
        buf_char(out, ']');
}

void failure_write(const struct api_failure *failure, struct buf *out) {
        bool has_members = false;

        buf_text(out, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{");
        if (failure->continue_token) {
                buf_text(out, "\"continue\":");
                buf_json_string(out, slice_of(failure->continue_token));
        }
        buf_text(out, "},\"status\":\"Failure\",\"message\":");
        buf_json_string(out, slice_of(failure->message));
        if (failure->reason) {
                buf_text(out, ",\"reason\":");
                buf_json_string(out, slice_of(failure->reason));
        }
        if (failure->has_details || failure->cause_count || failure->retry_after_s) {
                buf_text(out, ",\"details\":{");
                api_failure_member(out, "name", failure->name, &has_members);
                api_failure_member(out, "group", failure->group, &has_members);
                api_failure_member(out, "kind", failure->kind, &has_members);
                api_failure_member(out, "uid", failure->uid, &has_members);
                causes_write(failure, out, &has_members);
                if (failure->retry_after_s)
                        buf_printf(out, "%s\"retryAfterSeconds\":%d", has_members ? "," : "",
                                   failure->retry_after_s);
                buf_char(out, '}');
        }
        buf_printf(out, ",\"code\":%d}", failure->code);
}

void respond_text(struct api_context *context, int status, const char *content_type,
                  struct slice body) {
        context->response->status = status;
        context->response->content_type = content_type;
        buf_slice(&context->response->body, body);
}

void failure_respond(struct api_context *context) {
        struct http_response *response = context->response;

        buf_clear(&response->body);
        response->status = context->failure.code;
        if (!context->failure.message) /* paths that are not part of the API */
                return;
        response->content_type = "application/json";
        failure_write(&context->failure, &response->body);
        if (context->failure.retry_after_s) {
                response->retry_after_s = context->failure.retry_after_s;
                http_response_header(response, "Retry-After", "%d", context->failure.retry_after_s);
        }
}
