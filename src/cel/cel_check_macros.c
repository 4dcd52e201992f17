/* Types of macros. Upstream makes a loop of each, whose step is refused in the loop's words. */
#include "cel/cel_check_priv.h"
#include "cel/cel_function.h"

static const struct cel_type *map_type(struct cel_checker *checker, const struct cel_type *from,
                                       const struct cel_type *value) {
        const struct cel_type *key = from->kind == CEL_MAP    ? from->key
                                     : from->kind == CEL_LIST ? cel_type_basic(CEL_INT)
                                                              : from;

        return cel_type_made(checker->arena, CEL_MAP, key, value);
}

static const struct cel_type *macro_type(struct cel_checker *checker, const struct cel_node *node) {
        const struct cel_type *from = node->args[0]->type;
        const struct cel_type *last = node->args[node->arg_count - 1]->type;

        switch (node->macro) {
        case CEL_MAP_EACH:
        case CEL_TRANSFORM_LIST:
                return cel_type_made(checker->arena, CEL_LIST, NULL, last);
        case CEL_TRANSFORM_MAP:
                return map_type(checker, from, last);
        case CEL_TRANSFORM_ENTRY:
                return last;
        case CEL_SORT_BY:
        case CEL_FILTER:
                if (from->kind == CEL_MAP)
                        return cel_type_made(checker->arena, CEL_LIST, NULL, from->key);
                return cel_type_is_dyn(from)
                               ? cel_type_basic(CEL_LIST)
                               : cel_type_made(checker->arena, CEL_LIST, NULL, from->element);
        default:
                return cel_type_basic(CEL_BOOL);
        }
}

void cel_macro_scopes(const struct cel_node *node, struct cel_scope *first,
                      struct cel_scope *second) {
        const struct cel_type *from = node->args[0]->type, *dyn = cel_type_basic(CEL_DYN);
        bool is_any = cel_type_is_dyn(from);

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

/* ---- steps ---- */

/* Its loop goes on with "condition ? step : what there is". */
static bool is_conditional(const struct cel_node *node) {
        return node->macro == CEL_EXISTS_ONE || node->macro == CEL_FILTER || node->arg_count == 3;
}

static int check_condition(struct cel_checker *checker, const struct cel_node *node) {
        const struct cel_node *condition = node->args[1];

        if (cel_matches_kind(CEL_BOOL, condition->type->kind))
                return 0;
        if (!is_conditional(node))
                return cel_check_fail_bool(checker, condition);
        const char *made =
                cel_type_text(checker->arena,
                              node->macro == CEL_EXISTS_ONE ? cel_type_basic(CEL_INT) : node->type);

        return cel_check_fail(checker, node,
                              arena_printf(checker->arena,
                                           "found no matching overload for '_?_:_' applied to "
                                           "'(%s, %s, %s)'",
                                           cel_type_text(checker->arena, condition->type), made,
                                           made));
}

/* An entry is written as a map; what is made of anything else has any type. */
static int check_entry(struct cel_checker *checker, struct cel_node *node) {
        const struct cel_type *entry = node->args[node->arg_count - 1]->type;

        if (entry->kind == CEL_MAP || cel_type_is_dyn(entry))
                return 0;
        node->type = cel_type_basic(CEL_DYN);
        return cel_check_fail(checker, node,
                              arena_printf(checker->arena,
                                           "found no matching overload for 'cel.@mapInsert' "
                                           "applied to '(map(dyn, dyn), %s)'",
                                           cel_type_text(checker->arena, entry)));
}

/* Elements are sorted by a list of what each one has. */
static int check_sort_key(struct cel_checker *checker, struct cel_node *node) {
        const struct cel_type *key = node->args[node->arg_count - 1]->type;
        const char *list = cel_type_text(checker->arena, node->type);

        if (cel_types_have_order(key, key))
                return 0;
        node->type = cel_type_basic(CEL_DYN);
        return cel_check_fail(checker, node,
                              arena_printf(checker->arena,
                                           "found no matching overload for "
                                           "'@sortByAssociatedKeys' applied to '%s.(list(%s))'",
                                           list, cel_type_text(checker->arena, key)));
}

static bool has_condition(const struct cel_node *node) {
        switch (node->macro) {
        case CEL_ALL:
        case CEL_EXISTS:
                return true;
        default:
                return is_conditional(node);
        }
}

int cel_check_fail_range(struct cel_checker *checker, const struct cel_node *node) {
        const struct cel_type *from = node->args[0]->type;

        return cel_check_fail(
                checker, node->args[0],
                arena_printf(checker->arena,
                             "expression of type '%s' cannot be range of a "
                             "comprehension (must be list, map, or dynamic)",
                             from->kind == CEL_ANY ? "any" : cel_type_text(checker->arena, from)));
}

int cel_check_loop(struct cel_checker *checker, struct cel_node *node) {
        node->type = macro_type(checker, node);
        int r = has_condition(node) ? check_condition(checker, node) : 0;
        if (r == 0 && node->macro == CEL_TRANSFORM_ENTRY)
                r = check_entry(checker, node);
        if (r == 0 && node->macro == CEL_SORT_BY)
                r = check_sort_key(checker, node);
        return r;
}
