/* Pods that must not be evicted, since what is to prepare them cannot be read: a mistake in writing
 * must not cost a pod its preparation. */
#include "evict/eviction_reconciler_priv.h"
#include "evict/eviction_stages.h"
#include <stdio.h>

struct slice eviction_policy_hold_reason(const struct eviction_policy *policy, char *text) {
        if (!policy || !policy->is_unreadable)
                return SLICE_EMPTY;
        snprintf(text, EVICTION_HOLD_TEXT_MAX,
                 "held: EvictionPolicy \"" SLICE_FMT "\" cannot be read: " SLICE_FMT,
                 SLICE_ARG(policy->name), SLICE_ARG(policy->problem));
        return slice_of(text);
}

struct slice eviction_hold_reason(const struct eviction_sync *sync, char *text) {
        struct eviction_responder responders[EVICTION_RESPONDERS_MAX];
        struct err err = { 0 };
        size_t count;

        if (!sync->is_alive || sync->is_finished)
                return SLICE_EMPTY;
        if (sync->reconciler->config.leads_stages) {
                struct slice reason = eviction_policy_hold_reason(
                        eviction_policy_for(sync->reconciler, sync->pod), text);

                if (reason.len)
                        return reason;
        }
        if (eviction_responders_parse(sync->pod->responders, responders, &count, &err) == 0)
                return SLICE_EMPTY;
        snprintf(text, EVICTION_HOLD_TEXT_MAX,
                 "held: annotation " EVICTION_RESPONDERS_KEY " of the pod cannot be read: %.300s",
                 err.text);
        return slice_of(text);
}
