/* What an evaluation costs, as upstream's evaluator counts it (cel-go interpreter/runtimecost.go):
 * variables and their parts 1, lists made 10, maps made 30, texts a tenth of what is read.
 * Constants are made once, when the expression is compiled, and cost nothing. */
#include "cel/cel_node.h"

#define COST_LIST 10
#define COST_MAP 30
#define COST_OBJECT 40

static bool is_constant(const struct cel_node *node) {
        if (node->kind == CEL_NODE_LITERAL || node->constant)
                return true;
        if (node->kind != CEL_NODE_LIST && node->kind != CEL_NODE_MAP)
                return false;
        for (size_t i = 0; i < node->arg_count; i++) {
                if (!is_constant(node->args[i]))
                        return false;
        }
        return true;
}

/* A tenth of the bytes or elements, but 1 at least. */
static size_t cel_cost_tenth(const struct cel_value *value) {
        size_t size = value->kind == CEL_STRING || value->kind == CEL_BYTES ? value->as.text.len
                                                                            : value->count;

        return size > 10 ? (size + 9) / 10 : 1;
}

/* Functions that make lists of lists. */
static bool makes_list(const struct cel_value *first, const struct cel_node *node) {
        return node->is_member && first->kind == CEL_LIST && node->type &&
               node->type->kind == CEL_LIST;
}

bool cel_charge_call(struct cel_run *run, const struct cel_node *node,
                     const struct cel_value *args) {
        size_t cost = 1;

        if (node->arg_count && (args[0].kind == CEL_STRING || args[0].kind == CEL_BYTES))
                cost = cel_cost_tenth(&args[0]);
        else if (node->arg_count && makes_list(&args[0], node))
                cost = COST_LIST + args[0].count;
        return cel_charge(run, cost);
}

bool cel_charge_made(struct cel_run *run, const struct cel_node *node) {
        if (is_constant(node))
                return true;
        if (node->kind == CEL_NODE_OBJECT)
                return cel_charge(run, COST_OBJECT);
        return cel_charge(run, node->kind == CEL_NODE_MAP ? COST_MAP : COST_LIST);
}

bool cel_charge_relation(struct cel_run *run, const struct cel_node *node,
                         const struct cel_value *a, const struct cel_value *b) {
        size_t left = cel_cost_tenth(a), right = cel_cost_tenth(b);

        if (node->kind != CEL_NODE_IN)
                return cel_charge(run, left < right ? left : right);
        if (b->kind != CEL_LIST)
                return cel_charge(run, 1);
        return cel_charge(run, is_constant(node->args[1]) ? 0 : b->count);
}

bool cel_makes_map(enum cel_macro macro) {
        return macro == CEL_TRANSFORM_MAP || macro == CEL_TRANSFORM_ENTRY;
}

/* The condition and the step of upstream's loop, without what the expression adds. */
size_t cel_round_cost(enum cel_macro macro) {
        switch (macro) {
        case CEL_ALL:
                return 3;
        case CEL_EXISTS:
                return 4;
        default:
                return 0;
        }
}

size_t cel_element_cost(enum cel_macro macro) {
        switch (macro) {
        case CEL_FILTER:
                return COST_LIST + 3;
        case CEL_TRANSFORM_MAP:
                return 3;
        case CEL_TRANSFORM_ENTRY:
                return 2;
        default:
                return COST_LIST + 2;
        }
}
