/* Inter-pod terms as the descheduler reads them. */
#pragma once

#include "model/cluster.h"

/* Whether other is a pod the owner's term speaks of: in one of the term's namespaces, or the
 * owner's when it has none, with labels that match; an absent selector matches nothing.
 * namespaceSelector takes no part (upstream: the same). */
bool affinity_term_matches(const struct cluster *cluster, const struct pod_affinity_term *term,
                           const struct pod_row *owner, const struct pod_row *other);
