/* Actions as API requests: the one place that knows how each is written on the wire. */
#pragma once

#include "base/arena.h"
#include "model/action.h"
#include "port/transport.h"
#include <stdbool.h>

/* Annotation of an Eviction whose pod had finished when it was asked for. */
#define FINISHED_POD_KEY "lifecycle.berth.dev/finished-pod"

struct action_request {
        enum api_method method;
        struct slice path, content_type, body;
};

/* Whether the action is a request to the API server with a form of its own here: not an event, a
 * reboot or a notification. */
bool action_is_request(enum action_kind kind);
/* For those only; texts live in the arena. */
void action_request_make(const struct action *action, struct arena *arena,
                         struct action_request *ret_request);
