/* MutatingAdmissionPolicies: one after another, each seeing what those before it made of the
 * object. Failures are collected, and all of them answered. */
#include "server/mutating_policy.h"

#include "api/json_patch.h"
#include "schema/field_check.h"
#include "schema/field_merge.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/policy_dispatch.h"
#include "server/unknown_paths.h"

struct mutation_failure {
        const char *message;
        bool is_misfit; /* of the configuration, which are answered first */
};
struct mutation_state {
        struct mutation_target *target;
        struct mutation_rounds *rounds;
        struct mutation_failure *failures;
        size_t count, cap;
};

/* ---- failures ---- */

static void mutation_note(struct policy_run *run, const char *why, bool is_misfit) {
        struct arena *arena = run->context->arena;
        struct mutation_state *state = run->state;
        const char *message =
                run->binding
                        ? arena_printf(arena, "policy '%s' with binding '%s' denied request: %s",
                                       run->policy, run->binding, why)
                        : arena_printf(arena, "policy \"%s\" denied request: %s", run->policy, why);

        state->failures = arena_grow(arena, state->failures, state->count, &state->cap,
                                     sizeof(*state->failures));
        state->failures[state->count++] = (struct mutation_failure){ message, is_misfit };
}

static void mutation_misfit(struct policy_run *run, const char *why) {
        mutation_note(run, why, true);
}

static int mutation_fail(struct policy_run *run, const char *why) {
        if (!slice_is(json_get_text(run->spec, "failurePolicy"), "Ignore"))
                mutation_note(run, why, false);
        return API_FAILED;
}

/* Ends the request, whatever the policy says. */
static int mutation_break(struct policy_run *run, const char *why) {
        run->is_over = true;
        return fail_internal(run->context, why);
}

/* The first one gives message and reason; failures of configuration come first. */
static int fail_mutation(const struct policy_run *run) {
        const struct mutation_state *state = run->state;
        struct api_context *context = run->context;
        struct failure_cause *causes =
                ARENA_ARRAY(context->arena, struct failure_cause, state->count);
        struct slice name = run->subject->has_made_name ? SLICE_EMPTY : run->subject->name;
        bool is_misfit = false;
        size_t count = 0;

        for (int pass = 0; pass < 2; pass++)
                for (size_t i = 0; i < state->count; i++)
                        if (state->failures[i].is_misfit == (pass == 0)) {
                                is_misfit |= pass == 0;
                                causes[count++] = (struct failure_cause){
                                        .message = state->failures[i].message
                                };
                        }
        fail_forbidden(context, run->subject->group, run->subject->plural,
                       policy_refused_name(run->subject, name), "");
        context->failure.message = causes[0].message;
        context->failure.reason = is_misfit ? "Forbidden" : "Invalid";
        context->failure.causes = causes;
        context->failure.cause_count = count;
        return API_FAILED;
}

/* ---- applied configurations ---- */

static void note_atomic(const struct buf *path, struct buf *out) {
        buf_printf(out, "%s" SLICE_FMT, out->len ? ", " : "", SLICE_ARG(buf_view(path)));
}

/* Lists and maps that would be replaced as a whole, by their paths. */
static void find_atomics(struct field_shape shape, const struct json_node *value, struct buf *path,
                         struct buf *out) {
        enum json_type type = node_type(value);
        bool is_list = type == JSON_ARRAY;
        bool is_keyed = shape.field && shape.field->shape != SHAPE_ONE && !shape.is_element;
        struct node_iter iter = node_iter(value);
        size_t length = path->len, index = 0;
        struct json_node *inner;
        struct slice name;

        if (type != JSON_OBJECT && !is_list)
                return;
        if (field_extent(shape, value) == EXTENT_LEAF)
                note_atomic(path, out);
        if (!is_list && is_keyed)
                return;
        while (node_next(&iter, &name, &inner)) {
                struct field_shape next =
                        is_list ? field_shape_element(shape) : field_shape_member(&shape, name);

                if (is_list)
                        buf_printf(path, "[%zu]", index++);
                else
                        buf_printf(path, "." SLICE_FMT, SLICE_ARG(name));
                if (is_list || next.field)
                        find_atomics(next, inner, path, out);
                path->len = length;
        }
}

/* What is wrong with the configuration; NULL = nothing. */
static const char *configuration_problem(struct policy_run *run, const struct json_node *applied) {
        const struct mutation_state *state = run->state;
        const struct schema_object *type = state->target->owned_type;
        CLEANUP(buf_release) struct buf text = { 0 }, path = { 0 };

        if (!type) /* a Scale */
                return arena_printf(run->context->arena,
                                    "error applying patch: failed to convert patch object to typed "
                                    "object: no corresponding type for %s/%s, Kind=%s",
                                    run->subject->type_group, run->subject->type_version,
                                    run->subject->type);
        if (field_check(type, applied, &text))
                return arena_printf(run->context->arena,
                                    "error applying patch: failed to convert patch object to typed "
                                    "object: %s",
                                    text.data);
        find_atomics(field_shape_of(type), applied, &path, &text);
        if (text.len == 0)
                return NULL;
        return arena_printf(run->context->arena,
                            "error applying patch: invalid ApplyConfiguration: may not mutate "
                            "atomic arrays, maps or structs: " SLICE_FMT,
                            SLICE_ARG(buf_view(&text)));
}

static struct json_node *apply_configuration_of(struct policy_run *run,
                                                const struct json_node *made) {
        static const char *const identity[] = { "apiVersion", "kind" };
        const struct mutation_state *state = run->state;
        const struct mutation_target *target = state->target;
        struct json_node *applied = node_clone(target->tree, made);
        struct schema_report report = { .minor = target->minor, .is_value = true };
        struct err err = { 0 };

        for (size_t i = 0; i < ARRAY_LEN(identity); i++)
                node_put_text(target->tree, applied, identity[i],
                              node_get_text(target->object, identity[i]));
        const char *problem = configuration_problem(run, applied);
        struct json_node *object = NULL;
        if (!problem)
                object = field_merge(target->tree, field_shape_of(target->owned_type),
                                     target->object, applied);
        if (object && target->schema &&
            schema_normalise(target->schema, target->tree, object, &report, &err) < 0)
                problem = arena_printf(run->context->arena,
                                       "unable to convert unstructured object to %s" SLICE_FMT
                                       ", Kind=" SLICE_FMT ": %s",
                                       run->subject->type_group[0] ? "" : "/",
                                       SLICE_ARG(node_get_text(object, "apiVersion")),
                                       SLICE_ARG(node_get_text(object, "kind")), err.text);
        if (problem)
                mutation_fail(run, problem);
        return problem ? NULL : object;
}

/* ---- JSON patches ---- */

static void unknown_write(void *context, const char *path) {
        struct buf *out = context;

        buf_printf(out, "%sunknown field \"%s\"",
                   out->len ? ", " : "strict decoding error: ", path);
}

/* The patched object has to be one of its kind, with no other fields. */
static int check_patched(struct policy_run *run, struct json_tree *tree, struct json_node *object) {
        const struct mutation_state *state = run->state;
        const struct mutation_target *target = state->target;
        CLEANUP(buf_release) struct buf text = { 0 };
        struct unknown_paths unknown = { 0 };
        const struct schema_report report = { .minor = target->minor,
                                              .unknown = unknown_paths_note,
                                              .context = &unknown };
        struct err err = { 0 };
        int r = 0;

        if (node_type(object) != JSON_OBJECT)
                return mutation_break(run, "the patch leaves no object");
        if (target->schema)
                r = schema_normalise(target->schema, tree, object, &report, &err);
        unknown_paths_report(&unknown, false, unknown_write, &text);
        if (r < 0)
                return mutation_break(run, arena_string(run->context->arena, slice_of(err.text)));
        return text.len ? mutation_break(run, arena_string(run->context->arena, buf_view(&text)))
                        : 0;
}

/* The object as it was when a test in the patch fails. */
static struct json_node *apply_patch_of(struct policy_run *run, const struct json_node *made) {
        const struct mutation_state *state = run->state;
        const struct mutation_target *target = state->target;
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct err err = { 0 };

        json_tree_set_root(tree, node_clone(tree, target->object));
        int r = json_patch_apply_in_order(tree, made, &err);
        if (r == JSON_PATCH_UNEQUAL)
                return target->object;
        if (r < 0) {
                mutation_fail(run, arena_printf(run->context->arena, "JSON Patch: %s", err.text));
                return NULL;
        }
        return check_patched(run, tree, json_tree_root(tree)) < 0
                       ? NULL
                       : node_clone(target->tree, json_tree_root(tree));
}

/* ---- objects that are not there yet ---- */

/* What the server gives an object, it gets after policies have seen it. */
static const char *const given_members[] = { "uid", "creationTimestamp", "generation", "namespace",
                                             "name" };
struct given {
        struct json_node *values[ARRAY_LEN(given_members)];
};

static bool is_hidden(const struct mutation_target *target, const char *member) {
        return strcmp(member, "namespace") != 0 &&
               (strcmp(member, "name") != 0 || target->has_made_name);
}

/* A policy may give a name, but nothing else that is hidden from it. */
static bool may_give(const struct mutation_target *target, const char *member) {
        return !is_hidden(target, member) || strcmp(member, "name") == 0;
}

static void hide_given(const struct mutation_target *target, struct given *given) {
        struct json_node *metadata = node_get(target->object, "metadata");

        for (size_t i = 0; i < ARRAY_LEN(given_members); i++) {
                struct json_node *value = node_get(metadata, given_members[i]);

                given->values[i] = value ? node_clone(target->tree, value) : NULL;
                if (is_hidden(target, given_members[i]))
                        node_remove(metadata, given_members[i]);
        }
}

static void restore_given(const struct mutation_target *target, const struct given *given) {
        struct json_node *metadata = node_need_object(target->tree, target->object, "metadata");

        for (size_t i = 0; i < ARRAY_LEN(given_members); i++) {
                bool is_own =
                        may_give(target, given_members[i]) && node_get(metadata, given_members[i]);

                if (given->values[i] && !is_own)
                        node_put(target->tree, metadata, given_members[i], given->values[i]);
        }
}

/* ---- another version ---- */

/* Built-in types cannot be converted back, once they are changed; custom resources are the same in
 * all versions. */
static int convert_back(struct policy_run *run, struct json_node *object) {
        const struct mutation_state *state = run->state;
        const struct kind_info *matched = run->matched ? run->matched->kind : NULL;
        const struct kind_info *own = run->matched ? run->subject->resource->kind : NULL;

        if (!matched || slice_is(run->subject->subresource, "scale"))
                return 0;
        if (!state->target->schema) {
                node_put_string(state->target->tree, object, "apiVersion",
                                run->subject->resource->api_version);
                return 0;
        }
        return mutation_fail(run, arena_printf(run->context->arena,
                                               "converting (%s.%s) to (%s.%s): unknown conversion",
                                               matched->version, matched->kind, own->version,
                                               own->kind));
}

/* ---- one policy ---- */

/* Each sees what those before it made. */
static void mutation_apply(struct policy_run *run, const struct json *mutation) {
        struct mutation_state *state = run->state;
        struct mutation_target *target = state->target;
        struct policy_case policy;
        const char *text = NULL;
        bool is_patch;

        if (!environment_case(&run->environment, run->spec, &policy))
                return;
        struct json_node *made = policy_make(&policy, mutation, &is_patch, &text);

        if (!made) {
                mutation_fail(run, text);
                return;
        }
        struct json_node *object =
                is_patch ? apply_patch_of(run, made) : apply_configuration_of(run, made);
        if (!object || convert_back(run, object) < 0)
                return;
        if (target->apply_defaults)
                target->apply_defaults(target->tree, object);
        target->object = object;
        state->rounds->is_changed = true;
        environment_set_object(&run->environment, object);
}

static struct slice invocation_key(const struct policy_run *run) {
        return slice_of(arena_printf(run->context->arena, "%s %s %s", run->policy, run->binding,
                                     run->param));
}

static void mutation_evaluate(struct policy_run *run) {
        const struct mutation_state *state = run->state;
        struct mutation_rounds *rounds = state->rounds;
        struct json_iter iter = json_iter(json_get(run->spec, "mutations"));
        const struct json *mutation;
        struct policy_case policy;
        const char *text = NULL;

        if (!environment_case(&run->environment, run->spec, &policy))
                return;
        enum policy_match match = policy_conditions(&policy, &text);
        if (match == POLICY_FAILED)
                mutation_note(run, text, false);
        if (match != POLICY_APPLIES)
                return;
        if (rounds->is_second && !text_set_has(&rounds->again, invocation_key(run)))
                return;
        if (!rounds->is_second &&
            slice_is(json_get_text(run->spec, "reinvocationPolicy"), "IfNeeded"))
                text_set_add(&rounds->again, invocation_key(run));
        while (!run->is_over && json_next(&iter, NULL, &mutation))
                mutation_apply(run, mutation);
}

void mutation_rounds_release(struct mutation_rounds *rounds) {
        text_set_release(&rounds->again);
}

bool has_mutating_policies(const struct api_context *context) {
        const struct resource_table *resources = &context->engine->resources;

        return policies_exist(context->engine, resources->mutating_policies,
                              resources->mutating_bindings);
}

int policies_mutate(struct api_context *context, const struct webhook_subject *subject,
                    struct mutation_target *target, struct mutation_rounds *rounds) {
        const struct resource_table *resources = &context->engine->resources;
        const struct policy_sort sort = { .policies = resources->mutating_policies,
                                          .bindings = resources->mutating_bindings,
                                          .evaluate = mutation_evaluate,
                                          .misfit = mutation_misfit };
        struct mutation_state state = { .target = target, .rounds = rounds };
        struct policy_run run = {
                .context = context, .subject = subject, .sort = &sort, .state = &state
        };
        struct given given;

        if (!has_mutating_policies(context))
                return 0;
        if (target->is_unborn)
                hide_given(target, &given);
        policies_dispatch(&run);
        if (target->is_unborn)
                restore_given(target, &given);
        if (run.is_over)
                return API_FAILED;
        return state.count ? fail_mutation(&run) : 0;
}
