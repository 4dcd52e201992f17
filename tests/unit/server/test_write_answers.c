/* Answers to writes that are nearly right, as a kube-apiserver gives them: each row is a request
 * about the object that is there, its code, and a part of what is said. */
#include "fake_server.h"

#define PODS "/api/v1/namespaces/default/pods"
#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define JOBS "/apis/batch/v1/namespaces/default/jobs"
#define CLAIMS "/api/v1/namespaces/default/persistentvolumeclaims"
#define VOLUMES "/api/v1/persistentvolumes"
#define NODES "/api/v1/nodes"
#define LEASES "/apis/coordination.k8s.io/v1/namespaces/default/leases"
#define SLICES "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
#define EVENTS "/apis/events.k8s.io/v1/namespaces/default/events"
#define REVIEWS "/apis/authorization.k8s.io/v1/subjectaccessreviews"
#define SERVICES "/api/v1/namespaces/default/services"
#define INGRESS_CLASSES "/apis/networking.k8s.io/v1/ingressclasses"
#define JSON_PATCH "application/json-patch+json"

static const struct {
        const char *path, *body;
} objects[] = {
        { PODS, "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                "\"image\":\"x\"}]}}" },
        { NODES, "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"a.b/c\"]}}" },
        { BUDGETS, "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"minAvailable\":1}}" },
        { INGRESS_CLASSES, "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"controller\":\"a.b/c\"}}" },
        { SLICES, "{\"metadata\":{\"name\":\"a\"},\"addressType\":\"IPv4\",\"endpoints\":[],"
                  "\"ports\":[]}" },
        { SERVICES, "{\"metadata\":{\"name\":\"lb\"},\"spec\":{\"type\":\"LoadBalancer\","
                    "\"ports\":[{\"port\":1}]}}" },
        { "/apis/resource.k8s.io/v1/resourceslices",
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"driver\":\"a.b\",\"nodeName\":\"n\",\"pool\":"
          "{"
          "\"name\":\"p\",\"resourceSliceCount\":1},\"devices\":[]}}" },
        { EVENTS, "{\"metadata\":{\"name\":\"a\"},\"eventTime\":\"2026-01-01T00:00:00.000000Z\","
                  "\"action\":\"x\",\"reason\":\"y\",\"reportingController\":\"a.b/c\","
                  "\"reportingInstance\":\"i\",\"type\":\"Normal\"}" },
        { "/api/v1/namespaces/default/replicationcontrollers",
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"selector\":{\"a\":\"b\"},\"template\":{"
          "\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
          "\"image\":\"x\"}]}}}}" },
        { VOLUMES, "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
                   "\"capacity\":{\"storage\":\"1Gi\"},\"csi\":{\"driver\":\"d\","
                   "\"volumeHandle\":\"v\"}}}" },
        { CLAIMS, "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
                  "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}" },
        { DEPLOYMENTS,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
          "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
          "\"name\":"
          "\"c\",\"image\":\"x\"}]}}}}" },
        { SERVICES, "{\"metadata\":{\"name\":\"bare\"},\"spec\":{\"clusterIP\":\"None\"}}" },
        { SERVICES, "{\"metadata\":{\"name\":\"one\"},\"spec\":{\"clusterIP\":\"None\","
                    "\"selector\":{\"a\":\"b\"}}}" },
        { SERVICES, "{\"metadata\":{\"name\":\"both\"},\"spec\":{\"clusterIP\":\"None\","
                    "\"ipFamilyPolicy\":\"PreferDualStack\"}}" },
        { "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
          "{\"metadata\":{\"name\":\"a\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"maxReplicas\":3,"
          "\"scaleTargetRef\":{\"apiVersion\":\"apps/"
          "v1\",\"kind\":\"Deployment\",\"name\":\"d\"}}}" },
        { CLAIMS, "{\"metadata\":{\"name\":\"from\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
                  "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}},\"dataSourceRef\":{"
                  "\"apiGroup\":\"a.b\",\"kind\":\"k\",\"name\":\"n\"}}}" },
        { "/apis/batch/v1/namespaces/default/jobs",
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"suspend\":true,\"template\":{\"spec\":{"
          "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}}}" },
};

static const struct {
        const char *method, *path, *type, *body;
        int code;
        const char *part;   /* of the message, or of a member of the answer */
        const char *member; /* NULL = /message */
} rows[] = {
        /* options, all that is wrong with them at once */
        { "POST", NODES "?dryRun=", NULL, "{}", 422, "dryRun: Unsupported value: [\"\"]", NULL },
        { "POST", NODES "?fieldManager=a%0Ab&dryRun=x", NULL, "{}", 422,
          "fieldManager: Invalid value: \"a\\nb\": invalid character U+000A (at position 1), "
          "dryRun",
          NULL },
        { "POST", NODES "?fieldManager=%E2%80%A8", NULL, "{}", 422,
          "invalid character U+2028 (at position 0)", NULL },
        { "PATCH", PODS "/a", MERGE_PATCH,
          "{\"metadata\":{\"managedFields\":[{\"manager\":\"a\\u0001\",\"operation\":\"Update\","
          "\"apiVersion\":\"v1\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{}}}]}}",
          422,
          "metadata.managedFields[0].manager: Invalid value: \"a\\x01\": invalid character "
          "U+0001 (at position 1)",
          NULL },
        { "POST", PODS "/a/eviction", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"deleteOptions\":{\"dryRun\":[\"x\"],"
          "\"preconditions\":{\"uid\":\"x\"}}}",
          422, "dryRun: Unsupported value: [\"x\"]", NULL },
        { "POST", PODS "/a/eviction", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"deleteOptions\":{\"propagationPolicy\":\"x\","
          "\"preconditions\":{\"uid\":\"x\"}}}",
          409, "the UID in the precondition (x) does not match the UID in record", NULL },
        { "DELETE", NODES "/a", NULL, "{\"propagationPolicy\":\"\"}", 422,
          "propagationPolicy: Unsupported value: \"\"", NULL },
        { "DELETE", NODES "/a", NULL, "{\"kind\":\"x\"}", 400,
          "no kind \"x\" is registered for version \"meta.k8s.io/v1\"", NULL },
        { "GET", NODES "/a?resourceVersion=x", NULL, NULL, 500,
          "resourceVersion: Invalid value: \"x\"", NULL },
        { "GET", "/api/v1/namespaces/default/events/a?resourceVersion=x", NULL, NULL, 400,
          "invalid resource version: resourceVersion: Invalid value: \"x\"", NULL },
        { "GET", NODES "?resourceVersion=x", NULL, NULL, 400,
          "invalid resource version: resourceVersion: Invalid value: \"x\"", NULL },
        { "GET", NODES "?continue=x", NULL, NULL, 400, "illegal base64 data at input byte 0",
          NULL },
        { "GET", JOBS "?fieldSelector=spec.x=1", NULL, NULL, 400,
          "field label \"spec.x\" not supported for Job", NULL },
        { "GET", "/apis/storage.k8s.io/v1/storageclasses?fieldSelector=metadata.namespace=x", NULL,
          NULL, 200, "StorageClassList", "/kind" },
        { "GET", NODES "?fieldSelector=metadata.namespace=x", NULL, NULL, 400,
          "field label not supported: metadata.namespace", NULL },
        { "GET", BUDGETS "?fieldSelector=spec.x=1&resourceVersionMatch=x", NULL, NULL, 422,
          "resourceVersionMatch is forbidden unless", NULL },
        { "GET", BUDGETS "?fieldSelector=a&sendInitialEvents=true", NULL, NULL, 400,
          "invalid selector", NULL },
        /* bodies */
        { "POST", NODES, NULL, "", 400, "(<empty>)", NULL },
        { "POST", NODES, NULL, "[]", 400,
          "cannot unmarshal array into Go value of type struct { APIVersion string", NULL },
        { "POST", NODES, NULL, "{\"metadata\":{\"name\":\"n\",\"generation\":-1}}", 422,
          "metadata.generation: Invalid value: -1: must be greater than or equal to 0", NULL },
        { "POST", NODES, NULL,
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"podCIDRs\":[\"x\",\"y\"]}}", 422,
          "spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with "
          "error:invalid CIDR[0]: <nil> (invalid CIDR address: x)",
          NULL },
        { "PUT", NODES "/a", NULL, "{\"metadata\":{\"name\":\"a\",\"uid\":\"x\"}}", 409,
          "Key: /registry/minions/a, ResourceVersion: 0", NULL },
        { "PUT", DEPLOYMENTS "/none/scale", NULL, "{\"spec\":{\"replicas\":\"x\"}}", 400,
          "of type int32", NULL },
        { "PUT", PODS "/a", NULL,
          "{\"metadata\":{\"namespace\":\"other\"},\"spec\":{\"containers\":[]}}", 400,
          "the namespace of the provided object does not match", NULL },
        { "PATCH", NODES "/a?fieldManager=&fieldValidation=x&force=true", MERGE_PATCH, "{}", 422,
          "[force: Forbidden: may not be specified for non-apply patch, fieldValidation: "
          "Unsupported",
          NULL },
        { "DELETE", NODES "/a", NULL, "{\"propagationPolicy\":\"x\",\"dryRun\":[\"x\",\"All\"]}",
          422, "\"nil\", dryRun: Unsupported value: [\"x\",\"All\"]: supported values: \"All\"]",
          NULL },
        { "DELETE", NODES "/a", NULL, "{\"orphanDependents\":false}", 202, "a", "/metadata/name" },
        { "GET", NODES "?continue=x&resourceVersion=1", NULL, NULL, 400,
          "illegal base64 data at input byte 0", NULL },
        /* names, and what they have to agree with */
        { "POST", "/apis/networking.k8s.io/v1/ipaddresses", NULL,
          "{\"metadata\":{\"generateName\":\"n\"}}", 422,
          "metadata.name: Invalid value: \"n\": must be a valid IP address", NULL },
        { "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL,
          "{\"metadata\":{\"name\":\"A\"}}", 422,
          "([-a-z0-9]*[a-z0-9])?)*'), metadata.name: Invalid value: \"A\": must be "
          "spec.names.plural",
          NULL },
        { "POST", "/apis/apiregistration.k8s.io/v1/apiservices", NULL,
          "{\"metadata\":{\"name\":\"A\"},\"spec\":{\"version\":\"a\\nb\"}}", 422, "\"a\\nb.\"",
          NULL },
        { "PUT", INGRESS_CLASSES "/a", NULL, "{\"metadata\":{\"name\":\"a\"}}", 422,
          "spec.controller: Invalid value: \"\": field is immutable", NULL },
        { "PUT", LEASES "/n", NULL,
          "{\"metadata\":{\"name\":\"n\",\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"}}", 201,
          "2020-01-01T00:00:00Z", "/metadata/deletionTimestamp" },
        { "POST", LEASES, NULL,
          "{\"metadata\":{\"name\":\"n\",\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"}}", 201, "",
          "/metadata/deletionTimestamp" },
        /* addresses are taken before anything else is looked at */
        { "POST", SERVICES, NULL, "{}", 422,
          "\" is invalid: spec.clusterIPs: Invalid value: [\"\"]: failed to allocate IP: "
          "IPAddress.",
          NULL },
        { "POST", SERVICES, NULL, "{\"metadata\":{\"name\":\"a/%\"}}", 422,
          "is invalid: [spec.parentRef.name: Invalid value: \"a/%\": may not contain '/', "
          "spec.parentRef.name: Invalid value: \"a/%\": may not contain '%']",
          NULL },
        { "POST", SERVICES "?dryRun=All", NULL, "{}", 422,
          "[metadata.name: Required value: name or generateName is required, spec.ports", NULL },
        { "POST", SERVICES, NULL,
          "{\"metadata\":{\"name\":\"A\"},\"spec\":{\"clusterIP\":\"1.2.3.4\"}}", 422,
          "\"A\" is invalid: spec.clusterIPs: Invalid value: [\"1.2.3.4\"]: failed to allocate IP "
          "1.2.3.4: the provided network does not match the current range",
          NULL },
        { "POST", SERVICES, NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"clusterIP\":\"10.96.255.255\"}}", 422,
          "10.96.255.255: the provided network does not match the current range", NULL },
        { "POST", SERVICES "?dryRun=All", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"clusterIP\":\"1.2.3.4\"}}", 422,
          "the provided IP (1.2.3.4) is not in the valid range", NULL },
        { "PATCH", SERVICES "/lb", MERGE_PATCH,
          "{\"spec\":{\"clusterIP\":\"1.2.3.4\",\"clusterIPs\":[\"1.2.3.4\"]}}", 422,
          "spec.clusterIPs[0]: Invalid value: [\"1.2.3.4\"]: may not change once set", NULL },
        { "POST", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims", NULL,
          "{\"spec\":{\"devices\":{\"requests\":[{\"exactly\":{\"capacity\":{\"requests\":1}}}]}}}",
          400, "capacity.requests of type map[v1.QualifiedName]resource.Quantity", NULL },
        /* what is there already */
        { "POST", BUDGETS, NULL, "{\"metadata\":{\"name\":\"a\",\"generateName\":\"b\"}}", 409,
          "already exists, the server was not able to generate a unique name for the object",
          NULL },
        { "GET", BUDGETS "/a%0Ab", NULL, NULL, 404, "\"a\\nb\" not found", NULL },
        /* names of the store, not of the view */
        { "DELETE", EVENTS "/a", NULL, "{\"preconditions\":{\"uid\":\"x\"}}", 409,
          "Operation cannot be fulfilled on Event \"a\": the UID in the precondition (x)", NULL },
        /* an empty object is not none */
        { "PATCH", EVENTS "/a", "application/merge-patch+json", "{\"related\":{}}", 422,
          "related: Invalid value: {\"Kind\":\"\",\"Namespace\":\"\",", NULL },
        /* some kinds do not look at the prefix of a name */
        { "POST", "/api/v1/namespaces/default/replicationcontrollers", NULL,
          "{\"metadata\":{\"generateName\":\"50%\"}}", 422, "is invalid: [metadata.name: Invalid",
          NULL },
        /* a conversion tells no keys of maps */
        { "PATCH", "/apis/resource.k8s.io/v1/resourceslices/a?fieldValidation=Strict",
          "application/strategic-merge-patch+json",
          "{\"spec\":{\"devices\":[{\"name\":\"d\",\"attributes\":{\"v\":{\"x\":1}}}]}}", 422,
          "unknown field \"spec.devices[0].attributes.x\"", NULL },
        /* ports of nodes go when a balancer does not want them any more */
        { "PUT", SERVICES "/lb", NULL,
          "{\"metadata\":{\"name\":\"lb\"},\"spec\":{\"type\":\"LoadBalancer\","
          "\"allocateLoadBalancerNodePorts\":false,\"ports\":[{\"port\":1}]}}",
          200, "", "/spec/ports/0/nodePort" },
        /* unknown fields are not looked into */
        { "POST", NODES "?fieldValidation=Strict", NULL,
          "{\"metadata\":{\"name\":\"n\",\"a\":{\"b\":1,\"b\":2},\"a\":1},\"kind\":\"Node\","
          "\"kind\":\"Node\"}",
          400, "strict decoding error: unknown field \"metadata.a\", duplicate field \"kind\"",
          NULL },
        { "POST", NODES "?fieldValidation=Strict", NULL,
          "{\"metadata\":{\"name\":\"n\",\"b\":1},\"spec\":{\"podCIDR\":\"\",\"podCIDR\":\"\","
          "\"podCIDR\":\"\",\"x\":1},\"y\":1}",
          400,
          "unknown field \"metadata.b\", duplicate field \"spec.podCIDR\", unknown field "
          "\"spec.x\", unknown field \"y\"",
          NULL },
        /* versions with slashes */
        { "PATCH", NODES "/a", JSON_PATCH,
          "[{\"op\":\"add\",\"path\":\"/apiVersion\",\"value\":\"/v1\"}]", 200, "v1",
          "/apiVersion" },
        /* what does not decode is shown as it was sent, and complaints come in its order */
        { "PATCH", NODES "/a", JSON_PATCH,
          "[{\"op\":\"add\",\"path\":\"/spec/podCIDRs\",\"value\":[1.50,\"\\u00e9<\"]}]", 422,
          "[1.50,\\\"\\\\u00e9\\\\u003c\\\"]", NULL },
        { "PATCH", NODES "/a", MERGE_PATCH, "{\"spec\":{\"podCIDRs\":[-0,10000000000]}}", 422,
          "[-0,10000000000]", NULL },
        { "PATCH", NODES "/a", JSON_PATCH,
          "[{\"op\":\"add\",\"path\":\"/kind\",\"value\":true},"
          "{\"op\":\"add\",\"path\":\"/apiVersion\",\"value\":{}}]",
          422, "cannot unmarshal object into Go struct field .apiVersion", NULL },
        { "PATCH", NODES "/a?fieldValidation=Strict", JSON_PATCH,
          "[{\"op\":\"add\",\"path\":\"/spec/x\",\"value\":1.50},"
          "{\"op\":\"test\",\"path\":\"/spec/x\",\"value\":1.50},"
          "{\"op\":\"add\",\"path\":\"/spec/b\",\"value\":\"\\n\"}]",
          422, "unknown field \"spec.b\", unknown field \"spec.x\"", NULL },
        { "PATCH", NODES "/a", JSON_PATCH,
          "[{\"op\":\"add\",\"path\":\"/apiVersion\",\"value\":\"/\"}]", 400,
          "name must be provided", NULL },
        { "PATCH", NODES "/a", JSON_PATCH,
          "[{\"op\":\"add\",\"path\":\"/apiVersion\",\"value\":\"a/b/c\"}]", 422,
          "unexpected GroupVersion string: a/b/c", NULL },
        { "PATCH", NODES "/a", JSON_PATCH,
          "[{\"op\":\"add\",\"path\":\"/kind\",\"value\":\"a\\nb\"}]", 422,
          "no kind \"a\\nb\" is registered for version \"v1\"", NULL },
        /* a kind that is another one cannot be converted */
        { "PUT", DEPLOYMENTS "/a/scale", NULL,
          "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}", 400,
          "converting (v1.Deployment) to (autoscaling.Scale): unknown conversion", NULL },
        { "POST", EVENTS, NULL, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}", 400,
          "converting (v1.Pod) to (core.Event): unknown conversion", NULL },
        { "GET", DEPLOYMENTS "/a/scale?resourceVersion=x", NULL, NULL, 500,
          "resourceVersion: Invalid value: \"x\"", NULL },
        /* methods and types of bodies come before the form of the answer */
        { "POST", PODS "/a/status", "application/json", "{}", 405, "does not allow this method",
          NULL },
        { "PATCH", PODS "/a/status", "application/json", "{}", 415, "415: Unsupported Media Type",
          NULL },
        /* a status creates a service, and allocates nothing */
        { "PUT", SERVICES "/n/status", NULL,
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"ports\":[{\"port\":80}]}}", 201, "",
          "/spec/clusterIP" },
        { "PUT", DEPLOYMENTS "/n/status", NULL, "{\"metadata\":{\"name\":\"n\"}}", 404, "not found",
          NULL },
        /* a field that a gate drops counts as a change of a slice */
        { "PUT", SLICES "/a", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"addressType\":\"IPv4\",\"endpoints\":[{\"addresses\":["
          "\"10.0.0.1\"],\"deprecatedTopology\":{\"a\":\"b\"}}],\"ports\":[]}",
          200, "2", "/metadata/generation" },
        /* statuses of pods are rounded, and have nothing that is behind a gate */
        { "PUT", PODS "/a/status", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"status\":{\"containerStatuses\":[{\"name\":\"c\","
          "\"allocatedResources\":{\"cpu\":\"0.0001\"}}]}}",
          200, "1m", "/status/containerStatuses/0/allocatedResources/cpu" },
        { "PUT", PODS "/a/status", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"status\":{\"containerStatuses\":[{\"name\":\"c\","
          "\"volumeMounts\":[{\"name\":\"v\",\"mountPath\":\"/v\",\"volumeStatus\":{}}]}]}}",
          200, "", "/status/containerStatuses/0/volumeMounts/0/volumeStatus" },
        { "POST", PODS "?dryRun=All", NULL, "{\"spec\":{\"preemptionPolicy\":\"\"}}", 403,
          "the string value of PreemptionPolicy () must not be provided", NULL },
        { "PUT", PODS "/a/status", NULL,
          "{\"metadata\":{\"name\":\"a\",\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"}}", 200, "",
          "/metadata/deletionTimestamp" },
        /* resources of whole pods, and pods that say what they are */
        { "POST", PODS "?dryRun=All", NULL,
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"x\"}],\"overhead\":{}}}",
          403, "Pod Overhead set without corresponding RuntimeClass defined Overhead", NULL },
        { "POST", PODS "?dryRun=All", NULL,
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"x\"}]},\"status\":{\"qosClass\":\"Guaranteed\"}}",
          201, "Guaranteed", "/status/qosClass" },
        { "POST", PODS "?dryRun=All", NULL,
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"x\"}],\"runtimeClassName\":\"..\"}}",
          500, "invalid resource name \"..\": [may not be '..']", NULL },
        { "PATCH", PODS "/a/ephemeralcontainers", STRATEGIC_PATCH,
          "{\"metadata\":{\"labels\":{\"-\":\"\"}},\"spec\":{\"ephemeralContainers\":[{\"name\":"
          "\"e\",\"image\":\"x\",\"ports\":[],\"resources\":{\"limits\":{}}}]}}",
          422,
          "is invalid: [spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an "
          "Ephemeral Container, spec.ephemeralContainers[0].resources: Forbidden",
          NULL },
        { "PATCH", PODS "/a", MERGE_PATCH,
          "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\" x\"}]}}", 422,
          "must not have leading or trailing whitespace", "/details/causes/1/message" },
        { "POST", NODES "?dryRun=All", NULL,
          "{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":{\"example.com/gpu\":\"1E\"}}}",
          201, "{\"example.com/gpu\":\"1E\"}", "/status/allocatable" },
        { "PATCH", DEPLOYMENTS "/a", MERGE_PATCH,
          "{\"spec\":{\"strategy\":{\"rollingUpdate\":{\"maxSurge\":\"-1%\",\"maxUnavailable\":0}}}"
          "}",
          422, "may not be 0 when `maxSurge` is 0", NULL },
        { "PATCH", DEPLOYMENTS "/a/status", MERGE_PATCH, "{\"status\":{\"collisionCount\":-1}}",
          422,
          "\"a\" is invalid: status.collisionCount: Invalid value: -1: must be greater than or "
          "equal",
          NULL },
        { "PATCH", DEPLOYMENTS "/a", MERGE_PATCH, "{\"metadata\":{\"resourceVersion\":\"a\\nb\"}}",
          500, "strconv.ParseUint: parsing \"a\\nb\": invalid syntax", NULL },
        /* scales */
        { "PATCH", DEPLOYMENTS "/a/scale", MERGE_PATCH, "{\"metadata\":{\"namespace\":\"x\"}}", 400,
          "the namespace of the provided object does not match", NULL },
        { "PATCH", DEPLOYMENTS "/a/scale", MERGE_PATCH, "{\"metadata\":{\"uid\":\"x\"}}", 409,
          "Operation cannot be fulfilled on deployments/scale.apps \"a\": Precondition", NULL },
        { "PUT", DEPLOYMENTS "/a/scale", NULL,
          "{\"metadata\":{\"name\":\"a\",\"uid\":\"x\"},\"spec\":{\"replicas\":1}}", 409,
          "Operation cannot be fulfilled on deployments.apps \"a\": StorageError", NULL },
        { "PATCH", DEPLOYMENTS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"spec\":{\"template\":{"
          "\"metadata\":{\"managedFields\":[{\"fieldsV1\":[1]}]}}}}",
          500, ".spec.template.metadata.managedFields[0].fieldsV1: expected map, got &{[1]}",
          NULL },
        { "POST", "/apis/batch/v1/namespaces/default/jobs?dryRun=All", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":"
          "\"Never\","
          "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}],\"volumes\":[{\"name\":\"v\","
          "\"ephemeral\":{"
          "\"volumeClaimTemplate\":{\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{"
          "\"requests\":{\"storage\":\"1Gi\"}},\"dataSource\":{\"apiGroup\":\"A\",\"kind\":\"K\","
          "\"name\":"
          "\"n\"}}}}}]}}}}",
          422, "dataSource.apiGroup: Invalid value: \"A\": a lowercase RFC 1123 subdomain", NULL },
        { "PATCH", DEPLOYMENTS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"spec\":{\"replicas\":1.0}}", 200,
          "", NULL },
        { "PATCH", DEPLOYMENTS "/a", STRATEGIC_PATCH,
          "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"x\",\"tty\":true},{"
          "\"name\":\"x\","
          "\"image\":\"y\"}],\"hostPID\":1}}}}",
          422, "containers:[map[image:y name:x tty:true] map[image:y name:x]]", NULL },
        /* Owners of what has no owners cannot be told. */
        { "PATCH", DEPLOYMENTS "/a?dryRun=All", MERGE_PATCH,
          "{\"spec\":{\"template\":{\"metadata\":{\"managedFields\":[{\"fieldsV1\":1}]}}}}", 200,
          "", "/metadata/managedFields" },
        { "PATCH", DEPLOYMENTS "/a/scale", APPLY_PATCH,
          "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\",\"spec\":{\"replicas\":\"1\"}}",
          500, ".spec.replicas: expected numeric (int or float), got string", NULL },
        { "PATCH", DEPLOYMENTS "/a/scale", APPLY_PATCH,
          "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\",\"spec\":{\"replicas\":1.5}}", 409,
          "using autoscaling/v1: .spec.replicas", NULL },
        { "POST", PODS "/a/binding", NULL,
          "{\"metadata\":{\"name\":\"a\",\"uid\":\"x\"},\"target\":{\"kind\":\"Node\",\"name\":"
          "\"a\"}}",
          409, "Operation cannot be fulfilled on pods \"a\": StorageError: invalid object", NULL },
        /* configurations that are applied */
        { "PATCH", PODS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":{\"nodeName\":\"x\",\"nodeName\":"
          "\"x\",\"containers\":[{\"name\":\"c\",\"image\":\"y\"}]}}}",
          409, "conflict with", NULL },
        { "PATCH", PODS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"managedFields\":[{\"time\":"
          "\"x\"}],\"labels\":1}}",
          500, ".metadata.labels: expected map", NULL },
        { "PATCH", PODS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"managedFields\":[{\"time\":1}],"
          "\"creationTimestamp\":\"\"}}",
          500, "parsing time \"\" as", NULL },
        { "PATCH", PODS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"managedFields\":[{\"time\":1}]}"
          "}",
          500, "cannot unmarshal number into Go value of type string", NULL },
        { "PATCH", BUDGETS "/n", APPLY_PATCH,
          "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":"
          "\"n\",\"resourceVersion\":\"x\"},\"spec\":{\"minAvailable\":-1}}",
          500, "strconv.ParseUint: parsing \"x\": invalid syntax", NULL },
        { "POST", PODS, NULL,
          "{\"metadata\":{\"generateName\":\"g-\"},\"spec\":{\"priorityClassName\":\"x\"}}", 403,
          "g-", "/details/name" },
        { "POST", NODES, NULL, "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"7\"}}", 500,
          "resourceVersion should not be set on objects to be created", NULL },
        { "PATCH", PODS "/a", STRATEGIC_PATCH, "{\"spec\":{\"containers\":[\"a\"]}}", 500,
          "list element types are not identical: [[map[image:x", NULL },
        { "PATCH", BUDGETS "/new?fieldValidation=Strict&x=", APPLY_PATCH,
          "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":"
          "\"new\",\"name\":\"new\"}}",
          400, "yaml: unmarshal errors:\n  line 1: key \"name\" already set in map", NULL },
        { "PATCH", NODES "/a?fieldManager=m&fieldValidation=Strict", APPLY_PATCH,
          "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"labels\":{\"a.b/c.d\":\"1\","
          "\"a.b/c.d\":\"1\"}}}",
          400, "line 1: key \"a.b/c.d\" already set in map", NULL },
        { "PATCH", NODES "/a?fieldManager=m&fieldValidation=Strict", APPLY_PATCH,
          "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"labels\":{\"a\":\"1\","
          "\"a\":\"1\"},\"creationTimestamp\":\"2020-01-01\"}}",
          500, "failed to convert new object", NULL },
        { "PATCH", PODS "/n", APPLY_PATCH,
          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"n\",\"uid\":\"x\"}}",
          409,
          "uid mismatch: the provided object specified uid x, and no existing object was found",
          NULL },
        { "PATCH", BUDGETS "/n", APPLY_PATCH,
          "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":"
          "\"n\",\"resourceVersion\":\"x\"}}",
          500, "strconv.ParseUint: parsing \"x\": invalid syntax", NULL },
        { "PATCH", BUDGETS "/n", APPLY_PATCH,
          "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":"
          "\"n\",\"resourceVersion\":\"7\"}}",
          201, "n", "/metadata/name" },
        { "PATCH", PODS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"deletionTimestamp\":\"x\"}}",
          500,
          "failed to convert new object (/; /v1, Kind=Pod) to proper version: unable to convert "
          "unstructured object to /v1, Kind=Pod: parsing time",
          NULL },
        { "PATCH", PODS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"labels\":{\"a\":[1,{\"b\":null}]"
          "}}}",
          500,
          "valueUnstructured{Value:[]interface {}{1, map[string]interface {}{\"b\":interface "
          "{}(nil)}}}",
          NULL },
        { "PATCH", BUDGETS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"policy/"
          "v1\",\"kind\":\"PodDisruptionBudget\",\"spec\":{\"minAvailable\":{}}}",
          409, "conflict with", NULL },
        { "PATCH", BUDGETS "/a", APPLY_PATCH,
          "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{"
          "\"managedFields\":[\"x\"]}}",
          500, ".metadata.managedFields[0]: expected map, got &{x}", NULL },
        { "PATCH", DEPLOYMENTS "/a/scale", APPLY_PATCH,
          "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\",\"metadata\":{\"labels\":\"x\"}}",
          500,
          "failed to create typed patch object (/; autoscaling/v1, Kind=Scale): .metadata.labels",
          NULL },
        /* patches */
        { "PATCH", PODS "/a", MERGE_PATCH, "\"x\"", 400,
          "error decoding patch: json: cannot unmarshal string into Go value", NULL },
        { "PATCH", NODES "/a", MERGE_PATCH, "{\"metadata\":{\"finalizers\":[\"z/z\",\"b/b\"]}}",
          200, "z/z", "/metadata/finalizers/0" },
        { "PATCH", PODS "/a", STRATEGIC_PATCH, "{\"metadata\":{\"labels\":{\"a\":true}}}", 422,
          "unrecognized type: string", NULL },
        { "PATCH", PODS "/a", STRATEGIC_PATCH, "null", 200, "a", "/metadata/name" },
        { "PATCH", PODS "/a", STRATEGIC_PATCH, "\"x\"", 400,
          "json: cannot unmarshal string into Go value of type map[string]interface {}", NULL },
        { "PATCH", PODS "/a", JSON_PATCH, "[{\"op\":\"remove\",\"path\":\"/kind\"}]", 200, "Pod",
          "/kind" },
        { "PATCH", PODS "/a", JSON_PATCH, "[{\"op\":\"remove\",\"path\":\"/apiVersion\"}]", 400,
          "undeterminable", NULL },
        { "PATCH", PODS "/a?fieldValidation=Strict", JSON_PATCH,
          "[{\"op\":\"remove\",\"path\":\"/apiVersion\"}]", 422,
          "strict decoding error: unknown field \"metadata\", unknown field \"spec\"", NULL },
        { "PATCH", PODS "/a", JSON_PATCH,
          "[{\"op\":\"remove\",\"path\":\"/apiVersion\"},{\"op\":\"add\",\"path\":\"/kind\","
          "\"value\":\"x\"}]",
          422, "registered for the internal version of group \"\"", NULL },
        { "PATCH", PODS "/a", MERGE_PATCH, "[]", 400,
          "cannot unmarshal array into Go value of type map", NULL },
        { "PATCH", PODS "/a", MERGE_PATCH, "{} x", 400,
          "error decoding patch: invalid character 'x' after top-level value", NULL },
        { "PATCH", PODS "/a", MERGE_PATCH, "null", 400, "Invalid JSON Patch", NULL },
        { "PATCH", PODS "/a?fieldValidation=Ignore", MERGE_PATCH, "{", 400, "Invalid JSON Patch",
          NULL },
        { "PATCH", PODS "/a?fieldValidation=Ignore", MERGE_PATCH, "\"x\"", 400,
          "Invalid JSON Patch", NULL },
        { "PATCH", PODS "/a?fieldValidation=Ignore", MERGE_PATCH, "[]", 422,
          "cannot unmarshal array into Go value of type struct", NULL },
        { "PATCH", PODS "/a", JSON_PATCH,
          "[{\"op\":\"replace\",\"path\":\"/apiVersion\",\"value\":{}}]", 422,
          "cannot unmarshal object into Go struct field .apiVersion of type string", NULL },
        { "PATCH", PODS "/a", MERGE_PATCH, "{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}", 422,
          "spec.containers[0].image: Required value, spec.containers[0].image: Required value",
          "twice" },
        { "PATCH", BUDGETS "/a", MERGE_PATCH, "{\"spec\":{\"unhealthyPodEvictionPolicy\":\"\"}}",
          422, "Unsupported value: \"\"", NULL },
        /* kinds that do not look at metadata: only when all else is right */
        { "POST", BUDGETS, NULL, "{\"spec\":{\"minAvailable\":-1}}", 422,
          "is invalid: spec.minAvailable", NULL },
        { "POST", BUDGETS, NULL, "{}", 422, "metadata.name: Required value", NULL },
        /* members that take a gate, and that are no more */
        { "POST", NODES, NULL, "{\"metadata\":{\"name\":\"o\"},\"spec\":{\"configSource\":{}}}",
          201, "", "/spec/configSource" },
        { "POST", PODS, NULL,
          "{\"metadata\":{\"name\":\"o\"},\"spec\":{\"containers\":[{"
          "\"name\":"
          "\"c\",\"image\":\"x\",\"lifecycle\":{\"stopSignal\":\"x\"}}]}}",
          201, "", "/spec/containers/0/lifecycle" },
        /* overhead without a class, once all else is right */
        { "POST", PODS, NULL,
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"overhead\":{\"cpu\":\"1\"},\"containers\":[{"
          "\"name\":\"c\"}]}}",
          422, "spec.containers[0].image", NULL },
        { "POST", PODS, NULL,
          "{\"metadata\":{\"generateName\":\"p-\"},\"spec\":{\"runtimeClassName\":\"x\","
          "\"containers\":"
          "[{\"name\":\"c\",\"image\":\"x\"}]}}",
          403, "is forbidden: pod rejected: RuntimeClass \"x\" not found", NULL },
        /* names of pods and places */
        { "POST", "/apis/apps/v1/namespaces/default/statefulsets", NULL,
          "{\"metadata\":{\"name\":\"a.b\"}}", 422,
          "metadata.name: Invalid value: \"a.b\": must not contain dots", NULL },
        { "POST", "/apis/batch/v1/namespaces/default/cronjobs", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"timeZone\":\"Europe/Nowhere\"}}", 422,
          "spec.timeZone: Invalid value: \"Europe/Nowhere\": unknown time zone Europe/Nowhere",
          NULL },
        { "PATCH", CLAIMS "/a", MERGE_PATCH,
          "{\"spec\":{\"resources\":{\"requests\":{\"x\":\"1\"}}}}", 422,
          "spec: Forbidden: spec is immutable after creation", NULL },
        /* what is there may go */
        { "PUT", VOLUMES "/a", NULL, "{\"metadata\":{\"name\":\"a\"},\"spec\":{}}", 422,
          "spec.persistentvolumesource is immutable after creation", NULL },
        /* a PUT that creates */
        { "PUT", LEASES "/n", NULL, "{\"metadata\":{\"name\":\"n\",\"uid\":\"x\"},\"spec\":{}}",
          409,
          "Key: /registry/leases/default/n, ResourceVersion: 0, AdditionalErrorMsg: Precondition "
          "failed: UID in precondition: x, UID in object meta: ",
          NULL },
        { "PUT", LEASES "/n?dryRun=All", NULL,
          "{\"metadata\":{\"name\":\"n\",\"uid\":\"x\"},\"spec\":{}}", 409,
          "Key: /leases/default/n, ResourceVersion: 0", NULL },
        { "PUT", LEASES "/n", NULL,
          "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"x\"},\"spec\":{}}", 500,
          "strconv.ParseUint: parsing \"x\": invalid syntax", NULL },
        { "PUT", LEASES "/n", NULL,
          "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"7\"},\"spec\":{}}", 201, "n",
          "/metadata/name" },
        /* what is created only */
        { "GET", REVIEWS "/a", NULL, NULL, 404, "could not find the requested resource", NULL },
        { "GET", REVIEWS, NULL, NULL, 405, "does not allow this method", NULL },
        { "POST", REVIEWS "?fieldManager=m", NULL,
          "{\"spec\":{\"resourceAttributes\":{},\"user\":\"jane\"}}", 201, "m",
          "/metadata/managedFields/0/manager" },
        { "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", NULL,
          "{\"metadata\":{\"name\":\"x\"}}", 201, "", "/metadata/name" },
        { "POST", "/api/v1/namespaces/default/limitranges", NULL, "{}", 201, "-",
          "/metadata/name" },
        /* deletion and dependents */
        { "DELETE", EVENTS "/a?propagationPolicy=Foreground", NULL, NULL, 200, "Success",
          "/status" },
        { "DELETE", "/api/v1/namespaces/default/replicationcontrollers/a", NULL, NULL, 200,
          "orphan", "/metadata/finalizers/0" },
        /* generations */
        { "PATCH", SLICES "/a", MERGE_PATCH, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200, "2",
          "/metadata/generation" },
        { "PATCH", SLICES "/a", MERGE_PATCH, "{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}", 200,
          "1", "/metadata/generation" },
        /* texts and types in one body: the first is told */
        { "POST", "/api/v1/namespaces/default/secrets", NULL,
          "{\"metadata\":[],\"data\":{\"a\":\"x\"}}", 400,
          "cannot unmarshal array into Go struct field Secret.metadata", NULL },
        { "POST", "/api/v1/namespaces/default/secrets", NULL,
          "{\"data\":{\"a\":\"10a\"},\"metadata\":[]}", 400, "illegal base64 data at input byte 0",
          NULL },
        { "PUT", EVENTS "/a", NULL, "{\"metadata\":{\"name\":\"a\"}}", 422,
          "reason: Invalid value: \"\": field is immutable", NULL },
        { "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL,
          "{\"spec\":{\"conversion\":{}}}", 422, "spec.conversion.strategy: Required value", NULL },
        /* a status write takes metadata, too */
        { "PUT", NODES "/a/status", NULL, "{\"metadata\":{\"name\":\"a\"}}", 200, "",
          "/metadata/finalizers" },
        /* one stack or two */
        { "PUT", SERVICES "/bare", NULL,
          "{\"metadata\":{\"name\":\"bare\"},\"spec\":{\"selector\":{\"a\":\"b\"}}}", 422,
          "this cluster is not configured for dual-stack services", NULL },
        { "PATCH", SERVICES "/bare", MERGE_PATCH, "{\"spec\":{\"ipFamilyPolicy\":\"SingleStack\"}}",
          200, "[\"IPv4\"]", "/spec/ipFamilies" },
        { "PUT", SERVICES "/one", NULL,
          "{\"metadata\":{\"name\":\"one\"},\"spec\":{\"clusterIP\":\"None\",\"ipFamilies\":["
          "\"IPv4\",\"IPv6\"]}}",
          422, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families", NULL },
        { "PUT", SERVICES "/both", NULL,
          "{\"metadata\":{\"name\":\"both\"},\"spec\":{\"selector\":{\"a\":\"b\"}}}", 200,
          "[\"IPv4\"]", "/spec/ipFamilies" },
        { "PATCH", SERVICES "/both", MERGE_PATCH, "{\"spec\":{\"selector\":{\"a\":\"b\"}}}", 200,
          "[\"IPv4\",\"IPv6\"]", "/spec/ipFamilies" },
        /* zeroes that a view shows, and what is empty and yet sent */
        /* repeated terms, volumes inside of attachments, devices, definitions, mutations */
        { "POST", "/apis/storage.k8s.io/v1/storageclasses", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"provisioner\":\"p\",\"allowedTopologies\":[{},{}]}",
          422, "allowedTopologies[1].matchLabelExpressions: Duplicate value: \"\"", NULL },
        { "POST", "/apis/storage.k8s.io/v1/volumeattachments", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"source\":{\"inlineVolumeSpec\":{"
          "\"azureDisk\":{}}}}}",
          422, "spec.source.inlineVolumeSpec.azureDisk.diskURI: Unsupported value: \"\"", NULL },
        { "POST", "/apis/resource.k8s.io/v1/resourceslices", NULL,
          "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"devices\":[],\"sharedCounters\":[{\"name\":"
          "\"c\"}]}}",
          422, "only one of `sharedCounters` or `devices` is allowed", NULL },
        { "POST", "/apis/resource.k8s.io/v1/resourceslices", NULL,
          "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"devices\":[{\"name\":\"d\",\"attributes\":{"
          "\"a\":{\"int\":2,\"bool\":true}}}]}}",
          422, "Invalid value: {\"IntValue\":2,\"BoolValue\":true,", NULL },
        { "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL,
          "{\"metadata\":{\"name\":\"ws.x.y\"},\"spec\":{\"versions\":[{\"name\":\"v1\"},{\"name\":"
          "\"v1\",\"storage\":true}]}}",
          422, "status.storedVersions: Invalid value: [\"v1\"]: must have the storage version v1",
          NULL },
        { "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL,
          "{\"metadata\":{\"name\":\"ws.x.y\"},\"spec\":{\"conversion\":{},"
          "\"preserveUnknownFields\":true}}",
          422, "spec.conversion.strategy: Invalid value: \"\": must be None if", NULL },
        { "POST", "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"mutations\":[{\"patchType\":"
          "\"ApplyConfiguration\",\"applyConfiguration\":{\"expression\":\"null\"}}]}}",
          422, "must evaluate to Object but got null_type", NULL },
        /* labels by default are there again when the object is read back from the store */
        { "PATCH", "/api/v1/namespaces/default/replicationcontrollers/a/status", JSON_PATCH,
          "[{\"op\":\"move\",\"from\":\"/metadata/labels\",\"path\":\"/spec/template/"
          "metadata\"}]",
          200, "b", "/metadata/labels/a" },
        { "PATCH", "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/a", JSON_PATCH,
          "[{\"op\":\"copy\",\"path\":\"/metadata/labels/a\",\"from\":\"/status/"
          "currentReplicas\"}]",
          422,
          "cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
          NULL },
        { "POST", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates", NULL,
          "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"metadata\":{\"finalizers\":[]},\"spec\":{}}}",
          422, "spec.metadata.finalizers: Forbidden: cannot be set", NULL },
        /* What is read from bytes is read alone. */
        { "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL,
          "{\"metadata\":{\"name\":\"ws.x.example.com\"},\"spec\":{\"group\":\"x.example.com\","
          "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"ws\",\"kind\":\"W\"},\"versions\":[{"
          "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
          "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":1}}}}}"
          "}]}}",
          400,
          "cannot unmarshal number into Go struct field "
          "JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.type of type "
          "string",
          NULL },
        { "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL,
          "{\"metadata\":{\"name\":\"ws.x.example.com\"},\"spec\":{\"group\":\"x.example.com\","
          "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"ws\",\"kind\":\"W\"},\"versions\":[{"
          "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
          "\"type\":\"object\",\"properties\":{\"a\":{\"additionalProperties\":1}}}}}]}}",
          400, "cannot be handled as a CustomResourceDefinition: boolean or JSON schema expected",
          NULL },
        { "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict",
          NULL,
          "{\"metadata\":{\"name\":\"ws.x.example.com\"},\"spec\":{\"group\":\"x.example.com\","
          "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"ws\",\"kind\":\"W\"},\"versions\":[{"
          "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
          "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":"
          "\"string\",\"type\":\"string\",\"x\":1}}}}}}]}}",
          201, "ws.x.example.com", "/metadata/name" },
        { "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict",
          NULL,
          "{\"metadata\":{\"name\":\"ws.x.example.com\"},\"spec\":{\"group\":\"x.example.com\","
          "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"ws\",\"kind\":\"W\"},\"versions\":[{"
          "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
          "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"type\":\"string\"}}}}}]"
          "}}",
          400, "duplicate field \"spec.versions[0].schema.openAPIV3Schema.properties.a.type\"",
          NULL },
        { "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL,
          "{\"metadata\":{\"name\":\"ws.x.example.com\"},\"spec\":{\"group\":\"x.example.com\","
          "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"ws\",\"kind\":\"W\"},\"versions\":[{"
          "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
          "\"type\":\"object\",\"patternProperties\":{\"a\":{}}}},\"selectableFields\":[{}]}]}}",
          422,
          "spec.schema.openAPIV3Schema: Invalid value: \"\": OpenAPIV3Schema 'patternProperties' "
          "is not supported",
          NULL },
        { "POST", "/apis/apps/v1/namespaces/default/controllerrevisions?fieldValidation=Strict",
          NULL, "{\"metadata\":{\"name\":\"r\"},\"data\":{\"a\":1,\"a\":2},\"revision\":1}", 201,
          "r", "/metadata/name" },
        /* what changes may say, and how it is shown */
        { "PATCH", EVENTS "/a", MERGE_PATCH, "{\"series\":{\"count\":100}}", 422,
          "series.lastObservedTime: Required value", NULL },
        { "PATCH", EVENTS "/a", MERGE_PATCH,
          "{\"series\":{\"count\":1,\"lastObservedTime\":\"2026-01-01T00:00:00.000000Z\"}}", 422,
          "series.count: Invalid value: \"\": should be at least 2", NULL },
        { "PATCH", CLAIMS "/from", MERGE_PATCH,
          "{\"spec\":{\"dataSourceRef\":{\"apiGroup\":\"A\"},\"dataSource\":null}}", 422,
          "spec: Forbidden: spec is immutable after creation", NULL },
        { "PATCH", CLAIMS "/a", MERGE_PATCH,
          "{\"spec\":{\"dataSourceRef\":{\"apiGroup\":\"A\",\"kind\":\"k\",\"name\":\"n\"}}}", 422,
          "spec.dataSourceRef.apiGroup: Invalid value: \"A\"", NULL },
        { "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"webhooks\":[{\"name\":\"a.b.c\",\"sideEffects\":"
          "\"None\",\"admissionReviewVersions\":[\"v1\"],\"clientConfig\":{\"url\":\"101%\"}}]}",
          422, "url must be a valid URL: parse \"101%\": invalid URL escape \"%\"", NULL },
        { "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"webhooks\":[{\"name\":\"a.b.c\",\"sideEffects\":"
          "\"None\",\"admissionReviewVersions\":[\"v1\"],\"clientConfig\":{\"url\":\"https://"
          "h:x\"}}]}",
          422, "invalid port \":x\" after host", NULL },
        { "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"webhooks\":[{\"name\":\"a.b.c\",\"sideEffects\":"
          "\"None\",\"admissionReviewVersions\":[\"v1\"],\"clientConfig\":{\"url\":\"mailto:x\"}}]"
          "}",
          422, "Invalid value: \"mailto\": 'https' is the only allowed URL scheme", NULL },
        { "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"webhooks\":[{\"name\":\"a.b.c\",\"sideEffects\":"
          "\"None\",\"admissionReviewVersions\":[\"v1\"],\"clientConfig\":{\"url\":\"https://"
          "h#a%20b\"}}]}",
          422, "Invalid value: \"a b\": fragments are not permitted", NULL },
        { "PATCH", "/apis/batch/v1/namespaces/default/jobs/a", MERGE_PATCH,
          "{\"metadata\":{\"uid\":\"x\"}}", 422,
          "\"batch.kubernetes.io/job-name\":\"a\",\"controller-uid\"", NULL },
        { "PATCH", "/apis/batch/v1/namespaces/default/jobs/a", MERGE_PATCH,
          "{\"spec\":{\"template\":{\"spec\":{\"hostPID\":true}}}}", 422,
          "spec.template.spec: Invalid value: {\"Volumes\":null", NULL },
        { "POST", "/apis/batch/v1/namespaces/default/jobs", NULL,
          "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":"
          "\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}},\"successPolicy\":{"
          "\"rules\":[]}}}",
          422, "spec.successPolicy: Invalid value: {\"Rules\":[]}: requires indexed", NULL },
        { "POST", "/apis/apps/v1/namespaces/default/statefulsets", NULL,
          "{\"apiVersion\":\"apps/"
          "v1\",\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"s\"},\"spec\":{\"selector\":{"
          "\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},"
          "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}},\"volumeClaimTemplates\":["
          "{\"kind\":1,\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
          "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}]}}",
          400,
          "cannot unmarshal number into Go struct field "
          "PersistentVolumeClaim.spec.volumeClaimTemplates.TypeMeta.kind of type string",
          NULL },
        { "PATCH", "/apis/apps/v1/namespaces/default/statefulsets/s", APPLY_PATCH,
          "{\"apiVersion\":\"apps/"
          "v1\",\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"s\"},\"spec\":{\"selector\":{"
          "\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},"
          "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}},\"volumeClaimTemplates\":["
          "{\"kind\":1,\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
          "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}]}}",
          500, ".spec.volumeClaimTemplates[0].kind: expected string, got", NULL },
        { "PATCH", "/apis/apps/v1/namespaces/default/statefulsets/s", APPLY_PATCH,
          "{\"apiVersion\":\"apps/"
          "v1\",\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"s\"},\"spec\":{\"selector\":{"
          "\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},"
          "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}},\"volumeClaimTemplates\":["
          "{\"kind\":\"x\",\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":["
          "\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}]}}",
          201, "s", "/metadata/name" },
        { "PUT", LEASES "/l?dryRun=All", NULL,
          "{\"apiVersion\":\"coordination.k8s.io/"
          "v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"l\",\"resourceVersion\":\"0\"}}",
          201, "0", "/metadata/resourceVersion" },
        /* What a merge leaves of its patch, and how a patched text is written. */
        { "PATCH", DEPLOYMENTS "/a", STRATEGIC_PATCH,
          "{\"spec\":{\"selector\":{\"matchLabels\":{\"new\":{\"a\":null}}}}}", 422,
          "map[spec:map[selector:map[matchLabels:map[new:map[]]]]]", NULL },
        { "PATCH", DEPLOYMENTS "/a", STRATEGIC_PATCH,
          "{\"spec\":{\"replicas\":\"x\",\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\","
          "\"livenessProbe\":{\"grpc\":{\"$patch\":\"replace\"}}}],\"$setElementOrder/"
          "containers\":[{\"name\":\"c\"}]}}}}",
          422, "map[spec:map[replicas:x template:map[spec:map[]]]]", NULL },
        { "PATCH", DEPLOYMENTS "/a", STRATEGIC_PATCH,
          "{\"spec\":{\"$patch\":\"replace\",\"replicas\":\"x\"}}", 422,
          "map[spec:map[replicas:x]]", NULL },
        { "PATCH", PODS "/a", STRATEGIC_PATCH,
          "{\"spec\":{\"activeDeadlineSeconds\":\"x\",\"topologySpreadConstraints\":[{"
          "\"topologyKey\":\"z\",\"labelSelector\":{\"matchLabels\":{\"$patch\":\"replace\",\"a\":"
          "\"b\"}}}]}}",
          422, "topologySpreadConstraints:[map[labelSelector:map[] topologyKey:z]]", NULL },
        { "PATCH", DEPLOYMENTS "/a", JSON_PATCH,
          "[{\"op\":\"add\",\"path\":\"/spec/replicas\",\"value\":\"<x>\"}]", 422,
          "\\\"replicas\\\":\\\"\\\\u003cx\\\\u003e\\\"", NULL },
        /* Names, and what is shown of what is empty. */
        { "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", NULL,
          "{\"metadata\":{\"name\":\"a\",\"generateName\":\"..\"}}", 422,
          "metadata.generateName: Invalid value: \"..\": may not be '..'", NULL },
        { "POST", "/apis/resource.k8s.io/v1/deviceclasses", NULL,
          "{\"metadata\":{\"name\":\"a\",\"generateName\":\"%\"}}", 422,
          "metadata.generateName: Invalid value: \"%\": may not contain '%'", NULL },
        { "POST", "/apis/resource.k8s.io/v1/deviceclasses", NULL,
          "{\"metadata\":{\"name\":\"A\",\"generateName\":\"%\"}}", 422,
          "is invalid: metadata.name: Invalid value", NULL },
        { "POST", "/apis/resource.k8s.io/v1/deviceclasses", NULL,
          "{\"metadata\":{\"name\":"
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}",
          422, "must be no more than 253 bytes", NULL },
        { "POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"rules\":[]}}", 422,
          "spec: Invalid value: []: either", NULL },
        { "POST", "/api/v1/namespaces/default/secrets", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"type\":\"kubernetes.io/"
          "dockerconfigjson\",\"data\":{\".dockerconfigjson\":\"tg==\"}}",
          422, "invalid character '\302\266' looking for", NULL },
        { "PATCH", SERVICES "/lb", MERGE_PATCH,
          "{\"metadata\":{\"managedFields\":[{\"manager\":\"m\",\"operation\":\"Update\","
          "\"apiVersion\":\"v1\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{}}]}}",
          200, "", "/metadata/managedFields" },
};

static void check_row(size_t i) {
        struct fixture f = fixture_new();

        for (size_t j = 0; j < ARRAY_LEN(objects); j++)
                if (ask(&f, "POST", objects[j].path, objects[j].body) != 201)
                        fail_msg("%s: %s", objects[j].body, f.text);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, CLAIMS "/a/status",
                                   "{\"status\":{\"phase\":\"Bound\"}}"),
                         200);
        bool is_apply = rows[i].type && strcmp(rows[i].type, APPLY_PATCH) == 0;
        char path[256];
        snprintf(path, sizeof(path), "%s%s", rows[i].path,
                 !is_apply                   ? ""
                 : strchr(rows[i].path, '?') ? "&fieldManager=t"
                                             : "?fieldManager=t");
        int code = ask_as(&f, rows[i].method, path, rows[i].type, NULL, rows[i].body);
        bool is_twice = rows[i].member && strcmp(rows[i].member, "twice") == 0;
        const char *member = is_twice || !rows[i].member ? "/message" : rows[i].member;
        const char *told = answer(&f, member);
        bool is_told = *rows[i].part ? !!strstr(told, is_twice ? "image: Required" : rows[i].part)
                                     : *told == 0;
        if (code != rows[i].code || !is_told)
                fail_msg("%s %s %s: %d %s", rows[i].method, rows[i].path, rows[i].body, code,
                         answer(&f, "/message"));
        if (is_twice)
                assert_string_equal(answer(&f, "/details/causes/1/field"),
                                    "spec.containers[0].image");
        fixture_free(&f);
}

static void test_rows(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(rows); i++)
                check_row(i);
}

/* What a template is warned of is said again when it changes, not at every write. */
static void test_warned_of_changes(void **state) {
        static const struct {
                const char *patch;
                bool is_warned;
        } patches[] = {
                { "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", false },
                { "{\"spec\":{\"replicas\":2}}", true },
                { "{}", false },
        };
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(ask(&f, "POST", DEPLOYMENTS,
                             "{\"metadata\":{\"name\":\"w\"},\"spec\":{\"selector\":{"
                             "\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{"
                             "\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
                             "\"image\":\"x\"}],\"volumes\":[{\"name\":\"v\",\"gitRepo\":{"
                             "\"repository\":\"r\"}}]}}}}"),
                         201);
        assert_true(f.has_warning);
        for (size_t i = 0; i < ARRAY_LEN(patches); i++) {
                assert_int_equal(ask_patch(&f, MERGE_PATCH, DEPLOYMENTS "/w", patches[i].patch),
                                 200);
                assert_int_equal(f.has_warning, patches[i].is_warned);
        }
        fixture_free(&f);
}

#define OWNER "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"o\",\"uid\":\"u\"}"

/* Each on the objects that are there by then; "" = nothing is warned of. */
static const struct {
        const char *method, *path, *type, *body, *told;
} warned[] = {
        { "POST", "/apis/node.k8s.io/v1/runtimeclasses", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"handler\":\"a\",\"scheduling\":{"
          "\"nodeSelector\":{\"node-role.kubernetes.io/master\":\"\"}}}",
          "scheduling.nodeSelector: use" },
        { "POST", "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities", NULL,
          "{\"metadata\":{\"name\":\"a\"},\"storageClassName\":\"a\",\"nodeTopology\":{"
          "\"matchExpressions\":[{\"key\":\"beta.kubernetes.io/"
          "os\",\"operator\":\"Exists\"}]}}",
          "nodeTopology.matchExpressions[0].key: beta.kubernetes.io/os is deprecated since "
          "v1.14" },
        { "POST", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", NULL,
          "{\"metadata\":{\"name\":\"a.static.k8s.io\"}}",
          "are reserved for static manifest-based configurations" },
        { "POST", "/api/v1/namespaces/default/serviceaccounts", NULL,
          "{\"metadata\":{\"name\":\"a\",\"annotations\":{\"kubernetes.io/"
          "enforce-mountable-secrets\":\"true\"}}}",
          "deprecated in v1.32+" },
        { "PATCH", "/api/v1/namespaces/default/serviceaccounts/a", MERGE_PATCH,
          "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", "" },
        { "POST", "/apis/batch/v1/namespaces/default/jobs", NULL,
          "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"completionMode\":\"Indexed\","
          "\"completions\":100001,\"parallelism\":10001,\"template\":{\"spec\":{"
          "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}}"
          "}",
          "spec: In Indexed Jobs with a number of completions higher than 10^5" },
        { "POST", "/apis/apps/v1/namespaces/default/statefulsets", NULL,
          "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"revisionHistoryLimit\":-1,"
          "\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{"
          "\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
          "\"x\"}],\"nodeSelector\":{\"app.kubernetes.io/"
          "created-by\":\"x\"}}},\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"v\"},"
          "\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{"
          "\"storage\":\"1500m\"}}}}]}}",
          "spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte "
          "value" },
        { "PATCH", "/apis/apps/v1/namespaces/default/statefulsets/s", MERGE_PATCH,
          "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
          "spec.revisionHistoryLimit: a negative value" },
        { "PATCH", "/apis/apps/v1/namespaces/default/statefulsets/s/status", MERGE_PATCH,
          "{\"status\":{\"replicas\":1}}", "" },
        { "POST", "/api/v1/namespaces/default/replicationcontrollers", NULL,
          "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"selector\":{\"a\":\"b\"},"
          "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":["
          "{\"name\":\"c\",\"image\":\"x\"}],\"nodeSelector\":{\"app.kubernetes.io/"
          "created-by\":\"x\"}}}}}",
          "created-by]: deprecated since v1.9" },
        { "PATCH", "/api/v1/namespaces/default/replicationcontrollers/r", MERGE_PATCH,
          "{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":null}}}}",
          "created-by]: deprecated since v1.9" },
        { "PATCH", "/api/v1/namespaces/default/replicationcontrollers/r", MERGE_PATCH,
          "{\"spec\":{\"replicas\":3}}", "" },
        { "POST", "/api/v1/namespaces/default/pods", NULL,
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\","
          "\"image\":\"x\"}]}}",
          "" },
        { "PATCH", "/api/v1/namespaces/default/pods/p", MERGE_PATCH,
          "{\"metadata\":{\"ownerReferences\":[" OWNER "," OWNER "]}}",
          ".metadata.ownerReferences contains duplicate entries after mutating admission happens; "
          "API server dedups" },
        { "POST", "/api/v1/namespaces/default/pods", NULL,
          "{\"metadata\":{\"name\":\"owned\",\"ownerReferences\":[" OWNER "," OWNER
          "]},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}",
          ".metadata.ownerReferences contains duplicate entries; API server dedups" },
        { "PATCH", "/api/v1/namespaces/default/pods/p/status", MERGE_PATCH,
          "{\"status\":{\"podIP\":\"2001:DB8::1\",\"podIPs\":[{\"ip\":\"2001:DB8::1\"}]}}",
          "status.podIPs[0].ip: IPv6 address" },
        { "POST", "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", NULL,
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"podSelector\":{},\"egress\":[{\"to\":"
          "[{\"ipBlock\":{\"cidr\":\"2001:DB8::/64\"}}]}]}}",
          "spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value" },
        { "POST", "/apis/storage.k8s.io/v1/csidrivers", NULL,
          "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"tokenRequests\":[{\"audience\":\"a\"}"
          "]}}",
          "spec.serviceAccountTokenInSecrets is unset" },
        { "PATCH", "/apis/storage.k8s.io/v1/csidrivers/d", MERGE_PATCH,
          "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", "" },
        { "PATCH", "/apis/storage.k8s.io/v1/csidrivers/d", MERGE_PATCH,
          "{\"spec\":{\"tokenRequests\":[{\"audience\":\"b\"}]}}",
          "spec.serviceAccountTokenInSecrets is unset" },
        { "POST", CLAIMS, NULL,
          "{\"metadata\":{\"name\":\"large\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
          "\"resources\":{\"requests\":{\"storage\":\"1e30\"}}}}",
          "" },
};

static void test_warnings(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(warned); i++) {
                int status = ask_as(&f, warned[i].method, warned[i].path, warned[i].type, NULL,
                                    warned[i].body);

                if (status >= 300 || !strstr(f.warnings, warned[i].told) ||
                    f.has_warning != (*warned[i].told != '\0'))
                        fail_msg("%s: %d %s", warned[i].body, status, f.warnings);
        }
        /* also where nothing else of the request can be read */
        assert_int_equal(ask(&f, "DELETE", "/api/v1/namespaces/default/endpoints/a",
                             "{\"gracePeriodSeconds\":\"x\"}"),
                         400);
        assert_non_null(strstr(f.warnings, "v1 Endpoints is deprecated"));
        fixture_free(&f);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows),
                cmocka_unit_test(test_warned_of_changes),
                cmocka_unit_test(test_warnings),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
