/* What an expression may cost at most, before it has run, as upstream estimates it for rules of
 * custom resources (cel-go checker/cost.go, and the table of Kubernetes' own functions): sizes come
 * from the bounds of the schema, and where it has none from the largest request. */
#include "cel/cel_estimate.h"

#include "base/util.h"
#include "cel/cel_estimate_priv.h"

#define FORMAT_NAME_MAX 64
#define REQUEST_MAX ((uint64_t)3 * 1024 * 1024)

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
                *into = is_first ? extent_of(&inner) : extent_union(*into, extent_of(&inner));
        }
        return value;
}

/* ---- operators ---- */

/* Of what is compared element by element: as long as the shorter one. */
static uint64_t comparison_cost(const struct estimate *a, const struct estimate *b) {
        uint64_t left = extent_of(a).max, right = extent_of(b).max;

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
                return right->kind == CEL_LIST || cel_type_is_dyn(right) ? extent_of(&args[1]).max
                                                                         : 1;
        return is_text_type(left) || is_text_type(right) ||
                               (cel_type_is_dyn(left) && cel_type_is_dyn(right))
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
                .size = extent_union(extent_of(&yes), extent_of(&no)),
                .has_entries = yes.has_entries && no.has_entries,
                .is_list = yes.is_list,
                .keys = extent_union(yes.keys, no.keys),
                .values = extent_union(yes.values, no.values),
        };
}

static struct estimate call_estimate(const struct estimator *estimator,
                                     const struct estimate_scope *scope,
                                     const struct cel_node *node) {
        struct estimate args[ESTIMATED_ARGS_MAX] = { 0 }, value = { 0 };

        for (size_t i = 0; i < node->arg_count; i++) {
                struct estimate arg = estimate_node(estimator, scope, node->args[i]);

                value.cost = cost_plus(value.cost, arg.cost);
                if (i < ESTIMATED_ARGS_MAX)
                        args[i] = arg;
        }
        value.cost = cost_plus(value.cost, cel_estimate_call(node, args, &value));
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
        [CEL_TRANSFORM_MAP] = { 30, 3, 1, true }, [CEL_TRANSFORM_ENTRY] = { 30, 2, 1, true },
        [CEL_SORT_BY] = { 33, 12, 1, true },
};

/* Sorting by keys compares each with each. */
static void add_sort(const struct cel_node *node, struct estimate *value) {
        const struct cel_type *key = node->args[node->arg_count - 1]->type;

        value->size = extent_times(value->size, value->size);
        value->cost = cost_plus(value->cost, cost_scaled(value->size.max, cel_sort_factor(key)));
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
        uint64_t count = extent_of(&range).max, round = loops[node->macro].round;
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
                .size = is_container ? extent_of(&range) : (struct extent){ 1, 1 },
                .has_entries = is_container,
                .is_list = !cel_makes_map(node->macro),
                .keys = { 1, 1 },
                .values = { 0, extent_of(&last).max },
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
