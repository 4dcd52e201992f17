/* What the command lines of programs berth stands in for have in common. */
#pragma once

/* The releases they stand for. */
#define KUBERNETES_VERSION "v1.36.0"
#define DESCHEDULER_VERSION "v0.36.0"

#include "cmd/option_table.h"

extern const struct command stand_in_kube_scheduler, stand_in_descheduler;

/* Help of options that have no effect. */
#define NO_EFFECT_HELP "taken for compatibility, without effect"
#define DEPRECATED_HELP "deprecated upstream, without effect"

/* serving_option_table and what upstream's programs have besides. */
extern const struct option stand_in_serving_option_table[];
extern const struct option stand_in_lock_option_table[]; /* the only kind of lock there is */
extern const struct option stand_in_log_option_table[];  /* of an int64_t, the verbosity */

/* Kubernetes' -v 0 and 1 are our level info; from 4 on everything is logged. */
int64_t stand_in_verbosity(int64_t level);
