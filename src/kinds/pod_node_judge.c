/* What a change of a pod that runs asks of its node: the features it declares, and room.
 * kube-apiserver: the plugins NodeDeclaredFeatureValidator and PodResizeValidator. */
#include "kinds/admit.h"
#include "kinds/release.h"

#include "api/object.h"
#include "api/quantity.h"
#include "base/arena.h"
#include "base/util.h"

#define OS_LABEL "kubernetes.io/os"

/* ---- features ---- */

/* owner: the pod's spec, or a container. */
static bool changes_resources(const struct json_node *owner, const struct json *old) {
        const struct json_node *now = node_get(owner, "resources");
        const struct json *was = json_get(old, "resources");

        return now && was ? !node_equal_json(now, was) : now || was;
}

/* Of a container that runs beside the others that is nothing new. */
static bool changes_init(const struct json_node *spec, const struct json *old) {
        struct json_iter iter = json_iter(json_get(old, "initContainers"));
        const struct json_node *list = node_get(spec, "initContainers");
        const struct json *before;

        for (size_t i = 0; json_next(&iter, NULL, &before); i++)
                if (!slice_is(json_get_text(before, "restartPolicy"), "Always") &&
                    changes_resources(node_at(list, i), before))
                        return true;
        return false;
}

/* By name, as upstream lists those that a node lacks. */
static const struct {
        const char *name;
        bool (*is_needed)(const struct json_node *spec, const struct json *old);
} features[] = {
        { "InPlacePodLevelResourcesVerticalScaling", changes_resources },
        { "InPlacePodVerticalScalingInitContainers", changes_init },
};

static bool is_declared(const struct json *node, const char *feature) {
        struct json_iter iter = json_iter(json_get(json_get(node, "status"), "declaredFeatures"));
        const struct json *declared;

        while (json_next(&iter, NULL, &declared))
                if (slice_is(json_text(declared), feature))
                        return true;
        return false;
}

static int judge_features(struct kind_context *context, const struct json_node *pod,
                          const struct json *old, const struct json *node, struct err *err) {
        const struct json_node *spec = node_get(pod, "spec");
        CLEANUP(buf_release) struct buf missing = { 0 };
        struct slice name = node_get_text(spec, "nodeName");
        bool is_needed = false;

        for (size_t i = 0; i < ARRAY_LEN(features); i++) {
                if (!features[i].is_needed(spec, json_get(old, "spec")))
                        continue;
                is_needed = true;
                if (!is_declared(node, features[i].name))
                        buf_printf(&missing, "%s%s", missing.len ? ", " : "", features[i].name);
        }
        if (is_needed && !node)
                return admit_forbid(context, pod, err, "node \"" SLICE_FMT "\" not found",
                                    SLICE_ARG(name));
        if (missing.len)
                return admit_forbid(context, pod, err,
                                    "pod update requires features %s which are not available on "
                                    "node \"" SLICE_FMT "\"",
                                    missing.data, SLICE_ARG(name));
        return 0;
}

/* ---- room ---- */

static void compare_room(struct buf *text, const char *name, int64_t wanted, int64_t room) {
        if (wanted > room)
                buf_printf(text, "%s%s, requested: %lld, allocatable: %lld", text->len ? "; " : "",
                           name, (long long)wanted, (long long)room);
}

/* Appends what the pod asks for and the node does not have. */
static void write_shortage(const struct json_node *pod, const struct json *node, struct buf *out) {
        const struct json *room = json_get(json_get(node, "status"), "allocatable");
        struct json_doc *doc = json_doc_of(node_get(pod, "spec"));
        int64_t cpu = 0, memory = 0;
        struct pod_spec spec;
        struct arena arena;

        arena_init(&arena, 4096);
        quantity_milli(json_get_text(room, "cpu"), &cpu, NULL);
        quantity_value(json_get_text(room, "memory"), &memory, NULL);
        if (doc && pod_spec_decode(json_doc_root(doc), &arena, &spec, NULL) == 0) {
                struct resource_list requests = pod_spec_requests(&spec, false, &arena);

                compare_room(out, "cpu", resource_list_get(&requests, "cpu", NULL), cpu);
                compare_room(out, "memory", resource_list_get(&requests, "memory", NULL), memory);
        }
        arena_release(&arena);
        json_doc_free(doc);
}

static int judge_resize(struct kind_context *context, const struct json_node *pod,
                        const struct json *node, struct err *err) {
        struct slice name = node_get_text(node_get(pod, "spec"), "nodeName");
        const struct json *system =
                json_get(json_get(json_get(node, "metadata"), "labels"), OS_LABEL);
        CLEANUP(buf_release) struct buf shortage = { 0 };

        if (!node)
                return admit_forbid(context, pod, err, "node \"" SLICE_FMT "\" not found",
                                    SLICE_ARG(name));
        if (system && !slice_is(json_text(system), "linux")) {
                context->cause = "UnsupportedPlatform";
                return admit_forbid(context, pod, err,
                                    "pod resize is only supported on linux nodes, node "
                                    "\"" SLICE_FMT "\" is \"" SLICE_FMT "\"",
                                    SLICE_ARG(name), SLICE_ARG(json_text(system)));
        }
        write_shortage(pod, node, &shortage);
        if (shortage.len == 0)
                return 0;
        context->cause = "NodeCapacity";
        return admit_forbid(context, pod, err, "node didn't have enough allocatable resources: %s",
                            shortage.data);
}

/* ---- both ---- */

static bool has_new_generation(const struct json_node *pod, const struct json *old) {
        return node_get_i64(node_get(pod, "metadata"), "generation", 0) !=
               json_get_i64(json_get(old, "metadata"), "generation", 0);
}

JUDGE_HOOK(pod_judge) {
        struct slice name = node_get_text(node_get(object, "spec"), "nodeName");
        bool is_resize = slice_is(context->subresource, "resize");

        if (operation != KIND_UPDATE || (context->subresource.len && !is_resize) || name.len == 0 ||
            !has_new_generation(object, old) || !release_has(context->minor, RELEASE_NODE_FEATURES))
                return 0;
        const struct json *node = context->lookup(context->engine, "", "nodes", SLICE_EMPTY, name);
        int r = judge_features(context, object, old, node, err);
        return r == 0 && is_resize ? judge_resize(context, object, node, err) : r;
}
