/* Inside of CEL: syntax trees, static types, values and functions. */
#pragma once

#include "base/regex.h"
#include "cel/cel.h"

/* ---- types ---- */

enum cel_kind {
        CEL_DYN, /* any; static types only */
        CEL_ERROR,
        CEL_NULL,
        CEL_BOOL,
        CEL_INT,
        CEL_UINT,
        CEL_DOUBLE,
        CEL_STRING,
        CEL_BYTES,
        CEL_TIMESTAMP,
        CEL_DURATION,
        CEL_QUANTITY,
        CEL_URL,
        CEL_IP,
        CEL_CIDR,
        CEL_SEMVER,
        CEL_FORMAT, /* named */
        CEL_LIST,
        CEL_MAP,
        CEL_OBJECT,
        CEL_OPTIONAL,
        CEL_TYPE,
        CEL_KIND_COUNT
};

struct cel_field {
        struct slice name;   /* in the object */
        const char *escaped; /* in expressions */
        const struct cel_type *type;
};
enum cel_list_kind { CEL_LIST_ATOMIC, CEL_LIST_SET, CEL_LIST_KEYED };
struct cel_type {
        enum cel_kind kind;
        const struct cel_type *key, *element; /* of maps; of lists, maps, optionals */
        const struct cel_field *fields;       /* of objects */
        size_t field_count;
        enum cel_list_kind list_kind;
        const struct json *list_keys; /* names, of keyed lists */
};
const struct cel_type *cel_type_basic(enum cel_kind kind);
const struct cel_type *cel_type_made(struct arena *arena, enum cel_kind kind,
                                     const struct cel_type *key, const struct cel_type *element);
/* "list(string)"; in the arena. */
const char *cel_type_text(struct arena *arena, const struct cel_type *type);
const char *cel_kind_name(enum cel_kind kind);

/* ---- values ---- */

/* Lists, maps and objects either stand for a part of the JSON object (node) or were made by the
 * expression (items; of maps keys and values alternating, count pairs). */
struct cel_value {
        enum cel_kind kind;
        union {
                bool boolean;
                int64_t integer; /* CEL_INT; ns of times and durations */
                uint64_t natural;
                double real;
                struct slice text; /* all that is written as text; errors */
                const struct json_node *node;
                const struct cel_value *items; /* of made lists and maps; of optionals, or NULL */
        } as;
        bool is_made; /* items, not node */
        size_t count; /* of items */
        const struct cel_type *type;
};

struct cel_run {
        struct arena *arena;
        /* cel_function_next, for functions that stand for others: sum() adds, format() converts. */
        const struct cel_function *(*function_next)(struct slice name, bool is_member, size_t *at);
        int64_t steps; /* left of this call */
        bool is_over;
        struct cel_value self, old;
};

struct cel_value cel_from_node(struct cel_run *run, const struct json_node *node,
                               const struct cel_type *type);
struct cel_value cel_error(struct cel_run *run, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
struct cel_value cel_bool(bool value);
struct cel_value cel_int(int64_t value);
struct cel_value cel_uint(uint64_t value);
struct cel_value cel_double(double value);
struct cel_value cel_text(enum cel_kind kind, struct slice text); /* borrows */
struct cel_value cel_time(enum cel_kind kind, int64_t ns);
struct cel_value cel_list(const struct cel_value *items, size_t count);
struct cel_value cel_optional(struct cel_run *run, const struct cel_value *inner); /* NULL: none */
/* Takes steps away; false (and nothing goes on) when there are none left. */
bool cel_spend(struct cel_run *run, size_t steps);

bool cel_equal(struct cel_run *run, const struct cel_value *a, const struct cel_value *b);
bool cel_compare(const struct cel_value *a, const struct cel_value *b, int *ret_order);
bool cel_is_number(enum cel_kind kind);
size_t cel_size(const struct cel_value *value); /* of lists, maps and objects */
/* Member of a map or object; false when absent. The name is that of the object. */
bool cel_find(struct cel_run *run, const struct cel_value *map, const struct cel_value *key,
              struct cel_value *ret_value);
/* Field of an object by its escaped name, or string key of a map. */
bool cel_select(struct cel_run *run, const struct cel_value *from, struct slice name,
                struct cel_value *ret_value);

struct cel_iter {
        const struct cel_value *container;
        struct node_iter nodes;
        size_t index;
};
struct cel_iter cel_iter(const struct cel_value *container);
/* Key: position in lists, key in maps. */
bool cel_next(struct cel_run *run, struct cel_iter *iter, struct cel_value *ret_key,
              struct cel_value *ret_value);

/* A list that grows in the arena. */
struct cel_builder {
        struct cel_value *items;
        size_t count, cap;
};
void cel_push(struct cel_run *run, struct cel_builder *builder, const struct cel_value *value);

/* ---- functions ---- */

#define CEL_PARAMS_MAX 4
/* Heads the definition of one. */
#define FUNCTION(name)                                                                             \
        static struct cel_value name(struct cel_run *run, const struct cel_value *args)
enum cel_returns { /* type of what a function returns, where no kind says it */
                   CEL_SAME = CEL_KIND_COUNT, /* that of the first argument */
                   CEL_FIRST_ELEMENT,         /* of the first argument's elements */
                   CEL_STRINGS,               /* a list of strings */
                   CEL_INTS,
                   CEL_WRAPPED, /* an optional of the first argument */
                   CEL_OPTIONAL_STRINGS,
                   CEL_OPTIONAL_FORMAT,
                   CEL_MAP_OF_STRINGS, /* from strings to lists of strings */
};
struct cel_function {
        const char *name;
        bool is_member; /* the first parameter stands before a dot */
        int returns;    /* enum cel_kind or enum cel_returns */
        struct cel_value (*call)(struct cel_run *run, const struct cel_value *args);
        size_t count;
        enum cel_kind params[CEL_PARAMS_MAX];
};
struct cel_function_set {
        const struct cel_function *rows;
        size_t count;
};
extern const struct cel_function_set cel_address_functions, cel_arithmetic_functions,
        cel_basic_functions, cel_format_functions, cel_list_functions, cel_semver_functions,
        cel_string_functions, cel_time_functions, cel_url_functions;
/* A semantic version taken apart. */
struct cel_version {
        uint64_t numbers[3];
        struct slice release; /* labels between dots; empty = none */
};
/* What is wrong with a version; NULL when nothing is. */
const char *cel_version_problem(struct slice text, struct cel_version *ret_version);
/* Which of two versions comes first; neither when they differ in build data alone. */
int cel_version_order(struct slice a, struct slice b);
/* Cuts what follows the first such mark off; false when there is none. */
bool cel_version_cut(struct slice *text, char mark, struct slice *ret_behind);
/* What is wrong with a URL; NULL when it is absolute, or an absolute path. */
const char *cel_url_problem(struct cel_run *run, struct slice text);
/* The first function of that name at or behind *at, which is moved on; NULL when there is none. */
const struct cel_function *cel_function_next(struct slice name, bool is_member, size_t *at);
/* Whether upstream has a function or name like that which is not implemented here. */
bool cel_is_unsupported(struct slice name);
bool cel_matches_kind(enum cel_kind param, enum cel_kind kind);

/* ---- syntax ---- */

enum cel_node_kind {
        CEL_NODE_LITERAL,
        CEL_NODE_NAME,
        CEL_NODE_SELECT, /* args[0].name */
        CEL_NODE_HAS,    /* has(args[0].name) */
        CEL_NODE_INDEX,  /* args[0][args[1]] */
        CEL_NODE_CALL,
        CEL_NODE_LIST,
        CEL_NODE_MAP, /* keys and values alternating */
        CEL_NODE_AND, /* any number */
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
        CEL_TRANSFORM_MAP
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
        enum cel_macro macro;
        bool is_member, is_optional; /* .?name, [?index] */
        bool is_mixed;               /* a list whose elements may differ in type */
        struct cel_value literal;
        struct regex *regex; /* of a constant pattern */
        const struct cel_type *type;
};

struct cel_program {
        struct slice source;
        struct cel_node *root;
        const struct cel_type *self;
        enum cel_result_kind wants;
        bool is_old_optional, uses_old;
        const char *unsupported;
        struct cel_node **regexes; /* nodes that own one */
        size_t regex_count;
};

enum cel_token_kind {
        CEL_TOKEN_END,
        CEL_TOKEN_NAME,
        CEL_TOKEN_QUOTED_NAME, /* `a-b` */
        CEL_TOKEN_LITERAL,
        CEL_TOKEN_MARK, /* operators and brackets: text */
        CEL_TOKEN_BAD   /* text: why */
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

/* Text of an error at a byte of the source; returns INVALID. */
int cel_fail(struct err *err, struct slice source, size_t at, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
int cel_parse(struct arena *arena, struct slice source, struct cel_node **ret_root,
              struct err *err);
int cel_check(struct arena *arena, struct cel_program *program, struct err *err);
struct cel_value cel_run_node(struct cel_run *run, const struct cel_node *node);
