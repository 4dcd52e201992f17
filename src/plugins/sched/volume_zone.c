/* VolumeZone: a pod goes where the labels of its bound volumes say their zone and region are. */
#include "base/util.h"
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "rules/volumes.h"

/* Beta labels first, each beside the one that replaced it. */
static const struct zone_label {
        const char *name, *current;
} zone_labels[] = {
        { "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone" },
        { "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region" },
        { "topology.kubernetes.io/zone", "topology.kubernetes.io/zone" },
        { "topology.kubernetes.io/region", "topology.kubernetes.io/region" },
};

struct zone_demand {
        const struct zone_label *label;
        struct slice zones; /* joined by "__" */
};
struct zone_demands {
        size_t count;
        struct zone_demand *items;
};

static enum verdict_code volume_zone_refuse(const struct sched_cycle *cycle,
                                            struct verdict *verdict, const char *format,
                                            struct slice name) {
        char *text = NULL;
        if (format[0] == 'c')
                text = arena_printf(cycle->scratch,
                                    "persistentvolumeclaim \"" SLICE_FMT "\" not found",
                                    SLICE_ARG(name));
        else if (format[0] == 'v')
                text = arena_printf(cycle->scratch, "persistentvolume \"" SLICE_FMT "\" not found",
                                    SLICE_ARG(name));
        else if (format[0] == 's')
                text = arena_printf(cycle->scratch,
                                    "storageclass.storage.k8s.io \"" SLICE_FMT "\" not found",
                                    SLICE_ARG(name));
        else
                text = arena_printf(cycle->scratch,
                                    "VolumeBindingMode not set for StorageClass \"" SLICE_FMT "\"",
                                    SLICE_ARG(name));
        verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(text));
        return VERDICT_UNRESOLVABLE;
}

/* A claim without a volume may wait for its first consumer, nothing else. */
static enum verdict_code check_unbound(const struct sched_cycle *cycle, const struct json *claim,
                                       struct verdict *verdict) {
        struct slice name = claim_class(claim);
        bool is_unset;
        if (slice_is_empty(name)) {
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("PersistentVolumeClaim had no pv name and storageClass "
                                         "name"));
                return VERDICT_UNRESOLVABLE;
        }
        const struct json *class =
                object_cache_get(cycle->object_cache, CACHED_STORAGE_CLASS, SLICE_EMPTY, name);
        if (!class)
                return volume_zone_refuse(cycle, verdict, "s", name);
        if (class_is_delayed(class, &is_unset))
                return VERDICT_OK;
        if (is_unset)
                return volume_zone_refuse(cycle, verdict, "m", name);
        verdict_no(verdict, VERDICT_UNRESOLVABLE, SLICE_LITERAL("PersistentVolume had no name"));
        return VERDICT_UNRESOLVABLE;
}

static void add_demands(struct zone_demands *demands, const struct json *volume) {
        const struct json *labels = json_get(json_get(volume, "metadata"), "labels");
        for (size_t i = 0; i < ARRAY_LEN(zone_labels); i++) {
                const struct json *value = json_get(labels, zone_labels[i].name);
                if (json_type(value) == JSON_STRING)
                        demands->items[demands->count++] =
                                (struct zone_demand){ &zone_labels[i], json_text(value) };
        }
}

static enum verdict_code check_claim(const struct sched_cycle *cycle, struct slice name,
                                     struct zone_demands *demands, struct verdict *verdict) {
        const struct json *claim = object_cache_get(cycle->object_cache, CACHED_VOLUME_CLAIM,
                                                    cluster_text(cycle->cluster, cycle->ns), name);
        if (!claim)
                return volume_zone_refuse(cycle, verdict, "c", name);
        struct slice volume_name = claim_volume(claim);
        if (slice_is_empty(volume_name))
                return check_unbound(cycle, claim, verdict);
        const struct json *volume =
                object_cache_get(cycle->object_cache, CACHED_VOLUME, SLICE_EMPTY, volume_name);
        if (!volume)
                return volume_zone_refuse(cycle, verdict, "v", volume_name);
        add_demands(demands, volume);
        return VERDICT_OK;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)state;
        (void)ret_only;
        const struct pod_spec *spec = &cycle->class->spec;
        struct zone_demands *demands = ARENA_NEW(cycle->scratch, struct zone_demands);
        demands->items = ARENA_ARRAY(cycle->scratch, struct zone_demand,
                                     spec->volume_count * ARRAY_LEN(zone_labels));
        if (!knows_volumes(cycle))
                return VERDICT_SKIP;
        for (size_t i = 0; i < spec->volume_count; i++) {
                if (spec->volumes[i].kind != VOLUME_CLAIM)
                        continue;
                enum verdict_code code =
                        check_claim(cycle, spec->volumes[i].claim_name, demands, verdict);
                if (code != VERDICT_OK)
                        return code;
        }
        *ret_pod_state = demands;
        return demands->count == 0 ? VERDICT_SKIP : VERDICT_OK;
}

static bool node_label(const struct cluster *cluster, struct node_id node, const char *key,
                       struct slice *ret_value) {
        bool is_known;
        struct str_id id = cluster_str(cluster, slice_of(key), &is_known), value;
        if (!is_known ||
            !cluster_label_get(cluster, cluster_nodes(cluster)->labels[node.index], id, &value))
                return false;
        *ret_value = cluster_text(cluster, value);
        return true;
}

/* Takes the first of several zones off the text; false when none is left. */
static bool next_zone(struct slice *zones, struct slice *ret_zone) {
        static const char separator[] = "__";
        if (zones->len == 0)
                return false;
        const char *end = memmem(zones->ptr, zones->len, separator, strlen(separator));
        size_t length = !end ? zones->len : (size_t)(end - zones->ptr);
        *ret_zone = slice_trim(slice_make(zones->ptr, length));
        *zones =
                !end ? SLICE_EMPTY
                     : slice_make(end + strlen(separator), zones->len - length - strlen(separator));
        return true;
}

static bool has_zone(struct slice zones, struct slice zone) {
        struct slice item;
        while (next_zone(&zones, &item))
                if (slice_eq(item, zone))
                        return true;
        return false;
}

/* Nodes that know neither zone nor region are taken for everywhere. */
static bool volume_zone_admits(const struct sched_cycle *cycle, const struct zone_demands *demands,
                               struct node_id node) {
        struct slice value;
        bool has_any = false;
        for (size_t i = 0; i < ARRAY_LEN(zone_labels) && !has_any; i++)
                has_any = node_label(cycle->cluster, node, zone_labels[i].name, &value);
        for (size_t i = 0; i < demands->count && has_any; i++) {
                const struct zone_demand *demand = &demands->items[i];
                if (!node_label(cycle->cluster, node, demand->label->name, &value) &&
                    !node_label(cycle->cluster, node, demand->label->current, &value))
                        return false;
                if (!has_zone(demand->zones, value))
                        return false;
        }
        return true;
}

/* Adds the nodes with one of the values of a label. */
static void add_nodes_with(const struct cluster *cluster, const char *key, struct slice zones,
                           struct bitset *nodes) {
        bool has_key, has_value;
        struct str_id id = cluster_str(cluster, slice_of(key), &has_key);
        struct slice zone;
        while (has_key && next_zone(&zones, &zone)) {
                struct str_id value = cluster_str(cluster, zone, &has_value);
                if (has_value)
                        cluster_add_nodes_with_pair(cluster, id, value, nodes);
        }
}

static const struct bitset *nodes_with(const struct cluster *cluster, const char *key) {
        bool is_known;
        struct str_id id = cluster_str(cluster, slice_of(key), &is_known);
        return is_known ? cluster_nodes_with_key(cluster, id) : NULL;
}

/* Nodes that a demand allows, of those that have a label of a zone or region. */
static struct bitset nodes_of_demand(const struct sched_cycle *cycle,
                                     const struct zone_demand *demand, size_t bits) {
        const struct cluster *cluster = cycle->cluster;
        const struct bitset *named = nodes_with(cluster, demand->label->name);
        struct bitset nodes = bitset_in_arena(cycle->scratch, bits);
        add_nodes_with(cluster, demand->label->current, demand->zones, &nodes);
        if (named)
                bitset_and_not(&nodes, named);
        add_nodes_with(cluster, demand->label->name, demand->zones, &nodes);
        return nodes;
}

static void volume_zone_filter(const struct sched_cycle *cycle, const void *state,
                               const void *pod_state, struct bitset *nodes) {
        (void)state;
        const struct zone_demands *demands = pod_state;
        struct bitset known = bitset_in_arena(cycle->scratch, nodes->bits);
        for (size_t i = 0; i < ARRAY_LEN(zone_labels); i++) {
                const struct bitset *named = nodes_with(cycle->cluster, zone_labels[i].name);
                if (named)
                        bitset_or(&known, named);
        }
        for (size_t i = 0; i < demands->count; i++) {
                struct bitset let_in = nodes_of_demand(cycle, &demands->items[i], nodes->bits);
                struct bitset refused = bitset_in_arena(cycle->scratch, nodes->bits);
                bitset_or(&refused, &known);
                bitset_and_not(&refused, &let_in);
                bitset_and_not(nodes, &refused);
        }
}

static void volume_zone_explain(const struct sched_cycle *cycle, const void *state,
                                const void *pod_state, struct node_id node,
                                struct verdict *verdict) {
        (void)state;
        if (!volume_zone_admits(cycle, pod_state, node))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("node(s) had no available volume zone"));
}

const struct plugin plugin_volume_zone = {
        .name = "VolumeZone",
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = volume_zone_filter,
                        .explain = volume_zone_explain,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_VOLUMES } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS | CLUSTER_CLAIM,
};
