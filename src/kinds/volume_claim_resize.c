/* Which claims of volumes may grow. kube-apiserver: the plugin PersistentVolumeClaimResize. */
#include "kinds/admit.h"
#include "kinds/volume_claim.h"

#include "api/quantity.h"

static struct slice claim_size(const struct json *claim) {
        const struct json *resources = json_get(json_get(claim, "spec"), "resources");
        struct slice size = json_get_text(json_get(resources, "requests"), "storage");

        return size.len ? size : SLICE_LITERAL("0");
}

static bool is_growing(const struct json *claim, const struct json *old) {
        int order = 0;

        return quantity_compare(claim_size(claim), claim_size(old), &order, NULL) == 0 && order > 0;
}

static bool may_grow(struct kind_context *context, const struct json *claim,
                     const struct json *old) {
        struct slice name = volume_claim_class(claim);

        if (name.len == 0 || !slice_eq(name, volume_claim_class(old)))
                return false;
        const struct json *found = context->lookup(context->engine, "storage.k8s.io",
                                                   "storageclasses", SLICE_EMPTY, name);
        return json_is_true(json_get(found, "allowVolumeExpansion"));
}

static const char *growth_refusal(struct kind_context *context, const struct json *claim,
                                  const struct json *old) {
        if (!is_growing(claim, old))
                return NULL;
        if (!slice_is(json_get_text(json_get(old, "status"), "phase"), "Bound"))
                return "Only bound persistent volume claims can be expanded";
        return may_grow(context, claim, old)
                       ? NULL
                       : "only dynamically provisioned pvc can be resized and the storageclass "
                         "that provisions the pvc must support resize";
}

JUDGE_HOOK(persistent_volume_claim_judge) {
        if (operation != KIND_UPDATE || context->subresource.len)
                return 0;
        struct json_doc *doc = json_doc_of(object);
        const char *text = growth_refusal(context, json_doc_root(doc), old);

        json_doc_free(doc);
        return text ? admit_forbid(context, object, err, "%s", text) : 0;
}
