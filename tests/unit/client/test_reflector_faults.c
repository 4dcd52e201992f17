/* Reflectors over a transport that loses, cuts and refuses, while objects come, change and go and
 * history is forgotten: the consumer's history stays well-formed, and once the faults stop it has
 * what the server has. A failure names its seed. */
#include "client/reflector.h"

#include "../server/fake_server.h"
#include "base/rng.h"
#include "server/local_transport.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define NAMES 20
#define SEEDS 40
#define STEPS 150

/* A request as the reflector sees it: in front of one of the local transport, or of none when it
 * fails by itself. */
struct faulty_request {
        struct api_request caller;
        struct faults *faults;
        struct api_request *inner;
        struct faulty_request *next;
        struct loop_timer fail;
        uint64_t chunks_left; /* until the stream is cut */
};

struct faults {
        struct transport transport, inner;
        struct loop *loop;
        struct rng rng;
        unsigned percent; /* of requests that fail */
        struct faulty_request *all;
        const struct faulty_request *cancelled; /* the last one */
};

static void request_free(struct faulty_request *request) {
        struct faulty_request **link = &request->faults->all;

        while (*link != request)
                link = &(*link)->next;
        *link = request->next;
        loop_timer_disarm(request->faults->loop, &request->fail);
        free(request);
}

static void finish(struct faulty_request *request, const struct api_reply *reply) {
        struct faulty_request copy = *request;

        request_free(request);
        if (copy.caller.events)
                copy.caller.events->ended(copy.caller.context, reply);
        else
                copy.caller.done(copy.caller.context, reply);
}

static void on_fail(void *context) {
        static const int codes[] = { BERTH_ERR_UNAVAILABLE, BERTH_ERR_TIMEOUT, BERTH_ERR_IO };
        static const int statuses[] = { 410, 429, 500, 503, 504 };
        struct faulty_request *request = context;
        struct rng *rng = &request->faults->rng;
        struct api_reply reply = { .retry_after_s = rng_below(rng, 2) ? 1 : -1 };

        if (rng_below(rng, 2)) {
                err_set(&reply.error, codes[rng_below(rng, ARRAY_LEN(codes))], "injected");
        } else {
                reply.status = statuses[rng_below(rng, ARRAY_LEN(statuses))];
                err_set(&reply.error,
                        reply.status == 410 ? BERTH_ERR_EXPIRED : BERTH_ERR_UNAVAILABLE,
                        "injected");
        }
        finish(request, &reply);
}

static void on_inner_done(void *context, const struct api_reply *reply) {
        finish(context, reply);
}

/* Cut anew, and perhaps cut off. */
static void on_inner_data(void *context, struct slice chunk) {
        struct faulty_request *request = context;
        struct faults *faults = request->faults;

        faults->cancelled = NULL;
        while (chunk.len && faults->cancelled != request) {
                size_t size = 1 + rng_below(&faults->rng, chunk.len);

                if (request->chunks_left-- == 0) {
                        struct api_reply reply = { .retry_after_s = -1 };

                        transport_cancel(&faults->inner, request->inner);
                        err_set(&reply.error, BERTH_ERR_IO, "cut");
                        finish(request, &reply);
                        return;
                }
                request->caller.events->data(request->caller.context, slice_make(chunk.ptr, size));
                chunk = slice_make(chunk.ptr + size, chunk.len - size);
        }
}

static void on_inner_ended(void *context, const struct api_reply *reply) {
        finish(context, reply);
}

static struct faulty_request *request_new(struct faults *faults, void *context) {
        struct faulty_request *request = xcalloc(1, sizeof(*request));

        request->faults = faults;
        request->caller.context = context;
        request->chunks_left = faults->percent ? rng_below(&faults->rng, 60) : UINT64_MAX;
        request->fail = (struct loop_timer){ .fired = on_fail, .context = request };
        request->next = faults->all;
        faults->all = request;
        return request;
}

static bool fails(struct faults *faults, struct faulty_request *request) {
        if (rng_below(&faults->rng, 100) >= faults->percent)
                return false;
        loop_timer_arm(faults->loop, &request->fail,
                       (int64_t)rng_below(&faults->rng, 3) * NS_PER_S);
        return true;
}

static struct api_request *faulty_call(void *self, const struct api_call *call,
                                       void (*done)(void *context, const struct api_reply *reply),
                                       void *context) {
        struct faults *faults = self;
        struct faulty_request *request = request_new(faults, context);

        request->caller.done = done;
        if (!fails(faults, request))
                request->inner = transport_call(&faults->inner, call, on_inner_done, request);
        return &request->caller;
}

static struct api_request *faulty_stream(void *self, const struct api_call *call,
                                         const struct api_stream_events *events, void *context) {
        static const struct api_stream_events inner = { NULL, on_inner_data, on_inner_ended };
        struct faults *faults = self;
        struct faulty_request *request = request_new(faults, context);

        request->caller.events = events;
        if (!fails(faults, request))
                request->inner = transport_stream(&faults->inner, call, &inner, request);
        return &request->caller;
}

static void faulty_cancel(void *self, struct api_request *handle) {
        struct faulty_request *request = CONTAINER_OF(handle, struct faulty_request, caller);
        struct faults *faults = self;

        if (request->inner)
                transport_cancel(&faults->inner, request->inner);
        faults->cancelled = request;
        request_free(request);
}

/* ---- the consumer ---- */

struct mirror {
        int64_t versions[NAMES]; /* 0 = absent */
        char uids[NAMES][64];
        uint64_t seed;
};

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct mirror *mirror = context;
        const struct json *metadata = json_get(object, "metadata");
        struct slice name = json_get_text(metadata, "name");
        struct slice uid = json_get_text(metadata, "uid");
        uint64_t number = 0, version = 1;

        if (name.ptr[0] != 'c')
                return;
        slice_to_u64(slice_make(name.ptr + 1, name.len - 1), &number);
        slice_to_u64(json_get_text(metadata, "resourceVersion"), &version);
        if ((mirror->versions[number] != 0) != (change != REFLECTOR_ADDED) ||
            (change != REFLECTOR_ADDED && !slice_is(uid, mirror->uids[number])))
                fail_msg("seed %d: change %d of c%d", (int)mirror->seed, (int)change, (int)number);
        mirror->versions[number] = change == REFLECTOR_DELETED ? 0 : (int64_t)version;
        snprintf(mirror->uids[number], sizeof(mirror->uids[0]), SLICE_FMT, SLICE_ARG(uid));
}

static void change_something(struct fixture *f, struct rng *rng) {
        char path[128], body[128];
        int number = (int)rng_below(rng, NAMES);

        snprintf(path, sizeof(path), MAPS "/c%d", number);
        switch (rng_below(rng, 10)) {
        case 0:
                store_compact(api_server_store(f->server),
                              store_revision(api_server_store(f->server)));
                break;
        case 1:
        case 2:
                ask(f, "DELETE", path, "");
                break;
        case 3:
        case 4:
        case 5:
                snprintf(body, sizeof(body), "{\"data\":{\"x\":\"%d\"}}",
                         (int)rng_below(rng, 1000));
                ask_patch(f, MERGE_PATCH, path, body);
                break;
        default:
                snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"c%d\"}}", number);
                ask(f, "POST", MAPS, body);
        }
}

static void check_equal(struct fixture *f, const struct mirror *mirror) {
        for (int i = 0; i < NAMES; i++) {
                char path[128];
                uint64_t version = 0;

                snprintf(path, sizeof(path), MAPS "/c%d", i);
                if (ask(f, "GET", path, "") == 200)
                        slice_to_u64(json_text(answer_at(f, "/metadata/resourceVersion")),
                                     &version);
                if ((int64_t)version != mirror->versions[i])
                        fail_msg("seed %d: c%d is at %d, not %d", (int)mirror->seed, i,
                                 (int)mirror->versions[i], (int)version);
        }
}

static void run_seed(uint64_t seed) {
        static const struct transport_ops ops = { faulty_call, faulty_stream, faulty_cancel };
        static const struct reflector_events events = { .changed = on_changed };
        struct fixture f = fixture_new();
        struct local_transport *local =
                local_transport_new(f.server, virtual_loop_get(f.fake), &api_user_admin, "test/1");
        struct faults faults = { .inner = local_transport(local),
                                 .loop = virtual_loop_get(f.fake) };
        struct mirror mirror = { .seed = seed };
        struct reflector_config config = { .path = MAPS, .seed = seed, .page_size = 3 };
        struct reflector *reflector;

        rng_init(&faults.rng, seed);
        faults.transport = (struct transport){ &ops, &faults };
        faults.percent = (unsigned)rng_below(&faults.rng, 70);
        reflector = reflector_new(&config, &faults.transport, virtual_loop_get(f.fake), &events,
                                  &mirror);
        for (int i = 0; i < STEPS; i++) {
                change_something(&f, &faults.rng);
                if (rng_below(&faults.rng, 3) == 0)
                        virtual_loop_advance(f.fake,
                                             (int64_t)rng_below(&faults.rng, 5000) * NS_PER_MS);
        }
        faults.percent = 0;
        for (struct faulty_request *request = faults.all; request; request = request->next)
                request->chunks_left = UINT64_MAX;
        virtual_loop_advance(f.fake, 300 * NS_PER_S);
        check_equal(&f, &mirror);
        reflector_free(reflector);
        assert_null(faults.all);
        local_transport_free(local);
        fixture_free(&f);
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
