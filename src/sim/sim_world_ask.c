/* Requests of the simulated world itself, as an administrator. */
#include "sim/sim_world.h"

#include "server/api_server.h"
#include "sim/sim_world_priv.h"
#include <string.h>

int sim_world_ask(struct sim_world *world, const char *method, const char *path, const char *body,
                  struct buf *ret_body) {
        struct api_server_request request = { .method = slice_of(method),
                                              .target = slice_of(path),
                                              .body = slice_of(body),
                                              .content_type = SLICE_LITERAL("application/json"),
                                              .user = &api_user_admin,
                                              .user_agent = SLICE_LITERAL("sim") };
        struct http_response response;
        int status;

        if (strcmp(method, "PATCH") == 0)
                request.content_type = SLICE_LITERAL("application/merge-patch+json");
        api_server_handle(world->server, &request, &response);
        status = response.status;
        if (ret_body) {
                buf_clear(ret_body);
                buf_slice(ret_body, buf_view(&response.body));
        }
        http_response_release(&response);
        return status;
}
