/* The Authorization header, renewed from the token file or by the plugin. */
#include "client/credential.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/util.h"
#include "client/exec_plugin.h"
#include "client/exec_run.h"
#include "client/file_reader.h"
#include "client/text_file.h"
#include <stdlib.h>

struct credential {
        struct cluster_access *access;
        struct loop *loop;
        struct buf header;
        struct mono_time read_at;
        struct wall_time expires; /* of the plugin's token; unset = unknown */
        struct exec_run *run;     /* the plugin is at work; NULL = it is not */
        struct file_reader *file; /* of the token; NULL = none */
        bool is_refused;          /* the server refused the header, and run or file has another */
        uint64_t generation;      /* of the header */
        void (*renewed)(void *context);
        void *context;
};

static void credential_wipe(struct buf *buf) {
        if (buf->data)
                explicit_bzero(buf->data, buf->cap);
        buf_release(buf);
}

/* Takes over the header when it differs; returns whether it did. */
static bool credential_replace(struct credential *credential, const char *scheme,
                               struct slice secret) {
        CLEANUP(credential_wipe) struct buf header = { 0 };
        struct buf old = credential->header;

        buf_text(&header, scheme);
        buf_slice(&header, secret);
        if (slice_eq(buf_view(&header), buf_view(&old)))
                return false;
        credential->header = header;
        header = old;
        credential->generation++;
        return true;
}

static int take_token(struct credential *credential, struct slice text, struct err *err) {
        struct slice token = slice_trim(text);

        if (token.len == 0)
                return err_set(err, BERTH_ERR_INVALID, "token file %s is empty",
                               credential->access->token_file);
        credential_replace(credential, "Bearer ", token);
        return 0;
}

static int read_token_first(struct credential *credential, struct err *err) {
        struct file_content file = { 0 };
        int code = text_file_read(credential->access->token_file, &file.text, &file.size, err);

        if (code == 0)
                code = take_token(credential, slice_make(file.text, file.size), err);
        file_content_wipe(&file);
        return code;
}

static void credential_is_renewed(struct credential *credential) {
        credential->is_refused = false;
        if (credential->renewed)
                credential->renewed(credential->context);
}

static void on_token_read(void *context, struct file_content contents[FILE_READER_MAX]) {
        struct credential *credential = context;

        if (contents[0].text)
                take_token(credential, slice_make(contents[0].text, contents[0].size), NULL);
        credential_is_renewed(credential);
}

/* The file does not answer: requests go on with the last token. */
static void on_token_late(void *context) {
        credential_is_renewed(context);
}

static void start_reading(struct credential *credential) {
        credential->read_at = loop_mono(credential->loop);
        file_reader_start(credential->file);
}

static void use_password(struct credential *credential) {
        CLEANUP(credential_wipe) struct buf pair = { 0 };
        CLEANUP(credential_wipe) struct buf encoded = { 0 };

        buf_printf(&pair, "%s:", credential->access->username);
        buf_slice(&pair, slice_of(credential->access->password));
        base64_encode(buf_view(&pair), BASE64_STANDARD, &encoded);
        credential_replace(credential, "Basic ", buf_view(&encoded));
}

/* ---- plugins ---- */

/* A certificate is taken the first time only: connections know it by then. */
static void take_answer(struct credential *credential, struct exec_answer *answer) {
        struct cluster_access *access = credential->access;

        credential->expires = answer->expires;
        if (answer->token)
                credential_replace(credential, "Bearer ", slice_of(answer->token));
        if (answer->certificate_pem && !access->certificate_pem && !access->certificate_file) {
                access->certificate_pem = answer->certificate_pem;
                access->key_pem = answer->key_pem;
                answer->certificate_pem = answer->key_pem = NULL;
        }
}

static int run_plugin_first(struct credential *credential, struct err *err) {
        struct exec_answer answer;
        int result = exec_plugin_run(credential->access->exec, &answer, err);

        if (result < 0)
                return result;
        take_answer(credential, &answer);
        exec_answer_release(&answer);
        return 0;
}

static void credential_plugin_ended(void *context, int code, struct exec_answer *answer,
                                    const struct err *err) {
        struct credential *credential = context;

        credential->run = NULL;
        credential->read_at = loop_mono(credential->loop);
        if (code < 0)
                LOG(LOG_WARN, "CredentialPluginFailed", log_text("err", err->text));
        else
                take_answer(credential, answer);
        credential_is_renewed(credential);
}

static bool start_plugin(struct credential *credential) {
        struct err err = { 0 };

        credential->read_at = loop_mono(credential->loop);
        if (exec_run_start(credential->access->exec, credential->loop, credential_plugin_ended,
                           credential, &credential->run, &err) < 0) {
                LOG(LOG_WARN, "CredentialPluginFailed", log_text("err", err.text));
                return false;
        }
        return true;
}

static bool has_plugin(const struct credential *credential) {
        return credential->access->exec && !credential->access->token &&
               !credential->access->token_file;
}

/* ---- the credential ---- */

int credential_new(struct cluster_access *access, struct loop *loop,
                   struct credential **ret_credential, struct err *err) {
        struct credential *credential = xcalloc(1, sizeof(*credential));
        int result = 0;

        credential->access = access;
        credential->loop = loop;
        credential->expires = WALL_TIME_UNSET;
        credential->read_at = loop_mono(loop);
        if (access->token_file) {
                credential->file = file_reader_new(
                        &(struct file_reader_config){ .paths = { access->token_file },
                                                      .read = on_token_read,
                                                      .late = on_token_late,
                                                      .context = credential },
                        loop);
                result = read_token_first(credential, err);
        } else if (has_plugin(credential))
                result = run_plugin_first(credential, err);
        else if (access->token)
                credential_replace(credential, "Bearer ", slice_of(access->token));
        else if (access->username)
                use_password(credential);
        if (result < 0)
                credential_free(credential);
        else
                *ret_credential = credential;
        return result;
}

void credential_free(struct credential *credential) {
        if (!credential)
                return;
        exec_run_cancel(credential->run);
        file_reader_free(credential->file);
        credential_wipe(&credential->header);
        free(credential);
}

void credential_listen(struct credential *credential, void (*renewed)(void *context),
                       void *context) {
        credential->renewed = renewed;
        credential->context = context;
}

static int64_t credential_age_ns(const struct credential *credential) {
        return loop_mono(credential->loop).ns - credential->read_at.ns;
}

/* The plugin's token ends within so long. */
static bool ends_within(const struct credential *credential, int64_t margin_ns) {
        return wall_time_is_set(credential->expires) &&
               loop_wall(credential->loop).ns >= credential->expires.ns - margin_ns;
}

static void renew_when_due(struct credential *credential) {
        if (credential->file) {
                if (credential_age_ns(credential) >= TOKEN_FILE_PERIOD_NS)
                        start_reading(credential);
        } else if (has_plugin(credential) && !credential->run &&
                   credential_age_ns(credential) >= EXEC_PERIOD_NS &&
                   ends_within(credential, EXEC_MARGIN_NS)) {
                start_plugin(credential);
        }
}

bool credential_can_send(struct credential *credential) {
        renew_when_due(credential);
        if (credential->file)
                return !credential->is_refused;
        return !credential->run || (!credential->is_refused && !ends_within(credential, 0));
}

const char *credential_header(const struct credential *credential, uint64_t *ret_generation) {
        if (ret_generation)
                *ret_generation = credential->generation;
        return credential->header.data;
}

bool credential_refresh(struct credential *credential, uint64_t refused_generation) {
        if (refused_generation != credential->generation)
                return true;
        if (credential->file) {
                if (file_reader_is_late(credential->file))
                        return false;
                start_reading(credential);
                return credential->is_refused = true;
        }
        if (!has_plugin(credential))
                return false;
        if (!credential->run &&
            (credential_age_ns(credential) < EXEC_PERIOD_NS || !start_plugin(credential)))
                return false;
        credential->is_refused = true;
        return true;
}
