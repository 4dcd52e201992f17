/* What webhooks decide about a write: mutating ones one after another, each seeing what the one
 * before made of the object, then the validating ones, all asked at once. */
#include "server/webhook.h"

#include "api/json_patch.h"
#include "base/base64.h"
#include "server/admission_environment.h"
#include "server/admission_policy.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_pending.h"
#include "server/api_store.h"
#include "server/mutating_policy.h"

/* ---- outcomes ---- */

/* No usable answer: the webhook's failurePolicy decides. */
static int fail_call(struct api_context *context, const struct webhook *webhook, const char *why) {
        if (slice_is(json_get_text(webhook->row, "failurePolicy"), "Ignore"))
                return 0;
        return fail_internal(context,
                             arena_printf(context->arena, "failed calling webhook \"%s\": %s",
                                          webhook->name, why));
}

/* C string of a member; NULL when it is absent or empty. */
static const char *text_of(struct api_context *context, const struct json *object,
                           const char *key) {
        struct slice text = json_get_text(object, key);

        return text.len ? arena_string(context->arena, text) : NULL;
}

static void take_causes(struct api_context *context, const struct json *list) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        context->failure.causes =
                ARENA_ARRAY(context->arena, struct failure_cause, json_count(list) + 1);
        while (json_next(&iter, NULL, &item))
                context->failure.causes[context->failure.cause_count++] = (struct failure_cause){
                        .reason = text_of(context, item, "reason"),
                        .message = text_of(context, item, "message"),
                        .field = text_of(context, item, "field"),
                };
}

/* The Status of the webhook becomes the answer: its code, reason, details and words. */
static int fail_denied(struct api_context *context, const struct webhook *webhook,
                       const struct json *status) {
        const struct json *details = json_get(status, "details");
        const char *message = text_of(context, status, "message");
        const char *reason = text_of(context, status, "reason");
        int64_t code = json_get_i64(status, "code", 400);

        if (code < 400 || code > 599)
                code = 400;
        if (!message)
                message = reason;
        fail_plain(context, (int)code, reason,
                   message ? "admission webhook \"%s\" denied the request: %s"
                           : "admission webhook \"%s\" denied the request without explanation%s",
                   webhook->name, message ? message : "");
        if (json_type(details) != JSON_OBJECT)
                return API_FAILED;
        context->failure.has_details = true;
        context->failure.name = text_of(context, details, "name");
        context->failure.group = text_of(context, details, "group");
        context->failure.kind = text_of(context, details, "kind");
        context->failure.uid = text_of(context, details, "uid");
        context->failure.retry_after_s = (int)json_get_i64(details, "retryAfterSeconds", 0);
        take_causes(context, json_get(details, "causes"));
        return API_FAILED;
}

static void take_warnings(struct api_context *context, const struct json *list) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                warn_add(context, json_text(item));
}

/* The response inside of an answer; NULL and *ret_why when there is none to this request. */
static const struct json *response_of(struct api_context *context,
                                      const struct webhook_answer *answer, const char **ret_why) {
        const struct json *response =
                answer->status == 200 ? json_get(request_json(context, answer->body), "response")
                                      : NULL;

        if (answer->status != 200)
                *ret_why =
                        arena_printf(context->arena, "failed to call webhook: %s", answer->error);
        else if (json_type(response) != JSON_OBJECT)
                *ret_why = "failed to call webhook: webhook response was absent";
        else if (!slice_is(json_get_text(response, "uid"), pending_uid(context->pending)))
                *ret_why = arena_printf(context->arena,
                                        "received invalid webhook response: expected "
                                        "response.uid=\"%s\", got \"" SLICE_FMT "\"",
                                        pending_uid(context->pending),
                                        SLICE_ARG(json_get_text(response, "uid")));
        else
                return response;
        return NULL;
}

/* ---- patches ---- */

struct target {
        struct json_tree *tree;
        struct json_node *object;
};

static int patch_apply(struct target *target, struct slice encoded, struct err *err) {
        struct buf text = { 0 };
        struct json_tree *ops = NULL;
        int r = 0;

        if (!base64_decode(encoded, BASE64_STANDARD, &text))
                r = err_set(err, BERTH_ERR_BAD_REQUEST, "the patch is no base64 text");
        if (r == 0)
                r = json_tree_parse(buf_view(&text), &ops, err);
        if (r == 0)
                r = json_patch_apply(target->tree, json_tree_root(ops), err);
        json_tree_free(ops);
        buf_release(&text);
        target->object = json_tree_root(target->tree);
        if (r == 0 && node_type(target->object) != JSON_OBJECT)
                r = err_set(err, BERTH_ERR_BAD_REQUEST, "the patch leaves no object");
        return r;
}

/* The patch is one of the version that the webhook has seen. */
static int patch_apply_as(struct target *target, const struct webhook_subject *subject,
                          struct slice patch, struct err *err) {
        bool is_scale = slice_is(subject->subresource, "scale");

        if (!subject->matched || is_scale)
                return patch_apply(target, patch, err);
        CLEANUP(cleanup_json_tree) struct json_tree *tree = json_tree_new();
        struct target other = { tree, node_clone(tree, target->object) };
        json_tree_set_root(tree, other.object);
        version_convert(subject->resource, subject->matched, tree, other.object);
        int r = patch_apply(&other, patch, err);
        if (r < 0)
                return r;
        version_convert(subject->matched, subject->resource, tree, other.object);
        target->object = node_clone(target->tree, other.object);
        json_tree_set_root(target->tree, target->object);
        return 0;
}

static int take_patch(struct api_context *context, const struct webhook *webhook,
                      const struct json *response, const struct webhook_subject *subject,
                      struct target *target) {
        struct slice patch = json_get_text(response, "patch");
        struct err err = { 0 };

        if (!target || !target->tree || patch.len == 0)
                return 0;
        if (patch_apply_as(target, subject, patch, &err) < 0)
                return fail_plain(context, 500, "InternalError",
                                  "Internal error occurred: cannot apply the patch of webhook "
                                  "\"%s\": %s",
                                  webhook->name, err.text);
        return 0;
}

/* ---- one webhook ---- */

/* A webhook that does more than answer would do it for a request that is not meant. */
static int check_dry_run(struct api_context *context, const struct webhook *webhook,
                         const struct webhook_subject *subject) {
        struct slice effects = json_get_text(webhook->row, "sideEffects");

        if (!subject->is_dry_run || slice_is(effects, "None") || slice_is(effects, "NoneOnDryRun"))
                return 0;
        return fail_bad_request(context, "admission webhook \"%s\" does not support dry run",
                                webhook->name);
}

static int webhook_consult(struct api_context *context, const struct webhook *webhook,
                           const struct webhook_subject *subject, struct target *target) {
        const char *why = NULL;

        if (check_dry_run(context, webhook, subject) < 0)
                return API_FAILED;
        const struct webhook_answer *answer = webhook_ask(context, webhook, subject);
        if (!answer) {
                context->is_waiting = true;
                return API_FAILED;
        }
        const struct json *response = response_of(context, answer, &why);
        if (!response)
                return fail_call(context, webhook, why);
        take_warnings(context, json_get(response, "warnings"));
        if (!json_get_bool(response, "allowed", false))
                return fail_denied(context, webhook, json_get(response, "status"));
        return take_patch(context, webhook, response, subject, target);
}

/* ---- conditions ---- */

/* Whether the webhook is called: false also for a refusal, which *ret_code tells. */
static bool are_conditions_met(struct api_context *context, const struct json *row,
                               const struct webhook_subject *subject, int *ret_code) {
        struct admission_environment environment = { .context = context, .subject = *subject };
        enum policy_match match = POLICY_APPLIES;
        struct policy_case policy;
        const char *text = NULL;

        if (json_count(json_get(row, "matchConditions")) == 0)
                return true;
        if (environment_case(&environment, row, &policy))
                match = policy_conditions(&policy, &text);
        environment_release(&environment);
        if (match == POLICY_FAILED)
                *ret_code = fail_forbidden(context, subject->group, subject->plural, subject->name,
                                           text);
        return match == POLICY_APPLIES;
}

/* ---- all of one sort ---- */

/* Mutating webhooks (with a target) wait for each other; of the others all are asked before the
 * request is given up for now. */
static int consult_configuration(struct api_context *context, const struct store_object *object,
                                 const struct webhook_subject *subject, struct target *target) {
        struct webhook webhook = {
                .configuration = arena_string(context->arena, store_object_name(object)),
                .is_mutating = target,
        };
        struct json_iter iter =
                json_iter(json_get(request_object_json(context, object), "webhooks"));
        struct webhook_subject now = *subject;
        int r = 0;

        while (json_next(&iter, NULL, &webhook.row)) {
                if (target)
                        now.object = target->object;
                if (!webhook_matches(context, webhook.row, &now, &now.matched))
                        continue;
                webhook.name = arena_string(context->arena, json_get_text(webhook.row, "name"));
                if (are_conditions_met(context, webhook.row, &now, &r) &&
                    webhook_consult(context, &webhook, &now, target) < 0)
                        r = API_FAILED;
                if (r < 0 && (target || !context->is_waiting))
                        break;
        }
        return r;
}

static int consult_all(struct api_context *context, const struct api_resource *configurations,
                       const struct webhook_subject *subject, struct target *target) {
        struct store_range range = { .resource = configurations->store_resource };
        struct store_cursor *cursor = NULL;
        const struct store_object *object;
        int r = 0;

        if (!context->pending ||
            store_cursor_open(context->engine->store, &range, &cursor, NULL) < 0)
                return 0;
        while ((object = store_cursor_next(cursor))) {
                if (consult_configuration(context, object, subject, target) < 0)
                        r = API_FAILED;
                if (r < 0 && (target || !context->is_waiting))
                        break;
        }
        store_cursor_close(cursor);
        return r;
}

/* Policies judge what mutating webhooks have left, before the validating ones. */
static int judge_all(struct api_context *context, const struct webhook_subject *subject) {
        if (policies_validate(context, subject) < 0)
                return API_FAILED;
        return consult_all(context, context->engine->resources.validating_webhooks, subject, NULL);
}

static bool has_judges(const struct api_context *context) {
        return context->pending || has_policies(context) || has_mutating_policies(context);
}

/* ---- writes ---- */

static struct webhook_subject subject_of(const struct api_context *context,
                                         const struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;

        return (struct webhook_subject){
                .group = slice_of(kind->group),
                .version = slice_of(kind->version),
                .plural = slice_of(kind->plural),
                .subresource = context->route.subresource,
                .type_group = kind->group,
                .type_version = kind->version,
                .type = kind->kind,
                .ns = write->ns,
                .name = write->name,
                .operation = write->operation == KIND_CREATE ? "CREATE" : "UPDATE",
                .object = write->object,
                .old = write->old_json,
                .options = write->operation == KIND_CREATE ? "CreateOptions" : "UpdateOptions",
                .is_namespaced = kind->flags & KIND_NAMESPACED,
                .has_made_name = write->has_made_name,
                .is_dry_run = context->is_dry_run,
                .resource = write->resource,
        };
}

/* A Scale is not the object that the write holds: it has been judged by then. */
static bool is_judged(const struct api_context *context) {
        return has_judges(context) && !slice_is(context->route.subresource, "scale");
}

/* Policies come first. */
static int mutate_all(struct api_context *context, struct webhook_subject *subject,
                      struct mutation_target *object, struct mutation_rounds *rounds) {
        if (policies_mutate(context, subject, object, rounds) < 0)
                return API_FAILED;
        struct target target = { object->tree, object->object };
        json_tree_set_root(object->tree, object->object);
        subject->object = object->object;
        int r = rounds->is_second
                        ? 0
                        : consult_all(context, context->engine->resources.mutating_webhooks,
                                      subject, &target);
        object->object = target.object;
        return r;
}

int webhooks_mutate(struct api_context *context, struct api_write *write,
                    struct mutation_rounds *rounds) {
        struct webhook_subject subject = subject_of(context, write);
        struct mutation_target target = { .tree = write->tree,
                                          .object = write->object,
                                          .schema = write->resource->schema,
                                          .owned_type = write->resource->owned_type,
                                          .apply_defaults = write->resource->kind->apply_defaults,
                                          .minor = write->resource->minor,
                                          .is_unborn = write->operation == KIND_CREATE,
                                          .has_made_name = write->has_made_name };

        if (!is_judged(context))
                return 0;
        int r = mutate_all(context, &subject, &target, rounds);
        write->object = target.object;
        return r;
}

int webhooks_validate(struct api_context *context, const struct api_write *write) {
        struct webhook_subject subject = subject_of(context, write);

        if (!is_judged(context))
                return 0;
        return judge_all(context, &subject);
}

int webhooks_allow_delete(struct api_context *context, const struct api_resource *resource,
                          const struct store_object *object) {
        struct api_write write = {
                .resource = resource,
                .ns = store_object_ns(object),
                .name = store_object_name(object),
        };
        struct webhook_subject subject = subject_of(context, &write);
        struct target target = { 0 };

        if (!has_judges(context))
                return 0;
        subject.operation = "DELETE";
        subject.options = "DeleteOptions";
        subject.old = request_json(
                context, object_view(context->arena, resource, store_object_body(object)));
        if (consult_all(context, context->engine->resources.mutating_webhooks, &subject, &target) <
            0)
                return API_FAILED;
        return judge_all(context, &subject);
}

/* Both rounds, of what no plugin looks at. */
static int mutate_in_rounds(struct api_context *context, struct webhook_subject *subject,
                            struct mutation_target *target) {
        CLEANUP(mutation_rounds_release) struct mutation_rounds rounds = { 0 };
        int r = mutate_all(context, subject, target, &rounds);

        rounds.is_second = true;
        if (r == 0 && rounds.is_changed)
                r = mutate_all(context, subject, target, &rounds);
        subject->object = target->object;
        return r;
}

int webhooks_allow_action(struct api_context *context, struct decoded *decoded,
                          const char *type_group, const char *type) {
        struct api_write write = {
                .resource = context->resource,
                .operation = KIND_CREATE,
                .ns = context->route.ns,
                .name = context->route.name,
        };
        const struct schema_object *schema =
                schema_find(slice_of(type_group), SLICE_LITERAL("v1"), slice_of(type));
        struct webhook_subject subject = subject_of(context, &write);
        struct mutation_target target = { .tree = decoded->tree,
                                          .object = decoded->object,
                                          .schema = schema,
                                          .owned_type = schema,
                                          .minor = context->resource->minor };

        if (!has_judges(context))
                return 0;
        subject.type_group = type_group;
        subject.type_version = "v1";
        subject.type = type;
        subject.object = decoded->object;
        int r = mutate_in_rounds(context, &subject, &target);
        decoded->object = target.object;
        return r < 0 ? API_FAILED : judge_all(context, &subject);
}

/* A Scale of the object that the request names. */
static struct webhook_subject scale_subject(const struct api_context *context,
                                            const struct api_write *scale) {
        const struct kind_info *kind = context->resource->kind;
        struct webhook_subject subject = subject_of(context, scale);

        subject.group = slice_of(kind->group);
        subject.version = slice_of(kind->version);
        subject.plural = slice_of(kind->plural);
        subject.is_namespaced = kind->flags & KIND_NAMESPACED;
        subject.resource = context->resource;
        return subject;
}

int webhooks_mutate_scale(struct api_context *context, struct api_write *scale) {
        struct webhook_subject subject = scale_subject(context, scale);
        struct mutation_target target = { .tree = scale->tree,
                                          .object = scale->object,
                                          .schema = scale->resource->schema,
                                          .minor = scale->resource->minor };

        if (!has_judges(context))
                return 0;
        int r = mutate_in_rounds(context, &subject, &target);
        scale->object = target.object;
        return r;
}

int webhooks_validate_scale(struct api_context *context, const struct api_write *scale) {
        struct webhook_subject subject = scale_subject(context, scale);

        return has_judges(context) ? judge_all(context, &subject) : 0;
}
