/* Small P-256 certificates. */
#include "certificate_maker.h"

#include <assert.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stddef.h>

static void add_name(X509_NAME *name, const char *field, const char *value) {
        if (value)
                assert(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                                  (const unsigned char *)value, -1, -1, 0) == 1);
}

static void add_uid(X509_NAME *name, const char *uid) {
        ASN1_OBJECT *attribute = OBJ_txt2obj("1.3.6.1.4.1.57683.2", 1);

        if (uid)
                assert(X509_NAME_add_entry_by_OBJ(name, attribute, MBSTRING_UTF8,
                                                  (const unsigned char *)uid, -1, -1, 0) == 1);
        ASN1_OBJECT_free(attribute);
}

static void add_extension(X509 *certificate, int id, const char *value) {
        X509V3_CTX context;
        X509_EXTENSION *extension;

        X509V3_set_ctx_nodb(&context);
        X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
        extension = X509V3_EXT_conf_nid(NULL, &context, id, value);
        assert(extension);
        assert(X509_add_ext(certificate, extension, -1) == 1);
        X509_EXTENSION_free(extension);
}

struct made_certificate certificate_make(const struct made_subject *subject,
                                         const struct made_certificate *signer) {
        struct made_certificate made = { EVP_EC_gen("P-256"), X509_new() };
        X509_NAME *name = X509_get_subject_name(made.certificate);

        for (size_t i = 0; i < 3 && subject->organizations[i]; i++)
                add_name(name, "O", subject->organizations[i]);
        add_name(name, "CN", subject->name);
        add_uid(name, subject->uid);
        X509_set_version(made.certificate, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(made.certificate), 1);
        ASN1_TIME_set(X509_getm_notBefore(made.certificate), subject->from_s);
        ASN1_TIME_set(X509_getm_notAfter(made.certificate), subject->until_s);
        X509_set_pubkey(made.certificate, made.key);
        X509_set_issuer_name(made.certificate,
                             signer ? X509_get_subject_name(signer->certificate) : name);
        add_extension(made.certificate, NID_basic_constraints,
                      signer ? "critical,CA:FALSE" : "critical,CA:TRUE");
        if (subject->usage)
                add_extension(made.certificate, NID_ext_key_usage, subject->usage);
        assert(X509_sign(made.certificate, signer ? signer->key : made.key, EVP_sha256()) > 0);
        return made;
}

void made_certificate_release(struct made_certificate *made) {
        EVP_PKEY_free(made->key);
        X509_free(made->certificate);
}

void made_certificate_pem(const struct made_certificate *made, struct buf *out) {
        BIO *bio = BIO_new(BIO_s_mem());
        char *data = NULL;
        long size;

        PEM_write_bio_X509(bio, made->certificate);
        size = BIO_get_mem_data(bio, &data);
        buf_append(out, data, (size_t)size);
        BIO_free(bio);
}

void made_certificate_der(const struct made_certificate *made, struct buf *out) {
        unsigned char *der = NULL;
        int size = i2d_X509(made->certificate, &der);

        assert(size > 0);
        buf_append(out, der, (size_t)size);
        OPENSSL_free(der);
}
