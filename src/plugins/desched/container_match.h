/* Looking for reasons and exit codes in a pod's container states. */
#pragma once

#include "plugin/desched_args.h"
#include "plugins/desched/exit_codes.h"

enum container_scope {
        SCOPE_MAIN = 0,
        SCOPE_INIT = 1,      /* also init containers, sidecars among them */
        SCOPE_EPHEMERAL = 2, /* also ephemeral containers */
};
bool container_in_scope(const struct container_row *container, unsigned scope);
/* The waiting or terminated reason is in the set. */
bool container_has_reason(const struct container_row *container, const struct name_set *reasons);
/* Terminated now with a code of the set (never earlier terminations). */
bool container_has_code(const struct container_row *container, const struct exit_code_set *codes);
/* First container in scope for which the test holds; NULL when none does. */
const struct container_row *find_reason(const struct pod_row *pod, unsigned scope,
                                        const struct name_set *reasons);
const struct container_row *find_code(const struct pod_row *pod, unsigned scope,
                                      const struct exit_code_set *codes);
/* status.reason is in the set. */
bool pod_has_reason(const struct pod_row *pod, const struct name_set *reasons);
