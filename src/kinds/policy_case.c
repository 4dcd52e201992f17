/* Runs the expressions of one policy, or the conditions of one webhook, over one write. */
#include "cel/cel_access.h"
#include "cel/cel_admission.h"
#include "kinds/policy_expression.h"
#include <string.h>

#define CONDITION_STEPS_MAX 2500000

/* ---- questions to the authorizer ---- */

#define ACCOUNT_GROUPS 2

/* Of a service account: its user and groups. */
static void ask_for_account(const struct policy_case *policy, const struct cel_access *access,
                            struct access_question *question) {
        struct slice *groups = ARENA_ARRAY(policy->arena, struct slice, ACCOUNT_GROUPS);

        question->user = slice_of(
                arena_printf(policy->arena, "system:serviceaccount:" SLICE_FMT ":" SLICE_FMT,
                             SLICE_ARG(access->account_ns), SLICE_ARG(access->account)));
        groups[0] = SLICE_LITERAL("system:serviceaccounts");
        groups[1] = slice_of(arena_printf(policy->arena, "system:serviceaccounts:" SLICE_FMT,
                                          SLICE_ARG(access->account_ns)));
        question->groups = groups;
        question->group_count = ACCOUNT_GROUPS;
}

static bool policy_ask(void *context, const struct cel_access *access, const char **ret_reason) {
        const struct policy_case *policy = context;
        struct access_question question = {
                .user = policy->question.user,
                .groups = policy->question.groups,
                .group_count = policy->question.group_count,
                .verb = access->verb,
                .ns = access->ns,
                .group = access->group,
                .resource = access->resource,
                .subresource = access->subresource,
                .name = access->name,
                .path = access->path,
        };

        if (access->account.len)
                ask_for_account(policy, access, &question);
        return policy->authorize(policy->engine, &question, ret_reason);
}

/* ---- one expression ---- */

static struct cel_admission admission_of(const struct policy_case *policy) {
        const struct json *list = json_get(policy->spec, "variables"), *item;
        struct cel_variable *variables =
                ARENA_ARRAY(policy->arena, struct cel_variable, json_count(list) + 1);
        struct json_iter iter = json_iter(list);
        size_t count = 0;

        while (json_next(&iter, NULL, &item))
                variables[count++] =
                        (struct cel_variable){ .name = json_get_text(item, "name"),
                                               .expression = json_get_text(item, "expression") };
        return (struct cel_admission){ .has_params = json_get(policy->spec, "paramKind"),
                                       .variables = variables,
                                       .variable_count = count };
}

/* NULL, with the reason, when it cannot be run. */
static struct cel_program *program_of(const struct policy_case *policy, struct slice source,
                                      enum cel_result_kind wants, const char **ret_text) {
        struct cel_admission admission = admission_of(policy);
        struct cel_program *program = NULL;
        struct err err = { 0 };

        admission.wants = wants;
        admission.has_authorizer = wants != CEL_WANTS_STRING;
        if (cel_admission_compile(policy->arena, source, &admission, &program, &err) < 0) {
                *ret_text = arena_printf(policy->arena, "compilation error: compilation failed: %s",
                                         err.text);
                return NULL;
        }
        return program;
}

/* Two sorts of programs: those that say something, and those that make something (with a tree). */
static enum cel_outcome run_expression(const struct policy_case *policy, struct slice source,
                                       enum cel_result_kind wants, struct json_node **ret_node,
                                       const char **ret_text) {
        const struct access_question *asked = &policy->question;
        struct policy_case asking = *policy;
        const struct cel_access resource = { .group = asked->group,
                                             .resource = asked->resource,
                                             .subresource = asked->subresource,
                                             .ns = asked->ns,
                                             .name = asked->name };
        const struct cel_authorizer authorizer = { policy_ask, &asking, &resource };
        struct cel_input input = { .self = policy->environment,
                                   .arena = policy->arena,
                                   .steps = policy->steps,
                                   .authorizer = policy->authorize ? &authorizer : NULL };
        struct cel_program *program = program_of(policy, source, wants, ret_text);
        enum cel_outcome outcome = CEL_FAILED;

        if (program)
                outcome = ret_node ? cel_make(program, &input, policy->tree, ret_node, ret_text)
                                   : cel_evaluate(program, &input, ret_text);
        if (outcome == CEL_FAILED)
                *ret_text = arena_printf(policy->arena,
                                         "expression '" SLICE_FMT "' resulted in error: %s",
                                         SLICE_ARG(source), *ret_text);
        if (outcome == CEL_OVER_BUDGET)
                *ret_text = POLICY_OVER_BUDGET;
        cel_program_release(program);
        return outcome;
}

enum cel_outcome policy_evaluate(const struct policy_case *policy, struct slice source,
                                 enum cel_result_kind wants, const char **ret_text) {
        return run_expression(policy, source, wants, NULL, ret_text);
}

/* ---- changes ---- */

struct json_node *policy_make(const struct policy_case *policy, const struct json *mutation,
                              bool *ret_is_patch, const char **ret_text) {
        int64_t steps = POLICY_STEPS_MAX;
        struct policy_case alone = *policy;
        struct json_node *made = NULL;

        *ret_is_patch = slice_is(json_get_text(mutation, "patchType"), "JSONPatch");
        alone.steps = &steps;
        run_expression(&alone,
                       json_get_text(json_get(mutation,
                                              *ret_is_patch ? "jsonPatch" : "applyConfiguration"),
                                     "expression"),
                       *ret_is_patch ? CEL_WANTS_PATCHES : CEL_WANTS_OBJECT, &made, ret_text);
        return made;
}

/* ---- conditions ---- */

/* One failure as it is, several in brackets, each text once. */
static const char *failures_text(const struct policy_case *policy, const char *const *texts,
                                 size_t count) {
        const char *all = "";
        size_t text_count = 0;

        for (size_t i = 0; i < count; i++) {
                bool is_new = true;

                for (size_t j = 0; j < i; j++)
                        is_new &= strcmp(texts[i], texts[j]) != 0;
                if (is_new)
                        all = arena_printf(policy->arena, "%s%s%s", all, text_count++ ? ", " : "",
                                           texts[i]);
        }
        return text_count > 1 ? arena_printf(policy->arena, "[%s]", all) : all;
}

static enum policy_match judge_conditions(const struct policy_case *policy,
                                          const struct json *conditions, const char **ret_text) {
        const char **failures =
                ARENA_ARRAY(policy->arena, const char *, json_count(conditions) + 1);
        struct json_iter iter = json_iter(conditions);
        const struct json *condition;
        size_t failure_count = 0;
        enum cel_outcome outcome = CEL_TRUE;

        while (outcome != CEL_OVER_BUDGET && json_next(&iter, NULL, &condition)) {
                outcome = policy_evaluate(policy, json_get_text(condition, "expression"),
                                          CEL_WANTS_BOOL, &failures[failure_count]);
                if (outcome == CEL_FALSE)
                        return POLICY_SKIPPED;
                failure_count += outcome != CEL_TRUE;
        }
        if (failure_count == 0)
                return POLICY_APPLIES;
        *ret_text = outcome == CEL_OVER_BUDGET ? POLICY_OVER_BUDGET
                                               : failures_text(policy, failures, failure_count);
        return policy_is_lenient(policy) ? POLICY_SKIPPED : POLICY_FAILED;
}

/* They do not see the namespace. */
enum policy_match policy_conditions(const struct policy_case *policy, const char **ret_text) {
        const struct json *conditions = json_get(policy->spec, "matchConditions");
        struct json_node *shown = node_get(policy->environment, "namespaceObject");
        int64_t steps = CONDITION_STEPS_MAX;
        struct policy_case own = *policy;

        if (json_count(conditions) == 0)
                return POLICY_APPLIES;
        own.steps = &steps;
        node_put(policy->tree, policy->environment, "namespaceObject", node_null(policy->tree));
        enum policy_match match = judge_conditions(&own, conditions, ret_text);
        if (shown)
                node_put(policy->tree, policy->environment, "namespaceObject", shown);
        return match;
}

bool policy_is_lenient(const struct policy_case *policy) {
        return slice_is(json_get_text(policy->spec, "failurePolicy"), "Ignore");
}
