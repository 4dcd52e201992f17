/* Connections whose peer has not shown yet who he is: few at once, fewer from one source, and not
 * for long. Everybody starts among them. */
#pragma once

#include "base/time.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* One of them; embedded and zeroed by its owner. */
struct http_peer {
        struct http_peer *next, *previous;
        struct http_peers *all; /* NULL: not among them */
        struct mono_time since;
        unsigned char source[16]; /* network of an IPv6 address, or IPv4 in IPv6 */
        /* Ends the connection. It may leave at once, or soon. */
        void (*cut)(struct http_peer *peer);
        bool is_cut;
};

struct http_peers {
        struct loop *loop;
        int64_t time_ns;                /* for each of them */
        struct http_peer *first, *last; /* the one that came first, and the last one */
        size_t count, count_max, per_source_max;
        struct loop_timer timer;
};

void http_peers_init(struct http_peers *peers, struct loop *loop, int64_t time_ns,
                     size_t count_max);
void http_peers_release(struct http_peers *peers); /* those that are left are their owners' */
/* Since when it is there is kept if it says so already. Another one is cut when there are too many.
 */
void http_peers_add(struct http_peers *peers, struct http_peer *peer,
                    const struct sockaddr *address);
void http_peers_remove(struct http_peer *peer); /* any number of times */
/* Its time begins again, if it is among them: it has asked and was answered. */
void http_peers_renew(struct http_peer *peer);
/* Cuts the one that has been there longest; false when there is none. */
bool http_peers_cut_oldest(struct http_peers *peers);
