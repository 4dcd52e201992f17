/* Devices of a simulated node, as its annotation describes them; docs/devices.md has the grammar.
 * Parsing is pure. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_KINDS_MAX 16 /* drivers of one node */
#define DEVICES_MAX 256     /* of one driver on one node, partitions not counted */
#define PARTITIONS_MAX 16   /* sizes, and parts of one device */
#define DEVICE_FACTS_MAX 24 /* attributes and capacities of one device */

struct device_fact { /* KEY=VALUE */
        struct slice key, value;
};
struct device_amount_fact { /* KEY:VALUE, or KEY:VALUE/STEP for shares */
        struct slice key, value, step;
};
/* One driver of the node, and its devices, which are alike. */
struct device_kind {
        struct slice driver;
        int64_t count;
        int64_t roots; /* PCIe roots among which they are spread; 0: not said */
        int64_t parts; /* a device can be cut into so many; 0: into none */
        int64_t size_parts[PARTITIONS_MAX]; /* of its parts, one kind of them each */
        size_t size_count;
        struct device_fact attributes[DEVICE_FACTS_MAX];
        size_t attribute_count;
        struct device_amount_fact capacities[DEVICE_FACTS_MAX];
        size_t capacity_count;
        bool is_shared; /* several claims may have a part of the capacity each */
};
struct device_layout {
        struct device_kind *kinds;
        size_t count;
};
int device_layout_parse(struct slice text, struct arena *arena, struct device_layout *ret_layout,
                        struct err *err);

/* A taint: DRIVER/DEVICE KEY[=VALUE]:EFFECT; DEVICE "*": all. */
struct device_taint_fact {
        struct slice driver, device, key, value, effect;
};
struct device_taint_list {
        struct device_taint_fact *items;
        size_t count;
};
int device_taints_parse(struct slice text, struct arena *arena,
                        struct device_taint_list *ret_taints, struct err *err);
