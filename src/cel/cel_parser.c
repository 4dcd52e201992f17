/* Syntax of CEL: expressions to trees, macros recognised on the way. Depth of nesting and of the
 * tree are bounded, so that what walks it may recurse. */
#include "cel/cel_parser_priv.h"

#include "base/buf.h"
#include "base/util.h"

static struct cel_node *cel_parser_expression(struct cel_parser *parser);

static void cel_parser_advance(struct cel_parser *parser) {
        parser->token = cel_lexer_next(&parser->lexer);
        for (; parser->token.kind == CEL_TOKEN_UNKNOWN;
             parser->token = cel_lexer_next(&parser->lexer))
                cel_parser_fail(parser, parser->token.at,
                                arena_printf(parser->arena,
                                             "Syntax error: token recognition error at: '" SLICE_FMT
                                             "'",
                                             SLICE_ARG(parser->token.text)));
}

/* ---- errors ---- */

/* What an expression may begin with. */
#define EXPRESSION                                                                                 \
        "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "   \
        "STRING, BYTES, IDENTIFIER}"

static bool is_one_of(const struct cel_token *token, const char *marks) {
        return token->kind == CEL_TOKEN_MARK && token->text.len == 1 &&
               strchr(marks, token->text.ptr[0]);
}

static bool may_begin(const struct cel_token *token) {
        return token->kind == CEL_TOKEN_LITERAL || is_one_of(token, "[{(.-!") ||
               (token->kind == CEL_TOKEN_NAME && !slice_is(token->text, "in"));
}

/* is_extra: without the token it would go on. */
static struct cel_node *fail_expecting(struct cel_parser *parser, bool is_extra,
                                       const char *expecting) {
        const struct cel_token *token = &parser->token;
        bool is_first = slice_trim(slice_make(parser->lexer.source.ptr, token->at)).len == 0;
        struct slice text =
                slice_make(parser->lexer.source.ptr + token->at, parser->lexer.at - token->at);

        if (token->kind == CEL_TOKEN_BAD)
                return cel_parser_fail(parser, token->at, arena_string(parser->arena, token->text));
        if (token->kind == CEL_TOKEN_END)
                text = SLICE_LITERAL("<EOF>");
        cel_parser_fail(parser, token->at,
                        arena_printf(parser->arena, "Syntax error: %s input '" SLICE_FMT "'%s%s",
                                     is_extra ? "extraneous" : "mismatched", SLICE_ARG(text),
                                     *expecting ? " expecting " : "", expecting));
        if (!is_first || token->kind == CEL_TOKEN_END || is_extra || is_one_of(token, ")]"))
                return NULL;
        cel_parser_advance(parser); /* when it is alone, the end is no expression either */
        return token->kind == CEL_TOKEN_END ? fail_expecting(parser, false, EXPRESSION) : NULL;
}

/* Where an expression should be: one token too many before it is reported as such. */
static struct cel_node *fail_no_expression(struct cel_parser *parser) {
        struct cel_lexer ahead = parser->lexer;
        struct cel_token next = cel_lexer_next(&ahead);

        return fail_expecting(parser, may_begin(&next), EXPRESSION);
}

/* Behind a dot, at `dot`: two rules begin with it, and neither goes on so. */
static struct cel_node *fail_member(struct cel_parser *parser, size_t dot, bool is_optional) {
        const struct cel_token *token = &parser->token;
        struct slice source = parser->lexer.source;
        size_t end = token->kind == CEL_TOKEN_END ? source.len : parser->lexer.at;
        bool is_word = token->kind == CEL_TOKEN_LITERAL &&
                       (token->literal.kind == CEL_BOOL || token->literal.kind == CEL_NULL);

        if (token->kind == CEL_TOKEN_BAD || is_optional || is_word) {
                size_t at = token->at;

                fail_expecting(parser, false,
                               is_optional ? "{IDENTIFIER, ESC_IDENTIFIER}" : "IDENTIFIER");
                return is_optional ? cel_parser_fail(parser, at, "unsupported ident kind") : NULL;
        }
        return cel_parser_fail(
                parser, token->at,
                arena_printf(parser->arena,
                             "Syntax error: no viable alternative at input '" SLICE_FMT "'",
                             SLICE_ARG(slice_make(source.ptr + dot, end - dot))));
}

static struct cel_node *fail_token(struct cel_parser *parser) {
        return fail_expecting(parser, false, "");
}

/* ---- tokens ---- */

static bool is_mark(const struct cel_parser *parser, const char *text) {
        return parser->token.kind == CEL_TOKEN_MARK && slice_is(parser->token.text, text);
}

static bool take_mark(struct cel_parser *parser, const char *text) {
        if (!is_mark(parser, text))
                return false;
        cel_parser_advance(parser);
        return true;
}

/* One token too many before it is reported as such, and a parenthesis that the end lacks. */
static bool need_mark(struct cel_parser *parser, const char *text) {
        struct cel_lexer ahead = parser->lexer;
        const char *expecting = arena_printf(parser->arena, "'%s'", text);

        if (take_mark(parser, text))
                return true;
        struct cel_token next = cel_lexer_next(&ahead);
        bool is_extra = next.kind == CEL_TOKEN_MARK && slice_is(next.text, text);
        if (parser->token.kind == CEL_TOKEN_END && strcmp(text, ")") == 0)
                cel_parser_fail(parser, parser->token.at, "Syntax error: missing ')' at '<EOF>'");
        else
                fail_expecting(parser, is_extra, expecting);
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
                if (!is_mark(parser, ",")) {
                        if (may_end_in_comma)
                                fail_expecting(parser, false, "{']', ','}");
                        else
                                need_mark(parser, closing);
                        return false;
                }
                cel_parser_advance(parser);
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
                bool is_optional = take_mark(parser, "?");

                for (int i = 0; i < 2; i++) {
                        part = cel_parser_expression(parser);
                        if (!part || (i == 0 && !need_mark(parser, ":")))
                                return NULL;
                        part->is_optional_element = i == 1 && is_optional;
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
        if (slice_is(token->text, "in")) {
                parser->lexer.at = token->at;
                cel_parser_advance(parser);
                return fail_no_expression(parser);
        }
        if (is_reserved(token->text))
                return cel_parser_fail(parser, token->at,
                                       arena_printf(parser->arena,
                                                    "reserved identifier: " SLICE_FMT,
                                                    SLICE_ARG(token->text)));
        size_t opening = parser->token.at;
        if (!take_mark(parser, "("))
                return node;
        node->kind = CEL_NODE_CALL;
        node->at = opening;
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

        bool has_dot = take_mark(parser, "."); /* it names the root; there is but one */
        size_t dot = token.at;
        token = parser->token;
        if (has_dot && token.kind != CEL_TOKEN_NAME)
                return fail_member(parser, dot, false);
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
        return take_mark(parser, "{") ? map_literal(parser, token.at) : fail_no_expression(parser);
}

/* ---- members ---- */

static struct cel_node *cel_parser_member(struct cel_parser *parser, struct cel_node *target,
                                          size_t at) {
        bool is_optional = take_mark(parser, "?");
        struct cel_token token = parser->token;
        struct cel_children children = { 0 };
        struct cel_node *node;

        if (token.kind != CEL_TOKEN_NAME && token.kind != CEL_TOKEN_QUOTED_NAME)
                return fail_member(parser, at, is_optional);
        if (slice_is(token.text, "in") && token.kind == CEL_TOKEN_NAME)
                return fail_member(parser, at, is_optional);
        cel_parser_advance(parser);
        size_t opening = parser->token.at;
        if (token.kind == CEL_TOKEN_NAME && !is_optional && take_mark(parser, "(")) {
                if (!cel_parser_arguments(parser, ")", false, &children))
                        return NULL;
                node = node_new(parser, CEL_NODE_CALL, opening);
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

/* a.b.c, which may be the name of a type. */
static bool is_type_name(const struct cel_node *node) {
        while (node->kind == CEL_NODE_SELECT && !node->is_optional)
                node = node->args[0];
        return node->kind == CEL_NODE_NAME;
}

static void type_name_write(const struct cel_node *node, struct buf *out) {
        if (node->kind == CEL_NODE_SELECT) {
                type_name_write(node->args[0], out);
                buf_char(out, '.');
        }
        buf_slice(out, node->name);
}

/* Behind a type's name and the opening mark: names and values, which are kept as a map's are. */
static struct cel_node *object_literal(struct cel_parser *parser, const struct cel_node *type,
                                       size_t at) {
        struct cel_node *node = node_new(parser, CEL_NODE_OBJECT, at), *value;
        CLEANUP(buf_release) struct buf name = { 0 };
        struct cel_children children = { 0 };

        type_name_write(type, &name);
        node->name = arena_slice(parser->arena, buf_view(&name));
        while (!take_mark(parser, "}")) {
                bool is_optional = take_mark(parser, "?");
                struct cel_token field = parser->token;

                if (field.kind != CEL_TOKEN_NAME && field.kind != CEL_TOKEN_QUOTED_NAME)
                        return fail_token(parser);
                cel_parser_advance(parser);
                struct cel_node *key = node_new(parser, CEL_NODE_LITERAL, parser->token.at);
                key->literal = cel_text(CEL_STRING, field.text);
                if (!need_mark(parser, ":") || !(value = cel_parser_expression(parser)))
                        return NULL;
                value->is_optional_element = is_optional;
                cel_parser_add(parser, &children, key);
                cel_parser_add(parser, &children, value);
                if (!is_mark(parser, "}") && !need_mark(parser, ","))
                        return NULL;
        }
        cel_parser_adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
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
                else if (is_mark(parser, "{") && is_type_name(node) && take_mark(parser, "{"))
                        node = object_literal(parser, node, at);
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

/* Something behind the expression: one token too many, or more. */
static void fail_end(struct cel_parser *parser) {
        struct cel_lexer ahead = parser->lexer;
        bool is_last = cel_lexer_next(&ahead).kind == CEL_TOKEN_END;

        fail_expecting(parser, is_last, "<EOF>");
}

int cel_parse(struct arena *arena, struct slice source, bool has_bindings,
              struct cel_node **ret_root, struct err *err) {
        struct cel_parser parser = { .arena = arena,
                                     .has_bindings = has_bindings,
                                     .lexer = { .arena = arena, .source = source },
                                     .err = err };

        cel_parser_advance(&parser);
        struct cel_node *root = cel_parser_expression(&parser);
        if (root && !parser.has_failed && parser.token.kind != CEL_TOKEN_END)
                fail_end(&parser);
        if (!root || parser.has_failed || parser.has_complained)
                return BERTH_ERR_INVALID;
        *ret_root = root;
        return 0;
}
