/* Nodes and pods of the model as JSON, and what changed of them since a generation. */
#pragma once

#include "base/buf.h"
#include "model/cluster.h"

/* An object: id, name, zone, labels, taints, ready, cordoned, pods, requested, allocatable. */
void node_row_write(const struct cluster *cluster, struct node_id node, struct buf *out);

/* A list in the order of these names. */
#define POD_COLUMNS                                                                                \
        "[\"id\",\"namespace\",\"name\",\"node\",\"state\",\"priority\",\"owner\",\"created\","    \
        "\"cpu\",\"memory\"]"
void pod_row_write(const struct cluster *cluster, struct pod_id pod, struct buf *out);

#define CHANGED_ROWS_MAX 20000 /* in one document; more are a new start */

/* Appends the members "nodes", "goneNodes", "loads", "pods" and "gonePods" of what changed after
 * the generation. False, and nothing is appended, when the change log does not reach back that far
 * or too much changed: the reader begins anew. */
bool changed_rows_write(const struct cluster *cluster, uint64_t since, struct buf *out);
