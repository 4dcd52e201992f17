/* What each controller of kube-controller-manager may do by itself. */
#pragma once

#include <stddef.h>

/* One rule of a role. Lists are words between single spaces; "-" is the core group. */
struct role_rule {
        const char *role, *groups, *resources, *names, *verbs;
};

/* Rules of one controller stand together; its role is system:controller:ROLE, its account
 * ROLE in kube-system. */
const struct role_rule *controller_rules(size_t *ret_count);
