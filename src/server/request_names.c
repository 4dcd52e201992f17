/* Names and namespaces in the path of a request and in its body. */
#include "server/request_names.h"

#include "kinds/kind.h"
#include "server/api_failure.h"

int check_key(struct api_context *context, struct slice name) {
        const char *problem = segment_problem(name, false);

        if (context->route.has_ns && context->route.ns.len == 0)
                return fail_bad_request(context, "Namespace parameter required.");
        if (name.len == 0)
                return fail_bad_request(context, "Name parameter required.");
        if (problem)
                return fail_bad_request(context, "Name parameter invalid: \"" SLICE_FMT "\": %s",
                                        SLICE_ARG(name), problem);
        return 0;
}

int check_given_namespace(struct api_context *context, struct json_node *object) {
        struct json_node *metadata = node_get(object, "metadata");
        struct slice ns = node_get_text(metadata, "namespace");

        if (ns.len && context->route.ns.len == 0)
                node_remove(metadata, "namespace"); /* it means nothing where there is none */
        else if (ns.len && !slice_eq(ns, context->route.ns))
                return fail_given_namespace(context);
        return 0;
}

int check_url(struct api_context *context, struct json_node *object) {
        struct slice name = node_get_text(node_get(object, "metadata"), "name");

        if (check_given_namespace(context, object) < 0)
                return API_FAILED;
        if (name.len == 0)
                return fail_bad_request(context,
                                        "the name of the object (" SLICE_FMT
                                        " based on URL) was undeterminable: name must be provided",
                                        SLICE_ARG(context->route.name));
        if (!slice_eq(name, context->route.name))
                return fail_bad_request(context,
                                        "the name of the object (" SLICE_FMT
                                        ") does not match the name on the URL (" SLICE_FMT ")",
                                        SLICE_ARG(name), SLICE_ARG(context->route.name));
        return 0;
}
