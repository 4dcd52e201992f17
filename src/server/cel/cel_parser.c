/* Syntax of CEL: expressions to trees, macros recognised on the way. Depth of nesting and of the
 * tree are bounded, so that what walks it may recurse. */
#include "server/cel/cel_priv.h"

#include "base/buf.h"
#include "base/util.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct parser {
        struct arena *arena;
        struct cel_lexer lexer;
        struct cel_token token; /* the next one, not consumed */
        unsigned depth;
        struct err *err;
        bool has_failed;
};

/* A growing list of children. */
struct children {
        struct cel_node **nodes;
        size_t count, cap;
};

static struct cel_node *expression(struct parser *parser);

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
        if (len > ERR_TEXT_MAX / 8) /* such a line helps nobody */
                return err_set(err, BERTH_ERR_INVALID, "ERROR: <input>:%zu:%zu: %s", line,
                               at - start + 1, text);
        return err_set(err, BERTH_ERR_INVALID,
                       "ERROR: <input>:%zu:%zu: %s\n | " SLICE_FMT "\n | %.*s^", line,
                       at - start + 1, text, SLICE_ARG(slice_make(source.ptr + start, len)),
                       (int)(at - start),
                       "......................................................................"
                       "..................................................................");
}

static struct cel_node *fail_at(struct parser *parser, size_t at, const char *text) {
        if (!parser->has_failed)
                cel_fail(parser->err, parser->lexer.source, at, "%s", text);
        parser->has_failed = true;
        return NULL;
}

static struct cel_node *fail_token(struct parser *parser) {
        const struct cel_token *token = &parser->token;

        if (token->kind == CEL_TOKEN_BAD)
                return fail_at(parser, token->at, arena_string(parser->arena, token->text));
        if (token->kind == CEL_TOKEN_END)
                return fail_at(parser, token->at,
                               "Syntax error: mismatched input '<EOF>' expecting an expression");
        return fail_at(parser, token->at,
                       arena_printf(parser->arena, "Syntax error: mismatched input '" SLICE_FMT "'",
                                    SLICE_ARG(slice_make(parser->lexer.source.ptr + token->at,
                                                         parser->lexer.at - token->at))));
}

/* ---- tokens ---- */

static void advance(struct parser *parser) {
        parser->token = cel_lexer_next(&parser->lexer);
}

static bool is_mark(const struct parser *parser, const char *text) {
        return parser->token.kind == CEL_TOKEN_MARK && slice_is(parser->token.text, text);
}

static bool take_mark(struct parser *parser, const char *text) {
        if (!is_mark(parser, text))
                return false;
        advance(parser);
        return true;
}

static bool need_mark(struct parser *parser, const char *text) {
        if (take_mark(parser, text))
                return true;
        fail_token(parser);
        return false;
}

static bool is_reserved(struct slice name) {
        static const char *const words[] = { "in",   "as",   "break",    "const",     "continue",
                                             "else", "for",  "function", "if",        "import",
                                             "let",  "loop", "package",  "namespace", "return",
                                             "var",  "void", "while" };

        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
                if (slice_is(name, words[i]))
                        return true;
        }
        return false;
}

/* ---- nodes ---- */

static void adopt(struct parser *parser, struct cel_node *node, const struct children *children) {
        node->args = children->nodes;
        node->arg_count = children->count;
        for (size_t i = 0; i < children->count; i++) {
                if (children->nodes[i]->depth >= node->depth)
                        node->depth = children->nodes[i]->depth + 1;
        }
        if (node->depth > 2 * CEL_DEPTH_MAX)
                fail_at(parser, node->at, "expression is nested too deeply");
}

static void add_child(struct parser *parser, struct children *children, struct cel_node *node) {
        if (children->count == children->cap) {
                size_t cap = children->cap ? children->cap * 2 : 2;
                struct cel_node **nodes = ARENA_ARRAY(parser->arena, struct cel_node *, cap);

                if (children->count)
                        memcpy(nodes, children->nodes, children->count * sizeof(nodes[0]));
                children->nodes = nodes;
                children->cap = cap;
        }
        children->nodes[children->count++] = node;
}

static struct cel_node *node_new(struct parser *parser, enum cel_node_kind kind, size_t at) {
        struct cel_node *node = ARENA_NEW(parser->arena, struct cel_node);

        node->kind = kind;
        node->at = at;
        return node;
}

static struct cel_node *node_of(struct parser *parser, enum cel_node_kind kind, size_t at,
                                struct cel_node *first, struct cel_node *second) {
        struct cel_node *node = node_new(parser, kind, at);
        struct children children = { 0 };

        add_child(parser, &children, first);
        if (second)
                add_child(parser, &children, second);
        adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

/* ---- macros ---- */

static bool take_variables(struct parser *parser, struct cel_node *node,
                           const struct children *given, size_t count) {
        for (size_t i = 0; i < count; i++) {
                const struct cel_node *name = given->nodes[i];

                if (name->kind != CEL_NODE_NAME) {
                        fail_at(parser, name->at, "argument must be a simple name");
                        return false;
                }
                node->variables[i] = name->name;
        }
        node->variable_count = count;
        return true;
}

/* The macro without its variables: what is gone through, then what is evaluated. */
static struct cel_node *macro_of(struct parser *parser, struct cel_node *node,
                                 struct cel_node *target, const struct children *given,
                                 size_t variables) {
        struct children children = { 0 };

        if (!take_variables(parser, node, given, variables))
                return NULL;
        add_child(parser, &children, target);
        for (size_t i = variables; i < given->count; i++)
                add_child(parser, &children, given->nodes[i]);
        adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static const struct macro_row {
        const char *name;
        enum cel_macro macro;
        size_t arguments, variables;
} macro_rows[] = {
        { "all", CEL_ALL, 2, 1 },
        { "all", CEL_ALL, 3, 2 },
        { "exists", CEL_EXISTS, 2, 1 },
        { "exists", CEL_EXISTS, 3, 2 },
        { "exists_one", CEL_EXISTS_ONE, 2, 1 },
        { "exists_one", CEL_EXISTS_ONE, 3, 2 },
        { "existsOne", CEL_EXISTS_ONE, 2, 1 },
        { "existsOne", CEL_EXISTS_ONE, 3, 2 },
        { "filter", CEL_FILTER, 2, 1 },
        { "map", CEL_MAP_EACH, 2, 1 },
        { "map", CEL_MAP_EACH, 3, 1 },
        { "transformList", CEL_TRANSFORM_LIST, 3, 2 },
        { "transformList", CEL_TRANSFORM_LIST, 4, 2 },
        { "transformMap", CEL_TRANSFORM_MAP, 3, 2 },
        { "transformMap", CEL_TRANSFORM_MAP, 4, 2 },
};

static const struct macro_row *macro_find(struct slice name, size_t arguments) {
        for (size_t i = 0; i < ARRAY_LEN(macro_rows); i++) {
                if (slice_is(name, macro_rows[i].name) && macro_rows[i].arguments == arguments)
                        return &macro_rows[i];
        }
        return NULL;
}

static bool is_name(const struct cel_node *node, const char *text) {
        return node->kind == CEL_NODE_NAME && slice_is(node->name, text);
}

static struct cel_node *has_of(struct parser *parser, struct cel_node *call) {
        struct cel_node *select = call->arg_count == 1 ? call->args[0] : NULL;

        if (!select || select->kind != CEL_NODE_SELECT)
                return fail_at(parser, select ? select->at : call->at,
                               "invalid argument to has() macro");
        select->kind = CEL_NODE_HAS;
        return select;
}

/* target.name(given...): a macro, a function of a name space, or a method. */
static struct cel_node *method_of(struct parser *parser, struct cel_node *call,
                                  struct cel_node *target, const struct children *given) {
        static const char *const spaces[] = {
                "optional", "sets", "cel", "strings", "format", "lists", "ip",
        };
        const struct macro_row *row = macro_find(call->name, given->count);
        struct children children = { 0 };

        if (is_name(target, "cel") && slice_is(call->name, "bind") && given->count == 3) {
                call->kind = CEL_NODE_BIND;
                if (!take_variables(parser, call, given, 1))
                        return NULL;
                adopt(parser, call, &(struct children){ given->nodes + 1, 2, 2 });
                return parser->has_failed ? NULL : call;
        }
        if ((slice_is(call->name, "optMap") || slice_is(call->name, "optFlatMap")) &&
            given->count == 2) {
                call->kind = CEL_NODE_OPTIONAL_MAP;
                return macro_of(parser, call, target, given, 1);
        }
        if (row) {
                call->kind = CEL_NODE_MACRO;
                call->macro = row->macro;
                return macro_of(parser, call, target, given, row->variables);
        }
        for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
                if (!is_name(target, spaces[i]))
                        continue;
                call->name = slice_of(arena_printf(parser->arena, "%s." SLICE_FMT, spaces[i],
                                                   SLICE_ARG(call->name)));
                adopt(parser, call, given);
                return parser->has_failed ? NULL : call;
        }
        call->is_member = true;
        add_child(parser, &children, target);
        for (size_t i = 0; i < given->count; i++)
                add_child(parser, &children, given->nodes[i]);
        adopt(parser, call, &children);
        return parser->has_failed ? NULL : call;
}

/* ---- primaries ---- */

/* Expressions between commas up to the closing mark, which is taken. */
static bool arguments(struct parser *parser, const char *closing, bool may_end_in_comma,
                      struct children *ret_children) {
        struct cel_node *node;

        while (!take_mark(parser, closing)) {
                node = expression(parser);
                if (!node)
                        return false;
                add_child(parser, ret_children, node);
                if (take_mark(parser, closing))
                        break;
                if (!need_mark(parser, ","))
                        return false;
                if (!may_end_in_comma && is_mark(parser, closing)) {
                        fail_token(parser);
                        return false;
                }
        }
        return true;
}

static struct cel_node *map_literal(struct parser *parser, size_t at) {
        struct cel_node *node = node_new(parser, CEL_NODE_MAP, at), *part;
        struct children children = { 0 };

        while (!take_mark(parser, "}")) {
                for (int i = 0; i < 2; i++) {
                        part = expression(parser);
                        if (!part || (i == 0 && !need_mark(parser, ":")))
                                return NULL;
                        add_child(parser, &children, part);
                }
                if (take_mark(parser, "}"))
                        break;
                if (!need_mark(parser, ","))
                        return NULL;
        }
        adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static struct cel_node *list_literal(struct parser *parser, size_t at) {
        struct cel_node *node = node_new(parser, CEL_NODE_LIST, at);
        struct children children = { 0 };

        if (!arguments(parser, "]", true, &children))
                return NULL;
        adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static struct cel_node *name_or_call(struct parser *parser, const struct cel_token *token) {
        struct cel_node *node = node_new(parser, CEL_NODE_NAME, token->at);
        struct children children = { 0 };

        node->name = token->text;
        if (is_reserved(token->text))
                return fail_at(parser, token->at,
                               arena_printf(parser->arena, "reserved identifier: " SLICE_FMT,
                                            SLICE_ARG(token->text)));
        if (!take_mark(parser, "("))
                return node;
        node->kind = CEL_NODE_CALL;
        if (!arguments(parser, ")", false, &children))
                return NULL;
        adopt(parser, node, &children);
        if (parser->has_failed)
                return NULL;
        return slice_is(node->name, "has") ? has_of(parser, node) : node;
}

static struct cel_node *primary(struct parser *parser) {
        struct cel_token token = parser->token;
        struct cel_node *node;

        take_mark(parser, "."); /* a leading dot names the root; there is but one */
        token = parser->token;
        if (token.kind == CEL_TOKEN_LITERAL) {
                advance(parser);
                if (token.literal.kind == CEL_INT && token.literal.count)
                        return fail_at(parser, token.at, "invalid int literal");
                node = node_new(parser, CEL_NODE_LITERAL, token.at);
                node->literal = token.literal;
                return node;
        }
        if (token.kind == CEL_TOKEN_NAME) {
                advance(parser);
                return name_or_call(parser, &token);
        }
        if (take_mark(parser, "(")) {
                node = expression(parser);
                return node && need_mark(parser, ")") ? node : NULL;
        }
        if (take_mark(parser, "["))
                return list_literal(parser, token.at);
        return take_mark(parser, "{") ? map_literal(parser, token.at) : fail_token(parser);
}

/* ---- members ---- */

static struct cel_node *member(struct parser *parser, struct cel_node *target, size_t at) {
        bool is_optional = take_mark(parser, "?");
        struct cel_token token = parser->token;
        struct children children = { 0 };
        struct cel_node *node;

        if (token.kind != CEL_TOKEN_NAME && token.kind != CEL_TOKEN_QUOTED_NAME)
                return fail_token(parser);
        if (slice_is(token.text, "in") && token.kind == CEL_TOKEN_NAME)
                return fail_token(parser);
        advance(parser);
        if (token.kind == CEL_TOKEN_NAME && !is_optional && take_mark(parser, "(")) {
                if (!arguments(parser, ")", false, &children))
                        return NULL;
                node = node_new(parser, CEL_NODE_CALL, token.at);
                node->name = token.text;
                return method_of(parser, node, target, &children);
        }
        node = node_of(parser, CEL_NODE_SELECT, at, target, NULL);
        if (!node)
                return NULL;
        node->name = token.text;
        node->is_optional = is_optional;
        return node;
}

static struct cel_node *index_of(struct parser *parser, struct cel_node *target, size_t at) {
        bool is_optional = take_mark(parser, "?");
        struct cel_node *index = expression(parser), *node;

        if (!index || !need_mark(parser, "]"))
                return NULL;
        node = node_of(parser, CEL_NODE_INDEX, at, target, index);
        if (node)
                node->is_optional = is_optional;
        return node;
}

static struct cel_node *members(struct parser *parser) {
        struct cel_node *node = primary(parser);

        while (node && !parser->has_failed) {
                size_t at = parser->token.at;

                if (take_mark(parser, "."))
                        node = member(parser, node, at);
                else if (take_mark(parser, "["))
                        node = index_of(parser, node, at);
                else
                        return node;
        }
        return NULL;
}

/* ---- operators ---- */

static struct cel_node *negative_literal(struct parser *parser, size_t at) {
        struct cel_node *node = node_new(parser, CEL_NODE_LITERAL, at);
        struct cel_value *value = &node->literal;

        *value = parser->token.literal;
        advance(parser);
        if (value->kind == CEL_DOUBLE)
                value->as.real = -value->as.real;
        else if (value->count) /* the lowest, already negative */
                value->count = 0;
        else
                value->as.integer = -value->as.integer;
        return node;
}

static bool is_plain_number(const struct parser *parser) {
        return parser->token.kind == CEL_TOKEN_LITERAL &&
               (parser->token.literal.kind == CEL_INT || parser->token.literal.kind == CEL_DOUBLE);
}

static struct cel_node *unary(struct parser *parser) {
        size_t at = parser->token.at, count = 0;
        const char *sign = is_mark(parser, "!") ? "!" : "-";
        struct cel_node *node;

        while (take_mark(parser, sign))
                count++;
        if (count == 1 && *sign == '-' && is_plain_number(parser))
                return negative_literal(parser, at); /* numbers have no members */
        node = members(parser);
        if (!node || count % 2 == 0)
                return node;
        if (*sign == '!')
                return node_of(parser, CEL_NODE_NOT, at, node, NULL);
        node = node_of(parser, CEL_NODE_CALL, at, node, NULL);
        if (node)
                node->name = SLICE_LITERAL("-_");
        return node;
}

static const struct operator_row {
        const char *mark, *name;
        int level; /* binds tighter */
        enum cel_node_kind kind;
} operator_rows[] = {
        { "==", "_==_", 1, CEL_NODE_EQUAL },  { "!=", "_!=_", 1, CEL_NODE_UNEQUAL },
        { "<", "_<_", 1, CEL_NODE_RELATION }, { "<=", "_<=_", 1, CEL_NODE_RELATION },
        { ">", "_>_", 1, CEL_NODE_RELATION }, { ">=", "_>=_", 1, CEL_NODE_RELATION },
        { "+", "_+_", 2, CEL_NODE_CALL },     { "-", "_-_", 2, CEL_NODE_CALL },
        { "*", "_*_", 3, CEL_NODE_CALL },     { "/", "_/_", 3, CEL_NODE_CALL },
        { "%", "_%_", 3, CEL_NODE_CALL },
};
static const struct operator_row operator_in = { "in", "@in", 1, CEL_NODE_IN };

static const struct operator_row *operator_at(const struct parser *parser) {
        if (parser->token.kind == CEL_TOKEN_NAME && slice_is(parser->token.text, "in"))
                return &operator_in;
        for (size_t i = 0; i < ARRAY_LEN(operator_rows); i++) {
                if (is_mark(parser, operator_rows[i].mark))
                        return &operator_rows[i];
        }
        return NULL;
}

/* Relations, sums and products; all bind to the left. */
static struct cel_node *binary(struct parser *parser, int level) {
        struct cel_node *node = level > 3 ? unary(parser) : binary(parser, level + 1), *right;
        const struct operator_row *row;

        while (node && level <= 3 && (row = operator_at(parser)) && row->level == level) {
                size_t at = parser->token.at;

                advance(parser);
                right = binary(parser, level + 1);
                node = right ? node_of(parser, row->kind, at, node, right) : NULL;
                if (node)
                        node->name = slice_of(row->name);
        }
        return node;
}

static struct cel_node *conjunction(struct parser *parser, bool is_or) {
        const char *mark = is_or ? "||" : "&&";
        struct cel_node *first = is_or ? conjunction(parser, false) : binary(parser, 1), *node;
        struct children children = { 0 };

        if (!first || !is_mark(parser, mark))
                return first;
        node = node_new(parser, is_or ? CEL_NODE_OR : CEL_NODE_AND, parser->token.at);
        node->name = slice_of(is_or ? "_||_" : "_&&_");
        add_child(parser, &children, first);
        while (take_mark(parser, mark)) {
                first = is_or ? conjunction(parser, false) : binary(parser, 1);
                if (!first)
                        return NULL;
                add_child(parser, &children, first);
        }
        adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static struct cel_node *conditional(struct parser *parser) {
        struct cel_node *node, *part = conjunction(parser, true);
        struct children children = { 0 };
        size_t at = parser->token.at;

        if (!part || !take_mark(parser, "?"))
                return part;
        node = node_new(parser, CEL_NODE_CONDITIONAL, at);
        add_child(parser, &children, part);
        part = conjunction(parser, true);
        if (!part || !need_mark(parser, ":"))
                return NULL;
        add_child(parser, &children, part);
        part = expression(parser);
        if (!part)
                return NULL;
        add_child(parser, &children, part);
        adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static struct cel_node *expression(struct parser *parser) {
        struct cel_node *node;

        if (parser->depth >= CEL_DEPTH_MAX)
                return fail_at(parser, parser->token.at, "expression is nested too deeply");
        parser->depth++;
        node = conditional(parser);
        parser->depth--;
        return node;
}

int cel_parse(struct arena *arena, struct slice source, struct cel_node **ret_root,
              struct err *err) {
        struct parser parser = { .arena = arena,
                                 .lexer = { .arena = arena, .source = source },
                                 .err = err };
        struct cel_node *root;

        advance(&parser);
        root = expression(&parser);
        if (root && !parser.has_failed && parser.token.kind != CEL_TOKEN_END)
                fail_token(&parser);
        if (!root || parser.has_failed)
                return BERTH_ERR_INVALID;
        *ret_root = root;
        return 0;
}
