/* Defaults in the schemas of CustomResourceDefinitions: each must be a value that its schema takes,
 * with nothing that pruning would remove (ValidateDefaults). */
#include "base/arena.h"
#include "base/text_set.h"
#include "base/util.h"
#include "kinds/crd_check.h"
#include "kinds/embedded_resource.h"
#include "schema/custom_rules.h"
#include "schema/custom_schema.h"

/* From a default inside of the metadata of an object up to that object. */
struct metadata_step {
        const struct metadata_step *up;
        struct slice name; /* without bytes: an element of a list */
};

/* Where the walk is. */
struct default_place {
        const struct at *at;
        const struct json *schema;
        const struct json *object; /* schema of the object around it that has metadata */
        const struct metadata_step *steps;
        bool is_in_metadata;
};

struct defaults_walk {
        struct checker *checker;
        int64_t budget; /* of all rules together */
};

/* ---- one default ---- */

static void count_unknown(void *context, const char *path) {
        (void)path;
        ++*(size_t *)context;
}

static const char *crd_default_text(struct defaults_walk *walk, const struct json *value) {
        struct buf text = { 0 };

        json_write(value, &text);
        const char *copy = arena_string(walk->checker->errors->arena, buf_view(&text));
        buf_release(&text);
        return copy;
}

static bool is_resource_place(const struct default_place *place) {
        return place->schema == place->object;
}

static bool fits_schema(struct defaults_walk *walk, const struct default_place *place,
                        const struct json_node *node, const char *path) {
        struct field_errors found = { .arena = walk->checker->errors->arena };

        custom_validate_default(place->schema, node, &found);
        custom_errors_at(&found, path, walk->checker->errors);
        return found.count == 0;
}

/* As of a value that was the same before, and of one that is new. */
static void check_rules_of(struct defaults_walk *walk, const struct default_place *place,
                           const struct json_node *node, const char *path) {
        struct custom_rules *rules = custom_rules_new(place->schema, is_resource_place(place));
        struct field_errors *errors = walk->checker->errors;
        int64_t before = walk->budget, again = walk->budget;
        size_t count = errors->count;

        if (!rules)
                return;
        custom_rules_apply_at(rules, path, node, node, &walk->budget, errors);
        if (errors->count == count)
                custom_rules_apply_at(rules, path, node, NULL, &again, errors);
        walk->budget = again < before && again < walk->budget ? again : walk->budget;
        custom_rules_free(rules);
}

static const char *joined_errors(const struct field_errors *found) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct buf text = { 0 };
        size_t count = 0;

        for (size_t i = 0; i < found->count; i++) {
                const char *one = arena_printf(found->arena, "%s: %s", found->items[i].path,
                                               found->items[i].message);

                if (!text_set_add(&seen, slice_of(one)))
                        continue;
                buf_printf(&text, "%s%s", count++ ? ", " : "", one);
        }
        const char *copy =
                arena_printf(found->arena, count > 1 ? "[%s]" : "%s", text.data ? text.data : "");
        buf_release(&text);
        return copy;
}

/* The default in an object that has nothing else. */
static struct json_node *object_around(struct json_tree *tree, const struct default_place *place,
                                       struct json_node *node) {
        for (const struct metadata_step *step = place->steps; step; step = step->up) {
                struct json_node *outer = step->name.ptr ? node_object(tree) : node_array(tree);

                if (step->name.ptr)
                        node_set(tree, outer, step->name, node);
                else
                        node_append(outer, node);
                node = outer;
        }
        if (!node_get(node, "kind"))
                node_put_string(tree, node, "kind", "Validation");
        if (!node_get(node, "apiVersion"))
                node_put_string(tree, node, "apiVersion", "validation/v1");
        return node;
}

static bool makes_metadata(struct defaults_walk *walk, const struct default_place *place,
                           const struct json *value) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *object = object_around(tree, place, node_import(tree, value));
        struct embedded_value whole = { place->object, "", true };
        struct field_errors found = { .arena = walk->checker->errors->arena };

        if (embedded_coerce(&whole, tree, object, NULL, NULL, &found))
                embedded_check(&whole, object, &found);
        if (found.count)
                report(walk->checker, FIELD_INVALID, place->at, "default",
                       crd_default_text(walk, value),
                       message_of(walk->checker, "must result in valid metadata: %s",
                                  joined_errors(&found)));
        return found.count == 0;
}

static bool keeps_objects(struct defaults_walk *walk, const struct default_place *place,
                          const struct json *value, const char *path) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct json_node *node = node_import(tree, value);
        bool is_resource = is_resource_place(place);
        struct embedded_value whole = { place->schema, path, is_resource };
        struct field_errors *errors = walk->checker->errors;
        size_t unknown = 0, count;

        custom_prune(place->schema, node, is_resource, count_unknown, &unknown);
        if (unknown)
                report(walk->checker, FIELD_INVALID, place->at, "default",
                       crd_default_text(walk, value), "must not have unknown fields");
        count = errors->count;
        if (embedded_coerce(&whole, tree, node, NULL, NULL, errors))
                embedded_check(&whole, node, errors);
        return errors->count == count;
}

static void check_default(struct defaults_walk *walk, const struct default_place *place,
                          const struct json *value) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct at at = at_member(place->at, "default");
        const char *path = at_text(walk->checker, &at);
        bool goes_on = place->is_in_metadata ? makes_metadata(walk, place, value)
                                             : keeps_objects(walk, place, value, path);
        struct json_node *node = node_import(tree, value);

        if (goes_on && fits_schema(walk, place, node, path))
                check_rules_of(walk, place, node, path);
}

/* ---- the walk ---- */

static bool is_identity(struct slice name) {
        return slice_is(name, "metadata") || slice_is(name, "apiVersion") || slice_is(name, "kind");
}

/* Where other properties are described, there are no defaults. */
static void check_place(struct defaults_walk *walk, const struct default_place *given) {
        const struct json *schema = given->schema, *value = json_get(schema, "default"), *inner;
        struct json_iter iter = json_iter(json_get(schema, "properties"));
        struct default_place place = *given;
        struct metadata_step step = { .name = SLICE_EMPTY };
        struct slice name;

        if (json_get_bool(schema, "x-kubernetes-embedded-resource", false) || !place.object)
                place = (struct default_place){ given->at, schema, schema, NULL, false };
        step.up = place.steps;
        if (value && json_type(value) != JSON_NULL)
                check_default(walk, &place, value);
        if (json_type(json_get(schema, "items")) == JSON_OBJECT && walk->budget > 0) {
                struct at at = at_member(given->at, "items");

                check_place(walk,
                            &(struct default_place){ &at, json_get(schema, "items"), place.object,
                                                     &step, place.is_in_metadata });
        }
        while (walk->budget > 0 && json_next(&iter, &name, &inner)) {
                struct at list = at_member(given->at, "properties"), at = at_key(&list, name);
                bool is_meta = is_resource_place(&place) && is_identity(name);

                step.name = name;
                check_place(walk, &(struct default_place){ &at, inner, place.object, &step,
                                                           place.is_in_metadata || is_meta });
        }
}

bool check_crd_defaults(struct checker *checker, const struct at *at, const struct json *schema) {
        struct defaults_walk walk = { checker, CUSTOM_RULES_BUDGET };
        size_t count = checker->errors->count;

        check_place(&walk, &(struct default_place){ .at = at, .schema = schema });
        return checker->errors->count == count;
}
