/* Feeding nodes: every part of an object is compared with the row, and only what differs counts as
 * a change, so that heartbeats change nothing. */
#include "base/text_set.h"
#include "model/cluster_priv.h"

#include <assert.h>

/* ---- fingerprints of what only has to be noticed ---- */

/* Sums do not depend on the order of members; 0 means "none". */
static uint64_t labels_fingerprint(struct label_list labels) {
        uint64_t sum = labels.count;
        for (size_t i = 0; i < labels.count; i++)
                sum += hash_bytes(labels.items[i].value.ptr, labels.items[i].value.len,
                                  slice_hash(labels.items[i].key));
        return sum;
}

static uint64_t conditions_fingerprint(const struct node *node) {
        uint64_t sum = node->condition_count;
        for (size_t i = 0; i < node->condition_count; i++)
                sum += hash_bytes(&node->conditions[i].status, sizeof(node->conditions[i].status),
                                  slice_hash(node->conditions[i].type));
        return sum;
}

/* ---- parts of a row; each returns whether it changed ---- */

static bool set_string(struct cluster *cluster, struct str_id *at, struct slice text) {
        struct str_id now = str_take(cluster, text);
        bool is_changed = !str_id_eq(now, *at);
        str_drop(cluster, *at);
        *at = now;
        return is_changed;
}

static bool set_hash(uint64_t *at, uint64_t hash) {
        bool is_changed = *at != hash;
        *at = hash;
        return is_changed;
}

static bool set_allocatable(struct cluster *cluster, struct node_id node,
                            const struct resource_list *list) {
        bool is_changed = false;
        for (size_t i = 0; i < list->count; i++)
                resource_take(cluster, list->items[i].name);
        size_t count = cluster->nodes.resource_count;
        int64_t *amounts = ARENA_ARRAY(&cluster->scratch, int64_t, count);
        for (size_t i = 0; i < list->count; i++) {
                struct resource_id resource = resource_take(cluster, list->items[i].name);
                if (!resource_is_shared(cluster, resource))
                        amounts[resource.index] = list->items[i].amount;
        }
        for (size_t i = 0; i < count; i++) {
                int64_t *at = &cluster->nodes.resources[i].allocatable[node.index];
                int64_t amount = amounts[i] > 0 ? amounts[i] : 0;
                is_changed |= *at != amount;
                *at = amount;
        }
        return is_changed;
}

static bool set_labels(struct cluster *cluster, struct node_id node, struct label_list labels) {
        struct label_set_id *at = &cluster->nodes.labels[node.index];
        struct label_set_id now = label_set_take(cluster, labels);
        if (now.index == at->index) {
                label_set_drop(cluster, now);
                return false;
        }
        node_labels_remove(cluster, node, *at);
        label_set_drop(cluster, *at);
        *at = now;
        node_labels_add(cluster, node, now);
        return true;
}

static bool set_taints(struct cluster *cluster, struct node_id node, const struct taint *taints,
                       size_t count) {
        struct taint_set_id *at = &cluster->nodes.taints[node.index];
        struct taint_set_id now = taint_set_take(cluster, taints, count);
        if (now.index == at->index) {
                taint_set_drop(cluster, now);
                return false;
        }
        taint_set_remove_node(cluster, *at, node);
        taint_set_drop(cluster, *at);
        *at = now;
        taint_set_add_node(cluster, now, node);
        return true;
}

static bool set_features(struct cluster *cluster, struct node_id node, const struct slice *features,
                         size_t count) {
        struct label_list list = { .items = ARENA_ARRAY(&cluster->scratch, struct label, count) };
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        for (size_t i = 0; i < count; i++) {
                if (text_set_add(&seen, features[i]))
                        list.items[list.count++].key = features[i];
        }
        struct label_set_id *at = &cluster->node_extra[node.index].features;
        struct label_set_id now = label_set_take(cluster, list);
        bool is_changed = now.index != at->index;
        label_set_drop(cluster, *at);
        *at = now;
        return is_changed;
}

static void set_bit(struct bitset *set, struct node_id node, bool value) {
        if (value)
                bitset_add(set, node.index);
        else
                bitset_remove(set, node.index);
}

/* Flags and their bitsets; the result is the flags that changed. */
static uint8_t set_flags(struct cluster *cluster, struct node_id node, uint8_t flags) {
        struct node_table *nodes = &cluster->nodes;
        uint8_t changed = nodes->flags[node.index] ^ flags;
        nodes->flags[node.index] = flags;
        set_bit(&nodes->live, node, flags & NODE_KNOWN);
        set_bit(&nodes->unschedulable, node, flags & NODE_UNSCHEDULABLE);
        set_bit(&nodes->ready, node, flags & NODE_READY);
        return changed;
}

static uint8_t flags_of(const struct node *node) {
        const struct condition *ready =
                condition_find(node->conditions, node->condition_count, "Ready");
        bool is_ready = !ready || ready->status == CONDITION_TRUE;
        return (uint8_t)(NODE_KNOWN | (is_ready ? NODE_READY : 0) |
                         (node->is_unschedulable ? NODE_UNSCHEDULABLE : 0));
}

/* ---- zones ---- */

static struct slice first_label(struct label_list labels, const char *first, const char *second) {
        bool is_found;
        struct slice value = label_list_get(labels, first, &is_found);
        return is_found ? value : label_list_get(labels, second, NULL);
}

/* The older label names win, as upstream's node order has it; empty without either. */
static struct slice zone_key(struct label_list labels, struct arena *arena) {
        static const char separator[] = ":\0:";
        struct slice region = first_label(labels, "failure-domain.beta.kubernetes.io/region",
                                          "topology.kubernetes.io/region");
        struct slice zone = first_label(labels, "failure-domain.beta.kubernetes.io/zone",
                                        "topology.kubernetes.io/zone");
        size_t gap = sizeof(separator) - 1;
        if (region.len == 0 && zone.len == 0)
                return SLICE_EMPTY;
        char *key = arena_alloc(arena, region.len + gap + zone.len);
        if (region.len > 0)
                memcpy(key, region.ptr, region.len);
        memcpy(key + region.len, separator, gap);
        if (zone.len > 0)
                memcpy(key + region.len + gap, zone.ptr, zone.len);
        return slice_make(key, region.len + gap + zone.len);
}

static void set_zone(struct cluster *cluster, struct node_id node, struct label_list labels,
                     bool is_new) {
        struct str_id *zone = &cluster->nodes.zone[node.index];
        bool is_changed = set_string(cluster, zone, zone_key(labels, &cluster->scratch));
        if (!is_new && !is_changed)
                return;
        if (!is_new)
                node_order_remove(cluster->order, node);
        node_order_add(cluster->order, node, *zone);
}

/* ---- feeding ---- */

static uint32_t update_row(struct cluster *cluster, struct node_id node, const struct node *from) {
        struct node_extra *extra = &cluster->node_extra[node.index];
        const struct resource_list *allocatable =
                from->allocatable.count > 0 ? &from->allocatable : &from->capacity;
        uint32_t mask = 0;
        uint8_t flags = set_flags(cluster, node, flags_of(from));
        if (flags & NODE_UNSCHEDULABLE)
                mask |= CLUSTER_NODE_TAINTS;
        if (flags & NODE_READY)
                mask |= CLUSTER_NODE_CONDITION;
        if (set_allocatable(cluster, node, allocatable))
                mask |= CLUSTER_NODE_ALLOCATABLE;
        if (set_labels(cluster, node, from->meta.labels))
                mask |= CLUSTER_NODE_LABELS;
        if (set_taints(cluster, node, from->taints, from->taint_count))
                mask |= CLUSTER_NODE_TAINTS;
        if (set_hash(&extra->condition_hash, conditions_fingerprint(from)))
                mask |= CLUSTER_NODE_CONDITION;
        if (set_hash(&extra->annotation_hash, labels_fingerprint(from->meta.annotations)))
                mask |= CLUSTER_NODE_ANNOTATIONS;
        if (set_features(cluster, node, from->features, from->feature_count))
                mask |= CLUSTER_NODE_FEATURES;
        if (node_images_set(cluster, node, from->images, from->image_count))
                mask |= CLUSTER_NODE_IMAGES;
        if (set_string(cluster, &cluster->nodes.boot_id[node.index], from->boot_id))
                mask |= CLUSTER_NODE_CONDITION;
        return mask;
}

/* The object is gone: its own values are cleared, those of its pods stay. */
static void cluster_nodes_retire(struct cluster *cluster, struct node_id node) {
        static const struct node nothing = { 0 };
        node_order_remove(cluster->order, node);
        set_string(cluster, &cluster->nodes.zone[node.index], SLICE_EMPTY);
        update_row(cluster, node, &nothing);
        taint_set_remove_node(cluster, (struct taint_set_id){ 0 }, node);
        set_flags(cluster, node, 0);
        cluster->node_extra[node.index].uid_hash = 0;
        cluster->live_nodes--;
}

static void remove_known(struct cluster *cluster, struct node_id node) {
        cluster_nodes_retire(cluster, node);
        cluster_log_change(cluster, CLUSTER_NODE_REMOVED, node, POD_NONE);
}

struct node_id cluster_put_node(struct cluster *cluster, const struct node *from) {
        assert(!cluster_is_what_if(cluster));
        arena_clear(&cluster->scratch);
        struct node_id node = node_row_take(cluster, from->meta.name);
        struct node_extra *extra = &cluster->node_extra[node.index];
        uint64_t uid_hash = from->meta.uid.len ? slice_hash(from->meta.uid) | 1 : 0;
        bool is_known = cluster->nodes.flags[node.index] & NODE_KNOWN;
        if (is_known && uid_hash && extra->uid_hash && uid_hash != extra->uid_hash) {
                remove_known(cluster, node);
                is_known = false;
        }
        if (uid_hash)
                extra->uid_hash = uid_hash;
        if (!is_known) {
                taint_set_add_node(cluster, (struct taint_set_id){ 0 }, node);
                cluster->live_nodes++;
        }
        uint32_t mask = update_row(cluster, node, from);
        set_zone(cluster, node, from->meta.labels, !is_known);
        if (!is_known)
                mask = CLUSTER_NODE_ADDED;
        if (mask)
                cluster_log_change(cluster, mask, node, POD_NONE);
        return node;
}

void cluster_remove_node(struct cluster *cluster, struct slice name) {
        assert(!cluster_is_what_if(cluster));
        struct node_id node = cluster_find_node(cluster, name);
        if (node_id_is_none(node))
                return;
        arena_clear(&cluster->scratch);
        remove_known(cluster, node);
        node_row_release_unused(cluster, node);
}

struct label_set_id cluster_node_features(const struct cluster *cluster, struct node_id node) {
        return cluster->node_extra[node.index].features;
}

const struct node_id *cluster_node_order(const struct cluster *cluster) {
        return node_order_list(cluster->order);
}
