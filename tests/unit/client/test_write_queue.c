/* The queue of writes against a server the test plays, in virtual time. */
#include "client/write_queue.h"

#include "client/exact_write.h"
#include "fake_transport.h"
#include "schema/protobuf.h"
#include "schema/protobuf_wire.h"

#define PATCH_TYPE "application/merge-patch+json"

struct scene {
        struct virtual_loop *loop;
        struct fake_transport *fake;
        struct write_queue *queue;
        char text[1024]; /* results: "a=200 b=superseded " */
};

struct note {
        struct scene *scene;
        const char *name;
        bool is_no_op;
};

static void on_result(void *context, const struct write_result *result) {
        static const char *const names[] = { "", "lost", "no-op", "superseded", "refused" };
        const struct note *note = context;
        size_t used = strlen(note->scene->text);
        char text[64];

        if (result->outcome == WRITE_ANSWERED)
                snprintf(text, sizeof(text), "%s=%d ", note->name, result->reply->status);
        else
                snprintf(text, sizeof(text), "%s=%s ", note->name, names[result->outcome]);
        assert_int_equal(!!result->reply,
                         result->outcome == WRITE_ANSWERED || result->outcome == WRITE_LOST);
        snprintf(note->scene->text + used, sizeof(note->scene->text) - used, "%s", text);
}

static bool on_no_op(void *context, struct slice body) {
        const struct note *note = context;

        assert_true(body.len > 0);
        return note->is_no_op;
}

static void scene_init(struct scene *scene, struct write_queue_config config) {
        *scene = (struct scene){ .loop = virtual_loop_new(), .fake = fake_transport_new() };
        scene->queue =
                write_queue_new(&config, &scene->fake->transport, virtual_loop_get(scene->loop));
}

static void scene_end(struct scene *scene) {
        write_queue_free(scene->queue);
        assert_int_equal(virtual_loop_timers(scene->loop), 0);
        fake_transport_free(scene->fake);
        virtual_loop_free(scene->loop);
}

static void settle(struct scene *scene) {
        virtual_loop_advance(scene->loop, 0);
}

static void expect(struct scene *scene, const char *text) {
        assert_string_equal(scene->text, text);
        scene->text[0] = '\0';
}

/* A merge patch of pod `pod`; result reported under its body's key. */
static struct write_request patch_of(struct note *note, const char *pod, const char *body) {
        static char path[4][128];
        static int next;

        next = (next + 1) % 4;
        snprintf(path[next], sizeof(path[next]), "/api/v1/namespaces/n/pods/%s/status", pod);
        return (struct write_request){ .lane = WRITE_STATUS,
                                       .kind = SLICE_LITERAL("Pod"),
                                       .namespace_name = SLICE_LITERAL("n"),
                                       .name = slice_of(pod),
                                       .method = API_PATCH,
                                       .path = slice_of(path[next]),
                                       .content_type = SLICE_LITERAL(PATCH_TYPE),
                                       .body = slice_of(body),
                                       .is_no_op = on_no_op,
                                       .done = on_result,
                                       .context = note };
}

static void add(struct scene *scene, struct write_request write) {
        write_queue_add(scene->queue, &write);
}

static struct write_request bind_of(struct note *note, const char *pod) {
        struct write_request write = patch_of(note, pod, "{\"target\":{\"name\":\"n1\"}}");

        write.lane = WRITE_BIND;
        write.method = API_POST;
        write.path = SLICE_LITERAL("/api/v1/namespaces/n/pods/p/binding");
        write.content_type = SLICE_EMPTY;
        write.is_no_op = NULL;
        return write;
}

static void test_one_call_per_object(void **state) {
        struct scene scene;
        struct note a = { &scene, "a", false }, b = { &scene, "b", false },
                    c = { &scene, "c", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        add(&scene, patch_of(&a, "p", "{\"status\":{\"x\":1,\"y\":1}}"));
        add(&scene, patch_of(&b, "p", "{\"status\":{\"y\":2,\"z\":null}}"));
        assert_int_equal(fake_pending(scene.fake), 0); /* never from inside */
        assert_false(write_queue_is_idle(scene.queue));
        settle(&scene);
        assert_int_equal(fake_pending(scene.fake), 1);
        assert_string_equal(fake_next(scene.fake)->body,
                            "{\"status\":{\"x\":1,\"y\":2,\"z\":null}}");
        assert_string_equal(fake_next(scene.fake)->content_type, PATCH_TYPE);
        add(&scene, patch_of(&c, "p", "{\"status\":{\"y\":3}}")); /* waits for the one on its way */
        settle(&scene);
        assert_int_equal(fake_pending(scene.fake), 1);
        assert_int_equal(write_queue_waiting(scene.queue), 1);
        assert_int_equal(write_queue_in_flight(scene.queue), 1);
        fake_reply(scene.fake, 200, "{}");
        expect(&scene, "a=200 b=200 ");
        settle(&scene);
        assert_string_equal(fake_next(scene.fake)->body, "{\"status\":{\"y\":3}}");
        fake_reply(scene.fake, 404, "{}");
        expect(&scene, "c=404 ");
        assert_true(write_queue_is_idle(scene.queue));
        assert_int_equal(write_queue_calls(scene.queue, "PATCH", "pods/status"), 2);
        assert_int_equal(write_queue_calls(scene.queue, NULL, NULL), 2);
        assert_int_equal(write_queue_calls(scene.queue, "POST", NULL), 0);
        scene_end(&scene);
}

static void test_urgency(void **state) {
        struct scene scene;
        struct note a = { &scene, "a", false }, b = { &scene, "b", false },
                    c = { &scene, "c", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        add(&scene, patch_of(&a, "p", "{\"a\":1}"));
        add(&scene, bind_of(&b, "p"));
        add(&scene, patch_of(&c, "p", "{\"a\":2}"));
        expect(&scene, "");
        settle(&scene);
        expect(&scene, "a=superseded c=superseded ");
        assert_string_equal(fake_next(scene.fake)->path, "/api/v1/namespaces/n/pods/p/binding");
        add(&scene, patch_of(&c, "p", "{\"a\":2}")); /* the bind is on its way: waited for */
        settle(&scene);
        fake_reply(scene.fake, 201, "");
        settle(&scene);
        fake_reply(scene.fake, 200, "");
        expect(&scene, "b=201 c=200 ");
        scene_end(&scene);
}

/* Only patches give way: what was decided stays decided. */
static void test_deletions_stay(void **state) {
        struct scene scene;
        struct note a = { &scene, "a", false }, b = { &scene, "b", false },
                    d = { &scene, "d", false };
        struct write_request delete = patch_of(&d, "p", "{}");

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        delete.method = API_DELETE;
        add(&scene, bind_of(&b, "p"));
        add(&scene, delete);
        settle(&scene);
        fake_reply(scene.fake, 201, "");
        settle(&scene);
        assert_int_equal(fake_next(scene.fake)->method, API_DELETE);
        fake_reply(scene.fake, 200, "");
        expect(&scene, "b=201 d=200 ");
        add(&scene, patch_of(&a, "p", "{}"));
        add(&scene, delete);
        add(&scene, bind_of(&b, "p"));
        settle(&scene);
        expect(&scene, "a=superseded ");
        assert_int_equal(fake_next(scene.fake)->method, API_DELETE);
        fake_reply(scene.fake, 200, "");
        settle(&scene);
        fake_reply(scene.fake, 404, "");
        expect(&scene, "d=200 b=404 ");
        scene_end(&scene);
}

static void test_lanes_in_order(void **state) {
        static const char *const order[] = { "/bind", "/status", "/event", "/event" };
        struct scene scene;
        struct note note = { &scene, "x", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ .concurrency = 1 });
        for (int i = 3; i >= 0; i--) {
                struct write_request write = { .lane = i < 2 ? (enum write_lane)i : WRITE_EVENT,
                                               .method = API_POST,
                                               .path = slice_of(order[i]),
                                               .done = on_result,
                                               .context = &note };

                add(&scene, write);
        }
        for (size_t i = 0; i < ARRAY_LEN(order); i++) {
                settle(&scene);
                assert_int_equal(fake_pending(scene.fake), 1);
                assert_string_equal(fake_next(scene.fake)->path, order[i]);
                fake_reply(scene.fake, 201, "");
        }
        expect(&scene, "x=201 x=201 x=201 x=201 ");
        scene_end(&scene);
}

static void test_concurrency(void **state) {
        struct scene scene;
        struct note note = { &scene, "", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ .concurrency = 8 });
        for (int i = 0; i < 20; i++) {
                struct write_request event = { .lane = WRITE_EVENT,
                                               .method = API_POST,
                                               .path = SLICE_LITERAL("/event") };
                char name[16];

                snprintf(name, sizeof(name), "p%d", i);
                add(&scene, event);
                settle(&scene);
                assert_in_range(fake_pending(scene.fake), 1, 2); /* events: a quarter */
                if (i == 19)
                        break;
        }
        for (int i = 0; i < 20; i++) {
                char name[16];

                snprintf(name, sizeof(name), "p%d", i);
                add(&scene, patch_of(&note, name, "{}"));
        }
        settle(&scene);
        assert_int_equal(fake_pending(scene.fake), 8);
        while (!write_queue_is_idle(scene.queue)) {
                fake_reply(scene.fake, 200, "");
                settle(&scene);
                assert_true(fake_pending(scene.fake) <= 8);
        }
        assert_int_equal(scene.fake->count, 40);
        scene_end(&scene);
}

static void add_event(struct scene *scene, struct note *note) {
        add(scene, (struct write_request){ .lane = WRITE_EVENT,
                                           .method = API_POST,
                                           .path = SLICE_LITERAL("/event"),
                                           .done = on_result,
                                           .context = note });
        settle(scene);
}

/* The first is sent at once; others soon after it wait, or go with another write. */
static void test_events_together(void **state) {
        struct scene scene;
        struct note e = { &scene, "e", false }, p = { &scene, "p", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ .concurrency = 8,
                                                        .events_together_ns = 100 * NS_PER_MS });
        add_event(&scene, &e);
        assert_int_equal(scene.fake->count, 1);
        add_event(&scene, &e);
        virtual_loop_advance(scene.loop, 90 * NS_PER_MS);
        add_event(&scene, &e);
        assert_int_equal(scene.fake->count, 1);
        virtual_loop_advance(scene.loop, 20 * NS_PER_MS); /* the third waits for a place only */
        assert_int_equal(scene.fake->count, 2);
        fake_reply(scene.fake, 201, "");
        settle(&scene);
        assert_int_equal(scene.fake->count, 3);
        fake_reply(scene.fake, 201, "");
        fake_reply(scene.fake, 201, "");
        add_event(&scene, &e);
        assert_int_equal(scene.fake->count, 3);
        add(&scene, patch_of(&p, "p", "{}"));
        settle(&scene);
        assert_int_equal(scene.fake->count, 5);
        fake_reply(scene.fake, 200, "");
        fake_reply(scene.fake, 201, "");
        add_event(&scene, &e);
        assert_int_equal(scene.fake->count, 5);
        write_queue_hurry(scene.queue);
        settle(&scene);
        assert_int_equal(scene.fake->count, 6);
        fake_reply(scene.fake, 201, "");
        expect(&scene, "e=201 e=201 e=201 p=200 e=201 e=201 ");
        scene_end(&scene);
}

/* While half of the places are free, and not for the last place of events. */
static void test_patience(void **state) {
        static const bool expected[] = { true, false, true, true, false, false };
        struct scene scene;
        struct note e = { &scene, "e", false }, b = { &scene, "b", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ .concurrency = 8 });
        for (int i = 0; i < 6; i++) {
                char pod[] = { 'p', (char)('0' + i), '\0' };
                struct write_request write = i == 1 ? patch_of(&b, pod, "{}") : bind_of(&b, pod);

                write.is_patient = i != 1;
                add(&scene, write);
                settle(&scene);
        }
        for (size_t i = 0; i < ARRAY_LEN(expected); i++)
                assert_int_equal(scene.fake->requests[i]->is_patient, expected[i]);
        for (int i = 0; i < 6; i++)
                fake_reply(scene.fake, 201, "");
        for (int i = 0; i < 2; i++)
                add(&scene, (struct write_request){ .lane = WRITE_EVENT,
                                                    .method = API_POST,
                                                    .path = SLICE_LITERAL("/event"),
                                                    .is_patient = true,
                                                    .done = on_result,
                                                    .context = &e });
        settle(&scene);
        assert_true(scene.fake->requests[6]->is_patient);
        assert_false(scene.fake->requests[7]->is_patient); /* a third one would wait for it */
        fake_reply(scene.fake, 201, "");
        fake_reply(scene.fake, 201, "");
        expect(&scene, "b=201 b=201 b=201 b=201 b=201 b=201 e=201 e=201 ");
        scene_end(&scene);
}

static void test_no_op(void **state) {
        struct scene scene;
        struct note a = { &scene, "a", true }, b = { &scene, "b", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        add(&scene, patch_of(&a, "p", "{\"a\":1}"));
        add(&scene, patch_of(&b, "q", "{\"a\":1}"));
        settle(&scene);
        expect(&scene, "a=no-op ");
        fake_reply(scene.fake, 200, "");
        expect(&scene, "b=200 ");
        assert_int_equal(scene.fake->count, 1);
        add(&scene, patch_of(&a, "q", "{\"a\":1}"));
        b.is_no_op = true;
        add(&scene, patch_of(&b, "q", "{\"a\":1}")); /* the later one judges both */
        settle(&scene);
        expect(&scene, "a=no-op b=no-op ");
        assert_true(write_queue_is_idle(scene.queue));
        scene_end(&scene);
}

/* What cannot be one call stays two, in order. */
static void test_not_mergeable(void **state) {
        struct scene scene;
        struct note a = { &scene, "a", false }, b = { &scene, "b", false };
        struct write_request delete;

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        add(&scene, patch_of(&a, "p", "{\"a\":null}"));
        add(&scene, patch_of(&b, "p", "{\"a\":{\"b\":1}}"));
        delete = patch_of(&b, "p", "{}");
        delete.method = API_DELETE;
        add(&scene, delete);
        for (int i = 0; i < 3; i++) {
                settle(&scene);
                assert_int_equal(fake_pending(scene.fake), 1);
                fake_reply(scene.fake, 200, "");
        }
        expect(&scene, "a=200 b=200 b=200 ");
        assert_int_equal(scene.fake->requests[2]->method, API_DELETE);
        scene_end(&scene);
}

static bool join(struct slice older, struct slice newer, struct buf *ret_body) {
        buf_slice(ret_body, older);
        return buf_slice(ret_body, newer);
}

static void test_own_merge(void **state) {
        struct scene scene;
        struct note a = { &scene, "a", false };
        struct write_request write = patch_of(&a, "p", "one");

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        write.merge = join;
        write.method = API_PUT;
        add(&scene, write);
        write.body = SLICE_LITERAL("two");
        add(&scene, write);
        settle(&scene);
        assert_string_equal(fake_next(scene.fake)->body, "onetwo");
        scene_end(&scene);
}

static void answer_busy(struct scene *scene, int status, int retry_after_s) {
        fake_end(fake_next(scene->fake),
                 (struct api_reply){ .status = status, .retry_after_s = retry_after_s });
}

static void test_repetition(void **state) {
        static const struct {
                const char *name;
                int status, retry_after_s, code;
                bool is_repeatable, reports_busy;
                int64_t repeated_within_ns; /* 0 = reported */
                const char *result;
                bool is_once;
        } cases[] = {
                { "429 with a time", 429, 3, 0, false, false, 3 * NS_PER_S, "" },
                { "503 with a time", 503, 2, 0, false, false, 2 * NS_PER_S, "" },
                { "429 with no time to wait", 429, 0, 0, false, false, NS_PER_S, "" },
                { "429 with hours", 429, 9999, 0, false, false, 60 * NS_PER_S, "" },
                { "429 as an answer", 429, 3, 0, true, true, 0, "a=429 " },
                { "429 without a time", 429, -1, 0, true, false, 0, "a=429 " },
                { "500", 500, -1, 0, true, false, 0, "a=500 " },
                { "409", 409, -1, 0, true, false, 0, "a=409 " },
                { "refused", 0, -1, BERTH_ERR_UNAVAILABLE, false, false, NS_PER_S, "" },
                { "lost, repeatable", 0, -1, BERTH_ERR_IO, true, false, NS_PER_S, "" },
                { "late, repeatable", 0, -1, BERTH_ERR_TIMEOUT, true, false, NS_PER_S, "" },
                { "lost", 0, -1, BERTH_ERR_IO, false, false, 0, "a=lost " },
                { "too large", 0, -1, BERTH_ERR_TOO_LARGE, true, false, 0, "a=lost " },
                { "refused, once", 0, -1, BERTH_ERR_UNAVAILABLE, true, false, 0, "a=lost ", true },
                { "429 with a time, once", 429, 3, 0, true, false, 0, "a=429 ", true },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;
                struct note a = { &scene, "a", false };
                struct write_request write = patch_of(&a, "p", "{\"a\":1}");
                struct api_reply answer = { .status = cases[i].status,
                                            .retry_after_s = cases[i].retry_after_s };

                scene_init(&scene, (struct write_queue_config){ 0 });
                write.is_repeatable = cases[i].is_repeatable;
                write.reports_busy = cases[i].reports_busy;
                write.is_once = cases[i].is_once;
                add(&scene, write);
                settle(&scene);
                if (cases[i].code)
                        err_set(&answer.error, cases[i].code, "x");
                fake_end(fake_next(scene.fake), answer);
                settle(&scene);
                if (strcmp(scene.text, cases[i].result) != 0)
                        fail_msg("%s: %s", cases[i].name, scene.text);
                if (cases[i].repeated_within_ns) {
                        assert_int_equal(fake_pending(scene.fake), 0);
                        virtual_loop_advance(scene.loop, cases[i].repeated_within_ns);
                        fake_reply(scene.fake, 200, "");
                        expect(&scene, "a=200 ");
                }
                assert_true(write_queue_is_idle(scene.queue));
                scene_end(&scene);
        }
}

static void test_waiting_writes_still_merge(void **state) {
        struct scene scene;
        struct note a = { &scene, "a", false }, b = { &scene, "b", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        add(&scene, patch_of(&a, "p", "{\"a\":1}"));
        settle(&scene);
        answer_busy(&scene, 429, 5);
        add(&scene, patch_of(&b, "p", "{\"b\":1}"));
        virtual_loop_advance(scene.loop, 4 * NS_PER_S);
        assert_int_equal(fake_pending(scene.fake), 0);
        virtual_loop_advance(scene.loop, NS_PER_S);
        assert_string_equal(fake_next(scene.fake)->body, "{\"a\":1,\"b\":1}");
        answer_busy(&scene, 429, 5);
        add(&scene, bind_of(&b, "p"));
        settle(&scene);
        expect(&scene, "a=superseded b=superseded ");
        fake_reply(scene.fake, 201, "");
        virtual_loop_advance(scene.loop, 10 * NS_PER_S);
        expect(&scene, "b=201 ");
        assert_true(write_queue_is_idle(scene.queue));
        scene_end(&scene);
}

static void test_attempts_end(void **state) {
        struct scene scene;
        struct note a = { &scene, "a", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        add(&scene, patch_of(&a, "p", "{\"a\":1}"));
        for (int i = 0; i < WRITE_ATTEMPTS_MAX; i++) {
                settle(&scene);
                expect(&scene, "");
                fake_lose(scene.fake, BERTH_ERR_UNAVAILABLE);
                virtual_loop_advance(scene.loop, 2 * WRITE_BACKOFF_MAX_NS);
        }
        expect(&scene, "a=lost ");
        assert_int_equal(scene.fake->count, WRITE_ATTEMPTS_MAX);
        scene_end(&scene);
}

static void test_rate_limit(void **state) {
        struct scene scene;
        struct note note = { &scene, "", false };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ .per_second = 2, .burst = 3 });
        for (int i = 0; i < 7; i++) {
                char name[16];

                snprintf(name, sizeof(name), "p%d", i);
                add(&scene, patch_of(&note, name, "{}"));
        }
        settle(&scene);
        assert_int_equal(scene.fake->count, 3);
        virtual_loop_advance(scene.loop, NS_PER_S + NS_PER_MS);
        assert_int_equal(scene.fake->count, 5);
        virtual_loop_advance(scene.loop, NS_PER_S);
        assert_int_equal(scene.fake->count, 7);
        scene_end(&scene);
}

/* As upstream, whose events have a client of their own. */
static void test_events_have_a_rate_of_their_own(void **state) {
        struct scene scene;
        struct note note = { &scene, "", false };
        struct write_request event = { .lane = WRITE_EVENT,
                                       .method = API_POST,
                                       .path = SLICE_LITERAL("/event") };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ .per_second = 1, .burst = 2 });
        for (int i = 0; i < 4; i++) {
                char name[16];

                snprintf(name, sizeof(name), "p%d", i);
                add(&scene, patch_of(&note, name, "{}"));
                add(&scene, event);
        }
        settle(&scene);
        assert_int_equal(scene.fake->count, 4);
        virtual_loop_advance(scene.loop, NS_PER_S + NS_PER_MS);
        assert_int_equal(scene.fake->count, 6);
        virtual_loop_advance(scene.loop, NS_PER_S);
        assert_int_equal(scene.fake->count, 8);
        scene_end(&scene);
}

static void test_full_of_events(void **state) {
        struct scene scene;
        struct note note = { &scene, "e", false };
        struct write_request event = { .lane = WRITE_EVENT,
                                       .method = API_POST,
                                       .path = SLICE_LITERAL("/event"),
                                       .done = on_result,
                                       .context = &note };

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        for (int i = 0; i < WRITE_EVENTS_MAX; i++)
                add(&scene, event);
        add(&scene, event);
        event.lane = WRITE_STATUS;
        add(&scene, event);
        settle(&scene);
        expect(&scene, "e=refused ");
        assert_int_equal(write_queue_waiting(scene.queue) + write_queue_in_flight(scene.queue),
                         WRITE_EVENTS_MAX + 1);
        scene_end(&scene);
}

static void add_again(void *context, const struct write_result *result) {
        struct note *note = context;

        on_result(context, result);
        add(note->scene, patch_of(note, "p", "{\"again\":1}"));
}

static void test_adding_from_results(void **state) {
        struct scene scene;
        struct note a = { &scene, "a", false };
        struct write_request write = patch_of(&a, "p", "{\"a\":1}");

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        write.done = add_again;
        add(&scene, write);
        settle(&scene);
        fake_reply(scene.fake, 200, "");
        settle(&scene);
        assert_string_equal(fake_next(scene.fake)->body, "{\"again\":1}");
        fake_reply(scene.fake, 200, "");
        expect(&scene, "a=200 a=200 ");
        write_queue_free(NULL);
        scene_end(&scene);
}

/* ---- patches that are refused for bytes that they do not mean to change ---- */

/* A ConfigMap of v1 whose metadata are a name and a field that nobody knows. */
static struct slice stored_object(struct buf *out) {
        struct buf type = { 0 }, meta = { 0 }, object = { 0 };

        wire_put_bytes(&type, 1, SLICE_LITERAL("v1"));
        wire_put_bytes(&type, 2, SLICE_LITERAL("ConfigMap"));
        wire_put_bytes(&meta, 1, SLICE_LITERAL("o"));
        wire_put_bytes(&meta, 99, SLICE_LITERAL("kept"));
        wire_put_bytes(&object, 1, buf_view(&meta));
        buf_append(out, PROTOBUF_MAGIC, PROTOBUF_MAGIC_SIZE);
        wire_put_bytes(out, 1, buf_view(&type));
        wire_put_bytes(out, 2, buf_view(&object));
        buf_release(&type);
        buf_release(&meta);
        buf_release(&object);
        return buf_view(out);
}

static void answer_read(struct scene *scene) {
        struct buf body = { 0 };

        assert_int_equal(fake_next(scene->fake)->method, API_GET);
        assert_string_equal(fake_next(scene->fake)->path, "/api/v1/namespaces/n/pods/p");
        fake_end(fake_next(scene->fake), (struct api_reply){ .status = 200,
                                                             .body = stored_object(&body),
                                                             .retry_after_s = -1 });
        buf_release(&body);
}

static void refuse_patch(struct scene *scene, struct note *note, const char *body) {
        struct write_request write = patch_of(note, "p", body);

        write.keeps_bytes = true;
        add(scene, write);
        settle(scene);
        assert_int_equal(fake_next(scene->fake)->method, API_PATCH);
        fake_reply(scene->fake, 422, "{}");
        settle(scene);
}

static void test_bytes_are_kept(void **state) {
        struct note a, b;
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        a = (struct note){ &scene, "a", false };
        b = (struct note){ &scene, "b", false };
        refuse_patch(&scene, &a, "{\"metadata\":{\"finalizers\":[\"x.y/z\"]}}");
        add(&scene, patch_of(&b, "p", "{}")); /* waits behind it */
        answer_read(&scene);
        for (int tries = 1; tries < EXACT_WRITE_TRIES_MAX; tries++) { /* others write meanwhile */
                const struct fake_request *update = fake_next(scene.fake);

                assert_int_equal(update->method, API_PUT);
                assert_string_equal(update->path, "/api/v1/namespaces/n/pods/p/status");
                assert_string_equal(update->content_type, "application/vnd.kubernetes.protobuf");
                fake_reply(scene.fake, 409, "{}");
                assert_int_equal(fake_pending(scene.fake), 0);
                virtual_loop_advance(scene.loop, EXACT_WRITE_RETRY_NS);
                answer_read(&scene);
        }
        expect(&scene, "");
        fake_reply(scene.fake, 200, "{}");
        expect(&scene, "a=200 ");
        assert_int_equal(write_queue_calls(scene.queue, "PUT", "pods/status"),
                         EXACT_WRITE_TRIES_MAX);
        settle(&scene);
        fake_reply(scene.fake, 200, "{}");
        expect(&scene, "b=200 ");
        scene_end(&scene);
}

static void test_bytes_cannot_be_kept(void **state) {
        struct note a;
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct write_queue_config){ 0 });
        a = (struct note){ &scene, "a", false };
        /* The server has no protobuf. */
        refuse_patch(&scene, &a, "{\"metadata\":{\"finalizers\":[\"x.y/z\"]}}");
        fake_reply(scene.fake, 200, "{\"metadata\":{}}");
        expect(&scene, "a=422 ");
        /* It is refused for another reason. */
        refuse_patch(&scene, &a, "{\"metadata\":{\"finalizers\":[\"x.y/z\"]}}");
        answer_read(&scene);
        fake_reply(scene.fake, 422, "{}");
        expect(&scene, "a=422 ");
        refuse_patch(&scene, &a, "{\"metadata\":{\"finalizers\":[\"x.y/z\"]}}");
        fake_reply(scene.fake, 404, "{}");
        expect(&scene, "a=404 ");
        /* Another version than the one that is meant. */
        refuse_patch(&scene, &a, "{\"metadata\":{\"resourceVersion\":\"7\"}}");
        answer_read(&scene);
        fake_reply(scene.fake, 409, "{}");
        expect(&scene, "a=409 ");
        /* The queue ends in between. */
        refuse_patch(&scene, &a, "{\"metadata\":{\"finalizers\":[\"x.y/z\"]}}");
        expect(&scene, "");
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_one_call_per_object),
                cmocka_unit_test(test_urgency),
                cmocka_unit_test(test_deletions_stay),
                cmocka_unit_test(test_lanes_in_order),
                cmocka_unit_test(test_concurrency),
                cmocka_unit_test(test_events_together),
                cmocka_unit_test(test_patience),
                cmocka_unit_test(test_no_op),
                cmocka_unit_test(test_not_mergeable),
                cmocka_unit_test(test_own_merge),
                cmocka_unit_test(test_repetition),
                cmocka_unit_test(test_waiting_writes_still_merge),
                cmocka_unit_test(test_attempts_end),
                cmocka_unit_test(test_rate_limit),
                cmocka_unit_test(test_events_have_a_rate_of_their_own),
                cmocka_unit_test(test_full_of_events),
                cmocka_unit_test(test_adding_from_results),
                cmocka_unit_test(test_bytes_are_kept),
                cmocka_unit_test(test_bytes_cannot_be_kept),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
