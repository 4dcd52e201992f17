/* Kubeconfig files as client-go merges and reads them, and the service account of a pod. */
#include "client/kubeconfig.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include "client/exec_plugin.h"
#include "http/tls_material.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/berth-kubeconfig-XXXXXX";

/* Path in the test's folder; one of four buffers. */
static const char *at(const char *name) {
        static char paths[4][128];
        static int next;

        next = (next + 1) % 4;
        snprintf(paths[next], sizeof(paths[next]), "%s/%s", folder, name);
        return paths[next];
}

static const char *write_file(const char *name, const char *text) {
        const char *path = at(name);
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        return path;
}

#define HEAD "apiVersion: v1\nkind: Config\n"
#define CLUSTER(name, rest)                                                                        \
        "clusters:\n- name: " name "\n  cluster: {server: 'https://" name "', " rest "}\n"
#define USER(rest) "users:\n- name: u\n  user: {" rest "}\n"
#define CONTEXT(name, cluster)                                                                     \
        "contexts:\n- name: " name "\n  context: {cluster: " cluster ", user: u, namespace: ns}\n"
#define CURRENT(name) "current-context: " name "\n"

static int load(const char *text, struct cluster_access *ret_access, struct err *err) {
        struct kubeconfig_source source = { .path = write_file("config", text) };

        *ret_access = (struct cluster_access){ 0 };
        return kubeconfig_load(&source, ret_access, err);
}

static void test_everything(void **state) {
        struct cluster_access access;
        struct err err = { 0 };

        (void)state;
        write_file("ca.crt", "CA PEM");
        write_file("tls.key", "KEY PEM");
        if (load(HEAD CLUSTER("c", "certificate-authority: ca.crt, tls-server-name: other, "
                                   "proxy-url: 'http://proxy:1', extra: 1")
                         USER("tokenFile: tok, client-certificate-data: Q0VSVA==, "
                              "client-key: tls.key, username: me, password: pw, as: you, "
                              "as-groups: [g1, g2], token: t") CONTEXT("x", "c") CURRENT("x"),
                 &access, &err) < 0)
                fail_msg("%s", err.text);
        assert_string_equal(access.server, "https://c");
        assert_string_equal(access.ca_file, at("ca.crt"));
        assert_null(access.ca_pem);
        assert_string_equal(access.tls_server_name, "other");
        assert_string_equal(access.proxy_url, "http://proxy:1");
        assert_string_equal(access.token, "t");
        assert_string_equal(access.token_file, at("tok"));
        assert_string_equal(access.certificate_pem, "CERT");
        assert_string_equal(access.key_file, at("tls.key"));
        assert_string_equal(access.username, "me");
        assert_string_equal(access.password, "pw");
        assert_string_equal(access.impersonate_user, "you");
        assert_int_equal(access.impersonate_group_count, 2);
        assert_string_equal(access.impersonate_groups[1], "g2");
        assert_string_equal(access.namespace_name, "ns");
        assert_string_equal(access.context_name, "x");
        assert_false(access.is_insecure);
        cluster_access_release(&access);
        assert_null(access.server);
}

static void test_json_and_data_first(void **state) {
        struct cluster_access access;

        (void)state;
        assert_int_equal(load("{\"clusters\":[{\"name\":\"c\",\"cluster\":{\"server\":\"h:1\","
                              "\"insecure-skip-tls-verify\":true}}],\"contexts\":[{\"name\":"
                              "\"x\",\"context\":{\"cluster\":\"c\"}}],\"current-context\":\"x\"}",
                              &access, NULL),
                         0);
        assert_true(access.is_insecure);
        assert_string_equal(access.server, "h:1");
        cluster_access_release(&access);
        assert_int_equal(load(HEAD CLUSTER("c", "certificate-authority: absent, "
                                                "certificate-authority-data: REFUQQ==") USER("")
                                      CONTEXT("x", "c") CURRENT("x"),
                              &access, NULL),
                         0);
        assert_string_equal(access.ca_pem, "DATA");
        cluster_access_release(&access);
}

static void test_exec(void **state) {
        struct cluster_access access;
        struct err err = { 0 };

        (void)state;
        if (load(HEAD CLUSTER("c", "")
                         USER("exec: {apiVersion: client.authentication.k8s.io/v1beta1, "
                              "command: bin/login, args: [a, 'b c'], interactiveMode: IfAvailable, "
                              "env: [{name: NAME, value: v}], installHint: get it}")
                                 CONTEXT("x", "c") CURRENT("x"),
                 &access, &err) < 0)
                fail_msg("%s", err.text);
        assert_string_equal(access.exec->command, at("bin/login"));
        assert_int_equal(access.exec->argument_count, 2);
        assert_string_equal(access.exec->arguments[1], "b c");
        assert_string_equal(access.exec->environment[0], "NAME=v");
        assert_string_equal(access.exec->install_hint, "get it");
        cluster_access_release(&access);
}

static const struct {
        const char *name, *text, *expected;
        int code;
} mistakes[] = {
        { "empty", "", "no current-context", BERTH_ERR_NOT_FOUND },
        { "no YAML", "a: [", "", BERTH_ERR_BAD_REQUEST },
        { "no such context", HEAD CURRENT("x"), "context \"x\" does not exist",
          BERTH_ERR_NOT_FOUND },
        { "no such cluster", HEAD CONTEXT("x", "c") CURRENT("x"), "cluster \"c\" does not exist",
          BERTH_ERR_NOT_FOUND },
        { "no such user", HEAD CLUSTER("c", "") CONTEXT("x", "c") CURRENT("x"),
          "user \"u\" does not exist", BERTH_ERR_NOT_FOUND },
        { "no server", HEAD "clusters:\n- name: c\n  cluster: {}\n" CONTEXT("x", "c") CURRENT("x"),
          "cluster: server must be given", BERTH_ERR_INVALID },
        { "type", HEAD CLUSTER("c", "tls-server-name: [1]") CONTEXT("x", "c") CURRENT("x"),
          "tls-server-name must be a string", BERTH_ERR_INVALID },
        { "bool",
          HEAD CLUSTER("c", "insecure-skip-tls-verify: 'yes'") CONTEXT("x", "c") CURRENT("x"),
          "must be true or false", BERTH_ERR_INVALID },
        { "base64",
          HEAD CLUSTER("c", "certificate-authority-data: '*'") CONTEXT("x", "c") CURRENT("x"),
          "certificate-authority-data must be base64", BERTH_ERR_INVALID },
        { "file", HEAD CLUSTER("c", "certificate-authority: absent") CONTEXT("x", "c") CURRENT("x"),
          "cluster: certificate-authority: cannot open", BERTH_ERR_NOT_FOUND },
        { "insecure with authority",
          HEAD CLUSTER("c", "insecure-skip-tls-verify: true, certificate-authority-data: "
                            "REFUQQ==") CONTEXT("x", "c") CURRENT("x"),
          "certificate-authority must be absent", BERTH_ERR_INVALID },
        { "certificate without key",
          HEAD CLUSTER("c", "") USER("client-certificate-data: Q0VSVA==") CONTEXT("x", "c")
                  CURRENT("x"),
          "together with client-key", BERTH_ERR_INVALID },
        { "exec without a command",
          HEAD CLUSTER("c", "") USER("exec: {apiVersion: client.authentication.k8s.io/v1}")
                  CONTEXT("x", "c") CURRENT("x"),
          "exec: command must be given", BERTH_ERR_INVALID },
        { "exec of an old version",
          HEAD CLUSTER("c", "") USER("exec: {command: a, apiVersion: "
                                     "client.authentication.k8s.io/v1alpha1}") CONTEXT("x", "c")
                  CURRENT("x"),
          "exec: apiVersion must be", BERTH_ERR_INVALID },
        { "exec with a person",
          HEAD CLUSTER("c", "") USER("exec: {command: a, interactiveMode: Always, "
                                     "apiVersion: client.authentication.k8s.io/v1}")
                  CONTEXT("x", "c") CURRENT("x"),
          "exec: interactiveMode must be", BERTH_ERR_INVALID },
        { "exec arguments",
          HEAD CLUSTER("c", "") USER("exec: {command: a, args: [1]}") CONTEXT("x", "c")
                  CURRENT("x"),
          "exec: args must be", BERTH_ERR_INVALID },
        { "exec environment",
          HEAD CLUSTER("c", "") USER("exec: {command: a, env: [{value: x}]}") CONTEXT("x", "c")
                  CURRENT("x"),
          "exec: env must be", BERTH_ERR_INVALID },
        { "provider",
          HEAD CLUSTER("c", "") USER("auth-provider: {name: gcp}") CONTEXT("x", "c") CURRENT("x"),
          "auth-provider is not supported", BERTH_ERR_INVALID },
        { "as-uid", HEAD CLUSTER("c", "") USER("as-uid: u") CONTEXT("x", "c") CURRENT("x"),
          "as-uid is not supported", BERTH_ERR_INVALID },
        { "groups", HEAD CLUSTER("c", "") USER("as-groups: [1]") CONTEXT("x", "c") CURRENT("x"),
          "as-groups must be a list", BERTH_ERR_INVALID },
        { "groups without user",
          HEAD CLUSTER("c", "") USER("as-groups: [g]") CONTEXT("x", "c") CURRENT("x"),
          "absent without as", BERTH_ERR_INVALID },
};

static void test_mistakes(void **state) {
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(mistakes); i++) {
                struct cluster_access access;
                struct err err = { 0 };
                int result = load(mistakes[i].text, &access, &err);

                if (result != mistakes[i].code || err.code != result ||
                    !strstr(err.text, mistakes[i].expected))
                        fail_msg("%s: %d %s", mistakes[i].name, result, err.text);
                assert_null(access.server);
                if (result != BERTH_ERR_NOT_FOUND)
                        assert_string_equal(err.file, at("config"));
        }
}

static void test_position(void **state) {
        struct cluster_access access;
        struct err err = { 0 };

        (void)state;
        assert_true(load(HEAD "clusters:\n- name: c\n  cluster:\n    server:\n      - 1\n" CONTEXT(
                                 "x", "c") CURRENT("x"),
                         &access, &err) < 0);
        assert_int_equal(err.line, 7);
}

static void test_merging(void **state) {
        struct cluster_access access;
        struct buf list = { 0 };
        struct kubeconfig_source source = { 0 };
        struct err err = { 0 };

        (void)state;
        buf_printf(&list, "%s:%s::%s", at("absent"),
                   write_file("one", HEAD CLUSTER("c", "") CURRENT("'x'")),
                   write_file("two", HEAD "clusters: [{name: c, cluster: {server: second}}, "
                                          "{name: d, cluster: {server: d}}]\n" USER(
                                                  "token: two") "contexts: [{name: x, context: "
                                                                "{cluster: c, user: u}}, "
                                                                "{name: z, context: {cluster: d, "
                                                                "user: u}}]\n" CURRENT("z")));
        source.path_list = list.data;
        source.home = "/nonexistent";
        if (kubeconfig_load(&source, &access, &err) < 0)
                fail_msg("%s", err.text);
        assert_string_equal(access.server, "https://c");
        assert_string_equal(access.token, "two");
        cluster_access_release(&access);
        source.context = "z";
        if (kubeconfig_load(&source, &access, &err) < 0)
                fail_msg("%s", err.text);
        assert_string_equal(access.server, "d");
        cluster_access_release(&access);
        source.path = at("absent"); /* named by itself it must be there */
        assert_int_equal(kubeconfig_load(&source, &access, &err), BERTH_ERR_NOT_FOUND);
        assert_non_null(strstr(err.text, "absent"));
        source = (struct kubeconfig_source){ .path_list = "", .home = folder };
        assert_int_equal(kubeconfig_load(&source, &access, &err), BERTH_ERR_NOT_FOUND);
        mkdir(at(".kube"), 0700);
        write_file(".kube/config",
                   HEAD CLUSTER("home", "") USER("") CONTEXT("h", "home") CURRENT("h"));
        assert_int_equal(kubeconfig_load(&source, &access, &err), 0);
        assert_string_equal(access.server, "https://home");
        cluster_access_release(&access);
        buf_release(&list);
}

/* What the sandbox writes is what we read. */
static void test_sandbox_kubeconfig(void **state) {
        struct kubeconfig written = { .server = "https://127.0.0.1:1",
                                      .ca_pem = "PEM",
                                      .token = "T" };
        struct cluster_access access;
        struct kubeconfig_source source = { .path = at("sandbox") };

        (void)state;
        assert_int_equal(kubeconfig_write(source.path, &written, NULL), 0);
        assert_int_equal(kubeconfig_load(&source, &access, NULL), 0);
        assert_string_equal(access.server, written.server);
        assert_string_equal(access.ca_pem, "PEM");
        assert_string_equal(access.token, "T");
        cluster_access_release(&access);
}

static void test_service_account(void **state) {
        struct cluster_access access = { 0 };
        struct err err = { 0 };

        (void)state;
        unlink(at("token"));
        assert_int_equal(service_account_load(NULL, "443", folder, &access, &err),
                         BERTH_ERR_NOT_FOUND);
        assert_int_equal(service_account_load("10.0.0.1", "443", folder, &access, &err),
                         BERTH_ERR_NOT_FOUND);
        assert_non_null(strstr(err.text, "/token"));
        write_file("token", "tok");
        write_file("ca.crt", "CA");
        assert_int_equal(service_account_load("10.0.0.1", "443", folder, &access, &err), 0);
        assert_string_equal(access.server, "https://10.0.0.1:443");
        assert_string_equal(access.token_file, at("token"));
        assert_string_equal(access.ca_file, at("ca.crt"));
        assert_null(access.token);
        assert_null(access.namespace_name);
        cluster_access_release(&access);
        write_file("namespace", "team-a\n");
        assert_int_equal(service_account_load("fd00::1", "443", folder, &access, &err), 0);
        assert_string_equal(access.server, "https://[fd00::1]:443");
        assert_string_equal(access.namespace_name, "team-a");
        cluster_access_release(&access);
}

static int make_folder(void **state) {
        (void)state;
        return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
        static const char *const names[] = { "config",  "ca.crt", "tls.key",   "one",         "two",
                                             "sandbox", "token",  "namespace", ".kube/config" };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                unlink(at(names[i]));
        rmdir(at(".kube"));
        return rmdir(folder);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_everything),
                cmocka_unit_test(test_json_and_data_first),
                cmocka_unit_test(test_exec),
                cmocka_unit_test(test_mistakes),
                cmocka_unit_test(test_position),
                cmocka_unit_test(test_merging),
                cmocka_unit_test(test_sandbox_kubeconfig),
                cmocka_unit_test(test_service_account),
        };

        return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
