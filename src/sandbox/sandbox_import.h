/* Brings Kubernetes objects from files into the embedded cluster, as they are: uids, creation
 * times, owners and status stay what they were, so that ages and ownership keep their meaning. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

struct json;
struct sandbox;
struct sandbox_import;

struct sandbox_import *sandbox_import_new(struct sandbox *sandbox);
void sandbox_import_free(struct sandbox_import *import); /* accepts NULL */
/* Creates one object, with its status.  An object that exists already is replaced, though it keeps
 * its uid.  err carries the API server's message; nothing of the object is stored then.  EXISTS:
 * it is there and cannot be replaced. */
int sandbox_import_object(struct sandbox_import *import, const struct json *object,
                          struct err *err);
int sandbox_import_text(struct sandbox_import *import, struct slice object, struct err *err);
/* The same, and EXISTS for whatever is there. */
int sandbox_import_new_text(struct sandbox_import *import, struct slice object, struct err *err);
/* Whether objects of this kind can be stored at all. */
bool sandbox_import_serves(struct sandbox_import *import, struct slice api_version,
                           struct slice kind);
struct import_target {
        struct slice api_version, kind, ns, name; /* ns empty = default where the kind has one */
};
int sandbox_import_patch(struct sandbox_import *import, const struct import_target *target,
                         const struct json *merge_patch, struct err *err);
int sandbox_import_delete(struct sandbox_import *import, const struct import_target *target,
                          struct err *err);
size_t sandbox_import_count(const struct sandbox_import *import);
