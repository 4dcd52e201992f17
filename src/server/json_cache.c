/* An entry is found by the object's address; an entry whose object is being visited is passed over,
 * so that there is always a free one: visits are nested no deeper than hooks are. */
#include "server/json_cache.h"

#include "base/util.h"
#include <assert.h>

static struct json_cache_entry *json_cache_entry(struct json_cache *cache,
                                                 const struct store_object *object) {
        size_t at = hash_bytes(&object, sizeof(object), 0) % JSON_CACHE_ENTRIES;

        for (size_t tried = 0; cache->entries[at].visits > 0 && cache->entries[at].object != object;
             tried++) {
                assert(tried < JSON_CACHE_ENTRIES);
                at = (at + 1) % JSON_CACHE_ENTRIES;
        }
        return &cache->entries[at];
}

const struct json *json_cache_get(struct json_cache *cache, const struct store_object *object) {
        struct json_cache_entry *entry = json_cache_entry(cache, object);
        struct json_doc *doc = NULL;

        if (entry->object == object)
                return json_doc_root(entry->doc);
        if (json_parse(store_object_body(object), &doc, NULL) < 0)
                return NULL;
        store_object_unref(entry->object);
        json_doc_free(entry->doc);
        entry->object = store_object_ref(object);
        entry->doc = doc;
        return json_doc_root(doc);
}

bool json_cache_visit(struct json_cache *cache, const struct store_object *object,
                      bool (*visit)(void *context, const struct json *object), void *context) {
        const struct json *json = json_cache_get(cache, object);
        struct json_cache_entry *entry = json_cache_entry(cache, object);

        if (!json)
                return true;
        entry->visits++;
        bool goes_on = visit(context, json);
        entry->visits--;
        return goes_on;
}

/* Visits need the places beside what is held. */
struct json_cache_entry *json_cache_hold(struct json_cache *cache,
                                         const struct store_object *object) {
        if (cache->held == JSON_CACHE_ENTRIES / 2 || !json_cache_get(cache, object))
                return NULL;
        struct json_cache_entry *entry = json_cache_entry(cache, object);

        entry->visits++;
        cache->held++;
        return entry;
}

void json_cache_let_go(struct json_cache *cache, struct json_cache_entry *entry) {
        entry->visits--;
        cache->held--;
}

void json_cache_release(struct json_cache *cache) {
        for (size_t i = 0; i < JSON_CACHE_ENTRIES; i++) {
                store_object_unref(cache->entries[i].object);
                json_doc_free(cache->entries[i].doc);
        }
}
