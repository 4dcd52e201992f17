/* The first thing of a run that must not be. */
#include "sim/sim_world_priv.h"

#include <stdarg.h>
#include <stdio.h>

void sim_violated(struct sim_world *world, const char *format, ...) {
        va_list args;

        if (world->violation[0])
                return; /* the first one says most */
        va_start(args, format);
        vsnprintf(world->violation, sizeof(world->violation), format, args);
        va_end(args);
}

const char *sim_world_violation(const struct sim_world *world) {
        return world->violation;
}
