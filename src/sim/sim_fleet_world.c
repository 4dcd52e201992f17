/* What the parts of the fleet share: random numbers, and the server for their own requests. */
#include "sim/sim_fleet_priv.h"

#include "server/api_server.h"
#include <string.h>

bool fleet_draw(struct sim_fleet *fleet, enum fleet_trouble trouble) {
        if (fleet->is_calm || fleet->weights[trouble] == 0 ||
            rng_below(&fleet->rng, FLEET_WEIGHT_UNIT) >= fleet->weights[trouble])
                return false;
        fleet->report.troubles[trouble]++;
        return true;
}

int64_t fleet_some_time(struct sim_fleet *fleet, int64_t least_ns, int64_t most_ns) {
        return least_ns + (int64_t)rng_below(&fleet->rng, (uint64_t)(most_ns - least_ns + 1));
}

int fleet_ask(struct sim_fleet *fleet, const char *method, const char *path, const char *body) {
        bool was_admin = fleet->is_admin;

        fleet->is_admin = true;
        int status = api_server_ask(fleet->server, method, path, body, NULL);
        fleet->is_admin = was_admin;
        return status;
}

void fleet_create_lock(struct sim_fleet *fleet) {
        fleet_ask(fleet, "POST", FLEET_LOCK_PATH,
                  "{\"metadata\":{\"name\":\"kured\"},\"spec\":{\"selector\":{\"matchLabels\":{"
                  "\"name\":\"kured\"}},\"template\":{\"metadata\":{\"labels\":{\"name\":\"kured\"}"
                  "},\"spec\":{\"containers\":[{\"name\":\"kured\",\"image\":\"kured\"}]}}}}");
        fleet->lock_is_there = true;
}
