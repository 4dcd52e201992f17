/* Where pods with claims of devices could go: made from a template, a claim is made anew; named, it
 * stays where its devices are. */
#include "../quoted_objects.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler.h"
#include "plugins/desched/registry.h"
#include "roles/placement_simulator.h"
#include "roles/role_config.h"
#include <stdlib.h>

static const struct wall_time now = { 1768435200LL * NS_PER_S }; /* 2026-01-15 */

/* n1 has the devices of the pods, n2 one, n3 none. */
static const struct quoted_object objects[] = {
#define NODE(name, more)                                                                           \
        QUOTED_MODEL(NODE,                                                                         \
                     "{'metadata':{'name':'" name "'},'spec':{" more "},'status':{"                \
                     "'conditions':[{'type':'Ready','status':'True'}],'allocatable':{'cpu':'"      \
                     "10',"                                                                        \
                     "'memory':'100Gi','pods':'20'}}}")
#define SLICE(node, devices)                                                                       \
        QUOTED_CACHED(RESOURCE_SLICE,                                                              \
                      "{'metadata':{'name':'" node "'},'spec':{'nodeName':'" node                  \
                      "','driver':'d','pool':{"                                                    \
                      "'name':'" node                                                              \
                      "','generation':1,'resourceSliceCount':1},'devices':[" devices "]}}")
#define CLAIM(name, device, owner, pods)                                                           \
        QUOTED_CACHED(                                                                             \
                RESOURCE_CLAIM,                                                                    \
                "{'metadata':{'namespace':'ns','name':'" name "','uid':'" name "'" owner "},"      \
                "'spec':{'devices':{'requests':[{'name':'r','exactly':{'deviceClassName':"         \
                "'c',"                                                                             \
                "'allocationMode':'ExactCount','count':1}}]}},'status':{'allocation':{'"           \
                "devices':{"                                                                       \
                "'results':[{'request':'r','driver':'d','pool':'n1','device':'" device "'}]},"     \
                "'nodeSelector':{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata."           \
                "name',"                                                                           \
                "'operator':'In','values':['n1']}]}]}},'reservedFor':[" pods "]}}")
#define OF(pod)                                                                                    \
        ",'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'" pod "','uid':'" pod         \
        "','controller':true}]"
#define USER(pod) "{'resource':'pods','name':'" pod "','uid':'" pod "'}"
#define POD(name, spec, status)                                                                    \
        QUOTED_MODEL(POD,                                                                          \
                     "{'metadata':{'namespace':'ns','name':'" name "','uid':'" name                \
                     "','creationTimestamp':"                                                      \
                     "'2026-01-01T00:00:00Z','ownerReferences':[{'apiVersion':'apps/v1',"          \
                     "'kind':'ReplicaSet','name':'rs','uid':'rs','controller':true}]},'spec':{"    \
                     "'nodeName':'n1','schedulerName':'default-scheduler'," spec                   \
                     "'containers':[{'name':'c','image':'i'}]},'status':{'phase':'Running'"        \
                     "," status "'startTime':'2026-01-01T00:00:00Z'}}")
#define TEMPLATE "'resourceClaims':[{'name':'x','resourceClaimTemplateName':'t'}],"
#define MADE(claim) "'resourceClaimStatuses':[{'name':'x','resourceClaimName':'" claim "'}],"
        NODE("n1", "'taints':[{'key':'leave','effect':'NoSchedule'}]"),
        NODE("n2", ""),
        NODE("n3", ""),
        QUOTED_CACHED(DEVICE_CLASS, "{'metadata':{'name':'c'},'spec':{}}"),
        SLICE("n1", "{'name':'a'},{'name':'b'},{'name':'c'}"),
        SLICE("n2", "{'name':'a'}"),
        CLAIM("first-x", "a", OF("first"), USER("first")),
        CLAIM("second-x", "b", OF("second"), USER("second")),
        CLAIM("named", "c", "", USER("named")),
        POD("first", TEMPLATE, MADE("first-x")),
        POD("second", TEMPLATE, MADE("second-x")),
        POD("named", "'resourceClaims':[{'name':'x','resourceClaimName':'named'}],", ""),
        POD("plain", "", ""),
        POD("disk",
            "'tolerations':[{'operator':'Exists'}],'volumes':[{'name':'v',"
            "'persistentVolumeClaim':{'claimName':'v'}}],",
            ""),
};

struct scene {
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct role_config config;
        struct placement_simulator *simulator;
        struct placement_predictor oracle;
        struct device_judge judge;
        struct buf evicted;
};

static int open_scene(void **state) {
        struct scene *scene = xcalloc(1, sizeof(*scene));
        struct err err = { 0 };

        scene->cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        scene->object_cache = object_cache_new_of(CACHED_DEVICES); /* as without a scheduler */
        if (role_config_load(&(struct role_config_sources){ 0 }, &scene->config, &err) < 0 ||
            role_config_build(&scene->config, scene->cluster, scene->object_cache, &err) < 0)
                fail_msg("%s", err.text);
        for (size_t i = 0; i < ARRAY_LEN(objects); i++)
                put_quoted_object(scene->cluster, scene->object_cache, &objects[i]);
        scene->simulator = placement_simulator_new(scene->cluster, &scene->config.profiles,
                                                   scene->object_cache);
        scene->oracle = placement_simulator_oracle(scene->simulator);
        scene->judge = placement_simulator_judge(scene->simulator);
        scene->oracle.begin(scene->oracle.context, now);
        *state = scene;
        return 0;
}

static int close_scene(void **state) {
        struct scene *scene = *state;

        placement_simulator_free(scene->simulator);
        role_config_release(&scene->config);
        object_cache_free(scene->object_cache);
        cluster_free(scene->cluster);
        buf_release(&scene->evicted);
        free(scene);
        return 0;
}

static struct pod_id pod_named(const struct scene *scene, const char *name) {
        return cluster_find_pod(scene->cluster, SLICE_LITERAL("ns"), slice_of(name));
}

/* The node that the scheduler would give the pod; "" = none. */
static struct slice place_of(struct scene *scene, const char *name) {
        struct placement placement;

        assert_true(scene->oracle.place(scene->oracle.context, pod_named(scene, name), &placement));
        return placement.is_placed ? cluster_node_name(scene->cluster, placement.node)
                                   : SLICE_EMPTY;
}

static bool could_have_devices(struct scene *scene, const char *pod, const char *node) {
        struct bitset nodes;

        bitset_init(&nodes);
        bitset_resize(&nodes, cluster_nodes(scene->cluster)->count);
        bitset_fill(&nodes);
        scene->judge.narrow(scene->judge.context, pod_named(scene, pod), &nodes);
        bool is_left = bitset_has(&nodes, cluster_find_node(scene->cluster, slice_of(node)).index);
        bitset_release(&nodes);
        return is_left;
}

static void knows_where_devices_are(void **state) {
        struct scene *scene = *state;

        assert_true(could_have_devices(scene, "first", "n1"));
        assert_true(could_have_devices(scene, "first", "n2"));
        assert_false(could_have_devices(scene, "first", "n3"));
        assert_true(could_have_devices(scene, "named", "n1"));
        assert_false(could_have_devices(scene, "named", "n2"));
        assert_true(could_have_devices(scene, "plain", "n3"));
}

/* The only free device is given away once; afterwards the object cache is as it was. */
static void counts_earlier_moves(void **state) {
        struct scene *scene = *state;
        struct node_id n2 = cluster_find_node(scene->cluster, SLICE_LITERAL("n2"));

        assert_true(slice_is(place_of(scene, "first"), "n2"));
        assert_true(slice_is(place_of(scene, "second"), "n2"));
        scene->oracle.move(scene->oracle.context, pod_named(scene, "first"), n2);
        assert_true(slice_is(place_of(scene, "second"), ""));
        assert_true(slice_is(place_of(scene, "named"), ""));
        scene->oracle.begin(scene->oracle.context, now);
        assert_true(slice_is(place_of(scene, "second"), "n2"));
        for (size_t i = 0; i < 2; i++) {
                struct slice name = i ? SLICE_LITERAL("first-x") : SLICE_LITERAL("second-x");
                const struct json *claim = object_cache_get(
                        scene->object_cache, CACHED_RESOURCE_CLAIM, SLICE_LITERAL("ns"), name);

                assert_ptr_equal(claim,
                                 object_cache_seen(scene->object_cache, CACHED_RESOURCE_CLAIM,
                                                   SLICE_LITERAL("ns"), name));
                assert_non_null(json_get(json_get(claim, "status"), "allocation"));
        }
}

/* Of volumes nothing is known there. */
static void leaves_volumes_alone(void **state) {
        assert_true(slice_is(place_of(*state, "disk"), "n2"));
}

/* ---- NodeFit ---- */

static void begin_pass(void *context, const struct evict_pass *pass) {
        (void)context;
        (void)pass;
}

static enum evict_outcome note_eviction(void *context, const struct evict_intent *intent) {
        struct scene *scene = context;

        buf_printf(&scene->evicted, SLICE_FMT " ", SLICE_ARG(intent->pod.name));
        return EVICT_DONE;
}

static const char *evicted_by(struct scene *scene, const char *head, bool is_parity) {
        struct config_problems *problems = config_problems_new();
        CLEANUP(buf_release) struct buf text = { 0 };
        struct descheduler *descheduler = NULL;
        struct err err = { 0 };

        buf_printf(&text,
                   "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n%s"
                   "profiles:\n- name: p\n  pluginConfig:\n"
                   "  - {name: DefaultEvictor, args: {nodeFit: true}}\n"
                   "  - {name: RemovePodsViolatingNodeTaints}\n"
                   "  plugins: {deschedule: {enabled: [RemovePodsViolatingNodeTaints]}}\n",
                   head);
        struct descheduler_policy *policy =
                descheduler_policy_read(buf_view(&text), "policy.yaml", false, problems);
        assert_non_null(policy);
        if (descheduler_new(
                    &(struct descheduler_config){ .cluster = scene->cluster,
                                                  .policy = policy,
                                                  .registry = desched_registry,
                                                  .sink = { scene, begin_pass, note_eviction },
                                                  .predictor = &scene->oracle,
                                                  .device_judge = &scene->judge,
                                                  .is_parity = is_parity },
                    problems, &descheduler, &err) < 0)
                fail_msg("%s", err.text);
        buf_clear(&scene->evicted);
        buf_text(&scene->evicted, "");
        descheduler_pass(descheduler, now);
        descheduler_free(descheduler);
        descheduler_policy_free(policy);
        config_problems_free(problems);
        return scene->evicted.len ? scene->evicted.data : "";
}

static void node_fit_knows_devices(void **state) {
        struct scene *scene = *state;

        assert_string_equal(evicted_by(scene, "moveOnlyIfBetter: false\n", false),
                            "first plain second ");
        assert_string_equal(evicted_by(scene, "", false), "first plain ");
        assert_string_equal(evicted_by(scene, "", true), "first named plain second ");
}

static void remove_cached(struct object_cache *object_cache, const struct quoted_object *object) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = quoted_doc(object->text);

        if (object->model == OBJECT_KIND_COUNT)
                object_cache_remove(object_cache, object->cached,
                                    cached_object_ns(json_doc_root(doc)),
                                    cached_object_name(json_doc_root(doc)));
}

/* Where nothing can be read of devices, they are not looked at. */
static void node_fit_without_rights(void **state) {
        struct scene *scene = *state;

        for (size_t i = 0; i < ARRAY_LEN(objects); i++)
                remove_cached(scene->object_cache, &objects[i]);
        assert_string_equal(evicted_by(scene, "moveOnlyIfBetter: false\n", false),
                            "first named plain second ");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(knows_where_devices_are, open_scene, close_scene),
                cmocka_unit_test_setup_teardown(counts_earlier_moves, open_scene, close_scene),
                cmocka_unit_test_setup_teardown(leaves_volumes_alone, open_scene, close_scene),
                cmocka_unit_test_setup_teardown(node_fit_without_rights, open_scene, close_scene),
                cmocka_unit_test_setup_teardown(node_fit_knows_devices, open_scene, close_scene),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
