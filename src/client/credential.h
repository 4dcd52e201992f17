/* The Authorization header of a cluster access: bearer token, token from a file that is rotated
 * under us, token of a plugin, or user name and password. */
#pragma once

#include "base/err.h"
#include "client/cluster_access.h"
#include "port/loop.h"
#include <stdbool.h>

#define TOKEN_FILE_PERIOD_NS (60 * NS_PER_S) /* between two looks at a token file */
#define EXEC_MARGIN_NS (30 * NS_PER_S)       /* before its end a plugin's token is renewed */
#define EXEC_PERIOD_NS (5 * NS_PER_S)        /* a plugin is not run more often */

struct credential;

/* Runs the plugin, reads the token file; its failure is ours. A certificate of the plugin becomes
 * that of the access. Both arguments must outlive the credential. */
int credential_new(struct cluster_access *access, struct loop *loop,
                   struct credential **ret_credential, struct err *err);
void credential_free(struct credential *credential); /* accepts NULL */
/* "Bearer ..." or "Basic ..."; NULL = none. Valid until the next call of this room. Where renewal
 * fails the last token stays in place. */
const char *credential_header(struct credential *credential);
/* After a 401: looks again; true when there is a new token worth a try. */
bool credential_refresh(struct credential *credential);
