/* What is worked out once, before a program runs, as upstream's planner does it: constants and the
 * conversions of them. The expression is refused when one fails (cel-go interpreter/decorators.go,
 * planner.go). */
#include "cel/cel_function.h"
#include "cel/cel_node.h"

#include "base/util.h"

struct plan {
        struct arena *arena;
        struct err *err;
};

bool cel_is_conversion(const struct cel_node *node) {
        static const char *const names[] = { "bool",   "bytes",     "double", "duration", "dyn",
                                             "string", "timestamp", "type",   "uint",     "int" };

        if (node->kind != CEL_NODE_CALL || node->is_member || node->arg_count != 1)
                return false;
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (slice_is(node->name, names[i]))
                        return true;
        }
        return false;
}

static const struct cel_value *constant_of(const struct cel_node *node) {
        return node->kind == CEL_NODE_LITERAL ? &node->literal : node->constant;
}

static bool has_constant_args(const struct cel_node *node) {
        for (size_t i = 0; i < node->arg_count; i++) {
                if (!constant_of(node->args[i]))
                        return false;
        }
        return true;
}

static int cel_plan_refuse(const struct plan *plan, const char *complaint, struct slice detail) {
        return err_set(plan->err, BERTH_ERR_INVALID, "program instantiation failed: %s" SLICE_FMT,
                       complaint, SLICE_ARG(detail));
}

/* A list that cannot be made is found out when it is used; a conversion that fails, now. */
static int make_constant(const struct plan *plan, struct cel_node *node) {
        struct cel_run run = { .arena = plan->arena,
                               .function_next = cel_function_next,
                               .steps = CEL_STEPS_PER_CALL,
                               .cost_max = INT64_MAX };
        struct cel_value *value = ARENA_NEW(plan->arena, struct cel_value);

        *value = cel_run_node(&run, node);
        if (value->kind == CEL_ERROR && node->kind == CEL_NODE_CALL)
                return cel_plan_refuse(plan, "", value->as.text);
        node->constant = value;
        return 0;
}

/* ---- places in lists and maps ---- */

static int check_place(const struct plan *plan, const struct cel_node *node) {
        const struct cel_value *place = constant_of(node->args[1]);

        return place && !cel_is_place(place->kind)
                       ? cel_plan_refuse(plan, "invalid qualifier type: ",
                                         slice_of(cel_go_type(place->kind)))
                       : 0;
}

/* ---- patterns ---- */

static bool has_pattern(const struct cel_node *node) {
        return node->is_member && node->arg_count >= 2 && !node->regex &&
               (slice_is(node->name, "matches") || slice_is(node->name, "find") ||
                slice_is(node->name, "findAll"));
}

static int check_pattern(const struct plan *plan, const struct cel_node *node) {
        const struct cel_value *pattern = constant_of(node->args[1]);
        struct cel_run run = { .arena = plan->arena };

        if (!pattern || pattern->kind != CEL_STRING)
                return 0;
        struct regex *regex = regex_new(pattern->as.text, NULL);
        regex_free(regex);
        return regex ? 0
                     : cel_plan_refuse(plan, "",
                                       cel_regex_error(&run, pattern->as.text, "").as.text);
}

/* ---- all of it ---- */

static int plan_node(const struct plan *plan, struct cel_node *node) {
        if (node->variable_of.len) /* a program of its own */
                return 0;
        for (size_t i = 0; i < node->arg_count; i++) {
                if (plan_node(plan, node->args[i]) < 0)
                        return BERTH_ERR_INVALID;
        }
        switch (node->kind) {
        case CEL_NODE_LIST:
        case CEL_NODE_MAP:
                return has_constant_args(node) ? make_constant(plan, node) : 0;
        case CEL_NODE_INDEX:
                return check_place(plan, node);
        case CEL_NODE_CALL:
                if (cel_is_conversion(node) && has_constant_args(node))
                        return make_constant(plan, node);
                return has_pattern(node) ? check_pattern(plan, node) : 0;
        default:
                return 0;
        }
}

int cel_plan(struct arena *arena, struct cel_program *program, struct err *err) {
        return plan_node(&(struct plan){ arena, err }, program->root);
}
