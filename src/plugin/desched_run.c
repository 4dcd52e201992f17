/* The runner's side of plugin/desched_points.h. */
#include "plugin/desched_run.h"
#include <stdlib.h>

#define DESCHED_REQUESTER "sigs.k8s.io/descheduler"

const struct cluster *desched_run_cluster(const struct desched_run *run) {
        return run->cluster;
}
struct wall_time desched_run_now(const struct desched_run *run) {
        return run->now;
}
struct arena *desched_run_scratch(struct desched_run *run) {
        return run->scratch;
}
bool desched_run_is_parity(const struct desched_run *run) {
        return run->is_parity;
}
struct node_batch_list desched_run_nodes(const struct desched_run *run) {
        return run->nodes;
}

const struct desched_usage *desched_run_usage(const struct desched_run *run) {
        return run->usage;
}

/* ---- order ---- */

struct named_node {
        struct slice name;
        struct node_id node;
};

static int compare_nodes(const void *a, const void *b) {
        const struct named_node *x = a, *y = b;
        return slice_compare(x->name, y->name);
}

static void order_nodes(struct desched_run *run, const struct bitset *selected) {
        const struct node_table *table = cluster_nodes(run->cluster);
        struct named_node *named =
                ARENA_ARRAY(run->pass, struct named_node, bitset_count(selected));
        size_t count = 0;
        for (size_t i = bitset_next(selected, 0); i != SIZE_MAX; i = bitset_next(selected, i + 1)) {
                if (!bitset_has(&table->ready, i))
                        continue;
                struct node_id node = { (uint32_t)i };
                named[count++] = (struct named_node){ cluster_node_name(run->cluster, node), node };
        }
        qsort(named, count, sizeof(*named), compare_nodes);
        struct node_id *nodes = ARENA_ARRAY(run->pass, struct node_id, count);
        for (size_t i = 0; i < count; i++)
                nodes[i] = named[i].node;
        run->nodes = (struct node_batch_list){ nodes, count };
}

/* Oldest first; namespace and name make the order total. */
int desched_pod_order(const struct cluster *cluster, struct pod_id a, struct pod_id b) {
        const struct pod_row *x = cluster_pod(cluster, a), *y = cluster_pod(cluster, b);
        if (x->created.ns != y->created.ns)
                return x->created.ns < y->created.ns ? -1 : 1;
        if (!str_id_eq(x->ns, y->ns))
                return slice_compare(cluster_text(cluster, x->ns), cluster_text(cluster, y->ns));
        return strcmp(x->name, y->name);
}

/* Merge sort: stable, needs no context behind the comparison; spare is as long as pods. */
static void merge(const struct pod_order *order, struct pod_id *pods, size_t half, size_t count,
                  struct pod_id *spare) {
        memcpy(spare, pods, half * sizeof(*pods));
        size_t left = 0, right = half, to = 0;
        while (left < half && right < count)
                pods[to++] = order->compare(order->cluster, pods[right], spare[left]) < 0
                                     ? pods[right++]
                                     : spare[left++];
        memcpy(pods + to, spare + left, (half - left) * sizeof(*pods));
}

static void sort_pods(const struct pod_order *order, struct pod_id *pods, size_t count,
                      struct pod_id *spare) {
        if (count < 2)
                return;
        size_t half = count / 2;
        sort_pods(order, pods, half, spare);
        sort_pods(order, pods + half, count - half, spare);
        if (order->compare(order->cluster, pods[half], pods[half - 1]) < 0)
                merge(order, pods, half, count, spare);
}

void desched_sort_pods(const struct pod_order *order, struct pod_id *pods, size_t count,
                       struct arena *arena) {
        sort_pods(order, pods, count, ARENA_ARRAY(arena, struct pod_id, count));
}

static size_t count_pods(const struct cluster *cluster, struct node_id node) {
        size_t count = 0;
        for (struct pod_id pod = cluster_nodes(cluster)->first_pod[node.index];
             !pod_id_is_none(pod); pod = cluster_pod(cluster, pod)->next_on_node)
                count++;
        return count;
}

static void order_pods(struct desched_run *run) {
        const struct node_table *table = cluster_nodes(run->cluster);
        size_t total = 0, most = 0;
        for (size_t i = 0; i < run->nodes.count; i++) {
                size_t count = count_pods(run->cluster, run->nodes.nodes[i]);
                total += count;
                most = count > most ? count : most;
        }
        run->first = ARENA_ARRAY(run->pass, uint32_t, 2 * table->count);
        run->pods = ARENA_ARRAY(run->pass, struct pod_id, total);
        struct pod_id *spare = ARENA_ARRAY(run->pass, struct pod_id, most);
        const struct pod_order order = { run->cluster, desched_pod_order };
        uint32_t at = 0;
        for (size_t i = 0; i < run->nodes.count; i++) {
                uint32_t node = run->nodes.nodes[i].index, from = at;
                for (struct pod_id pod = table->first_pod[node]; !pod_id_is_none(pod);
                     pod = cluster_pod(run->cluster, pod)->next_on_node)
                        run->pods[at++] = pod;
                sort_pods(&order, run->pods + from, at - from, spare);
                run->first[2 * node] = from;
                run->first[2 * node + 1] = at;
        }
}

void desched_run_prepare(struct desched_run *run, const struct bitset *selected) {
        order_nodes(run, selected);
        order_pods(run);
        run->gone = bitset_in_arena(run->pass, cluster_pod_cap(run->cluster));
}

size_t desched_run_pods(struct desched_run *run, struct node_id node, bool with_finished,
                        const struct pod_id **ret_pods) {
        uint32_t from = run->first[2 * node.index], to = run->first[2 * node.index + 1];
        struct pod_id *pods = ARENA_ARRAY(run->scratch, struct pod_id, to - from);
        size_t count = 0;
        for (uint32_t i = from; i < to; i++) {
                struct pod_id pod = run->pods[i];
                if (bitset_has(&run->gone, pod.index))
                        continue;
                if (with_finished || !pod_row_is_finished(cluster_pod(run->cluster, pod)))
                        pods[count++] = pod;
        }
        *ret_pods = pods;
        return count;
}

/* ---- filters ---- */

static bool is_let_go(struct desched_run *run, const struct desched_instance *instance, bool is_pre,
                      struct pod_id pod, struct spare_reasons *reasons) {
        const struct desched_points *points = instance->plugin->desched;
        return is_pre ? points->pre_eviction_filter(run, instance->state, pod, reasons)
                      : points->filter(run, instance->state, pod, reasons);
}

static bool passes(struct desched_run *run, struct desched_filters filters, bool is_pre,
                   struct pod_id pod) {
        struct buf text = { 0 };
        struct spare_reasons reasons = { run->wants_reasons ? &text : NULL };
        bool is_passed = true;
        for (size_t i = 0; i < filters.count && is_passed; i++)
                is_passed = is_let_go(run, &filters.items[i], is_pre, pod, &reasons);
        if (!is_passed && run->listener.spared)
                run->listener.spared(run->listener.context, pod, buf_view(&text));
        buf_release(&text);
        return is_passed;
}

bool desched_run_filter(struct desched_run *run, struct pod_id pod) {
        return passes(run, run->filters, false, pod);
}

bool desched_run_pre_eviction_filter(struct desched_run *run, struct pod_id pod) {
        return passes(run, run->pre_filters, true, pod);
}

bool desched_run_may_evict(struct desched_run *run, struct pod_id pod) {
        return desched_run_filter(run, pod) && desched_run_pre_eviction_filter(run, pod);
}

bool desched_run_explain(struct desched_run *run, struct pod_id pod, struct buf *reasons) {
        struct spare_reasons asked = { reasons };
        for (size_t i = 0; i < run->filters.count; i++)
                if (!is_let_go(run, &run->filters.items[i], false, pod, &asked))
                        return false;
        for (size_t i = 0; i < run->pre_filters.count; i++)
                if (!is_let_go(run, &run->pre_filters.items[i], true, pod, &asked))
                        return false;
        return true;
}

void spare_reason(struct spare_reasons *reasons, const char *format, ...) {
        if (!reasons->text)
                return;
        if (reasons->text->len > 0)
                buf_text(reasons->text, ", ");
        va_list args;
        va_start(args, format);
        buf_vprintf(reasons->text, format, args);
        va_end(args);
}

/* ---- evicting ---- */

enum evict_outcome desched_run_evict(struct desched_run *run, struct pod_id pod,
                                     struct slice reason) {
        const struct pod_row *row = cluster_pod(run->cluster, pod);
        struct evict_intent intent = {
                .pod = { .kind = SLICE_LITERAL("Pod"),
                         .ns = cluster_text(run->cluster, row->ns),
                         .name = slice_of(row->name),
                         .uid = slice_of(row->uid) },
                .plugin = run->plugin,
                .profile = run->profile,
                .reason = reason,
                .requested_by = SLICE_LITERAL(DESCHED_REQUESTER),
                .has_grace = run->has_grace,
                .grace_s = run->grace_s,
                .is_dry_run = run->is_dry_run,
        };
        if (!node_id_is_none(row->node))
                intent.node = cluster_node_name(run->cluster, row->node);
        enum evict_outcome outcome = run->sink.ask(run->sink.context, &intent);
        /* Upstream's plugins keep seeing a pod until its deletion is observed; only its dry run
         * takes it away at once. */
        bool is_hidden = outcome == EVICT_DONE && (!run->is_parity || run->is_dry_run);
        if (is_hidden)
                bitset_add(&run->gone, pod.index);
        if (run->listener.asked)
                run->listener.asked(run->listener.context, pod, outcome);
        return outcome;
}
