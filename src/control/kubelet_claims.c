/* Devices at the simulated kubelets: a pod starts only with claims that are allocated and reserved
 * for it. */
#include "control/kubelet_priv.h"
#include "control/pod_claims.h"
#include "control/pod_owner.h"

struct claims_check {
        const struct control *control;
        const struct json *pod;
        struct arena *arena;
        const char *problem;
};

static const char *problem_of(const struct claims_check *check,
                              const struct pod_claim_entry *wanted, const struct json *claim) {
        if (!claim)
                return arena_printf(check->arena,
                                    "fetch ResourceClaim " SLICE_FMT
                                    ": resourceclaims.resource.k8s.io \"" SLICE_FMT "\" not found",
                                    SLICE_ARG(wanted->name), SLICE_ARG(wanted->name));
        if (wanted->template.len && !resource_claim_is_for(claim, check->pod))
                return arena_printf(check->arena,
                                    "ResourceClaim " SLICE_FMT "/" SLICE_FMT
                                    " was not created for Pod " SLICE_FMT "/" SLICE_FMT
                                    " (Pod is not owner)",
                                    SLICE_ARG(object_namespace(claim)), SLICE_ARG(wanted->name),
                                    SLICE_ARG(object_namespace(check->pod)),
                                    SLICE_ARG(object_name(check->pod)));
        if (!resource_claim_is_reserved(claim, check->pod))
                return arena_printf(
                        check->arena,
                        "pod " SLICE_FMT " (" SLICE_FMT
                        ") is not allowed to use ResourceClaim " SLICE_FMT " (" SLICE_FMT ")",
                        SLICE_ARG(object_name(check->pod)), SLICE_ARG(object_uid(check->pod)),
                        SLICE_ARG(wanted->name), SLICE_ARG(object_uid(claim)));
        if (!resource_claim_is_allocated(claim))
                return arena_printf(check->arena, "ResourceClaim " SLICE_FMT ": not allocated",
                                    SLICE_ARG(wanted->name));
        return NULL;
}

static bool check_claim(void *context, const struct pod_claim_entry *wanted) {
        struct claims_check *check = context;
        struct json_doc *doc = NULL;
        const struct json *claim =
                control_read(check->control, check->control->resource.resource_claims,
                             object_namespace(check->pod), wanted->name, &doc);

        check->problem = problem_of(check, wanted, claim);
        json_doc_free(doc);
        return !check->problem;
}

const char *kubelet_claims_problem(struct kubelet *kubelet, const struct json *pod) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "spec"), "resourceClaims"));
        struct claims_check check = { .control = kubelet->run->control,
                                      .pod = pod,
                                      .arena = &kubelet->scratch };
        const struct json *entry;

        /* Kubelets of a version without claims do not look at those that a pod kept from a later
         * one. */
        if (check.control->resource.resource_claims < 0)
                return NULL;
        while (json_next(&iter, NULL, &entry)) {
                if (pod_claim_read(pod, entry).state == POD_CLAIM_ABSENT)
                        return arena_printf(check.arena,
                                            "pod \"" SLICE_FMT "/" SLICE_FMT
                                            "\": ResourceClaim not created yet",
                                            SLICE_ARG(object_namespace(pod)),
                                            SLICE_ARG(object_name(pod)));
        }
        pod_claims_each(pod, check_claim, &check);
        return check.problem;
}
