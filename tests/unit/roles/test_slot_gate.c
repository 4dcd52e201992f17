/* The gate before slow evictions: who passes at once, who waits for what, and who comes next.  A
 * real API server in virtual time; kubelets are played by the test. */
#include "base/util.h"
#include "evict/slot_ledger.h"
#include "port/virtual_loop.h"
#include "roles/slot_gate.h"
#include "sandbox/native_evictions.h"
#include "server/api_server.h"
#include "server/local_transport.h"
#include "sim/sim_faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PODS "/api/v1/namespaces/default/pods"
#define VM ",\"labels\":{\"kubevirt.io\":\"virt-launcher\"}"
#define MOVING VM ",\"annotations\":{\"descheduler.alpha.kubernetes.io/eviction-in-progress\":\"\"}"
#define CALLS_MAX 12

struct call {
        struct api_request *open; /* NULL = answered */
        int status;
        char text[200];
};

struct scene {
        struct virtual_loop *time;
        struct loop *loop;
        struct native_evictions *native;
        struct api_server *server;
        struct local_transport *local;
        struct sim_faults *counting; /* no faults: only counts */
        struct transport inner, gated;
        struct slot_gate *gate;
        struct cluster *cluster; /* NULL = the gate learns from replies */
        struct call calls[CALLS_MAX];
};

static void never(void *context) {
        (void)context;
}

static struct scene *scene_new(const struct eviction_slot_limits *limits, bool for_all) {
        struct scene *scene = xcalloc(1, sizeof(*scene));
        struct api_server_config config = { .seed = 1, .has_eviction_responders = true };

        scene->time = virtual_loop_new();
        scene->loop = virtual_loop_get(scene->time);
        assert_int_equal(native_evictions_new(&scene->native, NULL), 0);
        config.definitions = native_evictions_definitions(scene->native, &config.definition_count);
        scene->server = api_server_new(&config, scene->loop);
        scene->local =
                local_transport_new(scene->server, scene->loop, &api_user_admin, "slot-gate");
        scene->counting =
                sim_faults_new(local_transport(scene->local), scene->loop, 1, 0, never, NULL);
        scene->inner = sim_faults_transport(scene->counting);
        scene->gate = slot_gate_new(&(struct slot_gate_config){ .inner = &scene->inner,
                                                                .loop = scene->loop,
                                                                .limits = *limits,
                                                                .for_all = for_all });
        scene->gated = slot_gate_transport(scene->gate);
        return scene;
}

static void scene_free(struct scene *scene) {
        slot_gate_free(scene->gate);
        sim_faults_free(scene->counting);
        local_transport_free(scene->local);
        api_server_free(scene->server);
        native_evictions_free(scene->native);
        virtual_loop_free(scene->time);
        cluster_free(scene->cluster);
        free(scene);
}

static void wait_s(struct scene *scene, int64_t seconds) {
        struct mono_time end = { loop_mono(scene->loop).ns + seconds * NS_PER_S };

        while (virtual_loop_step(scene->time, end))
                ;
}

/* One call as administrator, past the gate; what it answers goes to body, if that is not NULL. */
static int ask(struct scene *scene, const char *method, const char *path, const char *text,
               struct buf *body) {
        struct api_server_request request = { .method = slice_of(method),
                                              .target = slice_of(path),
                                              .body = slice_of(text),
                                              .content_type = SLICE_LITERAL("application/json"),
                                              .user = &api_user_admin };
        struct http_response response;
        int status;

        if (strcmp(method, "PATCH") == 0)
                request.content_type = SLICE_LITERAL("application/merge-patch+json");
        api_server_handle(scene->server, &request, &response);
        status = response.status;
        if (body)
                buf_slice(body, buf_view(&response.body));
        http_response_release(&response);
        return status;
}

static void read_pod(struct scene *scene, const char *name, struct buf *body) {
        char path[200];

        snprintf(path, sizeof(path), PODS "/%s", name);
        assert_int_equal(ask(scene, "GET", path, "", body), 200);
}

/* The model gets it, where there is one. */
static void show_model(struct scene *scene, const char *name, enum change_kind change) {
        struct json_doc *doc = NULL;
        struct buf body = { 0 };

        if (!scene->cluster)
                return;
        read_pod(scene, name, &body);
        assert_int_equal(json_parse(buf_view(&body), &doc, NULL), 0);
        assert_int_equal(
                cluster_apply(scene->cluster, OBJECT_POD, change, json_doc_root(doc), NULL), 0);
        json_doc_free(doc);
        buf_release(&body);
}

static void add_pod(struct scene *scene, const char *name, const char *meta, const char *node) {
        char body[600];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"%s},\"spec\":{\"nodeName\":\"%s\",\"containers\":"
                 "[{\"name\":\"c\",\"image\":\"x\"}]}}",
                 name, meta, node);
        assert_int_equal(ask(scene, "POST", PODS, body, NULL), 201);
        snprintf(body, sizeof(body), PODS "/%s/status", name);
        assert_int_equal(ask(scene, "PATCH", body, "{\"status\":{\"phase\":\"Running\"}}", NULL),
                         200);
        show_model(scene, name, CHANGE_ADDED);
}

/* What its kubelet does in the end. */
static void remove_pod(struct scene *scene, const char *name) {
        char path[200];

        snprintf(path, sizeof(path), PODS "/%s", name);
        ask(scene, "DELETE", path, "{\"gracePeriodSeconds\":0}", NULL);
        if (scene->cluster)
                cluster_remove_pod(scene->cluster, SLICE_LITERAL("default"), slice_of(name));
}

static void on_listed(void *context, const struct api_reply *reply) {
        *(int *)context = reply->status;
}

/* As roles do before they evict. */
static void list_pods(struct scene *scene) {
        int status = 0;

        transport_call(&scene->gated, &(struct api_call){ .path = SLICE_LITERAL("/api/v1/pods") },
                       on_listed, &status);
        wait_s(scene, 1);
        assert_int_equal(status, 200);
}

static void on_answered(void *context, const struct api_reply *reply) {
        struct call *call = context;

        call->open = NULL;
        call->status = reply->status;
        snprintf(call->text, sizeof(call->text), "%.199s", reply->error.text);
}

static void uid_of(struct scene *scene, const char *name, char *uid) {
        struct json_doc *doc = NULL;
        struct buf body = { 0 };

        read_pod(scene, name, &body);
        assert_int_equal(json_parse(buf_view(&body), &doc, NULL), 0);
        snprintf(uid, 64, SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(json_doc_root(doc), "metadata"), "uid")));
        json_doc_free(doc);
        buf_release(&body);
}

/* Asks through the gate, as this requester. */
static struct call *evict(struct scene *scene, size_t index, const char *name,
                          const char *requester) {
        struct call *call = &scene->calls[index];
        char path[200], body[500], uid[64];

        uid_of(scene, name, uid);
        snprintf(path, sizeof(path), PODS "/%s/eviction", name);
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":"
                 "\"%s\",\"annotations\":{\"requested-by\":\"%s\"}},\"deleteOptions\":{"
                 "\"preconditions\":{\"uid\":\"%s\"}}}",
                 name, requester, uid);
        *call = (struct call){ 0 };
        call->open = transport_call(&scene->gated,
                                    &(struct api_call){ .method = API_POST,
                                                        .path = slice_of(path),
                                                        .body = slice_of(body) },
                                    on_answered, call);
        return call;
}

static const struct eviction_slot_limits one_per_node = { .node = 1 };

#define DESCHEDULER "sigs.k8s.io/descheduler"
#define KURED "kured"

/* Plain pods are nobody's business here: as many at a time as are asked for, and no call more. */
static void test_plain_ones_pass(void **state) {
        struct scene *scene = scene_new(&one_per_node, false);
        uint64_t calls;

        (void)state;
        add_pod(scene, "a", "", "n0");
        add_pod(scene, "b", "", "n0");
        list_pods(scene);
        calls = sim_faults_calls(scene->counting);
        evict(scene, 0, "a", KURED);
        evict(scene, 1, "b", KURED);
        wait_s(scene, 1);
        assert_int_equal(scene->calls[0].status, 201);
        assert_int_equal(scene->calls[1].status, 201);
        assert_int_equal(sim_faults_calls(scene->counting), calls + 2);
        scene_free(scene);
}

static bool is_evicted(struct scene *scene, const char *name) {
        struct buf body = { 0 };
        bool is_leaving;

        read_pod(scene, name, &body);
        is_leaving = slice_contains(buf_view(&body), SLICE_LITERAL("deletionTimestamp"));
        if (is_leaving)
                show_model(scene, name, CHANGE_UPDATED);
        buf_release(&body);
        return is_leaving;
}

/* Machines of a node leave one after the other; a call that waits is told what for, and keeps its
 * place. */
static void machines_in_turn(struct scene *scene) {
        add_pod(scene, "a", VM, "n0");
        add_pod(scene, "b", VM, "n0");
        add_pod(scene, "c", VM, "n1");
        list_pods(scene);
        evict(scene, 0, "a", DESCHEDULER);
        wait_s(scene, 1);
        evict(scene, 1, "b", DESCHEDULER);
        evict(scene, 2, "c", DESCHEDULER);
        wait_s(scene, 3);
        assert_true(is_evicted(scene, "a"));
        assert_false(is_evicted(scene, "b"));
        assert_true(is_evicted(scene, "c"));
        wait_s(scene, SLOT_PATIENCE_NS / NS_PER_S);
        assert_int_equal(scene->calls[1].status, 429);
        assert_string_equal(scene->calls[1].text, "waiting for a slot of its node");
        evict(scene, 1, "b", DESCHEDULER);
        remove_pod(scene, "a");
        wait_s(scene, 10);
        assert_int_equal(scene->calls[1].status, 201);
        assert_true(is_evicted(scene, "b"));
}

static void test_machines_in_turn(void **state) {
        struct scene *scene = scene_new(&one_per_node, false);

        (void)state;
        machines_in_turn(scene);
        scene_free(scene);
}

static void test_machines_of_a_model(void **state) {
        struct scene *scene = scene_new(&one_per_node, false);

        (void)state;
        scene->cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        slot_gate_know(scene->gate, scene->cluster);
        machines_in_turn(scene);
        scene_free(scene);
}

/* Two roles of one process: the later reboot goes before the descheduler. */
static void test_order_of_roles(void **state) {
        struct scene *scene = scene_new(&one_per_node, false);

        (void)state;
        add_pod(scene, "a", VM, "n0");
        add_pod(scene, "b", VM, "n0");
        add_pod(scene, "c", VM, "n0");
        list_pods(scene);
        evict(scene, 0, "a", DESCHEDULER);
        wait_s(scene, 1);
        evict(scene, 1, "b", DESCHEDULER);
        wait_s(scene, 1);
        evict(scene, 2, "c", KURED);
        wait_s(scene, 1);
        remove_pod(scene, "a");
        wait_s(scene, 10);
        assert_int_equal(scene->calls[2].status, 201);
        assert_int_equal(scene->calls[1].status, 0);
        scene_free(scene);
}

/* Evictions of other processes are seen: one in the background, one by the subresource. */
static void test_others_count(void **state) {
        static const char *const others[] = { MOVING, VM };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(others); i++) {
                struct scene *scene = scene_new(&one_per_node, false);

                add_pod(scene, "other", others[i], "n0");
                add_pod(scene, "a", VM, "n0");
                if (i == 1)
                        assert_int_equal(ask(scene, "POST", PODS "/other/eviction",
                                             "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\","
                                             "\"metadata\":{\"name\":\"other\"}}",
                                             NULL),
                                         201);
                list_pods(scene);
                evict(scene, 0, "a", KURED);
                wait_s(scene, 10);
                assert_false(is_evicted(scene, "a"));
                remove_pod(scene, "other");
                wait_s(scene, 10);
                assert_int_equal(scene->calls[0].status, 201);
                scene_free(scene);
        }
}

/* A budget says no: the slot is the next one's at once. */
static void test_refused_ones_wait_outside(void **state) {
        struct scene *scene = scene_new(&one_per_node, false);

        (void)state;
        add_pod(scene, "a", VM, "n0");
        add_pod(scene, "b", VM, "n0");
        assert_int_equal(
                ask(scene, "POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                    "{\"metadata\":{\"name\":\"x\",\"generation\":1},\"spec\":{\"minAvailable\":9,"
                    "\"selector\":{\"matchLabels\":{\"guarded\":\"yes\"}}}}",
                    NULL),
                201);
        assert_int_equal(ask(scene, "PATCH", PODS "/a",
                             "{\"metadata\":{\"labels\":{\"guarded\":\"yes\"}}}", NULL),
                         200);
        list_pods(scene);
        evict(scene, 0, "a", KURED);
        wait_s(scene, 1);
        evict(scene, 1, "b", KURED);
        wait_s(scene, 3);
        assert_int_equal(scene->calls[0].status, 429);
        assert_int_equal(scene->calls[1].status, 201);
        scene_free(scene);
}

/* Who gives up waiting is out of the line. */
static void test_cancelled(void **state) {
        struct scene *scene = scene_new(&one_per_node, false);
        struct slot_ledger_stats stats;

        (void)state;
        add_pod(scene, "a", VM, "n0");
        add_pod(scene, "b", VM, "n0");
        list_pods(scene);
        evict(scene, 0, "a", KURED);
        wait_s(scene, 1);
        evict(scene, 1, "b", KURED);
        wait_s(scene, 1);
        slot_gate_stats(scene->gate, &stats);
        assert_int_equal(stats.waiting, 1);
        transport_cancel(&scene->gated, scene->calls[1].open);
        remove_pod(scene, "a");
        wait_s(scene, 10);
        slot_gate_stats(scene->gate, &stats);
        assert_int_equal(stats.waiting, 0);
        assert_int_equal(stats.held, 0);
        assert_false(is_evicted(scene, "b"));
        scene_free(scene);
}

/* Pods that cannot be read any more do not hold their slots for ever. */
static void test_unreadable(void **state) {
        struct scene *scene = scene_new(&one_per_node, false);
        struct slot_ledger_stats stats;

        (void)state;
        add_pod(scene, "a", VM, "n0");
        list_pods(scene);
        evict(scene, 0, "a", KURED);
        wait_s(scene, 3);
        sim_faults_begin_outage(scene->counting, 700 * NS_PER_S);
        wait_s(scene, 500);
        slot_gate_stats(scene->gate, &stats);
        assert_int_equal(stats.held, 1);
        wait_s(scene, 150);
        slot_gate_stats(scene->gate, &stats);
        assert_int_equal(stats.held, 0);
        scene_free(scene);
}

/* Slots for all: plain pods wait, too. */
static void test_for_all(void **state) {
        struct scene *scene = scene_new(&one_per_node, true);

        (void)state;
        add_pod(scene, "a", "", "n0");
        add_pod(scene, "b", "", "n0");
        list_pods(scene);
        evict(scene, 0, "a", KURED);
        evict(scene, 1, "b", KURED);
        wait_s(scene, 3);
        assert_int_equal(scene->calls[0].status, 201);
        assert_int_equal(scene->calls[1].status, 0);
        remove_pod(scene, "a");
        wait_s(scene, 10);
        assert_int_equal(scene->calls[1].status, 201);
        scene_free(scene);
}

/* ---- EvictionRequests of the native kind ---- */

#define LIFECYCLE "/apis/lifecycle.k8s.io/v1alpha1/namespaces/default"

/* As if somebody reconciled: an Eviction whose status this manager wrote, a responder at work. */
static void add_eviction(struct scene *scene, const char *manager) {
        struct api_server_request request = {
                .method = SLICE_LITERAL("PATCH"),
                .target = SLICE_LITERAL(LIFECYCLE "/evictions/e/status"),
                .content_type = SLICE_LITERAL("application/merge-patch+json"),
                .body = SLICE_LITERAL(
                        "{\"status\":{\"observedGeneration\":1,\"targetResponders\":[{\"name\":"
                        "\"mover.example.com/m\",\"priority\":5000,\"state\":\"Active\"},{\"name\":"
                        "\"imperative-eviction.k8s.io/evictor\",\"priority\":100,\"state\":"
                        "\"Inactive\"}],\"responders\":[{\"name\":\"mover.example.com/m\","
                        "\"startTime\":\"2026-01-01T00:00:00.000000Z\"},{\"name\":"
                        "\"imperative-eviction.k8s.io/evictor\"}]}}"),
                .user = &api_user_admin,
                .user_agent = slice_of(manager)
        };
        struct http_response response;

        assert_int_equal(ask(scene, "POST", LIFECYCLE "/evictions",
                             "{\"metadata\":{\"name\":\"e\"},\"spec\":{\"target\":{\"pod\":{"
                             "\"name\":\"x\",\"uid\":\"12345678-1234-4abc-8def-1234567890ab\"}}}}",
                             NULL),
                         201);
        api_server_handle(scene->server, &request, &response);
        if (response.status != 200)
                fail_msg(SLICE_FMT, SLICE_ARG(buf_view(&response.body)));
        http_response_release(&response);
}

static struct call *want(struct scene *scene, size_t index, const char *name) {
        struct call *call = &scene->calls[index];
        char body[500], uid[64];

        uid_of(scene, name, uid);
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"target\":{\"pod\":{\"name\":\"%s\","
                 "\"uid\":\"%s\"}},\"requester\":\"evict.berth.dev/cli\",\"intent\":\"Eviction\"}}",
                 name, name, uid);
        *call = (struct call){ 0 };
        call->open = transport_call(
                &scene->gated,
                &(struct api_call){ .method = API_POST,
                                    .path = SLICE_LITERAL(LIFECYCLE "/evictionrequests"),
                                    .body = slice_of(body) },
                on_answered, call);
        return call;
}

/* Slots where another controller grants none: they are taken before anything is asked.  Our own
 * controller grants them itself. */
static void test_requests(void **state) {
        static const struct {
                const char *manager;
                bool waits;
        } cases[] = { { "kube-controller-manager", true }, { "berth-evictions", false } };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene *scene =
                        scene_new(&(struct eviction_slot_limits){ .total = 1 }, false);

                add_pod(scene, "a", VM, "n0");
                add_pod(scene, "plain", "", "n0");
                add_eviction(scene, cases[i].manager);
                list_pods(scene);
                want(scene, 0, "a");
                want(scene, 1, "plain");
                wait_s(scene, 2 * SLOT_PATIENCE_NS / NS_PER_S);
                assert_int_equal(scene->calls[0].status, cases[i].waits ? 0 : 201);
                assert_int_equal(scene->calls[1].status, 201);
                assert_int_equal(ask(scene, "DELETE", LIFECYCLE "/evictions/e", "", NULL), 200);
                wait_s(scene, 10);
                assert_int_equal(scene->calls[0].status, 201);
                scene_free(scene);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_plain_ones_pass),
                cmocka_unit_test(test_machines_in_turn),
                cmocka_unit_test(test_machines_of_a_model),
                cmocka_unit_test(test_order_of_roles),
                cmocka_unit_test(test_others_count),
                cmocka_unit_test(test_refused_ones_wait_outside),
                cmocka_unit_test(test_cancelled),
                cmocka_unit_test(test_unreadable),
                cmocka_unit_test(test_for_all),
                cmocka_unit_test(test_requests),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
