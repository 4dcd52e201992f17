/* The native EvictionRequest API of the sandbox: berth's definitions under the group of Kubernetes.
 */
#include "sandbox/native_evictions.h"

#include "api/json.h"
#include "base/util.h"
#include "config/document.h"
#include "evict/eviction_crds.h"
#include "evict/eviction_reconciler.h"
#include "evict/eviction_request.h"
#include <stdlib.h>

#define NATIVE_COUNT 2 /* requests and evictions; policies are berth's own */

struct native_evictions {
        struct api_definition definitions[NATIVE_COUNT];
        char *texts[NATIVE_COUNT];
};

/* Of a new request: names that may not ask. */
static int check_request(const struct json *object, const struct json *old, struct wall_time now,
                         struct err *err) {
        struct eviction_request *request = NULL;

        (void)now;
        if (old)
                return 0;
        int code = eviction_request_decode(object, &request, err);
        if (code == 0)
                code = eviction_request_check(request, err);
        eviction_request_free(request);
        return code;
}

/* Of a status: what may follow the one before, at this time. */
static int check_eviction(const struct json *object, const struct json *old, struct wall_time now,
                          struct err *err) {
        struct eviction *before = NULL, *after = NULL;
        int code = 0;

        if (!old)
                return 0;
        code = eviction_decode(object, &after, err);
        if (code == 0)
                code = eviction_decode(old, &before, err);
        if (code == 0)
                code = eviction_status_check(&before->status, &after->status, now, false, err);
        eviction_free(before);
        eviction_free(after);
        return code;
}

/* The definition of a file as JSON, in the other group. */
static int native_evictions_move(const struct embedded_text *file, char **ret_text,
                                 struct err *err) {
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        struct buf text = { 0 }, name = { 0 };
        int code = document_read_tree(slice_make(file->text, file->size), &tree, err);

        if (code < 0)
                return code;
        struct json_node *root = json_tree_root(tree);
        struct json_node *spec = node_get(root, "spec");
        buf_slice(&name, node_get_text(node_get(spec, "names"), "plural"));
        buf_text(&name, "." EVICTION_GROUP_NATIVE);
        node_put_text(tree, node_get(root, "metadata"), "name", buf_view(&name));
        node_put_string(tree, spec, "group", EVICTION_GROUP_NATIVE);
        node_write(root, &text);
        *ret_text = buf_take(&text, NULL);
        buf_release(&name);
        return 0;
}

int native_evictions_new(struct native_evictions **ret_native, struct err *err) {
        struct native_evictions *native = xcalloc(1, sizeof(*native));

        for (int i = 0; i < NATIVE_COUNT; i++) {
                int code = native_evictions_move(&eviction_crds[i], &native->texts[i], err);

                if (code < 0) {
                        native_evictions_free(native);
                        return code;
                }
                native->definitions[i].json = native->texts[i];
        }
        native->definitions[EVICTION_CRD_REQUESTS].check = check_request;
        native->definitions[EVICTION_CRD_EVICTIONS].check = check_eviction;
        *ret_native = native;
        return 0;
}

void native_evictions_free(struct native_evictions *native) {
        if (!native)
                return;
        for (int i = 0; i < NATIVE_COUNT; i++)
                free(native->texts[i]);
        free(native);
}

const struct api_definition *native_evictions_definitions(const struct native_evictions *native,
                                                          size_t *ret_count) {
        *ret_count = NATIVE_COUNT;
        return native->definitions;
}
