/* The Authorization header over time. */
#include "client/credential.h"

#include "../server/fake_server.h"
#include "client/exec_plugin.h"
#include "client/text_file.h"
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const char *text) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

static void test_fixed_headers(void **state) {
        static const struct {
                struct cluster_access access;
                const char *header;
        } cases[] = {
                { { .token = (char *)"t" }, "Bearer t" },
                { { .username = (char *)"me", .password = (char *)"pw" }, "Basic bWU6cHc=" },
                { { .username = (char *)"me" }, "Basic bWU6" },
                { { .token = (char *)"t", .username = (char *)"me" }, "Bearer t" },
                { { 0 }, NULL },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct cluster_access access = cases[i].access;
                struct virtual_loop *loop = virtual_loop_new();
                struct credential *credential;
                const char *header;

                assert_int_equal(credential_new(&access, virtual_loop_get(loop), &credential, NULL),
                                 0);
                virtual_loop_advance(loop, 1000 * NS_PER_S);
                header = credential_header(credential);
                if (cases[i].header)
                        assert_string_equal(header, cases[i].header);
                else
                        assert_null(header);
                assert_false(credential_refresh(credential));
                credential_free(credential);
                virtual_loop_free(loop);
        }
        credential_free(NULL);
}

static void test_token_file(void **state) {
        char path[] = "/tmp/berth-credential-XXXXXX";
        struct cluster_access access = { .token_file = path, .token = (char *)"other" };
        struct credential *credential = NULL;
        struct virtual_loop *loop = virtual_loop_new();
        struct err err = { 0 };

        (void)state;
        close(mkstemp(path));
        assert_int_equal(credential_new(&access, virtual_loop_get(loop), &credential, &err),
                         BERTH_ERR_INVALID);
        assert_null(credential); /* an empty file */
        write_file(path, " one\n");
        assert_int_equal(credential_new(&access, virtual_loop_get(loop), &credential, NULL), 0);
        write_file(path, "two");
        virtual_loop_advance(loop, 59 * NS_PER_S);
        assert_string_equal(credential_header(credential), "Bearer one");
        virtual_loop_advance(loop, NS_PER_S);
        assert_string_equal(credential_header(credential), "Bearer two");
        assert_false(credential_refresh(credential)); /* nothing new */
        write_file(path, "three");
        assert_true(credential_refresh(credential));
        assert_string_equal(credential_header(credential), "Bearer three");
        unlink(path); /* the last one stays */
        virtual_loop_advance(loop, 500 * NS_PER_S);
        assert_string_equal(credential_header(credential), "Bearer three");
        credential_free(credential);
        assert_int_equal(credential_new(&access, virtual_loop_get(loop), &credential, &err),
                         BERTH_ERR_NOT_FOUND);
        virtual_loop_free(loop);
}

/* ---- plugins ---- */

#define VERSION "client.authentication.k8s.io/v1"

/* A plugin that is a shell script; its environment has ANSWER. */
static struct exec_plugin *plugin_new(const char *script, const char *answer) {
        struct exec_plugin *plugin = xcalloc(1, sizeof(*plugin));
        struct buf text = { 0 };

        buf_printf(&text, "ANSWER=%s", answer);
        plugin->command = slice_dup(SLICE_LITERAL("sh"));
        plugin->arguments[plugin->argument_count++] = slice_dup(SLICE_LITERAL("-c"));
        plugin->arguments[plugin->argument_count++] = slice_dup(slice_of(script));
        plugin->environment[plugin->environment_count++] = buf_take(&text, NULL);
        plugin->api_version = slice_dup(SLICE_LITERAL(VERSION));
        plugin->install_hint = slice_dup(SLICE_LITERAL("ask your administrator"));
        return plugin;
}

#define ANSWER(status)                                                                             \
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" VERSION "\",\"status\":{" status "}}"

static void test_plugin_answers(void **state) {
        static const struct {
                const char *name, *script, *answer, *error; /* NULL = success */
                int code;
        } cases[] = {
                { "token", "echo \"$ANSWER\"", ANSWER("\"token\":\"t\""), NULL, 0 },
                { "what it is told",
                  "case $KUBERNETES_EXEC_INFO in *interactive*" VERSION "*|*" VERSION
                  "*interactive*) echo \"$ANSWER\";; esac",
                  ANSWER("\"token\":\"t\""), NULL, 0 },
                { "certificate", "echo \"$ANSWER\"",
                  ANSWER("\"clientCertificateData\":\"C\",\"clientKeyData\":\"K\""), NULL, 0 },
                { "certificate without key", "echo \"$ANSWER\"",
                  ANSWER("\"token\":\"t\",\"clientCertificateData\":\"C\""), "neither",
                  BERTH_ERR_INVALID },
                { "nothing", "echo \"$ANSWER\"", ANSWER(""), "neither", BERTH_ERR_INVALID },
                { "time", "echo \"$ANSWER\"",
                  ANSWER("\"token\":\"t\",\"expirationTimestamp\":\"soon\""), "is no time",
                  BERTH_ERR_INVALID },
                { "other kind", "echo \"$ANSWER\"", "{\"kind\":\"Pod\"}", "no ExecCredential",
                  BERTH_ERR_INVALID },
                { "no JSON", "echo \"$ANSWER\"", "hello", "answer of sh", BERTH_ERR_BAD_REQUEST },
                { "failure", "echo \"$ANSWER\"; exit 3", ANSWER("\"token\":\"t\""),
                  "failed with exit code 3", BERTH_ERR_UNAUTHORIZED },
                { "signal", "kill -9 $$", "", "failed with signal 9", BERTH_ERR_UNAUTHORIZED },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct exec_plugin *plugin = plugin_new(cases[i].script, cases[i].answer);
                struct exec_answer answer = { 0 };
                struct err err = { 0 };
                int result = exec_plugin_run(plugin, &answer, &err);

                if (result != cases[i].code ||
                    (cases[i].error && !strstr(err.text, cases[i].error)))
                        fail_msg("%s: %d %s", cases[i].name, result, err.text);
                exec_answer_release(&answer);
                exec_plugin_free(plugin);
        }
        exec_plugin_free(NULL);
}

static void test_missing_plugin(void **state) {
        struct exec_plugin *plugin = plugin_new("", "");
        struct exec_answer answer;
        struct err err = { 0 };

        (void)state;
        free(plugin->command);
        plugin->command = slice_dup(SLICE_LITERAL("no-such-program-anywhere"));
        assert_int_equal(exec_plugin_run(plugin, &answer, &err), BERTH_ERR_NOT_FOUND);
        assert_non_null(strstr(err.text, "ask your administrator"));
        exec_plugin_free(plugin);
}

/* The plugin counts its runs in a file and makes tokens of the count. */
static void test_plugin_is_run_again(void **state) {
        static const char script[] =
                "n=$(cat $FILE); n=$((n+1)); echo $n >$FILE; echo \"$ANSWER\" | sed s/NUMBER/$n/";
        char path[] = "/tmp/berth-credential-XXXXXX";
        struct virtual_loop *loop = virtual_loop_new(); /* starts at 2026-01-01T00:00:00Z */
        struct cluster_access access = { 0 };
        struct credential *credential = NULL;
        struct buf file = { 0 };

        (void)state;
        close(mkstemp(path));
        write_file(path, "0");
        access.exec = plugin_new(script, ANSWER("\"token\":\"NUMBER\",\"expirationTimestamp\":"
                                                "\"2026-01-01T00:10:00Z\""));
        buf_printf(&file, "FILE=%s", path);
        access.exec->environment[access.exec->environment_count++] = buf_take(&file, NULL);
        assert_int_equal(credential_new(&access, virtual_loop_get(loop), &credential, NULL), 0);
        assert_string_equal(credential_header(credential), "Bearer 1");
        assert_false(credential_refresh(credential)); /* only just made */
        virtual_loop_advance(loop, 569 * NS_PER_S);
        assert_string_equal(credential_header(credential), "Bearer 1");
        virtual_loop_advance(loop, NS_PER_S);
        assert_string_equal(credential_header(credential), "Bearer 2");
        assert_string_equal(credential_header(credential), "Bearer 2"); /* not at every request */
        virtual_loop_advance(loop, 5 * NS_PER_S);
        assert_true(credential_refresh(credential));
        assert_string_equal(credential_header(credential), "Bearer 3");
        credential_free(credential);
        cluster_access_release(&access);
        unlink(path);
        virtual_loop_free(loop);
}

static void test_text_files(void **state) {
        char path[] = "/tmp/berth-credential-XXXXXX";
        struct err err = { 0 };
        char *text = NULL;
        size_t size;
        int fd = mkstemp(path);

        (void)state;
        assert_int_equal(text_file_read(path, &text, &size, &err), 0);
        assert_int_equal(size, 0);
        assert_string_equal(text, "");
        free(text);
        assert_int_equal(ftruncate(fd, TEXT_FILE_MAX), 0);
        assert_int_equal(text_file_read(path, &text, &size, &err), 0);
        assert_int_equal(size, TEXT_FILE_MAX);
        free(text);
        assert_int_equal(ftruncate(fd, TEXT_FILE_MAX + 1), 0);
        assert_int_equal(text_file_read(path, &text, &size, &err), BERTH_ERR_TOO_LARGE);
        assert_int_equal(text_file_read("/tmp", &text, &size, &err), BERTH_ERR_IO);
        close(fd);
        unlink(path);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_fixed_headers),       cmocka_unit_test(test_token_file),
                cmocka_unit_test(test_plugin_answers),      cmocka_unit_test(test_missing_plugin),
                cmocka_unit_test(test_plugin_is_run_again), cmocka_unit_test(test_text_files),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
