/* One pod through PreEnqueue, PreFilter and Filter. */
#include "plugin/sched_attempt.h"
#include "plugin/node_memo.h"
#include <assert.h>

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

static void sched_attempt_remember(struct sched_cycle *cycle, struct cycle_memory *memory) {
        cycle->memory = memory;
        if (!memory) {
                cycle->topologies = ARENA_NEW(cycle->scratch, struct topologies);
                cycle->topologies->arena = cycle->topologies->scratch = cycle->scratch;
                return;
        }
        cycle_memory_begin(memory, cycle->cluster);
        cycle->topologies = cycle_memory_topologies(memory);
        cycle->topologies->scratch = cycle->scratch;
        cycle->identity = identity_of(cycle);
}

/* Whether a nominee counts on its node while this pod is judged. */
static bool is_respected(const struct sched_attempt *attempt, struct pod_id nominee) {
        const struct pod_row *row = cluster_pod(attempt->cluster, nominee);
        return nominee.index != attempt->cycle.pod.index &&
               row->priority >= attempt->cycle.priority && node_id_is_none(row->node) &&
               row->nominated.index != 0;
}

/* A list of its own: what-ifs that put nominees on nodes change the model's. */
static void find_nominees(struct sched_attempt *attempt) {
        const struct cluster *cluster = attempt->cluster;
        struct arena *arena = attempt->cycle.scratch;
        const struct pod_id *pods;
        size_t count = cluster_nominated_pods(cluster, &pods);
        struct nominee *nominees = NULL;
        for (size_t i = 0; i < count; i++) {
                if (!is_respected(attempt, pods[i]))
                        continue;
                struct node_id node =
                        cluster_node_named(cluster, cluster_pod(cluster, pods[i])->nominated);
                if (node_id_is_none(node))
                        continue;
                if (!nominees)
                        nominees = ARENA_ARRAY(arena, struct nominee, count - i);
                nominees[attempt->nominee_count++] = (struct nominee){ pods[i], node, 0 };
        }
        attempt->nominees = nominees;
        if (!nominees)
                return;
        attempt->first_nominee = ARENA_ARRAY(arena, uint32_t, cluster_nodes(cluster)->count);
        for (size_t i = attempt->nominee_count; i-- > 0;) {
                uint32_t *first = &attempt->first_nominee[nominees[i].node.index];
                nominees[i].next = *first;
                *first = (uint32_t)i + 1;
        }
}

void sched_attempt_init(struct sched_attempt *attempt, const struct attempt_request *request) {
        const struct pod_row *row = cluster_pod(request->cluster, request->pod);
        *attempt = (struct sched_attempt){
                .cluster = request->cluster,
                .profile = request->profile,
                .now = request->now,
                .limit = request->limit,
                .no_preemption = request->no_preemption,
                .outlook = request->outlook,
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
                .is_parity = request->profile->is_parity,
                .shelf = request->profile->shelf,
        };
        sched_attempt_remember(&attempt->cycle, request->memory);
        attempt->plugins =
                ARENA_ARRAY(request->arena, struct attempt_plugin, request->profile->plugin_count);
        find_nominees(attempt);
        arena_init(&attempt->trial, 0);
}

void sched_attempt_release(struct sched_attempt *attempt) {
        arena_release(&attempt->trial);
}

static const struct slice *keep_reasons(struct arena *arena, const struct verdict *verdict) {
        return arena_copy(arena, verdict->reasons,
                          verdict->reason_count * sizeof(verdict->reasons[0]));
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
                        .reasons = keep_reasons(attempt->cycle.scratch, &verdict),
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
                .reasons = keep_reasons(attempt->cycle.scratch, verdict),
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

/* ---- Filter ---- */

static bool takes_part(const struct sched_attempt *attempt, size_t index) {
        return !attempt->plugins[index].filter_skips;
}

/* The plugins' word on one node, as the cluster is now. */
static bool explain_node(struct sched_attempt *attempt, struct node_id node,
                         struct node_refusal *ret_refusal) {
        const struct profile_point *point = &attempt->profile->points[POINT_FILTER];
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                const struct profile_plugin *plugin = &attempt->profile->plugins[index];
                struct verdict verdict; /* its reasons are not worth clearing */
                if (!takes_part(attempt, index) || (attempt->agreed >> index & 1) != 0)
                        continue;
                verdict.code = VERDICT_OK;
                verdict.reason_count = 0;
                int64_t since_ns = plugin_run_begin(attempt);
                plugin->plugin->sched->explain(&attempt->cycle, plugin->state,
                                               attempt->plugins[index].filter_state, node,
                                               &verdict);
                plugin_run_end(attempt, index, POINT_FILTER, verdict.code, since_ns);
                if (verdict.code == VERDICT_OK)
                        continue;
                *ret_refusal = (struct node_refusal){
                        .node = node,
                        .plugin = plugin->plugin,
                        .code = verdict.code,
                        .reason_count = verdict.reason_count,
                        .reasons = keep_reasons(attempt->cycle.scratch, &verdict),
                };
                return false;
        }
        return true;
}

static uint32_t first_nominee(const struct sched_attempt *attempt, struct node_id node) {
        return !attempt->first_nominee ? 0 : attempt->first_nominee[node.index];
}

/* Runs PreFilter again for plugins that count pods, into copies of their states. */
static void sched_attempt_recount(struct sched_attempt *attempt) {
        const struct profile_point *point = &attempt->profile->points[POINT_PRE_FILTER];
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                const struct profile_plugin *plugin = &attempt->profile->plugins[index];
                struct attempt_plugin *own = &attempt->plugins[index];
                if (!plugin->plugin->sched->counts_pods || own->filter_skips || !own->was_asked)
                        continue;
                struct verdict verdict = { .code = VERDICT_OK };
                const struct bitset *only = NULL;
                own->filter_skips = plugin->plugin->sched->pre_filter(
                                            &attempt->cycle, plugin->state, &own->filter_state,
                                            &only, &verdict) == VERDICT_SKIP;
        }
}

/* Copies a refusal out of the arena of what-ifs. */
static void keep_refusal(struct arena *arena, struct node_refusal *refusal) {
        struct slice *reasons = ARENA_ARRAY(arena, struct slice, refusal->reason_count);
        for (uint32_t i = 0; i < refusal->reason_count; i++)
                reasons[i] = arena_slice(arena, refusal->reasons[i]);
        refusal->reasons = reasons;
}

/* The states of the attempt while copies stand in for them. */
struct sched_attempt_trial {
        struct attempt_plugin copies[PROFILE_PLUGINS_MAX];
        struct attempt_plugin *saved;
        struct arena *scratch;
};

/* Takes counts anew into copies of the states; remembered ones are changed in place. */
static void trial_begin(struct sched_attempt_trial *trial, struct sched_attempt *attempt) {
        trial->saved = attempt->plugins;
        trial->scratch = attempt->cycle.scratch;
        memcpy(trial->copies, trial->saved,
               attempt->profile->plugin_count * sizeof(*trial->copies));
        attempt->plugins = trial->copies;
        attempt->cycle.scratch = &attempt->trial;
        sched_attempt_recount(attempt);
}

static void trial_end(struct sched_attempt_trial *trial, struct sched_attempt *attempt) {
        attempt->plugins = trial->saved;
        attempt->cycle.scratch = trial->scratch;
        arena_clear(&attempt->trial);
}

/* The plugins' word with their counts taken anew; what they compute is dropped again. */
static bool explain_changed(struct sched_attempt *attempt, struct node_id node,
                            struct node_refusal *ret_refusal) {
        struct sched_attempt_trial trial;
        trial_begin(&trial, attempt);
        bool fits = explain_node(attempt, node, ret_refusal);
        if (!fits)
                keep_refusal(trial.scratch, ret_refusal);
        trial_end(&trial, attempt);
        attempt->is_unsettled = attempt->cycle.memory;
        return fits;
}

void sched_attempt_settle(struct sched_attempt *attempt) {
        struct sched_attempt_trial trial;
        if (!attempt->is_unsettled)
                return;
        attempt->is_unsettled = false;
        trial_begin(&trial, attempt);
        trial_end(&trial, attempt);
}

/* Judges with the node's nominees added; those that are not there leave nothing to judge. */
static bool judge_with_nominees(struct sched_attempt *attempt, struct node_id node,
                                struct node_refusal *ret_refusal) {
        size_t added = 0;
        cluster_checkpoint(attempt->cluster);
        for (uint32_t i = first_nominee(attempt, node); i > 0; i = attempt->nominees[i - 1].next) {
                struct pod_id nominee = attempt->nominees[i - 1].pod;
                if (!is_respected(attempt, nominee))
                        continue;
                cluster_assume(attempt->cluster, nominee, node);
                added++;
        }
        bool fits = true;
        if (added > 0)
                fits = explain_changed(attempt, node, ret_refusal);
        cluster_rollback(attempt->cluster);
        return fits;
}

static bool has_nominees(const struct sched_attempt *attempt, struct node_id node) {
        return first_nominee(attempt, node) > 0;
}

static bool sched_attempt_judge_node(struct sched_attempt *attempt, struct node_id node,
                                     struct node_refusal *ret_refusal) {
        if (attempt->nominee_count > 0 && has_nominees(attempt, node) &&
            !judge_with_nominees(attempt, node, ret_refusal))
                return false;
        sched_attempt_settle(attempt);
        return explain_node(attempt, node, ret_refusal);
}

bool sched_attempt_judge(struct sched_attempt *attempt, struct node_id node,
                         struct node_refusal *ret_refusal) {
        if (node_memo_judged(attempt, node, ret_refusal))
                return ret_refusal->code == VERDICT_OK;
        bool fits = sched_attempt_judge_node(attempt, node, ret_refusal);
        node_memo_keep_judged(attempt, node, fits ? NULL : ret_refusal);
        return fits;
}

bool sched_attempt_judge_changed(struct sched_attempt *attempt, struct node_id node,
                                 struct node_refusal *ret_refusal) {
        if (attempt->nominee_count > 0 && has_nominees(attempt, node) &&
            !judge_with_nominees(attempt, node, ret_refusal))
                return false;
        return explain_changed(attempt, node, ret_refusal);
}

/* Whether a node is none of the set, or has room for the pod beside its nominees. */
static bool is_free(struct sched_attempt *attempt, struct node_id node,
                    const struct bitset *nodes) {
        struct node_refusal refusal;
        if (!bitset_has(nodes, node.index))
                return true;
        if (node_memo_judged(attempt, node, &refusal))
                return refusal.code == VERDICT_OK;
        bool fits = judge_with_nominees(attempt, node, &refusal);
        node_memo_keep_judged(attempt, node, fits ? NULL : &refusal);
        return fits;
}

/* Plugins to whom the pods of a node make no difference. */
static uint64_t plugins_without_pods(const struct sched_profile *profile) {
        uint64_t plugins = 0;
        for (size_t i = 0; i < profile->plugin_count; i++) {
                const struct sched_points *sched = profile->plugins[i].plugin->sched;
                if (sched->is_local && !sched->reads_node_pods)
                        plugins |= (uint64_t)1 << i;
        }
        return plugins;
}

void sched_attempt_drop_nominated(struct sched_attempt *attempt, struct bitset *nodes) {
        if (attempt->nominee_count == 0)
                return;
        node_memo_open(attempt);
        attempt->agreed = plugins_without_pods(attempt->profile);
        for (size_t i = 0; i < attempt->nominee_count; i++)
                if (!is_free(attempt, attempt->nominees[i].node, nodes))
                        bitset_remove(nodes, attempt->nominees[i].node.index);
        attempt->agreed = 0;
}

void sched_attempt_filter(struct sched_attempt *attempt, struct bitset *nodes) {
        if (attempt->only)
                bitset_and(nodes, attempt->only);
        sched_attempt_narrow(attempt, UINT64_MAX, nodes);
        sched_attempt_drop_nominated(attempt, nodes);
}

void sched_attempt_narrow(struct sched_attempt *attempt, uint64_t plugins, struct bitset *nodes) {
        const struct profile_point *point = &attempt->profile->points[POINT_FILTER];
        sched_attempt_settle(attempt);
        for (size_t i = 0; i < point->count; i++) {
                size_t index = point->plugins[i];
                const struct profile_plugin *plugin = &attempt->profile->plugins[index];
                if ((plugins >> index & 1) == 0 || !takes_part(attempt, index))
                        continue;
                int64_t since_ns = plugin_run_begin(attempt);
                plugin->plugin->sched->filter(&attempt->cycle, plugin->state,
                                              attempt->plugins[index].filter_state, nodes);
                plugin_run_end(attempt, index, POINT_FILTER, VERDICT_OK, since_ns);
        }
}
