/* What all writes share: hooks, versions, managed fields, storing. */
#include "server/api_priv.h"

#include <inttypes.h>
#include <stdlib.h>

static int fail_store(struct api_context *context, const struct err *err) {
        return fail_plain(context, err_http_status(err->code), err_reason(err->code), "%s",
                          err->text);
}

/* ---- comparing ---- */

static bool node_is_json(const struct json_node *node, const struct json *json);

static bool is_ignored(struct slice key) {
        return slice_is(key, "managedFields") || slice_is(key, "resourceVersion");
}

static size_t compared_count(const struct json *object, bool is_metadata) {
        size_t count = json_count(object);

        if (!is_metadata)
                return count;
        return count - (json_get(object, "managedFields") != NULL) -
               (json_get(object, "resourceVersion") != NULL);
}

/* Members in any order; in metadata, what every write changes does not count. */
static bool members_equal(const struct json_node *node, const struct json *json, bool is_metadata) {
        struct node_iter iter = node_iter(node);
        struct json_node *value;
        struct slice key;
        size_t seen = 0;

        while (node_next(&iter, &key, &value)) {
                if (is_metadata && is_ignored(key))
                        continue;
                if (!node_is_json(value, json_get_slice(json, key)))
                        return false;
                seen++;
        }
        return seen == compared_count(json, is_metadata);
}

static bool elements_equal(const struct json_node *node, const struct json *json) {
        struct node_iter nodes = node_iter(node);
        struct json_iter values = json_iter(json);
        struct json_node *left;
        const struct json *right;

        if (node_count(node) != json_count(json))
                return false;
        while (node_next(&nodes, NULL, &left) && json_next(&values, NULL, &right)) {
                if (!node_is_json(left, right))
                        return false;
        }
        return true;
}

static bool node_is_json(const struct json_node *node, const struct json *json) {
        int64_t a, b;
        double x, y;

        if (node_type(node) != json_type(json))
                return false;
        switch (node_type(node)) {
        case JSON_OBJECT:
                return members_equal(node, json, false);
        case JSON_ARRAY:
                return elements_equal(node, json);
        case JSON_STRING:
                return slice_eq(node_get_slice(node), json_text(json));
        case JSON_BOOL:
                return node_is_true(node) == json_is_true(json);
        case JSON_INT:
                return node_as_i64(node, &a) && json_as_i64(json, &b) && a == b;
        case JSON_REAL:
                return node_as_f64(node, &x) && json_as_f64(json, &y) && !(x < y) && !(x > y);
        case JSON_NULL:
        case JSON_NONE:
                break;
        }
        return true;
}

bool is_same_object(const struct json_node *object, const struct json *old) {
        struct node_iter iter = node_iter(object);
        struct json_node *value;
        struct slice key;
        size_t seen = 0;

        while (node_next(&iter, &key, &value)) {
                if (slice_is(key, "apiVersion") || slice_is(key, "kind"))
                        continue;
                if (!(slice_is(key, "metadata")
                              ? members_equal(value, json_get(old, "metadata"), true)
                              : node_is_json(value, json_get_slice(old, key))))
                        return false;
                seen++;
        }
        return seen == json_count(old);
}

bool has_same_member(const struct json_node *object, const struct json *old, const char *member) {
        const struct json_node *value = node_get(object, member);
        const struct json *before = json_get(old, member);

        return value && before ? node_is_json(value, before) : !value && !before;
}

/* ---- storing ---- */

/* Text of the object without kind and apiVersion, with the version it is about to get. */
static struct slice body_of(struct api_context *context, struct json_tree *tree,
                            struct json_node *object) {
        struct json_node *metadata = node_need_object(tree, object, "metadata");
        struct buf text = { 0 };
        struct slice body;
        char revision[24];

        if (!context->is_dry_run) {
                snprintf(revision, sizeof(revision), "%" PRIu64,
                         store_next_revision(context->server->store));
                node_put_string(tree, metadata, "resourceVersion", revision);
        }
        node_remove(object, "kind");
        node_remove(object, "apiVersion");
        node_write(object, &text);
        body = arena_slice(context->arena, buf_view(&text));
        buf_release(&text);
        return body;
}

int write_put(struct api_context *context, struct write *write, struct slice *ret_body) {
        struct err err = { 0 };
        struct slice body = body_of(context, write->tree, write->object);

        *ret_body = body;
        if (!context->is_dry_run &&
            store_put(context->server->store, write->resource->store_resource, write->ns,
                      write->name, body, NULL, &err) < 0)
                return fail_store(context, &err);
        return 0;
}

int write_remove(struct api_context *context, struct write *write, struct slice *ret_body) {
        struct err err = { 0 };
        struct slice body = body_of(context, write->tree, write->object);

        *ret_body = body;
        if (!context->is_dry_run &&
            store_remove(context->server->store, write->resource->store_resource, write->ns,
                         write->name, body, &err) < 0)
                return fail_store(context, &err);
        return 0;
}

int write_begin(struct api_context *context, const struct api_resource *resource,
                const struct store_object *object, struct write *ret_write) {
        struct write write = {
                .resource = resource,
                .operation = KIND_UPDATE,
                .ns = arena_slice(context->arena, store_object_ns(object)),
                .name = arena_slice(context->arena, store_object_name(object)),
        };

        write.object = tree_of_object(object, &write.tree);
        write.stored_json = object_json_kept(context, object);
        if (!write.object || !write.stored_json)
                return fail_plain(context, 500, "InternalError", "stored object is damaged");
        if (resource->kind->from_stored) {
                resource->kind->from_stored(write.tree, write.object);
                write.old_json = json_kept(
                        context, object_view(context->arena, resource, store_object_body(object)));
        } else {
                write.old_json = write.stored_json;
        }
        node_put_string(write.tree, write.object, "kind", resource->kind->kind);
        node_put_string(write.tree, write.object, "apiVersion", resource->api_version);
        write.old = store_object_ref(object);
        *ret_write = write;
        return 0;
}

void write_end(struct write *write) {
        json_tree_free(write->tree);
        store_object_unref(write->old);
        *write = (struct write){ 0 };
}

/* ---- hooks ---- */

static void emit_warning(void *context, const char *text) {
        warn_add(context, slice_of(text));
}

static int run_hooks(struct api_context *context, struct write *write) {
        const struct kind_info *kind = write->resource->kind;
        struct err err = { 0 };

        if (kind->apply_defaults)
                kind->apply_defaults(write->tree, write->object);
        hooks_prepare(context, write->resource);
        if (kind->admit && !context->server->is_bootstrapping &&
            kind->admit(&context->hooks, write->operation, write->tree, write->object,
                        write->old_json, &err) < 0)
                return fail_hook(context, write->name, &err);
        if (kind->prepare)
                kind->prepare(&context->hooks, write->operation, write->tree, write->object,
                              write->old_json);
        if (write->resource->schema)
                schema_normalise(write->resource->schema, write->tree, write->object, NULL, NULL);
        return 0;
}

static int run_validation(struct api_context *context, struct write *write) {
        const struct kind_info *kind = write->resource->kind;
        struct field_errors errors = { .arena = context->arena };

        if (write->old_json)
                validate_metadata_update(context, write, &errors);
        else
                validate_metadata(context, write, &errors);
        if (kind->validate)
                kind->validate(&context->hooks, write->operation, write->object, write->old_json,
                               &errors);
        /* Views are validated as what they are stored as, and named so. */
        if (kind->stored_as)
                kind = kind->stored_as;
        if (errors.count)
                return fail_invalid(context, kind->kind, kind->group, write->name, &errors);
        if (kind->warn)
                kind->warn(write->operation, write->object, emit_warning, context);
        return 0;
}

/* Repeated owners are merged, with a warning. */
static void merge_owners(struct api_context *context, struct write *write) {
        struct json_node *owners = node_get(node_get(write->object, "metadata"), "ownerReferences");

        for (size_t i = 1; i < node_count(owners); i++) {
                struct slice uid = node_get_text(node_at(owners, i), "uid");
                size_t j = 0;

                while (j < i && !slice_eq(node_get_text(node_at(owners, j), "uid"), uid))
                        j++;
                if (j == i || !node_equal(node_at(owners, i), node_at(owners, j)))
                        continue;
                warn_add(context,
                         slice_of(arena_printf(
                                 context->arena,
                                 ".metadata.ownerReferences contains duplicate entries; API server "
                                 "dedups owner references in 1.20+, and may reject such requests "
                                 "as early as 1.24; please fix your requests; duplicate UID(s) "
                                 "observed: " SLICE_FMT,
                                 SLICE_ARG(uid))));
                node_remove_at(owners, i--);
        }
}

/* The form in which the store keeps the object (events of either group). */
static void convert(struct write *write) {
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

/* ---- create ---- */

int check_namespace(struct api_context *context, struct slice ns, struct slice name) {
        const struct api_resource *namespaces = context->server->namespaces;
        const struct store_object *object = object_find(context, namespaces, SLICE_EMPTY, ns);
        const struct kind_info *kind = context->resource->kind;
        struct failure_cause *cause;

        if (!object)
                return fail_not_found(context, namespaces, ns);
        if (!json_get(json_get(object_json(context->server, object), "metadata"),
                      "deletionTimestamp"))
                return 0;
        fail_plain(context, 403, "Forbidden",
                   "%s \"" SLICE_FMT
                   "\" is forbidden: unable to create new content in namespace " SLICE_FMT
                   " because it is being terminated",
                   context->resource->qualified, SLICE_ARG(name), SLICE_ARG(ns));
        cause = ARENA_NEW(context->arena, struct failure_cause);
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

static void fill_system_fields(struct api_context *context, struct write *write,
                               struct json_node *metadata) {
        char text[WALL_TIME_TEXT_MAX], uid[UUID_TEXT_SIZE], name[80];
        struct slice prefix = node_get_text(metadata, "generateName");

        wall_time_format(loop_wall(context->server->loop), text);
        node_put_string(write->tree, metadata, "creationTimestamp", text);
        uuid_format(uuid_random(&context->server->rng), uid);
        node_put_string(write->tree, metadata, "uid", uid);
        node_remove(metadata, "deletionTimestamp");
        node_remove(metadata, "deletionGracePeriodSeconds");
        node_remove(metadata, "selfLink");
        if (!write->is_apply)
                node_remove(metadata, "managedFields");
        if (node_get_text(metadata, "name").len == 0 && prefix.len) {
                generate_name(context->server, prefix, name);
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
static bool is_name_free(struct api_context *context, struct write *write,
                         struct json_node *metadata, bool is_generated) {
        char name[80];

        for (int i = 0; i < GENERATE_TRIES; i++) {
                if (!object_find(context, write->resource, write->ns, write->name))
                        return true;
                if (!is_generated)
                        return false;
                generate_name(context->server, node_get_text(metadata, "generateName"), name);
                node_put_string(write->tree, metadata, "name", name);
                write->name = arena_slice(context->arena, slice_of(name));
        }
        return false;
}

static int check_create(struct api_context *context, struct write *write,
                        const struct json_node *metadata) {
        struct slice ns = node_get_text(metadata, "namespace");
        bool is_namespaced = write->resource->kind->flags & KIND_NAMESPACED;

        if (is_namespaced && ns.len && !slice_eq(ns, write->ns))
                return fail_bad_request(context, "the namespace of the provided object does not "
                                                 "match the namespace sent on the request");
        if (node_get_text(metadata, "resourceVersion").len)
                return fail_plain(context, 500, NULL,
                                  "resourceVersion should not be set on objects to be created");
        return 0;
}

int write_create(struct api_context *context, struct write *write, struct slice *ret_body) {
        struct json_node *metadata = node_need_object(write->tree, write->object, "metadata");
        bool is_generated = node_get_text(metadata, "name").len == 0;

        write->operation = KIND_CREATE;
        if (check_create(context, write, metadata) < 0)
                return API_FAILED;
        fill_system_fields(context, write, metadata);
        if ((write->resource->kind->flags & KIND_NAMESPACED) &&
            !context->server->is_bootstrapping &&
            check_namespace(context, write->ns, write->name) < 0)
                return API_FAILED;
        if (write->resource->kind->flags & KIND_GENERATION)
                node_put_i64(write->tree, metadata, "generation", 1);
        merge_owners(context, write);
        if (run_hooks(context, write) < 0 || run_validation(context, write) < 0)
                return API_FAILED;
        metadata = node_get(write->object, "metadata");
        if (!is_name_free(context, write, metadata, is_generated))
                return fail_exists(context, write->resource, write->name);
        manage_fields(context, write);
        convert(write);
        return write_put(context, write, ret_body);
}

/* ---- update ---- */

static int check_version(struct api_context *context, struct write *write,
                         struct json_node *metadata) {
        const struct kind_info *kind = write->resource->kind;
        struct slice version = node_get_text(metadata, "resourceVersion");
        struct field_errors errors = { .arena = context->arena };
        uint64_t wanted = 0;

        if (version.len && !slice_to_u64(version, &wanted))
                return fail_plain(context, 500, NULL,
                                  "strconv.ParseUint: parsing \"" SLICE_FMT "\": invalid syntax",
                                  SLICE_ARG(version));
        if (wanted == 0 && (kind->flags & KIND_UNCONDITIONAL))
                return 0;
        if (wanted == 0) {
                field_error_add(&errors, FIELD_INVALID, "metadata.resourceVersion", "0",
                                "must be specified for an update");
                return fail_invalid(context, kind->kind, kind->group, write->name, &errors);
        }
        if (wanted != write->old->revision)
                return fail_modified(context, write->resource, write->name);
        return 0;
}

static int check_identity(struct api_context *context, struct write *write,
                          struct json_node *metadata) {
        const struct json *old = json_get(write->old_json, "metadata");
        struct slice uid = node_get_text(metadata, "uid");

        if (uid.len && !write->is_patch && !slice_eq(uid, json_get_text(old, "uid")))
                return fail_conflict(context, write->resource->kind->plural,
                                     write->resource->kind->group, write->name,
                                     "Precondition failed: UID in precondition: " SLICE_FMT
                                     ", UID in object meta: " SLICE_FMT,
                                     SLICE_ARG(uid), SLICE_ARG(json_get_text(old, "uid")));
        return check_version(context, write, metadata);
}

/* Members that stay as they are when the client leaves them out. */
static void keep_metadata(struct write *write, struct json_node *metadata) {
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
        node_remove(metadata, "selfLink");
        if (write->resource->kind->flags & KIND_NAMESPACED)
                node_put_text(write->tree, metadata, "namespace", write->ns);
        if (!node_get(metadata, "managedFields") && json_get(old, "managedFields") &&
            !write->is_patch)
                node_put(write->tree, metadata, "managedFields",
                         node_import(write->tree, json_get(old, "managedFields")));
}

static void take_member(struct write *write, struct json_node *to, const char *member) {
        const struct json *value = json_get(write->old_json, member);

        if (value)
                node_put(write->tree, to, member, node_import(write->tree, value));
        else
                node_remove(to, member);
}

/* A write through /status is the old object with a new status, and for some kinds new labels and
 * annotations. */
static void isolate_status(struct write *write) {
        struct json_node *old = node_import(write->tree, write->old_json);
        struct json_node *metadata = node_get(old, "metadata");
        struct json_node *given = node_get(write->object, "metadata");
        static const char *const taken[] = {
                "labels", "annotations",       "managedFields",
                "uid",    "deletionTimestamp", "deletionGracePeriodSeconds"
        };
        size_t first = write->resource->kind->flags & KIND_STATUS_METADATA ? 0 : 2;

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
static void take_finalizers(struct write *write, struct json_node *finalizers) {
        struct json_node *spec = node_need_object(write->tree, write->object, "spec");

        node_remove(spec, "finalizers");
        if (node_count(finalizers))
                node_put(write->tree, spec, "finalizers", finalizers);
}

/* Everything but metadata and status counts as specification. */
static bool is_spec_changed(const struct write *write) {
        struct node_iter iter = node_iter(write->object);
        struct json_node *value;
        struct slice key;
        size_t seen = 0, before = json_count(write->old_json);

        before -= json_get(write->old_json, "metadata") != NULL;
        before -= json_get(write->old_json, "status") != NULL;
        while (node_next(&iter, &key, &value)) {
                if (slice_is(key, "metadata") || slice_is(key, "status") || slice_is(key, "kind") ||
                    slice_is(key, "apiVersion"))
                        continue;
                if (!node_is_json(value, json_get_slice(write->old_json, key)))
                        return true;
                seen++;
        }
        return seen != before;
}

static void bump_generation(struct write *write) {
        const struct json *old = json_get(write->old_json, "metadata");
        struct json_node *metadata = node_get(write->object, "metadata");
        unsigned flags = write->resource->kind->flags;
        bool is_changed = write->operation == KIND_UPDATE && is_spec_changed(write);

        if (!(flags & KIND_GENERATION) || (flags & KIND_FIXED_GENERATION))
                return;
        if (write->operation == KIND_UPDATE && (flags & KIND_ANNOTATION_GENERATION))
                is_changed |= !has_same_member(metadata, old, "annotations");
        if (is_changed)
                node_put_i64(write->tree, metadata, "generation",
                             json_get_i64(old, "generation", 0) + 1);
}

static bool is_deletion_due(const struct write *write) {
        const struct json *old = json_get(write->old_json, "metadata");
        const struct json_node *metadata = node_get(write->object, "metadata");

        if (!json_get(old, "deletionTimestamp") || node_count(node_get(metadata, "finalizers")))
                return false;
        if (json_get_i64(old, "deletionGracePeriodSeconds", 0) != 0)
                return false;
        return node_count(node_get(node_get(write->object, "spec"), "finalizers")) == 0 ||
               strcmp(write->resource->kind->plural, "namespaces") != 0;
}

static int prepare_update(struct api_context *context, struct write *write) {
        struct json_node *metadata = node_need_object(write->tree, write->object, "metadata");
        struct json_node *finalizers = NULL;
        const struct json_node *given = node_get(node_get(write->object, "spec"), "finalizers");

        if (slice_is(write->subresource, "finalize") && given)
                finalizers = node_clone(write->tree, given);
        if (check_identity(context, write, metadata) < 0)
                return API_FAILED;
        keep_metadata(write, metadata);
        if (write->operation == KIND_UPDATE_STATUS)
                isolate_status(write);
        else if (write->resource->kind->flags & KIND_STATUS)
                take_member(write, write->object, "status");
        merge_owners(context, write);
        if (run_hooks(context, write) < 0)
                return API_FAILED;
        if (slice_is(write->subresource, "finalize"))
                take_finalizers(write, finalizers);
        bump_generation(write);
        return run_validation(context, write);
}

/* The last finalizer went. The answer shows the object without it, watchers see the last stored
 * state. */
static int finish_deletion(struct api_context *context, struct write *write,
                           struct slice *ret_body) {
        struct write last = { 0 };
        struct buf text = { 0 };
        struct slice ignored;
        int r;

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
        r = write_remove(context, &last, &ignored);
        json_tree_free(last.tree);
        return r;
}

int write_update(struct api_context *context, struct write *write, struct slice *ret_body,
                 bool *ret_is_deleted) {
        bool is_same;

        *ret_is_deleted = false;
        if (prepare_update(context, write) < 0)
                return API_FAILED;
        convert(write);
        if (is_deletion_due(write)) {
                *ret_is_deleted = true;
                return finish_deletion(context, write, ret_body);
        }
        is_same = is_same_object(write->object, write->stored_json);
        if (!is_same || write->is_apply)
                manage_fields(context, write);
        if (is_same && (!write->is_apply || !has_new_owners(write))) {
                *ret_body = store_object_body(write->old);
                return 0;
        }
        return write_put(context, write, ret_body);
}
