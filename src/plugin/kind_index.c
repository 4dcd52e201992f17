/* Sorting kinds, and counting pods into them. */
#include "plugin/kind_index.h"
#include "plugin/desched_run.h"
#include <stdlib.h>

struct placed_kind {
        uint32_t ns, labels, number;
};

struct kind_index {
        struct pod_kinds kinds;
        uint32_t *order; /* numbers by namespace, labels, number */
        uint32_t *from;  /* pods of kind k: pods[from[k]] up to pods[from[k + 1]] */
        struct pod_id *pods;
};

static int compare_kinds(const void *a, const void *b) {
        const struct placed_kind *x = a, *y = b;
        if (x->ns != y->ns)
                return x->ns < y->ns ? -1 : 1;
        if (x->labels != y->labels)
                return x->labels < y->labels ? -1 : 1;
        return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_kinds(struct kind_index *index, struct desched_run *run) {
        const struct pod_kinds *kinds = &index->kinds;
        struct placed_kind *placed = ARENA_ARRAY(run->scratch, struct placed_kind, kinds->count);
        for (size_t i = 0; i < kinds->count; i++)
                placed[i] = (struct placed_kind){ kinds->items[i].ns.index,
                                                  kinds->items[i].labels.index, (uint32_t)i };
        qsort(placed, kinds->count, sizeof(*placed), compare_kinds);
        index->order = ARENA_ARRAY(run->pass, uint32_t, kinds->count);
        for (size_t i = 0; i < kinds->count; i++)
                index->order[i] = placed[i].number;
}

/* Pods with a node that the walk does not meet. */
static size_t find_unlisted(struct desched_run *run, struct pod_id *ret_pods) {
        size_t cap = cluster_pod_cap(run->cluster), count = 0;
        struct bitset listed = bitset_in_arena(run->scratch, cap);
        for (size_t i = 0; i < run->pod_count; i++)
                bitset_add(&listed, run->pods[i].index);
        for (size_t i = 0; i < cap; i++) {
                struct pod_id pod = { (uint32_t)i };
                if (bitset_has(&listed, i))
                        continue;
                const struct pod_row *row = cluster_pod(run->cluster, pod);
                if (row->is_live && !node_id_is_none(row->node))
                        ret_pods[count++] = pod;
        }
        return count;
}

static void place_pods(struct kind_index *index, const struct pod_id *pods, size_t count) {
        for (size_t i = 0; i < count; i++)
                index->pods[index->from[index->kinds.of[pods[i].index]]++] = pods[i];
}

static void count_pods(struct kind_index *index, const struct pod_id *pods, size_t count) {
        for (size_t i = 0; i < count; i++)
                index->from[index->kinds.of[pods[i].index]]++;
}

/* Counts, then sums up to where each kind begins; placing pods moves the beginnings to the ends,
 * which are the beginnings of the next kinds. */
static void sort_pods(struct kind_index *index, struct desched_run *run) {
        struct pod_id *unlisted =
                ARENA_ARRAY(run->scratch, struct pod_id, cluster_pod_cap(run->cluster));
        size_t unlisted_count = find_unlisted(run, unlisted);
        index->pods = ARENA_ARRAY(run->pass, struct pod_id, run->pod_count + unlisted_count);
        index->from = ARENA_ARRAY(run->pass, uint32_t, index->kinds.count + 1);
        index->from++;
        count_pods(index, run->pods, run->pod_count);
        count_pods(index, unlisted, unlisted_count);
        uint32_t sum = 0;
        for (size_t i = 0; i < index->kinds.count; i++) {
                uint32_t count = index->from[i];
                index->from[i] = sum;
                sum += count;
        }
        place_pods(index, run->pods, run->pod_count);
        place_pods(index, unlisted, unlisted_count);
        index->from--;
}

const struct kind_index *kind_index_of(struct desched_run *run) {
        static const char owner;
        struct kind_index *index = desched_run_cached(run, &owner, 0);
        if (index)
                return index;
        index = ARENA_NEW(run->pass, struct kind_index);
        index->kinds = run->kinds;
        sort_kinds(index, run);
        sort_pods(index, run);
        desched_run_cache_put(run, &owner, 0, index);
        return index;
}

struct kind_range kind_index_all(const struct kind_index *index) {
        return (struct kind_range){ index->order, index->kinds.count };
}

/* The first kind, in order, of a namespace not below this one. */
static size_t lower_bound(const struct kind_index *index, uint64_t ns) {
        size_t low = 0, high = index->kinds.count;
        while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (index->kinds.items[index->order[middle]].ns.index < ns)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

struct kind_range kind_index_namespace(const struct kind_index *index, struct str_id ns) {
        size_t from = lower_bound(index, ns.index), to = lower_bound(index, (uint64_t)ns.index + 1);
        return (struct kind_range){ index->order + from, to - from };
}

struct pod_range kind_index_pods(const struct kind_index *index, uint32_t kind) {
        return (struct pod_range){ index->pods + index->from[kind],
                                   index->from[kind + 1] - index->from[kind] };
}
