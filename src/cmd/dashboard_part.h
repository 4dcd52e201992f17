/* The live page as a part of a process that follows a cluster. */
#pragma once

#include "base/err.h"
#include "cmd/option_table.h"

struct dashboard;
struct runtime;

struct dashboard_options {
        bool is_on;
        const char *listen, *hosts;
};
/* --dashboard and what goes with it; of struct dashboard_options. */
extern const struct option dashboard_option_table[];

/* What the page reads of the cluster, bits 1u << OBJECT_*. */
uint32_t dashboard_part_kinds(void);
/* Joins the runtime as a role, which only watches, and prints the address on standard output. It
 * ends with the runtime. source: what is shown, for people. */
int dashboard_part_add(const struct dashboard_options *options, struct runtime *runtime,
                       const char *source, struct err *err);
void dashboard_part_say(const struct dashboard *dashboard);
