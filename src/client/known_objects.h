/* What a reflector has reported to its consumer: identity and version of every object, without the
 * objects. About 24 bytes plus the names per object. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KNOWN_NAME_MAX 255 /* bytes of a namespace or a name */
#define KNOWN_UID_MAX 64

struct object_identity {
        struct slice namespace_name; /* empty for cluster-scoped objects */
        struct slice name, uid;
};
struct object_version {
        uint64_t number;
};
/* The resource version as a number where it is one below 2^63, else a hash, which is not: equal
 * versions have equal numbers. */
struct object_version object_version_of(struct slice resource_version);
bool object_version_is_hash(struct object_version version);

enum known_change {
        KNOWN_SAME,     /* this version was known */
        KNOWN_NEW,      /* was unknown */
        KNOWN_CHANGED,  /* another version was known */
        KNOWN_REPLACED, /* an object of the same name but another uid was known */
};

struct known_objects;

struct known_objects *known_objects_new(void);
void known_objects_free(struct known_objects *known); /* accepts NULL */
size_t known_objects_count(const struct known_objects *known);
size_t known_objects_bytes(const struct known_objects *known); /* memory held */

/* Records the object and returns what changed. When it was replaced, the uid of the previous object
 * is written to former_uid (NUL-terminated). Names must be within the limits. */
enum known_change known_objects_put(struct known_objects *known,
                                    const struct object_identity *identity,
                                    struct object_version version,
                                    char former_uid[KNOWN_UID_MAX + 1]);
/* False when there is none of that name and uid. */
bool known_objects_version(const struct known_objects *known,
                           const struct object_identity *identity,
                           struct object_version *ret_version);
bool known_objects_remove(struct known_objects *known, const struct object_identity *identity);

/* A list brings the whole truth: what is not put between begin and sweep is gone. Sweep removes it
 * and reports each; the identity lives during the call only, which must not change the set. */
void known_objects_begin(struct known_objects *known);
void known_objects_sweep(struct known_objects *known,
                         void (*gone)(void *context, const struct object_identity *identity),
                         void *context);
