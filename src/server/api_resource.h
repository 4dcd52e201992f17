/* The table of resources: every kind with what the engine derives from its row, found by path. */
#pragma once

#include "base/map.h"
#include "base/slice.h"
#include "kinds/kind.h"
#include "schema/schema.h"
#include "store/store.h"
#include <stdbool.h>
#include <stddef.h>

/* A kind with everything the engine derives from its row. */
struct api_resource {
        const struct kind_info *kind;
        int store_resource;                 /* -1 for reviews */
        const struct schema_object *schema; /* NULL: any JSON */
        /* How strategic patches merge: schema, or what a built-in definition says; NULL: they are
         * refused. */
        const struct schema_object *merge_type;
        const struct schema_object *owned_type; /* how far ownership of fields goes */
        char *prefix;                           /* {"kind":"Pod","apiVersion":"v1", */
        char *api_version;                      /* "v1", "apps/v1" */
        char *qualified;                        /* "pods", "deployments.apps" */
        size_t prefix_size;
        unsigned minor;                       /* the release its server plays */
        struct api_resource *next, *previous; /* among those that were added */
};

struct resource_table {
        struct store *store;
        unsigned minor;            /* of Kubernetes (kinds/release.h) */
        unsigned gates;            /* enum kind_gates that are on */
        struct api_resource *rows; /* those of the release, in the order of kind_at */
        size_t count;
        struct api_resource *added; /* of custom resources, the newest first */
        struct map *by_path;        /* "apps/v1/deployments" */
        const struct api_resource *pods, *nodes, *namespaces, *budgets, *quotas;
        const struct api_resource *accounts, *mutating_webhooks, *validating_webhooks;
        /* NULL: the release has none. */
        const struct api_resource *policies, *policy_bindings, *mutating_policies,
                *mutating_bindings;
};

/* minor: what is served is what that release serves (kinds/release.h), with these gates. */
void resource_table_init(struct resource_table *table, struct store *store, unsigned minor,
                         unsigned gates);
void resource_table_release(struct resource_table *table); /* what was added is gone already */

/* Serves a kind besides those of the registry; a resource of the same path takes its place. */
void resource_add(struct resource_table *table, struct api_resource *resource,
                  const struct kind_info *kind);
/* Serves it no more; what refers to it stays valid. */
void resource_withdraw(struct resource_table *table, struct api_resource *resource);
/* The same, and frees what it holds, but not itself. */
void resource_forget(struct resource_table *table, struct api_resource *resource);

/* All resources, those that were added behind the others: the one behind resource, the first one
 * for NULL; NULL at the end. */
const struct api_resource *resource_next(const struct resource_table *table,
                                         const struct api_resource *resource);
const struct api_resource *resource_find(const struct resource_table *table, struct slice group,
                                         struct slice version, struct slice plural);
const struct api_resource *resource_of_kind(const struct resource_table *table,
                                            const struct kind_info *kind);
const struct api_resource *resource_any_version(const struct resource_table *table,
                                                const char *group, const char *plural);
bool has_subresource(const struct api_resource *resource, struct slice name);
/* A client defined it; what berth brings along is served as all else. */
bool is_custom(const struct api_resource *resource);
