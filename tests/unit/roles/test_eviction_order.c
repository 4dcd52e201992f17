/* What `berth evict` says and when it ends: an order over an API server in virtual time, which lies
 * where a script says so. */
#include "loop/runtime.h"
#include "reboot_scene.h"
#include "roles/eviction_order.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define EVICTION "/eviction"

struct world {
        struct scene *scene;
        struct runtime *runtime;
        struct eviction_order *order;
        const char *node;
        bool is_finished;
};

static void on_finished(void *context, const struct err *err) {
        if (err)
                fail_msg("%s", err->text);
        ((struct world *)context)->is_finished = true;
}

static void on_changed(void *self) {
        (void)self;
}

static void on_result(void *self, const struct action_result *result) {
        (void)self;
        (void)result;
}

static void on_served(void *self) {
        struct world *world = self;

        if (world->order)
                eviction_order_served(world->order);
}

static bool is_idle(const void *self) {
        (void)self;
        return false;
}

static void free_role(void *self) {
        struct world *world = self;

        eviction_order_free(world->order);
        world->order = NULL;
}

static void world_begin(struct world *world) {
        *world = (struct world){ .scene = scene_new(), .node = "n0" };
        scene_add_pod(world->scene, "web", "\"app\":\"web\"", "");
}

/* Asks for the pods of the node. */
static void world_ask(struct world *world, bool by_request, int64_t deadline_s) {
        world->runtime =
                runtime_new(&(struct runtime_config){ .loop = world->scene->loop,
                                                      .transport = scene_transport(world->scene),
                                                      .instance = "test",
                                                      .seed = 1,
                                                      .has_no_model = true });
        runtime_add_role(world->runtime, &(struct role){ .name = "evict",
                                                         .self = world,
                                                         .changed = on_changed,
                                                         .result = on_result,
                                                         .evicted = on_served,
                                                         .is_idle = is_idle,
                                                         .free = free_role });
        world->order = eviction_order_new(&(struct eviction_order_config){
                .runtime = world->runtime,
                .ns = "",
                .node = world->node,
                .requests = by_request ? EVICT_REQUESTS_ALWAYS : EVICT_REQUESTS_NEVER,
                .waits = true,
                .deadline_ns = deadline_s * NS_PER_S,
                .finished = on_finished,
                .context = world });
}

static void world_end(struct world *world) {
        runtime_free(world->runtime);
        scene_free(world->scene);
}

static void expect(const struct world *world, enum order_state state, const char *part) {
        struct order_line line = eviction_order_line(world->order, 0);

        assert_string_equal(order_state_name(line.state), order_state_name(state));
        if (!strstr(line.message, part))
                fail_msg("\"%s\", not \"%s\"", line.message, part);
}

/* A dry run, or a proxy, answers 201 and nothing happens. */
static void asks_again_after_an_answer_without_effect(void **state) {
        struct world world;

        (void)state;
        world_begin(&world);
        scene_script(world.scene, &(struct scene_rule){ "POST", EVICTION, 201, 1, 0, NULL });
        world_ask(&world, false, 0);
        scene_run(world.scene, 31);
        expect(&world, ORDER_OPEN, "answered as done, but the pod is not being deleted");
        assert_false(world.is_finished);
        scene_run(world.scene, 20);
        expect(&world, ORDER_EVICTED, "");
        assert_true(world.is_finished);
        assert_int_equal(scene_count(world.scene, "POST", EVICTION), 2);
        world_end(&world);
}

static void says_what_held_a_pod_until_the_deadline(void **state) {
        struct world world;

        (void)state;
        world_begin(&world);
        scene_script(world.scene, &(struct scene_rule){ "POST", EVICTION, 429, 1000, 0, NULL });
        world_ask(&world, false, 60);
        scene_run(world.scene, 59);
        assert_false(world.is_finished);
        scene_run(world.scene, 2);
        assert_true(world.is_finished);
        expect(&world, ORDER_WITHDRAWN, "the deadline passed: scripted");
        world_end(&world);
}

/* Its kubelet is away. */
static void names_finalizers_of_a_pod_that_stays(void **state) {
        struct world world;

        (void)state;
        world_begin(&world);
        assert_int_equal(
                scene_ask(world.scene, "POST", SCENE_PODS,
                          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"lost\","
                          "\"finalizers\":[\"example.com/hold\"]},\"spec\":{\"nodeName\":\"n9\","
                          "\"terminationGracePeriodSeconds\":1,\"containers\":[{\"name\":\"c\","
                          "\"image\":\"i\"}]}}",
                          NULL),
                201);
        world.node = "n9";
        world_ask(&world, false, 60);
        scene_run(world.scene, 62);
        assert_true(world.is_finished);
        expect(&world, ORDER_WITHDRAWN, "the deadline passed: still there");
        expect(&world, ORDER_WITHDRAWN, "finalizers: example.com/hold");
        world_end(&world);
}

static const char impossible_budgets[] =
        "{\"kind\":\"PodDisruptionBudgetList\",\"apiVersion\":\"policy/v1\",\"items\":[{"
        "\"metadata\":{\"namespace\":\"default\",\"name\":\"all\"},\"spec\":{"
        "\"minAvailable\":1,\"selector\":{\"matchLabels\":{\"app\":\"web\"}}},\"status\":{"
        "\"disruptionsAllowed\":0,\"expectedPods\":1,\"desiredHealthy\":1,"
        "\"currentHealthy\":1}}]}";

/* Of one that is mended nothing is said any more. */
static void names_the_budget(void **state) {
        struct world world;

        (void)state;
        world_begin(&world);
        scene_script(world.scene, &(struct scene_rule){ "POST", EVICTION, 429, 1000, 0, NULL });
        scene_script(world.scene, &(struct scene_rule){ "GET", "poddisruptionbudgets", 200, 2, 0,
                                                        impossible_budgets });
        world_ask(&world, false, 0);
        scene_run(world.scene, 30);
        assert_true(slice_is(eviction_order_line(world.order, 0).budget, "default/all"));
        scene_run(world.scene, 120);
        assert_int_equal(eviction_order_line(world.order, 0).budget.len, 0);
        world_end(&world);
}

/* Without the right to read budgets nothing is named, and pods are evicted all the same. */
static void evicts_without_the_right_to_read_budgets(void **state) {
        struct world world;

        (void)state;
        world_begin(&world);
        scene_script(world.scene,
                     &(struct scene_rule){ "GET", "poddisruptionbudgets", 403, 100, 0, NULL });
        world_ask(&world, false, 0);
        scene_run(world.scene, 30);
        assert_true(world.is_finished);
        expect(&world, ORDER_EVICTED, "");
        world_end(&world);
}

/* ---- by requests ---- */

#define REQUESTS "/apis/lifecycle.berth.dev/v1alpha1/namespaces/default/evictionrequests"
#define DEFINITION(plural, kind)                                                                   \
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","       \
        "\"metadata\":{\"name\":\"" plural ".lifecycle.berth.dev\"},\"spec\":{\"group\":"          \
        "\"lifecycle.berth.dev\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"" plural         \
        "\",\"singular\":\"x" plural "\",\"kind\":\"" kind "\",\"listKind\":\"" kind               \
        "List\"},\"versions\":[{\"name\":\"v1alpha1\",\"served\":true,\"storage\":true,"           \
        "\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","   \
        "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"

static void serve_requests(struct scene *scene) {
        static const char *const definitions[] = { DEFINITION("evictionrequests",
                                                              "EvictionRequest"),
                                                   DEFINITION("evictions", "Eviction") };

        for (size_t i = 0; i < 2; i++)
                assert_int_equal(
                        scene_ask(scene, "POST",
                                  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                                  definitions[i], NULL),
                        201);
        scene_run(scene, 5);
}

/* The status a controller writes, and then it is gone. */
static void answer_request(struct scene *scene) {
        struct buf list = { 0 }, path = { 0 };
        struct slice rest, name;

        assert_int_equal(scene_ask(scene, "GET", REQUESTS, NULL, &list), 200);
        rest = buf_view(&list);
        assert_true(slice_contains(rest, SLICE_LITERAL("\"name\":\"cli-")));
        const char *at = strstr(list.data, "\"name\":\"cli-") + strlen("\"name\":\"");
        rest = slice_of(at);
        slice_split(&rest, '"', &name);
        buf_printf(&path, REQUESTS "/" SLICE_FMT "/status", SLICE_ARG(name));
        assert_int_equal(scene_ask(scene, "PATCH", path.data,
                                   "{\"status\":{\"observedGeneration\":1,\"conditions\":["
                                   "{\"type\":\"TargetEvicted\",\"status\":\"False\",\"reason\":"
                                   "\"AwaitingEviction\"},{\"type\":\"Failed\",\"status\":"
                                   "\"False\",\"reason\":\"AwaitingEviction\"}]}}",
                                   NULL),
                         200);
        buf_release(&list);
        buf_release(&path);
}

/* No controller from the start, or none any more. */
static void ends_without_a_controller(void **state) {
        (void)state;
        for (int is_answered = 0; is_answered < 2; is_answered++) {
                struct world world;

                world_begin(&world);
                serve_requests(world.scene);
                world_ask(&world, true, 60);
                scene_run(world.scene, 10);
                if (is_answered)
                        answer_request(world.scene);
                scene_run(world.scene, 40);
                if (!is_answered)
                        expect(&world, ORDER_OPEN, "is berth evictions running?");
                assert_false(world.is_finished);
                scene_run(world.scene, 90);
                assert_true(world.is_finished);
                expect(&world, ORDER_WITHDRAWN, "the deadline passed: no controller has answered");
                world_end(&world);
        }
}

/* Answered as written, and never stored. */
static void writes_a_request_again(void **state) {
        struct world world;

        (void)state;
        world_begin(&world);
        serve_requests(world.scene);
        scene_script(world.scene,
                     &(struct scene_rule){ "POST", "evictionrequests", 201, 1, 0, NULL });
        world_ask(&world, true, 0);
        scene_run(world.scene, 20);
        assert_false(scene_object_has(world.scene, REQUESTS, "\"name\":\"cli-"));
        scene_run(world.scene, 20);
        assert_true(scene_object_has(world.scene, REQUESTS, "\"name\":\"cli-"));
        scene_run(world.scene, 120);
        assert_int_equal(eviction_order_line(world.order, 0).state, ORDER_OPEN);
        world_end(&world);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(asks_again_after_an_answer_without_effect),
                cmocka_unit_test(says_what_held_a_pod_until_the_deadline),
                cmocka_unit_test(names_finalizers_of_a_pod_that_stays),
                cmocka_unit_test(names_the_budget),
                cmocka_unit_test(evicts_without_the_right_to_read_budgets),
                cmocka_unit_test(ends_without_a_controller),
                cmocka_unit_test(writes_a_request_again),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
