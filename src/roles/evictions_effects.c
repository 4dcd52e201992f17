/* The reconciler's effects as API calls and orders to hooks, and the way their outcomes take back.
 */
#include "base/log.h"
#include "base/util.h"
#include "roles/evictions_role_priv.h"
#include <stdio.h>
#include <stdlib.h>

#define VM_PATH "/apis/%s/namespaces/" SLICE_FMT "/virtualmachineinstances/" SLICE_FMT "%s"

/* Cancelling a migration is a call to another API group. */
static void vm_path_of(const struct eviction_effect *effect, struct api_call *call, char *path) {
        bool is_patch = effect->body.len > 0;

        snprintf(path, EVICTIONS_PATH_MAX, VM_PATH,
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
                [EVICTION_READ_POD] = { API_GET, "pods", "", true, false },
                [EVICTION_WITHDRAW] = { API_PATCH, "evictionrequests", "", false, false },
                [EVICTION_TIDY] = { API_DELETE, "evictionrequests", "", false, false },
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
        snprintf(path, EVICTIONS_PATH_MAX, "%s/namespaces/" SLICE_FMT "/%s%s" SLICE_FMT "%s%s",
                 root, SLICE_ARG(effect->ns), resource,
                 forms[effect->kind].is_collection ? "" : "/",
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

static void note_outcome(enum eviction_effect_kind kind, int http, struct slice text) {
        if (http < 200 || http >= 300)
                LOG(LOG_DEBUG, "EffectFailed", log_text("effect", eviction_effect_name(kind)),
                    log_i64("status", http), log_slice("error", text));
}

static void on_done(void *context, const struct api_reply *reply) {
        struct open_call *call = context;
        struct evictions_role *role = call->role;
        struct json_doc *doc = NULL;
        struct eviction_effect_result result = { .id = call->id,
                                                 .retry_after_s = reply->retry_after_s };

        unlink_call(call);
        note_outcome(call->kind, reply->status, slice_of(reply->error.text));
        if (reply->status < 200 || reply->status >= 300) {
                result.code = reply->error.code ? reply->error.code : BERTH_ERR_UNAVAILABLE;
                result.text = slice_of(reply->error.text);
        } else if (json_parse(reply->body, &doc, NULL) == 0) {
                result.object = json_doc_root(doc);
        }
        eviction_reconciler_result(role->reconciler, &result, evictions_now(role));
        json_doc_free(doc);
        free(call);
        evictions_step_soon(role);
}

static void evictions_effects_send(struct evictions_role *role,
                                   const struct eviction_effect *effect) {
        struct api_call call = { .body = effect->body };
        char path[EVICTIONS_PATH_MAX];
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

/* The pod's end is a call of the eviction service, as everyone's. */
static void end_pod(struct evictions_role *role, const struct eviction_effect *effect) {
        runtime_call_eviction(
                role->runtime, role->requester,
                &(struct evict_call){ .id = effect->id,
                                      .intent = { .pod = { SLICE_LITERAL("Pod"), effect->ns,
                                                           effect->name, effect->uid },
                                                  .requested_by = effect->requester,
                                                  .way = effect->kind == EVICTION_DELETE_POD
                                                                 ? EVICT_WAY_DELETE
                                                                 : EVICT_WAY_EVICT } });
}

/* What came of it. */
void evictions_effects_ended(struct evictions_role *role, const struct action_result *result) {
        if (role->older && result->id >= EVICTIONS_OLDER_IDS) {
                evictions_effects_ended(role->older, result);
                return;
        }
        if (!role->reconciler)
                return;
        evictions_write_audit(role, &(struct audit_record){ .op = SLICE_LITERAL("evict-answer"),
                                                            .http = result->http,
                                                            .message = result->text });
        note_outcome(EVICTION_EVICT_POD, result->http, result->text);
        eviction_reconciler_result(
                role->reconciler,
                &(struct eviction_effect_result){ .id = result->id,
                                                  .code = result->code,
                                                  .retry_after_s = result->retry_after_s,
                                                  .text = result->text },
                evictions_now(role));
        evictions_step_soon(role);
}

/* A hook answered. */
void evictions_on_answered(void *context, const struct eviction_effect_result *result) {
        struct evictions_role *role = context;

        evictions_write_audit(role, &(struct audit_record){ .op = SLICE_LITERAL("hook-answer"),
                                                            .http = result->http,
                                                            .message = result->text });
        eviction_reconciler_result(role->reconciler, result, evictions_now(role));
        evictions_step_soon(role);
}

void evictions_role_answer(struct evictions_role *role,
                           const struct eviction_effect_result *result) {
        if (role->older && result->id >= EVICTIONS_OLDER_IDS)
                evictions_on_answered(role->older, result);
        else if (role->reconciler)
                evictions_on_answered(role, result);
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

void evictions_carry_out(struct evictions_role *role, const struct eviction_effect *effect) {
        switch (effect->kind) {
        case EVICTION_AUDIT:
                evictions_write_audit(role, &effect->audit);
                evictions_tell_event(role, &effect->audit);
                break;
        case EVICTION_HOOK:
                start_hook(role, effect);
                break;
        case EVICTION_STOP_HOOK:
                stop_hook(role, effect->id);
                break;
        case EVICTION_EVICT_POD:
        case EVICTION_DELETE_POD:
                end_pod(role, effect);
                break;
        default:
                evictions_effects_send(role, effect);
        }
}

/* Lines go on, and so does what needs none. */
static bool needs_record(const struct eviction_effect *effect) {
        return effect->kind != EVICTION_AUDIT && effect->kind != EVICTION_STOP_HOOK;
}

/* The cluster may be another one by now: the reconciler decides again. */
static void refuse_effect(struct evictions_role *role, const struct eviction_effect *effect) {
        const struct slice text = SLICE_LITERAL("the audit log could not be written in time");

        evictions_write_audit(role, &(struct audit_record){
                                            .op = SLICE_LITERAL("not-done"),
                                            .ns = effect->ns,
                                            .reason = slice_of(eviction_effect_name(effect->kind)),
                                            .message = text });
        eviction_reconciler_result(role->reconciler,
                                   &(struct eviction_effect_result){ .id = effect->id,
                                                                     .code = BERTH_ERR_UNAVAILABLE,
                                                                     .retry_after_s = -1,
                                                                     .text = text },
                                   evictions_now(role));
}

bool evictions_carry_out_all(struct evictions_role *role) {
        int64_t now_ns = loop_mono(role->loop).ns;
        bool is_late = role->held_since.ns && now_ns - role->held_since.ns > EVICTIONS_HOLD_NS;
        bool was_recorded = evictions_is_recorded(role);

        for (; role->carried_out < role->effects.count; role->carried_out++) {
                const struct eviction_effect *effect = &role->effects.items[role->carried_out];

                if (!needs_record(effect)) {
                        evictions_carry_out(role, effect);
                } else if (is_late && was_recorded) {
                        refuse_effect(role, effect);
                } else if (evictions_is_recorded(role)) {
                        evictions_carry_out(role, effect);
                } else {
                        if (!role->held_since.ns)
                                role->held_since.ns = now_ns;
                        return false;
                }
        }
        eviction_effects_clear(&role->effects);
        role->carried_out = 0;
        role->held_since.ns = 0;
        return true;
}

void evictions_drop_calls(struct evictions_role *role) {
        if (!role->newer) /* with which the older part shares it */
                evict_requester_drop_calls(role->requester);
        while (role->calls) {
                struct open_call *call = role->calls;

                transport_cancel(role->transport, call->request);
                unlink_call(call);
                free(call);
        }
}
