/* Extenders: services that have a say in where pods go (reference scheduler.md 1.6).  The core says
 * whom to ask what; the edge asks, and the answer comes back as the outcome of an action. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extender {
        struct slice name; /* its URL, for messages */
        bool filters, prioritizes, binds, preempts, is_ignorable;
        int64_t weight;
        /* Resources it manages: only pods that ask for one of them concern it; none = all pods. */
        size_t resource_count;
        const struct slice *resources;
};
