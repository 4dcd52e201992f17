/* What an expression may cost at most, before it has run, as upstream estimates it for rules of
 * custom resources (cel-go checker/cost.go, and the table of Kubernetes' own functions): sizes come
 * from the bounds of the schema, and where it has none from the largest request. */
#include "cel/cel_estimate.h"

#include "base/util.h"
#include "cel/cel_node.h"
#include <math.h>

#define UNBOUNDED UINT64_MAX
#define TRAVERSAL 0.1
#define REGEX 0.25
#define FORMAT_NAME_MAX 64
#define FORMAT_REGEX_MAX 128
#define REQUEST_MAX ((uint64_t)3 * 1024 * 1024)

struct extent {
        uint64_t min, max;
};
static const struct extent unknown = { 0, UNBOUNDED };

/* Where in the schema a value stands. */
enum cel_place { PLACE_NONE, PLACE_KNOWN, PLACE_LOST };

struct estimate {
        uint64_t cost;
        bool has_size, has_entries;
        struct extent size, keys,
                values; /* of the value; of what a container that was made holds */
        bool is_list;   /* it is a list that was made */
        enum cel_place place;
        const struct cel_type *type; /* at that place */
};

struct estimate_scope {
        const struct estimate_scope *up;
        struct slice name;
        struct estimate value;
};

struct estimator {
        const struct cel_type *root;
};

static struct estimate estimate_node(const struct estimator *estimator,
                                     const struct estimate_scope *scope,
                                     const struct cel_node *node);

/* ---- numbers that do not overflow ---- */

static uint64_t cost_plus(uint64_t a, uint64_t b) {
        return a > UNBOUNDED - b ? UNBOUNDED : a + b;
}

static uint64_t cost_times(uint64_t a, uint64_t b) {
        return b && a > UNBOUNDED / b ? UNBOUNDED : a * b;
}

static uint64_t cost_scaled(uint64_t a, double factor) {
        double product = ceil((double)a * factor);

        return product >= 18446744073709551616.0 ? UNBOUNDED : (uint64_t)product;
}

static struct extent extent_union(struct extent a, struct extent b) {
        return (struct extent){ a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max };
}

static struct extent extent_plus(struct extent a, struct extent b) {
        return (struct extent){ cost_plus(a.min, b.min), cost_plus(a.max, b.max) };
}

static struct extent extent_times(struct extent a, struct extent b) {
        return (struct extent){ cost_times(a.min, b.min), cost_times(a.max, b.max) };
}

/* ---- sizes ---- */

static bool is_scalar(const struct cel_type *type) {
        switch (type->kind) {
        case CEL_BOOL:
        case CEL_INT:
        case CEL_UINT:
        case CEL_DOUBLE:
        case CEL_TIMESTAMP:
        case CEL_DURATION:
                return true;
        case CEL_OPTIONAL:
                return is_scalar(type->element);
        default:
                return false;
        }
}

/* Once place and type are known. What was computed stays. */
static void estimate_size(struct estimate *value, const struct cel_type *type) {
        if (value->has_size)
                return;
        value->has_size = true;
        if (value->place == PLACE_KNOWN)
                value->size = (struct extent){ 0, value->type->max_elements };
        else if (is_scalar(type))
                value->size = (struct extent){ 1, 1 };
        else
                value->has_size = false;
}

static struct extent size_of(const struct estimate *value) {
        return value->has_size ? value->size : unknown;
}

/* A step that leads from a value without a place leads to the root, as upstream has it. */
static void step_in(const struct estimator *estimator, const struct estimate *from,
                    const struct cel_type *to, struct estimate *ret_value) {
        ret_value->place = from->place == PLACE_NONE          ? PLACE_KNOWN
                           : from->place == PLACE_LOST || !to ? PLACE_LOST
                                                              : PLACE_KNOWN;
        ret_value->type = from->place == PLACE_NONE ? estimator->root : to;
}

static const struct cel_type *place_member(const struct estimate *from, struct slice name) {
        const struct cel_type *type = from->place == PLACE_KNOWN ? from->type : NULL;

        for (size_t i = 0; type && type->kind == CEL_OBJECT && i < type->field_count; i++)
                if (slice_is(name, type->fields[i].escaped) || slice_eq(name, type->fields[i].name))
                        return type->fields[i].type;
        return NULL;
}

static const struct cel_type *place_element(const struct estimate *from) {
        return from->place == PLACE_KNOWN ? cel_type_items(from->type) : NULL;
}

static bool is_dyn(const struct cel_type *type) {
        return type->kind == CEL_DYN || type->kind == CEL_ANY;
}

static bool is_text(const struct cel_type *type) {
        return type->kind == CEL_STRING || type->kind == CEL_BYTES;
}

/* ---- names and parts ---- */

static struct estimate name_estimate(const struct estimator *estimator,
                                     const struct estimate_scope *scope,
                                     const struct cel_node *node) {
        struct estimate value = { .cost = 1, .place = PLACE_KNOWN, .type = estimator->root };

        for (; scope; scope = scope->up) {
                if (!slice_eq(scope->name, node->name))
                        continue;
                value = scope->value;
                value.cost = 1;
                return value;
        }
        return value;
}

static struct estimate select_estimate(const struct estimator *estimator,
                                       const struct estimate_scope *scope,
                                       const struct cel_node *node) {
        struct estimate from = estimate_node(estimator, scope, node->args[0]);
        enum cel_kind kind = node->args[0]->type->kind;
        struct estimate value = { .cost = from.cost };

        if (node->kind == CEL_NODE_HAS)
                return value;
        if (node->is_optional) {
                value.cost = cost_plus(from.cost, 1);
                return value;
        }
        if (kind == CEL_MAP || kind == CEL_OBJECT)
                value.cost = cost_plus(from.cost, 1);
        step_in(estimator, &from, place_member(&from, node->name), &value);
        return value;
}

static struct estimate index_estimate(const struct estimator *estimator,
                                      const struct estimate_scope *scope,
                                      const struct cel_node *node) {
        struct estimate from = estimate_node(estimator, scope, node->args[0]);
        struct estimate at = estimate_node(estimator, scope, node->args[1]);
        struct estimate value = { .cost = cost_plus(1, cost_plus(from.cost, at.cost)) };

        if (node->is_optional)
                return value;
        if (from.has_entries) {
                value.has_size = true;
                value.size = from.values;
        }
        step_in(estimator, &from, place_element(&from), &value);
        return value;
}

/* ---- literals ---- */

static uint64_t rune_count(struct slice text) {
        uint64_t count = 0;

        for (size_t i = 0; i < text.len; i++)
                count += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
        return count;
}

static struct estimate literal_estimate(const struct estimator *estimator,
                                        const struct cel_node *node) {
        const struct cel_value *literal = &node->literal;
        struct estimate value = { .has_size = true, .size = { 1, 1 } };

        if (literal->kind == CEL_TYPE) /* a name */
                return (struct estimate){ .cost = 1,
                                          .place = PLACE_KNOWN,
                                          .type = estimator->root };
        if (literal->kind == CEL_STRING)
                value.size.min = value.size.max = rune_count(literal->as.text);
        if (literal->kind == CEL_BYTES)
                value.size.min = value.size.max = literal->as.text.len;
        return value;
}

static struct estimate made_estimate(const struct estimator *estimator,
                                     const struct estimate_scope *scope,
                                     const struct cel_node *node) {
        bool is_map = node->kind != CEL_NODE_LIST;
        uint64_t count = is_map ? node->arg_count / 2 : node->arg_count;
        struct estimate value = { .cost = is_map ? 30 : 10,
                                  .has_size = true,
                                  .size = { count, count },
                                  .has_entries = true,
                                  .is_list = !is_map,
                                  .keys = { 1, 1 } };

        for (size_t i = 0; i < node->arg_count; i++) {
                struct estimate inner = estimate_node(estimator, scope, node->args[i]);
                struct extent *into = is_map && i % 2 == 0 ? &value.keys : &value.values;
                bool is_first = i < (is_map ? 2U : 1U);

                value.cost = cost_plus(value.cost, inner.cost);
                *into = is_first ? size_of(&inner) : extent_union(*into, size_of(&inner));
        }
        return value;
}

/* ---- operators ---- */

/* Of what is compared element by element: as long as the shorter one. */
static uint64_t comparison_cost(const struct estimate *a, const struct estimate *b) {
        uint64_t left = size_of(a).max, right = size_of(b).max;

        return cost_scaled(left < right ? left : right, TRAVERSAL);
}

static uint64_t equality_cost(const struct cel_node *node, const struct estimate *args) {
        enum cel_kind kind = node->args[0]->type->kind;

        if (node->kind == CEL_NODE_EQUAL && kind == node->args[1]->type->kind) {
                if (kind == CEL_IP || kind == CEL_CIDR || kind == CEL_QUANTITY ||
                    kind == CEL_SEMVER || kind == CEL_URL || kind >= CEL_AUTHORIZER)
                        return 1;
                if (kind == CEL_FORMAT)
                        return cost_scaled(FORMAT_NAME_MAX, TRAVERSAL);
        }
        return comparison_cost(&args[0], &args[1]);
}

static uint64_t relation_cost(const struct cel_node *node, const struct estimate *args) {
        const struct cel_type *left = node->args[0]->type, *right = node->args[1]->type;

        if (node->kind == CEL_NODE_EQUAL || node->kind == CEL_NODE_UNEQUAL)
                return equality_cost(node, args);
        if (node->kind == CEL_NODE_IN)
                return right->kind == CEL_LIST || is_dyn(right) ? size_of(&args[1]).max : 1;
        return is_text(left) || is_text(right) || (is_dyn(left) && is_dyn(right))
                       ? comparison_cost(&args[0], &args[1])
                       : 1;
}

static struct estimate relation_estimate(const struct estimator *estimator,
                                         const struct estimate_scope *scope,
                                         const struct cel_node *node) {
        struct estimate args[2] = { estimate_node(estimator, scope, node->args[0]),
                                    estimate_node(estimator, scope, node->args[1]) };

        return (struct estimate){ .cost = cost_plus(relation_cost(node, args),
                                                    cost_plus(args[0].cost, args[1].cost)) };
}

/* All of them may have to be looked at. */
static struct estimate logic_estimate(const struct estimator *estimator,
                                      const struct estimate_scope *scope,
                                      const struct cel_node *node) {
        struct estimate value = { .cost = node->kind == CEL_NODE_NOT };

        for (size_t i = 0; i < node->arg_count; i++)
                value.cost =
                        cost_plus(value.cost, estimate_node(estimator, scope, node->args[i]).cost);
        return value;
}

static struct estimate conditional_estimate(const struct estimator *estimator,
                                            const struct estimate_scope *scope,
                                            const struct cel_node *node) {
        struct estimate which = estimate_node(estimator, scope, node->args[0]);
        struct estimate yes = estimate_node(estimator, scope, node->args[1]);
        struct estimate no = estimate_node(estimator, scope, node->args[2]);

        return (struct estimate){
                .cost = cost_plus(which.cost, yes.cost > no.cost ? yes.cost : no.cost),
                .has_size = true,
                .size = extent_union(size_of(&yes), size_of(&no)),
                .has_entries = yes.has_entries && no.has_entries,
                .is_list = yes.is_list,
                .keys = extent_union(yes.keys, no.keys),
                .values = extent_union(yes.values, no.values),
        };
}

/* ---- functions ---- */

#define ARGS_MAX 4

struct call {
        const struct estimator *estimator;
        const struct cel_node *node;
        struct estimate args[ARGS_MAX]; /* the target is the first */
        struct estimate *value;
};

static struct extent call_size(const struct call *call, size_t index) {
        return index < call->node->arg_count ? size_of(&call->args[index]) : unknown;
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
        return 350000;
}

/* Each element is compared; those that are texts are read. */
static uint64_t cost_of_elements(struct call *call) {
        const struct cel_type *type = call->node->args[0]->type;
        const struct estimate *list = &call->args[0];
        struct extent size = call_size(call, 0);
        const struct cel_type *place = place_element(list);

        if (type->kind != CEL_LIST)
                return is_dyn(type) ? size.max : cost_scaled(size.max, TRAVERSAL);
        if (!is_text(type->element))
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
        struct extent element = place ? (struct extent){ 0, place->max_elements } : unknown;
        struct extent size = extent_times(list, element);
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
        if (is_text(call->node->args[1]->type) || is_dyn(call->node->args[1]->type))
                cost = cost_plus(cost, cost_scaled(call_size(call, 1).max, TRAVERSAL));
        return cost;
}

static uint64_t cost_of_bytes(struct call *call) {
        struct extent size = call_size(call, 0);

        const struct cel_type *type = call->node->args[0]->type;

        if (!is_text(type) && !is_dyn(type))
                return 1;
        call_set_size(call, slice_is(call->node->name, "bytes")
                                    ? (struct extent){ size.min, cost_times(size.max, 4) }
                                    : (struct extent){ size.min / 4, size.max });
        return cost_of_walk(call);
}

/* string() of a string is O(1). */
static uint64_t cost_of_string(struct call *call) {
        const struct cel_type *type = call->node->args[0]->type;

        return type->kind == CEL_BYTES || is_dyn(type) ? cost_of_bytes(call) : 1;
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
        bool is_any = is_dyn(left) && is_dyn(right);

        if (!is_list && !is_any && !is_text(left) && !is_text(right))
                return 1;
        struct extent size = extent_plus(size_of(a), size_of(b));
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

        return node && node->kind == CEL_NODE_LITERAL && node->literal.kind == CEL_INT &&
                               node->literal.as.integer >= 0
                       ? (uint64_t)node->literal.as.integer
                       : otherwise;
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

static double sort_factor(const struct cel_type *element) {
        return is_text(element) || is_dyn(element) ? 2 + TRAVERSAL : 2;
}

static uint64_t cost_of_sort(struct call *call) {
        const struct cel_type *type = call->node->args[0]->type;

        return cost_of_new_list(call, extent_times(call_size(call, 0), call_size(call, 0)),
                                sort_factor(type->kind == CEL_LIST ? type->element : type));
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

static struct estimate call_estimate(const struct estimator *estimator,
                                     const struct estimate_scope *scope,
                                     const struct cel_node *node) {
        struct estimate value = { 0 };
        struct call call = { .estimator = estimator, .node = node, .value = &value };
        uint64_t cost = 1;

        for (size_t i = 0; i < node->arg_count; i++) {
                struct estimate arg = estimate_node(estimator, scope, node->args[i]);

                value.cost = cost_plus(value.cost, arg.cost);
                if (i < ARGS_MAX)
                        call.args[i] = arg;
        }
        for (size_t i = 0; node->arg_count && i < ARRAY_LEN(functions); i++)
                if (slice_is(node->name, functions[i].name))
                        cost = functions[i].cost(&call);
        value.cost = cost_plus(value.cost, cost);
        return value;
}

/* ---- loops ---- */

/* Of upstream's loop behind each: made before, made in each round besides what is written, and
 * read when it is over. */
static const struct {
        uint64_t before, round, after;
        bool is_container;
} loops[] = {
        [CEL_ALL] = { 0, 3, 1, false },           [CEL_EXISTS] = { 0, 4, 1, false },
        [CEL_EXISTS_ONE] = { 0, 2, 2, false },    [CEL_MAP_EACH] = { 10, 12, 1, true },
        [CEL_FILTER] = { 10, 13, 1, true },       [CEL_TRANSFORM_LIST] = { 10, 12, 1, true },
        [CEL_TRANSFORM_MAP] = { 30, 3, 1, true }, [CEL_SORT_BY] = { 33, 12, 1, true },
};

/* Sorting by keys compares each with each. */
static void add_sort(const struct cel_node *node, struct estimate *value) {
        const struct cel_type *key = node->args[node->arg_count - 1]->type;

        value->size = extent_times(value->size, value->size);
        value->cost = cost_plus(value->cost, cost_scaled(value->size.max, sort_factor(key)));
}

/* What one of the variables stands for. */
static struct estimate loop_variable(const struct estimator *estimator,
                                     const struct estimate *range, const struct cel_type *type,
                                     bool is_key) {
        struct estimate value = { 0 };
        bool is_list = range->has_entries ? range->is_list : type->kind == CEL_LIST;
        static const struct cel_type key = { .kind = CEL_STRING };

        step_in(estimator, range,
                !is_key                                   ? place_element(range)
                : !is_list && range->place == PLACE_KNOWN ? &key
                                                          : NULL,
                &value);
        if (value.place == PLACE_LOST && range->has_entries) {
                value.has_size = true;
                value.size = is_key ? range->keys : range->values;
        }
        return value;
}

static struct estimate loop_estimate(const struct estimator *estimator,
                                     const struct estimate_scope *scope,
                                     const struct cel_node *node) {
        struct estimate range = estimate_node(estimator, scope, node->args[0]), last = { 0 };
        const struct cel_type *type = node->args[0]->type;
        bool is_pair = node->variable_count == 2;
        bool is_list = range.has_entries ? range.is_list : type->kind == CEL_LIST;
        struct estimate_scope first = { scope, node->variables[0],
                                        loop_variable(estimator, &range, type,
                                                      is_pair || !is_list) };
        struct estimate_scope second = { &first, node->variables[1],
                                         loop_variable(estimator, &range, type, false) };
        uint64_t count = size_of(&range).max, round = loops[node->macro].round;
        bool is_container = loops[node->macro].is_container;

        for (size_t i = 1; i < node->arg_count; i++) {
                last = estimate_node(estimator, is_pair ? &second : &first, node->args[i]);
                round = cost_plus(round, last.cost);
        }
        if (node->macro == CEL_FILTER)
                last = first.value;
        struct estimate value = {
                .cost = cost_plus(cost_plus(range.cost, cost_times(count, round)),
                                  loops[node->macro].before + loops[node->macro].after),
                .has_size = true,
                .size = is_container ? size_of(&range) : (struct extent){ 1, 1 },
                .has_entries = is_container,
                .is_list = node->macro != CEL_TRANSFORM_MAP,
                .keys = { 1, 1 },
                .values = { 0, size_of(&last).max },
        };
        if (node->macro == CEL_SORT_BY)
                add_sort(node, &value);
        return value;
}

/* Upstream binds by a loop over nothing. */
static struct estimate bind_estimate(const struct estimator *estimator,
                                     const struct estimate_scope *scope,
                                     const struct cel_node *node) {
        bool is_map = node->kind == CEL_NODE_OPTIONAL_MAP;
        struct estimate first = estimate_node(estimator, scope, node->args[0]);
        struct estimate_scope inner = { scope, node->variables[0],
                                        is_map ? (struct estimate){ 0 } : first };
        struct estimate value = estimate_node(estimator, &inner, node->args[1]);

        if (!is_map) {
                value.cost = cost_plus(10, cost_plus(first.cost, value.cost));
                return value;
        }
        /* x.hasValue() ? optional.of(cel.bind(v, x.value(), ...)) : optional.none() */
        uint64_t there = cost_plus(cost_plus(12, first.cost), value.cost);
        if (slice_is(node->name, "optFlatMap"))
                there--;
        return (struct estimate){ .cost = cost_plus(cost_plus(1, first.cost), there) };
}

/* ---- all of it ---- */

static struct estimate raw_estimate(const struct estimator *estimator,
                                    const struct estimate_scope *scope,
                                    const struct cel_node *node) {
        switch (node->kind) {
        case CEL_NODE_LITERAL:
                return literal_estimate(estimator, node);
        case CEL_NODE_NAME:
                return name_estimate(estimator, scope, node);
        case CEL_NODE_SELECT:
        case CEL_NODE_HAS:
                return select_estimate(estimator, scope, node);
        case CEL_NODE_INDEX:
                return index_estimate(estimator, scope, node);
        case CEL_NODE_CALL:
                return call_estimate(estimator, scope, node);
        case CEL_NODE_LIST:
        case CEL_NODE_MAP:
        case CEL_NODE_OBJECT:
                return made_estimate(estimator, scope, node);
        case CEL_NODE_AND:
        case CEL_NODE_OR:
        case CEL_NODE_NOT:
                return logic_estimate(estimator, scope, node);
        case CEL_NODE_CONDITIONAL:
                return conditional_estimate(estimator, scope, node);
        case CEL_NODE_MACRO:
                return loop_estimate(estimator, scope, node);
        case CEL_NODE_BIND:
        case CEL_NODE_OPTIONAL_MAP:
                return bind_estimate(estimator, scope, node);
        default:
                return relation_estimate(estimator, scope, node);
        }
}

static struct estimate estimate_node(const struct estimator *estimator,
                                     const struct estimate_scope *scope,
                                     const struct cel_node *node) {
        struct estimate value = raw_estimate(estimator, scope, node);

        estimate_size(&value, node->type);
        return value;
}

uint64_t cel_estimate(const struct cel_program *program) {
        const struct estimator estimator = { program->self };

        return estimate_node(&estimator, NULL, program->root).cost;
}

uint64_t cel_cardinality(const struct cel_type *type) {
        return REQUEST_MAX / (type->min_size + 1);
}
