/* What the role of evictions counts, for Prometheus. */
#include "base/util.h"
#include "run/evictions_role.h"

void evictions_role_metrics(const struct evictions_role *role, struct buf *out) {
        struct evictions_role_stats stats;

        evictions_role_stats(role, &stats);
        buf_text(out, "# TYPE evictionrequest_controller_responder_state gauge\n");
        for (size_t i = 0; i < RESPONDER_STATE_COUNT; i++)
                buf_printf(out, "evictionrequest_controller_responder_state{state=\"%s\"} %zu\n",
                           responder_state_name((enum responder_state)i),
                           stats.reconciler.states[i]);
        buf_printf(out,
                   "# TYPE imperative_eviction_responder_controller_failed_evictions counter\n"
                   "imperative_eviction_responder_controller_failed_evictions %llu\n",
                   (unsigned long long)stats.reconciler.failures[EVICTION_EVICT_POD]);
        buf_text(out, "# TYPE berth_evictions_ended_total counter\n");
        for (size_t i = EVICTION_POD_DELETED; i < EVICTION_OUTCOME_COUNT; i++)
                buf_printf(out, "berth_evictions_ended_total{outcome=\"%s\"} %llu\n",
                           eviction_outcome_name((enum eviction_outcome)i),
                           (unsigned long long)stats.reconciler.outcomes[i]);
        buf_printf(out,
                   "# TYPE berth_eviction_targets gauge\nberth_eviction_targets %zu\n"
                   "# TYPE berth_evictions_waiting gauge\nberth_evictions_waiting %zu\n"
                   "# TYPE berth_evictions_orphaned_total counter\nberth_evictions_orphaned_total "
                   "%llu\n"
                   "# TYPE berth_evictions_interrupted_total counter\n"
                   "berth_evictions_interrupted_total %llu\n",
                   stats.reconciler.targets, stats.reconciler.waiting,
                   (unsigned long long)stats.reconciler.orphans,
                   (unsigned long long)stats.reconciler.interrupts);
}
