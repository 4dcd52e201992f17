/* What every write goes through: defaults, admission, validation, what judges it. */
#include "server/write_stages.h"

#include "base/map.h"
#include "base/text_set.h"
#include "kinds/admit.h"
#include "kinds/gated_fields.h"
#include "kinds/metadata_check.h"
#include "kinds/pod_security.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_metadata.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_state.h"
#include "server/emptied_values.h"
#include "server/managed_fields.h"
#include "server/mutating_policy.h"
#include "server/raw_forms.h"
#include "server/rbac_escalation.h"
#include "server/webhook.h"
#include <string.h>

static int fail_admission(struct api_context *context, const struct api_write *write,
                          const struct err *err) {
        int r = fail_hook(context, admitted_name(&context->hooks, write->object), err);

        if (context->hooks.cause) {
                struct failure_cause *cause = ARENA_NEW(context->arena, struct failure_cause);

                *cause = (struct failure_cause){ .reason = context->hooks.cause };
                context->failure.causes = cause;
                context->failure.cause_count = 1;
        }
        return r;
}

static void emit_warning(void *context, const char *text) {
        warn_add(context, slice_of(text));
}

struct known_warnings {
        struct api_context *context;
        struct text_set texts;
};

static void note_warning(void *context, const char *text) {
        struct known_warnings *known = context;

        text_set_add(&known->texts, arena_slice(known->context->arena, slice_of(text)));
}

static void emit_new_warning(void *context, const char *text) {
        struct known_warnings *known = context;

        if (!text_set_has(&known->texts, slice_of(text)))
                emit_warning(known->context, text);
}

/* Without what the stored object is warned of, where the kind says so. */
static void emit_warnings(struct api_context *context, const struct api_write *write,
                          const struct kind_info *kind) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct known_warnings known = { .context = context };

        if (write->old_json && kind->flags & KIND_WARN_OF_NEW)
                kind->warn(write->operation, node_import(tree, write->old_json), note_warning,
                           &known);
        kind->warn(write->operation, write->object, emit_new_warning, &known);
        text_set_release(&known.texts);
}

bool has_quotas(const struct api_context *context, const struct api_write *write) {
        const struct api_engine *engine = context->engine;

        return write->ns.len > 0 &&
               store_count(engine->store, engine->resources.quotas->store_resource) > 0;
}

static int run_plugins(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;
        struct err err = { 0 };

        if (!kind->admit || context->engine->is_bootstrapping)
                return 0;
        return kind->admit(&context->hooks, write->operation, write->tree, write->object,
                           write->old_json, &err) < 0
                       ? fail_admission(context, write, &err)
                       : 0;
}

/* Repeated owners are merged, with a warning. is_late: upstream merges those of patches only after
 * admission. */
static void merge_owners(struct api_context *context, struct api_write *write, bool is_late) {
        struct json_node *owners = node_get(node_get(write->object, "metadata"), "ownerReferences");
        struct node_iter iter = node_iter(owners);
        struct map *firsts = map_new();
        struct buf repeated = { 0 };
        struct json_node *owner;

        while (node_next(&iter, NULL, &owner)) {
                struct slice uid = node_get_text(owner, "uid");
                const struct json_node *first = map_get(firsts, uid);

                if (!first)
                        map_put(firsts, uid, owner);
                if (!first || !node_equal(owner, first))
                        continue;
                buf_printf(&repeated, "%s" SLICE_FMT, repeated.len ? ", " : "", SLICE_ARG(uid));
                node_drop(&iter);
        }
        if (repeated.len)
                warn_add(context,
                         slice_of(arena_printf(
                                 context->arena,
                                 ".metadata.ownerReferences contains duplicate entries%s; API "
                                 "server dedups owner references in 1.20+, and may reject such "
                                 "requests "
                                 "as early as 1.24; please fix your requests; duplicate UID(s) "
                                 "observed: " SLICE_FMT,
                                 is_late ? " after mutating admission happens" : "",
                                 SLICE_ARG(buf_view(&repeated)))));
        buf_release(&repeated);
        map_free(firsts);
}

/* What policies and webhooks made of the object gets its types and defaults like what clients send.
 */
static int run_mutators(struct api_context *context, struct api_write *write,
                        struct mutation_rounds *rounds) {
        const struct kind_info *kind = write->resource->kind;
        struct err err = { 0 };

        if (!context->pending && !has_mutating_policies(context))
                return 0;
        if (webhooks_mutate(context, write, rounds) < 0)
                return API_FAILED;
        if ((write->resource->schema &&
             schema_normalise(write->resource->schema, write->tree, write->object,
                              &(struct schema_report){ .minor = write->resource->minor },
                              &err) < 0) ||
            convert_numbers(write->resource, write->tree, write->object, &err) < 0)
                return fail_plain(context, 500, "InternalError",
                                  "Internal error occurred: a webhook broke the object: %s",
                                  err.text);
        if (kind->apply_defaults)
                kind->apply_defaults(write->tree, write->object);
        merge_owners(context, write, true);
        return 0;
}

/* Policies may have named a new object. */
static int take_identity(struct api_context *context, struct api_write *write) {
        const struct json_node *metadata = node_get(write->object, "metadata");

        write->name = arena_slice(context->arena, node_get_text(metadata, "name"));
        if (!(write->resource->kind->flags & KIND_NAMESPACED) ||
            slice_eq(node_get_text(metadata, "namespace"), write->ns))
                return 0;
        return fail_given_namespace(context);
}

/* Once policies have changed the object, the plugins look at it again, and those policies that want
 * to. */
static int run_admission(struct api_context *context, struct api_write *write) {
        CLEANUP(mutation_rounds_release) struct mutation_rounds rounds = { 0 };

        if (run_plugins(context, write) < 0 || run_mutators(context, write, &rounds) < 0)
                return API_FAILED;
        if (!rounds.is_changed)
                return 0;
        write->is_mutated = true;
        rounds.is_second = true;
        if (run_plugins(context, write) < 0 || run_mutators(context, write, &rounds) < 0)
                return API_FAILED;
        return write->operation == KIND_CREATE ? take_identity(context, write) : 0;
}

#define EVICTION_USER "lifecycle.berth.dev/user" /* annotation */

static bool is_eviction_request(const struct api_context *context, const struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;

        return context->server->evictions.admits && !context->engine->is_bootstrapping &&
               write->operation != KIND_UPDATE_STATUS &&
               strcmp(kind->plural, "evictionrequests") == 0 &&
               (strcmp(kind->group, "lifecycle.berth.dev") == 0 ||
                strcmp(kind->group, "lifecycle.k8s.io") == 0);
}

/* A request keeps who wrote it, whatever the client says. */
static int keep_eviction_user(struct api_context *context, struct api_write *write) {
        const struct api_eviction_judge *judge = &context->server->evictions;
        const struct json *old = write->old_json;
        struct json_node *spec = node_get(write->object, "spec");
        struct json_node *meta = node_need_object(write->tree, write->object, "metadata");
        struct slice user = SLICE_EMPTY;
        struct err err = { 0 };
        int code =
                judge->admits(judge->self,
                              &(struct api_eviction_request){
                                      .user = &context->user,
                                      .is_new = !old,
                                      .requester = node_get_text(spec, "requester"),
                                      .intent = node_get_text(spec, "intent"),
                                      .old_intent = json_get_text(json_get(old, "spec"), "intent"),
                                      .old_user = json_get_text(
                                              json_get(json_get(old, "metadata"), "annotations"),
                                              EVICTION_USER) },
                              &user, &err);

        if (code < 0)
                return fail_admission(context, write, &err);
        if (user.len)
                node_put_text(write->tree, node_need_object(write->tree, meta, "annotations"),
                              EVICTION_USER, user);
        else if (node_get(meta, "annotations"))
                node_remove(node_get(meta, "annotations"), EVICTION_USER);
        return 0;
}

int run_hooks(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;

        hooks_prepare(context, write->resource);
        context->hooks.has_raw_changes = write->is_raw_changed;
        context->hooks.has_labels = write->has_labels;
        if (run_admission(context, write) < 0 || check_escalation(context, write) < 0 ||
            (is_eviction_request(context, write) && keep_eviction_user(context, write) < 0))
                return API_FAILED;
        if (write->operation != KIND_UPDATE_STATUS)
                write->has_dropped =
                        gated_fields_drop(&context->hooks, write->object, write->old_json);
        if (kind->prepare)
                kind->prepare(&context->hooks, write->operation, write->tree, write->object,
                              write->old_json);
        if (write->resource->schema)
                schema_normalise(write->resource->schema, write->tree, write->object,
                                 &(struct schema_report){ .minor = write->resource->minor,
                                                          .stored = write->old_json },
                                 NULL);
        return 0;
}

static bool is_new_generation(const struct api_write *write) {
        return !write->old_json ||
               node_get_i64(node_get(write->object, "metadata"), "generation", 0) !=
                       json_get_i64(json_get(write->old_json, "metadata"), "generation", 0);
}

static bool has_same_template(const struct api_write *write) {
        const struct json *before = json_get(json_get(write->old_json, "spec"), "template");

        return before &&
               node_equal_json(node_get(node_get(write->object, "spec"), "template"), before);
}

static bool is_worth_warnings(const struct api_write *write) {
        unsigned flags = write->resource->kind->flags;

        return (!(flags & KIND_WARN_OF_CHANGES) || is_new_generation(write)) &&
               (!(flags & KIND_WARN_OF_TEMPLATE) || !has_same_template(write));
}

static void emit_all_warnings(struct api_context *context, const struct api_write *write,
                              const struct kind_info *kind) {
        if (kind->warn && is_worth_warnings(write))
                emit_warnings(context, write, kind);
        if (kind->warn_each)
                kind->warn_each(write->operation, write->object, write->old_json, emit_warning,
                                context);
}

/* What is looked at of a new object's metadata once all else is right. */
static void validate_late(const struct api_write *write, struct field_errors *errors) {
        const struct kind_info *kind = write->resource->kind;

        if (write->old_json || errors->count)
                return;
        if (!*kind_metadata_rules(kind)->create)
                validate_metadata(write, errors);
        if (errors->count == 0 && kind->has_free_prefix)
                metadata_check_prefix(write->object, errors);
}

int run_validation(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;
        struct field_errors errors = { .arena = context->arena, .emptied = context->emptied };
        size_t general = 0;

        if (write->old_json)
                general = validate_metadata_update(context, write, &errors);
        else if (*kind_metadata_rules(kind)->create)
                validate_metadata(write, &errors);
        if (kind->validate)
                kind->validate(&context->hooks, write->operation, write->object, write->old_json,
                               &errors);
        validate_late(write, &errors);
        if (kind->flags & KIND_REPORTED_ONCE)
                field_errors_once(&errors, general);
        /* Views are validated as what they are stored as, and named so. */
        if (kind->stored_as)
                kind = kind->stored_as;
        if (errors.count)
                return fail_invalid(context, kind->kind, kind->group, write->name, &errors);
        emit_all_warnings(context, write, kind);
        return 0;
}

/* The admission plugins that only look; the first that refuses ends it. */
static int ask_plugins(struct api_context *context, struct api_write *write,
                       struct field_errors *errors, struct err *err) {
        const struct kind_info *kind = write->resource->kind;
        bool is_create = write->operation == KIND_CREATE;

        if (limit_range_judge(&context->hooks, write->tree, write->object, write->old_json, err) <
            0)
                return API_FAILED;
        if (pod_security_judge(&context->hooks, write->operation, write->object, write->old_json,
                               errors, err) < 0)
                return API_FAILED;
        if (errors->count == 0 && is_create &&
            runtime_class_judge(&context->hooks, write->object, errors, err) < 0)
                return API_FAILED;
        return errors->count || !kind->judge ? 0
                                             : kind->judge(&context->hooks, write->operation,
                                                           write->object, write->old_json, err);
}

int run_judges(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;
        struct field_errors errors = { .arena = context->arena, .emptied = context->emptied };
        struct err err = { 0 };

        context->hooks.has_name = true;
        if (!context->engine->is_bootstrapping && ask_plugins(context, write, &errors, &err) < 0)
                return fail_admission(context, write, &err);
        if (errors.count)
                return fail_invalid(context, kind->kind, kind->group, write->name, &errors);
        if (webhooks_validate(context, write) < 0)
                return API_FAILED;
        if (has_quotas(context, write) &&
            quota_admit(&context->hooks, write->object, write->old_json, write->ns, &err) < 0)
                return fail_admission(context, write, &err);
        return 0;
}

void api_write_read_back(struct api_write *write) {
        if (write->resource->kind->flags & KIND_READ_DEFAULTS)
                write->resource->kind->apply_defaults(write->tree, write->object);
}

void api_write_convert(struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;
        const struct kind_info *stored = kind->stored_as;

        if (!kind->to_stored || !stored)
                return;
        kind->to_stored(write->tree, write->object);
        node_put_string(write->tree, write->object, "kind", stored->kind);
        if (schema_find(slice_of(stored->group), slice_of(stored->version), slice_of(stored->kind)))
                schema_normalise(schema_find(slice_of(stored->group), slice_of(stored->version),
                                             slice_of(stored->kind)),
                                 write->tree, write->object, NULL, NULL);
}

void prepare_owners(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;

        write->has_labels = node_count(node_get(node_get(write->object, "metadata"), "labels")) > 0;
        if (kind->apply_defaults)
                kind->apply_defaults(write->tree, write->object);
        emptied_take_back(context, write);
        merge_owners(context, write, write->is_patch);
        raw_form_read(context, write);
        if (!write->is_apply && !write->is_owned)
                manage_fields(context, write);
}
