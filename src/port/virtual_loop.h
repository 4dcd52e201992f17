/* Virtual time: the loop of simulations and tests.  It stands still until it is stepped; nothing
 * waits, time jumps to whatever is due next, and the wall clock can be set while the monotonic one
 * runs on. */
#pragma once

#include "port/loop.h"

#define VIRTUAL_START_NS (1767225600LL * NS_PER_S) /* 2026-01-01T00:00:00Z */

struct virtual_loop;

struct virtual_loop *virtual_loop_new(void);
/* Runs what is still deferred, as owners count on it. */
void virtual_loop_free(struct virtual_loop *loop); /* accepts NULL */
struct loop *virtual_loop_get(struct virtual_loop *loop);
/* One deferred call, else the next timer due until the limit.  false: nothing is left until then,
 * and it is that time now. */
bool virtual_loop_step(struct virtual_loop *loop, struct mono_time limit);
/* Deferred calls until none is left; no timer fires. */
void virtual_loop_run(struct virtual_loop *loop);
/* So much time passes unnoticed, as for a process that was stopped; timers fire later. */
void virtual_loop_sleep(struct virtual_loop *loop, int64_t ns);
/* Steps through so much time. */
void virtual_loop_advance(struct virtual_loop *loop, int64_t ns);
size_t virtual_loop_timers(const struct virtual_loop *loop); /* armed */
/* Moves the wall clock only. */
void virtual_loop_set_back(struct virtual_loop *loop, int64_t ns);
