/* Whether a user may do something, by the RBAC rules in the store, and how a refusal reads. */
#include "server/api_access.h"

#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/rbac_rules.h"

#define MASTERS "system:masters"

const struct api_user api_user_controller_manager = {
        .name = { "system:kube-controller-manager", 30 },
        .group_count = 2,
        .groups = { { "system:masters", 14 }, { "system:authenticated", 20 } },
};
const struct api_user api_user_scheduler = {
        .name = { "system:kube-scheduler", 21 },
        .group_count = 2,
        .groups = { { "system:masters", 14 }, { "system:authenticated", 20 } },
};
const struct api_user api_user_admin = {
        .name = { "kubernetes-admin", 16 },
        .group_count = 2,
        .groups = { { "system:masters", 14 }, { "system:authenticated", 20 } },
};

struct user_info api_user_info(const struct api_user *user) {
        return (struct user_info){ .name = user->name,
                                   .uid = user->uid,
                                   .groups = user->groups,
                                   .group_count = user->group_count,
                                   .extras = user->extras,
                                   .extra_count = user->extra_count };
}

bool is_master(const struct slice *groups, size_t count) {
        for (size_t i = 0; i < count; i++) {
                if (slice_is(groups[i], MASTERS))
                        return true;
        }
        return false;
}

struct access_search {
        const struct access_question *question;
        bool wants_reason, is_allowed;
        const char *reason;
};

static bool visit_for_access(struct rbac_walk *walk, const struct json *rule) {
        struct access_search *search = walk->context;

        search->is_allowed = rbac_rule_allows(rule, search->question);
        if (search->is_allowed && search->wants_reason)
                search->reason = rbac_walk_source(walk);
        return !search->is_allowed;
}

bool access_allows(struct api_engine *engine, const struct access_question *question,
                   const char **ret_reason) {
        struct access_search search = { .question = question, .wants_reason = ret_reason };
        struct rbac_walk walk = {
                .engine = engine,
                .user = question->user,
                .groups = question->groups,
                .group_count = question->group_count,
                .ns = question->ns,
                .visit = visit_for_access,
                .context = &search,
        };

        if (ret_reason)
                *ret_reason = "";
        if (is_master(question->groups, question->group_count))
                return true;
        rbac_walk_run(&walk);
        if (ret_reason)
                *ret_reason = search.is_allowed ? search.reason : rbac_walk_problem(&walk);
        return search.is_allowed;
}

/* ---- refusals ---- */

/* Quoted as Go does it, and without what looks like markup. */
static void quote_write(struct buf *out, struct slice text) {
        buf_char(out, '"');
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                if (c == '"' || c == '\\')
                        buf_printf(out, "\\%c", c);
                else if (c < 0x20 || c == 0x7f)
                        buf_printf(out, "\\x%02x", c);
                else if (c == '&')
                        buf_text(out, "&amp;");
                else if (c == '<' || c == '>')
                        buf_text(out, c == '<' ? "&lt;" : "&gt;");
                else
                        buf_char(out, (char)c);
        }
        buf_char(out, '"');
}

static void question_write(const struct access_question *question, struct buf *out) {
        struct buf resource = { 0 };

        buf_text(out, "User ");
        quote_write(out, question->user);
        buf_printf(out, " cannot " SLICE_FMT " ", SLICE_ARG(question->verb));
        buf_slice(&resource, question->resource);
        if (question->subresource.len)
                buf_printf(&resource, "/" SLICE_FMT, SLICE_ARG(question->subresource));
        buf_text(out, question->path.len ? "path " : "resource ");
        quote_write(out, question->path.len ? question->path : buf_view(&resource));
        buf_release(&resource);
        if (question->path.len)
                return;
        buf_text(out, " in API group ");
        quote_write(out, question->group);
        buf_text(out, question->ns.len ? " in the namespace " : " at the cluster scope");
        if (question->ns.len)
                quote_write(out, question->ns);
}

int fail_access(struct api_context *context, const struct access_question *question,
                const char *reason) {
        struct buf text = { 0 };

        question_write(question, &text);
        if (*reason)
                buf_printf(&text, ": %s", reason);
        fail_forbidden(context, question->group,
                       question->path.len ? SLICE_EMPTY : question->resource, question->name,
                       arena_string(context->arena, buf_view(&text)));
        buf_release(&text);
        return API_FAILED;
}

int check_access(struct api_context *context, const struct access_question *question) {
        const char *reason;

        return access_allows(context->engine, question, &reason)
                       ? 0
                       : fail_access(context, question, reason);
}

/* What the request asks for: of namespaces/NAME, NAME is the namespace, too; a list of one name is
 * about that name. */
struct access_question route_question(const struct api_context *context) {
        const struct api_route *route = &context->route;
        struct access_question question = {
                .user = context->user.name,
                .groups = context->user.groups,
                .group_count = context->user.group_count,
                .verb = slice_of(route->verb),
        };

        if (!route->is_resource) {
                question.path = route->path;
                return question;
        }
        question.ns = route->ns;
        question.group = route->group;
        question.resource = route->plural;
        question.subresource = route->subresource;
        question.name = route->name.len ? route->name : route->only_name;
        if (slice_is(route->plural, "namespaces") && route->ns.len == 0)
                question.ns = route->name;
        return question;
}
