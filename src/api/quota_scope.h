/* Which pods a ResourceQuota is about. */
#pragma once

#include "api/json.h"
#include "api/object.h"

/* All of the scopes and of the scope selector of a quota's spec. Unknown scopes hold every pod. */
bool quota_covers_pod(const struct json *quota_spec, const struct pod_spec *spec);
