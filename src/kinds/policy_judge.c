/* Expressions of a ValidatingAdmissionPolicy over one write: conditions first, then validations
 * with their messages. Annotations go to an audit log, of which there is none: only whether they
 * can be made counts. */
#include "kinds/policy_judge.h"

#include "cel/cel_admission.h"
#include <string.h>

#define STEPS_MAX                                                                                  \
        10000000 /* of all validations together; upstream limits their cost to as much             \
                  */
#define CONDITION_STEPS_MAX 2500000
#define MESSAGE_MAX ((size_t)5 * 1024)
#define OVER_BUDGET                                                                                \
        "validation failed due to running out of cost budget, no further validation rules will be" \
        " run"

struct policy_case {
        struct arena *arena;
        const struct json *spec;
        const struct json_node *environment;
        struct cel_admission admission;
        bool is_lenient; /* what fails does not deny */
        int64_t steps;
        struct policy_denials *denials;
};

static void policy_deny(struct policy_case *judged, const char *message, const char *reason,
                        bool is_final) {
        struct policy_denials *denials = judged->denials;

        if (denials->count == denials->cap) {
                size_t cap = denials->cap ? 2 * denials->cap : 4;
                struct policy_denial *items = ARENA_ARRAY(judged->arena, struct policy_denial, cap);

                for (size_t i = 0; i < denials->count; i++)
                        items[i] = denials->items[i];
                denials->items = items;
                denials->cap = cap;
        }
        denials->items[denials->count++] = (struct policy_denial){ message, reason, is_final };
}

static void policy_fail(struct policy_case *judged, const char *message) {
        if (!judged->is_lenient)
                policy_deny(judged, message, NULL, false);
}

/* ---- one expression ---- */

static const char *failure_text(struct policy_case *judged, struct slice source, const char *why) {
        return arena_printf(judged->arena, "expression '" SLICE_FMT "' resulted in error: %s",
                            SLICE_ARG(source), why);
}

/* *ret_text: the string, or why there is no result. */
static enum cel_outcome expression_run(struct policy_case *judged, struct slice source,
                                       enum cel_result_kind wants, const char **ret_text) {
        struct cel_admission admission = judged->admission;
        struct cel_input input = { .self = judged->environment,
                                   .arena = judged->arena,
                                   .steps = &judged->steps };
        struct cel_program *program = NULL;
        enum cel_outcome outcome = CEL_FAILED;
        struct err err = { 0 };

        admission.wants = wants;
        admission.has_authorizer = wants != CEL_WANTS_STRING;
        if (cel_admission_compile(judged->arena, source, &admission, &program, &err) < 0) {
                *ret_text = arena_printf(judged->arena, "compilation error: compilation failed: %s",
                                         err.text);
                return CEL_FAILED;
        }
        if (cel_program_unsupported(program))
                *ret_text = arena_printf(judged->arena, "%s is not supported",
                                         cel_program_unsupported(program));
        else
                outcome = cel_evaluate(program, &input, ret_text);
        if (outcome == CEL_FAILED)
                *ret_text = failure_text(judged, source, *ret_text);
        cel_program_release(program);
        return outcome;
}

/* ---- conditions ---- */

/* One failure as it is, several in brackets, each text once. */
static const char *failures_text(struct policy_case *judged, const char *const *texts,
                                 size_t count) {
        const char *all = "";
        size_t text_count = 0;

        for (size_t i = 0; i < count; i++) {
                bool is_new = true;

                for (size_t j = 0; j < i; j++)
                        is_new &= strcmp(texts[i], texts[j]) != 0;
                if (is_new)
                        all = arena_printf(judged->arena, "%s%s%s", all, text_count++ ? ", " : "",
                                           texts[i]);
        }
        return text_count > 1 ? arena_printf(judged->arena, "[%s]", all) : all;
}

/* A condition that is false decides; if none is, one that fails is a failure of the policy. */
static bool are_conditions_met(struct policy_case *judged) {
        const struct json *conditions = json_get(judged->spec, "matchConditions");
        const char **failures =
                ARENA_ARRAY(judged->arena, const char *, json_count(conditions) + 1);
        struct json_iter iter = json_iter(conditions);
        const struct json *condition;
        size_t failure_count = 0;

        judged->steps = CONDITION_STEPS_MAX;
        while (json_next(&iter, NULL, &condition)) {
                const char *text = NULL;
                enum cel_outcome outcome = expression_run(
                        judged, json_get_text(condition, "expression"), CEL_WANTS_BOOL, &text);

                if (outcome == CEL_FALSE)
                        return false;
                if (outcome == CEL_OVER_BUDGET) {
                        policy_fail(judged, OVER_BUDGET);
                        return false;
                }
                if (outcome != CEL_TRUE)
                        failures[failure_count++] = text;
        }
        if (failure_count)
                policy_fail(judged, failures_text(judged, failures, failure_count));
        return failure_count == 0;
}

/* ---- validations ---- */

/* What the message expression says, if that is one line of words. */
static struct slice made_message(struct policy_case *judged, const struct json *validation) {
        struct slice source = json_get_text(validation, "messageExpression");
        const char *text = NULL;

        if (source.len == 0 || expression_run(judged, source, CEL_WANTS_STRING, &text) != CEL_TEXT)
                return SLICE_EMPTY;
        struct slice message = slice_trim(slice_of(text));
        return message.len > MESSAGE_MAX || slice_contains(message, SLICE_LITERAL("\n"))
                       ? SLICE_EMPTY
                       : message;
}

static void deny_validation(struct policy_case *judged, const struct json *validation) {
        struct slice message = made_message(judged, validation);
        struct slice reason = json_get_text(validation, "reason");

        if (message.len == 0)
                message = slice_trim(json_get_text(validation, "message"));
        policy_deny(judged,
                    message.len ? arena_string(judged->arena, message)
                                : arena_printf(judged->arena, "failed expression: " SLICE_FMT,
                                               SLICE_ARG(slice_trim(
                                                       json_get_text(validation, "expression")))),
                    reason.len ? arena_string(judged->arena, reason) : "Invalid", false);
}

/* False when there is nothing left to go on with. */
static bool judge_validation(struct policy_case *judged, const struct json *validation) {
        const char *text = NULL;

        switch (expression_run(judged, json_get_text(validation, "expression"), CEL_WANTS_BOOL,
                               &text)) {
        case CEL_TRUE:
                return true;
        case CEL_FALSE:
                deny_validation(judged, validation);
                return true;
        case CEL_OVER_BUDGET:
                judged->denials->count = 0;
                policy_fail(judged, OVER_BUDGET);
                return false;
        default:
                policy_fail(judged, text);
                return true;
        }
}

static void judge_annotation(struct policy_case *judged, const struct json *annotation) {
        struct slice source = json_get_text(annotation, "valueExpression");
        const char *text = NULL;
        enum cel_outcome outcome = expression_run(judged, source, CEL_WANTS_ANYTHING, &text);

        if (outcome == CEL_TRUE || outcome == CEL_FALSE)
                policy_deny(judged,
                            arena_printf(judged->arena,
                                         "valueExpression '" SLICE_FMT
                                         "' resulted in unsupported return type: bool. Return "
                                         "type must be either string or null.",
                                         SLICE_ARG(source)),
                            NULL, true);
        else if (outcome == CEL_FAILED && !judged->is_lenient)
                policy_deny(judged, text, NULL, true);
        else if (outcome == CEL_OVER_BUDGET)
                policy_fail(judged, OVER_BUDGET);
}

/* ---- the whole ---- */

static void take_variables(struct policy_case *judged) {
        const struct json *list = json_get(judged->spec, "variables"), *item;
        struct cel_variable *variables =
                ARENA_ARRAY(judged->arena, struct cel_variable, json_count(list) + 1);
        struct json_iter iter = json_iter(list);
        size_t count = 0;

        while (json_next(&iter, NULL, &item))
                variables[count++] =
                        (struct cel_variable){ .name = json_get_text(item, "name"),
                                               .expression = json_get_text(item, "expression") };
        judged->admission =
                (struct cel_admission){ .has_params = json_get(judged->spec, "paramKind"),
                                        .variables = variables,
                                        .variable_count = count };
}

void policy_judge(struct arena *arena, const struct json *spec, const struct json_node *environment,
                  struct policy_denials *ret_denials) {
        struct policy_case judged = {
                .arena = arena,
                .spec = spec,
                .environment = environment,
                .is_lenient = slice_is(json_get_text(spec, "failurePolicy"), "Ignore"),
                .denials = ret_denials,
        };
        struct json_iter iter = json_iter(json_get(spec, "validations"));
        const struct json *item;

        *ret_denials = (struct policy_denials){ 0 };
        take_variables(&judged);
        if (!are_conditions_met(&judged))
                return;
        judged.steps = STEPS_MAX;
        while (json_next(&iter, NULL, &item))
                if (!judge_validation(&judged, item))
                        return;
        judged.steps = STEPS_MAX;
        iter = json_iter(json_get(spec, "auditAnnotations"));
        while (json_next(&iter, NULL, &item))
                judge_annotation(&judged, item);
}
