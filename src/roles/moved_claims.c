/* Assumes what claims would be after pods have moved. */
#include "roles/moved_claims.h"

#include "base/util.h"
#include "rules/volumes.h"
#include <stdlib.h>

struct moved_object {
        enum cached_kind kind;
        struct json_doc *doc; /* as it is thought to be */
};
struct moved_list {
        struct moved_object *items;
        size_t count, cap;
};
struct moved_claims {
        struct object_cache *object_cache;
        struct moved_list moved;   /* of pods that have moved */
        struct moved_list assumed; /* in the object cache now */
};

struct moved_claims *moved_claims_new(struct object_cache *object_cache) {
        struct moved_claims *claims = xcalloc(1, sizeof(*claims));

        claims->object_cache = object_cache;
        return claims;
}

/* ---- lists ---- */

static struct json_doc *copy_object(const struct json *object) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_doc *doc = NULL;

        json_write(object, &text);
        return json_parse(buf_view(&text), &doc, NULL) < 0 ? NULL : doc;
}

static void add_object(struct moved_list *list, enum cached_kind kind, const struct json *object) {
        struct json_doc *doc = copy_object(object);

        if (!doc)
                return;
        if (list->count == list->cap) {
                list->cap = list->cap ? list->cap * 2 : 16;
                list->items = xreallocarray(list->items, list->cap, sizeof(*list->items));
        }
        list->items[list->count++] = (struct moved_object){ kind, doc };
}

static void clear_objects(struct moved_list *list) {
        for (size_t i = 0; i < list->count; i++)
                json_doc_free(list->items[i].doc);
        list->count = 0;
}

/* ---- assuming ---- */

static void note_assumed(void *context, enum cached_kind kind, const struct json *before,
                         const struct json *after) {
        struct moved_claims *claims = context;

        (void)before;
        add_object(&claims->assumed, kind, after);
}

static void assume_object(struct moved_claims *claims, enum cached_kind kind,
                          const struct json *object) {
        object_cache_assume(claims->object_cache, kind, object);
        add_object(&claims->assumed, kind, object);
}

void moved_claims_enter(struct moved_claims *claims) {
        for (size_t i = 0; i < claims->moved.count; i++)
                assume_object(claims, claims->moved.items[i].kind,
                              json_doc_root(claims->moved.items[i].doc));
}

void moved_claims_leave(struct moved_claims *claims) {
        for (size_t i = 0; i < claims->assumed.count; i++) {
                const struct json *object = json_doc_root(claims->assumed.items[i].doc);

                object_cache_withdraw(claims->object_cache, claims->assumed.items[i].kind,
                                      cached_object_ns(object), cached_object_name(object));
        }
        clear_objects(&claims->assumed);
}

void moved_claims_forget(struct moved_claims *claims) {
        clear_objects(&claims->moved);
}

void moved_claims_free(struct moved_claims *claims) {
        if (!claims)
                return;
        moved_claims_leave(claims);
        moved_claims_forget(claims);
        free(claims->moved.items);
        free(claims->assumed.items);
        free(claims);
}

/* ---- a pod ---- */

bool pod_has_claims(const struct cluster *cluster, struct pod_id pod) {
        return cluster_class(cluster, cluster_pod(cluster, pod)->class)->spec.claim_count > 0;
}

static void give_back(struct moved_claims *claims, const struct pod_row *row, struct slice ns,
                      struct slice name) {
        const struct json *object =
                object_cache_get(claims->object_cache, CACHED_RESOURCE_CLAIM, ns, name);

        if (!object || !claim_is_of_pod(object, slice_of(row->uid)) ||
            object != object_cache_seen(claims->object_cache, CACHED_RESOURCE_CLAIM, ns, name))
                return;
        struct json_tree *tree = json_tree_new();
        struct json_node *node = node_import(tree, object);
        node_remove(node, "status");
        CLEANUP(cleanup_json_doc) struct json_doc *doc = json_doc_of(node);
        json_tree_free(tree);
        if (doc)
                assume_object(claims, CACHED_RESOURCE_CLAIM, json_doc_root(doc));
}

void moved_claims_give_back(struct moved_claims *claims, const struct cluster *cluster,
                            struct pod_id pod) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct pod_detail *detail = row->detail;

        for (uint32_t i = 0; claims->object_cache && detail && i < detail->claim_count; i++)
                give_back(claims, row, cluster_text(cluster, row->ns),
                          cluster_text(cluster, detail->claims[i].claim));
}

void moved_claims_take(struct moved_claims *claims, const struct reserve_request *request) {
        struct reserve_request own = *request;
        size_t before = claims->assumed.count;

        if (!claims->object_cache)
                return;
        own.reservation = (struct reservation){ .object_cache = claims->object_cache,
                                                .changes = note_assumed,
                                                .context = claims };
        scheduler_reserve(&own);
        for (size_t i = before; i < claims->assumed.count; i++)
                add_object(&claims->moved, claims->assumed.items[i].kind,
                           json_doc_root(claims->assumed.items[i].doc));
}
