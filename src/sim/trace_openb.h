/* The openb trace (alibaba/clusterdata, cluster-trace-gpu-v2023): nodes and pods of a production
 * GPU cluster as CSV, turned into Kubernetes objects.
 *
 * Nodes: sn,cpu_milli,memory_mib,gpu,model.  Pods: name,cpu_milli,memory_mib,num_gpu,gpu_milli,
 * gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time (columns found by name, extra
 * ones ignored).  A node's GPUs become the extended resource trace.berth.dev/gpu-milli, 1,000 per
 * GPU, and its model the label trace.berth.dev/gpu-model; a pod asks for num_gpu * gpu_milli, and
 * its gpu_spec ("A|B") becomes a required node affinity to those models. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#define TRACE_GPU_RESOURCE "trace.berth.dev/gpu-milli"
#define TRACE_GPU_LABEL "trace.berth.dev/gpu-model"
#define TRACE_ROWS_MAX 10000000u
#define TRACE_NODE_PODS_MAX 250 /* pods a node of the trace takes */

enum trace_table { TRACE_NODES, TRACE_PODS };

/* Calls visit with each object as JSON, in the order of the file; object is valid during the call.
 * A broken row ends it with BERTH_ERR_INVALID naming file, line and column name; nothing was
 * visited then, as all rows are checked first. */
int trace_openb_read(enum trace_table table, struct slice text, const char *file,
                     int (*visit)(void *context, struct slice name, struct slice object,
                                  struct err *err),
                     void *context, struct err *err);
