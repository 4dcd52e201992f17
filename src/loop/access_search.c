/* Kubeconfig files by option and environment, or a pod's service account. */
#include "loop/access_search.h"

#include "client/kubeconfig.h"
#include <stdlib.h>

int access_search(const char *kubeconfig, const char *context, struct cluster_access *ret_access,
                  struct err *err) {
        struct err inside = { 0 };
        int code = kubeconfig_load(&(struct kubeconfig_source){ .path = kubeconfig,
                                                                .path_list = getenv("KUBECONFIG"),
                                                                .home = getenv("HOME"),
                                                                .context = context },
                                   ret_access, err);

        if (code != BERTH_ERR_NOT_FOUND || kubeconfig)
                return code;
        if (service_account_load(getenv("KUBERNETES_SERVICE_HOST"),
                                 getenv("KUBERNETES_SERVICE_PORT"), NULL, ret_access, &inside) == 0)
                return 0;
        return code; /* the kubeconfig's error says where one was looked for */
}
