/* ResourceClaims of benchmarks. */
#include "sim/perf_claims.h"
#include "base/util.h"
#include "sim/perf_feed.h"
#include <stdio.h>
#include <stdlib.h>

#define DELETE_DIRECTIVE "$deleteFromPrimitiveList/"

static void claims_key(struct slice ns, struct slice name, struct buf *key) {
        buf_clear(key);
        buf_printf(key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(name));
}

/* ---- storing ---- */

static void put_version(struct perf_world *world, struct json_tree *tree,
                        struct json_node *object) {
        struct json_node *meta = node_need_object(tree, object, "metadata");
        char text[32];

        snprintf(text, sizeof(text), "%llu", (unsigned long long)++world->version);
        node_put_string(tree, meta, "resourceVersion", text);
        if (slice_is_empty(node_get_text(meta, "uid")))
                node_put_string(tree, meta, "uid", text);
}

/* Reading what the watch brings is the scheduler's work, decoding it is not measured. */
static int store_claim(struct perf_world *world, const struct json_node *object, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };

        node_write(object, &text);
        int code = json_parse(buf_view(&text), &doc, err);
        if (code == 0)
                perf_world_notice(world, CACHED_RESOURCE_CLAIM, json_doc_root(doc),
                                  CLUSTER_RESOURCE_CLAIM);
        return code;
}

int perf_claims_put(struct perf_world *world, struct json_tree *tree, struct json_node *object,
                    struct err *err) {
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *devices = node_need_object(tree, spec, "devices");
        struct node_iter iter = node_iter(node_get(devices, "requests"));
        struct json_node *request;

        while (node_next(&iter, NULL, &request)) { /* the API server's defaults */
                struct json_node *exact = node_get(request, "exactly");

                if (exact && !node_get(exact, "allocationMode"))
                        node_put_string(tree, exact, "allocationMode", "ExactCount");
                if (exact && !node_get(exact, "count"))
                        node_put_i64(tree, exact, "count", 1);
        }
        iter = node_iter(node_get(devices, "requests"));
        while (node_next(&iter, NULL, &request)) {
                struct node_iter choices = node_iter(node_get(request, "firstAvailable"));
                struct json_node *choice;

                while (node_next(&choices, NULL, &choice)) {
                        if (!node_get(choice, "allocationMode"))
                                node_put_string(tree, choice, "allocationMode", "ExactCount");
                        if (!node_get(choice, "count"))
                                node_put_i64(tree, choice, "count", 1);
                }
        }
        put_version(world, tree, object);
        return store_claim(world, object, err);
}

/* ---- templates ---- */

void perf_claims_put_template(struct perf_world *world, const struct json_node *object) {
        CLEANUP(buf_release) struct buf key = { 0 };
        struct json_node *meta = node_get(object, "metadata");
        struct buf text = { 0 };

        claims_key(node_get_text(meta, "namespace"), node_get_text(meta, "name"), &key);
        node_write(object, &text);
        free(map_put(world->claim_templates, buf_view(&key), buf_take(&text, NULL)));
}

static void note_claim(struct perf_pod *pod, struct slice name) {
        pod->claims = xreallocarray(pod->claims, pod->claim_count + 1, sizeof(pod->claims[0]));
        pod->claims[pod->claim_count++] = slice_dup(name);
}

static int claim_from_template(struct perf_world *world, struct perf_pod *pod,
                               struct slice template_name, const char *name, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *template = NULL, *tree = json_tree_new();
        CLEANUP(buf_release) struct buf key = { 0 };

        claims_key(slice_of(pod->ns), template_name, &key);
        const char *text = map_get(world->claim_templates, buf_view(&key));
        if (!text)
                return err_set(err, BERTH_ERR_NOT_FOUND, "no ResourceClaimTemplate " SLICE_FMT,
                               SLICE_ARG(buf_view(&key)));
        int code = json_tree_parse(slice_of(text), &template, err);
        if (code < 0)
                return code;
        struct json_node *claim = node_object(tree), *owner = node_object(tree);
        struct json_node *meta = node_need_object(tree, claim, "metadata");
        node_put_string(tree, meta, "namespace", pod->ns);
        node_put_string(tree, meta, "name", name);
        node_put_string(tree, owner, "apiVersion", "v1");
        node_put_string(tree, owner, "kind", "Pod");
        node_put_string(tree, owner, "name", pod->name);
        node_put_string(tree, owner, "uid", pod->uid);
        node_put_bool(tree, owner, "controller", true);
        node_append(node_need_array(tree, meta, "ownerReferences"), owner);
        node_put(tree, claim, "spec",
                 node_clone(tree, node_get(node_get(json_tree_root(template), "spec"), "spec")));
        return perf_claims_put(world, tree, claim, err);
}

int perf_claims_make(struct perf_world *world, struct json_tree *tree, struct perf_pod *pod,
                     struct err *err) {
        struct json_node *object = json_tree_root(tree), *entry;
        struct node_iter iter = node_iter(node_get(node_get(object, "spec"), "resourceClaims"));
        int code = 0;

        while (code == 0 && node_next(&iter, NULL, &entry)) {
                struct slice template_name = node_get_text(entry, "resourceClaimTemplateName");
                char name[512];

                if (slice_is_empty(template_name))
                        continue;
                snprintf(name, sizeof(name), "%s-" SLICE_FMT, pod->name,
                         SLICE_ARG(node_get_text(entry, "name")));
                code = claim_from_template(world, pod, template_name, name, err);
                note_claim(pod, slice_of(name));
                struct json_node *status = node_object(tree);
                node_put_text(tree, status, "name", node_get_text(entry, "name"));
                node_put_string(tree, status, "resourceClaimName", name);
                node_append(node_need_array(tree, node_need_object(tree, object, "status"),
                                            "resourceClaimStatuses"),
                            status);
        }
        return code;
}

void perf_claims_release(struct perf_world *world, struct perf_pod *pod) {
        for (size_t i = 0; i < pod->claim_count; i++) {
                perf_world_forget(world, CACHED_RESOURCE_CLAIM, slice_of(pod->ns),
                                  slice_of(pod->claims[i]),
                                  CLUSTER_RESOURCE_CLAIM | CLUSTER_DEVICES);
                free(pod->claims[i]);
        }
        free(pod->claims);
        pod->claims = NULL;
        pod->claim_count = 0;
}

/* ---- writes of the scheduler ---- */

static void drop_text(struct json_node *list, struct slice text) {
        struct node_iter iter = node_iter(list);
        struct json_node *item;

        while (node_next(&iter, NULL, &item))
                if (slice_eq(node_get_slice(item), text))
                        node_drop(&iter);
}

static void drop_uid(struct json_node *list, struct slice uid) {
        struct node_iter iter = node_iter(list);
        struct json_node *item;

        while (node_next(&iter, NULL, &item))
                if (slice_eq(node_get_text(item, "uid"), uid))
                        node_drop(&iter);
}

/* A list of a strategic merge patch: what is new is added, what it deletes is dropped. */
static void merge_list(struct json_tree *tree, struct json_node *list, struct json_node *patch) {
        struct node_iter iter = node_iter(patch);
        struct json_node *item;

        while (node_next(&iter, NULL, &item)) {
                if (slice_is(node_get_text(item, "$patch"), "delete")) {
                        drop_uid(list, node_get_text(item, "uid"));
                        continue;
                }
                if (node_type(item) == JSON_STRING)
                        drop_text(list, node_get_slice(item));
                node_append(list, node_clone(tree, item));
        }
}

static void merge_member(struct json_tree *tree, struct json_node *object, struct slice key,
                         struct json_node *value) {
        struct slice directive = SLICE_LITERAL(DELETE_DIRECTIVE);
        struct json_node *old = node_find(object, key);

        if (slice_has_prefix(key, directive)) {
                struct node_iter iter = node_iter(value);
                struct json_node *text;

                old = node_find(object,
                                slice_make(key.ptr + directive.len, key.len - directive.len));
                while (old && node_next(&iter, NULL, &text))
                        drop_text(old, node_get_slice(text));
        } else if (node_type(value) == JSON_NULL) {
                node_remove_slice(object, key);
        } else if (old && node_type(value) == JSON_ARRAY) {
                merge_list(tree, old, value);
        } else {
                node_set(tree, object, key, node_clone(tree, value));
        }
}

/* Metadata and status, member by member: what is inside of an allocation is set as a whole. */
static void merge_claim(struct json_tree *tree, struct json_node *object,
                        const struct json_node *patch) {
        static const char *const parts[] = { "metadata", "status" };

        for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
                struct node_iter iter = node_iter(node_get(patch, parts[i]));
                struct json_node *value;
                struct slice key;

                while (node_next(&iter, &key, &value))
                        merge_member(tree, node_need_object(tree, object, parts[i]), key, value);
        }
}

static int answer_claim(struct perf_world *world, struct json_tree *tree, struct json_node *object,
                        struct arena *arena, struct slice *ret_answer, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };

        put_version(world, tree, object);
        node_write(object, &text);
        *ret_answer = slice_of(arena_string(arena, buf_view(&text)));
        return store_claim(world, object, err);
}

static int create_claim(struct perf_world *world, const struct action *action, struct arena *arena,
                        struct slice *ret_answer, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        char name[512];

        int code = json_tree_parse(action->patch.body, &tree, err);
        if (code < 0)
                return code;
        struct json_node *meta = node_need_object(tree, json_tree_root(tree), "metadata");
        if (slice_is_empty(node_get_text(meta, "name"))) {
                snprintf(name, sizeof(name), SLICE_FMT "%llu",
                         SLICE_ARG(node_get_text(meta, "generateName")),
                         (unsigned long long)world->version);
                node_put_string(tree, meta, "name", name);
        }
        return answer_claim(world, tree, json_tree_root(tree), arena, ret_answer, err);
}

static int patch_claim(struct perf_world *world, const struct action *action, struct arena *arena,
                       struct slice *ret_answer, struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new(), *patch = NULL;
        const struct json *known = object_cache_seen(world->object_cache, CACHED_RESOURCE_CLAIM,
                                                     action->target.ns, action->target.name);

        if (!known)
                return err_set(err, BERTH_ERR_NOT_FOUND,
                               "resourceclaims.resource.k8s.io \"" SLICE_FMT "\" not found",
                               SLICE_ARG(action->target.name));
        int code = json_tree_parse(action->patch.body, &patch, err);
        if (code < 0)
                return code;
        json_tree_set_root(tree, node_import(tree, known));
        merge_claim(tree, json_tree_root(tree), json_tree_root(patch));
        return answer_claim(world, tree, json_tree_root(tree), arena, ret_answer, err);
}

int perf_claims_write(struct perf_world *world, const struct action *action, struct arena *arena,
                      struct slice *ret_answer, struct err *err) {
        if (action->kind == ACTION_DELETE_OBJECT) {
                perf_world_forget(world, CACHED_RESOURCE_CLAIM, action->target.ns,
                                  action->target.name, CLUSTER_RESOURCE_CLAIM | CLUSTER_DEVICES);
                return 0;
        }
        return action->patch.verb == PATCH_CREATE
                       ? create_claim(world, action, arena, ret_answer, err)
                       : patch_claim(world, action, arena, ret_answer, err);
}

int perf_claims_keep(struct perf_world *world, struct slice ns, struct slice name,
                     struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        const struct json *known =
                object_cache_seen(world->object_cache, CACHED_RESOURCE_CLAIM, ns, name);
        struct json_node *object = known ? node_import(tree, known) : NULL;

        if (!object)
                return 0;
        node_remove(node_need_object(tree, object, "status"), "reservedFor");
        put_version(world, tree, object);
        return store_claim(world, object, err);
}
