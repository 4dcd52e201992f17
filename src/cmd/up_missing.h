/* What the objects of an input refer to and the input does not have. A dump of pods alone names
 * namespaces, priority classes, nodes and owners of the cluster that it was taken from. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

struct json;
struct map;
struct sandbox_import;

enum up_referent {
        REFERENT_NAMESPACE,
        REFERENT_PRIORITY_CLASS,
        REFERENT_RUNTIME_CLASS,
        REFERENT_NODE,
        REFERENT_OWNER,
        REFERENT_COUNT
};

struct up_missing {
        struct arena arena;
        struct map *references[REFERENT_COUNT]; /* name, or uid of an owner -> struct */
};

void up_missing_init(struct up_missing *missing);
void up_missing_release(struct up_missing *missing);
/* Notes that an object is there, and what it refers to. */
void up_missing_note(struct up_missing *missing, struct slice kind, const struct json *object);
/* A node that will be there without being in the input. */
void up_missing_have_node(struct up_missing *missing, const char *name);
bool up_missing_lacks(const struct up_missing *missing, enum up_referent referent);
/* Creates namespaces and classes that are missing; what was made goes to the line out, names
 * first: "namespace shop, priority class gold". */
void up_missing_create(struct up_missing *missing, struct sandbox_import *import, struct buf *out);
/* "n1, n2, n3 and 4 more", and how many objects refer to them. */
size_t up_missing_list(const struct up_missing *missing, enum up_referent referent,
                       struct buf *out);
