/* Why a pod is where it is, as a document of the page: an explanation whose nodes come in parts,
 * the best ones first, and why the others refuse the pod, counted. */
#pragma once

#include "api/json.h"

#define POD_NODES_SHOWN 50    /* nodes of a document, unless the query says otherwise */
#define POD_NODES_MAX 1000000 /* nobody has more: all of them */
#define POD_GROUPS_MAX 100    /* reasons that are counted; the rarest ones are left out */

/* Parameters of the query: from, count; find (part of a node's name); fits (true, false); reason
 * ("Plugin: reason, reason", as a group has it).  Leaves the asked-for nodes in the explanation,
 * which is a value of ask/explanation.h and of this tree, and appends the members "fitting",
 * "refused", "groups", "found", "from" and "explanation". */
void pod_document_write(struct json_tree *tree, struct json_node *explanation, struct slice query,
                        struct buf *out);
