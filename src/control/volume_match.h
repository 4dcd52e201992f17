/* Which volume suits a claim. Pure. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include <stdbool.h>

/* Class, access modes, volume mode, size and selector fit, and no other claim has it. */
bool volume_suits(const struct json *volume, const struct json *claim, struct slice storage_class,
                  struct arena *arena);
/* Whether the volume is meant for this claim: by name, and by uid where one is given. */
bool volume_is_meant_for(const struct json *volume, const struct json *claim);
/* Whether a is the smaller volume. */
bool volume_is_smaller(const struct json *a, const struct json *b);
