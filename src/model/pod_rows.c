/* Pod rows: storage in chunks that never move, and the index by namespace and name.  The index
 * keeps no text of its own; it compares with the rows. */
#include "model/cluster_priv.h"

#include <assert.h>
#include <stdlib.h>

#define ALLOCATION_HEADER 8u /* what the allocator adds, for measuring */

void pod_rows_release(struct cluster *cluster) {
        struct pod_rows *pods = &cluster->pods;
        for (uint32_t i = 0; i < pods->ids.used; i++) {
                struct pod_row *row = pod_row_at(pods, (struct pod_id){ i });
                free((char *)(uintptr_t)row->name);
                free(row->detail);
        }
        for (uint32_t i = 0; i < pods->chunk_cap; i++)
                free(pods->chunks[i]);
        free(pods->chunks);
        free(pods->nominated);
        pod_responders_release(cluster);
        id_pool_release(&pods->ids);
        id_index_release(&pods->index);
}

/* Names are at most 253 bytes in Kubernetes; longer ones are cut. */
static struct slice pod_rows_cut(struct slice name) {
        return slice_make(name.ptr, name.len < UINT16_MAX ? name.len : UINT16_MAX);
}

static uint32_t pod_hash(struct str_id ns, struct slice name) {
        return (uint32_t)hash_bytes(name.ptr, name.len, ns.index);
}

static struct slice row_name(const struct pod_row *row) {
        return slice_make(row->name, row->name_length);
}

struct pod_id pod_row_find(const struct cluster *cluster, struct str_id ns, struct slice name) {
        uint32_t at = 0, id;
        name = pod_rows_cut(name);
        while (id_index_next(&cluster->pods.index, pod_hash(ns, name), &at, &id)) {
                const struct pod_row *row = pod_row_at(&cluster->pods, (struct pod_id){ id });
                if (str_id_eq(row->ns, ns) && slice_eq(row_name(row), name))
                        return (struct pod_id){ id };
        }
        return POD_NONE;
}

static size_t text_bytes(const struct pod_row *row) {
        return row->name_length + strlen(row->uid) + 2 + ALLOCATION_HEADER;
}

/* Name and uid in one allocation, each NUL-terminated. */
static void set_text(struct pod_row *row, struct slice name, struct slice uid) {
        char *text = xmalloc(name.len + uid.len + 2);
        if (name.len > 0)
                memcpy(text, name.ptr, name.len);
        text[name.len] = '\0';
        if (uid.len > 0)
                memcpy(text + name.len + 1, uid.ptr, uid.len);
        text[name.len + 1 + uid.len] = '\0';
        row->name = text;
        row->name_length = (uint16_t)name.len;
        row->uid = text + name.len + 1;
}

struct pod_id pod_row_new(struct cluster *cluster, const struct object_meta *meta) {
        struct pod_rows *pods = &cluster->pods;
        uint32_t id = id_pool_take(&pods->ids);
        uint32_t chunk = id / POD_CHUNK_ROWS;
        pods->chunks =
                rows_reserve(pods->chunks, &pods->chunk_cap, chunk + 1, sizeof(struct pod_row *));
        if (!pods->chunks[chunk])
                pods->chunks[chunk] = xcalloc(POD_CHUNK_ROWS, sizeof(struct pod_row));
        struct slice name = pod_rows_cut(meta->name);
        struct pod_row *row = pod_row_at(pods, (struct pod_id){ id });
        *row = (struct pod_row){ .ns = str_take(cluster, meta->ns),
                                 .node = NODE_NONE,
                                 .next_on_node = POD_NONE,
                                 .prev_on_node = POD_NONE,
                                 .next_equivalent = POD_NONE,
                                 .prev_equivalent = POD_NONE,
                                 .is_live = true,
                                 .created = WALL_TIME_UNSET,
                                 .started = WALL_TIME_UNSET,
                                 .deleted = WALL_TIME_UNSET,
                                 .failure_changed = WALL_TIME_UNSET };
        set_text(row, name, meta->uid);
        id_index_insert(&pods->index, pod_hash(row->ns, name), id);
        pods->live++;
        pods->text_bytes += text_bytes(row);
        return (struct pod_id){ id };
}

void pod_row_free(struct cluster *cluster, struct pod_id pod) {
        struct pod_rows *pods = &cluster->pods;
        struct pod_row *row = pod_row_at(pods, pod);
        assert(row->is_live && node_id_is_none(row->node) && row->nominated.index == 0);
        id_index_remove(&pods->index, pod_hash(row->ns, row_name(row)), pod.index);
        pods->text_bytes -= text_bytes(row);
        class_drop(cluster, row->class);
        label_set_drop(cluster, row->labels);
        owner_list_drop(cluster, row->owners);
        pod_detail_free(cluster, row->detail);
        pod_responders_drop(cluster, pod);
        str_drop(cluster, row->ns);
        free((char *)(uintptr_t)row->name);
        *row = (struct pod_row){ .node = NODE_NONE };
        pods->live--;
        id_pool_give(&pods->ids, pod.index);
}

/* ---- reading ---- */

size_t cluster_pod_count(const struct cluster *cluster) {
        return cluster->pods.live;
}

size_t cluster_pod_cap(const struct cluster *cluster) {
        return cluster->pods.ids.used;
}

const struct pod_row *cluster_pod(const struct cluster *cluster, struct pod_id pod) {
        assert(pod.index < cluster->pods.ids.used);
        return pod_row_at(&cluster->pods, pod);
}

struct pod_id cluster_find_pod(const struct cluster *cluster, struct slice ns, struct slice name) {
        bool is_known;
        struct str_id id = interner_find(cluster->strings, ns, &is_known);
        return is_known ? pod_row_find(cluster, id, name) : POD_NONE;
}

size_t cluster_nominated_pods(const struct cluster *cluster, const struct pod_id **ret_pods) {
        *ret_pods = cluster->pods.nominated;
        return cluster->pods.nominated_count;
}
