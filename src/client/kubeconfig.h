/* Access to a cluster from kubeconfig files, or from the service account mounted into a pod. No
 * environment variable is read here: their values are arguments. */
#pragma once

#include "base/err.h"
#include "client/cluster_access.h"

#define KUBECONFIG_FILES_MAX 32
#define SERVICE_ACCOUNT_DIRECTORY "/var/run/secrets/kubernetes.io/serviceaccount"

struct kubeconfig_source {
        const char *path;      /* of --kubeconfig: this file only, and it must exist */
        const char *path_list; /* of KUBECONFIG: colon-separated; missing files are skipped, the
                                  first that names something wins */
        const char *home;      /* of HOME: .kube/config below it when neither is given */
        const char *context;   /* instead of current-context */
};

/* Relative paths in a file are relative to it. Files of certificates and tokens must be there, and
 * are read when they are needed. Errors: NOT_FOUND when there is no file or no such context,
 * cluster or user; INVALID and BAD_REQUEST with file and position. */
int kubeconfig_load(const struct kubeconfig_source *source, struct cluster_access *ret_access,
                    struct err *err);

/* host and port of KUBERNETES_SERVICE_HOST and _PORT; directory NULL = SERVICE_ACCOUNT_DIRECTORY.
 * NOT_FOUND when this is no pod with a service account. */
int service_account_load(const char *host, const char *port, const char *directory,
                         struct cluster_access *ret_access, struct err *err);
