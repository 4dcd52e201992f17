/* Certificates of strangers: an input that begins with a dash is a file of authorities, any other
 * the chain that a client shows. Names are texts or there are none; nobody is vouched for. */
#include "http/client_certificate.h"

#include "http/tls_material.h"
#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_authorities(struct slice text) {
        struct certificate_pool *pool = NULL;
        struct err err = { 0 };

        if (certificate_pool_new(text, &pool, &err) < 0)
                assert(err.code < 0 && err.text[0] && !pool);
        certificate_pool_free(pool);
}

static void read_chain(const struct certificate_pool *pool, struct slice chain) {
        struct client_certificate certificate = { 0 };
        struct err err = { 0 };
        int code = certificate_pool_verify(pool, chain, 1767225600, &err);

        assert(code < 0 && err.text[0]);
        err = (struct err){ 0 };
        if (client_certificate_read(chain, &certificate, &err) < 0) {
                assert(err.code < 0 && err.text[0]);
                return;
        }
        assert(certificate.common_name && certificate.uid);
        assert(strlen(certificate.digest) == SHA256_TEXT_SIZE - 1);
        for (size_t i = 0; i < certificate.organization_count; i++)
                assert(certificate.organizations[i]);
        client_certificate_release(&certificate);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct certificate_pool *pool;
        struct slice input = slice_make((const char *)data, size);

        if (!pool) {
                struct tls_material material = { 0 };
                int code = tls_material_make(NULL, &material, NULL);

                assert(code == 0);
                code = certificate_pool_new(slice_of(material.ca_pem), &pool, NULL);
                assert(code == 0);
                tls_material_release(&material);
        }
        if (size > 0 && data[0] == '-')
                read_authorities(input);
        else
                read_chain(pool, input);
        return 0;
}
