/* A small event loop over poll(2) for test programs that need descriptors and real time. */
#pragma once

#include "port/loop.h"

struct poll_loop;
struct poll_loop *poll_loop_new(void);
void poll_loop_free(struct poll_loop *loop);
struct loop *poll_loop_get(struct poll_loop *loop);
void poll_loop_run(struct poll_loop *loop); /* until loop_stop */
