/* Objects that few decisions look at. */
#include "model/object_cache.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

struct object_cache {
        struct map *kinds[CACHED_KIND_COUNT]; /* "namespace/name" -> struct json_doc */
        uint64_t versions[CACHED_KIND_COUNT];
};

struct object_cache *object_cache_new(void) {
        struct object_cache *object_cache = xcalloc(1, sizeof(*object_cache));
        for (int kind = 0; kind < CACHED_KIND_COUNT; kind++)
                object_cache->kinds[kind] = map_new();
        return object_cache;
}

void object_cache_free(struct object_cache *object_cache) {
        if (!object_cache)
                return;
        for (int kind = 0; kind < CACHED_KIND_COUNT; kind++) {
                size_t at = 0;
                void *doc;
                while (map_next(object_cache->kinds[kind], &at, NULL, &doc))
                        json_doc_free(doc);
                map_free(object_cache->kinds[kind]);
        }
        free(object_cache);
}

struct slice cached_object_ns(const struct json *object) {
        struct slice ns = json_get_text(json_get(object, "metadata"), "namespace");
        return slice_is_empty(ns) ? SLICE_LITERAL("default") : ns;
}

struct slice cached_object_name(const struct json *object) {
        return json_get_text(json_get(object, "metadata"), "name");
}

static bool is_cluster_wide(enum cached_kind kind) {
        switch (kind) {
        case CACHED_VOLUME:
        case CACHED_STORAGE_CLASS:
        case CACHED_CSI_NODE:
        case CACHED_CSI_DRIVER:
        case CACHED_ATTACHMENT:
                return true;
        default:
                return false;
        }
}

static void key_of(enum cached_kind kind, struct slice ns, struct slice name, struct buf *key) {
        if (!is_cluster_wide(kind))
                buf_slice(key, ns);
        buf_char(key, '/');
        buf_slice(key, name);
}

void object_cache_put(struct object_cache *object_cache, enum cached_kind kind,
                      const struct json *object) {
        struct buf key = { 0 }, text = { 0 };
        struct json_doc *doc;
        key_of(kind, cached_object_ns(object), cached_object_name(object), &key);
        json_write(object, &text);
        object_cache->versions[kind]++;
        if (json_parse(buf_view(&text), &doc, NULL) == 0)
                json_doc_free(map_put(object_cache->kinds[kind], buf_view(&key), doc));
        buf_release(&text);
        buf_release(&key);
}

void object_cache_remove(struct object_cache *object_cache, enum cached_kind kind, struct slice ns,
                         struct slice name) {
        struct buf key = { 0 };
        key_of(kind, ns, name, &key);
        object_cache->versions[kind]++;
        json_doc_free(map_remove(object_cache->kinds[kind], buf_view(&key)));
        buf_release(&key);
}

const struct json *object_cache_get(const struct object_cache *object_cache, enum cached_kind kind,
                                    struct slice ns, struct slice name) {
        struct buf key = { 0 };
        if (!object_cache)
                return NULL;
        key_of(kind, ns, name, &key);
        const struct json_doc *doc = map_get(object_cache->kinds[kind], buf_view(&key));
        buf_release(&key);
        return !doc ? NULL : json_doc_root(doc);
}

uint64_t object_cache_version(const struct object_cache *object_cache, enum cached_kind kind) {
        return !object_cache ? 0 : object_cache->versions[kind];
}

size_t object_cache_count(const struct object_cache *object_cache, enum cached_kind kind) {
        return !object_cache ? 0 : map_count(object_cache->kinds[kind]);
}

const struct json *object_cache_next(const struct object_cache *object_cache, enum cached_kind kind,
                                     size_t *at) {
        void *doc;
        if (!object_cache || !map_next(object_cache->kinds[kind], at, NULL, &doc))
                return NULL;
        return json_doc_root(doc);
}
