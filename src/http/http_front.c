/* HTTP and HTTPS on one port. The only file that knows libmicrohttpd,
 * and GnuTLS below it.
 *
 * Connections come from our own listener, which has read their first byte: a TLS handshake
 * goes to one daemon, plain HTTP from a loopback peer to another. Neither daemon has threads or a
 * listening socket; both are run from the loop when their epoll descriptor is readable, when their
 * timer is due, or when a suspended watch has something to write. */
#include "http/http_front.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/util.h"
#include "base/uuid.h"
#include "http/gzip.h"
#include "http/http_exchange.h"
#include "http/http_link.h"
#include "http/http_listener.h"
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define HEADER_TIMEOUT_NS (30 * NS_PER_S)
#define IDLE_TIMEOUT_S 300U
#define STREAM_BLOCK_BYTES (32U * 1024)
#define GZIP_FROM_BYTES (128U * 1024)
#define RETRY_AFTER_S 1
#define TLS_HANDSHAKE_BYTE 0x16
/* Descriptors that connections leave to the rest of the process. */
#define DESCRIPTORS_RESERVED 128
/* Runs that neither a descriptor nor a request asked for, after which the next ones are spaced. */
#define IDLE_RUNS_MAX 512
#define IDLE_PAUSE_MS 10
/* Between two looks at the connections during a long request, and runs of a daemon in each. */
#define LET_IN_EVERY_NS (5 * NS_PER_MS)
#define LET_IN_RUNS_MAX 8

/* One of the two daemons with its place in the loop. */
struct engine {
        struct http_front *front;
        struct MHD_Daemon *daemon;
        struct loop_io *io;
        struct loop_timer timer;
        unsigned idle_runs; /* in a row that moved nothing we know of */
};

/* One request, and the stream that answers it. */
struct exchange {
        struct http_exchange base;
        struct http_front *front;
        struct engine *engine;
        struct MHD_Connection *connection;
        struct http_link *link; /* of the connection */
        void *pending;          /* the handler waits for something; the connection is suspended */
        bool is_started;
};

struct http_front {
        struct loop *loop;
        struct engine plain, secure;
        struct http_listener *listener;
        struct http_exchanges exchanges;
        struct http_peers peers;
        struct http_links links;
        size_t connection_max;
        bool is_resume_deferred, is_closing, asks_for_certificates;
        bool is_letting_in; /* a long request is under way, and stands still */
        int64_t let_in_ns;  /* when that was last so, monotonic */
        struct rng rng;
        enum http_tls tls_minimum;
        char *key_pem, *certificate_pem;
        struct http_handler handler;
};

/* ---- running the daemons ---- */

/* The library asks to be run at once, again and again, while the line before a chunk fills a
 * connection's buffer and does not end: one such request would take a whole processor. */
static void engine_arm(struct engine *engine) {
        MHD_UNSIGNED_LONG_LONG delay_ms;

        bool is_due = MHD_get_timeout(engine->daemon, &delay_ms) == MHD_YES;
        if (!is_due || delay_ms)
                engine->idle_runs = 0;
        else if (++engine->idle_runs > IDLE_RUNS_MAX)
                delay_ms = IDLE_PAUSE_MS;
        if (is_due)
                loop_timer_arm(engine->front->loop, &engine->timer, (int64_t)delay_ms * NS_PER_MS);
        else
                loop_timer_disarm(engine->front->loop, &engine->timer);
}

static void engine_run(struct engine *engine) {
        if (!engine->daemon)
                return;
        MHD_run(engine->daemon);
        engine_arm(engine);
}

static void engine_io(void *context, unsigned events) {
        struct engine *engine = context;

        (void)events;
        engine->idle_runs = 0;
        engine_run(engine);
}

static void engine_timer(void *context) {
        engine_run(context);
}

/* ---- long requests ---- */

static int64_t front_clock_ns(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void engine_let_in(struct engine *engine) {
        MHD_UNSIGNED_LONG_LONG delay_ms;

        if (!engine->daemon)
                return;
        for (int i = 0; i < LET_IN_RUNS_MAX; i++) {
                MHD_run(engine->daemon);
                if (MHD_get_timeout(engine->daemon, &delay_ms) != MHD_YES || delay_ms)
                        break;
        }
        engine_arm(engine);
}

void http_front_let_in(struct http_front *front) {
        int64_t now_ns = front_clock_ns();

        if (now_ns - front->let_in_ns < LET_IN_EVERY_NS)
                return;
        front->let_in_ns = now_ns;
        front->is_letting_in = true;
        http_listener_look(front->listener);
        engine_let_in(&front->plain);
        engine_let_in(&front->secure);
        front->is_letting_in = false;
}

/* ---- streams ---- */

static struct exchange *exchange_of(struct http_exchange *base) {
        return (struct exchange *)base;
}

static void http_front_wake(struct exchange *exchange) {
        if (!exchange->base.is_asleep)
                return;
        exchange->base.is_asleep = false;
        http_link_wakes(exchange->link);
        MHD_resume_connection(exchange->connection);
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
        engine_run(&front->plain);
        engine_run(&front->secure);
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
        MHD_suspend_connection(exchange->connection);
        return true;
}

static ssize_t stream_read(void *context, uint64_t position, char *buffer, size_t size) {
        struct exchange *exchange = context;
        enum http_stream_state state;
        size_t count = http_exchange_read(&exchange->base, buffer, size, &state);

        exchange->engine->idle_runs = 0;
        (void)position;
        if (exchange->front->is_letting_in) {
                bool is_there = http_front_suspend(exchange);

                stream_ready(exchange);
                return is_there ? 0 : MHD_CONTENT_READER_END_WITH_ERROR;
        }
        if (count)
                return (ssize_t)count;
        if (state == HTTP_STREAM_ENDED)
                return MHD_CONTENT_READER_END_OF_STREAM;
        if (state == HTTP_STREAM_IDLE && !http_front_suspend(exchange))
                return MHD_CONTENT_READER_END_WITH_ERROR;
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

static struct slice http_front_header(struct MHD_Connection *connection, const char *name) {
        return slice_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name));
}

struct joined {
        const char *name;
        struct buf text;
};

static enum MHD_Result join_header(void *context, enum MHD_ValueKind kind, const char *key,
                                   const char *value) {
        struct joined *joined = context;

        (void)kind;
        if (value && strcasecmp(key, joined->name) == 0) {
                buf_text(&joined->text, joined->text.len ? "," : "");
                buf_text(&joined->text, value);
        }
        return MHD_YES;
}

static enum MHD_Result keep_header(void *context, enum MHD_ValueKind kind, const char *key,
                                   const char *value) {
        (void)kind;
        buf_append(context, key, strlen(key) + 1);
        buf_append(context, value ? value : "", value ? strlen(value) + 1 : 1);
        return MHD_YES;
}

static enum MHD_Result keep_impersonation(void *context, enum MHD_ValueKind kind, const char *key,
                                          const char *value) {
        static const char prefix[] = "Impersonate-";

        return strncasecmp(key, prefix, strlen(prefix)) == 0
                       ? keep_header(context, kind, key, value)
                       : MHD_YES;
}

static void add_headers(struct exchange *exchange, struct MHD_Response *response,
                        const struct http_response *answer) {
        char audit[UUID_TEXT_SIZE];
        bool has_cache_control = false;

        for (size_t i = 0; i < answer->header_count; i++) {
                has_cache_control |= strcmp(answer->headers[i].name, "Cache-Control") == 0;
                MHD_add_response_header(response, answer->headers[i].name,
                                        answer->headers[i].value);
        }
        uuid_format(uuid_random(&exchange->front->rng), audit);
        MHD_add_response_header(response, "Audit-Id", audit);
        if (!has_cache_control)
                MHD_add_response_header(response, "Cache-Control", "no-cache, private");
        if (answer->content_type && *answer->content_type)
                MHD_add_response_header(response, "Content-Type", answer->content_type);
}

/* Streams are never compressed: watches must not wait for a block to fill, and long lists go out as
 * fast as they are made. */
static bool takes_gzip(const struct exchange *exchange) {
        return gzip_is_accepted(http_front_header(exchange->connection, "Accept-Encoding"));
}

static enum MHD_Result http_front_respond(struct exchange *exchange, struct http_response *answer) {
        struct MHD_Response *response;
        bool is_packed = false;

        if (answer->stream) {
                struct http_stream *stream = http_response_take_stream(answer);

                http_exchange_attach(&exchange->front->exchanges, &exchange->base, stream);
                http_stream_on_ready(stream, stream_ready, exchange);
                response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES,
                                                             stream_read, exchange, NULL);
        } else {
                size_t size = 0;
                char *body;

                if (takes_gzip(exchange) && answer->body.len > GZIP_FROM_BYTES)
                        is_packed = gzip_replace(&answer->body);
                body = buf_take(&answer->body, &size);
                response = MHD_create_response_from_buffer(size, body, MHD_RESPMEM_MUST_FREE);
                if (!response)
                        free(body);
        }
        if (!response)
                return MHD_NO;
        add_headers(exchange, response, answer);
        if (is_packed) {
                MHD_add_response_header(response, "Content-Encoding", "gzip");
                MHD_add_response_header(response, "Vary", "Accept-Encoding");
        }
        enum MHD_Result result =
                MHD_queue_response(exchange->connection, (unsigned)answer->status, response);
        MHD_destroy_response(response);
        return result;
}

static enum MHD_Result http_front_refuse(struct exchange *exchange, int status, const char *reason,
                                         const char *message) {
        struct http_response answer = { .status = status, .content_type = "application/json" };

        if (status == 429)
                http_response_header(&answer, "Retry-After", "%d", RETRY_AFTER_S);
        buf_printf(&answer.body,
                   "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                   "\"status\":\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",\"code\":%d}",
                   message, reason, status);
        enum MHD_Result result = http_front_respond(exchange, &answer);
        http_response_release(&answer);
        return result;
}

/* The peer is a process of this machine. */
static bool is_local(struct MHD_Connection *connection) {
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

        return info && http_peer_is_loopback(info->client_addr);
}

static gnutls_session_t tls_session(struct MHD_Connection *connection) {
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

        return info ? info->tls_session : NULL;
}

/* The handshake has shown that the client has the key of the first; nothing else is known. */
static void read_certificates(struct MHD_Connection *connection, struct buf *out) {
        gnutls_session_t session = tls_session(connection);
        unsigned count = 0;
        const gnutls_datum_t *chain =
                session ? gnutls_certificate_get_peers(session, &count) : NULL;

        for (unsigned i = 0; chain && i < count; i++)
                buf_append(out, chain[i].data, chain[i].size);
}

/* The request goes to the handler with what its client showed of itself. */
static void http_front_handle(struct exchange *exchange, const struct http_request *request,
                              struct http_response *ret_answer) {
        const struct http_front *front = exchange->front;
        CLEANUP(buf_release) struct buf certificates = { 0 };
        CLEANUP(buf_release) struct buf headers = { 0 };
        struct http_request shown = *request;

        if (front->asks_for_certificates)
                read_certificates(exchange->connection, &certificates);
        if (certificates.len)
                MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, keep_header,
                                          &headers);
        shown.client_certificates = buf_view(&certificates);
        shown.headers = buf_view(&headers);
        exchange->pending = front->handler.begin(front->handler.context, &shown, ret_answer,
                                                 stream_ready, exchange);
}

/* Answers, or puts the connection to sleep until what was asked elsewhere is there; meanwhile the
 * body counts as under way. */
static enum MHD_Result http_front_finish(struct exchange *exchange, struct http_response *answer) {
        struct http_front *front = exchange->front;
        enum MHD_Result result;

        if (answer->is_known)
                http_link_known(exchange->link);
        if (exchange->pending) {
                http_exchange_enlist(&front->exchanges, &exchange->base);
                return http_front_suspend(exchange) ? MHD_YES : MHD_NO;
        }
        http_exchange_drop_body(&front->exchanges, &exchange->base);
        if (answer->stream && front->exchanges.stream_count >= HTTP_STREAMS_MAX)
                result = http_front_refuse(exchange, 429, "TooManyRequests",
                                           "too many watches are open, try again later");
        else
                result = http_front_respond(exchange, answer);
        http_response_release(answer);
        return result;
}

static enum MHD_Result http_front_resume(struct exchange *exchange) {
        struct http_response answer;

        if (exchange->front->is_closing || (exchange->link && exchange->link->is_gone))
                return MHD_NO;
        exchange->pending = exchange->front->handler.resume(exchange->pending, &answer);
        return http_front_finish(exchange, &answer);
}

static enum MHD_Result http_front_serve(struct exchange *exchange, const char *method) {
        struct MHD_Connection *connection = exchange->connection;
        struct buf impersonation = { 0 };
        struct joined accept = { .name = "Accept" };
        struct http_response answer;

        http_link_answering(exchange->link, true);
        if (exchange->base.is_too_large)
                return http_front_refuse(exchange, 413, "RequestEntityTooLarge",
                                         "Request entity too large: limit is 3145728");
        if (exchange->base.is_too_much)
                return http_front_refuse(
                        exchange, 429, "TooManyRequests",
                        "too many bytes of request bodies under way, try again later");
        MHD_get_connection_values(connection, MHD_HEADER_KIND, keep_impersonation, &impersonation);
        MHD_get_connection_values(connection, MHD_HEADER_KIND, join_header, &accept);
        http_front_handle(exchange,
                          &(struct http_request){
                                  .method = slice_of(method),
                                  .target = slice_of(exchange->base.target),
                                  .body = buf_view(&exchange->base.body),
                                  .content_type = http_front_header(connection, "Content-Type"),
                                  .accept = buf_view(&accept.text),
                                  .authorization = http_front_header(connection, "Authorization"),
                                  .user_agent = http_front_header(connection, "User-Agent"),
                                  .if_none_match = http_front_header(connection, "If-None-Match"),
                                  .impersonation = buf_view(&impersonation),
                                  .is_local = is_local(connection),
                          },
                          &answer);
        enum MHD_Result result = http_front_finish(exchange, &answer);
        buf_release(&impersonation);
        buf_release(&accept.text);
        return result;
}

static struct http_link *connection_link(const struct http_front *front,
                                         struct MHD_Connection *connection) {
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

        return info ? http_link_find(&front->links, info->connect_fd) : NULL;
}

/* The library reads the parameters of a query into the memory of their connection, and answers
 * nothing at all when they do not fit. We read the target ourselves: it is left one parameter. */
static void join_parameters(char *target) {
        for (char *at = target; (at = strchr(at, '&'));)
                *at = '+';
}

/* The raw target: the daemon's own parsing would decode it. */
static void *on_uri(void *context, const char *uri, struct MHD_Connection *connection) {
        struct engine *engine = context;
        struct exchange *exchange = xcalloc(1, sizeof(*exchange));

        exchange->front = engine->front;
        exchange->engine = engine;
        exchange->connection = connection;
        exchange->base.target = slice_dup(slice_of(uri));
        join_parameters((char *)(uintptr_t)uri); /* in the library's own, writable buffer */
        exchange->link = connection_link(engine->front, connection);
        if (exchange->link)
                exchange->link->request = exchange;
        return exchange;
}

/* First call: headers are there. Then once per piece of body, which is read to its end even when it
 * is refused, and once more at its end. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **request) {
        struct exchange *exchange = *request;
        struct engine *engine = context;

        engine->idle_runs = 0;
        (void)connection;
        (void)url;
        (void)version;
        if (!exchange->is_started) {
                exchange->is_started = true;
                return MHD_YES;
        }
        if (*upload_size == 0)
                return exchange->pending ? http_front_resume(exchange)
                                         : http_front_serve(exchange, method);
        http_exchange_append(&exchange->front->exchanges, &exchange->base,
                             slice_make(upload, *upload_size));
        *upload_size = 0;
        return MHD_YES;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code) {
        struct engine *engine = context;

        (void)code;
        http_link_answering(connection_link(engine->front, connection), false);
        if (*request)
                exchange_free(*request);
        *request = NULL;
}

/* At its start, before the handshake, and at its end. Any certificate will do: with a list of
 * authorities clients would keep back those of an authority that is known only later. */
static void on_connection_notice(void *context, struct MHD_Connection *connection, void **own,
                                 enum MHD_ConnectionNotificationCode code) {
        struct engine *engine = context;
        gnutls_session_t session = tls_session(connection);
        struct http_link *link = connection_link(engine->front, connection);

        (void)own;
        if (code == MHD_CONNECTION_NOTIFY_CLOSED && link) {
                /* The library forgets a request whose first line it cannot hold. */
                if (link->request)
                        exchange_free(link->request);
                http_link_free(link);
        }
        if (code == MHD_CONNECTION_NOTIFY_STARTED && session &&
            engine->front->asks_for_certificates)
                gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
}

/* A new connection goes to the daemon that its first byte asks for. */
static void on_connection(void *context, const struct http_connection *accepted) {
        struct http_front *front = context;
        struct engine *engine =
                accepted->first_byte == TLS_HANDSHAKE_BYTE ? &front->secure : &front->plain;

        if (!engine->daemon || (engine == &front->plain && !accepted->is_loopback) ||
            front->links.count >= front->connection_max) {
                close(accepted->fd);
                return;
        }
        struct http_link *link = http_link_new(&front->links, accepted);
        /* Closes it when it refuses. */
        bool is_taken = MHD_add_connection(engine->daemon, accepted->fd, accepted->address,
                                           accepted->address_size) == MHD_YES;
        if (http_link_find(&front->links, accepted->fd) == link) {
                if (is_taken)
                        http_link_watch(link);
                else
                        http_link_free(link);
        }
        engine_run(engine);
}

/* ---- life ---- */

static const char *const tls_priorities[] = {
        [HTTP_TLS_1_0] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:+VERS-TLS1.1:+VERS-TLS1.0",
        [HTTP_TLS_1_1] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:+VERS-TLS1.1",
        [HTTP_TLS_1_2] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2",
        [HTTP_TLS_1_3] = "NORMAL:-VERS-ALL:+VERS-TLS1.3",
};

static int engine_start(struct http_front *front, struct engine *engine, bool is_secure,
                        struct err *err) {
        unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
        struct MHD_OptionItem tls[] = {
                { MHD_OPTION_HTTPS_MEM_KEY, 0, front->key_pem },
                { MHD_OPTION_HTTPS_MEM_CERT, 0, front->certificate_pem },
                { MHD_OPTION_HTTPS_PRIORITIES, 0,
                  (void *)(uintptr_t)tls_priorities[front->tls_minimum] },
                { MHD_OPTION_END, 0, NULL },
        };

        engine->front = front;
        engine->timer = (struct loop_timer){ .fired = engine_timer, .context = engine };
        engine->daemon = MHD_start_daemon(
                is_secure ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, on_request, engine,
                MHD_OPTION_URI_LOG_CALLBACK, on_uri, engine, MHD_OPTION_NOTIFY_COMPLETED,
                on_completed, engine, MHD_OPTION_CONNECTION_LIMIT, (unsigned)front->connection_max,
                MHD_OPTION_CONNECTION_TIMEOUT, IDLE_TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION,
                on_connection_notice, engine, MHD_OPTION_ARRAY,
                is_secure ? tls : tls + ARRAY_LEN(tls) - 1, MHD_OPTION_END);
        if (!engine->daemon)
                return err_set(err, BERTH_ERR_INTERNAL, "cannot start the %s server",
                               is_secure ? "HTTPS" : "HTTP");
        const union MHD_DaemonInfo *info =
                MHD_get_daemon_info(engine->daemon, MHD_DAEMON_INFO_EPOLL_FD);
        return loop_io_add(front->loop, info->epoll_fd, LOOP_READ, engine_io, engine, &engine->io,
                           err);
}

/* Descriptors for all connections that are promised, if the system lets us have them. */
static size_t descriptor_limit(size_t wanted) {
        struct rlimit limit = { 0 };

        getrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
                limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
                setrlimit(RLIMIT_NOFILE, &limit);
                getrlimit(RLIMIT_NOFILE, &limit);
        }
        return limit.rlim_cur < wanted ? (size_t)limit.rlim_cur : wanted;
}

static void front_limit(struct http_front *front, int64_t time_ns) {
        size_t limit =
                descriptor_limit(HTTP_CONNECTIONS_MAX + HTTP_STRANGERS_MAX + DESCRIPTORS_RESERVED);

        front->connection_max =
                limit > 2 * DESCRIPTORS_RESERVED ? limit - DESCRIPTORS_RESERVED : limit / 2;
        size_t strangers = front->connection_max / 4;
        http_peers_init(&front->peers, front->loop, time_ns ? time_ns : HEADER_TIMEOUT_NS,
                        strangers < HTTP_STRANGERS_MAX ? strangers : HTTP_STRANGERS_MAX);
        front->links = (struct http_links){ .loop = front->loop, .peers = &front->peers };
}

int http_front_new(const struct http_front_config *config, const struct http_handler *handler,
                   struct loop *loop, struct http_front **ret_front, struct err *err) {
        struct http_front *front = xcalloc(1, sizeof(*front));

        front->loop = loop;
        front->handler = *handler;
        front->asks_for_certificates = config->asks_for_certificates;
        front->tls_minimum = config->tls_minimum;
        front->key_pem = config->key_pem ? slice_dup(slice_of(config->key_pem)) : NULL;
        front->certificate_pem =
                config->certificate_pem ? slice_dup(slice_of(config->certificate_pem)) : NULL;
        rng_init(&front->rng, (uint64_t)loop_wall(loop).ns);
        front_limit(front, config->header_timeout_ns);
        int r = engine_start(front, &front->plain, false, err);
        if (r == 0 && front->key_pem)
                r = engine_start(front, &front->secure, true, err);
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

static void engine_stop(struct engine *engine) {
        if (!engine->daemon)
                return;
        if (engine->io)
                loop_io_remove(engine->front->loop, engine->io);
        loop_timer_disarm(engine->front->loop, &engine->timer);
        MHD_stop_daemon(engine->daemon);
        engine->daemon = NULL;
}

/* A daemon stops only with no connection suspended: all streams end first, and what waits for
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
        engine_stop(&front->plain);
        engine_stop(&front->secure);
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
