/* The sandbox's API server behind a real port of this process, on the epoll loop, and a transport
 * over HTTP to it. For the tests of this folder. */
#pragma once

#include "api/json.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "http/http_front.h"
#include "http/tls_material.h"
#include "loop/event_loop.h"
#include "server/api_server.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LIVE_ITERATIONS_MAX 200000
#define LIVE_ROWS_MAX 512
#define LIVE_TOKEN "secret-token"

struct live {
        struct event_loop *events;
        struct loop *loop;
        struct api_server *server;
        struct http_front *front;
        struct tls_material material;
        bool is_tls;
        uint16_t port;
        struct http_transport *http;
        struct transport transport;
};

static inline void live_listen(struct live *live) {
        char address[32];
        struct err err = { 0 };
        struct http_front_config config = { .address = address };

        snprintf(address, sizeof(address), "127.0.0.1:%u", live->port);
        if (live->is_tls) {
                config.key_pem = live->material.key_pem;
                config.certificate_pem = live->material.certificate_pem;
        }
        struct http_handler handler = api_server_handler(live->server);

        if (http_front_new(&config, &handler, live->loop, &live->front, &err) < 0)
                fail_msg("%s", err.text);
        live->port = http_front_port(live->front);
}

static inline void live_serve(struct live *live) {
        static const char *const groups[] = { "system:masters", NULL };
        struct api_token token = { LIVE_TOKEN, "admin", groups };

        live->server = api_server_new(
                &(struct api_server_config){ .tokens = &token, .token_count = 1, .seed = 1 },
                live->loop);
        live_listen(live);
}

static inline struct cluster_access live_access(const struct live *live) {
        struct cluster_access access = { .token = slice_dup(SLICE_LITERAL(LIVE_TOKEN)) };
        char url[64];

        snprintf(url, sizeof(url), "%s://127.0.0.1:%u", live->is_tls ? "https" : "http",
                 live->port);
        access.server = slice_dup(slice_of(url));
        if (live->is_tls)
                access.ca_pem = slice_dup(slice_of(live->material.ca_pem));
        return access;
}

static inline struct http_transport *live_connect(struct live *live,
                                                  struct http_transport_config config) {
        struct http_transport *http;
        struct err err = { 0 };

        if (!config.access.server)
                config.access = live_access(live);
        if (http_transport_new(&config, live->loop, &http, &err) < 0)
                fail_msg("%s", err.text);
        return http;
}

static inline void live_start(struct live *live, bool is_tls) {
        *live = (struct live){ .is_tls = is_tls };
        assert_int_equal(event_loop_new(&live->events, NULL), 0);
        live->loop = event_loop_as_loop(live->events);
        if (is_tls)
                assert_int_equal(tls_material_make(NULL, &live->material, NULL), 0);
        live_serve(live);
        live->http = live_connect(live, (struct http_transport_config){ 0 });
        live->transport = http_transport(live->http);
}

static inline void live_stop(struct live *live) {
        http_transport_free(live->http);
        http_front_free(live->front);
        api_server_free(live->server);
        tls_material_release(&live->material);
        event_loop_free(live->events);
}

/* Runs the loop until *flag is at least wanted. */
static inline void live_until(struct live *live, const int *flag, int wanted) {
        for (int i = 0; *flag < wanted; i++) {
                assert_true(i < LIVE_ITERATIONS_MAX);
                assert_int_equal(event_loop_run_once(live->events, NS_PER_S, NULL), 0);
        }
}
/* Lets things settle that must not lead to anything. */
static inline void live_run_once(struct live *live, int count) {
        for (int i = 0; i < count; i++)
                assert_int_equal(event_loop_run_once(live->events, NS_PER_MS, NULL), 0);
}

/* Rows of /proc/self/net/tcp whose remote end is a port of this machine, by their local end. */
struct live_rows {
        struct {
                char local[16];
                bool is_open;
        } items[LIVE_ROWS_MAX];
        int count;
};
static inline struct live_rows live_rows(uint16_t port) {
        FILE *file = fopen("/proc/self/net/tcp", "r");
        struct live_rows rows = { 0 };
        char line[256], wanted[32];

        assert_non_null(file);
        snprintf(wanted, sizeof(wanted), "0100007F:%04X", port);
        while (fgets(line, sizeof(line), file)) {
                struct slice rest = slice_trim(slice_of(line)), local, remote, state;

                slice_split(&rest, ' ', &local); /* the number */
                slice_split(&rest, ' ', &local);
                slice_split(&rest, ' ', &remote);
                slice_split(&rest, ' ', &state);
                if (!slice_is(remote, wanted))
                        continue;
                assert_true(rows.count < LIVE_ROWS_MAX);
                snprintf(rows.items[rows.count].local, sizeof(rows.items[0].local), SLICE_FMT,
                         SLICE_ARG(local));
                rows.items[rows.count++].is_open = slice_is(state, "01");
        }
        fclose(file);
        return rows;
}
/* Connections to a port of this machine that there are, or were until a moment ago. Others may have
 * used the port before us: what was there when we began to listen, and is not open now, does not
 * count. */
static inline int live_connections(uint16_t port, const struct live_rows *before) {
        struct live_rows now = live_rows(port);
        int count = 0;

        for (int i = 0; i < now.count; i++) {
                bool is_ours = true;

                for (int j = 0; j < before->count && !now.items[i].is_open; j++)
                        is_ours &= strcmp(now.items[i].local, before->items[j].local) != 0;
                count += is_ours;
        }
        return count;
}

/* In-process write around the transport. */
static inline int live_do(struct live *live, const char *method, const char *path,
                          const char *body) {
        struct http_response response;
        int status;

        api_server_call(live->server, &api_user_admin, method, slice_of(path), slice_of(body),
                        &response);
        status = response.status;
        http_response_release(&response);
        return status;
}
