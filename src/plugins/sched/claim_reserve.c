/* Reserve of DynamicResources: the writes of claims on the node that the pod gets. */
#include "plugin/pod_group.h"
#include "plugins/sched/dynamic_resources_priv.h"
#include "plugins/sched/node_devices.h"

static void add_finalizer(struct json_tree *tree, struct json_node *object) {
        struct json_node *list =
                node_need_array(tree, node_need_object(tree, object, "metadata"), "finalizers");

        for (size_t i = 0; i < node_count(list); i++)
                if (slice_is(node_get_slice(node_at(list, i)), CLAIM_FINALIZER_NAME))
                        return;
        node_append(list, node_string(tree, CLAIM_FINALIZER_NAME));
}

struct claim_change {
        const struct json *claim;
        struct json_tree *tree;
        struct json_node *object;
};

/* group: the PodGroup that reserves the claim, NULL = the pod does. */
static void add_consumer(const struct sched_cycle *cycle, const struct json *group,
                         struct claim_change *change) {
        const struct json *meta = json_get(group, "metadata");
        const struct pod_row *row = cluster_pod(cycle->cluster, cycle->pod);
        struct json_node *consumer = node_object(change->tree);
        struct json_node *status = node_need_object(change->tree, change->object, "status");

        if (group)
                node_put_string(change->tree, consumer, "apiGroup", POD_GROUP_API);
        node_put_string(change->tree, consumer, "resource", group ? "podgroups" : "pods");
        node_put_text(change->tree, consumer, "name",
                      group ? json_get_text(meta, "name") : slice_of(row->name));
        node_put_text(change->tree, consumer, "uid",
                      group ? json_get_text(meta, "uid") : slice_of(row->uid));
        node_append(node_need_array(change->tree, status, "reservedFor"), consumer);
}

static void stamp_allocation(const struct sched_cycle *cycle, struct json_tree *tree,
                             struct json_node *allocation) {
        char text[WALL_TIME_TEXT_MAX];
        struct wall_time now = { cycle->now.ns - cycle->now.ns % NS_PER_S };

        wall_time_format(now, text);
        node_put_string(tree, allocation, "allocationTimestamp", text);
}

/* The devices of the node that were found for a claim; `at`: its place among those wanted. */
static const char *put_allocation(const struct sched_cycle *cycle,
                                  const struct dynamic_resources *resources,
                                  const struct claim_state *pod, struct node_id node, size_t at,
                                  struct claim_change *change) {
        const struct device_claims *claims = &pod->devices;
        const struct device_verdict *devices = claim_state_devices(cycle, pod, node);
        struct err err = { 0 };
        struct rng rng;

        if (devices->outcome != DEVICES_FOUND)
                return "claim allocation not found for node";
        const struct resource_claim *claim = at < claims->wanted_count
                                                     ? claims->wanted[at]
                                                     : &claim_state_extra(cycle, pod, node)->claim;
        rng_init(&rng, slice_hash(claim->meta.uid));
        const struct device_result_request request = { claims->inventory, claim,
                                                       &devices->allocations[at],
                                                       cluster_node_name(cycle->cluster, node),
                                                       &rng };
        struct json_node *result = device_result_node(change->tree, &request, &err);
        if (!result)
                return arena_string(cycle->scratch, slice_of(err.text));
        if (resources->gates.has_binding_conditions)
                stamp_allocation(cycle, change->tree, result);
        node_put(change->tree, node_need_object(change->tree, change->object, "status"),
                 "allocation", result);
        add_finalizer(change->tree, change->object);
        return NULL;
}

/* Upstream adds the time to allocations that have none, which the API server refuses. */
static void stamp_old(const struct sched_cycle *cycle, const struct dynamic_resources *resources,
                      const struct resource_claim *claim, struct claim_change *change) {
        if (cycle->is_parity && resources->gates.has_binding_conditions &&
            !wall_time_is_set(claim->allocated))
                stamp_allocation(cycle, change->tree,
                                 node_get(node_get(change->object, "status"), "allocation"));
}

/* Whether the pod names a claim under several names. */
static bool is_repeated(const struct pod_device_claims *claims, size_t at) {
        for (size_t i = 0; i < at; i++)
                if (claims->items[i].object == claims->items[at].object)
                        return true;
        return false;
}

/* Reserved, and not just by a write of another pod of the group that is on its way. */
static bool is_written(const struct sched_cycle *cycle, const struct dynamic_resources *resources,
                       const struct pod_device_claim *item) {
        const struct json *seen =
                object_cache_seen(cycle->object_cache, CACHED_RESOURCE_CLAIM,
                                  cluster_text(cycle->cluster, cycle->ns), item->claim->meta.name);
        struct resource_claim claim;

        if (!claim_is_reserved(cycle, resources->has_groups, item->claim))
                return false;
        return !item->group || seen == item->object ||
               (seen && resource_claim_decode(seen, cycle->scratch, &claim, NULL) == 0 &&
                claim_is_reserved(cycle, true, &claim));
}

/* Makes the changes of all claims; NULL, or what failed. */
static const char *make_changes(const struct sched_cycle *cycle,
                                const struct dynamic_resources *resources,
                                const struct claim_state *pod, struct node_id node,
                                struct claim_change *changes, size_t *count) {
        const char *problem = NULL;

        for (size_t i = 0, wanted = 0; !problem && i < pod->claims.count; i++) {
                const struct pod_device_claim *item = &pod->claims.items[i];
                struct claim_change *change = &changes[*count];
                bool is_wanted = !item->claim->is_allocated;

                if (is_repeated(&pod->claims, i) || is_written(cycle, resources, item)) {
                        wanted += is_wanted;
                        continue;
                }
                change->claim = item->object;
                change->tree = json_tree_new();
                change->object = node_import(change->tree, item->object);
                (*count)++;
                if (is_wanted)
                        problem = put_allocation(cycle, resources, pod, node, wanted++, change);
                else
                        stamp_old(cycle, resources, item->claim, change);
                if (!claim_is_reserved(cycle, resources->has_groups, item->claim))
                        add_consumer(cycle, item->group, change);
        }
        return problem;
}

/* The special claim is new. */
static const char *make_extra(const struct sched_cycle *cycle,
                              const struct dynamic_resources *resources,
                              const struct claim_state *pod, struct node_id node,
                              struct claim_change *change) {
        const struct extended_claim *extra = claim_state_extra(cycle, pod, node);

        change->tree = json_tree_new();
        change->object = extended_claim_node(cycle, change->tree, extra);
        const char *problem =
                put_allocation(cycle, resources, pod, node, pod->devices.wanted_count, change);
        add_consumer(cycle, NULL, change);
        return problem;
}

/* Upstream makes a special claim without requests where the node offers the resources itself, but
 * the pod has claims of its own, and stumbles over it. */
static const char *no_mappings(const struct sched_cycle *cycle) {
        return arena_printf(cycle->scratch,
                            "nil or empty request mappings, no update of pod " SLICE_FMT
                            "/%s ExtendedResourceClaimStatus",
                            SLICE_ARG(cluster_text(cycle->cluster, cycle->ns)), cycle->pod_name);
}

static void patch_pod(const struct sched_cycle *cycle, const struct extended_claim *extra,
                      const struct claim_change *change, const struct reservation *reservation) {
        struct slice name = node_get_text(node_get(change->object, "metadata"), "name");

        reservation_patch_pod(reservation, extended_status_node(cycle, change->tree, extra, name));
}

/* What the pod takes of its node by devices. */
static void patch_node_devices(const struct sched_cycle *cycle, const struct claim_state *pod,
                               struct node_id node, const struct reservation *reservation) {
        struct verdict verdict = { .code = VERDICT_OK };
        const struct device_verdict *devices = claim_state_devices(cycle, pod, node);
        struct node_devices taken;

        if (!devices || devices->outcome != DEVICES_FOUND ||
            node_devices_of(cycle, &pod->claims, &pod->devices, devices->allocations, &taken,
                            &verdict) != VERDICT_OK)
                return;
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_devices_status(cycle, tree, &taken);
        if (patch)
                reservation_patch_pod(reservation, patch);
        json_tree_free(tree);
}

/* What is written of the pod itself. */
static void patch_status(const struct sched_cycle *cycle, const struct dynamic_resources *resources,
                         const struct claim_state *pod, struct node_id node,
                         const struct claim_change *last, const struct reservation *reservation) {
        const struct extended_claim *extra = claim_state_extra(cycle, pod, node);

        if (extra)
                patch_pod(cycle, extra, last, reservation);
        else if (cycle->is_parity && claim_state_is_extended(pod) && pod->claims.count)
                reservation_fail(reservation, resources->plugin, "PreBind",
                                 slice_of(no_mappings(cycle)));
        if (resources->has_node_devices)
                patch_node_devices(cycle, pod, node, reservation);
}

/* All changes are made before the first one is kept: that ends what the others are made from. */
void dynamic_resources_reserve(const struct sched_cycle *cycle, const void *state,
                               const void *pod_state, struct node_id node,
                               const struct reservation *reservation) {
        const struct dynamic_resources *resources = state;
        const struct claim_state *pod = pod_state;
        size_t count = 0;

        if (!pod)
                return;
        struct claim_change *changes =
                ARENA_ARRAY(cycle->scratch, struct claim_change, pod->claims.count + 1);
        const char *problem = make_changes(cycle, resources, pod, node, changes, &count);
        if (!problem && claim_state_extra(cycle, pod, node))
                problem = make_extra(cycle, resources, pod, node, &changes[count++]);
        if (problem)
                reservation_fail(reservation, resources->plugin, "Reserve", slice_of(problem));
        else
                patch_status(cycle, resources, pod, node, &changes[count ? count - 1 : 0],
                             reservation);
        for (size_t i = 0; i < count; i++) {
                if (!problem)
                        reservation_change(reservation, CACHED_RESOURCE_CLAIM, changes[i].claim,
                                           changes[i].object);
                json_tree_free(changes[i].tree);
        }
}
