/* DELETE: options, graceful deletion of pods, finalizers, collections. */
#include "server/api_delete.h"

#include "server/api_accept.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_list.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_query.h"
#include "server/api_store.h"
#include "server/api_verbs.h"
#include "server/webhook.h"
#include <stdlib.h>

#define OPTIONS_KIND "DeleteOptions"
#define GRACE_DEFAULT_S 30

/* ---- options ---- */

static char *quoted_text(struct arena *arena, struct slice text) {
        struct buf out = { 0 };

        buf_json_string(&out, text);
        char *copy = arena_string(arena, buf_view(&out));
        buf_release(&out);
        return copy;
}

/* A policy that is given is looked at, even if it is empty. */
struct given_propagation {
        struct slice policy;
        bool has_policy, has_orphan, is_orphan;
};

static void take_propagation(struct api_context *context, struct given_propagation given,
                             struct field_errors *errors, struct delete_options *options) {
        struct slice policy = given.policy;

        options->is_no_orphan = given.has_orphan && !given.is_orphan;
        if (given.has_orphan && given.has_policy)
                field_error_add(errors, FIELD_INVALID, "propagationPolicy",
                                quoted_text(context->arena, policy),
                                "orphanDependents and deletionPropagation cannot be both set");
        if (slice_is(policy, "Foreground"))
                options->propagation = PROPAGATE_FOREGROUND;
        else if (slice_is(policy, "Background"))
                options->propagation = PROPAGATE_BACKGROUND;
        else if (slice_is(policy, "Orphan"))
                options->propagation = PROPAGATE_ORPHAN;
        else if (given.has_policy)
                field_error_add(errors, FIELD_NOT_SUPPORTED, "propagationPolicy",
                                quoted_text(context->arena, policy),
                                "supported values: \"Foreground\", \"Background\", \"Orphan\", "
                                "\"nil\"");
        else if (given.has_orphan)
                options->propagation = given.is_orphan ? PROPAGATE_ORPHAN : PROPAGATE_BACKGROUND;
}

static void take_dry_run(const char *values, bool is_known, struct field_errors *errors,
                         struct delete_options *options) {
        if (!is_known)
                field_error_add(errors, FIELD_NOT_SUPPORTED, "dryRun", values,
                                "supported values: \"All\"");
        options->is_dry_run = true;
}

static int check_options(struct api_context *context, const struct field_errors *errors) {
        return errors->count
                       ? fail_invalid(context, OPTIONS_KIND, "meta.k8s.io", SLICE_EMPTY, errors)
                       : 0;
}

static int options_from_query(struct api_context *context, struct delete_options *options) {
        struct field_errors errors = { .arena = context->arena };
        struct slice text;

        if (query_number(context, "gracePeriodSeconds", &options->grace_s, &options->has_grace) < 0)
                return API_FAILED;
        struct given_propagation given = {
                .has_policy = query_get(&context->query, "propagationPolicy", &text),
                .has_orphan = query_get(&context->query, "orphanDependents", &text),
                .is_orphan = query_is_true(&context->query, "orphanDependents"),
                .policy = query_text(&context->query, "propagationPolicy"),
        };
        take_propagation(context, given, &errors, options);
        bool is_known;
        const char *dry_run = query_values(context, "dryRun", "All", &is_known);
        if (dry_run)
                take_dry_run(dry_run, is_known, &errors, options);
        return check_options(context, &errors);
}

static void dry_run_from(struct api_context *context, const struct json *values,
                         struct field_errors *errors, struct delete_options *options) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_iter iter = json_iter(values);
        const struct json *value;
        bool is_known = true;

        while (json_next(&iter, NULL, &value))
                is_known &= slice_is(json_text(value), "All");
        if (json_count(values) == 0)
                return;
        json_write(values, &text);
        take_dry_run(arena_string(context->arena, buf_view(&text)), is_known, errors, options);
}

int delete_options_from(struct api_context *context, const struct json *body,
                        struct delete_options *ret_options) {
        struct delete_options options = { 0 };
        const struct json *preconditions = json_get(body, "preconditions");
        const struct json *grace = json_get(body, "gracePeriodSeconds");
        const struct json *orphan = json_get(body, "orphanDependents");
        struct field_errors errors = { .arena = context->arena };

        if (json_type(grace) == JSON_INT)
                options.has_grace = json_as_i64(grace, &options.grace_s);
        options.uid = json_get_text(preconditions, "uid");
        options.resource_version = json_get_text(preconditions, "resourceVersion");
        struct given_propagation given = {
                .has_policy = json_get(body, "propagationPolicy"),
                .has_orphan = json_type(orphan) == JSON_BOOL,
                .is_orphan = json_is_true(orphan),
                .policy = json_get_text(body, "propagationPolicy"),
        };
        take_propagation(context, given, &errors, &options);
        dry_run_from(context, json_get(body, "dryRun"), &errors, &options);
        *ret_options = options;
        return check_options(context, &errors);
}

/* From the body, or from the query when there is none: never from both. */
int delete_options_decode(struct api_context *context, struct delete_options *ret_options) {
        struct decoded decoded = { 0 };
        struct buf text = { 0 };

        *ret_options = (struct delete_options){ 0 };
        if (slice_trim(context->request->body).len == 0)
                return options_from_query(context, ret_options);
        context->validation = VALIDATE_IGNORE;
        int r = decode_options(context, &decoded);
        if (r < 0)
                return r;
        node_write(decoded.object, &text);
        const struct json *body = request_json(context, buf_view(&text));
        buf_release(&text);
        decoded_release(&decoded);
        return delete_options_from(context, body, ret_options);
}

/* ---- one object ---- */

static int check_preconditions(struct api_context *context, const struct api_write *write,
                               const struct delete_options *options) {
        const struct json *metadata = json_get(write->old_json, "metadata");
        const struct kind_info *own = write->resource->kind;
        const struct kind_info *kind = own->stored_as ? own->stored_as : own;
        struct slice uid = json_get_text(metadata, "uid");
        struct slice version = json_get_text(metadata, "resourceVersion");

        if (options->uid.len && !slice_eq(options->uid, uid))
                return fail_conflict(context, kind->kind, kind->group, write->name,
                                     "the UID in the precondition (" SLICE_FMT
                                     ") does not match the UID in record (" SLICE_FMT
                                     "). The object might have been deleted and then recreated",
                                     SLICE_ARG(options->uid), SLICE_ARG(uid));
        if (options->resource_version.len && !slice_eq(options->resource_version, version))
                return fail_conflict(context, kind->kind, kind->group, write->name,
                                     "the ResourceVersion in the precondition (" SLICE_FMT
                                     ") does not match the ResourceVersion in record (" SLICE_FMT
                                     "). The object might have been modified",
                                     SLICE_ARG(options->resource_version), SLICE_ARG(version));
        return 0;
}

static bool list_contains(const struct json_node *list, const char *text, size_t *ret_index) {
        struct node_iter iter = node_iter(list);
        struct json_node *item;

        for (*ret_index = 0; node_next(&iter, NULL, &item); (*ret_index)++) {
                if (slice_is(node_get_slice(item), text))
                        return true;
        }
        return false;
}

static bool set_finalizer(struct api_write *write, const char *name, bool is_wanted) {
        struct json_node *metadata = node_get(write->object, "metadata");
        struct json_node *list = node_get(metadata, "finalizers");
        struct node_iter iter = node_iter(list);
        struct json_node *item;
        size_t index;

        if (list_contains(list, name, &index) == is_wanted)
                return false;
        if (is_wanted)
                node_append(node_need_array(write->tree, metadata, "finalizers"),
                            node_string(write->tree, name));
        while (!is_wanted && node_next(&iter, NULL, &item))
                if (slice_is(node_get_slice(item), name))
                        node_drop(&iter);
        if (node_count(node_get(metadata, "finalizers")) == 0)
                node_remove(metadata, "finalizers");
        return true;
}

/* What becomes of dependents: what the request says, what a finalizer says that is there already,
 * or what is usual for the kind. */
static enum propagation api_delete_choose(const struct api_write *write,
                                          enum propagation propagation) {
        struct json_node *metadata = node_get(write->object, "metadata");
        struct node_iter iter = node_iter(node_get(metadata, "finalizers"));
        struct json_node *item;

        if (write->resource->kind->flags & KIND_UNCOLLECTED)
                return PROPAGATE_BACKGROUND;
        while (propagation == PROPAGATE_DEFAULT && node_next(&iter, NULL, &item)) {
                if (slice_is(node_get_slice(item), "orphan"))
                        propagation = PROPAGATE_ORPHAN;
                else if (slice_is(node_get_slice(item), "foregroundDeletion"))
                        propagation = PROPAGATE_FOREGROUND;
        }
        if (propagation == PROPAGATE_DEFAULT && (write->resource->kind->flags & KIND_ORPHANS))
                propagation = PROPAGATE_ORPHAN;
        return propagation;
}

/* The garbage collector's finalizers follow. */
static bool api_delete_propagate(struct api_write *write, enum propagation asked) {
        enum propagation propagation = api_delete_choose(write, asked);
        bool is_changed = set_finalizer(write, "orphan", propagation == PROPAGATE_ORPHAN);

        return set_finalizer(write, "foregroundDeletion", propagation == PROPAGATE_FOREGROUND) ||
               is_changed;
}

static void api_delete_mark(struct api_context *context, struct api_write *write,
                            struct wall_time when, int64_t grace_s) {
        struct json_node *metadata = node_get(write->object, "metadata");
        char text[WALL_TIME_TEXT_MAX];

        (void)context;
        wall_time_format(when, text);
        node_put_string(write->tree, metadata, "deletionTimestamp", text);
        node_put_i64(write->tree, metadata, "deletionGracePeriodSeconds", grace_s);
}

static void api_delete_bump(struct api_write *write) {
        struct json_node *metadata = node_get(write->object, "metadata");
        int64_t generation = node_get_i64(metadata, "generation", 0);

        if (generation > 0)
                node_put_i64(write->tree, metadata, "generation", generation + 1);
}

static int64_t pod_grace(const struct json *pod, const struct delete_options *options) {
        const struct json *spec = json_get(pod, "spec");
        struct slice phase = json_get_text(json_get(pod, "status"), "phase");
        int64_t grace = options->has_grace ? options->grace_s
                                           : json_get_i64(spec, "terminationGracePeriodSeconds",
                                                          GRACE_DEFAULT_S);

        if (json_get_text(spec, "nodeName").len == 0 || slice_is(phase, "Succeeded") ||
            slice_is(phase, "Failed"))
                return 0;
        return grace < 0 ? 1 : grace;
}

/* Marks a pod, or shortens its mark. *ret_is_final: nothing but finalizers keeps it. */
static bool mark_pod(struct api_context *context, struct api_write *write,
                     const struct delete_options *options, bool *ret_is_final) {
        const struct json *metadata = json_get(write->old_json, "metadata");
        struct wall_time now = loop_wall(context->engine->loop), marked;
        int64_t before = json_get_i64(metadata, "deletionGracePeriodSeconds", 0);
        int64_t grace = options->has_grace ? options->grace_s : before;

        *ret_is_final = false;
        if (!json_get(metadata, "deletionTimestamp")) {
                grace = pod_grace(write->old_json, options);
                api_delete_mark(context, write, (struct wall_time){ now.ns + grace * NS_PER_S },
                                grace);
                api_delete_bump(write);
        } else {
                grace = grace < 0 ? 1 : grace;
                if (grace >= before ||
                    !wall_time_parse(json_get_text(metadata, "deletionTimestamp"), &marked))
                        return false;
                api_delete_mark(context, write,
                                (struct wall_time){ marked.ns + (grace - before) * NS_PER_S },
                                grace);
        }
        *ret_is_final = grace == 0;
        return true;
}

/* Namespaces wait for spec.finalizers, which their controller takes away. */
static bool mark_namespace(struct api_context *context, struct api_write *write,
                           bool *ret_is_final) {
        struct json_node *metadata = node_get(write->object, "metadata");
        char text[WALL_TIME_TEXT_MAX];

        *ret_is_final = node_count(node_get(node_get(write->object, "spec"), "finalizers")) == 0;
        if (node_get(metadata, "deletionTimestamp"))
                return false;
        wall_time_format(loop_wall(context->engine->loop), text);
        node_put_string(write->tree, metadata, "deletionTimestamp", text);
        node_put_string(write->tree, node_need_object(write->tree, write->object, "status"),
                        "phase", "Terminating");
        return true;
}

static bool mark_plain(struct api_context *context, struct api_write *write, bool *ret_is_final) {
        struct json_node *metadata = node_get(write->object, "metadata");

        *ret_is_final = true;
        struct wall_time now = loop_wall(context->engine->loop), marked;
        bool is_marked = wall_time_parse(node_get_text(metadata, "deletionTimestamp"), &marked);

        if (node_count(node_get(metadata, "finalizers")) == 0 ||
            (is_marked && marked.ns <= now.ns &&
             node_get_i64(metadata, "deletionGracePeriodSeconds", -1) == 0))
                return false;
        if (!is_marked)
                api_delete_bump(write);
        api_delete_mark(context, write, is_marked && marked.ns <= now.ns ? marked : now, 0);
        return true;
}

/* A pod that is being deleted can only get a shorter time, nothing else. */
static bool is_pending(const struct api_context *context, const struct api_write *write,
                       const struct delete_options *options) {
        const struct json *metadata = json_get(write->old_json, "metadata");

        return write->resource == context->engine->resources.pods &&
               json_get(metadata, "deletionTimestamp") &&
               json_get_i64(metadata, "deletionGracePeriodSeconds", 0) != 0 &&
               !(options->has_grace &&
                 options->grace_s < json_get_i64(metadata, "deletionGracePeriodSeconds", 0));
}

/* A pod has time to end, until the time is none. */
static bool ends_in_grace(const struct api_context *context, const struct api_resource *resource,
                          const struct json *metadata) {
        return resource == context->engine->resources.pods &&
               (!json_get(metadata, "deletionTimestamp") ||
                json_get_i64(metadata, "deletionGracePeriodSeconds", 0) != 0);
}

static int delete_write(struct api_context *context, struct api_write *write,
                        const struct delete_options *options, struct slice *ret_body,
                        bool *ret_is_gone) {
        bool is_changed = !is_pending(context, write, options) &&
                          api_delete_propagate(write, options->propagation);
        const struct json *metadata = json_get(write->old_json, "metadata");
        bool is_final, is_marked, is_plain = false;

        if (ends_in_grace(context, write->resource, metadata))
                is_marked = mark_pod(context, write, options, &is_final);
        else if (write->resource == context->engine->resources.namespaces)
                is_marked = mark_namespace(context, write, &is_final);
        else
                is_marked = mark_plain(context, write, &is_final), is_plain = true;
        *ret_body = arena_slice(context->arena, store_object_body(write->old));
        *ret_is_gone = is_final &&
                       node_count(node_get(node_get(write->object, "metadata"), "finalizers")) == 0;
        if (is_plain && *ret_is_gone) { /* it goes as it is stored */
                json_tree_free(write->tree);
                write->object = tree_of_object(write->old, &write->tree);
        } else if ((is_changed || is_marked) && write_put(context, write, ret_body) < 0) {
                return API_FAILED;
        }
        return *ret_is_gone ? write_remove(context, write, ret_body) : 0;
}

static int check_protected(struct api_context *context, const struct api_write *write) {
        static const char *const names[] = { "default", "kube-system", "kube-public" };

        for (size_t i = 0;
             write->resource == context->engine->resources.namespaces && i < ARRAY_LEN(names);
             i++) {
                if (!slice_is(write->name, names[i]))
                        continue;
                fail_plain(context, 403, "Forbidden",
                           "namespaces \"%s\" is forbidden: this namespace may not be deleted",
                           names[i]);
                context->failure.has_details = true;
                context->failure.name = names[i];
                context->failure.kind = "namespaces";
                return API_FAILED;
        }
        return 0;
}

int delete_object(struct api_context *context, const struct api_resource *resource,
                  const struct store_object *object, const struct delete_options *options,
                  struct slice *ret_body, bool *ret_is_gone) {
        struct api_write write = { 0 };
        bool was_dry_run = context->is_dry_run;

        if (write_begin(context, resource, object, &write) < 0)
                return API_FAILED;
        if (resource->kind
                    ->from_stored) { /* deletion touches metadata only: work on what is stored */
                json_tree_free(write.tree);
                write.object = tree_of_object(object, &write.tree);
        }
        context->is_dry_run = was_dry_run || options->is_dry_run;
        int r = check_preconditions(context, &write, options);
        if (r == 0)
                r = check_protected(context, &write);
        if (r == 0)
                r = delete_write(context, &write, options, ret_body, ret_is_gone);
        if (r == 0)
                *ret_body = arena_slice(context->arena, *ret_body);
        context->is_dry_run = was_dry_run;
        write_end(&write);
        return r;
}

static int respond_deleted(struct api_context *context, struct slice body) {
        const struct kind_info *kind = context->resource->kind;
        struct buf *out = &context->response->body;

        if (accept_check(context, ANSWER_STATUS) < 0)
                return API_FAILED;
        context->response->status = 200;
        context->response->content_type = "application/json";
        buf_text(out, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                      "\"status\":\"Success\",\"details\":{\"name\":");
        buf_json_string(out, context->route.name);
        if (*kind->group)
                buf_printf(out, ",\"group\":\"%s\"", kind->group);
        buf_printf(out, ",\"kind\":\"%s\",\"uid\":", kind->plural);
        buf_json_string(out,
                        json_get_text(json_get(request_json(context, body), "metadata"), "uid"));
        buf_text(out, "}}");
        return 0;
}

/* Upstream updates an object that has finalizers before it removes it; where the update leaves
 * none, a dry run ends with neither, and answers with an object that has nothing in it. */
static int respond_empty(struct api_context *context) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_node *object = object_zero(tree, context->resource);

        node_need_object(tree, object, "metadata");
        object_add_own_zeroes(context->resource->kind, tree, object);
        node_write(object, &text);
        return respond_object(context, 200, arena_slice(context->arena, buf_view(&text)));
}

static bool ends_empty(struct api_context *context, const struct store_object *object) {
        if (!context->is_dry_run || context->resource == context->engine->resources.namespaces)
                return false;
        const struct json *metadata =
                json_get(json_cache_get(&context->engine->cache, object), "metadata");
        return json_count(json_get(metadata, "finalizers")) > 0 &&
               !ends_in_grace(context, context->resource, metadata);
}

/* Of dependents that stay since nobody said what becomes of them. */
static void warn_of_orphans(struct api_context *context, const struct delete_options *options) {
        const struct kind_info *kind = context->resource->kind;

        if ((kind->flags & KIND_ORPHANS) && options->propagation == PROPAGATE_DEFAULT &&
            kind->orphan_warning)
                warn_add(context, slice_of(kind->orphan_warning));
}

int serve_delete(struct api_context *context) {
        const struct api_route *route = &context->route;
        struct delete_options options;
        struct slice body;
        bool is_gone = false;

        if (route->subresource.len || !(context->resource->kind->verbs & VERB_DELETE))
                return fail_method(context);
        if (delete_options_decode(context, &options) < 0)
                return API_FAILED;
        warn_of_orphans(context, &options);
        const struct store_object *object =
                object_find(context, context->resource, route->ns, route->name);
        if (!object)
                return fail_not_found(context, context->resource, route->name);
        context->is_dry_run |= options.is_dry_run;
        bool is_emptied = ends_empty(context, object);
        if (webhooks_allow_delete(context, context->resource, object) < 0 ||
            delete_object(context, context->resource, object, &options, &body, &is_gone) < 0)
                return API_FAILED;
        if (is_gone && is_emptied)
                return respond_empty(context);
        if (!is_gone || (context->resource->kind->flags & KIND_DELETE_OBJECT))
                /* What is still there is accepted, for those who ask the old way. */
                return respond_object(context, !is_gone && options.is_no_orphan ? 202 : 200, body);
        return respond_deleted(context, body);
}

/* ---- collections ---- */

static int delete_each(struct api_context *context, struct page *page,
                       const struct delete_options *options) {
        for (size_t i = 0; i < page->count; i++) {
                if (webhooks_allow_delete(context, context->resource, page->objects[i]) < 0)
                        return API_FAILED;
        }
        for (size_t i = 0; i < page->count; i++) {
                const struct store_object *now =
                        object_find(context, context->resource, store_object_ns(page->objects[i]),
                                    store_object_name(page->objects[i]));
                struct slice body;
                bool is_gone;

                if (now &&
                    delete_object(context, context->resource, now, options, &body, &is_gone) < 0)
                        return API_FAILED;
        }
        return 0;
}

int serve_delete_collection(struct api_context *context) {
        struct delete_options options;
        struct page page = { 0 };

        if (!(context->resource->kind->verbs & VERB_DELETE_COLLECTION))
                return fail_method(context);
        if (page_options(context, &page) < 0 || delete_options_decode(context, &options) < 0)
                return API_FAILED;
        warn_of_orphans(context, &options);
        context->is_dry_run |= options.is_dry_run;
        int r = page_open(context, &page);
        for (size_t i = 0; i < page.count; i++)
                store_object_ref(page.objects[i]);
        if (r == 0)
                r = delete_each(context, &page, &options);
        if (r == 0)
                r = page_write(context, &page);
        for (size_t i = 0; i < page.count; i++)
                store_object_unref(page.objects[i]);
        free(page.objects);
        return r;
}
