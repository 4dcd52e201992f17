/* Small clusters written as tables, one plugin of the scheduler, and what it says of each node. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* JSON is written with single quotes for double ones; "members" are members of a JSON object. */
struct plugin_node { /* 4 CPUs, 8Gi, 10 pods */
        const char *name;
        const char *labels; /* members of metadata.labels; kubernetes.io/hostname is there */
        const char *spec;   /* members of spec */
        const char *status; /* members of status instead of the above */
};
struct plugin_pod { /* in namespace default, without requests */
        const char *name;
        const char *node;      /* where it runs; NULL = n1 */
        const char *labels;    /* members of metadata.labels */
        const char *spec;      /* members of spec */
        const char *container; /* members of its container */
        const char *ns;        /* NULL = default */
        const char *status;    /* members of status, beside the phase */
        const char *meta;      /* members of metadata */
};
#define PLUGIN_NODES_MAX 6
#define PLUGIN_PODS_MAX 8
#define PLUGIN_OBJECTS_MAX 8

struct plugin_case {
        const char *name;
        const char *args;                           /* members of the plugin's arguments */
        const char *beside;                         /* one or two other plugins of the profile */
        struct plugin_node nodes[PLUGIN_NODES_MAX]; /* none = n1 and n2 */
        struct plugin_pod pods[PLUGIN_PODS_MAX];    /* that run */
        struct plugin_pod pod;                      /* the one to be placed; node: spec.nodeName */
        const char *objects[PLUGIN_OBJECTS_MAX];    /* whole objects with their kind: namespaces,
                                                       and what the object cache holds */
        uint32_t gates;                             /* enum feature_gate */
        bool is_parity;
        /* What is expected; NULL = not looked at.  PreEnqueue or PreFilter refuse the pod with a
         * reason; nodes that Filter leaves, with blanks between; the reason for the first node it
         * refuses. */
        const char *refused, *fits, *why;
        /* Points of the profile at which the plugin takes part: "preEnqueue permit". */
        const char *points;
        /* The cache hint of that name, of the plugin's filter: "5". */
        const char *variant;
        /* PostFilter, where no node fits: the node and who has to go, "n1: a b", or why nobody. */
        const char *preempts;
        /* Of the group default/g, which is the object of that name: the sets of nodes it may use,
         * "a: n1 n2, b: n3" or why there is no saying; its members that run are the pods of
         * .members, names with blanks between. */
        const char *members, *placements;
        /* What each of these sets is worth, with so many waiting members as there are nodes in it:
         * raw, and normalised. */
        const char *placement_raw, *placement_scores;
        /* Scores of the nodes that fit as the plugin gives them and when they are normalised: "n1=3
         * n2=0"; "skip" where it has nothing to say. */
        const char *raw, *scores;
};
/* Runs each in a profile of this plugin alone, and compares filter with explain. */
void plugin_cases_run(const char *plugin, const struct plugin_case *cases, size_t count);

struct plugin_refusal {
        const char *name, *args; /* members of the arguments */
        const char *problem;     /* part of the message; NULL = accepted */
};
/* Arguments that are refused or accepted. */
void plugin_refusals_run(const char *plugin, const struct plugin_refusal *cases, size_t count);

/* The tests of one plugin, run as a program. */
struct plugin_suite {
        const char *plugin;
        const struct plugin_case *cases;
        size_t case_count;
        const struct plugin_refusal *refusals;
        size_t refusal_count;
};
int plugin_suite_main(const struct plugin_suite *suite);
