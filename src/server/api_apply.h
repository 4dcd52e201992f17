/* Server-side apply. */
#pragma once

#include "server/api_store.h"

int apply_configuration(struct api_context *context, struct api_write *write);
/* Members that come twice, which a strict reader of YAML refuses; reported once all else is
 * right. */
int apply_check_repeated(struct api_context *context);
/* Fields of a stored object, as its manager wants them. */
int apply_fields(struct api_context *context, struct api_write *write,
                 const struct json_node *applied);
/* Types of a configuration, against those of the resource it is of. */
int apply_check(struct api_context *context, const struct api_resource *resource,
                const struct json_node *applied);
int create_by_apply(struct api_context *context);
