/* ValidatingAdmissionPolicies: keeps the first refusal; warnings of all of them are sent. */
#include "server/admission_policy.h"

#include "kinds/policy_judge.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_output.h"
#include "server/policy_dispatch.h"

/* The first one. */
struct policy_refusal {
        const char *message, *reason;
};

/* ---- refusals ---- */

static void policy_refuse(struct policy_run *run, const char *why, const char *reason) {
        struct arena *arena = run->context->arena;
        struct policy_refusal *refusal = run->state;

        if (refusal->message)
                return;
        refusal->reason = reason ? reason : "Invalid";
        refusal->message =
                run->binding
                        ? arena_printf(arena,
                                       "ValidatingAdmissionPolicy '%s' with binding '%s' "
                                       "denied request: %s",
                                       run->policy, run->binding, why)
                        : arena_printf(arena, "ValidatingAdmissionPolicy '%s' denied request: %s",
                                       run->policy, why);
}

static void policy_misfit(struct policy_run *run, const char *why) {
        policy_refuse(run, why, NULL);
}

static int reason_code(const char *reason) {
        static const struct {
                const char *reason;
                int code;
        } codes[] = { { "Forbidden", 403 }, { "RequestEntityTooLarge", 413 } };

        for (size_t i = 0; i < ARRAY_LEN(codes); i++)
                if (strcmp(codes[i].reason, reason) == 0)
                        return codes[i].code;
        return 422;
}

static int fail_policy(const struct policy_run *run) {
        const struct policy_refusal *refusal = run->state;
        struct api_context *context = run->context;
        struct failure_cause *cause = ARENA_NEW(context->arena, struct failure_cause);

        fail_forbidden(context, run->subject->group, run->subject->plural,
                       policy_refused_name(run->subject, run->subject->name), refusal->message);
        *cause = (struct failure_cause){ .message = refusal->message };
        context->failure.code = reason_code(refusal->reason);
        context->failure.reason = refusal->reason;
        context->failure.causes = cause;
        context->failure.cause_count = 1;
        return API_FAILED;
}

static void policy_act(struct policy_run *run, const struct policy_denial *denial) {
        struct json_iter iter = json_iter(json_get(run->binding_spec, "validationActions"));
        const struct json *action;

        if (denial->is_final)
                policy_refuse(run, denial->message, denial->reason);
        while (!denial->is_final && json_next(&iter, NULL, &action)) {
                if (slice_is(json_text(action), "Deny"))
                        policy_refuse(run, denial->message, denial->reason);
                else if (slice_is(json_text(action), "Warn"))
                        warn_add(
                                run->context,
                                slice_of(arena_printf(run->context->arena,
                                                      "Validation failed for "
                                                      "ValidatingAdmissionPolicy '%s' with "
                                                      "binding '%s': %s",
                                                      run->policy, run->binding, denial->message)));
        }
}

static void policy_evaluate(struct policy_run *run) {
        struct policy_case policy;
        struct policy_denials denials;

        if (!environment_case(&run->environment, run->spec, &policy))
                return;
        policy_judge(&policy, &denials);
        for (size_t i = 0; i < denials.count; i++)
                policy_act(run, &denials.items[i]);
}

bool has_policies(const struct api_context *context) {
        const struct resource_table *resources = &context->engine->resources;

        return policies_exist(context->engine, resources->policies, resources->policy_bindings);
}

int policies_validate(struct api_context *context, const struct webhook_subject *subject) {
        const struct resource_table *resources = &context->engine->resources;
        const struct policy_sort sort = { .policies = resources->policies,
                                          .bindings = resources->policy_bindings,
                                          .evaluate = policy_evaluate,
                                          .misfit = policy_misfit };
        struct policy_refusal refusal = { 0 };
        struct policy_run run = {
                .context = context, .subject = subject, .sort = &sort, .state = &refusal
        };

        if (!has_policies(context))
                return 0;
        policies_dispatch(&run);
        return refusal.message ? fail_policy(&run) : 0;
}
