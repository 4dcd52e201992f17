/* Token and authority of the mounted service account, for servers inside the cluster: read beside
 * the loop, so that a mount that does not answer holds nothing up. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include "port/loop.h"

#define MOUNTED_TOKEN "/var/run/secrets/kubernetes.io/serviceaccount/token"
#define MOUNTED_AUTHORITY "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"

struct mounted_account;
/* read runs, from the loop, at the end of each read, or once it has taken too long: what was read
 * last counts then. */
struct mounted_account *mounted_account_new(struct loop *loop, void (*read)(void *context),
                                            void *context);
void mounted_account_free(struct mounted_account *account); /* accepts NULL */
/* One at a time: read has to run before the next. */
void mounted_account_start(struct mounted_account *account);
/* Borrowed until the next read runs; empty = there is none. */
struct slice mounted_account_token(const struct mounted_account *account);
struct slice mounted_account_authority(const struct mounted_account *account);
/* Why there is none: names the file. */
const struct err *mounted_account_token_error(const struct mounted_account *account);
const struct err *mounted_account_authority_error(const struct mounted_account *account);
