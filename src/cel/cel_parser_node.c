/* What parser and macros build trees with: children, and the first error. */
#include "cel/cel_parser_priv.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- errors ---- */

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
        if (len > ERR_TEXT_MAX / 8) /* such a line is too long to read */
                return err_set(err, BERTH_ERR_INVALID, "ERROR: <input>:%zu:%zu: %s", line,
                               at - start + 1, text);
        return err_set(err, BERTH_ERR_INVALID,
                       "ERROR: <input>:%zu:%zu: %s\n | " SLICE_FMT "\n | %.*s^", line,
                       at - start + 1, text, SLICE_ARG(slice_make(source.ptr + start, len)),
                       (int)(at - start),
                       "......................................................................"
                       "..................................................................");
}

struct cel_node *cel_parser_fail(struct cel_parser *parser, size_t at, const char *text) {
        if (!parser->has_failed)
                cel_fail(parser->err, parser->lexer.source, at, "%s", text);
        parser->has_failed = true;
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
