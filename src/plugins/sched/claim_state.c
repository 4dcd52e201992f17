/* The claims of one pod: which they are, what they need, and where they can be had. */
#include "plugins/sched/claim_kinds.h"
#include "plugins/sched/dynamic_resources_priv.h"
#include "rules/volumes.h"

bool claim_state_is_extended(const struct claim_state *pod) {
        return pod->extended->count > 0;
}

/* The cycle with the arena of the pod's state: what is remembered must outlive a trial, whose own
 * scratch ends with it. */
static struct sched_cycle outlasting_cycle(const struct sched_cycle *cycle,
                                           const struct claim_state *pod) {
        struct sched_cycle whole = *cycle;

        whole.scratch = pod->arena;
        return whole;
}

struct extended_claim *claim_state_extra(const struct sched_cycle *cycle,
                                         const struct claim_state *pod, struct node_id node) {
        if (!claim_state_is_extended(pod))
                return NULL;
        const struct sched_cycle whole = outlasting_cycle(cycle, pod);
        return extended_claim_on(&whole, pod->extended, node);
}

const struct device_verdict *claim_state_devices(const struct sched_cycle *cycle,
                                                 const struct claim_state *pod,
                                                 struct node_id node) {
        const struct extended_claim *extra = claim_state_extra(cycle, pod, node);

        if (!pod->devices.wanted_count && !extra)
                return NULL;
        const struct sched_cycle whole = outlasting_cycle(cycle, pod);
        return device_claims_on(&whole, &pod->devices, extra ? &extra->claim : NULL, node);
}

void claim_state_narrow(const struct sched_cycle *cycle, const struct claim_state *pod,
                        struct bitset *nodes) {
        const struct sched_cycle whole = outlasting_cycle(cycle, pod);

        claim_kind_narrow(&whole, &pod->devices, nodes);
}

/* How the search for devices ends on the node; found where nothing is sought. */
enum device_outcome claim_state_outcome(const struct sched_cycle *cycle,
                                        const struct claim_state *pod, struct node_id node) {
        const struct extended_claim *extra = claim_state_extra(cycle, pod, node);

        if (!pod->devices.wanted_count && !extra)
                return DEVICES_FOUND;
        const struct sched_cycle whole = outlasting_cycle(cycle, pod);
        return claim_kinds_outcome(&whole, &pod->devices, extra ? &extra->claim : NULL, node);
}

/* Why a claim cannot be used as it is; NULL: it can, or can be allocated. */
static const char *claim_problem(const struct sched_cycle *cycle,
                                 const struct dynamic_resources *resources,
                                 const struct pod_device_claim *item) {
        const struct resource_claim *claim = item->claim;

        if (item->is_pending)
                return arena_printf(cycle->scratch,
                                    "resource claim " SLICE_FMT "/" SLICE_FMT
                                    " is in the process of being allocated",
                                    SLICE_ARG(claim->meta.ns), SLICE_ARG(claim->meta.name));
        /* Upstream lets the API server refuse it. */
        if (claim->is_allocated && !cycle->is_parity &&
            claim->consumer_count >= CLAIM_CONSUMERS_MAX &&
            !claim_is_reserved(cycle, resources->has_groups, claim))
                return "resourceclaim in use";
        return NULL;
}

static void take_devices(const struct sched_cycle *cycle, const struct dynamic_resources *resources,
                         struct claim_state *pod) {
        struct device_claims *devices = &pod->devices;
        size_t count = pod->claims.count;

        devices->claims = ARENA_ARRAY(cycle->scratch, const struct resource_claim *, count);
        devices->wanted = ARENA_ARRAY(cycle->scratch, const struct resource_claim *, count + 1);
        for (size_t i = 0; i < count; i++) {
                const struct resource_claim *claim = pod->claims.items[i].claim;

                devices->claims[devices->count++] = claim;
                if (!claim->is_allocated)
                        devices->wanted[devices->wanted_count++] = claim;
        }
        if (!devices->wanted_count && !claim_state_is_extended(pod))
                return;
        devices->extended = pod->extended;
        devices->view = resources->view;
        devices->inventory = device_view_refresh(resources->view, cycle->object_cache);
        devices->inventory_serial = device_view_serial(resources->view);
        devices->steps_max = resources->steps_max;
        devices->verdicts = ARENA_NEW(cycle->scratch, struct device_verdicts);
        devices->verdicts->items = NULL;
}

const char *claim_state_prepare(const struct sched_cycle *cycle,
                                const struct dynamic_resources *resources,
                                struct claim_state *pod) {
        const char *problem = pod_device_claims_find(cycle, resources->has_groups, &pod->claims);

        pod->extended = ARENA_NEW(cycle->scratch, struct extended_resources);
        *pod->extended = (struct extended_resources){ 0 };
        if (resources->has_extended)
                extended_resources_find(cycle, pod->extended);
        if (!problem && resources->has_groups)
                problem = group_claims_find(cycle, &pod->claims);
        for (size_t i = 0; !problem && i < pod->claims.count; i++)
                problem = claim_problem(cycle, resources, &pod->claims.items[i]);
        if (problem)
                return problem;
        take_devices(cycle, resources, pod);
        problem = device_claims_problem(&pod->devices, cycle->scratch);
        if (!problem && (pod->devices.wanted_count || claim_state_is_extended(pod)))
                claim_kinds_find(resources->kinds, cycle, &pod->devices);
        return problem;
}

/* Most pods ask for nothing that devices could be. */
bool asks_for_devices(const struct sched_cycle *cycle) {
        for (size_t i = 0; i < cycle->class->request_count; i++)
                if (may_be_devices(cluster_resource_name(cycle->cluster,
                                                         cycle->class->requests[i].resource)))
                        return true;
        return false;
}

/* Whether an allocated claim cannot be used on the node; one that is not allocated can. */
bool claim_is_unavailable(const struct sched_cycle *cycle,
                          const struct dynamic_resources *resources,
                          const struct resource_claim *claim, struct node_id node) {
        const struct device_condition *failure;

        if (!claim->is_allocated)
                return false;
        if (claim->has_node_selector && !volume_admits(cycle->cluster, &claim->node_selector, node))
                return true;
        if (!resources->gates.has_binding_conditions || claim_is_ready(claim, &failure))
                return false;
        return failure || claim_is_late(claim, cycle->now, resources->binding_timeout_ns);
}
