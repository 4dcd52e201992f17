/* Stored objects as the engine reads them: parsed text with a small cache, views, hook services. */
#include "server/api_priv.h"

#include <stdlib.h>

const struct api_resource *resource_find(const struct api_server *server, struct slice group,
                                         struct slice version, struct slice plural) {
        char key[ROUTE_KEY_MAX];
        int length = snprintf(key, sizeof(key), SLICE_FMT "/" SLICE_FMT "/" SLICE_FMT,
                              SLICE_ARG(group), SLICE_ARG(version), SLICE_ARG(plural));

        if (length < 0 || (size_t)length >= sizeof(key))
                return NULL;
        return map_get(server->by_path, slice_make(key, (size_t)length));
}

const struct api_resource *resource_of_kind(const struct api_server *server,
                                            const struct kind_info *kind) {
        return resource_find(server, slice_of(kind->group), slice_of(kind->version),
                             slice_of(kind->plural));
}

const struct api_resource *resource_by_type(const struct api_server *server,
                                            struct slice api_version, struct slice kind) {
        const struct api_resource *resource;

        for (size_t i = 0; (resource = resource_at(server, i)); i++) {
                if (slice_is(kind, resource->kind->kind) &&
                    slice_is(api_version, resource->api_version))
                        return resource;
        }
        return NULL;
}

/* The object's slot, or the next one while another object there is being visited. */
static struct json_cache_entry *cache_slot(struct api_server *server,
                                           const struct store_object *object) {
        size_t at = hash_bytes(&object, sizeof(object), 0) % JSON_CACHE_SLOTS;

        while (server->cache[at].visits > 0 && server->cache[at].object != object)
                at = (at + 1) % JSON_CACHE_SLOTS;
        return &server->cache[at];
}

const struct json *object_json(struct api_server *server, const struct store_object *object) {
        struct json_cache_entry *entry = cache_slot(server, object);
        struct json_doc *doc = NULL;

        if (entry->object == object)
                return json_doc_root(entry->doc);
        if (json_parse(store_object_body(object), &doc, NULL) < 0)
                return NULL;
        store_object_unref(entry->object);
        json_doc_free(entry->doc);
        entry->object = store_object_ref(object);
        entry->doc = doc;
        return json_doc_root(doc);
}

const struct json *json_kept(struct api_context *context, struct slice text) {
        struct json_doc *doc = NULL;

        if (json_parse(text, &doc, NULL) < 0)
                return NULL;
        if (context->doc_count == context->doc_cap) {
                context->doc_cap = context->doc_cap ? context->doc_cap * 2 : 8;
                context->docs =
                        xreallocarray(context->docs, context->doc_cap, sizeof(context->docs[0]));
        }
        context->docs[context->doc_count++] = doc;
        return json_doc_root(doc);
}

const struct json *object_json_kept(struct api_context *context,
                                    const struct store_object *object) {
        return json_kept(context, store_object_body(object));
}

struct json_node *tree_of_object(const struct store_object *object, struct json_tree **ret_tree) {
        if (json_tree_parse(store_object_body(object), ret_tree, NULL) < 0)
                return NULL;
        return json_tree_root(*ret_tree);
}

struct slice object_view(struct arena *arena, const struct api_resource *resource,
                         struct slice body) {
        struct json_tree *tree = NULL;
        struct buf text = { 0 };
        struct slice view = body;

        if (!resource->kind->from_stored || json_tree_parse(body, &tree, NULL) < 0)
                return body;
        resource->kind->from_stored(tree, json_tree_root(tree));
        node_remove(json_tree_root(tree), "apiVersion");
        node_remove(json_tree_root(tree), "kind");
        if (resource->schema)
                schema_normalise(resource->schema, tree, json_tree_root(tree), NULL, NULL);
        if (node_write(json_tree_root(tree), &text))
                view = arena_slice(arena, buf_view(&text));
        buf_release(&text);
        json_tree_free(tree);
        return view;
}

const struct store_object *object_find(struct api_context *context,
                                       const struct api_resource *resource, struct slice ns,
                                       struct slice name) {
        return store_get(context->server->store, resource->store_resource, ns, name);
}

/* ---- services for hooks ---- */

static const struct api_resource *find_any_version(const struct api_server *server,
                                                   const char *group, const char *plural) {
        const struct api_resource *resource;

        for (size_t i = 0; (resource = resource_at(server, i)); i++) {
                if (strcmp(resource->kind->group, group) == 0 &&
                    strcmp(resource->kind->plural, plural) == 0)
                        return resource;
        }
        return NULL;
}

int api_server_resource(const struct api_server *server, const char *group, const char *plural) {
        const struct api_resource *resource = find_any_version(server, group, plural);

        return resource ? resource->store_resource : -1;
}

static const struct json *hook_lookup(void *engine, const char *group, const char *plural,
                                      struct slice ns, struct slice name) {
        struct api_context *context = engine;
        const struct api_resource *resource = find_any_version(context->server, group, plural);
        const struct store_object *object =
                resource ? object_find(context, resource, ns, name) : NULL;

        return object ? object_json_kept(context, object) : NULL;
}

/* Visits may look at other objects, even in visits of their own: this one stays until they end. */
static bool visit_object(struct api_server *server, const struct store_object *object,
                         bool (*visit)(void *context, const struct json *object), void *visitor) {
        const struct json *json = object_json(server, object);
        struct json_cache_entry *entry = cache_slot(server, object);
        bool goes_on;

        if (!json)
                return true;
        entry->visits++;
        goes_on = visit(visitor, json);
        entry->visits--;
        return goes_on;
}

static void hook_each(void *engine, const char *group, const char *plural, struct slice ns,
                      bool (*visit)(void *context, const struct json *object), void *visitor) {
        struct api_context *context = engine;
        const struct api_resource *resource = find_any_version(context->server, group, plural);
        struct store_cursor *cursor = NULL;
        const struct store_object *object;

        if (!resource || store_cursor_open(context->server->store,
                                           &(struct store_range){
                                                   .resource = resource->store_resource, .ns = ns },
                                           &cursor, NULL) < 0)
                return;
        while ((object = store_cursor_next(cursor)) &&
               visit_object(context->server, object, visit, visitor))
                ;
        store_cursor_close(cursor);
}

static bool hook_authorize(void *engine, const struct access_question *question) {
        struct api_context *context = engine;

        return access_allows(context->server, question);
}

static bool hook_authenticate(void *engine, struct slice token, struct slice *ret_user,
                              const struct slice **ret_groups, size_t *ret_group_count) {
        struct api_context *context = engine;
        const struct api_user *user = token_user(context, token);

        if (!user)
                return false;
        *ret_user = user->name;
        *ret_groups = user->groups;
        *ret_group_count = user->group_count;
        return true;
}

void hooks_prepare(struct api_context *context, const struct api_resource *resource) {
        context->hooks = (struct kind_context){
                .kind = resource->kind,
                .now = loop_wall(context->server->loop),
                .scratch = context->arena,
                .subresource = context->route.subresource,
                .user = context->user.name,
                .groups = context->user.groups,
                .group_count = context->user.group_count,
                .has_eviction_responders = context->server->has_eviction_responders,
                .engine = context,
                .lookup = hook_lookup,
                .each = hook_each,
                .authorize = hook_authorize,
                .authenticate = hook_authenticate,
        };
}
