/* From a model to what a terminal shows of it. */
#include "cmd/top_gather.h"

#include "base/util.h"
#include "dashboard/event_ring.h"

#include "../model/model_test.h"

#define NOW_S 1767261600 /* 2026-01-01T10:00:00Z */

static struct slice reason_for_test(void *context, struct pod_id pod) {
        (void)context;
        (void)pod;
        return SLICE_LITERAL("explained");
}

static struct cluster *cluster_of_test(void) {
        struct cluster *cluster = cluster_for_test();

        put_node(cluster, "web-1", "'pool':'web'");
        put_node(cluster, "web-2", "'pool':'web-large'");
        put(cluster, OBJECT_NODE,
            "{'metadata':{'name':'gpu-1','labels':{'pool':'gpu'}},'spec':{'unschedulable':true},"
            "'status':{'allocatable':{'cpu':'1','memory':'1Gi','pods':'1','nvidia.com/gpu':'8',"
            "'ephemeral-storage':'1Gi'},'conditions':[{'type':'Ready','status':'False'}]}}");
        put_pod(cluster, "a", "web-2");
        put_pod(cluster, "b", "web-2");
        put_pod(cluster, "c", "gpu-1");
        put_pod(cluster, "d", "gpu-1");
        put_pod(cluster, "waits", "");
        put(cluster, OBJECT_POD,
            "{'metadata':{'namespace':'ns','name':'gated','uid':'g','creationTimestamp':"
            "'2026-01-01T09:59:00Z'},'spec':{'schedulingGates':[{'name':'x'}],'containers':[{"
            "'name':'c'}]},'status':{'phase':'Pending'}}");
        return cluster;
}

static struct top_data gather(struct cluster *cluster, struct arena *arena,
                              const struct top_state *state, const char *resources,
                              const struct event_ring *events) {
        struct top_data data;

        arena_clear(arena);
        top_gather(&(struct top_sources){ .cluster = cluster,
                                          .events = events,
                                          .resources = slice_of(resources),
                                          .now = { NOW_S * NS_PER_S },
                                          .reason = reason_for_test },
                   state, arena, &data);
        return data;
}

/* Names of the nodes, in order. */
static void expect_nodes(const struct top_data *data, const char *names) {
        char text[200] = "";

        for (size_t i = 0; i < data->node_count; i++)
                snprintf(text + strlen(text), sizeof(text) - strlen(text), SLICE_FMT " ",
                         SLICE_ARG(data->nodes[i].name));
        assert_string_equal(text, names);
}

static void test_filter_and_order(void **state) {
        static const struct {
                struct top_state state;
                const char *nodes;
        } cases[] = {
                { { .sort = 0 }, "gpu-1 web-1 web-2 " },
                { { .sort = 0, .is_reversed = true }, "web-2 web-1 gpu-1 " },
                { { .sort = 1 }, "gpu-1 web-2 web-1 " },
                { { .sort = 1, .is_reversed = true }, "web-1 web-2 gpu-1 " },
                { { .sort = 3 }, "gpu-1 web-2 web-1 " },
                { { .sort = 9 }, "gpu-1 web-1 web-2 " },
                { { .filter = "WEB" }, "web-1 web-2 " },
                { { .filter = "web  2" }, "web-2 " },
                { { .filter = "pool=web" }, "web-1 web-2 " },
                { { .filter = "pool=web-" }, "web-2 " },
                { { .filter = "pool=" }, "gpu-1 web-1 web-2 " },
                { { .filter = "poo=web" }, "" },
                { { .filter = "is:over" }, "gpu-1 " },
                { { .filter = "is:cordoned" }, "gpu-1 " },
                { { .filter = "is:not" }, "gpu-1 " },
                { { .filter = "is:empty" }, "web-1 " },
                { { .filter = "is:tainted" }, "" },
                { { .filter = "is:nonsense" }, "" },
                { { .filter = "is:empty gpu" }, "" },
        };
        struct cluster *cluster = cluster_of_test();
        CLEANUP(arena_release) struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct top_data data = gather(cluster, &arena, &cases[i].state, NULL, NULL);

                expect_nodes(&data, cases[i].nodes);
        }
        cluster_free(cluster);
}

static void test_resources(void **state) {
        static const struct {
                const char *asked, *names;
        } cases[] = {
                { NULL, "cpu memory pods nvidia.com/gpu " },
                { "pods,nvidia.com/gpu", "pods nvidia.com/gpu " },
                { " cpu , cpu,unknown", "cpu " },
                { "ephemeral-storage", "ephemeral-storage " },
        };
        struct cluster *cluster = cluster_of_test();
        CLEANUP(arena_release) struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct top_data data =
                        gather(cluster, &arena, &(struct top_state){ 0 }, cases[i].asked, NULL);
                char text[200] = "";

                for (size_t r = 0; r < data.resource_count; r++)
                        snprintf(text + strlen(text), sizeof(text) - strlen(text), SLICE_FMT " ",
                                 SLICE_ARG(data.resources[r].name));
                assert_string_equal(text, cases[i].names);
                assert_int_equal(data.unknown.len, i == 2 ? strlen("unknown") : 0);
        }
        struct top_data data = gather(cluster, &arena, &(struct top_state){ 0 }, NULL, NULL);
        assert_int_equal(data.unknown.len, 0);
        assert_int_equal(data.resources[2].requested, 4);
        assert_int_equal(data.resources[2].allocatable, 221);
        assert_int_equal(data.nodes[0].requested[2], 2);
        assert_false(data.nodes[0].is_ready);
        assert_int_equal(data.overcommitted, 1);
        assert_string_equal(data.clock.ptr, "10:00:00");
        cluster_free(cluster);
}

static void put_event(struct event_ring *ring, const char *name, const char *reason,
                      const char *note) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_doc *doc = NULL;

        buf_printf(&text,
                   "{\"eventTime\":\"2026-01-01T09:59:0%d.000000Z\",\"reason\":\"%s\","
                   "\"type\":\"Warning\",\"note\":\"%s\",\"regarding\":{\"kind\":\"Pod\","
                   "\"namespace\":\"ns\",\"name\":\"%s\"}}",
                   (int)event_ring_last(ring), reason, note, name);
        assert_int_equal(json_parse(buf_view(&text), &doc, NULL), 0);
        event_ring_put(ring, json_doc_root(doc));
        json_doc_free(doc);
}

static void test_waits_and_events(void **state) {
        struct cluster *cluster = cluster_of_test();
        struct event_ring *ring = event_ring_new();
        CLEANUP(arena_release) struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        struct top_data data = gather(cluster, &arena, &(struct top_state){ 0 }, NULL, ring);
        assert_int_equal(data.waiting, 1);
        assert_int_equal(data.gated, 1);
        assert_int_equal(data.pod_count, 2);
        assert_string_equal(data.waits[0].name.ptr, "waits");
        assert_string_equal(data.waits[0].reason.ptr, "explained");
        assert_int_equal(data.waits[0].age_s, -1);
        assert_string_equal(data.waits[1].reason.ptr, "held by scheduling gates");
        assert_int_equal(data.waits[1].age_s, 60);
        assert_int_equal(data.event_count, 0);
        event_ring_settle(ring);
        put_event(ring, "waits", "FailedScheduling", "older");
        put_event(ring, "waits", "FailedScheduling", "0/3 nodes");
        put_event(ring, "a", "Pulled", "of no interest here");
        put_event(ring, "a", "Evicted", "");
        data = gather(cluster, &arena, &(struct top_state){ 0 }, NULL, ring);
        assert_string_equal(data.waits[0].reason.ptr, "0/3 nodes");
        assert_int_equal(data.event_count, 4);
        assert_string_equal(data.events[0].kind.ptr, "evicted");
        assert_string_equal(data.events[0].note.ptr, "Evicted");
        assert_string_equal(data.events[0].about.ptr, "ns/a");
        assert_string_equal(data.events[0].time.ptr, "09:59:03");
        data = gather(cluster, &arena, &(struct top_state){ .filter = "wait is:over" }, NULL, ring);
        assert_int_equal(data.pod_count, 1);
        assert_int_equal(data.event_count, 2);
        event_ring_free(ring);
        cluster_free(cluster);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_filter_and_order),
                cmocka_unit_test(test_resources),
                cmocka_unit_test(test_waits_and_events),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
