/* Looks ahead at disruption budgets, so that a pass neither spends its limits nor API calls on
 * evictions the API server is known to refuse.  The server stays the judge: what is uncertain here
 * (a status that lags behind) counts as allowed. */
#include "evict/evict_priv.h"
#include <stdio.h>

/* Readiness decides whether an unhealthy pod may bypass its budget; unknown counts as ready. */
static bool is_ready(const struct cluster *cluster, const struct pod_row *pod) {
        const struct pod_detail *detail = pod->detail;
        for (uint32_t i = 0; detail && i < detail->condition_count; i++) {
                const struct condition_row *row = &detail->conditions[i];
                if (slice_is(cluster_text(cluster, row->type), "Ready"))
                        return row->status == CONDITION_TRUE;
        }
        return true;
}

/* The next budget that covers the pod; NULL = no more. */
static const struct budget_row *next_budget(const struct cluster *cluster,
                                            const struct pod_row *pod, size_t *at) {
        const struct budget_row *row;
        while ((row = cluster_budget_next(cluster, pod->ns, at)))
                if (row->has_selector && !row->selector_is_invalid &&
                    cluster_labels_match(cluster, &row->selector, pod->labels))
                        return row;
        return NULL;
}

static const struct budget_row *find_budget(const struct cluster *cluster,
                                            const struct pod_row *pod, size_t *ret_count) {
        const struct budget_row *found = NULL, *row;
        size_t at = 0;
        for (*ret_count = 0; (row = next_budget(cluster, pod, &at)); (*ret_count)++)
                found = row;
        return found;
}

void evict_budgets_write(const struct cluster *cluster, struct pod_id pod, struct buf *out) {
        const struct pod_row *row = cluster_pod(cluster, pod);
        const struct budget_row *budget;
        size_t at = 0;
        for (const char *separator = ""; (budget = next_budget(cluster, row, &at));
             separator = ", ")
                buf_printf(out, "%s" SLICE_FMT, separator,
                           SLICE_ARG(cluster_text(cluster, budget->name)));
}

static bool may_bypass(const struct cluster *cluster, const struct budget_row *budget,
                       const struct pod_row *pod) {
        if (is_ready(cluster, pod))
                return false;
        return budget->always_allow_unhealthy ||
               (budget->desired_healthy > 0 && budget->current_healthy >= budget->desired_healthy);
}

bool evict_budget_blocks(const struct cluster *cluster, struct map *used,
                         const struct evict_intent *intent, char *text) {
        struct pod_id id = cluster_find_pod(cluster, intent->pod.ns, intent->pod.name);
        if (pod_id_is_none(id))
                return false;
        const struct pod_row *pod = cluster_pod(cluster, id);
        if (pod->phase == POD_PENDING || pod_row_is_finished(pod) || pod->flags & POD_TERMINATING)
                return false;
        size_t count;
        const struct budget_row *budget = find_budget(cluster, pod, &count);
        if (count == 0)
                return false;
        if (count > 1) {
                snprintf(text, EVICT_BUDGET_TEXT_MAX, "%zu disruption budgets match the pod",
                         count);
                return true;
        }
        if (may_bypass(cluster, budget, pod) || budget->observed_generation < budget->generation)
                return false;
        struct slice name = cluster_text(cluster, budget->name);
        char key[600];
        snprintf(key, sizeof(key), SLICE_FMT "/" SLICE_FMT, SLICE_ARG(intent->pod.ns),
                 SLICE_ARG(name));
        uint64_t taken = (uint64_t)(uintptr_t)map_get(used, slice_of(key));
        if (budget->disruptions_allowed < 0 || taken >= (uint64_t)budget->disruptions_allowed) {
                snprintf(text, EVICT_BUDGET_TEXT_MAX,
                         "disruption budget " SLICE_FMT " allows no more disruptions",
                         SLICE_ARG(name));
                return true;
        }
        map_put(used, slice_of(key), (void *)(uintptr_t)(taken + 1));
        return false;
}
