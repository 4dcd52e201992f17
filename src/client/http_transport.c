/* The transport over libcurl's multi interface: requests under way, and the loop they run on.
 *
 * libcurl must not be called from inside its own callbacks. New requests therefore wait in a list
 * until a timer of zero length runs, and a request cancelled from inside a callback is only marked;
 * the same timer sweeps it. */
#include "api/json.h"
#include "base/arena.h"
#include "base/util.h"
#include "client/credential.h"
#include "client/http2_session.h"
#include "client/http_transport_priv.h"
#include "client/tls_files.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- requests ---- */

/* Waiting requests stand in one list, all others in the second. */
static void unlink_request(struct http_call *request) {
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

static void link_running(struct http_call *request) {
        struct http_transport *http = request->http;

        request->state = REQUEST_RUNNING;
        request->is_linked = true;
        request->next = http->requests;
        if (request->next)
                request->next->previous = request;
        http->requests = request;
}

static void link_waiting(struct http_call *request) {
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

/* Before 8.1 a handle that is used again looks at a header of its last answer, freed by then, when
 * the next answer's first header is folded (curl pull request 11103). */
static bool can_keep_handles(void) {
        return curl_version_info(CURLVERSION_NOW)->version_num >= 0x080100;
}

/* Takes the request off libcurl and keeps the handle for the next one. */
static void http_transport_detach(struct http_call *request) {
        struct http_transport *http = request->http;

        loop_timer_disarm(http->loop, &request->idle);
        http2_session_drop(request);
        if (!request->easy)
                return;
        curl_multi_remove_handle(http->pump.multi, request->easy);
        if (http->keeps_handles && http->idle_handle_count < HTTP_HANDLES_POOLED &&
            request->tls == tls_files_texts(http->tls))
                http->idle_handles[http->idle_handle_count++] = request->easy;
        else
                curl_easy_cleanup(request->easy);
        curl_slist_free_all(request->headers);
        tls_texts_unref(request->tls);
        request->easy = NULL;
        request->headers = NULL;
        request->tls = NULL;
}

static void http_call_free(struct http_call *request) {
        unlink_request(request);
        http_transport_detach(request);
        buf_release(&request->answer);
        free(request->path);
        free(request->content_type);
        free(request->accept);
        free(request->body);
        free(request);
}

static bool is_in_callback(const struct http_transport *http) {
        return http->pump.is_inside || http->is_receiving;
}

static void http_transport_cancel(void *self, struct api_request *handle) {
        struct http_call *request = CONTAINER_OF(handle, struct http_call, caller);
        struct http_transport *http = self;

        assert(request->state != REQUEST_CANCELLED);
        if (request->is_completing) {
                request->state = REQUEST_CANCELLED;
        } else if (is_in_callback(http) && request->state == REQUEST_RUNNING) {
                request->state = REQUEST_CANCELLED;
                loop_timer_arm(http->loop, &http->flush, 0);
        } else {
                http_call_free(request);
        }
}

/* ---- the end of a request ---- */

static void http_call_again(struct http_call *request) {
        unlink_request(request);
        http_transport_detach(request);
        buf_clear(&request->answer);
        request->status = 0;
        request->retry_after_s = -1;
        link_waiting(request);
}

/* The request is over: the handle is removed from libcurl before the receiver is called. */
static void http_call_complete(struct http_call *request, CURLcode result) {
        struct api_reply reply = { .retry_after_s = request->retry_after_s };

        if (http_may_be_tls_files(result, request->status))
                tls_files_renew(request->http->tls, true);
        if (result == CURLE_OK && http_may_retry_token(request) &&
            credential_refresh(request->http->credential, request->credential_generation)) {
                request->is_retried = true;
                http_call_again(request);
                return;
        }
        if (result == CURLE_SSL_CONNECT_ERROR && request->is_large) {
                request->is_large = false; /* the server may speak HTTP/2 alone */
                http_call_again(request);
                return;
        }
        if (result == CURLE_OK && request->status == 0) /* cut within the headers */
                result = CURLE_RECV_ERROR;
        unlink_request(request);
        request->is_completing = true;
        if (result != CURLE_OK) {
                http_explain_silence(request, result, &reply.error);
        } else {
                reply.status = request->status;
                reply.body = buf_view(&request->answer);
                if (reply.status >= 300)
                        http_explain_refusal(request, &reply.error);
        }
        http_transport_detach(request);
        if (request->caller.events) {
                if (result == CURLE_OK)
                        http_announce(request);
                if (request->state != REQUEST_CANCELLED)
                        request->caller.events->ended(request->caller.context, &reply);
        } else {
                request->caller.done(request->caller.context, &reply);
        }
        http_call_free(request);
}

static void on_advanced(void *context) {
        struct http_transport *http = context;
        CURLMsg *message;
        int left;

        while ((message = curl_multi_info_read(http->pump.multi, &left))) {
                CURLcode result = message->data.result;
                struct http_call *request = NULL;

                if (message->msg != CURLMSG_DONE)
                        continue;
                curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&request);
                if (request->state == REQUEST_CANCELLED)
                        http_call_free(request);
                else
                        http_call_complete(request, result);
        }
}

static int64_t timeout_of(const struct http_call *request) {
        return request->timeout_ns ? request->timeout_ns : request->http->timeout_ns;
}

static void on_idle(void *context) {
        struct http_call *request = context;
        struct http_transport *http = request->http;
        bool is_stream = request->caller.events;
        int64_t limit_ns = is_stream ? http->stream_idle_ns : timeout_of(request);
        int64_t left = request->seen_at.ns + limit_ns - loop_mono(http->loop).ns;

        if (is_stream && left > 0) {
                loop_timer_arm(http->loop, &request->idle, left);
                return;
        }
        snprintf(request->error_text, sizeof(request->error_text), "no %s for %d ms",
                 is_stream ? "data" : "answer", (int)(limit_ns / NS_PER_MS));
        http_call_complete(request, CURLE_OPERATION_TIMEDOUT);
}

/* ---- starting requests ---- */

/* Pages and single objects stay with libcurl: they are few. So do large lists. */
static bool may_use_http2(const struct http_call *request) {
        return !request->avoids_http2 && !request->is_large &&
               (request->caller.events || request->method != API_GET);
}

/* Makes the connection that what waits may use. Streams wait for it: they stay where they are. The
 * first ones are lists, when nothing is known of the server. */
static bool must_wait(struct http_call *request) {
        struct http_transport *http = request->http;

        if (!may_use_http2(request) ||
            !(http->speaks_http2 || (request->caller.events && !http->has_answered)))
                return false;
        http2_session_prepare(http);
        return request->caller.events && http2_session_is_connecting(http->http2);
}

static void http_transport_start(struct http_call *request) {
        struct http_transport *http = request->http;

        unlink_request(request);
        link_running(request);
        request->error_text[0] = '\0';
        request->seen_at = request->asked_at = loop_mono(http->loop);
        request->date_s = 0;
        if (request->caller.events)
                loop_timer_arm(http->loop, &request->idle, http->stream_idle_ns);
        if (may_use_http2(request) && http2_session_start(http->http2, request)) {
                if (!request->caller.events)
                        loop_timer_arm(http->loop, &request->idle, timeout_of(request));
                return;
        }
        request->easy = http->idle_handle_count ? http->idle_handles[--http->idle_handle_count]
                                                : http_handle_new(http);
        request->tls = tls_texts_ref(tls_files_texts(http->tls));
        http_handle_set(request);
        curl_multi_add_handle(http->pump.multi, request->easy);
}

static void http_transport_renewed(void *context) {
        struct http_transport *http = context;

        loop_timer_arm(http->loop, &http->flush, 0);
}

static void on_flush(void *context) {
        struct http_transport *http = context;
        struct http_call *request = http->requests;

        while (request) {
                struct http_call *next = request->next;

                if (request->state == REQUEST_CANCELLED)
                        http_call_free(request);
                request = next;
        }
        if (http->waiting)
                tls_files_renew(http->tls, false);
        for (request = http->waiting; request && credential_can_send(http->credential);) {
                struct http_call *next = request->next;

                if (!must_wait(request))
                        http_transport_start(request);
                request = next;
        }
        http2_sessions_flush(http);
}

static void drop_idle_handles(struct http_transport *http) {
        while (http->idle_handle_count)
                curl_easy_cleanup(http->idle_handles[--http->idle_handle_count]);
}

/* Handles have the old texts; connections that were made with them are not used by new ones. */
static void on_tls_changed(void *context) {
        drop_idle_handles(context);
        http2_session_retire(context);
}

/* ---- the transport ---- */

static struct http_call *request_new(struct http_transport *http, const struct api_call *call,
                                     void *context) {
        struct http_call *request = xcalloc(1, sizeof(*request));

        request->http = http;
        request->method = call->method;
        request->path = slice_dup(call->path);
        request->content_type = slice_dup(call->content_type);
        request->accept = slice_dup(call->accept);
        request->body = slice_dup(call->body);
        request->body_size = call->body.len;
        request->timeout_ns = call->timeout_ns;
        request->is_large = call->is_large && strncmp(http->base, "https:", 6) == 0;
        request->is_patient = call->is_patient;
        request->comes_back = call->comes_back;
        request->caller.context = context;
        request->retry_after_s = -1;
        request->idle = (struct loop_timer){ .fired = on_idle, .context = request };
        buf_init(&request->answer, http->body_max);
        return request;
}

static struct api_request *http_transport_call(void *self, const struct api_call *call,
                                               void (*done)(void *context,
                                                            const struct api_reply *reply),
                                               void *context) {
        struct http_call *request = request_new(self, call, context);

        request->caller.done = done;
        link_waiting(request);
        return &request->caller;
}

static struct api_request *http_transport_stream(void *self, const struct api_call *call,
                                                 const struct api_stream_events *events,
                                                 void *context) {
        struct http_call *request = request_new(self, call, context);

        request->caller.events = events;
        buf_init(&request->answer, HTTP_STREAM_ERROR_MAX);
        link_waiting(request);
        return &request->caller;
}

static const struct server_clock *http_transport_clock(const void *self) {
        return &((const struct http_transport *)self)->clock;
}

struct transport http_transport(struct http_transport *http) {
        static const struct transport_ops ops = { .call = http_transport_call,
                                                  .stream = http_transport_stream,
                                                  .cancel = http_transport_cancel,
                                                  .clock = http_transport_clock };

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

static const struct http_call_ends call_ends = { http_call_free, http_call_again,
                                                 http_call_complete };

static void make_multi(struct http_transport *http) {
        curl_pump_init(&http->pump, http->loop, on_advanced, http);
        curl_multi_setopt(http->pump.multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
        curl_multi_setopt(http->pump.multi, CURLMOPT_MAX_HOST_CONNECTIONS,
                          (long)HTTP_CONNECTIONS_PER_HOST);
        /* By default libcurl's limit of idle connections follows the number of requests under way,
         * so that connections would be closed whenever a batch of requests ends. */
        curl_multi_setopt(http->pump.multi, CURLMOPT_MAXCONNECTS, (long)HTTP_CONNECTIONS_PER_HOST);
}

int http_transport_new(struct http_transport_config *config, struct loop *loop,
                       struct http_transport **ret_http, struct err *err) {
        struct http_transport *http = xcalloc(1, sizeof(*http));
        CURLU *url;

        curl_global_init(CURL_GLOBAL_DEFAULT);
        http->loop = loop;
        http->ends = &call_ends;
        http->keeps_handles = can_keep_handles();
        http->access = config->access;
        config->access = (struct cluster_access){ 0 };
        http->flush = (struct loop_timer){ .fired = on_flush, .context = http };
        http->timeout_ns = config->timeout_ns ? config->timeout_ns : HTTP_TIMEOUT_NS;
        http->stream_idle_ns =
                config->stream_idle_ns ? config->stream_idle_ns : HTTP_STREAM_IDLE_NS;
        http->body_max = config->body_max ? config->body_max : HTTP_BODY_MAX;
        http->user_agent = slice_dup(
                slice_of(config->user_agent ? config->user_agent : "berth/" BERTH_VERSION));
        http->header = config->header ? slice_dup(slice_of(config->header)) : NULL;
        url = curl_url();
        int result = use_server(http, url, err);
        curl_url_cleanup(url);
        if (result == 0)
                result = credential_new(&http->access, loop, &http->credential, err);
        if (result == 0)
                result = tls_files_new(&http->access, loop, on_tls_changed, http, &http->tls, err);
        if (result < 0) {
                http_transport_free(http);
                return result;
        }
        credential_listen(http->credential, http_transport_renewed, http);
        make_multi(http);
        *ret_http = http;
        return 0;
}

void http_transport_free(struct http_transport *http) {
        if (!http)
                return;
        assert(!is_in_callback(http));
        while (http->waiting)
                http_call_free(http->waiting);
        while (http->requests)
                http_call_free(http->requests);
        http2_sessions_free(http);
        drop_idle_handles(http);
        curl_pump_release(&http->pump);
        loop_timer_disarm(http->loop, &http->flush);
        curl_slist_free_all(http->connect_to);
        credential_free(http->credential);
        tls_files_free(http->tls);
        cluster_access_release(&http->access);
        free(http->user_agent);
        free(http->header);
        free(http->base);
        free(http->host_header);
        free(http);
        curl_global_cleanup();
}

void http_transport_library_version(struct buf *out) {
        buf_text(out, curl_version_info(CURLVERSION_NOW)->version);
}
