/* Objects that few decisions look at (volumes, storage classes, services ...), stored as they came
 * from the API and read where they are needed.  Beside the cluster model, which holds what every
 * decision reads.
 *
 * What this process is about to write of an object can be assumed: readers then see the assumed
 * object, whatever the watch says meanwhile, until the write was answered and the watch has shown
 * its result, or until it is withdrawn. */
#pragma once

#include "api/device.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
        CACHED_DEVICE_TAINT_RULE,
        CACHED_KIND_COUNT
};

struct object_cache;
#define CACHED_BIT(kind) (1U << (kind))
#define CACHED_DEVICES                                                                             \
        (CACHED_BIT(CACHED_RESOURCE_CLAIM) | CACHED_BIT(CACHED_RESOURCE_SLICE) |                   \
         CACHED_BIT(CACHED_DEVICE_CLASS) | CACHED_BIT(CACHED_DEVICE_TAINT_RULE))
struct object_cache *object_cache_new(void);
/* Of these kinds alone; objects of others are not kept. */
struct object_cache *object_cache_new_of(uint32_t kinds);
/* Whether it is meant to have objects of a kind; not a NULL cache. */
bool object_cache_knows(const struct object_cache *object_cache, enum cached_kind kind);
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
/* ResourceSlices, which are stored as rows (model/slice_table.h): the readers above that give JSON
 * do not have them.  Rows, those included that were replaced, last until all of them move. */
const struct resource_slice *object_cache_next_slice(const struct object_cache *object_cache,
                                                     size_t *at);

uint64_t object_cache_slice_moves(const struct object_cache *object_cache); /* so often they did */
/* Devices in rows, those included that are not of use any more. */
size_t object_cache_slice_devices(const struct object_cache *object_cache);

/* Objects that have a mark, in the order they came: claims of devices have the uid of their
 * controller, classes of devices the extended resource that they name. const void *at = NULL;
 * while ((object = object_cache_marked(..., &at))) */
const struct json *object_cache_marked(const struct object_cache *object_cache,
                                       enum cached_kind kind, struct slice mark, const void **at);

/* ---- assuming ---- */

/* Readers see this object from now on; the API need not have it yet. */
void object_cache_assume(struct object_cache *object_cache, enum cached_kind kind,
                         const struct json *object);
/* The write was answered; version: resourceVersion of its result, empty when it is not known.  The
 * assumption ends when the watch has shown that version (not known: when it shows anything). */
void object_cache_written(struct object_cache *object_cache, enum cached_kind kind, struct slice ns,
                          struct slice name, struct slice version);
/* The write came to nothing: readers see again what the API said last, once it has shown what other
 * writers are known to have written. */
void object_cache_withdraw(struct object_cache *object_cache, enum cached_kind kind,
                           struct slice ns, struct slice name);
/* What the API said last, without assumptions. */
const struct json *object_cache_seen(const struct object_cache *object_cache, enum cached_kind kind,
                                     struct slice ns, struct slice name);
/* Assumed, and the write is not answered yet; not by the group that assumes now. */
bool object_cache_is_pending(const struct object_cache *object_cache, enum cached_kind kind,
                             struct slice ns, struct slice name);

/* One more writer of what is assumed, now or with the assumption that follows: as long as others
 * are left, written and withdraw only say that one of them has left. */
void object_cache_join(struct object_cache *object_cache, enum cached_kind kind, struct slice ns,
                       struct slice name);
bool object_cache_is_shared(const struct object_cache *object_cache, enum cached_kind kind,
                            struct slice ns, struct slice name); /* by several writers */
/* What is assumed between the two is taken back by the second one; not nested.  Nothing is put,
 * removed, written or withdrawn meanwhile. */
void object_cache_checkpoint(struct object_cache *object_cache);
void object_cache_rollback(struct object_cache *object_cache);
/* Those who assume between the two know of each other. */
void object_cache_begin_group(struct object_cache *object_cache);
void object_cache_end_group(struct object_cache *object_cache);

/* ---- following ---- */

struct object_change {
        struct slice key;          /* "namespace/name", "/name" of kinds without namespaces */
        const struct json *object; /* NULL: gone, or a slice */
        const struct resource_slice *row; /* of a slice; NULL: gone */
};
/* Whether all that changed after version `since` of the kind is known; if not, look at everything.
 */
bool object_cache_remembers(const struct object_cache *object_cache, enum cached_kind kind,
                            uint64_t since);
/* Objects that changed after `since`, each once, the latest first; *at is NULL at the start. */
bool object_cache_next_change(const struct object_cache *object_cache, enum cached_kind kind,
                              uint64_t since, const void **at, struct object_change *ret_change);

/* Changed since the last object_cache_settle. */
bool object_cache_is_news(const struct object_cache *object_cache, enum cached_kind kind,
                          struct slice ns, struct slice name);
void object_cache_settle(struct object_cache *object_cache);

/* metadata.namespace ("default" when absent) and metadata.name. */
struct slice cached_object_ns(const struct json *object);
struct slice cached_object_name(const struct json *object);
