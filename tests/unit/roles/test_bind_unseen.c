/* A binding that was answered as done and was not: the scheduler over an API server in virtual
 * time, with a transport in between that lies. */
#include "base/util.h"
#include "loop/runtime.h"
#include "model/cluster.h"
#include "role_world.h"
#include "roles/role_config.h"
#include "roles/scheduler_role.h"
#include "virtual_api.h"
#include <stdlib.h>

enum lie {
        LIE_NONE,
        LIE_BINDING,     /* answered as done, not passed on: what some proxies and webhooks do */
        LIE_WATCH,       /* nothing is told any more from a binding on */
        LIE_WATCH_SILENT /* nor does anybody answer questions about pods */
};

struct world {
        struct virtual_api api;
        struct role_config config;
        struct runtime *runtime;
        struct scheduler *scheduler;
        enum lie lie;
        bool is_deaf;
        unsigned bindings, lies, questions;
};

/* ---- the transport ---- */

static bool ends_with(struct slice text, const char *end) {
        size_t len = strlen(end);

        return text.len >= len && memcmp(text.ptr + text.len - len, end, len) == 0;
}

/* The server says yes to a question that does not matter, in the name of the binding. */
static struct api_call without_effect(const struct api_call *call) {
        return (struct api_call){ .method = API_GET,
                                  .path = SLICE_LITERAL("/api/v1/namespaces/default"),
                                  .accept = call->accept };
}

static struct api_request *lying_call(void *self, const struct api_call *call,
                                      void (*done)(void *context, const struct api_reply *reply),
                                      void *context) {
        struct world *world = self;
        struct api_call sent = *call;

        if (ends_with(call->path, "/binding")) {
                world->bindings++;
                world->is_deaf = world->lie == LIE_WATCH || world->lie == LIE_WATCH_SILENT;
                if (world->lie == LIE_BINDING) {
                        world->lies++;
                        sent = without_effect(call);
                }
        } else if (call->method == API_GET && ends_with(call->path, PODS "/p")) {
                world->questions++;
                if (world->lie == LIE_WATCH_SILENT)
                        sent = (struct api_call){ .method = API_POST, /* 400 */
                                                  .path = SLICE_LITERAL("/api/v1/namespaces"),
                                                  .body = SLICE_LITERAL("?") };
        }
        return transport_call(&world->api.transport, &sent, done, context);
}

/* A stream whose news may be kept back. */
struct deaf_stream {
        struct world *world;
        const struct api_stream_events *events;
        void *context;
};

static void deaf_opened(void *context, int status) {
        struct deaf_stream *stream = context;

        if (stream->events->opened)
                stream->events->opened(stream->context, status);
}

static void deaf_data(void *context, struct slice chunk) {
        struct deaf_stream *stream = context;

        if (!stream->world->is_deaf)
                stream->events->data(stream->context, chunk);
}

static void deaf_ended(void *context, const struct api_reply *reply) {
        struct deaf_stream *stream = context;

        stream->events->ended(stream->context, reply);
}

static const struct api_stream_events deaf_events = { deaf_opened, deaf_data, deaf_ended };
static struct deaf_stream streams[256];
static size_t stream_count;

static struct api_request *lying_stream(void *self, const struct api_call *call,
                                        const struct api_stream_events *events, void *context) {
        struct world *world = self;

        assert_true(stream_count < ARRAY_LEN(streams));
        streams[stream_count] = (struct deaf_stream){ world, events, context };
        return transport_stream(&world->api.transport, call, &deaf_events,
                                &streams[stream_count++]);
}

static void lying_cancel(void *self, struct api_request *request) {
        transport_cancel(&((struct world *)self)->api.transport, request);
}

static const struct transport_ops lying_ops = { lying_call, lying_stream, lying_cancel };

/* ---- the world ---- */

static void put_pod(struct world *world, const char *name) {
        char body[512];

        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                 "\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"3\"}}}]}}",
                 name);
        assert_int_equal(ask(&world->api, "POST", PODS, body), 201);
}

static bool is_bound(struct world *world, const char *name) {
        char path[128];

        snprintf(path, sizeof(path), PODS "/%s", name);
        return ask(&world->api, "GET", path, "") == 200 && strstr(world->api.text, "\"nodeName\":");
}

static const struct pod_row *row_of(struct world *world, const char *name) {
        const struct cluster *cluster = runtime_cluster(world->runtime);
        struct pod_id id = cluster_find_pod(cluster, SLICE_LITERAL("default"), slice_of(name));

        return pod_id_is_none(id) ? NULL : cluster_pod(cluster, id);
}

static void pass(struct world *world, int64_t seconds) {
        virtual_loop_advance(world->api.loop, seconds * NS_PER_S);
}

static int set_up(void **state) {
        struct world *world = xcalloc(1, sizeof(*world));

        stream_count = 0;
        virtual_api_init(&world->api);
        put_node(&world->api, "n1", "4");
        world->scheduler = start_scheduler(virtual_loop_get(world->api.loop),
                                           (struct transport){ .ops = &lying_ops, .self = world },
                                           NULL, &world->config, &world->runtime);
        pass(world, 2);
        *state = world;
        return 0;
}

static int tear_down(void **state) {
        struct world *world = *state;

        runtime_free(world->runtime);
        role_config_release(&world->config);
        virtual_api_release(&world->api);
        free(world);
        return 0;
}

/* ---- cases ---- */

static void test_bound_pods_are_not_asked_for(void **state) {
        struct world *world = *state;

        put_pod(world, "p");
        pass(world, 120);
        assert_true(is_bound(world, "p"));
        assert_int_equal(world->bindings, 1);
        assert_int_equal(world->questions, 0);
}

/* The first three answers are lies; then the pod gets its node all the same. */
static void test_binding_without_effect_is_made_again(void **state) {
        struct world *world = *state;

        world->lie = LIE_BINDING;
        put_pod(world, "p");
        pass(world, 20);
        assert_int_equal(world->lies, 1);
        assert_int_equal(world->questions, 0);
        pass(world, 80);
        assert_in_range(world->lies, 2, 4); /* every 30 s and back-off, not in a circle */
        assert_false(is_bound(world, "p"));
        assert_int_equal(ask(&world->api, "GET", PODS "/p", ""), 200);
        assert_non_null(strstr(world->api.text, "answered as done, but the pod is not bound"));
        world->lie = LIE_NONE;
        pass(world, 60);
        assert_true(is_bound(world, "p"));
        assert_int_equal(row_of(world, "p")->flags & POD_ASSUMED, 0);
}

/* Bound, and the watch does not say so: its room stays taken, and it is not bound again. */
static void test_bound_unseen_keeps_its_room(void **state) {
        struct world *world = *state;

        world->lie = LIE_WATCH;
        put_pod(world, "p");
        pass(world, 40);
        assert_int_equal(world->bindings, 1);
        assert_int_equal(world->questions, 1);
        assert_true((row_of(world, "p")->flags & POD_ASSUMED) != 0);
}

/* Bound, then deleted, and the watch tells neither. */
static void test_gone_unseen_is_dropped(void **state) {
        struct world *world = *state;

        world->lie = LIE_WATCH;
        put_pod(world, "p");
        pass(world, 10);
        assert_int_equal(ask(&world->api, "DELETE", PODS "/p", "{\"gracePeriodSeconds\":0}"), 200);
        pass(world, 30);
        assert_int_equal(world->questions, 1);
        assert_null(row_of(world, "p"));
        assert_int_equal(world->bindings, 1);
}

/* Nobody knows: nothing is given away, and the question is asked again. */
static void test_no_answer_changes_nothing(void **state) {
        struct world *world = *state;

        world->lie = LIE_WATCH_SILENT;
        put_pod(world, "p");
        pass(world, 35);
        unsigned questions = world->questions;
        assert_true(questions > 1);
        pass(world, 60);
        assert_true(world->questions > questions);
        assert_int_equal(world->bindings, 1);
        assert_true((row_of(world, "p")->flags & POD_ASSUMED) != 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_bound_pods_are_not_asked_for),
                TEST(test_binding_without_effect_is_made_again),
                TEST(test_bound_unseen_keeps_its_room),
                TEST(test_gone_unseen_is_dropped),
                TEST(test_no_answer_changes_nothing),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
