/* Selectors of devices: expressions over the variable device, of Dynamic Resource Allocation
 * (upstream: dynamic-resource-allocation/cel/compile.go). A program is compiled once for a class or
 * claim; matching walks the program. */
#pragma once

#include "api/device.h"
#include "cel/cel.h"

#define CEL_SELECTOR_MAX ((size_t)10 * 1024) /* bytes that the API server accepts */
#define CEL_SELECTOR_COST_MAX 1000000        /* of one evaluation, in upstream's units */

/* Gates of upstream that change what selectors may say. */
struct cel_device_gates {
        bool has_lists; /* DRAListTypeAttributes */
        /* device.allowMultipleAllocations is there: for the scheduler always, for the API server
         * with DRAConsumableCapacity. */
        bool has_shares;
};
/* The program lives in the arena, and holds memory besides (cel_program_release). INVALID, with
 * upstream's words, when it does not compile or cannot be a bool. */
int cel_device_compile(struct arena *arena, struct slice source,
                       const struct cel_device_gates *gates, struct cel_program **ret_program,
                       struct err *err);

struct cel_value;
/* What expressions see of a device; in the arena, borrowing the device's texts. INVALID when an
 * attribute has no value that is understood: then every selector fails on the device. */
int cel_device_value(struct arena *arena, const struct device *device, struct slice driver,
                     const struct cel_device_gates *gates, const struct cel_value **ret_value,
                     struct err *err);
/* CEL_TRUE or CEL_FALSE; CEL_FAILED (*ret_text says why) and CEL_OVER_BUDGET are errors of the
 * evaluation. */
enum cel_outcome cel_device_matches(const struct cel_program *program,
                                    const struct cel_value *device, struct arena *arena,
                                    const char **ret_text);
