/* A listener on a port of its own that keeps what it is sent, speaking just enough HTTP or SMTP. */
#pragma once

#include "base/buf.h"
#include "port/loop.h"
#include <stdbool.h>

#define CATCHER_CONNECTIONS 32
#define CATCHER_LOGIN "AHUAcA==" /* user u, password p, as AUTH PLAIN writes them */

struct catcher;
struct catcher_connection {
        struct catcher *catcher; /* NULL = free */
        struct loop_io *io;
        int fd;
        struct buf text;
        bool is_mail_text;
};

struct catcher {
        struct loop *loop;
        struct loop_io *io;
        int fd;
        unsigned port;
        /* Set by the test: the answer to requests; a hanging one never answers. */
        int status;
        const char *body;
        bool hangs, is_mail;
        int refuses_post;  /* status of POSTs instead; 0 = none */
        struct buf caught; /* whole requests, one after another */
        unsigned count;
        struct catcher_connection connections[CATCHER_CONNECTIONS];
};

void catcher_start(struct catcher *catcher, struct loop *loop); /* fields above may be set before */
void catcher_stop(struct catcher *catcher);
bool catcher_has(const struct catcher *catcher, const char *text);
