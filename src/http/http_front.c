/* HTTP and HTTPS on one port.
 *
 * Connections come from our own listener, which has read their first byte: a TLS handshake
 * goes to one server of the library, plain HTTP from a loopback peer to another. */
#include "http/http_front.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/rng.h"
#include "base/util.h"
#include "base/uuid.h"
#include "http/gzip.h"
#include "http/http_daemon.h"
#include "http/http_exchange.h"
#include "http/http_link.h"
#include "http/http_listener.h"
#include "port/clock.h"
#include <stdlib.h>
#include <unistd.h>

#define HEADER_TIMEOUT_NS (30 * NS_PER_S)
#define GZIP_FROM_BYTES (128U * 1024)
#define RETRY_AFTER_S 1
#define TLS_HANDSHAKE_BYTE 0x16
/* Between two looks at the connections during a long request. */
#define LET_IN_EVERY_NS (5 * NS_PER_MS)

/* One request, and the stream that answers it. */
struct exchange {
        struct http_incoming incoming;
        struct http_exchange base;
        struct http_front *front;
        struct http_link *link; /* of the connection */
        void *pending;          /* the handler waits for something; the connection is suspended */
};

struct http_front {
        struct loop *loop;
        struct http_daemon *plain, *secure; /* secure: NULL without a key */
        struct http_listener *listener;
        struct http_exchanges exchanges;
        struct http_peers peers;
        struct http_links links;
        size_t connection_max;
        bool is_resume_deferred, is_closing, asks_for_certificates, shows_headers;
        bool is_letting_in; /* a long request is under way, and stands still */
        int64_t let_in_ns;  /* when that was last so, monotonic */
        struct rng rng;
        char *key_pem, *certificate_pem;
        struct http_handler handler;
};

/* ---- long requests ---- */

void http_front_let_in(struct http_front *front) {
        int64_t now_ns = mono_time_now().ns;

        if (now_ns - front->let_in_ns < LET_IN_EVERY_NS)
                return;
        front->let_in_ns = now_ns;
        front->is_letting_in = true;
        http_listener_look(front->listener);
        http_daemon_let_in(front->plain);
        http_daemon_let_in(front->secure);
        front->is_letting_in = false;
}

/* ---- streams ---- */

static struct exchange *exchange_of(struct http_exchange *base) {
        return CONTAINER_OF(base, struct exchange, base);
}

static struct exchange *exchange_of_incoming(struct http_incoming *incoming) {
        return CONTAINER_OF(incoming, struct exchange, incoming);
}

static void http_front_wake(struct exchange *exchange) {
        if (!exchange->base.is_asleep)
                return;
        exchange->base.is_asleep = false;
        http_link_wakes(exchange->link);
        http_incoming_resume(&exchange->incoming);
}

static void resume_ready(void *context) {
        struct http_front *front = context;
        struct http_exchange *ready;

        front->is_resume_deferred = false;
        while ((ready = http_exchange_take_ready(&front->exchanges)))
                http_front_wake(exchange_of(ready));
        if (front->is_closing) { /* freed while this call was pending */
                free(front);
                return;
        }
        http_daemon_run(front->plain);
        http_daemon_run(front->secure);
}

/* Called from inside commits and timers: only takes note. */
static void stream_ready(void *context) {
        struct exchange *exchange = context;
        struct http_front *front = exchange->front;

        http_exchange_note_ready(&front->exchanges, &exchange->base);
        if (front->is_resume_deferred)
                return;
        front->is_resume_deferred = true;
        loop_defer(front->loop, resume_ready, front);
}

/* The peer is gone: the exchange is woken to end. */
static void exchange_abandon(void *sleeper) {
        struct exchange *exchange = sleeper;

        exchange->base.is_ended = true;
        stream_ready(exchange);
}

/* False when the peer is gone: there is nobody to wait for. */
static bool http_front_suspend(struct exchange *exchange) {
        if (http_link_sleeps(exchange->link, exchange_abandon, exchange))
                return false;
        exchange->base.is_asleep = true;
        http_incoming_suspend(&exchange->incoming);
        return true;
}

static ssize_t exchange_read(struct http_incoming *incoming, char *buffer, size_t size) {
        struct exchange *exchange = exchange_of_incoming(incoming);
        enum http_stream_state state;

        if (exchange->front->is_letting_in) { /* before anything is taken out of the stream */
                bool is_there = http_front_suspend(exchange);

                stream_ready(exchange);
                return is_there ? 0 : HTTP_READ_CUT;
        }
        size_t count = http_exchange_read(&exchange->base, buffer, size, &state);

        if (count)
                return (ssize_t)count;
        if (state == HTTP_STREAM_ENDED)
                return HTTP_READ_ENDED;
        if (state == HTTP_STREAM_IDLE && !http_front_suspend(exchange))
                return HTTP_READ_CUT;
        return 0;
}

static void exchange_free(struct exchange *exchange) {
        if (exchange->link)
                exchange->link->request = NULL;
        http_link_wakes(exchange->link);
        if (exchange->pending)
                exchange->front->handler.cancel(exchange->pending);
        http_exchange_release(&exchange->front->exchanges, &exchange->base);
        free(exchange);
}

/* ---- requests ---- */

/* Streams are never compressed: watches must not wait for a block to fill, and long lists go out as
 * fast as they are made. */
static bool takes_gzip(const struct exchange *exchange) {
        return gzip_is_accepted(http_incoming_header(&exchange->incoming, "Accept-Encoding"));
}

static bool http_front_respond(struct exchange *exchange, struct http_response *answer) {
        struct http_fields fields;
        char audit[UUID_TEXT_SIZE];
        bool is_packed = false, is_stream = answer->stream;

        if (is_stream) {
                struct http_stream *stream = http_response_take_stream(answer);

                http_exchange_attach(&exchange->front->exchanges, &exchange->base, stream);
                http_stream_on_ready(stream, stream_ready, exchange);
        } else if (takes_gzip(exchange) && answer->body.len > GZIP_FROM_BYTES) {
                is_packed = gzip_replace(&answer->body);
        }
        uuid_format(uuid_random(&exchange->front->rng), audit);
        http_response_fields(answer, audit, is_packed, &fields);
        return http_incoming_answer(&exchange->incoming, answer->status, &fields,
                                    is_stream ? NULL : &answer->body);
}

static bool http_front_refuse(struct exchange *exchange, int status, const char *reason,
                              const char *message) {
        struct http_response answer;

        http_response_refusal(&answer, status, reason, message);
        if (status == 429)
                http_response_header(&answer, "Retry-After", "%d", RETRY_AFTER_S);
        bool is_answered = http_front_respond(exchange, &answer);
        http_response_release(&answer);
        return is_answered;
}

/* The request goes to the handler with what its client showed of itself. */
static void http_front_handle(struct exchange *exchange, const struct http_request *request,
                              struct http_response *ret_answer) {
        const struct http_front *front = exchange->front;
        CLEANUP(buf_release) struct buf certificates = { 0 };
        CLEANUP(buf_release) struct buf headers = { 0 };
        struct http_request shown = *request;

        if (front->asks_for_certificates)
                http_incoming_certificates(&exchange->incoming, &certificates);
        if (certificates.len || front->shows_headers)
                http_incoming_keep_headers(&exchange->incoming, "", &headers);
        shown.client_certificates = buf_view(&certificates);
        shown.headers = buf_view(&headers);
        exchange->pending = front->handler.begin(front->handler.context, &shown, ret_answer,
                                                 stream_ready, exchange);
}

/* Answers, or puts the connection to sleep until what was asked elsewhere is there; meanwhile the
 * body counts as under way. */
static bool http_front_finish(struct exchange *exchange, struct http_response *answer) {
        struct http_front *front = exchange->front;
        bool is_answered;

        if (exchange->pending) { /* there is no answer yet */
                http_exchange_enlist(&front->exchanges, &exchange->base);
                return http_front_suspend(exchange);
        }
        if (answer->is_known)
                http_link_known(exchange->link);
        http_exchange_drop_body(&front->exchanges, &exchange->base);
        if (answer->stream && front->exchanges.stream_count >= HTTP_STREAMS_MAX)
                is_answered = http_front_refuse(exchange, 429, "TooManyRequests",
                                                "too many watches are open, try again later");
        else
                is_answered = http_front_respond(exchange, answer);
        http_response_release(answer);
        return is_answered;
}

static bool http_front_resume(struct exchange *exchange) {
        struct http_response answer;

        if (exchange->front->is_closing || (exchange->link && exchange->link->is_gone))
                return false;
        exchange->pending = exchange->front->handler.resume(exchange->pending, &answer);
        return http_front_finish(exchange, &answer);
}

static bool http_front_serve(struct exchange *exchange, const char *method) {
        const struct http_incoming *incoming = &exchange->incoming;
        CLEANUP(buf_release) struct buf impersonation = { 0 };
        CLEANUP(buf_release) struct buf accept = { 0 };
        struct http_response answer;

        http_link_answering(exchange->link, true);
        if (exchange->base.is_too_large)
                return http_front_refuse(exchange, 413, "RequestEntityTooLarge",
                                         "Request entity too large: limit is 3145728");
        if (exchange->base.is_too_much)
                return http_front_refuse(
                        exchange, 429, "TooManyRequests",
                        "too many bytes of request bodies under way, try again later");
        http_incoming_keep_headers(incoming, "Impersonate-", &impersonation);
        http_incoming_join_header(incoming, "Accept", &accept);
        http_front_handle(exchange,
                          &(struct http_request){
                                  .method = slice_of(method),
                                  .target = slice_of(exchange->base.target),
                                  .body = buf_view(&exchange->base.body),
                                  .content_type = http_incoming_header(incoming, "Content-Type"),
                                  .accept = buf_view(&accept),
                                  .authorization = http_incoming_header(incoming, "Authorization"),
                                  .user_agent = http_incoming_header(incoming, "User-Agent"),
                                  .if_none_match = http_incoming_header(incoming, "If-None-Match"),
                                  .impersonation = buf_view(&impersonation),
                                  .is_local = http_incoming_is_local(incoming),
                          },
                          &answer);
        return http_front_finish(exchange, &answer);
}

/* ---- what the library calls ---- */

static struct http_incoming *exchange_begin(void *context, const char *target, int fd) {
        struct http_front *front = context;
        struct exchange *exchange = xcalloc(1, sizeof(*exchange));

        exchange->front = front;
        exchange->base.target = slice_dup(slice_of(target));
        exchange->link = http_link_find(&front->links, fd);
        if (exchange->link)
                exchange->link->request = exchange;
        return &exchange->incoming;
}

static void exchange_body(struct http_incoming *incoming, struct slice piece) {
        struct exchange *exchange = exchange_of_incoming(incoming);

        http_exchange_append(&exchange->front->exchanges, &exchange->base, piece);
}

static bool exchange_complete(struct http_incoming *incoming, const char *method) {
        struct exchange *exchange = exchange_of_incoming(incoming);

        return exchange->pending ? http_front_resume(exchange) : http_front_serve(exchange, method);
}

static void exchange_ended(void *context, struct http_incoming *incoming, int fd) {
        struct http_front *front = context;

        http_link_answering(http_link_find(&front->links, fd), false);
        if (incoming)
                exchange_free(exchange_of_incoming(incoming));
}

/* The library forgets a request whose first line it cannot hold. */
static void on_connection_closed(void *context, int fd) {
        struct http_front *front = context;
        struct http_link *link = http_link_find(&front->links, fd);

        if (!link)
                return;
        if (link->request)
                exchange_free(link->request);
        http_link_free(link);
}

static const struct http_daemon_ops front_ops = {
        .begin = exchange_begin,
        .body = exchange_body,
        .complete = exchange_complete,
        .read = exchange_read,
        .ended = exchange_ended,
        .closed = on_connection_closed,
};

/* A new connection goes to the daemon that its first byte asks for. */
static void on_connection(void *context, const struct http_connection *accepted) {
        struct http_front *front = context;
        struct http_daemon *daemon =
                accepted->first_byte == TLS_HANDSHAKE_BYTE ? front->secure : front->plain;

        if (!daemon || (daemon == front->plain && !accepted->is_loopback) ||
            front->links.count >= front->connection_max) {
                close(accepted->fd);
                return;
        }
        struct http_link *link = http_link_new(&front->links, accepted);
        bool is_taken = http_daemon_add(daemon, accepted);

        if (http_link_find(&front->links, accepted->fd) == link) {
                if (is_taken)
                        http_link_watch(link);
                else
                        http_link_free(link);
        }
        http_daemon_run(daemon);
}

/* ---- life ---- */

static void front_limit(struct http_front *front, int64_t time_ns) {
        front->connection_max = http_links_max(HTTP_CONNECTIONS_MAX + HTTP_STRANGERS_MAX);
        size_t strangers = front->connection_max / 4;
        http_peers_init(&front->peers, front->loop, time_ns ? time_ns : HEADER_TIMEOUT_NS,
                        strangers < HTTP_STRANGERS_MAX ? strangers : HTTP_STRANGERS_MAX);
        front->links = (struct http_links){ .loop = front->loop, .peers = &front->peers };
}

static int front_start(struct http_front *front, const struct http_front_config *config,
                       struct err *err) {
        struct http_daemon_config daemon = {
                .ops = &front_ops,
                .context = front,
                .asks_for_certificates = config->asks_for_certificates,
                .connection_max = (unsigned)front->connection_max,
        };
        int r = http_daemon_new(&daemon, front->loop, &front->plain, err);

        if (r < 0 || !front->key_pem)
                return r;
        daemon.key_pem = front->key_pem;
        daemon.certificate_pem = front->certificate_pem;
        daemon.tls_priorities = tls_session_priorities(config->tls_minimum);
        return http_daemon_new(&daemon, front->loop, &front->secure, err);
}

int http_front_new(const struct http_front_config *config, const struct http_handler *handler,
                   struct loop *loop, struct http_front **ret_front, struct err *err) {
        struct http_front *front = xcalloc(1, sizeof(*front));

        front->loop = loop;
        front->handler = *handler;
        front->asks_for_certificates = config->asks_for_certificates;
        front->shows_headers = config->shows_headers;
        front->key_pem = config->key_pem ? slice_dup(slice_of(config->key_pem)) : NULL;
        front->certificate_pem =
                config->certificate_pem ? slice_dup(slice_of(config->certificate_pem)) : NULL;
        rng_init(&front->rng, (uint64_t)loop_wall(loop).ns);
        front_limit(front, config->header_timeout_ns);
        int r = front_start(front, config, err);
        if (r == 0)
                r = http_listener_new(&(struct http_listener_config){ .address = config->address,
                                                                      .peers = &front->peers,
                                                                      .connected = on_connection,
                                                                      .context = front },
                                      loop, &front->listener, err);
        if (r < 0) {
                http_front_free(front);
                return r;
        }
        *ret_front = front;
        return 0;
}

/* A server stops only with no connection suspended: all streams end first, and what waits for
 * webhooks is cut off. */
void http_front_free(struct http_front *front) {
        if (!front)
                return;
        front->is_closing = true;
        http_listener_free(front->listener);
        for (struct http_exchange *each = front->exchanges.waiting; each; each = each->next) {
                each->is_ended = true;
                http_front_wake(exchange_of(each));
        }
        http_daemon_free(front->plain);
        http_daemon_free(front->secure);
        front->plain = front->secure = NULL;
        http_links_release(&front->links);
        http_peers_release(&front->peers);
        free(front->key_pem);
        free(front->certificate_pem);
        front->exchanges.ready = NULL;
        if (!front->is_resume_deferred)
                free(front);
}

uint16_t http_front_port(const struct http_front *front) {
        return http_listener_port(front->listener);
}
