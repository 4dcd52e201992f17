/* Objects that few decisions look at (volumes, storage classes, services ...), stored as they came
 * from the API and read where they are needed.  Beside the cluster model, which holds what every
 * decision reads. */
#pragma once

#include "api/json.h"
#include <stdbool.h>
#include <stddef.h>

enum cached_kind {
        CACHED_SERVICE,
        CACHED_REPLICATION_CONTROLLER,
        CACHED_REPLICA_SET,
        CACHED_STATEFUL_SET,
        CACHED_VOLUME,       /* PersistentVolume */
        CACHED_VOLUME_CLAIM, /* PersistentVolumeClaim */
        CACHED_STORAGE_CLASS,
        CACHED_CSI_NODE,
        CACHED_CSI_DRIVER,
        CACHED_CSI_CAPACITY, /* CSIStorageCapacity */
        CACHED_ATTACHMENT,   /* VolumeAttachment */
        CACHED_RESOURCE_CLAIM,
        CACHED_POD_GROUP,
        CACHED_RESOURCE_SLICE,
        CACHED_DEVICE_CLASS,
        CACHED_KIND_COUNT
};

struct object_cache;
struct object_cache *object_cache_new(void);
void object_cache_free(struct object_cache *object_cache); /* accepts NULL */
/* Keeps a copy; replaces an object of the same namespace and name. */
void object_cache_put(struct object_cache *object_cache, enum cached_kind kind,
                      const struct json *object);
void object_cache_remove(struct object_cache *object_cache, enum cached_kind kind, struct slice ns,
                         struct slice name);
/* All accept a NULL cache and answer as an empty one. */
const struct json *object_cache_get(const struct object_cache *object_cache, enum cached_kind kind,
                                    struct slice ns, struct slice name);
/* Another number after every change of a kind; 0 when it never changed. */
uint64_t object_cache_version(const struct object_cache *object_cache, enum cached_kind kind);
size_t object_cache_count(const struct object_cache *object_cache, enum cached_kind kind);
/* In the order they came: size_t at = 0; while ((object = object_cache_next(..., &at))) */
const struct json *object_cache_next(const struct object_cache *object_cache, enum cached_kind kind,
                                     size_t *at);
/* metadata.namespace ("default" when absent) and metadata.name. */
struct slice cached_object_ns(const struct json *object);
struct slice cached_object_name(const struct json *object);
