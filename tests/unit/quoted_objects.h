/* Objects as texts with single quotes, put where a scheduler looks for them: nodes and pods into
 * the model, claims, slices and classes into the object cache. */
#pragma once

#include "base/buf.h"
#include "base/util.h"
#include "model/cluster.h"
#include "model/object_cache.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct quoted_object {
        enum object_kind model;  /* OBJECT_KIND_COUNT: into the object cache */
        enum cached_kind cached; /* then its kind there */
        const char *text;
};
#define QUOTED_MODEL(kind, text)                                                                   \
        { OBJECT_##kind, CACHED_KIND_COUNT, text }
#define QUOTED_CACHED(kind, text)                                                                  \
        { OBJECT_KIND_COUNT, CACHED_##kind, text }

static inline struct json_doc *quoted_doc(const char *quoted) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        buf_text(&text, quoted);
        for (size_t i = 0; i < text.len; i++)
                if (text.data[i] == '\'')
                        text.data[i] = '"';
        if (json_parse(buf_view(&text), &doc, &err) < 0)
                fail_msg("%s in %s", err.text, text.data);
        return doc;
}

static inline void put_quoted_object(struct cluster *cluster, struct object_cache *object_cache,
                                     const struct quoted_object *object) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = quoted_doc(object->text);
        struct err err = { 0 };

        if (object->model == OBJECT_KIND_COUNT)
                object_cache_put(object_cache, object->cached, json_doc_root(doc));
        else if (cluster_apply(cluster, object->model, CHANGE_ADDED, json_doc_root(doc), &err) < 0)
                fail_msg("%s in %s", err.text, object->text);
}
