/* Running credential plugins. */
#include "client/exec_plugin.h"

#include "api/json.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void exec_plugin_free(struct exec_plugin *plugin) {
        if (!plugin)
                return;
        for (size_t i = 0; i < plugin->argument_count; i++)
                free(plugin->arguments[i]);
        for (size_t i = 0; i < plugin->environment_count; i++)
                free(plugin->environment[i]);
        free(plugin->command);
        free(plugin->api_version);
        free(plugin->install_hint);
        free(plugin);
}

static void free_secret(char *text) {
        if (text)
                explicit_bzero(text, strlen(text));
        free(text);
}

void exec_answer_release(struct exec_answer *answer) {
        free_secret(answer->token);
        free_secret(answer->key_pem);
        free(answer->certificate_pem);
        *answer = (struct exec_answer){ 0 };
}

/* ---- running ---- */

/* Our environment, the plugin's entries and what it is told about us; NULL-ended. */
static char **make_environment(const struct exec_plugin *plugin, char *info) {
        size_t count = 0, own = 0;
        char **entries;

        while (environ[own])
                own++;
        entries = xcalloc(own + plugin->environment_count + 2, sizeof(*entries));
        /* The first of a name counts, so what shall overrule comes first. */
        entries[count++] = info;
        for (size_t i = 0; i < plugin->environment_count; i++)
                entries[count++] = plugin->environment[i];
        for (size_t i = 0; i < own; i++)
                entries[count++] = environ[i];
        return entries;
}

static char **make_arguments(const struct exec_plugin *plugin) {
        char **arguments = xcalloc(plugin->argument_count + 2, sizeof(*arguments));

        arguments[0] = plugin->command;
        for (size_t i = 0; i < plugin->argument_count; i++)
                arguments[i + 1] = plugin->arguments[i];
        return arguments;
}

static char *make_info(const struct exec_plugin *plugin) {
        struct buf info = { 0 };

        buf_text(&info, "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":");
        buf_json_string(&info, slice_of(plugin->api_version));
        buf_text(&info, ",\"spec\":{\"interactive\":false}}");
        return buf_take(&info, NULL);
}

static int exec_plugin_spawn(const struct exec_plugin *plugin, int output, pid_t *ret_pid) {
        CLEANUP(cleanup_free) char *info = make_info(plugin);
        CLEANUP(cleanup_free) char **environment = make_environment(plugin, info);
        CLEANUP(cleanup_free) char **arguments = make_arguments(plugin);
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        sigset_t none, pipes;
        int result;

        /* Signals as a program started from a shell has them. */
        sigemptyset(&none);
        sigemptyset(&pipes);
        sigaddset(&pipes, SIGPIPE);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &pipes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        result = posix_spawnp(ret_pid, plugin->command, &actions, &attributes, arguments,
                              environment);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        return result;
}

static int64_t now_ms(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Everything the plugin prints, until it closes its output. */
static int read_output(const struct exec_plugin *plugin, int fd, struct buf *output,
                       struct err *err) {
        int64_t end = now_ms() + EXEC_TIMEOUT_MS;
        char chunk[4096];

        for (;;) {
                struct pollfd ready = { .fd = fd, .events = POLLIN };
                int64_t left = end - now_ms();
                ssize_t got;

                if (left <= 0 || poll(&ready, 1, (int)left) == 0)
                        return err_set(err, BERTH_ERR_TIMEOUT, "%s did not end within %d s",
                                       plugin->command, EXEC_TIMEOUT_MS / 1000);
                got = read(fd, chunk, sizeof(chunk));
                if (got == 0)
                        return 0;
                if (got < 0 && errno != EINTR)
                        return err_set_errno(err, BERTH_ERR_IO, errno, "cannot read from %s",
                                             plugin->command);
                if (got > 0 && !buf_append(output, chunk, (size_t)got))
                        return err_set(err, BERTH_ERR_TOO_LARGE, "%s prints more than %zu bytes",
                                       plugin->command, EXEC_OUTPUT_MAX);
        }
}

static int exec_plugin_run_program(const struct exec_plugin *plugin, struct buf *output,
                                   struct err *err) {
        CLEANUP(cleanup_close) int read_end = -1;
        int fds[2], status = 0, result;
        pid_t pid;

        if (pipe2(fds, O_CLOEXEC) < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot make a pipe");
        read_end = fds[0];
        result = exec_plugin_spawn(plugin, fds[1], &pid);
        close(fds[1]);
        if (result != 0)
                return err_set_errno(err, BERTH_ERR_NOT_FOUND, result, "cannot run %s%s%s",
                                     plugin->command, plugin->install_hint ? "; " : "",
                                     plugin->install_hint ? plugin->install_hint : "");
        result = read_output(plugin, read_end, output, err);
        if (result < 0)
                kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (result < 0)
                return result;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                return err_set(err, BERTH_ERR_UNAUTHORIZED, "%s failed with %s %d", plugin->command,
                               WIFEXITED(status) ? "exit code" : "signal",
                               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        return 0;
}

/* ---- understanding ---- */

static char *take_text(const struct json *status, const char *key) {
        struct slice text = json_get_text(status, key);

        return text.len ? slice_dup(text) : NULL;
}

int exec_answer_decode(const struct exec_plugin *plugin, struct slice text,
                       struct exec_answer *ret_answer, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct exec_answer answer = { .expires = WALL_TIME_UNSET };
        const struct json *root, *status;
        struct slice expires;

        if (json_parse(text, &doc, err) < 0)
                return err_wrap(err, "answer of %s", plugin->command);
        root = json_doc_root(doc);
        status = json_get(root, "status");
        expires = json_get_text(status, "expirationTimestamp");
        if (!slice_is(json_get_text(root, "kind"), "ExecCredential") ||
            !slice_is(json_get_text(root, "apiVersion"), plugin->api_version))
                return err_set(err, BERTH_ERR_INVALID, "answer of %s is no ExecCredential of %s",
                               plugin->command, plugin->api_version);
        if (expires.len && !wall_time_parse(expires, &answer.expires))
                return err_set(err, BERTH_ERR_INVALID,
                               "answer of %s: expirationTimestamp is no time", plugin->command);
        answer.token = take_text(status, "token");
        answer.certificate_pem = take_text(status, "clientCertificateData");
        answer.key_pem = take_text(status, "clientKeyData");
        if (!answer.certificate_pem != !answer.key_pem ||
            (!answer.token && !answer.certificate_pem)) {
                exec_answer_release(&answer);
                return err_set(err, BERTH_ERR_INVALID,
                               "answer of %s has neither a token nor a certificate with its key",
                               plugin->command);
        }
        *ret_answer = answer;
        return 0;
}

int exec_plugin_run(const struct exec_plugin *plugin, struct exec_answer *ret_answer,
                    struct err *err) {
        struct buf output = { .max = EXEC_OUTPUT_MAX };
        int result = exec_plugin_run_program(plugin, &output, err);

        if (result == 0)
                result = exec_answer_decode(plugin, buf_view(&output), ret_answer, err);
        if (output.data)
                explicit_bzero(output.data, output.cap);
        buf_release(&output);
        return result;
}
