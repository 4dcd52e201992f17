/* Resources of the node that a pod takes through its devices. */
#include "plugins/sched/node_devices.h"

#include "api/quantity.h"
#include "base/saturate.h"
#include "base/util.h"
#include "rules/fit.h"
#include <stdlib.h>

#define MILLI 1000

/* ---- amounts ---- */

static int64_t milli_of(struct slice text) {
        int64_t milli = 0;
        (void)quantity_milli(text, &milli, NULL);
        return milli;
}

static int64_t product_milli(int64_t a, int64_t b) {
        int64_t product;
        if (!__builtin_mul_overflow(a, b, &product))
                return product / MILLI;
        return __builtin_mul_overflow(a / MILLI, b, &product) ? INT64_MAX : product;
}

static void add_milli(const struct sched_cycle *cycle, struct node_devices_claim *claim,
                      struct slice resource, int64_t milli) {
        for (size_t i = 0; i < claim->resource_count; i++) {
                if (!slice_eq(claim->milli[i].name, resource))
                        continue;
                claim->milli[i].amount = sum_saturated(claim->milli[i].amount, milli);
                return;
        }
        claim->milli = arena_grow(cycle->scratch, claim->milli, claim->resource_count,
                                  &claim->resource_cap, sizeof(*claim->milli));
        claim->milli[claim->resource_count++] = (struct resource_amount){ resource, milli };
}

static const struct device_amount *consumed_of(const struct device_pick *pick, struct slice key) {
        for (size_t i = 0; i < pick->consumed.count; i++)
                if (slice_eq(pick->consumed.items[i].name, key))
                        return &pick->consumed.items[i];
        return NULL;
}

static void refuse_mapping(const struct sched_cycle *cycle, const struct resource_claim *claim,
                           const struct device *device, const struct device_mapping *mapping,
                           struct verdict *verdict) {
        verdict_no(verdict, VERDICT_ERROR,
                   slice_of(arena_printf(
                           cycle->scratch,
                           "claim " SLICE_FMT "/" SLICE_FMT ", device " SLICE_FMT
                           ": ConsumedCapacity is nil, but Capacity key '" SLICE_FMT
                           "' is set in NodeAllocatableResourceMappings for resource " SLICE_FMT,
                           SLICE_ARG(claim->meta.ns), SLICE_ARG(claim->meta.name),
                           SLICE_ARG(device->name), SLICE_ARG(mapping->capacity_key),
                           SLICE_ARG(mapping->resource))));
}

/* What one device takes of one resource; false: an error. */
static bool add_mapping(const struct sched_cycle *cycle, const struct resource_claim *claim,
                        const struct device_pick *pick, const struct device_mapping *mapping,
                        struct node_devices_claim *out, struct verdict *verdict) {
        int64_t milli = mapping->multiplier.len ? milli_of(mapping->multiplier) : 0;
        if (mapping->capacity_key.len) {
                const struct device_amount *consumed = consumed_of(pick, mapping->capacity_key);
                if (!pick->is_share || pick->consumed.count == 0) {
                        refuse_mapping(cycle, claim, pick->device->device, mapping, verdict);
                        return false;
                }
                if (!consumed)
                        return true;
                int64_t amount = milli_of(consumed->value);
                milli = mapping->multiplier.len ? product_milli(amount, milli) : amount;
        }
        add_milli(cycle, out, mapping->resource, milli);
        return true;
}

/* ---- claims ---- */

static void add_containers(const struct sched_cycle *cycle, struct slice name,
                           struct node_devices_claim *out) {
        const struct pod_spec *spec = &cycle->class->spec;
        size_t count = spec->init_count + spec->container_count;
        out->containers = ARENA_ARRAY(cycle->scratch, struct slice, count);
        for (size_t i = 0; i < count; i++) {
                const struct container *container =
                        i < spec->init_count ? &spec->init[i]
                                             : &spec->containers[i - spec->init_count];
                for (size_t j = 0; j < container->claim_count; j++)
                        if (slice_eq(container->claims[j], name)) {
                                out->containers[out->container_count++] = container->name;
                                break;
                        }
        }
}

static bool add_allocation(const struct sched_cycle *cycle, const struct resource_claim *claim,
                           const struct device_allocation *allocation,
                           struct node_devices_claim *out, struct verdict *verdict) {
        for (size_t i = 0; i < allocation->pick_count; i++) {
                const struct device_pick *pick = &allocation->picks[i];
                const struct device *device = pick->device->device;
                for (size_t j = 0; j < device->traits->mapping_count; j++)
                        if (!add_mapping(cycle, claim, pick, &device->traits->mappings[j], out,
                                         verdict))
                                return false;
        }
        return true;
}

static int compare_claims(const void *a, const void *b) {
        return slice_compare(((const struct node_devices_claim *)a)->name,
                             ((const struct node_devices_claim *)b)->name);
}

static struct slice entry_name(const struct pod_device_claims *claims,
                               const struct resource_claim *claim) {
        for (size_t i = 0; i < claims->count; i++)
                if (claims->items[i].claim == claim)
                        return claims->items[i].name;
        return SLICE_EMPTY;
}

enum verdict_code node_devices_of(const struct sched_cycle *cycle,
                                  const struct pod_device_claims *claims,
                                  const struct device_claims *devices,
                                  const struct device_allocation *allocations,
                                  struct node_devices *ret_devices, struct verdict *verdict) {
        *ret_devices = (struct node_devices){ .claims = ARENA_ARRAY(cycle->scratch,
                                                                    struct node_devices_claim,
                                                                    devices->wanted_count) };
        for (size_t i = 0; i < devices->wanted_count; i++) {
                const struct resource_claim *claim = devices->wanted[i];
                struct node_devices_claim out = { .name = claim->meta.name };
                if (!add_allocation(cycle, claim, &allocations[i], &out, verdict))
                        return VERDICT_ERROR;
                if (out.resource_count == 0)
                        continue;
                add_containers(cycle, entry_name(claims, claim), &out);
                ret_devices->claims[ret_devices->count++] = out;
        }
        if (ret_devices->count > 1)
                qsort(ret_devices->claims, ret_devices->count, sizeof(*ret_devices->claims),
                      compare_claims);
        for (size_t i = 0; i < ret_devices->count; i++) {
                if (ret_devices->claims[i].container_count)
                        continue;
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           slice_of(arena_printf(cycle->scratch,
                                                 "claim " SLICE_FMT ": node-allocatable resource "
                                                 "claim not referenced by any container within "
                                                 "the pod",
                                                 SLICE_ARG(ret_devices->claims[i].name))));
                return VERDICT_UNRESOLVABLE;
        }
        return VERDICT_OK;
}

/* ---- the node ---- */

/* The pod's requests with those of its devices. */
static struct resource_list demand_of(const struct sched_cycle *cycle,
                                      const struct node_devices *devices, bool by_pod) {
        struct pod_spec spec = cycle->class->spec;
        size_t count = 0, max = 0;
        for (size_t i = 0; i < devices->count; i++)
                max += devices->claims[i].resource_count;
        struct resource_amount *items = ARENA_ARRAY(cycle->scratch, struct resource_amount, max);
        for (size_t i = 0; i < devices->count; i++)
                for (size_t j = 0; j < devices->claims[i].resource_count; j++) {
                        struct resource_amount item = devices->claims[i].milli[j];
                        if (!slice_is(item.name, "cpu"))
                                item.amount = item.amount / MILLI + (item.amount % MILLI > 0);
                        items[count++] = item;
                }
        spec.device_requests = (struct resource_list){ count, items };
        if (!by_pod) {
                spec.has_pod_resources = spec.has_pod_actual = false;
                spec.pod_requests.count = 0;
        }
        return pod_spec_requests(&spec, false, cycle->scratch);
}

static const struct resource_amount *find_amount(const struct resource_list *list,
                                                 struct slice name) {
        for (size_t i = 0; i < list->count; i++)
                if (slice_eq(list->items[i].name, name))
                        return &list->items[i];
        return NULL;
}

/* What the pod allows itself as a whole has to cover its containers and devices. */
static bool is_covered(const struct sched_cycle *cycle, const struct node_devices *devices,
                       const struct resource_list *total, struct verdict *verdict) {
        if (cycle->class->spec.pod_requests.count == 0)
                return true;
        struct resource_list parts = demand_of(cycle, devices, false);
        for (size_t i = 0; i < total->count; i++) {
                const struct resource_amount *sum = find_amount(&parts, total->items[i].name);
                if (!sum || sum->amount <= total->items[i].amount)
                        continue;
                verdict_no(verdict, VERDICT_UNRESOLVABLE,
                           slice_of(arena_printf(
                                   cycle->scratch,
                                   "pod level request for " SLICE_FMT
                                   " is insufficient to cover the aggregated container and "
                                   "node-allocatable DRA requests",
                                   SLICE_ARG(sum->name))));
                return false;
        }
        return true;
}

static bool is_checked(struct slice name) {
        return slice_is(name, "cpu") || slice_is(name, "memory") ||
               slice_is(name, "ephemeral-storage") ||
               slice_has_prefix(name, SLICE_LITERAL("hugepages-"));
}

static void check_amount(const struct sched_cycle *cycle, const struct resource_amount *wanted,
                         struct node_id node, struct verdict *verdict) {
        struct resource_id id;
        int64_t free = 0, allocatable = 0;
        if (cluster_resource(cycle->cluster, wanted->name, &id)) {
                free = node_free(cycle->cluster, node, id);
                allocatable =
                        cluster_nodes(cycle->cluster)->resources[id.index].allocatable[node.index];
        }
        if (wanted->amount <= free || wanted->amount <= 0)
                return;
        verdict_no(verdict,
                   wanted->amount > allocatable ? VERDICT_UNRESOLVABLE : VERDICT_UNSCHEDULABLE,
                   slice_of(arena_printf(cycle->scratch, "Insufficient " SLICE_FMT,
                                         SLICE_ARG(wanted->name))));
}

enum verdict_code node_devices_fit(const struct sched_cycle *cycle,
                                   const struct node_devices *devices, struct node_id node,
                                   struct verdict *verdict) {
        if (devices->count == 0)
                return VERDICT_OK;
        struct resource_list total = demand_of(cycle, devices, true);
        if (!is_covered(cycle, devices, &total, verdict))
                return verdict->code;
        for (size_t i = 0; i < total.count; i++)
                if (is_checked(total.items[i].name))
                        check_amount(cycle, &total.items[i], node, verdict);
        return verdict->code;
}

/* ---- sharing ---- */

static bool takes_through(const struct sched_cycle *cycle, const struct pod_row *row,
                          struct slice claim) {
        const struct pod_detail *detail = row->detail;
        for (uint32_t i = 0; detail && i < detail->claim_count; i++)
                if (detail->claims[i].name.index == 0 &&
                    slice_eq(cluster_text(cycle->cluster, detail->claims[i].claim), claim))
                        return true;
        return false;
}

const char *node_devices_sharing(const struct sched_cycle *cycle,
                                 const struct resource_claim *claim, struct node_id node) {
        size_t count = 0;
        bool has_other = false;
        for (struct pod_id at = cluster_nodes(cycle->cluster)->first_pod[node.index];
             !pod_id_is_none(at); at = cluster_pod(cycle->cluster, at)->next_on_node) {
                const struct pod_row *row = cluster_pod(cycle->cluster, at);
                if (row->ns.index != cycle->ns.index ||
                    !takes_through(cycle, row, claim->meta.name))
                        continue;
                count++;
                has_other |= !slice_is(pod_uid_of(cycle), row->uid);
        }
        if (count > 1)
                return arena_printf(cycle->scratch,
                                    "node allocatable resource claim " SLICE_FMT
                                    " shared by multiple pods",
                                    SLICE_ARG(claim->meta.name));
        if (has_other)
                return arena_printf(cycle->scratch,
                                    "node allocatable resource claim " SLICE_FMT
                                    " is already used by another pod",
                                    SLICE_ARG(claim->meta.name));
        return NULL;
}

/* ---- status ---- */

static struct json_node *amount_node(struct json_tree *tree, int64_t milli) {
        char text[QUANTITY_TEXT_MAX];
        if (milli % MILLI == 0)
                quantity_format_units(milli / MILLI, QUANTITY_DECIMAL_SI, text);
        else
                quantity_format_milli(milli, text);
        return node_string(tree, text);
}

struct json_node *node_devices_status(const struct sched_cycle *cycle, struct json_tree *tree,
                                      const struct node_devices *devices) {
        struct json_node *patch = node_object(tree);
        if (devices->count == 0)
                return NULL;
        node_put_text(tree, node_need_object(tree, patch, "metadata"), "uid", pod_uid_of(cycle));
        struct json_node *list = node_need_array(tree, node_need_object(tree, patch, "status"),
                                                 "nodeAllocatableResourceClaimStatuses");
        for (size_t i = 0; i < devices->count; i++) {
                const struct node_devices_claim *claim = &devices->claims[i];
                struct json_node *item = node_object(tree);
                struct json_node *resources = node_need_object(tree, item, "resources");
                node_put_text(tree, item, "resourceClaimName", claim->name);
                for (size_t j = 0; j < claim->container_count; j++)
                        node_append(node_need_array(tree, item, "containers"),
                                    node_text(tree, claim->containers[j]));
                for (size_t j = 0; j < claim->resource_count; j++)
                        node_set(tree, resources, claim->milli[j].name,
                                 amount_node(tree, claim->milli[j].amount));
                node_append(list, item);
        }
        return patch;
}
