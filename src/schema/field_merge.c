/* Merging an applied configuration into a live object, and pruning. */
#include "schema/field_merge.h"

#include "base/map.h"
#include "base/pace.h"
#include "base/util.h"
#include "schema/field_set.h"
#include "schema/field_walk.h"
#include <stdlib.h>
#include <string.h>

/* ---- merging ---- */

static bool is_open(struct field_shape shape, const struct json_node *value,
                    enum field_extent extent) {
        return value && node_count(value) && field_extent(shape, value) == extent;
}

static struct json_node *merge_maps(struct json_tree *tree, struct field_shape shape,
                                    const struct json_node *live, const struct json_node *applied) {
        struct json_node *out = node_object(tree), *value;
        struct node_iter iter = node_iter(live);
        struct slice name;

        while (node_next(&iter, &name, &value))
                node_set(tree, out, name,
                         field_merge(tree, field_shape_member(&shape, name), value,
                                     node_find(applied, name)));
        iter = node_iter(applied);
        while (node_next(&iter, &name, &value))
                if (!node_find(live, name))
                        node_set(tree, out, name,
                                 field_merge(tree, field_shape_member(&shape, name), NULL, value));
        return out;
}

/* An element, and its namesake in the other list. */
struct item {
        const struct json_node *node;
        struct item *peer; /* NULL = none */
        bool is_repeated;  /* has the step of an earlier one */
        bool is_merged;    /* of the applied ones: it is in the result */
};

struct items {
        struct item *all; /* from malloc */
        size_t count;
        struct map *by_step;
};

static void items_release(struct items *items) {
        map_free(items->by_step);
        free(items->all);
}

static struct items items_of(struct field_shape shape, const struct json_node *list) {
        struct items items = { xcalloc(node_count(list) + 1, sizeof(struct item)), 0, map_new() };
        struct node_iter iter = node_iter(list);
        struct json_node *element;
        struct buf step = { 0 };
        const char *reason;

        while (node_next(&iter, NULL, &element)) {
                struct item *item = &items.all[items.count];

                pace_step();
                if (!field_element_step(shape, element, &step, &reason))
                        continue;
                items.count++;
                item->node = element;
                struct item *first = map_get(items.by_step, buf_view(&step));
                item->is_repeated = first;
                if (first)
                        first->is_repeated = true;
                else
                        map_put(items.by_step, buf_view(&step), item);
        }
        buf_release(&step);
        return items;
}

static void items_pair(struct items *live, struct items *applied) {
        struct slice step;
        void *item;
        size_t at = 0;

        while (map_next(applied->by_step, &at, &step, &item)) {
                struct item *ours = item, *theirs = map_get(live->by_step, step);

                ours->peer = theirs;
                if (theirs)
                        theirs->peer = ours;
        }
}

struct list_merge {
        struct json_tree *tree;
        struct field_shape shape; /* of an element */
        struct items live, applied;
        struct json_node *out;
};

/* Of live elements that stand there repeatedly none is merged: the applied one replaces them. */
static void take_applied(struct list_merge *merge, struct item *item) {
        const struct item *live = item->peer;

        item->is_merged = true;
        node_append(merge->out,
                    field_merge(merge->tree, merge->shape,
                                live && !live->is_repeated ? live->node : NULL, item->node));
}

/* The next applied element from `at` on that is live, too. */
static size_t next_shared(const struct items *applied, size_t at) {
        while (at < applied->count && !applied->all[at].peer)
                at++;
        return at;
}

/* Repeated live elements have the peer of their first. */
static struct item *peer_of(const struct list_merge *merge, struct field_shape list,
                            const struct item *live) {
        struct buf step = { 0 };
        const char *reason;

        if (!live->is_repeated)
                return live->peer;
        field_element_step(list, live->node, &step, &reason);
        const struct item *first = map_get(merge->live.by_step, buf_view(&step));
        buf_release(&step);
        return first ? first->peer : NULL;
}

/* Places in both lists, and in the applied one that of the next element that is live, too. */
struct merge_place {
        size_t live, applied, shared;
};

/* The live element comes later, or came before. */
static bool is_out_of_order(const struct list_merge *merge, const struct merge_place *place,
                            const struct item *peer) {
        const struct items *applied = &merge->applied;

        return place->applied < applied->count && peer != &applied->all[place->applied] &&
               place->shared < applied->count && peer != &applied->all[place->shared];
}

static void merge_applied_item(struct list_merge *merge, struct merge_place *place) {
        struct items *applied = &merge->applied;

        if (place->applied >= applied->count)
                return;
        take_applied(merge, &applied->all[place->applied]);
        if (place->applied == place->shared)
                place->shared = next_shared(applied, place->shared + 1);
        place->applied++;
}

/* Shared elements come in the order of the configuration; the live ones between them stay where
 * they are. */
static void merge_items(struct list_merge *merge, struct field_shape list) {
        struct merge_place place = { .shared = next_shared(&merge->applied, 0) };
        struct items *live = &merge->live, *applied = &merge->applied;

        while (place.live < live->count || place.applied < applied->count) {
                if (place.live >= live->count) {
                        merge_applied_item(merge, &place);
                        continue;
                }
                const struct item *item = &live->all[place.live];
                const struct item *peer = peer_of(merge, list, item);
                if (!peer) {
                        node_append(merge->out,
                                    field_merge(merge->tree, merge->shape, item->node, NULL));
                        place.live++;
                        continue;
                }
                if (is_out_of_order(merge, &place, peer)) {
                        place.live++;
                        continue;
                }
                if (peer->is_merged ||
                    (place.applied < applied->count && peer == &applied->all[place.applied]))
                        place.live++;
                merge_applied_item(merge, &place);
        }
}

static struct json_node *merge_lists(struct json_tree *tree, struct field_shape shape,
                                     const struct json_node *live,
                                     const struct json_node *applied) {
        struct list_merge merge = { .tree = tree,
                                    .shape = field_shape_element(shape),
                                    .live = items_of(shape, live),
                                    .applied = items_of(shape, applied),
                                    .out = node_array(tree) };

        items_pair(&merge.live, &merge.applied);
        merge_items(&merge, shape);
        items_release(&merge.live);
        items_release(&merge.applied);
        return merge.out;
}

static bool is_void(const struct json_node *value) {
        return !value || node_type(value) == JSON_NULL ||
               ((node_type(value) == JSON_OBJECT || node_type(value) == JSON_ARRAY) &&
                node_count(value) == 0);
}

struct json_node *field_merge(struct json_tree *tree, struct field_shape shape,
                              const struct json_node *live, const struct json_node *applied) {
        for (enum field_extent extent = EXTENT_MAP; extent <= EXTENT_LIST; extent++) {
                bool has_live = is_open(shape, live, extent);
                bool has_applied = is_open(shape, applied, extent);

                if ((!has_live && !has_applied) || (!has_live && !is_void(live)) ||
                    (!has_applied && !is_void(applied)))
                        continue;
                return extent == EXTENT_MAP ? merge_maps(tree, shape, has_live ? live : NULL,
                                                         has_applied ? applied : NULL)
                                            : merge_lists(tree, shape, has_live ? live : NULL,
                                                          has_applied ? applied : NULL);
        }
        return node_clone(tree, applied ? applied : live);
}

/* ---- pruning ---- */

static void remove_items(struct field_shape shape, struct json_node *value,
                         const struct json_node *set);

/* True when the place goes itself. */
static bool remove_below(struct field_shape shape, struct json_node *value,
                         const struct json_node *set) {
        if (!set)
                return false;
        if (field_set_is_member(set))
                return true;
        remove_items(shape, value, set);
        return false;
}

static void remove_items(struct field_shape shape, struct json_node *value,
                         const struct json_node *set) {
        enum field_extent extent = field_extent(shape, value);
        struct node_iter iter = node_iter(value);
        struct json_node *inner;
        struct buf step = { 0 };
        const char *reason;
        struct slice name;

        if (extent == EXTENT_LEAF)
                return;
        while (node_next(&iter, &name, &inner)) {
                struct field_shape next = extent == EXTENT_MAP ? field_shape_member(&shape, name)
                                                               : field_shape_element(shape);

                buf_clear(&step);
                if (extent == EXTENT_MAP) {
                        buf_text(&step, "f:");
                        buf_slice(&step, name);
                } else if (!field_element_step(shape, inner, &step, &reason)) {
                        continue;
                }
                if (remove_below(next, inner, node_find(set, buf_view(&step))))
                        node_drop(&iter);
        }
        buf_release(&step);
}

/* Members of structs count as owned when something below them is. */
static void name_fields(struct json_tree *tree, struct field_shape shape, struct json_node *set) {
        struct node_iter iter = node_iter(set);
        struct json_node *child;
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                struct field_shape inner = field_shape_element(shape);

                if (slice_has_prefix(name, SLICE_LITERAL("f:")))
                        inner = field_shape_member(&shape, slice_make(name.ptr + 2, name.len - 2));
                else if (slice_is(name, "."))
                        continue;
                name_fields(tree, inner, child);
                if (field_shape_is_declared(inner) && name.ptr[0] == 'f')
                        field_set_make_member(tree, child);
        }
}

static struct json_node *fields_named(struct json_tree *tree, struct field_shape shape,
                                      const struct json_node *set) {
        struct json_node *copy = node_clone(tree, set);

        name_fields(tree, shape, copy);
        return copy;
}

void field_prune(struct json_tree *tree, struct field_shape shape, struct json_node *merged,
                 const struct json_node *last, const struct json_node *owned) {
        struct json_node *all = fields_named(tree, shape, field_set_of(tree, shape, merged));
        struct json_node *was = fields_named(tree, shape, last);
        struct json_node *pruned = node_clone(tree, merged), *rest, *gone;

        if (node_count(last) == 0)
                return;
        remove_items(shape, pruned, was);
        rest = fields_named(tree, shape, field_set_of(tree, shape, pruned));
        field_set_add(tree, rest, fields_named(tree, shape, owned));
        gone = node_clone(tree, all);
        field_set_subtract(gone, rest);
        pruned = node_clone(tree, merged);
        remove_items(shape, pruned, gone);
        /* What nobody owned, and what came without its manager, stays. */
        field_set_subtract(all, fields_named(tree, shape, field_set_of(tree, shape, pruned)));
        remove_items(shape, merged, field_set_common(tree, all, was));
}
