/* The only file that knows libmicrohttpd. A daemon of it is run when its epoll descriptor is
 * readable, when its timer is due, or when a suspended connection has something to write. */
#include "http/http_daemon.h"

#include "base/util.h"
#include "http/tls_session.h"
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

#define IDLE_TIMEOUT_S 300U
#define STREAM_BLOCK_BYTES (32U * 1024)
/* Runs that neither a descriptor nor a request asked for, after which the next ones are spaced. */
#define IDLE_RUNS_MAX 512
#define IDLE_PAUSE_MS 10
/* Runs in a row during a long request. */
#define LET_IN_RUNS_MAX 8

struct http_daemon {
        const struct http_daemon_ops *ops;
        void *context;
        struct loop *loop;
        struct MHD_Daemon *daemon;
        struct loop_io *io;
        struct loop_timer timer;
        unsigned idle_runs; /* in a row that moved nothing we know of */
        bool asks_for_certificates;
};

/* ---- running it ---- */

/* The library asks to be run at once, again and again, while the line before a chunk fills a
 * connection's buffer and does not end: one such request would take a whole processor. */
static void http_daemon_arm(struct http_daemon *daemon) {
        MHD_UNSIGNED_LONG_LONG delay_ms;

        bool is_due = MHD_get_timeout(daemon->daemon, &delay_ms) == MHD_YES;
        if (!is_due || delay_ms)
                daemon->idle_runs = 0;
        else if (++daemon->idle_runs > IDLE_RUNS_MAX)
                delay_ms = IDLE_PAUSE_MS;
        if (is_due)
                loop_timer_arm(daemon->loop, &daemon->timer, (int64_t)delay_ms * NS_PER_MS);
        else
                loop_timer_disarm(daemon->loop, &daemon->timer);
}

void http_daemon_run(struct http_daemon *daemon) {
        if (!daemon)
                return;
        MHD_run(daemon->daemon);
        http_daemon_arm(daemon);
}

static void on_daemon_readable(void *context, unsigned events) {
        struct http_daemon *daemon = context;

        (void)events;
        daemon->idle_runs = 0;
        http_daemon_run(daemon);
}

static void on_daemon_due(void *context) {
        http_daemon_run(context);
}

void http_daemon_let_in(struct http_daemon *daemon) {
        MHD_UNSIGNED_LONG_LONG delay_ms;

        if (!daemon)
                return;
        for (int i = 0; i < LET_IN_RUNS_MAX; i++) {
                MHD_run(daemon->daemon);
                if (MHD_get_timeout(daemon->daemon, &delay_ms) != MHD_YES || delay_ms)
                        break;
        }
        http_daemon_arm(daemon);
}

bool http_daemon_add(struct http_daemon *daemon, const struct http_connection *accepted) {
        return MHD_add_connection(daemon->daemon, accepted->fd, accepted->address,
                                  accepted->address_size) == MHD_YES;
}

/* ---- what it calls ---- */

static int connection_fd(struct MHD_Connection *connection) {
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

        return info ? info->connect_fd : -1;
}

static void *connection_tls(struct MHD_Connection *connection) {
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

        return info ? info->tls_session : NULL;
}

/* The library reads the parameters of a query into the memory of their connection, and answers
 * nothing at all when they do not fit. We read the target ourselves: it is left one parameter. */
static void join_parameters(char *target) {
        for (char *at = target; (at = strchr(at, '&'));)
                *at = '+';
}

/* The raw target: the library's own parsing would decode it. */
static void *on_uri(void *context, const char *uri, struct MHD_Connection *connection) {
        struct http_daemon *daemon = context;
        struct http_incoming *incoming =
                daemon->ops->begin(daemon->context, uri, connection_fd(connection));

        *incoming = (struct http_incoming){ .daemon = daemon, .connection = connection };
        join_parameters((char *)(uintptr_t)uri); /* in the library's own, writable buffer */
        return incoming;
}

/* First call: headers are there. Then once per piece of body, which is read to its end even when it
 * is refused, and once more at its end. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **request) {
        struct http_daemon *daemon = context;
        struct http_incoming *incoming = *request;

        daemon->idle_runs = 0;
        (void)connection;
        (void)url;
        (void)version;
        if (!incoming->is_started) {
                incoming->is_started = true;
                return MHD_YES;
        }
        if (*upload_size == 0)
                return daemon->ops->complete(incoming, method) ? MHD_YES : MHD_NO;
        daemon->ops->body(incoming, slice_make(upload, *upload_size));
        *upload_size = 0;
        return MHD_YES;
}

static ssize_t on_read(void *context, uint64_t position, char *buffer, size_t size) {
        struct http_incoming *incoming = context;

        (void)position;
        incoming->daemon->idle_runs = 0;
        ssize_t count = incoming->daemon->ops->read(incoming, buffer, size);
        if (count == HTTP_READ_ENDED)
                return MHD_CONTENT_READER_END_OF_STREAM;
        return count == HTTP_READ_CUT ? MHD_CONTENT_READER_END_WITH_ERROR : count;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code) {
        struct http_daemon *daemon = context;

        (void)code;
        daemon->ops->ended(daemon->context, *request, connection_fd(connection));
        *request = NULL;
}

/* At its start, before the handshake, and at its end. */
static void on_connection_notice(void *context, struct MHD_Connection *connection, void **own,
                                 enum MHD_ConnectionNotificationCode code) {
        struct http_daemon *daemon = context;
        void *session = connection_tls(connection);

        (void)own;
        if (code == MHD_CONNECTION_NOTIFY_CLOSED)
                daemon->ops->closed(daemon->context, connection_fd(connection));
        if (code == MHD_CONNECTION_NOTIFY_STARTED && session && daemon->asks_for_certificates)
                tls_session_ask_certificate(session);
}

/* ---- life ---- */

static int http_daemon_start(struct http_daemon *daemon, const struct http_daemon_config *config,
                             struct err *err) {
        unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
        struct MHD_OptionItem tls[] = {
                { MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)config->key_pem },
                { MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)config->certificate_pem },
                { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)config->tls_priorities },
                { MHD_OPTION_END, 0, NULL },
        };
        bool is_secure = config->key_pem;

        daemon->daemon = MHD_start_daemon(
                is_secure ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, on_request, daemon,
                MHD_OPTION_URI_LOG_CALLBACK, on_uri, daemon, MHD_OPTION_NOTIFY_COMPLETED,
                on_completed, daemon, MHD_OPTION_CONNECTION_LIMIT, config->connection_max,
                MHD_OPTION_CONNECTION_TIMEOUT, IDLE_TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION,
                on_connection_notice, daemon, MHD_OPTION_ARRAY,
                is_secure ? tls : tls + ARRAY_LEN(tls) - 1, MHD_OPTION_END);
        if (!daemon->daemon)
                return err_set(err, BERTH_ERR_INTERNAL, "cannot start the %s server",
                               is_secure ? "HTTPS" : "HTTP");
        const union MHD_DaemonInfo *info =
                MHD_get_daemon_info(daemon->daemon, MHD_DAEMON_INFO_EPOLL_FD);
        return loop_io_add(daemon->loop, info->epoll_fd, LOOP_READ, on_daemon_readable, daemon,
                           &daemon->io, err);
}

int http_daemon_new(const struct http_daemon_config *config, struct loop *loop,
                    struct http_daemon **ret_daemon, struct err *err) {
        struct http_daemon *daemon = xcalloc(1, sizeof(*daemon));

        *daemon = (struct http_daemon){
                .ops = config->ops,
                .context = config->context,
                .loop = loop,
                .timer = { .fired = on_daemon_due, .context = daemon },
                .asks_for_certificates = config->asks_for_certificates,
        };
        int r = http_daemon_start(daemon, config, err);
        if (r < 0) {
                http_daemon_free(daemon);
                return r;
        }
        *ret_daemon = daemon;
        return 0;
}

void http_daemon_free(struct http_daemon *daemon) {
        if (!daemon)
                return;
        if (daemon->io)
                loop_io_remove(daemon->loop, daemon->io);
        loop_timer_disarm(daemon->loop, &daemon->timer);
        if (daemon->daemon)
                MHD_stop_daemon(daemon->daemon);
        free(daemon);
}

/* ---- calls ---- */

struct header_search {
        const char *name;
        struct buf *out;
        size_t begin;
};

static enum MHD_Result join_header(void *context, enum MHD_ValueKind kind, const char *key,
                                   const char *value) {
        const struct header_search *search = context;

        (void)kind;
        if (value && strcasecmp(key, search->name) == 0) {
                buf_text(search->out, search->out->len > search->begin ? "," : "");
                buf_text(search->out, value);
        }
        return MHD_YES;
}

static enum MHD_Result keep_header(void *context, enum MHD_ValueKind kind, const char *key,
                                   const char *value) {
        const struct header_search *search = context;

        (void)kind;
        if (strncasecmp(key, search->name, strlen(search->name)) == 0) {
                buf_append(search->out, key, strlen(key) + 1);
                buf_append(search->out, value ? value : "", value ? strlen(value) + 1 : 1);
        }
        return MHD_YES;
}

struct slice http_incoming_header(const struct http_incoming *incoming, const char *name) {
        return slice_of(MHD_lookup_connection_value(incoming->connection, MHD_HEADER_KIND, name));
}

void http_incoming_join_header(const struct http_incoming *incoming, const char *name,
                               struct buf *out) {
        struct header_search search = { .name = name, .out = out, .begin = out->len };

        MHD_get_connection_values(incoming->connection, MHD_HEADER_KIND, join_header, &search);
}

void http_incoming_keep_headers(const struct http_incoming *incoming, const char *prefix,
                                struct buf *out) {
        struct header_search search = { .name = prefix, .out = out };

        MHD_get_connection_values(incoming->connection, MHD_HEADER_KIND, keep_header, &search);
}

bool http_incoming_is_local(const struct http_incoming *incoming) {
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(incoming->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

        return info && http_peer_is_loopback(info->client_addr);
}

void http_incoming_certificates(const struct http_incoming *incoming, struct buf *out) {
        tls_session_certificates(connection_tls(incoming->connection), out);
}

void http_incoming_suspend(struct http_incoming *incoming) {
        MHD_suspend_connection(incoming->connection);
}

void http_incoming_resume(struct http_incoming *incoming) {
        MHD_resume_connection(incoming->connection);
}

static struct MHD_Response *response_of_body(struct buf *body) {
        size_t size = 0;
        char *bytes = buf_take(body, &size);
        struct MHD_Response *response =
                MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);

        if (!response)
                free(bytes);
        return response;
}

bool http_incoming_answer(struct http_incoming *incoming, int status,
                          const struct http_fields *fields, struct buf *body) {
        struct MHD_Response *response =
                body ? response_of_body(body)
                     : MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES,
                                                         on_read, incoming, NULL);

        if (!response)
                return false;
        for (size_t i = 0; i < fields->count; i++)
                MHD_add_response_header(response, fields->fields[i].name, fields->fields[i].value);
        bool is_queued =
                MHD_queue_response(incoming->connection, (unsigned)status, response) == MHD_YES;
        MHD_destroy_response(response);
        return is_queued;
}

void http_daemon_library_version(struct buf *out) {
        buf_text(out, MHD_get_version());
}
