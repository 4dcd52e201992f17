/* Objects that few decisions look at. */
#include "model/object_shelf.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

struct object_shelf {
        struct map *kinds[SHELF_KIND_COUNT]; /* "namespace/name" -> struct json_doc */
        uint64_t versions[SHELF_KIND_COUNT];
};

struct object_shelf *object_shelf_new(void) {
        struct object_shelf *shelf = xcalloc(1, sizeof(*shelf));
        for (int kind = 0; kind < SHELF_KIND_COUNT; kind++)
                shelf->kinds[kind] = map_new();
        return shelf;
}

void object_shelf_free(struct object_shelf *shelf) {
        if (!shelf)
                return;
        for (int kind = 0; kind < SHELF_KIND_COUNT; kind++) {
                size_t at = 0;
                void *doc;
                while (map_next(shelf->kinds[kind], &at, NULL, &doc))
                        json_doc_free(doc);
                map_free(shelf->kinds[kind]);
        }
        free(shelf);
}

struct slice shelf_object_ns(const struct json *object) {
        struct slice ns = json_get_text(json_get(object, "metadata"), "namespace");
        return slice_is_empty(ns) ? SLICE_LITERAL("default") : ns;
}

struct slice shelf_object_name(const struct json *object) {
        return json_get_text(json_get(object, "metadata"), "name");
}

static bool is_cluster_wide(enum shelf_kind kind) {
        switch (kind) {
        case SHELF_VOLUME:
        case SHELF_STORAGE_CLASS:
        case SHELF_CSI_NODE:
        case SHELF_CSI_DRIVER:
        case SHELF_ATTACHMENT:
                return true;
        default:
                return false;
        }
}

static void key_of(enum shelf_kind kind, struct slice ns, struct slice name, struct buf *key) {
        if (!is_cluster_wide(kind))
                buf_slice(key, ns);
        buf_char(key, '/');
        buf_slice(key, name);
}

void object_shelf_put(struct object_shelf *shelf, enum shelf_kind kind, const struct json *object) {
        struct buf key = { 0 }, text = { 0 };
        struct json_doc *doc;
        key_of(kind, shelf_object_ns(object), shelf_object_name(object), &key);
        json_write(object, &text);
        shelf->versions[kind]++;
        if (json_parse(buf_view(&text), &doc, NULL) == 0)
                json_doc_free(map_put(shelf->kinds[kind], buf_view(&key), doc));
        buf_release(&text);
        buf_release(&key);
}

void object_shelf_remove(struct object_shelf *shelf, enum shelf_kind kind, struct slice ns,
                         struct slice name) {
        struct buf key = { 0 };
        key_of(kind, ns, name, &key);
        shelf->versions[kind]++;
        json_doc_free(map_remove(shelf->kinds[kind], buf_view(&key)));
        buf_release(&key);
}

const struct json *object_shelf_get(const struct object_shelf *shelf, enum shelf_kind kind,
                                    struct slice ns, struct slice name) {
        struct buf key = { 0 };
        if (!shelf)
                return NULL;
        key_of(kind, ns, name, &key);
        const struct json_doc *doc = map_get(shelf->kinds[kind], buf_view(&key));
        buf_release(&key);
        return !doc ? NULL : json_doc_root(doc);
}

uint64_t object_shelf_version(const struct object_shelf *shelf, enum shelf_kind kind) {
        return !shelf ? 0 : shelf->versions[kind];
}

size_t object_shelf_count(const struct object_shelf *shelf, enum shelf_kind kind) {
        return !shelf ? 0 : map_count(shelf->kinds[kind]);
}

const struct json *object_shelf_next(const struct object_shelf *shelf, enum shelf_kind kind,
                                     size_t *at) {
        void *doc;
        if (!shelf || !map_next(shelf->kinds[kind], at, NULL, &doc))
                return NULL;
        return json_doc_root(doc);
}
