/* Owners of replicas, as a scale has them and as the object does. */
#pragma once

#include "server/api_store.h"

/* Puts owners of the object's replicas into metadata of the scale. path: ".spec.replicas". */
void scale_owners_put(struct api_context *context, const struct api_write *object,
                      struct slice path, struct api_write *scale);
/* Puts those that the scale has after the write into metadata of the object. */
void scale_owners_take(struct api_context *context, const struct api_write *scale,
                       struct slice path, struct api_write *object);
