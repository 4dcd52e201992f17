/* Schedules of cron jobs, as robfig/cron reads them: five fields, or @hourly and its like. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"

/* What is wrong, in upstream's words; NULL when the schedule can be understood. */
const char *cron_schedule_problem(struct arena *arena, struct slice schedule);
