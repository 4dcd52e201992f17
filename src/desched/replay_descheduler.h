/* Answers recorded cases about the descheduler (`berth replay descheduler` and `policy-errors`),
 * by the code that acts, with parity. */
#pragma once

#include "api/json.h"
#include "model/evict_intent.h"
#include "plugin/plugin.h"

struct replay_descheduler_config {
        const struct plugin *const *registry;
        /* Decides on limits; an eviction service of its own, with parity, for each case. */
        struct evict_sink sink;
};
/* test_case: {"name", "now", "policy", "objects"}.  Appends {"name":...,"expect":{...}} without a
 * newline; a policy that is refused is answered with expect.error.  Only a case that cannot be
 * understood is an error of the call. */
int replay_descheduler_case(const struct json *test_case,
                            const struct replay_descheduler_config *config, struct buf *out,
                            struct err *err);
