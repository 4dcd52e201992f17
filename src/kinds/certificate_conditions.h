/* Conditions of CertificateSigningRequests. */
#pragma once

#include "api/json.h"

/* Those that stay once they are there; the first of them are written by /approval alone. */
#define CERTIFICATE_LASTING 3
#define CERTIFICATE_APPROVALS 2
extern const char *const certificate_lasting[CERTIFICATE_LASTING];

/* How many have the type: of a list, and of a stored request (NULL: none). */
size_t certificate_conditions(const struct json_node *conditions, const char *type);
size_t certificate_old_conditions(const struct json *old, const char *type);
