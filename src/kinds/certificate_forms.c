/* Certificates and requests in PEM. */
#include "kinds/certificate_forms.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

#define REQUEST_BLOCK "CERTIFICATE REQUEST"
#define CERTIFICATE_BLOCK "CERTIFICATE"

struct pem_block {
        char *name, *header;
        unsigned char *data;
        long length;
};

static void pem_block_release(struct pem_block *block) {
        OPENSSL_free(block->name);
        OPENSSL_free(block->header);
        OPENSSL_free(block->data);
        *block = (struct pem_block){ 0 };
}

static BIO *text_open(struct slice pem) {
        return pem.len > 0 && pem.len <= INT_MAX ? BIO_new_mem_buf(pem.ptr, (int)pem.len) : NULL;
}

/* The next block of the text; false: there is none. */
static bool next_block(BIO *text, struct pem_block *block) {
        pem_block_release(block);
        bool has_block = text && PEM_read_bio(text, &block->name, &block->header, &block->data,
                                              &block->length) == 1;
        ERR_clear_error(); /* the end of the text is one */
        return has_block;
}

/* ---- requests ---- */

static X509_REQ *read_request(struct slice pem, const char **ret_problem) {
        struct pem_block block = { 0 };
        BIO *text = text_open(pem);
        X509_REQ *request = NULL;

        if (!next_block(text, &block) || strcmp(block.name, REQUEST_BLOCK) != 0) {
                *ret_problem = "PEM block type must be " REQUEST_BLOCK;
        } else {
                const unsigned char *at = block.data;
                request = d2i_X509_REQ(NULL, &at, block.length);
                if (!request)
                        *ret_problem = "asn1: not a certificate request";
                else if (at != block.data + block.length)
                        *ret_problem = "asn1: syntax error: trailing data";
        }
        pem_block_release(&block);
        BIO_free(text);
        ERR_clear_error();
        return request;
}

static const char *forged_text(const EVP_PKEY *key) {
        switch (key ? EVP_PKEY_base_id(key) : EVP_PKEY_NONE) {
        case EVP_PKEY_EC:
                return "x509: ECDSA verification failure";
        case EVP_PKEY_ED25519:
                return "x509: Ed25519 verification failure";
        case EVP_PKEY_RSA:
                return "crypto/rsa: verification error";
        default:
                return "x509: cannot verify signature: algorithm unimplemented";
        }
}

const char *certificate_request_problem(struct slice pem) {
        const char *problem = NULL;
        X509_REQ *request = read_request(pem, &problem);
        EVP_PKEY *key = request ? X509_REQ_get0_pubkey(request) : NULL;

        if (!problem && X509_REQ_verify(request, key) != 1)
                problem = forged_text(key);
        X509_REQ_free(request);
        ERR_clear_error();
        return problem;
}

bool certificate_request_has_organization(struct slice pem, const char *organization) {
        const char *problem = NULL;
        X509_REQ *request = read_request(pem, &problem);
        const X509_NAME *subject = request ? X509_REQ_get_subject_name(request) : NULL;
        size_t length = strlen(organization);
        bool is_there = false;

        for (int at = -1; subject && !is_there;) {
                at = X509_NAME_get_index_by_NID(subject, NID_organizationName, at);
                if (at < 0)
                        break;
                const ASN1_STRING *value =
                        X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
                is_there = (size_t)ASN1_STRING_length(value) == length &&
                           memcmp(ASN1_STRING_get0_data(value), organization, length) == 0;
        }
        X509_REQ_free(request);
        return is_there;
}

/* ---- certificates ---- */

static const char *block_problem(struct arena *arena, const struct pem_block *block) {
        const unsigned char *at = block->data, *end = block->data + block->length;

        if (strcmp(block->name, CERTIFICATE_BLOCK) != 0)
                return arena_printf(
                        arena, "only " CERTIFICATE_BLOCK " PEM blocks are allowed, found \"%s\"",
                        block->name);
        if (*block->header)
                return "no PEM block headers are permitted";
        if (at == end)
                return "found " CERTIFICATE_BLOCK " PEM block containing 0 certificates";
        while (at < end) {
                X509 *certificate = d2i_X509(NULL, &at, end - at);

                if (!certificate) {
                        ERR_clear_error();
                        return "x509: malformed certificate";
                }
                X509_free(certificate);
        }
        return NULL;
}

const char *certificate_list_problem(struct arena *arena, struct slice pem) {
        struct pem_block block = { 0 };
        BIO *text = text_open(pem);
        const char *problem = NULL;
        size_t count = 0;

        for (; !problem && next_block(text, &block); count++)
                problem = block_problem(arena, &block);
        pem_block_release(&block);
        BIO_free(text);
        return problem || count ? problem : "must contain at least one CERTIFICATE PEM block";
}
