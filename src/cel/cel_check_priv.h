/* Shared by the files that work out types. */
#pragma once

#include "base/err.h"
#include "cel/cel_node.h"

#define COMPLAINTS_MAX 32 /* the rest is not reported */

/* In the order of their places. */
struct complaints {
        struct complaint {
                size_t at;
                const char *text;
        } items[COMPLAINTS_MAX];
        size_t count;
};

struct cel_checker {
        struct arena *arena;
        struct cel_program *program;
        struct err *err;
        const struct cel_type *old; /* of oldSelf */
        struct complaints complaints;
        struct complaints late; /* of what is looked at when all types are right */
};

/* ---- types that go together ---- */

const struct cel_type *cel_type_strip(const struct cel_type *type); /* what is in an optional */
/* Whether values of the types may be equal. */
bool cel_types_compare(const struct cel_type *a, const struct cel_type *b);
bool cel_types_same(const struct cel_type *a, const struct cel_type *b);
bool cel_types_have_order(const struct cel_type *a, const struct cel_type *b);
/* One type for both, any where there is none. a may be NULL. */
const struct cel_type *cel_types_join(const struct cel_type *a, const struct cel_type *b);

/* ---- complaints ---- */

/* Notes one about the node and returns 0: the rest is checked too. The text is not copied. */
int cel_check_fail(struct cel_checker *checker, const struct cel_node *node, const char *text);
int cel_check_fail_overload(struct cel_checker *checker, const struct cel_node *node);
int cel_check_fail_bool(struct cel_checker *checker, const struct cel_node *node); /* wanted here */
/* At a byte of the source. */
void cel_check_fail_at(struct cel_checker *checker, size_t at, const char *text);
/* One that is reported when there are none of those. */
void cel_check_fail_late(struct cel_checker *checker, const struct cel_node *node,
                         const char *format, ...) __attribute__((format(printf, 3, 4)));
/* INVALID with all of them; 0 when there are none. */
int cel_check_complain(const struct cel_checker *checker);

/* ---- kinds of nodes ---- */

struct cel_scope {
        const struct cel_scope *up;
        struct slice name;
        const struct cel_type *type;
};
/* Variables of a macro, whose range has its type: of a list its elements (behind positions), of a
 * map its keys (and values). */
void cel_macro_scopes(const struct cel_node *node, struct cel_scope *first,
                      struct cel_scope *second);
/* Complains of a range that is none. */
int cel_check_fail_range(struct cel_checker *checker, const struct cel_node *node);
/* A macro whose range and arguments have their types. */
int cel_check_loop(struct cel_checker *checker, struct cel_node *node);
/* Arguments have their types. */
int cel_check_call(struct cel_checker *checker, struct cel_node *node);
/* What constant arguments of a call must be: times and durations, formats that go together with
 * their arguments. */
void cel_check_literals(struct cel_checker *checker, const struct cel_node *call);
int cel_check_object(struct cel_checker *checker, struct cel_node *node);
/* Type of a field, by its escaped name or by its own between backquotes; NULL: there is none. */
const struct cel_type *cel_check_field(const struct cel_type *from, struct slice name);
/* Expressions may make objects and patches. */
bool cel_check_has_objects(const struct cel_program *program);
/* Whether one of these makes what its policy wants. */
int cel_check_made(struct arena *arena, const struct cel_program *program, struct err *err);
