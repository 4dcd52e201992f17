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
        (void)context;
        (void)reply;
        fail();
}

/* Returns while the name is looked up. */
static struct api_request *ask(struct event_loop *events, struct transport *transport) {
        int before = atomic_load(&waiting);
        struct api_request *request = transport_call(
                transport, &(struct api_call){ .path = SLICE_LITERAL("/") }, on_reply, NULL);

        while (atomic_load(&waiting) == before)
                assert_int_equal(event_loop_run_once(events, 10 * NS_PER_MS, NULL), 0);
        return request;
}

static void test_request_ends(void **state) {
        struct http_transport_config config = { 0 };
        struct http_transport *http = NULL;
        struct event_loop *events;

        (void)state;
        sem_init(&answers, 0, 0);
        config.access.server = slice_dup(SLICE_LITERAL("http://dead.example"));
        assert_int_equal(event_loop_new(&events, NULL), 0);
        assert_int_equal(http_transport_new(&config, event_loop_as_loop(events), &http, NULL), 0);
        struct transport transport = http_transport(http);
        transport_cancel(&transport, ask(events, &transport));
        ask(events, &transport);
        http_transport_free(http);
        event_loop_free(events);
        assert_int_equal(atomic_load(&waiting), 2); /* nobody has answered */
        sem_post(&answers);
        sem_post(&answers);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_request_ends) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
