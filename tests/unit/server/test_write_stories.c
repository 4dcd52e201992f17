/* Writes one after the other, of which the later ones are judged by what the earlier ones left.
 * Answers are those of kube-apiserver 1.36. */
#include "fake_server.h"

#define PODS "/api/v1/namespaces/default/pods"
#define NODES "/api/v1/nodes"
#define JOBS "/apis/batch/v1/namespaces/default/jobs"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define TEMPLATE                                                                                   \
        "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","     \
        "\"image\":\"a\"}]}}"
#define CONTAINERS "\"containers\":[{\"name\":\"c\",\"image\":\"a\"}]"

struct step {
        const char *method; /* or the media type of a patch */
        const char *path, *body;
        int code;
        const char *text; /* in the answer; NULL = no matter; "!..." = not in it */
};

static void play(const struct step *steps, size_t count) {
        struct fixture f = fixture_new();

        for (size_t i = 0; i < count; i++) {
                const struct step *step = &steps[i];
                bool is_patch = strchr(step->method, '/');
                int code = is_patch ? ask_patch(&f, step->method, step->path, step->body)
                                    : ask(&f, step->method, step->path, step->body);
                bool is_absent = step->text && step->text[0] == '!';
                const char *text = step->text + (is_absent ? 1 : 0);

                if (code != step->code || (step->text && !strstr(f.text, text) != is_absent))
                        fail_msg("%s %s %s: %d %s", step->method, step->path, step->body, code,
                                 f.text);
        }
        fixture_free(&f);
}

static void test_job_status(void **state) {
        static const struct step steps[] = {
                { "POST", JOBS, "{\"metadata\":{\"name\":\"j\"},\"spec\":{" TEMPLATE "}}", 201,
                  NULL },
                { MERGE_PATCH, JOBS "/j/status", "{\"status\":{\"failed\":3,\"succeeded\":2}}", 200,
                  NULL },
                { MERGE_PATCH, JOBS "/j/status", "{\"status\":{\"failed\":null}}", 422,
                  "Invalid value: 0: cannot decrease the failed counter" },
                { MERGE_PATCH, JOBS "/j/status", "{\"status\":{\"succeeded\":null}}", 422,
                  "Invalid value: 0: cannot decrease the succeeded counter" },
                { MERGE_PATCH, JOBS "/j/status",
                  "{\"status\":{\"startTime\":\"2020-01-01T00:00:00Z\",\"conditions\":[{\"type\":"
                  "\"Suspended\",\"status\":\"True\"}]}}",
                  200, NULL },
                /* It resumes when the condition says so, not when it goes. */
                { MERGE_PATCH, JOBS "/j/status",
                  "{\"status\":{\"startTime\":\"2020-01-01T00:01:00Z\",\"conditions\":null}}", 422,
                  "field is immutable for unsuspended job once set" },
                { MERGE_PATCH, JOBS "/j/status",
                  "{\"status\":{\"startTime\":\"2020-01-01T00:01:00Z\",\"conditions\":[{\"type\":"
                  "\"Suspended\",\"status\":\"False\"}]}}",
                  200, NULL },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

#define ANNOTATED(name, key, value)                                                                \
        "{\"metadata\":{\"name\":\"" name "\",\"annotations\":{\"" key "\":\"" value "\"}}}"
#define TAINTS "scheduler.alpha.kubernetes.io/taints"
#define AVOID "scheduler.alpha.kubernetes.io/preferAvoidPods"

static void test_node_annotations(void **state) {
        static const struct step steps[] = {
                { "POST", NODES, ANNOTATED("n", TAINTS, "x"), 422,
                  "metadata.annotations: Invalid value: \\\"" TAINTS "\\\": invalid character "
                  "'x' looking for beginning of value" },
                { "POST", NODES, ANNOTATED("n", TAINTS, "{}"), 422,
                  "json: cannot unmarshal object into Go value of type []core.Taint" },
                { "POST", NODES, ANNOTATED("n", TAINTS, "[1]"), 422,
                  "json: cannot unmarshal number into Go value of type core.Taint" },
                { "POST", NODES, ANNOTATED("n", TAINTS, "[{\\\"key\\\":1}]"), 422,
                  "json: cannot unmarshal number into Go struct field Taint.Key of type string" },
                { "POST", NODES,
                  ANNOTATED("n", TAINTS, "[{\\\"key\\\":\\\"a\\\",\\\"effect\\\":\\\"x\\\"}]"), 422,
                  "metadata.annotations." TAINTS "[0].effect: Unsupported value" },
                { "POST", NODES, ANNOTATED("n", AVOID, "[]"), 422,
                  "metadata.annotations.AvoidPods: Invalid value: \\\"" AVOID
                  "\\\": json: cannot unmarshal array into Go value of type v1.AvoidPods" },
                { "POST", NODES, ANNOTATED("n", AVOID, "{\\\"preferAvoidPods\\\":[{}]}"), 422,
                  AVOID "[0].PodSignature: Required value" },
                { "POST", NODES,
                  ANNOTATED("n", AVOID,
                            "{\\\"preferAvoidPods\\\":[{\\\"podSignature\\\":{"
                            "\\\"podController\\\":{\\\"controller\\\":false}}}]}"),
                  422, "PodSignature.PodController.Controller: Invalid value: false: must point" },
                { "POST", NODES, ANNOTATED("n", TAINTS, "null"), 201, NULL },
                { MERGE_PATCH, NODES "/n/status", ANNOTATED("n", TAINTS, "x"), 422,
                  "metadata.annotations: Invalid value" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

/* {} is no reason to fill it before it is looked at, nor to own it; it shows once it is read back.
 */
static void test_empty_allocatable(void **state) {
        static const struct step steps[] = {
                { "POST", NODES,
                  "{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":{\"cpu\":\"-1\"},"
                  "\"allocatable\":{}}}",
                  422, "!status.allocatable" },
                { "POST", NODES,
                  "{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":{\"cpu\":\"1\"},"
                  "\"allocatable\":{}}}",
                  201, "\"allocatable\":{\"cpu\":\"1\"}" },
                { "GET", NODES "/n", "", 200, "!f:allocatable" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

#define MIRROR "kubernetes.io/config.mirror"
#define ARMOR "container.apparmor.security.beta.kubernetes.io/c"
#define TOLERATIONS "scheduler.alpha.kubernetes.io/tolerations"
#define NOTED(key, value) "{\"metadata\":{\"annotations\":{\"" key "\":" value "}}}"

#define HEALTH(message)                                                                            \
        "{\"status\":{\"containerStatuses\":[{\"name\":\"x\",\"image\":\"\",\"imageID\":\"\","     \
        "\"ready\":true,\"restartCount\":0,\"allocatedResourcesStatus\":[{\"name\":\"cpu\","       \
        "\"resources\":[{\"resourceID\":\"a\",\"health\":\"Healthy\",\"message\":\"" message       \
        "\"}]}]}]}}"

static void test_pod_annotations(void **state) {
        static const struct step steps[] = {
                { "POST", PODS,
                  "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\"," CONTAINERS "}}",
                  201, NULL },
                { MERGE_PATCH, PODS "/p", NOTED(MIRROR, "\"x\""), 422,
                  "metadata.annotations[" MIRROR
                  "]: Forbidden: may not add mirror pod annotation" },
                { MERGE_PATCH, PODS "/p",
                  NOTED("controller.kubernetes.io/pod-deletion-cost", "\"\""), 422,
                  "must be a 32bit integer" },
                { MERGE_PATCH, PODS "/p", NOTED(ARMOR, "\"unconfined\""), 422,
                  "may not add AppArmor annotations" },
                { MERGE_PATCH, PODS "/p", NOTED(TOLERATIONS, "\"x\""), 422,
                  "metadata.annotations: Invalid value: \\\"" TOLERATIONS "\\\": invalid char" },
                { MERGE_PATCH, PODS "/p", NOTED(TOLERATIONS, "\"[{}]\""), 422,
                  TOLERATIONS "[0].operator: Invalid value" },
                { "POST", PODS,
                  "{\"metadata\":{\"name\":\"m\",\"annotations\":{\"" MIRROR "\":\"x\"}},"
                  "\"spec\":{\"nodeName\":\"n\"," CONTAINERS "}}",
                  201, NULL },
                { MERGE_PATCH, PODS "/m", NOTED(MIRROR, "null"), 422,
                  "may not remove or update mirror pod annotation" },
                { MERGE_PATCH, PODS "/m/resize", "{}", 422,
                  "is invalid: []: Forbidden: static pods cannot be resized" },
                { MERGE_PATCH, PODS "/p/status", HEALTH(""), 422,
                  "resources[0].message: Required value: must be non-empty if specified" },
                { MERGE_PATCH, PODS "/p/status", HEALTH("a"), 200, NULL },
                /* Writes of the status change annotations, too. */
                { MERGE_PATCH, PODS "/p/status", NOTED(MIRROR, "\"x\""), 422,
                  "may not add mirror pod annotation" },
                { MERGE_PATCH, PODS "/p/status", NOTED(TOLERATIONS, "\"x\""), 422,
                  "metadata.annotations: Invalid value: \\\"" TOLERATIONS },
                { MERGE_PATCH, PODS "/m/status", NOTED(MIRROR, "null"), 422,
                  "may not remove or update mirror pod annotation" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

#define SECCOMP "seccomp.security.alpha.kubernetes.io/pod"
#define PROFILED(key, text, of_pod, of_container)                                                  \
        "{\"metadata\":{\"generateName\":\"f\",\"annotations\":{\"" key "\":\"" text               \
        "\"}},\"spec\":{\"securityContext\":{" of_pod "},\"containers\":[{\"name\":\"c\","         \
        "\"image\":\"a\",\"securityContext\":{" of_container "}}]}}"
#define PROFILE(member, type) "\"" member "\":{\"type\":\"" type "\"}"
#define LOCALHOST(member, file)                                                                    \
        "\"" member "\":{\"type\":\"Localhost\",\"localhostProfile\":\"" file "\"}"

/* Annotations and fields of AppArmor and seccomp say the same; an AppArmor annotation of a new pod
 * that the pod's own field does not say becomes one of the container. */
static void test_old_profiles(void **state) {
        static const struct step steps[] = {
                { "POST", PODS,
                  PROFILED(ARMOR, "unconfined", "", PROFILE("appArmorProfile", "RuntimeDefault")),
                  422,
                  "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor "
                  "type in annotation and field must match" },
                { "POST", PODS,
                  PROFILED(ARMOR, "localhost/a", LOCALHOST("appArmorProfile", "b"), ""), 201,
                  "localhostProfile\":\"a\"" },
                { "POST", PODS,
                  PROFILED(SECCOMP, "localhost/a", PROFILE("seccompProfile", "Unconfined"), ""),
                  422, "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in" },
                { "POST", PODS,
                  PROFILED(SECCOMP, "docker/default", PROFILE("seccompProfile", "RuntimeDefault"),
                           PROFILE("seccompProfile", "Unconfined")),
                  201, NULL },
                { "POST", DEPLOYMENTS,
                  "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
                  "\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"},\"annotations\":"
                  "{\"" SECCOMP "\":\"unconfined\"}},\"spec\":{\"securityContext\":{" PROFILE(
                          "seccompProfile", "RuntimeDefault") "}," CONTAINERS "}}}}",
                  422, "spec.template.spec.securityContext.seccompProfile.type: Forbidden" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

#define RESIZE(cpu)                                                                                \
        "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"" cpu   \
        "\"}}}]}}"
#define SIZED(name, more)                                                                          \
        "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"nodeName\":\"n\"," more                 \
        "\"containers\":[{\"name\":\"c\",\"image\":\"a\",\"resources\":{\"requests\":{\"cpu\":"    \
        "\"1\"}}}]}}"

/* A resize asks the node for room and, for some of them, features. */
static void test_resize(void **state) {
        static const struct step steps[] = {
                { "POST", PODS, SIZED("p", ""), 201, NULL },
                { STRATEGIC_PATCH, PODS "/p/resize", RESIZE("2"), 403, "node \\\"n\\\" not found" },
                { "POST", NODES,
                  "{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":{\"cpu\":\"4\","
                  "\"memory\":\"1Gi\"}}}",
                  201, NULL },
                { STRATEGIC_PATCH, PODS "/p/resize", RESIZE("2"), 200, NULL },
                { STRATEGIC_PATCH, PODS "/p/resize", RESIZE("5"), 403,
                  "node didn't have enough allocatable resources: cpu, requested: 5000, "
                  "allocatable: 4000" },
                { STRATEGIC_PATCH, PODS "/p/resize", RESIZE("5"), 403,
                  "\"causes\":[{\"reason\":\"NodeCapacity\"}]" },
                { "POST", PODS, SIZED("q", "\"resources\":{\"requests\":{\"cpu\":\"1\"}},"), 201,
                  NULL },
                { STRATEGIC_PATCH, PODS "/q/resize",
                  "{\"spec\":{\"resources\":{\"requests\":{\"cpu\":\"2\"}}}}", 403,
                  "pod update requires features InPlacePodLevelResourcesVerticalScaling which are "
                  "not available on node \\\"n\\\"" },
                { STRATEGIC_PATCH, NODES "/n/status",
                  "{\"status\":{\"declaredFeatures\":[\"InPlacePodLevelResourcesVerticalScaling\"]"
                  "}}",
                  200, NULL },
                { STRATEGIC_PATCH, PODS "/q/resize",
                  "{\"spec\":{\"resources\":{\"requests\":{\"cpu\":\"2\"}}}}", 200, NULL },
                { MERGE_PATCH, NODES "/n",
                  "{\"metadata\":{\"labels\":{\"kubernetes.io/os\":\"windows\"}}}", 200, NULL },
                { STRATEGIC_PATCH, PODS "/p/resize", RESIZE("3"), 403,
                  "pod resize is only supported on linux nodes, node \\\"n\\\" is \\\"windows" },
                { "POST", PODS,
                  "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"resources\":{}," CONTAINERS "}}", 201,
                  NULL },
                { "PUT", PODS "/r/resize",
                  "{\"metadata\":{\"name\":\"r\"},\"spec\":{" CONTAINERS "}}", 422,
                  "spec: Forbidden: only cpu and memory resources are mutable" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

/* What an eviction takes of a budget is the server's. */
static void test_budget_owner(void **state) {
        static const struct step steps[] = {
                { "POST", PODS,
                  "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"}},\"spec\":{" CONTAINERS
                  "}}",
                  201, NULL },
                { MERGE_PATCH, PODS "/p/status",
                  "{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\","
                  "\"status\":\"True\"}]}}",
                  200, NULL },
                { "POST", BUDGETS,
                  "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
                  "\"b\"}}}}",
                  201, NULL },
                { MERGE_PATCH, BUDGETS "/b/status",
                  "{\"status\":{\"disruptionsAllowed\":2,\"observedGeneration\":1}}", 200, NULL },
                { "POST", PODS "/p/eviction", "{\"metadata\":{\"name\":\"p\"}}", 201, NULL },
                { "GET", BUDGETS "/b", "", 200,
                  "{\"manager\":\"kube-apiserver\",\"operation\":\"Update\",\"apiVersion\":"
                  "\"policy/v1\"" },
                { "GET", BUDGETS "/b", "", 200,
                  "\"f:status\":{\"f:disruptedPods\":{\".\":{},\"f:p\":{}},"
                  "\"f:disruptionsAllowed\":{}}" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

/* The time of a condition stays as long as what it says does, even where it is null. */
static void test_bound_condition(void **state) {
        static const struct step steps[] = {
                { "POST", PODS, "{\"metadata\":{\"name\":\"p\"},\"spec\":{" CONTAINERS "}}", 201,
                  NULL },
                { MERGE_PATCH, PODS "/p/status",
                  "{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\"}]}}",
                  200, NULL },
                { "POST", PODS "/p/binding",
                  "{\"metadata\":{\"name\":\"p\"},\"target\":{\"kind\":\"Node\",\"name\":\"n\"}}",
                  201, NULL },
                { "GET", PODS "/p", "", 200, "\"lastTransitionTime\":null" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

#define CLAIMS "/api/v1/namespaces/default/persistentvolumeclaims"
#define CLASSES "/apis/storage.k8s.io/v1/storageclasses"
#define CLAIM(name, class)                                                                         \
        "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"     \
        "\"storageClassName\":\"" class "\",\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}"
#define GROW "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}"
#define BOUND "{\"status\":{\"phase\":\"Bound\"}}"

static void test_claims_grow(void **state) {
        static const char refused[] = "only dynamically provisioned pvc can be resized and the "
                                      "storageclass that provisions the pvc must support resize";
        static const struct step steps[] = {
                { "POST", CLASSES,
                  "{\"metadata\":{\"name\":\"a\"},\"provisioner\":\"a.b/c\","
                  "\"allowVolumeExpansion\":true}",
                  201, NULL },
                { "POST", CLASSES, "{\"metadata\":{\"name\":\"b\"},\"provisioner\":\"a.b/c\"}", 201,
                  NULL },
                { "POST", CLAIMS, CLAIM("x", "a"), 201, NULL },
                { MERGE_PATCH, CLAIMS "/x", GROW, 422, NULL },
                { MERGE_PATCH, CLAIMS "/x/status", BOUND, 200, NULL },
                { MERGE_PATCH, CLAIMS "/x", GROW, 200, NULL },
                { "POST", CLAIMS, CLAIM("y", "b"), 201, NULL },
                { MERGE_PATCH, CLAIMS "/y/status", BOUND, 200, NULL },
                { MERGE_PATCH, CLAIMS "/y", GROW, 403, refused },
                { "POST", CLAIMS, CLAIM("z", ""), 201, NULL },
                { MERGE_PATCH, CLAIMS "/z/status", BOUND, 200, NULL },
                { MERGE_PATCH, CLAIMS "/z", GROW, 403, refused },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

#define DEFAULT(name, key, rest)                                                                   \
        "{\"metadata\":{\"name\":\"" name "\",\"annotations\":{\"" key                             \
        ".kubernetes.io/is-default-class\":\"true\"}}," rest "}"
#define INGRESSES "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
#define INGRESS_CLASSES "/apis/networking.k8s.io/v1/ingressclasses"
#define INGRESS(name, annotation)                                                                  \
        "{\"metadata\":{\"name\":\"" name "\",\"annotations\":{\"" annotation                      \
        "\":\"x\"}},\"spec\":{\"defaultBackend\":{\"service\":{\"name\":\"s\",\"port\":{"          \
        "\"number\":"                                                                              \
        "80}}}}}"
#define OLD_CLASS "volume.beta.kubernetes.io/storage-class"

static void test_default_classes(void **state) {
        static const struct step steps[] = {
                { "POST", CLASSES, DEFAULT("a", "storageclass", "\"provisioner\":\"a.b/c\""), 201,
                  NULL },
                { "POST", INGRESS_CLASSES,
                  DEFAULT("i", "ingressclass", "\"spec\":{\"controller\":\"a.b/c\"}"), 201, NULL },
                { "POST", INGRESSES, INGRESS("x", "a"), 201, "\"ingressClassName\":\"i\"" },
                { "POST", INGRESSES, INGRESS("y", "kubernetes.io/ingress.class"), 201,
                  "!ingressClassName" },
                { "POST", CLAIMS,
                  "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
                  "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}",
                  201, "\"storageClassName\":\"a\"" },
                { "POST", CLAIMS,
                  "{\"metadata\":{\"name\":\"y\",\"annotations\":{\"" OLD_CLASS "\":\"b\"}},"
                  "\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
                  "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}",
                  201, "!storageClassName" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

#define DAEMONS "/apis/apps/v1/namespaces/default/daemonsets"

/* Warnings are about the template: who leaves it is told nothing. */
#define DAEMONS "/apis/apps/v1/namespaces/default/daemonsets"
#define ROLLBACK "deprecated.deployment.rollback.to"
#define GENERATION "deprecated.daemonset.template.generation"
#define WORKLOAD(key, value)                                                                       \
        "{\"metadata\":{\"name\":\"w\",\"annotations\":{\"" key "\":\"" value                      \
        "\"}},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":"  \
        "{\"labels\":{\"a\":\"b\"}},\"spec\":{" CONTAINERS "}}}}"

/* Annotations that are numbers of the server's own types. */
static void test_number_annotations(void **state) {
        static const struct step steps[] = {
                { "POST", DEPLOYMENTS, WORKLOAD(ROLLBACK, "x"), 400,
                  "cannot be handled as a Deployment: failed to parse annotation[" ROLLBACK
                  "]=x as int64: strconv.ParseInt: parsing \\\"x\\\": invalid syntax" },
                { "POST", DEPLOYMENTS, WORKLOAD(ROLLBACK, "-1"), 422,
                  "spec.rollback.version: Invalid value: -1: must be greater than or equal to 0" },
                { "POST", DEPLOYMENTS, WORKLOAD(ROLLBACK, ""), 201, "!" ROLLBACK },
                { STRATEGIC_PATCH, DEPLOYMENTS "/w", NOTED(ROLLBACK, "\"x\""), 500,
                  "\"message\":\"failed to parse annotation" },
                { MERGE_PATCH, DEPLOYMENTS "/w", NOTED(ROLLBACK, "\"x\""), 422,
                  "failed to parse annotation" },
                { MERGE_PATCH, DEPLOYMENTS "/w", NOTED(ROLLBACK, "\"+05\""), 200,
                  ROLLBACK "\":\"5\"" },
                /* The spec has it: a write of the status does not change it. */
                { MERGE_PATCH, DEPLOYMENTS "/w/status", NOTED(ROLLBACK, "\"7\""), 200,
                  ROLLBACK "\":\"5\"" },
                { MERGE_PATCH, DEPLOYMENTS "/w/status", NOTED(ROLLBACK, "null"), 200,
                  ROLLBACK "\":\"5\"" },
                { MERGE_PATCH, DEPLOYMENTS "/w", NOTED(ROLLBACK, "null"), 200, "!" ROLLBACK },
                { MERGE_PATCH, DEPLOYMENTS "/w/status", NOTED(ROLLBACK, "\"7\""), 200,
                  "!" ROLLBACK "\":\"" },
                { "POST", DAEMONS, WORKLOAD(GENERATION, ""), 400,
                  "cannot be handled as a DaemonSet: strconv.ParseInt: parsing \\\"\\\": invalid "
                  "syntax" },
                { "POST", DAEMONS, WORKLOAD(GENERATION, "007"), 201, GENERATION "\":\"7\"" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

#define SERVICES "/api/v1/namespaces/default/services"
#define PORT(name, protocol, more) "{\"name\":\"" name "\",\"protocol\":\"" protocol "\"," more "}"
#define SERVICE(ports)                                                                             \
        "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":\"NodePort\",\"ports\":[" ports "]}}"
#define RANGES "service.beta.kubernetes.io/load-balancer-source-ranges"

/* Ports of one number share a port of the nodes when a service is made. */
static void test_node_ports(void **state) {
        static const struct step steps[] = {
                { "POST", SERVICES,
                  SERVICE(PORT("u", "UDP", "\"port\":53") "," PORT(
                          "t", "TCP", "\"port\":53,\"nodePort\":30053")),
                  201, "\"UDP\",\"port\":53,\"targetPort\":53,\"nodePort\":30053" },
                { "DELETE", SERVICES "/s", "", 200, NULL },
                { "POST", SERVICES,
                  SERVICE(PORT("u", "UDP", "\"port\":53,\"nodePort\":30053") "," PORT(
                          "t", "TCP", "\"port\":54,\"nodePort\":30053")),
                  422, "spec.ports[1].nodePort: Invalid value: 30053: provided port is already" },
                { "POST", SERVICES,
                  SERVICE(PORT("u", "UDP", "\"port\":53") "," PORT("t", "TCP",
                                                                   "\"port\":53,\"nodePort\":99")),
                  422, "spec.ports[0].nodePort: Invalid value: 99: provided port is not in" },
                { "POST", SERVICES,
                  "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"type\":\"LoadBalancer\",\"ports\":["
                  "{\"port\":80}]}}",
                  201, NULL },
                /* Only who changes what ranges an annotation has hears that they are none. */
                { MERGE_PATCH, SERVICES "/b/status", NOTED(RANGES, "\"x\""), 200, NULL },
                { MERGE_PATCH, SERVICES "/b", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200,
                  NULL },
                { MERGE_PATCH, SERVICES "/b", NOTED(RANGES, "\"y\""), 422,
                  "must be a valid CIDR value" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

#define DEVICE_CLAIMS "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
#define QUOTAS "/api/v1/namespaces/default/resourcequotas"
#define DEVICE "{\"driver\":\"a.b\",\"pool\":\"p\",\"device\":\"d\"}"
#define SCOPED(values)                                                                             \
        "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"hard\":{\"services\":\"2\"},\"scopeSelector\"" \
        ":{\"matchExpressions\":[{\"scopeName\":\"BestEffort\",\"operator\":\"Exists\"" values     \
        "}]}}}"
#define REQUESTED(first, second)                                                                   \
        "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"devices\":{\"requests\":[{\"name\":"           \
        "\"r\"," first "},{\"name\":\"r\"," second "}],\"constraints\":[{\"requests\":[\"r/s\"],"  \
        "\"matchAttribute\":\"a.b/c\"}]}}}"
#define EXACTLY "\"exactly\":{\"deviceClassName\":\"c\"}"
#define ANY_OF "\"firstAvailable\":[{\"name\":\"s\",\"deviceClassName\":\"c\"}]"

/* What complaints show of claims, quotas and services. */
static void test_complaints(void **state) {
        static const struct step steps[] = {
                { "POST", DEVICE_CLAIMS, "{\"metadata\":{\"name\":\"d\"}}", 201, NULL },
                { MERGE_PATCH, DEVICE_CLAIMS "/d/status",
                  "{\"status\":{\"devices\":[" DEVICE "," DEVICE "]}}", 422,
                  "status.devices[1]: Duplicate value: {\\\"Driver\\\":\\\"a.b\\\",\\\"Pool\\\":"
                  "\\\"p\\\",\\\"Device\\\":\\\"d\\\",\\\"ShareID\\\":\\\"\\\"}" },
                /* Of requests with one name, the last has the subrequests. */
                { "POST", DEVICE_CLAIMS, REQUESTED(ANY_OF, EXACTLY), 422,
                  "constraints[0].requests[0]: Invalid value: \\\"r/s\\\"" },
                { "POST", DEVICE_CLAIMS, REQUESTED(EXACTLY, ANY_OF), 422, "!constraints[0]" },
                { "POST", QUOTAS, SCOPED(""), 422, "\\\"Values\\\":null}]}: unsupported scope" },
                { "POST", QUOTAS, SCOPED(",\"values\":[]"), 422,
                  "\\\"Values\\\":[]}]}: unsupported scope" },
                { "POST", SERVICES,
                  "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":\"ExternalName\","
                  "\"externalName\":\"a.b\",\"internalTrafficPolicy\":\"x\"}}",
                  422, "spec.internalTrafficPolicy: Unsupported value: \\\"x\\\"" },
                { "POST", SERVICES,
                  "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":\"ExternalName\","
                  "\"externalName\":\"a.b\",\"internalTrafficPolicy\":\"Local\"}}",
                  201, "!internalTrafficPolicy\":\"" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

static void test_daemon_warnings(void **state) {
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(
                ask(&f, "POST", DAEMONS,
                    "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
                    "\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":"
                    "{" CONTAINERS
                    ",\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"z\","
                    "\"whenUnsatisfiable\":\"ScheduleAnyway\"}]}}}}"),
                201);
        assert_true(f.has_warning);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, DAEMONS "/d",
                                   "{\"spec\":{\"updateStrategy\":{\"type\":\"OnDelete\"}}}"),
                         200);
        assert_false(f.has_warning);
        assert_int_equal(ask_patch(&f, MERGE_PATCH, DAEMONS "/d",
                                   "{\"spec\":{\"template\":{\"spec\":{\"hostNetwork\":true}}}}"),
                         200);
        assert_true(f.has_warning);
        fixture_free(&f);
}

/* Upstream's printer of kinds that have no columns of their own makes no list without objects. */
static void test_empty_tables(void **state) {
        static const char table[] = "application/json;as=Table;v=v1;g=meta.k8s.io";
        struct fixture f = fixture_new();

        (void)state;
        assert_int_equal(
                ask_as(&f, "GET", "/api/v1/namespaces/default/limitranges", NULL, table, ""), 200);
        assert_non_null(strstr(f.text, "\"rows\":null}"));
        assert_int_equal(ask_as(&f, "GET", PODS, NULL, table, ""), 200);
        assert_non_null(strstr(f.text, "\"rows\":[]}"));
        fixture_free(&f);
}

#define RESOURCE_CLAIMS "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"

/* Of the metadata that comes with a status, the name's beginning counts, and no end. */
static void test_status_metadata(void **state) {
        static const char body[] = "{\"metadata\":{\"name\":\"c\",\"generateName\":\"a-\","
                                   "\"labels\":{\"a\":\"b\"},"
                                   "\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"}}";
        static const struct step steps[] = {
                { "POST", RESOURCE_CLAIMS, "{\"metadata\":{\"name\":\"c\"}}", 201, NULL },
                { "PUT", RESOURCE_CLAIMS "/c/status", body, 200, "\"generateName\":\"a-\"" },
                { "GET", RESOURCE_CLAIMS "/c", "", 200, "!deletionTimestamp" },
                { "GET", RESOURCE_CLAIMS "/c", "", 200, "!labels" },
        };

        (void)state;
        play(steps, ARRAY_LEN(steps));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_job_status),        cmocka_unit_test(test_node_annotations),
                cmocka_unit_test(test_empty_allocatable), cmocka_unit_test(test_pod_annotations),
                cmocka_unit_test(test_old_profiles),      cmocka_unit_test(test_resize),
                cmocka_unit_test(test_budget_owner),      cmocka_unit_test(test_bound_condition),
                cmocka_unit_test(test_claims_grow),       cmocka_unit_test(test_number_annotations),
                cmocka_unit_test(test_node_ports),        cmocka_unit_test(test_complaints),
                cmocka_unit_test(test_daemon_warnings),   cmocka_unit_test(test_empty_tables),
                cmocka_unit_test(test_default_classes),   cmocka_unit_test(test_status_metadata),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
