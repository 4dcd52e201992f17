/* Types of an expression, worked out before it runs: what it names must exist, and each function
 * must take what it is given. Values of any type (int-or-string) are checked when it runs. */
#include "cel/cel_admission.h"
#include "cel/cel_check_priv.h"
#include "cel/cel_function.h"

#include "base/buf.h"
#include "base/util.h"

static int cel_check_check(struct cel_checker *checker, const struct cel_scope *scope,
                           struct cel_node *node);

static int check_args(struct cel_checker *checker, const struct cel_scope *scope,
                      struct cel_node *node) {
        if (node->kind == CEL_NODE_CALL && slice_is(node->name, "format") && node->arg_count == 2)
                node->args[1]->is_mixed = true;
        for (size_t i = 0; node->is_mixed && i < node->arg_count; i++)
                node->args[i]->is_mixed = true;
        for (size_t i = 0; i < node->arg_count; i++) {
                if (cel_check_check(checker, scope, node->args[i]) < 0)
                        return BERTH_ERR_INVALID;
        }
        return 0;
}

/* ---- names and fields ---- */

static const struct cel_type *type_named(struct slice name) {
        for (int kind = CEL_NULL; kind < CEL_AUTHORIZER; kind++) {
                if (slice_is(name, cel_kind_name((enum cel_kind)kind)) && kind != CEL_OBJECT)
                        return cel_type_basic(CEL_TYPE);
        }
        return NULL;
}

/* What is asked of the authorizer begins with one of two names; NULL for any other. */
static const struct cel_type *authorizer_type(const struct cel_checker *checker,
                                              struct slice name) {
        const struct cel_admission *admission = checker->program->admission;

        if (!admission || !admission->has_authorizer)
                return NULL;
        if (slice_is(name, AUTHORIZER_RESOURCE))
                return cel_type_basic(CEL_RESOURCE_CHECK);
        return slice_is(name, "authorizer") ? cel_type_basic(CEL_AUTHORIZER) : NULL;
}

static int check_name(struct cel_checker *checker, const struct cel_scope *scope,
                      struct cel_node *node) {
        for (; scope; scope = scope->up) {
                if (!slice_eq(scope->name, node->name))
                        continue;
                node->type = scope->type;
                return 0;
        }
        if (checker->program->is_environment)
                node->type = cel_check_field(checker->program->self, node->name);
        else if (slice_eq(node->name, checker->program->name))
                node->type = checker->program->self;
        if (!node->type)
                node->type = authorizer_type(checker, node->name);
        if (slice_is(node->name, "oldSelf") && checker->old) {
                node->type = checker->old;
                checker->program->uses_old = true;
        }
        if (!node->type && (node->type = type_named(node->name))) {
                node->kind = CEL_NODE_LITERAL;
                node->literal = cel_text(CEL_TYPE, node->name);
        }
        if (node->type)
                return 0;
        return cel_check_fail(checker, node,
                              arena_printf(checker->arena,
                                           "undeclared reference to '" SLICE_FMT
                                           "' (in container '')",
                                           SLICE_ARG(node->name)));
}

/* A variable of a policy is put where it is used, and made there when it is first asked for. Only
 * those before it can be used in it, so there is no circle. */
static int check_variable(struct cel_checker *checker, struct cel_node *node, size_t index) {
        struct cel_program *program = checker->program;
        const struct cel_variable *variable = &program->admission->variables[index];
        size_t limit = program->variable_limit;

        if (!program->variables)
                program->variables = ARENA_ARRAY(checker->arena, struct cel_node *,
                                                 program->admission->variable_count);
        if (!program->variables[index]) {
                struct cel_node *root;

                size_t before = checker->complaints.count;
                struct err ignored = { 0 };
                program->variable_limit = index;
                int r = cel_parse(checker->arena, variable->expression, program->has_bindings,
                                  &root, &ignored);
                r = r < 0 ? r : cel_check_check(checker, NULL, root);
                program->variable_limit = limit;
                if (r < 0 ||
                    checker->complaints.count > before) { /* reported where it is defined */
                        checker->complaints.count = before;
                        return 0;
                }
                root->variable_of = variable->name;
                program->variables[index] = root;
        }
        *node = *program->variables[index];
        return 0;
}

/* True when it was one, or one was asked for that is not there. */
static bool is_variable(struct cel_checker *checker, struct cel_node *node, int *ret_code) {
        const struct cel_program *program = checker->program;

        if (!program->admission || node->kind != CEL_NODE_SELECT ||
            node->args[0]->kind != CEL_NODE_NAME || !slice_is(node->args[0]->name, "variables"))
                return false;
        for (size_t i = 0; i < program->variable_limit; i++)
                if (slice_eq(program->admission->variables[i].name, node->name)) {
                        *ret_code = check_variable(checker, node, i);
                        return true;
                }
        *ret_code = cel_check_fail(checker, node,
                                   arena_printf(checker->arena, "undefined field '" SLICE_FMT "'",
                                                SLICE_ARG(node->name)));
        return true;
}

static bool is_in_scope(const struct cel_scope *scope, struct slice name) {
        while (scope && !slice_eq(scope->name, name))
                scope = scope->up;
        return scope;
}

/* A name with a dot in it. */
static bool is_request_resource(const struct cel_checker *checker, const struct cel_scope *scope,
                                struct cel_node *node) {
        const struct cel_node *from = node->args[0];

        if (node->kind != CEL_NODE_SELECT || node->is_optional || from->kind != CEL_NODE_NAME ||
            !slice_is(from->name, "authorizer") || !slice_is(node->name, "requestResource") ||
            !authorizer_type(checker, from->name) || is_in_scope(scope, from->name))
                return false;
        node->kind = CEL_NODE_NAME;
        node->name = SLICE_LITERAL(AUTHORIZER_RESOURCE);
        node->type = authorizer_type(checker, node->name);
        return true;
}

static int check_select(struct cel_checker *checker, const struct cel_scope *scope,
                        struct cel_node *node) {
        int code = 0;

        if (is_variable(checker, node, &code) || is_request_resource(checker, scope, node))
                return code;
        if (cel_check_check(checker, scope, node->args[0]) < 0)
                return BERTH_ERR_INVALID;
        const struct cel_type *given = node->args[0]->type;
        const struct cel_type *from = cel_type_strip(given);
        if (from->kind == CEL_OBJECT)
                node->type = cel_check_field(from, node->name);
        else if (from->kind == CEL_MAP || cel_type_is_dyn(from))
                node->type = cel_type_is_dyn(from) ? cel_type_basic(CEL_DYN) : from->element;
        else if (from->kind >= CEL_AUTHORIZER)
                return cel_check_fail(checker, node,
                                      arena_printf(checker->arena,
                                                   "unexpected failed resolution of '%s'",
                                                   cel_type_text(checker->arena, from)));
        else
                return cel_check_fail(checker, node,
                                      arena_printf(checker->arena,
                                                   "type '%s' does not support field selection",
                                                   cel_type_text(checker->arena, from)));
        if (!node->type)
                return cel_check_fail(checker, node,
                                      arena_printf(checker->arena,
                                                   "undefined field '" SLICE_FMT "'",
                                                   SLICE_ARG(node->name)));
        if (node->kind == CEL_NODE_HAS)
                node->type = cel_type_basic(CEL_BOOL);
        else if (node->is_optional || given != from)
                node->type = cel_type_made(checker->arena, CEL_OPTIONAL, NULL, node->type);
        return 0;
}

static int check_index(struct cel_checker *checker, struct cel_node *node) {
        const struct cel_type *given = node->args[0]->type, *from = cel_type_strip(given);
        const struct cel_type *index = node->args[1]->type;

        node->name = SLICE_LITERAL("_[_]");
        if (cel_type_is_dyn(from))
                node->type = cel_type_basic(CEL_DYN);
        else if (from->kind == CEL_LIST && cel_matches_kind(CEL_INT, index->kind))
                node->type = from->element;
        else if (from->kind == CEL_MAP && cel_types_compare(from->key, index))
                node->type = from->element;
        else
                return cel_check_fail_overload(checker, node);
        if (node->is_optional || given != from)
                node->type = cel_type_made(checker->arena, CEL_OPTIONAL, NULL, node->type);
        return 0;
}

/* ---- macros and bindings ---- */

static int check_macro(struct cel_checker *checker, const struct cel_scope *scope,
                       struct cel_node *node) {
        struct cel_scope first = { .up = scope }, second;

        if (cel_check_check(checker, scope, node->args[0]) < 0)
                return BERTH_ERR_INVALID;
        const struct cel_type *from = node->args[0]->type;
        if (from->kind != CEL_DYN && from->kind != CEL_LIST && from->kind != CEL_MAP) {
                if (cel_check_fail_range(checker, node) < 0)
                        return BERTH_ERR_INVALID;
                node->args[0]->type = cel_type_basic(CEL_DYN); /* the rest is checked too */
        }
        cel_macro_scopes(node, &first, &second);
        for (size_t i = 1; i < node->arg_count; i++) {
                if (cel_check_check(checker, node->variable_count == 2 ? &second : &first,
                                    node->args[i]) < 0)
                        return BERTH_ERR_INVALID;
        }
        return cel_check_loop(checker, node);
}

static int check_bind(struct cel_checker *checker, const struct cel_scope *scope,
                      struct cel_node *node) {
        bool is_map = node->kind == CEL_NODE_OPTIONAL_MAP;
        struct cel_scope inner = { scope, node->variables[0], NULL };

        if (cel_check_check(checker, scope, node->args[0]) < 0)
                return BERTH_ERR_INVALID;
        inner.type = is_map ? cel_type_strip(node->args[0]->type) : node->args[0]->type;
        if (is_map && !cel_matches_kind(CEL_OPTIONAL, node->args[0]->type->kind))
                return cel_check_fail_overload(checker, node);
        if (cel_check_check(checker, &inner, node->args[1]) < 0)
                return BERTH_ERR_INVALID;
        const struct cel_type *last = node->args[1]->type;
        if (is_map && !slice_is(node->name, "optMap") &&
            !cel_matches_kind(CEL_OPTIONAL, last->kind))
                return cel_check_fail(
                        checker, node,
                        arena_printf(checker->arena,
                                     "found no matching overload for '_?_:_' applied to '(bool, "
                                     "%s, optional_type(dyn))'",
                                     cel_type_text(checker->arena, last)));
        node->type = is_map && slice_is(node->name, "optMap")
                             ? cel_type_made(checker->arena, CEL_OPTIONAL, NULL, last)
                             : last;
        return 0;
}

/* ---- operators and literals ---- */

static int check_logic(struct cel_checker *checker, struct cel_node *node) {
        for (size_t i = 0; i < node->arg_count; i++) {
                const struct cel_node *arg = node->args[i];

                if (cel_matches_kind(CEL_BOOL, arg->type->kind))
                        continue;
                if (node->kind == CEL_NODE_NOT) {
                        node->name = SLICE_LITERAL("!_");
                        return cel_check_fail_overload(checker, node);
                }
                cel_check_fail_bool(checker, arg);
        }
        node->type = cel_type_basic(CEL_BOOL);
        return 0;
}

static int check_relation(struct cel_checker *checker, struct cel_node *node) {
        const struct cel_type *a = node->args[0]->type, *b = node->args[1]->type;
        bool is_fine = node->kind == CEL_NODE_RELATION ? cel_types_have_order(a, b)
                                                       : cel_types_compare(a, b);

        if (node->kind == CEL_NODE_IN)
                is_fine = cel_type_is_dyn(b) ||
                          (b->kind == CEL_LIST && cel_types_compare(a, b->element)) ||
                          (b->kind == CEL_MAP && cel_types_compare(a, b->key));
        if (!is_fine)
                return cel_check_fail_overload(checker, node);
        node->type = cel_type_basic(CEL_BOOL);
        return 0;
}

static int check_conditional(struct cel_checker *checker, struct cel_node *node) {
        const struct cel_type *a = node->args[1]->type, *b = node->args[2]->type;

        node->name = SLICE_LITERAL("_?_:_");
        if (!cel_matches_kind(CEL_BOOL, node->args[0]->type->kind) || !cel_types_compare(a, b))
                return cel_check_fail_overload(checker, node);
        node->type = cel_types_join(a, b);
        return 0;
}

/* What is empty has the type of the others. */
static bool is_empty_literal(const struct cel_node *node) {
        bool is_container = node->kind == CEL_NODE_LIST || node->kind == CEL_NODE_MAP;

        return (is_container || slice_is(node->name, "optional.none")) && node->arg_count == 0;
}

/* One more element, key or value of a literal: all have one type, but for the arguments of
 * format().
 */
struct literal_part {
        const struct cel_type *type;  /* of those before; NULL = none */
        const struct cel_type *first; /* of the first that is not empty */
        bool is_open;                 /* they were all empty */
        bool is_wrong;                /* one has another type */
};

static void check_part(struct cel_checker *checker, const struct cel_node *node,
                       const struct cel_node *inner, struct literal_part *part) {
        const struct cel_type *type = inner->type;
        bool is_empty = is_empty_literal(inner), was_open = !part->type || part->is_open;

        if (inner->is_optional_element)
                type = cel_type_strip(type);
        if (part->type && !node->is_mixed && !cel_types_same(part->first, type) &&
            !((is_empty || part->is_open) && cel_types_compare(part->type, type)) &&
            !(part->is_wrong && node->kind == CEL_NODE_LIST)) {
                cel_check_fail_late(checker, inner, "expected type '%s' but found '%s'",
                                    cel_type_text(checker->arena, part->first),
                                    cel_type_text(checker->arena, type));
                part->is_wrong = true;
        }
        if (was_open)
                part->first = part->type = type;
        else if (!is_empty)
                part->type = cel_types_join(part->type, type);
        part->is_open = was_open && is_empty;
}

static int check_literal(struct cel_checker *checker, struct cel_node *node) {
        bool is_map = node->kind == CEL_NODE_MAP;
        struct literal_part parts[2] = { { 0 }, { 0 } };

        for (size_t i = 0; i < node->arg_count; i++)
                check_part(checker, node, node->args[i], &parts[is_map && i % 2 == 0]);
        for (int i = 0; i < 2; i++)
                parts[i].type = parts[i].type ? parts[i].type : cel_type_basic(CEL_DYN);
        node->type = cel_type_made(checker->arena, is_map ? CEL_MAP : CEL_LIST,
                                   is_map ? parts[1].type : NULL, parts[0].type);
        return 0;
}

static int check_with_args(struct cel_checker *checker, struct cel_node *node) {
        switch (node->kind) {
        case CEL_NODE_INDEX:
                return check_index(checker, node);
        case CEL_NODE_CALL:
                return cel_check_call(checker, node);
        case CEL_NODE_LIST:
        case CEL_NODE_MAP:
                return check_literal(checker, node);
        case CEL_NODE_OBJECT:
                return cel_check_object(checker, node);
        case CEL_NODE_AND:
        case CEL_NODE_OR:
        case CEL_NODE_NOT:
                return check_logic(checker, node);
        case CEL_NODE_CONDITIONAL:
                return check_conditional(checker, node);
        default:
                return check_relation(checker, node);
        }
}

static int check_node(struct cel_checker *checker, const struct cel_scope *scope,
                      struct cel_node *node) {
        switch (node->kind) {
        case CEL_NODE_LITERAL:
                node->type = cel_type_basic(node->literal.kind);
                return 0;
        case CEL_NODE_NAME:
                return check_name(checker, scope, node);
        case CEL_NODE_SELECT:
        case CEL_NODE_HAS:
                return check_select(checker, scope, node);
        case CEL_NODE_MACRO:
                return check_macro(checker, scope, node);
        case CEL_NODE_BIND:
        case CEL_NODE_OPTIONAL_MAP:
                return check_bind(checker, scope, node);
        default:
                return check_args(checker, scope, node) < 0 ? BERTH_ERR_INVALID
                                                            : check_with_args(checker, node);
        }
}

static int cel_check_check(struct cel_checker *checker, const struct cel_scope *scope,
                           struct cel_node *node) {
        int r = check_node(checker, scope, node);

        node->type = node->type ? node->type : cel_type_wrong();
        return r;
}

/* What the whole of it has to be. */
static int check_result(struct arena *arena, const struct cel_program *program, struct err *err) {
        enum cel_kind wanted = program->wants == CEL_WANTS_STRING ? CEL_STRING : CEL_BOOL;

        if (program->wants == CEL_WANTS_ANYTHING)
                return 0;
        if (cel_check_has_objects(program))
                return cel_check_made(arena, program, err);
        /* As upstream: a rule of unknown type is refused too. */
        if (program->root->type->kind == wanted)
                return 0;
        if (program->wants == CEL_WANTS_BOOL_OR_ANY)
                return program->root->type->kind == CEL_ANY ||
                                       (program->has_includes &&
                                        cel_type_is_dyn(program->root->type))
                               ? 0
                               : err_set(err, BERTH_ERR_INVALID,
                                         "must evaluate to bool or the unknown type, not %s",
                                         cel_type_declared(arena, program->root->type));
        if (program->is_environment)
                return err_set(err, BERTH_ERR_INVALID, "must evaluate to %s but got %s",
                               wanted == CEL_BOOL ? "bool" : "string",
                               cel_type_declared(arena, program->root->type));
        return err_set(err, BERTH_ERR_INVALID,
                       wanted == CEL_BOOL ? "cel expression must evaluate to a bool"
                                          : "messageExpression must evaluate to a string");
}

int cel_check(struct arena *arena, struct cel_program *program, struct err *err) {
        bool is_rule = slice_is(program->name, "self"); /* of a custom resource */
        struct cel_checker checker = { arena, program, err, is_rule ? program->self : NULL };

        if (program->admission)
                program->variable_limit = program->admission->variable_count;
        if (program->is_old_optional)
                checker.old = cel_type_made(arena, CEL_OPTIONAL, NULL, program->self);
        if (cel_check_check(&checker, NULL, program->root) < 0 || cel_check_complain(&checker) < 0)
                return BERTH_ERR_INVALID;
        return check_result(arena, program, err);
}
