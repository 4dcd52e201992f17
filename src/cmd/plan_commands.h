/* An eviction plan as commands of a shell, for people to read and to run. */
#pragma once

#include "base/buf.h"

struct eviction_plan;

enum plan_commands { PLAN_COMMANDS_BERTH, PLAN_COMMANDS_KUBECTL };
/* kubectl evicts nothing but whole nodes by a command of its own, so its form posts Evictions. */
void plan_write_commands(const struct eviction_plan *plan, enum plan_commands form,
                         struct buf *out);
