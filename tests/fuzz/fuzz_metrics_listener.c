/* Bytes on a connection to the port for metrics of a node's agent: whatever they are, an answer or
 * none, and the listener goes on. */
#include "fuzz_peer.h"
#include "host/metrics_listener.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_page(void *context, struct buf *out) {
        (void)context;
        buf_text(out, "up 1\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct event_loop *events;
        static struct metrics_listener *listener;

        if (!events) {
                int code = event_loop_new(&events, NULL);

                assert(code == 0);
                code = metrics_listener_new(event_loop_as_loop(events),
                                            &(struct metrics_address){ "127.0.0.1", 0 }, write_page,
                                            NULL, &listener, NULL);
                assert(code == 0);
        }
        fuzz_send(events, metrics_listener_port(listener), data, size);
        return 0;
}
