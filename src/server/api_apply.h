/* Server-side apply. */
#pragma once

#include "server/api_store.h"

int apply_configuration(struct api_context *context, struct api_write *write);
int create_by_apply(struct api_context *context);
