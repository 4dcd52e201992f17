/* Device taint eviction: whether and when a pod has to go. */
#include "control/device_taint_priv.h"

struct pod_judgement {
        struct controller_run *run;
        const struct json *pod;
        const struct evicting_rule *trial;
        struct device_eviction *eviction;
        struct arena arena;
};

static bool judge_claim(void *context, const struct pod_claim_entry *wanted) {
        struct pod_judgement *judgement = context;
        const struct control *control = judgement->run->control;
        const struct device_eviction_state *state = judgement->run->state;
        struct json_doc *doc = NULL;
        const struct json *claim =
                control_read(control, control->resource.resource_claims,
                             object_namespace(judgement->pod), wanted->name, &doc);
        struct resource_claim decoded;

        if (claim && resource_claim_is_reserved(claim, judgement->pod) &&
            (wanted->template.len == 0 || resource_claim_is_for(claim, judgement->pod)) &&
            resource_claim_decode(claim, &judgement->arena, &decoded, NULL) == 0)
                device_taints_judge(&state->taints, &decoded, judgement->trial,
                                    control_now(control), judgement->eviction);
        json_doc_free(doc);
        return true;
}

void device_taint_judge_pod(struct controller_run *run, const struct json *pod,
                            const struct evicting_rule *trial, struct device_eviction *eviction) {
        struct pod_judgement judgement = {
                .run = run, .pod = pod, .trial = trial, .eviction = eviction
        };

        if (json_get_text(json_get(pod, "spec"), "nodeName").len == 0)
                return;
        arena_init(&judgement.arena, 2048);
        pod_claims_each(pod, judge_claim, &judgement);
        arena_release(&judgement.arena);
}
