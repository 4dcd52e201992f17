/* The pod that stands for a reservation in the scheduler's model. */
#pragma once

#include "api/json.h"
#include "base/buf.h"

#define RESERVATION_SCHEDULER                                                                      \
        "reservations.berth.dev" /* its schedulerName: no scheduler places it */

/* Of a pod as the API gives it: the same requests, priority and constraints, pending, nowhere, not
 * on this pod's node, without labels and owners.  Appends JSON. */
void reservation_pod_write(struct slice pod_json, struct slice name, struct buf *out);
