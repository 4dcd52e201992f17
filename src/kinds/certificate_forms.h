/* What texts in PEM hold: certificates and requests for them, as OpenSSL reads them. */
#pragma once

#include "base/arena.h"
#include "base/slice.h"
#include <stdbool.h>

/* What is wrong with a request (PKCS #10, the first block of the text), its signature included;
 * NULL = nothing.  In the words of the API server where a user can mend it. */
const char *certificate_request_problem(struct slice pem);
/* Whether the subject of a request names the organization.  False for what is no request. */
bool certificate_request_has_organization(struct slice pem, const char *organization);
/* The same as the first for a list of certificates; the text may be in the arena. */
const char *certificate_list_problem(struct arena *arena, struct slice pem);
