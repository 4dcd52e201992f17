/* What is looked up in the schema of a custom resource for each value of an object: properties by
 * name, those with a default, compiled patterns. Made for one request; the schema outlives it. */
#pragma once

#include "api/json.h"

struct regex;
struct schema_cache;

struct schema_cache *schema_cache_new(void);
void schema_cache_free(struct schema_cache *cache); /* accepts NULL */

/* A property of an object's schema; NULL when it has none of that name. */
const struct json *schema_cache_property(struct schema_cache *cache, const struct json *schema,
                                         struct slice name);
/* The properties that have a default, in their order. */
const struct json_member *schema_cache_defaults(struct schema_cache *cache,
                                                const struct json *schema, size_t *ret_count);
/* Values that need no look, since they are what they were. */
void schema_cache_pass(struct schema_cache *cache, const struct json_node *value);
bool schema_cache_passes(const struct schema_cache *cache, const struct json_node *value);
/* x-kubernetes-int-or-string allows any type from here on. */
void schema_cache_loosen(struct schema_cache *cache);
bool schema_cache_is_loose(const struct schema_cache *cache);
/* The schema's pattern; NULL when it has none, or none that can be read. */
const struct regex *schema_cache_pattern(struct schema_cache *cache, const struct json *schema);
