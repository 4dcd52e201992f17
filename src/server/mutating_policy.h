/* MutatingAdmissionPolicies: what they make of the object of one write, before webhooks see it. */
#pragma once

#include "base/text_set.h"
#include "server/webhook.h"

/* What is changed, in place. */
struct mutation_target {
        struct json_tree *tree;
        struct json_node *object;
        const struct schema_object *schema, *owned_type; /* as a resource has them */
        void (*apply_defaults)(struct json_tree *tree, struct json_node *object);
        unsigned minor;
        bool is_unborn, has_made_name; /* it is created; under a name that the server has made */
};
/* Of both rounds. In the second one those that want it are asked again, as soon as one of them has
 * changed something in the first. */
struct mutation_rounds {
        bool is_second, is_changed;
        struct text_set again; /* which; release it */
};
void mutation_rounds_release(struct mutation_rounds *rounds);
bool has_mutating_policies(const struct api_context *context);
/* 0, or API_FAILED for a refusal. */
int policies_mutate(struct api_context *context, const struct webhook_subject *subject,
                    struct mutation_target *target, struct mutation_rounds *rounds);
