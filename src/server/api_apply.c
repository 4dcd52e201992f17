/* Server-side apply: a configuration that says what its manager wants, and who owns which field. */
#include "server/api_priv.h"

int apply_configuration(struct api_context *context, struct write *write) {
        const struct json *applied = json_kept(context, context->request->body);
        struct err err = { 0 };

        if (json_type(applied) != JSON_OBJECT)
                return fail_bad_request(context, "error decoding YAML: it is no object");
        write->is_apply = true;
        if (strategic_merge(write->tree, write->object, write->resource->schema, applied, &err) < 0)
                return fail_plain(context, 500, NULL, "%s", err.text);
        return 0;
}

int create_by_apply(struct api_context *context) {
        const struct kind_info *kind = context->resource->kind;
        struct api_server_request request = *context->request;
        struct decoded decoded = { 0 };
        struct write write = { .resource = context->resource,
                               .ns = context->route.ns,
                               .is_apply = true };
        struct slice body;
        int r;

        request.content_type = SLICE_EMPTY;
        context->request = &request;
        r = decode_body(context, kind->group, kind->version, kind->kind, &decoded);
        if (r == 0) {
                write.tree = decoded.tree;
                write.object = decoded.object;
                node_put_text(write.tree, node_need_object(write.tree, write.object, "metadata"),
                              "name", context->route.name);
                r = write_create(context, &write, &body);
                decoded_release(&decoded);
        }
        return r == 0 ? respond_object(context, 201, body) : r;
}
