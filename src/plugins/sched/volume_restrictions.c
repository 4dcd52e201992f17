/* VolumeRestrictions: disks that two pods may not share on a node, and claims that one pod alone
 * may use in the whole cluster. */
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
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

static bool has_running(const struct cluster *cluster, const struct pod_equivalents *equivalents) {
        const struct bitset *live = &cluster_nodes(cluster)->live;
        for (struct pod_id pod = equivalents->first; !pod_id_is_none(pod);) {
                const struct pod_row *row = cluster_pod(cluster, pod);
                if (!pod_row_is_finished(row) && bitset_has(live, row->node.index))
                        return true;
                pod = row->next_equivalent;
        }
        return false;
}

static bool is_in_use(const struct sched_cycle *cycle, struct slice claim) {
        const struct pod_equivalents *equivalents;
        size_t count = cluster_pod_equivalents(cycle->cluster, &equivalents);
        for (size_t i = 0; i < count; i++)
                if (equivalents[i].count > 0 && str_id_eq(equivalents[i].ns, cycle->ns) &&
                    uses_claim(cluster_class(cycle->cluster, equivalents[i].class), claim) &&
                    has_running(cycle->cluster, &equivalents[i]))
                        return true;
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
                if (volume->kind != VOLUME_CLAIM || !knows_volumes(cycle))
                        continue;
                const struct json *claim = object_cache_get(
                        cycle->object_cache, CACHED_VOLUME_CLAIM,
                        cluster_text(cycle->cluster, cycle->ns), volume->claim_name);
                if (!claim) {
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
        return volumes_share_disk(a->spec.volumes, a->spec.volume_count, b->spec.volumes,
                                  b->spec.volume_count);
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

static void volume_restrictions_explain(const struct sched_cycle *cycle, const void *state,
                                        const void *pod_state, struct node_id node,
                                        struct verdict *verdict) {
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

static void drop_nodes_of(const struct cluster *cluster, const struct pod_equivalents *equivalents,
                          struct bitset *nodes) {
        for (struct pod_id pod = equivalents->first; !pod_id_is_none(pod);) {
                const struct pod_row *row = cluster_pod(cluster, pod);
                if (!pod_row_is_finished(row) && row->node.index < nodes->bits)
                        bitset_remove(nodes, row->node.index);
                pod = row->next_equivalent;
        }
}

static void volume_restrictions_filter(const struct sched_cycle *cycle, const void *state,
                                       const void *pod_state, struct bitset *nodes) {
        (void)state;
        const struct restrictions *own = pod_state;
        const struct pod_equivalents *equivalents;
        size_t count = own->has_disks ? cluster_pod_equivalents(cycle->cluster, &equivalents) : 0;
        if (own->is_claim_in_use)
                bitset_clear(nodes);
        for (size_t i = 0; i < count; i++)
                if (equivalents[i].count > 0 &&
                    shares_disk(cycle->class, cluster_class(cycle->cluster, equivalents[i].class)))
                        drop_nodes_of(cycle->cluster, &equivalents[i], nodes);
}

/* Whether a pod that went had a disk or a claim of the newcomer. */
static bool volume_restrictions_wakes(const struct sched_cycle *cycle, const void *state,
                                      const struct cluster_change *change) {
        (void)state;
        const uint32_t always = CLUSTER_NODE_ADDED | CLUSTER_CLAIM;
        const struct old_pod *past = cluster_old_pod(cycle->cluster, change->generation);
        const struct pod_spec *own = &cycle->class->spec;
        if ((change->mask & always) != 0 || !past)
                return true;
        const struct pod_class *class = cluster_class(cycle->cluster, past->class);
        if (shares_disk(cycle->class, class))
                return true;
        for (size_t i = 0; i < own->volume_count; i++)
                if (own->volumes[i].kind == VOLUME_CLAIM && str_id_eq(past->ns, cycle->ns) &&
                    uses_claim(class, own->volumes[i].claim_name))
                        return true;
        return false;
}

const struct plugin plugin_volume_restrictions = {
        .name = "VolumeRestrictions",
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = volume_restrictions_filter,
                        .explain = volume_restrictions_explain,
                        .wakes = volume_restrictions_wakes,
                        .hints =
                                &(const struct cache_hints){
                                        .filter = CACHE_SCOPE_VOLUMES_AND_PODS } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_POD_REMOVED | CLUSTER_CLAIM,
};
