/* Certificates that clients show: whether an authority signed them, and whom they name. */
#pragma once

#include "base/err.h"
#include "base/sha256.h"
#include "base/slice.h"
#include <stddef.h>
#include <stdint.h>

/* Certificates of one client beyond this are ignored. */
#define CLIENT_CHAIN_MAX 16

struct certificate_pool; /* authorities that are trusted */
/* pem: one certificate or more; anything between them is passed over. */
int certificate_pool_new(struct slice pem, struct certificate_pool **ret_pool, struct err *err);
void certificate_pool_free(struct certificate_pool *pool); /* accepts NULL */

/* A chain is DER, one certificate behind the other, the client's own first. 0 when an authority of
 * the pool signed it as a client's, valid at that time (seconds since 1970). */
int certificate_pool_verify(const struct certificate_pool *pool, struct slice chain, int64_t now_s,
                            struct err *err);

/* The subject as Kubernetes reads it. */
struct client_certificate {
        char *common_name, *uid; /* malloc'ed; empty = none */
        char **organizations;
        size_t organization_count;
        char digest[SHA256_TEXT_SIZE]; /* of the certificate */
};
int client_certificate_read(struct slice chain, struct client_certificate *ret_certificate,
                            struct err *err);
void client_certificate_release(struct client_certificate *certificate);
