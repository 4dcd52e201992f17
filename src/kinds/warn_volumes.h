/* Warnings about volumes of pods. */
#pragma once

#include "kinds/warn_text.h"

/* Sources that nothing mounts any more, and amounts in claims. */
void warn_volumes(const struct warner *warner, const struct json_node *volumes);
/* Files of one volume that would be written over each other. */
void warn_volume_paths(const struct warner *warner, const struct json_node *volumes);
