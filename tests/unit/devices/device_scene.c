/* A node, slices, classes and claims from JSON, for tests of the search. */
#include "device_scene.h"

#include "api/quantity.h"
#include "base/buf.h"
#include <assert.h>

void device_scene_init(struct device_scene *scene, const struct json *objects,
                       const struct device_gates *gates) {
        const struct json *slices = json_get(objects, "resourceSlices"), *one;
        const struct json *classes = json_get(objects, "deviceClasses");
        const struct json *claims = json_get(objects, "resourceClaims");
        struct json_iter iter = json_iter(slices);
        struct err err = { 0 };
        size_t count = 0;

        *scene = (struct device_scene){ 0 };
        arena_init(&scene->arena, 0);
        struct slice_change *list =
                ARENA_ARRAY(&scene->arena, struct slice_change, json_count(slices));
        while (json_next(&iter, NULL, &one)) {
                struct resource_slice *slice = ARENA_NEW(&scene->arena, struct resource_slice);

                assert(resource_slice_decode(one, &scene->arena, slice, &err) == 0);
                list[count++] = (struct slice_change){ slice->name, slice };
        }
        scene->inventory = device_inventory_new(gates);
        (void)device_inventory_update(scene->inventory, list, count);
        scene->classes = ARENA_ARRAY(&scene->arena, struct device_class, json_count(classes));
        iter = json_iter(classes);
        for (size_t i = 0; json_next(&iter, NULL, &one); i++) {
                assert(device_class_decode(one, &scene->arena, &scene->classes[i], &err) == 0);
                device_inventory_add_class(scene->inventory, &scene->classes[i]);
        }
        scene->claims = ARENA_ARRAY(&scene->arena, struct resource_claim, json_count(claims));
        iter = json_iter(claims);
        while (json_next(&iter, NULL, &one)) {
                struct resource_claim *claim = &scene->claims[scene->claim_count++];

                assert(resource_claim_decode(one, &scene->arena, claim, &err) == 0);
                if (claim->is_allocated)
                        device_inventory_take(scene->inventory, claim->meta.name, claim);
        }
}

void device_scene_release(struct device_scene *scene) {
        device_inventory_free(scene->inventory);
        arena_release(&scene->arena);
}

const struct resource_claim *device_scene_claim(const struct device_scene *scene, struct slice ns,
                                                struct slice name) {
        for (size_t i = 0; i < scene->claim_count; i++) {
                if (slice_eq(scene->claims[i].meta.ns, ns) &&
                    slice_eq(scene->claims[i].meta.name, name))
                        return &scene->claims[i];
        }
        return NULL;
}

static bool requirement_holds(const struct node_requirement *requirement,
                              const struct json *value) {
        bool is_listed = false;

        for (size_t i = 0; value && i < requirement->value_count; i++)
                is_listed |= slice_eq(json_text(value), requirement->values[i]);
        switch (requirement->op) {
        case SELECTOR_IN:
                return is_listed;
        case SELECTOR_NOT_IN:
                return !is_listed;
        case SELECTOR_EXISTS:
                return value;
        default:
                return !value;
        }
}

bool device_scene_matches(const void *node, const struct affinity *terms) {
        const struct json *meta = json_get(node, "metadata"), *labels = json_get(meta, "labels");

        for (size_t i = 0; i < terms->required_node_count; i++) {
                const struct node_term *term = &terms->required_node[i];
                bool matches = term->expression_count || term->field_count;

                for (size_t j = 0; j < term->expression_count; j++)
                        matches &=
                                requirement_holds(&term->expressions[j],
                                                  json_get_slice(labels, term->expressions[j].key));
                for (size_t j = 0; j < term->field_count; j++)
                        matches &= requirement_holds(&term->fields[j], json_get(meta, "name"));
                if (matches)
                        return true;
        }
        return false;
}

/* What differs from run to run, or may be written in several ways, becomes a star. */
static void blank(struct json_tree *tree, struct json_node *result) {
        struct json_node *list = node_get(node_get(result, "devices"), "results");

        for (size_t i = 0; list && i < node_count(list); i++) {
                struct json_node *one = node_at(list, i);
                struct json_node *consumed = node_get(one, "consumedCapacity");
                struct node_iter iter = node_iter(consumed);
                struct json_node *value;
                struct slice key;

                if (node_get(one, "shareID"))
                        node_put_string(tree, one, "shareID", "*");
                while (consumed && node_next(&iter, &key, &value)) {
                        struct buf text = { 0 };

                        quantity_canonical(node_get_slice(value), &text, NULL);
                        node_set(tree, consumed, key, node_text(tree, buf_view(&text)));
                        buf_release(&text);
                }
        }
        node_remove(result, "allocationTimestamp");
}

const char *device_scene_text(struct device_scene *scene, struct json_tree *tree,
                              struct json_node *result) {
        struct buf out = { 0 };

        blank(tree, result);
        node_write(result, &out);
        const char *text = arena_string(&scene->arena, buf_view(&out));
        buf_release(&out);
        return text;
}

static void write_picks(struct buf *out, const struct device_allocation *allocation) {
        for (size_t i = 0; i < allocation->pick_count; i++) {
                const struct device_pick *pick = &allocation->picks[i];

                if (pick->parent)
                        buf_printf(out, SLICE_FMT "/", SLICE_ARG(pick->parent->name));
                buf_printf(out, SLICE_FMT ":" SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT " ",
                           SLICE_ARG(pick->request->name), SLICE_ARG(pick->slice->driver),
                           SLICE_ARG(pick->slice->pool), SLICE_ARG(pick->device->device->name));
        }
}

static enum device_outcome scene_run(struct device_scene *scene, const struct json *node,
                                     const struct resource_claim *const *claims, size_t count,
                                     struct device_allocation **ret_allocations) {
        const struct device_search search = { scene->inventory, claims, count, &scene->arena };
        const struct device_node place = { json_get_text(json_get(node, "metadata"), "name"),
                                           device_scene_matches, node };

        scene->err = (struct err){ 0 };
        return device_search_run(&search, &place, ret_allocations, &scene->err);
}

const char *device_scene_result(struct device_scene *scene, const struct json *node,
                                const struct resource_claim *const *claims, size_t count,
                                size_t which) {
        struct device_allocation *allocations;
        struct rng rng;
        struct json_tree *tree = json_tree_new();
        const char *text = "?";

        rng_init(&rng, 1);
        if (scene_run(scene, node, claims, count, &allocations) == DEVICES_FOUND) {
                const struct device_result_request request = {
                        scene->inventory, claims[which], &allocations[which],
                        json_get_text(json_get(node, "metadata"), "name"), &rng
                };
                struct json_node *result = device_result_node(tree, &request, &scene->err);

                text = result ? device_scene_text(scene, tree, result)
                              : arena_string(&scene->arena, slice_of(scene->err.text));
        }
        json_tree_free(tree);
        return text;
}

const char *device_scene_search(struct device_scene *scene, const struct json *node,
                                const struct resource_claim *const *claims, size_t count) {
        struct device_allocation *allocations;
        struct buf out = { 0 };

        switch (scene_run(scene, node, claims, count, &allocations)) {
        case DEVICES_FOUND:
                break;
        case DEVICES_FAILED:
                return arena_printf(&scene->arena, "!%s", scene->err.text);
        case DEVICES_INVALID:
                return "?invalid";
        default:
                return "?";
        }
        for (size_t i = 0; i < count; i++)
                write_picks(&out, &allocations[i]);
        const char *text = arena_string(&scene->arena, buf_view(&out));
        buf_release(&out);
        return text;
}
