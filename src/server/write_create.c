/* Creating one object. */
#include "server/api_write.h"

#include "base/uuid.h"
#include "kinds/release.h"
#include "server/api_access.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_metadata.h"
#include "server/api_object.h"
#include "server/api_state.h"
#include "server/quota_status.h"
#include "server/raw_forms.h"
#include "server/write_stages.h"
#include <string.h>

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
        if (strcmp(context->route.verb, "create") == 0) { /* upstream tidies up nothing else */
                node_remove(metadata, "deletionTimestamp");
                node_remove(metadata, "deletionGracePeriodSeconds");
        }
        if (!write->is_apply || !context->is_dry_run)
                node_remove(metadata, "selfLink");
        if (node_get_text(metadata, "name").len == 0 && prefix.len) {
                bool is_whole = write->resource->kind->name_rule == NAME_ADDRESS;

                generate_name(context->engine, prefix, name);
                node_put_text(write->tree, metadata, "name", is_whole ? prefix : slice_of(name));
        }
        if (node_get_text(metadata, "name").len == 0 &&
            (write->resource->kind->flags & KIND_NAMED_BY_UUID)) {
                uuid_format(uuid_random(&context->engine->rng), uid);
                node_put_string(write->tree, metadata, "name", uid);
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
                        struct json_node *metadata) {
        struct slice ns = node_get_text(metadata, "namespace");
        bool is_namespaced = write->resource->kind->flags & KIND_NAMESPACED;

        if (write->ns.len == 0)
                node_remove(metadata, "namespace");
        else if (is_namespaced && ns.len && !slice_eq(ns, write->ns))
                return fail_given_namespace(context);
        return 0;
}

/* An apply that creates is an update until it is found that there is nothing. */
static int check_applied_version(struct api_context *context, const struct api_write *write) {
        struct slice text = node_get_text(node_get(write->object, "metadata"), "resourceVersion");
        uint64_t version = 0;

        if (!write->is_apply || text.len == 0 || slice_to_u64(text, &version))
                return 0;
        return fail_bad_version(context, text);
}

/* The store refuses what claims to be stored already; dry runs do not get that far. */
static int check_unversioned(struct api_context *context, const struct api_write *write,
                             const struct json_node *metadata) {
        struct slice text = node_get_text(metadata, "resourceVersion");
        uint64_t version = 0;

        if (write->is_apply || context->is_dry_run || !slice_to_u64(text, &version) || version == 0)
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

/* The object that is there says why, and whether another name could have been made. */
static int fail_taken(struct api_context *context, const struct api_write *write,
                      const struct json_node *metadata) {
        const struct store_object *other =
                object_find(context, write->resource, write->ns, write->name);
        const struct json *there =
                other ? json_get(json_cache_get(&context->engine->cache, other), "metadata") : NULL;
        bool has_prefix = node_get_text(metadata, "generateName").len > 0;

        fail_exists(context, write->resource, write->name);
        context->failure.message = arena_printf(
                context->arena, "%s%s%s",
                json_get(there, "deletionTimestamp") ? "object is being deleted: " : "",
                context->failure.message,
                has_prefix ? ", the server was not able to generate a unique name for the object"
                           : "");
        context->failure.retry_after_s = has_prefix;
        return API_FAILED;
}

/* The store takes what claims no version, under a name that is not taken. */
static int check_is_free(struct api_context *context, struct api_write *write,
                         struct json_node *metadata, bool is_generated) {
        if (check_unversioned(context, write, metadata) < 0)
                return API_FAILED;
        if (!is_name_free(context, write, metadata, is_generated))
                return fail_taken(context, write, metadata);
        return 0;
}

int write_create(struct api_context *context, struct api_write *write, struct slice *ret_body) {
        struct json_node *metadata = node_need_object(write->tree, write->object, "metadata");
        bool is_generated = node_get_text(metadata, "name").len == 0;

        write->operation = KIND_CREATE;
        write->has_made_name = is_generated;
        if (check_create(context, write, metadata) < 0)
                return API_FAILED;
        fill_system_fields(context, write, metadata);
        if (write->ns.len && (write->resource->kind->flags & KIND_NAMESPACED) &&
            !context->engine->is_bootstrapping &&
            check_namespace(context, write->ns, write->name) < 0)
                return API_FAILED;
        if (release_has_generation(write->resource->minor, write->resource->kind))
                node_put_i64(write->tree, metadata, "generation", 1);
        prepare_owners(context, write);
        write->has_labels |= is_generated; /* each name is tried with a copy of its own */
        if (run_hooks(context, write) < 0 || check_applied_version(context, write) < 0 ||
            run_validation(context, write) < 0 || check_may_create(context, write) < 0 ||
            run_judges(context, write) < 0)
                return API_FAILED;
        metadata = node_get(write->object, "metadata");
        /* Quotas are charged before the store is asked whether the name is free, as upstream. */
        if (quota_status_charge(context, write) < 0 ||
            check_is_free(context, write, metadata, is_generated) < 0)
                return API_FAILED;
        api_write_read_back(write);
        api_write_convert(write);
        return raw_form_put(context, write, ret_body);
}
