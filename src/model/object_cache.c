/* Objects that few decisions look at. */
#include "model/object_cache_priv.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define SLICE_DEVICES_SPARE 1024 /* rows without use that are no reason to move the others */

struct object_cache *object_cache_new_of(uint32_t kinds) {
        struct object_cache *object_cache = xcalloc(1, sizeof(*object_cache));
        object_cache->known = kinds;
        for (int kind = 0; kind < CACHED_KIND_COUNT; kind++)
                object_cache->kinds[kind].entries = map_new();
        object_cache->slices = slice_table_new();
        arena_init(&object_cache->scratch, 0);
        object_cache->kinds[CACHED_RESOURCE_CLAIM].marked = map_u64_new();
        object_cache->kinds[CACHED_DEVICE_CLASS].marked = map_u64_new();
        return object_cache;
}

struct object_cache *object_cache_new(void) {
        return object_cache_new_of(UINT32_MAX);
}

bool object_cache_knows(const struct object_cache *object_cache, enum cached_kind kind) {
        return object_cache && object_cache->known & CACHED_BIT(kind);
}

void object_cache_free(struct object_cache *object_cache) {
        if (!object_cache)
                return;
        for (int kind = 0; kind < CACHED_KIND_COUNT; kind++) {
                size_t at = 0;
                void *entry;
                while (map_next(object_cache->kinds[kind].entries, &at, NULL, &entry))
                        cached_entry_free(entry);
                map_free(object_cache->kinds[kind].entries);
                map_u64_free(object_cache->kinds[kind].marked);
        }
        for (size_t i = 0; i < object_cache->replaced_count; i++)
                json_doc_free(object_cache->replaced[i].before.doc);
        free(object_cache->replaced);
        slice_table_free(object_cache->slices);
        arena_release(&object_cache->scratch);
        free(object_cache);
}

static struct json_doc *copy_of(const struct json *object) {
        struct json_doc *doc = NULL;
        struct buf text = { 0 };
        json_write(object, &text);
        if (json_parse(buf_view(&text), &doc, NULL) < 0)
                doc = NULL;
        buf_release(&text);
        return doc;
}

static void drop_assumption(struct cached_entry *entry) {
        json_doc_free(entry->assumed.doc);
        entry->assumed = (struct assumption){ 0 };
}

/* ---- what the API says ---- */

static uint64_t version_number(const struct json *object) {
        struct slice text = json_get_text(json_get(object, "metadata"), "resourceVersion");
        uint64_t number = 0;
        return slice_to_u64(text, &number) ? number : 0;
}

static bool is_same_object(const struct json *a, const struct json *b) {
        return slice_eq(json_get_text(json_get(a, "metadata"), "uid"),
                        json_get_text(json_get(b, "metadata"), "uid"));
}

/* Whether the assumption has served: the watch has shown what came of it, or another object. */
static bool is_overtaken(const struct cached_entry *entry) {
        const struct json *seen = entry->seen ? json_doc_root(entry->seen) : NULL;
        const struct assumption *assumed = &entry->assumed;
        if (!assumed->doc)
                return false;
        if (assumed->is_written && assumed->written_version &&
            version_number(seen) >= assumed->written_version)
                return true;
        if (!assumed->has_news)
                return false;
        if (seen && !is_same_object(seen, json_doc_root(assumed->doc)) &&
            json_get_text(json_get(json_doc_root(assumed->doc), "metadata"), "uid").len)
                return true;
        return assumed->is_written && assumed->written_version == 0;
}

/* ---- slices ---- */

/* Rows of slices that are gone stay where they are; when they are the most, the others move. */
static void renew_slices(struct object_cache *object_cache) {
        struct slice_table *before = object_cache->slices;
        size_t at = 0;
        void *value;

        if (slice_table_devices(before) <= 2 * object_cache->slice_devices + SLICE_DEVICES_SPARE)
                return;
        object_cache->slices = slice_table_new();
        object_cache->slice_moves++;
        while (map_next(object_cache->kinds[CACHED_RESOURCE_SLICE].entries, &at, NULL, &value)) {
                struct cached_entry *entry = value;

                if (entry->row)
                        entry->row = slice_table_add(object_cache->slices, entry->row);
        }
        slice_table_free(before);
}

static void set_row(struct object_cache *object_cache, struct cached_entry *entry,
                    const struct resource_slice *row) {
        object_cache->slice_devices -= entry->row ? entry->row->device_count : 0;
        object_cache->slice_devices += row ? row->device_count : 0;
        entry->row = row;
        renew_slices(object_cache);
}

/* A slice that cannot be decoded offers nothing: it is as if it were gone.  False: it says the same
 * as before. */
static bool put_slice(struct object_cache *object_cache, struct cached_entry *entry,
                      const struct json *object) {
        const struct resource_slice *row = NULL;
        struct resource_slice slice;

        if (resource_slice_decode(object, &object_cache->scratch, &slice, NULL) == 0)
                row = slice_table_add(object_cache->slices, &slice);
        arena_clear(&object_cache->scratch);
        bool is_news = !row || !entry->row || !slice_table_is_same(row, entry->row);
        set_row(object_cache, entry, is_news ? row : entry->row);
        return is_news;
}

void object_cache_put(struct object_cache *object_cache, enum cached_kind kind,
                      const struct json *object) {
        if (!object_cache_knows(object_cache, kind))
                return;
        struct cached_entry *entry = cached_entry_need(object_cache, kind, object);
        bool was_gone = cached_entry_is_gone(entry);
        if (kind == CACHED_RESOURCE_SLICE) {
                if (put_slice(object_cache, entry, object))
                        cached_entry_touch(&object_cache->kinds[kind], entry, was_gone);
                return;
        }
        struct json_doc *doc = copy_of(object);
        if (doc) {
                json_doc_free(entry->seen);
                entry->seen = doc;
                entry->assumed.has_news = !!entry->assumed.doc;
        }
        if (is_overtaken(entry))
                drop_assumption(entry);
        cached_entry_touch(&object_cache->kinds[kind], entry, was_gone);
}

void object_cache_remove(struct object_cache *object_cache, enum cached_kind kind, struct slice ns,
                         struct slice name) {
        struct cached_entry *entry = cached_entry_find(object_cache, kind, ns, name);
        if (!entry || cached_entry_is_gone(entry))
                return;
        json_doc_free(entry->seen);
        entry->seen = NULL;
        set_row(object_cache, entry, NULL);
        drop_assumption(entry);
        cached_entry_touch(&object_cache->kinds[kind], entry, false);
}

/* ---- assumptions ---- */

static void keep_replaced(struct object_cache *object_cache, struct cached_list *list,
                          struct cached_entry *entry) {
        if (object_cache->replaced_count == object_cache->replaced_cap) {
                object_cache->replaced_cap =
                        object_cache->replaced_cap ? object_cache->replaced_cap * 2 : 16;
                object_cache->replaced =
                        xreallocarray(object_cache->replaced, object_cache->replaced_cap,
                                      sizeof(*object_cache->replaced));
        }
        object_cache->replaced[object_cache->replaced_count++] =
                (struct replaced_assumption){ list, entry, entry->assumed };
        entry->assumed = (struct assumption){ 0 };
}

void object_cache_assume(struct object_cache *object_cache, enum cached_kind kind,
                         const struct json *object) {
        struct cached_entry *entry = cached_entry_need(object_cache, kind, object);
        bool was_gone = cached_entry_is_gone(entry);
        struct json_doc *doc = copy_of(object);
        if (!doc)
                return;
        if (object_cache->is_what_if)
                keep_replaced(object_cache, &object_cache->kinds[kind], entry);
        uint64_t known = entry->assumed.known_version;
        drop_assumption(entry);
        entry->assumed = (struct assumption){ .doc = doc,
                                              .group = object_cache->group,
                                              .known_version = known };
        cached_entry_touch(&object_cache->kinds[kind], entry, was_gone);
}

void object_cache_checkpoint(struct object_cache *object_cache) {
        if (!object_cache)
                return;
        assert(!object_cache->is_what_if);
        object_cache->is_what_if = true;
}

void object_cache_rollback(struct object_cache *object_cache) {
        if (!object_cache)
                return;
        assert(object_cache->is_what_if);
        object_cache->is_what_if = false;
        while (object_cache->replaced_count) {
                const struct replaced_assumption *replaced =
                        &object_cache->replaced[--object_cache->replaced_count];
                json_doc_free(replaced->entry->assumed.doc);
                replaced->entry->assumed = replaced->before;
                cached_entry_touch(replaced->list, replaced->entry, false);
        }
}

void object_cache_begin_group(struct object_cache *object_cache) {
        if (object_cache)
                object_cache->group = ++object_cache->groups;
}

void object_cache_end_group(struct object_cache *object_cache) {
        if (object_cache)
                object_cache->group = 0;
}

void object_cache_join(struct object_cache *object_cache, enum cached_kind kind, struct slice ns,
                       struct slice name) {
        struct cached_entry *entry = cached_entry_find(object_cache, kind, ns, name);
        if (entry)
                entry->writers++;
}

/* One writer leaves; whether others are left. */
static bool has_more_writers(struct cached_entry *entry) {
        entry->writers -= entry->writers > 0;
        return entry->writers > 0;
}

void object_cache_written(struct object_cache *object_cache, enum cached_kind kind, struct slice ns,
                          struct slice name, struct slice version) {
        struct cached_entry *entry = cached_entry_find(object_cache, kind, ns, name);
        uint64_t number = 0;
        if (!entry)
                return;
        if (!slice_to_u64(version, &number))
                number = 0;
        if (entry->assumed.doc && number > entry->assumed.known_version)
                entry->assumed.known_version = number;
        if (has_more_writers(entry) || !entry->assumed.doc)
                return;
        entry->assumed.is_written = true;
        entry->assumed.written_version = number;
        if (is_overtaken(entry))
                drop_assumption(entry);
        cached_entry_touch(&object_cache->kinds[kind], entry, false);
}

/* What others wrote is there, though the watch has not shown it yet. */
static bool outlasts_withdrawal(struct cached_entry *entry) {
        struct assumption *assumed = &entry->assumed;
        const struct json *seen = entry->seen ? json_doc_root(entry->seen) : NULL;
        if (!seen || assumed->known_version <= version_number(seen))
                return false;
        assumed->is_written = true;
        assumed->written_version = assumed->known_version;
        return true;
}

void object_cache_withdraw(struct object_cache *object_cache, enum cached_kind kind,
                           struct slice ns, struct slice name) {
        struct cached_entry *entry = cached_entry_find(object_cache, kind, ns, name);
        if (!entry || has_more_writers(entry) || !entry->assumed.doc)
                return;
        if (!outlasts_withdrawal(entry))
                drop_assumption(entry);
        cached_entry_touch(&object_cache->kinds[kind], entry, false);
}

bool object_cache_is_shared(const struct object_cache *object_cache, enum cached_kind kind,
                            struct slice ns, struct slice name) {
        const struct cached_entry *entry = cached_entry_find(object_cache, kind, ns, name);
        return entry && entry->writers > 1;
}

const struct json *object_cache_seen(const struct object_cache *object_cache, enum cached_kind kind,
                                     struct slice ns, struct slice name) {
        const struct cached_entry *entry = cached_entry_find(object_cache, kind, ns, name);
        return entry && entry->seen ? json_doc_root(entry->seen) : NULL;
}

bool object_cache_is_pending(const struct object_cache *object_cache, enum cached_kind kind,
                             struct slice ns, struct slice name) {
        const struct cached_entry *entry = cached_entry_find(object_cache, kind, ns, name);
        const struct assumption *assumed = entry ? &entry->assumed : NULL;
        bool is_own = assumed && assumed->group && assumed->group == object_cache->group;
        return assumed && assumed->doc && !assumed->is_written && !is_own;
}

bool object_cache_is_news(const struct object_cache *object_cache, enum cached_kind kind,
                          struct slice ns, struct slice name) {
        const struct cached_entry *entry = cached_entry_find(object_cache, kind, ns, name);
        return entry && entry->changed > object_cache->kinds[kind].settled;
}

void object_cache_settle(struct object_cache *object_cache) {
        for (int kind = 0; object_cache && kind < CACHED_KIND_COUNT; kind++)
                object_cache->kinds[kind].settled = object_cache->kinds[kind].version;
}

/* ---- reading ---- */

const struct json *object_cache_get(const struct object_cache *object_cache, enum cached_kind kind,
                                    struct slice ns, struct slice name) {
        return cached_entry_object(cached_entry_find(object_cache, kind, ns, name));
}

uint64_t object_cache_version(const struct object_cache *object_cache, enum cached_kind kind) {
        return !object_cache ? 0 : object_cache->kinds[kind].version;
}

size_t object_cache_count(const struct object_cache *object_cache, enum cached_kind kind) {
        return !object_cache ? 0 : object_cache->kinds[kind].live_count;
}

const struct json *object_cache_next(const struct object_cache *object_cache, enum cached_kind kind,
                                     size_t *at) {
        const struct json *object;
        void *entry;
        while (object_cache && map_next(object_cache->kinds[kind].entries, at, NULL, &entry)) {
                object = cached_entry_object(entry);
                if (object)
                        return object;
        }
        return NULL;
}

const struct json *object_cache_marked(const struct object_cache *object_cache,
                                       enum cached_kind kind, struct slice mark, const void **at) {
        const struct cached_entry *last = *at, *entry;
        struct slice own;

        if (!object_cache)
                return NULL;
        entry = last ? last->sibling
                     : map_u64_get(object_cache->kinds[kind].marked, slice_hash(mark));
        while (entry &&
               !(cached_object_mark(cached_entry_object(entry), &own) && slice_eq(own, mark)))
                entry = entry->sibling;
        *at = entry;
        return cached_entry_object(entry);
}

const struct resource_slice *object_cache_next_slice(const struct object_cache *object_cache,
                                                     size_t *at) {
        void *value;
        while (object_cache &&
               map_next(object_cache->kinds[CACHED_RESOURCE_SLICE].entries, at, NULL, &value)) {
                const struct cached_entry *entry = value;
                if (entry->row)
                        return entry->row;
        }
        return NULL;
}

uint64_t object_cache_slice_moves(const struct object_cache *object_cache) {
        return object_cache ? object_cache->slice_moves : 0;
}

size_t object_cache_slice_devices(const struct object_cache *object_cache) {
        return slice_table_devices(object_cache->slices);
}

bool object_cache_remembers(const struct object_cache *object_cache, enum cached_kind kind,
                            uint64_t since) {
        return !object_cache || since >= object_cache->kinds[kind].forgotten;
}

bool object_cache_next_change(const struct object_cache *object_cache, enum cached_kind kind,
                              uint64_t since, const void **at, struct object_change *ret_change) {
        if (!object_cache)
                return false;
        const struct cached_entry *last = *at;
        const struct cached_entry *entry = last ? last->older : object_cache->kinds[kind].newest;
        if (!entry || entry->changed <= since)
                return false;
        *ret_change = (struct object_change){ slice_make(entry->key, entry->key_len),
                                              cached_entry_object(entry), entry->row };
        *at = entry;
        return true;
}
