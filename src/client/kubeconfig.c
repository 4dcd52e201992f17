/* Access to a cluster from kubeconfig files. */
#include "client/kubeconfig.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/util.h"
#include "client/exec_plugin.h"
#include "client/text_file.h"
#include "config/document.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct files {
        struct document *items[KUBECONFIG_FILES_MAX];
        size_t count;
};

/* A cluster, user or context with the file it stands in. */
struct part {
        const struct document *document;
        const struct json *object;
        const char *what;
};

/* ---- files ---- */

static void files_release(struct files *files) {
        for (size_t i = 0; i < files->count; i++)
                document_free(files->items[i]);
}

static int load_file(struct files *files, const char *path, bool may_be_absent, struct err *err) {
        CLEANUP(cleanup_free) char *text = NULL;
        struct err local = { 0 };
        size_t size;
        int result = text_file_read(path, &text, &size, &local);

        if (result == BERTH_ERR_NOT_FOUND && may_be_absent)
                return 0;
        if (result < 0) {
                if (err)
                        *err = local;
                return result;
        }
        if (files->count == KUBECONFIG_FILES_MAX)
                return err_set(err, BERTH_ERR_INVALID, "more than %d kubeconfig files",
                               KUBECONFIG_FILES_MAX);
        result = document_read(slice_make(text, size), path, &files->items[files->count], err);
        if (result < 0)
                return result;
        files->count++;
        return 0;
}

static int load_list(struct files *files, const char *list, struct err *err) {
        struct slice rest = slice_of(list), path;

        while (slice_split(&rest, ':', &path)) {
                CLEANUP(cleanup_free) char *name = slice_dup(path);
                int result = path.len ? load_file(files, name, true, err) : 0;

                if (result < 0)
                        return result;
        }
        return 0;
}

static int load_files(const struct kubeconfig_source *source, struct files *files,
                      struct err *err) {
        CLEANUP(buf_release) struct buf path = { 0 };
        int result = 0;

        if (source->path)
                return load_file(files, source->path, false, err);
        if (source->path_list && source->path_list[0]) {
                result = load_list(files, source->path_list, err);
        } else if (source->home) {
                buf_printf(&path, "%s/.kube/config", source->home);
                result = load_file(files, path.data, true, err);
        }
        if (result == 0 && files->count == 0)
                return err_set(err, BERTH_ERR_NOT_FOUND,
                               "there is no kubeconfig: expected --kubeconfig FILE, $KUBECONFIG or "
                               "~/.kube/config");
        return result;
}

/* ---- values ---- */

static int bad_value(const struct part *part, const struct json *value, const char *key,
                     const char *expected, struct err *err) {
        int code = err_set(err, BERTH_ERR_INVALID, "%s: %s must be %s", part->what, key, expected);

        if (err)
                document_locate(part->document, value ? value : part->object, err);
        return code;
}

/* A text that may be absent or empty: both leave *ret_text alone. */
static int take_text(const struct part *part, const char *key, char **ret_text, struct err *err) {
        const struct json *value = json_get(part->object, key);
        enum json_type type = json_type(value);

        if (type == JSON_NONE || type == JSON_NULL)
                return 0;
        if (type != JSON_STRING)
                return bad_value(part, value, key, "a string", err);
        if (json_text(value).len)
                *ret_text = slice_dup(json_text(value));
        return 0;
}

static int take_bool(const struct part *part, const char *key, bool *ret_value, struct err *err) {
        const struct json *value = json_get(part->object, key);
        enum json_type type = json_type(value);

        if (type == JSON_NONE || type == JSON_NULL)
                return 0;
        if (type != JSON_BOOL)
                return bad_value(part, value, key, "true or false", err);
        *ret_value = json_is_true(value);
        return 0;
}

/* Path of a file, relative to the kubeconfig's folder. */
static int take_path(const struct part *part, const char *key, char **ret_path, struct err *err) {
        CLEANUP(cleanup_free) char *path = NULL;
        const char *file = document_file(part->document);
        const char *slash = strrchr(file, '/');
        struct buf joined = { 0 };
        int result = take_text(part, key, &path, err);

        if (result < 0 || !path)
                return result;
        if (path[0] != '/' && slash)
                buf_slice(&joined, slice_make(file, (size_t)(slash - file) + 1));
        buf_text(&joined, path);
        *ret_path = buf_take(&joined, NULL);
        return 0;
}

/* PEM text from KEY-data, or else the file KEY, which must be there. */
static int take_pem(const struct part *part, const char *key, char **ret_pem, char **ret_file,
                    struct err *err) {
        CLEANUP(cleanup_free) char *encoded = NULL;
        CLEANUP(cleanup_free) char *content = NULL;
        CLEANUP(buf_release) struct buf pem = { 0 };
        char data_key[64];
        size_t size;

        snprintf(data_key, sizeof(data_key), "%s-data", key);
        int result = take_text(part, data_key, &encoded, err);
        if (result < 0)
                return result;
        if (encoded) {
                if (!base64_decode(slice_of(encoded), BASE64_STANDARD, &pem))
                        return bad_value(part, json_get(part->object, data_key), data_key, "base64",
                                         err);
                *ret_pem = buf_take(&pem, NULL);
                return 0;
        }
        result = take_path(part, key, ret_file, err);
        if (result < 0 || !*ret_file)
                return result;
        result = text_file_read(*ret_file, &content, &size, err);
        if (result < 0)
                return err_wrap(err, "%s: %s", part->what, key);
        explicit_bzero(content, size);
        return 0;
}

/* ---- parts ---- */

/* First wins, over all files. */
static bool find_part(const struct files *files, const char *list, const char *member,
                      const char *name, struct part *ret_part) {
        for (size_t i = 0; i < files->count; i++) {
                struct json_iter iter = json_iter(json_get(document_root(files->items[i]), list));
                const struct json *entry;

                while (json_next(&iter, NULL, &entry)) {
                        if (!slice_is(json_get_text(entry, "name"), name))
                                continue;
                        ret_part->document = files->items[i];
                        ret_part->object = json_get(entry, member);
                        return true;
                }
        }
        return false;
}

static int need_part(const struct files *files, const char *member, const char *name,
                     struct part *ret_part, struct err *err) {
        char list[16];

        snprintf(list, sizeof(list), "%ss", member);
        ret_part->what = member;
        if (find_part(files, list, member, name, ret_part))
                return 0;
        err_set(err, BERTH_ERR_NOT_FOUND, "%s \"%s\" does not exist", member, name);
        if (err)
                err_position(err, document_file(files->items[0]), 0, 0);
        return BERTH_ERR_NOT_FOUND;
}

static int read_cluster(const struct part *part, struct cluster_access *access, struct err *err) {
        int result = take_text(part, "server", &access->server, err);

        if (result == 0 && !access->server)
                return bad_value(part, NULL, "server", "given", err);
        if (result == 0)
                result = take_pem(part, "certificate-authority", &access->ca_pem, &access->ca_file,
                                  err);
        if (result == 0)
                result = take_bool(part, "insecure-skip-tls-verify", &access->is_insecure, err);
        if (result == 0)
                result = take_text(part, "tls-server-name", &access->tls_server_name, err);
        if (result == 0)
                result = take_text(part, "proxy-url", &access->proxy_url, err);
        if (result == 0 && access->is_insecure && (access->ca_pem || access->ca_file))
                return bad_value(part, NULL, "certificate-authority",
                                 "absent when insecure-skip-tls-verify is set", err);
        return result;
}

static int read_groups(const struct part *part, struct cluster_access *access, struct err *err) {
        const struct json *list = json_get(part->object, "as-groups");
        struct json_iter iter = json_iter(list);
        const struct json *group;

        while (json_next(&iter, NULL, &group)) {
                if (json_type(list) != JSON_ARRAY || json_type(group) != JSON_STRING ||
                    access->impersonate_group_count == ACCESS_GROUPS_MAX)
                        return bad_value(part, list, "as-groups", "a list of up to 16 names", err);
                access->impersonate_groups[access->impersonate_group_count++] =
                        slice_dup(json_text(group));
        }
        return 0;
}

/* Fields that name another user: ignoring them would make us another user than the file says. */
static int refuse_unsupported(const struct part *part, struct err *err) {
        static const char *const keys[] = { "auth-provider", "as-uid", "as-user-extra" };

        for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
                const struct json *value = json_get(part->object, keys[i]);

                if (json_type(value) == JSON_NONE || json_type(value) == JSON_NULL)
                        continue;
                err_set(err, BERTH_ERR_INVALID,
                        "user: %s is not supported; use a token, a certificate or exec", keys[i]);
                if (err)
                        document_locate(part->document, value, err);
                return BERTH_ERR_INVALID;
        }
        return 0;
}

static int read_arguments(const struct part *part, struct exec_plugin *plugin, struct err *err) {
        const struct json *list = json_get(part->object, "args");
        struct json_iter iter = json_iter(list);
        const struct json *argument;

        while (json_next(&iter, NULL, &argument)) {
                if (json_type(argument) != JSON_STRING || plugin->argument_count == EXEC_TEXTS_MAX)
                        return bad_value(part, list, "args", "a list of up to 64 strings", err);
                plugin->arguments[plugin->argument_count++] = slice_dup(json_text(argument));
        }
        return 0;
}

static int read_environment(const struct part *part, struct exec_plugin *plugin, struct err *err) {
        const struct json *list = json_get(part->object, "env");
        struct json_iter iter = json_iter(list);
        const struct json *entry;

        while (json_next(&iter, NULL, &entry)) {
                struct slice name = json_get_text(entry, "name");
                struct buf text = { 0 };

                if (name.len == 0 || plugin->environment_count == EXEC_TEXTS_MAX)
                        return bad_value(part, list, "env", "a list of up to 64 names and values",
                                         err);
                buf_slice(&text, name);
                buf_char(&text, '=');
                buf_slice(&text, json_get_text(entry, "value"));
                plugin->environment[plugin->environment_count++] = buf_take(&text, NULL);
        }
        return 0;
}

/* A command with a slash is relative to the kubeconfig, one without is looked for in PATH. */
static int read_command(const struct part *part, struct exec_plugin *plugin, struct err *err) {
        int result = take_text(part, "command", &plugin->command, err);

        if (result == 0 && !plugin->command)
                return bad_value(part, NULL, "command", "given", err);
        if (result < 0 || !strchr(plugin->command, '/'))
                return result;
        free(plugin->command);
        plugin->command = NULL;
        return take_path(part, "command", &plugin->command, err);
}

static int read_exec(const struct part *user, struct cluster_access *access, struct err *err) {
        struct part part = { user->document, json_get(user->object, "exec"), "exec" };
        struct exec_plugin *plugin;

        if (json_type(part.object) != JSON_OBJECT)
                return 0;
        plugin = access->exec = xcalloc(1, sizeof(*plugin));
        int result = read_command(&part, plugin, err);
        if (result == 0)
                result = read_arguments(&part, plugin, err);
        if (result == 0)
                result = read_environment(&part, plugin, err);
        if (result == 0)
                result = take_text(&part, "apiVersion", &plugin->api_version, err);
        if (result == 0)
                result = take_text(&part, "installHint", &plugin->install_hint, err);
        if (result < 0)
                return result;
        if (!plugin->api_version ||
            (strcmp(plugin->api_version, "client.authentication.k8s.io/v1") != 0 &&
             strcmp(plugin->api_version, "client.authentication.k8s.io/v1beta1") != 0))
                return bad_value(&part, json_get(part.object, "apiVersion"), "apiVersion",
                                 "client.authentication.k8s.io/v1 or v1beta1", err);
        if (slice_is(json_get_text(part.object, "interactiveMode"), "Always"))
                return bad_value(&part, json_get(part.object, "interactiveMode"), "interactiveMode",
                                 "Never or IfAvailable", err);
        return 0;
}

static int read_identity(const struct part *part, struct cluster_access *access, struct err *err) {
        const struct {
                const char *key;
                char **text;
        } members[] = { { "token", &access->token },
                        { "username", &access->username },
                        { "password", &access->password },
                        { "as", &access->impersonate_user } };

        for (size_t i = 0; i < ARRAY_LEN(members); i++) {
                int result = take_text(part, members[i].key, members[i].text, err);

                if (result < 0)
                        return result;
        }
        return read_groups(part, access, err);
}

static int read_certificate(const struct part *part, struct cluster_access *access,
                            struct err *err) {
        int result = take_pem(part, "client-certificate", &access->certificate_pem,
                              &access->certificate_file, err);

        if (result == 0)
                result = take_pem(part, "client-key", &access->key_pem, &access->key_file, err);
        if (result == 0 && (access->certificate_pem || access->certificate_file) !=
                                   (access->key_pem || access->key_file))
                return bad_value(part, NULL, "client-certificate", "given together with client-key",
                                 err);
        return result;
}

static int read_user(const struct part *part, struct cluster_access *access, struct err *err) {
        int result = refuse_unsupported(part, err);

        if (result == 0)
                result = read_identity(part, access, err);
        if (result == 0)
                result = take_path(part, "tokenFile", &access->token_file, err);
        if (result == 0)
                result = read_certificate(part, access, err);
        if (result == 0)
                result = read_exec(part, access, err);
        if (result == 0 && access->impersonate_group_count && !access->impersonate_user)
                return bad_value(part, NULL, "as-groups", "absent without as", err);
        return result;
}

static int current_context(const struct files *files, const char *wanted, char **ret_name,
                           struct err *err) {
        if (wanted && wanted[0]) {
                *ret_name = slice_dup(slice_of(wanted));
                return 0;
        }
        for (size_t i = 0; i < files->count; i++) {
                struct slice name =
                        json_get_text(document_root(files->items[i]), "current-context");

                if (name.len) {
                        *ret_name = slice_dup(name);
                        return 0;
                }
        }
        struct slice kind = json_get_text(document_root(files->items[0]), "kind");
        if (kind.len && !slice_is(kind, "Config"))
                err_set(err, BERTH_ERR_NOT_FOUND,
                        "kind: expected Config, found " SLICE_FMT ": this is no kubeconfig",
                        SLICE_ARG(kind));
        else
                err_set(err, BERTH_ERR_NOT_FOUND,
                        "there is no current-context: expected one, or --context NAME");
        if (err)
                err_position(err, document_file(files->items[0]), 0, 0);
        return BERTH_ERR_NOT_FOUND;
}

static int read_access(const struct files *files, const char *wanted, struct cluster_access *access,
                       struct err *err) {
        CLEANUP(cleanup_free) char *cluster_name = NULL;
        CLEANUP(cleanup_free) char *user_name = NULL;
        struct part context, cluster, user;
        int result = current_context(files, wanted, &access->context_name, err);

        if (result == 0)
                result = need_part(files, "context", access->context_name, &context, err);
        if (result == 0)
                result = take_text(&context, "cluster", &cluster_name, err);
        if (result == 0)
                result = take_text(&context, "user", &user_name, err);
        if (result == 0)
                result = take_text(&context, "namespace", &access->namespace_name, err);
        if (result == 0)
                result = need_part(files, "cluster", cluster_name ? cluster_name : "", &cluster,
                                   err);
        if (result == 0)
                result = read_cluster(&cluster, access, err);
        if (result < 0 || !user_name) /* a context may do without a user */
                return result;
        result = need_part(files, "user", user_name, &user, err);
        return result < 0 ? result : read_user(&user, access, err);
}

int kubeconfig_load(const struct kubeconfig_source *source, struct cluster_access *ret_access,
                    struct err *err) {
        CLEANUP(files_release) struct files files = { 0 };
        struct cluster_access access = { 0 };
        int result = load_files(source, &files, err);

        if (result == 0)
                result = read_access(&files, source->context, &access, err);
        if (result < 0) {
                cluster_access_release(&access);
                return result;
        }
        *ret_access = access;
        return 0;
}

/* ---- service accounts ---- */

static char *path_below(const char *directory, const char *name) {
        struct buf path = { 0 };

        buf_printf(&path, "%s/%s", directory, name);
        return buf_take(&path, NULL);
}

int service_account_load(const char *host, const char *port, const char *directory,
                         struct cluster_access *ret_access, struct err *err) {
        struct cluster_access access = { 0 };
        CLEANUP(cleanup_free) char *content = NULL;
        CLEANUP(cleanup_free) char *namespace_file = NULL;
        struct buf server = { 0 };
        size_t size;

        if (!host || !host[0] || !port || !port[0])
                return err_set(err, BERTH_ERR_NOT_FOUND, "this is no pod of a cluster");
        directory = directory ? directory : SERVICE_ACCOUNT_DIRECTORY;
        access.ca_file = path_below(directory, "ca.crt");
        access.token_file = path_below(directory, "token");
        namespace_file = path_below(directory, "namespace");
        int result = text_file_read(access.token_file, &access.token, &size, err);
        if (result == 0)
                result = text_file_read(access.ca_file, &content, &size, err);
        if (result < 0) {
                cluster_access_release(&access);
                return err_wrap(err, "service account");
        }
        explicit_bzero(access.token, size); /* it had to be there; its user reads it */
        free(access.token);
        access.token = NULL;
        buf_printf(&server, strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s", host, port);
        access.server = buf_take(&server, NULL);
        if (text_file_read(namespace_file, &access.namespace_name, &size, NULL) == 0)
                access.namespace_name[strcspn(access.namespace_name, " \r\n")] = '\0';
        *ret_access = access;
        return 0;
}
