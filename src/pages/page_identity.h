/* Who sent a request, by certificate: the user that a client certificate names, or the user that an
 * authenticating proxy names in headers (Kubernetes' request-header authentication). */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/time.h"
#include "port/loop.h"
#include <stdbool.h>

struct page_identity;

/* NULL or empty stands for none; lists are comma-separated. */
struct page_identity_config {
        struct loop *loop; /* beside which files are read again; not needed without files */
        const char *client_ca_path; /* authorities of clients */
        const char *proxy_ca_path;  /* authorities of proxies, and with them all that follows */
        const char *allowed_names;  /* common names of proxies; none = any */
        const char *user_headers, *uid_headers, *group_headers, *extra_prefixes;
};
/* Reads the files. The configuration must outlive it. */
int page_identity_new(const struct page_identity_config *config,
                      struct page_identity **ret_identity, struct err *err);
void page_identity_free(struct page_identity *identity); /* accepts NULL */

/* Reads the files again, beside the loop; what cannot be read stays as it was. */
void page_identity_refresh(struct page_identity *identity);
/* Takes what no file says from the cluster's ConfigMap extension-apiserver-authentication, as
 * JSON. Of what is not right in it the old stays; the first such thing is the error. */
int page_identity_learn(struct page_identity *identity, struct slice config_map, struct err *err);

struct page_evidence {
        struct slice certificates; /* DER, the client's first; empty = none */
        struct slice headers;      /* NAME NUL VALUE NUL ... */
};
enum page_proof {
        PAGE_PROOF_NONE,  /* says nothing about who asks */
        PAGE_PROOF_GOOD,  /* ret_user holds a TokenReview's status.user as JSON */
        PAGE_PROOF_WRONG, /* a certificate that counts for nothing */
};
enum page_proof page_identity_prove(const struct page_identity *identity,
                                    const struct page_evidence *evidence, struct wall_time now,
                                    struct buf *ret_user);
