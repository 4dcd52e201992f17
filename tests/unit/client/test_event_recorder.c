/* Events and their series: what is sent when, and that the sandbox's server takes it. */
#include "client/event_recorder.h"

#include "fake_transport.h"
#include "server/local_transport.h"

#define EVENTS "/apis/events.k8s.io/v1/namespaces/n/events"

struct scene {
        struct virtual_loop *loop;
        struct fake_transport *fake;
        struct write_queue *queue;
        struct event_recorder *recorder;
};

static void scene_init(struct scene *scene, struct event_recorder_config config) {
        scene->loop = virtual_loop_new();
        scene->fake = fake_transport_new();
        scene->queue = write_queue_new(&(struct write_queue_config){ 0 }, &scene->fake->transport,
                                       virtual_loop_get(scene->loop));
        if (!config.controller)
                config.controller = "default-scheduler";
        scene->recorder = event_recorder_new(&config, scene->queue, virtual_loop_get(scene->loop));
}

static void scene_end(struct scene *scene) {
        write_queue_free(scene->queue);
        event_recorder_free(scene->recorder);
        assert_int_equal(virtual_loop_timers(scene->loop), 0);
        fake_transport_free(scene->fake);
        virtual_loop_free(scene->loop);
}

static struct event_note failed(const char *pod, const char *note) {
        return (struct event_note){
                .is_warning = true,
                .reason = SLICE_LITERAL("FailedScheduling"),
                .action = SLICE_LITERAL("Scheduling"),
                .note = slice_of(note),
                .regarding = { .api_version = SLICE_LITERAL("v1"),
                               .kind = SLICE_LITERAL("Pod"),
                               .namespace_name = SLICE_LITERAL("n"),
                               .name = slice_of(pod),
                               .uid = SLICE_LITERAL("u") },
        };
}

static void say(struct scene *scene, const char *pod, const char *note) {
        struct event_note event = failed(pod, note);

        event_recorder_add(scene->recorder, &event);
        virtual_loop_advance(scene->loop, 0);
}

static void reply(struct scene *scene, int status) {
        fake_reply(scene->fake, status, "{}");
        virtual_loop_advance(scene->loop, 0);
}

static void test_first_occurrence(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct event_recorder_config){ .instance = "default-scheduler-host" });
        say(&scene, "p", "no \"fit\"");
        assert_string_equal(fake_next(scene.fake)->path, EVENTS);
        assert_int_equal(fake_next(scene.fake)->method, API_POST);
        assert_string_equal(
                fake_next(scene.fake)->body,
                "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":"
                "\"p.18867251edfa0000\",\"namespace\":\"n\"},\"eventTime\":"
                "\"2026-01-01T00:00:00.000000Z\",\"reportingController\":\"default-scheduler\","
                "\"reportingInstance\":\"default-scheduler-host\",\"action\":\"Scheduling\","
                "\"reason\":\"FailedScheduling\",\"regarding\":{\"kind\":\"Pod\",\"namespace\":"
                "\"n\",\"name\":\"p\",\"uid\":\"u\",\"apiVersion\":\"v1\"},"
                "\"note\":\"no \\\"fit\\\"\",\"type\":\"Warning\"}");
        scene_end(&scene);
}

static void test_series(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct event_recorder_config){ 0 });
        say(&scene, "p", "one");
        say(&scene, "q", "another object");
        say(&scene, "p", "two"); /* waits for the creation */
        assert_int_equal(fake_pending(scene.fake), 2);
        reply(&scene, 201);
        reply(&scene, 201);
        assert_string_equal(fake_next(scene.fake)->path, EVENTS "/p.18867251edfa0000");
        assert_string_equal(fake_next(scene.fake)->body,
                            "{\"series\":{\"count\":2,\"lastObservedTime\":"
                            "\"2026-01-01T00:00:00.000000Z\"}}");
        reply(&scene, 200);
        for (int i = 0; i < 5; i++)
                say(&scene, "p", "more");
        assert_int_equal(fake_pending(scene.fake), 0); /* counted only */
        for (int i = 0; i < 31; i++) {
                virtual_loop_advance(scene.loop, 60 * NS_PER_S);
                say(&scene, "p", "more");
        }
        assert_int_equal(fake_pending(scene.fake), 1); /* after half an hour */
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"count\":36,"));
        reply(&scene, 200);
        virtual_loop_advance(scene.loop, 8 * 60 * NS_PER_S); /* silence closes it */
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"count\":38,"));
        reply(&scene, 200);
        virtual_loop_advance(scene.loop, 3600 * NS_PER_S);
        assert_int_equal(fake_pending(scene.fake), 0);
        assert_int_equal(virtual_loop_timers(scene.loop), 0); /* idle */
        say(&scene, "p", "again");
        assert_int_equal(fake_next(scene.fake)->method, API_POST);
        assert_int_equal(event_recorder_stats(scene.recorder).created, 3);
        assert_int_equal(event_recorder_stats(scene.recorder).updated, 3);
        assert_int_equal(write_queue_calls(scene.queue, "PATCH", "events"), 3);
        scene_end(&scene);
}

/* What is the matter now is told, but not too often. */
static void test_renewed_note(void **state) {
        static const struct {
                const char *name, *note;
                int64_t after_ns;
                bool renews, is_new;
        } cases[] = {
                { "another note, a minute later", "two", EVENT_NOTE_NS, true, true },
                { "another note, too soon", "two", EVENT_NOTE_NS - 1, true, false },
                { "the same note", "one", EVENT_NOTE_NS, true, false },
                { "as upstream", "two", EVENT_NOTE_NS, false, false },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;
                bool is_new;

                scene_init(&scene, (struct event_recorder_config){ .is_sparing = cases[i].renews });
                say(&scene, "p", "one");
                reply(&scene, 201);
                virtual_loop_advance(scene.loop, cases[i].after_ns);
                say(&scene, "p", cases[i].note);
                is_new = fake_pending(scene.fake) && fake_next(scene.fake)->method == API_POST;
                if (is_new != cases[i].is_new)
                        fail_msg("%s", cases[i].name);
                if (fake_pending(scene.fake))
                        reply(&scene, 200);
                scene_end(&scene);
        }
}

static struct event_note scheduled(const char *pod) {
        struct event_note note = failed(pod, "assigned");

        note.is_warning = false;
        note.reason = SLICE_LITERAL("Scheduled");
        note.settles = true;
        return note;
}

static void say_passing(struct scene *scene, const char *pod) {
        struct event_note note = failed(pod, "no node");

        note.is_passing = true;
        event_recorder_add(scene->recorder, &note);
        virtual_loop_advance(scene->loop, 0);
}

static void say_scheduled(struct scene *scene, const char *pod) {
        struct event_note note = scheduled(pod);

        event_recorder_add(scene->recorder, &note);
        virtual_loop_advance(scene->loop, 0);
}

static void expect_reason(struct scene *scene, const char *reason) {
        assert_int_equal(fake_next(scene->fake)->method, API_POST);
        assert_non_null(strstr(fake_next(scene->fake)->body, reason));
        reply(scene, 201);
}

/* What passes within a moment is not written; upstream's programs write it at once. */
static void test_passing(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct event_recorder_config){ .is_sparing = true });
        say_passing(&scene, "p");
        virtual_loop_advance(scene.loop, EVENT_PASSING_NS / 2);
        say_passing(&scene, "q");
        say_scheduled(&scene, "p");
        expect_reason(&scene, "\"Scheduled\"");
        assert_int_equal(fake_pending(scene.fake), 0);
        virtual_loop_advance(scene.loop, EVENT_PASSING_NS);
        expect_reason(&scene, "\"name\":\"q\"");
        say_passing(&scene, "q");
        say_scheduled(&scene, "q");
        expect_reason(&scene, "\"Scheduled\"");
        say_passing(&scene, "q"); /* begins again */
        event_recorder_finish(scene.recorder);
        virtual_loop_advance(scene.loop, 0);
        expect_reason(&scene, "FailedScheduling");
        virtual_loop_advance(scene.loop, 3600 * NS_PER_S);
        assert_int_equal(fake_pending(scene.fake), 0);
        assert_int_equal(event_recorder_stats(scene.recorder).settled, 1);
        scene_end(&scene);

        scene_init(&scene, (struct event_recorder_config){ 0 });
        say_passing(&scene, "p");
        expect_reason(&scene, "FailedScheduling");
        scene_end(&scene);
}

/* It passed while the event waited for its place. */
static void test_passed_in_the_queue(void **state) {
        const unsigned places = WRITE_CONCURRENCY / WRITE_EVENT_SHARE;
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct event_recorder_config){ .is_sparing = true });
        for (unsigned i = 0; i <= places; i++) {
                char name[16];

                snprintf(name, sizeof(name), "p%u", i);
                say_passing(&scene, name);
        }
        virtual_loop_advance(scene.loop, EVENT_PASSING_NS);
        assert_int_equal(fake_pending(scene.fake), places);
        struct event_note last = scheduled("p4"), first = scheduled("p0");
        event_recorder_add(scene.recorder, &last);
        event_recorder_add(scene.recorder, &first); /* which is on its way */
        for (unsigned i = 0; i < places; i++)
                expect_reason(&scene, "FailedScheduling");
        expect_reason(&scene, "\"Scheduled\"");
        expect_reason(&scene, "\"Scheduled\"");
        assert_int_equal(fake_pending(scene.fake), 0);
        assert_int_equal(event_recorder_stats(scene.recorder).settled, 1);
        scene_end(&scene);
}

/* Of what may pass a sparing recorder counts a series that lasts. */
static void test_short_series(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct event_recorder_config){ .is_sparing = true });
        say_passing(&scene, "p");
        virtual_loop_advance(scene.loop, EVENT_PASSING_NS);
        reply(&scene, 201);
        virtual_loop_advance(scene.loop, EVENT_SERIES_NS - EVENT_PASSING_NS - 1);
        say_passing(&scene, "p");
        assert_int_equal(fake_pending(scene.fake), 0);
        virtual_loop_advance(scene.loop, 1);
        say_passing(&scene, "p");
        assert_int_equal(fake_next(scene.fake)->method, API_PATCH);
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"count\":3,"));
        reply(&scene, 200);
        say_passing(&scene, "q");
        virtual_loop_advance(scene.loop, EVENT_PASSING_NS);
        reply(&scene, 201);
        say_passing(&scene, "q");
        event_recorder_finish(scene.recorder);
        virtual_loop_advance(scene.loop, 3600 * NS_PER_S);
        assert_int_equal(fake_pending(scene.fake), 0);
        scene_end(&scene);
}

/* Everything but the note tells series apart. */
static void test_keys(void **state) {
        struct scene scene;
        struct event_note note = failed("p", "x");
        struct object_reference node = { .kind = SLICE_LITERAL("Node"),
                                         .name = SLICE_LITERAL("n1") };

        (void)state;
        scene_init(&scene, (struct event_recorder_config){ 0 });
        event_recorder_add(scene.recorder, &note);
        note.is_warning = false;
        event_recorder_add(scene.recorder, &note);
        note.action = SLICE_LITERAL("Other");
        event_recorder_add(scene.recorder, &note);
        note.related = &node;
        event_recorder_add(scene.recorder, &note);
        note.regarding.uid = SLICE_LITERAL("u2");
        event_recorder_add(scene.recorder, &note);
        virtual_loop_advance(scene.loop, 0);
        assert_int_equal(event_recorder_stats(scene.recorder).created, 5);
        while (fake_pending(scene.fake))
                reply(&scene, 201);
        for (size_t i = 1; i < scene.fake->count; i++) /* same instant, different names */
                assert_null(strstr(scene.fake->requests[i]->body, "18867251edfa0000"));
        assert_non_null(strstr(scene.fake->requests[3]->body,
                               "\"related\":{\"kind\":\"Node\",\"name\":\"n1\"}"));
        scene_end(&scene);
}

static void test_failures(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct event_recorder_config){ 0 });
        say(&scene, "p", "one");
        reply(&scene, 403);
        assert_int_equal(event_recorder_stats(scene.recorder).dropped, 1);
        say(&scene, "p", "two"); /* starts anew */
        assert_int_equal(fake_next(scene.fake)->method, API_POST);
        reply(&scene, 409); /* there already: as good */
        say(&scene, "p", "three");
        assert_int_equal(fake_next(scene.fake)->method, API_PATCH);
        reply(&scene, 404); /* gone meanwhile: made again, as a series */
        assert_int_equal(fake_next(scene.fake)->method, API_POST);
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"count\":2,"));
        reply(&scene, 201);
        say(&scene, "p", "four");
        assert_int_equal(fake_pending(scene.fake), 0);
        event_recorder_finish(scene.recorder);
        virtual_loop_advance(scene.loop, 0);
        reply(&scene, 404); /* nobody misses it */
        assert_int_equal(fake_pending(scene.fake), 0);
        assert_true(write_queue_is_idle(scene.queue));
        scene_end(&scene);
}

static void test_limits(void **state) {
        struct scene scene;
        struct buf text = { 0 };
        const char *note;

        (void)state;
        scene_init(&scene, (struct event_recorder_config){ .keys_max = 2 });
        for (int i = 0; i < 600; i++)
                buf_text(&text, "\xc3\xa9");
        say(&scene, "p", text.data);
        note = strstr(fake_next(scene.fake)->body, "\"note\":\"") + strlen("\"note\":\"");
        assert_int_equal(strcspn(note, "\""), EVENT_NOTE_MAX);
        assert_memory_equal(note + EVENT_NOTE_MAX - 6, "\xc3\xa9 ...", 6);
        reply(&scene, 201);
        say(&scene, "p", "two");
        reply(&scene, 200);
        say(&scene, "p", "three");
        say(&scene, "q", "x");
        reply(&scene, 201);
        say(&scene, "UPPER:case", "x"); /* the oldest is given up, with its count */
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"count\":3,"));
        reply(&scene, 200);
        assert_non_null(strstr(fake_next(scene.fake)->body, "\"name\":\"event."));
        reply(&scene, 201);
        buf_release(&text);
        scene_end(&scene);

        scene_init(&scene, (struct event_recorder_config){ .per_second = 1, .burst = 2 });
        for (int i = 0; i < 5; i++) {
                char name[16];

                snprintf(name, sizeof(name), "p%d", i);
                say(&scene, name, "x");
        }
        assert_int_equal(event_recorder_stats(scene.recorder).created, 2);
        assert_int_equal(event_recorder_stats(scene.recorder).dropped, 3);
        event_recorder_free(NULL);
        scene_end(&scene);
}

static void test_sandbox_takes_them(void **state) {
        struct fixture f = fixture_new();
        struct local_transport *local = local_transport_new(f.server, virtual_loop_get(f.fake),
                                                            &api_user_scheduler, "berth/1");
        struct transport transport = local_transport(local);
        struct write_queue *queue = write_queue_new(&(struct write_queue_config){ 0 }, &transport,
                                                    virtual_loop_get(f.fake));
        struct event_recorder *recorder = event_recorder_new(
                &(struct event_recorder_config){ .controller = "default-scheduler" }, queue,
                virtual_loop_get(f.fake));
        struct event_note note = failed("p", "0/1 nodes are available");

        (void)state;
        note.regarding.namespace_name = SLICE_LITERAL("default");
        for (int i = 0; i < 3; i++)
                event_recorder_add(recorder, &note);
        event_recorder_finish(recorder);
        note.regarding.namespace_name = SLICE_EMPTY; /* about a node */
        note.regarding.name = SLICE_LITERAL("n1");
        event_recorder_add(recorder, &note);
        virtual_loop_advance(f.fake, NS_PER_S);
        assert_true(write_queue_is_idle(queue));
        assert_int_equal(event_recorder_stats(recorder).dropped, 0);
        assert_int_equal(ask(&f, "GET", "/apis/events.k8s.io/v1/namespaces/default/events", ""),
                         200);
        assert_int_equal(json_count(answer_at(&f, "/items")), 2);
        assert_int_equal(json_get_i64(answer_at(&f, "/items/1/series"), "count", 0), 3);
        write_queue_free(queue);
        event_recorder_free(recorder);
        local_transport_free(local);
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_first_occurrence),
                cmocka_unit_test(test_series),
                cmocka_unit_test(test_passing),
                cmocka_unit_test(test_passed_in_the_queue),
                cmocka_unit_test(test_short_series),
                cmocka_unit_test(test_renewed_note),
                cmocka_unit_test(test_keys),
                cmocka_unit_test(test_failures),
                cmocka_unit_test(test_limits),
                cmocka_unit_test(test_sandbox_takes_them),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
