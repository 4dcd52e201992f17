/* The key that tokens of service accounts are signed with (JSON Web Tokens, ES256). */
#pragma once

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

struct account_key;

/* From a P-256 private key as PEM text; NULL = a new key. NULL when the text is no such key. */
struct account_key *account_key_new(const char *pem);
void account_key_free(struct account_key *key); /* accepts NULL */
/* Appends the token that says these claims (JSON text). */
bool account_key_sign(const struct account_key *key, struct slice claims, struct buf *out);
/* Appends the claims of a token that this key has signed; false for any other text. */
bool account_key_open(const struct account_key *key, struct slice token, struct buf *out);
/* The public half as a JSON Web Key Set. */
bool account_key_publish(const struct account_key *key, struct buf *out);
