/* What the first versions of Kubernetes kept in annotations. Nothing reads it any more, but
 * kube-apiserver still refuses what does not decode. */
#pragma once

#include "kinds/check.h"

/* Taints and pods to avoid. */
void check_node_annotations(struct checker *checker, const struct json_node *node);
/* Tolerations; at is the place of the annotations, of a pod or a template. */
void check_toleration_annotation(struct checker *checker, const struct at *at,
                                 const struct json_node *annotations);
