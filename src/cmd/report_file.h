/* What all reports say of where they come from, and how they get into a file. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/time.h"
#include "show/report.h"

struct snapshot_options;

#define REPORT_FACTS_MAX 10

struct report_facts {
        struct arena *arena;
        size_t count;
        struct report_fact items[REPORT_FACTS_MAX];
};

/* Begins with the time and the program's version. */
void report_facts_init(struct report_facts *facts, struct arena *arena, struct wall_time now);
void report_facts_add(struct report_facts *facts, const char *label, struct slice value);
/* The API server and the context of a live cluster. */
void report_facts_add_cluster(struct report_facts *facts, const char *kubeconfig,
                              const char *context);
/* Where a snapshot, the policy and the scheduler's configuration come from. */
void report_facts_add_snapshot(struct report_facts *facts, const struct snapshot_options *options);

/* Writes beside the path and renames, so that no half report is ever seen. */
int report_file_write(const char *path, const struct buf *text, struct err *err);
/* report.html, report.HTM */
bool report_file_is_page(const char *path);
