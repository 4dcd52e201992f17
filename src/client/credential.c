/* The Authorization header, renewed from the token file or by the plugin. */
#include "client/credential.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/util.h"
#include "client/exec_plugin.h"
#include "client/text_file.h"
#include <stdlib.h>

struct credential {
        struct cluster_access *access;
        struct loop *loop;
        struct buf header;
        struct mono_time read_at;
        struct wall_time expires; /* of the plugin's token; unset = unknown */
};

static void credential_wipe(struct buf *buf) {
        if (buf->data)
                explicit_bzero(buf->data, buf->cap);
        buf_release(buf);
}

/* Takes over the header when it differs; tells whether it did. */
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
        return true;
}

static int read_token(struct credential *credential, bool *ret_changed, struct err *err) {
        char *text;
        size_t size;
        struct slice token;
        int result = text_file_read(credential->access->token_file, &text, &size, err);

        if (result < 0)
                return result;
        token = slice_trim(slice_make(text, size));
        if (token.len == 0)
                result = err_set(err, BERTH_ERR_INVALID, "token file %s is empty",
                                 credential->access->token_file);
        else
                *ret_changed = credential_replace(credential, "Bearer ", token);
        explicit_bzero(text, size);
        free(text);
        return result;
}

static void use_password(struct credential *credential) {
        CLEANUP(credential_wipe) struct buf pair = { 0 };
        CLEANUP(credential_wipe) struct buf encoded = { 0 };

        buf_printf(&pair, "%s:", credential->access->username);
        buf_slice(&pair, slice_of(credential->access->password));
        base64_encode(buf_view(&pair), BASE64_STANDARD, &encoded);
        credential_replace(credential, "Basic ", buf_view(&encoded));
}

/* A certificate is taken the first time only: connections know it by then. */
static int run_plugin(struct credential *credential, bool *ret_changed, struct err *err) {
        struct cluster_access *access = credential->access;
        struct exec_answer answer;
        int result = exec_plugin_run(access->exec, &answer, err);

        if (result < 0)
                return result;
        credential->expires = answer.expires;
        if (answer.token)
                *ret_changed = credential_replace(credential, "Bearer ", slice_of(answer.token));
        if (answer.certificate_pem && !access->certificate_pem && !access->certificate_file) {
                access->certificate_pem = answer.certificate_pem;
                access->key_pem = answer.key_pem;
                answer.certificate_pem = answer.key_pem = NULL;
        }
        exec_answer_release(&answer);
        return 0;
}

static int credential_renew(struct credential *credential, bool *ret_changed, struct err *err) {
        credential->read_at = loop_mono(credential->loop);
        if (credential->access->token_file)
                return read_token(credential, ret_changed, err);
        return run_plugin(credential, ret_changed, err);
}

int credential_new(struct cluster_access *access, struct loop *loop,
                   struct credential **ret_credential, struct err *err) {
        struct credential *credential = xcalloc(1, sizeof(*credential));
        bool is_changed;
        int result = 0;

        credential->access = access;
        credential->loop = loop;
        credential->expires = WALL_TIME_UNSET;
        if (access->token_file || (access->exec && !access->token))
                result = credential_renew(credential, &is_changed, err);
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
        credential_wipe(&credential->header);
        free(credential);
}

static bool is_due(const struct credential *credential) {
        const struct cluster_access *access = credential->access;
        int64_t age = loop_mono(credential->loop).ns - credential->read_at.ns;

        if (access->token_file)
                return age >= TOKEN_FILE_PERIOD_NS;
        return access->exec && !access->token && age >= EXEC_PERIOD_NS &&
               wall_time_is_set(credential->expires) &&
               loop_wall(credential->loop).ns >= credential->expires.ns - EXEC_MARGIN_NS;
}

const char *credential_header(struct credential *credential) {
        bool is_changed;

        if (is_due(credential))
                credential_renew(credential, &is_changed, NULL);
        return credential->header.data;
}

bool credential_refresh(struct credential *credential) {
        const struct cluster_access *access = credential->access;
        int64_t age = loop_mono(credential->loop).ns - credential->read_at.ns;
        bool is_changed = false;

        if (!access->token_file && (!access->exec || access->token || age < EXEC_PERIOD_NS))
                return false;
        return credential_renew(credential, &is_changed, NULL) == 0 && is_changed;
}
