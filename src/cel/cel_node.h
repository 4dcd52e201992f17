/* Syntax trees: made by lexer and parser, typed by the checker, run by the evaluator. */
#pragma once

#include "base/regex.h"
#include "cel/cel_value.h"

enum cel_node_kind {
        CEL_NODE_LITERAL,
        CEL_NODE_NAME,
        CEL_NODE_SELECT, /* args[0].name */
        CEL_NODE_HAS,    /* has(args[0].name) */
        CEL_NODE_INDEX,  /* args[0][args[1]] */
        CEL_NODE_CALL,
        CEL_NODE_LIST,
        CEL_NODE_MAP,    /* keys and values alternating */
        CEL_NODE_OBJECT, /* of the type name; names and values alternating */
        CEL_NODE_AND,    /* any number */
        CEL_NODE_OR,
        CEL_NODE_NOT,
        CEL_NODE_CONDITIONAL,
        CEL_NODE_EQUAL,
        CEL_NODE_UNEQUAL,
        CEL_NODE_RELATION, /* < <= > >= by name */
        CEL_NODE_IN,
        CEL_NODE_MACRO, /* args[0] is gone through; variables; the rest is evaluated for each */
        CEL_NODE_BIND,  /* cel.bind(variables[0], args[0], args[1]) */
        CEL_NODE_OPTIONAL_MAP, /* args[0].optMap(variables[0], args[1]); optFlatMap by name */
};
enum cel_macro {
        CEL_ALL,
        CEL_EXISTS,
        CEL_EXISTS_ONE,
        CEL_MAP_EACH,
        CEL_FILTER,
        CEL_TRANSFORM_LIST,
        CEL_TRANSFORM_MAP,
        CEL_TRANSFORM_ENTRY, /* transformMapEntry */
        CEL_SORT_BY
};

struct cel_node {
        enum cel_node_kind kind;
        size_t at; /* byte in the source */
        unsigned depth;
        struct slice name;
        struct cel_node **args;
        size_t arg_count;
        struct slice variables[2];
        size_t variable_count;
        struct slice variable_of; /* the policy's variable that it is the expression of; or empty */
        enum cel_macro macro;
        bool is_member, is_optional; /* .?name, [?index] */
        bool is_optional_element;    /* of a list; a value: left out when there is nothing in it */
        bool is_mixed;               /* a list whose elements may differ in type */
        struct cel_value literal;
        const struct cel_value *constant; /* what it always is; NULL = unknown, or a literal */
        struct regex *regex;              /* of a constant pattern */
        const struct cel_type *type;
};

struct cel_program {
        struct slice source;
        struct cel_node *root;
        const struct cel_type *self;
        enum cel_result_kind wants;
        struct slice name;                     /* of the variable */
        const struct cel_admission *admission; /* while it is compiled; NULL = one variable */
        bool is_environment;                   /* names are members of self */
        size_t variable_limit;                 /* of a policy's, that may be used now */
        struct cel_node **variables;           /* those that were used, checked */
        bool is_old_optional, uses_old, has_includes, has_bindings;
        struct cel_node **regexes; /* nodes that own one */
        size_t regex_count;
};

enum cel_token_kind {
        CEL_TOKEN_END,
        CEL_TOKEN_NAME,
        CEL_TOKEN_QUOTED_NAME, /* `a-b` */
        CEL_TOKEN_LITERAL,
        CEL_TOKEN_MARK,   /* operators and brackets: text */
        CEL_TOKEN_BAD,    /* text: why */
        CEL_TOKEN_UNKNOWN /* text: what begins no token, and is passed over */
};
struct cel_token {
        enum cel_token_kind kind;
        size_t at;
        struct slice text;
        struct cel_value literal;
};
struct cel_lexer {
        struct arena *arena;
        struct slice source;
        size_t at;
};
struct cel_token cel_lexer_next(struct cel_lexer *lexer);

#define AUTHORIZER_RESOURCE "authorizer.requestResource" /* a name, as if it had no dot */

/* Text of an error at a byte of the source; returns INVALID. */
int cel_fail(struct err *err, struct slice source, size_t at, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
int cel_parse(struct arena *arena, struct slice source, bool has_bindings,
              struct cel_node **ret_root, struct err *err);
int cel_check(struct arena *arena, struct cel_program *program, struct err *err);
/* Makes the constants of a checked program, and refuses what fails then. */
int cel_plan(struct arena *arena, struct cel_program *program, struct err *err);
bool cel_is_conversion(const struct cel_node *node); /* int(x), dyn(x), type(x), ... */
struct cel_value cel_run_node(struct cel_run *run, const struct cel_node *node);

struct cel_function;
/* The function that takes the arguments; NULL = none. */
const struct cel_function *cel_overload_find(struct cel_run *run, const struct cel_node *node,
                                             const struct cel_value *args);
/* No function takes the arguments of a call or operator: the error that says so. */
struct cel_value cel_no_overload(struct cel_run *run, const struct cel_node *node,
                                 const struct cel_value *args);

/* Costs as upstream's evaluator counts them; false when there is nothing left. */
bool cel_charge_call(struct cel_run *run, const struct cel_node *node,
                     const struct cel_value *args);
bool cel_charge_made(struct cel_run *run, const struct cel_node *node);
bool cel_charge_relation(struct cel_run *run, const struct cel_node *node,
                         const struct cel_value *a, const struct cel_value *b);

/* ---- objects that expressions make ---- */

struct cel_value cel_object_made(struct cel_run *run, const struct cel_type *type,
                                 const struct cel_value *map);
/* What a field is that was not given. */
struct cel_value cel_object_absent(const struct cel_value *object, struct slice name);
/* As JSON; NULL and *ret_text: what is wrong with it. */
struct json_node *cel_object_node(struct cel_run *run, struct json_tree *tree,
                                  const struct cel_value *object, const char **ret_text);
struct json_node *cel_patches_node(struct cel_run *run, struct json_tree *tree,
                                   const struct cel_value *list, const char **ret_text);
/* authorizer, or authorizer.requestResource. */
struct cel_value cel_access_start(const struct cel_run *run, enum cel_kind kind);

bool cel_makes_map(enum cel_macro macro);
size_t cel_round_cost(enum cel_macro macro);   /* of one round of its loop */
size_t cel_element_cost(enum cel_macro macro); /* of an element that it takes in */
