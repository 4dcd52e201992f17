/* List and watch against a server the test plays, in virtual time; then against the sandbox's. */
#include "client/reflector.h"

#include "fake_transport.h"
#include "server/local_transport.h"

struct history {
        char text[8192];
        int changes, syncs, failures;
        int64_t delay_ns;
        struct err error;
};

static void add_text(struct history *history, const char *text) {
        size_t used = strlen(history->text);

        snprintf(history->text + used, sizeof(history->text) - used, "%s", text);
}

/* "+ns/name@version " */
static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        static const char marks[] = { '+', '~', '-' };
        struct history *history = context;
        const struct json *metadata = json_get(object, "metadata");
        char text[512];

        history->changes++;
        snprintf(text, sizeof(text), "%c" SLICE_FMT "/" SLICE_FMT "@" SLICE_FMT " ", marks[change],
                 SLICE_ARG(json_get_text(metadata, "namespace")),
                 SLICE_ARG(json_get_text(metadata, "name")),
                 SLICE_ARG(json_get_text(metadata, "resourceVersion")));
        add_text(history, text);
}

static void on_synced(void *context) {
        struct history *history = context;

        history->syncs++;
        add_text(history, "| ");
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        struct history *history = context;

        history->failures++;
        history->delay_ns = delay_ns;
        history->error = *err;
}

static const struct reflector_events events = { on_changed, on_synced, on_failed };

struct scene {
        struct virtual_loop *loop;
        struct fake_transport *fake;
        struct reflector *reflector;
        struct history history;
};

static void scene_init(struct scene *scene, struct reflector_config config) {
        *scene = (struct scene){ .loop = virtual_loop_new(), .fake = fake_transport_new() };
        if (!config.path)
                config.path = "/api/v1/pods";
        scene->reflector = reflector_new(&config, &scene->fake->transport,
                                         virtual_loop_get(scene->loop), &events, &scene->history);
}

static void scene_end(struct scene *scene) {
        reflector_free(scene->reflector);
        assert_int_equal(virtual_loop_timers(scene->loop), 0);
        fake_transport_free(scene->fake);
        virtual_loop_free(scene->loop);
}

/* Due timers and deferred calls, without time passing. */
static void settle(struct scene *scene) {
        virtual_loop_advance(scene->loop, 0);
}

#define OBJECT(name, version, uid)                                                                 \
        "{\"metadata\":{\"namespace\":\"n\",\"name\":\"" name "\",\"uid\":\"" uid                  \
        "\",\"resourceVersion\":\"" version "\"}}"
#define LIST(version, next, items)                                                                 \
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"" version                       \
        "\",\"continue\":\"" next "\"},\"items\":[" items "]}"
#define RECORD(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version) RECORD("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" version "\"}}")
#define GONE                                                                                       \
        RECORD("ERROR", "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":410,"                \
                        "\"reason\":\"Expired\",\"message\":\"too old\"}")

static void reply(struct scene *scene, int status, const char *body) {
        fake_reply(scene->fake, status, body);
        settle(scene);
}

static void expect(struct scene *scene, const char *text) {
        assert_string_equal(scene->history.text, text);
        scene->history.text[0] = '\0';
}

static void test_pages_then_watch(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct reflector_config){ .page_size = 2,
                                                      .label_selector = "app in (a, b)",
                                                      .field_selector = "spec.nodeName=" });
        assert_string_equal(fake_next(scene.fake)->path,
                            "/api/v1/pods?labelSelector=app%20in%20%28a%2C%20b%29"
                            "&fieldSelector=spec.nodeName%3D&limit=2");
        /* The next page is asked for before this one is looked at. */
        fake_reply(scene.fake, 200,
                   LIST("10", "t/1", OBJECT("a", "1", "u1") "," OBJECT("b", "2", "u2")));
        expect(&scene, "");
        assert_non_null(strstr(fake_next(scene.fake)->path, "&limit=2&continue=t%2F1"));
        settle(&scene);
        expect(&scene, "+n/a@1 +n/b@2 ");
        assert_false(reflector_is_synced(scene.reflector));
        reply(&scene, 200, LIST("10", "", OBJECT("c", "3", "u3")));
        expect(&scene, "+n/c@3 | ");
        assert_true(reflector_is_synced(scene.reflector));
        assert_int_equal(reflector_count(scene.reflector), 3);
        assert_non_null(strstr(fake_next(scene.fake)->path,
                               "&watch=1&allowWatchBookmarks=true&resourceVersion=10&"
                               "timeoutSeconds="));
        fake_data(scene.fake, RECORD("MODIFIED", OBJECT("a", "11", "u1")) "{\"type\":\"DEL");
        expect(&scene, "~n/a@11 ");
        fake_data(scene.fake, "ETED\",\"object\":" OBJECT("b", "12", "u2") "}\n");
        expect(&scene, "-n/b@12 ");
        fake_data(scene.fake, BOOKMARK("20") RECORD("ADDED", OBJECT("d", "21", "u4")));
        expect(&scene, "+n/d@21 ");
        assert_true(slice_is(reflector_version(scene.reflector), "21"));
        scene_end(&scene);
}

/* A page that is still waiting to be decoded is not overtaken. */
static void test_page_arrives_early(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct reflector_config){ 0 });
        fake_reply(scene.fake, 200, LIST("1", "t", OBJECT("a", "1", "u1")));
        fake_reply(scene.fake, 200, LIST("1", "", OBJECT("b", "1", "u2")));
        settle(&scene);
        expect(&scene, "+n/a@1 +n/b@1 | ");
        scene_end(&scene);
}

static void list_two_and_watch(struct scene *scene) {
        scene_init(scene, (struct reflector_config){ .seed = 3 });
        reply(scene, 200, LIST("10", "", OBJECT("a", "1", "u1") "," OBJECT("b", "2", "u2")));
        expect(scene, "+n/a@1 +n/b@2 | ");
}

static void test_watch_is_made_consistent(void **state) {
        static const struct {
                const char *name, *records, *expected;
        } cases[] = {
                { "added but known", RECORD("ADDED", OBJECT("a", "5", "u1")), "~n/a@5 " },
                { "modified but unknown", RECORD("MODIFIED", OBJECT("z", "5", "u9")), "+n/z@5 " },
                { "told already", RECORD("MODIFIED", OBJECT("a", "1", "u1")), "" },
                { "deleted but unknown", RECORD("DELETED", OBJECT("z", "5", "u9")), "" },
                { "replaced", RECORD("ADDED", OBJECT("a", "5", "u9")), "-n/a@ +n/a@5 " },
                { "without a name", RECORD("ADDED", "{\"metadata\":{}}"), "" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;

                list_two_and_watch(&scene);
                fake_data(scene.fake, cases[i].records);
                if (strcmp(scene.history.text, cases[i].expected) != 0)
                        fail_msg("%s: %s", cases[i].name, scene.history.text);
                scene_end(&scene);
        }
}

static void test_watch_resumes(void **state) {
        struct scene scene;

        (void)state;
        list_two_and_watch(&scene);
        fake_data(scene.fake, BOOKMARK("30"));
        reply(&scene, 200, ""); /* its time was over */
        assert_non_null(strstr(fake_next(scene.fake)->path, "resourceVersion=30&"));
        fake_data(scene.fake, "{\"type\":\"ADD"); /* cut in the middle */
        fake_lose(scene.fake, BERTH_ERR_IO);
        assert_int_equal(fake_pending(scene.fake), 0);
        assert_int_equal(scene.history.failures, 1);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        assert_non_null(strstr(fake_next(scene.fake)->path, "resourceVersion=30&"));
        fake_data(scene.fake, RECORD("ADDED", OBJECT("c", "31", "u3")));
        expect(&scene, "+n/c@31 ");
        for (int i = 0; i < 10; i++) { /* nobody there: the version is kept */
                fake_lose(scene.fake, BERTH_ERR_UNAVAILABLE);
                virtual_loop_advance(scene.loop, 61 * NS_PER_S);
        }
        assert_non_null(strstr(fake_next(scene.fake)->path, "resourceVersion=31&"));
        assert_int_equal(reflector_stats(scene.reflector).lists, 1);
        scene_end(&scene);
}

static void test_backoff_grows_and_resets(void **state) {
        struct scene scene;
        int64_t low = REFLECTOR_BACKOFF_MIN_NS;

        (void)state;
        scene_init(&scene, (struct reflector_config){ .seed = 9 });
        for (int i = 0; i < 12; i++) {
                reply(&scene, 500, "{}");
                assert_in_range(scene.history.delay_ns, low, 2 * low);
                low = low * 2 > REFLECTOR_BACKOFF_MAX_NS ? REFLECTOR_BACKOFF_MAX_NS : low * 2;
                virtual_loop_advance(scene.loop, scene.history.delay_ns - 1);
                assert_int_equal(fake_pending(scene.fake), 0);
                virtual_loop_advance(scene.loop, 1);
                assert_int_equal(fake_pending(scene.fake), 1);
        }
        reply(&scene, 200, LIST("1", "", ""));
        reply(&scene, 503, "");
        assert_in_range(scene.history.delay_ns, REFLECTOR_BACKOFF_MIN_NS,
                        2 * REFLECTOR_BACKOFF_MIN_NS);
        virtual_loop_advance(scene.loop, scene.history.delay_ns);
        fake_end(fake_next(scene.fake), (struct api_reply){ .status = 429, .retry_after_s = 100 });
        assert_int_equal(scene.history.delay_ns, 100 * NS_PER_S);
        scene_end(&scene);
}

static void test_short_watches_do_not_spin(void **state) {
        struct scene scene;

        (void)state;
        list_two_and_watch(&scene);
        reply(&scene, 200, "");
        assert_int_equal(fake_pending(scene.fake), 0);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        virtual_loop_advance(scene.loop, 5 * NS_PER_S); /* a quiet one is no short one */
        reply(&scene, 200, "");
        assert_int_equal(fake_pending(scene.fake), 1);
        scene_end(&scene);
}

static void test_expired_watch_lists_again(void **state) {
        struct scene scene;

        (void)state;
        list_two_and_watch(&scene);
        fake_data(scene.fake, GONE);
        assert_null(strstr(fake_next(scene.fake)->path, "watch="));
        reply(&scene, 200, LIST("50", "", OBJECT("b", "2", "u2") "," OBJECT("c", "40", "u3")));
        expect(&scene, "+n/c@40 -n/a@ | ");
        assert_int_equal(reflector_stats(scene.reflector).expirations, 1);
        fake_data(scene.fake, GONE); /* at once again: no more haste */
        assert_int_equal(fake_pending(scene.fake), 0);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        assert_null(strstr(fake_next(scene.fake)->path, "watch="));
        reply(&scene, 200, LIST("60", "", OBJECT("b", "2", "u2") "," OBJECT("c", "41", "u9")));
        expect(&scene, "-n/c@ +n/c@41 | ");
        reply(&scene, 410, ""); /* as an answer instead of a record */
        assert_null(strstr(fake_next(scene.fake)->path, "watch="));
        scene_end(&scene);
}

static void test_expired_page_lists_in_one_piece(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct reflector_config){ 0 });
        reply(&scene, 200, LIST("10", "t", OBJECT("a", "1", "u1") "," OBJECT("b", "1", "u2")));
        reply(&scene, 410, "");
        assert_string_equal(fake_next(scene.fake)->path, "/api/v1/pods");
        reply(&scene, 200, LIST("20", "", OBJECT("a", "1", "u1") "," OBJECT("c", "15", "u3")));
        expect(&scene, "+n/a@1 +n/b@1 +n/c@15 -n/b@ | ");
        scene_end(&scene);
}

/* The first list is as old as the server likes; when it fails, the next one is in pages again. */
static void test_first_list_from_the_cache(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct reflector_config){ .takes_cached = true });
        assert_string_equal(fake_next(scene.fake)->path, "/api/v1/pods?resourceVersion=0");
        fake_data(scene.fake, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" OBJECT(
                                      "a", "1", "u1") ",");
        expect(&scene, "+n/a@1 "); /* before the rest is there */
        reply(&scene, 429, "");
        assert_int_equal(scene.history.failures, 1);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        assert_string_equal(fake_next(scene.fake)->path, "/api/v1/pods?limit=500");
        reply(&scene, 200, LIST("10", "", OBJECT("b", "2", "u2")));
        expect(&scene, "+n/b@2 -n/a@ | ");
        scene_end(&scene);
}

static void test_bad_answers(void **state) {
        static const struct {
                const char *name, *data;
                bool lists; /* what is tried next */
        } cases[] = {
                { "no JSON", "{\"type\":\n", true },
                { "error record",
                  RECORD("ERROR", "{\"kind\":\"Status\",\"code\":500,\"message\":\"x\"}"), true },
                { "error without status", RECORD("ERROR", "{}"), true },
                { "error without object", "{\"type\":\"ERROR\"}\n", true },
                { "change without object", "{\"type\":\"ADDED\"}\n", true },
        };
        struct scene scene;

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                list_two_and_watch(&scene);
                fake_data(scene.fake, cases[i].data);
                assert_int_equal(scene.history.failures, 1);
                assert_int_equal(fake_pending(scene.fake), 0);
                virtual_loop_advance(scene.loop, 2 * NS_PER_S);
                assert_int_equal(!strstr(fake_next(scene.fake)->path, "watch="), cases[i].lists);
                scene_end(&scene);
        }
        scene_init(&scene, (struct reflector_config){ 0 });
        reply(&scene, 200, "{\"kind\":\"Pod\"}");
        assert_int_equal(scene.history.error.code, BERTH_ERR_INTERNAL);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        reply(&scene, 200, "<html>");
        assert_int_equal(scene.history.error.code, BERTH_ERR_BAD_REQUEST);
        virtual_loop_advance(scene.loop, 4 * NS_PER_S);
        reply(&scene, 403, "");
        assert_int_equal(scene.history.error.code, BERTH_ERR_FORBIDDEN);
        assert_int_equal(scene.history.failures, 3);
        scene_end(&scene);
}

/* A server that cannot resume (500, 504) is asked for a new list after a few attempts. */
static void test_stubborn_watch_lists_again(void **state) {
        struct scene scene;

        (void)state;
        list_two_and_watch(&scene);
        for (int i = 0; i < 3; i++) {
                assert_non_null(strstr(fake_next(scene.fake)->path, "watch="));
                reply(&scene, 504, "");
                virtual_loop_advance(scene.loop, 20 * NS_PER_S);
        }
        assert_null(strstr(fake_next(scene.fake)->path, "watch="));
        scene_end(&scene);
}

static void test_freeing_at_any_point(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene, (struct reflector_config){ 0 });
        scene_end(&scene);
        scene_init(&scene, (struct reflector_config){ 0 });
        fake_reply(scene.fake, 200, LIST("1", "t", OBJECT("a", "1", "u1")));
        scene_end(&scene); /* with a page not decoded yet */
        scene_init(&scene, (struct reflector_config){ 0 });
        reply(&scene, 500, "");
        scene_end(&scene); /* backing off */
        reflector_free(NULL);
}

/* ---- against the sandbox's server, in virtual time ---- */

#define MAPS "/api/v1/namespaces/default/configmaps"

static void make_maps(struct fixture *f, int first, int end) {
        for (int i = first; i < end; i++) {
                char body[128];

                snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"c%d\",\"labels\":{\"t\":\"1\"}}}", i);
                assert_int_equal(ask(f, "POST", MAPS, body), 201);
        }
}

static void test_sandbox_in_process(void **state) {
        struct fixture f = fixture_new();
        struct local_transport *local = local_transport_new(f.server, virtual_loop_get(f.fake),
                                                            &api_user_scheduler, "berth/1");
        struct transport transport = local_transport(local);
        struct history history = { 0 };
        struct reflector_config config = { .path = MAPS, .page_size = 7, .label_selector = "t=1" };
        struct reflector *reflector;

        (void)state;
        make_maps(&f, 0, 30);
        reflector = reflector_new(&config, &transport, virtual_loop_get(f.fake), &events, &history);
        virtual_loop_advance(f.fake, NS_PER_S);
        assert_int_equal(history.syncs, 1);
        assert_int_equal(history.changes, 30);
        assert_int_equal(reflector_stats(reflector).pages, 5);
        make_maps(&f, 30, 40);
        ask(&f, "DELETE", MAPS "/c3", "");
        virtual_loop_advance(f.fake, NS_PER_S);
        assert_int_equal(history.changes, 41);
        assert_int_equal(reflector_count(reflector), 39);
        virtual_loop_advance(f.fake, 3600 * NS_PER_S); /* watches end and are resumed */
        assert_in_range(reflector_stats(reflector).watches, 6, 13);
        assert_int_equal(reflector_stats(reflector).lists, 1);
        make_maps(&f, 40, 41);
        virtual_loop_advance(f.fake, NS_PER_S);
        assert_int_equal(history.changes, 42);
        assert_int_equal(history.failures, 0);
        reflector_free(reflector);
        local_transport_free(local);
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pages_then_watch),
                cmocka_unit_test(test_page_arrives_early),
                cmocka_unit_test(test_watch_is_made_consistent),
                cmocka_unit_test(test_watch_resumes),
                cmocka_unit_test(test_backoff_grows_and_resets),
                cmocka_unit_test(test_short_watches_do_not_spin),
                cmocka_unit_test(test_expired_watch_lists_again),
                cmocka_unit_test(test_expired_page_lists_in_one_piece),
                cmocka_unit_test(test_first_list_from_the_cache),
                cmocka_unit_test(test_bad_answers),
                cmocka_unit_test(test_stubborn_watch_lists_again),
                cmocka_unit_test(test_freeing_at_any_point),
                cmocka_unit_test(test_sandbox_in_process),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
