/* What the engine lets the hooks of kinds ask for. */
#include "server/api_access.h"
#include "server/api_context.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_request.h"
#include "server/rbac_rules.h"

static const struct json *hook_lookup(void *engine, const char *group, const char *plural,
                                      struct slice ns, struct slice name) {
        struct api_context *context = engine;
        const struct api_resource *resource =
                resource_any_version(&context->engine->resources, group, plural);
        const struct store_object *object =
                resource ? object_find(context, resource, ns, name) : NULL;

        if (!object)
                return NULL;
        return resource->kind->flags & KIND_NAMESPACED ? request_object_json(context, object)
                                                       : request_shared_json(context, object);
}

static void hook_each(void *engine, const char *group, const char *plural, struct slice ns,
                      bool (*visit)(void *context, const struct json *object), void *visitor) {
        struct api_context *context = engine;
        const struct api_resource *resource =
                resource_any_version(&context->engine->resources, group, plural);
        struct store_cursor *cursor = NULL;
        const struct store_object *object;

        if (!resource || store_cursor_open(context->engine->store,
                                           &(struct store_range){
                                                   .resource = resource->store_resource, .ns = ns },
                                           &cursor, NULL) < 0)
                return;
        while ((object = store_cursor_next(cursor)) &&
               json_cache_visit(&context->engine->cache, object, visit, visitor))
                ;
        store_cursor_close(cursor);
}

static bool hook_authorize(void *engine, const struct access_question *question,
                           const char **ret_reason) {
        struct api_context *context = engine;

        return access_allows(context->engine, question, ret_reason);
}

struct hook_rules {
        void (*visit)(void *context, const struct json *rule);
        void *context;
};

static bool hook_visit_rule(struct rbac_walk *walk, const struct json *rule) {
        const struct hook_rules *rules = walk->context;

        rules->visit(rules->context, rule);
        return true;
}

static const char *hook_each_rule(void *engine, const struct user_info *user, struct slice ns,
                                  void (*visit)(void *context, const struct json *rule),
                                  void *visitor) {
        struct api_context *context = engine;
        struct hook_rules rules = { visit, visitor };
        struct rbac_walk walk = {
                .engine = context->engine,
                .user = user->name,
                .groups = user->groups,
                .group_count = user->group_count,
                .ns = ns,
                .visit = hook_visit_rule,
                .context = &rules,
        };

        rbac_walk_run(&walk);
        return rbac_walk_problem(&walk);
}

static bool hook_authenticate(void *engine, struct slice token, struct user_info *ret_user) {
        struct api_context *context = engine;
        const struct api_user *user = token_user(context, token);

        if (!user)
                return false;
        *ret_user = api_user_info(user);
        return true;
}

static void hook_warn(void *engine, const char *text) {
        warn_add(engine, slice_of(text));
}

void hooks_prepare(struct api_context *context, const struct api_resource *resource) {
        context->hooks = (struct kind_context){
                .kind = resource->kind,
                .now = loop_wall(context->engine->loop),
                .scratch = context->arena,
                .subresource = context->route.subresource,
                .user = api_user_info(&context->user),
                .has_eviction_responders = context->engine->has_eviction_responders,
                .minor = context->engine->resources.minor,
                .gates = context->engine->resources.gates,
                .is_dry_run = context->is_dry_run,
                .engine = context,
                .lookup = hook_lookup,
                .each = hook_each,
                .authorize = hook_authorize,
                .each_rule = hook_each_rule,
                .authenticate = hook_authenticate,
                .warn = hook_warn,
        };
}
