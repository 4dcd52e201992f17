/* Changing one object: versions, and what a write may change. */
#include "server/api_write.h"
#include "server/quota_status.h"

#include "kinds/release.h"
#include "schema/object_compare.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/emptied_values.h"
#include "server/managed_fields.h"
#include "server/quota_status.h"
#include "server/raw_forms.h"
#include "server/write_stages.h"
#include <string.h>

/* 0 when there is none. */
static int parse_version(struct api_context *context, struct slice version, uint64_t *ret_number) {
        *ret_number = 0;
        if (version.len && !slice_to_u64(version, ret_number))
                return fail_bad_version(context, version);
        return 0;
}

static int check_version(struct api_context *context, struct api_write *write,
                         struct json_node *metadata) {
        const struct kind_info *kind = write->resource->kind;
        struct slice version = node_get_text(metadata, "resourceVersion");
        struct field_errors errors = { .arena = context->arena };
        uint64_t wanted = 0;

        if (parse_version(context, version, &wanted) < 0)
                return API_FAILED;
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
        return arena_printf(
                context->arena, "%s/%s%s%s%s" SLICE_FMT "%s" SLICE_FMT,
                context->is_dry_run ? "" : "/registry", write->resource->schema ? "" : kind->group,
                write->resource->schema ? "" : "/", place, kind->flags & KIND_NAMESPACED ? "/" : "",
                SLICE_ARG(write->ns), "/", SLICE_ARG(write->name));
}

int fail_stored_uid(struct api_context *context, const struct api_write *write, struct slice uid) {
        return fail_conflict(
                context, write->resource->kind->plural, write->resource->kind->group, write->name,
                "StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, "
                "AdditionalErrorMsg: Precondition failed: UID in precondition: " SLICE_FMT
                ", UID in object meta: " SLICE_FMT,
                storage_key(context, write), SLICE_ARG(uid),
                SLICE_ARG(json_get_text(json_get(write->old_json, "metadata"), "uid")));
}

/* A uid in the object is a precondition, also where there is none yet. */
static int check_uid(struct api_context *context, const struct api_write *write,
                     const struct json_node *metadata) {
        struct slice uid = node_get_text(metadata, "uid");
        const struct json *old = json_get(write->old_json, "metadata");

        if (uid.len == 0 || write->is_patch || slice_eq(uid, json_get_text(old, "uid")))
                return 0;
        return fail_stored_uid(context, write, uid);
}

int check_identity(struct api_context *context, struct api_write *write,
                   struct json_node *metadata) {
        if (check_uid(context, write, metadata) < 0)
                return API_FAILED;
        return check_version(context, write, metadata);
}

int check_absent_identity(struct api_context *context, const struct api_write *write) {
        const struct json_node *metadata = node_get(write->object, "metadata");
        uint64_t version;

        if (check_uid(context, write, metadata) < 0)
                return API_FAILED;
        return parse_version(context, node_get_text(metadata, "resourceVersion"), &version);
}

/* Members that stay as they are when the client leaves them out. */
static void keep_metadata(struct api_write *write, struct json_node *metadata) {
        static const char *const always[] = { "creationTimestamp", "generation" };
        static const char *const when_absent[] = { "uid", "deletionGracePeriodSeconds" };
        const struct json *old = json_get(write->old_json, "metadata");

        for (size_t i = 0; i < ARRAY_LEN(always); i++) {
                node_remove(metadata, always[i]);
                if (json_get(old, always[i]))
                        node_put(write->tree, metadata, always[i],
                                 node_import(write->tree, json_get(old, always[i])));
        }
        if (json_get(old, "deletionTimestamp")) /* whatever the client says */
                node_put(write->tree, metadata, "deletionTimestamp",
                         node_import(write->tree, json_get(old, "deletionTimestamp")));
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

/* A write through /status is the old object with a new status, and what of the metadata is taken:
 * for some kinds all, for the others what ResetObjectMetaForStatus() leaves, for custom resources
 * only the owners of fields. */
static void isolate_status(struct api_write *write) {
        struct json_node *old = node_import(write->tree, write->old_json);
        struct json_node *metadata = node_get(old, "metadata");
        struct json_node *given = node_get(write->object, "metadata");
        static const char *const taken[] = { "managedFields", "generateName",
                                             "uid",           "deletionGracePeriodSeconds",
                                             "selfLink",      "labels",
                                             "annotations",   "ownerReferences",
                                             "finalizers",    "deletionTimestamp" };
        size_t count = is_custom(write->resource)                            ? 1
                       : write->resource->kind->flags & KIND_STATUS_METADATA ? ARRAY_LEN(taken)
                                                                             : 4;

        for (size_t i = 0; i < count; i++) {
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

static void bump_generation(const struct api_context *context, struct api_write *write) {
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
        if (write->operation == KIND_UPDATE && (flags & KIND_LABEL_GENERATION))
                is_changed |= !has_same_member(metadata, old, "labels");
        if (write->operation == KIND_UPDATE && is_custom(write->resource) && !(flags & KIND_STATUS))
                is_changed |= !has_same_member(write->object, write->old_json, "status");
        is_changed |= write->is_raw_changed;
        is_changed |= write->has_dropped && (flags & KIND_EARLY_GENERATION);
        if (write->operation == KIND_UPDATE && (flags & KIND_EXACT_GENERATION))
                is_changed |= emptied_changes_spec(context, write);
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

/* Paths of which the kind itself looks at the status that is given. */
static bool reads_status(struct slice subresource) {
        return slice_is(subresource, "resize") || slice_is(subresource, "approval");
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
        write->has_self_link = node_get_text(metadata, "selfLink").len > 0;
        keep_metadata(write, metadata);
        if (write->operation == KIND_UPDATE_STATUS)
                isolate_status(write);
        else if ((write->resource->kind->flags & KIND_STATUS) && !reads_status(write->subresource))
                take_member(write, write->object, "status");
        if (run_hooks(context, write) < 0)
                return API_FAILED;
        if (write->is_mutated)
                keep_metadata(write, node_need_object(write->tree, write->object, "metadata"));
        if (write->is_mutated && write->operation == KIND_UPDATE_STATUS)
                isolate_status(write);
        if (slice_is(write->subresource, "finalize"))
                take_finalizers(write, finalizers);
        bump_generation(context, write);
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
        if (prepare_update(context, write) < 0 || run_judges(context, write) < 0 ||
            quota_status_charge(context, write) < 0)
                return API_FAILED;
        api_write_convert(write);
        if (is_deletion_due(write)) {
                *ret_is_deleted = true;
                return finish_deletion(context, write, ret_body);
        }
        if (!context->is_dry_run) /* it goes where the object is stored */
                node_remove(node_get(write->object, "metadata"), "selfLink");
        if (is_same_object(write->object, write->stored_json) &&
            has_same_owners(write, !write->has_self_link)) {
                *ret_body = arena_slice(context->arena, store_object_body(write->old));
                return 0;
        }
        api_write_read_back(write);
        return raw_form_put(context, write, ret_body);
}
