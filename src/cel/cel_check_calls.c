/* Types of calls: which overloads take the arguments, and what they return. */
#include "cel/cel_check_priv.h"

#include "base/util.h"
#include "cel/cel_function.h"
#include <string.h>

static bool cel_check_fits(enum cel_fit fit, const struct cel_node *node) {
        const struct cel_type *first = node->args[0]->type;
        const struct cel_type *second = node->arg_count > 1 ? node->args[1]->type : NULL;
        const struct cel_type *element = cel_type_is_dyn(first) ? first : first->element;

        if (fit == CEL_FIT_SAME)
                return cel_types_compare(first, second);
        if (!element || cel_type_is_dyn(element) || element->kind == CEL_NULL)
                return true;
        return fit == CEL_FIT_ELEMENT ? cel_types_compare(element, second)
                                      : cel_fit_takes(fit, element->kind);
}

static bool cel_check_takes(const struct cel_function *function, const struct cel_node *node) {
        if (function->count != node->arg_count)
                return false;
        for (size_t i = 0; i < node->arg_count; i++) {
                enum cel_kind param = function->params[i], given = node->args[i]->type->kind;
                /* null is a time as well as nothing, until the program runs */
                bool is_time =
                        given == CEL_NULL && (param == CEL_TIMESTAMP || param == CEL_DURATION);

                if (!is_time && !cel_matches_kind(param, given))
                        return false;
        }
        return function->fit == CEL_FIT_ANY || cel_check_fits(function->fit, node);
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
                if (cel_type_is_dyn(first) && function->params[0] == CEL_LIST)
                        return cel_type_basic(CEL_LIST);
                return cel_type_is_dyn(first) && node->arg_count > 1 &&
                                       (!node->is_member || function->fit == CEL_FIT_SAME)
                               ? node->args[1]->type
                               : first;
        case CEL_FIRST_ELEMENT:
                return cel_type_is_dyn(first) ? first : first->element;
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
        case CEL_OPTIONAL_ELEMENT:
                return cel_type_made(checker->arena, CEL_OPTIONAL, NULL,
                                     cel_type_is_dyn(first) ? first : first->element);
        case CEL_MAP_OF_STRINGS:
                return cel_type_made(checker->arena, CEL_MAP, cel_type_basic(CEL_STRING),
                                     list_of_strings(checker));
        default:
                return cel_type_basic((enum cel_kind)function->returns);
        }
}

/* A constant pattern is compiled once, and refused when it is none. */
static void keep_pattern(struct cel_checker *checker, struct cel_node *node) {
        struct cel_program *program = checker->program;
        const struct cel_node *pattern = node->arg_count == 2 ? node->args[1] : NULL;

        if (!slice_is(node->name, "matches") || !pattern || pattern->kind != CEL_NODE_LITERAL)
                return;
        node->regex = regex_new(pattern->literal.as.text, NULL);
        if (!node->regex) {
                cel_check_fail_late(checker, pattern, "invalid matches argument");
                return;
        }
        program->regexes = xreallocarray(program->regexes, program->regex_count + 1,
                                         sizeof(program->regexes[0]));
        program->regexes[program->regex_count++] = node;
}

static bool is_declared(const struct cel_node *node) {
        size_t at = 0;

        return cel_function_next(node->name, !node->is_member, &at);
}

/* Of a name with a dot, what stands in front of it is no variable either. */
static int fail_undeclared(struct cel_checker *checker, const struct cel_node *node) {
        static const char text[] = "undeclared reference to '" SLICE_FMT "' (in container '')";
        struct slice name = node->name, space;
        size_t start = node->at - name.len;

        if (memchr(name.ptr, '.', name.len)) {
                slice_split(&name, '.', &space);
                cel_check_fail_at(checker, start,
                                  arena_printf(checker->arena, text, SLICE_ARG(space)));
        }
        return cel_check_fail(checker, node, arena_printf(checker->arena, text, SLICE_ARG(name)));
}

int cel_check_call(struct cel_checker *checker, struct cel_node *node) {
        const struct cel_type *result = NULL;
        const struct cel_function *function;
        bool is_known = false,
             is_other = (slice_is(node->name, "includes") && !checker->program->has_includes) ||
                        (slice_is(node->name, "jsonpatch.escapeKey") &&
                         !cel_check_has_objects(checker->program));
        size_t at = 0;

        while (!is_other && (function = cel_function_next(node->name, node->is_member, &at))) {
                is_known = true;
                if (cel_check_takes(function, node))
                        result =
                                cel_types_join(result, cel_check_returned(checker, function, node));
        }
        if (!is_known && (is_other || !is_declared(node)))
                return fail_undeclared(checker, node);
        if (!result)
                return cel_check_fail_overload(checker, node);
        node->type = result;
        cel_check_literals(checker, node);
        keep_pattern(checker, node);
        return 0;
}
