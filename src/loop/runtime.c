/* Shared loop, watches, model and writes of the roles of one process. */
#include "loop/runtime_priv.h"

#include "base/util.h"
#include "client/event_recorder.h"
#include "client/write_queue.h"
#include "loop/cluster_feed.h"
#include "loop/runtime_evictions.h"
#include "loop/watch_set.h"
#include "model/cluster.h"
#include "model/object_cache.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define RUNTIME_WRITES_DEFAULT 64
#define RUNTIME_EVENTS_TOGETHER_NS (100 * NS_PER_MS)
#define DRAIN_POLL_NS (20 * NS_PER_MS)

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
                        struct arrival *arrival) {
        struct runtime *runtime = context;

        for (size_t i = 0; i < runtime->role_count; i++)
                if (runtime->roles[i].arriving && !runtime->is_held[i])
                        runtime->roles[i].arriving(runtime->roles[i].self, kind, change, arrival);
}

static void on_arrived(void *context, enum object_kind kind, enum change_kind change,
                       struct arrival *arrival) {
        struct runtime *runtime = context;

        for (size_t i = 0; i < runtime->role_count; i++)
                if (runtime->roles[i].arrived && !runtime->is_held[i])
                        runtime->roles[i].arrived(runtime->roles[i].self, kind, change, arrival);
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
                                                      .counts_devices = config->counts_devices,
                                                      .keeps_evictions = config->keeps_evictions });
        if (config->keeps_object_cache)
                runtime->object_cache = object_cache_new();
        else if (config->keeps_devices)
                runtime->object_cache = object_cache_new_of(CACHED_DEVICES);
        runtime->writes = write_queue_new(
                &(struct write_queue_config){ .concurrency = config->max_writes
                                                                     ? config->max_writes
                                                                     : RUNTIME_WRITES_DEFAULT,
                                              .per_second = config->writes_per_second,
                                              .burst = config->writes_burst,
                                              .events_together_ns = RUNTIME_EVENTS_TOGETHER_NS,
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
        runtime_free_actions(runtime);
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
                                               .with_taint_rules =
                                                       runtime->config.keeps_taint_rules,
                                               .can_lack_rules = runtime->config.can_lack_rules,
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

struct wall_time runtime_server_time(struct runtime *runtime) {
        return transport_server_time(&runtime->transport, runtime->loop);
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

bool runtime_trouble(const struct runtime *runtime, struct err *ret_err) {
        return runtime->feed && cluster_feed_trouble(runtime->feed, ret_err);
}

const struct cluster *runtime_complete_model(const struct runtime *runtime, uint32_t kinds) {
        const struct runtime_config *config = &runtime->config;

        if (config->has_no_model || !runtime_is_synced(runtime) || config->spare_kinds & kinds ||
            (config->kinds && (config->kinds & kinds) != kinds))
                return NULL;
        return runtime->cluster;
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
        write_queue_hurry(runtime->writes);
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
                .is_writing = !write_queue_is_idle(runtime->writes),
                .skipped_objects = runtime->feed ? cluster_feed_problems(runtime->feed, &last) : 0,
                .placing_s = (double)runtime->placing_ns / 1e9,
        };
        memcpy(ret_stats->open_kinds, runtime->open_kinds, sizeof(runtime->open_kinds));
        memcpy(ret_stats->writes, runtime->sent, sizeof(runtime->sent));
        memcpy(ret_stats->failures, runtime->failed, sizeof(runtime->failed));
}
