/* Names the pods of a node that is taken away, and those that stay. */
#include "ask/plan_drain.h"

#include "reboot/drain.h"
#include <stdlib.h>

static struct slice why_it_stays(const struct drain_pod *pod, enum drain_verdict verdict,
                                 struct arena *arena) {
        if (verdict == DRAIN_EVICT)
                return SLICE_EMPTY;
        if (verdict == DRAIN_WAIT)
                return SLICE_LITERAL("is leaving already");
        if (pod->is_mirror)
                return SLICE_LITERAL("static pod");
        return slice_of(arena_printf(arena, "DaemonSet " SLICE_FMT, SLICE_ARG(pod->daemon_set)));
}

static int drained_compare(const void *a, const void *b) {
        const struct drained_pod *x = a, *y = b;
        int order = slice_compare(x->ns, y->ns);

        return order ? order : slice_compare(x->name, y->name);
}

void plan_drain_list(const struct cluster *cluster, struct node_id node, struct wall_time now,
                     struct arena *arena, struct drained_list *ret_list) {
        static const struct selector everything = { 0 };
        const struct drain_rules rules = { .selector = &everything };
        struct drain_pods pods;

        drain_pods_take(cluster, cluster_node_name(cluster, node), arena, &pods);
        *ret_list = (struct drained_list){ pods.count,
                                           ARENA_ARRAY(arena, struct drained_pod, pods.count) };
        for (size_t i = 0; i < pods.count; i++) {
                const struct drain_pod *pod = &pods.items[i];

                ret_list->items[i] = (struct drained_pod){
                        .pod = cluster_find_pod(cluster, pod->ns, pod->name),
                        .ns = pod->ns,
                        .name = pod->name,
                        .uid = pod->uid,
                        .stays = why_it_stays(pod, drain_judge(pod, &rules, now), arena),
                };
        }
        if (pods.count)
                qsort(ret_list->items, pods.count, sizeof(*ret_list->items), drained_compare);
}
