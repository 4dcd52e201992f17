/* The transport over libcurl's multi interface; the only file that knows libcurl.
 *
 * libcurl must not be called from inside its own callbacks. New requests therefore wait in a list
 * until a timer of zero length runs, and a request cancelled from inside a callback is only marked;
 * the same timer sweeps it. */
#include "client/http_transport.h"

#include "api/json.h"
#include "api/status.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include "client/credential.h"
#include <assert.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

#define KEEPALIVE_IDLE_S 30
#define KEEPALIVE_PERIOD_S 10
#define KEEPALIVE_PROBES 3
#define CALL_BUFFER_BYTES (128L * 1024)
#define STREAM_BUFFER_BYTES (16L * 1024)

enum request_state { REQUEST_WAITING, REQUEST_RUNNING, REQUEST_CANCELLED };

struct api_request {
        struct http_transport *http;
        struct api_request *next, *previous;
        enum request_state state;
        CURL *easy; /* NULL while waiting */
        struct curl_slist *headers;
        enum api_method method;
        char *path, *content_type, *accept, *body;
        size_t body_size;
        int64_t timeout_ns;
        void (*done)(void *context, const struct api_reply *reply);
        const struct api_stream_events *events; /* NULL for calls */
        void *context;
        struct buf answer;
        struct loop_timer idle; /* streams only; looks at heard_at when it fires */
        struct mono_time heard_at;
        int status, retry_after_s;
        bool is_linked, is_opened, is_retried, is_too_large;
        bool is_completing; /* its receiver hears of it right now */
        char error_text[CURL_ERROR_SIZE];
};

struct http_transport {
        struct loop *loop;
        struct cluster_access access;
        struct credential *credential;
        CURLM *multi;
        struct loop_timer timer;                    /* libcurl's */
        struct loop_timer flush;                    /* starts the waiting, sweeps the cancelled */
        struct api_request *requests;               /* under way or cancelled */
        struct api_request *waiting, *last_waiting; /* oldest first */
        CURL *idle_handles[HTTP_HANDLES_KEPT];
        size_t idle_handle_count;
        char *user_agent;
        char *base;        /* URL in front of the paths; its host is the name TLS expects */
        char *host_header; /* set when that is not the server's host */
        struct curl_slist *connect_to;
        bool is_direct; /* a loopback address: the environment's proxy is not for it */
        int64_t timeout_ns, stream_idle_ns;
        size_t body_max;
        bool is_inside; /* libcurl is running our callbacks */
};

static void reap(struct http_transport *http);

/* ---- libcurl's sockets and timer on the loop ---- */

struct watched {
        struct http_transport *http;
        struct loop_io *io;
        curl_socket_t fd;
};

static void act(struct http_transport *http, curl_socket_t fd, int events) {
        int running;

        http->is_inside = true;
        curl_multi_socket_action(http->multi, fd, events, &running);
        http->is_inside = false;
        reap(http);
}

static void on_socket_ready(void *context, unsigned events) {
        struct watched *watched = context;
        int select = (events & LOOP_READ ? CURL_CSELECT_IN : 0) |
                     (events & LOOP_WRITE ? CURL_CSELECT_OUT : 0);

        act(watched->http, watched->fd, select); /* watched may be gone now */
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context) {
        struct http_transport *http = context;
        struct watched *watched = socket_context;
        unsigned events =
                (what & CURL_POLL_IN ? LOOP_READ : 0) | (what & CURL_POLL_OUT ? LOOP_WRITE : 0);

        (void)easy;
        if (what == CURL_POLL_REMOVE) {
                if (watched) {
                        loop_io_remove(http->loop, watched->io);
                        curl_multi_assign(http->multi, fd, NULL);
                        free(watched);
                }
                return 0;
        }
        if (watched) {
                loop_io_change(http->loop, watched->io, events);
                return 0;
        }
        watched = xcalloc(1, sizeof(*watched));
        *watched = (struct watched){ .http = http, .fd = fd };
        if (loop_io_add(http->loop, fd, events, on_socket_ready, watched, &watched->io, NULL) < 0) {
                free(watched);
                return -1; /* fails the transfer */
        }
        curl_multi_assign(http->multi, fd, watched);
        return 0;
}

static void on_timer_fired(void *context) {
        act(context, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer_wanted(CURLM *multi, long timeout_ms, void *context) {
        struct http_transport *http = context;

        (void)multi;
        if (timeout_ms < 0)
                loop_timer_disarm(http->loop, &http->timer);
        else
                loop_timer_arm(http->loop, &http->timer, timeout_ms * NS_PER_MS);
        return 0;
}

/* ---- requests ---- */

/* Waiting requests stand in one list, all others in the second. */
static void unlink_request(struct api_request *request) {
        struct http_transport *http = request->http;
        bool is_waiting = request->state == REQUEST_WAITING;

        if (!request->is_linked)
                return;
        if (request->previous)
                request->previous->next = request->next;
        else if (is_waiting)
                http->waiting = request->next;
        else
                http->requests = request->next;
        if (request->next)
                request->next->previous = request->previous;
        else if (is_waiting)
                http->last_waiting = request->previous;
        request->next = request->previous = NULL;
        request->is_linked = false;
}

static void link_running(struct api_request *request) {
        struct http_transport *http = request->http;

        request->state = REQUEST_RUNNING;
        request->is_linked = true;
        request->next = http->requests;
        if (request->next)
                request->next->previous = request;
        http->requests = request;
}

static void link_waiting(struct api_request *request) {
        struct http_transport *http = request->http;

        request->state = REQUEST_WAITING;
        request->is_linked = true;
        request->previous = http->last_waiting;
        if (request->previous)
                request->previous->next = request;
        else
                http->waiting = request;
        http->last_waiting = request;
        loop_timer_arm(http->loop, &http->flush, 0);
}

/* Takes the request off libcurl and keeps the handle for the next one. */
static void detach(struct api_request *request) {
        struct http_transport *http = request->http;

        loop_timer_disarm(http->loop, &request->idle);
        if (!request->easy)
                return;
        curl_multi_remove_handle(http->multi, request->easy);
        if (http->idle_handle_count < HTTP_HANDLES_KEPT)
                http->idle_handles[http->idle_handle_count++] = request->easy;
        else
                curl_easy_cleanup(request->easy);
        curl_slist_free_all(request->headers);
        request->easy = NULL;
        request->headers = NULL;
}

static void request_free(struct api_request *request) {
        unlink_request(request);
        detach(request);
        buf_release(&request->answer);
        free(request->path);
        free(request->content_type);
        free(request->accept);
        free(request->body);
        free(request);
}

static void cancel(void *self, struct api_request *request) {
        struct http_transport *http = self;

        assert(request->state != REQUEST_CANCELLED);
        if (request->is_completing) {
                request->state = REQUEST_CANCELLED;
        } else if (http->is_inside && request->state == REQUEST_RUNNING) {
                request->state = REQUEST_CANCELLED;
                loop_timer_arm(http->loop, &http->flush, 0);
        } else {
                request_free(request);
        }
}

/* ---- what arrives ---- */

static bool may_retry_token(const struct api_request *request) {
        const struct cluster_access *access = &request->http->access;

        return request->status == 401 && (access->token_file || access->exec) &&
               !request->is_retried;
}

static void announce(struct api_request *request) {
        if (request->is_opened)
                return;
        request->is_opened = true;
        if (request->events && request->events->opened)
                request->events->opened(request->context, request->status);
}

static size_t on_header(char *data, size_t size, size_t count, void *context) {
        static const char retry_after[] = "retry-after:";
        struct api_request *request = context;
        struct slice line = slice_trim(slice_make(data, size * count));
        long code = 0;
        uint64_t seconds;

        if (request->state == REQUEST_CANCELLED)
                return 0;
        if (line.len > sizeof(retry_after) &&
            strncasecmp(line.ptr, retry_after, sizeof(retry_after) - 1) == 0) {
                line = slice_trim(slice_make(line.ptr + sizeof(retry_after) - 1,
                                             line.len - (sizeof(retry_after) - 1)));
                if (slice_to_u64(line, &seconds) && seconds <= INT32_MAX)
                        request->retry_after_s = (int)seconds;
        }
        if (line.len > 0)
                return size * count;
        curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &code);
        if (code < 200) /* informational; the answer follows */
                return size * count;
        request->status = (int)code;
        request->heard_at = loop_mono(request->http->loop);
        if (!may_retry_token(request))
                announce(request);
        return request->state == REQUEST_CANCELLED ? 0 : size * count;
}

static size_t on_body(char *data, size_t size, size_t count, void *context) {
        struct api_request *request = context;
        size_t bytes = size * count;

        if (request->state == REQUEST_CANCELLED)
                return bytes + 1; /* not what was offered: ends the transfer */
        request->heard_at = loop_mono(request->http->loop);
        if (request->events && request->status == 200) {
                if (bytes)
                        request->events->data(request->context, slice_make(data, bytes));
                return request->state == REQUEST_CANCELLED ? bytes + 1 : bytes;
        }
        if (buf_append(&request->answer, data, bytes))
                return bytes;
        request->is_too_large = true;
        return bytes + 1;
}

/* ---- answers ---- */

static int code_of_result(CURLcode result) {
        switch (result) {
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_COULDNT_CONNECT:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CACERT_BADFILE:
                return BERTH_ERR_UNAVAILABLE;
        case CURLE_OPERATION_TIMEDOUT:
                return BERTH_ERR_TIMEOUT;
        default:
                return BERTH_ERR_IO;
        }
}

static void no_answer(struct api_request *request, CURLcode result, struct err *err) {
        const char *text =
                request->error_text[0] ? request->error_text : curl_easy_strerror(result);
        const char *method = api_method_name(request->method);
        struct slice rest = slice_of(request->path), path;

        slice_split(&rest, '?', &path); /* without the query */
        if (request->is_too_large)
                err_set(err, BERTH_ERR_TOO_LARGE, "%s " SLICE_FMT ": answer exceeds %zu bytes",
                        method, SLICE_ARG(path), request->answer.max);
        else
                err_set(err, code_of_result(result), "%s %s" SLICE_FMT ": %s", method,
                        request->http->access.server, SLICE_ARG(path), text);
}

static void decode_failure(const struct api_request *request, struct err *err) {
        struct json_doc *doc = NULL;
        struct status_info info;

        if (json_parse(buf_view(&request->answer), &doc, NULL) == 0 &&
            status_decode(json_doc_root(doc), &info, NULL) == 0)
                status_to_err(&info, err);
        else
                err_set(err, status_code_to_err(request->status), "HTTP status %d",
                        request->status);
        json_doc_free(doc);
}

static void try_again(struct api_request *request) {
        unlink_request(request);
        detach(request);
        buf_clear(&request->answer);
        request->is_retried = true;
        request->status = 0;
        request->retry_after_s = -1;
        link_waiting(request);
}

/* The request is over: the handle is out of libcurl before the receiver hears of it. */
static void complete(struct api_request *request, CURLcode result) {
        struct api_reply reply = { .retry_after_s = request->retry_after_s };

        if (result == CURLE_OK && may_retry_token(request) &&
            credential_refresh(request->http->credential)) {
                try_again(request);
                return;
        }
        unlink_request(request);
        request->is_completing = true;
        if (result != CURLE_OK) {
                no_answer(request, result, &reply.error);
        } else {
                reply.status = request->status;
                reply.body = buf_view(&request->answer);
                if (reply.status >= 300)
                        decode_failure(request, &reply.error);
        }
        detach(request);
        if (request->events) {
                if (result == CURLE_OK)
                        announce(request);
                if (request->state != REQUEST_CANCELLED)
                        request->events->ended(request->context, &reply);
        } else {
                request->done(request->context, &reply);
        }
        request_free(request);
}

static void reap(struct http_transport *http) {
        CURLMsg *message;
        int left;

        while ((message = curl_multi_info_read(http->multi, &left))) {
                CURLcode result = message->data.result;
                struct api_request *request = NULL;

                if (message->msg != CURLMSG_DONE)
                        continue;
                curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&request);
                if (request->state == REQUEST_CANCELLED)
                        request_free(request);
                else
                        complete(request, result);
        }
}

static void on_idle(void *context) {
        struct api_request *request = context;
        struct http_transport *http = request->http;
        int64_t left = request->heard_at.ns + http->stream_idle_ns - loop_mono(http->loop).ns;

        if (left > 0) {
                loop_timer_arm(http->loop, &request->idle, left);
                return;
        }
        snprintf(request->error_text, sizeof(request->error_text), "nothing heard for %d s",
                 (int)(http->stream_idle_ns / NS_PER_S));
        complete(request, CURLE_OPERATION_TIMEDOUT);
}

/* ---- starting requests ---- */

/* A peer that vanished without a word is found out within a minute. */
static int on_socket_made(void *context, curl_socket_t fd, curlsocktype purpose) {
        int probes = KEEPALIVE_PROBES;
        unsigned unanswered_ms = (KEEPALIVE_IDLE_S + KEEPALIVE_PERIOD_S * KEEPALIVE_PROBES) * 1000U;

        (void)context;
        (void)purpose;
        /* Refused for Unix sockets, which need neither. */
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof(unanswered_ms));
        return CURL_SOCKOPT_OK;
}

static void set_blob(CURL *easy, CURLoption option, const char *text) {
        struct curl_blob blob = { .data = (void *)(uintptr_t)text,
                                  .len = text ? strlen(text) : 0,
                                  .flags = CURL_BLOB_NOCOPY };

        if (text)
                curl_easy_setopt(easy, option, &blob);
}

static void set_tls(const struct http_transport *http, CURL *easy) {
        const struct cluster_access *access = &http->access;

        set_blob(easy, CURLOPT_CAINFO_BLOB, access->ca_pem);
        set_blob(easy, CURLOPT_SSLCERT_BLOB, access->certificate_pem);
        set_blob(easy, CURLOPT_SSLKEY_BLOB, access->key_pem);
        if (access->ca_file && !access->ca_pem)
                curl_easy_setopt(easy, CURLOPT_CAINFO, access->ca_file);
        if (access->certificate_file && !access->certificate_pem)
                curl_easy_setopt(easy, CURLOPT_SSLCERT, access->certificate_file);
        if (access->key_file && !access->key_pem)
                curl_easy_setopt(easy, CURLOPT_SSLKEY, access->key_file);
#if LIBCURL_VERSION_NUM >= 0x075700
        curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L); /* authorities are rotated */
#endif
        curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
        if (access->is_insecure) {
                curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
                curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
        }
}

/* A handle with everything set that all requests have in common. */
static CURL *handle_new(const struct http_transport *http) {
        CURL *easy = curl_easy_init();

        assert(easy);
        set_tls(http, easy);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
        curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
        curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                         (long)(HTTP_CONNECT_TIMEOUT_NS / NS_PER_MS));
        curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
        curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE_S);
        curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_PERIOD_S);
        curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket_made);
        curl_easy_setopt(easy, CURLOPT_USERAGENT, http->user_agent);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
        curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, http->access.unix_socket);
        curl_easy_setopt(easy, CURLOPT_CONNECT_TO, http->connect_to);
        if (http->access.proxy_url || http->is_direct)
                curl_easy_setopt(easy, CURLOPT_PROXY,
                                 http->access.proxy_url ? http->access.proxy_url : "");
        return easy;
}

static void add_header(struct api_request *request, const char *name, const char *value) {
        CLEANUP(buf_release) struct buf line = { 0 };

        buf_printf(&line, "%s: %s", name, value);
        request->headers = curl_slist_append(request->headers, line.data);
        assert(request->headers);
}

static void set_headers(struct api_request *request) {
        const struct cluster_access *access = &request->http->access;
        const char *authorization = credential_header(request->http->credential);

        add_header(request, "Accept", request->accept[0] ? request->accept : "application/json");
        if (authorization)
                add_header(request, "Authorization", authorization);
        if (request->body_size) {
                add_header(request, "Content-Type",
                           request->content_type[0] ? request->content_type : "application/json");
                add_header(request, "Expect", ""); /* no waiting for 100-continue */
        } else {
                add_header(request, "Content-Type", ""); /* nor that of a form */
        }
        if (request->http->host_header)
                add_header(request, "Host", request->http->host_header);
        if (access->impersonate_user)
                add_header(request, "Impersonate-User", access->impersonate_user);
        for (size_t i = 0; i < access->impersonate_group_count; i++)
                add_header(request, "Impersonate-Group", access->impersonate_groups[i]);
        curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, request->headers);
}

static void set_method(struct api_request *request) {
        bool has_body = request->body_size > 0 || request->method == API_POST;

        curl_easy_setopt(request->easy, CURLOPT_HTTPGET, 1L); /* forgets the previous method */
        if (has_body) {
                curl_easy_setopt(request->easy, CURLOPT_POSTFIELDS, request->body);
                curl_easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                 (curl_off_t)request->body_size);
        }
        curl_easy_setopt(request->easy, CURLOPT_CUSTOMREQUEST, api_method_name(request->method));
}

static void set_request(struct api_request *request) {
        CLEANUP(buf_release) struct buf url = { 0 };
        CURL *easy = request->easy;
        int64_t timeout_ns = request->timeout_ns;

        if (timeout_ns == 0 && !request->events)
                timeout_ns = request->http->timeout_ns;
        buf_text(&url, request->http->base);
        buf_text(&url, request->path);
        curl_easy_setopt(easy, CURLOPT_URL, url.data);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, request);
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, request);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, request);
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, request->error_text);
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(timeout_ns / NS_PER_MS));
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE,
                         request->events ? STREAM_BUFFER_BYTES : CALL_BUFFER_BYTES);
        set_method(request);
        set_headers(request);
}

static void start(struct api_request *request) {
        struct http_transport *http = request->http;

        unlink_request(request);
        link_running(request);
        request->easy = http->idle_handle_count ? http->idle_handles[--http->idle_handle_count]
                                                : handle_new(http);
        request->error_text[0] = '\0';
        request->heard_at = loop_mono(http->loop);
        if (request->events)
                loop_timer_arm(http->loop, &request->idle, http->stream_idle_ns);
        set_request(request);
        curl_multi_add_handle(http->multi, request->easy);
}

static void on_flush(void *context) {
        struct http_transport *http = context;
        struct api_request *request = http->requests;

        while (request) {
                struct api_request *next = request->next;

                if (request->state == REQUEST_CANCELLED)
                        request_free(request);
                request = next;
        }
        while (http->waiting)
                start(http->waiting);
}

/* ---- the transport ---- */

static struct api_request *request_new(struct http_transport *http, const struct api_call *call,
                                       void *context) {
        struct api_request *request = xcalloc(1, sizeof(*request));

        request->http = http;
        request->method = call->method;
        request->path = slice_dup(call->path);
        request->content_type = slice_dup(call->content_type);
        request->accept = slice_dup(call->accept);
        request->body = slice_dup(call->body);
        request->body_size = call->body.len;
        request->timeout_ns = call->timeout_ns;
        request->context = context;
        request->retry_after_s = -1;
        request->idle = (struct loop_timer){ .fired = on_idle, .context = request };
        buf_init(&request->answer, http->body_max);
        return request;
}

static struct api_request *call(void *self, const struct api_call *call,
                                void (*done)(void *context, const struct api_reply *reply),
                                void *context) {
        struct api_request *request = request_new(self, call, context);

        request->done = done;
        link_waiting(request);
        return request;
}

static struct api_request *stream(void *self, const struct api_call *call,
                                  const struct api_stream_events *events, void *context) {
        struct api_request *request = request_new(self, call, context);

        request->events = events;
        buf_init(&request->answer, HTTP_STREAM_ERROR_MAX);
        link_waiting(request);
        return request;
}

struct transport http_transport(struct http_transport *http) {
        static const struct transport_ops ops = { .call = call,
                                                  .stream = stream,
                                                  .cancel = cancel };

        return (struct transport){ .ops = &ops, .self = http };
}

const struct cluster_access *http_transport_access(const struct http_transport *http) {
        return &http->access;
}

/* ---- set-up ---- */

static char *url_part(CURLU *url, CURLUPart part, unsigned flags) {
        char *text = NULL, *copy;

        if (curl_url_get(url, part, &text, flags) != CURLUE_OK)
                return NULL;
        copy = slice_dup(slice_of(text));
        curl_free(text);
        return copy;
}

/* Another name expected in the certificate takes the host's place in the URL, and connections to it
 * are led to the host; the Host header stays as it was. */
static void use_server_name(struct http_transport *http, CURLU *url, const char *host,
                            const char *port) {
        const char *name = http->access.tls_server_name;
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text, "%s:%s:%s:%s", name, port, host, port);
        http->connect_to = curl_slist_append(NULL, text.data);
        buf_clear(&text);
        buf_printf(&text, "%s:%s", host, port);
        http->host_header = buf_take(&text, NULL);
        curl_url_set(url, CURLUPART_HOST, name, 0);
}

static bool is_loopback(const char *host) {
        struct slice name = slice_of(host);

        return slice_is(name, "localhost") || slice_is(name, "[::1]") ||
               slice_has_prefix(name, SLICE_LITERAL("127."));
}

static void trim_slashes(char *url) {
        size_t size = strlen(url);

        while (size > 0 && url[size - 1] == '/')
                url[--size] = '\0';
}

static int use_server(struct http_transport *http, CURLU *url, struct err *err) {
        const struct cluster_access *access = &http->access;
        bool has_tls = access->ca_pem || access->ca_file || access->certificate_pem ||
                       access->certificate_file || access->is_insecure;
        CLEANUP(buf_release) struct buf text = { 0 };
        CLEANUP(cleanup_free) char *host = NULL;
        CLEANUP(cleanup_free) char *port = NULL;

        if (!access->server)
                return err_set(err, BERTH_ERR_INVALID, "no server address");
        if (!strstr(access->server, "://"))
                buf_text(&text, has_tls ? "https://" : "http://");
        buf_text(&text, access->server);
        if ((strncmp(text.data, "http://", 7) != 0 && strncmp(text.data, "https://", 8) != 0) ||
            curl_url_set(url, CURLUPART_URL, text.data, 0) != CURLUE_OK)
                return err_set(err, BERTH_ERR_INVALID, "\"%s\" is not an http or https address",
                               access->server);
        host = url_part(url, CURLUPART_HOST, 0);
        port = url_part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
        http->is_direct = is_loopback(host);
        if (access->tls_server_name)
                use_server_name(http, url, host, port);
        http->base = url_part(url, CURLUPART_URL, 0);
        trim_slashes(http->base); /* libcurl makes "/" of an empty path */
        trim_slashes(access->server);
        return 0;
}

static void make_multi(struct http_transport *http) {
        http->multi = curl_multi_init();
        assert(http->multi);
        curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
        curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
        curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
        curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
        curl_multi_setopt(http->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
        curl_multi_setopt(http->multi, CURLMOPT_MAX_HOST_CONNECTIONS,
                          (long)HTTP_CONNECTIONS_PER_HOST);
        /* By default the number kept follows that of requests under way, so that connections would
         * be closed whenever a batch of them ends. */
        curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)HTTP_CONNECTIONS_PER_HOST);
}

int http_transport_new(struct http_transport_config *config, struct loop *loop,
                       struct http_transport **ret_http, struct err *err) {
        struct http_transport *http = xcalloc(1, sizeof(*http));
        CURLU *url;
        int result;

        curl_global_init(CURL_GLOBAL_DEFAULT);
        http->loop = loop;
        http->access = config->access;
        config->access = (struct cluster_access){ 0 };
        http->timer = (struct loop_timer){ .fired = on_timer_fired, .context = http };
        http->flush = (struct loop_timer){ .fired = on_flush, .context = http };
        http->timeout_ns = config->timeout_ns ? config->timeout_ns : HTTP_TIMEOUT_NS;
        http->stream_idle_ns =
                config->stream_idle_ns ? config->stream_idle_ns : HTTP_STREAM_IDLE_NS;
        http->body_max = config->body_max ? config->body_max : HTTP_BODY_MAX;
        http->user_agent = slice_dup(
                slice_of(config->user_agent ? config->user_agent : "berth/" BERTH_VERSION));
        url = curl_url();
        result = use_server(http, url, err);
        curl_url_cleanup(url);
        if (result == 0)
                result = credential_new(&http->access, loop, &http->credential, err);
        if (result < 0) {
                http_transport_free(http);
                return result;
        }
        make_multi(http);
        *ret_http = http;
        return 0;
}

void http_transport_free(struct http_transport *http) {
        if (!http)
                return;
        assert(!http->is_inside);
        while (http->waiting)
                request_free(http->waiting);
        while (http->requests)
                request_free(http->requests);
        for (size_t i = 0; i < http->idle_handle_count; i++)
                curl_easy_cleanup(http->idle_handles[i]);
        curl_multi_cleanup(http->multi); /* accepts NULL */
        loop_timer_disarm(http->loop, &http->timer);
        loop_timer_disarm(http->loop, &http->flush);
        curl_slist_free_all(http->connect_to);
        credential_free(http->credential);
        cluster_access_release(&http->access);
        free(http->user_agent);
        free(http->base);
        free(http->host_header);
        free(http);
        curl_global_cleanup();
}
