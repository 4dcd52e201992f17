/* Evictions that take far longer than expected: their requesters may be gone. They go on, as their
 * requests ask; the audit log gets one line. */
#include "base/util.h"
#include "evict/eviction_progress.h"
#include "evict/eviction_stages.h"

/* The 95th percentile of all stages of the pod's policy; without one, the time after which a silent
 * responder is given up. */
static int64_t expected_ns(const struct eviction_sync *sync) {
        const struct eviction_policy *policy =
                sync->is_alive && sync->reconciler->config.leads_stages
                        ? eviction_policy_for(sync->reconciler, sync->pod)
                        : NULL;
        int64_t total_ns = 0;

        if (!policy)
                return EVICTION_SILENCE_NS;
        for (size_t i = 0; i < policy->stage_count; i++)
                total_ns += eviction_stages_estimate(sync, policy, i).p95_ns;
        return total_ns;
}

static void eviction_orphans_report(struct eviction_sync *sync,
                                    const struct eviction_entry *entry) {
        for (size_t i = 0; i < sync->target->request_count; i++) {
                const struct eviction_request *request = sync->target->requests[i];

                if (request->intent != EVICTION_INTENT_EVICT || request->object.is_deleting)
                        continue;
                eviction_audit(sync,
                               (struct audit_record){ .op = SLICE_LITERAL("orphan"),
                                                      .request = request->object.name,
                                                      .eviction = entry->eviction->object.name,
                                                      .requester = request->requester });
        }
}

void eviction_orphans_watch(struct eviction_sync *sync, struct eviction_entry *entry) {
        const struct eviction_status *status = &entry->eviction->status;
        struct mono_time due;

        if (entry->is_orphan || !sync->is_wanted || eviction_active(status) < 0)
                return;
        if (!entry->has_begun) {
                int64_t age_ns = sync->now.wall.ns - status->responders[0].start.ns;

                entry->has_begun = true;
                entry->begun.ns = sync->now.mono.ns - (age_ns > 0 ? age_ns : 0);
        }
        due.ns = entry->begun.ns + EVICTION_ORPHAN_FACTOR * expected_ns(sync);
        if (sync->now.mono.ns < due.ns) {
                eviction_target_wake(sync->target, due);
                return;
        }
        entry->is_orphan = true;
        sync->reconciler->stats.orphans++;
        eviction_orphans_report(sync, entry);
}
