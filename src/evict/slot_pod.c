/* Pods as slots see them. */
#include "evict/slot_pod.h"

#include "evict/eviction_reconciler_priv.h"
#include <stdio.h>

int slot_pod_decode(const struct json *object, struct arena *arena, struct slot_pod *ret_pod,
                    struct err *err) {
        struct eviction_pod pod;

        if (eviction_pod_decode(object, arena, &pod, err) < 0)
                return err ? err->code : BERTH_ERR_INVALID;
        *ret_pod = (struct slot_pod){
                .ns = pod.ns,
                .name = pod.name,
                .uid = pod.uid,
                .node = pod.node,
                .owner = pod.owner,
                .is_slow = pod.is_background || pod.is_moving || eviction_pod_is_vm(&pod),
                .has_responders = pod.responders.len > 0,
                .is_moving = pod.is_moving,
                .is_evicted = pod.is_evicted,
                .is_leaving = pod.is_terminating,
                .is_finished = pod.is_finished,
        };
        return 0;
}

/* ---- the model ---- */

static bool is_vm(const struct cluster *cluster, const struct pod_row *row) {
        bool has_key, has_value;
        struct str_id value, key = cluster_str(cluster, SLICE_LITERAL("kubevirt.io"), &has_key);
        struct str_id launcher = cluster_str(cluster, SLICE_LITERAL("virt-launcher"), &has_value);

        return has_key && has_value && cluster_label_get(cluster, row->labels, key, &value) &&
               str_id_eq(value, launcher);
}

static bool is_evicted(const struct cluster *cluster, const struct pod_row *row) {
        const struct pod_detail *detail = row->detail;

        if (!(row->flags & POD_TERMINATING))
                return false;
        for (uint32_t i = 0; detail && i < detail->condition_count; i++) {
                const struct condition_row *condition = &detail->conditions[i];

                if (slice_is(cluster_text(cluster, condition->type), "DisruptionTarget"))
                        return condition->status == CONDITION_TRUE &&
                               slice_is(cluster_text(cluster, condition->reason),
                                        "EvictionByEvictionAPI");
        }
        return false;
}

static struct slice owner_of(const struct cluster *cluster, const struct pod_row *row,
                             char *owner) {
        for (uint32_t i = 0; i < row->owner_count; i++) {
                if (!row->owners[i].is_controller)
                        continue;
                snprintf(owner, SLOT_OWNER_MAX, SLICE_FMT "/" SLICE_FMT,
                         SLICE_ARG(cluster_text(cluster, row->owners[i].kind)),
                         SLICE_ARG(cluster_text(cluster, row->owners[i].name)));
                return slice_of(owner);
        }
        return SLICE_EMPTY;
}

void slot_pod_of_row(const struct cluster *cluster, struct pod_id pod, char *owner,
                     struct slot_pod *ret_pod) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        const unsigned marks = POD_REQUEST_EVICT | POD_EVICTION_RUNS;

        *ret_pod = (struct slot_pod){
                .ns = cluster_text(cluster, row->ns),
                .name = slice_make(row->name, row->name_length),
                .uid = slice_of(row->uid),
                .node = node_id_is_none(row->node) ? SLICE_EMPTY
                                                   : cluster_node_name(cluster, row->node),
                .owner = owner_of(cluster, row, owner),
                .is_slow = (row->flags & marks) != 0 || is_vm(cluster, row),
                .is_moving = (row->flags & POD_EVICTION_RUNS) != 0,
                .is_evicted = is_evicted(cluster, row),
                .is_leaving = (row->flags & POD_TERMINATING) != 0,
                .is_finished = pod_row_is_finished(row),
        };
}

bool slot_pod_holds(const struct slot_pod *pod, bool for_all) {
        return !pod->is_finished &&
               (pod->is_moving || (pod->is_evicted && (for_all || pod->is_slow)));
}

struct eviction_slot_holder slot_pod_holder(const struct slot_pod *pod) {
        return (struct eviction_slot_holder){ .ns = pod->ns,
                                              .node = pod->node,
                                              .owner = pod->owner };
}

void slot_pods_see_model(struct slot_ledger *ledger, const struct cluster *cluster, bool for_all) {
        const unsigned candidates = POD_EVICTION_RUNS | POD_TERMINATING;
        char owner[SLOT_OWNER_MAX];

        slot_ledger_unsee_all(ledger, SLOT_SOURCE_PODS);
        for (size_t i = 0; i < cluster_pod_cap(cluster); i++) {
                const struct pod_id id = { (uint32_t)i };
                const struct pod_row *row = cluster_pod(cluster, id);
                struct slot_pod pod;

                if (!row->is_live || !(row->flags & candidates))
                        continue;
                slot_pod_of_row(cluster, id, owner, &pod);
                struct eviction_slot_holder holder = slot_pod_holder(&pod);
                if (slot_pod_holds(&pod, for_all))
                        slot_ledger_see(ledger, SLOT_SOURCE_PODS, pod.uid, pod.uid, &holder);
        }
}
