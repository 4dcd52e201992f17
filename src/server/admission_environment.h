/* What expressions of admission see of one write: the objects, the request, its namespace, and who
 * may do what. */
#pragma once

#include "kinds/policy_case.h"
#include "server/webhook.h"

struct admission_environment {
        struct api_context *context;
        struct webhook_subject subject;
        struct json_tree *tree; /* NULL: nothing asked for it yet */
        const struct api_resource *params_resource;
        const struct store_object *params; /* NULL = none */
};
/* The version of the object that is looked at from now on (struct webhook_subject). */
void environment_set_version(struct admission_environment *environment,
                             const struct api_resource *matched);
/* For the expressions of a policy, or the conditions of a webhook (spec). False: there is nothing
 * that they could look at. */
bool environment_case(struct admission_environment *environment, const struct json *spec,
                      struct policy_case *ret_policy);
/* params of the expressions; NULL for none. */
void environment_set_params(struct admission_environment *environment,
                            const struct api_resource *resource, const struct store_object *params);
/* A policy has changed the object. */
void environment_set_object(struct admission_environment *environment,
                            const struct json_node *object);
void environment_release(struct admission_environment *environment);
