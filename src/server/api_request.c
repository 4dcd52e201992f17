/* The way of one request through the server. */
#include "server/api_request.h"

#include "base/go_number.h"
#include "server/api_accept.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_query.h"
#include "server/api_state.h"
#include "server/api_verbs.h"
#include "server/custom_route.h"
#include "server/request_body.h"
#include "server/request_names.h"
#include "server/warning_header.h"
#include <stdlib.h>

/* Needs a running container behind the pod, or a node. */
static bool is_live(struct slice subresource) {
        return slice_is(subresource, "attach") || slice_is(subresource, "exec") ||
               slice_is(subresource, "portforward") || slice_is(subresource, "proxy");
}

static int serve_read(struct api_context *context) {
        const struct api_route *route = &context->route;
        unsigned verbs = context->resource->kind->verbs;

        if (route->is_watch)
                return verbs & VERB_WATCH ? serve_watch(context) : fail_method(context);
        if (route->name.len == 0)
                return verbs & VERB_LIST ? serve_list(context) : fail_method(context);
        if (!(verbs & VERB_GET))
                return fail_method(context);
        if (slice_is(route->subresource, "scale"))
                return serve_scale(context);
        if (slice_is(route->subresource, "log"))
                return serve_log(context);
        if (is_live(route->subresource))
                return serve_live(context);
        return serve_get(context);
}

/* Bodies are looked at before what can be stored, but for patches. */
static int check_name(struct api_context *context) {
        const struct api_route *route = &context->route;
        struct slice method = context->request->method;

        if (!route->has_name || slice_is(method, "POST") || slice_is(method, "PUT"))
                return 0;
        return check_key(context, route->name);
}

/* What is created only has no path of its own, and none beside its namespace. */
static bool is_served(const struct api_route *route) {
        const struct api_resource *resource = route->resource;

        if (!resource || !has_subresource(resource, route->subresource) ||
            (is_custom(resource) && !custom_route_is_in_scope(route)))
                return false;
        return resource->kind->verbs != VERB_CREATE ||
               (route->name.len == 0 &&
                (route->has_ns || !(resource->kind->flags & KIND_NAMESPACED)));
}

#define READ_AND_WRITTEN                                                                           \
        { "GET", "HEAD", "PUT", "PATCH" }
static const struct {
        const char *subresource, *methods[4];
} subresource_methods[] = {
        { "approval", READ_AND_WRITTEN }, { "binding", { "POST" } },
        { "eviction", { "POST" } },       { "ephemeralcontainers", READ_AND_WRITTEN },
        { "finalize", { "PUT" } },        { "log", { "GET", "HEAD" } },
        { "resize", READ_AND_WRITTEN },   { "scale", READ_AND_WRITTEN },
        { "status", READ_AND_WRITTEN },   { "token", { "POST" } },
};

static bool takes_method(struct slice subresource, struct slice method) {
        for (size_t i = 0; i < ARRAY_LEN(subresource_methods); i++) {
                if (!slice_is(subresource, subresource_methods[i].subresource))
                        continue;
                for (size_t k = 0; k < ARRAY_LEN(subresource_methods[i].methods); k++)
                        if (subresource_methods[i].methods[k] &&
                            slice_is(method, subresource_methods[i].methods[k]))
                                return true;
                return false;
        }
        return true;
}

/* What no path takes is refused before anyone asks in which form the answer is wanted. */
static int check_route(struct api_context *context) {
        struct slice method = context->request->method;

        if (is_custom(context->resource))
                return custom_route_check(context);
        if (!takes_method(context->route.subresource, method))
                return fail_method(context);
        if (slice_is(method, "PATCH") && check_patch_route(context) < 0)
                return API_FAILED;
        if (context->route.has_name && context->route.name.len == 0)
                return fail_bad_request(context, "name must be provided");
        return 0;
}

static void warn_of_deprecation(struct api_context *context) {
        if (context->resource->kind->deprecation)
                warn_add(context, slice_of(context->resource->kind->deprecation));
}

/* Definitions answer for all parts of their objects, that there are and that there are not. */
static int fail_unserved(struct api_context *context) {
        const struct api_route *route = &context->route;

        if (!route->resource || !is_custom(route->resource) || !custom_route_is_in_scope(route))
                return fail_unknown(context);
        warn_of_deprecation(context);
        return fail_not_found(context, route->resource, route->name);
}

static int serve_resource(struct api_context *context) {
        struct slice method = context->request->method;

        context->resource = context->route.resource;
        if (!is_served(&context->route))
                return fail_unserved(context);
        if (check_route(context) < 0 || accept_negotiate(context) < 0)
                return API_FAILED;
        hooks_prepare(context, context->resource);
        warn_of_deprecation(context);
        if (check_name(context) < 0)
                return API_FAILED;
        if (slice_is(method, "GET") || slice_is(method, "HEAD"))
                return serve_read(context);
        body_prepare(context);
        if (is_live(context->route.subresource))
                return serve_live(context);
        if (slice_is(method, "POST"))
                return serve_create(context);
        if (slice_is(method, "PUT"))
                return serve_update(context);
        if (slice_is(method, "PATCH"))
                return serve_patch(context);
        if (slice_is(method, "DELETE"))
                return context->route.name.len ? serve_delete(context)
                                               : serve_delete_collection(context);
        return fail_method(context);
}

/* Requests that end by themselves may say how long they have: nothing here takes that long. */
static int check_timeout(struct api_context *context) {
        struct slice timeout = query_text(&context->query, "timeout");
        CLEANUP(buf_release) struct buf complaint = { 0 };
        int64_t ns;

        if (timeout.len == 0 || context->route.is_watch || is_live(context->route.subresource) ||
            slice_is(context->route.subresource, "log") ||
            go_duration_parse(timeout, &ns, &complaint))
                return 0;
        return fail_bad_request(context, "invalid timeout specified in the request URL - %s",
                                complaint.data);
}

static int api_server_serve(struct api_context *context) {
        struct slice target = context->request->target, path = SLICE_EMPTY;

        slice_split(&target, '?', &path);
        if (query_parse(context, target) < 0)
                return API_FAILED;
        route_parse(context, path);
        if (check_timeout(context) < 0)
                return API_FAILED;
        if (authenticate(context) < 0 || authorize(context) < 0)
                return API_FAILED;
        return context->route.is_resource ? serve_resource(context) : serve_path(context);
}

static void warnings_write(struct api_context *context) {
        CLEANUP(buf_release) struct buf text = { 0 };

        warning_header_write(context->warnings, context->warning_count, &text);
        if (text.len)
                http_response_header(context->response, "Warning", SLICE_FMT,
                                     SLICE_ARG(buf_view(&text)));
}

bool request_run(struct api_server *server, const struct api_server_request *request,
                 struct api_pending *pending, struct http_response *ret_response) {
        struct api_context context = {
                .server = server,
                .engine = &server->engine,
                .request = request,
                .response = ret_response,
                .arena = &server->engine.scratch,
                .pending = pending,
        };

        *ret_response = (struct http_response){ .retry_after_s = -1 };
        if (api_server_serve(&context) < 0 && !context.is_waiting)
                failure_respond(&context);
        if (context.is_waiting)
                http_response_release(ret_response);
        else
                warnings_write(&context);
        ret_response->is_known =
                context.user.name.len && !slice_is(context.user.name, "system:anonymous");
        request_json_release(&context);
        arena_clear(&server->engine.scratch);
        return !context.is_waiting;
}

void api_server_handle(struct api_server *server, const struct api_server_request *request,
                       struct http_response *ret_response) {
        request_run(server, request, NULL, ret_response);
}

void api_server_call(struct api_server *server, const struct api_user *user, const char *method,
                     struct slice target, struct slice body, struct http_response *ret_response) {
        struct api_server_request request = {
                .method = slice_of(method),
                .target = target,
                .body = body,
                .user_agent = user->name,
                .user = user,
        };

        api_server_handle(server, &request, ret_response);
}

int api_server_ask(struct api_server *server, const char *method, const char *path,
                   const char *body, struct buf *ret_body) {
        bool is_patch = strcmp(method, "PATCH") == 0;
        struct http_response response;

        api_server_handle(
                server,
                &(struct api_server_request){
                        .method = slice_of(method),
                        .target = slice_of(path),
                        .body = slice_of(body),
                        .content_type = is_patch ? SLICE_LITERAL("application/merge-patch+json")
                                                 : SLICE_LITERAL("application/json"),
                        .user_agent = SLICE_LITERAL("berth"),
                        .user = &api_user_admin },
                &response);
        int status = response.status;
        if (ret_body) {
                buf_clear(ret_body);
                buf_slice(ret_body, buf_view(&response.body));
        }
        http_response_release(&response);
        return status;
}

void api_server_inside(struct api_server *server, const struct api_server_request *request,
                       struct http_response *ret_response) {
        struct arena outer = server->engine.scratch; /* of the request under way */

        arena_init(&server->engine.scratch, 0);
        api_server_handle(server, request, ret_response);
        arena_release(&server->engine.scratch);
        server->engine.scratch = outer;
}
