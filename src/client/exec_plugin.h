/* Credential plugins of kubeconfigs (user.exec): a program prints an ExecCredential.
 *
 * Its standard input is /dev/null, its standard error ours. A daemon runs it beside its loop
 * (exec_run.h); only before there is anything to hold up is it waited for. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include "base/time.h"
#include <stdbool.h>
#include <stddef.h>

#define EXEC_TIMEOUT_MS 60000
#define EXEC_OUTPUT_MAX ((size_t)1 << 20)
#define EXEC_TEXTS_MAX 64 /* arguments, or environment entries */

struct exec_plugin {
        char *command; /* looked up in PATH when it has no slash */
        char *arguments[EXEC_TEXTS_MAX];
        size_t argument_count;
        char *environment[EXEC_TEXTS_MAX]; /* NAME=value, besides our own */
        size_t environment_count;
        char *api_version;  /* client.authentication.k8s.io/v1 */
        char *install_hint; /* shown when the command is missing; may be NULL */
        int timeout_ms;     /* 0 = EXEC_TIMEOUT_MS */
};
void exec_plugin_free(struct exec_plugin *plugin); /* accepts NULL */

/* Texts from malloc, NULL where the plugin returned none; a token, or a certificate and a key, are
 * set. */
struct exec_answer {
        char *token, *certificate_pem, *key_pem;
        struct wall_time expires; /* unset = when the server refuses it */
};
void exec_answer_release(struct exec_answer *answer);

/* Reads what the plugin printed. */
int exec_answer_decode(const struct exec_plugin *plugin, struct slice text,
                       struct exec_answer *ret_answer, struct err *err);

/* Waits for it, for at most EXEC_TIMEOUT_MS, whatever it does with its output. */
int exec_plugin_run(const struct exec_plugin *plugin, struct exec_answer *ret_answer,
                    struct err *err);
