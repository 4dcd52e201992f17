/* Listening socket that hands over a connection once its first byte is there, so that one port can
 * serve TLS and plain HTTP. */
#pragma once

#include "base/err.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct http_connection {
        int fd; /* the receiver's from now on; nothing was read from it */
        unsigned char first_byte;
        bool is_loopback; /* the peer is this machine */
        const struct sockaddr *address;
        socklen_t address_size;
        struct mono_time since; /* when it came */
};

struct http_peers;
struct http_listener_config {
        const char *address;      /* "host:port", "[v6]:port", ":port"; port 0 = any */
        struct http_peers *peers; /* those whose first byte is yet to come are among them */
        void (*connected)(void *context, const struct http_connection *accepted);
        void *context;
};

struct http_listener;
int http_listener_new(const struct http_listener_config *config, struct loop *loop,
                      struct http_listener **ret_listener, struct err *err);
void http_listener_free(struct http_listener *listener); /* accepts NULL */
/* Accepts what has come, as the loop does, while that is busy elsewhere. */
void http_listener_look(struct http_listener *listener);
uint16_t http_listener_port(const struct http_listener *listener);
/* The address is one of this machine's own (127.0.0.0/8, ::1). */
bool http_peer_is_loopback(const struct sockaddr *address);
