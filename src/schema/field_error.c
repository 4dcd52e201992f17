/* Validation errors in the words of the API machinery's field package. */
#include "schema/field_error.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/pace.h"
#include <string.h>

static const char *field_error_heading(enum field_error_kind kind) {
        static const char *const headings[] = {
                [FIELD_REQUIRED] = "Required value",
                [FIELD_INVALID] = "Invalid value",
                [FIELD_NOT_SUPPORTED] = "Unsupported value",
                [FIELD_FORBIDDEN] = "Forbidden",
                [FIELD_DUPLICATE] = "Duplicate value",
                [FIELD_NOT_FOUND] = "Not found",
                [FIELD_TOO_LONG] = "Too long",
                [FIELD_TOO_MANY] = "Too many",
                [FIELD_TYPE_INVALID] = "Invalid value",
                [FIELD_INTERNAL] = "Internal error",
        };

        return headings[kind];
}

void field_error_take(struct field_errors *errors, const struct field_error *error) {
        if (field_errors_are_full(errors)) {
                errors->more++;
                return;
        }
        errors->items = arena_grow(errors->arena, errors->items, errors->count, &errors->cap,
                                   sizeof(*errors->items));
        errors->items[errors->count++] = *error;
        errors->bytes += strlen(error->message);
}

static const char *field_error_value(const struct field_errors *errors, const char *path,
                                     const char *value) {
        const struct emptied_value *emptied = errors->emptied;

        if (!emptied || !value || strcmp(value, "null") != 0)
                return value;
        while (emptied && strcmp(emptied->path, path) != 0)
                emptied = emptied->next;
        return emptied ? emptied->text : value;
}

/* Go's encoder escapes two ends of lines that JSON allows. */
static const char *escape_separators(struct arena *arena, const char *value) {
        struct buf text = { 0 };
        const char *mark;

        if (!value || !strstr(value, "\xe2\x80"))
                return value;
        while ((mark = strstr(value, "\xe2\x80"))) {
                bool is_separator = mark[2] == '\xa8' || mark[2] == '\xa9';

                buf_append(&text, value, (size_t)(mark - value));
                buf_text(&text, !is_separator       ? "\xe2\x80"
                                : mark[2] == '\xa8' ? "\\u2028"
                                                    : "\\u2029");
                value = mark + (is_separator ? 3 : 2);
        }
        buf_text(&text, value);
        const char *escaped = arena_string(arena, buf_view(&text));
        buf_release(&text);
        return escaped;
}

void field_error_add(struct field_errors *errors, enum field_error_kind kind, const char *path,
                     const char *value, const char *detail) {
        pace_step();
        if (field_errors_are_full(errors)) {
                errors->more++;
                return;
        }
        bool has_detail = detail && *detail;

        value = escape_separators(errors->arena, field_error_value(errors, path, value));
        errors->items = arena_grow(errors->arena, errors->items, errors->count, &errors->cap,
                                   sizeof(*errors->items));
        errors->items[errors->count++] = (struct field_error){
                .kind = kind,
                .path = arena_string(errors->arena, slice_of(path)),
                .message = arena_printf(errors->arena, "%s%s%s%s%s", field_error_heading(kind),
                                        value ? ": " : "", value ? value : "",
                                        has_detail ? ": " : "", has_detail ? detail : ""),
        };
        errors->bytes += strlen(errors->items[errors->count - 1].message);
}

void field_error_add_each(struct field_errors *errors, enum field_error_kind kind, const char *path,
                          const char *value, const char *details) {
        const char *mark;

        while ((mark = strstr(details, "; "))) {
                struct slice first = slice_make(details, (size_t)(mark - details));

                field_error_add(errors, kind, path, value, arena_string(errors->arena, first));
                details = mark + 2;
        }
        field_error_add(errors, kind, path, value, details);
}

void field_errors_once(struct field_errors *errors, size_t from) {
        size_t unique = from;

        for (size_t i = from; i < errors->count; i++) {
                const struct field_error *each = &errors->items[i];
                size_t before = from;

                while (before < unique &&
                       (strcmp(errors->items[before].path, each->path) != 0 ||
                        strcmp(errors->items[before].message, each->message) != 0))
                        before++;
                if (before == unique)
                        errors->items[unique++] = *each;
        }
        errors->count = unique;
}
