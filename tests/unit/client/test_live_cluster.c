/* The parts of this room together, over real connections to the sandbox's server in this process.
 */
#include "live_server.h"

#include "client/event_recorder.h"
#include "client/lease_elector.h"
#include "client/reflector.h"
#include "client/write_queue.h"
#include "store/store.h"

#define PODS "/api/v1/namespaces/default/pods"
#define COUNT 2000
#define QUICK_NS (2 * NS_PER_MS)

/* What the consumer of a reflector believes: which pods there are. */
struct mirror {
        bool has[COUNT * 2];
        int count, changes, syncs, failures, wrong;
};

static int number_of(const struct json *object) {
        struct slice name = json_get_text(json_get(object, "metadata"), "name");
        uint64_t number = 0;

        slice_to_u64(slice_make(name.ptr + 1, name.len - 1), &number);
        return (int)number;
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct mirror *mirror = context;
        int number = number_of(object);

        mirror->changes++;
        /* The history must be well-formed, see reflector.h. */
        mirror->wrong += mirror->has[number] != (change != REFLECTOR_ADDED);
        mirror->has[number] = change != REFLECTOR_DELETED;
        mirror->count += (change == REFLECTOR_ADDED) - (change == REFLECTOR_DELETED);
}

static void on_synced(void *context) {
        ((struct mirror *)context)->syncs++;
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        (void)err;
        (void)delay_ns;
        ((struct mirror *)context)->failures++;
}

static const struct reflector_events reflecting = { on_changed, on_synced, on_failed };

static void make_pods(struct live *live, int first, int end) {
        for (int i = first; i < end; i++) {
                char body[192];

                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"p%d\"},\"spec\":{\"containers\":"
                         "[{\"name\":\"c\",\"image\":\"i\"}]}}",
                         i);
                assert_int_equal(live_do(live, "POST", PODS, body), 201);
        }
}

static void remove_pod(struct live *live, int number) {
        char path[64];

        snprintf(path, sizeof(path), PODS "/p%d?gracePeriodSeconds=0", number);
        assert_int_equal(live_do(live, "DELETE", path, ""), 200);
}

static struct reflector *follow(struct live *live, struct mirror *mirror) {
        struct reflector_config config = { .path = "/api/v1/pods", .backoff_min_ns = QUICK_NS };

        *mirror = (struct mirror){ 0 };
        return reflector_new(&config, &live->transport, live->loop, &reflecting, mirror);
}

static void hang_up(struct live *live) {
        http_front_free(live->front);
        live->front = NULL;
}

static void check_list_and_watch(bool is_tls) {
        struct live live;
        struct mirror mirror;
        struct reflector *reflector;

        live_start(&live, is_tls);
        make_pods(&live, 0, COUNT);
        reflector = follow(&live, &mirror);
        live_until(&live, &mirror.syncs, 1);
        assert_int_equal(mirror.count, COUNT);
        assert_int_equal(reflector_stats(reflector).pages, 4);
        live_run_once(&live, 3);
        make_pods(&live, COUNT, COUNT + 10);
        remove_pod(&live, 7); /* marked, then gone */
        live_until(&live, &mirror.changes, COUNT + 12);
        assert_int_equal(mirror.count, COUNT + 9);

        hang_up(&live); /* what happens meanwhile is told after the resumption, without a list */
        make_pods(&live, COUNT + 10, COUNT + 20);
        remove_pod(&live, 8);
        live_until(&live, &mirror.failures, 2);
        live_listen(&live);
        live_until(&live, &mirror.changes, COUNT + 24);
        assert_int_equal(mirror.count, COUNT + 18);
        assert_int_equal(reflector_stats(reflector).lists, 1);

        hang_up(&live); /* the history is gone meanwhile: a list tells the difference */
        make_pods(&live, COUNT + 20, COUNT + 30);
        remove_pod(&live, 9);
        store_compact(api_server_store(live.server), store_revision(api_server_store(live.server)));
        live_listen(&live);
        live_until(&live, &mirror.syncs, 2);
        assert_int_equal(mirror.changes, COUNT + 35);
        assert_int_equal(mirror.count, COUNT + 27);
        assert_int_equal(mirror.wrong, 0);
        assert_int_equal(reflector_count(reflector), COUNT + 27);
        assert_int_equal(reflector_stats(reflector).expirations, 1);
        reflector_free(reflector);
        live_stop(&live);
}

static void test_list_and_watch_plain(void **state) {
        (void)state;
        check_list_and_watch(false);
}

static void test_list_and_watch_tls(void **state) {
        (void)state;
        check_list_and_watch(true);
}

/* ---- writes ---- */

struct tally {
        int results, succeeded;
};

static void on_result(void *context, const struct write_result *result) {
        struct tally *tally = context;

        tally->results++;
        tally->succeeded += result->outcome == WRITE_ANSWERED && result->reply->status < 300;
}

static void bind_pod(struct write_queue *queue, struct tally *tally, int number) {
        char name[16], path[80], body[128];
        struct write_request write = { .lane = WRITE_BIND,
                                       .kind = SLICE_LITERAL("Pod"),
                                       .namespace_name = SLICE_LITERAL("default"),
                                       .method = API_POST,
                                       .done = on_result,
                                       .context = tally };

        snprintf(name, sizeof(name), "p%d", number);
        snprintf(path, sizeof(path), PODS "/%s/binding", name);
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"%s\"},"
                 "\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}",
                 name);
        write.name = slice_of(name);
        write.path = slice_of(path);
        write.body = slice_of(body);
        write_queue_add(queue, &write);
}

static void test_writes(void **state) {
        struct live live;
        struct tally tally = { 0 };
        struct write_queue *queue;
        struct event_recorder *recorder;
        struct live_rows before;
        struct event_note note = {
                .reason = SLICE_LITERAL("Scheduled"),
                .action = SLICE_LITERAL("Binding"),
                .note = SLICE_LITERAL("ok"),
                .regarding = { .kind = SLICE_LITERAL("Pod"),
                               .namespace_name = SLICE_LITERAL("default"),
                               .name = SLICE_LITERAL("p1") },
        };

        (void)state;
        live_start(&live, true);
        before = live_rows(live.port);
        make_pods(&live, 0, 200);
        queue = write_queue_new(&(struct write_queue_config){ 0 }, &live.transport, live.loop);
        recorder = event_recorder_new(&(struct event_recorder_config){ .controller = "s" }, queue,
                                      live.loop);
        for (int i = 0; i < 200; i++) {
                bind_pod(queue, &tally, i);
                if (i % 20 == 19) /* in batches: connections stay between them */
                        live_until(&live, &tally.results, i + 1);
        }
        for (int i = 0; i < 5; i++)
                event_recorder_add(recorder, &note);
        while (!write_queue_is_idle(queue))
                live_run_once(&live, 1);
        assert_int_equal(tally.results, 200);
        assert_int_equal(tally.succeeded, 200);
        /* They stay from batch to batch: mostly as many as writes at a time, never one for each. */
        assert_in_range(live_connections(live.port, &before), 1, 100);
        assert_int_equal(write_queue_calls(queue, "POST", "pods/binding"), 200);
        assert_int_equal(write_queue_calls(queue, "POST", "events"), 1);
        assert_int_equal(write_queue_calls(queue, "PATCH", "events"), 1);
        assert_int_equal(event_recorder_stats(recorder).dropped, 0);
        bind_pod(queue, &tally, 3); /* bound already */
        bind_pod(queue, &tally, 900);
        live_until(&live, &tally.results, 202);
        assert_int_equal(tally.succeeded, 200);
        write_queue_free(queue);
        event_recorder_free(recorder);
        live_stop(&live);
}

/* A write that cannot reach the server waits for it. */
static void test_writes_wait_for_server(void **state) {
        struct live live;
        struct tally tally = { 0 };
        struct write_queue *queue;

        (void)state;
        live_start(&live, false);
        make_pods(&live, 0, 1);
        queue = write_queue_new(&(struct write_queue_config){ 0 }, &live.transport, live.loop);
        hang_up(&live);
        bind_pod(queue, &tally, 0);
        while (write_queue_calls(queue, NULL, NULL) == 0 || write_queue_in_flight(queue))
                live_run_once(&live, 1);
        assert_int_equal(tally.results, 0);
        live_listen(&live);
        live_until(&live, &tally.succeeded, 1);
        write_queue_free(queue);
        live_stop(&live);
}

/* ---- leader election ---- */

static void on_started(void *context) {
        ++*(int *)context;
}

static void test_two_electors(void **state) {
        static const struct lease_elector_events events = { .started = on_started };
        struct live live;
        struct http_transport *other;
        struct transport transport;
        struct lease_elector *first, *second;
        struct lease_elector_config config = { .namespace_name = "default",
                                               .name = "l",
                                               .identity = "first",
                                               .retry_period_ns = 5 * NS_PER_MS,
                                               .events = &events };
        int first_started = 0, second_started = 0, released = 0;

        (void)state;
        live_start(&live, true);
        other = live_connect(&live, (struct http_transport_config){ 0 });
        transport = http_transport(other);
        config.context = &first_started;
        assert_int_equal(lease_elector_new(&config, &live.transport, live.loop, &first, NULL), 0);
        live_until(&live, &first_started, 1);
        config.identity = "second";
        config.context = &second_started;
        assert_int_equal(lease_elector_new(&config, &transport, live.loop, &second, NULL), 0);
        live_run_once(&live, 30);
        assert_int_equal(second_started, 0);
        assert_true(lease_elector_is_leader(first));
        lease_elector_release(first, on_started, &released);
        live_until(&live, &released, 1);
        live_until(&live, &second_started, 1);
        assert_false(lease_elector_is_leader(first));
        lease_elector_free(first);
        lease_elector_free(second);
        http_transport_free(other);
        live_stop(&live);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_list_and_watch_plain),
                cmocka_unit_test(test_list_and_watch_tls),
                cmocka_unit_test(test_writes),
                cmocka_unit_test(test_writes_wait_for_server),
                cmocka_unit_test(test_two_electors),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
