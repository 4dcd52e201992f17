/* Stored objects as the engine reads them: parsed texts, editable trees, views. */
#include "server/api_object.h"

#include "kinds/number_annotation.h"
#include "server/api_context.h"
#include <stdlib.h>

const struct json *request_json(struct api_context *context, struct slice text) {
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

const struct json *request_object_json(struct api_context *context,
                                       const struct store_object *object) {
        return request_json(context, store_object_body(object));
}

const struct json *request_shared_json(struct api_context *context,
                                       const struct store_object *object) {
        struct json_cache *cache = &context->engine->cache;
        struct json_cache_entry *entry =
                context->held_count < CONTEXT_HELD_MAX ? json_cache_hold(cache, object) : NULL;

        if (!entry)
                return request_object_json(context, object);
        context->held[context->held_count++] = entry;
        return json_doc_root(entry->doc);
}

void request_json_release(struct api_context *context) {
        for (size_t i = 0; i < context->doc_count; i++)
                json_doc_free(context->docs[i]);
        free(context->docs);
        for (size_t i = 0; i < context->held_count; i++)
                json_cache_let_go(&context->engine->cache, context->held[i]);
}

struct json_node *object_zero(struct json_tree *tree, const struct api_resource *resource) {
        struct json_node *object = node_object(tree);

        if (resource->schema)
                schema_normalise(resource->schema, tree, object,
                                 &(struct schema_report){ .minor = resource->minor }, NULL);
        return object;
}

void object_add_own_zeroes(const struct kind_info *kind, struct json_tree *tree,
                           struct json_node *object) {
        static const char *const counted[] = { "deployments", "replicasets", "statefulsets" };

        for (size_t i = 0; strcmp(kind->group, "apps") == 0 && i < ARRAY_LEN(counted); i++)
                if (strcmp(kind->plural, counted[i]) == 0)
                        node_put_i64(tree, node_need_object(tree, object, "spec"), "replicas", 0);
        if (kind->number && !kind->number->is_optional)
                node_put_string(tree,
                                node_need_object(tree, node_get(object, "metadata"), "annotations"),
                                kind->number->key, "0");
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
        return store_get(context->engine->store, resource->store_resource, ns, name);
}
