/* What calls of functions cost at most, and how large what they return may be. */
#include "base/util.h"
#include "cel/cel_access.h"
#include "cel/cel_estimate_priv.h"

#define REGEX 0.25
#define FORMAT_REGEX_MAX 128

struct call {
        const struct cel_node *node;
        const struct estimate *args; /* the target is the first */
        struct estimate *value;
};

static struct extent call_size(const struct call *call, size_t index) {
        return index < call->node->arg_count ? extent_of(&call->args[index]) : UNKNOWN_EXTENT;
}

static void call_set_size(struct call *call, struct extent size) {
        call->value->has_size = true;
        call->value->size = size;
}

static uint64_t cost_of_walk(struct call *call) {
        return cost_scaled(call_size(call, 0).max, TRAVERSAL);
}

static uint64_t cost_of_copy(struct call *call) {
        call_set_size(call, call_size(call, 0));
        return cost_of_walk(call);
}

static uint64_t cost_of_two_walks(struct call *call) {
        return cost_scaled(call_size(call, 0).max, 2 * TRAVERSAL);
}

static uint64_t cost_of_check(struct call *call) {
        (void)call;
        return CEL_ACCESS_COST;
}

/* Each element is compared; those that are texts are read. */
static uint64_t cost_of_elements(struct call *call) {
        const struct cel_type *type = call->node->args[0]->type;
        const struct estimate *list = &call->args[0];
        struct extent size = call_size(call, 0);
        const struct cel_type *place = place_element(list);

        if (type->kind != CEL_LIST)
                return cel_type_is_dyn(type) ? size.max : cost_scaled(size.max, TRAVERSAL);
        if (!is_text_type(type->element))
                return size.max;
        return cost_times(
                size.max,
                cost_plus(1, cost_scaled(place ? place->max_elements : UNBOUNDED, TRAVERSAL)));
}

/* How often a text can be replaced, and what that makes of it. */
static struct extent replaced_size(struct extent size, struct extent old, struct extent fresh) {
        struct extent count = { 0, 0 }, retained = { 0, 0 };

        if (old.min == 0) {
                count.max = cost_plus(size.max, 1);
                retained.max = size.max;
        } else if (fresh.max <= old.min) {
                retained.max = size.max;
        } else {
                count.max = cost_scaled(size.max, 1 / (double)old.min);
        }
        if (old.max == 0) {
                count.min = cost_plus(size.min, 1);
                retained.min = size.min;
        } else if (old.max <= fresh.min) {
                retained.min = size.min;
        } else {
                count.min = cost_scaled(size.min, 1 / (double)old.max);
        }
        return extent_plus(extent_times(count, fresh), retained);
}

static uint64_t cost_of_replace(struct call *call) {
        call_set_size(call,
                      replaced_size(call_size(call, 0), call_size(call, 1), call_size(call, 2)));
        return cost_of_two_walks(call);
}

static uint64_t cost_of_split(struct call *call) {
        const struct cel_node *limit = call->node->arg_count > 2 ? call->node->args[2] : NULL;
        uint64_t max = call_size(call, 0).max;

        if (limit && limit->kind == CEL_NODE_LITERAL && limit->literal.kind == CEL_INT)
                max = (uint64_t)limit->literal.as.integer;
        call_set_size(call, (struct extent){ 0, max });
        return cost_of_two_walks(call);
}

static uint64_t cost_of_join(struct call *call) {
        const struct cel_type *place = place_element(&call->args[0]);
        struct extent list = call_size(call, 0);
        struct extent element = place ? (struct extent){ 0, place->max_elements } : UNKNOWN_EXTENT;
        bool is_list = call->node->args[0]->type->kind == CEL_LIST;
        struct extent size = is_list ? extent_times(list, element) : (struct extent){ 0, 0 };
        struct extent gaps = { list.min ? list.min - 1 : 0, list.max ? list.max - 1 : 0 };

        if (call->node->arg_count > 1)
                size = extent_plus(size, extent_times(call_size(call, 1), gaps));
        call_set_size(call, size);
        return cost_scaled(size.max, TRAVERSAL);
}

static uint64_t cost_of_matches(struct call *call) {
        return cost_times(cost_scaled(cost_plus(call_size(call, 0).max, 1), TRAVERSAL),
                          cost_scaled(call_size(call, 1).max, REGEX));
}

static uint64_t cost_of_find(struct call *call) {
        call_set_size(call, (struct extent){ 0, call_size(call, 0).max });
        return cost_of_matches(call);
}

static uint64_t cost_of_contains(struct call *call) {
        return cost_times(cost_of_walk(call), cost_scaled(call_size(call, 1).max, TRAVERSAL));
}

static uint64_t cost_of_affix(struct call *call) {
        return cost_scaled(call_size(call, 1).max, TRAVERSAL);
}

static uint64_t cost_of_validate(struct call *call) {
        return cost_scaled(cost_scaled(call_size(call, 1).max, TRAVERSAL),
                           FORMAT_REGEX_MAX * REGEX);
}

#define ADDRESSES_MAX 16 /* bytes of an address */
static uint64_t cost_of_network(struct call *call) {
        bool is_network = slice_is(call->node->name, "containsCIDR");
        uint64_t cost = cost_scaled(2 * ADDRESSES_MAX, TRAVERSAL);

        if (is_network)
                cost += cost_scaled(ADDRESSES_MAX, TRAVERSAL) + 1;
        if (is_text_type(call->node->args[1]->type) || cel_type_is_dyn(call->node->args[1]->type))
                cost = cost_plus(cost, cost_scaled(call_size(call, 1).max, TRAVERSAL));
        return cost;
}

static uint64_t cost_of_bytes(struct call *call) {
        struct extent size = call_size(call, 0);

        const struct cel_type *type = call->node->args[0]->type;

        if (!is_text_type(type) && !cel_type_is_dyn(type))
                return 1;
        call_set_size(call, slice_is(call->node->name, "bytes")
                                    ? (struct extent){ size.min, cost_times(size.max, 4) }
                                    : (struct extent){ size.min / 4, size.max });
        return cost_of_walk(call);
}

/* string() of a string is O(1). */
static uint64_t cost_of_string(struct call *call) {
        const struct cel_type *type = call->node->args[0]->type;

        return type->kind == CEL_BYTES || cel_type_is_dyn(type) ? cost_of_bytes(call) : 1;
}

static uint64_t cost_of_quote(struct call *call) {
        struct extent size = call_size(call, 0);

        call_set_size(call, (struct extent){ cost_plus(size.min, 2),
                                             cost_plus(cost_times(size.max, 2), 2) });
        return cost_of_walk(call);
}

static uint64_t cost_of_sum(struct call *call) {
        const struct cel_type *left = call->node->args[0]->type, *right = call->node->args[1]->type;
        const struct estimate *a = &call->args[0], *b = &call->args[1];
        bool is_list = left->kind == CEL_LIST || right->kind == CEL_LIST;
        bool is_any = cel_type_is_dyn(left) && cel_type_is_dyn(right);

        if (!is_list && !is_any && !is_text_type(left) && !is_text_type(right))
                return 1;
        struct extent size = extent_plus(extent_of(a), extent_of(b));
        call_set_size(call, size);
        call->value->has_entries = a->has_entries && b->has_entries;
        call->value->is_list = is_list;
        call->value->keys = extent_union(a->keys, b->keys);
        call->value->values = extent_union(a->values, b->values);
        return is_list ? 1 : cost_scaled(size.max, TRAVERSAL);
}

/* ---- lists ---- */

static uint64_t cost_of_new_list(struct call *call, struct extent size, double factor) {
        call_set_size(call, size);
        return cost_plus(cost_scaled(size.max, factor), 11);
}

static uint64_t literal_or(const struct call *call, size_t index, uint64_t otherwise) {
        const struct cel_node *node =
                index < call->node->arg_count ? call->node->args[index] : NULL;

        if (!node || node->kind != CEL_NODE_LITERAL || node->literal.kind != CEL_INT)
                return otherwise;
        return node->literal.as.integer < 0 ? 0 : (uint64_t)node->literal.as.integer;
}

static uint64_t cost_of_slice(struct call *call) {
        uint64_t count = literal_or(call, 2, call_size(call, 0).max) - literal_or(call, 1, 0);

        return cost_of_new_list(call, (struct extent){ count, count }, 1);
}

static uint64_t cost_of_range(struct call *call) {
        uint64_t count = literal_or(call, 0, UNBOUNDED);

        return cost_of_new_list(call, (struct extent){ count, count }, 1);
}

static uint64_t cost_of_reverse(struct call *call) {
        return cost_of_new_list(call, call_size(call, 0), 1);
}

static uint64_t cost_of_flatten(struct call *call) {
        uint64_t depth = call->node->arg_count > 1 ? literal_or(call, 1, UNBOUNDED) : 1;

        return cost_of_new_list(call, call_size(call, 0), (double)depth);
}

/* Each is compared with each. */
static uint64_t cost_of_distinct(struct call *call) {
        return cost_of_new_list(call, extent_times(call_size(call, 0), call_size(call, 0)), 2);
}

double cel_sort_factor(const struct cel_type *element) {
        return is_text_type(element) || cel_type_is_dyn(element) ? 2 + TRAVERSAL : 2;
}

static uint64_t cost_of_sort(struct call *call) {
        const struct cel_type *type = call->node->args[0]->type;

        return cost_of_new_list(call, extent_times(call_size(call, 0), call_size(call, 0)),
                                cel_sort_factor(type->kind == CEL_LIST ? type->element : type));
}

/* Equivalence looks from either side. */
static uint64_t cost_of_sets(struct call *call) {
        bool is_double = slice_is(call->node->name, "sets.equivalent");
        uint64_t pairs = cost_times(call_size(call, 0).max, call_size(call, 1).max);

        return cost_plus(cost_scaled(pairs, is_double ? 2 : 1), 1);
}

/* dyn() is the value itself. */
static uint64_t cost_of_dyn(struct call *call) {
        uint64_t cost = call->value->cost;

        *call->value = call->args[0];
        call->value->cost = cost;
        call->value->place = PLACE_NONE;
        return 1;
}

static uint64_t cost_of_ip(struct call *call) {
        return call->node->is_member ? 1 : cost_of_walk(call);
}

/* All others cost 1. */
static const struct {
        const char *name;
        uint64_t (*cost)(struct call *call);
} functions[] = {
        { "_+_", cost_of_sum },
        { "bytes", cost_of_bytes },
        { "check", cost_of_check },
        { "cidr", cost_of_walk },
        { "contains", cost_of_contains },
        { "containsCIDR", cost_of_network },
        { "containsIP", cost_of_network },
        { "distinct", cost_of_distinct },
        { "dyn", cost_of_dyn },
        { "endsWith", cost_of_affix },
        { "find", cost_of_find },
        { "findAll", cost_of_find },
        { "flatten", cost_of_flatten },
        { "format", cost_of_walk },
        { "indexOf", cost_of_elements },
        { "ip", cost_of_ip },
        { "ip.isCanonical", cost_of_two_walks },
        { "isCIDR", cost_of_walk },
        { "isIP", cost_of_walk },
        { "isQuantity", cost_of_walk },
        { "isSemver", cost_of_walk },
        { "isSorted", cost_of_elements },
        { "join", cost_of_join },
        { "jsonpatch.escapeKey", cost_of_copy },
        { "lastIndexOf", cost_of_elements },
        { "lists.range", cost_of_range },
        { "lowerAscii", cost_of_copy },
        { "matches", cost_of_matches },
        { "max", cost_of_elements },
        { "min", cost_of_elements },
        { "quantity", cost_of_walk },
        { "replace", cost_of_replace },
        { "reverse", cost_of_reverse },
        { "semver", cost_of_walk },
        { "sets.contains", cost_of_sets },
        { "sets.equivalent", cost_of_sets },
        { "sets.intersects", cost_of_sets },
        { "slice", cost_of_slice },
        { "sort", cost_of_sort },
        { "split", cost_of_split },
        { "startsWith", cost_of_affix },
        { "string", cost_of_string },
        { "strings.quote", cost_of_quote },
        { "substring", cost_of_copy },
        { "sum", cost_of_elements },
        { "trim", cost_of_copy },
        { "upperAscii", cost_of_copy },
        { "url", cost_of_copy },
        { "validate", cost_of_validate },
};

uint64_t cel_estimate_call(const struct cel_node *node, const struct estimate *args,
                           struct estimate *value) {
        struct call call = { .node = node, .args = args, .value = value };
        uint64_t cost = 1;

        for (size_t i = 0; node->arg_count && i < ARRAY_LEN(functions); i++)
                if (slice_is(node->name, functions[i].name))
                        cost = functions[i].cost(&call);
        return cost;
}
