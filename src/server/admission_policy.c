/* Goes through policies and their bindings for one write, and keeps the first refusal: warnings of
 * all of them are sent. */
#include "server/admission_policy.h"

#include "kinds/policy_judge.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"

/* One write before all policies. */
struct policy_run {
        struct api_context *context;
        const struct webhook_subject *subject;
        struct json_tree *environment; /* made for the first policy that concerns the write */
        /* Of the policy that is looked at. */
        const char *policy;
        const struct json *spec;
        const struct api_resource *params;
        /* The first refusal. */
        const char *message, *reason;
};

/* ---- refusals ---- */

static void policy_refuse(struct policy_run *run, const char *binding, const char *why,
                          const char *reason) {
        struct arena *arena = run->context->arena;

        if (run->message)
                return;
        run->reason = reason ? reason : "Invalid";
        run->message =
                binding ? arena_printf(arena,
                                       "ValidatingAdmissionPolicy '%s' with binding '%s' "
                                       "denied request: %s",
                                       run->policy, binding, why)
                        : arena_printf(arena, "ValidatingAdmissionPolicy '%s' denied request: %s",
                                       run->policy, why);
}

/* A policy or binding that cannot be used as it is. */
static void refuse_configuration(struct policy_run *run, const char *binding, const char *why) {
        if (slice_is(json_get_text(run->spec, "failurePolicy"), "Ignore"))
                return;
        policy_refuse(run, binding,
                      arena_printf(run->context->arena, "failed to configure %s: %s",
                                   binding ? "binding" : "policy", why),
                      NULL);
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

static int fail_policy(struct policy_run *run) {
        struct api_context *context = run->context;
        const struct json_node *metadata = node_get(run->subject->object, "metadata");
        struct failure_cause *cause = ARENA_NEW(context->arena, struct failure_cause);
        struct slice name = run->subject->name;

        if (name.len == 0)
                name = node_get_text(metadata, "generateName");
        if (name.len == 0)
                name = SLICE_LITERAL("Unknown");
        fail_forbidden(context, run->subject->group, run->subject->plural, name, run->message);
        *cause = (struct failure_cause){ .message = run->message };
        context->failure.code = reason_code(run->reason);
        context->failure.reason = run->reason;
        context->failure.causes = cause;
        context->failure.cause_count = 1;
        return API_FAILED;
}

/* ---- what expressions see ---- */

static void namespace_write(struct policy_run *run, struct buf *out) {
        const struct api_resource *namespaces = run->context->engine->resources.namespaces;
        const struct store_object *object =
                run->subject->is_namespaced
                        ? object_find(run->context, namespaces, SLICE_EMPTY, run->subject->ns)
                        : NULL;

        buf_text(out, ",\"namespaceObject\":");
        buf_slice(out, object ? store_object_body(object) : SLICE_LITERAL("null"));
}

static struct json_node *environment_of(struct policy_run *run) {
        struct buf text = { 0 };

        if (!run->environment) {
                buf_text(&text, "{\"request\":{\"uid\":\"\"");
                webhook_request_write(run->context, run->subject, &text);
                buf_char(&text, '}');
                webhook_objects_write(run->subject, &text);
                namespace_write(run, &text);
                buf_char(&text, '}');
                json_tree_parse(buf_view(&text), &run->environment, NULL);
                buf_release(&text);
        }
        return run->environment ? json_tree_root(run->environment) : NULL;
}

/* ---- one binding with one object of parameters ---- */

static void policy_act(struct policy_run *run, const char *binding, const struct json *actions,
                       const struct policy_denial *denial) {
        struct json_iter iter = json_iter(actions);
        const struct json *action;

        if (denial->is_final)
                policy_refuse(run, binding, denial->message, denial->reason);
        while (!denial->is_final && json_next(&iter, NULL, &action)) {
                if (slice_is(json_text(action), "Deny"))
                        policy_refuse(run, binding, denial->message, denial->reason);
                else if (slice_is(json_text(action), "Warn"))
                        warn_add(run->context,
                                 slice_of(arena_printf(run->context->arena,
                                                       "Validation failed for "
                                                       "ValidatingAdmissionPolicy '%s' with "
                                                       "binding '%s': %s",
                                                       run->policy, binding, denial->message)));
        }
}

/* param: NULL for none. */
static void policy_evaluate(struct policy_run *run, const char *binding, const struct json *spec,
                            const struct store_object *param) {
        struct json_node *environment = environment_of(run);
        struct policy_denials denials;
        struct buf text = { 0 };

        if (!environment)
                return;
        node_remove(environment, "params");
        if (param) {
                object_write(slice_of(run->params->prefix), store_object_body(param), &text);
                node_put(
                        run->environment, environment, "params",
                        node_import(run->environment, request_json(run->context, buf_view(&text))));
                buf_release(&text);
        }
        policy_judge(run->context->arena, run->spec, environment, &denials);
        for (size_t i = 0; i < denials.count; i++)
                policy_act(run, binding, json_get(spec, "validationActions"), &denials.items[i]);
}

/* ---- parameters ---- */

static size_t evaluate_selected(struct policy_run *run, const char *binding,
                                const struct json *spec, struct slice ns) {
        const struct json *selector = json_get(json_get(spec, "paramRef"), "selector");
        struct store_range range = { .resource = run->params->store_resource, .ns = ns };
        CLEANUP(cleanup_store_cursor) struct store_cursor *cursor = NULL;
        const struct store_object *param;
        size_t count = 0;

        if (store_cursor_open(run->context->engine->store, &range, &cursor, NULL) < 0)
                return 0;
        while ((param = store_cursor_next(cursor))) {
                const struct json *object = request_object_json(run->context, param);

                if (!labels_selected(run->context, selector, json_get(object, "metadata")))
                        continue;
                policy_evaluate(run, binding, spec, param);
                count++;
        }
        return count;
}

/* Where parameters are looked for; false, with what is wrong with that, when nowhere. */
static bool param_namespace(struct policy_run *run, const struct json *reference,
                            struct slice *ret_ns, const char **ret_why) {
        struct slice given = json_get_text(reference, "namespace");

        *ret_ns = given.len ? given : run->subject->ns;
        if (!(run->params->kind->flags & KIND_NAMESPACED)) {
                *ret_ns = SLICE_EMPTY;
                *ret_why = "paramRef.namespace must not be provided for a cluster-scoped "
                           "`paramKind`";
                return given.len == 0;
        }
        *ret_why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped "
                   "resources";
        return ret_ns->len > 0;
}

static void evaluate_binding(struct policy_run *run, const char *binding, const struct json *spec) {
        const struct json *reference = json_get(spec, "paramRef");
        struct slice name = json_get_text(reference, "name"), ns;
        const struct store_object *param;
        const char *why = NULL;
        size_t count = 0;

        if (!run->params || !reference) {
                policy_evaluate(run, binding, spec, NULL);
                return;
        }
        if (!param_namespace(run, reference, &ns, &why)) {
                refuse_configuration(run, binding, why);
                return;
        }
        if (name.len == 0) {
                count = evaluate_selected(run, binding, spec, ns);
        } else if ((param = object_find(run->context, run->params, ns, name))) {
                policy_evaluate(run, binding, spec, param);
                count = 1;
        }
        if (count == 0 && slice_is(json_get_text(reference, "parameterNotFoundAction"), "Deny"))
                refuse_configuration(run, binding,
                                     "no params found for policy binding with `Deny` "
                                     "parameterNotFoundAction");
}

/* False when the policy names a kind that is not served. */
static bool find_params(struct policy_run *run) {
        const struct json *wanted = json_get(run->spec, "paramKind");
        struct slice version = json_get_text(wanted, "apiVersion");
        struct slice kind = json_get_text(wanted, "kind");
        const struct api_resource *resource = NULL;

        run->params = NULL;
        if (!wanted)
                return true;
        while ((resource = resource_next(&run->context->engine->resources, resource)))
                if (slice_is(kind, resource->kind->kind) &&
                    slice_is(version, resource->api_version) && resource->store_resource >= 0)
                        run->params = resource;
        return run->params;
}

static const char *unknown_params(struct policy_run *run) {
        const struct json *wanted = json_get(run->spec, "paramKind");
        struct slice version = json_get_text(wanted, "apiVersion"), group = SLICE_EMPTY;

        if (slice_contains(version, SLICE_LITERAL("/")))
                slice_split(&version, '/', &group);
        return arena_printf(run->context->arena,
                            "failed to find resource referenced by paramKind: '" SLICE_FMT
                            "/" SLICE_FMT ", Kind=" SLICE_FMT "'",
                            SLICE_ARG(group), SLICE_ARG(version),
                            SLICE_ARG(json_get_text(wanted, "kind")));
}

/* ---- all policies ---- */

static void judge_bindings(struct policy_run *run) {
        const struct api_resource *bindings = run->context->engine->resources.policy_bindings;
        struct store_range range = { .resource = bindings->store_resource };
        CLEANUP(cleanup_store_cursor) struct store_cursor *cursor = NULL;
        const struct store_object *object;

        if (store_cursor_open(run->context->engine->store, &range, &cursor, NULL) < 0)
                return;
        while ((object = store_cursor_next(cursor))) {
                const struct json *spec =
                        json_get(request_object_json(run->context, object), "spec");
                const struct json *resources = json_get(spec, "matchResources");

                if (!slice_is(json_get_text(spec, "policyName"), run->policy))
                        continue;
                if (!find_params(run)) {
                        refuse_configuration(run, NULL, unknown_params(run));
                        return;
                }
                if (!resources || resources_match(run->context, resources, run->subject))
                        evaluate_binding(
                                run, arena_string(run->context->arena, store_object_name(object)),
                                spec);
        }
}

bool has_policies(const struct api_context *context) {
        const struct api_engine *engine = context->engine;
        const struct resource_table *resources = &engine->resources;

        return resources->policies && resources->policy_bindings && !engine->is_bootstrapping &&
               store_count(engine->store, resources->policies->store_resource) > 0 &&
               store_count(engine->store, resources->policy_bindings->store_resource) > 0;
}

int policies_validate(struct api_context *context, const struct webhook_subject *subject) {
        struct policy_run run = { .context = context, .subject = subject };
        struct store_cursor *cursor = NULL;
        const struct store_object *object;

        if (!has_policies(context))
                return 0;
        struct store_range range = {
                .resource = context->engine->resources.policies->store_resource,
        };
        if (store_cursor_open(context->engine->store, &range, &cursor, NULL) < 0)
                return 0;
        while ((object = store_cursor_next(cursor))) {
                run.spec = json_get(request_object_json(context, object), "spec");
                run.policy = arena_string(context->arena, store_object_name(object));
                if (resources_match(context, json_get(run.spec, "matchConstraints"), subject))
                        judge_bindings(&run);
        }
        store_cursor_close(cursor);
        json_tree_free(run.environment);
        return run.message ? fail_policy(&run) : 0;
}
