/* Sets of field paths, and merging and pruning along them. */
#include "schema/field_set.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

/* What the tables say about a value: the type of an object, or how to treat a list or map. */
struct shape {
        const struct schema_object *object; /* members of a struct; NULL = any */
        const struct schema_field *field;   /* NULL for the root and list elements */
        bool is_element;                    /* the value is one element of the field */
};

static struct shape member_shape(struct shape parent, struct slice name) {
        struct shape shape = { 0 };

        if (parent.field && parent.field->shape != SHAPE_ONE && !parent.is_element)
                return (struct shape){ schema_field_object(parent.field), parent.field, true };
        if (parent.object)
                shape.field = schema_field_find(parent.object, name);
        if (shape.field && shape.field->shape == SHAPE_ONE)
                shape.object = schema_field_object(shape.field);
        return shape;
}

static struct shape element_shape(struct shape list) {
        return (struct shape){ list.field ? schema_field_object(list.field) : NULL, list.field,
                               true };
}

static bool is_keyed_list(struct shape shape, const struct json_node *value) {
        return node_type(value) == JSON_ARRAY && shape.field && !shape.is_element &&
               (shape.field->flags & FIELD_LIST_MAP) && shape.field->map_keys;
}

static bool is_value_list(struct shape shape, const struct json_node *value) {
        return node_type(value) == JSON_ARRAY && shape.field && !shape.is_element &&
               (shape.field->flags & FIELD_LIST_SET);
}

/* Objects whose members are paths of their own. */
static bool is_open_object(struct shape shape, const struct json_node *value) {
        if (node_type(value) != JSON_OBJECT)
                return false;
        if (!shape.field)
                return true;
        if (shape.field->type == SCHEMA_RAW)
                return false;
        return !(shape.field->flags & FIELD_ATOMIC);
}

static bool is_open(struct shape shape, const struct json_node *value) {
        return is_open_object(shape, value) || is_keyed_list(shape, value) ||
               is_value_list(shape, value);
}

/* ---- names of elements ---- */

static void key_member(const struct json_node *element, struct slice name, struct buf *out) {
        const struct json_node *value = node_find(element, name);

        buf_char(out, out->len > 3 ? ',' : '{');
        buf_json_string(out, name);
        buf_char(out, ':');
        if (value)
                node_write(value, out);
        else
                buf_text(out, slice_is(name, "protocol") ? "\"TCP\"" : "null");
}

static int compare_names(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

/* k:{"containerPort":80,"protocol":"TCP"}, members in order */
static void element_name(const char *map_keys, const struct json_node *element, struct buf *out) {
        struct slice names[4], rest = slice_of(map_keys);
        size_t count = 0;

        while (count < ARRAY_LEN(names) && slice_split(&rest, ',', &names[count]))
                count++;
        qsort(names, count, sizeof(names[0]), compare_names);
        buf_clear(out);
        buf_text(out, "k:");
        for (size_t i = 0; i < count; i++)
                key_member(element, names[i], out);
        buf_char(out, '}');
}

static void value_name(const struct json_node *element, struct buf *out) {
        buf_clear(out);
        buf_text(out, "v:");
        node_write(element, out);
}

static void list_name(struct shape shape, const struct json_node *element, struct buf *out) {
        if (shape.field->flags & FIELD_LIST_MAP)
                element_name(shape.field->map_keys, element, out);
        else
                value_name(element, out);
}

/* Elements by their names; of several with one name the first. */
static struct map *elements_by_name(struct shape shape, const struct json_node *list) {
        struct node_iter iter = node_iter(list);
        struct map *elements = map_new();
        struct json_node *element;
        struct buf name = { 0 };

        while (node_next(&iter, NULL, &element)) {
                list_name(shape, element, &name);
                if (!map_get(elements, buf_view(&name)))
                        map_put(elements, buf_view(&name), element);
        }
        buf_release(&name);
        return elements;
}

/* ---- building ---- */

static struct json_node *set_child(struct json_tree *tree, struct json_node *set,
                                   const char *prefix, struct slice name) {
        struct buf text = { 0 };

        buf_text(&text, prefix);
        buf_slice(&text, name);
        struct json_node *child = node_find(set, buf_view(&text));
        if (!child) {
                child = node_object(tree);
                node_set(tree, set, buf_view(&text), child);
        }
        buf_release(&text);
        return child;
}

static void field_set_collect(struct json_tree *tree, struct shape shape,
                              const struct json_node *value, struct json_node *set);

static void collect_elements(struct json_tree *tree, struct shape shape,
                             const struct json_node *list, struct json_node *set) {
        struct node_iter iter = node_iter(list);
        struct json_node *element, *child;
        struct buf name = { 0 };

        while (node_next(&iter, NULL, &element)) {
                list_name(shape, element, &name);
                child = set_child(tree, set, "", buf_view(&name));
                if (node_type(element) != JSON_OBJECT)
                        continue;
                node_put(tree, child, ".", node_object(tree));
                field_set_collect(tree, element_shape(shape), element, child);
        }
        buf_release(&name);
}

static void field_set_collect(struct json_tree *tree, struct shape shape,
                              const struct json_node *value, struct json_node *set) {
        struct node_iter iter = node_iter(value);
        struct json_node *child;
        struct slice name;

        if (is_keyed_list(shape, value) || is_value_list(shape, value)) {
                collect_elements(tree, shape, value, set);
                return;
        }
        if (!is_open_object(shape, value))
                return;
        while (node_next(&iter, &name, &child)) {
                if (node_type(child) != JSON_NULL)
                        field_set_collect(tree, member_shape(shape, name), child,
                                          set_child(tree, set, "f:", name));
        }
}

/* Fields that identify an object have no owner. */
static void strip_identity(struct json_node *set) {
        static const char *const members[] = {
                "f:name", "f:namespace",  "f:creationTimestamp", "f:selfLink",
                "f:uid",  "f:generation", "f:managedFields",     "f:resourceVersion"
        };
        struct json_node *metadata = node_get(set, "f:metadata");

        node_remove(set, "f:apiVersion");
        node_remove(set, "f:kind");
        for (size_t i = 0; metadata && i < ARRAY_LEN(members); i++)
                node_remove(metadata, members[i]);
        node_remove(metadata, ".");
        if (metadata && node_count(metadata) == 0)
                node_remove(set, "f:metadata");
}

struct json_node *field_set_of(struct json_tree *tree, const struct schema_object *schema,
                               const struct json_node *object) {
        struct json_node *set = node_object(tree);

        field_set_collect(tree, (struct shape){ .object = schema }, object, set);
        strip_identity(set);
        return set;
}

/* ---- differences ---- */

struct comparison {
        struct json_tree *tree;
        bool has_removed;
};

/* The same place in both states; before or after is NULL where it is absent. */
struct field_set_pair {
        struct shape shape;
        const struct json_node *before, *after;
};

static void field_set_compare(const struct comparison *comparison, struct field_set_pair pair,
                              struct json_node *set);

/* One step that is in either state. Keeps the child only when something below it changed. */
static void compare_step(const struct comparison *comparison, struct field_set_pair pair,
                         struct slice name, struct json_node *set) {
        struct json_tree *tree = comparison->tree;

        if (pair.before && pair.after && !is_open(pair.shape, pair.after)) {
                if (!node_equal(pair.before, pair.after))
                        set_child(tree, set, "", name);
                return;
        }
        if (!pair.after && !comparison->has_removed)
                return;
        struct json_node *child = set_child(tree, set, "", name);
        if (pair.before && pair.after) {
                field_set_compare(comparison, pair, child);
                if (node_count(child) == 0)
                        node_remove_slice(set, name);
                return;
        }
        field_set_collect(tree, pair.shape, pair.after ? pair.after : pair.before, child);
        if (node_count(child))
                node_put(tree, child, ".", node_object(tree));
}

/* Walks one state; the other is only looked up. is_reverse: walks what went. */
static void compare_objects(const struct comparison *comparison, struct field_set_pair pair,
                            struct json_node *set, bool is_reverse) {
        struct node_iter iter = node_iter(is_reverse ? pair.before : pair.after);
        struct json_node *value;
        struct buf name = { 0 };
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                const struct json_node *other =
                        node_find(is_reverse ? pair.after : pair.before, key);

                if (is_reverse && other)
                        continue;
                buf_clear(&name);
                buf_text(&name, "f:");
                buf_slice(&name, key);
                compare_step(comparison,
                             (struct field_set_pair){ member_shape(pair.shape, key),
                                                      is_reverse ? value : other,
                                                      is_reverse ? NULL : value },
                             buf_view(&name), set);
        }
        buf_release(&name);
}

static void compare_lists(const struct comparison *comparison, struct field_set_pair pair,
                          struct json_node *set, bool is_reverse) {
        struct node_iter iter = node_iter(is_reverse ? pair.before : pair.after);
        struct map *others = elements_by_name(pair.shape, is_reverse ? pair.after : pair.before);
        struct json_node *value;
        struct buf name = { 0 };

        while (node_next(&iter, NULL, &value)) {
                list_name(pair.shape, value, &name);
                const struct json_node *other = map_get(others, buf_view(&name));
                if (is_reverse && other)
                        continue;
                compare_step(comparison,
                             (struct field_set_pair){ element_shape(pair.shape),
                                                      is_reverse ? value : other,
                                                      is_reverse ? NULL : value },
                             buf_view(&name), set);
        }
        buf_release(&name);
        map_free(others);
}

static void field_set_compare(const struct comparison *comparison, struct field_set_pair pair,
                              struct json_node *set) {
        for (int is_reverse = 0; is_reverse <= (comparison->has_removed ? 1 : 0); is_reverse++) {
                if (is_open_object(pair.shape, pair.after))
                        compare_objects(comparison, pair, set, is_reverse);
                else
                        compare_lists(comparison, pair, set, is_reverse);
        }
}

struct json_node *field_set_changed(struct json_tree *tree, const struct schema_object *schema,
                                    const struct json_node *before, const struct json_node *after,
                                    bool has_removed) {
        struct comparison comparison = { tree, has_removed };
        struct json_node *set = node_object(tree);

        field_set_compare(&comparison,
                          (struct field_set_pair){ { .object = schema }, before, after }, set);
        strip_identity(set);
        return set;
}

/* ---- algebra ---- */

bool field_set_is_empty(const struct json_node *set) {
        return node_count(set) == 0;
}

static bool is_member(const struct json_node *set) {
        return set && (node_count(set) == 0 || node_get(set, "."));
}

void field_set_add(struct json_tree *tree, struct json_node *set, const struct json_node *plus) {
        struct node_iter iter = node_iter(plus);
        struct json_node *child;
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                struct json_node *mine = node_find(set, name);

                if (!mine) {
                        node_set(tree, set, name, node_clone(tree, child));
                        continue;
                }
                if (node_count(mine) == 0 && node_count(child))
                        node_put(tree, mine, ".", node_object(tree));
                field_set_add(tree, mine, child);
        }
}

void field_set_subtract(struct json_node *set, const struct json_node *minus) {
        struct node_iter iter = node_iter(minus);
        struct json_node *child;
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                struct json_node *mine = node_find(set, name);
                bool was_leaf = node_count(mine) == 0;

                if (!mine)
                        continue;
                if (was_leaf && !is_member(child))
                        continue;
                field_set_subtract(mine, child);
                if (is_member(child))
                        node_remove(mine, ".");
                if (node_count(mine) == 0)
                        node_remove_slice(set, name);
        }
}

/* Path steps as messages show them: .spec.containers[name="a"].image */
static void path_step(struct slice name, struct buf *path) {
        struct slice key = slice_make(name.ptr + 2, name.len - 2);

        if (slice_has_prefix(name, SLICE_LITERAL("f:"))) {
                buf_char(path, '.');
                buf_slice(path, key);
                return;
        }
        buf_char(path, '[');
        if (name.ptr[0] == 'v') {
                buf_char(path, '=');
                buf_slice(path, key);
        }
        for (size_t i = 1; name.ptr[0] == 'k' && i + 1 < key.len; i++) {
                bool is_quote_of_name = key.ptr[i] == '"' &&
                                        (i == 1 || key.ptr[i - 1] == ',' || key.ptr[i + 1] == ':');

                if (key.ptr[i] == ':')
                        buf_char(path, '=');
                else if (!is_quote_of_name)
                        buf_char(path, key.ptr[i]);
        }
        buf_char(path, ']');
}

static void field_set_common_below(const struct json_node *set, const struct json_node *with,
                                   struct buf *path, void (*found)(void *context, const char *path),
                                   void *context) {
        struct node_iter iter = node_iter(set);
        struct json_node *child;
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                const struct json_node *other = node_find(with, name);
                size_t length = path->len;

                if (!other || slice_is(name, "."))
                        continue;
                path_step(name, path);
                if (is_member(child) && is_member(other))
                        found(context, path->data);
                field_set_common_below(child, other, path, found, context);
                path->len = length;
                path->data[length] = '\0';
        }
}

void field_set_common(const struct json_node *set, const struct json_node *with,
                      void (*found)(void *context, const char *path), void *context) {
        struct buf path = { 0 };

        buf_reserve(&path, 64);
        field_set_common_below(set, with, &path, found, context);
        buf_release(&path);
}

/* ---- merging ---- */

static void merge_object(struct json_tree *tree, struct shape shape, struct json_node *object,
                         const struct json_node *applied);

static void merge_list(struct json_tree *tree, struct shape shape, struct json_node *list,
                       const struct json_node *applied) {
        struct map *elements = elements_by_name(shape, list);
        struct node_iter iter = node_iter(applied);
        struct json_node *element;
        struct buf name = { 0 };

        while (node_next(&iter, NULL, &element)) {
                list_name(shape, element, &name);
                struct json_node *mine = map_get(elements, buf_view(&name));
                if (!mine) {
                        mine = node_clone(tree, element);
                        node_append(list, mine);
                        map_put(elements, buf_view(&name), mine);
                } else if (node_type(element) == JSON_OBJECT) {
                        merge_object(tree, element_shape(shape), mine, element);
                }
        }
        buf_release(&name);
        map_free(elements);
}

static void merge_object(struct json_tree *tree, struct shape shape, struct json_node *object,
                         const struct json_node *applied) {
        struct node_iter iter = node_iter(applied);
        struct json_node *value;
        struct slice name;

        while (node_next(&iter, &name, &value)) {
                struct json_node *mine = node_find(object, name);
                struct shape inner = member_shape(shape, name);

                if (node_type(value) == JSON_NULL)
                        continue;
                if (!mine || !is_open(inner, value) || node_type(mine) != node_type(value)) {
                        node_set(tree, object, name, node_clone(tree, value));
                } else if (node_type(value) == JSON_OBJECT) {
                        merge_object(tree, inner, mine, value);
                } else {
                        merge_list(tree, inner, mine, value);
                }
        }
}

void field_set_merge(struct json_tree *tree, const struct schema_object *schema,
                     struct json_node *object, const struct json_node *applied) {
        merge_object(tree, (struct shape){ .object = schema }, object, applied);
}

/* ---- pruning ---- */

/* One object or list that is pruned. */
struct pruned {
        struct shape shape;
        struct json_node *value;
        struct map *elements; /* of a list, by name; NULL = no list */
        struct map_u64 *gone; /* elements to be removed, by address; NULL = none */
};

/* Value behind one step of a path, and its shape. */
static struct json_node *pruned_step(const struct pruned *pruned, struct slice name,
                                     struct shape *ret_shape) {
        struct slice key = slice_make(name.ptr + 2, name.len - 2);

        if (slice_has_prefix(name, SLICE_LITERAL("f:"))) {
                *ret_shape = member_shape(pruned->shape, key);
                return node_find(pruned->value, key);
        }
        *ret_shape = element_shape(pruned->shape);
        return pruned->elements ? map_get(pruned->elements, name) : NULL;
}

static void pruned_remove(struct pruned *pruned, struct slice name) {
        if (slice_has_prefix(name, SLICE_LITERAL("f:"))) {
                node_remove_slice(pruned->value, slice_make(name.ptr + 2, name.len - 2));
                return;
        }
        struct json_node *element = pruned->elements ? map_get(pruned->elements, name) : NULL;
        if (!element)
                return;
        if (!pruned->gone)
                pruned->gone = map_u64_new();
        map_u64_put(pruned->gone, (uint64_t)(uintptr_t)element, element);
}

static void pruned_finish(struct pruned *pruned) {
        struct node_iter iter = node_iter(pruned->value);
        struct json_node *element;

        while (pruned->gone && node_next(&iter, NULL, &element))
                if (map_u64_get(pruned->gone, (uint64_t)(uintptr_t)element))
                        node_drop(&iter);
        map_u64_free(pruned->gone);
        map_free(pruned->elements);
}

static void field_set_prune_value(struct shape shape, struct json_node *value,
                                  const struct json_node *before, const struct json_node *now,
                                  const struct json_node *others) {
        bool is_list = is_keyed_list(shape, value) || is_value_list(shape, value);
        struct pruned pruned = { shape, value, is_list ? elements_by_name(shape, value) : NULL,
                                 NULL };
        struct node_iter iter = node_iter(before);
        struct json_node *child;
        struct slice name;

        while (node_next(&iter, &name, &child)) {
                const struct json_node *mine = node_find(now, name);
                const struct json_node *theirs = node_find(others, name);
                struct shape inner;

                if (slice_is(name, "."))
                        continue;
                if (!mine && !theirs && is_member(child)) {
                        pruned_remove(&pruned, name);
                        continue;
                }
                struct json_node *target = pruned_step(&pruned, name, &inner);
                if (target)
                        field_set_prune_value(inner, target, child, mine, theirs);
        }
        pruned_finish(&pruned);
}

void field_set_prune(const struct schema_object *schema, struct json_node *object,
                     const struct json_node *before, const struct json_node *now,
                     const struct json_node *others) {
        field_set_prune_value((struct shape){ .object = schema }, object, before, now, others);
}
