/* What the reconciler knows, and the order in which it looks at it. */
#include "evict/eviction_reconciler.h"

#include "base/util.h"
#include "evict/eviction_reconciler_priv.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLD_FIRST_NS (500 * NS_PER_MS) /* after a write that failed */
#define HOLD_MAX_NS (30 * NS_PER_S)
#define CONFLICT_HOLD_NS (50 * NS_PER_MS)
#define KEY_MAX 600

static const char *const effect_names[EVICTION_EFFECT_COUNT] = {
        [EVICTION_CREATE] = "create",
        [EVICTION_PATCH_META] = "patch-meta",
        [EVICTION_PATCH_STATUS] = "patch-status",
        [EVICTION_PATCH_REQUEST] = "patch-request",
        [EVICTION_EVICT_POD] = "evict-pod",
        [EVICTION_READ_POD] = "read-pod",
        [EVICTION_WITHDRAW] = "withdraw",
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

/* "namespace/name" in a buffer of KEY_MAX. */
static struct slice key_of(struct slice ns, struct slice name, char *buffer) {
        int size =
                snprintf(buffer, KEY_MAX, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(ns), SLICE_ARG(name));

        return slice_make(buffer, size < KEY_MAX ? (size_t)size : KEY_MAX - 1);
}

/* ---- life ---- */

struct eviction_reconciler *eviction_reconciler_new(
        const struct eviction_reconciler_config *config) {
        struct eviction_reconciler *reconciler = xcalloc(1, sizeof(*reconciler));

        reconciler->config = *config;
        if (!config->group)
                reconciler->config.group = EVICTION_GROUP_OWN;
        reconciler->targets = map_new();
        reconciler->requests = map_new();
        reconciler->evictions = map_new();
        reconciler->pods = map_new();
        reconciler->pod_targets = map_new();
        reconciler->policies = map_new();
        reconciler->moves = map_new();
        reconciler->gates = map_new();
        reconciler->open = map_u64_new();
        return reconciler;
}

static void slot_free(struct eviction_slot *slot) {
        eviction_free(slot->eviction);
        free(slot);
}

static void target_free(struct eviction_target *target) {
        for (size_t i = 0; i < target->request_count; i++)
                eviction_request_free(target->requests[i]);
        for (size_t i = 0; i < target->slot_count; i++)
                slot_free(target->slots[i]);
        free(target->requests);
        free(target->slots);
        free(target->uid);
        free(target->pod_name);
        free(target);
}

void eviction_reconciler_free(struct eviction_reconciler *reconciler) {
        struct slice key;
        uint64_t id;
        void *value;
        size_t at = 0;

        if (!reconciler)
                return;
        while (map_next(reconciler->targets, &at, &key, &value))
                target_free(value);
        at = 0;
        while (map_next(reconciler->pods, &at, &key, &value))
                free(value);
        at = 0;
        while (map_next(reconciler->policies, &at, &key, &value))
                eviction_policy_free(value);
        at = 0;
        while (map_u64_next(reconciler->open, &at, &id, &value))
                free(value);
        map_free(reconciler->targets);
        map_free(reconciler->requests);
        map_free(reconciler->evictions);
        map_free(reconciler->pods);
        map_free(reconciler->pod_targets);
        map_free(reconciler->policies);
        eviction_vm_moves_free(reconciler->moves);
        eviction_gates_free(reconciler->gates);
        map_u64_free(reconciler->open);
        free(reconciler);
}

/* ---- targets ---- */

static struct eviction_target *need_target(struct eviction_reconciler *reconciler,
                                           const struct eviction_object *object) {
        struct eviction_target *target = map_get(reconciler->targets, object->target_uid);
        char key[KEY_MAX];
        struct slice pod_key = key_of(object->ns, object->target_name, key);
        uintptr_t count;

        if (target)
                return target;
        target = xcalloc(1, sizeof(*target));
        target->uid = slice_dup(object->target_uid);
        target->pod_name = slice_dup(pod_key);
        target->ns = slice_make(target->pod_name, object->ns.len);
        target->name = slice_of(target->pod_name + object->ns.len + 1);
        map_put(reconciler->targets, object->target_uid, target);
        count = (uintptr_t)map_get(reconciler->pod_targets, pod_key) + 1;
        map_put(reconciler->pod_targets, pod_key, (void *)count);
        return target;
}

static void drop_if_empty(struct eviction_reconciler *reconciler, struct eviction_target *target) {
        struct slice pod_key = slice_of(target->pod_name);
        uintptr_t count;

        if (target->request_count || target->slot_count || target->open)
                return;
        count = (uintptr_t)map_get(reconciler->pod_targets, pod_key);
        if (count > 1)
                map_put(reconciler->pod_targets, pod_key, (void *)(count - 1));
        else
                map_remove(reconciler->pod_targets, pod_key);
        map_remove(reconciler->targets, slice_of(target->uid));
        target_free(target);
}

void eviction_target_wake(struct eviction_target *target, struct mono_time due) {
        if (target->has_due && target->due.ns <= due.ns)
                return;
        target->has_due = true;
        target->due = due;
}

/* Older, by the version where both are numbers: watches may be behind answers. */
static bool is_older(const struct eviction_object *known, const struct eviction_object *news) {
        uint64_t a, b;

        return slice_eq(known->uid, news->uid) && slice_to_u64(known->version, &a) &&
               slice_to_u64(news->version, &b) && b < a;
}

/* ---- requests ---- */

static int find_request(const struct eviction_target *target, struct slice ns, struct slice name) {
        for (size_t i = 0; i < target->request_count; i++)
                if (slice_eq(target->requests[i]->object.ns, ns) &&
                    slice_eq(target->requests[i]->object.name, name))
                        return (int)i;
        return -1;
}

void eviction_reconciler_remove_request(struct eviction_reconciler *reconciler, struct slice ns,
                                        struct slice name, struct slice uid) {
        char text[KEY_MAX];
        struct slice key = key_of(ns, name, text);
        struct eviction_target *target = map_get(reconciler->requests, key);
        int at = target ? find_request(target, ns, name) : -1;

        if (at < 0 || (uid.len && !slice_eq(target->requests[at]->object.uid, uid)))
                return;
        map_remove(reconciler->requests, key);
        eviction_request_free(target->requests[at]);
        memmove(target->requests + at, target->requests + at + 1,
                (target->request_count - (size_t)at - 1) * sizeof(target->requests[0]));
        target->request_count--;
        target->is_dirty = true;
        reconciler->stats.requests--;
        drop_if_empty(reconciler, target);
}

int eviction_reconciler_put_request(struct eviction_reconciler *reconciler,
                                    const struct json *object, struct err *err) {
        struct eviction_request *request;
        struct eviction_target *target;
        char text[KEY_MAX];
        struct slice key;
        int at;

        if (eviction_request_decode(object, &request, err) < 0)
                return err ? err->code : BERTH_ERR_INVALID;
        key = key_of(request->object.ns, request->object.name, text);
        target = map_get(reconciler->requests, key);
        at = target ? find_request(target, request->object.ns, request->object.name) : -1;
        if (at >= 0 && is_older(&target->requests[at]->object, &request->object)) {
                eviction_request_free(request);
                return 0;
        }
        if (at >= 0 && slice_is(request->object.target_uid, target->uid)) {
                eviction_request_free(target->requests[at]);
                target->requests[at] = request;
                target->is_dirty = true;
                return 0;
        }
        if (at >= 0) /* of the same name, for another pod */
                eviction_reconciler_remove_request(reconciler, request->object.ns,
                                                   request->object.name, SLICE_EMPTY);
        target = need_target(reconciler, &request->object);
        if (target->request_count == target->request_cap) {
                target->request_cap = target->request_cap ? target->request_cap * 2 : 2;
                target->requests = xreallocarray(target->requests, target->request_cap,
                                                 sizeof(target->requests[0]));
        }
        target->requests[target->request_count++] = request;
        target->is_dirty = true;
        reconciler->stats.requests++;
        map_put(reconciler->requests, key, target);
        return 0;
}

/* ---- Evictions ---- */

static int find_slot(const struct eviction_target *target, struct slice ns, struct slice name) {
        for (size_t i = 0; i < target->slot_count; i++)
                if (slice_eq(target->slots[i]->eviction->object.ns, ns) &&
                    slice_eq(target->slots[i]->eviction->object.name, name))
                        return (int)i;
        return -1;
}

void eviction_reconciler_remove_eviction(struct eviction_reconciler *reconciler, struct slice ns,
                                         struct slice name, struct slice uid) {
        char text[KEY_MAX];
        struct slice key = key_of(ns, name, text);
        struct eviction_target *target = map_get(reconciler->evictions, key);
        int at = target ? find_slot(target, ns, name) : -1;

        if (at < 0 || (uid.len && !slice_eq(target->slots[at]->eviction->object.uid, uid)))
                return;
        map_remove(reconciler->evictions, key);
        slot_free(target->slots[at]);
        memmove(target->slots + at, target->slots + at + 1,
                (target->slot_count - (size_t)at - 1) * sizeof(target->slots[0]));
        target->slot_count--;
        target->is_dirty = true;
        reconciler->stats.evictions--;
        drop_if_empty(reconciler, target);
}

static void add_slot(struct eviction_reconciler *reconciler, struct eviction_target *target,
                     struct eviction *eviction, struct slice key) {
        struct eviction_slot *slot = xcalloc(1, sizeof(*slot));

        slot->eviction = eviction;
        slot->pulse_of = -1;
        if (target->slot_count == target->slot_cap) {
                target->slot_cap = target->slot_cap ? target->slot_cap * 2 : 2;
                target->slots =
                        xreallocarray(target->slots, target->slot_cap, sizeof(target->slots[0]));
        }
        target->slots[target->slot_count++] = slot;
        reconciler->stats.evictions++;
        map_put(reconciler->evictions, key, target);
}

int eviction_reconciler_put_eviction(struct eviction_reconciler *reconciler,
                                     const struct json *object, struct err *err) {
        struct eviction *eviction;
        struct eviction_target *target;
        char text[KEY_MAX];
        struct slice key;
        int at;

        if (eviction_decode(object, &eviction, err) < 0)
                return err ? err->code : BERTH_ERR_INVALID;
        key = key_of(eviction->object.ns, eviction->object.name, text);
        target = map_get(reconciler->evictions, key);
        at = target ? find_slot(target, eviction->object.ns, eviction->object.name) : -1;
        if (at >= 0 && is_older(&target->slots[at]->eviction->object, &eviction->object)) {
                eviction_free(eviction);
                return 0;
        }
        if (at >= 0 && slice_eq(target->slots[at]->eviction->object.uid, eviction->object.uid)) {
                eviction_free(target->slots[at]->eviction);
                target->slots[at]->eviction = eviction;
                target->is_dirty = true;
                return 0;
        }
        if (at >= 0)
                eviction_reconciler_remove_eviction(reconciler, eviction->object.ns,
                                                    eviction->object.name, SLICE_EMPTY);
        target = need_target(reconciler, &eviction->object);
        add_slot(reconciler, target, eviction, key);
        target->is_dirty = true;
        return 0;
}

/* ---- pods ---- */

static struct slice place(char **at, struct slice text) {
        struct slice placed = slice_make(*at, text.len);

        if (text.len)
                memcpy(*at, text.ptr, text.len);
        *at += text.len;
        return placed;
}

static struct kept_pod *keep_pod(const struct eviction_pod *pod) {
        size_t size = pod->ns.len + pod->name.len + pod->uid.len + pod->node.len +
                      pod->responders.len + pod->owner.len;
        size_t count = pod->labels.count;
        struct label *labels;
        struct kept_pod *kept;
        char *at;

        for (size_t i = 0; i < count; i++)
                size += pod->labels.items[i].key.len + pod->labels.items[i].value.len;
        kept = xmalloc(sizeof(*kept) + count * sizeof(*labels) + size);
        labels = (struct label *)(void *)(kept + 1);
        at = (char *)(labels + count);

        kept->pod = *pod;
        kept->pod.ns = place(&at, pod->ns);
        kept->pod.name = place(&at, pod->name);
        kept->pod.uid = place(&at, pod->uid);
        kept->pod.node = place(&at, pod->node);
        kept->pod.responders = place(&at, pod->responders);
        kept->pod.owner = place(&at, pod->owner);
        kept->pod.labels.items = labels;
        for (size_t i = 0; i < count; i++) {
                labels[i].key = place(&at, pod->labels.items[i].key);
                labels[i].value = place(&at, pod->labels.items[i].value);
        }
        return kept;
}

/* Every target of this pod name looks again; they are few, and found only when there are any. */
static void touch_pod(struct eviction_reconciler *reconciler, struct slice pod_key,
                      struct slice gone_uid) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!map_get(reconciler->pod_targets, pod_key))
                return;
        while (map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;

                if (!slice_is(pod_key, target->pod_name))
                        continue;
                target->is_dirty = true;
                target->is_read = slice_is(gone_uid, target->uid);
        }
}

int eviction_reconciler_put_pod(struct eviction_reconciler *reconciler, const struct json *object,
                                struct err *err) {
        struct arena scratch;
        struct eviction_pod pod;
        char text[KEY_MAX];
        struct slice key;
        int code;

        arena_init(&scratch, 1024);
        code = eviction_pod_decode(object, &scratch, &pod, err);
        if (code == 0) {
                key = key_of(pod.ns, pod.name, text);
                free(map_put(reconciler->pods, key, keep_pod(&pod)));
                touch_pod(reconciler, key, SLICE_EMPTY);
        }
        arena_release(&scratch);
        return code;
}

void eviction_reconciler_remove_pod(struct eviction_reconciler *reconciler, struct slice ns,
                                    struct slice name, struct slice uid) {
        char text[KEY_MAX];
        struct slice key = key_of(ns, name, text);
        struct kept_pod *kept = map_get(reconciler->pods, key);

        if (kept && (uid.len == 0 || slice_eq(kept->pod.uid, uid))) {
                free(map_remove(reconciler->pods, key));
                touch_pod(reconciler, key, uid);
        }
}

/* ---- policies ---- */

int eviction_reconciler_put_policy(struct eviction_reconciler *reconciler,
                                   const struct json *object, struct err *err) {
        struct eviction_policy *policy;
        char text[KEY_MAX];
        const struct json *meta = json_get(object, "metadata");
        struct slice key =
                key_of(json_get_text(meta, "namespace"), json_get_text(meta, "name"), text);
        int code = eviction_policy_decode(object, &policy, err);

        /* One that cannot be read any more counts as absent. */
        eviction_policy_free(code < 0 ? map_remove(reconciler->policies, key)
                                      : map_put(reconciler->policies, key, policy));
        return code;
}

void eviction_reconciler_remove_policy(struct eviction_reconciler *reconciler, struct slice ns,
                                       struct slice name, struct slice uid) {
        char text[KEY_MAX];
        struct slice key = key_of(ns, name, text);
        const struct eviction_policy *policy = map_get(reconciler->policies, key);

        if (policy && (uid.len == 0 || slice_eq(policy->uid, uid)))
                eviction_policy_free(map_remove(reconciler->policies, key));
}

/* ---- effects ---- */

/* Those whose outcome the next decision about the target has to wait for. */
static bool is_write(enum eviction_effect_kind kind) {
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
        struct slice kept = arena_slice(&out->arena, buf_view(text));

        buf_release(text);
        return kept;
}

void eviction_patch_open(const struct eviction_object *object, struct buf *out) {
        buf_text(out, "{\"metadata\":{\"uid\":");
        buf_json_string(out, object->uid);
        buf_text(out, ",\"resourceVersion\":");
        buf_json_string(out, object->version);
        buf_text(out, "},\"status\":");
}

static struct eviction_effect *append(struct eviction_effects *out) {
        if (out->count == out->cap) {
                out->cap = out->cap ? out->cap * 2 : 16;
                out->items = xreallocarray(out->items, out->cap, sizeof(out->items[0]));
        }
        out->items[out->count] = (struct eviction_effect){ 0 };
        return &out->items[out->count++];
}

struct eviction_effect *eviction_effect_add(struct eviction_look *look,
                                            enum eviction_effect_kind kind,
                                            const struct eviction_object *object,
                                            struct slice body) {
        struct eviction_reconciler *reconciler = look->reconciler;
        struct eviction_effect *effect = append(look->out);
        struct open_effect *open = xcalloc(1, sizeof(*open));

        open->kind = kind;
        open->target = look->target;
        snprintf(open->eviction_uid, sizeof(open->eviction_uid), SLICE_FMT,
                 SLICE_ARG(object ? object->uid : SLICE_EMPTY));
        effect->kind = kind;
        effect->id = ++reconciler->last_id;
        effect->ns = arena_slice(&look->out->arena, look->target->ns);
        effect->name = arena_slice(&look->out->arena,
                                   object && !is_of_pod(kind) ? object->name : look->target->name);
        effect->uid = arena_slice(&look->out->arena, object ? object->uid : SLICE_EMPTY);
        effect->body = body;
        map_u64_put(reconciler->open, effect->id, open);
        look->target->open++;
        look->target->writes += is_write(kind);
        reconciler->stats.effects[kind]++;
        return effect;
}

void eviction_effect_stop(struct eviction_effects *out, uint64_t id) {
        struct eviction_effect *effect = append(out);

        effect->kind = EVICTION_STOP_HOOK;
        effect->id = id;
}

void eviction_effect_is_of_stages(struct eviction_look *look,
                                  const struct eviction_effect *effect) {
        struct open_effect *open = map_u64_get(look->reconciler->open, effect->id);

        open->is_of_stages = true;
}

void eviction_audit(struct eviction_look *look, struct audit_record record) {
        struct arena *arena = &look->out->arena;
        struct eviction_effect *effect = append(look->out);
        struct slice *const texts[] = { &record.op,        &record.request,   &record.eviction,
                                        &record.requester, &record.responder, &record.stage,
                                        &record.from,      &record.to,        &record.reason,
                                        &record.message };

        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                *texts[i] = arena_slice(arena, *texts[i]);
        record.ns = arena_slice(arena, look->target->ns);
        record.pod = arena_slice(arena, look->target->name);
        record.uid = arena_slice(arena, slice_of(look->target->uid));
        record.node = arena_slice(arena, look->pod ? look->pod->node : SLICE_EMPTY);
        effect->kind = EVICTION_AUDIT;
        effect->audit = record;
        look->reconciler->stats.effects[EVICTION_AUDIT]++;
}

/* ---- steps ---- */

static bool is_wanted(const struct eviction_target *target) {
        struct err err = { 0 };

        for (size_t i = 0; i < target->request_count; i++) {
                const struct eviction_request *request = target->requests[i];

                if (request->intent == EVICTION_INTENT_EVICT && !request->object.is_deleting &&
                    request->object.conditions.outcome != EVICTION_INVALID &&
                    eviction_request_check(request, &err) == 0)
                        return true;
        }
        return false;
}

static struct eviction_look look_at(struct eviction_reconciler *reconciler,
                                    struct eviction_target *target, struct eviction_now now,
                                    struct eviction_effects *out) {
        struct kept_pod *kept = map_get(reconciler->pods, slice_of(target->pod_name));
        struct eviction_look look = { .reconciler = reconciler,
                                      .target = target,
                                      .pod = kept ? &kept->pod : NULL,
                                      .now = now,
                                      .out = out };

        look.is_alive = look.pod && slice_is(look.pod->uid, target->uid);
        look.is_gone = look.pod ? !look.is_alive : target->is_read;
        look.is_finished = look.is_alive && look.pod->is_finished;
        look.is_wanted = is_wanted(target);
        if (look.is_gone || look.is_finished) {
                if (!target->has_gone)
                        target->gone_at = now.mono;
                target->has_gone = true;
        } else {
                target->has_gone = false;
        }
        return look;
}

/* A pod that the watch does not show may be one it does not show yet: the server is asked. */
static bool reads_pod(struct eviction_look *look) {
        struct eviction_target *target = look->target;
        bool is_open = target->request_count > 0;

        for (size_t i = 0; i < target->slot_count; i++)
                if (!eviction_outcome_is_final(
                            target->slots[i]->eviction->status.conditions.outcome))
                        is_open = true;
        if (look->pod || target->is_read || !is_open || target->name.len == 0)
                return false;
        if (!target->is_reading) {
                eviction_effect_add(look, EVICTION_READ_POD, NULL, SLICE_EMPTY);
                target->is_reading = true;
        }
        return true;
}

static void act(struct eviction_reconciler *reconciler, struct eviction_target *target,
                struct eviction_now now, struct eviction_effects *out) {
        struct eviction_look look;

        target->has_due = false;
        target->is_dirty = false;
        if (target->failures && target->hold.ns > now.mono.ns) {
                eviction_target_wake(target, target->hold);
                return;
        }
        look = look_at(reconciler, target, now, out);
        if (reads_pod(&look))
                return;
        if (reconciler->config.is_controller)
                eviction_progress(&look);
        for (size_t i = 0; i < target->slot_count; i++) {
                if (reconciler->config.leads_stages)
                        eviction_stages_act(&look, target->slots[i]);
                if (reconciler->config.is_evictor)
                        eviction_evictor_act(&look, target->slots[i]);
        }
}

void eviction_reconciler_step(struct eviction_reconciler *reconciler, struct eviction_now now,
                              struct eviction_effects *out) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!reconciler->has_first) {
                reconciler->has_first = true;
                reconciler->first_wall = now.wall;
                reconciler->first_mono = now.mono;
        }
        while (map_next(reconciler->targets, &at, &key, &value)) {
                struct eviction_target *target = value;

                if (target->writes)
                        continue;
                if (target->is_dirty || (target->has_due && target->due.ns <= now.mono.ns))
                        act(reconciler, target, now, out);
        }
}

bool eviction_reconciler_next_due(const struct eviction_reconciler *reconciler,
                                  struct mono_time *ret_due) {
        bool is_found = false;
        int64_t due = INT64_MAX;
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(reconciler->targets, &at, &key, &value)) {
                const struct eviction_target *target = value;
                int64_t when = target->is_dirty ? INT64_MIN : target->due.ns;

                if (target->writes || (!target->is_dirty && !target->has_due) ||
                    (is_found && when >= due))
                        continue;
                is_found = true;
                due = when;
        }
        if (is_found)
                ret_due->ns = due;
        return is_found;
}

void eviction_reconciler_set_controller(struct eviction_reconciler *reconciler,
                                        bool is_controller) {
        struct slice key;
        void *value;
        size_t at = 0;

        reconciler->config.is_controller = is_controller;
        while (map_next(reconciler->targets, &at, &key, &value))
                ((struct eviction_target *)value)->is_dirty = true;
}

/* ---- outcomes ---- */

/* A write that failed is decided anew from what is known by then. */
static void hold_back(struct eviction_target *target, const struct eviction_effect_result *result,
                      struct eviction_now now) {
        int64_t delay_ns = HOLD_FIRST_NS;

        target->failures++;
        if (result->code == BERTH_ERR_CONFLICT || result->code == BERTH_ERR_EXISTS)
                delay_ns = CONFLICT_HOLD_NS;
        for (uint32_t i = 1; i < target->failures && delay_ns < HOLD_MAX_NS; i++)
                delay_ns *= 2;
        if (delay_ns > HOLD_MAX_NS)
                delay_ns = HOLD_MAX_NS;
        if (result->retry_after_s > 0 && result->retry_after_s * NS_PER_S > delay_ns)
                delay_ns = result->retry_after_s * NS_PER_S;
        target->hold.ns = now.mono.ns + delay_ns;
}

static struct eviction_slot *slot_of(const struct eviction_target *target, const char *uid) {
        for (size_t i = 0; i < target->slot_count; i++)
                if (slice_is(target->slots[i]->eviction->object.uid, uid))
                        return target->slots[i];
        return NULL;
}

/* That the pod exists is the watch's to tell: an answer may be older than what the watch said. */
static void take_read(struct eviction_reconciler *reconciler, struct eviction_target *target,
                      const struct eviction_effect_result *result) {
        target->is_reading = false;
        if (result->code == BERTH_ERR_NOT_FOUND &&
            !map_get(reconciler->pods, slice_of(target->pod_name)))
                target->is_read = true;
}

/* An answer brings an object up to date, but never back: it may have been deleted since. */
static void take_object(struct eviction_reconciler *reconciler, enum eviction_effect_kind kind,
                        const struct json *object) {
        const struct json *meta = json_get(object, "metadata");
        struct slice ns = json_get_text(meta, "namespace"), name = json_get_text(meta, "name");
        struct slice uid = json_get_text(meta, "uid");
        bool is_request = kind == EVICTION_PATCH_REQUEST || kind == EVICTION_WITHDRAW;
        char text[KEY_MAX];
        struct eviction_target *target = map_get(
                is_request ? reconciler->requests : reconciler->evictions, key_of(ns, name, text));
        int at = !target      ? -1
                 : is_request ? find_request(target, ns, name)
                              : find_slot(target, ns, name);

        if (at < 0)
                return;
        if (is_request && slice_eq(target->requests[at]->object.uid, uid))
                eviction_reconciler_put_request(reconciler, object, NULL);
        else if (!is_request && slice_eq(target->slots[at]->eviction->object.uid, uid))
                eviction_reconciler_put_eviction(reconciler, object, NULL);
}

/* To the responder that made the call, if its Eviction is there still. */
static void deliver(struct eviction_target *target, const struct open_effect *open,
                    const struct eviction_effect_result *result, struct eviction_now now) {
        struct eviction_slot *slot = slot_of(target, open->eviction_uid);

        if (slot && open->is_of_stages)
                eviction_stages_result(slot, result);
        else if (slot && open->kind == EVICTION_EVICT_POD)
                eviction_evictor_result(slot, result, now);
        else if (slot && open->kind == EVICTION_CANCEL_MOVE)
                slot->is_cancelling = false;
}

void eviction_reconciler_result(struct eviction_reconciler *reconciler,
                                const struct eviction_effect_result *result,
                                struct eviction_now now) {
        struct open_effect *open = map_u64_remove(reconciler->open, result->id);
        struct eviction_target *target;

        if (!open)
                return;
        target = open->target;
        target->writes -= is_write(open->kind);
        target->is_dirty = true;
        if (result->code != BERTH_OK)
                reconciler->stats.failures[open->kind]++;
        if (open->kind == EVICTION_READ_POD)
                take_read(reconciler, target, result);
        else if (!is_write(open->kind))
                deliver(target, open, result, now);
        if (!is_write(open->kind) ||
            (open->kind == EVICTION_READ_POD ? target->is_read : result->code == BERTH_OK))
                target->failures = 0;
        else
                hold_back(target, result, now);
        if (result->code == BERTH_OK && result->object && open->kind <= EVICTION_WITHDRAW)
                take_object(reconciler, open->kind, result->object);
        target->open--; /* kept it alive until here */
        drop_if_empty(reconciler, target);
        free(open);
}

void eviction_reconciler_stats(const struct eviction_reconciler *reconciler,
                               struct eviction_reconciler_stats *ret_stats) {
        struct slice key;
        void *value;
        size_t at = 0;

        *ret_stats = reconciler->stats;
        ret_stats->targets = map_count(reconciler->targets);
        ret_stats->pods = map_count(reconciler->pods);
        ret_stats->open = map_u64_count(reconciler->open);
        while (map_next(reconciler->targets, &at, &key, &value)) {
                const struct eviction_target *target = value;

                for (size_t i = 0; i < target->slot_count; i++) {
                        const struct eviction_status *status = &target->slots[i]->eviction->status;

                        if (eviction_outcome_is_final(status->conditions.outcome))
                                continue;
                        for (size_t r = 0; r < status->responder_count; r++)
                                ret_stats->states[status->responders[r].state]++;
                }
        }
}
