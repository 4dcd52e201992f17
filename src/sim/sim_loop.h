/* Virtual time: the loop of simulated processes.  Nothing waits; time jumps to whatever is due
 * next, and the wall clock can be set while the monotonic one runs on. */
#pragma once

#include "port/loop.h"

#define SIM_START_NS (1767225600LL * NS_PER_S) /* 2026-01-01T00:00:00Z */

struct sim_loop;

struct sim_loop *sim_loop_new(void);
/* Runs what is still deferred, as owners count on it. */
void sim_loop_free(struct sim_loop *loop); /* accepts NULL */
struct loop *sim_loop_get(struct sim_loop *loop);
/* One deferred call, else the next timer due until the limit.  false: nothing is left until then,
 * and it is that time now. */
bool sim_loop_step(struct sim_loop *loop, struct mono_time limit);
/* Moves the wall clock only. */
void sim_loop_set_back(struct sim_loop *loop, int64_t ns);
