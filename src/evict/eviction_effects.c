/* What the reconciler wants done: effects, their names, and the lines of the audit log. */
#include "base/util.h"
#include "evict/eviction_reconciler_priv.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const effect_names[EVICTION_EFFECT_COUNT] = {
        [EVICTION_CREATE] = "create",
        [EVICTION_PATCH_META] = "patch-meta",
        [EVICTION_PATCH_STATUS] = "patch-status",
        [EVICTION_PATCH_REQUEST] = "patch-request",
        [EVICTION_EVICT_POD] = "evict-pod",
        [EVICTION_READ_POD] = "read-pod",
        [EVICTION_WITHDRAW] = "withdraw",
        [EVICTION_TIDY] = "tidy",
        [EVICTION_DELETE_POD] = "delete-pod",
        [EVICTION_CANCEL_MOVE] = "cancel-move",
        [EVICTION_HOOK] = "hook",
        [EVICTION_STOP_HOOK] = "stop-hook",
        [EVICTION_AUDIT] = "audit",
};

const char *eviction_effect_name(enum eviction_effect_kind kind) {
        return effect_names[kind];
}

void eviction_effects_init(struct eviction_effects *effects) {
        *effects = (struct eviction_effects){ 0 };
        arena_init(&effects->arena, 0);
}

void eviction_effects_release(struct eviction_effects *effects) {
        arena_release(&effects->arena);
        free(effects->items);
        *effects = (struct eviction_effects){ 0 };
}

void eviction_effects_clear(struct eviction_effects *effects) {
        arena_clear(&effects->arena);
        effects->count = 0;
}
bool eviction_effect_is_write(enum eviction_effect_kind kind) {
        return kind != EVICTION_EVICT_POD && kind != EVICTION_DELETE_POD &&
               kind != EVICTION_CANCEL_MOVE && kind != EVICTION_HOOK;
}

static bool is_of_pod(enum eviction_effect_kind kind) {
        return kind == EVICTION_EVICT_POD || kind == EVICTION_DELETE_POD;
}

struct wall_time eviction_stamp(struct wall_time now) {
        return (struct wall_time){ now.ns / 1000 * 1000 };
}

struct slice eviction_text_keep(struct eviction_effects *out, struct buf *text) {
        struct slice copy = arena_slice(&out->arena, buf_view(text));

        buf_release(text);
        return copy;
}

void eviction_patch_open(const struct eviction_object *object, struct buf *out) {
        buf_text(out, "{\"metadata\":{\"uid\":");
        buf_json_string(out, object->uid);
        buf_text(out, ",\"resourceVersion\":");
        buf_json_string(out, object->version);
        buf_text(out, "},\"status\":");
}

static struct eviction_effect *eviction_effects_append(struct eviction_effects *out) {
        if (out->count == out->cap) {
                out->cap = out->cap ? out->cap * 2 : 16;
                out->items = xreallocarray(out->items, out->cap, sizeof(out->items[0]));
        }
        out->items[out->count] = (struct eviction_effect){ 0 };
        return &out->items[out->count++];
}

struct eviction_effect *eviction_effect_add(struct eviction_sync *sync,
                                            enum eviction_effect_kind kind,
                                            const struct eviction_object *object,
                                            struct slice body) {
        struct eviction_reconciler *reconciler = sync->reconciler;
        struct eviction_effect *effect = eviction_effects_append(sync->out);
        struct open_effect *open = xcalloc(1, sizeof(*open));

        open->kind = kind;
        open->target = sync->target;
        snprintf(open->eviction_uid, sizeof(open->eviction_uid), SLICE_FMT,
                 SLICE_ARG(object ? object->uid : SLICE_EMPTY));
        snprintf(open->version, sizeof(open->version), SLICE_FMT,
                 SLICE_ARG(object ? object->version : SLICE_EMPTY));
        effect->kind = kind;
        effect->id = ++reconciler->last_id;
        effect->ns = arena_slice(&sync->out->arena, sync->target->ns);
        effect->name = arena_slice(&sync->out->arena,
                                   object && !is_of_pod(kind) ? object->name : sync->target->name);
        effect->uid = arena_slice(&sync->out->arena, is_of_pod(kind) ? slice_of(sync->target->uid)
                                                     : object        ? object->uid
                                                                     : SLICE_EMPTY);
        effect->body = body;
        map_u64_put(reconciler->open, effect->id, open);
        sync->target->open++;
        sync->target->writes += eviction_effect_is_write(kind);
        reconciler->stats.effects[kind]++;
        return effect;
}

struct eviction_effect *eviction_effect_end_pod(struct eviction_sync *sync,
                                                const struct eviction_object *object,
                                                const char *requester, bool deletes) {
        struct eviction_effect *effect = eviction_effect_add(
                sync, deletes ? EVICTION_DELETE_POD : EVICTION_EVICT_POD, object, SLICE_EMPTY);

        effect->requester = slice_of(requester);
        return effect;
}

void eviction_effect_stop(struct eviction_effects *out, uint64_t id) {
        struct eviction_effect *effect = eviction_effects_append(out);

        effect->kind = EVICTION_STOP_HOOK;
        effect->id = id;
}

void eviction_effect_is_of_stages(struct eviction_sync *sync,
                                  const struct eviction_effect *effect) {
        struct open_effect *open = map_u64_get(sync->reconciler->open, effect->id);

        open->is_of_stages = true;
}

void eviction_audit(struct eviction_sync *sync, struct audit_record record) {
        struct arena *arena = &sync->out->arena;
        struct eviction_effect *effect = eviction_effects_append(sync->out);
        struct slice *const texts[] = { &record.op,        &record.request,   &record.eviction,
                                        &record.requester, &record.responder, &record.stage,
                                        &record.from,      &record.to,        &record.reason,
                                        &record.message,   &record.user,      &record.request_uid };

        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                *texts[i] = arena_slice(arena, *texts[i]);
        record.ns = arena_slice(arena, sync->target->ns);
        record.pod = arena_slice(arena, sync->target->name);
        record.uid = arena_slice(arena, slice_of(sync->target->uid));
        record.node = arena_slice(arena, sync->pod ? sync->pod->node : SLICE_EMPTY);
        effect->kind = EVICTION_AUDIT;
        effect->audit = record;
        sync->reconciler->stats.effects[EVICTION_AUDIT]++;
}
