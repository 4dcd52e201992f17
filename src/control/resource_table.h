/* Which resources the API server has, custom ones included: where their paths are, what their kinds
 * are called, and which resource of the store holds them. Read from the server's discovery. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

struct api_server;
struct resource_table;

struct resource_entry {
        const char *group, *version, *plural, *kind; /* group "" = core */
        bool is_namespaced, can_delete;
        int resource; /* of the store */
};

struct resource_table *resource_table_new(struct api_server *server);
void resource_table_free(struct resource_table *table); /* accepts NULL */
/* Reads discovery again; entries found before are gone. */
void resource_table_refresh(struct resource_table *table);
size_t resource_table_count(const struct resource_table *table);
const struct resource_entry *resource_table_at(const struct resource_table *table, size_t index);
/* NULL when unknown. */
const struct resource_entry *resource_table_find(const struct resource_table *table, int resource);
const struct resource_entry *resource_table_find_kind(const struct resource_table *table,
                                                      struct slice group, struct slice kind);
/* "apps/v1" or "v1". */
void resource_api_version(const struct resource_entry *entry, struct buf *out);
/* The path of a collection (name empty) or of an object. */
void resource_path(const struct resource_entry *entry, struct slice ns, struct slice name,
                   struct buf *out);
/* The group in "apps/v1"; empty for "v1". */
struct slice api_version_group(struct slice api_version);
