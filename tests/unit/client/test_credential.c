/* The Authorization header over time. */
#include "client/credential.h"

#include "../server/fake_server.h"
#include "client/exec_plugin.h"
#include "client/text_file.h"
#include "loop/event_loop.h"
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
                uint64_t generation;

                assert_int_equal(credential_new(&access, virtual_loop_get(loop), &credential, NULL),
                                 0);
                virtual_loop_advance(loop, 1000 * NS_PER_S);
                header = credential_header(credential, &generation);
                if (cases[i].header)
                        assert_string_equal(header, cases[i].header);
                else
                        assert_null(header);
                assert_false(credential_refresh(credential, generation));
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
        uint64_t generation = 0;

        (void)state;
        close(mkstemp(path));
        assert_int_equal(credential_new(&access, virtual_loop_get(loop), &credential, &err),
                         BERTH_ERR_INVALID);
        assert_null(credential); /* an empty file */
        write_file(path, " one\n");
        assert_int_equal(credential_new(&access, virtual_loop_get(loop), &credential, NULL), 0);
        write_file(path, "two");
        virtual_loop_advance(loop, 59 * NS_PER_S);
        assert_true(credential_can_send(credential));
        assert_string_equal(credential_header(credential, NULL), "Bearer one");
        virtual_loop_advance(loop, NS_PER_S);
        assert_true(credential_can_send(credential)); /* while the file is read */
        virtual_loop_advance(loop, NS_PER_MS);
        assert_string_equal(credential_header(credential, &generation), "Bearer two");
        write_file(path, "three");
        assert_true(credential_refresh(credential, generation));
        assert_false(credential_can_send(credential)); /* that one was refused */
        virtual_loop_advance(loop, NS_PER_MS);
        assert_true(credential_can_send(credential));
        assert_true(credential_refresh(credential, generation)); /* of a request sent before */
        assert_true(credential_can_send(credential));
        assert_string_equal(credential_header(credential, &generation), "Bearer three");
        assert_true(credential_refresh(credential, generation)); /* nothing new */
        virtual_loop_advance(loop, NS_PER_MS);
        assert_true(credential_can_send(credential));
        unlink(path); /* the last one stays */
        virtual_loop_advance(loop, 500 * NS_PER_S);
        assert_true(credential_can_send(credential));
        assert_string_equal(credential_header(credential, NULL), "Bearer three");
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

/* Whatever a plugin does with its output, it is not waited for beyond its time. */
static void test_plugins_that_stay(void **state) {
        static const char *const scripts[] = { "exec >&-; sleep 1000", "sleep 1000 & exit 0",
                                               "sleep 1000", "trap '' TERM; sleep 1000" };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
                struct exec_plugin *plugin = plugin_new(scripts[i], "");
                struct exec_answer answer = { 0 };
                struct err err = { 0 };

                plugin->timeout_ms = 50;
                if (exec_plugin_run(plugin, &answer, &err) != BERTH_ERR_TIMEOUT)
                        fail_msg("%s: %s", scripts[i], err.text);
                exec_plugin_free(plugin);
        }
}

/* The program's loop with clocks that can be put forward. */
struct shifted_loop {
        struct event_loop *events;
        struct loop_ops ops;
        struct loop loop;
};
static const struct loop_ops *unshifted_ops;
static int64_t shift_ns;

static struct wall_time shifted_wall(void *self) {
        return (struct wall_time){ unshifted_ops->wall(self).ns + shift_ns };
}
static struct mono_time shifted_mono(void *self) {
        return (struct mono_time){ unshifted_ops->mono(self).ns + shift_ns };
}
static void shifted_loop_init(struct shifted_loop *shifted) {
        assert_int_equal(event_loop_new(&shifted->events, NULL), 0);
        shifted->loop = *event_loop_as_loop(shifted->events);
        unshifted_ops = shifted->loop.ops;
        shifted->ops = *unshifted_ops;
        shifted->ops.wall = shifted_wall;
        shifted->ops.mono = shifted_mono;
        shifted->loop.ops = &shifted->ops;
        shift_ns = 0;
}

/* A plugin that counts its runs in a file and makes tokens of the count. */
struct counter_scene {
        struct shifted_loop shifted;
        char path[40];
        struct cluster_access access;
        struct credential *credential;
        unsigned renewals;
};
static void count_renewal(void *context) {
        ((struct counter_scene *)context)->renewals++;
}
static void scene_init(struct counter_scene *scene, const char *script) {
        char stamp[WALL_TIME_TEXT_MAX];
        struct buf file = { 0 }, answer = { 0 };

        *scene = (struct counter_scene){ .path = "/tmp/berth-credential-XXXXXX" };
        shifted_loop_init(&scene->shifted);
        close(mkstemp(scene->path));
        write_file(scene->path, "0");
        wall_time_format((struct wall_time){ loop_wall(&scene->shifted.loop).ns + 600 * NS_PER_S },
                         stamp);
        buf_printf(&answer, ANSWER("\"token\":\"NUMBER\",\"expirationTimestamp\":\"%s\""), stamp);
        scene->access.exec = plugin_new(script, answer.data);
        scene->access.exec->timeout_ms = 3000;
        buf_release(&answer);
        buf_printf(&file, "FILE=%s", scene->path);
        scene->access.exec->environment[scene->access.exec->environment_count++] =
                buf_take(&file, NULL);
        assert_int_equal(
                credential_new(&scene->access, &scene->shifted.loop, &scene->credential, NULL), 0);
        credential_listen(scene->credential, count_renewal, scene);
}
static void scene_release(struct counter_scene *scene) {
        credential_free(scene->credential);
        cluster_access_release(&scene->access);
        event_loop_free(scene->shifted.events);
        unlink(scene->path);
}
static void run_until_renewed(struct counter_scene *scene) {
        unsigned before = scene->renewals;
        while (scene->renewals == before)
                assert_int_equal(event_loop_run_once(scene->shifted.events, -1, NULL), 0);
}

#define COUNT "n=$(cat $FILE); n=$((n+1)); echo $n >$FILE; echo \"$ANSWER\" | sed s/NUMBER/$n/"

static void test_plugin_is_run_again(void **state) {
        struct counter_scene scene;
        uint64_t generation;

        (void)state;
        scene_init(&scene, COUNT);
        assert_string_equal(credential_header(scene.credential, &generation), "Bearer 1");
        assert_false(credential_refresh(scene.credential, generation)); /* only just made */
        shift_ns = 560 * NS_PER_S;
        assert_true(credential_can_send(scene.credential));
        assert_int_equal(scene.renewals, 0);
        /* Thirty seconds before its end the token still serves while another is made. */
        shift_ns = 575 * NS_PER_S;
        assert_true(credential_can_send(scene.credential));
        assert_string_equal(credential_header(scene.credential, NULL), "Bearer 1");
        run_until_renewed(&scene);
        assert_string_equal(credential_header(scene.credential, NULL), "Bearer 2");
        /* Who was refused with the old one only has to try again; the new one is not at fault. */
        assert_true(credential_refresh(scene.credential, generation));
        assert_true(credential_can_send(scene.credential));
        /* Refused again: requests wait until the plugin has ended. */
        shift_ns += 5 * NS_PER_S;
        credential_header(scene.credential, &generation);
        assert_true(credential_refresh(scene.credential, generation));
        assert_false(credential_can_send(scene.credential));
        run_until_renewed(&scene);
        assert_true(credential_can_send(scene.credential));
        assert_string_equal(credential_header(scene.credential, NULL), "Bearer 3");
        scene_release(&scene);
}

/* A plugin that closes its output and stays holds up the requests that need it, for its time, and
 * nothing else. */
static void test_plugin_hangs(void **state) {
        struct counter_scene scene;

        (void)state;
        scene_init(&scene, "[ $(cat $FILE) = 0 ] || { exec >&-; sleep 1000; }; " COUNT);
        scene.access.exec->timeout_ms = 100;
        shift_ns = 601 * NS_PER_S; /* the first one has ended */
        assert_false(credential_can_send(scene.credential));
        run_until_renewed(&scene);
        assert_true(credential_can_send(scene.credential)); /* with the last one */
        assert_string_equal(credential_header(scene.credential, NULL), "Bearer 1");
        /* Freed while it is at work again. A plugin that is only being started then is put down by
         * a thread of its own, which the end of this program would cut off: so it starts first. */
        shift_ns += 10 * NS_PER_S;
        assert_false(credential_can_send(scene.credential));
        assert_int_equal(event_loop_run_once(scene.shifted.events, NS_PER_S, NULL), 0);
        scene_release(&scene);
}

/* A token file that does not answer holds up nobody whose token still counts. */
static void test_token_file_hangs(void **state) {
        struct counter_scene scene = { .path = "/tmp/berth-credential-XXXXXX" };
        uint64_t generation;

        (void)state;
        shift_ns = 0;
        shifted_loop_init(&scene.shifted);
        close(mkstemp(scene.path));
        write_file(scene.path, "one");
        scene.access.token_file = slice_dup(slice_of(scene.path));
        assert_int_equal(
                credential_new(&scene.access, &scene.shifted.loop, &scene.credential, NULL), 0);
        credential_listen(scene.credential, count_renewal, &scene);
        unlink(scene.path);
        assert_int_equal(mkfifo(scene.path, 0600), 0);
        shift_ns = 61 * NS_PER_S;
        for (int i = 0; i < 10; i++) {
                assert_true(credential_can_send(scene.credential));
                assert_int_equal(event_loop_run_once(scene.shifted.events, 0, NULL), 0);
                shift_ns += 61 * NS_PER_S;
        }
        assert_string_equal(credential_header(scene.credential, &generation), "Bearer one");
        assert_true(credential_refresh(scene.credential, generation)); /* refused: it waits */
        assert_false(credential_can_send(scene.credential));
        write_file(scene.path, "two");
        run_until_renewed(&scene);
        assert_true(credential_can_send(scene.credential));
        assert_string_equal(credential_header(scene.credential, NULL), "Bearer two");
        scene_release(&scene);
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
                cmocka_unit_test(test_fixed_headers),
                cmocka_unit_test(test_token_file),
                cmocka_unit_test(test_token_file_hangs),
                cmocka_unit_test(test_plugin_answers),
                cmocka_unit_test(test_missing_plugin),
                cmocka_unit_test(test_plugins_that_stay),
                cmocka_unit_test(test_plugin_is_run_again),
                cmocka_unit_test(test_plugin_hangs),
                cmocka_unit_test(test_text_files),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
