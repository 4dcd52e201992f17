/* Fields that an API server with its default feature gates takes from a client and drops. */
#pragma once

#include "kinds/kind.h"

/* Before the hook `prepare`; old is NULL on create. What the stored object has in use stays. True
 * when something was dropped. */
bool gated_fields_drop(struct kind_context *context, struct json_node *object,
                       const struct json *old);
/* The same for a pod's status that is written. */
void gated_pod_status_drop(struct kind_context *context, struct json_node *status,
                           const struct json *old);
