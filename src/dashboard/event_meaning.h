/* What an Event means to people who look on. */
#pragma once

#include "api/json.h"

enum event_meaning {
        EVENT_PLACED,
        EVENT_WAITING,
        EVENT_PREEMPTED,
        EVENT_EVICTED,
        EVENT_REBOOT,
        EVENT_NODE,
        EVENT_WARNING,
        EVENT_OTHER
};

/* By reason, action and reporter, as kube-scheduler, Descheduler, kured and berth write them. */
enum event_meaning event_meaning_of(const struct json *event);
const char *event_meaning_name(enum event_meaning meaning); /* placed, waiting, ... */
