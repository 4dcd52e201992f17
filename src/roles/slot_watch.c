/* Follows what takes slots on the cluster. */
#include "roles/slot_watch.h"

#include "api/json.h"
#include "base/log.h"
#include "base/util.h"
#include "client/reflector.h"
#include "evict/eviction_reconciler.h"
#include "evict/slot_pod.h"
#include <stdio.h>
#include <stdlib.h>

#define PATH_MAX_BYTES 200
#define KEY_MAX 600
#define KUBEVIRT "/apis/kubevirt.io/v1"

struct followed_kind {
        struct slot_watch *watch;
        enum slot_source source;
        const char *root, *resource, *label_selector;
        struct api_request *discovery;
        struct reflector *reflector;
        bool is_settled; /* listed, not served, or refused */
};

enum { KIND_PODS, KIND_OWN, KIND_NATIVE, KIND_MIGRATIONS, KIND_COUNT };

struct slot_watch {
        struct slot_watch_config config;
        struct followed_kind kinds[KIND_COUNT];
        bool is_foreign; /* somebody else writes the status of native Evictions */
};

static void slot_watch_settle(struct followed_kind *kind) {
        struct slot_watch *watch = kind->watch;

        kind->is_settled = true;
        watch->config.changed(watch->config.context);
}

static struct slice key_of(const struct json *object, char *buffer) {
        const struct json *meta = json_get(object, "metadata");

        snprintf(buffer, KEY_MAX, SLICE_FMT "/" SLICE_FMT,
                 SLICE_ARG(json_get_text(meta, "namespace")),
                 SLICE_ARG(json_get_text(meta, "name")));
        return slice_of(buffer);
}

/* ---- what is seen ---- */

/* By the controller; responders of others write there, too, once it has. */
static bool is_of_others(const struct json *object) {
        struct json_iter iter = json_iter(json_get(json_get(object, "metadata"), "managedFields"));
        const struct json *entry;
        bool has_status = false;

        while (json_next(&iter, NULL, &entry)) {
                if (!slice_is(json_get_text(entry, "subresource"), "status"))
                        continue;
                if (slice_is(json_get_text(entry, "manager"), EVICTION_MANAGER))
                        return false;
                has_status = true;
        }
        return has_status;
}

/* A responder besides the default one is at work. */
static void see_eviction(struct slot_watch *watch, struct slice key, const struct json *object) {
        struct eviction *eviction = NULL;
        const struct eviction_status *status;

        slot_ledger_unsee(watch->config.ledger, SLOT_SOURCE_EVICTIONS, key);
        if (eviction_decode(object, &eviction, NULL) < 0)
                return;
        status = &eviction->status;
        if (eviction_active(status) >= 0 &&
            (watch->config.for_all || status->responder_count > 1) &&
            !eviction_outcome_is_final(status->conditions.outcome))
                slot_ledger_see(watch->config.ledger, SLOT_SOURCE_EVICTIONS, key,
                                eviction->object.target_uid,
                                &(struct eviction_slot_holder){ .ns = eviction->object.ns });
        eviction_free(eviction);
}

static void see_migration(struct slot_watch *watch, struct slice key, const struct json *object) {
        const struct json *status = json_get(object, "status");
        struct slice phase = json_get_text(status, "phase");
        char owner[KEY_MAX];

        slot_ledger_unsee(watch->config.ledger, SLOT_SOURCE_MIGRATIONS, key);
        if (slice_is(phase, "Succeeded") || slice_is(phase, "Failed"))
                return;
        snprintf(owner, sizeof(owner), "VirtualMachineInstance/" SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(object, "spec"), "vmiName")));
        slot_ledger_see(
                watch->config.ledger, SLOT_SOURCE_MIGRATIONS, key, SLICE_EMPTY,
                &(struct eviction_slot_holder){
                        .ns = json_get_text(json_get(object, "metadata"), "namespace"),
                        .node = json_get_text(json_get(status, "migrationState"), "sourceNode"),
                        .owner = slice_of(owner) });
}

static void see_pod(struct slot_watch *watch, struct slice key, const struct json *object) {
        struct eviction_slot_holder holder;
        struct slot_pod pod;
        struct arena arena;

        slot_ledger_unsee(watch->config.ledger, SLOT_SOURCE_PODS, key);
        arena_init(&arena, 1024);
        if (slot_pod_decode(object, &arena, &pod, NULL) == 0 &&
            slot_pod_holds(&pod, watch->config.for_all)) {
                holder = slot_pod_holder(&pod);
                slot_ledger_see(watch->config.ledger, SLOT_SOURCE_PODS, key, pod.uid, &holder);
        }
        arena_release(&arena);
}

static void on_changed(void *context, enum reflector_change change, const struct json *object) {
        struct followed_kind *kind = context;
        struct slot_watch *watch = kind->watch;
        char text[KEY_MAX];
        struct slice key = key_of(object, text);

        if (change != REFLECTOR_DELETED && kind == &watch->kinds[KIND_NATIVE])
                watch->is_foreign = is_of_others(object);
        if (change == REFLECTOR_DELETED)
                slot_ledger_unsee(watch->config.ledger, kind->source, key);
        else if (kind->source == SLOT_SOURCE_PODS)
                see_pod(watch, key, object);
        else if (kind->source == SLOT_SOURCE_EVICTIONS)
                see_eviction(watch, key, object);
        else
                see_migration(watch, key, object);
        if (kind->is_settled)
                watch->config.changed(watch->config.context);
}

static void on_synced(void *context) {
        slot_watch_settle(context);
}

static void on_failed(void *context, const struct err *err, int64_t delay_ns) {
        struct followed_kind *kind = context;

        (void)delay_ns;
        if (!kind->is_settled)
                LOG(LOG_WARN, "SlotsNotSeen", log_text("resource", kind->resource),
                    log_text("error", err->text));
        slot_watch_settle(kind);
}

/* ---- following ---- */

static void slot_watch_follow(struct followed_kind *kind) {
        static const struct reflector_events events = { .changed = on_changed,
                                                        .synced = on_synced,
                                                        .failed = on_failed };
        struct slot_watch *watch = kind->watch;
        char path[PATH_MAX_BYTES];

        snprintf(path, sizeof(path), "%s/%s", kind->root, kind->resource);
        kind->reflector = reflector_new(
                &(struct reflector_config){
                        .path = path, .label_selector = kind->label_selector, .seed = 7 },
                watch->config.transport, watch->config.loop, &events, kind);
}

static void on_discovered(void *context, const struct api_reply *reply) {
        struct followed_kind *kind = context;
        char name[80];

        kind->discovery = NULL;
        snprintf(name, sizeof(name), "\"%s\"", kind->resource);
        if (reply->status == 200 && slice_contains(reply->body, slice_of(name)))
                slot_watch_follow(kind);
        else
                slot_watch_settle(kind);
}

struct slot_watch *slot_watch_new(const struct slot_watch_config *config) {
        static const struct followed_kind kinds[KIND_COUNT] = {
                [KIND_PODS] = { .source = SLOT_SOURCE_PODS,
                                .root = "/api/v1",
                                .resource = "pods",
                                .label_selector = "kubevirt.io=virt-launcher" },
                [KIND_OWN] = { .source = SLOT_SOURCE_EVICTIONS,
                               .root = "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION,
                               .resource = "evictions" },
                [KIND_NATIVE] = { .source = SLOT_SOURCE_EVICTIONS,
                                  .root = "/apis/" EVICTION_GROUP_NATIVE "/" EVICTION_VERSION,
                                  .resource = "evictions" },
                [KIND_MIGRATIONS] = { .source = SLOT_SOURCE_MIGRATIONS,
                                      .root = KUBEVIRT,
                                      .resource = "virtualmachineinstancemigrations" },
        };
        struct slot_watch *watch = xcalloc(1, sizeof(*watch));

        watch->config = *config;
        for (size_t i = 0; i < KIND_COUNT; i++) {
                struct followed_kind *kind = &watch->kinds[i];

                *kind = kinds[i];
                kind->watch = watch;
                if (i == KIND_PODS && config->follows_pods)
                        slot_watch_follow(kind);
                else if (i == KIND_PODS)
                        kind->is_settled = true;
                else
                        kind->discovery =
                                transport_call(config->transport,
                                               &(struct api_call){ .path = slice_of(kind->root) },
                                               on_discovered, kind);
        }
        return watch;
}

void slot_watch_free(struct slot_watch *watch) {
        if (!watch)
                return;
        for (size_t i = 0; i < KIND_COUNT; i++) {
                struct followed_kind *kind = &watch->kinds[i];

                if (kind->discovery)
                        transport_cancel(watch->config.transport, kind->discovery);
                reflector_free(kind->reflector);
                if (kind->reflector)
                        slot_ledger_unsee_all(watch->config.ledger, kind->source);
        }
        free(watch);
}

bool slot_watch_is_foreign(const struct slot_watch *watch) {
        return watch->is_foreign;
}

bool slot_watch_is_ready(const struct slot_watch *watch) {
        for (size_t i = 0; i < KIND_COUNT; i++)
                if (!watch->kinds[i].is_settled)
                        return false;
        return true;
}
