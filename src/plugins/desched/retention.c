/* Time to live and keeping the newest of each group. */
#include "plugins/desched/retention.h"
#include "base/map.h"
#include <stdlib.h>

struct retention_pod {
        struct wall_time since;
        struct pod_id pod;
        size_t position; /* where it was: ties keep their order */
};

/* Without an instant of that kind the creation counts: such a pod does not stay without end. */
static struct wall_time instant_of(const struct retention_arg *retention,
                                   const struct pod_row *pod) {
        struct wall_time since = lifecycle_since(pod, (enum lifecycle_since)retention->since);
        return wall_time_is_set(since) ? since : pod->created;
}

static int retention_compare(const void *a, const void *b) {
        const struct retention_pod *x = a, *y = b;
        if (x->since.ns != y->since.ns)
                return x->since.ns < y->since.ns ? -1 : 1;
        return x->position < y->position ? -1 : x->position > y->position;
}

static void write_group(const struct cluster *cluster, const struct retention_arg *retention,
                        const struct pod_row *pod, struct str_id label, struct buf *key) {
        struct str_id value = { 0 };
        switch ((enum retention_group)retention->group) {
        case PER_RULE:
                return;
        case PER_NAMESPACE:
                buf_printf(key, "%u", pod->ns.index);
                return;
        case PER_OWNER: /* without an owner a pod is alone with its like in the namespace */
                for (uint32_t i = 0; i < pod->owner_count; i++)
                        if (pod->owners[i].is_controller || pod->owner_count == 1)
                                value = pod->owners[i].uid;
                break;
        case PER_LABEL:
                cluster_label_get(cluster, pod->labels, label, &value);
                break;
        }
        buf_printf(key, "%u/%u", pod->ns.index, value.index);
}

/* How many of its group were seen before, this one then counted, too. */
static uint64_t count_up(struct map *groups, struct slice key) {
        uint64_t seen = (uint64_t)(uintptr_t)map_get(groups, key);
        map_put(groups, key, (void *)(uintptr_t)(seen + 1));
        return seen;
}

/* From the newest back: the first so many of each group are dropped from the list. */
static void drop_newest(const struct cluster *cluster, const struct retention_arg *retention,
                        struct retention_pod *items, size_t count) {
        struct map *groups = map_new();
        bool is_found = false;
        struct str_id label = cluster_str(cluster, retention->label, &is_found);
        for (size_t i = count; i-- > 0;) {
                struct buf key = { 0 };
                buf_char(&key, ':');
                write_group(cluster, retention, cluster_pod(cluster, items[i].pod), label, &key);
                if (count_up(groups, buf_view(&key)) < (uint64_t)retention->newest)
                        items[i].pod = POD_NONE;
                buf_release(&key);
        }
        map_free(groups);
}

size_t retention_apply(struct desched_run *run, const struct retention_arg *retention,
                       struct pod_id *pods, size_t count) {
        const struct cluster *cluster = desched_run_cluster(run);
        struct retention_pod *items =
                ARENA_ARRAY(desched_run_scratch(run), struct retention_pod, count);
        size_t gone = 0;
        for (size_t i = 0; i < count; i++)
                items[i] = (struct retention_pod){
                        instant_of(retention, cluster_pod(cluster, pods[i])), pods[i], i
                };
        qsort(items, count, sizeof(*items), retention_compare);
        if (retention->has_newest)
                drop_newest(cluster, retention, items, count);
        for (size_t i = 0; i < count; i++)
                if (!pod_id_is_none(items[i].pod) &&
                    (!retention->has_ttl ||
                     lifecycle_is_due(run, items[i].since, retention->ttl_ns)))
                        pods[gone++] = items[i].pod;
        return gone;
}
