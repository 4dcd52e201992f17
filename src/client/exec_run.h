/* A credential plugin that runs beside the loop: its output is read and its end looked for as they
 * come, so that a plugin that hangs holds up nothing but the requests that need its token. */
#pragma once

#include "base/err.h"
#include "port/loop.h"

struct exec_answer;
struct exec_plugin;
struct exec_run;

/* plugin stays the caller's until done ran or the run was cancelled. done runs once, from the loop,
 * never from inside this call, at the latest after EXEC_TIMEOUT_MS; code is 0 or a BERTH_ERR_*,
 * what it takes out of the answer is its own. The process and those it started are killed then.
 * Fails when there are no descriptors left. */
int exec_run_start(const struct exec_plugin *plugin, struct loop *loop,
                   void (*done)(void *context, int code, struct exec_answer *answer,
                                const struct err *err),
                   void *context, struct exec_run **ret_run, struct err *err);
/* Kills it; done does not run. Accepts NULL. */
void exec_run_cancel(struct exec_run *run);
