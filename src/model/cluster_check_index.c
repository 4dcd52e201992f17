/* The model against itself, indexes: label groups, keys, taint sets and images against the nodes.
 */
#include "model/cluster_check.h"

static bool group_has(const struct node_group *group, uint32_t node) {
        if (group->kind == GROUP_MANY)
                return bitset_has(group->many, node);
        const uint32_t *list = group->kind == GROUP_ONE ? &group->one : group->few;
        for (uint32_t i = 0; i < group->count; i++) {
                if (list[i] == node)
                        return true;
        }
        return false;
}

static int check_groups(const struct cluster *cluster, struct err *err) {
        const struct node_labels *labels = &cluster->node_labels;
        size_t wanted = 0, found = 0, by_key = 0;
        for (uint32_t node = 0; node < cluster->nodes.count; node++) {
                const struct label_set *set = label_set_at(cluster, cluster->nodes.labels[node]);
                wanted += set->count;
                for (uint32_t i = 0; i < set->count; i++) {
                        const struct node_group *group = node_group_find(cluster, set->pairs[i]);
                        const struct bitset *key =
                                cluster_nodes_with_key(cluster, set->pairs[i].key);
                        if (!group || !group_has(group, node) || !key || !bitset_has(key, node))
                                return err_set(err, BERTH_ERR_INTERNAL,
                                               "node %u is missing under its label " SLICE_FMT,
                                               node,
                                               SLICE_ARG(interner_text(cluster->strings,
                                                                       set->pairs[i].key)));
                }
        }
        for (uint32_t i = 0; i < labels->group_ids.used; i++)
                found += labels->groups[i].count;
        for (uint32_t i = 0; i < labels->key_ids.used; i++)
                by_key += labels->keys[i].count;
        if (found != wanted || by_key != wanted)
                return err_set(err, BERTH_ERR_INTERNAL,
                               "nodes have %zu labels, index %zu by pair, %zu by key", wanted,
                               found, by_key);
        return 0;
}

static int check_taint_sets(const struct cluster *cluster, struct err *err) {
        size_t members = 0;
        for (uint32_t i = 0; i < cluster->taint_sets.ids.used; i++) {
                const struct taint_set *set = &cluster->taint_sets.items[i];
                if (bitset_count(&set->nodes) != set->node_count)
                        return err_set(err, BERTH_ERR_INTERNAL,
                                       "taint set %u counts %zu nodes, has %zu", i, set->node_count,
                                       bitset_count(&set->nodes));
                members += set->node_count;
        }
        for (uint32_t node = 0; node < cluster->nodes.count; node++) {
                uint32_t set = cluster->nodes.taints[node].index;
                if (bitset_has(&cluster->nodes.live, node) !=
                    bitset_has(&cluster->taint_sets.items[set].nodes, node))
                        return err_set(err, BERTH_ERR_INTERNAL, "node %u is not in taint set %u",
                                       node, set);
        }
        if (members != cluster->live_nodes)
                return err_set(err, BERTH_ERR_INTERNAL, "taint sets hold %zu nodes of %zu", members,
                               cluster->live_nodes);
        return 0;
}

static int check_images(const struct cluster *cluster, struct err *err) {
        size_t wanted = 0, found = 0;
        for (uint32_t node = 0; node < cluster->nodes.count; node++) {
                wanted += cluster->nodes.image_count[node];
                for (uint16_t i = 0; i < cluster->nodes.image_count[node]; i++) {
                        int64_t size;
                        uint32_t count;
                        if (!cluster_image(cluster, cluster->nodes.images[node][i], &size, &count))
                                return err_set(err, BERTH_ERR_INTERNAL,
                                               "node %u has an unknown image", node);
                }
        }
        for (uint32_t i = 0; i < cluster->images.ids.used; i++)
                found += cluster->images.rows[i].node_count;
        if (found != wanted)
                return err_set(err, BERTH_ERR_INTERNAL, "nodes have %zu images, index %zu", wanted,
                               found);
        return 0;
}

int check_node_labels(const struct cluster *cluster, struct err *err) {
        int r = check_groups(cluster, err);
        if (r == 0)
                r = check_taint_sets(cluster, err);
        if (r == 0)
                r = check_images(cluster, err);
        return r;
}
