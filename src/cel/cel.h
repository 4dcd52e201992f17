/* Validation rules in CEL (Common Expression Language), as CustomResourceDefinitions carry them:
 * compiled against the types of a schema, evaluated over one object under a step limit. Pure: no
 * clock, no files, nothing that lasts but the program. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

#define CEL_SOURCE_MAX ((size_t)64 * 1024) /* bytes of an expression */
#define CEL_DEPTH_MAX 100                  /* nesting of an expression */
#define CEL_STEPS_PER_CALL 1000000         /* of one evaluation */

struct cel_type;
struct cel_program;
struct cel_authorizer; /* cel/cel_access.h */

/* Types of an OpenAPI schema and of all below it; NULL when expressions cannot refer to its values.
 * is_resource: the root of an object with metadata. The schema has to outlive the arena. */
const struct cel_type *cel_type_of_schema(struct arena *arena, const struct json *schema,
                                          bool is_resource);
/* A member of that name can be written in expressions, maybe escaped. */
bool cel_name_is_usable(struct slice name);
const struct cel_type *cel_type_items(const struct cel_type *type); /* of lists and maps, or NULL */
/* Of a member, by its name in the object; NULL when there is none. */
const struct cel_type *cel_type_member(const struct cel_type *type, struct slice name);

enum cel_result_kind {
        CEL_WANTS_BOOL,
        CEL_WANTS_STRING,
        CEL_WANTS_BOOL_OR_ANY, /* a value whose type is not known is taken too */
        CEL_WANTS_ANYTHING,
        CEL_WANTS_OBJECT, /* what a policy applies: expressions may make objects and patches */
        CEL_WANTS_PATCHES
};
struct cel_admission;
struct cel_options {
        const struct cel_type *self;           /* of self and oldSelf */
        const char *name;                      /* of the variable instead of self, or NULL */
        const struct cel_admission *admission; /* the fields of self are the variables, and these
                                                  those of a policy (cel/cel_admission.h) */
        bool has_includes;                     /* the function of that name is there */
        bool has_bindings;                     /* cel.bind() is there */
        bool is_old_optional;                  /* oldSelf is an optional */
        enum cel_result_kind wants;
};
/* The program lives in the arena, and holds memory besides: release it first. INVALID with a text
 * in the words and the form of upstream's compiler: ERROR: <input>:1:6: undefined field 'x' ... */
int cel_compile(struct arena *arena, struct slice source, const struct cel_options *options,
                struct cel_program **ret_program, struct err *err);
void cel_program_release(struct cel_program *program); /* accepts NULL */
bool cel_program_uses_old(const struct cel_program *program);

struct cel_input {
        const struct json_node *self, *old;      /* old may be NULL */
        struct arena *arena;                     /* for everything on the way */
        int64_t *steps;                          /* what is left; counted down */
        const struct cel_authorizer *authorizer; /* of expressions that may ask; or NULL */
};
enum cel_outcome {
        CEL_TRUE,
        CEL_FALSE,
        CEL_TEXT,       /* of programs that want a string */
        CEL_NOTHING,    /* null, of programs that want anything */
        CEL_MADE,       /* of programs that make objects and patches */
        CEL_FAILED,     /* evaluation error; text says which */
        CEL_UNFIT,      /* what was made is no use; text says why */
        CEL_OVER_BUDGET /* of this call, or of *steps */
};
/* *ret_text: the string, or the error; in the arena. */
enum cel_outcome cel_evaluate(const struct cel_program *program, const struct cel_input *input,
                              const char **ret_text);
/* Of programs that want an object or patches: what they make, for the tree. Patches are a list of
 * operations of a JSON patch. */
enum cel_outcome cel_make(const struct cel_program *program, const struct cel_input *input,
                          struct json_tree *tree, struct json_node **ret_node,
                          const char **ret_text);
