/* Requests that definitions refuse before anything is looked for. */
#include "server/custom_route.h"

#include "server/api_failure.h"
#include "server/patch_document.h"
#include <string.h>

bool custom_route_is_in_scope(const struct api_route *route) {
        return !(route->resource->kind->flags & KIND_NAMESPACED) || route->ns.len ||
               strcmp(route->verb, "list") == 0 || strcmp(route->verb, "watch") == 0;
}

static int fail_verb(struct api_context *context) {
        const struct kind_info *kind = context->resource->kind;

        fail_plain(context, 405, "MethodNotAllowed",
                   "%s is not supported on resources of kind \"%s.%s\"", context->route.verb,
                   kind->plural, kind->group);
        context->failure.has_details = true;
        context->failure.kind = kind->plural;
        context->failure.group = kind->group;
        return API_FAILED;
}

static int fail_patch_form(struct api_context *context) {
        return fail_plain(context, 415, "UnsupportedMediaType",
                          "the body of the request was in an unknown format - accepted media types "
                          "include: application/json-patch+json, application/merge-patch+json, "
                          "application/apply-patch+yaml");
}

int custom_route_check(struct api_context *context) {
        const struct api_route *route = &context->route;
        bool is_patch = strcmp(route->verb, "patch") == 0;
        bool is_update = strcmp(route->verb, "update") == 0;
        enum patch_type type = is_patch ? patch_type(context) : PATCH_MERGE;

        if (!*route->verb ||
            (route->subresource.len && !is_patch && !is_update && strcmp(route->verb, "get") != 0))
                return fail_verb(context);
        if (type == PATCH_UNKNOWN || type == PATCH_STRATEGIC)
                return fail_patch_form(context);
        if ((is_patch || is_update) && route->name.len == 0)
                return fail_bad_request(context, "name must be provided");
        return 0;
}
