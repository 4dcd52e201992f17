/* What scoring plugins say of a node, by hand: constants, signs and weights in their formulas
 * matter as much as the direction. */
#include "base/util.h"
#include "config/document.h"
#include "model/cluster.h"
#include "plugin/sched_attempt.h"
#include "plugin/sched_profile_list.h"
#include "plugins/sched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SKIPPED INT64_C(-1) /* the plugin has nothing to say */

/* ---- a cluster with one pod to be placed, and the plugins as a configuration has them ---- */

__attribute__((format(printf, 3, 4))) static void put(struct cluster *cluster,
                                                      enum object_kind kind, const char *format,
                                                      ...) {
        char text[2048];
        struct json_doc *doc = NULL;
        va_list args;
        va_start(args, format);
        int length = vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        assert_true(length > 0 && (size_t)length < sizeof(text));
        for (char *c = text; *c; c++)
                if (*c == '\'')
                        *c = '"';
        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        assert_int_equal(cluster_apply(cluster, kind, CHANGE_ADDED, json_doc_root(doc), NULL), 0);
        json_doc_free(doc);
}

/* The raw score of the pod "p" on a node. */
static int64_t score_of(struct cluster *cluster, const struct sched_profile *profile,
                        const char *plugin, const char *node_name) {
        CLEANUP(arena_release) struct arena scratch;
        arena_init(&scratch, 0);
        struct node_id node = cluster_find_node(cluster, slice_of(node_name));
        const struct attempt_request request = {
                .cluster = cluster,
                .profile = profile,
                .pod = cluster_find_pod(cluster, SLICE_LITERAL("d"), SLICE_LITERAL("p")),
                .arena = &scratch,
        };
        struct sched_attempt attempt;
        struct attempt_scores scores;
        struct verdict verdict = { 0 };
        int64_t score = SKIPPED;
        sched_attempt_init(&attempt, &request);
        sched_attempt_pre_filter(&attempt);
        sched_attempt_score(&attempt, (struct node_batch){ &node, 1 }, true, &scores, &verdict);
        for (size_t i = 0; i < scores.column_count; i++)
                if (strcmp(scores.columns[i].plugin->name, plugin) == 0)
                        score = scores.columns[i].raw[0];
        sched_attempt_release(&attempt);
        return score;
}

struct plugins {
        struct scheduler_configuration *configuration;
        struct sched_profile_list list;
};

static struct plugins plugins_of(const char *plugin_config) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                 "profiles:\n- schedulerName: x\n%s",
                 plugin_config);
        struct config_problems *problems = config_problems_new();
        struct profile_env env = { .registry = sched_registry };
        struct plugins plugins = { 0 };
        struct err err = { 0 };
        plugins.configuration = scheduler_configuration_read(slice_of(text), "test", problems);
        assert_int_equal(config_problems_to_err(problems, &err), 0);
        config_problems_free(problems);
        if (sched_profile_list_init(&plugins.list, plugins.configuration, &env, &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        return plugins;
}

static void plugins_release(struct plugins *plugins) {
        sched_profile_list_release(&plugins->list);
        scheduler_configuration_free(plugins->configuration);
}

/* ---- ImageLocality ---- */

#define HELD(name, bytes) "{'names':['" name "'],'sizeBytes':" bytes "}"

/* Of two nodes n1 is scored; what n2 holds makes an image more common. */
static const struct image_case {
        const char *name, *n1, *n2; /* status.images */
        const char *pod;            /* members of the spec */
        int64_t score;
} image_cases[] = {
        /* 100 * (511.5 Mi - 23 Mi) / (1000 Mi - 23 Mi) is 50 exactly. */
        { "half way", HELD("a:1", "536346624"), HELD("a:1", "1"),
          "'containers':[{'name':'c','image':'a:1'}]", 50 },
        { "a byte less", HELD("a:1", "536346623"), HELD("a:1", "1"),
          "'containers':[{'name':'c','image':'a:1'}]", 49 },
        { "on half of the nodes it is worth half", HELD("a:1", "1072693248"), "",
          "'containers':[{'name':'c','image':'a:1'}]", 50 },
        { "elsewhere only", "", HELD("a:1", "1072693248"),
          "'containers':[{'name':'c','image':'a:1'}]", 0 },
        { "up to 23 Mi nothing", HELD("a:1", "24117248"), HELD("a:1", "1"),
          "'containers':[{'name':'c','image':'a:1'}]", 0 },
        { "from 1000 Mi on everything", HELD("a:1", "1048576000"), HELD("a:1", "1"),
          "'containers':[{'name':'c','image':'a:1'}]", 100 },
        { "more is not more", HELD("a:1", "9000000000"), HELD("a:1", "1"),
          "'containers':[{'name':'c','image':'a:1'}]", 100 },
        /* (1000 - 23) of (2 * 1000 - 23) */
        { "one of two containers", HELD("a:1", "1048576000"), HELD("a:1", "1"),
          "'containers':[{'name':'c','image':'a:1'},{'name':'d','image':'b:1'}]", 49 },
        { "both containers", HELD("a:1", "1048576000") "," HELD("b:1", "1048576000"),
          HELD("a:1", "1") "," HELD("b:1", "1"),
          "'containers':[{'name':'c','image':'a:1'},{'name':'d','image':'b:1'}]", 100 },
        { "init containers count", HELD("a:1", "1048576000"), HELD("a:1", "1"),
          "'initContainers':[{'name':'i','image':'a:1'}],'containers':[{'name':'c','image':'b:1'}]",
          49 },
        { "images of volumes count, without a share of their own", HELD("a:1", "1048576000"),
          HELD("a:1", "1"),
          "'volumes':[{'name':'v','image':{'reference':'a:1'}}],'containers':[{'name':'c','image':"
          "'b:1'}]",
          100 },
        { "no tag is latest", HELD("a:latest", "1048576000"), HELD("a:latest", "1"),
          "'containers':[{'name':'c','image':'a'}]", 100 },
        { "a port is no tag", HELD("h:5000/a:latest", "1048576000"), HELD("h:5000/a:latest", "1"),
          "'containers':[{'name':'c','image':'h:5000/a'}]", 100 },
        { "a digest is a name", HELD("a@sha256:0", "1048576000"), HELD("a@sha256:0", "1"),
          "'containers':[{'name':'c','image':'a@sha256:0'}]", 100 },
        { "unknown", HELD("a:1", "1048576000"), "", "'containers':[{'name':'c','image':'a:2'}]",
          0 },
};

static void test_image_locality(void **state) {
        (void)state;
        struct plugins plugins = plugins_of("");
        for (size_t i = 0; i < ARRAY_LEN(image_cases); i++) {
                const struct image_case *row = &image_cases[i];
                struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
                put(cluster, OBJECT_NODE, "{'metadata':{'name':'n1'},'status':{'images':[%s]}}",
                    row->n1);
                put(cluster, OBJECT_NODE, "{'metadata':{'name':'n2'},'status':{'images':[%s]}}",
                    row->n2);
                put(cluster, OBJECT_POD,
                    "{'metadata':{'namespace':'d','name':'p','uid':'u'},'spec':{%s}}", row->pod);
                int64_t score = score_of(cluster, plugins.list.items[0], "ImageLocality", "n1");
                if (score != row->score)
                        fail_msg("%s: %d", row->name, (int)score);
                cluster_free(cluster);
        }
        plugins_release(&plugins);
}

/* ---- NodeResourcesBalancedAllocation ---- */

#define THREE                                                                                      \
        "  pluginConfig:\n"                                                                        \
        "  - name: NodeResourcesBalancedAllocation\n"                                              \
        "    args: {resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}, "               \
        "{name: a/b, weight: 1}]}\n"

/* The node has 1000m, 1000 bytes and 1000 a/b. */
static const struct balance_case {
        const char *name, *config;
        const char *used, *asked; /* requests of a pod there, of the pod to be placed */
        int64_t score;
} balance_cases[] = {
        { "even stays even", "", "'cpu':'0'", "'cpu':'500m','memory':'500'", 75 },
        /* 75 after, 100 before: 50 + (50 + 75 - 100) / 2 */
        { "only processors", "", "'cpu':'0'", "'cpu':'500m'", 62 },
        { "all processors", "", "'cpu':'0'", "'cpu':'1'", 50 },
        /* 100 after, 75 before */
        { "evens it out", "", "'cpu':'500m'", "'memory':'500'", 87 },
        { "more than there is counts as full", "", "'cpu':'0'", "'cpu':'3','memory':'1000'", 75 },
        { "asks nothing", "", "'cpu':'500m'", "'a/b':'1'", SKIPPED },
        /* 0.9, 0.1, 0.5: the mean of squares of their distances is 0.32 / 3, the score 67 */
        { "three resources", THREE, "'cpu':'0'", "'cpu':'900m','memory':'100','a/b':'500'", 58 },
        { "a third nobody asks for is left out", THREE, "'a/b':'1000'", "'cpu':'500m'", 62 },
};

static void check_cases(const char *plugin, const struct balance_case *cases, size_t count) {
        for (size_t i = 0; i < count; i++) {
                const struct balance_case *row = &cases[i];
                struct plugins plugins = plugins_of(row->config);
                struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
                put(cluster, OBJECT_NODE,
                    "{'metadata':{'name':'n1'},'status':{'allocatable':{'cpu':'1','memory':'1000',"
                    "'a/b':'1000','pods':'9'}}}");
                put(cluster, OBJECT_POD,
                    "{'metadata':{'namespace':'d','name':'q','uid':'q'},'spec':{'nodeName':'n1',"
                    "'containers':[{'name':'c','resources':{'requests':{%s}}}]},'status':{'phase':"
                    "'Running'}}",
                    row->used);
                put(cluster, OBJECT_POD,
                    "{'metadata':{'namespace':'d','name':'p','uid':'p'},'spec':{'containers':[{"
                    "'name':'c','resources':{'requests':{%s}}}]}}",
                    row->asked);
                int64_t score = score_of(cluster, plugins.list.items[0], plugin, "n1");
                if (score != row->score)
                        fail_msg("%s: %d", row->name, (int)score);
                cluster_free(cluster);
                plugins_release(&plugins);
        }
}

static void test_node_balance(void **state) {
        (void)state;
        check_cases("NodeResourcesBalancedAllocation", balance_cases, ARRAY_LEN(balance_cases));
}

/* ---- NodeResourcesFit, least allocated ---- */

#define FIT(resources)                                                                             \
        "  pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: {type: "         \
        "LeastAllocated, resources: [" resources "]}}\n"

/* Without them a container counts as using what upstream takes for granted. */
#define UNUSED "'cpu':'0','memory':'0'"

static const struct balance_case fit_cases[] = {
        { "cpu and memory", "", UNUSED, "'cpu':'500m','memory':'250'", 62 },
        { "what runs counts", "", "'cpu':'250m','memory':'0'", "'cpu':'500m','memory':'250'", 50 },
        { "one resource, the first the pod asks for", FIT("{name: a/b, weight: 1}"), UNUSED,
          "'a/b':'400'", 60 },
        { "by weight", FIT("{name: a/b, weight: 3}, {name: cpu, weight: 1}"), UNUSED,
          "'cpu':'1','a/b':'200'", 60 },
        { "one the pod does not ask for", FIT("{name: a/b, weight: 1}, {name: cpu, weight: 1}"),
          UNUSED, "'cpu':'500m'", 50 },
};

static void test_least_allocated(void **state) {
        (void)state;
        check_cases("NodeResourcesFit", fit_cases, ARRAY_LEN(fit_cases));
}

/* ---- InterPodAffinity: preferences of the pod, and of those that run ---- */

#define PREFERS(kind, weight)                                                                      \
        "'affinity':{'" kind                                                                       \
        "':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':" weight                  \
        ",'podAffinityTerm':{'topologyKey':'host','labelSelector':{'matchLabels':{'app':'x'}}}}]"  \
        "}},"
#define REQUIRES(kind)                                                                             \
        "'affinity':{'" kind                                                                       \
        "':{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'host',"              \
        "'labelSelector':{'matchLabels':{'app':'x'}}}]}},"

static const struct affinity_case {
        const char *name;
        const char *pod, *running; /* members of the spec; all have the label app=x */
        int64_t score;             /* raw, of the node where it runs */
} affinity_cases[] = {
        { "its preference", PREFERS("podAffinity", "7"), "", 7 },
        { "its aversion", PREFERS("podAntiAffinity", "7"), "", -7 },
        { "a preference for it", "", PREFERS("podAffinity", "5"), 5 },
        { "an aversion to it", "", PREFERS("podAntiAffinity", "5"), -5 },
        { "both like each other", PREFERS("podAffinity", "7"), PREFERS("podAffinity", "5"), 12 },
        { "one does not", PREFERS("podAffinity", "7"), PREFERS("podAntiAffinity", "9"), -2 },
        { "whoever requires such a pod prefers it, too", "", REQUIRES("podAffinity"), 1 },
};

static void test_inter_pod_affinity(void **state) {
        (void)state;
        struct plugins plugins = plugins_of("");
        for (size_t i = 0; i < ARRAY_LEN(affinity_cases); i++) {
                const struct affinity_case *row = &affinity_cases[i];
                struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });
                put(cluster, OBJECT_NODE, "{'metadata':{'name':'n1','labels':{'host':'n1'}}}");
                put(cluster, OBJECT_POD,
                    "{'metadata':{'namespace':'d','name':'q','uid':'q','labels':{'app':'x'}},"
                    "'spec':{%s'nodeName':'n1','containers':[{'name':'c'}]},'status':{'phase':"
                    "'Running'}}",
                    row->running);
                put(cluster, OBJECT_POD,
                    "{'metadata':{'namespace':'d','name':'p','uid':'p','labels':{'app':'x'}},"
                    "'spec':{%s'containers':[{'name':'c'}]}}",
                    row->pod);
                int64_t score = score_of(cluster, plugins.list.items[0], "InterPodAffinity", "n1");
                if (score != row->score)
                        fail_msg("%s: %d", row->name, (int)score);
                cluster_free(cluster);
        }
        plugins_release(&plugins);
}

/* ---- PodGroupPodsCount: the best placement gets 100, the others their share ---- */

static void test_pods_of_groups(void **state) {
        int64_t scores[] = { 2, 8, 0 }, none[] = { 0, 0 };
        (void)state;
        const struct plugin *plugin =
                plugin_find(sched_registry, SLICE_LITERAL("PodGroupPodsCount"));
        plugin->sched->groups->normalize_placements(scores, ARRAY_LEN(scores));
        assert_int_equal(scores[0], 25);
        assert_int_equal(scores[1], 100);
        assert_int_equal(scores[2], 0);
        plugin->sched->groups->normalize_placements(none, ARRAY_LEN(none));
        assert_int_equal(none[0] + none[1], 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_image_locality),  cmocka_unit_test(test_node_balance),
                cmocka_unit_test(test_least_allocated), cmocka_unit_test(test_inter_pod_affinity),
                cmocka_unit_test(test_pods_of_groups),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
