/* Policies of either sort over one write: each one that concerns it, with each binding that does,
 * with each object of parameters. */
#pragma once

#include "server/admission_environment.h"

struct policy_run;
struct policy_sort {
        const struct api_resource *policies, *bindings;
        /* One policy with one binding and one object of parameters, or none. */
        void (*evaluate)(struct policy_run *run);
        /* A policy (binding NULL) or binding that cannot be used, and that is no reason to go on.
         */
        void (*misfit)(struct policy_run *run, const char *why);
};
struct policy_run {
        struct api_context *context;
        const struct webhook_subject *subject;
        const struct policy_sort *sort;
        void *state; /* of the sort */
        bool is_over;
        struct admission_environment environment;
        /* Of the policy that is looked at. */
        const char *policy;
        const struct json *spec;
        const struct api_resource *params, *matched; /* kind of parameters; see webhook_subject */
        const char *binding;
        const struct json *binding_spec;
        const char *param; /* namespace/name; "" = none */
};
/* Most clusters have none. */
bool policies_exist(const struct api_engine *engine, const struct api_resource *policies,
                    const struct api_resource *bindings);
void policies_dispatch(struct policy_run *run);
/* How a refusal calls the object: by the name if it has one, else by what a name would be made of.
 */
struct slice policy_refused_name(const struct webhook_subject *subject, struct slice name);
