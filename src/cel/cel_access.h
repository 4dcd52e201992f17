/* Questions that expressions of admission put to the authorizer. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

#define CEL_ACCESS_COST 350000 /* upstream's, of one question */

/* Who may do what, as far as an expression has said it; a decision has the answer, too. */
struct cel_access {
        struct slice account_ns, account; /* of a service account; empty: who asks */
        struct slice path;                /* set: nothing but path and verb count */
        struct slice group, resource, subresource, ns, name, verb;
        bool is_allowed;
        struct slice reason;
};
struct cel_authorizer {
        /* The reason lives as long as what is evaluated. */
        bool (*allows)(void *context, const struct cel_access *access, const char **ret_reason);
        void *context;
        const struct cel_access *resource; /* authorizer.requestResource */
};
