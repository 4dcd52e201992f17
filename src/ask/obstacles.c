/* All filters' objections to one node, and what would end them. */
#include "ask/obstacles.h"

#include "api/quantity.h"
#include "base/saturate.h"
#include "base/util.h"
#include "rules/fit.h"
#include "rules/node_affinity.h"
#include "rules/ports.h"
#include "rules/taints.h"

/* Costs: what an operator does with one command is cheap; capacity costs by how much of
 * the node it is; what lies in the order of things (a condition behind a taint, other pods) is
 * dear. */
#define COST_COMMAND 100
#define COST_LABEL 150
#define COST_PORT 300
#define COST_DEVICE 350
#define COST_CONDITION 500
#define COST_ROOM 100
#define COST_LARGER_NODE 400
#define COST_UNKNOWN 1000
#define COST_NEVER 100000
#define CHANGES_MAX 16

struct obstacles_search {
        struct sched_attempt *attempt;
        struct arena *arena;
        const struct cluster *cluster;
        const struct pod_spec *spec;
        struct node_id node;
        size_t count;
        struct obstacle_change changes[CHANGES_MAX];
        size_t detail_count;
        struct slice details[CHANGES_MAX]; /* texts of the plugin, beside its reasons */
};

static void obstacles_add(struct obstacles_search *search, int64_t cost, const char *on_node,
                          const char *on_pod) {
        if (search->count < CHANGES_MAX)
                search->changes[search->count++] = (struct obstacle_change){
                        .on_node = slice_of(on_node), .on_pod = slice_of(on_pod), .cost = cost
                };
}

/* ---- capacity ---- */

struct slice resource_text(struct arena *arena, struct resource_id resource, int64_t amount) {
        char text[QUANTITY_TEXT_MAX];

        if (resource.index == RESOURCE_CPU)
                quantity_format_milli(amount, text);
        else if (resource.index == RESOURCE_MEMORY || resource.index == RESOURCE_EPHEMERAL_STORAGE)
                quantity_format_units(amount, QUANTITY_BINARY_SI, text);
        else
                quantity_format_units(amount, QUANTITY_DECIMAL_SI, text);
        return arena_slice(arena, slice_of(text));
}

static void add_shortage(struct obstacles_search *search, const struct fit_shortage *shortage) {
        struct arena *arena = search->arena;
        struct slice name = shortage->resource.index == RESOURCE_PODS
                                    ? SLICE_LITERAL("pods")
                                    : cluster_resource_name(search->cluster, shortage->resource);
        int64_t free = shortage->free < 0 ? 0 : shortage->free;
        int64_t missing = difference_saturated(shortage->requested, shortage->free);
        struct slice more = resource_text(arena, shortage->resource, missing);
        struct slice wants = resource_text(arena, shortage->resource, shortage->requested);
        struct slice has = resource_text(arena, shortage->resource, free);
        int64_t part = (int64_t)(100.0 * (double)missing / ((double)missing + (double)free + 1.0));
        const char *pod = "";

        if (shortage->resource.index != RESOURCE_PODS && free > 0)
                pod = arena_printf(arena,
                                   "request " SLICE_FMT " " SLICE_FMT " instead of " SLICE_FMT,
                                   SLICE_ARG(has), SLICE_ARG(name), SLICE_ARG(wants));
        obstacles_add(search, (shortage->exceeds_allocatable ? COST_LARGER_NODE : COST_ROOM) + part,
                      arena_printf(arena, "+" SLICE_FMT " " SLICE_FMT "%s", SLICE_ARG(more),
                                   SLICE_ARG(name),
                                   shortage->exceeds_allocatable ? " (a larger node)" : ""),
                      pod);
}

static void find_capacity(struct obstacles_search *search) {
        struct fit_shortage shortages[FIT_SHORTAGES_MAX];
        size_t count = fit_shortages(search->cluster, fit_requests_of(search->attempt->cycle.class),
                                     search->node, shortages);

        for (size_t i = 0; i < count; i++)
                add_shortage(search, &shortages[i]);
}

/* ---- taints ---- */

static bool is_tolerated(const struct pod_spec *spec, const struct taint *taint) {
        for (size_t i = 0; i < spec->toleration_count; i++)
                if (toleration_covers(&spec->tolerations[i], taint, false))
                        return true;
        return false;
}

static const char *taint_text(struct arena *arena, const struct taint *taint) {
        return arena_printf(arena, SLICE_FMT "%s" SLICE_FMT ":%s", SLICE_ARG(taint->key),
                            taint->value.len ? "=" : "", SLICE_ARG(taint->value),
                            taint_effect_name(taint->effect));
}

/* Controllers set these for as long as a condition holds. */
static bool is_condition(const struct taint *taint) {
        return slice_has_prefix(taint->key, SLICE_LITERAL("node.kubernetes.io/")) &&
               !slice_is(taint->key, "node.kubernetes.io/unschedulable");
}

static void find_cordon(struct obstacles_search *search) {
        obstacles_add(search, COST_COMMAND, "uncordon",
                      "tolerate node.kubernetes.io/unschedulable");
}

/* The taint of a cordoned node goes with the cordon. */
static bool is_cordon(const struct obstacles_search *search, const struct taint *taint) {
        return slice_is(taint->key, "node.kubernetes.io/unschedulable") &&
               bitset_has(&cluster_nodes(search->cluster)->unschedulable, search->node.index);
}

static void add_taint(struct obstacles_search *search, const struct taint *taint) {
        const char *text = taint_text(search->arena, taint);

        obstacles_add(search, is_condition(taint) ? COST_CONDITION : COST_COMMAND,
                      arena_printf(search->arena, "remove taint %s", text),
                      arena_printf(search->arena, "tolerate %s", text));
}

static void find_taints(struct obstacles_search *search) {
        const struct taint *taints;
        size_t count =
                cluster_taints(search->cluster,
                               cluster_nodes(search->cluster)->taints[search->node.index], &taints);

        for (size_t i = 0; i < count; i++) {
                if (taints[i].effect == TAINT_PREFER_NO_SCHEDULE ||
                    is_tolerated(search->spec, &taints[i]))
                        continue;
                if (is_cordon(search, &taints[i]))
                        find_cordon(search);
                else
                        add_taint(search, &taints[i]);
        }
}

/* ---- labels ---- */

static bool has_label(const struct obstacles_search *search, const struct label *wanted) {
        return node_has_labels(search->cluster, search->node,
                               (struct label_list){ .count = 1, .items = (struct label *)wanted });
}

static const char *requirement_text(struct arena *arena, const struct node_requirement *need) {
        static const char *const operators[] = {
                [SELECTOR_IN] = "in",         [SELECTOR_NOT_IN] = "not in",
                [SELECTOR_EXISTS] = "exists", [SELECTOR_NOT_EXISTS] = "does not exist",
                [SELECTOR_GT] = "above",      [SELECTOR_LT] = "below",
        };
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text, SLICE_FMT " %s", SLICE_ARG(need->key), operators[need->op]);
        for (size_t i = 0; i < need->value_count; i++)
                buf_printf(&text, "%s" SLICE_FMT, i ? ", " : " ", SLICE_ARG(need->values[i]));
        return arena_string(arena, buf_view(&text));
}

/* Requirements of the term that the node does not meet. */
static size_t obstacles_unmet(const struct obstacles_search *search, const struct node_term *term,
                              struct buf *text) {
        size_t count = 0;

        for (size_t i = 0; i < term->expression_count + term->field_count; i++) {
                bool is_field = i >= term->expression_count;
                struct node_requirement *need = is_field ? &term->fields[i - term->expression_count]
                                                         : &term->expressions[i];
                struct node_term alone = { .expression_count = !is_field,
                                           .field_count = is_field,
                                           .expressions = need,
                                           .fields = need };

                if (node_term_matches(search->cluster, &alone, search->node))
                        continue;
                buf_printf(text, "%s%s", count++ ? " and " : "",
                           requirement_text(search->arena, need));
        }
        return count;
}

/* Of the terms, any of which will do, the one that lacks least. */
static void find_terms(struct obstacles_search *search) {
        const struct affinity *affinity = &search->spec->affinity;
        size_t least = SIZE_MAX;
        const char *best = NULL;

        if (!affinity->has_required_node_terms ||
            node_terms_match(search->cluster, affinity->required_node,
                             affinity->required_node_count, search->node))
                return;
        for (size_t i = 0; i < affinity->required_node_count; i++) {
                CLEANUP(buf_release) struct buf text = { 0 };
                size_t count = obstacles_unmet(search, &affinity->required_node[i], &text);

                if (count == 0 || count >= least)
                        continue;
                least = count;
                best = arena_string(search->arena, buf_view(&text));
        }
        if (best)
                obstacles_add(search, COST_LABEL * (int64_t)least,
                              arena_printf(search->arena, "label so that %s", best),
                              "drop that requirement of its node affinity");
        else
                obstacles_add(search, COST_NEVER, "",
                              "correct its node affinity, which matches no node");
}

static void find_labels(struct obstacles_search *search) {
        const struct label_list *selector = &search->spec->node_selector;

        for (size_t i = 0; i < selector->count; i++) {
                const struct label *label = &selector->items[i];

                if (has_label(search, label))
                        continue;
                const char *pair = arena_printf(search->arena, SLICE_FMT "=" SLICE_FMT,
                                                SLICE_ARG(label->key), SLICE_ARG(label->value));
                obstacles_add(search, COST_LABEL, arena_printf(search->arena, "label %s", pair),
                              arena_printf(search->arena, "drop node selector %s", pair));
        }
        find_terms(search);
}

/* ---- ports and names ---- */

static bool is_taken(const struct obstacles_search *search, const struct class_port *port) {
        struct pod_class alone = { .port_count = 1, .ports = (struct class_port *)port };

        return ports_taken(search->cluster, &alone, search->node);
}

static void find_ports(struct obstacles_search *search) {
        const struct pod_class *class = search->attempt->cycle.class;

        for (size_t i = 0; i < class->port_count; i++) {
                const struct class_port *port = &class->ports[i];
                struct slice protocol = cluster_text(search->cluster, port->protocol);

                if (is_taken(search, port))
                        obstacles_add(search, COST_PORT,
                                      arena_printf(search->arena, "free host port %d/" SLICE_FMT,
                                                   port->port, SLICE_ARG(protocol)),
                                      arena_printf(search->arena,
                                                   "another host port than %d/" SLICE_FMT,
                                                   port->port, SLICE_ARG(protocol)));
        }
}

static void find_name(struct obstacles_search *search) {
        obstacles_add(search, COST_NEVER, "", "name this node in spec.nodeName, or none");
}

static const struct {
        const char *plugin;
        void (*find)(struct obstacles_search *search);
} finders[] = {
        { "NodeResourcesFit", find_capacity }, { "TaintToleration", find_taints },
        { "NodeUnschedulable", find_cordon },  { "NodeAffinity", find_labels },
        { "NodePorts", find_ports },           { "NodeName", find_name },
};

/* ---- what the plugin itself says ---- */

static void on_detail(void *context, const struct refusal_detail *detail) {
        struct obstacles_search *search = context;

        if (search->detail_count == CHANGES_MAX)
                return;
        search->details[search->detail_count++] = detail->text;
        if (search->count < CHANGES_MAX && (detail->on_node.len || detail->on_pod.len))
                search->changes[search->count++] =
                        (struct obstacle_change){ .on_node = detail->on_node,
                                                  .on_pod = detail->on_pod,
                                                  .cost = COST_DEVICE * detail->size };
}

static void find_details(struct obstacles_search *search, const struct plugin *plugin) {
        struct sched_attempt *attempt = search->attempt;

        for (size_t i = 0; plugin && plugin->sched->describe && i < attempt->profile->plugin_count;
             i++)
                if (attempt->profile->plugins[i].plugin == plugin)
                        plugin->sched->describe(&attempt->cycle, attempt->profile->plugins[i].state,
                                                attempt->plugins[i].filter_state, search->node,
                                                on_detail, search);
}

static void find_changes(struct obstacles_search *search, const struct plugin *plugin) {
        search->count = search->detail_count = 0;
        find_details(search, plugin);
        for (size_t i = 0; plugin && i < ARRAY_LEN(finders); i++)
                if (strcmp(finders[i].plugin, plugin->name) == 0)
                        finders[i].find(search);
        if (search->count == 0)
                obstacles_add(search, COST_UNKNOWN, "", "");
}

/* ---- all of them ---- */

static void obstacles_take(struct obstacles_search *search, const struct plugin *plugin,
                           const struct verdict *verdict, struct obstacle *obstacle) {
        find_changes(search, plugin);
        size_t count = verdict->reason_count + search->detail_count;
        struct slice *reasons = ARENA_ARRAY(search->arena, struct slice, count);
        for (size_t i = 0; i < count; i++)
                reasons[i] = i < verdict->reason_count ? verdict->reasons[i]
                                                       : search->details[i - verdict->reason_count];
        *obstacle = (struct obstacle){
                .plugin = plugin,
                .code = verdict->code,
                .reason_count = count,
                .reasons = reasons,
                .change_count = search->count,
                .changes = arena_copy(search->arena, search->changes,
                                      search->count * sizeof(search->changes[0])),
        };
}

static bool obstacles_asks(struct sched_attempt *attempt, size_t index, struct node_id node,
                           struct verdict *verdict) {
        const struct profile_plugin *plugin = &attempt->profile->plugins[index];

        if (attempt->plugins[index].filter_skips)
                return true;
        plugin->plugin->sched->explain(&attempt->cycle, plugin->state,
                                       attempt->plugins[index].filter_state, node, verdict);
        return verdict->code == VERDICT_OK;
}

void obstacles_find(struct sched_attempt *attempt, struct node_id node,
                    struct obstacle_list *ret_list) {
        const struct profile_point *point = &attempt->profile->points[POINT_FILTER];
        struct arena *arena = attempt->cycle.scratch;
        struct obstacles_search search = { .attempt = attempt,
                                           .arena = arena,
                                           .cluster = attempt->cluster,
                                           .spec = &attempt->cycle.class->spec,
                                           .node = node };
        struct obstacle *items = ARENA_ARRAY(arena, struct obstacle, point->count + 1);
        size_t count = 0;
        int64_t cost = 0;

        for (size_t i = 0; i < point->count; i++) {
                struct verdict verdict = { .code = VERDICT_OK };

                if (!obstacles_asks(attempt, point->plugins[i], node, &verdict))
                        obstacles_take(&search, attempt->profile->plugins[point->plugins[i]].plugin,
                                       &verdict, &items[count++]);
        }
        if (count == 0 && attempt->only && !bitset_has(attempt->only, node.index)) {
                struct verdict verdict = { .code = VERDICT_UNRESOLVABLE,
                                           .reason_count = 1,
                                           .reasons = { *attempt->absent_reason } };

                obstacles_take(&search, NULL, &verdict, &items[count++]);
        }
        for (size_t i = 0; i < count; i++)
                for (size_t j = 0; j < items[i].change_count; j++)
                        cost += items[i].changes[j].cost;
        *ret_list = (struct obstacle_list){ count, items, cost };
}
