/* A connection whose peer is gone is shut down, which the library does see. What has arrived before
 * is read first, and an answer under way is sent to its end: a client may close its side for
 * sending once it has asked. A watch that has nothing to say ends at once. */
#include "http/http_link.h"

#include "base/util.h"
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define LOOK_AGAIN_MIN_NS (10 * NS_PER_MS)
#define LOOK_AGAIN_MAX_NS NS_PER_S
/* Descriptors that connections leave to the rest of the process. */
#define DESCRIPTORS_RESERVED 128

static void link_shut(struct http_link *link) {
        shutdown(link->fd, SHUT_RDWR);
        if (link->sleeper) {
                void *sleeper = link->sleeper;

                link->sleeper = NULL;
                link->wake(sleeper);
        }
}

/* Something that has arrived is yet to be read. */
static bool has_unread(const struct http_link *link) {
        int unread = 0;

        return !link->peer.is_cut && ioctl(link->fd, FIONREAD, &unread) == 0 && unread > 0;
}

static void http_link_look(void *context) {
        struct http_link *link = context;

        if (link->sleeper || (!link->is_answering && !has_unread(link)))
                link_shut(link);
        link->look_again_ns = link->look_again_ns < LOOK_AGAIN_MAX_NS / 2 ? 2 * link->look_again_ns
                                                                          : LOOK_AGAIN_MAX_NS;
        loop_timer_arm(link->all->loop, &link->timer, link->look_again_ns);
}

static void link_gone(struct http_link *link) {
        link->is_gone = true;
        link->look_again_ns = LOOK_AGAIN_MIN_NS;
        loop_timer_arm(link->all->loop, &link->timer, 0);
}

static void http_link_closed(void *context, unsigned events) {
        struct http_link *link = context;

        if (!(events & (LOOP_PEER_CLOSED | LOOP_HANGUP)))
                return;
        loop_io_remove(link->all->loop, link->io); /* it would go on telling */
        link->io = NULL;
        link_gone(link);
}

static void http_link_cut(struct http_peer *peer) {
        link_gone(CONTAINER_OF(peer, struct http_link, peer));
}

/* ---- life ---- */

static void fd_place(struct http_links *links, int fd, struct http_link *link) {
        size_t wanted = (size_t)fd + 1;

        if (wanted > links->fd_count) {
                links->by_fd = xreallocarray(links->by_fd, 2 * wanted, sizeof(links->by_fd[0]));
                for (size_t i = links->fd_count; i < 2 * wanted; i++)
                        links->by_fd[i] = NULL;
                links->fd_count = 2 * wanted;
        }
        links->by_fd[fd] = link;
}

struct http_link *http_link_new(struct http_links *links, const struct http_connection *accepted) {
        struct http_link *link = xcalloc(1, sizeof(*link));

        link->all = links;
        link->fd = accepted->fd;
        link->timer = (struct loop_timer){ .fired = http_link_look, .context = link };
        link->peer.cut = http_link_cut;
        link->peer.since = accepted->since;
        link->next = links->first;
        if (link->next)
                link->next->previous = link;
        links->first = link;
        links->count++;
        fd_place(links, link->fd, link);
        http_peers_add(links->peers, &link->peer, accepted->address);
        return link;
}

void http_link_watch(struct http_link *link) {
        if (loop_io_add(link->all->loop, link->fd, LOOP_PEER_CLOSED, http_link_closed, link,
                        &link->io, NULL) < 0)
                link_shut(link);
}

struct http_link *http_link_find(const struct http_links *links, int fd) {
        return fd >= 0 && (size_t)fd < links->fd_count ? links->by_fd[fd] : NULL;
}

void http_link_free(struct http_link *link) {
        struct http_links *links = link->all;

        http_peers_remove(&link->peer);
        if (link->io)
                loop_io_remove(links->loop, link->io);
        loop_timer_disarm(links->loop, &link->timer);
        if (link->previous)
                link->previous->next = link->next;
        else
                links->first = link->next;
        if (link->next)
                link->next->previous = link->previous;
        links->by_fd[link->fd] = NULL;
        links->count--;
        free(link);
}

size_t http_links_max(size_t wanted) {
        struct rlimit limit = { 0 };

        wanted += DESCRIPTORS_RESERVED;
        getrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
                limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
                setrlimit(RLIMIT_NOFILE, &limit);
                getrlimit(RLIMIT_NOFILE, &limit);
        }
        if (limit.rlim_cur < wanted)
                wanted = (size_t)limit.rlim_cur;
        return wanted > 2 * DESCRIPTORS_RESERVED ? wanted - DESCRIPTORS_RESERVED : wanted / 2;
}

void http_links_release(struct http_links *links) {
        while (links->first)
                http_link_free(links->first);
        free(links->by_fd);
        links->by_fd = NULL;
}

/* ---- what happens on it ---- */

void http_link_known(struct http_link *link) {
        if (link)
                http_peers_remove(&link->peer);
}

bool http_link_sleeps(struct http_link *link, void (*wake)(void *sleeper), void *sleeper) {
        if (!link)
                return false;
        link->wake = wake;
        link->sleeper = link->is_gone ? NULL : sleeper;
        return link->is_gone;
}

void http_link_wakes(struct http_link *link) {
        if (link)
                link->sleeper = NULL;
}

void http_link_answering(struct http_link *link, bool is_answering) {
        if (!link)
                return;
        link->is_answering = is_answering;
        if (!is_answering)
                http_peers_renew(&link->peer);
        if (!is_answering && link->is_gone)
                link_gone(link);
}
