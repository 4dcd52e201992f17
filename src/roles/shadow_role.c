/* Decides what another scheduler has just decided, and compares. */
#include "roles/shadow_role.h"

#include "api/json.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/util.h"
#include "model/cluster.h"
#include "pages/metrics.h"
#include "plugin/sched_profile.h"
#include "sched/decision.h"
#include <stdlib.h>
#include <string.h>

enum shadow_finding {
        SHADOW_SAME,         /* its node is among our best */
        SHADOW_LESS,         /* its node fits, another one is worth more */
        SHADOW_MISFIT,       /* its node is none of those we would take */
        SHADOW_ALSO_REFUSED, /* neither finds a node */
        SHADOW_WOULD_PLACE,  /* it found none, we do */
        SHADOW_FINDING_COUNT
};
static const struct {
        const char *name, *text;
} findings[SHADOW_FINDING_COUNT] = {
        [SHADOW_SAME] = { "same", "its node is among the best" },
        [SHADOW_LESS] = { "less", "its node fits, but another one scores higher" },
        [SHADOW_MISFIT] = { "misfit", "its node does not fit" },
        [SHADOW_ALSO_REFUSED] = { "alsoRefused", "no node found by either" },
        [SHADOW_WOULD_PLACE] = { "wouldPlace", "it found no node, but one fits" },
};

#define PLUGINS_MAX 16

struct shadow_role_difference {
        enum shadow_finding finding;
        struct wall_time at;
        char *pod, *node, *best, *reason; /* owned; NULL where they do not apply */
        bool has_totals;
        int64_t total, best_total;
        uint32_t plugin_count;
        struct difference_score {
                const char *plugin;
                int64_t score, best;
        } plugins[PLUGINS_MAX];
};

struct shadow_role {
        struct runtime *runtime;
        struct shadow_role_config config;
        struct arena scratch;
        uint64_t counts[SHADOW_FINDING_COUNT];
        uint64_t unseen; /* placed before they were seen waiting */
        uint64_t errors; /* we could not decide */
        int64_t gap_sum; /* of best totals over those of the nodes taken */
        bool is_ready, is_finished;
        struct shadow_role_difference *differences;
        size_t difference_count;
        struct metric *metric;
};

/* ---- what differs ---- */

static size_t position_of(const struct decision *decision, struct node_id node) {
        size_t at = 0;

        while (at < decision->feasible_count && decision->feasible[at].index != node.index)
                at++;
        return at;
}

static bool is_best(const struct decision *decision, struct node_id node) {
        for (size_t i = 0; i < decision->best_count; i++)
                if (decision->best[i].index == node.index)
                        return true;
        return decision->is_first_fit && position_of(decision, node) < decision->feasible_count;
}

static void keep_scores(struct shadow_role_difference *difference, const struct decision *decision,
                        size_t theirs, size_t ours) {
        difference->has_totals = true;
        difference->total = decision->totals[theirs];
        difference->best_total = decision->totals[ours];
        for (size_t i = 0; i < decision->column_count && i < PLUGINS_MAX; i++) {
                const struct score_column *column = &decision->columns[i];

                if (column->weighted[theirs] == column->weighted[ours])
                        continue;
                difference->plugins[difference->plugin_count++] =
                        (struct difference_score){ column->plugin->name, column->weighted[theirs],
                                                   column->weighted[ours] };
        }
}

/* Why we would not take a node. */
static char *reason_against(const struct decision *decision, struct node_id node) {
        struct buf text = { 0 };

        for (size_t i = 0; i < decision->refusal_count; i++) {
                const struct node_refusal *refusal = &decision->refusals[i];

                if (refusal->node.index != node.index)
                        continue;
                buf_text(&text, refusal->plugin ? refusal->plugin->name : "PreFilter");
                for (uint32_t r = 0; r < refusal->reason_count; r++) {
                        buf_text(&text, r == 0 ? ": " : ", ");
                        buf_slice(&text, refusal->reasons[r]);
                }
                return buf_take(&text, NULL);
        }
        return decision->message.len ? slice_dup(decision->message) : NULL;
}

static void keep_difference(struct shadow_role *role,
                            const struct shadow_role_difference *difference) {
        size_t size = (role->difference_count + 1) * sizeof(*difference);

        LOG(LOG_INFO, "ShadowDiffers", log_text("finding", findings[difference->finding].name),
            log_text("pod", difference->pod),
            log_text("node", difference->node ? difference->node : ""),
            log_text("best", difference->best ? difference->best : ""));
        role->differences = xrealloc(role->differences, size);
        role->differences[role->difference_count++] = *difference;
}

/* ---- judging ---- */

static void count_finding(struct shadow_role *role, enum shadow_finding finding) {
        uint64_t judged = 0;

        role->counts[finding]++;
        if (role->metric)
                metric_add(role->metric, (struct slice[]){ slice_of(findings[finding].name) }, 1);
        for (size_t i = 0; i < SHADOW_FINDING_COUNT; i++)
                judged += role->counts[i];
        if (role->is_finished || role->config.pods_max == 0 || judged < role->config.pods_max)
                return;
        role->is_finished = true;
        role->config.finished(role->config.context);
}

static enum shadow_finding shadow_role_find(const struct decision *decision, struct slice node_name,
                                            struct node_id node) {
        if (node_name.len == 0)
                return decision->outcome == DECISION_PLACED ? SHADOW_WOULD_PLACE
                                                            : SHADOW_ALSO_REFUSED;
        if (decision->outcome != DECISION_PLACED || node_id_is_none(node))
                return SHADOW_MISFIT;
        if (is_best(decision, node))
                return SHADOW_SAME;
        return position_of(decision, node) < decision->feasible_count ? SHADOW_LESS : SHADOW_MISFIT;
}

static struct shadow_role_difference shadow_role_describe(struct shadow_role *role,
                                                          struct pod_id pod, struct slice node_name,
                                                          enum shadow_finding finding,
                                                          const struct decision *decision) {
        const struct cluster *cluster = runtime_cluster(role->runtime);
        const struct pod_row *row = cluster_pod(cluster, pod);
        struct node_id node = cluster_find_node(cluster, node_name);
        struct shadow_role_difference difference = { .finding = finding,
                                                     .at = loop_wall(runtime_loop(role->runtime)),
                                                     .node = node_name.len ? slice_dup(node_name)
                                                                           : NULL };
        struct buf name = { 0 };

        buf_slice(&name, cluster_text(cluster, row->ns));
        buf_printf(&name, "/%s", row->name);
        difference.pod = buf_take(&name, NULL);
        if (decision->outcome == DECISION_PLACED)
                difference.best = slice_dup(cluster_node_name(cluster, decision->node));
        if (finding == SHADOW_MISFIT)
                difference.reason = reason_against(decision, node);
        else if (finding == SHADOW_LESS)
                keep_scores(&difference, decision, position_of(decision, node),
                            position_of(decision, decision->node));
        return difference;
}

static void shadow_role_judge(struct shadow_role *role, const struct sched_profile *profile,
                              struct pod_id pod, struct slice node_name) {
        struct cluster *cluster = runtime_cluster(role->runtime);
        struct decision_request request = { .pod = pod,
                                            .wants = DECIDE_VERDICTS | DECIDE_SCORES,
                                            .is_parity = role->config.is_parity,
                                            .now = loop_wall(runtime_loop(role->runtime)) };
        struct decision decision;
        struct shadow_role_difference difference;

        arena_clear(&role->scratch);
        scheduler_decide(cluster, profile, &request, &role->scratch, &decision);
        if (decision.outcome == DECISION_ERROR && !decision.has_no_nodes) {
                role->errors++;
                return;
        }
        enum shadow_finding finding =
                shadow_role_find(&decision, node_name, cluster_find_node(cluster, node_name));
        if (finding != SHADOW_SAME && finding != SHADOW_ALSO_REFUSED &&
            role->difference_count < SHADOW_DIFFERENCES_MAX) {
                difference = shadow_role_describe(role, pod, node_name, finding, &decision);
                keep_difference(role, &difference);
        }
        if (finding == SHADOW_LESS)
                role->gap_sum += decision.best_total -
                                 decision.totals[position_of(
                                         &decision, cluster_find_node(cluster, node_name))];
        count_finding(role, finding);
}

/* ---- watching ---- */

static const struct sched_profile *profile_of(const struct shadow_role *role, struct slice name) {
        for (size_t i = 0; i < role->config.profile_count; i++)
                if (slice_eq(role->config.profiles[i]->scheduler_name, name))
                        return role->config.profiles[i];
        return NULL;
}

/* Hash of a new word of refusal; 0: there is none. */
static uint64_t refusal_of(const struct json *object) {
        struct json_iter iter = json_iter(json_get(json_get(object, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), "PodScheduled") &&
                    slice_is(json_get_text(condition, "status"), "False") &&
                    slice_is(json_get_text(condition, "reason"), "Unschedulable"))
                        return cluster_failure_hash(json_get_text(condition, "reason"),
                                                    json_get_text(condition, "message"));
        return 0;
}

/* The model still is what the other scheduler decided on: the pod's news is not in it yet. */
static void on_arriving(void *self, enum object_kind kind, enum change_kind change,
                        struct arrival *arrival) {
        struct shadow_role *role = self;
        const struct cluster *cluster = runtime_cluster(role->runtime);
        struct slice node = arrival_node(arrival);

        if (kind != OBJECT_POD || change == CHANGE_REMOVED || !runtime_is_synced(role->runtime))
                return;
        struct pod_id pod =
                cluster_find_pod(cluster, arrival_namespace(arrival), arrival_name(arrival));
        if (pod_id_is_none(pod)) {
                role->unseen += node.len > 0;
                return;
        }
        const struct pod_row *row = cluster_pod(cluster, pod);
        if (!node_id_is_none(row->node) || pod_row_is_finished(row) ||
            (row->flags & POD_TERMINATING) != 0)
                return;
        const struct sched_profile *profile =
                profile_of(role, cluster_class(cluster, row->class)->spec.scheduler_name);
        uint64_t refusal = node.len ? 0 : refusal_of(arrival_value(arrival));
        if (profile && (node.len || (refusal && refusal != row->failure_hash)))
                shadow_role_judge(role, profile, pod, node);
}

/* Everything happens as it arrives; pods that come from here on are judged. */
static void on_changed(void *self) {
        struct shadow_role *role = self;

        if (role->is_ready || !runtime_is_synced(role->runtime))
                return;
        role->is_ready = true;
        LOG(LOG_INFO, "Ready", log_text("mode", "shadow"));
}

static void on_result(void *self, const struct action_result *result) {
        (void)self; /* nothing is ever asked for */
        (void)result;
}

static bool is_idle(const void *self) {
        (void)self;
        return true;
}

static void free_role(void *self) {
        struct shadow_role *role = self;

        for (size_t i = 0; i < role->difference_count; i++) {
                free(role->differences[i].pod);
                free(role->differences[i].node);
                free(role->differences[i].best);
                free(role->differences[i].reason);
        }
        free(role->differences);
        arena_release(&role->scratch);
        free(role);
}

struct shadow_role *shadow_role_add(struct runtime *runtime,
                                    const struct shadow_role_config *config) {
        struct shadow_role *role = xcalloc(1, sizeof(*role));

        role->runtime = runtime;
        role->config = *config;
        arena_init(&role->scratch, 0);
        if (config->metrics)
                role->metric = metrics_add(
                        config->metrics,
                        &(struct metric_config){
                                .name = "berth_shadow_pods_total",
                                .help = "Decisions of another scheduler, by what berth finds.",
                                .type = METRIC_COUNTER,
                                .labels = { "finding" } });
        for (size_t i = 0; role->metric && i < SHADOW_FINDING_COUNT; i++)
                metric_add(role->metric, (struct slice[]){ slice_of(findings[i].name) }, 0);
        runtime_add_role(runtime, &(struct role){ .name = "shadow",
                                                  .self = role,
                                                  .arriving = on_arriving,
                                                  .changed = on_changed,
                                                  .result = on_result,
                                                  .is_idle = is_idle,
                                                  .free = free_role });
        return role;
}

/* ---- reporting ---- */

static uint64_t placed_count(const struct shadow_role *role) {
        return role->counts[SHADOW_SAME] + role->counts[SHADOW_LESS] + role->counts[SHADOW_MISFIT];
}

static double shadow_role_agreement(const struct shadow_role *role) {
        uint64_t placed = placed_count(role);

        return placed ? (double)role->counts[SHADOW_SAME] / (double)placed : 1;
}

static void put_if(struct json_tree *tree, struct json_node *object, const char *name,
                   const char *text) {
        if (text)
                node_put_string(tree, object, name, text);
}

static struct json_node *difference_value(struct json_tree *tree,
                                          const struct shadow_role_difference *difference) {
        struct json_node *value = node_object(tree), *plugins = node_array(tree);
        char at[WALL_TIME_TEXT_MAX];

        wall_time_format(difference->at, at);
        node_put_string(tree, value, "at", at);
        node_put_string(tree, value, "pod", difference->pod);
        node_put_string(tree, value, "finding", findings[difference->finding].name);
        put_if(tree, value, "node", difference->node);
        put_if(tree, value, "best", difference->best);
        put_if(tree, value, "reason", difference->reason);
        if (!difference->has_totals)
                return value;
        node_put_i64(tree, value, "total", difference->total);
        node_put_i64(tree, value, "bestTotal", difference->best_total);
        for (uint32_t i = 0; i < difference->plugin_count; i++) {
                struct json_node *plugin = node_object(tree);

                node_put_string(tree, plugin, "plugin", difference->plugins[i].plugin);
                node_put_i64(tree, plugin, "score", difference->plugins[i].score);
                node_put_i64(tree, plugin, "best", difference->plugins[i].best);
                node_append(plugins, plugin);
        }
        node_put(tree, value, "plugins", plugins);
        return value;
}

struct json_node *shadow_role_report(const struct shadow_role *role, struct json_tree *tree) {
        struct json_node *report = node_object(tree), *list = node_array(tree);

        node_put(tree, report, "agreement", node_f64(tree, shadow_role_agreement(role)));
        node_put_i64(tree, report, "placed", (int64_t)placed_count(role));
        for (size_t i = 0; i < SHADOW_FINDING_COUNT; i++)
                node_put_i64(tree, report, findings[i].name, (int64_t)role->counts[i]);
        node_put_i64(tree, report, "unseen", (int64_t)role->unseen);
        node_put_i64(tree, report, "errors", (int64_t)role->errors);
        node_put_i64(tree, report, "scoreGap", role->gap_sum);
        for (size_t i = 0; i < role->difference_count; i++)
                node_append(list, difference_value(tree, &role->differences[i]));
        node_put(tree, report, "differences", list);
        return report;
}

static void print_difference(const struct shadow_role_difference *difference, struct buf *out) {
        buf_printf(out, "  %s: %s", difference->pod, findings[difference->finding].text);
        if (difference->node)
                buf_printf(out, "; it chose %s", difference->node);
        if (difference->has_totals)
                buf_printf(out, " (%lld)", (long long)difference->total);
        if (difference->best)
                buf_printf(out, "; best %s", difference->best);
        if (difference->has_totals)
                buf_printf(out, " (%lld)", (long long)difference->best_total);
        if (difference->reason)
                buf_printf(out, "; %s", difference->reason);
        for (uint32_t i = 0; i < difference->plugin_count; i++)
                buf_printf(out, "%s%s %lld against %lld", i == 0 ? "; " : ", ",
                           difference->plugins[i].plugin, (long long)difference->plugins[i].score,
                           (long long)difference->plugins[i].best);
        buf_char(out, '\n');
}

void shadow_role_print(const struct shadow_role *role, struct buf *out) {
        buf_printf(out, "%llu placed by the other scheduler, %.2f %% of them on a best node\n",
                   (unsigned long long)placed_count(role), 100 * shadow_role_agreement(role));
        for (size_t i = 0; i < SHADOW_FINDING_COUNT; i++)
                buf_printf(out, "%8llu  %s\n", (unsigned long long)role->counts[i],
                           findings[i].text);
        if (role->unseen)
                buf_printf(out, "%8llu  placed before they were seen, not judged\n",
                           (unsigned long long)role->unseen);
        if (role->errors)
                buf_printf(out, "%8llu  could not be decided\n", (unsigned long long)role->errors);
        if (role->difference_count)
                buf_text(out, "differences\n");
        for (size_t i = 0; i < role->difference_count; i++)
                print_difference(&role->differences[i], out);
}
