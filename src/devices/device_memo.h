/* Pools of which a search found that they have nothing for a request, whatever else it picks: as
 * long as claims take and give back nothing there, further searches for the same leave them out. */
#pragma once

#include "devices/device_pools.h"

struct device_memo;
struct device_memo *device_memo_new(void);
void device_memo_free(struct device_memo *memo); /* accepts NULL */
/* Of which requests it speaks from now on: claims that ask for the same have the same owner. */
void device_memo_begin(struct device_memo *memo, uint64_t owner);
uint64_t device_memo_owner(const struct device_memo *memo);
/* place: of the request, counted over claims, requests and choices. */
bool device_memo_has(const struct device_memo *memo, const struct device_inventory *inventory,
                     size_t place, const struct device_pool *pool);
/* Which values of an attribute the devices have that the request selects, as bits that values may
 * share; 0: not known yet.  Nothing that claims take changes it. */
#define DEVICE_VALUES_KNOWN ((uint64_t)1 << 63)
uint64_t device_memo_values(const struct device_memo *memo, size_t place,
                            const struct device_pool *pool);
void device_memo_put_values(struct device_memo *memo, const struct device_inventory *inventory,
                            size_t place, const struct device_pool *pool, uint64_t values);
void device_memo_add(struct device_memo *memo, const struct device_inventory *inventory,
                     size_t place, const struct device_pool *pool);
