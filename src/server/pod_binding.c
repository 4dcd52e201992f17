/* POST pods/NAME/binding: assigns a pod to a node. */
#include "kinds/admit.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_store.h"
#include "server/api_verbs.h"
#include "server/api_write.h"
#include "server/pod_conditions.h"
#include "server/request_names.h"
#include "server/webhook.h"

static int check_target(struct api_context *context, const struct json_node *binding) {
        const struct json_node *target = node_get(binding, "target");
        struct slice kind = node_get_text(target, "kind");
        bool is_unnamed = node_get_text(target, "name").len == 0;

        if (kind.len && !slice_is(kind, "Node"))
                return fail_plain(context, 500, NULL,
                                  "%starget.kind: Unsupported value: \"" SLICE_FMT
                                  "\": supported values: \"Node\", \"<empty>\"%s",
                                  is_unnamed ? "[" : "", SLICE_ARG(kind),
                                  is_unnamed ? ", target.name: Required value]" : "");
        if (is_unnamed)
                return fail_plain(context, 500, NULL, "target.name: Required value");
        return 0;
}

static int check_pod(struct api_context *context, const struct api_write *write,
                     const struct json_node *binding) {
        const struct json *metadata = json_get(write->old_json, "metadata");
        const struct json *spec = json_get(write->old_json, "spec");
        const struct json_node *given = node_get(binding, "metadata");
        struct slice uid = node_get_text(given, "uid"), node = json_get_text(spec, "nodeName");
        struct slice version = node_get_text(given, "resourceVersion"), name = write->name;

        if (uid.len && !slice_eq(uid, json_get_text(metadata, "uid")))
                return fail_stored_uid(context, write, uid);
        if (version.len && !slice_eq(version, json_get_text(metadata, "resourceVersion")))
                return fail_conflict(
                        context, "pods/binding", "", name,
                        "Precondition failed: ResourceVersion in precondition: " SLICE_FMT
                        ", ResourceVersion in object meta: " SLICE_FMT,
                        SLICE_ARG(version), SLICE_ARG(json_get_text(metadata, "resourceVersion")));
        if (json_get(metadata, "deletionTimestamp"))
                return fail_conflict(context, "pods/binding", "", name,
                                     "pod " SLICE_FMT
                                     " is being deleted, cannot be assigned to a host",
                                     SLICE_ARG(name));
        if (node.len)
                return fail_conflict(context, "pods/binding", "", name,
                                     "pod " SLICE_FMT " is already assigned to node \"" SLICE_FMT
                                     "\"",
                                     SLICE_ARG(name), SLICE_ARG(node));
        if (json_count(json_get(spec, "schedulingGates")))
                return fail_conflict(context, "pods/binding", "", name,
                                     "pod " SLICE_FMT " has non-empty .spec.schedulingGates",
                                     SLICE_ARG(name));
        return 0;
}

static void merge_texts(struct api_write *write, const struct json_node *given,
                        const char *member) {
        struct json_node *metadata = node_get(write->object, "metadata");
        struct node_iter iter = node_iter(node_get(given, member));
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value))
                node_set(write->tree, node_need_object(write->tree, metadata, member), key,
                         node_text(write->tree, node_get_slice(value)));
}

static int pod_binding_bind(struct api_context *context, struct api_write *write,
                            const struct json_node *binding) {
        struct json_node *spec = node_need_object(write->tree, write->object, "spec");
        struct json_node *status = node_need_object(write->tree, write->object, "status");
        struct slice body;

        node_put_text(write->tree, spec, "nodeName",
                      node_get_text(node_get(binding, "target"), "name"));
        node_remove(status, "nominatedNodeName");
        condition_set(write->tree, status,
                      &(struct condition_value){
                              .type = "PodScheduled", .status = "True", .is_pod = true },
                      loop_wall(context->engine->loop));
        merge_texts(write, node_get(binding, "metadata"), "annotations");
        merge_texts(write, node_get(binding, "metadata"), "labels");
        pod_topology_labels(&context->hooks, write->tree, write->object,
                            node_get_text(spec, "nodeName"));
        return write_put(context, write, &body);
}

static int bind_pod(struct api_context *context, struct slice name,
                    const struct json_node *binding) {
        const struct api_resource *pods = context->engine->resources.pods;
        const struct store_object *pod = object_find(context, pods, context->route.ns, name);
        struct api_write write = { 0 };

        if (check_key(context, name) < 0)
                return API_FAILED;
        if (!pod)
                return fail_not_found(context, pods, name);
        if (write_begin(context, pods, pod, &write) < 0)
                return API_FAILED;
        int r = check_pod(context, &write, binding);
        if (r == 0)
                r = pod_binding_bind(context, &write, binding);
        if (r == 0)
                respond_success(context, 201);
        write_end(&write);
        return r;
}

int serve_binding(struct api_context *context) {
        struct decoded decoded = { 0 };
        int r = decode_body(context, "", "v1", "Binding", &decoded);

        if (r < 0)
                return r;
        struct json_node *metadata = node_get(decoded.object, "metadata");
        struct slice name = node_get_text(metadata, "name");
        r = check_given_namespace(context, decoded.object);
        if (r == 0 && context->route.name.len && !slice_eq(name, context->route.name))
                r = fail_bad_request(context, "name in URL does not match name in Binding object");
        if (context->route.name.len == 0) /* as kube-apiserver: the old route looks at no UID */
                node_remove(metadata, "uid");
        if (r == 0)
                r = check_target(context, decoded.object);
        if (r == 0 && context->route.ns.len)
                r = check_namespace(context, context->route.ns, name);
        if (r == 0)
                r = webhooks_allow_action(context, &decoded, "", "Binding");
        if (r == 0)
                r = bind_pod(context, name, decoded.object);
        decoded_release(&decoded);
        return r;
}
