/* An API server in virtual time, asked as its administrator. */
#pragma once

#include "base/util.h"
#include "port/virtual_loop.h"
#include "server/local_transport.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PODS "/api/v1/namespaces/default/pods"

struct virtual_api {
        struct virtual_loop *loop;
        struct api_server *server;
        struct local_transport *local;
        struct transport transport;
        char text[65536]; /* the body of the last answer */
};

static inline void virtual_api_init(struct virtual_api *api) {
        api->loop = virtual_loop_new();
        api->server = api_server_new(&(struct api_server_config){ .seed = 1 },
                                     virtual_loop_get(api->loop));
        api->local = local_transport_new(api->server, virtual_loop_get(api->loop), &api_user_admin,
                                         "test");
        api->transport = local_transport(api->local);
}

static inline void virtual_api_release(struct virtual_api *api) {
        local_transport_free(api->local);
        api_server_free(api->server);
        virtual_loop_free(api->loop);
}

/* Bodies may be written with single quotes. */
static inline void quote(char *text) {
        for (; *text; text++)
                *text = *text == '\'' ? '"' : *text;
}

/* The status; patches are merge patches. */
static inline int ask(struct virtual_api *api, const char *method, const char *path,
                      const char *body) {
        struct buf answer = { 0 };
        char quoted[4096];

        snprintf(quoted, sizeof(quoted), "%s", body);
        quote(quoted);
        int status = api_server_ask(api->server, method, path, quoted, &answer);
        snprintf(api->text, sizeof(api->text), SLICE_FMT, SLICE_ARG(buf_view(&answer)));
        buf_release(&answer);
        return status;
}

/* A node without taints. */
static inline void put_node(struct virtual_api *api, const char *name, const char *cpu) {
        char body[512], path[128];

        snprintf(body, sizeof(body),
                 "{'metadata':{'name':'%s'},'status':{'allocatable':{'cpu':'%s','memory':'64Gi',"
                 "'pods':'110'}}}",
                 name, cpu);
        assert_int_equal(ask(api, "POST", "/api/v1/nodes", body), 201);
        snprintf(path, sizeof(path), "/api/v1/nodes/%s", name);
        assert_int_equal(ask(api, "PATCH", path, "{'spec':{'taints':null}}"), 200);
}
