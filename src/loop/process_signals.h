/* SIGTERM and SIGINT as loop events; SIGPIPE and SIGXFSZ ignored. */
#pragma once

#include "port/loop.h"

struct process_signals;

/* From now on both signals are blocked for this thread and those it starts, and received(context,
 * number) runs from the loop instead. Call before the first thread starts. */
int process_signals_new(struct loop *loop, void (*received)(void *context, int number),
                        void *context, struct process_signals **ret_signals, struct err *err);
/* Restores the signal mask; a signal that was not read yet then takes its default action. Before
 * the loop goes. Accepts NULL. */
void process_signals_free(struct process_signals *signals);
