/* A thread per mail, an eventfd for its end. */
#include "client/mail_sender.h"

#include "base/util.h"
#include "client/http_transport_priv.h" /* libcurl */
#include "port/thread_start.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct mail_sending {
        atomic_int users; /* loop and thread: the last one frees */
        struct loop *loop;
        struct loop_io *io;
        int fd;
        void (*done)(void *context, const char *text);
        void *context;
        CURL *easy; /* the thread's */
        struct curl_slist *to;
        char *text;
        size_t size, sent;
        char failure[CURL_ERROR_SIZE];
};

static void mail_sender_drop(struct mail_sending *sending) {
        if (atomic_fetch_sub(&sending->users, 1) > 1)
                return;
        curl_easy_cleanup(sending->easy); /* only where there was no thread */
        curl_slist_free_all(sending->to);
        cleanup_close(&sending->fd);
        free(sending->text);
        free(sending);
        curl_global_cleanup();
}

static size_t on_read(char *data, size_t size, size_t count, void *context) {
        struct mail_sending *sending = context;
        size_t left = sending->size - sending->sent, bytes = size * count;

        if (bytes > left)
                bytes = left;
        memcpy(data, sending->text + sending->sent, bytes);
        sending->sent += bytes;
        return bytes;
}

static void *mail_sender_perform(void *context) {
        struct mail_sending *sending = context;
        CURLcode result = curl_easy_perform(sending->easy);
        const uint64_t one = 1;

        if (result == CURLE_OK)
                sending->failure[0] = '\0';
        else if (sending->failure[0] == '\0')
                memccpy(sending->failure, curl_easy_strerror(result), '\0',
                        sizeof(sending->failure) - 1);
        curl_easy_cleanup(sending->easy); /* waits for the server's goodbye */
        sending->easy = NULL;
        (void)!write(sending->fd, &one, sizeof(one));
        mail_sender_drop(sending);
        return NULL;
}

static void on_ended(void *context, unsigned events) {
        struct mail_sending *sending = context;

        (void)events;
        loop_io_remove(sending->loop, sending->io);
        sending->io = NULL;
        sending->done(sending->context, sending->failure);
}

static void set_mail(struct mail_sending *sending, const struct mail *mail) {
        static const long tls[] = { [MAIL_TLS_IF_OFFERED] = CURLUSESSL_TRY,
                                    [MAIL_TLS_NEVER] = CURLUSESSL_NONE,
                                    [MAIL_TLS_REQUIRED] = CURLUSESSL_ALL };
        CURL *easy = sending->easy;

        for (size_t i = 0; i < mail->to_count; i++)
                sending->to = curl_slist_append(sending->to, mail->to[i]);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_URL, mail->server);
        curl_easy_setopt(easy, CURLOPT_USE_SSL, tls[mail->tls]);
        curl_easy_setopt(easy, CURLOPT_MAIL_FROM, mail->from);
        curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, sending->to);
        curl_easy_setopt(easy, CURLOPT_USERNAME, mail->username);
        curl_easy_setopt(easy, CURLOPT_PASSWORD, mail->password);
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
        curl_easy_setopt(easy, CURLOPT_READDATA, sending);
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, sending->failure);
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(mail->timeout_ns / NS_PER_MS));
}

struct mail_sending *mail_send(struct loop *loop, const struct mail *mail,
                               void (*done)(void *context, const char *text), void *context) {
        struct mail_sending *sending = xcalloc(1, sizeof(*sending));

        curl_global_init(CURL_GLOBAL_DEFAULT);
        *sending = (struct mail_sending){ .loop = loop, .done = done, .context = context };
        atomic_init(&sending->users, 2);
        sending->text = slice_dup(mail->text);
        sending->size = mail->text.len;
        sending->easy = curl_easy_init();
        sending->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        set_mail(sending, mail);
        if (sending->fd < 0 ||
            loop_io_add(loop, sending->fd, LOOP_READ, on_ended, sending, &sending->io, NULL) < 0 ||
            thread_start(0, mail_sender_perform, sending) != 0) {
                mail_sender_drop(
                        sending); /* of the thread that was not started; this mail is lost */
        }
        return sending;
}

void mail_sending_free(struct mail_sending *sending) {
        if (!sending)
                return;
        if (sending->io)
                loop_io_remove(sending->loop, sending->io);
        mail_sender_drop(sending);
}
