/* Sets of field paths from values. */
#include "schema/field_walk.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/pace.h"
#include "base/util.h"
#include "schema/object_compare.h"
#include <stdlib.h>

/* ---- elements of lists ---- */

/* Elements of one list under one step. */
struct namesakes {
        const struct json_node *first;
        size_t count;
        struct buf text; /* of all, when there are several */
};

static void namesakes_add(struct map *map, struct slice step, const struct json_node *element) {
        struct namesakes *namesakes = map_get(map, step);

        if (!namesakes) {
                namesakes = xcalloc(1, sizeof(*namesakes));
                namesakes->first = element;
                map_put(map, step, namesakes);
        } else {
                if (namesakes->count == 1)
                        node_write(namesakes->first, &namesakes->text);
                node_write(element, &namesakes->text);
        }
        namesakes->count++;
}

static void namesakes_free(struct map *map) {
        struct slice step;
        void *namesakes;
        size_t at = 0;

        while (map_next(map, &at, &step, &namesakes))
                buf_release(&((struct namesakes *)namesakes)->text);
        map_free_values(map);
}

/* Elements by their steps; those without one are left out, and set *is_untyped unless it is NULL.
 */
static struct map *namesakes_of(struct field_shape shape, const struct json_node *list,
                                bool *is_untyped) {
        struct node_iter iter = node_iter(list);
        struct map *map = map_new();
        struct json_node *element;
        struct buf step = { 0 };
        const char *reason;

        while (node_next(&iter, NULL, &element)) {
                pace_step();
                if (field_element_step(shape, element, &step, &reason))
                        namesakes_add(map, buf_view(&step), element);
                else if (is_untyped)
                        *is_untyped = true;
        }
        buf_release(&step);
        return map;
}

/* ---- what an object states ---- */

static bool field_collect(struct json_tree *tree, struct field_shape shape,
                          const struct json_node *value, struct json_node *set);

static void collect_list(struct json_tree *tree, struct field_shape shape,
                         const struct json_node *list, struct json_node *set) {
        struct map *elements = namesakes_of(shape, list, NULL);
        struct slice step;
        void *value;
        size_t at = 0;

        while (map_next(elements, &at, &step, &value)) {
                const struct namesakes *namesakes = value;
                struct json_node *child = node_object(tree);

                if (namesakes->count == 1)
                        field_collect(tree, field_shape_element(shape), namesakes->first, child);
                field_set_make_member(tree, child);
                node_add(tree, set, step, child);
        }
        namesakes_free(elements);
}

static void collect_map(struct json_tree *tree, struct field_shape shape,
                        const struct json_node *object, struct json_node *set) {
        struct node_iter iter = node_iter(object);
        struct buf step = { 0 };
        struct json_node *value;
        struct slice name;

        while (node_next(&iter, &name, &value)) {
                struct field_shape inner = field_shape_member(&shape, name);
                struct json_node *child = node_object(tree);

                bool is_member = field_collect(tree, inner, value, child);
                if (!field_shape_is_declared(inner)) {
                        field_set_make_member(tree, child);
                        is_member = true;
                }
                if (!is_member && node_count(child) == 0)
                        continue;
                buf_clear(&step);
                buf_text(&step, "f:");
                buf_slice(&step, name);
                node_add(tree, set, buf_view(&step), child);
        }
        buf_release(&step);
}

/* Fills a new set; true when the path itself belongs to it. */
static bool field_collect(struct json_tree *tree, struct field_shape shape,
                          const struct json_node *value, struct json_node *set) {
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

        field_collect(tree, shape, object, set);
        return set;
}

/* ---- differences ---- */

/* One place in both states, NULL where it is absent, and what is found out about it. */
struct comparison {
        struct json_tree *tree;
        struct buf *step; /* of the whole comparison: for one step at a time */
        bool *is_untyped; /* of the whole comparison, too */
        struct field_shape shape;
        const struct json_node *before, *after;
        struct json_node *sets[CHANGES]; /* NULL = not in it */
};

static void field_compare(struct comparison *place);

static void mark_change(struct comparison *place, enum field_change change) {
        if (place->sets[change])
                field_set_make_member(place->tree, place->sets[change]);
        else
                place->sets[change] = node_object(place->tree);
}

static void adopt_changes(struct comparison *place, struct slice step,
                          const struct comparison *inner) {
        for (size_t i = 0; i < CHANGES; i++) {
                if (!inner->sets[i])
                        continue;
                if (!place->sets[i])
                        place->sets[i] = node_object(place->tree);
                node_add(place->tree, place->sets[i], step, inner->sets[i]);
        }
}

static void adopt_member(struct comparison *place, struct slice name,
                         const struct comparison *inner) {
        if (!inner->sets[0] && !inner->sets[1] && !inner->sets[2])
                return;
        buf_clear(place->step);
        buf_append(place->step, "f:", 2);
        buf_slice(place->step, name);
        adopt_changes(place, buf_view(place->step), inner);
}

static void compare_member(struct comparison *place, struct slice name,
                           const struct json_node *before, const struct json_node *after) {
        struct comparison inner = { .tree = place->tree,
                                    .step = place->step,
                                    .is_untyped = place->is_untyped,
                                    .shape = field_shape_member(&place->shape, name),
                                    .before = before,
                                    .after = after };

        field_compare(&inner);
        adopt_member(place, name, &inner);
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
static void compare_namesakes(struct comparison *place, struct slice step,
                              const struct namesakes *before, const struct namesakes *after) {
        size_t had = before ? before->count : 0, has = after ? after->count : 0;
        struct comparison inner = { .tree = place->tree,
                                    .step = place->step,
                                    .is_untyped = place->is_untyped,
                                    .shape = field_shape_element(place->shape) };

        if (had > 1 && has > 1) {
                if (!slice_eq(buf_view(&before->text), buf_view(&after->text)))
                        mark_change(&inner, CHANGE_MODIFIED);
        } else {
                inner.before = had == 1 ? before->first : NULL;
                inner.after = has == 1 ? after->first : NULL;
                if (inner.before || inner.after)
                        field_compare(&inner);
                if (had > 1)
                        mark_change(&inner, CHANGE_REMOVED);
                if (has > 1)
                        mark_change(&inner, CHANGE_ADDED);
        }
        adopt_changes(place, step, &inner);
}

/* Most lists that are new have one element. */
static void compare_single(struct comparison *place, const struct json_node *after) {
        struct namesakes only = { .first = node_at(after, 0), .count = 1 };
        CLEANUP(buf_release) struct buf step = { 0 };
        const char *reason;

        if (field_element_step(place->shape, only.first, &step, &reason))
                compare_namesakes(place, buf_view(&step), NULL, &only);
        else
                *place->is_untyped = true;
}

static void compare_lists(struct comparison *place, const struct json_node *before,
                          const struct json_node *after) {
        if (!before && node_count(after) == 1) {
                compare_single(place, after);
                return;
        }
        struct map *had = namesakes_of(place->shape, before, NULL),
                   *has = namesakes_of(place->shape, after, place->is_untyped);
        struct slice step;
        void *namesakes;
        size_t at = 0;

        while (map_next(has, &at, &step, &namesakes))
                compare_namesakes(place, step, map_get(had, step), namesakes);
        at = 0;
        while (map_next(had, &at, &step, &namesakes))
                if (!map_get(has, step))
                        compare_namesakes(place, step, namesakes, NULL);
        namesakes_free(had);
        namesakes_free(has);
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

/* Both are there, and at least one is taken apart, but they have nothing to compare. */
static void compare_unlike(struct comparison *place, bool had, bool has) {
        if (had)
                compare_extent(place, field_extent(place->shape, place->before), place->before,
                               NULL);
        if (has)
                compare_extent(place, field_extent(place->shape, place->after), NULL, place->after);
        if ((!had || !has) && !node_equal(place->before, place->after))
                mark_change(place, CHANGE_MODIFIED);
}

/* Owners in the metadata of a template: each is of the form that only maps can have. */
static void check_owners(struct comparison *place) {
        struct node_iter iter = node_iter(place->after);
        struct json_node *owner;

        if (node_type(place->after) != JSON_ARRAY)
                return;
        struct field_shape entry = field_shape_element(place->shape);
        struct field_shape set = field_shape_member(&entry, SLICE_LITERAL("fieldsV1"));
        while (field_shape_is_owned_set(set) && node_next(&iter, NULL, &owner)) {
                enum json_type type = node_type(node_get(owner, "fieldsV1"));

                if (type != JSON_OBJECT && type != JSON_NULL && type != JSON_NONE)
                        *place->is_untyped = true;
        }
}

static void field_compare(struct comparison *place) {
        const struct json_node *before = place->before, *after = place->after;
        bool had = is_open(place->shape, before), has = is_open(place->shape, after);
        enum field_extent extent = field_extent(place->shape, had ? before : after);
        bool is_alike = had && has ? extent == field_extent(place->shape, after)
                                   : (had && is_void(after)) || (has && is_void(before));

        pace_step();
        if (!has)
                check_owners(place);
        if (is_alike)
                compare_extent(place, extent, had ? before : NULL, has ? after : NULL);
        else if (before && after)
                compare_unlike(place, had, has);
        if (!before)
                mark_change(place, CHANGE_ADDED);
        else if (!after)
                mark_change(place, CHANGE_REMOVED);
}

static struct field_changes changes_of(const struct comparison *place) {
        struct field_changes changes = { .is_untyped = *place->is_untyped };

        for (size_t i = 0; i < CHANGES; i++)
                changes.sets[i] = place->sets[i] ? place->sets[i] : node_object(place->tree);
        return changes;
}

struct field_changes field_set_compare(struct json_tree *tree, struct field_shape shape,
                                       const struct json_node *before,
                                       const struct json_node *after) {
        CLEANUP(buf_release) struct buf step = { 0 };
        bool is_untyped = false;
        struct comparison place = { .tree = tree,
                                    .step = &step,
                                    .is_untyped = &is_untyped,
                                    .shape = shape,
                                    .before = before,
                                    .after = after };

        compare_maps(&place, before, after);
        return changes_of(&place);
}

/* ---- differences from a stored object ---- */

/* What is the same is passed by; only what differs is taken apart. */
static void compare_stored(struct comparison *place, const struct json *before, unsigned depth);

static void compare_stored_member(struct comparison *place, struct slice name,
                                  const struct json *before, const struct json_node *after,
                                  unsigned depth) {
        struct comparison inner = { .tree = place->tree,
                                    .step = place->step,
                                    .is_untyped = place->is_untyped,
                                    .shape = field_shape_member(&place->shape, name),
                                    .after = after };

        if (before && after && node_equal_json(after, before))
                return;
        compare_stored(&inner, before, depth + 1);
        adopt_member(place, name, &inner);
}

static bool is_no_field(struct slice name, unsigned depth) {
        return depth == 0 ? slice_is(name, "kind") || slice_is(name, "apiVersion")
                          : depth == 1 && slice_is(name, "managedFields");
}

/* Members that the stored object has not. */
static void compare_new_members(struct comparison *place, const struct json *before,
                                unsigned depth) {
        struct node_iter nodes = node_iter(place->after);
        struct json_iter iter = json_iter(before);
        struct map *names = map_new();
        struct json_node *value;
        struct slice name;

        while (json_next(&iter, &name, NULL))
                map_put(names, name, place);
        while (node_next(&nodes, &name, &value))
                if (!is_no_field(name, depth) && !map_get(names, name))
                        compare_stored_member(place, name, NULL, value, depth);
        map_free(names);
}

static void compare_stored_members(struct comparison *place, const struct json *before,
                                   unsigned depth) {
        struct json_iter iter = json_iter(before);
        const struct json *old;
        struct slice name;
        size_t shared = 0;

        while (json_next(&iter, &name, &old)) {
                struct json_node *value = node_find(place->after, name);

                shared += value ? 1 : 0;
                if (!is_no_field(name, depth))
                        compare_stored_member(place, name, old, value, depth);
        }
        if (shared < node_count(place->after))
                compare_new_members(place, before, depth);
}

static void compare_stored(struct comparison *place, const struct json *before, unsigned depth) {
        bool is_map = json_type(before) == JSON_OBJECT && json_count(before) &&
                      is_open(place->shape, place->after) &&
                      field_extent(place->shape, place->after) == EXTENT_MAP;

        if (is_map) {
                compare_stored_members(place, before, depth);
                return;
        }
        place->before = before ? node_import_unique(place->tree, before) : NULL;
        field_compare(place);
}

struct field_changes field_set_since(struct json_tree *tree, struct field_shape shape,
                                     const struct json *before, const struct json_node *after) {
        CLEANUP(buf_release) struct buf step = { 0 };
        bool is_untyped = false;
        struct comparison place = { .tree = tree,
                                    .step = &step,
                                    .is_untyped = &is_untyped,
                                    .shape = shape,
                                    .after = after };

        compare_stored_members(&place, before, 0);
        return changes_of(&place);
}
