/* Objects made from templates, as the operations of a workload want them. */
#pragma once

#include "sim/perf_run_priv.h"

struct perf_place { /* of an object among those one operation makes */
        int64_t index, count;
        const char *ns; /* NULL for objects without namespace */
        bool is_node;   /* without a template: a node rather than a pod */
};
/* From the template, or the default for no name. */
int perf_make(struct perf_run *run, struct slice template_name, const struct perf_place *place,
              struct json_tree **ret_tree, struct err *err);
int perf_create_node(struct perf_run *run, const struct json *operation,
                     const struct perf_place *place, struct err *err);
/* ret_pod may be NULL. */
int perf_create_pod(struct perf_run *run, const struct json *operation,
                    const struct perf_place *place, struct perf_pod **ret_pod, struct err *err);
bool perf_knows_kind(const struct json_node *object);
/* Makes it, or replaces the one of its name. */
int perf_put_any(struct perf_run *run, struct json_tree *tree, const char *ns, struct err *err);
int perf_delete_any(struct perf_run *run, struct slice kind, const char *ns, const char *name,
                    struct err *err);
