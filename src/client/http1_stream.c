/* Reads much at a time: the server sends a list in records of 4 KiB, and to be woken for each costs
 * more than to read them, the server too. The socket wakes us for more than that, a timer for
 * what is less. */
#include "client/http1_stream.h"

#include "base/arena.h"
#include "base/util.h"
#include "client/credential.h"
#include "client/http1_body.h"
#include "client/tls_bytes.h"
#include "client/tls_connection.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define HEAD_BYTES_MAX ((size_t)32 << 10)
#define READ_BYTES ((size_t)128 << 10)
#define READS_MAX 8              /* before others have their turn */
#define WINDOW_BYTES (1 << 20)   /* that the server may send before we read */
#define WAKE_BYTES (128 << 10)   /* that we are woken for */
#define WAKE_NS (20 * NS_PER_MS) /* after which less is read, too */
#define PATIENCE 3

struct http1_stream {
        struct http_transport *http;
        struct http1_stream *next;
        struct http_call *request; /* NULL once it is over */
        struct tls_connection connection;
        struct loop_io *io;
        struct loop_timer resume, tick;
        struct buf out; /* the request; sent up to out_at */
        size_t out_at;
        struct http1_body body;
        bool has_head; /* of the answer */
        int patience;  /* how often in a row less may come than we wait for; 0 = we do not wait */
        size_t size;   /* of bytes that were read and not looked at */
        char bytes[READ_BYTES];
};

bool http1_stream_is_possible(const struct http_call *request) {
        return request->is_large && tls_connection_is_possible(request->http);
}

/* ---- the end ---- */

void http1_stream_drop(struct http_call *request) {
        struct http1_stream *stream = request->own;

        if (!stream)
                return;
        request->own = NULL;
        stream->request = NULL;
        if (stream->io)
                loop_io_remove(stream->http->loop, stream->io);
        stream->io = NULL;
        loop_timer_disarm(stream->http->loop, &stream->resume);
        loop_timer_disarm(stream->http->loop, &stream->tick);
        loop_timer_arm(stream->http->loop, &stream->http->flush, 0);
}

static void http1_stream_free(struct http1_stream *stream) {
        tls_connection_release(&stream->connection);
        buf_release(&stream->out);
        free(stream);
}

void http1_streams_flush(struct http_transport *http) {
        struct http1_stream **link = &http->streams;

        while (*link) {
                struct http1_stream *stream = *link;

                if (stream->request) {
                        link = &stream->next;
                        continue;
                }
                *link = stream->next;
                http1_stream_free(stream);
        }
}

void http1_streams_free(struct http_transport *http) {
        http1_streams_flush(http);
}

static void http1_stream_end(struct http1_stream *stream, CURLcode result) {
        struct http_call *request = stream->request;
        struct http_transport *http = stream->http;

        if (request->state == REQUEST_CANCELLED)
                http->ends->free(request);
        else
                http->ends->complete(request, result);
}

/* Nothing was sent: another way may do. */
static void http1_stream_give_up(struct http1_stream *stream) {
        struct http_call *request = stream->request;

        request->is_large = false;
        stream->http->ends->again(request);
}

/* ---- the request ---- */

static void add_line(struct buf *out, const char *name, struct slice value) {
        buf_printf(out, "%s: " SLICE_FMT "\r\n", name, SLICE_ARG(value));
}

static void http1_stream_write_request(struct http_call *request, struct buf *out) {
        const struct http_transport *http = request->http;
        const struct cluster_access *access = &http->access;
        const char *authorization =
                credential_header(http->credential, &request->credential_generation);
        struct slice host, above;

        http_split_base(http, &host, &above);
        buf_printf(out, "GET " SLICE_FMT "%s HTTP/1.1\r\n", SLICE_ARG(above), request->path);
        add_line(out, "Host", host);
        add_line(out, "User-Agent", slice_of(http->user_agent));
        add_line(out, "Accept",
                 slice_of(request->accept[0] ? request->accept : "application/json"));
        if (authorization)
                add_line(out, "Authorization", slice_of(authorization));
        if (access->impersonate_user)
                add_line(out, "Impersonate-User", slice_of(access->impersonate_user));
        for (size_t i = 0; i < access->impersonate_group_count; i++)
                add_line(out, "Impersonate-Group", slice_of(access->impersonate_groups[i]));
        if (http->header)
                buf_printf(out, "%s\r\n", http->header);
        buf_text(out, "Connection: close\r\n\r\n");
}

static enum tls_bytes_result send_request(struct http1_stream *stream) {
        enum tls_bytes_result result = TLS_BYTES_DONE;
        size_t sent;

        while (result == TLS_BYTES_DONE && stream->out_at < stream->out.len) {
                result = tls_bytes_write(stream->connection.ssl, stream->out.data + stream->out_at,
                                         stream->out.len - stream->out_at, &sent);
                if (result == TLS_BYTES_DONE)
                        stream->out_at += sent;
        }
        return result;
}

/* ---- the head of the answer ---- */

static bool is_word(struct slice text, struct slice wanted) {
        return text.len == wanted.len && strncasecmp(text.ptr, wanted.ptr, wanted.len) == 0;
}

static bool take_line(struct http1_stream *stream, struct slice line) {
        uint64_t size;
        struct slice name;

        if (!slice_split(&line, ':', &name))
                return false;
        line = slice_trim(line);
        http_take_header(stream->request, name, line);
        if (is_word(name, SLICE_LITERAL("transfer-encoding"))) {
                stream->body = (struct http1_body){ .state = BODY_CHUNK_SIZE };
                return is_word(line, SLICE_LITERAL("chunked"));
        }
        if (is_word(name, SLICE_LITERAL("content-length")) &&
            stream->body.state == BODY_UNTIL_END) {
                if (!slice_to_u64(line, &size))
                        return false;
                stream->body = (struct http1_body){ .state = BODY_COUNTED, .left = size };
        }
        return true;
}

/* "HTTP/1.1 200 OK" */
static int status_of(struct slice line) {
        struct slice version;
        uint64_t status;

        if (!slice_has_prefix(line, SLICE_LITERAL("HTTP/1.")) ||
            !slice_split(&line, ' ', &version) || line.len < 3 ||
            !slice_to_u64(slice_make(line.ptr, 3), &status))
                return 0;
        return (int)status;
}

/* The lines up to an empty one, of an informational answer too; 0: it makes no sense. */
static int take_head(struct http1_stream *stream, struct slice head) {
        struct slice line;

        slice_split(&head, '\n', &line);
        int status = status_of(slice_trim(line));
        stream->body = (struct http1_body){ .state = BODY_UNTIL_END };
        while (status && slice_split(&head, '\n', &line))
                if (!take_line(stream, slice_trim(line)))
                        return 0;
        return status;
}

static void wake_for(struct http1_stream *stream, int bytes) {
        setsockopt(stream->connection.fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

/* The first size opens the window, the second one counts. */
static void expect_much(struct http1_stream *stream) {
        wake_for(stream, WINDOW_BYTES);
        wake_for(stream, WAKE_BYTES);
        stream->patience = PATIENCE;
}

/* A server that sends less at a time may wait until we have taken it. */
static void lose_patience(struct http1_stream *stream) {
        if (stream->patience > 0 && --stream->patience == 0)
                wake_for(stream, 1);
}

/* Takes heads off the front of what was read; false when they make no sense. */
static bool take_heads(struct http1_stream *stream) {
        while (!stream->has_head) {
                const char *end = memmem(stream->bytes, stream->size, "\r\n\r\n", 4);
                size_t size = end ? (size_t)(end - stream->bytes) + 4 : 0;

                if (!end)
                        return stream->size < HEAD_BYTES_MAX;
                int status = take_head(stream, slice_make(stream->bytes, size - 2));
                if (status < 100)
                        return false;
                stream->size -= size;
                memmove(stream->bytes, stream->bytes + size, stream->size);
                if (status < 200)
                        continue;
                stream->has_head = true;
                expect_much(stream);
                http_begin_answer(stream->request, status);
        }
        return true;
}

/* ---- reading ---- */

enum { STREAM_ON, STREAM_DONE, STREAM_BROKEN };

static int take_read(struct http1_stream *stream) {
        struct http_call *request = stream->request;

        if (!take_heads(stream))
                return STREAM_BROKEN;
        if (!stream->has_head)
                return STREAM_ON;
        size_t size = http1_body_take(&stream->body, stream->bytes, stream->size);

        stream->size = 0;
        if (size && request->state != REQUEST_CANCELLED &&
            http_on_body(stream->bytes, 1, size, request) != size)
                return STREAM_BROKEN;
        if (stream->body.state == BODY_BROKEN)
                return STREAM_BROKEN;
        return stream->body.state == BODY_OVER ? STREAM_DONE : STREAM_ON;
}

/* Fills the buffer. */
static enum tls_bytes_result read_much(struct http1_stream *stream) {
        enum tls_bytes_result result = TLS_BYTES_DONE;
        size_t size;

        while (result == TLS_BYTES_DONE && stream->size < READ_BYTES) {
                result = tls_bytes_read(stream->connection.ssl, stream->bytes + stream->size,
                                        READ_BYTES - stream->size, &size);
                if (result == TLS_BYTES_DONE)
                        stream->size += size;
        }
        return result;
}

static int take_all(struct http1_stream *stream, bool *ret_has_more) {
        int state = STREAM_ON;

        *ret_has_more = false;
        for (int i = 0; i < READS_MAX && state == STREAM_ON; i++) {
                enum tls_bytes_result result = read_much(stream);

                state = take_read(stream);
                if (state != STREAM_ON || stream->request->state == REQUEST_CANCELLED)
                        return state;
                if (result == TLS_BYTES_LATER)
                        return STREAM_ON;
                if (result == TLS_BYTES_OVER)
                        return stream->has_head && stream->body.state == BODY_UNTIL_END
                                       ? STREAM_DONE
                                       : STREAM_BROKEN;
        }
        *ret_has_more = true;
        return state;
}

static void http1_stream_receive(struct http1_stream *stream) {
        struct http_transport *http = stream->http;
        bool has_more;

        loop_timer_disarm(http->loop, &stream->tick);
        http->is_receiving = true;
        int state = take_all(stream, &has_more);
        http->is_receiving = false;
        if (state != STREAM_ON || stream->request->state == REQUEST_CANCELLED)
                http1_stream_end(stream, state == STREAM_BROKEN ? CURLE_RECV_ERROR : CURLE_OK);
        else if (has_more)
                loop_timer_arm(http->loop, &stream->resume, 0);
        else if (stream->patience > 0)
                loop_timer_arm(http->loop, &stream->tick, WAKE_NS);
}

static void on_resume(void *context) {
        http1_stream_receive(context);
}

static void on_tick(void *context) {
        lose_patience(context);
        http1_stream_receive(context);
}

static void on_ready(void *context, unsigned events) {
        struct http1_stream *stream = context;

        if (stream->out_at < stream->out.len && events & LOOP_WRITE) {
                enum tls_bytes_result result = send_request(stream);

                if (result == TLS_BYTES_OVER) {
                        http1_stream_end(stream, CURLE_SEND_ERROR);
                        return;
                }
                if (result == TLS_BYTES_DONE)
                        loop_io_change(stream->http->loop, stream->io, LOOP_READ);
        }
        if (!(events & LOOP_READ))
                return;
        if (stream->patience > 0)
                stream->patience = PATIENCE;
        http1_stream_receive(stream);
}

/* ---- connecting ---- */

static bool begin_request(struct http1_stream *stream) {
        if (!tls_connection_take(&stream->connection, true, stream->bytes, &stream->size) ||
            loop_io_add(stream->http->loop, stream->connection.fd, LOOP_READ | LOOP_WRITE, on_ready,
                        stream, &stream->io, NULL) < 0)
                return false;
        http1_stream_write_request(stream->request, &stream->out);
        return true;
}

static void on_connected(void *context, bool is_connected) {
        struct http1_stream *stream = context;

        if (!stream->request)
                return;
        if (stream->request->state == REQUEST_CANCELLED)
                http1_stream_end(stream, CURLE_OK);
        else if (!is_connected || !begin_request(stream))
                http1_stream_give_up(stream);
}

bool http1_stream_start(struct http_call *request) {
        struct http_transport *http = request->http;
        struct http1_stream *stream;

        if (!http1_stream_is_possible(request))
                return false;
        stream = xcalloc(1, sizeof(*stream));
        stream->http = http;
        stream->request = request;
        stream->next = http->streams;
        http->streams = stream;
        stream->resume = (struct loop_timer){ .fired = on_resume, .context = stream };
        stream->tick = (struct loop_timer){ .fired = on_tick, .context = stream };
        request->own = stream;
        tls_connection_open(&stream->connection, http, "http/1.1", on_connected, stream);
        return true;
}
