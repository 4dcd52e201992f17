/* An event names the version of the pod that was last seen, as upstream's references do. */
#include "role_world.h"

#include "api/json.h"
#include "base/buf.h"
#include "server/api_server.h"
#include <stdio.h>
#include <string.h>

#define ITERATIONS_MAX 20000
#define QUIET_ITERATIONS 10
#define PODS "/api/v1/namespaces/default/pods"
#define EVENTS "/apis/events.k8s.io/v1/namespaces/default/events"

/* Nothing of this goes through sockets or timers: once some iterations brought nothing, nothing
 * comes any more. */
static void settle(struct role_world *world) {
        struct err err = { 0 };
        int quiet = 0;

        for (int i = 0; i < ITERATIONS_MAX && quiet < QUIET_ITERATIONS; i++) {
                struct runtime_stats stats;

                assert_int_equal(event_loop_run_once(world->events, NS_PER_MS, &err), 0);
                runtime_stats(world->runtime, &stats);
                quiet = runtime_is_synced(world->runtime) && !stats.is_writing ? quiet + 1 : 0;
        }
        assert_int_equal(quiet, QUIET_ITERATIONS);
}

static void note_list(void *context, const struct api_reply *reply) {
        struct json_doc **doc = context;
        struct err err = { 0 };

        assert_int_equal(reply->status, 200);
        assert_int_equal(json_parse(reply->body, doc, &err), 0);
}

/* Its list; to be freed. */
static struct json_doc *list_of(struct role_world *world, const char *path) {
        struct transport transport = sandbox_transport(world->sandbox, &api_user_admin, "test");
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        transport_call(&transport, &(struct api_call){ .method = API_GET, .path = slice_of(path) },
                       note_list, &doc);
        for (int i = 0; i < ITERATIONS_MAX && !doc; i++)
                assert_int_equal(event_loop_run_once(world->events, NS_PER_MS, &err), 0);
        assert_non_null(doc);
        return doc;
}

static void record(struct role_world *world, struct slice uid, const char *reason) {
        struct action_list actions;
        struct action event = { .kind = ACTION_RECORD_EVENT,
                                .target = { SLICE_LITERAL("Pod"), SLICE_LITERAL("default"),
                                            SLICE_LITERAL("p"), uid },
                                .event = { .reason = slice_of(reason),
                                           .action = SLICE_LITERAL("Looking"),
                                           .note = SLICE_LITERAL("n"),
                                           .controller = SLICE_LITERAL("example.com/c") } };

        action_list_init(&actions);
        action_list_add(&actions, &event);
        runtime_submit(world->runtime, NULL, &actions);
        action_list_release(&actions);
        settle(world);
}

static const struct json *regarding_of(const struct json_doc *events, const char *reason) {
        struct json_iter iter = json_iter(json_get(json_doc_root(events), "items"));
        const struct json *event;

        while (json_next(&iter, NULL, &event))
                if (slice_is(json_get_text(event, "reason"), reason))
                        return json_get(event, "regarding");
        fail_msg("no event %s", reason);
        return NULL;
}

static void check_event(struct role_world *world, const struct json *meta) {
        struct json_doc *events = list_of(world, EVENTS);
        const struct json *seen = regarding_of(events, "Seen");

        assert_true(slice_is(json_get_text(seen, "kind"), "Pod"));
        assert_true(slice_is(json_get_text(seen, "apiVersion"), "v1"));
        assert_true(slice_eq(json_get_text(seen, "uid"), json_get_text(meta, "uid")));
        assert_true(json_get_text(meta, "resourceVersion").len > 0);
        assert_true(slice_eq(json_get_text(seen, "resourceVersion"),
                             json_get_text(meta, "resourceVersion")));
        assert_null(json_get(regarding_of(events, "Other"), "resourceVersion"));
        json_doc_free(events);
}

static void test_version(void **state) {
        /* Nobody changes a pod with a gate. */
        static const char pod[] = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                                  "\"p\"},\"spec\":{\"schedulingGates\":[{\"name\":\"g\"}],"
                                  "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
        struct role_world world = { 0 };
        struct err err = { 0 };

        (void)state;
        role_world_init(&world, "none");
        role_world_start(&world, sandbox_transport(world.sandbox, &api_user_scheduler, "test"),
                         NULL);
        assert_int_equal(sandbox_import_text(world.import, slice_of(pod), &err), 0);
        settle(&world);
        struct json_doc *pods = list_of(&world, PODS);
        const struct json *meta =
                json_get(json_at(json_get(json_doc_root(pods), "items"), 0), "metadata");
        record(&world, json_get_text(meta, "uid"), "Seen");
        record(&world, SLICE_LITERAL("of-another-pod"), "Other");
        check_event(&world, meta);
        json_doc_free(pods);
        role_world_release(&world);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_version) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
