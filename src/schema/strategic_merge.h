/* Strategic merge patches. */
#pragma once

#include "api/json.h"
#include "base/err.h"
#include "schema/schema.h"

/* Merges patch into target as the field tables say; schema NULL: lists are replaced. */
int strategic_merge(struct json_tree *tree, struct json_node *target,
                    const struct schema_object *schema, const struct json *patch, struct err *err);
