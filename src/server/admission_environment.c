/* What expressions of admission see of one write, made when the first of them asks for it. */
#include "server/admission_environment.h"

#include "server/api_access.h"
#include "server/api_context.h"
#include "server/api_object.h"
#include "server/api_output.h"

static void namespace_write(const struct admission_environment *environment, struct buf *out) {
        struct api_context *context = environment->context;
        const struct api_resource *namespaces = context->engine->resources.namespaces;
        const struct store_object *object =
                environment->subject.is_namespaced
                        ? object_find(context, namespaces, SLICE_EMPTY, environment->subject.ns)
                        : NULL;

        buf_text(out, ",\"namespaceObject\":");
        buf_slice(out, object ? store_object_body(object) : SLICE_LITERAL("null"));
}

static void params_put(struct admission_environment *environment) {
        struct json_node *root = json_tree_root(environment->tree);
        struct buf text = { 0 };

        node_remove(root, "params");
        if (!environment->params)
                return;
        object_write(slice_of(environment->params_resource->prefix),
                     store_object_body(environment->params), &text);
        node_put(environment->tree, root, "params",
                 node_import(environment->tree,
                             request_json(environment->context, buf_view(&text))));
        buf_release(&text);
}

static bool environment_open(struct admission_environment *environment) {
        struct buf text = { 0 };

        if (environment->tree)
                return true;
        buf_text(&text, "{\"request\":{\"uid\":\"\"");
        webhook_request_write(environment->context, &environment->subject, &text);
        buf_char(&text, '}');
        webhook_objects_write(&environment->subject, &text);
        namespace_write(environment, &text);
        buf_char(&text, '}');
        json_tree_parse(buf_view(&text), &environment->tree, NULL);
        buf_release(&text);
        if (environment->tree)
                params_put(environment);
        return environment->tree;
}

static bool environment_authorize(void *engine, const struct access_question *question,
                                  const char **ret_reason) {
        struct api_context *context = engine;

        return access_allows(context->engine, question, ret_reason);
}

bool environment_case(struct admission_environment *environment, const struct json *spec,
                      struct policy_case *ret_policy) {
        struct api_context *context = environment->context;
        const struct webhook_subject *subject = &environment->subject;

        if (!environment_open(environment))
                return false;
        *ret_policy = (struct policy_case){
                .arena = context->arena,
                .spec = spec,
                .tree = environment->tree,
                .environment = json_tree_root(environment->tree),
                .authorize = environment_authorize,
                .engine = context,
                .question = { .user = context->user.name,
                              .groups = context->user.groups,
                              .group_count = context->user.group_count,
                              .ns = subject->ns,
                              .group = subject->group,
                              .resource = subject->plural,
                              .subresource = subject->subresource,
                              .name = subject->has_made_name ? SLICE_EMPTY : subject->name },
        };
        return true;
}

void environment_set_params(struct admission_environment *environment,
                            const struct api_resource *resource,
                            const struct store_object *params) {
        environment->params_resource = resource;
        environment->params = params;
        if (environment->tree)
                params_put(environment);
}

void environment_set_object(struct admission_environment *environment,
                            const struct json_node *object) {
        environment->subject.object = object;
        environment_release(environment);
}

void environment_set_version(struct admission_environment *environment,
                             const struct api_resource *matched) {
        if (matched != environment->subject.matched)
                environment_release(environment);
        environment->subject.matched = matched;
}

void environment_release(struct admission_environment *environment) {
        json_tree_free(environment->tree);
        environment->tree = NULL;
}
