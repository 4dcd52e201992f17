/* Open-addressing table over one pool of packed names.
 *
 * A name record is: length of the namespace, length of the name, length of the uid (or UID_PACKED:
 * 16 bytes of a UUID), then the bytes. Records of removed objects stay as garbage until they make
 * up half of the pool; then the table is rebuilt with a new one. */
#include "client/known_objects.h"

#include "base/util.h"
#include "base/uuid.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MIN 64U
#define POOL_MIN 1024U
#define UID_PACKED 0xffU
#define HEADER_SIZE 3U
#define HASH_BIT (UINT64_C(1) << 63)
#define GONE 1U /* slot state: was used, search goes on behind it */

struct known_objects_entry {
        uint64_t version;
        uint32_t hash;
        uint32_t at;    /* of the name record in the pool, plus 2; 0 = free, GONE = removed */
        uint32_t round; /* of the last list that had it */
};

struct known_objects {
        struct known_objects_entry *entries;
        uint32_t cap, count, used; /* used counts removed slots too */
        char *pool;
        uint32_t pool_size, pool_cap, pool_garbage;
        uint32_t round;
};

struct object_version object_version_of(struct slice resource_version) {
        uint64_t number;

        if (!slice_to_u64(resource_version, &number) || number & HASH_BIT)
                number = slice_hash(resource_version) | HASH_BIT;
        return (struct object_version){ number };
}

bool object_version_is_hash(struct object_version version) {
        return version.number & HASH_BIT;
}

/* ---- name records ---- */

struct record {
        struct slice namespace_name, name, uid;
        bool is_packed;
        uint32_t size;
};

static struct record record_at(const struct known_objects *known,
                               const struct known_objects_entry *entry) {
        const unsigned char *head = (const unsigned char *)known->pool + (entry->at - 2);
        const char *text = (const char *)head + HEADER_SIZE;
        uint32_t uid_size = head[2] == UID_PACKED ? sizeof(struct uuid) : head[2];

        return (struct record){
                .namespace_name = slice_make(text, head[0]),
                .name = slice_make(text + head[0], head[1]),
                .uid = slice_make(text + head[0] + head[1], uid_size),
                .is_packed = head[2] == UID_PACKED,
                .size = HEADER_SIZE + head[0] + head[1] + uid_size,
        };
}

/* The uid as text in buffer. */
static struct slice uid_text(const struct record *record, char buffer[KNOWN_UID_MAX + 1]) {
        struct uuid uuid;

        if (record->is_packed) {
                memcpy(uuid.bytes, record->uid.ptr, sizeof(uuid.bytes));
                uuid_format(uuid, buffer);
                return slice_make(buffer, UUID_TEXT_SIZE - 1);
        }
        memcpy(buffer, record->uid.ptr, record->uid.len);
        buffer[record->uid.len] = '\0';
        return slice_make(buffer, record->uid.len);
}

/* Bytes of the uid as they are stored: packed when the text is a UUID in its usual spelling. */
static struct slice pack_uid(struct slice uid, struct uuid *buffer, bool *ret_packed) {
        char text[UUID_TEXT_SIZE];

        *ret_packed = false;
        if (uuid_parse(uid, buffer)) {
                uuid_format(*buffer, text);
                *ret_packed = slice_is(uid, text);
        }
        if (*ret_packed)
                return slice_make((const char *)buffer->bytes, sizeof(buffer->bytes));
        return uid.len <= KNOWN_UID_MAX ? uid : SLICE_EMPTY;
}

static char *pool_reserve(struct known_objects *known, uint32_t size) {
        assert(known->pool_size < UINT32_MAX / 2);
        while (known->pool_size + size > known->pool_cap) {
                known->pool_cap =
                        known->pool_cap ? known->pool_cap + known->pool_cap / 2 : POOL_MIN;
                known->pool = xrealloc(known->pool, known->pool_cap);
        }
        known->pool_size += size;
        return known->pool + known->pool_size - size;
}

static uint32_t record_add(struct known_objects *known, const struct object_identity *identity) {
        struct uuid uuid;
        bool is_packed;
        struct slice uid = pack_uid(identity->uid, &uuid, &is_packed);
        struct slice parts[] = { identity->namespace_name, identity->name, uid };
        size_t size = HEADER_SIZE + parts[0].len + parts[1].len + parts[2].len;
        char *to = pool_reserve(known, (uint32_t)size);
        uint32_t at = (uint32_t)(to - known->pool);

        to[0] = (char)parts[0].len;
        to[1] = (char)parts[1].len;
        to[2] = (char)(is_packed ? UID_PACKED : uid.len);
        to += HEADER_SIZE;
        for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
                if (parts[i].len)
                        memcpy(to, parts[i].ptr, parts[i].len);
                to += parts[i].len;
        }
        return at + 2;
}

/* ---- the table ---- */

static uint32_t hash_of(struct slice namespace_name, struct slice name) {
        return (uint32_t)hash_bytes(name.ptr, name.len, slice_hash(namespace_name));
}

static bool is_live(const struct known_objects_entry *entry) {
        return entry->at > GONE;
}

static struct known_objects_entry *known_objects_find(const struct known_objects *known,
                                                      const struct object_identity *identity,
                                                      uint32_t hash) {
        uint32_t mask = known->cap - 1;

        if (known->cap == 0)
                return NULL;
        for (uint32_t i = hash & mask; known->entries[i].at; i = (i + 1) & mask) {
                struct known_objects_entry *entry = &known->entries[i];

                if (entry->hash != hash || !is_live(entry))
                        continue;
                struct record record = record_at(known, entry);
                if (slice_eq(record.name, identity->name) &&
                    slice_eq(record.namespace_name, identity->namespace_name))
                        return entry;
        }
        return NULL;
}

static struct known_objects_entry *free_slot(struct known_objects *known, uint32_t hash) {
        uint32_t mask = known->cap - 1;
        uint32_t i = hash & mask;

        while (known->entries[i].at)
                i = (i + 1) & mask;
        known->used++;
        return &known->entries[i];
}

/* New table of fitting size without removed slots, and a new pool without garbage. */
static void known_objects_rebuild(struct known_objects *known) {
        struct known_objects old = *known;

        known->cap = TABLE_MIN;
        while (known->cap * 3 / 4 <= old.count + old.count / 4 + 1)
                known->cap *= 2;
        known->entries = xcalloc(known->cap, sizeof(*known->entries));
        known->used = 0;
        known->pool_size = known->pool_garbage = 0;
        known->pool_cap = old.pool_size - old.pool_garbage + POOL_MIN;
        known->pool = xmalloc(known->pool_cap);
        for (uint32_t i = 0; i < old.cap; i++) {

                if (!is_live(&old.entries[i]))
                        continue;
                struct record record = record_at(&old, &old.entries[i]);
                char *to = pool_reserve(known, record.size);
                memcpy(to, old.pool + (old.entries[i].at - 2), record.size);
                struct known_objects_entry *entry = free_slot(known, old.entries[i].hash);
                *entry = old.entries[i];
                entry->at = (uint32_t)(to - known->pool) + 2;
        }
        free(old.entries);
        free(old.pool);
}

static void known_objects_grow(struct known_objects *known) {
        if (known->used + 1 > known->cap / 4 * 3 ||
            (known->pool_garbage > POOL_MIN && known->pool_garbage > known->pool_size / 2))
                known_objects_rebuild(known);
}

static void known_objects_drop(struct known_objects *known, struct known_objects_entry *entry) {
        known->pool_garbage += record_at(known, entry).size;
        entry->at = GONE;
        known->count--;
}

enum known_change known_objects_put(struct known_objects *known,
                                    const struct object_identity *identity,
                                    struct object_version version,
                                    char former_uid[KNOWN_UID_MAX + 1]) {
        uint32_t hash = hash_of(identity->namespace_name, identity->name);
        struct known_objects_entry *entry = known_objects_find(known, identity, hash);
        enum known_change change = KNOWN_NEW;

        assert(identity->namespace_name.len <= KNOWN_NAME_MAX);
        assert(identity->name.len <= KNOWN_NAME_MAX);
        if (entry) {
                struct record record = record_at(known, entry);
                struct slice uid = uid_text(&record, former_uid);

                if (slice_eq(uid, identity->uid)) {
                        change = entry->version == version.number ? KNOWN_SAME : KNOWN_CHANGED;
                        entry->version = version.number;
                        entry->round = known->round;
                        return change;
                }
                known_objects_drop(known, entry);
                change = KNOWN_REPLACED;
        }
        known_objects_grow(known);
        entry = free_slot(known, hash);
        *entry = (struct known_objects_entry){ .version = version.number,
                                               .hash = hash,
                                               .round = known->round };
        entry->at = record_add(known, identity);
        known->count++;
        return change;
}

bool known_objects_version(const struct known_objects *known,
                           const struct object_identity *identity,
                           struct object_version *ret_version) {
        const struct known_objects_entry *entry = known_objects_find(
                known, identity, hash_of(identity->namespace_name, identity->name));
        char uid[KNOWN_UID_MAX + 1];

        if (!entry)
                return false;
        struct record record = record_at(known, entry);
        ret_version->number = entry->version;
        return slice_eq(uid_text(&record, uid), identity->uid);
}

bool known_objects_remove(struct known_objects *known, const struct object_identity *identity) {
        struct known_objects_entry *entry = known_objects_find(
                known, identity, hash_of(identity->namespace_name, identity->name));

        if (!entry)
                return false;
        known_objects_drop(known, entry);
        return true;
}

void known_objects_begin(struct known_objects *known) {
        known->round++;
}

void known_objects_sweep(struct known_objects *known,
                         void (*gone)(void *context, const struct object_identity *identity),
                         void *context) {
        for (uint32_t i = 0; i < known->cap; i++) {
                struct known_objects_entry *entry = &known->entries[i];
                char uid[KNOWN_UID_MAX + 1];

                if (!is_live(entry) || entry->round == known->round)
                        continue;
                struct record record = record_at(known, entry);
                struct object_identity identity =
                        (struct object_identity){ record.namespace_name, record.name,
                                                  uid_text(&record, uid) };
                gone(context, &identity);
                known_objects_drop(known, entry);
        }
}

struct known_objects *known_objects_new(void) {
        return xcalloc(1, sizeof(struct known_objects));
}

void known_objects_free(struct known_objects *known) {
        if (!known)
                return;
        free(known->entries);
        free(known->pool);
        free(known);
}

size_t known_objects_count(const struct known_objects *known) {
        return known->count;
}

size_t known_objects_bytes(const struct known_objects *known) {
        return sizeof(*known) + known->cap * sizeof(*known->entries) + known->pool_cap;
}
