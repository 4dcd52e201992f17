/* Which claims of volumes may grow. kube-apiserver: the plugin PersistentVolumeClaimResize. */
#include "kinds/admit.h"

#include "api/quantity.h"

#define CLASS_ANNOTATION "volume.beta.kubernetes.io/storage-class"

static struct slice size_before(const struct json *spec) {
        return json_get_text(json_get(json_get(spec, "resources"), "requests"), "storage");
}

static struct slice size_now(const struct json_node *spec) {
        return node_get_text(node_get(node_get(spec, "resources"), "requests"), "storage");
}

/* The annotation of the first versions comes before the member. */
static struct slice class_before(const struct json *claim) {
        const struct json *annotations = json_get(json_get(claim, "metadata"), "annotations");

        return json_get(annotations, CLASS_ANNOTATION)
                       ? json_get_text(annotations, CLASS_ANNOTATION)
                       : json_get_text(json_get(claim, "spec"), "storageClassName");
}

static struct slice class_now(const struct json_node *claim) {
        const struct json_node *annotations = node_get(node_get(claim, "metadata"), "annotations");

        return node_get(annotations, CLASS_ANNOTATION)
                       ? node_get_text(annotations, CLASS_ANNOTATION)
                       : node_get_text(node_get(claim, "spec"), "storageClassName");
}

static bool may_grow(struct kind_context *context, const struct json_node *claim,
                     const struct json *old) {
        struct slice name = class_now(claim);

        if (name.len == 0 || !slice_eq(name, class_before(old)))
                return false;
        const struct json *found = context->lookup(context->engine, "storage.k8s.io",
                                                   "storageclasses", SLICE_EMPTY, name);
        return json_is_true(json_get(found, "allowVolumeExpansion"));
}

int volume_claim_resize_judge(struct kind_context *context, enum kind_operation operation,
                              const struct json_node *claim, const struct json *old,
                              struct err *err) {
        struct slice size = size_now(node_get(claim, "spec"));
        struct slice before = size_before(json_get(old, "spec"));
        int order = 0;

        if (operation != KIND_UPDATE || context->subresource.len || context->kind->group[0] ||
            strcmp(context->kind->plural, "persistentvolumeclaims") != 0 ||
            quantity_compare(size.len ? size : SLICE_LITERAL("0"),
                             before.len ? before : SLICE_LITERAL("0"), &order, NULL) < 0 ||
            order <= 0)
                return 0;
        if (!slice_is(json_get_text(json_get(old, "status"), "phase"), "Bound"))
                return admit_forbid(context, claim, err,
                                    "Only bound persistent volume claims can be expanded");
        if (!may_grow(context, claim, old))
                return admit_forbid(context, claim, err,
                                    "only dynamically provisioned pvc can be resized and the "
                                    "storageclass that provisions the pvc must support resize");
        return 0;
}
