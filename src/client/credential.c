/* The Authorization header, renewed from the token file. */
#include "client/credential.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/util.h"
#include "client/text_file.h"
#include <stdlib.h>

struct credential {
        const struct cluster_access *access;
        struct buf header;
        struct mono_time read_at;
};

static void wipe(struct buf *buf) {
        if (buf->data)
                explicit_bzero(buf->data, buf->cap);
        buf_release(buf);
}

/* Takes over the header when it differs; tells whether it did. */
static bool replace(struct credential *credential, const char *scheme, struct slice secret) {
        CLEANUP(wipe) struct buf header = { 0 };
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
                *ret_changed = replace(credential, "Bearer ", token);
        explicit_bzero(text, size);
        free(text);
        return result;
}

static void use_password(struct credential *credential) {
        CLEANUP(wipe) struct buf pair = { 0 };
        CLEANUP(wipe) struct buf encoded = { 0 };

        buf_printf(&pair, "%s:", credential->access->username);
        buf_slice(&pair, slice_of(credential->access->password));
        base64_encode(buf_view(&pair), BASE64_STANDARD, &encoded);
        replace(credential, "Basic ", buf_view(&encoded));
}

int credential_new(const struct cluster_access *access, struct mono_time now,
                   struct credential **ret_credential, struct err *err) {
        struct credential *credential = xcalloc(1, sizeof(*credential));
        bool is_changed;

        credential->access = access;
        credential->read_at = now;
        if (access->token_file) {
                int result = read_token(credential, &is_changed, err);

                if (result < 0) {
                        credential_free(credential);
                        return result;
                }
        } else if (access->token) {
                replace(credential, "Bearer ", slice_of(access->token));
        } else if (access->username) {
                use_password(credential);
        }
        *ret_credential = credential;
        return 0;
}

void credential_free(struct credential *credential) {
        if (!credential)
                return;
        wipe(&credential->header);
        free(credential);
}

const char *credential_header(struct credential *credential, struct mono_time now) {
        if (credential->access->token_file &&
            now.ns - credential->read_at.ns >= TOKEN_FILE_PERIOD_NS)
                credential_refresh(credential, now);
        return credential->header.data;
}

bool credential_refresh(struct credential *credential, struct mono_time now) {
        bool is_changed = false;

        if (!credential->access->token_file)
                return false;
        credential->read_at = now;
        return read_token(credential, &is_changed, NULL) == 0 && is_changed;
}
