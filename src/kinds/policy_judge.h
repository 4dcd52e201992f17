/* What a ValidatingAdmissionPolicy has to say about one write, once it is known to concern it. */
#pragma once

#include "kinds/policy_case.h"
#include <stddef.h>

struct policy_denial {
        const char *message;
        const char *reason; /* NULL: an expression failed, and the policy says that this denies */
        bool is_final;      /* whatever the actions of the binding */
};
/* In the order of the policy's validations; of its annotations only the failures. */
struct policy_denials {
        struct policy_denial *items;
        size_t count, cap;
};
/* All that is returned lives in the arena. */
void policy_judge(const struct policy_case *policy, struct policy_denials *ret_denials);
