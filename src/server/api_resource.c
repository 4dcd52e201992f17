/* The table of resources: those of every server, and those that definitions add. */
#include "server/api_resource.h"

#include "base/util.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUTE_KEY_MAX 384 /* group, version and plural */

static void route_key(const struct kind_info *kind, char *key, size_t size) {
        snprintf(key, size, "%s/%s/%s", kind->group, kind->version, kind->plural);
}

static void resource_init(struct resource_table *table, struct api_resource *resource,
                          const struct kind_info *kind) {
        char version[KIND_API_VERSION_MAX], key[ROUTE_KEY_MAX];
        struct buf text = { 0 };
        const struct kind_info *stored = kind->stored_as ? kind->stored_as : kind;

        resource->kind = kind;
        resource->api_version = slice_dup(kind_api_version(kind, version));
        buf_printf(&text, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",", kind->kind,
                   resource->api_version);
        resource->prefix = buf_take(&text, &resource->prefix_size);
        buf_printf(&text, "%s%s%s", kind->plural, *kind->group ? "." : "", kind->group);
        resource->qualified = buf_take(&text, NULL);
        resource->schema =
                schema_find(slice_of(kind->group), slice_of(kind->version), slice_of(kind->kind));
        resource->merge_type = resource->schema;
        resource->store_resource = -1;
        if (!(kind->flags & KIND_REVIEW)) {
                buf_printf(&text, "%s%s%s", stored->plural, *stored->group ? "." : "",
                           stored->group);
                resource->store_resource = store_add_resource(table->store, buf_view(&text));
        }
        buf_release(&text);
        route_key(kind, key, sizeof(key));
        map_put(table->by_path, slice_of(key), resource);
}

static void resource_release(struct api_resource *resource) {
        free(resource->prefix);
        free(resource->api_version);
        free(resource->qualified);
}

static struct api_resource *resource_core(const struct resource_table *table, const char *group,
                                          const char *plural) {
        return (struct api_resource *)resource_find(table, slice_of(group), SLICE_LITERAL("v1"),
                                                    slice_of(plural));
}

void resource_table_init(struct resource_table *table, struct store *store) {
        *table = (struct resource_table){ .store = store, .count = kind_count() };
        table->rows = xcalloc(table->count, sizeof(table->rows[0]));
        table->by_path = map_new();
        for (size_t i = 0; i < table->count; i++)
                resource_init(table, &table->rows[i], kind_at(i));
        table->pods = resource_core(table, "", "pods");
        table->nodes = resource_core(table, "", "nodes");
        table->namespaces = resource_core(table, "", "namespaces");
        table->accounts = resource_core(table, "", "serviceaccounts");
        table->quotas = resource_core(table, "", "resourcequotas");
        table->budgets = resource_core(table, "policy", "poddisruptionbudgets");
        table->mutating_webhooks = resource_core(table, "admissionregistration.k8s.io",
                                                 "mutatingwebhookconfigurations");
        table->validating_webhooks = resource_core(table, "admissionregistration.k8s.io",
                                                   "validatingwebhookconfigurations");
}

void resource_table_release(struct resource_table *table) {
        assert(!table->added);
        for (size_t i = 0; i < table->count; i++)
                resource_release(&table->rows[i]);
        free(table->rows);
        map_free(table->by_path);
}

/* ---- custom resources ---- */

void resource_add(struct resource_table *table, struct api_resource *resource,
                  const struct kind_info *kind) {
        resource_init(table, resource, kind);
        resource->next = table->added;
        table->added = resource;
}

void resource_withdraw(struct resource_table *table, struct api_resource *resource) {
        struct api_resource **link = &table->added;
        char key[ROUTE_KEY_MAX];

        while (*link && *link != resource)
                link = &(*link)->next;
        if (!*link)
                return;
        *link = resource->next;
        resource->next = NULL;
        route_key(resource->kind, key, sizeof(key));
        if (map_get(table->by_path, slice_of(key)) == resource)
                map_remove(table->by_path, slice_of(key));
}

void resource_forget(struct resource_table *table, struct api_resource *resource) {
        resource_withdraw(table, resource);
        resource_release(resource);
}

/* ---- finding ---- */

const struct api_resource *resource_at(const struct resource_table *table, size_t index) {
        const struct api_resource *resource = table->added;

        if (index < table->count)
                return &table->rows[index];
        for (index -= table->count; resource && index > 0; index--)
                resource = resource->next;
        return resource;
}

const struct api_resource *resource_find(const struct resource_table *table, struct slice group,
                                         struct slice version, struct slice plural) {
        char key[ROUTE_KEY_MAX];
        int length = snprintf(key, sizeof(key), SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT,
                              SLICE_ARG(group), SLICE_ARG(version), SLICE_ARG(plural));

        if (length < 0 || (size_t)length >= sizeof(key))
                return NULL;
        return map_get(table->by_path, slice_make(key, (size_t)length));
}

const struct api_resource *resource_of_kind(const struct resource_table *table,
                                            const struct kind_info *kind) {
        return resource_find(table, slice_of(kind->group), slice_of(kind->version),
                             slice_of(kind->plural));
}

const struct api_resource *resource_by_type(const struct resource_table *table,
                                            struct slice api_version, struct slice kind) {
        const struct api_resource *resource;

        for (size_t i = 0; (resource = resource_at(table, i)); i++) {
                if (slice_is(kind, resource->kind->kind) &&
                    slice_is(api_version, resource->api_version))
                        return resource;
        }
        return NULL;
}

const struct api_resource *resource_any_version(const struct resource_table *table,
                                                const char *group, const char *plural) {
        const struct api_resource *resource;

        for (size_t i = 0; (resource = resource_at(table, i)); i++) {
                if (strcmp(resource->kind->group, group) == 0 &&
                    strcmp(resource->kind->plural, plural) == 0)
                        return resource;
        }
        return NULL;
}

bool has_subresource(const struct api_resource *resource, struct slice name) {
        const char *const *more = resource->kind->more_subresources;

        if (name.len == 0 || (slice_is(name, "status") && resource->kind->flags & KIND_STATUS) ||
            (slice_is(name, "scale") && resource->kind->flags & KIND_SCALE))
                return true;
        for (size_t i = 0; more && more[i]; i++) {
                if (slice_is(name, more[i]))
                        return true;
        }
        return false;
}
