/* Objects that every cluster has before anybody creates one. */
#include "base/util.h"
#include "kinds/kind.h"

#define NAMESPACES "/api/v1/namespaces"
#define PRIORITY_CLASSES "/apis/scheduling.k8s.io/v1/priorityclasses"
#define CLUSTER_ROLES "/apis/rbac.authorization.k8s.io/v1/clusterroles"
#define CLUSTER_ROLE_BINDINGS "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"

/* The user of the scheduler has this ClusterRole. */
#define SCHEDULER_BINDING(role)                                                                    \
        {                                                                                          \
                CLUSTER_ROLE_BINDINGS, "{\"metadata\":{\"name\":\"" role "\",\"labels\":{"         \
                                       "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},"      \
                                       "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\","  \
                                       "\"kind\":\"ClusterRole\",\"name\":\"" role "\"},"          \
                                       "\"subjects\":[{\"kind\":\"User\","                         \
                                       "\"apiGroup\":\"rbac.authorization.k8s.io\","               \
                                       "\"name\":\"system:kube-scheduler\"}]}"                     \
        }

static const struct bootstrap_object objects[] = {
        { NAMESPACES, "{\"metadata\":{\"name\":\"default\"}}" },
        { NAMESPACES, "{\"metadata\":{\"name\":\"kube-system\"}}" },
        { NAMESPACES, "{\"metadata\":{\"name\":\"kube-public\"}}" },
        { NAMESPACES, "{\"metadata\":{\"name\":\"kube-node-lease\"}}" },
        { PRIORITY_CLASSES,
          "{\"metadata\":{\"name\":\"system-node-critical\"},\"value\":2000001000,"
          "\"description\":\"For pods that a node cannot run without.\"}" },
        { PRIORITY_CLASSES,
          "{\"metadata\":{\"name\":\"system-cluster-critical\"},\"value\":2000000000,"
          "\"description\":\"For pods that the cluster cannot run without.\"}" },
        { CLUSTER_ROLES, "{\"metadata\":{\"name\":\"cluster-admin\",\"labels\":{"
                         "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},\"rules\":["
                         "{\"apiGroups\":[\"*\"],\"resources\":[\"*\"],\"verbs\":[\"*\"]},"
                         "{\"nonResourceURLs\":[\"*\"],\"verbs\":[\"*\"]}]}" },
        { CLUSTER_ROLE_BINDINGS,
          "{\"metadata\":{\"name\":\"cluster-admin\",\"labels\":{"
          "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},"
          "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\","
          "\"name\":\"cluster-admin\"},\"subjects\":[{\"kind\":\"Group\","
          "\"apiGroup\":\"rbac.authorization.k8s.io\",\"name\":\"system:masters\"}]}" },
        SCHEDULER_BINDING("system:kube-scheduler"),
        SCHEDULER_BINDING("system:volume-scheduler"),
        { "/api/v1/namespaces/default/services",
          "{\"metadata\":{\"name\":\"kubernetes\",\"labels\":{\"component\":\"apiserver\","
          "\"provider\":\"kubernetes\"}},\"spec\":{\"clusterIP\":\"10.96.0.1\",\"ports\":["
          "{\"name\":\"https\",\"port\":443,\"targetPort\":6443}]}}" },
};

const struct bootstrap_object *kinds_bootstrap_objects(size_t *ret_count) {
        *ret_count = ARRAY_LEN(objects);
        return objects;
}
