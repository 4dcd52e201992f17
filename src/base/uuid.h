/* UUIDs of RFC 9562, version 4 only when made here. */
#pragma once

#include "base/rng.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

struct uuid {
        uint8_t bytes[16];
};

#define UUID_TEXT_SIZE 37 /* with NUL */

struct uuid uuid_random(struct rng *rng);
/* Lower-case text with hyphens into a buffer of UUID_TEXT_SIZE bytes. */
void uuid_format(struct uuid uuid, char *buffer);
/* Accepts the 36-character form only, in either case, of any version. */
bool uuid_parse(struct slice text, struct uuid *ret_uuid);
