/* The objects whose requests are measured: each with one list or map of any length. */
#include "request_cost.h"

#include "base/util.h"

#define NS "/namespaces/default/"
#define PODS "/api/v1" NS "pods"
#define NODES "/api/v1/nodes"
#define SERVICES "/api/v1" NS "services"
#define CONFIG_MAPS "/api/v1" NS "configmaps"
#define CUSTOM "/apis/cost.example/v1" NS "widgets"
#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

/* ---- objects ---- */

#define OBJECT(version, kind)                                                                      \
        "{\"apiVersion\":\"" version "\",\"kind\":\"" kind "\",\"metadata\":{\"name\":\"c\""
#define POD OBJECT("v1", "Pod") "},\"spec\":{"
#define ONE_CONTAINER "\"containers\":[{\"name\":\"a\",\"image\":\"i\"}]}}"
#define IN_CONTAINER POD "\"containers\":[{\"name\":\"a\",\"image\":\"i\","
#define IN_METADATA(member) OBJECT("v1", "Pod") ",\"" member "\":"
#define IN_NODE(part) OBJECT("v1", "Node") "},\"" part "\":{"
#define IN_SERVICE OBJECT("v1", "Service") "},\"spec\":{\"type\":\"ClusterIP\","

#define IN_MANAGED_FIELDS OBJECT("v1", "ConfigMap") ",\"managedFields\":["
#define MANAGED_ENTRY                                                                              \
        "{\"manager\":\"m#\",\"operation\":\"Apply\",\"apiVersion\":\"v1\",\"time\":"              \
        "\"2026-01-01T00:00:00Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{"          \
        "\"f:k#\":{}}}}"

#define IN_CRD                                                                                     \
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","       \
        "\"metadata\":{\"name\":\"widgets.cost.example\"},\"spec\":{\"group\":\"cost.example\","   \
        "\"scope\":\"Namespaced\","
#define IN_CRD_VERSIONS                                                                            \
        IN_CRD "\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\",\"kind\":\"Widget\","    \
               "\"listKind\":\"WidgetList\"},\"versions\":["
#define CRD_VERSION(name, storage)                                                                 \
        "\"name\":\"" name "\",\"served\":true,\"storage\":" storage                               \
        ",\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\""
#define CRD_MAIN_VERSION CRD_VERSION("main", "true") "}}"
#define IN_CRD_VERSION IN_CRD_VERSIONS "{" CRD_MAIN_VERSION ","
#define IN_CRD_SCHEMA IN_CRD_VERSIONS "{" CRD_VERSION("main", "true") ","
#define CRD_SCHEMA_END "}}}]}}"

#define ROW(label, where, before_list, item, after_list, pointer)                                  \
        {                                                                                          \
                .name = label, .collection = where, .head = before_list, .element = item,          \
                .tail = after_list, .list = pointer                                                \
        }
/* With a second list as long as the first. */
#define TWO(label, where, before_list, item, between_lists, second, after_list, pointer)           \
        {                                                                                          \
                .name = label, .collection = where, .head = before_list, .element = item,          \
                .between = between_lists, .other = second, .tail = after_list, .list = pointer     \
        }
/* A pod with labels, listed by a selector of as many terms. */
#define SELECTED(label, query, term, end)                                                          \
        {                                                                                          \
                .name = label, .collection = PODS, .head = IN_METADATA("labels") "{",              \
                .element = "\"k#\":\"v\"", .tail = "}},\"spec\":{" ONE_CONTAINER,                  \
                .list = "/metadata/labels", .read = PODS "?" query, .read_element = term,          \
                .read_tail = end                                                                   \
        }
#define POD_LIST(label, item)                                                                      \
        ROW("pod." label, PODS, POD "\"" label "\":[", item, "]," ONE_CONTAINER, "/spec/" label)
#define CONTAINER_LIST(label, item)                                                                \
        ROW("container." label, PODS, IN_CONTAINER "\"" label "\":[", item, "]}]}}",               \
            "/spec/containers/0/" label)
#define NODE_LIST(part, label, item)                                                               \
        ROW("node." label, NODES, IN_NODE(part) "\"" label "\":[", item, "]}}", "/" part "/" label)
#define WIDGET(label, open, item, close)                                                           \
        {                                                                                          \
                .name = "custom." label, .collection = CUSTOM,                                     \
                .head = OBJECT("cost.example/v1", "Widget") "},\"spec\":{\"" label "\":" open,     \
                .element = item, .tail = close "}}", .list = "/spec/" label,                       \
                .before = widget_definition, .before_path = CRDS                                   \
        }

static const char widget_definition[] =
        "{\"metadata\":{\"name\":\"widgets.cost.example\"},\"spec\":{\"group\":\"cost.example\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\","
        "\"kind\":\"Widget\",\"listKind\":\"WidgetList\"},\"versions\":[{\"name\":\"v1\","
        "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
        "\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{"
        "\"entries\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\","
        "\"x-kubernetes-list-map-keys\":[\"name\"],\"items\":{\"type\":\"object\","
        "\"required\":[\"name\"],\"properties\":{\"name\":{\"type\":\"string\","
        "\"pattern\":\"^[a-z0-9]+$\"},\"size\":{\"type\":\"integer\",\"default\":3}}}},"
        "\"words\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\",\"items\":{"
        "\"type\":\"string\"}},"
        "\"numbers\":{\"type\":\"array\",\"maxItems\":100000,\"items\":{\"type\":\"integer\"},"
        "\"x-kubernetes-validations\":[{\"rule\":\"self.all(x, x >= 0)\"}]},"
        "\"plain\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}},"
        "\"table\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
        "\"some\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}"
        "}}}}}}]}}";

/* In an element # stands for its number, @ for a port and ~ for an address. */
const struct cost_shape cost_shapes[] = {
        ROW("pod.containers", PODS, POD "\"containers\":[",
            "{\"name\":\"c#\",\"image\":\"i\",\"ports\":[{\"containerPort\":@}]}", "]}}",
            "/spec/containers"),
        POD_LIST("initContainers", "{\"name\":\"c#\",\"image\":\"i\"}"),
        POD_LIST("volumes", "{\"name\":\"v#\",\"emptyDir\":{}}"),
        POD_LIST("tolerations", "{\"key\":\"k#\",\"operator\":\"Exists\"}"),
        POD_LIST("topologySpreadConstraints",
                 "{\"maxSkew\":1,\"topologyKey\":\"k#\",\"whenUnsatisfiable\":\"DoNotSchedule\","
                 "\"labelSelector\":{}}"),
        POD_LIST("imagePullSecrets", "{\"name\":\"s#\"}"),
        POD_LIST("hostAliases", "{\"ip\":\"~\",\"hostnames\":[\"h#\"]}"),
        POD_LIST("schedulingGates", "{\"name\":\"g#\"}"),
        POD_LIST("readinessGates", "{\"conditionType\":\"g#\"}"),
        POD_LIST("resourceClaims", "{\"name\":\"g#\",\"resourceClaimName\":\"g#\"}"),
        ROW("pod.nodeSelector", PODS, POD "\"nodeSelector\":{", "\"k#\":\"v\"", "}," ONE_CONTAINER,
            "/spec/nodeSelector"),
        ROW("pod.affinity.values", PODS,
            POD "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\""
                ":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\""
                ",\"values\":[",
            "\"v#\"", "]}]}]}}}," ONE_CONTAINER,
            "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
            "nodeSelectorTerms/0/matchExpressions/0/values"),
        ROW("pod.podAffinity", PODS,
            POD "\"affinity\":{\"podAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\""
                ":[",
            "{\"topologyKey\":\"k#\",\"labelSelector\":{\"matchLabels\":{\"a\":\"b\"}}}",
            "]}}," ONE_CONTAINER,
            "/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution"),
        CONTAINER_LIST("env", "{\"name\":\"E#\",\"value\":\"v\"}"),
        ROW("container.env.same", PODS, IN_CONTAINER "\"env\":[",
            "{\"name\":\"E\",\"value\":\"v#\"}", "]}]}}", "/spec/containers/0/env"),
        CONTAINER_LIST("envFrom", "{\"configMapRef\":{\"name\":\"c#\"}}"),
        CONTAINER_LIST("ports", "{\"name\":\"p#\",\"containerPort\":@,\"hostPort\":@}"),
        ROW("container.ports.same", PODS, IN_CONTAINER "\"ports\":[",
            "{\"name\":\"p\",\"containerPort\":80,\"hostPort\":80}", "]}]}}",
            "/spec/containers/0/ports"),
        ROW("container.ports.bare", PODS, IN_CONTAINER "\"ports\":[", "{\"containerPort\":80}",
            "]}]}}", "/spec/containers/0/ports"),
        ROW("container.volumeMounts", PODS,
            POD "\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}],\"containers\":[{\"name\":\"a\","
                "\"image\":\"i\",\"volumeMounts\":[",
            "{\"name\":\"v\",\"mountPath\":\"/m#\"}", "]}]}}", "/spec/containers/0/volumeMounts"),
        CONTAINER_LIST("args", "\"a#\""),
        ROW("container.limits", PODS, IN_CONTAINER "\"resources\":{\"limits\":{",
            "\"a.b/c#\":\"1\"", "}}}]}}", "/spec/containers/0/resources/limits"),
        CONTAINER_LIST("unknown", "{\"x#\":1}"),
        ROW("metadata.ownerReferences", PODS, IN_METADATA("ownerReferences") "[",
            "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"n#\",\"uid\":\"u#\"}",
            "]},\"spec\":{" ONE_CONTAINER, "/metadata/ownerReferences"),
        ROW("metadata.ownerReferences.same", PODS, IN_METADATA("ownerReferences") "[",
            "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"n\",\"uid\":\"u\"}",
            "]},\"spec\":{" ONE_CONTAINER, "/metadata/ownerReferences"),
        ROW("metadata.finalizers", PODS, IN_METADATA("finalizers") "[", "\"a.b/f#\"",
            "]},\"spec\":{" ONE_CONTAINER, "/metadata/finalizers"),
        ROW("metadata.labels", PODS, IN_METADATA("labels") "{", "\"k#\":\"v\"",
            "}},\"spec\":{" ONE_CONTAINER, "/metadata/labels"),
        ROW("metadata.labels.wrong", PODS, IN_METADATA("labels") "{", "\"k #\":\"v \"",
            "}},\"spec\":{" ONE_CONTAINER, "/metadata/labels"),
        ROW("metadata.annotations", PODS, IN_METADATA("annotations") "{", "\"k#\":\"v\"",
            "}},\"spec\":{" ONE_CONTAINER, "/metadata/annotations"),
        NODE_LIST("spec", "taints", "{\"key\":\"k#\",\"effect\":\"NoSchedule\"}"),
        ROW("node.taints.same", NODES, IN_NODE("spec") "\"taints\":[",
            "{\"key\":\"k\",\"effect\":\"NoSchedule\"}", "]}}", "/spec/taints"),
        NODE_LIST("status", "addresses", "{\"type\":\"T#\",\"address\":\"a#\"}"),
        NODE_LIST("status", "images", "{\"names\":[\"i#\"],\"sizeBytes\":1}"),
        NODE_LIST("status", "conditions", "{\"type\":\"T#\",\"status\":\"True\"}"),
        ROW("node.capacity", NODES, IN_NODE("status") "\"capacity\":{", "\"a.b/r#\":\"1\"", "}}}",
            "/status/capacity"),
        ROW("service.ports", SERVICES, IN_SERVICE "\"ports\":[", "{\"name\":\"p#\",\"port\":@}",
            "]}}", "/spec/ports"),
        ROW("service.nodePorts", SERVICES,
            OBJECT("v1", "Service") "},\"spec\":{\"type\":\"NodePort\",\"ports\":[",
            "{\"name\":\"p#\",\"port\":@}", "]}}", "/spec/ports"),
        ROW("service.externalIPs", SERVICES,
            IN_SERVICE "\"ports\":[{\"port\":1}],\"externalIPs\":[", "\"1.2.3.#\"", "]}}",
            "/spec/externalIPs"),
        ROW("endpoints.addresses", "/api/v1" NS "endpoints",
            OBJECT("v1", "Endpoints") "},\"subsets\":[{\"ports\":[{\"port\":80}],\"addresses\":[",
            "{\"ip\":\"10.0.0.#\"}", "]}]}", "/subsets/0/addresses"),
        ROW("endpointslice.endpoints", "/apis/discovery.k8s.io/v1" NS "endpointslices",
            OBJECT("discovery.k8s.io/v1", "EndpointSlice") "},\"addressType\":\"IPv4\","
                                                           "\"ports\":[],\"endpoints\":[",
            "{\"addresses\":[\"10.0.0.#\"]}", "]}", "/endpoints"),
        ROW("configmap.data", CONFIG_MAPS, OBJECT("v1", "ConfigMap") "},\"data\":{", "\"k#\":\"v\"",
            "}}", "/data"),
        ROW("secret.stringData", "/api/v1" NS "secrets",
            OBJECT("v1", "Secret") "},\"stringData\":{", "\"k#\":\"v\"", "}}", "/data"),
        ROW("clusterrole.rules", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            OBJECT("rbac.authorization.k8s.io/v1", "ClusterRole") "},\"rules\":[",
            "{\"apiGroups\":[\"g#\"],\"resources\":[\"r\"],\"verbs\":[\"get\"]}", "]}", "/rules"),
        ROW("binding.subjects", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
            OBJECT("rbac.authorization.k8s.io/v1",
                   "ClusterRoleBinding") "},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\""
                                         ",\"kind\":\"ClusterRole\",\"name\":\"x\"},\"subjects\":[",
            "{\"kind\":\"User\",\"name\":\"u#\",\"apiGroup\":\"rbac.authorization.k8s.io\"}", "]}",
            "/subjects"),
        ROW("quota.hard", "/api/v1" NS "resourcequotas",
            OBJECT("v1", "ResourceQuota") "},\"spec\":{\"hard\":{", "\"requests.a.b/r#\":\"1\"",
            "}}}", "/spec/hard"),
        ROW("quota.scopes", "/api/v1" NS "resourcequotas",
            OBJECT("v1", "ResourceQuota") "},\"spec\":{\"scopes\":[", "\"s#\"", "]}}",
            "/spec/scopes"),
        ROW("storageclass.topologies", "/apis/storage.k8s.io/v1/storageclasses",
            OBJECT("storage.k8s.io/v1",
                   "StorageClass") "},\"provisioner\":\"p\",\"allowedTopologies\":[",
            "{}", "]}", "/allowedTopologies"),
        ROW("limitrange.limits", "/api/v1" NS "limitranges",
            OBJECT("v1", "LimitRange") "},\"spec\":{\"limits\":[",
            "{\"type\":\"Container\",\"max\":{\"a.b/r#\":\"1\"}}", "]}}", "/spec/limits"),
        ROW("limitrange.max", "/api/v1" NS "limitranges",
            OBJECT("v1", "LimitRange") "},\"spec\":{\"limits\":[{\"type\":\"Container\",\"max\":{",
            "\"a.b/r#\":\"1\"", "}}]}}", "/spec/limits/0/max"),
        ROW("deployment.containers", "/apis/apps/v1" NS "deployments",
            OBJECT("apps/v1", "Deployment") "},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\""
                                            "}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\""
                                            "}},\"spec\":{\"containers\":[",
            "{\"name\":\"c#\",\"image\":\"i\"}", "]}}}}", "/spec/template/spec/containers"),
        ROW("deployment.matchLabels", "/apis/apps/v1" NS "deployments",
            OBJECT("apps/v1", "Deployment") "},\"spec\":{\"template\":{\"metadata\":{\"labels\":{"
                                            "\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"
                                            "\"c\",\"image\":\"i\"}]}},\"selector\":{"
                                            "\"matchLabels\":{",
            "\"k#\":\"v\"", "}}}}", "/spec/selector/matchLabels"),
        ROW("statefulset.claims", "/apis/apps/v1" NS "statefulsets",
            OBJECT("apps/v1", "StatefulSet") "},\"spec\":{\"serviceName\":\"s\",\"selector\":{"
                                             "\"matchLabels\":{\"a\":\"b\"}},\"template\":{"
                                             "\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
                                             "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}},"
                                             "\"volumeClaimTemplates\":[",
            "{\"metadata\":{\"name\":\"v#\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
            "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}",
            "]}}", "/spec/volumeClaimTemplates"),
        ROW("job.podFailurePolicy", "/apis/batch/v1" NS "jobs",
            OBJECT("batch/v1", "Job") "},\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":"
                                      "\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}"
                                      "},\"podFailurePolicy\":{\"rules\":[{\"action\":\"FailJob\","
                                      "\"onExitCodes\":{\"operator\":\"In\",\"values\":[",
            "#", "]}}]}}}", "/spec/podFailurePolicy/rules/0/onExitCodes/values"),
        ROW("hpa.metrics", "/apis/autoscaling/v2" NS "horizontalpodautoscalers",
            OBJECT("autoscaling/v2",
                   "HorizontalPodAutoscaler") "},\"spec\":{\"maxReplicas\":3,\"scaleTargetRef\":{"
                                              "\"kind\":\"Deployment\",\"name\":\"d\","
                                              "\"apiVersion\":\"apps/v1\"},\"metrics\":[",
            "{\"type\":\"Resource\",\"resource\":{\"name\":\"r#\",\"target\":{\"type\":"
            "\"Utilization\",\"averageUtilization\":50}}}",
            "]}}", "/spec/metrics"),
        ROW("networkpolicy.ingress", "/apis/networking.k8s.io/v1" NS "networkpolicies",
            OBJECT("networking.k8s.io/v1",
                   "NetworkPolicy") "},\"spec\":{\"podSelector\":{},\"ingress\":[",
            "{\"ports\":[{\"port\":@}]}", "]}}", "/spec/ingress"),
        ROW("ingress.rules", "/apis/networking.k8s.io/v1" NS "ingresses",
            OBJECT("networking.k8s.io/v1", "Ingress") "},\"spec\":{\"rules\":[",
            "{\"host\":\"h#\",\"http\":{\"paths\":[{\"path\":\"/\",\"pathType\":\"Prefix\","
            "\"backend\":{\"service\":{\"name\":\"s\",\"port\":{\"number\":1}}}}]}}",
            "]}}", "/spec/rules"),
        ROW("webhooks", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            OBJECT("admissionregistration.k8s.io/v1",
                   "ValidatingWebhookConfiguration") "},\"webhooks\":[",
            "{\"name\":\"w#.a.b\",\"sideEffects\":\"None\",\"admissionReviewVersions\":[\"v1\"],"
            "\"clientConfig\":{\"url\":\"https://a.b/\"}}",
            "]}", "/webhooks"),
        ROW("crd.properties", CRDS, IN_CRD_SCHEMA "\"properties\":{",
            "\"p#\":{\"type\":\"string\"}", "}" CRD_SCHEMA_END,
            "/spec/versions/0/schema/openAPIV3Schema/properties"),
        ROW("crd.columns", CRDS, IN_CRD_VERSION "\"additionalPrinterColumns\":[",
            "{\"name\":\"c#\",\"type\":\"string\",\"jsonPath\":\".spec.a#\"}", "]}]}}",
            "/spec/versions/0/additionalPrinterColumns"),
        ROW("crd.rules", CRDS, IN_CRD_SCHEMA "\"x-kubernetes-validations\":[",
            "{\"rule\":\"self.a != '#'\"}",
            "],\"properties\":{\"a\":{\"type\":\"string\",\"maxLength\":9}}" CRD_SCHEMA_END,
            "/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations"),
        ROW("crd.required", CRDS, IN_CRD_SCHEMA "\"required\":[", "\"p#\"",
            "],\"properties\":{}" CRD_SCHEMA_END,
            "/spec/versions/0/schema/openAPIV3Schema/required"),
        ROW("crd.shortNames", CRDS,
            IN_CRD "\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\",\"kind\":\"Widget\","
                   "\"listKind\":\"WidgetList\",\"shortNames\":[",
            "\"s#\"", "]},\"versions\":[{" CRD_MAIN_VERSION "}]}}", "/spec/names/shortNames"),
        {
                .name = "crd.versions",
                .collection = CRDS,
                .head = IN_CRD_VERSIONS,
                .element = "{" CRD_VERSION("v#", "false") "}}}",
                .tail = ",{" CRD_MAIN_VERSION "}]}}",
                .list = "/spec/versions",
                .read = "/apis",
                .read_accept = "application/json;g=apidiscovery.k8s.io;v=v2;as="
                               "APIGroupDiscoveryList",
        },
        {
                .name = "crd.versions.openapi",
                .collection = CRDS,
                .head = IN_CRD_VERSIONS,
                .element = "{" CRD_VERSION("v#", "false") "}}}",
                .tail = ",{" CRD_MAIN_VERSION "}]}}",
                .list = "/spec/versions",
                .read = "/openapi/v3",
        },
        ROW("pod.affinity.terms", PODS,
            POD "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\""
                ":{\"nodeSelectorTerms\":[",
            "{\"matchExpressions\":[{\"key\":\"k#\",\"operator\":\"Exists\"}]}",
            "]}}}," ONE_CONTAINER,
            "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
            "nodeSelectorTerms"),
        ROW("pod.affinity.expressions", PODS,
            POD "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\""
                ":{\"nodeSelectorTerms\":[{\"matchExpressions\":[",
            "{\"key\":\"k#\",\"operator\":\"Exists\"}", "]}]}}}," ONE_CONTAINER,
            "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
            "nodeSelectorTerms/0/matchExpressions"),
        ROW("pod.podAffinity.expressions", PODS,
            POD "\"affinity\":{\"podAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\""
                ":[{\"topologyKey\":\"k\",\"labelSelector\":{\"matchExpressions\":[",
            "{\"key\":\"k#\",\"operator\":\"In\",\"values\":[\"a\"]}", "]}}]}}," ONE_CONTAINER,
            "/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/"
            "labelSelector/matchExpressions"),
        ROW("pod.sysctls", PODS, POD "\"securityContext\":{\"sysctls\":[",
            "{\"name\":\"net.a#\",\"value\":\"1\"}", "]}," ONE_CONTAINER,
            "/spec/securityContext/sysctls"),
        ROW("pod.supplementalGroups", PODS, POD "\"securityContext\":{\"supplementalGroups\":[",
            "#", "]}," ONE_CONTAINER, "/spec/securityContext/supplementalGroups"),
        ROW("pod.dns.options", PODS, POD "\"dnsConfig\":{\"options\":[", "{\"name\":\"o#\"}",
            "]}," ONE_CONTAINER, "/spec/dnsConfig/options"),
        ROW("pod.projected", PODS, POD "\"volumes\":[{\"name\":\"v\",\"projected\":{\"sources\":[",
            "{\"configMap\":{\"name\":\"c#\"}}", "]}}]," ONE_CONTAINER,
            "/spec/volumes/0/projected/sources"),
        ROW("pod.configMap.items", PODS,
            POD "\"volumes\":[{\"name\":\"v\",\"configMap\":{\"name\":\"c\",\"items\":[",
            "{\"key\":\"k#\",\"path\":\"p#\"}", "]}}]," ONE_CONTAINER,
            "/spec/volumes/0/configMap/items"),
        ROW("pod.containerStatuses", PODS,
            OBJECT("v1", "Pod") "},\"status\":{\"containerStatuses\":[",
            "{\"name\":\"c#\",\"image\":\"i\",\"imageID\":\"i\",\"ready\":true,"
            "\"restartCount\":0}",
            "]},\"spec\":{" ONE_CONTAINER, "/status/containerStatuses"),
        ROW("pod.conditions", PODS, OBJECT("v1", "Pod") "},\"status\":{\"conditions\":[",
            "{\"type\":\"T#\",\"status\":\"True\"}", "]},\"spec\":{" ONE_CONTAINER,
            "/status/conditions"),
        ROW("container.capabilities", PODS,
            IN_CONTAINER "\"securityContext\":{\"capabilities\":{\"add\":[", "\"C#\"", "]}}}]}}",
            "/spec/containers/0/securityContext/capabilities/add"),
        ROW("service.selector", SERVICES, IN_SERVICE "\"ports\":[{\"port\":1}],\"selector\":{",
            "\"k#\":\"v\"", "}}}", "/spec/selector"),
        ROW("service.loadBalancerSourceRanges", SERVICES,
            OBJECT("v1",
                   "Service") "},\"spec\":{\"type\":\"LoadBalancer\",\"ports\":[{\"port\":1}],"
                              "\"loadBalancerSourceRanges\":[",
            "\"10.0.0.0/8\"", "]}}", "/spec/loadBalancerSourceRanges"),
        ROW("endpoints.subsets", "/api/v1" NS "endpoints",
            OBJECT("v1", "Endpoints") "},\"subsets\":[",
            "{\"ports\":[{\"port\":@}],\"addresses\":[{\"ip\":\"10.0.0.1\"}]}", "]}", "/subsets"),
        ROW("endpoints.ports", "/api/v1" NS "endpoints",
            OBJECT("v1", "Endpoints") "},\"subsets\":[{\"addresses\":[{\"ip\":\"10.0.0.1\"}],"
                                      "\"ports\":[",
            "{\"name\":\"p#\",\"port\":@}", "]}]}", "/subsets/0/ports"),
        ROW("endpointslice.ports", "/apis/discovery.k8s.io/v1" NS "endpointslices",
            OBJECT("discovery.k8s.io/v1", "EndpointSlice") "},\"addressType\":\"IPv4\","
                                                           "\"endpoints\":[],\"ports\":[",
            "{\"name\":\"p#\",\"port\":@}", "]}", "/ports"),
        ROW("deployment.matchExpressions", "/apis/apps/v1" NS "deployments",
            OBJECT("apps/v1", "Deployment") "},\"spec\":{\"template\":{\"metadata\":{\"labels\":{"
                                            "\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"
                                            "\"c\",\"image\":\"i\"}]}},\"selector\":{"
                                            "\"matchExpressions\":[",
            "{\"key\":\"k#\",\"operator\":\"DoesNotExist\"}", "]}}}",
            "/spec/selector/matchExpressions"),
        ROW("budget.values", "/apis/policy/v1" NS "poddisruptionbudgets",
            OBJECT("policy/v1", "PodDisruptionBudget") "},\"spec\":{\"selector\":{"
                                                       "\"matchExpressions\":[{\"key\":\"k\","
                                                       "\"operator\":\"In\",\"values\":[",
            "\"v#\"", "]}]}}}", "/spec/selector/matchExpressions/0/values"),
        ROW("networkpolicy.peers", "/apis/networking.k8s.io/v1" NS "networkpolicies",
            OBJECT("networking.k8s.io/v1",
                   "NetworkPolicy") "},\"spec\":{\"podSelector\":{},\"ingress\":[{\"from\":[",
            "{\"podSelector\":{\"matchLabels\":{\"k#\":\"v\"}}}", "]}]}}", "/spec/ingress/0/from"),
        ROW("webhooks.rules",
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            OBJECT("admissionregistration.k8s.io/v1",
                   "ValidatingWebhookConfiguration") "},\"webhooks\":[{\"name\":\"w.a.b\","
                                                     "\"sideEffects\":\"None\","
                                                     "\"admissionReviewVersions\":[\"v1\"],"
                                                     "\"clientConfig\":{\"url\":\"https://a.b/\"},"
                                                     "\"rules\":[",
            "{\"operations\":[\"CREATE\"],\"apiGroups\":[\"g#\"],\"apiVersions\":[\"v1\"],"
            "\"resources\":[\"r\"]}",
            "]}]}", "/webhooks/0/rules"),
        ROW("resourceslice.devices", "/apis/resource.k8s.io/v1/resourceslices",
            OBJECT("resource.k8s.io/v1",
                   "ResourceSlice") "},\"spec\":{\"driver\":\"d.example\",\"nodeName\":\"n\","
                                    "\"pool\":{\"name\":\"p\",\"generation\":1,"
                                    "\"resourceSliceCount\":1},\"devices\":[",
            "{\"name\":\"d#\"}", "]}}", "/spec/devices"),
        ROW("resourceclaim.requests", "/apis/resource.k8s.io/v1" NS "resourceclaims",
            OBJECT("resource.k8s.io/v1", "ResourceClaim") "},\"spec\":{\"devices\":{\"requests\":[",
            "{\"name\":\"r#\",\"exactly\":{\"deviceClassName\":\"c\"}}", "]}}}",
            "/spec/devices/requests"),
        ROW("metadata.managedFields", CONFIG_MAPS, IN_MANAGED_FIELDS, MANAGED_ENTRY,
            "]},\"data\":{\"a\":\"b\"}}", "/metadata/managedFields"),
        TWO("metadata.managedFields.data", CONFIG_MAPS, IN_MANAGED_FIELDS, MANAGED_ENTRY,
            "]},\"data\":{", "\"k#\":\"v\"", "}}", "/metadata/managedFields"),
        { .name = "metadata.managedFields.apply",
          .collection = CONFIG_MAPS,
          .head = IN_MANAGED_FIELDS,
          .element = MANAGED_ENTRY,
          .between = "]},\"data\":{",
          .other = "\"k#\":\"v\"",
          .tail = "}}",
          .list = "/metadata/managedFields",
          .apply_head = OBJECT("v1", "ConfigMap") "},\"data\":{" },
        ROW("metadata.labels.same", PODS, IN_METADATA("labels") "{", "\"k\":\"v#\"",
            "}},\"spec\":{" ONE_CONTAINER, "/metadata/labels"),
        ROW("pod.members.same", PODS, POD, "\"nodeName\":\"n#\"", "," ONE_CONTAINER, "/spec"),
        ROW("pod.objects.same", PODS, POD, "\"securityContext\":{\"runAsUser\":#}",
            "," ONE_CONTAINER, "/spec"),
        TWO("container.claims", PODS, POD "\"resourceClaims\":[",
            "{\"name\":\"g#\",\"resourceClaimName\":\"g#\"}",
            "],\"containers\":[{\"name\":\"a\",\"image\":\"i\",\"resources\":{\"claims\":[",
            "{\"name\":\"g#\"}", "]}}]}}", "/spec/resourceClaims"),
        TWO("container.mounts.volumes", PODS, POD "\"volumes\":[",
            "{\"name\":\"v#\",\"emptyDir\":{}}",
            "],\"containers\":[{\"name\":\"a\",\"image\":\"i\",\"volumeMounts\":[",
            "{\"name\":\"v#\",\"mountPath\":\"/m#\"}", "]}]}}", "/spec/volumes"),
        TWO("container.limits.requests", PODS, IN_CONTAINER "\"resources\":{\"limits\":{",
            "\"a.b/c#\":\"1\"", "},\"requests\":{", "\"a.b/c#\":\"1\"", "}}}]}}",
            "/spec/containers/0/resources/limits"),
        TWO("deployment.selector.labels", "/apis/apps/v1" NS "deployments",
            OBJECT("apps/v1", "Deployment") "},\"spec\":{\"selector\":{\"matchLabels\":{",
            "\"k#\":\"v\"", "}},\"template\":{\"metadata\":{\"labels\":{", "\"k#\":\"v\"",
            "}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
            "/spec/selector/matchLabels"),
        SELECTED("select.labels", "labelSelector=", "k#=v", NULL),
        SELECTED("select.sets", "labelSelector=", "k#+in+(v,w)", NULL),
        SELECTED("select.values", "labelSelector=k0+notin+(", "x#", ")"),
        SELECTED("select.fields", "fieldSelector=", "metadata.name!=n#", NULL),
        WIDGET("entries", "[", "{\"name\":\"n#\"}", "]"),
        WIDGET("words", "[", "\"w#\"", "]"),
        WIDGET("numbers", "[", "#", "]"),
        WIDGET("plain", "[", "\"a\"", "]"),
        WIDGET("table", "{", "\"k#\":\"v\"", "}"),
        WIDGET("some", "{", "\"k#\":\"v\"", "}"),
};
const size_t cost_shape_count = ARRAY_LEN(cost_shapes);
