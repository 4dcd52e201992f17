/* Writes bind, status, evict, delete and patch requests. */
#include "loop/action_request.h"

#include "base/buf.h"
#include "base/util.h"
#include "evict/eviction_reconciler.h"
#include <assert.h>

#define BIND_BYTES_USUAL 250

static struct slice action_request_keep(struct arena *arena, struct buf *text) {
        struct slice copy = arena_slice(arena, buf_view(text));

        buf_release(text);
        return copy;
}

static struct slice pod_path(const struct action *action, struct arena *arena,
                             const char *subresource) {
        const struct slice parts[] = { SLICE_LITERAL("/api/v1/namespaces/"), action->target.ns,
                                       SLICE_LITERAL("/pods/"), action->target.name,
                                       slice_of(subresource) };

        return arena_join(arena, ARRAY_LEN(parts), parts);
}

static void action_request_member(struct buf *out, const char *name, struct slice value) {
        buf_json_key(out, name);
        buf_json_string(out, value);
}

/* "metadata":{name, namespace, uid} */
static void action_request_metadata(struct buf *out, const struct object_ref *target,
                                    bool with_uid) {
        buf_text(out, "\"metadata\":{");
        action_request_member(out, "name", target->name);
        buf_char(out, ',');
        action_request_member(out, "namespace", target->ns);
        if (with_uid && target->uid.len) {
                buf_char(out, ',');
                action_request_member(out, "uid", target->uid);
        }
}

static void make_bind(const struct action *action, struct arena *arena,
                      struct action_request *request) {
        struct buf body = { 0 };

        buf_reserve(&body, BIND_BYTES_USUAL);
        buf_text(&body, "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",");
        action_request_metadata(&body, &action->target, true);
        buf_text(&body, "},\"target\":{\"apiVersion\":\"v1\",\"kind\":\"Node\",");
        action_request_member(&body, "name", action->bind.node);
        buf_text(&body, "}}");
        request->method = API_POST;
        request->path = pod_path(action, arena, "/binding");
        request->body = action_request_keep(arena, &body);
}

/* One condition of a pod; the caller closes it with reason and message. */
static void action_request_condition(struct buf *out, const char *type, const char *value,
                                     const struct pod_status_action *status) {
        char changed[WALL_TIME_TEXT_MAX];

        wall_time_format(status->changed, changed);
        buf_printf(out,
                   "{\"type\":\"%s\",\"status\":\"%s\",\"observedGeneration\":%lld,"
                   "\"lastTransitionTime\":\"%s\",",
                   type, value, (long long)status->observed_generation, changed);
}

static void action_request_conditions(struct buf *out, const struct pod_status_action *status) {
        buf_text(out, "\"conditions\":[");
        if (status->sets_condition) {
                action_request_condition(out, "PodScheduled", "False", status);
                action_request_member(out, "reason", status->reason);
                buf_char(out, ',');
                action_request_member(out, "message", status->message);
                buf_text(out, status->disruption.len ? "}," : "}");
        }
        if (status->disruption.len) {
                action_request_condition(out, "DisruptionTarget", "True", status);
                buf_text(out, "\"reason\":\"PreemptionByScheduler\",");
                action_request_member(out, "message", status->disruption);
                buf_char(out, '}');
        }
        buf_char(out, ']');
}

/* Conditions and nomination in one strategic merge patch: the condition list merges by type. */
static void make_status(const struct action *action, struct arena *arena,
                        struct action_request *request) {
        const struct pod_status_action *status = &action->status;
        bool has_conditions = status->sets_condition || status->disruption.len;
        struct buf body = { 0 };

        buf_text(&body, "{");
        if (action->target.uid.len) { /* never onto another pod of the name */
                buf_text(&body, "\"metadata\":{");
                action_request_member(&body, "uid", action->target.uid);
                buf_text(&body, "},");
        }
        buf_text(&body, "\"status\":{");
        if (has_conditions)
                action_request_conditions(&body, status);
        if (status->sets_nomination) {
                buf_text(&body, has_conditions ? "," : "");
                if (status->nomination.len)
                        action_request_member(&body, "nominatedNodeName", status->nomination);
                else
                        buf_text(&body, "\"nominatedNodeName\":null");
        }
        buf_text(&body, "}}");
        request->method = API_PATCH;
        request->path = pod_path(action, arena, "/status");
        request->content_type = SLICE_LITERAL("application/strategic-merge-patch+json");
        request->body = action_request_keep(arena, &body);
}

static void delete_options(struct buf *out, const struct object_ref *target, bool has_grace,
                           int64_t grace_s) {
        bool has_member = false;

        buf_char(out, '{');
        if (has_grace) {
                buf_printf(out, "\"gracePeriodSeconds\":%lld", (long long)grace_s);
                has_member = true;
        }
        if (target->uid.len) {
                buf_printf(out, "%s\"preconditions\":{", has_member ? "," : "");
                action_request_member(out, "uid", target->uid);
                buf_char(out, '}');
        }
        buf_char(out, '}');
}

static void make_evict(const struct action *action, struct arena *arena,
                       struct action_request *request) {
        const struct evict_action *evict = &action->evict;
        struct buf body = { 0 }, why = { 0 };

        if (evict->profile.len || evict->plugin.len)
                buf_printf(&why, "triggered by " SLICE_FMT "/" SLICE_FMT ": " SLICE_FMT,
                           SLICE_ARG(evict->profile), SLICE_ARG(evict->plugin),
                           SLICE_ARG(evict->reason));
        buf_text(&body, "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",");
        action_request_metadata(&body, &action->target, false);
        buf_text(&body, ",\"annotations\":{");
        if (why.len) {
                action_request_member(&body, "reason", buf_view(&why));
                buf_char(&body, ',');
        }
        action_request_member(&body, "requested-by", evict->requested_by);
        if (evict->is_finished)
                buf_text(&body, ",\"" FINISHED_POD_KEY "\":\"true\"");
        buf_text(&body, "}},\"deleteOptions\":");
        delete_options(&body, &action->target, evict->has_grace, evict->grace_s);
        buf_char(&body, '}');
        buf_release(&why);
        request->method = API_POST;
        request->path = pod_path(action, arena, "/eviction");
        request->body = action_request_keep(arena, &body);
}

static void make_delete(const struct action *action, struct arena *arena,
                        struct action_request *request) {
        struct buf body = { 0 };

        delete_options(&body, &action->target, action->remove.has_grace, action->remove.grace_s);
        request->method = API_DELETE;
        request->path = pod_path(action, arena, "");
        request->body = action_request_keep(arena, &body);
}

static struct slice request_path(const struct action *action, struct arena *arena,
                                 struct slice name) {
        return slice_of(arena_printf(arena,
                                     "/apis/%s/" EVICTION_VERSION "/namespaces/" SLICE_FMT
                                     "/evictionrequests%s" SLICE_FMT,
                                     action->request.group, SLICE_ARG(action->target.ns),
                                     name.len ? "/" : "", SLICE_ARG(name)));
}

static void make_create_request(const struct action *action, struct arena *arena,
                                struct action_request *request) {
        const struct request_action *wanted = &action->request;
        struct buf body = { 0 };
        char deadline[WALL_TIME_TEXT_MAX];

        buf_printf(&body,
                   "{\"apiVersion\":\"%s/" EVICTION_VERSION
                   "\",\"kind\":\"EvictionRequest\",\"metadata\":{",
                   wanted->group);
        action_request_member(&body, "name", action->target.name);
        buf_text(&body, ",\"labels\":{");
        action_request_member(&body, EVICTION_REQUESTER_LABEL, wanted->label);
        buf_text(&body, "},\"annotations\":{");
        if (wall_time_is_set(wanted->deadline)) {
                wall_time_format(wanted->deadline, deadline);
                action_request_member(&body, EVICTION_DEADLINE_KEY, slice_of(deadline));
        }
        buf_text(&body, "}},\"spec\":{\"target\":{\"pod\":{");
        action_request_member(&body, "name", wanted->pod.name);
        buf_char(&body, ',');
        action_request_member(&body, "uid", wanted->pod.uid);
        buf_text(&body, "}},");
        action_request_member(&body, "requester", wanted->requester);
        buf_text(&body, ",\"intent\":\"Eviction\"}}");
        request->method = API_POST;
        request->path = request_path(action, arena, SLICE_EMPTY);
        request->body = action_request_keep(arena, &body);
}

static void make_withdraw_request(const struct action *action, struct arena *arena,
                                  struct action_request *request) {
        request->method = API_DELETE;
        request->path = request_path(action, arena, action->target.name);
}

/* All labels, taints, annotations and the cordon in one conditional merge patch. */
static void make_node_patch(const struct action *action, struct arena *arena,
                            struct action_request *request) {
        request->method = API_PATCH;
        request->path = slice_of(
                arena_printf(arena, "/api/v1/nodes/" SLICE_FMT, SLICE_ARG(action->target.name)));
        request->content_type = SLICE_LITERAL("application/merge-patch+json");
        request->body = arena_slice(arena, action->patch.body);
}

/* Where whole objects are put back; patches go where others write as well. */
static const struct put_target {
        const char *kind, *prefix, *resource, *part;
        bool is_patch;
} put_targets[] = {
        { "DaemonSet", "/apis/apps/v1", "daemonsets", "" },
        { "Lease", "/apis/coordination.k8s.io/v1", "leases", "" },
        { "PersistentVolume", "/api/v1", "persistentvolumes", "" },
        { "PersistentVolumeClaim", "/api/v1", "persistentvolumeclaims", "" },
        { "PodGroup", "/apis/scheduling.k8s.io/v1alpha2", "podgroups", "/status", true },
        { "ResourceClaim", "/apis/resource.k8s.io/v1", "resourceclaims", "/status", true },
        { "Pod", "/api/v1", "pods", "/status", true },
};

static const struct put_target *put_target_of(struct slice kind) {
        for (size_t i = 0; i < ARRAY_LEN(put_targets); i++)
                if (slice_is(kind, put_targets[i].kind))
                        return &put_targets[i];
        assert(false); /* no role asks for another kind */
        return NULL;
}

static struct slice target_path(const struct object_ref *target, struct arena *arena,
                                struct slice name, const char *part) {
        const struct put_target *kind = put_target_of(target->kind);
        const char *scope = "";

        if (!slice_is_empty(target->ns))
                scope = arena_printf(arena, "/namespaces/" SLICE_FMT, SLICE_ARG(target->ns));
        return slice_of(arena_printf(arena, "%s%s/%s%s" SLICE_FMT "%s", kind->prefix, scope,
                                     kind->resource, name.len ? "/" : "", SLICE_ARG(name), part));
}

/* A PUT, since the Role that kured is installed with allows nothing else. */
static void make_object_patch(const struct action *action, struct arena *arena,
                              struct action_request *request) {
        const struct object_ref *target = &action->target;
        const struct put_target *kind = put_target_of(target->kind);

        request->body = arena_slice(arena, action->patch.body);
        request->method = API_PATCH;
        switch (action->patch.verb) {
        case PATCH_STANDARD:
                request->method = kind->is_patch ? API_PATCH : API_PUT;
                if (kind->is_patch)
                        request->content_type = SLICE_LITERAL("application/merge-patch+json");
                request->path = target_path(target, arena, target->name, kind->part);
                return;
        case PATCH_CREATE:
                request->method = API_POST;
                request->path = target_path(target, arena, SLICE_EMPTY, "");
                return;
        case PATCH_OBJECT:
        case PATCH_STATUS:
                request->content_type = SLICE_LITERAL("application/strategic-merge-patch+json");
                request->path = target_path(target, arena, target->name,
                                            action->patch.verb == PATCH_STATUS ? "/status" : "");
                return;
        }
}

static void make_object_delete(const struct action *action, struct arena *arena,
                               struct action_request *request) {
        struct buf body = { 0 };

        delete_options(&body, &action->target, false, 0);
        request->method = API_DELETE;
        request->path = target_path(&action->target, arena, action->target.name, "");
        request->body = action_request_keep(arena, &body);
}

bool action_is_request(enum action_kind kind) {
        switch (kind) {
        case ACTION_BIND:
        case ACTION_POD_STATUS:
        case ACTION_EVICT:
        case ACTION_DELETE_POD:
        case ACTION_CREATE_REQUEST:
        case ACTION_WITHDRAW_REQUEST:
        case ACTION_PATCH_NODE:
        case ACTION_PATCH_OBJECT:
        case ACTION_DELETE_OBJECT:
                return true;
        case ACTION_CHECK_BIND:  /* bind_check */
        case ACTION_PREEMPT_POD: /* the eviction service makes it a deletion */
        case ACTION_RECORD_EVENT:
        case ACTION_REBOOT:
        case ACTION_NOTIFY:
        case ACTION_ASK_EXTENDER:
        case ACTION_KIND_COUNT:
                break;
        }
        return false;
}

void action_request_make(const struct action *action, struct arena *arena,
                         struct action_request *ret_request) {
        *ret_request = (struct action_request){ 0 };
        switch (action->kind) {
        case ACTION_BIND:
                make_bind(action, arena, ret_request);
                return;
        case ACTION_POD_STATUS:
                make_status(action, arena, ret_request);
                return;
        case ACTION_EVICT:
                make_evict(action, arena, ret_request);
                return;
        case ACTION_DELETE_POD:
                make_delete(action, arena, ret_request);
                return;
        case ACTION_CREATE_REQUEST:
                make_create_request(action, arena, ret_request);
                return;
        case ACTION_WITHDRAW_REQUEST:
                make_withdraw_request(action, arena, ret_request);
                return;
        case ACTION_PATCH_NODE:
                make_node_patch(action, arena, ret_request);
                return;
        case ACTION_PATCH_OBJECT:
                make_object_patch(action, arena, ret_request);
                return;
        case ACTION_DELETE_OBJECT:
                make_object_delete(action, arena, ret_request);
                return;
        case ACTION_CHECK_BIND:  /* bind_check */
        case ACTION_PREEMPT_POD: /* the eviction service makes it a deletion */
        case ACTION_RECORD_EVENT:
        case ACTION_REBOOT:
        case ACTION_NOTIFY:
        case ACTION_ASK_EXTENDER:
        case ACTION_KIND_COUNT:
                break;
        }
        assert(false); /* see action_is_request */
}
