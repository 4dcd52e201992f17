/* Writing through the API server: objects, patches, deletions, events. */
#pragma once

#include "api/json.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

struct control;
struct controller_run;

/* subresource "" = the object itself. */
struct object_target {
        int resource;
        struct slice ns, name;
        const char *subresource;
};

/* Errors of all: what the server answered, by reason. */
int object_create(struct controller_run *run, int resource, struct slice ns,
                  const struct json_node *object, struct err *err);
/* The same with the created object; *ret_doc is the caller's to free. */
int object_create_read(struct controller_run *run, int resource, struct slice ns,
                       const struct json_node *object, struct json_doc **ret_doc, struct err *err);
/* A merge patch. */
int object_merge(struct controller_run *run, const struct object_target *target,
                 const struct json_node *patch, struct err *err);
/* Applies a configuration as the controller, whoever else owns its fields. */
int object_apply(struct controller_run *run, const struct object_target *target,
                 const struct json_node *applied, struct err *err);
/* Replaces the object. */
int object_put(struct controller_run *run, const struct object_target *target,
               const struct json_node *object, struct err *err);
/* Merges {"status": status} into the status subresource. */
int object_merge_status(struct controller_run *run, const struct object_target *target,
                        struct json_tree *tree, struct json_node *status, struct err *err);

/* Takes a finalizer from the object; one that is gone meanwhile is no error. */
int object_drop_finalizer(struct controller_run *run, const struct object_target *target,
                          const struct json *object, const char *finalizer, struct err *err);

struct object_deletion {
        struct slice uid;        /* precondition; empty = none */
        const char *propagation; /* NULL = default */
        bool is_forced;          /* no grace */
};
/* An absent object is no error. options may be NULL. */
int object_delete(struct controller_run *run, const struct object_target *target,
                  const struct object_deletion *options, struct err *err);

/* Records an event of type Normal or Warning about an object (whole, as stored); the same again
 * counts up. */
void object_event(struct controller_run *run, int resource, const struct json *object,
                  const char *reason, const char *format, ...)
        __attribute__((format(printf, 5, 6)));
void object_warning(struct controller_run *run, int resource, const struct json *object,
                    const char *reason, const char *format, ...)
        __attribute__((format(printf, 5, 6)));
void object_events_release(struct control *control);
