/* The event loop of the running program: epoll, monotonic timers, deferred calls. One thread. */
#pragma once

#include "port/loop.h"

struct event_loop;

int event_loop_new(struct event_loop **ret_loop, struct err *err);
/* Timers and descriptors still registered are forgotten; deferred calls never run. Accepts NULL. */
void event_loop_free(struct event_loop *loop);
/* The interface of the loop for all other code; valid as long as the event loop. */
struct loop *event_loop_as_loop(struct event_loop *loop);

/* Runs until loop_stop, at once when it was stopped before; may be called again afterwards. */
int event_loop_run(struct event_loop *loop, struct err *err);
/* One iteration: waits for descriptors, at most until the next timer is due and at most max_wait_ns
 * (0 = do not wait, < 0 = no limit), then runs what was deferred before, what descriptors ask for
 * and the timers that are due, in this order. Waits are in whole milliseconds, rounded up. */
int event_loop_run_once(struct event_loop *loop, int64_t max_wait_ns, struct err *err);
