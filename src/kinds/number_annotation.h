/* Numbers that kube-apiserver's own types have a member for and clients an annotation: the spec
 * keeps them, so that a write of the status changes none, and only whole objects show them. */
#pragma once

#include "api/json.h"
#include "base/err.h"

#define TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

#define ROLLBACK_REVISION "deprecated.deployment.rollback.to"

struct number_annotation {
        const char *key;
        bool is_optional; /* "" is none; others are 0 where there is none */
        bool is_named;    /* complaints say which one it is */
};

extern const struct number_annotation template_generation; /* of daemonsets */
extern const struct number_annotation rollback_revision;   /* of deployments */

/* What a client wrote, as it is shown: without leading zeroes. Fails with what upstream says of it
 * when it is no number. */
int number_annotation_convert(const struct number_annotation *number, struct json_tree *tree,
                              struct json_node *object, struct err *err);
/* Puts back what the stored object has. */
void number_annotation_keep(const struct number_annotation *number, struct json_tree *tree,
                            struct json_node *object, const struct json *old);
