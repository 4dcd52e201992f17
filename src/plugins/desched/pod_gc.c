/* PodGC's order: those the kubelet evicted first, then the oldest, then by name (reference
 * eviction.md 8). */
#include "plugins/desched/pod_gc.h"
#include "base/util.h"
#include <stdlib.h>
#include <string.h>

struct finished_pod {
        struct pod_id id;
        struct wall_time created;
        const char *name;
        bool was_evicted;
};

static int pod_gc_compare(const void *a, const void *b) {
        const struct finished_pod *x = a, *y = b;
        if (x->was_evicted != y->was_evicted)
                return x->was_evicted ? -1 : 1;
        if (x->created.ns != y->created.ns)
                return x->created.ns < y->created.ns ? -1 : 1;
        int order = strcmp(x->name, y->name);
        return order != 0 ? order : (x->id.index > y->id.index) - (x->id.index < y->id.index);
}

static bool is_finished(const struct cluster *cluster, size_t index) {
        const struct pod_row *row = cluster_pod(cluster, (struct pod_id){ (uint32_t)index });
        return row->is_live && pod_row_is_finished(row);
}

static struct finished_pod *list_finished(const struct cluster *cluster, size_t count) {
        struct finished_pod *list = xcalloc(count, sizeof(*list));
        size_t at = 0;
        for (size_t i = 0; i < cluster_pod_cap(cluster); i++) {
                if (!is_finished(cluster, i))
                        continue;
                struct pod_id id = { (uint32_t)i };
                const struct pod_row *row = cluster_pod(cluster, id);
                list[at++] = (struct finished_pod){
                        .id = id,
                        .created = row->created,
                        .name = row->name,
                        .was_evicted =
                                row->phase == POD_FAILED && row->detail &&
                                slice_is(cluster_text(cluster, row->detail->reason), "Evicted"),
                };
        }
        return list;
}

struct bitset pod_gc_takes(struct desched_run *run, int64_t threshold) {
        const struct cluster *cluster = desched_run_cluster(run);
        struct bitset taken = bitset_in_arena(desched_run_scratch(run), cluster_pod_cap(cluster));
        size_t count = 0;
        if (threshold <= 0 || cluster_pod_count(cluster) <= (uint64_t)threshold)
                return taken;
        for (size_t i = 0; i < cluster_pod_cap(cluster); i++)
                count += is_finished(cluster, i);
        if (count <= (uint64_t)threshold)
                return taken;
        struct finished_pod *list = list_finished(cluster, count);
        qsort(list, count, sizeof(*list), pod_gc_compare);
        for (size_t i = 0; i < count - (size_t)threshold; i++)
                bitset_add(&taken, list[i].id.index);
        free(list);
        return taken;
}

bool pod_goes_with_job(const struct desched_run *run, const struct owner_row *owners,
                       size_t count) {
        const struct cluster *cluster = desched_run_cluster(run);
        for (size_t i = 0; i < count; i++)
                if (slice_is(cluster_text(cluster, owners[i].kind), "Job") &&
                    desched_run_job_has_ttl(run, cluster_text(cluster, owners[i].uid)))
                        return true;
        return false;
}
