/* Entries of the object cache: by key, by age, by mark. */
#include "model/object_cache_priv.h"

#include "base/util.h"
#include <stdlib.h>

#define KEY_MAX 320   /* of ordinary names */
#define GONE_MAX 1024 /* entries of objects that are gone; the oldest are forgotten */

void cached_entry_free(struct cached_entry *entry) {
        json_doc_free(entry->seen);
        json_doc_free(entry->assumed.doc);
        free(entry);
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
        case CACHED_RESOURCE_SLICE:
        case CACHED_DEVICE_CLASS:
        case CACHED_DEVICE_TAINT_RULE:
                return true;
        default:
                return false;
        }
}

static void unlink_entry(struct cached_list *list, struct cached_entry *entry) {
        if (list->known_live == entry)
                list->known_live = entry->older;
        if (entry->older)
                entry->older->newer = entry->newer;
        else
                list->oldest = entry->newer;
        if (entry->newer)
                entry->newer->older = entry->older;
        else
                list->newest = entry->older;
        entry->older = entry->newer = NULL;
}

bool cached_entry_is_gone(const struct cached_entry *entry) {
        return !entry->seen && !entry->assumed.doc && !entry->row;
}

static void forget_gone(struct cached_list *list) {
        struct cached_entry *known = list->known_live, *newer;
        struct cached_entry *entry = known ? known->newer : list->oldest;

        for (; entry && list->gone_count > GONE_MAX; entry = newer) {
                newer = entry->newer;
                if (!cached_entry_is_gone(entry)) {
                        list->known_live = entry;
                        continue;
                }
                list->gone_count--;
                list->forgotten = entry->changed;
                unlink_entry(list, entry);
                map_remove(list->entries, slice_make(entry->key, entry->key_len));
                cached_entry_free(entry);
        }
}

const struct json *cached_entry_object(const struct cached_entry *entry) {
        if (!entry || (!entry->seen && !entry->assumed.doc))
                return NULL;
        return json_doc_root(entry->assumed.doc ? entry->assumed.doc : entry->seen);
}

/* ---- marks ---- */

static bool controller_of(const struct json *object, struct slice *ret_uid) {
        struct json_iter iter =
                json_iter(json_get(json_get(object, "metadata"), "ownerReferences"));
        const struct json *owner;

        while (json_next(&iter, NULL, &owner)) {
                if (!json_get_bool(owner, "controller", false))
                        continue;
                *ret_uid = json_get_text(owner, "uid");
                return true;
        }
        return false;
}

bool cached_object_mark(const struct json *object, struct slice *ret_mark) {
        const struct json *resource = json_get(json_get(object, "spec"), "extendedResourceName");

        if (!resource)
                return controller_of(object, ret_mark);
        *ret_mark = json_text(resource);
        return true;
}

static void unmark_entry(struct cached_list *list, struct cached_entry *entry) {
        struct cached_entry *first = map_u64_remove(list->marked, entry->mark);
        struct cached_entry **link = &first;

        while (*link != entry)
                link = &(*link)->sibling;
        *link = entry->sibling;
        if (first)
                map_u64_put(list->marked, entry->mark, first);
        entry->sibling = NULL;
        entry->is_marked = false;
}

static void mark_entry(struct cached_list *list, struct cached_entry *entry, uint64_t mark) {
        struct cached_entry *last = map_u64_get(list->marked, mark);

        entry->mark = mark;
        entry->is_marked = true;
        if (!last) {
                map_u64_put(list->marked, mark, entry);
                return;
        }
        while (last->sibling)
                last = last->sibling;
        last->sibling = entry;
}

static void follow_mark(struct cached_list *list, struct cached_entry *entry) {
        struct slice text = SLICE_EMPTY;
        bool is_marked = cached_object_mark(cached_entry_object(entry), &text);
        uint64_t mark = is_marked ? slice_hash(text) : 0;

        if (is_marked == entry->is_marked && (!is_marked || mark == entry->mark))
                return;
        if (entry->is_marked)
                unmark_entry(list, entry);
        if (is_marked)
                mark_entry(list, entry, mark);
}

void cached_entry_touch(struct cached_list *list, struct cached_entry *entry, bool was_gone) {
        entry->changed = ++list->version;
        if (list->known_live == entry)
                list->known_live = entry->older;
        if (list->marked)
                follow_mark(list, entry);
        if (list->newest != entry) {
                if (entry->older || entry->newer || list->oldest == entry)
                        unlink_entry(list, entry);
                entry->older = list->newest;
                if (list->newest)
                        list->newest->newer = entry;
                else
                        list->oldest = entry;
                list->newest = entry;
        }
        if (was_gone == cached_entry_is_gone(entry))
                return;
        list->gone_count += was_gone ? (size_t)-1 : 1;
        list->live_count += was_gone ? 1 : (size_t)-1;
        forget_gone(list);
}

static size_t write_key(enum cached_kind kind, struct slice ns, struct slice name, char *key) {
        size_t len = 0;

        for (size_t i = 0; !is_cluster_wide(kind) && i < ns.len; i++)
                key[len++] = ns.ptr[i];
        key[len++] = '/';
        for (size_t i = 0; i < name.len; i++)
                key[len++] = name.ptr[i];
        return len;
}

struct cached_entry *cached_entry_find(const struct object_cache *object_cache,
                                       enum cached_kind kind, struct slice ns, struct slice name) {
        char spare[KEY_MAX]; /* asked for each decision, so mostly without memory of its own */

        if (!object_cache)
                return NULL;
        char *key = ns.len + 1 + name.len <= sizeof(spare) ? spare : xmalloc(ns.len + 1 + name.len);
        struct cached_entry *entry = map_get(object_cache->kinds[kind].entries,
                                             slice_make(key, write_key(kind, ns, name, key)));
        if (key != spare)
                free(key);
        return entry;
}

struct cached_entry *cached_entry_need(struct object_cache *object_cache, enum cached_kind kind,
                                       const struct json *object) {
        struct slice ns = cached_object_ns(object), name = cached_object_name(object);
        struct cached_list *list = &object_cache->kinds[kind];
        struct cached_entry *entry = cached_entry_find(object_cache, kind, ns, name);

        if (entry)
                return entry;
        entry = xcalloc(1, sizeof(*entry) + ns.len + name.len + 2);
        entry->key_len = write_key(kind, ns, name, entry->key);
        map_put(list->entries, slice_make(entry->key, entry->key_len), entry);
        list->gone_count++; /* as long as it is empty */
        return entry;
}
