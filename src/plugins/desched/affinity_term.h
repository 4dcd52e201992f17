/* Inter-pod terms as the descheduler reads them. */
#pragma once

#include "plugin/pod_kinds.h"

/* Whether the owner's term selects the other pod: in one of the term's namespaces, or the owner's
 * when it has none, with labels that match; an absent selector matches nothing. namespaceSelector
 * takes no part (upstream: the same). */
bool affinity_term_matches(const struct cluster *cluster, const struct pod_affinity_term *term,
                           struct str_id owner_ns, const struct pod_kind *other);
/* It selects pods of its owner's namespace only. */
bool affinity_term_stays_in(const struct cluster *cluster, const struct pod_affinity_term *term,
                            struct str_id owner_ns);
