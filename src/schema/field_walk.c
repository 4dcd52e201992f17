/* Sets of field paths from values. */
#include "schema/field_walk.h"

#include "base/map.h"
#include "base/pace.h"
#include "base/util.h"
#include <stdlib.h>

/* ---- elements of lists ---- */

/* Elements of one list under one step. */
struct twins {
        const struct json_node *first;
        size_t count;
        struct buf text; /* of all, when there are several */
};

static void twins_add(struct map *map, struct slice step, const struct json_node *element) {
        struct twins *twins = map_get(map, step);

        if (!twins) {
                twins = xcalloc(1, sizeof(*twins));
                twins->first = element;
                map_put(map, step, twins);
        } else {
                if (twins->count == 1)
                        node_write(twins->first, &twins->text);
                node_write(element, &twins->text);
        }
        twins->count++;
}

static void twins_free(struct map *map) {
        struct slice step;
        void *twins;
        size_t at = 0;

        while (map_next(map, &at, &step, &twins))
                buf_release(&((struct twins *)twins)->text);
        map_free_values(map);
}

/* Elements by their steps; those without one are left out. */
static struct map *twins_of(struct field_shape shape, const struct json_node *list) {
        struct node_iter iter = node_iter(list);
        struct map *map = map_new();
        struct json_node *element;
        struct buf step = { 0 };
        const char *reason;

        while (node_next(&iter, NULL, &element)) {
                pace_step();
                if (field_element_step(shape, element, &step, &reason))
                        twins_add(map, buf_view(&step), element);
        }
        buf_release(&step);
        return map;
}

/* ---- what an object states ---- */

static bool collect(struct json_tree *tree, struct field_shape shape, const struct json_node *value,
                    struct json_node *set);

static void collect_list(struct json_tree *tree, struct field_shape shape,
                         const struct json_node *list, struct json_node *set) {
        struct map *elements = twins_of(shape, list);
        struct slice step;
        void *value;
        size_t at = 0;

        while (map_next(elements, &at, &step, &value)) {
                const struct twins *twins = value;
                struct json_node *child = node_object(tree);

                if (twins->count == 1)
                        collect(tree, field_shape_element(shape), twins->first, child);
                field_set_make_member(tree, child);
                node_set(tree, set, step, child);
        }
        twins_free(elements);
}

static void collect_map(struct json_tree *tree, struct field_shape shape,
                        const struct json_node *object, struct json_node *set) {
        struct node_iter iter = node_iter(object);
        struct buf step = { 0 };
        struct json_node *value;
        struct slice name;

        while (node_next(&iter, &name, &value)) {
                struct field_shape inner = field_shape_member(shape, name);
                struct json_node *child = node_object(tree);

                bool is_member = collect(tree, inner, value, child);
                if (!field_shape_is_declared(inner)) {
                        field_set_make_member(tree, child);
                        is_member = true;
                }
                if (!is_member && node_count(child) == 0)
                        continue;
                buf_clear(&step);
                buf_text(&step, "f:");
                buf_slice(&step, name);
                node_set(tree, set, buf_view(&step), child);
        }
        buf_release(&step);
}

/* Fills a new set; true when the path itself belongs to it. */
static bool collect(struct json_tree *tree, struct field_shape shape, const struct json_node *value,
                    struct json_node *set) {
        pace_step();
        switch (field_extent(shape, value)) {
        case EXTENT_MAP:
                collect_map(tree, shape, value, set);
                return node_count(value) == 0;
        case EXTENT_LIST:
                collect_list(tree, shape, value, set);
                return false;
        case EXTENT_LEAF:
                break;
        }
        return true;
}

struct json_node *field_set_of(struct json_tree *tree, struct field_shape shape,
                               const struct json_node *object) {
        struct json_node *set = node_object(tree);

        collect(tree, shape, object, set);
        return set;
}

/* ---- differences ---- */

/* One place in both states, NULL where it is absent, and what is found out about it. */
struct comparison {
        struct json_tree *tree;
        struct field_shape shape;
        const struct json_node *before, *after;
        struct json_node *sets[CHANGES]; /* NULL = not in it */
};

static void compare(struct comparison *place);

static void mark(struct comparison *place, enum field_change change) {
        if (place->sets[change])
                field_set_make_member(place->tree, place->sets[change]);
        else
                place->sets[change] = node_object(place->tree);
}

static void adopt(struct comparison *place, struct slice step, const struct comparison *inner) {
        for (size_t i = 0; i < CHANGES; i++) {
                if (!inner->sets[i])
                        continue;
                if (!place->sets[i])
                        place->sets[i] = node_object(place->tree);
                node_set(place->tree, place->sets[i], step, inner->sets[i]);
        }
}

static void compare_member(struct comparison *place, struct slice name,
                           const struct json_node *before, const struct json_node *after) {
        struct comparison inner = { .tree = place->tree,
                                    .shape = field_shape_member(place->shape, name),
                                    .before = before,
                                    .after = after };
        struct buf step = { 0 };

        compare(&inner);
        if (inner.sets[0] || inner.sets[1] || inner.sets[2]) {
                buf_text(&step, "f:");
                buf_slice(&step, name);
                adopt(place, buf_view(&step), &inner);
        }
        buf_release(&step);
}

static void compare_maps(struct comparison *place, const struct json_node *before,
                         const struct json_node *after) {
        struct node_iter iter = node_iter(after);
        struct json_node *value;
        struct slice name;

        while (node_next(&iter, &name, &value))
                compare_member(place, name, node_find(before, name), value);
        iter = node_iter(before);
        while (node_next(&iter, &name, &value))
                if (!node_find(after, name))
                        compare_member(place, name, value, NULL);
}

/* Several elements under one step are one thing: they stand for themselves, not for what is in
 * them. */
static void compare_twins(struct comparison *place, struct slice step, const struct twins *before,
                          const struct twins *after) {
        size_t had = before ? before->count : 0, has = after ? after->count : 0;
        struct comparison inner = { .tree = place->tree,
                                    .shape = field_shape_element(place->shape) };

        if (had > 1 && has > 1) {
                if (!slice_eq(buf_view(&before->text), buf_view(&after->text)))
                        mark(&inner, CHANGE_MODIFIED);
        } else {
                inner.before = had == 1 ? before->first : NULL;
                inner.after = has == 1 ? after->first : NULL;
                if (inner.before || inner.after)
                        compare(&inner);
                if (had > 1)
                        mark(&inner, CHANGE_REMOVED);
                if (has > 1)
                        mark(&inner, CHANGE_ADDED);
        }
        adopt(place, step, &inner);
}

static void compare_lists(struct comparison *place, const struct json_node *before,
                          const struct json_node *after) {
        struct map *had = twins_of(place->shape, before), *has = twins_of(place->shape, after);
        struct slice step;
        void *twins;
        size_t at = 0;

        while (map_next(has, &at, &step, &twins))
                compare_twins(place, step, map_get(had, step), twins);
        at = 0;
        while (map_next(had, &at, &step, &twins))
                if (!map_get(has, step))
                        compare_twins(place, step, twins, NULL);
        twins_free(had);
        twins_free(has);
}

static void compare_extent(struct comparison *place, enum field_extent extent,
                           const struct json_node *before, const struct json_node *after) {
        if (extent == EXTENT_MAP)
                compare_maps(place, before, after);
        else
                compare_lists(place, before, after);
}

static bool is_open(struct field_shape shape, const struct json_node *value) {
        return value && node_count(value) && field_extent(shape, value) != EXTENT_LEAF;
}

/* One is a map or list, the other nothing, empty or null. */
static bool is_void(const struct json_node *value) {
        return !value || node_type(value) == JSON_NULL ||
               ((node_type(value) == JSON_OBJECT || node_type(value) == JSON_ARRAY) &&
                node_count(value) == 0);
}

static void compare(struct comparison *place) {
        const struct json_node *before = place->before, *after = place->after;
        bool had = is_open(place->shape, before), has = is_open(place->shape, after);
        enum field_extent extent = field_extent(place->shape, had ? before : after);

        pace_step();
        if ((had && has && extent == field_extent(place->shape, after)) ||
            (had && is_void(after)) || (has && is_void(before))) {
                compare_extent(place, extent, had ? before : NULL, has ? after : NULL);
        } else if (before && after) {
                if (had)
                        compare_extent(place, extent, before, NULL);
                if (has)
                        compare_extent(place, field_extent(place->shape, after), NULL, after);
                if ((!had || !has) && !node_equal(before, after))
                        mark(place, CHANGE_MODIFIED);
        }
        if (!before)
                mark(place, CHANGE_ADDED);
        else if (!after)
                mark(place, CHANGE_REMOVED);
}

struct field_changes field_set_compare(struct json_tree *tree, struct field_shape shape,
                                       const struct json_node *before,
                                       const struct json_node *after) {
        struct comparison place = {
                .tree = tree, .shape = shape, .before = before, .after = after
        };
        struct field_changes changes;

        compare_maps(&place, before, after);
        for (size_t i = 0; i < CHANGES; i++)
                changes.sets[i] = place.sets[i] ? place.sets[i] : node_object(tree);
        return changes;
}
