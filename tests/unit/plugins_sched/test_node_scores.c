/* What ImageLocality and NodeResourcesBalancedAllocation are worth, by hand: the constants in their
 * formulas matter as much as the direction. */
#include "base/util.h"
#include "config/document.h"
#include "model/cluster.h"
#include "plugin/sched_points.h"
#include "plugin/sched_profile_list.h"
#include "plugins/sched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* Of the pod "p" on a node. */
static int64_t score_of(const struct cluster *cluster, const struct profile_plugin *plugin,
                        const char *node_name) {
        CLEANUP(arena_release) struct arena scratch;
        arena_init(&scratch, 0);
        struct pod_id pod = cluster_find_pod(cluster, SLICE_LITERAL("d"), SLICE_LITERAL("p"));
        struct node_id node = cluster_find_node(cluster, slice_of(node_name));
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct sched_cycle cycle = { .cluster = cluster,
                                           .pod = pod,
                                           .class = cluster_class(cluster, row->class),
                                           .labels = row->labels,
                                           .ns = row->ns,
                                           .scratch = &scratch };
        const struct node_batch batch = { &node, 1 };
        const struct sched_points *points = plugin->plugin->sched;
        struct verdict verdict = { 0 };
        void *pod_state = NULL;
        int64_t score = SKIPPED;
        if (points->pre_score &&
            points->pre_score(&cycle, plugin->state, batch, &pod_state, &verdict) == VERDICT_SKIP)
                return SKIPPED;
        points->score(&cycle, plugin->state, pod_state, batch, &score);
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

static const struct profile_plugin *find(const struct plugins *plugins, const char *name) {
        const struct profile_plugin *plugin =
                sched_profile_find(plugins->list.items[0], slice_of(name));
        assert_non_null(plugin);
        return plugin;
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
                int64_t score = score_of(cluster, find(&plugins, "ImageLocality"), "n1");
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

static void test_node_balance(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(balance_cases); i++) {
                const struct balance_case *row = &balance_cases[i];
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
                int64_t score =
                        score_of(cluster, find(&plugins, "NodeResourcesBalancedAllocation"), "n1");
                if (score != row->score)
                        fail_msg("%s: %d", row->name, (int)score);
                cluster_free(cluster);
                plugins_release(&plugins);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_image_locality),
                cmocka_unit_test(test_node_balance),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
