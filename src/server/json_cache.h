/* Parsed texts of stored objects: the ones that were read last. */
#pragma once

#include "api/json.h"
#include "store/store.h"

/* More than a fresh cluster has bindings: each request of another user than the administrator
 * reads all of them. */
#define JSON_CACHE_ENTRIES 256

struct json_cache_entry {
        const struct store_object *object; /* referenced */
        struct json_doc *doc;
        unsigned visits; /* under way; until they end the entry keeps its object */
};
struct json_cache {
        struct json_cache_entry entries[JSON_CACHE_ENTRIES];
        size_t held;
};

/* Parsed text of a stored object; valid until the next call. NULL when it is damaged. */
const struct json *json_cache_get(struct json_cache *cache, const struct store_object *object);
/* Calls visit with the parsed text, which stays valid until it returns: visits may read other
 * objects, even in visits of their own. Returns what visit does; true for a damaged object. */
bool json_cache_visit(struct json_cache *cache, const struct store_object *object,
                      bool (*visit)(void *context, const struct json *object), void *context);
/* The same for as long as it is held; NULL also when there is no place for it now. */
struct json_cache_entry *json_cache_hold(struct json_cache *cache,
                                         const struct store_object *object);
void json_cache_let_go(struct json_cache *cache, struct json_cache_entry *entry);
void json_cache_release(struct json_cache *cache);
