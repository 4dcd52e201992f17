/* CURLOPT_CONNECT_ONLY, and what libcurl's TLS shows of itself then. */
#include "client/tls_connection.h"

#include "client/tls_bytes.h"
#include "client/tls_files.h"
#include <string.h>

#define PROTOCOL "\x02h2"
#define PROTOCOL_BYTES (sizeof(PROTOCOL) - 1)

/* libcurl would put its own HTTP/2 between us and the connection if it had chosen the protocol. */
static CURLcode on_tls_context(CURL *easy, void *tls, void *context) {
        (void)easy, (void)context;
        SSL_CTX_set_read_ahead(tls, 1);
        return SSL_CTX_set_alpn_protos(tls, (const unsigned char *)PROTOCOL, PROTOCOL_BYTES) == 0
                       ? CURLE_OK
                       : CURLE_SSL_CONNECT_ERROR;
}

static CURL *connector_new(const struct http_transport *http) {
        const char *tls = curl_version_info(CURLVERSION_NOW)->ssl_version;
        CURL *easy = http_handle_new(http);

        /* Given to another library, the context would be something else. */
        if (tls && strncmp(tls, "OpenSSL/3", 9) == 0)
                curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_tls_context);
        curl_easy_setopt(easy, CURLOPT_SSL_ENABLE_ALPN, 0L);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, NULL);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, NULL);
        curl_easy_setopt(easy, CURLOPT_URL, http->base);
        curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
        return easy;
}

bool tls_connection_is_possible(const struct http_transport *http) {
        const char *proxy = http->access.proxy_url;

        return strncmp(http->base, "https://", 8) == 0 && !strchr(http->base, '@') &&
               (!proxy || strncmp(proxy, "https", 5) != 0);
}

static void on_advanced(void *context) {
        struct tls_connection *connection = context;
        CURLMsg *message;
        int left;

        while ((message = curl_multi_info_read(connection->pump.multi, &left))) {
                CURLcode result = message->data.result;

                if (message->msg != CURLMSG_DONE || connection->is_over)
                        continue;
                if (http_may_be_tls_files(result, 0) && result != CURLE_OK)
                        tls_files_renew(connection->http->tls, true);
                connection->is_over = true;
                connection->connected(connection->context, result == CURLE_OK);
        }
}

void tls_connection_open(struct tls_connection *connection, struct http_transport *http,
                         void (*connected)(void *context, bool is_connected), void *context) {
        *connection = (struct tls_connection){ .http = http,
                                               .tls = tls_texts_ref(tls_files_texts(http->tls)),
                                               .easy = connector_new(http),
                                               .connected = connected,
                                               .context = context };
        curl_pump_init(&connection->pump, http->loop, on_advanced, connection);
        curl_multi_add_handle(connection->pump.multi, connection->easy);
}

void tls_connection_release(struct tls_connection *connection) {
        curl_multi_remove_handle(connection->pump.multi, connection->easy);
        curl_easy_cleanup(connection->easy);
        curl_pump_release(&connection->pump);
        tls_texts_unref(connection->tls);
}

/* libcurl shows its TLS once somebody has read from the connection. */
static bool find_tls(struct tls_connection *connection, char *bytes, size_t *ret_size) {
        struct curl_tlssessioninfo *info = NULL;
        CURLcode result = curl_easy_recv(connection->easy, bytes, TLS_CONNECTION_BYTES, ret_size);

        if (result == CURLE_AGAIN)
                *ret_size = 0;
        else if (result != CURLE_OK || *ret_size == 0)
                return false;
        curl_easy_getinfo(connection->easy, CURLINFO_TLS_SSL_PTR, &info);
        if (!info || info->backend != CURLSSLBACKEND_OPENSSL || !info->internals)
                return false;
        connection->ssl = info->internals;
        return true;
}

static bool has_agreed(const struct tls_connection *connection) {
        const unsigned char *protocol = NULL;
        unsigned size = 0;

        SSL_get0_alpn_selected(connection->ssl, &protocol, &size);
        return size == PROTOCOL_BYTES - 1 && memcmp(protocol, &PROTOCOL[1], size) == 0;
}

bool tls_connection_take(struct tls_connection *connection, char *bytes, size_t *ret_size) {
        curl_socket_t fd = CURL_SOCKET_BAD;

        if (curl_easy_getinfo(connection->easy, CURLINFO_ACTIVESOCKET, &fd) != CURLE_OK ||
            fd == CURL_SOCKET_BAD || !find_tls(connection, bytes, ret_size) ||
            !has_agreed(connection) || !tls_bytes_take(connection->ssl, fd))
                return false;
        connection->fd = fd;
        return true;
}
