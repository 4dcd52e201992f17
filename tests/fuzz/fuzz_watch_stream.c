/* Lists and watch streams from a hostile server: whatever arrives, the consumer sees a well-formed
 * history, and the same one wherever the stream was cut. The first byte says where; up to the first
 * newline is the answer to the list, the rest the stream. */
#include "client/reflector.h"

#include "base/map.h"
#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct peer {
        void (*done)(void *context, const struct api_reply *reply);
        const struct api_stream_events *events;
        void *context;
        struct loop_timer *armed[8];
        struct map *has; /* what the consumer has */
        struct buf history;
};

static struct api_request *peer_call(void *self, const struct api_call *call,
                                     void (*done)(void *context, const struct api_reply *reply),
                                     void *context) {
        struct peer *peer = self;

        (void)call;
        peer->done = done;
        peer->events = NULL;
        peer->context = context;
        return (struct api_request *)peer;
}

static struct api_request *peer_stream(void *self, const struct api_call *call,
                                       const struct api_stream_events *events, void *context) {
        struct peer *peer = self;

        (void)call;
        peer->done = NULL;
        peer->events = events;
        peer->context = context;
        return (struct api_request *)peer;
}

static void peer_cancel(void *self, struct api_request *request) {
        struct peer *peer = self;

        assert(request == (struct api_request *)peer);
        peer->done = NULL;
        peer->events = NULL;
}

static struct wall_time wall(void *self) {
        (void)self;
        return (struct wall_time){ 0 };
}

static struct mono_time mono(void *self) {
        (void)self;
        return (struct mono_time){ 0 };
}

static void disarm(void *self, struct loop_timer *timer) {
        struct peer *peer = self;

        if (timer->position)
                peer->armed[timer->position - 1] = NULL;
        timer->position = 0;
}

/* Only timers without delay fire, see run_timers. */
static void arm(void *self, struct loop_timer *timer, int64_t delay_ns) {
        struct peer *peer = self;
        size_t at = 0;

        disarm(self, timer);
        timer->due.ns = delay_ns;
        while (peer->armed[at])
                at++;
        peer->armed[at] = timer;
        timer->position = at + 1;
}

static void run_timers(struct peer *peer) {
        for (size_t i = 0; i < 8; i++) {
                struct loop_timer *timer = peer->armed[i];

                if (!timer || timer->due.ns > 0)
                        continue;
                disarm(peer, timer);
                timer->fired(timer->context);
                i = (size_t)-1;
        }
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct peer *peer = context;
        const struct json *metadata = json_get(object, "metadata");
        struct buf key = { 0 };
        bool has;

        buf_json_string(&key, json_get_text(metadata, "namespace"));
        buf_json_string(&key, json_get_text(metadata, "name"));
        has = map_get(peer->has, buf_view(&key));
        assert(has == (change != REFLECTOR_ADDED));
        if (change == REFLECTOR_DELETED)
                map_remove(peer->has, buf_view(&key));
        else
                map_put(peer->has, buf_view(&key), peer);
        buf_printf(&peer->history, "%d", change);
        buf_slice(&peer->history, buf_view(&key));
        buf_release(&key);
}

static void feed(struct peer *peer, struct slice chunk) {
        if (peer->events && chunk.len)
                peer->events->data(peer->context, chunk);
}

static void follow(struct peer *peer, struct slice list, struct slice stream, size_t cut) {
        static const struct transport_ops transport_ops = { peer_call, peer_stream, peer_cancel };
        static const struct loop_ops loop_ops = {
                .wall = wall, .mono = mono, .timer_arm = arm, .timer_disarm = disarm
        };
        static const struct reflector_events events = { .changed = on_changed };
        struct transport transport = { &transport_ops, peer };
        struct loop loop = { &loop_ops, peer };
        struct api_reply reply = { .status = 200, .body = list, .retry_after_s = -1 };
        struct reflector_config config = { .path = "/p" };
        struct reflector *reflector = reflector_new(&config, &transport, &loop, &events, peer);

        for (int i = 0; i < 3 && peer->done; i++) { /* a list may ask for more pages */
                peer->done(peer->context, &reply);
                run_timers(peer);
        }
        feed(peer, slice_make(stream.ptr, cut));
        if (stream.len > cut)
                feed(peer, slice_make(stream.ptr + cut, stream.len - cut));
        assert(map_count(peer->has) == reflector_count(reflector));
        reflector_free(reflector);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice rest = { (const char *)data, size }, list;
        struct peer peers[2] = { { .has = map_new() }, { .has = map_new() } };
        size_t cut;

        if (size > 1) {
                rest = slice_make(rest.ptr + 1, size - 1);
                slice_split(&rest, '\n', &list);
                cut = rest.len ? data[0] * rest.len / 255 : 0;
                follow(&peers[0], list, rest, cut);
                follow(&peers[1], list, rest, 0);
                assert(slice_eq(buf_view(&peers[0].history), buf_view(&peers[1].history)));
        }
        for (int i = 0; i < 2; i++) {
                map_free(peers[i].has);
                buf_release(&peers[i].history);
        }
        return 0;
}
