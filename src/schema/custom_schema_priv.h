/* What files about schemas of custom resources share: members, paths. */
#pragma once

#include "api/json.h"
#include "schema/schema_cache.h"

#define CUSTOM_PATH_BYTES 512

void custom_path_member(char *to, const char *path, struct slice name);
/* The same of a member that no property says anything of. */
void custom_path_other(char *to, const char *path, struct slice name);
void custom_path_element(char *to, const char *path, size_t index);
/* Schema of a member: its own, that of all other members, or none. */
const struct json *custom_member(struct schema_cache *cache, const struct json *schema,
                                 struct slice name);
/* The members that every object has: apiVersion, kind, metadata. */
bool is_custom_identity(struct slice name);
