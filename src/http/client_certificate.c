/* Chains of client certificates, judged by OpenSSL wherever they came from. */
#include "http/client_certificate.h"

#include "base/util.h"
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define UID_ATTRIBUTE "1.3.6.1.4.1.57683.2" /* the user's uid (Kubernetes 1.33) */

struct certificate_pool {
        X509_STORE *store;
};

/* ---- authorities ---- */

static size_t add_authorities(X509_STORE *store, struct slice pem) {
        BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
        size_t count = 0;
        X509 *authority;

        while (bio && (authority = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
                count += X509_STORE_add_cert(store, authority) == 1;
                X509_free(authority);
        }
        ERR_clear_error(); /* the end of the text is one */
        BIO_free(bio);
        return count;
}

int certificate_pool_new(struct slice pem, struct certificate_pool **ret_pool, struct err *err) {
        X509_STORE *store = pem.len <= INT_MAX ? X509_STORE_new() : NULL;

        if (!store || add_authorities(store, pem) == 0) {
                X509_STORE_free(store);
                return err_set(err, BERTH_ERR_INVALID, "no certificate of an authority in there");
        }
        *ret_pool = xcalloc(1, sizeof(**ret_pool));
        (*ret_pool)->store = store;
        return 0;
}

void certificate_pool_free(struct certificate_pool *pool) {
        if (!pool)
                return;
        X509_STORE_free(pool->store);
        free(pool);
}

/* ---- chains ---- */

static X509 *read_first(struct slice *chain) {
        const unsigned char *at = (const unsigned char *)chain->ptr;
        X509 *certificate = NULL;

        if (chain->len > 0 && chain->len <= LONG_MAX)
                certificate = d2i_X509(NULL, &at, (long)chain->len);
        if (!certificate) {
                ERR_clear_error();
                return NULL;
        }
        chain->len -= (size_t)((const char *)at - chain->ptr);
        chain->ptr = (const char *)at;
        return certificate;
}

/* What stands between the client's certificate and an authority. */
static STACK_OF(X509) * read_rest(struct slice chain) {
        STACK_OF(X509) *rest = sk_X509_new_null();
        X509 *certificate;

        for (int i = 1; rest && i < CLIENT_CHAIN_MAX && (certificate = read_first(&chain)); i++)
                if (!sk_X509_push(rest, certificate))
                        X509_free(certificate);
        return rest;
}

/* Go trusts whatever certificate is in the pool, not only one that signed itself. */
static bool client_certificate_prepare(X509_STORE_CTX *context, int64_t now_s) {
        X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(context);

        X509_VERIFY_PARAM_set_time(rules, (time_t)now_s);
        return X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN) == 1 &&
               X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_SSL_CLIENT) == 1;
}

int certificate_pool_verify(const struct certificate_pool *pool, struct slice chain, int64_t now_s,
                            struct err *err) {
        X509 *own = read_first(&chain);
        STACK_OF(X509) *rest = read_rest(chain);
        X509_STORE_CTX *context = X509_STORE_CTX_new();
        int r = 0;

        if (!own || !rest || !context || !X509_STORE_CTX_init(context, pool->store, own, rest) ||
            !client_certificate_prepare(context, now_s))
                r = err_set(err, BERTH_ERR_INVALID, "the client's certificate is not readable");
        else if (X509_verify_cert(context) != 1)
                r = err_set(err, BERTH_ERR_INVALID, "the client's certificate: %s",
                            X509_verify_cert_error_string(X509_STORE_CTX_get_error(context)));
        ERR_clear_error();
        X509_STORE_CTX_free(context);
        sk_X509_pop_free(rest, X509_free);
        X509_free(own);
        return r;
}

/* ---- subjects ---- */

/* NULL when the text is none: a NUL inside would let a name end early. */
static char *entry_text(const X509_NAME *subject, int at) {
        unsigned char *utf8 = NULL;
        int length = ASN1_STRING_to_UTF8(
                &utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
        char *text = NULL;

        if (length >= 0 && !memchr(utf8, '\0', (size_t)length))
                text = slice_dup(slice_make((const char *)utf8, (size_t)length));
        OPENSSL_free(utf8);
        return text;
}

/* The last one, as Go keeps it; empty when there is none, NULL when it is no text. */
static char *last_text(const X509_NAME *subject, const ASN1_OBJECT *attribute) {
        int at = -1, next;

        while ((next = X509_NAME_get_index_by_OBJ(subject, attribute, at)) >= 0)
                at = next;
        return at < 0 ? slice_dup(SLICE_EMPTY) : entry_text(subject, at);
}

static bool read_organizations(const X509_NAME *subject, struct client_certificate *certificate) {
        size_t most = (size_t)X509_NAME_entry_count(subject);
        int at = -1;

        certificate->organizations = xcalloc(most + 1, sizeof(*certificate->organizations));
        while ((at = X509_NAME_get_index_by_NID(subject, NID_organizationName, at)) >= 0) {
                char *text = entry_text(subject, at);

                if (!text)
                        return false;
                certificate->organizations[certificate->organization_count++] = text;
        }
        return true;
}

static bool read_subject(const X509_NAME *subject, struct client_certificate *certificate) {
        ASN1_OBJECT *uid = OBJ_txt2obj(UID_ATTRIBUTE, 1);

        certificate->common_name = last_text(subject, OBJ_nid2obj(NID_commonName));
        certificate->uid = last_text(subject, uid);
        ASN1_OBJECT_free(uid);
        return certificate->common_name && certificate->uid &&
               read_organizations(subject, certificate);
}

int client_certificate_read(struct slice chain, struct client_certificate *ret_certificate,
                            struct err *err) {
        struct client_certificate certificate = { 0 };
        const char *start = chain.ptr;
        X509 *own = read_first(&chain);
        int r = 0;

        if (own && read_subject(X509_get_subject_name(own), &certificate)) {
                sha256_text(slice_make(start, (size_t)(chain.ptr - start)), certificate.digest);
                *ret_certificate = certificate;
        } else {
                client_certificate_release(&certificate);
                r = err_set(err, BERTH_ERR_INVALID, "the client's certificate is not readable");
        }
        X509_free(own);
        return r;
}

void client_certificate_release(struct client_certificate *certificate) {
        for (size_t i = 0; i < certificate->organization_count; i++)
                free(certificate->organizations[i]);
        free(certificate->organizations);
        free(certificate->common_name);
        free(certificate->uid);
        *certificate = (struct client_certificate){ 0 };
}
