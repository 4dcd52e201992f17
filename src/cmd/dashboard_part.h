/* The live page as a part of a process that follows a cluster. */
#pragma once

#include "base/err.h"
#include "cmd/option_table.h"

struct dashboard;
struct runtime;
struct role_config;

struct dashboard_options {
        bool is_on;
        const char *listen, *hosts;
};
/* --dashboard and what goes with it; of struct dashboard_options. */
extern const struct option dashboard_option_table[];

/* What it needs of the model of its process, besides what others need. */
struct daemon_options;
void dashboard_part_need(const struct dashboard_options *options, struct daemon_options *daemon);
/* What the page can do without (runtime_config.spare_kinds): it shows nodes and pods, the rest is
 * for explanations. */
uint32_t dashboard_part_spare_kinds(void);

struct dashboard_part_config {
        const struct dashboard_options *options;
        const char *source; /* what is shown, for people */
        /* By whose profiles, over the runtime's cluster, pods are explained, and whose policy a
         * plan begins with; must outlive the runtime. NULL: those of a KubeSchedulerConfiguration,
         * or the default one. */
        const struct role_config *config;
        const char *config_path; /* NULL = none */
};
/* Joins the runtime as a role, which only watches, and prints the address on standard output. It
 * ends with the runtime. */
int dashboard_part_add(const struct dashboard_part_config *config, struct runtime *runtime,
                       struct err *err);
void dashboard_part_say(const struct dashboard *dashboard);
