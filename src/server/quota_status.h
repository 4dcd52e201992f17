/* The use that quotas show, kept up as objects are created and take more. */
#pragma once

#include "server/api_store.h"

/* An object that may be stored takes of its namespace's quotas. */
int quota_status_charge(struct api_context *context, const struct api_write *write);
