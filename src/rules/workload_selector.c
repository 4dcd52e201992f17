/* The selector that stands for a pod's workload. */
#include "rules/workload_selector.h"
#include <string.h>

struct building {
        struct arena *arena;
        struct selector selector;
        size_t cap;
};

static void add_requirement(struct building *building, struct selector_requirement requirement) {
        struct selector *selector = &building->selector;
        if (selector->count == building->cap) {
                size_t cap = building->cap == 0 ? 8 : 2 * building->cap;
                struct selector_requirement *grown =
                        ARENA_ARRAY(building->arena, struct selector_requirement, cap);
                if (selector->count > 0)
                        memcpy(grown, selector->requirements, selector->count * sizeof(*grown));
                selector->requirements = grown;
                building->cap = cap;
        }
        selector->requirements[selector->count++] = requirement;
}

/* Pairs of a plain map, such as a Service's selector. */
static void add_pairs(struct building *building, const struct json *pairs) {
        struct label_list list = label_list_decode(pairs, building->arena);
        for (size_t i = 0; i < list.count; i++)
                add_requirement(building,
                                (struct selector_requirement){ .key = list.items[i].key,
                                                               .op = SELECTOR_IN,
                                                               .value_count = 1,
                                                               .values = &list.items[i].value });
}

static void add_selector(struct building *building, const struct json *value) {
        struct selector selector;
        if (selector_decode(value, building->arena, &selector, NULL) < 0 ||
            selector.matches_nothing)
                return;
        for (size_t i = 0; i < selector.count; i++)
                add_requirement(building, selector.requirements[i]);
}

static bool workload_selector_selects(const struct json *pairs, struct label_list labels,
                                      struct arena *arena) {
        struct label_list wanted = label_list_decode(pairs, arena);
        for (size_t i = 0; i < wanted.count; i++) {
                bool has_same = false;
                for (size_t j = 0; j < labels.count; j++)
                        has_same = has_same ||
                                   (slice_eq(labels.items[j].key, wanted.items[i].key) &&
                                    slice_eq(labels.items[j].value, wanted.items[i].value));
                if (!has_same)
                        return false;
        }
        return true;
}

static void add_services(struct building *building, const struct object_cache *object_cache,
                         struct slice ns, struct label_list labels) {
        const struct json *service;
        size_t at = 0;
        while ((service = object_cache_next(object_cache, CACHED_SERVICE, &at))) {
                const struct json *pairs = json_get(json_get(service, "spec"), "selector");
                /* A service without a selector selects no pod. */
                if (json_type(pairs) == JSON_OBJECT && slice_eq(cached_object_ns(service), ns) &&
                    workload_selector_selects(pairs, labels, building->arena))
                        add_pairs(building, pairs);
        }
}

static void add_owner(struct building *building, const struct cluster *cluster,
                      const struct object_cache *object_cache, const struct pod_row *row) {
        for (uint32_t i = 0; i < row->owner_count; i++) {
                const struct owner_row *owner = &row->owners[i];
                struct slice kind = cluster_text(cluster, owner->kind);
                struct slice ns = cluster_text(cluster, row->ns);
                struct slice name = cluster_text(cluster, owner->name);
                enum cached_kind cached_kind = CACHED_REPLICA_SET;
                if (!owner->is_controller)
                        continue;
                if (slice_is(kind, "ReplicationController"))
                        cached_kind = CACHED_REPLICATION_CONTROLLER;
                else if (slice_is(kind, "StatefulSet"))
                        cached_kind = CACHED_STATEFUL_SET;
                else if (!slice_is(kind, "ReplicaSet"))
                        return;
                const struct json *object = object_cache_get(object_cache, cached_kind, ns, name);
                const struct json *selector = json_get(json_get(object, "spec"), "selector");
                if (cached_kind == CACHED_REPLICATION_CONTROLLER)
                        add_pairs(building, selector);
                else
                        add_selector(building, selector);
                return;
        }
}

const struct selector *workload_selector(const struct cluster *cluster,
                                         const struct object_cache *object_cache, struct pod_id pod,
                                         struct arena *arena) {
        struct building *building = ARENA_NEW(arena, struct building);
        building->arena = arena;
        if (!object_cache_knows(object_cache, CACHED_SERVICE) || pod_id_is_none(pod))
                return NULL;
        const struct pod_row *row = cluster_pod(cluster, pod);
        if (object_cache_count(object_cache, CACHED_SERVICE) > 0)
                add_services(building, object_cache, cluster_text(cluster, row->ns),
                             cluster_labels(cluster, row->labels, arena));
        add_owner(building, cluster, object_cache, row);
        return building->selector.count == 0 ? NULL : &building->selector;
}
