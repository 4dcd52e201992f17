/* Which certificates of clients count, and what they say. */
#include "http/client_certificate.h"

#include "base/util.h"
#include "certificate_maker.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define DAY_S 86400L
#define NOW_S (20000 * DAY_S)
#define VALID .from_s = NOW_S - DAY_S, .until_s = NOW_S + DAY_S
#define CLIENT "clientAuth"
#define TEXT(text)                                                                                 \
        { (text), sizeof(text) - 1 }

static const struct made_subject ours = { "ours", .from_s = 0, .until_s = 2 * NOW_S };

static const struct {
        const char *name;
        struct made_subject subject;
        bool is_forged, is_good; /* forged: by an authority of the same name */
} chains[] = {
        { "good", { "ana", .usage = CLIENT, VALID }, false, true },
        { "without a use", { "ana", VALID }, false, true },
        { "for both", { "ana", .usage = "serverAuth,clientAuth", VALID }, false, true },
        { "for servers", { "ana", .usage = "serverAuth", VALID }, false, false },
        { "forged", { "ana", .usage = CLIENT, VALID }, true, false },
        { "over", { "ana", .usage = CLIENT, .from_s = 0, .until_s = NOW_S - 1 }, false, false },
        { "not yet",
          { "ana", .usage = CLIENT, .from_s = NOW_S + 1, .until_s = NOW_S + DAY_S },
          false,
          false },
};

static void authorities_vouch(void **state) {
        struct made_certificate ca = certificate_make(&ours, NULL);
        struct made_certificate other = certificate_make(&ours, NULL);
        struct certificate_pool *pool = NULL;
        struct buf pem = { 0 };

        (void)state;
        buf_text(&pem, "# ours\n");
        made_certificate_pem(&ca, &pem);
        assert_int_equal(certificate_pool_new(buf_view(&pem), &pool, NULL), 0);
        for (size_t i = 0; i < ARRAY_LEN(chains); i++) {
                struct made_certificate own =
                        certificate_make(&chains[i].subject, chains[i].is_forged ? &other : &ca);
                struct buf der = { 0 };
                struct err err = { 0 };

                made_certificate_der(&own, &der);
                if ((certificate_pool_verify(pool, buf_view(&der), NOW_S, &err) == 0) !=
                    chains[i].is_good)
                        fail_msg("%s: %s", chains[i].name, err.text);
                buf_release(&der);
                made_certificate_release(&own);
        }
        certificate_pool_free(pool);
        buf_release(&pem);
        made_certificate_release(&ca);
        made_certificate_release(&other);
}

/* By one between that the client brings along. */
static void chains_are_followed(void **state) {
        static const struct made_subject own = { "ana", .usage = CLIENT, VALID };
        static const struct made_subject between = { "between", VALID };
        struct made_certificate ca = certificate_make(&ours, NULL);
        struct made_certificate middle = certificate_make(&between, NULL);
        struct made_certificate leaf;
        struct certificate_pool *pool = NULL;
        struct buf pem = { 0 }, der = { 0 };

        (void)state;
        X509_set_issuer_name(middle.certificate, X509_get_subject_name(ca.certificate));
        assert_true(X509_sign(middle.certificate, ca.key, EVP_sha256()) > 0);
        leaf = certificate_make(&own, &middle);
        made_certificate_pem(&ca, &pem);
        assert_int_equal(certificate_pool_new(buf_view(&pem), &pool, NULL), 0);
        made_certificate_der(&leaf, &der);
        assert_int_not_equal(certificate_pool_verify(pool, buf_view(&der), NOW_S, NULL), 0);
        made_certificate_der(&middle, &der);
        assert_int_equal(certificate_pool_verify(pool, buf_view(&der), NOW_S, NULL), 0);
        buf_release(&der);
        buf_release(&pem);
        certificate_pool_free(pool);
        made_certificate_release(&leaf);
        made_certificate_release(&middle);
        made_certificate_release(&ca);
}

static void subjects_are_read(void **state) {
        static const struct made_subject own = { "ana", { "ops", "x" }, "u-7", CLIENT, VALID };
        struct made_certificate ca = certificate_make(&ours, NULL);
        struct made_certificate made = certificate_make(&own, &ca);
        struct client_certificate certificate;
        struct buf der = { 0 };
        char digest[SHA256_TEXT_SIZE];

        (void)state;
        made_certificate_der(&made, &der);
        sha256_text(buf_view(&der), digest);
        buf_text(&der, "rest");
        assert_int_equal(client_certificate_read(buf_view(&der), &certificate, NULL), 0);
        assert_string_equal(certificate.common_name, "ana");
        assert_string_equal(certificate.uid, "u-7");
        assert_int_equal(certificate.organization_count, 2);
        assert_string_equal(certificate.organizations[0], "ops");
        assert_string_equal(certificate.organizations[1], "x");
        assert_string_equal(certificate.digest, digest);
        client_certificate_release(&certificate);
        buf_release(&der);
        made_certificate_release(&made);
        made_certificate_release(&ca);
}

static void rubbish_is_refused(void **state) {
        static const struct slice texts[] = {
                TEXT(""),
                TEXT("no certificate"),
                TEXT("\x30\x82\xff\xff"),
                TEXT("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        };
        struct made_certificate ca = certificate_make(&ours, NULL);
        struct client_certificate certificate;
        struct certificate_pool *pool = NULL, *none = NULL;
        struct buf pem = { 0 };
        struct err err;

        (void)state;
        made_certificate_pem(&ca, &pem);
        assert_int_equal(certificate_pool_new(buf_view(&pem), &pool, NULL), 0);
        for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
                err = (struct err){ 0 };
                assert_true(certificate_pool_new(texts[i], &none, &err) < 0);
                err = (struct err){ 0 };
                assert_true(certificate_pool_verify(pool, texts[i], NOW_S, &err) < 0);
                err = (struct err){ 0 };
                assert_true(client_certificate_read(texts[i], &certificate, &err) < 0);
        }
        assert_null(none);
        certificate_pool_free(pool);
        buf_release(&pem);
        made_certificate_release(&ca);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(authorities_vouch),
                cmocka_unit_test(chains_are_followed),
                cmocka_unit_test(subjects_are_read),
                cmocka_unit_test(rubbish_is_refused),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
