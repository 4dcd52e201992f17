/* ResourceSlices made up: whole devices, and the parts that they can be cut into. A device that can
 * be cut has a set of counters; the whole of it takes them all, a part its share (of memory the
 * next power of two, as partitions of GPUs do), so that they exclude each other as they should. */
#include "control/device_slices.h"

#include "api/quantity.h"

#define SLICE_DEVICES_MAX 64 /* upstream's limit where devices have counters or taints */
#define SLICE_SETS_MAX 8     /* sets of counters in one slice */
#define PARTS_COUNTER "parts"

struct slices_making {
        const struct device_slices_request *request;
        struct json_tree *tree;
        struct arena *arena;
        struct json_node *all, *devices; /* devices: of the slice that is being filled */
        struct slice prefix;             /* of names: "gpu" of gpu.example.com */
};

static struct json_node *begin_slice(struct slices_making *making) {
        const struct device_slices_request *request = making->request;
        struct json_tree *tree = making->tree;
        struct json_node *spec = node_object(tree), *pool;

        node_put_text(tree, spec, "driver", request->kind->driver);
        node_put_text(tree, spec, "nodeName", request->node);
        pool = node_need_object(tree, spec, "pool");
        node_put_text(tree, pool, "name", request->node);
        node_put_i64(tree, pool, "generation", request->generation);
        node_append(making->all, spec);
        return spec;
}

/* ---- amounts ---- */

/* MIG and its like give memory in powers of two: of 7 parts, 3 have half of it. */
static int64_t power_above(int64_t number) {
        int64_t power = 1;

        while (power < number)
                power *= 2;
        return power;
}

static struct slice part_of(const struct slices_making *making, struct slice amount, int64_t size) {
        int64_t whole = power_above(making->request->kind->parts);
        struct quantity_info info;
        char text[QUANTITY_TEXT_MAX];

        if (size == making->request->kind->parts || quantity_describe(amount, &info, NULL) < 0)
                return amount;
        quantity_format_units(info.value / whole * power_above(size), info.format, text);
        return slice_of(arena_string(making->arena, slice_of(text)));
}

static void put_value(struct slices_making *making, struct json_node *object, struct slice key,
                      struct slice value) {
        struct json_node *amount = node_object(making->tree);

        node_put_text(making->tree, amount, "value", value);
        node_set(making->tree, object, key, amount);
}

static struct slice number_text(const struct slices_making *making, int64_t number) {
        return slice_of(arena_printf(making->arena, "%lld", (long long)number));
}

/* What a part takes of its device, or the whole of it. */
static void put_counters(struct slices_making *making, struct json_node *object, int64_t size) {
        const struct device_kind *kind = making->request->kind;
        struct json_node *counters = node_need_object(making->tree, object, "counters");

        put_value(making, counters, SLICE_LITERAL(PARTS_COUNTER), number_text(making, size));
        for (size_t i = 0; i < kind->capacity_count; i++)
                put_value(making, counters, kind->capacities[i].key,
                          part_of(making, kind->capacities[i].value, size));
}

static void put_counter_sets(struct slices_making *making) {
        struct json_node *sets = NULL;

        for (int64_t i = 0; i < making->request->kind->count; i++) {
                struct json_node *set = node_object(making->tree);

                if (i % SLICE_SETS_MAX == 0)
                        sets = node_need_array(making->tree, begin_slice(making), "sharedCounters");
                node_put_string(making->tree, set, "name",
                                arena_printf(making->arena, SLICE_FMT "-%lld",
                                             SLICE_ARG(making->prefix), (long long)i));
                put_counters(making, set, making->request->kind->parts);
                node_append(sets, set);
        }
}

/* ---- devices ---- */

static void put_attribute(struct slices_making *making, struct json_node *device, struct slice key,
                          struct slice value) {
        struct json_node *attributes = node_need_object(making->tree, device, "attributes");
        struct json_node *attribute = node_object(making->tree);
        int64_t number;

        if (slice_to_i64(value, &number))
                node_put_i64(making->tree, attribute, "int", number);
        else if (slice_is(value, "true") || slice_is(value, "false"))
                node_put_bool(making->tree, attribute, "bool", slice_is(value, "true"));
        else
                node_put_text(making->tree, attribute, "string", value);
        node_set(making->tree, attributes, key, attribute);
}

static const char *type_of(const struct device_kind *kind, int64_t size) {
        if (kind->is_shared)
                return "shared";
        return size < kind->parts ? "part" : "whole";
}

static void put_attributes(struct slices_making *making, struct json_node *device, int64_t index,
                           int64_t size) {
        const struct device_kind *kind = making->request->kind;

        put_attribute(making, device, SLICE_LITERAL("index"), number_text(making, index));
        put_attribute(making, device, SLICE_LITERAL("type"), slice_of(type_of(kind, size)));
        if (kind->parts)
                put_attribute(making, device, SLICE_LITERAL("parts"), number_text(making, size));
        if (kind->roots)
                put_attribute(
                        making, device, SLICE_LITERAL("resource.kubernetes.io/pcieRoot"),
                        slice_of(arena_printf(making->arena, "pci0000:%02llx",
                                              (long long)(index * kind->roots / kind->count))));
        for (size_t i = 0; i < kind->attribute_count; i++)
                put_attribute(making, device, kind->attributes[i].key, kind->attributes[i].value);
}

/* Shares are multiples of the step, and one step unless a claim says more. */
static void put_policy(struct slices_making *making, struct json_node *capacity,
                       struct slice step) {
        struct json_node *policy = node_need_object(making->tree, capacity, "requestPolicy");

        node_put_text(making->tree, policy, "default", step);
        struct json_node *range = node_need_object(making->tree, policy, "validRange");
        node_put_text(making->tree, range, "min", step);
        node_put_text(making->tree, range, "step", step);
}

static void put_capacities(struct slices_making *making, struct json_node *device, int64_t size) {
        const struct device_kind *kind = making->request->kind;

        if (kind->capacity_count == 0)
                return;
        struct json_node *all = node_need_object(making->tree, device, "capacity");
        for (size_t i = 0; i < kind->capacity_count; i++) {
                const struct device_amount_fact *fact = &kind->capacities[i];

                put_value(making, all, fact->key, part_of(making, fact->value, size));
                if (fact->step.len)
                        put_policy(making, node_find(all, fact->key), fact->step);
        }
}

static void put_taints(struct slices_making *making, struct json_node *device, struct slice name) {
        const struct device_slices_request *request = making->request;

        for (size_t i = 0; i < request->taints->count; i++) {
                const struct device_taint_fact *fact = &request->taints->items[i];

                if (!slice_eq(fact->driver, request->kind->driver) ||
                    (!slice_eq(fact->device, name) && !slice_is(fact->device, "*")))
                        continue;
                struct slice since = request->time_added(request->context, name, fact);
                struct json_node *taint = node_object(making->tree);
                node_put_text(making->tree, taint, "key", fact->key);
                if (fact->value.len)
                        node_put_text(making->tree, taint, "value", fact->value);
                node_put_text(making->tree, taint, "effect", fact->effect);
                node_put_text(making->tree, taint, "timeAdded", since.len ? since : request->now);
                node_append(node_need_array(making->tree, device, "taints"), taint);
        }
}

/* size: parts of the device; name: its own. */
static void put_device(struct slices_making *making, const char *name, int64_t index,
                       int64_t size) {
        const struct device_kind *kind = making->request->kind;
        struct json_node *device = node_object(making->tree), *consumption;

        if (!making->devices || node_count(making->devices) == SLICE_DEVICES_MAX)
                making->devices = node_need_array(making->tree, begin_slice(making), "devices");
        node_put_string(making->tree, device, "name", name);
        put_attributes(making, device, index, size);
        put_capacities(making, device, size);
        if (kind->is_shared)
                node_put_bool(making->tree, device, "allowMultipleAllocations", true);
        if (kind->parts) {
                consumption = node_object(making->tree);
                node_put_string(making->tree, consumption, "counterSet",
                                arena_printf(making->arena, SLICE_FMT "-%lld",
                                             SLICE_ARG(making->prefix), (long long)index));
                put_counters(making, consumption, size);
                node_append(node_need_array(making->tree, device, "consumesCounters"), consumption);
        }
        put_taints(making, device, slice_of(name));
        node_append(making->devices, device);
}

static void put_parts(struct slices_making *making, int64_t index, int64_t size) {
        int64_t parts = making->request->kind->parts;
        int64_t count = parts / size, fit = power_above(parts) / power_above(size);

        for (int64_t i = 0; size < parts && i < count && i < fit; i++)
                put_device(making,
                           arena_printf(making->arena, SLICE_FMT "-%lld-part%lld-%lld",
                                        SLICE_ARG(making->prefix), (long long)index,
                                        (long long)size, (long long)i),
                           index, size);
}

struct json_node *device_slices_make(const struct device_slices_request *request,
                                     struct json_tree *tree, struct arena *arena) {
        struct slices_making making = {
                .request = request, .tree = tree, .arena = arena, .all = node_array(tree)
        };
        struct slice rest = request->kind->driver;
        struct json_node *spec;

        slice_split(&rest, '.', &making.prefix);
        if (request->kind->parts)
                put_counter_sets(&making);
        for (int64_t i = 0; i < request->kind->count; i++) {
                put_device(&making,
                           arena_printf(arena, SLICE_FMT "-%lld", SLICE_ARG(making.prefix),
                                        (long long)i),
                           i, request->kind->parts);
                for (size_t j = 0; j < request->kind->size_count; j++)
                        put_parts(&making, i, request->kind->size_parts[j]);
        }
        struct node_iter iter = node_iter(making.all);
        while (node_next(&iter, NULL, &spec))
                node_put_i64(tree, node_get(spec, "pool"), "resourceSliceCount",
                             (int64_t)node_count(making.all));
        return making.all;
}
