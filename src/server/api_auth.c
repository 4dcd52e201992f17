/* Who asks, by bearer token or impersonation, and whether they may. */
#include "server/api_access.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_request.h"
#include <stdio.h>
#include <stdlib.h>

#define MASTERS "system:masters"

static const struct api_user user_anonymous = {
        .name = { "system:anonymous", 16 },
        .group_count = 1,
        .groups = { { "system:unauthenticated", 22 } },
};

static bool user_in(const struct api_user *user, const char *group) {
        for (size_t i = 0; i < user->group_count; i++) {
                if (slice_is(user->groups[i], group))
                        return true;
        }
        return false;
}

static int api_auth_impersonate(struct api_context *context) {
        const struct api_server_request *request = context->request;
        struct slice rest = request->impersonate_group, group;
        struct access_question question = {
                .user = context->user.name,
                .groups = context->user.groups,
                .group_count = context->user.group_count,
                .verb = SLICE_LITERAL("impersonate"),
                .resource = SLICE_LITERAL("users"),
                .name = request->impersonate_user,
        };

        if (request->impersonate_user.len == 0)
                return 0;
        if (!access_allows(context->engine, &question))
                return fail_plain(context, 403, "Forbidden",
                                  "users \"" SLICE_FMT "\" is forbidden: User \"" SLICE_FMT
                                  "\" cannot impersonate resource \"users\" in API group \"\" at "
                                  "the cluster scope",
                                  SLICE_ARG(request->impersonate_user),
                                  SLICE_ARG(context->user.name));
        context->user = (struct api_user){ .name = request->impersonate_user };
        while (slice_split(&rest, ',', &group)) {
                if (context->user.group_count < API_GROUPS_MAX - 1 && slice_trim(group).len)
                        context->user.groups[context->user.group_count++] = slice_trim(group);
        }
        context->user.groups[context->user.group_count++] = SLICE_LITERAL("system:authenticated");
        return 0;
}

int authenticate(struct api_context *context) {
        const struct api_server_request *request = context->request;
        const struct slice scheme = SLICE_LITERAL("Bearer ");

        if (request->user || context->engine->is_open) {
                context->user = request->user ? *request->user : api_user_admin;
                return api_auth_impersonate(context);
        }
        if (!slice_has_prefix(request->authorization, scheme)) {
                context->user = user_anonymous;
                return 0;
        }
        const struct api_user *user = token_user(
                context, slice_trim(slice_make(request->authorization.ptr + scheme.len,
                                               request->authorization.len - scheme.len)));
        if (!user)
                return fail_plain(context, 401, "Unauthorized", "Unauthorized");
        context->user = *user;
        return api_auth_impersonate(context);
}

/* ---- authorization ---- */

int authorize(struct api_context *context) {
        const struct api_route *route = &context->route;
        struct access_question question = {
                .user = context->user.name,
                .groups = context->user.groups,
                .group_count = context->user.group_count,
                .verb = slice_of(route->verb),
        };
        const char *dot = route->group.len ? "." : "";
        const char *slash = route->subresource.len ? "/" : "";
        char object[700] = "", scope[400] = "at the cluster scope";

        if (user_in(&context->user, MASTERS))
                return 0;
        if (!route->is_resource) {
                question.path = route->path;
                if (access_allows(context->engine, &question))
                        return 0;
                fail_plain(context, 403, "Forbidden",
                           "forbidden: User \"" SLICE_FMT "\" cannot %s path \"" SLICE_FMT "\"",
                           SLICE_ARG(question.user), route->verb, SLICE_ARG(route->path));
                context->failure.has_details = true;
                return API_FAILED;
        }
        question.ns = route->ns;
        question.group = route->group;
        question.resource = route->plural;
        question.subresource = route->subresource;
        question.name = route->name;
        if (access_allows(context->engine, &question))
                return 0;
        if (route->name.len)
                snprintf(object, sizeof(object), " \"" SLICE_FMT "\"", SLICE_ARG(route->name));
        if (route->ns.len)
                snprintf(scope, sizeof(scope), "in the namespace \"" SLICE_FMT "\"",
                         SLICE_ARG(route->ns));
        fail_plain(context, 403, "Forbidden",
                   SLICE_FMT "%s" SLICE_FMT "%s is forbidden: User \"" SLICE_FMT
                             "\" cannot %s resource \"" SLICE_FMT "%s" SLICE_FMT
                             "\" in API group \"" SLICE_FMT "\" %s",
                   SLICE_ARG(route->plural), dot, SLICE_ARG(route->group), object,
                   SLICE_ARG(question.user), route->verb, SLICE_ARG(route->plural), slash,
                   SLICE_ARG(route->subresource), SLICE_ARG(route->group), scope);
        context->failure.has_details = true;
        context->failure.name = arena_string(context->arena, route->name);
        context->failure.group = arena_string(context->arena, route->group);
        context->failure.kind = arena_string(context->arena, route->plural);
        return API_FAILED;
}
