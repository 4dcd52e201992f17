/* What upstream's validators say of constant arguments when they compile an expression. */
#include "cel/cel_clauses.h"
#include "cel/cel_function.h"
#include "cel/cel_node.h"

#include "base/util.h"

/* Times and durations; other conversions fail when the program is planned. */
static int check_conversion(struct arena *arena, const struct cel_program *program,
                            const struct cel_node *call, struct err *err) {
        struct cel_run run = { .arena = arena, .steps = CEL_STEPS_PER_CALL, .cost_max = INT64_MAX };
        const struct cel_node *arg = call->args[0];
        const struct cel_function *function;
        size_t at = 0;

        while ((function = cel_function_next(call->name, false, &at))) {
                if (function->params[0] != arg->literal.kind)
                        continue;
                if (function->call(&run, &arg->literal).kind != CEL_ERROR)
                        return 0;
                return cel_fail(err, program->source, arg->at, "invalid " SLICE_FMT " argument",
                                SLICE_ARG(call->name));
        }
        return 0;
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

static int check_clause(const struct cel_program *program, const struct cel_node *call,
                        struct slice *rest, size_t index, struct err *err) {
        const struct cel_node *list = call->args[1];
        CLEANUP(buf_release) struct buf complaint = { 0 };
        struct cel_clause clause;

        if (rest->len == 0)
                return cel_fail(err, program->source, call->at, "unexpected end of string");
        if (index >= list->arg_count)
                return cel_fail(err, program->source, call->at, "index %zu out of range", index);
        if (!cel_clause_read(rest, &clause, &complaint))
                return cel_fail(err, program->source, call->at, "%s", complaint.data);
        const struct cel_node *refused = find_refused(clause.letter, list->args[index]);
        if (!refused)
                return 0;
        return cel_fail(
                err, program->source, refused->at, "error during formatting: %s, was given %s",
                cel_clause_refusal(clause.letter),
                refused->type->name ? refused->type->name : cel_kind_name(refused->type->kind));
}

static int check_format(const struct cel_program *program, const struct cel_node *call,
                        struct err *err) {
        struct slice rest = call->args[0]->literal.as.text;
        size_t count = 0, given = call->args[1]->arg_count;

        while (cel_clause_find(&rest, NULL))
                if (check_clause(program, call, &rest, count++, err) < 0)
                        return BERTH_ERR_INVALID;
        if (given > count)
                return cel_fail(err, program->source, call->at,
                                "too many arguments supplied to string.format (expected %zu, got "
                                "%zu)",
                                count, given);
        return 0;
}

int cel_check_literals(struct arena *arena, const struct cel_program *program,
                       const struct cel_node *call, struct err *err) {
        const struct cel_node *first = call->arg_count ? call->args[0] : NULL;

        if (!first || first->kind != CEL_NODE_LITERAL)
                return 0;
        if (!call->is_member && call->arg_count == 1 &&
            (slice_is(call->name, "duration") || slice_is(call->name, "timestamp")))
                return check_conversion(arena, program, call, err);
        if (call->is_member && slice_is(call->name, "format") && call->arg_count == 2 &&
            call->args[1]->kind == CEL_NODE_LIST)
                return check_format(program, call, err);
        return 0;
}
