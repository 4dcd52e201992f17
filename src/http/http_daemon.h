/* A server of the HTTP library, without threads and without a listening socket: it is given its
 * connections, and run from the loop. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "http/http_listener.h"
#include "http/http_message.h"
#include "port/loop.h"
#include <stdbool.h>
#include <sys/types.h>

struct http_daemon;

/* One request as the library has it: the first member of its user's. */
struct http_incoming {
        struct http_daemon *daemon;
        void *connection; /* the library's */
        bool is_started;
};

/* Results of read besides a number of bytes. */
#define HTTP_READ_ENDED (-1)
#define HTTP_READ_CUT (-2) /* the connection is of no use any more */

/* Whom a server calls. Context is that of its configuration, fd the connection's. */
struct http_daemon_ops {
        /* A target has come, as it was sent; it is the caller's. */
        struct http_incoming *(*begin)(void *context, const char *target, int fd);
        void (*body)(struct http_incoming *incoming, struct slice piece);
        /* It is there with its body, or was woken: it is answered or asleep afterwards. False cuts
         * the connection. */
        bool (*complete)(struct http_incoming *incoming, const char *method);
        /* Bytes of an answer without a body; 0 when it was put to sleep, or to be asked again. */
        ssize_t (*read)(struct http_incoming *incoming, char *buffer, size_t size);
        void (*ended)(void *context, struct http_incoming *incoming,
                      int fd);                 /* NULL = before begin */
        void (*closed)(void *context, int fd); /* before the descriptor is */
};

struct http_daemon_config {
        const struct http_daemon_ops *ops;
        void *context;
        const char *key_pem, *certificate_pem; /* NULL = plain HTTP; they outlive the server */
        const char *tls_priorities;            /* with them */
        bool asks_for_certificates;
        unsigned connection_max;
};

int http_daemon_new(const struct http_daemon_config *config, struct loop *loop,
                    struct http_daemon **ret_daemon, struct err *err);
/* No call is asleep by then. Accepts NULL, as the two below. */
void http_daemon_free(struct http_daemon *daemon);
void http_daemon_run(struct http_daemon *daemon);
/* A few runs in a row, from inside of a long request. */
void http_daemon_let_in(struct http_daemon *daemon);
/* Takes over the descriptor; false: it is closed already. */
bool http_daemon_add(struct http_daemon *daemon, const struct http_connection *accepted);

struct slice http_incoming_header(const struct http_incoming *incoming, const char *name);
/* Appends all values of a header, with commas between them. */
void http_incoming_join_header(const struct http_incoming *incoming, const char *name,
                               struct buf *out);
/* Appends NAME NUL VALUE NUL ... of the headers that begin like this, in any case. */
void http_incoming_keep_headers(const struct http_incoming *incoming, const char *prefix,
                                struct buf *out);
bool http_incoming_is_local(const struct http_incoming *incoming); /* the peer is of this machine */
/* Appends what the client showed in the handshake, as tls_session_certificates. */
void http_incoming_certificates(const struct http_incoming *incoming, struct buf *out);
void http_incoming_suspend(struct http_incoming *incoming);
void http_incoming_resume(struct http_incoming *incoming);
/* Body: taken over; NULL = read is asked for it. */
bool http_incoming_answer(struct http_incoming *incoming, int status,
                          const struct http_fields *fields, struct buf *body);
/* The version of libmicrohttpd that runs, such as "0.9.75". */
void http_daemon_library_version(struct buf *out);
