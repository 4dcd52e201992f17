/* The ways of creating and updating: hooks, versions, what a write may change. */
#include "server/api_write.h"
#include "base/map.h"
#include "server/api_store.h"

#include "base/uuid.h"
#include "kinds/admit.h"
#include "kinds/gated_fields.h"
#include "kinds/pod_security.h"
#include "kinds/release.h"
#include "schema/object_compare.h"
#include "server/api_access.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_metadata.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_state.h"
#include "server/managed_fields.h"
#include "server/quota_status.h"
#include "server/rbac_escalation.h"
#include "server/webhook.h"
#include <stdlib.h>
#include <string.h>

/* ---- hooks ---- */

static void emit_warning(void *context, const char *text) {
        warn_add(context, slice_of(text));
}

/* Most namespaces have no quotas: their writes are not checked further. */
static bool has_quotas(const struct api_context *context, const struct api_write *write) {
        const struct api_engine *engine = context->engine;

        return write->ns.len > 0 &&
               store_count(engine->store, engine->resources.quotas->store_resource) > 0;
}

/* What webhooks made of the object gets its types and defaults like what clients send. */
static int run_webhooks(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;
        struct err err = { 0 };

        if (!context->pending)
                return 0;
        if (webhooks_mutate(context, write) < 0)
                return API_FAILED;
        if (write->resource->schema &&
            schema_normalise(write->resource->schema, write->tree, write->object,
                             &(struct schema_report){ .minor = write->resource->minor }, &err) < 0)
                return fail_plain(context, 500, "InternalError",
                                  "Internal error occurred: a webhook broke the object: %s",
                                  err.text);
        if (kind->apply_defaults)
                kind->apply_defaults(write->tree, write->object);
        return 0;
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
                return fail_hook(context, write->name, &err);
        if (user.len)
                node_put_text(write->tree, node_need_object(write->tree, meta, "annotations"),
                              EVICTION_USER, user);
        else if (node_get(meta, "annotations"))
                node_remove(node_get(meta, "annotations"), EVICTION_USER);
        return 0;
}

static int run_hooks(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;
        struct err err = { 0 };

        hooks_prepare(context, write->resource);
        if (kind->admit && !context->engine->is_bootstrapping &&
            kind->admit(&context->hooks, write->operation, write->tree, write->object,
                        write->old_json, &err) < 0)
                return fail_hook(context, write->name, &err);
        if (run_webhooks(context, write) < 0 || check_escalation(context, write) < 0 ||
            (is_eviction_request(context, write) && keep_eviction_user(context, write) < 0))
                return API_FAILED;
        if (write->operation != KIND_UPDATE_STATUS)
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

static int run_validation(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;
        struct field_errors errors = { .arena = context->arena, .emptied = context->emptied };
        bool is_metadata_last = !write->old_json && !*kind_metadata_rules(kind)->create;

        if (write->old_json)
                validate_metadata_update(context, write, &errors);
        else if (!is_metadata_last)
                validate_metadata(context, write, &errors);
        if (kind->validate)
                kind->validate(&context->hooks, write->operation, write->object, write->old_json,
                               &errors);
        if (is_metadata_last && errors.count == 0)
                validate_metadata(context, write, &errors);
        /* Views are validated as what they are stored as, and named so. */
        if (kind->stored_as)
                kind = kind->stored_as;
        if (errors.count)
                return fail_invalid(context, kind->kind, kind->group, write->name, &errors);
        if (kind->warn)
                kind->warn(write->operation, write->object, emit_warning, context);
        return 0;
}

/* What is valid may still be refused: by the standards of its namespace, policies, webhooks,
 * quotas. */
static int run_judges(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;
        struct field_errors errors = { .arena = context->arena };
        struct err err = { 0 };

        if (write->operation == KIND_CREATE && !context->engine->is_bootstrapping &&
            limit_range_judge(&context->hooks, write->tree, write->object, &err) < 0)
                return fail_hook(context, write->name, &err);
        if (!context->engine->is_bootstrapping &&
            pod_security_judge(&context->hooks, write->operation, write->object, write->old_json,
                               &errors, &err) < 0)
                return fail_hook(context, write->name, &err);
        if (errors.count)
                return fail_invalid(context, kind->kind, kind->group, write->name, &errors);
        if (write->operation == KIND_CREATE && !context->engine->is_bootstrapping &&
            runtime_class_judge(&context->hooks, write->object, &err) < 0)
                return fail_hook(context, write->name, &err);
        if (webhooks_validate(context, write) < 0)
                return API_FAILED;
        if (write->operation == KIND_CREATE && has_quotas(context, write) &&
            quota_admit(&context->hooks, write->object, write->ns, &err) < 0)
                return fail_hook(context, write->name, &err);
        return 0;
}

/* Repeated owners are merged, with a warning. */
static void merge_owners(struct api_context *context, struct api_write *write) {
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
                                 ".metadata.ownerReferences contains duplicate entries; API server "
                                 "dedups owner references in 1.20+, and may reject such requests "
                                 "as early as 1.24; please fix your requests; duplicate UID(s) "
                                 "observed: " SLICE_FMT,
                                 SLICE_ARG(buf_view(&repeated)))));
        buf_release(&repeated);
        map_free(firsts);
}

/* The form in which the store keeps the object (events of either group). */
static void api_write_convert(struct api_write *write) {
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

/* The object as its client means it: with defaults, and owned before anything changes it. */
static void prepare_owners(struct api_context *context, struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;

        if (kind->apply_defaults)
                kind->apply_defaults(write->tree, write->object);
        merge_owners(context, write);
        if (!write->is_apply)
                manage_fields(context, write);
}

/* ---- create ---- */

int check_namespace(struct api_context *context, struct slice ns, struct slice name) {
        const struct api_resource *namespaces = context->engine->resources.namespaces;
        const struct store_object *object = object_find(context, namespaces, SLICE_EMPTY, ns);
        const struct kind_info *kind = context->resource->kind;

        if (!object)
                return fail_not_found(context, namespaces, ns);
        if (!json_get(json_get(json_cache_get(&context->engine->cache, object), "metadata"),
                      "deletionTimestamp"))
                return 0;
        fail_plain(context, 403, "Forbidden",
                   "%s \"" SLICE_FMT
                   "\" is forbidden: unable to create new content in namespace " SLICE_FMT
                   " because it is being terminated",
                   context->resource->qualified, SLICE_ARG(name), SLICE_ARG(ns));
        struct failure_cause *cause = ARENA_NEW(context->arena, struct failure_cause);
        *cause = (struct failure_cause){
                .reason = "NamespaceTerminating",
                .message =
                        arena_printf(context->arena, "namespace " SLICE_FMT " is being terminated",
                                     SLICE_ARG(ns)),
                .field = "metadata.namespace",
        };
        context->failure.has_details = true;
        context->failure.name = arena_string(context->arena, name);
        context->failure.group = kind->group;
        context->failure.kind = kind->plural;
        context->failure.causes = cause;
        context->failure.cause_count = 1;
        return API_FAILED;
}

static void fill_system_fields(struct api_context *context, struct api_write *write,
                               struct json_node *metadata) {
        char text[WALL_TIME_TEXT_MAX], uid[UUID_TEXT_SIZE], name[80];
        struct slice prefix = node_get_text(metadata, "generateName");

        bool keeps = context->request->keeps_identity;

        if (!keeps || !node_get_text(metadata, "creationTimestamp").len) {
                wall_time_format(loop_wall(context->engine->loop), text);
                node_put_string(write->tree, metadata, "creationTimestamp", text);
        }
        if (!keeps || !node_get_text(metadata, "uid").len) {
                uuid_format(uuid_random(&context->engine->rng), uid);
                node_put_string(write->tree, metadata, "uid", uid);
        }
        if (!write->is_apply) { /* what is created by an update is not tidied up, upstream */
                node_remove(metadata, "deletionTimestamp");
                node_remove(metadata, "deletionGracePeriodSeconds");
        }
        if (!write->is_apply || !context->is_dry_run)
                node_remove(metadata, "selfLink");
        if (node_get_text(metadata, "name").len == 0 && prefix.len) {
                generate_name(context->engine, prefix, name);
                node_put_string(write->tree, metadata, "name", name);
        }
        if (write->resource->kind->flags & KIND_NAMESPACED)
                node_put_text(write->tree, metadata, "namespace", write->ns);
        else
                node_remove(metadata, "namespace");
        write->name = arena_slice(context->arena, node_get_text(metadata, "name"));
}

#define GENERATE_TRIES 8

/* A generated name that is taken is drawn again. */
static bool is_name_free(struct api_context *context, struct api_write *write,
                         struct json_node *metadata, bool is_generated) {
        char name[80];

        for (int i = 0; i < GENERATE_TRIES; i++) {
                if (!object_find(context, write->resource, write->ns, write->name))
                        return true;
                if (!is_generated)
                        return false;
                generate_name(context->engine, node_get_text(metadata, "generateName"), name);
                node_put_string(write->tree, metadata, "name", name);
                write->name = arena_slice(context->arena, slice_of(name));
        }
        return false;
}

static int check_create(struct api_context *context, struct api_write *write,
                        const struct json_node *metadata) {
        struct slice ns = node_get_text(metadata, "namespace");
        bool is_namespaced = write->resource->kind->flags & KIND_NAMESPACED;

        if (is_namespaced && ns.len && !slice_eq(ns, write->ns))
                return fail_bad_request(context, "the namespace of the provided object does not "
                                                 "match the namespace sent on the request");
        return 0;
}

/* The store refuses what claims to be stored already; dry runs do not get that far. */
static int check_unversioned(struct api_context *context, const struct json_node *metadata) {
        uint64_t version = 0;

        if (context->is_dry_run ||
            !slice_to_u64(node_get_text(metadata, "resourceVersion"), &version) || version == 0)
                return 0;
        return fail_plain(context, 500, NULL,
                          "resourceVersion should not be set on objects to be created");
}

/* A PUT or an apply that creates needs the right to do that, too. */
static int check_may_create(struct api_context *context, const struct api_write *write) {
        struct access_question question = route_question(context);

        if (strcmp(context->route.verb, "create") == 0 || context->engine->is_bootstrapping)
                return 0;
        question.verb = SLICE_LITERAL("create");
        question.name = write->name;
        return check_access(context, &question);
}

int write_create(struct api_context *context, struct api_write *write, struct slice *ret_body) {
        struct json_node *metadata = node_need_object(write->tree, write->object, "metadata");
        bool is_generated = node_get_text(metadata, "name").len == 0;

        write->operation = KIND_CREATE;
        if (check_create(context, write, metadata) < 0)
                return API_FAILED;
        fill_system_fields(context, write, metadata);
        if ((write->resource->kind->flags & KIND_NAMESPACED) &&
            !context->engine->is_bootstrapping &&
            check_namespace(context, write->ns, write->name) < 0)
                return API_FAILED;
        if (release_has_generation(write->resource->minor, write->resource->kind))
                node_put_i64(write->tree, metadata, "generation", 1);
        prepare_owners(context, write);
        if (run_hooks(context, write) < 0 || run_validation(context, write) < 0 ||
            check_may_create(context, write) < 0 || run_judges(context, write) < 0)
                return API_FAILED;
        metadata = node_get(write->object, "metadata");
        if (!is_name_free(context, write, metadata, is_generated))
                return fail_exists(context, write->resource, write->name);
        if (check_unversioned(context, metadata) < 0 ||
            (has_quotas(context, write) && !context->is_dry_run &&
             quota_status_charge(context, write) < 0))
                return API_FAILED;
        api_write_convert(write);
        return write_put(context, write, ret_body);
}

/* ---- update ---- */

static int check_version(struct api_context *context, struct api_write *write,
                         struct json_node *metadata) {
        const struct kind_info *kind = write->resource->kind;
        struct slice version = node_get_text(metadata, "resourceVersion");
        struct field_errors errors = { .arena = context->arena };
        uint64_t wanted = 0;

        if (version.len && !slice_to_u64(version, &wanted))
                return fail_plain(context, 500, NULL,
                                  "strconv.ParseUint: parsing \"" SLICE_FMT "\": invalid syntax",
                                  SLICE_ARG(version));
        if (wanted == 0 && (kind->flags & KIND_UNCONDITIONAL)) {
                node_put_string(write->tree, metadata, "resourceVersion",
                                arena_printf(context->arena, "%llu",
                                             (unsigned long long)write->old->revision));
                return 0;
        }
        if (wanted == 0) {
                field_error_add(&errors, FIELD_INVALID, "metadata.resourceVersion", "0",
                                "must be specified for an update");
                return fail_invalid(context, kind->plural, kind->group, write->name, &errors);
        }
        if (wanted != write->old->revision)
                return fail_modified(context, write->resource, write->name);
        return 0;
}

/* Where upstream stores the object. */
static const char *storage_key(struct api_context *context, const struct api_write *write) {
        static const char *const others[][2] = { { "nodes", "minions" },
                                                 { "services", "services/specs" },
                                                 { "endpoints", "services/endpoints" },
                                                 { "replicationcontrollers", "controllers" },
                                                 { "ingresses", "ingress" } };
        const struct kind_info *kind = write->resource->kind;
        const char *place = kind->plural;

        for (size_t i = 0; i < ARRAY_LEN(others); i++)
                if (strcmp(place, others[i][0]) == 0)
                        place = others[i][1];
        return arena_printf(context->arena, "/registry/%s%s%s%s" SLICE_FMT "%s" SLICE_FMT,
                            write->resource->schema ? "" : kind->group,
                            write->resource->schema ? "" : "/", place,
                            kind->flags & KIND_NAMESPACED ? "/" : "", SLICE_ARG(write->ns), "/",
                            SLICE_ARG(write->name));
}

static int check_identity(struct api_context *context, struct api_write *write,
                          struct json_node *metadata) {
        const struct json *old = json_get(write->old_json, "metadata");
        struct slice uid = node_get_text(metadata, "uid");

        if (uid.len && !write->is_patch && !slice_eq(uid, json_get_text(old, "uid")))
                return fail_conflict(context, write->resource->kind->plural,
                                     write->resource->kind->group, write->name,
                                     "StorageError: invalid object, Code: 4, Key: %s, "
                                     "ResourceVersion: 0, AdditionalErrorMsg: Precondition "
                                     "failed: UID in precondition: " SLICE_FMT
                                     ", UID in object meta: " SLICE_FMT,
                                     storage_key(context, write), SLICE_ARG(uid),
                                     SLICE_ARG(json_get_text(old, "uid")));
        return check_version(context, write, metadata);
}

/* Members that stay as they are when the client leaves them out. */
static void keep_metadata(struct api_write *write, struct json_node *metadata) {
        static const char *const always[] = { "creationTimestamp", "generation" };
        static const char *const when_absent[] = { "uid", "deletionTimestamp",
                                                   "deletionGracePeriodSeconds" };
        const struct json *old = json_get(write->old_json, "metadata");

        for (size_t i = 0; i < ARRAY_LEN(always); i++) {
                node_remove(metadata, always[i]);
                if (json_get(old, always[i]))
                        node_put(write->tree, metadata, always[i],
                                 node_import(write->tree, json_get(old, always[i])));
        }
        for (size_t i = 0; i < ARRAY_LEN(when_absent); i++) {
                if (!node_get(metadata, when_absent[i]) && json_get(old, when_absent[i]))
                        node_put(write->tree, metadata, when_absent[i],
                                 node_import(write->tree, json_get(old, when_absent[i])));
        }
        if (write->resource->kind->flags & KIND_NAMESPACED)
                node_put_text(write->tree, metadata, "namespace", write->ns);
}

static void take_member(struct api_write *write, struct json_node *to, const char *member) {
        const struct json *value = json_get(write->old_json, member);

        if (value)
                node_put(write->tree, to, member, node_import(write->tree, value));
        else
                node_remove(to, member);
}

/* A write through /status is the old object with a new status, and for some kinds new metadata. */
static void isolate_status(struct api_write *write) {
        struct json_node *old = node_import(write->tree, write->old_json);
        struct json_node *metadata = node_get(old, "metadata");
        struct json_node *given = node_get(write->object, "metadata");
        static const char *const taken[] = { "labels",
                                             "annotations",
                                             "generateName",
                                             "ownerReferences",
                                             "finalizers",
                                             "managedFields",
                                             "uid",
                                             "deletionTimestamp",
                                             "deletionGracePeriodSeconds" };
        size_t first = write->resource->kind->flags & KIND_STATUS_METADATA ? 0 : 5;

        for (size_t i = first; i < ARRAY_LEN(taken); i++) {
                node_remove(metadata, taken[i]);
                if (node_get(given, taken[i]))
                        node_put(write->tree, metadata, taken[i],
                                 node_clone(write->tree, node_get(given, taken[i])));
        }
        node_remove(old, "status");
        if (node_get(write->object, "status"))
                node_put(write->tree, old, "status",
                         node_clone(write->tree, node_get(write->object, "status")));
        node_put_string(write->tree, old, "kind", write->resource->kind->kind);
        node_put_string(write->tree, old, "apiVersion", write->resource->api_version);
        write->object = old;
        json_tree_set_root(write->tree, old);
}

/* The one thing that namespaces/finalize is for, and that plain updates may not do. */
static void take_finalizers(struct api_write *write, struct json_node *finalizers) {
        struct json_node *spec = node_need_object(write->tree, write->object, "spec");

        node_remove(spec, "finalizers");
        if (node_count(finalizers))
                node_put(write->tree, spec, "finalizers", finalizers);
}

static void bump_generation(struct api_write *write) {
        const struct json *old = json_get(write->old_json, "metadata");
        struct json_node *metadata = node_get(write->object, "metadata");
        unsigned flags = write->resource->kind->flags;
        bool is_changed =
                write->operation == KIND_UPDATE && !has_same_spec(write->object, write->old_json);

        if (!release_has_generation(write->resource->minor, write->resource->kind) ||
            (flags & KIND_FIXED_GENERATION))
                return;
        if (write->operation == KIND_UPDATE && (flags & KIND_ANNOTATION_GENERATION))
                is_changed |= !has_same_member(metadata, old, "annotations");
        if (is_changed)
                node_put_i64(write->tree, metadata, "generation",
                             json_get_i64(old, "generation", 0) + 1);
}

static bool is_deletion_due(const struct api_write *write) {
        const struct json *old = json_get(write->old_json, "metadata");
        const struct json_node *metadata = node_get(write->object, "metadata");

        if (!json_get(old, "deletionTimestamp") || node_count(node_get(metadata, "finalizers")))
                return false;
        if (json_get_i64(old, "deletionGracePeriodSeconds", 0) != 0)
                return false;
        return node_count(node_get(node_get(write->object, "spec"), "finalizers")) == 0 ||
               strcmp(write->resource->kind->plural, "namespaces") != 0;
}

static int prepare_update(struct api_context *context, struct api_write *write) {
        struct json_node *metadata = node_need_object(write->tree, write->object, "metadata");
        struct json_node *finalizers = NULL;
        const struct json_node *given = node_get(node_get(write->object, "spec"), "finalizers");

        if (slice_is(write->subresource, "finalize") && given)
                finalizers = node_clone(write->tree, given);
        if (check_identity(context, write, metadata) < 0)
                return API_FAILED;
        prepare_owners(context, write);
        keep_metadata(write, metadata);
        if (!context->is_dry_run) /* it goes where the object is stored */
                node_remove(metadata, "selfLink");
        if (write->operation == KIND_UPDATE_STATUS)
                isolate_status(write);
        else if (write->resource->kind->flags & KIND_STATUS)
                take_member(write, write->object, "status");
        if (run_hooks(context, write) < 0)
                return API_FAILED;
        if (slice_is(write->subresource, "finalize"))
                take_finalizers(write, finalizers);
        bump_generation(write);
        return run_validation(context, write);
}

/* The last finalizer went. The answer shows the object without it, watchers see the last stored
 * state. */
static int finish_deletion(struct api_context *context, struct api_write *write,
                           struct slice *ret_body) {
        struct api_write last = { 0 };
        struct buf text = { 0 };
        struct slice ignored;

        node_remove(write->object, "kind");
        node_remove(write->object, "apiVersion");
        node_put_text(write->tree, node_get(write->object, "metadata"), "resourceVersion",
                      json_get_text(json_get(write->old_json, "metadata"), "resourceVersion"));
        node_write(write->object, &text);
        *ret_body = arena_slice(context->arena, buf_view(&text));
        buf_release(&text);
        last = *write;
        last.tree = NULL;
        last.object = tree_of_object(write->old, &last.tree);
        int r = write_remove(context, &last, &ignored);
        json_tree_free(last.tree);
        return r;
}

int write_update(struct api_context *context, struct api_write *write, struct slice *ret_body,
                 bool *ret_is_deleted) {
        *ret_is_deleted = false;
        if (prepare_update(context, write) < 0 || run_judges(context, write) < 0)
                return API_FAILED;
        api_write_convert(write);
        if (is_deletion_due(write)) {
                *ret_is_deleted = true;
                return finish_deletion(context, write, ret_body);
        }
        if (is_same_object(write->object, write->stored_json) && has_same_owners(write, true)) {
                *ret_body = arena_slice(context->arena, store_object_body(write->old));
                return 0;
        }
        return write_put(context, write, ret_body);
}
