/* What the role of evictions counts, for Prometheus: upstream's names where they exist, and our
 * own.  The reconciler has the values; they are read before each writing. */
#include "base/util.h"
#include "pages/metrics.h"
#include "roles/evictions_role_priv.h"
#include <stdlib.h>

enum plain {
        PLAIN_FAILED_CALLS,
        PLAIN_INTERRUPTED,
        PLAIN_ORPHANED,
        PLAIN_TARGETS,
        PLAIN_WAITING,
        PLAIN_COUNT
};

static const struct metric_config plain_families[PLAIN_COUNT] = {
        [PLAIN_FAILED_CALLS] = { .name = "imperative_eviction_responder_controller_failed_"
                                         "evictions",
                                 .help = "Evictions that the API server refused, or did not "
                                         "answer.",
                                 .type = METRIC_COUNTER },
        [PLAIN_INTERRUPTED] = { .name = "berth_evictions_interrupted_total",
                                .help = "Responders passed over because they were silent for 20 "
                                        "minutes.",
                                .type = METRIC_COUNTER },
        [PLAIN_ORPHANED] = { .name = "berth_evictions_orphaned_total",
                             .help = "Evictions that took three times the expected time.",
                             .type = METRIC_COUNTER },
        [PLAIN_TARGETS] = { .name = "berth_eviction_targets",
                            .help = "Pods with requests or Evictions.",
                            .type = METRIC_GAUGE },
        [PLAIN_WAITING] = { .name = "berth_evictions_waiting",
                            .help = "Evictions that wait for a slot.",
                            .type = METRIC_GAUGE },
};

struct evictions_metrics {
        const struct evictions_role *role;
        struct metric *plain[PLAIN_COUNT], *states, *ended;
};

static void evictions_metrics_refresh(void *context) {
        const struct evictions_metrics *metrics = context;
        struct evictions_role_stats stats;
        double values[PLAIN_COUNT];

        evictions_role_stats(metrics->role, &stats);
        values[PLAIN_FAILED_CALLS] = (double)stats.reconciler.failures[EVICTION_EVICT_POD];
        values[PLAIN_INTERRUPTED] = (double)stats.reconciler.interrupts;
        values[PLAIN_ORPHANED] = (double)stats.reconciler.orphans;
        values[PLAIN_TARGETS] = (double)stats.reconciler.targets;
        values[PLAIN_WAITING] = (double)stats.reconciler.waiting;
        for (size_t i = 0; i < PLAIN_COUNT; i++)
                metric_set(metrics->plain[i], NULL, values[i]);
        for (size_t i = 0; i < RESPONDER_STATE_COUNT; i++) {
                struct slice name = slice_of(responder_state_name((enum responder_state)i));

                metric_set(metrics->states, &name, (double)stats.reconciler.states[i]);
        }
        for (size_t i = EVICTION_POD_DELETED; i < EVICTION_OUTCOME_COUNT; i++) {
                struct slice name = slice_of(eviction_outcome_name((enum eviction_outcome)i));

                metric_set(metrics->ended, &name, (double)stats.reconciler.outcomes[i]);
        }
}

struct evictions_metrics *evictions_metrics_new(struct metrics *registry,
                                                const struct evictions_role *role) {
        struct evictions_metrics *metrics = xcalloc(1, sizeof(*metrics));

        metrics->role = role;
        for (size_t i = 0; i < PLAIN_COUNT; i++)
                metrics->plain[i] = metrics_add(registry, &plain_families[i]);
        metrics->states = metrics_add(
                registry,
                &(struct metric_config){ .name = "evictionrequest_controller_responder_state",
                                         .help = "Responders of Evictions under way, by state.",
                                         .type = METRIC_GAUGE,
                                         .labels = { "state" } });
        metrics->ended = metrics_add(
                registry, &(struct metric_config){ .name = "berth_evictions_ended_total",
                                                   .help = "Evictions that ended, by outcome.",
                                                   .type = METRIC_COUNTER,
                                                   .labels = { "outcome" } });
        metrics_on_write(registry, evictions_metrics_refresh, metrics);
        return metrics;
}
