/* What the files of the object cache share: its entries, and how they are found. */
#pragma once

#include "base/map.h"
#include "model/object_cache.h"
#include "model/slice_table.h"

struct assumption {
        struct json_doc *doc;      /* NULL: nothing is assumed */
        uint64_t written_version;  /* 0 = not known */
        bool is_written, has_news; /* the write was answered; the watch spoke since it was made */
        uint64_t group;            /* of those who know of each other; 0 = none */
        /* What writers before have written, whatever becomes of this one; 0 = nothing known. */
        uint64_t known_version;
};
/* In the list of its kind by its last change.  An object that is gone leaves an empty entry. */
struct cached_entry {
        struct cached_entry *older, *newer;
        struct cached_entry *sibling; /* the next one under the hash of its mark */
        uint64_t mark;                /* that hash */
        bool is_marked;
        struct json_doc *seen;
        const struct resource_slice *row; /* of a ResourceSlice, in the place of a document */
        struct assumption assumed;
        uint32_t writers; /* of what is assumed, those that did not leave */
        uint64_t changed; /* version of the kind */
        size_t key_len;
        char key[];
};
struct cached_list {
        struct map *entries; /* "namespace/name" -> struct cached_entry */
        struct cached_entry *oldest, *newest;
        struct cached_entry *known_live; /* and all older ones; NULL: not known of any */
        size_t live_count, gone_count;
        uint64_t version, forgotten; /* the last change that is not known any more */
        uint64_t settled;            /* later changes are news */
        /* Hash of a mark to the entries of objects that have it, in the order they came; NULL: of
         * this kind objects have none. */
        struct map_u64 *marked;
};
struct replaced_assumption {
        struct cached_list *list;
        struct cached_entry *entry;
        struct assumption before;
};
struct object_cache {
        struct cached_list kinds[CACHED_KIND_COUNT];
        uint32_t known;         /* kinds, as bits */
        uint64_t group, groups; /* that assumes now, 0 = none; that there were */
        bool is_what_if;
        struct replaced_assumption *replaced; /* in the what-if, the first one first */
        size_t replaced_count, replaced_cap;
        struct slice_table *slices;
        size_t slice_devices; /* of the rows that are of use */
        uint64_t slice_moves;
        struct arena scratch;
};

void cached_entry_free(struct cached_entry *entry);
/* Neither seen nor assumed. */
bool cached_entry_is_gone(const struct cached_entry *entry);
/* What counts of it: what is assumed, or else what was seen; NULL when there is nothing. */
const struct json *cached_entry_object(const struct cached_entry *entry);
/* NULL when the cache, which may be NULL, has none. */
struct cached_entry *cached_entry_find(const struct object_cache *object_cache,
                                       enum cached_kind kind, struct slice ns, struct slice name);
/* The same, with an empty one made where there is none. */
struct cached_entry *cached_entry_need(struct object_cache *object_cache, enum cached_kind kind,
                                       const struct json *object);
/* The entry has changed: it becomes the newest. */
void cached_entry_touch(struct cached_list *list, struct cached_entry *entry, bool was_gone);
/* What an object of a kind with marks is looked for by, beside its name; false when by nothing. */
bool cached_object_mark(const struct json *object, struct slice *ret_mark);
