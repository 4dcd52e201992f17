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

/* Waits for the plugin, reads the token file; its failure is ours. A certificate of the plugin
 * becomes that of the access. Both arguments must outlive the credential. */
int credential_new(struct cluster_access *access, struct loop *loop,
                   struct credential **ret_credential, struct err *err);
void credential_free(struct credential *credential); /* accepts NULL */
/* renewed runs, from the loop, whenever the plugin has ended or the token file was read, well or
 * not, and when that file does not answer. */
void credential_listen(struct credential *credential, void (*renewed)(void *context),
                       void *context);
/* Renews what is about to end, in the background. False: the token has ended or was refused, and
 * another is being fetched; renewed follows. */
bool credential_can_send(struct credential *credential);
/* "Bearer ..." or "Basic ..."; NULL = none. Valid until the next call of a function of this file.
 * When renewal fails the last token stays. The generation changes with the header; NULL = not
 * wanted. */
const char *credential_header(const struct credential *credential, uint64_t *ret_generation);
/* After a 401 to the header of this generation: true when another is there or on its way
 * (credential_can_send). */
bool credential_refresh(struct credential *credential, uint64_t refused_generation);
