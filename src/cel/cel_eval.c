/* Evaluation: a walk over the tree that counts its steps. Errors are values; and, or and the
 * quantifiers pass over one when the rest decides. */
#include "cel/cel_function.h"
#include "cel/cel_node.h"

#include "base/util.h"
#include <math.h>
#include <stdlib.h>

/* Variables of macros, innermost first. */
struct cel_eval_binding {
        const struct cel_eval_binding *up;
        struct slice name;
        struct cel_value value;
};

static struct cel_value cel_eval_eval(struct cel_run *run, const struct cel_eval_binding *scope,
                                      const struct cel_node *node);

static struct cel_value no_overload(struct cel_run *run) {
        return cel_error(run, "no such overload");
}

static struct cel_value name_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                   const struct cel_node *node) {
        cel_charge(run, 1);
        for (; scope; scope = scope->up) {
                if (slice_eq(scope->name, node->name))
                        return scope->value;
        }
        if (node->type->kind == CEL_AUTHORIZER || node->type->kind == CEL_RESOURCE_CHECK)
                return cel_access_start(run, node->type->kind);
        if (run->is_environment) {
                struct cel_value value = { .kind = CEL_NULL };

                cel_select(run, &run->self, node->name, &value);
                return value;
        }
        return slice_is(node->name, "oldSelf") ? run->old : run->self;
}

static bool is_container(const struct cel_value *value) {
        return value->kind == CEL_MAP || value->kind == CEL_OBJECT;
}

/* ---- parts ---- */

/* What stands before the dot; an optional gives its inside, and *ret_is_optional. */
static struct cel_value cel_eval_opened(struct cel_run *run, const struct cel_eval_binding *scope,
                                        const struct cel_node *node, bool *ret_is_optional) {
        struct cel_value from = cel_eval_eval(run, scope, node->args[0]);

        *ret_is_optional = node->is_optional;
        if (from.kind != CEL_OPTIONAL)
                return from;
        *ret_is_optional = true;
        return from.as.items ? from.as.items[0] : from;
}

/* What is not a variable or a part of one costs as much again. */
static void charge_part(struct cel_run *run, const struct cel_node *node) {
        enum cel_node_kind kind = node->args[0]->kind;

        cel_charge(run, kind == CEL_NODE_NAME || kind == CEL_NODE_SELECT || kind == CEL_NODE_INDEX
                                ? 1
                                : 2);
}

static struct cel_value select_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                     const struct cel_node *node) {
        bool is_optional;
        struct cel_value from = cel_eval_opened(run, scope, node, &is_optional), value;

        if (from.kind == CEL_ERROR)
                return from;
        if (from.kind == CEL_OPTIONAL)
                return node->kind == CEL_NODE_HAS ? cel_bool(false) : from;
        if (from.kind == CEL_LIST)
                return cel_error(run, "unsupported index type 'string' in list");
        if (!is_container(&from) || !cel_select(run, &from, node->name, &value))
                return node->kind == CEL_NODE_HAS ? cel_bool(false)
                       : is_optional              ? cel_optional(run, NULL)
                       : cel_is_made_object(&from)
                               ? cel_object_absent(&from, node->name)
                               : cel_error(run, "no such key: " SLICE_FMT, SLICE_ARG(node->name));
        if (node->kind == CEL_NODE_HAS)
                return cel_bool(true);
        charge_part(run, node);
        return is_optional && value.kind != CEL_ERROR ? cel_optional(run, &value) : value;
}

static bool list_at(struct cel_run *run, const struct cel_value *list, int64_t index,
                    struct cel_value *ret_value) {
        if (index < 0 || (uint64_t)index >= list->count)
                return false;
        if (list->is_made)
                *ret_value = list->as.items[index];
        else
                *ret_value = cel_from_node(run, node_at(list->as.node, (size_t)index),
                                           list->type ? list->type->element : NULL);
        return true;
}

static bool whole_index(const struct cel_value *index, int64_t *ret_index) {
        if (index->kind == CEL_UINT && index->as.natural <= INT64_MAX)
                *ret_index = (int64_t)index->as.natural;
        else if (index->kind == CEL_INT)
                *ret_index = index->as.integer;
        else if (index->kind == CEL_DOUBLE && fabs(index->as.real) < 9e15 &&
                 fpclassify(index->as.real - trunc(index->as.real)) == FP_ZERO)
                *ret_index = (int64_t)index->as.real;
        else
                return false;
        return true;
}

/* A key as Go prints it. */
static const char *key_text(struct cel_run *run, const struct cel_value *key) {
        switch (key->kind) {
        case CEL_STRING:
                return arena_string(run->arena, key->as.text);
        case CEL_BOOL:
                return key->as.boolean ? "true" : "false";
        case CEL_UINT:
                return arena_printf(run->arena, "%llu", (unsigned long long)key->as.natural);
        case CEL_DOUBLE:
                return arena_string(run->arena, cel_number_text(run, key).as.text);
        default:
                return arena_printf(run->arena, "%lld",
                                    (long long)(key->kind == CEL_INT ? key->as.integer : 0));
        }
}

/* An index that is no place in the list. */
static struct cel_value no_index(struct cel_run *run, const struct cel_value *index) {
        return index->kind == CEL_DOUBLE
                       ? cel_error(run, "unsupported index value " SLICE_FMT " in list",
                                   SLICE_ARG(cel_number_text(run, index).as.text))
                       : cel_error(run, "unsupported index type '%s' in list",
                                   cel_kind_name(index->kind));
}

static struct cel_value index_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                    const struct cel_node *node) {
        bool is_optional;
        struct cel_value from = cel_eval_opened(run, scope, node, &is_optional), value;
        struct cel_value index = cel_eval_eval(run, scope, node->args[1]);
        int64_t at = 0;

        if (from.kind == CEL_ERROR || from.kind == CEL_OPTIONAL)
                return from;
        if (index.kind == CEL_ERROR)
                return index;
        if (!cel_is_place(index.kind))
                return cel_error(run, "invalid qualifier type: %s", cel_go_type(index.kind));
        if (from.kind == CEL_LIST && !whole_index(&index, &at))
                return no_index(run, &index);
        bool is_there = from.kind == CEL_LIST
                                ? list_at(run, &from, at, &value)
                                : is_container(&from) && cel_find(run, &from, &index, &value);
        if (!is_there && is_optional)
                return cel_optional(run, NULL);
        if (!is_there)
                return from.kind == CEL_LIST
                               ? cel_error(run, "index out of bounds: %lld", (long long)at)
                               : cel_error(run, "no such key: %s", key_text(run, &index));
        charge_part(run, node);
        return is_optional ? cel_optional(run, &value) : value;
}

/* ---- functions ---- */

/* Upstream charges a tenth of the bytes that a function goes through. */
static bool spend_texts(struct cel_run *run, const struct cel_value *args, size_t count) {
        size_t bytes = 0;

        for (size_t i = 0; i < count; i++) {
                if (args[i].kind == CEL_STRING || args[i].kind == CEL_BYTES)
                        bytes += args[i].as.text.len;
        }
        return cel_spend(run, 1 + bytes / 10);
}

/* or() and orValue() of what is there: the argument is not asked for. */
static bool is_decided(const struct cel_node *node, const struct cel_value *first) {
        bool is_or = node->is_member && node->arg_count == 2 &&
                     (slice_is(node->name, "or") || slice_is(node->name, "orValue"));

        return is_or && (first->kind != CEL_OPTIONAL || first->as.items);
}

static struct cel_value decided_value(const struct cel_node *node, const struct cel_value *first) {
        return first->kind == CEL_OPTIONAL && slice_is(node->name, "orValue") ? first->as.items[0]
                                                                              : *first;
}

static struct cel_value call_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                   const struct cel_node *node) {
        struct cel_value args[CEL_PARAMS_MAX];

        if (node->arg_count > CEL_PARAMS_MAX)
                return no_overload(run);
        for (size_t i = 0; i < node->arg_count; i++) {
                args[i] = cel_eval_eval(run, scope, node->args[i]);
                if (args[i].kind == CEL_ERROR)
                        return args[i];
                if (i == 0 && is_decided(node, &args[0]))
                        return decided_value(node, &args[0]);
        }
        if (!spend_texts(run, args, node->arg_count) || !cel_charge_call(run, node, args))
                return cel_error(run, "cost");
        if (node->regex)
                return args[0].kind == CEL_STRING
                               ? cel_bool(regex_matches(node->regex, args[0].as.text))
                               : no_overload(run);
        const struct cel_function *function = cel_overload_find(run, node, args);
        return function ? function->call(run, args) : cel_no_overload(run, node, args);
}

/* ---- literals ---- */

/* Takes the last key and its value out again when the key was there; it has the new value then, or
 * is gone when there is none. */
static size_t merge_entry(struct cel_run *run, struct cel_value *items, size_t count,
                          bool has_value) {
        size_t last = count - 1 - has_value;

        for (size_t i = 0; i < last; i += 2) {
                if (items[i].kind != items[last].kind || !cel_equal(run, &items[last], &items[i]))
                        continue;
                if (has_value) {
                        items[i + 1] = items[last + 1];
                        return last;
                }
                items[i] = items[last - 2];
                items[i + 1] = items[last - 1];
                return last - 2;
        }
        return has_value ? count : last;
}

static struct cel_value made_of(struct cel_run *run, const struct cel_node *node,
                                const struct cel_value *items, size_t count) {
        struct cel_value made = {
                .kind = CEL_LIST, .as.items = items, .is_made = true, .count = count
        };

        if (node->kind == CEL_NODE_LIST)
                return made;
        made.kind = CEL_MAP;
        made.count = count / 2;
        return node->kind == CEL_NODE_MAP ? made : cel_object_made(run, node->type, &made);
}

static struct cel_value made_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                   const struct cel_node *node) {
        struct cel_value *items = ARENA_ARRAY(run->arena, struct cel_value, node->arg_count);
        size_t count = 0;

        for (size_t i = 0; i < node->arg_count; i++) {
                struct cel_value value = cel_eval_eval(run, scope, node->args[i]);

                if (value.kind == CEL_ERROR)
                        return value;
                if (node->args[i]->is_optional_element && value.kind != CEL_OPTIONAL)
                        return no_overload(run);
                bool is_absent = node->args[i]->is_optional_element && !value.as.items;
                if (!is_absent)
                        items[count++] =
                                node->args[i]->is_optional_element ? value.as.items[0] : value;
                if (node->kind == CEL_NODE_MAP && i % 2)
                        count = merge_entry(run, items, count, !is_absent);
                else if (node->kind == CEL_NODE_OBJECT && i % 2 && is_absent)
                        count--; /* its name */
        }
        cel_charge_made(run, node);
        return made_of(run, node, items, count);
}

/* ---- logic ---- */

/* The value that decides (true for or), else an error if there was one, else the other. */
static struct cel_value logic_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                    const struct cel_node *node) {
        bool deciding = node->kind == CEL_NODE_OR;
        struct cel_value result = cel_bool(!deciding);

        for (size_t i = 0; i < node->arg_count; i++) {
                struct cel_value value = cel_eval_eval(run, scope, node->args[i]);

                if (value.kind == CEL_BOOL && value.as.boolean == deciding)
                        return value;
                if (value.kind != CEL_BOOL && result.kind != CEL_ERROR)
                        result = value.kind == CEL_ERROR ? value : no_overload(run);
        }
        return result;
}

static struct cel_value conditional_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                          const struct cel_node *node) {
        struct cel_value which = cel_eval_eval(run, scope, node->args[0]);

        if (which.kind == CEL_ERROR)
                return which;
        if (which.kind != CEL_BOOL)
                return no_overload(run);
        return cel_eval_eval(run, scope, node->args[which.as.boolean ? 1 : 2]);
}

static struct cel_value in_value(struct cel_run *run, const struct cel_value *wanted,
                                 const struct cel_value *container) {
        struct cel_iter iter = cel_iter(container);
        struct cel_value key, value;

        if (container->kind == CEL_MAP) {
                struct cel_value map = *container;

                map.has_default = false; /* which only looking a key up gives */
                return cel_bool(cel_find(run, &map, wanted, &value));
        }
        if (container->kind != CEL_LIST)
                return no_overload(run);
        while (cel_next(run, &iter, &key, &value)) {
                if (cel_equal(run, &value, wanted))
                        return cel_bool(true);
        }
        return cel_bool(false);
}

static struct cel_value relation_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                       const struct cel_node *node) {
        struct cel_value a = cel_eval_eval(run, scope, node->args[0]),
                         b = cel_eval_eval(run, scope, node->args[1]);
        struct slice name = node->name;
        bool is_numeric = cel_is_number(a.kind) && cel_is_number(b.kind);
        int order;

        if (a.kind == CEL_ERROR || b.kind == CEL_ERROR)
                return a.kind == CEL_ERROR ? a : b;
        cel_charge_relation(run, node, &a, &b);
        if (node->kind == CEL_NODE_IN)
                return in_value(run, &a, &b);
        if (node->kind == CEL_NODE_EQUAL || node->kind == CEL_NODE_UNEQUAL)
                return cel_bool(cel_equal(run, &a, &b) == (node->kind == CEL_NODE_EQUAL));
        if (!spend_texts(run, &a, 1))
                return cel_error(run, "cost");
        if (!cel_compare(&a, &b, &order))
                return is_numeric ? cel_bool(false) /* NaN has no order */
                                  : cel_no_overload(run, node, &a);
        if (slice_is(name, "_<_"))
                return cel_bool(order < 0);
        if (slice_is(name, "_<=_"))
                return cel_bool(order <= 0);
        return cel_bool(slice_is(name, "_>_") ? order > 0 : order >= 0);
}

static struct cel_value not_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                  const struct cel_node *node) {
        struct cel_value value = cel_eval_eval(run, scope, node->args[0]);

        cel_charge(run, 1);
        if (value.kind == CEL_BOOL)
                return cel_bool(!value.as.boolean);
        return value.kind == CEL_ERROR ? value : no_overload(run);
}

/* ---- macros ---- */

struct tally {
        const struct cel_node *node;
        size_t true_count;
        struct cel_value error; /* the first one, kind CEL_ERROR */
        bool has_error, is_done;
        struct cel_builder made;
};

static struct cel_value or_no_overload(struct cel_run *run, const struct cel_value *value) {
        return value->kind == CEL_ERROR ? *value : no_overload(run);
}

static void keep_error(struct cel_run *run, struct tally *tally, const struct cel_value *value) {
        if (!tally->has_error)
                tally->error = or_no_overload(run, value);
        tally->has_error = true;
}

/* One element of a quantifier. */
static void count_one(struct cel_run *run, struct tally *tally, const struct cel_value *value) {
        enum cel_macro macro = tally->node->macro;

        if (value->kind != CEL_BOOL) {
                keep_error(run, tally, value);
                tally->is_done = macro == CEL_EXISTS_ONE;
                return;
        }
        tally->true_count += value->as.boolean;
        tally->is_done = (macro == CEL_ALL && !value->as.boolean) ||
                         (macro == CEL_EXISTS && value->as.boolean);
}

static bool makes_something(enum cel_macro macro) {
        return macro == CEL_MAP_EACH || macro == CEL_FILTER || macro == CEL_TRANSFORM_LIST ||
               macro == CEL_SORT_BY || cel_makes_map(macro);
}

static struct cel_value made_map(const struct tally *tally) {
        return (struct cel_value){ .kind = CEL_MAP,
                                   .as.items = tally->made.items,
                                   .is_made = true,
                                   .count = tally->made.count / 2 };
}

/* Adds the entries of a map to those that are there; an error when a key is. */
static struct cel_value insert_entries(struct cel_run *run, struct tally *tally,
                                       const struct cel_value *entries) {
        struct cel_iter iter = cel_iter(entries);
        struct cel_value key, value, other;

        if (entries->kind == CEL_ERROR)
                return *entries;
        if (!is_container(entries))
                return cel_error(run, "no such overload: cel.@mapInsert(map, %s)",
                                 cel_kind_name(entries->kind));
        while (cel_next(run, &iter, &key, &value)) {
                struct cel_value made = made_map(tally);

                if (!cel_spend(run, made.count + 1))
                        break;
                if (cel_find(run, &made, &key, &other))
                        return cel_error(run, "insert failed: key %s already exists",
                                         key_text(run, &key));
                cel_push(run, &tally->made, &key);
                cel_push(run, &tally->made, &value);
        }
        return *entries;
}

/* One element of a macro that makes a list or map; errors end it. */
static void make_one(struct cel_run *run, struct tally *tally, const struct cel_eval_binding *scope,
                     const struct cel_value *key) {
        const struct cel_node *node = tally->node;
        struct cel_value value = cel_bool(true);
        bool has_filter = node->macro == CEL_FILTER || node->arg_count == 3;

        if (has_filter)
                value = cel_eval_eval(run, scope, node->args[1]);
        if (value.kind != CEL_BOOL) {
                keep_error(run, tally, &value);
                tally->is_done = true;
                return;
        }
        if (!value.as.boolean || !cel_charge(run, cel_element_cost(node->macro)))
                return;
        value = node->macro == CEL_FILTER
                        ? scope->value
                        : cel_eval_eval(run, scope, node->args[node->arg_count - 1]);
        if (node->macro == CEL_TRANSFORM_ENTRY)
                value = insert_entries(run, tally, &value);
        if (value.kind == CEL_ERROR) {
                keep_error(run, tally, &value);
                tally->is_done = true;
                return;
        }
        if (node->macro == CEL_TRANSFORM_ENTRY)
                return;
        if (node->macro == CEL_TRANSFORM_MAP)
                cel_push(run, &tally->made, key);
        if (node->macro == CEL_SORT_BY)
                cel_push(run, &tally->made, &scope->value);
        cel_push(run, &tally->made, &value);
}

static struct cel_value macro_result(const struct tally *tally) {
        switch (tally->node->macro) {
        case CEL_ALL:
                if (tally->is_done)
                        return cel_bool(false);
                return tally->has_error ? tally->error : cel_bool(true);
        case CEL_EXISTS:
                if (tally->is_done)
                        return cel_bool(true);
                return tally->has_error ? tally->error : cel_bool(false);
        case CEL_EXISTS_ONE:
                return tally->has_error ? tally->error : cel_bool(tally->true_count == 1);
        case CEL_TRANSFORM_MAP:
        case CEL_TRANSFORM_ENTRY:
                return made_map(tally);
        default:
                return cel_list(tally->made.items, tally->made.count);
        }
}

static struct cel_value macro_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                    const struct cel_node *node) {
        struct cel_value range = cel_eval_eval(run, scope, node->args[0]), key, value, result;
        struct tally tally = { .node = node };
        struct cel_iter iter = cel_iter(&range);

        if (range.kind == CEL_ERROR)
                return range;
        if (range.kind != CEL_LIST && !is_container(&range))
                return cel_error(run,
                                 node->variable_count == 2
                                         ? "unsupported comprehension range type: %s"
                                         : "got '%s', expected iterable type",
                                 cel_go_type(range.kind));
        while (!tally.is_done && cel_next(run, &iter, &key, &value)) {
                bool is_pair = node->variable_count == 2;
                struct cel_eval_binding first = { scope, node->variables[0],
                                                  is_pair || range.kind != CEL_LIST ? key : value };
                struct cel_eval_binding second = { &first, node->variables[1], value };
                const struct cel_eval_binding *inner = is_pair ? &second : &first;

                if (!cel_charge(run, cel_round_cost(node->macro)))
                        break;
                if (makes_something(node->macro)) {
                        make_one(run, &tally, inner, &key);
                } else {
                        result = cel_eval_eval(run, inner, node->args[1]);
                        count_one(run, &tally, &result);
                }
        }
        cel_charge(run, 1);
        if (tally.has_error && makes_something(node->macro))
                return tally.error;
        if (node->macro == CEL_SORT_BY)
                return cel_sort_pairs(run, tally.made.items, tally.made.count / 2);
        return macro_result(&tally);
}

static struct cel_value bind_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                   const struct cel_node *node) {
        struct cel_value first = cel_eval_eval(run, scope, node->args[0]), value;
        struct cel_eval_binding inner = { scope, node->variables[0], first };

        if (node->kind == CEL_NODE_BIND)
                return cel_eval_eval(run, &inner, node->args[1]);
        if (first.kind == CEL_ERROR)
                return first;
        if (first.kind != CEL_OPTIONAL)
                return cel_error(run, "no such overload: hasValue(%s)", cel_kind_name(first.kind));
        if (!first.as.items)
                return first;
        inner.value = first.as.items[0];
        value = cel_eval_eval(run, &inner, node->args[1]);
        return slice_is(node->name, "optMap") && value.kind != CEL_ERROR ? cel_optional(run, &value)
                                                                         : value;
}

/* ---- all of it ---- */

static struct cel_value node_value(struct cel_run *run, const struct cel_eval_binding *scope,
                                   const struct cel_node *node) {
        if (!cel_spend(run, 1))
                return cel_error(run, "cost");
        if (node->constant)
                return *node->constant;
        switch (node->kind) {
        case CEL_NODE_LITERAL:
                return node->literal;
        case CEL_NODE_NAME:
                return name_value(run, scope, node);
        case CEL_NODE_SELECT:
        case CEL_NODE_HAS:
                return select_value(run, scope, node);
        case CEL_NODE_INDEX:
                return index_value(run, scope, node);
        case CEL_NODE_CALL:
                return call_value(run, scope, node);
        case CEL_NODE_LIST:
        case CEL_NODE_MAP:
        case CEL_NODE_OBJECT:
                return made_value(run, scope, node);
        case CEL_NODE_AND:
        case CEL_NODE_OR:
                return logic_value(run, scope, node);
        case CEL_NODE_NOT:
                return not_value(run, scope, node);
        case CEL_NODE_CONDITIONAL:
                return conditional_value(run, scope, node);
        case CEL_NODE_MACRO:
                return macro_value(run, scope, node);
        case CEL_NODE_BIND:
        case CEL_NODE_OPTIONAL_MAP:
                return bind_value(run, scope, node);
        default:
                return relation_value(run, scope, node);
        }
}

/* What goes wrong in a variable of a policy names it. */
static struct cel_value cel_eval_eval(struct cel_run *run, const struct cel_eval_binding *scope,
                                      const struct cel_node *node) {
        struct cel_value value = node_value(run, scope, node);

        if (node->variable_of.len == 0 || value.kind != CEL_ERROR)
                return value;
        return cel_error(run, "composited variable \"" SLICE_FMT "\" fails to evaluate: " SLICE_FMT,
                         SLICE_ARG(node->variable_of), SLICE_ARG(value.as.text));
}

struct cel_value cel_run_node(struct cel_run *run, const struct cel_node *node) {
        return cel_eval_eval(run, NULL, node);
}
