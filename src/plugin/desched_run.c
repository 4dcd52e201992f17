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
int64_t desched_run_expected_ns(const struct desched_run *run, struct pod_id pod) {
        return run->expected_times ? run->expected_times->expected_ns(run->expected_times->context,
                                                                      pod, run->now)
                                   : 0;
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
const struct pod_kinds *desched_run_kinds(const struct desched_run *run) {
        return &run->kinds;
}
struct node_batch_list desched_run_nodes(const struct desched_run *run) {
        return run->nodes;
}
const struct bitset *desched_run_node_set(const struct desched_run *run) {
        return &run->listed;
}

const struct desched_usage *desched_run_usage(const struct desched_run *run) {
        return run->usage;
}

/* ---- what is known for the pass ---- */

struct desched_run_cached_key {
        const void *owner;
        uint64_t key;
};

void *desched_run_cached(const struct desched_run *run, const void *owner, uint64_t key) {
        const struct desched_run_cached_key full = { owner, key };
        return map_get(run->cached, slice_make((const char *)&full, sizeof(full)));
}

void desched_run_cache_put(struct desched_run *run, const void *owner, uint64_t key, void *value) {
        const struct desched_run_cached_key full = { owner, key };
        map_put(run->cached, slice_make((const char *)&full, sizeof(full)), value);
}

/* ---- filters ---- */

static bool is_let_go(struct desched_run *run, const struct desched_instance *instance, bool is_pre,
                      struct pod_id pod, struct spare_reasons *reasons) {
        const struct desched_points *points = instance->plugin->desched;
        return is_pre ? points->pre_eviction_filter(run, instance->state, pod, reasons)
                      : points->filter(run, instance->state, pod, reasons);
}

static bool all_by_kind(struct desched_filters filters, bool is_pre) {
        for (size_t i = 0; i < filters.count; i++) {
                const struct desched_points *points = filters.items[i].plugin->desched;
                bool (*is_by_kind)(const void *) =
                        is_pre ? points->pre_eviction_filter_is_by_kind : points->filter_is_by_kind;
                if (!is_by_kind || !is_by_kind(filters.items[i].state))
                        return false;
        }
        return true;
}

static void by_kind_prepare(struct desched_run *run, struct desched_filters *filters) {
        filters->by_kind = ARENA_ARRAY(run->pass, uint8_t, run->kinds.count);
        filters->causes = ARENA_ARRAY(run->pass, uint8_t, run->kinds.count);
}

void desched_run_use_filters(struct desched_run *run, struct desched_filters filters,
                             struct desched_filters pre_filters) {
        run->filters = filters;
        run->pre_filters = pre_filters;
        if (all_by_kind(filters, false))
                by_kind_prepare(run, &run->filters);
        if (all_by_kind(pre_filters, true))
                by_kind_prepare(run, &run->pre_filters);
}

/* Index of the cause with this key; the text is that of the first pod. */
static size_t find_cause(struct desched_run *run, const char *key, const char *format, va_list args)
        __attribute__((format(printf, 3, 0)));
static size_t find_cause(struct desched_run *run, const char *key, const char *format,
                         va_list args) {
        CLEANUP(buf_release) struct buf text = { 0 };
        for (size_t i = 1; i < run->cause_count; i++)
                if (run->causes[i].key == key || strcmp(run->causes[i].key, key) == 0)
                        return i;
        if (run->cause_count == 0 || run->cause_count == DESCHED_CAUSES_MAX)
                return 0; /* no rule is at work, or there are too many */
        buf_vprintf(&text, format, args);
        run->causes[run->cause_count] =
                (struct desched_cause){ .key = key,
                                        .text = arena_slice(run->pass, buf_view(&text)) };
        return run->cause_count++;
}

static size_t count_cause(struct desched_run *run, const char *key, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
static size_t count_cause(struct desched_run *run, const char *key, const char *format, ...) {
        va_list args;
        va_start(args, format);
        size_t cause = find_cause(run, key, format, args);
        va_end(args);
        run->causes[cause].count++;
        return cause;
}

static bool ask_filters(struct desched_run *run, const struct desched_filters *filters, bool is_pre,
                        struct pod_id pod, size_t *ret_cause) {
        struct buf text = { 0 };
        struct spare_reasons reasons = { run->wants_reasons ? &text : NULL, run, 0 };
        bool is_passed = true;
        for (size_t i = 0; i < filters->count && is_passed; i++)
                is_passed = is_let_go(run, &filters->items[i], is_pre, pod, &reasons);
        if (!is_passed && run->listener.spared)
                run->listener.spared(run->listener.context, pod, buf_view(&text));
        buf_release(&text);
        if (!is_passed)
                run->causes[reasons.cause].count++;
        *ret_cause = reasons.cause;
        return is_passed;
}

/* Asks once per kind, unless every pod's reasons are reported. */
static bool desched_run_passes(struct desched_run *run, const struct desched_filters *filters,
                               bool is_pre, struct pod_id pod) {
        size_t cause;
        if (!filters->by_kind || run->is_cleanup)
                return ask_filters(run, filters, is_pre, pod, &cause);
        uint32_t kind = run->kinds.of[pod.index];
        uint8_t *verdict = &filters->by_kind[kind];
        if (*verdict == KIND_YES)
                return true;
        if (*verdict == KIND_NOT_ASKED || run->wants_reasons) {
                bool is_passed = ask_filters(run, filters, is_pre, pod, &cause);
                *verdict = is_passed ? KIND_YES : KIND_NO;
                filters->causes[kind] = (uint8_t)cause;
                return is_passed;
        }
        run->causes[filters->causes[kind]].count++;
        if (run->listener.spared)
                run->listener.spared(run->listener.context, pod, SLICE_EMPTY);
        return false;
}

bool desched_run_filter(struct desched_run *run, struct pod_id pod) {
        return desched_run_passes(run, &run->filters, false, pod);
}

bool desched_run_pre_eviction_filter(struct desched_run *run, struct pod_id pod) {
        return desched_run_passes(run, &run->pre_filters, true, pod);
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

size_t desched_run_due_count(const struct desched_run *run) {
        return run->due_count;
}

void desched_run_note_young(struct desched_run *run, struct pod_id pod) {
        run->young_count++;
        if (run->listener.young)
                run->listener.young(run->listener.context, pod, run->last_due);
}

void desched_run_note_idle(struct desched_run *run, const char *format, ...) {
        CLEANUP(buf_release) struct buf text = { 0 };
        va_list args;
        va_start(args, format);
        buf_vprintf(&text, format, args);
        va_end(args);
        run->idle = arena_slice(run->pass, buf_view(&text));
}

void desched_run_begin_rule(struct desched_run *run, const struct plugin *plugin) {
        run->plugin = slice_of(plugin->name);
        run->is_mover = plugin->desched->is_mover;
        run->has_due = false;
        run->due_count = run->young_count = 0;
        run->idle = SLICE_EMPTY;
        run->causes[0].key = "";
        run->causes[0].text = SLICE_LITERAL("other filters");
        run->cause_count = run->cause_count ? run->cause_count : 1;
        for (size_t i = 0; i < run->cause_count; i++)
                run->causes[i].count = 0;
}

void desched_run_note_due(struct desched_run *run, struct wall_time at) {
        run->due_count++;
        run->last_due = at;
        if (run->has_due && run->due.ns <= at.ns)
                return;
        run->has_due = true;
        run->due = at;
}

bool desched_run_explain(struct desched_run *run, struct pod_id pod, struct buf *reasons) {
        struct spare_reasons asked = { .text = reasons };
        for (size_t i = 0; i < run->filters.count; i++)
                if (!is_let_go(run, &run->filters.items[i], false, pod, &asked))
                        return false;
        for (size_t i = 0; i < run->pre_filters.count; i++)
                if (!is_let_go(run, &run->pre_filters.items[i], true, pod, &asked))
                        return false;
        return true;
}

void spare_reason(struct spare_reasons *reasons, const char *format, ...) {
        va_list args;
        if (reasons->run && !reasons->cause) {
                va_start(args, format);
                reasons->cause = find_cause(reasons->run, format, format, args);
                va_end(args);
        }
        if (!reasons->text)
                return;
        if (reasons->text->len > 0)
                buf_text(reasons->text, ", ");
        va_start(args, format);
        buf_vprintf(reasons->text, format, args);
        va_end(args);
}

/* ---- evicting ---- */

/* The expected time is added to the reason, where that is a second or more. */
static struct slice report_cost(struct desched_run *run, struct pod_id pod, struct slice reason) {
        int64_t expected_ns = desched_run_expected_ns(run, pod);
        char text[DURATION_TEXT_MAX];
        if (expected_ns < NS_PER_S)
                return reason;
        duration_format(expected_ns / NS_PER_S * NS_PER_S, text);
        return slice_of(arena_printf(run->scratch,
                                     SLICE_FMT "%sits eviction is expected to take %s",
                                     SLICE_ARG(reason), reason.len > 0 ? "; " : "", text));
}

static enum evict_outcome desched_run_ask(struct desched_run *run, struct pod_id pod,
                                          struct slice reason, enum evict_way way) {
        const struct pod_row *row = cluster_pod(run->cluster, pod);
        struct evict_intent intent = {
                .pod = { .kind = SLICE_LITERAL("Pod"),
                         .ns = cluster_text(run->cluster, row->ns),
                         .name = slice_of(row->name),
                         .uid = slice_of(row->uid) },
                .plugin = run->plugin,
                .profile = run->profile,
                .reason = report_cost(run, pod, reason),
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
        enum evict_outcome outcome = desched_run_ask(run, pod, reason, way);
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

void desched_run_spare(struct desched_run *run, struct pod_id pod, const char *why) {
        count_cause(run, why, "%s", why);
        if (run->listener.spared)
                run->listener.spared(run->listener.context, pod, slice_of(why));
}

static bool desched_run_spare_refused(struct desched_run *run, struct pod_id pod, const char *why) {
        desched_run_spare(run, pod, why);
        return false;
}

/* The scheduler was asked, and says that the move is no good. */
static bool desched_run_spare_compared(struct desched_run *run, struct pod_id pod,
                                       const char *why) {
        if (run->listener.not_better)
                run->listener.not_better(run->listener.context, pod);
        return desched_run_spare_refused(run, pod, why);
}

static bool has_come_back(struct desched_run *run, const struct pod_row *row) {
        struct slice owner = controller_of(run->cluster, row);
        struct wall_time until;
        return run->moves.returns && owner.len > 0 &&
               return_memory_blocks(run->moves.returns, owner,
                                    cluster_node_name(run->cluster, row->node), row->created,
                                    run->now, &until);
}

static int64_t needed_gain(const struct desched_run *run, struct pod_id pod) {
        int64_t cost = desched_run_expected_ns(run, pod) / DESCHED_COST_UNIT_NS;
        return run->moves.min_gain + (cost < DESCHED_COST_MAX ? cost : DESCHED_COST_MAX);
}

/* False when the pod is spared; placement then says nothing. */
static bool is_worth_moving(struct desched_run *run, struct pod_id pod,
                            struct placement *placement) {
        const struct placement_predictor *predictor = run->moves.predictor;
        const struct pod_row *row = cluster_pod(run->cluster, pod);
        if (has_come_back(run, row))
                return desched_run_spare_refused(
                        run, pod, "pods of its owner came back to this node after eviction");
        if (run->moves.move_budget && !move_budget_take(run->moves.move_budget, slice_of(row->uid)))
                return desched_run_spare_refused(
                        run, pod, "not compared in this pass: too many scheduler questions");
        if (!predictor->place(predictor->context, pod, placement)) {
                placement->node = NODE_NONE; /* scheduled by another scheduler */
                return true;
        }
        if (!placement->is_placed)
                return desched_run_spare_compared(run, pod, "no node would take it");
        if (placement->node.index == row->node.index)
                return desched_run_spare_compared(run, pod,
                                                  "the scheduler would put it back on its node");
        if (placement->has_gain && placement->gain < needed_gain(run, pod))
                return desched_run_spare_compared(run, pod,
                                                  "no other node is better by the margin");
        return true;
}

static void note_move(struct desched_run *run, struct pod_id pod, struct node_id node) {
        const struct placement_predictor *predictor = run->moves.predictor;
        const struct pod_row *row = cluster_pod(run->cluster, pod);
        struct slice owner = controller_of(run->cluster, row);
        /* For a pod whose next node is unknown (of a cleaning rule, or of another scheduler) the
         * capacity counts as taken: its owner creates another pod, which needs a node. */
        if (!pod_row_is_finished(row) && !node_id_is_none(node))
                predictor->move(predictor->context, pod, node);
        if (run->is_mover && run->moves.returns && owner.len > 0 && !run->is_dry_run)
                return_memory_note(run->moves.returns, owner,
                                   cluster_node_name(run->cluster, row->node), run->now);
}

enum evict_outcome desched_run_evict(struct desched_run *run, struct pod_id pod,
                                     struct slice reason) {
        struct placement placement = { .node = NODE_NONE };
        if (!run->moves.predictor)
                return remove_pod(run, pod, reason, EVICT_WAY_EVICT);
        if (run->is_mover && !is_worth_moving(run, pod, &placement))
                return EVICT_NOT_BETTER;
        enum evict_outcome outcome = remove_pod(run, pod, reason, EVICT_WAY_EVICT);
        if (outcome == EVICT_DONE)
                note_move(run, pod, placement.node);
        return outcome;
}

void desched_run_drop_deviceless(const struct desched_run *run, struct pod_id pod,
                                 struct bitset *nodes) {
        if (run->device_judge)
                run->device_judge->narrow(run->device_judge->context, pod, nodes);
}

enum evict_outcome desched_run_delete(struct desched_run *run, struct pod_id pod,
                                      struct slice reason) {
        assert(pod_row_is_finished(cluster_pod(run->cluster, pod)));
        return remove_pod(run, pod, reason, EVICT_WAY_DELETE);
}

void desched_run_report(struct desched_run *run, struct pod_id pod, struct slice reason) {
        desched_run_ask(run, pod, reason, EVICT_WAY_REPORT);
}
