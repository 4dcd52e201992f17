/* Owners of replicas, as a scale has them and as the object does. A scale knows them by its own
 * version, so those that update are others to the object afterwards: they own the replicas apart,
 * and nobody knows since when. */
#include "server/scale_owners.h"

#include "base/map.h"
#include "base/text_set.h"
#include "schema/field_set.h"
#include "server/api_context.h"
#include "server/managed_fields.h"

/* "f:spec", then "f:replicas" for ".spec.replicas"; false at the end. */
static bool next_field(struct slice *path, struct buf *ret_name) {
        struct slice name = SLICE_EMPTY;

        while (name.len == 0)
                if (!slice_split(path, '.', &name))
                        return false;
        buf_clear(ret_name);
        buf_text(ret_name, "f:");
        buf_slice(ret_name, name);
        return true;
}

static bool owns_path(const struct json_node *set, struct slice path) {
        CLEANUP(buf_release) struct buf name = { 0 };

        while (next_field(&path, &name))
                set = node_find(set, buf_view(&name));
        return set && (node_count(set) == 0 || node_get(set, "."));
}

static struct json_node *set_of_path(struct json_tree *tree, struct slice path) {
        CLEANUP(buf_release) struct buf name = { 0 };
        struct json_node *set = node_object(tree), *inner = set;

        while (next_field(&path, &name)) {
                struct json_node *next = node_object(tree);

                node_set(tree, inner, buf_view(&name), next);
                inner = next;
        }
        return set;
}

static void read_owners(struct api_context *context, struct json_tree *tree,
                        const struct json *list, struct owners *ret_owners) {
        *ret_owners = (struct owners){ 0 };
        if (list && !owners_read(context, tree, node_import_unique(tree, list), ret_owners))
                *ret_owners = (struct owners){ 0 };
}

void scale_owners_put(struct api_context *context, const struct api_write *object,
                      struct slice path, struct api_write *scale) {
        struct slice own = slice_of(object->resource->api_version);
        struct owners owners;
        size_t count = 0;

        read_owners(context, scale->tree,
                    json_get(json_get(object->old_json, "metadata"), "managedFields"), &owners);
        for (size_t i = 0; i < owners.count; i++) {
                struct field_owner owner = owners.items[i];

                if (!slice_eq(owner.version, own) || !owns_path(owner.set, path))
                        continue;
                owner.version = slice_of(scale->resource->api_version);
                owner.set = set_of_path(scale->tree, SLICE_LITERAL(".spec.replicas"));
                owners.items[count++] = owner;
        }
        owners.count = count;
        owners_write(scale, &owners);
}

static void add_owner(struct api_context *context, const struct api_write *object,
                      struct owners *owners, const struct field_owner *owner) {
        *owners_add(context, object, owners, owner->manager) = *owner;
}

/* Who an owner is. Updaters differ by their version, too. */
static void owner_name(const struct field_owner *owner, struct buf *ret_name) {
        buf_clear(ret_name);
        text_part_add(ret_name, owner->manager);
        text_part_add(ret_name, owner->subresource);
        text_part_add(ret_name, owner->is_applier ? SLICE_EMPTY : owner->version);
}

static struct map *owners_by_name(const struct owners *owners) {
        CLEANUP(buf_release) struct buf name = { 0 };
        struct map *map = map_new();

        for (size_t i = 0; i < owners->count; i++) {
                owners->items[i].time = SLICE_EMPTY; /* nobody knows */
                owner_name(&owners->items[i], &name);
                map_put(map, buf_view(&name), &owners->items[i]);
        }
        return map;
}

/* An owner of the object after the scale was written: without the replicas, if others have them
 * now. Those who own them of the scale are left in `after`. */
static void settle_owner(struct api_context *context, const struct api_write *object,
                         struct slice path, const struct map *after, struct field_owner *owner,
                         struct owners *ret_owners) {
        CLEANUP(buf_release) struct buf name = { 0 };
        bool had_replicas = owns_path(owner->set, path);

        if (!slice_is(owner->version, object->resource->api_version))
                return;
        owner_name(owner, &name);
        struct field_owner *other = map_get(after, buf_view(&name));
        if (!had_replicas && other && owns_path(other->set, SLICE_LITERAL(".spec.replicas"))) {
                other->time = owner->time; /* all else that it owned is forgotten */
                return;
        }
        if (had_replicas && !other)
                field_set_subtract(owner->set, set_of_path(object->tree, path));
        add_owner(context, object, ret_owners, owner);
        if (had_replicas && other)
                other->set = NULL;
}

void scale_owners_take(struct api_context *context, const struct api_write *scale,
                       struct slice path, struct api_write *object) {
        const struct json_node *given =
                node_get(node_get(scale->object, "metadata"), "managedFields");
        struct owners before, after = { 0 }, owners = { 0 };

        read_owners(context, object->tree,
                    json_get(json_get(object->old_json, "metadata"), "managedFields"), &before);
        if (given)
                owners_read(context, object->tree, node_clone(object->tree, given), &after);
        struct map *by_name = owners_by_name(&after);
        for (size_t i = 0; i < before.count; i++)
                settle_owner(context, object, path, by_name, &before.items[i], &owners);
        map_free(by_name);
        for (size_t i = 0; i < after.count; i++) {
                struct field_owner owner = after.items[i];

                if (!owns_path(owner.set, SLICE_LITERAL(".spec.replicas")))
                        continue;
                owner.version = slice_of(object->resource->api_version);
                owner.set = set_of_path(object->tree, path);
                add_owner(context, object, &owners, &owner);
        }
        owners_write(object, &owners);
}
