/* Takes request paths apart: group, version, namespace, resource, name, subresource. */
#include "api/selector.h"
#include "server/api_context.h"
#include "server/api_query.h"
#include "server/api_request.h"
#include <ctype.h>

#define SEGMENTS_MAX 12

/* Slashes at the end mean nothing; between others an empty segment has its place. */
static size_t split_path(struct slice path, struct slice *segments) {
        size_t count = 0;

        if (path.len && path.ptr[0] == '/')
                path = slice_make(path.ptr + 1, path.len - 1);
        while (path.len && path.ptr[path.len - 1] == '/')
                path.len--;
        while (path.len && count < SEGMENTS_MAX && slice_split(&path, '/', &segments[count]))
                count++;
        return count;
}

/* Of the API itself: those of definitions know only what these serve. */
static bool group_exists(const struct api_engine *engine, struct slice group) {
        const struct api_resource *resource = NULL;

        while ((resource = resource_next(&engine->resources, resource))) {
                if (slice_is(group, resource->kind->group) && !is_custom(resource))
                        return true;
        }
        return false;
}

/* namespaces/NS/pods/...; but namespaces/NS, namespaces/NS/status and /finalize are about the
 * namespace itself. */
static size_t take_namespace(struct api_route *route, const struct slice *segments, size_t count) {
        if (count < 3 || !slice_is(segments[0], "namespaces"))
                return 0;
        if (count == 3 && (slice_is(segments[2], "status") || slice_is(segments[2], "finalize")) &&
            route->group.len == 0)
                return 0;
        route->ns = segments[1];
        route->has_ns = true;
        return 2;
}

static void parse_resource(struct api_context *context, const struct slice *segments,
                           size_t count) {
        struct api_route *route = &context->route;
        size_t at = take_namespace(route, segments, count);

        if (at < count)
                route->plural = segments[at++];
        route->has_name = at < count;
        if (at < count)
                route->name = segments[at++];
        if (at < count)
                route->subresource = segments[at++];
        if (at < count) /* nothing has deeper paths */
                return;
        route->resource = resource_find(&context->engine->resources, route->group, route->version,
                                        route->plural);
        if (!route->resource)
                return;
        bool is_namespaced = route->resource->kind->flags & KIND_NAMESPACED;
        if (is_namespaced ? route->has_name && !route->has_ns : route->has_ns)
                route->resource = NULL;
}

/* Outside the resources the method itself is the verb. */
static const char *lower_case(struct arena *arena, struct slice method) {
        char *text = arena_string(arena, method);

        for (size_t i = 0; i < method.len; i++)
                text[i] = (char)tolower((unsigned char)text[i]);
        return text;
}

static const char *verb_of(const struct api_context *context) {
        const struct api_route *route = &context->route;
        struct slice method = context->request->method;
        bool is_collection = route->name.len == 0;

        if (!route->is_resource)
                return lower_case(context->arena, method);
        if (slice_is(method, "GET") || slice_is(method, "HEAD"))
                return route->is_watch ? "watch" : is_collection ? "list" : "get";
        if (slice_is(method, "POST"))
                return "create";
        if (slice_is(method, "PUT"))
                return "update";
        if (slice_is(method, "PATCH"))
                return "patch";
        if (slice_is(method, "DELETE"))
                return is_collection ? "deletecollection" : "delete";
        return "";
}

/* The one name that a collection is asked about. Rules for that name are enough then. */
static struct slice selected_name(struct api_context *context) {
        struct slice method = context->request->method;
        struct slice fields = query_text(&context->query, "fieldSelector");
        struct field_selector selector = { 0 };

        if (fields.len == 0 || (!slice_is(method, "GET") && !slice_is(method, "HEAD")) ||
            field_selector_parse(fields, context->arena, &selector, NULL) < 0)
                return SLICE_EMPTY;
        for (size_t i = 0; i < selector.count; i++) {
                const struct field_term *term = &selector.terms[i];

                if (slice_is(term->key, "metadata.name") && !term->is_not_equal)
                        return name_problem(NAME_SEGMENT, term->value, false) ? SLICE_EMPTY
                                                                              : term->value;
        }
        return SLICE_EMPTY;
}

/* Of groups, versions and resources; other paths are compared as they are. */
static struct slice trim_slashes(struct slice path) {
        struct slice trimmed = path;

        while (slice_has_suffix(trimmed, SLICE_LITERAL("//")))
                trimmed.len--;
        return slice_has_prefix(path, SLICE_LITERAL("/api")) && !slice_is(trimmed, "/apis/")
                       ? trimmed
                       : path;
}

void route_parse(struct api_context *context, struct slice path) {
        struct api_route *route = &context->route;
        struct slice segments[SEGMENTS_MAX];
        size_t count, at = 0;
        bool is_by_path = false;

        route->path = path = trim_slashes(percent_decode(context->arena, path, false));
        count = split_path(path, segments);
        route->verb = verb_of(context);
        if (count >= 2 && slice_is(segments[0], "api")) {
                route->version = segments[1];
                route->group_is_known = true;
                at = 2;
        } else if (count >= 3 && slice_is(segments[0], "apis") && segments[1].len) {
                route->group = segments[1];
                route->version = segments[2];
                route->group_is_known = group_exists(context->engine, route->group);
                at = 3;
        }
        if (at == 0 || at == count)
                return;
        route->is_resource = true;
        if (slice_is(segments[at], "watch")) {
                route->is_watch = is_by_path = true;
                at++;
        }
        if (at < count)
                parse_resource(context, segments + at, count - at);
        /* Only collections are watched that way; ?watch on an object is ignored. */
        if (route->name.len == 0 && query_is_true(&context->query, "watch"))
                route->is_watch = true;
        route->verb = verb_of(context);
        if (route->name.len == 0 && !is_by_path)
                route->only_name = selected_name(context);
}
