/* Objects that every cluster has from its start. */
#include "base/util.h"
#include "kinds/kind.h"

#define NAMESPACES "/api/v1/namespaces"
#define PRIORITY_CLASSES "/apis/scheduling.k8s.io/v1/priorityclasses"
#define CLUSTER_ROLES "/apis/rbac.authorization.k8s.io/v1/clusterroles"
#define CLUSTER_ROLE_BINDINGS "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"

#define KUBE_SYSTEM "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/"
#define SUBJECT(kind, name)                                                                        \
        "{\"kind\":\"" kind "\",\"apiGroup\":\"rbac.authorization.k8s.io\",\"name\":\"" name "\"}"
/* Binds the ClusterRole of the same name. */
#define BINDING(role, subjects)                                                                    \
        {                                                                                          \
                CLUSTER_ROLE_BINDINGS, "{\"metadata\":{\"name\":\"" role "\",\"labels\":{"         \
                                       "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},"      \
                                       "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\","  \
                                       "\"kind\":\"ClusterRole\",\"name\":\"" role "\"},"          \
                                       "\"subjects\":[" subjects "]}"                              \
        }
#define SCHEDULER_BINDING(role) BINDING(role, SUBJECT("User", "system:kube-scheduler"))
#define PATHS_ROLE(name, paths)                                                                    \
        {                                                                                          \
                CLUSTER_ROLES,                                                                     \
                        "{\"metadata\":{\"name\":\"" name "\",\"labels\":{"                        \
                        "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},"                     \
                        "\"rules\":[{\"verbs\":[\"get\"],\"nonResourceURLs\":[" paths "]}]}"       \
        }
/* A Role of kube-system for the Leases of a program, bound to its user and its account. */
#define LEADER_LOCK_RULE(resource)                                                                 \
        "{\"verbs\":[\"create\",\"get\",\"list\",\"update\",\"watch\"],\"apiGroups\":["            \
        "\"coordination.k8s.io\"],\"resources\":[\"" resource "\"]}"
#define LEADER_LOCK(program)                                                                       \
        { KUBE_SYSTEM "roles",                                                                     \
          "{\"metadata\":{\"name\":\"system::leader-locking-" program "\",\"labels\":{"            \
          "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},\"rules\":[" LEADER_LOCK_RULE(      \
                  "leases") "," LEADER_LOCK_RULE("leasecandidates") "]}" },                        \
        {                                                                                          \
                KUBE_SYSTEM "rolebindings",                                                        \
                        "{\"metadata\":{\"name\":\"system::leader-locking-" program                \
                        "\",\"labels\":{\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},"      \
                        "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":"        \
                        "\"Role\","                                                                \
                        "\"name\":\"system::leader-locking-" program "\"},\"subjects\":[" SUBJECT( \
                                "User", "system:" program) ",{\"kind\":\"ServiceAccount\","        \
                                                           "\"name\":\"" program                   \
                                                           "\",\"namespace\":\"kube-system\"}]}"   \
        }
#define HEALTH_PATHS "\"/healthz\",\"/livez\",\"/readyz\",\"/version\",\"/version/\""

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
        /* What all users may read, what authenticated users may ask, and the keys of tokens. */
        PATHS_ROLE("system:public-info-viewer", HEALTH_PATHS),
        PATHS_ROLE("system:discovery", HEALTH_PATHS ",\"/api\",\"/api/*\",\"/apis\",\"/apis/*\","
                                                    "\"/openapi\",\"/openapi/*\""),
        PATHS_ROLE("system:service-account-issuer-discovery",
                   "\"/.well-known/openid-configuration\",\"/.well-known/openid-configuration/\","
                   "\"/openid/v1/jwks\",\"/openid/v1/jwks/\""),
        { CLUSTER_ROLES, "{\"metadata\":{\"name\":\"system:basic-user\",\"labels\":{"
                         "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},\"rules\":["
                         "{\"verbs\":[\"create\"],\"apiGroups\":[\"authorization.k8s.io\"],"
                         "\"resources\":[\"selfsubjectaccessreviews\","
                         "\"selfsubjectrulesreviews\"]},"
                         "{\"verbs\":[\"create\"],\"apiGroups\":[\"authentication.k8s.io\"],"
                         "\"resources\":[\"selfsubjectreviews\"]}]}" },
        BINDING("system:public-info-viewer", SUBJECT("Group", "system:authenticated") "," SUBJECT(
                                                     "Group", "system:unauthenticated")),
        BINDING("system:discovery", SUBJECT("Group", "system:authenticated")),
        BINDING("system:basic-user", SUBJECT("Group", "system:authenticated")),
        BINDING("system:service-account-issuer-discovery",
                SUBJECT("Group", "system:serviceaccounts")),
        { KUBE_SYSTEM "roles",
          "{\"metadata\":{\"name\":\"extension-apiserver-authentication-reader\",\"labels\":{"
          "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},\"rules\":[{\"verbs\":[\"get\","
          "\"list\",\"watch\"],\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],"
          "\"resourceNames\":[\"extension-apiserver-authentication\"]}]}" },
        { KUBE_SYSTEM "rolebindings",
          "{\"metadata\":{\"name\":\"system::extension-apiserver-authentication-reader\","
          "\"labels\":{\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},"
          "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"Role\","
          "\"name\":\"extension-apiserver-authentication-reader\"},\"subjects\":[" SUBJECT(
                  "User",
                  "system:kube-controller-manager") "," SUBJECT("User",
                                                                "system:kube-scheduler") "]"
                                                                                         "}" },
        BINDING("system:kube-controller-manager",
                SUBJECT("User", "system:kube-controller-manager")),
        SCHEDULER_BINDING("system:kube-scheduler"),
        SCHEDULER_BINDING("system:volume-scheduler"),
        BINDING("system:node-proxier", SUBJECT("User", "system:kube-proxy")),
        BINDING("system:kube-dns", "{\"kind\":\"ServiceAccount\",\"name\":\"kube-dns\","
                                   "\"namespace\":\"kube-system\"}"),
        PATHS_ROLE("system:monitoring",
                   "\"/healthz\",\"/healthz/*\",\"/livez\",\"/livez/*\",\"/metrics\","
                   "\"/metrics/slis\",\"/readyz\",\"/readyz/*\",\"/flagz\",\"/statusz\""),
        BINDING("system:monitoring", SUBJECT("Group", "system:monitoring")),
        LEADER_LOCK("kube-controller-manager"),
        LEADER_LOCK("kube-scheduler"),
        { "/api/v1/namespaces/default/services",
          "{\"metadata\":{\"name\":\"kubernetes\",\"labels\":{\"component\":\"apiserver\","
          "\"provider\":\"kubernetes\"}},\"spec\":{\"clusterIP\":\"10.96.0.1\",\"ports\":["
          "{\"name\":\"https\",\"port\":443,\"targetPort\":6443}]}}" },
};

const struct bootstrap_object *kinds_bootstrap_objects(size_t *ret_count) {
        *ret_count = ARRAY_LEN(objects);
        return objects;
}
