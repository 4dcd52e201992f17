/* A name server that does not answer holds up a request, not the loop: neither when the request
 * ends, nor when the transport does. */
#include "client/http_transport.h"

#include "base/util.h"
#include "loop/event_loop.h"
#include <netdb.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static sem_t answers;
static atomic_int waiting;

/* In place of the C library's, for libcurl's threads. */
int getaddrinfo(const char *restrict name, const char *restrict service,
                const struct addrinfo *restrict request, struct addrinfo **restrict ret_info) {
        (void)name;
        (void)service;
        (void)request;
        (void)ret_info;
        atomic_fetch_add(&waiting, 1);
        while (sem_wait(&answers) < 0)
                continue;
        atomic_fetch_sub(&waiting, 1);
        return EAI_AGAIN;
}

static void on_reply(void *context, const struct api_reply *reply) {
        (void)reply;
        ++*(unsigned *)context;
}

static void test_request_ends(void **state) {
        struct http_transport_config config = { .timeout_ns = 20 * NS_PER_MS };
        struct http_transport *http = NULL;
        struct event_loop *events;
        unsigned replies = 0;

        (void)state;
        sem_init(&answers, 0, 0);
        config.access.server = slice_dup(SLICE_LITERAL("http://dead.example"));
        assert_int_equal(event_loop_new(&events, NULL), 0);
        assert_int_equal(http_transport_new(&config, event_loop_as_loop(events), &http, NULL), 0);
        struct transport transport = http_transport(http);
        transport_call(&transport, &(struct api_call){ .path = SLICE_LITERAL("/one") }, on_reply,
                       &replies);
        while (replies < 1)
                assert_int_equal(event_loop_run_once(events, -1, NULL), 0);
        assert_int_equal(atomic_load(&waiting), 1); /* and nobody has answered */
        transport_call(&transport,
                       &(struct api_call){ .path = SLICE_LITERAL("/two"), .timeout_ns = NS_PER_S },
                       on_reply, &replies);
        while (atomic_load(&waiting) < 2)
                assert_int_equal(event_loop_run_once(events, 10 * NS_PER_MS, NULL), 0);
        http_transport_free(http);
        event_loop_free(events);
        assert_int_equal(atomic_load(&waiting), 2);
        sem_post(&answers);
        sem_post(&answers);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_request_ends) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
