/* Rows that share lists and watches, against a server the test plays. */
#include "loop/watch_set.h"

#include "base/log.h"

#include "../client/fake_transport.h"

#define PODS "/api/v1/pods"
#define JOBS "/apis/batch/v1/jobs"
#define OBJECT(name, version)                                                                      \
        "{\"metadata\":{\"name\":\"" name "\",\"uid\":\"u-" name                                   \
        "\",\"resourceVersion\":\"" version "\"}}"
#define LIST(version, next, items)                                                                 \
        "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"" version                          \
        "\",\"continue\":\"" next "\"},\"items\":[" items "]}"
#define RECORD(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"

struct scene {
        struct virtual_loop *loop;
        struct fake_transport *fake;
        struct watch_set *set;
};

struct hearer { /* what one row was told: "+a@1 ~a@2 -a | !" */
        char text[1024];
        const char *leaves_at; /* name of the object that makes it remove itself */
        struct watch_row *row, *takes_along;
        struct watch_set *set;
};

static void observe(struct hearer *hearer, const char *text) {
        size_t used = strlen(hearer->text);

        snprintf(hearer->text + used, sizeof(hearer->text) - used, "%s ", text);
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct hearer *hearer = context;
        const struct json *meta = json_get(object, "metadata");
        char text[100];

        assert_true(change <= REFLECTOR_DELETED);
        snprintf(text, sizeof(text), "%c" SLICE_FMT "@" SLICE_FMT, "+~-"[change],
                 SLICE_ARG(json_get_text(meta, "name")),
                 SLICE_ARG(json_get_text(meta, "resourceVersion")));
        observe(hearer, text);
        if (!hearer->leaves_at || !slice_is(json_get_text(meta, "name"), hearer->leaves_at))
                return;
        watch_set_remove(hearer->set, hearer->row);
        watch_set_remove(hearer->set, hearer->takes_along);
}

static void on_synced(void *context) {
        observe(context, "|");
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        (void)err;
        (void)delay_ns;
        observe(context, "!");
}

static const struct reflector_events events = { on_changed, on_synced, on_failed };

static struct scene scene_new(void) {
        struct scene scene = { .loop = virtual_loop_new(), .fake = fake_transport_new() };

        scene.set = watch_set_new(&scene.fake->transport, virtual_loop_get(scene.loop));
        return scene;
}

static void scene_end(struct scene *scene) {
        watch_set_free(scene->set);
        assert_int_equal(virtual_loop_timers(scene->loop), 0);
        fake_transport_free(scene->fake);
        virtual_loop_free(scene->loop);
}

static struct watch_row *follow(struct scene *scene, const char *path, enum watch_trouble trouble,
                                struct hearer *hearer) {
        hearer->set = scene->set;
        hearer->row = watch_set_add(scene->set, &(struct watch_request){ .path = path,
                                                                         .trouble = trouble,
                                                                         .is_needed = true,
                                                                         .events = &events,
                                                                         .context = hearer,
                                                                         .owner = hearer });
        return hearer->row;
}

static void scene_answer(struct scene *scene, int status, const char *body) {
        fake_reply(scene->fake, status, body);
        virtual_loop_advance(scene->loop, 0);
}

static void expect(struct hearer *hearer, const char *text) {
        assert_string_equal(hearer->text, text);
        hearer->text[0] = '\0';
}

static size_t asked(const struct scene *scene, const char *part) {
        size_t count = 0;

        for (size_t i = 0; i < scene->fake->count; i++)
                count += strstr(scene->fake->requests[i]->path, part) != NULL;
        return count;
}

static void test_rows_share_one_watch(void **state) {
        struct scene scene = scene_new();
        struct hearer a = { 0 }, b = { 0 }, c = { 0 };

        (void)state;
        follow(&scene, PODS, WATCH_REQUIRED, &a);
        follow(&scene, PODS, WATCH_REQUIRED, &b);
        assert_int_equal(scene.fake->count, 1);
        assert_false(watch_set_is_synced(scene.set, &a));
        assert_true(watch_set_is_synced(scene.set, &scene)); /* nobody's rows */
        scene_answer(&scene, 200, LIST("9", "", OBJECT("x", "1") "," OBJECT("y", "2")));
        expect(&a, "+x@1 +y@2 | ");
        expect(&b, "+x@1 +y@2 | ");
        assert_true(watch_set_is_synced(scene.set, &a) && watch_row_is_synced(b.row));
        fake_data(scene.fake,
                  RECORD("MODIFIED", OBJECT("x", "10")) RECORD("DELETED", OBJECT("y", "11")));
        expect(&a, "~x@10 -y@11 ");
        expect(&b, "~x@10 -y@11 ");
        assert_int_equal(scene.fake->count, 2); /* one list, one watch */

        /* Another path is another collection; so is another selector. */
        follow(&scene, JOBS, WATCH_REQUIRED, &c);
        watch_set_add(scene.set, &(struct watch_request){ .path = PODS,
                                                          .field_selector = "spec.nodeName=n",
                                                          .events = &events,
                                                          .context = &c });
        assert_int_equal(watch_set_count(scene.set), 3);
        assert_int_equal(asked(&scene, PODS "?fieldSelector=spec.nodeName%3Dn&limit"), 1);
        scene_end(&scene);
}

/* Who comes late is told all by a list which those who know it do not notice. */
static void test_late_row_catches_up(void **state) {
        struct scene scene = scene_new();
        struct hearer a = { 0 }, late = { 0 }, later = { 0 };

        (void)state;
        follow(&scene, PODS, WATCH_REQUIRED, &a);
        scene_answer(&scene, 200, LIST("9", "", OBJECT("x", "1") "," OBJECT("y", "2")));
        expect(&a, "+x@1 +y@2 | ");
        follow(&scene, PODS, WATCH_REQUIRED, &late);
        fake_data(scene.fake, RECORD("ADDED", OBJECT("z", "10"))); /* the watch still runs */
        expect(&late, "");
        assert_false(watch_set_is_synced(scene.set, &late));
        assert_true(watch_set_is_synced(scene.set, &a));
        virtual_loop_advance(scene.loop, 0);
        scene_answer(&scene, 200, LIST("12", "t", OBJECT("x", "1") "," OBJECT("z", "11")));
        expect(&late, "+x@1 +z@11 ");
        /* One that comes in the middle of that list waits for the next. */
        follow(&scene, PODS, WATCH_REQUIRED, &later);
        virtual_loop_advance(scene.loop, 0);
        assert_int_equal(fake_pending(scene.fake), 1);
        assert_null(strstr(fake_next(scene.fake)->path, "continue"));
        scene_answer(&scene, 200, LIST("12", "", OBJECT("x", "1") "," OBJECT("z", "11")));
        expect(&a, "+z@10 ~z@11 -y@ | ");
        expect(&later, "+x@1 +z@11 -y@ | ");
        expect(&late, "+x@1 +z@11 -y@ | ");
        fake_data(scene.fake, RECORD("MODIFIED", OBJECT("x", "13")));
        expect(&a, "~x@13 ");
        expect(&late, "~x@13 ");
        expect(&later, "~x@13 ");
        assert_int_equal(fake_pending(scene.fake), 1);
        scene_end(&scene);
}

/* Before the first object, and where there is none, no second list is needed. */
static void test_late_row_without_objects(void **state) {
        struct scene scene = scene_new();
        struct hearer a = { 0 }, b = { 0 }, c = { 0 };

        (void)state;
        follow(&scene, PODS, WATCH_REQUIRED, &a);
        fake_reply(scene.fake, 200, LIST("9", "", ""));
        follow(&scene, PODS, WATCH_REQUIRED, &b); /* before the list was looked at */
        virtual_loop_advance(scene.loop, 0);
        expect(&b, "| ");
        follow(&scene, PODS, WATCH_REQUIRED, &c);
        expect(&c, ""); /* never from inside watch_set_add */
        virtual_loop_advance(scene.loop, 0);
        expect(&c, "| ");
        expect(&a, "| ");
        assert_int_equal(scene.fake->count, 2);
        scene_end(&scene);
}

static void test_absent_kinds(void **state) {
        static const struct {
                enum watch_trouble trouble;
                int status;
                bool is_ready;
        } cases[] = {
                { WATCH_REQUIRED, 404, false }, { WATCH_REQUIRED, 403, false },
                { WATCH_OPTIONAL, 404, true },  { WATCH_OPTIONAL, 403, true },
                { WATCH_OPTIONAL, 500, false }, { WATCH_QUIET, 404, true },
                { WATCH_QUIET, 500, false },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene = scene_new();
                struct hearer a = { 0 }, b = { 0 };

                follow(&scene, JOBS, cases[i].trouble, &a);
                scene_answer(&scene, cases[i].status, "");
                expect(&a, "! ");
                assert_int_equal(watch_set_is_synced(scene.set, &a), cases[i].is_ready);
                assert_false(watch_row_is_synced(a.row));
                /* Who comes now hears of it without waiting for the next try. */
                follow(&scene, JOBS, WATCH_QUIET, &b);
                virtual_loop_advance(scene.loop, 0);
                expect(&b, "! ");
                expect(&a, "");
                /* It is defined later. */
                virtual_loop_advance(scene.loop, 2 * NS_PER_S);
                scene_answer(&scene, 200, LIST("9", "", OBJECT("x", "1")));
                expect(&a, "+x@1 | ");
                expect(&b, "+x@1 | ");
                assert_true(watch_set_is_synced(scene.set, &a));
                scene_end(&scene);
        }
}

/* Rows may leave from inside a callback, their own or another's; the last one ends the watch. */
static void test_rows_leave(void **state) {
        struct scene scene = scene_new();
        struct hearer a = { .leaves_at = "y" }, b = { 0 }, c = { 0 };

        (void)state;
        follow(&scene, PODS, WATCH_REQUIRED, &a);
        a.takes_along = follow(&scene, PODS, WATCH_REQUIRED, &b);
        follow(&scene, PODS, WATCH_REQUIRED, &c);
        scene_answer(&scene, 200,
                     LIST("9", "", OBJECT("x", "1") "," OBJECT("y", "2") "," OBJECT("z", "3")));
        expect(&a, "+x@1 +y@2 ");
        expect(&b, "+x@1 ");
        expect(&c, "+x@1 +y@2 +z@3 | ");
        c.leaves_at = "q";
        fake_data(scene.fake,
                  RECORD("ADDED", OBJECT("q", "10")) RECORD("ADDED", OBJECT("r", "11")));
        expect(&c, "+q@10 ");
        assert_int_equal(watch_set_count(scene.set), 0);
        virtual_loop_advance(scene.loop, 0);
        assert_int_equal(fake_pending(scene.fake), 0);
        /* Followed once more, it begins anew. */
        follow(&scene, PODS, WATCH_REQUIRED, &b);
        scene_answer(&scene, 200, LIST("12", "", OBJECT("x", "1")));
        expect(&b, "+x@1 | ");
        watch_set_remove(scene.set, NULL);
        scene_end(&scene);
}

/* A row that comes while the server fails does not make it try sooner. */
static void test_late_row_while_failing(void **state) {
        struct scene scene = scene_new();
        struct hearer a = { 0 }, b = { 0 };

        (void)state;
        follow(&scene, PODS, WATCH_REQUIRED, &a);
        scene_answer(&scene, 200, LIST("9", "", OBJECT("x", "1")));
        scene_answer(&scene, 500, "");
        expect(&a, "+x@1 | ! ");
        follow(&scene, PODS, WATCH_REQUIRED, &b);
        virtual_loop_advance(scene.loop, 0);
        assert_int_equal(fake_pending(scene.fake), 0);
        virtual_loop_advance(scene.loop, 2 * NS_PER_S);
        scene_answer(&scene, 500, ""); /* the list that tells all fails, too */
        virtual_loop_advance(scene.loop, 4 * NS_PER_S);
        scene_answer(&scene, 200, LIST("9", "", OBJECT("x", "1")));
        expect(&a, "! | ");
        expect(&b, "! +x@1 | ");
        scene_end(&scene);
}

static char logged[1024]; /* "WatchFailed 2 | ": events with their counts */

static void write_logged(void *context, enum log_level level, const char *event,
                         const struct log_field *fields, size_t count) {
        size_t used = strlen(logged);

        (void)context;
        (void)level;
        snprintf(logged + used, sizeof(logged) - used, "%s %lld | ", event,
                 (long long)fields[count - 1].i64);
}

static void expect_logged(const char *text) {
        assert_string_equal(logged, text);
        logged[0] = '\0';
}

/* Each answer after the longest pause between two attempts. */
static void scene_fail(struct scene *scene, int status, int times) {
        for (int i = 0; i < times; i++) {
                fake_reply(scene->fake, status, "");
                virtual_loop_advance(scene->loop, 60 * NS_PER_S);
        }
}

/* A line when it begins to fail, for each cause, once a minute, and when a watch works again: by
 * its first record, or because it lasts. */
static void test_failures_are_logged_once(void **state) {
        const struct log_sink sink = { .write = write_logged, .max_level = LOG_WARN };
        struct scene scene = scene_new();
        struct hearer a = { 0 };

        (void)state;
        log_install(&sink);
        follow(&scene, PODS, WATCH_REQUIRED, &a);
        for (int i = 0; i < 4; i++) { /* pauses of less than 10 s in all */
                fake_reply(scene.fake, 500, "");
                virtual_loop_advance(scene.loop, (i + 1) * NS_PER_S);
                while (fake_pending(scene.fake) == 0)
                        virtual_loop_advance(scene.loop, NS_PER_S);
        }
        expect_logged("WatchFailed 0 | ");
        fake_reply(scene.fake, 503, "");
        expect_logged("WatchFailed 3 | ");
        virtual_loop_advance(scene.loop, 60 * NS_PER_S);
        scene_fail(&scene, 503, 2);
        expect_logged("WatchFailed 0 | WatchFailed 0 | ");
        scene_answer(&scene, 200, LIST("9", "", OBJECT("x", "1")));
        expect_logged(""); /* its watch is still to come */
        fake_data(scene.fake, RECORD("MODIFIED", OBJECT("x", "10")));
        expect_logged("WatchWorks 7 | ");
        scene_fail(&scene, 500, 1);
        expect_logged("WatchFailed 0 | WatchWorks 1 | "); /* the next one lasts */
        log_install(NULL);
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows_share_one_watch),
                cmocka_unit_test(test_late_row_catches_up),
                cmocka_unit_test(test_late_row_without_objects),
                cmocka_unit_test(test_absent_kinds),
                cmocka_unit_test(test_rows_leave),
                cmocka_unit_test(test_late_row_while_failing),
                cmocka_unit_test(test_failures_are_logged_once),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
