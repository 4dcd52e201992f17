/* Which types go together. */
#include "cel/cel_check_priv.h"

#include "cel/cel_function.h"

const struct cel_type *cel_type_strip(const struct cel_type *type) {
        return type->kind == CEL_OPTIONAL ? type->element : type;
}

bool cel_matches_kind(enum cel_kind param, enum cel_kind kind) {
        return param == CEL_DYN || kind == CEL_DYN || kind == CEL_ANY || param == kind;
}

static bool can_be_null(const struct cel_type *type) {
        return type->kind == CEL_NULL ||
               (type->kind >= CEL_TIMESTAMP && type->kind != CEL_LIST && type->kind != CEL_MAP);
}

static bool cel_elements_compare(const struct cel_type *a, const struct cel_type *b) {
        return !a->element || !b->element || cel_types_compare(a->element, b->element);
}

/* Whether values of the types may be equal. */
bool cel_types_compare(const struct cel_type *a, const struct cel_type *b) {
        if (cel_type_is_dyn(a) || cel_type_is_dyn(b))
                return true;
        if (a->name && b->name)
                return strcmp(a->name, b->name) == 0;
        if (a->kind == CEL_NULL || b->kind == CEL_NULL)
                return can_be_null(a) && can_be_null(b);
        if (a->kind == CEL_MAP && b->kind == CEL_MAP)
                return cel_types_compare(a->key, b->key) &&
                       cel_types_compare(a->element, b->element);
        if ((a->kind == CEL_LIST || a->kind == CEL_OPTIONAL) && a->kind == b->kind)
                return cel_elements_compare(a, b);
        return a->kind == b->kind;
}

/* Any is one type, too. */
bool cel_types_same(const struct cel_type *a, const struct cel_type *b) {
        if (a == b)
                return true;
        if (a->kind != b->kind || (a->name && b->name && strcmp(a->name, b->name) != 0))
                return false;
        if (a->kind == CEL_MAP && !cel_types_same(a->key, b->key))
                return false;
        return !a->element || !b->element || cel_types_same(a->element, b->element);
}

bool cel_types_have_order(const struct cel_type *a, const struct cel_type *b) {
        if (cel_type_is_dyn(a) || cel_type_is_dyn(b))
                return (cel_type_is_dyn(a) || cel_is_ordered(a->kind)) &&
                       (cel_type_is_dyn(b) || cel_is_ordered(b->kind));
        if (cel_is_number(a->kind) && cel_is_number(b->kind))
                return true;
        return a->kind == b->kind && cel_is_ordered(a->kind);
}

/* One type for both, any where there is none. */
const struct cel_type *cel_types_join(const struct cel_type *a, const struct cel_type *b) {
        if (!a || a->kind == CEL_NULL)
                return b;
        if (b->kind == CEL_NULL)
                return a;
        if (a->kind == CEL_ANY || b->kind == CEL_ANY)
                return cel_type_basic(CEL_ANY);
        return a->kind == b->kind && cel_types_compare(a, b) ? a : cel_type_basic(CEL_DYN);
}
