/* Filter of DynamicResources: nodes where claims can be used, or allocated; and why others cannot.
 */
#include "plugins/sched/claim_kinds.h"
#include "plugins/sched/dynamic_resources_priv.h"
#include "plugins/sched/node_devices.h"
#include "rules/volumes.h"

static bool has_unavailable(const struct sched_cycle *cycle,
                            const struct dynamic_resources *resources,
                            const struct claim_state *pod, struct node_id node) {
        for (size_t i = 0; i < pod->claims.count; i++)
                if (claim_is_unavailable(cycle, resources, pod->claims.items[i].claim, node))
                        return true;
        return false;
}

/* Allocated claims by which pods of the node take resources of it. */
static bool may_share(const struct sched_cycle *cycle, const struct dynamic_resources *resources,
                      const struct claim_state *pod, struct node_id node, struct verdict *verdict) {
        for (size_t i = 0; resources->has_node_devices && i < pod->claims.count; i++) {
                const struct resource_claim *claim = pod->claims.items[i].claim;

                if (!claim->is_allocated ||
                    (claim->has_node_selector &&
                     !volume_admits(cycle->cluster, &claim->node_selector, node)))
                        continue;
                const char *problem = node_devices_sharing(cycle, claim, node);
                if (!problem)
                        continue;
                verdict_no(verdict, VERDICT_UNRESOLVABLE, slice_of(problem));
                return false;
        }
        return true;
}

static bool fits_with_devices(const struct sched_cycle *cycle,
                              const struct dynamic_resources *resources,
                              const struct claim_state *pod, struct node_id node,
                              struct verdict *verdict) {
        struct node_devices taken;

        if (!resources->has_node_devices)
                return true;
        const struct device_verdict *devices = claim_state_devices(cycle, pod, node);
        if (!devices)
                return true;
        return node_devices_of(cycle, &pod->claims, &pod->devices, devices->allocations, &taken,
                               verdict) == VERDICT_OK &&
               node_devices_fit(cycle, &taken, node, verdict) == VERDICT_OK;
}

void dynamic_resources_explain(const struct sched_cycle *cycle, const void *state,
                               const void *pod_state, struct node_id node,
                               struct verdict *verdict) {
        const struct claim_state *pod = pod_state;

        if (pod->extended->leftover) {
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("cannot schedule extended resource claim"));
                return;
        }
        if (!may_share(cycle, state, pod, node, verdict))
                return;
        enum device_outcome outcome = claim_state_outcome(cycle, pod, node);
        if (outcome == DEVICES_FAILED)
                verdict_no(verdict, VERDICT_ERROR,
                           slice_of(claim_state_devices(cycle, pod, node)->problem));
        else if (outcome == DEVICES_INVALID)
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("invalid resource pools were encountered"));
        else if (outcome == DEVICES_MISSING)
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           SLICE_LITERAL("cannot allocate all claims"));
        else if (!fits_with_devices(cycle, state, pod, node, verdict))
                return;
        else if (has_unavailable(cycle, state, pod, node))
                verdict_no(verdict, VERDICT_UNRESOLVABLE, SLICE_LITERAL(CLAIM_NOT_AVAILABLE));
}

void dynamic_resources_describe(const struct sched_cycle *cycle, const void *state,
                                const void *pod_state, struct node_id node,
                                void (*say)(void *context, const struct refusal_detail *detail),
                                void *context) {
        const struct claim_state *pod = pod_state;

        (void)state;
        if (pod->extended->leftover)
                return;
        const struct extended_claim *extra = claim_state_extra(cycle, pod, node);
        const struct device_verdict *devices = claim_state_devices(cycle, pod, node);
        if (devices && devices->outcome != DEVICES_FOUND)
                device_claims_describe(
                        cycle, &pod->devices,
                        &(struct device_place_asked){ extra ? &extra->claim : NULL, node }, say,
                        context);
}

/* An allocated claim of which the devices are for some nodes only, or not ready. */
static bool has_limits(const struct dynamic_resources *resources, const struct claim_state *pod) {
        const struct device_condition *failure;

        for (size_t i = 0; i < pod->claims.count; i++) {
                const struct resource_claim *claim = pod->claims.items[i].claim;

                if (claim->is_allocated &&
                    (claim->has_node_selector ||
                     (resources->gates.has_binding_conditions && !claim_is_ready(claim, &failure))))
                        return true;
        }
        return false;
}

/* Whether something stands in the way beside the devices that are sought. */
static bool is_about_more(const struct dynamic_resources *resources,
                          const struct claim_state *pod) {
        return resources->has_node_devices || pod->extended->leftover || has_limits(resources, pod);
}

void dynamic_resources_filter(const struct sched_cycle *cycle, const void *state,
                              const void *pod_state, struct bitset *nodes) {
        const struct claim_state *pod = pod_state;

        if (claim_kind_lasts(&pod->devices)) {
                claim_state_narrow(cycle, pod, nodes);
                if (!is_about_more(state, pod))
                        return;
        }
        for (size_t i = bitset_next(nodes, 0); i != SIZE_MAX; i = bitset_next(nodes, i + 1)) {
                struct verdict verdict = { .code = VERDICT_OK };

                dynamic_resources_explain(cycle, state, pod_state, (struct node_id){ (uint32_t)i },
                                          &verdict);
                if (verdict.code != VERDICT_OK)
                        bitset_remove(nodes, i);
        }
}
