/* A node, slices, classes and claims from JSON, for tests of the search. */
#pragma once

#include "devices/device_result.h"

struct device_scene {
        struct arena arena;
        struct device_inventory *inventory;
        struct device_class *classes;
        struct resource_claim *claims;
        size_t claim_count;
        struct err err; /* of the last search */
};
/* objects: {"resourceSlices", "deviceClasses", "resourceClaims"}; they have to outlive the scene.
 * Allocated claims are taken. */
void device_scene_init(struct device_scene *scene, const struct json *objects,
                       const struct device_gates *gates);
void device_scene_release(struct device_scene *scene);
const struct resource_claim *device_scene_claim(const struct device_scene *scene, struct slice ns,
                                                struct slice name); /* or NULL */
/* Matches node selectors by the labels of a node object. */
bool device_scene_matches(const void *node, const struct affinity *terms);
/* "request:driver/pool/device " of each device, for each claim; "?" when there is no allocation,
 * "!" and the error when the search failed. In the arena. */
const char *device_scene_search(struct device_scene *scene, const struct json *node,
                                const struct resource_claim *const *claims, size_t count);
/* The allocation of one of the claims as the API has it, in the form of device_scene_text(); "?"
 * when there is none. */
const char *device_scene_result(struct device_scene *scene, const struct json *node,
                                const struct resource_claim *const *claims, size_t count,
                                size_t which);
/* An allocation as text: quantities in canonical form, IDs as stars, without a timestamp. */
const char *device_scene_text(struct device_scene *scene, struct json_tree *tree,
                              struct json_node *result);
