/* Whom certificates and a proxy's headers prove. */
#include "pages/page_identity.h"

#include "base/util.h"
#include "certificate_maker.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOW_S (20000 * 86400L)
#define VALID .from_s = NOW_S - 86400, .until_s = NOW_S + 86400
#define H(name, value) name "\0" value "\0"
#define TEXT(text)                                                                                 \
        { (text), sizeof(text) - 1 }

enum { CLIENTS, PROXIES, STRANGERS, AUTHORITIES };

struct world {
        struct made_certificate authorities[AUTHORITIES];
        struct page_identity *identity;
};

/* The ConfigMap as the cluster writes it; lists are JSON inside of JSON. */
static void learn(struct world *world, bool has_proxies, const char *allowed) {
        struct buf pem = { 0 }, text = { 0 };
        struct err err = { 0 };

        made_certificate_pem(&world->authorities[CLIENTS], &pem);
        buf_text(&text, "{\"data\":{\"client-ca-file\":");
        buf_json_string(&text, buf_view(&pem));
        if (has_proxies) {
                buf_clear(&pem);
                made_certificate_pem(&world->authorities[PROXIES], &pem);
                buf_text(&text, ",\"requestheader-client-ca-file\":");
                buf_json_string(&text, buf_view(&pem));
        }
        buf_text(&text, ",\"requestheader-allowed-names\":");
        buf_json_string(&text, slice_of(allowed));
        buf_text(&text, ",\"requestheader-username-headers\":\"[\\\"X-User\\\",\\\"X-Name\\\"]\","
                        "\"requestheader-uid-headers\":\"[\\\"X-Uid\\\"]\","
                        "\"requestheader-group-headers\":\"[\\\"X-Group\\\"]\","
                        "\"requestheader-extra-headers-prefix\":\"[\\\"X-Extra-\\\"]\"}}");
        assert_int_equal(page_identity_learn(world->identity, buf_view(&text), &err), 0);
        buf_release(&pem);
        buf_release(&text);
}

static int set_up(void **state) {
        static const struct made_subject names[AUTHORITIES] = { { "clients", VALID },
                                                                { "proxies", VALID },
                                                                { "strangers", VALID } };
        struct world *world = xcalloc(1, sizeof(*world));

        for (size_t i = 0; i < AUTHORITIES; i++)
                world->authorities[i] = certificate_make(&names[i], NULL);
        assert_int_equal(
                page_identity_new(&(struct page_identity_config){ 0 }, &world->identity, NULL), 0);
        *state = world;
        return 0;
}

static int tear_down(void **state) {
        struct world *world = *state;

        for (size_t i = 0; i < AUTHORITIES; i++)
                made_certificate_release(&world->authorities[i]);
        page_identity_free(world->identity);
        free(world);
        return 0;
}

static enum page_proof prove(const struct world *world, const struct made_subject *subject,
                             int authority, struct slice headers, struct buf *ret_user) {
        struct made_certificate made = certificate_make(subject, &world->authorities[authority]);
        struct buf der = { 0 };
        enum page_proof proof;

        made_certificate_der(&made, &der);
        proof = page_identity_prove(world->identity,
                                    &(struct page_evidence){ buf_view(&der), headers },
                                    (struct wall_time){ NOW_S * NS_PER_S }, ret_user);
        buf_release(&der);
        made_certificate_release(&made);
        return proof;
}

static const struct {
        const char *name;
        struct made_subject subject;
        int authority;
        struct slice headers;
        enum page_proof proof;
        const char *user; /* its beginning */
} proofs[] = {
        { "client",
          { "ana", { "ops", "x" }, "7", VALID },
          CLIENTS,
          TEXT(""),
          PAGE_PROOF_GOOD,
          "{\"username\":\"ana\",\"uid\":\"7\",\"groups\":[\"ops\",\"x\"],\"extra\":{"
          "\"authentication.kubernetes.io/credential-id\":[\"X509SHA256=" },
        { "client without a name",
          { NULL, { "ops" }, VALID },
          CLIENTS,
          TEXT(""),
          PAGE_PROOF_WRONG,
          "" },
        { "client's headers",
          { "ana", VALID },
          CLIENTS,
          TEXT(H("X-User", "root")),
          PAGE_PROOF_GOOD,
          "{\"username\":\"ana\"," },
        { "stranger", { "ana", VALID }, STRANGERS, TEXT(""), PAGE_PROOF_WRONG, "" },
        { "stranger's headers",
          { "front", VALID },
          STRANGERS,
          TEXT(H("X-User", "root")),
          PAGE_PROOF_WRONG,
          "" },
        { "proxy",
          { "front", VALID },
          PROXIES,
          TEXT(H("Accept", "*/*") H("x-user", "carl") H("X-Group", "a") H("X-GROUP", "b")
                       H("X-Uid", "9") H("X-Extra-Acme.com%2fRole", "r") H("X-Extra-100%", "s")),
          PAGE_PROOF_GOOD,
          "{\"username\":\"carl\",\"uid\":\"9\",\"groups\":[\"a\",\"b\"],\"extra\":{"
          "\"acme.com/role\":[\"r\"],\"100%\":[\"s\"]}}" },
        { "second header of names",
          { "front", VALID },
          PROXIES,
          TEXT(H("X-User", "") H("X-Name", "carl")),
          PAGE_PROOF_GOOD,
          "{\"username\":\"carl\"}" },
        { "proxy that is not allowed",
          { "back", VALID },
          PROXIES,
          TEXT(H("X-User", "carl")),
          PAGE_PROOF_WRONG,
          "" },
        { "proxy that says nothing", { "front", VALID }, PROXIES, TEXT(""), PAGE_PROOF_WRONG, "" },
};

static void evidence_is_weighed(void **state) {
        struct world *world = *state;

        learn(world, true, "[\"front\",\"side\"]");
        for (size_t i = 0; i < ARRAY_LEN(proofs); i++) {
                struct buf user = { 0 };
                enum page_proof proof = prove(world, &proofs[i].subject, proofs[i].authority,
                                              proofs[i].headers, &user);

                if (proof != proofs[i].proof ||
                    !slice_has_prefix(buf_view(&user), slice_of(proofs[i].user)))
                        fail_msg("%s: proof %d: " SLICE_FMT, proofs[i].name, (int)proof,
                                 SLICE_ARG(buf_view(&user)));
                buf_release(&user);
        }
}

/* What the cluster says replaces what it said: an authority that is gone vouches no longer. */
static void the_last_word_counts(void **state) {
        static const struct made_subject front = { "front", VALID }, ana = { "ana", VALID };
        const struct slice headers = TEXT(H("X-User", "carl"));
        struct world *world = *state;
        struct err err = { 0 };
        struct buf user = { 0 };

        assert_int_equal(prove(world, &ana, CLIENTS, headers, &user), PAGE_PROOF_NONE);
        learn(world, true, "");
        assert_int_equal(prove(world, &front, PROXIES, headers, &user), PAGE_PROOF_GOOD);
        assert_true(page_identity_learn(world->identity, SLICE_LITERAL("{\"data\":{"), &err) < 0);
        err = (struct err){ 0 };
        assert_true(page_identity_learn(world->identity,
                                        SLICE_LITERAL("{\"data\":{\"client-ca-file\":\"x\"}}"),
                                        &err) < 0);
        assert_int_equal(prove(world, &ana, CLIENTS, headers, &user), PAGE_PROOF_GOOD);
        learn(world, false, "");
        assert_int_equal(prove(world, &front, PROXIES, headers, &user), PAGE_PROOF_WRONG);
        assert_int_equal(page_identity_learn(world->identity, SLICE_LITERAL("{}"), &err), 0);
        assert_int_equal(prove(world, &ana, CLIENTS, headers, &user), PAGE_PROOF_NONE);
        buf_release(&user);
}

static void files_have_to_be_there(void **state) {
        struct page_identity *identity = NULL;
        struct err err = { 0 };

        (void)state;
        assert_true(page_identity_new(
                            &(struct page_identity_config){ .client_ca_path = "/nowhere/ca.crt" },
                            &identity, &err) < 0);
        assert_non_null(strstr(err.text, "/nowhere/ca.crt"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(evidence_is_weighed, set_up, tear_down),
                cmocka_unit_test_setup_teardown(the_last_word_counts, set_up, tear_down),
                cmocka_unit_test(files_have_to_be_there),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
