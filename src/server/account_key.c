/* Signing and checking over OpenSSL. Tokens carry the signature as two numbers of 32 bytes, OpenSSL
 * makes and takes them in DER. */
#include "server/account_key.h"

#include "base/base64.h"
#include "base/util.h"
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <stdlib.h>

#define NUMBER_BYTES 32
#define SIGNATURE_BYTES ((size_t)2 * NUMBER_BYTES)
#define DER_BYTES_MAX 128
#define KEY_ID_BYTES 44 /* base64 of a digest, and NUL */

struct account_key {
        EVP_PKEY *key;
        char id[KEY_ID_BYTES];
};

/* The key's name among others: the digest of its public half. */
static bool make_id(struct account_key *key) {
        unsigned char *der = NULL, digest[SHA256_DIGEST_LENGTH];
        int size = i2d_PUBKEY(key->key, &der);
        struct buf text = { 0 };

        if (size <= 0)
                return false;
        SHA256(der, (size_t)size, digest);
        OPENSSL_free(der);
        bool is_made = base64_encode(slice_make((const char *)digest, sizeof(digest)), BASE64_URL,
                                     &text) &&
                       text.len < sizeof(key->id);
        if (is_made)
                memcpy(key->id, text.data, text.len);
        buf_release(&text);
        return is_made;
}

struct account_key *account_key_new(const char *pem) {
        struct account_key *key = xcalloc(1, sizeof(*key));
        BIO *bio = pem ? BIO_new_mem_buf(pem, -1) : NULL;

        key->key = pem ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : EVP_EC_gen("P-256");
        BIO_free(bio);
        if (key->key && EVP_PKEY_is_a(key->key, "EC") && EVP_PKEY_get_bits(key->key) == 256 &&
            make_id(key))
                return key;
        account_key_free(key);
        return NULL;
}

void account_key_free(struct account_key *key) {
        if (!key)
                return;
        EVP_PKEY_free(key->key);
        free(key);
}

/* ---- signing ---- */

static bool to_raw(const unsigned char *der, size_t size, unsigned char raw[SIGNATURE_BYTES]) {
        ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)size);
        bool is_made =
                signature &&
                BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, NUMBER_BYTES) == NUMBER_BYTES &&
                BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + NUMBER_BYTES, NUMBER_BYTES) ==
                        NUMBER_BYTES;

        ECDSA_SIG_free(signature);
        return is_made;
}

static bool account_key_sign_raw(const struct account_key *key, struct slice text,
                                 unsigned char raw[SIGNATURE_BYTES]) {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        unsigned char der[DER_BYTES_MAX];
        size_t size = sizeof(der);
        bool is_signed =
                EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key->key) == 1 &&
                EVP_DigestSign(context, der, &size, (const unsigned char *)text.ptr, text.len) == 1;

        EVP_MD_CTX_free(context);
        return is_signed && to_raw(der, size, raw);
}

bool account_key_sign(const struct account_key *key, struct slice claims, struct buf *out) {
        struct buf head = { 0 };
        size_t start = out->len;
        unsigned char raw[SIGNATURE_BYTES];

        buf_printf(&head, "{\"alg\":\"ES256\",\"kid\":\"%s\"}", key->id);
        bool is_signed = base64_encode(buf_view(&head), BASE64_URL, out);
        buf_char(out, '.');
        is_signed = is_signed && base64_encode(claims, BASE64_URL, out) &&
                    account_key_sign_raw(key, slice_make(out->data + start, out->len - start), raw);
        buf_char(out, '.');
        is_signed = is_signed &&
                    base64_encode(slice_make((const char *)raw, sizeof(raw)), BASE64_URL, out);
        buf_release(&head);
        return is_signed;
}

/* ---- checking ---- */

static bool account_key_verify(const struct account_key *key, struct slice text, struct slice raw) {
        const unsigned char *numbers = (const unsigned char *)raw.ptr;
        ECDSA_SIG *signature = ECDSA_SIG_new();
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        BIGNUM *r = BN_bin2bn(numbers, NUMBER_BYTES, NULL);
        BIGNUM *s = BN_bin2bn(numbers + NUMBER_BYTES, NUMBER_BYTES, NULL);
        unsigned char *der = NULL;

        ECDSA_SIG_set0(signature, r, s); /* takes both over */
        int size = i2d_ECDSA_SIG(signature, &der);
        bool is_good = size > 0 &&
                       EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key->key) == 1 &&
                       EVP_DigestVerify(context, der, (size_t)size, (const unsigned char *)text.ptr,
                                        text.len) == 1;
        OPENSSL_free(der);
        EVP_MD_CTX_free(context);
        ECDSA_SIG_free(signature);
        return is_good;
}

bool account_key_open(const struct account_key *key, struct slice token, struct buf *out) {
        struct slice rest = token, head = SLICE_EMPTY, claims = SLICE_EMPTY;
        struct buf raw = { 0 };

        slice_split(&rest, '.', &head);
        slice_split(&rest, '.', &claims);
        bool is_good = head.len && claims.len && base64_decode(rest, BASE64_URL, &raw) &&
                       raw.len == SIGNATURE_BYTES &&
                       account_key_verify(key, slice_make(token.ptr, head.len + claims.len + 1),
                                          buf_view(&raw)) &&
                       base64_decode(claims, BASE64_URL, out);
        buf_release(&raw);
        return is_good;
}

/* ---- publishing ---- */

static bool put_coordinate(const struct account_key *key, const char *parameter, struct buf *out) {
        unsigned char bytes[NUMBER_BYTES];
        BIGNUM *number = NULL;
        bool is_put =
                EVP_PKEY_get_bn_param(key->key, parameter, &number) == 1 &&
                BN_bn2binpad(number, bytes, NUMBER_BYTES) == NUMBER_BYTES &&
                base64_encode(slice_make((const char *)bytes, sizeof(bytes)), BASE64_URL, out);

        BN_free(number);
        return is_put;
}

bool account_key_publish(const struct account_key *key, struct buf *out) {
        buf_printf(out,
                   "{\"keys\":[{\"use\":\"sig\",\"kty\":\"EC\",\"kid\":\"%s\",\"crv\":\"P-256\","
                   "\"alg\":\"ES256\",\"x\":\"",
                   key->id);
        bool is_put = put_coordinate(key, OSSL_PKEY_PARAM_EC_PUB_X, out);
        buf_text(out, "\",\"y\":\"");
        is_put = put_coordinate(key, OSSL_PKEY_PARAM_EC_PUB_Y, out) && is_put;
        buf_text(out, "\"}]}");
        return is_put;
}
