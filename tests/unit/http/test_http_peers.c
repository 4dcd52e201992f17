/* Those who have not shown who they are: how many, from where, and for how long. */
#include "http/http_peers.h"

#include "base/util.h"
#include "port/virtual_loop.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MAX 16
#define TIME_NS (30 * NS_PER_S)

struct one {
        struct http_peer peer;
        bool is_over;
};

struct scene {
        struct virtual_loop *fake;
        struct http_peers peers;
        struct one ones[64];
        size_t count;
};

static void one_cut(struct http_peer *peer) {
        CONTAINER_OF(peer, struct one, peer)->is_over = true;
        http_peers_remove(peer);
}

static void scene_begin(struct scene *scene) {
        *scene = (struct scene){ .fake = virtual_loop_new() };
        virtual_loop_advance(scene->fake, NS_PER_S);
        http_peers_init(&scene->peers, virtual_loop_get(scene->fake), TIME_NS, MAX);
}

static void scene_end(struct scene *scene) {
        for (size_t i = 0; i < scene->count; i++)
                http_peers_remove(&scene->ones[i].peer);
        assert_int_equal(scene->peers.count, 0);
        http_peers_release(&scene->peers);
        virtual_loop_free(scene->fake);
}

static struct one *come(struct scene *scene, const char *source) {
        struct one *one = &scene->ones[scene->count++];
        struct sockaddr_in address = { .sin_family = AF_INET };

        assert_true(scene->count <= ARRAY_LEN(scene->ones));
        assert_int_equal(inet_pton(AF_INET, source, &address.sin_addr), 1);
        one->peer.cut = one_cut;
        http_peers_add(&scene->peers, &one->peer, (const struct sockaddr *)&address);
        return one;
}

static size_t left(const struct scene *scene) {
        size_t count = 0;

        for (size_t i = 0; i < scene->count; i++)
                count += !scene->ones[i].is_over;
        return count;
}

static void test_time(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene);
        struct one *first = come(&scene, "10.0.0.1");
        virtual_loop_advance(scene.fake, 10 * NS_PER_S);
        struct one *second = come(&scene, "10.0.0.1");
        virtual_loop_advance(scene.fake, 19 * NS_PER_S);
        assert_false(first->is_over);
        virtual_loop_advance(scene.fake, NS_PER_S);
        assert_true(first->is_over);
        assert_false(second->is_over);
        http_peers_renew(&second->peer); /* it has asked, and was answered */
        virtual_loop_advance(scene.fake, 29 * NS_PER_S);
        assert_false(second->is_over);
        http_peers_remove(&second->peer); /* known by now */
        http_peers_remove(&second->peer);
        virtual_loop_advance(scene.fake, 100 * NS_PER_S);
        assert_false(second->is_over);
        scene_end(&scene);
}

/* A burst of one source is taken; what stays longer is not. */
static void test_source(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene);
        for (int i = 0; i < MAX / 2; i++)
                come(&scene, "10.0.0.1");
        assert_int_equal(left(&scene), MAX / 2);
        virtual_loop_advance(scene.fake, 3 * NS_PER_S);
        struct one *other = come(&scene, "10.0.0.2");
        assert_int_equal(left(&scene), MAX / 2 + 1);
        come(&scene, "10.0.0.1");
        assert_true(scene.ones[0].is_over);
        assert_false(scene.ones[1].is_over);
        assert_false(other->is_over);
        assert_int_equal(left(&scene), MAX / 2 + 1);
        scene_end(&scene);
}

/* All places taken: the one who takes most gives way, not a quiet source. */
static void test_total(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene);
        struct one *quiet = come(&scene, "10.0.0.2");
        for (int i = 0; i < 40; i++)
                come(&scene, "10.0.0.1");
        assert_int_equal(left(&scene), MAX);
        assert_false(quiet->is_over);
        for (int i = 0; i < 4; i++) {
                char source[20];

                snprintf(source, sizeof(source), "10.0.1.%d", i);
                come(&scene, source);
        }
        assert_int_equal(left(&scene), MAX);
        assert_true(http_peers_cut_oldest(&scene.peers));
        assert_int_equal(left(&scene), MAX - 1);
        scene_end(&scene);
        scene_begin(&scene);
        assert_false(http_peers_cut_oldest(&scene.peers));
        scene_end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_time),
                cmocka_unit_test(test_source),
                cmocka_unit_test(test_total),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
