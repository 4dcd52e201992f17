/* TopologyPlacementGenerator: a group with a topology constraint is to be wholly inside of one
 * domain, so every value of the key is a placement; members that run already settle which. */
#include "base/map.h"
#include "plugin/pod_group.h"
#include "plugin/sched_points.h"

static enum verdict_code topology_placement_fail(const struct group_view *group,
                                                 struct verdict *verdict, const char *text) {
        verdict_no(verdict, VERDICT_ERROR,
                   slice_of(arena_printf(group->arena,
                                         "cannot determine domain for already scheduled pods: %s",
                                         text)));
        return VERDICT_ERROR;
}

/* The domain of one member; false: verdict says why it has none. */
static bool domain_of(const struct group_view *group, struct pod_id pod, struct str_id key,
                      struct str_id *ret_domain, struct verdict *verdict) {
        const struct cluster *cluster = group->cluster;
        const struct node_table *table = cluster_nodes(cluster);
        const struct pod_row *row = cluster_pod(cluster, pod);
        if (!bitset_has(&table->live, row->node.index)) {
                topology_placement_fail(
                        group, verdict,
                        arena_printf(group->arena,
                                     "getting node for pod " SLICE_FMT
                                     "/%s: nodeinfo not found for node name \"" SLICE_FMT "\"",
                                     SLICE_ARG(group->ns), row->name,
                                     SLICE_ARG(cluster_node_name(cluster, row->node))));
                return false;
        }
        if (key.index != 0 &&
            cluster_label_get(cluster, table->labels[row->node.index], key, ret_domain))
                return true;
        topology_placement_fail(group, verdict,
                                arena_printf(group->arena,
                                             "no topology domain found for pod " SLICE_FMT "/%s",
                                             SLICE_ARG(group->ns), row->name));
        return false;
}

/* The domain that the members on nodes are in; has_domain stays false without any. */
static bool required_domain(const struct group_view *group, struct str_id key, bool *has_domain,
                            struct str_id *ret_domain, struct verdict *verdict) {
        for (size_t i = 0; i < group->placed_count; i++) {
                struct str_id domain;
                if (!domain_of(group, group->placed[i], key, &domain, verdict))
                        return false;
                if (*has_domain && !str_id_eq(domain, *ret_domain)) {
                        topology_placement_fail(
                                group, verdict,
                                arena_printf(group->arena,
                                             "more than 1 domain found for pod group: " SLICE_FMT
                                             ", " SLICE_FMT,
                                             SLICE_ARG(cluster_text(group->cluster, *ret_domain)),
                                             SLICE_ARG(cluster_text(group->cluster, domain))));
                        return false;
                }
                *has_domain = true;
                *ret_domain = domain;
        }
        return true;
}

struct topology_placement_domains {
        struct map_u64 *by_value; /* struct group_domain, by number of the value */
        size_t count;
        struct group_domain *items; /* in the order of their first nodes */
};

/* Nodes per domain: counted first, so that each list is as long as it has to be. */
static void count_nodes(const struct group_view *group, struct str_id key,
                        const struct str_id *required, struct topology_placement_domains *domains) {
        const struct cluster *cluster = group->cluster;
        const struct node_id *order = cluster_node_order(cluster);
        size_t node_count = cluster_node_count(cluster);
        domains->items = ARENA_ARRAY(group->arena, struct group_domain, node_count + 1);
        for (size_t i = 0; i < node_count; i++) {
                struct str_id value;
                if (!cluster_label_get(cluster, cluster_nodes(cluster)->labels[order[i].index], key,
                                       &value) ||
                    (required && !str_id_eq(value, *required)))
                        continue;
                struct group_domain *domain = map_u64_get(domains->by_value, value.index);
                if (!domain) {
                        domain = &domains->items[domains->count++];
                        *domain = (struct group_domain){ .name = cluster_text(cluster, value) };
                        map_u64_put(domains->by_value, value.index, domain);
                }
                domain->count++;
        }
}

static void list_nodes(const struct group_view *group, struct str_id key,
                       struct topology_placement_domains *domains) {
        const struct cluster *cluster = group->cluster;
        const struct node_id *order = cluster_node_order(cluster);
        size_t *filled = ARENA_ARRAY(group->arena, size_t, domains->count + 1);
        struct node_id **lists = ARENA_ARRAY(group->arena, struct node_id *, domains->count + 1);
        for (size_t i = 0; i < domains->count; i++) {
                filled[i] = 0;
                lists[i] = ARENA_ARRAY(group->arena, struct node_id, domains->items[i].count);
                domains->items[i].nodes = lists[i];
        }
        for (size_t i = 0; i < cluster_node_count(cluster); i++) {
                struct str_id value;
                const struct group_domain *domain = NULL;
                if (cluster_label_get(cluster, cluster_nodes(cluster)->labels[order[i].index], key,
                                      &value))
                        domain = map_u64_get(domains->by_value, value.index);
                if (!domain)
                        continue;
                size_t index = (size_t)(domain - domains->items);
                lists[index][filled[index]++] = order[i];
        }
}

static void take_everything(const struct group_view *group, struct group_domain_list *ret_list) {
        struct group_domain *all = ARENA_NEW(group->arena, struct group_domain);
        *all = (struct group_domain){ .count = cluster_node_count(group->cluster),
                                      .nodes = cluster_node_order(group->cluster) };
        *ret_list = (struct group_domain_list){ 1, all };
}

static enum verdict_code topology_placement_generate(const struct group_view *group,
                                                     const void *state,
                                                     struct group_domain_list *ret_list,
                                                     struct verdict *verdict) {
        (void)state;
        struct slice name = pod_group_topology_key(group->object);
        struct str_id required;
        bool is_known = false, has_required = false;
        if (slice_is_empty(name)) {
                take_everything(group, ret_list);
                return VERDICT_OK;
        }
        struct str_id key = cluster_str(group->cluster, name, &is_known);
        if (!is_known)
                key = (struct str_id){ 0 };
        if (!required_domain(group, key, &has_required, &required, verdict))
                return VERDICT_ERROR;
        struct topology_placement_domains domains = { .by_value = map_u64_new() };
        if (is_known) {
                count_nodes(group, key, has_required ? &required : NULL, &domains);
                list_nodes(group, key, &domains);
        }
        map_u64_free(domains.by_value);
        *ret_list = (struct group_domain_list){ domains.count, domains.items };
        return VERDICT_OK;
}

const struct plugin plugin_topology_placement = {
        .name = "TopologyPlacementGenerator",
        .sched =
                &(const struct sched_points){
                        .groups =
                                &(const struct group_points){
                                        .generate_placements = topology_placement_generate } },
};
