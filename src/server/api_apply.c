/* Server-side apply: a configuration says what its manager wants; fields of others are left alone
 * or fought over. */
#include "server/api_apply.h"

#include "schema/field_set.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_metadata.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_store.h"
#include "server/api_write.h"

#define CONFLICTS_MAX 100

struct conflicts {
        struct api_context *context;
        const struct json_node *entry; /* whose fields are being compared */
        struct failure_cause causes[CONFLICTS_MAX];
        const struct json_node *owners[CONFLICTS_MAX];
        size_t count;
};

/* ---- reading ---- */

static int check_applied(struct api_context *context, const struct json_node *applied,
                         const struct api_resource *resource) {
        struct slice kind = node_get_text(applied, "kind");
        struct slice version = node_get_text(applied, "apiVersion");

        if (kind.len == 0 || version.len == 0)
                return fail_bad_request(context, "invalid object type: /, Kind=" SLICE_FMT,
                                        SLICE_ARG(kind));
        if (!slice_is(kind, resource->kind->kind) || !slice_is(version, resource->api_version))
                return fail_bad_request(context,
                                        "invalid object type: " SLICE_FMT ", Kind=" SLICE_FMT,
                                        SLICE_ARG(version), SLICE_ARG(kind));
        if (node_count(node_get(node_get(applied, "metadata"), "managedFields")))
                return fail_bad_request(context, "metadata.managedFields must be nil");
        return 0;
}

static int read_applied(struct api_context *context, const struct api_resource *resource,
                        struct json_tree *tree, struct json_node **ret_applied) {
        const struct json *body = request_json(context, context->request->body);
        struct err err = { 0 };

        if (json_type(body) != JSON_OBJECT)
                return fail_bad_request(context, "error decoding YAML: it is no object");
        struct json_node *applied = node_import(tree, body);
        if (check_applied(context, applied, resource) < 0)
                return API_FAILED;
        if (resource->schema && schema_canonicalise(resource->schema, tree, applied, &err) < 0)
                return fail_plain(context, 500, NULL, "failed to create typed patch object: %s",
                                  err.text);
        *ret_applied = applied;
        return 0;
}

/* The part of a set that the path of the request may write. */
static void restrict_set(struct api_write *write, struct json_node *set) {
        struct json_node *status = node_get(set, "f:status");
        struct slice name;
        struct json_node *child;

        if (write->operation != KIND_UPDATE_STATUS) {
                if (write->resource->kind->flags & KIND_STATUS)
                        node_remove(set, "f:status");
                return;
        }
        for (;;) {
                struct node_iter iter = node_iter(set);

                if (!node_next(&iter, &name, &child))
                        break;
                node_remove_slice(set, name);
        }
        if (status)
                node_put(write->tree, set, "f:status", status);
}

/* ---- conflicts ---- */

static void add_conflict(void *context, const char *path) {
        struct conflicts *conflicts = context;
        struct arena *arena = conflicts->context->arena;
        const struct json_node *entry = conflicts->entry;
        struct slice subresource = node_get_text(entry, "subresource");
        struct buf text = { 0 };

        if (conflicts->count == CONFLICTS_MAX)
                return;
        buf_text(&text, "conflict with ");
        buf_json_string(&text, node_get_text(entry, "manager"));
        if (subresource.len)
                buf_printf(&text, " with subresource \"" SLICE_FMT "\"", SLICE_ARG(subresource));
        if (slice_is(node_get_text(entry, "operation"), "Update"))
                buf_printf(&text, " using " SLICE_FMT,
                           SLICE_ARG(node_get_text(entry, "apiVersion")));
        conflicts->owners[conflicts->count] = entry;
        conflicts->causes[conflicts->count++] = (struct failure_cause){
                .reason = "FieldManagerConflict",
                .message = arena_string(arena, buf_view(&text)),
                .field = arena_string(arena, slice_of(path)),
        };
        buf_release(&text);
}

/* "conflict with "m": .a", or with several fields "conflicts with "m":\n- .a\n- .b" */
static void owner_write(const struct conflicts *conflicts, size_t first, size_t count,
                        struct buf *out) {
        const char *message = conflicts->causes[first].message;

        if (count == 1) {
                buf_printf(out, "%s: %s", message, conflicts->causes[first].field);
                return;
        }
        buf_printf(out, "conflicts%s:", message + strlen("conflict"));
        for (size_t i = first; i < first + count; i++)
                buf_printf(out, "\n- %s", conflicts->causes[i].field);
}

static int fail_conflicts(struct api_context *context, const struct conflicts *conflicts) {
        struct buf text = { 0 };
        size_t at = 0;

        while (at < conflicts->count) {
                size_t count = 1;

                while (at + count < conflicts->count &&
                       conflicts->owners[at + count] == conflicts->owners[at])
                        count++;
                buf_text(&text, at ? "\n" : "");
                owner_write(conflicts, at, count, &text);
                at += count;
        }
        fail_plain(context, 409, "Conflict", "Apply failed with %zu conflict%s: %s",
                   conflicts->count, conflicts->count == 1 ? "" : "s", text.data);
        buf_release(&text);
        context->failure.has_details = true;
        context->failure.causes = arena_copy(context->arena, conflicts->causes,
                                             conflicts->count * sizeof(conflicts->causes[0]));
        context->failure.cause_count = conflicts->count;
        return API_FAILED;
}

/* Ends with the fields in no other manager's set, or with a failure. */
static int api_apply_settle(struct api_context *context, struct api_write *write,
                            struct json_node *list, const struct json_node *changed,
                            const struct json_node *rest, const struct json_node *rest_entry) {
        struct conflicts *conflicts = ARENA_NEW(context->arena, struct conflicts);
        const struct json_node *mine = managed_entry(context, write, list);
        struct node_iter iter = node_iter(list);
        struct json_node *entry;

        conflicts->context = context;
        while (node_next(&iter, NULL, &entry)) {
                if (entry == mine)
                        continue;
                conflicts->entry = entry;
                field_set_common(changed, entry == rest_entry ? rest : node_get(entry, "fieldsV1"),
                                 add_conflict, conflicts);
        }
        if (conflicts->count && !context->is_forced)
                return fail_conflicts(context, conflicts);
        iter = node_iter(list);
        while (conflicts->count && node_next(&iter, NULL, &entry))
                field_set_subtract(node_get(entry, "fieldsV1"), changed);
        return 0;
}

/* ---- applying ---- */

static struct json_node *union_of_others(struct api_write *write, const struct json_node *list,
                                         const struct json_node *mine,
                                         const struct json_node *rest) {
        struct json_node *others = node_object(write->tree), *entry;
        struct node_iter iter = node_iter(list);

        while (node_next(&iter, NULL, &entry)) {
                if (entry != mine)
                        field_set_add(write->tree, others, node_get(entry, "fieldsV1"));
        }
        if (rest)
                field_set_add(write->tree, others, rest);
        return others;
}

int apply_configuration(struct api_context *context, struct api_write *write) {
        const struct schema_object *schema = write->resource->schema;
        struct json_node *applied;
        const struct json_node *rest_entry;

        if (read_applied(context, write->resource, write->tree, &applied) < 0)
                return API_FAILED;
        write->is_apply = true;
        struct json_node *ours = field_set_of(write->tree, schema, applied);
        restrict_set(write, ours);
        struct json_node *live = node_clone(write->tree, write->object);
        struct json_node *list =
                node_need_array(write->tree, node_get(write->object, "metadata"), "managedFields");
        struct json_node *mine = managed_entry(context, write, list);
        struct json_node *rest = managed_rest(write, list, live, &rest_entry);
        node_remove(node_get(applied, "metadata"), "managedFields");
        field_set_merge(write->tree, schema, write->object, applied);
        if (mine)
                field_set_prune(schema, write->object, node_get(mine, "fieldsV1"), ours,
                                union_of_others(write, list, mine, rest));
        write->applied_set = ours;
        return api_apply_settle(context, write, list,
                                field_set_changed(write->tree, schema, live, write->object, false),
                                rest, rest_entry);
}

static int create_applied(struct api_context *context, struct decoded *decoded) {
        struct api_write write = { .resource = context->resource,
                                   .ns = context->route.ns,
                                   .is_apply = true,
                                   .tree = decoded->tree,
                                   .object = decoded->object };
        struct json_node *applied;
        struct slice body;

        if (read_applied(context, context->resource, write.tree, &applied) < 0)
                return API_FAILED;
        write.applied_set = field_set_of(write.tree, context->resource->schema, applied);
        restrict_set(&write, write.applied_set);
        if (check_url(context, write.object) < 0 || write_create(context, &write, &body) < 0)
                return API_FAILED;
        return respond_object(context, 201, body);
}

int create_by_apply(struct api_context *context) {
        const struct kind_info *kind = context->resource->kind;
        struct decoded decoded = { 0 };

        context->converted.content_type = SLICE_EMPTY; /* JSON by now */
        int r = decode_body(context, kind->group, kind->version, kind->kind, &decoded);
        if (r == 0)
                r = create_applied(context, &decoded);
        decoded_release(&decoded);
        return r;
}
