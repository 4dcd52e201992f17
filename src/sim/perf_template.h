/* Objects of scheduler_perf's template files: YAML in which "{{ .Index }}" and a few functions
 * stand for numbers. */
#pragma once

#include "api/json.h"

/* Where files come from; reading them is the caller's. */
struct perf_files {
        int (*read)(void *context, const char *path, struct buf *ret_text, struct err *err);
        void *context;
};

struct perf_template;
int perf_template_open(const struct perf_files *files, const char *path,
                       struct perf_template **ret_template, struct err *err);
void perf_template_free(struct perf_template *template); /* accepts NULL */
const char *perf_template_path(const struct perf_template *template);
/* The object for the index-th of count, as a tree of its own to be changed and freed.  Errors name
 * the file. */
int perf_template_make(struct perf_template *template, int64_t index, int64_t count,
                       struct json_tree **ret_tree, struct err *err);
