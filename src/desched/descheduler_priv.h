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
        struct device_judge device_judge;     /* narrow NULL = none */
        struct return_memory *returns;        /* NULL = none */
        struct move_budget *move_budget;      /* likewise */
        bool has_grace, notes_failures;
        int64_t grace_s;
        struct desched_observer observer;
        struct arena pass, scratch;
        struct arena report_texts;         /* texts of the report */
        struct desched_rule_report *rules; /* room for every enabled plugin */
        struct desched_report report;
};

/* What the run noted of the rule that just ended; texts go to the arena. */
void desched_report_why(const struct desched_run *run, struct arena *arena,
                        struct desched_rule_report *rule);
