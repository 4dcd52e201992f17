/* What upstream's validators say of constant arguments when they compile an expression. */
#include "cel/cel_check_priv.h"
#include "cel/cel_clauses.h"
#include "cel/cel_function.h"

#include "base/util.h"

/* Times and durations; other conversions fail when the program is planned. */
static void check_conversion(struct cel_checker *checker, const struct cel_node *call) {
        struct cel_run run = { .arena = checker->arena,
                               .steps = CEL_STEPS_PER_CALL,
                               .cost_max = INT64_MAX };
        const struct cel_node *arg = call->args[0];
        const struct cel_function *function;
        size_t at = 0;

        while ((function = cel_function_next(call->name, false, &at))) {
                if (function->params[0] != arg->literal.kind)
                        continue;
                if (function->call(&run, &arg->literal).kind == CEL_ERROR)
                        cel_check_fail_late(checker, arg, "invalid " SLICE_FMT " argument",
                                            SLICE_ARG(call->name));
                return;
        }
}

/* ---- formats ---- */

/* What a clause does not take of a value, down to the elements of what is written out; NULL = it
 * takes all. */
static const struct cel_node *find_refused(char letter, const struct cel_node *node) {
        const struct cel_node *refused = NULL;

        if (!cel_clause_takes(letter, node->type->kind))
                return node;
        if (letter != 's' || (node->kind != CEL_NODE_LIST && node->kind != CEL_NODE_MAP))
                return NULL;
        for (size_t i = 0; !refused && i < node->arg_count; i++)
                refused = find_refused(letter, node->args[i]);
        return refused;
}

/* False when something is wrong. */
static bool check_clause(struct cel_checker *checker, const struct cel_node *call,
                         struct slice *rest, size_t index) {
        const struct cel_node *list = call->args[1], *refused = NULL;
        CLEANUP(buf_release) struct buf complaint = { 0 };
        struct cel_clause clause;

        if (rest->len == 0)
                cel_check_fail_late(checker, call, "unexpected end of string");
        else if (index >= list->arg_count)
                cel_check_fail_late(checker, call, "index %zu out of range", index);
        else if (!cel_clause_read(rest, &clause, &complaint))
                cel_check_fail_late(checker, call, "%s", complaint.data);
        else if ((refused = find_refused(clause.letter, list->args[index])))
                cel_check_fail_late(checker, refused, "error during formatting: %s, was given %s",
                                    cel_clause_refusal(clause.letter),
                                    refused->type->name ? refused->type->name
                                                        : cel_kind_name(refused->type->kind));
        else
                return true;
        return false;
}

static void check_format(struct cel_checker *checker, const struct cel_node *call) {
        struct slice rest = call->args[0]->literal.as.text;
        size_t count = 0, given = call->args[1]->arg_count;

        while (cel_clause_find(&rest, NULL))
                if (!check_clause(checker, call, &rest, count++))
                        return;
        if (given > count)
                cel_check_fail_late(checker, call,
                                    "too many arguments supplied to string.format (expected %zu, "
                                    "got %zu)",
                                    count, given);
}

void cel_check_literals(struct cel_checker *checker, const struct cel_node *call) {
        const struct cel_node *first = call->arg_count ? call->args[0] : NULL;

        if (!first || first->kind != CEL_NODE_LITERAL)
                return;
        if (!call->is_member && call->arg_count == 1 &&
            (slice_is(call->name, "duration") || slice_is(call->name, "timestamp")))
                check_conversion(checker, call);
        if (call->is_member && slice_is(call->name, "format") && call->arg_count == 2 &&
            call->args[1]->kind == CEL_NODE_LIST)
                check_format(checker, call);
}
