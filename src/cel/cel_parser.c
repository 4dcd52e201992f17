/* Syntax of CEL: expressions to trees, macros recognised on the way. Depth of nesting and of the
 * tree are bounded, so that what walks it may recurse. */
#include "cel/cel_parser_priv.h"

#include "base/buf.h"
#include "base/util.h"

static struct cel_node *cel_parser_expression(struct cel_parser *parser);

/* ---- errors ---- */

static struct cel_node *fail_token(struct cel_parser *parser) {
        const struct cel_token *token = &parser->token;

        if (token->kind == CEL_TOKEN_BAD)
                return cel_parser_fail(parser, token->at, arena_string(parser->arena, token->text));
        if (token->kind == CEL_TOKEN_END)
                return cel_parser_fail(
                        parser, token->at,
                        "Syntax error: mismatched input '<EOF>' expecting an expression");
        return cel_parser_fail(
                parser, token->at,
                arena_printf(parser->arena, "Syntax error: mismatched input '" SLICE_FMT "'",
                             SLICE_ARG(slice_make(parser->lexer.source.ptr + token->at,
                                                  parser->lexer.at - token->at))));
}

/* ---- tokens ---- */

static void cel_parser_advance(struct cel_parser *parser) {
        parser->token = cel_lexer_next(&parser->lexer);
}

static bool is_mark(const struct cel_parser *parser, const char *text) {
        return parser->token.kind == CEL_TOKEN_MARK && slice_is(parser->token.text, text);
}

static bool take_mark(struct cel_parser *parser, const char *text) {
        if (!is_mark(parser, text))
                return false;
        cel_parser_advance(parser);
        return true;
}

static bool need_mark(struct cel_parser *parser, const char *text) {
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

static struct cel_node *node_new(struct cel_parser *parser, enum cel_node_kind kind, size_t at) {
        struct cel_node *node = ARENA_NEW(parser->arena, struct cel_node);

        node->kind = kind;
        node->at = at;
        return node;
}

static struct cel_node *node_of(struct cel_parser *parser, enum cel_node_kind kind, size_t at,
                                struct cel_node *first, struct cel_node *second) {
        struct cel_node *node = node_new(parser, kind, at);
        struct cel_children children = { 0 };

        cel_parser_add(parser, &children, first);
        if (second)
                cel_parser_add(parser, &children, second);
        cel_parser_adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

/* ---- primaries ---- */

/* Expressions between commas up to the closing mark, which is taken. */
static bool cel_parser_arguments(struct cel_parser *parser, const char *closing,
                                 bool may_end_in_comma, struct cel_children *ret_children) {
        struct cel_node *node;

        while (!take_mark(parser, closing)) {
                bool is_optional = may_end_in_comma && take_mark(parser, "?");

                node = cel_parser_expression(parser);
                if (!node)
                        return false;
                node->is_optional_element = is_optional;
                cel_parser_add(parser, ret_children, node);
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

static struct cel_node *map_literal(struct cel_parser *parser, size_t at) {
        struct cel_node *node = node_new(parser, CEL_NODE_MAP, at), *part;
        struct cel_children children = { 0 };

        while (!take_mark(parser, "}")) {
                for (int i = 0; i < 2; i++) {
                        part = cel_parser_expression(parser);
                        if (!part || (i == 0 && !need_mark(parser, ":")))
                                return NULL;
                        cel_parser_add(parser, &children, part);
                }
                if (take_mark(parser, "}"))
                        break;
                if (!need_mark(parser, ","))
                        return NULL;
        }
        cel_parser_adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static struct cel_node *list_literal(struct cel_parser *parser, size_t at) {
        struct cel_node *node = node_new(parser, CEL_NODE_LIST, at);
        struct cel_children children = { 0 };

        if (!cel_parser_arguments(parser, "]", true, &children))
                return NULL;
        cel_parser_adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static struct cel_node *name_or_call(struct cel_parser *parser, const struct cel_token *token) {
        struct cel_node *node = node_new(parser, CEL_NODE_NAME, token->at);
        struct cel_children children = { 0 };

        node->name = token->text;
        if (is_reserved(token->text))
                return cel_parser_fail(parser, token->at,
                                       arena_printf(parser->arena,
                                                    "reserved identifier: " SLICE_FMT,
                                                    SLICE_ARG(token->text)));
        if (!take_mark(parser, "("))
                return node;
        node->kind = CEL_NODE_CALL;
        if (!cel_parser_arguments(parser, ")", false, &children))
                return NULL;
        cel_parser_adopt(parser, node, &children);
        if (parser->has_failed)
                return NULL;
        return slice_is(node->name, "has") ? cel_macro_has(parser, node) : node;
}

static struct cel_node *cel_parser_primary(struct cel_parser *parser) {
        struct cel_token token = parser->token;
        struct cel_node *node;

        take_mark(parser, "."); /* a leading dot names the root; there is but one */
        token = parser->token;
        if (token.kind == CEL_TOKEN_LITERAL) {
                cel_parser_advance(parser);
                if (token.literal.kind == CEL_INT && token.literal.count)
                        return cel_parser_fail(parser, token.at, "invalid int literal");
                node = node_new(parser, CEL_NODE_LITERAL, token.at);
                node->literal = token.literal;
                return node;
        }
        if (token.kind == CEL_TOKEN_NAME) {
                cel_parser_advance(parser);
                return name_or_call(parser, &token);
        }
        if (take_mark(parser, "(")) {
                node = cel_parser_expression(parser);
                return node && need_mark(parser, ")") ? node : NULL;
        }
        if (take_mark(parser, "["))
                return list_literal(parser, token.at);
        return take_mark(parser, "{") ? map_literal(parser, token.at) : fail_token(parser);
}

/* ---- members ---- */

static struct cel_node *cel_parser_member(struct cel_parser *parser, struct cel_node *target,
                                          size_t at) {
        bool is_optional = take_mark(parser, "?");
        struct cel_token token = parser->token;
        struct cel_children children = { 0 };
        struct cel_node *node;

        if (token.kind != CEL_TOKEN_NAME && token.kind != CEL_TOKEN_QUOTED_NAME)
                return fail_token(parser);
        if (slice_is(token.text, "in") && token.kind == CEL_TOKEN_NAME)
                return fail_token(parser);
        cel_parser_advance(parser);
        if (token.kind == CEL_TOKEN_NAME && !is_optional && take_mark(parser, "(")) {
                if (!cel_parser_arguments(parser, ")", false, &children))
                        return NULL;
                node = node_new(parser, CEL_NODE_CALL, token.at);
                node->name = token.text;
                return cel_macro_method(parser, node, target, &children);
        }
        node = node_of(parser, CEL_NODE_SELECT, at, target, NULL);
        if (!node)
                return NULL;
        node->name = token.text;
        node->is_optional = is_optional;
        return node;
}

static struct cel_node *index_of(struct cel_parser *parser, struct cel_node *target, size_t at) {
        bool is_optional = take_mark(parser, "?");
        struct cel_node *index = cel_parser_expression(parser), *node;

        if (!index || !need_mark(parser, "]"))
                return NULL;
        node = node_of(parser, CEL_NODE_INDEX, at, target, index);
        if (node)
                node->is_optional = is_optional;
        return node;
}

static struct cel_node *cel_parser_members(struct cel_parser *parser) {
        struct cel_node *node = cel_parser_primary(parser);

        while (node && !parser->has_failed) {
                size_t at = parser->token.at;

                if (take_mark(parser, "."))
                        node = cel_parser_member(parser, node, at);
                else if (take_mark(parser, "["))
                        node = index_of(parser, node, at);
                else
                        return node;
        }
        return NULL;
}

/* ---- operators ---- */

static struct cel_node *negative_literal(struct cel_parser *parser, size_t at) {
        struct cel_node *node = node_new(parser, CEL_NODE_LITERAL, at);
        struct cel_value *value = &node->literal;

        *value = parser->token.literal;
        cel_parser_advance(parser);
        if (value->kind == CEL_DOUBLE)
                value->as.real = -value->as.real;
        else if (value->count) /* the lowest, already negative */
                value->count = 0;
        else
                value->as.integer = -value->as.integer;
        return node;
}

static bool is_plain_number(const struct cel_parser *parser) {
        return parser->token.kind == CEL_TOKEN_LITERAL &&
               (parser->token.literal.kind == CEL_INT || parser->token.literal.kind == CEL_DOUBLE);
}

static struct cel_node *cel_parser_unary(struct cel_parser *parser) {
        size_t at = parser->token.at, count = 0;
        const char *sign = is_mark(parser, "!") ? "!" : "-";

        while (take_mark(parser, sign))
                count++;
        if (count == 1 && *sign == '-' && is_plain_number(parser))
                return negative_literal(parser, at); /* numbers have no members */
        struct cel_node *node = cel_parser_members(parser);
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

static const struct operator_row *operator_at(const struct cel_parser *parser) {
        if (parser->token.kind == CEL_TOKEN_NAME && slice_is(parser->token.text, "in"))
                return &operator_in;
        for (size_t i = 0; i < ARRAY_LEN(operator_rows); i++) {
                if (is_mark(parser, operator_rows[i].mark))
                        return &operator_rows[i];
        }
        return NULL;
}

/* Relations, sums and products; all bind to the left. */
static struct cel_node *cel_parser_binary(struct cel_parser *parser, int level) {
        struct cel_node *node = level > 3 ? cel_parser_unary(parser)
                                          : cel_parser_binary(parser, level + 1),
                        *right;
        const struct operator_row *row;

        while (node && level <= 3 && (row = operator_at(parser)) && row->level == level) {
                size_t at = parser->token.at;

                cel_parser_advance(parser);
                right = cel_parser_binary(parser, level + 1);
                node = right ? node_of(parser, row->kind, at, node, right) : NULL;
                if (node)
                        node->name = slice_of(row->name);
        }
        return node;
}

static struct cel_node *cel_parser_conjunction(struct cel_parser *parser, bool is_or) {
        const char *mark = is_or ? "||" : "&&";
        struct cel_node *first = is_or ? cel_parser_conjunction(parser, false)
                                       : cel_parser_binary(parser, 1),
                        *node;
        struct cel_children children = { 0 };

        if (!first || !is_mark(parser, mark))
                return first;
        node = node_new(parser, is_or ? CEL_NODE_OR : CEL_NODE_AND, parser->token.at);
        node->name = slice_of(is_or ? "_||_" : "_&&_");
        cel_parser_add(parser, &children, first);
        while (take_mark(parser, mark)) {
                first = is_or ? cel_parser_conjunction(parser, false)
                              : cel_parser_binary(parser, 1);
                if (!first)
                        return NULL;
                cel_parser_add(parser, &children, first);
        }
        cel_parser_adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static struct cel_node *cel_parser_conditional(struct cel_parser *parser) {
        struct cel_node *node, *part = cel_parser_conjunction(parser, true);
        struct cel_children children = { 0 };
        size_t at = parser->token.at;

        if (!part || !take_mark(parser, "?"))
                return part;
        node = node_new(parser, CEL_NODE_CONDITIONAL, at);
        cel_parser_add(parser, &children, part);
        part = cel_parser_conjunction(parser, true);
        if (!part || !need_mark(parser, ":"))
                return NULL;
        cel_parser_add(parser, &children, part);
        part = cel_parser_expression(parser);
        if (!part)
                return NULL;
        cel_parser_add(parser, &children, part);
        cel_parser_adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static struct cel_node *cel_parser_expression(struct cel_parser *parser) {
        if (parser->depth >= CEL_DEPTH_MAX)
                return cel_parser_fail(parser, parser->token.at, "expression is nested too deeply");
        parser->depth++;
        struct cel_node *node = cel_parser_conditional(parser);
        parser->depth--;
        return node;
}

int cel_parse(struct arena *arena, struct slice source, struct cel_node **ret_root,
              struct err *err) {
        struct cel_parser parser = { .arena = arena,
                                     .lexer = { .arena = arena, .source = source },
                                     .err = err };

        cel_parser_advance(&parser);
        struct cel_node *root = cel_parser_expression(&parser);
        if (root && !parser.has_failed && parser.token.kind != CEL_TOKEN_END)
                fail_token(&parser);
        if (!root || parser.has_failed)
                return BERTH_ERR_INVALID;
        *ret_root = root;
        return 0;
}
