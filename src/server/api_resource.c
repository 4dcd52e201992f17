/* The table of resources: those of every server, and those that definitions add. */
#include "server/api_resource.h"

#include "base/util.h"
#include "kinds/release.h"
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
        resource->minor = table->minor;
        resource->api_version = slice_dup(kind_api_version(kind, version));
        buf_printf(&text, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",", kind->kind,
                   resource->api_version);
        resource->prefix = buf_take(&text, &resource->prefix_size);
        buf_printf(&text, "%s%s%s", kind->plural, *kind->group ? "." : "", kind->group);
        resource->qualified = buf_take(&text, NULL);
        if (!kind->prune) /* a definition's kind is what the definition says */
                resource->schema = schema_find(slice_of(kind->group), slice_of(kind->version),
                                               slice_of(kind->kind));
        resource->merge_type = resource->schema;
        resource->owned_type = resource->schema;
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

void resource_table_init(struct resource_table *table, struct store *store, unsigned minor,
                         unsigned gates) {
        *table = (struct resource_table){ .store = store, .minor = minor, .gates = gates };
        table->rows = xcalloc(kind_count(), sizeof(table->rows[0]));
        table->by_path = map_new();
        for (size_t i = 0; i < kind_count(); i++)
                if (release_has_kind(minor, gates, kind_at(i)))
                        resource_init(table, &table->rows[table->count++], kind_at(i));
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
        table->policies =
                resource_core(table, "admissionregistration.k8s.io", "validatingadmissionpolicies");
        table->policy_bindings = resource_core(table, "admissionregistration.k8s.io",
                                               "validatingadmissionpolicybindings");
        table->mutating_policies =
                resource_core(table, "admissionregistration.k8s.io", "mutatingadmissionpolicies");
        table->mutating_bindings = resource_core(table, "admissionregistration.k8s.io",
                                                 "mutatingadmissionpolicybindings");
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
        resource->previous = NULL;
        resource->next = table->added;
        if (table->added)
                table->added->previous = resource;
        table->added = resource;
}

void resource_withdraw(struct resource_table *table, struct api_resource *resource) {
        char key[ROUTE_KEY_MAX];

        if (!resource->previous && table->added != resource) /* it was withdrawn before */
                return;
        if (resource->previous)
                resource->previous->next = resource->next;
        else
                table->added = resource->next;
        if (resource->next)
                resource->next->previous = resource->previous;
        resource->next = resource->previous = NULL;
        route_key(resource->kind, key, sizeof(key));
        if (map_get(table->by_path, slice_of(key)) == resource)
                map_remove(table->by_path, slice_of(key));
}

void resource_forget(struct resource_table *table, struct api_resource *resource) {
        resource_withdraw(table, resource);
        resource_release(resource);
}

/* ---- finding ---- */

const struct api_resource *resource_next(const struct resource_table *table,
                                         const struct api_resource *resource) {
        const struct api_resource *end = table->rows + table->count;

        if (!resource)
                return table->count > 0 ? table->rows : table->added;
        if (resource < table->rows || resource >= end)
                return resource->next;
        return ++resource < end ? resource : table->added;
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

const struct api_resource *resource_any_version(const struct resource_table *table,
                                                const char *group, const char *plural) {
        const struct api_resource *resource = NULL;

        while ((resource = resource_next(table, resource))) {
                if (resource->kind->plural[0] == plural[0] &&
                    strcmp(resource->kind->plural, plural) == 0 &&
                    strcmp(resource->kind->group, group) == 0)
                        return resource;
        }
        return NULL;
}

bool has_subresource(const struct api_resource *resource, struct slice name) {
        return release_has_subresource(resource->minor, resource->kind, name);
}

bool is_custom(const struct api_resource *resource) {
        return resource->kind->prune && !resource->merge_type;
}
