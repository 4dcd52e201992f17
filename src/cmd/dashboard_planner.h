/* What would be, for the live page: the answer of berth plan on the model that the page shows. */
#pragma once

#include "base/slice.h"
#include "port/loop.h"

struct dashboard_answer;
struct dashboard_planner;
struct role_config;
struct snapshot;

struct dashboard_planner_config {
        struct loop *loop;
        /* The cluster, and what else of it plans read; called for each question, and only then
         * valid. */
        struct snapshot *(*look)(void *context);
        void *context;
        /* What holds where a question says nothing: how the process schedules, and its policy; its
         * policy may be NULL. */
        const struct role_config *own;
        const char *source; /* what is shown, for reports; must stay */
};

/* What config refers to must outlive it. */
struct dashboard_planner *dashboard_planner_new(const struct dashboard_planner_config *config);
void dashboard_planner_free(struct dashboard_planner *planner); /* accepts NULL */
/* As struct dashboard_config wants it; context is the planner. */
void dashboard_planner_answer(void *context, struct slice question, struct slice as,
                              struct dashboard_answer *answer);
