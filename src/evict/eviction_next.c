/* The next Eviction of a target: its name, and how long it has to wait. */
#include "base/util.h"
#include "evict/eviction_progress.h"
#include "evict/eviction_stages.h"
#include <stdio.h>
#include <stdlib.h>

#define NAME_MAX_BYTES 253
#define DOUBLINGS_MAX 16
#define RESERVE_MAX_NS (3600 * NS_PER_S)

/* "pod-7-name" of the same pod name has number 7; 0 for other names. */
static uint64_t number_of(struct slice name, struct slice pod) {
        struct slice rest = slice_make(name.ptr + 4, name.len < 4 ? 0 : name.len - 4), digits;
        uint64_t number;

        if (!slice_has_prefix(name, SLICE_LITERAL("pod-")) || !slice_split(&rest, '-', &digits) ||
            !slice_to_u64(digits, &number))
                return 0;
        return slice_has_prefix(pod, rest) ? number : 0;
}

static uint64_t next_number(const struct eviction_sync *sync) {
        const struct eviction_target *target =
                map_get(sync->reconciler->pod_targets, slice_of(sync->target->pod_name));
        uint64_t highest = 0;

        for (; target; target = target->next_of_pod)
                for (size_t i = 0; i < target->entry_count; i++) {
                        uint64_t number =
                                number_of(target->entries[i]->eviction->object.name, target->name);

                        highest = number > highest ? number : highest;
                }
        return highest + 1;
}

static size_t failures_of(const struct eviction_target *target, struct mono_time *ret_last) {
        size_t count = 0;

        for (size_t i = 0; i < target->entry_count; i++) {
                const struct eviction_entry *entry = target->entries[i];

                if (entry->eviction->status.conditions.outcome != EVICTION_NO_RESPONDER)
                        continue;
                if (count == 0 || entry->failed_at.ns > ret_last->ns)
                        *ret_last = entry->failed_at;
                count++;
        }
        return count;
}

bool eviction_next_has_to_wait(struct eviction_sync *sync) {
        struct mono_time last = { 0 };
        size_t count = failures_of(sync->target, &last);
        int64_t delay_ns = EVICTION_AGAIN_FIRST_NS;

        if (sync->target->creates && sync->target->next_create.ns > sync->now.mono.ns) {
                eviction_target_wake(sync->target, sync->target->next_create);
                return true;
        }
        if (count == 0)
                return false;
        for (size_t i = 1; i < count && i < DOUBLINGS_MAX; i++)
                delay_ns *= 2;
        if (delay_ns > EVICTION_AGAIN_MAX_NS)
                delay_ns = EVICTION_AGAIN_MAX_NS;
        if (last.ns + delay_ns <= sync->now.mono.ns)
                return false;
        eviction_target_wake(sync->target, (struct mono_time){ last.ns + delay_ns });
        return true;
}
/* Requests that are gone, and are still in our state, get an Eviction that the garbage collector
 * deletes at once: the pauses grow until the watch shows it. */
static void pause_creating(struct eviction_sync *sync) {
        struct eviction_target *target = sync->target;
        int64_t delay_ns = NS_PER_S;

        for (uint32_t i = 0; i < target->creates && delay_ns < EVICTION_AGAIN_FIRST_NS; i++)
                delay_ns *= 2;
        target->creates++;
        target->next_create.ns = sync->now.mono.ns + delay_ns;
}

/* What the scheduler is to hold for the replacement: as long as the stages take at worst, and half
 * as long again.  A pod without owner has no replacement. */
static void write_demand(const struct eviction_sync *sync, struct buf *out) {
        const struct eviction_policy *policy =
                sync->reconciler->config.leads_stages
                        ? eviction_policy_for(sync->reconciler, sync->pod)
                        : NULL;
        int64_t patience_ns = 0;

        if (!policy || policy->reserve == RESERVE_NONE || !sync->pod->owner.len)
                return;
        for (size_t i = 0; i < policy->stage_count; i++)
                patience_ns += eviction_stages_estimate(sync, policy, i).p95_ns;
        patience_ns += patience_ns / 2;
        patience_ns = patience_ns > RESERVE_MAX_NS ? RESERVE_MAX_NS : patience_ns;
        buf_printf(out, ",\"annotations\":{\"" EVICTION_RESERVE_KEY "\":\"%s %llds\"}",
                   policy->reserve == RESERVE_REQUIRED ? "Required" : "BestEffort",
                   (long long)(patience_ns / NS_PER_S + 1));
}

/* The requester in the audit log: there may be more, in the labels. */
static const struct eviction_request *first_live(const struct eviction_target *target) {
        for (size_t i = 0; i < target->request_count; i++)
                if (target->requests[i]->intent == EVICTION_INTENT_EVICT &&
                    !target->requests[i]->object.is_deleting)
                        return target->requests[i];
        return target->requests[0];
}

void eviction_next_create(struct eviction_sync *sync) {
        const struct eviction_target *target = sync->target;
        const struct eviction_request *request = first_live(target);
        struct eviction_status *status = xcalloc(1, sizeof(*status));
        struct eviction_object object = { .ns = target->ns };
        struct buf body = { 0 };
        char name[NAME_MAX_BYTES + 1];

        snprintf(name, sizeof(name), "pod-%llu-" SLICE_FMT, (unsigned long long)next_number(sync),
                 SLICE_ARG(target->name));
        object.name = slice_of(name);
        buf_printf(
                &body,
                "{\"apiVersion\":\"%s/" EVICTION_VERSION
                "\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"" SLICE_FMT
                "\",\"labels\":",
                sync->reconciler->config.group, name, SLICE_ARG(target->ns));
        eviction_snapshot_responders(sync, status);
        eviction_labels_write(sync, status, &body); /* or they were a write of their own */
        free(status);
        buf_text(&body, ",\"ownerReferences\":");
        eviction_owners_write(sync, &body);
        write_demand(sync, &body);
        buf_printf(&body,
                   "},\"spec\":{\"target\":{\"pod\":{\"name\":\"" SLICE_FMT "\",\"uid\":\"%s\"}}}}",
                   SLICE_ARG(target->name), target->uid);
        eviction_audit(sync, (struct audit_record){ .op = SLICE_LITERAL("create"),
                                                    .eviction = object.name,
                                                    .request = request->object.name,
                                                    .requester = request->requester,
                                                    .user = eviction_user_of(sync, request) });
        pause_creating(sync);
        eviction_effect_add(sync, EVICTION_CREATE, &object, eviction_text_keep(sync->out, &body));
}
