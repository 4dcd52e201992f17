/* What a pod occupies on a node, and its QoS class. */
#include "api/object.h"
#include "base/saturate.h"
#include "base/util.h"

#define DEFAULT_CPU_MILLI 100
#define DEFAULT_MEMORY_BYTES (200 * 1024 * 1024)

#define WALKED_MAX 32 /* amounts; more are found by hash */

/* A growing sum; the lists it is fed from bound its size. */
struct total {
        size_t count, cap;
        struct resource_amount *items;
        uint32_t *slots;   /* numbers of items, by hash of the name; 0 = free */
        size_t slot_count; /* a power of two, more than twice the items; 0 = there are few */
        struct arena *arena;
};

/* The slot of a name, or the free one where it belongs. */
static uint32_t *total_slot(const struct total *total, struct slice name) {
        uint64_t hash = hash_bytes(name.ptr, name.len, (uint64_t)(uintptr_t)total->slots);
        size_t mask = total->slot_count - 1, at = hash & mask;
        while (total->slots[at] && !slice_eq(total->items[total->slots[at] - 1].name, name))
                at = (at + 1) & mask;
        return &total->slots[at];
}

static void total_hash(struct total *total) {
        total->slot_count = 4 * WALKED_MAX;
        while (total->slot_count < 4 * total->count)
                total->slot_count *= 2;
        total->slots = ARENA_ARRAY(total->arena, uint32_t, total->slot_count);
        memset(total->slots, 0, total->slot_count * sizeof(*total->slots));
        for (size_t i = 0; i < total->count; i++)
                *total_slot(total, total->items[i].name) = (uint32_t)(i + 1);
}

static struct resource_amount *total_find(struct total *total, struct slice name) {
        if (total->count >= WALKED_MAX && total->slot_count <= 2 * total->count)
                total_hash(total);
        if (total->slot_count) {
                uint32_t number = *total_slot(total, name);
                return number ? &total->items[number - 1] : NULL;
        }
        for (size_t i = 0; i < total->count; i++) {
                if (slice_eq(total->items[i].name, name))
                        return &total->items[i];
        }
        return NULL;
}

static struct resource_amount *pod_requests_entry(struct total *total, struct slice name) {
        struct resource_amount *found = total_find(total, name);
        if (found)
                return found;
        if (total->slot_count)
                *total_slot(total, name) = (uint32_t)(total->count + 1);
        total->items = arena_grow(total->arena, total->items, total->count, &total->cap,
                                  sizeof(*total->items));
        total->items[total->count] = (struct resource_amount){ .name = name };
        return &total->items[total->count++];
}

static void add_list(struct total *total, const struct resource_amount *items, size_t count) {
        for (size_t i = 0; i < count; i++) {
                struct resource_amount *sum = pod_requests_entry(total, items[i].name);
                sum->amount = sum_saturated(sum->amount, items[i].amount);
        }
}

static void raise_to(struct total *total, const struct resource_amount *items, size_t count) {
        for (size_t i = 0; i < count; i++) {
                struct resource_amount *max = pod_requests_entry(total, items[i].name);
                if (items[i].amount > max->amount)
                        max->amount = items[i].amount;
        }
}

/* A container being resized counts with the most of what it asks for, has and was promised; one
 * whose resize cannot happen does not count what it asks for. */
static struct total pod_requests_resized(const struct resource_list *wanted,
                                         const struct resource_list *actual,
                                         const struct resource_list *allocated, bool is_infeasible,
                                         struct arena *arena) {
        struct total result = { .arena = arena };
        if (!is_infeasible)
                raise_to(&result, wanted->items, wanted->count);
        raise_to(&result, actual->items, actual->count);
        raise_to(&result, allocated->items, allocated->count);
        return result;
}

static bool pod_requests_lists(const struct total *total, const char *name) {
        for (size_t i = 0; i < total->count; i++) {
                if (slice_is(total->items[i].name, name))
                        return true;
        }
        return false;
}

static struct total container_requests(const struct pod_spec *spec,
                                       const struct container *container, bool uses_status,
                                       bool use_defaults, struct arena *arena) {
        struct total result = { .arena = arena };
        if (uses_status && container->has_actual)
                result = pod_requests_resized(&container->requests, &container->actual,
                                              &container->allocated, spec->is_resize_infeasible,
                                              arena);
        else
                add_list(&result, container->requests.items, container->requests.count);
        if (use_defaults && !pod_requests_lists(&result, "cpu"))
                pod_requests_entry(&result, SLICE_LITERAL("cpu"))->amount = DEFAULT_CPU_MILLI;
        if (use_defaults && !pod_requests_lists(&result, "memory"))
                pod_requests_entry(&result, SLICE_LITERAL("memory"))->amount = DEFAULT_MEMORY_BYTES;
        return result;
}

/* The moment of one init container beside the sidecars so far, which it may be one of. What it does
 * not ask for is what it was when the last sidecar started, and counts already. */
static void raise_moment(struct total *peak, struct total *sidecars, const struct total *own,
                         bool is_sidecar) {
        for (size_t i = 0; i < own->count; i++) {
                const struct resource_amount *beside = total_find(sidecars, own->items[i].name);
                int64_t amount = is_sidecar ? 0 : own->items[i].amount;
                struct resource_amount moment = {
                        .name = own->items[i].name,
                        .amount = sum_saturated(amount, beside ? beside->amount : 0),
                };
                raise_to(peak, &moment, 1);
        }
}

/* Init containers run one after another beside the sidecars started before them, so the pod needs
 * the largest of those moments, or everything that runs later. */
static void add_init(struct total *total, const struct pod_spec *spec, bool use_defaults,
                     struct arena *arena) {
        struct total sidecars = { .arena = arena }, peak = { .arena = arena };
        for (size_t i = 0; i < spec->init_count; i++) {
                const struct container *container = &spec->init[i];
                struct total own = container_requests(spec, container, container->is_sidecar,
                                                      use_defaults, arena);
                if (container->is_sidecar) {
                        add_list(total, own.items, own.count);
                        add_list(&sidecars, own.items, own.count);
                }
                raise_moment(&peak, &sidecars, &own, container->is_sidecar);
        }
        raise_to(total, peak.items, peak.count);
}

static bool is_pod_level(struct slice name) {
        return slice_is(name, "cpu") || slice_is(name, "memory") ||
               slice_has_prefix(name, SLICE_LITERAL("hugepages-"));
}

static void override_by_pod(struct total *total, const struct pod_spec *spec, struct arena *arena) {
        struct total actual = { .arena = arena };
        if (spec->has_pod_actual)
                actual = pod_requests_resized(&spec->pod_requests, &spec->pod_actual,
                                              &spec->pod_allocated, spec->is_resize_infeasible,
                                              arena);
        for (size_t i = 0; i < spec->pod_requests.count; i++) {
                const struct resource_amount *wanted = &spec->pod_requests.items[i];
                if (!is_pod_level(wanted->name))
                        continue;
                pod_requests_entry(total, wanted->name)->amount =
                        spec->has_pod_actual ? pod_requests_entry(&actual, wanted->name)->amount
                                             : wanted->amount;
        }
}

struct resource_list pod_spec_requests(const struct pod_spec *spec, bool use_defaults,
                                       struct arena *arena) {
        struct total total = { .arena = arena };
        for (size_t i = 0; i < spec->container_count; i++) {
                struct total own =
                        container_requests(spec, &spec->containers[i], true, use_defaults, arena);
                add_list(&total, own.items, own.count);
        }
        add_init(&total, spec, use_defaults, arena);
        add_list(&total, spec->device_requests.items, spec->device_requests.count);
        override_by_pod(&total, spec, arena);
        add_list(&total, spec->overhead.items, spec->overhead.count);
        return (struct resource_list){ total.count, total.items };
}

/* ---- QoS ---- */

/* Sums over containers; zero amounts count as not given. */
struct pod_requests_qos_sums {
        int64_t cpu_request, memory_request, cpu_limit, memory_limit;
        bool all_limited; /* every container has both limits */
};

static int64_t pod_requests_positive(const struct resource_list *list, const char *name) {
        int64_t amount = resource_list_get(list, name, NULL);
        return amount > 0 ? amount : 0;
}

static void qos_add(struct pod_requests_qos_sums *sums, const struct resource_list *requests,
                    const struct resource_list *limits) {
        int64_t cpu = pod_requests_positive(limits, "cpu"),
                memory = pod_requests_positive(limits, "memory");
        sums->cpu_request =
                sum_saturated(sums->cpu_request, pod_requests_positive(requests, "cpu"));
        sums->memory_request =
                sum_saturated(sums->memory_request, pod_requests_positive(requests, "memory"));
        sums->cpu_limit = sum_saturated(sums->cpu_limit, cpu);
        sums->memory_limit = sum_saturated(sums->memory_limit, memory);
        sums->all_limited &= cpu > 0 && memory > 0;
}

enum qos_class pod_spec_qos(const struct pod_spec *spec) {
        struct pod_requests_qos_sums sums = { .all_limited = true };
        if (spec->has_pod_resources) {
                qos_add(&sums, &spec->pod_requests, &spec->pod_limits);
        } else {
                for (size_t i = 0; i < spec->container_count; i++)
                        qos_add(&sums, &spec->containers[i].requests, &spec->containers[i].limits);
                for (size_t i = 0; i < spec->init_count; i++)
                        qos_add(&sums, &spec->init[i].requests, &spec->init[i].limits);
        }
        if (!sums.cpu_request && !sums.memory_request && !sums.cpu_limit && !sums.memory_limit)
                return QOS_BEST_EFFORT;
        bool is_equal =
                sums.cpu_request == sums.cpu_limit && sums.memory_request == sums.memory_limit;
        return sums.all_limited && is_equal ? QOS_GUARANTEED : QOS_BURSTABLE;
}

int64_t pod_spec_limit(const struct pod_spec *spec, const char *resource) {
        int64_t total = 0, peak = 0;
        for (size_t i = 0; i < spec->container_count; i++)
                total = sum_saturated(
                        total, resource_list_get(&spec->containers[i].limits, resource, NULL));
        for (size_t i = 0; i < spec->init_count; i++) {
                int64_t limit = resource_list_get(&spec->init[i].limits, resource, NULL);
                if (spec->init[i].is_sidecar)
                        total = sum_saturated(total, limit);
                else if (limit > peak)
                        peak = limit;
        }
        return total > peak ? total : peak;
}
