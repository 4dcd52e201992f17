/* Server-side apply: a configuration says what its manager wants; fields of others are left alone
 * or fought over. */
#include "server/api_apply.h"

#include "schema/field_check.h"
#include "schema/field_merge.h"
#include "schema/field_walk.h"
#include "schema/go_json.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_write.h"
#include "server/managed_fields.h"
#include "server/request_names.h"

#define CONFLICTS_MAX 100
#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

struct conflicts {
        struct api_context *context;
        const struct field_owner *owner; /* whose fields are being compared */
        struct failure_cause causes[CONFLICTS_MAX];
        const struct field_owner *owners[CONFLICTS_MAX];
        size_t count;
};

/* ---- reading ---- */

/* null, or a text (that is a time). */
static bool is_entry_member(const struct json_node *value, bool is_time) {
        enum json_type type = node_type(value);
        struct wall_time time;

        return type == JSON_NONE || type == JSON_NULL ||
               (type == JSON_STRING && (!is_time || wall_time_parse(node_get_slice(value), &time)));
}

static bool is_entry(const struct json_node *entry) {
        static const char *const members[] = { "manager",    "operation",   "apiVersion",
                                               "fieldsType", "subresource", "time" };

        if (node_type(entry) != JSON_OBJECT)
                return false;
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                if (!is_entry_member(node_get(entry, members[i]), i + 1 == ARRAY_LEN(members)))
                        return false;
        return true;
}

/* Those that cannot be read count as none; their types say what is wrong with them. */
static bool has_managed_fields(const struct json_node *list) {
        struct node_iter iter = node_iter(list);
        struct json_node *entry;

        if (node_type(list) != JSON_ARRAY)
                return false;
        while (node_next(&iter, NULL, &entry))
                if (!is_entry(entry))
                        return false;
        return true;
}

static int check_applied(struct api_context *context, const struct json_node *applied,
                         const struct api_resource *resource) {
        struct slice kind = node_get_text(applied, "kind");
        struct slice version = node_get_text(applied, "apiVersion");

        if (!slice_is(kind, resource->kind->kind) || !slice_is(version, resource->api_version))
                return fail_bad_request(context,
                                        "invalid object type: %s" SLICE_FMT ", Kind=" SLICE_FMT,
                                        slice_contains(version, SLICE_LITERAL("/")) ? "" : "/",
                                        SLICE_ARG(version), SLICE_ARG(kind));
        if (has_managed_fields(node_get(node_get(applied, "metadata"), "managedFields")))
                return fail_bad_request(context, "metadata.managedFields must be nil");
        return 0;
}

/* The configuration as it was sent: nothing is made canonical before it is compared. */
int apply_check(struct api_context *context, const struct api_resource *resource,
                const struct json_node *applied) {
        const struct json_node *metadata = node_get(applied, "metadata");
        struct buf text = { 0 };
        int r = 0;

        if (resource->owned_type && field_check(resource->owned_type, applied, &text))
                r = fail_plain(context, 500, NULL,
                               "failed to create typed patch object (" SLICE_FMT "/" SLICE_FMT
                               "; %s%s, Kind=%s): %s",
                               SLICE_ARG(node_get_text(metadata, "namespace")),
                               SLICE_ARG(node_get_text(metadata, "name")),
                               *resource->kind->group ? "" : "/", resource->api_version,
                               resource->kind->kind, text.data);
        buf_release(&text);
        return r;
}

/* A null stays, and so does a list that cannot be read: the object changes by them, to begin with.
 */
static void drop_owners(struct json_node *applied) {
        struct json_node *metadata = node_get(applied, "metadata");
        const struct json_node *list = node_get(metadata, "managedFields");

        if (node_type(list) != JSON_NULL && node_count(list) == 0)
                node_remove(metadata, "managedFields");
}

/* To upstream 1.0 is what 1 is, wherever two states are compared. */
static void settle_numbers(struct json_node *value) {
        const double limit = 9223372036854775808.0; /* 2^63 */
        struct node_iter iter = node_iter(value);
        struct json_node *inner;
        double number;

        if (node_type(value) == JSON_REAL && node_as_f64(value, &number) && number >= -limit &&
            number < limit && number == (double)(int64_t)number)
                node_become_i64(value, (int64_t)number);
        while (node_count(value) && node_next(&iter, NULL, &inner))
                settle_numbers(inner);
}

/* A configuration that was checked becomes one that can be compared and merged. */
static void settle_applied(struct json_node *applied) {
        drop_owners(applied);
        settle_numbers(applied);
}

/* What is there without any owner becomes that of a manager before the first apply, which fails
 * where a list has an element without its keys. */
static int check_live(struct api_context *context, const struct api_write *write) {
        const struct api_resource *resource = write->resource;
        CLEANUP(buf_release) struct buf text = { 0 };

        if (!write->old_json || !resource->owned_type ||
            json_count(json_get(json_get(write->old_json, "metadata"), "managedFields")) > 0)
                return 0;
        struct json_node *live = live_object(write);
        struct field_changes changes = written_changes(write, unborn_object(write), live);
        if (!changes.is_untyped || !field_check(resource->owned_type, live, &text))
                return 0;
        return fail_plain(context, 500, NULL,
                          "failed to create manager for existing fields: failed to convert new "
                          "object (" SLICE_FMT "/" SLICE_FMT "; %s%s, Kind=%s) to smd typed: %s",
                          SLICE_ARG(write->ns), SLICE_ARG(write->name),
                          *resource->kind->group ? "" : "/", resource->api_version,
                          resource->kind->kind, text.data);
}

static int read_applied(struct api_context *context, const struct api_write *write,
                        struct json_node **ret_applied) {
        const struct api_resource *resource = write->resource;
        const struct json *body = request_json(context, context->request->body);

        if (context->yaml_problem)
                return fail_bad_request(context,
                                        "error decoding YAML: error converting YAML to JSON: %s",
                                        context->yaml_problem);
        if (json_type(body) != JSON_OBJECT && json_type(body) != JSON_NULL)
                return fail_bad_request(context,
                                        "error decoding YAML: error unmarshaling JSON: while "
                                        "decoding JSON: json: cannot unmarshal %s into Go value of "
                                        "type map[string]interface {}",
                                        json_go_name(json_type(body)));
        struct json_node *applied = json_type(body) == JSON_OBJECT ? node_import(write->tree, body)
                                                                   : node_object(write->tree);
        if (check_applied(context, applied, resource) < 0 || check_live(context, write) < 0 ||
            apply_check(context, resource, applied) < 0)
                return API_FAILED;
        settle_applied(applied);
        *ret_applied = applied;
        return 0;
}

struct repeated {
        struct api_context *context;
        struct buf text;
};

/* JSON is one line to a reader of YAML, mostly. */
static void note_repeated(void *context, struct slice path, struct slice key) {
        struct repeated *repeated = context;
        CLEANUP(buf_release) struct buf line = { 0 };

        (void)path;
        buf_text(&line, "line 1: key ");
        buf_json_string(&line, key);
        buf_text(&line, " already set in map");
        if (repeated->context->validation == VALIDATE_WARN)
                warn_add(repeated->context, buf_view(&line));
        else
                buf_printf(&repeated->text, "\n  " SLICE_FMT, SLICE_ARG(buf_view(&line)));
}

int apply_check_repeated(struct api_context *context) {
        struct repeated repeated = { .context = context };
        int r = 0;

        if (context->validation != VALIDATE_IGNORE)
                json_duplicates(request_json(context, context->request->body), note_repeated,
                                &repeated);
        if (repeated.text.len)
                r = fail_bad_request(context,
                                     "error strict decoding YAML: error converting YAML to JSON: "
                                     "yaml: unmarshal errors:%s",
                                     repeated.text.data);
        buf_release(&repeated.text);
        return r;
}

/* Owners that count as none still have to be of their type, and so do those members of metadata
 * that are read before them. */
static int check_given_owners(struct api_context *context, const struct api_write *write) {
        const struct json *body = request_json(context, context->request->body);
        const struct json *metadata = json_get(body, "metadata");
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        struct schema_report report = { .minor = write->resource->minor, .is_value = true };
        struct err err = { 0 };

        if (json_type(json_get(metadata, "managedFields")) != JSON_ARRAY ||
            !write->resource->schema)
                return 0;
        tree = json_tree_new();
        struct json_node *object = node_object(tree);
        node_put(tree, object, "metadata", node_import(tree, metadata));
        if (schema_normalise(write->resource->schema, tree, object, &report, &err) == 0)
                return 0;
        return fail_applied(context, write->resource, err.text);
}

/* What the configuration owns once it is applied. */
static struct json_node *applied_set(const struct api_write *write,
                                     const struct json_node *applied) {
        struct json_node *set = field_set_of(write->tree, written_shape(write), applied);

        owned_set_filter(write, set);
        return set;
}

/* ---- conflicts ---- */

static void add_conflict(void *context, const char *path) {
        struct conflicts *conflicts = context;
        struct arena *arena = conflicts->context->arena;
        const struct field_owner *owner = conflicts->owner;
        struct buf text = { 0 };

        if (conflicts->count == CONFLICTS_MAX)
                return;
        buf_text(&text, "conflict with ");
        buf_json_string(&text, owner->manager);
        if (owner->subresource.len)
                buf_printf(&text, " with subresource \"" SLICE_FMT "\"",
                           SLICE_ARG(owner->subresource));
        if (!owner->is_applier)
                buf_printf(&text, " using " SLICE_FMT, SLICE_ARG(owner->version));
        conflicts->owners[conflicts->count] = owner;
        conflicts->causes[conflicts->count++] = (struct failure_cause){
                .reason = "FieldManagerConflict",
                .message = arena_string(arena, buf_view(&text)),
                .field = arena_string(arena, slice_of(path)),
        };
        buf_release(&text);
}

/* "conflicts with "m":\n- .a\n- .b" */
static void owner_write(const struct conflicts *conflicts, size_t first, size_t count,
                        struct buf *out) {
        buf_printf(out, "conflicts%s:", conflicts->causes[first].message + strlen("conflict"));
        for (size_t i = first; i < first + count; i++)
                buf_printf(out, "\n- %s", conflicts->causes[i].field);
}

static int compare_conflicting(const struct field_owner *a, const struct field_owner *b) {
        const struct slice pairs[][2] = { { a->manager, b->manager },
                                          { a->is_applier ? SLICE_EMPTY : a->version,
                                            b->is_applier ? SLICE_EMPTY : b->version },
                                          { a->subresource, b->subresource } };
        int order = 0;

        for (size_t i = 0; order == 0 && i < ARRAY_LEN(pairs); i++) {
                order = slice_compare(pairs[i][0], pairs[i][1]);
                if (order == 0 && i == 0)
                        order = b->is_applier - a->is_applier;
        }
        return order;
}

/* By owner; those of one stay in their order. */
static void sort_conflicts(struct conflicts *conflicts) {
        for (size_t i = 1; i < conflicts->count; i++) {
                struct failure_cause cause = conflicts->causes[i];
                const struct field_owner *owner = conflicts->owners[i];
                size_t k = i;

                for (; k > 0 && compare_conflicting(conflicts->owners[k - 1], owner) > 0; k--) {
                        conflicts->causes[k] = conflicts->causes[k - 1];
                        conflicts->owners[k] = conflicts->owners[k - 1];
                }
                conflicts->causes[k] = cause;
                conflicts->owners[k] = owner;
        }
}

static int fail_conflicts(struct api_context *context, const struct conflicts *conflicts) {
        struct buf text = { 0 };
        size_t at = 0;

        if (conflicts->count == 1) {
                buf_printf(&text, "%s: %s", conflicts->causes[0].message,
                           conflicts->causes[0].field);
                at = 1;
        }
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

/* Fields of client-side apply that are still as it left them: kubectl may take them over. */
static struct json_node *client_side_set(struct api_context *context, struct api_write *write,
                                         const struct json_node *live) {
        struct slice text =
                node_get_text(node_get(node_get(live, "metadata"), "annotations"), LAST_APPLIED);
        const struct json *last = text.len ? request_json(context, text) : NULL;

        if (json_type(last) != JSON_OBJECT ||
            !slice_is(json_get_text(last, "apiVersion"), write->resource->api_version))
                return node_object(write->tree);
        struct json_node *applied = node_import(write->tree, last);
        struct json_node *set = field_set_of(write->tree, written_shape(write), applied);
        struct field_changes changes =
                field_set_compare(write->tree, written_shape(write), applied, live);

        for (size_t i = 0; i < CHANGES; i++)
                field_set_subtract(set, changes.sets[i]);
        return set;
}

/* Ends with the fields in no other manager's set, or with a failure. */
static int api_apply_settle(struct api_context *context, struct api_write *write,
                            struct owners *owners, const struct field_changes *changes,
                            const struct json_node *live) {
        struct conflicts *conflicts = ARENA_NEW(context->arena, struct conflicts);
        const struct field_owner *mine = owners_find(context, write, owners);
        struct json_node *changed = node_clone(write->tree, changes->sets[CHANGE_ADDED]);

        field_set_add(write->tree, changed, changes->sets[CHANGE_MODIFIED]);
        if (slice_is(context->manager, "kubectl") && !context->is_forced)
                field_set_subtract(changed, client_side_set(context, write, live));
        conflicts->context = context;
        for (size_t i = 0; i < owners->count; i++) {
                conflicts->owner = &owners->items[i];
                if (conflicts->owner != mine)
                        field_set_each(
                                field_set_common(write->tree, conflicts->owner->set, changed),
                                add_conflict, conflicts);
        }
        if (conflicts->count && !context->is_forced) {
                sort_conflicts(conflicts);
                return fail_conflicts(context, conflicts);
        }
        for (size_t i = 0; i < owners->count; i++)
                if (&owners->items[i] != mine)
                        owners_lose(&(struct owners){ &owners->items[i], 1, 1 }, changes);
        return 0;
}

/* ---- applying ---- */

/* Fields of an object without any owner belong to an update before the first apply. */
static void own_what_is_there(struct api_context *context, struct api_write *write,
                              struct owners *owners, const struct json_node *live) {
        struct field_changes changes = written_changes(write, unborn_object(write), live);
        struct json_node *set = changes.sets[CHANGE_ADDED];
        char now[WALL_TIME_TEXT_MAX];

        field_set_add(write->tree, set, changes.sets[CHANGE_MODIFIED]);
        owned_set_strip(set);
        if (field_set_is_empty(set))
                return;
        struct field_owner *owner =
                owners_add(context, write, owners, SLICE_LITERAL("before-first-apply"));
        wall_time_format(loop_wall(context->engine->loop), now);
        owner->time = arena_slice(context->arena, slice_of(now));
        owner->set = set;
}

static struct json_node *union_of(const struct api_write *write, const struct owners *owners) {
        struct json_node *all = node_object(write->tree);

        for (size_t i = 0; i < owners->count; i++)
                field_set_add(write->tree, all, owners->items[i].set);
        return all;
}

/* kubectl keeps the annotation of client-side apply up to date, so that one can go back to it. */
static void renew_last_applied(const struct api_context *context, struct api_write *write,
                               struct json_node *applied) {
        struct json_node *annotations =
                node_get(node_get(write->object, "metadata"), "annotations");
        struct buf text = { 0 };

        if (!slice_is(context->manager, "kubectl") ||
            node_get_text(annotations, LAST_APPLIED).len == 0)
                return;
        node_remove(node_get(node_get(applied, "metadata"), "annotations"), LAST_APPLIED);
        node_write(applied, &text);
        buf_char(&text, '\n');
        node_put_text(write->tree, annotations, LAST_APPLIED, buf_view(&text));
        buf_release(&text);
}

/* The object becomes the live one with the configuration in it; its sets are settled. */
static int merge_applied(struct api_context *context, struct api_write *write,
                         struct owners *owners, const struct json_node *applied) {
        struct field_shape shape = written_shape(write);
        struct json_node *live = write->old_json ? live_object(write) : unborn_object(write);
        struct json_node *last = NULL;

        if (write->old_json && owners->count == 0)
                own_what_is_there(context, write, owners, live);
        struct field_owner *mine = owners_find(context, write, owners);
        if (mine)
                last = mine->set;
        else
                mine = owners_add(context, write, owners, context->manager);
        mine->is_applier = true;
        mine->version = slice_of(write->resource->api_version);
        mine->set = applied_set(write, applied);
        write->object = field_merge(write->tree, shape, live, applied);
        if (last)
                field_prune(write->tree, shape, write->object, last, union_of(write, owners));
        json_tree_set_root(write->tree, write->object);
        struct field_changes changes = written_changes(write, live, write->object);
        if (api_apply_settle(context, write, owners, &changes, live) < 0)
                return API_FAILED;
        owned_set_strip(mine->set);
        write->is_idle = write->old_json && node_equal(live, write->object);
        if (!write->is_idle)
                owner_stamp(context, mine);
        return 0;
}

int apply_fields(struct api_context *context, struct api_write *write,
                 const struct json_node *applied) {
        const struct json *stored =
                json_get(json_get(write->old_json, "metadata"), "managedFields");
        struct owners owners = { 0 };

        write->is_apply = true;
        if (stored)
                owners_read(context, write->tree, node_import(write->tree, stored), &owners);
        owners_forget_versions(context, write, &owners);
        if (merge_applied(context, write, &owners, applied) < 0)
                return API_FAILED;
        owners_write(write, &owners);
        return 0;
}

int apply_configuration(struct api_context *context, struct api_write *write) {
        struct json_node *applied;

        if (read_applied(context, write, &applied) < 0 ||
            apply_fields(context, write, applied) < 0 || check_given_owners(context, write) < 0)
                return API_FAILED;
        renew_last_applied(context, write, applied);
        return 0;
}

/* A configuration that creates may not speak of an object that is there; its version is for the
 * store to look at. */
static int check_unborn(struct api_context *context, struct json_node *object) {
        struct json_node *metadata = node_get(object, "metadata");
        struct slice uid = node_get_text(metadata, "uid");
        const struct kind_info *kind = context->resource->kind;

        if (uid.len)
                return fail_conflict(context, kind->plural, kind->group, context->route.name,
                                     "uid mismatch: the provided object specified uid " SLICE_FMT
                                     ", and no existing object was found",
                                     SLICE_ARG(uid));
        return check_url(context, object);
}

static int create_applied(struct api_context *context, struct api_write *write,
                          struct decoded *decoded) {
        struct json_node *applied;
        struct owners owners = { 0 };
        struct slice body;

        write->tree = json_tree_new();
        if (read_applied(context, write, &applied) < 0 || decode_applied(context, decoded) < 0 ||
            apply_check_repeated(context) < 0 || check_unborn(context, decoded->object) < 0)
                return API_FAILED;
        json_tree_free(write->tree);
        write->tree = decoded->tree;
        applied = node_import(write->tree, request_json(context, context->request->body));
        settle_applied(applied);
        if (merge_applied(context, write, &owners, applied) < 0)
                return API_FAILED;
        write->object = decoded->object;
        json_tree_set_root(write->tree, write->object);
        owners_write(write, &owners);
        if (write_create(context, write, &body) < 0)
                return API_FAILED;
        return respond_object(context, 201, body);
}

int create_by_apply(struct api_context *context) {
        struct api_write write = { .resource = context->resource,
                                   .ns = context->route.ns,
                                   .subresource = context->route.subresource,
                                   .is_apply = true };
        struct decoded decoded = { 0 };

        context->converted.content_type = SLICE_EMPTY; /* JSON by now */
        int r = create_applied(context, &write, &decoded);
        if (write.tree != decoded.tree)
                json_tree_free(write.tree);
        decoded_release(&decoded);
        return r;
}
