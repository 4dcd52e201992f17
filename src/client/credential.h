/* The Authorization header of a cluster access: bearer token, token from a file that is rotated
 * under us, or user name and password. */
#pragma once

#include "base/err.h"
#include "base/time.h"
#include "client/cluster_access.h"
#include <stdbool.h>

#define TOKEN_FILE_PERIOD_NS (60 * NS_PER_S) /* between two looks at a token file */

struct credential;

/* The access must outlive the credential. Fails when the token file cannot be read. */
int credential_new(const struct cluster_access *access, struct mono_time now,
                   struct credential **ret_credential, struct err *err);
void credential_free(struct credential *credential); /* accepts NULL */
/* "Bearer ..." or "Basic ..."; NULL = none. Valid until the next call of this room. A token file
 * that cannot be read any more leaves the last token in place. */
const char *credential_header(struct credential *credential, struct mono_time now);
/* After a 401: looks at the token file again; true when there is a new token worth a try. */
bool credential_refresh(struct credential *credential, struct mono_time now);
