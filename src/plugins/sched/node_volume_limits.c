/* NodeVolumeLimits: how many volumes of a CSI driver a node can attach. */
#include "base/util.h"
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "rules/volumes.h"
#include <string.h>

/* One attached or wanted volume.  Unbound claims have no handle yet; they count under their own
 * name. */
struct attached {
        struct slice driver, handle;
        bool is_unbound;
};
struct attached_list {
        struct arena *arena;
        size_t count, cap;
        struct attached *items;
};

static bool node_volume_limits_same(const struct attached *a, const struct attached *b) {
        return a->is_unbound == b->is_unbound && slice_eq(a->driver, b->driver) &&
               slice_eq(a->handle, b->handle);
}

static bool list_has(const struct attached_list *list, const struct attached *wanted) {
        for (size_t i = 0; i < list->count; i++)
                if (node_volume_limits_same(&list->items[i], wanted))
                        return true;
        return false;
}

static void list_add(struct attached_list *list, const struct attached *added) {
        if (slice_is_empty(added->driver) || slice_is_empty(added->handle) || list_has(list, added))
                return;
        if (list->count == list->cap) {
                size_t cap = list->cap == 0 ? 16 : 2 * list->cap;
                struct attached *grown = ARENA_ARRAY(list->arena, struct attached, cap);
                if (list->count > 0)
                        memcpy(grown, list->items, list->count * sizeof(*grown));
                list->items = grown;
                list->cap = cap;
        }
        list->items[list->count++] = *added;
}

/* What a claim attaches: its volume's handle, or a place held under its class's provisioner. */
static struct attached of_claim(const struct object_cache *object_cache, const struct json *claim,
                                struct arena *arena) {
        struct slice volume_name = claim_volume(claim);
        const struct json *volume =
                slice_is_empty(volume_name)
                        ? NULL
                        : object_cache_get(object_cache, CACHED_VOLUME, SLICE_EMPTY, volume_name);
        if (volume) {
                const struct json *csi = json_get(json_get(volume, "spec"), "csi");
                return (struct attached){ json_get_text(csi, "driver"),
                                          json_get_text(csi, "volumeHandle"), false };
        }
        const struct json *class = object_cache_get(object_cache, CACHED_STORAGE_CLASS, SLICE_EMPTY,
                                                    claim_class(claim));
        return (struct attached){ json_get_text(class, "provisioner"),
                                  slice_of(arena_printf(arena, SLICE_FMT "/" SLICE_FMT,
                                                        SLICE_ARG(cached_object_ns(claim)),
                                                        SLICE_ARG(cached_object_name(claim)))),
                                  true };
}

static void add_pod(const struct sched_cycle *cycle, const struct pod_class *class,
                    struct str_id ns, const char *pod_name, struct attached_list *list) {
        for (size_t i = 0; i < class->spec.volume_count; i++) {
                struct pod_claim claim;
                if (!pod_claim_of(&class->spec.volumes[i], cycle->object_cache,
                                  cluster_text(cycle->cluster, ns), slice_of(pod_name),
                                  cycle->scratch, &claim) ||
                    !claim.claim)
                        continue;
                struct attached attached =
                        of_claim(cycle->object_cache, claim.claim, cycle->scratch);
                list_add(list, &attached);
        }
}

static void add_attachments(const struct sched_cycle *cycle, struct slice node,
                            struct attached_list *list) {
        const struct json *attachment;
        size_t at = 0;
        while ((attachment = object_cache_next(cycle->object_cache, CACHED_ATTACHMENT, &at))) {
                const struct json *spec = json_get(attachment, "spec");
                struct slice volume_name =
                        json_get_text(json_get(spec, "source"), "persistentVolumeName");
                const struct json *volume = object_cache_get(cycle->object_cache, CACHED_VOLUME,
                                                             SLICE_EMPTY, volume_name);
                const struct json *csi = json_get(json_get(volume, "spec"), "csi");
                struct attached attached = { json_get_text(spec, "attacher"),
                                             json_get_text(csi, "volumeHandle"), false };
                if (slice_eq(json_get_text(spec, "nodeName"), node))
                        list_add(list, &attached);
        }
}

static size_t count_driver(const struct attached_list *list, struct slice driver) {
        size_t count = 0;
        for (size_t i = 0; i < list->count; i++)
                count += slice_eq(list->items[i].driver, driver);
        return count;
}

/* -1 = no limit. */
static int64_t limit_of(const struct json *csi_node, struct slice driver) {
        struct json_iter iter = json_iter(json_get(json_get(csi_node, "spec"), "drivers"));
        const struct json *item;
        while (json_next(&iter, NULL, &item))
                if (slice_eq(json_get_text(item, "name"), driver))
                        return json_get_i64(json_get(item, "allocatable"), "count", -1);
        return -1;
}

/* ---- limits of drivers, cached between decisions ---- */

/* What a node allows of a driver, and how many attachments it has of any. */
struct driver_limits {
        uint64_t node_version, attachment_version; /* of the object cache */
        int64_t *limits;
        uint32_t *attachments;
};
/* Volumes the pod brings, and of each driver among them how many and where they surely fit. */
struct wanted_driver {
        struct slice name;
        int64_t count;
        const struct driver_limits *known; /* NULL: not known */
};
struct wanted {
        struct attached_list list;
        size_t driver_count;
        struct wanted_driver *drivers;
};

static void read_limits(const struct sched_cycle *cycle, struct slice driver, int64_t *limits) {
        const struct json *item;
        size_t at = 0;
        for (size_t i = 0; i < cluster_nodes(cycle->cluster)->count; i++)
                limits[i] = INT64_MAX;
        while ((item = object_cache_next(cycle->object_cache, CACHED_CSI_NODE, &at))) {
                struct node_id node = cluster_find_node(cycle->cluster, cached_object_name(item));
                int64_t limit = limit_of(item, driver);
                if (!node_id_is_none(node) && limit >= 0)
                        limits[node.index] = limit;
        }
}

static void read_attachments(const struct sched_cycle *cycle, uint32_t *attachments) {
        const struct json *item;
        size_t at = 0;
        memset(attachments, 0, cluster_nodes(cycle->cluster)->count * sizeof(*attachments));
        while ((item = object_cache_next(cycle->object_cache, CACHED_ATTACHMENT, &at))) {
                struct node_id node = cluster_find_node(
                        cycle->cluster, json_get_text(json_get(item, "spec"), "nodeName"));
                if (!node_id_is_none(node))
                        attachments[node.index]++;
        }
}

#define BREAKING (CLUSTER_NODE_ADDED | CLUSTER_NODE_REMOVED)

static struct driver_limits *driver_limits_new(struct count_entry *entry, size_t nodes) {
        struct driver_limits *known = ARENA_NEW(&entry->arena, struct driver_limits);
        known->limits = ARENA_ARRAY(&entry->arena, int64_t, nodes + 1);
        known->attachments = ARENA_ARRAY(&entry->arena, uint32_t, nodes + 1);
        known->node_version = known->attachment_version = UINT64_MAX;
        return known;
}

static const struct driver_limits *driver_limits_of(const struct sched_cycle *cycle,
                                                    struct slice driver) {
        const struct object_cache *object_cache = cycle->object_cache;
        uint64_t parts[] = { (uint64_t)(uintptr_t)object_cache, slice_hash(driver) };
        struct count_updates news;
        if (!count_cache_recall(
                    cycle->counts, cycle->cluster,
                    hash_bytes(parts, sizeof(parts), slice_hash(SLICE_LITERAL("volume limits"))),
                    BREAKING, &news))
                return NULL;
        if (!news.entry->value)
                news.entry->value =
                        driver_limits_new(news.entry, cluster_nodes(cycle->cluster)->count);
        struct driver_limits *known = news.entry->value;
        if (known->node_version != object_cache_version(object_cache, CACHED_CSI_NODE)) {
                read_limits(cycle, driver, known->limits);
                known->node_version = object_cache_version(object_cache, CACHED_CSI_NODE);
        }
        if (known->attachment_version != object_cache_version(object_cache, CACHED_ATTACHMENT)) {
                read_attachments(cycle, known->attachments);
                known->attachment_version = object_cache_version(object_cache, CACHED_ATTACHMENT);
        }
        return known;
}

static void find_limits(const struct sched_cycle *cycle, struct wanted *wanted) {
        const struct attached_list *list = &wanted->list;
        wanted->drivers = ARENA_ARRAY(cycle->scratch, struct wanted_driver, list->count);
        for (size_t i = 0; i < list->count; i++) {
                struct slice driver = list->items[i].driver;
                size_t at = 0;
                while (at < wanted->driver_count && !slice_eq(wanted->drivers[at].name, driver))
                        at++;
                if (at == wanted->driver_count)
                        wanted->drivers[wanted->driver_count++] =
                                (struct wanted_driver){ driver, 0,
                                                        driver_limits_of(cycle, driver) };
                wanted->drivers[at].count++;
        }
}

/* The pod fits even if all that the node's pods and attachments name were volumes of the driver,
 * and none of them the pod's. */
static bool surely_fits(const struct sched_cycle *cycle, const struct wanted *wanted,
                        struct node_id node) {
        int64_t taken = cluster_nodes(cycle->cluster)->attach_count[node.index];
        for (size_t i = 0; i < wanted->driver_count; i++) {
                const struct wanted_driver *driver = &wanted->drivers[i];
                if (!driver->known ||
                    taken + driver->known->attachments[node.index] + driver->count >
                            driver->known->limits[node.index])
                        return false;
        }
        return true;
}

static bool node_volume_limits_exceeds(const struct sched_cycle *cycle, const struct wanted *all,
                                       struct node_id node) {
        const struct attached_list *wanted = &all->list;
        const struct cluster *cluster = cycle->cluster;
        if (wanted->count == 0 || surely_fits(cycle, all, node))
                return false;
        struct slice name = cluster_node_name(cluster, node);
        const struct json *csi_node =
                object_cache_get(cycle->object_cache, CACHED_CSI_NODE, SLICE_EMPTY, name);
        struct attached_list attached = { .arena = cycle->scratch };
        struct attached_list fresh = { .arena = cycle->scratch };
        if (!csi_node)
                return false;
        for (struct pod_id pod = cluster_nodes(cluster)->first_pod[node.index];
             !pod_id_is_none(pod);) {
                const struct pod_row *row = cluster_pod(cluster, pod);
                if (!pod_row_is_finished(row))
                        add_pod(cycle, cluster_class(cluster, row->class), row->ns, row->name,
                                &attached);
                pod = row->next_on_node;
        }
        add_attachments(cycle, name, &attached);
        for (size_t i = 0; i < wanted->count; i++)
                if (!list_has(&attached, &wanted->items[i]))
                        list_add(&fresh, &wanted->items[i]);
        for (size_t i = 0; i < fresh.count; i++) {
                struct slice driver = fresh.items[i].driver;
                int64_t limit = limit_of(csi_node, driver);
                if (limit >= 0 && (int64_t)(count_driver(&attached, driver) +
                                            count_driver(&fresh, driver)) > limit)
                        return true;
        }
        return false;
}

static bool has_attachable(const struct pod_class *class) {
        for (size_t i = 0; i < class->spec.volume_count; i++)
                if (class->spec.volumes[i].kind == VOLUME_CLAIM ||
                    class->spec.volumes[i].kind == VOLUME_EPHEMERAL ||
                    volume_is_migratable(&class->spec.volumes[i]))
                        return true;
        return false;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)state;
        (void)ret_only;
        (void)verdict;
        if (!has_attachable(cycle->class))
                return VERDICT_SKIP;
        struct wanted *wanted = ARENA_NEW(cycle->scratch, struct wanted);
        wanted->list.arena = cycle->scratch;
        add_pod(cycle, cycle->class, cycle->ns, cycle->pod_name, &wanted->list);
        find_limits(cycle, wanted);
        *ret_pod_state = wanted;
        return VERDICT_OK;
}

static void node_volume_limits_filter(const struct sched_cycle *cycle, const void *state,
                                      const void *pod_state, struct bitset *nodes) {
        (void)state;
        if (object_cache_count(cycle->object_cache, CACHED_CSI_NODE) == 0)
                return;
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1))
                if (node_volume_limits_exceeds(cycle, pod_state, (struct node_id){ (uint32_t)i }))
                        bitset_remove(nodes, i);
}

static void node_volume_limits_explain(const struct sched_cycle *cycle, const void *state,
                                       const void *pod_state, struct node_id node,
                                       struct verdict *verdict) {
        (void)state;
        if (node_volume_limits_exceeds(cycle, pod_state, node))
                verdict_no(verdict, VERDICT_UNSCHEDULABLE,
                           SLICE_LITERAL("node(s) exceed max volume count"));
}

/* A pod that went without volumes takes up no limit. */
static bool node_volume_limits_wakes(const struct sched_cycle *cycle, const void *state,
                                     const struct cluster_change *change) {
        (void)state;
        const uint32_t always = CLUSTER_NODE_ADDED | CLUSTER_CLAIM;
        const struct old_pod *past = cluster_old_pod(cycle->cluster, change->generation);
        return (change->mask & always) != 0 || !past ||
               has_attachable(cluster_class(cycle->cluster, past->class));
}

const struct plugin plugin_node_volume_limits = {
        .name = "NodeVolumeLimits",
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = node_volume_limits_filter,
                        .explain = node_volume_limits_explain,
                        .wakes = node_volume_limits_wakes,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_VOLUMES } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_POD_REMOVED | CLUSTER_CLAIM,
};
