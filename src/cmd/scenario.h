/* Scenarios: what happens to the embedded cluster over time, read from a document beside the
 * objects (apiVersion berth.dev/v1alpha1, kind Scenario).
 *
 * Steps run one after another.  Each waits (after, or until the cluster has settled), says a line,
 * then creates, patches or deletes objects. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "config/field_table.h"
#include "port/loop.h"
#include <stdbool.h>

struct sandbox_import;
struct sandbox;

#define SCENARIO_API_VERSION "berth.dev/v1alpha1"

struct scenario_change { /* of one object */
        struct slice api_version, kind, ns, name;
        const struct json *patch; /* merge patch; NULL for deletions */
};
struct scenario_count {                  /* pods to count */
        struct slice what, labels, node; /* words before the number; empty = any */
};
struct scenario_step {
        int64_t after_ns;                  /* since the previous step */
        bool when_settled;                 /* and nothing moves any more */
        struct slice say;                  /* printed for the user */
        const struct json *create;         /* array of objects */
        struct item_list patches, deletes; /* struct scenario_change */
        struct item_list counts;           /* struct scenario_count; before anything changes */
};
struct scenario {
        struct slice api_version, kind, name;
        struct item_list steps; /* struct scenario_step */
};

extern const struct field scenario_fields[];

/* Decodes; problems with positions go to the reader's list. */
bool scenario_decode(struct field_reader *reader, const struct json *object,
                     struct scenario *ret_scenario);

struct scenario_run;
struct scenario_events {
        void *context;
        bool (*is_settled)(void *context);
        void (*said)(void *context, struct slice text);
        /* Live pods with these labels on that node; an unusable selector is an error. */
        int (*count)(void *context, const struct scenario_count *count, size_t *ret_count,
                     struct err *err);
        void (*failed)(void *context, const struct err *err); /* the scenario ends */
};
/* Starts at once; scenario and import must outlive the run. */
struct scenario_run *scenario_run_new(const struct scenario *scenario, struct loop *loop,
                                      struct sandbox_import *import,
                                      const struct scenario_events *events);
void scenario_run_free(struct scenario_run *run); /* accepts NULL */
bool scenario_run_is_over(const struct scenario_run *run);
