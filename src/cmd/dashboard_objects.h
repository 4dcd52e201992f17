/* What the live page shows besides the model: EvictionRequests and what became of them, reboots and
 * their lock; and what plans read besides it.  From the watches of a process, or from files. */
#pragma once

#include "ask/snapshot_input.h"
#include "dashboard/dashboard.h"

struct dashboard_objects;
struct loop;
struct runtime;

/* Objects of this cluster. The loop says what time it is. */
struct dashboard_objects *dashboard_objects_new(struct cluster *cluster, struct loop *loop);
void dashboard_objects_free(
        struct dashboard_objects *objects); /* accepts NULL; before the runtime */
/* Follows them; kinds that are not served, or that we may not see, are absent. changed runs from
 * the loop after each change. */
void dashboard_objects_follow(struct dashboard_objects *objects, struct runtime *runtime,
                              void (*changed)(void *context), void *context);
/* As snapshot.seen, for objects of files. */
void dashboard_objects_see(void *objects, struct slice api_version, struct slice kind,
                           const struct json *object);
/* A snapshot that borrows the cluster, as struct dashboard_planner_config wants it; context is the
 * objects. */
struct snapshot *dashboard_objects_look(void *context);

/* As struct dashboard_config wants them; context is the objects. */
extern const struct dashboard_document dashboard_objects_documents[];
uint64_t dashboard_objects_version(void *context);
