/* What a ValidatingAdmissionPolicy finds wrong with one write: conditions first, then validations
 * with their messages. Annotations go to an audit log, of which there is none: only whether they
 * can be made counts. */
#include "kinds/policy_judge.h"

#include "kinds/policy_expression.h"

#define MESSAGE_MAX ((size_t)5 * 1024)

struct judgement {
        const struct policy_case *policy;
        struct policy_denials *denials;
};

static void policy_deny(struct judgement *judged, const char *message, const char *reason,
                        bool is_final) {
        struct policy_denials *denials = judged->denials;

        denials->items = arena_grow(judged->policy->arena, denials->items, denials->count,
                                    &denials->cap, sizeof(*denials->items));
        denials->items[denials->count++] = (struct policy_denial){ message, reason, is_final };
}

static void policy_fail(struct judgement *judged, const char *message) {
        if (!policy_is_lenient(judged->policy))
                policy_deny(judged, message, NULL, false);
}

/* ---- validations ---- */

/* What the message expression says, if that is one line of words. */
static struct slice made_message(struct judgement *judged, const struct json *validation) {
        struct slice source = json_get_text(validation, "messageExpression");
        const char *text = NULL;

        if (source.len == 0 ||
            policy_evaluate(judged->policy, source, CEL_WANTS_STRING, &text) != CEL_TEXT)
                return SLICE_EMPTY;
        struct slice message = slice_trim(slice_of(text));
        return message.len > MESSAGE_MAX || slice_contains(message, SLICE_LITERAL("\n"))
                       ? SLICE_EMPTY
                       : message;
}

static void deny_validation(struct judgement *judged, const struct json *validation) {
        struct slice message = made_message(judged, validation);
        struct slice reason = json_get_text(validation, "reason");

        if (message.len == 0)
                message = slice_trim(json_get_text(validation, "message"));
        policy_deny(judged,
                    message.len
                            ? arena_string(judged->policy->arena, message)
                            : arena_printf(judged->policy->arena, "failed expression: " SLICE_FMT,
                                           SLICE_ARG(slice_trim(
                                                   json_get_text(validation, "expression")))),
                    reason.len ? arena_string(judged->policy->arena, reason) : "Invalid", false);
}

/* False when there is nothing left to go on with. */
static bool judge_validation(struct judgement *judged, const struct json *validation) {
        const char *text = NULL;

        switch (policy_evaluate(judged->policy, json_get_text(validation, "expression"),
                                CEL_WANTS_BOOL, &text)) {
        case CEL_TRUE:
                return true;
        case CEL_FALSE:
                deny_validation(judged, validation);
                return true;
        case CEL_OVER_BUDGET:
                judged->denials->count = 0;
                policy_fail(judged, POLICY_OVER_BUDGET);
                return false;
        default:
                policy_fail(judged, text);
                return true;
        }
}

static void judge_annotation(struct judgement *judged, const struct json *annotation) {
        struct slice source = json_get_text(annotation, "valueExpression");
        const char *text = NULL;
        enum cel_outcome outcome =
                policy_evaluate(judged->policy, source, CEL_WANTS_ANYTHING, &text);

        if (outcome == CEL_TRUE || outcome == CEL_FALSE)
                policy_deny(judged,
                            arena_printf(judged->policy->arena,
                                         "valueExpression '" SLICE_FMT
                                         "' resulted in unsupported return type: bool. Return "
                                         "type must be either string or null.",
                                         SLICE_ARG(source)),
                            NULL, true);
        else if (outcome == CEL_FAILED && !policy_is_lenient(judged->policy))
                policy_deny(judged, text, NULL, true);
        else if (outcome == CEL_OVER_BUDGET)
                policy_fail(judged, POLICY_OVER_BUDGET);
}

/* ---- the whole ---- */

void policy_judge(const struct policy_case *policy, struct policy_denials *ret_denials) {
        int64_t steps = POLICY_STEPS_MAX;
        struct policy_case own = *policy;
        struct judgement judged = { .policy = &own, .denials = ret_denials };
        struct json_iter iter = json_iter(json_get(policy->spec, "validations"));
        const struct json *item;
        const char *text = NULL;

        *ret_denials = (struct policy_denials){ 0 };
        switch (policy_conditions(policy, &text)) {
        case POLICY_SKIPPED:
                return;
        case POLICY_FAILED:
                policy_fail(&judged, text);
                return;
        case POLICY_APPLIES:
                break;
        }
        own.steps = &steps;
        while (json_next(&iter, NULL, &item))
                if (!judge_validation(&judged, item))
                        return;
        steps = POLICY_STEPS_MAX;
        iter = json_iter(json_get(policy->spec, "auditAnnotations"));
        while (json_next(&iter, NULL, &item))
                judge_annotation(&judged, item);
}
