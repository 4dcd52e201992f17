/* Types of an expression, worked out before it runs: what it names must exist, and each function
 * must take what it is given. Values of any type (int-or-string) are checked when it runs. */
#include "cel/cel_admission.h"
#include "cel/cel_function.h"
#include "cel/cel_node.h"

#include "base/buf.h"
#include "base/util.h"

#define COMPLAINTS_MAX 32

struct scope {
        const struct scope *up;
        struct slice name;
        const struct cel_type *type;
};

struct cel_checker {
        struct arena *arena;
        struct cel_program *program;
        struct err *err;
        const struct cel_type *old; /* of oldSelf */
        struct complaint {
                size_t at;
                const char *text;
        } complaints[COMPLAINTS_MAX];
        size_t complaint_count;
        struct err late; /* of what is looked at when all types are right */
};

static int cel_check_check(struct cel_checker *checker, const struct scope *scope,
                           struct cel_node *node);

static bool is_dyn(const struct cel_type *type) {
        return type->kind == CEL_DYN || type->kind == CEL_ANY;
}

static const struct cel_type *cel_check_strip(const struct cel_type *type) {
        return type->kind == CEL_OPTIONAL ? type->element : type;
}

/* ---- kinds ---- */

bool cel_matches_kind(enum cel_kind param, enum cel_kind kind) {
        return param == CEL_DYN || kind == CEL_DYN || kind == CEL_ANY || param == kind;
}

static bool can_be_null(const struct cel_type *type) {
        return type->kind == CEL_NULL ||
               (type->kind >= CEL_TIMESTAMP && type->kind != CEL_LIST && type->kind != CEL_MAP);
}

/* Whether values of the types may be equal. */
static bool is_comparable(const struct cel_type *a, const struct cel_type *b) {
        if (is_dyn(a) || is_dyn(b))
                return true;
        if (a->name && b->name)
                return strcmp(a->name, b->name) == 0;
        if (a->kind == CEL_NULL || b->kind == CEL_NULL)
                return can_be_null(a) && can_be_null(b);
        if (a->kind == CEL_MAP && b->kind == CEL_MAP)
                return is_comparable(a->key, b->key) && is_comparable(a->element, b->element);
        if ((a->kind == CEL_LIST || a->kind == CEL_OPTIONAL) && a->kind == b->kind)
                return is_comparable(a->element, b->element);
        return a->kind == b->kind;
}

static bool is_ordered(enum cel_kind kind) {
        return kind >= CEL_BOOL && kind <= CEL_DURATION;
}

static bool has_order(const struct cel_type *a, const struct cel_type *b) {
        if (is_dyn(a) || is_dyn(b))
                return (is_dyn(a) || is_ordered(a->kind)) && (is_dyn(b) || is_ordered(b->kind));
        if (cel_is_number(a->kind) && cel_is_number(b->kind))
                return true;
        return a->kind == b->kind && is_ordered(a->kind);
}

/* One type for both, any where there is none. */
static const struct cel_type *cel_check_join(const struct cel_type *a, const struct cel_type *b) {
        if (!a || a->kind == CEL_NULL)
                return b;
        if (b->kind == CEL_NULL)
                return a;
        if (a->kind == CEL_ANY || b->kind == CEL_ANY)
                return cel_type_basic(CEL_ANY);
        return a->kind == b->kind && is_comparable(a, b) ? a : cel_type_basic(CEL_DYN);
}

/* ---- complaints ---- */

/* The rest is checked too: what is wrong has any type there. */
static int cel_check_fail(struct cel_checker *checker, const struct cel_node *node,
                          const char *text) {
        size_t i = checker->complaint_count;

        if (i == COMPLAINTS_MAX)
                return 0;
        for (; i > 0 && checker->complaints[i - 1].at > node->at; i--)
                checker->complaints[i] = checker->complaints[i - 1];
        checker->complaints[i] = (struct complaint){ node->at, text };
        checker->complaint_count++;
        return 0;
}

static void fail_late(struct cel_checker *checker, const struct cel_node *node, const char *text) {
        if (!checker->late.code)
                cel_fail(&checker->late, checker->program->source, node->at, "%s", text);
}

/* All of them, in the order of the places. */
static int complaints_write(const struct cel_checker *checker) {
        CLEANUP(buf_release) struct buf all = { 0 };

        if (checker->complaint_count == 0 && checker->late.code)
                return err_set(checker->err, BERTH_ERR_INVALID, "%s", checker->late.text);
        if (checker->complaint_count == 0)
                return 0;
        for (size_t i = 0; i < checker->complaint_count; i++) {
                struct err one = { 0 };

                cel_fail(&one, checker->program->source, checker->complaints[i].at, "%s",
                         checker->complaints[i].text);
                buf_printf(&all, "%s%s", i ? "\n" : "", one.text);
        }
        return err_set(checker->err, BERTH_ERR_INVALID, "%s", all.data);
}

static int fail_overload(struct cel_checker *checker, const struct cel_node *node) {
        struct buf types = { 0 };
        size_t first = node->is_member ? 1 : 0;

        for (size_t i = first; i < node->arg_count; i++) {
                buf_text(&types, i > first ? ", " : "");
                buf_text(&types, cel_type_text(checker->arena, node->args[i]->type));
        }
        const char *text = arena_printf(
                checker->arena,
                "found no matching overload for '" SLICE_FMT "' applied to '%s%s" SLICE_FMT ")'",
                SLICE_ARG(node->name),
                first ? cel_type_text(checker->arena, node->args[0]->type) : "", first ? ".(" : "(",
                SLICE_ARG(buf_view(&types)));
        buf_release(&types);
        return cel_check_fail(checker, node, text);
}

static int check_args(struct cel_checker *checker, const struct scope *scope,
                      struct cel_node *node) {
        if (node->kind == CEL_NODE_CALL && slice_is(node->name, "format") && node->arg_count == 2)
                node->args[1]->is_mixed = true;
        for (size_t i = 0; i < node->arg_count; i++) {
                if (cel_check_check(checker, scope, node->args[i]) < 0)
                        return BERTH_ERR_INVALID;
        }
        return 0;
}

/* ---- names and fields ---- */

static const struct cel_type *type_named(struct slice name) {
        for (int kind = CEL_NULL; kind < CEL_KIND_COUNT; kind++) {
                if (slice_is(name, cel_kind_name((enum cel_kind)kind)) && kind != CEL_OBJECT)
                        return cel_type_basic(CEL_TYPE);
        }
        return NULL;
}

static bool is_quoted(struct slice name) {
        for (size_t i = 0; i < name.len; i++) {
                if (strchr("-./", name.ptr[i]))
                        return true;
        }
        return false;
}

/* ---- objects of policies that change objects ---- */

static const struct cel_field patch_fields[] = {
        { SLICE_INIT("op"), "op", &(const struct cel_type){ .kind = CEL_STRING } },
        { SLICE_INIT("from"), "from", &(const struct cel_type){ .kind = CEL_STRING } },
        { SLICE_INIT("path"), "path", &(const struct cel_type){ .kind = CEL_STRING } },
        { SLICE_INIT("value"), "value", &(const struct cel_type){ .kind = CEL_DYN } },
};
static const struct cel_type patch_type = { .kind = CEL_OBJECT,
                                            .name = "JSONPatch",
                                            .fields = patch_fields,
                                            .field_count = ARRAY_LEN(patch_fields) };

static bool has_patch_types(const struct cel_program *program) {
        return program->wants == CEL_WANTS_OBJECT || program->wants == CEL_WANTS_PATCHES;
}

/* Object and what is in it, such as Object.spec; NULL when there is no such type. */
static const struct cel_type *made_type(struct cel_checker *checker, struct slice name) {
        if (!has_patch_types(checker->program))
                return NULL;
        if (slice_is(name, patch_type.name))
                return &patch_type;
        if (!slice_is(name, "Object") && !slice_has_prefix(name, SLICE_LITERAL("Object.")))
                return NULL;
        struct cel_type *type = ARENA_NEW(checker->arena, struct cel_type);
        *type = (struct cel_type){ .kind = CEL_OBJECT, .name = arena_string(checker->arena, name) };
        return type;
}

/* By the escaped name, or by its own between backquotes. */
static const struct cel_type *field_type(const struct cel_type *from, struct slice name) {
        if (from->name && from != &patch_type) /* an Object has every field */
                return cel_type_basic(CEL_DYN);
        for (size_t i = 0; i < from->field_count; i++) {
                const struct cel_field *field = &from->fields[i];

                if (slice_is(name, field->escaped) ||
                    (is_quoted(name) && slice_eq(name, field->name)))
                        return field->type;
        }
        return NULL;
}

static bool is_authorizer(const struct cel_checker *checker, struct slice name) {
        const struct cel_admission *admission = checker->program->admission;

        return admission && admission->has_authorizer &&
               (slice_is(name, "authorizer") || slice_is(name, "authorizer.requestResource"));
}

static int check_name(struct cel_checker *checker, const struct scope *scope,
                      struct cel_node *node) {
        for (; scope; scope = scope->up) {
                if (!slice_eq(scope->name, node->name))
                        continue;
                node->type = scope->type;
                return 0;
        }
        if (checker->program->is_environment)
                node->type = field_type(checker->program->self, node->name);
        else if (slice_eq(node->name, checker->program->name))
                node->type = checker->program->self;
        if (is_authorizer(checker, node->name)) {
                node->type = cel_type_basic(CEL_DYN);
                checker->program->unsupported = "authorizer";
        }
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

                size_t before = checker->complaint_count;
                struct err ignored = { 0 };
                program->variable_limit = index;
                int r = cel_parse(checker->arena, variable->expression, &root, &ignored);
                r = r < 0 ? r : cel_check_check(checker, NULL, root);
                program->variable_limit = limit;
                if (r < 0 || checker->complaint_count > before) { /* reported where it is defined */
                        checker->complaint_count = before;
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

static int check_select(struct cel_checker *checker, const struct scope *scope,
                        struct cel_node *node) {
        int code = 0;

        if (is_variable(checker, node, &code))
                return code;
        if (cel_check_check(checker, scope, node->args[0]) < 0)
                return BERTH_ERR_INVALID;
        const struct cel_type *given = node->args[0]->type;
        const struct cel_type *from = cel_check_strip(given);
        if (from->kind == CEL_OBJECT)
                node->type = field_type(from, node->name);
        else if (from->kind == CEL_MAP || is_dyn(from))
                node->type = is_dyn(from) ? cel_type_basic(CEL_DYN) : from->element;
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
        const struct cel_type *given = node->args[0]->type, *from = cel_check_strip(given);
        const struct cel_type *index = node->args[1]->type;

        node->name = SLICE_LITERAL("_[_]");
        if (is_dyn(from))
                node->type = cel_type_basic(CEL_DYN);
        else if (from->kind == CEL_LIST && cel_matches_kind(CEL_INT, index->kind))
                node->type = from->element;
        else if (from->kind == CEL_MAP && is_comparable(from->key, index))
                node->type = from->element;
        else
                return fail_overload(checker, node);
        if (node->is_optional || given != from)
                node->type = cel_type_made(checker->arena, CEL_OPTIONAL, NULL, node->type);
        return 0;
}

/* ---- functions ---- */

static bool cel_check_takes(const struct cel_function *function, const struct cel_node *node) {
        if (function->count != node->arg_count)
                return false;
        for (size_t i = 0; i < node->arg_count; i++) {
                if (!cel_matches_kind(function->params[i], node->args[i]->type->kind))
                        return false;
        }
        return true;
}

static const struct cel_type *list_of_strings(struct cel_checker *checker) {
        return cel_type_made(checker->arena, CEL_LIST, NULL, cel_type_basic(CEL_STRING));
}

static const struct cel_type *cel_check_returned(struct cel_checker *checker,
                                                 const struct cel_function *function,
                                                 const struct cel_node *node) {
        const struct cel_type *first = node->arg_count ? node->args[0]->type : NULL;

        switch (function->returns) {
        case CEL_SAME:
                if (is_dyn(first) && function->params[0] == CEL_LIST)
                        return cel_type_basic(CEL_LIST);
                return is_dyn(first) && node->arg_count > 1 && !node->is_member
                               ? node->args[1]->type
                               : first;
        case CEL_FIRST_ELEMENT:
                return is_dyn(first) ? first : first->element;
        case CEL_STRINGS:
                return list_of_strings(checker);
        case CEL_INTS:
                return cel_type_made(checker->arena, CEL_LIST, NULL, cel_type_basic(CEL_INT));
        case CEL_WRAPPED:
                return cel_type_made(checker->arena, CEL_OPTIONAL, NULL, first);
        case CEL_OPTIONAL_STRINGS:
                return cel_type_made(checker->arena, CEL_OPTIONAL, NULL, list_of_strings(checker));
        case CEL_OPTIONAL_FORMAT:
                return cel_type_made(checker->arena, CEL_OPTIONAL, NULL,
                                     cel_type_basic(CEL_FORMAT));
        case CEL_MAP_OF_STRINGS:
                return cel_type_made(checker->arena, CEL_MAP, cel_type_basic(CEL_STRING),
                                     list_of_strings(checker));
        default:
                return cel_type_basic((enum cel_kind)function->returns);
        }
}

/* A constant pattern is compiled once, and refused when it is none. */
static int keep_pattern(struct cel_checker *checker, struct cel_node *node) {
        struct cel_program *program = checker->program;
        const struct cel_node *pattern = node->arg_count == 2 ? node->args[1] : NULL;
        struct err why = { 0 };

        if (!slice_is(node->name, "matches") || !pattern || pattern->kind != CEL_NODE_LITERAL)
                return 0;
        node->regex = regex_new(pattern->literal.as.text, &why);
        if (!node->regex)
                return err_set(checker->err, BERTH_ERR_INVALID,
                               "program instantiation failed: error parsing regexp: %s", why.text);
        program->regexes = xreallocarray(program->regexes, program->regex_count + 1,
                                         sizeof(program->regexes[0]));
        program->regexes[program->regex_count++] = node;
        return 0;
}

static int check_call(struct cel_checker *checker, struct cel_node *node) {
        const struct cel_type *result = NULL;
        const struct cel_function *function;
        bool is_known = false,
             is_other = (slice_is(node->name, "includes") && !checker->program->has_includes) ||
                        (slice_is(node->name, "jsonpatch.escapeKey") &&
                         !has_patch_types(checker->program));
        size_t at = 0;

        while (!is_other && (function = cel_function_next(node->name, node->is_member, &at))) {
                is_known = true;
                if (cel_check_takes(function, node))
                        result =
                                cel_check_join(result, cel_check_returned(checker, function, node));
        }
        if (!is_known && cel_is_unsupported(node->name)) {
                checker->program->unsupported = arena_string(checker->arena, node->name);
                node->type = cel_type_basic(CEL_DYN);
                return 0;
        }
        if (!is_known)
                return cel_check_fail(checker, node,
                                      arena_printf(checker->arena,
                                                   "undeclared reference to '" SLICE_FMT
                                                   "' (in container '')",
                                                   SLICE_ARG(node->name)));
        if (!result)
                return fail_overload(checker, node);
        node->type = result;
        struct err late = { 0 };
        if (cel_check_literals(checker->arena, checker->program, node, &late) < 0 &&
            !checker->late.code)
                checker->late = late;
        return keep_pattern(checker, node);
}

/* ---- macros ---- */

static const struct cel_type *macro_type(struct cel_checker *checker, const struct cel_node *node) {
        const struct cel_type *from = node->args[0]->type;
        const struct cel_type *last = node->args[node->arg_count - 1]->type;

        switch (node->macro) {
        case CEL_MAP_EACH:
        case CEL_TRANSFORM_LIST:
                return cel_type_made(checker->arena, CEL_LIST, NULL, last);
        case CEL_TRANSFORM_MAP:
                return cel_type_made(checker->arena, CEL_MAP,
                                     from->kind == CEL_MAP    ? from->key
                                     : from->kind == CEL_LIST ? cel_type_basic(CEL_INT)
                                                              : from,
                                     last);
        case CEL_SORT_BY:
        case CEL_FILTER:
                if (from->kind == CEL_MAP)
                        return cel_type_made(checker->arena, CEL_LIST, NULL, from->key);
                return is_dyn(from) ? cel_type_basic(CEL_LIST)
                                    : cel_type_made(checker->arena, CEL_LIST, NULL, from->element);
        default:
                return cel_type_basic(CEL_BOOL);
        }
}

static bool wants_bool(const struct cel_node *node, size_t arg) {
        bool is_last = arg + 1 == node->arg_count;

        return !is_last || (node->macro != CEL_MAP_EACH && node->macro != CEL_TRANSFORM_LIST &&
                            node->macro != CEL_SORT_BY && node->macro != CEL_TRANSFORM_MAP);
}

/* Types of the variables: of a list its elements (behind positions), of a map its keys (and
 * values).
 */
static void macro_scopes(const struct cel_node *node, struct scope *first, struct scope *second) {
        const struct cel_type *from = node->args[0]->type, *dyn = cel_type_basic(CEL_DYN);
        bool is_any = is_dyn(from);

        first->name = node->variables[0];
        first->type = dyn;
        if (!is_any && from->kind == CEL_MAP)
                first->type = from->key;
        else if (!is_any)
                first->type = node->variable_count == 2 ? cel_type_basic(CEL_INT) : from->element;
        second->up = first;
        second->name = node->variables[1];
        second->type = is_any ? dyn : from->element;
}

static int check_macro(struct cel_checker *checker, const struct scope *scope,
                       struct cel_node *node) {
        struct scope first = { .up = scope }, second;

        if (cel_check_check(checker, scope, node->args[0]) < 0)
                return BERTH_ERR_INVALID;
        const struct cel_type *from = node->args[0]->type;
        if (from->kind != CEL_DYN && from->kind != CEL_LIST && from->kind != CEL_MAP)
                return cel_check_fail(checker, node->args[0],
                                      arena_printf(checker->arena,
                                                   "expression of type '%s' cannot be range of a "
                                                   "comprehension (must be list, map, or dynamic)",
                                                   from->kind == CEL_ANY
                                                           ? "any"
                                                           : cel_type_text(checker->arena, from)));
        macro_scopes(node, &first, &second);
        for (size_t i = 1; i < node->arg_count; i++) {
                struct cel_node *arg = node->args[i];

                if (cel_check_check(checker, node->variable_count == 2 ? &second : &first, arg) < 0)
                        return BERTH_ERR_INVALID;
                if (wants_bool(node, i) && !cel_matches_kind(CEL_BOOL, arg->type->kind))
                        return cel_check_fail(
                                checker, arg,
                                arena_printf(checker->arena,
                                             "found no matching overload for '_&&_' applied to "
                                             "'(bool, %s)'",
                                             cel_type_text(checker->arena, arg->type)));
        }
        node->type = macro_type(checker, node);
        return 0;
}

static int check_bind(struct cel_checker *checker, const struct scope *scope,
                      struct cel_node *node) {
        bool is_map = node->kind == CEL_NODE_OPTIONAL_MAP;
        struct scope inner = { scope, node->variables[0], NULL };

        if (cel_check_check(checker, scope, node->args[0]) < 0)
                return BERTH_ERR_INVALID;
        inner.type = is_map ? cel_check_strip(node->args[0]->type) : node->args[0]->type;
        if (is_map && !cel_matches_kind(CEL_OPTIONAL, node->args[0]->type->kind))
                return fail_overload(checker, node);
        if (cel_check_check(checker, &inner, node->args[1]) < 0)
                return BERTH_ERR_INVALID;
        const struct cel_type *last = node->args[1]->type;
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
                        return fail_overload(checker, node);
                }
                cel_check_fail(checker, arg,
                               arena_printf(checker->arena, "expected type 'bool' but found '%s'",
                                            cel_type_text(checker->arena, arg->type)));
        }
        node->type = cel_type_basic(CEL_BOOL);
        return 0;
}

static int check_relation(struct cel_checker *checker, struct cel_node *node) {
        const struct cel_type *a = node->args[0]->type, *b = node->args[1]->type;
        bool is_fine = node->kind == CEL_NODE_RELATION ? has_order(a, b) : is_comparable(a, b);

        if (node->kind == CEL_NODE_IN)
                is_fine = is_dyn(b) || (b->kind == CEL_LIST && is_comparable(a, b->element)) ||
                          (b->kind == CEL_MAP && is_comparable(a, b->key));
        if (!is_fine)
                return fail_overload(checker, node);
        node->type = cel_type_basic(CEL_BOOL);
        return 0;
}

static int check_conditional(struct cel_checker *checker, struct cel_node *node) {
        const struct cel_type *a = node->args[1]->type, *b = node->args[2]->type;

        node->name = SLICE_LITERAL("_?_:_");
        if (!cel_matches_kind(CEL_BOOL, node->args[0]->type->kind) || !is_comparable(a, b))
                return fail_overload(checker, node);
        node->type = cel_check_join(a, b);
        return 0;
}

/* Lists and maps have values of one type, but for the arguments of format(). */
static int check_literal(struct cel_checker *checker, struct cel_node *node) {
        bool is_map = node->kind == CEL_NODE_MAP;
        const struct cel_type *parts[2] = { NULL, NULL };

        for (size_t i = 0; i < node->arg_count; i++) {
                const struct cel_type **part = &parts[is_map && i % 2 == 0];
                const struct cel_type *type = node->args[i]->type;

                if (node->args[i]->is_optional_element)
                        type = cel_check_strip(type);
                if (*part && !node->is_mixed && !is_comparable(*part, type))
                        fail_late(checker, node->args[i],
                                  arena_printf(checker->arena, "expected type '%s' but found '%s'",
                                               cel_type_text(checker->arena, *part),
                                               cel_type_text(checker->arena, type)));
                *part = cel_check_join(*part, type);
        }
        for (int i = 0; i < 2; i++)
                parts[i] = parts[i] ? parts[i] : cel_type_basic(CEL_DYN);
        node->type = cel_type_made(checker->arena, is_map ? CEL_MAP : CEL_LIST,
                                   is_map ? parts[1] : NULL, parts[0]);
        return 0;
}

static int check_object(struct cel_checker *checker, struct cel_node *node) {
        node->type = made_type(checker, node->name);
        if (!node->type)
                return cel_check_fail(checker, node,
                                      arena_printf(checker->arena,
                                                   "undeclared reference to '" SLICE_FMT
                                                   "' (in container '')",
                                                   SLICE_ARG(node->name)));
        for (size_t i = 0; i + 1 < node->arg_count; i += 2) {
                struct slice name = node->args[i]->literal.as.text;
                const struct cel_type *wanted = field_type(node->type, name);
                const struct cel_type *type = node->args[i + 1]->type;

                if (!wanted)
                        return cel_check_fail(checker, node->args[i],
                                              arena_printf(checker->arena,
                                                           "undefined field '" SLICE_FMT "'",
                                                           SLICE_ARG(name)));
                if (node->args[i + 1]->is_optional_element)
                        type = cel_check_strip(type);
                if (!is_dyn(wanted) && !is_dyn(type) && type->kind != wanted->kind)
                        return cel_check_fail(checker, node->args[i],
                                              arena_printf(checker->arena,
                                                           "expected type of field '" SLICE_FMT
                                                           "' is '%s' but provided type is '%s'",
                                                           SLICE_ARG(name),
                                                           cel_type_text(checker->arena, wanted),
                                                           cel_type_text(checker->arena, type)));
        }
        return 0;
}

static int check_with_args(struct cel_checker *checker, struct cel_node *node) {
        switch (node->kind) {
        case CEL_NODE_INDEX:
                return check_index(checker, node);
        case CEL_NODE_CALL:
                return check_call(checker, node);
        case CEL_NODE_LIST:
        case CEL_NODE_MAP:
                return check_literal(checker, node);
        case CEL_NODE_OBJECT:
                return check_object(checker, node);
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

static int check_node(struct cel_checker *checker, const struct scope *scope,
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

static int cel_check_check(struct cel_checker *checker, const struct scope *scope,
                           struct cel_node *node) {
        int r = check_node(checker, scope, node);

        node->type = node->type ? node->type : cel_type_basic(CEL_DYN);
        return r;
}

static int check_made(struct arena *arena, const struct cel_program *program, struct err *err) {
        bool is_list = program->wants == CEL_WANTS_PATCHES;
        const struct cel_type *type = program->root->type;
        const char *wanted = is_list ? "list(JSONPatch)" : "Object";
        const char *text = cel_type_text(arena, type);

        return strcmp(text, wanted) == 0 || program->unsupported
                       ? 0
                       : err_set(err, BERTH_ERR_INVALID, "must evaluate to %s but got %s", wanted,
                                 text);
}

/* What the whole of it has to be. */
static int check_result(struct arena *arena, const struct cel_program *program, struct err *err) {
        enum cel_kind wanted = program->wants == CEL_WANTS_STRING ? CEL_STRING : CEL_BOOL;

        if (program->wants == CEL_WANTS_ANYTHING)
                return 0;
        if (has_patch_types(program))
                return check_made(arena, program, err);
        /* As upstream: a rule of unknown type is refused too. */
        if (program->root->type->kind == wanted || program->unsupported)
                return 0;
        if (program->wants == CEL_WANTS_BOOL_OR_ANY)
                return program->root->type->kind == CEL_ANY ||
                                       (program->has_includes && is_dyn(program->root->type))
                               ? 0
                               : err_set(err, BERTH_ERR_INVALID,
                                         "must evaluate to bool or the unknown type, not %s",
                                         cel_type_text(arena, program->root->type));
        if (program->is_environment)
                return err_set(err, BERTH_ERR_INVALID, "must evaluate to %s but got %s",
                               wanted == CEL_BOOL ? "bool" : "string",
                               cel_type_text(arena, program->root->type));
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
        if (cel_check_check(&checker, NULL, program->root) < 0 || complaints_write(&checker) < 0) {
                bool asks = program->unsupported && strcmp(program->unsupported, "authorizer") == 0;

                /* Functions of the authorizer are not known here. */
                program->root->type = cel_type_basic(CEL_DYN);
                return asks ? 0 : BERTH_ERR_INVALID;
        }
        return check_result(arena, program, err);
}
