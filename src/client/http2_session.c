/* Connections of HTTP/2: made by libcurl, read and written past it.
 *
 * A connection is freed by http2_sessions_flush() only, which a timer runs: whoever finds that it
 * is over may be inside its callbacks. */
#include "client/http2_session_priv.h"

#include "base/util.h"
#include "client/tls_bytes.h"
#include <stdlib.h>
#include <sys/socket.h>

#define AGAIN_NS (30 * NS_PER_S) /* after a connection that failed or speaks something else */
#define IDLE_NS (30 * NS_PER_S)  /* without a stream; then it may be dead without telling */
#define READ_BYTES ((size_t)32 << 10)
#define READS_MAX 64 /* before others have their turn */
#define GATHER_BYTES ((size_t)64 << 10)
/* A write is answered in several records, and the change that it made comes through a watch: we are
 * woken for so much of them, or after so long. */
#define ANSWER_BYTES 2048
#define ANSWER_NS (4 * NS_PER_MS)
/* Where none of them is urgent, we are woken for more than will come, as far as it can be foreseen,
 * or after a longer time. */
#define PATIENT_NS (25 * NS_PER_MS)
#define PATIENT_BYTES_MAX (16 << 10)
#define ANSWER_BYTES_MORE 64      /* around the frames of an answer, or different the next time */
#define CHANGE_BYTES_MORE 192     /* that a change of ours adds to an object */
#define ROUND_BYTES 256           /* so that what is asked of the socket seldom changes */
#define LINGER_NS (2 * NS_PER_MS) /* the next write is likely to follow */

static void http2_session_receive(struct http2_session *session);

/* ---- the end of a connection ---- */

static void sweep_later(struct http2_session *session) {
        loop_timer_arm(session->http->loop, &session->http->flush, 0);
}

static void take_no_more(struct http2_session *session) {
        if (session->http->http2 == session)
                session->http->http2 = NULL;
}

static void http2_session_die(struct http2_session *session) {
        session->state = HTTP2_DEAD;
        if (session->io)
                loop_io_remove(session->http->loop, session->io);
        session->io = NULL;
        loop_timer_disarm(session->http->loop, &session->resume);
        loop_timer_disarm(session->http->loop, &session->gather);
        take_no_more(session);
        sweep_later(session);
}

static void http2_session_free(struct http2_session *session) {
        if (session->io)
                loop_io_remove(session->http->loop, session->io);
        loop_timer_disarm(session->http->loop, &session->resume);
        loop_timer_disarm(session->http->loop, &session->gather);
        nghttp2_session_del(session->frames);
        tls_connection_release(&session->connection);
        buf_release(&session->out);
        free(session);
}

static void http2_session_fail(struct http2_session *session) {
        session->http->http2_again = loop_mono(session->http->loop);
        session->http->http2_again.ns += AGAIN_NS;
        http2_session_die(session);
}

/* A connection that was in use is made anew at once; its requests end. */
static void http2_session_lose(struct http2_session *session) {
        struct http_transport *http = session->http;
        struct http_call *request;

        http2_session_die(session);
        do {
                for (request = http->requests; request && request->session != session;)
                        request = request->next;
                if (!request)
                        return;
                if (request->state == REQUEST_CANCELLED) {
                        http->ends->free(request);
                        continue;
                }
                snprintf(request->error_text, sizeof(request->error_text), "connection lost");
                http->ends->complete(request, CURLE_RECV_ERROR);
        } while (request);
}

/* ---- requests ---- */

bool http2_session_is_connecting(const struct http2_session *session) {
        return session && session->state == HTTP2_CONNECTING;
}

void http2_session_retire(struct http_transport *http) {
        struct http2_session *session = http->http2;

        if (!session)
                return;
        take_no_more(session);
        if (session->state == HTTP2_OPEN)
                session->state = HTTP2_DRAINING;
        else
                http2_session_die(session);
        sweep_later(session);
}

static bool is_urgent(const struct http_call *request) {
        return !request->caller.events && !request->is_patient;
}

static void foresee_answer(struct http2_session *session, const struct http_call *request) {
        session->due_bytes += session->answer_bytes[request->comes_back] + ANSWER_BYTES_MORE;
        if (request->comes_back)
                session->due_bytes += session->change_bytes + CHANGE_BYTES_MORE;
        if (session->due_bytes > PATIENT_BYTES_MAX)
                session->due_bytes = PATIENT_BYTES_MAX;
}

bool http2_session_start(struct http2_session *session, struct http_call *request) {
        if (!session || session->state != HTTP2_OPEN)
                return false;
        if (!http2_frames_submit(session, request)) {
                http2_session_retire(session->http);
                return false;
        }
        session->stream_count++;
        session->urgent_count += is_urgent(request);
        if (!is_urgent(request) && !request->caller.events)
                foresee_answer(session, request);
        session->used_at = loop_mono(session->http->loop);
        request->session = session;
        return true;
}

void http2_session_drop(struct http_call *request) {
        struct http2_session *session = request->session;
        struct http_call **link;

        if (!session)
                return;
        request->session = NULL;
        session->stream_count--;
        session->urgent_count -= is_urgent(request);
        for (link = &session->finished; *link && *link != request;)
                link = &(*link)->finished;
        if (*link)
                *link = request->finished;
        if (request->stream) {
                nghttp2_session_set_stream_user_data(session->frames, request->stream, NULL);
                nghttp2_submit_rst_stream(session->frames, NGHTTP2_FLAG_NONE, request->stream,
                                          NGHTTP2_CANCEL);
                sweep_later(session);
        }
        request->stream = 0;
        if (session->stream_count == 0 && session->state == HTTP2_DRAINING)
                sweep_later(session);
}

static void end_finished(struct http2_session *session) {
        struct http_transport *http = session->http;
        struct http_call *request;

        while ((request = session->finished)) {
                session->finished = request->finished;
                if (request->is_patient)
                        session->answer_bytes[request->comes_back] = request->frame_bytes;
                if (request->state == REQUEST_CANCELLED) {
                        http->ends->free(request);
                } else if (request->result == CURLE_AGAIN) {
                        request->avoids_http2 = true;
                        http->ends->again(request);
                } else {
                        http->ends->complete(request, request->result);
                }
        }
}

/* ---- bytes ---- */

static int http2_session_gather(struct http2_session *session) {
        const uint8_t *data;
        ssize_t size = 0;

        buf_clear(&session->out);
        session->out_at = 0;
        while (session->out.len < GATHER_BYTES &&
               (size = nghttp2_session_mem_send(session->frames, &data)) > 0)
                buf_append(&session->out, data, (size_t)size);
        return (int)size;
}

static void wake_for(struct http2_session *session, int bytes) {
        if (session->wakes_for != bytes)
                setsockopt(session->connection.fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
        session->wakes_for = bytes;
}

/* Answers are due. */
static void gather_answers(struct http2_session *session) {
        struct loop *loop = session->http->loop;

        if (session->urgent_count) {
                wake_for(session, ANSWER_BYTES);
                loop_timer_arm(loop, &session->gather, ANSWER_NS);
        } else if (session->due_bytes) {
                wake_for(session, (session->due_bytes / ROUND_BYTES + 1) * ROUND_BYTES);
                if (!session->is_patient) /* the first one says until when */
                        loop_timer_arm(loop, &session->gather, PATIENT_NS);
                session->is_patient = true;
        }
}

/* What was due has come, and more. */
static void stop_gathering(struct http2_session *session) {
        if (session->urgent_count == 0 && loop_timer_is_armed(&session->gather))
                loop_timer_arm(session->http->loop, &session->gather, LINGER_NS);
}

static void http2_session_send(struct http2_session *session) {
        struct buf *out = &session->out;
        enum tls_bytes_result result = TLS_BYTES_DONE;
        size_t sent;
        bool was_sent = false;

        if (session->state == HTTP2_CONNECTING || session->state == HTTP2_DEAD)
                return;
        while (result == TLS_BYTES_DONE) {
                if (session->out_at == out->len && http2_session_gather(session) < 0)
                        result = TLS_BYTES_OVER;
                else if (out->len == 0)
                        break;
                else
                        result = tls_bytes_write(session->connection.ssl,
                                                 out->data + session->out_at,
                                                 out->len - session->out_at, &sent);
                if (result == TLS_BYTES_DONE) {
                        session->out_at += sent;
                        was_sent = true;
                }
        }
        if (result == TLS_BYTES_OVER) {
                http2_session_lose(session);
                return;
        }
        if (was_sent)
                gather_answers(session);
        loop_io_change(session->http->loop, session->io,
                       LOOP_READ | (result == TLS_BYTES_LATER ? LOOP_WRITE : 0));
}

/* Reads what there is, also what has left the descriptor. */
static bool take_bytes(struct http2_session *session) {
        char bytes[READ_BYTES];
        size_t size;

        for (int i = 0; i < READS_MAX; i++) {
                enum tls_bytes_result result =
                        tls_bytes_read(session->connection.ssl, bytes, sizeof(bytes), &size);

                if (result == TLS_BYTES_LATER)
                        return true;
                if (result == TLS_BYTES_OVER ||
                    nghttp2_session_mem_recv(session->frames, (uint8_t *)bytes, size) < 0)
                        return false;
                if (!tls_bytes_has_more(session->connection.ssl))
                        return true;
        }
        loop_timer_arm(session->http->loop, &session->resume, 0);
        return true;
}

static void http2_session_receive(struct http2_session *session) {
        struct http_transport *http = session->http;

        session->due_bytes = 0;
        session->is_patient = false;
        http->is_receiving = true;
        bool is_alive = take_bytes(session);
        http->is_receiving = false;
        if (session->state == HTTP2_DRAINING) {
                take_no_more(session);
                sweep_later(session);
        }
        end_finished(session);
        if (!is_alive) {
                http2_session_lose(session);
                return;
        }
        stop_gathering(session);
        http2_session_send(session);
}

static void on_resume(void *context) {
        http2_session_receive(context);
}

static void on_gathered(void *context) {
        wake_for(context, 1);
        http2_session_receive(context);
}

static void on_ready(void *context, unsigned events) {
        struct http2_session *session = context;

        if (events & LOOP_READ)
                http2_session_receive(session);
        else
                http2_session_send(session);
}

/* ---- connecting ---- */

static bool open_session(struct http2_session *session) {
        struct http_transport *http = session->connection.http;
        char bytes[TLS_CONNECTION_BYTES];
        size_t size;

        if (!tls_connection_take(&session->connection, bytes, &size) ||
            http2_frames_new(session) != 0 ||
            nghttp2_session_mem_recv(session->frames, (uint8_t *)bytes, size) < 0 ||
            loop_io_add(http->loop, session->connection.fd, LOOP_READ, on_ready, session,
                        &session->io, NULL) < 0)
                return false;
        session->state = HTTP2_OPEN;
        session->used_at = loop_mono(http->loop);
        http->has_answered = http->speaks_http2 = true;
        return true;
}

static void on_connected(void *context, bool is_connected) {
        struct http2_session *session = context;

        if (session->state != HTTP2_CONNECTING)
                return;
        if (!is_connected || !open_session(session))
                http2_session_fail(session);
        sweep_later(session); /* what waits for it is sent */
}

void http2_session_prepare(struct http_transport *http) {
        struct http2_session *session = http->http2;
        int64_t now = loop_mono(http->loop).ns;

        if (session && session->stream_count == 0 && session->state == HTTP2_OPEN &&
            now - session->used_at.ns > IDLE_NS)
                http2_session_retire(http);
        if (http->http2 || now < http->http2_again.ns || !tls_connection_is_possible(http))
                return;
        session = xcalloc(1, sizeof(*session));
        session->http = http;
        session->next = http->sessions;
        http->sessions = http->http2 = session;
        session->wakes_for = 1;
        session->gather = (struct loop_timer){ .fired = on_gathered, .context = session };
        session->resume = (struct loop_timer){ .fired = on_resume, .context = session };
        tls_connection_open(&session->connection, http, on_connected, session);
}

/* ---- all connections ---- */

void http2_sessions_flush(struct http_transport *http) {
        struct http2_session **link = &http->sessions;

        for (struct http2_session *session = http->sessions; session; session = session->next)
                http2_session_send(session);
        while (*link) {
                struct http2_session *session = *link;

                if (session->state == HTTP2_DRAINING && session->stream_count == 0)
                        http2_session_die(session);
                if (session->state == HTTP2_DEAD && session->stream_count == 0) {
                        *link = session->next;
                        http2_session_free(session);
                } else {
                        link = &session->next;
                }
        }
}

void http2_sessions_free(struct http_transport *http) {
        while (http->sessions) {
                struct http2_session *session = http->sessions;

                http->sessions = session->next;
                http2_session_free(session);
        }
        http->http2 = NULL;
}
