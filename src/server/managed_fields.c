/* metadata.managedFields: who owns which fields. */
#include "server/managed_fields.h"

#include "base/util.h"
#include "schema/field_walk.h"
#include "schema/object_compare.h"
#include "server/api_context.h"
#include "server/api_object.h"
#include "server/emptied_values.h"
#include <stdlib.h>

#define UPDATERS_MAX 10

/* ---- entries ---- */

static bool owner_read(struct json_tree *tree, const struct json_node *entry,
                       struct field_owner *ret_owner) {
        struct slice operation = node_get_text(entry, "operation");
        struct json_node *given = node_get(entry, "fieldsV1");
        struct json_node *set = given ? field_set_read(tree, given) : NULL;

        *ret_owner = (struct field_owner){
                .manager = node_get_text(entry, "manager"),
                .version = node_get_text(entry, "apiVersion"),
                .subresource = node_get_text(entry, "subresource"),
                .time = node_get_text(entry, "time"),
                .is_applier = slice_is(operation, "Apply"),
                .set = set,
        };
        return (ret_owner->is_applier || slice_is(operation, "Update")) && ret_owner->version.len &&
               slice_is(node_get_text(entry, "fieldsType"), "FieldsV1") && (!given || set);
}

static void owners_reserve(struct api_context *context, struct owners *owners, size_t count) {
        if (count <= owners->capacity)
                return;
        struct field_owner *items = ARENA_ARRAY(context->arena, struct field_owner, count + 2);

        if (owners->count)
                memcpy(items, owners->items, owners->count * sizeof(*items));
        owners->items = items;
        owners->capacity = count + 2;
}

/* Who an owner is. Updaters differ by their version, too. */
static int compare_identities(const struct field_owner *a, const struct field_owner *b) {
        int order = a->is_applier - b->is_applier;

        if (order == 0)
                order = slice_compare(a->manager, b->manager);
        if (order == 0)
                order = slice_compare(a->subresource, b->subresource);
        return order || a->is_applier ? order : slice_compare(a->version, b->version);
}

/* Few are compared one by one. */
#define OWNERS_FEW 6

static bool are_repeated(const struct owners *owners) {
        for (size_t i = 1; i < owners->count; i++)
                for (size_t k = 0; k < i; k++)
                        if (compare_identities(&owners->items[i], &owners->items[k]) == 0)
                                return true;
        return false;
}

/* By name; of the same the last comes first. */
static int compare_readings(const void *left, const void *right) {
        struct field_owner *const *a = left, *const *b = right;
        int order = compare_identities(*a, *b);

        return order ? order : *a > *b ? -1 : 1;
}

/* Of entries about the same owner the last counts. */
static void owners_unify(struct api_context *context, struct owners *owners) {
        struct field_owner **order =
                ARENA_ARRAY(context->arena, struct field_owner *, owners->count + 1);
        size_t count = 0;

        for (size_t i = 0; i < owners->count; i++)
                order[i] = &owners->items[i];
        qsort(order, owners->count, sizeof(*order), compare_readings);
        for (size_t i = 1; i < owners->count; i++)
                if (compare_identities(order[i - 1], order[i]) == 0)
                        order[i]->set = NULL;
        for (size_t i = 0; i < owners->count; i++)
                if (!field_set_is_empty(owners->items[i].set))
                        owners->items[count++] = owners->items[i];
        owners->count = count;
}

bool owners_read(struct api_context *context, struct json_tree *tree, const struct json_node *list,
                 struct owners *ret_owners) {
        struct node_iter iter = node_iter(list);
        struct json_node *entry;
        struct owners owners = { 0 };

        owners_reserve(context, &owners, node_count(list));
        while (node_next(&iter, NULL, &entry)) {
                if (!owner_read(tree, entry, &owners.items[owners.count]))
                        return false;
                owners.count += !field_set_is_empty(owners.items[owners.count].set);
                owners.has_entries = true;
        }
        if (owners.count > 1 && (owners.count > OWNERS_FEW || are_repeated(&owners)))
                owners_unify(context, &owners);
        *ret_owners = owners;
        return true;
}

struct field_owner *owners_find(const struct api_context *context, const struct api_write *write,
                                const struct owners *owners) {
        for (size_t i = 0; i < owners->count; i++) {
                struct field_owner *owner = &owners->items[i];

                if (owner->is_applier == write->is_apply &&
                    slice_eq(owner->manager, context->manager) &&
                    slice_eq(owner->subresource, write->subresource) &&
                    (write->is_apply || slice_is(owner->version, write->resource->api_version)))
                        return owner;
        }
        return NULL;
}

struct field_owner *owners_add(struct api_context *context, const struct api_write *write,
                               struct owners *owners, struct slice manager) {
        owners_reserve(context, owners, owners->count + 1);
        struct field_owner *owner = &owners->items[owners->count++];

        *owner = (struct field_owner){ .manager = manager,
                                       .version = slice_of(write->resource->api_version),
                                       .subresource = write->subresource };
        return owner;
}

void owner_stamp(struct api_context *context, struct field_owner *owner) {
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format(loop_wall(context->engine->loop), now);
        owner->time = arena_slice(context->arena, slice_of(now));
}

/* Appliers first, then by time and name. */
static int compare_owners(const void *left, const void *right) {
        const struct field_owner *a = left, *b = right;
        const struct slice pairs[][2] = { { a->time, b->time },
                                          { a->manager, b->manager },
                                          { a->version, b->version },
                                          { a->subresource, b->subresource } };

        if (a->is_applier != b->is_applier)
                return a->is_applier ? -1 : 1;
        for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
                int order = slice_compare(pairs[i][0], pairs[i][1]);

                if (order)
                        return order;
        }
        return 0;
}

static struct json_node *owner_entry(struct json_tree *tree, const struct field_owner *owner) {
        struct json_node *entry = node_object(tree);

        node_put_text(tree, entry, "manager", owner->manager);
        node_put_string(tree, entry, "operation", owner->is_applier ? "Apply" : "Update");
        node_put_text(tree, entry, "apiVersion", owner->version);
        if (owner->time.len)
                node_put_text(tree, entry, "time", owner->time);
        node_put_string(tree, entry, "fieldsType", "FieldsV1");
        if (!owner->is_sorted)
                field_set_sort(owner->set);
        node_put(tree, entry, "fieldsV1", owner->set);
        if (owner->subresource.len)
                node_put_text(tree, entry, "subresource", owner->subresource);
        return entry;
}

void owners_write(const struct api_write *write, struct owners *owners) {
        struct json_node *metadata = node_need_object(write->tree, write->object, "metadata");
        struct json_node *list = node_array(write->tree);

        if (owners->count > 1)
                qsort(owners->items, owners->count, sizeof(*owners->items), compare_owners);
        for (size_t i = 0; i < owners->count; i++)
                if (!field_set_is_empty(owners->items[i].set))
                        node_append(list, owner_entry(write->tree, &owners->items[i]));
        node_remove(metadata, "managedFields");
        if (node_count(list))
                node_put(write->tree, metadata, "managedFields", list);
}

/* ---- what a path cannot write ---- */

struct reset_rule {
        const char *group, *plural, *subresource;
        const char *fields[3][2];
};
/* Beyond the usual: the status on all paths but /status, there everything but the status. */
static const struct reset_rule reset_rules[] = {
        { "apps", "deployments", "status", { { "f:metadata", "f:labels" } } },
        { "",
          "pods",
          "status",
          { { "f:metadata", "f:deletionTimestamp" }, { "f:metadata", "f:ownerReferences" } } },
        { "certificates.k8s.io", "certificatesigningrequests", "", { { "f:spec" } } },
        { "certificates.k8s.io",
          "certificatesigningrequests",
          "status",
          { { "f:status", "f:conditions" } } },
        { "certificates.k8s.io",
          "certificatesigningrequests",
          "approval",
          { { "f:spec" }, { "f:status", "f:certificate" } } },
};

static void owned_set_cut(struct json_node *set, const char *const fields[2]) {
        struct json_node *inner = node_get(set, fields[0]);

        if (!fields[1] || !inner) {
                node_remove(set, fields[0]);
                return;
        }
        node_remove(inner, fields[1]);
        if (node_count(inner) == 0)
                node_remove(set, fields[0]);
}

/* Paths for which upstream leaves the status alone when it looks at owners. */
static bool owns_status(struct slice subresource) {
        return slice_is(subresource, "ephemeralcontainers") || slice_is(subresource, "resize") ||
               slice_is(subresource, "approval");
}

void owned_set_filter(const struct api_write *write, struct json_node *set) {
        const struct kind_info *kind = write->resource->kind;

        if (slice_is(write->subresource, "status")) {
                node_remove(set, "f:spec");
                if (!(kind->flags & KIND_STATUS_METADATA))
                        node_remove(set, "f:metadata");
        } else if ((kind->flags & KIND_STATUS) && !(kind->flags & KIND_OWNED_STATUS) &&
                   !owns_status(write->subresource)) {
                node_remove(set, "f:status");
        }
        for (size_t i = 0; i < ARRAY_LEN(reset_rules); i++) {
                const struct reset_rule *rule = &reset_rules[i];

                if (!slice_is(write->subresource, rule->subresource) ||
                    strcmp(kind->plural, rule->plural) != 0 ||
                    strcmp(kind->group, rule->group) != 0)
                        continue;
                for (size_t k = 0; k < ARRAY_LEN(rule->fields) && rule->fields[k][0]; k++)
                        owned_set_cut(set, rule->fields[k]);
        }
}

void owned_set_strip(struct json_node *set) {
        static const char *const members[] = {
                ".",     "f:name",        "f:namespace",  "f:creationTimestamp", "f:selfLink",
                "f:uid", "f:clusterName", "f:generation", "f:managedFields",     "f:resourceVersion"
        };
        struct json_node *metadata = node_get(set, "f:metadata");

        node_remove(set, "f:apiVersion");
        node_remove(set, "f:kind");
        for (size_t i = 0; metadata && i < ARRAY_LEN(members); i++)
                node_remove(metadata, members[i]);
        if (metadata && node_count(metadata) == 0)
                node_remove(set, "f:metadata");
}

/* ---- states of the object ---- */

struct field_shape written_shape(const struct api_write *write) {
        return field_shape_of(write->resource->owned_type);
}

struct json_node *unborn_object(const struct api_write *write) {
        struct json_node *object = object_zero(write->tree, write->resource);

        node_put_string(write->tree, object, "kind", write->resource->kind->kind);
        node_put_string(write->tree, object, "apiVersion", write->resource->api_version);
        return object;
}

struct json_node *live_object(const struct api_write *write) {
        struct json_node *object = node_object(write->tree);
        struct json_node *metadata = node_object(write->tree);
        struct json_iter iter = json_iter(write->old_json);
        const struct json *value;
        struct slice name;

        node_put_string(write->tree, object, "kind", write->resource->kind->kind);
        node_put_string(write->tree, object, "apiVersion", write->resource->api_version);
        node_put(write->tree, object, "metadata", metadata);
        while (json_next(&iter, &name, &value))
                if (!slice_is(name, "metadata"))
                        node_set(write->tree, object, name, node_import(write->tree, value));
        iter = json_iter(json_get(write->old_json, "metadata"));
        while (json_next(&iter, &name, &value))
                if (!slice_is(name, "managedFields"))
                        node_set(write->tree, metadata, name, node_import(write->tree, value));
        return object;
}

/* ---- writes ---- */

static void filter_changes(const struct api_write *write, struct field_changes *changes) {
        for (size_t i = 0; i < CHANGES; i++)
                owned_set_filter(write, changes->sets[i]);
}

struct field_changes written_changes(const struct api_write *write, const struct json_node *before,
                                     const struct json_node *after) {
        struct field_changes changes =
                field_set_compare(write->tree, written_shape(write), before, after);

        filter_changes(write, &changes);
        return changes;
}

void owners_lose(struct owners *owners, const struct field_changes *changes) {
        for (size_t i = 0; i < owners->count; i++)
                for (size_t k = 0; k < CHANGES; k++)
                        field_set_subtract(owners->items[i].set, changes->sets[k]);
}

bool owners_forget_versions(const struct api_context *context, const struct api_write *write,
                            struct owners *owners) {
        size_t count = 0, before = owners->count;

        for (size_t i = 0; i < owners->count; i++) {
                struct slice rest = owners->items[i].version, group = SLICE_EMPTY;

                if (memchr(rest.ptr, '/', rest.len))
                        slice_split(&rest, '/', &group);
                if (slice_is(owners->items[i].version, write->resource->api_version) ||
                    (slice_is(group, write->resource->kind->group) &&
                     resource_find(&context->engine->resources, group, rest,
                                   slice_of(write->resource->kind->plural))))
                        owners->items[count++] = owners->items[i];
        }
        owners->count = count;
        return count < before;
}

/* The oldest writers become one, so that lists have a limit. */
static void cap_updaters(const struct api_write *write, struct owners *owners) {
        size_t updaters = 0, first = owners->count;

        for (size_t i = 0; i < owners->count; i++)
                updaters += !owners->items[i].is_applier && node_count(owners->items[i].set) > 0;
        if (updaters <= UPDATERS_MAX)
                return;
        qsort(owners->items, owners->count, sizeof(*owners->items), compare_owners);
        for (size_t i = 0; i < owners->count && updaters > UPDATERS_MAX; i++) {
                struct field_owner *owner = &owners->items[i], *bucket = &owners->items[first];

                if (owner->is_applier || node_count(owner->set) == 0)
                        continue;
                if (first == owners->count) {
                        first = i;
                        continue;
                }
                if (!slice_eq(owner->version, bucket->version))
                        continue;
                field_set_add(write->tree, bucket->set, owner->set);
                bucket->manager = SLICE_LITERAL("ancient-changes");
                bucket->subresource = SLICE_EMPTY;
                bucket->time = owner->time;
                owner->set = NULL;
                updaters--;
        }
}

static void take_ownership(struct api_context *context, struct api_write *write,
                           struct owners *owners, const struct field_changes *changes) {
        struct json_node *set = changes->sets[CHANGE_ADDED];
        struct field_owner *mine = owners_find(context, write, owners);

        field_set_add(write->tree, set, changes->sets[CHANGE_MODIFIED]);
        owned_set_strip(set);
        if (field_set_is_empty(set))
                return;
        if (!mine)
                mine = owners_add(context, write, owners, context->manager);
        if (mine->set)
                field_set_add(write->tree, mine->set, set);
        else
                mine->set = set;
        owner_stamp(context, mine);
        cap_updaters(write, owners);
}

void keep_owner_reset(const struct api_resource *resource, struct json_tree *tree,
                      struct json_node *object) {
        struct json_node *list = node_get(node_get(object, "metadata"), "managedFields");

        if (node_type(list) == JSON_ARRAY && node_count(list) == 0 &&
            !(resource && is_custom(resource)))
                node_append(list, node_object(tree));
}

static bool is_reset(const struct json_node *list) {
        return node_count(list) == 1 && node_count(node_at(list, 0)) == 0;
}

/* Owners before the write: those the client sends, or the stored ones. */
static struct owners owners_before(struct api_context *context, struct api_write *write,
                                   const struct json_node *given) {
        const struct json *stored =
                json_get(json_get(write->old_json, "metadata"), "managedFields");
        struct owners owners = { 0 };

        if (write->subresource.len == 0) {
                if (is_reset(given))
                        return owners;
                if (owners_read(context, write->tree, given, &owners) && node_count(given))
                        return owners;
        }
        owners = (struct owners){ 0 };
        if (stored &&
            !owners_read(context, write->tree, node_import_unique(write->tree, stored), &owners))
                owners = (struct owners){ 0 };
        return owners;
}

/* The sets of new objects of one form are the same. */
static bool has_form(const struct api_context *context, const struct api_write *write,
                     const struct owners *owners) {
        return !write->old_json && owners->count == 0 && !owners->has_entries &&
               write->resource->schema && write->subresource.len == 0 && !context->emptied;
}

static bool take_known_form(struct api_context *context, const struct api_write *write,
                            struct owners *owners) {
        const struct json_node *set =
                owned_forms_find(&context->engine->forms, write->resource->kind, write->object);

        if (!set)
                return false;
        struct field_owner *mine = owners_add(context, write, owners, context->manager);
        mine->set = node_clone(write->tree, set);
        mine->is_sorted = true;
        owner_stamp(context, mine);
        owners_write(write, owners);
        return true;
}

void manage_fields(struct api_context *context, struct api_write *write) {
        struct json_node *metadata = node_need_object(write->tree, write->object, "metadata");
        struct json_node *given = node_get(metadata, "managedFields");
        struct owners owners = owners_before(context, write, given);
        bool is_formed = has_form(context, write, &owners);

        node_remove(metadata, "managedFields");
        if ((write->old_json && owners.count == 0 && !owners.has_entries) ||
            (is_formed && take_known_form(context, write, &owners)))
                return;
        const struct json_node *now = emptied_put_back(context, write);
        struct field_changes changes =
                write->old_json
                        ? field_set_since(write->tree, written_shape(write), write->old_json, now)
                        : field_set_compare(write->tree, written_shape(write), unborn_object(write),
                                            now);
        if (changes.is_untyped) /* what cannot be owned by its keys is owned by nobody */
                return;
        filter_changes(write, &changes);
        if (owners_forget_versions(context, write, &owners) && is_custom(write->resource))
                return; /* upstream cannot convert the object to what is not served */
        owners_lose(&owners, &changes);
        take_ownership(context, write, &owners, &changes);
        owners_write(write, &owners);
        if (is_formed && owners.count == 1)
                owned_forms_add(&context->engine->forms, write->resource->kind,
                                owners.items[0].set);
}

/* ---- after a write ---- */

static bool is_same_entry(const struct json_node *entry, const struct json *old, bool is_timeless) {
        struct json_iter iter = json_iter(old);
        const struct json *value;
        struct slice name;
        size_t count = node_count(entry) - !!node_get(entry, "time");

        if (!is_timeless)
                return node_equal_json(entry, old);
        while (json_next(&iter, &name, &value)) {
                const struct json_node *now = node_find(entry, name);

                if (!slice_is(name, "time") && (!now || !node_equal_json(now, value)))
                        return false;
        }
        return count == json_count(old) - !!json_get(old, "time");
}

bool has_same_owners(const struct api_write *write, bool is_timeless) {
        const struct json_node *given =
                node_get(node_get(write->object, "metadata"), "managedFields");
        const struct json *stored =
                json_get(json_get(write->old_json, "metadata"), "managedFields");
        struct node_iter nodes = node_iter(given);
        struct json_iter iter = json_iter(stored);
        const struct json *old;
        struct json_node *entry;

        if (node_count(given) != json_count(stored))
                return false;
        while (node_next(&nodes, NULL, &entry) && json_next(&iter, NULL, &old))
                if (!is_same_entry(entry, old, is_timeless))
                        return false;
        return true;
}

void manage_own_status(struct api_context *context, struct api_write *write) {
        struct slice manager = context->manager;
        const struct emptied_value *emptied = context->emptied;

        context->manager = SLICE_LITERAL("kube-apiserver");
        context->emptied = NULL; /* which are those of the object that the request is about */
        write->operation = KIND_UPDATE_STATUS;
        write->subresource = SLICE_LITERAL("status");
        manage_fields(context, write);
        context->manager = manager;
        context->emptied = emptied;
}
