/* The query-string syntax of label selectors: a scanner with one token of lookahead and a parser
 * that words its refusals as upstream does, since users see them. */
#include "api/selector.h"

#include "api/selector_priv.h"
#include <stdio.h>

enum token {
        TOKEN_END,
        TOKEN_OPEN,
        TOKEN_CLOSE,
        TOKEN_COMMA,
        TOKEN_NOT,
        TOKEN_EQUALS,
        TOKEN_DOUBLE_EQUALS,
        TOKEN_NOT_EQUALS,
        TOKEN_GT,
        TOKEN_LT,
        TOKEN_WORD /* keys, values, and the words in and notin */
};

struct parser {
        struct slice rest; /* behind the token in hand */
        enum token token;
        struct slice text; /* of the token in hand */
        struct arena *arena;
        struct selector selector;
        size_t cap;
};

/* ---- scanner ---- */

static bool is_space(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_special(char c) {
        return c != '\0' && strchr("=!(),><", c);
}

static enum token special_token(struct slice rest, size_t *ret_length) {
        bool is_doubled = rest.len > 1 && rest.ptr[1] == '=';
        *ret_length = 1;
        switch (rest.ptr[0]) {
        case '(':
                return TOKEN_OPEN;
        case ')':
                return TOKEN_CLOSE;
        case ',':
                return TOKEN_COMMA;
        case '>':
                return TOKEN_GT;
        case '<':
                return TOKEN_LT;
        case '=':
                *ret_length += is_doubled;
                return is_doubled ? TOKEN_DOUBLE_EQUALS : TOKEN_EQUALS;
        default:
                *ret_length += is_doubled;
                return is_doubled ? TOKEN_NOT_EQUALS : TOKEN_NOT;
        }
}

/* Moves on to the next token. */
static void selector_parse_advance(struct parser *p) {
        struct slice rest = p->rest;
        size_t n = 0;
        while (rest.len > 0 && is_space(rest.ptr[0]))
                rest = slice_make(rest.ptr + 1, rest.len - 1);
        if (rest.len == 0) {
                p->token = TOKEN_END;
        } else if (is_special(rest.ptr[0])) {
                p->token = special_token(rest, &n);
        } else {
                p->token = TOKEN_WORD;
                while (n < rest.len && !is_special(rest.ptr[n]) && !is_space(rest.ptr[n]))
                        n++;
        }
        p->text = slice_make(rest.ptr, n);
        p->rest = n ? slice_make(rest.ptr + n, rest.len - n) : rest;
}

/* ---- parser ---- */

static int selector_parse_unexpected(const struct parser *p, const char *separator,
                                     const char *wanted, struct err *err) {
        return err_set(err, BERTH_ERR_BAD_REQUEST, "found '" SLICE_FMT "'%s expected: %s",
                       SLICE_ARG(p->text), separator, wanted);
}

static int parse_operator(struct parser *p, enum selector_spelling *ret_spelling, struct err *err) {
        static const enum selector_spelling spellings[] = {
                [TOKEN_EQUALS] = SPELLED_EQUALS,
                [TOKEN_DOUBLE_EQUALS] = SPELLED_DOUBLE_EQUALS,
                [TOKEN_NOT_EQUALS] = SPELLED_NOT_EQUALS,
                [TOKEN_GT] = SPELLED_GT,
                [TOKEN_LT] = SPELLED_LT,
        };
        if (p->token == TOKEN_WORD && slice_is(p->text, "in"))
                *ret_spelling = SPELLED_IN;
        else if (p->token == TOKEN_WORD && slice_is(p->text, "notin"))
                *ret_spelling = SPELLED_NOT_IN;
        else if (p->token >= TOKEN_EQUALS && p->token <= TOKEN_LT)
                *ret_spelling = spellings[p->token];
        else
                return selector_parse_unexpected(p, ",", "in, notin, =, ==, !=, gt, lt", err);
        selector_parse_advance(p);
        return 0;
}

static int parse_exact(struct parser *p, struct slice **ret_values, size_t *ret_count,
                       struct err *err) {
        struct slice *value = ARENA_NEW(p->arena, struct slice);
        *value = SLICE_EMPTY;
        if (p->token == TOKEN_WORD) {
                *value = p->text;
                selector_parse_advance(p);
        } else if (p->token != TOKEN_END && p->token != TOKEN_COMMA) {
                return selector_parse_unexpected(p, ",", "identifier", err);
        }
        *ret_values = value;
        *ret_count = 1;
        return 0;
}

/* Upper bound for the values up to the closing parenthesis. */
static size_t values_ahead(const struct parser *p) {
        size_t count = 3;
        for (size_t i = 0; i < p->rest.len && p->rest.ptr[i] != ')'; i++)
                count += p->rest.ptr[i] == ',';
        return count;
}

/* Behind the opening parenthesis. Nothing between two separators is the empty value. */
static int parse_list(struct parser *p, struct slice *values, size_t *ret_count, struct err *err) {
        size_t count = 0;
        bool is_after_word = false;
        for (; p->token != TOKEN_CLOSE; selector_parse_advance(p)) {
                if (p->token == TOKEN_WORD && is_after_word)
                        return selector_parse_unexpected(p, ",", "',' or ')'", err);
                if (p->token == TOKEN_WORD)
                        values[count++] = p->text;
                else if (p->token == TOKEN_COMMA && !is_after_word)
                        values[count++] = SLICE_EMPTY;
                else if (p->token != TOKEN_COMMA)
                        return selector_parse_unexpected(p, ",",
                                                         is_after_word ? "',' or ')'"
                                                         : count == 0  ? "',', ')' or identifier"
                                                                       : "',', or identifier",
                                                         err);
                is_after_word = p->token == TOKEN_WORD;
        }
        if (!is_after_word)
                values[count++] = SLICE_EMPTY;
        *ret_count = count;
        return 0;
}

static int parse_set(struct parser *p, struct slice **ret_values, size_t *ret_count,
                     struct err *err) {
        if (p->token != TOKEN_OPEN)
                return selector_parse_unexpected(p, "", "'('", err);
        struct slice *values = ARENA_ARRAY(p->arena, struct slice, values_ahead(p));
        selector_parse_advance(p);
        int r = parse_list(p, values, ret_count, err);
        if (r < 0)
                return r;
        selector_parse_advance(p);
        *ret_values = values;
        return 0;
}

static int parse_requirement(struct parser *p, struct selector_requirement *requirement,
                             struct err *err) {
        bool is_negated = p->token == TOKEN_NOT;
        if (is_negated)
                selector_parse_advance(p);
        if (p->token != TOKEN_WORD)
                return selector_parse_unexpected(p, ",", "identifier", err);
        struct slice key = p->text, *values = NULL;
        int r = label_key_error("<nil>", key, err);
        if (r < 0)
                return r;
        selector_parse_advance(p);
        enum selector_spelling spelling = is_negated ? SPELLED_NOT_EXISTS : SPELLED_EXISTS;
        size_t count = 0;
        if (!is_negated && p->token != TOKEN_END && p->token != TOKEN_COMMA) {
                r = parse_operator(p, &spelling, err);
                if (r == 0 && (spelling == SPELLED_IN || spelling == SPELLED_NOT_IN))
                        r = parse_set(p, &values, &count, err);
                else if (r == 0)
                        r = parse_exact(p, &values, &count, err);
        }
        return r < 0 ? r : requirement_init(requirement, spelling, key, values, count, err);
}

static int parse_all(struct parser *p, struct err *err) {
        selector_parse_advance(p);
        while (p->token != TOKEN_END) {
                if (p->token != TOKEN_WORD && p->token != TOKEN_NOT)
                        return selector_parse_unexpected(
                                p, ",",
                                p->selector.count > 0 ? "identifier after ','"
                                                      : "!, identifier, or 'end of string'",
                                err);
                if (p->selector.count == p->cap)
                        return err_set(err, BERTH_ERR_BAD_REQUEST,
                                       "selector with more than %zu requirements", p->cap);
                int r = parse_requirement(p, &p->selector.requirements[p->selector.count], err);
                if (r < 0) {
                        err_wrap(err, "unable to parse requirement");
                        return BERTH_ERR_BAD_REQUEST;
                }
                p->selector.count++;
                if (p->token == TOKEN_END)
                        break;
                if (p->token != TOKEN_COMMA)
                        return selector_parse_unexpected(p, ",", "',' or 'end of string'", err);
                selector_parse_advance(p);
                if (p->token == TOKEN_END)
                        return selector_parse_unexpected(p, ",", "identifier after ','", err);
        }
        return 0;
}

int selector_parse(struct slice text, struct arena *arena, struct selector *ret_selector,
                   struct err *err) {
        struct parser parser = { .rest = text, .arena = arena, .cap = 1 };
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] == '\0')
                        return err_set(err, BERTH_ERR_BAD_REQUEST, "NUL byte in a selector");
                parser.cap += text.ptr[i] == ',';
        }
        if (parser.cap > SELECTOR_REQUIREMENT_MAX)
                parser.cap = SELECTOR_REQUIREMENT_MAX;
        parser.selector.requirements = ARENA_ARRAY(arena, struct selector_requirement, parser.cap);
        int r = parse_all(&parser, err);
        if (r < 0 && err)
                err->code = r; /* in a query a bad label is a malformed request */
        if (r < 0)
                return r;
        requirements_sort(parser.selector.requirements, parser.selector.count);
        *ret_selector = parser.selector;
        return 0;
}
