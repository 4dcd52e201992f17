/* Rules of RBAC: which ones hold for a user, what one allows, and whether one covers another. */
#pragma once

#include "server/api_context.h"

#define RBAC_MISSING_MAX 16

/* A walk over the rules that hold for a user: those of cluster-wide bindings, then those of the
 * bindings of one namespace. */
struct rbac_walk {
        struct api_engine *engine;
        struct slice user;
        const struct slice *groups;
        size_t group_count;
        struct slice ns; /* empty: cluster-wide bindings only */
        /* False = enough. */
        bool (*visit)(struct rbac_walk *walk, const struct json *rule);
        void *context;
        /* During a visit: where the rule comes from. */
        const struct json *binding, *subject;
        bool is_cluster_wide;
        /* Roles that bindings name and that are not there. */
        const char *missing[RBAC_MISSING_MAX];
        size_t missing_count;
};
void rbac_walk_run(struct rbac_walk *walk);
/* "RBAC: " and the roles that were not found, in the request's memory; "" = none. */
const char *rbac_walk_problem(const struct rbac_walk *walk);
/* "RBAC: allowed by ClusterRoleBinding ...", during a visit. */
const char *rbac_walk_source(const struct rbac_walk *walk);

bool rbac_rule_allows(const struct json *rule, const struct access_question *question);

/* One verb on one thing, as it stands in a rule: "*" is a thing of its own. */
struct rbac_right {
        struct slice verb, group, resource; /* resource/subresource */
        struct slice name;
        bool has_name;
        struct slice path; /* set: the right is one to a path, and to nothing else */
};
bool rbac_rule_covers(const struct json *rule, const struct rbac_right *right);
