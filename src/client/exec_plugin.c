/* Credential plugins, and what they print. */
#include "client/exec_plugin.h"

#include "api/json.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include <stdlib.h>
#include <string.h>

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

/* ---- understanding ---- */

static char *take_text(const struct json *status, const char *key) {
        struct slice text = json_get_text(status, key);

        return text.len ? slice_dup(text) : NULL;
}

int exec_answer_decode(const struct exec_plugin *plugin, struct slice text,
                       struct exec_answer *ret_answer, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct exec_answer answer = { .expires = WALL_TIME_UNSET };

        if (json_parse(text, &doc, err) < 0)
                return err_wrap(err, "answer of %s", plugin->command);
        const struct json *root = json_doc_root(doc);
        const struct json *status = json_get(root, "status");
        struct slice expires = json_get_text(status, "expirationTimestamp");
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
