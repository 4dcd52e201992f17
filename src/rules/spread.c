/* Topology spread constraints. */
#include "rules/spread.h"
#include "rules/node_affinity.h"
#include "rules/taints.h"
#include <string.h>

/* ---- rules ---- */

static bool find_label(const struct cluster *cluster, struct label_set_id labels, struct slice key,
                       struct slice *ret_value) {
        bool is_known;
        struct str_id id = cluster_str(cluster, key, &is_known), value;
        if (!is_known || !cluster_label_get(cluster, labels, id, &value))
                return false;
        *ret_value = cluster_text(cluster, value);
        return true;
}

/* The constraint's selector and, for each of matchLabelKeys the pod has, its value.  Added to a
 * selector that matches nothing, the keys alone decide, as upstream has it. */
static const struct selector *spread_complete(const struct cluster *cluster,
                                              const struct spread_constraint *constraint,
                                              struct label_set_id labels, struct arena *arena) {
        const struct selector *own = &constraint->selector;
        bool is_null = !constraint->has_selector || own->matches_nothing;
        size_t own_count = is_null ? 0 : own->count, keys = constraint->match_label_key_count;
        struct selector *selector = ARENA_NEW(arena, struct selector);
        if (constraint->selector_is_invalid)
                return NULL;
        selector->requirements = ARENA_ARRAY(arena, struct selector_requirement, own_count + keys);
        for (size_t i = 0; i < keys; i++) {
                struct slice value;
                if (!find_label(cluster, labels, constraint->match_label_keys[i], &value))
                        continue;
                selector->requirements[selector->count++] = (struct selector_requirement){
                        .key = constraint->match_label_keys[i],
                        .op = SELECTOR_IN,
                        .value_count = 1,
                        .values = arena_copy(arena, &value, sizeof(value)),
                };
        }
        if (is_null && selector->count == 0)
                return NULL;
        if (own_count > 0)
                memcpy(selector->requirements + selector->count, own->requirements,
                       own_count * sizeof(*own->requirements));
        selector->count += own_count;
        return selector;
}

void spread_rule_make(const struct cluster *cluster, const struct spread_constraint *constraint,
                      const struct selector *selector, struct label_set_id labels,
                      struct arena *arena, struct spread_rule *ret_rule) {
        *ret_rule = (struct spread_rule){
                .max_skew = constraint->max_skew,
                .min_domains = constraint->min_domains > 0 ? constraint->min_domains : 1,
                .topology_key = constraint->topology_key,
                .honor_affinity = constraint->honor_affinity,
                .honor_taints = constraint->honor_taints,
                .counts_nothing = !selector || selector_is_empty(selector),
        };
        ret_rule->key = cluster_str(cluster, constraint->topology_key, &ret_rule->has_key);
        label_match_init(&ret_rule->match, cluster, selector, arena);
        ret_rule->matches_self = selector && cluster_labels_match(cluster, selector, labels);
}

size_t spread_rules_make(const struct cluster *cluster, const struct pod_spec *spec,
                         struct label_set_id labels, bool is_hard, struct arena *arena,
                         struct spread_rule **ret_rules) {
        struct spread_rule *rules = ARENA_ARRAY(arena, struct spread_rule, spec->spread_count);
        size_t count = 0;
        for (size_t i = 0; i < spec->spread_count; i++) {
                const struct spread_constraint *constraint = &spec->spread[i];
                if (constraint->is_hard == is_hard)
                        spread_rule_make(cluster, constraint,
                                         spread_complete(cluster, constraint, labels, arena),
                                         labels, arena, &rules[count++]);
        }
        *ret_rules = rules;
        return count;
}

bool spread_has_all_keys(const struct cluster *cluster, const struct spread_rule *rules,
                         size_t count, struct node_id node) {
        struct label_set_id labels = cluster_nodes(cluster)->labels[node.index];
        struct str_id value;
        for (size_t i = 0; i < count; i++)
                if (!rules[i].has_key || !cluster_label_get(cluster, labels, rules[i].key, &value))
                        return false;
        return true;
}

bool spread_includes_node(const struct cluster *cluster, const struct spread_rule *rule,
                          const struct pod_spec *spec, struct node_id node, bool allows_order) {
        if (rule->honor_affinity && !node_affinity_admits(cluster, spec, node))
                return false;
        return !rule->honor_taints ||
               !node_untolerated_taint(cluster, node, spec, TAINTS_THAT_BLOCK, allows_order);
}

static bool is_counted(const struct pod_row *row) {
        return !pod_row_is_finished(row) && (row->flags & POD_TERMINATING) == 0;
}

void spread_count_by_node(const struct cluster *cluster, struct spread_rule *rule, struct str_id ns,
                          uint32_t *ret_pods) {
        const struct pod_equivalents *equivalents;
        size_t count = rule->counts_nothing ? 0 : cluster_pod_equivalents(cluster, &equivalents);
        for (size_t i = 0; i < count; i++) {
                if (equivalents[i].count == 0 || !str_id_eq(equivalents[i].ns, ns) ||
                    !label_match_has(&rule->match, equivalents[i].labels))
                        continue;
                for (struct pod_id pod = equivalents[i].first; !pod_id_is_none(pod);) {
                        const struct pod_row *row = cluster_pod(cluster, pod);
                        if (!node_id_is_none(row->node))
                                ret_pods[row->node.index] += is_counted(row);
                        pod = row->next_equivalent;
                }
        }
}

int64_t spread_count_pods(const struct cluster *cluster, struct spread_rule *rule, struct str_id ns,
                          struct node_id node) {
        const struct node_table *nodes = cluster_nodes(cluster);
        int64_t count = 0;
        if (rule->counts_nothing)
                return 0;
        for (struct pod_id pod = nodes->first_pod[node.index]; !pod_id_is_none(pod);) {
                const struct pod_row *row = cluster_pod(cluster, pod);
                pod = row->next_on_node;
                if (str_id_eq(row->ns, ns) && is_counted(row) &&
                    label_match_has(&rule->match, row->labels))
                        count++;
        }
        return count;
}
