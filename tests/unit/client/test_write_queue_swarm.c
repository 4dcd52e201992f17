/* Random writes and answers: every write is reported once, no object has two under way, and what
 * the server has in the end is what the writes reported as done do one after the other. A failure
 * names its seed. */
#include "client/write_queue.h"

#include "api/merge_patch.h"
#include "base/arena.h"
#include "base/rng.h"
#include "fake_transport.h"

#define OBJECTS 4
#define WRITES 200
#define SEEDS 60

struct scene {
        struct virtual_loop *loop;
        struct fake_transport *fake;
        struct write_queue *queue;
        struct rng rng;
        uint64_t seed;
        struct json_tree *server[OBJECTS];   /* patched by what was accepted */
        struct json_tree *expected[OBJECTS]; /* patched by what was reported */
};

struct note {
        struct scene *scene;
        int object, reports;
        char body[128];
};

static void apply(struct json_tree *tree, const char *patch) {
        CLEANUP(cleanup_json_tree) struct json_tree *parsed = NULL;

        assert_int_equal(json_tree_parse(slice_of(patch), &parsed, NULL), 0);
        merge_patch_apply(tree, json_tree_root(parsed), NULL);
}

static struct json_tree *tree_new(void) {
        struct json_tree *tree = json_tree_new();

        json_tree_set_root(tree, node_object(tree));
        return tree;
}

static void on_result(void *context, const struct write_result *result) {
        struct note *note = context;

        note->reports++;
        if (result->outcome == WRITE_ANSWERED && result->reply->status == 200 && note->body[0])
                apply(note->scene->expected[note->object], note->body);
}

static void add_random(struct scene *scene, struct note *note) {
        static const char *const values[] = { "1", "2", "null", "{\"x\":1}", "{\"y\":null}" };
        char name[8], path[64];
        struct write_request write = { .lane = WRITE_STATUS,
                                       .kind = SLICE_LITERAL("Pod"),
                                       .method = API_PATCH,
                                       .content_type =
                                               SLICE_LITERAL("application/merge-patch+json"),
                                       .is_repeatable = true,
                                       .done = on_result,
                                       .context = note };
        uint64_t kind = rng_below(&scene->rng, 10);

        *note = (struct note){ .scene = scene, .object = (int)rng_below(&scene->rng, OBJECTS) };
        snprintf(name, sizeof(name), "p%d", note->object);
        snprintf(path, sizeof(path), "/%d%s", note->object, kind == 0 ? "/binding" : "");
        if (kind == 0)
                write.lane = WRITE_BIND;
        if (kind <= 1)
                write.method = kind ? API_DELETE : API_POST;
        else
                snprintf(note->body, sizeof(note->body), "{\"%c\":%s,\"%c\":%s}",
                         "ab"[rng_below(&scene->rng, 2)], values[rng_below(&scene->rng, 5)], 'c',
                         values[rng_below(&scene->rng, 5)]);
        write.name = slice_of(name);
        write.path = slice_of(path);
        write.body = slice_of(note->body);
        write_queue_add(scene->queue, &write);
}

static void check_one_each(const struct scene *scene) {
        int under_way[OBJECTS] = { 0 };

        for (size_t i = 0; i < scene->fake->count; i++) {
                const struct fake_request *request = scene->fake->requests[i];

                if (!request->is_over && ++under_way[request->path[1] - '0'] > 1)
                        fail_msg("seed %d: two writes of %s", (int)scene->seed, request->path);
        }
}

static void answer_random(struct scene *scene) {
        static const int codes[] = { BERTH_ERR_UNAVAILABLE, BERTH_ERR_TIMEOUT };
        struct fake_request *request = NULL;
        size_t skip = rng_below(&scene->rng, fake_pending(scene->fake));

        for (size_t i = 0; !request; i++) {
                if (!scene->fake->requests[i]->is_over && skip-- == 0)
                        request = scene->fake->requests[i];
        }
        switch (rng_below(&scene->rng, 8)) {
        case 0:
                fake_end(request, (struct api_reply){ .status = 409, .retry_after_s = -1 });
                break;
        case 1:
                fake_end(request, (struct api_reply){ .status = 429, .retry_after_s = 1 });
                break;
        case 2: {
                struct api_reply reply = { .retry_after_s = -1 };

                err_set(&reply.error, codes[rng_below(&scene->rng, 2)], "lost");
                fake_end(request, reply);
                break;
        }
        default:
                if (request->method == API_PATCH)
                        apply(scene->server[request->path[1] - '0'], request->body);
                fake_end(request, (struct api_reply){ .status = 200, .retry_after_s = -1 });
        }
}

static void run_seed(uint64_t seed) {
        struct scene scene = { .loop = virtual_loop_new(),
                               .fake = fake_transport_new(),
                               .seed = seed };
        struct note *notes = xcalloc(WRITES, sizeof(*notes));
        size_t count = 0;

        rng_init(&scene.rng, seed);
        scene.queue = write_queue_new(
                &(struct write_queue_config){ .concurrency = 1 + (unsigned)rng_below(&scene.rng, 5),
                                              .seed = seed },
                &scene.fake->transport, virtual_loop_get(scene.loop));
        for (int i = 0; i < OBJECTS; i++) {
                scene.server[i] = tree_new();
                scene.expected[i] = tree_new();
        }
        while (count < WRITES || !write_queue_is_idle(scene.queue)) {
                if (count < WRITES && rng_below(&scene.rng, 2))
                        add_random(&scene, &notes[count++]);
                if (fake_pending(scene.fake) && rng_below(&scene.rng, 2))
                        answer_random(&scene);
                virtual_loop_advance(scene.loop, (int64_t)rng_below(&scene.rng, 3) * NS_PER_S);
                check_one_each(&scene);
        }
        for (int i = 0; i < WRITES; i++) {
                if (notes[i].reports != 1)
                        fail_msg("seed %d: write %d reported %d times", (int)seed, i,
                                 notes[i].reports);
        }
        for (int i = 0; i < OBJECTS; i++) {
                if (!node_equal(json_tree_root(scene.server[i]), json_tree_root(scene.expected[i])))
                        fail_msg("seed %d: object %d differs", (int)seed, i);
                json_tree_free(scene.server[i]);
                json_tree_free(scene.expected[i]);
        }
        write_queue_free(scene.queue);
        fake_transport_free(scene.fake);
        virtual_loop_free(scene.loop);
        free(notes);
}

static void test_swarm(void **state) {
        (void)state;
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
                run_seed(seed);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_swarm) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
