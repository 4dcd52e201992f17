/* What the files of the runner share. */
#pragma once

#include "plugin/sched_attempt.h"

/* Before a what-if: later changes of the plugins' states go to a copy until attempt_restore. */
struct attempt_plugin *attempt_save(struct sched_attempt *attempt);
void attempt_restore(struct sched_attempt *attempt, struct attempt_plugin *saved);
/* Runs PreFilter again for plugins that count pods, after pods came or went in a what-if. */
void attempt_recount(struct sched_attempt *attempt);
