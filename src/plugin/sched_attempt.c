/* One pod through PreEnqueue and PreFilter. */
#include "plugin/sched_attempt_priv.h"

/* All of the pod that other pods' terms and its own can look at.  Ids of strings may change their
 * meaning, and with them the order of labels. */
static uint64_t identity_of(const struct sched_cycle *cycle) {
        const struct label_pair *pairs;
        size_t count = cluster_label_pairs(cycle->cluster, cycle->labels, &pairs);
        uint64_t hash = slice_hash(cluster_text(cycle->cluster, cycle->ns));
        hash = hash_bytes(&cycle->class->shape_hash, sizeof(cycle->class->shape_hash), hash);
        for (size_t i = 0; i < count; i++) {
                uint64_t pair[] = { slice_hash(cluster_text(cycle->cluster, pairs[i].key)),
                                    slice_hash(cluster_text(cycle->cluster, pairs[i].value)) };
                hash += hash_bytes(pair, sizeof(pair), 0);
        }
        return hash;
}

static void sched_attempt_remember(struct sched_cycle *cycle, struct count_cache *counts) {
        cycle->counts = counts;
        if (!counts) {
                cycle->topologies = ARENA_NEW(cycle->scratch, struct topologies);
                cycle->topologies->arena = cycle->topologies->scratch = cycle->scratch;
                return;
        }
        count_cache_begin(counts, cycle->cluster);
        cycle->topologies = count_cache_topologies(counts);
        cycle->topologies->scratch = cycle->scratch;
        cycle->identity = identity_of(cycle);
}

void sched_attempt_init(struct sched_attempt *attempt, const struct attempt_request *request) {
        const struct pod_row *row = cluster_pod(request->cluster, request->pod);
        *attempt = (struct sched_attempt){
                .cluster = request->cluster,
                .profile = request->profile,
                .now = request->now,
                .limit = request->limit,
                .no_preemption = request->no_preemption,
                .is_of_idle_group = request->is_of_idle_group,
                .expected_times = request->expected_times,
                .watch = request->watch,
        };
        attempt->cycle = (struct sched_cycle){
                .cluster = request->cluster,
                .pod = request->pod,
                .class = cluster_class(request->cluster, row->class),
                .labels = row->labels,
                .ns = row->ns,
                .priority = row->priority,
                .pod_name = row->name,
                .node_name = request->node_name,
                .scratch = request->arena,
                .now = request->now,
                .is_parity = request->profile->is_parity,
                .object_cache = request->profile->object_cache,
        };
        sched_attempt_remember(&attempt->cycle, request->counts);
        attempt->plugins =
                ARENA_ARRAY(request->arena, struct attempt_plugin, request->profile->plugin_count);
        sched_attempt_find_nominees(attempt);
        arena_init(&attempt->trial, 0);
}

void sched_attempt_release(struct sched_attempt *attempt) {
        arena_release(&attempt->trial);
}

bool sched_attempt_gate(struct sched_attempt *attempt, struct phase_verdict *ret_gate) {
        const struct profile_point *point = &attempt->profile->points[POINT_PRE_ENQUEUE];
        for (size_t i = 0; i < point->count; i++) {
                const struct profile_plugin *plugin = &attempt->profile->plugins[point->plugins[i]];
                struct verdict verdict = { .code = VERDICT_OK };
                if (!plugin->plugin->sched->pre_enqueue)
                        continue;
                plugin->plugin->sched->pre_enqueue(&attempt->cycle, plugin->state, &verdict);
                if (verdict.code == VERDICT_OK)
                        continue;
                *ret_gate = (struct phase_verdict){
                        .plugin = plugin->plugin,
                        .code = verdict.code,
                        .reason_count = verdict.reason_count,
                        .reasons = copy_reasons(attempt->cycle.scratch, &verdict),
                };
                return true;
        }
        return false;
}

/* ---- PreFilter ---- */

struct restriction {
        struct buf names;    /* of the plugins that restricted, with spaces between */
        struct bitset nodes; /* what all of them leave */
        size_t count;
};

static void restrict_to(struct sched_attempt *attempt, size_t plugin, const struct bitset *only,
                        struct restriction *restriction) {
        struct arena *arena = attempt->cycle.scratch;
        if (restriction->count++ == 0) {
                restriction->nodes = bitset_in_arena(arena, only->bits);
                bitset_or(&restriction->nodes, only);
        } else {
                bitset_and(&restriction->nodes, only);
                buf_char(&restriction->names, ' ');
        }
        buf_text(&restriction->names, attempt->profile->plugins[plugin].plugin->name);
        attempt->restrictors |= (uint64_t)1 << plugin;
        attempt->only = &restriction->nodes;
}

static void sched_attempt_record(struct sched_attempt *attempt, const struct plugin *plugin,
                                 enum verdict_code code, const struct verdict *verdict,
                                 const struct bitset *only) {
        attempt->pre_filters[attempt->pre_filter_count++] = (struct phase_verdict){
                .plugin = plugin,
                .code = code,
                .reason_count = verdict->reason_count,
                .reasons = copy_reasons(attempt->cycle.scratch, verdict),
                .only = only,
        };
}

/* Asks one plugin; false ends the phase. */
static bool ask_pre_filter(struct sched_attempt *attempt, size_t index,
                           struct restriction *restriction) {
        const struct profile_plugin *plugin = &attempt->profile->plugins[index];
        struct attempt_plugin *own = &attempt->plugins[index];
        struct verdict verdict = { .code = VERDICT_OK };
        const struct bitset *only = NULL;
        if (!plugin->plugin->sched->pre_filter)
                return true;
        int64_t since_ns = plugin_run_begin(attempt);
        enum verdict_code code = plugin->plugin->sched->pre_filter(
                &attempt->cycle, plugin->state, &own->filter_state, &only, &verdict);
        plugin_run_end(attempt, index, POINT_PRE_FILTER, code, since_ns);
        own->was_asked = true;
        own->filter_skips = code == VERDICT_SKIP;
        sched_attempt_record(attempt, plugin->plugin, code, &verdict, only);
        if (code == VERDICT_OK && only)
                restrict_to(attempt, index, only, restriction);
        if (code == VERDICT_OK || code == VERDICT_SKIP)
                return true;
        attempt->pre_filter = verdict;
        attempt->pre_filter.code = code;
        attempt->pre_filter_plugin = plugin->plugin;
        return code == VERDICT_UNSCHEDULABLE;
}

/* Restrictions that leave nothing in common refuse the pod. */
static bool is_contradictory(struct sched_attempt *attempt, const struct restriction *restriction) {
        if (restriction->count < 2 || !bitset_is_empty(&restriction->nodes))
                return false;
        attempt->pre_filter = (struct verdict){ .code = VERDICT_OK };
        verdict_no(&attempt->pre_filter, VERDICT_UNRESOLVABLE,
                   slice_of(arena_printf(attempt->cycle.scratch,
                                         "node(s) didn't satisfy plugin(s) [%s] simultaneously",
                                         restriction->names.data)));
        return true;
}

enum verdict_code sched_attempt_pre_filter(struct sched_attempt *attempt) {
        const struct profile_point *point = &attempt->profile->points[POINT_PRE_FILTER];
        struct arena *arena = attempt->cycle.scratch;
        struct restriction *restriction = ARENA_NEW(arena, struct restriction);
        attempt->pre_filters = ARENA_ARRAY(arena, struct phase_verdict, point->count);
        for (size_t i = 0; i < point->count; i++)
                if (!ask_pre_filter(attempt, point->plugins[i], restriction) ||
                    is_contradictory(attempt, restriction))
                        break;
        if (restriction->count > 0) {
                struct slice reason = slice_of(arena_printf(
                        arena, "node(s) didn't satisfy plugin(s) [%s]", restriction->names.data));
                attempt->absent_reason = arena_copy(arena, &reason, sizeof(reason));
        }
        buf_release(&restriction->names);
        return attempt->pre_filter.code;
}
