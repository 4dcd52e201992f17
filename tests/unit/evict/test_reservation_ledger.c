/* Room for replacements: when it is held, for how long, to whom it goes, and what the Eviction is
 * told of it, lost words included. */
#include "base/util.h"
#include "evict/reservation_ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define AT(s) ((struct mono_time){ (int64_t)(s)*NS_PER_S })
#define UID "e-1"
#define POD                                                                                        \
        "{\"metadata\":{\"name\":\"p\",\"namespace\":\"shop\",\"uid\":\"u-1\","                    \
        "\"ownerReferences\":"                                                                     \
        "[{\"kind\":\"ReplicaSet\",\"name\":\"r\",\"uid\":\"o-1\",\"controller\":true}]},"         \
        "\"spec\":"                                                                                \
        "{\"nodeName\":\"n0\",\"schedulerName\":\"default-scheduler\",\"containers\":[{\"name\":"  \
        "\"c\"}]}}"

struct scene {
        struct cluster *cluster;
        struct reservation_ledger *book;
        struct reservation_effects effects;
        const char *free_node; /* NULL = there is no room */
};

static bool choose(void *context, struct pod_id pod, struct slice scheduler_name, char *node) {
        struct scene *scene = context;

        assert_false(pod_id_is_none(pod));
        assert_true(slice_is(scheduler_name, "default-scheduler"));
        if (scene->free_node)
                snprintf(node, RESERVATION_NODE_MAX, "%s", scene->free_node);
        return scene->free_node;
}

static void open_scene(struct scene *scene) {
        *scene = (struct scene){ .free_node = "n1" };
        scene->cluster = cluster_new(&(struct cluster_config){ 0 });
        scene->book = reservation_ledger_new(&(struct reservation_ledger_config){
                .cluster = scene->cluster, .choose = choose, .context = scene });
        reservation_effects_init(&scene->effects);
}

static void close_scene(struct scene *scene) {
        reservation_ledger_free(scene->book);
        assert_true(pod_id_is_none(cluster_find_pod(scene->cluster, SLICE_LITERAL("shop"),
                                                    SLICE_LITERAL("reserved-" UID))));
        reservation_effects_release(&scene->effects);
        cluster_free(scene->cluster);
}

static bool is_in_model(struct scene *scene) {
        return !pod_id_is_none(cluster_find_pod(scene->cluster, SLICE_LITERAL("shop"),
                                                SLICE_LITERAL("reserved-" UID)));
}

static void put_object(struct scene *scene, const char *text, int64_t at) {
        struct json_doc *doc = NULL;

        assert_int_equal(json_parse(slice_of(text), &doc, NULL), 0);
        reservation_ledger_put(scene->book, json_doc_root(doc), AT(at));
        json_doc_free(doc);
}

/* The Eviction, with these annotations besides the wish. */
static void put(struct scene *scene, const char *notes, int64_t at) {
        char text[900];

        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"pod-1-p\",\"namespace\":\"shop\",\"uid\":\"" UID
                 "\",\"annotations\":{\"lifecycle.berth.dev/reserve\":\"Required 60s\"%s}},"
                 "\"spec\":{\"target\":{\"pod\":{\"name\":\"p\",\"uid\":\"u-1\"}}}}",
                 notes);
        put_object(scene, text, at);
}

static void step(struct scene *scene, int64_t at) {
        reservation_effects_clear(&scene->effects);
        reservation_ledger_step(scene->book, AT(at), &scene->effects);
}

static const struct reservation_effect *find(const struct scene *scene,
                                             enum reservation_effect_kind kind) {
        for (size_t i = 0; i < scene->effects.count; i++)
                if (scene->effects.items[i].kind == kind)
                        return &scene->effects.items[i];
        return NULL;
}

/* Asked for, read, and tried. */
static void begin(struct scene *scene, int64_t at) {
        put(scene, "", at);
        step(scene, at);
        assert_non_null(find(scene, RESERVATION_READ_POD));
        reservation_ledger_read(scene->book, SLICE_LITERAL(UID), SLICE_LITERAL(POD), AT(at));
        step(scene, at);
}

static void assert_reported(const struct scene *scene, const char *body) {
        const struct reservation_effect *reported = find(scene, RESERVATION_REPORT);

        assert_non_null(reported);
        if (!slice_contains(reported->body, slice_of(body)))
                fail_msg("%s: " SLICE_FMT, body, SLICE_ARG(reported->body));
}

static void assert_released(const struct scene *scene, const char *reason) {
        const struct reservation_effect *released = find(scene, RESERVATION_RELEASED);

        assert_non_null(released);
        assert_true(slice_is(released->reason, reason));
        assert_true(slice_is(released->node, "n1"));
}

static void test_held_until_the_end(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        begin(&scene, 0);
        assert_true(slice_is(find(&scene, RESERVATION_MADE)->node, "n1"));
        assert_reported(&scene, "\"lifecycle.berth.dev/reserved\":\"n1\"");
        assert_int_equal(reservation_ledger_held(scene.book), 1);
        assert_true(is_in_model(&scene));
        reservation_ledger_remove(scene.book, SLICE_LITERAL(UID));
        step(&scene, 1);
        assert_released(&scene, "end");
        assert_false(is_in_model(&scene));
        close_scene(&scene);
}

/* A minute without a sign of life; one such minute after another with them. */
static void test_expires(void **state) {
        struct mono_time due;
        struct scene scene;

        (void)state;
        open_scene(&scene);
        begin(&scene, 0);
        reservation_ledger_reported(scene.book, SLICE_LITERAL(UID), true, AT(0));
        put(&scene, ",\"lifecycle.berth.dev/reserved\":\"n1\"", 50);
        step(&scene, 100);
        assert_int_equal(reservation_ledger_held(scene.book), 1);
        assert_true(reservation_ledger_next_due(scene.book, &due));
        assert_int_equal(due.ns, AT(110).ns);
        step(&scene, 110);
        assert_released(&scene, "expired");
        assert_reported(&scene, "\"lifecycle.berth.dev/reserved\":null,"
                                "\"lifecycle.berth.dev/not-reserved\":\"expired n1\"");
        assert_false(is_in_model(&scene));
        reservation_ledger_reported(scene.book, SLICE_LITERAL(UID), true, AT(110));
        put(&scene, ",\"lifecycle.berth.dev/not-reserved\":\"expired n1\"", 111);
        step(&scene, 500);
        assert_int_equal(scene.effects.count, 0);
        assert_false(reservation_ledger_next_due(scene.book, &due));
        put(&scene, "", 501); /* taken back: room is wanted after all */
        step(&scene, 501);
        assert_non_null(find(&scene, RESERVATION_READ_POD));
        reservation_ledger_read(scene.book, SLICE_LITERAL(UID), SLICE_LITERAL(POD), AT(501));
        step(&scene, 501);
        assert_non_null(find(&scene, RESERVATION_MADE));
        close_scene(&scene);
}

static void test_taken_by_the_replacement(void **state) {
        static const char *const pods[] = {
                "{\"metadata\":{\"name\":\"q\",\"namespace\":\"shop\",\"uid\":\"u-2\"},\"spec\":{}"
                "}",
                "{\"metadata\":{\"name\":\"q\",\"namespace\":\"shop\",\"uid\":\"u-2\","
                "\"ownerReferences\":[{\"uid\":\"o-1\",\"controller\":true}]},\"spec\":{"
                "\"nodeName\":\"n7\"}}",
                "{\"metadata\":{\"name\":\"q\",\"namespace\":\"shop\",\"uid\":\"u-2\","
                "\"ownerReferences\":[{\"uid\":\"o-1\",\"controller\":true}]},\"spec\":{}}",
        };
        struct scene scene;

        (void)state;
        open_scene(&scene);
        begin(&scene, 0);
        for (size_t i = 0; i < ARRAY_LEN(pods); i++) {
                struct json_doc *doc = NULL;

                assert_int_equal(json_parse(slice_of(pods[i]), &doc, NULL), 0);
                assert_int_equal(reservation_ledger_arrived(scene.book, json_doc_root(doc)),
                                 i == 2);
                json_doc_free(doc);
        }
        step(&scene, 1);
        assert_released(&scene, "taken");
        assert_false(is_in_model(&scene));
        close_scene(&scene);
}

/* Says so once, and looks again. */
static void test_no_reservation(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        scene.free_node = NULL;
        begin(&scene, 0);
        assert_non_null(find(&scene, RESERVATION_REFUSED));
        assert_reported(&scene, "\"lifecycle.berth.dev/not-reserved\":\"no room\"");
        assert_false(is_in_model(&scene));
        step(&scene, 9);
        assert_null(find(&scene, RESERVATION_READ_POD));
        scene.free_node = "n1";
        step(&scene, 10);
        assert_non_null(find(&scene, RESERVATION_READ_POD));
        reservation_ledger_read(scene.book, SLICE_LITERAL(UID), SLICE_LITERAL(POD), AT(10));
        reservation_ledger_reported(scene.book, SLICE_LITERAL(UID), true, AT(10));
        step(&scene, 10);
        assert_non_null(find(&scene, RESERVATION_MADE));
        close_scene(&scene);
}

/* A write that failed is made again; so is one whose effect is not to be seen. */
static void test_words_that_get_lost(void **state) {
        struct scene scene;

        (void)state;
        open_scene(&scene);
        begin(&scene, 0);
        reservation_ledger_reported(scene.book, SLICE_LITERAL(UID), false, AT(0));
        step(&scene, 1);
        assert_null(find(&scene, RESERVATION_REPORT));
        step(&scene, 10);
        assert_reported(&scene, "\"lifecycle.berth.dev/reserved\":\"n1\"");
        reservation_ledger_reported(scene.book, SLICE_LITERAL(UID), true, AT(10));
        put(&scene, "", 11);
        step(&scene, 11);
        assert_reported(&scene, "\"lifecycle.berth.dev/reserved\":\"n1\"");
        close_scene(&scene);
}

/* Too late, not the same pod, nobody to follow, or not readable: nothing is held. */
static void test_pods_without_room(void **state) {
        static const struct {
                const char *pod;
                bool looks_again;
        } cases[] = {
                { "", true },
                { "{\"metadata\":{\"name\":\"p\",\"namespace\":\"shop\",\"uid\":\"u-9\","
                  "\"ownerReferences\":[{\"uid\":\"o-1\",\"controller\":true}]}}",
                  false },
                { "{\"metadata\":{\"name\":\"p\",\"namespace\":\"shop\",\"uid\":\"u-1\"}}", false },
                { "{\"metadata\":{\"name\":\"p\",\"namespace\":\"shop\",\"uid\":\"u-1\","
                  "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\","
                  "\"ownerReferences\":[{\"uid\":\"o-1\",\"controller\":true}]}}",
                  false },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct scene scene;

                open_scene(&scene);
                put(&scene, "", 0);
                step(&scene, 0);
                reservation_ledger_read(scene.book, SLICE_LITERAL(UID), slice_of(cases[i].pod),
                                        AT(0));
                step(&scene, 60);
                assert_int_equal(!!find(&scene, RESERVATION_READ_POD), cases[i].looks_again);
                assert_int_equal(reservation_ledger_held(scene.book), 0);
                close_scene(&scene);
        }
}

/* Without a wish, or with one that cannot be read, and at the end, nothing is wanted. */
static void test_evictions_without_a_demand(void **state) {
        static const char *const evictions[] = {
                "{\"metadata\":{\"name\":\"e\",\"namespace\":\"shop\",\"uid\":\"x\"},\"spec\":{"
                "\"target\":{\"pod\":{\"name\":\"p\",\"uid\":\"u-1\"}}}}",
                "{\"metadata\":{\"name\":\"e\",\"namespace\":\"shop\",\"uid\":\"x\","
                "\"annotations\":{\"lifecycle.berth.dev/reserve\":\"Required soon\"}},\"spec\":{"
                "\"target\":{\"pod\":{\"name\":\"p\",\"uid\":\"u-1\"}}}}",
                "{\"metadata\":{\"name\":\"e\",\"namespace\":\"shop\",\"uid\":\"x\","
                "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\","
                "\"annotations\":{\"lifecycle.berth.dev/reserve\":\"Required 9s\"}},\"spec\":{"
                "\"target\":{\"pod\":{\"name\":\"p\",\"uid\":\"u-1\"}}}}",
        };
        struct scene scene;

        (void)state;
        open_scene(&scene);
        for (size_t i = 0; i < ARRAY_LEN(evictions); i++) {
                put_object(&scene, evictions[i], 0);
                step(&scene, 0);
                assert_int_equal(scene.effects.count, 0);
        }
        close_scene(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_held_until_the_end),
                cmocka_unit_test(test_expires),
                cmocka_unit_test(test_taken_by_the_replacement),
                cmocka_unit_test(test_no_reservation),
                cmocka_unit_test(test_words_that_get_lost),
                cmocka_unit_test(test_pods_without_room),
                cmocka_unit_test(test_evictions_without_a_demand),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
