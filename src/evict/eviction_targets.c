/* The reconciler's state: targets with their requests and Evictions, from watches. */
#include "base/util.h"
#include "evict/eviction_policy.h"
#include "evict/eviction_reconciler_priv.h"
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

struct eviction_reconciler *eviction_reconciler_new(
        const struct eviction_reconciler_config *config) {
        struct eviction_reconciler *reconciler = xcalloc(1, sizeof(*reconciler));

        reconciler->config = *config;
        if (!config->group)
                reconciler->config.group = EVICTION_GROUP_OWN;
        reconciler->last_id = config->first_id;
        reconciler->targets = map_new();
        reconciler->requests = map_new();
        reconciler->evictions = map_new();
        arena_init(&reconciler->pods, 0);
        reconciler->pod_targets = map_new();
        reconciler->policies = map_new();
        reconciler->moves = map_new();
        reconciler->moving = map_new();
        reconciler->gates = map_new();
        reconciler->open = map_u64_new();
        if (config->cluster)
                eviction_pods_list_moving(reconciler);
        return reconciler;
}

static void entry_free(struct eviction_entry *entry) {
        eviction_free(entry->eviction);
        free(entry);
}

static void target_free(struct eviction_target *target) {
        for (size_t i = 0; i < target->request_count; i++)
                eviction_request_free(target->requests[i]);
        for (size_t i = 0; i < target->entry_count; i++)
                entry_free(target->entries[i]);
        free(target->requests);
        free(target->entries);
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
        while (map_next(reconciler->policies, &at, &key, &value))
                eviction_policy_free(value);
        at = 0;
        while (map_u64_next(reconciler->open, &at, &id, &value))
                free(value);
        map_free(reconciler->targets);
        map_free(reconciler->requests);
        map_free(reconciler->evictions);
        arena_release(&reconciler->pods);
        map_free(reconciler->pod_targets);
        map_free(reconciler->policies);
        map_free(reconciler->moving);
        eviction_vm_moves_free(reconciler->moves);
        eviction_gates_free(reconciler->gates);
        map_u64_free(reconciler->open);
        free(reconciler);
}

/* ---- targets ---- */

static struct eviction_target *need_target(struct eviction_reconciler *reconciler,
                                           const struct eviction_object *object) {
        struct eviction_target *target = map_get(reconciler->targets, object->target_uid);
        char key[EVICTION_KEY_MAX];
        struct slice pod_key = eviction_key(object->ns, object->target_name, key);

        if (target)
                return target;
        target = xcalloc(1, sizeof(*target));
        target->serial = ++reconciler->last_serial;
        target->uid = slice_dup(object->target_uid);
        target->pod_name = slice_dup(pod_key);
        target->ns = slice_make(target->pod_name, object->ns.len);
        target->name = slice_of(target->pod_name + object->ns.len + 1);
        map_put(reconciler->targets, object->target_uid, target);
        target->next_of_pod = map_put(reconciler->pod_targets, pod_key, target);
        return target;
}

static void unlink_of_pod(struct eviction_reconciler *reconciler,
                          const struct eviction_target *target) {
        struct slice pod_key = slice_of(target->pod_name);
        struct eviction_target *first = map_get(reconciler->pod_targets, pod_key);

        if (first != target) {
                while (first->next_of_pod != target)
                        first = first->next_of_pod;
                first->next_of_pod = target->next_of_pod;
        } else if (target->next_of_pod) {
                map_put(reconciler->pod_targets, pod_key, target->next_of_pod);
        } else {
                map_remove(reconciler->pod_targets, pod_key);
        }
}

void eviction_target_release(struct eviction_reconciler *reconciler,
                             struct eviction_target *target) {
        if (target->request_count || target->entry_count || target->open)
                return;
        unlink_of_pod(reconciler, target);
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

int eviction_find_request(const struct eviction_target *target, struct slice ns,
                          struct slice name) {
        for (size_t i = 0; i < target->request_count; i++)
                if (slice_eq(target->requests[i]->object.ns, ns) &&
                    slice_eq(target->requests[i]->object.name, name))
                        return (int)i;
        return -1;
}

void eviction_reconciler_remove_request(struct eviction_reconciler *reconciler, struct slice ns,
                                        struct slice name, struct slice uid) {
        char text[EVICTION_KEY_MAX];
        struct slice key = eviction_key(ns, name, text);
        struct eviction_target *target = map_get(reconciler->requests, key);
        int at = target ? eviction_find_request(target, ns, name) : -1;

        if (at < 0 || (uid.len && !slice_eq(target->requests[at]->object.uid, uid)))
                return;
        map_remove(reconciler->requests, key);
        eviction_request_free(target->requests[at]);
        memmove(target->requests + at, target->requests + at + 1,
                (target->request_count - (size_t)at - 1) * sizeof(target->requests[0]));
        target->request_count--;
        target->is_dirty = true;
        reconciler->stats.requests--;
        eviction_target_release(reconciler, target);
}

int eviction_reconciler_put_request(struct eviction_reconciler *reconciler,
                                    const struct json *object, struct err *err) {
        struct eviction_request *request;
        char text[EVICTION_KEY_MAX];

        if (eviction_request_decode(object, &request, err) < 0)
                return err ? err->code : BERTH_ERR_INVALID;
        struct slice key = eviction_key(request->object.ns, request->object.name, text);
        struct eviction_target *target = map_get(reconciler->requests, key);
        if (!target && reconciler->config.finishes && request->object.observed_generation == 0) {
                eviction_request_free(request);
                return 0;
        }
        int at = target ? eviction_find_request(target, request->object.ns, request->object.name)
                        : -1;
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

int eviction_find_entry(const struct eviction_target *target, struct slice ns, struct slice name) {
        for (size_t i = 0; i < target->entry_count; i++)
                if (slice_eq(target->entries[i]->eviction->object.ns, ns) &&
                    slice_eq(target->entries[i]->eviction->object.name, name))
                        return (int)i;
        return -1;
}

void eviction_reconciler_remove_eviction(struct eviction_reconciler *reconciler, struct slice ns,
                                         struct slice name, struct slice uid) {
        char text[EVICTION_KEY_MAX];
        struct slice key = eviction_key(ns, name, text);
        struct eviction_target *target = map_get(reconciler->evictions, key);
        int at = target ? eviction_find_entry(target, ns, name) : -1;

        if (at < 0 || (uid.len && !slice_eq(target->entries[at]->eviction->object.uid, uid)))
                return;
        map_remove(reconciler->evictions, key);
        entry_free(target->entries[at]);
        memmove(target->entries + at, target->entries + at + 1,
                (target->entry_count - (size_t)at - 1) * sizeof(target->entries[0]));
        target->entry_count--;
        target->is_dirty = true;
        reconciler->stats.evictions--;
        eviction_target_release(reconciler, target);
}

static void add_slot(struct eviction_reconciler *reconciler, struct eviction_target *target,
                     struct eviction *eviction, struct slice key) {
        struct eviction_entry *entry = xcalloc(1, sizeof(*entry));

        entry->eviction = eviction;
        entry->pulse_of = -1;
        if (target->entry_count == target->entry_cap) {
                target->entry_cap = target->entry_cap ? target->entry_cap * 2 : 2;
                target->entries = xreallocarray(target->entries, target->entry_cap,
                                                sizeof(target->entries[0]));
        }
        target->entries[target->entry_count++] = entry;
        reconciler->stats.evictions++;
        map_put(reconciler->evictions, key, target);
}

int eviction_reconciler_put_eviction(struct eviction_reconciler *reconciler,
                                     const struct json *object, struct err *err) {
        struct eviction *eviction;
        char text[EVICTION_KEY_MAX];

        if (eviction_decode(object, &eviction, err) < 0)
                return err ? err->code : BERTH_ERR_INVALID;
        struct slice key = eviction_key(eviction->object.ns, eviction->object.name, text);
        struct eviction_target *target = map_get(reconciler->evictions, key);
        int at = target ? eviction_find_entry(target, eviction->object.ns, eviction->object.name)
                        : -1;
        if (at >= 0 && is_older(&target->entries[at]->eviction->object, &eviction->object)) {
                eviction_free(eviction);
                return 0;
        }
        if (at >= 0 && slice_eq(target->entries[at]->eviction->object.uid, eviction->object.uid)) {
                eviction_free(target->entries[at]->eviction);
                target->entries[at]->eviction = eviction;
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

/* ---- Evictions of a target ---- */

bool eviction_entry_is_over(const struct eviction_entry *entry) {
        return eviction_outcome_is_final(entry->eviction->status.conditions.outcome);
}

/* Older by creation, then by name: which of two Evictions is the younger is the same for all. */
bool eviction_entry_is_before(const struct eviction_entry *a, const struct eviction_entry *b) {
        const struct eviction_object *left = &a->eviction->object, *right = &b->eviction->object;

        if (left->created.ns != right->created.ns)
                return left->created.ns < right->created.ns;
        return slice_compare(left->name, right->name) < 0;
}

/* Oldest that is not over; NULL when there is none. */
struct eviction_entry *eviction_active_entry(const struct eviction_target *target) {
        struct eviction_entry *found = NULL;

        for (size_t i = 0; i < target->entry_count; i++)
                if (!eviction_entry_is_over(target->entries[i]) &&
                    (!found || eviction_entry_is_before(target->entries[i], found)))
                        found = target->entries[i];
        return found;
}
