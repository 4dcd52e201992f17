/* Resource table, filled from aggregated discovery. */
#include "control/control_resources.h"

#include "api/json.h"
#include "base/arena.h"
#include "base/util.h"
#include "server/api_server.h"
#include <stdlib.h>

/* Servers before 1.30 have no v2. */
#define DISCOVERY_ACCEPT                                                                           \
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"                    \
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

struct control_resources {
        struct api_server *server;
        struct arena arena;
        struct resource_entry *entries;
        size_t count, cap;
};

struct control_resources *control_resources_new(struct api_server *server) {
        struct control_resources *table = xcalloc(1, sizeof(*table));

        table->server = server;
        arena_init(&table->arena, 0);
        control_resources_refresh(table);
        return table;
}

void control_resources_free(struct control_resources *table) {
        if (!table)
                return;
        arena_release(&table->arena);
        free(table->entries);
        free(table);
}

static void control_resources_add(struct control_resources *table, const struct json *resource,
                                  const char *group, const char *version) {
        struct slice plural = json_get_text(resource, "resource");
        struct slice kind = json_get_text(json_get(resource, "responseKind"), "kind");
        struct json_iter verbs = json_iter(json_get(resource, "verbs"));
        const struct json *verb;
        struct resource_entry entry = {
                .group = group,
                .version = version,
                .plural = arena_string(&table->arena, plural),
                .kind = arena_string(&table->arena, kind),
                .is_namespaced = slice_is(json_get_text(resource, "scope"), "Namespaced"),
        };

        entry.resource = api_server_resource(table->server, group, entry.plural);
        while (json_next(&verbs, NULL, &verb))
                entry.can_delete |= slice_is(json_text(verb), "delete");
        /* Another version of a resource shares its store. */
        if (entry.resource < 0 || control_resources_find(table, entry.resource))
                return;
        if (table->count == table->cap) {
                table->cap = table->cap ? table->cap * 2 : 64;
                table->entries = xreallocarray(table->entries, table->cap, sizeof(entry));
        }
        table->entries[table->count++] = entry;
}

static void add_group(struct control_resources *table, const struct json *item) {
        const char *group =
                arena_string(&table->arena, json_get_text(json_get(item, "metadata"), "name"));
        struct json_iter versions = json_iter(json_get(item, "versions"));
        const struct json *version, *resource;

        while (json_next(&versions, NULL, &version)) {
                const char *name = arena_string(&table->arena, json_get_text(version, "version"));
                struct json_iter resources = json_iter(json_get(version, "resources"));

                while (json_next(&resources, NULL, &resource))
                        control_resources_add(table, resource, group, name);
        }
}

static void read_document(struct control_resources *table, const char *path) {
        struct api_server_request request = {
                .method = SLICE_LITERAL("GET"),
                .target = slice_of(path),
                .accept = SLICE_LITERAL(DISCOVERY_ACCEPT),
                .user = &api_user_admin,
        };
        struct http_response response;
        struct json_doc *doc = NULL;
        const struct json *item;

        api_server_handle(table->server, &request, &response);
        if (response.status == 200 && json_parse(buf_view(&response.body), &doc, NULL) == 0) {
                struct json_iter iter = json_iter(json_get(json_doc_root(doc), "items"));

                while (json_next(&iter, NULL, &item))
                        add_group(table, item);
        }
        json_doc_free(doc);
        http_response_release(&response);
}

void control_resources_refresh(struct control_resources *table) {
        table->count = 0;
        arena_clear(&table->arena);
        read_document(table, "/api");
        read_document(table, "/apis");
}

size_t control_resources_count(const struct control_resources *table) {
        return table->count;
}

const struct resource_entry *control_resources_at(const struct control_resources *table,
                                                  size_t index) {
        return &table->entries[index];
}

const struct resource_entry *control_resources_find(const struct control_resources *table,
                                                    int resource) {
        for (size_t i = 0; i < table->count; i++) {
                if (table->entries[i].resource == resource)
                        return &table->entries[i];
        }
        return NULL;
}

const struct resource_entry *control_resources_find_kind(const struct control_resources *table,
                                                         struct slice group, struct slice kind) {
        for (size_t i = 0; i < table->count; i++) {
                if (slice_is(group, table->entries[i].group) &&
                    slice_is(kind, table->entries[i].kind))
                        return &table->entries[i];
        }
        return NULL;
}

void resource_api_version(const struct resource_entry *entry, struct buf *out) {
        if (*entry->group)
                buf_printf(out, "%s/", entry->group);
        buf_text(out, entry->version);
}

void resource_path(const struct resource_entry *entry, struct slice ns, struct slice name,
                   struct buf *out) {
        buf_text(out, *entry->group ? "/apis/" : "/api/");
        resource_api_version(entry, out);
        if (entry->is_namespaced && ns.len)
                buf_printf(out, "/namespaces/" SLICE_FMT, SLICE_ARG(ns));
        buf_printf(out, "/%s", entry->plural);
        if (name.len)
                buf_printf(out, "/" SLICE_FMT, SLICE_ARG(name));
}

struct slice api_version_group(struct slice api_version) {
        struct slice rest = api_version, group = SLICE_EMPTY;

        if (!api_version.len || !memchr(api_version.ptr, '/', api_version.len))
                return SLICE_EMPTY;
        slice_split(&rest, '/', &group);
        return group;
}
