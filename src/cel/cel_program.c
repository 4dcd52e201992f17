/* Programs: compiled once, run over one input after another. */
#include "cel/cel_function.h"
#include "cel/cel_node.h"

#include <stdlib.h>

int cel_compile(struct arena *arena, struct slice source, const struct cel_options *options,
                struct cel_program **ret_program, struct err *err) {
        struct cel_program *program = ARENA_NEW(arena, struct cel_program);

        *program = (struct cel_program){ .self = options->self,
                                         .wants = options->wants,
                                         .name = slice_of(options->name ? options->name : "self"),
                                         .admission = options->admission,
                                         .is_environment = options->admission,
                                         .has_includes = options->has_includes,
                                         .has_bindings = options->has_bindings,
                                         .is_old_optional = options->is_old_optional };
        if (source.len > CEL_SOURCE_MAX)
                return err_set(err, BERTH_ERR_INVALID, "expression is longer than %zu bytes",
                               CEL_SOURCE_MAX);
        program->source = arena_slice(arena, source);
        if (cel_parse(arena, program->source, program->has_bindings, &program->root, err) < 0 ||
            cel_check(arena, program, err) < 0 || cel_plan(arena, program, err) < 0) {
                cel_program_release(program);
                return BERTH_ERR_INVALID;
        }
        program->admission = NULL;
        *ret_program = program;
        return 0;
}

void cel_program_release(struct cel_program *program) {
        if (!program)
                return;
        for (size_t i = 0; i < program->regex_count; i++)
                regex_free(program->regexes[i]->regex);
        free(program->regexes);
        program->regexes = NULL;
        program->regex_count = 0;
}

bool cel_program_uses_old(const struct cel_program *program) {
        return program->uses_old;
}

static struct cel_value old_value(struct cel_run *run, const struct cel_program *program,
                                  const struct json_node *node) {
        struct cel_value value = cel_from_node(run, node, program->self);

        return program->is_old_optional ? cel_optional(run, node ? &value : NULL) : value;
}

/* False when it took more than there was. More than one call may take is an error of an admission's
 * expression like any other. */
static bool program_run(const struct cel_program *program, const struct cel_input *input,
                        struct cel_run *run, struct cel_value *ret_value) {
        bool is_all = *input->steps <= CEL_STEPS_PER_CALL;
        int64_t steps = is_all ? *input->steps : CEL_STEPS_PER_CALL;

        *run = (struct cel_run){ .arena = input->arena,
                                 .function_next = cel_function_next,
                                 .cost_max = INT64_MAX,
                                 .is_environment = program->is_environment,
                                 .authorizer = input->authorizer,
                                 .steps = steps };
        run->self = cel_from_node(run, input->self, program->self);
        run->old = old_value(run, program, input->old);
        *ret_value = cel_run_node(run, program->root);
        *input->steps -= run->is_over ? steps : steps - run->steps;
        if (!run->is_over)
                return true;
        *ret_value = cel_error(run, "operation cancelled: actual cost limit exceeded");
        return program->is_environment && !is_all;
}

enum cel_outcome cel_evaluate(const struct cel_program *program, const struct cel_input *input,
                              const char **ret_text) {
        struct cel_value value;
        struct cel_run run;

        *ret_text = NULL;
        if (!program_run(program, input, &run, &value))
                return CEL_OVER_BUDGET;
        if (value.kind == CEL_BOOL)
                return value.as.boolean ? CEL_TRUE : CEL_FALSE;
        if (value.kind == CEL_NULL && program->wants == CEL_WANTS_ANYTHING)
                return CEL_NOTHING;
        if (value.kind == CEL_STRING || value.kind == CEL_ERROR)
                *ret_text = arena_string(input->arena, value.as.text);
        else
                *ret_text = "no such overload";
        return value.kind == CEL_STRING ? CEL_TEXT : CEL_FAILED;
}

enum cel_outcome cel_make(const struct cel_program *program, const struct cel_input *input,
                          struct json_tree *tree, struct json_node **ret_node,
                          const char **ret_text) {
        struct cel_value value;
        struct cel_run run;

        *ret_node = NULL;
        *ret_text = NULL;
        if (!program_run(program, input, &run, &value))
                return CEL_OVER_BUDGET;
        if (value.kind == CEL_ERROR) {
                *ret_text = arena_string(input->arena, value.as.text);
                return CEL_FAILED;
        }
        *ret_node = program->wants == CEL_WANTS_PATCHES
                            ? cel_patches_node(&run, tree, &value, ret_text)
                            : cel_object_node(&run, tree, &value, ret_text);
        return *ret_node ? CEL_MADE : CEL_UNFIT;
}
