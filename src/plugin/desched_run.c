/* The runner's side of plugin/desched_points.h. */
#include "plugin/desched_run.h"
#include "base/map.h"
#include <assert.h>
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
struct arena *desched_run_pass_arena(struct desched_run *run) {
        return run->pass;
}
bool desched_run_is_parity(const struct desched_run *run) {
        return run->is_parity;
}
bool desched_run_job_has_ttl(const struct desched_run *run, struct slice job_uid) {
        return run->jobs && run->jobs->has_ttl(run->jobs->context, job_uid);
}
bool desched_run_hides_budgets(const struct desched_run *run) {
        return run->hides_budgets;
}
bool desched_run_is_gone(const struct desched_run *run, struct pod_id pod) {
        return bitset_has(&run->gone, pod.index);
}
struct node_batch_list desched_run_nodes(const struct desched_run *run) {
        return run->nodes;
}

const struct desched_usage *desched_run_usage(const struct desched_run *run) {
        return run->usage;
}

/* ---- memo ---- */

struct memo_key {
        const void *owner;
        uint64_t key;
};

void *desched_run_memo(const struct desched_run *run, const void *owner, uint64_t key) {
        const struct memo_key full = { owner, key };
        return map_get(run->memo, slice_make((const char *)&full, sizeof(full)));
}

void desched_run_memo_put(struct desched_run *run, const void *owner, uint64_t key, void *value) {
        const struct memo_key full = { owner, key };
        map_put(run->memo, slice_make((const char *)&full, sizeof(full)), value);
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

/* What the order needs of a pod, gathered in one walk along the rows so that sorting does not jump
 * between them. */
struct pod_key {
        int64_t created_ns;
        struct pod_id pod;
};

static bool is_listed(const struct desched_run *run, const struct pod_row *row) {
        return row->is_live && !node_id_is_none(row->node) &&
               run->first[2 * row->node.index + 1] != UINT32_MAX;
}

/* The node's life is over or unknown, and with it the pod's. */
static bool is_lost(const struct desched_run *run, const struct pod_row *row) {
        if (row->phase == POD_UNKNOWN)
                return true;
        return row->detail && slice_is(cluster_text(run->cluster, row->detail->reason), "NodeLost");
}

/* Finished and lost pods do nobody's work any more, so it does not matter whether their node is
 * usable; only nodes that the policy leaves out keep theirs. */
static bool is_elsewhere(const struct desched_run *run, const struct pod_row *row) {
        if (!row->is_live || is_listed(run, row) ||
            (!pod_row_is_finished(row) && !is_lost(run, row)))
                return false;
        return node_id_is_none(row->node) ||
               !bitset_has(&cluster_nodes(run->cluster)->live, row->node.index) ||
               bitset_has(&run->selected, row->node.index);
}

/* Insertion sort: a node holds few pods, and they are often nearly in order. */
static void sort_keys(const struct cluster *cluster, struct pod_key *keys, size_t count) {
        for (size_t i = 1; i < count; i++) {
                struct pod_key key = keys[i];
                size_t at = i;
                while (at > 0 && (keys[at - 1].created_ns > key.created_ns ||
                                  (keys[at - 1].created_ns == key.created_ns &&
                                   desched_pod_order(cluster, keys[at - 1].pod, key.pod) > 0))) {
                        keys[at] = keys[at - 1];
                        at--;
                }
                keys[at] = key;
        }
}

/* Room for the pods of each listed node, one after the other; a first pass counts them. */
static size_t lay_out(struct desched_run *run) {
        size_t cap = cluster_pod_cap(run->cluster), total = 0;
        size_t rows = cluster_nodes(run->cluster)->count;
        run->first = ARENA_ARRAY(run->pass, uint32_t, 2 * rows);
        for (size_t i = 0; i < rows; i++)
                run->first[2 * i + 1] = UINT32_MAX;
        for (size_t i = 0; i < run->nodes.count; i++)
                run->first[2 * run->nodes.nodes[i].index + 1] = 0;
        for (size_t i = 0; i < cap; i++) {
                const struct pod_row *row =
                        cluster_pod(run->cluster, (struct pod_id){ (uint32_t)i });
                if (is_listed(run, row))
                        run->first[2 * row->node.index + 1]++;
                else
                        run->elsewhere_count += is_elsewhere(run, row);
        }
        for (size_t i = 0; i < run->nodes.count; i++) {
                uint32_t *range = &run->first[2 * run->nodes.nodes[i].index];
                size_t count = range[1];
                range[0] = range[1] = (uint32_t)total;
                total += count;
        }
        return total;
}

static void order_pods(struct desched_run *run) {
        size_t cap = cluster_pod_cap(run->cluster), total = lay_out(run);
        struct pod_key *keys = ARENA_ARRAY(run->pass, struct pod_key, total);
        size_t elsewhere = 0;
        run->finished = bitset_in_arena(run->pass, cap);
        run->elsewhere = ARENA_ARRAY(run->pass, struct pod_id, run->elsewhere_count);
        for (size_t i = 0; i < cap; i++) {
                struct pod_id pod = { (uint32_t)i };
                const struct pod_row *row = cluster_pod(run->cluster, pod);
                if (!is_listed(run, row)) {
                        if (elsewhere < run->elsewhere_count && is_elsewhere(run, row))
                                run->elsewhere[elsewhere++] = pod;
                        continue;
                }
                keys[run->first[2 * row->node.index + 1]++] =
                        (struct pod_key){ row->created.ns, pod };
                if (pod_row_is_finished(row))
                        bitset_add(&run->finished, i);
        }
        run->pods = ARENA_ARRAY(run->pass, struct pod_id, total);
        for (size_t i = 0; i < run->nodes.count; i++) {
                const uint32_t *range = &run->first[2 * run->nodes.nodes[i].index];
                sort_keys(run->cluster, keys + range[0], range[1] - range[0]);
        }
        for (size_t i = 0; i < total; i++)
                run->pods[i] = keys[i].pod;
        const struct pod_order order = { run->cluster, desched_pod_order };
        desched_sort_pods(&order, run->elsewhere, elsewhere, run->pass);
}

void desched_run_prepare(struct desched_run *run, const struct bitset *selected) {
        run->selected = *selected;
        order_nodes(run, selected);
        order_pods(run);
        run->gone = bitset_in_arena(run->pass, cluster_pod_cap(run->cluster));
        run->memo = map_new();
}

void desched_run_finish(struct desched_run *run) {
        map_free(run->memo);
        run->memo = NULL;
}

size_t desched_run_pods(struct desched_run *run, struct node_id node, enum pod_listing listing,
                        const struct pod_id **ret_pods) {
        uint32_t from = run->first[2 * node.index], to = run->first[2 * node.index + 1];
        struct pod_id *pods = ARENA_ARRAY(run->scratch, struct pod_id, to - from);
        size_t count = 0;
        for (uint32_t i = from; i < to; i++) {
                uint32_t index = run->pods[i].index;
                bool is_finished = bitset_has(&run->finished, index);
                bool is_asked = listing == PODS_ALL || is_finished == (listing == PODS_FINISHED);
                if (is_asked && !bitset_has(&run->gone, index))
                        pods[count++] = run->pods[i];
        }
        *ret_pods = pods;
        return count;
}

size_t desched_run_all_pods(struct desched_run *run, const struct pod_id **ret_pods) {
        size_t cap = cluster_pod_cap(run->cluster), count = 0;
        struct pod_id *pods = ARENA_ARRAY(run->scratch, struct pod_id, cap);
        for (size_t i = 0; i < cap; i++) {
                struct pod_id pod = { (uint32_t)i };
                const struct pod_row *row = cluster_pod(run->cluster, pod);
                bool is_wanted = row->is_live && (is_listed(run, row) || is_elsewhere(run, row));
                if (is_wanted && !bitset_has(&run->gone, i))
                        pods[count++] = pod;
        }
        const struct pod_order order = { run->cluster, desched_pod_order };
        desched_sort_pods(&order, pods, count, run->scratch);
        *ret_pods = pods;
        return count;
}

size_t desched_run_pods_elsewhere(struct desched_run *run, const struct pod_id **ret_pods) {
        struct pod_id *pods = ARENA_ARRAY(run->scratch, struct pod_id, run->elsewhere_count);
        size_t count = 0;
        for (size_t i = 0; !run->is_parity && i < run->elsewhere_count; i++)
                if (!bitset_has(&run->gone, run->elsewhere[i].index))
                        pods[count++] = run->elsewhere[i];
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

bool desched_run_may_delete(struct desched_run *run, struct pod_id pod) {
        run->is_cleanup = true;
        bool is_let_go = desched_run_may_evict(run, pod);
        run->is_cleanup = false;
        return is_let_go;
}

bool desched_run_is_cleanup(const struct desched_run *run) {
        return run->is_cleanup;
}

void desched_run_note_due(struct desched_run *run, struct wall_time at) {
        if (run->has_due && run->due.ns <= at.ns)
                return;
        run->has_due = true;
        run->due = at;
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

static enum evict_outcome ask(struct desched_run *run, struct pod_id pod, struct slice reason,
                              enum evict_way way) {
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
                .way = way,
        };
        if (!node_id_is_none(row->node))
                intent.node = cluster_node_name(run->cluster, row->node);
        return run->sink.ask(run->sink.context, &intent);
}

static enum evict_outcome remove_pod(struct desched_run *run, struct pod_id pod,
                                     struct slice reason, enum evict_way way) {
        enum evict_outcome outcome = ask(run, pod, reason, way);
        /* Upstream's plugins keep seeing a pod until its deletion is observed; only its dry run
         * takes it away at once. */
        bool is_hidden = outcome == EVICT_DONE && (!run->is_parity || run->is_dry_run);
        if (is_hidden)
                bitset_add(&run->gone, pod.index);
        if (run->listener.asked)
                run->listener.asked(run->listener.context, pod, outcome);
        return outcome;
}

/* ---- is it better elsewhere? ---- */

static struct slice controller_of(const struct cluster *cluster, const struct pod_row *pod) {
        for (uint32_t i = 0; i < pod->owner_count; i++)
                if (pod->owners[i].is_controller || pod->owner_count == 1)
                        return cluster_text(cluster, pod->owners[i].uid);
        return SLICE_EMPTY;
}

static bool spare(struct desched_run *run, struct pod_id pod, const char *why) {
        if (run->listener.spared)
                run->listener.spared(run->listener.context, pod, slice_of(why));
        return false;
}

static bool has_come_back(struct desched_run *run, const struct pod_row *row) {
        struct slice owner = controller_of(run->cluster, row);
        struct wall_time until;
        return run->moves.returns && owner.len > 0 &&
               return_memory_blocks(run->moves.returns, owner,
                                    cluster_node_name(run->cluster, row->node), row->created,
                                    run->now, &until);
}

/* False when the pod is spared; placement then says nothing. */
static bool is_worth_moving(struct desched_run *run, struct pod_id pod,
                            struct placement *placement) {
        const struct placement_oracle *oracle = run->moves.oracle;
        const struct pod_row *row = cluster_pod(run->cluster, pod);
        if (has_come_back(run, row))
                return spare(run, pod, "pods of its owner came back to this node after eviction");
        if (run->moves.turns && !move_turns_take(run->moves.turns, slice_of(row->uid)))
                return spare(run, pod, "its turn to be weighed comes in a later pass");
        if (!oracle->place(oracle->context, pod, placement)) {
                placement->node = NODE_NONE; /* scheduled by somebody we do not know */
                return true;
        }
        if (!placement->is_placed)
                return spare(run, pod, "no node would take it");
        if (placement->node.index == row->node.index)
                return spare(run, pod, "the scheduler would put it back on its node");
        if (placement->has_gain && placement->gain < run->moves.min_gain)
                return spare(run, pod, "no other node is better by the margin");
        return true;
}

static void note_move(struct desched_run *run, struct pod_id pod, struct node_id node) {
        const struct placement_oracle *oracle = run->moves.oracle;
        const struct pod_row *row = cluster_pod(run->cluster, pod);
        struct slice owner = controller_of(run->cluster, row);
        if (!pod_row_is_finished(row))
                oracle->move(oracle->context, pod, node);
        if (run->is_mover && run->moves.returns && owner.len > 0 && !run->is_dry_run)
                return_memory_note(run->moves.returns, owner,
                                   cluster_node_name(run->cluster, row->node), run->now);
}

enum evict_outcome desched_run_evict(struct desched_run *run, struct pod_id pod,
                                     struct slice reason) {
        struct placement placement = { .node = NODE_NONE };
        if (!run->moves.oracle)
                return remove_pod(run, pod, reason, EVICT_WAY_EVICT);
        if (run->is_mover && !is_worth_moving(run, pod, &placement))
                return EVICT_NOT_BETTER;
        enum evict_outcome outcome = remove_pod(run, pod, reason, EVICT_WAY_EVICT);
        if (outcome == EVICT_DONE)
                note_move(run, pod, placement.node);
        return outcome;
}

enum evict_outcome desched_run_delete(struct desched_run *run, struct pod_id pod,
                                      struct slice reason) {
        assert(pod_row_is_finished(cluster_pod(run->cluster, pod)));
        return remove_pod(run, pod, reason, EVICT_WAY_DELETE);
}

void desched_run_report(struct desched_run *run, struct pod_id pod, struct slice reason) {
        ask(run, pod, reason, EVICT_WAY_REPORT);
}
