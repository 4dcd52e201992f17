/* Look-ups in schemas. */
#include "schema/schema_cache.h"

#include "base/map.h"
#include "base/regex.h"
#include "base/util.h"
#include <stdlib.h>

#define FEW_PROPERTIES 16 /* so many are walked */

struct schema_properties {
        const struct json *json;
        struct map *by_name; /* NULL = there are few */
        struct json_member *defaults;
        size_t default_count;
};

struct schema_pattern {
        struct regex *regex; /* NULL = cannot be read */
};

struct schema_cache {
        struct map_u64 *properties, *patterns; /* by the schema's address */
        struct map_u64 *passed;                /* by the value's; NULL = none */
        bool is_loose;
};

struct schema_cache *schema_cache_new(void) {
        struct schema_cache *cache = xcalloc(1, sizeof(*cache));

        cache->properties = map_u64_new();
        cache->patterns = map_u64_new();
        return cache;
}

void schema_cache_pass(struct schema_cache *cache, const struct json_node *value) {
        if (!cache->passed)
                cache->passed = map_u64_new();
        map_u64_put(cache->passed, (uintptr_t)value, cache);
}

bool schema_cache_passes(const struct schema_cache *cache, const struct json_node *value) {
        return cache->passed && map_u64_get(cache->passed, (uintptr_t)value);
}

void schema_cache_free(struct schema_cache *cache) {
        size_t at = 0;
        void *value;

        if (!cache)
                return;
        while (map_u64_next(cache->properties, &at, NULL, &value)) {
                struct schema_properties *properties = value;

                map_free(properties->by_name);
                free(properties->defaults);
                free(properties);
        }
        at = 0;
        while (map_u64_next(cache->patterns, &at, NULL, &value)) {
                regex_free(((struct schema_pattern *)value)->regex);
                free(value);
        }
        map_u64_free(cache->properties);
        map_u64_free(cache->patterns);
        map_u64_free(cache->passed);
        free(cache);
}

static uint64_t schema_cache_key(const struct json *schema) {
        return (uint64_t)(uintptr_t)schema;
}

static struct schema_properties *schema_properties_new(const struct json *schema) {
        struct schema_properties *properties = xcalloc(1, sizeof(*properties));
        size_t count;

        properties->json = json_get(schema, "properties");
        struct json_member *members = json_members(properties->json, &count);
        if (count > FEW_PROPERTIES)
                properties->by_name = map_new();
        for (size_t i = 0; i < count; i++) {
                if (properties->by_name)
                        map_put(properties->by_name, members[i].key, (void *)members[i].value);
                if (json_get(members[i].value, "default"))
                        members[properties->default_count++] = members[i];
        }
        properties->defaults = members;
        return properties;
}

static struct schema_properties *schema_cache_properties(struct schema_cache *cache,
                                                         const struct json *schema) {
        struct schema_properties *properties =
                map_u64_get(cache->properties, schema_cache_key(schema));

        if (properties)
                return properties;
        properties = schema_properties_new(schema);
        map_u64_put(cache->properties, schema_cache_key(schema), properties);
        return properties;
}

const struct json *schema_cache_property(struct schema_cache *cache, const struct json *schema,
                                         struct slice name) {
        const struct schema_properties *properties = schema_cache_properties(cache, schema);

        return properties->by_name ? map_get(properties->by_name, name)
                                   : json_get_slice(properties->json, name);
}

const struct json_member *schema_cache_defaults(struct schema_cache *cache,
                                                const struct json *schema, size_t *ret_count) {
        const struct schema_properties *properties = schema_cache_properties(cache, schema);

        *ret_count = properties->default_count;
        return properties->defaults;
}

void schema_cache_loosen(struct schema_cache *cache) {
        cache->is_loose = true;
}

bool schema_cache_is_loose(const struct schema_cache *cache) {
        return cache->is_loose;
}

const struct regex *schema_cache_pattern(struct schema_cache *cache, const struct json *schema) {
        struct slice text = json_get_text(schema, "pattern");

        if (text.len == 0)
                return NULL;
        struct schema_pattern *pattern = map_u64_get(cache->patterns, schema_cache_key(schema));
        if (!pattern) {
                pattern = xcalloc(1, sizeof(*pattern));
                pattern->regex = regex_new(text, NULL);
                map_u64_put(cache->patterns, schema_cache_key(schema), pattern);
        }
        return pattern->regex;
}
