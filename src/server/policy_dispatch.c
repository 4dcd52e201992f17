/* Goes through policies and their bindings for one write: which concern it, with which parameters.
 */
#include "server/policy_dispatch.h"

#include "server/api_context.h"
#include "server/api_object.h"
#include "server/api_output.h"

/* ---- one binding with one object of parameters ---- */

/* param: NULL for none. */
static void dispatch_one(struct policy_run *run, const struct store_object *param) {
        if (run->is_over)
                return;
        run->param = param ? arena_printf(run->context->arena, SLICE_FMT "/" SLICE_FMT,
                                          SLICE_ARG(store_object_ns(param)),
                                          SLICE_ARG(store_object_name(param)))
                           : "";
        environment_set_params(&run->environment, run->params, param);
        run->sort->evaluate(run);
}

/* A policy or binding that cannot be used as it is. */
static void dispatch_misfit(struct policy_run *run, const char *why) {
        if (!slice_is(json_get_text(run->spec, "failurePolicy"), "Ignore"))
                run->sort->misfit(run,
                                  arena_printf(run->context->arena, "failed to configure %s: %s",
                                               run->binding ? "binding" : "policy", why));
}

/* ---- parameters ---- */

static size_t dispatch_selected(struct policy_run *run, const struct json *selector,
                                struct slice ns) {
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
                dispatch_one(run, param);
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

static void dispatch_binding(struct policy_run *run) {
        const struct json *reference = json_get(run->binding_spec, "paramRef");
        struct slice name = json_get_text(reference, "name"), ns;
        const struct store_object *param;
        const char *why = NULL;
        size_t count = 0;

        if (!run->params || !reference) {
                dispatch_one(run, NULL);
                return;
        }
        if (!param_namespace(run, reference, &ns, &why)) {
                dispatch_misfit(run, why);
                return;
        }
        if (name.len == 0) {
                count = dispatch_selected(run, json_get(reference, "selector"), ns);
        } else if ((param = object_find(run->context, run->params, ns, name))) {
                dispatch_one(run, param);
                count = 1;
        }
        if (count == 0 && slice_is(json_get_text(reference, "parameterNotFoundAction"), "Deny"))
                dispatch_misfit(run, "no params found for policy binding with `Deny` "
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

struct slice policy_refused_name(const struct webhook_subject *subject, struct slice name) {
        if (name.len == 0)
                name = node_get_text(node_get(subject->object, "metadata"), "generateName");
        return name.len ? name : SLICE_LITERAL("Unknown");
}

/* ---- all policies ---- */

static void dispatch_bindings(struct policy_run *run) {
        struct store_range range = { .resource = run->sort->bindings->store_resource };
        CLEANUP(cleanup_store_cursor) struct store_cursor *cursor = NULL;
        const struct store_object *object;

        if (store_cursor_open(run->context->engine->store, &range, &cursor, NULL) < 0)
                return;
        while (!run->is_over && (object = store_cursor_next(cursor))) {
                const struct json *spec =
                        json_get(request_object_json(run->context, object), "spec");
                const struct json *resources = json_get(spec, "matchResources");
                const struct api_resource *ignored;

                run->binding = NULL;
                if (!slice_is(json_get_text(spec, "policyName"), run->policy))
                        continue;
                if (!find_params(run)) {
                        dispatch_misfit(run, unknown_params(run));
                        return;
                }
                run->binding = arena_string(run->context->arena, store_object_name(object));
                run->binding_spec = spec;
                if (!resources || resources_match(run->context, resources, run->subject, &ignored))
                        dispatch_binding(run);
        }
}

bool policies_exist(const struct api_engine *engine, const struct api_resource *policies,
                    const struct api_resource *bindings) {
        return policies && bindings && !engine->is_bootstrapping &&
               store_count(engine->store, policies->store_resource) > 0 &&
               store_count(engine->store, bindings->store_resource) > 0;
}

void policies_dispatch(struct policy_run *run) {
        struct store_range range = { .resource = run->sort->policies->store_resource };
        CLEANUP(cleanup_store_cursor) struct store_cursor *cursor = NULL;
        const struct store_object *object;

        run->environment =
                (struct admission_environment){ .context = run->context, .subject = *run->subject };
        if (store_cursor_open(run->context->engine->store, &range, &cursor, NULL) < 0)
                return;
        while (!run->is_over && (object = store_cursor_next(cursor))) {
                run->spec = json_get(request_object_json(run->context, object), "spec");
                run->policy = arena_string(run->context->arena, store_object_name(object));
                if (!resources_match(run->context, json_get(run->spec, "matchConstraints"),
                                     run->subject, &run->matched))
                        continue;
                environment_set_version(&run->environment, run->matched);
                dispatch_bindings(run);
        }
        environment_release(&run->environment);
}
