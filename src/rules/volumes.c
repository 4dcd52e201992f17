/* Volumes, claims and classes: their fields and how claims find volumes. */
#include "rules/volumes.h"
#include "api/quantity.h"
#include "rules/node_affinity.h"
#include <string.h>

#define CLASS_ANNOTATION "volume.beta.kubernetes.io/storage-class"
#define BOUND_ANNOTATION "pv.kubernetes.io/bind-completed"
#define SELECTED_NODE_ANNOTATION "volume.kubernetes.io/selected-node"
#define NO_PROVISIONER "kubernetes.io/no-provisioner"

static const struct json *volumes_metadata(const struct json *object) {
        return json_get(object, "metadata");
}

static const struct json *spec_of(const struct json *object) {
        return json_get(object, "spec");
}

static const struct json *volumes_annotation(const struct json *object, const char *name) {
        return json_get(json_get(volumes_metadata(object), "annotations"), name);
}

/* ---- claims ---- */

bool pod_claim_of(const struct volume *volume, const struct object_cache *object_cache,
                  struct slice ns, struct slice pod_name, struct arena *arena,
                  struct pod_claim *ret_claim) {
        *ret_claim = (struct pod_claim){ .name = volume->claim_name,
                                         .is_ephemeral = volume->kind == VOLUME_EPHEMERAL };
        if (volume->kind != VOLUME_CLAIM && volume->kind != VOLUME_EPHEMERAL)
                return false;
        if (ret_claim->is_ephemeral)
                ret_claim->name =
                        slice_of(arena_printf(arena, SLICE_FMT "-" SLICE_FMT, SLICE_ARG(pod_name),
                                              SLICE_ARG(volume->name)));
        ret_claim->claim = object_cache_get(object_cache, CACHED_VOLUME_CLAIM, ns, ret_claim->name);
        return true;
}

bool claim_is_of_pod(const struct json *claim, struct slice pod_uid) {
        struct json_iter iter = json_iter(json_get(volumes_metadata(claim), "ownerReferences"));
        const struct json *owner;
        while (json_next(&iter, NULL, &owner))
                if (json_get_bool(owner, "controller", false))
                        return slice_eq(json_get_text(owner, "uid"), pod_uid);
        return false;
}

struct slice claim_class(const struct json *claim) {
        const struct json *beta = volumes_annotation(claim, CLASS_ANNOTATION);
        return beta ? json_text(beta) : json_get_text(spec_of(claim), "storageClassName");
}

struct slice claim_volume(const struct json *claim) {
        return json_get_text(spec_of(claim), "volumeName");
}

bool claim_is_bound(const struct json *claim) {
        return !slice_is_empty(claim_volume(claim)) && volumes_annotation(claim, BOUND_ANNOTATION);
}

bool claim_has_mode(const struct json *claim, const char *access_mode) {
        return json_array_has(json_get(spec_of(claim), "accessModes"), slice_of(access_mode));
}

struct slice claim_selected_node(const struct json *claim, bool *ret_found) {
        const struct json *node = volumes_annotation(claim, SELECTED_NODE_ANNOTATION);
        *ret_found = node;
        return json_text(node);
}

static int64_t storage_amount(const struct json *amounts, bool *ret_found) {
        const struct json *amount = json_get(amounts, "storage");
        int64_t bytes = 0;
        if (json_type(amount) == JSON_INT)
                *ret_found = json_as_i64(amount, &bytes);
        else
                *ret_found = quantity_value(json_text(amount), &bytes, NULL) == 0;
        return *ret_found ? bytes : 0;
}

int64_t claim_size(const struct json *claim, bool *ret_found) {
        return storage_amount(json_get(json_get(spec_of(claim), "resources"), "requests"),
                              ret_found);
}

bool object_is_terminating(const struct json *object) {
        return json_type(json_get(volumes_metadata(object), "deletionTimestamp")) == JSON_STRING;
}

bool class_is_delayed(const struct json *class, bool *ret_is_unset) {
        struct slice mode = json_get_text(class, "volumeBindingMode");
        *ret_is_unset = class && slice_is_empty(mode);
        return slice_is(mode, "WaitForFirstConsumer");
}

/* ---- volumes ---- */

const struct affinity *volume_affinity(const struct json *volume, struct arena *arena) {
        const struct json *required =
                json_get(json_get(spec_of(volume), "nodeAffinity"), "required");
        struct affinity *affinity = ARENA_NEW(arena, struct affinity);
        if (json_type(required) != JSON_OBJECT ||
            node_selector_decode(required, arena, affinity, NULL) < 0)
                return NULL;
        return affinity;
}

bool volume_admits(const struct cluster *cluster, const struct affinity *affinity,
                   struct node_id node) {
        return !affinity || node_terms_match(cluster, affinity->required_node,
                                             affinity->required_node_count, node);
}

static bool names_claim(const struct json *ref, const struct json *claim) {
        struct slice uid = json_get_text(ref, "uid");
        return slice_eq(json_get_text(ref, "name"), cached_object_name(claim)) &&
               slice_eq(json_get_text(ref, "namespace"), cached_object_ns(claim)) &&
               (slice_is_empty(uid) ||
                slice_eq(uid, json_get_text(volumes_metadata(claim), "uid")));
}

static struct slice volume_mode(const struct json *object) {
        struct slice mode = json_get_text(spec_of(object), "volumeMode");
        return slice_is_empty(mode) ? SLICE_LITERAL("Filesystem") : mode;
}

static bool has_all_modes(const struct json *volume, const struct json *claim) {
        const struct json *offered = json_get(spec_of(volume), "accessModes");
        struct json_iter iter = json_iter(json_get(spec_of(claim), "accessModes"));
        const struct json *mode;
        while (json_next(&iter, NULL, &mode))
                if (!json_array_has(offered, json_text(mode)))
                        return false;
        return true;
}

static bool selector_takes(const struct json *claim, const struct json *volume,
                           struct arena *arena) {
        const struct json *written = json_get(spec_of(claim), "selector");
        struct selector selector;
        if (json_type(written) != JSON_OBJECT)
                return true;
        return selector_decode(written, arena, &selector, NULL) == 0 &&
               selector_matches(
                       &selector,
                       label_list_decode(json_get(volumes_metadata(volume), "labels"), arena));
}

static bool is_taken(const struct json *volume, const struct taken_volumes *taken) {
        for (size_t i = 0; taken && i < taken->count; i++)
                if (taken->items[i] == volume)
                        return true;
        return false;
}

/* Large enough, of the right mode, alive, and of the same attributes class. */
static bool is_candidate(const struct json *volume, const struct json *claim, int64_t size) {
        bool has_size;
        return storage_amount(json_get(spec_of(volume), "capacity"), &has_size) >= size &&
               slice_eq(volume_mode(volume), volume_mode(claim)) &&
               slice_eq(json_get_text(spec_of(volume), "volumeAttributesClassName"),
                        json_get_text(spec_of(claim), "volumeAttributesClassName")) &&
               !object_is_terminating(volume);
}

/* True when the volume may be bound to the claim on nodes it can be reached from. */
static bool take_candidate(const struct json *volume, const struct json *claim, int64_t size,
                           struct arena *arena, struct volume_candidate *ret_candidate) {
        const struct json *ref = json_get(spec_of(volume), "claimRef");
        bool is_reserved = json_type(ref) == JSON_OBJECT, ignored;
        if (!slice_is(json_get_text(json_get(volume, "status"), "phase"), "Available") ||
            !slice_eq(claim_class(volume), claim_class(claim)) ||
            (is_reserved && !names_claim(ref, claim)) || !is_candidate(volume, claim, size))
                return false;
        if (!is_reserved &&
            (!selector_takes(claim, volume, arena) || !has_all_modes(volume, claim)))
                return false;
        *ret_candidate = (struct volume_candidate){
                .volume = volume,
                .affinity = volume_affinity(volume, arena),
                .size = storage_amount(json_get(spec_of(volume), "capacity"), &ignored),
                .is_reserved = is_reserved,
        };
        return true;
}

struct volume_candidates volume_candidates_of(const struct object_cache *object_cache,
                                              const struct json *claim, struct arena *arena) {
        struct volume_candidates list = { 0 };
        bool ignored;
        int64_t size = claim_size(claim, &ignored);
        const struct json *volume;
        size_t at = 0, cap = 0;
        struct volume_candidate candidate;
        while ((volume = object_cache_next(object_cache, CACHED_VOLUME, &at))) {
                if (!take_candidate(volume, claim, size, arena, &candidate))
                        continue;
                if (list.count == cap) {
                        struct volume_candidate *grown = ARENA_ARRAY(arena, struct volume_candidate,
                                                                     cap = cap == 0 ? 4 : 2 * cap);
                        if (list.count > 0)
                                memcpy(grown, list.items, list.count * sizeof(*grown));
                        list.items = grown;
                }
                list.items[list.count++] = candidate;
        }
        return list;
}

const struct json *volume_choose(const struct cluster *cluster,
                                 const struct volume_candidates *candidates, struct node_id node,
                                 const struct taken_volumes *taken) {
        const struct volume_candidate *best = NULL;
        for (size_t i = 0; i < candidates->count; i++) {
                const struct volume_candidate *item = &candidates->items[i];
                if (is_taken(item->volume, taken))
                        continue;
                bool is_near = volume_admits(cluster, item->affinity, node);
                if (item->is_reserved)
                        return is_near ? item->volume : NULL;
                if (is_near && (!best || best->size > item->size))
                        best = item;
        }
        return !best ? NULL : best->volume;
}

/* ---- classes ---- */

static bool node_label(const struct cluster *cluster, struct node_id node, struct slice key,
                       struct slice *ret_value) {
        bool is_known;
        struct str_id id = cluster_str(cluster, key, &is_known), value;
        if (!is_known ||
            !cluster_label_get(cluster, cluster_nodes(cluster)->labels[node.index], id, &value))
                return false;
        *ret_value = cluster_text(cluster, value);
        return true;
}

static bool topology_matches(const struct cluster *cluster, const struct json *term,
                             struct node_id node) {
        const struct json *requirements = json_get(term, "matchLabelExpressions");
        struct json_iter iter = json_iter(requirements);
        const struct json *requirement;
        while (json_next(&iter, NULL, &requirement)) {
                struct slice value;
                if (!node_label(cluster, node, json_get_text(requirement, "key"), &value) ||
                    !json_array_has(json_get(requirement, "values"), value))
                        return false;
        }
        return json_count(requirements) > 0;
}

bool class_admits(const struct cluster *cluster, const struct json *class, struct node_id node) {
        struct slice provisioner = json_get_text(class, "provisioner");
        const struct json *terms = json_get(class, "allowedTopologies"), *term;
        struct json_iter iter = json_iter(terms);
        if (slice_is_empty(provisioner) || slice_is(provisioner, NO_PROVISIONER))
                return false;
        while (json_next(&iter, NULL, &term))
                if (topology_matches(cluster, term, node))
                        return true;
        return json_count(terms) == 0;
}

static bool asks_for_capacity(const struct object_cache *object_cache, const struct json *class) {
        const struct json *driver = object_cache_get(object_cache, CACHED_CSI_DRIVER, SLICE_EMPTY,
                                                     json_get_text(class, "provisioner"));
        return json_get_bool(spec_of(driver), "storageCapacity", false);
}

bool class_is_everywhere(const struct object_cache *object_cache, const struct json *class) {
        struct slice provisioner = json_get_text(class, "provisioner");
        return !slice_is_empty(provisioner) && !slice_is(provisioner, NO_PROVISIONER) &&
               json_count(json_get(class, "allowedTopologies")) == 0 &&
               !asks_for_capacity(object_cache, class);
}

static bool quantity_at_least(const struct json *amount, int64_t size) {
        int64_t bytes;
        if (json_type(amount) == JSON_INT)
                return json_as_i64(amount, &bytes) && bytes >= size;
        return json_type(amount) == JSON_STRING &&
               quantity_value(json_text(amount), &bytes, NULL) == 0 && bytes >= size;
}

static bool is_reachable(const struct cluster *cluster, const struct json *capacity,
                         struct node_id node, struct arena *arena) {
        struct selector selector;
        const struct json *topology = json_get(capacity, "nodeTopology");
        return json_type(topology) == JSON_OBJECT &&
               selector_decode(topology, arena, &selector, NULL) == 0 &&
               cluster_labels_match(cluster, &selector, cluster_nodes(cluster)->labels[node.index]);
}

bool capacity_is_short(const struct cluster *cluster, const struct object_cache *object_cache,
                       const struct json *claim, const struct json *class, struct node_id node,
                       struct arena *arena) {
        bool has_size;
        int64_t size = claim_size(claim, &has_size);
        const struct json *capacity;
        size_t at = 0;
        if (!has_size || !asks_for_capacity(object_cache, class))
                return false;
        while ((capacity = object_cache_next(object_cache, CACHED_CSI_CAPACITY, &at))) {
                const struct json *limit = json_get(capacity, "maximumVolumeSize");
                if (!limit)
                        limit = json_get(capacity, "capacity");
                if (slice_eq(json_get_text(capacity, "storageClassName"),
                             cached_object_name(class)) &&
                    quantity_at_least(limit, size) && is_reachable(cluster, capacity, node, arena))
                        return false;
        }
        return true;
}
