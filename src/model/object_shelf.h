/* Objects that few decisions look at (volumes, storage classes, services ...), kept as they came
 * from the API and read where they are needed.  Beside the cluster model, which holds what every
 * decision reads. */
#pragma once

#include "api/json.h"
#include <stdbool.h>
#include <stddef.h>

enum shelf_kind {
        SHELF_SERVICE,
        SHELF_REPLICATION_CONTROLLER,
        SHELF_REPLICA_SET,
        SHELF_STATEFUL_SET,
        SHELF_VOLUME,       /* PersistentVolume */
        SHELF_VOLUME_CLAIM, /* PersistentVolumeClaim */
        SHELF_STORAGE_CLASS,
        SHELF_CSI_NODE,
        SHELF_CSI_DRIVER,
        SHELF_CSI_CAPACITY, /* CSIStorageCapacity */
        SHELF_ATTACHMENT,   /* VolumeAttachment */
        SHELF_RESOURCE_CLAIM,
        SHELF_POD_GROUP,
        SHELF_KIND_COUNT
};

struct object_shelf;
struct object_shelf *object_shelf_new(void);
void object_shelf_free(struct object_shelf *shelf); /* accepts NULL */
/* Keeps a copy; replaces an object of the same namespace and name. */
void object_shelf_put(struct object_shelf *shelf, enum shelf_kind kind, const struct json *object);
void object_shelf_remove(struct object_shelf *shelf, enum shelf_kind kind, struct slice ns,
                         struct slice name);
/* All accept a NULL shelf and answer as an empty one. */
const struct json *object_shelf_get(const struct object_shelf *shelf, enum shelf_kind kind,
                                    struct slice ns, struct slice name);
/* Another number after every change of a kind; 0 when it never changed. */
uint64_t object_shelf_version(const struct object_shelf *shelf, enum shelf_kind kind);
size_t object_shelf_count(const struct object_shelf *shelf, enum shelf_kind kind);
/* In the order they came: size_t at = 0; while ((object = object_shelf_next(..., &at))) */
const struct json *object_shelf_next(const struct object_shelf *shelf, enum shelf_kind kind,
                                     size_t *at);
/* metadata.namespace ("default" when absent) and metadata.name. */
struct slice shelf_object_ns(const struct json *object);
struct slice shelf_object_name(const struct json *object);
