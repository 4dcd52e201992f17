/* Runs scenes of one scheduler plugin. */
#include "plugin_scene.h"
#include "base/util.h"
#include "plugin/pod_group.h"
#include "plugin/sched_attempt.h"
#include "plugins/sched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_MAX 4096

struct plugin_stage {
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct sched_profile *profile;
        struct json_doc *args;
        struct arena arena;
};

/* ---- objects ---- */

__attribute__((format(printf, 1, 2))) static struct json_doc *parse(const char *format, ...) {
        char text[TEXT_MAX];
        struct err err = { 0 };
        struct json_doc *doc = NULL;
        va_list args;
        va_start(args, format);
        int length = vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        assert_true(length > 0 && (size_t)length < sizeof(text));
        for (char *c = text; *c; c++)
                *c = *c == '\'' ? '"' : *c;
        if (json_parse(slice_of(text), &doc, &err) < 0)
                fail_msg("%s: %s", err.text, text);
        return doc;
}

static void apply(struct plugin_stage *stage, enum object_kind kind, struct json_doc *doc) {
        struct err err = { 0 };
        if (cluster_apply(stage->cluster, kind, CHANGE_ADDED, json_doc_root(doc), &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        json_doc_free(doc);
}

static const char *or_empty(const char *text) {
        return text ? text : "";
}

static void put_node(struct plugin_stage *stage, const struct plugin_node *node) {
        bool has_labels = node->labels && *node->labels;
        apply(stage, OBJECT_NODE,
              parse("{'metadata':{'name':'%s','labels':{'kubernetes.io/hostname':'%s'%s%s}},'spec':"
                    "{%s},'status':{%s}}",
                    node->name, node->name, has_labels ? "," : "", or_empty(node->labels),
                    or_empty(node->spec),
                    node->status ? node->status
                                 : "'allocatable':{'cpu':'4','memory':'8Gi','pods':'10'}"));
}

static void put_pod(struct plugin_stage *stage, const struct plugin_pod *pod, const char *node) {
        char place[128] = "";
        if (node)
                snprintf(place, sizeof(place), "'nodeName':'%s',", node);
        apply(stage, OBJECT_POD,
              parse("{'metadata':{'namespace':'%s','name':'%s','uid':'%s',%s%s'labels':{%s}},'spec'"
                    ":{%s"
                    "%s%s'containers':[{'name':'c'%s%s}]},'status':{'phase':'%s'%s%s}}",
                    pod->ns ? pod->ns : "default", pod->name, pod->name, or_empty(pod->meta),
                    pod->meta ? "," : "", or_empty(pod->labels), place, or_empty(pod->spec),
                    pod->spec && *pod->spec ? "," : "",
                    pod->container && *pod->container ? "," : "", or_empty(pod->container),
                    node ? "Running" : "Pending", pod->status ? "," : "", or_empty(pod->status)));
}

static void put_object(struct plugin_stage *stage, const char *text) {
        static const struct {
                const char *name;
                enum cached_kind kind;
        } kinds[] = {
                { "PersistentVolume", CACHED_VOLUME },
                { "PersistentVolumeClaim", CACHED_VOLUME_CLAIM },
                { "StorageClass", CACHED_STORAGE_CLASS },
                { "CSINode", CACHED_CSI_NODE },
                { "VolumeAttachment", CACHED_ATTACHMENT },
                { "ResourceClaim", CACHED_RESOURCE_CLAIM },
                { "ResourceSlice", CACHED_RESOURCE_SLICE },
                { "DeviceClass", CACHED_DEVICE_CLASS },
                { "DeviceTaintRule", CACHED_DEVICE_TAINT_RULE },
                { "Service", CACHED_SERVICE },
                { "PodGroup", CACHED_POD_GROUP },
        };
        struct json_doc *doc = parse("%s", text);
        struct slice kind = json_get_text(json_doc_root(doc), "kind");
        if (slice_is(kind, "Namespace") || slice_is(kind, "PodDisruptionBudget")) {
                apply(stage, slice_is(kind, "Namespace") ? OBJECT_NAMESPACE : OBJECT_BUDGET, doc);
                return;
        }
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
                if (slice_is(kind, kinds[i].name)) {
                        object_cache_put(stage->object_cache, kinds[i].kind, json_doc_root(doc));
                        json_doc_free(doc);
                        return;
                }
        fail_msg("no such kind: %s", text);
}

/* ---- the stage ---- */

/* A profile of the plugin and of what every profile needs; a negative code: err says why. */
static int stage_profile(struct plugin_stage *stage, const char *plugin, const char *args,
                         const struct plugin_case *row, struct err *err) {
        const struct slice all = SLICE_LITERAL("*");
        struct slice rest = slice_of(row ? or_empty(row->beside) : ""), beside[2], word;
        size_t count = 0;
        while (rest.len && count < ARRAY_LEN(beside) && slice_split(&rest, ' ', &word))
                beside[count++] = word;
        const struct plugin_choice enabled[] = { { count > 1 ? beside[0] : SLICE_EMPTY, 1 },
                                                 { count ? beside[count - 1] : SLICE_EMPTY, 1 },
                                                 { slice_of(plugin), 1 },
                                                 { SLICE_LITERAL("PrioritySort"), 0 },
                                                 { SLICE_LITERAL("DefaultBinder"), 0 } };
        struct sched_profile_spec spec = { 0 };
        struct profile_env env = { .registry = sched_registry,
                                   .object_cache = stage->object_cache,
                                   .cluster = stage->cluster,
                                   .is_parity = row && row->is_parity,
                                   .gates = row ? row->gates : 0 };
        bool is_extra = !slice_is(enabled[3].name, plugin) && !slice_is(enabled[4].name, plugin);
        size_t first = is_extra ? 2 - count : 3;
        spec.sets[POINT_MULTI] = (struct plugin_set){ .enabled = enabled + first,
                                                      .enabled_count = ARRAY_LEN(enabled) - first,
                                                      .disabled = &all,
                                                      .disabled_count = 1 };
        stage->args = parse("{%s}", or_empty(args));
        const struct plugin_args given = { slice_of(plugin), json_doc_root(stage->args) };
        spec.args = &given;
        spec.args_count = args ? 1 : 0;
        return sched_profile_new(&spec, &env, &stage->profile, err);
}

static void stage_init(struct plugin_stage *stage) {
        *stage = (struct plugin_stage){ .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                        .object_cache = object_cache_new() };
        arena_init(&stage->arena, 0);
}

static void stage_release(struct plugin_stage *stage) {
        sched_profile_free(stage->profile);
        json_doc_free(stage->args);
        object_cache_free(stage->object_cache);
        cluster_free(stage->cluster);
        arena_release(&stage->arena);
}

static void stage_fill(struct plugin_stage *stage, const struct plugin_case *row) {
        static const struct plugin_node standard[] = { { "n1" }, { "n2" } };
        struct plugin_pod pod = row->pod;
        pod.name = pod.name ? pod.name : "p";
        for (size_t i = 0; i < PLUGIN_OBJECTS_MAX && row->objects[i]; i++)
                put_object(stage, row->objects[i]);
        for (size_t i = 0; i < ARRAY_LEN(standard) && !row->nodes[0].name; i++)
                put_node(stage, &standard[i]);
        for (size_t i = 0; i < PLUGIN_NODES_MAX && row->nodes[i].name; i++)
                put_node(stage, &row->nodes[i]);
        for (size_t i = 0; i < PLUGIN_PODS_MAX && row->pods[i].name; i++)
                put_pod(stage, &row->pods[i], row->pods[i].node ? row->pods[i].node : "n1");
        put_pod(stage, &pod, NULL);
}

/* ---- what the plugin says ---- */

static void expect(const struct plugin_case *row, const char *what, const char *expected,
                   const char *found) {
        if (expected && strcmp(expected, found) != 0)
                fail_msg("%s: %s: \"%s\", not \"%s\"", row->name, what, found, expected);
}

static void append_word(struct buf *out, struct slice word) {
        if (out->len > 0)
                buf_char(out, ' ');
        buf_slice(out, word);
}

static void expect_reason(const struct plugin_case *row, const struct slice *reasons,
                          size_t count) {
        struct buf text = { 0 };
        if (count > 0)
                buf_slice(&text, reasons[0]);
        buf_char(&text, '\0');
        expect(row, "refused", row->refused ? row->refused : "", text.data);
        buf_release(&text);
}

/* Nodes that fit, in order; filter and explain have to agree. */
static size_t judge_nodes(struct plugin_stage *stage, struct sched_attempt *attempt,
                          const struct plugin_case *row, struct node_id *ret_fits) {
        const struct node_id *order = cluster_node_order(stage->cluster);
        struct bitset nodes = cluster_live_nodes(stage->cluster, &stage->arena);
        struct buf fits = { 0 }, why = { 0 };
        size_t count = 0;
        sched_attempt_filter(attempt, &nodes);
        for (size_t i = 0; i < cluster_node_count(stage->cluster); i++) {
                struct node_refusal refusal;
                bool is_restricted = attempt->only && !bitset_has(attempt->only, order[i].index);
                bool admits = sched_attempt_judge(attempt, order[i], &refusal) && !is_restricted;
                if (admits != bitset_has(&nodes, order[i].index))
                        fail_msg("%s: filter and explain disagree", row->name);
                if (admits) {
                        ret_fits[count++] = order[i];
                        append_word(&fits, cluster_node_name(stage->cluster, order[i]));
                } else if (why.len == 0 && !is_restricted && refusal.reason_count > 0) {
                        buf_slice(&why, refusal.reasons[0]);
                }
        }
        buf_char(&fits, '\0');
        buf_char(&why, '\0');
        expect(row, "fits", row->fits, fits.data);
        expect(row, "why", row->why, why.data);
        buf_release(&fits);
        buf_release(&why);
        return count;
}

static void expect_column(struct plugin_stage *stage, const struct plugin_case *row,
                          struct node_batch nodes, const struct score_column *column, bool is_raw) {
        const int64_t *scores = !column ? NULL : is_raw ? column->raw : column->weighted;
        struct buf text = { 0 };
        for (size_t i = 0; column && i < nodes.count; i++) {
                append_word(&text, cluster_node_name(stage->cluster, nodes.nodes[i]));
                buf_printf(&text, "=%lld", (long long)scores[i]);
        }
        if (!column)
                buf_text(&text, "skip");
        buf_char(&text, '\0');
        expect(row, is_raw ? "raw" : "scores", is_raw ? row->raw : row->scores, text.data);
        buf_release(&text);
}

static void score_nodes(struct plugin_stage *stage, struct sched_attempt *attempt,
                        const struct plugin_case *row, struct node_batch nodes) {
        struct attempt_scores scores;
        struct verdict verdict = { .code = VERDICT_OK };
        if (sched_attempt_score(attempt, nodes, true, &scores, &verdict) != VERDICT_OK)
                fail_msg("%s: scoring fails", row->name);
        const struct score_column *column = scores.column_count > 0 ? &scores.columns[0] : NULL;
        expect_column(stage, row, nodes, column, true);
        expect_column(stage, row, nodes, column, false);
}

/* ---- victims ---- */

static void append_victims(struct plugin_stage *stage, const struct preemption_candidate *chosen,
                           struct buf *out) {
        buf_slice(out, cluster_node_name(stage->cluster, chosen->node));
        buf_char(out, ':');
        for (size_t i = 0; i < chosen->victim_count; i++)
                append_word(out, slice_of(cluster_pod(stage->cluster, chosen->victims[i])->name));
}

static void find_victims(struct plugin_stage *stage, struct sched_attempt *attempt,
                         const struct plugin_case *row) {
        const struct node_id *order = cluster_node_order(stage->cluster);
        struct node_refusal refusals[PLUGIN_NODES_MAX];
        struct buf text = { 0 };
        attempt->refusal_count = 0;
        for (size_t i = 0; i < cluster_node_count(stage->cluster); i++)
                if (!sched_attempt_judge(attempt, order[i], &refusals[attempt->refusal_count]))
                        attempt->refusal_count++;
        attempt->refusals = refusals;
        sched_attempt_post_filter(attempt);
        if (attempt->preemption.chosen)
                append_victims(stage, attempt->preemption.chosen, &text);
        else
                buf_slice(&text, attempt->preemption.message);
        buf_char(&text, '\0');
        expect(row, "preempts", row->preempts, text.data);
        buf_release(&text);
}

/* ---- groups ---- */

static size_t find_members(struct plugin_stage *stage, const char *names, struct pod_id *ret_pods) {
        struct slice rest = slice_of(or_empty(names)), name;
        size_t count = 0;
        while (rest.len > 0 && slice_split(&rest, ' ', &name))
                ret_pods[count++] =
                        cluster_find_pod(stage->cluster, SLICE_LITERAL("default"), name);
        return count;
}

static void append_placements(struct plugin_stage *stage, const struct group_domain_list *list,
                              struct buf *out) {
        for (size_t i = 0; i < list->count; i++) {
                buf_text(out, i > 0 ? ", " : "");
                buf_slice(out, list->items[i].name);
                buf_char(out, ':');
                for (size_t n = 0; n < list->items[i].count; n++)
                        append_word(out,
                                    cluster_node_name(stage->cluster, list->items[i].nodes[n]));
        }
}

static void expect_placement_scores(const struct plugin_case *row, const char *what,
                                    const char *expected, const struct group_domain_list *list,
                                    const int64_t *scores) {
        struct buf text = { 0 };
        for (size_t i = 0; i < list->count; i++) {
                append_word(&text, list->items[i].name);
                buf_printf(&text, "=%lld", (long long)scores[i]);
        }
        buf_char(&text, '\0');
        expect(row, what, expected, text.data);
        buf_release(&text);
}

static void score_placements(struct plugin_stage *stage, const struct plugin_case *row,
                             const struct group_view *group, const struct group_domain_list *list) {
        const struct profile_point *point = &stage->profile->points[POINT_PLACEMENT_SCORE];
        int64_t scores[PLUGIN_NODES_MAX];
        assert_true(point->count == 1);
        const struct profile_plugin *plugin = &stage->profile->plugins[point->plugins[0]];
        const struct group_points *points = plugin->plugin->sched->groups;
        for (size_t i = 0; i < list->count; i++) {
                const struct group_domain_use use = { .placement = &list->items[i],
                                                      .pod_count = list->items[i].count };
                scores[i] = points->score_placement(group, plugin->state, &use);
        }
        expect_placement_scores(row, "placement_raw", row->placement_raw, list, scores);
        points->normalize_placements(scores, list->count);
        expect_placement_scores(row, "placement_scores", row->placement_scores, list, scores);
}

static void place_group(struct plugin_stage *stage, const struct plugin_case *row) {
        const struct profile_point *point = &stage->profile->points[POINT_PLACEMENT_GENERATE];
        struct pod_id members[PLUGIN_PODS_MAX];
        struct group_domain_list list = { 0 };
        struct verdict verdict = { .code = VERDICT_OK };
        struct buf text = { 0 };
        const struct group_view group = {
                .cluster = stage->cluster,
                .object_cache = stage->object_cache,
                .ns = SLICE_LITERAL("default"),
                .name = SLICE_LITERAL("g"),
                .object = pod_group_find(stage->object_cache, SLICE_LITERAL("default"),
                                         SLICE_LITERAL("g")),
                .placed_count = find_members(stage, row->members, members),
                .placed = members,
                .arena = &stage->arena,
        };
        assert_true(point->count == 1);
        const struct profile_plugin *plugin = &stage->profile->plugins[point->plugins[0]];
        if (plugin->plugin->sched->groups->generate_placements(&group, plugin->state, &list,
                                                               &verdict) == VERDICT_OK)
                append_placements(stage, &list, &text);
        else
                buf_slice(&text, verdict.reasons[0]);
        buf_char(&text, '\0');
        expect(row, "placements", row->placements, text.data);
        buf_release(&text);
        if (row->placement_raw || row->placement_scores)
                score_placements(stage, row, &group, &list);
}

/* ---- points ---- */

static void list_points(struct plugin_stage *stage, const char *name,
                        const struct plugin_case *row) {
        struct buf text = { 0 };
        for (int p = 0; p < POINT_COUNT; p++) {
                const struct profile_point *point = &stage->profile->points[p];
                for (size_t i = 0; i < point->count; i++)
                        if (slice_is(slice_of(stage->profile->plugins[point->plugins[i]]
                                                      .plugin->name),
                                     name))
                                append_word(&text, slice_of(sched_point_name((enum sched_point)p)));
        }
        buf_char(&text, '\0');
        expect(row, "points", row->points, text.data);
        buf_release(&text);
}

static void expect_variant(const struct sched_attempt *attempt, const struct plugin_case *row,
                           const char *name) {
        struct buf text = { 0 };
        for (size_t i = 0; i < attempt->profile->plugin_count; i++) {
                const struct plugin *plugin = attempt->profile->plugins[i].plugin;
                if (slice_is(slice_of(plugin->name), name))
                        buf_u64(&text,
                                plugin->sched->hints->variant(attempt->plugins[i].filter_state));
        }
        buf_char(&text, '\0');
        expect(row, "variant", row->variant, text.data);
        buf_release(&text);
}

static void stage_ask(struct plugin_stage *stage, const struct plugin_case *row,
                      const char *plugin) {
        struct sched_attempt attempt;
        struct phase_verdict gate;
        struct node_id fits[PLUGIN_NODES_MAX];
        struct pod_id pod =
                cluster_find_pod(stage->cluster, slice_of(row->pod.ns ? row->pod.ns : "default"),
                                 slice_of(row->pod.name ? row->pod.name : "p"));
        assert_false(pod_id_is_none(pod));
        sched_attempt_init(
                &attempt, &(struct attempt_request){ .cluster = stage->cluster,
                                                     .profile = stage->profile,
                                                     .pod = pod,
                                                     .node_name = slice_of(or_empty(row->pod.node)),
                                                     .now = { 1767225600 * NS_PER_S }, /* 2026 */
                                                     .arena = &stage->arena });
        if (sched_attempt_gate(&attempt, &gate)) {
                expect_reason(row, gate.reasons, gate.reason_count);
        } else if (sched_attempt_pre_filter(&attempt) != VERDICT_OK) {
                expect_reason(row, attempt.pre_filter.reasons, attempt.pre_filter.reason_count);
        } else {
                expect_reason(row, NULL, 0);
                if (row->variant)
                        expect_variant(&attempt, row, plugin);
                size_t count = judge_nodes(stage, &attempt, row, fits);
                if ((row->raw || row->scores) && count > 0)
                        score_nodes(stage, &attempt, row, (struct node_batch){ fits, count });
                if (row->preempts)
                        find_victims(stage, &attempt, row);
        }
        sched_attempt_release(&attempt);
}

void plugin_cases_run(const char *plugin, const struct plugin_case *cases, size_t count) {
        for (size_t i = 0; i < count; i++) {
                struct plugin_stage stage;
                struct err err = { 0 };
                stage_init(&stage);
                stage_fill(&stage, &cases[i]);
                if (stage_profile(&stage, plugin, cases[i].args, &cases[i], &err) < 0)
                        fail_msg("%s: %s", cases[i].name, err.text);
                stage_ask(&stage, &cases[i], plugin);
                if (cases[i].points)
                        list_points(&stage, plugin, &cases[i]);
                if (cases[i].placements)
                        place_group(&stage, &cases[i]);
                stage_release(&stage);
        }
}

void plugin_refusals_run(const char *plugin, const struct plugin_refusal *cases, size_t count) {
        for (size_t i = 0; i < count; i++) {
                struct plugin_stage stage;
                struct err err = { 0 };
                stage_init(&stage);
                int code = stage_profile(&stage, plugin, cases[i].args, NULL, &err);
                if ((code < 0) != (cases[i].problem != NULL))
                        fail_msg("%s: %s", cases[i].name, code < 0 ? err.text : "accepted");
                if (cases[i].problem && !strstr(err.text, cases[i].problem) &&
                    !strstr(err.path, cases[i].problem))
                        fail_msg("%s: %s %s", cases[i].name, err.path, err.text);
                stage_release(&stage);
        }
}

/* ---- as a program ---- */

static const struct plugin_suite *suite_of_program;

static void suite_cases(void **state) {
        (void)state;
        plugin_cases_run(suite_of_program->plugin, suite_of_program->cases,
                         suite_of_program->case_count);
}

static void suite_refusals(void **state) {
        (void)state;
        plugin_refusals_run(suite_of_program->plugin, suite_of_program->refusals,
                            suite_of_program->refusal_count);
}

int plugin_suite_main(const struct plugin_suite *suite) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(suite_cases),
                                            cmocka_unit_test(suite_refusals) };
        suite_of_program = suite;
        return cmocka_run_group_tests(tests, NULL, NULL);
}
