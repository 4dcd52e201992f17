/* The rows in front of a model, against a server the test plays. */
#include "loop/cluster_feed.h"

#include "base/log.h"
#include "loop/watch_set.h"
#include "model/cluster.h"
#include "model/object_cache.h"

#include "../client/fake_transport.h"

#define EMPTY "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}"

struct scene {
        struct virtual_loop *loop;
        struct fake_transport *fake;
        struct watch_set *set;
        struct cluster *cluster;
        struct object_cache *cache;
        struct cluster_feed *feed;
        char logged[1024]; /* "EVENT key=value key=value | " of KindNotServed */
};

static void write_logged(void *context, enum log_level level, const char *event,
                         const struct log_field *fields, size_t count) {
        struct scene *scene = context;
        struct buf text = { 0 };

        (void)level;
        if (strcmp(event, "KindNotServed") != 0)
                return;
        for (size_t i = 0; i < count; i++)
                buf_printf(&text, "%s=" SLICE_FMT " ", fields[i].key, SLICE_ARG(fields[i].text));
        size_t used = strlen(scene->logged);
        snprintf(scene->logged + used, sizeof(scene->logged) - used, SLICE_FMT "| ",
                 SLICE_ARG(buf_view(&text)));
        buf_release(&text);
}

static void on_changed(void *context, uint32_t woken) {
        (void)context;
        (void)woken;
}

static void scene_begin_with(struct scene *scene, struct object_cache *cache, bool can_lack_rules) {
        const struct log_sink sink = { .write = write_logged,
                                       .context = scene,
                                       .max_level = LOG_INFO };

        *scene = (struct scene){ .loop = virtual_loop_new(),
                                 .fake = fake_transport_new(),
                                 .cluster = cluster_new(&(struct cluster_config){ 0 }),
                                 .cache = cache };
        log_install(&sink);
        scene->set = watch_set_new(&scene->fake->transport, virtual_loop_get(scene->loop));
        scene->feed = cluster_feed_new(
                &(struct cluster_feed_config){ .watches = scene->set,
                                               .loop = virtual_loop_get(scene->loop),
                                               .cluster = scene->cluster,
                                               .object_cache = scene->cache,
                                               .with_groups = true,
                                               .with_taint_rules = true,
                                               .can_lack_rules = can_lack_rules },
                on_changed, NULL);
}

static void scene_begin(struct scene *scene) {
        scene_begin_with(scene, object_cache_new(), false);
}

static void scene_end(struct scene *scene) {
        log_install(NULL);
        cluster_feed_free(scene->feed);
        watch_set_free(scene->set);
        object_cache_free(scene->cache);
        cluster_free(scene->cluster);
        fake_transport_free(scene->fake);
        virtual_loop_free(scene->loop);
}

/* Answers what waits for an answer now: an empty list, or status where the path has a part. Watches
 * go on waiting. */
static void answer_lists(struct scene *scene, const char *part, int status) {
        for (size_t i = 0; i < scene->fake->count; i++) {
                struct fake_request *request = scene->fake->requests[i];
                struct api_reply reply = { .status = status };

                if (request->is_over || strstr(request->path, "watch="))
                        continue;
                if (!strstr(request->path, part)) {
                        reply.status = 200;
                        request->caller.events->data(request->caller.context, SLICE_LITERAL(EMPTY));
                }
                fake_end(request, reply);
        }
        virtual_loop_advance(scene->loop, 0);
}

/* One line for a version of a group, once. */
static void test_kinds_not_served(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene);
        answer_lists(&scene, "/resource.k8s.io/", 404);
        assert_true(cluster_feed_is_synced(scene.feed));
        assert_string_equal(scene.logged,
                            "group=/apis/resource.k8s.io/v1 resources=resourceclaims, "
                            "resourceslices, deviceclasses | "
                            "group=/apis/resource.k8s.io/v1beta2 resources=devicetaintrules | ");
        scene.logged[0] = '\0';
        for (int i = 0; i < 5; i++) {
                virtual_loop_advance(scene.loop, 60 * NS_PER_S);
                answer_lists(&scene, "/resource.k8s.io/", 404);
        }
        assert_string_equal(scene.logged, "");
        scene_end(&scene);
}

/* Rules that nobody asked for are not worth a line. */
static void test_rules_not_served(void **state) {
        struct scene scene;

        (void)state;
        scene_begin_with(&scene, object_cache_new(), true);
        answer_lists(&scene, "/devicetaintrules", 404);
        assert_true(cluster_feed_is_synced(scene.feed));
        assert_string_equal(scene.logged, "");
        scene_end(&scene);
}

/* Rights that are missing are another matter, which the watches tell. */
static void test_kinds_not_allowed(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene);
        answer_lists(&scene, "/resource.k8s.io/", 403);
        assert_true(cluster_feed_is_synced(scene.feed));
        assert_string_equal(scene.logged, "");
        scene_end(&scene);
}

static bool asks_for(const struct scene *scene, const char *path) {
        for (size_t i = 0; i < scene->fake->count; i++)
                if (strstr(scene->fake->requests[i]->path, path))
                        return true;
        return false;
}

static void test_devices_alone(void **state) {
        struct scene scene;

        (void)state;
        scene_begin_with(&scene, object_cache_new_of(CACHED_DEVICES), false);
        answer_lists(&scene, "nothing", 404);
        assert_true(cluster_feed_is_synced(scene.feed));
        assert_true(asks_for(&scene, "/resourceclaims"));
        assert_true(asks_for(&scene, "/resourceslices"));
        assert_true(asks_for(&scene, "/deviceclasses"));
        assert_true(asks_for(&scene, "/persistentvolumeclaims"));
        assert_false(asks_for(&scene, "/persistentvolumes"));
        assert_false(asks_for(&scene, "/replicasets"));
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_kinds_not_served),
                cmocka_unit_test(test_rules_not_served),
                cmocka_unit_test(test_kinds_not_allowed),
                cmocka_unit_test(test_devices_alone),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
