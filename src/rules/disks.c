/* Disks named directly in pods: which of them two pods may not share on a node. */
#include "rules/volumes.h"

#include "base/map.h"
#include "base/util.h"

static const struct json *disks_disk(const struct volume *volume, const char *kind) {
        const struct json *source = json_get(volume->source, kind);
        return json_type(source) == JSON_OBJECT ? source : NULL;
}

bool volume_has_disk(const struct volume *volume) {
        static const char *const kinds[] = { "gcePersistentDisk", "awsElasticBlockStore", "iscsi",
                                             "rbd" };
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
                if (disks_disk(volume, kinds[i]))
                        return true;
        return false;
}

bool volume_is_migratable(const struct volume *volume) {
        static const char *const kinds[] = {
                "gcePersistentDisk", "awsElasticBlockStore", "azureDisk", "azureFile", "cinder",
                "vsphereVolume",     "portworxVolume"
        };
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
                if (disks_disk(volume, kinds[i]))
                        return true;
        return false;
}

static bool same_text(const struct json *a, const struct json *b, const char *key) {
        return slice_eq(json_get_text(a, key), json_get_text(b, key));
}

static bool both_read_only(const struct json *a, const struct json *b) {
        return json_get_bool(a, "readOnly", false) && json_get_bool(b, "readOnly", false);
}

static struct slice pool_of(const struct json *rbd) {
        struct slice pool = json_get_text(rbd, "pool");
        return slice_is_empty(pool) ? SLICE_LITERAL("rbd") : pool;
}

static bool share_monitor(const struct json *a, const struct json *b) {
        struct json_iter iter = json_iter(json_get(a, "monitors"));
        const struct json *mine, *theirs;
        while (json_next(&iter, NULL, &mine)) {
                struct json_iter other = json_iter(json_get(b, "monitors"));
                while (json_next(&other, NULL, &theirs))
                        if (slice_eq(json_text(mine), json_text(theirs)))
                                return true;
        }
        return false;
}

static bool rbd_conflict(const struct json *a, const struct json *b) {
        return share_monitor(a, b) && slice_eq(pool_of(a), pool_of(b)) &&
               same_text(a, b, "image") && !both_read_only(a, b);
}

static bool volumes_conflict(const struct volume *a, const struct volume *b) {
        const struct json *x, *y;
        if ((x = disks_disk(a, "gcePersistentDisk")) && (y = disks_disk(b, "gcePersistentDisk")) &&
            same_text(x, y, "pdName") && !both_read_only(x, y))
                return true;
        if ((x = disks_disk(a, "awsElasticBlockStore")) &&
            (y = disks_disk(b, "awsElasticBlockStore")) && same_text(x, y, "volumeID"))
                return true;
        if ((x = disks_disk(a, "iscsi")) && (y = disks_disk(b, "iscsi")) &&
            same_text(x, y, "iqn") && !both_read_only(x, y))
                return true;
        return (x = disks_disk(a, "rbd")) && (y = disks_disk(b, "rbd")) && rbd_conflict(x, y);
}

/* ---- lists of volumes ---- */

/* More pairs than this are not compared one by one. */
#define PAIRS_MAX 256

/* Who names a disk, and for writing; the owner of the second list has the higher bits. */
#define NAMED 1U
#define WRITTEN 2U
#define SECOND_SHIFT 2U

struct disk_users {
        struct map *by_disk; /* bits, as pointers */
        struct buf key;
        unsigned shift; /* of the list that is gone through */
};

static void key_begin(struct disk_users *users, char kind, struct slice name) {
        buf_clear(&users->key);
        buf_char(&users->key, kind);
        buf_slice(&users->key, name);
}

/* True when two share the disk of the key. */
static bool disk_note(struct disk_users *users, bool is_written) {
        struct slice key = buf_view(&users->key);
        unsigned bits = (unsigned)(uintptr_t)map_get(users->by_disk, key);
        bits |= (NAMED | (is_written ? WRITTEN : 0)) << users->shift;
        map_put(users->by_disk, key, (void *)(uintptr_t)bits);
        unsigned first = bits & (NAMED | WRITTEN), second = bits >> SECOND_SHIFT;
        return (first & WRITTEN && second) || (second & WRITTEN && first);
}

/* A disk for each monitor. */
static bool rbd_note(struct disk_users *users, const struct json *rbd) {
        struct json_iter iter = json_iter(json_get(rbd, "monitors"));
        const struct json *monitor;
        bool is_shared = false;
        while (!is_shared && json_next(&iter, NULL, &monitor)) {
                key_begin(users, 'r', json_text(monitor));
                buf_char(&users->key, '\0');
                buf_slice(&users->key, pool_of(rbd));
                buf_char(&users->key, '\0');
                buf_slice(&users->key, json_get_text(rbd, "image"));
                is_shared = disk_note(users, !json_get_bool(rbd, "readOnly", false));
        }
        return is_shared;
}

static bool volume_note(struct disk_users *users, const struct volume *volume) {
        static const struct {
                const char *kind, *name;
                char letter;
                bool is_exclusive; /* read-only or not */
        } kinds[] = { { "gcePersistentDisk", "pdName", 'g', false },
                      { "awsElasticBlockStore", "volumeID", 'a', true },
                      { "iscsi", "iqn", 'i', false } };
        const struct json *disk;
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                if (!(disk = disks_disk(volume, kinds[i].kind)))
                        continue;
                key_begin(users, kinds[i].letter, json_get_text(disk, kinds[i].name));
                if (disk_note(users,
                              kinds[i].is_exclusive || !json_get_bool(disk, "readOnly", false)))
                        return true;
        }
        return (disk = disks_disk(volume, "rbd")) && rbd_note(users, disk);
}

static bool share_by_name(const struct volume *a, size_t a_count, const struct volume *b,
                          size_t b_count) {
        struct disk_users users = { .by_disk = map_new() };
        bool is_shared = false;
        for (size_t i = 0; i < a_count; i++)
                volume_note(&users, &a[i]);
        users.shift = SECOND_SHIFT;
        for (size_t i = 0; i < b_count && !is_shared; i++)
                is_shared = volume_note(&users, &b[i]);
        map_free(users.by_disk);
        buf_release(&users.key);
        return is_shared;
}

bool volumes_share_disk(const struct volume *a, size_t a_count, const struct volume *b,
                        size_t b_count) {
        if (b_count > 0 && a_count > PAIRS_MAX / b_count)
                return share_by_name(a, a_count, b, b_count);
        for (size_t i = 0; i < a_count; i++)
                for (size_t j = 0; j < b_count; j++)
                        if (volumes_conflict(&a[i], &b[j]))
                                return true;
        return false;
}
