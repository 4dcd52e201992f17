/* What the Go package of semantic versions says of texts that are none. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"

/* NULL, or what is wrong. */
const char *go_semver_problem(struct arena *arena, struct slice text);
