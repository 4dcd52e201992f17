/* Inside of CEL's parser: what its files share. */
#pragma once

#include "cel/cel_node.h"

struct cel_parser {
        struct arena *arena;
        struct cel_lexer lexer;
        struct cel_token token; /* the next one, not consumed */
        unsigned depth;
        struct err *err;
        bool has_bindings;               /* cel.bind() is known */
        bool has_failed, has_complained; /* what is no token is complained about, and passed over */
};

/* A growing list of children. */
struct cel_children {
        struct cel_node **nodes;
        size_t count, cap;
};

/* Returns NULL. */
struct cel_node *cel_parser_fail(struct cel_parser *parser, size_t at, const char *text);
void cel_parser_add(struct cel_parser *parser, struct cel_children *children,
                    struct cel_node *node);
/* Takes the children as the node's arguments. */
void cel_parser_adopt(struct cel_parser *parser, struct cel_node *node,
                      const struct cel_children *children);

/* has(given): NULL when it is none. */
struct cel_node *cel_macro_has(struct cel_parser *parser, struct cel_node *call);
/* target.name(given...): a macro, a function of a name space, or a method. */
struct cel_node *cel_macro_method(struct cel_parser *parser, struct cel_node *call,
                                  struct cel_node *target, const struct cel_children *given);
