/* Counted string interner.
 *
 * An id is an index into `entries`; entries hang in hash chains through their `next` field, and the
 * free ones form a list through the same field.  Text lies in 64 KiB chunks, cut into pieces of
 * 8-byte steps; a released piece goes to the free list of its step, so that churn reuses memory
 * and text never moves.  Long text gets memory of its own. */
#include "base/interner.h"

#include "base/util.h"
#include <assert.h>
#include <stdlib.h>

#define CHUNK_SIZE ((size_t)64 << 10)
#define PIECE_STEP ((size_t)8)
#define PIECE_COUNT ((size_t)32) /* largest piece 256 bytes */
#define FIRST_CAP 64u            /* power of two */

struct interner_entry {
        char *text;
        uint32_t len;
        uint32_t refs; /* 0 = free */
        uint32_t hash;
        uint32_t next; /* in the hash chain or the free list; 0 = end */
};

/* Heads each chunk; takes one step of it. */
struct chunk {
        struct chunk *next;
};

struct interner {
        struct interner_entry *entries;
        uint32_t entry_cap;
        uint32_t *buckets;
        uint32_t bucket_count; /* a power of two */
        uint32_t used;         /* entries ever handed out, with the empty string at 0 */
        uint32_t first_free;   /* 0 = none */
        uint32_t count;        /* live */
        struct chunk *chunks;
        char *bump; /* free rest of the newest chunk */
        size_t bump_size;
        char *free_pieces[PIECE_COUNT];
        size_t text_bytes; /* chunks and long texts */
};

static size_t piece_size(size_t len) {
        return (len + 1 + PIECE_STEP - 1) / PIECE_STEP * PIECE_STEP;
}

/* A free piece holds the address of the next one; it may lie at any multiple of 8 bytes. */
static char *piece_take(char **list) {
        char *piece = *list;
        memcpy(list, piece, sizeof(*list));
        return piece;
}

static void piece_give(char **list, char *piece) {
        memcpy(piece, list, sizeof(*list));
        *list = piece;
}

static void bump_refill(struct interner *interner) {
        if (interner->bump_size)
                piece_give(&interner->free_pieces[interner->bump_size / PIECE_STEP - 1],
                           interner->bump);
        struct chunk *chunk = xmalloc(CHUNK_SIZE);
        chunk->next = interner->chunks;
        interner->chunks = chunk;
        interner->bump = (char *)chunk + PIECE_STEP;
        interner->bump_size = CHUNK_SIZE - PIECE_STEP;
        interner->text_bytes += CHUNK_SIZE;
}

static char *text_new(struct interner *interner, struct slice text) {
        size_t size = piece_size(text.len);
        size_t step = size / PIECE_STEP - 1;
        char *copy;
        if (step >= PIECE_COUNT) {
                copy = xmalloc(size);
                interner->text_bytes += size;
        } else if (interner->free_pieces[step]) {
                copy = piece_take(&interner->free_pieces[step]);
        } else {
                if (interner->bump_size < size)
                        bump_refill(interner);
                copy = interner->bump;
                interner->bump += size;
                interner->bump_size -= size;
        }
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
        return copy;
}

static void text_free(struct interner *interner, char *text, size_t len) {
        size_t size = piece_size(len);
        size_t step = size / PIECE_STEP - 1;
        if (step < PIECE_COUNT) {
                piece_give(&interner->free_pieces[step], text);
                return;
        }
        free(text);
        interner->text_bytes -= size;
}

static uint32_t *bucket_of(const struct interner *interner, uint32_t hash) {
        return &interner->buckets[hash & (interner->bucket_count - 1)];
}

/* Called when there are as many live strings as buckets, which is more than ever before; no entry
 * is free then. */
static void grow_buckets(struct interner *interner) {
        interner->bucket_count *= 2;
        free(interner->buckets);
        interner->buckets = xcalloc(interner->bucket_count, sizeof(*interner->buckets));
        for (uint32_t i = 1; i < interner->used; i++) {
                struct interner_entry *entry = &interner->entries[i];
                assert(entry->refs > 0);
                uint32_t *bucket = bucket_of(interner, entry->hash);
                entry->next = *bucket;
                *bucket = i;
        }
}

/* By a quarter, not by doubling: the table is among the largest things in memory. */
static void grow_entries(struct interner *interner) {
        assert(interner->entry_cap < UINT32_MAX / 2);
        interner->entry_cap += interner->entry_cap / 4;
        interner->entries =
                xreallocarray(interner->entries, interner->entry_cap, sizeof(*interner->entries));
}

struct interner *interner_new(void) {
        struct interner *interner = xcalloc(1, sizeof(*interner));
        interner->entry_cap = FIRST_CAP;
        interner->bucket_count = FIRST_CAP;
        interner->entries = xcalloc(FIRST_CAP, sizeof(*interner->entries));
        interner->buckets = xcalloc(FIRST_CAP, sizeof(*interner->buckets));
        interner->used = 1;
        return interner;
}

void interner_free(struct interner *interner) {
        if (!interner)
                return;
        for (uint32_t i = 1; i < interner->used; i++) {
                const struct interner_entry *entry = &interner->entries[i];
                if (entry->refs && piece_size(entry->len) > PIECE_COUNT * PIECE_STEP)
                        free(entry->text);
        }
        while (interner->chunks) {
                struct chunk *next = interner->chunks->next;
                free(interner->chunks);
                interner->chunks = next;
        }
        free(interner->entries);
        free(interner->buckets);
        free(interner);
}

/* Index of the live entry with this text; 0 when absent. */
static uint32_t interner_lookup(const struct interner *interner, struct slice text, uint32_t hash) {
        uint32_t at = *bucket_of(interner, hash);
        while (at) {
                const struct interner_entry *entry = &interner->entries[at];
                if (entry->hash == hash && entry->len == text.len &&
                    memcmp(entry->text, text.ptr, text.len) == 0)
                        return at;
                at = entry->next;
        }
        return 0;
}

static uint32_t entry_take(struct interner *interner) {
        uint32_t index = interner->first_free;
        if (index) {
                interner->first_free = interner->entries[index].next;
                return index;
        }
        if (interner->used == interner->entry_cap)
                grow_entries(interner);
        return interner->used++;
}

struct str_id interner_add(struct interner *interner, struct slice text) {
        assert(text.len < UINT32_MAX);
        if (text.len == 0)
                return STR_ID_EMPTY;
        uint32_t hash = (uint32_t)slice_hash(text);
        uint32_t index = interner_lookup(interner, text, hash);
        if (index) {
                interner_ref(interner, (struct str_id){ index });
                return (struct str_id){ index };
        }
        if (interner->count == interner->bucket_count)
                grow_buckets(interner);
        index = entry_take(interner);
        uint32_t *bucket = bucket_of(interner, hash);
        interner->entries[index] = (struct interner_entry){
                .text = text_new(interner, text),
                .len = (uint32_t)text.len,
                .refs = 1,
                .hash = hash,
                .next = *bucket,
        };
        *bucket = index;
        interner->count++;
        return (struct str_id){ index };
}

struct str_id interner_find(const struct interner *interner, struct slice text, bool *ret_found) {
        uint32_t index = text.len ? interner_lookup(interner, text, (uint32_t)slice_hash(text)) : 0;
        if (ret_found)
                *ret_found = index != 0 || text.len == 0;
        return (struct str_id){ index };
}

static struct interner_entry *live_entry(const struct interner *interner, struct str_id id) {
        assert(id.index < interner->used);
        struct interner_entry *entry = &interner->entries[id.index];
        assert(entry->refs > 0);
        return entry;
}

void interner_ref(struct interner *interner, struct str_id id) {
        if (id.index == 0)
                return;
        struct interner_entry *entry = live_entry(interner, id);
        assert(entry->refs < UINT32_MAX);
        entry->refs++;
}

void interner_unref(struct interner *interner, struct str_id id) {
        if (id.index == 0)
                return;
        struct interner_entry *entry = live_entry(interner, id);
        if (--entry->refs > 0)
                return;
        uint32_t *link = bucket_of(interner, entry->hash);
        while (*link != id.index)
                link = &interner->entries[*link].next;
        *link = entry->next;
        text_free(interner, entry->text, entry->len);
        entry->text = NULL;
        entry->next = interner->first_free;
        interner->first_free = id.index;
        interner->count--;
}

struct slice interner_text(const struct interner *interner, struct str_id id) {
        if (id.index == 0)
                return slice_make("", 0);
        const struct interner_entry *entry = live_entry(interner, id);
        return slice_make(entry->text, entry->len);
}

size_t interner_count(const struct interner *interner) {
        return interner->count;
}

size_t interner_bytes(const struct interner *interner) {
        return sizeof(*interner) + interner->text_bytes +
               interner->entry_cap * sizeof(*interner->entries) +
               interner->bucket_count * sizeof(*interner->buckets);
}
