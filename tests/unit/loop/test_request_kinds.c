/* Which form of EvictionRequests is found, and what failures on the way do: the test plays the
 * server. */
#include "loop/request_kinds.h"

#include "base/log.h"

#include "../client/fake_transport.h"

#define NATIVE "{\"resources\":[{\"name\":\"evictions\"},{\"name\":\"evictionrequests\"}]}"
#define OTHER "{\"resources\":[{\"name\":\"evictionpolicies\"}]}"
#define PATIENCE_NS (10 * NS_PER_S)

struct scene {
        struct virtual_loop *loop;
        struct fake_transport *fake;
        struct request_kinds *kinds;
        size_t found, failures, warnings;
        enum evict_kinds last;
        char failure[ERR_TEXT_MAX];
};

static void count_warning(void *context, enum log_level level, const char *event,
                          const struct log_field *fields, size_t count) {
        struct scene *scene = context;

        (void)fields;
        (void)count;
        scene->warnings += level == LOG_WARN && strcmp(event, "DiscoveryFailed") == 0;
}

static void on_found(void *context, enum evict_kinds kinds, const struct err *failure) {
        struct scene *scene = context;

        scene->found++;
        scene->last = kinds;
        scene->failures += failure != NULL;
        snprintf(scene->failure, sizeof(scene->failure), "%s", failure ? failure->text : "");
}

static void scene_begin(struct scene *scene, bool ends_unanswered) {
        const struct log_sink sink = { .write = count_warning,
                                       .context = scene,
                                       .max_level = LOG_INFO };

        *scene = (struct scene){ .loop = virtual_loop_new(), .fake = fake_transport_new() };
        log_install(&sink);
        scene->kinds = request_kinds_new(
                &(struct request_kinds_config){ .transport = &scene->fake->transport,
                                                .loop = virtual_loop_get(scene->loop),
                                                .patience_ns = PATIENCE_NS,
                                                .ends_unanswered = ends_unanswered,
                                                .found = on_found,
                                                .context = scene });
        request_kinds_look(scene->kinds);
        request_kinds_look(scene->kinds); /* one look at a time */
}

static void scene_end(struct scene *scene) {
        log_install(NULL);
        request_kinds_free(scene->kinds);
        fake_transport_free(scene->fake);
        virtual_loop_free(scene->loop);
}

/* One answer: 'n' lists them, 'o' lists other kinds, '4' is 404, '3' is 403, 'b' is 429, 'e' is
 * 500,
 * '-' is none. */
static void play(struct scene *scene, char answer) {
        static const int statuses[] = {
                ['n'] = 200, ['o'] = 200, ['4'] = 404, ['3'] = 403, ['b'] = 429, ['e'] = 500
        };
        struct api_reply reply = { .status = answer == '-' ? 0 : statuses[(int)answer] };

        if (answer == 'n')
                reply.body = SLICE_LITERAL(NATIVE);
        else if (answer == 'o')
                reply.body = SLICE_LITERAL(OTHER);
        else if (answer == '-')
                err_set(&reply.error, BERTH_ERR_IO, "refused");
        assert_int_equal(fake_pending(scene->fake), 1);
        fake_end(fake_next(scene->fake), reply);
        virtual_loop_advance(scene->loop, NS_PER_S);
}

static void test_answers(void **state) {
        static const struct {
                const char *answers;
                enum evict_kinds found;
        } cases[] = {
                { "n", EVICT_KINDS_NATIVE },    { "4n", EVICT_KINDS_OWN },
                { "on", EVICT_KINDS_OWN },      { "3n", EVICT_KINDS_OWN },
                { "44", EVICT_KINDS_ABSENT },   { "4o", EVICT_KINDS_ABSENT },
                { "33", EVICT_KINDS_ABSENT },   { "bn", EVICT_KINDS_NATIVE },
                { "en", EVICT_KINDS_NATIVE },   { "-n", EVICT_KINDS_NATIVE },
                { "be-4n", EVICT_KINDS_OWN },   { "4bn", EVICT_KINDS_OWN },
                { "4-e4", EVICT_KINDS_ABSENT },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                bool has_failures = strpbrk(cases[i].answers, "be-") != NULL;
                struct scene scene;

                scene_begin(&scene, false);
                for (const char *at = cases[i].answers; *at; at++)
                        play(&scene, *at);
                if (scene.found != 1 || scene.last != cases[i].found || scene.failures)
                        fail_msg("%s: %d", cases[i].answers, (int)scene.last);
                assert_int_equal(scene.warnings, has_failures); /* one for all */
                scene_end(&scene);
        }
}

/* Neither waited for without an end, nor taken for a no. */
static void test_patience(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene, false);
        for (int64_t waited = 0; waited <= PATIENCE_NS; waited += NS_PER_S) {
                assert_int_equal(scene.found, 0);
                play(&scene, 'e');
        }
        assert_int_equal(scene.found, 1);
        assert_int_equal(scene.last, EVICT_KINDS_UNKNOWN);
        assert_string_equal(scene.failure, "HTTP status 500");
        request_kinds_look(scene.kinds); /* with new patience */
        play(&scene, 'b');
        assert_int_equal(scene.found, 1);
        play(&scene, 'n');
        assert_int_equal(scene.last, EVICT_KINDS_NATIVE);
        scene_end(&scene);
}

static void test_server_away(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene, true);
        play(&scene, 'b');
        assert_int_equal(scene.found, 0);
        play(&scene, '-');
        assert_int_equal(scene.found, 1);
        assert_int_equal(scene.last, EVICT_KINDS_UNKNOWN);
        assert_string_equal(scene.failure, "refused");
        assert_int_equal(scene.warnings, 1);
        scene_end(&scene);

        scene_begin(&scene, true);
        play(&scene, '-');
        assert_string_equal(scene.failure, "refused");
        assert_int_equal(scene.warnings, 0); /* who asked says it */
        scene_end(&scene);
}

static void test_ends_in_the_middle(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene, false);
        scene_end(&scene); /* asked */
        scene_begin(&scene, false);
        play(&scene, '4');
        fake_end(fake_next(scene.fake), (struct api_reply){ .status = 503 });
        scene_end(&scene); /* waits to ask again */
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_answers),
                cmocka_unit_test(test_patience),
                cmocka_unit_test(test_server_away),
                cmocka_unit_test(test_ends_in_the_middle),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
