/* Options of libcurl for a request: connection, TLS, headers, body. */
#include "base/arena.h"
#include "base/util.h"
#include "client/credential.h"
#include "client/http_transport_priv.h"
#include "client/tls_files.h"
#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#define KEEPALIVE_IDLE_S 30
#define KEEPALIVE_PERIOD_S 10
#define KEEPALIVE_PROBES 3
#define CONNECTION_IDLE_S 30L /* a burst of writes over HTTP/1.1 leaves many, 45 KB each */
/* Lists are long. Everything else is short, and many writes are under way at once. */
#define LIST_BUFFER_BYTES (128L * 1024)
#define BUFFER_BYTES (16L * 1024)

/* A peer that vanished without closing the connection is detected within a minute. */
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
        const struct tls_texts *texts = tls_files_texts(http->tls);
        const char *ca = access->ca_pem, *certificate = access->certificate_pem;
        const char *key = access->key_pem;

        if (texts) {
                ca = ca ? ca : texts->files[TLS_FILE_CA].text;
                certificate = certificate ? certificate : texts->files[TLS_FILE_CERTIFICATE].text;
                key = key ? key : texts->files[TLS_FILE_KEY].text;
        }
        set_blob(easy, CURLOPT_CAINFO_BLOB, ca);
        set_blob(easy, CURLOPT_SSLCERT_BLOB, certificate);
        set_blob(easy, CURLOPT_SSLKEY_BLOB, key);
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
CURL *http_handle_new(const struct http_transport *http) {
        CURL *easy = curl_easy_init();

        assert(easy);
        set_tls(http, easy);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
        /* A request that ends while a name is looked up does not wait for the thread that looks. */
        curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
        curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
        curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
        curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, BUFFER_BYTES);
        curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                         (long)(HTTP_CONNECT_TIMEOUT_NS / NS_PER_MS));
        curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, CONNECTION_IDLE_S);
        curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
        curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE_S);
        curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_PERIOD_S);
        curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket_made);
        curl_easy_setopt(easy, CURLOPT_USERAGENT, http->user_agent);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, http_on_header);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, http_on_body);
        curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, http->access.unix_socket);
        curl_easy_setopt(easy, CURLOPT_CONNECT_TO, http->connect_to);
        if (http->access.proxy_url || http->is_direct)
                curl_easy_setopt(easy, CURLOPT_PROXY,
                                 http->access.proxy_url ? http->access.proxy_url : "");
        return easy;
}

void http_split_base(const struct http_transport *http, struct slice *ret_host,
                     struct slice *ret_path) {
        const char *host = strstr(http->base, "://") + 3;
        size_t size = strcspn(host, "/");

        *ret_host = http->host_header ? slice_of(http->host_header) : slice_make(host, size);
        *ret_path = slice_of(host + size);
}

static void add_header_line(struct http_call *request, const char *line) {
        request->headers = curl_slist_append(request->headers, line);
        assert(request->headers);
}

static void add_header(struct http_call *request, const char *name, const char *value) {
        CLEANUP(buf_release) struct buf line = { 0 };

        buf_printf(&line, "%s: %s", name, value);
        add_header_line(request, line.data);
}

static void set_headers(struct http_call *request) {
        const struct cluster_access *access = &request->http->access;
        const char *authorization =
                credential_header(request->http->credential, &request->credential_generation);

        add_header(request, "Accept", request->accept[0] ? request->accept : "application/json");
        if (authorization)
                add_header(request, "Authorization", authorization);
        if (request->http->header)
                add_header_line(request, request->http->header);
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

static void set_method(struct http_call *request) {
        bool has_body = request->body_size > 0 || request->method == API_POST;

        curl_easy_setopt(request->easy, CURLOPT_HTTPGET, 1L); /* forgets the previous method */
        if (has_body) {
                curl_easy_setopt(request->easy, CURLOPT_POSTFIELDS, request->body);
                curl_easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                 (curl_off_t)request->body_size);
        }
        curl_easy_setopt(request->easy, CURLOPT_CUSTOMREQUEST, api_method_name(request->method));
}

/* Go's servers take a third more of processor time for a large list over HTTP/2, whose frames pass
 * through one of their threads, and what is sent over the shared connection meanwhile waits. */
static void use_version(struct http_call *request) {
        long version = request->is_large ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS;

        curl_easy_setopt(request->easy, CURLOPT_HTTP_VERSION, version);
        curl_easy_setopt(request->easy, CURLOPT_FRESH_CONNECT, (long)request->is_large);
        curl_easy_setopt(request->easy, CURLOPT_FORBID_REUSE, (long)request->is_large);
}

void http_handle_set(struct http_call *request) {
        CLEANUP(buf_release) struct buf url = { 0 };
        CURL *easy = request->easy;
        int64_t timeout_ns = request->timeout_ns;

        if (timeout_ns == 0 && !request->caller.events)
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
                         request->is_large ||
                                         (request->method == API_GET && !request->caller.events)
                                 ? LIST_BUFFER_BYTES
                                 : BUFFER_BYTES);
        use_version(request);
        set_method(request);
        set_headers(request);
}
