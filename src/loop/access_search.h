/* Where a program finds the cluster it is to work on. */
#pragma once

#include "base/err.h"
#include "client/cluster_access.h"

/* The kubeconfig named, else $KUBECONFIG, else ~/.kube/config, else the service account of the pod
 * this process runs in. */
int access_search(const char *kubeconfig, const char *context, struct cluster_access *ret_access,
                  struct err *err);
