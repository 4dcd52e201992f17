/* Small clusters written as tables, one policy, and who gets evicted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* JSON is written with single quotes for double ones. */
struct scene_node { /* ready, 4 CPUs, 3000 bytes, 10 pods */
        const char *name;
        const char *labels; /* members of metadata.labels */
        const char *spec;   /* members of spec */
        const char *status; /* members of status instead of the above */
};
struct scene_pod {               /* in namespace default, running, created 2 hours ago, 400m */
        const char *name, *node; /* node: NULL = n1; evicting slow... takes long */
        const char *owner;       /* NULL = ReplicaSet rs; "" = none; else KIND/NAME */
        const char *meta;        /* more members of metadata */
        const char *spec;        /* more members of spec */
        const char *status;      /* more members of status */
        const char *phase;       /* NULL = Running */
        const char *container;   /* members of the container instead of a request of 400m */
        const char *ns;          /* NULL = default */
        int age_s;               /* 0 = 7200 */
        int count;               /* so many, NAME-1, NAME-2 ...; 0 = one, NAME */
};
#define SCENE_NODES_MAX 6
#define SCENE_PODS_MAX 20
#define SCENE_OBJECTS_MAX 4

/* The arguments are berth's own. */
#define SCENE_NO_PARITY "-"
#define SCENE_FAILS "FAILS"

struct scene_case {
        const char *name;
        const char *args;                         /* of the rule; NULL = {} */
        const char *evictor;                      /* arguments of DefaultEvictor; NULL = {} */
        const char *policy;                       /* more members of the policy */
        struct scene_node nodes[SCENE_NODES_MAX]; /* none = n1 and n2 */
        struct scene_pod pods[SCENE_PODS_MAX];
        const char *objects[SCENE_OBJECTS_MAX]; /* whole objects with their kind */
        const char *usage; /* JSON array of NodeMetrics, PodMetrics, PrometheusSamples */
        bool is_dry_run;
        /* Names in order of eviction, with blanks between; delete:NAME where the object is deleted,
         * report:NAME where nothing is done.  #N: so many, whichever.  FAILS: the plugin does. */
        const char *expect;
        const char *parity; /* under parity; NULL = the same, SCENE_NO_PARITY = not run */
};
/* Runs each with one enabled plugin, once by default and once under parity. */
void scene_run(const char *rule, const struct scene_case *cases, size_t count);

struct scene_refusal {
        const char *name, *args;
        const char *problem; /* part of the message; NULL = accepted */
        const char *parity;  /* under parity: NULL = the same, "" = accepted */
};
/* Arguments that are refused or accepted. */
void scene_refuse(const char *rule, const struct scene_refusal *cases, size_t count);

/* The tests of one plugin, run as a program. */
struct scene_suite {
        const char *rule;
        const struct scene_case *cases;
        size_t case_count;
        const struct scene_refusal *refusals;
        size_t refusal_count;
};
int scene_main(const struct scene_suite *suite);
