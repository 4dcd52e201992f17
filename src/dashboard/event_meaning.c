/* Reasons and actions of Events. */
#include "dashboard/event_meaning.h"

#include "base/util.h"

static const struct {
        const char *member, *part; /* has this in it */
        enum event_meaning meaning;
} rules[] = {
        { "reason", "FailedScheduling", EVENT_WAITING },
        { "reason", "SchedulingGated", EVENT_WAITING },
        { "action", "Binding", EVENT_PLACED },
        { "reason", "Scheduled", EVENT_PLACED },
        { "reason", "Preempted", EVENT_PREEMPTED },
        { "action", "Preempting", EVENT_PREEMPTED },
        { "action", "Descheduled", EVENT_EVICTED },
        { "reason", "Evict", EVENT_EVICTED },
        { "reason", "Reboot", EVENT_REBOOT },
        { "reportingController", "kured", EVENT_REBOOT },
};

enum event_meaning event_meaning_of(const struct json *event) {
        for (size_t i = 0; i < ARRAY_LEN(rules); i++)
                if (slice_contains(json_get_text(event, rules[i].member), slice_of(rules[i].part)))
                        return rules[i].meaning;
        if (slice_is(json_get_text(json_get(event, "regarding"), "kind"), "Node"))
                return EVENT_NODE;
        return slice_is(json_get_text(event, "type"), "Warning") ? EVENT_WARNING : EVENT_OTHER;
}

const char *event_meaning_name(enum event_meaning meaning) {
        static const char *const names[] = { "placed", "waiting", "preempted", "evicted",
                                             "reboot", "node",    "warning",   "other" };

        return names[meaning];
}
