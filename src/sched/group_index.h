/* Which pods are members of which group, so that finding them needs no scan of all pods. */
#pragma once

#include "model/cluster.h"
#include <stddef.h>

struct group_index;
struct group_index *group_index_new(void);
void group_index_free(struct group_index *index); /* accepts NULL */
/* A pod came, changed or went: brings the lists in line with its row. */
void group_index_note(struct group_index *index, const struct cluster *cluster, struct pod_id pod);
/* Pods that may be members of a group: all of its members, in no order, rarely one of another
 * group, which the caller has to skip. The list is valid until the next note. */
size_t group_index_find(const struct group_index *index, struct slice ns, struct slice name,
                        const struct pod_id **ret_pods);
size_t group_index_count(const struct group_index *index); /* lists that are not empty */
