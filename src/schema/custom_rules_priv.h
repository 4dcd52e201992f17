/* What making, checking and applying the rules of custom resources have in common. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "cel/cel.h"

#define RULES_MEMBER "x-kubernetes-validations"
#define RULES_PATH_BYTES 512

struct rules_rule {
        const struct json *json; /* the rule as written */
        struct cel_program *program, *message;
        const char *problem; /* why it has no program; NULL = it has one, or is blank */
        const char *field;   /* what it speaks of, below the value; NULL = the value */
        bool is_old_optional;
};

struct rules_level {
        const struct json *schema;
        const struct cel_type *type;
        struct rules_rule *rules;
        size_t rule_count;
        struct slice name;                     /* as a property */
        struct rules_level *properties, *next; /* a list of those with rules below them */
        struct rules_level *elements;          /* of lists and maps */
};

struct custom_rules {
        struct arena arena;
        struct rules_level *root;
};

/* The schema of a list's or map's elements; NULL when it says nothing of them. */
const struct json *rules_element_schema(const struct json *schema);
/* The schema, or one below it, has rules. */
bool rules_below(const struct json *schema);
bool rules_has_newline(struct slice text);
/* A JSON string in the arena. */
const char *rules_quote(struct arena *arena, struct slice text);
struct structure_walk;
/* What is wrong with the schema's own rules besides their expressions. */
void rules_check_texts(struct structure_walk *walk, const struct json *schema);
/* What is said of one that does not compile. is_message: of its messageExpression. */
const char *rules_problem(struct arena *arena, const struct err *err, bool is_message);
/* The rule and its messageExpression, for values of the type. */
int rules_compile(struct arena *arena, const struct json *rule, const struct cel_type *type,
                  struct cel_program **ret_program, struct err *err);
int rules_compile_message(struct arena *arena, const struct json *rule, const struct cel_type *type,
                          struct cel_program **ret_program, struct err *err);
