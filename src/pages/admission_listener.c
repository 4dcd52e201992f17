/* Serves one webhook over HTTPS. Its certificate is replaced by listening again: answers are
 * immediate, so that there is rarely one under way then. */
#include "pages/admission_listener.h"

#include "base/log.h"
#include "base/util.h"
#include "client/file_reader.h"
#include "client/text_file.h"
#include "http/http_front.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct admission_listener {
        struct loop *loop;
        struct admission_listener_config config;
        struct http_front *front;
        struct loop_timer timer;
        char *address; /* with the port that was bound */
        char *path, *certificate_path, *key_path;
        char *certificate, *key;    /* as they are served */
        struct file_reader *reader; /* of both, beside the loop */
};

/* API servers keep idle connections for 90 s: they should be the ones that close. */
#define IDLE_NS (120 * NS_PER_S)

/* ---- requests ---- */

static void admission_refuse(struct http_response *response, int status, const char *text) {
        response->status = status;
        response->content_type = "text/plain; charset=utf-8";
        buf_clear(&response->body);
        buf_printf(&response->body, "%s\n", text);
}

static bool is_path(const struct admission_listener *listener, struct slice target) {
        struct slice path = SLICE_EMPTY;

        return slice_split(&target, '?', &path) && slice_is(path, listener->path);
}

static void *admission_begin(void *context, const struct http_request *request,
                             struct http_response *ret_response, void (*ready)(void *context),
                             void *ready_context) {
        struct admission_listener *listener = context;
        struct err err = { 0 };
        char text[ERR_PATH_MAX + ERR_TEXT_MAX];

        (void)ready;
        (void)ready_context;
        *ret_response = (struct http_response){ .status = 200,
                                                .content_type = "application/json",
                                                .retry_after_s = -1 };
        if (!is_path(listener, request->target))
                admission_refuse(ret_response, 404, "404 page not found");
        else if (!slice_is(request->method, "POST"))
                admission_refuse(ret_response, 405, "Method Not Allowed");
        else if (listener->config.review(listener->config.context, request->body,
                                         &ret_response->body, &err) < 0) {
                err_format(&err, text, sizeof(text));
                admission_refuse(ret_response, 400, text);
        }
        return NULL;
}

/* Nothing is ever pending. */
static void *admission_resume(void *pending, struct http_response *ret_response) {
        (void)ret_response;
        return pending;
}

static void admission_cancel(void *pending) {
        (void)pending;
}

/* ---- the certificate ---- */

static int check_pem(const struct file_content *file, const char *path, struct err *err) {
        if (!file->text)
                *err = file->err;
        else if (!slice_contains(slice_make(file->text, file->size), SLICE_LITERAL("-----BEGIN ")))
                err_set(err, BERTH_ERR_INVALID, "%s: expected PEM", path);
        else
                return 0;
        return err->code;
}

static int read_pem(const char *path, char **ret_text, struct err *err) {
        struct file_content file = { 0 };

        text_file_read(path, &file.text, &file.size, &file.err);
        int code = check_pem(&file, path, err);
        if (code < 0)
                file_content_wipe(&file);
        else
                *ret_text = file.text;
        return code;
}

static int admission_listen(struct admission_listener *listener, const char *certificate,
                            const char *key, struct err *err) {
        return http_front_new(&(struct http_front_config){ .address = listener->address,
                                                           .header_timeout_ns = IDLE_NS,
                                                           .certificate_pem = certificate,
                                                           .key_pem = key },
                              &(struct http_handler){ admission_begin, admission_resume,
                                                      admission_cancel, listener },
                              listener->loop, &listener->front, err);
}

/* Serves the new pair; the old one again if that cannot be. */
static void admission_replace(struct admission_listener *listener, char *certificate, char *key) {
        struct err err = { 0 };

        http_front_free(listener->front);
        listener->front = NULL;
        if (admission_listen(listener, certificate, key, &err) < 0) {
                LOG(LOG_WARN, "CertificateRefused", log_text("error", err.text));
                free(certificate);
                free(key);
                if (admission_listen(listener, listener->certificate, listener->key, &err) < 0)
                        LOG(LOG_ERROR, "WebhookNotServed", log_text("error", err.text));
                return;
        }
        LOG(LOG_INFO, "CertificateReplaced", log_text("file", listener->certificate_path));
        free(listener->certificate);
        free(listener->key);
        listener->certificate = certificate;
        listener->key = key;
}

enum { CERTIFICATE, KEY };

static void on_pair_read(void *context, struct file_content contents[FILE_READER_MAX]) {
        struct admission_listener *listener = context;
        struct file_content *certificate = &contents[CERTIFICATE], *key = &contents[KEY];
        struct err err = { 0 };

        if (check_pem(certificate, listener->certificate_path, &err) < 0 ||
            check_pem(key, listener->key_path, &err) < 0) {
                LOG(LOG_WARN, "CertificateNotRead", log_text("error", err.text));
        } else if (!listener->front || strcmp(certificate->text, listener->certificate) != 0 ||
                   strcmp(key->text, listener->key) != 0) {
                admission_replace(listener, certificate->text, key->text);
                certificate->text = key->text = NULL;
        }
}

static void on_look(void *context) {
        struct admission_listener *listener = context;

        loop_timer_arm(listener->loop, &listener->timer, ADMISSION_RELOAD_NS);
        file_reader_start(listener->reader);
}

/* ---- life ---- */

/* The same address with the port that was found. */
static void keep_port(struct admission_listener *listener) {
        const char *colon = strrchr(listener->address, ':');
        struct buf text = { 0 };

        buf_append(&text, listener->address, (size_t)(colon - listener->address));
        buf_printf(&text, ":%u", http_front_port(listener->front));
        free(listener->address);
        listener->address = buf_take(&text, NULL);
}

int admission_listener_new(const struct admission_listener_config *config, struct loop *loop,
                           struct admission_listener **ret_listener, struct err *err) {
        struct admission_listener *listener = xcalloc(1, sizeof(*listener));

        listener->loop = loop;
        listener->config = *config;
        listener->timer = (struct loop_timer){ .fired = on_look, .context = listener };
        listener->address = slice_dup(slice_of(config->address));
        listener->path = slice_dup(slice_of(config->path));
        listener->certificate_path = slice_dup(slice_of(config->certificate_path));
        listener->key_path = slice_dup(slice_of(config->key_path));
        listener->reader = file_reader_new(
                &(struct file_reader_config){ .paths = { [CERTIFICATE] = config->certificate_path,
                                                         [KEY] = config->key_path },
                                              .read = on_pair_read,
                                              .context = listener },
                loop);
        int code = read_pem(listener->certificate_path, &listener->certificate, err);
        if (code == 0)
                code = read_pem(listener->key_path, &listener->key, err);
        if (code == 0)
                code = admission_listen(listener, listener->certificate, listener->key, err);
        if (code < 0) {
                admission_listener_free(listener);
                return code;
        }
        keep_port(listener);
        loop_timer_arm(loop, &listener->timer, ADMISSION_RELOAD_NS);
        *ret_listener = listener;
        return 0;
}

void admission_listener_free(struct admission_listener *listener) {
        if (!listener)
                return;
        loop_timer_disarm(listener->loop, &listener->timer);
        file_reader_free(listener->reader);
        http_front_free(listener->front);
        free(listener->address);
        free(listener->path);
        free(listener->certificate_path);
        free(listener->key_path);
        free(listener->certificate);
        free(listener->key);
        free(listener);
}

uint16_t admission_listener_port(const struct admission_listener *listener) {
        return http_front_port(listener->front);
}
