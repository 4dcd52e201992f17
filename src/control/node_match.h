/* Whether a pod may be on a node, as far as selectors and taints go. */
#pragma once

#include "api/object.h"

/* nodeSelector and required node affinity. */
bool node_selected_by(const struct pod_spec *spec, const struct node *node);
bool taint_is_tolerated(const struct pod_spec *spec, const struct taint *taint);
/* Seconds for which the toleration of a taint lasts: -1 = without end, 0 = not tolerated. */
int64_t taint_patience_s(const struct pod_spec *spec, const struct taint *taint);
