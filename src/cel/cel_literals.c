/* What is known of constant arguments before the program runs: upstream makes such conversions when
 * it compiles, and refuses the expression when one fails. */
#include "cel/cel_function.h"
#include "cel/cel_node.h"

#include "base/util.h"

static bool is_conversion(struct slice name) {
        static const char *const names[] = { "int",   "uint",   "double",   "bool",
                                             "bytes", "string", "duration", "timestamp" };

        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (slice_is(name, names[i]))
                        return true;
        }
        return false;
}

static int check_conversion(struct arena *arena, const struct cel_program *program,
                            const struct cel_node *call, struct err *err) {
        struct cel_run run = { .arena = arena, .steps = CEL_STEPS_PER_CALL, .cost_max = INT64_MAX };
        const struct cel_node *arg = call->args[0];
        const struct cel_function *function;
        size_t at = 0;

        while ((function = cel_function_next(call->name, false, &at))) {
                if (function->count != 1 || function->params[0] != arg->literal.kind)
                        continue;
                struct cel_value value = function->call(&run, &arg->literal);

                if (value.kind != CEL_ERROR)
                        return 0;
                if (slice_is(call->name, "duration") || slice_is(call->name, "timestamp"))
                        return cel_fail(err, program->source, arg->at,
                                        "invalid " SLICE_FMT " argument", SLICE_ARG(call->name));
                return err_set(err, BERTH_ERR_INVALID, "program instantiation failed: " SLICE_FMT,
                               SLICE_ARG(value.as.text));
        }
        return 0;
}

/* ---- formats ---- */

/* Kinds of values that a clause can write. */
static bool clause_takes(char clause, enum cel_kind kind) {
        if (kind == CEL_DYN)
                return true;
        switch (clause) {
        case 'd':
                return kind == CEL_INT || kind == CEL_UINT;
        case 'b':
        case 'o':
                return kind == CEL_INT || kind == CEL_UINT || kind == CEL_BOOL;
        case 'x':
        case 'X':
                return kind == CEL_INT || kind == CEL_UINT || kind == CEL_STRING ||
                       kind == CEL_BYTES;
        case 'f':
        case 'e':
                return kind == CEL_INT || kind == CEL_UINT || kind == CEL_DOUBLE;
        default:
                return kind != CEL_ANY;
        }
}

/* The letter of the next clause; 0 when there is none. */
static char next_clause(struct slice *rest) {
        while (rest->len) {
                char c = rest->ptr[0];

                *rest = slice_make(rest->ptr + 1, rest->len - 1);
                if (c != '%' || !rest->len)
                        continue;
                while (rest->len > 1 && strchr(".0123456789", rest->ptr[0]))
                        *rest = slice_make(rest->ptr + 1, rest->len - 1);
                c = rest->ptr[0];
                *rest = slice_make(rest->ptr + 1, rest->len - 1);
                if (c != '%')
                        return c;
        }
        return 0;
}

static int check_format(const struct cel_program *program, const struct cel_node *call,
                        struct err *err) {
        struct slice rest = call->args[0]->literal.as.text;
        const struct cel_node *list = call->args[1];
        size_t count = 0;
        char clause;

        while ((clause = next_clause(&rest))) {
                if (count == list->arg_count)
                        return cel_fail(err, program->source, list->at,
                                        "error during formatting: index %zu out of range", count);
                const struct cel_node *arg = list->args[count++];
                if (!clause_takes(clause, arg->type->kind))
                        return cel_fail(err, program->source, arg->at,
                                        "error during formatting: %c clause cannot be used on %s",
                                        clause, cel_kind_name(arg->type->kind));
        }
        return 0;
}

int cel_check_literals(struct arena *arena, const struct cel_program *program,
                       const struct cel_node *call, struct err *err) {
        const struct cel_node *first = call->arg_count ? call->args[0] : NULL;

        if (!first || first->kind != CEL_NODE_LITERAL)
                return 0;
        if (!call->is_member && call->arg_count == 1 && is_conversion(call->name))
                return check_conversion(arena, program, call, err);
        if (call->is_member && slice_is(call->name, "format") && call->arg_count == 2 &&
            call->args[1]->kind == CEL_NODE_LIST)
                return check_format(program, call, err);
        return 0;
}
