/* Names of resources and amounts of them: which names may stand where, and which amounts they take.
 * Containers, pods, nodes, quotas and limits have them. */
#pragma once

#include "kinds/check.h"

enum resource_use { RESOURCE_ANYWHERE, RESOURCE_OF_CONTAINER, RESOURCE_OF_POD, RESOURCE_OF_QUOTA };

/* True when nothing was wrong. */
bool check_resource_name(struct checker *checker, const struct at *at, struct slice name,
                         enum resource_use use);
void check_resource_amount(struct checker *checker, const struct at *at, struct slice name,
                           struct slice amount);
bool is_huge_page(struct slice name);
/* May be promised more often than it exists. */
bool is_overcommittable(struct slice name);
bool is_quota_resource(struct slice name); /* one of Kubernetes' own */
