/* ValidatingAdmissionPolicies: which of them a write concerns, through which bindings, with which
 * parameters, and what follows from what they say. */
#pragma once

#include "server/webhook.h"

/* Most clusters have none. */
bool has_policies(const struct api_context *context);
/* 0, or API_FAILED for a refusal. */
int policies_validate(struct api_context *context, const struct webhook_subject *subject);
