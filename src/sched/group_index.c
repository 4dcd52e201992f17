/* The members of groups, by a hash of the group's name. */
#include "sched/group_index.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

struct group_index_members {
        size_t count, cap;
        struct pod_id *pods;
};

struct group_index {
        struct map_u64 *groups; /* struct group_index_members, by hash */
        uint64_t *hashes;       /* by pod row: the list it is in; 0 = none */
        size_t cap;
};

struct group_index *group_index_new(void) {
        struct group_index *index = xcalloc(1, sizeof(*index));
        index->groups = map_u64_new();
        return index;
}

static void free_members(struct group_index_members *members) {
        free(members->pods);
        free(members);
}

void group_index_free(struct group_index *index) {
        size_t at = 0;
        uint64_t hash;
        void *members;
        if (!index)
                return;
        while (map_u64_next(index->groups, &at, &hash, &members))
                free_members(members);
        map_u64_free(index->groups);
        free(index->hashes);
        free(index);
}

size_t group_index_count(const struct group_index *index) {
        return map_u64_count(index->groups);
}

static uint64_t hash_of(struct slice ns, struct slice name) {
        uint64_t hash = hash_bytes(name.ptr, name.len, slice_hash(ns));
        return hash == 0 ? 1 : hash;
}

static uint64_t hash_of_pod(const struct cluster *cluster, struct pod_id pod) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        if (!row->is_live || pod_row_is_finished(row))
                return 0;
        struct slice name = cluster_class(cluster, row->class)->spec.scheduling_group;
        return slice_is_empty(name) ? 0 : hash_of(cluster_text(cluster, row->ns), name);
}

static void take_out(struct group_index *index, uint64_t hash, struct pod_id pod) {
        struct group_index_members *members = map_u64_get(index->groups, hash);
        size_t i = 0;
        while (members->pods[i].index != pod.index)
                i++;
        members->pods[i] = members->pods[--members->count];
        if (members->count > 0)
                return;
        map_u64_remove(index->groups, hash);
        free_members(members);
}

static void put_in(struct group_index *index, uint64_t hash, struct pod_id pod) {
        struct group_index_members *members = map_u64_get(index->groups, hash);
        if (!members) {
                members = xcalloc(1, sizeof(*members));
                map_u64_put(index->groups, hash, members);
        }
        if (members->count == members->cap) {
                members->cap = members->cap == 0 ? 8 : 2 * members->cap;
                members->pods = xreallocarray(members->pods, members->cap, sizeof(*members->pods));
        }
        members->pods[members->count++] = pod;
}

static void group_index_reserve(struct group_index *index, size_t cap) {
        if (cap <= index->cap)
                return;
        index->hashes = xreallocarray(index->hashes, cap, sizeof(*index->hashes));
        memset(index->hashes + index->cap, 0, (cap - index->cap) * sizeof(*index->hashes));
        index->cap = cap;
}

void group_index_note(struct group_index *index, const struct cluster *cluster, struct pod_id pod) {
        uint64_t hash = hash_of_pod(cluster, pod);
        uint64_t before = pod.index < index->cap ? index->hashes[pod.index] : 0;
        if (hash == before)
                return;
        if (before != 0)
                take_out(index, before, pod);
        if (hash != 0)
                put_in(index, hash, pod);
        group_index_reserve(index, cluster_pod_cap(cluster));
        index->hashes[pod.index] = hash;
}

size_t group_index_find(const struct group_index *index, struct slice ns, struct slice name,
                        const struct pod_id **ret_pods) {
        const struct group_index_members *members = map_u64_get(index->groups, hash_of(ns, name));
        *ret_pods = !members ? NULL : members->pods;
        return !members ? 0 : members->count;
}
