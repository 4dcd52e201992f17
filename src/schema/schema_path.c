/* A path is read as tokens: dots, brackets, and the texts between them. */
#include "schema/schema_path.h"

#include "base/arena.h"
#include <string.h>

struct schema_path {
        struct slice rest;
        const struct json *schema;
        struct arena *arena;
        struct buf *text;
        const char *problem;
};

static const char nowhere[] = "does not refer to a valid field";
static const char unended[] = "unexpected end of JSON path";

/* A text in single quotes goes on to the next one that is not escaped. */
static size_t token_length(struct slice rest) {
        bool is_quoted = rest.ptr[0] == '\'';
        size_t at = 1;

        if (strchr(".[]", rest.ptr[0]))
                return 1;
        if (!is_quoted) {
                while (at < rest.len && !strchr(".[]", rest.ptr[at]))
                        at++;
                return at;
        }
        while (at < rest.len && !(rest.ptr[at] == '\'' && rest.ptr[at - 1] != '\\'))
                at++;
        return at < rest.len ? at + 1 : at;
}

static bool next_token(struct schema_path *path, struct slice *ret_token) {
        if (path->rest.len == 0)
                return false;
        size_t length = token_length(path->rest);

        *ret_token = slice_make(path->rest.ptr, length);
        path->rest = slice_make(path->rest.ptr + length, path->rest.len - length);
        return true;
}

/* One level down: to a property, or to what all values of a map have. */
static void step_to(struct schema_path *path, struct slice name) {
        const struct json *properties = json_get(path->schema, "properties");
        const struct json *others = json_get(path->schema, "additionalProperties");
        bool is_named = json_count(properties) > 0;

        if (is_named)
                buf_printf(path->text, "%s" SLICE_FMT, path->text->len ? "." : "", SLICE_ARG(name));
        else
                buf_printf(path->text, "[" SLICE_FMT "]", SLICE_ARG(name));
        path->schema = is_named ? json_get_slice(properties, name) : others;
        if (json_type(path->schema) != JSON_OBJECT)
                path->problem = nowhere;
}

/* As in Go, of what stands in single quotes. */
static struct slice path_unescaped(struct schema_path *path, struct slice text) {
        static const char marks[] = "abfnrtv'\\", values[] = "\a\b\f\n\r\t\v'\\";
        char *out = arena_string(path->arena, text);
        size_t length = 0;

        for (size_t i = 0; i < text.len; i++) {
                const char *mark = NULL;

                if (text.ptr[i] != '\\' || i + 1 == text.len) {
                        out[length++] = text.ptr[i];
                        continue;
                }
                mark = memchr(marks, text.ptr[++i], sizeof(marks) - 1);
                if (!mark)
                        path->problem = arena_printf(
                                path->arena, "invalid string literal: invalid escape char \\%c",
                                text.ptr[i]);
                else
                        out[length++] = values[mark - marks];
        }
        return slice_make(out, length);
}

static void step_in_brackets(struct schema_path *path) {
        struct slice token;

        if (!next_token(path, &token)) {
                path->problem = unended;
                return;
        }
        if (token.len < 2 || token.ptr[0] != '\'' || token.ptr[token.len - 1] != '\'') {
                path->problem = arena_printf(path->arena,
                                             "expected single quoted string but got " SLICE_FMT,
                                             SLICE_ARG(token));
                return;
        }
        struct slice name = path_unescaped(path, slice_make(token.ptr + 1, token.len - 2));
        if (!path->problem)
                step_to(path, name);
        if (path->problem)
                return;
        if (!next_token(path, &token))
                path->problem = unended;
        else if (!slice_is(token, "]"))
                path->problem = arena_printf(path->arena, "expected ] but got " SLICE_FMT,
                                             SLICE_ARG(token));
}

const struct json *schema_path_find(const struct json *schema, struct slice text, bool has_brackets,
                                    struct arena *arena, struct buf *ret_text,
                                    const char **ret_problem) {
        struct schema_path path = { text, schema, arena, ret_text, NULL };
        struct slice token;

        while (!path.problem && next_token(&path, &token)) {
                if (slice_is(token, "[") && !has_brackets)
                        path.problem = "array notation is not allowed";
                else if (slice_is(token, "["))
                        step_in_brackets(&path);
                else if (!slice_is(token, "."))
                        path.problem = arena_printf(arena, "expected [ or . but got: " SLICE_FMT,
                                                    SLICE_ARG(token));
                else if (!next_token(&path, &token))
                        path.problem = unended;
                else
                        step_to(&path, token);
        }
        *ret_problem = path.problem;
        return path.problem ? NULL : path.schema;
}
