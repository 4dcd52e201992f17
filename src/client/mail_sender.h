/* Sends a mail over SMTP.  libcurl says goodbye to mail servers without letting go of the thread,
 * so each mail has one of its own: whatever the server does, the loop goes on. */
#pragma once

#include "base/slice.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stddef.h>

#define MAIL_TO_MAX 16

enum mail_tls { MAIL_TLS_IF_OFFERED, MAIL_TLS_NEVER, MAIL_TLS_REQUIRED };

struct mail {
        const char *server;              /* smtp://host:port/name-of-ours, or smtps:// */
        enum mail_tls tls;               /* of smtp:// */
        const char *username, *password; /* NULL = no login */
        const char *from;
        size_t to_count;
        const char *to[MAIL_TO_MAX];
        struct slice text; /* headers included */
        int64_t timeout_ns;
};

struct mail_sending;

/* Everything is copied.  done runs once, from the loop; text is "" when the mail was taken. */
struct mail_sending *mail_send(struct loop *loop, const struct mail *mail,
                               void (*done)(void *context, const char *text), void *context);
/* Before or after done ran; what is under way comes to its end unheard.  Accepts NULL. */
void mail_sending_free(struct mail_sending *sending);
