/* Validation by tables: networks, storage, devices; one case for each family of rules. */
#include "kind_test.h"
#include <stdio.h>

#define LOCAL_VOLUME(node)                                                                         \
        "{\"spec\":{\"capacity\":{\"storage\":\"1\"},\"accessModes\":[\"ReadWriteOnce\"],"         \
        "\"persistentVolumeReclaimPolicy\":\"Retain\",\"volumeMode\":\"Filesystem\","              \
        "\"local\":{\"path\":\"/d\"},\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":[{"     \
        "\"matchExpressions\":[{\"key\":\"kubernetes.io/hostname\",\"operator\":\"In\","           \
        "\"values\":[\"" node "\"]}]}]}}}}"
/* A definition whose property spec has these members. */
#define DEFINITION(version, spec)                                                                  \
        "{\"metadata\":{\"name\":\"as.g.x\"},\"spec\":{\"group\":\"g.x\",\"scope\":\"Cluster\","   \
        "\"names\":"                                                                               \
        "{\"plural\":\"as\",\"singular\":\"a\",\"kind\":\"A\",\"listKind\":\"AList\"},"            \
        "\"versions\":[{"                                                                          \
        "\"name\":\"v1\",\"served\":true,\"storage\":true," version                                \
        "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{" spec     \
        "}}}}}]}}"
#define SCHEMA_AT "spec.validation.openAPIV3Schema"

struct rule_case {
        const char *version, *kind, *object, *old;
        const char *complaints; /* "" = valid */
};

#define NET "networking.k8s.io/v1"
#define STORE "storage.k8s.io/v1"
#define DEV "resource.k8s.io/v1"
#define SERVICE(more) "{\"metadata\":{\"name\":\"s\",\"namespace\":\"d\"},\"spec\":{" more "}}"
#define PORTS "\"ports\":[{\"port\":80}]"
#define VOLUME(more)                                                                               \
        "{\"spec\":{\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteOnce\"]," more  \
        "}}"
#define CLAIM(more)                                                                                \
        "{\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{"             \
        "\"storage\":\"1Gi\"}}" more "}}"
#define SLICE(more)                                                                                \
        "{\"spec\":{\"driver\":\"a.example\",\"pool\":{\"name\":\"p\",\"generation\":1,"           \
        "\"resourceSliceCount\":1},\"nodeName\":\"n\"" more "}}"
#define DEVICE(more) SLICE(",\"devices\":[{\"name\":\"d\"" more "}]")
#define DEVICES_CLAIM(requests, more)                                                              \
        "{\"spec\":{\"devices\":{\"requests\":[" requests "]" more "}}}"
#define ADMIT "admissionregistration.k8s.io/v1"
#define FLOW "flowcontrol.apiserver.k8s.io/v1"
#define POLICY(more)                                                                               \
        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"matchConstraints\":{\"resourceRules\":[{"      \
        "\"operations\":[\"CREATE\"],\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":" \
        "["                                                                                        \
        "\"pods\"]}]}," more "}}"
#define ONE "{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"c\"}}"

static const struct rule_case cases[] = {
        /* services: what is allocated comes first and alone */
        { "v1", "Service", SERVICE(PORTS), NULL, "" },
        { "v1", "Service", SERVICE(PORTS ",\"clusterIP\":\"1.2.3.4\",\"sessionAffinity\":\"x\""),
          NULL,
          "spec.clusterIPs: Invalid value: [\"1.2.3.4\"]: failed to allocate IP 1.2.3.4: the "
          "provided network does not match the current range" },
        { "v1", "Service", SERVICE(PORTS ",\"ipFamilyPolicy\":\"RequireDualStack\""), NULL,
          "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not "
          "configured for dual-stack services" },
        { "v1", "Service",
          SERVICE("\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":99}]"), NULL,
          "spec.ports[0].nodePort: Invalid value: 99: provided port is not in the valid range. "
          "The range of valid ports is 30000-32767" },
        { "v1", "Service", SERVICE(PORTS ",\"externalIPs\":[\"127.0.0.1\"]"), NULL,
          "spec.externalIPs[0]: Invalid value: \"127.0.0.1\": may not be in the loopback range "
          "(127.0.0.0/8, ::1/128)" },
        { "v1", "Service", SERVICE(PORTS ",\"loadBalancerSourceRanges\":[\"10.0.0.1/8\"]"), NULL,
          "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is "
          "'LoadBalancer'\nspec.LoadBalancerSourceRanges[0]: Invalid value: \"10.0.0.1/8\": must "
          "not have bits set beyond the prefix length" },
        { "v1", "Service", SERVICE(PORTS ",\"clusterIP\":\"10.96.0.9\""),
          SERVICE(PORTS ",\"type\":\"ClusterIP\",\"clusterIP\":\"10.96.0.8\",\"clusterIPs\":["
                        "\"10.96.0.8\"],\"ipFamilies\":[\"IPv4\"],\"ipFamilyPolicy\":"
                        "\"SingleStack\""),
          "spec.clusterIPs[0]: Invalid value: [\"10.96.0.9\"]: may not change once set" },

        /* endpoints */
        { "v1", "Endpoints", "{\"subsets\":[{\"addresses\":[{\"ip\":\"10.0.0.01\"}]}]}", NULL,
          "subsets[0].addresses[0].ip: Invalid value: \"10.0.0.01\": must not have leading 0s" },
        { "discovery.k8s.io/v1", "EndpointSlice",
          "{\"addressType\":\"IPv6\",\"endpoints\":[{\"addresses\":[\"::0001\"]}],\"ports\":[{"
          "\"port\":1},{\"port\":2}]}",
          NULL,
          "ports[1].name: Duplicate value: \"\"\nendpoints[0].addresses[0]: Invalid value: "
          "\"::0001\": must be in canonical form (\"::1\")" },

        /* networks */
        { NET, "Ingress",
          "{\"spec\":{\"rules\":[{\"host\":\"*.*\",\"http\":{\"paths\":[{\"path\":\"/a/../b\","
          "\"pathType\":\"Exact\",\"backend\":{\"service\":{\"name\":\"s\",\"port\":{\"number\":"
          "80}}}}]}}]}}",
          NULL,
          "spec.rules[0].host: Invalid value: \"*.*\": a wildcard DNS-1123 subdomain must start "
          "with '*.', followed by a valid DNS subdomain, which must consist of lower case "
          "alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. "
          "'*.example.com', regex used for validation is "
          "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n"
          "spec.rules[0].http.paths[0].path: Invalid value: \"/a/../b\": must not contain "
          "'/../'" },
        { NET, "NetworkPolicy",
          "{\"spec\":{\"podSelector\":{},\"ingress\":[{\"ports\":[{\"port\":80,\"endPort\":70}],"
          "\"from\":[{},{\"ipBlock\":{\"cidr\":\"10.0.0.0/8\",\"except\":[\"11.0.0.0/16\"]}}]}]}}",
          NULL,
          "spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to "
          "`port`\nspec.ingress[0].from[0]: Required value: must specify a peer\n"
          "spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: \"11.0.0.0/16\": must be a "
          "strict subset of `cidr`" },
        { NET, "IngressClass", "{\"spec\":{\"controller\":\"x\",\"parameters\":{}}}", NULL,
          "spec.controller: Invalid value: \"x\": must be a domain-prefixed path (such as "
          "\"acme.io/foo\")\nspec.parameters.kind: Required value\nspec.parameters.name: Required "
          "value" },
        { NET, "ServiceCIDR", "{\"spec\":{\"cidrs\":[\"10.0.0.0/8\",\"11.0.0.0/8\"]}}", NULL,
          "spec.cidrs: Invalid value: [\"10.0.0.0/8\",\"11.0.0.0/8\"]: may specify no more than "
          "one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64" },
        { NET, "IPAddress", "{\"spec\":{}}", NULL, "spec.parentRef: Required value" },

        /* volumes and claims */
        { "v1", "PersistentVolume",
          VOLUME("\"nfs\":{\"server\":\"s\",\"path\":\"x\"},\"rbd\":{\"image\":\"i\",\"monitors\":"
                 "[\"m\"]}"),
          NULL,
          "spec.nfs.path: Invalid value: \"x\": must be an absolute path\nspec.rbd: Forbidden: may "
          "not specify more than 1 volume type" },
        { "v1", "PersistentVolume",
          "{\"metadata\":{\"annotations\":{\"volume.beta.kubernetes.io/mount-options\":\"x\"}},"
          "\"spec\":{\"capacity\":{\"storage\":\"1\"},\"accessModes\":[\"ReadWriteOnce\"],"
          "\"hostPath\":{\"path\":\"/x\"}}}",
          NULL,
          "metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not "
          "specify "
          "mount options for this volume type" },
        { "v1", "PersistentVolume",
          "{\"metadata\":{\"annotations\":{\"volume.beta.kubernetes.io/mount-options\":\"x\"}},"
          "\"spec\":{\"capacity\":{\"storage\":\"1\"},\"accessModes\":[\"ReadWriteOnce\"],"
          "\"nfs\":{\"server\":\"s\",\"path\":\"/x\"}}}",
          NULL, "" },
        { "v1", "PersistentVolume", VOLUME("\"local\":{\"path\":\"/a/../b\"}"), NULL,
          "spec.local.path: Invalid value: \"/a/../b\": must not contain '..'\nspec.nodeAffinity: "
          "Required value: Local volume requires node affinity" },
        { "v1", "PersistentVolumeClaim",
          CLAIM(",\"dataSource\":{\"kind\":\"PersistentVolumeClaim\",\"name\":\"a\"}"), NULL, "" },
        { "v1", "PersistentVolumeClaim",
          CLAIM(",\"dataSourceRef\":{\"kind\":\"x\",\"name\":\"a\"},\"volumeMode\":\"x\""), NULL,
          "spec.volumeMode: Unsupported value: \"x\": supported values: \"Block\", "
          "\"Filesystem\"\nspec.dataSource: Invalid value: \"x\": must be 'PersistentVolumeClaim' "
          "when referencing the default apiGroup\nspec.dataSourceRef: Invalid value: \"x\": must "
          "be 'PersistentVolumeClaim' when referencing the default apiGroup" },
        { "v1", "PersistentVolumeClaim", CLAIM(",\"storageClassName\":\"b\""),
          CLAIM(",\"storageClassName\":\"a\",\"volumeMode\":\"Filesystem\""),
          "spec: Forbidden: spec is immutable after creation except resources.requests and "
          "volumeAttributesClassName for bound claims\n@@ -10,7 +10,7 @@\n   }\n  },\n  "
          "\"VolumeName\": \"\",\n- \"StorageClassName\": \"a\",\n+ \"StorageClassName\": \"b\",\n"
          "  \"VolumeMode\": \"Filesystem\",\n  \"DataSource\": null,\n  \"DataSourceRef\": "
          "null,\n" },
        { "v1", "PersistentVolumeClaim", CLAIM(",\"storageClassName\":\"b\""),
          CLAIM(",\"volumeMode\":\"Filesystem\""), "" },
        { STORE, "StorageClass", "{\"provisioner\":\"a/b/c\",\"reclaimPolicy\":\"Recycle\"}", NULL,
          "provisioner: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric "
          "characters, '-', '_' or '.', and must start and end with an alphanumeric character "
          "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
          "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and "
          "'/' (e.g. 'example.com/MyName')\nreclaimPolicy: Unsupported value: \"Recycle\": "
          "supported values: \"Delete\", \"Retain\"" },
        { STORE, "VolumeAttachment", "{\"spec\":{\"attacher\":\"a\",\"nodeName\":\"n\"}}", NULL,
          "spec.source: Required value: must specify exactly one of inlineVolumeSpec and "
          "persistentVolumeName" },
        { STORE, "CSINode",
          "{\"spec\":{\"drivers\":[{\"name\":\"a\",\"nodeID\":\"1\"},{\"name\":\"a\","
          "\"nodeID\":\"1\",\"topologyKeys\":[\"k\",\"k\"]}]}}",
          NULL,
          "spec.drivers[1].name: Duplicate value: \"a\"\nspec.drivers[1]: Duplicate value: "
          "\"k\"" },
        { STORE, "CSIDriver",
          "{\"spec\":{\"tokenRequests\":[{\"audience\":\"a\",\"expirationSeconds\":1}]}}", NULL,
          "spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration "
          "less than 10 minutes" },

        /* devices */
        { DEV, "ResourceClaim", DEVICES_CLAIM(ONE, ""), NULL, "" },
        { DEV, "ResourceClaim",
          DEVICES_CLAIM(ONE "," ONE,
                        ",\"constraints\":[{\"requests\":[\"x\"],\"matchAttribute\":\"a\"}]"),
          NULL,
          "spec.devices.requests[1]: Duplicate value: \"r\"\n"
          "spec.devices.constraints[0].requests[0]: Invalid value: \"x\": must be the name of a "
          "request in the claim or the name of a request and a subrequest separated by '/'\n"
          "spec.devices.constraints[0].matchAttribute: Invalid value: \"a\": a fully qualified "
          "name must be a domain and a name separated by a slash" },
        { DEV, "ResourceClaim",
          DEVICES_CLAIM("{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"c\",\"selectors\":[{"
                        "\"cel\":{\"expression\":\"device.x\"}}]}}",
                        ""),
          NULL,
          "spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "
          "\"device.x\": compilation failed: ERROR: <input>:1:7: undefined field 'x'\n"
          " | device.x\n | ......^" },
        { DEV, "ResourceClaim", DEVICES_CLAIM(ONE, ",\"config\":[]"),
          DEVICES_CLAIM("{\"name\":\"q\",\"exactly\":{\"deviceClassName\":\"c\"}}", ""),
          "spec: Invalid value: "
          "{\"Devices\":{\"Requests\":[{\"Name\":\"r\",\"Exactly\":{\"DeviceClassName\":\"c\","
          "\"Selectors\":null,\"AllocationMode\":\"ExactCount\",\"Count\":1,\"AdminAccess\":null,"
          "\"Tolerations\":null,\"Capacity\":null},\"FirstAvailable\":null}],\"Constraints\":null,"
          "\"Config\":null}}: field is immutable" },
        { DEV, "DeviceClass",
          "{\"spec\":{\"config\":[{\"opaque\":{\"driver\":\"a.b\",\"parameters\":[1]}}]}}", NULL,
          "spec.config[0].opaque.parameters: Invalid value: \"<value omitted>\": must be a valid "
          "JSON object" },
        { DEV, "ResourceSlice", DEVICE(""), NULL, "" },
        { DEV, "ResourceSlice", DEVICE(",\"attributes\":{\"v\":{\"version\":\"1.02.3\"}}"), NULL,
          "spec.devices[0].attributes[v].version: Invalid value: \"1.02.3\": must be a string "
          "compatible with semver.org spec 2.0.0" },
        { DEV, "ResourceSlice",
          DEVICE(",\"allowMultipleAllocations\":true,\"capacity\":{\"m\":{\"value\":\"4\","
                 "\"requestPolicy\":{\"default\":\"3\",\"validRange\":{\"min\":\"1\",\"max\":\"8\","
                 "\"step\":\"4\"}}}}"),
          NULL,
          "spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: \"8\": max is "
          "larger than capacity value: 4\nspec.devices[0].capacity[m].requestPolicy.validRange."
          "step: Invalid value: \"4\": one step 5 is larger than capacity value: 4\n"
          "spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: \"3\": value "
          "is not a multiple of a given step (4) from (1)\nspec.devices[0].capacity[m]."
          "requestPolicy.validRange.step: Invalid value: \"8\": value is not a multiple of a "
          "given step (4) from (1)" },
        { DEV, "ResourceSlice", SLICE(",\"allNodes\":true"), NULL,
          "spec: Invalid value: \"{`nodeName`, `allNodes`}\": exactly one of `nodeName`, "
          "`nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields "
          "are set" },

        /* admission, flow control, API services */
        { ADMIT, "ValidatingAdmissionPolicy",
          POLICY("\"variables\":[{\"name\":\"a\",\"expression\":\"object.x\"}],\"validations\":[{"
                 "\"expression\":\"variables.a > 1 && request.name != ''\"}]"),
          NULL, "" },
        { ADMIT, "ValidatingAdmissionPolicy",
          POLICY("\"variables\":[{\"name\":\"in\",\"expression\":\"x\"}],\"validations\":[{"
                 "\"expression\":\"1\"},{\"expression\":\"authorizer.group('').check()\"}]"),
          NULL,
          "spec.variables[0].name: Invalid value: \"in\": must be a valid CEL identifier\n"
          "spec.variables[0].expression: Invalid value: \"x\": compilation failed: ERROR: "
          "<input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^\n"
          "spec.validations[0].expression: Invalid value: \"1\": must evaluate to bool but got "
          "int\n"
          "spec.validations[1].expression: Invalid value: \"authorizer.group('').check()\": "
          "compilation failed: ERROR: <input>:1:27: found no matching overload for 'check' applied "
          "to 'kubernetes.authorization.GroupCheck.()'\n | authorizer.group('').check()\n | "
          "..........................^" },
        { ADMIT, "ValidatingAdmissionPolicyBinding",
          "{\"spec\":{\"policyName\":\"p\",\"validationActions\":[\"Deny\",\"Warn\"],\"paramRef\":{"
          "\"name\":\"a\"}}}",
          NULL,
          "spec.paramRef.parameterNotFoundAction: Required value\nspec.validationActions: Invalid "
          "value: [\"Deny\",\"Warn\"]: must not contain both Deny and Warn (repeating the same "
          "validation failure information in the API response and headers serves no purpose)" },
        { ADMIT, "MutatingAdmissionPolicy",
          POLICY("\"mutations\":[{\"patchType\":\"JSONPatch\",\"applyConfiguration\":{}}]"), NULL,
          "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is "
          "JSONPatch\nspec.mutations[0].applyConfiguration: Invalid value: "
          "\"{applyConfiguration}\": must not be specified when patchType is JSONPatch\n"
          "spec.reinvocationPolicy: Required value" },
        { ADMIT, "ValidatingWebhookConfiguration",
          "{\"webhooks\":[{\"name\":\"a.b.c\",\"sideEffects\":\"None\",\"admissionReviewVersions\":"
          "[\"v1\"],\"clientConfig\":{\"url\":\"http://h?q\"},\"rules\":[{\"operations\":[\"*\","
          "\"GET\"],\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":[\"*/*\","
          "\"pods\"]}]}]}",
          NULL,
          "webhooks[0].rules[0].operations: Invalid value: [\"*\",\"GET\"]: if '*' is present, "
          "must not specify other operations\nwebhooks[0].rules[0].operations[1]: Unsupported "
          "value: \"GET\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", "
          "\"UPDATE\"\nwebhooks[0].rules[0].resources: Invalid value: [\"*/*\",\"pods\"]: if '*/*' "
          "is present, must not specify other resources\nwebhooks[0].clientConfig.url: Invalid "
          "value: \"http\": 'https' is the only allowed URL scheme; desired format: "
          "https://host[/path]\nwebhooks[0].clientConfig.url: Invalid value: \"q\": query "
          "parameters are not permitted in the URL" },
        { FLOW, "FlowSchema",
          "{\"metadata\":{\"name\":\"f\"},\"spec\":{\"matchingPrecedence\":1,"
          "\"priorityLevelConfiguration\":{\"name\":\"p\"},\"rules\":[{\"subjects\":[{\"kind\":"
          "\"User\",\"group\":{\"name\":\"g\"}}],\"nonResourceRules\":[{\"verbs\":[\"get\"],"
          "\"nonResourceURLs\":[\"/a*\"]}]}]}}",
          NULL,
          "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have "
          "matchingPrecedence 1\nspec.rules[0].subjects[0].user: Required value: user is required "
          "when subject kind is 'User'\nspec.rules[0].subjects[0].group: Forbidden: group is "
          "forbidden when subject kind is not 'Group'\nspec.rules[0].nonResourceRules[0]."
          "nonResourceURLs[0]: Invalid value: \"/a*\": wildcard can only do suffix matching" },
        { FLOW, "PriorityLevelConfiguration",
          "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"type\":\"Limited\",\"limited\":{"
          "\"limitResponse\":{\"type\":\"Queue\",\"queuing\":{\"queues\":4,\"handSize\":5}}}}}",
          NULL,
          "spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater "
          "than queues (4)" },
        { "apiregistration.k8s.io/v1", "APIService",
          "{\"metadata\":{\"name\":\"v1.g\"},\"spec\":{\"group\":\"h\",\"version\":\"v1\","
          "\"groupPriorityMinimum\":1,\"versionPriority\":0}}",
          NULL, "spec.versionPriority: Invalid value: 0: must be positive and less than 1000" },
        { "rbac.authorization.k8s.io/v1", "Role",
          "{\"rules\":[{\"verbs\":[\"get\"],\"resources\":[\"pods\"],\"nonResourceURLs\":[\"/"
          "x\"]}]}",
          NULL,
          "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to "
          "non-resource URLs\nrules[0].nonResourceURLs: Invalid value: [\"/x\"]: rules cannot "
          "apply "
          "to both regular resources and non-resource URLs" },
        { "rbac.authorization.k8s.io/v1", "ClusterRole",
          "{\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":{\"a\":\"-\"}}]}}",
          NULL,
          "aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: \"-\": a valid "
          "label "
          "must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
          "must "
          "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
          "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')\n"
          "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector." },
        { "rbac.authorization.k8s.io/v1", "RoleBinding",
          "{\"roleRef\":{\"kind\":\"Role\",\"name\":\"a/b\"}}", NULL,
          "roleRef.name: Invalid value: \"a/b\": may not contain '/'" },
        { "scheduling.k8s.io/v1", "PriorityClass", "{\"value\":1,\"preemptionPolicy\":\"x\"}", NULL,
          "preemptionPolicy: Unsupported value: \"x\": supported values: \"PreemptLowerPriority\", "
          "\"Never\"" },
        { "networking.k8s.io/v1", "Ingress",
          "{\"spec\":{\"rules\":[{\"http\":{\"paths\":[{\"path\":\"/\",\"backend\":{\"service\":{"
          "\"name\":\"s\",\"port\":{\"number\":1}}}},{\"path\":\"/"
          "\",\"pathType\":\"\",\"backend\":{"
          "\"service\":{\"name\":\"s\",\"port\":{\"number\":1}}}}]}}]}}",
          NULL,
          "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified\n"
          "spec.rules[0].http.paths[1].pathType: Unsupported value: \"\": supported values: "
          "\"Exact\", \"ImplementationSpecific\", \"Prefix\"" },
        { "autoscaling/v1", "HorizontalPodAutoscaler",
          "{\"spec\":{\"maxReplicas\":1,\"targetCPUUtilizationPercentage\":-1,\"scaleTargetRef\":{"
          "\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"d\"}}}",
          NULL,
          "spec.metrics[0].resource.target.averageUtilization: Invalid value: -1: must be greater "
          "than 0" },
        { "v1", "Secret", "{\"type\":\"kubernetes.io/basic-auth\"}", NULL,
          "data[username]: Required value\ndata[password]: Required value" },
        { "v1", "Secret",
          "{\"type\":\"kubernetes.io/dockercfg\",\"data\":{\".dockercfg\":\"WzFd\"}}", NULL,
          "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": json: cannot unmarshal "
          "array into Go value of type map[string]interface {}" },
        { "v1", "ConfigMap", "{\"data\":{\"a\":\"\"},\"binaryData\":{\"a\":\"\"}}", NULL,
          "data[a]: Invalid value: \"a\": duplicate of key present in binaryData" },
        { "events.k8s.io/v1", "Event",
          "{\"metadata\":{\"name\":\"e\",\"namespace\":\"default\"},\"regarding\":{\"kind\":"
          "\"Pod\",\"name\":"
          "\"p\",\"namespace\":\"default\"},\"reason\":\"r\",\"type\":\"Normal\",\"action\":\"a\","
          "\"eventTime\":\"2026-01-01T00:00:00.000000Z\",\"reportingController\":\"x.io/s\","
          "\"reportingInstance\":\"s\",\"series\":{\"count\":1}}",
          NULL,
          "series.count: Invalid value: \"\": should be at least 2\n"
          "series.lastObservedTime: Required value" },
        { "batch/v1", "CronJob",
          "{\"spec\":{\"schedule\":\"@daily\",\"timeZone\":\"EUROPE/"
          "BERLIN\",\"jobTemplate\":{\"spec\":{"
          "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","
          "\"image\":\"i\"}]}}}}}}",
          NULL,
          "spec.timeZone: Invalid value: \"EUROPE/BERLIN\": unknown time zone EUROPE/BERLIN" },
        { "batch/v1", "CronJob",
          "{\"spec\":{\"schedule\":\"@daily\",\"timeZone\":\"local\",\"jobTemplate\":{\"spec\":{"
          "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","
          "\"image\":\"i\"}]}}}}}}",
          NULL,
          "spec.timeZone: Invalid value: \"local\": timeZone must be an explicit time zone as "
          "defined in https://www.iana.org/time-zones\n"
          "spec.timeZone: Invalid value: \"local\": unknown time zone local" },
        { "batch/v1", "CronJob",
          "{\"spec\":{\"schedule\":\"@daily\",\"timeZone\":\"America/Argentina/"
          "Salta\",\"jobTemplate\":{"
          "\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":"
          "\"c\",\"image\":\"i\"}]}}}}}}",
          NULL, "" },
        { "storage.k8s.io/v1", "StorageClass",
          "{\"provisioner\":\"p\",\"volumeBindingMode\":\"Immediate\",\"allowedTopologies\":[{}]}",
          "{\"provisioner\":\"p\",\"reclaimPolicy\":\"Delete\",\"volumeBindingMode\":"
          "\"Immediate\"}",
          "allowedTopologies[0].matchLabelExpressions: Duplicate value: \"\"" },
        { "v1", "PersistentVolume", LOCAL_VOLUME("b"), LOCAL_VOLUME("a"),
          "nodeAffinity: Invalid value: "
          "{\"Required\":{\"NodeSelectorTerms\":[{\"MatchExpressions\":[{"
          "\"Key\":\"kubernetes.io/hostname\",\"Operator\":\"In\",\"Values\":[\"b\"]}],"
          "\"MatchFields\":null}]}}: field is immutable, except for updating from beta label to "
          "GA" },
        { "v1", "ResourceQuota", "{\"spec\":{\"hard\":{\"pods\":\"12345678901234567890\"}}}", NULL,
          "spec.hard[pods]: Invalid value: \"12345678901234567890\": must be an integer" },
        { "apiextensions.k8s.io/v1", "CustomResourceDefinition",
          DEFINITION(
                  "",
                  "\"type\":\"object\",\"default\":{\"b\":1},\"required\":[\"a\"],\"properties\":{"
                  "\"a\":{\"type\":\"string\"}}"),
          NULL,
          SCHEMA_AT ".properties[spec].default: Invalid value: {\"b\":1}: must not have unknown "
                    "fields\n" SCHEMA_AT ".properties[spec].default.a: Required value" },
        { "apiextensions.k8s.io/v1", "CustomResourceDefinition",
          DEFINITION("", "\"type\":\"odd\",\"default\":\"x\""), NULL,
          SCHEMA_AT
          ".properties[spec].default: Invalid value: \"string\":  in body must be of type "
          "odd: \"string\"\n" SCHEMA_AT
          ".properties[spec].type: Unsupported value: \"odd\": supported values: "
          "\"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"" },
        { "apiextensions.k8s.io/v1", "CustomResourceDefinition",
          DEFINITION("", "\"type\":\"object\",\"$schema\":\"x\""), NULL,
          SCHEMA_AT ": Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported" },
        { "apiextensions.k8s.io/v1", "CustomResourceDefinition",
          DEFINITION("", "\"x-kubernetes-validations\":[{\"rule\":\" \",\"reason\":\"odd\"}]"),
          NULL,
          SCHEMA_AT
          ".properties[spec].type: Required value: must not be empty for specified object "
          "fields\n" SCHEMA_AT
          ".properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not "
          "specified\n" SCHEMA_AT
          ".properties[spec].x-kubernetes-validations[0].reason: Unsupported value: "
          "\"odd\": supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", "
          "\"FieldValueInvalid\", \"FieldValueRequired\"" },
        { "apiextensions.k8s.io/v1", "CustomResourceDefinition",
          DEFINITION("", "\"type\":\"object\",\"definitions\":{\"d\":{\"$ref\":\"\"}}"), NULL,
          SCHEMA_AT
          ".properties[spec].definitions: Forbidden: definitions is not supported\n" SCHEMA_AT
          ".properties[spec].definitions[d].$ref: Forbidden: $ref is not supported" },
};

static void each_violation_is_reported(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct kind_test test;

                kind_test_begin(&test, cases[i].version, cases[i].kind, cases[i].object,
                                cases[i].old);
                assert_int_equal(kind_test_write(&test, cases[i].old ? KIND_UPDATE : KIND_CREATE),
                                 0);
                char *complaints = kind_test_complaints(&test);
                if (strcmp(complaints, cases[i].complaints) != 0)
                        print_error("case %zu, %s\n", i, cases[i].object);
                assert_string_equal(complaints, cases[i].complaints);
                free(complaints);
                kind_test_end(&test);
        }
}

static void statuses_of_claims(void **state) {
        static const struct {
                const char *status, *complaints;
        } statuses[] = {
                { "\"allocatedResources\":{\"storage\":\"1Gi\",\"example.com/a\":\"1\"}", "" },
                { "\"allocatedResources\":{\"a\":\"1\"}",
                  "status.allocatedResources: Unsupported value: \"a\": supported values: "
                  "\"storage\"" },
                { "\"allocatedResourceStatuses\":{\"storage\":\"odd\"}",
                  "status.allocatedResourceStatuses: Unsupported value: \"storage\": supported "
                  "values: "
                  "\"ControllerResizeInProgress\", \"ControllerResizeInfeasible\", "
                  "\"NodeResizeInProgress\", \"NodeResizeInfeasible\", \"NodeResizePending\"" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
                char object[200];
                struct kind_test test;

                snprintf(object, sizeof(object), "{\"status\":{%s}}", statuses[i].status);
                kind_test_begin(&test, "v1", "PersistentVolumeClaim", object, "{}");
                assert_int_equal(kind_test_write(&test, KIND_UPDATE_STATUS), 0);
                char *complaints = kind_test_complaints(&test);
                assert_string_equal(complaints, statuses[i].complaints);
                free(complaints);
                kind_test_end(&test);
        }
}

/* Names that follow from the spec; the engine asks for them among its checks of metadata. */
static void names_follow_from_the_spec(void **state) {
        static const struct {
                const char *version, *kind, *object, *name, *complaint;
        } names[] = {
                { "apiregistration.k8s.io/v1", "APIService",
                  "{\"spec\":{\"group\":\"g\",\"version\":\"v1\"}}", "v1.g", NULL },
                { "apiregistration.k8s.io/v1", "APIService",
                  "{\"spec\":{\"group\":\"h\",\"version\":\"v1\"}}", "v1.g",
                  "must be `spec.version+\".\"+spec.group`: \"v1.h\"" },
                { "apiextensions.k8s.io/v1", "CustomResourceDefinition",
                  "{\"spec\":{\"group\":\"g\",\"names\":{\"plural\":\"as\"}}}", "as.g", NULL },
                { "apiextensions.k8s.io/v1", "CustomResourceDefinition",
                  "{\"spec\":{\"group\":\"g\",\"names\":{\"plural\":\"as\"}}}", "as.h",
                  "must be spec.names.plural+\".\"+spec.group" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                struct kind_test test;

                kind_test_begin(&test, names[i].version, names[i].kind, names[i].object, NULL);
                const char *complaint =
                        test.kind->name_of_spec(&test.arena, test.object, slice_of(names[i].name));
                assert_string_equal(complaint ? complaint : "",
                                    names[i].complaint ? names[i].complaint : "");
                kind_test_end(&test);
        }
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(names_follow_from_the_spec),
                cmocka_unit_test(statuses_of_claims),
                cmocka_unit_test(each_violation_is_reported),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
