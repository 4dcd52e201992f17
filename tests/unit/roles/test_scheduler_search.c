/* Where the cluster's schedulers have their configuration: pods as tables, and a descheduler that
 * packs nodes, over an API server in virtual time. */
#include "base/util.h"
#include "loop/runtime.h"
#include "roles/role_config.h"
#include "roles/scheduler_search.h"
#include "virtual_api.h"
#include <stdlib.h>
#include <unistd.h>

#define KUBE_PODS "/api/v1/namespaces/kube-system/pods"
#define CONFIG_MAPS "/api/v1/namespaces/kube-system/configmaps"

/* ---- pods ---- */

#define MOUNT(at, more) "'volumeMounts':[{'name':'v','mountPath':'" at "'" more "}]"
#define CONFIG_MAP(more) "'volumes':[{'name':'v','configMap':{'name':'m'" more "}}]"
#define HOST(path) "'volumes':[{'name':'v','hostPath':{'path':'" path "'}}]"

static const struct source_case {
        const char *name, *container, *volumes; /* members of the container and of the spec */
        enum scheduler_source_kind kind;
        const char *map, *path;
} sources[] = {
        { "no configuration", "'command':['kube-scheduler','--leader-elect=true']", "'volumes':[]",
          SCHEDULER_SOURCE_NONE, "", "" },
        { "a ConfigMap", "'args':['--config=/etc/k/c.yaml']," MOUNT("/etc/k", ""), CONFIG_MAP(""),
          SCHEDULER_SOURCE_CONFIG_MAP, "m", "c.yaml" },
        { "two words", "'command':['s','--config','/etc/k/c.yaml']," MOUNT("/etc/k/", ""),
          CONFIG_MAP(""), SCHEDULER_SOURCE_CONFIG_MAP, "m", "c.yaml" },
        { "of berth run", "'args':['run','--scheduler.config=/etc/k/c.yaml']," MOUNT("/etc/k", ""),
          CONFIG_MAP(""), SCHEDULER_SOURCE_CONFIG_MAP, "m", "c.yaml" },
        { "a key with another name", "'args':['--config=/etc/k/c.yaml']," MOUNT("/etc/k", ""),
          CONFIG_MAP(",'items':[{'key':'other','path':'x'},{'key':'k','path':'c.yaml'}]"),
          SCHEDULER_SOURCE_CONFIG_MAP, "m", "k" },
        { "one file of a ConfigMap", "'args':['--config=/c']," MOUNT("/c", ",'subPath':'k'"),
          CONFIG_MAP(""), SCHEDULER_SOURCE_CONFIG_MAP, "m", "k" },
        { "a folder of the node", "'args':['--config=/etc/k/c.yaml']," MOUNT("/etc/k", ""),
          HOST("/srv/k"), SCHEDULER_SOURCE_HOST, "", "/srv/k/c.yaml" },
        { "a file of the node", "'args':['--config=/etc/k/c.yaml']," MOUNT("/etc/k/c.yaml", ""),
          HOST("/srv/c.yaml"), SCHEDULER_SOURCE_HOST, "", "/srv/c.yaml" },
        { "not mounted", "'args':['--config=/etc/k/c.yaml']," MOUNT("/etc/kube", ""), HOST("/srv"),
          SCHEDULER_SOURCE_OTHER, "", "/etc/k/c.yaml" },
        { "a mount that begins alike", "'args':['--config=/etc/kx/c']," MOUNT("/etc/k", ""),
          HOST("/srv"), SCHEDULER_SOURCE_OTHER, "", "/etc/kx/c" },
        { "an empty folder", "'args':['--config=/etc/k/c']," MOUNT("/etc/k", ""),
          "'volumes':[{'name':'v','emptyDir':{}}]", SCHEDULER_SOURCE_OTHER, "", "/etc/k/c" },
        { "another option", "'args':['--configure=/etc/k/c']," MOUNT("/etc/k", ""), CONFIG_MAP(""),
          SCHEDULER_SOURCE_NONE, "", "" },
};

static void test_sources(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
                const struct source_case *row = &sources[i];
                struct scheduler_source found;
                struct json_doc *doc;
                char text[1024];

                snprintf(text, sizeof(text),
                         "{'metadata':{'namespace':'kube-system'},'spec':{'containers':[{'name':"
                         "'sidecar','args':['-x']},{%s}],%s}}",
                         row->container, row->volumes);
                quote(text);
                assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
                scheduler_source_of(json_doc_root(doc), &found);
                json_doc_free(doc);
                if (found.kind != row->kind || strcmp(found.name, row->map) != 0 ||
                    strcmp(found.path, row->path) != 0)
                        fail_msg("%s: %d %s %s", row->name, (int)found.kind, found.name,
                                 found.path);
        }
}

/* ---- a cluster ---- */

struct world {
        struct virtual_api api;
        struct role_config config;
        struct runtime *runtime;
};

/* Pods of a ReplicaSet that run on the node, each with one of its ten CPUs. */
static void put_pods(struct world *world, const char *prefix, const char *node, int count) {
        for (int i = 0; i < count; i++) {
                char body[1024], path[128];

                snprintf(
                        body, sizeof(body),
                        "{'metadata':{'name':'%s-%d','ownerReferences':[{'apiVersion':'apps/v1',"
                        "'kind':'ReplicaSet','name':'%s','uid':'u-%s','controller':true}]},'spec':{"
                        "'nodeName':'%s','terminationGracePeriodSeconds':0,'containers':[{'name':"
                        "'c','image':'i','resources':{'requests':{'cpu':'1','memory':'1Gi'}}}]}}",
                        prefix, i, prefix, prefix, node);
                assert_int_equal(ask(&world->api, "POST", PODS, body), 201);
                snprintf(path, sizeof(path), PODS "/%s-%d/status", prefix, i);
                assert_int_equal(ask(&world->api, "PATCH", path, "{'status':{'phase':'Running'}}"),
                                 200);
        }
}

static void put_scheduler(struct world *world, const char *name, const char *component,
                          const char *map) {
        char body[1024];

        snprintf(
                body, sizeof(body),
                "{'metadata':{'name':'%s','labels':{'component':'%s'}},'spec':{'containers':[{"
                "'name':'c','image':'i','args':['--config=/etc/k/c.yaml'],'volumeMounts':[{'name':"
                "'v','mountPath':'/etc/k'}]}],'volumes':[{'name':'v','configMap':{'name':'%s'}}]}}",
                name, component, map);
        assert_int_equal(ask(&world->api, "POST", KUBE_PODS, body), 201);
}

static void put_map(struct world *world, const char *name, const char *key, const char *text) {
        char body[2048];

        snprintf(body, sizeof(body), "{'metadata':{'name':'%s'},'data':{'%s':'%s'}}", name, key,
                 text);
        assert_int_equal(ask(&world->api, "POST", CONFIG_MAPS, body), 201);
}

static int set_up(void **state) {
        struct world *world = xcalloc(1, sizeof(*world));

        virtual_api_init(&world->api);
        *state = world;
        return 0;
}

static int tear_down(void **state) {
        struct world *world = *state;

        if (world->runtime) {
                runtime_free(world->runtime);
                role_config_release(&world->config);
        }
        virtual_api_release(&world->api);
        free(world);
        return 0;
}

/* ---- searches ---- */

static char heard[4096];

static void on_found(void *context, const char *source, struct slice text) {
        size_t at = strlen(heard);

        (void)context;
        snprintf(heard + at, sizeof(heard) - at, "%s: " SLICE_FMT "\n", source, SLICE_ARG(text));
}

static void on_failed(void *context, const char *source, const char *error) {
        size_t at = strlen(heard);

        (void)context;
        snprintf(heard + at, sizeof(heard) - at, "%s! %s\n", source, error);
}

static void on_done(void *context) {
        size_t at = strlen(heard);

        (void)context;
        snprintf(heard + at, sizeof(heard) - at, ".");
}

static const struct scheduler_search_events search_events = { on_found, on_failed, on_done };

static struct scheduler_search *begin_search(struct world *world) {
        heard[0] = '\0';
        return scheduler_search_new(&world->api.transport, virtual_loop_get(world->api.loop),
                                    &search_events, NULL);
}

static void search(struct world *world) {
        begin_search(world);
        virtual_loop_advance(world->api.loop, NS_PER_S);
}

static void test_nobody_there(void **state) {
        search(*state);
        assert_string_equal(heard, ".");
}

/* Replicas once, kube-scheduler first; others' pods are nobody's business. */
static void test_all_schedulers(void **state) {
        put_scheduler(*state, "berth-1", "berth-scheduler", "berth");
        put_scheduler(*state, "berth-2", "berth-scheduler", "berth");
        put_scheduler(*state, "kube", "kube-scheduler", "upstream");
        put_scheduler(*state, "etcd", "etcd", "etcd");
        put_map(*state, "berth", "c.yaml", "b");
        put_map(*state, "upstream", "c.yaml", "u");
        search(*state);
        assert_string_equal(heard, "ConfigMap kube-system/upstream, key c.yaml: u\n"
                                   "ConfigMap kube-system/berth, key c.yaml: b\n.");
}

static void test_what_cannot_be_read(void **state) {
        put_scheduler(*state, "a", "berth-scheduler", "without-key");
        put_scheduler(*state, "b", "berth-scheduler", "missing");
        put_map(*state, "without-key", "d.yaml", "b");
        search(*state);
        assert_string_equal(heard,
                            "ConfigMap kube-system/without-key, key c.yaml! the ConfigMap has no "
                            "such key\n"
                            "ConfigMap kube-system/missing, key c.yaml! configmaps \"missing\" not "
                            "found\n.");
}

static void test_freed_under_way(void **state) {
        struct world *world = *state;

        scheduler_search_free(begin_search(world));
        virtual_loop_advance(world->api.loop, NS_PER_S);
        assert_string_equal(heard, "");
}

/* ---- the descheduler ---- */

#define PACKING                                                                                    \
        "apiVersion: kubescheduler.config.k8s.io/v1\\nkind: KubeSchedulerConfiguration\\n"         \
        "profiles:\\n- schedulerName: default-scheduler\\n  pluginConfig:\\n"                      \
        "  - name: NodeResourcesFit\\n    args: {scoringStrategy: {type: MostAllocated, "          \
        "resources: [{name: cpu, weight: 1}]}}\\n"                                                 \
        "  plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}]}}\\n"

static const char policy[] =
        "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nprofiles:\n- name: default\n"
        "  pluginConfig:\n  - {name: DefaultEvictor, args: {nodeFit: true}}\n"
        "  - {name: HighNodeUtilization, args: {thresholds: {cpu: 30}}}\n"
        "  plugins: {balance: {enabled: [HighNodeUtilization]}}\n";

/* One node is nearly full, three pods are alone on another: packed they would fit. */
static void put_loose_cluster(struct world *world) {
        put_node(&world->api, "n1", "10");
        put_node(&world->api, "n2", "10");
        put_pods(world, "full", "n1", 5);
        put_pods(world, "loose", "n2", 2);
        virtual_loop_advance(world->api.loop, 60 * NS_PER_S);
}

static void run_pass(struct world *world, bool finds_scheduler, bool has_file) {
        char policy_path[] = "/tmp/berth-policy-XXXXXX", config_path[] = "/tmp/berth-config-XXXXXX";
        struct err err = { 0 };
        char packing[] = PACKING;

        int fd = mkstemp(policy_path);
        assert_int_equal(write(fd, policy, sizeof(policy) - 1), sizeof(policy) - 1);
        close(fd);
        for (char *c = packing; (c = strstr(c, "\\n"));)
                memcpy(c, " \n", 2);
        fd = mkstemp(config_path);
        assert_int_equal(write(fd, packing, sizeof(packing) - 1), sizeof(packing) - 1);
        close(fd);
        if (role_config_load(
                    &(struct role_config_sources){ .policy_path = policy_path,
                                                   .config_path = has_file ? config_path : NULL },
                    &world->config, &err) < 0)
                fail_msg("%s", err.text);
        unlink(policy_path);
        unlink(config_path);
        world->runtime =
                runtime_new(&(struct runtime_config){ .loop = virtual_loop_get(world->api.loop),
                                                      .transport = world->api.transport,
                                                      .instance = "test",
                                                      .keeps_finished = true,
                                                      .keeps_detail = true });
        assert_int_equal(
                role_config_build(&world->config, runtime_cluster(world->runtime), NULL, &err), 0);
        role_config_add_descheduler(
                &world->config, world->runtime,
                &(struct descheduler_role_config){ .interval_ns = 3600 * NS_PER_S,
                                                   .finds_scheduler = finds_scheduler });
        runtime_start(world->runtime);
        virtual_loop_advance(world->api.loop, 60 * NS_PER_S);
}

static int loose_left(struct world *world) {
        int left = 0;

        for (int i = 0; i < 2; i++) {
                char path[128];

                snprintf(path, sizeof(path), PODS "/loose-%d", i);
                left += ask(&world->api, "GET", path, "") == 200;
        }
        return left;
}

static bool says_nothing_moved(struct world *world) {
        ask(&world->api, "GET", "/apis/events.k8s.io/v1/events", "");
        return strstr(world->api.text, "NothingMoved");
}

/* Upstream's defaults spread: what is packed comes back. */
static void test_default_moves_nothing_and_says_so(void **state) {
        put_loose_cluster(*state);
        run_pass(*state, true, false);
        assert_int_equal(loose_left(*state), 2);
        assert_true(says_nothing_moved(*state));
}

static void test_config_map_of_the_scheduler(void **state) {
        put_loose_cluster(*state);
        put_scheduler(*state, "kube", "kube-scheduler", "upstream");
        put_map(*state, "upstream", "c.yaml", PACKING);
        run_pass(*state, true, false);
        assert_int_equal(loose_left(*state), 0);
        assert_false(says_nothing_moved(*state));
}

static void test_file_of_the_scheduler(void **state) {
        put_loose_cluster(*state);
        run_pass(*state, false, true);
        assert_int_equal(loose_left(*state), 0);
}

/* What cannot be read changes nothing. */
static void test_broken_config_map(void **state) {
        put_loose_cluster(*state);
        put_scheduler(*state, "kube", "kube-scheduler", "upstream");
        put_map(*state, "upstream", "c.yaml", "kind: Other");
        run_pass(*state, true, false);
        assert_int_equal(loose_left(*state), 2);
}

/* A profile that a file gives stays as it is given. */
static void test_given_profiles_stay(void **state) {
        put_loose_cluster(*state);
        put_scheduler(*state, "kube", "kube-scheduler", "upstream");
        put_map(*state, "upstream", "c.yaml",
                "apiVersion: kubescheduler.config.k8s.io/v1\\nkind: KubeSchedulerConfiguration\\n");
        run_pass(*state, true, true);
        assert_int_equal(loose_left(*state), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sources),
                TEST(test_nobody_there),
                TEST(test_all_schedulers),
                TEST(test_what_cannot_be_read),
                TEST(test_freed_under_way),
                TEST(test_default_moves_nothing_and_says_so),
                TEST(test_config_map_of_the_scheduler),
                TEST(test_file_of_the_scheduler),
                TEST(test_broken_config_map),
                TEST(test_given_profiles_stay),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
