/* VolumeRestrictions: disks that two pods may not share on a node, and claims that one pod alone
 * may use in the whole cluster. */
#include "plugin/sched_points.h"
#include "plugins/sched/registry.h"
#include "rules/volumes.h"

struct restrictions {
        bool has_disks;
        bool is_claim_in_use; /* a ReadWriteOncePod claim, by another pod */
};

static struct slice not_found(const struct sched_cycle *cycle, struct slice claim) {
        return slice_of(arena_printf(cycle->scratch,
                                     "persistentvolumeclaim \"" SLICE_FMT "\" not found",
                                     SLICE_ARG(claim)));
}

static bool uses_claim(const struct pod_class *class, struct slice claim) {
        for (size_t i = 0; i < class->spec.volume_count; i++)
                if (class->spec.volumes[i].kind == VOLUME_CLAIM &&
                    slice_eq(class->spec.volumes[i].claim_name, claim))
                        return true;
        return false;
}

static bool is_in_use(const struct sched_cycle *cycle, struct slice claim) {
        const struct cluster *cluster = cycle->cluster;
        const struct node_id *order = cluster_node_order(cluster);
        for (size_t i = 0; i < cluster_node_count(cluster); i++) {
                struct pod_id pod = cluster_nodes(cluster)->first_pod[order[i].index];
                while (!pod_id_is_none(pod)) {
                        const struct pod_row *row = cluster_pod(cluster, pod);
                        if (str_id_eq(row->ns, cycle->ns) && !pod_row_is_finished(row) &&
                            uses_claim(cluster_class(cluster, row->class), claim))
                                return true;
                        pod = row->next_on_node;
                }
        }
        return false;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)state;
        (void)ret_only;
        const struct pod_spec *spec = &cycle->class->spec;
        struct restrictions *own = ARENA_NEW(cycle->scratch, struct restrictions);
        for (size_t i = 0; i < spec->volume_count; i++) {
                const struct volume *volume = &spec->volumes[i];
                own->has_disks = own->has_disks || volume_has_disk(volume);
                if (volume->kind != VOLUME_CLAIM || cycle->shelf == NULL)
                        continue;
                const struct json *claim = object_shelf_get(cycle->shelf, SHELF_VOLUME_CLAIM,
                                                            cluster_text(cycle->cluster, cycle->ns),
                                                            volume->claim_name);
                if (claim == NULL) {
                        verdict_no(verdict, VERDICT_UNRESOLVABLE,
                                   not_found(cycle, volume->claim_name));
                        return VERDICT_UNRESOLVABLE;
                }
                if (claim_has_mode(claim, "ReadWriteOncePod") &&
                    is_in_use(cycle, volume->claim_name))
                        own->is_claim_in_use = true;
        }
        *ret_pod_state = own;
        return own->has_disks || own->is_claim_in_use ? VERDICT_OK : VERDICT_SKIP;
}

static bool shares_disk(const struct pod_class *a, const struct pod_class *b) {
        for (size_t i = 0; i < a->spec.volume_count; i++)
                for (size_t j = 0; j < b->spec.volume_count; j++)
                        if (volumes_conflict(&a->spec.volumes[i], &b->spec.volumes[j]))
                                return true;
        return false;
}

static bool has_conflict(const struct sched_cycle *cycle, struct node_id node) {
        const struct cluster *cluster = cycle->cluster;
        struct pod_id pod = cluster_nodes(cluster)->first_pod[node.index];
        while (!pod_id_is_none(pod)) {
                const struct pod_row *row = cluster_pod(cluster, pod);
                if (!pod_row_is_finished(row) &&
                    shares_disk(cycle->class, cluster_class(cluster, row->class)))
                        return true;
                pod = row->next_on_node;
        }
        return false;
}

static void explain(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                    struct node_id node, struct verdict *verdict) {
        (void)state;
        const struct restrictions *own = pod_state;
        if (own->has_disks && has_conflict(cycle, node))
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           SLICE_LITERAL("node(s) had no available disk"));
        else if (own->is_claim_in_use)
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           SLICE_LITERAL("node(s) unavailable due to PersistentVolumeClaim with "
                                         "ReadWriteOncePod access mode already in-use by another "
                                         "pod"));
}

static void filter(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                   struct bitset *nodes) {
        (void)state;
        const struct restrictions *own = pod_state;
        if (own->is_claim_in_use)
                bitset_clear(nodes);
        if (!own->has_disks)
                return;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (has_conflict(cycle, (struct node_id){ (uint32_t)i }))
                        bitset_remove(nodes, i);
}

const struct plugin plugin_volume_restrictions = {
        .name = "VolumeRestrictions",
        .sched = &(const struct sched_points){ .pre_filter = pre_filter,
                                               .filter = filter,
                                               .explain = explain,
                                               .counts_pods = true },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_POD_REMOVED | CLUSTER_CLAIM,
};
