/* Discovery, watches, take-over, and the reconciler's effects as API calls. */
#include "run/evictions_role.h"

#include "base/log.h"
#include "base/util.h"
#include "client/reflector.h"
#include "run/eviction_crds.h"
#include "run/history_store.h"
#include "run/hook_caller.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DISCOVERY_RETRY_NS NS_PER_S
#define PATH_MAX_BYTES 1024
#define CRD_PATH "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

enum followed {
        FOLLOWED_REQUESTS,
        FOLLOWED_EVICTIONS,
        FOLLOWED_PODS,
        FOLLOWED_POLICIES,
        FOLLOWED_COUNT
};

struct open_call {
        struct evictions_role *role;
        struct api_request *request;
        uint64_t id;
        enum eviction_effect_kind kind;
        struct open_call *next, *prev;
};

struct feed_line {
        struct evictions_role *role;
        enum followed followed;
        struct reflector *reflector;
};

struct evictions_role {
        struct runtime *runtime;
        struct loop *loop;
        struct transport *transport;
        struct evictions_role_config config;
        struct eviction_reconciler *reconciler;
        struct eviction_effects effects;
        struct audit_chain chain;
        const char *group; /* NULL until discovery is over */
        bool is_started, is_controller, has_stepped_down, is_native_served, has_policies;
        size_t definition; /* next one to create */
        struct feed_line lines[FOLLOWED_COUNT];
        struct reflector *budgets;
        struct reflector *migrations; /* of KubeVirt; NULL = there are none */
        struct open_call *calls;
        struct hook_caller *hooks;
        struct eviction_history *history;
        struct history_store *store;
        struct api_request *discovery;
        struct loop_timer step_timer, discovery_timer, take_over_timer;
        uint64_t skipped;
};

static void discover(void *context);

static bool is_native(const struct evictions_role *role) {
        return role->group && strcmp(role->group, EVICTION_GROUP_NATIVE) == 0;
}

static const char *mode_name(const struct evictions_role *role) {
        if (!is_native(role))
                return "crd";
        return role->is_controller ? "native-own" : "native-foreign";
}

static struct eviction_now now_of(const struct evictions_role *role) {
        return (struct eviction_now){ .wall = loop_wall(role->loop),
                                      .mono = loop_mono(role->loop) };
}

static void write_audit(struct evictions_role *role, const struct audit_record *record) {
        struct buf line = { 0 };

        if (!role->config.audit)
                return;
        role->chain.mode = mode_name(role);
        audit_chain_append(&role->chain, record, loop_wall(role->loop), &line);
        role->config.audit(role->config.context, buf_view(&line));
        buf_release(&line);
}

static void step_soon(struct evictions_role *role) {
        if (role->is_started)
                loop_timer_arm(role->loop, &role->step_timer, 0);
}

/* ---- effects ---- */

#define VM_PATH "/apis/%s/namespaces/" SLICE_FMT "/virtualmachineinstances/" SLICE_FMT "%s"

/* Cancelling a migration is a call to another API group. */
static void vm_path_of(const struct eviction_effect *effect, struct api_call *call, char *path) {
        bool is_patch = effect->body.len > 0;

        snprintf(path, PATH_MAX_BYTES, VM_PATH,
                 is_patch ? "kubevirt.io/v1" : "subresources.kubevirt.io/v1", SLICE_ARG(effect->ns),
                 SLICE_ARG(effect->name), is_patch ? "" : "/evacuate/cancel");
        call->method = is_patch ? API_PATCH : API_PUT;
        call->path = slice_of(path);
        call->content_type = is_patch ? SLICE_LITERAL("application/json-patch+json") : SLICE_EMPTY;
        if (!is_patch)
                call->body = SLICE_LITERAL("{}");
}

static bool path_of(const struct evictions_role *role, const struct eviction_effect *effect,
                    struct api_call *call, char *path) {
        static const struct {
                enum api_method method;
                const char *resource, *suffix;
                bool is_pod, is_collection;
        } forms[EVICTION_EFFECT_COUNT] = {
                [EVICTION_CREATE] = { API_POST, "evictions", "", false, true },
                [EVICTION_PATCH_META] = { API_PATCH, "evictions", "", false, false },
                [EVICTION_PATCH_STATUS] = { API_PATCH, "evictions", "/status", false, false },
                [EVICTION_PATCH_REQUEST] = { API_PATCH, "evictionrequests", "/status", false,
                                             false },
                [EVICTION_EVICT_POD] = { API_POST, "pods", "/eviction", true, false },
                [EVICTION_READ_POD] = { API_GET, "pods", "", true, false },
                [EVICTION_WITHDRAW] = { API_PATCH, "evictionrequests", "", false, false },
                [EVICTION_DELETE_POD] = { API_DELETE, "pods", "", true, false },
        };
        const char *resource = forms[effect->kind].resource;
        char root[160] = "/api/v1";

        if (effect->kind == EVICTION_CANCEL_MOVE) {
                vm_path_of(effect, call, path);
                return true;
        }
        if (!resource)
                return false;
        if (!forms[effect->kind].is_pod)
                snprintf(root, sizeof(root), "/apis/%s/" EVICTION_VERSION, role->group);
        call->method = forms[effect->kind].method;
        snprintf(path, PATH_MAX_BYTES, "%s/namespaces/" SLICE_FMT "/%s%s" SLICE_FMT "%s%s", root,
                 SLICE_ARG(effect->ns), resource, forms[effect->kind].is_collection ? "" : "/",
                 SLICE_ARG(forms[effect->kind].is_collection ? SLICE_EMPTY : effect->name),
                 forms[effect->kind].suffix,
                 forms[effect->kind].is_pod ? "" : "?fieldManager=" EVICTION_MANAGER);
        call->path = slice_of(path);
        if (call->method == API_PATCH)
                call->content_type = SLICE_LITERAL("application/merge-patch+json");
        return true;
}

static void unlink_call(struct open_call *call) {
        if (call->prev)
                call->prev->next = call->next;
        else
                call->role->calls = call->next;
        if (call->next)
                call->next->prev = call->prev;
}

static void note_outcome(struct evictions_role *role, const struct open_call *call,
                         const struct api_reply *reply) {
        if (call->kind == EVICTION_EVICT_POD || call->kind == EVICTION_DELETE_POD)
                write_audit(role, &(struct audit_record){ .op = SLICE_LITERAL("evict-answer"),
                                                          .http = reply->status,
                                                          .message = slice_of(reply->error.text) });
        if (reply->status >= 200 && reply->status < 300)
                return;
        LOG(LOG_DEBUG, "EffectFailed", log_text("effect", eviction_effect_name(call->kind)),
            log_i64("status", reply->status), log_text("error", reply->error.text));
}

static void on_done(void *context, const struct api_reply *reply) {
        struct open_call *call = context;
        struct evictions_role *role = call->role;
        struct json_doc *doc = NULL;
        struct eviction_effect_result result = { .id = call->id,
                                                 .retry_after_s = reply->retry_after_s };

        unlink_call(call);
        note_outcome(role, call, reply);
        if (reply->status < 200 || reply->status >= 300) {
                result.code = reply->error.code ? reply->error.code : BERTH_ERR_UNAVAILABLE;
                result.text = slice_of(reply->error.text);
        } else if (json_parse(reply->body, &doc, NULL) == 0) {
                result.object = json_doc_root(doc);
        }
        eviction_reconciler_result(role->reconciler, &result, now_of(role));
        json_doc_free(doc);
        free(call);
        step_soon(role);
}

static void send(struct evictions_role *role, const struct eviction_effect *effect) {
        struct api_call call = { .body = effect->body };
        char path[PATH_MAX_BYTES];
        struct open_call *open;

        if (!path_of(role, effect, &call, path))
                return;
        open = xcalloc(1, sizeof(*open));
        open->role = role;
        open->id = effect->id;
        open->kind = effect->kind;
        open->next = role->calls;
        if (open->next)
                open->next->prev = open;
        role->calls = open;
        open->request = transport_call(role->transport, &call, on_done, open);
}

/* A hook answered. */
static void on_answered(void *context, const struct eviction_effect_result *result) {
        struct evictions_role *role = context;

        write_audit(role, &(struct audit_record){ .op = SLICE_LITERAL("hook-answer"),
                                                  .http = result->http,
                                                  .message = result->text });
        eviction_reconciler_result(role->reconciler, result, now_of(role));
        step_soon(role);
}

void evictions_role_answer(struct evictions_role *role,
                           const struct eviction_effect_result *result) {
        if (role->reconciler)
                on_answered(role, result);
}

static void start_hook(struct evictions_role *role, const struct eviction_effect *effect) {
        if (role->config.start_hook)
                role->config.start_hook(role->config.context, effect);
        else
                hook_caller_start(role->hooks, effect);
}

static void stop_hook(struct evictions_role *role, uint64_t id) {
        if (role->config.stop_hook)
                role->config.stop_hook(role->config.context, id);
        else
                hook_caller_stop(role->hooks, id);
}

static void carry_out(struct evictions_role *role, const struct eviction_effect *effect) {
        switch (effect->kind) {
        case EVICTION_AUDIT:
                write_audit(role, &effect->audit);
                break;
        case EVICTION_HOOK:
                start_hook(role, effect);
                break;
        case EVICTION_STOP_HOOK:
                stop_hook(role, effect->id);
                break;
        default:
                send(role, effect);
        }
}

static void step(void *context) {
        struct evictions_role *role = context;
        struct mono_time due;

        eviction_reconciler_step(role->reconciler, now_of(role), &role->effects);
        for (size_t i = 0; i < role->effects.count; i++)
                carry_out(role, &role->effects.items[i]);
        eviction_effects_clear(&role->effects);
        if (eviction_reconciler_next_due(role->reconciler, &due))
                loop_timer_arm(role->loop, &role->step_timer, due.ns - loop_mono(role->loop).ns);
}

/* ---- who reconciles ---- */

static void set_controller(struct evictions_role *role, bool is_controller) {
        role->is_controller = is_controller;
        eviction_reconciler_set_controller(role->reconciler, is_controller);
        write_audit(role, &(struct audit_record){ .op = SLICE_LITERAL("takeover"),
                                                  .to = slice_of(mode_name(role)) });
        LOG(LOG_INFO, "TakeOver", log_text("mode", mode_name(role)));
        step_soon(role);
}

static void take_over(void *context) {
        struct evictions_role *role = context;

        if (!role->has_stepped_down && !role->is_controller)
                set_controller(role, true);
}

/* The status of a request is written by whoever reconciles. */
static bool has_foreign_manager(const struct json *object) {
        struct json_iter iter = json_iter(json_get(json_get(object, "metadata"), "managedFields"));
        const struct json *entry;

        while (json_next(&iter, NULL, &entry))
                if (slice_is(json_get_text(entry, "subresource"), "status") &&
                    !slice_is(json_get_text(entry, "manager"), EVICTION_MANAGER))
                        return true;
        return false;
}

/* Native objects: a request nobody looks at for a while makes us the controller; one that somebody
 * else looks at makes us step down, for good. */
static void judge_authority(struct evictions_role *role, const struct json *request) {
        if (!is_native(role) || role->config.mode != EVICTIONS_AUTO || role->has_stepped_down)
                return;
        if (has_foreign_manager(request)) {
                role->has_stepped_down = true;
                loop_timer_disarm(role->loop, &role->take_over_timer);
                if (role->is_controller)
                        set_controller(role, false);
        } else if (!role->is_controller && !loop_timer_is_armed(&role->take_over_timer)) {
                loop_timer_arm(role->loop, &role->take_over_timer, EVICTIONS_TAKE_OVER_NS);
        }
}

/* ---- watches ---- */

static void remove_object(struct evictions_role *role, enum followed followed,
                          const struct json *meta) {
        static void (*const removers[FOLLOWED_COUNT])(struct eviction_reconciler *, struct slice,
                                                      struct slice, struct slice) = {
                [FOLLOWED_REQUESTS] = eviction_reconciler_remove_request,
                [FOLLOWED_EVICTIONS] = eviction_reconciler_remove_eviction,
                [FOLLOWED_PODS] = eviction_reconciler_remove_pod,
                [FOLLOWED_POLICIES] = eviction_reconciler_remove_policy,
        };

        removers[followed](role->reconciler, json_get_text(meta, "namespace"),
                           json_get_text(meta, "name"), json_get_text(meta, "uid"));
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        static int (*const putters[FOLLOWED_COUNT])(struct eviction_reconciler *,
                                                    const struct json *, struct err *) = {
                [FOLLOWED_REQUESTS] = eviction_reconciler_put_request,
                [FOLLOWED_EVICTIONS] = eviction_reconciler_put_eviction,
                [FOLLOWED_PODS] = eviction_reconciler_put_pod,
                [FOLLOWED_POLICIES] = eviction_reconciler_put_policy,
        };
        struct feed_line *line = context;
        struct evictions_role *role = line->role;
        const struct json *meta = json_get(object, "metadata");
        struct err err = { 0 };

        if (change == REFLECTOR_DELETED) {
                remove_object(role, line->followed, meta);
        } else if (putters[line->followed](role->reconciler, object, &err) < 0) {
                role->skipped++;
                LOG(LOG_WARN, "ObjectSkipped", log_slice("name", json_get_text(meta, "name")),
                    log_text("error", err.text));
        } else if (line->followed == FOLLOWED_REQUESTS) {
                judge_authority(role, object);
        }
        step_soon(role);
}

/* Policies come last, and may not be served. */
static size_t followed_count(const struct evictions_role *role) {
        return role->has_policies ? FOLLOWED_COUNT : FOLLOWED_POLICIES;
}

static bool is_synced(const struct evictions_role *role) {
        for (size_t i = 0; i < followed_count(role); i++)
                if (!role->lines[i].reflector || !reflector_is_synced(role->lines[i].reflector))
                        return false;
        return true;
}

static void on_synced(void *context) {
        struct evictions_role *role = ((struct feed_line *)context)->role;

        if (!role->is_started && is_synced(role)) {
                role->is_started = true;
                LOG(LOG_INFO, "Ready", log_text("mode", mode_name(role)));
                step_soon(role);
        }
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        (void)context;
        LOG(LOG_WARN, "WatchFailed", log_text("error", err->text),
            log_i64("retry_ms", delay_ns / NS_PER_MS));
}

static void follow(struct evictions_role *role) {
        static const struct reflector_events events = { .changed = on_changed,
                                                        .synced = on_synced,
                                                        .failed = on_failed };
        static const char *const resources[] = {
                [FOLLOWED_REQUESTS] = "evictionrequests",
                [FOLLOWED_EVICTIONS] = "evictions",
                [FOLLOWED_POLICIES] = "evictionpolicies",
        };
        char path[PATH_MAX_BYTES];

        for (size_t i = 0; i < followed_count(role); i++) {
                if (i == FOLLOWED_PODS)
                        snprintf(path, sizeof(path), "/api/v1/pods");
                else
                        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/%s",
                                 i == FOLLOWED_POLICIES ? EVICTION_GROUP_OWN : role->group,
                                 resources[i]);
                role->lines[i] = (struct feed_line){ .role = role, .followed = (enum followed)i };
                role->lines[i].reflector =
                        reflector_new(&(struct reflector_config){ .path = path, .seed = i + 1 },
                                      role->transport, role->loop, &events, &role->lines[i]);
        }
}

/* ---- budgets and KubeVirt: worth knowing, not waited for ---- */

static void on_budget(void *context, enum reflector_change change, const struct json *object) {
        struct evictions_role *role = context;
        const struct json *meta = json_get(object, "metadata");

        if (change == REFLECTOR_DELETED)
                eviction_reconciler_remove_budget(role->reconciler,
                                                  json_get_text(meta, "namespace"),
                                                  json_get_text(meta, "name"));
        else
                eviction_reconciler_put_budget(role->reconciler, object);
        step_soon(role);
}

static void follow_budgets(struct evictions_role *role) {
        static const struct reflector_events events = { .changed = on_budget, .failed = on_failed };

        role->budgets = reflector_new(
                &(struct reflector_config){ .path = "/apis/policy/v1/poddisruptionbudgets",
                                            .seed = FOLLOWED_COUNT + 2 },
                role->transport, role->loop, &events, role);
}

static void on_migration(void *context, enum reflector_change change, const struct json *object) {
        struct evictions_role *role = context;

        if (change == REFLECTOR_DELETED)
                return;
        eviction_reconciler_put_migration(role->reconciler, object);
        step_soon(role);
}

/* Where KubeVirt is installed its migrations are told as progress. */
static void on_kubevirt(void *context, const struct api_reply *reply) {
        static const struct reflector_events events = { .changed = on_migration };
        struct evictions_role *role = context;

        role->discovery = NULL;
        if (reply->status != 200 ||
            !slice_contains(reply->body, SLICE_LITERAL("\"virtualmachineinstancemigrations\"")))
                return;
        role->migrations = reflector_new(
                &(struct reflector_config){
                        .path = "/apis/kubevirt.io/v1/virtualmachineinstancemigrations",
                        .seed = FOLLOWED_COUNT + 1 },
                role->transport, role->loop, &events, role);
}

/* ---- discovery ---- */

static void start(struct evictions_role *role, const char *group) {
        bool is_ours = strcmp(group, EVICTION_GROUP_OWN) == 0;

        role->group = group;
        role->is_controller = is_ours || role->config.mode == EVICTIONS_NATIVE_OWN;
        role->reconciler = eviction_reconciler_new(&(struct eviction_reconciler_config){
                .group = group,
                .is_controller = role->is_controller,
                .is_evictor = !role->config.has_no_evictor &&
                              role->config.mode != EVICTIONS_NATIVE_FOREIGN,
                .history = role->history,
                .leads_stages = true,
                .may_delete = role->config.may_delete });
        role->store = history_store_new(role->transport, role->loop, role->history);
        role->hooks = hook_caller_new(
                &(struct hook_caller_config){ .loop = role->loop,
                                              .transport = role->transport,
                                              .directory = role->config.hook_directory,
                                              .answered = on_answered,
                                              .context = role });
        follow(role);
        follow_budgets(role);
        role->discovery =
                transport_call(role->transport,
                               &(struct api_call){ .path = SLICE_LITERAL("/apis/kubevirt.io/v1") },
                               on_kubevirt, role);
}

static void discover_later(struct evictions_role *role, const char *what, const char *text) {
        LOG(LOG_WARN, "DiscoveryFailed", log_text("of", what), log_text("error", text));
        loop_timer_arm(role->loop, &role->discovery_timer, DISCOVERY_RETRY_NS);
}

static void ask_for(struct evictions_role *role, const char *group,
                    void (*done)(void *context, const struct api_reply *reply)) {
        char path[PATH_MAX_BYTES];

        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION, group);
        role->discovery = transport_call(role->transport,
                                         &(struct api_call){ .path = slice_of(path) }, done, role);
}

static void on_own(void *context, const struct api_reply *reply);

static void on_defined(void *context, const struct api_reply *reply) {
        struct evictions_role *role = context;

        role->discovery = NULL;
        if (reply->status != 201 && reply->status != 409) {
                if (role->is_native_served) { /* policies are not worth waiting for */
                        start(role, EVICTION_GROUP_NATIVE);
                        return;
                }
                discover_later(role, "definitions", reply->error.text);
                return;
        }
        role->definition++;
        ask_for(role, EVICTION_GROUP_OWN, on_own);
}

static void define(struct evictions_role *role) {
        const struct embedded_text *crd = &eviction_crds[role->definition];

        if (!crd->text) { /* all are there, and not served yet */
                loop_timer_arm(role->loop, &role->discovery_timer, DISCOVERY_RETRY_NS);
                return;
        }
        role->discovery = transport_call(
                role->transport,
                &(struct api_call){ .method = API_POST,
                                    .path = SLICE_LITERAL(CRD_PATH),
                                    .content_type = SLICE_LITERAL("application/yaml"),
                                    .body = slice_make(crd->text, crd->size) },
                on_defined, role);
}

/* A bit for each kind that is listed: requests, Evictions, policies. */
enum { KIND_REQUESTS = 1, KIND_EVICTIONS = 2, KIND_POLICIES = 4 };
static unsigned served_kinds(const struct api_reply *reply) {
        struct json_doc *doc = NULL;
        const struct json *item;
        struct json_iter iter;
        unsigned found = 0;

        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0)
                return 0;
        iter = json_iter(json_get(json_doc_root(doc), "resources"));
        while (json_next(&iter, NULL, &item)) {
                struct slice name = json_get_text(item, "name");

                found |= slice_is(name, "evictionrequests") ? KIND_REQUESTS : 0U;
                found |= slice_is(name, "evictions") ? KIND_EVICTIONS : 0U;
                found |= slice_is(name, "evictionpolicies") ? KIND_POLICIES : 0U;
        }
        json_doc_free(doc);
        return found;
}

static void on_own(void *context, const struct api_reply *reply) {
        struct evictions_role *role = context;
        const char *group = role->is_native_served ? EVICTION_GROUP_NATIVE : EVICTION_GROUP_OWN;
        unsigned found = served_kinds(reply);
        unsigned needed = role->is_native_served ? 0 : KIND_REQUESTS | KIND_EVICTIONS;
        bool has_needed = (found & needed) == needed;

        role->discovery = NULL;
        role->has_policies = (found & KIND_POLICIES) != 0;
        if (has_needed && (role->has_policies || role->config.keeps_definitions))
                start(role, group);
        else if (reply->status != 200 && reply->status != 404)
                discover_later(role, EVICTION_GROUP_OWN, reply->error.text);
        else if (role->config.keeps_definitions)
                discover_later(role, EVICTION_GROUP_OWN, "the definitions are not there");
        else
                define(role);
}

static void on_native(void *context, const struct api_reply *reply) {
        struct evictions_role *role = context;
        const unsigned needed = KIND_REQUESTS | KIND_EVICTIONS;

        role->discovery = NULL;
        role->is_native_served = (served_kinds(reply) & needed) == needed;
        if (role->is_native_served)
                role->definition = EVICTION_CRD_POLICIES;
        if (!role->is_native_served &&
            (role->config.mode != EVICTIONS_AUTO || (reply->status != 200 && reply->status != 404)))
                discover_later(role, EVICTION_GROUP_NATIVE, reply->error.text);
        else
                ask_for(role, EVICTION_GROUP_OWN, on_own);
}

static void discover(void *context) {
        struct evictions_role *role = context;

        role->definition = 0;
        role->is_native_served = false;
        if (role->config.mode == EVICTIONS_CRD)
                ask_for(role, EVICTION_GROUP_OWN, on_own);
        else
                ask_for(role, EVICTION_GROUP_NATIVE, on_native);
}

/* ---- role ---- */

static void on_model(void *self) {
        struct evictions_role *role = self;

        if (!role->group && !role->discovery && !loop_timer_is_armed(&role->discovery_timer))
                discover(role);
}

static void on_result(void *self, const struct action_result *result) {
        (void)self; /* the role submits no actions */
        (void)result;
}

static bool is_idle(const void *self) {
        const struct evictions_role *role = self;
        struct mono_time due;

        return role->is_started && !role->calls &&
               (!eviction_reconciler_next_due(role->reconciler, &due) ||
                due.ns > loop_mono(role->loop).ns);
}

static void free_role(void *self) {
        struct evictions_role *role = self;

        loop_timer_disarm(role->loop, &role->step_timer);
        loop_timer_disarm(role->loop, &role->discovery_timer);
        loop_timer_disarm(role->loop, &role->take_over_timer);
        if (role->discovery)
                transport_cancel(role->transport, role->discovery);
        for (size_t i = 0; i < FOLLOWED_COUNT; i++)
                reflector_free(role->lines[i].reflector);
        reflector_free(role->migrations);
        reflector_free(role->budgets);
        while (role->calls) {
                struct open_call *call = role->calls;

                transport_cancel(role->transport, call->request);
                unlink_call(call);
                free(call);
        }
        hook_caller_free(role->hooks);
        history_store_free(role->store);
        eviction_reconciler_free(role->reconciler);
        eviction_history_free(role->history);
        eviction_effects_release(&role->effects);
        free(role);
}

struct evictions_role *evictions_role_add(struct runtime *runtime,
                                          const struct evictions_role_config *config) {
        struct evictions_role *role = xcalloc(1, sizeof(*role));

        role->runtime = runtime;
        role->loop = runtime_loop(runtime);
        role->transport = runtime_transport(runtime);
        role->config = *config;
        role->chain = config->chain;
        role->history = eviction_history_new();
        role->step_timer = (struct loop_timer){ .fired = step, .context = role };
        role->discovery_timer = (struct loop_timer){ .fired = discover, .context = role };
        role->take_over_timer = (struct loop_timer){ .fired = take_over, .context = role };
        eviction_effects_init(&role->effects);
        runtime_add_role(runtime, &(struct role){ .name = "evictions",
                                                  .self = role,
                                                  .changed = on_model,
                                                  .result = on_result,
                                                  .is_idle = is_idle,
                                                  .free = free_role });
        return role;
}

void evictions_role_stats(const struct evictions_role *role,
                          struct evictions_role_stats *ret_stats) {
        *ret_stats = (struct evictions_role_stats){ .group = role->group,
                                                    .is_reconciling = role->is_controller,
                                                    .has_stepped_down = role->has_stepped_down,
                                                    .skipped = role->skipped };
        if (role->reconciler)
                eviction_reconciler_stats(role->reconciler, &ret_stats->reconciler);
}

void evictions_role_metrics(const struct evictions_role *role, struct buf *out) {
        struct evictions_role_stats stats;

        evictions_role_stats(role, &stats);
        buf_text(out, "# TYPE evictionrequest_controller_responder_state gauge\n");
        for (size_t i = 0; i < RESPONDER_STATE_COUNT; i++)
                buf_printf(out, "evictionrequest_controller_responder_state{state=\"%s\"} %zu\n",
                           responder_state_name((enum responder_state)i),
                           stats.reconciler.states[i]);
        buf_printf(out,
                   "# TYPE imperative_eviction_responder_controller_failed_evictions counter\n"
                   "imperative_eviction_responder_controller_failed_evictions %llu\n",
                   (unsigned long long)stats.reconciler.failures[EVICTION_EVICT_POD]);
        buf_text(out, "# TYPE berth_evictions_ended_total counter\n");
        for (size_t i = EVICTION_POD_DELETED; i < EVICTION_OUTCOME_COUNT; i++)
                buf_printf(out, "berth_evictions_ended_total{outcome=\"%s\"} %llu\n",
                           eviction_outcome_name((enum eviction_outcome)i),
                           (unsigned long long)stats.reconciler.outcomes[i]);
        buf_printf(out,
                   "# TYPE berth_eviction_targets gauge\nberth_eviction_targets %zu\n"
                   "# TYPE berth_evictions_interrupted_total counter\n"
                   "berth_evictions_interrupted_total %llu\n",
                   stats.reconciler.targets, (unsigned long long)stats.reconciler.interrupts);
}
