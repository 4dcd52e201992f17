/* Certificates, tokens and the kubeconfig. */
#include "http/tls_material.h"

#include "base/util.h"
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static X509 *read_certificate(const char *pem) {
        BIO *bio = BIO_new_mem_buf(pem, -1);
        X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);

        BIO_free(bio);
        return certificate;
}

static void test_chain(void **state) {
        struct tls_material material = { 0 };
        struct err err = { 0 };
        X509 *ca, *server;
        X509_STORE *store = X509_STORE_new();
        X509_STORE_CTX *context = X509_STORE_CTX_new();

        (void)state;
        assert_int_equal(tls_material_make("10.1.2.3", &material, &err), 0);
        ca = read_certificate(material.ca_pem);
        server = read_certificate(material.certificate_pem);
        assert_non_null(ca);
        assert_non_null(server);
        X509_STORE_add_cert(store, ca);
        X509_STORE_CTX_init(context, store, server, NULL);
        assert_int_equal(X509_verify_cert(context), 1);
        assert_int_equal(X509_check_ip_asc(server, "127.0.0.1", 0), 1);
        assert_int_equal(X509_check_ip_asc(server, "10.1.2.3", 0), 1);
        assert_int_equal(X509_check_ip_asc(server, "10.1.2.4", 0), 0);
        assert_int_equal(X509_check_host(server, "kubernetes.default.svc", 0, 0, NULL), 1);
        assert_int_equal(X509_check_host(server, "example.org", 0, 0, NULL), 0);
        X509_STORE_CTX_free(context);
        X509_STORE_free(store);
        X509_free(ca);
        X509_free(server);
        tls_material_release(&material);
}

static void test_token(void **state) {
        char a[TOKEN_TEXT_SIZE], b[TOKEN_TEXT_SIZE];

        (void)state;
        assert_int_equal(token_make(a, NULL), 0);
        assert_int_equal(token_make(b, NULL), 0);
        assert_int_equal(strlen(a), TOKEN_TEXT_SIZE - 1);
        assert_string_not_equal(a, b);
}

/* What is kept stays the same; what is no good, or open to others, is an error, and so is a folder
 * that is not there. */
static void test_stored(void **state) {
        char folder[] = "/tmp/berth-stored-XXXXXX", path[64];
        char a[TOKEN_TEXT_SIZE], b[TOKEN_TEXT_SIZE];
        struct tls_material first = { 0 }, second = { 0 }, third = { 0 };
        struct err err = { 0 };
        FILE *file;

        (void)state;
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof(path), "%s/authority.pem", folder);
        assert_int_equal(tls_material_keep(folder, NULL, &first, &err), 0);
        assert_int_equal(tls_material_keep(folder, "10.1.2.3", &second, &err), 0);
        assert_string_equal(first.ca_pem, second.ca_pem);
        assert_string_not_equal(first.certificate_pem, second.certificate_pem);
        assert_int_equal(chmod(path, 0644), 0);
        assert_int_equal(tls_material_keep(folder, NULL, &third, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, "its mode is 0644"));
        assert_int_equal(chmod(path, 0600), 0);
        file = fopen(path, "w");
        fputs("rubbish", file);
        fclose(file);
        assert_int_equal(tls_material_keep(folder, NULL, &third, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, path));
        unlink(path);
        assert_int_equal(tls_material_keep(folder, NULL, &third, &err), 0);
        assert_string_not_equal(first.ca_pem, third.ca_pem);
        unlink(path);
        assert_int_equal(token_keep(folder, a, &err), 0);
        assert_int_equal(token_keep(folder, b, &err), 0);
        assert_string_equal(a, b);
        snprintf(path, sizeof(path), "%s/token", folder);
        unlink(path);
        rmdir(folder);
        assert_int_equal(token_keep(folder, a, &err), BERTH_ERR_IO);
        tls_material_release(&first);
        tls_material_release(&second);
        assert_int_equal(tls_material_keep(folder, NULL, &first, &err), BERTH_ERR_IO);
        tls_material_release(&third);
}

static void test_kubeconfig(void **state) {
        char path[] = "/tmp/berth-kubeconfig-XXXXXX", text[1024] = "";
        int fd = mkstemp(path);
        struct err err = { 0 };
        struct stat info;
        FILE *file;

        (void)state;
        assert_true(fd >= 0);
        close(fd);
        assert_int_equal(kubeconfig_write(path,
                                          &(struct kubeconfig){ .server = "https://127.0.0.1:1",
                                                                .ca_pem = "abc",
                                                                .token = "secret" },
                                          &err),
                         0);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
        file = fopen(path, "r");
        assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
        fclose(file);
        unlink(path);
        assert_non_null(strstr(text, "    server: https://127.0.0.1:1\n"));
        assert_non_null(strstr(text, "certificate-authority-data: YWJj\n"));
        assert_non_null(strstr(text, "    token: secret\n"));
        assert_int_equal(kubeconfig_write("/nonexistent/x",
                                          &(struct kubeconfig){ .server = "x", .token = "y" },
                                          &err),
                         BERTH_ERR_IO);
}

/* Only what a client can send as a token is kept. */
static void test_stored_token(void **state) {
        static const struct {
                const char *name, *text;
                size_t size;
                bool is_accepted;
        } cases[] = {
                { "of our own", "0123456789abcdef0123456789abcdef0123456789abcdef", 48, true },
                { "all characters", "ABCXYZabcxyz0189-._~+/=-ABCXYZabcxyz0189-._~+/==", 48, true },
                { "short", "0123456789abcdef", 16, false },
                { "nothing", "", 0, false },
                { "a space", "0123456789abcdef 123456789abcdef0123456789abcdef", 48, false },
                { "a NUL", "0123456789abcdef\000123456789abcdef0123456789abcde", 48, false },
        };
        char folder[] = "/tmp/berth-stored-XXXXXX", path[64], token[TOKEN_TEXT_SIZE];
        struct err err = { 0 };

        (void)state;
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof(path), "%s/" TLS_TOKEN_FILE, folder);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                FILE *file = fopen(path, "w");

                assert_int_equal(fwrite(cases[i].text, 1, cases[i].size, file), cases[i].size);
                fchmod(fileno(file), 0600);
                fclose(file);
                int code = token_keep(folder, token, &err);
                if ((code == 0) != cases[i].is_accepted)
                        fail_msg("%s: %s", cases[i].name, err.text);
                if (code == 0)
                        assert_string_equal(token, cases[i].text);
                else
                        assert_non_null(strstr(err.text, path));
        }
        assert_int_equal(chmod(path, 0640), 0);
        assert_int_equal(token_keep(folder, token, &err), BERTH_ERR_IO);
        assert_non_null(strstr(err.text, "its mode is 0640"));
        unlink(path);
        rmdir(folder);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_chain),      cmocka_unit_test(test_token),
                cmocka_unit_test(test_stored),     cmocka_unit_test(test_stored_token),
                cmocka_unit_test(test_kubeconfig),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
