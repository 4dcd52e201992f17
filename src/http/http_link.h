/* A connection as we see it beside the library: who is at its other end, and whether he is still
 * there. The library looks at neither while a connection sleeps, and misses a peer that closes in
 * the moment in which he sends. */
#pragma once

#include "http/http_listener.h"
#include "http/http_peers.h"

struct http_link {
        struct http_peer peer; /* until it is known who that is */
        struct http_links *all;
        struct http_link *next, *previous;
        int fd;
        struct loop_io *io;
        struct loop_timer timer;
        int64_t look_again_ns;
        void *request;     /* the exchange under way, asleep or not; NULL = none */
        bool is_gone;      /* the peer sends no more, or is to go */
        bool is_answering; /* a request has come, its answer is under way */
        /* The exchange under way, if it sleeps now; wakes it for its end. */
        void (*wake)(void *sleeper);
        void *sleeper;
};

struct http_links {
        struct loop *loop;
        struct http_peers *peers;
        struct http_link *first;
        struct http_link **by_fd;
        size_t fd_count; /* places in by_fd */
        size_t count;
};

/* So many connections as there are descriptors for, beside those of the rest of the process; as
 * far as it lets us, the limit of the process is raised to those wanted. */
size_t http_links_max(size_t wanted);
void http_links_release(struct http_links *links); /* all of them are closed by then */
/* For a connection that is about to be given to the library. */
struct http_link *http_link_new(struct http_links *links, const struct http_connection *accepted);
struct http_link *http_link_find(const struct http_links *links, int fd); /* NULL when unknown */
/* Now that the library has it. */
void http_link_watch(struct http_link *link);
/* Before the descriptor is closed. */
void http_link_free(struct http_link *link);
/* The peer has shown who he is. */
void http_link_known(struct http_link *link);
/* The exchange goes to sleep; true when the peer is gone, so that it is of no use. */
bool http_link_sleeps(struct http_link *link, void (*wake)(void *sleeper), void *sleeper);
void http_link_wakes(struct http_link *link);
/* A request is complete, or its answer is. */
void http_link_answering(struct http_link *link, bool is_answering);
