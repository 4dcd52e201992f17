/* Which resources the API server has, custom ones included: where their paths are, what their kinds
 * are called, and which resource of the store holds them. Read from the server's discovery. */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

struct api_server;
struct control_resources;

struct resource_entry {
        const char *group, *version, *plural, *kind; /* group "" = core */
        bool is_namespaced, can_delete;
        int resource; /* of the store */
};

struct control_resources *control_resources_new(struct api_server *server);
void control_resources_free(struct control_resources *table); /* accepts NULL */
/* Reads discovery again; entries found before are gone. */
void control_resources_refresh(struct control_resources *table);
size_t control_resources_count(const struct control_resources *table);
const struct resource_entry *control_resources_at(const struct control_resources *table,
                                                  size_t index);
/* NULL when unknown. */
const struct resource_entry *control_resources_find(const struct control_resources *table,
                                                    int resource);
const struct resource_entry *control_resources_find_kind(const struct control_resources *table,
                                                         struct slice group, struct slice kind);
/* "apps/v1" or "v1". */
void resource_api_version(const struct resource_entry *entry, struct buf *out);
/* The path of a collection (name empty) or of an object. */
void resource_path(const struct resource_entry *entry, struct slice ns, struct slice name,
                   struct buf *out);
/* The group in "apps/v1"; empty for "v1". */
struct slice api_version_group(struct slice api_version);
