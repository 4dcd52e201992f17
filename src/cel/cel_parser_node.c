/* What parser and macros build trees with: children, and the first error. */
#include "cel/cel_parser_priv.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "base/util.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- errors ---- */

/* A line, and a mark below one of its characters; returns which it is, from 1. Signs that are wide
 * have wide marks. */
static size_t snippet_write(struct slice line, size_t at, struct buf *ret_line,
                            struct buf *ret_marks) {
        size_t column = 1;

        for (size_t i = 0; i < line.len; i++)
                buf_char(ret_line, line.ptr[i] == '\t' ? ' ' : line.ptr[i]);
        for (size_t i = 0; i < at; column++) {
                size_t size = utf8_sequence_len(slice_make(line.ptr + i, line.len - i));

                buf_text(ret_marks, size > 1 ? "\xef\xbc\x8e" : ".");
                i += size ? size : 1;
        }
        buf_text(ret_marks, utf8_sequence_len(slice_make(line.ptr + at, line.len - at)) > 1
                                    ? "\xef\xbc\xbe"
                                    : "^");
        return column;
}

int cel_fail(struct err *err, struct slice source, size_t at, const char *format, ...) {
        size_t line = 1, start = 0, len;
        char text[ERR_TEXT_MAX / 2];
        va_list args;

        assert(format);
        if (at > source.len)
                at = source.len;
        for (size_t i = 0; i < at; i++) {
                if (source.ptr[i] != '\n')
                        continue;
                line++;
                start = i + 1;
        }
        for (len = 0; start + len < source.len && source.ptr[start + len] != '\n';)
                len++;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        CLEANUP(buf_release) struct buf line_text = { 0 }, marks = { 0 };
        size_t column =
                snippet_write(slice_make(source.ptr + start, len), at - start, &line_text, &marks);
        if (source.len == 0) /* has no line */
                return err_set(err, BERTH_ERR_INVALID, "ERROR: <input>:1:0: %s", text);
        if (strlen(text) + line_text.len + marks.len + 64 > ERR_TEXT_MAX)
                return err_set(err, BERTH_ERR_INVALID, "ERROR: <input>:%zu:%zu: %s", line, column,
                               text);
        return err_set(err, BERTH_ERR_INVALID, "ERROR: <input>:%zu:%zu: %s\n | %s\n | %s", line,
                       column, text, line_text.data ? line_text.data : "", marks.data);
}

/* Complaints about tokens do not end the parsing; of others the first counts. */
struct cel_node *cel_parser_fail(struct cel_parser *parser, size_t at, const char *text) {
        CLEANUP(buf_release) struct buf all = { 0 };
        struct err one = { 0 };
        bool is_token = parser->token.kind == CEL_TOKEN_UNKNOWN;
        bool is_end = parser->token.kind == CEL_TOKEN_END;

        if (parser->has_failed && !is_token && !is_end)
                return NULL;
        cel_fail(&one, parser->lexer.source, at, "%s", text);
        if (parser->has_complained && parser->err)
                buf_printf(&all, "%s\n", parser->err->text);
        buf_text(&all, one.text);
        err_set(parser->err, BERTH_ERR_INVALID, "%s", all.data);
        parser->has_complained = true;
        parser->has_failed |= !is_token;
        return NULL;
}

/* ---- nodes ---- */

void cel_parser_adopt(struct cel_parser *parser, struct cel_node *node,
                      const struct cel_children *children) {
        node->args = children->nodes;
        node->arg_count = children->count;
        for (size_t i = 0; i < children->count; i++) {
                if (children->nodes[i]->depth >= node->depth)
                        node->depth = children->nodes[i]->depth + 1;
        }
        if (node->depth > 2 * CEL_DEPTH_MAX)
                cel_parser_fail(parser, node->at, "expression is nested too deeply");
}

void cel_parser_add(struct cel_parser *parser, struct cel_children *children,
                    struct cel_node *node) {
        children->nodes = arena_grow(parser->arena, children->nodes, children->count,
                                     &children->cap, sizeof(*children->nodes));
        children->nodes[children->count++] = node;
}
