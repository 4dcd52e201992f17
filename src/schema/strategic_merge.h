/* Strategic merge patches. */
#pragma once

#include "api/json.h"
#include "base/buf.h"
#include "schema/schema.h"

/* Merges patch into target as the field tables say; schema NULL: lists are replaced. What is wrong
 * with the patch goes whole into complaint, which may hold much of it. */
int strategic_merge(struct json_tree *tree, struct json_node *target,
                    const struct schema_object *schema, const struct json *patch,
                    struct buf *complaint);
