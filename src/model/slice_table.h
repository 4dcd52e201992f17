/* ResourceSlices as rows. Texts, attributes and lists that are equal are there once, however many
 * devices have them; a row has no JSON behind it. */
#pragma once

#include "api/device.h"

struct slice_table;
struct slice_table *slice_table_new(void);
void slice_table_free(struct slice_table *table); /* accepts NULL */
/* A copy.  It lives as long as the table does. */
const struct resource_slice *slice_table_add(struct slice_table *table,
                                             const struct resource_slice *slice);
/* Whether two rows of one table say the same. */
bool slice_table_is_same(const struct resource_slice *a, const struct resource_slice *b);
/* Devices of all rows that were ever added: whoever knows how many of them are of use still can
 * tell when a new table is due. */
size_t slice_table_devices(const struct slice_table *table);
size_t slice_table_bytes(const struct slice_table *table);
