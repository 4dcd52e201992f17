/* ResourceSlices, DeviceTaintRules, and what they share with claims. */
#include "api/device_decode_priv.h"

#include "base/util.h"

/* ---- parts ---- */

int decode_amount(const struct json *value, void *target, struct decode *d) {
        struct slice *text = target;
        int64_t number;

        if (json_type(value) == JSON_INT && json_as_i64(value, &number)) {
                *text = slice_of(arena_printf(d->arena, "%lld", (long long)number));
                return 0;
        }
        return decode_text(value, target, d);
}

int decode_map(const struct json *value, const struct decode_map *map, void *target,
               struct decode *d) {
        struct json_iter iter = json_iter(value);
        const struct json *member;
        struct slice name;
        size_t count = 0;

        if (json_type(value) != JSON_OBJECT)
                return decode_type_error(value, "object", d);
        char *items = arena_array(d->arena, json_count(value), map->element_size);
        while (json_next(&iter, &name, &member)) {
                char *slot = items + count++ * map->element_size;

                memset(slot, 0, map->element_size);
                memcpy(slot, &name, sizeof(name));
                int r = map->decode(member, slot, d);
                if (r < 0) {
                        err_path_prepend(
                                d->err, arena_printf(d->arena, "[" SLICE_FMT "]", SLICE_ARG(name)));
                        return r;
                }
        }
        memcpy((char *)target + map->offset, &items, sizeof(items));
        memcpy((char *)target + map->count_offset, &count, sizeof(count));
        return 0;
}

static int decode_plain_amount(const struct json *value, void *target, struct decode *d) {
        struct device_amount *amount = target;

        return decode_amount(value, &amount->value, d);
}

int decode_amounts(const struct json *value, void *target, struct decode *d) {
        static const struct decode_map map =
                MAP_OF(struct device_amounts, items, count, decode_plain_amount);

        return decode_map(value, &map, target, d);
}

static int decode_counter(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_amount, "value", value, decode_amount),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_counters(const struct json *value, void *target, struct decode *d) {
        static const struct decode_map map =
                MAP_OF(struct device_amounts, items, count, decode_counter);

        return decode_map(value, &map, target, d);
}

static int decode_counter_set(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct counter_set, "name", name, decode_text),
                FIELD(struct counter_set, "counterSet", name, decode_text),
                FIELD(struct counter_set, "counters", counters, decode_counters),
        };

        *(struct counter_set *)target = (struct counter_set){ 0 };
        return DECODE_FIELDS(value, fields, target, d);
}

int decode_device_taint(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_taint, "key", key, decode_text),
                FIELD(struct device_taint, "value", value, decode_text),
                FIELD(struct device_taint, "effect", effect_name, decode_text),
                FIELD(struct device_taint, "timeAdded", time_added, decode_text),
        };
        struct device_taint *taint = target;

        *taint = (struct device_taint){ 0 };
        int r = DECODE_FIELDS(value, fields, target, d);
        taint->effect = taint_effect_from(taint->effect_name);
        return r;
}

/* ---- places ---- */

static int decode_node_name(const struct json *value, void *target, struct decode *d) {
        struct device_place *place = target;

        place->has_node_name = true;
        return decode_text(value, &place->node_name, d);
}

static int decode_node_selector(const struct json *value, void *target, struct decode *d) {
        struct device_place *place = target;

        place->has_selector = true;
        place->written = value;
        return node_selector_decode(value, d->arena, &place->selector, d->err);
}

/* The three members stand beside others, so the place is read in a pass of its own. */
static const struct device_place nowhere;

static int decode_place(const struct json *value, const struct device_place **ret_place,
                        struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("nodeName", decode_node_name),
                PART_FIELD("nodeSelector", decode_node_selector),
                FIELD(struct device_place, "allNodes", is_everywhere, decode_bool),
        };

        struct device_place place = { 0 };
        int r = DECODE_FIELDS(value, fields, &place, d);

        *ret_place = &nowhere;
        if (r == 0 && (place.has_node_name || place.has_selector || place.is_everywhere)) {
                struct device_place *said = ARENA_NEW(d->arena, struct device_place);

                *said = place;
                *ret_place = said;
        }
        return r;
}

/* ---- attributes ---- */

static int decode_scalar(const struct json *value, enum device_value kind,
                         struct device_scalar *scalar, struct decode *d) {
        switch (kind) {
        case DEVICE_BOOL:
                return decode_bool(value, &scalar->boolean, d);
        case DEVICE_INT:
                return decode_int64(value, &scalar->integer, d);
        default:
                return decode_text(value, &scalar->text, d);
        }
}

static int decode_scalars(const struct json *value, struct device_attribute *attribute,
                          struct decode *d) {
        struct json_iter iter = json_iter(value);
        const struct json *item;

        if (json_type(value) != JSON_ARRAY)
                return decode_type_error(value, "array", d);
        attribute->items = ARENA_ARRAY(d->arena, struct device_scalar, json_count(value));
        while (json_next(&iter, NULL, &item)) {
                struct device_scalar *scalar = &attribute->items[attribute->item_count++];

                *scalar = (struct device_scalar){ 0 };
                int r = decode_scalar(item, attribute->kind, scalar, d);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int decode_attribute(const struct json *value, void *target, struct decode *d) {
        static const struct {
                const char *name;
                enum device_value kind;
                bool is_list;
        } forms[] = { { "int", DEVICE_INT, false },       { "bool", DEVICE_BOOL, false },
                      { "string", DEVICE_STRING, false }, { "version", DEVICE_VERSION, false },
                      { "ints", DEVICE_INT, true },       { "bools", DEVICE_BOOL, true },
                      { "strings", DEVICE_STRING, true }, { "versions", DEVICE_VERSION, true } };
        struct device_attribute *attribute = target;

        for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
                const struct json *member = json_get(value, forms[i].name);

                if (!member || json_type(member) == JSON_NULL)
                        continue;
                attribute->kind = forms[i].kind;
                attribute->is_list = forms[i].is_list;
                return attribute->is_list
                               ? decode_scalars(member, attribute, d)
                               : decode_scalar(member, attribute->kind, &attribute->scalar, d);
        }
        return 0;
}

struct attribute_list {
        struct device_attribute *items;
        size_t count;
};

static int decode_attributes(const struct json *value, void *target, struct decode *d) {
        static const struct decode_map map =
                MAP_OF(struct attribute_list, items, count, decode_attribute);
        struct attribute_list list = { 0 };
        struct device *device = target;
        int r = decode_map(value, &map, &list, d);

        if (r < 0)
                return r;
        device->attributes = ARENA_ARRAY(d->arena, const struct device_attribute *, list.count);
        device->attribute_count = list.count;
        for (size_t i = 0; i < list.count; i++)
                device->attributes[i] = &list.items[i];
        return 0;
}

/* ---- capacity ---- */

static int decode_range(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_capacity, "min", min, decode_amount),
                FIELD(struct device_capacity, "max", max, decode_amount),
                FIELD(struct device_capacity, "step", step, decode_amount),
        };

        ((struct device_capacity *)target)->has_range = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_policy(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_capacity, "default", standard, decode_amount),
                LIST_FIELD(struct device_capacity, "validValues", valid_values, valid_value_count,
                           decode_amount),
                PART_FIELD("validRange", decode_range),
        };

        ((struct device_capacity *)target)->has_policy = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_one_capacity(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_capacity, "value", value, decode_amount),
                PART_FIELD("requestPolicy", decode_policy),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_device_capacity(const struct json *value, void *target, struct decode *d) {
        static const struct decode_map map =
                MAP_OF(struct device_traits, capacity, capacity_count, decode_one_capacity);

        return decode_map(value, &map, target, d);
}

static int decode_mapping(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device_mapping, "capacityKey", capacity_key, decode_text),
                FIELD(struct device_mapping, "allocationMultiplier", multiplier, decode_amount),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_mappings(const struct json *value, void *target, struct decode *d) {
        static const struct decode_map map =
                MAP_OF(struct device_traits, mappings, mapping_count, decode_mapping);

        return decode_map(value, &map, target, d);
}

/* ---- objects ---- */

static int decode_traits(const struct json *value, struct device_traits *traits, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("capacity", decode_device_capacity),
                LIST_FIELD(struct device_traits, "consumesCounters", consumes, consume_count,
                           decode_counter_set),
                LIST_FIELD(struct device_traits, "taints", taints, taint_count,
                           decode_device_taint),
                FIELD(struct device_traits, "bindsToNode", binds_to_node, decode_bool),
                LIST_FIELD(struct device_traits, "bindingConditions", conditions, condition_count,
                           decode_text),
                LIST_FIELD(struct device_traits, "bindingFailureConditions", failure_conditions,
                           failure_condition_count, decode_text),
                FIELD(struct device_traits, "allowMultipleAllocations", allows_multiple,
                      decode_bool),
                PART_FIELD("nodeAllocatableResourceMappings", decode_mappings),
        };
        int r = DECODE_FIELDS(value, fields, traits, d);

        return r < 0 ? r : decode_place(value, &traits->place, d);
}

static int decode_device(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct device, "name", name, decode_text),
                PART_FIELD("attributes", decode_attributes),
        };
        struct device_traits *traits = ARENA_NEW(d->arena, struct device_traits);
        struct device *device = target;

        *device = (struct device){ .traits = traits };
        int r = DECODE_FIELDS(value, fields, device, d);
        return r < 0 ? r : decode_traits(value, traits, d);
}

int device_decode(const struct json *object, struct arena *arena, struct device *ret_device,
                  struct err *err) {
        struct decode d = { arena, err };

        return decode_device(object, ret_device, &d);
}

static int decode_pool(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct resource_slice, "name", pool, decode_text),
                FIELD(struct resource_slice, "generation", generation, decode_int64),
                FIELD(struct resource_slice, "resourceSliceCount", slice_count, decode_int64),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_slice_spec(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct resource_slice, "driver", driver, decode_text),
                PART_FIELD("pool", decode_pool),
                FIELD(struct resource_slice, "perDeviceNodeSelection", has_places, decode_bool),
                LIST_FIELD(struct resource_slice, "sharedCounters", counters, counter_count,
                           decode_counter_set),
                LIST_FIELD(struct resource_slice, "devices", devices, device_count, decode_device),
        };
        struct resource_slice *slice = target;
        int r = DECODE_FIELDS(value, fields, target, d);

        return r < 0 ? r : decode_place(value, &slice->place, d);
}

/* Of the metadata nobody asks for more. */
static int decode_slice_meta(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                FIELD(struct resource_slice, "name", name, decode_text),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

int resource_slice_decode(const struct json *object, struct arena *arena,
                          struct resource_slice *ret_slice, struct err *err) {
        static const struct decode_field fields[] = {
                PART_FIELD("metadata", decode_slice_meta),
                PART_FIELD("spec", decode_slice_spec),
        };
        struct resource_slice slice = { .place = &nowhere };
        struct decode d = { arena, err };

        int r = DECODE_FIELDS(object, fields, &slice, &d);
        if (r == 0)
                *ret_slice = slice;
        return r;
}

/* ---- taint rules ---- */

static int decode_rule_driver(const struct json *value, void *target, struct decode *d) {
        struct device_taint_rule *rule = target;

        rule->has_driver = true;
        return decode_text(value, &rule->driver, d);
}

static int decode_rule_pool(const struct json *value, void *target, struct decode *d) {
        struct device_taint_rule *rule = target;

        rule->has_pool = true;
        return decode_text(value, &rule->pool, d);
}

static int decode_rule_device(const struct json *value, void *target, struct decode *d) {
        struct device_taint_rule *rule = target;

        rule->has_device = true;
        return decode_text(value, &rule->device, d);
}

static int decode_rule_selector(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("driver", decode_rule_driver),
                PART_FIELD("pool", decode_rule_pool),
                PART_FIELD("device", decode_rule_device),
        };

        ((struct device_taint_rule *)target)->has_selector = true;
        return DECODE_FIELDS(value, fields, target, d);
}

static int decode_rule_spec(const struct json *value, void *target, struct decode *d) {
        static const struct decode_field fields[] = {
                PART_FIELD("deviceSelector", decode_rule_selector),
                FIELD(struct device_taint_rule, "taint", taint, decode_device_taint),
        };

        return DECODE_FIELDS(value, fields, target, d);
}

int device_taint_rule_decode(const struct json *object, struct arena *arena,
                             struct device_taint_rule *ret_rule, struct err *err) {
        static const struct decode_field fields[] = {
                FIELD(struct device_taint_rule, "metadata", meta, decode_meta),
                PART_FIELD("spec", decode_rule_spec),
        };
        struct device_taint_rule rule = { 0 };
        struct decode d = { arena, err };

        meta_set_defaults(&rule.meta);
        int r = DECODE_FIELDS(object, fields, &rule, &d);
        if (r == 0)
                *ret_rule = rule;
        return r;
}
