/* Requests of the simulated world itself, as an administrator. */
#include "sim/sim_world.h"

#include "server/api_server.h"
#include "sim/sim_world_priv.h"

int sim_world_ask(struct sim_world *world, const char *method, const char *path, const char *body,
                  struct buf *ret_body) {
        return api_server_ask(world->server, method, path, body, ret_body);
}
