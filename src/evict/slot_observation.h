/* What others have under way on the cluster, read off objects for the ledger of slots: Evictions
 * with responders at work, migrations of KubeVirt, and, for a process without a model, pods. */
#pragma once

#include "api/json.h"
#include "evict/evict_service.h"
#include "evict/slot_ledger.h"

enum slot_observation_of {
        SLOT_SIGHT_GONE,
        SLOT_SIGHT_SLOW,
        SLOT_SIGHT_ALL /* plain evictions, too */
};

void slot_observation_see(struct slot_ledger *ledger, enum evict_observation observation,
                          const struct json *object, enum slot_observation_of of);
/* Some other program than berth reconciles this Eviction: it wrote the status. */
bool slot_observation_is_foreign(const struct json *eviction);
