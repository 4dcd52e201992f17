/* One list, by the time of arrival. Walks are as long as the list, which has a limit. */
#include "http/http_peers.h"

#include <netinet/in.h>
#include <string.h>

#define PER_SOURCE_DIVISOR 4
/* A burst of honest clients may pass the limit of a source for that long. */
#define BURST_NS (2 * NS_PER_S)

static void source_of(const struct sockaddr *address, unsigned char source[16]) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)address;
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)address;

        memset(source, 0, 16);
        if (address->sa_family == AF_INET6) {
                /* Who has one address of a network of 64 bits has them all. */
                memcpy(source, &six->sin6_addr, IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) ? 16 : 8);
        } else if (address->sa_family == AF_INET) {
                source[10] = source[11] = 0xff;
                memcpy(source + 12, &four->sin_addr, 4);
        }
}

static int64_t age_ns(const struct http_peers *peers, const struct http_peer *peer) {
        return loop_mono(peers->loop).ns - peer->since.ns;
}

static void http_peers_arm(struct http_peers *peers) {
        struct http_peer *first = peers->first;

        while (first && first->is_cut)
                first = first->next;
        if (first)
                loop_timer_arm(peers->loop, &peers->timer, peers->time_ns - age_ns(peers, first));
        else
                loop_timer_disarm(peers->loop, &peers->timer);
}

static void peer_cut(struct http_peer *peer) {
        peer->is_cut = true;
        peer->cut(peer);
}

bool http_peers_cut_oldest(struct http_peers *peers) {
        for (struct http_peer *peer = peers->first; peer; peer = peer->next) {
                if (peer->is_cut)
                        continue;
                peer_cut(peer);
                return true;
        }
        return false;
}

static void http_peers_late(void *context) {
        struct http_peers *peers = context;
        struct http_peer *next;

        for (struct http_peer *peer = peers->first; peer; peer = next) {
                next = peer->next;
                if (age_ns(peers, peer) < peers->time_ns)
                        break;
                if (!peer->is_cut)
                        peer_cut(peer);
        }
        http_peers_arm(peers);
}

void http_peers_init(struct http_peers *peers, struct loop *loop, int64_t time_ns,
                     size_t count_max) {
        *peers = (struct http_peers){
                .loop = loop,
                .time_ns = time_ns,
                .count_max = count_max,
                .per_source_max = count_max / PER_SOURCE_DIVISOR,
                .timer = { .fired = http_peers_late, .context = peers },
        };
}

void http_peers_release(struct http_peers *peers) {
        if (peers->loop)
                loop_timer_disarm(peers->loop, &peers->timer);
}

/* Too many of one source: its first one goes, unless they all came just now. */
static void limit_source(struct http_peers *peers, const unsigned char source[16]) {
        struct http_peer *first = NULL;
        size_t count = 0;

        for (struct http_peer *peer = peers->first; peer; peer = peer->next) {
                if (peer->is_cut || memcmp(peer->source, source, 16) != 0)
                        continue;
                count++;
                first = first ? first : peer;
        }
        if (first && count >= peers->per_source_max &&
            (age_ns(peers, first) > BURST_NS || peers->count >= peers->count_max))
                peer_cut(first);
        else if (peers->count >= peers->count_max)
                http_peers_cut_oldest(peers);
}

static void peer_append(struct http_peers *peers, struct http_peer *peer) {
        peer->all = peers;
        peer->previous = peers->last;
        peer->next = NULL;
        if (peers->last)
                peers->last->next = peer;
        else
                peers->first = peer;
        peers->last = peer;
        peers->count++;
}

void http_peers_add(struct http_peers *peers, struct http_peer *peer,
                    const struct sockaddr *address) {
        source_of(address, peer->source);
        limit_source(peers, peer->source);
        if (peer->since.ns == 0)
                peer->since = loop_mono(peers->loop);
        peer_append(peers, peer);
        if (!loop_timer_is_armed(&peers->timer))
                http_peers_arm(peers);
}

void http_peers_remove(struct http_peer *peer) {
        struct http_peers *peers = peer->all;

        if (!peers)
                return;
        if (peer->previous)
                peer->previous->next = peer->next;
        else
                peers->first = peer->next;
        if (peer->next)
                peer->next->previous = peer->previous;
        else
                peers->last = peer->previous;
        peer->all = NULL;
        peers->count--;
}

void http_peers_renew(struct http_peer *peer) {
        struct http_peers *peers = peer->all;

        if (!peers || peer->is_cut)
                return;
        http_peers_remove(peer);
        peer->since = loop_mono(peers->loop);
        peer_append(peers, peer);
}
