/* Actions as API requests: the one place that knows how each is written on the wire. */
#pragma once

#include "base/arena.h"
#include "model/action.h"
#include "port/transport.h"

struct action_request {
        enum api_method method;
        struct slice path, content_type, body;
};

/* Everything but ACTION_RECORD_EVENT; texts live in the arena. */
void action_request_make(const struct action *action, struct arena *arena,
                         struct action_request *ret_request);
