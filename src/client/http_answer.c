/* What arrives of an answer, and what its failure means. */
#include "api/status.h"
#include "base/util.h"
#include "client/http_transport_priv.h"
#include "client/status_body.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool http_may_retry_token(const struct http_call *request) {
        const struct cluster_access *access = &request->http->access;

        return request->status == 401 && (access->token_file || access->exec) &&
               !request->is_retried;
}

bool http_may_be_tls_files(CURLcode result, int status) {
        switch (result) {
        case CURLE_OK:
                return status == 401;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_RECV_ERROR: /* where the peer refuses our certificate */
                return true;
        default:
                return false;
        }
}

void http_announce(struct http_call *request) {
        if (request->is_opened)
                return;
        request->is_opened = true;
        if (request->caller.events && request->caller.events->opened)
                request->caller.events->opened(request->caller.context, request->status);
}

static bool is_name(struct slice name, struct slice wanted) {
        return name.len == wanted.len && strncasecmp(name.ptr, wanted.ptr, wanted.len) == 0;
}

/* Answers of one second have one date, which takes libcurl as long as the rest of the headers. */
static int64_t read_date(struct http_transport *http, struct slice value) {
        if (value.len >= sizeof(http->date_text))
                return 0;
        if (!slice_is(value, http->date_text)) {
                snprintf(http->date_text, sizeof(http->date_text), SLICE_FMT, SLICE_ARG(value));
                http->date_s = curl_getdate(http->date_text, NULL); /* -1: it cannot be read */
        }
        return http->date_s;
}

void http_take_header(struct http_call *request, struct slice name, struct slice value) {
        uint64_t seconds;

        if (is_name(name, SLICE_LITERAL("retry-after"))) {
                if (slice_to_u64(value, &seconds) && seconds <= INT32_MAX)
                        request->retry_after_s = (int)seconds;
        } else if (is_name(name, SLICE_LITERAL("date"))) {
                request->date_s = read_date(request->http, value);
        }
}

static void read_header(struct http_call *request, struct slice line) {
        struct slice name;

        if (slice_split(&line, ':', &name))
                http_take_header(request, name, slice_trim(line));
}

void http_begin_answer(struct http_call *request, int status) {
        request->status = status;
        request->seen_at = loop_mono(request->http->loop);
        server_clock_take(&request->http->clock, request->date_s, request->asked_at,
                          request->seen_at);
        if (!http_may_retry_token(request))
                http_announce(request);
}

size_t http_on_header(char *data, size_t size, size_t count, void *context) {
        struct http_call *request = context;
        struct slice line = slice_trim(slice_make(data, size * count));
        long code = 0, version = 0;

        if (request->state == REQUEST_CANCELLED)
                return 0;
        read_header(request, line);
        if (line.len > 0)
                return size * count;
        curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &code);
        if (code < 200) /* informational; the answer follows */
                return size * count;
        curl_easy_getinfo(request->easy, CURLINFO_HTTP_VERSION, &version);
        if (!request->is_large) {
                request->http->has_answered = true;
                request->http->speaks_http2 = version == CURL_HTTP_VERSION_2_0;
        }
        http_begin_answer(request, (int)code);
        return request->state == REQUEST_CANCELLED ? 0 : size * count;
}

size_t http_on_body(char *data, size_t size, size_t count, void *context) {
        struct http_call *request = context;
        size_t bytes = size * count;

        if (request->state == REQUEST_CANCELLED)
                return bytes + 1; /* not what was offered: ends the transfer */
        request->seen_at = loop_mono(request->http->loop);
        if (request->caller.events && request->status == 200) {
                if (bytes)
                        request->caller.events->data(request->caller.context,
                                                     slice_make(data, bytes));
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

void http_explain_silence(struct http_call *request, CURLcode result, struct err *err) {
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

void http_explain_refusal(const struct http_call *request, struct err *err) {
        if (!status_body_to_err(buf_view(&request->answer), err))
                err_set(err, status_code_to_err(request->status), "HTTP status %d",
                        request->status);
}
