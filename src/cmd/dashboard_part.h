/* The live page as a part of a process that follows a cluster. */
#pragma once

#include "base/err.h"
#include "cmd/option_table.h"

struct dashboard;
struct runtime;
struct sched_profile_list;

struct dashboard_options {
        bool is_on;
        const char *listen, *hosts;
};
/* --dashboard and what goes with it; of struct dashboard_options. */
extern const struct option dashboard_option_table[];

/* What the page can do without (runtime_config.spare_kinds): it shows nodes and pods, the rest is
 * for explanations. */
uint32_t dashboard_part_spare_kinds(void);

struct dashboard_part_config {
        const struct dashboard_options *options;
        const char *source; /* what is shown, for people */
        /* By which pods are explained, over the runtime's cluster; must outlive the runtime. NULL:
         * those of a KubeSchedulerConfiguration, or the default one. */
        const struct sched_profile_list *profiles;
        bool is_parity;
        const char *config_path; /* NULL = none */
};
/* Joins the runtime as a role, which only watches, and prints the address on standard output. It
 * ends with the runtime. */
int dashboard_part_add(const struct dashboard_part_config *config, struct runtime *runtime,
                       struct err *err);
void dashboard_part_say(const struct dashboard *dashboard);
