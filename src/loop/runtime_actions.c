/* Actions of the roles on their way to the API server, and their results on the way back. */
#include "base/log.h"
#include "base/util.h"
#include "client/write_queue.h"
#include "loop/action_request.h"
#include "loop/bind_check.h"
#include "loop/runtime_evictions.h"
#include "loop/runtime_priv.h"
#include <stdlib.h>
#include <string.h>

/* An action under way, with copies of what its outcome must name. */
struct runtime_open_action {
        struct runtime *runtime;
        struct runtime_open_action *next, *prev; /* of the runtime */
        void *self;                              /* the role */
        uint64_t id;
        enum action_kind kind;
        struct mono_time since;
        char *node;               /* of a bind or its check; owned */
        struct bind_check *check; /* NULL unless the pod is asked for */
        struct err *doubt;        /* then what the answer said; many wait, few are in doubt */
        size_t kind_len, ns_len, name_len, uid_len;
        char text[]; /* kind, ns, name, uid */
};

static void free_open(struct runtime_open_action *open) {
        bind_check_free(open->check);
        free(open->doubt);
        free(open->node);
        free(open);
}

static void link_open(struct runtime_open_action *open) {
        struct runtime *runtime = open->runtime;

        open->next = runtime->open_first;
        if (open->next)
                open->next->prev = open;
        runtime->open_first = open;
        runtime->open++;
        runtime->open_kinds[open->kind]++;
        open->since = loop_mono(runtime->loop);
        if (open->kind == ACTION_BIND && runtime->open_binds++ == 0)
                runtime->burst_start = loop_mono(runtime->loop);
}

static void unlink_open(struct runtime_open_action *open) {
        struct runtime *runtime = open->runtime;

        if (open->prev)
                open->prev->next = open->next;
        else
                runtime->open_first = open->next;
        if (open->next)
                open->next->prev = open->prev;
        runtime->open--;
        runtime->open_kinds[open->kind]--;
        if (open->kind == ACTION_BIND && --runtime->open_binds == 0)
                runtime->placing_ns += loop_mono(runtime->loop).ns - runtime->burst_start.ns;
}

void runtime_free_actions(struct runtime *runtime) {
        while (runtime->open_first) {
                struct runtime_open_action *open = runtime->open_first;

                unlink_open(open);
                free_open(open);
        }
}

static struct runtime_open_action *open_action_new(struct runtime *runtime, void *self,
                                                   const struct action *action) {
        const struct object_ref *target = &action->target;
        const struct slice parts[] = { target->kind, target->ns, target->name, target->uid };
        bool names_node = action->kind == ACTION_BIND || action->kind == ACTION_CHECK_BIND;
        size_t size = parts[0].len + parts[1].len + parts[2].len + parts[3].len;
        struct runtime_open_action *open = xmalloc(sizeof(*open) + size + 1);
        char *at = open->text;

        *open = (struct runtime_open_action){ .runtime = runtime,
                                              .self = self,
                                              .id = action->id,
                                              .kind = action->kind,
                                              .node = names_node ? slice_dup(action->bind.node)
                                                                 : NULL,
                                              .kind_len = parts[0].len,
                                              .ns_len = parts[1].len,
                                              .name_len = parts[2].len,
                                              .uid_len = parts[3].len };
        for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
                if (parts[i].len)
                        memcpy(at, parts[i].ptr, parts[i].len);
                at += parts[i].len;
        }
        return open;
}

static struct object_ref open_action_target(const struct runtime_open_action *open) {
        const char *at = open->text;
        struct object_ref target;

        target.kind = slice_make(at, open->kind_len);
        at += open->kind_len;
        target.ns = slice_make(at, open->ns_len);
        at += open->ns_len;
        target.name = slice_make(at, open->name_len);
        at += open->name_len;
        target.uid = slice_make(at, open->uid_len);
        return target;
}

static void read_outcome(const struct write_result *write, struct action_result *result) {
        result->retry_after_s = -1;
        if (write->reply)
                result->http = write->reply->status;
        switch (write->outcome) {
        case WRITE_ANSWERED:
        case WRITE_LOST:
                if (write->reply->status >= 200 && write->reply->status < 300) {
                        if (result->kind == ACTION_PATCH_OBJECT)
                                result->body = write->reply->body;
                        return;
                }
                result->code =
                        write->reply->error.code ? write->reply->error.code : BERTH_ERR_UNAVAILABLE;
                result->text = slice_of(write->reply->error.text);
                result->retry_after_s = write->reply->retry_after_s;
                return;
        case WRITE_NO_OP:
                return;
        case WRITE_SUPERSEDED: /* the write in its place has the pod's new state */
                return;
        case WRITE_REFUSED:
                result->code = BERTH_ERR_TOO_MANY;
                result->text = SLICE_LITERAL("too many writes are waiting");
                return;
        }
}

static void runtime_report(struct runtime_open_action *open, const struct action_result *result) {
        struct runtime *runtime = open->runtime;

        unlink_open(open);
        if (result->code != BERTH_OK)
                runtime->failed[open->kind]++;
        if (open->self == runtime->evictions)
                runtime_evictions_result(runtime->evictions, result);
        for (size_t i = 0; i < runtime->role_count; i++)
                if (runtime->roles[i].self == open->self)
                        runtime->roles[i].result(open->self, result);
        free_open(open);
}

static struct action_result result_of(const struct runtime_open_action *open) {
        return (struct action_result){ .id = open->id,
                                       .kind = open->kind,
                                       .target = open_action_target(open),
                                       .took_ns =
                                               loop_mono(open->runtime->loop).ns - open->since.ns,
                                       .retry_after_s = -1 };
}

static void on_checked(void *context, enum bind_state state) {
        struct runtime_open_action *open = context;
        struct action_result result = result_of(open);

        open->check = NULL;
        if (state != BIND_DONE) {
                result.code = open->doubt->code;
                result.text = slice_of(open->doubt->text);
        }
        runtime_report(open, &result);
}

static void runtime_check_bind(struct runtime_open_action *open,
                               void (*done)(void *context, enum bind_state state)) {
        const struct object_ref target = open_action_target(open);

        open->check =
                bind_check_new(&(struct bind_check_config){ .transport = &open->runtime->transport,
                                                            .loop = open->runtime->loop,
                                                            .pod = &target,
                                                            .node = slice_of(open->node) },
                               done, open);
}

/* A bind that was answered well and that the watch did not show. */
static void on_bind_checked(void *context, enum bind_state state) {
        static const struct {
                int code;
                const char *text;
        } findings[] = {
                [BIND_DONE] = { BERTH_OK, "bound; the watch did not say so" },
                [BIND_NOT_DONE] = { BERTH_ERR_CONFLICT, "not bound" },
                [BIND_POD_GONE] = { BERTH_ERR_NOT_FOUND, "gone" },
                [BIND_UNKNOWN] = { BERTH_ERR_UNAVAILABLE, "nobody answers" },
        };
        struct runtime_open_action *open = context;
        struct action_result result = result_of(open);

        open->check = NULL;
        result.code = findings[state].code;
        if (result.code != BERTH_OK)
                result.text = slice_of(findings[state].text);
        LOG(LOG_WARN, "BindingNotSeen", log_slice("namespace", result.target.ns),
            log_slice("pod", result.target.name), log_text("node", open->node),
            log_text("found", findings[state].text));
        runtime_report(open, &result);
}

/* Whether the answer to a bind leaves its outcome open: then the pod itself is asked. */
static bool runtime_doubts(struct runtime_open_action *open, const struct write_result *write,
                           const struct action_result *result) {
        if (open->kind != ACTION_BIND || result->code == BERTH_OK || !write->reply ||
            !bind_check_is_needed(write->reply->status))
                return false;
        open->doubt = xcalloc(1, sizeof(*open->doubt));
        err_set(open->doubt, result->code, SLICE_FMT, SLICE_ARG(result->text));
        runtime_check_bind(open, on_checked);
        return true;
}

static void on_written(void *context, const struct write_result *write) {
        struct runtime_open_action *open = context;
        struct action_result result = result_of(open);

        read_outcome(write, &result);
        if (!runtime_doubts(open, write, &result))
                runtime_report(open, &result);
}

static bool is_decided_again(const struct action *action) {
        return (action->kind == ACTION_EVICT && action->evict.is_once) ||
               (action->kind == ACTION_DELETE_POD && action->remove.is_once);
}

/* Patches that only add, and creations under a name of our own. */
static bool is_good_twice(const struct action *action) {
        return action->kind == ACTION_POD_STATUS ||
               (action->kind == ACTION_PATCH_OBJECT && action->patch.verb != PATCH_STANDARD);
}

/* Claims of devices have parameters that may not change. */
static bool keeps_bytes(const struct action *action) {
        return action->kind == ACTION_PATCH_OBJECT &&
               (action->patch.verb == PATCH_OBJECT || action->patch.verb == PATCH_STATUS);
}

static void runtime_send(struct runtime *runtime, void *self, const struct action *action) {
        struct action_request request;
        struct runtime_open_action *open = open_action_new(runtime, self, action);

        action_request_make(action, &runtime->scratch, &request);
        link_open(open);
        write_queue_add(runtime->writes,
                        &(struct write_request){
                                .lane = action->kind == ACTION_BIND ? WRITE_BIND : WRITE_STATUS,
                                .is_patient = action->kind == ACTION_BIND,
                                .comes_back = action->kind == ACTION_BIND,
                                .kind = action->target.kind,
                                .namespace_name = action->target.ns,
                                .name = action->target.name,
                                .uid = action->target.uid,
                                .method = request.method,
                                .path = request.path,
                                .content_type = request.content_type,
                                .body = request.body,
                                .is_repeatable = is_good_twice(action),
                                .is_once = is_decided_again(action),
                                .keeps_bytes = keeps_bytes(action),
                                .reports_busy = action->kind == ACTION_EVICT ||
                                                action->kind == ACTION_CREATE_REQUEST,
                                .done = on_written,
                                .context = open });
}

/* A preempted pod goes through the eviction service, as all pods do. */
static void runtime_preempt(struct runtime *runtime, void *self, const struct action *action) {
        const struct evict_call call = {
                .id = action->id,
                .intent = { .pod = action->target,
                            .node = action->preempt.node,
                            .plugin = SLICE_LITERAL("DefaultPreemption"),
                            .profile = action->preempt.by,
                            .requested_by = action->preempt.by,
                            .way = EVICT_WAY_PREEMPT },
        };

        for (size_t i = 0; i < runtime->role_count; i++)
                if (runtime->roles[i].self == self && runtime->roles[i].preempts)
                        runtime_evictions_call(runtime->evictions, runtime->roles[i].preempts,
                                               &call);
}

static void runtime_ask_for(struct runtime *runtime, void *self, const struct action *action) {
        struct runtime_open_action *open = open_action_new(runtime, self, action);

        link_open(open);
        runtime_check_bind(open, on_bind_checked);
}

void runtime_submit(struct runtime *runtime, void *self, const struct action_list *actions) {
        for (size_t i = 0; i < actions->count; i++) {
                const struct action *action = &actions->items[i];

                runtime->sent[action->kind]++;
                if (action->kind == ACTION_RECORD_EVENT)
                        runtime_record_event(runtime, action);
                else if (action->kind == ACTION_PREEMPT_POD)
                        runtime_preempt(runtime, self, action);
                else if (action->kind == ACTION_CHECK_BIND)
                        runtime_ask_for(runtime, self, action);
                else if (action_is_request(action->kind))
                        runtime_send(runtime, self, action);
        }
        arena_clear(&runtime->scratch);
}
