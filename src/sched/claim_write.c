/* Patches of ResourceClaims. */
#include "sched/claim_write.h"
#include "base/util.h"

static void put_uid(struct json_tree *tree, struct json_node *patch, struct slice uid) {
        if (uid.len)
                node_put_text(tree, node_need_object(tree, patch, "metadata"), "uid", uid);
}

static char *text_of(struct json_tree *tree, const struct json_node *node) {
        struct buf text = { 0 };
        node_write(node, &text);
        char *copy = slice_dup(buf_view(&text));
        buf_release(&text);
        json_tree_free(tree);
        return copy;
}

static bool has_item(const struct json *list, const struct json *item) {
        struct json_iter iter = json_iter(list);
        const struct json *other;
        while (json_next(&iter, NULL, &other))
                if (json_equal(other, item))
                        return true;
        return false;
}

/* Items of `after` that `before` has not; NULL: none. */
static struct json_node *new_items(struct json_tree *tree, const struct json *before,
                                   const struct json *after) {
        struct json_node *items = node_array(tree);
        struct json_iter iter = json_iter(after);
        const struct json *item;
        while (json_next(&iter, NULL, &item))
                if (!has_item(before, item))
                        node_append(items, node_import(tree, item));
        return node_count(items) ? items : NULL;
}

static char *object_patch(const struct json *before, const struct json *after) {
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        const struct json *meta = json_get(after, "metadata");
        struct json_node *added =
                new_items(tree, json_get(json_get(before, "metadata"), "finalizers"),
                          json_get(meta, "finalizers"));
        if (!added) {
                json_tree_free(tree);
                return NULL;
        }
        put_uid(tree, patch, json_get_text(meta, "uid"));
        node_put(tree, node_need_object(tree, patch, "metadata"), "finalizers", added);
        return text_of(tree, patch);
}

/* Reservations of pods that are on their way are left to those who write them; a group's is every
 * member's. */
static struct json_node *new_consumers(struct json_tree *tree, const struct json *seen,
                                       const struct json *before, const struct json *after) {
        struct json_node *items = node_array(tree);
        struct json_iter iter = json_iter(after);
        const struct json *item;
        while (json_next(&iter, NULL, &item)) {
                bool is_group = slice_is(json_get_text(item, "resource"), "podgroups");
                if (!has_item(is_group ? seen : before, item))
                        node_append(items, node_import(tree, item));
        }
        return node_count(items) ? items : NULL;
}

/* A claim that keeps the finalizer without an allocation is being given back: who does that may
 * take the finalizer off at any moment, so the allocation must not meet another version of the
 * claim. */
static void put_version(struct json_tree *tree, struct json_node *patch, const struct json *seen) {
        const struct json *metadata = json_get(seen, "metadata");
        struct slice version = json_get_text(metadata, "resourceVersion");
        if (version.len && !json_get(json_get(seen, "status"), "allocation") &&
            json_array_has(json_get(metadata, "finalizers"), SLICE_LITERAL(CLAIM_FINALIZER)))
                node_put_text(tree, node_need_object(tree, patch, "metadata"), "resourceVersion",
                              version);
}

static char *status_patch(const struct claim_states *states, const struct json *after) {
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        struct json_node *status = node_need_object(tree, patch, "status");
        const struct json *seen = json_get(states->seen, "status");
        const struct json *old = json_get(states->before, "status"),
                          *new = json_get(after, "status");
        struct json_node *consumers =
                new_consumers(tree, json_get(seen, "reservedFor"), json_get(old, "reservedFor"),
                              json_get(new, "reservedFor"));
        const struct json *allocation = json_get(new, "allocation");
        put_uid(tree, patch, json_get_text(json_get(after, "metadata"), "uid"));
        if (allocation && !json_equal(json_get(seen, "allocation"), allocation)) {
                node_put(tree, status, "allocation", node_import(tree, allocation));
                if (!json_get(old, "allocation")) /* which nobody else is writing */
                        put_version(tree, patch, states->seen);
        }
        if (consumers)
                node_put(tree, status, "reservedFor", consumers);
        if (node_count(status) == 0) {
                json_tree_free(tree);
                return NULL;
        }
        return text_of(tree, patch);
}

static char *creation_body(const struct json *after) {
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_import(tree, after);
        node_remove(object, "status");
        node_put_string(tree, object, "apiVersion", "resource.k8s.io/v1");
        node_put_string(tree, object, "kind", "ResourceClaim");
        return text_of(tree, object);
}

size_t claim_write_make(const struct claim_states *states, const struct json *after,
                        struct claim_write *ret_writes) {
        size_t count = 0;
        char *object = states->seen ? object_patch(states->seen, after) : creation_body(after);
        char *status = status_patch(states, after);
        bool allocates = !json_get(json_get(states->seen, "status"), "allocation");
        bool is_protected =
                json_array_has(json_get(json_get(states->seen, "metadata"), "finalizers"),
                               SLICE_LITERAL(CLAIM_FINALIZER));
        if (object)
                ret_writes[count++] = (struct claim_write){
                        .verb = states->seen ? PATCH_OBJECT : PATCH_CREATE,
                        .body = object,
                        .what = states->seen ? CLAIM_WRITE_PROTECTS
                                             : "create claim for extended resources"
                };
        if (status)
                ret_writes[count++] =
                        (struct claim_write){ .verb = PATCH_STATUS,
                                              .body = status,
                                              .what = allocates ? "add allocation and reservation "
                                                                  "to claim"
                                                                : "add reservation to claim",
                                              .protects = allocates || is_protected,
                                              .wants_version =
                                                      allocates && object && states->seen &&
                                                      !json_get(json_get(states->before, "status"),
                                                                "allocation") };
        return count;
}

char *claim_write_at_version(const char *body, struct slice version) {
        struct json_doc *doc = NULL;
        if (json_parse(slice_of(body), &doc, NULL) < 0)
                return NULL;
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_import(tree, json_doc_root(doc));
        node_put_text(tree, node_need_object(tree, patch, "metadata"), "resourceVersion", version);
        char *text = text_of(tree, patch);
        json_doc_free(doc);
        return text;
}

char *claim_write_protect(const struct json *claim) {
        const struct json *meta = json_get(claim, "metadata");
        if (!json_get(json_get(claim, "status"), "allocation") ||
            json_array_has(json_get(meta, "finalizers"), SLICE_LITERAL(CLAIM_FINALIZER)))
                return NULL;
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree), *list = node_array(tree);
        put_uid(tree, patch, json_get_text(meta, "uid"));
        node_append(list, node_string(tree, CLAIM_FINALIZER));
        node_put(tree, node_need_object(tree, patch, "metadata"), "finalizers", list);
        return text_of(tree, patch);
}

/* Removes one item of a list of the strategic merge patch. */
static struct json_node *deletion_list(struct json_tree *tree, struct slice uid) {
        struct json_node *list = node_array(tree), *item = node_object(tree);
        node_put_string(tree, item, "$patch", "delete");
        node_put_text(tree, item, "uid", uid);
        node_append(list, item);
        return list;
}

char *claim_write_unreserve(struct slice claim_uid, struct slice consumer_uid) {
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        put_uid(tree, patch, claim_uid);
        node_put(tree, node_need_object(tree, patch, "status"), "reservedFor",
                 deletion_list(tree, consumer_uid));
        return text_of(tree, patch);
}

char *claim_write_release(struct slice claim_uid) {
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree), *list = node_array(tree);
        put_uid(tree, patch, claim_uid);
        node_append(list, node_string(tree, CLAIM_FINALIZER));
        node_put(tree, node_need_object(tree, patch, "metadata"),
                 "$deleteFromPrimitiveList/finalizers", list);
        return text_of(tree, patch);
}

char *claim_write_deallocate(const struct json *claim) {
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        struct json_node *status = node_need_object(tree, patch, "status");
        const struct json *meta = json_get(claim, "metadata");
        struct slice version = json_get_text(meta, "resourceVersion");
        put_uid(tree, patch, json_get_text(meta, "uid"));
        if (version.len)
                node_put_text(tree, node_need_object(tree, patch, "metadata"), "resourceVersion",
                              version);
        node_put(tree, status, "allocation", node_null(tree));
        node_put(tree, status, "devices", node_null(tree));
        node_put(tree, status, "reservedFor", node_null(tree));
        return text_of(tree, patch);
}
