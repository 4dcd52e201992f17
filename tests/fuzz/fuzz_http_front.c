/* Bytes on a connection to the API server's port: whatever they are, an answer or none, and the
 * server goes on. */
#include "fuzz_peer.h"
#include "http/http_front.h"
#include "server/api_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct event_loop *events;
        static struct http_front *front;
        struct http_front_config config = { .address = "127.0.0.1:0" };

        if (!events) {
                int code = event_loop_new(&events, NULL);
                struct api_server *server;

                assert(code == 0);
                server = api_server_new(&(struct api_server_config){ .seed = 1, .is_open = true },
                                        event_loop_as_loop(events));
                struct http_handler handler = api_server_handler(server);

                code = http_front_new(&config, &handler, event_loop_as_loop(events), &front, NULL);
                assert(code == 0);
        }
        fuzz_send(events, http_front_port(front), data, size);
        return 0;
}
