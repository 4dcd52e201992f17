/* Bodies and paths of the requests whose cost is measured. */
#include "request_cost.h"

#include "base/buf.h"
#include "base/pace.h"
#include "base/util.h"
#include "config/document.h"
#include "port/virtual_loop.h"
#include "server/api_server.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS "/namespaces/default/"
#define PODS "/api/v1" NS "pods"
#define NODES "/api/v1/nodes"
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

#define ROW(label, where, before_list, item, after_list, pointer)                                  \
        {                                                                                          \
                .name = label, .collection = where, .head = before_list, .element = item,          \
                .tail = after_list, .list = pointer                                                \
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

/* In an element # stands for its number and @ for a port. */
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
        POD_LIST("hostAliases", "{\"ip\":\"10.0.0.1\",\"hostnames\":[\"h#\"]}"),
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
        NODE_LIST("status", "addresses", "{\"type\":\"InternalIP\",\"address\":\"a#\"}"),
        NODE_LIST("status", "images", "{\"names\":[\"i#\"],\"sizeBytes\":1}"),
        NODE_LIST("status", "conditions", "{\"type\":\"T#\",\"status\":\"True\"}"),
        ROW("node.capacity", NODES, IN_NODE("status") "\"capacity\":{", "\"a.b/r#\":\"1\"", "}}}",
            "/status/capacity"),
        ROW("service.ports", "/api/v1" NS "services", IN_SERVICE "\"ports\":[",
            "{\"name\":\"p#\",\"port\":@}", "]}}", "/spec/ports"),
        ROW("service.externalIPs", "/api/v1" NS "services",
            IN_SERVICE "\"ports\":[{\"port\":1}],\"externalIPs\":[", "\"1.2.3.#\"", "]}}",
            "/spec/externalIPs"),
        ROW("endpoints.addresses", "/api/v1" NS "endpoints",
            OBJECT("v1", "Endpoints") "},\"subsets\":[{\"ports\":[{\"port\":80}],\"addresses\":[",
            "{\"ip\":\"10.0.0.#\"}", "]}]}", "/subsets/0/addresses"),
        ROW("endpointslice.endpoints", "/apis/discovery.k8s.io/v1" NS "endpointslices",
            OBJECT("discovery.k8s.io/v1", "EndpointSlice") "},\"addressType\":\"IPv4\","
                                                           "\"ports\":[],\"endpoints\":[",
            "{\"addresses\":[\"10.0.0.#\"]}", "]}", "/endpoints"),
        ROW("configmap.data", "/api/v1" NS "configmaps", OBJECT("v1", "ConfigMap") "},\"data\":{",
            "\"k#\":\"v\"", "}}", "/data"),
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
        ROW("crd.properties", CRDS,
            "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
            "\"metadata\":{\"name\":\"widgets.cost.example\"},\"spec\":{\"group\":\"cost.example\","
            "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\","
            "\"kind\":\"Widget\",\"listKind\":\"WidgetList\"},\"versions\":[{\"name\":\"v1\","
            "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
            "\"properties\":{",
            "\"p#\":{\"type\":\"string\"}", "}}}}]}}",
            "/spec/versions/0/schema/openAPIV3Schema/properties"),
        WIDGET("entries", "[", "{\"name\":\"n#\"}", "]"),
        WIDGET("words", "[", "\"w#\"", "]"),
        WIDGET("numbers", "[", "#", "]"),
        WIDGET("plain", "[", "\"a\"", "]"),
        WIDGET("table", "{", "\"k#\":\"v\"", "}"),
        WIDGET("some", "{", "\"k#\":\"v\"", "}"),
};
const size_t cost_shape_count = ARRAY_LEN(cost_shapes);
const char *const cost_path_names[] = {
        "create",          "create-yaml", "update",      "json-patch", "merge-patch",
        "strategic-patch", "apply",       "apply-again", "list",       "table",
};

/* ---- bodies ---- */

static void element_write(const struct cost_shape *shape, size_t number, struct buf *out) {
        for (const char *at = shape->element; *at; at++) {
                if (*at == '#')
                        buf_printf(out, "%zu", number);
                else if (*at == '@')
                        buf_printf(out, "%zu", number % 65000 + 1);
                else
                        buf_char(out, *at);
        }
}

/* Elements `first` to `first + count`, the last one first. */
static void body_write(const struct cost_shape *shape, size_t first, size_t count,
                       struct buf *out) {
        buf_text(out, shape->head);
        for (size_t i = count; i > 0; i--) {
                element_write(shape, first + i - 1, out);
                buf_text(out, i > 1 ? "," : "");
        }
        buf_text(out, shape->tail);
}

#define PATCH_OPS_MAX 10000

/* Each operation adds at the head, or a member. */
static void json_patch_write(const struct cost_shape *shape, size_t count, struct buf *out) {
        struct buf element = { 0 };
        bool is_member = shape->element[0] == '"' && strstr(shape->element, "\":");

        buf_text(out, "[");
        for (size_t i = 0; i < count && i < PATCH_OPS_MAX; i++) {
                struct slice rest, key = { 0 };

                buf_clear(&element);
                element_write(shape, count + i, &element);
                rest = buf_view(&element);
                if (is_member)
                        slice_split(&rest, ':', &key);
                buf_printf(out, "%s{\"op\":\"add\",\"path\":\"%s/", i ? "," : "", shape->list);
                for (size_t j = 1; j + 1 < key.len; j++)
                        buf_printf(out, key.ptr[j] == '/' ? "~1" : "%c", key.ptr[j]);
                buf_printf(out, "%s\",\"value\":" SLICE_FMT "}", is_member ? "" : "0",
                           SLICE_ARG(rest));
        }
        buf_text(out, "]");
        buf_release(&element);
}

/* ---- requests ---- */

struct cost_server {
        struct virtual_loop *loop;
        struct api_server *server;
};

static int64_t processor_ns(void) {
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Since others were let in. */
struct standstill {
        int64_t since_ns, longest_ns;
};

static void let_in(void *context) {
        struct standstill *held = context;
        int64_t now_ns = processor_ns();

        if (now_ns - held->since_ns > held->longest_ns)
                held->longest_ns = now_ns - held->since_ns;
        held->since_ns = now_ns;
}

static struct cost cost_ask(struct cost_server *server, const char *method, const char *path,
                            const char *type, const char *accept, const struct buf *body) {
        struct api_server_request request = {
                .method = slice_of(method),
                .target = slice_of(path),
                .content_type = slice_of(type),
                .accept = slice_of(accept),
                .body = buf_view(body),
                .user_agent = SLICE_LITERAL("cost/1"),
                .user = &api_user_admin,
        };
        struct http_response response;
        int64_t start = processor_ns();
        struct standstill held = { .since_ns = start };
        struct buf read = { 0 };

        pace_set(&(struct pace){ .let_in = let_in, .context = &held });
        api_server_handle(server->server, &request, &response);
        pace_set(NULL);
        let_in(&held);
        while (response.stream &&
               http_stream_read(response.stream, &read, read.len + (1 << 20)) == HTTP_STREAM_MORE)
                ;
        struct cost cost = { processor_ns() - start, held.longest_ns, response.status,
                             request.body.len };
        buf_release(&read);
        http_response_release(&response);
        return cost;
}

static void prepare(struct cost_server *server, const struct cost_shape *shape, enum cost_path path,
                    size_t count) {
        struct buf body = { 0 };

        if (shape->before) {
                buf_text(&body, shape->before);
                cost_ask(server, "POST", shape->before_path, NULL, NULL, &body);
                buf_clear(&body);
        }
        bool needs_object = path != COST_CREATE && path != COST_CREATE_YAML && path != COST_APPLY;
        if (needs_object)
                body_write(shape, 0, count, &body);
        if (path == COST_APPLY_AGAIN) {
                char target[256];

                snprintf(target, sizeof(target), "%s/c?fieldManager=m", shape->collection);
                cost_ask(server, "PATCH", target, "application/apply-patch+yaml", NULL, &body);
        } else if (needs_object) {
                cost_ask(server, "POST", shape->collection, NULL, NULL, &body);
        }
        buf_release(&body);
}

struct cost_request {
        const char *method, *type, *accept, *query;
};
static const struct cost_request cost_requests[COST_PATHS] = {
        [COST_CREATE] = { .method = "POST" },
        [COST_CREATE_YAML] = { .method = "POST", .type = "application/yaml" },
        [COST_UPDATE] = { .method = "PUT" },
        [COST_JSON_PATCH] = { .method = "PATCH", .type = "application/json-patch+json" },
        [COST_MERGE_PATCH] = { .method = "PATCH", .type = "application/merge-patch+json" },
        [COST_STRATEGIC_PATCH] = { .method = "PATCH",
                                   .type = "application/strategic-merge-patch+json" },
        [COST_APPLY] = { .method = "PATCH",
                         .type = "application/apply-patch+yaml",
                         .query = "?fieldManager=m" },
        [COST_APPLY_AGAIN] = { .method = "PATCH",
                               .type = "application/apply-patch+yaml",
                               .query = "?fieldManager=m&force=true" },
        [COST_LIST] = { .method = "GET" },
        [COST_TABLE] = { .method = "GET",
                         .accept = "application/json;as=Table;v=v1;g=meta.k8s.io" },
};

/* Half of the elements are those of the object before, if there was one. */
static void request_write(const struct cost_shape *shape, enum cost_path path, size_t count,
                          struct buf *out) {
        bool is_new = path == COST_CREATE || path == COST_CREATE_YAML || path == COST_APPLY;

        if (path == COST_CREATE_YAML)
                buf_text(out, "---\n");
        if (path == COST_JSON_PATCH)
                json_patch_write(shape, count, out);
        else if (path != COST_LIST && path != COST_TABLE)
                body_write(shape, is_new ? 0 : count / 2, count, out);
}

static struct cost measured(struct cost_server *server, const struct cost_shape *shape,
                            enum cost_path path, size_t count) {
        const struct cost_request *request = &cost_requests[path];
        bool is_collection = !strcmp(request->method, "POST") || !strcmp(request->method, "GET");
        const char *name = strcmp(shape->collection, CRDS) ? "/c" : "/widgets.cost.example";
        char target[256];
        struct buf body = { 0 };

        snprintf(target, sizeof(target), "%s%s%s", shape->collection, is_collection ? "" : name,
                 request->query ? request->query : "");
        request_write(shape, path, count, &body);
        struct cost cost =
                cost_ask(server, request->method, target, request->type, request->accept, &body);
        buf_release(&body);
        return cost;
}

struct cost cost_measure(const struct cost_shape *shape, enum cost_path path, size_t count) {
        struct cost_server server = { .loop = virtual_loop_new() };

        server.server = api_server_new(
                &(struct api_server_config){ .seed = 1, .read_yaml = document_read_tree },
                virtual_loop_get(server.loop));
        prepare(&server, shape, path, count);
        struct cost cost = measured(&server, shape, path, count);
        api_server_free(server.server);
        virtual_loop_free(server.loop);
        return cost;
}
