/* The list of what was found wrong, and how one complaint is put into words. */
#include "base/name_hint.h"
#include "base/util.h"
#include "config/field_priv.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES (ERR_TEXT_MAX + 2 * ERR_PATH_MAX + 64)

struct config_problems *config_problems_new(void) {
        return xcalloc(1, sizeof(struct config_problems));
}

void config_problems_free(struct config_problems *problems) {
        free(problems);
}

/* ---- adding ---- */

static bool is_before(const struct err *a, const struct err *b) {
        if (!a->line || !b->line || strcmp(a->file, b->file) != 0)
                return false;
        return a->line < b->line || (a->line == b->line && a->column < b->column);
}

/* Places err in document order; problems without a position stay where they came. */
static void config_problems_insert(struct err *items, size_t *count, const struct err *err) {
        size_t at = (*count)++;
        if (at >= CONFIG_PROBLEMS_MAX)
                return;
        for (; at > 0 && is_before(err, &items[at - 1]); at--)
                items[at] = items[at - 1];
        items[at] = *err;
}

void config_problems_add(struct config_problems *problems, const struct err *err) {
        config_problems_insert(problems->items, &problems->count, err);
}

static void add_duplicate(void *context, const struct err *where) {
        struct err err = *where;
        err.code = BERTH_ERR_INVALID;
        config_problems_add(context, &err);
}

void config_problems_add_duplicates(struct config_problems *problems,
                                    const struct document *document) {
        document_duplicates(document, add_duplicate, problems);
}

/* ---- printing ---- */

static size_t config_problems_stored(size_t count) {
        return count < CONFIG_PROBLEMS_MAX ? count : CONFIG_PROBLEMS_MAX;
}

void config_problems_print(const struct config_problems *problems, struct buf *out) {
        char line[LINE_MAX_BYTES];
        for (size_t i = 0; i < config_problems_stored(problems->count); i++) {
                err_format(&problems->items[i], line, sizeof(line));
                buf_printf(out, "%s\n", line);
        }
        if (problems->count > CONFIG_PROBLEMS_MAX)
                buf_printf(out, "%zu more problems\n", problems->count - CONFIG_PROBLEMS_MAX);
}

int config_problems_to_err(const struct config_problems *problems, struct err *err) {
        struct buf text = { 0 };
        if (problems->count == 0)
                return 0;
        const struct err *first = &problems->items[0];
        if (problems->count == 1) {
                if (err)
                        *err = *first;
                return first->code;
        }
        buf_init(&text, ERR_TEXT_MAX * 4);
        for (size_t i = 0; i < config_problems_stored(problems->count); i++) {
                struct err item = problems->items[i];
                char line[LINE_MAX_BYTES];
                item.file[0] = '\0'; /* named once, in front */
                err_format(&item, line, sizeof(line));
                buf_printf(&text, "%s%s", i ? ", " : "", line);
        }
        err_set(err, first->code, "%zu problems: [%s]", problems->count, text.data);
        err_position(err, first->file, 0, 0);
        buf_release(&text);
        return first->code;
}

/* ---- reporting from decoders ---- */

static void config_problems_append(char *path, const char *text) {
        size_t length = strlen(path);
        snprintf(path + length, ERR_PATH_MAX - length, "%s", text);
}

static void append_segment(char *path, const char *name) {
        if (path[0] && name[0] != '[')
                config_problems_append(path, ".");
        config_problems_append(path, name);
}

size_t field_path_enter(struct field_reader *reader, const char *name) {
        size_t length = strlen(reader->path);
        append_segment(reader->path, name);
        return length;
}

size_t field_path_enter_index(struct field_reader *reader, size_t index) {
        char segment[32];
        snprintf(segment, sizeof(segment), "[%zu]", index);
        return field_path_enter(reader, segment);
}

/* Keys such as app.kubernetes.io/name go in brackets, as Kubernetes writes them. */
size_t field_path_enter_key(struct field_reader *reader, struct slice key) {
        char segment[ERR_PATH_MAX];
        bool is_simple = !slice_contains(key, SLICE_LITERAL(".")) && key.len > 0;
        snprintf(segment, sizeof(segment), "%s%.*s%s", is_simple ? "" : "[", SLICE_ARG(key),
                 is_simple ? "" : "]");
        return field_path_enter(reader, segment);
}

void field_path_leave(struct field_reader *reader, size_t length) {
        reader->path[length] = '\0';
}

static void config_problems_report(struct field_reader *reader, struct err *err, bool is_warning) {
        struct config_problems *problems = reader->problems;
        if (is_warning)
                config_problems_insert(problems->warnings, &problems->warning_count, err);
        else
                config_problems_insert(problems->items, &problems->count, err);
}

static void config_problems_describe(struct field_reader *reader, const struct json *value,
                                     const char *suffix, const char *text, struct err *err) {
        err_set(err, BERTH_ERR_INVALID, "%s", text);
        memcpy(err->path, reader->path, sizeof(err->path));
        if (suffix)
                append_segment(err->path, suffix);
        if (reader->document)
                document_locate(reader->document, value, err);
}

static void config_problems_note(struct field_reader *reader, const struct json *value,
                                 const char *suffix, bool is_warning, const char *text) {
        struct err err = { 0 };
        config_problems_describe(reader, value, suffix, text, &err);
        config_problems_report(reader, &err, is_warning);
}

void field_problem(struct field_reader *reader, const struct json *value, const char *suffix,
                   const char *format, ...) {
        char text[ERR_TEXT_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        config_problems_note(reader, value, suffix, false, text);
}

void field_warning(struct field_reader *reader, const struct json *value, const char *suffix,
                   const char *format, ...) {
        char text[ERR_TEXT_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        config_problems_note(reader, value, suffix, true, text);
}

/* ---- unknown fields ---- */

/* The row the writer may have meant; NULL when none is close. */
static const char *nearest_name(const struct field *fields, struct slice key) {
        struct name_hint hint = name_hint_start(key);
        for (const struct field *field = fields; field->name; field++)
                name_hint_try(&hint, field->name);
        return hint.best;
}

void field_unknown(struct field_reader *reader, const struct field *fields,
                   const struct json *object, struct slice key) {
        const char *meant = nearest_name(fields, key);
        struct err err = { 0 };
        if (reader->unknown == UNKNOWN_IS_IGNORED)
                return;
        err_set(&err, BERTH_ERR_INVALID, "unknown field%s%s%s", meant ? "; did you mean \"" : "",
                meant ? meant : "", meant ? "\"?" : "");
        size_t length = field_path_enter_key(reader, key);
        memcpy(err.path, reader->path, sizeof(err.path));
        field_path_leave(reader, length);
        if (reader->document)
                document_locate_key(reader->document, object, key, &err);
        config_problems_report(reader, &err, reader->unknown == UNKNOWN_IS_WARNING);
}
