/* A loop whose time stands still until it is told to pass, for tests and simulated time. */
#pragma once

#include "port/loop.h"

#define VIRTUAL_START_NS (1767225600LL * NS_PER_S) /* 2026-01-01T00:00:00Z */

struct virtual_loop;

struct virtual_loop *virtual_loop_new(void);
void virtual_loop_free(struct virtual_loop *loop); /* runs what is still deferred */
struct loop *virtual_loop_get(struct virtual_loop *loop);
/* Runs deferred calls until none is left. */
void virtual_loop_run(struct virtual_loop *loop);
/* Lets time pass; timers fire in order, each at its own time. */
void virtual_loop_advance(struct virtual_loop *loop, int64_t ns);
