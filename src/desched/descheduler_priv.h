/* What the files of the descheduler share. */
#pragma once

#include "desched/desched_profile.h"
#include "desched/descheduler.h"

struct descheduler {
        struct descheduler_config config;
        struct arena arena; /* lives as long as the descheduler */
        size_t profile_count;
        struct desched_profile **profiles;
        struct evict_limits limits;
        struct placement_predictor predictor; /* place NULL = none */
        struct return_memory *returns;        /* NULL = none */
        struct move_budget *move_budget;      /* likewise */
        bool has_grace, notes_failures;
        int64_t grace_s;
        struct desched_observer observer;
        struct arena pass, scratch;
        struct desched_rule_report *rules; /* room for every enabled plugin */
        struct desched_report report;
};
