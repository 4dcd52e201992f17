/* Which pods and claims of volumes a ResourceQuota is about. */
#pragma once

#include "api/json.h"
#include "api/object.h"

/* All of the scopes and of the scope selector of a quota's spec hold the pod. Whether it looks at
 * pods of other namespaces is not in its decoded form and counts as so. */
bool quota_covers_pod(const struct json *quota_spec, const struct pod_spec *spec);
/* The same of a claim, which only scopes of VolumeAttributesClasses can hold: the one it wants, the
 * one it has, and the one it is being changed to. */
bool quota_covers_claim(const struct json *quota_spec, const struct json *claim);
