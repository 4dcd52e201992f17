/* ValidatingAdmissionPolicies: what follows from what they say of a write. */
#pragma once

#include "server/webhook.h"

/* Most clusters have none. */
bool has_policies(const struct api_context *context);
/* 0, or API_FAILED for a refusal. */
int policies_validate(struct api_context *context, const struct webhook_subject *subject);
