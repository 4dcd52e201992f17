/* NodeAffinity: nodeSelector and node affinity of the pod, and the affinity the profile adds. */
#include "rules/node_affinity.h"
#include "base/util.h"
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"
#include "plugin/sched_profile.h"
#include "plugins/sched/normalize.h"
#include <stdlib.h>

struct node_affinity_args {
        struct args_head head;
        const struct json *added; /* addedAffinity */
};

/* What the profile adds; owns the text its terms point into. */
struct node_affinity {
        struct arena arena;
        struct json_doc *doc; /* NULL: nothing is added */
        struct affinity added;
};

static int decode_added(struct node_affinity *own, const struct json *json, struct err *err) {
        struct buf text = { 0 };
        json_write(json, &text);
        int r = json_parse(buf_view(&text), &own->doc, err);
        buf_release(&text);
        return r == 0 ? node_affinity_decode(json_doc_root(own->doc), &own->arena, &own->added, err)
                      : r;
}

static void node_affinity_free(void *state) {
        struct node_affinity *own = state;
        if (!own)
                return;
        json_doc_free(own->doc);
        arena_release(&own->arena);
        free(own);
}

static int node_affinity_init(const struct plugin_env *env, const void *args, void **ret_state,
                              struct err *err) {
        (void)env;
        const struct node_affinity_args *given = args;
        struct node_affinity *own = xcalloc(1, sizeof(*own));
        arena_init(&own->arena, 1024);
        if (json_type(given->added) == JSON_OBJECT) {
                int r = decode_added(own, given->added, err);
                if (r < 0) {
                        node_affinity_free(own);
                        return r;
                }
        }
        *ret_state = own;
        return 0;
}

static bool has_invalid_term(const struct affinity *affinity) {
        for (size_t i = 0; i < affinity->required_node_count; i++)
                if (node_term_is_invalid(&affinity->required_node[i]))
                        return true;
        for (size_t i = 0; i < affinity->preferred_node_count; i++)
                if (node_term_is_invalid(&affinity->preferred_node[i].term))
                        return true;
        return false;
}

static void node_affinity_check(struct field_reader *reader, const struct json *value,
                                const void *args) {
        const struct node_affinity_args *given = args;
        struct affinity added = { 0 };
        struct err err = { 0 };
        (void)value;
        if (json_type(given->added) != JSON_OBJECT)
                return;
        if (node_affinity_decode(given->added, reader->arena, &added, &err) < 0)
                field_problem(reader, given->added, "addedAffinity", "%s", err.text);
        else if (has_invalid_term(&added))
                field_problem(reader, given->added, "addedAffinity",
                              "a term cannot be parsed: operators are In, NotIn, Exists, "
                              "DoesNotExist, Gt and Lt with fitting values; fields take In or "
                              "NotIn with one value");
}

/* ---- filter ---- */

static bool restricts_by_name(const struct node_requirement *field) {
        return slice_is(field->key, "metadata.name") && field->op == SELECTOR_IN;
}

static bool lists_name(const struct node_requirement *field, struct slice name) {
        for (size_t i = 0; i < field->value_count; i++)
                if (slice_eq(field->values[i], name))
                        return true;
        return false;
}

/* Adds the nodes one term names; *has_names when it names any that could exist.  False: the term
 * does not restrict by name. */
static bool add_named(const struct sched_cycle *cycle, const struct node_term *term,
                      struct bitset *names, bool *has_names) {
        const struct node_requirement *first = NULL;
        for (size_t i = 0; i < term->field_count && !first; i++)
                if (restricts_by_name(&term->fields[i]))
                        first = &term->fields[i];
        if (!first)
                return false;
        for (size_t v = 0; v < first->value_count; v++) {
                bool is_in_all = true;
                for (size_t i = 0; i < term->field_count; i++)
                        if (restricts_by_name(&term->fields[i]) &&
                            !lists_name(&term->fields[i], first->values[v]))
                                is_in_all = false;
                struct node_id node = cluster_find_node(cycle->cluster, first->values[v]);
                *has_names = *has_names || is_in_all;
                if (is_in_all && !node_id_is_none(node))
                        bitset_add(names, node.index);
        }
        return true;
}

static enum verdict_code restrict_names(const struct sched_cycle *cycle,
                                        const struct affinity *affinity,
                                        const struct bitset **ret_only, struct verdict *verdict) {
        struct bitset *names = ARENA_NEW(cycle->scratch, struct bitset);
        bool has_names = false;
        *names = bitset_in_arena(cycle->scratch, cluster_nodes(cycle->cluster)->count);
        if (affinity->required_node_count == 0)
                return VERDICT_OK;
        for (size_t i = 0; i < affinity->required_node_count; i++)
                if (!add_named(cycle, &affinity->required_node[i], names, &has_names))
                        return VERDICT_OK;
        if (!has_names) {
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("pod affinity terms conflict"));
                return VERDICT_UNRESOLVABLE;
        }
        *ret_only = names;
        return VERDICT_OK;
}

static enum verdict_code pre_filter(const struct sched_cycle *cycle, const void *state,
                                    void **ret_pod_state, const struct bitset **ret_only,
                                    struct verdict *verdict) {
        (void)ret_pod_state;
        const struct node_affinity *own = state;
        const struct pod_spec *spec = &cycle->class->spec;
        if (!spec->affinity.has_required_node_terms && spec->node_selector.count == 0 &&
            !own->added.has_required_node_terms)
                return VERDICT_SKIP;
        return restrict_names(cycle, &spec->affinity, ret_only, verdict);
}

static void node_affinity_filter(const struct sched_cycle *cycle, const void *state,
                                 const void *pod_state, struct bitset *nodes) {
        (void)pod_state;
        const struct node_affinity *own = state;
        if (own->added.has_required_node_terms)
                node_terms_narrow(cycle->cluster, own->added.required_node,
                                  own->added.required_node_count, cycle->scratch, nodes);
        node_affinity_narrow(cycle->cluster, &cycle->class->spec, cycle->scratch, nodes);
}

static bool added_admits(const struct cluster *cluster, const struct node_affinity *own,
                         struct node_id node) {
        return !own->added.has_required_node_terms ||
               node_terms_match(cluster, own->added.required_node, own->added.required_node_count,
                                node);
}

static void node_affinity_explain(const struct sched_cycle *cycle, const void *state,
                                  const void *pod_state, struct node_id node,
                                  struct verdict *verdict) {
        (void)pod_state;
        if (!added_admits(cycle->cluster, state, node))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("node(s) didn't match scheduler-enforced node affinity"));
        else if (!node_affinity_admits(cycle->cluster, &cycle->class->spec, node))
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("node(s) didn't match Pod's node affinity/selector"));
}

static bool node_affinity_wakes(const struct sched_cycle *cycle, const void *state,
                                const struct cluster_change *change) {
        return node_id_is_none(change->node) ||
               (added_admits(cycle->cluster, state, change->node) &&
                node_affinity_admits(cycle->cluster, &cycle->class->spec, change->node));
}

/* ---- score ---- */

struct weighted_set {
        int64_t weight;
        struct bitset nodes;
};
struct preference {
        size_t count;
        struct weighted_set *sets;
};

static bool add_preferred(const struct sched_cycle *cycle, const struct affinity *affinity,
                          struct preference *preference, struct verdict *verdict) {
        for (size_t i = 0; i < affinity->preferred_node_count; i++) {
                const struct preferred_node_term *term = &affinity->preferred_node[i];
                if (term->weight == 0 || node_term_is_empty(&term->term))
                        continue;
                if (node_term_is_invalid(&term->term)) {
                        verdict_no(verdict, VERDICT_ERROR,
                                   slice_of(arena_printf(
                                           cycle->scratch,
                                           "running PreScore plugin \"NodeAffinity\": [%zu]: the "
                                           "preferred term cannot be parsed",
                                           i)));
                        return false;
                }
                struct weighted_set *set = &preference->sets[preference->count++];
                set->weight = term->weight;
                set->nodes = cluster_live_nodes(cycle->cluster, cycle->scratch);
                node_term_narrow(cycle->cluster, &term->term, cycle->scratch, &set->nodes);
        }
        return true;
}

static enum verdict_code pre_score(const struct sched_cycle *cycle, const void *state,
                                   struct node_batch feasible, void **ret_pod_state,
                                   struct verdict *verdict) {
        (void)feasible;
        const struct node_affinity *own = state;
        const struct affinity *affinity = &cycle->class->spec.affinity;
        size_t count = affinity->preferred_node_count + own->added.preferred_node_count;
        if (count == 0)
                return VERDICT_SKIP;
        struct preference *preference = ARENA_NEW(cycle->scratch, struct preference);
        preference->sets = ARENA_ARRAY(cycle->scratch, struct weighted_set, count);
        *ret_pod_state = preference;
        return add_preferred(cycle, affinity, preference, verdict) &&
                               add_preferred(cycle, &own->added, preference, verdict)
                       ? VERDICT_OK
                       : VERDICT_ERROR;
}

static void node_affinity_score(const struct sched_cycle *cycle, const void *state,
                                const void *pod_state, struct node_batch batch,
                                int64_t *ret_scores) {
        (void)cycle;
        (void)state;
        const struct preference *preference = pod_state;
        memset(ret_scores, 0, batch.count * sizeof(*ret_scores));
        for (size_t s = 0; s < preference->count; s++) {
                const struct weighted_set *set = &preference->sets[s];
                for (size_t i = 0; i < batch.count; i++)
                        if (bitset_has(&set->nodes, batch.nodes[i].index))
                                ret_scores[i] += set->weight;
        }
}

static void node_affinity_normalize(const struct sched_cycle *cycle, const void *state,
                                    const void *pod_state, struct node_batch feasible,
                                    int64_t *scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        normalize_by_max(scores, feasible.count, false);
}

static const struct field fields[] = {
        ARGS_HEAD_FIELDS,
        { .name = "addedAffinity",
          .type = FIELD_JSON,
          .offset = offsetof(struct node_affinity_args, added),
          .presence = FIELD_NO_PRESENCE,
          .help = "Node affinity added to that of every pod of the profile." },
        FIELD_END,
};

const struct plugin plugin_node_affinity = {
        .name = "NodeAffinity",
        .args = fields,
        .args_size = sizeof(struct node_affinity_args),
        .check = node_affinity_check,
        .init = node_affinity_init,
        .fini = node_affinity_free,
        .sched =
                &(const struct sched_points){
                        .pre_filter = pre_filter,
                        .filter = node_affinity_filter,
                        .explain = node_affinity_explain,
                        .pre_score = pre_score,
                        .score = node_affinity_score,
                        .normalize = node_affinity_normalize,
                        .wakes = node_affinity_wakes,
                        .hints = &(const struct cache_hints){ .filter = CACHE_SCOPE_NODE,
                                                              .score = CACHE_SCOPE_NODE } },
        .wakes_on = CLUSTER_NODE_ADDED | CLUSTER_NODE_LABELS,
};
