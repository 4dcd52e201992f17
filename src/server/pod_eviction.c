/* POST pods/NAME/eviction: deletes a pod if its disruption budget allows. */
#include "api/selector.h"
#include "schema/object_compare.h"
#include "server/api_context.h"
#include "server/api_decode.h"
#include "server/api_delete.h"
#include "server/api_failure.h"
#include "server/api_object.h"
#include "server/api_output.h"
#include "server/api_pending.h"
#include "server/api_query.h"
#include "server/api_state.h"
#include "server/api_store.h"
#include "server/api_verbs.h"
#include "server/api_write.h"
#include "server/managed_fields.h"
#include "server/pod_conditions.h"
#include "server/request_names.h"
#include "server/webhook.h"

#include <string.h>

#define DISRUPTED_PODS_MAX 2000
#define RETRY_AFTER_S 10
#define CONTENDED_TRIES 20 /* as kube-apiserver: about ten seconds, then 409 */
#define CONTENDED_PAUSE_NS (500 * NS_PER_MS)

struct subresource_eviction {
        struct api_context *context;
        struct slice name;
        const struct store_object *pod;
        const struct json *pod_json;
        const struct json *given;          /* deleteOptions as they came */
        struct delete_options options;     /* valid once the pod is to be deleted */
        const struct store_object *budget; /* the one that matches */
        size_t budget_count;
        bool is_pinned; /* the pod must not change until it is deleted */
};

static int fail_budget(struct subresource_eviction *eviction, const char *cause_text,
                       int retry_after_s) {
        struct api_context *context = eviction->context;
        struct failure_cause *cause = ARENA_NEW(context->arena, struct failure_cause);

        fail_plain(context, 429, "TooManyRequests",
                   "Cannot evict pod as it would violate the pod's disruption budget.");
        *cause = (struct failure_cause){ .reason = "DisruptionBudget", .message = cause_text };
        context->failure.has_details = true;
        context->failure.causes = cause;
        context->failure.cause_count = 1;
        context->failure.retry_after_s = retry_after_s;
        return API_FAILED;
}

static int fail_processing(struct subresource_eviction *eviction) {
        return fail_budget(eviction,
                           arena_printf(eviction->context->arena,
                                        "The disruption budget " SLICE_FMT
                                        " is still being processed by the server.",
                                        SLICE_ARG(store_object_name(eviction->budget))),
                           RETRY_AFTER_S);
}

/* ---- the pod ---- */

static bool has_phase(const struct subresource_eviction *eviction, const char *phase) {
        return slice_is(json_get_text(json_get(eviction->pod_json, "status"), "phase"), phase);
}

static bool is_being_deleted(const struct subresource_eviction *eviction) {
        return json_get(json_get(eviction->pod_json, "metadata"), "deletionTimestamp");
}

static bool can_ignore_budgets(const struct subresource_eviction *eviction) {
        return has_phase(eviction, "Succeeded") || has_phase(eviction, "Failed") ||
               has_phase(eviction, "Pending") || is_being_deleted(eviction);
}

static const struct json *find_condition(const struct json *object, const char *type) {
        struct json_iter iter = json_iter(json_get(json_get(object, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition)) {
                if (slice_is(json_get_text(condition, "type"), type))
                        return condition;
        }
        return NULL;
}

static bool is_ready(const struct subresource_eviction *eviction) {
        return slice_is(json_get_text(find_condition(eviction->pod_json, "Ready"), "status"),
                        "True");
}

/* ---- the budget ---- */

static bool budget_matches(struct subresource_eviction *eviction, const struct json *budget) {
        struct arena *arena = eviction->context->arena;
        struct selector selector;

        if (selector_decode(json_get(json_get(budget, "spec"), "selector"), arena, &selector,
                            NULL) < 0)
                return false;
        return selector_matches(
                &selector,
                label_list_decode(json_get(json_get(eviction->pod_json, "metadata"), "labels"),
                                  arena));
}

static void find_budget(struct subresource_eviction *eviction) {
        struct api_engine *engine = eviction->context->engine;
        struct store_range range = { .resource = engine->resources.budgets->store_resource,
                                     .ns = store_object_ns(eviction->pod) };
        struct store_cursor *cursor = NULL;
        const struct store_object *budget;

        if (store_cursor_open(engine->store, &range, &cursor, NULL) < 0)
                return;
        while ((budget = store_cursor_next(cursor))) {
                if (!budget_matches(eviction, json_cache_get(&engine->cache, budget)))
                        continue;
                eviction->budget = budget;
                eviction->budget_count++;
        }
        store_cursor_close(cursor);
}

/* An unready pod does not count as healthy, so its end costs nothing, unless the application is
 * disrupted already and the policy protects it then. */
static bool is_free_to_go(const struct subresource_eviction *eviction, const struct json *budget) {
        const struct json *status = json_get(budget, "status");
        int64_t desired = json_get_i64(status, "desiredHealthy", 0);

        if (is_ready(eviction))
                return false;
        if (slice_is(json_get_text(json_get(budget, "spec"), "unhealthyPodEvictionPolicy"),
                     "AlwaysAllow"))
                return true;
        return desired > 0 && json_get_i64(status, "currentHealthy", 0) >= desired;
}

static int fail_exhausted(struct subresource_eviction *eviction, const struct json *budget) {
        struct arena *arena = eviction->context->arena;
        const struct json *status = json_get(budget, "status");
        const struct json *condition = find_condition(budget, "DisruptionAllowed");
        struct slice name = store_object_name(eviction->budget);
        struct slice reason = json_get_text(condition, "reason");
        struct slice message = json_get_text(condition, "message");
        int64_t desired = json_get_i64(status, "desiredHealthy", 0);
        int64_t current = json_get_i64(status, "currentHealthy", 0);
        bool is_false = slice_is(json_get_text(condition, "status"), "False") && message.len;
        const char *text;

        if (is_false && slice_is(reason, "SyncFailed"))
                text = arena_printf(arena,
                                    "The disruption budget " SLICE_FMT
                                    " does not allow evicting pods currently because it failed "
                                    "sync: " SLICE_FMT,
                                    SLICE_ARG(name), SLICE_ARG(message));
        else if (current <= desired)
                text = arena_printf(arena,
                                    "The disruption budget " SLICE_FMT
                                    " needs %lld healthy pods and has %lld currently",
                                    SLICE_ARG(name), (long long)desired, (long long)current);
        else if (is_false)
                text = arena_printf(arena,
                                    "The disruption budget " SLICE_FMT
                                    " does not allow evicting pods currently (" SLICE_FMT
                                    "): " SLICE_FMT,
                                    SLICE_ARG(name), SLICE_ARG(reason), SLICE_ARG(message));
        else
                text = arena_printf(arena,
                                    "The disruption budget " SLICE_FMT
                                    " does not allow evicting pods currently",
                                    SLICE_ARG(name));
        return fail_budget(eviction, text, 0);
}

static int refuse_eviction(struct subresource_eviction *eviction, const char *why) {
        return fail_forbidden(eviction->context, SLICE_LITERAL("policy"),
                              SLICE_LITERAL("poddisruptionbudget"),
                              store_object_name(eviction->budget), why);
}

static int pod_eviction_decrement(struct subresource_eviction *eviction, int64_t allowed) {
        struct api_context *context = eviction->context;
        struct wall_time now = loop_wall(context->engine->loop);
        char text[WALL_TIME_TEXT_MAX];
        struct api_write write = { 0 };
        struct slice body;

        if (write_begin(context, context->engine->resources.budgets, eviction->budget, &write) < 0)
                return API_FAILED;
        struct json_node *status = node_need_object(write.tree, write.object, "status");
        struct json_node *disrupted = node_need_object(write.tree, status, "disruptedPods");
        wall_time_format(now, text);
        node_set(write.tree, disrupted, eviction->name, node_string(write.tree, text));
        node_put_i64(write.tree, status, "disruptionsAllowed", allowed);
        if (allowed == 0)
                condition_set(write.tree, status,
                              &(struct condition_value){ .type = "DisruptionAllowed",
                                                         .status = "False",
                                                         .reason = "InsufficientPods",
                                                         .observed_generation = node_get_i64(
                                                                 status, "observedGeneration", 0) },
                              now);
        manage_own_status(context, &write);
        int r = write_put(context, &write, &body);
        write_end(&write);
        return r;
}

/* The budget was written since it was read: all is done again with the new budget, or an eviction
 * would be allowed by an outdated number. */
static int yield_to_others(struct subresource_eviction *eviction) {
        struct api_context *context = eviction->context;
        const struct api_resource *budgets = context->engine->resources.budgets;
        struct slice name = arena_slice(context->arena, store_object_name(eviction->budget));
        uint64_t seen = eviction->budget->revision;

        if (!context->server->in_between)
                return 0;
        context->server->in_between(context->server->in_between_context);
        eviction->budget = object_find(context, budgets, context->route.ns, name);
        if (eviction->budget && eviction->budget->revision == seen)
                return 0;
        if (!pending_retry(context->pending, CONTENDED_TRIES, CONTENDED_PAUSE_NS))
                return fail_modified(context, budgets, name);
        context->is_waiting = true;
        return API_FAILED;
}

static int check_budget(struct subresource_eviction *eviction) {
        const struct json *budget = request_object_json(eviction->context, eviction->budget);
        const struct json *status = json_get(budget, "status");
        int64_t allowed = json_get_i64(status, "disruptionsAllowed", 0);

        if (is_free_to_go(eviction, budget)) {
                eviction->is_pinned = true;
                return 0;
        }
        if (json_get_i64(status, "observedGeneration", 0) <
            json_get_i64(json_get(budget, "metadata"), "generation", 0))
                return fail_processing(eviction);
        if (allowed < 0)
                return refuse_eviction(eviction, "pdb disruptions allowed is negative");
        if (json_count(json_get(status, "disruptedPods")) > DISRUPTED_PODS_MAX)
                return refuse_eviction(eviction,
                                       "DisruptedPods map too big - too many evictions not "
                                       "confirmed by PDB controller");
        if (allowed == 0)
                return fail_exhausted(eviction, budget);
        if (eviction->context->is_dry_run)
                return 0;
        if (yield_to_others(eviction) < 0)
                return API_FAILED;
        return pod_eviction_decrement(eviction, allowed - 1);
}

/* ---- deleting ---- */

static int check_preconditions(struct subresource_eviction *eviction) {
        struct api_context *context = eviction->context;
        const struct json *metadata = json_get(eviction->pod_json, "metadata");
        const struct delete_options *options = &eviction->options;
        struct slice uid = json_get_text(metadata, "uid");
        struct slice version = json_get_text(metadata, "resourceVersion");

        if (options->uid.len && !slice_eq(options->uid, uid) && eviction->is_pinned &&
            options->resource_version.len == 0)
                return fail_processing(eviction); /* to be tried again */
        if (options->uid.len && !slice_eq(options->uid, uid))
                return fail_conflict(context, "Pod", "", eviction->name,
                                     "the UID in the precondition (" SLICE_FMT
                                     ") does not match the UID in record (" SLICE_FMT
                                     "). The object might have been deleted and then recreated",
                                     SLICE_ARG(options->uid), SLICE_ARG(uid));
        if (options->resource_version.len && !slice_eq(options->resource_version, version))
                return fail_conflict(context, "Pod", "", eviction->name,
                                     "the ResourceVersion in the precondition (" SLICE_FMT
                                     ") does not match the ResourceVersion in record (" SLICE_FMT
                                     "). The object might have been modified",
                                     SLICE_ARG(options->resource_version), SLICE_ARG(version));
        return 0;
}

/* Writes why the pod goes, then deletes it. Nothing can come in between: one thread. */
static int add_condition(struct subresource_eviction *eviction) {
        struct api_context *context = eviction->context;
        struct api_write write = { 0 };
        struct slice body;
        int r = 0;

        if (write_begin(context, context->engine->resources.pods, eviction->pod, &write) < 0)
                return API_FAILED;
        condition_set(write.tree, node_need_object(write.tree, write.object, "status"),
                      &(struct condition_value){ .type = "DisruptionTarget",
                                                 .status = "True",
                                                 .reason = "EvictionByEvictionAPI",
                                                 .message = "Eviction API: evicting",
                                                 .is_pod = true },
                      loop_wall(context->engine->loop));
        if (!is_same_object(write.object, write.old_json))
                r = write_put(context, &write, &body);
        write_end(&write);
        return r;
}

static int delete_pod(struct subresource_eviction *eviction) {
        struct api_context *context = eviction->context;
        struct slice body;
        bool is_gone;

        int r = delete_options_from(context, eviction->given, &eviction->options);
        struct api_failure failure = context->failure;
        if (r < 0 && context->is_dry_run) /* no condition is written that looks at them first */
                return r;
        if (check_preconditions(eviction) < 0)
                return API_FAILED;
        bool is_dry_run = context->is_dry_run || eviction->options.is_dry_run;
        if ((!context->is_dry_run && r == 0) || !is_dry_run)
                if (add_condition(eviction) < 0)
                        return API_FAILED;
        if (r < 0) { /* the store looks at options when the condition is written */
                context->failure = failure;
                return r;
        }
        eviction->options.is_dry_run |= context->is_dry_run;
        eviction->options.resource_version = SLICE_EMPTY;
        const struct store_object *pod = object_find(context, context->engine->resources.pods,
                                                     context->route.ns, eviction->name);
        return delete_object(context, context->engine->resources.pods, pod, &eviction->options,
                             &body, &is_gone);
}

static int pod_eviction_evict(struct subresource_eviction *eviction) {
        struct api_context *context = eviction->context;

        eviction->pod = object_find(context, context->engine->resources.pods, context->route.ns,
                                    eviction->name);
        if (!eviction->pod)
                return fail_not_found(context, context->engine->resources.pods, eviction->name);
        eviction->pod_json = request_object_json(context, eviction->pod);
        if (!can_ignore_budgets(eviction)) {
                find_budget(eviction);
                if (eviction->budget_count > 1)
                        return fail_plain(context, 500, NULL,
                                          "This pod has more than one PodDisruptionBudget, which "
                                          "the eviction subresource does not support.");
                if (eviction->budget && check_budget(eviction) < 0)
                        return API_FAILED;
        }
        return delete_pod(eviction);
}

/* As Go prints a list of texts. */
static const char *dry_run_text(struct api_context *context, const struct json *list) {
        struct json_iter iter = json_iter(list);
        const struct json *value;
        struct buf text = { 0 };

        while (json_next(&iter, NULL, &value)) {
                if (text.len)
                        buf_char(&text, ' ');
                buf_slice(&text, json_text(value));
        }
        const char *copy = arena_printf(context->arena, SLICE_FMT, SLICE_ARG(buf_view(&text)));
        buf_release(&text);
        return copy;
}

/* Dry run said in both places, and not alike. Whether what the body says is valid shows only when
 * the pod is to be deleted. */
static int check_dry_run(struct api_context *context, const struct json *list) {
        const char *text = dry_run_text(context, list);

        if (json_count(list) == 0)
                return 0;
        if (slice_is(query_text(&context->query, "dryRun"), "All") && strcmp(text, "All"))
                return fail_plain(context, 500, NULL,
                                  "Non-matching dry-run options in request and content: [All] and "
                                  "[%s]",
                                  text);
        context->is_dry_run = true;
        return 0;
}

static int decode_eviction(struct api_context *context, struct decoded *decoded,
                           struct subresource_eviction *eviction) {
        struct buf text = { 0 };

        if (!slice_eq(node_get_text(node_get(decoded->object, "metadata"), "name"),
                      context->route.name))
                return fail_bad_request(context,
                                        "name in URL does not match name in Eviction object");
        node_write(decoded->object, &text);
        eviction->given = json_get(request_json(context, buf_view(&text)), "deleteOptions");
        buf_release(&text);
        eviction->options.uid = json_get_text(json_get(eviction->given, "preconditions"), "uid");
        return check_dry_run(context, json_get(eviction->given, "dryRun"));
}

/* A policy may lead the pod out first, which is not for this room to know. */
static int check_wait(struct subresource_eviction *eviction) {
        struct api_context *context = eviction->context;
        const struct api_eviction_judge *judge = &context->server->evictions;
        struct buf text = { 0 };
        int retry_after_s = 0;
        bool waits = judge->waits &&
                     judge->waits(judge->self,
                                  &(struct api_eviction_call){ .ns = context->route.ns,
                                                               .name = eviction->name,
                                                               .uid = eviction->options.uid,
                                                               .user = context->user.name,
                                                               .is_dry_run = context->is_dry_run },
                                  &text, &retry_after_s);

        if (waits) {
                fail_plain(context, 429, "TooManyRequests", SLICE_FMT, SLICE_ARG(buf_view(&text)));
                context->failure.has_details = true;
                context->failure.retry_after_s = retry_after_s;
        }
        buf_release(&text);
        return waits ? API_FAILED : 0;
}

int serve_eviction(struct api_context *context) {
        struct subresource_eviction eviction = { .context = context, .name = context->route.name };
        struct decoded decoded = { 0 };
        int r = decode_body(context, "policy", "v1", "Eviction", &decoded);

        if (r < 0)
                return r;
        r = check_given_namespace(context, decoded.object);
        if (r == 0)
                r = decode_eviction(context, &decoded, &eviction);
        if (r == 0)
                r = check_key(context, context->route.name);
        if (r == 0)
                r = check_namespace(context, context->route.ns, context->route.name);
        if (r == 0)
                r = webhooks_allow_action(context, &decoded, "policy", "Eviction");
        if (r == 0) /* as webhooks left it */
                r = decode_eviction(context, &decoded, &eviction);
        if (r == 0)
                r = check_wait(&eviction);
        if (r == 0)
                r = pod_eviction_evict(&eviction);
        if (r == 0)
                respond_success(context, 201);
        decoded_release(&decoded);
        return r;
}
