/* Time of the virtual API, and how objects come to the scheduler: what it does with them is
 * measured. */
#pragma once

#include "sim/perf_world.h"

/* Around what is measured. */
int64_t perf_world_start(const struct perf_world *world);
void perf_world_stop(struct perf_world *world, int64_t started);
struct mono_time perf_world_mono(const struct perf_world *world);
struct wall_time perf_world_wall(const struct perf_world *world);

/* Objects come or are replaced; the tree keeps them. */
int perf_world_put_node(struct perf_world *world, const struct json_node *node, struct err *err);
int perf_world_put_namespace(struct perf_world *world, const struct json_node *object,
                             struct err *err);
int perf_world_put_object(struct perf_world *world, enum cached_kind kind,
                          const struct json_node *object, struct err *err);
/* The same for what the scheduler has to look at again then (CLUSTER_*), measured. */
void perf_world_notice(struct perf_world *world, enum cached_kind kind, const struct json *object,
                       uint32_t mask);
void perf_world_forget(struct perf_world *world, enum cached_kind kind, struct slice ns,
                       struct slice name, uint32_t mask);
void perf_world_remove_node(struct perf_world *world, struct slice name);
