/* What berth config has found in files: mistakes and warnings with their places, in the order of
 * the files. */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

struct config_problems;

struct config_finding {
        struct err err;
        bool is_warning;
};
struct config_findings {
        size_t count, cap, mistake_count;
        struct config_finding *items;
};

void config_findings_release(struct config_findings *findings);
void config_findings_add(struct config_findings *findings, const struct err *err, bool is_warning);
/* All of them, with prefix (a path such as items[2], or "") in front of their paths. */
void config_findings_take(struct config_findings *findings, const struct config_problems *problems,
                          const char *prefix);
/* Puts those from index on, which are of one file, in the order in which they stand there. */
void config_findings_sort(struct config_findings *findings, size_t from);
/* "file:line:column: path: text", one a line; warnings say that they are. */
void config_findings_print(const struct config_findings *findings, struct buf *out);
/* A list of {file, line, column, path, severity, message}. */
struct json_node *config_findings_value(const struct config_findings *findings,
                                        struct json_tree *tree);
