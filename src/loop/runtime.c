/* Shared loop, watches, model and writes of the roles of one process. */
#include "loop/runtime.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/util.h"
#include "client/event_recorder.h"
#include "client/write_queue.h"
#include "loop/action_request.h"
#include "loop/bind_check.h"
#include "loop/cluster_feed.h"
#include "loop/runtime_evictions.h"
#include "loop/watch_set.h"
#include "model/cluster.h"
#include "model/object_cache.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNTIME_WRITES_DEFAULT 64
#define DRAIN_POLL_NS (20 * NS_PER_MS)

struct runtime_open_action;

struct runtime {
        struct loop *loop;
        struct transport transport;
        struct watch_set *watches;
        struct cluster *cluster;
        struct object_cache *object_cache;
        struct cluster_feed *feed;
        struct write_queue *writes;
        struct runtime_evictions *evictions;
        struct recorder_slot {
                char controller[128];
                struct event_recorder *recorder;
        } recorders[RUNTIME_ROLES_MAX]; /* one per reporting controller */
        size_t recorder_count;
        struct runtime_config config;
        struct role roles[RUNTIME_ROLES_MAX];
        bool is_held[RUNTIME_ROLES_MAX]; /* not called yet */
        size_t role_count;
        struct arena scratch;
        struct mono_time burst_start; /* since when bindings are open */
        size_t open_binds;
        int64_t placing_ns; /* of the bursts that are over */
        uint64_t sent[ACTION_KIND_COUNT], failed[ACTION_KIND_COUNT];
        size_t open, open_kinds[ACTION_KIND_COUNT];
        struct runtime_open_action *open_first;
        /* While draining. */
        struct loop_timer drain_timer, ready_timer;
        struct mono_time drain_until;
        void (*drained)(void *context);
        void *drain_context;
};

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

static void on_model_changed(void *context, uint32_t woken) {
        struct runtime *runtime = context;

        runtime_evictions_observe(runtime->evictions);
        for (size_t i = 0; i < runtime->role_count; i++) {
                const struct role *role = &runtime->roles[i];

                if (runtime->is_held[i])
                        continue;
                if (woken && role->noticed)
                        role->noticed(role->self, woken);
                role->changed(role->self);
        }
}

static void on_arriving(void *context, enum object_kind kind, enum change_kind change,
                        const struct json *object) {
        struct runtime *runtime = context;

        for (size_t i = 0; i < runtime->role_count; i++)
                if (runtime->roles[i].arriving && !runtime->is_held[i])
                        runtime->roles[i].arriving(runtime->roles[i].self, kind, change, object);
}

static void on_arrived(void *context, enum object_kind kind, enum change_kind change,
                       const struct json *object) {
        struct runtime *runtime = context;

        for (size_t i = 0; i < runtime->role_count; i++)
                if (runtime->roles[i].arrived && !runtime->is_held[i])
                        runtime->roles[i].arrived(runtime->roles[i].self, kind, change, object);
}

static void submit_evictions(void *context, const struct action_list *actions) {
        struct runtime *runtime = context;

        runtime_submit(runtime, runtime->evictions, actions);
}

static void on_answered(void *context, void *owner, const struct action_result *result) {
        struct runtime *runtime = context;

        for (size_t i = 0; i < runtime->role_count; i++)
                if (runtime->roles[i].self == owner)
                        runtime->roles[i].result(owner, result);
}

static void on_ended(void *context, const struct evict_note *note) {
        struct runtime *runtime = context;

        for (size_t i = 0; i < runtime->role_count; i++)
                if (runtime->roles[i].ended)
                        runtime->roles[i].ended(runtime->roles[i].self, note);
}

void runtime_call_eviction(struct runtime *runtime, struct evict_requester *requester,
                           const struct evict_call *call) {
        runtime_evictions_call(runtime->evictions, requester, call);
}

static void on_served(void *context) {
        struct runtime *runtime = context;

        for (size_t i = 0; i < runtime->role_count; i++)
                if (runtime->roles[i].evicted)
                        runtime->roles[i].evicted(runtime->roles[i].self);
}

struct evict_service *runtime_evictions(struct runtime *runtime) {
        return runtime_evictions_service(runtime->evictions);
}

void runtime_serve_evictions(struct runtime *runtime) {
        runtime_evictions_serve(runtime->evictions);
}

struct runtime *runtime_new(const struct runtime_config *config) {
        struct runtime *runtime = xcalloc(1, sizeof(*runtime));
        struct evict_config evictions = config->evictions;

        runtime->config = *config;
        runtime->loop = config->loop;
        runtime->transport = config->transport;
        runtime->watches = watch_set_new(&runtime->transport, runtime->loop);
        runtime->cluster =
                cluster_new(&(struct cluster_config){ .keeps_finished = config->keeps_finished,
                                                      .keeps_detail = config->keeps_detail,
                                                      .keeps_evictions = config->keeps_evictions });
        if (config->keeps_object_cache)
                runtime->object_cache = object_cache_new();
        runtime->writes = write_queue_new(
                &(struct write_queue_config){ .concurrency = config->max_writes
                                                                     ? config->max_writes
                                                                     : RUNTIME_WRITES_DEFAULT,
                                              .seed = config->seed },
                &runtime->transport, runtime->loop);
        evictions.cluster = config->has_no_model ? NULL : runtime->cluster;
        runtime->evictions = runtime_evictions_new(
                &(struct runtime_evictions_config){ .loop = config->loop,
                                                    .transport = &runtime->transport,
                                                    .watches = runtime->watches,
                                                    .service = evictions,
                                                    .submit = submit_evictions,
                                                    .answered = on_answered,
                                                    .ended = on_ended,
                                                    .served = on_served,
                                                    .context = runtime });
        arena_init(&runtime->scratch, 0);
        return runtime;
}

void runtime_free(struct runtime *runtime) {
        if (!runtime)
                return;
        cluster_feed_free(runtime->feed);
        loop_timer_disarm(runtime->loop, &runtime->drain_timer);
        loop_timer_disarm(runtime->loop, &runtime->ready_timer);
        for (size_t i = 0; i < runtime->role_count; i++)
                runtime->roles[i].free(runtime->roles[i].self);
        runtime_evictions_free(runtime->evictions);
        watch_set_free(runtime->watches);
        write_queue_free(runtime->writes);
        for (size_t i = 0; i < runtime->recorder_count; i++)
                event_recorder_free(runtime->recorders[i].recorder);
        while (runtime->open_first) {
                struct runtime_open_action *open = runtime->open_first;

                unlink_open(open);
                free_open(open);
        }
        cluster_free(runtime->cluster);
        object_cache_free(runtime->object_cache);
        arena_release(&runtime->scratch);
        free(runtime);
}

void runtime_add_role(struct runtime *runtime, const struct role *role) {
        assert(runtime->role_count < RUNTIME_ROLES_MAX);
        runtime->roles[runtime->role_count++] = *role;
}

static void report_ready(void *runtime) {
        on_model_changed(runtime, 0);
}

static void report_ready_soon(struct runtime *runtime) {
        loop_timer_disarm(runtime->loop, &runtime->ready_timer);
        runtime->ready_timer = (struct loop_timer){ .fired = report_ready, .context = runtime };
        loop_timer_arm(runtime->loop, &runtime->ready_timer, 0);
}

size_t runtime_role_count(const struct runtime *runtime) {
        return runtime->role_count;
}

void runtime_hold_roles(struct runtime *runtime, size_t first) {
        for (size_t i = first; i < runtime->role_count; i++)
                runtime->is_held[i] = true;
}

void runtime_release_roles(struct runtime *runtime, size_t first, size_t count,
                           bool without_model) {
        for (size_t i = first; i < first + count; i++)
                runtime->is_held[i] = false;
        if (without_model || runtime_is_synced(runtime))
                report_ready_soon(runtime);
}

void runtime_start(struct runtime *runtime) {
        if (runtime->config.has_no_model) {
                report_ready_soon(runtime);
                return;
        }
        if (runtime->feed)
                return;
        runtime->feed = cluster_feed_new(
                &(struct cluster_feed_config){ .watches = runtime->watches,
                                               .loop = runtime->loop,
                                               .cluster = runtime->cluster,
                                               .object_cache = runtime->object_cache,
                                               .seed = runtime->config.seed,
                                               .with_finished = runtime->config.keeps_finished,
                                               .with_groups = runtime->config.keeps_groups,
                                               .kinds = runtime->config.kinds,
                                               .spare_kinds = runtime->config.spare_kinds,
                                               .without_classes = runtime->config.without_classes,
                                               .arriving = on_arriving,
                                               .arrived = on_arrived },
                on_model_changed, runtime);
}

struct loop *runtime_loop(struct runtime *runtime) {
        return runtime->loop;
}

struct transport *runtime_transport(struct runtime *runtime) {
        return &runtime->transport;
}

struct watch_set *runtime_watches(struct runtime *runtime) {
        return runtime->watches;
}

struct cluster *runtime_cluster(struct runtime *runtime) {
        return runtime->cluster;
}

struct object_cache *runtime_object_cache(const struct runtime *runtime) {
        return runtime->object_cache;
}

bool runtime_is_synced(const struct runtime *runtime) {
        if (runtime->config.has_no_model)
                return true;
        return runtime->feed && cluster_feed_is_synced(runtime->feed);
}

const struct cluster *runtime_complete_model(const struct runtime *runtime, uint32_t kinds) {
        const struct runtime_config *config = &runtime->config;

        if (config->has_no_model || !runtime_is_synced(runtime) || config->spare_kinds & kinds ||
            (config->kinds && (config->kinds & kinds) != kinds))
                return NULL;
        return runtime->cluster;
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
        if (write->reply) {
                result->http = write->reply->status;
                result->date_s = write->reply->date_s;
        }
        switch (write->outcome) {
        case WRITE_ANSWERED:
        case WRITE_LOST:
                if (write->reply->status >= 200 && write->reply->status < 300)
                        return;
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

/* Profiles and roles report under names of their own; beyond the limit the last one serves. */
static struct event_recorder *recorder_of(struct runtime *runtime, struct slice controller) {
        struct recorder_slot *slot = runtime->recorders;
        char instance[256];

        for (size_t i = 0; i < runtime->recorder_count; i++, slot++)
                if (slice_is(controller, slot->controller))
                        return slot->recorder;
        if (runtime->recorder_count == RUNTIME_ROLES_MAX)
                return slot[-1].recorder;
        snprintf(slot->controller, sizeof(slot->controller), SLICE_FMT, SLICE_ARG(controller));
        /* As upstream's programs name themselves: controller-hostname. */
        snprintf(instance, sizeof(instance), "%.127s-%.120s", slot->controller,
                 runtime->config.instance);
        slot->recorder = event_recorder_new(
                &(struct event_recorder_config){ .controller = slot->controller,
                                                 .instance = instance,
                                                 .renews_notes = !runtime->config.freezes_notes },
                runtime->writes, runtime->loop);
        runtime->recorder_count++;
        return slot->recorder;
}

static void runtime_record(struct runtime *runtime, const struct action *action) {
        const struct event_action *event = &action->event;
        struct slice version = event->api_version.len ? event->api_version : SLICE_LITERAL("v1");

        event_recorder_add(recorder_of(runtime, event->controller),
                           &(struct event_note){ .is_warning = event->is_warning,
                                                 .reason = event->reason,
                                                 .action = event->action,
                                                 .note = event->note,
                                                 .regarding = { .api_version = version,
                                                                .kind = action->target.kind,
                                                                .namespace_name = action->target.ns,
                                                                .name = action->target.name,
                                                                .uid = action->target.uid } });
}

static bool is_decided_again(const struct action *action) {
        return (action->kind == ACTION_EVICT && action->evict.is_once) ||
               (action->kind == ACTION_DELETE_POD && action->remove.is_once);
}

static void runtime_send(struct runtime *runtime, void *self, const struct action *action) {
        struct action_request request;
        struct runtime_open_action *open = open_action_new(runtime, self, action);

        action_request_make(action, &runtime->scratch, &request);
        link_open(open);
        write_queue_add(runtime->writes,
                        &(struct write_request){
                                .lane = action->kind == ACTION_BIND ? WRITE_BIND : WRITE_STATUS,
                                .kind = action->target.kind,
                                .namespace_name = action->target.ns,
                                .name = action->target.name,
                                .uid = action->target.uid,
                                .method = request.method,
                                .path = request.path,
                                .content_type = request.content_type,
                                .body = request.body,
                                .is_repeatable = action->kind == ACTION_POD_STATUS,
                                .is_once = is_decided_again(action),
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
                        runtime_record(runtime, action);
                else if (action->kind == ACTION_PREEMPT_POD)
                        runtime_preempt(runtime, self, action);
                else if (action->kind == ACTION_CHECK_BIND)
                        runtime_ask_for(runtime, self, action);
                else if (action_is_request(action->kind))
                        runtime_send(runtime, self, action);
        }
        arena_clear(&runtime->scratch);
}

bool runtime_is_idle(const struct runtime *runtime) {
        if (!runtime_is_synced(runtime) || runtime->open)
                return false;
        for (size_t i = 0; i < runtime->role_count; i++)
                if (!runtime->is_held[i] && !runtime->roles[i].is_idle(runtime->roles[i].self))
                        return false;
        return write_queue_is_idle(runtime->writes);
}

static void check_drained(void *context) {
        struct runtime *runtime = context;

        if (write_queue_is_idle(runtime->writes) ||
            loop_mono(runtime->loop).ns >= runtime->drain_until.ns)
                runtime->drained(runtime->drain_context);
        else
                loop_timer_arm(runtime->loop, &runtime->drain_timer, DRAIN_POLL_NS);
}

void runtime_drain(struct runtime *runtime, int64_t patience_ns, void (*done)(void *context),
                   void *context) {
        for (size_t i = 0; i < runtime->recorder_count; i++)
                event_recorder_finish(runtime->recorders[i].recorder);
        runtime->drain_until.ns = loop_mono(runtime->loop).ns + patience_ns;
        runtime->drained = done;
        runtime->drain_context = context;
        runtime->drain_timer = (struct loop_timer){ .fired = check_drained, .context = runtime };
        loop_timer_arm(runtime->loop, &runtime->drain_timer, 0);
}

void runtime_stats(const struct runtime *runtime, struct runtime_stats *ret_stats) {
        const struct err *last;

        *ret_stats = (struct runtime_stats){
                .open_writes = runtime->open,
                .skipped_objects = runtime->feed ? cluster_feed_problems(runtime->feed, &last) : 0,
                .placing_s = (double)runtime->placing_ns / 1e9,
        };
        memcpy(ret_stats->open_kinds, runtime->open_kinds, sizeof(runtime->open_kinds));
        memcpy(ret_stats->writes, runtime->sent, sizeof(runtime->sent));
        memcpy(ret_stats->failures, runtime->failed, sizeof(runtime->failed));
}
