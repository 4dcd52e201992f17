/* Who asks, by bearer token or impersonation, and whether they may. */
#include "server/api_access.h"
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_output.h"
#include "server/api_request.h"
#include "server/impersonation.h"
#include <strings.h>

static const struct api_user user_anonymous = {
        .name = { "system:anonymous", 16 },
        .group_count = 1,
        .groups = { { "system:unauthenticated", 22 } },
};

/* Second word of "Bearer TOKEN", the scheme in any case; empty = there is none. */
static struct slice bearer_token(struct api_context *context) {
        static const char spaced[] =
                "the provided Authorization header contains extra space before "
                "the bearer token, and is ignored";
        struct slice rest = slice_trim(context->request->authorization);
        struct slice scheme = SLICE_EMPTY, token = SLICE_EMPTY;

        slice_split(&rest, ' ', &scheme);
        if (scheme.len != 6 || strncasecmp(scheme.ptr, "bearer", scheme.len) != 0)
                return SLICE_EMPTY;
        slice_split(&rest, ' ', &token);
        if (token.len == 0 && rest.ptr)
                warn_add(context, slice_of(spaced));
        return token;
}

int authenticate(struct api_context *context) {
        const struct api_server_request *request = context->request;
        const struct api_user *user = request->user;

        if (!user && context->engine->is_open)
                user = &api_user_admin;
        if (!user) {
                struct slice token = bearer_token(context);

                user = token.len ? token_user(context, token) : &user_anonymous;
        }
        if (!user)
                return fail_plain(context, 401, "Unauthorized", "Unauthorized");
        context->user = *user;
        return impersonate(context);
}

int authorize(struct api_context *context) {
        struct access_question question = route_question(context);

        return check_access(context, &question);
}
