/* Disks named directly in pods: which of them two pods may not share on a node. */
#include "rules/volumes.h"

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

bool volumes_conflict(const struct volume *a, const struct volume *b) {
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
