/* What pods ask for and what they are limited to, pod by pod: kube-scheduler's page
 * /metrics/resources. */
#pragma once

#include "base/buf.h"

struct cluster;

/* Prometheus' text format. Finished pods have no lines. */
void pod_resources_write(const struct cluster *cluster, struct buf *out);
