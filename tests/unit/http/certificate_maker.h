/* Certificates for tests: authorities and what they sign. */
#pragma once

#include "base/buf.h"
#include <openssl/x509v3.h>

struct made_certificate {
        EVP_PKEY *key;
        X509 *certificate;
};
struct made_subject {
        const char *name;             /* CN; NULL = none */
        const char *organizations[3]; /* ended by NULL */
        const char *uid;              /* NULL = none */
        const char *usage;            /* extended key usage; NULL = none said */
        long from_s, until_s;         /* seconds since 1970 */
};
/* signer NULL = an authority, by itself. */
struct made_certificate certificate_make(const struct made_subject *subject,
                                         const struct made_certificate *signer);
void made_certificate_release(struct made_certificate *made);
void made_certificate_pem(const struct made_certificate *made, struct buf *out);
void made_certificate_der(const struct made_certificate *made, struct buf *out);
