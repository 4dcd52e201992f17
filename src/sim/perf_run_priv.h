/* What the files of a running workload share. */
#pragma once

#include "sim/perf_run.h"
#include "sim/perf_world.h"

struct perf_run;

/* Work that goes on beside the operations: objects made, changed or deleted at a rate. */
struct perf_activity {
        int64_t next_ns, interval_ns;
        int64_t done, count; /* count < 0: until the end */
        int (*act)(struct perf_run *run, struct perf_activity *activity, struct err *err);
        char *ns; /* owned */
        size_t template_count;
        struct perf_template **templates; /* the array is its own */
        char **made; /* where objects come and go alternately: names of those there are, or NULL */
        struct perf_pod **pods; /* to be deleted, in order */
};

struct perf_collecting { /* while metrics are collected */
        bool is_on;
        char *ns; /* in place of namespaces; owned */
        const struct json *namespaces, *selector;
        int64_t busy_before;
        int64_t placed_before;
};

struct perf_run {
        const struct perf_suite *suite;
        const struct perf_workload *workload;
        const struct perf_env *env;
        struct perf_world world;
        struct perf_result *result;
        size_t operation; /* index of the current one */
        size_t template_count;
        struct perf_template **templates;
        size_t activity_count;
        struct perf_activity **activities;
        struct perf_collecting collecting;
        int64_t made_count; /* for names */
        char **nodes;       /* their names, as they were made */
        size_t node_count;
};

/* A template by the name written in the file, opened once. */
int perf_run_template(struct perf_run *run, struct slice name, struct perf_template **ret_template,
                      struct err *err);
/* Gives the object a name where it has but generateName, and a namespace where ns is given. */
void perf_run_name(struct perf_run *run, struct json_tree *tree, const char *ns);

/* ---- waiting (perf_wait.c) ---- */
/* ns NULL: in all of the namespaces (NULL: everywhere).  selector: labels by name, NULL = any. */
struct perf_scope {
        const char *ns;
        const struct json *namespaces, *selector;
};
int64_t perf_count_placed(const struct perf_run *run, const struct perf_scope *scope);
bool perf_pod_is_in(const struct perf_pod *pod, const struct perf_scope *scope);
enum perf_stage { PERF_SCHEDULED, PERF_ATTEMPTED };
/* Lets time pass until all pods made by createPods in the scope are that far. */
int perf_wait_pods(struct perf_run *run, const struct perf_scope *scope, enum perf_stage stage,
                   struct err *err);
int perf_wait_activity(struct perf_run *run, const struct perf_activity *activity, struct err *err);
/* One round: what is due, then the scheduler; when neither works time goes on, at most to until.
 * False in ret_goes_on: nothing will ever happen again. */
int perf_wait_round(struct perf_run *run, int64_t until, bool *ret_goes_on, struct err *err);
int perf_pass(struct perf_run *run, int64_t duration_ns, struct err *err);

/* ---- operations (perf_operations.c) ---- */
/* Adds the names of operations that are not understood. */
int perf_list_unsupported(struct perf_run *run, struct buf *out, struct err *err);
int perf_operate(struct perf_run *run, const struct json *operation, struct err *err);
