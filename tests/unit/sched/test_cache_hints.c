/* Promises to the caches, plugin by plugin: on generated clusters a profile of one plugin decides
 * as a naive scan does; and each promise that is broken on purpose is found.
 *
 * BERTH_ORACLE_STEPS makes it longer. */
#include "oracle_world.h"
#include "plugin/count_cache.h"
#include "plugins/sched/spread_counts.h"
#include "sched_plugins.h"
#include "sched_test.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_DEFAULT 150
#define PLANTED_STEPS 2000 /* until the difference shows */
#define SEEDS 2
#define SEEDS_PLANTED 8 /* until a broken promise is found, as a rule by the first or second */

/* ---- plugins of the test ---- */

/* Something to score, so that the class engine takes part. */
static void flat_score(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                       struct node_batch batch, int64_t *ret_scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = batch.nodes[i].index % 3;
}

static const struct plugin plugin_flat = {
        .name = "Flat",
        .sched =
                &(const struct sched_points){
                        .score = flat_score,
                        .hints = &(const struct cache_hints){ .score = CACHE_SCOPE_NODE } },
};

/* Scores by the pods of a node, and normalises: right, but nothing the cache keeps. */
static void crowd_score(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                        struct node_batch batch, int64_t *ret_scores) {
        (void)state;
        (void)pod_state;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = cluster_nodes(cycle->cluster)->pod_count[batch.nodes[i].index];
}

static void crowd_normalize(const struct sched_cycle *cycle, const void *state,
                            const void *pod_state, struct node_batch feasible, int64_t *scores) {
        (void)cycle;
        (void)state;
        (void)pod_state;
        int64_t max = 1;
        for (size_t i = 0; i < feasible.count; i++)
                max = scores[i] > max ? scores[i] : max;
        for (size_t i = 0; i < feasible.count; i++)
                scores[i] = NODE_SCORE_MAX * scores[i] / max;
}

static const struct plugin plugin_crowd = {
        .name = "Crowd",
        .sched =
                &(const struct sched_points){
                        .score = crowd_score,
                        .normalize = crowd_normalize,
                        .hints = &(const struct cache_hints){ .score = CACHE_SCOPE_NODE_PODS } },
};

/* Looks at the pod's name, and in PreFilter at the pods of the cluster: no hints are right. */
static enum verdict_code odd_pre_filter(const struct sched_cycle *cycle, const void *state,
                                        void **ret_pod_state, const struct bitset **ret_only,
                                        struct verdict *verdict) {
        (void)state;
        (void)ret_only;
        (void)verdict;
        const struct node_table *nodes = cluster_nodes(cycle->cluster);
        uint64_t *hash = ARENA_NEW(cycle->scratch, uint64_t);
        *hash = slice_hash(slice_of(cycle->pod_name));
        for (size_t i = 0; i < nodes->count; i++)
                if (bitset_has(&nodes->live, i))
                        *hash += !pod_id_is_none(nodes->first_pod[i]);
        *ret_pod_state = hash;
        return VERDICT_OK;
}

static void odd_explain(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                        struct node_id node, struct verdict *verdict) {
        (void)cycle;
        (void)state;
        uint64_t hash = *(const uint64_t *)pod_state;
        if (hash % 4 == 0 || (hash + node.index) % 3 == 0)
                verdict_no(verdict, VERDICT_UNSCHEDULABLE, SLICE_LITERAL("an odd node"));
}

static const struct sched_points odd_points = { .pre_filter = odd_pre_filter,
                                                .explain = odd_explain };
static const struct plugin plugin_odd = { .name = "Odd", .sched = &odd_points };

/* ---- runs of one plugin ---- */

struct trial {
        const struct plugin *plugin; /* beside those every profile needs */
        const char *groups;          /* of pods: plain ones and those the plugin looks at */
        bool has_flat;               /* it scores nothing itself */
        bool is_planted;
};

struct trial_counts {
        uint64_t choices, mixed, varied;
};

static unsigned steps_wanted(unsigned fallback) {
        const char *text = getenv("BERTH_ORACLE_STEPS");
        return text ? (unsigned)strtoul(text, NULL, 10) : fallback;
}

static struct trial_counts trial_run(const struct trial *trial, uint64_t seed) {
        const struct plugin *registry[] = { trial->plugin,
                                            &plugin_flat,
                                            &plugin_priority_sort,
                                            &plugin_default_binder,
                                            &plugin_default_preemption,
                                            NULL };
        struct plugin_choice enabled[ARRAY_LEN(registry)];
        const struct slice all = SLICE_LITERAL("*");
        struct sched_profile_spec spec = { 0 };
        struct plugin_set *multi = &spec.sets[POINT_MULTI];
        *multi = (struct plugin_set){ .enabled = enabled, .disabled_count = 1, .disabled = &all };
        for (size_t i = 0; registry[i]; i++)
                if (registry[i] != &plugin_flat || trial->has_flat)
                        enabled[multi->enabled_count++] =
                                (struct plugin_choice){ slice_of(registry[i]->name), 1 };
        struct oracle_world world;
        oracle_world_init(&world, seed,
                          &(struct oracle_config){ .registry = registry,
                                                   .spec = &spec,
                                                   .groups = trial->groups,
                                                   .may_differ = trial->is_planted });
        oracle_world_run(&world, steps_wanted(trial->is_planted ? PLANTED_STEPS : STEPS_DEFAULT));
        struct trial_counts counts = { world.engine_choices, world.mixed, world.varied };
        oracle_world_release(&world);
        return counts;
}

/* ---- the promises as they are ---- */

enum reports { NOTHING = 0, REFUSES = 1, SCORES = 2, UNCACHED = 4 };

/* Every plugin that has hints, and what it tells apart in the generated clusters. */
static const struct promise {
        const struct plugin *plugin;
        const char *groups;
        int reports; /* enum tells */
} promises[] = {
        { &plugin_dynamic_resources, "pr", REFUSES },
        { &plugin_image_locality, "p", SCORES },
        { &plugin_inter_pod_affinity, "pa", REFUSES | SCORES },
        { &plugin_node_affinity, "pn", REFUSES | SCORES },
        { &plugin_node_balance, "p", SCORES },
        { &plugin_node_declared_features, "pf", REFUSES },
        { &plugin_node_name, "p", NOTHING }, /* looks at pods that are assigned */
        { &plugin_node_ports, "ph", REFUSES },
        { &plugin_node_resources_fit, "p", REFUSES | SCORES },
        { &plugin_node_unschedulable, "pt", REFUSES },
        { &plugin_node_volume_limits, "pv", REFUSES },
        { &plugin_pod_topology_spread, "ps", REFUSES | SCORES },
        { &plugin_taint_toleration, "pt", REFUSES | SCORES },
        { &plugin_volume_binding, "pv", REFUSES },
        { &plugin_volume_restrictions, "pv", REFUSES },
        { &plugin_volume_zone, "pv", REFUSES },
        { &plugin_odd, "p", REFUSES | UNCACHED }, /* without hints, and right */
        { &plugin_crowd, "p", SCORES | UNCACHED },
};

static void promises_hold(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(promises); i++) {
                const struct promise *promise = &promises[i];
                struct trial_counts sum = { 0 };
                struct trial trial = { .plugin = promise->plugin,
                                       .groups = promise->groups,
                                       .has_flat = (promise->reports & SCORES) == 0 };
                for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                        struct trial_counts counts = trial_run(&trial, seed);
                        sum.choices += counts.choices;
                        sum.mixed += counts.mixed;
                        sum.varied += counts.varied;
                }
                print_message("%s: %u choices from the cache, %u decisions refuse some nodes, %u "
                              "score them apart\n",
                              promise->plugin->name, (unsigned)sum.choices, (unsigned)sum.mixed,
                              (unsigned)sum.varied);
                if ((sum.choices == 0) != ((promise->reports & UNCACHED) != 0) ||
                    ((promise->reports & REFUSES) != 0 && sum.mixed == 0) ||
                    ((promise->reports & SCORES) != 0 && sum.varied == 0))
                        fail_msg("%s: the clusters do not tell", promise->plugin->name);
        }
}

/* Plugins that promise something and judge pods are in the table above. */
static void every_promise_is_tried(void **state) {
        (void)state;
        for (size_t i = 0; sched_registry[i]; i++) {
                const struct sched_points *points = sched_registry[i]->sched;
                bool is_tried = false;
                for (size_t j = 0; j < ARRAY_LEN(promises); j++)
                        is_tried = is_tried || promises[j].plugin == sched_registry[i];
                if (points->hints && (points->explain || points->score) && !is_tried)
                        fail_msg("%s: no run of its own", sched_registry[i]->name);
        }
}

/* ---- promises broken on purpose ---- */

/* One member of the hints, or of their counts, is another. */
enum broken {
        FILTER_SCOPE,
        SCORE_SCOPE,
        BOTH_SCOPES,
        FILTER_FINGERPRINT, /* is the same all the time */
        SCORE_FINGERPRINT,
        FILTER_NEWS, /* do not name the domains that changed */
        SCORE_NEWS,
        FILTER_UNIFORM, /* claimed of one of two rules */
        SCORE_LEAVES_OUT,
        SCORE_FEASIBLE, /* what joins and leaves goes unnoticed */
        SCORE_KIND,     /* without the rest */
};

static const struct planted {
        const struct plugin *plugin;
        const char *groups;
        enum broken broken;
        enum cache_scope scope; /* with a *_SCOPE */
} planted[] = {
        { &plugin_odd, "p", FILTER_SCOPE, CACHE_SCOPE_CLUSTER },
        { &plugin_odd, "p", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_odd, "p", FILTER_SCOPE, CACHE_SCOPE_VOLUMES },
        { &plugin_dynamic_resources, "pr", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_dynamic_resources, "pr", FILTER_SCOPE, CACHE_SCOPE_NODE_PODS },
        { &plugin_inter_pod_affinity, "pa", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_inter_pod_affinity, "pa", FILTER_SCOPE, CACHE_SCOPE_NODE_PODS },
        { &plugin_inter_pod_affinity, "pa", FILTER_SCOPE, CACHE_SCOPE_VOLUMES },
        { &plugin_inter_pod_affinity, "pa", SCORE_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_inter_pod_affinity, "pa", FILTER_FINGERPRINT, 0 },
        { &plugin_inter_pod_affinity, "pa", FILTER_NEWS, 0 },
        { &plugin_inter_pod_affinity, "pa", SCORE_NEWS, 0 },
        { &plugin_inter_pod_affinity, "pa", SCORE_KIND, 0 },
        { &plugin_node_balance, "p", SCORE_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_node_ports, "ph", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_node_resources_fit, "p", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_node_resources_fit, "p", SCORE_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_node_resources_fit, "p", BOTH_SCOPES, CACHE_SCOPE_NODE },
        { &plugin_node_volume_limits, "pv", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_node_volume_limits, "pv", FILTER_SCOPE, CACHE_SCOPE_NODE_PODS },
        { &plugin_pod_topology_spread, "ps", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_pod_topology_spread, "ps", FILTER_SCOPE, CACHE_SCOPE_NODE_PODS },
        { &plugin_pod_topology_spread, "ps", FILTER_SCOPE, CACHE_SCOPE_VOLUMES },
        { &plugin_pod_topology_spread, "ps", SCORE_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_pod_topology_spread, "ps", FILTER_FINGERPRINT, 0 },
        { &plugin_pod_topology_spread, "ps", SCORE_FINGERPRINT, 0 },
        { &plugin_pod_topology_spread, "ps", FILTER_NEWS, 0 },
        { &plugin_pod_topology_spread, "ps", SCORE_NEWS, 0 },
        { &plugin_pod_topology_spread, "ps", FILTER_UNIFORM, 0 },
        { &plugin_pod_topology_spread, "ps", SCORE_KIND, 0 },
        { &plugin_pod_topology_spread, "ps", SCORE_LEAVES_OUT, 0 },
        { &plugin_pod_topology_spread, "ps", SCORE_FEASIBLE, 0 },
        { &plugin_volume_binding, "pv", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_volume_binding, "pv", FILTER_SCOPE, CACHE_SCOPE_NODE_PODS },
        { &plugin_volume_restrictions, "pv", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_volume_restrictions, "pv", FILTER_SCOPE, CACHE_SCOPE_NODE_PODS },
        { &plugin_volume_restrictions, "pv", FILTER_SCOPE, CACHE_SCOPE_VOLUMES },
        { &plugin_volume_zone, "pv", FILTER_SCOPE, CACHE_SCOPE_NODE },
        { &plugin_volume_zone, "pv", FILTER_SCOPE, CACHE_SCOPE_NODE_PODS },
};

/* What the broken members stand in for. */
static struct count_hints filter_true, score_true;

static uint64_t filter_always_same(void *pod_state, const uint32_t *feasible) {
        filter_true.fingerprint(pod_state, feasible);
        return 1;
}

static uint64_t score_always_same(void *pod_state, const uint32_t *feasible) {
        score_true.fingerprint(pod_state, feasible); /* it may set weights */
        return 1;
}

static const struct count_entry *without_news(const struct count_entry *entry,
                                              struct count_entry *copy) {
        if (!entry)
                return NULL;
        *copy = *entry;
        copy->news.count = 0;
        return copy;
}

static const struct count_entry *filter_without_news(const void *pod_state) {
        static struct count_entry copy;
        return without_news(filter_true.entry(pod_state), &copy);
}

static const struct count_entry *score_without_news(const void *pod_state) {
        static struct count_entry copy;
        return without_news(score_true.entry(pod_state), &copy);
}

static const struct topology *uniform_of_first(const void *pod_state) {
        const struct spread_state *spread = pod_state;
        return spread->count == 0 ? NULL : spread->numbers->rules[0].topology;
}

static struct score_kind without_rest(const void *pod_state, struct node_id node) {
        return (struct score_kind){ score_true.kind(pod_state, node).domain, 0 };
}

static void unnoticed(const void *pod_state, struct node_id node, bool joins, uint32_t *feasible) {
        (void)pod_state;
        (void)node;
        (void)joins;
        (void)feasible;
}

static void break_counts(enum broken broken, struct count_hints *filter,
                         struct count_hints *score) {
        filter_true = *filter;
        score_true = *score;
        if (broken == FILTER_FINGERPRINT)
                filter->fingerprint = filter_always_same;
        else if (broken == SCORE_FINGERPRINT)
                score->fingerprint = score_always_same;
        else if (broken == FILTER_NEWS)
                filter->entry = filter_without_news;
        else if (broken == SCORE_NEWS)
                score->entry = score_without_news;
        else if (broken == FILTER_UNIFORM)
                filter->uniform = uniform_of_first;
        else if (broken == SCORE_KIND)
                score->kind = without_rest;
        else if (broken == SCORE_LEAVES_OUT)
                score->leaves_out = NULL;
        else if (broken == SCORE_FEASIBLE)
                score->feasible_changed = unnoticed;
}

/* Ends with ORACLE_DIFFERS, or by an assertion, where the promise is found out. */
static void run_planted(const struct planted *row, uint64_t seed) {
        struct plugin plugin = *row->plugin;
        struct sched_points points = *plugin.sched;
        struct cache_hints hints = points.hints ? *points.hints : (struct cache_hints){ 0 };
        struct count_hints filter = { 0 }, score = { 0 };
        if (hints.filter_counts)
                filter = *hints.filter_counts;
        if (hints.score_counts)
                score = *hints.score_counts;
        if (row->broken == FILTER_SCOPE || row->broken == BOTH_SCOPES)
                hints.filter = row->scope;
        if (row->broken == SCORE_SCOPE || row->broken == BOTH_SCOPES)
                hints.score = row->scope;
        break_counts(row->broken, &filter, &score);
        hints.filter_counts = &filter;
        hints.score_counts = &score;
        points.hints = &hints;
        plugin.sched = &points;
        trial_run(&(struct trial){ .plugin = &plugin,
                                   .groups = row->groups,
                                   .has_flat = !points.score,
                                   .is_planted = true },
                  seed);
}

static bool is_found(const struct planted *row, uint64_t seed) {
        int status = 0;
        fflush(stdout);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                freopen("/dev/null", "w", stdout);
                freopen("/dev/null", "w", stderr);
                run_planted(row, seed);
                _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        return (WIFEXITED(status) && WEXITSTATUS(status) == ORACLE_DIFFERS) ||
               (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void broken_promises_are_found(void **state) {
        size_t missed = 0;
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(planted); i++) {
                const struct planted *row = &planted[i];
                bool was_found = false;
                for (uint64_t seed = 1; seed <= SEEDS_PLANTED && !was_found; seed++)
                        was_found = is_found(row, seed);
                missed += !was_found;
                if (!was_found)
                        print_error("%s, promise %d, scope %d: nobody noticed\n", row->plugin->name,
                                    (int)row->broken, (int)row->scope);
        }
        assert_int_equal(missed, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_promise_is_tried),
                cmocka_unit_test(promises_hold),
                cmocka_unit_test(broken_promises_are_found),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
